"""Times, amounts of memory and lists of seeds, written the same way in every command and every file."""

from __future__ import annotations

import re

MAX_SECONDS = 3_600_000
"""1000 hours."""

_TIME = re.compile(r"(?:(\d{1,9})h)?(?:(\d{1,9})m(?:in)?)?(?:(\d{1,9}(?:\.\d{1,6})?)s?)?", re.IGNORECASE)
_MEMORY = re.compile(r"(\d{1,9})\s*(?:(g|m)i?b?)?", re.IGNORECASE)
_SEEDS = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?")
_MOST_SEEDS = 10_000


def seconds(value: str | float) -> float:
    """A time in seconds: ``90``, ``90s``, ``1.5``, ``30m``, ``1h30m``.

    Raises:
        ValueError: something else, nothing, or more than `MAX_SECONDS`.
    """
    total = 0.0
    if isinstance(value, str):
        match = _TIME.fullmatch(value.replace(" ", ""))
        if match is not None:
            hours, minutes, rest = match.groups()
            total = 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(rest or 0)
    elif not isinstance(value, bool):
        total = value
    if not 0 < total <= MAX_SECONDS:
        raise ValueError(f"'{value}' is no time such as 90s, 30m or 1h30m, at most 1000h")
    return total


def megabytes(value: str | int) -> int:
    """An amount of memory in MiB: ``4096``, ``500m``, ``8g``.

    Raises:
        ValueError: something else.
    """
    if isinstance(value, str):
        match = _MEMORY.fullmatch(value.strip())
        if match is not None:
            return int(match[1]) * (1024 if (match[2] or "m").lower() == "g" else 1)
    elif not isinstance(value, bool):
        return value
    raise ValueError(f"'{value}' is no amount of memory such as 4096, 500m or 8g")


def seeds(value: str) -> tuple[int, ...]:
    """Seeds in the order given, each once: ``1,2,5`` or ``1-10``.

    Raises:
        ValueError: something else, or more than 10,000 seeds.
    """
    found: dict[int, None] = {}
    for part in value.split(","):
        match = _SEEDS.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"'{part.strip()}' is no seed; whole numbers were expected, such as 1,2,5 or 1-10")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 0 <= last - first < _MOST_SEEDS:
            raise ValueError(f"'{part.strip()}' is no range of at most {_MOST_SEEDS} seeds")
        found |= dict.fromkeys(range(first, last + 1))
    return tuple(found)
