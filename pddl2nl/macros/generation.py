"""Asks a model for the preconditions and effects of macro-actions, and to correct them (sections 2.4 and 3.3 of HVR).

What such conditions are and which predicates there are is said to the model with one example; in a correction there is
no example, but the violated condition, and the relevant objects with their properties, states and places. How the
prompts are laid out stands in `prompting`; the model is whatever ``ask`` asks, so that a policy's budget counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pddl2nl.errors import InputError, UnsupportedError
from pddl2nl.llm import Message
from pddl2nl.macros.conditions import ReadConditions, read_conditions
from pddl2nl.macros.macro import Conditions
from pddl2nl.macros.macro_plan import MacroPlanCheck
from pddl2nl.macros.prompting import conversation, dashed, numbered, prompt_text, sections, system
from pddl2nl.nl import Names, Teller
from pddl2nl.pddl import Condition, Function, Predicate, TypedName, changed_predicates, substitute, write_condition

__all__ = [
    "Ask",
    "ConditionsQuestion",
    "ConditionsReply",
    "conditions_text",
    "correct_conditions",
    "generate_conditions",
    "plan_feedback",
    "predicate_lines",
    "refine_conditions",
    "told_condition",
    "told_pddl",
]

Ask = Callable[[Sequence[Message]], str]
"""A model's reply to a conversation."""


@dataclass(frozen=True)
class ConditionsQuestion:
    """What is told of a task whose macro-actions need conditions.

    Attributes:
        task_text: the task in natural language.
        macros: the macro plan: what each macro-action is called.
        objects: the lines of ``Objects``: each object with its class, properties and facts.
        locations: the lines of ``Location triples``, which stand in corrections.
    """

    task_text: str
    macros: tuple[str, ...]
    objects: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConditionsReply:
    """What a model said, and the conditions that were read in it, an entry a macro-action."""

    text: str
    conditions: tuple[ReadConditions, ...]

    @property
    def usable(self) -> bool:
        """Whether all of them could be read and none has a problem."""
        return all(item.conditions is not None for item in self.conditions)


def generate_conditions(ask: Ask, teller: Teller, question: ConditionsQuestion) -> ConditionsReply:
    """Has a model write the conditions of all macro-actions of a plan; one-shot.

    Raises:
        what ``ask`` raises.
    """
    example = (prompt_text("conditions_example.txt"), prompt_text("conditions_example_reply.txt"))
    messages = conversation(
        system("conditions", prompt_text("conditions.txt")), [example], sections(_told(teller, question))
    )
    return _replied(ask, messages, teller, question)


def correct_conditions(
    ask: Ask, teller: Teller, question: ConditionsQuestion, present: Sequence[ReadConditions], feedback: str
) -> ConditionsReply:
    """Has a model correct the conditions of a macro plan that a validator found a mistake in; without an example.

    Args:
        ask: asks the model.
        teller: tells the task.
        question: the task; its objects and locations as they are before the first macro-action.
        present: the conditions that were found wrong.
        feedback: what is wrong with them (`plan_feedback`).

    Raises:
        what ``ask`` raises.
    """
    told = {
        **_told(teller, question),
        "Location triples": question.locations,
        "Conditions": conditions_text(present, teller.names),
        "Feedback": feedback,
    }
    instruction = system("conditions-correction", prompt_text("conditions_correction.txt"))
    return _replied(ask, conversation(instruction, [], sections(told)), teller, question)


def refine_conditions(
    ask: Ask,
    teller: Teller,
    question: ConditionsQuestion,
    present: Sequence[ReadConditions],
    feedback: str,
    *,
    macro: int,
    block: Sequence[str],
) -> ConditionsReply:
    """Has a model correct conditions that the block of a macro-action does not keep; without an example.

    Args:
        ask: asks the model.
        teller: tells the task.
        question: the task; its objects and locations as they are before the block.
        present: the conditions so far.
        feedback: what is wrong with them (`told_proof.told`).
        macro: the number of the macro-action whose block it is, from 1.
        block: its actions, told.

    Raises:
        what ``ask`` raises.
    """
    told = {
        **_told(teller, question),
        "Location triples": question.locations,
        "Conditions": conditions_text(present, teller.names),
        "Macro-action": f"{macro}. {question.macros[macro - 1]}",
        "Block": numbered(block),
        "Feedback": feedback,
    }
    instruction = system("conditions-refinement", prompt_text("conditions_refinement.txt"))
    return _replied(ask, conversation(instruction, [], sections(told)), teller, question)


def _told(teller: Teller, question: ConditionsQuestion) -> dict[str, str | Sequence[str]]:
    return {
        "Task": question.task_text,
        "Objects": question.objects,
        "Predicates": dashed(predicate_lines(teller)),
        "Macro plan": numbered(question.macros),
    }


