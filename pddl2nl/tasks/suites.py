"""Finds the tasks in a folder with the layout of a benchmark collection: problems with their domains, in suites.

Layouts differ: one ``domain.pddl`` for all problems beside or below it, one domain for each problem
(``p01-domain.pddl``, ``domain_p01.pddl``, ``domains/domain-1.pddl``), one folder for each task, separate folders for
domains and problems. A file's content decides what it is, by the word after ``(define (``: files are not parsed, so
thousands take a second, but faults that a quick look can find are reported. Files that are part of no task are listed
with a reason.

The domain of a problem is the nearest: first the domains in the problem's folder, then those in folders beside it that
have only domains (``domains/`` beside ``instances/``), then the same for the folder above, up to the root. Among
several, these decide in order: the name of the domain in the problem, the names of the files (``p01-domain`` and
``p01-airport1-p1``), the names of the folders, the numbers in the names. A pairing is a guess if none of these decides,
or if the domain in the problem has another name.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Literal

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import decode, natural
from pddl2nl.pddl.nesting import prepare

_TASK_FOLDER = re.compile(r"(?:p|prob|problem|pfile|instance|inst|task|test|t|s)?[-_ ]?\d+(?:[-_ .].*)?", re.IGNORECASE)
_PLAIN_PROBLEM = re.compile(r"problem|prob|task|instance|p|pfile|problem[-_]?file", re.IGNORECASE)
_SHOWN = 5
_SUITES_SHOWN = 20

_Folder = tuple[str, ...]


@dataclass(frozen=True)
class SuiteTask:
    """A task of a suite; its name is unique there.

    ``guess`` says whether the pairing of domain and problem may be wrong; ``rule`` decided it, ``why`` in words.
    """

    suite: str
    name: str
    domain: Path
    problem: Path
    guess: bool
    rule: Rule
    why: str

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"domain": str(self.domain), "problem": str(self.problem)}


@dataclass(frozen=True)
class Suite:
    """Tasks of one domain, which may have a different domain file for each task."""

    name: str
    tasks: tuple[SuiteTask, ...]

    def as_json(self) -> dict[str, object]:
        """The numbers of tasks, domains and guesses."""
        return {
            "suite": self.name,
            "tasks": len(self.tasks),
            "domains": len({task.domain for task in self.tasks}),
            "guesses": sum(task.guess for task in self.tasks),
        }


@dataclass(frozen=True)
class Collection:
    """The suites in a folder by name, and the files that are part of no task, with the reason."""

    root: Path
    suites: tuple[Suite, ...]
    left_over: tuple[LeftOver, ...]

    @property
    def tasks(self) -> tuple[SuiteTask, ...]:
        return tuple(task for suite in self.suites for task in suite.tasks)

    def only(self, patterns: Sequence[str]) -> Collection:
        """The suites whose names, or the last parts of these, match a pattern; letter case is ignored.

        Raises:
            InputError: a pattern matches no suite; the message suggests near names.
        """
        chosen = {suite.name for pattern in patterns for suite in self._named(pattern)}
        return replace(self, suites=tuple(suite for suite in self.suites if suite.name in chosen))

    def _named(self, pattern: str) -> list[Suite]:
        wanted = pattern.lower()
        found = [
            suite
            for suite in self.suites
            if any(fnmatchcase(name, wanted) for name in (suite.name.lower(), suite.name.lower().rpartition("/")[2]))
        ]
        if not found:
            names = [suite.name for suite in self.suites]
            shown = ", ".join(names[:_SUITES_SHOWN]) + (", …" if len(names) > _SUITES_SHOWN else "")
            hint = did_you_mean(pattern, names, f"; there are {shown}")
            raise InputError(f"no suite in {self.root} is called '{pattern}'{hint}")
        return found

    def as_json(self) -> dict[str, object]:
        return {
            "root": str(self.root),
            "suites": [suite.as_json() for suite in self.suites],
            "tasks": [task.as_json() for task in self.tasks],
            "left_over": [{"file": str(self.root / each.file), "reason": each.reason} for each in self.left_over],
        }


def find_suites(root: str | Path) -> Collection:
    """The tasks in a folder and below it.

    Raises:
        InputError: no such folder, it cannot be read, or it has no task; the message says what was found instead.
    """
    folder = Path(root)
    looked = look_around(folder)
    domains = FoundDomains(looked.domains, looked.problems, _above(folder, looked))
    pairings: list[Pairing] = []
    for problem in looked.problems:
        found = domains.pair(problem)
        if isinstance(found, str):
            looked.add(LeftOver(problem.path, found))
        else:
            pairings.append(found)
    used = {pairing.domain.path for pairing in pairings}
    looked.left_over += [
        LeftOver(domain.path, "a domain that no problem goes with")
        for domain in looked.domains
        if domain.path not in used
    ]
    left_over = tuple(sorted(looked.left_over, key=lambda each: natural(each.file)))
    if not pairings:
        raise InputError(_nothing(folder, looked, left_over))
    return Collection(folder, _suites(folder, pairings), left_over)


def _above(root: Path, looked: Looked) -> list[PDDLFile]:
    """The domains beside the root, for a root with problems only, such as a folder ``instances/``."""
    if looked.domains or not looked.problems:
        return []
    try:
        files = sorted(
            (path for path in root.resolve().parent.iterdir() if path.is_file()), key=lambda p: natural(p.name)
        )
    except OSError:
        return []
    found = [look_at(path, ("..",)) for path in files if path.suffix.lower() in ("", ".pddl")]
    return [each for each in found if isinstance(each, PDDLFile) and each.kind == "domain"]


def _nothing(root: Path, looked: Looked, left_over: Sequence[LeftOver]) -> str:
    if not left_over:
        return f"{root}: the folder is empty; one with PDDL domains and problems was expected"
    count = f"{len(looked.domains)} domains and {len(looked.problems)} problems"
    shown = "".join(f"\n  {each.file}: {each.reason}" for each in left_over[:_SHOWN])
    more = f"\n  and {len(left_over) - _SHOWN} more" if len(left_over) > _SHOWN else ""
    return f"{root}: there is no task in it: {count} were found, and none go together{shown}{more}"


# ── suites and names ─────────────────────────────────────────────────────────────────────────────


def _suites(root: Path, pairings: Sequence[Pairing]) -> tuple[Suite, ...]:
    own_folders = _task_folders(pairings)
    by_base: dict[_Folder, list[Pairing]] = defaultdict(list)
    for pairing in pairings:
        by_base[_base(pairing, own_folders)].append(pairing)
    found: dict[_Folder, list[Pairing]] = defaultdict(list)
    for base, some in by_base.items():
        for suite, paired in _by_domain(base, some).items():
            found[suite] += paired
    names = _suite_names(found, root)
    suites = []
    for suite, some in found.items():
        called = _task_names(some, own_folders)
        tasks = [
            SuiteTask(
                names[suite],
                called[pairing.problem.path],
                root / pairing.domain.path,
                root / pairing.problem.path,
                pairing.guess,
                pairing.rule,
                pairing.why,
            )
            for pairing in some
        ]
        suites.append(Suite(names[suite], tuple(sorted(tasks, key=lambda task: natural(task.name)))))
    return tuple(sorted(suites, key=lambda suite: natural(suite.name)))


def _task_folders(pairings: Sequence[Pairing]) -> set[_Folder]:
    """Folders with one task each, which form a suite with the folders beside them."""
    single: dict[_Folder, list[Pairing]] = defaultdict(list)
    count = Counter(pairing.problem.folder for pairing in pairings)
    for pairing in pairings:
        folder = pairing.problem.folder
        if folder and count[folder] == 1 and pairing.domain.folder == folder:
            stem = pairing.problem.stem
            # The file's name adds nothing to its folder's.
            if _PLAIN_PROBLEM.fullmatch(stem) or stem.lower() == folder[-1].lower():
                single[folder[:-1]].append(pairing)
    found: set[_Folder] = set()
    for above, beside in single.items():
        alike = len({pairing.domain.name for pairing in beside}) == 1
        numbered = all(_TASK_FOLDER.fullmatch(pairing.problem.folder[-1]) for pairing in beside)
        # A single one may be a suite of one task; below a suite's folder it has a number.
        alone = len(beside) == 1 and not (above and any(map(str.isdigit, beside[0].problem.folder[-1])))
        if numbered or (alike and not alone):
            found.update(pairing.problem.folder for pairing in beside)
    return found


def _base(pairing: Pairing, own_folders: set[_Folder]) -> _Folder:
    problem, domain = pairing.problem.folder, pairing.domain.folder
    if domain == problem and problem in own_folders:
        return problem[:-1]
    if domain == ("..",):
        return ()
    if problem[: len(domain)] == domain:
        return domain
    # Folders of domains beside folders of problems: a name like ``domains`` is no part of the suite's name.
    shared = len(_common([domain, problem]))
    below = domain[shared:]
    return domain[:shared] + (below[1:] if is_domain_folder(below[0]) else below)


def _by_domain(base: _Folder, some: Sequence[Pairing]) -> dict[_Folder, list[Pairing]]:
    """The suites in a folder: one, or one for each domain if several have more than one task."""
    # Several domains may have one name, and folders decide which problems belong to which.
    by_folder = any(pairing.rule == "folder-name" for pairing in some)
    if len({pairing.domain.name for pairing in some}) == 1 and not by_folder:
        return {base: [*some]}
    found: dict[_Folder, list[Pairing]] = defaultdict(list)
    for pairing in some:
        key = domain_key(pairing.domain.stem)
        found[base if not key or is_number(key) else (*base, key)].append(pairing)
    return {base: [*some]} if len(found) == 1 else found


def _common(paths: Iterable[_Folder]) -> _Folder:
    columns = zip(*paths, strict=False)
    return tuple(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, columns))


def _suite_names(suites: Iterable[_Folder], root: Path) -> Mapping[_Folder, str]:
    """Names by folder: the path without the part that all share."""
    folders = [*suites]
    whole = (root.resolve().name or "tasks",)
    common = _common(folders)
    if common in folders:
        common = common[:-1]
    return {folder: "/".join(folder[len(common) :] or whole) for folder in folders}


def _task_names(some: Sequence[Pairing], own_folders: set[_Folder]) -> Mapping[str, str]:
    """Names by the problem's path: folders and file name without the folders that all share."""
    parts: dict[str, _Folder] = {}
    for pairing in some:
        problem = pairing.problem
        parts[problem.path] = problem.folder if problem.folder in own_folders else (*problem.folder, problem.stem)
    common = _common([each[:-1] for each in parts.values()])
    names = {path: "/".join(each[len(common) :]) for path, each in parts.items()}
    twice = Counter(names.values())
    return {
        path: name if twice[name] == 1 else "/".join((*name.split("/")[:-1], path.rpartition("/")[2]))
        for path, name in names.items()
    }


