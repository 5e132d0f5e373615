"""The oracle's answers to HVR's prompts, every stage from the prompt alone.

What a prompt tells is read back from its text (`pddl2nl.systems.hvr.oracle_world`). Fast Downward then plans on what
was read, one shortest plan per macro-action. The oracle cannot use what a prompt lacks.

Tasks in free language cannot be read back. For those of the shipped domains the oracle is given their meaning
(`KnownTask`): the goal, the macro-actions with their sub-goals, and the objects that matter. It is given no actions and
no states. For other tasks it reads the goal from the prompt.

On request it makes one mistake (`pddl2nl.systems.hvr.mistakes`), until the prompt contains the violated condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import cast

from pddl2nl.baselines.told_task import ToldTaskError, among
from pddl2nl.llm import Message
from pddl2nl.macros.macro import Conditions
from pddl2nl.nl import NLReadError, Wording, make_names
from pddl2nl.nl.names import SCHEMES
from pddl2nl.nl.reading.told import read_goal
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Domain,
    Problem,
    Task,
    TypedName,
    parse_problem,
    substitute,
    write_condition,
)
from pddl2nl.policies.staged import numbered
from pddl2nl.systems.hvr.mistakes import IMPOSSIBLE, Mistake, impossible_block, mistaken_block, wrong_precondition
from pddl2nl.systems.hvr.oracle_world import PromptContent, PromptReader, PromptWorld, item_lines, terms_of
from pddl2nl.systems.hvr.prompts import LAYOUT, actions_reply
from pddl2nl.tasks.reference_files import ReferenceBlock
from pddl2nl.tasks.references import reference_task, references_of, told_references
from pddlval import GroundAction, State
from pddlval.semantics import unmet

_WHOLE = "Do all that is wanted"
"""The one macro-action of a task of which only the goal is known."""


# ── what the texts of shipped tasks mean ─────────────────────────────────────────────────────────


@dataclass(frozen=True)
class KnownMacro:
    """A macro-action in words, its sub-goal, and the objects that matter for it."""

    words: str
    goal: Condition
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class KnownTask:
    """The meaning of a task's text.

    Attributes:
        goal: what must hold in the end.
        macros: the macro-actions.
        objects: all objects, in the order of declaration.
        besides: objects of the domain's example that may become useful if the world differs.
    """

    goal: Condition
    macros: tuple[KnownMacro, ...]
    objects: tuple[TypedName, ...] = ()
    besides: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """All objects that matter for the macro-actions."""
        return tuple(dict.fromkeys(name for macro in self.macros for name in macro.needs))


def under_told_names(known: KnownTask, domain: Domain, wording: Wording, told: Collection[str]) -> KnownTask:
    """The task with the object names of a prompt: those of the naming scheme with the most matches."""
    constants = {item.name for item in domain.constants}
    own = tuple(item for item in known.objects if item.name not in constants)
    task = Task(domain, Problem("known", domain.name, objects=own))
    schemes = (make_names(task, scheme, wording).to_nl for scheme in SCHEMES)
    names = max(schemes, key=lambda to_nl: sum(name in told for name in to_nl.values()))

    def renamed(objects: Sequence[str]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in objects)

    return KnownTask(
        substitute(known.goal, names),
        tuple(KnownMacro(macro.words, substitute(macro.goal, names), renamed(macro.needs)) for macro in known.macros),
        tuple(replace(item, name=names.get(item.name, item.name)) for item in known.objects),
        renamed(known.besides),
    )


def known_task(text: str, domain: Domain) -> KnownTask | None:
    """The meaning of the text of a shipped domain's task, the first of its ways; None for other texts."""
    references = told_references(text, domain) if text else ()
    return _of_reference(domain, references[0].instance) if references else None


@lru_cache(maxsize=64)
def _of_reference(domain: Domain, instance: str) -> KnownTask:
    references = references_of(domain)
    reference = next(each for each in references if each.instance == instance)
    task = reference_task(domain, reference)
    macros = tuple(_known_macro(task, block) for block in reference.ways[0].blocks)
    used = [name for each in references if each.role == "example" for name in _objects_in(each.ways[0].plan)]
    besides = tuple(name for name in dict.fromkeys(used) if name in task.objects)
    return KnownTask(task.problem.goal, macros, tuple(task.objects.values()), besides)


def _known_macro(task: Task, block: ReferenceBlock) -> KnownMacro:
    objects = " ".join(f"{item.name} - (either {' '.join(item.types)})" for item in task.problem.objects)
    start = f"(define (problem known) (:domain {task.domain.name}) (:objects {objects}) (:init)"
    goal = parse_problem(f"{start} (:goal {block.goal}))", task.domain, "<a sub-goal>").goal
    return KnownMacro(block.macro, goal, tuple(dict.fromkeys((*_objects_in(block.actions), *terms_of(goal)))))


