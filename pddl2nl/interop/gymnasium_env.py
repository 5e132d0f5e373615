"""Planning tasks as Gymnasium environments; importing this module registers ``pddl2nl/Planning-v0``.

    import gymnasium
    import pddl2nl.interop.gymnasium_env

    env = gymnasium.make("pddl2nl/Planning-v0", domain="blocksworld", problem="p01")

An environment plays one `pddl2nl.policies.Episode`: actions are read, judged and answered as those of act and react.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any, Literal, SupportsFloat, TypeVar

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.nl import Reader, Teller, choose_wording, make_names
from pddl2nl.pddl import GroundAtom, Task, changed_predicates
from pddl2nl.policies import Episode, Limits, Setting
from pddl2nl.policies.spec import RunSpec
from pddl2nl.search.grounding import GroundActions
from pddl2nl.tasks.shipped import find_task
from pddlval import GroundAction, Simulator

try:
    import gymnasium
    import numpy as np
    from gymnasium import spaces
except ImportError as error:
    raise MissingExtraError("gymnasium", "gymnasium", "an environment") from error

ENV_ID = "pddl2nl/Planning-v0"

_MOST_LISTED = 100_000
"""More ground actions or atoms are not listed."""
_LONGEST = 10_000_000
"""Characters of the longest observation."""

T = TypeVar("T")
Problem = str | Path | Task
View = Literal["text", "atoms"]
Choice = Literal["text", "index"]


class PlanningEnv(gymnasium.Env[Any, Any]):
    """One task, or one of several tasks in each episode.

    The reward is 1 when the goal is reached, else 0. An episode terminates there, after two successive false claims to
    be done or a claim that there is no plan, and in a state without applicable actions. It is truncated after
    ``max_steps`` steps; an action that is not executed costs a step as well.

    ``info`` holds the ``problem``, the ``status`` of the step (``executed``, ``inapplicable``, ``unreadable``: see the
    documentation of outcomes), the ``applicable`` actions in PDDL, whether the ``goal`` holds, and with indices
    the ``action_mask``, for ``action_space.sample``.

    Args:
        domain: a file, or the name of a shipped domain; None if ``problem`` gives tasks.
        problem: a file, the name of an instance, or a `Task`; several of them: ``reset`` draws one; or a
            function that makes a task from a seed.
        observation: ``text``: at first the domain, the goal and the initial state in words, then what happened.
            ``atoms``: 0 or 1 for each ground atom that actions can change.
        action: ``text``: what a model says. ``index``: a number in the list of ground actions.
        max_steps: steps until an episode is truncated.
        wording, names: of the language, as ``--wording`` and ``--names``.
        render_mode: ``ansi``, the state in words, or None.

    Attributes:
        atoms, actions: what the numbers of observations and actions mean in the present task.

    Raises:
        InputError: a file cannot be read; a task is too large for lists of atoms or actions, or has numbers that
            change, which atoms do not show; a function that makes tasks comes with atoms or indices.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        domain: str | Path | None = None,
        problem: Problem | Sequence[Problem] | Callable[[int], Task] = "p01",
        *,
        observation: View = "text",
        action: Choice = "text",
        max_steps: int = 100,
        wording: str | None = None,
        names: str = "typed",
        render_mode: str | None = None,
    ):
        self._observation, self._action, self._max_steps = observation, action, max_steps
        self._wording, self._names = wording, names
        self.render_mode = render_mode
        self._make = problem if callable(problem) else None
        several = [] if callable(problem) else [problem] if isinstance(problem, Problem) else list(problem)
        self._worlds = [self._world(task) for task in _tasks(domain, several)]
        self.atoms: tuple[GroundAtom, ...] = ()
        self.actions: tuple[GroundAction, ...] = ()
        if self._make is not None and (observation, action) != ("text", "text"):
            raise InputError("a function that makes tasks needs texts: lists of atoms and actions must be known before")
        charset = frozenset(string.printable).union(*(world.told for world in self._worlds))
        self.observation_space = (
            spaces.Text(_LONGEST, min_length=0, charset=charset)
            if observation == "text"
            else spaces.MultiBinary(max(len(world.atoms) for world in self._worlds))
        )
        self.action_space = (
            spaces.Text(1000, min_length=0, charset=charset)
            if action == "text"
            else spaces.Discrete(max(len(world.actions) for world in self._worlds))
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode in a task that is drawn; ``options={"problem": NUMBER}`` chooses one."""
        super().reset(seed=seed)
        if self._make is not None:
            world = self._world(self._make(int(self.np_random.integers(2**31))))
        else:
            number = (options or {}).get("problem", self.np_random.integers(len(self._worlds)))
            world = self._worlds[number]
        self._now = world
        self.atoms, self.actions = world.atoms, world.actions
        self._episode = Episode(world.setting, limits=Limits(steps=self._max_steps))
        return self._observed(world.told), self._info("")

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Executes an action, or says why not."""
        episode = self._episode
        if episode.done:
            return self._observed(""), float(episode.at_goal), True, False, self._info("")
        if self._action == "text":
            turn = episode.act(action)
        elif action < len(self.actions):
            turn = episode.move(self.actions[action])
        else:
            # A number that only another of the tasks has.
            turn = episode.act("")
        info = self._info(turn.status)
        truncated = turn.done and episode.finished is not None and episode.finished.outcome == "budget"
        terminated = (turn.done and not truncated) or not info["applicable"]
        return self._observed(turn.observation), float(info["goal"]), terminated, truncated, info

    def render(self) -> str | None:
        """The state in words."""
        return self._episode.observe() if self.render_mode == "ansi" else None

    def _observed(self, text: str) -> Any:
        if self._observation == "text":
            return text
        state = self._episode.state
        values = np.zeros(self.observation_space.shape or (0,), dtype=np.int8)
        values[: len(self.atoms)] = [state.true(atom) for atom in self.atoms]
        return values

    def _info(self, status: str) -> dict[str, Any]:
        episode, world = self._episode, self._now
        applicable = [*world.setting.simulator.applicable(episode.state)]
        info: dict[str, Any] = {
            "problem": world.setting.simulator.task.problem.name,
            "status": status,
            "applicable": tuple(map(str, applicable)),
            "goal": episode.at_goal,
        }
        if isinstance(self.action_space, spaces.Discrete):
            mask = np.zeros(int(self.action_space.n), dtype=np.int8)
            mask[[world.number_of[action] for action in applicable]] = 1
            info["action_mask"] = mask
        return info

    def _world(self, task: Task) -> _Played:
        wording = choose_wording(self._wording, task.domain)
        own_names = make_names(task, self._names, wording)
        teller = Teller(task, wording, own_names)
        setting = Setting(RunSpec(task), Simulator(task), teller, Reader(task, wording, own_names))
        atoms = _ground_atoms(task) if self._observation == "atoms" else ()
        actions: tuple[GroundAction, ...] = ()
        if self._action == "index":
            actions = _listed(ground.action for ground in GroundActions(setting.simulator).grounds())
        return _Played(setting, atoms, actions)


class _Played:
    """A task with the lists that numbers refer to; ``told`` is the first observation in words."""

    def __init__(self, setting: Setting, atoms: tuple[GroundAtom, ...], actions: tuple[GroundAction, ...]):
        self.setting = setting
        self.atoms = atoms
        self.actions = actions
        self.number_of: Mapping[GroundAction, int] = {action: number for number, action in enumerate(actions)}
        teller = setting.teller
        self.told = "\n\n".join((teller.domain_text(), teller.goal_text(), teller.objects_text(), teller.init_text()))


def _tasks(domain: str | Path | None, problems: Sequence[Problem]) -> Iterator[Task]:
    for problem in problems:
        if isinstance(problem, Task):
            yield problem
        elif domain is None:
            raise InputError(f"problem {str(problem)!r} needs a domain: a file, or the name of a shipped domain")
        else:
            yield find_task(domain, problem)


# ── lists of atoms and actions ───────────────────────────────────────────────────────────────────


def _ground_atoms(task: Task) -> tuple[GroundAtom, ...]:
    """All ground atoms of the predicates that actions change, by their types."""
    if Simulator(task).initial.values:
        raise InputError(
            f"{task.problem.name} has numbers that change, which atoms do not show; observation='text' does"
        )
    changed = changed_predicates(task.domain)
    return _listed(
        GroundAtom((predicate.name, *args))
        for predicate in task.domain.predicates
        if predicate.name in changed
        for args in product(*(task.objects_of(parameter.types) for parameter in predicate.parameters))
    )


def _listed(items: Iterable[T]) -> tuple[T, ...]:
    found = tuple(islice(items, _MOST_LISTED + 1))
    if len(found) > _MOST_LISTED:
        reason = f"the task has more than {_MOST_LISTED:,} of what a list would number"
        raise InputError(f"{reason}; use texts (observation='text', action='text')")
    return found


gymnasium.register(ENV_ID, entry_point=f"{__name__}:{PlanningEnv.__name__}")