# ── which domain a problem belongs to ─────────────────────────────────────────────────────────────

Rule = Literal["only", "file-name", "folder-name", "number", "domain-name", "usual-name", "first"]
"""The rule that decided a pairing.

``only``: there is no other domain. ``file-name``, ``folder-name``, ``number``: common parts of both names.
``domain-name``: the problem names it. ``usual-name``: among several, it has the usual name, ``domain.pddl``.
``first``: it is the first of several. The last two are always guesses.
"""

_DOMAIN_WORDS = re.compile(r"(?<![a-z])dom(?:ain)?s?(?=p\d|prob|[^a-z]|$)|(?<![a-z])(?:generated|file|pddl)(?![a-z])")
_PROBLEM_WORDS = re.compile(r"(?<![a-z])(?:problem|prob|pfile|instance|inst|task|pb|pddl|file)s?(?![a-z])")
_SEPARATORS = "-_. "
_NUMBER = re.compile(r"(?:p|prob|problem|pfile|instance|inst|task|t|d)?[-_ ]?0*(\d+)")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?![a-z0-9])")
_DOMAIN_FOLDER = re.compile(r"dom(ain)?s?|models?|domain[-_ ]?files?|pddl[-_ ]?domains?")


@dataclass(frozen=True)
class Pairing:
    """A problem and its domain.

    ``rule`` decided, ``why`` says so in words; ``guess`` is whether it may be wrong.
    """

    problem: PDDLFile
    domain: PDDLFile
    rule: Rule
    guess: bool
    why: str