def _objects_in(actions: Sequence[str]) -> list[str]:
    return [name for action in actions for name in GroundAction.parse(action).args]


# ── answers ──────────────────────────────────────────────────────────────────────────────────────


def oracle(domain: Domain, wording: Wording, mistake: str | None) -> HierarchicalOracle:
    """The oracle for a domain, which knows what the texts of its shipped tasks mean."""
    return HierarchicalOracle(domain, wording, cast("Mistake | None", mistake))


class HierarchicalOracle:
    """Answers HVR's prompts.

    Args:
        domain: the domain of all tasks.
        wording: the wording of the prompts.
        mistake: the mistake that it makes, if any.
    """

    def __init__(self, domain: Domain, wording: Wording, mistake: Mistake | None = None):
        self._domain = domain
        self._wording = wording
        self._mistake = mistake
        self._reader = PromptReader(domain, wording)

    def reply(self, messages: Sequence[Message]) -> str | None:
        """The answer to a prompt; None if it is not one of HVR's.

        Raises:
            ToldTaskError: the prompt cannot be read, or there is no plan.
            InfrastructureError: the planner failed or reached a limit.
        """
        stage = LAYOUT.stage_of(messages)
        if stage is None:
            return None
        seen = self._reader.read(messages[-1].content)
        known = known_task(" ".join(seen.section("Task").split()), self._domain)
        if known is not None:
            known = under_told_names(known, self._domain, self._wording, seen.objects)
            try:
                return self._answer(stage, _relevant(seen, known), known)
            except ToldTaskError:
                # Other objects may matter if the world differs.
                pass
        return self._answer(stage, seen, known)

    def _answer(self, stage: str, seen: PromptContent, known: KnownTask | None) -> str:
        answer = _Answer(seen, known, self._domain, self._wording, self._mistake)
        answers: Mapping[str, Callable[[], str]] = {
            "retrieval": answer.retrieval,
            "macro-plan": answer.macro_plan,
            "conditions-refinement": answer.refinement,
            "conditions": answer.conditions,
            "block": answer.block,
            "plan": answer.plan,
        }
        return (answers.get(stage) or answers[stage.removesuffix("-correction")])()


def _relevant(seen: PromptContent, known: KnownTask) -> PromptContent:
    """What the prompt tells about the objects that matter and those related to them."""
    kept = dict.fromkeys(name for name in known.needs if name in seen.objects)
    kept |= dict.fromkeys(name for atom in seen.atoms if any(one in kept for one in atom[1:]) for name in atom[1:])
    types = {item.name: item for item in known.objects}
    objects = {name: types.get(name, item) for name, item in seen.objects.items() if name in kept}
    atoms = tuple(atom for atom in seen.atoms if all(name in objects for name in atom[1:]))
    return replace(seen, objects=objects, atoms=atoms)


