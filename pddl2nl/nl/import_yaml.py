"""YAML as plain data: texts, lists and maps, and nothing that a file could have made or run."""

from __future__ import annotations

import yaml

from pddl2nl.nl.import_wording import keys_once
from pddl2nl.nl.wording import WordingError

__all__ = ["parse_yaml"]

_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))


def parse_yaml(text: str, where: str = "wording") -> object:
    """What a YAML text says, all scalars as the texts that stand there: ``on`` is no truth value here.

    Only texts, lists and maps are made; a tag that asks for anything else is refused.

    Raises `WordingError` for a text that is no YAML, and for a key that stands twice in one map.
    """
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
    place = f"{where}, line {node.start_mark.line + 1}"
    if id(node) in made:
        if made[id(node)] is None:
            raise WordingError(place, "stands within itself")
        return made[id(node)]
    if node.tag not in _TAGS:
        raise WordingError(place, f"the tag {node.tag} is not read: texts, lists and maps are")
    made[id(node)] = None
    found: object
    if isinstance(node, yaml.MappingNode):
        pairs = [(_plain(key, where, made), _plain(value, where, made)) for key, value in node.value]
        found = keys_once(pairs, where)
    elif isinstance(node, yaml.SequenceNode):
        found = [_plain(item, where, made) for item in node.value]
    else:
        found = str(node.value)
    made[id(node)] = found
    return found
