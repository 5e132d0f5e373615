"""The simulator on small tasks: steps, goals, costs, states as values."""

from __future__ import annotations

import pickle
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from pddl2nl.pddl import (
    Atom,
    Comparison,
    Equality,
    Fluent,
    GroundAtom,
    InputError,
    Not,
    Task,
    UnsupportedError,
    parse_task,
    write_condition,
)
from pddlval import BadActionError, GroundAction, Simulator, State, validate
from pddlval.schemas import Change, Outcome
from pddlval.simulator import simulator_of
from pddlval.state import BITS


def atom(text: str) -> GroundAtom:
    return GroundAtom(text.split())


def test_initial_state(tower: Task) -> None:
    state = Simulator(tower).initial
    assert state.atoms == frozenset(tower.problem.init)
    assert list(state) == sorted(state.atoms)
    assert len(state) == 6
    assert atom("on c a") in state
    assert atom("on a c") not in state
    assert dict(state.values) == {}


def test_applicable_actions_in_order(tower: Task) -> None:
    simulator = Simulator(tower)
    assert [str(action) for action in simulator.applicable(simulator.initial)] == ["(pick-up b)", "(unstack c a)"]


def test_a_step_tells_what_changed(tower: Task) -> None:
    simulator = Simulator(tower)
    result = simulator.step(simulator.initial, "(unstack c a)")
    assert result.applicable
    assert result.unmet == ()
    assert result.added == (atom("holding c"), atom("clear a"))
    assert result.deleted == (atom("clear c"), atom("handempty"), atom("on c a"))
    assert result.successor is not None
    assert result.successor.atoms == {atom(t) for t in ("ontable a", "ontable b", "clear b", "clear a", "holding c")}
    assert simulator.initial.atoms == frozenset(tower.problem.init)


def test_a_step_that_cannot_be_done_tells_all_that_is_unmet(tower: Task) -> None:
    simulator = Simulator(tower)
    result = simulator.step(simulator.initial, GroundAction("stack", ("a", "a")))
    assert not result.applicable
    assert result.successor is None
    assert result.unmet == (Atom("holding", ("a",)), Atom("clear", ("a",)))


def test_actions_are_followed_to_the_first_that_cannot_be_executed(tower: Task) -> None:
    simulator = Simulator(tower)
    plan = ("(unstack c a)", "(put-down c)", "(pick-up a)", "(stack a b)")
    whole = simulator.follow(simulator.initial, plan)
    assert whole.complete
    assert len(whole.states) == 5
    assert whole.states[0] == simulator.initial
    assert whole.states[-1] == whole.state
    assert [str(step.action) for step in whole.steps] == [*plan]
    broken = simulator.follow(whole.states[1], plan[2:])
    assert not broken.complete
    assert broken.states == (whole.states[1],)
    assert str(broken.failed and broken.failed.action) == "(pick-up a)"
    assert broken.unmet == (Atom("handempty"),)
    assert broken.error is None
    unknown = simulator.follow(simulator.initial, iter(("(unstack c a)", "(fly c)", "not read")))
    assert unknown.state == whole.states[1]
    assert unknown.unmet == ()
    assert "no action 'fly'" in str(unknown.error)
    assert simulator.follow(whole.state, ()).state == whole.state


def test_negative_preconditions_equality_and_constants(trip: Task) -> None:
    simulator = Simulator(trip)
    state = simulator.step(simulator.initial, "(close x)").successor
    assert state is not None
    assert simulator.step(state, "(drive depot x)").unmet == (Not(Atom("closed", ("x",))),)
    assert simulator.step(state, "(drive y y)").unmet == (Atom("at", ("y",)), Not(Equality("y", "y")))


def test_an_action_whose_cost_has_no_value_is_applicable_nowhere(trip: Task) -> None:
    simulator = Simulator(trip)
    unknown = Fluent("distance", ("depot", "y"))
    assert simulator.step(simulator.initial, "(drive depot y)").unmet == (Comparison("=", unknown, unknown),)
    assert not simulator.is_applicable(simulator.initial, "(drive depot y)")
    assert "(drive depot y)" not in map(str, simulator.applicable(simulator.initial))
    assert "(drive depot x)" in map(str, simulator.applicable(simulator.initial))


