"""The oracle's answers to HVR's prompts, every stage from the prompt alone.

The stage is in the first line of the system message (`pddl2nl.policies.staged`). Objects and facts are read back from
the question: a line of ``Objects`` names an object with its class and facts about it. A fact can also name an object
without a line of its own, one that was not retrieved; its type follows from its name or from the predicate. Fast
Downward then plans on what was read, one shortest plan per macro-action. The oracle cannot use what a prompt lacks.

Tasks in free language cannot be read back. For those of the shipped domains the oracle is given their meaning
(`KnownTask`): the goal, the macro-actions with their sub-goals, and the objects that matter. It is given no actions and
no states. For other tasks it reads the goal from the prompt.

On request it makes one mistake (`pddl2nl.policies.hvr.mistakes`), until the prompt contains the violated condition.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import cast

from pddl2nl.baselines.told_task import ToldTaskError
from pddl2nl.llm import Message
from pddl2nl.macros.macro import Conditions
from pddl2nl.nl import NLReadError, Wording, make_names
from pddl2nl.nl.names import SCHEMES
from pddl2nl.nl.reading.read_facts import FactReader
from pddl2nl.nl.reading.read_state import read_goal
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Domain,
    GroundAtom,
    Not,
    Or,
    Problem,
    Task,
    TypedName,
    changed_predicates,
    is_variable,
    parse_problem,
    substitute,
    supertypes,
    write_condition,
)
from pddl2nl.policies.hvr.mistakes import IMPOSSIBLE, Mistake, impossible_block, mistaken_block, wrong_precondition
from pddl2nl.policies.hvr.oracle_world import PromptWorld, terms_of
from pddl2nl.policies.hvr.prompts import LAYOUT, actions_reply
from pddl2nl.policies.staged import numbered
from pddl2nl.tasks.references import Block, reference_task, references_of, told_references
from pddlval import GroundAction, State
from pddlval.semantics import unmet

__all__ = ["HierarchicalOracle", "known_task", "oracle"]


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
    names = max(
        (make_names(task, scheme, wording).to_nl for scheme in SCHEMES),
        key=lambda to_nl: sum(name in told for name in to_nl.values()),
    )

    def all_of(objects: Iterable[str]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in objects)

    return replace(
        known,
        goal=substitute(known.goal, names),
        macros=tuple(
            KnownMacro(macro.words, substitute(macro.goal, names), all_of(macro.needs)) for macro in known.macros
        ),
        objects=tuple(replace(item, name=names.get(item.name, item.name)) for item in known.objects),
        besides=all_of(known.besides),
    )


def known_task(text: str, domain: Domain) -> KnownTask | None:
    """The meaning of the text of a shipped domain's task, the first of its ways; None for other texts."""
    found = told_references(text, domain) if text else ()
    return _of_reference(domain, found[0].instance) if found else None


@lru_cache(maxsize=64)
def _of_reference(domain: Domain, instance: str) -> KnownTask:
    reference = next(each for each in references_of(domain) if each.instance == instance)
    task = reference_task(domain, reference)
    macros = tuple(_macro(task, block) for block in reference.ways[0].blocks)
    examples = [each for each in references_of(domain) if each.role == "example"]
    used = [name for each in examples for action in each.ways[0].plan for name in GroundAction.parse(action).args]
    besides = tuple(name for name in dict.fromkeys(used) if name in task.objects)
    return KnownTask(task.problem.goal, macros, tuple(task.objects.values()), besides)


def _macro(task: Task, block: Block) -> KnownMacro:
    goal = _condition(task, block.goal)
    named = [name for action in block.actions for name in GroundAction.parse(action).args]
    return KnownMacro(block.macro, goal, tuple(dict.fromkeys((*named, *terms_of(goal)))))


def _condition(task: Task, text: str) -> Condition:
    """Parses a condition over the objects of a task."""
    objects = " ".join(f"{item.name} - (either {' '.join(item.types)})" for item in task.problem.objects)
    name = task.domain.name
    problem = f"(define (problem known) (:domain {name}) (:objects {objects}) (:init) (:goal {text}))"
    return parse_problem(problem, task.domain, "<a sub-goal>").goal


_OBJECT = re.compile(r"(\S+)(?: \(([^()]*)\))?(?:: (.*))?")
_WORD = re.compile(r"[\w-]+")
_NUMBER_BEHIND = re.compile(r"[-_]?\d+$")
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+(.*\S)\s*")


