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
from pddl2nl.nl.reading.words import PREPOSITIONS, fold, words_of
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


# "move(a, b)" is a call, and so is "**move** (a, b)".
_SEXPR = re.compile(r"(?<!\w)[(\[]\s*([^\s()\[\],=]+)((?:[\s,]+[^\s()\[\],]+)*)\s*,?[)\]]")
# It begins where a word does: tried at each letter of a long word, it would take quadratic time.
_CALL = re.compile(r"(?:(?<![\w.-])|(?<=\.\.))(?:\w+\.)*([\w-]+(?: [\w-]+){0,2})[*_`]*\s*\(([^()]*)\)")
# "- action: stack" with "args: [a, b]" or "args: {x: a, y: b}" below it, as YAML has it.
_YAML = re.compile(
    r"(?:(?:name|function|tool)\s*:\s*)?([\w-]+)\s*\n"
    r"\s*(?:arg(?:ument)?s|param(?:eter)?s|objects)\s*:\s*[\[({]([^\])}\n]*)[\])}]"
)
_TITLED_CODE = re.compile(r"[^`\n]*[:–—-][\s*_]*`([^`\n]+)`[\s.*_)]*(?:[(–—-].*)?\Z")
# "By air.** `fly(a, b)`", "The truck waits: `load(c, t)`", but not "This is not possible: `load(c, t)`"
_DENIED = re.compile(r"\b(?:not|never|no|if|would|cannot)\b|n['’]t\b", re.IGNORECASE)
_ENDS = re.compile(r"[.;!?]\s")
_TITLE = re.compile(r"(?:[^*`:]*[.:]\*\*|[^`:]*:)\s*`")
_BETWEEN = re.compile(
    r"(?:[\s,;.*_`\"'→>\[\]\d:(&+-]|\b(?:and|then|finally|next|lastly|after|that|first|followed|by|step|action)\b)*",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\s,|]+")
_REMARK = re.compile(r"[\s|,]*(?:[(\[;#–—→=-]|//|\Z)")
_NEXT = re.compile(r"[\s,]*(?:→|[-=]+>)\s*(?:(?:and|then)\b,?\s*)*([^\s,|]+)")
_ARGUMENT = re.compile(r"(?:([\w-]+)\s*[=:]\s*)?[\"'`]?([^\s,\"'`=]+)[\"'`]?")


