"""A run as its page shows it: its settings, outcome and steps, and the validator's verdict on its plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pddl2nl.llm import PURPOSES
from pddl2nl.policies.events import Finished
from pddl2nl.reports.html.plan import PageRun
from pddl2nl.reports.html.reasons import explained, missing_goals
from pddl2nl.reports.html.steps import Reason, Step, Turn, turns_of
from pddl2nl.reports.metrics import METRICS
from pddl2nl.reports.recheck import Recheck, recheck
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord, read_record
from pddl2nl.reports.summaries import RunSummary

__all__ = ["OUTCOME_MEANINGS", "RunView", "counted", "facts_of", "gist", "view_of"]

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
    """The size of a run in a few words: actions of its plan, mistakes and calls."""
    nouns = (("plan-length", "action"), ("mistakes", "mistake"), ("calls", "call"))
    values = ((summary.values.get(name), noun) for name, noun in nouns)
    return " · ".join(counted(int(value), noun) for value, noun in values if value)


@dataclass(frozen=True)
class RunView:
    """A run with everything that its page shows; ``missing`` holds the goals that do not hold at its end."""

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
        """Whether the model gave the whole plan at once and got no observations."""
        return isinstance(self.record, RunRecord) and bool(self.record.finished.proposed)

    @property
    def first_mistake(self) -> str:
        """The anchor of the first failed step; empty if none failed."""
        number = next((step.number for step in self.steps if step.mistake), None)
        return "" if number is None else f"{self.place.anchor}-step-{number}"

    @property
    def fault_anchor(self) -> str:
        """The anchor of the step that the fault names; empty if the run has no such step."""
        fault = self.record.fault
        found = fault is not None and any(step.number == fault.step for step in self.steps)
        return f"{self.place.anchor}-step-{fault.step}" if fault is not None and found else ""

    @property
    def statuses(self) -> Mapping[str, int]:
        """The number of steps by status, in order of first occurrence."""
        found: dict[str, int] = {}
        for step in self.steps:
            found[step.status] = found.get(step.status, 0) + 1
        return found

    @property
    def message(self) -> str:
        """Why the run ended; empty if the outcome or the fault says the same."""
        message = self.record.finished.message if isinstance(self.record, RunRecord) else ""
        fault = "" if self.record.fault is None else self.record.fault.text
        told = (fault, OUTCOME_MEANINGS.get(self.record.outcome))
        return "" if message in told else message.rstrip(".")

    @property
    def again(self) -> str:
        """The command that replays the run from its record; empty for planners, whose records hold no replies."""
        return f"pddl2nl replay {self.record.path.name}" if isinstance(self.record, RunRecord) else ""

    @property
    def recheck_text(self) -> str:
        """The validator's verdict on the executed actions, computed for the page."""
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
    """Reads the record of a run; raises as `read_record` does."""
    record = read_record(place.summary.path)
    turns = explained(record, turns_of(record))
    again = recheck(record)
    return RunView(place, record, turns, missing_goals(record, turns, again), again, facts_of(record))


# ── how it was made ──────────────────────────────────────────────────────────────────────────────


def facts_of(record: Record) -> dict[str, str]:
    """The settings and costs of a run by name, without empty values."""
    if isinstance(record, PlannerRecord):
        facts = _planner_facts(record)
    else:
        facts = _run_facts(record) | _accounts(record.finished)
    facts |= {"seconds": f"{record.seconds:.2f}", "record": record.path.name}
    return {name: value for name, value in facts.items() if value}


def _planner_facts(record: PlannerRecord) -> dict[str, str]:
    return {
        "planner": record.planned.planner,
        "search": record.planned.search,
        "cost": _text(record.planned.cost),
        "states expanded": _text(record.planned.expanded),
        "message": record.planned.message,
    }


