"""The prompts of SayPlan (appendices A and J of the paper), laid out as in `pddl2nl.policies.staged`.

====================  ==================================================================================================
stage                 content
====================  ==================================================================================================
sayplan/search        the task, the graph as it is shown, the nodes ever expanded, why the last command failed
sayplan/plan          the task, the graph as it is shown; in a correction the last plan and the simulator's feedback
====================  ==================================================================================================

No earlier exchange is in a prompt (the paper's Markovian prompt). The examples come from the example task of a shipped
domain: a search that expands and contracts, a plan, and, if plans are verified, one that is corrected. Other domains
have no examples.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Literal

from pddl2nl.llm import Message
from pddl2nl.llm.constraint import Constraint, Line
from pddl2nl.nl import Teller, Wording, make_names
from pddl2nl.pddl import Domain, Task
from pddl2nl.policies.refining import Style
from pddl2nl.policies.staged import PromptLayout, Sections, conversation, dashed
from pddl2nl.systems.sayplan.calls import SceneActions, SceneCalled, fill_ways, without_ways
from pddl2nl.systems.sayplan.checking import PlanSimulator
from pddl2nl.tasks import match_shipped
from pddl2nl.worlds.scene_graph import SceneCall, SceneRoles, SceneView, load_roles, scene_graph
from pddlval import GroundAction, Simulator

SEARCH, PLAN = "sayplan/search", "sayplan/plan"
STEP_BY_STEP = "Each movement goes to a node that is linked to the agent's place."
"""What prompts say if ways are not completed."""
_COMPLETED = "A movement may go to any place: a path planner adds the places on the way."
_CONTRACT = "- contract(node): hide what is in a node, if nothing in it matters, so that the graph stays small.\n"
_QUERIES = """- count(word): in each expanded node, how many nodes have this name (without a number), kind or attribute.
- without(word): the expanded nodes in which no node has this name, kind or attribute.
- distance(node, node): the number of links between the places of two nodes that are shown.
"""
_MEMORY = "\nMemory lists the nodes that you have expanded so far, contracted or not: do not expand them again.\n"

LAYOUT = PromptLayout(
    (SEARCH, PLAN), ("Task", "Scene graph", "Memory", "Answers", "Plan", "Feedback"), frozenset(("Plan",))
)


@dataclass(frozen=True)
class SceneMechanism:
    """The components that a policy has.

    Attributes:
        title: in tables.
        summary: one line for people.
        search: what selects the nodes to show: the model, or exact search (`SceneGraph.cheapest`); or all are shown.
        contraction, memory: whether the model can contract nodes, and is told which it has expanded.
        paths: whether ways are completed.
        verification: whether plans are corrected after feedback of the simulator.
        queries: whether the search has commands that count nodes and links in what is shown.
    """

    title: str
    summary: str
    search: Literal["model", "exact", "whole"] = "model"
    contraction: bool = True
    memory: bool = True
    paths: bool = True
    verification: bool = True
    queries: bool = False


MECHANISMS: Mapping[str, SceneMechanism] = MappingProxyType(
    {
        "sayplan": SceneMechanism("SayPlan", "search in a scene graph, completed ways, plans corrected by a simulator"),
        "sayplan-open": SceneMechanism(
            "LLM+P", "SayPlan without verification, which its paper calls LLM+P", verification=False
        ),
        "sayplan-flat": SceneMechanism(
            "LLM-As-Planner", "SayPlan without completed ways and verification", paths=False, verification=False
        ),
        "sayplan-full": SceneMechanism("SayPlan, whole graph", "SayPlan with the whole graph in the prompt", "whole"),
        "sayplan-nocontract": SceneMechanism(
            "SayPlan, no contraction", "SayPlan without contraction", contraction=False
        ),
        "sayplan-nomemory": SceneMechanism(
            "SayPlan, no memory", "SayPlan without the list of expanded nodes", memory=False
        ),
        "sayplan-queries": SceneMechanism(
            "SayPlan, with queries", "SayPlan that can also count nodes and links in the shown graph", queries=True
        ),
        "sayplan-exact": SceneMechanism(
            "Exact search and FF", "a plan of FF, the fewest nodes that show it, and no model", "exact"
        ),
    }
)
"""The components of each policy, by the policy's name."""


