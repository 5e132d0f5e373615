"""What a report keeps of each run: its task, configuration, metrics and first failure, without its events.

Reading dominates the time of a report: ten thousand records are hundreds of megabytes of JSON. `read_summaries` parses
each record once, in a small pool of processes, and keeps no events.
"""

from __future__ import annotations

import gc
import hashlib
import json
import multiprocessing
import signal
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import ColumnKind
from pddl2nl.experiments.records.stored import Record, RunRecord, read_record, task_of
from pddl2nl.limits import processors
from pddl2nl.pddl import PDDLError, write_condition
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.pddl.tree import Atom, Comparison, Equality, Fluent, Imply, Node, Not, children, walk
from pddl2nl.policies import is_registered, make_policy
from pddl2nl.policies.events import SOLVED, Fault, Rejected, Started
from pddl2nl.policies.policy import option_text
from pddl2nl.policies.reporting import Reference, read_task
from pddl2nl.policies.spec import RUN_OPTIONS
from pddl2nl.reports.conditions import Conditions, Replies, conditions_of, replies_of
from pddl2nl.reports.metrics import measure, task_id
from pddl2nl.reports.recheck import doubt
from pddlval import GroundAction, validate

Item = TypeVar("Item")
Result = TypeVar("Result")

LINKS: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "unreadable",
        "not-an-action": "unreadable",
        "empty": "unreadable",
        "ambiguous": "ambiguous",
        "unknown-object": "unknown object",
        "incomplete": "incomplete",
        "wrong": "wrong",
        "too-costly": "too costly",
        "inapplicable": "inapplicable",
        "world-error": "inapplicable",
        "goal-missed": "goal missed",
        "claimed-done": "goal missed",
        "budget": "budget",
        "length": "budget",
        "context": "context",
        "context-window": "context",
        "timeout": "budget",
        "out-of-memory": "budget",
        "gave-up": "gave up",
        "claimed-unsolvable": "gave up",
        "refused": "gave up",
        "dead-end": "gave up",
        "unsolvable": "gave up",
        "unsupported": "gave up",
        "undecided": "undecided",
        "filtered": "infrastructure",
        "infrastructure-error": "infrastructure",
    }
)
"""What reports call each kind of failure, in the order in which they show them.

A planner whose time or memory ran out is counted under ``budget``; one that proved that there is no plan, or does not
support the task, under ``gave up``. Runs under ``infrastructure`` are not scored.
"""


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """The first failure of a run: the first broken link in the chain from a reply to the goal.

    Attributes:
        kind: a key of `LINKS`, or what a foreign record has: the `Fault`'s status, else the outcome.
        predicates: for an inapplicable action the predicates of the unmet literals (``not clear`` for negated ones),
            for a missed goal those of the unmet goals; sorted, without duplicates.
        step: the step that failed; 0 if the run reached none.
        text: what was said there, or the reason.
    """

    kind: str
    predicates: tuple[str, ...] = ()
    step: int = 0
    text: str = ""


class PackedNumbers(Mapping[str, float]):
    """Numbers by name, of eight bytes each: a report keeps those of all its runs. The names are kept once."""

    __slots__ = ("_numbers", "_places")

    def __init__(self, numbers: Mapping[str, float]) -> None:
        self._places = _places(tuple(numbers))
        self._numbers = struct.pack(f"{len(numbers)}d", *numbers.values())

    def __getitem__(self, name: str) -> float:
        number: float = _DOUBLE.unpack_from(self._numbers, 8 * self._places[name])[0]
        return number

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __reduce__(self) -> tuple[type[PackedNumbers], tuple[dict[str, float]]]:
        return PackedNumbers, (dict(zip(self._places, struct.unpack(f"{len(self)}d", self._numbers), strict=True)),)


_DOUBLE = struct.Struct("d")