def _replied(ask: Ask, messages: Sequence[Message], teller: Teller, question: ConditionsQuestion) -> ConditionsReply:
    reply = ask(messages)
    return ConditionsReply(reply, read_conditions(reply, teller.task, teller.names, count=len(question.macros)))


# ── what stands in the sections ──────────────────────────────────────────────────────────────────


def predicate_lines(teller: Teller) -> tuple[str, ...]:
    """The predicates and functions that conditions may be about, each with its meaning in the run's words."""
    domain = teller.task.domain
    derived = {rule.name for rule in domain.derived}
    changing = changed_predicates(domain) - derived
    lines = []
    for predicate in domain.predicates:
        remark = ""
        if predicate.name not in changing:
            remark = " (follows from other facts)" if predicate.name in derived else " (never changes)"
        lines.append(f"{_signature(predicate)}{_meaning(teller, predicate)}{remark}")
    lines += [f"(= {_signature(function)} NUMBER){_meaning(teller, function)}" for function in domain.functions]
    return tuple(lines)


def _signature(item: Predicate | Function) -> str:
    return f"({' '.join((item.name, *map(_typed, item.parameters)))})"


def _typed(parameter: TypedName) -> str:
    types = parameter.types
    return f"{parameter.name} - {types[0]}" if len(types) == 1 else f"{parameter.name} - (either {' '.join(types)})"


def _meaning(teller: Teller, item: Predicate | Function) -> str:
    group = teller.wording.predicates if isinstance(item, Predicate) else teller.wording.functions
    snippet = group.get(item.name)
    if snippet is None or snippet.text is None:
        return ""
    said = snippet.fill([parameter.name for parameter in item.parameters])
    return f": {said}" if isinstance(item, Predicate) else f": {said} is NUMBER"


def told_pddl(condition: Condition, names: Names) -> str:
    """A ground condition or effect in PDDL, with the objects' told names."""
    return write_condition(substitute(condition, names.to_nl))


def conditions_text(present: Sequence[ReadConditions | Conditions], names: Names) -> str:
    """The section ``Conditions``: precondition and effect of each macro-action, with the objects' told names.

    What could not be read stands there as it was said.
    """
    lines: list[str] = []
    for number, item in enumerate(present, start=1):
        read = item.conditions if isinstance(item, ReadConditions) else item
        if read is not None:
            before, after = told_pddl(read.precondition, names), told_pddl(read.effect, names)
        else:
            assert isinstance(item, ReadConditions)
            before, after = item.precondition or "(missing)", item.effect or "(missing)"
        lines += [f"{number}. precondition: {before}", f"   effect: {after}"]
    return "\n".join(lines)


# ── feedback ─────────────────────────────────────────────────────────────────────────────────────


def told_condition(condition: Condition, teller: Teller) -> str:
    """A condition in words and in PDDL: ``egg_1 is in pan_1, in PDDL (inside egg_1 pan_1)``."""
    pddl = told_pddl(condition, teller.names)
    try:
        return f"{teller.literal(condition)}, in PDDL {pddl}"
    except (InputError, UnsupportedError):
        # What has no words is said in PDDL alone.
        return pddl


def plan_feedback(
    teller: Teller, macros: Sequence[str], read: Sequence[ReadConditions], check: MacroPlanCheck | None
) -> str:
    """What a model is told about the conditions of a macro plan that do not work; empty where they do.

    Args:
        teller: tells the task.
        macros: what the macro-actions are called.
        read: the conditions as they were read; problems in them come first, and alone.
        check: how far the plan could be carried out by them; needed where all could be read.
    """
    problems = [
        f"The conditions of macro-action {number} ({macros[number - 1]}) cannot be used. {' '.join(item.problems)}"
        for number, item in enumerate(read, start=1)
        if item.conditions is None
    ]
    if problems or check is None:
        return "\n".join(problems)
    if check.valid:
        return ""
    failed = [told_condition(condition, teller) for condition in check.unmet]
    if check.verified == check.total:
        return "\n".join(
            ["All macro-actions can be carried out, but in the end the task is not done. What is missing:"]
            + [f"- {said}" for said in failed]
        )
    number = check.verified + 1
    which = f"Macro-action {number} ({macros[number - 1]})"
    if check.conflict is not None:
        fluent = " ".join(teller.names.to_nl.get(name, name) for name in check.conflict)
        return (
            f"{which} cannot be carried out: its effect changes the value of ({fluent}) in more than one way at once."
        )
    after = f"after macro-action {number - 1}" if number > 1 else "at the beginning"
    return "\n".join(
        [f"{which} cannot be carried out {after}: its precondition is violated. What does not hold there:"]
        + [f"- {said}" for said in failed]
    )