def shipped_roles(domain: Domain) -> SceneRoles | None:
    """The roles in the ``scene.json`` of a shipped domain; None without one."""
    shipped = match_shipped(domain)
    path = None if shipped is None else shipped.folder / "scene.json"
    return load_roles(path) if path is not None and path.is_file() else None


@cache
def _text(name: str) -> str:
    return (resources.files(__package__) / "texts" / name).read_text(encoding="utf-8").strip()


def prompt_hashes(mechanism: SceneMechanism) -> dict[str, str]:
    """The SHA-256 of the prompt files that a policy uses, by file name, for the record of a run."""
    names = {"model": ["search.txt", "plan.txt"], "whole": ["plan.txt"], "exact": []}[mechanism.search]
    return {name: hashlib.sha256(_text(name).encode("utf-8")).hexdigest() for name in names}


def json_reply(thought: str, *, command: str = "", plan: Sequence[SceneCalled] | None = None) -> str:
    """A reply: a command of the search, or a plan."""
    mode = "exploring" if command and command != "terminate" else "planning"
    content = {"command": command} if plan is None else {"plan": [*map(str, plan), "done()"]}
    return json.dumps({"chain_of_thought": thought, "reasoning": thought, "mode": mode, **content}, ensure_ascii=False)


def _about(call: SceneCall) -> str:
    """What a call does, for models."""
    names = ["the node"] if len(call.given) == 1 else ["the first node", "the second node"]
    return call.about.format(*names)


