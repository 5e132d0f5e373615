"""Which numbers of the AutoPlanBench paper (Stein, Fišer, Hoffmann and Koller, ICAPS 2025) stand beside ours.

Columns are matched by what they do (policy, style, source of the wording), not by name. IPC suites have longer names in
collections (``transport-opt08-strips``) than in the paper (``transport08``), which does not name the track of a year:
the optimal one is taken if an experiment has both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.policies.paper import PaperColumn, PaperLine, PaperTable, paper_tables


def paper_table(key: str) -> PaperTable:
    """A table of the paper, by its key.

    Raises:
        InputError: an unknown key; the message names all keys.
    """
    tables = {name: table for name, table in paper_tables().items() if table.lines == "domains"}
    if key not in tables:
        raise InputError(f"there are no numbers of the paper's '{key}'; there are those of {', '.join(tables)}")
    return tables[key]


# ── which of our columns and rows are the paper's ────────────────────────────────────────────────


def same_column(paper: PaperColumn, ours: LayoutColumn) -> bool:
    """Whether a column of ours does what one of the paper does, with any model."""
    if (paper.kind, paper.policy) != (ours.kind, ours.policy):
        return False
    return paper.kind != "model" or (paper.style == ours.style and paper.wording in (_origin(ours), ""))


def _origin(column: LayoutColumn) -> str:
    """The source of a column's wording in the paper's terms: anything but a template was made by a model."""
    if column.style == "pddl":
        return ""
    described = f"{column.label} {column.wording}".lower()
    if "planbench" in described or "valm" in described:
        return "planbench"
    return "template" if column.wording == "template" else "llm"


def columns_beside(table: PaperTable, columns: Iterable[LayoutColumn]) -> tuple[int, ...]:
    """The paper's columns that are the same as one of ours, by index."""
    ours = tuple(columns)
    return tuple(
        place for place, paper in enumerate(table.columns) if any(same_column(paper, column) for column in ours)
    )


def domain_lines(table: PaperTable, rows: Sequence[LayoutRow]) -> tuple[PaperLine | None, ...]:
    """For each row of ours the paper's, by domain, section and variant; by default of the primary set."""
    known = {(line.label, line.section, line.variant.lower()): line for line in table.rows}
    return tuple(known.get((row.label.lower(), row.section or "primary", row.variant.lower())) for row in rows)


def suite_lines(table: PaperTable, rows: Sequence[LayoutRow]) -> tuple[PaperLine | None, ...]:
    """For each suite of ours the paper's; of two suites with the same short name, the optimal track has it."""
    known = {line.label: line for line in table.rows}
    chosen: dict[str, int] = {}
    names = [suite_name(row.label) for row in rows]
    for place in sorted(range(len(rows)), key=lambda place: _TRACKS.index(names[place].track)):
        if not rows[place].variant:
            chosen.setdefault(names[place].short, place)
    return tuple(known.get(name.short) if chosen.get(name.short) == place else None for place, name in enumerate(names))


def summed(lines: Sequence[PaperLine | None]) -> PaperLine | None:
    """The sum over the lines that the paper has, in the columns that all of these have; None without any."""
    known = [line for line in lines if line is not None]
    if not known:
        return None
    return PaperLine(
        tasks=sum(line.tasks for line in known),
        values=tuple(map(sum, zip(*(line.numbers for line in known), strict=False))),
    )


# ── names of suites ──────────────────────────────────────────────────────────────────────────────

_FOLDER = re.compile(
    r"(?P<family>[a-z][a-z0-9-]*?)(?:-(?P<track>opt|sat|agl|mco|seq-opt|seq-sat))?-?(?P<year>\d\d)?"
    r"(?:-(?:strips|adl|typed|untyped))*",
    re.IGNORECASE,
)

_TRACKS = ("opt", "seq-opt", "", "sat", "seq-sat", "agl", "mco")

_YEARS = {
    family: year
    for year, families in {
        "98": "gripper movie mprime mystery",
        "00": "blocks freecell",
        "02": "depot driverlog satellite zenotravel",
        "04": "pipesworld-notankage pipesworld-tankage",
        "06": "rovers tpp",
        "14": "childsnack ged hiking",
        "18": "data-network snake termes",
        "23": "labyrinth",
    }.items()
    for family in families.split()
}
"""The years of suites of a single competition, whose folders in collections of benchmarks may have no year."""


@dataclass(frozen=True)
class SuiteName:
    """The parts of a suite's name: ``transport``, ``08``, ``opt``; year and track may be empty."""

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
    """The parts of a suite's or its folder's name; any other name is a family of its own."""
    parts = _FOLDER.fullmatch(label)
    if parts is None:
        return SuiteName(label)
    family = parts["family"].lower()
    return SuiteName(family, parts["year"] or _YEARS.get(family, ""), (parts["track"] or "").lower())
