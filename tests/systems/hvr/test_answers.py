"""The oracle's half for hierarchical planning: what it reads, what it knows, how it plans, and its mistakes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pddl2nl.systems.hvr.oracle import HierarchicalOracle, known_task, under_told_names
from pddl2nl.systems.hvr.oracle_world import PromptReader, PromptWorld, item_lines

from pddl2nl.baselines.told_task import ToldTaskError
from pddl2nl.llm import Message
from pddl2nl.nl import choose_wording, make_names
from pddl2nl.pddl import Atom, Not, conjuncts, write_condition
from pddl2nl.policies.staged import conversation, dashed
from pddl2nl.systems.hvr.prompting import LAYOUT
from pddl2nl.tasks import shipped_domain, shipped_task
from pddl2nl.tasks.references import reference_of
from pddlval import GroundAction
from pddlval.semantics import unmet
from tests.systems.hvr.conftest import MISTAKES, impossible_block, mistaken_block, wrong_precondition

BLOCKS = shipped_domain("blocksworld").domain
KITCHEN = shipped_domain("kitchen").domain
LINES = (
    "robot: my hand is empty",
    "block_0 (Object; stack): block_0 is on the table; block_0 is clear",
    "block_1 (Object): block_1 is on the table; block_1 is clear",
)


def question(stage: str, **bodies: str) -> list[Message]:
    said = {name.replace("_", " "): text for name, text in bodies.items()}
    return conversation(LAYOUT.system(stage, "Answer."), [], LAYOUT.question(said))


def world(lines: Sequence[str] = LINES) -> PromptWorld:
    wording = choose_wording(None, BLOCKS)
    seen = PromptReader(BLOCKS, wording).read(LAYOUT.question({"Objects": dashed(lines)}))
    return PromptWorld(BLOCKS, wording, seen)


def actions(*texts: str) -> tuple[GroundAction, ...]:
    return tuple(map(GroundAction.parse, texts))


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def test_objects_and_facts_are_read_out_of_the_lines() -> None:
    seen = PromptReader(BLOCKS, choose_wording(None, BLOCKS)).read(LAYOUT.question({"Objects": dashed(LINES)}))
    assert seen.listed == ("block_0", "block_1")
    assert {str(atom) for atom in seen.atoms} == {
        "(handempty)",
        *("(ontable block_0)", "(clear block_0)", "(ontable block_1)", "(clear block_1)"),
    }


def test_classes_give_types_and_facts_tell_of_what_has_no_line() -> None:
    lines = (
        "stove_knob_1 (StoveKnob; toggleable): stove_knob_1 is built into stove_burner_1",
        "faucet_1 (Faucet): faucet_1 delivers water",
    )
    seen = PromptReader(KITCHEN, choose_wording(None, KITCHEN)).read(LAYOUT.question({"Objects": dashed(lines)}))
    assert {name: item.types for name, item in seen.objects.items()} == {
        "stove_knob_1": ("stove-knob",),
        "faucet_1": ("faucet",),
        "stove_burner_1": ("stove-burner",),
        "water": ("liquid",),
    }
    assert seen.listed == ("stove_knob_1", "faucet_1")


def test_a_sentence_that_is_none_of_the_wording_is_refused() -> None:
    with pytest.raises(ToldTaskError, match="is no sentence of the wording"):
        world(("block_0 (Object): block_0 is very heavy",))


def test_items_are_read_without_their_marks() -> None:
    assert item_lines("- a b\n2. c\nremark\n  * d") == ["a b", "c", "d"]


# ── what it knows ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scheme", ["typed", "original"])
def test_what_a_text_stands_for_is_said_in_the_names_of_the_prompt(scheme: str) -> None:
    task = shipped_task("kitchen", "t03")
    reference = reference_of(task)
    assert reference is not None
    known = known_task(reference.texts["goal"], KITCHEN)
    assert known is not None
    assert [macro.words for macro in known.macros] == [block.macro for block in reference.ways[0].blocks]
    wording = choose_wording(None, KITCHEN)
    names = make_names(task, scheme, wording).to_nl
    told = under_told_names(known, KITCHEN, wording, set(names.values()))
    assert set(told.needs) <= set(names.values())
    assert names["pan-1"] in write_condition(told.macros[0].goal)


def test_nothing_is_known_of_other_texts_and_domains() -> None:
    assert known_task("I want to fly.", KITCHEN) is None
    assert known_task("", KITCHEN) is None
    assert known_task("I want a fried egg.", BLOCKS) is None


# ── conditions by a run ──────────────────────────────────────────────────────────────────────────


def test_conditions_are_what_the_run_of_a_block_depends_on_and_changes() -> None:
    place = world()
    found = place.conditions(place.initial, actions("(pick-up block_0)", "(stack block_0 block_1)"), careful=False)
    assert {write_condition(part) for part in conjuncts(found.precondition)} == {
        *("(clear block_0)", "(ontable block_0)", "(handempty)", "(clear block_1)")
    }
    assert {write_condition(part) for part in conjuncts(found.effect)} == {
        *("(on block_0 block_1)", "(not (ontable block_0))", "(not (clear block_1))")
    }


def test_an_effect_says_nothing_of_what_further_conditions_would_change() -> None:
    wording = choose_wording(None, KITCHEN)
    lines = (
        "robot: the robot's arm is empty",
        "cup_1 (Cup): cup_1 is on shelf_1; cup_1 is within reach of the robot",
        "shelf_1 (Shelf): things can be put on shelf_1",
        "mug_1 (Mug): mug_1 is on shelf_1; mug_1 is within reach of the robot",
    )
    seen = PromptReader(KITCHEN, wording).read(LAYOUT.question({"Objects": dashed(lines)}))
    place = PromptWorld(KITCHEN, wording, seen)
    block = actions("(pick-up cup_1)", "(navigate-to-obj shelf_1)", "(put-on cup_1 shelf_1)")
    plain = place.conditions(place.initial, block, careful=False)
    careful = place.conditions(place.initial, block, careful=True)
    # What is on the cup comes within reach with it: whether the mug is there is not asked for, or it is.
    gone = Not(Atom("near", ("mug_1",)))
    assert gone not in conjuncts(plain.effect)
    assert gone in conjuncts(careful.effect)
    assert Not(Atom("on", ("mug_1", "cup_1"))) in conjuncts(careful.precondition)


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mistake", ["wrong-order", "missing-step"])
def test_a_block_with_a_mistake_fails(mistake: str) -> None:
    place, goal = world(), Atom("on", ("block_0", "block_1"))
    right = actions("(pick-up block_0)", "(stack block_0 block_1)")
    assert place.simulator.follow(place.initial, right).complete
    wrong = mistaken_block(mistake, place, right, goal, first=True)  # type: ignore[arg-type]
    assert wrong is not None
    tried = place.simulator.follow(place.initial, wrong)
    assert tried.unmet or unmet(goal, tried.state)
    assert mistaken_block("missing-navigation", place, right, goal, first=True) is None


def test_a_precondition_is_turned_round_and_an_impossible_action_found() -> None:
    place = world()
    conditions = place.conditions(place.initial, actions("(pick-up block_0)"), careful=False)
    wrong, literal = wrong_precondition(conditions)
    assert isinstance(literal, Not)
    assert literal in conjuncts(wrong.precondition)
    assert literal.body in conjuncts(conditions.precondition)
    assert impossible_block(place) == (), "all facts of blocks change"


# ── answers ──────────────────────────────────────────────────────────────────────────────────────


def oracle(mistake: str | None = None) -> HierarchicalOracle:
    return HierarchicalOracle(BLOCKS, choose_wording(None, BLOCKS), mistake)  # type: ignore[arg-type]


GOAL = "My goal is that in the end block_0 is on block_1."


def test_prompts_of_others_are_left_to_others() -> None:
    assert oracle().reply([Message("system", "You plan."), Message("user", GOAL)]) is None


def test_without_knowledge_all_objects_matter_and_one_macro_action_is_all() -> None:
    available = dashed(("block_0 (Object)", "block_1 (Object)"))
    assert oracle().reply(question("retrieval", Task=GOAL, Available_objects=available)) == "block_0\nblock_1"
    said = oracle().reply(question("macro-plan", Task=GOAL, Available_objects="- Object (stack)"))
    assert said == "1. Do all that is wanted"


@pytest.mark.usefixtures("needs_planner")
def test_a_mistake_is_mended_once_its_condition_is_told_and_not_before() -> None:
    place = {"Task": GOAL, "Objects": dashed(LINES)}
    first = oracle("wrong-order").reply(question("plan", **place))
    assert first is not None
    assert first.split("Actions:\n")[1] == "stack block_0 on block_1\npick up block_0 from the table"
    again = {**place, "Plan": "1. stack block_0 on block_1\n2. pick up block_0 from the table"}
    blind = oracle("wrong-order").reply(question("plan-correction", **again, Feedback="Step 1 cannot be done."))
    assert blind == first
    told = "I am not holding block_0, in PDDL (holding block_0)"
    mended = oracle("wrong-order").reply(question("plan-correction", **again, Feedback=told))
    assert mended is not None
    assert mended.split("Actions:\n")[1] == "pick up block_0 from the table\nstack block_0 on block_1"


def test_there_are_five_mistakes() -> None:
    assert MISTAKES == ("wrong-precondition", "missing-navigation", "wrong-order", "missing-step", "impossible-macro")
