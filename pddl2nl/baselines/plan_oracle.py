"""The oracle: Fast Downward in place of a language model.

It answers in two ways. It reads the prompts of Basic, CoT, Act and ReAct (`pddl2nl.baselines.oracle`), which proves
that they hold everything that the task says. A system that asks with ``answer`` (`pddl2nl.policies.Episode.ask`) is
answered from the task itself, by a function of its own: that proves that the system works, and says nothing about its
prompts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

from pddl2nl.baselines.inputs import TaskTexts, problem_in_state
from pddl2nl.baselines.mistakes import MISTAKES, spoiled
from pddl2nl.baselines.oracle import OracleModel, StagedOracle
from pddl2nl.baselines.planner import solve
from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Completion, Request
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl import Condition, Domain, Task, write_domain, write_problem
from pddlval import GroundAction, State

_OPTIMAL_SECONDS = 5


class PlanOracle:
    """A model that plans instead of guessing.

    Args:
        domain: the domain of all tasks it will be asked about.
        wording: how this domain is told.
        mistake: the mistake that it makes on purpose, one of the policy's (`Policy.mistakes`); empty for none.
        staged: what else reads prompts.

    Attributes:
        name: under which it is recorded, ``oracle`` or ``oracle:MISTAKE``.
        mistake: see above.
    """

    def __init__(self, domain: Domain, wording: Wording, mistake: str = "", staged: Sequence[StagedOracle] = ()):
        self.name = f"oracle:{mistake}" if mistake else "oracle"
        self.mistake = mistake
        spoil = partial(spoiled, mistake) if mistake in MISTAKES else None
        self._reading = OracleModel(domain, wording, staged=staged, name=self.name, spoil=spoil)

    def complete(self, request: Request) -> Completion:
        """The reply; no endpoint is asked, so no tokens are counted.

        Raises:
            InfrastructureError: a prompt cannot be read, or the planner failed or ran into a limit.
            MissingExtraError: Fast Downward is not installed.
        """
        if request.answer is None:
            return self._reading.complete(request)
        began = time.monotonic()
        return Completion(request.answer(self), model=self.name, seconds=time.monotonic() - began)

    def plan(
        self, task: Task, state: State, goal: Condition | None = None, *, shortest: bool = False
    ) -> tuple[GroundAction, ...] | None:
        """A plan from a state; None if there is none.

        Args:
            task: the task.
            state: where the plan begins.
            goal: by default the task's.
            shortest: whether a shortest plan is looked for first, for a few seconds.

        Raises:
            InfrastructureError: the planner found neither a plan nor a proof that there is none.
        """
        problem = problem_in_state(task.problem, sorted(state.atoms), state.values)
        if goal is not None:
            problem = replace(problem, goal=goal)
        return _solved(write_domain(task.domain), write_problem(problem), shortest)


@lru_cache(maxsize=4096)
def _solved(domain: str, problem: str, shortest: bool) -> tuple[GroundAction, ...] | None:
    # Cached, because many questions need the same plan.
    texts = TaskTexts(domain, problem)
    result = solve(texts, "brfs", time_limit=_OPTIMAL_SECONDS) if shortest else None
    if result is None or result.status not in ("solved", "unsolvable"):
        result = solve(texts, "lama")
    if result.plan is None and result.status != "unsolvable":
        raise InfrastructureError(
            f"the oracle has no plan: {result.planner} ended with {result.status}: {result.message}"
        )
    return None if result.plan is None else tuple(result.plan)
