"""Policies, models and metrics of other packages: by an entry point, or as ``module:Name``.

A package registers what it adds in its ``pyproject.toml``::

    [project.entry-points."pddl2nl.policies"]
    careful = "my_package:Careful"        # a class or function that makes a `Policy`

    [project.entry-points."pddl2nl.models"]
    shout = "my_package:shout"            # a `ModelFactory`, for --model shout:ARGUMENT

    [project.entry-points."pddl2nl.metrics"]
    detours = "my_package:DETOURS"        # a `RunMetric`
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points, packages_distributions, version
from pathlib import Path
from typing import Any

from pddl2nl.errors import InputError

POLICY_GROUP, MODEL_GROUP, METRIC_GROUP = _GROUPS = ("pddl2nl.policies", "pddl2nl.models", "pddl2nl.metrics")
_OURS = ("pddl2nl", "pddlval")


@lru_cache
def installed(group: str) -> EntryPoints:
    """The entry points of installed packages in a group."""
    return entry_points(group=group)


def load_object(path: str) -> Any:
    """What ``module:Name`` names; modules in the current folder are found too.

    Importing a module runs its code, so a path comes from the user, never from a record or a model.

    Raises:
        InputError: there is no such module, it cannot be imported, or it has no such name.
    """
    module, _, name = path.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        value: Any = import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except AttributeError as error:
        raise InputError(f"{path}: {error}") from error
    except Exception as error:
        raise InputError(f"{path}: cannot import {module}: {type(error).__name__}: {error}") from error
    return value


def make_object(path: str) -> Any:
    """An object of the class that ``module:Class`` names.

    Raises:
        InputError: as `load_object`, or it cannot be made without arguments.
    """
    made = load_object(path)
    try:
        return made()
    except Exception as error:
        raise InputError(f"{path}() failed: {type(error).__name__}: {error}") from error


@lru_cache
def origin(module: str) -> Mapping[str, str]:
    """The distribution that a module belongs to, with its version; empty for the modules of this toolkit.

    A module of no distribution, such as a notebook's ``__main__``, stands under its own name.
    """
    package = module.partition(".")[0]
    if package in _OURS:
        return {}
    for entry in (entry for group in _GROUPS for entry in installed(group)):
        if entry.dist is not None and entry.module.partition(".")[0] == package:
            return {entry.dist.name: entry.dist.version}
    names = packages_distributions().get(package, ())
    return {name: version(name) for name in names} or {package: "no distribution"}
