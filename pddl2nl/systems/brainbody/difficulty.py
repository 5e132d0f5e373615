"""How difficult a task with hidden facts is: the feedback that a good planner needs (paper, Table 4).

The planner knows every fact but the hidden ones, and takes those for true. It makes a shortest plan; of several
shortest plans, one that needs the fewest hidden facts that are false. It carries the plan out until a step fails,
learns from the error which hidden facts are false, and plans again from there. The difficulty is the number of errors:
0 is easy, 1 is medium, 2 or more are hard.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product

from pddl2nl.baselines import TaskTexts, solve
from pddl2nl.errors import InfrastructureError
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Condition,
    Fluent,
    FluentValue,
    Function,
    GroundAtom,
    Metric,
    Not,
    Number,
    Or,
    Predicate,
    Task,
    Update,
    write_domain,
    write_problem,
)
from pddlval import GroundAction, Simulator, State
from pddlval.formulas import atoms_in

_COST = Fluent("total-cost")
_STEP, _ASSUMPTION = 1000, 1
"""The cost of a step and of a false assumption: a shorter plan is always better."""

_CHECKING = Atom("checking-goal")


def feedback_rounds(task: Task, hidden: Collection[str]) -> int | None:
    """The difficulty of a task; None if the planner takes a step that cannot be undone before it learns enough.

    Args:
        task: a solvable task whose hidden predicates no action changes.
        hidden: the predicates whose facts are not told.

    Raises:
        MissingExtraError: Fast Downward is not installed.
        InfrastructureError: it failed or reached a limit.
    """
    simulator = Simulator(task)
    state = simulator.initial
    false = {atom for name in hidden for atom in _instances(task, name) if not state.true(atom)}
    optimist = _optimist(task, hidden)
    rounds = 0
    # Without false facts every plan works.
    while false and not simulator.is_goal(state):
        plan = _plan(optimist, state, false)
        if plan is None:
            return None
        followed = simulator.follow(state, (action for action in plan if task.domain.action(action.name) is not None))
        false -= {GroundAtom((atom.predicate, *atom.args)) for part in followed.unmet for atom in atoms_in(part)}
        rounds += not followed.complete
        state = followed.state
    return rounds


def _instances(task: Task, predicate: str) -> Iterable[GroundAtom]:
    declared = task.domain.predicate(predicate)
    parameters = () if declared is None else declared.parameters
    return (GroundAtom((predicate, *args)) for args in product(*(task.objects_of(item.types) for item in parameters)))


def _plan(optimist: Task, state: State, doubtful: Iterable[GroundAtom]) -> tuple[GroundAction, ...] | None:
    """A plan from a state, in which doubtful facts can be assumed; None if there is none."""
    assumable = (GroundAtom((_assumable(atom[0]), *atom[1:])) for atom in sorted(doubtful))
    problem = replace(optimist.problem, init=(*sorted(state.atoms), *assumable))
    result = solve(TaskTexts(write_domain(optimist.domain), write_problem(problem)), "lmcut")
    if result.plan is None and result.status != "unsolvable":
        raise InfrastructureError(f"no plan for {problem.name}: {result.status}: {result.message}")
    return result.plan


def _optimist(task: Task, hidden: Collection[str]) -> Task:
    """The planner's task: an action for each hidden predicate makes an assumable fact true, for a small cost."""
    domain = task.domain
    goal, checks = _checks(task.problem.goal)
    steps = [
        replace(action, precondition=And((action.precondition, Not(_CHECKING))), effect=_paid(action.effect, _STEP))
        for action in domain.actions
    ]
    predicates = [Predicate(_CHECKING.predicate), *(Predicate(check.name) for check in checks)]
    for item in domain.predicates:
        if item.name in hidden:
            args = tuple(parameter.name for parameter in item.parameters)
            predicates.append(Predicate(_assumable(item.name), item.parameters))
            made = _paid(Atom(item.name, args), _ASSUMPTION)
            steps.append(ActionSchema(f"assume-{item.name}", item.parameters, Atom(_assumable(item.name), args), made))
    planned = replace(
        domain,
        requirements=(*domain.requirements, ":action-costs"),
        # The objects are named in the actions that check the goal.
        constants=(*domain.constants, *task.problem.objects),
        predicates=(*domain.predicates, *predicates),
        functions=(Function(_COST.name),),
        actions=(*steps, *checks),
    )
    free = (FluentValue(GroundAtom((_COST.name,)), Fraction(0)),)
    metric = Metric("minimize", _COST)
    return Task(planned, replace(task.problem, objects=(), init_values=free, goal=goal, metric=metric))


def _checks(goal: Condition) -> tuple[Atom, list[ActionSchema]]:
    """Actions that check a goal part by part after the last step, and the atom that is true if it is reached.

    LM-cut knows no quantifiers and disjunctions in goals, and as one precondition they have too many instances.
    """
    actions: list[ActionSchema] = []

    def checked(part: Condition) -> Atom:
        ways = part.parts if isinstance(part, Or) else (part,)
        conditions = [And(tuple(map(checked, way.parts))) if isinstance(way, And) else way for way in ways]
        reached = Atom(f"check-{len(actions)}")
        actions.extend(
            ActionSchema(f"{reached.predicate}{'-or' * number}", (), condition, _paid(And((reached, _CHECKING)), 0))
            for number, condition in enumerate(conditions)
        )
        return reached

    return checked(goal), actions


def _assumable(predicate: str) -> str:
    return f"assumable-{predicate}"


def _paid(effect: Condition, cost: int) -> And:
    return And((effect, Update("increase", _COST, Number(Fraction(cost)))))
