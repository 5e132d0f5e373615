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

__all__ = ["ActionMapper", "Mapped"]

_MARK = re.compile(
    r"^[^\S\n]*[#*_>-]*[^\S\n]*(?:atomic\s+)?actions[^\S\n]*[*_]*[^\S\n]*:[^\S\n]*[*_]*[^\S\n]*$", re.I | re.M
)
_CALL = re.compile(r"([A-Za-z][\w-]*)\s*\(([^()]*)\)")
_GROUP = re.compile(r"\(([^()]*)\)")
_LIST_MARK = re.compile(r"^\s*(?:(?:step\s*)?\d+\s*[.):]\s*|[-*•+]\s+)*", re.I)
_MOST_WORDS = 16
"""A line with more words is a remark, not an action."""

_FEW_WORDS = 6
"""The same for a line that is not in a list."""

_MOST_APPLICABLE = 20_000
_MOST_MEANINGS = 60
_LEAST = 75.0
"""The smallest similarity (of 100) between a line, without objects and articles, and an action's words."""

_ARTICLES = frozenset(("a", "an", "the", "and", "then", "now", "i"))
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Mapped:
    """The actions of a reply.

    Attributes:
        actions: in order.
        readings: the lines that were meant as actions, with their readings.
        unread: those of them that could not be read.
    """

    actions: tuple[GroundAction, ...]
    readings: tuple[Reading, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Said:
    """A line split into the words of the action and, if separable, those of its objects."""

    predicate: str
    args: tuple[str, ...]
    call: bool


class ActionMapper:
    """Reads the actions in replies, for one task.

    Args:
        simulator: of the task.
        teller: the names and the wording of the task.
        reader: reads lines first.
        reading: its reading policy if no line ``Actions:`` marks the beginning.
        embed: an embedding model; None to compare spelling.
    """

    def __init__(
        self,
        simulator: Simulator,
        teller: Teller,
        reader: ActionReader,
        reading: str = "default",
        embed: Embed | None = None,
    ):
        self._simulator = simulator
        self._reader = reader
        self._reading = reading
        self._vectors = None if embed is None else Vectors(embed)
        self._told = teller.names.to_nl
        self._schemas = simulator.task.domain.actions
        self._changing = changed_predicates(simulator.task.domain)
        skeletons = [
            " ".join(plain(re.sub(r"\{[^{}]*\}", " ", (teller.wording.actions[schema.name].text or ""))).split())
            if schema.name in teller.wording.actions
            else ""
            for schema in self._schemas
        ]
        self._ways = [(schema.name, schema) for schema in self._schemas]
        self._ways += [(said, schema) for said, schema in zip(skeletons, self._schemas, strict=True) if said]
        names = {plain(said) for name in simulator.task.objects for said in (name, self._told.get(name, name))}
        # "the pan" is the only pan, or the state determines which.
        names |= {stem for name in names if (stem := _NUMBER.sub("", name).strip())}
        self._mentions = sorted(names, key=lambda name: (-len(name), name))

    def map(self, text: str, state: State, most: int) -> Mapped:
        """The actions in a reply.

        Args:
            text: the reply.
            state: the state before the first action; resolves ambiguous lines.
            most: the largest number of actions, and of unreadable lines; the rest is not read.
        """
        marks = list(_MARK.finditer(text))
        start = marks[-1].end() if marks else 0
        # Unread text is replaced by spaces, which keeps line numbers and offsets.
        found = self._reader.read(re.sub(r"[^\n]", " ", text[:start]) + text[start:], self._reading)
        lines = found.readings if marks else found.chosen
        actions: list[GroundAction] = []
        readings: list[Reading] = []
        here: State | None = state
        unread: list[str] = []
        for line in lines:
            if len(actions) == most or len(unread) == most:
                break
            reading = self._read(line, here, listed=bool(marks))
            if reading is None:
                continue
            readings.append(reading)
            if reading.action is not None:
                actions.append(reading.action)
                here = self._after(here, reading.action)
            else:
                unread.append(" ".join(reading.text.split()))
        return Mapped(tuple(actions), tuple(readings), tuple(unread))

    def _read(self, line: Reading, state: State | None, *, listed: bool) -> Reading | None:
        """The reading of a line; None if it was not meant as an action."""
        if line.status == "read":
            return line
        if line.status == "ambiguous" and state is not None:
            line = settle(line, lambda action: self._is_applicable(state, action))
            if line.status == "read":
                return line
        if not line.is_attempt and (not listed or line.rule in ("claim", "label", "thought")):
            return None
        action = self._nearest(line.text, state)
        if action is not None:
            rule = "+".join(name for name in (line.rule if line.is_attempt else "", "mapped") if name)
            return line._replace(status="read", action=action, candidates=(), rule=rule, reason="", unknown=())
        if not line.is_attempt and self._looks_like_one(line.text):
            line = line._replace(status="unreadable", rule="", reason="no action is near to it")
        return line if line.is_attempt else None

    def _looks_like_one(self, text: str) -> bool:
        """Whether a line was meant as an action: a call ``name(object)``, or few words that name an object."""
        line = _bare(text)
        if _CALL.fullmatch(line) or _GROUP.fullmatch(line):
            return True
        words = len(line.split())
        listed = text.strip() != _LIST_MARK.sub("", text.strip())
        return words <= (_MOST_WORDS if listed else _FEW_WORDS) and self._parts(text) is not None

    # ── the paper's mapper ───────────────────────────────────────────────────────────────────────

    def _nearest(self, text: str, state: State | None) -> GroundAction | None:
        """The valid action nearest to a line; None if none or several are near."""
        said = self._parts(text)
        if said is None:
            return None
        places = self._ways_near(said)
        schemas = list({self._ways[place][1].name: self._ways[place][1] for place in places}.values())
        found = [action for schema in schemas for action in self._with_objects(schema, said, state)]
        found = list(dict.fromkeys(found))
        if len(found) > 1 and state is not None:
            # Equally near: prefer valid actions, and among these applicable ones.
            found = [action for action in found if self._is_valid(state, action)]
            if len(found) > 1:
                found = [action for action in found if self._is_applicable(state, action)]
        return found[0] if len(found) == 1 else None

    def _ways_near(self, said: _Said) -> tuple[int, ...]:
        """The indices of the action names and wordings nearest to a predicate."""
        choices = [words for words, _ in self._ways]
        if said.call or self._vectors is not None:
            return nearest(said.predicate, choices, self._vectors)
        # Unmatched words of a sentence may be essential: "the cracked egg" is not the egg.
        scores = [fuzz.ratio(said.predicate, plain(words)) for words in choices]
        best = max(scores, default=0.0)
        return tuple(place for place, score in enumerate(scores) if score == best >= _LEAST)

    def _parts(self, text: str) -> _Said | None:
        line = _bare(text)
        if len(line.split()) > _MOST_WORDS:
            return None
        if call := _CALL.search(line):
            return _Said(call[1], _split(call[2]), True)
        if group := _GROUP.search(line):
            name, *args = _split(group[1]) or ("",)
            return _Said(name, tuple(args), True) if name else None
        words = f" {plain(line)} "
        objects: list[tuple[int, str]] = []
        for mention in self._mentions:
            place = words.find(f" {mention} ")
            if place >= 0:
                objects.append((place, mention))
                words = words[: place + 1] + "\0" * len(mention) + words[place + 1 + len(mention) :]
        rest = " ".join(word for word in words.replace("\0", " ").split() if word not in _ARTICLES)
        if not rest or not objects:
            return None
        return _Said(rest, tuple(mention for _, mention in sorted(objects)), False)

    def _with_objects(self, schema: ActionSchema, said: _Said, state: State | None) -> Iterator[GroundAction]:
        """The actions of a schema with the given objects, as far as they fit its parameters."""
        parameters = schema.parameters
        if len(said.args) == len(parameters) or (said.call and len(said.args) > len(parameters) > 0):
            # A call may have more arguments than the action has parameters: pick_up(egg, table).
            for chosen in islice(combinations(said.args, len(parameters)), _MOST_MEANINGS):
                args = [self._objects(words, item.types) for words, item in zip(chosen, parameters, strict=True)]
                if all(args) and prod(map(len, args)) <= _MOST_MEANINGS:
                    yield from (GroundAction(schema.name, names) for names in product(*args))
                    return
        if state is None or len(said.args) > len(parameters) + 2:
            return
        known = [names for words in said.args if len(names := self._objects(words, ("object",))) == 1]
        wanted = {names[0] for names in known}
        if len(known) < len(said.args) or not wanted:
            return
        if len(wanted) == len(parameters):
            for order in permutations(sorted(wanted)):
                action = GroundAction(schema.name, order)
                if self._is_applicable(state, action):
                    yield action
            return
        for action in islice(self._simulator.applicable(state), _MOST_APPLICABLE):
            if action.name == schema.name and wanted <= {*action.args}:
                yield action

    def _objects(self, words: str, types: Sequence[str]) -> list[str]:
        """The objects of some types nearest to words; several if equally near."""
        names = self._simulator.task.objects_of(types)
        choices = [said for name in names for said in (name, self._told.get(name, name))]
        return list(dict.fromkeys(names[place // 2] for place in nearest(words, choices, self._vectors)))

    # ── the state ────────────────────────────────────────────────────────────────────────────────

    def _is_valid(self, state: State, action: GroundAction) -> bool:
        """Whether no static condition of an action fails."""
        try:
            unmet = self._simulator.step(state, action).unmet
        except BadActionError:
            return False
        return all(any(map(self._changes, subformulas(condition))) for condition in unmet)

    def _changes(self, part: Condition) -> bool:
        return isinstance(part, Comparison) or (isinstance(part, Atom) and part.predicate in self._changing)

    def _is_applicable(self, state: State, action: GroundAction) -> bool:
        try:
            return self._simulator.is_applicable(state, action)
        except BadActionError:
            return False

    def _after(self, state: State | None, action: GroundAction) -> State | None:
        """The state after an action; unchanged if it is not applicable, because repair or correction may insert
        actions.
        """
        if state is None:
            return None
        try:
            return self._simulator.step(state, action).successor or state
        except BadActionError:
            return state


def _bare(text: str) -> str:
    """A line without list marks, emphasis and full stop."""
    return _LIST_MARK.sub("", text.strip()).strip(" `*_.;\"'")


def _split(words: str) -> tuple[str, ...]:
    parts = words.split(",") if "," in words else words.split()
    return tuple(part.strip(" \t\"'`") for part in parts if part.strip(" \t\"'`"))
