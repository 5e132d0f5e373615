"""Actions in JSON and YAML: lists of strings, objects with an "action", actions as a name and its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pddl2nl.nl.reading.labels import peel
from pddl2nl.nl.reading.verdicts import TRAILING, Verdict
from pddl2nl.nl.reading.words import PREPOSITIONS, fold, words_of

if TYPE_CHECKING:
    from pddl2nl.nl.reading.lines import ActionGrammar

__all__ = ["is_record", "read_record"]

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)'(\s*:)?")
_PAIR = re.compile(r'"[^"\\]*"\s*:\s*"')
_YAML_LINE = re.compile(r"^[ \t]*(?:-[ \t]+)?(?:([\w-]+)[ \t]*:[ \t]*)?(.*)$", re.MULTILINE)
_YAML_VALUE = re.compile(r"[^\s,\[\]{}\"'][^,\[\]{}\"'\n]*")


class _String(NamedTuple):
    """A string with the key that it stands under and its offset."""

    key: str
    value: str
    start: int


def is_record(said: str) -> bool:
    """Whether a piece is JSON, a key with its value, or YAML of several lines."""
    if "\n" in said or (said[0] == '"' and _PAIR.match(said)):
        return True
    return said[0] in "[{" and ('"' in said or "'" in said)


def read_record(grammar: ActionGrammar, said: str) -> list[Verdict]:
    """The actions among the strings of a JSON or YAML value; values under a key such as "thought" are none."""
    found: list[Verdict] = []
    strings = list(_yaml(said) if "\n" in said and '"' not in said else _json(said))
    index = 0
    while index < len(strings):
        string = strings[index]
        index += 1
        if string.key and peel(f"{string.key}: x").label == "thought":
            continue
        if string.key and (joined := _joined(grammar, strings, index - 1)):
            verdict, index = joined
            found.append(verdict)
        else:
            found += [item.moved(string.start, "json") for item in _value(grammar, string.value)]
    return found


def _joined(grammar: ActionGrammar, strings: Sequence[_String], at: int) -> tuple[Verdict, int] | None:
    """The action whose name stands in one string and whose objects in the next ones, and the index behind them."""
    name = strings[at]
    if len(name.value.split()) > 4 or grammar.frames.mentions(words_of(name.value)):
        return None
    objects: list[_String] = []
    end = at + 1
    while end < len(strings):
        value = strings[end].value
        named = grammar.lexicon.named(value) or value.lower() in grammar.lexicon.by_pddl
        if strings[end].key == name.key and not named:
            break
        objects += [strings[end]] if named else []
        end += 1
    if not objects:
        return None
    span = (name.start, objects[-1].start + len(objects[-1].value))
    schema = grammar.pddl.schema(name.value)
    keys = {fold(item.key): item.value for item in objects}
    if schema is not None and len(keys) == len(objects):
        parameters = [fold(parameter.name.lstrip("?")) for parameter in schema.parameters]
        if set(keys) == set(parameters):
            values = [keys[item] for item in parameters]
            return grammar.pddl.ground(schema, name.value, values, span).moved(0, "json"), end
        if any(key in PREPOSITIONS for key in keys):
            sentence = " ".join((schema.name.replace("-", " "), *(f"{key} {value}" for key, value in keys.items())))
            spoken = [item for item in grammar.clauses(sentence) if item.status == "read"]
            if len(spoken) == 1 and spoken[0].candidates[0].name == schema.name:
                return spoken[0]._replace(start=span[0], end=span[1], rules=("json", *spoken[0].rules)), end
    if schema is not None:
        return grammar.pddl.ground(schema, name.value, [item.value for item in objects], span).moved(0, "json"), end
    sentence = " ".join((name.value, *(f"{item.key} {item.value}" for item in objects)))
    spoken = grammar.clauses(sentence)
    if len(spoken) != 1:
        return None
    return spoken[0]._replace(start=span[0], end=span[1], rules=("json", *spoken[0].rules)), end


def _json(said: str) -> Iterator[_String]:
    key = ""
    # A list may as well be written as Python writes it.
    for match in (_STRING if '"' in said else _SINGLE).finditer(said):
        if match[2]:
            key = match[1]
        else:
            yield _String(key, match[1], match.start(1))


def _yaml(said: str) -> Iterator[_String]:
    key = ""
    for line in _YAML_LINE.finditer(said):
        key = line[1] or key
        listed = line[2].startswith(("[", "{"))
        for value in _YAML_VALUE.finditer(said, line.start(2), line.end(2)):
            if not listed:
                yield _String(key, line[2].strip(" \"'"), value.start())
                break
            yield _String(key, value[0].strip(), value.start())


def _value(grammar: ActionGrammar, value: str) -> list[Verdict]:
    verdict = grammar.exact(value)
    verdicts = [verdict] if verdict else grammar.pddl.read(value)
    if verdicts:
        return verdicts
    peeled = peel(value)
    if peeled.label == "thought":
        return []
    content = value[peeled.start :].rstrip(TRAILING)
    return [item.moved(peeled.start) for item in grammar.said(content, listed=True)] if content else []