@dataclass(frozen=True)
class Seen:
    """What a prompt tells about the world.

    Attributes:
        objects: by their names in the prompt, with their types; those that only a fact names come last.
        listed: the names of those that have a line of their own.
        atoms: the facts.
        values: the values of numeric fluents.
        sections: the prompt's sections.
    """

    objects: Mapping[str, TypedName]
    listed: tuple[str, ...]
    atoms: tuple[GroundAtom, ...] = ()
    values: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    def section(self, name: str) -> str:
        """The text of a section; empty if the prompt does not have it."""
        return self.sections.get(name, "")


@dataclass(frozen=True)
class _Line:
    """A line of a list of objects; ``kind`` is empty for ``robot``."""

    name: str
    kind: str
    properties: Sequence[str]
    facts: Sequence[str]


def item_lines(text: str) -> list[str]:
    """The items of a list, without dashes or numbers."""
    return [match[1] for line in text.split("\n") if (match := _ITEM.fullmatch(line)) is not None]


class PromptReader:
    """Reads prompts about tasks of one domain in one wording."""

    def __init__(self, domain: Domain, wording: Wording):
        self._domain = domain
        self._facts = FactReader(domain, wording)
        above = supertypes(domain)
        self._types = {_folded(name): name for name in (*above, "object")}
        self._general = sorted(above, key=lambda name: (len(above.get(name, ())), name))
        self._constants = {item.name: item for item in domain.constants}
        changed = changed_predicates(domain)
        self._lasting = {
            _folded(item.name): item.name
            for item in domain.predicates
            if len(item.parameters) == 1 and item.name not in changed
        }

    def read(self, question: str) -> Seen:
        """What the last message of a prompt tells.

        Raises:
            ToldTaskError: no objects, or a fact that cannot be read.
        """
        sections = LAYOUT.read(question)
        lines = [*self._lines(sections.get("Available objects", "")), *self._lines(sections.get("Objects", ""))]
        objects = {line.name: TypedName(line.name, (line.kind,)) for line in lines if line.kind}
        told = [sentence for line in lines for sentence in line.facts]
        scope = {**self._constants, **objects}
        for name in self._named_besides(told, scope):
            scope[name] = TypedName(name, (self._type_in(name),))
        atoms = {
            GroundAtom((self._lasting[_folded(word)], line.name)): None
            for line in lines
            for word in line.properties
            if _folded(word) in self._lasting
        }
        values: dict[GroundAtom, Fraction] = {}
        for sentence in told:
            self._take(sentence, scope, atoms, values)
        used = {name for atom in (*atoms, *values) for name in atom[1:]}
        known = {name: item for name, item in scope.items() if name in objects or name in used}
        return Seen(
            {name: item for name, item in known.items() if name not in self._constants},
            tuple(objects),
            tuple(atoms),
            values,
            sections,
        )

    def _lines(self, text: str) -> Iterator[_Line]:
        for item in item_lines(text):
            match = _OBJECT.fullmatch(item)
            if match is None:
                continue
            kind, _, properties = (match[2] or "").partition(";")
            yield _Line(
                match[1],
                self._types.get(_folded(kind), "object") if kind else "",
                properties.split(","),
                (match[3] or "").split("; "),
            )

    def _named_besides(self, sentences: Iterable[str], scope: Mapping[str, TypedName]) -> list[str]:
        """Words in facts that are not listed objects but contain a type name."""
        words = dict.fromkeys(word for sentence in sentences for word in _WORD.findall(sentence))
        return [word for word in words if word not in scope and self._type_in(word)]

    def _type_in(self, name: str) -> str:
        stem = _NUMBER_BEHIND.sub("", name)
        return self._types.get(_folded(stem), "") if stem != name else ""

    def _take(
        self,
        sentence: str,
        scope: dict[str, TypedName],
        atoms: dict[GroundAtom, None],
        values: dict[GroundAtom, Fraction],
    ) -> None:
        """Adds what a sentence says; objects that it names are added to the scope."""
        sentence = sentence.strip()
        if not sentence:
            return
        literals = self._facts.facts(sentence, scope)
        if len(literals) == 1:
            if isinstance(literals[0], Atom):
                atoms[GroundAtom((literals[0].predicate, *literals[0].args))] = None
            return
        numeric = self._facts.value(sentence, scope) if sentence[-1].isdigit() else []
        if len(numeric) == 1:
            fluent, value = numeric[0]
            values[GroundAtom((fluent.name, *fluent.args))] = value
            return
        if literals or numeric:
            raise ToldTaskError(f"'{sentence}' can be read in two ways")
        for word in dict.fromkeys(_WORD.findall(sentence)):
            for kind in () if word in scope else self._general:
                item = TypedName(word, (kind,))
                found = self._facts.facts(sentence, {**scope, word: item})
                if len(found) == 1 and isinstance(found[0], Atom):
                    scope[word] = item
                    atoms[GroundAtom((found[0].predicate, *found[0].args))] = None
                    return
        raise ToldTaskError(f"'{sentence}' is no sentence of the wording")


