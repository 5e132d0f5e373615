"""The prompts of the hybrids, laid out as in `pddl2nl.policies.prompts`.

``next`` asks how to go on from states in which a search is stuck, ``candidates`` for the actions in one state, and
``problem`` for the problem file, in a correction with the last one and why it cannot be read. Landmarks asks as Basic,
and repair as the policy that proposes the plan. The domain is told in the wording of the run, and in PDDL where a
problem file is asked for. No prompt holds an earlier exchange.
"""

from __future__ import annotations

from pddl2nl.llm import Message
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.prompts import PromptLayout, Prompts, Sections, conversation

PROMPTS = Prompts(__package__)
LAYOUT = PromptLayout(
    ("hybrids/next", "hybrids/candidates", "hybrids/problem"),
    ("Goal", "Objects", "State", "States", "Problem", "Feedback"),
    frozenset(("States",)),
)


def asked(
    file: str,
    episode: Episode,
    sections: Sections,
    domain: str,
    examples: tuple[tuple[str, str], ...] = (),
    **fields: str,
) -> list[Message]:
    """A prompt about an episode's goal and objects, with further sections; ``file`` is that of its instruction."""
    instruction = PROMPTS.replacing(episode.setting.prompts).fill(file, domain=domain, **fields)
    system = LAYOUT.system(f"hybrids/{file.removesuffix('.txt')}", instruction)
    told = {"Goal": episode.goal_text, "Objects": episode.objects_text}
    return conversation(system, examples, LAYOUT.question({**told, **sections}))
