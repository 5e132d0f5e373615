"""Random choices that are the same on every machine.

Python guarantees that ``random.Random(seed).random()`` gives the same numbers in all versions, but guarantees this for
no other method. All choices here are computed from these numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A seeded source of random choices.

    Args:
        seed: a whole number or a text; the same seed gives the same choices in every process.
    """

    def __init__(self, seed: int | str):
        self._random = Random(seed)

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count - 1``; ``count`` is at least 1."""
        if count < 1:
            raise ValueError(f"nothing can be drawn from {count}")
        # random() is below 1, but its product with a large number may round up to that number.
        return min(int(self._random.random() * count), count - 1)

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: float) -> bool:
        """True with a probability in percent."""
        return self._random.random() * 100 < percent

    def pick(self, members: Sequence[T]) -> T:
        """One of the members."""
        return members[self.below(len(members))]

    def shuffled(self, members: Sequence[T]) -> list[T]:
        """All members in a random order."""
        rest = list(members)
        for last in range(len(rest) - 1, 0, -1):
            other = self.below(last + 1)
            rest[last], rest[other] = rest[other], rest[last]
        return rest

    def sample(self, members: Sequence[T], count: int) -> list[T]:
        """`count` different members in random order; ``count`` is at most their number."""
        if count > len(members):
            raise ValueError(f"{count} cannot be drawn from {len(members)}")
        return self.shuffled(members)[:count]