def _run_facts(record: RunRecord) -> dict[str, str]:
    started = record.started
    source = (started.wording or {}).get("source")
    told = {name: said for name, said in started.names.items() if name != said}
    return {
        "policy": started.policy,
        "model": record.column.model or "none was asked",
        "seed": str(started.seed),
        "style": started.style,
        "wording": _pairs(source) if isinstance(source, Mapping) else "",
        "object names": started.names_scheme,
        "objects are called": ", ".join(f"{name} is {said}" for name, said in told.items()),
        "translator": started.translator,
        "translator's model": _text(started.translator_model),
        "reading policy": f"{started.reading}, version {_text(started.reading_version) or 'unknown'}",
        "ambiguous readings": started.on_ambiguous,
        "wording's model": _text(started.wording_model),
        "thoughts' model": _text(started.thoughts_model),
        "example": _example(started.example),
        "profile": _text(started.profile),
        "beyond the paper": _pairs(started.beyond_paper),
        **_hierarchical_facts(record),
        "endpoint": _text(started.base_url),
        "settings of all requests": _pairs(started.settings),
        "set for the model": _pairs(started.model_settings),
        "limits": _pairs(started.limits),
        "has a plan": "" if record.solvable is None else "yes" if record.solvable else "no, as was proved",
        "versions": _pairs(started.versions),
        "prompt files, SHA-256": _pairs({name: digest[:12] for name, digest in started.prompts.items()}),
        "domain file SHA-256": started.domain_sha256,
        "problem file SHA-256": started.problem_sha256,
    }


def _hierarchical_facts(record: RunRecord) -> dict[str, str]:
    """The ground truth, the family's metrics, and the settings of the world; empty if the run has none of them."""
    started, facts = record.started, {}
    if (reference := record.reference) is not None:
        facts["task"] = f"{reference.task}: {reference.title}"
        facts["task in words"] = reference.text
        facts["ground truth"] = "; ".join(
            f"{way.name or 'a plan'}, {way.length} actions in {len(way.blocks)} blocks" for way in reference.ways
        )
        found = {metric.short: metric.of(record) for metric in METRICS.values() if metric.short}
        facts["measured against it"] = ", ".join(
            f"{name} {value:.2f} %" for name, value in found.items() if value is not None and not record.infrastructure
        )
    if record.family is not None and not record.infrastructure:
        facts[f"metrics of {record.family.title}"] = ", ".join(
            f"{metric.name.replace('-', ' ')} {value:.2f} %"
            for metric in record.family.metrics
            if not metric.short and (value := metric.of(record)) is not None
        )
    for name in ("faults", "embedding_model"):
        facts[f"world: {name.replace('_', ' ')}"] = _text(started.world.get(name))
    return facts


def _example(example: Mapping[str, object] | None) -> str:
    if example is None:
        return "none"
    said = f"{_text(example.get('source'))}, thoughts {_text(example.get('thoughts'))}"
    note = example.get("thoughts_note")
    return f"{said}: {note}" if note else said


def _accounts(finished: Finished) -> dict[str, str]:
    """What each role used, and what of it this run paid; a foreign record may have no accounts by role."""
    found = {}
    for role in PURPOSES:
        if (used := finished.used.get(role)) is not None:
            found[f"used by the {role}"] = _account(used)
        if (spent := finished.spent.get(role)) is not None:
            hits = spent.get("cache_hits") or 0
            found[f"paid for the {role}"] = f"{_account(spent)}{f', {hits} more from our cache' if hits else ''}"
    return found


def _account(account: Mapping[str, object]) -> str:
    usd = account.get("usd")
    price = f"{usd:.6g} USD" if isinstance(usd, int | float) else "price unknown"
    tokens = f"{account.get('prompt_tokens', 0)} + {account.get('completion_tokens', 0)} tokens"
    kinds = ", ".join(f"{n} {kind}" for kind in ("cached", "reasoning") if (n := account.get(f"{kind}_tokens")))
    tokens += f" ({kinds})" if kinds else ""
    calls = account.get("calls", 0)
    return f"{calls} {'call' if calls == 1 else 'calls'}, {tokens}, {price}"


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {_text(value)}" for name, value in values.items() if value is not None)


def _text(value: object) -> str:
    return "" if value is None else str(value)
