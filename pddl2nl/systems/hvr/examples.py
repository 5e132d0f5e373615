"""The examples in HVR's prompts: macro plans, blocks, and one corrected block (HVR paper, section 3.3).

The examples are solved tasks, laid out like the target task. They are no tasks of a benchmark: the domain's own example
where it has one (the kitchen's is the paper's, "Boil water in a pot"), told in the wording of the run, and the tasks of
a small domain of our own (``laundry``). A corrected block lacks one action and shows the validator's feedback
about that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

from pddl2nl.nl import Teller, make_names, wording_from_json
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies.prompts import Prompts, numbered
from pddl2nl.systems.hvr.blocks import EFFECT_MISSING, Part, verified, whole
from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph
from pddl2nl.systems.hvr.ontology import Ontology
from pddl2nl.systems.hvr.options import PROMPTS, HVROptions
from pddl2nl.systems.hvr.prompting import Prompter, Shots, actions_reply
from pddl2nl.systems.hvr.repair import movements
from pddl2nl.tasks.references import reference_of, references_of
from pddl2nl.tasks.shipped import match_shipped, shipped_domain
from pddlval import GroundAction, Simulator, State

_SHOWN = 2
"""The number of examples of a macro plan and of a block (section 3.3 of the paper)."""

_Shot = tuple[str, str]


def shown_for(policy: HVROptions, teller: Teller, ontology: Ontology | None, prompts: Prompts = PROMPTS) -> Shots:
    """The examples for a task, none of which is the task itself or a benchmark's."""
    compact = policy.prompt_size == "compact"
    own, shipped = reference_of(teller.task), match_shipped(teller.task.domain)
    wording = json.dumps(teller.wording.to_json(), sort_keys=True)
    shown = [
        _reference_shots(shipped.name, item.instance, wording, teller.names.scheme, ontology, compact)
        for item in references_of(teller.task.domain)
        if shipped is not None and item.role == "example" and item != own
    ]
    shown = [*shown, *_laundry_shots(compact)][:_SHOWN]
    stages = ("macro-plan", "block", "block-correction") if policy.hierarchy else ("plan", "plan-correction")
    if compact:
        return {stage: (shown[0][stage],) for stage in stages if not stage.endswith("correction")}
    shots = {stage: tuple(item[stage] for item in shown) for stage in stages}
    first = {stage: found[:1] for stage, found in shots.items() if stage.endswith("correction")}
    return {**conditions_shots(prompts), **shots, **first}


def conditions_shots(prompts: Prompts) -> Shots:
    example, reply = map(prompts.text, ("conditions_example.txt", "conditions_example_reply.txt"))
    return {"conditions": ((example, reply),)}


@lru_cache(maxsize=32)
def _reference_shots(
    domain: str, instance: str, wording: str, scheme: str, ontology: Ontology | None, compact: bool
) -> dict[str, _Shot]:
    """The examples from one reference of a shipped domain; cached, because many runs show the same."""
    task = shipped_domain(domain).task(instance)
    reference = reference_of(task)
    assert reference is not None, f"{instance} of {domain} is no reference"
    blocks = [(block.macro, block.actions) for block in reference.ways[0].blocks]
    teller = _teller(task, json.loads(wording), scheme)
    return _SolvedExample(teller, reference.texts["goal"], blocks, ontology, compact).shots()


@lru_cache(maxsize=2)
def _laundry_shots(compact: bool) -> list[dict[str, _Shot]]:
    def text(name: str) -> str:
        return (resources.files(__package__) / "laundry" / name).read_text(encoding="utf-8")

    domain, wording = text("domain.pddl"), json.loads(text("wording.json"))
    found = []
    for item in json.loads(text("tasks.json")):
        teller = _teller(parse_task(domain, text(item["problem"])), wording, "original")
        blocks = [(block["macro"], block["actions"]) for block in item["blocks"]]
        found.append(_SolvedExample(teller, item["text"], blocks, None, compact).shots())
    return found


def _teller(task: Task, wording: dict[str, object], scheme: str) -> Teller:
    told = wording_from_json(wording, task.domain, "the wording of the examples")
    return Teller(task, told, make_names(task, scheme, told))


