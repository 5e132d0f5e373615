"""The examples in HVR's prompts: two macro plans, two blocks, one corrected block (HVR paper, section 3.3).

The examples are solved tasks, laid out like the target task and told in the same wording. They come from two other
tasks of the domain that have references (`pddl2nl.tasks.references`), or, if there are not enough, from a small domain
of our own (``texts/laundry``). A corrected block lacks one action and shows the validator's feedback about that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from pddl2nl.llm import Message
from pddl2nl.nl import Teller, make_names, wording_from_json
from pddl2nl.pddl import parse_task
from pddl2nl.policies.hvr.blocks import EFFECT_MISSING, Part, grouped, verified, whole
from pddl2nl.policies.hvr.prompts import Mechanism, Prompter, Shot, Shots, actions_reply, prompt_text
from pddl2nl.policies.hvr.repair import movements
from pddl2nl.policies.hvr.sight import Sight
from pddl2nl.policies.setting import Setting
from pddl2nl.policies.staged import numbered
from pddl2nl.tasks.references import reference_of, references_of
from pddl2nl.tasks.shipped import match_shipped, shipped_domain
from pddl2nl.worlds.ontology import Ontology
from pddlval import GroundAction, Simulator, State

__all__ = ["shown_for"]

_SHOWN = 2
"""The number of examples of a macro plan and of a block (section 3.3 of the paper)."""


def shown_for(setting: Setting, mechanism: Mechanism) -> Shots:
    """The examples for a task, none of which is the task itself."""
    teller = setting.teller
    own = reference_of(teller.task)
    others = [item for item in references_of(teller.task.domain) if item != own and item.ways[0].blocks]
    shipped = match_shipped(teller.task.domain)
    if shipped is None or len(others) < _SHOWN:
        shown = _laundry_shots()
    else:
        wording = json.dumps(teller.wording.to_json(), sort_keys=True)
        shown = [
            _reference_shots(shipped.name, item.instance, wording, teller.names.scheme, setting.ontology)
            for item in others[:_SHOWN]
        ]
    stages = ("macro-plan", "block", "block-correction") if mechanism.hierarchy else ("plan", "plan-correction")
    return {
        stage: tuple(item[stage] for item in shown)[: 1 if stage.endswith("correction") else _SHOWN] for stage in stages
    }


@lru_cache(maxsize=32)
def _reference_shots(
    domain: str, instance: str, wording: str, scheme: str, ontology: Ontology | None
) -> dict[str, Shot]:
    """The examples from one reference of a shipped domain; cached, because many runs show the same."""
    task = shipped_domain(domain).task(instance)
    reference = reference_of(task)
    assert reference is not None, f"{instance} of {domain} is no reference"
    blocks = tuple((block.macro, tuple(map(GroundAction.parse, block.actions))) for block in reference.ways[0].blocks)
    told = wording_from_json(json.loads(wording), task.domain, "the wording of the run")
    teller = Teller(task, told, make_names(task, scheme, told))
    return _Example(teller, reference.texts["goal"], blocks, ontology).shots()


@lru_cache(maxsize=1)
def _laundry_shots() -> list[dict[str, Shot]]:
    domain = prompt_text("laundry/domain.pddl")
    found = []
    for item in json.loads(prompt_text("laundry/tasks.json")):
        task = parse_task(domain, prompt_text(f"laundry/{item['problem']}"))
        blocks = tuple((block["macro"], tuple(map(GroundAction.parse, block["actions"]))) for block in item["blocks"])
        wording = wording_from_json(json.loads(prompt_text("laundry/wording.json")), task.domain, "texts/laundry")
        teller = Teller(task, wording, make_names(task, "original", wording))
        found.append(_Example(teller, item["text"], blocks, None).shots())
    return found


_Blocks = Sequence[tuple[str, tuple[GroundAction, ...]]]
"""Macro-actions with their blocks."""


class _Example:
    """A solved task; the prompts about it tell only the objects of the plan and those around them."""

    def __init__(self, teller: Teller, text: str, blocks: _Blocks, ontology: Ontology | None):
        self._teller = teller
        self._simulator = Simulator(teller.task)
        self._sight = Sight(teller, ontology)
        self._prompter = Prompter(text, "", teller.action_lines(), {})
        state = self._simulator.initial
        parts = []
        for number, (words, actions) in enumerate(blocks, start=1):
            parts.append(Part(1, number, words, actions, state))
            state = self._after(actions, state)
        self._parts = tuple(parts)

    def shots(self) -> dict[str, Shot]:
        """An example for every stage that shows one."""
        prompter, start = self._prompter, self._simulator.initial
        macros, plan = tuple(part.words for part in self._parts), whole(self._parts)
        kinds = self._sight.kind_lines(self._objects(plan, start))
        plan_lines = self._lines(plan, start)
        wrong_plan, plan_feedback, plan_remark = self._broken(plan, start)
        # Of several longest blocks the last, so that something was executed before it.
        part = max(self._parts, key=lambda part: (len(part.actions), part.macro))
        lines = self._lines(part.actions, part.start)
        before = grouped(self._parts[: part.macro - 1], self._teller)
        wrong, feedback, remark = self._broken(part.actions, part.start)
        corrected = prompter.block(lines, macros, part.macro, before, correct=(wrong, feedback))
        corrected_plan = prompter.plan(plan_lines, (), plan_feedback, correct=wrong_plan)
        return {
            "macro-plan": (_question(prompter.macro_plan(kinds)), numbered(macros)),
            "block": (_question(prompter.block(lines, macros, part.macro, before)), self._reply(part.actions)),
            "block-correction": (_question(corrected), self._reply(part.actions, remark)),
            "plan": (_question(prompter.plan(plan_lines)), self._reply(plan)),
            "plan-correction": (_question(corrected_plan), self._reply(plan, plan_remark)),
        }

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def _broken(self, actions: tuple[GroundAction, ...], start: State) -> tuple[tuple[str, ...], str, str]:
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
                return tuple(map(self._teller.action, rest)), block.feedback, missing
        return tuple(map(self._teller.action, actions)), "", ""

    def _reply(self, actions: Sequence[GroundAction], remark: str | None = None) -> str:
        """The steps in words, or only a remark about a correction, and then the actions."""
        steps = [f"{number}. {self._teller.executed(action)}" for number, action in enumerate(actions, start=1)]
        return actions_reply(steps if remark is None else [remark], tuple(map(self._teller.action, actions)))

    def _lines(self, actions: Sequence[GroundAction], state: State) -> tuple[str, ...]:
        return self._sight.object_lines(self._objects(actions, state))

    def _objects(self, actions: Sequence[GroundAction], state: State) -> tuple[str, ...]:
        """The objects of actions that exist in a state, with those around them."""
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
