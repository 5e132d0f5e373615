"""Data of JSON with one place changed, for tables of what is wrong with a file."""

from __future__ import annotations

import copy
from typing import Any


def edited(data: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with another value at a place such as ``tasks.0.title``; without it, if the value is ``...``."""
    changed = copy.deepcopy(data)
    *folder, name = path.split(".")
    place: Any = changed
    for part in folder:
        place = place[int(part) if isinstance(place, list) else part]
    if value is ...:
        del place[name]
    else:
        place[name] = value
    return changed
