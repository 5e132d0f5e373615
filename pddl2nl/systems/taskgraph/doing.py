"""The low level: carries out subtasks in the world, searching for things that were not seen yet.

Targets are classes or objects. Of several objects of a class those that were not handled are taken, and of receptacles
the one that was used, so that three apples are three different ones, and a pair ends in one place (paper, section 3.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from pddl2nl.nl import Teller
from pddl2nl.pddl import Atom, Domain, GroundAtom, conjuncts
from pddl2nl.pddl.task import effect_literals
from pddl2nl.policies.episode import Episode, Turn
from pddl2nl.systems.taskgraph.events import SubtaskDone
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask, Subtask, Subtasks, SubtaskWay, subtask_text
from pddl2nl.worlds.triples import triple_of
from pddlval import GroundAction, Simulator, State

MOST_TOLD = 500
"""The most triples that a prompt tells; those of the shipped tasks are fewer than 100."""


# ── one subtask in a state ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class CarriedOut:
    """A subtask in a state: its actions, the object for each variable, and the state after them."""

    actions: tuple[GroundAction, ...]
    objects: Mapping[str, str]
    state: State


def ways_to_carry_out(
    simulator: Simulator, state: State, node: Subtask, targets: Sequence[Sequence[str]]
) -> Iterator[CarriedOut]:
    """The possible ways of a subtask, first by the order of the objects for its targets, then by that of its ways.

    `targets` has for each of them the objects that it can be, the best first.
    """
    atoms: dict[str, list[GroundAtom]] = {}
    for atom in state:
        atoms.setdefault(atom[0], []).append(atom)
    names = [target.variable for target in node.targets]
    for chosen in product(*targets):
        for way in node.ways:
            given = dict(zip(names, chosen, strict=True))
            fits = all(
                simulator.task.is_a(given[item.name], item.types) for item in way.parameters if item.name in given
            )
            for objects in _bound(simulator, way, given, atoms) if fits else ():
                actions = [GroundAction(step.action, tuple(objects[term] for term in step.args)) for step in way.steps]
                followed = simulator.follow(state, actions)
                if followed.complete:
                    yield CarriedOut(tuple(actions), objects, followed.state)


def _bound(
    simulator: Simulator, way: SubtaskWay, given: Mapping[str, str], atoms: Mapping[str, Sequence[GroundAtom]]
) -> Iterator[dict[str, str]]:
    """The objects for all variables of a way with which the atoms hold that it needs at its beginning."""
    types = {item.name: item.types for item in way.parameters}
    task = simulator.task

    def extended(needs: Sequence[Atom], objects: dict[str, str]) -> Iterator[dict[str, str]]:
        if not needs:
            free = [name for name in types if name not in objects]
            for chosen in product(*(task.objects_of(types[name]) for name in free)):
                yield {**objects, **dict(zip(free, chosen, strict=True))}
            return
        # First the atom with the fewest open variables.
        need = min(needs, key=lambda atom: sum(term in types and term not in objects for term in atom.args))
        rest = [atom for atom in needs if atom is not need]
        for atom in atoms.get(need.predicate, ()):
            more = dict(objects)
            for term, name in zip(need.args, atom[1:], strict=True):
                if more.setdefault(term, name) != name or (term in types and not task.is_a(name, types[term])):
                    break
            else:
                yield from extended(rest, more)

    for objects in extended(initial_needs(task.domain, way), dict(given)):
        yield {name: objects[name] for name in types}


def initial_needs(domain: Domain, way: SubtaskWay) -> list[Atom]:
    """The atoms that a way needs and does not bring about itself."""
    needs: list[Atom] = []
    added: set[str] = set()
    for step in way.steps:
        schema = domain.schema(step.action)
        terms = schema.binding(step.args)
        for part in conjuncts(schema.precondition):
            if isinstance(part, Atom) and part.predicate not in added:
                needs.append(Atom(part.predicate, tuple(terms.get(term, term) for term in part.args)))
        added |= {atom.predicate for atom, positive in effect_literals(schema.effect) if positive}
    return needs


# ── what was seen ────────────────────────────────────────────────────────────────────────────────


@dataclass
class PlaceMemory:
    """What an agent that sees only its own place has seen so far: a memory of where things are.

    It is exact for what the agent sees, and the last it saw for what it does not. What was seen to be gone is forgotten
    (GraphPlan paper, sections 3.2 and 3.3.1, with the world's facts in place of images). The predicates are ``(at
    place)`` of the agent, ``(in thing place)`` of things, and ``(shut place)`` of places that hide what is in them;
    nothing outlasts the present view unless it is `lasting`. `visited` are the places that were looked into.
    """

    agent: str
    located: Collection[str]
    shut: str
    lasting: bool = True
    where: dict[str, GroundAtom] = field(default_factory=dict)
    visited: set[str] = field(default_factory=set)

    def look(self, atoms: Iterable[GroundAtom]) -> None:
        """Takes in what can be seen in a state."""
        state = tuple(atoms)
        place = next((atom[1] for atom in state if atom[0] == self.agent), "")
        if not self.lasting:
            self.where.clear()
        if GroundAtom((self.shut, place)) in state:
            return
        self.visited.add(place)
        seen = self._below(place, state)
        gone = [thing for thing in self.where if self._at(thing) == place and thing not in seen]
        for thing in gone:
            del self.where[thing]
        self.where |= seen

    def _at(self, thing: str) -> str:
        seen: set[str] = set()
        while thing in self.where and thing not in seen:
            seen.add(thing)
            thing = self.where[thing][2]
        return thing

    def _below(self, place: str, atoms: Iterable[GroundAtom]) -> dict[str, GroundAtom]:
        """The locations of the things at a place, also in other things; of two locations of a thing the last one."""
        held: dict[str, list[GroundAtom]] = {}
        for atom in atoms:
            if atom[0] in self.located:
                held.setdefault(atom[2], []).append(atom)
        below, todo = dict[str, GroundAtom](), [place]
        while todo:
            for atom in held.pop(todo.pop(), ()):
                below[atom[1]] = atom
                todo.append(atom[1])
        return below

    def believed(self, atoms: Iterable[GroundAtom]) -> tuple[GroundAtom, ...]:
        """The atoms of a state as the agent takes them to be: things are where it saw them, or nowhere."""
        own = tuple(atom for atom in atoms if atom[0] not in self.located)
        return (*own, *self.where.values())


# ── plans in the simulator, and in an episode ────────────────────────────────────────────────────


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

    With `memory`, what was seen and handled is remembered.

    Attributes:
        handled: the objects that were targets.
        unopened: the shut places that were not looked into when a subtask failed for want of a thing.
        steps, failures: how many actions were tried, and how many subtasks failed by one.
    """

    def __init__(self, episode: Episode, subtasks: Subtasks, teller: Teller, *, memory: bool):
        sight = subtasks.sight
        self._episode = episode
        self._subtasks = subtasks
        self._teller = teller
        self._lasting = memory
        self._simulator = episode.setting.simulator
        self.handled = Handled()
        self.unopened: tuple[str, ...] = ()
        self.steps = self.failures = 0
        self._memory = None if sight is None else PlaceMemory(sight.agent, sight.located, sight.shut, memory)
        self._look()

    def do(self, place: int, step: PlannedSubtask) -> SubtaskDone:
        self.unopened = ()
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
            turn = self._move(action, text)
            if turn.status != "executed":
                self.failures += 1
                error = f"{text} failed when the robot tried to {self._teller.action(action)}: {turn.observation}"
                return self._ended(SubtaskDone(place, text, tuple(tried), searched, error))
        lacking = sorted(done.state.atoms - before - self._episode.state.atoms)
        if lacking:
            told = " and ".join(self._teller.fact(atom) for atom in lacking)
            self.failures += 1
            error = f"{text} was carried out, but it is not so that {told}"
            return self._ended(SubtaskDone(place, text, tuple(tried), searched, error))
        self.handled.note(self._subtasks.by_name[step[0]], done)
        return self._ended(SubtaskDone(place, text, tuple(tried), searched))

    def _move(self, action: GroundAction, said: str) -> Turn:
        turn = self._episode.move(action, said=said, ends=False)
        self.steps += 1
        self._look()
        return turn

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
        """The first target that must lie somewhere and whose objects were not seen, or None."""
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
            self._move(GroundAction(sight.move, (place, here)), "search")
            done = self._possible(node, candidates)
            if done is not None:
                return done, moved
        return None, moved

    def _failure(self, text: str, step: Sequence[str], missing: int | None) -> str:
        if missing is None:
            return f"{text} is not possible in this state"
        shut = self._subtasks.sight.shut if self._subtasks.sight is not None else ""
        doors = sorted(atom[1] for atom in self._episode.state.atoms if atom[0] == shut)
        self.unopened = tuple(door for door in doors if self._memory is None or door not in self._memory.visited)
        told = f"; these are shut and were not looked into: {', '.join(self.unopened)}" if self.unopened else ""
        return f"{text}: no {step[1 + missing]} was seen anywhere{told}"

    def scene(self, keys: Sequence[str]) -> tuple[str, ...]:
        """What is known of the objects of some classes, as triples whose first object is one of them; without sight
        the whole state."""
        sight = self._subtasks.sight
        if sight is None:
            return tuple(str(triple_of(atom)) for atom in sorted(self._episode.state.atoms))
        noted = (*sight.located, *sight.noted)
        atoms = (atom for atom in sorted(self.believed().atoms) if atom[0] in noted and len(atom) > 1)
        told = [self._triple(atom) for atom in atoms if self._subtasks.class_of(atom[1]) in keys]
        more = len(told) - MOST_TOLD
        return (*told[:MOST_TOLD], *([f"and {more} others"] if more > 0 else ()))

    def _triple(self, atom: GroundAtom) -> str:
        """A fact as a triple, or in words if it is no property of its object: nothing "is holding" that is held."""
        told = self._teller.fact(atom)
        return told if len(atom) == 2 and not told.startswith(atom[1]) else str(triple_of(atom))
