"""Which action the words of a clause say: every snippet is compared by its verb, its objects and their roles.

A snippet is a *frame*: a verb, the words that belong to it ("up" in "pick up"), and a *slot* for each object with the
words that announce it ("from", "to behind"). A clause fits a frame when it has the verb in some form and when its
object mentions can be laid on the slots, in any order, so that types, announcing words and content words agree. What
had to be overlooked has a cost and a name (a rule); the cheapest fit wins, and equally cheap ones are ambiguous.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise, product
from typing import NamedTuple

from pddl2nl.nl.reading.lexicon import KnownObject, Lexicon
from pddl2nl.nl.reading.natural import name_words
from pddl2nl.nl.reading.words import (
    ARTICLES,
    FILLERS,
    PARTICLES,
    PREPOSITIONS,
    SYNONYMS,
    WORDS,
    Word,
    fold,
    reduced_prepositions,
    verb_forms,
    words_of,
)
from pddl2nl.nl.wording.snippets import Snippet
from pddl2nl.pddl.task import Task, changed_predicates
from pddl2nl.pddl.tree import ActionSchema, Atom, StepSchema, conjuncts, untimed
from pddlval import GroundAction

_SLOT = 0xE000
_WAYS = frozenset(("from", "to"))
_NEVER = 100.0
_LIMIT = 3.0
"""The cost up to which a fit counts."""


class Mention(NamedTuple):
    """Words that name objects, at ``first`` up to ``last`` (exclusive) among a clause's words."""

    first: int
    last: int
    objects: tuple[KnownObject, ...]
    loose: bool = False


def inside(mentions: Iterable[Mention]) -> frozenset[int]:
    """Where words of object names stand: "location 0" holds no number of a list."""
    return frozenset(index for item in mentions for index in range(item.first, item.last))


class Role(NamedTuple):
    """The words that announce an object: prepositions, content words, and words for kinds of objects."""

    prepositions: frozenset[str]
    content: Counter[str]
    kinds: frozenset[str]


def _role_of(said: Sequence[str], lexicon: Lexicon, *, behind: bool = False, own: bool = False) -> Role:
    """The role that words before an object give it. Words for kinds beside an object are no content.

    ``behind``: another object stands before these words, so that the first of them may be its kind; ``own``: they are
    a snippet's, whose noun between a preposition and a slot ("to point {?p}") may be left out.
    """
    # "go to a and from there to b": "there" stands for an object of its own.
    there = max((index + 1 for index, word in enumerate(said) if word in WORDS.places and index), default=0)
    words = [word for word in said[there:] if word not in ARTICLES and word not in FILLERS]
    while behind and len(words) > 1 and words[0] in lexicon.type_words and words[0] not in PREPOSITIONS:
        words = words[1:]
    kinds: list[str] = []
    while words and words[-1] in lexicon.type_words and (kinds or words[-1] not in PREPOSITIONS):
        kinds.append(words.pop())
    if own and not kinds and len(words) > 1 and words[-1] not in PREPOSITIONS and words[-2] in PREPOSITIONS:
        kinds.append(words.pop())
    plain = reduced_prepositions(words)
    content = Counter(word for word in plain if word not in PREPOSITIONS)
    return Role(frozenset(word for word in plain if word in PREPOSITIONS), content, frozenset(kinds))


