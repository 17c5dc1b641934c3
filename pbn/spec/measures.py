"""Measurements on a grid, and bounded counts."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pbn.spec.constants import Constants
from pbn.spec.model import Count, Measurement
from pbn.spec.nodes import Mapping, Scalar
from pbn.spec.numerals import decimal
from pbn.spec.report import Report, shorten

MAX_POINTS = 100_000


def read_measurement(body: Mapping, of: str, size: int, constants: Constants, report: Report) -> Measurement | None:
    """A number on the grid from, from + step, …, to, cut into as many intervals as ``of`` has states."""
    before = len(report)
    limits = {key: _number(body, key, constants, report) for key in ("from", "to", "step")}
    cuts = [constants.number(cut, report) for cut in body.scalars("cuts")]
    start, stop, step = limits["from"], limits["to"], limits["step"]
    known = tuple(cut for cut in cuts if cut is not None)
    if start is None or stop is None or step is None or len(known) < len(cuts):
        return None
    if _check_grid(body, start, stop, step, report):
        _check_cuts(body, known, (start, stop, step), of, size, report)
    unit = body.scalar("unit")
    if len(report) > before:
        return None
    return Measurement(of=of, unit=unit.text if unit else "", start=start, stop=stop, step=step, cuts=known)


def _number(body: Mapping, key: str, constants: Constants, report: Report) -> Fraction | None:
    scalar = body.scalar(key)
    return constants.number(scalar, report) if scalar else None


def _check_grid(body: Mapping, start: Fraction, stop: Fraction, step: Fraction, report: Report) -> bool:
    before = len(report)
    if start >= stop:
        report.add(
            "spec/grid",
            f"'from' is {decimal(start)} and 'to' is {decimal(stop)}",
            body.key("to").place,
            allowed="from less than to",
        )
    elif step <= 0:
        report.add("spec/grid", f"the step is {decimal(step)}", body.key("step").place, allowed="more than 0")
    elif ((stop - start) / step).denominator != 1:
        report.add(
            "spec/grid",
            f"{decimal(stop - start)} is no multiple of the step {decimal(step)}",
            body.key("step").place,
            allowed="to − from = a whole number of steps",
        )
    elif (stop - start) / step >= MAX_POINTS:
        report.add(
            "spec/grid", "the grid has too many numbers", body.key("step").place, allowed=f"at most {MAX_POINTS:,}"
        )
    return len(report) == before


def _check_cuts(
    body: Mapping,
    cuts: tuple[Fraction, ...],
    grid: tuple[Fraction, Fraction, Fraction],
    of: str,
    size: int,
    report: Report,
) -> None:
    start, stop, step = grid
    if len(cuts) != size - 1:
        report.add(
            "spec/cuts",
            f"there are {len(cuts)} cuts for the {size} states of {of}",
            body.key("cuts").place,
            allowed=f"{size - 1}",
        )
        return
    least = start
    for cut, scalar in zip(cuts, body.scalars("cuts"), strict=True):
        reason = None
        if not start < cut <= stop:
            reason = f"more than {decimal(start)}, at most {decimal(stop)}"
        elif ((cut - start) / step).denominator != 1:
            reason = f"a number of the grid: {decimal(start)} plus a multiple of {decimal(step)}"
        elif cut <= least:
            reason = "cuts in ascending order"
        if reason:
            report.add("spec/cuts", f"{shorten(scalar.text)} cannot be a cut", scalar.place, allowed=reason)
            return
        least = cut


def read_count(body: Mapping, constants: Constants, report: Report) -> Count | None:
    """A bounded count law: negative binomial or lognormal, with a given median."""
    count = body.mapping("count")
    assert count is not None
    named = [family for family in ("negative_binomial", "lognormal") if family in count]
    if len(named) != 1:
        place = count.key(named[1]).place if named else body.key("count").place
        report.add(
            "spec/one-source",
            f"the count has {'two laws' if named else 'no law'}",
            place,
            allowed="one of negative_binomial, lognormal",
        )
        return None
    family: Literal["negative_binomial", "lognormal"] = "lognormal" if named == ["lognormal"] else "negative_binomial"
    law = count.mapping(family)
    assert law is not None
    shape_key = "scale" if family == "lognormal" else "dispersion"
    median, shape = _whole(law, "median", constants, report), _number(law, shape_key, constants, report)
    start, stop = _whole(count, "from", constants, report), _whole(count, "to", constants, report)
    zero = _number(count, "zero", constants, report) if "zero" in count else Fraction(0)
    if median is None or shape is None or start is None or stop is None or zero is None:
        return None
    result = Count(family=family, median=median, shape=shape, start=start, stop=stop, zero=zero)
    return result if _check_count(result, count, law, shape_key, report) else None


def _whole(body: Mapping, key: str, constants: Constants, report: Report) -> int | None:
    number = _number(body, key, constants, report)
    if number is None:
        return None
    if number.denominator == 1 and 0 <= number <= 10**9:
        return int(number)
    report.add(
        "spec/count", f"{key!r} is {decimal(number)}", _value(body, key).place, allowed="a whole number, at least 0"
    )
    return None


def _value(body: Mapping, key: str) -> Scalar:
    scalar = body.scalar(key)
    assert scalar is not None
    return scalar


def _check_count(count: Count, body: Mapping, law: Mapping, shape_key: str, report: Report) -> bool:
    reason: tuple[Scalar, str] | None = None
    if count.shape <= 0 or count.shape > 10**6:
        reason = _value(law, shape_key), "more than 0, at most 1,000,000"
    elif count.start >= count.stop or count.stop - count.start >= MAX_POINTS:
        reason = _value(body, "to"), f"more than 'from', by less than {MAX_POINTS:,}"
    elif not count.start <= count.median <= count.stop:
        reason = _value(law, "median"), f"from {count.start} to {count.stop}"
    elif "zero" in body and count.start > 0:
        reason = _value(body, "zero"), "extra mass at 0 only where 'from' is 0"
    elif "zero" in body and not 0 < count.zero < Fraction(1, 2):
        reason = _value(body, "zero"), "more than 0, less than 1/2"
    if reason:
        scalar, allowed = reason
        report.add("spec/count", f"the count cannot have {shorten(scalar.text)} here", scalar.place, allowed=allowed)
    return reason is None