class _SolvedExample:
    """A solved task; the prompts about it tell only the objects of the plan and those around them."""

    def __init__(
        self,
        teller: Teller,
        text: str,
        blocks: Sequence[tuple[str, Sequence[str]]],
        ontology: Ontology | None,
        compact: bool,
    ):
        self._teller, self._simulator = teller, Simulator(teller.task)
        self._graph = KnowledgeGraph(teller, ontology, compact=compact)
        self._prompter = Prompter(PROMPTS, text, "", teller.action_lines(), compact=compact)
        self._parts: list[Part] = []
        state = self._simulator.initial
        for number, (words, texts) in enumerate(blocks, start=1):
            actions = tuple(map(GroundAction.parse, texts))
            self._parts.append(Part(1, number, words, actions, state))
            state = self._after(actions, state)

    def shots(self) -> dict[str, _Shot]:
        """An example for every stage that shows one."""
        start, plan = self._simulator.initial, whole(self._parts)
        macros = [part.words for part in self._parts]
        kinds = self._graph.kind_lines(self._objects(plan, start))
        planned = {"Objects": self._lines(plan, start)}
        wrong_plan, plan_feedback, plan_remark = self._broken(plan, start)
        # Of several longest blocks the last, so that something was executed before it.
        part = max(self._parts, key=lambda part: (len(part.actions), part.macro))
        before = [(each.words, self._told(each.actions)) for each in self._parts[: part.macro - 1]]
        block = {
            "Objects": self._lines(part.actions, part.start),
            "Macro plan": macros,
            "Executed so far": self._prompter.executed(before),
            "Macro-action": f"{part.macro}. {part.words}",
        }
        wrong, feedback, remark = self._broken(part.actions, part.start)
        question = self._prompter.question
        return {
            "macro-plan": (question("macro-plan", {"Available objects": kinds}), numbered(macros)),
            "block": (question("block", block), self._reply(part.actions)),
            "block-correction": (
                question("block-correction", {**block, "Block": wrong, "Feedback": feedback}),
                self._reply(part.actions, remark),
            ),
            "plan": (question("plan", planned), self._reply(plan)),
            "plan-correction": (
                question("plan-correction", {**planned, "Plan": wrong_plan, "Feedback": plan_feedback}),
                self._reply(plan, plan_remark),
            ),
        }

    def _broken(self, actions: tuple[GroundAction, ...], start: State) -> tuple[list[str], str, str]:
        """The actions without one of them, in words; the validator's feedback; and the correction in words.

        The omitted action is the last one that a later action needs, and a movement only if there is no other, because
        the deterministic repair inserts missing movements.
        """
        moving = {item.schema.name for item in movements(self._simulator.task.domain)}
        for place in sorted(range(len(actions)), key=lambda place: (actions[place].name in moving, -place)):
            rest = (*actions[:place], *actions[place + 1 :])
            block = verified(self._simulator, self._teller, start, rest, lambda state: (), EFFECT_MISSING)
            if block.feedback:
                missing = f"Before step {block.verified + 1} this is missing: {self._teller.action(actions[place])}."
                return self._told(rest), block.feedback, missing
        return self._told(actions), "", ""

    def _reply(self, actions: Sequence[GroundAction], remark: str | None = None) -> str:
        steps = [f"{number}. {self._teller.executed(action)}" for number, action in enumerate(actions, start=1)]
        return actions_reply(steps if remark is None else [remark], self._told(actions))

    def _told(self, actions: Sequence[GroundAction]) -> list[str]:
        return [self._teller.action(action) for action in actions]

    def _lines(self, actions: Sequence[GroundAction], state: State) -> tuple[str, ...]:
        return self._graph.object_lines(self._objects(actions, state))

    def _objects(self, actions: Sequence[GroundAction], state: State) -> tuple[str, ...]:
        """The objects of actions that exist in a state, with those around them."""
        graph = self._graph
        graph.update(state)
        available = frozenset(graph.objects())
        names = dict.fromkeys(name for action in actions for name in action.args)
        return graph.select([name for name in names if name in available]).objects

    def _after(self, actions: Sequence[GroundAction], state: State) -> State:
        followed = self._simulator.follow(state, actions)
        assert followed.complete, f"{followed.failed} in an example"
        return followed.state
