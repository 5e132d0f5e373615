"""The prompts of the hybrids, laid out as in `pddl2nl.policies.staged`; repair asks as the policy that
proposes the plan, and landmarks as Basic.

====================  ==================================================================================================
stage                 content
====================  ==================================================================================================
hybrids/next          goal, objects, and states in which a search is stuck, numbered: how would you go on from each?
hybrids/candidates    goal, objects, a state: which actions would you do now?
hybrids/problem       goal, objects, initial state: write the problem file; in a correction also the last one and why it
                      cannot be read
====================  ==================================================================================================

The domain is told in the wording of the run, and in PDDL where a problem file is asked for. No prompt holds an earlier
exchange.
"""

from __future__ import annotations

import hashlib
from types import MappingProxyType

from pddl2nl.llm import Message
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.prompting import prompt_file, prompt_hash
from pddl2nl.policies.staged import PromptLayout, Sections, conversation

NEXT, CANDIDATES, PROBLEM = "hybrids/next", "hybrids/candidates", "hybrids/problem"
LAYOUT = PromptLayout(
    (NEXT, CANDIDATES, PROBLEM),
    ("Goal", "Objects", "State", "States", "Problem", "Feedback"),
    frozenset(("States",)),
)

_TEXTS = MappingProxyType(
    {
        NEXT: """\
$domain

A search is looking for a plan, and it is stuck in the states below. For each of them, write a line "State N:" with \
its number, and below it the actions that lead from this state towards the goal, in their order, one a line. Write at \
most 20 actions for a state. Name actions and objects as above, and write nothing else.""",
        CANDIDATES: """\
$domain

Look at the state below. Name $count different actions that are possible now and lead towards the goal, one a line, \
the best first. After each write " | " and a number from 0 to 10: how near to the goal is the state after it? Name \
actions and objects as above, and write nothing else.""",
        PROBLEM: """\
Write a PDDL problem file for the task below. This is its domain:

$domain

The objects are named in the problem as they are named in the text. Write all facts of the initial state and the whole \
goal, and nothing but the file: (define (problem ...) ...).""",
    }
)
_USED = MappingProxyType({"guided": NEXT, "tree": CANDIDATES, "llm+p": PROBLEM})
_AS_OTHERS = MappingProxyType({"repair": "basic", "landmarks": "basic"})


def prompt_hashes(policy: str) -> dict[str, str]:
    """The SHA-256 of the prompt that a policy uses, by its name, for the record of a run."""
    if policy in _AS_OTHERS:
        name = prompt_file(_AS_OTHERS[policy], "nl")
        return {name: prompt_hash(name)}
    stage = _USED[policy]
    return {stage: hashlib.sha256(_TEXTS[stage].encode("utf-8")).hexdigest()}


def asked(
    stage: str,
    episode: Episode,
    sections: Sections,
    domain: str,
    examples: tuple[tuple[str, str], ...] = (),
    **fields: str,
) -> list[Message]:
    """A prompt of a stage about an episode's goal and objects, with further sections."""
    system = LAYOUT.system(stage, _TEXTS[stage], domain=domain, **fields)
    told = {"Goal": episode.goal_text, "Objects": episode.objects_text}
    return conversation(system, examples, LAYOUT.question({**told, **sections}))
