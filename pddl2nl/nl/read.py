"""Reading: from language back to PDDL actions, without a model.

The grammar is derived from the wording's snippets and the task's objects, so that what was told is read back
exactly, and what models write around it (numbering, Markdown, "Action:", "I will", "the", dropped type words,
plans said twice, thoughts) is seen for what it is. Nothing is guessed: a line that fits two actions is
ambiguous, a name that no object has is an unknown object, and both are reported with their place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pddl2nl.errors import InputError
from pddl2nl.nl.match_objects import Lexicon
from pddl2nl.nl.names import Names
from pddl2nl.nl.read_claims import claim_of
from pddl2nl.nl.read_layout import Block, Layout, Peeled, Piece, lay_out, peel
from pddl2nl.nl.read_line import ActionGrammar, Verdict
from pddl2nl.nl.read_policies import READING_POLICIES
from pddl2nl.nl.readings import PlacedReading, Reading, Readings
from pddl2nl.nl.wording import Wording
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import Domain, TypedName

__all__ = ["Reader"]

_TRAILING = " \t.,;:!*_`\"'”’»~\\]|"
_ACTION_BEHIND = re.compile(r"\bAction(?:\s*\d+)?\s*[*_\"'`]*\s*:", re.IGNORECASE)
_JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
_PROSE = re.compile(
    r"\b(?:is|are|was|were|will|would|should|can|could|must|has|have|had|need|needs|because|this|which|now|so"
    r"|i|we|it|they|there|does|do|not|plan|goal|here|note)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"(?:;|//|#|```|\*{3,}|-{3,}|={3,}|_{3,}|\(.*\)[.\s]*\Z|<!--)")


class Reader:
    """Reads actions out of text, for one task under one wording.

    ``Reader(task, wording, names)`` reads told names; `for_objects` makes a reader from a table of names where
    there is no task.
    """

    def __init__(self, task: Task, wording: Wording, names: Names):
        objects = {names.to_nl.get(name, name): item for name, item in task.objects.items()}
        self._build(task.domain, wording, objects)

    @classmethod
    def for_objects(cls, domain: Domain, wording: Wording, objects: Mapping[str, TypedName]) -> Reader:
        """A reader for objects given as told name → PDDL name and types."""
        reader = cls.__new__(cls)
        reader._build(domain, wording, objects)
        return reader

    def _build(self, domain: Domain, wording: Wording, objects: Mapping[str, TypedName]) -> None:
        self.lexicon = Lexicon(domain, wording, objects)
        self.grammar = ActionGrammar(domain, wording, self.lexicon)

    def read(self, text: str, policy: str = "default") -> Readings:
        """All readings of a reply, and the plan that a reading policy takes out of them.

        Raises `InputError` for a policy that `READING_POLICIES` has not.
        """
        if policy not in READING_POLICIES:
            raise InputError(f"--reading {policy}: no such policy; there are {', '.join(READING_POLICIES)}")
        layout = lay_out(text)
        placed = self.read_layout(text, layout)
        chosen = READING_POLICIES[policy].choose(placed, layout.blocks)
        return Readings(
            tuple([item.reading for item in placed]),
            tuple([item.reading for item in chosen]),
            layout.ended,
            policy,
        )

    def read_turn(self, text: str) -> Reading:
        """The one action of an interactive reply; see `pddl2nl.nl.read_turn`."""
        from pddl2nl.nl.read_turn import read_turn

        return read_turn(self, text)

    def read_layout(self, text: str, layout: Layout) -> list[PlacedReading]:
        """The readings of all pieces, with their layout, in order."""
        placed: list[PlacedReading] = []
        in_thought = False
        for piece in layout.pieces:
            block = layout.blocks[piece.block]
            found, peeled = self.read_piece(text, piece, block, in_thought and not piece.gap)
            in_thought = found[-1].rule == "thought"
            for reading in found:
                neutral = not reading.is_attempt and _is_neutral(reading, peeled, piece)
                placed.append(
                    PlacedReading(reading, peeled.number, peeled.item, piece.indent, piece.block, piece.gap, neutral)
                )
        return _with_gaps_filled(placed)

    def read_piece(
        self, text: str, piece: Piece, block: Block, in_thought: bool = False, expected: bool = False
    ) -> tuple[list[Reading], Peeled]:
        """The readings of one piece; ``expected``: an action must stand here, behind "Action:", say."""
        said = text[piece.start : piece.end]
        if not piece.hidden and (verdict := self.grammar.exact(said)):
            return [_reading(text, piece, 0, verdict, verdict.rules)], _UNPEELED
        peeled = peel(said)
        if piece.hidden or peeled.label == "thought":
            behind = None if piece.hidden else _ACTION_BEHIND.search(said, peeled.start)
            if behind is None:
                return [_no_action(text, piece, "thought")], peeled
            peeled = peeled._replace(start=behind.end(), prefix=True, label="action", bare=False)
            further = peel(said[peeled.start :])
            peeled = peeled._replace(start=peeled.start + further.start)
        if peeled.bare:
            return [_no_action(text, piece, "label")], peeled
        marked = block.opened and block.closed
        listed = expected or peeled.item != "" or peeled.label == "action"
        readings: list[Reading] = []
        for verdict, rules in self._verdicts(said, peeled):
            if in_thought and not listed and (peeled.prefix or "loose-tail" in rules or verdict.status != "read"):
                return [_no_action(text, piece, "thought")], peeled
            if verdict.status in ("read", "ambiguous") or marked or not _is_prose(said, verdict, peeled, listed):
                readings.append(_reading(text, piece, peeled.start, verdict, rules))
        if readings:
            return readings, peeled
        if in_thought and not listed:
            return [_no_action(text, piece, "thought")], peeled
        if marked and not expected and claim_of(text, piece) is not None:
            return [_no_action(text, piece, "claim")], peeled
        if (expected or marked) and not _PROSE.search(said) and not _COMMENT.match(said):
            start, end = piece.start + peeled.start, piece.end
            reason = "it begins like none of the actions"
            return [Reading(piece.line, start, end, text[start:end], "unreadable", None, (), "", reason)], peeled
        return [_no_action(text, piece, "prose")], peeled

    def _verdicts(self, said: str, peeled: Peeled) -> list[tuple[Verdict, tuple[str, ...]]]:
        """What a peeled line says, by the strictest rule that reads it; offsets count from the peeled start."""
        taken = (*(("markup",) if peeled.markup else ()), *(("prefix",) if peeled.prefix else ()))
        content = said[peeled.start :]
        tried = said
        for kept in (content, content.rstrip(" .!,;"), content.rstrip(_TRAILING)):
            if kept != tried and (verdict := self.grammar.exact(kept)):
                bare = taken if len(kept) == len(content) or "markup" in taken else ("markup", *taken)
                return [(verdict, (*bare, *verdict.rules))]
            tried = kept
        if said[0] in "[{" and '"' in said:
            found = self._json(said, peeled.start)
            if found:
                return found
        verdicts = self.grammar.pddl(content) if content[0] == "(" else []
        if not verdicts:
            verdicts = self.grammar.loose(content)
            if not verdicts or verdicts[0].status in ("unreadable", "unknown-object"):
                verdicts = self.grammar.pddl(content) or verdicts
            if not any(item.status == "read" for item in verdicts):
                behind = self._behind_colon(content)
                if behind:
                    return [(item, ("prefix", *item.rules)) for item in behind]
        return [(item, (*taken, *item.rules)) for item in verdicts]

    def _behind_colon(self, content: str) -> list[Verdict]:
        """The action behind a title of its own: "**Unstack red**: unstack the red block from …"."""
        colon = content.find(":", 0, 80)
        if colon < 0:
            return []
        rest = content[colon + 1 :]
        start = colon + 1 + peel(rest.lstrip()).start + len(rest) - len(rest.lstrip())
        if not content[start:].strip() or not self.grammar.loose(content[:colon]):
            return []
        verdicts = self.grammar.loose(content[start:])
        return [
            item._replace(start=item.start + start, end=item.end + start)
            for item in verdicts
            if item.status == "read" and "loose-tail" not in item.rules
        ]

    def _json(self, said: str, offset: int) -> list[tuple[Verdict, tuple[str, ...]]]:
        """The actions among the strings of a JSON list or object; values under a key such as "thought" are none."""
        found: list[tuple[Verdict, tuple[str, ...]]] = []
        key = ""
        for match in _JSON_STRING.finditer(said):
            if match[2]:
                key = match[1]
                continue
            if key and peel(f"{key}: x").label == "thought":
                continue
            value = match[1]
            verdict = self.grammar.exact(value)
            verdicts = [verdict] if verdict else self.grammar.pddl(value) or self._peeled_json(value)
            for item in verdicts:
                start = match.start(1) - offset
                moved = item._replace(start=item.start + start, end=item.end + start)
                found.append((moved, ("json", *item.rules)))
        return found

    def _peeled_json(self, value: str) -> list[Verdict]:
        peeled = peel(value)
        if peeled.label == "thought":
            return []
        content = value[peeled.start :].rstrip(_TRAILING)
        verdict = self.grammar.exact(content)
        verdicts = [verdict] if verdict else self.grammar.loose(content)
        return [item._replace(start=item.start + peeled.start, end=item.end + peeled.start) for item in verdicts]


_UNPEELED = Peeled(0, False, False, False, None, "", "", False)


def _reading(text: str, piece: Piece, offset: int, verdict: Verdict, rules: tuple[str, ...]) -> Reading:
    start = piece.start + offset + verdict.start
    end = piece.start + offset + verdict.end
    read = verdict.status == "read"
    if not rules and verdict.candidates:
        # Only words were compared, and nothing was overlooked but marks between them.
        rules = ("exact",) if offset == 0 and text[piece.start : piece.end] == text[start:end] else ("markup",)
    return Reading(
        piece.line,
        start,
        end,
        text[start:end],
        verdict.status,
        verdict.candidates[0] if read else None,
        () if read else verdict.candidates,
        "+".join(rules) if verdict.candidates else "",
        verdict.reason,
        verdict.unknown,
        verdict.suggestions,
    )


def _no_action(text: str, piece: Piece, rule: str) -> Reading:
    return Reading(piece.line, piece.start, piece.end, text[piece.start : piece.end], "not-an-action", rule=rule)


def _is_prose(said: str, verdict: Verdict, peeled: Peeled, listed: bool) -> bool:
    """Whether a line that begins like an action and cannot be read is rather a sentence about actions."""
    if said.rstrip(" *_`").endswith(":") and not verdict.names_object:
        return True
    if listed:
        return False
    if verdict.names_object:
        return verdict.excess > 12
    return peeled.polite or verdict.excess > 2


def _is_neutral(reading: Reading, peeled: Peeled, piece: Piece) -> bool:
    """Whether prose belongs to the action lines around it, so that it does not part them."""
    if reading.rule == "thought" or piece.indent >= 2:
        return True
    if reading.rule == "label":
        return peeled.number is not None or reading.text.lstrip("*_# ").lower().startswith("action")
    return _COMMENT.match(reading.text) is not None and not reading.text.startswith("#")


def _with_gaps_filled(placed: list[PlacedReading]) -> list[PlacedReading]:
    """Marks list items between the actions of a list as unreadable: "2. Grab b" between 1 and 3 was meant as one."""
    listed = [index for index, item in enumerate(placed) if item.item and item.reading.rule != "thought"]
    for before, index, after in zip(listed, listed[1:], listed[2:], strict=False):
        first, item, last = placed[before], placed[index], placed[after]
        if item.reading.status != "not-an-action" or not (first.reading.is_attempt and last.reading.is_attempt):
            continue
        alike = first.item == item.item == last.item and first.indent == item.indent == last.indent
        follows = item.number is None or (first.number is not None and item.number == first.number + 1)
        if alike and follows and not _PROSE.search(item.reading.text) and item.reading.rule == "prose":
            reason = "it stands in a list of actions and begins like none of them"
            placed[index] = item._replace(
                reading=item.reading._replace(status="unreadable", rule="", reason=reason), neutral=False
            )
    return placed
