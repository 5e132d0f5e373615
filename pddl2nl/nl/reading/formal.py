"""What a stretch of text says (`ClauseReading`), and PDDL and JSON among language.

S-expressions, calls, tuples and bare actions give an action's name and its objects; JSON may give them apart, or
sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pddl2nl.nl.reading.lexicon import KnownObject, Lexicon
from pddl2nl.nl.reading.readings import Status
from pddl2nl.nl.reading.segments import label_of
from pddl2nl.nl.reading.words import PREPOSITIONS, WORDS, fold, says
from pddl2nl.pddl.tree import Domain, StepSchema
from pddlval import GroundAction

TRAILING = " \t.,;:!*_`\"'”’»~\\]|"
"""Marks behind an action that are no part of it."""


UNKNOWN_VERB = "it begins like none of the actions"
"""The reason of what is said of objects with a verb of no action."""


A_LIST = "state (a list)"
"""The stance of objects that no verb is said of: "[truck_1 at place_2]"."""


class ClauseReading(NamedTuple):
    """What a stretch of text says; offsets count from the beginning of the text that was given.

    ``names_object``: whether it names one.
    """

    start: int
    end: int
    status: Status
    candidates: tuple[GroundAction, ...] = ()
    rules: tuple[str, ...] = ()
    reason: str = ""
    unknown: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    names_object: bool = False
    stance: str = ""

    def moved(self, by: int, *rules: str) -> ClauseReading:
        """The same, said of a text that begins so many characters earlier; ``rules`` come before its own."""
        return self._replace(start=self.start + by, end=self.end + by, rules=(*rules, *self.rules))

    def refused(self, stance: str) -> ClauseReading:
        """The same as no action, for the given stance."""
        return self._replace(status="not-an-action", candidates=(), rules=(), reason="", stance=stance)

    def of_unknown(self, names: tuple[str, ...], lexicon: Lexicon) -> ClauseReading:
        """The same with words that name no object."""
        quoted = ", ".join(f"'{name}'" for name in names)
        near = tuple(dict.fromkeys(item for name in names for item in lexicon.near(name)))
        reason = f"no object is called {quoted}"
        return self._replace(status="unknown-object", unknown=names, suggestions=near, reason=reason)

    @property
    def tells_state(self) -> bool:
        """Whether it says how things are, with a verb."""
        return self.stance.startswith("state") and self.stance != A_LIST

    @property
    def is_failure(self) -> bool:
        """Whether it was meant as an action and does not say one."""
        return self.status in ("unreadable", "unknown-object")


def verdict_of(start: int, end: int, actions: tuple[GroundAction, ...], rules: tuple[str, ...]) -> ClauseReading:
    """An action that was read, or several that fit equally well."""
    if len(actions) == 1:
        return ClauseReading(start, end, "read", actions, rules, names_object=True)
    return ClauseReading(start, end, "ambiguous", actions, rules, "fits more than one action", names_object=True)


# "(stack a b)", "[stack, a, b]"
_SEXPR = re.compile(r"(?<!\w)[(\[]\s*([^\s()\[\],=]+)((?:[\s,]+[^\s()\[\],]+)*)\s*,?[)\]]")
_LINKING = "|".join(sorted(WORDS.linking))
# "stack(a, b)", "**stack** (a, b)", and YAML's "name: stack" above "args: {x: a, y: b}". It begins where a word does:
# tried at each letter of a long word, it would take quadratic time.
_CALL = re.compile(
    rf"(?:(?<![\w.-])|(?<=\.\.))(?!(?i:{_LINKING}) )(?:\w+\.)*([\w-]+(?: [\w-]+){{0,2}})[*_`]*\s*"
    r"(?:\(|\n\s*(?:arg(?:ument)?s|param(?:eter)?s|objects)\s*:\s*[\[({])([^()]*)[)\]}]"
)
# "stack a b", "'stack' a, b (b is clear)", "stack: a, b", and the template wording's "the action 'stack' to a and b"
_BARE = re.compile(
    rf"(?<![\w-])(?!(?i:{_LINKING})\b)"
    r"([\w-]+)(?:(?:[\"'`*]+\s+(?:applied\s+)?(?:to|for)\s|[\s\"'`*:–—-])[\s\"'`*:–—-]*([^(\[;#–—→\n]*?))?"
    rf"(?=\s*(?:[(\[;#–—→|]|-\s|[-=]+>|//|\Z)|,?\s(?:(?:{_LINKING})\s+){{2,}}[\"'`])"
)
_ENDS = re.compile(r"[.;!?]\s")
_TITLE = re.compile(r"[^`\n]*[:.–—-][\s*_]*`")
_BETWEEN = re.compile(rf"(?:[\s,;.*_`\"'→>|\[\]\d:(&+-]|\b(?:{_LINKING})\b)*", re.IGNORECASE)
_MARKS = re.escape(f"){TRAILING}")
_ARGUMENT = re.compile(rf"[\s{_MARKS}]*(?:([\w ?-]+)[\"'`]?\s*[=:]\s*)?[\"'`]?(.*?)[{_MARKS}]*\Z")


class PDDLGrammar:
    """The actions of a domain as PDDL writes them, with told or PDDL's own names of objects."""

    def __init__(self, domain: Domain, lexicon: Lexicon, told: Mapping[str, Sequence[int]]):
        """``told``: the parameters of each action in the order in which it is told, which letters as keys follow."""
        self.lexicon = lexicon
        self._told = told
        # Hyphens count as underscores where that makes no action another one.
        folded = {fold(action.name): action for action in domain.steps}
        squeezed = {name.replace("_", ""): action for name, action in folded.items()}
        self.schemas: Mapping[str, StepSchema] = squeezed | folded | {action.name: action for action in domain.steps}

    def schema(self, name: str) -> StepSchema | None:
        """The action of that name, or None. Blanks count as hyphens: "put down"."""
        name = name.strip("\"'`").replace(" ", "_")
        return self.schemas.get(name.lower()) or self.schemas.get(fold(name))

    def read(self, text: str) -> list[ClauseReading]:
        """S-expressions at the beginning of a text (``(stack a b) (pick-up c)``), calls, or bare actions."""
        shapes = (_SEXPR, _CALL, _BARE)
        verdicts = next((found for shape in shapes if (found := self._found(shape, text))), [])
        return [item.moved(0, "several") for item in verdicts] if len(verdicts) > 1 else verdicts

    def _found(self, shape: re.Pattern[str], text: str) -> list[ClauseReading]:
        verdicts: list[ClauseReading] = []
        # "**By air.** `fly(a, b)`", but not "This is not possible: `fly(a, b)`"
        title = _TITLE.match(text)
        titled = title is not None and not says("denied", title[0])
        at = title.end() if title is not None and titled else 0
        for match in shape.finditer(text, at):
            before, schema = text[at : match.start()], self.schema(match[1])
            # "…, immediately followed by `stack(a, b)`"
            joined = titled and not _ENDS.search(before) and not says("denied", before)
            if not joined and not _BETWEEN.fullmatch(before):
                break
            said = match[2] or ""
            # "'stack' to a and b", but not "stack a and b"
            quoted = shape is _BARE and match[0][len(match[1]) :][:1] in tuple("'`\"")
            pairs = self._pairs(schema, said.replace(" and ", ", ").replace(",,", ",") if quoted else said)
            if schema is None and (verdicts or not self._is_call(match, pairs)):
                break
            end = match.start() + len(match[0].rstrip(TRAILING))
            verdict = self.call(match[1], pairs, (match.start(), end))
            if shape is _BARE and verdict.status != "read":
                return []
            verdicts.append(verdict)
            at = end
        return verdicts

    def _is_call(self, match: re.Match[str], pairs: Sequence[tuple[str, str]]) -> bool:
        """Whether it is a call of an action that does not exist: it is said of objects alone.

        "(now the hand holds a)", "(target: level_2)" and "place_0 (room)" are remarks.
        """
        name = match[1]
        known = [fold(arg) in self.lexicon.folded or arg.lower() in self.lexicon.by_pddl for _, arg in pairs]
        other = fold(name) in self.lexicon.folded or name.endswith(":") or " " in name
        return not other and (match[0][0] == "(" or f"{name}(" in match[0]) and bool(known) and all(known)

    def _pairs(self, schema: StepSchema | None, said: str) -> list[tuple[str, str]]:
        """The arguments with their keys: "a b", "y=b, x=a", "red block, blue block"."""
        parts = re.split(r",\s*(?:and\s)?", said)
        if schema is None or len(parts) != len(schema.parameters):
            parts = re.sub(r"\s*[=:]\s*", "=", said).replace(",", " ").split()
        found = [match.groups("") for part in parts if (match := _ARGUMENT.match(part))]
        return [(key, value) for key, value in found if any(map(str.isalnum, value))]

    def call(self, name: str, pairs: Sequence[tuple[str, str]], span: tuple[int, int]) -> ClauseReading:
        """The action of a name with its objects, in the order said or by keys that are parameters' names or kinds.

        Objects have their told names, or all their PDDL names.
        """
        failed = ClauseReading(*span, "unreadable", rules=("pddl",), names_object=True)
        schema = self.schema(name)
        if schema is None:
            return failed._replace(reason=f"there is no action '{name}'")
        if len(pairs) != len(schema.parameters):
            expected = len(schema.parameters)
            return failed._replace(reason=f"'{schema.name}' takes {expected} objects, found {len(pairs)}")
        keys = {_squeezed(key): value for key, value in pairs if key}
        args = [value for _, value in pairs]
        if len(keys) == len(args):
            letters = sorted(pairs)
            if "".join(key for key, _ in letters) == "ABCDEFGHIJKL"[: len(keys)]:
                # "board: A=car_0, B=location_0", by the letters of the prompt
                values = {place: value for place, (_, value) in zip(self._told[schema.name], letters, strict=True)}
                args = [values[place] for place in range(len(keys))]
            else:
                args = self._by_keys(schema, keys) or (args if all(map(_GENERAL.match, keys)) else [])
            if len(args) < len(keys):
                return failed._replace(reason="its keys are no parameters of the action")
        told = [self.lexicon.by_nl.get(arg) or _only(self.lexicon.named(arg.replace(" ", "_"))) for arg in args]
        own = [self.lexicon.by_pddl.get(arg.lower()) for arg in args]
        # In language only told names were ever shown, so they come first: PDDL's own count where one is not told.
        for objects in (told,) if None not in told else (told, own):
            known = [item for item in objects if item is not None]
            fits = (item.fits(parameter.types) for item, parameter in zip(known, schema.parameters, strict=False))
            if len(known) == len(args) and all(fits):
                return verdict_of(*span, (GroundAction(schema.name, tuple([item.pddl for item in known])),), ("pddl",))
        named = zip(args, told, own, strict=True)
        unknown = tuple(arg for arg, first, second in named if first is None and second is None)
        if unknown:
            return failed.of_unknown(unknown, self.lexicon)
        meant = [item.pddl for item in (told if None not in told else own) if item is not None]
        forbidden = (GroundAction(schema.name, tuple(meant)),) if len(meant) == len(args) else ()
        return failed._replace(candidates=forbidden, reason=f"the objects do not fit the types of '{schema.name}'")

    def _by_keys(self, schema: StepSchema, keys: Mapping[str, str]) -> list[str]:
        """The arguments in the order of the parameters; empty where a key is neither a parameter's name nor its kind.

        Where two parameters are of a kind, or a kind is none, the keys must say the name.
        """
        args: dict[str, str] = {}
        for parameter in schema.parameters:
            kinds = {_squeezed(word) for kind in parameter.types for word in (kind, self.lexicon.noun(kind))}
            own = _squeezed(parameter.name)
            fitting = [own] if own in keys else [key for key in keys if key in kinds]
            args |= {key: keys[key] for key in fitting} if len(fitting) == 1 else {}
        return [*args.values()] if len(args) == len(keys) == len(schema.parameters) else []


