"""The limits: the page lists each with its value."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from pddl2nl.limits import LIMITS

_ROW = re.compile(r"^\| `(\w+)` \| ([\d,]+)(?: (\w+))? \|", re.MULTILINE)
_UNITS = {"MiB": 1 << 20, "MB": 1_000_000, "s": 1, "": 1}


def test_the_page_lists_every_limit_with_its_value(root: Path) -> None:
    listed = {
        name: int(value.replace(",", "")) * (1 if name.endswith("_mib") else _UNITS[unit])
        for name, value, unit in _ROW.findall((root / "docs/reference/limits.md").read_text())
    }
    assert listed == {field.name: getattr(LIMITS, field.name) for field in fields(LIMITS)}
