"""What pronouns, "there", "the car" and things left unsaid stand for: objects of the actions that were just read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pddl2nl.nl.reading.frames import Frames, Mention
from pddl2nl.nl.reading.lexicon import KnownObject
from pddl2nl.nl.reading.words import PREPOSITIONS, Word, fold, word_set
from pddlval import GroundAction

__all__ = ["REFERS", "Discourse", "follow"]

REFERS = r"\b(?:it|them|him|her|they|there|back|again)\b"
"""Words that refer to what was said before."""

_THINGS = word_set("it them him her they")
_DEFINITE = word_set("the that this said same its")
_REMEMBERED = 20


def follow(context: list[GroundAction], status: str, stance: str, action: GroundAction | None) -> None:
    """Notes what a clause says, for the pronouns behind it; after one that is not read they refer to nothing known."""
    if status == "read" and action is not None:
        context.append(action)
        del context[:-_REMEMBERED]
    elif status != "not-an-action" or stance.startswith(("rejected", "hypothetical", "unclear (-ing)")):
        context.clear()


class Discourse:
    """Finds the objects that a clause refers to without naming them."""

    def __init__(self, frames: Frames):
        self._frames = frames
        self._lexicon = frames.lexicon

    def resolved(
        self, row: Sequence[Word], verb: int, context: Sequence[GroundAction]
    ) -> Iterator[tuple[list[Word], list[Mention], frozenset[int]]]:
        """Ways to complete a clause: its words, all mentions, offsets of the words that refer.

        The object that the last action was done to comes first; then the others, of which one alone may fit; then the
        clause without "it", which may stand for a thing that is no object ("the ferry"); last, the clause with the
        place where the last action ended.
        """
        plain = [item for item in self._frames.mentions(row) if item.first != verb]
        said = {known for item in plain if len(item.objects) == 1 for known in item.objects}
        used = {index for item in plain for index in range(item.first, item.last)} | {verb}
        places = list(self._places(row, used))
        offsets = frozenset(row[index].start for place in places for index in range(*place))
        ways: list[tuple[list[Word], list[Mention]]] = []
        for choice in (0, 1) if places else ():
            mentions = list(plain)
            for first, last in places:
                options = self._meant(row[first:last], context)
                objects = tuple(item for item in options[min(choice, len(options) - 1)] if item not in said)
                if objects:
                    mentions.append(Mention(first, last, objects, True))
            ways.append((list(row), sorted(mentions)))
        kept = [word for word in row if word.text not in ("it", "they", "there")] if context else list(row)
        if len(kept) < len(row):
            ways.append((kept, self._frames.mentions(kept)))
        yield from ((words, mentions, offsets) for words, mentions in ways)
        for words, mentions in (ways or [(list(row), plain)]) if context else ():
            yield from self._continued(words, mentions, context[-1], offsets)

    def _continued(
        self, row: list[Word], mentions: list[Mention], last: GroundAction, offsets: frozenset[int]
    ) -> Iterator[tuple[list[Word], list[Mention], frozenset[int]]]:
        """The clause with the place where the last action ended, said as its own: "Sail back to a" begins there.

        Only where the last action has no other objects than places, or one of them is mentioned.
        """
        frame = self._frames.frames[last.name]
        places = frame.places("to") or frame.places("at", "in")
        others = {arg for slot, arg in enumerate(last.args) if slot not in {*places, *frame.places("from")}}
        said = {item.pddl for mention in mentions for item in mention.objects}
        if len(places) != 1 or (others and others.isdisjoint(said)):
            return
        here = self._lexicon.by_pddl[last.args[places[0]]]
        for preposition in ("from", "at", "in"):
            end = row[-1].end
            words = [*row, Word(preposition, "", end, end), Word(fold(here.nl), here.nl, end, end)]
            yield words, [*mentions, Mention(len(words) - 1, len(words), (here,), True)], offsets | {end}

    def _places(self, row: Sequence[Word], used: set[int]) -> Iterator[tuple[int, int]]:
        """Where words stand that refer to an object: a pronoun, or an article with a word for a kind of object."""
        for index, word in enumerate(row):
            if index in used:
                continue
            if word.text in _THINGS or word.text == "there":
                yield index, index + 1
            elif word.text in _DEFINITE and not used.intersection((index + 1, index + 2)) and index + 1 < len(row):
                noun = row[index + 1]
                if noun.text in self._lexicon.nouns - PREPOSITIONS and not noun.parted:
                    yield index, index + 2

    def _meant(self, words: Sequence[Word], context: Sequence[GroundAction]) -> list[tuple[KnownObject, ...]]:
        """The objects that a pronoun may stand for: those that come first, then the others."""
        known = self._lexicon.by_pddl
        noun = words[-1].text
        if noun in _THINGS or noun == "there":
            if not context:
                return [()]
            last = context[-1]
            frame = self._frames.frames[last.name]
            if noun == "there":
                places = [known[last.args[slot]] for slot in frame.places("in", "at", "to")]
                return [tuple(known[last.args[slot]] for slot in frame.places("to")) or tuple(places), tuple(places)]
            done = (known[last.args[frame.theme]],) if frame.theme >= 0 else ()
            return [done, tuple(known[name] for slot, name in enumerate(last.args) if slot != frame.theme)]
        for action in reversed(context):
            objects = [known[name] for name in dict.fromkeys(action.args)]
            kind = [item for item in objects if noun in self._lexicon.words_for(item) | {self._lexicon.stem(item)}]
            if kind:
                theme = self._frames.frames[action.name].theme
                first = [item for item in kind if theme >= 0 and item.pddl == action.args[theme]]
                return [tuple(kind if len(kind) == 1 else first)]
        return [self._lexicon.sole(noun)]
