"""One name for one thing: no two classes of the project have the same name, whether private or not."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path


def test_no_two_classes_have_the_same_name(root: Path) -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for folder in ("pddl2nl", "validators"):
        for path in sorted((root / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    places[node.name.lstrip("_")].append(str(path.relative_to(root)))
    assert len(places) > 300
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
