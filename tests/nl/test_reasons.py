"""Why a condition does not hold, in words: every kind of condition that can be left unmet."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.nl import Teller, explain, make_names, template_wording
from pddl2nl.nl.telling.reasons import short_number, unmet_parts
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.pddl import GroundAtom, parse_task
from pddl2nl.pddl.tree import (
    And,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Fluent,
    Forall,
    Imply,
    Not,
    Number,
    Or,
    TypedName,
)
from pddlval import Simulator, State, validate
from pddlval.semantics import holds

DOMAIN = """(define (domain haulage)
  (:requirements :adl :derived-predicates :numeric-fluents)
  (:types truck place)
  (:constants depot - place)
  (:predicates (at ?t - truck ?p - place) (broken ?t - truck) (road ?a ?b - place) (linked ?a ?b - place) (night))
  (:functions (fuel ?t - truck) (tank ?t - truck) (toll ?p - place))
  (:derived (linked ?a ?b - place)
    (or (road ?a ?b) (exists (?c - place) (and (road ?a ?c) (linked ?c ?b)))))
  (:action meet :parameters (?t ?u - truck) :precondition (or (at ?t depot) (at ?u depot)) :effect (night))
  (:action tow :parameters (?t ?u - truck)
    :precondition (or (not (broken ?t)) (at ?u depot) (night)) :effect (night))
  (:action gather :parameters () :precondition (forall (?u - truck) (at ?u depot)) :effect (night))
  (:action greet :parameters (?t - truck)
    :precondition (exists (?u - truck ?p - place) (and (at ?u ?p) (broken ?u))) :effect (night))
  (:action hide :parameters () :precondition (not (exists (?u - truck) (at ?u depot))) :effect (night))
  (:action sneak :parameters ()
    :precondition (not (exists (?u - truck) (and (at ?u depot) (broken ?u)))) :effect (night))
  (:action haul :parameters (?t - truck) :precondition (imply (at ?t depot) (broken ?t)) :effect (night))
  (:action hush :parameters (?t - truck) :precondition (imply (at ?t depot) (not (broken ?t))) :effect (night))
  (:action drive :parameters (?t - truck ?a ?b - place)
    :precondition (and (at ?t ?a) (linked ?a ?b) (>= (fuel ?t) 5) (not (= ?a ?b)))
    :effect (and (not (at ?t ?a)) (at ?t ?b) (decrease (fuel ?t) 5)))
  (:action ram :parameters (?t - truck) :precondition (not (broken ?t)) :effect (broken ?t))
  (:action pay :parameters (?t - truck ?p - place) :effect (decrease (fuel ?t) (toll ?p)))
  (:action fill :parameters (?t - truck)
    :precondition (not (>= (fuel ?t) (tank ?t))) :effect (assign (fuel ?t) (tank ?t)))
  (:action race :parameters (?t ?u - truck) :precondition (< (+ (fuel ?t) 1) (tank ?u)) :effect (night))
  (:action rest :parameters (?t - truck) :precondition (< 7 (fuel ?t)) :effect (night))
  (:action share :parameters (?t ?u - truck) :precondition (= (/ (fuel ?t) (fuel ?u)) 2) :effect (night))
  (:action thin :parameters (?t ?u - truck) :effect (scale-down (fuel ?t) (fuel ?u)))
  (:action mix :parameters (?t ?u - truck) :effect (and (assign (fuel ?t) 1) (assign (fuel ?u) 2)))
  (:action twin :parameters (?t ?u - truck) :precondition (= ?t ?u) :effect (night)))
"""
PROBLEM = """(define (problem p) (:domain haulage) (:objects red blue - truck far shop - place)
  (:init (at red far) (at blue shop) (road depot shop) (road shop far)
         (= (fuel red) 3) (= (tank red) 2.5) (= (fuel blue) 0) (= (tank blue) 4))
  (:goal (and (or (at red depot) (at blue depot)) (>= (fuel red) 10) (linked far depot)
              (forall (?x - truck) (broken ?x)))))
