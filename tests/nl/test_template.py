from __future__ import annotations

import pytest

from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.nl.wording.snippets import check_wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl.tree import ActionSchema, Domain, Function, Predicate, TypedName


def typed(*names: str) -> tuple[TypedName, ...]:
    """``typed("?x:truck", "?y")``"""
    found = []
    for name in names:
        variable, _, types = name.partition(":")
        found.append(TypedName(variable, tuple(types.split("|")) if types else ("object",)))
    return tuple(found)


DOMAIN = Domain(
    name="toy",
    types=typed("truck", "plane"),
    predicates=(
        Predicate("free"),
        Predicate("clear", typed("?x")),
        Predicate("on", typed("?x", "?y")),
        Predicate("link", typed("?x", "?y", "?z")),
        Predicate("truck", typed("?x")),
        Predicate("same", typed("?x", "?x")),
    ),
    functions=(Function("total-cost"), Function("length", typed("?x", "?y"))),
    actions=(
        ActionSchema("wait"),
        ActionSchema("grab", typed("?x")),
        ActionSchema("stack", typed("?x", "?y")),
        ActionSchema("drive", typed("?t:truck", "?x", "?v:truck|plane")),
    ),
)


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("predicates", "free", "'free' holds"),
        ("predicates", "clear", "{?x} is 'clear'"),
        ("predicates", "on", "{?x} and {?y} are in relation 'on'"),
        ("predicates", "link", "{?x}, {?y}, and {?z} are in relation 'link'"),
        ("predicates", "truck", "{?x} is 'truck'"),
        ("predicates", "same", "{?x1} and {?x2} are in relation 'same'"),
        ("functions", "total-cost", "the value of 'total-cost'"),
        ("functions", "length", "the value of 'length' for {?x} and {?y}"),
        ("actions", "wait", "apply the action 'wait'"),
        ("actions", "grab", "apply the action 'grab' to object {?x}"),
        ("actions", "stack", "apply the action 'stack' to object {?x} and object {?y}"),
        ("actions", "drive", "apply the action 'drive' to truck {?t}, object {?x}, and truck or plane {?v}"),
    ],
)
def test_the_templates_of_the_paper(kind: str, name: str, text: str) -> None:
    assert getattr(template_wording(DOMAIN), kind)[name].text == text


def test_the_template_is_a_wording_like_any_other() -> None:
    wording = template_wording(DOMAIN)
    assert check_wording(wording, DOMAIN) is wording
    assert wording_from_json(wording.to_json(), DOMAIN) == wording
    assert wording.source == {"method": "template"}
