"""The oracle of questions says what is recorded in the words of the question, so that it is read and right."""

from __future__ import annotations

from collections import Counter

import pytest

from pddl2nl.nl import Teller
from pddl2nl.nl.telling.teller import Style
from pddl2nl.questions.making import TOPICS
from pddl2nl.questions.oracle import oracle_reply
from pddl2nl.questions.question import Form
from pddl2nl.questions.scoring import score_replies
from tests.questions.asked import questions, task_of, words
from tests.questions.test_making import ASKED


def verdicts(kind: str, form: Form, mistake: str = "", style: Style = "nl") -> Counter[str]:
    asked, replies = questions(kind, form, 8 if mistake else 3, style=style), {}
    for each in asked:
        task = task_of(each)
        replies[each.id] = oracle_reply(each, Teller(task, *words(task), style), mistake)
    return Counter(each.verdict for each in score_replies(asked, replies, words))


@pytest.mark.parametrize(("kind", "form"), ASKED)
def test_what_is_recorded_is_right_in_words(kind: str, form: Form) -> None:
    assert set(verdicts(kind, form)) == {"right"}


@pytest.mark.parametrize("kind", TOPICS)
def test_what_is_recorded_is_right_in_pddl(kind: str) -> None:
    assert set(verdicts(kind, "open", style="pddl")) == {"right"}


def test_an_oracle_that_trusts_plans_can_progress_but_not_validate() -> None:
    assert set(verdicts("progression", "open", "trust-plans")) == {"right"}
    # Half of the sequences are plans.
    assert verdicts("validation", "bool", "trust-plans") == {"right": 4, "wrong": 4}
    assert set(verdicts("validation", "open", "trust-plans")) == {"wrong"}
    assert set(verdicts("applicability", "choice", "mumble")) == {"unreadable"}
