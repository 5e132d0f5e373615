"""What an executed action changed, as its event says it; a report computes it again."""

from __future__ import annotations

from collections.abc import Iterable

from pddl2nl.pddl import GroundAtom
from pddl2nl.pddl.tree import number_text
from pddlval import Simulator, State, StepResult
from pddlval.simulator import CLOCK


def changes_of(simulator: Simulator, step: StepResult, before: State, after: State) -> tuple[tuple[str, ...], ...]:
    """What an executed action added, deleted and gave another value, as `Acted` has it: ``(= (fuel t) 3)``.

    ``after`` differs from the step's successor in a world with faults.
    """
    added: Iterable[GroundAtom] = step.added
    deleted: Iterable[GroundAtom] = step.deleted
    if after.level(CLOCK) is None and after == step.successor:
        fluents = [change.fluent for change in simulator.ground(step.action).outcome(before).updates]
    else:
        change = after.changes_since(before)
        fluents = sorted(change.fluents)
        if after.level(CLOCK) is None:
            added, deleted = sorted(change.added), sorted(change.deleted)
    return tuple(map(str, added)), tuple(map(str, deleted)), _differing(fluents, before, after)


def _differing(fluents: Iterable[GroundAtom], before: State, after: State) -> tuple[str, ...]:
    new = {fluent: after.value(fluent) for fluent in fluents}
    return tuple(
        f"(= {fluent} {number_text(value)})"
        for fluent, value in new.items()
        if value is not None and value != before.value(fluent)
    )
