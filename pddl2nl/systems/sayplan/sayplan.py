"""SayPlan: a model searches a scene graph, plans on what it found, and corrects its plan until it can be executed.

After Rana et al., "SayPlan: Grounding Large Language Models using 3D Scene Graphs for Scalable Robot Task Planning"
(CoRL 2023, section 3.3, Algorithm 1, appendices A and J). Stage 1 expands and contracts nodes of the collapsed graph.
Stage 2 completes ways, simulates the plan and asks again. The prompts are laid out as in `pddl2nl.policies.prompts`:

====================  ==================================================================================================
stage                 content
====================  ==================================================================================================
sayplan/search        the task, the graph as it is shown, the nodes ever expanded, why the last command failed
sayplan/plan          the task, the graph as it is shown; in a correction the last plan and the simulator's feedback
====================  ==================================================================================================

No earlier exchange is in a prompt (the paper's Markovian prompt). The examples (`pddl2nl.systems.sayplan.examples`)
are a search that expands and contracts, a plan, and, if plans are verified, plans that are corrected.

The paper gives no bound on the search and tells the model only whether its plan is executable. Ours ends a search after
twice as many steps as nodes can be expanded, and `MORE_STEPS`; after `MOST_UNREADABLE` unreadable replies in
succession; or where the same impossible command comes `MOST_STUCK` times in succession. With ``goal_feedback`` the
model is also told that its plan misses the goal; and if it is proved that nothing it has found can reach the goal
(`cannot_be_enough`), it searches once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from pddl2nl.baselines.planner import solve
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint, Line
from pddl2nl.nl import Teller, Wording, make_names
from pddl2nl.pddl import And, Atom, Condition, Not, Or, Task, write_condition
from pddl2nl.policies.policy import Effort, TaskTextPolicy
from pddl2nl.policies.prompts import PromptLayout, Prompts, Sections, conversation, dashed, shortened
from pddl2nl.policies.refining import Attempt, Check, Style, refine
from pddl2nl.search.grounding import GroundActions, bits
from pddl2nl.search.relaxation import Relaxation
from pddl2nl.systems.sayplan.answers import MISTAKES, SceneAnswers
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched, SearchEnded
from pddl2nl.systems.sayplan.examples import ShownTask, example_reference, shown_task
from pddl2nl.systems.sayplan.plans import (
    CheckedPlan,
    PlanSimulator,
    SceneCalled,
    call_text,
    fill_ways,
    json_reply,
    node_names,
    plain_name,
    read_answer,
    read_calls,
    read_reply,
    without_ways,
)
from pddl2nl.systems.sayplan.scene_graph import HOW_TO_WRITE, SceneCall, SceneRoles, SceneView, scene_graph
from pddl2nl.systems.sayplan.tokens import tokenizer_name
from pddlval import Simulator, State
from pddlval.formulas import negation_normal
from pddlval.semantics import unmet

if TYPE_CHECKING:
    from pddl2nl.baselines.oracle import PlanOracle
    from pddl2nl.policies.episode import Episode

MORE_STEPS = 10
MOST_UNREADABLE = 3
MOST_STUCK = 3
_MOST_MISTAKES = 3
"""The most corrections that prompts show."""
_MOST_CALLS = 2_000
_MOST_COMMAND, _MOST_REASONING, _MOST_LINE = 500, 1_000, 80

SEARCH, PLAN = "sayplan/search", "sayplan/plan"
LAYOUT = PromptLayout(
    (SEARCH, PLAN), ("Task", "Scene graph", "Memory", "Answers", "Plan", "Feedback"), frozenset(("Plan",))
)

_QUERIES = ("count", "without", "distance")
_COMMAND = re.compile(
    r"\s*(expand|contract|count|without|distance)(?:_node)?\s*(?:\(([^()]*)\)|[\s:]\s*([^():]+?))\s*[.;]?\s*",
    re.IGNORECASE,
)
_END = re.compile(r"\s*terminate\s*(?:\(([^()]*)\))?\s*[.;]?\s*", re.IGNORECASE)
_UNREADABLE = "The reply is not one JSON object with a command, which is one of {} or terminate."
_NOT_ENOUGH = "Nothing that the graph shows can do the task: search again."


class SayPlan(TaskTextPolicy):
    """SayPlan; its ablations are other values of its options (``presets.toml``)."""

    summary = "search in a scene graph, completed ways, plans corrected by a simulator"
    one_shot = True
    original_names = True
    prompts = Prompts(__package__)
    files = ("scene.json",)

    search: Annotated[
        Literal["model", "whole", "exact"],
        Meta(
            description="What selects the nodes that are shown to plan with: the model (model), none, as all are shown "
            "(whole), or an exact search for the nodes of FF's plan, without a model (exact)."
        ),
    ] = "model"
    contraction: Annotated[bool, Meta(description="Whether the search can contract nodes again.")] = True
    memory: Annotated[bool, Meta(description="Whether prompts of the search list the nodes ever expanded.")] = True
    queries: Annotated[
        bool,
        Meta(description="Whether the search can ask for counts, distances and what is missing (not in the paper)."),
    ] = False
    paths: Annotated[bool, Meta(description="Whether a path planner adds the places on the way to a plan.")] = True
    # Five as in the paper (section 5.2).
    corrections: Annotated[
        int, Meta(description="The most corrections of a plan that the simulator refuses; 0: it is not asked.", ge=0)
    ] = 5
    signal: Annotated[
        Style,
        Meta(
            description="What the model is told about an error: that the step failed (raw), also which call it was "
            "(terse, as in the paper), or why (reason)."
        ),
    ] = "reason"
    goal_feedback: Annotated[
        bool,
        Meta(
            description="Whether the model is told that its plan misses the goal, and searches again if nothing that "
            "it has found can reach the goal (not in the paper)."
        ),
    ] = False

    @property
    def needs_model(self) -> bool:
        return self.search != "exact"

    @property
    def uses(self) -> frozenset[str]:
        return frozenset(("constrain", "example", "example_plan") if self.needs_model else ())

    @property
    def mistakes(self) -> tuple[str, ...]:
        return MISTAKES if self.needs_model else ()

    @property
    def prompt_names(self) -> tuple[str, ...]:
        parts = {"contract.txt": self.contraction, "queries.txt": self.queries, "memory.txt": self.memory}
        search = ("search.txt", *(name for name, used in parts.items() if used)) if self.search == "model" else ()
        plan = ("plan.txt", "completed.txt" if self.paths else "stepwise.txt") if self.needs_model else ()
        return (*search, *plan)

    def shows_example(self, task: Task) -> bool:
        """Only in domains without an example of their own."""
        return example_reference(task.domain) is None

    def effort(self, actions: int) -> Effort:
        searches, plans = (6 if self.search == "model" else 0), (2 if self.corrections else 1)
        return Effort(
            1,
            searches + plans - 1,
            1500,
            (searches + plans) * 60 + plans * actions * 8,
            "of SayPlan and its ablations 6 steps of search, a plan that is corrected once where it is verified, 60 "
            "tokens of reasoning in each reply, and prompts 1,500 tokens longer after the first, as in the office",
        )

    def run(self, episode: Episode) -> None:
        """Searches, plans and executes.

        Raises:
            InputError: the domain has no scene graph.
            InfrastructureError: an exact search found no plan within its limits.
            MissingExtraError: networkx is not installed, which completes ways.
        """
        roles = episode.setting.files.get("scene.json")
        if roles is None:
            name = episode.setting.simulator.task.domain.name
            raise InputError(
                f"{name} has no scene.json, which SayPlan needs; name a file by --file scene.json=FILE ({HOW_TO_WRITE})"
            )
        run = SceneRun(self, episode, roles)
        if not episode.done:
            run.execute(run.exact_plan() if self.search == "exact" else run.planned(*run.found()))


@dataclass(frozen=True)
class _Proposal:
    """A plan as the model gave it, its result, and what the model is told about it."""

    said: tuple[SceneCalled, ...]
    checked: CheckedPlan
    feedback: str


class SceneRun:
    """One run of the policy, with the graph of the initial state; `memory` has the nodes that were ever expanded."""

    def __init__(self, policy: SayPlan, episode: Episode, roles: SceneRoles):
        setting = episode.setting
        self.task = setting.simulator.task
        self.graph = scene_graph(self.task, roles, episode.state.atoms)
        self.memory: list[str] = []
        self._policy = policy
        self._episode = episode
        self._roles = roles
        # The names of the graph are those of the task, which say what things are.
        teller = Teller(self.task, setting.teller.wording, make_names(self.task, "original", setting.teller.wording))
        self._checker = PlanSimulator(setting.simulator, roles, teller, policy.signal)
        self._text = setting.task_text or teller.goal_text()

    @cached_property
    def _prompter(self) -> ScenePrompter:
        setting = self._episode.setting
        prompts = self._policy.prompts.replacing(setting.prompts)
        shown = shown_task(setting, self._roles)
        return ScenePrompter(self._policy, self._text, self._roles, shown, setting.teller.wording, prompts)

    def _answers(self, oracle: PlanOracle, view: SceneView, feedback: str) -> SceneAnswers:
        return SceneAnswers(oracle, self.task, self._text, self._roles, view, self._episode.state, feedback)

    # ── stage 1: the search ──────────────────────────────────────────────────────────────────────

    def found(self) -> tuple[SceneView, object]:
        """The view to plan with, and the plan if the last reply of the search has one."""
        if self._policy.search == "whole":
            view = self.graph.full()
            self._ended("whole", view)
            return view, None
        view, plan = self.search(self.graph.collapsed())
        if self._policy.goal_feedback and cannot_be_enough(self.task, self._episode.state, view):
            return self.search(view, _NOT_ENOUGH)
        return view, plan

    def search(self, view: SceneView, feedback: str = "") -> tuple[SceneView, object]:
        """The view at the end of a search that begins with one, and the plan if the last reply has one.

        `feedback` tells why an earlier search was not enough.
        """
        failures, answered = list[str](), dict[str, str]()
        most = 2 * sum(node.opens for node in self.graph.nodes.values()) + MORE_STEPS
        for step in range(1, most + 1):
            data = read_reply(self._command(view, feedback, [*answered.values()]))
            reasoning = shortened(str(data.get("reasoning", "")), _MOST_REASONING)
            command = data.get("command")
            command = shortened(call_text(data if isinstance(command, str) else command), _MOST_COMMAND)
            end = _END.fullmatch(command)
            if end is not None or data.get("mode") == "planning":
                said = data.get("answer", end[1] if end is not None else None)
                self._ended("model", view, read_answer(said, node_names(self.graph)))
                return view, data.get("plan")
            obeyed = _obey(command, view, self._policy, answered.values())
            if obeyed.answer:
                answered[obeyed.said] = obeyed.answer
            view, feedback, said = obeyed.view, obeyed.feedback, obeyed.said
            if said.startswith("expand(") and not feedback and obeyed.node not in self.memory:
                self.memory.append(obeyed.node)
            shown = view.tokens, _ordered(view), tuple(self.memory)
            self._episode.note(
                SceneSearched(step, said, obeyed.node, not feedback, feedback, *shown, reasoning, obeyed.answer)
            )
            failures = [*failures, said] if feedback else []
            if failures[-MOST_UNREADABLE:] == [""] * MOST_UNREADABLE:
                self._ended("unreadable", view)
                return view, None
            if said and failures[-MOST_STUCK:] == [said] * MOST_STUCK:
                self._ended("stuck", view)
                return view, None
        self._ended("limit", view)
        return view, None

    def _command(self, view: SceneView, feedback: str, answered: Sequence[str]) -> str:
        memory = self.memory if self._policy.memory else []
        return self._episode.ask(
            self._prompter.search(view, memory, feedback, answered),
            again=True,
            constraint=self._prompter.commands(view, self._episode.setting.spec.constrain),
            answer=lambda oracle: self._answers(oracle, view, feedback).command(
                memory, contraction=self._policy.contraction
            ),
        )

    def _ended(self, by: str, view: SceneView, answer: tuple[str, ...] | None = None) -> None:
        graph = view.graph
        collapsed, full = graph.collapsed(), graph.full()
        self._episode.note(
            SearchEnded(
                by,
                tuple(node.name for node in view.nodes if node.name in graph.things),
                _ordered(view),
                tuple(self.memory),
                view.tokens,
                collapsed.tokens,
                full.tokens,
                tuple(full.counts.items()),
                tuple(collapsed.counts.items()),
                tuple(full.kind_tokens.items()),
                tokenizer_name(),
                answer,
            )
        )

    # ── stage 2: the plan ────────────────────────────────────────────────────────────────────────

    def planned(self, view: SceneView, first: object) -> CheckedPlan:
        """The model's plan after its corrections; ``first`` is a plan in the last reply of the search, if any."""

        def propose(failed: Attempt[_Proposal] | None) -> _Proposal:
            plan = self._plan(view, failed) if failed is not None or not first else first
            said = () if plan is None else read_calls(plan, node_names(view.graph), self._roles.calls)
            number = 0 if failed is None else failed.number + 1
            return self._checked(view, said, number, "the reply is no JSON object with a plan" if plan is None else "")

        return refine(
            propose,
            [Check("simulator", lambda proposal: proposal.feedback)],
            lambda proposal: self._policy.corrections,
            same=None if self._episode.sampling else lambda proposal: proposal.said,
        ).proposal.checked

    def _plan(self, view: SceneView, failed: Attempt[_Proposal] | None) -> object:
        lines = () if failed is None else failed.proposal.said
        feedback = "" if failed is None else failed.feedback
        reply = self._episode.ask(
            self._prompter.plan(view, lines, feedback),
            again=True,
            constraint=self._prompter.calls(view, self._episode.setting.spec.constrain),
            answer=lambda oracle: self._answers(oracle, view, feedback).plan(paths=self._policy.paths),
        )
        # What is cut off must not be taken for a whole plan.
        return read_reply(self._episode.uncut(reply)).get("plan")

    def _checked(self, view: SceneView, said: tuple[SceneCalled, ...], number: int, fault: str) -> _Proposal:
        """A plan with completed ways, simulated and recorded; ``fault``: why there is none."""
        if len(said) > _MOST_CALLS:
            rest = f"the {len(said) - _MOST_CALLS} actions after the first {_MOST_CALLS}"
            said = (*said[:_MOST_CALLS], SceneCalled("", (), rest))
        filled, inserted = fill_ways(said, view.graph, self._roles.moves) if self._policy.paths else (said, ())
        checked = self._checker.check(filled, view, self._episode.state)
        feedback = checked.feedback
        if not said:
            feedback = fault or "the plan has no actions"
        elif checked.executable and not checked.goal and self._policy.goal_feedback:
            feedback = "the plan can be executed, but the task is not done at its end"
        self._note(number, filled, inserted, checked, feedback)
        return _Proposal(said, checked, feedback)

    def _note(
        self,
        number: int,
        filled: Sequence[SceneCalled],
        inserted: tuple[int, ...],
        checked: CheckedPlan,
        feedback: str = "",
    ) -> None:
        self._episode.note(
            PlanChecked(
                number,
                tuple(shortened(str(call), _MOST_LINE) for call in filled),
                inserted,
                checked.verified,
                checked.executable,
                checked.goal,
                checked.cause,
                tuple(map(write_condition, checked.unmet)),
                shortened(feedback, _MOST_REASONING),
                tuple(shortened(call.unread, _MOST_LINE) for call in filled if call.unread),
            )
        )

    def exact_plan(self) -> CheckedPlan:
        """The plan that FF finds in the whole graph, in the smallest view that shows its nodes; no model is asked."""
        result = solve(self.task, "ff")
        if result.plan is None:
            raise InfrastructureError(f"there is no plan for an exact search: ff ended with {result.status}")
        calls = self._checker.actions.calls(result.plan)
        view = SceneView(self.graph, self.graph.revealing(node for call in calls for node in call.nodes))
        self._ended("exact", view)
        filled, inserted = fill_ways(without_ways(calls, self._roles.moves), self.graph, self._roles.moves)
        checked = self._checker.check(filled, view, self._episode.state)
        self._note(0, filled, inserted, checked)
        return checked

    def execute(self, plan: CheckedPlan) -> None:
        """Executes a plan up to its first failing action, and ends the episode."""
        episode = self._episode
        episode.begin_plan(plan.actions)
        for action in plan.actions:
            turn = episode.move(action, ends=False)
            if turn.status != "executed":
                episode.end_plan(turn.status, turn.observation)
                return
        if plan.executable and plan.actions:
            episode.end_plan()
        else:
            # A node that is not there and a place that is too far were read, and cannot be done.
            status = "unreadable" if plan.unread or not plan.feedback else "inapplicable"
            episode.end_plan(status, plan.feedback or "the plan has no actions that could be read")


