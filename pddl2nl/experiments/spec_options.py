"""The options of runs that an experiment's file may give, for all of its columns or for one."""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pddl2nl.experiments.spec import RUN_OPTIONS, Option
from pddl2nl.experiments.spec_filters import FILTERS, memory_mb, whole_seconds
from pddl2nl.experiments.toml_places import Kind, TOMLText, choice, number, text, whole

__all__ = ["OPTIONS", "PLANNER_OPTIONS", "ROLES", "References"]


def _kind(option: Option) -> Kind:
    """What a file may give for an option."""
    if option.choices:
        return choice(option.choices)
    if option.time:
        return FILTERS["within"]
    if option.kind is int:
        return whole(int(option.at_least or 0))
    return number(option.at_least or 0) if option.kind is float else text


OPTIONS: dict[str, Kind] = {name: _kind(option) for name, option in RUN_OPTIONS.items() if option.in_file}
"""Fields of `RunSpec` that a file may give."""
PLANNER_OPTIONS: dict[str, Kind] = {"planner_seconds": FILTERS["within"], "planner_memory": FILTERS["memory"]}
"""The limits of baselines."""
ROLES = tuple(name for name, option in RUN_OPTIONS.items() if option.model and option.in_file)
"""The options that name models."""
_FILES = ("example", "example_plan", "ontology")


class References:
    """What a file names: other files, relative to it, and models.

    Attributes:
        named: the key under which a model was named first, and what it is called there.
    """

    def __init__(self, file: TOMLText):
        self._file = file
        self.named: dict[str, tuple[tuple[str, ...], str]] = {}

    def path(self, name: str) -> Path:
        """A path of the file, which is relative to it."""
        return self._file.path.parent / Path(name).expanduser()

    def file_at(self, name: str | None, *keys: str) -> Path | None:
        """A file that must be there."""
        if name is None:
            return None
        path = self.path(name)
        if not path.is_file():
            self._file.wrong(f"'{'.'.join(keys)}' is {name!r}, and there is no file {path}", *keys)
        return path

    def model(self, name: str, *keys: str) -> str:
        """The model; the path in ``script:FILE`` and ``replay:DIR`` is relative to the file as well."""
        kind, colon, argument = name.partition(":")
        model = f"{kind}:{self.path(argument)}" if colon and argument and kind in ("script", "replay") else name
        self.named.setdefault(model, (keys, name))
        return model

    def options(self, said: Mapping[str, Any], *keys: str) -> dict[str, Any]:
        """Options with their paths and models found."""
        found = dict(said)
        for role in ROLES:
            if role in said:
                found[role] = self.model(said[role], *keys, role)
        for key in _FILES:
            if said.get(key, "none") != "none":
                found[key] = self.file_at(said[key], *keys, key)
        if "library" in said:
            found["library"] = self.path(said["library"])
        if "faults" in said and os.path.isfile(path := self.path(said["faults"])):
            # What is no file is a text that says the faults, and may be no path at all.
            found["faults"] = str(path)
        for key in ("planner_seconds", *(name for name, option in RUN_OPTIONS.items() if option.time)):
            if key in said:
                found[key] = whole_seconds(said[key])
        if "planner_memory" in said:
            found["planner_memory"] = memory_mb(said["planner_memory"])
        return found