def test_costs_add_up_exactly(trip: Task) -> None:
    simulator = Simulator(trip)
    assert simulator.cost(simulator.initial) == 10
    state = simulator.follow(simulator.initial, ("(close depot)", "(drive depot x)", "(drive x y)")).state
    assert state.values[atom("total-cost")] == Fraction(8)
    assert state.value(atom("fuel")) == 25
    assert state.value(atom("distance x y")) == Fraction(9, 2)
    assert state.value(atom("nothing")) is None
    assert simulator.cost(state) == 33
    assert simulator.is_goal(state)


def test_goals(tower: Task, trip: Task) -> None:
    simulator = Simulator(tower)
    assert not simulator.is_goal(simulator.initial)
    assert simulator.unmet_goals(simulator.initial) == (Atom("on", ("a", "b")), Atom("on", ("b", "c")))
    simulator = Simulator(trip)
    closed = simulator.state({*simulator.initial.atoms, atom("closed y"), atom("seen x")})
    assert simulator.unmet_goals(closed) == (Atom("at", ("y",)), Not(Atom("closed", ("y",))))


def test_a_state_from_atoms(tower: Task, trip: Task) -> None:
    simulator = Simulator(trip)
    assert simulator.state(simulator.initial.atoms, simulator.initial.values) == simulator.initial
    with pytest.raises(InputError, match="no action changes road"):
        simulator.state([atom("road x depot")])
    with pytest.raises(InputError, match=r"\(distance x y\) is 9/2"):
        simulator.state([], {atom("distance x y"): Fraction(1)})
    assert simulator.state(map(tuple, simulator.initial.atoms), simulator.initial.values) == simulator.initial


@pytest.mark.parametrize(
    ("atoms", "values", "message"),
    [
        (["closed"], [], "'closed' takes 1 argument"),
        (["closed nowhere"], [], r"\(closed nowhere\): 'nowhere' is no object"),
        ([], ["fuel x"], "'fuel' takes 0 arguments"),
        ([], ["distance y y"], r"\(distance y y\) is undefined in every state"),
        ([], ["speed"], r"\(speed\) is undefined in every state"),
    ],
)
def test_a_state_of_what_the_task_does_not_have(trip: Task, atoms: list[str], values: list[str], message: str) -> None:
    simulator = Simulator(trip)
    before = list(simulator.applicable(simulator.initial))
    with pytest.raises(InputError, match=message):
        simulator.state(map(atom, atoms), {atom(fluent): Fraction(1) for fluent in values})
    # All states of a task share their numbering: nothing of the refused state may be left in it.
    assert list(Simulator(trip).applicable(simulator.initial)) == before


def test_states_of_other_tasks_are_refused(tower: Task, trip: Task) -> None:
    with pytest.raises(InputError, match="another task"):
        Simulator(trip).step(Simulator(tower).initial, "(close x)")


def test_a_dead_end_has_no_action_to_sample() -> None:
    task = parse_task(
        "(define (domain d) (:predicates (p) (q)) (:action a :parameters () :precondition (p) :effect (q)))",
        "(define (problem x) (:domain d) (:init) (:goal (q)))",
    )
    simulator = Simulator(task)
    assert list(simulator.applicable(simulator.initial)) == []
    assert simulator.sample(simulator.initial, random.Random(1)) is None


def test_simulators_of_recent_tasks_are_kept_and_old_ones_are_not(tower: Task) -> None:
    first = simulator_of(tower)
    assert simulator_of(tower) is first
    assert first.task is tower
    others = [Task(tower.domain, tower.problem) for _ in range(100)]
    simulators = [simulator_of(task) for task in others]
    assert all(simulator.task is task for simulator, task in zip(simulators, others, strict=True))
    assert simulator_of(tower) is not first


# ── ground actions as text, and what can be wrong with one ────────────────────────────────────────


@pytest.mark.parametrize("text", ["(stack a b)", "stack a b", " ( STACK  A\tb ) \n"])
def test_parsing_takes_case_blanks_and_bare_words(text: str) -> None:
    assert GroundAction.parse(text) == GroundAction("stack", ("a", "b"))


