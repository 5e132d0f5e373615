"""What follows from a domain: which predicates can change."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

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
    parse_domain,
    supertypes,
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