"""
SNIPPETS = {
    "predicates": {
        "at": "{?t} is at {?p}",
        "broken": "{?t} is broken",
        "road": "there is a road from {?a} to {?b}",
        "linked": "{?b} can be reached from {?a}",
        "night": "it is night",
    },
    "functions": {"fuel": "the fuel of {?t}", "tank": "the tank size of {?t}", "toll": "the toll at {?p}"},
}


def haulage(style: str = "nl") -> Teller:
    task = parse_task(DOMAIN, PROBLEM)
    data: dict[str, object] = {"format": 1, "actions": {}}
    kinds = {"predicates": task.domain.predicates, "functions": task.domain.functions}
    for kind, declared in kinds.items():
        entries = {item.name: [parameter.name for parameter in item.parameters] for item in declared}
        data[kind] = {name: {"parameters": entries[name], "text": text} for name, text in SNIPPETS[kind].items()}
    data["actions"] = {
        item.name: {
            "parameters": [parameter.name for parameter in item.parameters],
            "text": " with ".join([item.name, *(f"{{{parameter.name}}}" for parameter in item.parameters)]),
        }
        for item in task.domain.actions
    }
    return Teller(
        task, wording_from_json(data, task.domain), make_names(task, "original"), "pddl" if style == "pddl" else "nl"
    )


def refusal(action: str, at: str = "", style: str = "nl") -> str:
    """The reason that is given for not doing an action, initially or with both trucks somewhere, the red one broken."""
    teller = haulage(style)
    simulator = Simulator(teller.task)
    state = simulator.initial
    if at:
        atoms = [GroundAtom(("at", truck, at)) for truck in ("red", "blue")]
        state = simulator.state([*atoms, GroundAtom(("broken", "red"))], dict(state.values))
    result = simulator.step(state, action)
    assert not result.applicable
    told = teller.refused(result, state)
    assert told.count(" because ") == 1
    return told.partition(" because ")[2]


@pytest.mark.parametrize(
    ("action", "at", "reason"),
    [
        # or
        ("(meet red blue)", "", "neither (red is at depot) nor (blue is at depot)."),
        ("(tow red blue)", "far",
         "even though red is broken, neither (blue is at depot) nor (it is night)."),
        # instances of forall, exists, not exists
        ("(gather)", "", "red is not at depot and blue is not at depot."),
        ("(greet red)", "", "there is no truck A and no place B such that ((A is at B) and (A is broken))."),
        ("(hide)", "depot", "red is at depot and blue is at depot."),
        ("(sneak)", "depot",
         "red is at depot while red is broken."),
        # imply
        ("(haul blue)", "depot", "even though blue is at depot, blue is not broken."),
        ("(hush red)", "depot",
         "red is at depot while red is broken."),
        # comparisons, with the values that they have now
        ("(drive red shop far)", "shop", "the fuel of red is 3, which is not at least 5."),
        ("(fill red)", "", "the fuel of red is 3, which is at least the tank size of red (2.5)."),
        ("(race red blue)", "", "(the fuel of red plus 1) is 4, which is not less than the tank size of blue (4)."),
        ("(rest red)", "", "the fuel of red is 3, which is not more than 7."),
        # several, derived atoms and inequalities among them
        ("(drive red shop shop)", "",
         "red is not at shop, and shop cannot be reached from shop, and the fuel of red is 3, "
         "which is not at least 5, and shop and shop are the same object."),
        ("(twin red blue)", "", "red and blue are different objects."),
        # without a value
        ("(pay red far)", "", "the toll at far is undefined."),
        ("(share red blue)", "",
         "(the fuel of red divided by the fuel of blue) is undefined, since it divides by zero."),
        ("(thin red blue)", "", "(the fuel of red divided by 0) is undefined, since it divides by zero."),
        ("(mix red red)", "", "it would change the fuel of red in more than one way at once."),
    ],
)  # fmt: skip
def test_every_kind_of_condition_has_its_reason(action: str, at: str, reason: str) -> None:
    assert refusal(action, at) == reason


@pytest.mark.parametrize(
    ("action", "at", "reason"),
    [
        ("(meet red blue)", "", "(or (at red depot) (at blue depot)) is false."),
        ("(hide)", "depot", "(at red depot) is true and (at blue depot) is true."),
        ("(drive red shop far)", "shop", "(>= (fuel red) 5) is false with (= (fuel red) 3)."),
        ("(fill red)", "",
         "(>= (fuel red) (tank red)) is true with (= (fuel red) 3) (= (tank red) 2.5)."),
        ("(pay red far)", "", "(toll far) has no value."),
        ("(share red blue)", "", "(/ (fuel red) (fuel blue)) would be a division by zero."),
        ("(mix red red)", "", "(fuel red) would be changed in more than one way at once."),
    ],
)  # fmt: skip
def test_in_pddl_the_condition_itself_is_shown(action: str, at: str, reason: str) -> None:
    assert refusal(action, at, "pddl") == reason


def test_missing_goals_are_told_with_and_without_the_state() -> None:
    teller = haulage()
    simulator = Simulator(teller.task)
    missing = simulator.unmet_goals(simulator.initial)
    told = "My goal is not reached yet because neither (red is at depot) nor (blue is at depot), and {}, "
    told += "and depot cannot be reached from far, and red is not broken, and blue is not broken."
    in_state = teller.unmet_goal(missing, simulator.initial)
    assert in_state == told.format("the fuel of red is 3, which is not at least 10")
    without = teller.unmet_goal(missing)
    assert without == told.format("it is not the case that (the fuel of red is at least 10)")


FUEL = Fluent("fuel", ("red",))
TEN = Number(Fraction(10))


@pytest.fixture(scope="module")
def teller() -> Teller:
    return haulage()


@pytest.fixture(scope="module")
def state(teller: Teller) -> State:
    return Simulator(teller.task).initial


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        (Or(()), "this is never possible"),
        (Or((Atom("broken", ("red",)),)), "red is not broken"),
        (Or((And((Atom("broken", ("red",)), Atom("night"))), Equality("red", "blue"))),
         "neither (red is broken and it is night) nor (red and blue are the same object)"),
        (Comparison("=", FUEL, TEN), "the fuel of red is 3, which is not equal to 10"),
        (Comparison(">", TEN, TEN), "10 is not less than 10"),
        (Comparison("<=", TEN, FUEL), "the fuel of red is 3, which is not at least 10"),
        (Exists((), Atom("night")), "it is not the case that (it is night)"),
        (Exists((TypedName("?x", ("truck", "place")),), Equality("?x", "red")),
         "there is no truck or place A such that (A and red are the same object)"),
    ],
)  # fmt: skip
def test_odd_conditions(teller: Teller, state: State, condition: Condition, reason: str) -> None:
    assert teller.reasons([condition], state) == reason


AT_FAR, BROKEN = Atom("at", ("?x", "far")), Atom("broken", ("?x",))
TRUCKS = (TypedName("?x", ("truck",)),)
NIGHT = Atom("night")


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        # a premise comes down to one object of which it is true, an alternative to what it lacks
        (Imply(Exists(TRUCKS, And((AT_FAR, Not(BROKEN)))), And((Atom("road", ("depot", "shop")), NIGHT))),
         "even though red is at far and red is not broken, it is not night"),
        (Imply(Atom("at", ("red", "far")), Forall(TRUCKS, Or((AT_FAR, BROKEN)))),
         "even though red is at far, neither (blue is at far) nor (blue is broken)"),
        (Imply(Atom("at", ("red", "far")), Forall(TRUCKS, Imply(AT_FAR, BROKEN))),
         "even though red is at far, red is not broken"),
        (Imply(Atom("at", ("red", "far")), Forall(TRUCKS, BROKEN)),
         "even though red is at far, red is not broken and blue is not broken"),
        (Imply(Atom("at", ("red", "far")), And((NIGHT, Or((Atom("broken", ("red",)), Atom("broken", ("blue",))))))),
         "even though red is at far, (it is not night) and (neither (red is broken) nor (blue is broken))"),
        (Imply(Comparison("<", FUEL, TEN), NIGHT),
         "even though the fuel of red is 3, which is less than 10, it is not night"),
        (Or((Forall(TRUCKS, AT_FAR), Exists(TRUCKS, BROKEN))),
         "neither (blue is at far) nor (there is a truck A such that (A is broken))"),
        (Or((Not(Atom("at", ("red", "far"))), Not(Atom("at", ("blue", "shop"))), Not(Atom("road", ("shop", "far"))))),
         "red is at far while blue is at shop and there is a road from shop to far"),
        (Not(Imply(NIGHT, Atom("broken", ("red",)))), "if (it is night) then (red is broken)"),
    ],
)  # fmt: skip
def test_composite_conditions_come_down_to_what_fails(
    teller: Teller, state: State, condition: Condition, reason: str
) -> None:
    assert teller.reasons([condition], state) == reason


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (Fraction(3), "3"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(1, 3), "1/3"),
        (Fraction(1046775252403, 19530752000000), "about 0.0535963"),
        (Fraction(10) ** 30, "1" + 30 * "0"),
        (Fraction(10**400, 3), "about inf"),
    ],
)
def test_long_fractions_are_rounded_and_said_to_be(number: Fraction, told: str) -> None:
    assert short_number(number) == told


# ── the parts of a reason ─────────────────────────────────────────────────────────────────────────


TASK = parse_task(
    "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x) (r))"
    "(:action a :parameters (?x) :effect (and (p ?x) (q ?x) (r))))",
    "(define (problem x) (:domain d) (:objects a b) (:init) (:goal (r)))",
)
SIMULATOR = Simulator(TASK)
ATOMS = [GroundAtom(parts) for parts in (("p", "a"), ("p", "b"), ("q", "a"), ("q", "b"), ("r",))]
STATES = [
    SIMULATOR.state(list(chosen))
    for chosen in chain.from_iterable(combinations(ATOMS, count) for count in range(len(ATOMS) + 1))
]
X = (TypedName("?x", ("object",)),)


def deeper(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    return st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
        st.tuples(inner, inner).map(lambda pair: Imply(*pair)),
        inner.map(lambda body: Forall(X, body)),
        inner.map(lambda body: Exists(X, body)),
    )


def conditions(*terms: str) -> st.SearchStrategy[Condition]:
    atoms = [Atom("r", ()), *(Atom(name, (term,)) for name in "pq" for term in terms)]
    return st.recursive(st.sampled_from(atoms), deeper, max_leaves=8)


# Variables stand only below the quantifier that binds them.
GROUND = st.one_of(
    conditions("a", "b"),
    conditions("a", "?x").map(lambda body: Exists(X, body)),
    conditions("b", "?x").map(lambda body: Forall(X, body)),
)
COMPOSITE = st.one_of(
    st.tuples(GROUND, GROUND).map(lambda pair: Imply(*pair)),
    st.lists(GROUND, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
)


@settings(max_examples=120)
@given(COMPOSITE, st.sampled_from(STATES))
def test_the_parts_are_as_said_and_enough(condition: Condition, state: State) -> None:
    if holds(condition, state):
        return
    parts = unmet_parts(condition, state)
    assert all(holds(premise, state) for premise in parts.premises)
    assert not any(holds(failing, state) for item in parts.alternatives for failing in item.failing)
    for other in STATES:
        as_said = all(holds(premise, other) for premise in parts.premises)
        missing = all(not holds(failing, other) for item in parts.alternatives for failing in item.failing)
        assert not (as_said and missing and holds(condition, other))


@settings(max_examples=40)
@given(COMPOSITE, st.sampled_from(STATES))
def test_without_a_state_the_parts_are_right_too(condition: Condition, state: State) -> None:
    if holds(condition, state):
        return
    parts = unmet_parts(condition, None)
    assert all(holds(premise, state) for premise in parts.premises)
    assert not any(holds(item.whole, state) for item in parts.alternatives)
    assert not any(holds(failing, state) for item in parts.alternatives for failing in item.failing)


def test_a_static_premise_about_the_same_object_goes_without_saying() -> None:
    task = parse_task(
        """(define (domain d) (:requirements :adl) (:types box)
          (:predicates (openable ?b - box) (open ?b - box) (full ?b - box))
        (:action put :parameters (?b ?c - box) :precondition
          (and (imply (openable ?b) (open ?b)) (imply (openable ?c) (open ?b)) (imply (full ?b) (open ?b)))
          :effect (and (open ?b) (full ?b))))""",
        "(define (problem p) (:domain d) (:objects a b - box)"
        "  (:init (openable a) (openable b) (full a)) (:goal (full a)))",
    )
    simulator = Simulator(task)
    teller = Teller(task, template_wording(task.domain), make_names(task, "original"))
    step = simulator.step(simulator.initial, "(put a b)")
    assert [teller.reasons([item], simulator.initial) for item in step.unmet] == [
        "a is not 'open'",
        "even though b is 'openable', a is not 'open'",
        "even though a is 'full', a is not 'open'",
    ]


# ── verdicts on plans ─────────────────────────────────────────────────────────────────────────────


LOCKS = """(define (domain locks)
  (:requirements :adl :derived-predicates :numeric-fluents)
  (:types door)
  (:predicates (open ?d - door) (locked ?d - door) (alarm) (passable))
  (:functions (power) (strain ?d - door) (price))
  (:derived (passable) (exists (?d - door) (and (open ?d) (not (locked ?d)))))
  (:action push :parameters (?d - door)
    :precondition (and (>= (power) 2) (not (locked ?d)))
    :effect (and (open ?d) (decrease (power) 2) (when (alarm) (forall (?e - door) (locked ?e)))))
  (:action slam :parameters (?d - door) :effect (and (not (open ?d)) (alarm)))
  (:action lock :parameters (?d - door) :precondition (not (open ?d)) :effect (locked ?d))
  (:action walk :parameters () :precondition (passable) :effect (increase (power) 1))
  (:action knock :parameters () :precondition (or (forall (?d - door) (open ?d)) (alarm)) :effect (not (alarm)))
  (:action buy :parameters () :effect (decrease (power) (price)))
  (:action bend :parameters (?d ?e - door)
    :effect (and (assign (strain ?d) 1) (assign (strain ?e) 2)))
  (:action split :parameters () :precondition (> (/ 6 (power)) 1) :effect (alarm)))
