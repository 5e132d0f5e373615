"""Checks of derived predicates: declared, of the right types, and stratified."""

from __future__ import annotations

from pddl2nl.pddl.checks_formulas import FormulaChecker
from pddl2nl.pddl.log import Log
from pddl2nl.pddl.stratification import polarities, stratify
from pddl2nl.pddl.symbols import signature_text, type_text
from pddl2nl.pddl.tree import Atom, DerivedPredicate, Domain

__all__ = ["check_axioms"]


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
