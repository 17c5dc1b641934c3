"""A world as JSON and back as a world file keeps what its levels show, and every answer."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pbn
from pbn.loading import write_world
from pbn.network.graph import functions_of
from tests.world.worlds import file_of, sketches


@st.composite
def files(draw):
    """The text of a random world: roles, and two levels of which the second shows functions of the first."""
    sketch = draw(sketches())
    role = draw(st.sampled_from(["", "latent", "residual", "irrelevant"]))
    names = [name for name in (*sketch.drawn, *sketch.merges, *sketch.rules, *sketch.measured) if name != "asked"]
    if role in ("latent", "residual"):
        names.remove("v0")

    def some(of):
        return draw(st.lists(st.sampled_from(of), unique=True)) if of else []

    def text(levels):
        return file_of(sketch, levels).replace("  v0:\n", f"  v0:\n    role: {role}\n" if role else "  v0:\n")

    try:
        network = pbn.loads(text({"one": []})).network
    except pbn.PbnError:  # a rule that yields more than its sketch knows
        assume(False)
    fine = some(names)
    return text({"one": fine, "two": some([name for name in functions_of(network, fine) if name in names])})


@given(text=files())
@settings(deadline=None, max_examples=60)
def test_there_and_back(tmp_path_factory, text):
    try:
        world = pbn.loads(text)
    except pbn.SpecError as error:
        if error.code != "spec/level-not-nested":  # a rule told backwards: the file's levels know only forwards
            raise
        assume(False)
    folder = tmp_path_factory.mktemp("there")
    write_world(world, folder / "there.json")
    levels = {level.name: level.visible for level in world.levels.values()}
    there = pbn.load(folder / "there.json", question="asked", levels=levels)
    write_world(there, folder / "back.yaml")
    write_world(pbn.load(folder / "there.json", question="asked"), folder / "full.yaml")
    back = pbn.load(folder / "back.yaml")
    assert {name: set(level.visible) for name, level in back.levels.items()} == {
        name: set(visible) for name, visible in levels.items()
    }
    for level in levels:
        expected = world.bayes_error(level).exact
        assert there.bayes_error(level).exact == expected
        assert back.bayes_error(level).exact == expected
    seen = {name for name, variable in world.network.variables.items() if variable.role not in ("latent", "residual")}
    assert set(pbn.load(folder / "full.yaml").levels["full"].visible) == seen & set(world.network.named) - {"asked"}
    for other in (there, back):
        assert other.posterior().exact == world.posterior().exact
