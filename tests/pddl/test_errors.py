"""What is wrong is said: with place, breadcrumb, what was found and expected, and a suggestion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.pddl import Diagnostic, PDDLError, check_domain, check_problem, parse_domain, parse_problem, stratify
from pddl2nl.pddl.diagnostics import LIMIT

GOLDEN = Path(__file__).parent / "golden"


def only_error(diagnostics: tuple[Diagnostic, ...]) -> Diagnostic:
    errors = [item for item in diagnostics if item.severity == "error"]
    assert len(errors) == 1, "\n".join(item.render() for item in errors)
    return errors[0]


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("(and (clear ?x))", "(and (claer ?x))", 6, 24, "undeclared predicate 'claer'"),
        ("(and (clear ?x))", "(and (clear ?x ?x))", 6, 24, "predicate 'clear' takes 1 argument, not 2"),
        ("(and (clear ?x))", "(and (clear ?z))", 6, 31, "undeclared variable '?z'"),
        ("(and (clear ?x))", "(and (clear x))", 6, 31, "undeclared object 'x'"),
        ("(and (clear ?x))", "(and clear (clear ?x))", 6, 24, "a word where a condition was expected"),
        ("(and (clear ?x))", "(and (>= (f) 1))", 6, 28, "undeclared function 'f'"),
        ("(and (clear ?x))", "(and (>= (clear ?x) 1))", 6, 28, "'clear' is a predicate, not a function"),
        ("(and (clear ?x))", "(when (clear ?x) (clear ?x))", 6, 19, "'when' in a condition"),
        ("(and (clear ?x))", "(not (clear ?x) (clear ?x))", 6, 19, "'not' takes 1 condition, not 2"),
        ("(and (clear ?x))", "(imply (clear ?x))", 6, 19, "'imply' takes 2 conditions, not 1"),
        ("(and (clear ?x))", "(forall (?y) )", 6, 19, "'forall' takes a list of variables and one body"),
        ("(and (clear ?x))", "(= ?x)", 6, 19, "'=' compares 2 things, not 1"),
        ("(and (clear ?x))", "((clear ?x))", 6, 20, "a list without a name"),
        ("(and (holding ?x) (not", "(or (holding ?x) (not", 7, 13, "a disjunction cannot be an effect"),
        ("(not (clear ?x))", "(not (and (clear ?x)))", 7, 36, "only an atom can be deleted"),
        (":parameters (?x)", ":parameters (x)", 5, 18, "'x' cannot be the name of a parameter"),
        (":parameters (?x)", ":parameters (?x ?x)", 5, 21, "'?x' is declared twice"),
        (":parameters (?x)", ":parameters (?x - block)", 5, 18, "undeclared type 'block' of '?x'"),
        (":parameters (?x)", ":parameters (?x -)", 5, 21, "'-' without a type behind it"),
        (":parameters (?x)", ":params (?x) :parameters (?x)", 5, 5, "unknown keyword ':params'"),
        ("(:action stack", "(:action pick", 8, 3, "action 'pick' is declared twice"),
        ("(clear ?x) (holding ?x))", "(clear ?x) (clear ?x ?y) (holding ?x))", 3, 38, "declared twice, differently"),
        ("(:requirements :strips)", "(:objects a)", 2, 3, "':objects' belongs to a problem"),
        ("(:requirements :strips)", "(:timeless (p))", 2, 3, "':timeless' is of PDDL 1.2 only"),
        ("(:requirements :strips)", "(:types a - b b - a)", 2, 11, "form a cycle"),
        ("(:requirements :strips)", "(:types a b) (:constants k - a k - b)", 2, 34, "'k' is declared twice, with"),
        ("(:predicates (on", "(:predicates (and ?x) (on", 3, 17, "'and' cannot be the name of a predicate"),
        ("(:predicates (on", "(:predicates on (on", 3, 16, "a word among the predicates"),
        ("(define (domain blocks)", "(define (domain blocks) x", 1, 25, "a word where a section was expected"),
        ("(not (clear ?x))", "(not (not (clear ?x)))", 7, 36, "only an atom can be deleted"),
    ],
)
def test_errors_of_a_domain(blocks: str, old: str, new: str, line: int, column: int, message: str) -> None:
    assert old in blocks
    error = only_error(check_domain(blocks.replace(old, new, 1)).diagnostics)
    assert message in error.message
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("(clear c)", "(clear d)", 5, 17, "undeclared object 'd'"),
        ("(clear c)", "(claer c)", 5, 10, "predicate 'claer' is not declared"),
        ("(clear c)", "(clear c c)", 5, 10, "predicate 'clear' takes 1 argument, not 2"),
        ("(clear c)", "c", 5, 10, "a word where an atom was expected"),
        ("(clear c)", "(and (clear c))", 5, 10, "'and' cannot begin a fact"),
        ("(clear c)", "(clear (c))", 5, 10, "a list inside '(clear …)'"),
        ("(clear c)", "(= (f c) 1)", 5, 10, "function 'f' is not declared"),
        ("(clear c)", "(= c)", 5, 10, "malformed value"),
        ("(clear c)", "(not (clear a))", 5, 10, "(clear a) is said to hold and not to hold"),
        ("(clear b)", "(clear d)", 6, 31, "undeclared object 'd'"),
        ("(clear b)", "(clear ?x)", 6, 31, "undeclared variable '?x'"),
        ("(:objects a b c)", "(:objects a b c - block)", 3, 13, "undeclared type 'block' of 'a'"),
        ("(:objects a b c)", "(:objects a b ?c c)", 3, 17, "'?c' cannot be the name of an object"),
        ("(:objects a b c)", "(:object a b c)", 3, 3, "no section of a problem: ':object'"),
        ("(:goal (and", "(:goal (clear a) (and", 6, 3, "the goal is one condition, not 2"),
        ("(:domain blocks)", "", 1, 9, "the problem has no ':domain'"),
        ("(:domain blocks)", "(:domain blocks) (:metric minimise (x))", 2, 20, "malformed metric"),
    ],
)
def test_errors_of_a_problem(blocks: str, tower: str, old: str, new: str, line: int, column: int, message: str) -> None:
    assert old in tower
    checked = check_problem(tower.replace(old, new, 1), parse_domain(blocks))
    first = next(item for item in checked.diagnostics if message in item.message)
    assert first.severity == "error"
    assert (first.line, first.column) == (line, column)


TYPED = """(define (domain d)
  (:requirements :typing)
  (:types car bike - vehicle place - object racer - car odd - car odd - place)
  (:constants home - place)
  (:predicates (at ?v - vehicle ?p - place) (fast ?c - car) (either-way ?x - (either car place)))
  (:action go :parameters (?v - vehicle ?c - car ?b - bike ?p - place ?o - object)
    :precondition (and {}) :effect (and)))"""


@pytest.mark.parametrize("literal", ["(at ?c home)", "(fast ?v)", "(at ?v ?o)", "(either-way ?v)", "(fast ?p)"])
def test_types_that_can_match(literal: str) -> None:
    # `(fast ?p)`: `odd` lies below both car and place.
    assert check_domain(TYPED.format(literal)).errors == ()


@pytest.mark.parametrize(
    ("literal", "argument"), [("(fast ?b)", 1), ("(at ?v ?b)", 2), ("(at home home)", 1), ("(either-way ?b)", 1)]
)
def test_types_that_can_never_match(literal: str, argument: int) -> None:
    error = only_error(check_domain(TYPED.format(literal)).diagnostics)
    assert error.message.startswith(f"argument {argument} of ")
    assert error.path == "in action 'go', in its precondition"
    assert error.expected
    assert " - " in error.found


def test_an_object_of_the_wrong_type() -> None:
    domain = parse_domain(TYPED.format("(fast ?c)"))
    text = """(define (problem x) (:domain d) (:objects r - racer b - bike v - vehicle)
      (:init (fast r) (fast b) (fast v)) (:goal (at b home)))"""
    checked = check_problem(text, domain)
    assert [item.found for item in checked.errors] == ["b - bike", "v - vehicle"]
    assert all(item.path == "in the initial state" for item in checked.errors)


def test_all_errors_of_a_file_are_reported(blocks: str) -> None:
    text = blocks.replace("(clear ?x))\n", "(claer ?x))\n").replace(
        "(holding ?x) (clear ?y)", "(holding ?z) (clear ?y ?y)"
    )
    text = text.replace("(on ?x ?y) (not", "(onn ?x ?y) (not")
    assert [item.line for item in check_domain(text).errors] == [6, 10, 10, 11]


def test_a_list_of_errors_is_cut_and_says_so(blocks: str) -> None:
    atoms = " ".join(f"(clear x{number})" for number in range(3 * LIMIT))
    text = f"(define (problem p) (:domain blocks) (:objects a) (:init {atoms}) (:goal (clear a)))"
    checked = check_problem(text, parse_domain(blocks))
    assert len(checked.errors) == LIMIT + 1
    assert checked.errors[-1].message == f"{2 * LIMIT} more errors in this file, not listed"


def test_an_undeclared_object_is_reported_once_in_the_initial_state(blocks: str) -> None:
    text = "(define (problem p) (:domain blocks) (:objects a) (:init (on a z) (clear z) (on z z)) (:goal (clear a)))"
    only_error(check_problem(text, parse_domain(blocks)).diagnostics)


@pytest.mark.parametrize("name", ["several", "types", "problem"])
def test_rendered_errors(name: str, blocks: str) -> None:
    text = (GOLDEN / f"{name}.pddl").read_text(encoding="utf-8")
    domain = parse_domain(blocks)
    found = check_problem(text, domain, f"{name}.pddl") if name == "problem" else check_domain(text, f"{name}.pddl")
    rendered = "".join(item.render() + "\n" for item in found.diagnostics)
    assert rendered == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_a_diagnostic_as_json(blocks: str, tower: str) -> None:
    with pytest.raises(PDDLError) as caught:
        parse_problem(tower.replace("(clear c)", "(claer c)"), parse_domain(blocks), "tower.pddl")
    assert caught.value.diagnostics[0].as_json() == {
        "severity": "error",
        "file": "tower.pddl",
        "line": 5,
        "column": 10,
        "path": "in the initial state",
        "message": "predicate 'claer' is not declared",
        "expected": "",
        "found": "(claer c)",
        "suggestion": "clear",
    }


@pytest.mark.parametrize("both", ["{0} {0} - t", "{0} - t {0} - t", "{0} {0}"])
def test_names_declared_twice_are_told_wherever_they_stand(both: str) -> None:
    """Also in one group, whose names share one type."""
    types, constants, objects = (both.format(name) for name in ("s", "k", "o"))
    found = check_domain(f"(define (domain d) (:requirements :typing) (:types {types} t) (:constants {constants}))")
    assert found.value is not None
    task = check_problem(f"(define (problem p) (:domain d) (:objects {objects}) (:init) (:goal (and)))", found.value)
    assert [(item.severity, item.message) for item in (*found.diagnostics, *task.diagnostics)] == [
        ("warning", "type 's' is declared twice"),
        ("warning", "constant 'k' is declared twice"),
        ("warning", "object 'o' is declared twice"),
    ]


# ── parentheses that do not match ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("(and (clear ?x))", "(and (clear ?x)", 6, 19, "'(and …' is not closed before ':effect' on line 7"),
        ("(and (clear ?x))", "(and (clear ?x)))", 6, 35, "one ')' too many: it closes the action that began on line 4"),
        ("(on ?x ?y) (clear", "(on ?x ?y (clear", 3, 16, "'(on …' is not closed before '(:action' on line 4"),
        ("(holding ?x) (not", "(holding ?x (not", 7, 18, "'(holding …' is not closed before '(:action' on line 8"),
        ("(clear ?x))))", "(clear ?x)))", 4, 3, "'(:action …' is not closed before '(:action' on line 8"),
        ("(holding ?x)))))", "(holding ?x))))", 1, 1, "'(define …' is not closed before the file ends"),
        ("(clear ?x))))", "(clear ?x)))))", 7, 49, "one ')' too many: it closes the '(define' of line 1"),
        ("(holding ?x)))))", "(holding ?x)))))\n)", 12, 1, "one ')' too many: it closes nothing"),
        (":parameters (?x)", ":parameters ?x)", 5, 19, "one ')' too many: it closes the action that began on line 4"),
    ],
)
def test_domain(blocks: str, old: str, new: str, line: int, column: int, message: str) -> None:
    assert old in blocks
    checked = check_domain(blocks.replace(old, new, 1))
    error = next(item for item in checked.errors if message in item.message)
    assert (error.line, error.column) == (line, column)
    assert not checked.ok


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("(clear a)", "(clear a", 4, 10, "'(clear …' is not closed before '(:goal' on line 6"),
        ("(clear c))", "(clear c)", 4, 3, "'(:init …' is not closed before '(:goal' on line 6"),
        ("(clear c))", "(clear c)))", 5, 20, "one ')' too many: it closes the '(define' of line 1"),
        ("(on a c)", "(on a c", 6, 15, "'(on …' is not closed before the file ends"),
        ("(:objects a b c)", "(:objects a b c", 3, 3, "'(:objects …' is not closed before '(:init' on line 4"),
    ],
)
def test_problem(blocks: str, tower: str, old: str, new: str, line: int, column: int, message: str) -> None:
    checked = check_problem(tower.replace(old, new, 1), parse_domain(blocks))
    # What follows from the parenthesis alone is not reported beside it.
    assert [item.message.startswith(message) for item in checked.errors] == [True]
    assert (checked.errors[0].line, checked.errors[0].column) == (line, column)


def test_other_errors_are_found_behind_it(blocks: str) -> None:
    text = blocks.replace("(and (clear ?x))", "(and (clear ?x)").replace("(on ?x ?y) (not", "(onn ?x ?y) (not")
    found = [(item.line, item.message) for item in check_domain(text).errors]
    assert found == [(6, "'(and …' is not closed before ':effect' on line 7"), (11, "undeclared predicate 'onn'")]


def test_two_parentheses_are_missing(blocks: str) -> None:
    text = blocks.replace("(and (clear ?x))", "(and (clear ?x)").replace("(clear ?y))", "(clear ?y)")
    assert [item.line for item in check_domain(text).errors] == [6, 10]


MONSTERS: dict[str, Callable[[int], str]] = {
    "opened": lambda n: "(" * n,
    "deep": lambda n: "(define (domain d) (:action a :precondition " + "(not " * n + "(p)" + ")" * (n + 2),
    "closed actions": lambda n: "(define (domain d) " + "(:action a))" * n,
}
"""As in test_monsters.py, which measures how time grows, but far larger."""


@pytest.mark.parametrize("name", MONSTERS)
def test_monsters_end_in_diagnostics(name: str) -> None:
    text = MONSTERS[name](20_000)
    for checked in (check_domain(text), check_problem(text)):
        assert checked.diagnostics
        assert len(checked.diagnostics) < 210


def test_as_deep_as_allowed() -> None:
    def nested(depth: int) -> str:
        head = "(define (domain d) (:requirements :adl) (:predicates (p)) (:action a :precondition "
        return head + "(not " * depth + "(p)" + ")" * depth + "))"

    assert check_domain(nested(190)).ok
    error = check_domain(nested(300)).errors[0]
    assert "nested more than 200 deep" in error.message


# ── numbers ───────────────────────────────────────────────────────────────────────────────────────


NUMERIC_DOMAIN = """(define (domain d)
  (:requirements :adl :fluents)
  (:types t place)
  (:constants k - t depot - place)
  (:predicates (p) (d1))
  (:functions (f ?x - t) (g) - number (home ?x - t) - place)
  (:derived (d1) (p))
  (:action act :parameters (?x ?y - t ?z - place)
    :precondition {}
    :effect {}))"""


def messages(precondition: str, effect: str) -> list[str]:
    return [item.message for item in check_domain(NUMERIC_DOMAIN.format(precondition, effect)).errors]


@pytest.mark.parametrize(
    "effect",
    [
        "(and (increase (f ?x) 1) (decrease (f ?x) 2) (increase (f ?x) (g)))",
        "(and (scale-up (f ?x) 2) (scale-down (f ?x) 3))",
        "(and (assign (f ?x) 2) (assign (f ?x) 2.0))",
        "(and (assign (f ?x) 2) (assign (f ?x) (g)))",
        "(and (assign (f ?x) 2) (assign (f ?y) 3))",
        "(and (assign (f ?x) 2) (when (p) (increase (f ?x) 3)))",
        "(and (assign (f ?x) 2) (forall (?x - t) (increase (f ?x) 3)))",
        "(assign (home ?x) depot)",
        "(assign (home ?x) (home ?y))",
        "(assign (home ?x) ?z)",
        "(assign (home ?x) undefined)",
    ],
)
def test_effects_that_go_together(effect: str) -> None:
    assert messages("()", effect) == []


@pytest.mark.parametrize(
    "effect",
    [
        "(and (assign (f ?x) 1) (increase (f ?x) 1))",
        "(and (p) (and (assign (f ?x) 1)) (and (and (decrease (f ?x) 1))))",
        "(and (scale-up (g) 2) (increase (g) 1))",
        "(and (assign (g) 1) (scale-down (g) 2))",
        "(and (assign (f k) 1) (assign (f k) 2))",
        "(when (p) (and (assign (f k) 1) (assign (f k) 2)))",
        "(forall (?v - t) (and (assign (f ?v) 1) (decrease (f ?v) 2)))",
    ],
)
def test_effects_that_contradict_each_other(effect: str) -> None:
    (message,) = messages("()", effect)
    assert message.startswith("two effects on '(")
    assert message.endswith("contradict each other")


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        ("(increase (home ?x) 1)", "'increase' of 'home', whose value is no number"),
        ("(assign (home ?x) 1)", "the value of 'home' is an object"),
        ("(assign (home ?x) (+ 1 (g)))", "the value of 'home' is an object"),
        ("(assign (home ?x) k)", "the value of 'home' has the wrong type"),
        ("(assign (f ?x) depot)", "the value of 'f' is a number"),
        ("(increase (f ?x) ?z)", "the value of 'f' is a number"),
        ("(increase (f ?x) (home ?x))", "the value of 'f' is a number"),
        ("(increase (f ?x) (* 2 (home ?x)))", "arithmetic needs numbers, and '(home ?x)' is an object"),
        ("(and (p) (d1))", "'d1' is derived: an effect cannot change it"),
        ("(and (p) (not (d1)))", "'d1' is derived: an effect cannot change it"),
        ("(when (p) (forall (?v - t) (d1)))", "'d1' is derived: an effect cannot change it"),
    ],
)
def test_what_an_effect_cannot_change(effect: str, message: str) -> None:
    assert messages("()", effect) == [message]


@pytest.mark.parametrize(
    ("condition", "wrong"),
    [
        ("(= (home ?x) depot)", []),
        ("(= (home ?x) (home ?y))", []),
        ("(= (f ?x) (g))", []),
        ("(< (home ?x) 3)", ["'<' needs numbers, and '(home ?x)' is an object"]),
        ("(= (home ?x) 3)", ["'=' needs numbers, and '(home ?x)' is an object"]),
        ("(= (f ?x) ?z)", ["'=' needs numbers, and '?z' is an object"]),
        ("(>= (- (g) (home ?x)) 3)", ["arithmetic needs numbers, and '(home ?x)' is an object"]),
    ],
)
def test_comparisons(condition: str, wrong: list[str]) -> None:
    assert messages(condition, "()") == wrong


# ── layers of derived predicates ──────────────────────────────────────────────────────────────────


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
