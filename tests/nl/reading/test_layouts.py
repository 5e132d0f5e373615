"""Layouts of today's models: lists below an action's name, tables with remarks, headings as steps, bare calls."""

from __future__ import annotations

import pytest

from pddl2nl.nl import Reader, make_names, template_wording
from pddl2nl.pddl import Task, parse_domain, parse_problem
from tests.nl.reading.composed import domain

LOAD, SAIL = "load car_0 onto the ferry at location_0", "sail the ferry from location_0 to location_1"
STEPS = ["(board c0 l0)", "(sail l0 l1)"]


def read(name: str, reply: str) -> tuple[list[str], bool]:
    readings = domain(name).reader.read(reply)
    return [*map(str, readings.plan)], readings.complete


@pytest.mark.parametrize(
    "reply",
    [
        # A tick in a heading fulfils nothing, and a sentence that leads to a numbered step is none.
        f"### ✅ Plan\n1. {LOAD}\n2. {SAIL}\n### ✅ Result\ncar_0 is at location_1.",
        f"1. {LOAD}\n\nNext, a trip with the ferry for car_0, which has to get to location_1.\n\n2. {SAIL}",
        # Keys that announce objects as prepositions do
        '[{"action": "board", "car": "car_0", "location": "location_0"}, '
        '{"action": "sail", "from_place": "location_0", "to_place": "location_1"}]',
        # Objects below the name of their action
        "board:\n1. car_0, location_0\n\nsail:\n2. location_0, location_1",
        "**Step 1: board**\n- car_0, location_0\n\n**Step 2: sail**\n- location_0, location_1",
        # The letters of the prompt
        "1. board: A=car_0, B=location_0\n2. sail: A=location_0, B=location_1",
        # A column of remarks names what it likes.
        "| # | Step | Why |\n|---|---|---|\n"
        f"| 1 | {LOAD} | location_1 needs car_0 |\n| 2 | {SAIL} | car_1 stays at location_2 |",
        # Arrows without blanks
        f"1. {LOAD}\n2. Sail location_0→location_1",
        f"1. {LOAD}\n2. Sail location_0->location_1",
        # "It" is what the wording itself names, and "there" where the step before ended.
        f"1. {LOAD}\n2. The ferry is full. Sail it from location_0 to location_1.",
        # A bracket behind a full stop
        f"1. {LOAD}. (If it were full, it would have to sail first.)\n2. {SAIL}. (Nothing else is needed.)",
        # Phases, of which one is the last
        f"**Phase 1: Loading**\n* {LOAD}\n\n**Phase 2: Final crossing**\n* {SAIL}",
        f"**Stage A – Load the car.** {LOAD}. {SAIL}.",
        # A title above formal calls
        "Get car_0 over to location_1:\nboard(car_0, location_0); sail(location_0, location_1)",
        # A verb above a list of ways
        f"1. {LOAD}\n\nSail the ferry:\n2. from location_0 to location_1",
        # A column that tells the state, without "state" in its head
        "| # | Action | Ferry afterwards |\n|---|---|---|\n"
        f"| 1 | {LOAD} | at location_0, loaded |\n| 2 | {SAIL} | at location_1, loaded |",
        # Titles with verbs of no action
        f"**1. Get car_0 under way**\n{LOAD}\n\n**2. Cross over to location_1**\n{SAIL}",
        f"1. **Fetch car_0**\n   - {LOAD}\n2. **Cross over**\n   - {SAIL}",
        f"Leg location_0 → location_1\n1. {LOAD}\n2. {SAIL}",
        # What begins with an article is no order.
        f"1. {LOAD}\nThe price of car_0 at location_0 doubles.\n2. {SAIL}",
        # Parts that announce their steps, and plans for one object each
        f"At location_0, take these steps:\n1. {LOAD}\n\nThen take these steps:\n1. {SAIL}",
        f"Plan for car_0:\n- {LOAD}\n\nPlan for car_1:\n- {SAIL}",
        f"{LOAD.capitalize()}. Now the ferry moves, so everything shifts over once more:\n- {SAIL}",
        # What there is, and what the line of a part ends with
        f"Step 1: {LOAD}.\nThe ferry is empty, and there are cars at location_0.\n\nStep 2: {SAIL}.",
        f"*   **Round 1:** {LOAD}. {SAIL}.\n*   **Round 2:** That is all.",
        # A slot in the words of the state behind a dash
        f"1. {LOAD} – car_1 and car_0 wait there\n2. {SAIL}",
        # Remarks below a numbered step
        f"**Step 1.** {LOAD}\n- New cargo: car_0.\n\n**Step 2.** {SAIL}\n- New harbour: location_1.",
        # A call whose objects stand in one cell
        "| 1 | board | deck | car_0, location_0 |\n| 2 | sail | bridge | location_0, location_1 |",
        # Conditions of a step
        f"1. {LOAD}\n   - *Prerequisites:* the load is at location_0\n2. {SAIL}",
    ],
)
def test_steps_are_read(reply: str) -> None:
    assert read("ferry", reply) == (STEPS, True)


