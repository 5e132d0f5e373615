"""Rewards of replies and rows for training: for GRPO with TRL or any other trainer, and for supervised fine-tuning.

Nothing here needs a trainer; `trl` has the rewards in TRL's calling form. Modules:

* ``rewards``: what a reply with a plan is worth, for tasks of any domain.
* ``rows``: prompts with reward columns, and prompts with the planner's reply, from recorded runs.
* ``trl``: the rewards of a row, and as functions of prompts, completions and columns.
"""

from __future__ import annotations

from pddl2nl.training.rewards import REWARDS, PlanRewards, RewardColumns, plan_rewards
from pddl2nl.training.rows import PairRow, PromptRow, pair_rows, prompt_rows

__all__ = [
    "REWARDS",
    "PairRow",
    "PlanRewards",
    "PromptRow",
    "RewardColumns",
    "pair_rows",
    "plan_rewards",
    "prompt_rows",
]
