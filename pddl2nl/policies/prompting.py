"""The prompts and conversations of the four mechanisms (section 4, appendices A and D of the AutoPlanBench paper).

A conversation has one shape for all mechanisms, so that a person or the oracle can tell the mechanism from the system
prompt alone:

====================  ==========================================================================================
message               content
====================  ==========================================================================================
system                task instruction; domain description; output instructions with the tags of `nl.markers`
user, assistant, …    the few-shot example as chat history: the example problem, then replies in the form of the
                      mechanism and, for Act and ReAct, observations; the last message is the assistant's
user                  the target problem
assistant, user, …    for Act and ReAct: replies and observations so far; for Basic and CoT with rounds of
                      correction: plans, and why they are not valid (``prompts/correction.txt``)
====================  ==========================================================================================

* The system prompt of a one-shot mechanism (Basic, CoT) holds ``[PLAN]``; that of Act and ReAct does not.
* The system prompt of a mechanism with thoughts (CoT, ReAct) holds ``Thought:``; the others' do not.
* The system prompt of a PDDL twin holds the domain in PDDL, ``(define (domain …``.
* With ``unsolvable = "tell"`` the system prompt ends with what to answer where there is no plan.
* A problem is a user message of exactly three paragraphs, goal text, objects text and initial-state text, in this
  order with an empty line between them (``prompts/problem.txt``). The target is the last such message.

The form of replies, where ``ACTION`` is an action in the words of the snippets, or ``(stack a b)`` in a PDDL twin::

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

from pddl2nl.llm import Message, ReplyPendingError
from pddl2nl.nl import Teller, explain, markers
from pddl2nl.policies.episode import Episode, Turn, Verdict
from pddl2nl.policies.observations import why_not_read
from pddl2nl.policies.setting import Example
from pddlval import GroundAction, validate

__all__ = [
    "CORRECTION_PROMPT",
    "Conversation",
    "chat",
    "fill",
    "no_plan_file",
    "opening",
    "problem_text",
    "prompt_file",
    "prompt_hash",
    "prompt_text",
    "propose_plans",
]

CORRECTION_PROMPT = "correction.txt"
"""What goes back to the model with the validator's explanation."""

# ── the prompts' files ───────────────────────────────────────────────────────────────────────────


def no_plan_file(one_shot: bool) -> str:
    """The name of the file that says what to answer where there is no plan."""
    return "no_plan.txt" if one_shot else "no_plan_turn.txt"


def prompt_file(mechanism: str, style: str) -> str:
    """The name of the system prompt's file: ``act.txt``, or ``act_pddl.txt`` for the PDDL twin."""
    return f"{mechanism}.txt" if style == "nl" else f"{mechanism}_{style}.txt"


@cache
def prompt_text(name: str) -> str:
    """The text of a file of ``prompts/``, with its placeholders (``$domain``, ``$action``, …)."""
    return (resources.files("pddl2nl.policies") / "prompts" / name).read_text(encoding="utf-8").strip()


@cache
def prompt_hash(name: str) -> str:
    """The SHA-256 of a prompt file, for the record."""
    return hashlib.sha256(prompt_text(name).encode("utf-8")).hexdigest()


