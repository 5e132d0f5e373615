"""Reasons of refused calls are true: every container, asset and wrong order of the office, the home and a household.

The messages, with kinds in place of names, are in ``golden/reasons.txt``, written by ``PDDL2NL_GOLDEN=write pytest``.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial

import pytest

from pddl2nl.nl import Teller, load_wording, make_names
from pddl2nl.pddl import write_condition
from pddl2nl.systems.sayplan.plans import CheckedPlan, PlanSimulator, fill_ways, read_calls
from pddl2nl.systems.sayplan.scene_graph import load_roles, scene_graph
from pddl2nl.tasks import shipped_domain
from pddlval import Simulator
from tests.systems.sayplan.test_prompts import GOLDEN

WORLDS = {"office": ("building", "p01"), "home": ("building", "hs01"), "household": ("household", "v05")}


class World:
    """A scene, and plans in it."""

    def __init__(self, domain: str, instance: str):
        shipped = shipped_domain(domain)
        task, self.roles = shipped.task(instance), load_roles(shipped.folder / "scene.json")
        wording = load_wording(shipped.wording_path, shipped.domain)
        self.simulator = Simulator(task)
        self.graph = scene_graph(task, self.roles)
        self.view = self.graph.full()
        teller = Teller(task, wording, make_names(task, "original", wording))
        self.checker = PlanSimulator(self.simulator, self.roles, teller, "reason")

    def check(self, *calls: str) -> CheckedPlan:
        filled, _ = fill_ways(read_calls([*calls]), self.graph, self.roles.moves)
        return self.checker.check(filled, self.view, self.simulator.initial)

    def things(self) -> Iterator[tuple[str, str, str]]:
        """Each object with the asset that it is on or in, and the asset's room."""
        for name, node in self.graph.nodes.items():
            if node.kind == "object" and node.parent and self.graph.nodes[node.parent].kind == "asset":
                yield name, node.parent, self.graph.nodes[node.parent].parent

    def closed(self, asset: str) -> bool:
        return "closed" in str(self.graph.nodes[asset].fields.get("state", ""))

    def inside(self, thing: str) -> bool:
        return str(self.graph.nodes[thing].fields["state"]).startswith("inside")

    def says(self, asset: str, affordance: str) -> bool:
        return affordance in self.graph.nodes[asset].fields.get("affordances", ())


@cache
def world(name: str) -> World:
    return World(*WORLDS[name])


def plans(name: str) -> Iterator[tuple[str, ...]]:
    """Plans that end with a call in a wrong order or place."""
    here = world(name)
    things = [*here.things()]
    elsewhere = {asset: room for _, asset, room in things}
    for thing, asset, room in things:
        if name == "household":
            yield (f"grab({thing})",)
            yield f"walk({asset})", f"grab({thing})"
            yield f"walk({asset})", f"open({asset})", f"grab({thing})", f"grab({thing})"
        else:
            yield (f"pickup({thing})",)
            yield f"goto({room})", f"pickup({thing})"
            yield f"goto({room})", f"access({asset})", f"pickup({thing})"
            yield f"goto({room})", f"access({asset})", f"open({asset})", f"pickup({thing})", f"pickup({thing})"
            other = next(each for each in elsewhere if each != asset)
            yield f"goto({elsewhere[other]})", f"access({other})", f"pickup({thing})"
    free, place, _ = next((thing, asset, room) for thing, asset, room in things if not here.closed(asset))
    taken = [f"goto({elsewhere[place]})", f"access({place})", f"pickup({free})"]
    taken = [f"walk({place})", f"grab({free})"] if name == "household" else taken
    for asset in (node.name for node in here.graph.nodes.values() if node.kind == "asset"):
        room = here.graph.nodes[asset].parent
        reach = [f"walk({asset})"] if name == "household" else [f"goto({room})", f"access({asset})"]
        puts = f"put({free})" if name == "household" else f"release({free})"
        yield (*taken, *reach, puts)
        yield (*reach, puts)
        for call in ("open", "close", "switchon" if name == "household" else "turn_on"):
            yield (f"{call}({asset})",)
            yield (*reach, f"{call}({asset})", f"{call}({asset})")


def _kind(name: str, match: re.Match[str]) -> str:
    return world(name).graph.nodes[match[0]].kind


@pytest.mark.heavy
def test_reasons_are_as_written() -> None:
    lines = []
    for name in WORLDS:
        nodes = world(name).graph.nodes
        names = re.compile("|".join(rf"\b{re.escape(each)}\b" for each in sorted(nodes, key=len, reverse=True)))
        told = Counter[str]()
        for plan in plans(name):
            checked = world(name).check(*plan)
            verbs = " > ".join(call.partition("(")[0] for call in plan)
            feedback = names.sub(partial(_kind, name), checked.feedback)
            told[f"{verbs}: {f'{checked.cause}: {feedback}' if feedback else 'executable'}"] += 1
        lines += [f"{name}, {count} times: {text}\n" for text, count in sorted(told.items())]
    file = GOLDEN / "reasons.txt"
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        file.write_text("".join(lines), encoding="utf-8")
    assert "".join(lines) == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_in_a_closed_asset_cannot_be_taken_because_that_is_closed(name: str) -> None:
    here, count = world(name), 0
    for thing, asset, room in here.things():
        if here.closed(asset) and here.inside(thing):
            reach = (f"walk({asset})",) if name == "household" else (f"goto({room})", f"access({asset})")
            checked = here.check(*reach, f"{'grab' if name == 'household' else 'pickup'}({thing})")
            [unmet] = map(write_condition, checked.unmet)
            shut = f"(not (shut {asset}))"
            assert unmet == (f"(or (not (can-open {asset})) (is-open {asset}))" if name == "household" else shut)
            assert checked.cause == "missing-action"
            count += 1
    assert count > 2