@lru_cache(maxsize=1024)
def _places(names: tuple[str, ...]) -> Mapping[str, int]:
    return {name: place for place, name in enumerate(names)}


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A finished run of a policy or a planner.

    Attributes (those of `pddl2nl.experiments.records.stored.Record` are as there):
        name: the record's file name without its ending, in a report perhaps with the folders above it.
        folder: of the record.
        suite, task: what the experiment calls them; by default the domain's and the problem's name.
        task_id: the SHA-256 of the PDDL texts.
        domain, problem: the names in the PDDL texts.
        objects: the number of the problem's objects, constants included; 0 if its texts cannot be read.
        style: ``nl`` or ``pddl``; empty for planners and walks.
        wording: its source: ``template``, ``llm``, ``hand``, ``file``; empty without a wording.
        variant: other settings that differ from the defaults: ``history=compact``.
        wording_id, prompts_id: short SHA-256 of the wording and of the prompt files; empty without any.
        seed: None for planners.
        link: the first failure; None if the run was solved.
        message: why it ended, a sentence.
        values: its metrics by name (`pddl2nl.reports.metrics.all_metrics`); empty after an infrastructure error.
        estimated: the names of those that contain an estimate.
        reference: the ground truth of its task, without its plans; None if that is unknown.
        tables: the kinds of tables of an experiment with such runs only; empty for the usual ones.
        thoughts_note: why the example shows the template's thoughts instead of a model's; empty where it does not.
        doubt: why its record is not as it was recorded, so that it counts nowhere; empty if it is.
        began: the day, UTC in ISO 8601; empty if its record does not say.
        conditions, replies: how it was made, and what its replies were (`pddl2nl.reports.conditions`).
    """

    name: str
    folder: Path
    suite: str
    task: str
    task_id: str
    domain: str
    problem: str
    objects: int
    policy: str
    model: str = ""
    style: str = ""
    wording: str = ""
    variant: str = ""
    wording_id: str = ""
    prompts_id: str = ""
    seed: int | None = None
    outcome: str = ""
    link: BrokenLink | None = None
    message: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    estimated: frozenset[str] = frozenset()
    reference: Reference | None = None
    tables: tuple[str, ...] = ()
    thoughts_note: str = ""
    doubt: str = ""
    began: str = ""
    conditions: Conditions = ()
    replies: Replies = ()

    @property
    def path(self) -> Path:
        """The record's file."""
        return self.folder / f"{self.name.rpartition('/')[2]}.jsonl"

    @property
    def kind(self) -> ColumnKind:
        """Who chose the actions."""
        if self.seed is None:
            return "planner"
        return "model" if self.model else "walk"

    @property
    def solved(self) -> bool:
        """Whether the goal was reached, a plan found, or the answer is right."""
        return self.outcome in SOLVED

    @property
    def infrastructure(self) -> bool:
        """Whether a tool failed and not the policy: such a run is never scored."""
        return self.outcome == "infrastructure-error"

    @property
    def failure(self) -> str:
        """The first failure as reports call it (`LINKS`); empty if the run was solved."""
        kind = self.outcome if self.link is None else self.link.kind
        return "" if self.solved else LINKS.get(kind, kind)

    @property
    def task_key(self) -> tuple[str, str, str]:
        """Identifies its task; an experiment may give two tasks the same texts."""
        return self.suite, self.task, self.task_id


