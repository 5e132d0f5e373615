"""A run as its page shows it: its settings, outcome and steps, and the validator's verdict on its plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pddl2nl.experiments.layout import Place
from pddl2nl.plugins import provided
from pddl2nl.policies.events import Started
from pddl2nl.policies.policy import option_text
from pddl2nl.policies.reporting import RunMetric
from pddl2nl.policies.spec import RUN_OPTIONS
from pddl2nl.reports.html.steps import Reason, ShownTurn, Step, explained, missing_goals, turns_of
from pddl2nl.reports.metrics import all_metrics, roles
from pddl2nl.reports.recheck import Recheck, recheck
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord, read_record
from pddl2nl.reports.summaries import RunSummary

OUTCOME_MEANINGS = {
    "solved": "the goal was reached",
    "inapplicable": "an action of the plan could not be executed",
    "goal-missed": "all was executed, the goal does not hold",
    "unreadable": "no action, or no answer, could be read",
    "right": "the answer is right",
    "wrong": "the answer is wrong",
    "undecided": "whether the answer is right was not decided in time",
    "budget": "a limit of steps, calls, tokens, money or time ran out",
    "context": "a prompt was longer than the model or --context allows",
    "gave-up": "the policy stopped by itself",
    "unsolvable": "the planner proved that there is no plan",
    "timeout": "the planner's limit ran out",
    "out-of-memory": "the planner's memory ran out",
    "unsupported": "the planner does not support the task",
    "infrastructure-error": "a tool or an endpoint failed; never scored",
}
"""The meanings of the outcomes of episodes, planners and questions."""


def counted(number: int, noun: str, many: str = "") -> str:
    """``1 run``, ``2 runs``."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


@dataclass(frozen=True)
class PageRun:
    """A run in its place: its unique ``anchor``, the names of its column and task, and its cells in the layout."""

    summary: RunSummary
    anchor: str
    column: str
    task: str
    places: tuple[Place, ...] = ()

    @property
    def tone(self) -> str:
        """``solved``, ``failed``, or ``broken`` by infrastructure: the colour."""
        if self.summary.infrastructure:
            return "broken"
        return "solved" if self.summary.solved else "failed"

    @property
    def gist(self) -> str:
        """The size of a run in a few words: actions of its plan, mistakes and calls."""
        nouns = (("plan-length", "action"), ("mistakes", "mistake"), ("calls", "call"))
        values = ((self.summary.values.get(name), noun) for name, noun in nouns)
        return " · ".join(counted(int(value), noun) for value, noun in values if value)


@dataclass(frozen=True)
class RunView:
    """A run with everything that its page shows; ``missing`` holds the goals that do not hold at its end."""

    place: PageRun
    record: Record
    turns: tuple[ShownTurn, ...]
    missing: tuple[Reason, ...]
    recheck: Recheck
    facts: Mapping[str, str]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the plan that counts, or of the episode."""
        return tuple(step for turn in self.turns if turn.counts for step in turn.steps)

    @property
    def statuses(self) -> Mapping[str, int]:
        """The number of steps by status, in order of first occurrence."""
        return Counter(step.status for step in self.steps)

    @property
    def message(self) -> str:
        """Why the run ended; empty if the outcome or the fault says the same."""
        message = "" if isinstance(self.record, PlannerRecord) else self.record.last.message
        fault = "" if self.record.fault is None else self.record.fault.text
        return "" if message in (fault, OUTCOME_MEANINGS.get(self.record.outcome)) else message.rstrip(".")

    @property
    def recheck_text(self) -> str:
        """The validator's verdict on the executed actions, computed for the page."""
        if self.recheck.verdict == "no-plan":
            return "There is no plan to judge again."
        verdict = {
            "valid": "a valid plan",
            "goal-not-satisfied": "applicable, the goal does not hold at the end",
            "inapplicable": "not applicable",
            "bad-plan": "no plan of this domain",
        }.get(self.recheck.verdict, f"not to be judged: {self.recheck.note}")
        agrees = "as the record says" if self.recheck.agrees else "which is NOT what the record says"
        faulty = isinstance(self.record, RunRecord) and self.record.faults
        where = "the PDDL and the faults of its world" if faulty else "the PDDL alone"
        actions = counted(self.recheck.steps, "action")
        return f"Judged again for this page, from {where}: {actions}, {verdict}; {agrees}."


def view_of(place: PageRun) -> RunView:
    """Reads the record of a run; raises as `read_record` does."""
    record = read_record(place.summary.path)
    turns = explained(record, turns_of(record))
    again = recheck(record)
    return RunView(place, record, turns, missing_goals(record, turns, again), again, facts_of(record))


# ── how it was made ──────────────────────────────────────────────────────────────────────────────


