"""Reads and checks PDDL: text, lists, tree, checks.

A text is read without places first. If there is something to report, it is read once more with places, and all that is
wrong is collected on the way.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Generic, Literal, ParamSpec, TypeVar

from pddl2nl.files import Decoded, decode, read_bytes
from pddl2nl.lean import dataclass
from pddl2nl.pddl.build_definitions import DomainBuilder, ProblemBuilder, read_header
from pddl2nl.pddl.build_formulas import FormulaBuilder
from pddl2nl.pddl.checks import FormulaChecker, check_domain_tree, check_problem_alone, check_problem_tree
from pddl2nl.pddl.diagnostics import Diagnostic, Log, NeedsPlaces, PDDLError, Source
from pddl2nl.pddl.nesting import (
    MAX_DEPTH,
    Item,
    UnbalancedError,
    is_word,
    prepare,
    read_lists,
    read_placed_lists,
    too_deep,
)
from pddl2nl.pddl.symbols import Symbols, Types
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import Condition, Domain, Problem

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True)
class Checked(Generic[T]):
    """The result of checking a text: all diagnostics in the order of the text, and the tree.

    ``value`` is None where no tree could be built, or where declarations may be missing in it because of a
    misplaced parenthesis. Where there are errors it is what could be read, with holes, and only good for a look;
    where ``ok`` it is whole.
    """

    value: T | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether there is a tree and no error (warnings are not errors)."""
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


def _without_collection(function: Callable[P, T]) -> Callable[P, T]:
    """Runs without garbage collection: a tree has no cycles, and looking for them takes a third of the time."""

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


def _read(text: str, log: Log) -> tuple[str, list[Item] | None, bool]:
    """The prepared text, its lists, and whether declarations may be lost; without lists there is an error.

    Raises:
        NeedsPlaces: the log takes no places, and something is wrong.
    """
    if not log.placed:
        try:
            return "", read_lists(text), False
        except UnbalancedError:
            raise NeedsPlaces from None
    prepared = prepare(text)
    try:
        return prepared, read_placed_lists(prepared), False
    except UnbalancedError:
        # Imported here, since most texts have nothing wrong with them.
        from pddl2nl.pddl.balance import balance

        balanced = balance(prepared, log)
        if balanced is None:
            return prepared, None, False
        return balanced.text, read_placed_lists(balanced.text), balanced.garbled


@_without_collection
def _check(decoded: Decoded, name: str, check: Callable[[str, Log], T | None], *, warnings: bool = True) -> Checked[T]:
    """Checks a text without places, and again with places if there is something to report."""
    source = Source(name, decoded.text)
    nul = decoded.text.find("\0")
    if nul < 0 and not (warnings and decoded.warning):
        try:
            return Checked(check(decoded.text, Log(source, placed=False, warnings=warnings)), ())
        except NeedsPlaces:
            pass
    log = Log(source)
    if decoded.warning:
        log.warning(0, decoded.warning, expected="UTF-8")
    if nul >= 0:
        log.error(nul, "a NUL character: this is no text file", expected="PDDL text")
    tree = None if nul >= 0 else check(decoded.text, log)
    return Checked(tree, log.diagnostics())


def _domain(text: str, log: Log) -> Domain | None:
    prepared, roots, garbled = _read(text, log)
    builder = DomainBuilder(log, prepared)
    header = read_header(builder, roots, "domain")
    if header is None:
        return None
    domain = builder.build(header)
    if garbled:
        # Declarations may be missing: everything would seem undeclared.
        return None
    check_domain_tree(log, prepared, domain, header.start)
    return domain


def _problem(domain: Domain | None) -> Callable[[str, Log], Problem | None]:

    def check(text: str, log: Log) -> Problem | None:
        prepared, roots, garbled = _read(text, log)
        builder = ProblemBuilder(log, prepared)
        header = read_header(builder, roots, "problem")
        if header is None:
            return None
        if domain is not None:
            builder.functions = frozenset(item.name for item in domain.functions)
        problem = builder.build(header)
        if domain is None or garbled:
            check_problem_alone(log, problem)
        else:
            check_problem_tree(log, prepared, problem, builder, domain, header.start)
        return None if garbled else problem

    return check


def with_places(domain: Domain, problem: Problem) -> tuple[Domain, Problem]:
    """A domain and a problem whose nodes have their places, read from their sources again.

    Trees are read without places, which is faster. A domain or problem without a source comes back as it is.
    """
    if domain.source is not None:
        domain = _domain(domain.source.text, Log(domain.source)) or domain
    if problem.source is not None:
        problem = _problem(domain)(problem.source.text, Log(problem.source)) or problem
    return domain, problem


