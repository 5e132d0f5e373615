"""Equivalence of problems: invariant under renaming, and broken by every change that makes another task."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations

import pytest

from pddl2nl.errors import UnsupportedError
from pddl2nl.pddl import And, Atom, GroundAtom, Not, Problem, Task, conjuncts, parse_domain, parse_problem
from pddl2nl.pddl.rewriting import Renaming
from pddl2nl.search.equivalence import ProblemComparison, compare_problems, completed
from pddl2nl.tasks import shipped_domain, shipped_task
from pddlval import Simulator
from tests.walks import reachable

pytest.importorskip("networkx", reason="networkx is absent: pip install 'pddl2nl[planners]'")

TASKS = [("blocksworld", "p03"), ("grippers", "p01"), ("logistics", "p02"), ("visitall", "p01"), ("satellite", "p01")]
EACH = pytest.mark.parametrize("task", [shipped_task(*name) for name in TASKS], ids=[name for name, _ in TASKS])
DOMAIN = parse_domain("""(define (domain blocks) (:requirements :strips :typing) (:types block)
  (:predicates (on ?x ?y - block) (table ?x - block) (clear ?x - block) (hand) (held ?x - block))
  (:action lift :parameters (?x - block) :precondition (and (clear ?x) (table ?x) (hand))
    :effect (and (held ?x) (not (clear ?x)) (not (table ?x)) (not (hand))))
  (:action put :parameters (?x ?y - block) :precondition (and (held ?x) (clear ?y))
    :effect (and (on ?x ?y) (clear ?x) (hand) (not (held ?x)) (not (clear ?y)))))""")


def blocks(goal: str, init: str = "(table a) (table b) (clear a) (clear b) (hand)", objects: str = "a b") -> Task:
    text = f"(define (problem p) (:domain blocks) (:objects {objects} - block) (:init {init}) (:goal {goal}))"
    return Task(DOMAIN, parse_problem(text, DOMAIN))


def renamed(task: Task, seed: int) -> Task:
    """The task with other names, and everything in another order."""
    rng, problem = random.Random(seed), task.problem
    names = {
        item.name: f"thing-{number}" for number, item in enumerate(rng.sample(problem.objects, len(problem.objects)))
    }
    renaming = Renaming(term=lambda term: names.get(term, term))
    goal = [*conjuncts(renaming.formula(problem.goal))]
    changed = replace(
        problem,
        name="another",
        objects=renaming.typed(rng.sample(problem.objects, len(problem.objects))),
        init=tuple(GroundAtom((atom[0], *(names.get(term, term) for term in atom[1:]))) for atom in problem.init[::-1]),
        goal=And(tuple(rng.sample(goal, len(goal)))),
    )
    return Task(task.domain, changed)


def changed(task: Task, **fields: object) -> Task:
    return Task(task.domain, replace(task.problem, **fields))


@EACH
@pytest.mark.parametrize("seed", range(3))
def test_names_and_order_do_not_matter(task: Task, seed: int) -> None:
    assert compare_problems(task, renamed(task, seed)) == ProblemComparison(True)


@EACH
def test_every_fact_that_is_taken_away_is_missed(task: Task) -> None:
    for fact in task.problem.init[::3]:
        fewer = changed(task, init=tuple(atom for atom in task.problem.init if atom != fact))
        # A renaming could hide one change; what was taken away leaves fewer facts.
        compared = compare_problems(task, renamed(fewer, 1))
        assert not compared.equivalent, fact
        assert f"init {fact}" in compare_problems(task, fewer).missing
        assert f"init {fact}" in compare_problems(fewer, task).invented


@EACH
def test_every_part_of_the_goal_that_is_taken_away_is_missed(task: Task) -> None:
    goal = [*conjuncts(task.problem.goal)]
    for part in goal[::2]:
        fewer = changed(task, goal=And(tuple(each for each in goal if each != part)))
        if completed(fewer).problem.goal == completed(task).problem.goal:
            continue
        assert not compare_problems(task, fewer).equivalent
        assert f"goal {part}" in compare_problems(task, fewer).missing


def test_what_holds_with_the_goal_may_be_said_or_not() -> None:
    assert compare_problems(blocks("(on a b)"), blocks("(and (on a b) (not (held a)) (not (clear b)))")).equivalent
    assert not compare_problems(blocks("(on a b)"), blocks("(and (on a b) (on b a))")).equivalent
    assert not compare_problems(blocks("(held a)"), blocks("(clear a)")).equivalent


def test_a_goal_that_always_holds_says_nothing() -> None:
    domain = parse_domain("""(define (domain ways) (:predicates (way ?x ?y) (at ?x))
      (:action go :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y)) :effect (and (at ?y) (not (at ?x)))))""")

    def ways(goal: str) -> Task:
        text = f"(define (problem p) (:domain ways) (:objects a b) (:init (at a) (way a b)) (:goal {goal}))"
        return Task(domain, parse_problem(text, domain))

    assert compare_problems(ways("(at b)"), ways("(and (at b) (way a b) (not (at a)))")).equivalent
    assert not compare_problems(ways("(at b)"), ways("(and (at b) (way b a))")).equivalent


def test_parts_are_listed_for_objects_of_the_same_name_or_else_type() -> None:
    other = blocks("(on c a)", "(table a) (clear a) (hand)", "a c")
    compared = compare_problems(blocks("(on a b)"), other)
    assert compared.missing == ("goal (on a b)", "init (clear b)", "init (table b)")
    assert compared.invented == ("goal (on b a)",)


def test_what_colours_alone_do_not_tell_apart_is_told_apart() -> None:
    # Every block stands in the same facts as every other: one ring of six, and two of three.
    def rings(*sizes: int) -> Task:
        starts = [sum(sizes[:number]) for number in range(len(sizes))]
        pairs = [(at + it, at + (it + 1) % size) for at, size in zip(starts, sizes, strict=True) for it in range(size)]
        facts = " ".join(f"(on x{one} x{other})" for one, other in pairs)
        return blocks("(hand)", facts, " ".join(f"x{number}" for number in range(sum(sizes))))

    assert not compare_problems(rings(6), rings(3, 3)).equivalent
    assert not compare_problems(rings(2, 4), rings(3, 3)).equivalent
    assert compare_problems(rings(2, 4), rings(4, 2)).equivalent


def test_objects_count() -> None:
    compared = compare_problems(blocks("(on a b)"), blocks("(on a b)", objects="a b c"))
    assert compared == ProblemComparison(False, (), ("object c - block",))


# ── goals with or, exists, forall ────────────────────────────────────────────────────────────────

BULBS = parse_domain("""(define (domain bulbs) (:requirements :adl) (:types bulb room)
  (:predicates (lit ?x - bulb) (in ?x - bulb ?r - room) (wired ?x - bulb) (bright ?r - room))
  (:action light :parameters (?x - bulb) :precondition (wired ?x) :effect (lit ?x))
  (:action brighten :parameters (?r - room) :precondition (exists (?x - bulb) (and (in ?x ?r) (lit ?x)))
    :effect (bright ?r)))""")
BULB_FACTS = "(wired a) (wired b) (in a hall) (in b hall) (in c attic)"


def bulbs(goal: str, init: str = BULB_FACTS) -> Task:
    objects = "a b c - bulb hall attic - room"
    text = f"(define (problem p) (:domain bulbs) (:objects {objects}) (:init {init}) (:goal {goal}))"
    return Task(BULBS, parse_problem(text, BULBS))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(or (lit a) (bright hall))", "(or (bright hall) (lit a) (lit a))"),
        ("(or (lit a) (bright hall))", "(or (lit b) (bright hall))"),
        ("(exists (?x - bulb) (lit ?x))", "(not (forall (?x - bulb) (not (lit ?x))))"),
        ("(forall (?x - bulb) (imply (in ?x hall) (lit ?x)))", "(and (lit a) (lit b))"),
        ("(exists (?x - bulb) (and (in ?x hall) (lit ?x)))", "(or (lit a) (lit b))"),
        ("(exists (?x ?y - bulb) (and (not (= ?x ?y)) (lit ?x) (lit ?y)))", "(or (lit a) (lit b))"),
        ("(and (lit a) (or (lit a) (bright attic)))", "(lit b)"),
        ("(and (lit a) (or (not (lit a)) (bright attic)))", "(and (bright attic) (lit a))"),
        ("(or (lit a) (and (lit b) (or (bright hall) (bright attic))))", None),
        ("(and (or (lit a) (lit b)) (or (lit a) (bright hall)))", None),
        ("(forall (?r - room) (exists (?x - bulb) (or (bright ?r) (lit ?x))))", None),
    ],
)
def test_goals_with_quantifiers_and_disjunctions_are_compared(one: str, other: str | None) -> None:
    given, compared = bulbs(one), bulbs(other or one)
    same = other != "(or (lit a) (lit b))" or "?y" not in one
    assert compare_problems(given, compared).equivalent == same
    for seed in range(3):
        assert compare_problems(given, renamed(compared, seed)).equivalent == same


def test_what_differs_in_a_disjunction_is_listed() -> None:
    compared = compare_problems(bulbs("(and (lit a) (or (lit b) (bright hall)))"), bulbs("(or (bright hall) (lit c))"))
    assert compared.missing == ("goal (lit a)", "goal (or (bright hall) (lit b))")
    assert compared.invented == ("goal (or (bright hall) (lit c))",)


def test_a_fact_that_actions_derive_is_not_static() -> None:
    domain = parse_domain("""(define (domain wires) (:requirements :derived-predicates :negative-preconditions)
      (:predicates (cut) (live)) (:derived (live) (not (cut)))
      (:action cut :parameters () :precondition (and) :effect (cut)))""")

    def wires(goal: str) -> Task:
        return Task(domain, parse_problem(f"(define (problem p) (:domain wires) (:init) (:goal {goal}))", domain))

    assert not compare_problems(wires("(and (live) (cut))"), wires("(cut)")).equivalent


def mutations(task: Task, rng: random.Random) -> list[Task]:
    """The task with one fact or one part of the goal exchanged for another of the same predicate."""
    problem = task.problem
    atoms = [part for part in conjuncts(problem.goal) if isinstance(part, Atom)]
    other = [item.name for item in problem.objects]
    mutated = []
    for fact in problem.init:
        new = GroundAtom((fact[0], *(rng.choice(other) for _ in fact[1:])))
        if new not in problem.init:
            mutated.append(changed(task, init=tuple(new if each == fact else each for each in problem.init)))
    for part in atoms:
        swapped = replace(part, args=tuple(rng.choice(other) for _ in part.args))
        if swapped not in atoms:
            goal = [swapped if each == part else each for each in conjuncts(problem.goal)]
            mutated.append(changed(task, goal=And(tuple(goal))))
    return mutated


BALLS = parse_domain("""(define (domain balls) (:requirements :typing) (:types ball room)
  (:predicates (at ?x - ball ?r - room) (robot ?r - room) (free) (carried ?x - ball))
  (:action go :parameters (?a ?b - room) :precondition (robot ?a) :effect (and (not (robot ?a)) (robot ?b)))
  (:action pick :parameters (?x - ball ?r - room) :precondition (and (at ?x ?r) (robot ?r) (free))
    :effect (and (carried ?x) (not (at ?x ?r)) (not (free))))
  (:action drop :parameters (?x - ball ?r - room) :precondition (and (carried ?x) (robot ?r))
    :effect (and (at ?x ?r) (free) (not (carried ?x)))))""")
WORLDS = {
    "tower": (
        shipped_domain("blocksworld").domain,
        "a b c",
        "(handempty) (ontable a) (on b a) (clear b) (ontable c) (clear c)",
    ),
    "balls": (BALLS, "x y z - ball r s - room", "(free) (robot r) (at x r) (at y s) (at z s)"),
}
Reached = dict[frozenset[GroundAtom], list[frozenset[GroundAtom]]]


def reached_from(task: Task, cache: Reached) -> list[frozenset[GroundAtom]]:
    """All states that can be reached."""
    start = frozenset(task.problem.init)
    if start not in cache:
        cache[start] = [frozenset(state.atoms) for state in reachable(Simulator(task))]
    return cache[start]


def goal_states(task: Task, cache: Reached) -> frozenset[frozenset[GroundAtom]]:
    literals = [(part.body, False) if isinstance(part, Not) else (part, True) for part in conjuncts(task.problem.goal)]
    facts = [(GroundAtom((atom.predicate, *atom.args)), sign) for atom, sign in literals if isinstance(atom, Atom)]
    return frozenset(state for state in reached_from(task, cache) if all((f in state) == sign for f, sign in facts))


def same_by_hand(one: Task, other: Task, cache: Reached) -> bool:
    """Whether some renaming gives the same initial state and the same states that satisfy the goal."""
    ours, theirs = goal_states(one, cache), goal_states(other, cache)
    names = [item.name for item in one.problem.objects]
    types = {item.name: item.types for item in one.problem.objects}
    for each in permutations(names):
        new = dict(zip(names, each, strict=True))

        def renamed_atoms(atoms: Iterable[GroundAtom], new: dict[str, str] = new) -> frozenset[GroundAtom]:
            return frozenset(GroundAtom((atom[0], *(new[term] for term in atom[1:]))) for atom in atoms)

        if any(types[old] != types[name] for old, name in new.items()):
            continue
        if renamed_atoms(one.problem.init) == frozenset(other.problem.init) and {*map(renamed_atoms, ours)} == theirs:
            return True
    return False


def random_goal(task: Task, rng: random.Random, cache: Reached) -> And:
    """A few atoms of a state that can be reached."""
    state = sorted(rng.choice(reached_from(task, cache)))
    return And(tuple(Atom(atom[0], atom[1:]) for atom in rng.sample(state, rng.randint(1, min(4, len(state))))))


@pytest.mark.parametrize("pairs", [60, pytest.param(1000, marks=pytest.mark.heavy)])
def test_no_mutated_problem_is_called_equivalent_against_brute_force(pairs: int) -> None:
    rng, cache, verdicts = random.Random(1), Reached(), list[tuple[bool, bool]]()
    while len(verdicts) < pairs:
        domain, objects, facts = WORLDS[rng.choice([*WORLDS])]
        text = f"(define (problem p) (:domain {domain.name}) (:objects {objects}) (:init {facts}) (:goal (and)))"
        task = Task(domain, parse_problem(text, domain))
        task = changed(task, goal=random_goal(task, rng, cache))
        for mutated in mutations(task, rng):
            expected = same_by_hand(task, mutated, cache)
            found = compare_problems(task, renamed(mutated, len(verdicts))).equivalent
            assert expected or not found, (task.problem.goal, mutated.problem.init, mutated.problem.goal)
            verdicts.append((expected, found))
    assert {(True, True), (False, False)} <= {*verdicts} or pairs < 1000


@pytest.mark.parametrize("pairs", [20, pytest.param(200, marks=pytest.mark.heavy)])
def test_what_models_add_or_leave_out_of_a_goal_makes_no_difference(pairs: int) -> None:
    rng, cache, missed = random.Random(2), Reached(), list[tuple[And, And]]()
    for number in range(pairs):
        domain, objects, facts = WORLDS[[*WORLDS][number % 2]]
        text = f"(define (problem p) (:domain {domain.name}) (:objects {objects}) (:init {facts}) (:goal (and)))"
        task = Task(domain, parse_problem(text, domain))
        goal = random_goal(task, rng, cache)
        task = changed(task, goal=goal)
        always = frozenset.intersection(*goal_states(task, cache))
        more = [Atom(atom[0], atom[1:]) for atom in sorted(always)]
        fuller = And((*goal.parts, *rng.sample(more, rng.randint(0, len(more)))))
        if not compare_problems(task, renamed(changed(task, goal=fuller), number)).equivalent:
            missed.append((goal, fuller))
    assert not missed, f"{len(missed)} of {pairs}"


def test_other_goals_are_refused() -> None:
    domain = parse_domain("""(define (domain tanks) (:requirements :fluents) (:functions (fuel))
      (:predicates (done)) (:action end :parameters () :effect (done)))""")
    text = "(define (problem p) (:domain tanks) (:init (= (fuel) 1)) (:goal (> (fuel) 0)))"
    tanks = Task(domain, parse_problem(text, domain))
    with pytest.raises(UnsupportedError, match="goal of problem 'p' has more than facts and equalities"):
        compare_problems(tanks, tanks)
    many = " ".join(f"thing-{number}" for number in range(30))
    huge = blocks("(forall (?x ?y ?z - block) (or (on ?x ?y) (on ?y ?z)))", "", many)
    with pytest.raises(UnsupportedError, match="more than 20,000 facts"):
        compare_problems(huge, huge)


def test_a_completed_goal_says_the_same() -> None:
    goal = completed(blocks("(held a)")).problem.goal
    assert Atom("held", ("a",)) in [*conjuncts(goal)]
    text = {str(part) for part in conjuncts(goal)}
    assert {"(not (clear a))", "(not (hand))", "(not (table a))"} <= text
    assert isinstance(completed(blocks("(held a)")).problem, Problem)
