"""Classifies the files of a folder: PDDL domains, PDDL problems, and others with a reason.

The content decides: the word after ``(define (``. Files are not parsed, so thousands take a second; faults that a quick
look can find are reported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pddl2nl.errors import InputError
from pddl2nl.files import decode
from pddl2nl.pddl.nesting import prepare

_HEAD = 4096
"""Bytes that are read of a file without an ending of PDDL."""
_BIGGEST = 1 << 26
_PDDL_ENDINGS = ("", ".pddl")
_SPARE = re.compile(r".*(~|\.(bak|orig|old|swp|tmp|rej))|#.*#", re.IGNORECASE)
_DEFINE = re.compile(r"\(\s*define\s*\(\s*([^\s()]+)\s*([^\s()]*)")
_OF_DOMAIN = re.compile(r"\(\s*:domain\s+([^\s()]+)")
_DIGITS = re.compile(r"(\d+)")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class PDDLFile:
    """A file with a domain or a problem.

    Attributes:
        folder: the folder's names from the root of the search down to it.
        file: its name.
        kind: what it defines.
        name: the name of that, in lower case.
        of_domain: the name of the domain in a problem; empty without one.
    """

    folder: tuple[str, ...]
    file: str
    kind: Literal["domain", "problem"]
    name: str
    of_domain: str = ""

    @property
    def stem(self) -> str:
        """The file's name without its ending; a number after a dot is not an ending."""
        head, dot, ending = self.file.rpartition(".")
        return head if dot and head and not ending[:1].isdigit() else self.file

    @property
    def path(self) -> str:
        """The path from the root of the search."""
        return "/".join((*self.folder, self.file))


@dataclass(frozen=True)
class LeftOver:
    """A file or folder that is part of no task, by its path from the root of the search, and the reason."""

    file: str
    reason: str


@dataclass
class Looked:
    """The files found in a folder and below it."""

    domains: list[PDDLFile] = field(default_factory=list)
    problems: list[PDDLFile] = field(default_factory=list)
    left_over: list[LeftOver] = field(default_factory=list)

    def add(self, found: PDDLFile | LeftOver) -> None:
        """Adds a file to its list."""
        if isinstance(found, LeftOver):
            self.left_over.append(found)
        else:
            (self.domains if found.kind == "domain" else self.problems).append(found)


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts ``p2`` before ``p10``."""
    parts = _DIGITS.split(text.lower())
    return (*((0, int(part), part) if number % 2 else (1, 0, part) for number, part in enumerate(parts)), (2, 0, text))


def look_around(root: Path) -> Looked:
    """Classifies every file in a folder and below it, in natural order; links are followed, but not in circles.

    Raises:
        InputError: no such folder, or it cannot be read.
    """
    if not root.is_dir():
        found = "a file, and a folder was expected" if root.exists() else "no such folder"
        raise InputError(f"{root}: {found}")
    looked = Looked()
    for entry, folder in _files(root, looked):
        looked.add(look_at(Path(entry.path), folder))
    return looked


def _files(root: Path, looked: Looked) -> Iterator[tuple[os.DirEntry[str], tuple[str, ...]]]:
    seen = {os.path.realpath(root): "."}
    waiting: list[tuple[Path, tuple[str, ...]]] = [(root, ())]
    while waiting:
        path, folder = waiting.pop()
        try:
            entries = sorted(os.scandir(path), key=lambda entry: natural(entry.name))
        except OSError as error:
            if not folder:
                raise InputError(f"{root}: the folder cannot be read: {error.strerror}") from None
            looked.add(LeftOver("/".join(folder), f"the folder cannot be read: {error.strerror}"))
            continue
        below = []
        for entry in entries:
            here = "/".join((*folder, entry.name))
            if entry.name.startswith(".") or entry.name == "__pycache__":
                looked.add(LeftOver(here, "hidden"))
            elif entry.is_dir():
                real = os.path.realpath(entry.path)
                if real in seen:
                    looked.add(LeftOver(here, f"leads to {seen[real]}, which was looked at already"))
                    continue
                seen[real] = here
                below.append((Path(entry.path), (*folder, entry.name)))
            elif entry.is_file():
                yield entry, folder
            else:
                reason = "a link that leads nowhere" if entry.is_symlink() else "no plain file"
                looked.add(LeftOver(here, reason))
        waiting += reversed(below)


def look_at(path: Path, folder: tuple[str, ...] = ()) -> PDDLFile | LeftOver:
    """Classifies a file; ``folder`` is its folder as in `PDDLFile`."""
    here = "/".join((*folder, path.name))
    if _SPARE.fullmatch(path.name):
        return LeftOver(here, "by its name a copy that an editor or a tool has put aside")
    is_pddl = path.suffix.lower() in _PDDL_ENDINGS
    try:
        data = _bytes(path, is_pddl)
    except OSError as error:
        return LeftOver(here, f"cannot be read: {error.strerror}")
    if not data.strip():
        return LeftOver(here, "empty")
    if data[:2] in _UTF16:
        return LeftOver(here, "UTF-16; a text in UTF-8 was expected")
    text = prepare(decode(data).text)
    defined = (
        {match[1]: match[2] for match in reversed([*_DEFINE.finditer(text)])} if _may_define(text, is_pddl) else {}
    )
    if "domain" in defined and "problem" in defined:
        return LeftOver(here, "holds a domain and a problem in one file; they must stand in two")
    for kind in ("domain", "problem"):
        if kind in defined:
            reason = _broken(text, kind, defined[kind])
            if reason:
                return LeftOver(here, reason)
            of_domain = _OF_DOMAIN.search(text)
            return PDDLFile(
                folder,
                path.name,
                "domain" if kind == "domain" else "problem",
                defined[kind],
                of_domain[1] if of_domain is not None and kind == "problem" else "",
            )
    if defined:
        return LeftOver(here, f"defines a '{next(iter(defined))}', which is neither a domain nor a problem")
    return LeftOver(here, "neither a domain nor a problem: no (define (domain …) or (define (problem …) in it")


def _bytes(path: Path, is_pddl: bool) -> bytes:
    with path.open("rb") as file:
        head = file.read(_HEAD)
        # Files with another ending are mostly something else: a plan, a table, a text.
        if is_pddl or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"(", b";"):
            head += file.read(_BIGGEST)
    return head


def _may_define(text: str, is_pddl: bool) -> bool:
    """Whether a definition in the text is meant as one, rather than an example in a text about something else."""
    return is_pddl or _DEFINE.match(text.lstrip()) is not None


def _broken(text: str, kind: str, name: str) -> str:
    """The fault that a quick look finds in a domain or a problem; empty without one."""
    missing = text.count("(") - text.count(")")
    if missing > 0 and len(text) < _BIGGEST:
        many = f"{missing} parentheses are" if missing > 1 else "a parenthesis is"
        return f"a {kind} that is cut off or broken: {many} never closed"
    return "" if name else f"a {kind} that is broken: it has no name"
