"""Planner runs side by side: their work lies in processes, so that threads are enough to wait for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["in_threads"]

T = TypeVar("T")
R = TypeVar("R")


def in_threads(function: Callable[[T], R], items: Iterable[T], workers: int, stop: Callable[[], None]) -> list[R]:
    """The function's results, in the order of the items.

    Args:
        workers: how many are at work at a time.
        stop: ends what the others are at, where one fails or Ctrl-C is pressed: nobody waits for them then.
    """
    pool = ThreadPoolExecutor(workers)
    try:
        return list(pool.map(function, items))
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        stop()
        raise
    finally:
        pool.shutdown()
