"""What follows from a domain: which predicates can change."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.pddl import (
    Domain,
    Problem,
    Task,
    TypedName,
    changed_predicates,
    check_domain,
    check_problem,
    load_task,
    parse_domain,
    parse_problem,
    parse_task,
    supertypes,
    write_condition,
    write_domain,
    write_number,
    write_problem,
)

DOMAIN = """
(define (domain shop)
  (:predicates (open) (paid ?x) (wrapped ?x) (broken ?x) (fragile ?x) (mine ?x))
  (:derived (mine ?x) (paid ?x))
  (:action pay :parameters (?x) :precondition (not (open)) :effect (and (paid ?x) (and (not (wrapped ?x)))))
  (:action drop :parameters () :effect (forall (?x) (when (fragile ?x) (broken ?x)))))
"""


def test_added_deleted_conditional_and_derived_predicates_change_and_no_others() -> None:
    assert changed_predicates(parse_domain(DOMAIN)) == {"paid", "wrapped", "broken", "mine"}


def test_an_object_that_is_declared_with_two_types_is_of_both() -> None:
    domain = parse_domain(
        "(define (domain d) (:types t u v) (:constants k - t) (:predicates (p ?x - t) (q ?x - u) (r ?x - v)))"
    )
    text = "(define (problem x) (:domain d) (:objects a - t a - u k - u) (:init (p a) (q a) (p k) (q k)) (:goal (and)))"
    checked = check_problem(text, domain)
    assert [item.message for item in checked.diagnostics if "declared twice" in item.message] == [
        "object 'a' is declared twice, with different types; it is taken to be of both"
    ]
    task = Task(domain, checked.require())
    assert task.objects_of(("t",)) == task.objects_of(("u",)) == ("k", "a")
    assert task.objects_of(("v",)) == ()
    assert not check_problem(text.replace("(p a)", "(r a)"), domain).ok


# ── what lies above and below a type: the quick answers are those of the definition ───────────────


NAMES = ["object", "a", "b", "c", "d", "e"]
TYPES = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True).map(tuple)
DECLARED = st.lists(st.builds(TypedName, st.sampled_from(NAMES), TYPES), max_size=7)
LINEAR = Callable[..., None]


def by_definition(domain: Domain) -> dict[str, set[str]]:
    """Reflexive and transitive closure of what is declared; everything lies below object."""
    names = {"object", *(name for item in domain.types for name in (item.name, *item.types))}
    above = {name: {name, "object"} for name in names}
    changed = True
    while changed:
        changed = False
        for item in domain.types:
            if item.name != "object":
                more = set().union(*(above[parent] for parent in item.types)) - above[item.name]
                above[item.name] |= more
                changed = changed or bool(more)
    return above


@given(DECLARED, TYPES, TYPES)
def test_as_defined(declared: list[TypedName], own: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    domain = Domain("d", types=tuple(declared))
    above, hierarchy = by_definition(domain), supertypes(domain)
    assert dict(hierarchy) == above
    assert next(iter(hierarchy)) == "object"
    own, wanted = ([name for name in names if name in above] or ["object"] for names in (own, wanted))
    assert hierarchy.fits(own, wanted) == any(not above[one].isdisjoint(wanted) for one in own)
    below = {name for name in above if not above[name].isdisjoint(wanted)}
    assert hierarchy.below(wanted) == below | set(wanted)
    both = {name for name in above if not above[name].isdisjoint(own) and name in below}
    assert hierarchy.meets(own, wanted) == bool(both)


@given(DECLARED, st.lists(TYPES, max_size=6), TYPES)
def test_objects_come_in_the_order_of_the_file(
    declared: list[TypedName], kinds: list[tuple[str, ...]], wanted: tuple[str, ...]
) -> None:
    domain = Domain("d", types=tuple(declared), constants=(TypedName("k", ("a",)),))
    problem = Problem("p", "d", objects=tuple(TypedName(f"o{index}", one) for index, one in enumerate(kinds)))
    task = Task(domain, problem)
    assert task.objects_of(wanted) == tuple(name for name in task.objects if task.is_a(name, wanted))
    assert task.objects_of(iter(wanted)) == task.objects_of(list(wanted))


def test_objects_of_thousands_of_types_take_linear_time(linear: LINEAR) -> None:
    def task_of(count: int) -> tuple[Domain, str]:
        kinds = [f"t{index}" for index in range(count)]
        predicates = " ".join(f"(p{kind} ?x - {kind})" for kind in kinds)
        domain = check_domain(f"(define (domain d) (:types {' '.join(kinds)}) (:predicates {predicates}))").require()
        objects = " ".join(f"o{kind} - {kind}" for kind in kinds)
        init = " ".join(f"(p{kind} o{kind})" for kind in kinds)
        return domain, f"(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal (and)))"

    def run(parts: tuple[Domain, str]) -> None:
        domain, text = parts
        problem = check_problem(text, domain).require()
        task = Task(domain, problem)
        assert len(task.objects) >= 75
        assert all(task.objects_of((name.removeprefix("o"),)) == (name,) for name in task.objects)

    linear(run, task_of, 300)


# ── what the package exports, what importing it costs, and the diagnostics' own arithmetic ────────


def test_importing_the_package_brings_neither_lark_nor_the_reader() -> None:
    code = "import sys, pddl2nl.pddl; print([m for m in ('lark', 'pddl2nl.pddl.reader', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ── written and read again ────────────────────────────────────────────────────────────────────────


GOLDEN = Path(__file__).parent / "golden"


def test_golden(everything: str, all_of_it: str) -> None:
    task = parse_task(everything, all_of_it)
    assert write_domain(task.domain) == (GOLDEN / "everything-domain.pddl").read_text(encoding="utf-8")
    assert write_problem(task.problem) == (GOLDEN / "everything-problem.pddl").read_text(encoding="utf-8")
    assert parse_task(write_domain(task.domain), write_problem(task.problem)) == task


def test_real_tasks(shared: Path) -> None:
    paths = sorted([*shared.glob("ipc/*/*/domain.pddl"), *shared.glob("numeric/*/*/domain.pddl")])
    assert len(paths) > 90
    problems = [(path, path.with_name("problem.pddl")) for path in (*paths, *shared.glob("speed/*/domain.pddl"))]
    for domains, instances in (
        ("autoplanbench/*/domain.pddl", "instances/**/*.pddl"),
        ("planbench/instances/**/generated_domain.pddl", "generated*/*.pddl"),
    ):
        for path in sorted(shared.glob(domains)):
            # Of the hundreds of problems of one kind, a few.
            problems.extend((path, one) for one in sorted(path.parent.glob(instances))[::50])
    assert len(problems) > 150
    for path, problem in problems:
        if problem.stat().st_size < 2_000_000 and path.stat().st_size < 2_000_000:
            task = load_task(path, problem)
            domain = parse_domain(write_domain(task.domain))
            assert domain == task.domain, path
            assert parse_problem(write_problem(task.problem), domain) == task.problem, problem


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-3), "-3"),
        (Fraction(5, 2), "2.5"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(1, 1000), "0.001"),
        (Fraction(1, 3), "(/ 1 3)"),
    ],
)
def test_numbers(value: Fraction, text: str) -> None:
    assert write_number(value) == text


def test_long_lists_are_wrapped() -> None:
    names = " ".join(f"object-number-{index}" for index in range(100))
    text = f"(define (problem p) (:domain d) (:objects {names}) (:init) (:goal ()))"
    domain = parse_domain("(define (domain d))")
    problem = parse_problem(text, domain)
    written = write_problem(problem)
    assert max(map(len, written.splitlines())) <= 100
    assert parse_problem(written, domain) == problem


@pytest.mark.parametrize("text", ["(not (p a))", "(= a a)", "(or (p a) (not (p a)))", "(exists (?x - object) (p ?x))"])
def test_the_text_of_a_condition_is_its_pddl(text: str) -> None:
    domain = parse_domain("(define (domain d) (:requirements :adl) (:predicates (p ?x)))")
    goal = parse_problem(f"(define (problem x) (:domain d) (:objects a) (:init) (:goal {text}))", domain).goal
    assert str(goal) == write_condition(goal)
    assert str(goal).startswith(text[:5])
