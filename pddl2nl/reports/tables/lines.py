"""What all formats of tables share: text on one line, headings in full."""

from __future__ import annotations

import unicodedata
from itertools import groupby

from pddl2nl.reports.tables.model import Heading, Table

__all__ = ["full_heading", "groups_of", "one_line"]


def one_line(text: str) -> str:
    """The text on one line, without control characters: what models and files say may hold any."""
    kept = "".join("�" if _controls(character) else character for character in " ".join(text.split()))
    return kept.encode("utf-8", "replace").decode("utf-8")


def _controls(character: str) -> bool:
    # Cc: escapes that a terminal obeys; Cf: marks that reorder what is read, as in "Trojan source"; Cs: lone halves.
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")


def full_heading(heading: Heading) -> str:
    """A column's heading on one line: ``NL Act``, ``paper: NL Act``."""
    said = one_line(f"{heading.group} {heading.name}".strip())
    return f"paper: {said}" if heading.paper else said


def groups_of(table: Table) -> tuple[tuple[str, int], ...]:
    """The headings above columns that stand together, each with how many columns it is over; empty ones too."""

    def above(heading: Heading) -> str:
        group = one_line(heading.group)
        return (f"paper: {group}" if group else "paper") if heading.paper else group

    return tuple((name, len(tuple(each))) for name, each in groupby(map(above, table.headings)))
