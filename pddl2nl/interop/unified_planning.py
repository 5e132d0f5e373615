"""Tasks from unified-planning and back, and our validator, simulator and policies as its engines.

Both sides exchange PDDL: what one cannot write or the other cannot read is refused by name. `register` adds the
engines, which importing this module does for the global environment::

    from unified_planning.shortcuts import OneshotPlanner, PlanValidator, SequentialSimulator
    import pddl2nl.interop.unified_planning

    OneshotPlanner(name="pddl2nl-react", params={"model": "oracle"})
    PlanValidator(name="pddl2nl")
    SequentialSimulator(problem, name="pddl2nl")

The parameters of a planner are the options of a run (`help(pddl2nl.run)`).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import IO, Any

from pddl2nl.errors import InputError, MissingExtraError, UnsupportedError
from pddl2nl.experiments.models import reach
from pddl2nl.experiments.runs import run_spec
from pddl2nl.pddl import GroundAtom, PDDLError, Task, parse_task, write_domain, write_problem
from pddl2nl.pddl.tree import Predicate
from pddl2nl.policies import RunEvent, policies
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks.obfuscation import obfuscation
from pddlval import GroundAction, Report, Simulator, State, validate

try:
    from unified_planning.engines import (
        Engine,
        LogLevel,
        LogMessage,
        PlanGenerationResult,
        ValidationResult,
        ValidationResultStatus,
    )
    from unified_planning.engines import PlanGenerationResultStatus as PlanStatus
    from unified_planning.engines.mixins import OneshotPlannerMixin, PlanValidatorMixin, SequentialSimulatorMixin
    from unified_planning.engines.results import FailedValidationReason
    from unified_planning.environment import Environment, get_environment
    from unified_planning.io import PDDLReader, PDDLWriter
    from unified_planning.model import Action, FNode, Problem, ProblemKind, UPState
    from unified_planning.model.problem_kind import LATEST_PROBLEM_KIND_VERSION
    from unified_planning.plans import ActionInstance, Plan, PlanKind, SequentialPlan
except ImportError as error:
    raise MissingExtraError("unified-planning", "unified-planning", "the exchange with unified-planning") from error

ENGINE = "pddl2nl"
"""The name of our validator and simulator; a planner is called ``pddl2nl-POLICY``."""

_LONGEST = 200
"""Characters of another library's message, or of a text that it wrote, that ours repeat."""

_MODULE = "pddl2nl.interop.unified_planning"
_CLASSICAL = frozenset(
    (
        *("ACTION_BASED", "FLAT_TYPING", "HIERARCHICAL_TYPING", "SIMPLE_NUMERIC_PLANNING", "GENERAL_NUMERIC_PLANNING"),
        *("DISCRETE_NUMBERS", "CONTINUOUS_NUMBERS", "NUMERIC_FLUENTS", "INT_FLUENTS", "REAL_FLUENTS"),
        *("NEGATIVE_CONDITIONS", "DISJUNCTIVE_CONDITIONS", "EQUALITIES", "EXISTENTIAL_CONDITIONS"),
        *("UNIVERSAL_CONDITIONS", "CONDITIONAL_EFFECTS", "FORALL_EFFECTS", "INCREASE_EFFECTS", "DECREASE_EFFECTS"),
        *("STATIC_FLUENTS_IN_NUMERIC_ASSIGNMENTS", "FLUENTS_IN_NUMERIC_ASSIGNMENTS", "ACTIONS_COST", "FINAL_VALUE"),
        *("PLAN_LENGTH", "FLUENTS_IN_ACTIONS_COST", "STATIC_FLUENTS_IN_ACTIONS_COST", "INT_NUMBERS_IN_ACTIONS_COST"),
        "REAL_NUMBERS_IN_ACTIONS_COST",
    )
)
"""The features that its PDDL writer keeps and we execute; bounds of numbers are not among them."""
_JUDGED_ONLY = frozenset(
    (
        *("CONTINUOUS_TIME", "DISCRETE_TIME", "DURATION_INEQUALITIES", "INT_TYPE_DURATIONS", "REAL_TYPE_DURATIONS"),
        *("FLUENTS_IN_DURATIONS", "STATIC_FLUENTS_IN_DURATIONS", "TIMED_EFFECTS", "MAKESPAN"),
        *("INCREASE_CONTINUOUS_EFFECTS", "DECREASE_CONTINUOUS_EFFECTS", "STATE_INVARIANTS", "TRAJECTORY_CONSTRAINTS"),
    )
)
"""Features of plans that only the validator takes; the simulator refuses them by name."""

# ── tasks ────────────────────────────────────────────────────────────────────────────────────────


