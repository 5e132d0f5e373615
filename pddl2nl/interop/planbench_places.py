"""Where in a reply the lines of a recorded plan come from, and how two plans of one reply fit together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pddl2nl.nl import Names, Wording
from pddlval import GroundAction

__all__ = ["Placed", "aligned", "places_of"]


class Placed(NamedTuple):
    """An action of a plan and the reply's line, from 1, that it was taken from; 0 where no line says it."""

    action: GroundAction
    line: int


def places_of(plan: Sequence[GroundAction], reply: str, wording: Wording, names: Names) -> list[Placed]:
    """Each action of a plan with its line: the next one, from the line of the action before it, that says it.

    A line says an action where the action's first word and all its objects stand in it; without such a line, where
    all but one do. Objects that the reply never mentions don't count: PlanBench adds some itself, a city, say.
    """
    lines = [_words(line) for line in reply.split("\n")]
    mentioned = frozenset[str]().union(*lines)
    placed: list[Placed] = []
    last = 0
    for action in plan:
        verb = _first_words(action, wording)
        objects = {word for name in action.args for word in _object_words(name, names) if word in mentioned}
        left = [(index, len(objects - words)) for index, words in enumerate(lines) if index >= last and verb <= words]
        # An object that the extraction filled in itself may be mentioned elsewhere.
        most = 1 if len(objects) > 1 else 0
        line = next((index + 1 for lacks in range(most + 1) for index, count in left if count == lacks), 0)
        placed.append(Placed(action, line))
        last = line or last
    return placed


def aligned(ours: Sequence[Placed], recorded: Sequence[Placed]) -> list[tuple[int, int]]:
    """The longest common subsequence of two plans, as pairs of indices; of several, one with most lines in common."""
    width = len(recorded) + 1
    best = [[0] * width for _ in range(len(ours) + 1)]
    for i in range(len(ours) - 1, -1, -1):
        for j in range(width - 2, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + _score(ours[i], recorded[j]))
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(ours) and j < len(recorded):
        score = _score(ours[i], recorded[j])
        if score and best[i][j] == best[i + 1][j + 1] + score:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


_COMMON_ACTION = 10_000
"""More than lines in common can sum up to: no plan of a reply has as many steps."""


def _score(one: Placed, other: Placed) -> int:
    if one.action != other.action:
        return 0
    return _COMMON_ACTION + (one.line == other.line)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+(?:[_-][^\W_]+)*", text.casefold()))


def _first_words(action: GroundAction, wording: Wording) -> frozenset[str]:
    """The word with which an action's snippet begins; its name's first word where it has no snippet."""
    snippet = wording.actions.get(action.name)
    text = snippet.text if snippet is not None and snippet.text else action.name.split("-")[0]
    return frozenset(sorted(_words(text.split("{")[0]))[:1]) if text[0] == "{" else _words(text.split()[0])


def _object_words(name: str, names: Names) -> frozenset[str]:
    return _words(names.to_nl.get(name, name))