@pytest.mark.parametrize("text", ["", "()", "(stack a b", "(stack (a) b)", "(a) (b)"])
def test_what_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not an action"):
        GroundAction.parse(text)


@pytest.mark.parametrize(
    ("text", "reason", "suggestion"),
    [
        ("(stak a b)", "the domain has no action 'stak'", "stack"),
        ("(stack a)", "'stack' takes 2 arguments, found 1", ""),
        ("(pick-up a b)", "'pick-up' takes 1 argument, found 2", ""),
        ("(stack a zz)", "argument 2, 'zz', is no object of the task", ""),
        ("(pick-up t)", "argument 1, 't', is of type table, expected block (?x)", ""),
    ],
)
def test_bad_actions_are_named_with_their_reason(tower: Task, text: str, reason: str, suggestion: str) -> None:
    simulator = Simulator(tower)
    with pytest.raises(BadActionError) as caught:
        simulator.step(simulator.initial, text)
    assert caught.value.reason == reason
    assert caught.value.suggestion == suggestion
    assert str(caught.value.action) in str(caught.value)
    with pytest.raises(BadActionError):
        simulator.check(GroundAction.parse(text))
    with pytest.raises(BadActionError):
        simulator.is_applicable(simulator.initial, text)


def test_a_near_object_of_the_right_type_is_suggested(shared_names: Task) -> None:
    simulator = Simulator(shared_names)
    with pytest.raises(BadActionError, match="did you mean 'block_10'"):
        simulator.check(GroundAction("pick-up", ("blok_10",)))


@pytest.fixture
def shared_names(tower: Task) -> Task:
    from dataclasses import replace

    from pddl2nl.pddl import TypedName

    objects = (*tower.problem.objects, TypedName("block_10", ("block",)), TypedName("table_10", ("table",)))
    return Task(tower.domain, replace(tower.problem, objects=objects))


# ── states as values ──────────────────────────────────────────────────────────────────────────────


DOMAIN = """
(define (domain lamps)
  (:requirements :negative-preconditions :numeric-fluents)
  (:predicates (on ?l) (lamp ?l))
  (:functions (used ?l))
  (:action light :parameters (?l) :precondition (and (lamp ?l) (not (on ?l)))
   :effect (and (on ?l) (increase (used ?l) 1)))
  (:action quench :parameters (?l) :precondition (on ?l) :effect (not (on ?l))))
"""


def lamps(count: int, lit: int) -> Task:
    names = [f"l{number}" for number in range(count)]
    init = "".join(f"(lamp {name})" for name in names) + "".join(f"(on {name})" for name in names[:lit])
    return parse_task(
        DOMAIN, f"(define (problem p) (:domain lamps) (:objects {' '.join(names)}) (:init {init}) (:goal (on l0)))"
    )


def on(number: int) -> GroundAtom:
    return GroundAtom(("on", f"l{number}"))


def test_a_step_and_its_undoing_give_the_same_state() -> None:
    simulator = Simulator(lamps(3 * BITS, 2 * BITS))
    quenched = simulator.step(simulator.initial, f"(quench l{BITS + 5})").successor
    assert quenched is not None
    assert quenched != simulator.initial
    assert len(quenched) == len(simulator.initial) - 1
    relit = simulator.step(quenched, f"(light l{BITS + 5})").successor
    assert relit is not None
    assert relit.atoms == simulator.initial.atoms
    assert relit != simulator.initial, "the lamp was used, which a number tells"
    assert simulator.state(relit.atoms, simulator.initial.values) == simulator.initial
    assert hash(simulator.state(relit.atoms)) == hash(simulator.initial)


def test_changes_are_those_that_the_sets_of_atoms_show() -> None:
    simulator = Simulator(lamps(3 * BITS, 2 * BITS))
    states = [simulator.initial]
    for action in (f"(quench l{BITS + 5})", "(quench l0)", f"(light l{3 * BITS - 1})", "(light l0)"):
        successor = simulator.step(states[-1], action).successor
        assert successor is not None
        states.append(successor)
    # Another simulator numbers its atoms and fluents for itself.
    other = Simulator(lamps(3 * BITS, 2 * BITS))
    for before in states:
        for after in states:
            for then in (before, other.state(before.atoms, before.values)):
                change = after.changes_since(then)
                assert sorted(change.added) == sorted(after.atoms - then.atoms)
                assert sorted(change.deleted) == sorted(then.atoms - after.atoms)
                differing = {*after.values.items()} ^ {*then.values.items()}
                assert sorted(change.fluents) == sorted({fluent for fluent, _ in differing})


