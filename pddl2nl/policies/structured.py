"""JSON as models write it: behind words, in a code block, with single quotes, comments, trailing commas, cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

MOST_READ = 100_000
"""The most characters of a reply that are read."""
_MOST_REPAIRED = 6_000
"""Repairing takes time with the square of the length."""
_MOST_STARTS = 50
"""The most brackets at which JSON may begin."""
_BLOCK = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
# What begins an object or a list, and no word in brackets such as [grab]: behind it stands a name or a value.
_BEGINS = re.compile(r"\{\s*(?:[\"'“]|[\w-]+\s*[\"'”]?\s*:|//|#)|\[\s*[\"'“{\[]")


def read_json(reply: str, kinds: tuple[type, ...] = (dict,), *, whole: bool = False) -> Any:
    """The first JSON object in a reply, as it is or repaired; None without one.

    Args:
        reply: the text; what comes after `MOST_READ` characters is not read, nor is repaired what comes after 6,000.
        kinds: what is looked for: `dict`, `list` or both.
        whole: whether nothing of a reply is repaired that is longer than that, because its end would be lost.
    """
    text = reply[:MOST_READ]
    start, written = next(_written(text, kinds), (len(text), None))
    # What stands before it may be meant as JSON, too.
    before = text[: min(start, 0 if whole and len(text) > _MOST_REPAIRED else _MOST_REPAIRED)]
    return next(_repaired(before, kinds), None) or written


def _written(text: str, kinds: tuple[type, ...]) -> Iterator[tuple[int, Any]]:
    decoder = json.JSONDecoder()
    end = 0
    for start in islice(re.finditer(r"[{\[]", text), _MOST_STARTS):
        # What is inside of a value that is not looked for is no value of its own.
        if start.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, kinds) and value:
            yield start.start(), value


def _repaired(text: str, kinds: tuple[type, ...]) -> Iterator[Any]:
    import json_repair

    for part in (*(match[1] for match in _BLOCK.finditer(text)), text):
        if (begins := _BEGINS.search(part)) is None:
            continue
        try:
            value = json_repair.loads(part[begins.start() :])
        except (ValueError, RecursionError):
            continue
        # Several values one after the other are given as a list.
        for each in (value, *(value if isinstance(value, list) else ())):
            if isinstance(each, kinds) and each:
                yield each
