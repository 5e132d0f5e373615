"""The wordings of an experiment's domains: each column's label of one, found for every domain that it is for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.experiments.spec_columns import SpecColumn
from pddl2nl.experiments.spec_options import References
from pddl2nl.experiments.spec_parts import SpecDomain
from pddl2nl.experiments.spec_variables import unset
from pddl2nl.experiments.toml_places import TOMLText, near
from pddl2nl.nl import Wording, template_wording

__all__ = ["wording_file", "worded"]

_WORDS = ("default", "template", "llm")
_DOMAIN = "{domain}"
"""Stands in a wording for what the domain is called: a file for each."""


def wording_file(label: str, domain: SpecDomain) -> str:
    """What a wording is called for a domain: ``w/{domain}.json`` is a file for each."""
    return label.replace(_DOMAIN, domain.row or domain.label)


def worded(
    columns: Sequence[SpecColumn],
    domains: Sequence[SpecDomain],
    of_all: Sequence[str] | None,
    references: References,
    file: TOMLText,
    left_out: list[str],
    notes: list[str],
) -> tuple[tuple[SpecColumn, ...], tuple[SpecDomain, ...]]:
    """The columns that have their wordings, and the domains with them.

    Args:
        columns: optional ones are left out where a file is not there.
        domains: without wordings.
        of_all: the wordings that every domain has, whatever its columns; None where columns name them.
        references: finds files.
        file: gets what is wrong.
        left_out: gets a sentence for what is not there; ``notes`` for what a person should look at.
    """
    columns = tuple(_there(columns, domains, references, file, left_out))
    reading = _Wordings(references, file)
    # A walk is told by the default wording where there is one, for the record; none is found for it in a file that
    # multiplies others, as its runs have had their names without.
    naming = columns if of_all is None else [column for column in columns if column.kind == "model"]
    shared = of_all or ()
    labels = dict.fromkeys((*shared, *(label for column in naming for label in column.wordings)))
    found: dict[str, dict[str, Wording | str]] = {one.label: {} for one in domains}
    for label in labels:
        users = [column for column in columns if label in column.wordings]
        wanted = [one for one in domains if label in shared or any(column.fits(one) for column in users)]
        reading.read(label, users, wanted, found, left_out)
    return columns, tuple(_looked_at(replace(one, wordings=found[one.label]), notes) for one in domains)


def _there(
    columns: Sequence[SpecColumn],
    domains: Sequence[SpecDomain],
    references: References,
    file: TOMLText,
    left_out: list[str],
) -> Iterator[SpecColumn]:
    """The columns but for optional ones that need a file which is there for none of their domains."""
    missing_files: dict[tuple[int | None, Path], list[str]] = {}
    for column in columns:
        optional = column.entry is not None and file.data["columns"][column.entry].get("optional") is True
        # What some domains have is left out for the others alone, as of columns that are not optional.
        missing = [
            paths[0]
            for label in column.wordings
            if optional and label not in _WORDS
            if (paths := [references.path(wording_file(label, one)) for one in domains if column.fits(one)])
            if not any(path.is_file() for path in paths)
        ]
        if missing:
            missing_files.setdefault((column.entry, missing[0]), []).append(column.label)
        else:
            yield column
    for (_, path), labels in missing_files.items():
        left_out.append(f"column {', '.join(labels)}: there is no file {path}")


class _Wordings:
    """Finds wordings, and notes where none of the domains has one."""

    def __init__(self, references: References, file: TOMLText):
        self._references = references
        self._file = file

    def read(
        self,
        label: str,
        users: Sequence[SpecColumn],
        domains: Sequence[SpecDomain],
        found: dict[str, dict[str, Wording | str]],
        left_out: list[str],
    ) -> None:
        """One wording for some domains; a file that fits some of them is left out for the others."""
        if unset(label):
            return
        misfits: dict[str, str] = {}
        for one in domains:
            try:
                found[one.label][label] = self._wording(label, one)
            except InputError as error:
                misfits[one.label] = str(error)
        if not domains or len(misfits) < len(domains):
            left_out += [f"wording {label} for {name}: {reason}" for name, reason in misfits.items()]
            return
        reason = next(iter(misfits.values()))
        places = [column.where for column in users if column.where] or [()]
        if places[0]:
            self._file.wrong(f"'wording': {reason}", *places[0], "wording", value=label)
        else:
            self._file.wrong(f"'wordings': {reason}", "wordings", value=label)

    def _wording(self, label: str, one: SpecDomain) -> Wording | str:
        if label == "llm":
            return label
        if label in ("default", "template"):
            return one.worded(None if label == "default" else label)
        name = wording_file(label, one)
        path = self._references.path(name)
        if not path.is_file():
            raise InputError(
                f"{name!r} is none of {', '.join(_WORDS)}, and there is no file {path}{near(name, _WORDS)}"
            )
        return one.worded(str(path))


def _looked_at(one: SpecDomain, notes: list[str]) -> SpecDomain:
    worded = one.wordings.get("default")
    if one.renamed and isinstance(worded, Wording) and worded != template_wording(one.domain):
        notes.append(
            f"{one.label}: its default wording tells what things are, as the domain's own did; "
            'wordings = ["template"] tells its new names alone'
        )
    return one