@lru_cache(maxsize=1 << 16)
def domain_key(stem: str) -> str:
    """The specific part of a domain file's name: ``p01`` of ``p01-domain``, nothing of ``domain``."""
    return _squeezed(_DOMAIN_WORDS.sub("", stem.lower()))


@lru_cache(maxsize=1 << 16)
def _problem_key(stem: str) -> str:
    return _squeezed(_PROBLEM_WORDS.sub("", stem.lower()))


def _squeezed(key: str) -> str:
    return re.sub(rf"([{re.escape(_SEPARATORS)}])[{re.escape(_SEPARATORS)}]+", r"\1", key).strip(_SEPARATORS)


def is_number(key: str) -> bool:
    """Whether a name is that of one task among numbered ones: ``p01``, ``instance-1``, ``7``."""
    return _NUMBER.fullmatch(key) is not None


def is_domain_folder(name: str) -> bool:
    """Whether a folder is called as those are that hold domains."""
    return _DOMAIN_FOLDER.fullmatch(name.lower()) is not None


class FoundDomains:
    """All domains that were found, by where they can be looked for.

    Args:
        domains, problems: what was found.
        outside: domains above the root, for a root that holds problems alone.
    """

    def __init__(self, domains: Iterable[PDDLFile], problems: Sequence[PDDLFile], outside: Sequence[PDDLFile] = ()):
        with_problems = {one.folder[:depth] for one in problems for depth in range(len(one.folder) + 1)}
        self._here: dict[tuple[str, ...], list[PDDLFile]] = defaultdict(list)
        self._beside: dict[tuple[str, ...], list[PDDLFile]] = defaultdict(list)
        self._outside = [*outside]
        for one in domains:
            self._here[one.folder].append(one)
            depth = len(one.folder)
            while depth and one.folder[:depth] not in with_problems:
                depth -= 1
            if depth < len(one.folder):
                self._beside[one.folder[:depth]].append(one)
        for many in (*self._here.values(), *self._beside.values()):
            many.sort(key=lambda one: natural(one.path))
        self._own: dict[str, list[PDDLFile]] = defaultdict(list)
        for problem in problems:
            for candidates, _ in self._tiers(problem.folder):
                # A number alone says nothing if the problem names another domain that is there.
                named = any(one.name == problem.of_domain for one in candidates)
                found = [one for one in _numbered(problem, candidates) if not named or one.name == problem.of_domain]
                self._own[problem.path] += found
        self._taken = {domain.path for own in self._own.values() for domain in own}

    def _tiers(self, folder: tuple[str, ...]) -> Iterator[tuple[list[PDDLFile], bool]]:
        """The domains that a problem in this folder may have, nearest first; whether they stand aside of the way up."""
        for depth in range(len(folder), -1, -1):
            if here := self._here.get(folder[:depth]):
                yield here, False
            if beside := self._beside.get(folder[:depth]):
                yield beside, True
        if self._outside:
            yield self._outside, False

    def pair(self, problem: PDDLFile) -> Pairing | str:
        """The problem's domain; or why there is none for it."""
        guess: Pairing | None = None
        others = False
        for candidates, aside in self._tiers(problem.folder):
            own = {one.path for one in self._own.get(problem.path, ())}
            free = [one for one in candidates if one.path not in self._taken or one.path in own]
            others = others or len(free) < len(candidates)
            fitting = any(one.name == problem.of_domain for one in free)
            found = None if fitting or not others else _lent(problem, candidates)
            if found is None and free:
                found = _choose(problem, free, aside)
            if found is not None and not found.guess:
                return found
            guess = guess or found
        if guess is not None:
            return guess
        named = f"it says (:domain {problem.of_domain})" if problem.of_domain else "it names no domain"
        if others:
            return f"a problem without a domain: those beside it belong to other problems by their names, and {named}"
        return f"a problem without a domain: {named}, and there is none that fits beside it or above"


