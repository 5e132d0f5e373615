"""What is worked out about a state and kept with it: derived atoms, and lists of the atoms that are true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pddl2nl.pddl import GroundAtom
from pddlval.semantics import World
from pddlval.state import Row

__all__ = ["Index", "Memo", "Remembering", "index_if_worth_it", "index_of", "memo_of"]

Index = Mapping[Row, Sequence[Row]]
"""The arguments of true atoms of a predicate, by those in some columns."""

_WORTH_A_LIST = 2000
"""When so many objects have been tried in a state, its true atoms are listed: that takes about as long."""


class Remembering(World, Protocol):
    """A state that keeps what is worked out about it; ``memo`` is None at first."""

    memo: object

    def changing(self) -> Iterable[GroundAtom]:
        """The true atoms that actions change."""


class Memo:
    """What was worked out about one state. Threads may share it: what is lost is only worked out once more.

    ``truth`` holds derived atoms that were asked for, ``extensions`` whole derived predicates, ``climbed`` how many
    of the rules' stages are derived; ``tried`` counts objects that were tried for want of a list.
    """

    __slots__ = ("_indices", "_rows", "climbed", "extensions", "tried", "truth")

    def __init__(self) -> None:
        self.truth: dict[GroundAtom, bool] = {}
        self.extensions: dict[tuple[object, Row], dict[str, set[Row]]] = {}
        self.climbed = 0
        self.tried = 0
        self._rows: dict[str, list[Row]] | None = None
        self._indices: dict[tuple[str, tuple[int, ...]], Index] = {}

    def index(self, state: Remembering, predicate: str, columns: tuple[int, ...]) -> Index:
        """The state's true atoms of a changing predicate, by the columns."""
        found = self._indices.get((predicate, columns))
        if found is None:
            if self._rows is None:
                rows: dict[str, list[Row]] = {}
                for atom in state.changing():
                    rows.setdefault(atom[0], []).append(atom[1:])
                self._rows = rows
            found = self._indices[predicate, columns] = index_of(self._rows.get(predicate, ()), columns)
        return found


def memo_of(state: Remembering) -> Memo:
    """The state's memory; it gets one when first asked."""
    memo = state.memo
    if not isinstance(memo, Memo):
        memo = state.memo = Memo()
    return memo


def index_if_worth_it(state: Remembering, predicate: str, columns: tuple[int, ...], tries: int) -> Index | None:
    """An index of the true atoms of a changing predicate, or None where it is cheaper to try all objects.

    Args:
        state: the state.
        predicate: the predicate.
        columns: what to index by.
        tries: how many objects would be tried instead.
    """
    memo = memo_of(state)
    memo.tried += tries
    return None if memo.tried < _WORTH_A_LIST else memo.index(state, predicate, columns)


def index_of(rows: Iterable[Row], columns: tuple[int, ...]) -> dict[Row, list[Row]]:
    """Rows, grouped by what stands in the columns."""
    found: dict[Row, list[Row]] = {}
    for row in rows:
        found.setdefault(tuple([row[column] for column in columns]), []).append(row)
    return found
