"""The rewards of a row with its reply, and in the calling form of TRL's trainers.

A trainer calls ``reward(prompts, completions, **columns) -> list[float]``:

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
from pddl2nl.plugins import provided
from pddl2nl.training.rewards import REWARDS, RewardColumns, plan_rewards
from pddl2nl.training.rows import Variant


def rewards_of_row(reply: str, row: Mapping[str, Any], variant: Variant = "sound") -> Mapping[str, float]:
    """The rewards of a reply by name.

    Args:
        reply: of a model.
        row: with the column of a system (`pddl2nl.training.rows.PlanForm`), or with those of `RewardColumns`.
        variant: of a system's rewards.

    Raises:
        InputError: a column is missing or cannot be read.
    """
    for _, form in provided("training"):
        if row.get(form.column):
            rewards: Mapping[str, float] = form.rewards(reply, row, variant)
            return rewards
    known = {name: value for name, value in row.items() if name in RewardColumns.__struct_fields__}
    return plan_rewards(reply, convert(known, RewardColumns)).as_json()


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


def trl_reward(
    kind: str, name: str, needed: Sequence[str], optional: Sequence[str], variant: Variant = "sound"
) -> TRLReward:
    """A reward as a function of the name ``KIND_NAME``.

    Args:
        kind: of the rewards.
        name: of the reward.
        needed, optional: the columns that it must and that it may have.
        variant: of a system's rewards.
    """

    def reward(completions: Sequence[str | Sequence[Mapping[str, Any]]], **columns: Any) -> list[float]:
        rows = _rows(columns, (*needed, *optional), len(completions))
        if missing := [column for column in needed if rows and column not in rows[0]]:
            raise InputError(f"no column {missing[0]}: export rows with 'pddl2nl training export'")
        texts = map(completion_text, completions)
        return [rewards_of_row(text, row, variant)[name] for text, row in zip(texts, rows, strict=True)]

    # A trainer logs a reward by its function's name.
    reward.__name__ = reward.__qualname__ = f"{kind}_{name}"
    reward.__doc__ = f"The reward ``{name}`` of each completion."
    return reward


def _rows(columns: Mapping[str, Any], names: Sequence[str], count: int) -> list[dict[str, Any]]:
    taken = {name: columns[name] for name in names if name in columns}
    for name, values in taken.items():
        if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
            raise InputError(f"column {name}: expected {count} values, one for each completion")
    return [{name: values[at] for name, values in taken.items()} for at in range(count)]


PLAN_REWARDS: Mapping[str, TRLReward] = {
    name: trl_reward("plan", name, ("domain", "problem"), ("wording", "names", "optimum")) for name in REWARDS
}
"""The rewards of plans by name, in the order of `REWARDS`."""
plan_format, plan_prefix, plan_goals, plan_validity, plan_length = PLAN_REWARDS.values()
