"""Layers of derived predicates, and the cycle through a negation that there must not be."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import check_domain, stratify


def domain_of(*rules: str) -> str:
    """A domain with axioms, each given as ``name condition``."""
    names = sorted({rule.split()[0] for rule in rules})
    declared = " ".join(f"({name})" for name in names)
    axioms = "\n".join("(:derived ({}) {})".format(*rule.split(maxsplit=1)) for rule in rules)
    head = "(define (domain d) (:requirements :adl :derived-predicates)"
    return f"{head} (:predicates (p) (q ?x) {declared})\n{axioms})"


def layers(*rules: str) -> list[list[str]]:
    domain = check_domain(domain_of(*rules)).value
    assert domain is not None
    return [sorted(layer) for layer in stratify(domain).layers]


def test_layers_come_in_the_order_of_evaluation() -> None:
    assert layers("a (b)", "b (not (c))", "c (p)") == [["c"], ["b"], ["a"]]
    assert layers("a (p)", "b (a)", "a (c)", "c (or (c) (p))") == [["c"], ["a"], ["b"]]
    assert layers("a (or (b) (p))", "b (exists (?x) (and (a) (q ?x)))", "c (not (a))") == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("rules", "recursive"),
    [
        (["a (p)"], ""),
        (["a (b)", "b (p)"], ""),
        (["a (or (a) (p))"], "a"),
        (["a (b)", "b (a)", "c (a)"], "ab"),
        (["a (b)", "b (c)", "c (a)", "d (not (d2))", "d2 (p)"], "abc"),
    ],
)
def test_recursive(rules: list[str], recursive: str) -> None:
    domain = check_domain(domain_of(*rules)).value
    assert domain is not None
    strata = stratify(domain)
    assert strata.recursive == set(recursive)
    assert strata.cycle == ()


@pytest.mark.parametrize(
    "rules",
    [
        ["a (not (not (a)))"],
        ["a (not (imply (a) (p)))"],
        ["a (imply (not (a)) (p))"],
        ["a (forall (?x) (imply (not (b)) (q ?x)))", "b (a)"],
        ["a (not (b))", "b (not (c))", "c (p)"],
        ["a (not (or (p) (not (a))))"],
    ],
)
def test_even_negations_and_acyclic_ones_are_stratified(rules: list[str]) -> None:
    assert check_domain(domain_of(*rules)).errors == ()


@pytest.mark.parametrize(
    ("rules", "cycle", "told"),
    [
        (["a (not (a))"], ("a",), "'a' needs its own negation"),
        (["a (imply (a) (p))"], ("a",), "'a' needs its own negation"),
        (["a (not (forall (?x) (or (q ?x) (a))))"], ("a",), "'a' needs its own negation"),
        (["a (not (b))", "b (and (p) (a))"], ("a", "b"), "'a' needs its own negation, through 'b'"),
        (["a (and (p) (b))", "b (not (a))"], ("b", "a"), "'b' needs its own negation, through 'a'"),
        (["a (not (b))", "b (not (a))"], ("a", "b"), "'a' needs its own negation, through 'b'"),
        (["a (not (c))", "c (d)", "d (or (e) (f))", "e (d)", "f (a)"], ("a", "c", "d", "f"), "through 'c', 'd', 'f'"),
    ],
)
def test_a_cycle_through_a_negation_is_an_error_that_names_it(
    rules: list[str], cycle: tuple[str, ...], told: str
) -> None:
    checked = check_domain(domain_of(*rules))
    assert checked.value is not None
    assert stratify(checked.value).cycle == cycle
    (error,) = checked.errors
    assert error.message.startswith("the axioms are not stratified: ")
    assert told in error.message
    assert error.path == f"in the axiom for '{cycle[0]}'"


def test_the_place_is_that_of_the_negated_atom() -> None:
    text = domain_of("a (p)", "a (and (p) (a)\n (not (b)))", "b (a)")
    (error,) = check_domain(text).errors
    assert text.splitlines()[error.line - 1][error.column - 1 :].startswith("(b)")
    assert (error.line, error.found) == (4, "(not (b))")
