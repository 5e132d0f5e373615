"""A model writes the conditions of macro-actions and corrects them (sections 2.4 and 3.3 of the HVR paper).

`ask_conditions` is one call of the model. `propose` is the whole loop for macro-actions that a user names, as
``pddl2nl macro generate`` runs it; the policy has its own loop in `pddl2nl.policies.hvr.planner`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pddl2nl.errors import InputError
from pddl2nl.llm import Message
from pddl2nl.macros.proof import Proof, prove
from pddl2nl.macros.telling import told, told_condition, told_pddl
from pddl2nl.nl import Names, Teller
from pddl2nl.pddl import Function, Predicate, changed_predicates
from pddl2nl.pddl.tree import write_types
from pddl2nl.policies.hvr.conditions import MacroPlanCheck, ReadConditions, read_conditions, verify_macros
from pddl2nl.policies.hvr.prompts import LAYOUT, prompt_file, prompt_text
from pddl2nl.policies.staged import conversation, dashed, numbered
from pddlval import GroundAction, Simulator, State

__all__ = [
    "ConditionsQuestion",
    "Proposed",
    "StateLines",
    "ask_conditions",
    "conditions_text",
    "plan_feedback",
    "predicate_lines",
    "propose",
]

Ask = Callable[[Sequence[Message]], str]
"""Sends a conversation to a model and returns its reply."""

StateLines = Callable[[State], tuple[Sequence[str], Sequence[str]]]
"""The lines of the sections ``Objects`` and ``Location triples`` about a state."""


@dataclass(frozen=True)
class ConditionsQuestion:
    """What a model is told when it writes conditions.

    Attributes:
        task_text: the task in natural language.
        macros: the macro plan, each macro-action in words.
        objects: the lines of the section ``Objects``.
        locations: the lines of the section ``Location triples``; only corrections show them.
        present: in a correction, the conditions to correct.
        feedback: in a correction, what is wrong with them.
        macro: in a refinement, the number of the macro-action (from 1) whose block contradicts the conditions.
        block: in a refinement, the actions of that block in words.
    """

    task_text: str
    macros: tuple[str, ...]
    objects: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    present: tuple[ReadConditions, ...] = ()
    feedback: str = ""
    macro: int = 0
    block: tuple[str, ...] = ()

    @property
    def stage(self) -> str:
        """The stage of the prompt."""
        if not self.feedback:
            return "conditions"
        return "conditions-refinement" if self.macro else "conditions-correction"


def ask_conditions(ask: Ask, teller: Teller, question: ConditionsQuestion) -> tuple[str, tuple[ReadConditions, ...]]:
    """Asks a model for the conditions of all macro-actions of a plan: with one example, or as a correction.

    Returns:
        The reply, and the conditions read from it, one entry a macro-action.
    """
    bodies: dict[str, str | Sequence[str]] = {
        "Task": question.task_text,
        "Objects": dashed(question.objects),
        "Predicates": dashed(predicate_lines(teller)),
        "Macro plan": numbered(question.macros),
    }
    examples = []
    if not question.feedback:
        examples.append((prompt_text("conditions_example.txt"), prompt_text("conditions_example_reply.txt")))
    else:
        bodies |= {
            "Location triples": question.locations,
            "Conditions": conditions_text(question.present, teller.names),
            "Feedback": question.feedback,
        }
    if question.macro:
        macro = f"{question.macro}. {question.macros[question.macro - 1]}"
        bodies |= {"Macro-action": macro, "Block": numbered(question.block)}
    system = LAYOUT.system(question.stage, prompt_text(prompt_file(question.stage)))
    reply = ask(conversation(system, examples, LAYOUT.question(bodies)))
    return reply, read_conditions(reply, teller.task, teller.names, count=len(question.macros))


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def predicate_lines(teller: Teller) -> tuple[str, ...]:
    """The predicates and functions of the domain, each with its meaning in the words of the run."""
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
    typed = (f"{parameter.name} - {write_types(parameter.types)}" for parameter in item.parameters)
    return f"({' '.join((item.name, *typed))})"


def _meaning(teller: Teller, item: Predicate | Function) -> str:
    group = teller.wording.predicates if isinstance(item, Predicate) else teller.wording.functions
    snippet = group.get(item.name)
    if snippet is None or snippet.text is None:
        return ""
    said = snippet.fill([parameter.name for parameter in item.parameters])
    return f": {said}" if isinstance(item, Predicate) else f": {said} is NUMBER"


def conditions_text(present: Sequence[ReadConditions], names: Names) -> str:
    """The section ``Conditions``, with the objects' natural-language names; unreadable conditions stay as written."""
    lines: list[str] = []
    for number, item in enumerate(present, start=1):
        if (read := item.conditions) is not None:
            before, after = told_pddl(read.precondition, names), told_pddl(read.effect, names)
        else:
            before, after = item.precondition or "(missing)", item.effect or "(missing)"
        lines += [f"{number}. precondition: {before}", f"   effect: {after}"]
    return "\n".join(lines)


# ── feedback ─────────────────────────────────────────────────────────────────────────────────────


