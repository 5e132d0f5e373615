"""Checks of a problem's tree, by itself and against its domain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

from pddl2nl.pddl.build_problem import BuiltProblem
from pddl2nl.pddl.checks_formulas import FormulaChecker
from pddl2nl.pddl.log import Log, Near
from pddl2nl.pddl.nesting import Nesting
from pddl2nl.pddl.requirements import Used, check_requirements, report_undeclared
from pddl2nl.pddl.symbols import Signature, Symbols, Types, signature_text, type_text
from pddl2nl.pddl.tree import Domain, FluentValue, GroundAtom, Problem

__all__ = ["check_problem_alone", "check_problem_tree"]

Where = Callable[[int], int]


def check_problem_alone(log: Log, problem: Problem) -> None:
    """Checks what can be checked without the domain: that no object is declared twice."""
    with log.inside("in the objects"):
        seen: dict[str, Types] = {}
        for item in problem.objects:
            known = seen.get(item.name)
            if known is None:
                seen[item.name] = item.types
            else:
                _twice(log, "object", item.name, item.span.start, known, item.types)


def _twice(log: Log, what: str, name: str, start: int, known: Types, own: Types) -> None:
    if known == own:
        # Clear what is meant, and real problems have it.
        log.warning(start, f"{what} '{name}' is declared twice")
    else:
        message = f"{what} '{name}' is declared twice, with different types"
        log.error(start, message, expected=type_text(known), found=type_text(own))


def check_problem_tree(log: Log, nest: Nesting, built: BuiltProblem, domain: Domain, start: int) -> None:
    """Checks a problem against its domain; ``start`` is where its name stands."""
    problem = built.problem
    check_problem_alone(log, problem)
    check_requirements(log, nest, problem.requirements, start)
    used: Used = {}
    checker = FormulaChecker(log, nest, Symbols.of(domain, problem), used)
    _objects(checker, domain, problem)
    _init(checker, built)
    with log.inside("in the goal"):
        checker.condition(problem.goal, {})
    if problem.constraints is not None:
        with log.inside("in the constraints"):
            checker.use(":constraints", start, "constraints")
            checker.condition(problem.constraints, {})
    if problem.metric is not None:
        with log.inside("in the metric"):
            checker.expression(problem.metric.expression, {})
    if problem.domain_name != domain.name:
        _other_domain(log, built, domain)
    # Said of the domain already, which has the types.
    used.pop(":typing", None)
    report_undeclared(log, (*domain.requirements, *problem.requirements), used)


def _other_domain(log: Log, built: BuiltProblem, domain: Domain) -> None:
    # The competitions' files are careless about names: where every symbol resolves, the name is the mistake.
    message = f"the problem is for domain '{built.problem.domain_name}', and this is domain '{domain.name}'"
    note = log.error if log.failed else log.warning
    note(built.domain_start, message, expected=domain.name, found=built.problem.domain_name)


def _objects(checker: FormulaChecker, domain: Domain, problem: Problem) -> None:
    constants = {item.name: item.types for item in domain.constants}
    checked: set[Types] = set()
    with checker.log.inside("in the objects"):
        for item in problem.objects:
            if item.types not in checked:
                errors = checker.log.failed
                checker.type_names(item)
                if checker.log.failed == errors:
                    checked.add(item.types)
            known = constants.get(item.name)
            if known is not None:
                # The same thing said twice; where the types differ it is of both.
                message = f"object '{item.name}' is a constant of the domain already"
                checker.log.warning(item.span.start, message, expected=type_text(known), found=type_text(item.types))


# ── the initial state ──


def _init(checker: FormulaChecker, built: BuiltProblem) -> None:
    problem = built.problem
    log = checker.log
    with log.inside("in the initial state"):
        facts = _Facts(checker)
        facts.check(problem.init, built.init_start)
        facts.check(problem.init_negative, lambda index: built.negative_starts[index])
        timed = [item.atom for item in problem.init_timed]
        facts.check(timed, lambda index: checker.nest.text.index("(", problem.init_timed[index].span.start + 1))
        if problem.init_timed:
            checker.use(":timed-initial-literals", problem.init_timed[0].span.start, "a timed initial literal")
        _duplicates(log, problem.init, built.init_start)
        contradicted = set(problem.init).intersection(problem.init_negative)
        for index, atom in enumerate(problem.init_negative):
            if atom in contradicted:
                log.error(built.negative_starts[index], f"{atom} is said to hold and not to hold")
        _values(checker, problem.init_values)


def _duplicates(log: Log, init: Sequence[GroundAtom], where: Where) -> None:
    if len(set(init)) == len(init):
        return
    seen: set[GroundAtom] = set()
    for index, atom in enumerate(init):
        if atom in seen:
            log.warning(partial(where, index), f"{atom} comes twice")
        seen.add(atom)


class _Facts:
    """Checks ground atoms by the column: all of a predicate's at once, one by one only where one is wrong."""

    def __init__(self, checker: FormulaChecker):
        self.checker = checker
        self.symbols = checker.symbols
        self._allowed: dict[Types, frozenset[str]] = {}
        self._unknown: set[str] = set()

    def allowed(self, types: Types) -> frozenset[str]:
        """The objects that may stand where these types are wanted."""
        known = self._allowed.get(types)
        if known is None:
            known = self._allowed[types] = self.symbols.objects_of(types)
        return known

    def check(self, atoms: Sequence[GroundAtom], where: Where) -> None:
        """Checks atoms; ``where`` gives the offset of each by its index."""
        groups: defaultdict[str, list[GroundAtom]] = defaultdict(list)
        for atom in atoms:
            groups[atom[0]].append(atom)
        wrong = {name for name, group in groups.items() if not self._all_right(name, group)}
        if wrong:
            for index, atom in enumerate(atoms):
                if atom[0] in wrong:
                    self._one(atom, where, index)

    def _all_right(self, name: str, group: list[GroundAtom]) -> bool:
        signature = self.symbols.predicates.get(name)
        if signature is None or name in self.symbols.derived:
            return False
        lengths = set(map(len, group))
        if lengths != {len(signature.types) + 1}:
            return False
        columns = zip(*group, strict=True)
        next(columns)
        return all(
            self.allowed(types).issuperset(column) for types, column in zip(signature.types, columns, strict=True)
        )

    def _one(self, atom: GroundAtom, where: Where, index: int) -> None:
        log, name = self.checker.log, atom[0]
        signature = self.symbols.predicates.get(name)
        if signature is None:
            if name not in self._unknown:
                self._unknown.add(name)
                what = "is a function, not a predicate" if name in self.symbols.functions else "is not declared"
                suggestion = Near(name, self.symbols.predicates)
                log.error(partial(where, index), f"predicate '{name}' {what}", found=str(atom), suggestion=suggestion)
            return
        if name in self.symbols.derived and name not in self._unknown:
            # Fast Downward and VAL let it pass; the axioms alone decide whether it holds.
            self._unknown.add(name)
            log.warning(partial(where, index), f"'{name}' is derived, and stands in the initial state", found=str(atom))
        if len(atom) - 1 != len(signature.types):
            wanted = len(signature.types)
            message = f"predicate '{name}' takes {wanted} argument{'s' if wanted != 1 else ''}, not {len(atom) - 1}"
            log.error(partial(where, index), message, expected=signature_text(name, signature), found=str(atom))
            return
        self._arguments(atom, signature, partial(where, index))

    def _argument(self, where: Callable[[], int], number: int) -> int:
        return self.checker.nest.argument(where(), number)

    def _arguments(self, atom: GroundAtom, signature: Signature, where: Callable[[], int]) -> None:
        for number, (term, wanted) in enumerate(zip(atom.args, signature.types, strict=True), 1):
            if term in self.allowed(wanted):
                continue
            place = partial(self._argument, where, number)
            own = self.symbols.objects.get(term)
            if own is not None:
                expected = f"{type_text(wanted)}, as in {signature_text(atom[0], signature)}"
                message = f"argument {number} of '{atom[0]}' has the wrong type"
                self.checker.log.error(place, message, expected=expected, found=f"{term} - {type_text(own)}")
            elif term not in self._unknown:
                # Once is enough: an object that is missing is missing in a thousand atoms.
                self._unknown.add(term)
                suggestion = Near(term, self.symbols.objects)
                message = f"undeclared object '{term}'"
                self.checker.log.error(place, message, found=str(atom), suggestion=suggestion)