class ScenePrompter:
    """Makes the prompts about one task.

    Args:
        task_text: the task in words.
        domain: of the task.
        roles: of the scene graph.
        mechanism: the components of the policy.
        wording, style: of the simulator's feedback.
    """

    def __init__(
        self,
        task_text: str,
        domain: Domain,
        roles: SceneRoles,
        mechanism: SceneMechanism,
        *,
        wording: Wording,
        style: Style,
    ):
        self._task_text = task_text
        self._roles = roles
        self._mechanism = mechanism
        self._wording = wording
        self._style: Style = style
        actions = [f"{call.written(name)}: {_about(call)}." for name, call in roles.calls.items()]
        ways = _COMPLETED if mechanism.paths else STEP_BY_STEP
        self._fields = {
            "kinds": ", ".join(level.kind for level in roles.levels if level.opens),
            "contract": _CONTRACT if mechanism.contraction else "",
            "queries": _QUERIES if mechanism.queries else "",
            "memory": _MEMORY if mechanism.memory else "",
            "actions": dashed(actions),
            "rules": dashed((*roles.rules, *([ways] if roles.moves else []))),
        }
        self._examples = self._shown(domain)

    @property
    def mechanism(self) -> SceneMechanism:
        """The components of the policy."""
        return self._mechanism

    def search(
        self, view: SceneView, memory: Sequence[str], feedback: str, answers: Sequence[str] = ()
    ) -> list[Message]:
        """The prompt for the next command of the search."""
        return self._messages(SEARCH, {**self._searching(view, memory, feedback), "Answers": list(answers)})

    def plan(self, view: SceneView, plan: Sequence[object], feedback: str) -> list[Message]:
        """The prompt for a plan, or for its correction."""
        return self._messages(PLAN, {"Scene graph": view.text, "Plan": list(map(str, plan)), "Feedback": feedback})

    def commands(self, view: SceneView, level: str) -> Constraint | None:
        """What a command of the search may be, with ``--constrain``: of nodes that are shown, and of their words."""
        if level == "off":
            return None
        verbs = ["expand", *(["contract"] if self.mechanism.contraction else [])]
        opening = tuple(node.name for node in view.nodes if node.opens)
        lines: list[Line] = [(f"{verb}(", opening, ")") for verb in verbs if opening]
        if self.mechanism.queries:
            names = tuple(node.name for node in view.nodes)
            words = tuple(sorted({word for node in view.nodes for word in node.words}))
            lines += [("count(", words, ")"), ("without(", words, ")"), ("distance(", names, ", ", names, ")")]
        given = None if level == "format" else (*lines, ("terminate",))
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
        told = f"[{', '.join(memory)}]" if self._mechanism.memory else ""
        return {"Scene graph": view.text, "Memory": told, "Feedback": feedback}

    def _messages(self, stage: str, sections: Sections) -> list[Message]:
        text = _text(f"{stage.removeprefix('sayplan/')}.txt")
        examples = self._examples.get(stage, ())
        return conversation(LAYOUT.system(stage, text, **self._fields), examples, self._question(sections))

    def _question(self, sections: Sections, task_text: str = "") -> str:
        return LAYOUT.question({"Task": task_text or self._task_text, **sections})

    def _shown(self, domain: Domain) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The examples of each stage: questions and replies."""
        shipped = match_shipped(domain)
        reference = next((each for each in shipped.references if each.role == "example"), None) if shipped else None
        if shipped is None or reference is None:
            return {}
        graph = scene_graph(shipped.task(reference.instance), self._roles)
        text, actions = reference.texts["goal"], SceneActions(domain, self._roles)
        calls = actions.calls(map(GroundAction.parse, reference.ways[0].plan))
        short = without_ways(calls, self._roles.moves) if self._mechanism.paths else calls
        needed = graph.revealing(node for call in calls for node in call.nodes)
        view = graph.collapsed()
        steps, memory = list[tuple[str, str]](), list[str]()

        def step(thought: str, command: str) -> None:
            question = self._question(self._searching(view, memory), text)
            steps.append((question, json_reply(thought, command=command)))

        useless = [node.name for node in view.nodes if node.opens and node.name not in needed][:1]
        for name in (*useless, *sorted(needed, key=graph.places.__getitem__)):
            step(f"{name} may have what the task needs and is not expanded yet", f"expand({name})")
            view = view.expand(name)
            memory.append(name)
            if name in useless and self._mechanism.contraction:
                step(f"nothing in {name} matters: hide it again", f"contract({name})")
                view = view.contract(name)
        step("the graph shows all that the task needs", "terminate")
        plans = [(self._question({"Scene graph": view.text}, text), json_reply("first this, then that", plan=short))]
        if self._mechanism.verification:
            forgotten, feedback = self._forgotten(shipped.task(reference.instance), short, view)
            refused = {"Scene graph": view.text, "Plan": list(map(str, forgotten)), "Feedback": feedback}
            thought = "a step that the refused one needs was missing"
            plans.append((self._question(refused, text), json_reply(thought, plan=short)))
        return {SEARCH: steps, PLAN: plans}

    def _forgotten(self, task: Task, plan: Sequence[SceneCalled], view: SceneView) -> tuple[Sequence[SceneCalled], str]:
        """A plan without one of the steps that it needs, the first one possible, and the simulator's feedback."""
        simulator = Simulator(task)
        teller = Teller(task, self._wording, make_names(task, "original", self._wording))
        checker = PlanSimulator(simulator, self._roles, teller, self._style)
        # The paper's example forgets to open the wardrobe, which is its second step.
        for place in range(1, len(plan)):
            rest = (*plan[:place], *plan[place + 1 :])
            filled, _ = fill_ways(rest, view.graph, self._roles.moves) if self._mechanism.paths else (rest, ())
            checked = checker.check(filled, view, simulator.initial)
            if not checked.executable and plan[place].name != self._roles.moves:
                return rest, checked.feedback
        raise ValueError("the example's plan needs none of its steps")
