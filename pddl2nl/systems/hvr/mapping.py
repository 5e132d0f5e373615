"""From a reply to actions: our reader first, then the action mapper of the HVR paper (section 3.3).

A reply gives the steps in words and then, after a line ``Actions:``, as actions; what comes before that line is not
read. Each line is read by `pddl2nl.nl.Reader`. A line that it cannot read is split into a predicate and objects: the
predicate is mapped to the nearest action, by name or wording, and the objects to the nearest ones of the types that the
action takes, so that only valid actions result. Nearness is the cosine of embeddings or, without an embedding model,
high similarity in spelling (`pddl2nl.worlds.similarity`). Missing objects are filled in if the state leaves only one
possibility. Mapped actions have the rule ``mapped``; other lines stay unread, and the model is told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations, product
from math import prod

from rapidfuzz import fuzz

from pddl2nl.nl import Reading, Teller
from pddl2nl.nl.reading.readings import settle
from pddl2nl.pddl import ActionSchema, Atom, Comparison, Condition, changed_predicates
from pddl2nl.policies.setting import ActionReader
from pddl2nl.worlds.similarity import Embed, Vectors, nearest, plain
from pddlval import BadActionError, GroundAction, Simulator, State
from pddlval.formulas import subformulas

_MARK = re.compile(
    r"^[^\S\n]*[#*_>-]*[^\S\n]*(?:atomic\s+)?actions[^\S\n]*[*_]*[^\S\n]*:[^\S\n]*[*_]*[^\S\n]*$", re.I | re.M
)
_CALL = re.compile(r"([A-Za-z][\w-]*)\s*\(([^()]*)\)")
_GROUP = re.compile(r"\(([^()]*)\)")
_LIST_MARK = re.compile(r"^\s*(?:(?:step\s*)?\d+\s*[.):]\s*|[-*•+]\s+)*", re.I)
_LONGEST_LISTED, _LONGEST_UNLISTED = 16, 6
"""The most words of a line in a list, or elsewhere, that is meant as an action; longer lines are remarks."""

_MOST_APPLICABLE = 20_000
_MOST_MEANINGS = 60
_LEAST = 75.0
"""The smallest similarity (of 100) between a line, without objects and articles, and an action's words."""

_ARTICLES = frozenset(("a", "an", "the", "and", "then", "now", "i"))
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class MappedReply:
    """A reply: the readings of the lines that were meant as actions."""

    readings: tuple[Reading, ...] = ()

    @property
    def actions(self) -> tuple[GroundAction, ...]:
        return tuple(reading.action for reading in self.readings if reading.action is not None)

    @property
    def unread(self) -> tuple[str, ...]:
        return tuple(" ".join(reading.text.split()) for reading in self.readings if reading.action is None)


@dataclass(frozen=True)
class _SplitLine:
    """A line split into the words of the action and those of its objects; ``call``: as ``name(object)``."""

    predicate: str
    args: tuple[str, ...]
    call: bool