def _numbered(problem: PDDLFile, domains: Sequence[PDDLFile]) -> list[PDDLFile]:
    """The domains with a number in their names that match a problem: by name, by longest common start, by number."""
    keyed = [(key, one) for one in domains if any(map(str.isdigit, key := domain_key(one.stem)))]
    if not keyed:
        return []
    names = (problem.stem.lower(), _problem_key(problem.stem))
    starts = {key[: match.start()] for key in names for match in _BOUNDARY.finditer(key)}
    for wanted in (*names, *sorted(filter(is_number, starts), key=lambda each: (-len(each), each))):
        if found := [one for key, one in keyed if key == wanted]:
            return found
    number = _number(names[1])
    return [] if number is None else [one for key, one in keyed if _number(key) == number]


# ── which of several ─────────────────────────────────────────────────────────────────────────────


def _choose(problem: PDDLFile, candidates: Sequence[PDDLFile], aside: bool) -> Pairing | None:
    """The domain among those of one place; None if none of them is related to the problem."""
    fitting = [one for one in candidates if problem.of_domain and one.name == problem.of_domain]
    pool = fitting or [*candidates]
    for rule, hits in _RULES:
        found = hits(problem, pool)
        if len(found) == 1:
            return _paired(problem, found[0], rule, sure=rule != "number" or all(domain_key(one.stem) for one in pool))
        if found:
            pool = found
    if len(fitting) == 1:
        return _paired(problem, fitting[0], "only" if len(candidates) == 1 else "domain-name")
    if aside and not fitting and not (len(pool) == 1 and pool[0].folder and is_domain_folder(pool[0].folder[-1])):
        # Being in a folder nearby is not enough.
        return None
    if len(pool) == 1:
        return _paired(problem, pool[0], "only")
    usual = [one for one in pool if not domain_key(one.stem)]
    if len(usual) == 1:
        return _paired(problem, usual[0], "usual-name", sure=False, among=len(pool))
    return _paired(problem, pool[0], "first", sure=False, among=len(pool))


