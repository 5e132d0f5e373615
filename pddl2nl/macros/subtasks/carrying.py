"""How a subtask is carried out in a state: the actions of the first of its ways that is possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from pddl2nl.macros.subtasks.nodes import Subtask, SubtaskWay
from pddl2nl.pddl import Atom, Domain, GroundAtom, conjuncts
from pddl2nl.pddl.task import effect_literals
from pddlval import GroundAction, Simulator, State


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

    Args:
        simulator: of the task.
        state: where it begins.
        node: the subtask.
        targets: for each of its targets the objects that it can be, the best first.
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
        schema = domain.action(step.action)
        assert schema is not None, "the steps were checked when the subtasks were read"
        terms = dict(zip((item.name for item in schema.parameters), step.args, strict=True))
        for part in conjuncts(schema.precondition):
            if isinstance(part, Atom) and part.predicate not in added:
                needs.append(Atom(part.predicate, tuple(terms.get(term, term) for term in part.args)))
        added |= {atom.predicate for atom, positive in effect_literals(schema.effect) if positive}
    return needs
