"""What was executed in an episode, what was not and why, and what a policy is told of it.

What is told where something was executed comes from `pddl2nl.nl.Teller`. The run's ``feedback`` says how much is told:

============  ==================================================================================================
reason        why it was not executed, as in the AutoPlanBench paper (section 4, "Simulator")
applicable    the reason, and on the lines below it the actions that are applicable, at most `SHOWN` of them
minimal       that it was not executed, and nothing else; of a claim to be done, that the goal is not reached
============  ==================================================================================================

Only the answer to "look around" contains an empty line: a message of three paragraphs states a problem
(`pddl2nl.policies.prompting`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from pddl2nl.nl import Reading, Teller
from pddl2nl.nl.telling.explain import explain
from pddl2nl.nl.telling.tools import RULE
from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.pddl import Atom, Condition, Task, write_condition
from pddl2nl.pddl.tree import number_text
from pddl2nl.policies.changes import changes_of
from pddl2nl.policies.events import MISTAKES, Acted, Fault, GoalReached, Outcome, Rejected, RunEvent, TakenBack
from pddl2nl.policies.setting import Setting
from pddlval import BadActionError, GroundAction, Plan, State, StepResult, validate
from pddlval.plans import PlanStep, why_bad
from pddlval.simulator import CLOCK

SHOWN = 20
"""The most applicable actions that are told, in the simulator's order (schemas as in the file)."""

_COUNTED = 10_000
"""The most applicable actions that are counted; beyond it the answer says "many"."""


_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"
_TIME = re.compile(rf"\W*(?:at\s+(?:time\s+)?)?{_NUMBER}\s*[:,]\s", re.IGNORECASE)
_DURATION = re.compile(rf"(?:,\s*for\s+{_NUMBER}|\[\s*{_NUMBER}\s*\])\W*$", re.IGNORECASE)


# ── what was executed ────────────────────────────────────────────────────────────────────────────


