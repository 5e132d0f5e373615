from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.nl import explain
from pddl2nl.nl.names import make_names
from pddl2nl.nl.telling.phrases import UntoldError
from pddl2nl.nl.telling.teller import Style, Teller
from pddl2nl.nl.wording.files import load_wording, wording_from_json
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import Task, load_task, parse_domain, parse_problem, parse_task
from pddl2nl.pddl.tree import Atom, Condition, Equality, Not
from pddlval import GroundAction, Simulator, validate

GOLDEN = Path(__file__).parent / "golden"


def teller(name: str, *, style: Style = "nl", names: str = "typed") -> Teller:
    folder = GOLDEN / name
    task = load_task(folder / "domain.pddl", folder / "problem.pddl")
    file = folder / "wording.json"
    wording = load_wording(file, task.domain) if file.exists() else template_wording(task.domain)
    return Teller(task, wording, make_names(task, names), style)


@pytest.fixture
def crates() -> Teller:
    return teller("crates")


def act(text: str) -> GroundAction:
    return GroundAction.parse(text)


# ── actions and observations ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(lode c1 t hub)", "is no action of the domain 'crates'"),
        ("(load c1 t)", "'load' takes 3 objects, and has 2 here"),
        ("(load c9 t hub)", "the task has no object 'c9'"),
    ],
)
def test_actions_that_the_task_lacks_are_not_told(crates: Teller, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        crates.action(act(text))


def test_actions_worded_as_sentences_are_said_within_others() -> None:
    domain = parse_domain("(define (domain d) (:predicates (p ?x)) (:action go :parameters (?x) :precondition (p ?x)))")
    task = Task(domain, parse_problem("(define (problem x) (:domain d) (:objects a) (:init) (:goal (p a)))", domain))
    data = {**template_wording(domain).to_json(), "actions": {"go": {"parameters": ["?x"], "text": "Go to {?x}."}}}
    some = Teller(task, wording_from_json(data, domain), make_names(task, "original"))
    assert some.action(act("(go a)")) == "Go to a."
    assert some.executed(act("(go a)")) == "I go to a."
    simulator = Simulator(task)
    assert some.refused(simulator.step(simulator.initial, "(go a)")) == "I cannot go to a because a is not 'p'."
    assert "I can only go to an object A if it is the case that A is 'p'." in some.domain_text()
    assert explain(validate(task, "(go a)"), some)[0] == "Step 1, go to a, cannot be done because a is not 'p'."


def test_a_comma_ends_what_is_not_the_case() -> None:
    task = parse_task(
        "(define (domain d) (:predicates (p ?x) (q ?x))"
        " (:action go :parameters (?x) :precondition (and (p ?x) (q ?x))))",
        "(define (problem x) (:domain d) (:objects a) (:init) (:goal (p a)))",
    )
    texts = {"p": "{?x} takes coal and produces steam", "q": "{?x} is warm"}
    predicates = {name: {"parameters": ["?x"], "text": text} for name, text in texts.items()}
    data = {**template_wording(task.domain).to_json(), "predicates": predicates}
    told = Teller(task, wording_from_json(data, task.domain), make_names(task, "original"))
    simulator = Simulator(task)
    assert told.refused(simulator.step(simulator.initial, "(go a)")).endswith(
        " because it is not the case that a takes coal and produces steam, and a is not warm."
    )


def test_reasons_are_whole_sentences_where_a_snippet_leaves_out_who_holds_something() -> None:
    task = parse_task(
        """(define (domain d) (:requirements :adl) (:predicates (held ?x) (kept ?x) (full))
         (:action take :parameters (?x)
         :precondition (and (not (held ?x)) (imply (kept ?x) (full))) :effect (held ?x))
         (:action drop :parameters (?x) :precondition (and (held ?x) (full))))""",
        "(define (problem p) (:domain d) (:objects a b) (:init (held a) (kept a)) (:goal (not (held a))))",
    )
    texts = {"held": "holding {?x}", "kept": "have {?x} at home", "full": "the shelf is full"}
    data = template_wording(task.domain).to_json()
    predicates = {name: {"parameters": ["?x"] * ("{" in text), "text": text} for name, text in texts.items()}
    told = Teller(
        task, wording_from_json({**data, "predicates": predicates}, task.domain), make_names(task, "original")
    )
    simulator = Simulator(task)
    state = simulator.initial
    assert told.refused(simulator.step(state, "(take a)"), state).partition(" because ")[2] == (
        "I am holding a, and even though I have a at home, the shelf is not full."
    )
    assert told.refused(simulator.step(state, "(drop b)"), state).endswith(
        " because I am not holding b and the shelf is not full."
    )
    assert told.unmet_goal(simulator.unmet_goals(state), state) == "My goal is not reached yet because I am holding a."
    # What is read back is told as the snippet stands.
    assert told.init_text() == "Currently, holding a\nand have a at home."


def test_a_reason_without_rule_says_that_it_is_not_the_case() -> None:
    task = parse_task(
        "(define (domain d) (:predicates (held ?x)) (:action drop :parameters (?x) :precondition (held ?x)))",
        "(define (problem p) (:domain d) (:objects a) (:init) (:goal (held a)))",
    )
    data = {
        "format": 1,
        "predicates": {"held": {"parameters": ["?x"], "text": "steadily holding {?x}"}},
        "actions": {"drop": {"parameters": ["?x"], "text": "drop {?x}"}},
    }
    simulator = Simulator(task)
    told = Teller(task, wording_from_json(data, task.domain), make_names(task))
    assert told.refused(simulator.step(simulator.initial, "(drop a)")) == (
        "I cannot drop object_0 because it is not the case that steadily holding object_0."
    )


def test_states_tell_values_too() -> None:
    roads = teller("roads")
    simulator = Simulator(roads.task)
    state = simulator.step(simulator.initial, "(ride u v)").successor
    assert state is not None
    assert roads.state(state).split("\n") == [
        "Currently, I am in town_1",
        "and there is a road from town_0 to town_1",
        "and there is a road from town_1 to town_2",
        "and the length of the road from town_0 to town_1 is 5",
        "and the length of the road from town_1 to town_2 is 2.5",
        "and the total cost is 5.",
    ]


@pytest.mark.parametrize(
    ("literal", "told", "reason"),
    [
        (Atom("at", ("t", "hub")), "truck_0 is at hub", "truck_0 is not at hub"),
        (Not(Atom("at", ("t", "hub"))), "it is not the case that truck_0 is at hub", "truck_0 is at hub"),
        (Not(Atom("broken", ("t",))), "truck_0 works", "truck_0 is broken"),
        (Equality("t", "w"), "truck_0 and airplane_0 are the same object",
         "truck_0 and airplane_0 are different objects"),
        (Not(Equality("t", "w")), "truck_0 and airplane_0 are different objects",
         "truck_0 and airplane_0 are the same object"),
    ],
)  # fmt: skip
def test_literals_and_reasons(crates: Teller, literal: Condition, told: str, reason: str) -> None:
    assert crates.literal(literal) == told
    assert crates.reasons([literal]) == reason


# ── the task's texts ─────────────────────────────────────────────────────────────────────────────


def small(goal: str = "(and)", init: str = "", objects: str = "a b", more: str = "") -> Task:
    domain = parse_domain(
        "(define (domain d) (:requirements :adl :fluents) (:predicates (p ?x) (q ?x) (r)) "
        "(:functions (f ?x) (total-cost)))"
    )
    text = f"(define (problem x) (:domain d) (:objects {objects}) (:init {init}) (:goal {goal}) {more})"
    return Task(domain, parse_problem(text, domain))


def told(task: Task, predicates: dict[str, object] | None = None) -> Teller:
    wording = template_wording(task.domain)
    if predicates:
        data = wording.to_json()
        entries = data["predicates"]
        assert isinstance(entries, dict)
        entries.update(predicates)
        wording = wording_from_json(data, task.domain)
    return Teller(task, wording, make_names(task, "original"))


def test_facts_are_told_once_in_the_order_of_the_file() -> None:
    text = told(small(init="(q b) (p a) (q b) (r) (= (f a) 2.50) (= (total-cost) 0)")).init_text()
    assert text.split("\n") == [
        "Currently, b is 'q'", "and a is 'p'", "and 'r' holds", "and the value of 'f' for a is 2.5",
        "and the value of 'total-cost' is 0.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("(and (p a) (and (q b) (r)))", "a is 'p'\nand b is 'q'\nand 'r' holds"),
        ("(not (p a))", "it is not the case that a is 'p'"),
        ("(not (not (p a)))", "it is not the case that (it is not the case that a is 'p')"),
        ("(or (p a) (q b))", "(a is 'p') or (b is 'q')"),
        ("(or (p a))", "a is 'p'"),
        ("(and (r) (or (p a) (q b)) (or (p b)))", "'r' holds\nand ((a is 'p') or (b is 'q'))\nand b is 'p'"),
        ("(and (r) (or))", "'r' holds\nand this is never the case"),
        ("(not (and))", "it is not the case that (nothing is asked for)"),
        ("(imply (p a) (and (q a) (r)))", "if (a is 'p') then ((a is 'q') and ('r' holds))"),
        ("(forall (?x ?y) (p ?x))", "for every object C and every object D, (C is 'p')"),
        ("(forall (?x) (exists (?y) (imply (p ?x) (q ?y))))",
         "for every object C, (there is an object D such that (if (C is 'p') then (D is 'q')))"),
        ("(= a b)", "a and b are the same object"),
        ("(not (= a b))", "a and b are different objects"),
        ("(>= (f a) 3)", "the value of 'f' for a is at least 3"),
        ("(< (+ (f a) 1 (* 2 (f b))) 0.5)",
         "(the value of 'f' for a plus 1 plus (2 times the value of 'f' for b)) is less than 0.5"),
    ],
)  # fmt: skip
def test_goals(goal: str, text: str) -> None:
    assert told(small(goal)).goal_text() == f"My goal is that in the end {text}."


