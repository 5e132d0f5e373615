"""Prose is no plan: passages, thoughts and descriptions in which the reader must find no action at all."""

from __future__ import annotations

import pytest

from pddl2nl.nl.names import make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.nl.telling.teller import Teller
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl import Task
from tests.nl.blocks import ACTIONS, BLOCKS, blocks_task, snippets

# One action more, whose verb prose has too.
BLOCKS_AND_MOVE = (
    BLOCKS.rstrip()[:-1] + " (:action move :parameters (?x ?y) :precondition (on ?x ?y) :effect (holding ?x)))"
)

PASSAGES = [
    # announcements and closing words
    "Here is a plan that reaches the goal:",
    "Given the initial conditions, I have worked out the following plan.",
    "So, the complete plan is:",
    "This plan ensures that the red block ends up on top of the blue block.",
    "With these steps the goal is reached, and the hand is empty again.",
    "I hope this helps! Let me know if anything is unclear.",
    "No plan exists, since the goal asks for two towers on one block.",
    "My plan is as follows",
    "Final answer below.",
    "The goal has been reached after six steps.",
    # goals and states
    "My goal is that in the end a is on b\nand b is on c.",
    "Currently, a is on the table\nand b is on a\nand the hand is empty.",
    "Initial state: a on b, b on c, c on the table.",
    "- The red block is clear.\n- The hand is empty.\n- The blue block is on the table.",
    "Goal: stack a on b.",
    "New state: holding a, b is clear, c is on the table.",
    "As initial conditions I have that the red block is clear and the hand is empty.",
    "red is on blue, blue is on green, and nothing is on red",
    "State after step 3: the hand holds a.",
    "a is now on b.",
    # descriptions of the domain
    "I can carry out the following actions:\nstack an object A on an object B\npick up an object A",
    "I can only stack a on b if b is clear.",
    "Once I stack a on b, it is the case that a is on b and the hand is empty.",
    "I can only pick up or unstack one block at a time.",
    "Pick up a block",
    "Stack a block on top of another block",
    "Unstack a block from on top of another block",
    "A block is clear if no other block is on top of it and if it is not picked up.",
    "Every action needs an empty hand, except for those that put a block down.",
    "The action stack takes two blocks, of which the first is held.",
    "To stack x on y, y must be clear.",
    # thoughts
    "Thought: I should unstack a from b first, because b must be clear.",
    "Thought: stack a on b",
    "Thought: the next thing to do is to pick up c.\nThen I can stack c on a.",
    "Reasoning: pick up a",
    "**Thought 2:** I pick up c and stack c on a.",
    "<think>\nstack a on b\npick up c\n</think>",
    "We need to free b before anything can be stacked on it.",
    "It would be best to unstack a from b now.",
    "I could pick up c, but then the hand would be full.",
    "Maybe stacking a on b is not needed at all.",
    "After picking up a, I have to put it somewhere.",
    "If I stack a on b, then c stays free.",
    "First stacking red on blue, then blue on green, would give the tower upside down.",
    "Since a is on b, unstacking a from b comes first.",
    "The robot should stack a on b, and it should pick up c before.",
    "What happens if we stack a on b?",
    "Can I pick up a? No: b is on it.",
    "You cannot stack a on b while a is under c.",
    # observations
    "Observation: I stack a on b.",
    "Observation: pick up a",
    "I cannot stack a on b because a is not clear.",
    "I did not pick up c in the last step.",
    "Result: unstack a from b",
    "Effects: holding a, b is clear",
    "Preconditions: clear a, ontable a, handempty",
    # conditions, denials, questions
    "Pick up a if it is clear, otherwise wait.",
    "Stack a on b would be wrong here.",
    "stack a on b is not possible",
    "Unless b is clear, stack nothing on it.",
    "Never put down a block that is needed later.",
    "Do not stack a on b.",
    "Whether to pick up a or b does not matter.",
    "Stacking a on b",
    # headings, code, tables, lists
    "### Step-by-step explanation",
    "## Plan\n\n---\n",
    "```python\nfor block in blocks:\n    print(block)\n```",
    "| Block | Place |\n|---|---|\n| a | table |",
    "1. The red block is on the blue block.\n2. The green block is clear.",
    "* a: table\n* b: a",
    "(a is on b, so it must move)",
    "; a comment as in a plan file",
    "Moving on to the second tower now.",
    "Move on to the second part of the task.",
    "Stack overflow is no danger in so small a problem.",
    "Pick up where the last plan ended and carry on.",
    "The pick up of a needs an empty hand.",
    # plans in the abstract, told of afterwards, ruled out
    "To stack a on b, I must first clear b.",
    "Stacking a on b would block c.",
    "After picking up a I can stack a on b.",
    "We could unstack b from a but that would not help.",
    "The action stack a on b is not applicable.",
    "Should I stack a on b?",
    "Instead of stack a on b, stack it elsewhere.",
    "if I pick up a, my hand is full",
    "Before: a on b. After: a on the table.",
    "The last plan was to stack a on b and then to pick up c.",
    "In step 3 I unstacked a from b, which was a mistake.",
    "Having picked up a, I put it down again.",
    "My approach: take the tower apart, then build the goal from the bottom up.",
    "The naive plan, pick up a and stack a on b, fails in its first step.",
    "Pick up a? Not possible, b is on it.",
    "pick up a is not what I want",
    "Unstack a from b cannot be the first step, as a is under c.",
    "stack a on b only works when a is held",
    "Rather than pick up c now, wait until b is free.",
    "It makes no sense to put down a and pick up a again.",
    "Whenever we unstack a from b, b becomes clear.",
    "Suppose we stack a on b; what is clear then?",
    "One could pick up c or pick up b.",
    "The possible actions are:\n- pick up a\n- pick up b",
    "Applicable actions: pick up a, pick up c",
    "Once more: I can't stack a on b.",
    "Sorry, but I am unable to stack a on b.",
    "I have not been asked to pick up c.",
    "Had I stacked a on b, the goal would hold.",
    "❌ Stack a on b",
    "Wrong: stack a on b",
    "Invalid action: stack a on b",
    "<think>pick up a, then stack a on b</think>",
    "<reflection>\npick up a\n</reflection>",
    "> Thought: pick up a",
    "Q: Which block should I pick up? A: none",
    "Hmm, stack a on b? Or unstack c from a?",
    "a → b → c is the order of the tower.",
    "(to pick up a, a must be clear)",
    "What the hand holds, it can stack on a or on b.",
    "The red block, the blue block and the green block.",
    "1. Analyse the state\n2. Find the differences\n3. Plan",
    "Step 1: Understand the goal\nStep 2: Find what blocks it",
    "Number of steps: 6\nBlocks moved: a, b",
    "Optimality: no shorter plan exists.",
    "I'm finished explaining, here is nothing more.",
    "The hand is not empty. I look at the state again.",
]


