"""The report page: one self-contained file in which every run can be opened step by step.

Whatever comes from a model or a file is text: Jinja2 escapes all of it, and the page's own policy (a content
security policy with the hash of its one script) forbids every other script and every connection.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import MappingProxyType

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import PURPOSES
from pddl2nl.policies.events import Finished
from pddl2nl.reports.metrics import METRICS, aggregate
from pddl2nl.reports.recheck import Recheck, recheck
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord
from pddl2nl.reports.table import CoverageTable, coverage_table, record_order
from pddl2nl.reports.view import NOT_REACHED, Turn, turns_of

__all__ = ["render_report", "write_report"]

_GLYPHS = MappingProxyType({"executed": "✓", "looked-around": "◎", NOT_REACHED: "·", "ambiguous": "?"})
_LABELS = MappingProxyType(
    {
        "looked-around": "looked around",
        NOT_REACHED: "not reached",
        "claimed-done": "claimed done",
        "claimed-unsolvable": "claimed unsolvable",
    }
)
_MEANINGS = MappingProxyType(
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


@dataclass(frozen=True)
class _Run:
    """A run as its template wants it."""

    record: Record
    anchor: str
    domain: str
    turns: tuple[Turn, ...]
    recheck: Recheck
    facts: Mapping[str, str]

    @property
    def tone(self) -> str:
        if self.record.infrastructure:
            return "broken"
        return "solved" if self.record.solved else "failed"

    @property
    def glyph(self) -> str:
        return {"broken": "!", "solved": "✓", "failed": "✗"}[self.tone]

    @property
    def first_mistake(self) -> str:
        for turn in self.turns:
            for step in turn.steps if turn.counts else ():
                if step.mistake:
                    return f"{self.anchor}-step-{step.number}"
        return ""

    @property
    def message(self) -> str:
        message = self.record.finished.message if isinstance(self.record, RunRecord) else ""
        told = self.record.fault is not None and self.record.fault.text == message
        return "" if told else message.rstrip(".")

    @property
    def gist(self) -> str:
        if isinstance(self.record, PlannerRecord):
            expanded = self.record.planned.expanded
            counted = "" if expanded is None else f" · {expanded} states expanded"
            return f"{_count(len(self.record.plan), 'action')}{counted}"
        parts = [_count(len(self.record.plan), "action")]
        for name, noun in (("mistakes", "mistake"), ("calls", "call")):
            value = aggregate(METRICS[name], [self.record])
            if value:
                parts.append(_count(int(value), noun))
        return " · ".join(parts)

    @property
    def recheck_text(self) -> str:
        if self.recheck.verdict == "no-plan":
            return "There is no plan to judge again."
        told = {
            "valid": "a valid plan",
            "goal-not-satisfied": "applicable, the goal does not hold at the end",
            "inapplicable": "not applicable",
            "bad-plan": "no plan of this domain",
        }.get(self.recheck.verdict, f"not to be judged: {self.recheck.note}")
        agrees = "as the record says" if self.recheck.agrees else "which is NOT what the record says"
        judged = f"{_count(self.recheck.steps, 'action')}, {told}; {agrees}"
        return f"Judged again for this page, from the PDDL alone: {judged}."


@dataclass(frozen=True)
class _Line:
    problem: str
    cells: tuple[tuple[_Run, ...], ...]


@dataclass(frozen=True)
class _Group:
    domain: str
    lines: tuple[_Line, ...]


@dataclass(frozen=True)
class _Page:
    title: str
    notes: tuple[str, ...]
    table: CoverageTable
    runs: tuple[_Run, ...]
    unfinished: tuple[str, ...]

    @property
    def solved(self) -> int:
        return sum(run.record.solved for run in self.runs)

    @property
    def rechecked(self) -> int:
        return sum(run.recheck.verdict not in ("not-judged", "no-plan") for run in self.runs)

    @property
    def disagreeing(self) -> tuple[_Run, ...]:
        return tuple(run for run in self.runs if not run.recheck.agrees and not run.record.infrastructure)

    @property
    def outcomes(self) -> tuple[str, ...]:
        return tuple(sorted({run.record.outcome for run in self.runs}))

    @property
    def outcome_meanings(self) -> Mapping[str, str]:
        return {name: _MEANINGS.get(name, "") for name in self.outcomes}

    @property
    def matrix(self) -> tuple[_Group, ...]:
        cells: dict[tuple[str, str], dict[str, list[_Run]]] = {}
        for run in self.runs:
            line = cells.setdefault((run.domain, run.record.problem), {})
            line.setdefault(run.record.column.label, []).append(run)
        labels = [column.label for column in self.table.columns]
        return tuple(
            _Group(
                domain,
                tuple(
                    _Line(problem, tuple(tuple(found.get(label, ())) for label in labels))
                    for (of, problem), found in sorted(cells.items())
                    if of == domain
                ),
            )
            for domain in sorted({domain for domain, _ in cells})
        )


def render_report(
    records: Iterable[Record],
    *,
    title: str = "Coverage and every run",
    notes: Sequence[str] = (),
    unfinished: Iterable[Path] = (),
    label: Callable[[Record], str] = lambda record: record.suite,
) -> str:
    """The page as HTML.

    Args:
        records: what is shown; sorted here.
        title, notes: the page's heading, and paragraphs below it.
        unfinished: files of runs that have not ended; listed, not counted.
        label: the name of the table row that a record belongs to.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pddl2nl.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    ordered = sorted(records, key=record_order)
    page = _Page(
        title=title,
        notes=tuple(notes),
        table=coverage_table(ordered, label),
        runs=_runs(ordered, label),
        unfinished=tuple(map(str, unfinished)),
    )
    macros = environment.get_template("macros.html.j2").module
    script = _own_text("report.js")
    return environment.get_template("report.html.j2").render(
        page=page,
        glyphs=_GLYPHS,
        labels=_LABELS,
        counted=lambda number, one, many: f"{number} {one if number == 1 else many}",
        coverage_cell=macros.coverage_cell,  # type: ignore[attr-defined]  # a template's macros are its attributes
        style=Markup(_own_text("report.css")),
        script=Markup(script),
        script_hash=Markup(_csp_hash(script)),
    )