def test_a_goal_that_no_state_reaches_is_told_so() -> None:
    assert told(small("(or)")).goal_text() == "My goal can never be reached."


def test_the_metric_is_told() -> None:
    text = told(small("(r)", more="(:metric minimize (+ (total-cost) (* 3 (f a))))")).goal_text()
    assert text.splitlines()[1] == (
        "I want to minimize (the value of 'total-cost' plus (3 times the value of 'f' for a))."
    )


def test_facts_with_a_null_text_are_not_told_and_goals_over_them_are_refused() -> None:
    silent = {"p": {"parameters": ["?x"], "text": None}}
    assert told(small(init="(p a) (q a)"), silent).init_text() == "Currently, a is 'q'."
    for goal in ("(p a)", "(not (p a))", "(or (q a) (p b))"):
        with pytest.raises(UntoldError, match="the goal asks for 'p', which the wording never tells"):
            told(small(goal), silent).goal_text()
    assert told(small(), silent).reasons([Atom("p", ("a",))]) == "a is not 'p'"


def test_a_negated_text_that_says_another_fact_is_not_used_in_goals() -> None:
    pair = {
        "p": {"parameters": ["?x"], "text": "{?x} is open", "negated": "{?x} is closed"},
        "q": {"parameters": ["?x"], "text": "{?x} is closed"},
    }
    assert (
        told(small("(not (p a))"), pair).goal_text() == "My goal is that in the end it is not the case that a is open."
    )
    pair.pop("q")
    assert told(small("(not (p a))"), pair).goal_text() == "My goal is that in the end a is closed."


