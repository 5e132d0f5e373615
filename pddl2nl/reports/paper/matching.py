"""Which of the paper's columns and rows are those of an experiment.

Columns are told by what they do (policy, style, where the wording came from), whatever the experiment calls them. The
suites of the International Planning Competitions have longer names in the collections that people have
(``transport-opt08-strips``) than in the paper (``transport08``), which does not say whether it took the optimal or the
satisficing track of a year: the optimal one is taken where an experiment has both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.reports.paper import PaperColumn, PaperLine, PaperTable

__all__ = ["SuiteName", "columns_beside", "domain_lines", "same_column", "suite_lines", "suite_name", "summed"]

_FOLDER = re.compile(
    r"(?P<family>[a-z][a-z0-9-]*?)(?:-(?P<track>opt|sat|agl|mco|seq-opt|seq-sat))?-?(?P<year>\d\d)?"
    r"(?:-(?:strips|adl|typed|untyped))*",
    re.IGNORECASE,
)

_YEARS: Mapping[str, str] = MappingProxyType(
    {
        "blocks": "00",
        "childsnack": "14",
        "data-network": "18",
        "depot": "02",
        "driverlog": "02",
        "freecell": "00",
        "ged": "14",
        "gripper": "98",
        "hiking": "14",
        "labyrinth": "23",
        "movie": "98",
        "mprime": "98",
        "mystery": "98",
        "pipesworld-notankage": "04",
        "pipesworld-tankage": "04",
        "rovers": "06",
        "satellite": "02",
        "snake": "18",
        "termes": "18",
        "tpp": "06",
        "zenotravel": "02",
    }
)
"""The years of suites of one competition alone, whose folders in collections of benchmarks may have none."""

_TRACKS = ("opt", "seq-opt", "", "sat", "seq-sat", "agl", "mco")


@dataclass(frozen=True)
class SuiteName:
    """A suite's name taken apart: ``transport``, ``08``, ``opt``; year and track empty where there is none."""

    family: str
    year: str = ""
    track: str = ""

    @property
    def short(self) -> str:
        """As the paper writes it: ``transport08``."""
        return self.family + self.year

    @property
    def age(self) -> tuple[int, str]:
        """Sorts by the year, of which only the last two digits are written: 98 is before 00."""
        return (int(self.year) + (100 if self.year < "90" else 0) if self.year else 0, self.year)


def suite_name(label: str) -> SuiteName:
    """The parts of a suite's or its folder's name; one that is built otherwise is a family of its own."""
    found = _FOLDER.fullmatch(label)
    if found is None:
        return SuiteName(label)
    family = found["family"].lower()
    return SuiteName(family, found["year"] or _YEARS.get(family, ""), (found["track"] or "").lower())


def same_column(paper: PaperColumn, ours: LayoutColumn) -> bool:
    """Whether a column of ours does what one of the paper does, with whatever model."""
    if (paper.kind, paper.policy) != (ours.kind, ours.policy):
        return False
    if paper.kind != "model":
        return True
    return paper.style == ours.style and paper.wording in (_origin(ours), "")


def columns_beside(table: PaperTable, columns: Iterable[LayoutColumn]) -> tuple[int, ...]:
    """Which columns of the paper's table have at least one like them among ours, in the paper's order."""
    ours = tuple(columns)
    return tuple(
        place for place, paper in enumerate(table.columns) if any(same_column(paper, column) for column in ours)
    )


def domain_lines(table: PaperTable, rows: Sequence[LayoutRow]) -> tuple[PaperLine | None, ...]:
    """For each row of ours the paper's, by domain, section and variant; None where it has none.

    Rows of an experiment without sections are taken for those of the primary set.
    """
    known = {(line.label, line.section, line.variant.lower()): line for line in table.rows}
    return tuple(known.get((row.label.lower(), row.section or "primary", row.variant.lower())) for row in rows)


def suite_lines(table: PaperTable, rows: Sequence[LayoutRow]) -> tuple[PaperLine | None, ...]:
    """For each suite of ours the paper's; where two come to the same, one alone has it: the optimal track's."""
    known = {line.label: line for line in table.rows}
    names = [suite_name(row.label) for row in rows]
    chosen: dict[str, int] = {}
    for place, name in enumerate(names):
        before = chosen.get(name.short)
        if not rows[place].variant and (before is None or _track(name) < _track(names[before])):
            chosen[name.short] = place
    return tuple(known.get(name.short) if chosen.get(name.short) == place else None for place, name in enumerate(names))


def summed(lines: Sequence[PaperLine | None]) -> PaperLine | None:
    """The sum over those of the lines that the paper has; None where it has none of them.

    It reaches as far as every line has numbers.
    """
    known = [line for line in lines if line is not None]
    if not known:
        return None
    width = min(len(line.values) for line in known)
    return PaperLine(
        tasks=sum(line.tasks for line in known),
        domains=sum(line.domains for line in known),
        values=tuple(sum(line.values[place] for line in known) for place in range(width)),
    )


def _track(name: SuiteName) -> int:
    return _TRACKS.index(name.track)


def _origin(column: LayoutColumn) -> str:
    """Where a column's wording came from, in the paper's terms: whatever is no template was made by a model."""
    if column.style == "pddl":
        return ""
    said = f"{column.label} {column.wording}".lower()
    if "planbench" in said or "valm" in said:
        return "planbench"
    return "template" if column.wording == "template" else "llm"
