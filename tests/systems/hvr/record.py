"""A run with the events of hvr."""

from __future__ import annotations

from pddl2nl.policies.events import Acted, Finished, GoalReached, Replied, RunEvent
from pddl2nl.systems.hvr.events import (
    BlockExpanded,
    Discrepancy,
    MacroPlanned,
    MacroProved,
    MacrosConditioned,
    MacrosVerified,
    PlanExpanded,
    Retrieved,
)
from tests.records import HOSTILE, TOWER, prompted, tiny_start


def recorded() -> list[RunEvent]:
    """A hierarchical run: conditions and a block are corrected, the world surprises, a macro is refuted; solved."""
    take = {"precondition": "(clear a)", "effect": "(holding a)", "problem": ""}
    put = {"precondition": "(holding a)", "effect": "(on a b)", "problem": ""}
    read = {"precondition": "", "effect": "", "problem": f"no condition {HOSTILE}"}
    plan, unmet = ("(pick-up a)", "(stack a b)"), ("(holding a)",)
    return [
        tiny_start("hvr", reference=TOWER, options={"faults": "fail (stack a b) at 2"}),
        prompted(1, "Which objects?"),
        Replied(1, "a\nb", prompt_tokens=10, completion_tokens=2),
        Retrieved("macro-plan", ("a", HOSTILE), ("a", "b"), ("table",)),
        prompted(2, "Plan."),
        Replied(2, f"1. Take a\n2. Put a on b {HOSTILE}", prompt_tokens=10, completion_tokens=2),
        MacroPlanned(1, ("Take a", f"Put a on b {HOSTILE}")),
        prompted(3, "Conditions."),
        Replied(3, "…", prompt_tokens=10, completion_tokens=2),
        MacrosConditioned(1, 0, (take, read)),
        MacrosVerified(1, 0, 1, 2, unmet, f"a is not held {HOSTILE}"),
        prompted(4, "Correct the conditions."),
        Replied(4, "…", prompt_tokens=10, completion_tokens=2),
        MacrosConditioned(1, 1, (take, put)),
        MacrosVerified(1, 1, 2, 2),
        Retrieved("block", whole=True),
        BlockExpanded(1, 1, 0, ("(pick-up a)",), (), 1, True),
        MacroProved(1, 1, False, "weaker", "(:action take-a)", f"where b lies on a it cannot be taken {HOSTILE}"),
        BlockExpanded(
            1, 2, 0, ("(put-down a)", "(stack a b)"), (0,), 1, False, unmet, f"a is not held {HOSTILE}", ("?",)
        ),
        prompted(5, "Correct the block."),
        Replied(5, "stack a on b", prompt_tokens=10, completion_tokens=2),
        BlockExpanded(1, 2, 1, ("(stack a b)",), (), 1, True),
        PlanExpanded(1, plan, (1, 2), 2, True),
        Acted(1, "(pick-up a)", added=("(holding a)",), deleted=("(handempty)", "(clear a)", "(ontable a)")),
        Acted(2, "(stack a b)"),
        Discrepancy(2, "(stack a b)", ("(on a b)",), ("(holding a)",), "(on a b)", f"a is not on b {HOSTILE}"),
        prompted(6, "Plan anew."),
        Replied(6, "1. Put a on b", prompt_tokens=10, completion_tokens=2),
        MacroPlanned(2, ("Put a on b",)),
        MacrosConditioned(2, 0, (put,)),
        MacrosVerified(2, 0, 1, 1),
        BlockExpanded(2, 1, 0, ("(stack a b)",), (), 1, True),
        PlanExpanded(2, ("(stack a b)",), (1,), 1, True),
        Acted(3, "(stack a b)", added=("(on a b)", "(handempty)", "(clear a)"), deleted=("(holding a)", "(clear b)")),
        GoalReached(3),
        Finished(
            "solved",
            plan=(*plan, "(stack a b)"),
            proposed=(*plan, "(stack a b)"),
            steps=3,
            calls=6,
            prompt_tokens=60,
            completion_tokens=12,
            seconds=2.5,
        ),
    ]
