"""Checks manifests: proves every line again, and checks the sets.

A line is wrong if its call makes another text than its file, if it miscounts, if a planner's result differs from the
record, or if the problem is isomorphic to another one. Searches that ran out of a limit are not repeated, since they
prove nothing. The others get several times the recorded limits, so that a slow machine does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import read_text
from pddl2nl.pddl import PDDLError, Task, parse_problem
from pddl2nl.tasks.generators import Generated, Generator, generators, read_parameters
from pddl2nl.tasks.isomorphism import DistinctProblems
from pddl2nl.tasks.manifest import PLANNERS, Instance, read_manifest
from pddl2nl.tasks.sets import BENCHMARKS, LENGTHS, SCALED, UNSOLVABLE, MeasuredSearch, in_threads, measured_row
from pddl2nl.tasks.shipped import ShippedDomain

Fault = Literal[
    "manifest", "file", "call", "objects", "length", "proof", "status", "expansions", "isomorphic", "set", "planner"
]
"""The kinds of faults: the manifest cannot be read; a file is missing, unreadable or not described; the call makes
another text; the objects are miscounted; a plan has another length; the proof fails; a planner ends differently; it
expands another number of states; two problems are isomorphic; a set is malformed; a planner failed, which is no verdict
about the line."""

_MORE_TIME = 4


@dataclass(frozen=True)
class Finding:
    """A fault of a manifest; ``instance`` is empty if it concerns several lines."""

    domain: str
    instance: str
    fault: Fault
    message: str

    def __str__(self) -> str:
        place = f"{self.domain} {self.instance}".strip()
        return f"{place}: {self.fault}: {self.message}"


@dataclass(frozen=True)
class CheckedLine:
    """The faults by domain, the numbers of ``lines`` compared with their files and ``proved`` by planners again.

    ``not_run`` are searches that had run out of a limit and were not repeated, as ``domain instance planner``.
    """

    findings: tuple[Finding, ...]
    lines: int
    proved: int
    not_run: tuple[str, ...]

    def as_json(self, seconds: float) -> dict[str, object]:
        """The fields, and how long the check took."""
        return {
            "lines": self.lines,
            "proved": self.proved,
            "not_run": [*self.not_run],
            "findings": [asdict(finding) for finding in self.findings],
            "seconds": round(seconds, 1),
        }

    def as_text(self, seconds: float) -> str:
        """The findings, a line each, and a summary."""
        lines = [str(finding) for finding in self.findings]
        lines.append(
            f"{self.lines} lines were read, and their problems made again; {self.proved} of them proved again."
        )
        if self.not_run:
            named = ", ".join(self.not_run[:4]) + (", …" if len(self.not_run) > 4 else "")
            count = f"{len(self.not_run)} {'search' if len(self.not_run) == 1 else 'searches'}"
            lines.append(f"Not run again, since a limit had ended them: {count} ({named}).")
        wrong = len(self.findings)
        verdict = f"{wrong} {'thing is' if wrong == 1 else 'things are'} wrong" if wrong else "all is as recorded"
        return "\n".join([*lines, f"{verdict} ({seconds:.0f} s)"])


_Line = tuple[ShippedDomain, Instance]


def check(
    shelves: Sequence[ShippedDomain],
    search: MeasuredSearch,
    version: str,
    *,
    sets: Sequence[str] = ("primary", "scaled", "unsolvable"),
    small: bool = False,
    workers: int = 2,
    on_start: Callable[[int], None] = lambda total: None,
    on_done: Callable[[], None] = lambda: None,
    stop: Callable[[], None] = lambda: None,
) -> CheckedLine:
    """Checks the manifests of several domains.

    Args:
        shelves: the domains, whose manifests are in their ``instances_folder``.
        search: the planners.
        version: their program and its version; expansions are compared if the manifest has the same.
        sets: the sets whose lines are proved.
        small: run planners only for the half of the lines that takes the least work.
        workers: how many lines are proved at a time.
        on_start, on_done: called with the number of lines to prove, and after each of them, in its thread.
        stop: stops running planners.

    Raises:
        MissingExtraError: the planners are not installed.
    """
    findings: list[Finding] = []
    lines: list[_Line] = []
    for shelf in shelves:
        found, rows = _check_folder(shelf, sets)
        findings += found
        lines += [(shelf, row) for row in rows]
    proved = smaller_half(lines) if small else lines
    on_start(len(proved))

    def prove(line: _Line) -> list[Finding]:
        found = list(_prove(*line, search, version))
        on_done()
        return found

    for each in in_threads(prove, proved, workers, stop):
        findings += each
    places = {shelf.name: place for place, shelf in enumerate(shelves)}
    findings.sort(key=lambda finding: places[finding.domain])
    not_run = [
        f"{shelf.name} {row.name} {planner}"
        for shelf, row in proved
        for planner in PLANNERS
        if row.measured[planner].ran_out
    ]
    return CheckedLine(tuple(findings), len(lines), len(proved), tuple(not_run))


def smaller_half(lines: Sequence[_Line]) -> list[_Line]:
    """The half of the lines whose planners expanded the fewest states; lines that ran out of a limit come last."""

    def work(place: int) -> tuple[bool, int, int]:
        row = lines[place][1]
        return any(each.ran_out for each in row.measured.values()), row.expanded, place

    chosen = sorted(range(len(lines)), key=work)[: -(-len(lines) // 2)]
    return [lines[place] for place in sorted(chosen)]


def made_by(call: str) -> tuple[Generator, Generated]:
    """The problem that a manifest's call makes.

    Raises:
        InputError: a malformed call, or one that the generator refuses.
    """
    words = call.split()
    if words[:3] != ["pddl2nl", "tasks", "generate"] or len(words) < 8 or words[4] != "--seed" or words[6] != "--name":
        expected = "pddl2nl tasks generate DOMAIN --seed S --name NAME key=value…"
        raise InputError(f"{call!r} is not a call; expected '{expected}'")
    if words[3] not in generators() or not words[5].isdigit():
        raise InputError(f"{call!r} names no generator, or no seed")
    generator = generators()[words[3]]
    return generator, generator.generate(int(words[5]), read_parameters(words[8:]), words[7])


# ── without planners ─────────────────────────────────────────────────────────────────────────────


def _check_folder(shelf: ShippedDomain, sets: Sequence[str]) -> tuple[list[Finding], list[Instance]]:
    try:
        rows = read_manifest(shelf.instances_folder / "manifest.csv")
    except InputError as error:
        return [Finding(shelf.name, "", "manifest", str(error))], []
    findings = [Finding(shelf.name, "", fault, message) for fault, message in _strays(shelf, rows)]
    findings += [Finding(shelf.name, name, "set", message) for name, message in check_sets(rows, sets)]
    distinct = DistinctProblems()
    for row in rows:
        try:
            text = read_text(shelf.instances_folder / row.file)
            problem = parse_problem(text, shelf.domain)
        except InputError as error:
            findings.append(Finding(shelf.name, row.name, "file", f"{row.file} cannot be read: {error}"))
            continue
        # Over all sets, not only those that are proved.
        first = distinct.add(Task(shelf.domain, problem), row.name)
        if first is not None:
            message = f"is {first} under other names of objects"
            findings.append(Finding(shelf.name, row.name, "isomorphic", message))
        if row.set in sets:
            faults = _check_text(shelf, row, text, len(problem.objects))
            findings += [Finding(shelf.name, row.name, fault, message) for fault, message in faults]
    return findings, [row for row in rows if row.set in sets and (shelf.instances_folder / row.file).is_file()]


def _strays(shelf: ShippedDomain, rows: Sequence[Instance]) -> Iterator[tuple[Fault, str]]:
    described = {row.file for row in rows}
    for path in sorted(shelf.instances_folder.rglob("*")):
        file = path.relative_to(shelf.instances_folder).as_posix()
        if path.is_file() and file not in described and file != "manifest.csv":
            yield "file", f"{file} lies in the folder and no line describes it"
    for row in rows:
        if [other.file for other in rows].count(row.file) > 1:
            yield "file", f"{row.file} is described by more than one line"


def _check_text(shelf: ShippedDomain, row: Instance, text: str, objects: int) -> Iterator[tuple[Fault, str]]:
    if objects != row.objects:
        yield "objects", f"{row.file} has {objects}, {row.objects} are recorded"
    try:
        generator, generated = made_by(row.call)
    except InputError as error:
        yield "call", str(error)
        return
    name = f"{shelf.name}-{row.name}"
    if generator.domain != shelf.name or generated.name != name:
        yield "call", f"makes {generated.name} of {generator.domain}; {name} of {shelf.name} was expected"
    if generated.text != text:
        yield "call", f"{row.call} prints another text than {row.file} holds"
    if generated.solvable != (row.role != "unsolvable"):
        yield "proof", f"is made {'to have a plan' if generated.solvable else 'to have none'}, and is {row.role}"


# ── the sets ─────────────────────────────────────────────────────────────────────────────────────


def check_sets(rows: Sequence[Instance], sets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The faults of a manifest's sets, as pairs of an instance (empty for a whole set) and a message."""
    if "primary" in sets:
        yield from _primary([row for row in rows if row.set == "primary"])
    for name, size, letter in (("scaled", SCALED, "s"), ("unsolvable", UNSOLVABLE, "u")):
        found = [row for row in rows if row.set == name]
        # Not every domain has these sets.
        if name in sets and found:
            yield from _numbered(found, size, letter, f"{name} set")


