"""The prompts of the four mechanisms (sections 4 and appendix A and D of the AutoPlanBench paper).

A conversation has one shape for all mechanisms, so that whoever reads it (a person, the oracle) can tell
which one it is from its system prompt alone:

====================  ==========================================================================================
message               content
====================  ==========================================================================================
system                task instruction; domain description; output instructions with the tags of `nl.markers`
user, assistant, …    the few-shot example as chat history: the example problem, then replies as the mechanism
                      wants them and, for Act and ReAct, observations; its last message is the assistant's
user                  the target problem
assistant, user, …    for Act and ReAct: replies and observations so far; for Basic and CoT with rounds of
                      correction: plans, and why they are none (``prompts/correction.txt``)
====================  ==========================================================================================

* The system prompt of a one-shot mechanism (Basic, CoT) holds ``[PLAN]``; that of Act and ReAct does not.
* The system prompt of a mechanism with thoughts (CoT, ReAct) holds ``Thought:``; the others' do not.
* The system prompt of a PDDL twin holds the domain in PDDL, ``(define (domain …``.
* Where a run is to be told so (``unsolvable``), the system prompt ends in what to answer where there is no plan.
* A problem is a user message of exactly three paragraphs, goal text, objects text and initial-state text, in
  this order with an empty line between them (``prompts/problem.txt``). The target is the last such message.

What replies look like, one action worded by the snippets (or ``(stack a b)`` in a PDDL twin) for ``ACTION``::

    Basic               CoT                     Act                     ReAct
    [PLAN]              [PLAN]                  Action: ACTION          Thought: …
    ACTION              Thought: …                                      Action: ACTION
    ACTION              Action: ACTION
    [PLAN END]          Thought: …              In place of ACTION, Act and ReAct may say "look around",
                        Action: ACTION          which is answered with the present state.
                        [PLAN END]
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from pddl2nl.llm import Message
from pddl2nl.nl import markers
from pddl2nl.policies.example import Example

if TYPE_CHECKING:
    from pddl2nl.policies.episode import Episode

__all__ = [
    "UNSOLVABLE",
    "chat",
    "fill",
    "no_plan_file",
    "opening",
    "problem_now",
    "problem_text",
    "prompt_file",
    "prompt_hash",
    "prompt_text",
    "turn",
]


UNSOLVABLE: tuple[str, ...] = ("silent", "tell")
"""Whether a prompt says what to answer where there is no plan; that it does is beyond the paper."""


def no_plan_file(one_shot: bool) -> str:
    """The name of the file that says so, for a mechanism that gives a plan at once, or an action a turn."""
    return "no_plan.txt" if one_shot else "no_plan_turn.txt"


def prompt_file(mechanism: str, style: str) -> str:
    """The name of the system prompt's file: ``act.txt``, or ``act_pddl.txt`` for the PDDL twin."""
    return f"{mechanism}.txt" if style == "nl" else f"{mechanism}_{style}.txt"


@cache
def prompt_text(name: str) -> str:
    """The text of a file of ``prompts/``, its placeholders (``$domain``, ``$action``, …) unfilled."""
    return (resources.files("pddl2nl.policies") / "prompts" / name).read_text(encoding="utf-8").strip()


@cache
def prompt_hash(name: str) -> str:
    """The SHA-256 of a prompt file as it stands, for the record."""
    return hashlib.sha256(prompt_text(name).encode("utf-8")).hexdigest()


def fill(name: str, **fields: str) -> str:
    """The prompt with its placeholders filled; the tags of `nl.markers` need not be given.

    Raises:
        KeyError: a placeholder of the file was not given.
    """
    tags = {
        "plan_start": markers.PLAN_START,
        "plan_end": markers.PLAN_END,
        "thought": markers.THOUGHT,
        "action": markers.ACTION,
        "look_around": markers.LOOK_AROUND,
        "no_plan": markers.NO_PLAN,
    }
    return Template(prompt_text(name)).substitute(tags | fields)


def opening(episode: Episode, mechanism: str, shown: Callable[[Example], list[Message]]) -> list[Message]:
    """The conversation up to the target problem: system prompt, example as chat history, target.

    Args:
        episode: the task, its style and its example.
        mechanism: names the system prompt's file.
        shown: the example's solution as this mechanism's chat, after the message that states its problem.
    """
    system = fill(prompt_file(mechanism, episode.style), domain=episode.domain_text)
    if episode.unsolvable == "tell":
        system = f"{system}\n{fill(no_plan_file(markers.PLAN_START in system))}"
    messages = [Message("system", system)]
    if episode.example is not None:
        messages += [Message("user", problem_text(episode.example)), *shown(episode.example)]
    return [*messages, Message("user", problem_text(episode))]


def problem_text(told: Episode | Example) -> str:
    """A problem as it is put to a model: goal, objects and initial state, a paragraph each."""
    return fill("problem.txt", goal=told.goal_text, objects=told.objects_text, init=told.init_text)


def problem_now(episode: Episode) -> str:
    """The target as `problem_text` puts it, with the present state in the place of the initial one."""
    return fill("problem.txt", goal=episode.goal_text, objects=episode.objects_text, init=episode.observe())


def chat(step_texts: Sequence[str], example: Example) -> list[Message]:
    """The example as an interactive chat: a reply a step, each but the last answered by its observation.

    The last action reaches the goal, which ends an episode, so nothing is observed after it.
    """
    messages: list[Message] = []
    for text, step in zip(step_texts, example.steps, strict=True):
        messages += [Message("assistant", text), Message("user", step.observation)]
    return messages[:-1]


def turn(reply: str, observation: str) -> list[Message]:
    """A reply and what came of it, for the history; a blank reply is shown as dots, as endpoints refuse none."""
    return [Message("assistant", reply if reply.strip() else "…"), Message("user", observation)]
