"""The result of a proof in words, so that a model or a user can correct the conditions."""

from __future__ import annotations

from collections.abc import Sequence

from pddl2nl.errors import InputError, UnsupportedError
from pddl2nl.macros.proof import Counterexample, Proof
from pddl2nl.nl import Names, Teller
from pddl2nl.pddl import Condition, substitute, write_condition
from pddlval import GroundAction

_MOST_TOLD = 8
"""The largest number of conditions told for one mistake."""


def told_pddl(condition: Condition, names: Names) -> str:
    """A ground condition or effect in PDDL, with the objects' natural-language names."""
    return write_condition(substitute(condition, names.to_nl))


def told_condition(condition: Condition, teller: Teller) -> str:
    """A condition in words and in PDDL: ``egg_1 is in pan_1, in PDDL (inside egg_1 pan_1)``."""
    pddl = told_pddl(condition, teller.names)
    try:
        return f"{teller.literal(condition)}, in PDDL {pddl}"
    except (InputError, UnsupportedError):
        # A condition that has no wording is given in PDDL only.
        return pddl


def told(proof: Proof, teller: Teller) -> str:
    """The result of a proof in the words of the run: a sentence or a short list for each part, mistakes first."""
    parts: list[str] = []
    if proof.vacuous:
        parts.append("The precondition contradicts itself: there is no state in which it holds.")
    if proof.impossible:
        parts.append("These actions cannot be carried out one after the other in any state.")
    parts += [_told(example, proof, teller) for example in proof.counterexamples]
    if proof.sound and not proof.vacuous:
        parts.append(
            "The conditions are exactly those of the actions."
            if proof.exact
            else "Wherever the precondition holds, the actions can be carried out and the effect holds after them."
        )
    if "undecided" in (proof.runs, proof.holds, proof.complete_effect):
        parts.append("Whether the conditions always fit the actions could not be decided: they depend on numbers.")
    return "\n".join(parts)


def _told(example: Counterexample, proof: Proof, teller: Teller) -> str:
    where = _where(example, teller)
    if example.kind == "does-not-run":
        return _does_not_run(example, proof, teller, where)
    if not example.unmet:
        return "The effect leaves out something that the actions change, or changes something that they leave as it is."
    mistake, heading = _TOLD[example.kind]
    return f"{mistake}{where}. {heading}:\n{_listed(example.unmet, teller)}"


_TOLD = {
    "effect-fails": ("The effect says what is not so after the actions", "What it says and is not so"),
    "incomplete": (
        "The effect is not all that the actions bring about",
        "What is so after them, and not by the effect",
    ),
    "too-strong": (
        "The precondition asks for more than is needed: the actions can be carried out without it",
        "What need not hold",
    ),
}


def _does_not_run(example: Counterexample, proof: Proof, teller: Teller, where: str) -> str:
    which = f"step {example.step} ({_action(proof.block[example.step - 1], teller)})"
    mistake = f"The precondition is not enough: it can hold and still {which} cannot be carried out"
    if not example.unmet:
        return f"{mistake}: its effects would change a number in more than one way at once{where}."
    first = f"{mistake}{where}. What does not hold before that step:\n{_listed(example.unmet, teller)}"
    others: dict[Condition, int] = {}
    for item in proof.lacking:
        if item.condition not in example.unmet:
            others.setdefault(item.condition, item.step)
    if not others:
        return first
    lines = [f"- step {step} needs this: {told_condition(c, teller)}" for c, step in others.items()][:_MOST_TOLD]
    return "\n".join([first, "The precondition does not see to the following either:", *lines])


def _action(action: GroundAction, teller: Teller) -> str:
    try:
        return teller.action(action)
    except InputError:
        return str(action)


def _where(example: Counterexample, teller: Teller) -> str:
    """In which state this is so, where it differs by a few facts from the one at hand."""
    if not 0 < len(example.unlike) <= 4:
        return ""
    try:
        literals = [teller.literal(condition) for condition in example.unlike]
    except (InputError, UnsupportedError):
        return ""
    return f", for example when {' and '.join(literals)}"


def _listed(conditions: Sequence[Condition], teller: Teller) -> str:
    lines = [f"- {told_condition(condition, teller)}" for condition in conditions[:_MOST_TOLD]]
    if len(conditions) > _MOST_TOLD:
        lines.append(f"- and {len(conditions) - _MOST_TOLD} more")
    return "\n".join(lines)


def proof_text(proof: Proof, feedback: str) -> str:
    """The parts of a proof for people, a line each, and the feedback."""
    facts = [write_condition(fact) for fact in proof.static]
    more = f", and {len(facts) - _MOST_TOLD} more" if len(facts) > _MOST_TOLD else ""
    where = f"states with the static facts {', '.join(facts[:_MOST_TOLD])}{more}" if facts else "all states"
    lines = [
        "proved" if proof.sound else "not proved",
        f"  the actions can be carried out wherever the precondition holds: {proof.runs}",
        f"  the effect holds after them: {proof.holds}",
        f"  the effect says all that they change: {proof.complete_effect}",
        f"  the precondition, beside the weakest one: {proof.precondition}",
        f"  scope: {where}",
    ]
    if proof.vacuous:
        lines.append("  the precondition holds in no state at all, so that nothing is said of any")
    return "\n".join([*lines, *(["", feedback] if feedback else [])])
