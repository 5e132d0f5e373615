"""Raw replies of real models, recorded by PlanBench: where it judged a plan correct, the reader must see that plan."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pddl2nl.nl.read import Reader
from pddl2nl.nl.wording import Snippet, Wording
from pddl2nl.pddl import ActionSchema, Domain, TypedName

COLOURS = ("red", "blue", "orange", "yellow", "white", "magenta", "black", "cyan", "green", "violet", "silver", "gold")
LETTERS = "abcdefghijkl"
BLOCKS = {
    "pick-up": ("object", "pick up the {?0} block"),
    "put-down": ("object", "put down the {?0} block"),
    "stack": ("object object", "stack the {?0} block on top of the {?1} block"),
    "unstack": ("object object", "unstack the {?0} block from on top of the {?1} block"),
}
MYSTERY = {
    "attack": ("object", "attack object {?0}"),
    "succumb": ("object", "succumb object {?0}"),
    "overcome": ("object object", "overcome object {?0} from object {?1}"),
    "feast": ("object object", "feast object {?0} from object {?1}"),
}
LOGISTICS = {
    "load-truck": ("package truck location", "load {?0} into {?1} at {?2}"),
    "load-airplane": ("package airplane location", "load {?0} into {?1} at {?2}"),
    "unload-truck": ("package truck location", "unload {?0} from {?1} at {?2}"),
    "unload-airplane": ("package airplane location", "unload {?0} from {?1} at {?2}"),
    "drive-truck": ("truck location location city", "drive {?0} from {?1} to {?2} in {?3}"),
    "fly-airplane": ("airplane location location", "fly {?0} from {?1} to {?2}"),
}


def _reader(actions: dict[str, tuple[str, str]], objects: dict[str, TypedName], types: tuple[str, ...] = ()) -> Reader:
    schemas: list[ActionSchema] = []
    snippets: dict[str, Snippet] = {}
    for name, (kinds, text) in actions.items():
        parameters = tuple(TypedName(f"?{index}", (kind,)) for index, kind in enumerate(kinds.split()))
        schemas.append(ActionSchema(name, parameters))
        snippets[name] = Snippet(name, tuple(item.name for item in parameters), text)
    domain = Domain("d", types=tuple(TypedName(name) for name in types), actions=tuple(schemas))
    return Reader.for_objects(domain, Wording("d", {}, snippets), objects)


def _logistics_objects() -> dict[str, TypedName]:
    counted = {"package": 12, "truck": 8, "airplane": 6, "city": 8}
    objects = {
        f"{kind}_{index}": TypedName(f"{kind[0]}{index}", (kind,))
        for kind, count in counted.items()
        for index in range(count)
    }
    places = [(city, place) for city in range(8) for place in range(8)]
    return objects | {f"location_{c}_{p}": TypedName(f"l{c}-{p}", ("location",)) for c, p in places}


def _readers() -> dict[str, Reader]:
    colours = {colour: TypedName(letter) for colour, letter in zip(COLOURS, LETTERS, strict=True)}
    blocks = _reader(BLOCKS, colours)
    return {
        "blocksworld": blocks,
        "blocksworld_3": blocks,
        "mystery_blocksworld_3": _reader(MYSTERY, {letter: TypedName(letter) for letter in LETTERS}),
        "logistics": _reader(LOGISTICS, _logistics_objects(), ("package", "truck", "airplane", "location", "city")),
    }


def _replies(shared: Path, domain: str) -> Iterator[tuple[str, list[str]]]:
    """Raw reply and recorded extraction of every plan that PlanBench judged correct."""
    for path in sorted((shared / "planbench" / "results" / domain).glob("*/*.json")):
        for item in json.loads(path.read_text(encoding="utf-8"))["instances"]:
            if item.get("llm_correct", item.get("correct")):
                recorded = item.get("extracted_llm_plan") or ""
                lines = recorded if isinstance(recorded, list) else recorded.split("\n")
                yield item["llm_raw_response"], [line.replace(",", "").strip() for line in lines if line.strip()]


@pytest.mark.parametrize("domain", ["blocksworld", "blocksworld_3", "mystery_blocksworld_3", "logistics"])
def test_plans_judged_correct_are_read_out_of_the_raw_reply(shared: Path, domain: str) -> None:
    reader = _readers()[domain]
    missed: list[str] = []
    count = 0
    for reply, recorded in _replies(shared, domain):
        count += 1
        readings = reader.read(reply)
        if [str(action) for action in readings.plan] != recorded or not readings.complete:
            missed.append(reply)
    assert count
    assert len(missed) <= 0.005 * count, missed[:1]
