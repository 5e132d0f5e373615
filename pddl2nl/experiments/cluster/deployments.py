"""Connects to a Dask cluster: a running scheduler, or one of Dask's deployments.

A deployment is started and scaled by Dask: processes of this machine, jobs of Slurm or PBS
(https://jobqueue.dask.org), pods of Kubernetes (https://kubernetes.dask.org). What it needs to know (queue, cores,
image) are keyword arguments of Dask's own class, from the table ``[cluster]`` of a specification.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError

_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")
_PATIENCE = 30.0
_SHORT_LOGS = {"distributed.admin.log-length": 200, "distributed.admin.low-level-log-length": 200}
"""Dask's scheduler keeps its last 10,000 events, which hold whole runs; a local one is part of this process."""
_LOCAL_DEFAULTS = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
"""One run for each process, and no page that others can reach."""
_PRELOAD = "pddl2nl.experiments.cluster.worker"
"""Makes processes of this machine ignore Ctrl-C, which only the experiment handles."""


class Deployment(NamedTuple):
    """A kind of cluster that Dask starts: its class, the extra of pddl2nl with it, and the command that it needs."""

    module: str
    name: str
    extra: str
    command: str | None = None


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
        deployed: the deployment that was started for this experiment and ends with it; None for a running scheduler.
        workers: how many workers the deployment is to have; None for a running scheduler.
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
        workers: the number to scale to, over that in the options.
        patience: seconds for which a scheduler is waited for, at first and when the connection is lost.

    Raises:
        InputError: a wrong address, or options that Dask's class does not take; `MissingExtraError` where a package is
            missing.
        InfrastructureError: the scheduler cannot be reached, or the deployment does not start.
    """
    check_address(address)
    client_class = _class(Deployment("distributed", "Client", "cluster"), address)
    arguments = dict(options or {})
    in_options = arguments.pop("workers", None)
    scaled = in_options if workers is None else workers
    if scaled is not None and (type(scaled) is not int or scaled < 1):
        raise InputError(f"[cluster] workers: a whole number from 1 was expected; found {scaled!r}")
    # The experiment itself reports lost workers and schedulers.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    kind, _, count = address.partition(":")
    if kind not in DEPLOYMENTS:
        where = {"address": address} if address.startswith(_SCHEMES) else {"scheduler_file": address}
        with _closing(_connect(client_class, address, {**where, "timeout": patience}), 2) as client:
            yield Cluster(client, address)
        return
    size = int(count) if count else scaled or arguments.pop("n_workers", None) or (os.cpu_count() or 1)
    with (
        # Processes of this machine that still wait for a reply are killed; jobs elsewhere are to be cancelled.
        _closing(_deploy(DEPLOYMENTS[kind], address, arguments, size), 1 if kind == "local" else 5) as deployed,
        _closing(client_class(deployed, set_as_default=False), 2) as client,
    ):
        if kind != "local":
            deployed.scale(size)
        yield Cluster(client, address, deployed, size)


def _package(deployment: Deployment) -> str:
    return deployment.module.partition(".")[0].replace("_", "-")


def _class(deployment: Deployment, address: str) -> Any:
    handler = signal.getsignal(signal.SIGINT)
    try:
        return getattr(import_module(deployment.module), deployment.name)
    except ImportError as error:
        raise MissingExtraError(_package(deployment), deployment.extra, f"--cluster {address}") from error
    finally:
        # dask_jobqueue, when it is imported, makes Ctrl-C end the process at once.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


@contextmanager
def _closing(opened: Any, seconds: float) -> Iterator[Any]:
    """Closes a client or a deployment, which may be gone already."""
    try:
        yield opened
    finally:
        with suppress(Exception):
            opened.close(timeout=seconds)


def _connect(client_class: Any, address: str, arguments: Mapping[str, Any]) -> Any:
    try:
        return client_class(**arguments, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InfrastructureError(
            f"--cluster {address}: no scheduler answers there ({type(error).__name__}); 'dask scheduler' starts one "
            "and prints its address"
        ) from error
    except (ValueError, KeyError) as error:
        raise InputError(f"--cluster {address}: {error}") from error


def _deploy(deployment: Deployment, address: str, options: dict[str, Any], size: int) -> Any:
    cluster_class = _class(deployment, address)
    if deployment.command is not None and shutil.which(deployment.command) is None:
        raise InfrastructureError(
            f"--cluster {address}: there is no command {deployment.command} here; start the experiment where jobs are "
            "submitted, or give the address of a scheduler"
        )
    if deployment.name == "LocalCluster":
        preload = (*options.get("preload", ()), _PRELOAD)
        options = {**_LOCAL_DEFAULTS, **options, "n_workers": size, "preload": preload}
    try:
        with warnings.catch_warnings(), import_module("dask").config.set(_SHORT_LOGS):
            # Another scheduler on this machine may have the usual port for Dask's own pages already.
            warnings.filterwarnings("ignore", message=r"\s*Port \d+ is already in use")
            return cluster_class(**options)
    except Exception as error:
        # Wrong arguments; some classes find them only when they start, and say so inside another error. KubeCluster
        # raises ValueError where credentials are missing.
        wrong = isinstance(error, TypeError | ValueError) or "TypeError(" in str(error)
        if wrong and not (deployment.name == "KubeCluster" and isinstance(error, ValueError)):
            raise InputError(
                f"[cluster]: {deployment.name} of {_package(deployment)} does not take that: {error}; see its "
                "documentation"
            ) from error
        raise InfrastructureError(f"--cluster {address}: it does not start: {type(error).__name__}: {error}") from error
