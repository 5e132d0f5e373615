"""Judges PlanBench's recorded replies again, and tabulates the differences.

Each reply has three verdicts: PlanBench's; ours on the plan that PlanBench extracted (these two must agree); and ours
on the plan that our reader finds in the raw reply under a reading policy.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from pddl2nl.errors import InputError
from pddl2nl.interop.planbench_files import PlanBenchConfig, PlanBenchFolder, PlanBenchReply
from pddl2nl.nl import READING_POLICIES, Reader, Wording, choose_wording, make_names
from pddl2nl.pddl import Domain, PDDLError, Task, load_domain, load_problem
from pddlval import GroundAction, read_plan, validate

POLICIES = ("planbench", "default")
"""The reading policies that an audit compares by default."""


class Judgement(NamedTuple):
    """Whether a plan is correct, and why: the verdict of `pddlval`, or ``unreadable`` or ``no-plan``."""

    correct: bool
    verdict: str
    plan: tuple[GroundAction, ...] = ()


@dataclass(frozen=True)
class Disagreement:
    """A reply that PlanBench and we judge differently under one reading policy."""

    file: str
    instance_id: int
    policy: str
    recorded: bool
    ours: bool

    def as_json(self) -> dict[str, object]:
        """The disagreement as JSON."""
        return {
            "file": self.file,
            "instance": self.instance_id,
            "policy": self.policy,
            "recorded": self.recorded,
            "ours": self.ours,
        }


@dataclass(frozen=True)
class Audited:
    """The audit of one results file.

    Attributes:
        file: the file, below ``results``.
        replies: how many replies have a recorded verdict.
        recorded_correct: how many of them PlanBench judged correct.
        recorded_differs: the instances where our verdict on the recorded plan differs from PlanBench's.
        policies: the reading policies compared.
        disagreements: the replies that we judge differently, by policy.
        unjudged: how many replies have no recorded verdict.
    """

    file: str
    replies: int
    recorded_correct: int
    recorded_differs: tuple[int, ...]
    policies: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    unjudged: int = 0


class _Readable(NamedTuple):
    """A task and the reader for replies to it."""

    task: Task
    reader: Reader

    def judge(self, text: str, policy: str) -> Judgement:
        readings, layout = self.reader.placed(text)
        chosen = [item.reading for item in READING_POLICIES[policy].choose(readings, layout.blocks)]
        plan = tuple(reading.action for reading in chosen if reading.action is not None)
        if any(reading.status != "read" for reading in chosen):
            return Judgement(False, "unreadable", plan)
        if not chosen and not any(block.closed for block in layout.blocks):
            return Judgement(False, "no-plan")
        report = validate(self.task, plan)
        return Judgement(report.valid, report.verdict, plan)


class PlanBenchAudit:
    """Judges recorded replies; caches domains, tasks and readers."""

    def __init__(self, folder: PlanBenchFolder | str | Path, policies: Sequence[str] = POLICIES):
        self.folder = folder if isinstance(folder, PlanBenchFolder) else PlanBenchFolder(Path(folder))
        unknown = [name for name in policies if name not in READING_POLICIES]
        if unknown:
            raise InputError(f"no reading policy {unknown[0]!r}; there are {', '.join(READING_POLICIES)}")
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
            InputError: a file is malformed or missing.
        """
        results = self.folder.results(path)
        config = self.folder.config(results)
        differs: list[int] = []
        disagreements: list[Disagreement] = []
        for reply in results.replies:
            if self.judge_recorded(config, reply).correct != reply.correct:
                differs.append(reply.instance_id)
            for policy in self.policies:
                ours = self.judge_reply(config, reply, policy).correct
                if ours != reply.correct:
                    disagreements.append(Disagreement(results.file, reply.instance_id, policy, reply.correct, ours))
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
        """Judges the plan that PlanBench extracted; a reply without an extracted plan is incorrect."""
        if reply.extraction is None:
            return Judgement(False, "no-plan")
        task = self._of(config, reply.instance_id).task
        report = validate(task, "\n".join(reply.extraction))
        return Judgement(report.valid, report.verdict, _plan_in(reply.extraction))

    def judge_reply(self, config: PlanBenchConfig, reply: PlanBenchReply, policy: str = "default") -> Judgement:
        """Judges the raw reply under a reading policy; a plan with an unreadable line is incorrect."""
        return self._of(config, reply.instance_id).judge(reply.text, policy)

    def _of(self, config: PlanBenchConfig, instance_id: int) -> _Readable:
        """An instance's task and the reader for it, in the configuration's wording."""
        path = config.instance_path(instance_id)
        key = (config.path, path)
        if key not in self._readable:
            domain, wording = self._domain(config)
            task = Task(domain, load_problem(path, domain))
            self._readable[key] = _Readable(task, Reader(task, wording, make_names(task, "typed", wording)))
        return self._readable[key]

    def _domain(self, config: PlanBenchConfig) -> tuple[Domain, Wording]:
        key = (config.path, config.domain_path)
        if key not in self._domains:
            domain = load_domain(config.domain_path)
            self._domains[key] = (domain, choose_wording(str(config.path), domain))
        return self._domains[key]


