"""Judging PlanBench's recorded replies again: the plan that was extracted from them, and the replies themselves.

For each reply three judgements stand side by side: the recorded verdict; ours on the recorded extraction (it must
be the same); and ours on what the reader makes of the raw reply under a reading policy. Where the last differs
from the first, the difference has a cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pddl2nl.errors import InputError
from pddl2nl.interop.planbench_causes import Cause, Evidence, cause_of
from pddl2nl.interop.planbench_files import PlanBenchConfig, PlanBenchFolder, PlanBenchReply, PlanBenchResults
from pddl2nl.nl import READING_POLICIES, Names, Reader, Wording, choose_wording, make_names
from pddl2nl.nl.reading.read_layout import Block
from pddl2nl.nl.reading.readings import PlacedReading
from pddl2nl.pddl import Domain, PDDLError, Task, load_domain, load_problem
from pddlval import GroundAction, read_plan, validate

__all__ = ["Audited", "Disagreement", "Judgement", "PlanBenchAudit"]

POLICIES = ("planbench", "default")
"""The reading policies that an audit compares, unless told otherwise."""


class Judgement(NamedTuple):
    """Whether a plan is correct, and in a word why: `pddlval`' verdict, or ``unreadable`` or ``no-plan``."""

    correct: bool
    verdict: str
    plan: tuple[GroundAction, ...] = ()


@dataclass(frozen=True)
class Disagreement:
    """A reply that PlanBench and we judge differently, under one reading policy, and why."""

    file: str
    instance_id: int
    policy: str
    recorded: bool
    ours: bool
    cause: Cause


@dataclass(frozen=True)
class Audited:
    """What came of auditing one results file.

    ``recorded_correct`` counts the replies that PlanBench judged correct; ``recorded_differs`` holds the instances
    where our verdict on the recorded extraction is another than PlanBench's.
    """

    file: str
    replies: int
    recorded_correct: int
    recorded_differs: tuple[int, ...]
    policies: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    unjudged: int = 0


class _Readable(NamedTuple):
    """A task with what reads its replies."""

    task: Task
    reader: Reader
    wording: Wording
    names: Names


class _Read(NamedTuple):
    """A reply, read."""

    readings: Sequence[PlacedReading]
    blocks: Sequence[Block]

    def chosen(self, policy: str) -> Sequence[PlacedReading]:
        return READING_POLICIES[policy].choose(self.readings, self.blocks)

    def judge(self, task: Task, policy: str) -> Judgement:
        chosen = self.chosen(policy)
        plan = tuple(item.reading.action for item in chosen if item.reading.action is not None)
        if any(item.reading.status != "read" for item in chosen):
            return Judgement(False, "unreadable", plan)
        if not chosen and not any(block.closed for block in self.blocks):
            return Judgement(False, "no-plan")
        report = validate(task, plan)
        return Judgement(report.valid, report.verdict, plan)


class PlanBenchAudit:
    """Judges recorded replies; domains, tasks and readers are built once each and kept."""

    def __init__(self, folder: PlanBenchFolder | str | Path, policies: Sequence[str] = POLICIES):
        self.folder = folder if isinstance(folder, PlanBenchFolder) else PlanBenchFolder(Path(folder))
        unknown = [name for name in policies if name not in READING_POLICIES]
        if unknown:
            raise InputError(f"no such reading policy: {unknown[0]}; there are {', '.join(READING_POLICIES)}")
        self.policies = tuple(policies)
        self._domains: dict[tuple[Path, Path], tuple[Domain, Wording]] = {}
        self._readable: dict[tuple[Path, Path], _Readable] = {}

    def files(self) -> Iterator[Audited]:
        """Audits all results files of the folder, in order."""
        for path in self.folder.results_paths:
            yield self.file(path)

    def file(self, path: str | Path) -> Audited:
        """Audits one results file.

        Raises:
            InputError: a file is malformed or absent.
        """
        results = self.folder.results(path)
        config = self.folder.config(results)
        differs: list[int] = []
        disagreements: list[Disagreement] = []
        for reply in results.replies:
            if self.judge_recorded(config, reply).correct != reply.correct:
                differs.append(reply.instance_id)
            disagreements.extend(self._disagreements(results, config, reply))
        return Audited(
            results.file,
            len(results.replies),
            sum(reply.correct for reply in results.replies),
            tuple(differs),
            self.policies,
            tuple(disagreements),
            results.unjudged,
        )

    def judge_recorded(self, config: PlanBenchConfig, reply: PlanBenchReply) -> Judgement:
        """Judges the plan that PlanBench extracted; a reply that it could extract nothing from is incorrect."""
        if reply.extraction is None:
            return Judgement(False, "no-plan")
        task = self._of(config, reply.instance_id).task
        report = validate(task, "\n".join(reply.extraction))
        return Judgement(report.valid, report.verdict, _plan_in(reply.extraction))

    def judge_reply(self, config: PlanBenchConfig, reply: PlanBenchReply, policy: str = "default") -> Judgement:
        """Judges the raw reply as a reading policy reads it; a plan with a line that is not read is incorrect."""
        readable = self._of(config, reply.instance_id)
        return _read(readable.reader, reply.text).judge(readable.task, policy)

    def _disagreements(
        self, results: PlanBenchResults, config: PlanBenchConfig, reply: PlanBenchReply
    ) -> Iterator[Disagreement]:
        readable = self._of(config, reply.instance_id)
        read = _read(readable.reader, reply.text)
        for policy in self.policies:
            chosen = read.chosen(policy)
            ours = read.judge(readable.task, policy).correct
            if ours != reply.correct:
                evidence = Evidence(
                    reply.text,
                    read.readings,
                    read.blocks,
                    chosen,
                    None if reply.extraction is None else _plan_in(reply.extraction),
                    ours,
                    readable.wording,
                    readable.names,
                )
                yield Disagreement(results.file, reply.instance_id, policy, reply.correct, ours, cause_of(evidence))

    def _of(self, config: PlanBenchConfig, instance_id: int) -> _Readable:
        """An instance's task, with the reader for it under the configuration's own wording."""
        path = config.instance_path(instance_id)
        key = (config.path, path)
        if key not in self._readable:
            domain, wording = self._domain(config)
            task = Task(domain, load_problem(path, domain))
            names = make_names(task, "typed", wording)
            self._readable[key] = _Readable(task, Reader(task, wording, names), wording, names)
        return self._readable[key]

    def _domain(self, config: PlanBenchConfig) -> tuple[Domain, Wording]:
        key = (config.path, config.domain_path)
        if key not in self._domains:
            domain = load_domain(config.domain_path)
            self._domains[key] = (domain, choose_wording(str(config.path), domain))
        return self._domains[key]


def _read(reader: Reader, text: str) -> _Read:
    placed, layout = reader.placed(text)
    return _Read(placed, layout.blocks)


def _plan_in(lines: Sequence[str]) -> tuple[GroundAction, ...]:
    """The actions in the lines of a recorded plan; lines that are none are left out."""
    actions: list[GroundAction] = []
    for line in lines:
        try:
            actions.extend(read_plan(line.replace(",", " ")).actions)
        except PDDLError:
            continue
    return tuple(actions)
