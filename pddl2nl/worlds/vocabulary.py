"""The names of things in RDF: namespaces, the words of ontologies, and IRIs that are safe for any PDDL name.

An ontology's own words stand in ``urn:pddl2nl:ontology#`` (an ontology may use any other namespace; words of these
names count there as well). What a task brings along stands in namespaces of its own, so that a predicate may be called
``affords`` and an object ``Egg``.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from pddl2nl.errors import MissingExtraError

__all__ = [
    "ACTIONS",
    "EVENTS",
    "FACTS",
    "FUNCTIONS",
    "INSTANCES",
    "MACROS",
    "MACRO_EVENTS",
    "ONTOLOGY",
    "PREDICATES",
    "TYPES",
    "WORDS",
    "WORLD_NODE",
    "camel",
    "folded",
    "local_name",
    "minted",
    "require_rdflib",
    "said_property",
]

ONTOLOGY = "urn:pddl2nl:ontology#"
TYPES = "urn:pddl2nl:type#"
PREDICATES = "urn:pddl2nl:predicate#"
FUNCTIONS = "urn:pddl2nl:function#"
ACTIONS = "urn:pddl2nl:action#"
INSTANCES = "urn:pddl2nl:instance#"
FACTS = "urn:pddl2nl:fact#"
EVENTS = "urn:pddl2nl:event#"
MACRO_EVENTS = "urn:pddl2nl:macro-event#"
MACROS = "urn:pddl2nl:macro#"
WORLD_NODE = "urn:pddl2nl:world"

WORDS = frozenset(
    (
        *("Object", "Affordance", "Property", "Predicate", "Action", "MacroAction", "Event", "Fact"),
        *("affords", "hasProperty", "affordance", "locatedAt", "isIn", "isOn", "locates", "existence", "absence"),
        "pddlName",
    )
)
"""The words of an ontology that mean something here; see `pddl2nl.worlds.ontology`."""

_UNSAFE_FOLD = re.compile(r"[\W_]+")


def require_rdflib() -> None:
    """Raises `MissingExtraError` where rdflib is not installed."""
    try:
        import rdflib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("rdflib", "macros", "the knowledge graph") from error


def minted(namespace: str, *names: str) -> str:
    """The IRI of a name, or of several together, in a namespace; different names have different IRIs."""
    return namespace + "/".join(quote(name, safe="") for name in names)


def local_name(iri: str) -> str:
    """What stands behind an IRI's last ``#`` or ``/``, else behind its last ``:``."""
    for mark in "#/:":
        _, found, tail = iri.rpartition(mark)
        if found and tail:
            return tail
    return iri


def camel(name: str) -> str:
    """A PDDL name as ontologies write classes: ``stove-burner`` is ``StoveBurner``."""
    parts = [part for part in re.split(r"[-_]+", name) if part]
    return "".join(part[0].upper() + part[1:] for part in parts) or name


def folded(name: str) -> str:
    """A name as it is compared: neither capitals nor hyphens nor underscores count."""
    return _UNSAFE_FOLD.sub("", name).casefold() or name.casefold()


def said_property(name: str) -> str:
    """An affordance or a property as it is said: ``Pickupable`` is ``pickupable``, ``RobotArm`` is ``robot-arm``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
