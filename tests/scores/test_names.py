"""What ``from pbn import scores`` offers: each name is the function, whatever else was imported before."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from pbn import scores


def test_every_name_is_there_and_no_module_hides_one():
    for module in pkgutil.iter_modules(scores.__path__):
        importlib.import_module(f"pbn.scores.{module.name}")
    for name in scores.__all__:
        assert not inspect.ismodule(getattr(scores, name)), name
        assert inspect.getdoc(getattr(scores, name)), name
    homes = {name for names in scores._HOMES.values() for name in names}
    assert homes == set(scores.__all__)
    assert homes <= set(dir(scores))


def test_truth_comes_before_what_is_scored():
    order = ("p", "y", "probs", "outcomes", "q", "decisions")
    for name in scores.__all__:
        found = getattr(scores, name)
        if inspect.isfunction(found):
            known = [order.index(one) for one in inspect.signature(found).parameters if one in order]
            assert known == sorted(known), name
