"""A small world with everything that a data set can hold, and data sets of it."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import traceback
from pathlib import Path

from pbn.cases.dataset import make_dataset
from pbn.cases.plan import DatasetPlan
from pbn.cases.records import Contents

KIOSK = """\
name: kiosk
title: "A kiosk, «très» small"
variables:
  season:  {states: [été, hiver], p: [.75, .25]}
  stock:   {states: [none, some, plenty], given: season, p: {été: [.5, .5, 0], hiver: [.4, .4, .2]}}
  badge:   {repeat: 3, states: [a, b, ç]}
  heat:    {measured: season, unit: "°C", from: 0, to: 2, step: 0.5, cuts: [1]}
  guests:  {count: {negative_binomial: {median: 3, dispersion: 2}, from: 0, to: 9}}
  luck:    {role: residual, states: [0, 1], p: [.7, .3]}
  sold:    {states: ['no', 'yes'], rule: "rank(stock) + rank(badge[1]) + luck >= 2"}
  mood:
    states: [dull, fair, bright]
    given: stock
    p: {none: [1/2, 1/3, 1/6], some: [.2, .6, .2], plenty: [0, 0, 1]}
questions:
  sold: {asks: sold, kind: yes/no, positive: 'yes', text: Was it sold?}
  mood: {asks: mood, kind: choice, text: How was the mood?}
levels:
  near: {hide: []}
  far:  {hide: [stock, badge]}
memo:
  paragraphs:
    - sentences:
        heat:   ["It was {heat} warm.", "The warmth was {heat}."]
        badge:  The badge says {badge}.
        stock:  There was {stock} left.
        guests: "{guests} guests came."
  phrases:
    stock: {none: nothing, some: a little, plenty: very much}
"""
LEVELS = ("near", "far")


def plan_for(
    source=KIOSK, *, seed=7, start=0, count=40, levels=LEVELS, memo=True, question=None, form="jsonl", part_rows=10
):
    """A plan with everything filled in."""
    contents = Contents(levels=tuple(levels), memo=memo, question=question)
    return DatasetPlan(
        source=source, seed=seed, start=start, stop=start + count, contents=contents, form=form, part_rows=part_rows
    )


def made(root, plan=None, **options):
    """A data set in a folder; returns the folder."""
    make_dataset(plan or plan_for(), Path(root), **options)
    return Path(root)


def digests(root):
    """Every file of a folder, hidden ones too, with the digest of its bytes."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path(root).rglob("*"))
        if path.is_file()
    }


def lines(path):
    """The objects of a file of JSON Lines, or of a folder of them."""
    paths = sorted(path.iterdir()) if path.is_dir() else [path]
    return [json.loads(line) for one in paths for line in one.read_text(encoding="utf-8").split("\n") if line]


def in_child(work):
    """Do something in a forked process that may kill itself; the signal that ended it, or None."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = 0
        try:
            work()
        except BaseException:
            traceback.print_exc()
            code = 1
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status)
    assert os.WEXITSTATUS(status) == 0
    return None


def kill_at(number):
    """From now on this process dies at the ``number``-th change that it makes to a disk, before or in it."""
    count = 0

    def dying(call, half=None):
        def changed(*arguments, **options):
            nonlocal count
            count += 1
            if count == number:
                if half is not None:
                    half(*arguments)
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return changed

    write = os.write
    os.write = dying(write, lambda handle, data: write(handle, bytes(data)[: len(data) // 2]))
    for name in ("open", "replace", "unlink", "mkdir", "fsync"):
        setattr(os, name, dying(getattr(os, name)))