def check_formulas(
    text: str,
    kind: Literal["condition", "effect"],
    symbols: Symbols,
    *,
    name: str = "<text>",
    variables: Mapping[str, Types] = MappingProxyType({}),
    depth: int = MAX_DEPTH,
) -> Checked[tuple[Condition, ...]]:
    """Reads and checks the conditions or effects in a text; words between them are skipped.

    Args:
        text: PDDL.
        kind: what the formulas are.
        symbols: what may occur in them.
        name: how the text is reported.
        variables: variables that may be free, with their types.
        depth: how deep lists may be nested.
    """
    log = Log(Source(name, text))
    prepared = prepare(text)
    formulas = _formulas(FormulaBuilder(log, prepared, frozenset(symbols.functions)), kind, depth)
    if formulas is not None and not log.failed:
        checker = FormulaChecker(log, prepared, symbols, {})
        check = checker.effect if kind == "effect" else checker.condition
        for formula in formulas:
            check(formula, dict(variables))
    return Checked(formulas, log.diagnostics())


def parse_condition(text: str) -> Condition:
    """The tree of one condition, without a check of its symbols; PDDLError if the text is none."""
    log = Log(Source("<condition>", text))
    conditions = _formulas(FormulaBuilder(log, prepare(text)), "condition", MAX_DEPTH) or ()
    if len(conditions) != 1 and not log.failed:
        log.error(0, f"one condition was expected, not {len(conditions)}")
    if log.failed:
        raise PDDLError(log.diagnostics())
    return conditions[0]


def _formulas(builder: FormulaBuilder, kind: str, depth: int) -> tuple[Condition, ...] | None:
    """The formulas of the builder's text; None, with an error, if it has no readable lists."""
    try:
        roots = read_placed_lists(builder.text)
    except UnbalancedError:
        builder.log.error(0, "the parentheses do not match")
        return None
    deep = too_deep(builder.text, depth)
    if deep is not None:
        builder.log.error(deep, f"lists are nested more than {depth} deep from here on")
        return None
    make = builder.effect if kind == "effect" else builder.condition
    return tuple([make(item) for item in roots if not is_word(item)])


def check_domain(text: str, name: str = "<domain>") -> Checked[Domain]:
    """Reads and checks a domain's text; never raises for bad text. ``name`` is how it is reported."""
    return _check(_decoded(text), name, _domain)


def check_problem(text: str, domain: Domain | None = None, name: str = "<problem>") -> Checked[Problem]:
    """Reads and checks a problem's text, against its domain if one is given; never raises for bad text."""
    return _check(_decoded(text), name, _problem(domain))


def check_domain_file(path: str | Path) -> Checked[Domain]:
    """`check_domain` for a file; InputError if it cannot be read. Latin-1 is taken, with a warning."""
    return _check(_loaded(path), str(path), _domain)


def check_problem_file(path: str | Path, domain: Domain | None = None) -> Checked[Problem]:
    """`check_problem` for a file; InputError if it cannot be read. Latin-1 is taken, with a warning."""
    return _check(_loaded(path), str(path), _problem(domain))


def _decoded(text: str) -> Decoded:
    return Decoded(text.removeprefix("\ufeff"))


def _loaded(path: str | Path) -> Decoded:
    return decode(read_bytes(path, "PDDL file"))


def parse_domain(text: str, name: str = "<domain>") -> Domain:
    """The tree of a domain's text; PDDLError, with everything that is wrong, if there is any error."""
    return _check(_decoded(text), name, _domain, warnings=False).require()


def parse_problem(text: str, domain: Domain, name: str = "<problem>") -> Problem:
    """The tree of a problem's text, checked against its domain; PDDLError if there is any error."""
    return _check(_decoded(text), name, _problem(domain), warnings=False).require()


def parse_task(domain_text: str, problem_text: str) -> Task:
    """A domain's and a problem's text as a task; PDDLError if there is any error."""
    domain = parse_domain(domain_text)
    return Task(domain, parse_problem(problem_text, domain))


def load_domain(path: str | Path) -> Domain:
    """The tree of a domain file; InputError if it cannot be read, PDDLError if there is any error in it."""
    return _check(_loaded(path), str(path), _domain, warnings=False).require()


def load_problem(path: str | Path, domain: Domain) -> Problem:
    """The tree of a problem file, checked against its domain; InputError and PDDLError as in `load_domain`."""
    return _check(_loaded(path), str(path), _problem(domain), warnings=False).require()


def load_task(domain_path: str | Path, problem_path: str | Path) -> Task:
    """A task from its two files; InputError and PDDLError as in `load_domain`."""
    domain = load_domain(domain_path)
    return Task(domain, load_problem(problem_path, domain))
