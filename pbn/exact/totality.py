"""Rules must have a value in every state of positive probability; elsewhere they may fail."""

from __future__ import annotations

from pbn.errors import Fault, NetworkError
from pbn.exact.engine import Engine
from pbn.network.graph import ancestors


def check_rules_total(engine: Engine) -> None:
    """Prove that no rule fails where it can be reached, by Boolean elimination.

    Raises
    ------
    NetworkError
        Some rule divides by zero (or has no value otherwise) in a state of positive probability; the
        error names one such state.
    """
    faults = [_fault(engine, name) for name in engine.network.undefined if engine.is_possible({name: 1})]
    if faults:
        raise NetworkError(*faults)


def _fault(engine: Engine, undefined: str) -> Fault:
    network = engine.network
    variable = undefined.removesuffix(".undefined")
    witness = {undefined: 1}
    inputs = [name for name in network.named if name in ancestors(network, [undefined])]
    for name in inputs:
        witness[name] = next(code for code in range(network.size(name)) if engine.is_possible({**witness, name: code}))
    found = ", ".join(f"{name}={network.variables[name].states[witness[name]]}" for name in inputs)
    return Fault(
        code="rule/undefined",
        message=f"the rule of {variable} has no value in a state of positive probability (a division by zero?)",
        found=found,
        hint="guard it: a / b if b != 0 else 0",
    )
