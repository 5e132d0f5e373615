"""The oracle of questions: in place of a model it gives the recorded answer, in the words of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pddl2nl.nl import Teller
from pddl2nl.pddl import GroundAtom
from pddl2nl.questions.acp_topics import VERDICTS
from pddl2nl.questions.question import LABELS, Question
from pddlval import GroundAction

MISTAKES: Mapping[str, str] = {
    "trust-plans": "It takes every sequence of actions for a plan.",
    "mumble": "It never says what it means.",
}
"""What it does wrong on purpose."""


def oracle_reply(question: Question, teller: Teller | None, mistake: str = "") -> str:
    """The reply of the oracle.

    Args:
        question: with its recorded answer.
        teller: tells its task as the question does; None if only letters, yes and no are asked for.
        mistake: one of `MISTAKES`, or none.
    """
    if mistake == "mumble":
        return "Answer: it depends"
    trusts = mistake == "trust-plans" and question.kind in ("validation", "verification")
    if question.form != "open":
        return f"Answer: {_trusting(question) if trusts else question.answer}"
    assert teller is not None, "open answers are about a task"
    return f"Answer:\n{_trusting(question) if trusts else _said(question, teller)}"


def _trusting(question: Question) -> str:
    """The answer that a sequence is a plan; the index of its first inapplicable action is then behind its end."""
    if question.form == "bool":
        return "yes"
    if question.form == "choice":
        return next(letter for letter, text in zip(LABELS, question.choices, strict=True) if text == VERDICTS["valid"])
    return "valid" if question.kind == "verification" else str(len(question.question.splitlines()) - 1)


def _said(question: Question, teller: Teller) -> str:
    """The recorded answer of an open question in words; of several right ones, the first."""
    recorded: Any = question.answer

    def actions(texts: Sequence[str]) -> str:
        return "\n".join(teller.action(GroundAction.parse(text)) for text in texts) or "None"

    def facts(texts: Sequence[str]) -> str:
        return "\n".join(teller.fact(GroundAtom(text.lower().strip("()").split())) for text in texts) or "None"

    match question.kind:
        case "applicability":
            return actions(recorded)
        case "progression":
            return f"Becomes true:\n{facts(recorded['pos'])}\nBecomes false:\n{facts(recorded['neg'])}"
        case "reachability":
            return facts(recorded[:1])
        case "action-reachability":
            return actions(recorded[:1])
        case "validation":
            return str(recorded)
        case "justification":
            return actions(question.certificate["shorter_plan"])
        case "landmarks":
            return facts(recorded["yes"][:1])
        case "next-action":
            return actions((recorded["yes"] or recorded["maybe"])[:1])
        case "verification":
            return facts(recorded["unmet"][:1]) if recorded["unmet"] else "valid"
        case "execution":
            return facts(recorded)
    return actions(recorded["plan"])
