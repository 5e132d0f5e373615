"""Finds the tasks in a folder with the layout of a benchmark collection: problems with their domains, in suites.

Layouts differ: one ``domain.pddl`` for all problems beside or below it, one domain for each problem
(``p01-domain.pddl``, ``domain_p01.pddl``, ``domains/domain-1.pddl``), one folder for each task, separate folders for
domains and problems. A file's content decides what it is (`pddl2nl.tasks.pddl_files`); `pddl2nl.tasks.pairing` finds
the domain of a problem. Files that are part of no task are listed with a reason.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.tasks.pairing import FoundDomains, Pairing, Rule, domain_key, is_domain_folder, is_number
from pddl2nl.tasks.pddl_files import LeftOver, Looked, PDDLFile, look_around, look_at, natural

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
        """The task as ``pddl2nl tasks`` prints it."""
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
        """All tasks of all suites."""
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
        """The collection as ``pddl2nl tasks`` prints it."""
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
        if folder and count[folder] == 1 and pairing.domain.folder == folder and _is_plain(pairing.problem):
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


def _is_plain(problem: PDDLFile) -> bool:
    """Whether the file's name adds nothing to its folder's name."""
    return _PLAIN_PROBLEM.fullmatch(problem.stem) is not None or problem.stem.lower() == problem.folder[-1].lower()


def _base(pairing: Pairing, own_folders: set[_Folder]) -> _Folder:
    """The folder of a task's suite."""
    problem, domain = pairing.problem.folder, pairing.domain.folder
    if domain == problem and problem in own_folders:
        return problem[:-1]
    if domain == ("..",):
        return ()
    if problem[: len(domain)] == domain:
        return domain
    # Folders of domains beside folders of problems: a name like ``domains`` is no part of the suite's name.
    shared = 0
    while shared < min(len(domain), len(problem)) and domain[shared] == problem[shared]:
        shared += 1
    below = domain[shared:]
    return domain[:shared] + (below[1:] if is_domain_folder(below[0]) else below)


def _by_domain(base: _Folder, some: Sequence[Pairing]) -> dict[_Folder, list[Pairing]]:
    """The suites in a folder: one, or one for each domain if several have more than one task."""
    if len({pairing.domain.name for pairing in some}) == 1 and not _in_folders_of_their_own(some):
        return {base: [*some]}
    found: dict[_Folder, list[Pairing]] = defaultdict(list)
    for pairing in some:
        key = domain_key(pairing.domain.stem)
        found[base if not key or is_number(key) else (*base, key)].append(pairing)
    return {base: [*some]} if len(found) == 1 else found


def _in_folders_of_their_own(some: Sequence[Pairing]) -> bool:
    """Whether several domains have one name, and folders decide which problems belong to which."""
    return any(pairing.rule == "folder-name" for pairing in some)


def _suite_names(suites: Iterable[_Folder], root: Path) -> Mapping[_Folder, str]:
    """Names by folder: the path without the part that all share."""
    folders = [*suites]
    whole = (root.resolve().name or "tasks",)
    common = folders[0]
    for folder in folders[1:]:
        while folder[: len(common)] != common:
            common = common[:-1]
    if common in folders:
        common = common[:-1] if common else common
    return {folder: "/".join(folder[len(common) :] or whole) for folder in folders}


def _task_names(some: Sequence[Pairing], own_folders: set[_Folder]) -> Mapping[str, str]:
    """Names by the problem's path: folders and file name without the folders that all share."""
    parts: dict[str, _Folder] = {}
    for pairing in some:
        problem = pairing.problem
        parts[problem.path] = problem.folder if problem.folder in own_folders else (*problem.folder, problem.stem)
    common = next(iter(parts.values()))[:-1]
    for path in parts.values():
        while path[: len(common)] != common or len(path) == len(common):
            common = common[:-1]
    names = {path: "/".join(each[len(common) :]) for path, each in parts.items()}
    twice = Counter(names.values())
    return {
        path: name if twice[name] == 1 else "/".join((*name.split("/")[:-1], path.rpartition("/")[2]))
        for path, name in names.items()
    }
