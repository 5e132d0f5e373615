"""The low level: carries out subtasks in the world, searching for things that were not seen yet.

Targets are classes or objects. Of several objects of a class those that were not handled are taken, and of receptacles
the one that was used, so that three apples are three different ones, and a pair ends in one place (paper, section 3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pddl2nl.macros.subtasks.carrying import CarriedOut, initial_needs, ways_to_carry_out
from pddl2nl.macros.subtasks.nodes import Subtask, Subtasks
from pddl2nl.pddl import GroundAtom
from pddl2nl.policies.episode import Episode
from pddl2nl.systems.taskgraph.events import SubtaskDone
from pddl2nl.systems.taskgraph.prompts import subtask_text
from pddl2nl.systems.taskgraph.replies import PlannedSubtask
from pddl2nl.worlds.sight import PlaceMemory
from pddl2nl.worlds.triples import triple_of
from pddlval import GroundAction, Simulator, State

MOST_TOLD = 500
"""The most triples that a prompt tells; those of the shipped tasks are fewer than 100."""


@dataclass
class Handled:
    """The objects that were targets: first ones were put somewhere, second ones are where."""

    things: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)

    def note(self, node: Subtask, done: CarriedOut) -> None:
        """Remembers what a subtask with two targets has put where."""
        if len(node.targets) == 2 and all(target.type in ("object", "thing") for target in node.targets):
            first, second = (done.objects[target.variable] for target in node.targets)
            self.things.add(first)
            self.places.add(second)

    def sorted(self, names: Sequence[str]) -> list[str]:
        """Objects of a class, the best first."""
        return sorted(names, key=lambda name: (name not in self.places, name in self.things))


def _candidates(simulator: Simulator, subtasks: Subtasks, targets: Sequence[str], handled: Handled) -> list[list[str]]:
    """The objects for each target, the best first."""
    task = simulator.task
    named = []
    for name in targets:
        kind = subtasks.classes.get(name)
        of_kind = () if kind is None else task.objects_of((kind,))
        named.append(handled.sorted((name,) if name in task.objects else of_kind))
    return named


def carry_out(
    simulator: Simulator, subtasks: Subtasks, state: State, plan: Sequence[PlannedSubtask], handled: Handled
) -> tuple[CarriedOut, ...] | None:
    """The subtasks of a plan, carried out in the simulator by someone who sees everything; None if one cannot be."""
    own = Handled({*handled.things}, {*handled.places})
    carried: list[CarriedOut] = []
    for name, *targets in plan:
        node = subtasks.by_name.get(name)
        if node is None or len(targets) != len(node.targets):
            return None
        candidates = _candidates(simulator, subtasks, targets, own)
        done = next(ways_to_carry_out(simulator, state, node, candidates), None)
        if done is None:
            return None
        own.note(node, done)
        carried.append(done)
        state = done.state
    return tuple(carried)


def reaches_goal(
    simulator: Simulator, subtasks: Subtasks, state: State, plan: Sequence[PlannedSubtask], handled: Handled
) -> bool:
    """Whether the goal holds after a plan, carried out in the simulator by someone who sees everything."""
    carried = carry_out(simulator, subtasks, state, plan, handled)
    return carried is not None and simulator.is_goal(carried[-1].state if carried else state)


class SubtaskDoer:
    """Carries out subtasks in an episode.

    Args:
        episode: the world.
        subtasks: of the domain.
        memory: whether what was seen and handled is remembered.
    """

    def __init__(self, episode: Episode, subtasks: Subtasks, *, memory: bool):
        sight = subtasks.sight
        self._episode = episode
        self._subtasks = subtasks
        self._lasting = memory
        self._simulator = episode.setting.simulator
        self.handled = Handled()
        self._memory = None if sight is None else PlaceMemory(sight.agent, sight.located, sight.shut, memory)
        self._look()

    def do(self, place: int, step: PlannedSubtask) -> SubtaskDone:
        """Carries out a subtask and records it."""
        node = self._subtasks.by_name.get(step[0])
        text = subtask_text(step)
        if node is None or len(step) - 1 != len(node.targets):
            return self._ended(SubtaskDone(place, text, (), 0, f"{text} is no subtask"))
        handled = self.handled if self._lasting else Handled()
        candidates = _candidates(self._simulator, self._subtasks, step[1:], handled)
        # Things that were put somewhere are taken again only if there are no others.
        fresh = [[name for name in names if name not in handled.things] or names for names in candidates]
        done, searched = self._possible(node, fresh), 0
        if done is None and self._unknown(node, fresh) is not None:
            done, searched = self._search(node, fresh)
        done = done or self._possible(node, candidates)
        if done is None:
            failure = self._failure(text, step, self._unknown(node, fresh))
            return self._ended(SubtaskDone(place, text, (), searched, failure))
        return self.carry_out(place, step, done, searched)

    def _ended(self, event: SubtaskDone) -> SubtaskDone:
        self._episode.note(event)
        return event

    def carry_out(self, place: int, step: PlannedSubtask, done: CarriedOut, searched: int = 0) -> SubtaskDone:
        """Carries out a subtask in a way that is known, and records it."""
        text = subtask_text(step)
        before = frozenset(self.believed().atoms)
        tried: list[str] = []
        for action in done.actions:
            tried.append(str(action))
            turn = self._episode.move(action, said=text, ends=False)
            self._look()
            if turn.status != "executed":
                error = f"{text} failed at {action}: {turn.observation}"
                return self._ended(SubtaskDone(place, text, tuple(tried), searched, error))
        lacking = sorted(done.state.atoms - before - self._episode.state.atoms)
        if lacking:
            told = ", ".join(str(triple_of(atom)) for atom in lacking)
            error = f"{text} was carried out, but this is not so: {told}"
            return self._ended(SubtaskDone(place, text, tuple(tried), searched, error))
        self.handled.note(self._subtasks.by_name[step[0]], done)
        return self._ended(SubtaskDone(place, text, tuple(tried), searched))

    # ── what is seen ─────────────────────────────────────────────────────────────────────────────

    def _look(self) -> None:
        if self._memory is not None:
            self._memory.look(self._episode.state.atoms)

    def believed(self) -> State:
        """The state as far as it is known: what was not seen counts as absent."""
        state = self._episode.state
        if self._memory is None:
            return state
        return self._simulator.state(self._memory.believed(state.atoms), state.values)

    def _possible(self, node: Subtask, candidates: Sequence[Sequence[str]]) -> CarriedOut | None:
        return next(ways_to_carry_out(self._simulator, self.believed(), node, candidates), None)

    def _unknown(self, node: Subtask, candidates: Sequence[Sequence[str]]) -> int | None:
        """The first target that must lie somewhere and of which no object was seen; None if there is none."""
        sight, task = self._subtasks.sight, self._simulator.task
        if self._memory is None or sight is None:
            return None
        needs = [need for way in node.ways for need in initial_needs(self._subtasks.domain, way)]
        lying = {need.args[0] for need in needs if need.predicate in sight.located}
        located = [item.parameters[0].types for item in self._subtasks.domain.predicates if item.name in sight.located]
        for place, (target, names) in enumerate(zip(node.targets, candidates, strict=True)):
            things = [name for name in names if any(task.is_a(name, types) for types in located)]
            if target.variable in lying and things and not self._memory.where.keys() & {*things}:
                return place
        return None

    def _search(self, node: Subtask, candidates: Sequence[Sequence[str]]) -> tuple[CarriedOut | None, int]:
        """Goes from place to place until a subtask is possible, but opens nothing; and how many places it went to."""
        sight, task = self._subtasks.sight, self._simulator.task
        assert sight is not None
        assert self._memory is not None
        move = self._subtasks.domain.action(sight.move)
        assert move is not None, f"{sight.move} was checked when the subtasks were read"
        moved = 0
        for place in task.objects_of(move.parameters[0].types):
            atoms = self._episode.state.atoms
            here = next((atom[1] for atom in atoms if atom[0] == sight.agent), "")
            known = self._lasting and place in self._memory.visited
            if place == here or known or GroundAtom((sight.shut, place)) in atoms:
                continue
            moved += 1
            self._episode.move(GroundAction(sight.move, (place, here)), said="search", ends=False)
            self._look()
            done = self._possible(node, candidates)
            if done is not None:
                return done, moved
        return None, moved

    def _failure(self, text: str, step: Sequence[str], missing: int | None) -> str:
        if missing is None:
            return f"{text} is not possible in this state"
        shut = self._subtasks.sight.shut if self._subtasks.sight is not None else ""
        doors = sorted(atom[1] for atom in self._episode.state.atoms if atom[0] == shut)
        behind = [door for door in doors if self._memory is None or door not in self._memory.visited]
        told = f"; these are shut and were not looked into: {', '.join(behind)}" if behind else ""
        return f"{text}: no {step[1 + missing]} was seen anywhere{told}"

    def scene(self, keys: Sequence[str]) -> tuple[str, ...]:
        """What is known of the objects of some classes, as triples whose first object is one of them; without sight
        the whole state."""
        sight = self._subtasks.sight
        if sight is None:
            return tuple(str(triple_of(atom)) for atom in sorted(self._episode.state.atoms))
        noted = (*sight.located, *sight.noted)
        atoms = (atom for atom in sorted(self.believed().atoms) if atom[0] in noted and len(atom) > 1)
        told = [str(triple_of(atom)) for atom in atoms if self._subtasks.class_of(atom[1]) in keys]
        more = len(told) - MOST_TOLD
        return (*told[:MOST_TOLD], *([f"and {more} others"] if more > 0 else ()))
