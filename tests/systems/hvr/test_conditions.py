"""The conditions of macro-actions: read from replies, simulated, and asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.macros.macro import Conditions
from pddl2nl.nl import Names, Reader, Teller, choose_wording, load_wording, make_names, wording_from_json
from pddl2nl.pddl import And, Atom, Task, load_task, parse_task
from pddl2nl.systems.hvr.conditions import (
    MacroPlanCheck,
    ReadConditions,
    plan_feedback,
    read_conditions,
    unmet_effects,
    verify_macros,
)
from pddl2nl.systems.hvr.mapping import ActionMapper, MappedReply
from pddl2nl.systems.hvr.options import PROMPTS
from pddl2nl.tasks import shipped_task
from pddlval import GroundAction, Simulator
from tests.policies.conftest import DOMAIN, PROBLEM, WORDING

# ── reading ───────────────────────────────────────────────────────────────────────────────────────


_DOMAIN = """(define (domain kitchenette) (:requirements :adl :derived-predicates :numeric-fluents)
  (:types item place - object stove-burner - place egg - item)
  (:constants tray - item)
  (:predicates (inside ?x - item ?p - place) (hand-empty) (open ?p - place) (fixed ?p - place) (full ?p - place))
  (:functions (heat ?p - place) (size ?p - place))
  (:derived (full ?p - place) (exists (?x - item) (inside ?x ?p)))
  (:action put :parameters (?x - item ?p - place) :precondition (open ?p)
    :effect (and (inside ?x ?p) (hand-empty) (increase (heat ?p) 1)))
  (:action open-it :parameters (?p - place) :effect (open ?p)))"""
_PROBLEM = """(define (problem p) (:domain kitchenette)
  (:objects e1 e2 - egg fridge - place sb - stove-burner) (:init (fixed sb) (= (heat sb) 0)) (:goal (hand-empty)))"""


@pytest.fixture(scope="module")
def task() -> Task:
    return parse_task(_DOMAIN, _PROBLEM)


@pytest.fixture(scope="module")
def names(task: Task) -> Names:
    return make_names(task)


def _read(text: str, task: Task, names: Names, count: int = 1) -> tuple[tuple[str, str], ...]:
    read = read_conditions(text, task, names, count=count)
    assert [item.problems for item in read] == [()] * count
    return tuple((item.to_json()["precondition"], item.to_json()["effect"]) for item in read)


GOOD = ("(and (hand-empty) (open fridge))", "(and (inside e1 fridge) (not (hand-empty)))")


@pytest.mark.parametrize(
    "reply",
    [
        "1. precondition: (and (hand-empty) (open place_0))\n   effect: (and (inside egg_0 place_0) "
        "(not (hand-empty)))",
        # fences and the shape of an action, with comments
        "```pddl\n(:action put_egg\n :parameters ()\n :precondition (and (hand-empty) ; the arm is "
        "free :)\n (open place_0))\n"
        " :effect (and (inside egg_0 place_0) (not (hand-empty))))\n```",
        # emphasis, prose, PDDL's own names
        "Sure! Here you are.\n\n**1. Put the egg away**\n- **Precondition**: `(and (hand-empty) (open fridge))`\n"
        "- **Effect**: `(and (inside e1 fridge) (not (hand-empty)))`\n\nThis (of course) is what you need.",
        # several literals, a line each, and other letters and hyphens
        "Preconditions:\n- (hand_empty)\n- (Open Place-0)\nEffects:\n- (inside Egg_0 PLACE_0) the "
        "egg is there\n- (not (hand-empty))",
        # calls, and "not" outside
        "Pre-condition: hand-empty() and open(place_0)\nPost-condition: inside(egg_0, place_0), not (hand-empty)",
        # JSON
        '{"precondition": "(and (hand-empty) (open place_0))", "effect": "(and (inside egg_0 '
        'place_0) (not (hand-empty)))"}',
        # a remark before the colon; the last parentheses are missing
        "The precondition of the macro-action is: (and (hand-empty) (open place_0))\n"
        "The effects (what changes): (and (inside egg_0 place_0) (not (hand-empty",
        # no labels at all
        "(and (hand-empty) (open place_0))\n(and (inside egg_0 place_0) (not (hand-empty)))",
        "precondition:\n(and (hand-empty)\n     (open place_0))\n\neffect:\n(and (inside 'egg_0' "
        "place_0)\n     (not (hand-empty)))",
    ],
)
def test_conditions_are_found_whatever_stands_around_them(reply: str, task: Task, names: Names) -> None:
    assert _read(reply, task, names) == (GOOD,)


def test_several_macro_actions_by_their_numbers(task: Task, names: Names) -> None:
    reply = (
        "2. Open it\n   precondition: (and)\n   effect: (open place_0)\n"
        "1. Put it\n   precondition: (open place_0)\n   effect: (hand-empty)\n"
    )
    assert _read(reply, task, names, 2) == (("(open fridge)", "(hand-empty)"), ("(and)", "(open fridge)"))
    # Numbers of lines are no numbers of macro-actions.
    lines = "1. precondition: (hand-empty)\n2. effect: (and)\n3. precondition: (and)\n4. effect: (hand-empty)"
    assert _read(lines, task, names, 2) == (("(hand-empty)", "(and)"), ("(and)", "(hand-empty)"))


def test_what_is_missing_is_asked_for_by_its_number(task: Task, names: Names) -> None:
    reply = "1. precondition: (hand-empty)\neffect: (and)\n3. precondition: (and)\neffect: (hand-empty)"
    first, second, third = read_conditions(reply, task, names, count=3)
    assert first.conditions is not None
    assert third.conditions is not None
    assert second.conditions is None
    assert "No conditions were found for macro-action 2" in second.problems[0]
    (alone,) = read_conditions("precondition: (hand-empty)", task, names, count=1)
    assert alone.problems == ("There is no effect: expected 'effect: (and …)', 'effect: (and)' where there is none.",)


def test_when_or_and_quantifiers_are_allowed(task: Task, names: Names) -> None:
    reply = (
        "precondition: (or (hand-empty) (forall (?p - StoveBurner) (open ?p)))\n"
        "effect: (forall (?x - Egg) (when (exists (?p - place) (inside ?x ?p)) (not (inside ?x place_0))))"
    )
    ((before, after),) = _read(reply, task, names)
    assert before == "(or (hand-empty) (forall (?p - stove-burner) (open ?p)))"
    assert after == ("(forall (?x - egg) (when (exists (?p - place) (inside ?x ?p)) (not (inside ?x fridge))))")


def test_nothing_is_a_condition_too(task: Task, names: Names) -> None:
    assert _read("precondition: none\neffect: (and)", task, names) == (("(and)", "(and)"),)
    assert _read("precondition: ()\neffect: (hand-empty)", task, names) == (("(and)", "(hand-empty)"),)


def test_numbers(task: Task, names: Names) -> None:
    reply = "precondition: (>= (heat stove-burner_0) 2)\neffect: (increase (heat stove-burner_0) 1)"
    assert _read(reply, task, names) == (("(>= (heat sb) 2)", "(increase (heat sb) 1)"),)


def test_variables_may_not_stand_free(task: Task) -> None:
    reply = "precondition: (open ?p)\neffect: (inside tray ?p)"
    (refused,) = read_conditions(reply, task)
    assert "undeclared variable '?p'" in refused.problems[0]


@pytest.mark.parametrize(
    ("precondition", "effect", "said"),
    [
        (
            "(opne place_0)",
            "(and)",
            "In the precondition: undeclared predicate 'opne', in (opne place_0); did you mean open?",
        ),
        (
            "(open place_0 egg_0)",
            "(and)",
            "predicate 'open' takes 1 argument, not 2, in (open place_0 egg_0); expected: ",
        ),
        ("(open egg_0)", "(and)", "argument 1 of 'open' has the wrong type (found: egg_0 - egg); expected: place"),
        ("(open plaice_0)", "(and)", "undeclared object 'plaice_0'"),
        ("(open ?x)", "(and)", "undeclared variable '?x'"),
        ("(when (hand-empty) (open place_0))", "(and)", "'when' in a condition"),
        ("(and)", "(or (hand-empty) (open place_0))", "In the effect: a disjunction cannot be an effect"),
        ("(and)", "(fixed place_0)", "In the effect: no action changes 'fixed', so neither can a macro-action"),
        ("(and)", "(full place_0)", "'full' is derived: an effect cannot change it"),
        ("(and)", "(assign (size place_0) 1)", "no action changes 'size'"),
        ("(preference x (hand-empty))", "(and)", "a preference"),
        ("(> (total-time) 1)", "(and)", "'total-time'"),
        ("(and (hand-empty) open place_0)", "(and)", "a word where a condition was expected"),
        ("(" * 80 + "hand-empty" + ")" * 80, "(and)", "nested"),
    ],
)
def test_every_problem_teaches(precondition: str, effect: str, said: str, task: Task, names: Names) -> None:
    (read,) = read_conditions(f"precondition: {precondition}\neffect: {effect}", task, names, count=1)
    assert read.conditions is None
    assert any(said in problem for problem in read.problems), read.problems
    assert read.to_json()["precondition"] == ""
    assert said in read.to_json()["problem"]


def test_a_reply_without_any(task: Task, names: Names) -> None:
    assert read_conditions("I cannot do that.", task, names) == ()
    (read,) = read_conditions("I cannot do that.", task, names, count=1)
    assert read.conditions is None


@cache
def _same_task() -> tuple[Task, Names]:
    task = parse_task(_DOMAIN, _PROBLEM)
    return task, make_names(task)


_WORDS = """
precondition effect effects : ( ) and not or when 1. 2) ; (hand-empty) (open egg_0 ?x - forall e1 ' ` = 3 assign heat é
"""


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["\n", *_WORDS.split()]), max_size=30))
def test_no_reply_makes_it_raise(words: list[str]) -> None:
    task, names = _same_task()
    for read in read_conditions(" ".join(words), task, names, count=2):
        assert isinstance(read, ReadConditions)
        assert (read.conditions is None) == bool(read.problems)


# ── macro plans ───────────────────────────────────────────────────────────────────────────────────


_PLUG_DOMAIN = """(define (domain lamp) (:requirements :adl :numeric-fluents)
  (:predicates (on) (plugged) (broken) (socket)) (:functions (power) (drain))
  (:action plug :parameters () :precondition (socket) :effect (and (plugged) (increase (power) 2)))
  (:action press :parameters () :precondition (plugged) :effect (and (when (not (broken)) (on)) (not (plugged))))
  (:action smash :parameters () :effect (and (broken) (assign (drain) 1))))"""
_PLUG_PROBLEM = "(define (problem p) (:domain lamp) (:init (socket) (= (power) 0)) (:goal (and (on) (plugged))))"


@pytest.fixture(scope="module")
def plug() -> Task:
    return parse_task(_PLUG_DOMAIN, _PLUG_PROBLEM)


def _check(plug: Task, *macros: tuple[str, str] | None) -> MacroPlanCheck:
    return verify_macros(plug, Simulator(plug).initial, [item and _claim(plug, *item) for item in macros])


def _claim(plug: Task, precondition: str, effect: str) -> Conditions:
    (read,) = read_conditions(f"precondition: {precondition}\neffect: {effect}", plug)
    assert read.conditions is not None, read.problems
    return read.conditions


def test_a_plan_that_works(plug: Task) -> None:
    check = _check(plug, ("(socket)", "(plugged)"), ("(plugged)", "(when (plugged) (on))"))
    assert check.at_goal
    assert (check.verified, check.total, check.unmet) == (2, 2, ())


def test_the_first_violated_condition_is_named(plug: Task) -> None:
    check = _check(plug, ("(socket)", "(and)"), ("(and (plugged) (socket) (not (broken)))", "(on)"), ("(and)", "(on)"))
    assert (check.verified, check.total, check.at_goal) == (1, 3, False)
    assert [str(condition) for condition in check.unmet] == ["(plugged)"]


def test_it_ends_where_conditions_could_not_be_read(plug: Task) -> None:
    check = _check(plug, ("(socket)", "(plugged)"), None, ("(and)", "(on)"))
    assert (check.verified, check.unmet, check.at_goal) == (1, (), False)


def test_what_an_effect_says_and_is_not_so(plug: Task) -> None:
    simulator = Simulator(plug)
    before = simulator.initial
    after = simulator.follow(before, ("(plug)", "(press)")).state

    def unmet(effect: str) -> list[str]:
        claim = _claim(plug, "(and)", effect)
        return [str(condition) for condition in unmet_effects(plug, before, after, claim.effect)]

    assert unmet("(and (on) (not (plugged)) (increase (power) 2))") == []
    assert unmet("(and (plugged) (on) (not (on)) (broken))") == ["(plugged)", "(broken)"]
    # The condition of a conditional effect is read before the block.
    assert unmet("(when (on) (broken))") == []
    assert unmet("(when (not (on)) (broken))") == ["(broken)"]
    assert unmet("(increase (power) 3)") == ["(= (power) 3)"]
    # What has no value can be the value of nothing.
    assert unmet("(assign (power) (drain))") == ["(= (drain) (drain))"]


def test_an_effect_cannot_claim_what_no_action_changes(plug: Task) -> None:
    simulator = Simulator(plug)
    with pytest.raises(InputError, match="no action changes 'socket'"):
        unmet_effects(plug, simulator.initial, simulator.initial, Atom("socket"))
    with pytest.raises(InputError, match="no action changes 'socket'"):
        verify_macros(plug, simulator.initial, [Conditions(And(), Atom("socket"))])


# ── asking ────────────────────────────────────────────────────────────────────────────────────────


_PLAN = ("Pick up c", "Put c on a")
_REPLY = (
    "1. precondition: (and (clear block_2) (handempty) (on block_2 block_1))\n"
    "   effect: (and (holding block_2) (not (handempty)) (not (on block_2 block_1)) (clear block_1))\n"
    "2. precondition: (and (holding block_2) (clear block_1))\n"
    "   effect: (and (on block_2 block_1) (handempty))"
)


@pytest.fixture(scope="module")
def teller(root: Path, blocks: Task) -> Teller:
    wording = load_wording(root / "domains/blocksworld/wording.json", blocks.domain)
    return Teller(blocks, wording, make_names(blocks, "typed", wording))


def _checked(teller: Teller, read: Sequence[ReadConditions]) -> MacroPlanCheck:
    return verify_macros(teller.task, Simulator(teller.task).initial, [item.conditions for item in read])


def test_feedback_names_the_macro_action_and_what_fails(teller: Teller) -> None:
    read = read_conditions(_REPLY, teller.task, teller.names, count=2)
    # c is on b on a in this task: after the first macro-action b is clear, and the goal is another.
    check = _checked(teller, read)
    assert check.verified == check.total == 2
    said = plan_feedback(teller, _PLAN, read, check)
    assert said.startswith(
        "All macro-actions can be carried out, but in the end the task is not done. What is missing:\n- "
    )
    wrong = read_conditions(
        _REPLY.replace("(clear block_1))\n2", ")\n2").replace("1))\n   effect: (and (on", "0))\n   effect: (and (on"),
        teller.task,
        teller.names,
        count=2,
    )
    check = _checked(teller, wrong)
    assert check.verified == 1
    said = plan_feedback(teller, _PLAN, wrong, check)
    assert said.startswith("Macro-action 2 (Put c on a) cannot be carried out after macro-action 1: ")
    assert "in PDDL (clear block_0)" in said


# ── the example in the prompt ────────────────────────────────────────────────────────────────────

_BOIL = (
    (
        *(
            "(navigate-to-obj pot-1)",
            "(pick-up pot-1)",
            "(navigate-to-obj sink-basin-1)",
            "(put-in pot-1 sink-basin-1)",
        ),
        *("(toggle-on faucet-1)", "(toggle-off faucet-1)"),
    ),
    (
        *("(pick-up pot-1)", "(navigate-to-obj stove-burner-1)", "(put-on pot-1 stove-burner-1)"),
        *("(toggle-on stove-knob-1)", "(toggle-off stove-knob-1)"),
    ),
)


@pytest.fixture(scope="module")
def kitchen(root: Path) -> Teller:
    task = load_task(root / "domains/kitchen/domain.pddl", root / "instances/kitchen/example.pddl")
    wording = load_wording(root / "domains/kitchen/wording.json", task.domain)
    return Teller(task, wording, make_names(task, "typed", wording))


def test_the_reply_in_the_example_is_proved_right(kitchen: Teller) -> None:
    from pddl2nl.macros.proof import prove

    task, simulator = kitchen.task, Simulator(kitchen.task)
    read = read_conditions(PROMPTS.text("conditions_example_reply.txt"), task, kitchen.names, count=2)
    assert _checked(kitchen, read).at_goal
    state = simulator.initial
    for texts, item in zip(_BOIL, read, strict=True):
        block = [GroundAction.parse(text) for text in texts]
        assert item.conditions is not None
        assert prove(task, block, item.conditions, near=state, states="changeable").sound
        for action in block:
            after = simulator.step(state, action).successor
            assert after is not None
            state = after
    assert simulator.is_goal(state)


# ── from replies to actions ───────────────────────────────────────────────────────────────────────


LIFT, PUT = "(lift red table)", "(put red shelf)"


def _map(text: str, most: int = 50, **options: Any) -> MappedReply:
    task = parse_task(DOMAIN, PROBLEM)
    simulator = Simulator(task)
    wording = wording_from_json(WORDING, task.domain, "the test's wording")
    names = make_names(task, "typed")
    mapper = ActionMapper(simulator, Teller(task, wording, names), Reader(task, wording, names), **options)
    return mapper.map(text, simulator.initial, most)


def _actions(text: str, **options: Any) -> list[str]:
    return list(map(str, _map(text, **options).actions))


@pytest.mark.parametrize(
    "text",
    [
        "I lift cup_0 from place_1 and put it away.\nActions:\nlift cup_0 from place_1\nput cup_0 on place_0",
        "**Actions:**\n1. lift cup_0 from place_1\n2. put cup_0 on place_0",
        "## Actions:\n- (lift red table)\n- (put red shelf)",
        "actions:\n```\nlift cup_0 from place_1\nput cup_0 on place_0\n```",
        # Without the line, as everywhere else.
        "1. lift cup_0 from place_1\n2. put cup_0 on place_0",
        # Calls, as the paper writes them, in its spelling of names.
        "Actions:\nlift(Cup-0, Place-1)\nput(cup_0, place_0)",
        "Actions:\n(lift, Cup_0, Place_1)\n(put, cup_0, place_0)",
        "Actions:\nlift_up(cup_0, place_1)\nput_on(cup_0, place_0)",
        "Actions:\n1. lift(red, table)\n2. put(red, shelf)\n\nNow the red cup is on the shelf, as the task wanted it.",
        # An object that is not said, where the state leaves just one.
        "Actions:\nlift(cup_0)\nput(cup_0, place_0)",
        # Two parts in the other order.
        "Actions:\nlift(place_1, cup_0)\nput(cup_0, place_0)",
        # Which one it is follows from the state: the cup that is held.
        "Actions:\nlift cup_0 from place_1\nput the cup on place_0",
        "Actions:\nlift(Cup-0, Place-1)\nput(Cup, Place-0)",
        # A slip.
        "Actions:\nlift cup_0 off place_1\nput cup_0 onto place_0",
    ],
)
def test_a_plan_is_read(text: str) -> None:
    found = _map(text)
    assert list(map(str, found.actions)) == [LIFT, PUT]
    assert found.unread == ()


def test_what_is_mapped_says_so() -> None:
    (reading,) = _map("Actions:\nlift_up(cup_0, place_1)").readings
    assert reading.status == "read"
    assert reading.rule.endswith("mapped")


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("lift(cup_7, place_1)", True),
        ("teleport(cup_0, place_1)", True),
        ("(dance)", True),
        ("lift cup_9 from place_1", True),
        # Either cup could be meant.
        ("lift the cup from place_1", True),
        # Few words that name an object are meant as an action, whatever they are.
        ("Grab cup_0", True),
        ("- Grab cup_0 and hold it tight above all else", True),
        ("put the broken one on place_0", True),
        # Not meant as an action at all.
        ("That is all.", False),
        ("The cup is on the shelf now and so everything is done as it should be.", False),
        ("```", False),
    ],
)
def test_what_is_near_to_nothing_stays_unread(line: str, kept: bool) -> None:
    found = _map(f"Actions:\n{line}\nput cup_0 on place_0")
    assert list(map(str, found.actions)) == [PUT]
    assert [line.removeprefix("- ") for line in found.unread] == ([line.removeprefix("- ")] if kept else [])


def test_what_could_be_either_of_two_stays_unread() -> None:
    assert _map("Actions:\nlift(place_1)").actions == ()


def _embed(texts: Sequence[str]) -> list[list[float]]:
    """Vectors by meaning, as far as this little world needs any."""
    kinds = [("grab", "lift"), ("place", "put"), ("break", "smash"), ("crimson", "cup 0", "red"), ("cup 1", "blue")]
    kinds += [("board", "place 0", "shelf"), ("place 1", "table")]
    return [
        [float(any(word in text.split() or text == word for word in kind)) + 0.01 for kind in kinds] for text in texts
    ]


def test_with_embeddings_the_nearest_is_taken() -> None:
    assert _actions("Actions:\ngrab(crimson, table)", embed=_embed) == [LIFT]
    assert _actions("Actions:\ngrab(crimson, table)") == []


def test_no_more_is_read_than_is_wanted() -> None:
    assert len(_map("Actions:\n" + "lift(red, table)\n" * 1000, most=5).actions) == 5
    found = _map("Actions:\n" + "".join(f"fly(cup_0, {number})\n" for number in range(1000)), most=5)
    assert len(found.unread) == len(found.readings) == 5


@pytest.mark.parametrize(
    ("line", "action"),
    [
        # As near to one action as to another: that which can never be executed is not meant.
        ("put(Egg-1, Pan-1)", "(put-in egg-1 pan-1)"),
        ("toggle_on(Stove)", "(toggle-on stove-knob-1)"),
        # More is said than the action has parameters.
        ("pick_up(Egg-1, Countertop-1)", "(pick-up egg-1)"),
        ("slice_obj(Bread-1, Knife-1)", "(slice-obj bread-1)"),
        # The only bread, named by its class in a line that is no call.
        ("slice the bread up", "(slice-obj bread-1)"),
        # The words of a name in another order.
        ("pick_up(cracked egg)", "(pick-up egg-cracked-1)"),
        # The robot can walk to either part of the stove.
        ("navigate_to_obj(Stove)", None),
    ],
)
def test_what_never_changes_settles_what_is_meant(line: str, action: str | None) -> None:
    task = shipped_task("kitchen", "t03")
    simulator, wording = Simulator(task), choose_wording(None, task.domain)
    names = make_names(task, "typed", wording)
    mapper = ActionMapper(simulator, Teller(task, wording, names), Reader(task, wording, names))
    found = mapper.map(f"Actions:\n{line}", simulator.initial, 50)
    assert list(map(str, found.actions)) == ([] if action is None else [action])


def test_an_object_that_stands_for_two_parameters_is_said_once() -> None:
    text = """(define (domain ropes) (:predicates (loose ?r))
      (:action knot :parameters (?a ?b) :precondition (and (loose ?a) (loose ?b)) :effect (not (loose ?a))))"""
    task = parse_task(
        text, "(define (problem p) (:domain ropes) (:objects red blue) (:init (loose red)) (:goal (and)))"
    )
    simulator, wording = Simulator(task), choose_wording(None, task.domain)
    names = make_names(task, "original")
    mapper = ActionMapper(simulator, Teller(task, wording, names), Reader(task, wording, names))
    assert list(map(str, mapper.map("Actions:\nknot(red)", simulator.initial, 50).actions)) == ["(knot red red)"]
