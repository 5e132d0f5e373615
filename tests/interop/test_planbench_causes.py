"""Why a reply is judged otherwise than PlanBench did: one reply for each cause."""

from __future__ import annotations

from typing import Any

import pytest

from pddl2nl.interop import Disagreement, DisagreementCause

TOLD = {
    "(take-off b2 s2)": "take box_2 off shelf_2",
    "(put-onto b2 s3)": "put box_2 onto shelf_3",
    "(take-off b1 s1)": "take box_1 off shelf_1",
    "(put-onto b1 s2)": "put box_1 onto shelf_2",
}
PLAN = tuple(TOLD)
LINES = "\n".join(TOLD.values())
MARKED = f"[PLAN]\n{LINES}\n[PLAN END]\n"
NUMBERED = "\n".join(f"{number}. {text}" for number, text in enumerate(TOLD.values(), 1))


def _one(shelves: Any, policy: str, reply: str, extraction: object, correct: bool = False) -> Disagreement:
    audited = shelves.audit({"llm_raw_response": reply, "extracted_llm_plan": extraction, "llm_correct": correct})
    assert audited.recorded_differs == (), "the recorded plan must have the recorded verdict"
    found = [item for item in audited.disagreements if item.policy == policy]
    assert len(found) == 1
    assert (found[0].recorded, found[0].ours) == (correct, not correct)
    return found[0]


@pytest.mark.parametrize(
    ("cause", "reply", "extraction"),
    [
        (DisagreementCause.EMPTY, MARKED, None),
        (DisagreementCause.EMPTY, MARKED, ""),
        (DisagreementCause.PDDL, "\n".join(PLAN), None),
        (DisagreementCause.PDDL, f"{LINES.split(chr(10))[0]}\n" + "\n".join(PLAN[1:]), PLAN[:1]),
        (DisagreementCause.RESTATED, f"{NUMBERED}\n\nSo the plan is:\n\n{MARKED}", PLAN * 2),
        (DisagreementCause.RESTATED, f"{NUMBERED}\n\nSo the plan is:\n\n{MARKED}", (*PLAN[:2], *PLAN)),
        (
            DisagreementCause.REVISED,
            "1. take box_1 off shelf_1\n2. put box_1 onto shelf_3\n\nThat leaves box_2 where it is. Corrected:\n\n"
            + MARKED,
            ("(take-off b1 s1)", "(put-onto b1 s3)", *PLAN),
        ),
        (
            DisagreementCause.STEP_TWICE,
            "\n".join(f"{n}. **{text}**\n   - {text} (now)" for n, text in enumerate(TOLD.values(), 1)),
            tuple(action for action in PLAN for _ in range(2)),
        ),
        (
            DisagreementCause.PROSE_BEFORE,
            f"Your plan to put box_1 onto shelf_2 comes too early.\n\n{MARKED}",
            ("(put-onto b1 s2)", *PLAN),
        ),
        (
            DisagreementCause.PROSE_WITHIN,
            MARKED.replace("take box_1", "I would like to put box_1 onto shelf_2 now, but it is full.\ntake box_1"),
            (*PLAN[:2], "(put-onto b1 s2)", *PLAN[2:]),
        ),
        (
            DisagreementCause.PROSE_AFTER,
            f"{MARKED}\nBefore you put box_1 onto shelf_2, that shelf has to be clear.",
            (*PLAN, "(put-onto b1 s2)"),
        ),
        (
            DisagreementCause.PROSE_AFTER,
            f"{MARKED}\n1. First, take box_2 off shelf_2 to clear it.\n2. Finally, put box_1 onto shelf_2, the goal.",
            (*PLAN, PLAN[0], PLAN[3]),
        ),
        (
            DisagreementCause.TAIL_CLAUSE,
            MARKED.replace(
                "put box_2 onto shelf_3", "put box_2 onto shelf_3 (since shelf_3 is clear and box_1 is away)"
            ),
            (PLAN[0], *PLAN[2:]),
        ),
        (
            DisagreementCause.TAIL_CLAUSE,
            MARKED.replace("put box_2 onto shelf_3", "put box_2 onto shelf_3, since shelf_2 is not its place"),
            (PLAN[0], "(put-onto b2 s2)", *PLAN[2:]),
        ),
        (DisagreementCause.WRONG_OBJECT, MARKED, (PLAN[0], "(put-onto b1 s3)", *PLAN[2:])),
        (DisagreementCause.WRONG_ACTION, MARKED, (PLAN[0], "(drop b2)", *PLAN[2:])),
        (DisagreementCause.INCOMPLETE, MARKED, PLAN[:3]),
    ],
)
def test_recorded_incorrect_and_ours_correct(
    shelves: Any, cause: DisagreementCause, reply: str, extraction: Any
) -> None:
    recorded = (
        extraction
        if extraction is None
        else "\n".join(extraction.split("\n") if isinstance(extraction, str) else extraction)
    )
    assert _one(shelves, "default", reply, recorded).cause is cause


@pytest.mark.parametrize(
    ("cause", "policy", "reply"),
    [
        (DisagreementCause.MARKED_ONLY, "planbench", f"{NUMBERED}\n\nSo the plan is:\n\n{MARKED}"),
        (DisagreementCause.RESTATED, "planbench", f"{NUMBERED}\n\nSo the plan is:\n\n{LINES}"),
        (DisagreementCause.STEP_TWICE, "planbench", "\n".join(f"{text}\n{text}" for text in TOLD.values())),
        (DisagreementCause.OURS_UNKNOWN, "default", MARKED.replace("box_2 onto", "box_7 onto")),
        (DisagreementCause.OURS_UNREADABLE, "default", MARKED.replace("box_2 onto", "something onto")),
        (DisagreementCause.OURS_EMPTY, "default", "I have no idea."),
        (DisagreementCause.OTHER, "default", MARKED.replace("put box_2 onto shelf_3\n", "")),
    ],
)
def test_recorded_correct_and_ours_not(shelves: Any, cause: DisagreementCause, policy: str, reply: str) -> None:
    assert _one(shelves, policy, reply, "\n".join(PLAN), correct=True).cause is cause


def test_a_verdict_that_does_not_follow_from_its_plan_is_told(shelves: Any) -> None:
    audited = shelves.audit({"llm_raw_response": MARKED, "llm_correct": False})
    assert audited.recorded_differs == (1,)
    assert {item.cause for item in audited.disagreements} == {DisagreementCause.SAME_PLAN}


def test_agreement_has_no_cause(shelves: Any) -> None:
    audited = shelves.audit(
        {"llm_raw_response": MARKED},
        {"llm_raw_response": "drop box_1", "llm_correct": False, "extracted_llm_plan": "(drop b1)"},
    )
    assert audited.disagreements == ()
    assert (audited.replies, audited.recorded_correct) == (2, 1)
