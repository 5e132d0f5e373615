"""Checks of domains and problems: declarations, types, actions, axioms, objects and initial states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from pddl2nl.pddl.build_definitions import ProblemBuilder
from pddl2nl.pddl.check_formulas import FormulaChecker
from pddl2nl.pddl.diagnostics import Log, Near
from pddl2nl.pddl.nesting import argument_start
from pddl2nl.pddl.requirements import Used, check_requirements, report_undeclared
from pddl2nl.pddl.stratification import polarities, stratify
from pddl2nl.pddl.symbols import Signature, Symbols, Types, signature_text, type_text
from pddl2nl.pddl.tree import (
    ActionSchema,
    Atom,
    DerivedPredicate,
    Domain,
    DurativeAction,
    Event,
    FluentValue,
    Function,
    GroundAtom,
    Predicate,
    Problem,
    Process,
    TypedName,
)

__all__ = ["check_domain_tree", "check_problem_alone", "check_problem_tree"]

Where = Callable[[int], int]


# ── domains ──────────────────────────────────────────────────────────────────────────────────────


def check_domain_tree(log: Log, text: str, domain: Domain, start: int) -> None:
    """Checks a domain; ``start`` is where its name stands."""
    used: Used = {}
    checker = FormulaChecker(log, text, Symbols.of(domain), used)
    check_requirements(log, text, domain.requirements, start)
    _types(checker, domain)
    _constants(checker, domain)
    _declarations(checker, "predicate", domain.predicates)
    _declarations(checker, "function", domain.functions)
    _functions(checker, domain)
    _unique(log, "action", domain.actions + domain.durative_actions)
    _unique(log, "process", domain.processes)
    _unique(log, "event", domain.events)
    for action in domain.actions:
        _action(checker, f"action '{action.name}'", action)
    for process in domain.processes:
        checker.use(":time", process.span.start, "a process")
        _action(checker, f"process '{process.name}'", process)
    for event in domain.events:
        checker.use(":time", event.span.start, "an event")
        _action(checker, f"event '{event.name}'", event)
    for durative in domain.durative_actions:
        _durative(checker, durative)
    check_axioms(checker, domain)
    if domain.constraints is not None:
        with log.inside("in the constraints"):
            checker.use(":constraints", start, "constraints")
            checker.condition(domain.constraints, {})
    report_undeclared(log, domain.requirements, used)


def _types(checker: FormulaChecker, domain: Domain) -> None:
    log = checker.log
    first: set[str] = set()
    with log.inside("in the types"):
        for item in domain.types:
            checker.use(":typing", item.span.start, "types")
            if item.name in first:
                # storage (IPC 2006) declares `area` twice, below object and below surface: it is below both.
                log.warning(item.span.start, f"type '{item.name}' is declared twice", found=_typed(item))
            first.add(item.name)
        declared = {"object", "number", *first}
        for item in domain.types:
            for parent in item.types:
                if parent not in declared:
                    # Common in real domains, and clear: a supertype is a type.
                    log.warning(item.span.start, f"type '{parent}' is declared only as a supertype", found=_typed(item))
                    declared.add(parent)
        _type_cycles(log, domain)


def _typed(item: TypedName) -> str:
    return f"{item.name} - {type_text(item.types)}"


def _type_cycles(log: Log, domain: Domain) -> None:
    parents: dict[str, list[str]] = {}
    for item in domain.types:
        # `object - object` is true, and tidybot declares `object` itself.
        above = [parent for parent in item.types if parent not in ("object", item.name)]
        if len(above) < len(item.types) and item.name in item.types and item.name != "object":
            log.warning(item.span.start, f"type '{item.name}' is declared as its own supertype", found=_typed(item))
        parents.setdefault(item.name, []).extend(above)
    done: set[str] = set()
    for item in domain.types:
        cycle = _cycle_from(item.name, parents, done)
        if cycle:
            shown = cycle if len(cycle) <= 12 else [*cycle[:6], "…", *cycle[-5:]]
            message = f"the types {' - '.join(shown)} form a cycle"
            log.error(item.span.start, message, expected="a hierarchy", found=_typed(item))


def _cycle_from(name: str, parents: dict[str, list[str]], done: set[str]) -> list[str]:
    # Depth first without recursion: a hierarchy may be deeper than Python's stack.
    path: list[str] = []
    above: set[str] = set()
    todo: list[tuple[str, bool]] = [(name, False)]
    while todo:
        current, leaving = todo.pop()
        if leaving:
            above.discard(path.pop())
            done.add(current)
            continue
        if current in above:
            # One error is enough for all the types on the cycle.
            done.update(above)
            return [*path[path.index(current) :], current]
        if current in done:
            continue
        path.append(current)
        above.add(current)
        todo.append((current, True))
        todo.extend((parent, False) for parent in parents.get(current, ()))
    return []


def _constants(checker: FormulaChecker, domain: Domain) -> None:
    with checker.log.inside("in the constants"):
        seen: dict[str, Types] = {}
        for item in domain.constants:
            checker.type_names(item)
            known = seen.get(item.name)
            if known is None:
                seen[item.name] = item.types
            elif known == item.types:
                checker.log.warning(item.span.start, f"constant '{item.name}' is declared twice", found=_typed(item))
            else:
                message = f"constant '{item.name}' is declared twice, with different types"
                checker.log.error(item.span.start, message, expected=type_text(known), found=_typed(item))


def _declarations(checker: FormulaChecker, what: str, items: Sequence[Predicate | Function]) -> None:
    first: dict[str, Predicate | Function] = {}
    with checker.log.inside(f"in the {what}s"):
        for item in items:
            with checker.log.inside(f"in {what} '{item.name}'"):
                _parameters(checker, item.parameters)
            known = first.setdefault(item.name, item)
            if known is item:
                continue
            message = f"{what} '{item.name}' is declared twice"
            note = checker.log.warning
            if len(known.parameters) != len(item.parameters):
                note, message = checker.log.error, f"{message}, differently"
            elif [one.types for one in known.parameters] != [one.types for one in item.parameters]:
                # Fast Downward compares only the numbers of arguments.
                message += ", with different types; it is taken to be of both"
            note(item.span.start, message, expected=_declared(known), found=_declared(item))


def _declared(item: Predicate | Function) -> str:
    parameters = item.parameters
    return signature_text(item.name, Signature(tuple(i.name for i in parameters), tuple(i.types for i in parameters)))


def _parameters(checker: FormulaChecker, parameters: Sequence[TypedName]) -> None:
    seen: set[str] = set()
    for item in parameters:
        checker.type_names(item)
        if item.name in seen:
            # Names in a declaration have no meaning: a repeated one is harmless, and real domains have it.
            checker.log.warning(item.span.start, f"parameter '{item.name}' is declared twice", found=item.name)
        seen.add(item.name)


def _functions(checker: FormulaChecker, domain: Domain) -> None:
    predicates = {item.name for item in domain.predicates}
    with checker.log.inside("in the functions"):
        for item in domain.functions:
            for name in item.types:
                if name != "number" and name not in checker.symbols.above:
                    checker.log.error(
                        item.span.start, f"undeclared type '{name}' of function '{item.name}'", found=name
                    )
            if item.name in predicates:
                message = f"'{item.name}' is both a predicate and a function"
                checker.log.warning(item.span.start, message, found=_declared(item))


def _unique(log: Log, what: str, items: Iterable[ActionSchema | DurativeAction | Process | Event]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.name in seen:
            log.error(item.span.start, f"{what} '{item.name}' is declared twice")
        seen.add(item.name)


def _action(checker: FormulaChecker, what: str, action: ActionSchema | Process | Event) -> None:
    log = checker.log
    with log.inside(f"in {what}"):
        with log.inside("in its parameters"):
            checker.types(action.parameters)
        scope = {item.name: item.types for item in action.parameters}
        with log.inside("in its precondition"):
            checker.condition(action.precondition, scope)
        with log.inside("in its effect"):
            checker.effect(action.effect, scope)


def _durative(checker: FormulaChecker, action: DurativeAction) -> None:
    log = checker.log
    checker.use(":durative-actions", action.span.start, "a durative action")
    with log.inside(f"in durative action '{action.name}'"):
        with log.inside("in its parameters"):
            checker.types(action.parameters)
        scope = {item.name: item.types for item in action.parameters}
        with log.inside("in its duration"):
            before = dict(checker.used)
            checker.condition(action.duration, scope)
            # A constant duration is written as a comparison, but needs no numeric fluents.
            checker.used.clear()
            checker.used.update(before)
        with log.inside("in its condition"):
            checker.condition(action.condition, scope)
        with log.inside("in its effect"):
            checker.effect(action.effect, scope)


# ── axioms ───────────────────────────────────────────────────────────────────────────────────────


def check_axioms(checker: FormulaChecker, domain: Domain) -> None:
    """Checks the axioms of a domain, each by itself and all together."""
    for axiom in domain.derived:
        _axiom(checker, axiom)
    if domain.derived:
        _stratified(checker.log, domain)


def _axiom(checker: FormulaChecker, axiom: DerivedPredicate) -> None:
    log = checker.log
    checker.use(":derived-predicates", axiom.span.start, "a derived predicate")
    with log.inside(f"in the axiom for '{axiom.name}'"):
        checker.types(axiom.parameters)
        signature = checker.symbols.predicates.get(axiom.name)
        if signature is None:
            message = f"derived predicate '{axiom.name}' is not declared"
            log.error(axiom.span.start, message, expected=f"({axiom.name} …) among the predicates")
        elif len(signature.types) != len(axiom.parameters):
            counts = f"{len(axiom.parameters)} parameters and declared with {len(signature.types)}"
            message = f"'{axiom.name}' is derived with {counts}"
            log.error(axiom.span.start, message, expected=signature_text(axiom.name, signature))
        else:
            for item, wanted in zip(axiom.parameters, signature.types, strict=True):
                if not checker.symbols.meets(item.types, wanted):
                    message = f"parameter '{item.name}' of derived '{axiom.name}' has the wrong type"
                    found = f"{item.name} - {type_text(item.types)}"
                    log.error(item.span.start, message, expected=type_text(wanted), found=found)
        checker.condition(axiom.condition, {item.name: item.types for item in axiom.parameters})


def _stratified(log: Log, domain: Domain) -> None:
    cycle = stratify(domain).cycle
    if not cycle:
        return
    needed = dict(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
    positive: set[str] = set()
    first: Atom | None = None
    for axiom in domain.derived:
        if axiom.name not in needed:
            continue
        for atom, sign in polarities(axiom.condition):
            if atom.predicate == needed[axiom.name]:
                if sign:
                    positive.add(axiom.name)
                elif axiom.name == cycle[0] and first is None:
                    first = atom
    assert first is not None
    steps = [
        f"'{name}' needs {'' if index and name in positive else 'not '}'{other}'"
        for index, (name, other) in enumerate(needed.items())
    ]
    if len(steps) > 12:
        steps[6:-5] = ["…"]
    with log.inside(f"in the axiom for '{cycle[0]}'"):
        message = f"the axioms are not stratified: {', '.join(steps)}"
        expected = "no derived predicate that depends on itself through a negation"
        log.error(first.span.start, message, expected=expected, found=f"(not {first})")


# ── problems ─────────────────────────────────────────────────────────────────────────────────────


def check_problem_alone(log: Log, problem: Problem) -> None:
    """Checks what can be checked without the domain: whether an object is declared twice."""
    with log.inside("in the objects"):
        seen: dict[str, Types] = {}
        for item in problem.objects:
            known = seen.get(item.name)
            if known is None:
                seen[item.name] = item.types
            else:
                # Real problems have both; VAL takes them, Fast Downward does not.
                message = f"object '{item.name}' is declared twice"
                if known == item.types:
                    log.warning(item.span.start, message)
                else:
                    message += ", with different types; it is taken to be of both"
                    found = type_text(item.types)
                    log.warning(item.span.start, message, expected=type_text(known), found=found)


def check_problem_tree(
    log: Log, text: str, problem: Problem, built: ProblemBuilder, domain: Domain, start: int
) -> None:
    """Checks a problem against its domain; ``start`` is where its name stands."""
    check_problem_alone(log, problem)
    check_requirements(log, text, problem.requirements, start)
    used: Used = {}
    checker = FormulaChecker(log, text, Symbols.of(domain, problem), used)
    _objects(checker, domain, problem)
    _init(checker, problem, built)
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
    # The check of the domain reports it, where the types are.
    used.pop(":typing", None)
    report_undeclared(log, (*domain.requirements, *problem.requirements), used)


def _other_domain(log: Log, built: ProblemBuilder, domain: Domain) -> None:
    # Competition files often have the wrong name here. If every symbol resolves, only the name is wrong.
    message = f"the problem is for domain '{built.domain}', and this is domain '{domain.name}'"
    note = log.error if log.failed else log.warning
    note(built.domain_start, message, expected=domain.name, found=built.domain)


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
                # Harmless; if the types differ, the object is of both.
                message = f"object '{item.name}' is a constant of the domain already"
                checker.log.warning(item.span.start, message, expected=type_text(known), found=type_text(item.types))


# ── the initial state ──


def _init(checker: FormulaChecker, problem: Problem, built: ProblemBuilder) -> None:
    log = checker.log
    with log.inside("in the initial state"):
        facts = _Facts(checker)
        facts.check(problem.init, built.init_starts.__getitem__)
        facts.check(problem.init_negative, built.negative_starts.__getitem__)
        timed = [item.atom for item in problem.init_timed]
        facts.check(timed, lambda index: checker.text.index("(", problem.init_timed[index].span.start + 1))
        if problem.init_timed:
            checker.use(":timed-initial-literals", problem.init_timed[0].span.start, "a timed initial literal")
        _duplicates(log, problem.init, built.init_starts.__getitem__)
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
    """Checks ground atoms: all atoms of a predicate at once, and one by one only if one of them is wrong."""

    def __init__(self, checker: FormulaChecker):
        self.checker = checker
        self.symbols = checker.symbols
        self._allowed: dict[Types, frozenset[str]] = {}
        self._unknown: set[str] = set()

    def allowed(self, types: Types) -> frozenset[str]:
        """The objects of one of the types."""
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
            # Fast Downward and VAL accept it; only the axioms decide whether it holds.
            self._unknown.add(name)
            log.warning(partial(where, index), f"'{name}' is derived, and stands in the initial state", found=str(atom))
        if len(atom) - 1 != len(signature.types):
            wanted = len(signature.types)
            message = f"predicate '{name}' takes {wanted} argument{'s' if wanted != 1 else ''}, not {len(atom) - 1}"
            log.error(partial(where, index), message, expected=signature_text(name, signature), found=str(atom))
            return
        self._arguments(atom, signature, partial(where, index))

    def _argument(self, where: Callable[[], int], number: int) -> int:
        return argument_start(self.checker.text, where(), number)

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
                # Reported once: a missing object may stand in a thousand atoms.
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
        facts._arguments(item.fluent, signature, lambda: checker.text.index("(", place + 1))  # noqa: B023
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
            # Costs may be read from static fluents; comparisons and changes of others are reported where they stand.
            checker.use(":action-costs", item.span.start, "a numeric fluent")
        return
    expected = "a number" if numeric else f"an object of type {type_text(types)}"
    message = f"the value of '{item.fluent[0]}' is not {'a number' if numeric else 'an object'}"
    checker.log.error(item.span.start, message, expected=expected, found=str(item.value))
