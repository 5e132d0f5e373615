"""VAL's verbose text and the claims of simultaneous actions, on random tasks with all of ADL, axioms and numbers."""

from __future__ import annotations

import random
import re
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import GroundAtom, Task, When
from pddlval import GroundAction, Plan, PlanStep, Report, Simulator, State, val_text, validate
from pddlval.formulas import subformulas
from pddlval.happenings import Happening, claim, happenings
from pddlval.schemas import Ground
from tests.validators import random_tasks

ENDS = {
    "valid": ("Plan executed successfully - checking goal\nPlan valid\nFinal value: ", "\nSuccessful plans:"),
    "goal-not-satisfied": ("Goal not satisfied\nPlan invalid\n", "\n\nFailed plans:\n p \n"),
    "inapplicable": ("\nPlan failed to execute\n", "\n\nFailed plans:\n p \n"),
}
_UNDEFINED = "Error occurred in validation attempt:\n  Attempt to access undefined numeric expression!\n"


def _all_actions(simulator: Simulator) -> list[GroundAction]:
    """Every action whose arguments are of the right types."""
    found = []
    for schema in simulator.task.domain.actions:
        rows: list[tuple[str, ...]] = [()]
        for parameter in schema.parameters:
            rows = [(*row, name) for row in rows for name in simulator.task.objects_of(parameter.types)]
        found += [GroundAction(schema.name, row) for row in rows]
    return found


def _random_plan(simulator: Simulator, dice: random.Random, together: bool) -> Plan:
    """A plan that mostly can be executed; with several actions at a time, if asked for."""
    actions = _all_actions(simulator)
    steps: list[PlanStep] = []
    state = simulator.initial
    for time in range(dice.randint(0, 4)):
        applicable = [action for action in actions if simulator.is_applicable(state, action)]
        if not actions:
            break
        pool = applicable if applicable and dice.random() < 0.9 else actions
        chosen = dice.sample(pool, min(len(pool), dice.randint(1, 3) if together else 1))
        steps += [PlanStep(action, Fraction(time) if together else None) for action in chosen]
        for action in chosen:
            state = simulator.step(state, action).successor or state
    return Plan(tuple(steps))


def _names(text: str) -> GroundAtom:
    return GroundAtom(text.strip("()").split())


def _replayed(text: str, state: State) -> tuple[frozenset[GroundAtom], dict[GroundAtom, float]]:
    """The atoms and the numbers at the end of a verbose text, told by its own lines."""
    atoms = set(state.atoms)
    levels = {fluent: float(value) for fluent, value in state.values.items()}
    for line in text.splitlines():
        if line.startswith("Deleting "):
            atoms.discard(_names(line.removeprefix("Deleting ")))
        elif line.startswith("Adding "):
            atoms.add(_names(line.removeprefix("Adding ")))
        elif found := re.fullmatch(r"Updating (\(.*?\)) \((.*?)\) by (\S+) (.*)", line):
            fluent, amount = _names(found[1]), float(found[3])
            before = levels.get(fluent, 0.0)
            assert abs(before - float(found[2])) <= 1e-6 * max(1, abs(before))
            after = {"assignment": amount, "increase": before + amount, "decrease": before - amount}
            levels[fluent] = after[found[4]] if found[4] in after else _scaled(before, amount, found[4])
    return frozenset(atoms), levels


def _scaled(before: float, amount: float, operator: str) -> float:
    return before * amount if operator == "scale up" else before / amount


def _numbers(happening: Happening) -> list[int]:
    return [event.step for event in happening.events]


def _end_state(simulator: Simulator, plan: Plan, report: Report) -> State:
    """The state after the happenings that were executed."""
    state = simulator.initial
    for happening in happenings(plan):
        if report.failed_step in _numbers(happening):
            break
        outcomes = [simulator.ground(plan.actions[number - 1]).outcome(state) for number in _numbers(happening)]
        state = simulator.apply(state, outcomes)
    return state


