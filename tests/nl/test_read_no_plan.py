"""A statement that there is no plan: what is one, what only sounds like one, and what real models wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.interop.planbench import PlanBenchFolder
from pddl2nl.nl.reading.claims import is_marked_no_plan, no_plan_said, no_plan_said_in_turn

SAID = (
    "There is no plan.",
    "There is no plan that reaches the goal.",
    "There is no valid plan for this problem.",
    "There's no plan to reach the goal because the door is locked.",
    "There exists no sequence of actions that leads to the goal.",
    "There is no possible solution to this problem.",
    "There is no way to reach the goal.",
    "There is therefore no feasible way to achieve my goal.",
    "No plan exists.",
    "No solution exists for this task.",
    "No valid sequence of actions can reach the goal.",
    "A solution does not exist.",
    "The goal is unreachable.",
    "The goal is impossible to reach from here.",
    "This task is impossible.",
    "the task is unsolvable",
    "The given problem is not solvable.",
    "The goal cannot be reached.",
    "It isn't possible to achieve the goal.",
    "This problem isn’t solvable.",
    "The task can't be solved, since no key opens the door.",
    "Your goal can never be achieved with these actions.",
    "My goal cannot possibly be satisfied.",
    "It is impossible to reach the goal.",
    "It is not possible to achieve the goal without violating a precondition.",
    "I cannot reach the goal.",
    "So the goal state is unreachable from the initial state.",
    "The goal configuration is logically impossible.",
    "The goal you specified is not achievable given the restrictions on the actions.",
    "After checking every state, I conclude that this problem has no solution.",
    "UNSOLVABLE",
    "**Unsolvable.**",
    "Answer: unsolvable",
    "[NO PLAN]",
    "[no plan]",
    "Therefore my answer is: [NO PLAN]",
    "No plan possible",
    "[PLAN]\nThere is no plan.\n[PLAN END]",
    "[PLAN]\nUNSOLVABLE\n[PLAN END]",
    "Thought: The rock blocks the only corridor. The goal is unreachable.",
    "It seems that the goal cannot be reached.",
    "<think>Perhaps I can lift it.</think>\nNo plan exists.",
    "No sequence of actions leads to the goal.",
    "There is no plan that can ever reach my goal.",
    "There is no solution to this.",
    "This problem does not have a valid solution.",
    "The desired goal state described above can no longer be reached.",
    "The goal is no longer reachable, because the cup is broken.",
    "The goal is already unreachable.",
    "The goal of having the blue block on the red block and the red block on the blue block cannot be achieved.",
    "All the goal conditions cannot be satisfied simultaneously.",
    "I have determined that this problem is unsolvable.",
    "[NO PLAN EXISTS]",
    "I'm sorry, but the goal is not achievable.\n\nPlease give me another goal, and I'll be happy to help.",
)

NOT_SAID = (
    "",
    "I could not find a plan.",
    "I did not find a solution.",
    "I don't know.",
    "There is no plan yet.",
    "There is no plan needed, as the goal holds already.",
    "There is no way to reach the goal directly.",
    "There is no way to lift cup_0.",
    "There is no shorter plan.",
    "No plan is needed.",
    "No solution in fewer steps exists.",
    "The goal is not impossible.",
    "The goal is reached.",
    "The goal is not reached yet.",
    "The goal cannot be reached yet.",
    "The goal isn't unreachable.",
    "The goal cannot be reached unless the door is opened.",
    "The goal cannot be reached if I put the cup down here.",
    "If the key were lost, the task would be impossible.",
    "Is the goal unreachable?",
    "The goal might be unreachable.",
    "The goal may be impossible to reach.",
    "The first subgoal is unreachable from here.",
    "This sub-goal cannot be achieved at the moment.",
    "It is impossible to lift cup_0.",
    "This action is not possible.",
    "The goal cannot be reached from here. I will go back.",
    "The goal cannot be reached in this state, so I need to undo it.",
    "The goal is unreachable this way.\nLet me try another order.",
    "It is not true that the goal is unreachable.",
    "<think>There is no plan.</think>",
    "<think>The goal is unreachable.",
    "lift cup_0 from place_1",
    "My goal is that the impossible task is done.",
    "I cannot solve this for you.",
    "There is no plan that lifts cup_0 first.",
    "There is no plan for lifting cup_0.",
    "There is no plan to lift cup_0.",
    "There is no need for a plan.",
    "I do not think the goal is unreachable.",
    "I doubt that the goal is unreachable.",
    "Assuming the goal is unreachable, nothing can be done.",
    "The goal is unreachable as long as the door is locked.",
    "The goal cannot be reached in the current state.",
    "The goal cannot currently be reached.",
    "The goal of this step is done.",
    "Solution: stack the red block on the blue block.",
    "If there is no plan I am to write [NO PLAN].",
)


@pytest.mark.parametrize("text", SAID)
def test_it_is_said(text: str) -> None:
    assert no_plan_said(text) is not None
    assert no_plan_said_in_turn(text) is not None


@pytest.mark.parametrize("text", NOT_SAID)
def test_it_is_not_said(text: str) -> None:
    assert no_plan_said(text) is None
    assert no_plan_said_in_turn(text) is None


def test_the_sentence_is_given_as_it_was_written() -> None:
    text = "I looked at all of it. The goal cannot be reached, since the key is lost! What now?"
    assert no_plan_said(text) == "The goal cannot be reached, since the key is lost!"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Action: [NO PLAN]", "NO PLAN"),
        ("Thought: It is over.\nAction: the goal cannot be reached", "the goal cannot be reached"),
        ("Thought: The goal cannot be reached.\nAction: none", "The goal cannot be reached."),
        ("Thought: The goal cannot be reached.\nAction:", "The goal cannot be reached."),
        # What a turn does stands behind "Action:", whatever was thought before.
        ("Thought: The goal cannot be reached.\nAction: dance with cup_0", None),
        ("Action: dance with cup_0\nObservation: The goal cannot be reached.", None),
    ],
)
def test_in_a_turn_what_stands_behind_action_counts(text: str, said: str | None) -> None:
    found = no_plan_said_in_turn(text)
    assert (found or "").strip("[]") == (said or "")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("[NO PLAN]", True),
        ("[NO PLAN]\n\nWhoever does\nlift cup_0 from place_1\nis stuck.", True),
        ("[PLAN]\nlift cup_0 from place_1\n**[NO PLAN]**", True),
        ("I was to write [NO PLAN] otherwise.\n[PLAN]\nlift cup_0 from place_1\n[PLAN END]", False),
        ("[PLAN]\nlift cup_0 from place_1\n[PLAN END]", False),
        ("", False),
    ],
)
def test_the_marker_counts_beside_a_plan_where_it_begins_or_ends_the_reply(text: str, marked: bool) -> None:
    assert is_marked_no_plan(text) is marked


# ── what real models wrote ───────────────────────────────────────────────────────────────────────

CLAIMS = {
    ("blocksworld", "claude-3-opus"): {67, 256, 276, 291, 410},
    # Behind a list of actions, so that the reply as a whole is a plan.
    ("mystery_blocksworld_3", "gpt-4o_chat"): {73},
}
"""All replies of PlanBench's recordings that say so, found by hand among those with any such word. All are wrong."""


def test_of_thousands_of_real_replies_those_are_found_that_say_so(shared: Path) -> None:
    folder = PlanBenchFolder(shared / "planbench")
    found: dict[tuple[str, str], set[int]] = {}
    count = 0
    for path in folder.results_paths:
        for reply in folder.results(path).replies:
            count += 1
            if no_plan_said(reply.text) is not None:
                found.setdefault((path.parent.parent.name, path.parent.name), set()).add(reply.instance_id)
    assert count > 2000
    assert found == CLAIMS