def from_up(problem: Problem) -> Task:
    """The task of a problem of unified-planning; names that PDDL does not allow are changed as its PDDL writer does.

    Names that `to_up` has changed are as before.

    Raises:
        UnsupportedError: its PDDL writer cannot write the problem, or we cannot read what it wrote.
    """
    task = _PDDLExchange(problem).task
    names = _names(task)
    changed = {(kind, name): name.removesuffix(f"_{kind[:-1]}") for kind, name in names}
    # Only what `to_up` has changed: another kind has the name, and this one has not.
    kinds = {old: [kind for kind, name in names if name == old] for old in changed.values()}
    return _renamed(task, {key: old for key, old in changed.items() if kinds[old] and key[0] not in kinds[old]})


def to_up(task: Task, environment: Environment | None = None) -> Problem:
    """The problem of a task, as unified-planning reads it.

    There a name stands for one thing: a predicate that is called like an action, ``up``, becomes ``up_predicate``; and
    the parameters of a predicate have different names.

    Raises:
        UnsupportedError: its PDDL reader cannot read the task.
    """
    reader = PDDLReader(environment)
    names = _names(task)
    taken = {name for _, name in names}
    first = {name: kind for kind, name in reversed(names)}
    changed = {}
    for kind, name in names:
        if first[name] != kind:
            changed[kind, name] = new = next(each for each in _free_names(f"{name}_{kind[:-1]}") if each not in taken)
            taken.add(new)
    apart = _renamed(task, changed)
    domain = replace(apart.domain, predicates=tuple(map(_with_different_parameters, apart.domain.predicates)))
    try:
        return reader.parse_problem_string(write_domain(domain), write_problem(apart.problem))
    except Exception as error:
        # Its reader lets through what its parser and its own look-ups raise.
        raise UnsupportedError(f"unified-planning cannot read {task.problem.name}: {_reason(task, error)}") from error


_OTHER_NAMES = ("actions", "predicates", "functions", "types", "objects")
"""What PDDL may call by the same name, and unified-planning may not."""


def _names(task: Task) -> list[tuple[str, str]]:
    named = obfuscation(task.domain, (task.problem,), objects=True)
    return [(kind, name) for kind in _OTHER_NAMES for name in named.table(kind)]


def _free_names(name: str) -> Iterator[str]:
    return (f"{name}{number or ''}" for number in count())


def _with_different_parameters(predicate: Predicate) -> Predicate:
    if len({item.name for item in predicate.parameters}) == len(predicate.parameters):
        return predicate
    numbered = enumerate(predicate.parameters, 1)
    return replace(predicate, parameters=tuple(replace(item, name=f"{item.name}{number}") for number, item in numbered))


def _renamed(task: Task, changed: Mapping[tuple[str, str], str]) -> Task:
    if not changed:
        return task
    named = obfuscation(task.domain, (task.problem,), objects=True)
    new: dict[str, Any] = {
        kind: {name: changed.get((kind, name), name) for name in table} for kind, table in named.tables().items()
    }
    return replace(named, **new).task(task)


def _reason(task: Task, error: Exception) -> str:
    """What it does not know; else where its parser stops, without places in a text that the user never saw."""
    if task.domain.derived:
        return f"it has no derived predicates, such as '{task.domain.derived[0].name}'"
    if line := " ".join(str(getattr(error, "line", "")).split()):
        return f"its parser does not know '{line[:_LONGEST]}'"
    return " ".join(str(error).split())[:_LONGEST] or type(error).__name__


class _PDDLExchange:
    """A problem of unified-planning with its task, and the names of one in the other."""

    def __init__(self, problem: Problem):
        if not isinstance(problem, Problem):
            raise UnsupportedError(f"PDDL has no {type(problem).__name__}")
        self.problem = problem
        try:
            self._writer = PDDLWriter(problem)
            domain, instance = self._writer.get_domain(), self._writer.get_problem()
        except Exception as error:
            reason = str(error) or type(error).__name__
            raise UnsupportedError(f"unified-planning cannot write {problem.name} in PDDL: {reason}") from error
        try:
            self.task = parse_task(domain, instance)
        except PDDLError as error:
            # Without its places, which are those of a text that the user never saw.
            first = error.diagnostics[0]
            found = f", found {' '.join(first.found.split())[:_LONGEST]}" if first.found else ""
            raise UnsupportedError(
                f"unified-planning writes {problem.name} in PDDL that is wrong: {first.message}{found}"
            ) from error

    def plan_text(self, plan: Plan) -> str:
        """A plan in PDDL."""
        return str(self._writer.get_plan(plan))

    def ground(self, action: Action, parameters: Iterable[FNode]) -> GroundAction:
        """An action in PDDL."""
        return GroundAction(self._writer.get_pddl_name(action), tuple(map(self._name, parameters)))

    def instance(self, action: GroundAction) -> tuple[Action, tuple[FNode, ...]]:
        """An action of the problem, with its objects."""
        objects = map(self._writer.get_item_named, action.args)
        expressions = self.problem.environment.expression_manager
        return self._writer.get_item_named(action.name), tuple(map(expressions.ObjectExp, objects))

    def plan(self, actions: Iterable[GroundAction]) -> SequentialPlan:
        """A plan of the problem."""
        return SequentialPlan([ActionInstance(*self.instance(action)) for action in actions], self.problem.environment)

    def atom(self, fluent: FNode) -> GroundAtom:
        """A ground fluent in PDDL."""
        return GroundAtom((self._writer.get_pddl_name(fluent.fluent()), *map(self._name, fluent.args)))

    def _name(self, parameter: FNode) -> str:
        return str(self._writer.get_pddl_name(parameter.object()))


