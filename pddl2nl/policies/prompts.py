"""Prompts as text files: one class that finds, fills and hashes them. A user replaces one by a file of the same name.

A prompt holds placeholders, ``$domain``; the tags of `pddl2nl.nl.markers` (``$action``, ``$plan_start``) are filled in
any case.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from string import Template
from types import MappingProxyType

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.nl import markers

_TAGS = {tag: getattr(markers, tag.upper()) for tag in ("plan_start", "plan_end", "thought", "action", "look_around")}
_TAGS["no_plan"] = markers.NO_PLAN


class Prompts:
    """The prompt files of a package.

    Args:
        package: the package.
        folder: the folder in it that holds them.
        replaced: texts that replace those of files, by the file's name.
    """

    def __init__(
        self, package: str, folder: str = "prompts", replaced: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.package = package
        self.folder = folder
        self._replaced = replaced

    def names(self) -> tuple[str, ...]:
        """The files' names."""
        return _names(self.package, self.folder)

    def text(self, name: str) -> str:
        """A prompt with its placeholders."""
        return self._replaced[name] if name in self._replaced else _text(self.package, self.folder, name)

    def fill(self, name: str, **fields: str) -> str:
        """A prompt with its placeholders filled.

        Raises:
            InputError: a placeholder has no value, which only a user's prompt can have.
        """
        try:
            return Template(self.text(name)).substitute(_TAGS | fields)
        except (KeyError, ValueError) as error:
            known = ", ".join(f"${field}" for field in (*fields, *_TAGS))
            raise InputError(f"prompt {name}: {error} cannot be filled; there are {known}") from None

    def hash(self, name: str) -> str:
        """The SHA-256 of a prompt, for the record."""
        return hashlib.sha256(self.text(name).encode()).hexdigest()

    def replacing(self, replaced: Mapping[str, str]) -> Prompts:
        """These prompts with other texts.

        Raises:
            InputError: a name of no prompt.
        """
        for name in replaced:
            if name not in self.names():
                hint = did_you_mean(name, self.names(), f"; there are {', '.join(self.names())}")
                raise InputError(f"{name}: this policy has no such prompt{hint}")
        return Prompts(self.package, self.folder, replaced) if replaced else self


CORE_PROMPTS = Prompts("pddl2nl.policies")
"""The prompts of the policies that belong to no system, and of translations and thoughts."""


@lru_cache
def _names(package: str, folder: str) -> tuple[str, ...]:
    place = resources.files(package) / folder
    return tuple(sorted(each.name for each in place.iterdir() if each.name.endswith(".txt"))) if place.is_dir() else ()


@lru_cache
def _text(package: str, folder: str, name: str) -> str:
    return (resources.files(package) / folder / name).read_text(encoding="utf-8").strip()
