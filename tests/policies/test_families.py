"""What every family of policies brings, and that names are unique among all of them."""

from __future__ import annotations

from typing import get_type_hints

import pytest
from pddl2nl.policies.families import FAMILIES, FAMILY_POLICIES, family_of_mistake, note_of, stage_of

from pddl2nl.experiments.records.reader import EVENT_KINDS, event_from_json
from pddl2nl.llm import Message
from pddl2nl.nl import template_wording
from pddl2nl.policies import POLICIES
from pddl2nl.policies.events import EVENTS, GoalReached, RunEvent
from pddl2nl.policies.reporting import Family
from pddl2nl.policies.spec import RUN_OPTIONS
from pddl2nl.tasks import shipped_domain

WITHOUT_MODEL = ("sayplan-exact", "taskgraph-exact")
GENERAL = {"coverage", "calls", "seconds", "tokens", "planning-seconds", "expanded-states"}
"""The metrics of all policies that a family's table may show."""
FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))


@FAMILY
def test_a_family_is_registered_under_its_name_with_its_policies(family: Family) -> None:
    assert FAMILIES[family.name] is family
    assert family.title
    assert {*family.titles} == {*family.policies}
    for name in family.policies:
        assert POLICIES[name]().needs_model == (name not in WITHOUT_MODEL)
        assert FAMILY_POLICIES[name] is family
        assert bool(family.prompt_hashes(name)) == (name not in WITHOUT_MODEL)
        effort = family.effort(name, 20)
        assert effort.opening + effort.later >= 1
        assert effort.replies > 0


@FAMILY
def test_a_family_takes_options_marked_for_families(family: Family) -> None:
    assert {name for name in family.options if RUN_OPTIONS[name].users == "families"} == family.options


@FAMILY
def test_the_events_of_a_family_are_events_of_a_record_and_have_notes(family: Family) -> None:
    assert family.events
    for kind in family.events:
        assert kind in EVENT_KINDS.values()
        assert kind not in EVENTS
        assert family.note(_blank(kind)) is not None
    assert note_of(GoalReached(1)) is None


def _blank(kind: type[RunEvent]) -> RunEvent:
    """An event with the smallest value of each field."""
    blank = {"tuple": [], "bool": False, "str": ""}
    hints = {name: str(hint) for name, hint in get_type_hints(kind).items() if name in kind.__struct_fields__}
    fields = {name: next((blank[key] for key in blank if key in hint), 1) for name, hint in hints.items()}
    return event_from_json({"event": kind.__struct_config__.tag, **fields})


@FAMILY
def test_a_page_shows_each_stage_of_a_family(family: Family) -> None:
    for stage in family.layout.stages:
        assert stage_of([Message("system", family.layout.system(stage, "Do it."))]) == stage


@FAMILY
def test_the_oracle_of_a_family_answers_no_other_prompt(family: Family) -> None:
    domain = shipped_domain("blocksworld").domain
    for mistake in (None, *family.mistakes):
        oracle = family.oracle(domain, template_wording(domain), mistake)
        assert oracle.reply([Message("system", "Plan."), Message("user", "How?")]) is None
    for mistake in family.mistakes:
        assert family_of_mistake(mistake) is family


@FAMILY
def test_the_tables_of_a_family_use_its_metrics_policies_and_tasks(family: Family) -> None:
    paper, metrics = family.paper, {metric.name for metric in family.metrics} | GENERAL
    for table in paper.tables:
        columns, sections = table.columns, {section.title for section in table.sections}
        assert {each.metric for each in (*columns, *table.sections) if each.metric} <= metrics
        assert {each.before for each in columns if each.before} <= metrics
        assert {each.only for each in columns if each.only} <= sections
        assert {*table.notes} <= paper.notes.keys()
        for line in table.rows:
            assert line.label or line.policy in family.policies
            assert not line.model or line.model in paper.source.models
            assert not sections or line.section in sections
            assert len(line.values) <= len(columns) + (len(table.order or paper.tasks) if sections else 0)


def test_names_are_unique_among_families() -> None:
    for names in (
        [name for family in FAMILIES.values() for name in family.policies],
        [name for family in FAMILIES.values() for name in family.mistakes],
        [metric.name for family in FAMILIES.values() for metric in family.metrics],
        [table.kind for family in FAMILIES.values() for table in family.paper.tables],
        [table.paper for family in FAMILIES.values() for table in family.paper.tables if table.paper],
        [stage for family in FAMILIES.values() for stage in family.layout.stages],
    ):
        assert len(names) == len({*names})
