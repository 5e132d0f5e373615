"""The files of a domain, its problems, plans and wording under other names, and the mapping that restores them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
class RenamedFiles:
    """The files of a domain, problems, plans and perhaps a wording under other names.

    Attributes:
        paths: the given files: domain, problems, plans.
        domain, problems, plans: what they hold.
        given_wording: a wording to rename; None for the template's of the new names.
        renaming: of the domain and its problems; for the way back its inverse.
        old_names: for the way back, names of files by their names now; None otherwise.
    """

    paths: Sequence[Path]
    domain: Domain
    problems: Sequence[Problem]
    plans: Sequence[Plan]
    given_wording: Wording | None
    renaming: TaskRenaming
    old_names: Mapping[str, str] | None = None

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The texts by the names of their files: domain, problems, plans; the old names if they are all different."""
        renaming, old = self.renaming, self.old_names or {}
        texts = [
            write_domain(renaming.domain(self.domain)),
            *(write_problem(renaming.problem(p)) for p in self.problems),
        ]
        texts += [plan_text(renaming.plan(each)) for each in self.plans]
        plain = ["domain.pddl", *(f"problem{number}.pddl" for number in range(1, len(self.problems) + 1))]
        plain += [f"plan{number}.plan" for number in range(1, len(self.plans) + 1)]
        before = [old.get(path.name, name) for path, name in zip(self.paths, plain, strict=True)]
        names = before if len({*before, "wording.json", "mapping.json"}) == len(before) + 2 else plain
        return dict(zip(names, texts, strict=True))

    @cached_property
    def wording(self) -> Wording | None:
        """Of the new names; None on the way back if none was given."""
        domain = self.renaming.domain(self.domain)
        if self.given_wording is not None:
            return check_wording(self.renaming.wording(self.given_wording), domain)
        return template_wording(domain) if self.old_names is None else None

    @cached_property
    def mapping(self) -> Mapping[str, Any]:
        """The content of mapping.json."""
        names = {new: old.name for new, old in zip(self.files, self.paths, strict=True)}
        return {**self.renaming.as_json(), "files": names}

    @property
    def warnings(self) -> Iterator[str]:
        """The names in plans that were not renamed."""
        for path, plan in zip(self.paths[1 + len(self.problems) :], self.plans, strict=True):
            if unknown := self.renaming.unknown(plan):
                yield f"{path}: {', '.join(unknown)}: not in the domain or problems given; such names stay"

    @property
    def telling_names(self) -> list[str]:
        """The given names of objects that may tell what they are: those with three letters in a row."""
        objects = [*self.domain.constants, *(item for problem in self.problems for item in problem.objects)]
        return [name for name in dict.fromkeys(item.name for item in objects) if _WORD.search(name)]

    def all_files(self) -> dict[str, str]:
        """The texts of all files, with mapping.json unless old names were restored."""
        files = dict(self.files)
        if self.wording is not None:
            files["wording.json"] = _json_text(self.wording.to_json())
        if self.old_names is None:
            files["mapping.json"] = _json_text(self.mapping)
        return files

    def as_json(self, out: Path | None) -> dict[str, Any]:
        """The object that ``pddl2nl tasks obfuscate --json`` prints; ``out`` is the folder of the files, if any."""
        entries = [
            {"file": str(path), "out": None if out is None else str(out / name), "text": text}
            for path, (name, text) in zip(self.paths, self.files.items(), strict=True)
        ]
        plans = 1 + len(self.problems)
        return {
            "reversed": self.old_names is not None,
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
        if self.given_wording is not None and self.wording is not None:
            files["wording.json"] = _json_text(self.wording.to_json())
        texts = "".join(f"; {name}\n{text}\n" for name, text in files.items())
        tables = self.renaming.tables()
        lines = [f"; {kind}: {old} -> {new}" for kind, table in tables.items() for old, new in table.items()]
        return "\n".join([f"{texts}; the mapping", *lines])


def _json_text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


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
