"""What a policy is told where nothing was executed; everything else is told by `pddl2nl.nl.Teller`.

The run's ``feedback`` says how much is told:

============  ==================================================================================================
reason        why it was not executed, as in the AutoPlanBench paper (section 4, "Simulator")
applicable    the reason, and on the lines below it the actions that are applicable, at most `SHOWN` of them
minimal       that it was not executed, and nothing else; of a claim to be done, that the goal is not reached
============  ==================================================================================================

Only the answer to "look around" contains an empty line: a message of three paragraphs states a problem
(`pddl2nl.policies.prompting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from pddl2nl.nl import Reading, Teller
from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.pddl import Atom, Condition
from pddl2nl.policies.setting import Setting
from pddlval import BadActionError, GroundAction, State, StepResult
from pddlval.plans import why_bad

SHOWN = 20
"""The most applicable actions that are told, in the simulator's order (schemas as in the file)."""

_COUNTED = 10_000
"""The most applicable actions that are counted; beyond it the answer says "many"."""


def refused(result: StepResult, setting: Setting, state: State) -> str:
    """The answer to an action that is not applicable."""
    if setting.feedback == "minimal":
        # A result without the unmet conditions is told without a reason.
        return setting.teller.refused(StepResult(result.action, None), state)
    return _with_applicable(setting.teller.refused(result, state), setting, state)


def not_read(status: str, reading: Reading, setting: Setting, state: State) -> str:
    """The answer to a turn that was not understood: ``ambiguous``, ``unknown-object`` or ``unreadable``."""
    if setting.feedback == "minimal":
        return "Nothing was done."
    if reading.candidates and status == "unreadable":
        return _with_applicable(_told_bad_action(reading.candidates[0], setting.teller), setting, state)
    end = " Say one action in the form asked for." if status not in ("ambiguous", "unknown-object") else ""
    told = f"Nothing was done, because {why_not_read(status, reading, setting.teller)}{end}"
    return _with_applicable(told, setting, state)


def why_not_read(status: str, reading: Reading, teller: Teller) -> str:
    """Why words were not understood: the part of the sentence after "because"."""
    if status == "ambiguous":
        return f"this can mean more than one action: {'; '.join(map(teller.action, reading.candidates))}."
    if status == "unknown-object":
        unknown = " and ".join(f'"{name}"' for name in reading.unknown)
        near = f" Did you mean {enumerate_words(reading.suggestions, 'or')}?" if reading.suggestions else ""
        return f"there is no object called {unknown or 'so'}.{near}"
    if reading.candidates:
        return _why_bad(reading.candidates[0], teller)
    return f"no action could be read in this{f' ({reading.reason})' if reading.reason else ''}."


def bad_action(error: BadActionError, setting: Setting, state: State) -> str:
    """The answer to something that looks like an action, but is not one of this task."""
    if setting.feedback == "minimal":
        return "Nothing was done."
    return _with_applicable(_told_bad_action(error.action, setting.teller), setting, state)


def _told_bad_action(action: GroundAction, teller: Teller) -> str:
    if teller.mistyped(action):
        return teller.forbidden(action)
    start = f"The action {action} is not possible" if teller.style == "pddl" else "Nothing was done"
    return f"{start}, because {_why_bad(action, teller)}"


def _why_bad(action: GroundAction, teller: Teller) -> str:
    """Why the task cannot have an action, whatever the state."""
    error = why_bad(teller.task, teller.task.domain.step(action.name), action)
    if error is None:
        return "it cannot be carried out."
    hint = f" Did you mean '{error.suggestion}'?" if error.suggestion else ""
    return f"{teller.mistyped(action) or error.reason}.{hint}"


def not_reached(unmet: Sequence[Condition], setting: Setting, state: State) -> str:
    """The answer to a claim to be done while the goal does not hold."""
    if setting.feedback == "minimal":
        return "The goal is not reached." if setting.style == "pddl" else "My goal is not reached yet."
    return setting.teller.unmet_goal(unmet, state)


def unexpected(told: str, expected: State, observed: State, teller: Teller) -> str:
    """The observation after an action whose effect differs from the model's."""
    wording = teller.wording.predicates
    missing, surplus = (
        [atom for atom in sorted(atoms) if atom[0] not in wording or wording[atom[0]].text is not None]
        for atoms in (expected.atoms - observed.atoms, observed.atoms - expected.atoms)
    )
    facts = [*(teller.reasons([Atom(atom[0], atom[1:])]) for atom in missing), *map(teller.fact, surplus)]
    return f"{told} But {enumerate_words(facts)}." if facts else told


def _with_applicable(told: str, setting: Setting, state: State) -> str:
    if setting.feedback != "applicable":
        return told
    actions = list(islice(setting.simulator.applicable(state), _COUNTED + 1))
    pddl = setting.style == "pddl"
    if not actions:
        return f"{told}\n{'No action is applicable.' if pddl else 'There is no action that I can take now.'}"
    head = "The applicable actions are:" if pddl else "These are the actions that I can take now:"
    lines = [told, head, *map(setting.teller.action, actions[:SHOWN])]
    if (left := len(actions) - SHOWN) > 0:
        lines.append(f"and {'many' if len(actions) > _COUNTED else left} more")
    return "\n".join(lines)
