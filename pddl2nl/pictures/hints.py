"""What names hint at: places, directions, coordinates, colours. Hints only break ties and turn maps.

Without any of them (foreign or obfuscated names) a picture has the same objects in the same places of its tree; grids
and the order of equal choices can differ.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LOCATING = frozenset(("at", "in", "on", "inside"))
_LOCATING_STEMS = ("hold", "carr", "locat", "posit", "board", "lift", "contain", "grasp", "stor", "park")
_WAYS = {
    "up": (0, -1),
    "above": (0, -1),
    "north": (0, -1),
    "down": (0, 1),
    "below": (0, 1),
    "south": (0, 1),
    "right": (1, 0),
    "east": (1, 0),
    "left": (-1, 0),
    "west": (-1, 0),
}
COLOURS = frozenset(
    [
        *("red", "green", "blue", "white", "black", "yellow", "orange", "purple"),
        *("brown", "pink", "grey", "gray", "cyan", "magenta", "silver", "gold"),
    ]
)


@lru_cache(maxsize=4096)
def _words(name: str) -> tuple[str, ...]:
    return tuple(re.split(r"[-_ ]+|(?<=[a-z])(?=\d)", name.lower()))


@lru_cache(maxsize=4096)
def locates(name: str) -> bool:
    """Whether a predicate's name says that an object is at, in or on another one."""
    return any(word in _LOCATING or word.startswith(_LOCATING_STEMS) for word in _words(name))


@lru_cache(maxsize=4096)
def way(name: str) -> tuple[int, int] | None:
    """The direction that a name says: ``up``, ``move-north``, ``rightOf``."""
    words = _words(name)
    found = next((_WAYS[word] for word in words if word in _WAYS), None)
    if found is None:
        found = next((_WAYS[key] for word in words for key in _WAYS if word in (f"{key}of", f"is{key}")), None)
    return found


def numbers(name: str) -> tuple[int, ...]:
    """The whole numbers in a name, in order."""
    return tuple(int(text) for text in re.findall(r"\d{1,6}", name))


def colour(name: str) -> str:
    """The colour that a name says; empty for none."""
    return next((word for word in _words(name) if word in COLOURS), "")