def plan_feedback(teller: Teller, macros: Sequence[str], read: Sequence[ReadConditions], check: MacroPlanCheck) -> str:
    """The feedback about the conditions of a macro plan; empty if the plan works.

    Args:
        teller: tells the task.
        macros: the macro-actions in words.
        read: the conditions; if some could not be read, the feedback is about these only.
        check: the result of `verify_macros`.
    """
    problems = [
        f"The conditions of macro-action {number} ({macros[number - 1]}) cannot be used. {' '.join(item.problems)}"
        for number, item in enumerate(read, start=1)
        if item.conditions is None
    ]
    if problems:
        return "\n".join(problems)
    if check.at_goal:
        return ""
    failed = [f"- {told_condition(condition, teller)}" for condition in check.unmet]
    if check.verified == check.total:
        head = "All macro-actions can be carried out, but in the end the task is not done. What is missing:"
        return "\n".join([head, *failed])
    number = check.verified + 1
    which = f"Macro-action {number} ({macros[number - 1]})"
    if check.conflict is not None:
        fluent = " ".join(teller.names.to_nl.get(name, name) for name in check.conflict)
        return (
            f"{which} cannot be carried out: its effect changes the value of ({fluent}) in more than one way at once."
        )
    after = f"after macro-action {number - 1}" if number > 1 else "at the beginning"
    head = f"{which} cannot be carried out {after}: its precondition is violated. What does not hold there:"
    return "\n".join([head, *failed])


# ── the loop for named macro-actions ─────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Round:
    """One reply: its conditions, how many macro-actions are applicable by them, and the feedback (empty if right)."""

    reply: str
    conditions: tuple[ReadConditions, ...]
    verified: int
    feedback: str


@dataclass(frozen=True)
class Proposed:
    """All rounds, and for the last one the proof of each macro-action that has a block."""

    rounds: tuple[Round, ...]
    proofs: tuple[Proof | None, ...]

    @property
    def conditions(self) -> tuple[ReadConditions, ...]:
        """The conditions of the last reply."""
        return self.rounds[-1].conditions

    @property
    def good(self) -> bool:
        """Whether no mistake was found in them."""
        return not self.rounds[-1].feedback


def propose(
    ask: Ask,
    teller: Teller,
    macros: Sequence[str],
    task_text: str,
    known: StateLines,
    *,
    blocks: Sequence[tuple[GroundAction, ...]] = (),
    rounds: int = 5,
) -> Proposed:
    """Asks a model for conditions of consecutive macro-actions, checks them, and asks for corrections.

    The task's goal is not checked. Proofs take facts that no action can change as given (``states="changeable"``).

    Args:
        ask: asks the model; its exceptions are not caught.
        teller: tells the task; the first macro-action begins in its initial state.
        macros: the macro-actions in words.
        task_text: the task in natural language.
        known: what is told about a state.
        blocks: the actions of each macro-action, or nothing; without blocks nothing is proved.
        rounds: the largest number of corrections.

    Raises:
        InputError: the number of blocks is wrong, or the blocks are not applicable one after the other.
    """
    simulator = Simulator(teller.task)
    states = _states_before(simulator, macros, blocks)

    def question(state: State) -> ConditionsQuestion:
        objects, locations = known(state)
        return ConditionsQuestion(task_text, tuple(macros), tuple(objects), tuple(locations))

    first = question(states[0])
    reply, read = ask_conditions(ask, teller, first)
    done: list[Round] = []
    while True:
        verified, feedback = _checked(teller, macros, states[0], read)
        proofs: tuple[Proof | None, ...] = (None,) * len(macros)
        wrong = 0
        if not feedback and blocks:
            proofs = _proved(teller, blocks, read, states)
            wrong = next((number for number, proof in enumerate(proofs, 1) if proof and not proof.sound), 0)
            refuted = proofs[wrong - 1] if wrong else None
            feedback = told(refuted, teller) if refuted is not None else ""
        done.append(Round(reply, read, verified, feedback))
        if not feedback or len(done) > rounds:
            return Proposed(tuple(done), proofs)
        again = replace(first, present=read, feedback=feedback)
        if wrong:
            here = question(states[wrong - 1])
            block = tuple(map(teller.action, blocks[wrong - 1]))
            again = replace(here, present=read, feedback=feedback, macro=wrong, block=block)
        reply, read = ask_conditions(ask, teller, again)


def _states_before(
    simulator: Simulator, macros: Sequence[str], blocks: Sequence[tuple[GroundAction, ...]]
) -> list[State]:
    """The states before each block."""
    if blocks and len(blocks) != len(macros):
        raise InputError(f"{len(macros)} macro-actions and {len(blocks)} blocks: each needs its own, or none has one")
    states = [simulator.initial]
    for number, block in enumerate(blocks, start=1):
        state = states[-1]
        for action in block:
            step = simulator.step(state, action)
            if step.successor is None:
                unmet = ", ".join(map(str, step.unmet))
                raise InputError(f"block {number}: {action} is not applicable where it stands: {unmet} fails")
            state = step.successor
        states.append(state)
    return states


def _checked(teller: Teller, macros: Sequence[str], start: State, read: Sequence[ReadConditions]) -> tuple[int, str]:
    """How many macro-actions are applicable one after the other by their conditions, and the feedback."""
    check = verify_macros(teller.task, start, [item.conditions for item in read])
    if check.verified == check.total:
        return check.verified, ""
    usable = all(item.conditions is not None for item in read)
    return check.verified if usable else 0, plan_feedback(teller, macros, read, check)


def _proved(
    teller: Teller, blocks: Sequence[tuple[GroundAction, ...]], read: Sequence[ReadConditions], states: Sequence[State]
) -> tuple[Proof | None, ...]:
    return tuple(
        None if item.conditions is None else prove(teller.task, block, item.conditions, near=state, states="changeable")
        for block, item, state in zip(blocks, read, states, strict=False)
    )