def _lent(problem: PDDLFile, candidates: Sequence[PDDLFile]) -> Pairing | None:
    """The only domain with the name in the problem, although its file name belongs to another problem."""
    named = [one for one in candidates if one.name == problem.of_domain]
    if len(named) != 1:
        return None
    found = _paired(problem, named[0], "domain-name")
    if len({one.name for one in candidates}) > 1:
        return found
    return replace(found, guess=True, why=f"{found.why}; but by its file's name it is another problem's")


def _paired(problem: PDDLFile, domain: PDDLFile, rule: Rule, *, sure: bool = True, among: int = 1) -> Pairing:
    why = {
        "only": "no other domain is there",
        "file-name": f"the names of the files say so: {domain.file}, {problem.file}",
        "folder-name": f"the names of file and folder say so: {domain.path}, {problem.path}",
        "number": f"the numbers in the names are the same: {domain.file}, {problem.file}",
        "domain-name": f"the problem says (:domain {problem.of_domain}), and no other domain there is called so",
        "usual-name": f"of {among} domains that fit it has the usual name",
        "first": f"of {among} domains that fit it comes first",
    }[rule]
    if rule == "number" and not sure:
        why += "; but there is a domain without a number, too"
    if problem.of_domain and problem.of_domain != domain.name:
        why += f"; but the problem says (:domain {problem.of_domain}), and this one is called {domain.name}"
        sure = False
    return Pairing(problem, domain, rule, not sure, why)


# ── what names say ───────────────────────────────────────────────────────────────────────────────


def _by_file_name(problem: PDDLFile, pool: Sequence[PDDLFile]) -> list[PDDLFile]:
    """Domains whose specific name is the problem's, or its start, or a word in it; the longest such."""
    stem, key = problem.stem.lower(), _problem_key(problem.stem)
    exact = [one for one in pool if (own := domain_key(one.stem)) and own in (stem, key)]
    if exact:
        return exact
    found = [(len(own), one) for one in pool if (own := domain_key(one.stem)) and _begins(own, stem, key)]
    longest = max((length for length, _ in found), default=0)
    return [one for length, one in found if length == longest]


