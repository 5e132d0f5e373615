"""How a report's page shows a planning event of a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["", "good", "bad", "soft"]


@dataclass(frozen=True)
class Item:
    """A line of a note: a label, text, texts in PDDL, and how it is marked."""

    text: str = ""
    label: str = ""
    codes: tuple[str, ...] = ()
    tone: Tone = ""


@dataclass(frozen=True)
class Note:
    """One planning event as a report's page shows it; all texts are escaped, because they may be a model's words.

    Attributes:
        kind: the event's name.
        title: for example ``Block 2, correction 1``.
        verdict: the result in a few words, marked by ``tone``.
        lines: numbered lines.
        items: other lines.
        feedback: the feedback for the model, in the words of the run.
        remark: whether it belongs to the execution of a plan rather than to planning.
    """

    kind: str
    title: str
    verdict: str = ""
    tone: Tone = ""
    lines: tuple[Item, ...] = ()
    items: tuple[Item, ...] = ()
    feedback: str = ""
    remark: bool = False
