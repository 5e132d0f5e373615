"""The oracle: what it says is read and judged here as a policy's reply is, and a broken telling makes it fail."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pddl2nl.baselines import PlannerResult, PlanOracle, TaskTexts, solve, told_task
from pddl2nl.baselines.inputs import as_task
from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Completion, Message, Request, Usage
from pddl2nl.nl import Reader, Teller, Wording, make_names, template_wording
from pddl2nl.nl.markers import ACTION, LOOK_AROUND, PLAN_END, PLAN_START, THOUGHT
from pddl2nl.nl.telling.teller import Style
from pddl2nl.once import Once
from pddl2nl.pddl import Task
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_domain
from pddlval import GroundAction, Simulator, StepResult, validate

pytestmark = pytest.mark.usefixtures("needs_planner")

FORMS = {
    "basic": f"Write {PLAN_START}, then the plan, then {PLAN_END}.",
    "cot": f"Write {PLAN_START}, then the plan with a {THOUGHT} before every {ACTION}, then {PLAN_END}.",
    "act": f"Write {ACTION} and the next action, or {ACTION} {LOOK_AROUND}.",
    "react": f"Write {THOUGHT} and what you think, then {ACTION} and the next action, or {ACTION} {LOOK_AROUND}.",
}

IPC_TASKS = ["gripper/prob01", "blocks/probBLOCKS-4-1", "logistics00/probLOGISTICS-4-0", "miconic/s1-0"]


@dataclass(frozen=True)
class World:
    """A task as it is told to a model, and a judge of what the model says."""

    task: Task
    wording: Wording
    names: str = "typed"
    style: Style = "nl"

    @property
    def teller(self) -> Teller:
        """What tells it."""
        return Teller(self.task, self.wording, make_names(self.task, self._scheme), self.style)

    @property
    def reader(self) -> Reader:
        """What reads the replies."""
        return Reader(self.task, self.wording, make_names(self.task, self._scheme))

    @property
    def _scheme(self) -> str:
        return "original" if self.style == "pddl" else self.names

    def problem(self) -> str:
        """The problem as it is put."""
        return "\n\n".join((self.teller.goal_text(), self.teller.objects_text(), self.teller.init_text()))

    def opening(self, form: str, example: World | None = None) -> list[Message]:
        """System prompt, an example where there is one, and the problem."""
        messages = [Message("system", f"Here is a world.\n\n{self.teller.domain_text()}\n\n{FORMS[form]}")]
        if example is not None:
            messages += [Message("user", example.problem()), Message("assistant", example.solution(form))]
        return [*messages, Message("user", self.problem())]

    def solution(self, form: str) -> str:
        """The reply of an example: one that would solve it, but not the target."""
        actions = [self.teller.action(action) for action in solve(self.task, "lmcut").plan or ()]
        return "\n".join((PLAN_START, *actions, PLAN_END)) if form in ("basic", "cot") else f"{ACTION} {actions[0]}"

    def observe(self, result: StepResult) -> str:
        """What is told after an action."""
        return self.teller.executed(result.action) if result.applicable else self.teller.refused(result)


def said(oracle: PlanOracle, messages: list[Message]) -> str:
    return oracle.complete(Request(tuple(messages))).text


def is_solved(world: World, form: str, oracle: PlanOracle, example: World | None = None, limit: int = 60) -> bool:
    """Whether the oracle solves the task, by the readers and the simulator alone."""
    messages = world.opening(form, example)
    if form in ("basic", "cot"):
        readings = world.reader.read(said(oracle, messages))
        return bool(readings.plan) and readings.complete and validate(world.task, readings.plan).valid
    simulator, reader = Simulator(world.task), world.reader
    state = simulator.initial
    for _ in range(limit):
        reply = said(oracle, messages)
        reading = reader.read_turn(reply)
        observation = "Nothing was done."
        if reading.action is not None:
            result = simulator.step(state, reading.action)
            observation = world.observe(result)
            state = result.successor or state
            if simulator.is_goal(state):
                return True
        messages += [Message("assistant", reply), Message("user", observation)]
    return False


@pytest.fixture
def tower(small: SimpleNamespace) -> World:
    """Four blocks, told in the template wording."""
    task = as_task(small.tower)
    return World(task, template_wording(task.domain))


def oracle_for(world: World) -> PlanOracle:
    return PlanOracle(world.task.domain, world.wording)


# ── it solves what is told intact ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("names", ["typed", "original", "inferred"])
@pytest.mark.parametrize("form", FORMS)
def test_it_solves_what_it_was_told(tower: World, small: SimpleNamespace, form: str, names: str) -> None:
    world = replace(tower, names=names)
    example = replace(world, task=as_task(small.pair))
    assert is_solved(world, form, oracle_for(world), example)


@pytest.mark.parametrize("form", ["basic", "react"])
def test_costs_and_metric_are_read_back(small: SimpleNamespace, form: str) -> None:
    task = as_task(small.detour)
    for style in ("nl", "pddl"):
        world = World(task, template_wording(task.domain), style=style)
        assert is_solved(world, form, oracle_for(world))


@pytest.mark.parametrize("name", IPC_TASKS)
def test_it_solves_real_tasks(name: str, shared: Path) -> None:
    folder = shared / "ipc" / name
    domain, problem = ((folder / f"{part}.pddl").read_text(encoding="utf-8") for part in ("domain", "problem"))
    task = as_task(TaskTexts(domain, problem))
    world = World(task, template_wording(task.domain))
    assert is_solved(world, "cot", oracle_for(world))
    assert is_solved(world, "act", oracle_for(world))


# ── its replies have each mechanism's form ────────────────────────────────────────────────────────


def test_the_form_of_each_reply(tower: World) -> None:
    oracle = oracle_for(tower)
    replies = {form: said(oracle, tower.opening(form)).split("\n") for form in FORMS}
    for form in ("basic", "cot"):
        assert (replies[form][0], replies[form][-1]) == (PLAN_START, PLAN_END)
    assert not any(line.startswith((THOUGHT, ACTION)) for line in replies["basic"])
    steps = replies["cot"][1:-1]
    assert [line.split()[0] for line in steps] == [THOUGHT, ACTION] * (len(steps) // 2)
    assert len(steps) == 2 * len(replies["basic"][1:-1])
    assert len(replies["act"]) == 1
    assert replies["act"][0] == f"{ACTION} {replies['basic'][1]}"
    assert [line.split()[0] for line in replies["react"]] == [THOUGHT, ACTION]
    assert replies["react"] == steps[:2]


def test_the_account_is_honest(tower: World) -> None:
    oracle = oracle_for(tower)
    completion = oracle.complete(Request(tuple(tower.opening("act"))))
    assert isinstance(completion, Completion)
    assert (completion.model, completion.finish, completion.usage) == ("oracle", "text", Usage())
    assert oracle.name == "oracle"


# ── it knows nothing but the text ─────────────────────────────────────────────────────────────────


def test_it_plans_for_the_goal_in_the_text(tower: World) -> None:
    oracle = oracle_for(tower)
    told = tower.opening("basic")
    goal = told[-1].content.split("\n\n")[0]
    other = Teller(
        replace(tower.task, problem=replace(tower.task.problem, goal=as_goal(tower, "(on d a)"))),
        tower.wording,
        make_names(tower.task, "typed"),
    ).goal_text()
    assert goal != other
    plan = tower.reader.read(said(oracle, [told[0], Message("user", told[1].content.replace(goal, other))])).plan
    assert not validate(tower.task, plan).valid
    changed = replace(tower.task, problem=replace(tower.task.problem, goal=as_goal(tower, "(on d a)")))
    assert validate(changed, plan).valid


def as_goal(world: World, text: str):
    from pddl2nl.pddl import Atom

    return Atom(*((parts := text.strip("()").split())[0], tuple(parts[1:])))


# ── a broken telling makes it fail ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("form", FORMS)
def test_a_fact_that_is_not_told_is_missed(tower: World, form: str) -> None:
    silent = replace(tower.wording.predicates["clear"], text=None, negated=None)
    broken = replace(tower, wording=with_predicate(tower.wording, "clear", silent))
    assert not is_solved(broken, form, oracle_for(tower))


@pytest.mark.parametrize("form", FORMS)
def test_swapped_parameters_are_misunderstood(tower: World, form: str) -> None:
    snippet = tower.wording.predicates["on"]
    assert snippet.text is not None
    first, second = (f"{{{parameter}}}" for parameter in snippet.parameters)
    swapped = snippet.text.replace(first, "{!}").replace(second, first).replace("{!}", second)
    broken = replace(tower, wording=with_predicate(tower.wording, "on", replace(snippet, text=swapped)))
    assert not is_solved(broken, form, oracle_for(tower))


def with_predicate(wording: Wording, name: str, snippet) -> Wording:
    return replace(wording, predicates={**wording.predicates, name: snippet})


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("Currently, ", "Currently, it is said that "),
        lambda text: text.replace("block_0", "box_0", 1),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_an_unreadable_problem_is_an_error_of_ours_and_no_reply(tower: World, form: str, spoil) -> None:
    system, problem = tower.opening(form)
    with pytest.raises(InfrastructureError, match="the oracle cannot read this prompt: "):
        said(oracle_for(tower), [system, Message("user", spoil(problem.content))])


@pytest.mark.parametrize("spoil", [lambda text: text.split("\n\n")[0], lambda text: ""])
def test_a_prompt_that_states_no_task_is_answered(tower: World, spoil) -> None:
    system, problem = tower.opening("act")
    reply = said(oracle_for(tower), [system, Message("user", spoil(problem.content))])
    assert reply.startswith("I do not know what to do: I was told no goal")


@pytest.mark.parametrize("form", FORMS)
def test_a_goal_out_of_reach_is_no_claim_where_a_condition_has_no_words(tower: World, form: str) -> None:
    silent = replace(tower.wording.predicates["clear"], text=None, negated=None)
    broken = replace(tower, wording=with_predicate(tower.wording, "clear", silent))
    with pytest.raises(InfrastructureError, match="has no words for clear, and without these facts the goal cannot be"):
        said(oracle_for(broken), broken.opening(form))


# ── it follows the conversation ───────────────────────────────────────────────────────────────────


def turns(world: World, *actions: str, refuse: str = "") -> list[Message]:
    """Replies and observations for actions that are executed, the one named in ``refuse`` excepted."""
    messages: list[Message] = []
    for text in actions:
        action = GroundAction.parse(text)
        refused = StepResult(action, None, unmet=())
        observation = world.teller.refused(refused) if text == refuse else world.teller.executed(action)
        messages += [Message("assistant", f"{ACTION} {world.teller.action(action)}"), Message("user", observation)]
    return messages


def next_action(world: World, *history: Message) -> GroundAction | None:
    return world.reader.read_turn(said(oracle_for(world), [*world.opening("act"), *history])).action


def test_it_goes_on_from_wherever_the_conversation_is(tower: World) -> None:
    first = next_action(tower)
    assert first is not None
    off_the_plan = "(unstack c d)" if str(first) != "(unstack c d)" else "(unstack a b)"
    action = next_action(tower, *turns(tower, off_the_plan))
    simulator = Simulator(tower.task)
    state = simulator.step(simulator.initial, off_the_plan).successor
    assert state is not None
    assert action is not None
    assert simulator.is_applicable(state, action)


@pytest.mark.parametrize("style", ["nl", "pddl"])
def test_it_uses_the_state_that_it_is_shown(tower: World, style: Style) -> None:
    world = replace(tower, style=style)
    simulator = Simulator(world.task)
    state = simulator.follow(simulator.initial, ("(unstack c d)", "(put-down c)", "(unstack a b)")).state
    shown = [Message("assistant", f"{ACTION} {LOOK_AROUND}"), Message("user", world.teller.state(state))]
    action = next_action(world, *shown)
    assert action is not None
    assert simulator.is_applicable(state, action)
    assert not simulator.is_applicable(simulator.initial, action)


@pytest.fixture
def _plans_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plan of an earlier test is remembered, and none of a planner that a test replaces."""
    monkeypatch.setattr(told_task, "_plan_of", told_task._search)


