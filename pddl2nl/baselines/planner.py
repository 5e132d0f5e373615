"""The symbolic baselines: four searches of Fast Downward, and `solve`, which runs any baseline by its name.

The searches are those of the AutoPlanBench paper, and LAMA. `pddlval` validates every plan before it is reported. The
searches are deterministic; only the random walk has a seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pddl2nl.baselines import fast_downward
from pddl2nl.baselines.features import beyond_fast_downward
from pddl2nl.baselines.inputs import TaskFiles, TaskTexts, as_task, files_of
from pddl2nl.baselines.random_walk import DEFAULT_STEPS, walk
from pddl2nl.baselines.result import PlannerResult
from pddl2nl.errors import InfrastructureError, InputError, did_you_mean
from pddl2nl.pddl import PDDLError, Task
from pddlval import GroundAction, acting_simulator, read_plan, validate


@dataclass(frozen=True)
class PlannerLimits:
    """The limits of a baseline. ``seed`` and ``steps`` are for the random walk only.

    Attributes:
        seed: of the random walk.
        steps: actions of the random walk, at most.
        time_limit: whole seconds; None for 1800, and for no limit of the random walk.
        memory_limit_mb: MiB, for the searches only; None for no limit.
    """

    seed: int = 1
    steps: int = DEFAULT_STEPS
    time_limit: int | None = None
    memory_limit_mb: int | None = None


@dataclass(frozen=True)
class FastDownwardSearch:
    """A search of Fast Downward.

    Attributes:
        options: the options for its driver.
        summary: one line for people.
    """

    options: tuple[str, ...]
    summary: str

    @property
    def search(self) -> str:
        """The search as reported: the configuration, or the driver's alias."""
        return self.options[1] if self.options[0] == "--search" else " ".join(self.options)


PLANNERS: dict[str, FastDownwardSearch] = {
    # Breadth first means fewest actions, whatever they cost. Fast Downward has no breadth-first search of its own:
    # A* does the same where both the search and the blind heuristic count every action as one.
    "brfs": FastDownwardSearch(
        ("--search", "astar(eval_modify_costs(blind(),cost_type=one),cost_type=one)"), "breadth-first search"
    ),
    "lmcut": FastDownwardSearch(("--search", "astar(lmcut())"), "A* with the LM-cut heuristic (optimal)"),
    "ff": FastDownwardSearch(
        ("--search", "let(h,ff(),lazy_greedy([h],preferred=[h]))"),
        "greedy best-first search with the FF heuristic and preferred operators (satisficing)",
    ),
    # The first iteration only: anytime LAMA ends only when its time is up.
    "lama": FastDownwardSearch(("--alias", "lama-first"), "LAMA's first iteration: landmarks and FF (satisficing)"),
}
"""The searches by name."""

_ANYTIME_LAMA = FastDownwardSearch(
    ("--alias", "lama"), "LAMA, which looks for cheaper plans until its time is up, or until it has proved the last"
)

Baseline = Callable[[Task | TaskFiles | TaskTexts, PlannerLimits], PlannerResult]


def _searcher(name: str) -> Baseline:
    return lambda task, limits: _plan(task, {name: PLANNERS[name]}, limits)[name]


def _random(task: Task | TaskFiles | TaskTexts, limits: PlannerLimits) -> PlannerResult:
    return walk(as_task(task), limits.steps, limits.seed, time_limit=limits.time_limit)


BASELINES: dict[str, Baseline] = {**{name: _searcher(name) for name in PLANNERS}, "random": _random}
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
    return BASELINES[planner](task, PlannerLimits(seed, steps, time_limit, memory_limit_mb))


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
    searches = {name: PLANNERS[name] for name in planners}
    return _plan(task, searches, PlannerLimits(time_limit=time_limit, memory_limit_mb=memory_limit_mb))


def cheapest_plan(task: Task, time_limit: int) -> PlannerResult:
    """The cheapest plan that LAMA finds within so many seconds.

    The message is empty if it proved that no plan is cheaper, and says otherwise why a cheaper one may exist.

    Raises:
        UnsupportedError, MissingExtraError, InfrastructureError: see `solve`.
    """
    return _plan(task, {"lama": _ANYTIME_LAMA}, PlannerLimits(time_limit=time_limit))["lama"]


def _plan(
    source: Task | TaskFiles | TaskTexts, searches: Mapping[str, FastDownwardSearch], limits: PlannerLimits
) -> dict[str, PlannerResult]:
    fast_downward.find_driver()
    task = as_task(source)
    # Raises for tasks that we cannot validate, before any time is spent.
    acting_simulator(task)
    foreign = beyond_fast_downward(task.domain, task.problem)
    if foreign:
        message = f"Fast Downward {foreign}"
        return {
            name: PlannerResult(name, "unsupported", None, None, 0.0, None, each.search, message)
            for name, each in searches.items()
        }
    with files_of(source) as files:
        outcomes = fast_downward.search_each(
            files.domain,
            files.problem,
            [each.options for each in searches.values()],
            time_limit=limits.time_limit,
            memory_limit_mb=limits.memory_limit_mb,
        )
    pairs = zip(searches.items(), outcomes, strict=True)
    return {name: _result(task, name, each.search, outcome) for (name, each), outcome in pairs}


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
        cpu_seconds=outcome.cpu_seconds,
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
