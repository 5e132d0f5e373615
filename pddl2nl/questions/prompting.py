"""The prompt of a question: its context, the question with its choices, and how to answer."""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.questions.question import LABELS, Form, Question

INSTRUCTIONS: Mapping[Form, str] = {
    "bool": "Think first if that helps. End with a line that begins with 'Answer:' and says yes or no.",
    "choice": "Think first if that helps. End with a line that begins with 'Answer:' and gives one letter.",
    "open": "Think first if that helps. End with a line 'Answer:' and, below it, nothing but your answer.",
}
"""How to answer a question of each form."""
FORMAL = (
    " Write actions and propositions in PDDL, as in (name object …). Where two lists are asked for, write each in "
    "square brackets; where there is nothing to name, say none."
)
"""What is added for open questions of ACPBench's own, which are answered in PDDL."""


def question_prompt(question: Question, *, formal: bool = False) -> str:
    """The prompt: context, question, choices and instruction, each a paragraph; ``formal`` asks for PDDL."""
    lines = [f"{letter}. {text}" for letter, text in zip(LABELS, question.choices, strict=False)]
    # Some of ACPBench's questions hold their choices already.
    choices = "" if all(line in question.question for line in lines) else "\n".join(lines)
    instruction = INSTRUCTIONS[question.form] + (FORMAL if formal and question.form == "open" else "")
    return "\n\n".join(filter(None, (question.context, question.question, choices, instruction)))
