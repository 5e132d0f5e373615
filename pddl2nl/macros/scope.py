"""What the terms of a macro-action may stand for: their types, whether two may be the same object, fresh variables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pddl2nl.pddl import Domain, is_variable, supertypes
from pddl2nl.pddl.hierarchy import Hierarchy

__all__ = ["Scope"]

Types = tuple[str, ...]


class Scope:
    """The terms of one composition, by their types.

    Args:
        domain: whose types and constants are meant.
        types: the types of the macro's parameters, and of the objects that its steps name.
        total: the functions that have a value at all objects, in every state that the macro is meant for.
    """

    def __init__(self, domain: Domain, types: Mapping[str, Types], total: Collection[str] = ()):
        self.hierarchy: Hierarchy = supertypes(domain)
        self.total = frozenset(total)
        self._types: dict[str, Types] = {constant.name: constant.types for constant in domain.constants}
        self._types.update(types)
        self._lasting = tuple(self._types)
        self._hints: dict[Types, str] = {}
        self._count = 0
        self._may_equal: dict[tuple[str, str], bool] = {}
        self._inhabited: dict[Types, bool] = {}

    def fresh(self, types: Types, hint: str = "") -> str:
        """A variable that occurs nowhere else; ``hint`` is what a reader may call such a variable."""
        self._count += 1
        name = f"?!{self._count}"
        self._types[name] = types
        if hint:
            self._hints.setdefault(types, hint)
        return name

    def hint(self, types: Types) -> str:
        """What to call a variable of these types: as the domain does where it has one."""
        return self._hints.get(types, f"?{types[0]}")

    def types(self, term: str) -> Types:
        """The alternatives of which the type of a term is one."""
        return self._types.get(term, ("object",))

    def fits(self, term: str, wanted: Types) -> bool:
        """Whether a term certainly is of one of the types."""
        own = self.types(term)
        if is_variable(term):
            # Which of the alternatives it is, nobody knows.
            return all(self.hierarchy.fits((one,), wanted) for one in own)
        return self.hierarchy.fits(own, wanted)

    def may_fit(self, term: str, wanted: Types) -> bool:
        """Whether a term can be of one of the types."""
        if is_variable(term):
            return self.hierarchy.meets(self.types(term), wanted)
        return self.hierarchy.fits(self.types(term), wanted)

    def may_equal(self, one: str, other: str) -> bool:
        """Whether two terms can stand for the same object, as far as names and types tell."""
        if one == other:
            return True
        known = self._may_equal.get((one, other))
        if known is None:
            if is_variable(one):
                known = self.may_fit(other, self.types(one))
            else:
                known = is_variable(other) and self.may_fit(one, self.types(other))
            self._may_equal[one, other] = known
        return known

    def inhabited(self, types: Types) -> bool:
        """Whether there certainly is an object of one of the types: a constant, or what a parameter stands for."""
        known = self._inhabited.get(types)
        if known is None:
            known = self._inhabited[types] = any(self.fits(term, types) for term in self._lasting)
        return known

    def common(self, one: Types, other: Types) -> Types:
        """The types of what is of both; empty where no object is."""
        if self._below(one, other):
            return one
        if self._below(other, one):
            return other
        both = self.hierarchy.below(one) & self.hierarchy.below(other)
        # The uppermost of them, in the order of the file.
        return tuple(name for name in self.hierarchy if name in both and not (self.hierarchy[name] - {name}) & both)

    def _below(self, types: Iterable[str], wanted: Types) -> bool:
        return all(self.hierarchy.fits((one,), wanted) for one in types)