def _task() -> Task:
    return blocks_task("a b c red blue green", BLOCKS_AND_MOVE)


def _wording() -> Wording:
    actions = {**ACTIONS, **snippets(move=("?x ?y", "move {?x} to {?y}"))}
    predicates = snippets(
        on=("?x ?y", "{?x} is on {?y}"),
        ontable=("?x", "{?x} is on the table"),
        clear=("?x", "{?x} is clear"),
        handempty=("", "the hand is empty"),
        holding=("?x", "the hand holds {?x}"),
    )
    return Wording("blocksworld", predicates, actions)


@pytest.fixture(scope="module")
def reader() -> Reader:
    task = _task()
    return Reader(task, _wording(), make_names(task, "original"))


def test_there_are_enough_passages() -> None:
    assert len(set(PASSAGES)) >= 120


@pytest.mark.parametrize("passage", PASSAGES)
@pytest.mark.parametrize("policy", ["default", "all", "planbench"])
def test_prose_holds_no_action(reader: Reader, passage: str, policy: str) -> None:
    readings = reader.read(passage, policy)
    assert [item.text for item in readings.readings if item.status in ("read", "ambiguous")] == []
    assert readings.plan == ()


@pytest.mark.parametrize("passage", PASSAGES)
def test_prose_is_no_turn(reader: Reader, passage: str) -> None:
    reading = reader.read_turn(passage)
    assert reading.action is None
    assert reading.status not in ("look-around", "claimed-done")


def test_the_texts_of_a_task_hold_no_action(reader: Reader) -> None:
    task = _task()
    for wording in (_wording(), template_wording(task.domain)):
        teller = Teller(task, wording, make_names(task, "original"))
        reader = Reader(task, wording, make_names(task, "original"))
        for text in (teller.domain_text(), teller.goal_text(), teller.objects_text(), teller.init_text()):
            assert reader.read(text, "planbench").plan == ()
