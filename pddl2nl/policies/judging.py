"""Judging a plan that is given at once: line by line, by the simulator alone.

The first broken link decides, in the order of the plan: a line that cannot be read (``unreadable``, whatever the
kind), an action that is not applicable (``inapplicable``), and at the end the goal (``goal-missed``): it must hold
there, not on the way. A reply without any plan is ``unreadable``, a refusal ``gave-up``, and so is one that says that
there is no plan; one that was cut off by length and does not reach the goal is ``budget``, because its end was never
seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pddl2nl.llm import Finish
from pddl2nl.nl import Reading
from pddl2nl.policies import events
from pddl2nl.policies.event_making import read_event
from pddl2nl.policies.policy import Setting
from pddl2nl.policies.understanding import Understanding
from pddl2nl.policies.walk import Walk

__all__ = ["Judge", "Verdict", "counting"]


@dataclass(frozen=True)
class Verdict:
    """What came of one plan.

    ``outcome``, ``message`` and ``fault`` are the run's where this plan counts; ``walk`` is how far it was executed,
    ``lines`` what was read of it, ``sample`` and ``round`` which of the run's plans it is.
    """

    outcome: events.Outcome
    message: str
    fault: events.Fault | None
    walk: Walk
    lines: tuple[Reading, ...]
    sample: int = 0
    round: int = 0

    @property
    def valid(self) -> bool:
        """Whether the plan solves the task."""
        return self.outcome == "solved"

    def event(self, number: int) -> events.Judged:
        """The verdict as it stands in a record."""
        walk = self.walk
        return events.Judged(
            number,
            self.sample,
            self.round,
            self.outcome,
            None if self.valid else self.fault,
            tuple(map(str, walk.plan)),
            tuple(map(str, walk.proposed)),
            walk.steps,
            walk.mistakes,
            dict(sorted(walk.turns.items())),
            self.message,
        )


def counting(verdicts: Sequence[Verdict]) -> int:
    """The index of the plan that counts: the first valid one, else of the last round the first sample."""
    for index, verdict in enumerate(verdicts):
        if verdict.valid:
            return index
    last = verdicts[-1].round
    return next(index for index, verdict in enumerate(verdicts) if verdict.round == last)


class Judge:
    """Judges the plans of one episode.

    Args:
        setting: the task and its telling.
        understanding: reads the replies.
        emit: is given the events.
    """

    def __init__(self, setting: Setting, understanding: Understanding, emit: Callable[[events.Event], None]):
        self._setting = setting
        self._understanding = understanding
        self._emit = emit

    def judge(self, text: str, walk: Walk, finish: Finish = "text", *, sample: int = 0, round: int = 0) -> Verdict:
        """The verdict on the plan in a reply.

        Args:
            text: the reply, without a last line that was cut off.
            walk: a new one, which is gone as far as the plan can be executed.
            finish: how the reply ended.
            sample, round: which of the run's plans it is.
        """
        plan = self._understanding.plan(text)
        if finish == "text" and (said := self._understanding.no_plan(text, plan)) is not None:
            walk.turns["claimed-unsolvable"] += 1
            fault = events.Fault(0, "claimed-unsolvable", said)
            return Verdict("gave-up", "the model says that there is no plan", fault, walk, (), sample, round)
        lines: list[Reading] = []
        for reading in self._understanding.lines(plan, walk.state):
            lines.append(reading)
            self._emit(read_event(len(lines), reading))
            if reading.action is not None:
                walk.proposed.append(reading.action)
        if not lines and not plan.ended:
            return Verdict(*_nothing(text, walk, finish), walk, (), sample, round)
        outcome, message = self._execute(lines, walk)
        # Lines behind the first broken link were not executed; those that cannot be read are mistakes all the same.
        walk.turns.update(reading.status for reading in lines[walk.steps :] if reading.status != "read")
        if finish == "length" and outcome != "solved":
            walk.fault = events.Fault(walk.steps, "length", "the reply was cut off by length")
            outcome, message = "budget", f"the reply was cut off by length; what there is of the plan: {message}"
        return Verdict(outcome, message, walk.fault, walk, tuple(lines), sample, round)

    def _execute(self, lines: Sequence[Reading], walk: Walk) -> tuple[events.Outcome, str]:
        for reading in lines:
            walk.steps += 1
            said = reading.text.strip()
            if reading.status != "read" or reading.action is None:
                walk.turns[reading.status] += 1
                walk.reject(reading.status, said, "")
                return "unreadable", f"line {walk.steps} of the plan is {reading.status}: {said}"
            status, observation = walk.execute(reading.action, said)
            walk.turns[status] += 1
            if status != "executed":
                return walk.verdict(status, observation)
        return walk.verdict("executed", "")


def _nothing(text: str, walk: Walk, finish: Finish) -> tuple[events.Outcome, str, events.Fault]:
    """The verdict on a reply without a plan."""
    if finish == "refused":
        return "gave-up", "the model refused", events.Fault(0, "refused", text.strip())
    if finish == "length":
        reason = "the reply was cut off by length before any plan"
        return "budget", reason, events.Fault(0, "length", reason)
    walk.turns["unreadable"] += 1
    return (
        "unreadable",
        "the reply holds no plan",
        events.Fault(0, "unreadable" if text.strip() else "empty", text.strip()),
    )
