"""Wording files: our own JSON format, AutoPlanBench's JSON and PlanBench's YAML. The content tells which it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError
from pddl2nl.files import read_text, unreadable
from pddl2nl.nl.wording.autoplanbench import autoplanbench_wording
from pddl2nl.nl.wording.planbench import planbench_wording
from pddl2nl.nl.wording.snippets import (
    FORMAT,
    Snippet,
    Wording,
    WordingError,
    check_wording,
    mapping_of,
    suggest,
    text_of,
)
from pddl2nl.nl.wording.template import with_functions
from pddl2nl.nl.wording.warnings import without_type_clashes
from pddl2nl.pddl.tree import Domain

if TYPE_CHECKING:
    import yaml

Importer = Callable[[object, Domain, str], Wording]

_YAML_SUFFIXES = frozenset((".yaml", ".yml"))
_YAML_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))
_AUTOPLANBENCH = frozenset(("action_mappings", "predicate_mappings", "action_nl_templates", "predicate_nl_templates"))
_PLANBENCH = frozenset(("domain_intro", "domain_file", "domain_name", "encoded_objects", "instance_dir"))


def load_wording(path: str | Path, domain: Domain) -> Wording:
    """The wording of a file, checked against its domain.

    The file is one in our own format, an AutoPlanBench ``domain_description_seedN.json`` or a PlanBench
    ``configs/*.yaml``; its content tells which.

    Raises `WordingError` that names the place, or `InputError` where the file cannot be read or is none of these.
    """
    path = Path(path)
    return wording_from_json(_parse_file(path), domain, path.name)


def save_wording(wording: Wording, path: str | Path) -> None:
    """Writes a wording file that `load_wording` reads back as an equal wording."""
    Path(path).write_text(json.dumps(wording.to_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def wording_from_json(data: object, domain: Domain, where: str = "wording") -> Wording:
    """The wording that the content of a wording file of any kind says, checked against its domain.

    Functions without an entry get the template's snippet, and types whose word a predicate uses too get another one
    (`without_type_clashes`). Everything else that is missing, unknown or malformed raises `WordingError`.
    """
    top = mapping_of(data, where)
    importer = _importer_of(top)
    if importer is not None:
        return without_type_clashes(importer(top, domain, where), domain)
    if "format" not in top:
        raise WordingError(where, "is no wording: it lacks 'format', and is no file of AutoPlanBench or PlanBench")
    if top["format"] != FORMAT or isinstance(top["format"], bool):
        raise WordingError(f"{where} → format", f"is {top['format']!r}, this version reads format {FORMAT}")
    known = {"format", "domain", "predicates", "actions", "types", "functions", "source", "domain_text", "objects"}
    for key in top:
        if key not in known:
            raise WordingError(f"{where} → {key}", f"is no part of a wording{suggest(key, known)}")
    text = top.get("domain_text")
    if text is not None and (not isinstance(text, str) or not text.strip()):
        raise WordingError(f"{where} → domain_text", "must be a text that is not empty, or null")
    wording = Wording(
        domain=text_of(top.get("domain", domain.name), f"{where} → domain"),
        predicates=_snippets(top.get("predicates", {}), f"{where} → predicates"),
        actions=_snippets(top.get("actions", {}), f"{where} → actions"),
        types=_words(top.get("types", {}), f"{where} → types"),
        functions=_snippets(top.get("functions", {}), f"{where} → functions"),
        source=mapping_of(top.get("source", {}), f"{where} → source"),
        domain_text=text,
        objects=_words(top.get("objects", {}), f"{where} → objects"),
    )
    try:
        return without_type_clashes(check_wording(with_functions(wording, domain), domain, where), domain)
    except WordingError as error:
        if wording.domain == domain.name:
            raise
        whose = f"the wording is for the domain '{wording.domain}', and this is '{domain.name}'"
        raise WordingError(error.where, f"{error.reason} ({whose})") from None


def _snippets(data: object, where: str) -> dict[str, Snippet]:
    found: dict[str, Snippet] = {}
    for raw, value in mapping_of(data, where).items():
        name = raw.lower()
        place = f"{where} → {raw}"
        entry = mapping_of(value, place)
        for key in entry:
            if key not in {"parameters", "text", "negated"}:
                raise WordingError(f"{place} → {key}", "is no part of a snippet (parameters, text, negated)")
        if name in found:
            raise WordingError(place, "stands twice")
        if "text" not in entry:
            raise WordingError(place, "lacks 'text', which is null for a predicate that is never told")
        found[name] = Snippet(
            name,
            _parameters(entry.get("parameters", []), f"{place} → parameters"),
            _text(entry.get("text"), f"{place} → text"),
            _text(entry.get("negated"), f"{place} → negated"),
        )
    return found


def _parameters(data: object, where: str) -> tuple[str, ...]:
    if not isinstance(data, list | tuple) or not all(isinstance(item, str) for item in data):
        raise WordingError(where, 'must be a list of variables, ["?x", "?y"]')
    return tuple(data)


def _text(data: object, where: str) -> str | None:
    if data is None:
        return None
    return " ".join(text_of(data, where).split())


def _words(data: object, where: str) -> dict[str, str]:
    return {
        name.lower(): " ".join(text_of(word, f"{where} → {name}").split())
        for name, word in mapping_of(data, where).items()
    }


def _importer_of(data: Mapping[str, object]) -> Importer | None:
    """What makes a wording of a foreign file's content; None where it is no other project's that is known here."""
    if "format" in data:
        return None
    if not _AUTOPLANBENCH.isdisjoint(data):
        return autoplanbench_wording
    texts = data.get("actions")
    if not _PLANBENCH.isdisjoint(data) or (isinstance(texts, dict) and any(isinstance(t, str) for t in texts.values())):
        return planbench_wording
    return None


# ── files as plain data ──


def _parse_file(path: Path) -> object:
    """The content of a wording file.

    A file that is no JSON is read as YAML, unless its name ends in ``.json``.

    Raises:
        InputError: it cannot be read, or is neither; `WordingError` where a key stands twice.
    """
    text = read_text(path, "wording")
    if path.suffix.lower() in _YAML_SUFFIXES:
        return parse_yaml(text, path.name)
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _keys_once(pairs, path.name))
    except RecursionError as error:
        raise InputError(f"{path}: the wording is nested too deeply") from error
    except InputError:
        raise
    except ValueError as error:
        if not isinstance(error, json.JSONDecodeError):
            raise InputError(f"{path}: the wording is not JSON: {unreadable(error)}") from None
        if path.suffix.lower() == ".json" or text.lstrip().startswith("{"):
            raise InputError(f"{path}: the wording is not JSON: {error}") from error
    return parse_yaml(text, path.name)


def _keys_once(pairs: Iterable[tuple[object, object]], where: str) -> dict[object, object]:
    """The pairs as a mapping; `WordingError` for a key that stands twice or is no text."""
    found: dict[object, object] = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise WordingError(where, f"the key {key!r} is no text")
        if key in found:
            raise WordingError(f"{where} → {key}", "stands twice")
        found[key] = value
    return found


def parse_yaml(text: str, where: str = "wording") -> object:
    """What a YAML text says, all scalars as the texts that stand there: ``on`` is no truth value here.

    Only texts, lists and maps are made; a tag that asks for anything else is refused.

    Raises `WordingError` for a text that is no YAML, and for a key that stands twice in one map.
    """
    import yaml

    try:
        node = yaml.compose(text, yaml.BaseLoader)
        return None if node is None else _plain(node, where, {})
    except RecursionError as error:
        raise WordingError(where, "is nested too deeply") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise WordingError(f"{where}{place}", f"is no YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise WordingError(where, f"is no YAML: {error}") from error


def _plain(node: yaml.Node, where: str, made: dict[int, object]) -> object:
    """The data of a node; ``made`` holds what nodes gave, since anchors let one stand in many places."""
    import yaml

    place = f"{where}, line {node.start_mark.line + 1}"
    if id(node) in made:
        if made[id(node)] is None:
            raise WordingError(place, "stands within itself")
        return made[id(node)]
    if node.tag not in _YAML_TAGS:
        raise WordingError(place, f"the tag {node.tag} is not read: texts, lists and maps are")
    made[id(node)] = None
    found: object
    if isinstance(node, yaml.MappingNode):
        pairs = [(_plain(key, where, made), _plain(value, where, made)) for key, value in node.value]
        found = _keys_once(pairs, where)
    elif isinstance(node, yaml.SequenceNode):
        found = [_plain(item, where, made) for item in node.value]
    else:
        found = str(node.value)
    made[id(node)] = found
    return found