def facts_of(record: Record) -> dict[str, str]:
    """The settings and costs of a run by name, without empty values."""
    facts = dict(record.facts)
    if isinstance(record, RunRecord):
        facts |= {**_settings(record), **_truth_and_world(record), **_costs(record)}
    facts |= {"seconds": f"{record.last.seconds:.2f}", "record": record.path.name}
    return {name: str(value) for name, value in facts.items() if value not in (None, "")}


def _settings(record: RunRecord) -> dict[str, object]:
    started = record.started
    source = (started.wording or {}).get("source")
    renamed = {name: shown for name, shown in started.names.items() if name != shown}
    solvable = {None: "", True: "yes", False: "no, as was proved"}[record.solvable]
    return {
        "policy": started.policy,
        "options of the policy": _pairs(started.options),
        "model": record.model or "none was asked",
        "other models": _pairs({role: name for role, name in started.models.items() if role != "planner"}),
        "seed": started.seed,
        "style": started.style,
        "wording": _pairs(source) if isinstance(source, Mapping) else "",
        "objects are called": ", ".join(f"{name} is {shown}" for name, shown in renamed.items()),
        "options of the run": _pairs(_run_options(started)),
        "version of reading": started.reading_version,
        "example": _example(started.example),
        "profile": started.spec.get("profile"),
        "endpoint": started.base_url,
        "set for the model": _pairs(started.model_settings),
        "has a plan": solvable,
        "versions": _pairs(started.versions),
        "prompt files, SHA-256": _pairs({name: digest[:12] for name, digest in started.prompts.items()}),
    }


_SHOWN_ELSEWHERE = ("policy", "options", "model", "models", "wording", "style", "files", "example", "prompts", "seed")


def _run_options(started: Started) -> dict[str, object]:
    """The options of the run that are not the default."""
    options = {name: option for name, option in RUN_OPTIONS.items() if name not in _SHOWN_ELSEWHERE}
    return {
        name.replace("_", "-"): value
        for name, option in options.items()
        if (value := started.spec.get(name, option.default)) != option.default
    }


def _example(example: Mapping[str, object] | None) -> str:
    if example is None:
        return "none"
    origin = f"{example.get('source') or ''}, thoughts {example.get('thoughts') or ''}"
    return f"{origin}: {example['thoughts_note']}" if example.get("thoughts_note") else origin


def _truth_and_world(record: RunRecord) -> dict[str, object]:
    """The ground truth, and the metrics of the policy's system; empty if the run has none of them."""
    facts: dict[str, object] = {}
    if (reference := record.reference) is not None:
        facts["task"] = f"{reference.task}: {reference.title}"
        facts["task in words"] = reference.text
        facts["ground truth"] = "; ".join(
            f"{way.name or 'a plan'}, {way.length} actions in {len(way.blocks)} blocks" for way in reference.ways
        )
    if not record.infrastructure:
        if reference is not None:
            measured = [(each.short, each.of(record)) for each in all_metrics().values() if each.short]
            facts["measured against it"] = _percents(measured)
        if (system := record.system) is not None:
            brought = [each.name for of, metrics in provided("metrics", RunMetric) if of is system for each in metrics]
            own = [all_metrics()[name] for name in brought]
            shown = [(each.name.replace("-", " "), each.of(record)) for each in own if not each.short]
            facts[f"metrics of {system.title}"] = _percents(shown)
    return facts


def _percents(values: list[tuple[str, float | None]]) -> str:
    return ", ".join(f"{name} {value:.2f} %" for name, value in values if value is not None)


def _costs(record: RunRecord) -> dict[str, object]:
    """What each role used, and what of it this run paid; a foreign record may have no accounts by role."""
    found: dict[str, object] = {}
    for role in roles():
        if (used := record.finished.used.get(role)) is not None:
            found[f"used by the {role}"] = _account(used)
        if (spent := record.finished.spent.get(role)) is not None:
            hits = spent.get("cache_hits")
            found[f"paid for the {role}"] = _account(spent) + (f", {hits} more from our cache" if hits else "")
    return found


def _account(account: Mapping[str, object]) -> str:
    usd, calls = account.get("usd"), account.get("calls", 0)
    price = f"{usd:.6g} USD" if isinstance(usd, int | float) else "price unknown"
    kinds = ", ".join(f"{n} {kind}" for kind in ("cached", "reasoning") if (n := account.get(f"{kind}_tokens")))
    tokens = f"{account.get('prompt_tokens', 0)} + {account.get('completion_tokens', 0)} tokens"
    return f"{calls} {'call' if calls == 1 else 'calls'}, {tokens}{f' ({kinds})' if kinds else ''}, {price}"


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {option_text(value)}" for name, value in values.items() if value is not None)
