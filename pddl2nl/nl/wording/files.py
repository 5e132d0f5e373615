"""Wording files: our own JSON format, AutoPlanBench's JSON and PlanBench's YAML. The content tells which it is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import read_text, unreadable, write_text_file
from pddl2nl.nl.wording.importers import importer_of
from pddl2nl.nl.wording.review import without_type_clashes
from pddl2nl.nl.wording.snippets import FORMAT, Snippet, Wording, WordingError, check_wording, mapping_of, text_of
from pddl2nl.nl.wording.template import with_functions
from pddl2nl.pddl.tree import Domain


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
    write_text_file(Path(path), json.dumps(wording.to_json(), indent=2, ensure_ascii=False) + "\n")


def wording_from_json(data: object, domain: Domain, where: str = "wording") -> Wording:
    """The wording that the content of a wording file of any kind says, checked against its domain.

    Functions without an entry get the template's snippet, and types whose word a predicate uses too get another one
    (`without_type_clashes`). Everything else that is missing, unknown or malformed raises `WordingError`.
    """
    top = mapping_of(data, where)
    importer = importer_of(top)
    wording = _own(top, domain, where) if importer is None else importer(top, domain, where)
    try:
        return without_type_clashes(check_wording(with_functions(wording, domain), domain, where), domain)
    except WordingError as error:
        if wording.domain == domain.name:
            raise
        whose = f"the wording is for the domain '{wording.domain}', and this is '{domain.name}'"
        raise WordingError(error.where, f"{error.reason} ({whose})") from None


def _own(data: dict[str, object], domain: Domain, where: str) -> Wording:
    if "format" not in data:
        raise WordingError(where, "is no wording: it lacks 'format', and is no file of AutoPlanBench or PlanBench")
    if data["format"] != FORMAT or isinstance(data["format"], bool):
        raise WordingError(f"{where} → format", f"is {data['format']!r}, this version reads format {FORMAT}")
    known = {"format", "domain", "predicates", "actions", "types", "functions", "source", "domain_text", "objects"}
    for key in data:
        if key not in known:
            raise WordingError(f"{where} → {key}", f"is no part of a wording{did_you_mean(key, known)}")
    text = data.get("domain_text")
    if text is not None and (not isinstance(text, str) or not text.strip()):
        raise WordingError(f"{where} → domain_text", "must be a text that is not empty, or null")
    return Wording(
        domain=text_of(data.get("domain", domain.name), f"{where} → domain"),
        predicates=_snippets(data, "predicates", where),
        actions=_snippets(data, "actions", where),
        types=_words(data, "types", where),
        functions=_snippets(data, "functions", where),
        source=mapping_of(data.get("source", {}), f"{where} → source"),
        domain_text=text,
        objects=_words(data, "objects", where),
    )


def _snippets(data: dict[str, object], kind: str, where: str) -> dict[str, Snippet]:
    found: dict[str, Snippet] = {}
    for raw, value in mapping_of(data.get(kind, {}), f"{where} → {kind}").items():
        place = f"{where} → {kind} → {raw}"
        entry = mapping_of(value, place)
        for key in entry:
            if key not in {"parameters", "text", "negated"}:
                raise WordingError(f"{place} → {key}", "is no part of a snippet (parameters, text, negated)")
        if raw.lower() in found:
            raise WordingError(place, "stands twice")
        if "text" not in entry:
            raise WordingError(place, "lacks 'text', which is null for a predicate that is never told")
        parameters = entry.get("parameters", [])
        if not isinstance(parameters, list | tuple) or not all(isinstance(item, str) for item in parameters):
            raise WordingError(f"{place} → parameters", 'must be a list of variables, ["?x", "?y"]')
        text, negated = (
            None if entry.get(key) is None else " ".join(text_of(entry[key], f"{place} → {key}").split())
            for key in ("text", "negated")
        )
        found[raw.lower()] = Snippet(raw.lower(), tuple(parameters), text, negated)
    return found


def _words(data: dict[str, object], kind: str, where: str) -> dict[str, str]:
    words = mapping_of(data.get(kind, {}), f"{where} → {kind}")
    return {name.lower(): " ".join(text_of(word, f"{where} → {kind} → {name}").split()) for name, word in words.items()}


# ── files as plain data ──


def _parse_file(path: Path) -> object:
    """The content of a wording file. One that is no JSON is read as YAML, unless its name ends in ``.json``."""
    text = read_text(path, "wording")
    if path.suffix.lower() not in (".yaml", ".yml"):
        try:
            return json.loads(text, object_pairs_hook=lambda pairs: _keys_once(pairs, path.name))
        except WordingError:
            raise
        except (ValueError, RecursionError) as error:
            torn = isinstance(error, json.JSONDecodeError)
            if not torn or path.suffix.lower() == ".json" or text.lstrip().startswith("{"):
                raise InputError(f"{path}: the wording is not JSON: {unreadable(error)}") from None
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

    Only texts, lists and maps are made; tags are ignored. Raises `WordingError` for a text that is no YAML, and for a
    key that stands twice in one map.
    """
    import yaml

    class Loader(yaml.BaseLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = True) -> dict[object, object]:
            keys = [(self.construct_object(key, deep=True), value) for key, value in node.value]
            return {key: self.construct_object(value, deep=True) for key, value in _keys_once(keys, where).items()}

    try:
        return yaml.load(text, Loader)
    except RecursionError as error:
        raise WordingError(where, "is nested too deeply") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise WordingError(f"{where}{place}", f"is no YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise WordingError(where, f"is no YAML: {error}") from error
