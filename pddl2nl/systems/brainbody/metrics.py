"""The metrics of the BrainBody-LLM paper as pure functions of a run's events, in %; and ours on feedback.

Bhat et al., "Grounding LLMs For Robot Task Planning Using Closed-loop State Feedback", section 4.5: EXEC, GCR and SR.
The state at the end of a run is the initial one with the changes of its executed actions, as they were observed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import takewhile

from pddl2nl.pddl import GroundAtom
from pddl2nl.policies.events import Acted, RunEvent
from pddl2nl.policies.reporting import ScoredRun, Way, conditions_met, end_of, goal_reached, mean_metric, share
from pddl2nl.systems.brainbody.events import BodyActed, BrainPlanned, ErrorSignal
from pddlval import Simulator

# ── execution ────────────────────────────────────────────────────────────────────────────────────


def _executability(run: ScoredRun) -> float | None:
    """EXEC: ``100 · executed / (executed + refused + unreadable)``; 0 without any of them.

    Passes are in neither number: a plan with all steps passed executes nothing.
    """
    return share(_count(run.counted, Acted), _count(run.counted, Acted, ErrorSignal))


def _executability_first_plan(run: ScoredRun) -> float | None:
    """EXEC of the first plan: ``100 · executed before it was replaced / (its steps without passes)``.

    A last step that says "Done" is none. None without a plan.
    """
    # Every report imports this module, and only those of this system need the reader of replies.
    from pddl2nl.systems.brainbody.replies import is_done

    plan = next((event.plan for event in run.counted if isinstance(event, BrainPlanned)), ())
    first = _until_replaced(run.counted)
    steps = sum(not is_done(step) for step in plan) - _passes(first)
    return share(_count(first, Acted), steps) if plan else None


def _pass_share(run: ScoredRun) -> float | None:
    """PASS: ``100 · passed steps / all steps that the acting model was given``; None if it was given none."""
    given = _count(run.counted, BodyActed)
    return share(_passes(run.counted), given) if given else None


def _until_replaced(events: Iterable[RunEvent]) -> list[RunEvent]:
    return list(takewhile(lambda event: not (isinstance(event, BrainPlanned) and event.number), events))


def _passes(events: Iterable[RunEvent]) -> int:
    return sum(isinstance(event, BodyActed) and event.result == "pass" for event in events)


def _feedback_rounds(run: ScoredRun) -> float | None:
    """Feedback rounds: ``plans that replaced another``."""
    return float(sum(isinstance(event, BrainPlanned) and event.number > 0 for event in run.counted))


def _errors_resolved(run: ScoredRun) -> float | None:
    """Errors resolved: ``100 · errors after whose feedback none of their conditions was violated again / errors with
    feedback``; None if no error was fed back.

    The conditions of an error are those that did not hold; of an unreadable reply it is the step.
    """
    errors: list[frozenset[str]] = []
    fed_back: list[int] = []
    line = ""
    for event in run.counted:
        if isinstance(event, BodyActed):
            line = event.line
        elif isinstance(event, ErrorSignal):
            errors.append(frozenset(event.unmet or (event.action or line,)))
        elif isinstance(event, BrainPlanned) and event.number and len(errors) > (fed_back or [0])[-1]:
            # A plan after a reply that could not be read answers no error.
            fed_back.append(len(errors))
    resolved = sum(not any(errors[after - 1] & later for later in errors[after:]) for after in fed_back)
    return share(resolved, len(fed_back)) if fed_back else None


def _oscillations(run: ScoredRun) -> float | None:
    """Oscillations: ``errors of an action in a state in which it had failed with the same message before``."""
    return float(sum(isinstance(event, ErrorSignal) and event.repeated > 0 for event in run.counted))


def _side_effects(run: ScoredRun) -> float | None:
    """Side effects: ``facts that differ at the end and that no reference plan changes at any of its steps``.

    None without a reference plan. The robot's own place counts like any other fact.
    """
    end = end_of(run)
    if run.reference is None or end is None:
        return None
    touched = {atom for way in run.reference.ways for atom in _touched(end[0], way)}
    return float(len((end[1].atoms ^ end[0].initial.atoms) - touched))


def _touched(simulator: Simulator, way: Way) -> set[GroundAtom]:
    """The facts that a plan changes at any of its steps."""
    state, done, touched = simulator.initial, 0, set[GroundAtom]()
    while (block := next(way.ready(done), None)) is not None:
        followed = simulator.follow(state, way.blocks[block])
        for step in followed.steps:
            touched.update(step.added, step.deleted)
        state = followed.state
        done |= 1 << block
    return touched


def _count(events: Iterable[RunEvent], *kinds: type[RunEvent]) -> int:
    return sum(isinstance(event, kinds) for event in events)


_metric = partial(mean_metric, package=__package__)

METRICS = (
    _metric("executability", _executability, "EXEC: executed primitives, of those executed, refused or unreadable"),
    _metric(
        "executability-first-plan",
        _executability_first_plan,
        "EXEC of the first plan: steps executed before it was replaced, of its steps",
    ),
    _metric("passes", _pass_share, "PASS: steps that the acting model passes, of all it was given", "lower"),
    _metric("goal-conditions-recall", conditions_met, "GCR: goal conditions that hold at the end, of all"),
    _metric("success-rate", goal_reached, "SR: runs at whose end the goal holds, of all"),
    _metric("feedback-rounds", _feedback_rounds, "plans that replaced another after an error", "lower", "rounds"),
    _metric(
        "errors-resolved",
        _errors_resolved,
        "errors whose conditions were not violated again after feedback, of those with feedback",
    ),
    _metric(
        "oscillations", _oscillations, "errors of an action in a state in which it had failed before", "lower", "errors"
    ),
    _metric("side-effects", _side_effects, "facts changed at the end that no reference plan changes", "lower", "facts"),
)
"""The metrics of the paper, and ours on feedback."""
