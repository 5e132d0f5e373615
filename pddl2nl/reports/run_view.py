"""A run as its page shows it: who planned what, how it ended and why, each step, and the validator's second opinion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pddl2nl.reports.facts import facts_of
from pddl2nl.reports.page_plan import PageRun
from pddl2nl.reports.reasons import explained, missing_goals
from pddl2nl.reports.recheck import Recheck, recheck
from pddl2nl.reports.records import Record, RunRecord, read_record
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.view import Reason, Step, Turn, turns_of

__all__ = ["OUTCOME_MEANINGS", "RunView", "counted", "gist", "view_of"]

OUTCOME_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "solved": "the goal was reached",
        "inapplicable": "an action of the plan could not be executed",
        "goal-missed": "all was executed, the goal does not hold",
        "unreadable": "no action could be read",
        "budget": "a limit of steps, calls, tokens, money or time ran out",
        "gave-up": "the policy stopped by itself",
        "unsolvable": "the planner proved that there is no plan",
        "timeout": "the planner's limit ran out",
        "out-of-memory": "the planner's memory ran out",
        "unsupported": "the planner does not take the task",
        "infrastructure-error": "a tool or an endpoint failed; never scored",
    }
)
"""What the outcomes of episodes and planners mean."""


def counted(number: int, noun: str, many: str = "") -> str:
    """``1 run``, ``2 runs``."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def gist(summary: RunSummary) -> str:
    """What a run came to, in a few words: the actions of its plan, mistakes and calls."""
    nouns = (("plan-length", "action"), ("mistakes", "mistake"), ("calls", "call"))
    values = ((summary.values.get(name), noun) for name, noun in nouns)
    return " · ".join(counted(int(value), noun) for value, noun in values if value)


@dataclass(frozen=True)
class RunView:
    """A run with all that its page shows; ``missing`` is what of the goal did not hold at its end."""

    place: PageRun
    record: Record
    turns: tuple[Turn, ...]
    missing: tuple[Reason, ...]
    recheck: Recheck
    facts: Mapping[str, str]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the plan that counts, or of the episode."""
        return tuple(step for turn in self.turns if turn.counts for step in turn.steps)

    @property
    def one_shot(self) -> bool:
        """Whether the plan was given at once, so that nobody was told what came of its steps."""
        return isinstance(self.record, RunRecord) and bool(self.record.finished.proposed)

    @property
    def first_mistake(self) -> str:
        """The anchor of the first step at which a link broke; empty where none did."""
        number = next((step.number for step in self.steps if step.mistake), None)
        return "" if number is None else f"{self.place.anchor}-step-{number}"

    @property
    def fault_anchor(self) -> str:
        """The anchor of the step that the fault names; empty where nothing came of that step."""
        fault = self.record.fault
        found = fault is not None and any(step.number == fault.step for step in self.steps)
        return f"{self.place.anchor}-step-{fault.step}" if fault is not None and found else ""

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many steps ended in each status, in the order in which they first occur."""
        found: dict[str, int] = {}
        for step in self.steps:
            found[step.status] = found.get(step.status, 0) + 1
        return found

    @property
    def message(self) -> str:
        """Why it ended, where neither the outcome nor the fault says the same."""
        message = self.record.finished.message if isinstance(self.record, RunRecord) else ""
        fault = "" if self.record.fault is None else self.record.fault.text
        told = (fault, OUTCOME_MEANINGS.get(self.record.outcome))
        return "" if message in told else message.rstrip(".")

    @property
    def again(self) -> str:
        """How to run it again from its record alone; empty for planners, whose records hold no replies."""
        return f"pddl2nl replay {self.record.path.name}" if isinstance(self.record, RunRecord) else ""

    @property
    def recheck_text(self) -> str:
        """What the validator says of the executed actions, now."""
        if self.recheck.verdict == "no-plan":
            return "There is no plan to judge again."
        told = {
            "valid": "a valid plan",
            "goal-not-satisfied": "applicable, the goal does not hold at the end",
            "inapplicable": "not applicable",
            "bad-plan": "no plan of this domain",
        }.get(self.recheck.verdict, f"not to be judged: {self.recheck.note}")
        agrees = "as the record says" if self.recheck.agrees else "which is NOT what the record says"
        judged = f"{counted(self.recheck.steps, 'action')}, {told}; {agrees}"
        faulty = isinstance(self.record, RunRecord) and self.record.started.world.get("faults")
        where = "the PDDL and the faults of its world" if faulty else "the PDDL alone"
        return f"Judged again for this page, from {where}: {judged}."


def view_of(place: PageRun) -> RunView:
    """Opens a run's record once more; raises as `read_record` does."""
    record = read_record(place.summary.path)
    turns = explained(record, turns_of(record))
    again = recheck(record)
    return RunView(place, record, turns, missing_goals(record, turns, again), again, facts_of(record))
