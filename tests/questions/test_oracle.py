"""The oracle of questions has nothing but the prompt: what it answers right, the text holds."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from pddl2nl.baselines.told_task import ToldTaskError
from pddl2nl.llm import Message
from pddl2nl.nl import Wording, template_wording
from pddl2nl.nl.telling.teller import Style
from pddl2nl.pddl import parse_domain
from pddl2nl.questions.making import TOPICS
from pddl2nl.questions.oracle import QuestionOracle
from pddl2nl.questions.question import Form, Question, question_prompt
from pddl2nl.questions.scoring import score_replies
from tests.questions.asked import ISLANDS, questions, words
from tests.questions.test_making import ASKED

DOMAIN = parse_domain(ISLANDS)


def replies(asked: tuple[Question, ...], mistake: str = "") -> dict[str, str]:
    """The oracle's replies to the prompts alone."""
    oracle = QuestionOracle(DOMAIN, words_of_domain(), mistake)
    answers = {each.id: oracle.reply([Message("user", question_prompt(each))]) for each in asked}
    return {name: answer or "" for name, answer in answers.items()}


def words_of_domain() -> Wording:
    return template_wording(DOMAIN)


def verdicts(kind: str, form: Form, mistake: str = "", style: Style = "nl") -> Counter[str]:
    asked = questions(kind, form, 8 if mistake else 3, style=style)
    return Counter(each.verdict for each in score_replies(asked, replies(asked, mistake), words))


@pytest.mark.parametrize(("kind", "form"), ASKED)
def test_the_oracle_is_right_by_the_text_alone(kind: str, form: Form) -> None:
    assert set(verdicts(kind, form)) == {"right"}


@pytest.mark.parametrize("kind", TOPICS)
def test_the_oracle_reads_pddl(kind: str) -> None:
    assert set(verdicts(kind, "open", style="pddl")) == {"right"}


def test_an_oracle_that_trusts_plans_can_progress_but_not_validate() -> None:
    assert set(verdicts("progression", "open", "trust-plans")) == {"right"}
    # Half of the sequences are plans.
    assert verdicts("validation", "bool", "trust-plans") == {"right": 4, "wrong": 4}
    assert set(verdicts("validation", "open", "trust-plans")) == {"wrong"}


def test_an_oracle_that_forgets_deletes_still_knows_what_is_applicable() -> None:
    assert set(verdicts("applicability", "open", "forget-deletes")) == {"right"}
    assert set(verdicts("progression", "open", "forget-deletes")) == {"wrong"}
    assert verdicts("reachability", "bool", "forget-deletes")["wrong"] > 0


def test_a_mumbling_oracle_is_not_read() -> None:
    assert set(verdicts("applicability", "choice", "mumble")) == {"unreadable"}
    assert set(QuestionOracle.mistakes) == {"trust-plans", "forget-deletes", "mumble"}


def test_other_prompts_are_left_to_others() -> None:
    assert QuestionOracle(DOMAIN, words_of_domain()).reply([Message("user", "Who are you?")]) is None


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("context", "A ferry carries cars.", "I do not understand the task"),
        ("question", "Which car is the fastest?", "'Which car is the fastest?' asks for nothing I know"),
        ("question", "Can this action be executed now: swim?", "I do not understand the question: 'swim' is "),
    ],
)
def test_a_prompt_that_is_not_understood_is_an_error_of_ours(field: str, value: str, message: str) -> None:
    question = msgspec.structs.replace(questions("applicability", "bool", style="nl")[0], **{field: value})
    with pytest.raises(ToldTaskError, match=message.replace("?", r"\?")):
        replies((question,))
