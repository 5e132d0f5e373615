"""Limits on requests and tokens per minute, shared by all threads of a process, and the pauses that a server asks for.

There are two token buckets, one of requests and one of tokens. Each refills evenly at its limit and holds ten seconds'
worth, so that a run begins with a burst and then keeps an even pace. The tokens of a call are estimated before it and
settled after it. A call that is larger than the bucket waits until the bucket is full and leaves it in debt.

Unknown limits show as HTTP 429. `Limiter.pause` then holds all calls for as long as the server says and lets them
continue one by one at a growing pace: all at once, most of them would be refused again. OpenAI's ``x-ratelimit-*``
headers are not read, as other servers have none and Retry-After suffices.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from pddl2nl.llm.types import ModelConfigurationError

__all__ = ["Limiter"]

_MINUTE = 60.0
_BURST = 1 / 6
_FIRST_GAP = 0.05
_LONGEST_GAP = 1.0
# Slower by a half at a refusal, faster by a thirtieth at a reply: then about one call in fourteen is refused.
_SLOW_DOWN = 1.5
_SPEED_UP = 0.97
_NO_GAP = 0.001
_LOOK_AGAIN = 0.25
_SHORTEST_WAIT = 1e-6


@dataclass
class _Bucket:
    """Refills at ``rate`` a second up to ``size``; a level below zero is a debt."""

    rate: float
    size: float
    level: float
    seen: float

    def wait(self, amount: float, now: float) -> float:
        """Seconds until an amount is there, or until the bucket is full if it is smaller than that."""
        self.level = min(self.size, self.level + (now - self.seen) * self.rate)
        self.seen = now
        return max(0.0, min(amount, self.size) - self.level) / self.rate

    def give_back(self, amount: float) -> None:
        self.level = min(self.size, self.level + amount)


class Limiter:
    """Limits the requests and tokens per minute; None is no limit.

    Args:
        requests_per_minute: the limit on requests.
        tokens_per_minute: the limit on tokens, prompts and replies together.
        clock: the time in seconds, for tests.
        sleep: waits for seconds, for tests.

    Raises:
        ModelConfigurationError: a limit that is not above zero.
    """

    _of_process: dict[tuple[str, str, float | None, float | None], Limiter] = {}  # noqa: RUF012 — shared on purpose
    _of_process_lock = threading.Lock()

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ):
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._requests = _bucket("requests a minute", requests_per_minute, clock(), at_least=1.0)
        self._tokens = _bucket("tokens a minute", tokens_per_minute, clock())
        self._resume = float("-inf")
        self._gap = 0.0
        self._changed = float("-inf")
        self._last = float("-inf")
        self._turn = threading.Lock()

    @classmethod
    def shared(
        cls,
        endpoint: str,
        model: str,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
    ) -> Limiter:
        """The one limiter of this process for a model at an endpoint."""
        key = (endpoint, model, requests_per_minute, tokens_per_minute)
        with cls._of_process_lock:
            if key not in cls._of_process:
                cls._of_process[key] = cls(requests_per_minute, tokens_per_minute)
            return cls._of_process[key]

    def acquire(self, tokens: float = 0.0) -> float:
        """Waits until a call of about so many tokens may start; Ctrl-C ends the wait.

        Returns:
            The time at which the call starts, for `pause`.
        """
        # One thread waits for the limit, all others for their turn.
        with self._turn:
            while (wait := self._try(tokens)) > 0:
                self._sleep(wait)
            return self._clock()

    def settle(self, estimated: float, actual: float) -> None:
        """Corrects the estimate of a call by the tokens that it took, zero if it failed."""
        with self._lock:
            if self._tokens is not None:
                self._tokens.give_back(estimated - actual)
            if actual > 0 and self._gap:
                self._gap *= _SPEED_UP
                if self._gap < _NO_GAP:
                    self._gap = 0.0

    def pause(self, seconds: float, began: float = float("inf")) -> bool:
        """Holds every call for so long, because the server refused one that began at a given time.

        Returns:
            Whether that is longer than the pause before.
        """
        with self._lock:
            now = self._clock()
            if began >= self._changed:
                # Of many calls that were under way together, only the first refusal slows down.
                self._gap = min(max(_SLOW_DOWN * self._gap, min(seconds, _FIRST_GAP)), _LONGEST_GAP)
                self._changed = now
            longer = now + seconds > max(self._resume, now)
            self._resume = max(self._resume, now + seconds)
            return longer

    def _try(self, tokens: float) -> float:
        """Starts a call, or returns after how many seconds to try again."""
        with self._lock:
            now = self._clock()
            paused = max(self._resume, self._last + self._gap) - now
            wanted = [(self._requests, 1.0), (self._tokens, tokens)]
            needs = [(bucket, amount) for bucket, amount in wanted if bucket is not None]
            short = max((bucket.wait(amount, now) for bucket, amount in needs), default=0.0)
            if max(paused, short) > _SHORTEST_WAIT:
                # Tokens given back in the meantime shorten the wait for a bucket, but no pause.
                return max(paused, min(short, _LOOK_AGAIN))
            for bucket, amount in needs:
                bucket.level -= amount
            self._last = now
            return 0.0


def _bucket(what: str, limit: float | None, now: float, at_least: float = 0.0) -> _Bucket | None:
    if limit is None:
        return None
    if not 0 < limit < float("inf"):
        raise ModelConfigurationError(f"the limit on {what} must be a number above zero; found {limit:g}")
    size = max(limit * _BURST, at_least)
    return _Bucket(limit / _MINUTE, size, size, now)
