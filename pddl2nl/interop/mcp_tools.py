"""What agents can ask over the Model Context Protocol: functions of texts, which `mcp_server` serves.

A domain and a problem come as PDDL text, as a file below the server's folder, or by the name of a shipped domain and
its instance. Nothing is kept between calls: a state is named by the actions that lead to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from pddl2nl.baselines import solve
from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.errors import InputError
from pddl2nl.files import decode, read_bytes
from pddl2nl.limits import LIMITS
from pddl2nl.nl import Reader, Teller, choose_wording, explain, make_names
from pddl2nl.nl.telling.convert import WORDING_FILE
from pddl2nl.pddl import Domain, Task, check_domain, check_problem, parse_domain, parse_problem, write_condition
from pddl2nl.search.nearest_plan import common_actions, plan_on, repair_plan
from pddl2nl.tasks.shipped import find_domain, find_instance
from pddlval import GroundAction, Simulator, State, acting_simulator, read_plan, validate
from pddlval.checking import report_on
from pddlval.command import tolerances_of
from pddlval.unsupported import is_executable

_MOST_ACTIONS = 1000

DomainSource = Annotated[
    str, Field(description="The PDDL text of the domain, the path of its file, or the name of a shipped domain.")
]
ProblemSource = Annotated[
    str, Field(description="The PDDL text of the problem, the path of its file, or the name of a shipped instance.")
]
PlanText = Annotated[str, Field(description="The plan: actions such as (stack a b), one a line.")]
After = Annotated[str, Field(description="The actions executed so far, one a line; empty for the initial state.")]
ActionText = Annotated[str, Field(description="The action, such as (stack a b).")]
Answer = dict[str, Any]


@dataclass(frozen=True)
class _ReachedState:
    """A task, and the state in which something is asked."""

    task: Task
    teller: Teller
    simulator: Simulator
    state: State


class PlanningTools:
    """The tools; each method is one.

    Args:
        folder: files are read below it, and nowhere else; symbolic links that lead out of it are refused.
        seconds: the time of a call; planners get four fifths of it.
    """

    def __init__(self, folder: Path, seconds: int):
        self._folder = folder.resolve()
        self._planner_seconds = max(1, seconds * 4 // 5)

    @cached_property
    def tools(self) -> tuple[Callable[..., Answer], ...]:
        """All tools, in the order in which they are listed."""
        return (
            self.check,
            self.validate,
            self.applicable_actions,
            self.step,
            self.state,
            self.read_reply,
            self.plan,
            self.repair,
        )

    def check(
        self, domain: DomainSource, problem: Annotated[str, Field(description="As domain; may be empty.")] = ""
    ) -> Answer:
        """Check PDDL: syntax, declarations, arity and types. Gives all errors with line and column, and warnings for
        constructs that cannot be executed."""
        text, path = self._source(domain, find_domain)
        checked = report_on(_name(domain), "domain", lambda: check_domain(text, _name(domain)))
        answer = {"ok": checked.ok, "domain": checked.as_json()}
        if problem:
            tree = checked.tree if isinstance(checked.tree, Domain) else None
            other, _ = self._source(problem, lambda name: find_instance(name, path or Path()))
            report = report_on(_name(problem), "problem", lambda: check_problem(other, tree, _name(problem)))
            answer |= {"ok": checked.ok and report.ok, "problem": report.as_json()}
        return answer

    def validate(
        self,
        domain: DomainSource,
        problem: ProblemSource,
        plan: PlanText,
        val_tolerance: Annotated[
            bool, Field(description="Judge numbers within 0.0001 and times within 0.01, as VAL does, not exactly.")
        ] = False,
    ) -> Answer:
        """Validate a plan. The verdict is valid, goal-not-satisfied, inapplicable (with the failed step and its unmet
        conditions) or bad-plan; the explanation says which step made a condition false, and "told" says it in words."""
        task, teller = self._task(domain, problem)
        report = validate(task, _limited(plan, "the plan"), "plan", *tolerances_of(val_tolerance, None))
        return report.as_json("plan", explain(report, teller))

    def applicable_actions(
        self,
        domain: DomainSource,
        problem: ProblemSource,
        after: After = "",
        limit: Annotated[int, Field(ge=1, le=_MOST_ACTIONS, description="The most actions that are listed.")] = 100,
    ) -> Answer:
        """List the actions that are applicable in a state, in PDDL and in words."""
        place = self._place(domain, problem, after)
        actions = list(islice(place.simulator.applicable(place.state), limit + 1))
        shown = [{"action": str(action), "told": place.teller.action(action)} for action in actions[:limit]]
        return {"actions": shown, "more": len(actions) > limit}

    def step(self, domain: DomainSource, problem: ProblemSource, action: ActionText, after: After = "") -> Answer:
        """Try an action in a state: whether it is applicable, what becomes true and false, or why it is not applicable,
        and whether the goal is reached then."""
        place = self._place(domain, problem, after)
        result = place.simulator.step(place.state, GroundAction.parse(_limited(action, "the action")))
        reached = result.successor or place.state
        told = place.teller.executed(result.action) if result.applicable else place.teller.refused(result, place.state)
        return {
            "applicable": result.applicable,
            "told": told,
            "added": [str(atom) for atom in result.added],
            "deleted": [str(atom) for atom in result.deleted],
            "unmet": [write_condition(condition) for condition in result.unmet],
            "goal_reached": place.simulator.is_goal(reached),
        }

    def state(self, domain: DomainSource, problem: ProblemSource, after: After = "") -> Answer:
        """Tell a state and the goal in words and in PDDL, and whether the goal is reached."""
        place = self._place(domain, problem, after)
        unmet = place.simulator.unmet_goals(place.state)
        return {
            "told": place.teller.state(place.state),
            "atoms": [str(atom) for atom in place.state],
            "values": {str(fluent): float(value) for fluent, value in sorted(place.state.values.items())},
            "goal_told": place.teller.goal_text(),
            "goal": write_condition(place.task.problem.goal),
            "goal_reached": not unmet,
            "missing": place.teller.unmet_goal(unmet, place.state),
        }

    def read_reply(
        self,
        domain: DomainSource,
        problem: ProblemSource,
        reply: Annotated[str, Field(description="A text: a plan in words or in PDDL, with other text.")],
    ) -> Answer:
        """Read the actions out of a text in English. Each line gets a status; "plan" has the actions in PDDL."""
        task, teller = self._task(domain, problem)
        return Reader(task, teller.wording, teller.names).read(_limited(reply, "the reply")).as_json()

    def plan(
        self,
        domain: DomainSource,
        problem: ProblemSource,
        after: After = "",
        planner: Annotated[
            Literal["ff", "lama", "lmcut", "brfs"],
            Field(description="ff and lama find plans fast, lmcut and brfs find cheapest and shortest ones."),
        ] = "ff",
    ) -> Answer:
        """Find a plan from a state with Fast Downward; it is validated. The status is solved, unsolvable (proved),
        timeout, out-of-memory, unsupported or error."""
        if after:
            place = self._place(domain, problem, after)
            if not is_executable(place.task):
                raise InputError("a task with time, preferences or constraints is planned from its initial state only")
            task, teller, state = place.task, place.teller, place.state
            task = Task(task.domain, problem_in_state(task.problem, state, state.values))
        else:
            task, teller = self._task(domain, problem)
        result = solve(task, planner, time_limit=self._planner_seconds, memory_limit_mb=LIMITS.planner_mib)
        return {**result.as_json(), "told": [teller.action(action) for action in result.plan or ()]}

    def repair(
        self,
        domain: DomainSource,
        problem: ProblemSource,
        plan: PlanText,
        keep_prefix: Annotated[
            bool, Field(description="Keep the executable beginning, and plan on from the state that it reaches.")
        ] = False,
    ) -> Answer:
        """Repair a plan: the valid plan nearest to it, with the actions that were added and removed."""
        task, teller = self._task(domain, problem)
        if not is_executable(task):
            raise InputError("tasks with time, preferences or constraints cannot be repaired")
        proposal = read_plan(_limited(plan, "the plan")).actions
        simulator = Simulator(task)
        followed = simulator.follow(simulator.initial, proposal)
        prefix, state = len(followed.actions), followed.state
        status: str = "solved"
        repaired: tuple[GroundAction, ...] | None = proposal
        if not validate(task, plan).valid:
            found = plan_on(task, proposal, prefix, state) if keep_prefix else repair_plan(simulator, proposal)
            status, repaired = found.result.status, found.plan
        return {"status": status, "executable_steps": prefix, **_changes(proposal, repaired, teller)}

    # ── texts, files and names ───────────────────────────────────────────────────────────────────

    def _source(self, given: str, shipped: Callable[[str], Path]) -> tuple[str, Path | None]:
        """The text of a domain or a problem, and its file unless it was given as text."""
        if "(" in given:
            return _limited(given, "the PDDL"), None
        path = self._inside(self._folder / given)
        if path is None:
            raise InputError(f"{given[:200]}: outside of the folder that this server reads")
        if not path.is_file() and (Path(given).suffix or len(Path(given).parts) > 1):
            raise InputError(f"{given[:200]}: no such file in the folder that this server reads")
        if not path.is_file():
            path = shipped(given)
        if not path.is_file() or path.stat().st_size > LIMITS.tool_characters:
            raise InputError(f"{given[:200]}: no file, or larger than {LIMITS.tool_characters:,} bytes")
        return decode(read_bytes(path)).text, path

    def _inside(self, path: Path) -> Path | None:
        """Where a path leads; None if that is not below the folder."""
        try:
            resolved = path.resolve()
            resolved.is_file()
        except (OSError, ValueError, RuntimeError):
            # Too long, with a NUL character, or a loop of symbolic links.
            raise InputError("not a path that can be read") from None
        return resolved if resolved.is_relative_to(self._folder) else None

    def _task(self, domain: str, problem: str) -> tuple[Task, Teller]:
        text, path = self._source(domain, find_domain)
        tree = parse_domain(text, _name(domain))
        other, _ = self._source(problem, lambda name: find_instance(name, path or Path()))
        task = Task(tree, parse_problem(other, tree, _name(problem)))
        own = None if path is None else path.with_name(WORDING_FILE)
        shipped = path is not None and not path.is_relative_to(self._folder)
        worded = own is not None and own.is_file() and (shipped or self._inside(own) is not None)
        wording = choose_wording(str(own) if worded else "template", tree)
        return task, Teller(task, wording, make_names(task, "typed", wording))

    def _place(self, domain: str, problem: str, after: str) -> _ReachedState:
        task, teller = self._task(domain, problem)
        simulator = acting_simulator(task)
        followed = simulator.follow(simulator.initial, read_plan(_limited(after, "after"), "after").actions)
        if followed.error is not None:
            raise followed.error
        if followed.failed is not None:
            refused = teller.refused(followed.failed, followed.state)
            raise InputError(f"after: step {len(followed.actions) + 1} cannot be executed: {refused}")
        return _ReachedState(task, teller, simulator, followed.state)


def _limited(text: str, what: str) -> str:
    if len(text) > LIMITS.tool_characters:
        raise InputError(f"{what} has {len(text):,} characters, more than {LIMITS.tool_characters:,}")
    return text


def _name(given: str) -> str:
    return "<text>" if "(" in given else given


def _changes(proposal: Sequence[GroundAction], plan: Sequence[GroundAction] | None, teller: Teller) -> Answer:
    if plan is None:
        return {"plan": None, "told": [], "added": [], "removed": []}
    kept = common_actions(plan, proposal)
    ours, theirs = {pair[0] for pair in kept}, {pair[1] for pair in kept}
    return {
        "plan": [str(action) for action in plan],
        "told": [teller.action(action) for action in plan],
        "added": [str(action) for number, action in enumerate(plan) if number not in ours],
        "removed": [str(action) for number, action in enumerate(proposal) if number not in theirs],
    }
