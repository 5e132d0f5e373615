"""A model writes the conditions of macro-actions and corrects them (sections 2.4 and 3.3 of the HVR paper).

`ask_conditions` is one call of the model. `propose` is the whole loop for macro-actions that a user names, as
``pddl2nl macro generate`` runs it; the policy has its own checks in `pddl2nl.systems.hvr.planner`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pddl2nl.errors import InputError
from pddl2nl.llm import Message
from pddl2nl.macros.proof import Proof, prove
from pddl2nl.macros.telling import told, told_condition, told_pddl
from pddl2nl.nl import Names, Teller
from pddl2nl.pddl import Function, Predicate, changed_predicates
from pddl2nl.pddl.tree import write_types
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.systems.hvr.conditions import MacroPlanCheck, ReadConditions, read_conditions, verify_macros
from pddl2nl.systems.hvr.prompts import Prompter, Shots, prompt_text
from pddlval import GroundAction, Simulator, State

Ask = Callable[[Sequence[Message]], str]
"""Sends a conversation to a model and returns its reply."""

StateLines = Callable[[State], tuple[Sequence[str], str]]
"""The lines of the section ``Objects`` about a state, and the text of the section ``Location triples``."""


def ask_conditions(
    ask: Ask,
    teller: Teller,
    prompter: Prompter,
    macros: Sequence[str],
    known: tuple[Sequence[str], str],
    *,
    present: Sequence[ReadConditions] = (),
    feedback: str = "",
    macro: int = 0,
    block: Sequence[str] = (),
) -> tuple[str, tuple[ReadConditions, ...]]:
    """Asks a model for the conditions of all macro-actions of a plan.

    Args:
        ask: asks the model.
        teller, prompter: of the task.
        macros: the macro plan, each macro-action in words.
        known: the objects and locations (`StateLines`).
        present: in a correction, the conditions to correct.
        feedback: in a correction, what is wrong with them.
        macro: in a refinement, the number of the macro-action (from 1) whose block contradicts the conditions.
        block: in a refinement, the actions of that block in words.

    Returns:
        The reply, and the conditions read from it, one entry a macro-action.
    """
    objects, locations = known
    stage = "conditions"
    predicates = predicate_lines(teller, properties=not prompter.compact)
    sections = {"Objects": objects, "Predicates": predicates, "Macro plan": macros}
    if feedback:
        stage = "conditions-refinement" if macro else "conditions-correction"
        # Conditions that a reply leaves out stay as they are.
        conditions = conditions_text(present, teller.names, first=macro if macro and prompter.compact else 1)
        sections |= {"Conditions": conditions, "Feedback": feedback}
        sections |= {} if prompter.compact else {"Location triples": locations}
    if macro:
        sections |= {"Macro-action": f"{macro}. {macros[macro - 1]}", "Block": block}
    reply = ask(prompter.messages(stage, sections))
    return reply, read_conditions(reply, teller.task, teller.names, count=len(macros))


def conditions_shots() -> Shots:
    """The example for the first conditions of a macro plan."""
    return {"conditions": ((prompt_text("conditions_example.txt"), prompt_text("conditions_example_reply.txt")),)}


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def predicate_lines(teller: Teller, *, properties: bool = True) -> tuple[str, ...]:
    """The predicates and functions of the domain, each with its meaning in the words of the run.

    ``properties`` are predicates of one argument that no action changes.
    """
    domain = teller.task.domain
    derived = {rule.name for rule in domain.derived}
    changing = changed_predicates(domain)
    lines = []
    for predicate in domain.predicates:
        if not properties and len(predicate.parameters) == 1 and predicate.name not in changing:
            continue
        remark = "" if predicate.name in changing else " (never changes)"
        remark = " (follows from other facts)" if predicate.name in derived else remark
        lines.append(f"{_signature(predicate)}{_meaning(teller, predicate)}{remark}")
    lines += [f"(= {_signature(function)} NUMBER){_meaning(teller, function)}" for function in domain.functions]
    return tuple(lines)


def _signature(item: Predicate | Function) -> str:
    typed = (f"{parameter.name} - {write_types(parameter.types)}" for parameter in item.parameters)
    return f"({' '.join((item.name, *typed))})"


def _meaning(teller: Teller, item: Predicate | Function) -> str:
    is_predicate = isinstance(item, Predicate)
    snippet = (teller.wording.predicates if is_predicate else teller.wording.functions).get(item.name)
    if snippet is None or snippet.text is None:
        return ""
    said = snippet.fill([parameter.name for parameter in item.parameters])
    return f": {said}" if is_predicate else f": {said} is NUMBER"


def conditions_text(present: Sequence[ReadConditions], names: Names, first: int = 1) -> str:
    """The section ``Conditions`` from a macro-action on, with the objects' names in natural language.

    Unreadable conditions stay as written.
    """
    lines: list[str] = []
    for number, item in enumerate(present[first - 1 :], start=first):
        before, after = item.precondition or "(missing)", item.effect or "(missing)"
        if (read := item.conditions) is not None:
            before, after = told_pddl(read.precondition, names), told_pddl(read.effect, names)
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
    number = check.verified + 1
    if check.verified == check.total:
        head = "All macro-actions can be carried out, but in the end the task is not done. What is missing:"
    else:
        head = f"Macro-action {number} ({macros[number - 1]}) cannot be carried out"
        if check.conflict is not None:
            fluent = " ".join(teller.names.to_nl.get(name, name) for name in check.conflict)
            return f"{head}: its effect changes the value of ({fluent}) in more than one way at once."
        after = f"after macro-action {check.verified}" if check.verified else "at the beginning"
        head = f"{head} {after}: its precondition is violated. What does not hold there:"
    return "\n".join([head, *(f"- {told_condition(condition, teller)}" for condition in check.unmet)])


# ── the loop for named macro-actions ─────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Round:
    """One reply and what was found out about it.

    Attributes:
        reply: the reply.
        conditions: read from it.
        verified: how many macro-actions are applicable by them, one after the other.
        feedback: what is wrong; empty if nothing is.
        proofs: for each macro-action that has a block; None where none was tried.
        refuted: the number of the first macro-action whose conditions were refuted; 0 if there is none.
    """

    reply: str
    conditions: tuple[ReadConditions, ...]
    verified: int
    feedback: str
    proofs: tuple[Proof | None, ...]
    refuted: int = 0


@dataclass(frozen=True)
class Proposed:
    """All rounds; the last one counts."""

    rounds: tuple[Round, ...]

    @property
    def conditions(self) -> tuple[ReadConditions, ...]:
        """The conditions of the last reply."""
        return self.rounds[-1].conditions

    @property
    def proofs(self) -> tuple[Proof | None, ...]:
        """Their proofs."""
        return self.rounds[-1].proofs

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
    states = _states_before(Simulator(teller.task), macros, blocks)
    prompter = Prompter(task_text, shots=conditions_shots())
    done: list[Round] = []

    def ask_again(failed: Attempt[Round] | None) -> Round:
        last = None if failed is None else failed.proposal
        number = 0 if last is None else last.refuted
        reply, read = ask_conditions(
            ask,
            teller,
            prompter,
            macros,
            known(states[max(number - 1, 0)]),
            present=() if last is None else last.conditions,
            feedback="" if last is None else last.feedback,
            macro=number,
            block=[teller.action(action) for action in blocks[number - 1]] if number else (),
        )
        done.append(_round(teller, macros, blocks, states, reply, read))
        return done[-1]

    refine(ask_again, [Check("conditions", lambda found: found.feedback)], lambda found: rounds)
    return Proposed(tuple(done))


def _states_before(
    simulator: Simulator, macros: Sequence[str], blocks: Sequence[tuple[GroundAction, ...]]
) -> list[State]:
    """The states before each block."""
    if blocks and len(blocks) != len(macros):
        raise InputError(f"{len(macros)} macro-actions and {len(blocks)} blocks: each needs its own, or none has one")
    states = [simulator.initial]
    for number, block in enumerate(blocks, start=1):
        followed = simulator.follow(states[-1], block)
        if followed.failed is not None:
            reason = followed.error or f"{', '.join(map(str, followed.unmet))} fails"
            raise InputError(f"block {number}: {followed.failed.action} is not applicable where it stands: {reason}")
        states.append(followed.state)
    return states


def _round(
    teller: Teller,
    macros: Sequence[str],
    blocks: Sequence[tuple[GroundAction, ...]],
    states: Sequence[State],
    reply: str,
    read: tuple[ReadConditions, ...],
) -> Round:
    """Simulates the macro-actions by their conditions, and proves these for the blocks."""
    claims = [item.conditions for item in read]
    check = verify_macros(teller.task, states[0], claims)
    none = (None,) * len(macros)
    if check.verified < check.total:
        verified = check.verified if None not in claims else 0
        return Round(reply, read, verified, plan_feedback(teller, macros, read, check), none)
    proofs: tuple[Proof | None, ...] = none
    if blocks:
        found = zip(blocks, claims, states, strict=False)
        proofs = tuple(
            None if claim is None else prove(teller.task, block, claim, near=state, states="changeable")
            for block, claim, state in found
        )
    for number, proof in enumerate(proofs, start=1):
        if proof is not None and not proof.sound:
            return Round(reply, read, check.verified, told(proof, teller), proofs, number)
    return Round(reply, read, check.verified, "", proofs)
