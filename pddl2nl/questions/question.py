"""A question with its exact answer and certificate: one line of JSON.

The answer of a question of the form ``bool`` is ``yes`` or ``no``; of a ``choice``, a letter; that of an ``open`` one
has the shape of ACPBench-Hard (Kokel et al. 2025), actions and facts as PDDL:

===================  ================================================================================================
kind                 answer of the open form
===================  ================================================================================================
applicability        all applicable actions
progression          ``{"pos", "neg"}``: the facts that become true, and those that become false
reachability         facts that never hold; empty if there are none. Any other such fact is right as well
action-reachability  likewise, actions that are never applicable
validation           the index, from 0, of the first inapplicable action
justification        ``[action, its occurrence from 1]`` or ``[action, action, "-1"]`` that can be left out of the plan
landmarks            ``{"yes", "no"}``: the facts that every plan makes true, and those that some plan does not
next-action          ``{"yes", "no", "maybe", "opt"}``: by the optimal cost of what is left; ``opt`` is that before
===================  ================================================================================================
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

__all__ = ["FORMS", "KINDS", "LABELS", "Form", "Kind", "Question"]

Kind = Literal[
    "applicability",
    "progression",
    "reachability",
    "action-reachability",
    "validation",
    "justification",
    "landmarks",
    "next-action",
]
"""What ACPBench asks."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Form = Literal["bool", "choice", "open"]
FORMS: tuple[Form, ...] = get_args(Form)
LABELS = "ABCD"
"""The letters of choices."""


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question.

    Attributes:
        id: unique among the questions of a file.
        kind: one of `KINDS`, or of `pddl2nl.questions.planbench.TASKS`.
        domain, problem: their names.
        context: what is told before the question: the domain, the objects, the state, and where it matters the goal.
        choices: texts, of which ``A`` is the first.
        answer: see the module.
        certificate: why the answer is right; empty for questions of others.
        PDDL_domain, PDDL_problem: the task, whose initial state is the one that is asked about; empty if unknown.
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
