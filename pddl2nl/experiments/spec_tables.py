"""The tables that an experiment's file asks for, ``[[tables]]``: what `pddl2nl report` shows first."""

from __future__ import annotations

from collections.abc import Collection

from pddl2nl.experiments.layout import PAPER_TABLES, LayoutTable
from pddl2nl.experiments.toml_places import Kind, TOMLText, choice, list_of, near, text
from pddl2nl.policies.families import FAMILIES

__all__ = ["TABLE_KINDS", "layout_tables"]

_OF_FAMILIES = {table.kind: table.paper for family in FAMILIES.values() for table in family.paper.tables}
"""The kinds of tables laid out as in a family's paper, and the name of the paper's numbers that can stand in each."""
TABLE_KINDS = ("coverage", "runs", "suites", "families", "tokens", *_OF_FAMILIES)
"""The tables that an experiment may end in; `pddl2nl.reports.tables.TABLES` makes them."""
_TABLE: dict[str, Kind] = {
    "kind": choice(TABLE_KINDS),
    "title": text,
    "paper": choice((*PAPER_TABLES, *_OF_FAMILIES.values())),
    "columns": list_of(text),
}


def layout_tables(file: TOMLText, count: int, columns: Collection[str]) -> tuple[LayoutTable, ...]:
    """The tables of a file; one of coverage where it asks for none.

    Args:
        file: gets what is wrong.
        count: how many entries it has.
        columns: the labels that they may name.
    """
    found = []
    for number in range(count):
        keys = ("tables", str(number))
        said = file.table(_TABLE, *keys)
        if "kind" not in said and "kind" not in file.data["tables"][number]:
            file.wrong(f"'kind' is missing: one of {', '.join(TABLE_KINDS)}", *keys)
        for label in said.get("columns", ()):
            if label not in columns and file.sound:
                hint = near(label, columns) or f"; there are {', '.join(columns)}"
                file.wrong(f"no column is called '{label}'{hint}", *keys, "columns", value=label)
        kind, paper = said.get("kind", "coverage"), said.get("paper", "")
        if paper and (kind in _OF_FAMILIES or paper in _OF_FAMILIES.values()) and _OF_FAMILIES.get(kind) != paper:
            fits = (
                f"those of '{_OF_FAMILIES[kind]}' do"
                if kind in _OF_FAMILIES
                else f"there are {', '.join(PAPER_TABLES)}"
            )
            file.wrong(f"the numbers of '{paper}' do not stand in a table of the kind '{kind}'; {fits}", *keys, "paper")
        chosen = tuple(said.get("columns", ()))
        found.append(LayoutTable(kind, said.get("title", ""), paper, chosen))
    return tuple(found) or (LayoutTable("coverage"),)
