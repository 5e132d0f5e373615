"""Checks of domains and problems: declarations, types, actions, axioms, objects and initial states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pddl2nl.pddl.build_definitions import ProblemBuilder
from pddl2nl.pddl.check_formulas import NUMERIC, FormulaChecker, repeated
from pddl2nl.pddl.diagnostics import Log
from pddl2nl.pddl.requirements import Used, check_requirements, report_undeclared
from pddl2nl.pddl.stratification import components, polarities, stratify
from pddl2nl.pddl.symbols import Signature, Symbols, Types, signature_text, type_text
from pddl2nl.pddl.tree import (
    SCHEMAS,
    Condition,
    DerivedPredicate,
    Domain,
    FluentValue,
    Function,
    GroundAtom,
    Predicate,
    Problem,
    Schema,
    TypedName,
)

_SHOWN = 12
_FEW_LEVELS = 3
"""Most hierarchies have no more; searching only deeper ones for cycles saves a twentieth of the reading time."""


# ── domains ──────────────────────────────────────────────────────────────────────────────────────

_NEEDED = {
    ":durative-action": (":durative-actions", "a durative action"),
    ":process": (":time", "a process"),
    ":event": (":time", "an event"),
}


def check_domain_tree(log: Log, text: str, domain: Domain, start: int) -> None:
    """Checks a domain; ``start`` is the offset of its name."""
    used: Used = {}
    checker = FormulaChecker(log, text, Symbols.of(domain), used)
    check_requirements(log, text, domain.requirements, start)
    with log.inside("in the types"):
        _types(checker, domain)
    with log.inside("in the constants"):
        for item in domain.constants:
            checker.type_names(item)
        _repeated_objects(log, "constant", domain.constants)
    _declarations(checker, "predicate", domain.predicates)
    _declarations(checker, "function", domain.functions)
    _functions(checker, domain)
    named: dict[str, tuple[Schema, ...]] = {
        "action": (*domain.actions, *domain.durative_actions),
        "process": domain.processes,
        "event": domain.events,
    }
    for what, items in named.items():
        for _, again in repeated(items):
            log.error(again.span.start, f"{what} '{again.name}' is declared twice")
    for keyword, form in SCHEMAS.items():
        for action in getattr(domain, form.field):
            if keyword in _NEEDED:
                checker.use(_NEEDED[keyword][0], action.span.start, _NEEDED[keyword][1])
            with log.inside(f"in {keyword[1:].replace('-', ' ')} '{action.name}'"):
                _schema(checker, action, form.formulas)
    for axiom in domain.derived:
        with log.inside(f"in the axiom for '{axiom.name}'"):
            _axiom(checker, axiom)
    _stratified(log, domain)
    _constraints(checker, domain.constraints, start)
    report_undeclared(log, domain.requirements, used)


def _types(checker: FormulaChecker, domain: Domain) -> None:
    log = checker.log
    for _, item in repeated(domain.types):
        # storage (IPC 2006) declares `area` twice, below object and below surface: it is below both.
        log.warning(item.span.start, f"type '{item.name}' is declared twice", found=_typed(item))
    declared = {"object", "number", *(item.name for item in domain.types)}
    parents: dict[str, dict[str, bool]] = {}
    for item in domain.types:
        checker.use(":typing", item.span.start, "types")
        above = parents.setdefault(item.name, {})
        for parent in item.types:
            if parent not in declared:
                # Common in real domains, and clear: a supertype is a type.
                log.warning(item.span.start, f"type '{parent}' is declared only as a supertype", found=_typed(item))
                declared.add(parent)
            # `object - object` is true, and tidybot declares `object` itself.
            if parent == item.name != "object":
                log.warning(item.span.start, f"type '{item.name}' is declared as its own supertype", found=_typed(item))
            elif parent != "object":
                above[parent] = True
    for _ in range(_FEW_LEVELS):
        # A type without supertypes is on no cycle, and neither is one below such types only.
        parents = {name: above for name, above in parents.items() if not parents.keys().isdisjoint(above)}
    parents = {name: {parent: True for parent in above if parent in parents} for name, above in parents.items()}
    on_cycle = {name: names for names in components(parents) if len(names) > 1 for name in names}
    for item in domain.types:
        names = on_cycle.get(item.name)
        if names:
            # One error is enough for all the types on the cycle.
            on_cycle = {name: other for name, other in on_cycle.items() if other is not names}
            shown = [one.name for one in domain.types if one.name in names]
            shown = shown if len(shown) <= _SHOWN else [*shown[:6], "…", *shown[-5:]]
            message = f"the types {' - '.join([*shown, shown[0]])} form a cycle"
            log.error(item.span.start, message, expected="a hierarchy", found=_typed(item))


def _typed(item: TypedName) -> str:
    return f"{item.name} - {type_text(item.types)}"


def _repeated_objects(log: Log, what: str, items: Sequence[TypedName]) -> None:
    for known, item in repeated(items):
        message = f"{what} '{item.name}' is declared twice"
        if known.types == item.types:
            log.warning(item.span.start, message)
        else:
            # Real problems have objects of different types; VAL takes them, Fast Downward does not.
            note = log.error if what == "constant" else log.warning
            message += ", with different types; it is taken to be of both"
            note(item.span.start, message, expected=type_text(known.types), found=_typed(item))


def _declarations(checker: FormulaChecker, what: str, items: Sequence[Predicate | Function]) -> None:
    with checker.log.inside(f"in the {what}s"):
        for item in items:
            with checker.log.inside(f"in {what} '{item.name}'"):
                for parameter in item.parameters:
                    checker.type_names(parameter)
                for _, parameter in repeated(item.parameters):
                    # Names in a declaration have no meaning: a repeated one is harmless, and real domains have it.
                    message = f"parameter '{parameter.name}' is declared twice"
                    checker.log.warning(parameter.span.start, message, found=parameter.name)
        for known, item in repeated(items):
            message, note = f"{what} '{item.name}' is declared twice", checker.log.warning
            if len(known.parameters) != len(item.parameters):
                message, note = f"{message}, differently", checker.log.error
            elif [one.types for one in known.parameters] != [one.types for one in item.parameters]:
                # Fast Downward compares only the numbers of arguments.
                message += ", with different types; it is taken to be of both"
            note(item.span.start, message, expected=_declared(known), found=_declared(item))


def _declared(item: Predicate | Function) -> str:
    return signature_text(item.name, Signature.of(item.parameters))


def _functions(checker: FormulaChecker, domain: Domain) -> None:
    predicates = {item.name for item in domain.predicates}
    with checker.log.inside("in the functions"):
        for item in domain.functions:
            for name in item.types:
                if name != "number" and name not in checker.symbols.above:
                    message = f"undeclared type '{name}' of function '{item.name}'"
                    checker.log.error(item.span.start, message, found=name)
            if item.name in predicates:
                message = f"'{item.name}' is both a predicate and a function"
                checker.log.warning(item.span.start, message, found=_declared(item))


def _schema(checker: FormulaChecker, action: Schema, formulas: Sequence[str]) -> None:
    with checker.log.inside("in its parameters"):
        checker.types(action.parameters)
    scope = {item.name: item.types for item in action.parameters}
    for key in formulas:
        formula = getattr(action, key[1:])
        with checker.log.inside(f"in its {key[1:]}"):
            if key == ":effect":
                checker.effect(formula, scope)
                continue
            before = dict(checker.used) if key == ":duration" else None
            checker.condition(formula, scope)
            if before is not None:
                # A constant duration is written as a comparison, but needs no numeric fluents.
                checker.used.clear()
                checker.used.update(before)


def _axiom(checker: FormulaChecker, axiom: DerivedPredicate) -> None:
    log = checker.log
    checker.use(":derived-predicates", axiom.span.start, "a derived predicate")
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
                log.error(item.span.start, message, expected=type_text(wanted), found=_typed(item))
    checker.condition(axiom.condition, {item.name: item.types for item in axiom.parameters})


def _stratified(log: Log, domain: Domain) -> None:
    cycle = stratify(domain).cycle
    if not cycle:
        return
    name, *others = cycle
    needed = others[0] if others else name
    atoms = (found for axiom in domain.derived if axiom.name == name for found in polarities(axiom.condition))
    first = next(atom for atom, positive in atoms if not positive and atom.predicate == needed)
    through = [f"'{other}'" for other in others]
    through[_SHOWN // 2 : -_SHOWN // 2] = ["…"] if len(through) > _SHOWN else through[_SHOWN // 2 : -_SHOWN // 2]
    with log.inside(f"in the axiom for '{name}'"):
        message = f"the axioms are not stratified: '{name}' needs its own negation"
        message += f", through {', '.join(through)}" if through else ""
        expected = "no derived predicate that depends on itself through a negation"
        log.error(first.span.start, message, expected=expected, found=f"(not {first})")


def _constraints(checker: FormulaChecker, constraints: Condition | None, start: int) -> None:
    if constraints is not None:
        with checker.log.inside("in the constraints"):
            checker.use(":constraints", start, "constraints")
            checker.condition(constraints, {})


# ── problems ─────────────────────────────────────────────────────────────────────────────────────


def check_problem_alone(log: Log, problem: Problem) -> None:
    """Checks what can be checked without the domain: whether an object is declared twice."""
    with log.inside("in the objects"):
        _repeated_objects(log, "object", problem.objects)


def check_problem_tree(
    log: Log, text: str, problem: Problem, built: ProblemBuilder, domain: Domain, start: int
) -> None:
    """Checks a problem against its domain; ``start`` is the offset of its name."""
    check_problem_alone(log, problem)
    check_requirements(log, text, problem.requirements, start)
    used: Used = {}
    checker = FormulaChecker(log, text, Symbols.of(domain, problem), used)
    with log.inside("in the objects"):
        _objects(checker, domain, problem)
    with log.inside("in the initial state"):
        checker.reported = set()
        _init(checker, problem, built)
        checker.reported = None
    with log.inside("in the goal"):
        checker.condition(problem.goal, {})
    _constraints(checker, problem.constraints, start)
    if problem.metric is not None:
        with log.inside("in the metric"):
            checker.expression(problem.metric.expression, {})
    if problem.domain_name != domain.name:
        # Competition files often have the wrong name here. If every symbol resolves, only the name is wrong.
        message = f"the problem is for domain '{built.domain}', and this is domain '{domain.name}'"
        note = log.error if log.failed else log.warning
        note(built.domain_start, message, expected=domain.name, found=built.domain)
    # The check of the domain reports it, where the types are.
    used.pop(":typing", None)
    report_undeclared(log, (*domain.requirements, *problem.requirements), used)


def _objects(checker: FormulaChecker, domain: Domain, problem: Problem) -> None:
    constants = {item.name: item.types for item in domain.constants}
    checked: set[Types] = set()
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


def _init(checker: FormulaChecker, problem: Problem, built: ProblemBuilder) -> None:
    log = checker.log
    _facts(checker, problem.init, built.init_starts)
    _facts(checker, problem.init_negative, built.negative_starts)
    timed = list(zip(problem.init_timed, built.timed_starts or [-1] * len(problem.init_timed), strict=True))
    literals = [(item.atom, start) for item, start in timed if item.value is None]
    _facts(checker, [atom for atom, _ in literals], [start for _, start in literals])
    for time in sorted({item.time for item, _ in timed}):
        at_once = [item for item, _ in timed if item.time == time and item.value is not None]
        _values(checker, [FluentValue(item.atom, item.value, item.span) for item in at_once if item.value is not None])
    if problem.init_timed:
        checker.use(":timed-initial-literals", problem.init_timed[0].span.start, "a timed initial literal")
    facts = set(problem.init)
    if len(facts) < len(problem.init):
        seen: set[GroundAtom] = set()
        for start, atom in _placed(problem.init, built.init_starts):
            if atom in seen:
                log.warning(start, f"{atom} comes twice")
            seen.add(atom)
    for start, atom in _placed(problem.init_negative, built.negative_starts):
        if atom in facts:
            log.error(start, f"{atom} is said to hold and not to hold")
    _values(checker, problem.init_values)


def _placed(atoms: Sequence[GroundAtom], starts: Sequence[int]) -> zip[tuple[int, GroundAtom]]:
    """Atoms with their offsets, -1 in a text that is read without places."""
    return zip(starts or [-1] * len(atoms), atoms, strict=True)


def _facts(checker: FormulaChecker, atoms: Sequence[GroundAtom], starts: Sequence[int]) -> None:
    """Checks all atoms of a predicate at once, and one by one only if one of them is wrong."""
    groups: defaultdict[str, list[GroundAtom]] = defaultdict(list)
    for atom in atoms:
        groups[atom[0]].append(atom)
    wrong = {name for name, group in groups.items() if not _all_right(checker.symbols, name, group)}
    if wrong:
        for start, atom in _placed(atoms, starts):
            if atom[0] in wrong:
                _fact(checker, atom, start)


def _all_right(symbols: Symbols, name: str, group: list[GroundAtom]) -> bool:
    signature = symbols.predicates.get(name)
    if signature is None or name in symbols.derived or set(map(len, group)) != {len(signature.types) + 1}:
        return False
    _, *columns = zip(*group, strict=True)
    wanted = map(symbols.objects_of, signature.types)
    return all(objects.issuperset(terms) for objects, terms in zip(wanted, columns, strict=True))


def _fact(checker: FormulaChecker, atom: GroundAtom, start: int) -> None:
    name = atom[0]
    reported = checker.reported or set()
    signature = checker.symbols.predicates.get(name)
    if signature is not None and name in checker.symbols.derived and name not in reported:
        # Fast Downward and VAL accept it; only the axioms decide whether it holds.
        reported.add(name)
        checker.log.warning(start, f"'{name}' is derived, and stands in the initial state", found=str(atom))
    if signature is None or len(atom) - 1 != len(signature.types):
        checker.wrong("predicate", name, atom.args, start)
    else:
        checker.arguments(name, atom.args, signature, start, {})


def _values(checker: FormulaChecker, values: Sequence[FluentValue]) -> None:
    log, symbols = checker.log, checker.symbols
    checker.reported = set()
    seen: dict[GroundAtom, FluentValue] = {}
    for item in values:
        name, place = item.fluent[0], item.span.start
        signature = symbols.functions.get(name)
        if signature is None or len(item.fluent) - 1 != len(signature.types):
            checker.wrong("function", name, item.fluent.args, place)
            continue
        checker.arguments(name, item.fluent.args, signature, checker.text.find("(", place + 1), {})
        own = symbols.function_types[name]
        value: Types | None = NUMERIC
        if isinstance(item.value, str):
            if own != NUMERIC:
                checker.use(":object-fluents", place, "an object as a value")
            value = checker.term(item.value, {}, place, 0)
        elif own == NUMERIC:
            # Costs may be read from static fluents; comparisons and changes of others are reported themselves.
            checker.use(":action-costs", place, "a numeric fluent")
        if value is not None:
            checker.value(name, own, value, str(item.value), place)
        known = seen.setdefault(item.fluent, item)
        if known is not item:
            note = log.warning if known.value == item.value else log.error
            message = f"{item.fluent} is given a value twice"
            note(place, message, expected=str(known.value), found=str(item.value))