@dataclass
class _Answer:
    """The answers to one prompt: what it tells, and the meaning of its task if known."""

    seen: PromptContent
    known: KnownTask | None
    domain: Domain
    wording: Wording
    mistake: Mistake | None

    @cached_property
    def _world(self) -> PromptWorld:
        return PromptWorld(self.domain, self.wording, self.seen)

    @cached_property
    def _goal(self) -> Condition:
        objects = self._world.task.objects
        if self.known is not None:
            return among(self.known.goal, objects)
        try:
            return read_goal(self.seen.section("Task"), self.domain, self.wording, objects).condition
        except NLReadError as error:
            raise ToldTaskError(f"I do not understand the task ({str(error).splitlines()[0]})") from error

    def retrieval(self) -> str:
        """The objects that matter."""
        seen, known = self.seen, self.known
        named = seen.listed if known is None else dict.fromkeys((*known.needs, *known.besides))
        return "\n".join(name for name in named if name in seen.listed)

    def macro_plan(self) -> str:
        """The macro-actions that are left."""
        words = [_WHOLE] if self.known is None else [macro.words for macro in self.known.macros]
        feedback = self.seen.section("Feedback")
        done = [line[:-1] for line in self.seen.section("Executed so far").split("\n") if line.endswith(":")]
        last = max((words.index(each) for each in done if each in words), default=-1)
        if feedback and self.known is not None and last >= 0:
            # If the world differed, the last macro-action may be half done.
            words = words[last + (IMPOSSIBLE in feedback) :]
        if self.mistake == "impossible-macro" and IMPOSSIBLE not in feedback:
            words.insert(len(words) - 1, IMPOSSIBLE)
        return numbered(words)

    def conditions(self) -> str:
        """The conditions of all macro-actions, by executing each in the state that those before it lead to."""
        world, state = self._world, self._world.initial
        conditions: list[Conditions] = []
        for words in item_lines(self.seen.section("Macro plan")):
            if words == IMPOSSIBLE:
                some = next(iter(sorted(state.atoms)), None)
                conditions.append(Conditions(And(), And() if some is None else Atom(some[0], tuple(some[1:]))))
                continue
            block = self._block(state, self._macro(words))
            conditions.append(world.conditions(state, block, careful=False))
            state = world.simulator.follow(state, block).state
        if self.mistake == "wrong-precondition" and conditions:
            wrong, literal = wrong_precondition(conditions[-1])
            if literal is not None and write_condition(literal) not in self.seen.section("Feedback"):
                conditions[-1] = wrong
        return numbered(map(_pddl, conditions))

    def refinement(self) -> str:
        """The present conditions, except for the macro-action whose block the prompt shows."""
        world, section = self._world, self.seen.section
        _, *parts = re.split(r"^\s*(\d+)\.\s+", section("Conditions"), flags=re.M)
        texts = {int(number): text.strip() for number, text in zip(parts[::2], parts[1::2], strict=True)}
        block = self._actions_in("Block")
        match = re.match(r"\s*(\d+)\.", section("Macro-action"))
        number = 1 if match is None else int(match[1])
        if number in texts and world.simulator.follow(world.initial, block).complete:
            texts[number] = _pddl(world.conditions(world.initial, block, careful=True))
        return "\n".join(f"{number}. {text}" for number, text in texts.items())

    def block(self) -> str:
        """The actions of a macro-action."""
        words = re.sub(r"^\s*\d+\.\s*", "", self.seen.section("Macro-action").strip())
        if words == IMPOSSIBLE:
            return self._told(impossible_block(self._world))
        macro = self._macro(words)
        return self._told(self._with_mistake(self._block(self._world.initial, macro), macro.goal, "Block"))

    def plan(self) -> str:
        """The actions of the whole task: one macro-action after the other."""
        world, state = self._world, self._world.initial
        macros = () if self.known is None else self.known.macros
        plan: list[GroundAction] = []
        if unmet(self._goal, state):
            for macro in macros:
                block = self._block(state, macro)
                state = world.simulator.follow(state, block).state
                plan += block
        # Nothing is added if the macro-actions reach the goal.
        plan += world.plan(state, self._goal, shortest=bool(macros))
        if self.mistake == "impossible-macro":
            return self._told(plan)
        return self._told(self._with_mistake(plan, self._goal, "Plan"))

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def _macro(self, words: str) -> KnownMacro:
        """The meaning of a macro-action in words."""
        if self.known is None or words == _WHOLE:
            return KnownMacro(words, self._goal)
        for macro in self.known.macros:
            if macro.words.casefold() == words.casefold():
                return macro
        raise ToldTaskError(f"I do not know what '{words}' is for")

    def _block(self, state: State, macro: KnownMacro) -> tuple[GroundAction, ...]:
        return self._world.plan(state, macro.goal, shortest=self.known is not None, about=macro.needs)

    def _with_mistake(self, right: Sequence[GroundAction], goal: Condition, section: str) -> Sequence[GroundAction]:
        """The actions with the mistake, or without it once a prompt tells the condition that the last answer violated.

        ``section`` holds that answer in a correction.
        """
        if self.mistake is None:
            return right
        world = self._world
        first = not self.seen.section("Executed so far")
        wrong = mistaken_block(self.mistake, world, right, goal, first=first)
        if wrong is None:
            return right
        if self.seen.section(section):
            tried = world.simulator.follow(world.initial, self._actions_in(section))
            failing = tried.unmet or unmet(goal, tried.state)
            if any(write_condition(condition) in self.seen.section("Feedback") for condition in failing):
                return right
        return wrong

    def _actions_in(self, section: str) -> tuple[GroundAction, ...]:
        readings = map(self._world.reader.read_turn, item_lines(self.seen.section(section)))
        return tuple(reading.action for reading in readings if reading.action is not None)

    def _told(self, actions: Sequence[GroundAction]) -> str:
        told = [self._world.teller.action(action) for action in actions]
        return actions_reply([f"Step {number}: I {text}." for number, text in enumerate(told, 1)], told)


def _pddl(conditions: Conditions) -> str:
    return f"precondition: {write_condition(conditions.precondition)}\neffect: {write_condition(conditions.effect)}"