def test_timed_literals_and_constraints() -> None:
    init = told(small("(r)", "(at 5 (r)) (at 7.5 (not (r)))")).init_text()
    assert init.splitlines()[-2:] == [
        "At time 5, it becomes true that 'r' holds.",
        "At time 7.5, it is no longer the case that 'r' holds.",
    ]
    goal = told(small("(r)", more="(:constraints (and (always (r)) (within 3 (not (r)))))")).goal_text()
    assert goal.splitlines()[1:] == [
        "At all times, ('r' holds).",
        "At time 3 or before, (it is not the case that 'r' holds).",
    ]


def test_preferences_and_their_violations() -> None:
    more = "(:metric minimize (+ total-time (* 2 (is-violated late))))"
    assert told(small("(and (r) (preference late (not (r))))", more=more)).goal_text().splitlines() == [
        "My goal is that in the end 'r' holds.",
        "I would prefer that in the end it is not the case that 'r' holds (preference 'late').",
        "I want to minimize (the total time plus (2 times the number of violations of preference 'late')).",
    ]


GO = """(define (domain d) (:requirements :durative-actions :fluents :duration-inequalities)
  (:predicates (p) (q) (free)) (:functions (fuel) (most))
  (:durative-action go :parameters () :duration (and (>= ?duration 3) (at end (<= ?duration (most))))
    :condition (and (at start (p)) (over all (not (q))) (at end (> (fuel) 1)) (preference slow (at start (free))))
    :effect (and (at start (not (free))) (at end (free)) (decrease (fuel) (* #t 0.5))
                 (when (and (at start (q)) (at end (p))) (at end (q))))))"""


