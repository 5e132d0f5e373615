"""Wording files of every kind as plain data, JSON or YAML, and whose they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.nl.wording import Wording, WordingError
from pddl2nl.pddl.tree import Domain

__all__ = ["importer_of", "keys_once", "parse_wording_file", "refuse_other_domain"]

Importer = Callable[[object, Domain, str], Wording]

_YAML_SUFFIXES = frozenset((".yaml", ".yml"))
_AUTOPLANBENCH = frozenset(("action_mappings", "predicate_mappings", "action_nl_templates", "predicate_nl_templates"))
_PLANBENCH = frozenset(("domain_intro", "domain_file", "domain_name", "encoded_objects", "instance_dir"))


def parse_wording_file(path: Path) -> object:
    """The content of a wording file.

    A file that is no JSON is read as YAML, unless its name ends in ``.json``.

    Raises:
        InputError: it cannot be read, or is neither; `WordingError` where a key stands twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: the wording cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: the wording is no text in UTF-8: {error}") from error
    if path.suffix.lower() in _YAML_SUFFIXES:
        return _yaml(text, path.name)
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: keys_once(pairs, path.name))
    except RecursionError as error:
        raise InputError(f"{path}: the wording is nested too deeply") from error
    except json.JSONDecodeError as error:
        if path.suffix.lower() == ".json" or text.lstrip().startswith("{"):
            raise InputError(f"{path}: the wording is not JSON: {error}") from error
    return _yaml(text, path.name)


def _yaml(text: str, where: str) -> object:
    # Half of the time of a small command would go into importing a reader of YAML.
    from pddl2nl.nl.import_yaml import parse_yaml

    return parse_yaml(text, where)


def importer_of(data: Mapping[str, object]) -> Importer | None:
    """What makes a wording of a foreign file's content; None where it is no other project's that is known here."""
    if "format" in data:
        return None
    if not _AUTOPLANBENCH.isdisjoint(data):
        from pddl2nl.nl.import_autoplanbench import autoplanbench_wording

        return autoplanbench_wording
    texts = data.get("actions")
    if not _PLANBENCH.isdisjoint(data) or (isinstance(texts, dict) and any(isinstance(t, str) for t in texts.values())):
        from pddl2nl.nl.import_planbench import planbench_wording

        return planbench_wording
    return None


def refuse_other_domain(actions: Iterable[str], domain: Domain, where: str) -> None:
    """Raises `WordingError` where a file words none of a domain's actions: it is another domain's."""
    declared = [item.name for item in domain.actions]
    if declared and set(declared).isdisjoint(actions):
        raise WordingError(
            where, f"is of another domain: it has none of {domain.name}'s actions, {', '.join(declared)}"
        )


def keys_once(pairs: Iterable[tuple[object, object]], where: str) -> dict[object, object]:
    """The pairs as a mapping; `WordingError` for a key that stands twice or is no text."""
    found: dict[object, object] = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise WordingError(where, f"the key {key!r} is no text")
        if key in found:
            raise WordingError(f"{where} → {key}", "stands twice")
        found[key] = value
    return found