# ── engines ──────────────────────────────────────────────────────────────────────────────────────


class ValidatorAndSimulator(Engine, PlanValidatorMixin, SequentialSimulatorMixin):  # type: ignore[misc]
    """Our validator, which explains a failed plan in its log, and our simulator.

    Args:
        problem: of the simulator.
        error_on_failed_checks: whether a problem with unknown features is an error or a warning.
    """

    def __init__(self, problem: Problem | None = None, error_on_failed_checks: bool = True):
        Engine.__init__(self)
        if problem is not None:
            SequentialSimulatorMixin.__init__(self, problem, error_on_failed_checks)
            self._exchange = _PDDLExchange(problem)
            self._simulator = Simulator(self._exchange.task)
            self._fluents = {self._exchange.atom(fluent): fluent for fluent in problem.initial_values}

    @property
    def name(self) -> str:
        """The engine's name."""
        return ENGINE

    @staticmethod
    def supported_kind() -> ProblemKind:
        """What problems may have."""
        return ProblemKind(_CLASSICAL | _JUDGED_ONLY, version=LATEST_PROBLEM_KIND_VERSION)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether all features of a problem are supported."""
        return bool(problem_kind <= ValidatorAndSimulator.supported_kind())

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Whether plans of this kind are judged."""
        return plan_kind in (PlanKind.SEQUENTIAL_PLAN, PlanKind.TIME_TRIGGERED_PLAN)

    # The validator.

    def _validate(self, problem: Problem, plan: Plan) -> ValidationResult:
        exchange = _PDDLExchange(problem)
        report = validate(exchange.task, exchange.plan_text(plan))
        if report.valid:
            metrics = problem.quality_metrics
            values = {metrics[0]: report.cost} if len(metrics) == 1 and report.cost is not None else None
            return ValidationResult(ValidationResultStatus.VALID, ENGINE, [], values)
        failed, reason = None, FailedValidationReason.INAPPLICABLE_ACTION
        if report.verdict == "goal-not-satisfied":
            reason = FailedValidationReason.UNSATISFIED_GOALS
        elif report.failed_step is not None and isinstance(plan, SequentialPlan):
            failed = plan.actions[report.failed_step - 1]
        logs = [LogMessage(LogLevel.INFO, text) for text in _reasons(report)]
        return ValidationResult(ValidationResultStatus.INVALID, ENGINE, logs, reason=reason, inapplicable_action=failed)

    # The simulator.

    def _get_initial_state(self) -> UPState:
        return UPState(self._problem.initial_values, self._problem)

    def _is_applicable(self, state: UPState, action: Action, parameters: tuple[FNode, ...]) -> bool:
        return self._simulator.is_applicable(self._ours(state), self._exchange.ground(action, parameters))

    def _apply(self, state: UPState, action: Action, parameters: tuple[FNode, ...]) -> UPState | None:
        before = self._ours(state)
        after = self._simulator.step(before, self._exchange.ground(action, parameters)).successor
        return None if after is None else state.make_child(self._changes(before, after))

    def _get_applicable_actions(self, state: UPState) -> Iterator[tuple[Action, tuple[FNode, ...]]]:
        return map(self._exchange.instance, self._simulator.applicable(self._ours(state)))

    def _is_goal(self, state: UPState) -> bool:
        return self._simulator.is_goal(self._ours(state))

    def _ours(self, state: UPState) -> State:
        values = {atom: state.get_value(fluent) for atom, fluent in self._fluents.items()}
        atoms = [atom for atom, value in values.items() if value.is_bool_constant() and value.bool_constant_value()]
        numbers = {
            atom: Fraction(value.constant_value()) for atom, value in values.items() if not value.is_bool_constant()
        }
        return self._simulator.state(atoms, numbers)

    def _changes(self, before: State, after: State) -> dict[FNode, FNode]:
        manager = self._problem.environment.expression_manager
        changed = {
            self._fluents[atom]: manager.Bool(after.true(atom))
            for atom in self._fluents
            if after.true(atom) is not before.true(atom)
        }
        for atom, value in after.values.items():
            if atom in self._fluents and value != before.value(atom):
                (changed[self._fluents[atom]],) = manager.auto_promote(Fraction(value))
        return changed