def write_report(path: Path, html: str) -> None:
    """Writes the page; raises `InfrastructureError` where the disk refuses."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(f"cannot write {path}: {error.strerror}") from error


def _runs(records: Iterable[Record], label: Callable[[Record], str]) -> tuple[_Run, ...]:
    taken: set[str] = set()
    found = []
    for record in records:
        stem = "run-" + (re.sub(r"[^a-z0-9]+", "-", record.id.lower()).strip("-") or "unnamed")
        anchor, number = stem, 2
        while anchor in taken:
            anchor, number = f"{stem}-{number}", number + 1
        taken.add(anchor)
        found.append(_Run(record, anchor, label(record), turns_of(record), recheck(record), _facts(record)))
    return tuple(found)


def _facts(record: Record) -> dict[str, str]:
    if isinstance(record, PlannerRecord):
        facts = {
            "planner": record.planned.planner,
            "search": record.planned.search,
            "cost": _text(record.planned.cost),
            "message": record.planned.message,
        }
    else:
        started = record.started
        source = (started.wording or {}).get("source")
        facts = {
            "policy": started.policy,
            "model": record.column.model or "none was asked",
            "seed": str(started.seed),
            "style": started.style,
            "wording": _pairs(source) if isinstance(source, Mapping) else "",
            "object names": started.names_scheme,
            "objects are called": ", ".join(
                f"{name} is {told}" for name, told in started.names.items() if name != told
            ),
            "translator": started.translator,
            "translator's model": _text(started.translator_model),
            "reading policy": f"{started.reading}, version {_text(started.reading_version) or 'unknown'}",
            "ambiguous readings": started.on_ambiguous,
            "wording's model": _text(started.wording_model),
            "thoughts' model": _text(started.thoughts_model),
            "example": _example(started.example),
            "profile": _text(started.profile),
            "beyond the paper": _pairs(started.beyond_paper),
            "endpoint": _text(started.base_url),
            "set for the model": _pairs(started.model_settings),
            "limits": _pairs(started.limits),
            "has a plan": "" if record.solvable is None else "yes" if record.solvable else "no, as was proved",
            "versions": _pairs(started.versions),
            "domain file SHA-256": started.domain_sha256,
            "problem file SHA-256": started.problem_sha256,
        }
        facts |= _accounts(record.finished)
    facts |= {"seconds": f"{record.seconds:.2f}", "record": record.path.name}
    return {name: value for name, value in facts.items() if value}


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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _own_text(name: str) -> str:
    return (resources.files("pddl2nl.reports") / "templates" / name).read_text(encoding="utf-8")


def _csp_hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