@pytest.mark.usefixtures("_plans_anew")
@pytest.mark.parametrize("status", ["timeout", "out-of-memory", "error", "unsupported"])
def test_a_planner_that_fails_says_nothing_about_the_prompt(
    tower: World, monkeypatch: pytest.MonkeyPatch, status
) -> None:
    failed = PlannerResult("ff", status, None, None, 0.0, None, "", "it broke")
    monkeypatch.setattr("pddl2nl.baselines.told_task.solve", lambda *args, **kwargs: failed)
    with pytest.raises(InfrastructureError, match="it broke"):
        said(oracle_for(tower), tower.opening("basic"))


@pytest.mark.usefixtures("_plans_anew")
def test_where_lama_takes_long_ff_is_asked(tower: World, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, int | None]] = []

    def slow_lama(task: Task, planner: str, *, time_limit: int | None = None) -> PlannerResult:
        calls.append((planner, time_limit))
        if planner == "lama":
            return PlannerResult("lama", "timeout", None, None, 60.0, None, "", "no plan within 60 s")
        return solve(task, planner, time_limit=time_limit)

    monkeypatch.setattr("pddl2nl.baselines.told_task.solve", slow_lama)
    assert is_solved(tower, "basic", oracle_for(tower))
    assert calls == [("lama", 60), ("ff", None)]