def _primary(rows: Sequence[Instance]) -> Iterator[tuple[str, str]]:
    benchmarks = [row for row in rows if row.role == "benchmark"]
    if (examples := len(rows) - len(benchmarks)) != 1:
        yield "", f"there are {examples} examples; 1 was expected"
    yield from _numbered(benchmarks, BENCHMARKS, "p", "primary set")
    lengths = [row.optimal_length or 0 for row in benchmarks]
    for row in rows:
        if row.optimal_length not in LENGTHS:
            yield row.name, f"its length {row.optimal_length} is not from {LENGTHS[0]} to {LENGTHS[-1]}"
    if lengths != sorted(lengths):
        yield "", "the benchmarks are not ordered by length"


def _numbered(rows: Sequence[Instance], size: int, letter: str, name: str) -> Iterator[tuple[str, str]]:
    names = [row.name for row in rows]
    if names != [f"{letter}{number:02}" for number in range(1, size + 1)]:
        wanted = f"{letter}01 to {letter}{size} were expected, in this order"
        yield "", f"the {name} has {len(names)} problems: {', '.join(names) or 'none'}; {wanted}"


# ── with planners ────────────────────────────────────────────────────────────────────────────────


def _prove(shelf: ShippedDomain, row: Instance, search: MeasuredSearch, version: str) -> Iterator[Finding]:
    def finding(fault: Fault, message: str) -> Finding:
        return Finding(shelf.name, row.name, fault, message)

    domain, text = read_text(shelf.domain_path), read_text(shelf.instances_folder / row.file)
    ended = [planner for planner in PLANNERS if not row.measured[planner].ran_out]
    more = replace(
        row.limits, seconds=row.limits.seconds * _MORE_TIME, memory_mb=row.limits.memory_mb + row.limits.memory_mb // 4
    )
    try:
        found = dict(search(domain, text, ended, more)) if ended else {}
    except PDDLError:
        # Reported when the file was read.
        return
    except InfrastructureError as error:
        yield finding("planner", str(error))
        return
    broken = {planner: now for planner, now in found.items() if now.status in ("error", "unsupported")}
    if broken:
        yield from (finding("planner", f"{planner} broke: {now.message}") for planner, now in broken.items())
        return
    for planner, now in found.items():
        before = row.measured[planner]
        if now.status != before.status:
            yield finding("status", f"{planner} ends with {now.status}, {before.status} is recorded")
        elif row.planner == version and now.expanded != before.expanded:
            yield finding("expansions", f"{planner} expands {now.expanded} states, {before.expanded} are recorded")
    generated = Generated(shelf.name, row.name, text, row.call, row.objects, row.role != "unsolvable")
    try:
        again = measured_row(row, generated, {**row.measured, **found})
    except InfrastructureError as error:
        yield finding("proof", str(error))
        return
    faults: tuple[tuple[Fault, str], ...] = (("length", "optimal_length"), ("proof", "proof"), ("length", "ff_length"))
    for fault, column in faults:
        if getattr(again, column) != getattr(row, column):
            yield finding(fault, f"{column} is {getattr(again, column)}, {getattr(row, column)} is recorded")
