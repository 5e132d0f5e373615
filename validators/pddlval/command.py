"""What ``pddl2nl validate`` and ``python -m pddlval`` do alike: files in, text or JSON out, an exit code."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Generic, TypeVar

from pddl2nl.files import read_text
from pddl2nl.lean import dataclass
from pddl2nl.limits import processors
from pddl2nl.pddl import InputError, Source, Task, load_domain, load_problem, load_task
from pddlval.happenings import VAL_TIME_TOLERANCE
from pddlval.plans import Plan, read_plan
from pddlval.report import EXACT, VAL_TOLERANCE, Report, Tolerances
from pddlval.val_text import val_lines, val_summary
from pddlval.validate import validate

ALL_VALID = 0
SOME_INVALID = 1
BAD_INPUT = 2

_MOST_TEXT = 10_000_000
"""Characters of the tasks that a batch keeps at most, and again of the domains; a tree takes some forty bytes each."""
_LEAST_TEXT = 1_000
_LINES_AT_ONCE = 1_000

_WORTH_PROCESSES = 1.0
"""Seconds of judging from which on processes are started for what is left: that takes about 0.05 s."""

_MOST_PROCESSES = 8

Key = TypeVar("Key")
Value = TypeVar("Value")

Write = Callable[[str], None]
"""Where the output goes, in whole lines."""

Tell = Callable[[Task, str, Report], Sequence[str]]
"""Tells a report in sentences; the string is the path of the domain file."""

Find = Callable[[str, str], tuple[str, str]]
"""The paths of a domain and a problem by what a batch calls them."""


def _as_given(domain: str, problem: str) -> tuple[str, str]:
    return domain, problem


@dataclass(frozen=True, slots=True)
class JudgedPlan:
    name: str
    plan: Plan | str
    report: Report
    told: tuple[str, ...]

    def json_line(self, *, tolerances: bool = True) -> str:
        return _json_line(self.report.as_json(self.name, self.told, tolerances=tolerances))


def tolerances_of(val_tolerance: bool, times: str | None) -> Tolerances:
    """The tolerances that ``--val-tolerance`` and ``-t`` ask for; each alone asks for VAL's default of the other.

    Raises:
        InputError: ``-t`` has something else than a number from 0 on.
    """
    if times is None:
        return Tolerances(VAL_TOLERANCE, VAL_TIME_TOLERANCE) if val_tolerance else EXACT
    if not re.fullmatch(r"[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300}", times):
        raise InputError(f"-t takes a number from 0 on, such as 0.001, not '{times[:40]}'")
    return Tolerances(VAL_TOLERANCE, Fraction(f"0{times}".rstrip(".")))


def judge_files(
    domain: str,
    problem: str,
    plans: Sequence[str],
    write: Write,
    *,
    verbose: bool = False,
    as_json: bool = False,
    tell: Tell | None = None,
    tolerances: Tolerances = EXACT,
) -> int:
    """Judges plan files (``-`` is standard input) for one task, and returns the exit code.

    Args:
        domain, problem, plans: paths.
        write: where the output goes.
        verbose: the text of VAL's ``-v``.
        as_json: JSON instead of VAL's text.
        tell: tells every report in sentences as well.
        tolerances: by how much numbers and durations may miss, `pddlval.validate`.

    Raises:
        InputError: a file is missing, or domain or problem cannot be read.
        UnsupportedError: the task cannot be executed.
    """
    task = load_task(domain, problem)
    texts = [(name, _read(name)) for name in plans]
    judged = []
    for name, text in texts:
        one = _judge(task, domain, name, text, tell, tolerances)
        judged.append(one)
        if as_json:
            write(one.json_line())
        else:
            lines = val_lines(task, one.plan, one.report, name, verbose, *tolerances)
            while block := "".join(f"{line}\n" for line in islice(lines, _LINES_AT_ONCE)):
                write(block)
    if not as_json:
        write(val_summary(task, [(one.name, one.report) for one in judged]))
        write("".join(f"{sentence}\n" for one in judged for sentence in one.told))
    return ALL_VALID if all(one.report.valid for one in judged) else SOME_INVALID


def judge_batch(
    lines: Iterable[str],
    write: Write,
    tell: Tell | None = None,
    *,
    find: Find = _as_given,
    tolerances: Tolerances = EXACT,
    jobs: int | None = 1,
) -> int:
    """Judges a plan for every JSON line ``{"domain", "problem", "plan"}``, or with ``"plan_text"``.

    Domains and problems are read once each, and again only where their texts would fill the memory. Answers come in
    the order of the lines; with one job each is written before the next line is read. A line that cannot be judged is
    answered by ``{"plan", "error"}`` and turns the exit code to 2; the others are judged all the same.

    Args:
        lines: of JSON.
        write: is given the answers.
        tell: tells a report in words.
        find: finds the files of a domain and a problem, which may be names; raises InputError.
        tolerances: by how much numbers and durations may miss.
        jobs: processes that judge, where the system can fork them; elsewhere this one judges alone. None for this one
            at first, and one for each processor, at most eight, for what is left after a second.
    """
    judge = _LineJudge(tell, find, tolerances)
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    code = ALL_VALID
    answers = _as_it_pays(judge, numbered) if jobs is None else _in_processes(judge, numbered, jobs)
    for answer, own in answers:
        write(answer)
        code = max(code, own)
    return code


_judge_here: _LineJudge
"""The judge of this process, where it is one of several."""


def _as_it_pays(judge: _LineJudge, numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[str, int]]:
    began = time.monotonic()
    for each in numbered:
        yield judge(*each)
        if time.monotonic() - began >= _WORTH_PROCESSES:
            # They inherit the tasks that were read until now.
            yield from _in_processes(judge, numbered, min(processors(), _MOST_PROCESSES))


def _in_processes(judge: _LineJudge, numbered: Iterator[tuple[int, str]], jobs: int) -> Iterator[tuple[str, int]]:
    if jobs == 1:
        for each in numbered:
            yield judge(*each)
        return
    import multiprocessing

    global _judge_here
    # Forked processes inherit the judge, whose words cannot be pickled.
    _judge_here = judge
    if "fork" not in multiprocessing.get_all_start_methods():
        yield from map(_answer, numbered)
        return
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        # Lines of one task stand together in most batches, and each process reads the tasks of its own blocks.
        yield from pool.imap(_answer, numbered, chunksize=64)


def _answer(numbered: tuple[int, str]) -> tuple[str, int]:
    return _judge_here(*numbered)


class _LineJudge:
    """Answers lines of a batch, with the tasks that it has read."""

    def __init__(self, tell: Tell | None, find: Find, tolerances: Tolerances):
        self._tell = tell
        self._find = find
        self._tolerances = tolerances
        self._domains = _TextCache(load_domain, lambda domain: domain.source)
        self._tasks = _TextCache(self._load, lambda task: task.problem.source)

    def _load(self, paths: tuple[str, str]) -> Task:
        domain = self._domains[paths[0]]
        return Task(domain, load_problem(paths[1], domain))

    def __call__(self, number: int, line: str) -> tuple[str, int]:
        """The answer to a line, and the exit code that it alone stands for."""
        name: str | None = None
        try:
            entry = _entry(line, number)
            name = entry.get("plan", f"line {number}")
            paths = self._find(entry["domain"], entry["problem"])
            text = entry["plan_text"] if "plan_text" in entry else _read(name)
            judged = _judge(self._tasks[paths], paths[0], name, text, self._tell, self._tolerances)
        except InputError as error:
            return _json_line({"plan": name, "error": str(error)}), BAD_INPUT
        # Which tolerance would do takes several executions: a batch says it only where it is told in words.
        return judged.json_line(tolerances=self._tell is not None), ALL_VALID if judged.report.valid else SOME_INVALID


class _TextCache(Generic[Key, Value]):
    """A cache of objects made from files; the least recently used go first when it is full.

    Args:
        make: makes it.
        source: the text that it was made of.
    """

    def __init__(self, make: Callable[[Key], Value], source: Callable[[Value], Source | None]):
        self._make = make
        self._source = source
        self._held: dict[Key, Value | InputError] = {}
        self._size = 0

    def __getitem__(self, key: Key) -> Value:
        value = self._held.pop(key, None)
        if value is None:
            try:
                value = self._make(key)
            except InputError as error:
                value = error
            self._size += self._size_of(value)
        # What was used last stands last.
        self._held[key] = value
        while self._size > _MOST_TEXT and len(self._held) > 1:
            self._size -= self._size_of(self._held.pop(next(iter(self._held))))
        if isinstance(value, InputError):
            # An error that is raised again and again would hold all the frames that it has come through.
            raise value.with_traceback(None)
        return value

    def _size_of(self, value: Value | InputError) -> int:
        source = None if isinstance(value, InputError) else self._source(value)
        return _LEAST_TEXT if source is None else max(_LEAST_TEXT, len(source.text))


def _judge(task: Task, domain: str, name: str, text: str, tell: Tell | None, tolerances: Tolerances) -> JudgedPlan:
    plan: Plan | str = text
    # `validate` makes the report of a malformed plan.
    with suppress(InputError):
        plan = read_plan(text, name)
    report = validate(task, plan, name, *tolerances)
    return JudgedPlan(name, plan, report, tuple(tell(task, domain, report)) if tell else ())


def _entry(line: str, number: int) -> dict[str, str]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"line {number} is not JSON: {error}") from error
    if not isinstance(entry, dict):
        raise InputError(f"line {number}: expected an object, found {line.strip()[:40]}")
    for key in ("domain", "problem"):
        if not isinstance(entry.get(key), str):
            raise InputError(f'line {number}: expected a path under "{key}"')
    if not any(isinstance(entry.get(key), str) for key in ("plan", "plan_text")):
        raise InputError(f'line {number}: expected a path under "plan", or a plan under "plan_text"')
    return {key: entry[key] for key in ("domain", "problem", "plan", "plan_text") if isinstance(entry.get(key), str)}


def _read(name: str) -> str:
    return read_text(name, "plan", errors="replace", long_lines=False)


def _json_line(data: dict[str, object]) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"
