"""No module imports itself through others.

Every import counts, also those inside functions and under ``TYPE_CHECKING``: two modules that need each other's names
are one module in two files, however they import them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest


def modules_of(root: Path) -> dict[str, Path]:
    """Every module of the two packages by its dotted name."""
    found: dict[str, Path] = {}
    for base, package in ((root, "pddl2nl"), (root / "validators", "pddlval")):
        for path in sorted((base / package).rglob("*.py")):
            parts = path.relative_to(base).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(name: str, path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """The modules that a module imports; of ``from package import name`` the module that has the name."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in modules else base


def cycles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The strongly connected components of more than one module."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for name in graph[todo.pop()]:
                if name not in seen:
                    seen.add(name)
                    todo.append(name)
        return seen

    below = {name: reached(name) for name in graph}
    return {frozenset(other for other in below[name] if name in below[other]) for name in graph if name in below[name]}


def package_of(name: str) -> str:
    """The package at the top, or the one right below ``pddl2nl``."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "pddl2nl" else parts[0]


@pytest.fixture(scope="module")
def found(root: Path) -> set[frozenset[str]]:
    modules = modules_of(root)
    # A package's __init__ only collects what its modules export: it takes part in no cycle of its own.
    inner = {name: path for name, path in modules.items() if path.name != "__init__.py"}
    return cycles(
        {name: {other for other in imports_of(name, path, modules) if other in inner} for name, path in inner.items()}
    )


def packages() -> list[str]:
    return sorted({package_of(name) for name in modules_of(Path(__file__).resolve().parents[1])})


@pytest.mark.parametrize("package", packages())
def test_a_package_has_no_import_cycles(package: str, found: set[frozenset[str]]) -> None:
    assert [sorted(cycle) for cycle in found if package_of(min(cycle)) == package] == []


def test_a_cycle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"e"}}
    assert cycles(graph) == {frozenset("abc"), frozenset("e")}
