"""Conditions by a scripted model: read, carried out on paper, proved for a block, corrected by what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pddl2nl.errors import InputError
from pddl2nl.llm import Answer, Message
from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.pddl import Task
from pddl2nl.systems.hvr.prompting import LAYOUT
from pddl2nl.systems.hvr.proposing import Proposed, propose
from pddlval import GroundAction, State, read_plan

_UNREADABLE = "1. precondition: (clear nobody)\n   effect: (holding c)"
_INAPPLICABLE = "1. precondition: (holding c)\n   effect: (holding c)"
_FALSE = "1. precondition: (and (clear c) (handempty) (on c b))\n   effect: (on c a)"
_TRUE = "1. precondition: (and (clear c) (handempty) (on c b))\n   effect: (and (holding c) (clear b))"
_BLOCK = read_plan("(unstack c b)\n").actions


class _Model:
    """Says one thing after the other and keeps what it was asked."""

    def __init__(self, *replies: str):
        self.replies = list(replies)
        self.asked: list[Sequence[Message]] = []

    def __call__(self, messages: Sequence[Message], answer: Answer) -> str:
        self.asked.append(messages)
        return self.replies.pop(0)

    @property
    def stages(self) -> list[str | None]:
        return [LAYOUT.stage_of(messages) for messages in self.asked]

    def section(self, call: int, name: str) -> str:
        return LAYOUT.read(self.asked[call][-1].content).get(name, "")


def _proposed(task: Task, model: _Model, *blocks: tuple[GroundAction, ...], rounds: int = 5) -> Proposed:
    wording = template_wording(task.domain)
    teller = Teller(task, wording, make_names(task, "original", wording))

    def known(state: State) -> tuple[Sequence[str], str]:
        return (f"everything: {len(state.atoms)} facts",), "(c, on, b)"

    macros = ["Take c off"] if len(blocks) < 2 else ["Take c off", "Put c down"]
    return propose(model, teller, macros, "Do it.", known, blocks=blocks, rounds=rounds)


def test_each_mistake_is_told_and_corrected(blocks: Task) -> None:
    model = _Model(_UNREADABLE, _INAPPLICABLE, _FALSE, _TRUE)
    found = _proposed(blocks, model, _BLOCK)
    assert model.stages == ["conditions", "conditions-correction", "conditions-correction", "conditions-refinement"]
    assert "nobody" in model.section(1, "Feedback")
    assert "(holding c)" in model.section(2, "Feedback")
    assert "(on c a)" in model.section(3, "Feedback")
    assert "unstack" in model.section(3, "Block")
    assert model.section(3, "Location triples") == "(c, on, b)"
    assert model.section(0, "Location triples") == ""
    assert found.good
    assert [one.verified for one in found.rounds] == [0, 0, 1, 1]
    assert found.proofs[0] is not None
    assert found.proofs[0].sound
    assert [bool(one.feedback) for one in found.rounds] == [True, True, True, False]


def test_without_a_block_nothing_is_proved(blocks: Task) -> None:
    found = _proposed(blocks, _Model(_FALSE))
    assert found.good
    assert found.proofs == (None,)


def test_after_the_last_correction_what_is_wrong_is_kept(blocks: Task) -> None:
    model = _Model(_FALSE, _FALSE)
    found = _proposed(blocks, model, _BLOCK, rounds=1)
    assert not found.good
    assert len(found.rounds) == len(model.asked) == 2
    assert found.proofs[0] is not None
    assert found.proofs[0].holds == "refuted"


def test_later_macros_are_refined_in_the_state_before_their_block(blocks: Task) -> None:
    both = _TRUE + "\n2. precondition: (holding c)\n   effect: {}"
    model = _Model(both.format("(on c a)"), both.format("(ontable c)"))
    found = _proposed(blocks, model, _BLOCK, read_plan("(put-down c)\n").actions)
    assert model.section(1, "Macro-action") == "2. Put c down"
    # Before it c is held: clear b, holding c, ontable a, on b a.
    assert model.section(1, "Objects") == "- everything: 4 facts"
    assert found.good
    assert all(proof is not None and proof.sound for proof in found.proofs)


def test_blocks_that_do_not_fit(blocks: Task) -> None:
    wording = template_wording(blocks.domain)
    teller = Teller(blocks, wording, make_names(blocks, "original", wording))
    with pytest.raises(InputError, match="2 macro-actions and 1 blocks: each needs its own"):
        propose(_Model(), teller, ["one", "two"], "", lambda state: ((), ""), blocks=[_BLOCK])
    with pytest.raises(
        InputError, match=r"block 1: \(put-down c\) is not applicable where it stands: \(holding c\) fails"
    ):
        _proposed(blocks, _Model(), read_plan("(put-down c)\n").actions)