class Trace:
    """What was executed and refused from the initial state on: of an interactive episode, or of one judged plan.

    Attributes:
        state: the present state, as it is observed.
        expected: the state to which the last action leads by the model; differs only where an executor has faults.
        steps: turns, or judged lines of a plan; ``turns`` counts them by kind.
        plan: the executed actions; ``proposed`` those that were read, of a plan that was given at once.
        fault: the first broken link.
        cost: the metric's value of a plan with time, which its last state does not tell.
    """

    def __init__(self, setting: Setting, emit: Callable[[RunEvent], None]):
        self.state = self.expected = setting.simulator.initial
        self.steps = 0
        self.turns: Counter[str] = Counter()
        self.plan: list[GroundAction] = []
        self.proposed: list[GroundAction] = []
        self.fault: Fault | None = None
        self.cost: Fraction | None = None
        self._setting = setting
        self._simulator = setting.simulator
        self._emit = emit

    @property
    def at_goal(self) -> bool:
        return self._simulator.is_goal(self.state)

    def summary(self) -> dict[str, Any]:
        """What `Judged` and `Finished` hold of it."""
        return {
            "plan": tuple(map(str, self.plan)),
            "proposed": tuple(map(str, self.proposed)),
            "steps": self.steps,
            "mistakes": sum(self.turns[status] for status in MISTAKES),
            "turns": dict(sorted(self.turns.items())),
        }

    def execute(self, action: GroundAction, said: str) -> tuple[str, str]:
        """Executes an action if it is applicable; returns the kind of turn and the observation."""
        setting, before = self._setting, self.state
        try:
            result = self._simulator.step(before, action)
        except BadActionError as error:
            return self.reject("unreadable", said, bad_action(error, setting, before), action)
        if result.successor is None:
            unmet = tuple(map(write_condition, result.unmet))
            return self.reject("inapplicable", said, refused(result, setting, before), action, unmet)
        teller, executor = setting.teller, setting.executor
        self.expected = result.successor
        self.state = result.successor if executor is None else executor.execute(before, action)
        if executor is not None and executor.reported:
            self.expected = before
            told = f"{teller.refused(StepResult(action, None), before).rstrip('.')}: {executor.reported}."
            return self.reject("world-error", said, unexpected(told, before, self.state, teller), action)
        observation, time = teller.executed(action), self.state.level(CLOCK)
        if time is not None:
            observation += f" It is {number_text(Fraction(time))} now."
        elif self.state != self.expected:
            observation = unexpected(observation, self.expected, self.state, teller)
        self.plan.append(action)
        texts = str(action), teller.action(action), observation
        self._emit(Acted(self.steps, *texts, *changes_of(self._simulator, result, before, self.state)))
        return "executed", observation

    def reject(
        self, status: str, said: str, observation: str, action: GroundAction | None = None, unmet: tuple[str, ...] = ()
    ) -> tuple[str, str]:
        """Records that nothing was executed, and why; returns the kind of turn and the observation."""
        name = None if action is None else str(action)
        self._emit(Rejected(self.steps, status, said, name, unmet, observation))
        self.fault = self.fault or Fault(self.steps, status, said)
        return status, observation

    def take_back(self, actions: int) -> None:
        """Takes back the last executed actions."""
        assert self._setting.executor is None, "a world with faults cannot be set back"
        self.plan = self.plan[: len(self.plan) - actions]
        followed = self._simulator.follow(self._simulator.initial, self.plan)
        self.state = self.expected = followed.state
        self._emit(TakenBack(self.steps, actions))

    def in_time(self, plan: Plan) -> tuple[Outcome, str]:
        """Judges a plan with time as a whole; what its steps are told to do is recorded up to the one that fails."""
        teller = self._setting.teller
        report = validate(teller.task, plan)
        because = " ".join(explain(report, teller))
        for number, step in enumerate(plan.steps, start=1):
            self.steps += 1
            told = teller.timed(step)
            if number == report.failed_step or report.verdict == "bad-plan":
                self.turns["inapplicable"] += 1
                unmet = tuple(map(write_condition, report.unmet))
                return self.end(*self.reject("inapplicable", told, because, step.action, unmet))
            self.turns["executed"] += 1
            self.plan.append(step.action)
            self._emit(Acted(self.steps, str(step.action), told, told))
        self.cost = None if report.cost is None else Fraction(report.cost)
        if report.verdict == "inapplicable":
            # A constraint that the initial state breaks.
            return self.end(*self.reject("inapplicable", "", because))
        return self._ended(report.unmet_goals, report.state)

    def end(self, status: str, observation: str) -> tuple[Outcome, str]:
        """The outcome and a message, given the status and observation of the plan's last action."""
        if status != "executed":
            return ("inapplicable" if status in ("inapplicable", "world-error") else "unreadable"), observation
        return self._ended(self._simulator.unmet_goals(self.state), self.state)

    def _ended(self, unmet: Sequence[Condition], state: State | None) -> tuple[Outcome, str]:
        if not unmet:
            self._emit(GoalReached(self.steps))
            return "solved", "the goal holds at the end of the plan"
        told = self._setting.teller.unmet_goal(unmet, state)
        self.fault = self.fault or Fault(self.steps, "goal-missed", told)
        return "goal-missed", f"the goal does not hold at the end of the plan: {told}"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one plan of a one-shot policy: outcome, message and fault are those of the run where it counts.

    ``lines`` were read of it, ``cut`` off by length or not; ``round`` is the number of corrections before it.
    """

    outcome: Outcome
    message: str
    fault: Fault | None
    trace: Trace
    lines: tuple[Reading, ...] = ()
    cut: bool = False
    round: int = 0

    @property
    def valid(self) -> bool:
        return self.outcome == "solved"


# ── what is told where nothing was executed ────────────────────────────────────────────────────────


def refused(result: StepResult, setting: Setting, state: State) -> str:
    """The answer to an action that is not applicable."""
    if setting.feedback == "minimal":
        # A result without the unmet conditions is told without a reason.
        return setting.teller.refused(StepResult(result.action, None), state)
    return _with_applicable(setting.teller.refused(result, state), setting, state)


def not_read(status: str, reading: Reading, setting: Setting, state: State) -> str:
    """The answer to a turn that was not understood: ``ambiguous``, ``unknown-object`` or ``unreadable``."""
    if setting.feedback == "minimal":
        return "Nothing was done."
    if reading.rule == RULE and status == "unreadable" and not reading.candidates:
        end = "" if reading.reason.endswith("?") else "."
        return _with_applicable(f"Nothing was done, because {reading.reason}{end}", setting, state)
    if reading.candidates and status == "unreadable":
        return _with_applicable(_told_bad_action(reading.candidates[0], setting.teller), setting, state)
    end = " Say one action in the form asked for." if status not in ("ambiguous", "unknown-object") else ""
    told = f"Nothing was done, because {why_not_read(status, reading, setting.teller)}{end}"
    return _with_applicable(told, setting, state)


def why_not_read(status: str, reading: Reading, teller: Teller) -> str:
    """Why words were not understood: the part of the sentence after "because"."""
    if status == "ambiguous":
        return f"this can mean more than one action: {'; '.join(map(teller.action, reading.candidates))}."
    if status == "unknown-object":
        unknown = " and ".join(f'"{name}"' for name in reading.unknown)
        near = f" Did you mean {enumerate_words(reading.suggestions, 'or')}?" if reading.suggestions else ""
        return f"there is no object called {unknown or 'so'}.{near}"
    if reading.candidates:
        return _why_bad(reading.candidates[0], teller)
    return f"no action could be read in this{f' ({reading.reason})' if reading.reason else ''}."


def bad_action(error: BadActionError, setting: Setting, state: State) -> str:
    """The answer to something that looks like an action, but is not one of this task."""
    if setting.feedback == "minimal":
        return "Nothing was done."
    return _with_applicable(_told_bad_action(error.action, setting.teller), setting, state)


def _told_bad_action(action: GroundAction, teller: Teller) -> str:
    if teller.mistyped(action):
        return teller.forbidden(action)
    start = f"The action {action} is not possible" if teller.style == "pddl" else "Nothing was done"
    return f"{start}, because {_why_bad(action, teller)}"


def _why_bad(action: GroundAction, teller: Teller) -> str:
    """Why the task cannot have an action in any state."""
    error = why_bad(teller.task, teller.task.domain.step(action.name), action)
    if error is None:
        return "it cannot be carried out."
    hint = f" Did you mean '{error.suggestion}'?" if error.suggestion else ""
    return f"{teller.mistyped(action) or error.reason}.{hint}"


def not_reached(unmet: Sequence[Condition], setting: Setting, state: State) -> str:
    """The answer to a claim to be done while the goal does not hold."""
    if setting.feedback == "minimal":
        return "The goal is not reached." if setting.style == "pddl" else "My goal is not reached yet."
    return setting.teller.unmet_goal(unmet, state)


def unexpected(told: str, expected: State, observed: State, teller: Teller) -> str:
    """The observation after an action whose effect differs from the model's."""
    wording, change = teller.wording.predicates, observed.changes_since(expected)
    missing, surplus = (
        [atom for atom in sorted(atoms) if atom[0] not in wording or wording[atom[0]].text is not None]
        for atoms in (change.deleted, change.added)
    )
    facts = [*(teller.reasons([Atom(atom[0], atom[1:])]) for atom in missing), *map(teller.fact, surplus)]
    return f"{told} But {enumerate_words(facts)}." if facts else told