def test_oracles_that_are_told_one_task_at_once_search_once(tower: World, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[str] = []

    def slow(task: Task, planner: str, **limits: Any) -> PlannerResult:
        searches.append(planner)
        time.sleep(0.05)
        return solve(task, planner, **limits)

    monkeypatch.setattr(told_task, "_plan_of", Once(told_task._search, 8))
    monkeypatch.setattr(told_task, "solve", slow)
    with ThreadPoolExecutor(8) as pool:
        replies = [*pool.map(lambda _: said(oracle_for(tower), tower.opening("basic")), range(8))]
    assert (len(set(replies)), searches) == (1, ["lama"])


def test_a_turn_is_not_the_whole_conversation_read_again(tower: World, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    read_turn = Reader.read_turn
    oracle = oracle_for(tower)
    monkeypatch.setattr(Reader, "read_turn", lambda self, text: read.append(text) or read_turn(self, text))
    assert is_solved(tower, "act", oracle)
    told = len(read)
    assert told < 2 * 20, "each reply is read by the judge, and once by the oracle"
    # A conversation that it has not followed itself is replayed from its beginning.
    history = turns(tower, "(unstack a b)", "(put-down a)", "(unstack c d)")
    assert said(oracle_for(tower), [*tower.opening("act"), *history])
    assert len(read) == told + 3


# ── the oracle solves tasks whose prompts tell the present state in the place of old turns ────────


@pytest.mark.parametrize(("policy", "style"), [("act", "nl"), ("react", "nl"), ("act", "pddl")])
@pytest.mark.parametrize("domain", ["blocksworld", "logistics", "visitall"])
@pytest.mark.parametrize(("history", "most"), [("none", 2), ("last:3", 8)])
def test_it_solves_with_a_short_history_and_plans_once(
    monkeypatch: pytest.MonkeyPatch, domain: str, policy: str, style: str, history: str, most: int
) -> None:
    monkeypatch.setattr(told_task, "_plan_of", told_task._search)
    searches: list[Any] = []
    solve = told_task.solve
    monkeypatch.setattr(told_task, "solve", lambda *args, **options: searches.append(1) or solve(*args, **options))
    task = shipped_domain(domain).task("p04")
    result = run_spec(RunSpec(task, policy, model="oracle", style=style, example="none", steps=40, history=history))
    assert (result.outcome, result.mistakes) == ("solved", 0)
    assert len(searches) == 1
    longest = max(event.kept + len(event.messages) for event in result.events if event.event == "prompted")
    assert longest == most


@pytest.mark.parametrize("rounds", [0, 2])
def test_it_solves_with_samples_and_rounds(rounds: int) -> None:
    task = shipped_domain("ferry").task("p02")
    result = run_spec(RunSpec(task, "cot", {"samples": 2, "rounds": rounds}, "oracle", example="none"))
    assert (result.outcome, len(result.plan) > 0) == ("solved", True)
    assert sum(event.event == "replied" for event in result.events) == 1
