"""The numbers of the AutoPlanBench paper's tables (Stein, Fišer, Hoffmann and Koller, ICAPS 2025), as data.

They stand beside one's own, marked as the paper's: `pddl2nl.reports.paper.matching` says which of its columns and rows
are those of an experiment. The papers of families are in their packages: `pddl2nl.policies.paper`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from pddl2nl.errors import InputError

__all__ = ["PaperColumn", "PaperLine", "PaperSource", "PaperTable", "paper_source", "paper_table", "paper_tables"]


@dataclass(frozen=True)
class PaperSource:
    """Where the numbers come from: the paper, how it is cited in short, its data, and the model that it asked."""

    title: str
    authors: tuple[str, ...]
    short: str
    url: str
    model: str


@dataclass(frozen=True)
class PaperColumn:
    """A column of the paper, described as `pddl2nl.experiments.layout.LayoutColumn` describes ours.

    ``wording`` is ``llm`` for the paper's own generated ones, ``template``, or ``planbench`` for those that PlanBench's
    authors wrote by hand; empty where nothing is told in natural language, or where generated ones and templates came
    to the same.
    """

    name: str
    group: str = ""
    kind: str = "model"
    policy: str = ""
    style: str = ""
    wording: str = ""

    @property
    def label(self) -> str:
        """The column on one line: ``NL Act``."""
        return f"{self.group} {self.name}".strip()


@dataclass(frozen=True)
class PaperLine:
    """A line, or a sum: of how many ``tasks`` (0 where the paper does not say), and a number a column.

    ``values`` is shorter than the columns where the last ones are blank in the paper, and empty in a blank line.
    ``domains`` counts what a line puts together, where it does.
    """

    label: str = ""
    section: str = ""
    variant: str = ""
    tasks: int = 0
    domains: int = 1
    values: tuple[int, ...] = ()

    def value(self, column: int) -> int | None:
        """The number in a column; None where it is blank."""
        return self.values[column] if column < len(self.values) else None


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper; ``sums`` are those that it prints, by section, ``notes`` what its numbers are."""

    key: str
    title: str
    columns: tuple[PaperColumn, ...]
    rows: tuple[PaperLine, ...]
    sums: tuple[PaperLine, ...]
    notes: tuple[str, ...] = ()


def paper_tables() -> tuple[str, ...]:
    """The keys of the tables that are there: ``table-2``, …"""
    return tuple(key for key in _data() if key != "source")


def paper_source() -> PaperSource:
    """The paper that the numbers are of."""
    said = _data()["source"]
    return PaperSource(**said | {"authors": tuple(said["authors"])})


def paper_table(key: str) -> PaperTable:
    """A table of the paper, by its key.

    Raises:
        InputError: there are no numbers of such a table; the message names those that are there.
    """
    if key not in paper_tables():
        raise InputError(f"there are no numbers of the paper's '{key}'; there are those of {', '.join(paper_tables())}")
    said = _data()[key]
    return PaperTable(
        key,
        said["title"],
        tuple(PaperColumn(**column) for column in said["columns"]),
        tuple(_line(row) for row in said["rows"]),
        tuple(_line(row) for row in said["sums"]),
        tuple(said["notes"]),
    )


def _line(row: Mapping[str, Any]) -> PaperLine:
    return PaperLine(**{**row, "values": tuple(row["values"])})


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__name__).joinpath("autoplanbench.toml").read_text(encoding="utf-8"))
