"""The symbolic baselines: four searches of Fast Downward, and `solve`, which runs any baseline by its name.

The searches are those of the AutoPlanBench paper, and LAMA. `pddlval` validates every plan before it is reported. The
searches are deterministic; only the random walk has a seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pddl2nl.baselines import fast_downward
from pddl2nl.baselines.features import beyond_fast_downward
from pddl2nl.baselines.inputs import TaskFiles, TaskTexts, as_task, files_of
from pddl2nl.baselines.random_walk import DEFAULT_STEPS, walk
from pddl2nl.baselines.result import PlannerResult
from pddl2nl.errors import InfrastructureError, InputError, did_you_mean
from pddl2nl.pddl import PDDLError, Task
from pddlval import GroundAction, acting_simulator, read_plan, validate

PLANNERS: dict[str, tuple[str, str]] = {
    # Breadth first means fewest actions, at any cost. Fast Downward has no breadth-first search of its own:
    # A* does the same where both the search and the blind heuristic count every action as one.
    "brfs": ("--search", "astar(eval_modify_costs(blind(),cost_type=one),cost_type=one)"),
    "lmcut": ("--search", "astar(lmcut())"),
    # Greedy best-first search with preferred operators.
    "ff": ("--search", "let(h,ff(),lazy_greedy([h],preferred=[h]))"),
    # The first iteration only: anytime LAMA ends only when its time is up.
    "lama": ("--alias", "lama-first"),
}
"""The searches by name: the options for Fast Downward's driver."""

BASELINES = (*PLANNERS, "random")
"""Everything that finds plans without a language model, by name."""


def solve(
    task: Task | TaskFiles | TaskTexts,
    planner: str = "ff",
    *,
    seed: int = 1,
    steps: int = DEFAULT_STEPS,
    time_limit: int | None = None,
    memory_limit_mb: int | None = None,
) -> PlannerResult:
    """Looks for a plan with one of the `BASELINES`; a plan that comes back is validated.

    Args:
        task: parsed, as `TaskFiles` or as `TaskTexts`.
        planner: ``brfs``, ``lmcut``, ``ff``, ``lama`` or ``random``.
        seed, steps: the random walk's; the searches are deterministic and have no step limit.
        time_limit: whole seconds, at least 1; None for 1800, and for no limit of the random walk.
        memory_limit_mb: MiB, for the searches; None for no limit.

    Raises:
        InputError: no baseline of that name, or an impossible limit.
        PDDLError: the task cannot be read.
        UnsupportedError: our validator could not judge plans for the task; no planner is run.
        MissingExtraError: the planner's package is not installed.
        InfrastructureError: the planner cannot be started, or its plan is not valid.
    """
    if planner not in BASELINES:
        said = f"no planner is called {planner!r}: there are {', '.join(BASELINES)}"
        raise InputError(said + did_you_mean(planner, BASELINES))
    if planner == "random":
        return walk(as_task(task), steps, seed, time_limit=time_limit)
    return _plan(task, {planner: PLANNERS[planner]}, time_limit, memory_limit_mb)[planner]


def solve_each(
    task: Task | TaskFiles | TaskTexts,
    planners: Sequence[str],
    *,
    time_limit: int | None = None,
    memory_limit_mb: int | None = None,
) -> dict[str, PlannerResult]:
    """As `solve`, with several of the `PLANNERS`, each within the limits; the task is read and translated once.

    Raises:
        InputError: a planner that is not among them, or an impossible limit.
        PDDLError, UnsupportedError, MissingExtraError, InfrastructureError: see `solve`.
    """
    for name in planners:
        if name not in PLANNERS:
            raise InputError(f"no search of Fast Downward is called {name!r}: there are {', '.join(PLANNERS)}")
    return _plan(task, {name: PLANNERS[name] for name in planners}, time_limit, memory_limit_mb)


def cheapest_plan(task: Task, time_limit: int) -> PlannerResult:
    """The cheapest plan that LAMA finds within so many seconds.

    The message is empty if it proved that no plan is cheaper, and says otherwise why a cheaper one may exist.

    Raises:
        UnsupportedError, MissingExtraError, InfrastructureError: see `solve`.
    """
    return _plan(task, {"lama": ("--alias", "lama")}, time_limit, None)["lama"]


def _plan(
    source: Task | TaskFiles | TaskTexts,
    searches: Mapping[str, tuple[str, str]],
    time_limit: int | None,
    memory_limit_mb: int | None,
) -> dict[str, PlannerResult]:
    fast_downward.find_driver()
    task = as_task(source)
    # Raises for tasks that we cannot validate, before any time is spent.
    acting_simulator(task)
    # The search as reported: the configuration, or the driver's alias.
    told = {name: each[1] if each[0] == "--search" else " ".join(each) for name, each in searches.items()}
    foreign = beyond_fast_downward(task.domain, task.problem)
    if foreign:
        message = f"Fast Downward {foreign}"
        return {
            name: PlannerResult(name, "unsupported", None, None, 0.0, None, search, message)
            for name, search in told.items()
        }
    limits = {"time_limit": time_limit, "memory_limit_mb": memory_limit_mb}
    with files_of(source) as files:
        outcomes = fast_downward.search_each(files.domain, files.problem, [*searches.values()], **limits)
    return {
        name: _result(task, name, search, outcome)
        for (name, search), outcome in zip(told.items(), outcomes, strict=True)
    }


def _result(task: Task, name: str, search: str, outcome: fast_downward.SearchOutcome) -> PlannerResult:
    message = outcome.message
    plan, cost = None, None
    if outcome.plan_text is not None:
        plan, cost = _validated(task, outcome.plan_text, search)
    if name == "lmcut" and outcome.status == "unsupported":
        message += "; use brfs, ff or lama, which support conditional effects and axioms"
    return PlannerResult(
        planner=name,
        status=outcome.status,
        plan=plan,
        cost=cost,
        seconds=outcome.seconds,
        expanded=outcome.expanded,
        search=search,
        message=message,
        wall_seconds=outcome.wall_seconds,
    )


def _validated(task: Task, text: str, search: str) -> tuple[tuple[GroundAction, ...], Fraction | int | None]:
    try:
        plan = read_plan(text, "<Fast Downward's plan>")
    except PDDLError as error:
        raise InfrastructureError(f"Fast Downward ({search}) wrote a plan that cannot be read: {error}") from error
    report = validate(task, plan)
    if not report.valid:
        where = "" if report.failed_step is None else f" at step {report.failed_step}"
        raise InfrastructureError(
            f"Fast Downward ({search}) and our validator disagree: it reports a plan of {len(plan.steps)} steps "
            f"for problem '{task.problem.name}', which the validator judges {report.verdict}{where}"
        )
    return tuple(step.action for step in plan.steps), report.cost
