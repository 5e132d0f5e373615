"""A cluster for the runs of an experiment: Dask distributed, a scheduler that is there or one of Dask's deployments.

Nothing is scheduled here. ``--cluster`` names a running scheduler, or a kind of deployment that Dask
itself starts and scales: processes of this machine, jobs of Slurm or PBS (https://jobqueue.dask.org), pods of
Kubernetes (https://kubernetes.dask.org). What a deployment needs to know (queue, cores, image) are keyword arguments
of Dask's own class, which stand in the table ``[cluster]`` of a specification.
"""

from __future__ import annotations

import logging
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError

__all__ = ["DEPLOYMENTS", "Cluster", "Deployment", "check_address", "open_cluster"]

_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")
_PATIENCE = 30.0
_SHORT_LOGS = {"distributed.admin.log-length": 200, "distributed.admin.low-level-log-length": 200}
"""Of what its scheduler did Dask keeps the last 10,000 events, which hold whole runs; ours is part of this process."""
_SOME_PORT = "127.0.0.1:0"
_PRELOAD = "pddl2nl.experiments.cluster.worker"
"""What processes of this machine load first: it makes them ignore Ctrl-C, which only the experiment handles."""


@dataclass(frozen=True)
class Deployment:
    """A kind of cluster that Dask starts: its class, the extra of pddl2nl with it, and the command that it needs."""

    module: str
    name: str
    extra: str
    command: str | None = None

    @property
    def package(self) -> str:
        """The package to install, by its name on PyPI."""
        return self.module.partition(".")[0].replace("_", "-")


DEPLOYMENTS: dict[str, Deployment] = {
    "local": Deployment("distributed", "LocalCluster", "cluster"),
    "slurm": Deployment("dask_jobqueue", "SLURMCluster", "cluster", "sbatch"),
    "pbs": Deployment("dask_jobqueue", "PBSCluster", "cluster", "qsub"),
    "kubernetes": Deployment("dask_kubernetes.operator", "KubeCluster", "kubernetes"),
}
"""The deployments by their name in ``--cluster``."""


@dataclass(frozen=True)
class Cluster:
    """A connection to a scheduler.

    Attributes:
        client: a ``distributed.Client``.
        address: as it was given, for messages.
        deployed: the deployment that was started for this experiment and ends with it; None for a scheduler that was
            there.
        workers: how many workers the deployment is to have; None where that is not ours to say.
    """

    client: Any
    address: str
    deployed: Any = None
    workers: int | None = None


def check_address(address: str) -> None:
    """Raises `InputError` if ``--cluster`` does not accept the address."""
    kind, _, count = address.partition(":")
    if kind == "local" and count:
        if not count.isascii() or not count.isdigit() or int(count) == 0:
            raise InputError(f"--cluster {address}: local:N takes a number of processes from 1; found {count!r}")
    elif address not in DEPLOYMENTS and not address.startswith(_SCHEMES) and not Path(address).is_file():
        raise InputError(
            f"--cluster {address}: neither the address of a scheduler (tcp://HOST:8786), nor the file that one writes "
            f"(dask scheduler --scheduler-file FILE), nor one of {', '.join(DEPLOYMENTS)} (local:N for N processes)"
        )


@contextmanager
def open_cluster(
    address: str,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
    *,
    patience: float = _PATIENCE,
) -> Iterator[Cluster]:
    """Connects to a scheduler, or starts a deployment, for as long as the context lasts.

    Args:
        address: ``tcp://HOST:PORT`` or the scheduler's file; ``local`` or ``local:N`` for N processes of this machine;
            ``slurm``, ``pbs`` or ``kubernetes``.
        options: keyword arguments of the deployment's class in Dask; of them ``workers`` is the number to scale to.
            A scheduler that is there takes none.
        workers: the number to scale to, over that in the options.
        patience: seconds for which a scheduler is waited for, at first and when the connection is lost.

    Raises:
        InputError: an address that is none, or options that Dask's class does not take; `MissingExtraError` where a
            package is missing, with the command that installs it.
        InfrastructureError: the scheduler cannot be reached, or the deployment does not start.
    """
    check_address(address)
    client_class = _class(Deployment("distributed", "Client", "cluster"), address)
    said = dict(options or {})
    scaled = said.pop("workers", None) if workers is None else workers
    said.pop("workers", None)
    if scaled is not None and (not isinstance(scaled, int) or isinstance(scaled, bool) or scaled < 1):
        raise InputError(f"[cluster] workers: a whole number from 1 was expected; found {scaled!r}")
    # What is lost or restarted is said by us, once.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    kind, _, count = address.partition(":")
    if kind not in DEPLOYMENTS:
        with _connected(client_class, address, patience) as client:
            yield Cluster(client, address)
        return
    size = int(count) if count else scaled or said.pop("n_workers", None) or (os.cpu_count() or 1)
    with _deployed(DEPLOYMENTS[kind], address, said, size) as deployed, _client(client_class, deployed) as client:
        yield Cluster(client, address, deployed, size)


