"""Remembers what a function found; threads that ask the same at once get it from one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

Asked = ParamSpec("Asked")
Found = TypeVar("Found")


@dataclass(eq=False)
class _Answer(Generic[Found]):
    lock: Lock = field(default_factory=Lock)
    found: tuple[Found] | None = None


class Once(Generic[Asked, Found]):
    """A function that remembers its results, as with `functools.lru_cache`, but computes each in one thread only.

    An experiment asks for the same plan from many threads at once, and each would start a planner. What raises is not
    remembered: the next thread tries again.

    Args:
        compute: the function; its arguments are hashable.
        most: how many results are kept.
    """

    def __init__(self, compute: Callable[Asked, Found], most: int):
        self._compute = compute
        answers = lru_cache(maxsize=most)(lambda *asked, **options: _Answer[Found]())
        self._answer: Callable[Asked, _Answer[Found]] = answers
        self._lock = Lock()
        self.forget = answers.cache_clear

    def __call__(self, *asked: Asked.args, **options: Asked.kwargs) -> Found:
        with self._lock:
            # The cache alone would give two threads that come at once an answer each.
            answer = self._answer(*asked, **options)
        with answer.lock:
            if answer.found is None:
                answer.found = (self._compute(*asked, **options),)
            return answer.found[0]
