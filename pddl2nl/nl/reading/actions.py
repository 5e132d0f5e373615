"""Which action the words of a sentence say: every snippet is compared by its verb, its objects and their roles.

A snippet is a *frame*: a verb, the words that belong to it ("up" in "pick up"), and a *slot* for each object with the
words that announce it ("from", "to behind"). A sentence fits a frame when it has the verb in some form and when its
object mentions can be laid on the slots, in any order, so that types, announcing words and content words agree. What
had to be overlooked has a cost and a name (a rule); the cheapest fit wins, and equally cheap ones are ambiguous.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from pddl2nl.nl.reading.lexicon import KnownObject, Lexicon
from pddl2nl.nl.reading.words import (
    ARTICLE,
    ARTICLES,
    FILLERS,
    PREPOSITIONS,
    RELATIVES,
    SYNONYMS,
    Word,
    reduced_prepositions,
    verb_forms,
    word_set,
    words_of,
)
from pddl2nl.nl.wording.snippets import Snippet
from pddl2nl.pddl.task import Task, changed_predicates
from pddl2nl.pddl.tree import ActionSchema, Atom, conjuncts
from pddlval import GroundAction

__all__ = ["PARTICLES", "Fit", "Frame", "Frames", "Mention", "Role", "StaticFacts"]

_SLOT = 0xE000
PARTICLES = frozenset(("up", "down", "off", "out", "away", "back", "over"))
_INSTRUMENT = frozenset(("with", "by", "using"))
_DISTINCT = word_set("behind under above below beside near between beneath through across along around against over")
_LOCATIVE = frozenset(("in", "on", "at", "to"))
_NEVER = 100.0
_LIMIT = 3.0
"""The cost up to which a fit counts."""

RULES = ("articles", "types", "names", "prepositions", "order", "words", "form", "ending", "tail")
"""What a fit may overlook, in the order in which readings name it (``loose-articles``, …)."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name objects, at ``first`` up to ``last`` (exclusive) among a sentence's words.

    ``objects`` is empty for a word that stands where an object should and names none.
    """

    first: int
    last: int
    objects: tuple[KnownObject, ...]
    loose: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Role:
    """The words that announce an object: as said, and reduced to prepositions and content words."""

    said: tuple[str, ...]
    prepositions: frozenset[str]
    content: Counter[str]
    kinds: frozenset[str]


@dataclass(frozen=True)
class Frame:
    """A snippet as verb, particles, and a role for each of its slots in the order of the text.

    ``slots`` are positions of parameters; ``tail`` what follows the last slot. Without a verb the frame can only be
    read letter by letter.
    """

    action: str
    types: tuple[tuple[str, ...], ...]
    verb: str
    particles: tuple[str, ...]
    slots: tuple[int, ...]
    roles: tuple[Role, ...]
    tail: tuple[str, ...]
    content: frozenset[str]
    subject: bool = False

    @classmethod
    def of(cls, snippet: Snippet, types: Sequence[tuple[str, ...]], lexicon: Lexicon) -> Frame:
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
        at = next((i for i, gap in enumerate(gaps) if any(map(_is_content, gap))), 0)
        lead = gaps[at]
        index = next((i for i, word in enumerate(lead) if _is_content(word) and word not in lexicon.type_words), -1)
        index = next((i for i, word in enumerate(lead) if _is_content(word)), 0) if index < 0 else index
        verb = lead[index] if lead else ""
        rest = lead[index + 1 :]
        particles = tuple(rest[:1]) if rest and (rest[0] in PARTICLES or (rest[0] in ("on", "in") and rest[1:])) else ()
        gaps[at] = rest[len(particles) :] if at == 0 else [*lead[:index], *rest[len(particles) :]]
        roles = tuple(role_of(gap, lexicon, gap, behind=index > 0) for index, gap in enumerate(gaps[:-1]))
        content = {word for gap in gaps for word in gap}
        return cls(
            snippet.name,
            tuple(types),
            verb,
            particles,
            tuple(slots),
            roles,
            tuple(gaps[-1]),
            frozenset(content),
            at > 0,
        )


def _is_content(word: str) -> bool:
    return word not in ARTICLES and word not in PREPOSITIONS and word[:1].isalpha()


def role_of(said: Sequence[str], lexicon: Lexicon, own: Sequence[str] = (), *, behind: bool = False) -> Role:
    """The role that words before an object give it. Words for kinds beside an object are no content.

    ``behind``: another object stands before these words, so that the first of them may be its kind.
    """
    words = [word for word in said if word not in ARTICLES and word not in FILLERS]
    while behind and len(words) > 1 and words[0] in lexicon.type_words and words[0] not in PREPOSITIONS:
        words = words[1:]
    kinds: list[str] = []
    while words and words[-1] in lexicon.type_words and (kinds or words[-1] not in PREPOSITIONS):
        kinds.append(words.pop())
    if own and not kinds and len(words) > 1 and words[-1] not in PREPOSITIONS and words[-2] in PREPOSITIONS:
        # The noun that the snippet itself says between a preposition and a slot, "to point {?p}", may be left out.
        kinds.append(words.pop())
    plain = reduced_prepositions(words)
    prepositions = frozenset(word for word in plain if word in PREPOSITIONS)
    content = Counter(word for word in plain if word not in PREPOSITIONS)
    return Role(tuple(said), prepositions, content, frozenset(kinds))


@dataclass(frozen=True)
class Fit:
    """A way to see words as an action: what it costs, what it overlooks, and which words it uses."""

    frame: Frame
    objects: tuple[tuple[KnownObject, ...], ...]
    cost: float
    loose: frozenset[str]
    first: int
    last: int
    unknown: tuple[str, ...] = ()
    omitted: int = -1

    @property
    def actions(self) -> Iterator[GroundAction]:
        """The ground actions; several where a name can mean several objects."""
        for objects in product(*self.objects):
            yield GroundAction(self.frame.action, tuple([item.pddl for item in objects]))


@dataclass
class _Row:
    """A sentence before it is laid on frames: words, where its verb stands, and the mentions in order."""

    words: Sequence[Word]
    verb: int
    form: str
    passive: bool
    mentions: tuple[Mention, ...]
    roles: tuple[Role, ...] = ()


class Frames:
    """All frames of a wording, found by the forms of their verbs."""

    def __init__(self, frames: Iterable[Frame], lexicon: Lexicon, statics: StaticFacts | None):
        self.lexicon = lexicon
        self.statics = statics
        self.frames = tuple(frames)
        self.verbs: dict[str, list[tuple[Frame, str, float]]] = {}
        self.vocabulary = frozenset(word for frame in self.frames for word in frame.content)
        for frame in self.frames:
            if not frame.verb:
                continue
            for form, kind in verb_forms(frame.verb).items():
                self.verbs.setdefault(form, []).append((frame, kind, 0.0))
            for synonym in SYNONYMS.get(frame.verb, ()):
                for form, kind in verb_forms(synonym).items():
                    self.verbs.setdefault(form, []).append((frame, kind, 1.0))

    # ── mentions ─────────────────────────────────────────────────────────────────────────────────

    def mentions(self, words: Sequence[Word]) -> list[Mention]:
        """The object mentions of a sentence, in order, without overlap; the told spelling first, then the longest."""
        found: list[Mention] = []
        index = 0
        while index < len(words):
            reading = next(iter(self.lexicon.readings(words, index)), None)
            if reading is None or self._is_no_name(words, index):
                index += 1
                continue
            found.append(Mention(index, index + reading.length, reading.objects, reading.loose, words[index].raw))
            index += reading.length
        return found

    def _is_no_name(self, words: Sequence[Word], index: int) -> bool:
        """Whether a word that could be a name is an article, a pronoun, or a number without its noun."""
        word = words[index]
        before = words[index - 1].text if index else ""
        if (
            len(word.text) == 1
            and before in self.lexicon.type_words
            and index > 1
            and words[index - 2].text in ("a", "an")
        ):
            # "stack an object A on an object B" describes.
            return True
        following = words[index + 1] if index + 1 < len(words) else None
        if word.text in ("a", "an"):
            noun = following is not None and not following.parted and following.text in self.lexicon.type_words
            return noun and before != ARTICLE
        if word.text == "i":
            return index == 0 or bool(word.parted) or (following is not None and following.text in self.verbs)
        return word.text.isdigit() and word.text not in self.lexicon.folded and before not in self.lexicon.type_words

    # ── fitting ──────────────────────────────────────────────────────────────────────────────────

    def fits(
        self, words: Sequence[Word], verb: int, mentions: Sequence[Mention], passive: bool, *, wild: bool = False
    ) -> list[Fit]:
        """The cheapest fits of words whose verb stands at an index; several only where they cost the same.

        ``wild``: mentions may be words that name no object, and objects may be of wrong types, to say what is wrong.
        """
        found: list[Fit] = []
        for frame, form, cost in self.verbs.get(words[verb].text, ()):
            count = len(frame.slots)
            for taken in (count, count - 1) if not wild and self.statics and count > 1 else (count,):
                if taken > len(mentions) or (wild and taken != len(mentions)):
                    continue
                row = self._row(words, verb, form, passive and form == "past", mentions[:taken])
                fit = self._fit(frame, row, wild)
                if fit is not None and fit.cost + cost <= (_NEVER if wild else _LIMIT):
                    found.append(replace(fit, cost=fit.cost + cost))
                    break
        if not found:
            return []
        # More of the sentence said beats less, then the cost.
        most = max(
            sum(mention.last <= fit.last or fit.first <= mention.first < fit.last for mention in mentions)
            for fit in found
        )
        found = [
            fit
            for fit in found
            if sum(mention.last <= fit.last or fit.first <= mention.first < fit.last for mention in mentions) == most
        ]
        complete = [fit for fit in found if fit.omitted < 0] or found
        best = min(fit.cost for fit in complete)
        return [fit for fit in complete if fit.cost < best + 0.25]

    def _row(self, words: Sequence[Word], verb: int, form: str, passive: bool, mentions: Sequence[Mention]) -> _Row:
        """The mentions with the words that announce each: those since the verb or the mention before."""
        roles: list[Role] = []
        at = 0
        for mention in mentions:
            start = verb + 1 if at <= verb < mention.first else at
            roles.append(self._role(words, start, mention, verb))
            at = mention.last
        return _Row(words, verb, form, passive, tuple(mentions), tuple(roles))

    def _role(self, words: Sequence[Word], start: int, mention: Mention, verb: int) -> Role:
        said: list[str] = []
        # Of what stands before the verb the stance is judged: "subsequently a is moved".
        relative = start == 0 and mention.first < verb
        for word in words[start : mention.first]:
            relative = relative or word.text in RELATIVES
            # "…, which is parked behind b": only what a snippet may say of it counts.
            if not relative or word.text in PREPOSITIONS or word.text in self.vocabulary:
                said += _parts(word.text, self)
        return role_of(said, self.lexicon, behind=start > 0 and start != verb + 1)

    def _fit(self, frame: Frame, row: _Row, wild: bool) -> Fit | None:
        """The cheapest assignment of the mentions to the slots, if it is the only one of its cost."""
        particles, roles = self._particles(frame, row)
        count = len(frame.slots)
        table = [
            [self._cost(frame, slot, row, k, roles[k], wild) for k in range(len(row.mentions))] for slot in range(count)
        ]
        found = sorted(_assignments(table, frame, row.mentions, wild))
        if not found or found[0][0] >= _NEVER:
            return None
        cost, chosen = found[0]
        meant = _meant(chosen, row.mentions)
        other = next((price for price, another in found if _meant(another, row.mentions) != meant), _NEVER)
        if not wild and (other - cost < 0.5 or (cost >= 2 and other - cost < 1)):
            return None
        omitted = next((i for i, k in enumerate(chosen) if k < 0), -1)
        extra = Counter(word for role in roles for word in role.content)
        if any(word not in frame.content and word != frame.verb for word in extra) and not wild:
            return None
        cost += particles
        missing = Counter(word for role in frame.roles for word in role.content) - extra
        for word in list(missing):
            acting = any(item.text == word for item in row.words[: row.verb])
            if acting or any(word in role.said for role in roles):
                del missing[word]
        if omitted >= 0:
            missing -= frame.roles[omitted].content
        cost += 0.5 * sum(missing.values())
        last = max([row.verb, *(mention.last - 1 for mention in row.mentions)])
        first = min([row.verb, *(mention.first for mention in row.mentions)])
        last, loose_end, tail_cost = self._tail(frame, row, last)
        cost += tail_cost
        cost += 0.0 if row.form == "base" else 0.1
        objects: list[tuple[KnownObject, ...]] = [()] * len(frame.types)
        for slot, k in enumerate(chosen):
            if k >= 0:
                place = frame.slots[slot]
                fitting = tuple(item for item in row.mentions[k].objects if wild or item.fits(frame.types[place]))
                before = objects[place]
                objects[place] = tuple(item for item in fitting if item in before) if before else fitting
        loose = self._loose(frame, row, roles, chosen, missing)
        if particles:
            loose.add("words")
        if loose_end:
            loose.add("ending")
        unknown = tuple(mention.name for mention in row.mentions if not mention.objects)
        if omitted >= 0:
            completed = self._completed(frame, omitted, objects)
            if completed is None:
                return None
            objects[frame.slots[omitted]] = completed
            loose.add("ending")
        return Fit(frame, tuple(objects), cost, frozenset(loose), first, last + 1, unknown, omitted)

    def _completed(
        self, frame: Frame, slot: int, objects: Sequence[tuple[KnownObject, ...]]
    ) -> tuple[KnownObject, ...] | None:
        """The one object that an omitted slot can mean, by what never changes; None where several can, or none."""
        if self.statics is None or frame.slots.count(frame.slots[slot]) > 1:
            return None
        place = frame.slots[slot]
        if any(len(items) != 1 for index, items in enumerate(objects) if index != place):
            return None
        names = [items[0].pddl if items else "" for items in objects]
        found = self.statics.completion(frame.action, names, place)
        return None if found is None else (self.lexicon.by_pddl[found],)

    # ── costs ────────────────────────────────────────────────────────────────────────────────────

    def _particles(self, frame: Frame, row: _Row) -> tuple[float, list[Role]]:
        """What missing particles cost, and the roles without those that were found."""
        roles = list(row.roles)
        cost = 0.0
        for particle in frame.particles:
            for k, role in enumerate(roles):
                said = [word for word in role.said if word not in ARTICLES]
                ahead = row.mentions[k].first > row.verb
                if ahead and particle in said and (said[0] == particle or particle in PARTICLES):
                    rest = list(role.said)
                    rest.remove(particle)
                    roles[k] = role_of(rest, self.lexicon)
                    break
            else:
                behind = row.mentions[-1].last if row.mentions else row.verb + 1
                if behind < len(row.words) and row.words[behind].text == particle and particle in PARTICLES:
                    continue
                cost += 1.0
        return cost, roles

    def _cost(self, frame: Frame, slot: int, row: _Row, k: int, role: Role, wild: bool) -> float:
        mention, wanted = row.mentions[k], frame.roles[slot]
        types = frame.types[frame.slots[slot]]
        wrong = bool(mention.objects) and not any(item.fits(types) for item in mention.objects)
        if not wrong and mention.objects and role.kinds:
            wrong = not any(self.lexicon.words_for(item).issuperset(role.kinds) for item in mention.objects)
        if wrong and not wild:
            return _NEVER
        cost = self._announced(frame, slot, row, k, role)
        if role.kinds.isdisjoint(wanted.kinds) and any(role.kinds & other.kinds for other in frame.roles):
            # Another slot is said to be of this kind.
            cost += 1.5
        elif role.kinds and wanted.kinds and role.kinds.isdisjoint(wanted.kinds):
            cost += 0.6
        return min(_NEVER - 10, 2.0 * wrong + 3.0 * cost) if wild else cost

    def _announced(self, frame: Frame, slot: int, row: _Row, k: int, role: Role) -> float:
        """What it costs that an object is announced otherwise than its slot."""
        mention, wanted = row.mentions[k], frame.roles[slot]
        said, sought = role.prepositions, wanted.prepositions
        if said == sought:
            return _differs(wanted.content, role.content)
        if mention.first < row.verb and not said:
            if frame.subject and slot == 0:
                return 0.0
            if row.passive:
                return _NEVER if sought else 0.0
            return 0.5 if not sought or sought & (_INSTRUMENT | {"of"}) else 3.0
        if said and sought and ("from" in said) != ("from" in sought) and not said & sought:
            return _NEVER
        if "from" in said | sought and not (said and sought):
            return 2.0
        if sought and (said - sought) & _DISTINCT and not sought >= said - _LOCATIVE:
            return _NEVER
        if said and (sought - said) & _DISTINCT:
            return _NEVER
        if said and sought and said <= _LOCATIVE and sought <= _LOCATIVE:
            return 1.0
        if not sought:
            # "load it with …" may be said of what is loaded; "load … into it" may not.
            return 1.0 if said <= _INSTRUMENT | {"of"} else 2.5
        if not said:
            return 1.0 if sought <= _LOCATIVE | _INSTRUMENT | {"of", "for"} else 2.0
        return min(2.0, float(len(said ^ sought)))

    def _tail(self, frame: Frame, row: _Row, last: int) -> tuple[int, bool, float]:
        """Takes the snippet's last words off behind the last object; whether some were missing, and their cost."""
        words, at = row.words, last + 1
        tail = list(frame.tail)
        missing = 0
        for word in tail:
            behind = at
            while behind < len(words) and (words[behind].text in ARTICLES or words[behind].text in frame.particles):
                behind += 1
            if behind < len(words) and words[behind].text == word:
                at = behind + 1
            elif word not in ARTICLES:
                missing += 1
        while (
            not tail
            and at < len(words)
            and not words[at].parted
            and at == last + 1
            and self._is_noun_of(row, words, at)
        ):
            at += 1
            last = at - 1
        if not missing:
            particle = at < len(words) and words[at].text in frame.particles and words[at].text in PARTICLES
            return (at if particle else at - 1), False, 0.0
        kinds_only = all(word in self.lexicon.type_words or word in ARTICLES for word in tail)
        at = at - 1 if at - 1 > last else last
        return at, not kinds_only, 0.0 if kinds_only else 0.1

    def _is_noun_of(self, row: _Row, words: Sequence[Word], at: int) -> bool:
        """Whether a noun behind an object says its kind: "the red block"."""
        ending = [mention for mention in row.mentions if mention.last == at]
        if not ending or words[at].text in ("a", "an"):
            return False
        if words[at - 1].text == "a" and (at < 2 or words[at - 2].text != ARTICLE):
            return False
        return any(words[at].text in self.lexicon.words_for(item) for item in ending[0].objects)

    def _loose(
        self, frame: Frame, row: _Row, roles: Sequence[Role], chosen: Sequence[int], missing: Counter[str]
    ) -> set[str]:
        """The names of what is overlooked, but for the tail."""
        loose: set[str] = set()
        if any(mention.loose for mention in row.mentions):
            loose.add("names")
        if row.form != "base":
            loose.add("form")
        taken = [k for k in chosen if k >= 0]
        if taken != sorted(taken) or any(row.mentions[k].first < row.verb for k in taken):
            loose.add("order")
        if missing:
            loose.add("words")
        for slot, k in enumerate(chosen):
            if k < 0:
                continue
            told, said = frame.roles[slot].said, roles[k].said
            if told == said:
                continue
            if told.count(ARTICLE) != said.count(ARTICLE):
                loose.add("articles")
            ours, theirs = ([word for word in words if word != ARTICLE] for words in (told, said))
            if frame.roles[slot].kinds != roles[k].kinds or any(
                (word in self.lexicon.type_words) and ours.count(word) != theirs.count(word)
                for word in (*ours, *theirs)
            ):
                loose.add("types")
            plain = [[word for word in words if word in PREPOSITIONS] for words in (ours, theirs)]
            if plain[0] != plain[1]:
                loose.add("prepositions")
        behind = max((row.mentions[k].last for k in taken), default=len(row.words))
        if (behind < len(row.words) and row.words[behind].text in self.lexicon.type_words and not frame.tail) or (
            frame.tail
            and frame.tail[0] in self.lexicon.type_words
            and (behind >= len(row.words) or row.words[behind].text != frame.tail[0])
        ):
            loose.add("types")
        return loose


