"""Random: a uniformly random applicable action in every step (AutoPlanBench paper, section 5, "rnd")."""

from __future__ import annotations

from pddl2nl.policies.episode import Episode


class RandomWalk:
    """Chooses uniformly among the applicable actions until the goal holds or the step limit is reached."""

    summary = "a uniformly random applicable action a turn; asks no model"
    styles: tuple[str, ...] = ("nl", "pddl")
    one_shot = False
    thoughts = False
    needs_model = False
    prompt: str | None = None

    def run(self, episode: Episode) -> None:
        """Moves until the episode ends; gives up in a state without applicable actions."""
        while not episode.done:
            action = episode.sample()
            if action is None:
                episode.give_up("dead-end", "no action is applicable any more")
            else:
                episode.move(action)
