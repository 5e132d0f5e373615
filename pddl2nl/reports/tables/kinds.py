"""The tables of an experiment, by the kinds that a specification may ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutTable
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.tables.coverage import coverage_table, runs_table
from pddl2nl.reports.tables.families import FAMILY_TABLES
from pddl2nl.reports.tables.model import Table
from pddl2nl.reports.tables.suites import families_table, suites_table
from pddl2nl.reports.tables.tokens import tokens_table

__all__ = ["TABLES", "TableKind", "tables_of"]


class TableKind(Protocol):
    """Makes one kind of table of an experiment; ``paper`` says whether a paper's numbers may stand beside."""

    def __call__(self, gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
        """The table; raises `InputError` where it names numbers of a paper's table that there are none of."""


TABLES: Mapping[str, TableKind] = MappingProxyType(
    {
        "coverage": coverage_table,
        "runs": runs_table,
        "suites": suites_table,
        "families": families_table,
        "tokens": tokens_table,
        **FAMILY_TABLES,
    }
)
"""The kinds of tables that a specification may ask for; ``coverage`` where it asks for none."""


def tables_of(gathered: Gathered, *, paper: bool = True) -> tuple[Table, ...]:
    """The tables that the experiment is there for, each under a key of its own.

    Args:
        gathered: the experiment's runs.
        paper: whether a paper's numbers stand beside ours where the specification names a table of it.

    Raises:
        InputError: the layout asks for a kind of table, or a paper's numbers, that there are none of.
    """
    made: dict[str, Table] = {}
    for wanted in gathered.layout.tables or (LayoutTable("coverage"),):
        if wanted.kind not in TABLES:
            raise InputError(
                f"the experiment asks for a table of the kind '{wanted.kind}', which there is none of; there are "
                f"{', '.join(TABLES)}"
            )
        table = TABLES[wanted.kind](gathered, wanted, paper=paper)
        key = wanted.paper or table.key
        number = sum(name == key or name.startswith(f"{key}-") for name in made)
        key = f"{key}-{number + 1}" if key in made else key
        made[key] = replace(table, key=key)
    return tuple(made.values())