def _values(checker: FormulaChecker, values: Sequence[FluentValue]) -> None:
    log, symbols = checker.log, checker.symbols
    facts = _Facts(checker)
    seen: dict[GroundAtom, FluentValue] = {}
    for item in values:
        name = item.fluent[0]
        signature = symbols.functions.get(name)
        place = item.span.start
        if signature is None:
            what = "is a predicate, not a function" if name in symbols.predicates else "is not declared"
            suggestion = Near(name, symbols.functions)
            log.error(place, f"function '{name}' {what}", found=str(item.fluent), suggestion=suggestion)
            continue
        if len(item.fluent) - 1 != len(signature.types):
            wanted = len(signature.types)
            message = (
                f"function '{name}' takes {wanted} argument{'s' if wanted != 1 else ''}, not {len(item.fluent) - 1}"
            )
            log.error(place, message, expected=signature_text(name, signature), found=str(item.fluent))
            continue
        facts._arguments(item.fluent, signature, lambda: checker.nest.text.index("(", place + 1))  # noqa: B023
        _value(checker, item, symbols.function_types[name])
        known = seen.setdefault(item.fluent, item)
        if known is not item:
            message = f"{item.fluent} is given a value twice"
            note = log.warning if known.value == item.value else log.error
            note(place, message, expected=str(known.value), found=str(item.value))


def _value(checker: FormulaChecker, item: FluentValue, types: Types) -> None:
    numeric = types == ("number",)
    if numeric != isinstance(item.value, str):
        if isinstance(item.value, str):
            checker.use(":object-fluents", item.span.start, "an object as a value")
            own = checker.term(item.value, {}, item.span.start, 0)
            if own is not None and not checker.symbols.fits(own, types):
                message = f"the value of '{item.fluent[0]}' has the wrong type"
                checker.log.error(
                    item.span.start, message, expected=type_text(types), found=f"{item.value} - {type_text(own)}"
                )
        else:
            # Costs may be read from static fluents; whoever compares or changes others is told so there.
            checker.use(":action-costs", item.span.start, "a numeric fluent")
        return
    expected = "a number" if numeric else f"an object of type {type_text(types)}"
    message = f"the value of '{item.fluent[0]}' is no {'number' if numeric else 'object'}"
    checker.log.error(item.span.start, message, expected=expected, found=str(item.value))