class ActionMapper:
    """Reads the actions in replies, for one task; the reader comes first."""

    def __init__(self, simulator: Simulator, teller: Teller, reader: ActionReader, embed: Embed | None = None):
        task, wording = simulator.task, teller.wording.actions
        self._simulator = simulator
        self._reader = reader
        self._vectors = None if embed is None else Vectors(embed)
        self._told = teller.names.to_nl
        self._changing = changed_predicates(task.domain)
        # Names of actions, and their wordings without objects.
        schemas = {schema.name: schema for schema in task.domain.actions}
        texts = {name: wording[name].text or "" for name in schemas if name in wording}
        skeletons = [(plain(re.sub(r"\{[^{}]*\}", " ", text)), schemas[name]) for name, text in texts.items()]
        self._phrases = [*schemas.items(), *(phrase for phrase in skeletons if phrase[0])]
        names = {plain(said) for name in task.objects for said in (name, self._told.get(name, name))}
        # "the pan" is the only pan, or the state determines which.
        names |= {stem for name in names if (stem := _NUMBER.sub("", name).strip())}
        self._mentions = sorted(names, key=lambda name: (-len(name), name))

    def map(self, text: str, state: State, most: int) -> MappedReply:
        """The actions in a reply; the state before the first one resolves ambiguous lines.

        At most `most` actions and as many unreadable lines are read.
        """
        marks = list(_MARK.finditer(text))
        start = marks[-1].end() if marks else 0
        # Unread text is replaced by spaces, which keeps line numbers and offsets.
        lines = self._reader.read(re.sub(r"[^\n]", " ", text[:start]) + text[start:])
        readings: list[Reading] = []
        left = Counter({True: most, False: most})
        for line in lines.readings if marks else lines.chosen:
            if not all(left.values()):
                break
            reading = self._read(line, state, listed=bool(marks))
            if reading is None:
                continue
            readings.append(reading)
            left[reading.action is not None] -= 1
            if reading.action is not None:
                # An action that is not applicable changes nothing: repair or correction may insert others before it.
                state = self._successor(state, reading.action) or state
        return MappedReply(tuple(readings))

    def _read(self, line: Reading, state: State, *, listed: bool) -> Reading | None:
        """The reading of a line; None if it was not meant as an action."""
        if line.status == "ambiguous":
            line = settle(line, lambda action: self._successor(state, action) is not None)
        if line.status == "read":
            return line
        if not line.is_attempt and (not listed or line.rule in ("claim", "label", "thought")):
            return None
        action = self._nearest(line.text, state)
        if action is not None:
            rule = f"{line.rule}+mapped" if line.is_attempt and line.rule else "mapped"
            return line._replace(status="read", action=action, candidates=(), rule=rule, reason="", unknown=())
        if line.is_attempt:
            return line
        meant = self._looks_like_action(line.text)
        return line._replace(status="unreadable", rule="", reason="no action is near to it") if meant else None

    def _looks_like_action(self, text: str) -> bool:
        """Whether a line was meant as an action: a call ``name(object)``, or few words that name an object."""
        line = _bare(text)
        if _CALL.fullmatch(line) or _GROUP.fullmatch(line):
            return True
        listed = text.strip() != _LIST_MARK.sub("", text.strip())
        longest = _LONGEST_LISTED if listed else _LONGEST_UNLISTED
        return len(line.split()) <= longest and self._split(line) is not None

    def _nearest(self, text: str, state: State) -> GroundAction | None:
        """The valid action nearest to a line; None if none or several are near."""
        line = self._split(_bare(text))
        if line is None:
            return None
        schemas = {schema.name: schema for schema in self._schemas_near(line)}.values()
        actions = list(dict.fromkeys(action for schema in schemas for action in self._actions(schema, line, state)))
        if len(actions) > 1:
            # Equally near: prefer valid actions, and among these applicable ones.
            actions = [action for action in actions if self._is_valid(state, action)]
        if len(actions) > 1:
            actions = [action for action in actions if self._successor(state, action) is not None]
        return actions[0] if len(actions) == 1 else None

    def _schemas_near(self, line: _SplitLine) -> list[ActionSchema]:
        """The actions whose names or wordings are nearest to a predicate."""
        choices = [words for words, _ in self._phrases]
        if line.call or self._vectors is not None:
            return [self._phrases[place][1] for place in nearest(line.predicate, choices, self._vectors)]
        # Unmatched words of a sentence may be essential: "the cracked egg" is not the egg.
        scores = [fuzz.ratio(line.predicate, plain(words)) for words in choices]
        best = max(scores, default=0.0)
        return [self._phrases[place][1] for place, score in enumerate(scores) if score == best >= _LEAST]

    def _split(self, line: str) -> _SplitLine | None:
        if len(line.split()) > _LONGEST_LISTED:
            return None
        if call := _CALL.search(line):
            return _SplitLine(call[1], _arguments(call[2]), True)
        if group := _GROUP.search(line):
            name, *args = _arguments(group[1]) or ("",)
            return _SplitLine(name, tuple(args), True) if name else None
        words = f" {plain(line)} "
        objects: list[tuple[int, str]] = []
        for mention in self._mentions:
            place = words.find(f" {mention} ")
            if place >= 0:
                objects.append((place, mention))
                words = words[: place + 1] + "\0" * len(mention) + words[place + 1 + len(mention) :]
        rest = " ".join(word for word in words.replace("\0", " ").split() if word not in _ARTICLES)
        return _SplitLine(rest, tuple(mention for _, mention in sorted(objects)), False) if rest and objects else None

    def _actions(self, schema: ActionSchema, line: _SplitLine, state: State) -> Iterator[GroundAction]:
        """The actions of a schema with the given objects, as far as they fit its parameters."""
        parameters = schema.parameters
        if len(line.args) == len(parameters) or (line.call and len(line.args) > len(parameters) > 0):
            # A call may have more arguments than the action has parameters: pick_up(egg, table).
            for chosen in islice(combinations(line.args, len(parameters)), _MOST_MEANINGS):
                args = [self._objects(words, item.types) for words, item in zip(chosen, parameters, strict=True)]
                if all(args) and prod(map(len, args)) <= _MOST_MEANINGS:
                    yield from (GroundAction(schema.name, names) for names in product(*args))
                    return
        meanings = [self._objects(words, ("object",)) for words in line.args]
        named = {names[0] for names in meanings if names}
        if len(line.args) > len(parameters) + 2 or not named or any(len(names) != 1 for names in meanings):
            return
        if len(named) == len(parameters):
            orders = (GroundAction(schema.name, order) for order in permutations(sorted(named)))
            yield from (action for action in orders if self._successor(state, action) is not None)
            return
        for action in islice(self._simulator.applicable(state), _MOST_APPLICABLE):
            if action.name == schema.name and named <= {*action.args}:
                yield action

    def _objects(self, words: str, types: Sequence[str]) -> list[str]:
        """The objects of some types nearest to words; several if equally near."""
        names = self._simulator.task.objects_of(types)
        choices = [said for name in names for said in (name, self._told.get(name, name))]
        return list(dict.fromkeys(names[place // 2] for place in nearest(words, choices, self._vectors)))

    def _is_valid(self, state: State, action: GroundAction) -> bool:
        try:
            unmet = self._simulator.step(state, action).unmet
        except BadActionError:
            return False
        return all(any(map(self._changes, subformulas(condition))) for condition in unmet)

    def _changes(self, part: Condition) -> bool:
        return isinstance(part, Comparison) or (isinstance(part, Atom) and part.predicate in self._changing)

    def _successor(self, state: State, action: GroundAction) -> State | None:
        """The state after an action; None if it is not applicable, or no action of the task."""
        try:
            return self._simulator.step(state, action).successor
        except BadActionError:
            return None


def _bare(text: str) -> str:
    return _LIST_MARK.sub("", text.strip()).strip(" `*_.;\"'")


def _arguments(words: str) -> tuple[str, ...]:
    parts = words.split(",") if "," in words else words.split()
    return tuple(part.strip(" \t\"'`") for part in parts if part.strip(" \t\"'`"))
