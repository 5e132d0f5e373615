"""Guided, landmarks and tree: the heuristic, the searches, and what a model adds to them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from pddl2nl.baselines import solve
from pddl2nl.baselines.told_task import ToldTask, read_told_task
from pddl2nl.errors import UnsupportedError
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Completion, Request, ScriptedModel, ScriptedReply
from pddl2nl.nl import template_wording
from pddl2nl.pddl import GroundAtom, Task
from pddl2nl.policies import Setting
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.recheck import doubt
from pddl2nl.search import grounding, relaxation
from pddl2nl.search.best_first import BestFirstSearch
from pddl2nl.search.relaxation import FFHeuristic
from pddl2nl.systems.hybrids.guided import BATCH, named_by_state
from pddl2nl.systems.hybrids.landmarks import first_reached, subgoals
from pddl2nl.systems.hybrids.prompting import LAYOUT
from pddl2nl.systems.hybrids.tree import valued_actions
from pddl2nl.tasks import shipped_task
from pddlval import GroundAction, Simulator, State, validate
from tests.policies.conftest import Play, World
from tests.settings import plain_setting

HARD = shipped_task("blocksworld", "p20")


def setting_of(task: Task) -> Setting:
    return plain_setting(task, options={"names": "original"})


def greedy(simulator: Simulator) -> tuple[int, tuple[GroundAction, ...]]:
    """Plain search: the expanded states, and the plan."""
    estimate = FFHeuristic(simulator)

    def rank(state: State, parent: State | None) -> tuple[int] | None:
        value = estimate(state)
        return None if value is None else (value,)

    search = BestFirstSearch(simulator.successors, rank)
    search.start(simulator.initial)
    while True:
        for state in search.expand():
            if simulator.is_goal(state):
                return search.expanded, search.plan(state)[1]


class Answering:
    """A model that answers for each state in a prompt by a function of the told task."""

    name = "answering"

    def __init__(self, task: Task, answer: Callable[[ToldTask], Sequence[str]]):
        self._domain, self._wording = task.domain, template_wording(task.domain)
        self._answer = answer
        self.calls = 0

    def complete(self, request: Request) -> Completion:
        self.calls += 1
        sections = LAYOUT.read(request.messages[-1].content)
        replies = []
        for number, state in enumerate(sections["States"].split("\n\n")[0].split("Currently, ")[1:], start=1):
            text = "Currently, " + state.rpartition(".")[0].partition(f"\n{number + 1}")[0].rstrip(".") + "."
            told = read_told_task(f"{sections['Goal']}\n\n{sections['Objects']}\n\n{text}", self._domain, self._wording)
            replies.append("\n".join((f"State {number}:", *self._answer(told))))
        return Completion("\n".join(replies), model=self.name)


def goes_on(told: ToldTask) -> list[str]:
    return [told.teller.action(action) for action in greedy(told.simulator)[1]]


def wanders(told: ToldTask) -> list[str]:
    """Any applicable actions, the same in the same state."""
    state, rng = told.simulator.initial, random.Random(len(told.teller.init_text()))
    actions = []
    for _ in range(15):
        if (action := told.simulator.sample(state, rng)) is not None:
            actions.append(told.teller.action(action))
            state = told.simulator.step(state, action).successor or state
    return actions


# ── the heuristic ────────────────────────────────────────────────────────────────────────────────


def test_the_heuristic_is_the_length_of_a_relaxed_plan(world: World) -> None:
    simulator = Simulator(world.task)
    estimate, state = FFHeuristic(simulator), simulator.initial
    assert estimate(state) == 2, "lift the red cup, put it on the shelf"
    for text, value in (("(lift red table)", 1), ("(put red shelf)", 0), ("(lift blue table)", 1)):
        state = simulator.step(state, text).successor or state
        assert estimate(state) == value, text
    assert estimate.evaluated == 4


def test_a_state_without_a_relaxed_plan_is_a_dead_end(world: World) -> None:
    simulator = Simulator(world.task)
    held = simulator.step(simulator.initial, "(lift red table)").successor
    assert held is not None
    broken = simulator.step(held, "(smash red)").successor
    assert broken is not None
    assert FFHeuristic(simulator)(broken) is None


def test_a_task_with_too_many_actions_is_refused(world: World, monkeypatch: pytest.MonkeyPatch, play: Play) -> None:
    monkeypatch.setattr(grounding, "MOST_ACTIONS", 3)
    monkeypatch.setattr(relaxation, "MOST_ACTIONS", 3)
    with pytest.raises(UnsupportedError, match="more than 3 ground actions"):
        FFHeuristic(Simulator(world.task))
    for policy in ("guided", "tree"):
        assert play(policy, []).finished.outcome == "gave-up"


# ── guided ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("problem", ["p12", pytest.param("p20", marks=pytest.mark.heavy)])
def test_a_model_that_knows_the_way_is_followed_straight(play: Play, problem: str) -> None:
    task = shipped_task("blocksworld", problem)
    model = Answering(task, goes_on)
    played = play("guided", model=model, setting=setting_of(task))
    [searched], [asked] = played.of("states-searched"), played.of("states-asked")
    assert (searched.by, searched.status, model.calls) == ("led", "solved", 1)
    # Each expansion is a step of a way; where ways meet, the search may change from one to another.
    assert searched.led <= 1.2 * max(asked.possible)
    assert searched.expanded < greedy(Simulator(task))[0]
    assert validate(task, [*map(GroundAction.parse, played.finished.plan)]).valid


@pytest.mark.parametrize(
    "answer",
    [lambda told: [], lambda told: ["sing a song"], lambda told: ["put-down a", "stack a a"], wanders],
    ids=["nothing", "prose", "impossible", "wandering"],
)
@pytest.mark.parametrize("problem", ["p12", pytest.param("p20", marks=pytest.mark.heavy)])
def test_whatever_a_model_says_it_at_most_doubles_the_expansions(
    play: Play, answer: Callable[[ToldTask], Sequence[str]], problem: str
) -> None:
    task = shipped_task("blocksworld", problem)
    model = Answering(task, answer)
    played = play("guided", model=model, setting=setting_of(task), chosen={"calls": 5})
    [searched] = played.of("states-searched")
    assert searched.status == "solved"
    assert searched.expanded <= 2 * greedy(Simulator(task))[0]
    assert model.calls <= 5
    assert validate(task, [*map(GroundAction.parse, played.finished.plan)]).valid


def test_no_more_than_so_many_states_are_expanded(play: Play) -> None:
    played = play("guided", [], setting=setting_of(HARD), chosen={"calls": 0, "expansions": 20})
    assert played.of("states-searched")[0].expanded == 20
    assert (played.finished.outcome, played.finished.fault.status) == ("gave-up", "budget")


def test_a_search_without_states_left_is_a_dead_end(play: Play) -> None:
    played = play("guided", ["no idea"] * 9, setting=setting_of(shipped_task("blocksworld", "u01")))
    assert (played.finished.outcome, played.finished.fault.status) == ("gave-up", "dead-end")


def test_actions_are_read_under_the_heading_of_their_state(world: World) -> None:
    reader = world.setting("nl").reader
    reply = "**State 2:**\n1. put cup_0 on place_0\nState 1\nlift cup_1 from place_1\nlook\nState 77:\nsmash cup_0"
    lift, put = GroundAction.parse("(lift blue table)"), GroundAction.parse("(put red shelf)")
    assert named_by_state(reply, BATCH, reader) == [(lift,), (put,), ()]
    assert named_by_state("lift cup_1 from place_1", 2, reader) == [(lift,), ()]


# ── landmarks ────────────────────────────────────────────────────────────────────────────────────


def atoms(*texts: str) -> tuple[GroundAtom, ...]:
    return tuple(GroundAtom(text.split()) for text in texts)


def test_facts_are_reached_at_the_first_step_that_makes_them_true(world: World) -> None:
    plan = map(GroundAction.parse, ["(lift red table)", "(fly red)", "(put blue shelf)", "(put red shelf)"])
    assert first_reached(Simulator(world.task), [*plan]) == dict(
        zip(atoms("held red", "at red shelf"), (1, 4), strict=True)
    )


def test_subgoals_are_what_most_plans_reach_and_the_goal(world: World) -> None:
    red, shelf, blue, table = atoms("held red", "at red shelf", "held blue", "at blue table")
    plans = [{red: 1, shelf: 2, blue: 3}, {blue: 1, red: 3}, {red: 2}]
    assert subgoals(Simulator(world.task), plans) == {
        table: frozenset(),
        shelf: frozenset({red}),
        blue: frozenset(),
        red: frozenset(),
    }


def test_the_first_valid_sample_is_the_plan(play: Play, world: World) -> None:
    replies = [
        "[PLAN]\n(smash red)\n[PLAN END]",
        "[PLAN]\n(lift red table)\n(put red shelf)\n[PLAN END]",
        "never asked",
    ]
    played = play("landmarks", replies, style="pddl", chosen={"samples": 3})
    assert (played.finished.outcome, played.finished.calls, played.finished.counted) == ("solved", 2, 2)
    assert played.of("states-searched") == []


def test_the_search_asks_nothing(play: Play, world: World) -> None:
    replies = ["[PLAN]\n(put red shelf)\n[PLAN END]", "I cannot."]
    played = play("landmarks", replies, style="pddl", chosen={"samples": 2})
    [searched] = played.of("states-searched")
    assert (played.finished.outcome, played.finished.calls) == ("solved", 2)
    assert played.finished.plan == searched.plan == ("(lift red table)", "(put red shelf)")


@pytest.mark.usefixtures("needs_planner")
def test_a_search_that_ends_behind_claims_of_no_plan_is_as_recorded() -> None:
    model = ScriptedModel(["There is no plan."] * 2)
    record = run_spec(RunSpec(HARD, "landmarks", {"samples": 2, "expansions": 5}, model))
    assert record.last.message == "the limit of 5 expansions is reached"
    assert doubt(record) == ""


@pytest.mark.usefixtures("needs_planner")
def test_an_unfinished_plan_leads_the_search(play: Play) -> None:
    task = shipped_task("blocksworld", "p16")
    plan = solve(task, "lmcut").plan
    assert plan is not None
    said = "\n".join(["[PLAN]", *map(str, plan[:-2]), "[PLAN END]"])
    setting = setting_of(task)
    played = play("landmarks", [said], setting=replace(setting, reader=PDDLReader(setting.simulator)))
    [searched] = played.of("states-searched")
    assert (searched.by, searched.status) == ("landmarks", "solved")
    assert searched.expanded < greedy(setting.simulator)[0] / 2
    assert validate(task, [*map(GroundAction.parse, played.finished.plan)]).valid


# ── tree ─────────────────────────────────────────────────────────────────────────────────────────


LIFT, PUT = "lift cup_0 from place_1", "put cup_0 on place_0"


def test_candidates_are_read_with_their_values(world: World) -> None:
    reply = f"1. {LIFT} | 7\n- {PUT} | 9.5/10\nsmash cup_0\n{LIFT} | 2\nlift cup_1 from place_1 | 99"
    valued = {str(action): value for action, value in valued_actions(reply, world.setting().reader).items()}
    assert valued == {"(lift red table)": 7, "(put red shelf)": 9.5, "(smash red)": 0, "(lift blue table)": 10}


def test_the_tree_finds_the_goal_depth_by_depth(play: Play, world: World) -> None:
    played = play("tree", [f"{LIFT} | 9\n{PUT} | 1", f"{PUT} | 10"])
    [searched] = played.of("states-searched")
    assert (played.finished.outcome, played.finished.calls, searched.expanded) == ("solved", 2, 2)
    assert [event.possible for event in played.of("states-asked")] == [(1,), (1,)]


@pytest.mark.parametrize(("ranking", "first"), [("model", "lift cup_1"), ("hff", "lift cup_0"), ("both", "lift cup_0")])
def test_the_beam_keeps_the_best(play: Play, world: World, ranking: str, first: str) -> None:
    options = {"beam": 1, "ranking": ranking, "calls": 2}
    played = play("tree", [f"{LIFT} | 3\nlift cup_1 from place_1 | 8", ""], chosen=options)
    held = {"lift cup_0": "I hold cup_0", "lift cup_1": "I hold cup_1"}[first]
    assert held in LAYOUT.read(played.requests[1].messages[-1].content)["State"]


@pytest.mark.parametrize(("domain", "calls"), [("ferry", 13), ("blocksworld", 13)])
def test_the_tree_with_the_oracle_takes_its_beam_times_the_plan(domain: str, calls: int) -> None:
    solved = run_spec(RunSpec(shipped_task(domain, "p03"), "tree", {}, "oracle"))
    assert (solved.outcome, solved.spent.calls) == ("solved", calls)
    assert len(solved.plan) <= calls <= 3 * len(solved.plan)


def test_states_that_were_reached_before_are_merged(play: Play, world: World) -> None:
    back = "put cup_0 on place_1"
    played = play("tree", [LIFT, back, "never asked"])
    assert (played.finished.outcome, played.finished.calls) == ("gave-up", 2)
    assert played.of("states-searched")[0].status == "exhausted"


def test_half_a_line_of_a_reply_that_was_cut_off_is_no_candidate(play: Play, world: World) -> None:
    cut = ScriptedReply(f"lift cup_1 from place_1\n{LIFT}", finish="length")
    played = play("tree", [cut, ""])
    assert played.of("states-asked")[0].named == (("(lift blue table)",),)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", ["guided", "landmarks", "tree"])
@pytest.mark.parametrize("seed", range(2))
def test_whatever_a_model_says_a_solved_run_has_a_valid_plan(play: Play, world: World, policy: str, seed: int) -> None:
    rng = random.Random(seed)
    lines = ["State 1:", "[PLAN]", "[PLAN END]", "| 3", LIFT, PUT, "smash cup_1 | 11", "(put red shelf)", "\x00", "{"]
    replies = ["\n".join(rng.choices(lines, k=rng.randrange(9))) for _ in range(12)]
    options = {"samples": 3} if policy == "landmarks" else {"calls": 12}
    played = play(policy, replies, chosen=options)
    valid = validate(world.task, [*map(GroundAction.parse, played.finished.plan)]).valid
    assert (played.finished.outcome == "solved") == valid