@dataclass(frozen=True)
class Frame:
    """A snippet as verb, particles, and a role for each of its slots in the order of the text.

    ``slots`` are positions of parameters; ``tail`` is what follows the last slot; ``told`` are all words but the verb
    and the slots; ``subject``: the first slot stands before the verb. Without a verb the frame can only be read letter
    by letter. ``goals`` are the parameters where something comes to be ("to", "into"); ``names``: further words of the
    action's name; ``natural``: no snippet of the wording, and never fitted strictly; ``parameters``: their names,
    which replies say ("tail a, new tail b").
    """

    action: str
    types: tuple[tuple[str, ...], ...]
    verb: str
    particles: tuple[str, ...]
    slots: tuple[int, ...]
    roles: tuple[Role, ...]
    tail: tuple[str, ...]
    told: tuple[str, ...]
    content: frozenset[str]
    subject: bool
    goals: frozenset[int]
    names: tuple[str, ...] = ()
    natural: bool = False
    parameters: tuple[str, ...] = ()

    @cached_property
    def own_name(self) -> str:
        """The action's own name where the snippet says it beside its verb; else empty."""
        name = fold(self.action)
        return name if name in self.told and name != self.verb else ""

    @cached_property
    def joins(self) -> bool:
        """Whether "and" may join objects that are announced alike: "process a and b", "make a with b and c"."""
        return any(one.prepositions == other.prepositions for one, other in pairwise(self.roles))

    @classmethod
    def of(
        cls, snippet: Snippet, types: Sequence[tuple[str, ...]], lexicon: Lexicon, *, natural: bool = False
    ) -> Frame:
        """The frame of a snippet, whose parameters have the given types."""
        said = "".join(part if isinstance(part, str) else f" {chr(_SLOT + part)} " for part in snippet.parts)
        gaps: list[list[str]] = [[]]
        slots: list[int] = []
        for word in words_of(said):
            if len(word.raw) == 1 and ord(word.raw) >= _SLOT:
                slots.append(ord(word.raw) - _SLOT)
                gaps.append([])
            else:
                gaps[-1].append(word.text)
        if gaps[0] == ["let"] and any(map(_is_content, gaps[1])):
            # "let {?r} paint {?y}" says who paints: "robot_1 paints …", "have robot_1 paint …".
            gaps[0] = []
        at = next((i for i, gap in enumerate(gaps) if any(map(_is_content, gap))), 0)
        lead = gaps[at]
        content = [i for i, word in enumerate(lead) if _is_content(word)]
        index = next((i for i in content if lead[i] not in lexicon.type_words), content[0] if content else 0)
        verb = lead[index] if lead else ""
        rest = lead[index + 1 :]
        particles = (
            tuple(rest[:1])
            if rest and (rest[0] in PARTICLES or (rest[0] in ("on", "in") and (rest[1:] or verb in WORDS.switches)))
            else ()
        )
        told = tuple(word for gap in gaps for word in gap)
        gaps[at] = rest[len(particles) :] if at == 0 else [*lead[:index], *rest[len(particles) :]]
        roles = tuple(_role_of(gap, lexicon, behind=place > 0, own=True) for place, gap in enumerate(gaps[:-1]))
        words = frozenset(word for gap in gaps for word in gap)
        # "While standing on {?x}" is no goal.
        goals = frozenset(
            slot
            for slot, gap, role in zip(slots, gaps, roles, strict=False)
            if not role.content and "from" not in role.prepositions and not WORDS.goals.isdisjoint(gap)
        )
        # What is dropped "to a to b" goes onto a, at b: of several the first is the goal, by the effects' order.
        goals = frozenset([slot for slot in slots if slot in goals][:1]) if natural else goals
        tail = tuple(gaps[-1])
        names = [word for word in name_words(snippet.name) if word not in PREPOSITIONS and word != verb]
        frame = (snippet.name, tuple(types), verb, particles, tuple(slots), roles, tail, told, words, at > 0, goals)
        return cls(*frame, tuple(names), natural)


def _is_content(word: str) -> bool:
    return word not in ARTICLES and word not in PREPOSITIONS and word[:1].isalpha()


@dataclass(frozen=True)
class Fit:
    """A way to see words as an action: its objects, what it costs, which words it uses, and what it overlooks.

    ``omitted`` is the slot whose object is not said, or -1.
    """

    frame: Frame
    objects: tuple[tuple[KnownObject, ...], ...]
    cost: float
    first: int
    last: int
    rule: str
    omitted: int = -1

    @property
    def actions(self) -> Iterator[GroundAction]:
        """The ground actions; several where a name can mean several objects."""
        for objects in product(*self.objects):
            yield GroundAction(self.frame.action, tuple([item.pddl for item in objects]))

    @property
    def lacks_start(self) -> bool:
        """Whether all of a way is said but where it begins: "move to b"."""
        said = [len(objects) == 1 for objects in self.objects]
        ends = {
            word: at for at, role in zip(self.frame.slots, self.frame.roles, strict=True) for word in role.prepositions
        }
        start, goal = ends.get("from", -1), ends.get("to", -1)
        return sum(said) == len(said) - 1 and start >= 0 <= goal and not self.objects[start]


class _Row(NamedTuple):
    """A clause before it is laid on a frame: words, where its verb stands, mentions in order, and their roles.

    ``strict``: the objects are announced as told; ``partial``: objects that are left out stay open.
    """

    words: Sequence[Word]
    verb: int
    form: str
    mentions: Sequence[Mention]
    roles: list[Role]
    strict: bool = False
    partial: bool = False


