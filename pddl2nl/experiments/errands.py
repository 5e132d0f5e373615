"""What travels with a run to the workers of a cluster, and what must be the same there and here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pddl2nl.baselines import TaskTexts
from pddl2nl.errors import InputError
from pddl2nl.experiments.jobs import Job, PlannerSpec
from pddl2nl.experiments.on_worker import Sight, sight
from pddl2nl.llm import public_url
from pddl2nl.llm.settings import load_catalogue
from pddl2nl.llm.urls import holds_more

__all__ = ["check_workers", "settings_text", "travelling"]


def check_workers(address: str, token: Path, seen: Mapping[str, Sight | BaseException]) -> tuple[Sight, ...]:
    """What those workers say of themselves that are still there.

    Args:
        address: of the cluster, for the message.
        token: the file that shows the folder of the records.
        seen: what each worker says of itself, or why it cannot.

    Raises:
        InputError: a worker is without pddl2nl, has another version, or would ask another endpoint.
    """
    here = sight(str(token))
    found: list[Sight] = []
    for worker, there in seen.items():
        if isinstance(there, OSError | TimeoutError):
            # It could not be reached: it has died since it was counted.
            continue
        if isinstance(there, BaseException):
            raise InputError(
                f"--cluster {address}: the worker {worker} cannot run pddl2nl: "
                f"{type(there).__name__}: {there}; install pddl2nl {here.versions[0]} where the workers run"
            )
        if there.versions != here.versions:
            raise InputError(
                f"--cluster {address}: the worker {worker} has pddl2nl {there.versions[0]} on Python "
                f"{there.versions[1]}, and here it is {here.versions[0]} on Python {here.versions[1]}; records "
                "would differ, and jobs may not be readable"
            )
        if there.variables != here.variables:
            said = [
                f"{name} is {that or 'not set'} there and {this or 'not set'} here"
                for (name, this), (_, that) in zip(here.variables, there.variables, strict=True)
                if this != that
            ]
            raise InputError(
                f"--cluster {address}: {', '.join(said)} (worker {worker}); set it where the workers "
                "run, or name base_url in the specification"
            )
        found.append(there)
    return tuple(found)


def travelling(job: Job) -> Job:
    """The job with what its files hold and, of others, their absolute paths.

    Raises:
        InputError: a file that cannot be read, or an address that holds what must not travel.
    """
    spec = job.spec
    if not isinstance(spec, PlannerSpec) and spec.base_url is not None and holds_more(spec.base_url):
        raise InputError(
            f"base_url ({public_url(spec.base_url)}) holds a user, a password or a query, and secrets do not travel to "
            "a cluster; leave base_url out, and set OPENAI_BASE_URL here and where the workers run"
        )
    if isinstance(spec, PlannerSpec):
        if spec.texts is not None:
            return job
        try:
            texts = TaskTexts(spec.domain.read_text(encoding="utf-8"), spec.problem.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}") from error
        return Job(job.name, replace(spec, texts=texts))
    changed: dict[str, Any] = {
        name: Path(value).resolve()
        for name in ("example", "example_plan")
        if isinstance(value := getattr(spec, name), str | Path) and value != "none"
    }
    return Job(job.name, replace(spec, **changed)) if changed else job


def settings_text(models_file: Path | None) -> str | None:
    """The settings by model, as a text that can travel.

    Raises:
        InputError: the file cannot be read, or holds a secret, which must not travel.
    """
    path = models_file or os.environ.get("PDDL2NL_MODELS")
    if not path:
        return None
    catalogue = load_catalogue(path)
    for name in (*catalogue.names(), *catalogue.patterns()):
        settings = catalogue.of(name)
        if settings.base_url is not None and holds_more(settings.base_url):
            raise InputError(
                f"{path}: the base_url of {name} holds a user, a password or a query, and secrets do not travel to a "
                "cluster; set OPENAI_BASE_URL here and where the workers run instead"
            )
        for header, value in settings.headers.items():
            if "$" not in value and settings.secret_header(header):
                raise InputError(
                    f"{path}: the header {header} of {name} holds a secret as it stands, and secrets do not travel to "
                    'a cluster; write "$VARIABLE" there, and set that variable where the workers run'
                )
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