def test_what_a_state_says_about_itself() -> None:
    simulator = Simulator(lamps(3, 1))
    state = simulator.step(simulator.initial, "(light l2)").successor
    assert state is not None
    assert [str(atom) for atom in state] == ["(lamp l0)", "(lamp l1)", "(lamp l2)", "(on l0)", "(on l2)"]
    assert len(state) == 5
    assert ("on", "l2") in state
    assert on(1) not in state
    assert "on" not in state
    assert () not in state
    assert dict(state.values) == {GroundAtom(("used", "l2")): Fraction(1)}
    assert state.value(GroundAtom(("used", "l0"))) is None
    assert state.derived == frozenset()
    assert repr(state) == "<State of 5 atoms>"
    assert state != 3


def test_a_derived_atom_in_the_initial_state_counts_for_nothing() -> None:
    task = parse_task(
        "(define (domain d) (:requirements :derived-predicates) (:predicates (p) (q))"
        " (:derived (q) (p)) (:action a :parameters () :effect (p)))",
        "(define (problem x) (:domain d) (:init (q)) (:goal (q)))",
    )
    simulator = Simulator(task)
    assert simulator.initial.atoms == simulator.initial.derived == frozenset()
    assert not simulator.is_goal(simulator.initial)
    after = simulator.step(simulator.initial, "(a)").successor
    assert after is not None
    assert (after.atoms, after.derived) == ({GroundAtom(("p",))}, {GroundAtom(("q",))})


def test_states_of_two_simulators_of_one_task_are_the_same_values() -> None:
    task = lamps(4, 2)
    one, other = Simulator(task), Simulator(task)
    assert one.initial == other.initial
    assert len({one.initial, other.initial}) == 1
    assert other.is_applicable(one.initial, "(quench l1)")
    tolerant = Simulator(task, Fraction(1, 10_000))
    assert tolerant.initial != one.initial, "what holds in it may differ"


def test_a_state_can_be_pickled_with_its_task() -> None:
    simulator = Simulator(lamps(4, 2))
    state = simulator.step(simulator.initial, "(light l3)").successor
    assert state is not None
    task, copy = pickle.loads(pickle.dumps((simulator.task, state)))
    assert (copy.atoms, copy.values) == (state.atoms, state.values)
    again = Simulator(task)
    assert again.step(again.initial, "(light l3)").successor == copy


def test_threads_may_step_through_one_simulator() -> None:
    count = 400
    simulator = Simulator(lamps(count, 0))
    ends: list[State] = []

    def walk() -> None:
        state = simulator.initial
        for number in range(count):
            state = simulator.step(state, f"(light l{number})").successor or state
        ends.append(state)

    threads = [threading.Thread(target=walk) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ends) == 8
    assert len(set(ends)) == 1
    assert ends[0].atoms >= {on(number) for number in range(count)}


# ── domains of thousands of schemas: few of them are ever compiled ────────────────────────────────


def grounded(count: int) -> Task:
    """A ring of places, an action a step, as domains are that were grounded by hand."""
    schemas = " ".join(
        f"(:action go{number} :parameters () :precondition (and (free) (at{number}) (not (shut{number})))"
        f" :effect (and (not (at{number})) (at{(number + 1) % count})))"
        for number in range(count)
    )
    shut = " ".join(
        f"(:action shut{number} :parameters (?x) :precondition (and (key ?x p{number}) (at{number}) (free))"
        f" :effect (and (shut{number}) (key ?x p{number})))"
        for number in range(count)
    )
    predicates = " ".join(f"(at{number}) (shut{number})" for number in range(count))
    places = " ".join(f"p{number}" for number in range(count))
    return parse_task(
        f"""(define (domain ring) (:requirements :adl) (:constants {places})
          (:predicates (free) (key ?x ?y) {predicates}) {schemas} {shut}
          (:action stop :parameters () :effect (and (not (free)))))""",
        "(define (problem x) (:domain ring) (:objects a b) (:init (free) (at0) (key a p0) (key b p1)) (:goal (at1)))",
    )