def _with_applicable(told: str, setting: Setting, state: State) -> str:
    return f"{told}\n{applicable_told(setting, state)}" if setting.feedback == "applicable" else told


def applicable_told(setting: Setting, state: State) -> str:
    """The actions that are applicable in a state, one a line."""
    actions = list(islice(setting.simulator.applicable(state), _COUNTED + 1))
    pddl = setting.style == "pddl"
    if not actions:
        return "No action is applicable." if pddl else "There is no action that I can take now."
    head = "The applicable actions are:" if pddl else "These are the actions that I can take now:"
    lines = [head, *map(setting.teller.action, actions[:SHOWN])]
    if (left := len(actions) - SHOWN) > 0:
        lines.append(f"and {'many' if len(actions) > _COUNTED else left} more")
    return "\n".join(lines)


# ── plans with time ─────────────────────────────────────────────────────────────────────────────────


def timed_plan(text: str, lines: Sequence[Reading], task: Task) -> Plan:
    """The plan of a reply whose lines were all read.

    Its times and durations count if every line has a time and every line with a durative action a duration, as
    ``at 0.5, drive truck_0 to hub_1, for 5`` or ``0.5: (drive t0 h1) [5]``. Otherwise the lines are a sequence, which
    is scheduled (`pddlval.temporal.sequences.schedule`): a number alone may be that of a list.
    """
    # Imported for tasks with time only.
    from pddlval.temporal.sequences import schedule

    actions = [reading.action for reading in lines if reading.action is not None]
    given = text.splitlines()
    durative = {node.name for node in task.domain.durative_actions}
    # A translation of the whole reply has no line of its own.
    said = [given[reading.line - 1] if reading.line else "" for reading in lines]
    steps = [_timed(action, line) for action, line in zip(actions, said, strict=True)]
    whole = all(
        step.time is not None and (step.duration is not None or step.action.name not in durative) for step in steps
    )
    in_order = sorted(steps, key=lambda step: step.time or Fraction(0))
    return Plan(tuple(in_order)) if steps and whole else schedule(task, actions)


def _timed(action: GroundAction, line: str) -> PlanStep:
    time, duration = _TIME.match(line), _DURATION.search(line)
    return PlanStep(
        action,
        None if time is None else Fraction(time[1]),
        None if duration is None else Fraction(duration[1] or duration[2]),
    )
