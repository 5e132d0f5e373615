"""Which of a paper's numbers stand beside ours in tables by domain.

Columns are matched by what they do (policy, style, source of the wording), not by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.policies.paper import PaperColumn, PaperLine, PaperTable, paper_tables


def paper_table(key: str) -> PaperTable:
    """A paper's table by domain, by the name of its numbers.

    Raises:
        InputError: an unknown key; the message names all keys.
    """
    tables = {name: table for name, table in paper_tables().items() if table.lines == "domains"}
    if key not in tables:
        raise InputError(f"there are no numbers of a paper's '{key}'; there are those of {', '.join(tables)}")
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


def summed(lines: Sequence[PaperLine | None]) -> PaperLine | None:
    """The sum over the lines that the paper has, in the columns that all of these have; None without any."""
    known = [line for line in lines if line is not None]
    if not known:
        return None
    return PaperLine(
        tasks=sum(line.tasks for line in known),
        values=tuple(map(sum, zip(*(line.numbers for line in known), strict=False))),
    )
