"""PlanBench's folders: configurations, instances, and recorded replies, which an audit judges again.

``configs/NAME.yaml`` names a domain file and a folder of instances (both below ``instances/``) and holds the
wording; ``results/NAME/ENGINE/TASK.json`` holds the replies of one engine to one task, each with the plan that
PlanBench extracted and the verdict on that (``llm_correct``, in older files ``correct``). Format:
Valmeekam et al., "PlanBench", and github.com/karthikv792/LLMs-Planning.

In an audit each reply has three verdicts: PlanBench's; ours on the plan that PlanBench extracted (these two must
agree); and ours on the plan that our reader finds in the raw reply under a reading policy.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text
from pddl2nl.nl import READING_POLICIES, Reader, Wording, choose_wording, make_names
from pddl2nl.pddl import Domain, PDDLError, Task, load_domain, load_problem
from pddlval import GroundAction, read_plan, validate


@dataclass(frozen=True)
class PlanBenchReply:
    """One recorded reply.

    ``extraction`` holds the lines of the extracted plan, None if the extraction failed;
    ``correct`` is the verdict on that plan.
    """

    instance_id: int
    text: str
    extraction: tuple[str, ...] | None
    correct: bool


@dataclass(frozen=True)
class PlanBenchResults:
    """A file of recorded replies.

    ``file`` is its path below ``results``; ``config`` the name of the configuration it was made under, ``engine``
    the model and ``task`` the benchmark's task. ``unjudged`` counts the entries without a reply or a verdict, which
    PlanBench skips too.
    """

    file: str
    config: str
    engine: str
    task: str
    replies: tuple[PlanBenchReply, ...]
    unjudged: int = 0


@dataclass(frozen=True)
class PlanBenchConfig:
    """A configuration: its file, which is the wording too, the domain's file and the pattern of instance files."""

    name: str
    path: Path
    domain_path: Path
    instances: Path
    pattern: str

    def instance_path(self, instance_id: int) -> Path:
        """The problem file of an instance."""
        return self.instances / self.pattern.replace("{}", str(instance_id))


@dataclass(frozen=True)
class PlanBenchFolder:
    """A folder with ``configs``, ``instances`` and ``results``."""

    root: Path

    @cached_property
    def results_paths(self) -> tuple[Path, ...]:
        """All results files, sorted."""
        paths = sorted((self.root / "results").glob("*/*/*.json"))
        if not paths:
            raise InputError(f"{self.root}: no results/CONFIG/ENGINE/TASK.json in it")
        return tuple(paths)

    def results(self, path: str | Path) -> PlanBenchResults:
        """Reads a results file.

        Raises:
            InputError: the file is malformed, or its verdicts judge more than validity.
        """
        path = Path(path)
        data = _mapping(_json(path), str(path))
        entries = data.get("instances")
        if not isinstance(entries, list):
            raise InputError(f'{path}: "instances" must be a list of replies; it is {_kind(entries)}')
        task = str(data.get("task", path.stem))
        for name, why in _OTHER_TASKS.items():
            if name in path.stem or name in task:
                raise InputError(f"{path}: of the task {task}, {why}; only verdicts on plans can be judged again")
        replies = [_reply(entry, f"{path}, instances[{index}]") for index, entry in enumerate(entries)]
        judged = tuple(reply for reply in replies if reply is not None)
        return PlanBenchResults(
            _below(path, self.root / "results"),
            path.parent.parent.name,
            str(data.get("engine", path.parent.name)),
            task,
            judged,
            len(replies) - len(judged),
        )

    def config(self, results: PlanBenchResults) -> PlanBenchConfig:
        """The configuration of a results file, by the name of its folder.

        Raises:
            InputError: there is none, or it lacks the domain file or the folder of instances.
        """
        path = self._config_path(results.config)
        data = _mapping(_yaml(path), str(path))
        folder = data.get("instance_dir", data.get("domain"))
        if "plan_generalization" in results.task and "generalized_instance_dir" in data:
            folder = data["generalized_instance_dir"]
        domain_file = data.get("domain_file")
        pattern = data.get("instances_template", "instance-{}.pddl")
        for key, value in (("instance_dir", folder), ("domain_file", domain_file), ("instances_template", pattern)):
            if not isinstance(value, str) or not value:
                raise InputError(f'{path}: "{key}" must be a text; it is {_kind(value)}')
        if "{}" not in pattern:
            raise InputError(f'{path}: "instances_template" must hold {{}} for the number; it is {pattern!r}')
        base = self.root / "instances"
        return PlanBenchConfig(results.config, path, base / str(domain_file), base / str(folder), pattern)

    def _config_path(self, name: str) -> Path:
        """``configs/NAME.yaml``, or else the file whose ``domain_name`` it is."""
        folder = self.root / "configs"
        path = folder / f"{name}.yaml"
        if path.is_file():
            return path
        for other in sorted(folder.glob("*.yaml")):
            data = _yaml(other)
            if isinstance(data, dict) and data.get("domain_name") == name:
                return other
        raise InputError(f"{folder}: no configuration {name}.yaml, and none whose domain_name is {name}")


_OTHER_TASKS: Mapping[str, str] = {
    "optimality": "whose verdict asks for a cheapest plan too",
    "verification": "whose replies judge plans",
    "execution": "whose replies tell states",
    "replanning": "whose changed instances were not kept",
}


def _reply(entry: object, where: str) -> PlanBenchReply | None:
    """The reply of an entry; None if PlanBench did not judge one."""
    data = _mapping(entry, where)
    text = data.get("llm_raw_response")
    correct = data.get("correct") if data.get("llm_correct") is None else data["llm_correct"]
    if not text or correct is None:
        return None
    number = data.get("instance_id")
    if isinstance(number, str) and number.isdecimal():
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool):
        raise InputError(f'{where}: "instance_id" must be a whole number; it is {_kind(number)}')
    if not isinstance(text, str):
        raise InputError(f'{where}: "llm_raw_response" must be a text; it is {_kind(text)}')
    if correct not in (True, False):
        raise InputError(f'{where}: "llm_correct" must be true or false; it is {_kind(correct)}')
    return PlanBenchReply(number, text, _extraction(data.get("extracted_llm_plan"), where), bool(correct))


def _extraction(plan: object, where: str) -> tuple[str, ...] | None:
    """The lines of the extracted plan; newer files have a text, older ones a list."""
    if plan is None:
        return None
    lines = plan.split("\n") if isinstance(plan, str) else plan
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise InputError(f'{where}: "extracted_llm_plan" must be a text or a list of texts; it is {_kind(plan)}')
    return tuple(line for line in lines if line.strip())


def _json(path: Path) -> object:
    return parse_json(read_text(path), str(path))


def _yaml(path: Path) -> object:
    text = read_text(path)
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InputError(f"{path}: not YAML: {' '.join(str(error).split())}") from error


def _mapping(data: object, where: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise InputError(f"{where}: expected names with values; found {_kind(data)}")
    return data


def _kind(value: object) -> str:
    """A short description of a value."""
    return "absent" if value is None else f"{value!r:.60}"


def _below(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()


# ── the audit ─────────────────────────────────────────────────────────────────────────────────────

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
