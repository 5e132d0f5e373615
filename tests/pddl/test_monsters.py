"""Texts of all sizes that go wrong: the time they take grows with their size and no faster."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.pddl import Domain, check_domain, check_problem, parse_domain

HEAD = "(define (domain d) (:requirements :adl :typing :fluents :derived-predicates) "
SMALL = HEAD + "(:types t) (:predicates (p) (q ?x) (r ?x ?y)) (:functions (f ?x) (g)))"
LINEAR = Callable[..., None]


def each(template: str, count: int) -> str:
    """A template as often as said, with ``#`` counting and ``@`` one more."""
    return " ".join(template.replace("#", str(index)).replace("@", str((index + 1) % count)) for index in range(count))


DOMAINS: dict[str, Callable[[int], str]] = {
    "opened": lambda n: "(" * n,
    "closed": lambda n: ")" * n,
    "nested": lambda n: "(" * n + ")" * n,
    "nested formula": lambda n: HEAD + "(:action a :precondition " + "(not " * n + "(p)" + ")" * n + "))",
    "unclosed formula": lambda n: HEAD + "(:action a :precondition " + "(not " * n,
    "unclosed actions": lambda n: HEAD + "(:action a :precondition (and " * n,
    "unclosed pairs": lambda n: "((a)(b" * n,
    "unclosed triples": lambda n: "(a (b) c" * n,
    "half closed": lambda n: "(a " * 50 + "(p) " * n,
    "deep behind wide": lambda n: HEAD + "(:action a :effect (and " + "(p) " * n + "(not " * 9 + ")" * 9 + ")))",
    "words": lambda n: "x " * n,
    "question marks": lambda n: "?" * n + " ?" * n,
    "semicolons": lambda n: ";" * n,
    "blanks": lambda n: " " * n,
    "surrogates": lambda n: "\ud800" * n,
    "type cycles": lambda n: HEAD + "(:types " + "a - b b - a " * n + "))",
    "type ring": lambda n: HEAD + f"(:types {each('t# - t@', n)}))",
    "type lattice": lambda n: HEAD + f"(:types {each('t# - (either t@ u@)', n)}))",
    "long either": lambda n: (
        HEAD
        + f"(:types {each('t#', n)} u) (:predicates (p ?x - (either {each('t#', n)})))"
        + each("(:action a# :parameters (?x - t# ?y - u) :precondition (and (p ?x) (p ?y)))", n)
        + ")"
    ),
    "unknown flags": lambda n: f"(define (domain d) (:requirements {each(':nope#', n)}))",
    "predicates": lambda n: HEAD + f"(:predicates {each('(p# ?x)', n)}))",
    "predicate again": lambda n: HEAD + "(:predicates " + "(p ?x) " * n + "))",
    "predicate of all types": lambda n: HEAD + f"(:types {each('t#', n)}) (:predicates {each('(p ?x - t#)', n)}))",
    "actions": lambda n: HEAD + each("(:action a#)", n) + ")",
    "action again": lambda n: HEAD + "(:action a) " * n + ")",
    "parameters": lambda n: (
        HEAD
        + f"(:predicates (p ?x)) (:action a :parameters ({each('?x#', n)}) :precondition (and {each('(p ?x#)', n)})))"
    ),
    "quantifiers": lambda n: (
        HEAD + f"(:predicates (p ?x)) (:action a :parameters ({each('?x#', n)}) :precondition (and "
        f"{each('(exists (?y) (p ?y))', n)})))"
    ),
    "long arity": lambda n: (
        HEAD + f"(:predicates (p {each('?x#', n)})) (:action a :precondition (and " + "(p) " * n + ")))"
    ),
    "axioms": lambda n: HEAD + f"(:predicates {each('(p#)', n)}) {each('(:derived (p#) (not (p@)))', n)})",
    "contradictions": lambda n: (
        HEAD + "(:functions (f)) (:action a :effect (and " + "(assign (f) 1) (increase (f) 1) " * n + ")))"
    ),
    "undeclared predicates": lambda n: (
        HEAD + f"(:predicates {each('(p#)', n)}) (:action a :effect (and {each('(pp#)', n)})))"
    ),
    "keywords": lambda n: HEAD + "(:action a " + ":effect () :nope " * n + "))",
    "unclosed eithers": lambda n: HEAD + "(:types " + "a - (either " * n,
}


def problem(init: str = "", objects: str = "a b", goal: str = "(and)", more: str = "") -> str:
    """A problem of the small domain."""
    return f"(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal {goal}) {more})"


