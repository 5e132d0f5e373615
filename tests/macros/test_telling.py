"""What is told of a proof: every mistake with the conditions that show it, in words and in PDDL."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.macros.library import read_schemas, with_objects
from pddl2nl.macros.macro import Conditions
from pddl2nl.macros.proof import prove
from pddl2nl.macros.telling import told
from pddl2nl.nl import Teller, load_wording, make_names
from pddl2nl.pddl import Task
from pddlval import GroundAction

pytest.importorskip("z3", reason="z3 is absent: pip install 'pddl2nl[macros]'")


@pytest.fixture(scope="module")
def teller(root: Path, blocks: Task) -> Teller:
    wording = load_wording(root / "domains/blocksworld/wording.json", blocks.domain)
    return Teller(blocks, wording, make_names(blocks, "typed", wording))


def _told(teller: Teller, precondition: str, effect: str, *block: str) -> str:
    text = f"(:action claimed :precondition {precondition} :effect {effect})"
    (schema,) = read_schemas(text, with_objects(teller.task))
    claimed = Conditions(schema.precondition, schema.effect)
    return told(prove(teller.task, [GroundAction.parse(text) for text in block], claimed), teller)


_UNSTACK = ("(unstack c b)", "(put-down c)")
_EXACT = "(and (clear c) (on c b) (handempty))"


def test_what_is_missing_is_told_with_its_step(teller: Teller) -> None:
    said = _told(teller, "(clear c)", "(and)", *_UNSTACK)
    assert "it can hold and still step 1 (" in said
    assert "in PDDL (on block_2 block_1)" in said
    assert "- step 1 needs this: " in said


def test_what_is_sound_is_told_so(teller: Teller) -> None:
    said = _told(teller, _EXACT, "(ontable c)", *_UNSTACK)
    assert said.endswith(
        "Wherever the precondition holds, the actions can be carried out and the effect holds after them."
    )
    assert "The effect is not all that the actions bring about" in said
    exact = "(and (ontable c) (clear b) (clear c) (handempty) (not (on c b)) (not (holding c)))"
    assert _told(teller, _EXACT, exact, *_UNSTACK) == "The conditions are exactly those of the actions."


def test_a_precondition_that_asks_for_more_or_holds_nowhere(teller: Teller) -> None:
    said = _told(teller, f"(and {_EXACT} (ontable a))", "(ontable c)", *_UNSTACK)
    assert "The precondition asks for more than is needed" in said
    assert "in PDDL (ontable block_0)" in said
    said = _told(teller, "(and (clear c) (not (clear c)))", "(ontable c)", *_UNSTACK)
    assert said.startswith("The precondition contradicts itself")
    said = _told(teller, "(clear c)", "(and)", "(put-down c)", "(put-down c)")
    assert said.startswith("These actions cannot be carried out one after the other in any state.")
