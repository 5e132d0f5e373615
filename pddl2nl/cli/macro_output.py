"""How the commands about macro-actions print them, and read the files that hold them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pddl2nl.cli.output import print_warnings, warn
from pddl2nl.errors import InputError

if TYPE_CHECKING:
    from pddl2nl.macros.library import StoredMacro
    from pddl2nl.pddl import Domain

__all__ = ["macro_json", "read_macros"]


def macro_json(stored: StoredMacro) -> dict[str, object]:
    """A macro as all commands print it."""
    from pddl2nl.macros.library import write_schema
    from pddl2nl.pddl import write_condition

    macro, known = stored.macro, stored.provenance
    return {
        "name": macro.name,
        "parameters": [{"name": item.name, "types": list(item.types)} for item in macro.parameters],
        "steps": [str(step) for step in macro.steps],
        "precondition": write_condition(macro.conditions.precondition),
        "effect": write_condition(macro.conditions.effect),
        "distinct": known.distinct,
        "description": known.description,
        "pddl": write_schema(macro.schema),
    }


def read_macros(paths: Iterable[Path], domain: Domain) -> list[StoredMacro]:
    """The macros of files and of all files in folders, with the exact conditions of their steps in the domain.

    Duplicates, up to names and the order of independent steps, are dropped. A warning names files in folders that the
    domain cannot use, and files with wrong conditions.

    Raises:
        InputError: a named file cannot be used, or there is no macro.
    """
    from pddl2nl.macros.mining import Canonical, canonical

    found: dict[tuple[Canonical, bool], StoredMacro] = {}
    for path in paths:
        for file in sorted(path.rglob("*.pddl")) if path.is_dir() else [path]:
            try:
                stored = _read_macro(file, domain)
            except InputError as error:
                if not path.is_dir():
                    raise
                print_warnings([f"left out: {error}"])
                continue
            found.setdefault((canonical(stored.macro, domain), stored.provenance.distinct), stored)
    if not found:
        raise InputError("there is no macro in these folders; 'pddl2nl macro learn' or 'compose' makes some")
    return list(found.values())


def _read_macro(file: Path, domain: Domain) -> StoredMacro:
    from pddl2nl.macros.library import load_macro_file, recomposed, write_schema

    said = load_macro_file(file, domain)
    exact = recomposed(said, domain)
    if write_schema(said.macro.schema) != write_schema(exact.macro.schema):
        warn(f"{file}: what it says is not word by word what its steps make in this domain, which is taken instead")
    return exact