def _plan_in(lines: Sequence[str]) -> tuple[GroundAction, ...]:
    """The actions in the lines of a recorded plan; other lines are skipped."""
    actions: list[GroundAction] = []
    for line in lines:
        try:
            actions.extend(read_plan(line.replace(",", " ")).actions)
        except PDDLError:
            continue
    return tuple(actions)


# ── the table ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class AuditRow:
    """The counts of one file, or of all files, under one reading policy.

    Attributes:
        file: the file, or ``all files``.
        policy: the reading policy.
        replies: how many replies were judged.
        recorded_agrees: replies whose recorded plan we judge as PlanBench did.
        agrees: replies that we read and judge as PlanBench did.
        recorded_only: replies that are correct by PlanBench's verdict only; ``ours_only``: by ours only.
    """

    file: str
    policy: str
    replies: int
    recorded_agrees: int
    agrees: int
    recorded_only: int
    ours_only: int

    @property
    def agreement(self) -> float:
        """The share of replies that we judge as PlanBench did."""
        return self.agrees / self.replies if self.replies else 1.0

    def as_json(self) -> dict[str, object]:
        """The row as JSON."""
        return {**asdict(self), "agreement": round(self.agreement, 4)}


def audit_rows(audited: Sequence[Audited]) -> tuple[AuditRow, ...]:
    """The rows of all files, in the order given, and a sum for each policy."""
    rows = [_row(file, policy) for file in audited for policy in file.policies]
    policies = dict.fromkeys(row.policy for row in rows)
    return (*rows, *(_sum([row for row in rows if row.policy == policy], policy) for policy in policies))


def _row(file: Audited, policy: str) -> AuditRow:
    own = [item for item in file.disagreements if item.policy == policy]
    return AuditRow(
        file.file,
        policy,
        file.replies,
        file.replies - len(file.recorded_differs),
        file.replies - len(own),
        sum(item.recorded for item in own),
        sum(item.ours for item in own),
    )


def _sum(rows: Sequence[AuditRow], policy: str) -> AuditRow:
    counts = {name: sum(getattr(row, name) for row in rows) for name in _COUNTS}
    return AuditRow("all files", policy, **counts)


_COUNTS = {
    "replies": "replies",
    "recorded_agrees": "recorded plan agrees",
    "agrees": "reply agrees",
    "recorded_only": "recorded correct, ours not",
    "ours_only": "ours correct, recorded not",
}
"""The counted fields of a row, with their headings."""


def audit_csv(rows: Sequence[AuditRow]) -> str:
    """The rows as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["file", "policy", *_COUNTS.values()])
    for row in rows:
        writer.writerow([row.file, row.policy, *(getattr(row, name) for name in _COUNTS)])
    return out.getvalue()
