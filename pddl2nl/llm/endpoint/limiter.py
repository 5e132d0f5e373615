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

from pddl2nl.llm.types import ModelConfigurationError

_BURST = 10.0
"""Seconds."""
_FIRST_GAP = 0.05
_LONGEST_GAP = 1.0
# Slower by a half at a refusal, faster by a thirtieth at a reply: then about one call in fourteen is refused.
_SLOW_DOWN = 1.5
_SPEED_UP = 0.97
_NO_GAP = 0.001
_LOOK_AGAIN = 0.25
_SHORTEST_WAIT = 1e-6
_SHARED: dict[tuple[str, str, float | None, float | None], Limiter] = {}


class _Bucket:
    """Refills at ``rate`` a second up to ``size``; a level below zero is a debt."""

    def __init__(self, what: str, per_minute: float, now: float, least: float):
        if not 0 < per_minute < float("inf"):
            raise ModelConfigurationError(f"the limit on {what} must be a number above zero; found {per_minute:g}")
        self.rate = per_minute / 60
        self.size = self.level = max(self.rate * _BURST, least)
        self.seen = now

    def wait(self, amount: float, now: float) -> float:
        self.level = min(self.size, self.level + (now - self.seen) * self.rate)
        self.seen = now
        return max(0.0, min(amount, self.size) - self.level) / self.rate


class Limiter:
    """Limits the requests and tokens (of prompts and replies) per minute; None is no limit.

    ``clock`` and ``sleep`` are for tests. Raises `ModelConfigurationError` for a limit that is not above zero.
    """

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
        self._turn = threading.Lock()
        self._lock = threading.Lock()
        requests, tokens, now = requests_per_minute, tokens_per_minute, clock()
        self._requests = None if requests is None else _Bucket("requests a minute", requests, now, 1.0)
        self._tokens = None if tokens is None else _Bucket("tokens a minute", tokens, now, 0.0)
        self._gap = 0.0
        self._resume = self._changed = self._last = float("-inf")

    @staticmethod
    def shared(endpoint: str, model: str, requests: float | None = None, tokens: float | None = None) -> Limiter:
        """The one limiter of this process for a model at an endpoint."""
        return _SHARED.setdefault((endpoint, model, requests, tokens), Limiter(requests, tokens))

    def acquire(self, tokens: float = 0.0) -> float:
        """Waits until a call of about so many tokens may start; returns the time at which it starts, for `pause`."""
        # One thread waits for the limit, all others for their turn.
        with self._turn:
            while (wait := self._try(tokens)) > 0:
                self._sleep(wait)
            return self._clock()

    def settle(self, estimated: float, actual: float) -> None:
        """Corrects the estimate of a call by the tokens that it took, zero if it failed."""
        with self._lock:
            if self._tokens is not None:
                self._tokens.level = min(self._tokens.size, self._tokens.level + estimated - actual)
            if actual > 0:
                self._gap = self._gap * _SPEED_UP if self._gap > _NO_GAP else 0.0

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
