"""The oracle's answers to hierarchical planning (HVR): every stage, from the prompt alone.

What is asked is in the first line of the system message (`pddl2nl.macros.prompting`). Objects and facts are read back
out of the question, the goal is the told one or what the task's text is known to stand for (`oracle_knowledge`),
and Fast Downward plans on *that*, macro-action by macro-action, each by a shortest plan. What is missing in a prompt
shows: who was not told of an egg cannot crack it.

On purpose it can make one of the mistakes that HVR is there to find and to mend (`hvr_mistakes`): wherever the prompt
says nothing of it yet, and no more once the violated condition stands in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pddl2nl.baselines.told_task import ToldTaskError
from pddl2nl.llm import Message
from pddl2nl.macros.macro import Conditions
from pddl2nl.macros.prompting import numbered, stage_of
from pddl2nl.nl import NLReadError, Wording
from pddl2nl.nl.reading.read_state import read_goal
from pddl2nl.pddl import And, Atom, Condition, Domain, Not, Or, is_variable, write_condition
from pddl2nl.policies.hvr.mistakes import IMPOSSIBLE, Mistake, impossible_block, mistaken_block, wrong_precondition
from pddl2nl.policies.hvr.oracle_knowledge import Knowledge, KnownMacro, KnownTask, under_told_names
from pddl2nl.policies.hvr.oracle_reading import PromptReader, Seen, item_lines
from pddl2nl.policies.hvr.oracle_world import PromptWorld
from pddlval import GroundAction, State

__all__ = ["HierarchicalOracle"]

_WHOLE = "Do all that is wanted"
"""The one macro-action of a task of which nothing is known but its goal."""


@dataclass
class _Case:
    """What a prompt is about: what it tells, what its text is known to stand for, and the domain with its wording."""

    seen: Seen
    known: KnownTask | None
    domain: Domain
    wording: Wording
    time_limit: int | None

    @cached_property
    def world(self) -> PromptWorld:
        """The world as the prompt tells it."""
        seen = self.seen
        objects = list(seen.objects.values())
        return PromptWorld(self.domain, self.wording, objects, seen.atoms, seen.values, self.time_limit)

    @cached_property
    def goal(self) -> Condition:
        """What is wanted; raises `ToldTaskError` where that cannot be read."""
        objects = self.world.task.objects
        if self.known is not None:
            return _among(self.known.goal, objects)
        try:
            return read_goal(self.seen.section("Task"), self.domain, self.wording, objects).condition
        except NLReadError as error:
            raise ToldTaskError(f"I do not understand the task ({str(error).splitlines()[0]})") from error

    def macro(self, words: str) -> KnownMacro:
        """What a macro-action of these words is for.

        Raises:
            ToldTaskError: it is none of those of this task.
        """
        if self.known is None or words == _WHOLE:
            return KnownMacro(words, self.goal)
        for macro in self.known.macros:
            if macro.words.casefold() == words.casefold():
                return macro
        raise ToldTaskError(f"I do not know what '{words}' is for")

    def block(self, state: State, macro: KnownMacro) -> tuple[GroundAction, ...]:
        """The actions by which a macro-action is done; raises as `PromptWorld.plan`."""
        return self.world.plan(state, macro.goal, shortest=self.known is not None, about=macro.needs)


class HierarchicalOracle:
    """Answers the prompts of hierarchical policies.

    Args:
        domain: the domain of all tasks it will be asked about.
        wording: how this domain is told.
        knowledge: what tasks in words stand for.
        mistake: the mistake it makes; None for none.
        time_limit: seconds for each search of the planner; None for no limit.
    """

    def __init__(
        self,
        domain: Domain,
        wording: Wording,
        knowledge: Knowledge = lambda text: None,
        *,
        mistake: Mistake | None = None,
        time_limit: int | None = None,
    ):
        self._domain = domain
        self._wording = wording
        self._knowledge = knowledge
        self._mistake = mistake
        self._time_limit = time_limit
        self._reader = PromptReader(domain, wording)
        self._stages = {
            "retrieval": self._retrieval,
            "macro-plan": self._macro_plan,
            "conditions": self._conditions,
            "conditions-correction": self._conditions,
            "conditions-refinement": self._conditions,
            "block": self._block,
            "block-correction": self._block,
            "plan": self._plan,
            "plan-correction": self._plan,
        }

    def reply(self, messages: Sequence[Message]) -> str | None:
        """The answer to a prompt; None where it is none of hierarchical planning.

        Raises:
            ToldTaskError: what was told cannot be read, or there is no plan by it.
            InfrastructureError: the planner failed or ran into a limit, which says nothing about the prompt.
        """
        stage = stage_of(messages)
        if stage is None:
            return None
        seen = self._reader.read(messages[-1].content)
        known = self._known(seen)
        if known is None:
            return self._stages[stage](self._case(seen, None), stage)
        try:
            return self._stages[stage](self._case(_relevant(seen, known), known), stage)
        except ToldTaskError:
            # More may matter than what is known to, where the world is other than expected.
            return self._stages[stage](self._case(seen, known), stage)

    # ── objects and macro-actions ────────────────────────────────────────────────────────────────

    def _retrieval(self, case: _Case, stage: str) -> str:
        seen, known = case.seen, case.known
        named = seen.listed if known is None else dict.fromkeys((*known.needs, *known.besides))
        return "\n".join(name for name in named if name in seen.listed)

    def _macro_plan(self, case: _Case, stage: str) -> str:
        seen, known = case.seen, case.known
        words = [_WHOLE] if known is None else [macro.words for macro in known.macros]
        feedback = seen.section("Feedback")
        done = [line[:-1] for line in seen.section("Executed so far").split("\n") if line.endswith(":")]
        last = max((words.index(each) for each in done if each in words), default=-1)
        if feedback and known is not None and last >= 0:
            # Where the world turned out different, what was at work last may be half done.
            words = words[last + (IMPOSSIBLE in feedback) :]
        if self._mistake == "impossible-macro" and IMPOSSIBLE not in feedback:
            words.insert(len(words) - 1, IMPOSSIBLE)
        return numbered(words)

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def _conditions(self, case: _Case, stage: str) -> str:
        names = item_lines(case.seen.section("Macro plan"))
        found = self._refined(case, names) if stage == "conditions-refinement" else self._all_conditions(case, names)
        return "\n".join(f"{number}. {text}" for number, text in enumerate(found, 1))

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
        """The conditions as they stand, but for those of the macro-action whose block the prompt shows."""
        seen, world = case.seen, case.world
        found = self._present(seen)
        block = _read_actions(world, seen.section("Block"))
        number = _number(seen.section("Macro-action"))
        if number <= len(found) == len(names) and world.run(world.initial, block).whole:
            found[number - 1] = _pddl(world.conditions(world.initial, block, careful=True))
        return found

    def _as_said(self, conditions: Conditions, seen: Seen, *, last: bool) -> str:
        if self._mistake == "wrong-precondition" and last:
            wrong, literal = wrong_precondition(conditions)
            if literal is not None and write_condition(literal) not in seen.section("Feedback"):
                return _pddl(wrong)
        return _pddl(conditions)

    @staticmethod
    def _present(seen: Seen) -> list[str]:
        """The conditions as they stand in the prompt, macro-action by macro-action."""
        parts = re.split(r"^\s*\d+\.\s+", seen.section("Conditions"), flags=re.MULTILINE)
        return [part.strip() for part in parts[1:]]

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
        """A plan for the whole task: that of one macro-action after the other."""
        world, state = case.world, case.world.initial
        macros = () if case.known is None else case.known.macros
        plan: list[GroundAction] = []
        if world.unmet(state, case.goal):
            for macro in macros:
                block = case.block(state, macro)
                state = world.run(state, block).state
                plan += block
        # Nothing is left to be done where the macro-actions reach the goal.
        return (*plan, *world.plan(state, case.goal, shortest=bool(macros)))

    def _with_mistake(
        self, case: _Case, right: Sequence[GroundAction], goal: Condition, stage: str, before: str
    ) -> Sequence[GroundAction]:
        """The actions as they are said: with the mistake, until a prompt tells the condition that it violates."""
        if self._mistake is None:
            return right
        first = not case.seen.section("Executed so far")
        wrong = mistaken_block(self._mistake, case.world, right, goal, first=first)
        if wrong is None:
            return right
        if stage.endswith("-correction") and before:
            tried = case.world.run(case.world.initial, _read_actions(case.world, before))
            unmet = tried.unmet or case.world.unmet(tried.state, goal)
            if _tells(case, unmet):
                return right
        return wrong

    # ── the prompt ───────────────────────────────────────────────────────────────────────────────

    def _known(self, seen: Seen) -> KnownTask | None:
        known = self._knowledge(" ".join(seen.section("Task").split()))
        return None if known is None else under_told_names(known, self._domain, self._wording, seen.objects)

    def _case(self, seen: Seen, known: KnownTask | None) -> _Case:
        return _Case(seen, known, self._domain, self._wording, self._time_limit)


def _among(condition: Condition, objects: Collection[str]) -> Condition:
    """A condition as far as it is about these objects: what it says of others is taken as false.

    Of a goal that can be reached in several ways a prompt need not tell what the others would need.
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
    """What the prompt tells of the objects that matter, and of those that they are in, on, or otherwise related to."""
    kept = dict.fromkeys(name for name in known.needs if name in seen.objects)
    related = [name for atom in seen.atoms if any(one in kept for one in atom[1:]) for name in atom[1:]]
    kept |= dict.fromkeys(related)
    types = {item.name: item for item in known.objects}
    objects = {name: types.get(name, item) for name, item in seen.objects.items() if name in kept}
    atoms = tuple(atom for atom in seen.atoms if all(name in objects for name in atom[1:]))
    return replace(seen, objects=objects, atoms=atoms)


def _actions(case: _Case, actions: Sequence[GroundAction]) -> str:
    told = [case.world.teller.action(action) for action in actions]
    steps = [f"Step {number}: I {text}." for number, text in enumerate(told, 1)]
    return "\n".join([*steps, "Actions:", *told])


def _tells(case: _Case, unmet: Sequence[Condition]) -> bool:
    """Whether the feedback names one of the conditions that a validator finds violated."""
    feedback = case.seen.section("Feedback")
    return any(write_condition(condition) in feedback for condition in unmet)


def _number(text: str) -> int:
    match = re.match(r"\s*(\d+)\.", text)
    return 1 if match is None else int(match[1])


def _pddl(conditions: Conditions) -> str:
    return f"precondition: {write_condition(conditions.precondition)}\neffect: {write_condition(conditions.effect)}"