def test_threads_may_ask_about_thousands_of_schemas_at_once() -> None:
    task = grounded(200)
    simulator, states = Simulator(task), []
    state = simulator.initial
    for number in range(12):
        states.append(state)
        state = simulator.step(state, f"(go{number})").successor or state
    expected = [list(simulator.applicable(one)) for one in states]
    shared = Simulator(parse_task(task.domain.source.text, task.problem.source.text))  # type: ignore[union-attr]
    copies = [shared.state(one.atoms) for one in states]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(lambda one: list(shared.applicable(one)), copies)) == expected


# ── effects ───────────────────────────────────────────────────────────────────────────────────────


EFFECTS = """
(define (domain works)
  (:requirements :adl :numeric-fluents)
  (:types item place)
  (:constants b a c - item home yard - place)
  (:predicates (at ?i - item ?p - place) (wet ?i - item) (seen ?i - item) (lit) (last ?i - item))
  (:functions (load ?p - place) (total) (unset) (width ?i - item))
  (:action {name} :parameters {parameters} :precondition {precondition} :effect {effect}))
"""

PROBLEM = """
(define (problem small) (:domain works)
  (:objects)
  (:init (at a home) (at b home) (at c yard) (wet b) (= (load home) 3) (= (load yard) 0) (= (total) 2)
         (= (width a) 1) (= (width b) 1/2) (= (width c) 4))
  (:goal (lit)))
""".replace("1/2", "0.5")


def task(effect: str, *, precondition: str = "()", parameters: str = "()") -> Task:
    return parse_task(
        EFFECTS.format(name="do", parameters=parameters, precondition=precondition, effect=effect), PROBLEM
    )


def outcome(effect: str, *args: str, parameters: str = "()") -> Outcome:
    simulator = Simulator(task(effect, parameters=parameters))
    return simulator.ground(GroundAction("do", args)).outcome(simulator.initial)


def atoms(*texts: str) -> tuple[GroundAtom, ...]:
    return tuple(GroundAtom(text.split()) for text in texts)


def test_top_level_first_then_when_then_forall_in_alphabetic_order() -> None:
    found = outcome("(and (forall (?i - item) (seen ?i)) (when (wet b) (last b)) (lit) (last c))")
    assert found.adds == atoms("lit", "last c", "last b", "seen a", "seen b", "seen c")


def test_updates_of_conditional_effects_come_before_those_at_the_top() -> None:
    found = outcome(
        "(and (increase (total) 1) (when (wet b) (increase (load home) 2))"
        " (forall (?i - item) (when (at ?i home) (decrease (load yard) (width ?i)))))"
    )
    assert found.updates == (
        Change(GroundAtom(("load", "home")), "increase", 2),
        Change(GroundAtom(("total",)), "increase", 1),
        Change(GroundAtom(("load", "yard")), "decrease", 1),
        Change(GroundAtom(("load", "yard")), "decrease", Fraction(1, 2)),
    )


LEVELS = """
(define (domain levels)
  (:requirements :adl)
  (:types level store)
  (:constants v00 v01 v02 v03 v04 v05 v06 v07 v08 v09 v10 - level)
  (:predicates (less ?more ?one - level) (has ?s - store ?l - level) (open ?l - level))
  (:action move :parameters (?from ?to ?by - store) :effect
    (forall (?old ?new ?low ?high ?out ?in - level)
      (when (and (has ?from ?old) (less ?old ?new) (has ?to ?low) (less ?high ?low) (not (open ?high))
                 (has ?by ?out) (or (less ?out ?in) (= ?out ?in)))
        (and (not (has ?from ?old)) (has ?from ?new) (not (has ?to ?low)) (has ?to ?high) (has ?by ?in))))))
"""