def _ordered(view: SceneView) -> tuple[str, ...]:
    return tuple(sorted(view.expanded, key=view.graph.places.__getitem__))


# ── commands of the search ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Obeyed:
    """The result of a command: the view, the reason if it was impossible, the answer to a query."""

    view: SceneView
    said: str = ""
    node: str = ""
    feedback: str = ""
    answer: str = ""


def _obey(command: str, view: SceneView, policy: SayPlan, answered: Collection[str]) -> _Obeyed:
    match = _COMMAND.fullmatch(command)
    allowed = ["expand", *(["contract"] if policy.contraction else []), *(_QUERIES if policy.queries else [])]
    verb = "" if match is None else match[1].lower()
    if match is None or verb not in allowed:
        return _Obeyed(view, feedback=_UNREADABLE.format(", ".join(allowed)))
    names = node_names(view.graph)
    nodes = [names.get(each, each) for each in map(plain_name, (match[2] or match[3] or "").split(","))]
    node = shortened(", ".join(nodes), 100)
    said = f"{verb}({node})"
    try:
        if verb not in _QUERIES:
            return _Obeyed(view.expand(node) if verb == "expand" else view.contract(node), said, node)
        answer = f"{said}: {_answered(verb, nodes, view)}"
    except InputError as error:
        return _Obeyed(view, said, node, str(error))
    if answer in answered:
        return _Obeyed(view, said, node, "Answers has this already.")
    return _Obeyed(view, said, node, answer=answer)


