"""Random: a uniformly random applicable action in every step (AutoPlanBench paper, section 5, "rnd")."""

from __future__ import annotations

from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import Policy


class RandomWalk(Policy):
    """Chooses uniformly among the applicable actions until the goal holds or the step limit is reached."""

    summary = "a uniformly random applicable action a turn; asks no model"
    styles = ("nl", "pddl")
    needs_model = False
    prompt_names = ()

    def run(self, episode: Episode) -> None:
        """Moves until the episode ends; gives up in a state without applicable actions."""
        while not episode.done:
            action = episode.sample()
            if action is None:
                episode.give_up("dead-end", "no action is applicable any more")
            else:
                episode.move(action)
