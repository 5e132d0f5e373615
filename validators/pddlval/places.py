"""Where compiled conditions find the objects that variables stand for: every name has its slot in one list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pddl2nl.pddl import TypedName, is_variable
from pddlval.semantics import World
from pddlval.state import Number

__all__ = ["Places", "Slots", "Test", "Value"]

Slots = list[str]
"""The names bound so far, each in its slot. A test writes into the slots of the variables that it quantifies over:
a list belongs to one evaluation at a time."""

Test = Callable[[Slots, World], bool]
"""A compiled condition. It raises `UndefinedError` as `semantics.holds` does."""

Value = Callable[[Slots, World], Number]
"""A compiled numeric expression. It raises `UndefinedError` where it has no value."""


class Places:
    """The slots of names: those given first, in that order, then whatever is met later.

    Names that are no variables (predicates, constants) stand in their slots from the start.
    """

    def __init__(self, names: Iterable[str] = ()):
        self._slots: dict[str, int] = {}
        self._constants: dict[str, int] = {}
        self._start: list[str] = []
        self._first_variable = -1
        for name in names:
            slot = self._new("" if is_variable(name) else name)
            (self._slots if is_variable(name) else self._constants)[name] = slot
            if is_variable(name) and self._first_variable < 0:
                self._first_variable = slot

    @property
    def size(self) -> int:
        """How many slots there are so far."""
        return len(self._start)

    def _new(self, name: str) -> int:
        self._start.append(name)
        return len(self._start) - 1

    def place(self, name: str) -> int:
        """The slot of a name; a constant gets one when first asked for.

        Raises:
            KeyError: a variable that nothing binds.
        """
        if is_variable(name):
            return self._slots[name]
        found = self._constants.get(name)
        if found is None:
            found = self._constants[name] = self._new(name)
        return found

    def within(self, parameters: Iterable[TypedName] = ()) -> Places:
        """The places inside a quantifier: its variables get slots of their own, all other slots are shared."""
        inner = Places.__new__(Places)
        inner._slots = dict(self._slots)
        inner._constants, inner._start, inner._first_variable = self._constants, self._start, self._first_variable
        for parameter in parameters:
            inner._slots[parameter.name] = self._new("")
        return inner

    def fresh(self, variable: str) -> str:
        """A new name, with a slot, for a quantified variable; no PDDL text can hold that name."""
        name = f"{variable} {len(self._start)}"
        self._slots[name] = self._new("")
        return name

    def slots(self, arguments: Sequence[str] = ()) -> Slots:
        """A new list of all slots, with objects for the variables among the first names, in their order."""
        slots = self._start.copy()
        if arguments:
            slots[self._first_variable : self._first_variable + len(arguments)] = arguments
        return slots
