"""A run with the events of brainbody."""

from __future__ import annotations

from pddl2nl.policies.events import Acted, Finished, GoalReached, Rejected, Replied, RunEvent
from pddl2nl.systems.brainbody.events import BodyActed, BrainPlanned, DeadEndProved, ErrorSignal
from tests.records import HOSTILE, TOWER, prompted, tiny_start


def recorded() -> list[RunEvent]:
    """A planning and an acting model: a step is passed, one fails and is corrected; solved."""
    plan, unmet = ("Stack a on b", f"Admire it {HOSTILE}"), ("(holding a)",)
    new = ("Pick up a", *plan)
    return [
        tiny_start("brainbody", reference=TOWER),
        prompted(1, "Plan."),
        Replied(1, f"0: Stack a on b\n1: Admire it {HOSTILE}", prompt_tokens=10, completion_tokens=2),
        BrainPlanned(0, 0, plan),
        BodyActed(0, plan[0], f"<char0> [stack] <a> <b> {HOSTILE}", "action", "(stack a b)"),
        Rejected(1, "inapplicable", plan[0], "(stack a b)", unmet, "I do not hold a."),
        ErrorSignal(0, "(stack a b)", "reason", "inapplicable", f"I do not hold a. {HOSTILE}", unmet, 1),
        DeadEndProved(0, "(stack a b)"),
        prompted(2, "Correct the plan."),
        Replied(2, "Explanation: a must be held.\n0: Pick up a", prompt_tokens=10, completion_tokens=2),
        BrainPlanned(1, 0, new, f"a must be held {HOSTILE}", (f"-1: {HOSTILE}",)),
        BodyActed(0, new[0], "<char0> [pick] <a>", "action", "(pick-up a)"),
        Acted(2, "(pick-up a)", added=("(holding a)",), deleted=("(handempty)", "(clear a)", "(ontable a)")),
        BodyActed(1, new[1], "<char0> [stack] <a> <b>", "action", "(stack a b)"),
        Acted(3, "(stack a b)", added=("(on a b)", "(handempty)", "(clear a)"), deleted=("(holding a)", "(clear b)")),
        BodyActed(2, new[2], "<pass>", "pass"),
        GoalReached(3),
        Finished("solved", plan=("(pick-up a)", "(stack a b)"), steps=3, calls=2, seconds=1.0),
    ]
