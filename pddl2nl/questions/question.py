"""A question with its exact answer and certificate: one line of JSON, and its prompt.

The answer of a question of the form ``bool`` is ``yes`` or ``no``; of a ``choice``, a letter; that of an ``open`` one
has the shape of ACPBench-Hard (Kokel et al. 2025), actions and facts as PDDL:

===================  ================================================================================================
kind                 answer of the open form
===================  ================================================================================================
applicability        all applicable actions
progression          ``{"pos", "neg"}``: the facts that become true, and those that become false
reachability         facts that never hold; empty without one. Any other such fact is right as well
action-reachability  likewise, actions that are never applicable
validation           the index, from 0, of the first inapplicable action
justification        ``[action, its occurrence from 1]`` or ``[action, action, "-1"]`` that can be left out of the plan
landmarks            ``{"yes", "no"}``: the facts that every plan makes true, and those that some plan does not
next-action          ``{"yes", "no", "maybe", "opt"}``: by the optimal remaining cost; ``opt`` is that before
verification         ``{"verdict", "failed_step", "unmet"}``: as ``pddl2nl validate`` gives them
execution            the facts at the end of a sequence, without static ones
all others           ``{"plan", "cost"}``: a plan; any other that is valid (of ``optimal-plan``, optimal) is right
===================  ================================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.files import read_lines

ACPKind = Literal[
    "applicability",
    "progression",
    "reachability",
    "action-reachability",
    "validation",
    "justification",
    "landmarks",
    "next-action",
]
PlanKind = Literal[
    "optimal-plan",
    "replanning",
    "plan-reuse",
    "goal-shuffling",
    "goal-rewording",
    "generalisation",
]
ACP_KINDS: tuple[ACPKind, ...] = get_args(ACPKind)
"""What ACPBench asks."""
PLAN_KINDS: tuple[PlanKind, ...] = get_args(PlanKind)
"""What PlanBench asks besides plan generation, and a plan answers."""
KINDS: tuple[str, ...] = (*ACP_KINDS, "verification", "execution", *PLAN_KINDS)
"""All kinds: ACPBench's, and then PlanBench's."""
Form = Literal["bool", "choice", "open"]
FORMS: tuple[Form, ...] = get_args(Form)
FORMAT = 3
"""The format of questions that are made."""
LABELS = "ABCD"
"""The letters of choices."""
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


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question.

    Attributes:
        id: unique among the questions of a file.
        kind: one of `KINDS`.
        domain, problem: their names.
        context: what is told before the question: the domain, the objects, the state, and where it matters the goal.
        choices: texts; ``A`` is the first.
        answer: see the module.
        certificate: why the answer is right; empty for questions of others.
        PDDL_domain, PDDL_problem: the task, whose initial state is the one that is asked about; empty if unknown.
        format: `FORMAT` for questions that are made now: each is drawn among alternatives that look alike. 2 is that of
            questions whose features were balanced over a set. 1, which is not written, is that of others, and of
            questions whose wrong choices were all like the right one and so gave it away.
    """

    id: str
    kind: str
    form: Form
    domain: str
    problem: str
    context: str
    question: str
    answer: Any
    choices: tuple[str, ...] = ()
    certificate: dict[str, Any] = {}
    PDDL_domain: str = ""
    PDDL_problem: str = ""
    format: int = 1


def question_prompt(question: Question, *, formal: bool = False) -> str:
    """The prompt: context, question, choices and instruction, each a paragraph; ``formal`` asks for PDDL."""
    lines = [f"{letter}. {text}" for letter, text in zip(LABELS, question.choices, strict=False)]
    # Some of ACPBench's questions hold their choices already.
    choices = "" if all(line in question.question for line in lines) else "\n".join(lines)
    instruction = INSTRUCTIONS[question.form] + (FORMAL if formal and question.form == "open" else "")
    return "\n\n".join(filter(None, (question.context, question.question, choices, instruction)))


def read_question_lines(path: Path) -> list[Question]:
    """The questions of a file of JSON Lines.

    Raises:
        InputError: the file cannot be read, or a line is no question; the message names the line.
    """
    questions = read_json_lines(path, Question, "question")
    for number, question in enumerate(questions, 1):
        if question.format not in range(1, FORMAT + 1):
            raise InputError(f"{path}:{number}: a question of format {question.format}; expected 1 to {FORMAT}")
    return questions


_StructT = TypeVar("_StructT", bound=msgspec.Struct)


def read_json_lines(path: Path, kind: type[_StructT], name: str) -> list[_StructT]:
    """The objects of a file of JSON Lines; raises `InputError` for a line that is none of this kind."""
    found = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            found.append(msgspec.json.decode(line, type=kind))
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not a {name}: {error}") from error
    return found