def test_durative_actions() -> None:
    domain = parse_domain(GO)
    task = Task(domain, parse_problem("(define (problem x) (:domain d) (:init (p)) (:goal (p)))", domain))
    conditions, changes = told(task).domain_text().split("\n\n")[1:]
    assert conditions.splitlines()[1:] == [
        "It takes at least 3 to apply the action 'go'.",
        "It takes at most the value of 'most' to apply the action 'go', as things are at the end.",
        "I can only start to apply the action 'go' if it is the case that 'p' holds.",
        "When I start to apply the action 'go', I would prefer that 'free' holds (preference 'slow').",
        "While I apply the action 'go', I can only go on if it is not the case that 'q' holds.",
        "While I apply the action 'go', I can only end if it is the case that the value of 'fuel' is more than 1.",
    ]
    assert changes.splitlines()[1:] == [
        "As soon as I start to apply the action 'go', it is not the case anymore that 'free' holds.",
        "At the end, when I apply the action 'go', it is the case that 'free' holds.",
        "At the end, when I apply the action 'go', if it was the case at the start that 'q' holds"
        " and it was the case just before that 'p' holds, it is the case that 'q' holds.",
        "While I apply the action 'go', the value of 'fuel' decreases by 0.5 in every unit of time.",
    ]


def test_a_domain_text_of_the_wordings_own_stands_for_the_composed_one() -> None:
    task = small()
    data = {**template_wording(task.domain).to_json(), "domain_text": "It is all about p."}
    wording = wording_from_json(data, task.domain)
    assert Teller(task, wording, make_names(task)).domain_text() == "It is all about p."


words = st.lists(st.sampled_from(["and", "is", "a,", "or.", "(not)", "Currently,", "it"]), max_size=3).map(" ".join)


@given(
    texts=st.tuples(words, words, words),
    facts=st.lists(st.sampled_from(["(p a)", "(p b)", "(q a)", "(q b)", "(r)"]), min_size=1, unique=True),
)
def test_facts_are_told_apart_whatever_words_a_snippet_has(texts: tuple[str, str, str], facts: list[str]) -> None:
    one, two, three = texts
    snippets: dict[str, object] = {
        "p": {"parameters": ["?x"], "text": f"{one} {{?x}} {two} p"},
        "q": {"parameters": ["?x"], "text": f"{{?x}} {three} q"},
        "r": {"parameters": [], "text": f"{two} r"},
    }
    some = told(small(goal=f"(and {' '.join(facts)})", init=" ".join(facts)), snippets)
    expected = [some.wording.predicates[atom[0]].fill(atom[1:]) for atom in some.task.problem.init]
    assert some.init_text().removeprefix("Currently, ")[:-1].split("\nand ") == expected
    assert some.goal_text().removeprefix("My goal is that in the end ")[:-1].split("\nand ") == expected


# ── style pddl ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["crates", "towers", "roads", "pipes", "lifts"])
def test_pddl_texts_are_the_task_again(name: str) -> None:
    one = teller(name, style="pddl")
    domain = parse_domain(one.domain_text())
    problem = one.task.problem
    text = "\n".join([one.objects_text(), one.init_text(), one.goal_text()])
    again = parse_problem(f"(define (problem {problem.name}) (:domain {domain.name})\n{text})", domain)
    assert domain == one.task.domain
    assert (again.objects, again.goal, again.metric) == (problem.objects, problem.goal, problem.metric)
    assert set(again.init) == set(problem.init)
    assert again.init_values == problem.init_values


# ── verdicts ─────────────────────────────────────────────────────────────────────────────────────


def test_reports_of_goals_bad_plans_and_valid_plans(crates: Teller) -> None:
    missed = explain(validate(crates.task, "(load c2 t hub)"), crates)
    assert missed[0] == (
        "The plan can be executed to its end, but the goal is not reached because crate_0 is not at hub "
        "and airplane_0 is broken and truck_0 is at hub."
    )
    bad = explain(validate(crates.task, "(load c2 t)"), crates)
    assert bad[0] == "The plan does not fit the task."
    assert bad[1].startswith("Line 1: ")
    roads = teller("roads")
    assert explain(validate(roads.task, "(ride u v)\n(ride v w)"), roads) == (
        "The plan is valid: its 2 steps reach the goal. It costs 7.5.",
    )
