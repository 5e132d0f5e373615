"""What actions read and write: which steps of a plan can change places, and which step gives another what it needs.

Two neighbouring steps of a plan that do not disturb each other can be exchanged, and the plan leads to the same state.
What is said here errs on the safe side: quantified variables stand for any object, a derived predicate for all that
its rules mention, and conditional effects for what happens always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Comparison,
    Condition,
    Domain,
    Exists,
    Expression,
    Forall,
    Imply,
    Not,
    Or,
    TypedName,
    Update,
    When,
)
from pddlval.names import fluents_in

__all__ = ["ANY", "Footprint", "Footprints", "SameTerm", "independent"]

ANY = "*"
"""A term that stands for any object; no name of PDDL is written like this, as actions' terms are."""

Pattern = tuple[str, ...]
"""A predicate's name with its terms; a function's name begins with ``=``, as it may be a predicate's too."""

SameTerm = Callable[[str, str], bool]
"""Whether two terms may stand for one object."""


@dataclass(frozen=True)
class Footprint:
    """What one action reads and writes.

    Attributes:
        reads: whatever its precondition and its conditional effects look at.
        needs: of these, the atoms that are wanted true.
        adds, deletes: atoms.
        sets: fluents that get a value of their own.
        shifts: fluents that are increased or decreased, which several actions can do in any order.
    """

    reads: frozenset[Pattern]
    needs: frozenset[Pattern]
    adds: frozenset[Pattern]
    deletes: frozenset[Pattern]
    sets: frozenset[Pattern]
    shifts: frozenset[Pattern]
    exact: bool = field(default=True, compare=False)

    @property
    def writes(self) -> frozenset[Pattern]:
        """Everything that may be different afterwards."""
        return self.adds | self.deletes | self.sets | self.shifts


def independent(one: Footprint, other: Footprint, same: SameTerm | None = None) -> bool:
    """Whether the two actions can change places: neither writes what the other reads, nor undoes what it does.

    Args:
        one, other: what they read and write.
        same: whether two terms may stand for one object; by default only where they are the same name.
    """
    pairs = (
        (one.writes, other.reads),
        (one.reads, other.writes),
        (one.adds, other.deletes),
        (one.deletes, other.adds),
        (one.sets, other.sets | other.shifts),
        (one.shifts, other.sets),
    )
    if same is None and one.exact and other.exact:
        return all(first.isdisjoint(second) for first, second in pairs)
    return not any(_meet(mine, theirs, same) for first, second in pairs for mine in first for theirs in second)


def _meet(one: Pattern, other: Pattern, same: SameTerm | None) -> bool:
    if one[0] != other[0] or len(one) != len(other):
        return False
    return all(
        ANY in (mine, theirs) or mine == theirs or (same is not None and same(mine, theirs))
        for mine, theirs in zip(one[1:], other[1:], strict=True)
    )


class Footprints:
    """The footprints of a domain's actions with terms for their parameters; each is worked out once."""

    def __init__(self, domain: Domain):
        self._domain = domain
        self._known: dict[tuple[str, tuple[str, ...]], Footprint] = {}
        self._below = _behind_derived(domain)

    def of(self, action: str, args: Sequence[str]) -> Footprint:
        """What an action of the domain reads and writes; KeyError where the domain has no such action."""
        key = (action, tuple(args))
        found = self._known.get(key)
        if found is None:
            schema = self._domain.action(action)
            if schema is None:
                raise KeyError(action)
            found = self._known[key] = self._made(schema, key[1])
        return found

    def _made(self, schema: ActionSchema, args: tuple[str, ...]) -> Footprint:
        binding = dict(zip((item.name for item in schema.parameters), args, strict=True))
        parts = _Parts(binding, self._below)
        parts.condition(schema.precondition, wanted=True)
        parts.effect(schema.effect)
        return parts.footprint()


def _behind_derived(domain: Domain) -> Mapping[str, frozenset[Pattern]]:
    """For each derived predicate all that its rules look at, directly or through others, with any terms."""
    direct: dict[str, set[Pattern]] = {}
    for rule in domain.derived:
        parts = _Parts({}, {})
        parts.condition(rule.condition, wanted=True)
        seen = {(name, *(ANY for _ in terms)) for name, *terms in parts.reads}
        direct.setdefault(rule.name, set()).update(seen)
    found: dict[str, frozenset[Pattern]] = {}
    for name in direct:
        reached, todo = set(direct[name]), list(direct[name])
        while todo:
            more = direct.get(todo.pop()[0], set()) - reached
            reached |= more
            todo += more
        found[name] = frozenset(reached)
    return found


class _Parts:
    """Collects the parts of a footprint out of conditions and effects."""

    def __init__(self, binding: Mapping[str, str], below: Mapping[str, frozenset[Pattern]]):
        self._binding = dict(binding)
        self._below = below
        self.reads: set[Pattern] = set()
        self._needs: set[Pattern] = set()
        self._adds: set[Pattern] = set()
        self._deletes: set[Pattern] = set()
        self._sets: set[Pattern] = set()
        self._shifts: set[Pattern] = set()

    def footprint(self) -> Footprint:
        every = (self.reads, self._needs, self._adds, self._deletes, self._sets, self._shifts)
        reads, needs, adds, deletes, sets, shifts = map(frozenset, every)
        exact = not any(ANY in pattern for patterns in every for pattern in patterns)
        return Footprint(reads, needs, adds, deletes, sets, shifts, exact)

    def condition(self, condition: Condition, *, wanted: bool | None) -> None:
        """Takes a condition in; ``wanted`` says whether it is to be true, to be false, or either."""
        match condition:
            case Atom(predicate, args):
                pattern = self._pattern(predicate, args)
                self.reads.add(pattern)
                self.reads |= self._below.get(predicate, frozenset())
                if wanted:
                    self._needs.add(pattern)
            case Not(body):
                self.condition(body, wanted=None if wanted is None else not wanted)
            case And(parts) | Or(parts):
                for part in parts:
                    self.condition(part, wanted=wanted)
            case Imply(left, right):
                self.condition(left, wanted=None if wanted is None else not wanted)
                self.condition(right, wanted=wanted)
            case Forall(parameters, body) | Exists(parameters, body):
                self._inside(parameters, lambda: self.condition(body, wanted=wanted))
            case Comparison(_, left, right):
                self._expressions(left, right)

    def effect(self, effect: Condition) -> None:
        """Takes an effect in."""
        match effect:
            case Atom(predicate, args):
                self._adds.add(self._pattern(predicate, args))
            case Not(Atom(predicate, args)):
                self._deletes.add(self._pattern(predicate, args))
            case And(parts):
                for part in parts:
                    self.effect(part)
            case Forall(parameters, body):
                self._inside(parameters, lambda: self.effect(body))
            case When(condition, inner):
                self.condition(condition, wanted=None)
                self.effect(inner)
            case Update(operator, fluent, value):
                shifted = operator in ("increase", "decrease")
                (self._shifts if shifted else self._sets).add(self._pattern(f"={fluent.name}", fluent.args))
                self._expressions(value)

    def _expressions(self, *expressions: Expression) -> None:
        for expression in expressions:
            self.reads.update(self._pattern(f"={each.name}", each.args) for each in fluents_in(expression))

    def _pattern(self, name: str, args: Sequence[str]) -> Pattern:
        return (name, *(self._binding.get(term, term) for term in args))

    def _inside(self, parameters: Sequence[TypedName], take_in: Callable[[], None]) -> None:
        before = dict(self._binding)
        self._binding.update((item.name, ANY) for item in parameters)
        take_in()
        self._binding = before