def _squeezed(name: str) -> str:
    """A name as keys are compared: "new tail" says the parameter ?newtail."""
    return "".join(filter(str.isalnum, name.lower()))


def _only(objects: tuple[KnownObject, ...]) -> KnownObject | None:
    return objects[0] if len(objects) == 1 else None


# ── JSON ────────────────────────────────────────────────────────────────────────────────────────

# "1. {"action": …"
_OPENS = re.compile(r"\[|\W*(?:\d+\W+)?\{")
_PAIR = re.compile(r"[\"'][^\"'\\]*[\"']\s*:\s*[\"'\[{]")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|([\[{(\]})])')
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)'(\s*:)?|([\[{(\]})])")
_GENERAL = re.compile(r"(?:arg|par|obj|name|value|item|\d|[xyz]\Z)")
_UNQUOTED = re.compile(r"(?<=:)\s([\w-]+)\n")
_NESTED = re.compile(r'"(\{(?:[^"\\]|\\.)*\})"')


class _String(NamedTuple):
    """A string with the keys that it stands under, the innermost last, and its offset."""

    keys: tuple[str, ...]
    value: str
    start: int


def is_record(said: str) -> bool:
    """Whether a piece is JSON, a key with its value, or JSON of several lines."""
    quoted = '"' in said or "'" in said
    return _PAIR.match(said) is not None or (quoted and ("\n" in said or _OPENS.match(said) is not None))


