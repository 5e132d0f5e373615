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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
import yaml
from msgspec import Meta

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text
from pddl2nl.nl import READING_POLICIES, Reader, Wording, choose_wording, make_names
from pddl2nl.pddl import Domain, Task, load_domain, load_problem
from pddlval import validate

T = TypeVar("T")
_Number = Annotated[str, Meta(pattern="^[0-9]+$", extra={"expected": "a number"})]


class _RecordedReply(msgspec.Struct):
    # Newer files have an extracted plan as a text, older ones as a list.
    instance_id: int | _Number = ""
    llm_raw_response: str | None = None
    llm_correct: bool | int | None = None
    correct: bool | int | None = None
    extracted_llm_plan: str | list[str] | None = None


class _ResultsFile(msgspec.Struct):
    instances: list[_RecordedReply]
    task: str = ""


class _ConfigFile(msgspec.Struct):
    domain_file: str
    instance_dir: str = ""
    domain: str = ""
    generalized_instance_dir: str = ""
    instances_template: Annotated[
        str, Meta(pattern=r"\{\}", extra={"expected": "a name with {} in place of the number"})
    ] = "instance-{}.pddl"


@dataclass(frozen=True)
class PlanBenchReply:
    """A recorded reply with the lines of the extracted plan, None without one, and the verdict on that plan."""

    instance_id: int
    text: str
    extraction: tuple[str, ...] | None
    correct: bool


@dataclass(frozen=True)
class PlanBenchResults:
    """A file of recorded replies, without those that PlanBench did not judge.

    ``file`` is its path below ``results``; ``config`` the name of the configuration it was made under, and ``task`` the
    benchmark's task.
    """

    file: str
    config: str
    task: str
    replies: tuple[PlanBenchReply, ...]


@dataclass(frozen=True)
class PlanBenchConfig:
    """A configuration: its file, which is the wording too, the domain's file and the pattern of instance files."""

    path: Path
    domain_path: Path
    instances: Path
    pattern: str

    def instance_path(self, instance_id: int) -> Path:
        """The problem file of an instance."""
        return self.instances / self.pattern.replace("{}", str(instance_id))


_OTHER_TASKS: Mapping[str, str] = {
    "optimality": "whose verdict asks for a cheapest plan too",
    "verification": "whose replies judge plans",
    "execution": "whose replies tell states",
    "replanning": "whose changed instances were not kept",
}


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
        data = _converted(parse_json(read_text(path), str(path)), _ResultsFile, path)
        task = data.task or path.stem
        for name, why in _OTHER_TASKS.items():
            if name in path.stem or name in task:
                raise InputError(f"{path}: of the task {task}, {why}; only verdicts on plans can be judged again")
        replies = []
        for number, entry in enumerate(data.instances):
            correct = entry.correct if entry.llm_correct is None else entry.llm_correct
            if not entry.llm_raw_response or correct is None:
                continue
            if entry.instance_id == "":
                raise InputError(f"{path}: instances[{number}] has no instance_id")
            plan = entry.extracted_llm_plan
            lines = plan.split("\n") if isinstance(plan, str) else plan
            extraction = None if lines is None else tuple(line for line in lines if line.strip())
            replies.append(PlanBenchReply(int(entry.instance_id), entry.llm_raw_response, extraction, bool(correct)))
        folder = self.root / "results"
        below = path.relative_to(folder) if path.is_relative_to(folder) else path
        return PlanBenchResults(below.as_posix(), path.parent.parent.name, task, tuple(replies))

    def config(self, results: PlanBenchResults) -> PlanBenchConfig:
        """The configuration of a results file, by the name of its folder.

        Raises:
            InputError: none exists, or it lacks the domain file or the folder of instances.
        """
        path = self._config_path(results.config)
        data = _converted(_yaml(path), _ConfigFile, path)
        folder = data.instance_dir or data.domain
        if "plan_generalization" in results.task:
            folder = data.generalized_instance_dir or folder
        if not folder:
            raise InputError(f"{path}: instance_dir is missing, the folder of the instances")
        base = self.root / "instances"
        return PlanBenchConfig(path, base / data.domain_file, base / folder, data.instances_template)

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


def _yaml(path: Path) -> object:
    text = read_text(path)
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InputError(f"{path}: not YAML: {' '.join(str(error).split())}") from error


def _converted(data: object, kind: type[T], path: Path) -> T:
    try:
        return convert(data, kind)
    except WrongValueError as error:
        raise InputError(f"{path}: {error}") from error


# ── the audit ─────────────────────────────────────────────────────────────────────────────────────

POLICIES = ("planbench", "default")
"""The reading policies that an audit compares by default."""