class Frames:
    """All frames of a wording, found by the forms of their verbs."""

    def __init__(self, frames: Iterable[Frame], lexicon: Lexicon, statics: StaticFacts):
        self.lexicon = lexicon
        self.statics = statics
        every = list(frames)
        self.frames = {frame.action: frame for frame in every}
        self.verbs: dict[str, list[tuple[Frame, str, float]]] = {}
        self.vocabulary = frozenset(word for frame in every for word in frame.content)
        self._every = every
        self.names = frozenset(word for frame in every for word in (*frame.names, *frame.particles))
        self.most = max((len(frame.slots) for frame in self.frames.values()), default=0)
        for frame in every:
            for verb in dict.fromkeys((frame.verb, *SYNONYMS.get(frame.verb, ()))) if frame.verb else ():
                for form, kind in verb_forms(verb).items():
                    self.verbs.setdefault(form, []).append((frame, kind, float(verb != frame.verb)))
        own = (form for frame in self.frames.values() if frame.verb for form in verb_forms(frame.verb))
        self._spelled = sorted(word for word in {*own, *lexicon.type_words, *self.vocabulary} if len(word) > 3)

    def mentions(self, words: Sequence[Word]) -> list[Mention]:
        """The object mentions of a clause, in order, without overlap; the told spelling first, then the longest."""
        mentions: list[Mention] = []
        index = 0
        while index < len(words):
            objects, length, loose = self.lexicon.at(words, index)
            if not objects or self._is_no_name(words, index):
                index += 1
                continue
            mentions.append(Mention(index, index + length, objects, loose))
            index += length
        return mentions

    def mended(self, words: Sequence[Word]) -> list[Word]:
        """The words without typos of one letter in a verb or a word for a kind; empty where none has one."""
        named = inside(self.mentions(words))
        mended = list(words)
        for index, word in enumerate(words):
            known = index in named or word.text in FILLERS or word.text in PREPOSITIONS or word.text in self._spelled
            if not known and len(word.text) > 3 and word.text.isalpha():
                # Imported here: it takes longer than the rest of the reader, and most replies are read without it.
                from rapidfuzz import process
                from rapidfuzz.distance import OSA

                near = process.extract(word.text, self._spelled, scorer=OSA.distance, score_cutoff=1, limit=2)
                mended[index] = word._replace(text=near[0][0]) if len(near) == 1 else word
        return mended if mended != list(words) else []

    def _is_no_name(self, words: Sequence[Word], index: int) -> bool:
        """Whether a word that could be a name is an article, a pronoun, or a number without its noun."""
        word = words[index]
        types = self.lexicon.type_words
        before = words[index - 1].text if index else ""
        if len(word.text) == 1 and before in types and index > 1 and words[index - 2].text in ("a", "an"):
            # "stack an object A on an object B" describes.
            return True
        following = words[index + 1] if index + 1 < len(words) else None
        if word.text in ("a", "an"):
            noun = following is not None and not following.parted and following.text in types
            return noun and before != "the"
        if word.text == "i":
            return index == 0 or bool(word.parted) or (following is not None and following.text in self.verbs)
        return word.text.isdigit() and word.text not in self.lexicon.folded and before not in types

    # ── fitting ──────────────────────────────────────────────────────────────────────────────────

    def fits(self, words: Sequence[Word], verb: int, mentions: Sequence[Mention]) -> list[Fit]:
        """The cheapest fits of words whose verb stands at an index; several only where they cost the same.

        They use all objects of the verb's clause, or else its first ones: then the words differ little from the told.
        """
        meant = self._meant(words, verb, mentions)
        ways = [(group, True, strict) for group in meant for strict in (True, False)]
        tried = (self._cheapest(words, verb, *way) for way in (*ways, (mentions, False, True)))
        return next(filter(None, tried), [])

    def _rivals(self, words: Sequence[Word], verb: int) -> Sequence[tuple[Frame, str, float]]:
        """The frames of a verb: those whose snippet names the action ("apply 'move_up' to a"), if its name is said."""
        said = {word.text for word in words}
        rivals = self.verbs.get(words[verb].text, ())
        return [rival for rival in rivals if rival[0].own_name in said] or rivals

    def _cheapest(
        self, words: Sequence[Word], verb: int, mentions: Sequence[Mention], whole: bool, strict: bool
    ) -> list[Fit]:
        """The cheapest fits of the frames of a verb.

        ``whole``: they use all mentions, else the first ones, and one object may be left out; ``strict``: the objects
        are announced much as told, and only one way to lay them counts.
        """
        fits: list[Fit] = []
        rivals = self._rivals(words, verb)
        telling = {word for frame, _, _ in rivals for word in (*frame.names, *frame.particles)}
        for rival in rivals:
            frame, count = rival[0], len(rival[0].slots)
            sizes = [count, *range(count - 1, 0, -1)[: not whole]]
            sizes = [size for size in sizes if (size == len(mentions) if whole else size <= len(mentions))]
            tried = (self._laid(rival, words, verb, mentions[:size], strict=strict) for size in sizes)
            own = next(filter(None, tried), []) if not (strict and frame.natural) else []
            for fit in own if not strict or len(own) == 1 else ():
                said = {word.text for word in words[: fit.last]}
                lacking = sum(not any(text.startswith(name) for text in said) for name in frame.names)
                others = (telling & said) - {*frame.names, *frame.particles}
                price = 2 * len(others) + (0.5 * lacking if frame.own_name not in said else 0)
                fits.append(replace(fit, cost=fit.cost + price))
        if not whole:
            # More of the clause said beats less, then the cost.
            most = max((fit.last for fit in fits), default=0)
            fits = [fit for fit in fits if fit.last == most]
        best = min((fit.cost for fit in fits), default=_NEVER)
        return [fit for fit in fits if fit.cost < best + 0.5] if best <= _LIMIT else []

    def _meant(self, words: Sequence[Word], verb: int, mentions: Sequence[Mention]) -> list[list[Mention]]:
        """The mentions of the clause of a verb, with and without those of a clause before it; none where it says more.

        All of them must be used: a clause that says another verb, or goes on ("and on to c"), says another step.
        """
        last = max((at for at in range(1, verb + 1) if words[at].parted), default=0)
        ends = (
            at
            for at, word in enumerate(words)
            if at > verb and (word.text in WORDS.reasons or (word.parted in (".", ":", ";", "-") and not word.aside))
        )
        end = next(ends, len(words))
        named = inside(mentions)
        small = ARTICLES | FILLERS | PREPOSITIONS | self.lexicon.type_words
        rivals = (frame for frame, _, _ in self.verbs.get(words[verb].text, ()) if len(frame.slots) == len(mentions))
        joins = any(frame.joins for frame in rivals)

        def says_more(at: int) -> bool:
            text = words[at].text
            goes_on = text == "and" and (at + 1 in named or words[min(at + 1, end - 1)].text in small) and not joins
            other = text in self.verbs and text not in self.lexicon.type_words
            return at not in named and (
                goes_on or text in WORDS.conditions or text in WORDS.bars - self.vocabulary or other
            )

        if any(map(says_more, range(verb + 1, end))):
            return []
        whole = [item for item in mentions if item.first < end]
        clause = [item for item in whole if item.first >= last]
        return [clause] if clause == whole or any(map(says_more, range(last))) else [whole, clause]

    def partial(self, words: Sequence[Word], verb: int, mentions: Sequence[Mention]) -> list[Fit]:
        """The cheapest fits of words that leave objects out and say at least one; every mention is used."""
        fits: list[Fit] = []
        for rival in self.verbs.get(words[verb].text, ()):
            if 0 < len(mentions) <= len(rival[0].slots):
                own = self._laid(rival, words, verb, mentions, strict=not rival[0].natural, partial=True)
                fits += [fit for fit in own if fit.cost - 0.5 * fit.objects.count(()) < _LIMIT]
        return [fit for fit in fits if fit.cost < min(other.cost for other in fits) + 0.25]

    def called(self, name: str, words: Sequence[Word], mentions: Sequence[Mention]) -> list[GroundAction]:
        """The actions of a name that words behind it may say: all mentions are used, in the order told where it counts.

        Objects of one type come in the order of the snippet, unless static facts or "from" and "to" say otherwise.
        """
        own = [frame for frame in self._every if frame.action == name and len(frame.slots) == len(mentions)]
        ways: dict[GroundAction, tuple[float, list[int]]] = {}
        for frame in own if mentions else ():
            row = _Row(words, 0, "base", mentions, self._roles(words, 0, mentions, ()))
            table = self._table(frame, row)
            for cost, chosen in _assignments(table, frame, mentions):
                places = {slot: k for slot, k in zip(frame.slots, chosen, strict=True) if k >= 0}
                if len(places) == len(frame.types):
                    order = [places[place] for place in range(len(places))]
                    action = GroundAction(name, tuple([mentions[k].objects[0].pddl for k in order]))
                    ways[action] = min((cost, order), ways.get(action, (_NEVER, [])))
        best = min((cost for cost, _ in ways.values()), default=_NEVER)
        near = [action for action, (cost, _) in ways.items() if cost < best + 1.3]
        near = [action for action in near if self.statics.allows(action)] or near
        return [action for action in near if len(near) == 1 or all(
            ways[action][1][one] < ways[action][1][other]
            for one, other in combinations(own[0].slots, 2) if own[0].types[one] == own[0].types[other]
            # In a domain without types, a key is no place.
            if self.statics.suits(name, other, action.args[one]) and self.statics.suits(name, one, action.args[other])
        )]  # fmt: skip

    def _roles(
        self, words: Sequence[Word], verb: int, mentions: Sequence[Mention], particles: Sequence[str]
    ) -> list[Role]:
        """The role of each mention by the words since the verb or the mention before, but for the verb's particles."""
        roles: list[Role] = []
        at = 0
        for mention in mentions:
            start = verb + 1 if at <= verb < mention.first else at
            at = mention.last
            said: list[str] = []
            # Of what stands before the verb the stance is judged: "subsequently a is moved".
            relative = start == 0 and mention.first < verb
            for index, word in enumerate(words[start : mention.first], start):
                relative = relative or word.text in WORDS.relatives
                # "…, which is parked behind b": only what a snippet may say of it counts.
                plain = not relative or word.text in PREPOSITIONS or word.text in self.vocabulary
                if plain and not (index > verb and word.text in particles):
                    said += self.parts(word.text)
            roles.append(_role_of(said, self.lexicon, behind=start > 0 and start != verb + 1))
        return roles

    def parts(self, text: str) -> list[str]:
        """A compound of words that snippets say, in its parts: "no-gluten"; "gluten-free" says "no gluten"."""
        parts = text.split("_")
        if len(parts) == 1 or text in self.vocabulary or text in self.lexicon.type_words:
            return [text]
        if parts[-1] == "free":
            parts = ["no", *parts[:-1]]
        return parts if any(part in self.vocabulary for part in parts) else [text]

    def _laid(
        self, rival: tuple[Frame, str, float], words: Sequence[Word], verb: int, mentions: Sequence[Mention],
        *, strict: bool = False, partial: bool = False,
    ) -> list[Fit]:  # fmt: skip
        """The ways of about the lowest cost to lay mentions on a frame's slots, with different objects."""
        frame, form, cost = rival
        roles = self._roles(words, verb, mentions, frame.particles)
        row = _Row(words, verb, form, mentions, roles, strict, partial)
        extra = Counter(word for role in roles for word in role.content)
        if strict and not frame.content | {frame.verb} >= extra.keys():
            return []
        table = self._table(frame, row)
        ways = sorted(way for way in _assignments(table, frame, mentions) if _in_order(frame, row, way[1]))
        different: dict[tuple[tuple[KnownObject, ...], ...], tuple[float, tuple[int, ...]]] = {}
        for price, chosen in ways:
            if price < ways[0][0] + 1.0:
                different.setdefault(tuple([mentions[k].objects if k >= 0 else () for k in chosen]), (price, chosen))
        fits = (self._fit_of(frame, row, price + cost, chosen) for price, chosen in different.values())
        return [fit for fit in fits if fit is not None]

    def _fit_of(self, frame: Frame, row: _Row, price: float, chosen: Sequence[int]) -> Fit | None:
        mentions = row.mentions
        omitted = chosen.index(-1) if -1 in chosen else -1
        said = {word.text for word in row.words}
        last = max([row.verb, *(mention.last - 1 for mention in mentions)])
        first = min([row.verb, *(mention.first for mention in mentions)])
        last, left = self._tail(frame, row, last)
        if left and not frame.slots and row.form != "base":
            # "The counter starts at zero" starts no movie.
            return None
        lacking = any(role.content.keys() - said for k, role in zip(chosen, frame.roles, strict=True) if k >= 0)
        cost = price + 0.5 * lacking + 0.1 * (row.form != "base")
        if not said.issuperset(frame.particles):
            # "Switch the lamp" says neither on nor off, and "move" is no name of an action "up".
            rivals = (item for item in self.frames.values() if item.verb == frame.verb)
            alone = all(item.particles == frame.particles for item in rivals)
            cost += 1.0 if alone and not (frame.natural and frame.verb not in name_words(frame.action)) else _NEVER
        objects: list[tuple[KnownObject, ...]] = [()] * len(frame.types)
        for place, k in zip(frame.slots, chosen, strict=True):
            if k >= 0:
                fitting = tuple(item for item in mentions[k].objects if item.fits(frame.types[place]))
                known = objects[place]
                objects[place] = tuple(item for item in fitting if item in known) if known else fitting
        if omitted >= 0 and not row.partial:
            completed = self._completed(frame, omitted, objects)
            if completed is None:
                return None
            # It makes the static preconditions true.
            objects[frame.slots[omitted]] = completed
        rule = self._rule(frame, row, chosen, first, last, bool(left) or omitted >= 0)
        return Fit(frame, tuple(objects), cost, first, last + 1, rule, omitted)

    def _completed(
        self, frame: Frame, slot: int, objects: Sequence[tuple[KnownObject, ...]]
    ) -> tuple[KnownObject, ...] | None:
        """The one object that an omitted slot can mean, by what never changes; None where several can, or none."""
        place = frame.slots[slot]
        if place in frame.goals or (frame.goals and "from" in frame.roles[slot].prepositions):
            # The ends of a way are told, or follow from the state.
            return None
        rest = [items for index, items in enumerate(objects) if index != place]
        if any(len(items) != 1 for items in rest):
            return None
        names = [items[0].pddl if items else "" for items in objects]
        name = self.statics.completion(frame.action, names, place)
        return None if name is None else (self.lexicon.by_pddl[name],)

    def _rule(self, frame: Frame, row: _Row, chosen: Sequence[int], first: int, last: int, ending: bool) -> str:
        """How the words differ from the snippet's: ``reworded``, only ``loose``, or not at all."""
        used = inside(row.mentions) | {row.verb}
        between = [word for index, word in enumerate(row.words[: last + 1]) if index >= first and index not in used]
        said = Counter(part for word in between for part in self.parts(word.text))
        told = Counter(frame.told)
        told[frame.verb] -= 1
        if ending:
            told -= Counter(frame.tail)
        small = ARTICLES | PREPOSITIONS | self.lexicon.type_words | {"top"}
        taken = [k for k in chosen if k >= 0]
        reordered = taken != sorted(taken) or any(row.mentions[k].first < row.verb for k in taken[frame.subject :])
        behind = [word.text for word in row.words[row.verb + 1 : row.verb + 2]]
        apart = frame.particles and behind and behind[0] not in frame.particles
        if row.form != "base" or reordered or apart or not small.issuperset(told - said):
            return "reworded"
        return "loose" if ending or any(mention.loose for mention in row.mentions) or told - said or said - told else ""

    # ── costs ────────────────────────────────────────────────────────────────────────────────────

    def _table(self, frame: Frame, row: _Row) -> list[list[float]]:
        """What it costs that a mention stands in a slot: a row for each slot. The name of a parameter tells its own."""
        named = [self._by_name(frame, row, k) for k in range(len(row.mentions))]
        return [
            [self._cost(frame, slot, row, k) + 2.0 * (at not in (-1, place)) for k, at in enumerate(named)]
            for slot, place in enumerate(frame.slots)
        ]

    def _by_name(self, frame: Frame, row: _Row, k: int) -> int:
        """The parameter whose name stands before a mention, "?newtail" for "the new tail is a"; else -1."""
        begin, first, verb = row.mentions[k - 1].last if k else 0, row.mentions[k].first, row.words[row.verb].start
        # "a (room), b": the gloss of another object
        before = [
            word for word in row.words[begin:first] if word.start != verb and word.aside == row.words[first].aside
        ]
        said = [word.text for word in before if self.says_parameter(frame, word.text)][-2:]
        for name in ("".join(said), *said[-1:]):
            places = [place for place, own in enumerate(frame.parameters) if own == name] or [
                place for place, own in enumerate(frame.parameters) if len(name) > 3 and own.startswith(name)
            ]
            if len(places) == 1:
                return places[0]
        return -1

    def says_parameter(self, frame: Frame, text: str) -> bool:
        """Whether a word is a part of a parameter's name, and does not name its type."""
        own = zip(frame.parameters, frame.types, strict=False)
        plain = len(text) > 2 and text not in PREPOSITIONS - {"next"} and text not in ARTICLES
        return plain and any(text in name and text not in types for name, types in own)

    def _cost(self, frame: Frame, slot: int, row: _Row, k: int) -> float:
        if not self._can_stand(frame, slot, row, k):
            return _NEVER
        cost = self._announced(frame, slot, row, k) * (3 if row.strict else 1)
        if not row.strict and not any(
            self.statics.suits(frame.action, frame.slots[slot], item.pddl) for item in row.mentions[k].objects
        ):
            cost += 2.0
        return cost

    def _can_stand(self, frame: Frame, slot: int, row: _Row, k: int) -> bool:
        """Whether a mention's type, and the words for kinds beside it, fit a slot."""
        types, kinds = frame.types[frame.slots[slot]], row.roles[k].kinds
        return any(item.fits(types) and self.lexicon.words_for(item) >= kinds for item in row.mentions[k].objects)

    def _announced(self, frame: Frame, slot: int, row: _Row, k: int) -> float:
        """What it costs that an object is announced otherwise than its slot, or as another one is."""
        role, wanted = row.roles[k], frame.roles[slot]
        said, sought = role.prepositions, wanted.prepositions
        if said == sought:
            # "with current usage a and new usage b"
            differ = (wanted.content - role.content) + (role.content - wanted.content)
            return 0.2 * sum(differ.values()) if row.strict else 0.0
        # Strictly, "fly a with b from c" only costs: so near to another reading, it is none.
        ways = {"from"} if row.strict else _WAYS
        rivals = any(self._can_stand(frame, at, row, k) for at in range(len(frame.slots)) if at != slot)
        if (
            # "load a truck into a package"
            (said & (_WAYS | {"in"}) and said in (role.prepositions for role in frame.roles))
            or ("from" in said and ("to" in sought or frame.slots[slot] in frame.goals))
            or ("to" in said and "from" in sought)
            # "move a with b to c" does not say that b is where it comes from, and "behind c" is no "at c".
            or (rivals and said & WORDS.instrument and sought & ways and not frame.natural)
            or (rivals and said & _WAYS and not sought)
            or (sought & (WORDS.locative - _WAYS) and not said & _WAYS and said & WORDS.distinct - sought)
        ):
            return _NEVER
        if row.mentions[k].first < row.verb and not said:
            return 0.1 if sought <= WORDS.instrument else 1.2
        if said & sought or said | sought <= WORDS.instrument:
            return 0.3
        if said | sought <= WORDS.locative:
            return 0.5
        return 0.7

    def _tail(self, frame: Frame, row: _Row, last: int) -> tuple[int, list[str]]:
        """The last word of the action with the last object's noun and its snippets' words; the words that lack.

        "The boat goes south west", "Move the agent up to the right"
        """
        telling = {
            word for rival, _, _ in self._rivals(row.words, row.verb) for word in (*rival.names, *rival.particles)
        }
        missing = [word for word in frame.tail if word not in ARTICLES]
        named = (item for mention in row.mentions if mention.last == last + 1 for item in mention.objects[:1])
        nouns = frozenset(word for item in named for word in self.lexicon.words_for(item))
        for at, word in enumerate(row.words[last + 1 :], last + 1):
            tells = word.text in telling or word.text in missing or word.text in nouns
            if word.parted or not (tells or word.text in ARTICLES | _WAYS):
                break
            if word.text in missing:
                missing.remove(word.text)
            last, nouns = at if tells else last, frozenset()
        return last, missing


