"""What a worker of a cluster does: plays runs, by the same rules as a thread of the experiment itself.

A worker that sees the experiment's folder plays the run there: with the same locks, going on with what a run has left.
That it is the same folder a token shows, a file which the experiment puts into it. Another worker plays in a folder of
its own: what the run has left travels to it, and what it leaves travels back.

Keys do not travel: a worker takes them from its own environment.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import signal
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.jobs import Job
from pddl2nl.experiments.records.writer import partial_path, resuming_path
from pddl2nl.experiments.run_one import Left, Result, Terms, record_path, run_one
from pddl2nl.experiments.stopping import Stop
from pddl2nl.llm import public_url
from pddl2nl.policies.budget import Account, Limits, SharedBudget

__all__ = ["Errand", "Played", "Sight", "files_of", "halt", "keep_files", "play_there", "sight"]

_LOG = logging.getLogger(__name__)
_VARIABLES = ("OPENAI_BASE_URL",)
"""Variables by which runs would go elsewhere; they must be the same here and there."""


@dataclass(frozen=True)
class Errand:
    """The settings that all runs of an experiment share, as sent to the workers.

    Attributes:
        name: of this start of the experiment, no other's.
        folder: of the records, absolute; ``token`` is the name of a file in it.
        carried: whether records travel in any case, as there are workers that do not see the folder.
        host: where the experiment was started.
        cache, cache_needed, requests_per_minute, tokens_per_minute: as in `Access`; the limits are of all workers.
        settings: the text of the file of settings by model; None for the shipped ones.
        budget: of all runs.
    """

    name: str
    folder: str
    token: str
    carried: bool
    host: str
    cache: str | None
    cache_needed: bool
    requests_per_minute: float | None
    tokens_per_minute: float | None
    settings: str | None
    budget: Limits


@dataclass(frozen=True)
class Played:
    """The result of a run on a worker.

    ``spent`` was paid for it there. ``refused`` says why an endpoint refuses for good, empty where none does. ``files``
    are what the run has left, by what follows its name; None where they lie in the experiment's folder already.
    """

    result: Result
    spent: Account
    refused: str = ""
    files: Mapping[str, bytes] | None = None


@dataclass(frozen=True)
class Sight:
    """A worker's view: whether it sees the folder, and its versions and variables, which must match."""

    shared: bool
    versions: tuple[str, str]
    variables: tuple[tuple[str, str], ...]


def sight(token: str) -> Sight:
    """The view of this process; ``token`` is the path of the file that identifies the folder."""
    said = [(name, public_url(os.environ[name]) if name in os.environ else "") for name in _VARIABLES]
    python = ".".join(platform.python_version_tuple()[:2])
    return Sight(os.path.exists(token), (_version(), python), tuple(said))


def _version() -> str:
    try:
        return metadata.version("pddl2nl")
    except metadata.PackageNotFoundError:
        return ""


def dask_setup(worker: object) -> None:
    """Called by Dask when it preloads this module: makes the worker ignore Ctrl-C at the terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# ── stops ────────────────────────────────────────────────────────────────────────────────────────

_STOPS: dict[str, Stop] = {}
_LOCK = threading.Lock()


def _stop_of(name: str) -> Stop:
    with _LOCK:
        return _STOPS.setdefault(name, Stop())


def halt(name: str, reason: str, now: bool, searches: bool) -> None:
    """Starts no further run of this experiment here; with ``now``, also stops running ones.

    ``searches`` says whether planners are ended as well, which are those of all experiments on this worker.
    """
    _stop_of(name).wish(reason, now=now, interrupted=True)
    if searches:
        stop_searches()


# ── a run ────────────────────────────────────────────────────────────────────────────────────────


def play_there(packed: bytes, errand: Errand, share: float, already: Account, files: Mapping[str, bytes]) -> Played:
    """Plays a run on this worker.

    Args:
        packed: the job, pickled.
        errand: what it has in common with others.
        share: the part of the limits a minute that is this process's.
        already: what all runs have spent so far, of the budget.
        files: what the run has left, where records travel.
    """
    job: Job = pickle.loads(packed)
    budget = SharedBudget(errand.budget, already)
    stop = _stop_of(errand.name)
    terms = Terms(Path(errand.folder), _access(errand, share), stop, budget)
    if not errand.carried and os.path.exists(os.path.join(errand.folder, errand.token)):
        return Played(_told(run_one(job, terms)), budget.spent, _refused(stop))
    with tempfile.TemporaryDirectory(prefix="pddl2nl-run-", ignore_cleanup_errors=True) as place:
        terms = replace(terms, folder=Path(place))
        keep_files(terms.folder, job, files)
        result = run_one(job, terms)
        return Played(_told(result), budget.spent, _refused(stop), files_of(terms.folder, job))


def _refused(stop: Stop) -> str:
    return (stop.reason or "") if stop.refused else ""


def _told(result: Result) -> Result:
    """The result; an impossible run names the worker, because it may be possible elsewhere."""
    if isinstance(result, Left) and result.how == "bad":
        return Left(
            "bad",
            f"{result.message} (said on a worker on {platform.node()} in {Path.cwd()}: keys do not travel, so they and "
            "the files that a run names must be there)",
        )
    return result


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
"""They are removed when the process ends."""


@lru_cache(maxsize=8)
def _access(errand: Errand, share: float) -> Access:
    """The access to models from here: one connection and one limiter for all runs of an experiment."""
    settings = None
    if errand.settings is not None:
        _FOLDERS.append(tempfile.TemporaryDirectory(prefix="pddl2nl-models-"))
        settings = Path(_FOLDERS[-1].name) / "models.toml"
        settings.write_text(errand.settings, encoding="utf-8")
    return Access(
        cache=None if errand.cache is None else _cache_here(Path(errand.cache), errand.host),
        cache_needed=errand.cache_needed and not errand.carried,
        models_file=settings,
        requests_per_minute=errand.requests_per_minute,
        tokens_per_minute=errand.tokens_per_minute,
        share=share,
        warn=_LOG.warning,
    )


def _cache_here(cache: Path, host: str) -> Path:
    """The cache, or on another machine one beside it: SQLite's write-ahead log works on one machine only."""
    here = platform.node()
    return cache if here == host else cache.with_name(f"{cache.stem}-{here}{cache.suffix}")


# ── what a run leaves ────────────────────────────────────────────────────────────────────────────


def files_of(folder: Path, job: Job) -> dict[str, bytes]:
    """The files of a run's record, finished or not, by their endings."""
    path = record_path(folder, job)
    found = {}
    for file in (path, partial_path(path), resuming_path(path)):
        if file.is_file():
            found[file.name.removeprefix(job.name)] = file.read_bytes()
    return found


def keep_files(folder: Path, job: Job, files: Mapping[str, bytes]) -> None:
    """Writes the files of a run into a folder atomically, and removes those that no longer exist."""
    path = record_path(folder, job)
    for file in (path, partial_path(path), resuming_path(path)):
        content = files.get(file.name.removeprefix(job.name))
        if content is None:
            file.unlink(missing_ok=True)
        else:
            coming = path.with_name(path.name + ".coming")
            coming.write_bytes(content)
            os.replace(coming, file)