@settings(max_examples=40)
@given(random_tasks.cases(), st.booleans())
def test_the_verbose_text_tells_what_happens(case: tuple[Task, random.Random], together: bool) -> None:
    task, dice = case
    simulator = Simulator(task)
    plan = _random_plan(simulator, dice, together)
    report = validate(task, plan)
    verbose, plain = (val_text(task, plan, report, "p", one) for one in (True, False))
    if _UNDEFINED in plain:
        assert _UNDEFINED in verbose
        return
    middle, end = ENDS[report.verdict]
    assert middle in plain
    assert end in plain
    if _UNDEFINED in verbose:
        # Only the advice reads the value that is undefined.
        assert not report.valid
        assert "Plan Repair Advice:" not in verbose
    else:
        assert middle in verbose
        assert verbose.endswith(plain[plain.index(end) :])
        rest = re.sub(r"\nPlan Repair Advice:\n(.|\n)*?(?=\n\nFailed plans)", "", verbose)
        assert rest.endswith(plain[plain.index(middle.splitlines()[-1]) :])
    assert verbose.count("Checking next happening") == (
        len(happenings(plan))
        if report.failed_step is None
        else next(n for n, one in enumerate(happenings(plan), 1) if report.failed_step in _numbers(one))
    )
    state = _end_state(simulator, plan, report)
    atoms, levels = _replayed(verbose, simulator.initial)
    assert atoms == state.atoms
    assert {fluent for fluent, value in levels.items()} == set(state.values)
    for fluent, value in state.values.items():
        assert abs(levels[fluent] - float(value)) <= 1e-6 * max(1, abs(float(value)))


@settings(max_examples=40)
@given(random_tasks.cases())
def test_actions_without_a_conflict_may_happen_in_any_order(case: tuple[Task, random.Random]) -> None:
    """The purpose of mutual exclusion (Fox and Long 2003).

    VAL overlooks conditions of effects that do not hold, and only warns of an atom that is added and deleted: of such
    an atom the last word counts, and of nothing else. Of two actions that sum up a fluent, VAL lets the one that reads
    it pass where the plan lists it first, and not where it comes second (`test_ownership` has the pair): there the
    fluents that it changes may differ, and nothing else.
    """
    task, dice = case
    simulator = Simulator(task)
    state = simulator.initial
    plain = {
        action.name
        for action in task.domain.actions
        if not any(isinstance(part, When) for part in subformulas(action.effect))
    }
    applicable = [
        action for action in _all_actions(simulator) if action.name in plain and simulator.is_applicable(state, action)
    ]
    for _ in range(10):
        if len(applicable) < 2:
            return
        grounds = [simulator.ground(action) for action in dice.sample(applicable, 2)]
        outcomes = [ground.outcome(state) for ground in grounds]
        claims = claim(grounds, state)
        if claims.conflict is not None:
            continue
        spared = {told.partition(_BOTH)[2] for told in claims.warnings}
        collided = claim(grounds[::-1], state).conflict
        if collided is not None and collided.claim == "needs" and collided.atom in state.values:
            spared |= {str(update.fluent) for update in outcomes[1 - collided.place].updates}
        together = _but_for(spared, simulator.apply(state, outcomes))
        assert _but_for(spared, _in_turn(simulator, state, grounds)) == together
        assert _but_for(spared, _in_turn(simulator, state, grounds[::-1])) == together


_BOTH = "adds and deletes the literal "


def _but_for(spared: set[str], state: State) -> tuple[set[GroundAtom], dict[GroundAtom, object]]:
    """A state without some of its atoms and fluents."""
    atoms = {atom for atom in state.atoms if str(atom) not in spared}
    return atoms, {fluent: value for fluent, value in state.values.items() if str(fluent) not in spared}


def _in_turn(simulator: Simulator, state: State, grounds: list[Ground]) -> State:
    for ground in grounds:
        after = simulator.step(state, ground.action).successor
        assert after is not None
        state = after
    return state
