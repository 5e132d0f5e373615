"""Reading: from language back to PDDL actions, without a model.

The grammar is derived from the wording's snippets and the task's objects, so that what was told is read back
exactly, and what models write around it (numbering, Markdown, "Action:", "I will", "the", dropped type words,
plans said twice, thoughts) is seen for what it is. Nothing is guessed: a line that fits two actions is
ambiguous, a name that no object has is an unknown object, and both are reported with their place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pddl2nl.errors import InputError
from pddl2nl.nl.names import Names
from pddl2nl.nl.reading.claims import claim_of
from pddl2nl.nl.reading.cleaning import Cleaned, Original, clean, noise_in
from pddl2nl.nl.reading.labels import Peeled, peel
from pddl2nl.nl.reading.layout import Block, Layout, Piece, lay_out
from pddl2nl.nl.reading.lexicon import Lexicon
from pddl2nl.nl.reading.lines import ActionGrammar
from pddl2nl.nl.reading.policies import READING_POLICIES
from pddl2nl.nl.reading.readings import PlacedReading, Reading, Readings, reported
from pddl2nl.nl.reading.records import is_record, read_record
from pddl2nl.nl.reading.references import follow
from pddl2nl.nl.reading.stance import is_open, label_stance
from pddl2nl.nl.reading.turns import read_turn
from pddl2nl.nl.reading.verdicts import Verdict
from pddl2nl.nl.reading.words import words_of
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import Domain, TypedName
from pddlval import GroundAction

__all__ = ["LONGEST", "Reader"]

LONGEST = 2_000_000
"""Characters of the longest reply that is read; a longer one is unreadable as a whole."""

_ACTION_BEHIND = re.compile(r"\bAction(?:\s*\d+)?\s*[*_\"'`]*\s*:", re.IGNORECASE)
_PROSE = re.compile(
    r"\b(?:is|are|was|were|will|would|should|can|could|must|has|have|had|need|needs|because|this|which|now|so"
    r"|i|we|it|they|there|does|do|not|plan|goal|here|note)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(_PROSE.pattern.replace("|so", "").replace("|now", ""), re.IGNORECASE)
_SHOULD = re.compile(r"(?:(?:i|we|you)\s+)?should\s+(?!not\b)(?=\w)", re.IGNORECASE)
_WORD = re.compile(r"\w")
_PERSON = re.compile(r"\b(?:i|we)\b(?!.*\bjust\b)", re.IGNORECASE)
_APART = re.compile(r"[:.;!?(–—]")
_COMMENT = re.compile(r"(?:;|//|#|```|\*{3,}|-{3,}|={3,}|_{3,}|\(.*\)[.\s]*\Z|<!--)")


class Reader:
    """Reads actions out of text, for one task under one wording.

    ``Reader(task, wording, names)`` reads told names; `for_objects` makes a reader from a table of names where
    there is no task.
    """

    def __init__(self, task: Task, wording: Wording, names: Names):
        objects = {names.to_nl.get(name, name): item for name, item in task.objects.items()}
        self._build(task.domain, wording, objects, names.aliases, task)

    @classmethod
    def for_objects(cls, domain: Domain, wording: Wording, objects: Mapping[str, TypedName]) -> Reader:
        """A reader for objects given as told name → PDDL name and types."""
        reader = cls.__new__(cls)
        reader._build(domain, wording, objects)
        return reader

    def _build(
        self,
        domain: Domain,
        wording: Wording,
        objects: Mapping[str, TypedName],
        aliases: Mapping[str, str] = MappingProxyType({}),
        task: Task | None = None,
    ) -> None:
        self.lexicon = Lexicon(domain, wording, objects, aliases)
        self.grammar = ActionGrammar(domain, wording, self.lexicon, task)
        # Where telling itself uses marks that cleaning would take for noise, they are words.
        snippets = (re.sub(r"\{[^{}]*\}", "x", snippet.text or "") for snippet in wording.actions.values())
        self._kept_noise = noise_in("\n".join((*objects, *snippets)))

    def cleaned(self, text: str) -> Cleaned:
        """A reply without the noise that none of the wording's own texts has."""
        return clean(text, self._kept_noise)

    def read(self, text: str, policy: str = "default") -> Readings:
        """All readings of a reply, and the plan that a reading policy takes out of them.

        Raises `InputError` for a policy that `READING_POLICIES` has not.
        """
        if policy not in READING_POLICIES:
            raise InputError(f"--reading {policy}: no such policy; there are {', '.join(READING_POLICIES)}")
        if len(text) > LONGEST:
            return Readings((too_long := _too_long(text),), (too_long,), False, policy)
        placed, layout = self.placed(text)
        chosen = READING_POLICIES[policy].choose(placed, layout.blocks)
        return Readings(
            tuple([item.reading for item in placed]),
            tuple([item.reading for item in chosen]),
            layout.ended,
            policy,
        )

    def placed(self, text: str) -> tuple[list[PlacedReading], Layout]:
        """All readings of a reply with the layout around them, from which a reading policy chooses."""
        layout = lay_out(self.cleaned(text))
        return self.read_layout(text, layout), layout

    def read_turn(self, text: str) -> Reading:
        """The one action of an interactive reply; see `pddl2nl.nl.reading.turns`."""
        return _too_long(text) if len(text) > LONGEST else read_turn(self, text)

    def read_layout(self, text: str, layout: Layout) -> list[PlacedReading]:
        """The readings of all pieces, with their layout, in order; ``text`` is the reply as it was laid out."""
        placed: list[PlacedReading] = []
        context: list[GroundAction] = []
        in_thought = False
        said = layout.clean.text
        for piece in layout.pieces:
            block = layout.blocks[piece.block]
            found, peeled = self.read_piece(said, piece, block, in_thought and not piece.gap, before=context)
            for reading in found:
                follow(context, reading.status, (reading.action,) if reading.action else (), reading.stance)
            in_thought = found[-1].rule == "thought"
            apart = False
            before = found[0].end
            for reading in found:
                apart = apart or (before < reading.start and _APART.search(said, before, reading.start) is not None)
                before = max(before, reading.end)
                neutral = not reading.is_attempt and _is_neutral(reading, peeled, piece)
                coded = said[max(reading.start - 1, 0) : reading.start] == "`"
                placed.append(
                    PlacedReading(
                        reading,
                        peeled.number,
                        peeled.item,
                        piece.indent,
                        piece.block,
                        piece.gap,
                        neutral,
                        coded,
                        peeled.outer,
                        apart,
                    )
                )
        placed = self._with_doubts_reported(_with_gaps_filled(placed, self.bids))
        if layout.clean.starts:
            original = Original(text, layout.clean)
            placed = [item._replace(reading=original.place(item.reading)) for item in placed]
        return placed

    def read_piece(
        self,
        text: str,
        piece: Piece,
        block: Block,
        in_thought: bool = False,
        expected: bool = False,
        before: Sequence[GroundAction] = (),
    ) -> tuple[list[Reading], Peeled]:
        """The readings of one piece; ``expected``: an action must stand here, behind "Action:", say.

        ``before``: the actions read before it, the latest last.
        """
        said = text[piece.start : piece.end]
        peeled = peel(said)
        if piece.offered or said.startswith((";", "<!--")):
            return [_no_action(text, piece, "offered" if piece.offered else "prose")], peeled
        if peeled.start and not piece.hidden and (verdict := self.grammar.exact(said)):
            return [_reading(text, piece, 0, verdict, verdict.rules)], _UNPEELED
        if piece.hidden or peeled.label == "thought":
            behind = None if piece.hidden else _ACTION_BEHIND.search(said, peeled.start)
            if behind is None:
                return [_no_action(text, piece, "thought")], peeled
            peeled = peeled._replace(start=behind.end(), prefix=True, label="action", bare=False)
            further = peel(said[peeled.start :])
            peeled = peeled._replace(start=peeled.start + further.start, bare=further.bare)
        if peeled.bare:
            return [_no_action(text, piece, "label")], peeled
        marked = block.opened and block.closed
        listed = expected or peeled.item != "" or peeled.label == "action"
        readings: list[Reading] = []
        stance = ""
        for verdict, rules in self._verdicts(said, peeled, listed, before):
            if (
                in_thought
                and not listed
                and rules
                and (peeled.prefix or "loose-tail" in rules or verdict.status != "read")
            ):
                return [_no_action(text, piece, "thought")], peeled
            reading = _reading(text, piece, peeled.start, verdict, rules)
            if verdict.status == "not-an-action":
                stance = stance or verdict.stance
                if verdict.names_object:
                    rule = "doubt" if is_open(verdict.stance) else "prose"
                    readings.append(reading._replace(rule=rule))
            elif verdict.status in ("read", "ambiguous") or marked or not _is_prose(said, verdict, peeled, listed):
                readings.append(reading)
            elif verdict.names_object:
                readings.append(reading._replace(status="not-an-action", rule="doubt"))
        if any(reading.is_attempt for reading in readings):
            return readings, peeled
        silent = self._silent(text, piece, peeled, marked, expected, in_thought and not listed)
        if silent.rule != "prose":
            return [silent], peeled
        return [silent._replace(stance=stance), *(item for item in readings if item.rule == "doubt")], peeled

    def _with_doubts_reported(self, placed: list[PlacedReading]) -> list[PlacedReading]:
        """Reports what prose says of actions and is not read, but for what another line of the reply says as well."""
        if not any(item.reading.rule == "doubt" for item in placed):
            return placed
        done = {action for item in placed for action in (item.reading.action,) if action is not None}
        found: list[PlacedReading] = []
        covered = -1
        for item in placed:
            reading = item.reading
            if reading.rule != "doubt":
                covered = reading.end if reading.rule == "prose" or reading.is_attempt else covered
                found.append(item)
            elif not self.grammar.restates(reading.text, done):
                found.append(item._replace(reading=reported(reading), doubt=True))
            elif reading.start >= covered:
                found.append(item._replace(reading=reading._replace(rule="prose")))
        return found

    def bids(self, said: str) -> bool:
        """Whether a line could bid an action in words of its own: no sentence, and it names an object."""
        peeled = peel(said)
        content = said[peeled.start :]
        if (
            peeled.label == "thought"
            or _SENTENCE.search(content)
            or _COMMENT.match(said)
            or "?" in said
            or ":" in content
        ):
            return False
        words = words_of(content)
        first = words[0].text if words else ""
        mentions = self.grammar.frames.mentions(words[:40])
        return (
            first.isalpha()
            and len(words) <= 30
            and any(item.first > 0 for item in mentions)
            and not label_stance(words)
        )

    def _silent(
        self, text: str, piece: Piece, peeled: Peeled, marked: bool, expected: bool, in_thought: bool
    ) -> Reading:
        """What a piece is in which no action was found."""
        said = text[piece.start : piece.end]
        if in_thought:
            return _no_action(text, piece, "thought")
        if marked and not expected and claim_of(text, piece) is not None:
            return _no_action(text, piece, "claim")
        if (expected or marked) and _WORD.search(said) and not _PROSE.search(said) and not _COMMENT.match(said):
            start, end = piece.start + peeled.start, piece.end
            reason = "it begins like none of the actions"
            return Reading(piece.line, start, end, text[start:end], "unreadable", None, (), "", reason)
        return _no_action(text, piece, "prose")

    def _verdicts(
        self, said: str, peeled: Peeled, listed: bool, before: Sequence[GroundAction]
    ) -> list[tuple[Verdict, tuple[str, ...]]]:
        """What a peeled line says, with its rules; offsets count from the peeled start."""
        content = said[peeled.start :]
        if is_record(said) and (said[0] != '"' or not peeled.label or "\n" in said):
            found = [item.moved(-peeled.start) for item in read_record(self.grammar, said)]
            if found:
                return [(item, item.rules) for item in found]
        taken = (*(("markup",) if peeled.markup else ()), *(("prefix",) if peeled.prefix else ()))
        spoken = peeled.polite and _PERSON.search(said[: peeled.start]) is not None
        obliges = _SHOULD.match(content) if listed else None
        if obliges is not None:
            # "Action: I should …" is what is done.
            content = content[obliges.end() :]
        verdicts = self.grammar.said(content, listed=listed or spoken, before=before)
        if obliges is not None:
            verdicts = [item.moved(obliges.end()) for item in verdicts]
        if not taken:
            return [(item, item.rules) for item in verdicts]
        return [
            (
                item,
                ("markup", *taken[peeled.markup :], *item.rules[1:])
                if item.rules[:1] == ("markup",)
                else (*taken, *item.rules),
            )
            for item in verdicts
        ]