def _class(deployment: Deployment, address: str) -> Any:
    try:
        return getattr(import_module(deployment.module), deployment.name)
    except ImportError as error:
        raise MissingExtraError(deployment.package, deployment.extra, f"--cluster {address}") from error


@contextmanager
def _connected(client_class: Any, address: str, patience: float) -> Iterator[Any]:
    where = {"address": address} if address.startswith(_SCHEMES) else {"scheduler_file": address}
    try:
        client = client_class(**where, timeout=patience, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InfrastructureError(
            f"--cluster {address}: no scheduler answers there ({type(error).__name__}); 'dask scheduler' starts one, "
            "and says its address"
        ) from error
    except (ValueError, KeyError) as error:
        raise InputError(f"--cluster {address}: {error}") from error
    try:
        yield client
    finally:
        _closed(client)


@contextmanager
def _client(client_class: Any, deployed: Any) -> Iterator[Any]:
    client = client_class(deployed, set_as_default=False)
    try:
        yield client
    finally:
        _closed(client)


def _closed(client: Any) -> None:
    # It may be gone already; the next call to it reports that.
    with suppress(Exception):
        client.close(timeout=2)


@contextmanager
def _deployed(deployment: Deployment, address: str, options: dict[str, Any], size: int) -> Iterator[Any]:
    cluster_class = _class(deployment, address)
    if deployment.command is not None and shutil.which(deployment.command) is None:
        raise InfrastructureError(
            f"--cluster {address}: there is no command {deployment.command} here; start the experiment where jobs are "
            "submitted, or give the address of a scheduler"
        )
    if deployment.name == "LocalCluster":
        # A process a run, and no page that others can reach, unless the user's settings say otherwise.
        options = {
            "threads_per_worker": 1,
            "dashboard_address": _SOME_PORT,
            "silence_logs": logging.CRITICAL,
            **options,
        }
        options |= {"n_workers": size, "preload": [*options.get("preload", ()), _PRELOAD]}
    try:
        with warnings.catch_warnings(), import_module("dask").config.set(_SHORT_LOGS):
            # Another scheduler on this machine may have the usual port for Dask's own pages already.
            warnings.filterwarnings("ignore", message=r"\s*Port \d+ is already in use")
            cluster = cluster_class(**options)
    except Exception as error:
        wrong: type[Exception] | UnionType = TypeError | ValueError
        if deployment.name == "KubeCluster":
            # What came into being half way would be closed at exit, with a traceback as nothing can be reached.
            getattr(cluster_class, "_instances", set()).clear()
            # Missing credentials are a ValueError.
            wrong = TypeError
        # Some classes find a wrong argument only when they start, and say so inside another error.
        if isinstance(error, wrong) or "TypeError(" in str(error):
            raise InputError(
                f"[cluster]: {deployment.name} of {deployment.package} does not take that: {error}; its documentation "
                "says what it takes"
            ) from error
        raise InfrastructureError(f"--cluster {address}: it does not start: {type(error).__name__}: {error}") from error
    local = deployment.name == "LocalCluster"
    try:
        if not local:
            cluster.scale(size)
        yield cluster
    finally:
        with suppress(Exception):
            # Processes of this machine that still wait for a reply are killed; jobs elsewhere are to be cancelled.
            cluster.close(timeout=1 if local else 5)
