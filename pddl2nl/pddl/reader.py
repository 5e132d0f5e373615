"""Reads and checks PDDL: text, lists, tree, checks, in this order, with all that is wrong collected on the way."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Generic, ParamSpec, TypeVar

from pddl2nl.pddl.build_domain import build_domain
from pddl2nl.pddl.build_header import Header, Kind, header
from pddl2nl.pddl.build_problem import build_problem
from pddl2nl.pddl.build_terms import Build
from pddl2nl.pddl.checks_domain import check_domain_tree
from pddl2nl.pddl.checks_problem import check_problem_alone, check_problem_tree
from pddl2nl.pddl.diagnostics import Diagnostic, PDDLError, Source
from pddl2nl.pddl.log import Log
from pddl2nl.pddl.nesting import UnbalancedError, read_nesting
from pddl2nl.pddl.prepare import Decoded, decode, load_bytes, prepare
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import Domain, Problem

__all__ = [
    "Checked",
    "check_domain",
    "check_domain_file",
    "check_problem",
    "check_problem_file",
    "load_domain",
    "load_problem",
    "load_task",
    "parse_domain",
    "parse_problem",
    "parse_task",
]

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True)
class Checked(Generic[T]):
    """What came of checking a text: all diagnostics in the order of the text, and the tree.

    ``value`` is None where no tree could be built, or where declarations may be missing in it because of a
    misplaced parenthesis. Where there are errors it is what could be read, with holes, and only good for a look;
    where ``ok`` it is whole.
    """

    value: T | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether there is a tree and no error (warnings are no errors)."""
        return self.value is not None and not self.errors

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors alone."""
        return tuple(item for item in self.diagnostics if item.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings alone."""
        return tuple(item for item in self.diagnostics if item.severity == "warning")

    def require(self) -> T:
        """The tree; PDDLError with all diagnostics where there is any error."""
        if self.value is None or self.errors:
            raise PDDLError(self.diagnostics)
        return self.value


@dataclass(frozen=True)
class _Read:
    """A text as far as its nesting and its header."""

    build: Build
    header: Header
    garbled: bool


def _read(text: str, log: Log, kind: Kind) -> _Read | None:
    nul = text.find("\0")
    if nul >= 0:
        log.error(nul, "a NUL character: this is no text file", expected="PDDL text")
        return None
    prepared = prepare(text)
    garbled = False
    try:
        nest = read_nesting(prepared)
    except UnbalancedError:
        # Imported here, since most texts have nothing wrong with them.
        from pddl2nl.pddl.balance import balance

        balanced = balance(prepared, log)
        if balanced is None:
            return None
        nest = read_nesting(balanced.text)
        garbled = balanced.garbled
    build = Build(nest, log)
    found = header(build, kind)
    return None if found is None else _Read(build, found, garbled)


def _without_collection(function: Callable[P, T]) -> Callable[P, T]:
    """Keeps the collector of cycles away while a tree grows: there are none in it, and looking takes a third more."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if not gc.isenabled():
            return function(*args, **kwargs)
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            gc.enable()

    return run


def check_domain(text: str, name: str = "<domain>") -> Checked[Domain]:
    """Reads and checks a domain's text; never raises for what stands in it. ``name`` is how it is reported."""
    return _check_domain(Decoded(text.removeprefix("\ufeff")), name)


@_without_collection
def _check_domain(decoded: Decoded, name: str) -> Checked[Domain]:
    log = _log(decoded, name)
    read = _read(decoded.text, log, "domain")
    if read is None:
        return Checked(None, log.diagnostics())
    domain = build_domain(read.build, read.header)
    if not read.garbled:
        # Else declarations may be missing, and everything would seem undeclared.
        check_domain_tree(log, read.build.nest, domain, read.header.start)
    return Checked(None if read.garbled else domain, log.diagnostics())


def _log(decoded: Decoded, name: str) -> Log:
    log = Log(Source(name, decoded.text))
    if decoded.warning:
        log.warning(0, decoded.warning, expected="UTF-8")
    return log


def check_problem(text: str, domain: Domain | None = None, name: str = "<problem>") -> Checked[Problem]:
    """Reads and checks a problem's text, against its domain where one is given; never raises for what stands in it."""
    return _check_problem(Decoded(text.removeprefix("\ufeff")), domain, name)


@_without_collection
def _check_problem(decoded: Decoded, domain: Domain | None, name: str) -> Checked[Problem]:
    log = _log(decoded, name)
    read = _read(decoded.text, log, "problem")
    if read is None:
        return Checked(None, log.diagnostics())
    if domain is not None:
        read.build.functions = frozenset(item.name for item in domain.functions)
    built = build_problem(read.build, read.header)
    if domain is None or read.garbled:
        check_problem_alone(log, built.problem)
    else:
        check_problem_tree(log, read.build.nest, built, domain, read.header.start)
    return Checked(None if read.garbled else built.problem, log.diagnostics())


def check_domain_file(path: str | Path) -> Checked[Domain]:
    """`check_domain` for a file; InputError where it cannot be read. Latin-1 is taken, with a warning."""
    return _check_domain(decode(load_bytes(path)), str(path))


def check_problem_file(path: str | Path, domain: Domain | None = None) -> Checked[Problem]:
    """`check_problem` for a file; InputError where it cannot be read. Latin-1 is taken, with a warning."""
    return _check_problem(decode(load_bytes(path)), domain, str(path))


def parse_domain(text: str, name: str = "<domain>") -> Domain:
    """The tree of a domain's text; PDDLError, with all that is wrong, where there is any error."""
    return check_domain(text, name).require()


def parse_problem(text: str, domain: Domain, name: str = "<problem>") -> Problem:
    """The tree of a problem's text, checked against its domain; PDDLError where there is any error."""
    return check_problem(text, domain, name).require()


def parse_task(domain_text: str, problem_text: str) -> Task:
    """A domain's and a problem's text as a task; PDDLError where there is any error."""
    domain = parse_domain(domain_text)
    return Task(domain, parse_problem(problem_text, domain))


def load_domain(path: str | Path) -> Domain:
    """The tree of a domain file; InputError where it cannot be read, PDDLError where there is any error in it."""
    return check_domain_file(path).require()


def load_problem(path: str | Path, domain: Domain) -> Problem:
    """The tree of a problem file, checked against its domain; InputError and PDDLError as in `load_domain`."""
    return check_problem_file(path, domain).require()


def load_task(domain_path: str | Path, problem_path: str | Path) -> Task:
    """A task from its two files; InputError and PDDLError as in `load_domain`."""
    domain = load_domain(domain_path)
    return Task(domain, load_problem(problem_path, domain))
