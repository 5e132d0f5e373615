"""The filters of an entry of ``domains`` in an experiment's file: which of its tasks are run.

::

    {suite = "benchmarks", only = ["gripper*"], solved-by = "ff", within = "30m", max-objects = 20,
     costlier = { than = 150.0, as = "gpt-4o-2024-08-06", solved-by = "brfs" }}

What can be told from a task itself is decided at once; what needs a planner (``solved-by``, ``unsolved-by``), when
everything else in the file has been checked (`pddl2nl.experiments.solved_by`); and what needs an estimate as well
(``costlier``), when that is decided (`pddl2nl.experiments.costlier`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from pddl2nl.baselines import PLANNERS
from pddl2nl.baselines.fast_downward import MAX_MEMORY_MB, MIN_MEMORY_MB
from pddl2nl.errors import InputError
from pddl2nl.experiments.toml_places import Kind, choice, near, number, one_or_many, shown, text, whole
from pddl2nl.pddl import Task
from pddl2nl.quantities import megabytes, seconds

__all__ = ["FILTERS", "Costlier", "Filters", "SolvedBy", "Sized", "memory_mb", "read_filters", "read_keys"]

WITHIN = 1800
"""Seconds that a planner gets unless an entry says otherwise: those of the planning competitions."""


_planner = choice(PLANNERS)


FILTERS: dict[str, Kind] = {
    "instances": one_or_many(text),
    "except": one_or_many(text),
    "min_objects": whole(0),
    "max_objects": whole(0),
    "min_optimal_length": whole(0),
    "max_optimal_length": whole(0),
    "solved_by": one_or_many(_planner),
    "unsolved_by": one_or_many(_planner),
    "within": Kind(
        'a time such as "30m", "90s", "1h30m", or whole seconds, at most "1000h"',
        lambda value: whole_seconds(value) is not None,
    ),
    "memory": Kind(
        f'an amount such as "8g", "500m", or MB, from {MIN_MEMORY_MB} to {MAX_MEMORY_MB}',
        lambda value: memory_mb(value) is not None,
    ),
    "costlier": Kind(
        'a table such as { than = 150.0, as = "gpt-4o-2024-08-06", solved-by = "brfs" }',
        lambda value: isinstance(value, dict),
    ),
}
"""The keys that every entry may have."""

_COSTLIER: dict[str, Kind] = {"than": number(0), "as": text, "solved_by": _planner, "section": text}


def whole_seconds(value: Any) -> int | None:
    """The whole seconds that a file says; None where it says none, or too many."""
    try:
        found = seconds(value)
    except (TypeError, ValueError):
        return None
    return int(found) if found == int(found) else None


def memory_mb(value: Any) -> int | None:
    """The MiB that a file says; None where it says none, too few or too many."""
    try:
        found = megabytes(value)
    except (TypeError, ValueError):
        return None
    return found if MIN_MEMORY_MB <= found <= MAX_MEMORY_MB else None


@dataclass(frozen=True)
class SolvedBy:
    """That a planner solves a task within limits, or, where not ``wanted``, that it does not."""

    planner: str
    seconds: int
    memory_mb: int | None
    wanted: bool = True

    def __str__(self) -> str:
        memory = "" if self.memory_mb is None else f" and {self.memory_mb} MB"
        return f"{'' if self.wanted else 'un'}solved-by {self.planner} within {_told(self.seconds)}{memory}"


def _told(seconds: int) -> str:
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    return "".join(f"{amount}{unit}" for amount, unit in parts if amount)


@dataclass(frozen=True)
class Costlier:
    """What is kept of a suite that is estimated to cost more than it may: the tasks that a cheap planner solves.

    Attributes:
        than: USD that the runs of all columns on the suite may be estimated to cost.
        model: at whose price; a model's name.
        condition: which tasks are kept where it would be more.
        section: in which section of the tables the suite stands then.
    """

    than: float
    model: str
    condition: SolvedBy
    section: str


@dataclass(frozen=True)
class Sized:
    """What filters look at: a task's name, the task itself, and how long a shortest plan is where that is known."""

    name: str
    task: Task
    optimal_length: int | None = None


