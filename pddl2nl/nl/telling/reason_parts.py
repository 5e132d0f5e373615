"""Taking a condition that does not hold apart, so that a reason names no more of it than it must.

An unmet ``imply`` or ``or`` comes down to facts that hold (*premises*) and to *alternatives* none of which does: of
"if A and B, then C or D" A and B are premises, C and D the alternatives. In a known state each is cut down to what
makes it so there: of a true ``exists`` one object that it is true of, of a false ``and`` its false members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple

from pddl2nl.pddl.rewriting import substitute
from pddl2nl.pddl.tree import And, Atom, Comparison, Condition, Equality, Exists, Imply, Not, Or

if TYPE_CHECKING:
    from pddlval import State

__all__ = ["Alternative", "UnmetParts", "is_literal", "unmet_parts"]

_MOST_WITNESSES = 20_000
"""So many choices of objects are tried to find one of which an ``exists`` is true."""


class Alternative(NamedTuple):
    """What would have made an ``or`` or ``imply`` true, and the smallest parts of it that are false."""

    whole: Condition
    failing: tuple[Condition, ...]


class UnmetParts(NamedTuple):
    """Why an ``or`` or ``imply`` is false: all premises hold, and none of the alternatives does."""

    premises: tuple[Condition, ...]
    alternatives: tuple[Alternative, ...]


def unmet_parts(condition: Condition, state: State | None) -> UnmetParts:
    """The parts of a ground ``or`` or ``imply`` that does not hold, in a state if that is known."""
    premises: list[Condition] = []
    alternatives: list[Alternative] = []
    for part in _disjuncts(condition):
        if isinstance(part, _Premise):
            premises += _true_parts(part.condition, state)
            continue
        failing = _false_parts(part, state)
        if all(isinstance(item, Not) and is_literal(item) for item in failing):
            premises += [item.body for item in failing if isinstance(item, Not)]
        else:
            alternatives.append(Alternative(part, failing))
    if len(alternatives) == 1:
        only, *others = alternatives[0].failing
        if isinstance(only, Or | Imply) and not others:
            inner = unmet_parts(only, state)
            premises += inner.premises
            alternatives = list(inner.alternatives)
    return UnmetParts(tuple(dict.fromkeys(premises)), tuple(dict.fromkeys(alternatives)))


def is_literal(condition: Condition) -> bool:
    """Whether a condition is an atom, an equality, a comparison, or the negation of one."""
    body = condition.body if isinstance(condition, Not) else condition
    return isinstance(body, Atom | Equality | Comparison)


class _Premise(NamedTuple):
    """The left side of an unmet ``imply``."""

    condition: Condition


def _disjuncts(condition: Condition) -> Iterator[Condition | _Premise]:
    from pddlval.normal_form import opposite

    match condition:
        case Or(parts=parts):
            for part in parts:
                yield from _disjuncts(part)
        case Imply(left=left, right=right):
            yield _Premise(left)
            yield from _disjuncts(right)
        case Not(body=body) if not is_literal(condition):
            yield from _disjuncts(opposite(body))
        case _:
            yield condition


def _false_parts(condition: Condition, state: State | None) -> tuple[Condition, ...]:
    """The smallest parts of a false condition that are false themselves; all of it where no state is known."""
    if state is None:
        return (condition,)
    from pddlval.numeric import UndefinedError
    from pddlval.semantics import unmet

    try:
        return unmet(condition, state, test=state.layout.holds) or (condition,)
    except UndefinedError:
        return (condition,)


def _true_parts(condition: Condition, state: State | None) -> tuple[Condition, ...]:
    """Parts of a true condition that make it true; all of it where no state says which."""
    from pddlval.normal_form import opposite
    from pddlval.numeric import UndefinedError

    try:
        match condition:
            case And(parts=parts):
                return _all_true(parts, state)
            case Not(body=body) if not is_literal(condition):
                return _true_parts(opposite(body), state)
            case Or(parts=parts) if state is not None:
                holding = [part for part in parts if state.layout.holds(part, state, {})]
                return min((_true_parts(part, state) for part in holding), key=len, default=(condition,))
            case Imply(left=left, right=right) if state is not None:
                return _true_parts(Or((opposite(left), right)), state)
            case Exists() if state is not None:
                found = _witness(condition, state)
                return (condition,) if found is None else _true_parts(found, state)
    except UndefinedError:
        pass
    return (condition,)


def _all_true(parts: Iterable[Condition], state: State | None) -> tuple[Condition, ...]:
    return tuple(found for part in parts for found in _true_parts(part, state))


def _witness(condition: Exists, state: State) -> Condition | None:
    """What an ``exists`` says of the first objects of which it is true; None where they are not found soon."""
    names = [parameter.name for parameter in condition.parameters]
    choices = product(*(state.objects(parameter.types) for parameter in condition.parameters))
    for chosen in islice(choices, _MOST_WITNESSES):
        binding = dict(zip(names, chosen, strict=True))
        if state.layout.holds(condition.body, state, binding):
            return substitute(condition.body, binding)
    return None
