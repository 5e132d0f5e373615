"""The options of runs that an experiment's file may give, for all of its columns or for one."""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pddl2nl.experiments.spec import FORMS
from pddl2nl.experiments.spec_filters import FILTERS, memory_mb
from pddl2nl.experiments.thoughts import THOUGHTS
from pddl2nl.experiments.toml_places import Kind, TOMLText, choice, number, text, whole
from pddl2nl.nl import READING_POLICIES
from pddl2nl.nl.names import SCHEMES
from pddl2nl.policies.history import HISTORIES
from pddl2nl.policies.observations import FEEDBACKS
from pddl2nl.policies.prompting import UNSOLVABLE
from pddl2nl.policies.translating import TRANSLATORS
from pddl2nl.policies.understanding import ON_AMBIGUOUS

__all__ = ["HIERARCHICAL", "NOT_HIERARCHICAL", "OPTIONS", "PLANNER_OPTIONS", "ROLES", "References"]

OPTIONS: dict[str, Kind] = {
    "names": choice(SCHEMES),
    "names_seed": whole(0),
    "translator": choice(TRANSLATORS),
    "translator_model": text,
    "wording_model": text,
    "reading": choice(READING_POLICIES),
    "on_ambiguous": choice(ON_AMBIGUOUS),
    "example": text,
    "example_plan": text,
    "thoughts": choice(THOUGHTS),
    "thoughts_model": text,
    "history": choice(HISTORIES),
    "feedback": choice(FEEDBACKS),
    "unsolvable": choice(UNSOLVABLE),
    "samples": whole(1),
    "rounds": whole(0),
    "task_text": text,
    "form": choice(FORMS),
    "faults": text,
    "ontology": text,
    "library": text,
    "embedding_model": text,
    "replans": whole(0),
    "steps": whole(1),
    "temperature": number(0),
}
"""Fields of `RunSpec` that a file may give."""
PLANNER_OPTIONS: dict[str, Kind] = {"planner_seconds": whole(1), "planner_memory": FILTERS["memory"]}
"""The limits of baselines."""
HIERARCHICAL = ("task_text", "form", "faults", "ontology", "library", "embedding_model", "replans")
"""The options that hierarchical policies alone have a use for."""
NOT_HIERARCHICAL = (
    *("translator", "translator_model", "example", "example_plan", "thoughts", "thoughts_model"),
    *("samples", "rounds", "unsolvable"),
)
"""Those that other policies which ask a model have a use for, and hierarchical ones have not."""
ROLES = ("translator_model", "thoughts_model", "wording_model")
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
        if "planner_memory" in said:
            found["planner_memory"] = memory_mb(said["planner_memory"])
        return found
