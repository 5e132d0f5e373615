"""Where PDDL and language meet, both ways: telling and reading are derived from the same snippets.

What stands where:

wordings            ``wording`` (files and their checks), ``template``, ``confusions``, ``own_names``, ``names``
 of others          ``import_wording``, ``import_autoplanbench`` with ``import_review``, ``import_planbench``,
                    ``import_yaml``
 by a model         ``word_domain`` (the loop), ``word_prompts``, ``word_checks``, ``prompts/``
telling             ``tell`` (the formats), ``compose``, ``compose_domain``, ``compose_effects``, ``articles``,
                    ``pddl_style``, ``convert`` (all of it in one call)
 observations       ``reasons``, ``reason_parts``, ``explain``; ``negation``, ``negation_words``, ``negation_parsed``
reading replies     ``read`` (the reader), ``readings`` (what it gives), ``read_policies``, ``read_turn``, ``settling``
 a reply as lines   ``read_noise``, ``read_layout``, ``read_peel``, ``read_claims``, ``markers``
 a line as actions  ``read_line``, ``read_shapes``, ``read_pddl``, ``read_json``, ``verdicts``; ``match``, ``match_*``
reading texts       ``read_state``, ``read_facts``, ``read_sections``: objects, states, goals; the inverse of ``tell``
"""

from __future__ import annotations

from pddl2nl.nl.confusions import wording_warnings
from pddl2nl.nl.convert import Conversion, choose_wording, convert
from pddl2nl.nl.names import Names, make_names
from pddl2nl.nl.reading.read import Reader
from pddl2nl.nl.reading.read_policies import READING_POLICIES
from pddl2nl.nl.reading.read_state import (
    NLReadError,
    ToldGoal,
    ToldState,
    objects_of,
    read_goal,
    read_objects,
    read_problem,
    read_state,
)
from pddl2nl.nl.reading.readings import Reading, Readings, settle
from pddl2nl.nl.reading.settling import settle_plan
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