@pytest.mark.parametrize(
    "reply",
    [
        "board:\n1. car_0, location_0\n2. car_1, location_77\n\nsail:\n3. location_0, location_1",
        # A heading that orders a step stands for one.
        f"## Step 1\n{LOAD}\n\n## Step 2\n{SAIL}\n\n## Step 3: Unload the car\nIt can be unloaded there.",
        f"## Step 1\n{LOAD}\n\n## Step 2\n{SAIL}\n\n## Step 3: Unload the car\nThat is all.",
        # A thought about a step drops none, and a remark in code that rules a step out is no comment.
        f"1. {LOAD}\n2. {SAIL}\n3. unload car_0 from the ferry at location_1  # not needed",
        # A title with the verb of another action
        f"1. {LOAD}\n2. {SAIL}\n3. **Load car_1:**\n   - (nothing else)",
        f"1. {LOAD}\n2. {SAIL}. The ferry sails from location_1.",
        f"1. {LOAD}. The ferry loads car_0 again.\n2. {SAIL}",
    ],
)
def test_what_may_be_a_step_is_reported(reply: str) -> None:
    assert read("ferry", reply) == (STEPS, False)


@pytest.mark.parametrize(
    "head",
    ["| Step | Action / reason |\n|---|---|", "| Step | Result |\n|---|---|", "| # | Action | Result |\n|---|---|---|"],
)
def test_no_column_with_the_steps_is_dropped(head: str) -> None:
    last = " |" * (head.count("Result") and head.count("Action"))
    assert read("ferry", f"{head}\n| 1 | {LOAD} |{last}\n| 2 | {SAIL} |{last}") == (STEPS, True)


def test_a_better_plan_in_a_later_stage_is_the_plan() -> None:
    assert read("ferry", f"Plan:\n1. {SAIL}\n\nStage 2: I rethought it, the better plan:\n1. {LOAD}\n2. {SAIL}") == (
        STEPS,
        True,
    )


def test_one_verb_does_not_swallow_the_one_before() -> None:
    there = "Walk to livingroom in livingroom from bedroom in bedroom. Once there, walk to sofa in livingroom from "
    assert len(read("household", f"{there}livingroom in livingroom, and then touch sofa.")[0]) == 3


@pytest.mark.parametrize(
    "remark",
    [
        f"On reflection, step 1 should not load car_1. Make it: {LOAD}.",
        f'One remark: I would rather move car_0, so please replace step 1 by "{LOAD}". Step 2 stays.',
        f'One correction: in step 1 the car must be car_0, so it reads "{LOAD}". The other steps remain the same.',
    ],
)
def test_a_correction_behind_the_plan_takes_the_place_of_its_step(remark: str) -> None:
    assert read("ferry", f"1. load car_1 onto the ferry at location_0\n2. {SAIL}\n\n{remark}") == (STEPS, True)


def test_a_step_that_is_left_out_is_reported_in_its_place() -> None:
    more = f"1. {LOAD}\n2. {SAIL}\n3. load car_1 onto the ferry at location_1"
    assert read("ferry", f"{more}\n\nOn second thought, step 3 should be left out: the ferry is full.") == (
        STEPS,
        False,
    )
    doubtful = f"{more}\n\nOn second thought, step 3 should be left out if car_1 is not needed."
    assert not read("ferry", doubtful)[1]


def test_a_final_plan_that_cannot_be_read_is_reported() -> None:
    final = "1. transport car_0 over to location_1\n2. bring everything back to location_0"
    assert read("ferry", f"Draft:\n1. {LOAD}\n2. {SAIL}\n\nMy final plan is:\n{final}") == (STEPS, False)


@pytest.mark.parametrize(
    "remark",
    [
        "(Steps 1 and 2 could be replaced by others to lower the cost.)",
        "You must **not** sail between steps 1 and 2, because then car_0 is lost. It could be dropped there later.",
    ],
)
def test_what_only_might_change_a_step_changes_none(remark: str) -> None:
    assert read("ferry", f"1. {LOAD}\n2. {SAIL}\n\n{remark}") == (STEPS, True)


def test_a_place_in_front_is_that_of_every_step_behind_it() -> None:
    reply = "1. In room_1, pick up ball_0 with gripper_0 of robot_0 and pick up ball_1 with gripper_1 of robot_0."
    assert len(set(read("grippers", reply)[0])) == 2


