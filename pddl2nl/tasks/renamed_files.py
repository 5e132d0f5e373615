"""The files of a domain, its problems, plans and wording under other names, and the mapping that restores them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.files import parse_json, read_text
from pddl2nl.nl import check_wording, template_wording
from pddl2nl.pddl import Domain, Problem, write_domain, write_problem
from pddl2nl.tasks.renaming import TaskRenaming, plan_text, renaming_from_json
from pddlval import Plan

if TYPE_CHECKING:
    from pddl2nl.nl import Wording

_WORD = re.compile(r"[^\W\d_]{3}")
_APART = re.compile(r'[/\\:*?"<>|]')
_LONGEST = 100


@dataclass(frozen=True)
class TaskFileSet:
    """A domain with problems, plans and perhaps a wording; ``paths`` are its files: domain, problems, plans."""

    paths: Sequence[Path]
    domain: Domain
    problems: Sequence[Problem]
    plans: Sequence[Plan]
    wording: Wording | None = None


@dataclass(frozen=True)
class RenamedFiles:
    """The renamed files.

    Attributes:
        given: what was renamed; ``renaming`` how, and ``restored`` whether old names were restored.
        files: the texts by the names of their files: domain, problems, plans.
        wording: of the new names; None if there is none.
        mapping: the content of mapping.json.
        warnings: names in plans that were not renamed.
    """

    given: TaskFileSet
    renaming: TaskRenaming
    restored: bool
    files: Mapping[str, str]
    wording: Wording | None
    mapping: Mapping[str, Any]
    warnings: tuple[str, ...]

    @property
    def wording_text(self) -> str:
        """The wording as JSON; empty if there is none."""
        return "" if self.wording is None else json.dumps(self.wording.to_json(), indent=2, ensure_ascii=False) + "\n"

    def all_files(self) -> dict[str, str]:
        """The texts of all files, with mapping.json unless old names were restored."""
        files = dict(self.files)
        if self.wording is not None:
            files["wording.json"] = self.wording_text
        if not self.restored:
            files["mapping.json"] = json.dumps(self.mapping, indent=2, ensure_ascii=False) + "\n"
        return files

    def as_json(self, out: Path | None) -> dict[str, Any]:
        """The object that ``pddl2nl tasks obfuscate --json`` prints; ``out`` is the folder of the files, if any."""
        entries = [
            {"file": str(path), "out": None if out is None else str(out / name), "text": text}
            for path, (name, text) in zip(self.given.paths, self.files.items(), strict=True)
        ]
        plans = 1 + len(self.given.problems)
        return {
            "reversed": self.restored,
            "scheme": self.renaming.scheme,
            "seed": self.renaming.seed,
            "domain": entries[0],
            "problems": entries[1:plans],
            "plans": entries[plans:],
            "wording": None if self.wording is None else self.wording.to_json(),
            "mapping": self.mapping,
        }

    def as_text(self) -> str:
        """The texts under their names, with the wording if one was given, and the mapping of names."""
        files = dict(self.files)
        if self.given.wording is not None:
            files["wording.json"] = self.wording_text
        texts = "".join(f"; {name}\n{text}\n" for name, text in files.items())
        tables = self.renaming.tables()
        lines = [f"; {kind}: {old} -> {new}" for kind, table in tables.items() for old, new in table.items()]
        return "\n".join([f"{texts}; the mapping (variables: see --json or --out)", *lines])


def rename_files(
    given: TaskFileSet, renaming: TaskRenaming, old_names: Mapping[str, str] | None = None
) -> RenamedFiles:
    """Renames a set of files.

    Args:
        given: what is renamed.
        renaming: of a domain and its problems; for the way back its inverse.
        old_names: for the way back, names of files by their names now; a wording is made by the template otherwise.
    """
    domain = renaming.domain(given.domain)
    texts = [write_domain(domain), *(write_problem(renaming.problem(each)) for each in given.problems)]
    texts += [plan_text(renaming.plan(each)) for each in given.plans]
    files = dict(zip(_names(given, old_names or {}), texts, strict=True))
    wording: Wording | None = None
    if given.wording is not None:
        wording = check_wording(renaming.wording(given.wording), domain)
    elif old_names is None:
        wording = template_wording(domain)
    names = {new: old.name for new, old in zip(files, given.paths, strict=True)}
    mapping = {**renaming.as_json(), "files": names}
    warnings = tuple(_unknown(given, renaming))
    return RenamedFiles(given, renaming, old_names is not None, files, wording, mapping, warnings)


def read_mapping(path: Path) -> tuple[TaskRenaming, dict[str, str]]:
    """The inverse of the renaming in a mapping.json, and the old names of the files.

    Raises:
        InputError: the file cannot be read, or is no mapping.
    """
    data = parse_json(read_text(path), str(path))
    renaming = renaming_from_json(data, str(path))
    files = data.get("files")
    named = files.items() if isinstance(files, dict) else ()
    # Plain file names only: a mapping must not write outside of its folder.
    return renaming.inverse, {new: old for new, old in named if isinstance(old, str) and _is_file_name(old)}


def _is_file_name(name: str) -> bool:
    """Whether every system takes this for the name of a file in the folder itself."""
    return name.isprintable() and name.strip(". ") == name != "" and not _APART.search(name) and len(name) < _LONGEST


def _names(given: TaskFileSet, old: Mapping[str, str]) -> list[str]:
    """The names of the files to write: the old ones if they are all different."""
    plain = ["domain.pddl", *(f"problem{number}.pddl" for number in range(1, len(given.problems) + 1))]
    plain += [f"plan{number}.plan" for number in range(1, len(given.plans) + 1)]
    before = [old.get(path.name, name) for path, name in zip(given.paths, plain, strict=True)]
    return before if len({*before, "wording.json", "mapping.json"}) == len(before) + 2 else plain


def _unknown(given: TaskFileSet, renaming: TaskRenaming) -> Iterator[str]:
    for path, plan in zip(given.paths[1 + len(given.problems) :], given.plans, strict=True):
        if unknown := renaming.unknown(plan):
            yield f"{path}: {', '.join(unknown)}: not in the domain or problems given; such names stay"


def telling_names(given: TaskFileSet) -> list[str]:
    """The names of objects that may tell what they are: those with three letters in a row."""
    objects = [*given.domain.constants, *(item for problem in given.problems for item in problem.objects)]
    return [name for name in dict.fromkeys(item.name for item in objects) if _WORD.search(name)]
