"""What a page says of how a run was made: settings, roles, accounts, versions, hashes, each under its name."""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.llm import PURPOSES
from pddl2nl.policies.events import Finished
from pddl2nl.reports.metrics import METRICS
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord

__all__ = ["facts_of"]


def facts_of(record: Record) -> dict[str, str]:
    """What was run and what it took, by name; empty values are left out."""
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
    """What a plan was measured against, and in which world it was carried out; empty where there is neither."""
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
    """What each role used, and what of it was paid in this run; older records have no accounts by role."""
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