def _in_order(frame: Frame, row: _Row, chosen: Sequence[int]) -> bool:
    """Whether three objects of one kind, or more, that nothing announces go to parameters in their order.

    "Buy a with b at c (levels: level_0, level_1, level_0, level_1)"
    """
    places: dict[tuple[str, ...], list[int]] = {}
    for _, slot in sorted((k, slot) for slot, k in enumerate(chosen) if k >= 0 and not any(row.roles[k][:2])):
        places.setdefault(frame.types[frame.slots[slot]], []).append(frame.slots[slot])
    return all(len(each) < 3 or each == sorted(each) for each in places.values())


def _assignments(
    table: Sequence[Sequence[float]], frame: Frame, mentions: Sequence[Mention]
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """All ways to give each mention its slot, with their costs; -1 for a slot that is left out (one at most)."""

    def step(slot: int, left: int, cost: float, chosen: tuple[int, ...]) -> Iterator[tuple[float, tuple[int, ...]]]:
        if slot == len(table):
            yield cost, chosen
            return
        place, role = frame.slots[slot], frame.roles[slot]
        for k, price in enumerate(table[slot]):
            same = [j for other, j in enumerate(chosen) if frame.slots[other] == place and j >= 0]
            apart = any(set(mentions[j].objects).isdisjoint(mentions[k].objects) for j in same)
            if k in chosen or price >= _NEVER or apart:
                continue
            # Where the snippet announces two objects alike, each goes with what is before it: "from a in b to c in d".
            alike = any(
                other[:2] == role[:2] and table[at][k] < _NEVER for at, other in enumerate(frame.roles) if at != slot
            )
            beside = chosen[slot - 1] == k - 1 if slot else k == 0
            yield from step(slot + 1, left, cost + price + 0.6 * (alike and not beside), (*chosen, k))
        if left:
            yield from step(slot + 1, left - 1, cost + 0.5, (*chosen, -1))

    yield from step(0, len(table) - len(mentions), 0.0, ())


class StaticFacts:
    """The preconditions that no action changes: they tell actions of one wording apart, and complete omitted objects.

    In a domain without types "load p into t at l" may be said of a truck and of an airplane: which of both ``t`` is,
    ``(truck ?t)`` says. "Move the lift from floor a to floor b" is up or down by ``(above ?a ?b)``.
    """

    def __init__(self, task: Task):
        self._task = task
        changed = changed_predicates(task.domain)
        self._schemas = {action.name: action for action in task.domain.steps}
        self._needs = {name: _static(schema, changed) for name, schema in self._schemas.items()}
        wanted = {atom.predicate for atoms in self._needs.values() for atom in atoms}
        self._facts = {atom for atom in task.problem.init if atom[0] in wanted}
        self._unary: dict[str, list[str]] = {}
        for predicate, *args in self._facts:
            if len(args) == 1:
                self._unary.setdefault(args[0], []).append(predicate)
        self.particular = False
        """Set where single objects or the steps before decide, so that a line with other objects may say otherwise."""

    def only(self, candidates: Sequence[GroundAction]) -> GroundAction | None:
        """The one candidate whose static preconditions all hold; None where none or several are so."""
        fitting = [item for item in candidates if self.allows(item)]
        return fitting[0] if len(fitting) == 1 else None

    def allows(self, action: GroundAction) -> bool:
        """Whether the static preconditions of an action hold."""
        self.particular = self.particular or bool(self._needs[action.name])
        parameters = self._schemas[action.name].parameters
        values = {parameter.name: arg for parameter, arg in zip(parameters, action.args, strict=True)}
        return all(
            (atom.predicate, *(values.get(term, term) for term in atom.args)) in self._facts
            for atom in self._needs[action.name]
        )

    def suits(self, action: str, place: int, name: str) -> bool:
        """Whether an object is of the kinds that stand for a parameter's types in a domain without them."""
        parameter = self._schemas[action].parameters[place].name
        return all((atom.predicate, name) in self._facts for atom in self._needs[action] if atom.args == (parameter,))

    def kind(self, name: str) -> frozenset[str]:
        """The unary predicates that stay true of an object: all that `suits` asks of it."""
        return frozenset(self._unary.get(name, ()))

    def completion(self, name: str, args: Sequence[str], place: int) -> str | None:
        """The one object that makes an action's static preconditions true in a place where none was said."""
        parameter = self._schemas[name].parameters[place]
        objects = self._task.objects_of(parameter.types)
        if len(objects) != 1 and not any(parameter.name in atom.args for atom in self._needs[name]):
            return None
        only = self.only([GroundAction(name, (*args[:place], item, *args[place + 1 :])) for item in objects])
        return None if only is None else only.args[place]


def _static(schema: StepSchema, changed: frozenset[str]) -> tuple[Atom, ...]:
    condition = schema.precondition if isinstance(schema, ActionSchema) else untimed(schema.condition)
    atoms = (part for part in conjuncts(condition) if isinstance(part, Atom))
    return tuple(atom for atom in atoms if atom.predicate not in changed and atom.predicate != "=")