def read_record(
    grammar: PDDLGrammar, said: str, sentence: Callable[[str], list[ClauseReading]], names: Callable[[str], bool]
) -> list[ClauseReading]:
    """The actions of a JSON value; what stands under a key such as "thought" is none.

    ``sentence`` reads a string by itself; ``names`` tells whether a string names an object.
    """
    # The arguments of a tool call are JSON in a string.
    said = _NESTED.sub(lambda match: f" {match[1]} ".replace('\\"', ' "'), said)
    if said[0] not in "[{\"'":
        # YAML: "name: stack" stands above "arguments: {"x": "a", "y": "b"}".
        said = _UNQUOTED.sub(r'"\1"', said)
    strings = list(_json(said))
    verdicts: list[ClauseReading] = []
    index = 0
    while index < len(strings):
        string = strings[index]
        index += 1
        if names(string.value):
            continue
        own = sentence(string.value)
        objects: list[_String] = []
        end = index
        while end < len(strings) and len(strings[end].keys) >= len(string.keys):
            other = strings[end]
            # {"action": "load", "args": "p, t"}
            named = [part.strip() for part in other.value.split(",")]
            if all(map(names, named)):
                objects += [other._replace(value=part) for part in named]
            elif objects or other.keys[-1] == string.keys[-1]:
                break
            end += 1
        whole = any(item.status == "read" for item in own)
        joined = _joined(grammar, string, objects, sentence) if objects and not whole else None
        verdicts += [item.moved(string.start, "json") for item in own] if joined is None else [joined]
        index = index if joined is None else end
    return verdicts