def fill(name: str, **fields: str) -> str:
    """The prompt with its placeholders filled; the tags of `nl.markers` are filled in any case.

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


# ── the beginning of a conversation ──────────────────────────────────────────────────────────────


def opening(episode: Episode, mechanism: str, shown: Callable[[Example], list[Message]]) -> list[Message]:
    """The conversation up to the target problem: system prompt, example as chat history, target.

    Args:
        episode: the task, its style and its example.
        mechanism: names the system prompt's file.
        shown: the example's solution as this mechanism's chat, after the message that states its problem.
    """
    setting = episode.setting
    system = fill(prompt_file(mechanism, setting.style), domain=episode.domain_text)
    if setting.unsolvable == "tell":
        system = f"{system}\n{fill(no_plan_file(markers.PLAN_START in system))}"
    messages = [Message("system", system)]
    if setting.example is not None:
        messages += [Message("user", problem_text(setting.example)), *shown(setting.example)]
    return [*messages, Message("user", problem_text(episode))]


def problem_text(told: Episode | Example, init: str | None = None) -> str:
    """A problem as a model is told it: goal, objects and initial state (or ``init``), a paragraph each."""
    return fill(
        "problem.txt", goal=told.goal_text, objects=told.objects_text, init=told.init_text if init is None else init
    )


def chat(step_texts: Sequence[str], example: Example) -> list[Message]:
    """The example as an interactive chat: a reply per step, each but the last answered by its observation.

    The last action reaches the goal, which ends an episode, so no observation follows it.
    """
    messages: list[Message] = []
    for text, step in zip(step_texts, example.steps, strict=True):
        messages += [Message("assistant", text), Message("user", step.observation)]
    return messages[:-1]


def _turn(reply: str, observation: str) -> list[Message]:
    """A reply and its answer, for the history; an empty reply becomes dots, since endpoints refuse empty messages."""
    return [Message("assistant", reply if reply.strip() else "…"), Message("user", observation)]


# ── interactive policies ─────────────────────────────────────────────────────────────────────────


class Conversation:
    """The next prompt of an interactive policy.

    ``full`` history, as in the AutoPlanBench paper (section 4, "LLM Policies"): every reply and its observation stay,
    so that each prompt is the previous one and a turn more.

    ``compact`` history: when an action is executed, the present state replaces the old turns. The target problem is
    told again with the present state instead of the initial one; nothing else is needed to continue, since an action's
    conditions and effects depend on the state alone. Later turns are kept, because the state does not tell them: what
    was refused, not understood or claimed in vain changed nothing, and a model that forgot it would repeat it forever
    at temperature 0. Lost are the thoughts of old turns, and that a state was seen before. The prompt grows with the
    objects of the task and not with the length of the run.

    Args:
        episode: tells the present state.
        opening: the conversation up to the target problem, which is its last message.
    """

    def __init__(self, episode: Episode, opening: Sequence[Message]):
        self._episode = episode
        self._head = tuple(opening[:-1])
        self.messages: list[Message] = list(opening)

    def add(self, reply: str, done: Turn) -> None:
        """Adds a reply and its result."""
        if self._episode.setting.history == "compact" and done.status == "executed":
            self.messages = [*self._head, Message("user", problem_text(self._episode, self._episode.observe()))]
        else:
            self.messages += _turn(reply, done.observation)


# ── one-shot policies ────────────────────────────────────────────────────────────────────────────


def propose_plans(episode: Episode, messages: Sequence[Message]) -> None:
    """Asks for a plan, or for several (``samples``, ``rounds``), and ends the episode with the one that counts.

    *Samples* are replies to the same prompt with different sample numbers. They are judged one by one; the first valid
    one counts, and no more are asked for (in a batch all are asked for at once). Where none is valid, the first counts.

    *Rounds* of correction, after LLM-Modulo (Kambhampati et al. 2024): where no sample was valid, the conversation with
    the first one goes on. Its reply is followed by the validator's explanation in words, and the next reply is judged
    instead; it counts, valid or not, and is explained in turn, until one is valid or no round is left. A model that
    refuses, or says that there is no plan, is not asked again.

    Args:
        episode: its setting says how many samples and rounds there may be.
        messages: the conversation up to the target problem.
    """
    setting = episode.setting
    if setting.samples == 1 and setting.rounds == 0:
        episode.submit(episode.ask(messages))
        return
    said, verdict = _first_samples(episode, messages)
    messages = list(messages)
    for number in range(1, setting.rounds + 1):
        if verdict.valid or verdict.outcome == "gave-up":
            break
        messages += _turn(said, fill(CORRECTION_PROMPT, explanation=_explanation(verdict, setting.teller)))
        said = episode.ask(messages)
        verdict = episode.propose(said, round=number)
    episode.conclude()


def _first_samples(episode: Episode, messages: Sequence[Message]) -> tuple[str, Verdict]:
    """The first valid sample, or else the first one, with its verdict."""
    judged: list[tuple[str, Verdict]] = []
    pending: ReplyPendingError | None = None
    for sample in range(episode.setting.samples):
        try:
            said = episode.ask(messages, sample=sample)
        except ReplyPendingError as waits:
            pending = pending or waits
            continue
        if pending is None:
            judged.append((said, episode.propose(said, sample=sample)))
            if judged[-1][1].valid:
                return judged[-1]
    if pending is not None:
        raise pending
    return judged[0]


def _explanation(verdict: Verdict, teller: Teller) -> str:
    """Why a plan is not valid, in sentences: the first broken link, and what undid the conditions that fail."""
    trace, lines = verdict.trace, verdict.lines
    start = "This answer was cut off before its end. " if verdict.cut else ""
    if not lines and verdict.outcome != "goal-missed":
        return f"{start}No plan was found in this answer."
    if len(trace.plan) == trace.steps:
        return start + _report(trace.plan, teller)
    failing = lines[trace.steps - 1]
    if failing.status != "read" or failing.action is None:
        said, why = " ".join(failing.text.split()), why_not_read(failing.status, failing, teller)
        return f'{start}Line {trace.steps} of the plan, "{said}", was not understood, because {why}'
    return start + _report([*trace.plan, failing.action], teller)


def _report(plan: Sequence[GroundAction], teller: Teller) -> str:
    return " ".join(explain(validate(teller.task, plan), teller))
