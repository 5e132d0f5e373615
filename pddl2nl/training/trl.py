"""The rewards in the calling form of TRL's trainers: ``reward(prompts, completions, **columns) -> list[float]``.

>>> from trl import GRPOTrainer                                          # pip install 'pddl2nl[training]'
>>> GRPOTrainer(model, reward_funcs=[plan_format, plan_goals, plan_validity], train_dataset=rows)

Nothing here imports TRL. The columns are those of `pddl2nl.training.PromptRow`, one value for each completion, as a
data set has them that ``pddl2nl training export`` wrote; other columns are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pddl2nl.conversion import convert
from pddl2nl.errors import InputError
from pddl2nl.training.rewards import REWARDS, RewardColumns, plan_rewards

__all__ = [
    "PLAN_REWARDS",
    "completion_text",
    "plan_format",
    "plan_goals",
    "plan_length",
    "plan_prefix",
    "plan_validity",
]

TRLReward = Callable[..., list[float]]


def completion_text(completion: str | Sequence[Mapping[str, Any]]) -> str:
    """The text of a completion: itself, or the content of its last message.

    Raises:
        InputError: it is neither.
    """
    if isinstance(completion, str):
        return completion
    if completion and isinstance(text := completion[-1].get("content"), str):
        return text
    raise InputError("a completion is a text, or a list of messages with role and content")


def _reward(name: str) -> TRLReward:
    def reward(completions: Sequence[str | Sequence[Mapping[str, Any]]], **columns: Any) -> list[float]:
        rows = _rows(columns, len(completions))
        texts = map(completion_text, completions)
        return [float(getattr(plan_rewards(text, row), name)) for text, row in zip(texts, rows, strict=True)]

    # A trainer logs a reward by its function's name.
    reward.__name__ = reward.__qualname__ = f"plan_{name}"
    reward.__doc__ = f"The reward ``{name}`` of `pddl2nl.training.rewards` for each completion."
    return reward


def _rows(columns: Mapping[str, Any], count: int) -> list[RewardColumns]:
    taken = {name: columns[name] for name in RewardColumns.__struct_fields__ if name in columns}
    for name, values in taken.items():
        if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
            raise InputError(f"column {name}: expected {count} values, one for each completion")
    if missing := {"domain", "problem"} - taken.keys():
        raise InputError(f"no column {min(missing)}: export rows with 'pddl2nl training export'")
    return [convert({name: values[at] for name, values in taken.items()}, RewardColumns) for at in range(count)]


PLAN_REWARDS: Mapping[str, TRLReward] = {name: _reward(name) for name in REWARDS}
"""The rewards by name, in the order of `REWARDS`."""
plan_format, plan_prefix, plan_goals, plan_validity, plan_length = PLAN_REWARDS.values()
