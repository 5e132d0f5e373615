"""Speed of reading replies of 2,000 lines: ``pytest -m benchmark tests/benchmarks/test_reading_replies.py``.

A line of the same shape as an earlier one is read as that one was, so that words around an action cost little.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from pddl2nl.nl import choose_wording, make_names
from pddl2nl.nl.reading.reader import Reader
from pddl2nl.tasks import shipped_domain
from pddlval import Simulator

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

FORMS = {
    "as told": "{told}",
    "in a list, with a full stop": "{number}. {Told}.",
    "in bold type": "{number}. **{Told}**",
    "within a sentence": "{number}. Then I {told}.",
    "with a remark": "{number}. {Told} (so that it is closer to its goal)",
    "in other words": "{number}. Please {told} now.",
}


@pytest.mark.parametrize("form", FORMS)
def test_reading_two_thousand_lines(form: str, bench: Bench) -> None:
    shipped = shipped_domain("logistics")
    task = shipped.task("p05")
    wording = choose_wording(None, shipped.domain, shipped.domain_path)
    names = make_names(task, "typed", wording)
    walk = Simulator(task).walk(Simulator(task).initial, random.Random(1))
    actions = [action for (action, _), _ in zip(walk, range(2000), strict=False)]

    def told() -> list[str]:
        return [wording.actions[each.name].fill([names.to_nl[arg] for arg in each.args]) for each in actions]

    lines = [
        FORMS[form].format(number=number, told=text, Told=text[0].upper() + text[1:])
        for number, text in enumerate(told(), 1)
    ]
    reader = Reader(task, wording, names)
    assert list(reader.read("\n".join(lines)).plan) == actions
    ours = bench.seconds(lambda: reader.read("\n".join(lines)))
    telling = bench.seconds(told)
    assert bench.ratio(f"reading a reply of 2,000 lines, {form}", ours, "telling them", telling) > 0.0003