def summarize(record: Record) -> RunSummary:
    """The summary of a record."""
    first = record.first
    values, estimated = measure(record)
    run = RunSummary(
        name=record.id,
        folder=Path() if record.path is None else record.path.parent,
        suite=first.suite or first.domain,
        task=first.task or first.problem,
        task_id=task_id(first.domain_pddl, first.problem_pddl),
        domain=first.domain,
        problem=first.problem,
        objects=_objects(first.domain_pddl, first.problem_pddl),
        policy=record.policy,
        model=record.model,
        outcome=record.outcome,
        link=first_broken_link(record),
        message=record.last.message,
        values=PackedNumbers(values),
        estimated=estimated,
        tables=record.tables,
        doubt=doubt(record),
        conditions=conditions_of(record),
        replies=replies_of(record),
        **record.settings,
    )
    if not isinstance(record, RunRecord):
        return run
    started = record.started
    reference = record.reference and replace(record.reference, ways=())
    run = replace(run, seed=started.seed, began=started.time[:10], reference=reference)
    if not record.model:
        return run
    return replace(
        run,
        style=started.style,
        wording=_wording(started),
        variant=_variant(started),
        wording_id=_hash_of({name: value for name, value in (started.wording or {}).items() if name != "source"}),
        prompts_id=_hash_of(started.prompts),
        thoughts_note=str((started.example or {}).get("thoughts_note", "")),
    )


@lru_cache(maxsize=256)
def _objects(domain_pddl: str, problem_pddl: str) -> int:
    try:
        task = read_task(domain_pddl, problem_pddl)
    except InputError:
        return 0
    return len({each.name for each in (*task.domain.constants, *task.problem.objects)})


def _wording(started: Started) -> str:
    if started.wording is None:
        return ""
    source = started.wording.get("source")
    method = source.get("method") if isinstance(source, dict) else None
    return str(method) if method else "file"


def _hash_of(content: Mapping[str, object]) -> str:
    if not content:
        return ""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]


_VARYING = (
    "translator",
    "reading",
    "on_ambiguous",
    "names",
    "temperature",
    "history",
    "constrain",
    "stream",
    "no_system",
)
"""Options of runs that may differ between runs of one policy, model and wording."""


def _variant(started: Started) -> str:
    spec = started.spec
    settings: dict[str, object] = {"profile": spec["profile"]} if spec.get("profile") else {}
    for name in _VARYING:
        if (value := spec.get(name)) not in (None, RUN_OPTIONS[name].default):
            settings[name.replace("_", "-")] = value
    if started.style == "pddl":
        settings.pop("names", None)
    # A wording's model shows in the wording, and that of thoughts in the example.
    unshown = ("planner", "wording", "thoughts")
    settings |= {
        f"{role}-model": name for role, name in started.models.items() if role not in unshown and name != started.model
    }
    # A policy that never shows an example has none by itself; the user's choice tells columns apart.
    if spec.get("example") == "none":
        settings["example"] = "none"
    settings |= _differing(started.options, _usual_options(started.policy))
    return ", ".join(f"{name}={option_text(value)}" for name, value in settings.items())


def _differing(options: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, object]:
    """The options with other values than usual, those of a policy on whose plan another works included."""
    found: dict[str, object] = {}
    for name, value in options.items():
        if isinstance(value, Mapping):
            found |= _differing(value, usual.get(name, {}))
        elif name != "task_text" and value != usual.get(name):
            found[name] = value
    return found


@lru_cache
def _usual_options(policy: str) -> Mapping[str, Any]:
    """The values of a policy's options where none are given; empty for a policy that is not known here."""
    if not is_registered(policy):
        # A class is never imported because a record names it.
        return {}
    # As a record holds them: lists, and no tuples.
    usual: Mapping[str, Any] = msgspec.json.decode(msgspec.json.encode(make_policy(policy)))
    return usual


# ── the first failure ────────────────────────────────────────────────────────────────────────────


def first_broken_link(record: Record) -> BrokenLink | None:
    """The first failure of a run, as its record's `Fault` names it; None if the run was solved."""
    if record.solved:
        return None
    # A foreign record may have no fault.
    fault = record.fault or Fault(0, record.outcome, record.last.message)
    if record.infrastructure:
        kind = fault.status if fault.status in LINKS else "infrastructure-error"
        return BrokenLink(kind, (), fault.step, record.last.message or fault.text)
    return BrokenLink(fault.status, _violated(record, fault.status, fault.step), fault.step, fault.text)


