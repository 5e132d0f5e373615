"""``pddl2nl macro generate``: conditions by a scripted model, read, simulated, proved, and corrected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from pddl2nl.llm import Answer, Message
from pddl2nl.nl import Teller, make_names, template_wording
from pddl2nl.pddl import Task
from pddl2nl.policies.prompts import stage_of
from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph
from pddl2nl.systems.hvr.prompting import LAYOUT
from pddl2nl.systems.hvr.proposing import Round, propose
from pddlval import GroundAction, read_plan
from tests.cli.one_command import run_command

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
        return [stage_of(messages) for messages in self.asked]

    def section(self, call: int, name: str) -> str:
        return LAYOUT.read(self.asked[call][-1].content).get(name, "")


def _proposed(task: Task, model: _Model, *blocks: tuple[GroundAction, ...], rounds: int = 5) -> tuple[Round, ...]:
    wording = template_wording(task.domain)
    teller = Teller(task, wording, make_names(task, "original", wording))

    macros = ["Take c off"] if len(blocks) < 2 else ["Take c off", "Put c down"]
    return propose(model, KnowledgeGraph(teller), macros, "Do it.", blocks=blocks, rounds=rounds)


def test_each_mistake_is_told_and_corrected(blocks: Task) -> None:
    model = _Model(_UNREADABLE, _INAPPLICABLE, _FALSE, _TRUE)
    found = _proposed(blocks, model, _BLOCK)
    assert model.stages == ["conditions", "conditions-correction", "conditions-correction", "conditions-refinement"]
    assert "nobody" in model.section(1, "Feedback")
    assert "(holding c)" in model.section(2, "Feedback")
    assert "(on c a)" in model.section(3, "Feedback")
    assert "unstack" in model.section(3, "Block")
    assert "(c, on, b)" in model.section(3, "Location triples")
    assert model.section(0, "Location triples") == ""
    assert not found[-1].feedback
    assert [one.verified for one in found] == [0, 0, 1, 1]
    assert found[-1].proofs[0] is not None
    assert found[-1].proofs[0].sound
    assert [bool(one.feedback) for one in found] == [True, True, True, False]


def test_later_macros_are_refined_in_the_state_before_their_block(blocks: Task) -> None:
    both = _TRUE + "\n2. precondition: (holding c)\n   effect: {}"
    model = _Model(both.format("(on c a)"), both.format("(ontable c)"))
    found = _proposed(blocks, model, _BLOCK, read_plan("(put-down c)\n").actions)
    assert model.section(1, "Macro-action") == "2. Put c down"
    # Before it c is held.
    assert "holding" in model.section(1, "Objects")
    assert not found[-1].feedback
    assert all(proof is not None and proof.sound for proof in found[-1].proofs)


# ── the command ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def domain(root: Path) -> Path:
    return root / "domains/blocksworld/domain.pddl"


@pytest.fixture
def problem(root: Path) -> Path:
    return root / "instances/blocksworld/p01.pddl"


run = partial(run_command, "macro")


def _file(place: Path, name: str, text: str) -> Path:
    path = place / name
    path.write_text(text, encoding="utf-8")
    return path


def test_generate_with_a_scripted_model(domain: Path, problem: Path, tmp_path: Path) -> None:
    block = _file(tmp_path, "block.plan", "(unstack c b)\n")
    script = _file(
        tmp_path,
        "script.txt",
        "1. precondition: (and (clear c) (handempty) (on c b))\n   effect: (on c a)\n---\n"
        "1. precondition: (and (clear c) (handempty) (on c b))\n   effect: (holding c)\n",
    )
    call = ("generate", domain, problem, "Take c off", "--model", f"script:{script}", "--names", "original")
    code, out, _ = run(*call, "--plan", block, "--out", tmp_path / "made", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["good"] is True
    assert [bool(one["feedback"]) for one in data["rounds"]] == [True, False]
    assert data["macros"][0]["proof"]["sound"] is True
    assert data["macros"][0]["file"] == str(tmp_path / "made" / "take-c-off.pddl")
    assert run("prove", domain, problem, tmp_path / "made" / "take-c-off.pddl")[0] == 0
    code, out, _ = run(*call, "--plan", block, "--rounds", "0")
    assert code == 1
    assert "not proved for its actions" in out
    assert "still wrong:" in out
    cut = _file(tmp_path, "cut.json", json.dumps([{"reply": "1. precondition: (and (cl", "finish": "length"}]))
    code, _, error = run(*call[:4], "--model", f"script:{cut}", "--plan", block, "--rounds", "0")
    assert code == 1
    assert "the reply was cut off by length" in error
    code, _, error = run(*call, " \n", "--plan", block)
    assert code == 2
    assert "needs a DESCRIPTION in words" in error
    code, _, error = run(*call, "--plan", _file(tmp_path, "other.plan", "(put-down c)\n"))
    assert code == 2
    assert "block 1: (put-down c) is not applicable where it stands: (holding c) fails" in error
    code, _, error = run(*call, "--budget-usd", "1", "--plan", block, "--plan", block)
    assert code == 2
    assert "each needs its own" in error


@pytest.mark.usefixtures("needs_planner")
def test_generate_with_the_oracle_and_its_mistake(domain: Path, problem: Path) -> None:
    assert run("generate", domain, problem, "Do it", "--model", "oracle")[0] == 0
    code, out, _ = run("generate", domain, problem, "Do it", "--model", "oracle:wrong-precondition")
    assert code == 0
    assert "1 correction\n" in out