def _folded(name: str) -> str:
    """A type's name for comparison: ``stove-burner`` and ``StoveBurner`` are equal."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


_WHOLE = "Do all that is wanted"
"""The one macro-action of a task of which only the goal is known."""


@dataclass
class _Case:
    """The subject of a prompt: what it tells, the meaning of its text if known, and the domain with its wording."""

    seen: Seen
    known: KnownTask | None
    domain: Domain
    wording: Wording

    @cached_property
    def world(self) -> PromptWorld:
        """The world as the prompt tells it."""
        seen = self.seen
        objects = list(seen.objects.values())
        return PromptWorld(self.domain, self.wording, objects, seen.atoms, seen.values)

    @cached_property
    def goal(self) -> Condition:
        """The goal; raises `ToldTaskError` if it cannot be read."""
        objects = self.world.task.objects
        if self.known is not None:
            return _among(self.known.goal, objects)
        try:
            return read_goal(self.seen.section("Task"), self.domain, self.wording, objects).condition
        except NLReadError as error:
            raise ToldTaskError(f"I do not understand the task ({str(error).splitlines()[0]})") from error

    def macro(self, words: str) -> KnownMacro:
        """The meaning of a macro-action in words.

        Raises:
            ToldTaskError: it is not one of this task's.
        """
        if self.known is None or words == _WHOLE:
            return KnownMacro(words, self.goal)
        for macro in self.known.macros:
            if macro.words.casefold() == words.casefold():
                return macro
        raise ToldTaskError(f"I do not know what '{words}' is for")

    def block(self, state: State, macro: KnownMacro) -> tuple[GroundAction, ...]:
        """The actions that carry out a macro-action; raises as `PromptWorld.plan`."""
        return self.world.plan(state, macro.goal, shortest=self.known is not None, about=macro.needs)


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

    def _answer(self, stage: str, seen: Seen, known: KnownTask | None) -> str:
        case = _Case(seen, known, self._domain, self._wording)
        if stage == "retrieval":
            return self._retrieval(case)
        if stage == "macro-plan":
            return self._macro_plan(case)
        if stage.startswith("conditions"):
            return self._conditions(case, stage)
        return self._block(case, stage) if stage.startswith("block") else self._plan(case, stage)

    # ── objects and macro-actions ────────────────────────────────────────────────────────────────

    def _retrieval(self, case: _Case) -> str:
        seen, known = case.seen, case.known
        named = seen.listed if known is None else dict.fromkeys((*known.needs, *known.besides))
        return "\n".join(name for name in named if name in seen.listed)

    def _macro_plan(self, case: _Case) -> str:
        seen, known = case.seen, case.known
        words = [_WHOLE] if known is None else [macro.words for macro in known.macros]
        feedback = seen.section("Feedback")
        done = [line[:-1] for line in seen.section("Executed so far").split("\n") if line.endswith(":")]
        last = max((words.index(each) for each in done if each in words), default=-1)
        if feedback and known is not None and last >= 0:
            # If the world differed, the last macro-action may be half done.
            words = words[last + (IMPOSSIBLE in feedback) :]
        if self._mistake == "impossible-macro" and IMPOSSIBLE not in feedback:
            words.insert(len(words) - 1, IMPOSSIBLE)
        return numbered(words)

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def _conditions(self, case: _Case, stage: str) -> str:
        names = item_lines(case.seen.section("Macro plan"))
        found = self._refined(case, names) if stage == "conditions-refinement" else self._all_conditions(case, names)
        return numbered(found)

    def _all_conditions(self, case: _Case, names: Sequence[str]) -> list[str]:
        found: list[str] = []
        state = case.world.initial
        for number, words in enumerate(names, 1):
            if words == IMPOSSIBLE:
                some = next(iter(sorted(state.atoms)), None)
                effect = And() if some is None else Atom(some[0], tuple(some[1:]))
                found.append(_pddl(Conditions(And(), effect)))
                continue
            block = case.block(state, case.macro(words))
            conditions = case.world.conditions(state, block, careful=False)
            found.append(self._as_said(conditions, case.seen, last=number == len(names)))
            state = case.world.run(state, block).state
        return found

    def _refined(self, case: _Case, names: Sequence[str]) -> list[str]:
        """The present conditions, except for the macro-action whose block the prompt shows."""
        seen, world = case.seen, case.world
        # The present conditions, macro-action by macro-action.
        found = [part.strip() for part in re.split(r"^\s*\d+\.\s+", seen.section("Conditions"), flags=re.M)[1:]]
        block = _read_actions(world, seen.section("Block"))
        match = re.match(r"\s*(\d+)\.", seen.section("Macro-action"))
        number = 1 if match is None else int(match[1])
        if number <= len(found) == len(names) and world.run(world.initial, block).whole:
            found[number - 1] = _pddl(world.conditions(world.initial, block, careful=True))
        return found

    def _as_said(self, conditions: Conditions, seen: Seen, *, last: bool) -> str:
        if self._mistake == "wrong-precondition" and last:
            wrong, literal = wrong_precondition(conditions)
            if literal is not None and write_condition(literal) not in seen.section("Feedback"):
                return _pddl(wrong)
        return _pddl(conditions)

    # ── actions ──────────────────────────────────────────────────────────────────────────────────

    def _block(self, case: _Case, stage: str) -> str:
        seen = case.seen
        words = re.sub(r"^\s*\d+\.\s*", "", seen.section("Macro-action").strip())
        world = case.world
        if words == IMPOSSIBLE:
            return _actions(case, impossible_block(world))
        macro = case.macro(words)
        right = case.block(world.initial, macro)
        return _actions(case, self._with_mistake(case, right, macro.goal, stage, seen.section("Block")))

    def _plan(self, case: _Case, stage: str) -> str:
        right = self._whole(case)
        if self._mistake == "impossible-macro":
            return _actions(case, right)
        return _actions(case, self._with_mistake(case, right, case.goal, stage, case.seen.section("Plan")))

    def _whole(self, case: _Case) -> tuple[GroundAction, ...]:
        """A plan for the whole task: one macro-action after the other."""
        world, state = case.world, case.world.initial
        macros = () if case.known is None else case.known.macros
        plan: list[GroundAction] = []
        if unmet(case.goal, state):
            for macro in macros:
                block = case.block(state, macro)
                state = world.run(state, block).state
                plan += block
        # Empty if the macro-actions reach the goal.
        return (*plan, *world.plan(state, case.goal, shortest=bool(macros)))

    def _with_mistake(
        self, case: _Case, right: Sequence[GroundAction], goal: Condition, stage: str, before: str
    ) -> Sequence[GroundAction]:
        """The actions with the mistake, or without it once a prompt tells the violated condition."""
        if self._mistake is None:
            return right
        first = not case.seen.section("Executed so far")
        wrong = mistaken_block(self._mistake, case.world, right, goal, first=first)
        if wrong is None:
            return right
        if stage.endswith("-correction") and before:
            tried = case.world.run(case.world.initial, _read_actions(case.world, before))
            failing = tried.unmet or unmet(goal, tried.state)
            if any(write_condition(condition) in case.seen.section("Feedback") for condition in failing):
                return right
        return wrong


def _among(condition: Condition, objects: Collection[str]) -> Condition:
    """A condition restricted to some objects: atoms about others count as false.

    If a goal can be reached in several ways, a prompt need not tell what the others would need.
    """
    match condition:
        case Atom(args=args):
            return condition if all(is_variable(term) or term in objects for term in args) else Or(())
        case And(parts=parts) | Or(parts=parts):
            return replace(condition, parts=tuple(_among(part, objects) for part in parts))
        case Not(body=body):
            about = _among(body, objects)
            return And() if about == Or(()) else Not(about)
    return condition


def _read_actions(world: PromptWorld, text: str) -> tuple[GroundAction, ...]:
    """The actions of a numbered list."""
    readings = map(world.reader.read_turn, item_lines(text))
    return tuple(reading.action for reading in readings if reading.action is not None)


def _relevant(seen: Seen, known: KnownTask) -> Seen:
    """What the prompt tells about the objects that matter and those related to them."""
    kept = dict.fromkeys(name for name in known.needs if name in seen.objects)
    related = [name for atom in seen.atoms if any(one in kept for one in atom[1:]) for name in atom[1:]]
    kept |= dict.fromkeys(related)
    types = {item.name: item for item in known.objects}
    objects = {name: types.get(name, item) for name, item in seen.objects.items() if name in kept}
    atoms = tuple(atom for atom in seen.atoms if all(name in objects for name in atom[1:]))
    return replace(seen, objects=objects, atoms=atoms)


def _actions(case: _Case, actions: Sequence[GroundAction]) -> str:
    told = [case.world.teller.action(action) for action in actions]
    return actions_reply([f"Step {number}: I {text}." for number, text in enumerate(told, 1)], told)


def _pddl(conditions: Conditions) -> str:
    return f"precondition: {write_condition(conditions.precondition)}\neffect: {write_condition(conditions.effect)}"