PROBLEMS: dict[str, Callable[[int], str]] = {
    "a parenthesis is missing": lambda n: problem("(q a)\n" * n + "(q a\n" + "(q a)\n" * n),
    "a parenthesis is too many": lambda n: problem("(q a)\n" * n + "(q a))\n" + "(q a)\n" * n),
    "all parentheses are missing": lambda n: problem("(q a\n" * n),
    "all have one too many": lambda n: problem("(q a))\n" * n),
    "types without objects": lambda n: problem(objects="- t " * n),
    "object again": lambda n: problem(objects="a - t a " * n),
    "undeclared objects": lambda n: problem(each("(q ax#)", n), objects=each("xa#", n)),
    "undeclared predicates": lambda n: problem(each("(qq# a)", n)),
    "undeclared functions": lambda n: problem(each("(= (ff# a) 1)", n)),
    "undeclared types": lambda n: problem(objects=each("o# - y#", n)),
    "wrong arity": lambda n: problem("(q a b)\n" * n),
    "wrong types": lambda n: problem("(= (f a b) a)\n" * n),
    "values again": lambda n: problem(each("(= (f a) #)", n)),
    "true and false": lambda n: problem("(q a) (not (q a))\n" * n),
    "atom again": lambda n: problem("(q a) " * n),
    "timed": lambda n: problem("(at 5 (q z)) (at 6 (not (q a))) " * n),
    "long name": lambda n: problem(f"(q {'a' * n}) (q {'b' * n})"),
    "long number": lambda n: problem(f"(= (g) {'9' * n})"),
    "metric": lambda n: problem(more="(:metric minimize (+ " + "(g) (h) " * n + "))"),
    "goal": lambda n: problem(goal="(and " + "(q z) (not (q ?y)) " * n + ")"),
    "goals": lambda n: problem(goal="(q a) " * n),
    "loose words": lambda n: problem("a " * n),
    "sections": lambda n: problem(more="(:nope) (:objects x) " * n),
    "comments": lambda n: problem("(q a) ; ( ;; (((\n" * n),
    "letters that grow": lambda n: problem("(q İ) " * n),
    "carriage returns": lambda n: problem("(q z)\r\n\t" * n),
    "unclosed equations": lambda n: problem("(= " * n),
}


@pytest.fixture(scope="module")
def small() -> Domain:
    """The domain of the problems here."""
    return parse_domain(SMALL)


@pytest.mark.parametrize("name", DOMAINS)
def test_domains(name: str, linear: LINEAR) -> None:
    def run(text: str) -> None:
        checked = check_domain(text)
        assert checked.value is not None or checked.errors
        assert sum(len(item.render()) for item in checked.diagnostics) < 200_000

    linear(run, DOMAINS[name], 250)


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems(name: str, linear: LINEAR, small: Domain) -> None:
    def run(text: str) -> None:
        checked = check_problem(text, small)
        assert checked.value is not None or checked.errors
        assert sum(len(item.render()) for item in checked.diagnostics) < 200_000

    linear(run, PROBLEMS[name], 250)


def test_an_extra_parenthesis_in_a_megabyte(small: Domain) -> None:
    atoms = ["(q a)"] * 200_000
    atoms[120_000] = "(q a))"
    checked = check_problem("(define (problem p) (:domain d) (:objects a)\n(:init\n" + "\n".join(atoms) + ")\n)", small)
    error = checked.errors[0]
    assert "')' too many" in error.message or "no section" in error.message
    assert error.line in (120_003, 120_004)


# ── large files ───────────────────────────────────────────────────────────────────────────────────


LOAD = """
import pathlib, resource, sys, time
from pddl2nl.pddl import check_problem_file, load_domain
checked = check_problem_file(sys.argv[2], load_domain(sys.argv[1]))
status = pathlib.Path("/proc/self/status")
if status.exists():
    # What getrusage says may be the size of the process that started this one.
    peak = next(int(line.split()[1]) for line in status.open() if line.startswith("VmHWM")) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(checked.ok, len(checked.value.init), peak, time.process_time())
"""


def load(domain: Path, problem: Path) -> tuple[bool, int, float, float]:
    """Whether a task is right, how many atoms hold at first, and the megabytes and seconds of the whole process."""
    command = [sys.executable, "-c", LOAD, str(domain), str(problem)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    right, atoms, size, seconds = done.stdout.split()
    return right == "True", int(atoms), int(size) / 1e6, float(seconds)


def test_a_problem_of_a_megabyte_and_a_half_takes_less_than_200_megabytes(shared: Path) -> None:
    home = shared / "speed" / "nomystery-sat11-p09"
    right, atoms, megabytes, _ = load(home / "domain.pddl", home / "problem.pddl")
    assert (right, atoms) == (True, 47_378)
    assert megabytes < 200