def test_a_place_in_front_ends_where_a_way_begins() -> None:
    reply = (
        "1. In room_1, pick up ball_0 with gripper_0 of robot_0, move to room_0, drop ball_0 from gripper_0 of robot_0."
    )
    assert "(drop robot1 ball1 room2 lgripper1)" not in read("grippers", reply)[0]


@pytest.mark.parametrize(
    ("reply", "plan"),
    [
        # What a means is used for is done.
        ("Use the arm to pick up block_0.", "(pick-up a)"),
        ("What would be wrong is to pick up block_0. I pick up block_1.", "(pick-up b)"),
        ("1. Pick up block_0 (absolutely not necessary)", "(pick-up a)"),
        # Corrections of one object that say its place, or of the only one
        ("Stack block_0 on block_1, no, on block_2.", "(stack a c)"),
        ("Pick up block_0. Sorry, I meant block_1.", "(pick-up b)"),
    ],
)
def test_words_around_a_step_leave_or_change_it(reply: str, plan: str) -> None:
    assert read("blocksworld", reply) == ([plan], True)


def test_a_repetition_leaves_the_sentences_beside_it() -> None:
    reply = "Pick up block_0, and stack it on block_2. Finally, repeat the process for block_3."
    assert read("blocksworld", reply) == (["(pick-up a)", "(stack a c)"], False)


def test_what_a_step_is_followed_by_is_no_remark_on_it() -> None:
    plan, complete = read(
        "ferry", f"1. {LOAD}\n   The ferry then takes it to location_1.\n2. Unload car_0 at location_1"
    )
    assert (plan[0], complete) == ("(board c0 l0)", False)


@pytest.mark.parametrize(
    "form", ['{{"action": "turn_to", "A": "{}", "B": "{}", "C": "{}"}}', "turn_to(A={}, B={}, C={})"]
)
def test_letters_are_those_of_the_prompt(form: str) -> None:
    told = read("satellite", "Turn satellite_0 from direction_0 to direction_1.")
    assert told == read("satellite", form.format("satellite_0", "direction_0", "direction_1"))


def test_small_letters_are_the_names_of_parameters() -> None:
    domain = parse_domain(
        "(define (domain d) (:predicates (p ?x)) (:action go :parameters (?b ?a) :precondition (p ?b) :effect (p ?a)))"
    )
    problem = parse_problem("(define (problem q) (:domain d) (:objects o1 o2) (:init (p o2)) (:goal (p o1)))", domain)
    task = Task(domain, problem)
    reader = Reader(task, template_wording(domain), make_names(task, "original"))
    found = {
        key: reader.read(f'{{"action": "go", {key}}}').plan for key in ('"a": "o1", "b": "o2"', '"A": "o1", "B": "o2"')
    }
    assert [[*map(str, plan)] for plan in found.values()] == [["(go o2 o1)"], ["(go o1 o2)"]]


def test_the_title_above_a_turns_action_is_no_action() -> None:
    reader = domain("blocksworld").reader
    assert str(reader.read_turn("**Take the tower apart**\n\n1. Pick up block_0.").action) == "(pick-up a)"
    # With nothing below it, it is what the turn does.
    assert reader.read_turn("**Pick up block_9**").status == "unknown-object"


def test_a_count_of_any_form_repeats_a_step() -> None:
    back = "sail the ferry from location_1 to location_0"
    reply = f"1. {SAIL}, repeated 2×: there it is\n2. {back} (×2)\n3. {SAIL} 2x."
    assert read("ferry", reply) == (["(sail l0 l1)"] * 2 + ["(sail l1 l0)"] * 2 + ["(sail l0 l1)"] * 2, True)


def test_actions_follow_one_another_by_their_names() -> None:
    parsed = parse_domain(JUMPS)
    task = Task(parsed, parse_problem(JUMP, parsed))
    wording = template_wording(parsed)
    reader = Reader(task, wording, make_names(task, "typed", wording))
    first = "I apply the action 'buy-all' to place_0, followed by the action 'clean' to place_1"
    said = f"{first}, and then the action 'buy-all' to place_2."
    assert [*map(str, reader.read(said).plan)] == ["(buy-all p1)", "(clean p2)", "(buy-all p3)"]


def test_there_ends_a_clause() -> None:
    back = "sail the ferry from location_1 to location_0"
    reply = f"First {SAIL}, load car_1 onto the ferry there, and {back}, where car_1 is unloaded."
    assert read("ferry", reply)[0][:3] == ["(sail l0 l1)", "(board c1 l1)", "(sail l1 l0)"]


def test_a_chain_of_a_state_is_no_chain_of_steps() -> None:
    stacked = "1. stack block_0 on block_1\n\nFinal order: block_0 → block_1 → block_2"
    assert len(read("blocksworld", stacked)[0]) == 1