class PDDLGrammar:
    """The actions of a domain as PDDL writes them, with told or PDDL's own names of objects."""

    def __init__(self, domain: Domain, lexicon: Lexicon):
        self.lexicon = lexicon
        # Hyphens count as underscores where that makes no action another one.
        folded = {fold(action.name): action for action in domain.steps}
        squeezed = {name.replace("_", ""): action for name, action in folded.items()}
        self.schemas: Mapping[str, StepSchema] = squeezed | folded | {action.name: action for action in domain.steps}

    def schema(self, name: str) -> StepSchema | None:
        """The action of that name, or None. Blanks count as hyphens: "put down"."""
        name = name.strip("\"'`").replace(" ", "_")
        return self.schemas.get(name.lower()) or self.schemas.get(fold(name))

    def read(self, text: str) -> list[ClauseReading]:
        """S-expressions at the beginning of a text (``(stack a b) (pick-up c)``), calls, or a bare action."""
        if "\n" in text and (yaml := _YAML.match(text)):
            schema = self.schema(yaml[1])
            return [self.ground(schema, yaml[1], self._arguments(schema, yaml[2]), yaml.span())]
        verdicts = self._found(_SEXPR, text) or self._found(_CALL, text)
        if not verdicts:
            # "**Drive to the market:** `drive t a b`", "Drive there. (Action: `drive t a b`)"
            coded = _TITLED_CODE.match(text)
            verdicts = self._bare(text, *coded.span(1)) if coded else self._bare(text, 0, len(text.rstrip(TRAILING)))
        return [item.moved(0, "several") for item in verdicts] if len(verdicts) > 1 else verdicts

    def _bare(self, text: str, start: int, end: int) -> list[ClauseReading]:
        """An action without brackets that a stretch of a text begins with: "stack a b", "'stack' a, b (b is clear)"."""
        words = [word for word in _TOKEN.finditer(text, start, end) if word[0] not in ("-", "–", "—", ":")]
        schema = self.schema(words[0][0].rstrip(":")) if words else None
        count = 0 if schema is None else len(schema.parameters) + 1
        if schema is None or len(words) < count or not _REMARK.match(text, words[count - 1].end(), end):
            return []
        args = [word[0].strip("\"'`.;:") for word in words[1:count]]
        verdict = self.ground(schema, words[0][0], args, (start, words[count - 1].end()))
        if verdict.status != "read":
            return []
        # "stack a b → pick-up c": the arrow parts two actions.
        behind = _NEXT.match(text, verdict.end, end)
        further = self._bare(text, behind.start(1), end) if behind and self.schema(behind[1].rstrip(":")) else None
        return [verdict] if further is None else [verdict, *further] if further else []

    def _found(self, shape: re.Pattern[str], text: str) -> list[ClauseReading]:
        verdicts: list[ClauseReading] = []
        at, titled = 0, False
        for match in shape.finditer(text):
            schema = self.schema(match[1])
            args = self._arguments(schema, match[2])
            # "(now the hand holds a)" is a remark: an action that does not exist is one said of objects alone.
            called = (
                match[0][0] == "(" if shape is _SEXPR else match[0].endswith(f"({match[2]})") and " " not in match[1]
            )
            # "(target: level_2)"
            # "place_0 (room)"
            other = fold(match[1]) in self.lexicon.folded or match[1].endswith(":")
            named = called and not verdicts and not other and args
            objects = named and all(
                fold(arg) in self.lexicon.folded or arg.lower() in self.lexicon.by_pddl for arg in args
            )
            lead = text[: match.start()].lower().split() if not verdicts and match.start() < 60 else []
            lead_in = "" if verdicts or _DENIED.search(text, 0, match.start()) else text[: match.start()]
            titled = titled or (schema is not None and _TITLE.fullmatch(lead_in) is not None)
            # "…, immediately followed by `load(c, t)`"
            same = titled and not _ENDS.search(text, at, match.start()) and not _DENIED.search(text, at, match.start())
            joined = same or _BETWEEN.fullmatch(text, at, match.start()) or label_of(lead) == "action"
            if not joined or not (schema or objects):
                break
            verdicts.append(self.ground(schema, match[1], args, match.span()))
            at = match.end()
        return verdicts

    def _in_words(self, name: str) -> KnownObject | None:
        """The object that several words name, with the word for its kind or without: "white block"."""
        words = [word for word in words_of(name) if word.text not in self.lexicon.type_words] if " " in name else []
        objects, length, _ = self.lexicon.at(words, 0) if words else ((), 0, False)
        return _only(objects) if length == len(words) else None

    def _arguments(self, schema: StepSchema | None, said: str) -> list[str]:
        """The arguments in the order said, or in the order of the parameters: "stack(y=b, x=a)"."""
        found = [(fold(item[1] or ""), item[2]) for item in _ARGUMENT.finditer(said)]
        names = [part.strip(" \"'`") for part in said.split(",")]
        if schema is not None and len(found) != len(schema.parameters) == len(names) and "=" not in said:
            # "unstack(red block, blue block)"
            return names
        keyed = dict(found)
        ordered = _by_keys(self.lexicon, schema, keyed) if schema is not None and len(keyed) == len(found) else []
        return ordered or [value for _, value in found if schema is None or any(map(str.isalnum, value))]

    def ground(self, schema: StepSchema | None, name: str, args: Sequence[str], span: tuple[int, int]) -> ClauseReading:
        """An action given by its PDDL name; objects by their told names, or all by their PDDL names."""
        failed = ClauseReading(*span, "unreadable", rules=("pddl",), names_object=True)
        if schema is None:
            return failed._replace(reason=f"there is no action '{name}'")
        if len(args) != len(schema.parameters):
            expected = len(schema.parameters)
            return failed._replace(reason=f"'{schema.name}' takes {expected} objects, found {len(args)}")
        told = [self.lexicon.by_nl.get(arg) or _only(self.lexicon.named(arg)) or self._in_words(arg) for arg in args]
        own = [self.lexicon.by_pddl.get(arg.lower()) for arg in args]
        # In language only told names were ever shown, so they come first: PDDL's own count where one is not told.
        for objects in (told,) if None not in told else (told, own):
            known = [item for item in objects if item is not None]
            fits = (item.fits(parameter.types) for item, parameter in zip(known, schema.parameters, strict=False))
            if len(known) == len(args) and all(fits):
                return verdict_of(*span, (GroundAction(schema.name, tuple([item.pddl for item in known])),), ("pddl",))
        pairs = zip(args, told, own, strict=True)
        unknown = tuple(arg for arg, first, second in pairs if first is None and second is None)
        if unknown:
            return failed.of_unknown(unknown, self.lexicon)
        meant = [item.pddl for item in (told if None not in told else own) if item is not None]
        forbidden = (GroundAction(schema.name, tuple(meant)),) if len(meant) == len(args) else ()
        return failed._replace(candidates=forbidden, reason=f"the objects do not fit the types of '{schema.name}'")


