"""Fast Downward as a separate process: its driver, its limits, its exit codes, its log.

The planner is the one that the package up-fast-downward ships. The package is found but never imported: its
``__init__`` imports unified-planning, which takes seconds, and Fast Downward (GPL) stays a separate program.
Exit codes follow https://www.fast-downward.org/latest/documentation/exit-codes/.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from pddl2nl.baselines.result import Status
from pddl2nl.baselines.watchdog import begin_watching, watched_group
from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError
from pddl2nl.limits import processors

MIN_MEMORY_MB = 64
"""The smallest memory limit: with less the translator's Python does not start, which the driver reports as a crash."""

DEFAULT_SECONDS = 1800
"""The time limit of a search unless another is given: 30 minutes, as in the International Planning Competition."""
MAX_SECONDS = 1000 * 3600
MAX_MEMORY_MB = 1 << 27
"""The largest limits: 1000 hours and 128 TB. Operating systems do not enforce larger ones."""

_MEANING: dict[int, tuple[Status, str]] = {
    # A plan was found; 1 to 3 say that a limit ended the search for a better one.
    **dict.fromkeys((0, 1, 2, 3), ("solved", "")),
    # Proved by the translator, or by the search.
    **dict.fromkeys((10, 11), ("unsolvable", "proved to have no plan")),
    # 12: an incomplete search came to its end, 13: unsolvable below a bound that we never set. Neither is a proof.
    **dict.fromkeys((12, 13), ("error", "the search ended without a plan and without a proof that there is none")),
    **dict.fromkeys((20, 22), ("out-of-memory", "no plan within the memory limit")),
    # 24: out of memory and of time, in a portfolio.
    **dict.fromkeys((21, 23, 24), ("timeout", "no plan within the time limit")),
}
_UNSUPPORTED = {
    # The translator does not read the files, which our own reader did: a feature that it does not know.
    31: "Fast Downward does not support a feature of the task",
    34: "this search does not support a feature of the task",
}
"""What exit codes mean."""
_SEATS = threading.BoundedSemaphore(processors())
"""At most one search per processor at a time: an experiment has many more threads."""
_RUNNING: set[subprocess.Popen[bytes]] = set()
_stops = 0
"""How often searches were stopped; `search_each` compares it to know whether to go on."""
_KILLED_BY_TIME_LIMIT = 256 - signal.SIGXCPU
_EXPANDED = re.compile(r"^\[t=[^\]]*\] Expanded (\d+) state\(s\)\.$", re.MULTILINE)
_TRANSLATED = re.compile(r"^Done! \[([0-9.]+)s CPU", re.MULTILINE)
_TRANSLATION_ENDED = re.compile(r"^translate exit code: 0$", re.MULTILINE)
_PLANNER_TIME = re.compile(r"Planner time: ([0-9.]+)s")
_NO_NEWS = re.compile(
    r"^\s*$|^INFO|^Driver aborting|exit code: \d+$|^Peak memory|^Remove intermediate"
    r"|^Terminating\.$|^Tried to use unsupported feature\.$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class SearchOutcome:
    """How one run of Fast Downward ended; the plan's text is not validated yet.

    ``seconds`` is CPU time, which counts for the time limit; where the driver was killed before it told it, only
    ``wall_seconds`` is known. ``exit_code`` is the driver's, None if it was killed.
    """

    status: Status
    plan_text: str | None
    seconds: float
    expanded: int | None
    exit_code: int | None
    message: str
    wall_seconds: float = 0.0


@dataclass(frozen=True)
class _Ended:
    exit_code: int | None
    log: str
    errors: str
    plan_text: str | None
    wall_seconds: float
    # Whether the search numbers its plans, because it goes on after the first one.
    anytime: bool
    # Seconds that an earlier run spent on the translation that this one starts from.
    translated: float = 0.0


def find_driver() -> Path:
    """The driver script inside the package up-fast-downward.

    Raises:
        MissingExtraError: the package is not installed.
        InfrastructureError: the package contains no driver.
    """
    spec = importlib.util.find_spec("up_fast_downward")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("up-fast-downward", "planners", "Planning with Fast Downward")
    driver = Path(next(iter(spec.submodule_search_locations))) / "downward" / "fast-downward.py"
    if not driver.is_file():
        raise InfrastructureError(
            f"the installed package up-fast-downward contains no Fast Downward: {driver} does not exist"
        )
    return driver


def search_each(
    domain: Path,
    problem: Path,
    searches: Sequence[Sequence[str]],
    *,
    time_limit: int | None = None,
    memory_limit_mb: int | None = None,
) -> tuple[SearchOutcome, ...]:
    """Runs Fast Downward on two files, for one search after the other, each within the limits.

    The task is translated once, in a temporary folder; that time counts for every search. A search is killed when this
    process ends, however it ends (`pddl2nl.baselines.watchdog`).

    Args:
        domain, problem: the PDDL files.
        searches: the options of each: ``--search CONFIGURATION`` or ``--alias NAME``.
        time_limit: seconds of CPU time, translator and search together, as planning competitions count it; a search
            that takes more than four times as long plus ten seconds by the clock is stopped as well. None for
            `DEFAULT_SECONDS`.
        memory_limit_mb: MiB of address space for each of the two processes, at least `MIN_MEMORY_MB`.

    Raises:
        MissingExtraError: Fast Downward is not installed.
        InputError: an impossible limit.
        InfrastructureError: the process cannot be started, or reports success without a plan.
    """
    time_limit = DEFAULT_SECONDS if time_limit is None else time_limit
    _check_limits(time_limit, memory_limit_mb)
    driver = find_driver()
    patience = 4 * time_limit + 10
    outcomes, stops = [], _stops
    with tempfile.TemporaryDirectory(prefix="pddl2nl-fd-", ignore_cleanup_errors=True) as folder:
        inputs: tuple[Path, ...] = (domain.resolve(), problem.resolve())
        translated = 0.0
        for number, options in enumerate(searches):
            if _stops != stops:
                raise InfrastructureError("the searches were stopped")
            place = Path(folder) / str(number)
            place.mkdir()
            command = _command(driver, inputs, options, place, time_limit, memory_limit_mb)
            ended = replace(_run(command, place, patience), translated=translated)
            if _TRANSLATION_ENDED.search(ended.log):
                inputs = (place / "task.sas",)
                translated = float((_TRANSLATED.findall(ended.log) or ["0"])[-1])
            outcomes.append(_outcome(ended, time_limit))
    return tuple(outcomes)


@lru_cache(maxsize=1)
def version() -> str:
    """The planner's name and version: ``Fast Downward 26.6``.

    Raises:
        MissingExtraError: it is not installed.
        InfrastructureError: it cannot be started.
    """
    command = [sys.executable, str(find_driver()), "--version"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise InfrastructureError(f"Fast Downward cannot be started: {error}") from error
    return said.splitlines()[0].strip() if said.strip() else "Fast Downward"


def _check_limits(time_limit: int, memory_limit_mb: int | None) -> None:
    if not 1 <= time_limit <= MAX_SECONDS:
        raise InputError(f"a time limit is a whole number of seconds from 1 to {MAX_SECONDS}; found {time_limit}")
    if memory_limit_mb is not None and not MIN_MEMORY_MB <= memory_limit_mb <= MAX_MEMORY_MB:
        raise InputError(f"a memory limit is from {MIN_MEMORY_MB} to {MAX_MEMORY_MB} MB; found {memory_limit_mb}")


def _command(
    driver: Path,
    inputs: Sequence[Path],
    options: Sequence[str],
    folder: Path,
    time_limit: int,
    memory_limit_mb: int | None,
) -> list[str]:
    files = ["--sas-file", str(folder / "task.sas"), "--plan-file", str(folder / "plan")]
    # The driver rounds the time left after each stage down to whole seconds, so a limit of 1 s would leave nothing for
    # the translator: it gets one second more, and a plan found after the limit is discarded.
    limits = ["--overall-time-limit", f"{time_limit + 1}s"]
    if memory_limit_mb is not None:
        limits += ["--overall-memory-limit", f"{memory_limit_mb}M"]
    alias = list(options) if options[0] == "--alias" else []
    after = [] if alias else list(options)
    return [sys.executable, str(driver), *files, *limits, *alias, *map(str, inputs), *after]


def _run(command: Sequence[str], folder: Path, patience: float) -> _Ended:
    # The translator iterates over sets of names: with a fixed hash seed its output, and so the plan, is reproducible.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    with _SEATS, open(folder / "log", "wb") as log, open(folder / "errors", "wb") as errors:
        began = time.monotonic()
        try:
            begin_watching()
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise InfrastructureError(f"Fast Downward cannot be started: {error}") from error
        exit_code: int | None = None
        _RUNNING.add(process)
        try:
            with watched_group(process.pid):
                exit_code = process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            pass
        except OSError as error:
            raise InfrastructureError(f"Fast Downward's watchdog cannot be started: {error}") from error
        finally:
            _RUNNING.discard(process)
            # Also on Ctrl-C: the driver leads a group of its own, which the terminal's signal does not reach.
            _kill_group(process)
    wall_seconds = time.monotonic() - began
    numbered = sorted(folder.glob("plan.*"), key=lambda path: int(path.suffix[1:]), reverse=True)
    plans = [
        path.read_text(encoding="utf-8", errors="replace") for path in (folder / "plan", *numbered) if path.is_file()
    ]
    # The last line of a plan tells its cost; the last plan may have been cut off.
    plan_text = next((text for text in plans if not numbered or "; cost" in text), None)
    return _Ended(
        exit_code=exit_code,
        log=(folder / "log").read_text(encoding="utf-8", errors="replace"),
        errors=(folder / "errors").read_text(encoding="utf-8", errors="replace"),
        plan_text=plan_text,
        wall_seconds=wall_seconds,
        anytime=bool(numbered),
    )


def stop_searches() -> None:
    """Kills the searches of all threads. A signal to this process does not reach them."""
    global _stops
    _stops += 1
    for process in tuple(_RUNNING):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    code = process.poll()
    if code is None or code < 0:
        # A driver that was killed may have left a search in its group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _outcome(ended: _Ended, time_limit: int) -> SearchOutcome:
    expanded = [*map(int, _EXPANDED.findall(ended.log))]
    if ended.anytime and "Cumulative statistics" not in ended.log:
        # Those of the searches that came to their end.
        expanded.append(sum(expanded))
    status, message = _judge(ended, time_limit)
    if status == "solved" and ended.plan_text is None:
        raise InfrastructureError(f"Fast Downward reports success but wrote no plan: {_last_words(ended)}")
    return SearchOutcome(
        status=status,
        plan_text=ended.plan_text if status == "solved" else None,
        seconds=_cpu_seconds(ended),
        expanded=expanded[-1] if expanded else None,
        exit_code=ended.exit_code,
        message=message,
        wall_seconds=ended.wall_seconds + ended.translated,
    )


def _judge(ended: _Ended, time_limit: int) -> tuple[Status, str]:
    code = ended.exit_code
    if ended.anytime and ended.plan_text is not None:
        return "solved", "" if code == 0 else "a limit ended the search for a better plan"
    if code is None:
        return "timeout", f"stopped after {ended.wall_seconds:.0f} s of wall time"
    if code == _KILLED_BY_TIME_LIMIT or _cpu_seconds(ended) > time_limit:
        return "timeout", f"no plan within {time_limit} s"
    if code in _MEANING:
        return _MEANING[code]
    if code in _UNSUPPORTED:
        return "unsupported", f"{_UNSUPPORTED[code]} (exit code {code}): {_last_words(ended)}"
    return "error", f"Fast Downward ended with exit code {code}: {_last_words(ended)}"


def _cpu_seconds(ended: _Ended) -> float:
    found = _PLANNER_TIME.findall(ended.log + ended.errors)
    return ended.translated + (float(found[-1]) if found else 0.0)


def _last_words(ended: _Ended) -> str:
    for text in (ended.errors, ended.log):
        # If the translator crashes, the driver prints its output as a bytes literal.
        text = text.replace("\\n", "\n") if text.startswith("b'") else text
        lines = [line.strip() for line in text.splitlines() if not _NO_NEWS.search(line)]
        if lines:
            return " / ".join(lines[-3:])
    return "no output"
