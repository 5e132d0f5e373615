"""The metrics of the BrainBody-LLM paper as pure functions of a run's events, in %; and ours on feedback.

Bhat et al., "Grounding LLMs For Robot Task Planning Using Closed-loop State Feedback", section 4.5: EXEC, GCR and SR.
The state at the end of a run is the initial one with the changes of its executed actions, as they were observed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from typing import Literal

from pddl2nl.errors import InputError
from pddl2nl.pddl import And, Condition, Exists, Forall, GroundAtom, Or, Task, parse_domain, parse_problem
from pddl2nl.policies.brainbody import FAMILY
from pddl2nl.policies.brainbody.events import BodyActed, BrainPlanned, ErrorSignal
from pddl2nl.policies.brainbody.replies import is_done
from pddl2nl.policies.events import Acted, RunEvent
from pddl2nl.policies.family import RunMetric, ScoredRun
from pddl2nl.policies.ground_truth import Way
from pddlval import Simulator, State
from pddlval.formulas import negation_normal
from pddlval.semantics import Binding, World, choices, holds
from pddlval.simulator import simulator_of

__all__ = ["METRICS", "end_of", "satisfied"]

_CHANGED = re.compile(r"\(= \((?P<fluent>[^()]*)\) (?P<value>[^()\s]+)\)")


# ── execution ────────────────────────────────────────────────────────────────────────────────────


def _executability(run: ScoredRun) -> float | None:
    """EXEC: ``100 · executed / (executed + refused + unreadable)``; 0 without any of them.

    Passes are in neither number: a plan of which the acting model passes every step executes nothing.

    Example: of eight steps five are executed, one is refused, one is unreadable and one is passed: 5 of 7, 71.43.
    """
    return _share(_count(run.counted, Acted), _count(run.counted, Acted, ErrorSignal))


def _executability_first_plan(run: ScoredRun) -> float | None:
    """EXEC of the first plan: ``100 · executed before it was replaced / (its steps without passes)``.

    A last step that says "Done" is none. None without a plan.

    Example: the third of five steps is refused, and a new plan replaces the rest: 2 of 5, 40.
    """
    plan = next((event.plan for event in run.counted if isinstance(event, BrainPlanned)), ())
    first = _until_replaced(run.counted)
    steps = sum(not is_done(step) for step in plan) - _passes(first)
    return _share(_count(first, Acted), steps) if plan else None


def _pass_share(run: ScoredRun) -> float | None:
    """PASS: ``100 · passed steps / all steps that the acting model was given``; None if it was given none.

    Example: one of eight steps is passed: 12.5.
    """
    given = _count(run.counted, BodyActed)
    return _share(_passes(run.counted), given) if given else None


def _until_replaced(events: Iterable[RunEvent]) -> list[RunEvent]:
    return list(takewhile(lambda event: not (isinstance(event, BrainPlanned) and event.number), events))


def _passes(events: Iterable[RunEvent]) -> int:
    return sum(isinstance(event, BodyActed) and event.result == "pass" for event in events)


# ── the goal ─────────────────────────────────────────────────────────────────────────────────────


def _goal_conditions_recall(run: ScoredRun) -> float | None:
    """GCR: ``100 · satisfied goal conditions / goal conditions`` at the end.

    Example: coffeepot and cupcake shall be on the table, and only the cupcake is: 50.
    """
    end = end_of(run)
    if end is None:
        return None
    met, conditions = satisfied(end[0].task.problem.goal, end[1])
    return _share(met, conditions) if conditions else 100.0


def _success_rate(run: ScoredRun) -> float | None:
    """SR: 100 if the goal holds at the end, else 0. It is 100 exactly if GCR is."""
    end = end_of(run)
    return None if end is None else 100.0 * end[0].is_goal(end[1])


def satisfied(goal: Condition, state: World) -> tuple[int, int]:
    """How many of a goal's conditions hold, and how many there are.

    The conditions are the literals of its conjunctions and of all instances of ``forall``; of an ``or`` or ``exists``
    those of the alternative of which the greatest share holds, the first of several.
    """
    return _satisfied(negation_normal(goal), state, {})


def _satisfied(goal: Condition, state: World, binding: Binding) -> tuple[int, int]:
    match goal:
        case And(parts):
            counts = [_satisfied(part, state, binding) for part in parts]
        case Forall(parameters, body):
            counts = [_satisfied(body, state, chosen) for chosen in choices(parameters, state, binding)]
        case Or(parts):
            return _best(_satisfied(part, state, binding) for part in parts)
        case Exists(parameters, body):
            return _best(_satisfied(body, state, chosen) for chosen in choices(parameters, state, binding))
        case _:
            return int(holds(goal, state, binding)), 1
    return sum(met for met, _ in counts), sum(conditions for _, conditions in counts)


def _best(counts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """The alternative with the greatest share; none of one if there are no alternatives."""
    return max(counts, key=lambda count: Fraction(*count) if count[1] else Fraction(1), default=(0, 1))


def end_of(run: ScoredRun) -> tuple[Simulator, State] | None:
    """The task, and the state at the end of a run; None if the changes in a foreign record do not fit its task."""
    try:
        simulator = simulator_of(_task(run.started.domain_pddl, run.started.problem_pddl))
        atoms, values = set(simulator.initial.atoms), dict(simulator.initial.values)
        for event in run.counted:
            if isinstance(event, Acted):
                atoms.difference_update(map(_atom, event.deleted))
                atoms.update(map(_atom, event.added))
                changed = filter(None, map(_CHANGED.fullmatch, event.changed))
                values.update((_atom(each["fluent"]), Fraction(each["value"])) for each in changed)
        return simulator, simulator.state(atoms, values)
    except InputError:
        return None


@lru_cache(maxsize=64)
def _task(domain_pddl: str, problem_pddl: str) -> Task:
    domain = parse_domain(domain_pddl)
    return Task(domain, parse_problem(problem_pddl, domain))


def _atom(text: str) -> GroundAtom:
    return GroundAtom(text.strip("()").split())


# ── feedback ─────────────────────────────────────────────────────────────────────────────────────


def _feedback_rounds(run: ScoredRun) -> float | None:
    """Feedback rounds: ``plans that replaced another``."""
    return float(sum(isinstance(event, BrainPlanned) and event.number > 0 for event in run.counted))


def _errors_resolved(run: ScoredRun) -> float | None:
    """Errors resolved: ``100 · errors after whose feedback none of their conditions was violated again / errors with
    feedback``; None if no error was fed back.

    The conditions of an error are those that did not hold; of an unreadable reply it is the step.

    Example: the closed fridge is fed back twice, the occupied hand once: 2 of 3, 66.67.
    """
    errors: list[frozenset[str]] = []
    fed_back: list[int] = []
    line = ""
    for event in run.counted:
        if isinstance(event, BodyActed):
            line = event.line
        elif isinstance(event, ErrorSignal):
            errors.append(frozenset(event.unmet or (event.action or line,)))
        elif isinstance(event, BrainPlanned) and event.number:
            fed_back.append(len(errors))
    resolved = sum(not any(errors[after - 1] & later for later in errors[after:]) for after in fed_back)
    return _share(resolved, len(fed_back)) if fed_back else None


def _oscillations(run: ScoredRun) -> float | None:
    """Oscillations: ``errors of an action in a state in which it had failed with the same message before``."""
    return float(sum(isinstance(event, ErrorSignal) and event.repeated > 0 for event in run.counted))


def _side_effects(run: ScoredRun) -> float | None:
    """Side effects: ``facts that differ at the end and that no reference plan changes at any of its steps``.

    None without a reference plan. The robot's own place counts like any other fact.

    Example: the fridge, which the reference plan never touches, was left open: 1.
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
        for action in way.blocks[block]:
            result = simulator.step(state, action)
            touched.update(result.added, result.deleted)
            state = result.successor or state
        done |= 1 << block
    return touched


def _is_brainbody(run: ScoredRun) -> bool:
    return run.started.policy in FAMILY.policies


def _count(events: Iterable[RunEvent], *kinds: type[RunEvent]) -> int:
    return sum(isinstance(event, kinds) for event in events)


def _share(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _metric(
    name: str,
    of: Callable[[ScoredRun], float | None],
    summary: str,
    better: Literal["higher", "lower"] = "higher",
    unit: str = "%",
) -> RunMetric:
    return RunMetric(name, summary, better, "mean", lambda run: of(run) if _is_brainbody(run) else None, unit, "always")


METRICS = (
    _metric("executability", _executability, "EXEC: executed primitives, of those executed, refused or unreadable"),
    _metric(
        "executability-first-plan",
        _executability_first_plan,
        "EXEC of the first plan: steps executed before it was replaced, of its steps",
    ),
    _metric("passes", _pass_share, "PASS: steps that the acting model passes, of all it was given", "lower"),
    _metric("goal-conditions-recall", _goal_conditions_recall, "GCR: goal conditions that hold at the end, of all"),
    _metric("success-rate", _success_rate, "SR: runs at whose end the goal holds, of all"),
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
