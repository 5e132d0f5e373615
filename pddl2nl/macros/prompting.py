"""The layout of the prompts of hierarchical planning (sections 2.2 to 3.3 of the HVR paper).

Every prompt has one shape, so that whoever reads it (a person, the oracle) can tell what is asked from the text alone:

====================  ==========================================================================================
message               content
====================  ==========================================================================================
system                its first line is ``Stage: NAME``, one of `STAGES`; then the instruction
user, assistant, …    the examples of the stage, each a last message of this shape and the reply to it
user                  the question: sections in the order of `SECTIONS`, those that apply, an empty line between two
====================  ==========================================================================================

A section is a line ``NAME:`` alone and the lines below it. What stands in a section is told by the run's wording or
said by a model or a user; where a line of it would look like the beginning of a section, it is moved in by a blank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from string import Template

from pddl2nl.llm import Message

__all__ = [
    "SECTIONS",
    "STAGES",
    "conversation",
    "dashed",
    "numbered",
    "prompt_hash",
    "prompt_text",
    "read_sections",
    "sections",
    "shortened",
    "stage_of",
    "system",
]

STAGES = (
    "retrieval",
    "macro-plan",
    "conditions",
    "conditions-correction",
    "conditions-refinement",
    "block",
    "block-correction",
    "plan",
    "plan-correction",
)
"""What is asked for; the first line of the system message names it."""

SECTIONS = (
    "Task",
    "Available objects",
    "Known macro-actions",
    "Objects",
    "Location triples",
    "Predicates",
    "Actions",
    "Macro plan",
    "Conditions",
    "Executed so far",
    "Macro-action",
    "Its conditions",
    "Block",
    "Plan",
    "Feedback",
)
"""The sections of a question, in their order."""

_STAGE = "Stage: "


@cache
def prompt_text(name: str) -> str:
    """The text of a file of ``prompts/``, its placeholders (``$name``) unfilled."""
    return (resources.files("pddl2nl.macros") / "prompts" / name).read_text(encoding="utf-8").strip()


@cache
def prompt_hash(name: str) -> str:
    """The SHA-256 of a prompt file as it stands, for the record."""
    return hashlib.sha256(prompt_text(name).encode("utf-8")).hexdigest()


def system(stage: str, instruction: str, **fields: str) -> str:
    """A system message: the stage, and the instruction with its placeholders filled.

    Raises:
        ValueError: there is no such stage.
        KeyError: a placeholder of the instruction was not given.
    """
    if stage not in STAGES:
        raise ValueError(f"no such stage: {stage}; there are {', '.join(STAGES)}")
    return f"{_STAGE}{stage}\n\n{Template(instruction).substitute(fields)}"


def stage_of(messages: Sequence[Message]) -> str | None:
    """The stage of a conversation; None where it is none of hierarchical planning."""
    if not messages or messages[0].role != "system":
        return None
    first = messages[0].content.split("\n", 1)[0]
    stage = first.removeprefix(_STAGE)
    return stage if first.startswith(_STAGE) and stage in STAGES else None


def sections(bodies: Mapping[str, str | Iterable[str]]) -> str:
    """The question: the sections that have a body (a text, or lines), in the order of `SECTIONS`.

    Raises:
        ValueError: there is no section of a name that is given.
    """
    strange = [name for name in bodies if name not in SECTIONS]
    if strange:
        raise ValueError(f"no such section: {strange[0]}; there are {', '.join(SECTIONS)}")
    texts: list[str] = []
    for name in SECTIONS:
        body = bodies.get(name, "")
        lines = body.split("\n") if isinstance(body, str) else [line for text in body for line in text.split("\n")]
        kept = [f" {line}" if _heading(line) else line for line in map(str.rstrip, lines)]
        text = "\n".join(kept).strip("\n")
        if text:
            texts.append(f"{name}:\n{text}")
    return "\n\n".join(texts)


def read_sections(question: str) -> dict[str, str]:
    """The sections of a question by name, as `sections` has put them; empty where there is none."""
    found: dict[str, list[str]] = {}
    name = None
    for line in question.split("\n"):
        heading = _heading(line)
        if heading is not None:
            name = heading
            found[name] = []
        elif name is not None:
            found[name].append(line)
    return {name: "\n".join(lines).strip("\n") for name, lines in found.items()}


def _heading(line: str) -> str | None:
    name = line.removesuffix(":")
    return name if name != line and name in SECTIONS else None


def numbered(lines: Iterable[str]) -> str:
    """Lines with their numbers, from 1."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def dashed(lines: Iterable[str]) -> str:
    """Lines of a list, a dash before each."""
    return "\n".join(f"- {line}" for line in lines)


def shortened(text: str, most: int) -> str:
    """What a model said, on one line and with so many characters at most, to be told it again."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."


def conversation(system_text: str, examples: Iterable[tuple[str, str]], question: str) -> list[Message]:
    """A system message, examples as question and reply, and the question."""
    shown = [
        message for asked, replied in examples for message in (Message("user", asked), Message("assistant", replied))
    ]
    return [Message("system", system_text), *shown, Message("user", question)]
