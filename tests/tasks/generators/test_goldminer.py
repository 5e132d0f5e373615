"""Goldminer: mines are kept if and only if their gold can be had."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators import Generated, ParameterValues, generate
from pddl2nl.tasks.generators import goldminer as module
from tests.tasks.generators.exhaustive import shortest


def generated(mine: module._Mine) -> Generated:
    """The problem of a mine, whether or not it has a plan."""
    generator = module.GENERATOR
    always = type(generator)(
        domain=generator.domain,
        pddl_name=generator.pddl_name,
        summary="",
        parameters=(),
        make=lambda values, draw: module._sketch(mine),
        small=generator.small,
    )
    return always.generate(1, {})


def drawn(seed: int, monkeypatch: pytest.MonkeyPatch, **given: int | str) -> module._Mine:
    """The first mine that is drawn, whether or not it would be kept."""
    seen: list[module._Mine] = []
    with monkeypatch.context() as patch:
        patch.setattr(module, "_sketch", lambda mine: seen.append(mine))
        patch.setattr(module._Mine, "solvable", True)
        values: ParameterValues = module.GENERATOR.values(given)
        module._make(values, module.Draw(seed))
    return seen[0]


def test_a_mine_is_kept_if_and_only_if_it_has_a_plan(monkeypatch):
    verdicts = []
    for seed in range(60):
        tools, gold = ("together", "apart", "bombs")[seed % 3], ("covered", "covered", "open")[seed % 7 % 3]
        rows, columns = ((2, 3), (1, 6), (3, 2), (1, 4))[seed % 4]
        given = {"rows": rows, "columns": columns, "hard": 50, "rock": 60, "tools": tools, "gold": gold}
        mine = drawn(seed, monkeypatch, **given)
        verdicts.append(mine.solvable)
        assert (shortest(generated(mine)) is not None) == mine.solvable, given
    assert 10 < sum(verdicts) < 50


def test_covered_gold_takes_a_bomb():
    assert shortest(generate("goldminer", 2, rows=1, columns=2)) == 4  # a bomb, its use, a step, the gold
    assert shortest(generate("goldminer", 2, rows=1, columns=2, gold="open")) == 2


def test_what_contradicts_itself_is_refused():
    with pytest.raises(InputError, match=r"rows × columns ≥ 2 .*; found rows=1 columns=1$"):
        generate("goldminer", 1, rows=1, columns=1)
