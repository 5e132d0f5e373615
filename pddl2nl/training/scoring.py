"""The rewards of a row with its reply, whichever columns it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pddl2nl.conversion import convert
from pddl2nl.plugins import provided
from pddl2nl.training.rewards import RewardColumns, plan_rewards
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
