"""Prompts as text files: one class that finds, fills and hashes them. A user replaces one by a file of the same name.

A prompt holds placeholders, ``$domain``; the tags of `pddl2nl.nl.markers` (``$action``, ``$plan_start``) are filled in
any case.

Prompts in stages and sections, as the systems with several kinds of prompts use them.

====================  ==========================================================================================
message               content
====================  ==========================================================================================
system                the first line is ``Stage: NAME``; the instruction follows
user, assistant, …    the examples of the stage: a question of the same layout, and the reply to it
user                  the question: sections in a fixed order, separated by empty lines
====================  ==========================================================================================

A section is a line ``NAME:`` and the lines below it. A line of its text that looks like a section's heading is indented
by one space, so that the sections can always be read back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from string import Template
from types import MappingProxyType

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.llm import Message
from pddl2nl.nl import markers

_TAGS = {tag: getattr(markers, tag.upper()) for tag in ("plan_start", "plan_end", "thought", "action", "look_around")}
_TAGS["no_plan"] = markers.NO_PLAN


class Prompts:
    """The prompt files of a package in a folder; ``replaced`` has texts in place of some, by the file's name."""

    def __init__(self, package: str, folder: str = "prompts", replaced: Mapping[str, str] = MappingProxyType({})):
        self.package = package
        self.folder = folder
        self._replaced = replaced

    def names(self) -> tuple[str, ...]:
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

    def lines(self, name: str) -> dict[str, str]:
        """The texts of a prompt whose lines are ``NAME: TEXT``, by their names.

        Raises:
            InputError: the prompt, which only a user's can, lacks a name of the shipped one, or a text.
        """
        shipped = [line.partition(":")[0] for line in _text(self.package, self.folder, name).splitlines()]
        given = (line.partition(":") for line in self.fill(name).splitlines())
        told = {key.strip(): text.strip() for key, _, text in given}
        if missing := [key for key in shipped if not told.get(key)]:
            raise InputError(f"prompt {name}: there is no line '{missing[0]}: TEXT'")
        return told

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


# ── stages and sections ───────────────────────────────────────────────────────────────────────────────

Sections = Mapping[str, str | Sequence[str]]
"""The sections of a question: a text, or the items of a list."""

_STAGE = "Stage: "


def numbered(lines: Iterable[str]) -> str:
    """The lines numbered from 1."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def dashed(lines: Iterable[str]) -> str:
    """The lines as a list with dashes."""
    return "\n".join(f"- {line}" for line in lines)


def stage_of(messages: Sequence[Message]) -> str:
    """The stage of a conversation; empty for a policy without stages."""
    first = messages[0].content.split("\n", 1)[0] if messages and messages[0].role == "system" else ""
    return first.removeprefix(_STAGE) if first.startswith(_STAGE) else ""


@dataclass(frozen=True)
class PromptLayout:
    """The prompts of one system.

    Attributes:
        stages: what can be asked; the first line of the system message names it.
        sections: the names of the sections, in their order.
        numbered: the sections whose lists are numbered; those of others have dashes.
    """

    stages: tuple[str, ...]
    sections: tuple[str, ...]
    numbered: frozenset[str] = frozenset()

    def system(self, stage: str, instruction: str, **fields: str) -> str:
        """A system message: the stage, and the instruction with its placeholders filled; as it is without ``fields``.

        Raises:
            ValueError: unknown stage.
            KeyError: a placeholder of the instruction has no value.
        """
        if stage not in self.stages:
            raise ValueError(f"unknown stage {stage}; known are {', '.join(self.stages)}")
        return f"{_STAGE}{stage}\n\n{Template(instruction).substitute(fields) if fields else instruction}"

    def question(self, sections: Sections) -> str:
        """The sections that have a text, in the order of the layout.

        Raises:
            ValueError: unknown section.
        """
        if unknown := [name for name in sections if name not in self.sections]:
            raise ValueError(f"unknown section {unknown[0]}; known are {', '.join(self.sections)}")
        texts: list[str] = []
        for name in self.sections:
            body = sections.get(name, "")
            if not isinstance(body, str):
                body = numbered(body) if name in self.numbered else dashed(body)
            lines = map(str.rstrip, body.split("\n"))
            kept = "\n".join(f" {line}" if self._heading(line) else line for line in lines).strip("\n")
            if kept:
                texts.append(f"{name}:\n{kept}")
        return "\n\n".join(texts)

    def read(self, question: str) -> dict[str, str]:
        """The sections of a question by name; the inverse of `question`."""
        found: dict[str, list[str]] = {}
        name = None
        for line in question.split("\n"):
            if heading := self._heading(line):
                name = heading
                found[name] = []
            elif name is not None:
                found[name].append(line)
        return {name: "\n".join(lines).strip("\n") for name, lines in found.items()}

    def _heading(self, line: str) -> str:
        name = line.removesuffix(":")
        return name if name != line and name in self.sections else ""


def conversation(system: str, examples: Iterable[tuple[str, str]], question: str) -> list[Message]:
    """A system message, examples as question and reply, and the question."""
    shown = [
        message for asked, replied in examples for message in (Message("user", asked), Message("assistant", replied))
    ]
    return [Message("system", system), *shown, Message("user", question)]


def shortened(text: str, most: int) -> str:
    """A text on one line, cut to `most` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."
