"""The examples in the prompts: two of a macro plan, two of a block, one of a mended block (HVR paper, section 3.3).

They are solved tasks, shown as the task itself would be shown, in the same words and the same layout. Where the domain
has references (`pddl2nl.tasks.references`), they come from two other tasks of it, the first being the one that is made
for it; else from a small world of our own (``prompts/laundry``), which no domain is about. The target itself is never
shown. What is mended is a block that lacks an action: the feedback is what the validator says of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pddl2nl.llm import Message
from pddl2nl.macros.movement import movements
from pddl2nl.macros.prompting import numbered
from pddl2nl.nl import Teller, make_names, wording_from_json
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies.hvr.blocks import EFFECT_MISSING, verified
from pddl2nl.policies.hvr.plan import Mechanism, Part, grouped, whole
from pddl2nl.policies.hvr.prompts import Executed, Prompter, Shot, Shown, actions_reply
from pddl2nl.policies.hvr.sight import Sight
from pddl2nl.policies.policy import Setting
from pddl2nl.policies.prompting import prompt_text
from pddl2nl.tasks.references import reference_of, references_of
from pddl2nl.tasks.shipped import match_shipped, shipped_domain
from pddl2nl.worlds.ontology import Ontology
from pddlval import GroundAction, Simulator, State

__all__ = ["Worked", "shots", "shown_for"]

_SHOWN = 2
"""So many examples of a macro plan and of a block (section 3.3 of the paper)."""


@dataclass(frozen=True)
class Worked:
    """A solved task: its text, and its macro-actions with their blocks."""

    task: Task
    text: str
    blocks: tuple[tuple[str, tuple[GroundAction, ...]], ...]


def shown_for(setting: Setting, mechanism: Mechanism) -> Shown:
    """The examples for a task, none of which is the task itself."""
    teller = setting.teller
    own = reference_of(teller.task)
    others = [item for item in references_of(teller.task.domain) if item != own and item.ways[0].blocks]
    shipped = match_shipped(teller.task.domain)
    if shipped is None or len(others) < _SHOWN:
        return _laundry_shown(mechanism.hierarchy)
    wording = json.dumps(teller.wording.to_json(), sort_keys=True)
    shown = [
        _reference_shots(shipped.name, item.instance, wording, teller.names.scheme, setting.ontology)
        for item in others[:_SHOWN]
    ]
    return _together(shown, mechanism.hierarchy)


@lru_cache(maxsize=32)
def _reference_shots(
    domain: str, instance: str, wording: str, scheme: str, ontology: Ontology | None
) -> dict[str, Shot]:
    """The examples made of one reference of a shipped domain; an experiment shows the same in hundreds of runs."""
    task = shipped_domain(domain).task(instance)
    reference = reference_of(task)
    assert reference is not None, f"{instance} of {domain} is no reference"
    blocks = tuple((block.macro, tuple(map(GroundAction.parse, block.actions))) for block in reference.ways[0].blocks)
    told = wording_from_json(json.loads(wording), task.domain, "the wording of the run")
    teller = Teller(task, told, make_names(task, scheme, told))
    return shots(Worked(task, reference.texts["goal"], blocks), teller, ontology)


@lru_cache(maxsize=2)
def _laundry_shown(hierarchy: bool) -> Shown:
    domain = prompt_text("laundry/domain.pddl")
    found = []
    for item in json.loads(prompt_text("laundry/tasks.json")):
        task = parse_task(domain, prompt_text(f"laundry/{item['problem']}"))
        blocks = [
            (block["macro"], tuple(GroundAction.parse(action) for action in block["actions"]))
            for block in item["blocks"]
        ]
        wording = wording_from_json(json.loads(prompt_text("laundry/wording.json")), task.domain, "prompts/laundry")
        teller = Teller(task, wording, make_names(task, "original", wording))
        found.append(shots(Worked(task, item["text"], tuple(blocks)), teller))
    return _together(found, hierarchy)


def _together(found: Sequence[dict[str, Shot]], hierarchy: bool) -> Shown:
    """Of each stage two examples, of corrections one."""
    stages = ("macro-plan", "block", "block-correction") if hierarchy else ("plan", "plan-correction")
    return Shown(
        {stage: tuple(item[stage] for item in found)[: 1 if stage.endswith("correction") else 2] for stage in stages}
    )


def shots(worked: Worked, teller: Teller, ontology: Ontology | None = None) -> dict[str, Shot]:
    """An example for every stage that has any, made of one solved task.

    Only the objects that its plan is about are told, with those around them. The block that is shown is the longest.
    """
    making = _Making(worked, teller, ontology)
    return {
        "macro-plan": making.macro_plan(),
        "block": making.block(),
        "block-correction": making.block_correction(),
        "plan": making.plan(),
        "plan-correction": making.plan_correction(),
    }


class _Making:
    """Makes the examples of one solved task."""

    def __init__(self, worked: Worked, teller: Teller, ontology: Ontology | None):
        self._teller = teller
        self._simulator = Simulator(worked.task)
        self._sight = Sight(teller, ontology)
        self._prompter = Prompter(worked.text, "", teller.action_lines())
        state = self._simulator.initial
        parts = []
        for number, (words, actions) in enumerate(worked.blocks, start=1):
            parts.append(Part(1, number, words, actions, state))
            state = self._after(actions, state)
        self._parts = tuple(parts)
        self._end = state
        self._macros = tuple(part.words for part in parts)
        # Of blocks with as many steps the last, so that something was executed before it.
        self._longest = max(range(len(parts)), key=lambda place: (len(parts[place].actions), place))

    def macro_plan(self) -> Shot:
        """The division of the task."""
        objects = self._objects(whole(self._parts), self._simulator.initial)
        return _question(self._prompter.macro_plan(self._sight.kind_lines(objects))), numbered(self._macros)

    def block(self) -> Shot:
        """The longest block."""
        part = self._parts[self._longest]
        lines = self._lines(part.actions, part.start)
        messages = self._prompter.block(lines, self._macros, part.macro, self._before(part))
        return _question(messages), self._reply([], part.actions)

    def block_correction(self) -> Shot:
        """The same block without one of its actions, and how it is mended."""
        part = self._parts[self._longest]
        end = self._after(part.actions, part.start)
        broken, feedback, remark = self._broken(part.actions, part.start, end)
        lines = self._lines(part.actions, part.start)
        told = tuple(map(self._teller.action, broken))
        messages = self._prompter.block_correction(lines, self._macros, part.macro, told, feedback, self._before(part))
        return _question(messages), self._reply([remark], part.actions, steps=False)

    def plan(self) -> Shot:
        """The whole plan."""
        actions, start = whole(self._parts), self._simulator.initial
        return _question(self._prompter.plan(self._lines(actions, start))), self._reply([], actions)

    def plan_correction(self) -> Shot:
        """The whole plan without one of its actions, and how it is mended."""
        actions, start = whole(self._parts), self._simulator.initial
        broken, feedback, remark = self._broken(actions, start, self._end)
        told = tuple(map(self._teller.action, broken))
        messages = self._prompter.plan_correction(self._lines(actions, start), told, feedback)
        return _question(messages), self._reply([remark], actions, steps=False)

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def _broken(
        self, actions: tuple[GroundAction, ...], start: State, end: State
    ) -> tuple[tuple[GroundAction, ...], str, str]:
        """The actions without one, what the validator says of them, and how to mend them in words.

        The last whose lack another action suffers from: what the end of the plan lacks is no violated precondition. A
        movement only where there is nothing else, since the deterministic repair puts those in before anybody is asked.
        """
        moving = {item.schema.name for item in movements(self._simulator.task.domain)}
        for place in sorted(range(len(actions)), key=lambda place: (actions[place].name in moving, -place)):
            rest = (*actions[:place], *actions[place + 1 :])
            block = verified(self._simulator, self._teller, start, rest, lambda state: (), EFFECT_MISSING)
            if block.feedback:
                missing = self._teller.action(actions[place])
                return rest, block.feedback, f"Before step {block.verified + 1} this is missing: {missing}."
        return actions, "", ""

    def _reply(self, remarks: Sequence[str], actions: Sequence[GroundAction], *, steps: bool = True) -> str:
        said = [f"{number}. {self._teller.executed(action)}" for number, action in enumerate(actions, start=1)]
        return actions_reply([*remarks, *(said if steps else [])], tuple(map(self._teller.action, actions)))

    def _before(self, part: Part) -> tuple[Executed, ...]:
        return grouped(self._parts[: part.macro - 1], self._teller)

    def _lines(self, actions: Sequence[GroundAction], state: State) -> tuple[str, ...]:
        objects = self._objects(actions, state)
        return self._sight.object_lines(objects)

    def _objects(self, actions: Sequence[GroundAction], state: State) -> tuple[str, ...]:
        """The objects that actions are about, as far as they are there in a state, with those around them."""
        graph = self._sight.graph
        graph.update(state)
        names = list(dict.fromkeys(name for action in actions for name in action.args))
        there = frozenset(graph.objects())
        return graph.select([name for name in names if name in there]).objects

    def _after(self, actions: Sequence[GroundAction], state: State) -> State:
        for action in actions:
            after = self._simulator.step(state, action).successor
            assert after is not None, f"{action} of an example is not applicable"
            state = after
        return state


def _question(messages: Sequence[Message]) -> str:
    return messages[-1].content
