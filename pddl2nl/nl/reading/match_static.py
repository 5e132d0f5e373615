"""Which of several actions is meant, where only what never changes can tell: the types of domains without types."""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.pddl.task import Task, changed_predicates
from pddl2nl.pddl.tree import ActionSchema, Atom, conjuncts
from pddlval import GroundAction

__all__ = ["StaticTypes"]


class StaticTypes:
    """The static unary predicates of a task, as far as its actions' preconditions ask for them.

    In a domain without types "load p into t at l" may be said of a truck and of an airplane. Which of both ``t``
    is, ``(truck ?t)`` says: no action changes it, and the initial state holds it.
    """

    def __init__(self, task: Task):
        changed = changed_predicates(task.domain)
        unary = {item.name for item in task.domain.predicates if len(item.parameters) == 1} - changed
        self._needs = {action.name: _needs(action, unary) for action in task.domain.actions}
        wanted = {name for needs in self._needs.values() for name, _ in needs}
        self._held: dict[str, frozenset[str]] = {}
        for atom in task.problem.init:
            if len(atom) == 2 and atom[0] in wanted:
                self._held[atom[1]] = self._held.get(atom[1], frozenset()) | {atom[0]}

    def of(self, name: str) -> frozenset[str]:
        """The static unary predicates that are true of an object and that some action asks for."""
        return self._held.get(name, frozenset())

    def only(self, candidates: Sequence[GroundAction]) -> GroundAction | None:
        """The one candidate whose static unary preconditions are all true; None where none or several are so."""
        fitting = [item for item in candidates if self._allows(item)]
        return fitting[0] if len(fitting) == 1 else None

    def _allows(self, action: GroundAction) -> bool:
        return all(predicate in self.of(action.args[place]) for predicate, place in self._needs[action.name])


def _needs(action: ActionSchema, unary: set[str]) -> tuple[tuple[str, int], ...]:
    """The static unary predicates that an action asks of its parameters, with the parameters' positions."""
    places = {parameter.name: index for index, parameter in enumerate(action.parameters)}
    return tuple(
        (part.predicate, places[part.args[0]])
        for part in conjuncts(action.precondition)
        if isinstance(part, Atom) and part.predicate in unary and part.args[0] in places
    )