def _violated(record: Record, kind: str, step: int) -> tuple[str, ...]:
    if not isinstance(record, RunRecord):
        return ()
    if kind == "goal-missed":
        try:
            report = validate(task_of(record), tuple(map(GroundAction.parse, record.plan)))
        except InputError:
            return ()
        return predicates_of(map(write_condition, report.unmet_goals))
    if kind in ("inapplicable", "claimed-done"):
        for event in record.counted:
            if isinstance(event, Rejected) and event.status == kind and event.step >= step:
                return predicates_of(event.unmet)
    return ()


def predicates_of(conditions: Iterable[str]) -> tuple[str, ...]:
    """The predicates of unmet conditions, sorted, without duplicates; ``not clear`` for an atom that should not hold.

    A formula counts with the predicates of all its literals, a numeric comparison with its functions; text that is not
    PDDL is skipped.
    """
    found: set[str] = set()
    for condition in conditions:
        try:
            found.update(_literals(parse_condition(condition), positive=True))
        except PDDLError:  # a foreign record
            continue
    return tuple(sorted(found))


def _literals(node: Node, *, positive: bool) -> Iterator[str]:
    match node:
        case Atom(predicate=name):
            yield name if positive else f"not {name}"
        case Equality():
            yield "=" if positive else "not ="
        case Comparison():
            yield from (fluent.name for fluent in walk(node) if isinstance(fluent, Fluent))
        case Not(body=body):
            yield from _literals(body, positive=not positive)
        case Imply(left=left, right=right):
            yield from _literals(left, positive=not positive)
            yield from _literals(right, positive=positive)
        case _:
            for child in children(node):
                yield from _literals(child, positive=positive)


# ── many records ─────────────────────────────────────────────────────────────────────────────────

_MANY = 400
"""With so many records a second process saves more time than it costs."""

_MOST_WORKERS = 8


def read_summaries(
    paths: Sequence[Path | str], workers: int | None = None, folder: Path = Path()
) -> Iterator[RunSummary]:
    """The summaries of finished records, in the order of their paths; raises as `read_record`.

    ``workers`` are processes; by default one for a few records, else as many as there are processors. The paths are
    below ``folder``.
    """
    if workers is None and len(paths) < _MANY:
        workers = 1
    read, done = partial(_summary_of, folder), 0
    try:
        for run in in_processes(read, paths, workers):
            yield run
            done += 1
    except BrokenProcessPool:
        # A process was killed, perhaps for its memory: read in one process, which is slower.
        yield from map(read, paths[done:])


def in_processes(work: Callable[[Item], Result], items: Sequence[Item], workers: int | None) -> Iterator[Result]:
    """``work`` on each item, in the order of the items; in several processes if there is one thread, or as asked."""
    if workers is None:
        # A fork is safe only for a program with a single thread.
        workers = 1 if threading.active_count() > 1 else min(processors(), _MOST_WORKERS)
    if workers <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, items)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), _begin) as pool:
        try:
            yield from pool.map(work, items, chunksize=min(100, len(items) // (workers * 16) + 1))
        except BaseException:
            # Report a damaged record at once, without reading the rest.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _begin() -> None:
    # Ctrl-C reaches all processes of a terminal; only the first handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # it would scan the inherited runs repeatedly; records have no cycles


@lru_cache(maxsize=8192)
def kept_once(value: Item) -> Item:
    """The first of all equal values."""
    return value


_OWN = ("name", "objects", "seed", "values")
_ALIKE = tuple(each.name for each in fields(RunSummary) if each.name not in _OWN)


def kept_alike(run: RunSummary, **changes: Any) -> RunSummary:
    """The run with these changes, and what it has in common with other runs kept once: most of its memory."""
    return replace(run, **{name: kept_once(getattr(run, name)) for name in _ALIKE}, **changes)


def _summary_of(folder: Path, path: Path | str) -> RunSummary:
    # What is kept once is also sent once with a pack of summaries.
    return kept_alike(summarize(read_record(folder / path)))
