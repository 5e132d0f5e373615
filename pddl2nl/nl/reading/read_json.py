"""Actions in JSON: lists of strings, objects with an "action", and actions given as a name and its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pddl2nl.nl.reading.read_line import ActionGrammar
from pddl2nl.nl.reading.read_peel import peel
from pddl2nl.nl.reading.verdicts import TRAILING, Verdict

__all__ = ["is_pair", "read_json"]

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)'(\s*:)?")
_PAIR = re.compile(r'"[^"\\]*"\s*:\s*"')


def is_pair(said: str) -> bool:
    """Whether a line is a key with its value, as in JSON that is written over several lines."""
    return _PAIR.match(said) is not None


def read_json(grammar: ActionGrammar, said: str) -> list[Verdict]:
    """The actions among the strings of a JSON list or object; values under a key such as "thought" are none."""
    found: list[Verdict] = []
    strings = list(_strings(said))
    index = 0
    while index < len(strings):
        key, value, start = strings[index]
        index += 1
        if key and peel(f"{key}: x").label == "thought":
            continue
        schema = grammar.pddl.schema(value) if key else None
        if schema is not None and schema.parameters:
            args = [item for _, item, _ in strings[index : index + len(schema.parameters)]]
            end = strings[index + len(args) - 1][2] + len(args[-1]) if args else start + len(value)
            verdict = grammar.pddl.ground(schema, value, args, (start, end))
            if verdict.status == "read":
                found.append(verdict.moved(0, "json"))
                index += len(args)
                continue
        found += [item.moved(start, "json") for item in _value(grammar, value)]
    return found


def _strings(said: str) -> Iterator[tuple[str, str, int]]:
    """The string values with the key that they stand under, and their offsets."""
    key = ""
    # A list may as well be written as Python writes it.
    for match in (_STRING if '"' in said else _SINGLE).finditer(said):
        if match[2]:
            key = match[1]
        else:
            yield key, match[1], match.start(1)


def _value(grammar: ActionGrammar, value: str) -> list[Verdict]:
    verdict = grammar.exact(value)
    verdicts = [verdict] if verdict else grammar.pddl.read(value)
    if verdicts:
        return verdicts
    peeled = peel(value)
    if peeled.label == "thought":
        return []
    content = value[peeled.start :].rstrip(TRAILING)
    verdict = grammar.exact(content)
    verdicts = [verdict] if verdict else grammar.loose(content)
    return [item.moved(peeled.start) for item in verdicts]