def _only(objects: tuple[KnownObject, ...]) -> KnownObject | None:
    return objects[0] if len(objects) == 1 else None


# ── JSON ────────────────────────────────────────────────────────────────────────────────────────

_PAIR = re.compile(r"[\"'][^\"'\\]*[\"']\s*:\s*[\"'\[{]")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|([\[{(\]})])')
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)'(\s*:)?|([\[{(\]})])")
_GENERAL = re.compile(r"(?:arg|par|obj|name|value|x|y|item|\d)")
_UNQUOTED = re.compile(r"(?<=:)\s([\w-]+)\n")
_NESTED = re.compile(r'"(\{(?:[^"\\]|\\.)*\})"')


class _String(NamedTuple):
    """A string with the key that it stands under, its offset and its depth; an empty one for a bracket."""

    key: str
    value: str
    start: int
    depth: int


def is_record(said: str) -> bool:
    """Whether a piece is JSON, a key with its value, or JSON of several lines."""
    quoted = '"' in said or "'" in said
    return _PAIR.match(said) is not None or (quoted and ("\n" in said or said[:1] in ("[", "{")))


def read_record(
    grammar: PDDLGrammar, said: str, sentence: Callable[[str], list[ClauseReading]], names: Callable[[str], bool]
) -> list[ClauseReading]:
    """The actions of a JSON value; what stands under a key such as "thought" is none.

    ``sentence`` reads a string by itself; ``names`` tells whether a string names an object.
    """
    verdicts: list[ClauseReading] = []
    # The arguments of a tool call are JSON in a string.
    said = _NESTED.sub(lambda match: f" {match[1]} ".replace('\\"', ' "'), said)
    if said[0] not in "[{\"'":
        # YAML: "name: stack" stands above "arguments: {"x": "a", "y": "b"}".
        said = _UNQUOTED.sub(r'"\1"', said)
    strings = list(_json(said))
    index = 0
    while index < len(strings):
        string = strings[index]
        index += 1
        if string.key and label_of(fold(string.key).split("_")) in ("thought", "offered"):
            # A list or an object under such a key is skipped with all that is in it.
            while not string.value and index < len(strings) and strings[index].depth >= string.depth:
                index += 1
            continue
        if not string.value or names(string.value):
            continue
        own = sentence(string.value)
        end = index
        objects: list[_String] = []
        while end < len(strings) and strings[end].depth >= string.depth:
            other = strings[end]
            if other.value and not names(other.value) and (other.key == string.key or objects):
                break
            objects += [other] if names(other.value) else []
            end += 1
        whole = any(item.status == "read" for item in own)
        joined = _joined(grammar, string, objects, sentence) if objects and not whole else None
        if joined is not None:
            verdicts.append(joined)
            index = end
        else:
            verdicts += [item.moved(string.start, "json") for item in own]
    return verdicts