@dataclass(frozen=True)
class Disagreement:
    """A reply that PlanBench and we judge differently under one reading policy."""

    file: str
    instance: int
    policy: str
    recorded: bool
    ours: bool


@dataclass(frozen=True)
class Audited:
    """The audit of one results file.

    Attributes:
        file: the file, below ``results``.
        replies: how many replies have a recorded verdict.
        recorded_differs: the instances where our verdict on the recorded plan differs from PlanBench's.
        policies: the reading policies compared.
        disagreements: the replies that we judge differently, by policy.
    """

    file: str
    replies: int
    recorded_differs: tuple[int, ...]
    policies: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]


class _Readable(NamedTuple):
    """A task and the reader for replies to it."""

    task: Task
    reader: Reader

    def judge(self, text: str, policy: str) -> bool:
        readings, layout = self.reader.placed(text)
        chosen = [item.reading for item in READING_POLICIES[policy].choose(readings, layout.ranks)]
        if any(reading.status != "read" for reading in chosen):
            return False
        if not chosen and not layout.ended:
            return False
        return validate(self.task, [reading.action for reading in chosen if reading.action is not None]).valid


class PlanBenchAudit:
    """Judges recorded replies; caches domains, tasks and readers."""

    def __init__(self, folder: PlanBenchFolder | str | Path, policies: Sequence[str] = POLICIES):
        self.folder = folder if isinstance(folder, PlanBenchFolder) else PlanBenchFolder(Path(folder))
        unknown = [name for name in policies if name not in READING_POLICIES]
        if unknown:
            raise InputError(f"no reading policy {unknown[0]!r}; there are {', '.join(READING_POLICIES)}")
        self.policies = tuple(policies)
        self._domains: dict[Path, tuple[Domain, Wording]] = {}
        self._readable: dict[tuple[Path, Path], _Readable] = {}

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
            if self.judge_recorded(config, reply) != reply.correct:
                differs.append(reply.instance_id)
            for policy in self.policies:
                ours = self.judge_reply(config, reply, policy)
                if ours != reply.correct:
                    disagreements.append(Disagreement(results.file, reply.instance_id, policy, reply.correct, ours))
        return Audited(results.file, len(results.replies), tuple(differs), self.policies, tuple(disagreements))

    def judge_recorded(self, config: PlanBenchConfig, reply: PlanBenchReply) -> bool:
        """Whether the plan that PlanBench extracted is valid; a reply without one is incorrect."""
        if reply.extraction is None:
            return False
        return validate(self._of(config, reply.instance_id).task, "\n".join(reply.extraction)).valid

    def judge_reply(self, config: PlanBenchConfig, reply: PlanBenchReply, policy: str = "default") -> bool:
        """Whether the raw reply is right under a reading policy; a plan with an unreadable line is not."""
        return self._of(config, reply.instance_id).judge(reply.text, policy)

    def _of(self, config: PlanBenchConfig, instance_id: int) -> _Readable:
        path = config.instance_path(instance_id)
        key = (config.path, path)
        if key not in self._readable:
            if config.path not in self._domains:
                domain = load_domain(config.domain_path)
                self._domains[config.path] = (domain, choose_wording(str(config.path), domain))
            domain, wording = self._domains[config.path]
            task = Task(domain, load_problem(path, domain))
            self._readable[key] = _Readable(task, Reader(task, wording, make_names(task, "typed", wording)))
        return self._readable[key]


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


_COUNTS = {
    "replies": "replies",
    "recorded_agrees": "recorded plan agrees",
    "agrees": "reply agrees",
    "recorded_only": "recorded correct, ours not",
    "ours_only": "ours correct, recorded not",
}
"""The counted fields of a row, with their headings."""


def audit_rows(audited: Sequence[Audited]) -> tuple[AuditRow, ...]:
    """The rows of all files, in the order given, and a sum for each policy."""
    rows, sums = [], []
    for file in audited:
        for policy in file.policies:
            own = [item.ours for item in file.disagreements if item.policy == policy]
            recorded, agrees = file.replies - len(file.recorded_differs), file.replies - len(own)
            rows.append(AuditRow(file.file, policy, file.replies, recorded, agrees, len(own) - sum(own), sum(own)))
    for policy in dict.fromkeys(row.policy for row in rows):
        counts: dict[str, Any] = {
            name: sum(getattr(row, name) for row in rows if row.policy == policy) for name in _COUNTS
        }
        sums.append(AuditRow("all files", policy, **counts))
    return (*rows, *sums)


def audit_csv(rows: Sequence[AuditRow]) -> str:
    """The rows as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["file", "policy", *_COUNTS.values()])
    writer.writerows([row.file, row.policy, *(getattr(row, name) for name in _COUNTS)] for row in rows)
    return out.getvalue()
