"""BrainBody's metrics: goal conditions of any goal, and feedback, from events written by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings

from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.pddl import And, Atom, Condition, Exists, Forall, Imply, Not, Or, Task, TypedName
from pddl2nl.policies.events import Acted, Finished, RunEvent
from pddl2nl.policies.reporting import satisfied
from pddl2nl.systems.brainbody.events import BodyActed, BrainPlanned, ErrorSignal
from pddl2nl.systems.brainbody.metrics import METRICS
from pddl2nl.tasks import shipped_domain
from pddlval import Simulator
from pddlval.semantics import holds
from tests.records import begun
from tests.validators import random_tasks
from tests.validators.formulas import PlainWorld

VALUES = {metric.name: metric.of for metric in METRICS}
P, Q, NOT_P = Atom("q", ("a",)), Atom("q", ("b",)), Not(Atom("q", ("a",)))
SMALL = (TypedName("?x", ("small",)),)


# ── goal conditions ──────────────────────────────────────────────────────────────────────────────


@settings(max_examples=30, deadline=None)
@given(random_tasks.cases(numeric=False))
def test_all_goal_conditions_hold_exactly_where_the_goal_does(case: tuple[Task, random.Random]) -> None:
    task, rng = case
    world, goal = Simulator(task).initial, random_tasks.conditions(rng, random_tasks.scope_of(task), 3)
    met, every = satisfied(goal, world)
    assert 0 <= met <= every
    assert (met == every) is holds(goal, world)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (And((P, Q)), (1, 2)),
        (And((P, And((NOT_P, Q)))), (1, 3)),
        # Of alternatives the greater share: 1 of 2 against 0 of 1, and 2 of 3 against 1 of 2.
        (Or((Q, And((P, Q)))), (1, 2)),
        (Or((And((P, Q)), And((P, Not(Q), Q)))), (2, 3)),
        # Both small things, a and b; of a witness the better one.
        (Forall(SMALL, Atom("q", ("?x",))), (1, 2)),
        (Exists(SMALL, And((Atom("q", ("?x",)), Atom("r", ())))), (1, 2)),
        (Not(And((P, Q))), (1, 1)),
        (Imply(P, And((Q, Atom("r", ())))), (0, 1)),
        (And(()), (0, 0)),
        (Or(()), (0, 1)),
    ],
)
def test_goal_conditions_are_counted_by_the_best_alternative(goal: Condition, expected: tuple[int, int]) -> None:
    assert satisfied(goal, PlainWorld("q a")) == expected


# ── feedback ─────────────────────────────────────────────────────────────────────────────────────


def made(*events: RunEvent, policy: str = "brainbody") -> RunRecord:
    """A run on V6 with these events: the salmon is on the kitchen table, the fridge is closed."""
    shipped = shipped_domain("household")
    problem = next(each.path for each in shipped.instances if each.name == "v06")
    texts = [path.read_text(encoding="utf-8") for path in (shipped.domain_path, problem)]
    started = begun(policy, *texts)
    return RunRecord.of(Path("made.jsonl"), (started, *events, Finished("goal-missed")))


def values(record: RunRecord, *names: str) -> list[float | None]:
    return [VALUES[name](record) for name in names]


def error(*unmet: str, action: str = "(putin salmon fridge right)", repeated: int = 0) -> ErrorSignal:
    return ErrorSignal(3, action, "reason", "inapplicable", "It is not open.", unmet, repeated)


def plan(number: int, *steps: str) -> BrainPlanned:
    return BrainPlanned(number, 3 if number else 0, steps)


CLOSED, HANDS = "(is-open fridge)", "(free left)"


@pytest.mark.parametrize(
    ("events", "rounds", "resolved", "oscillations"),
    [
        ([], 0, None, 0),
        # Without feedback nothing is resolved, whatever follows.
        ([error(CLOSED), error(HANDS)], 0, None, 0),
        ([error(CLOSED), plan(1)], 1, 100, 0),
        # As in the docstring: closed twice, hands once, each with feedback.
        ([error(CLOSED), plan(1), error(HANDS), plan(2), error(CLOSED, repeated=1), plan(3)], 3, 200 / 3, 1),
        # The last error comes after all rounds are used; it still says that the first one was not resolved.
        ([error(CLOSED), plan(1), error(HANDS, CLOSED)], 1, 0, 0),
        # Unreadable replies have no conditions: it is the step that fails again.
        (
            [
                BodyActed(0, "Fly", "?", "unreadable"),
                error(action=""),
                plan(1),
                BodyActed(0, "Swim", "?", "unreadable"),
                error(action=""),
                plan(2),
                BodyActed(0, "Fly", "?", "unreadable"),
                error(action=""),
            ],
            2,
            50,
            0,
        ),
    ],
)
def test_feedback_is_counted_and_an_error_is_resolved_if_it_never_comes_back(
    events: Sequence[RunEvent], rounds: int, resolved: float | None, oscillations: int
) -> None:
    found = values(made(*events), "feedback-rounds", "errors-resolved", "oscillations")
    assert found == [rounds, pytest.approx(resolved) if resolved else resolved, oscillations]


def test_executed_refused_and_passed_steps() -> None:
    steps = [BodyActed(step, "…", "…", "pass" if step == 7 else "action") for step in range(8)]
    failed = [error(CLOSED), error(action="")]
    record = made(plan(0, *"abcdefgh", "Done"), *steps, *(Acted(number, "(a)") for number in range(1, 6)), *failed)
    assert values(record, "executability", "passes") == [pytest.approx(500 / 7), 12.5]
    # Seven steps are no passes, and "Done" is no step.
    assert values(record, "executability-first-plan") == [pytest.approx(500 / 7)]
    replaced = made(plan(0, *"abcde"), Acted(1, "(a)"), Acted(2, "(a)"), error(CLOSED), plan(1), Acted(3, "(a)"))
    assert values(replaced, "executability", "executability-first-plan") == [75, 40]
    assert values(made(), "executability", "executability-first-plan", "passes") == [0, None, None]


def test_the_end_is_what_was_observed_and_not_what_the_model_of_the_world_says() -> None:
    observed = Acted(1, "(open fridge right)", added=("(is-open fridge)", "(inside salmon fridge)"))
    assert values(made(observed), "goal-conditions-recall", "success-rate") == [50, 0]
    shut = Acted(2, "(close fridge right)", deleted=("(is-open fridge)",))
    assert values(made(observed, shut), "goal-conditions-recall", "success-rate") == [100, 100]
    # A foreign record, whose changes are none of this task's.
    assert values(made(Acted(1, "(x)", added=("(nonsense)",))), "goal-conditions-recall", "success-rate") == [None] * 2


def test_runs_of_other_policies_have_none_of_them() -> None:
    assert values(made(Acted(1, "(a)"), policy="act"), *VALUES) == [None] * len(VALUES)


def test_the_start_has_the_conditions_that_hold_already() -> None:
    task = shipped_domain("household").task("v06")
    assert satisfied(task.problem.goal, Simulator(task).initial) == (1, 2), "the fridge is shut"
