"""Requests and tokens a minute, shared by threads, on a clock of the test's own."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.llm import ModelConfigurationError
from pddl2nl.llm.endpoint.limiter import Limiter


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


def made(requests: float | None = None, tokens: float | None = None) -> tuple[Limiter, Clock]:
    clock = Clock()
    return Limiter(requests, tokens, clock=clock, sleep=clock.sleep), clock


def starts(limiter: Limiter, clock: Clock, amounts: list[float]) -> list[float]:
    began = clock.now
    found = []
    for amount in amounts:
        limiter.acquire(amount)
        found.append(clock.now - began)
    return found


def test_requests_begin_with_a_burst_of_ten_seconds_and_go_on_evenly() -> None:
    limiter, clock = made(requests=60)
    assert starts(limiter, clock, [0] * 14) == pytest.approx([0] * 10 + [1, 2, 3, 4])


def test_tokens_are_counted_and_a_call_larger_than_the_burst_is_possible() -> None:
    limiter, clock = made(tokens=600)
    assert starts(limiter, clock, [60, 40, 500, 10]) == pytest.approx([0, 0, 10, 51])


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(0, 30)), min_size=1, max_size=60))
def test_no_minute_holds_more_than_its_limit_and_the_burst(calls: list[tuple[float, float]]) -> None:
    limiter, clock = made(requests=30, tokens=1200)
    seen: list[tuple[float, float]] = []
    for tokens, idle in calls:
        limiter.acquire(tokens)
        seen.append((clock.now, tokens))
        clock.now += idle
    for begin, _ in seen:
        inside = [amount for when, amount in seen if begin <= when < begin + 60]
        assert len(inside) <= 30 + 5 + 1
        # The last one may be larger than what is left: it is waited for afterwards.
        assert sum(inside[:-1]) <= 1200 + 200 + 400 + 1e-6


def test_a_pause_holds_everybody_and_ends() -> None:
    limiter, clock = made()
    assert limiter.pause(20)
    assert not limiter.pause(5)
    assert starts(limiter, clock, [0]) == pytest.approx([20])


def test_threads_share_it() -> None:
    limiter = Limiter(6000)
    for _ in range(1000):
        limiter.acquire()
    done: list[float] = []

    def ask() -> None:
        limiter.acquire()
        done.append(time.monotonic() - began)

    began = time.monotonic()
    limiter.pause(0.2)
    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert len(done) == 6
    assert min(done) >= 0.2


def test_who_gives_up_waiting_lets_the_next_one_go() -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    now = [0.0]
    limiter = Limiter(60, clock=lambda: now[0], sleep=interrupt)
    limiter.pause(5)
    with pytest.raises(KeyboardInterrupt):
        limiter.acquire()
    now[0] = 6.0
    limiter.acquire()


@pytest.mark.parametrize("limit", [0, -1, float("inf"), float("nan")])
def test_a_limit_that_is_none_is_refused(limit: float) -> None:
    with pytest.raises(ModelConfigurationError, match="above zero"):
        Limiter(limit)
    with pytest.raises(ModelConfigurationError, match="tokens a minute"):
        Limiter(None, limit)
