"""Parentheses that do not match: where the one to blame stands, and that reading goes on behind it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pddl2nl.pddl import check_domain, check_problem, parse_domain


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
