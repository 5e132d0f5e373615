"""PlanBench's folders: configurations, instances, and files of recorded replies.

``configs/NAME.yaml`` names a domain file and a folder of instances (both below ``instances/``) and holds the
wording; ``results/NAME/ENGINE/TASK.json`` holds the replies of one engine to one task, each with the plan that
PlanBench extracted and the verdict on that (``llm_correct``, in older files ``correct``). Format:
Valmeekam et al., "PlanBench", and github.com/karthikv792/LLMs-Planning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_text


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