def _reasons(report: Report) -> Iterator[str]:
    yield from (diagnostic.message for diagnostic in report.diagnostics)
    if report.failed_step is not None:
        yield f"step {report.failed_step}, {report.action}: {', '.join(map(str, report.unmet))} does not hold"
    if report.unmet_goals:
        yield f"goals that do not hold: {', '.join(map(str, report.unmet_goals))}"


class _TimeIsUpError(Exception):
    """The time limit of a planner has passed."""


class PolicyPlanner(Engine, OneshotPlannerMixin):  # type: ignore[misc]
    """A policy as a planner: a plan is found if the policy reaches the goal in our simulator.

    Args:
        options: the options of the run: ``model``, ``seed``, ``steps`` and so on.
    """

    policy = ""

    def __init__(self, **options: Any):
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        self._options = options

    @property
    def name(self) -> str:
        """The engine's name."""
        return f"{ENGINE}-{self.policy}"

    @staticmethod
    def supported_kind() -> ProblemKind:
        """What problems may have."""
        return ProblemKind(_CLASSICAL, version=LATEST_PROBLEM_KIND_VERSION)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether all features of a problem are supported."""
        return bool(problem_kind <= PolicyPlanner.supported_kind())

    def _solve(
        self,
        problem: Problem,
        heuristic: Callable[[State], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> PlanGenerationResult:
        if heuristic is not None:
            warnings.warn(f"{self.name} uses no heuristic", stacklevel=4)
        end = None if timeout is None else time.monotonic() + timeout

        def observe(event: RunEvent) -> None:
            if output_stream is not None:
                output_stream.write(f"{event}\n")
            if end is not None and time.monotonic() > end:
                raise _TimeIsUpError

        options = {**self._options, **({} if timeout is None else {"timeout": timeout})}
        warned: list[str] = []
        try:
            exchange = _PDDLExchange(problem)
            spec = RunSpec.of(exchange.task, self.policy, **options)
            result = run_spec(spec, reach(None, None, warn=warned.append), observe)
        except _TimeIsUpError:
            return PlanGenerationResult(PlanStatus.TIMEOUT, None, self.name)
        except InputError as error:
            return self._without_plan(PlanStatus.UNSUPPORTED_PROBLEM, str(error))
        if result.outcome == "infrastructure-error":
            return self._without_plan(PlanStatus.INTERNAL_ERROR, result.message)
        if not result.solved:
            return self._without_plan(PlanStatus.UNSOLVABLE_INCOMPLETELY, f"{result.outcome}: {result.message}")
        spent = result.spent
        counts = (spent.calls, spent.prompt_tokens, spent.completion_tokens, result.steps, result.mistakes)
        names = ("calls", "prompt_tokens", "completion_tokens", "steps", "mistakes")
        plan = exchange.plan(map(GroundAction.parse, result.plan))
        metrics = dict(zip(names, map(str, counts), strict=True))
        logs = [LogMessage(LogLevel.WARNING, message) for message in warned]
        return PlanGenerationResult(PlanStatus.SOLVED_SATISFICING, plan, self.name, metrics, logs or None)

    def _without_plan(self, status: PlanStatus, message: str) -> PlanGenerationResult:
        return PlanGenerationResult(status, None, self.name, log_messages=[LogMessage(LogLevel.INFO, message)])


_PLANNERS: dict[str, type[PolicyPlanner]] = {
    f"Planner_{name.replace('-', '_')}": type(f"Planner_{name.replace('-', '_')}", (PolicyPlanner,), {"policy": name})
    for name in (entry.name for entry in policies())
}
globals().update(_PLANNERS)


def register(environment: Environment | None = None) -> None:
    """Adds our engines to an environment of unified-planning, by default the global one."""
    factory = (environment or get_environment()).factory
    if ENGINE not in factory.engines:
        factory.add_engine(ENGINE, _MODULE, ValidatorAndSimulator.__name__)
        for class_name, engine in _PLANNERS.items():
            factory.add_engine(f"{ENGINE}-{engine.policy}", _MODULE, class_name)


register()