def test_an_order_that_no_wording_has_is_not_lost_behind_a_step() -> None:
    plan, complete = read("ferry", f"{SAIL.capitalize()}, load car_1 there, sail back to location_0, and let it off.")
    assert plan[:2] == ["(sail l0 l1)", "(board c1 l1)"]
    assert not complete


def test_what_starts_by_itself_starts_no_movie() -> None:
    assert read("movie", "No plan exists.\n\n- The counter starts at zero.") == ([], True)


JUMPS = """(define (domain jumps) (:requirements :strips :typing) (:types place agent)
 (:predicates (free ?p - place) (full ?p - place) (line ?a ?b ?c - place) (at ?a - agent ?p - place) (done ?a - agent)
  (in ?p ?q - place) (head ?p - place))
 (:action jump-on :parameters (?from ?over ?to - place)
  :precondition (and (full ?from) (full ?over) (free ?to) (line ?from ?over ?to))
  :effect (and (free ?from) (free ?over) (full ?to) (not (full ?from)) (not (full ?over)) (not (free ?to))))
 (:action buy-all :parameters (?p - place) :effect (free ?p))
 (:action buy-allneeded :parameters (?p - place) :effect (free ?p))
 (:action clean :parameters (?p - place) :effect (free ?p))
 (:action clean-no-soap :parameters (?p - place) :effect (free ?p))
 (:action up :parameters (?p ?q - place) :effect (and (free ?q) (not (free ?p))))
 (:action remove :parameters (?p ?q - place) :precondition (in ?p ?q) :effect (not (in ?p ?q)))
 (:action crawl :parameters (?head ?newhead ?tail ?newtail - place)
  :effect (and (head ?newhead) (not (head ?head)) (in ?newhead ?head) (not (in ?newtail ?tail))))
 (:action move_up :parameters (?a - agent) :effect (done ?a))
 (:action load :parameters (?a - agent ?p - place) :precondition (at ?a ?p) :effect (done ?a))
 (:action drop :parameters (?a - agent ?p ?q ?r - place) :precondition (line ?p ?q ?r) :effect (at ?a ?p)))"""
JUMP = """(define (problem p) (:domain jumps) (:objects p1 p2 p3 - place r1 - agent)
 (:init (full p1) (full p2) (free p3) (line p1 p2 p3) (line p3 p2 p1) (at r1 p1)) (:goal (done r1)))"""


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        # "?from" and "?to" announce themselves.
        ("jump-on place_0 over place_1 to place_2", "(jump-on p1 p2 p3)"),
        # An action under its own name is no other one.
        ("Apply 'move_up' to agent_0 → (3, 3), the position of place_0", "(move_up r1)"),
        # A colon before the other objects
        ("drop agent_0 at place_0: place_1, place_2", "(drop r1 p1 p2 p3)"),
        # A name in two words
        ("Buy all needed at place_0", "(buy-allneeded p1)"),
        ("Buy all at place_0", "(buy-all p1)"),
        # Of two parts the first is taken out of the second, as it was put in.
        ("Remove place_0 from place_1", "(remove p1 p2)"),
        # An object that is named twice, and a place beside its new one
        ("'crawl' from place_0 to place_1; place_2 is left, and place_0 follows", "(crawl p1 p2 p3 p1)"),
        # Parameters by their names, a noun that could be a verb, and a list that goes on behind the objects
        ("'crawl' from place_0 to place_1 (new tail place_0, tail place_2)", "(crawl p1 p2 p3 p1)"),
        ("crawl: new tail place_0, tail place_2, head place_0, new head place_1", "(crawl p1 p2 p3 p1)"),
        ("| up | place_2 | place_0, place_1 |", "(up p1 p2)"),
        # An object that only a relative clause names
        ("'drop' agent_0 at place_0 and place_1, where place_2 is free", "(drop r1 p1 p2 p3)"),
        # A name with "no", and an arrow beside a remark
        ("Clean place_0 without soap", "(clean-no-soap p1)"),
        ("Up: place_0 → place_1 (place_2 can't be seen from there)", "(up p1 p2)"),
        # A name that is a small word, in a row of a table
        ("Up from place_0 to place_1", "(up p1 p2)"),
        ("| up | place_0 | place_1 |", "(up p1 p2)"),
    ],
)
def test_actions_without_a_wording_are_read_by_name(reply: str, action: str) -> None:
    parsed = parse_domain(JUMPS)
    task = Task(parsed, parse_problem(JUMP, parsed))
    wording = template_wording(parsed)
    readings = Reader(task, wording, make_names(task, "typed", wording)).read(f"1. {reply}")
    assert [*map(str, readings.plan)] == [action]
    assert readings.complete
