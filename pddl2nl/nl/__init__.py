"""PDDL ↔ English: telling and reading are both derived from the same snippets.

* ``wording``: snippets, the wording file, templates, negation, importers, wordings by a model
* ``telling``: PDDL → English
* ``reading``: English → PDDL
* ``names``: what objects are called; ``markers``: the tags of prompts and replies

Names are loaded on first use, so that telling and reading do not import the model client.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pddl2nl.nl.names import Names as Names
    from pddl2nl.nl.names import make_names as make_names
    from pddl2nl.nl.reading.policies import READING_POLICIES as READING_POLICIES
    from pddl2nl.nl.reading.reader import Reader as Reader
    from pddl2nl.nl.reading.readings import Reading as Reading
    from pddl2nl.nl.reading.readings import Readings as Readings
    from pddl2nl.nl.reading.readings import settle as settle
    from pddl2nl.nl.reading.readings import settle_plan as settle_plan
    from pddl2nl.nl.reading.told import NLReadError as NLReadError
    from pddl2nl.nl.reading.told import objects_of as objects_of
    from pddl2nl.nl.reading.told import read_objects as read_objects
    from pddl2nl.nl.reading.told import read_state as read_state
    from pddl2nl.nl.telling.convert import Conversion as Conversion
    from pddl2nl.nl.telling.convert import choose_wording as choose_wording
    from pddl2nl.nl.telling.convert import convert as convert
    from pddl2nl.nl.telling.explain import explain as explain
    from pddl2nl.nl.telling.teller import Style as Style
    from pddl2nl.nl.telling.teller import Teller as Teller
    from pddl2nl.nl.wording.files import load_wording as load_wording
    from pddl2nl.nl.wording.files import save_wording as save_wording
    from pddl2nl.nl.wording.files import wording_from_json as wording_from_json
    from pddl2nl.nl.wording.review import wording_warnings as wording_warnings
    from pddl2nl.nl.wording.snippets import Snippet as Snippet
    from pddl2nl.nl.wording.snippets import Wording as Wording
    from pddl2nl.nl.wording.snippets import WordingError as WordingError
    from pddl2nl.nl.wording.snippets import check_wording as check_wording
    from pddl2nl.nl.wording.template import template_wording as template_wording
    from pddl2nl.nl.wording.word_domain import provenance_warnings as provenance_warnings
    from pddl2nl.nl.wording.word_domain import word_domain as word_domain

_HOMES = {
    "pddl2nl.nl.names": ("Names", "make_names"),
    "pddl2nl.nl.reading.reader": ("Reader",),
    "pddl2nl.nl.reading.policies": ("READING_POLICIES",),
    "pddl2nl.nl.reading.told": (
        "NLReadError",
        "objects_of",
        "read_objects",
        "read_state",
    ),
    "pddl2nl.nl.reading.readings": ("Reading", "Readings", "settle", "settle_plan"),
    "pddl2nl.nl.telling.convert": ("Conversion", "choose_wording", "convert"),
    "pddl2nl.nl.telling.explain": ("explain",),
    "pddl2nl.nl.telling.teller": ("Style", "Teller"),
    "pddl2nl.nl.wording.files": ("load_wording", "save_wording", "wording_from_json"),
    "pddl2nl.nl.wording.snippets": ("Snippet", "Wording", "WordingError", "check_wording"),
    "pddl2nl.nl.wording.template": ("template_wording",),
    "pddl2nl.nl.wording.review": ("wording_warnings",),
    "pddl2nl.nl.wording.word_domain": ("provenance_warnings", "word_domain"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'pddl2nl.nl' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOME_OF)
