"""What all tests share: where the reference material lies, and whether a planner can run."""

from __future__ import annotations

import gc
import importlib.util
import itertools
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
_NUMBERS = itertools.count()
_NOT_OURS = re.compile(
    r"(AZURE_)?OPENAI_.*|PDDL2NL_(?!(?:SHARED|WRITE_GOLDEN|GOLDEN|GGUF)$).*|SSL_CERT_FILE|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy"
    r"|LINES|FORCE_COLOR|TTY_.*"
)

# As the command line does: the tasks that fixtures keep are many objects and no garbage, and looking through them for
# some again and again takes a good part of the suite's time.
gc.set_threshold(100_000)

# No test asserts on a clock, and the same checkout gives the same answer each time. `--hypothesis-profile=few` tries
# properties on a handful of examples, `--hypothesis-profile=explore` on new ones in every run.
settings.register_profile("few", deadline=None, derandomize=True, max_examples=5)
settings.register_profile("explore", deadline=None, max_examples=50)
settings.register_profile("same", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("same")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material (real tasks, VAL's verdicts, recorded replies)."""
    folder = Path(os.environ.get("PDDL2NL_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"the reference material is absent: no folder {folder}; set PDDL2NL_SHARED")
    return folder


@pytest.fixture(scope="session")
def needs_planner() -> None:
    """Skips where Fast Downward is not installed."""
    if importlib.util.find_spec("up_fast_downward") is None:
        pytest.skip("Fast Downward is absent: pip install 'pddl2nl[planners]'")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the checkout."""
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_is_heard() -> Iterator[None]:
    """Ctrl-C interrupts, whoever started the tests.

    A shell without job control (``sh -c 'pytest &'``, many CI runners) lets what it starts in the background ignore
    it, and processes that tests start would inherit that.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def _bare_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No keys, endpoints, settings, proxies or terminal of whoever runs the tests, and no certificates.

    Nothing needs these. To read the system's certificates takes some 40 ms for every client that is made, and every
    loopback server gets one of its own.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if _NOT_OURS.fullmatch(name):
                patch.delenv(name)
        patch.setenv("COLUMNS", "80")
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        yield


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, cache_folder: Path) -> None:
    """A cache of its own for every test: ports of loopback servers come again, and the user's cache is not ours."""
    monkeypatch.setenv("PDDL2NL_CACHE", str(cache_folder / f"{next(_NUMBERS)}.sqlite"))


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the caches of tests lie."""
    return tmp_path_factory.mktemp("caches")


# ── how much work an action is ───────────────────────────────────────────────────────────────────


def _steps(action: Callable[[], object]) -> int:
    """The calls that an action makes, of functions in Python and in C: the same on a busy machine."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


def _seconds(action: Callable[[], object]) -> float:
    # What other tests have left in memory is nothing to the collector for as long as this takes.
    gc.freeze()
    try:
        began = time.process_time()
        action()
        return time.process_time() - began
    finally:
        gc.unfreeze()


def _linear_steps(action: Callable[[Any], object], make: Callable[[int], Any], size: int) -> None:
    # Steps are no matter of chance, so that half of what the clock needs is enough.
    little, much = make(size), make(4 * size)
    action(little)
    small, large = _steps(lambda: action(little)), _steps(lambda: action(much))
    assert large < 6 * small, f"{small} steps for {size}, {large} for {4 * size}"


def _linear_seconds(action: Callable[[Any], object], make: Callable[[int], Any], size: int) -> None:
    little, much = make(size), make(8 * size)
    action(little)
    small = max(min(_seconds(lambda: action(little)) for _ in range(3)), 0.005)
    large = _seconds(lambda: action(much))
    if large > 24 * small:
        large = min(large, _seconds(lambda: action(much)))
    assert large < 24 * small, f"{small:.3f} s for {size}, {large:.3f} s for {8 * size}"


@pytest.fixture
def steps() -> Callable[[Callable[[], object]], int]:
    """``steps(action)``: how much work an action is, in calls, whatever else the machine does."""
    return _steps


@pytest.fixture(params=["steps", pytest.param("seconds", marks=pytest.mark.benchmark)])
def linear(request: pytest.FixtureRequest) -> Callable[[Callable[[Any], object], Callable[[int], Any], int], None]:
    """``linear(action, make, size)`` asserts that ``action(make(n))`` takes linear time, the making left out.

    It goes by the growth and not by the clock: eight times the size is eight times the work where it is linear, and 64
    times where it is quadratic. By default the work is counted in steps, which a busy machine does not change. What is
    lost within one call, as in a regular expression that goes back and forth, shows only in the seconds of the
    process: ``pytest -m benchmark``.
    """
    return _linear_steps if request.param == "steps" else _linear_seconds