def _joined(
    grammar: PDDLGrammar, name: _String, objects: Sequence[_String], sentence: Callable[[str], list[ClauseReading]]
) -> ClauseReading | None:
    """The action whose name stands in one string and whose objects in the next ones."""
    span = (name.start, objects[-1].start + len(objects[-1].value))
    schema = grammar.schema(name.value)
    told, filled = name.value, 0
    for item in objects:
        # {"action": "load a package into a truck", "package": "p", "truck": "t", "place": "a"}
        told, count = re.subn(rf"\b(?:an?|the) {re.escape(item.key) or '!'}\b", item.value, told, count=1)
        filled += count
    if not filled and (len(name.value.split()) > 4 or len(name.value) > 40):
        return None
    keys = {fold(item.key): item.value for item in objects}
    if schema is not None and len(keys) == len(objects) and (args := _by_keys(grammar.lexicon, schema, keys)):
        return grammar.ground(schema, name.value, args, span).moved(0, "json")
    named = len(keys) == len(objects) and not all(_GENERAL.match(key) for key in keys)
    said = schema.name.replace("-", " ").replace("_", " ") if schema is not None else told
    further = [item for item in objects if item.value not in told.split()]
    for announced in (True, False) if named or schema is None else ():
        # Keys are prepositions, or nouns beside the objects.
        words = [item.key if announced or item.key in PREPOSITIONS else "" for item in further]
        spoken = sentence(
            " ".join((said, *(f"{word} {item.value}" for word, item in zip(words, further, strict=True))))
        )
        if len(spoken) == 1 and spoken[0].status == "read" and (
            schema is None or spoken[0].candidates[0].name == schema.name
        ):  # fmt: skip
            return spoken[0]._replace(start=span[0], end=span[1], rules=("json", *spoken[0].rules))
    if schema is None:
        return None
    verdict = grammar.ground(schema, name.value, [item.value for item in objects], span).moved(0, "json")
    alike = len({parameter.types for parameter in schema.parameters}) < len(schema.parameters)
    if named and alike and verdict.status == "read":
        # The keys say nothing about the parameters, so their order says as little.
        return verdict._replace(status="unreadable", rules=(), reason="its keys are no parameters of the action")
    return verdict


def _by_keys(lexicon: Lexicon, schema: StepSchema, keys: Mapping[str, str]) -> list[str]:
    """The arguments in the order of the parameters, by keys that are their names or kinds; empty where some is not."""
    args: list[str] = []
    for parameter in schema.parameters:
        kinds = {fold(word) for kind in parameter.types for word in (kind, lexicon.noun(kind))}
        own = parameter.name.lstrip("?").lower()
        fitting = [own] if own in keys else [key for key in keys if key in kinds]
        args += [keys[key] for key in fitting] if len(fitting) == 1 else []
    return args if len(args) == len(set(args)) == len(keys) == len(schema.parameters) else []


def _json(said: str) -> Iterator[_String]:
    """The strings of a JSON value, and its brackets."""
    key = ""
    depth = 0
    # A list may as well be written as Python writes it.
    for match in (_STRING if '"' in said else _SINGLE).finditer(said):
        if match[3]:
            opens = match[3] in "[{("
            depth += 1 if opens else -1
            key = key if opens else ""
            yield _String(key, "", match.start(), depth)
        elif match[2]:
            key = match[1].strip()
        else:
            yield _String(key, match[1].strip(), match.start(1), depth)