"""
LOCKED = """(define (problem p) (:domain locks) (:objects front back - door)
  (:init (open front) (= (power) 3))
  (:goal (and (passable) (or (alarm) (locked front)) (not (locked back)) (>= (power) 1))))
"""
TEXTS = {
    "open": "{?d} is open",
    "locked": "{?d} is locked",
    "alarm": "the alarm rings",
    "passable": "one can pass",
    "power": "my power",
    "strain": "the strain on {?d}",
    "price": "the price",
}


def locks(style: str = "nl") -> Teller:
    task = parse_task(LOCKS, LOCKED)
    data: dict[str, object] = {"format": 1}
    declared = {
        "predicates": task.domain.predicates,
        "functions": task.domain.functions,
        "actions": task.domain.actions,
    }
    for kind, items in declared.items():
        data[kind] = {
            item.name: {
                "parameters": [parameter.name for parameter in item.parameters],
                "text": TEXTS.get(item.name)
                or " against ".join([item.name, *(f"{{{parameter.name}}}" for parameter in item.parameters)]),
            }
            for item in items
        }
    names = make_names(task, "original")
    return Teller(task, wording_from_json(data, task.domain), names, "pddl" if style == "pddl" else "nl")


@pytest.mark.parametrize(
    ("plan", "sentences"),
    [
        ("(push back) (push front)",
         ("Step 2, push against front, cannot be done because my power is 1, which is not at least 2.",
          "Step 1 made it untrue that my power is at least 2.")),
        ("(lock back) (push back)",
         ("Step 2, push against back, cannot be done because back is locked.",
          "Step 1 made it true that back is locked.")),
        ("(lock front)",
         ("Step 1, lock against front, cannot be done because front is open.",
          "At all times it was the case that front is open.")),
        # derived: it held, and does no longer
        ("(slam front) (walk)",
         ("Step 2, walk, cannot be done because one cannot pass.",
          "Step 1 made it untrue that one can pass.")),
        ("(push back) (knock) (slam front) (knock)",
         ("The plan can be executed to its end, but the goal is not reached because "
          "neither (the alarm rings) nor (front is locked).",
          "Step 4 made it untrue that ((the alarm rings) or (front is locked)).")),
        ("(slam front) (knock) (knock)",
         ("Step 3, knock, cannot be done because neither (for every door A, (A is open)) nor (the alarm rings).",
          "Step 2 made it untrue that ((for every door A, (A is open)) or (the alarm rings)).")),
        ("(buy)",
         ("Step 1, buy, cannot be done because the price is undefined.",
          "At no time was the price defined.")),
        ("(push back) (slam back) (walk) (push front) (slam back) (split)",
         ("Step 6, split, cannot be done because (6 divided by my power) is undefined, since it divides by zero.",
          "Since step 4, (6 divided by my power) has been undefined.")),
        ("(bend front front)",
         ("Step 1, bend against front against front, cannot be done because it would change the strain on front in "
          "more than one way at once.",)),
        # at the same time
        ("1: (push back)\n1: (lock back)",
         ("Step 1, push against back, cannot be done at the same time as step 2 because one of them changes what "
          "another one needs or changes too: whether back is open.",)),
        ("1: (push back)\n1: (split)",
         ("Step 1, push against back, cannot be done at the same time as step 2 because one of them changes what "
          "another one needs or changes too: my power.",)),
    ],
)  # fmt: skip
def test_a_failed_plan_is_explained(plan: str, sentences: tuple[str, ...]) -> None:
    teller = locks()
    assert explain(validate(teller.task, plan), teller) == sentences


def test_a_goal_that_was_lost_twice_names_the_first_loss_too() -> None:
    teller = locks()
    lost = explain(validate(teller.task, "(slam front) (knock) (push back) (slam back)"), teller)
    assert lost[1:] == (
        "Step 4 made it untrue that one can pass.",
        "It first ceased to be the case that one can pass with step 1.",
    )


@pytest.mark.parametrize(
    ("plan", "sentences"),
    [
        ("(push back) (push front)",
         ("Step 2, (push front), cannot be done because (>= (power) 2) is false with (= (power) 1).",
          "Step 1 made it untrue that (>= (power) 2).")),
        ("1: (push back)\n1: (lock back)",
         ("Step 1, (push back), cannot be done at the same time as step 2 because one of them changes what another one "
          "needs or changes too: (open back).",)),
        ("(bend front front)",
         ("Step 1, (bend front front), cannot be done because (strain front) would be changed in more than one way at "
          "once.",)),
    ],
)  # fmt: skip
def test_in_pddl_the_conditions_themselves_are_named(plan: str, sentences: tuple[str, ...]) -> None:
    teller = locks("pddl")
    assert explain(validate(teller.task, plan), teller) == sentences