_UNPEELED = Peeled(0, False, False, False, None, "", "", False)


def _reading(text: str, piece: Piece, offset: int, verdict: Verdict, rules: tuple[str, ...]) -> Reading:
    start = piece.start + offset + verdict.start
    end = piece.start + offset + verdict.end
    read = verdict.status == "read"
    understood = bool(verdict.candidates) and verdict.status != "unreadable"
    if not rules and understood:
        # It was read letter by letter.
        rules = ("exact",) if offset == 0 and text[piece.start : piece.end] == text[start:end] else ("markup",)
    return Reading(
        piece.line,
        start,
        end,
        text[start:end],
        verdict.status,
        verdict.candidates[0] if read else None,
        () if read else verdict.candidates,
        "+".join(rules) if understood else "",
        verdict.reason,
        verdict.unknown,
        verdict.suggestions,
        verdict.stance,
    )


def _too_long(text: str) -> Reading:
    reason = f"the reply has {len(text)} characters, and at most {LONGEST} are read"
    return Reading(1, 0, 80, text[:80], "unreadable", reason=reason)


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


def _with_gaps_filled(placed: list[PlacedReading], bids: Callable[[str], bool]) -> list[PlacedReading]:
    """Marks what stands among the actions of a plan and was meant as one as unreadable.

    That are items of a list beside an action of it ("2. Grab b" behind 1), and lines beside a line of an action that
    name an object and are no sentence.
    """
    spoken = [index for index, item in enumerate(placed) if item.reading.rule != "thought"]
    for indices in ([index for index in spoken if placed[index].item], spoken):
        for place, index in enumerate(indices):
            item = placed[index]
            if item.reading.rule != "prose" or item.reading.stance:
                continue
            near = [placed[other] for other in (*indices[max(place - 1, 0) : place], *indices[place + 1 : place + 2])]
            between = len(near) == 2 and all(_belongs(item, other) for other in near)
            if any(_belongs(item, other) for other in near) and (
                bids(item.reading.text) or (between and item.item and not _PROSE.search(item.reading.text))
            ):
                reason = "it stands among actions and begins like none of them"
                start = peel(item.reading.text).start
                reading = item.reading._replace(
                    start=item.reading.start + start, text=item.reading.text[start:],
                    status="unreadable", rule="", reason=reason,
                )  # fmt: skip
                placed[index] = item._replace(reading=reading, neutral=False)
    return placed


def _belongs(item: PlacedReading, other: PlacedReading) -> bool:
    """Whether a line is of one list, or of one paragraph, with a line that was meant as an action."""
    if (
        not other.reading.is_attempt
        or item.item != other.item
        or item.indent != other.indent
        or item.block != other.block
    ):
        return False
    if not item.item:
        return abs(item.reading.line - other.reading.line) == 1
    if item.number is None or other.number is None:
        return item.number is None
    return item.number - other.number == (1 if other.reading.start < item.reading.start else -1)