@dataclass(frozen=True)
class Filters:
    """The filters of an entry; None and nothing let everything pass."""

    instances: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    objects: tuple[int | None, int | None] = (None, None)
    length: tuple[int | None, int | None] = (None, None)
    solved_by: tuple[SolvedBy, ...] = ()
    costlier: Costlier | None = None

    def named(self, name: str) -> bool:
        """Whether a task of this name is among those that are wanted."""
        return (not self.instances or fits(name, self.instances)) and not fits(name, self.excluded)

    def unused(self, names: Iterable[str]) -> list[str]:
        """The patterns of ``instances`` that fit none of the names."""
        known = [*names]
        return [pattern for pattern in self.instances if not any(fits(name, (pattern,)) for name in known)]

    def passing(self, tasks: Sequence[Sized], label: str, left_out: list[str]) -> list[Sized]:
        """The tasks that are neither too small nor too large; how many others there are is added to ``left_out``.

        Raises:
            InputError: optimal lengths are asked for, and are not known.
        """
        if self.length != (None, None) and any(each.optimal_length is None for each in tasks):
            raise InputError(
                f"optimal lengths are known of shipped instances with a plan alone, and not of all tasks of {label}; "
                'solved-by = "lmcut" with within = TIME takes those that LM-cut solves'
            )
        looks: tuple[tuple[str, tuple[int | None, int | None], Callable[[Sized], int]], ...] = (
            ("objects", self.objects, lambda each: len(each.task.problem.objects)),
            ("optimal-length", self.length, lambda each: each.optimal_length or 0),
        )
        for name, (least, most), look in looks:
            kept = [
                each
                for each in tasks
                if (least is None or look(each) >= least) and (most is None or look(each) <= most)
            ]
            if len(kept) < len(tasks):
                bounds = [
                    f"{kind}-{name} = {bound}" for kind, bound in (("min", least), ("max", most)) if bound is not None
                ]
                left_out.append(f"{len(tasks) - len(kept)} of {len(tasks)} tasks of {label}: {', '.join(bounds)}")
            tasks = kept
        return [*tasks]


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name, or its last part, fits one of the patterns, whatever the case."""
    said = name.lower()
    return any(fnmatchcase(part, pattern.lower()) for pattern in patterns for part in (said, said.rpartition("/")[2]))


# ── reading them ─────────────────────────────────────────────────────────────────────────────────


def read_keys(entry: Mapping[str, Any], kinds: Mapping[str, Kind], needed: Sequence[str]) -> dict[str, Any]:
    """The values of an entry, with ``_`` for ``-`` in its keys.

    Raises:
        InputError: a key that there is not, one that is missing, or a value of another kind.
    """
    said = {key.replace("-", "_"): value for key, value in entry.items()}
    for key in [*said, *needed]:
        if key not in kinds:
            known = near(key, kinds) or f"; there are {', '.join(kind.replace('_', '-') for kind in kinds)}"
            raise InputError(f"unknown key '{key}'{known}")
        if key not in said or not kinds[key].accepts(said[key]):
            found = f"is {shown(said[key])}" if key in said else "is missing"
            hint = near(said.get(key), kinds[key].known) if kinds[key].known else ""
            raise InputError(f"'{key.replace('_', '-')}' {found}; {kinds[key].expected} was expected{hint}")
    return said


def read_filters(said: Mapping[str, Any]) -> Filters:
    """The filters among the values of an entry, which `read_keys` has checked.

    Raises:
        InputError: a limit without a planner to be limited.
    """
    planners = [
        (name, wanted) for key, wanted in (("solved_by", True), ("unsolved_by", False)) for name in _many(said, key)
    ]
    for key in ("within", "memory"):
        if key in said and not planners and "costlier" not in said:
            raise InputError(f"'{key}' limits a planner, and none is named: solved-by = \"ff\" is missing")
    seconds = whole_seconds(said["within"]) if "within" in said else None
    memory = memory_mb(said["memory"]) if "memory" in said else None
    return Filters(
        _many(said, "instances"),
        _many(said, "except"),
        (said.get("min_objects"), said.get("max_objects")),
        (said.get("min_optimal_length"), said.get("max_optimal_length")),
        tuple(SolvedBy(name, seconds or WITHIN, memory, wanted) for name, wanted in planners),
        _costlier(said["costlier"], seconds or WITHIN, memory) if "costlier" in said else None,
    )


def _costlier(value: Mapping[str, Any], seconds: int, memory: int | None) -> Costlier:
    try:
        said = read_keys(value, _COSTLIER, ("than", "as", "solved_by"))
    except InputError as error:
        raise InputError(f"'costlier': {error}") from None
    condition = SolvedBy(said["solved_by"], seconds, memory)
    return Costlier(float(said["than"]), said["as"], condition, said.get("section", f"solved by {said['solved_by']}"))


def _many(said: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = said.get(key, ())
    return (value,) if isinstance(value, str) else tuple(value)