def _answered(verb: str, nodes: Sequence[str], view: SceneView) -> str:
    """The answer to a query about what is shown; raises `InputError` for a node that is not shown."""
    if len(nodes) != 1 + (verb == "distance"):
        raise InputError(f"expected {verb}({'node, node' if verb == 'distance' else 'word'})")
    if verb == "distance":
        links = view.distance(*nodes)
        return "no way" if links is None else f"{links} links"
    totals = view.count(nodes[0])
    if verb == "count":
        return ", ".join(f"{total} in {name}" for name, total in totals.items()) or "nothing is expanded"
    return ", ".join(name for name, total in totals.items() if not total) or "none of the expanded nodes"


# ── whether what is shown can be enough ──────────────────────────────────────────────────────────


def cannot_be_enough(task: Task, state: State, view: SceneView) -> bool:
    """Whether no plan from a state reaches the goal by what it does to shown nodes; False if this cannot be proved.

    Facts about other nodes stay as they are. Proved by the delete relaxation of the task restricted to the shown nodes:
    the goal cannot be reached although nothing that became true ever becomes false again.
    """
    shown = view.task_of(task, state)
    simulator = Simulator(Task(task.domain, replace(shown.problem, goal=And())))
    ground = GroundActions(simulator)
    if ground.actions is None:
        return False
    hidden = view.hidden
    holding = ground.holding(simulator.initial)
    reached = Relaxation(ground.actions, len(ground.numbered)).supporters(holding).keys()

    def may_hold(goal: Condition) -> bool:
        match goal:
            case And(parts=parts):
                return all(map(may_hold, parts))
            case Or(parts=parts):
                return any(map(may_hold, parts))
            case Atom(args=args) | Not(body=Atom(args=args)) if not hidden.isdisjoint(args):
                return not unmet(goal, state)
            case Atom() | Not():
                return reached >= {*bits(ground.needs(goal))}
        return True

    return not may_hold(negation_normal(task.problem.goal))


