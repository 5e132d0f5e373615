"""Where PDDL and language meet, both ways: telling and reading are derived from the same snippets."""

from __future__ import annotations

from pddl2nl.nl.confusions import wording_warnings
from pddl2nl.nl.convert import Conversion, choose_wording, convert
from pddl2nl.nl.names import Names, make_names
from pddl2nl.nl.read import Reader
from pddl2nl.nl.read_policies import READING_POLICIES
from pddl2nl.nl.read_state import (
    NLReadError,
    ToldGoal,
    ToldState,
    objects_of,
    read_goal,
    read_objects,
    read_problem,
    read_state,
)
from pddl2nl.nl.readings import Reading, Readings, settle
from pddl2nl.nl.settling import settle_plan
from pddl2nl.nl.tell import Style, Teller
from pddl2nl.nl.template import template_wording
from pddl2nl.nl.word_domain import FellBack, WordedDomain, provenance_warnings, word_domain
from pddl2nl.nl.wording import (
    Snippet,
    Wording,
    WordingError,
    check_wording,
    load_wording,
    save_wording,
    wording_from_json,
)

__all__ = [
    "READING_POLICIES",
    "Conversion",
    "FellBack",
    "NLReadError",
    "Names",
    "Reader",
    "Reading",
    "Readings",
    "Snippet",
    "Style",
    "Teller",
    "ToldGoal",
    "ToldState",
    "WordedDomain",
    "Wording",
    "WordingError",
    "check_wording",
    "choose_wording",
    "convert",
    "load_wording",
    "make_names",
    "objects_of",
    "provenance_warnings",
    "read_goal",
    "read_objects",
    "read_problem",
    "read_state",
    "save_wording",
    "settle",
    "settle_plan",
    "template_wording",
    "word_domain",
    "wording_from_json",
    "wording_warnings",
]
