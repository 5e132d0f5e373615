"""Tables of a report: made once as data (`Table`), then written as text, CSV, Markdown, LaTeX, JSON or HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Protocol

from msgspec import structs

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.plugins import fails_alone, is_ours, provided
from pddl2nl.policies.paper import papers, system_tables
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.tables.coverage import coverage_table, runs_table
from pddl2nl.reports.tables.laid_out import laid_out_table
from pddl2nl.reports.tables.metrics import links_table, metrics_tables
from pddl2nl.reports.tables.model import FORMATS, Table, csv_text, print_tables, table_json, with_few_notes, written

__all__ = [
    "FORMATS",
    "Table",
    "TableKind",
    "csv_text",
    "links_table",
    "table_kinds",
    "metrics_tables",
    "print_tables",
    "runs_table",
    "table_json",
    "tables_of",
    "with_few_notes",
    "written",
]


class TableKind(Protocol):
    """Makes one kind of table of an experiment; ``paper`` allows a paper's numbers beside ours."""

    def __call__(self, gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
        """The table; raises `InputError` if it names an unknown table of a paper."""


_TABLES: Mapping[str, TableKind] = {
    "coverage": coverage_table,
    "runs": runs_table,
}


@lru_cache(maxsize=1)
def table_kinds() -> Mapping[str, TableKind]:
    """The kinds of tables that a specification may ask for, those of systems included; the default is ``coverage``."""
    made = {
        kind: table if is_ours(system.package) else partial(_foreign, kind, table)
        for system, own in reversed([*provided("tables")])
        for kind, table in own.items()
    }
    papers_have = {table.kind for paper in papers().values() for table in paper.tables}
    laid = {
        kind: made.get(kind) or partial(laid_out_table, kind)
        for kind in system_tables()
        if kind not in _TABLES and (kind in made or kind in papers_have)
    }
    return {**_TABLES, **laid}


def _foreign(kind: str, table: TableKind, gathered: Gathered, layout: LayoutTable, *, paper: bool) -> Table:
    """A table of another package; what goes wrong in it is told as its fault."""
    with fails_alone(f"the table '{kind}'", asked=True):
        made = table(gathered, layout, paper=paper)
        if not isinstance(made, Table):
            raise InputError(f"the table '{kind}': expected a Table, found a {type(made).__name__}")
    return made


def tables_of(gathered: Gathered, *, paper: bool = True, seeds: bool = False) -> tuple[Table, ...]:
    """The tables that the specification asks for, each with a unique key.

    ``paper`` allows a paper's numbers; ``seeds`` shows a column for each seed in those of coverage.

    Raises:
        InputError: the layout asks for an unknown kind of table or an unknown table of a paper.
    """
    made: dict[str, Table] = {}
    for wanted in gathered.layout.tables or (LayoutTable("coverage"),):
        wanted = structs.replace(wanted, seeds=wanted.seeds or seeds)
        # The core's kinds first: those of systems are imported only where one is asked for.
        kind = _TABLES.get(wanted.kind) or table_kinds().get(wanted.kind)
        if kind is None:
            known = ", ".join(table_kinds())
            raise InputError(f"the experiment asks for an unknown kind of table '{wanted.kind}'; the kinds are {known}")
        table = kind(gathered, wanted, paper=paper)
        key = wanted.paper or table.key
        number = sum(name == key or name.startswith(f"{key}-") for name in made)
        key = f"{key}-{number + 1}" if key in made else key
        made[key] = replace(table, key=key)
    return tuple(made.values())