def _joined(
    grammar: PDDLGrammar, name: _String, objects: Sequence[_String], sentence: Callable[[str], list[ClauseReading]]
) -> ClauseReading | None:
    """The action whose name stands in one string and whose objects in the next ones."""
    pairs = [(item.keys[-1], item.value) for item in objects]
    called = grammar.call(name.value, pairs, (name.start, objects[-1].start + len(objects[-1].value)))
    if called.status == "read" or len(name.value) > 40:
        return called.moved(0, "json")
    schema = grammar.schema(name.value)
    said = schema.name.replace("-", " ").replace("_", " ") if schema is not None else name.value
    for key, value in pairs:
        # {"action": "load a package into a truck", "package": "p", "truck": "t", "from": "a"}
        said, filled = re.subn(rf"\b(?:an?|the) {re.escape(key) or '!'}\b", value, said, count=1)
        # {"action": "up", "from_floor": "a", "to_floor": "b"}
        announced = [part for part in fold(key).split("_") if part in PREPOSITIONS] or [key]
        said += "" if filled else f" {' '.join(announced)} {value}"
    spoken = sentence(said)
    if [item.status for item in spoken] == ["read"] and schema in (None, grammar.schema(spoken[0].candidates[0].name)):
        return spoken[0]._replace(start=called.start, end=called.end, rules=("json", *spoken[0].rules))
    return None if schema is None else called.moved(0, "json")


def _json(said: str) -> Iterator[_String]:
    """The strings of a JSON value, but those under keys of thoughts."""
    keys = [""]
    # A list may as well be written as Python writes it.
    for match in (_STRING if '"' in said else _SINGLE).finditer(said):
        if match[3] and match[3] in "[{(":
            keys.append(keys[-1])
        elif match[3]:
            keys = keys[:-1] or [""]
        elif match[2]:
            keys[-1] = match[1].strip()
        elif match[1].strip() and not any(label_of(fold(key).split("_")) in ("thought", "offered") for key in keys):
            yield _String(tuple(keys), match[1].strip(), match.start(1))