@pytest.mark.parametrize("times", [1, 2, 3])
def test_many_quantified_variables_are_bound_one_by_one(
    times: int, steps: Callable[[Callable[[], object]], int]
) -> None:
    less = " ".join(f"(less v{more:02} v{more - 1:02})" for more in range(1, 11))
    problem = f"""(define (problem three) (:domain levels) (:objects a b c - store)
        (:init {less} (has a v07) (has b v01) (has c v00)) (:goal (has b v02)))"""
    simulator = Simulator(parse_task(LEVELS, problem))
    ground = simulator.ground(GroundAction("move", ("a", "b", "c")))
    outcomes: list[Outcome] = []
    # All choices are 1,771,561.
    assert steps(lambda: outcomes.extend(ground.outcome(simulator.initial) for _ in range(times))) < 400_000
    found = outcomes[-1]
    assert found.deletes == atoms("has a v07", "has b v01")
    assert found.adds == atoms("has a v06", "has b v02", "has c v00")


@pytest.mark.parametrize("condition", ["(seen ?v0)", pytest.param("(not (= ?v0 ?v1))", marks=pytest.mark.heavy)])
def test_too_many_instances_of_an_effect_are_an_error_that_names_it(condition: str) -> None:
    names = " ".join(f"?v{number}" for number in range(22))
    simulator = Simulator(task(f"(forall ({names} - item) (when {condition} (seen ?v21)))"))
    expected = r"the effect \(forall \(\?v0 .*\?v21\) …\) of action \(do\) has more than 1,000,000 instances"
    with pytest.raises(UnsupportedError, match=expected):
        simulator.step(simulator.initial, "(do)")


@pytest.mark.parametrize(
    "effect",
    [
        "(and (assign (load ?p) 1) (assign (load home) 2))",
        "(and (assign (load ?p) 1) (increase (load home) 1))",
        "(and (scale-up (load ?p) 2) (increase (load home) 1))",
        "(and (assign (load ?p) 1) (when (wet b) (increase (load home) 1)))",
    ],
)
def test_contradicting_updates_of_one_fluent_are_an_error(effect: str) -> None:
    contradicting = task(effect, parameters="(?p - place)")
    simulator = Simulator(contradicting)
    assert simulator.is_applicable(simulator.initial, "(do yard)")
    assert not simulator.is_applicable(simulator.initial, "(do home)")
    result = simulator.step(simulator.initial, "(do home)")
    assert (result.successor, result.unmet) == (None, ())
    assert result.conflict == GroundAtom(("load", "home"))
    report = validate(contradicting, "(do yard) (do home)")
    assert (report.verdict, report.failed_step, report.unmet) == ("inapplicable", 2, ())
    assert "(load home)" in report.diagnostics[0].message


@pytest.mark.parametrize(
    ("effect", "missing"),
    [
        ("(assign (total) (unset))", "(= (unset) (unset))"),
        ("(when (> (unset) 1) (lit))", "(= (unset) (unset))"),
        ("(and (when (> (unset) 1) (when (lit) (increase (total) 1))) (not (lit)))", "(= (unset) (unset))"),
        ("(when (> (unset) 1) (forall (?i - item) (when (last ?i) (not (last ?i)))))", "(= (unset) (unset))"),
        ("(forall (?i - item) (when (wet ?i) (increase (total) (unset))))", "(= (unset) (unset))"),
        ("(scale-down (total) (load yard))", "(= (/ (total) 0) (/ (total) 0))"),
        ("(increase (total) (/ 1 (load yard)))", "(= (/ 1 (load yard)) (/ 1 (load yard)))"),
    ],
)
def test_what_has_no_value_is_an_error_at_use(effect: str, missing: str) -> None:
    simulator = Simulator(task(effect))
    # What an action does is compiled further once it has been met before.
    for _ in range(3):
        assert not simulator.is_applicable(simulator.initial, "(do)")
        result = simulator.step(simulator.initial, "(do)")
        assert [write_condition(condition) for condition in result.unmet] == [missing]


def test_a_fluent_without_a_value_is_updated_from_zero_as_in_val() -> None:
    simulator = Simulator(task("(increase (unset) 2)"))
    after = simulator.step(simulator.initial, "(do)").successor
    assert after is not None
    assert after.value(GroundAtom(("unset",))) == 2