def _parts(text: str, frames: Frames) -> list[str]:
    """A compound of words that snippets say, in its parts: "no-gluten"; "gluten-free" says "no gluten"."""
    if "_" not in text or text in frames.vocabulary or text in frames.lexicon.type_words:
        return [text]
    parts = text.split("_")
    if parts[-1] == "free":
        parts = ["no", *parts[:-1]]
    return parts if any(part in frames.vocabulary for part in parts) else [text]


def _differs(told: Counter[str], said: Counter[str]) -> float:
    return float(sum((told - said).values()) + sum((said - told).values())) / 2


def _meant(chosen: Sequence[int], mentions: Sequence[Mention]) -> list[tuple[KnownObject, ...]]:
    """The objects in the order of the slots."""
    return [mentions[k].objects if k >= 0 else () for k in chosen]


def _assignments(
    table: Sequence[Sequence[float]], frame: Frame, mentions: Sequence[Mention], wild: bool
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """All ways to give each mention its slot, with their costs; -1 for a slot that is left out (one at most)."""
    spare = len(table) - len(mentions)

    def step(
        slot: int, used: int, left: int, cost: float, chosen: tuple[int, ...]
    ) -> Iterator[tuple[float, tuple[int, ...]]]:
        if slot == len(table):
            yield cost, chosen
            return
        for k, price in enumerate(table[slot]):
            if used & (1 << k) or price >= _NEVER:
                continue
            place = frame.slots[slot]
            same = [j for other, j in enumerate(chosen) if frame.slots[other] == place and j >= 0]
            if not wild and any(set(mentions[j].objects).isdisjoint(mentions[k].objects) for j in same):
                continue
            # Where the snippet announces two objects alike, their order is all that tells them apart.
            swapped = sum(
                j > k and frame.roles[other].prepositions == frame.roles[slot].prepositions
                and frame.roles[other].content == frame.roles[slot].content
                for other, j in enumerate(chosen)
            )  # fmt: skip
            swapped = 50 * any(j > k for j in chosen) if wild else swapped
            yield from step(slot + 1, used | (1 << k), left, cost + price + 0.6 * swapped, (*chosen, k))
        if left:
            yield from step(slot + 1, used, left - 1, cost + 0.5, (*chosen, -1))

    yield from step(0, 0, spare, 0.0, ())


class StaticFacts:
    """The preconditions that no action changes: they tell actions of one wording apart, and complete omitted objects.

    In a domain without types "load p into t at l" may be said of a truck and of an airplane: which of both ``t`` is,
    ``(truck ?t)`` says. "Move the lift from floor a to floor b" is up or down by ``(above ?a ?b)``.
    """

    def __init__(self, task: Task):
        self._task = task
        changed = changed_predicates(task.domain)
        self._schemas = {action.name: action for action in task.domain.actions}
        self._needs = {name: _static(schema, changed) for name, schema in self._schemas.items()}
        wanted = {atom.predicate for atoms in self._needs.values() for atom in atoms}
        self._facts = {atom for atom in task.problem.init if atom[0] in wanted}
        self._unary: dict[str, frozenset[str]] = {}
        for atom in self._facts:
            if len(atom) == 2:
                self._unary[atom[1]] = self._unary.get(atom[1], frozenset()) | {atom[0]}
        self.settles = any(len(atom.args) != 1 for atoms in self._needs.values() for atom in atoms)

    def unary(self, name: str) -> frozenset[str]:
        """The static unary predicates that are true of an object and that some action asks for."""
        return self._unary.get(name, frozenset())

    def only(self, candidates: Sequence[GroundAction]) -> GroundAction | None:
        """The one candidate whose static preconditions all hold; None where none or several are so."""
        fitting = [item for item in candidates if self.allows(item)]
        return fitting[0] if len(fitting) == 1 else None

    def allows(self, action: GroundAction) -> bool:
        """Whether the static preconditions of an action hold."""
        schema = self._schemas[action.name]
        values = {parameter.name: arg for parameter, arg in zip(schema.parameters, action.args, strict=True)}
        return all(
            (atom.predicate, *(values.get(term, term) for term in atom.args)) in self._facts
            for atom in self._needs[action.name]
        )

    def completion(self, name: str, args: Sequence[str], place: int) -> str | None:
        """The one object that makes an action's static preconditions true in a place where none was said."""
        schema = self._schemas[name]
        objects = self._task.objects_of(schema.parameters[place].types)
        asked = any(schema.parameters[place].name in atom.args for atom in self._needs[name])
        if not asked and len(objects) != 1:
            return None
        fitting = [
            item for item in objects if self.allows(GroundAction(name, (*args[:place], item, *args[place + 1 :])))
        ]
        return fitting[0] if len(fitting) == 1 else None


def _static(schema: ActionSchema, changed: frozenset[str]) -> tuple[Atom, ...]:
    atoms = (part for part in conjuncts(schema.precondition) if isinstance(part, Atom))
    return tuple(atom for atom in atoms if atom.predicate not in changed and atom.predicate != "=")