def _begins(own: str, stem: str, key: str) -> bool:
    if is_number(own):
        # Elsewhere in the name it may be another number, such as that of the airport in p02-airport1-p1.
        return any(re.match(rf"{re.escape(own)}(?![a-z0-9])", name) for name in (stem, key))
    word = rf"(?<![a-z0-9]){re.escape(own)}(?![a-z])"
    return len(own) > 1 and re.search(word if own[-1].isalpha() else rf"{word}(?!\d)", stem) is not None


def _by_number(problem: PDDLFile, pool: Sequence[PDDLFile]) -> list[PDDLFile]:
    number = _number(_problem_key(problem.stem))
    return [] if number is None else [one for one in pool if _number(domain_key(one.stem)) == number]


def _number(key: str) -> int | None:
    match = _NUMBER.fullmatch(key)
    return None if match is None else int(match[1])


def _by_folder_name(problem: PDDLFile, pool: Sequence[PDDLFile]) -> list[PDDLFile]:
    """Domains with the name of a folder of the problem, or in a folder with that name."""
    if len(pool) == 1:
        return []
    own = [{domain_key(one.stem), *(part.lower() for part in one.folder)} - {""} for one in pool]
    shared = set.intersection(*own)
    for folder in reversed(problem.folder):
        name = folder.lower()
        same = [one for one, words in zip(pool, own, strict=True) if name in words - shared]
        alike = same or _alike(name, [(one, words - shared) for one, words in zip(pool, own, strict=True)])
        if alike:
            return alike
    return []


def _alike(name: str, pool: Iterable[tuple[PDDLFile, set[str]]]) -> list[PDDLFile]:
    """Domains with a word of the folder's name that is in no longer such word: blocks in blocks-large-test."""
    found = [(one, word) for one, words in pool for word in sorted(words) if len(word) > 2 and _is_word_of(word, name)]
    whole = [one for one, word in found if not any(word != other and _is_word_of(word, other) for _, other in found)]
    return [*dict.fromkeys(whole)]


def _is_word_of(word: str, name: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", name) is not None


_RULES: tuple[tuple[Rule, Callable[[PDDLFile, Sequence[PDDLFile]], list[PDDLFile]]], ...] = (
    ("file-name", _by_file_name),
    ("folder-name", _by_folder_name),
    ("number", _by_number),
)


# ── what a file is ───────────────────────────────────────────────────────────────────────────────

_HEAD = 4096
"""Bytes that are read of a file without an ending of PDDL."""
_BIGGEST = 1 << 26
_PDDL_ENDINGS = ("", ".pddl")
_SPARE = re.compile(r".*(~|\.(bak|orig|old|swp|tmp|rej))|#.*#", re.IGNORECASE)
_DEFINE = re.compile(r"\(\s*define\s*\(\s*([^\s()]+)\s*([^\s()]*)")
_OF_DOMAIN = re.compile(r"\(\s*:domain\s+([^\s()]+)")
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
        if isinstance(found, LeftOver):
            self.left_over.append(found)
        else:
            (self.domains if found.kind == "domain" else self.problems).append(found)


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
    # In a file with another ending a definition further down is an example in a text about something else.
    found = reversed([*_DEFINE.finditer(text)]) if is_pddl or _DEFINE.match(text.lstrip()) else ()
    defined = {match[1]: match[2] for match in found}
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


def _broken(text: str, kind: str, name: str) -> str:
    """The fault that a quick look finds in a domain or a problem; empty without one."""
    missing = text.count("(") - text.count(")")
    if missing > 0 and len(text) < _BIGGEST:
        many = f"{missing} parentheses are" if missing > 1 else "a parenthesis is"
        return f"a {kind} that is cut off or broken: {many} never closed"
    return "" if name else f"a {kind} that is broken: it has no name"
