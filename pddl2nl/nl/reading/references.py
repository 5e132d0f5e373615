"""What pronouns, "there" and "the car" stand for: objects of the actions that were read just before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pddl2nl.nl.reading.actions import Frames, Mention
from pddl2nl.nl.reading.lexicon import KnownObject
from pddl2nl.nl.reading.words import PREPOSITIONS, Word, word_set
from pddlval import GroundAction

__all__ = ["REFERS", "References", "follow"]

REFERS = r"\b(?:it|them|him|her|they|there)\b"
"""Words that refer to what was said before."""

_THINGS = word_set("it them him her they")
_DEFINITE = word_set("the that this said same its")
_REMEMBERED = 20


def follow(context: list[GroundAction], status: str, actions: Sequence[GroundAction], stance: str) -> None:
    """Notes what a clause says, for the pronouns behind it; after one that is not read they refer to nothing known."""
    if status == "read" and not stance:
        context.extend(actions[:1])
        del context[:-_REMEMBERED]
    elif status != "not-an-action" or stance.startswith(("rejected", "hypothetical", "unclear (-ing)")):
        context.clear()


class References:
    """Finds the objects that a clause refers to without naming them."""

    def __init__(self, frames: Frames):
        self._frames = frames
        self._lexicon = frames.lexicon
        self._by_action = {frame.action: frame for frame in frames.frames}

    def resolved(
        self, row: Sequence[Word], verb: int, context: Sequence[GroundAction]
    ) -> Iterator[tuple[list[Word], list[Mention], frozenset[int]]]:
        """A clause with mentions in the places of its pronouns: its words, all mentions, offsets of the pronouns.

        The object that the last action was done to comes first; then the others, of which one alone may fit; then the
        clause without "it", which may stand for a thing that is no object ("the ferry").
        """
        if not context:
            return
        plain = [item for item in self._frames.mentions(row) if item.first != verb]
        said = {known for item in plain if len(item.objects) == 1 for known in item.objects}
        used = {index for item in plain for index in range(item.first, item.last)}
        places = [place for place in self._places(row, used) if place[0] != verb]
        if not places:
            return
        for choice in (0, 1):
            mentions = list(plain)
            for first, last in places:
                options = self._meant(row[first:last], context)
                objects = tuple(item for item in options[min(choice, len(options) - 1)] if item not in said)
                if objects:
                    mentions.append(Mention(first, last, objects, True, row[first].raw))
            mentions.sort(key=lambda item: item.first)
            yield list(row), mentions, frozenset(row[index].start for place in places for index in range(*place))
        kept = [word for word in row if word.text not in ("it", "they")]
        if len(kept) < len(row):
            at = kept.index(row[verb])
            yield kept, [item for item in self._frames.mentions(kept) if item.first != at], frozenset()

    def _places(self, row: Sequence[Word], used: set[int]) -> Iterator[tuple[int, int]]:
        """Where words stand that refer to an object: a pronoun, or an article with a word for a kind of object."""
        for index, word in enumerate(row):
            if index in used:
                continue
            if word.text in _THINGS or word.text == "there":
                yield index, index + 1
            elif word.text in _DEFINITE and not used.intersection((index + 1, index + 2)):
                noun = row[index + 1] if index + 1 < len(row) else word
                if noun.text in self._lexicon.type_words - PREPOSITIONS and not noun.parted:
                    yield index, index + 2

    def _meant(self, words: Sequence[Word], context: Sequence[GroundAction]) -> list[tuple[KnownObject, ...]]:
        """The objects that a pronoun may stand for: those that come first, then the others."""
        last = context[-1]
        frame = self._by_action[last.name]
        known = self._lexicon.by_pddl
        roles = list(zip(frame.slots, frame.roles, strict=True))
        if words[-1].text == "there":
            targets = [last.args[slot] for slot, role in roles if "to" in role.prepositions]
            places = [last.args[slot] for slot, role in roles if role.prepositions & {"in", "at", "to"}]
            return [tuple(known[name] for name in targets or places), tuple(known[name] for name in places)]
        if words[-1].text in _THINGS:
            theme = self._theme(last)
            return [(known[theme],) if theme else (), tuple(known[name] for name in last.args if name != theme)]
        for action in reversed(context):
            kind = [
                name for name in dict.fromkeys(action.args) if words[-1].text in self._lexicon.words_for(known[name])
            ]
            if kind:
                theme = self._theme(action)
                meant = kind if len(kind) == 1 else [theme] if theme in kind else []
                return [tuple(known[name] for name in meant)]
        return [()]

    def _theme(self, action: GroundAction) -> str:
        """The object that an action is done to: the one that no preposition announces."""
        frame = self._by_action[action.name]
        for index, (slot, role) in enumerate(zip(frame.slots, frame.roles, strict=True)):
            if not role.prepositions and not (frame.subject and index == 0):
                return action.args[slot]
        return ""
