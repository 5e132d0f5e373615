"""Summaries of records, read by a small pool of processes.

Reading dominates the time of a report in text: ten thousand records are some hundred megabytes of JSON. Each record is
parsed once, and its events are not kept.
"""

from __future__ import annotations

import gc
import hashlib
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.policies.events import Started
from pddl2nl.reports.broken_links import first_broken_link
from pddl2nl.reports.metrics import measure
from pddl2nl.reports.optima import shipped_lengths, task_id
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord, read_record, read_task
from pddl2nl.reports.summaries import Measured, RunSummary

__all__ = ["read_summaries", "summarize"]

_MANY = 400
"""With so many records a second process saves more time than it costs."""

_CHUNK = 32
_MOST_WORKERS = 8

_USUAL = {"translator": "reader", "reading": "default", "on_ambiguous": "refuse"}
"""Settings that may differ between runs of one policy, model and wording, with their usual values."""


def summarize(record: Record) -> RunSummary:
    """The summary of a record."""
    values, estimated = measure(record)
    said = _of_planner(record) if isinstance(record, PlannerRecord) else _of_run(record)
    return RunSummary(
        name=record.id,
        path=record.path,
        suite=record.suite,
        task=record.task,
        task_id=task_id(record.domain_pddl, record.problem_pddl),
        domain=record.domain,
        problem=record.problem,
        objects=_objects(record.domain_pddl, record.problem_pddl),
        policy=said.policy,
        model=said.model,
        style=said.style,
        wording=said.wording,
        variant=said.variant,
        wording_id=said.wording_id,
        prompts_id=said.prompts_id,
        seed=said.seed,
        outcome=record.outcome,
        link=first_broken_link(record),
        message=said.message,
        values=values,
        estimated=estimated,
        measured=_measured(record),
    )


def _measured(record: Record) -> Measured | None:
    reference = record.reference if isinstance(record, RunRecord) else None
    if reference is None:
        return None
    return Measured(reference.task, reference.title, reference.complexity, reference.averaged)


@dataclass(frozen=True)
class _Said:
    """The fields of a summary that differ between runs and planners; see `RunSummary`."""

    policy: str
    message: str
    model: str = ""
    style: str = ""
    wording: str = ""
    variant: str = ""
    wording_id: str = ""
    prompts_id: str = ""
    seed: int | None = None


def _of_planner(record: PlannerRecord) -> _Said:
    return _Said(record.planned.planner, record.planned.message)


def _of_run(record: RunRecord) -> _Said:
    started, message = record.started, record.finished.message
    if started.model == "none":
        return _Said(started.policy, message, seed=started.seed)
    return _Said(
        started.policy,
        message,
        started.model,
        started.style,
        _wording(started),
        _variant(started),
        _hash_of({name: said for name, said in (started.wording or {}).items() if name != "source"}),
        _hash_of(started.prompts),
        started.seed,
    )


@lru_cache(maxsize=256)
def _objects(domain_pddl: str, problem_pddl: str) -> int:
    """How many objects a problem has, constants included; 0 where its texts cannot be read."""
    try:
        task = read_task(domain_pddl, problem_pddl)
    except InputError:
        return 0
    return len({each.name for each in (*task.domain.constants, *task.problem.objects)})


def _wording(started: Started) -> str:
    """Where the words came from: ``template``, ``hand``, ``llm``, or the format of the file that was read."""
    if started.wording is None:
        return ""
    source = started.wording.get("source")
    method = source.get("method") if isinstance(source, dict) else None
    return str(method) if method else "file"


def _hash_of(told: Mapping[str, object]) -> str:
    """A short SHA-256 of what shaped the prompts; empty for nothing."""
    if not told:
        return ""
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:8]


def _variant(started: Started) -> str:
    """What else tells a column apart, in a fixed order."""
    said: dict[str, object] = {} if started.profile is None else {"profile": started.profile}
    said |= {name: value for name, usual in _USUAL.items() if (value := getattr(started, name)) != usual}
    if started.translator_model not in (None, started.model):
        said["translator-model"] = started.translator_model
    if started.style == "nl" and started.names_scheme != "typed":
        said["names"] = started.names_scheme
    if started.example is None:
        said["example"] = "none"
    if temperature := started.settings.get("temperature"):
        said["temperature"] = temperature
    said |= sorted(started.beyond_paper.items())
    return ", ".join(f"{name.replace('_', '-')}={value}" for name, value in said.items())


# ── many of them ─────────────────────────────────────────────────────────────────────────────────


def read_summaries(paths: Sequence[Path], workers: int | None = None) -> list[RunSummary]:
    """The summaries of records, in the order of their paths.

    Args:
        paths: of finished records.
        workers: processes; by default as many as there are processors where there are many records, and one for a few.
            Processes are forked, which is safe only while this one has a single thread: where it has others, or the
            system forks none, it reads by itself unless it is told otherwise.

    Raises:
        RecordError: a line is torn or no event; the message begins with file and line.
        InputError: a file cannot be read.
    """
    if workers is None:
        alone = threading.active_count() > 1 or len(paths) < _MANY
        workers = 1 if alone else min(os.cpu_count() or 1, _MOST_WORKERS)
    # Read before forking, so that the processes share it.
    shipped_lengths()
    if workers <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        return _summaries(paths)
    try:
        return _pooled(paths, workers)
    except BrokenProcessPool:
        # A process was killed, perhaps for its memory: read in one process, which is slower.
        return _summaries(paths)


def _pooled(paths: Sequence[Path], workers: int) -> list[RunSummary]:
    chunks = [paths[start : start + _CHUNK] for start in range(0, len(paths), _CHUNK)]
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), _leave_interrupts) as pool:
        try:
            return [summary for found in pool.map(_summaries, chunks) for summary in found]
        except BaseException:
            # Report a damaged record at once, without reading the rest.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _leave_interrupts() -> None:
    # Ctrl-C reaches all processes of a terminal; only the first handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _summaries(paths: Sequence[Path]) -> list[RunSummary]:
    with _no_collection():
        return [summarize(read_record(path)) for path in paths]


@contextmanager
def _no_collection() -> Iterator[None]:
    """Disables garbage collection of cycles, which records do not have; it would scan every object repeatedly."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
