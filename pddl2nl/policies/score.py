"""Score: the model does not write an action, it rates each applicable one (Ahn et al. 2022, SayCan).

In each turn the model is asked for the likelihood of each applicable action as its reply. The action with the highest
logarithm of it per byte is executed; of equals, the first in the simulator's order. Per byte, as other lengths depend
on how a model splits a text into tokens. SayCan multiplies this by a learned value function, the chance that a skill
succeeds; here the simulator says which actions are applicable.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from pddl2nl.llm import EndpointRefusedError
from pddl2nl.nl.markers import ACTION
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.prompting import Conversation, PromptedPolicy
from pddlval import GroundAction

_ALL = 1.01
"""The largest sum of the likelihoods of different replies, with room for rounding."""


class Score(PromptedPolicy):
    """The applicable action that the model gives the highest likelihood, in the conversation of Act."""

    summary = "the applicable action that the model finds most likely"
    prompt = "act"
    uses = frozenset(("example", "example_plan", "history"))

    def run(self, episode: Episode) -> None:
        """Acts until the episode ends."""
        conversation = Conversation(episode, self.opening(episode))
        while not episode.done:
            self.take_turn(episode, conversation)

    def take_turn(self, episode: Episode, conversation: Conversation) -> None:
        """Executes the most likely of the applicable actions.

        Raises:
            EndpointRefusedError: the endpoint gives no likelihoods, or those of replies under a constraint.
        """
        setting = episode.setting
        told: dict[str, GroundAction] = {}
        for action in setting.simulator.applicable(episode.state):
            told.setdefault(setting.teller.action(action), action)
        if not told:
            episode.give_up("dead-end", "no action is applicable")
            return
        likelihoods = {text: episode.likelihood(conversation.messages, text) for text in told}
        _check(likelihoods)
        best = max(told, key=lambda text: likelihoods[text] / len(text.encode("utf-8")))
        conversation.add(f"{ACTION} {best}", episode.move(told[best], said=best))


def _check(likelihoods: Mapping[str, float]) -> None:
    """Raises for likelihoods that cannot be those of different replies."""
    texts = sorted(likelihoods)
    # A beginning of another text is as likely as both together.
    whole = [one for one, other in zip(texts, [*texts[1:], ""], strict=True) if not other.startswith(one)]
    if sum(exp(min(likelihoods[text], 0.0)) for text in whole) > _ALL:
        raise EndpointRefusedError(
            "the likelihoods of different actions add up to more than 1: the endpoint gives those under the "
            "constraint, which say nothing about the model; --policy score needs an endpoint that gives the model's own"
        )
