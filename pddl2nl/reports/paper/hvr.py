"""The numbers of the HVR paper's tables, as data, to stand beside one's own, marked as the paper's.

Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification": Tables 1, 2, 4 and 5 to 16. Where its tables do not agree with one another `PaperSource.disagreements`
says so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

__all__ = [
    "GenericResult",
    "PaperResult",
    "PaperSource",
    "PaperSummary",
    "PaperTask",
    "generic_results",
    "paper_results",
    "paper_source",
    "paper_summaries",
    "paper_tasks",
]


@dataclass(frozen=True)
class PaperSource:
    """Where the numbers come from; ``models`` are those that it asked, by what its tables call them."""

    title: str
    authors: tuple[str, ...]
    short: str
    models: Mapping[str, str]
    disagreements: tuple[str, ...]


@dataclass(frozen=True)
class PaperTask:
    """A task of Table 1; ``scored`` is how many steps its scores are fractions of, 0 where they don't tell."""

    id: str
    name: str
    complexity: str
    steps: int
    objects: int
    scored: int = 0


@dataclass(frozen=True)
class PaperSummary:
    """A line of Table 2, all in %.

    Attributes:
        model, policy: whose it is; the policy by its name in `pddl2nl.policies.POLICIES`.
        pc: plan correctness of all, moderate and complex tasks.
        ld: length discrepancy: the least, the greatest, the mean, and the mean of absolutes.
        epv: expanded plan verification.
        mpv_before, mpv_after, aabv_before, aabv_after: of macro plan and blocks; None where the paper has a dash.
    """

    model: str
    policy: str
    pc: tuple[float, ...]
    ld: tuple[float, ...]
    epv: float
    mpv_before: float | None = None
    mpv_after: float | None = None
    aabv_before: float | None = None
    aabv_after: float | None = None


@dataclass(frozen=True)
class PaperResult:
    """A line of Tables 5 to 16.

    Attributes:
        table: its number.
        model, policy: whose it is.
        metric: ``pc``, ``es``, ``ld``, ``epv``, ``mpv_before``, ``mpv_after``, ``aabv_before``, ``aabv_after``.
        values: of T1 to T12, of length discrepancy to T11; None for a dash.
        sums: what the paper puts them together to: of ``pc`` the means of all, moderate and complex tasks, of ``ld`` as
            in `PaperSummary`, of ``es`` nothing, of the others the mean.
    """

    table: int
    model: str
    policy: str
    metric: str
    values: tuple[float | None, ...]
    sums: tuple[float, ...] = ()


@dataclass(frozen=True)
class GenericResult:
    """A line of Table 4 for one model: of each metric the generic T5bis, then the specific T5."""

    model: str
    policy: str
    pc: tuple[float, float]
    ld: tuple[float, float]
    epv: tuple[float, float]


def paper_source() -> PaperSource:
    """The paper."""
    said = _data()["source"]
    return PaperSource(
        said["title"], tuple(said["authors"]), said["short"], said["models"], tuple(said["disagreements"])
    )


def paper_tasks() -> tuple[PaperTask, ...]:
    """Table 1, in its order."""
    return tuple(PaperTask(**said) for said in _data()["tasks"])


def paper_summaries() -> tuple[PaperSummary, ...]:
    """Table 2, in its order."""
    return tuple(PaperSummary(**_with_tuples(said)) for said in _data()["summary"])


def paper_results() -> tuple[PaperResult, ...]:
    """Tables 5 to 16, in their order."""
    return tuple(PaperResult(**_with_tuples(said)) for said in _data()["results"])


def generic_results() -> tuple[GenericResult, ...]:
    """Table 4."""
    return tuple(GenericResult(**_with_tuples(said)) for said in _data()["generic"])


def _with_tuples(said: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _numbers(value) if isinstance(value, list) else value for key, value in said.items()}


def _numbers(values: list[Any]) -> tuple[float | None, ...]:
    return tuple(None if value == "-" else float(value) for value in values)


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("hvr.toml").read_text(encoding="utf-8"))