def _states(roles: SceneRoles) -> Iterator[str]:
    """The states of nodes, as the graph writes them."""
    for level in roles.levels:
        yield from (value for each in level.states for value in (each.yes, each.no))
        if level.kind != roles.top and level.within and not level.parent and not level.states:
            yield from (f"{each.replace('-', '_')}(node)" for each in level.within)
    yield from (["inside_hand"] if roles.held else [])


def _about(call: SceneCall) -> str:
    names = ["the node"] if len(call.given) == 1 else ["the first node", "the second node"]
    return call.about.format(*names)


class ScenePrompter:
    """Makes the prompts about one task, which speak of the policy's components."""

    def __init__(
        self,
        policy: SayPlan,
        task_text: str,
        roles: SceneRoles,
        shown: ShownTask | None,
        wording: Wording,
        prompts: Prompts,
    ):
        self._policy = policy
        self._task_text = task_text
        self._roles = roles
        self._prompts = prompts
        actions = [f"{call.written(name)}: {_about(call)}." for name, call in roles.calls.items()]
        ways = [prompts.fill("completed.txt" if policy.paths else "stepwise.txt")] if roles.moves else []
        self._fields = {
            "kinds": ", ".join(level.kind for level in roles.levels if level.opens),
            "contract": f"{prompts.fill('contract.txt')}\n" if policy.contraction else "",
            "queries": f"{prompts.fill('queries.txt')}\n" if policy.queries else "",
            "memory": f"\n{prompts.fill('memory.txt')}\n" if policy.memory else "",
            "actions": dashed(actions),
            "rules": dashed((*roles.rules, *ways)),
            "states": ", ".join(_states(roles)),
        }
        self._examples = {} if shown is None else self._shots(shown, wording)

    def search(
        self, view: SceneView, memory: Sequence[str], feedback: str, answers: Sequence[str] = ()
    ) -> list[Message]:
        return self._messages(SEARCH, {**self._searching(view, memory, feedback), "Answers": list(answers)})

    def plan(self, view: SceneView, plan: Sequence[object], feedback: str) -> list[Message]:
        return self._messages(PLAN, {"Scene graph": view.text, "Plan": list(map(str, plan)), "Feedback": feedback})

    def commands(self, view: SceneView, level: str) -> Constraint | None:
        """What a command of the search may be, with ``--constrain``: of nodes that are shown, and of their words."""
        if level == "off":
            return None
        verbs = ["expand", *(["contract"] if self._policy.contraction else [])]
        names = tuple(node.name for node in view.nodes)
        opening = tuple(node.name for node in view.nodes if node.opens)
        lines: list[Line] = [(f"{verb}(", opening, ")") for verb in verbs if opening]
        if self._policy.queries:
            words = tuple(sorted({word for node in view.nodes for word in node.words}))
            lines += [("count(", words, ")"), ("without(", words, ")"), ("distance(", names, ", ", names, ")")]
        ends: list[Line] = [("terminate",), ("terminate(none)",), ("terminate(", names, ")")]
        given = None if level == "format" else (*lines, *ends, ("terminate(", names, ", ", names, ")"))
        return Constraint(given, action='{"mode": "exploring", "command": "', after='"}')

    def calls(self, view: SceneView, level: str) -> Constraint | None:
        """What a plan may be, with ``--constrain``: calls about nodes that are shown."""
        if level == "off":
            return None
        nodes = tuple(node.name for node in view.nodes)
        lines: tuple[Line, ...] = tuple((f"{name}(", nodes, ")") for name in self._roles.calls)
        given = None if level == "format" else lines
        begin = '{"mode": "planning", "plan": [\n'
        return Constraint(given, action='"', after='",', begin=begin, end='"done()"]}')

    def _searching(self, view: SceneView, memory: Sequence[str], feedback: str = "") -> Sections:
        told = f"[{', '.join(memory)}]" if self._policy.memory else ""
        return {"Scene graph": view.text, "Memory": told, "Feedback": feedback}

    def _messages(self, stage: str, sections: Sections) -> list[Message]:
        text = self._prompts.fill(f"{stage.removeprefix('sayplan/')}.txt", **self._fields)
        system = LAYOUT.system(stage, "$text", text=text)
        return conversation(system, self._examples.get(stage, ()), self._question(sections))

    def _question(self, sections: Sections, task_text: str = "") -> str:
        return LAYOUT.question({"Task": task_text or self._task_text, **sections})

    def _shots(self, shown: ShownTask, wording: Wording) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The examples of each stage: questions and replies."""
        policy, view = self._policy, shown.graph.collapsed()
        steps, memory = list[tuple[str, str]](), list[str]()
        for command, thought, reason in shown.search:
            verb, _, node = command.removesuffix(")").partition("(")
            if verb == "contract" and not policy.contraction:
                continue
            question = self._question(self._searching(view, memory), shown.text)
            steps.append((question, json_reply(thought, reason, command=command)))
            if node:
                view = view.expand(node) if verb == "expand" else view.contract(node)
                memory += [node] if verb == "expand" else []

        def stepwise(calls: Sequence[SceneCalled]) -> Sequence[SceneCalled]:
            return calls if policy.paths else fill_ways(calls, shown.graph, self._roles.moves)[0]

        calls = stepwise(shown.calls)
        reply = json_reply(shown.thought, shown.reason, plan=calls)
        plans = [(self._question({"Scene graph": view.text}, shown.text), reply)]
        teller = Teller(shown.task, wording, make_names(shown.task, "original", wording))
        checker, start = PlanSimulator(Simulator(shown.task), self._roles, teller, policy.signal), shown.start
        for mistake in shown.mistakes if policy.corrections else ():
            filled, _ = fill_ways(mistake.calls, shown.graph, self._roles.moves)
            checked = checker.check(filled, view, start)
            refused = {
                "Scene graph": view.text,
                "Plan": list(map(str, stepwise(mistake.calls))),
                "Feedback": checked.feedback,
            }
            if not checked.executable:
                corrected = json_reply(mistake.thought, mistake.reason, plan=calls)
                plans.append((self._question(refused, shown.text), corrected))
        return {SEARCH: steps, PLAN: plans[: 1 + _MOST_MISTAKES]}
