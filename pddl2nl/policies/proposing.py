"""Plans given at once: as the paper has it one reply, and beyond the paper several (``samples``, ``rounds``).

*Samples*: replies to the same prompt, told apart by their sample number. They are judged one by one, and the first
valid one counts, so nothing more is asked for once there is one (where replies come in batches, all of them are asked
for at once, since none can be judged before all are there). Where none is valid, the first one counts.

*Rounds* of correction, in the manner of LLM-Modulo (Kambhampati et al. 2024): where no sample was valid, the
conversation with the first one goes on. Behind its reply the validator's explanation is put in words, and the next
reply is judged in its stead: it counts, valid or not, and is explained in turn, until one is valid or no round is
left. A model that refuses, or says that there is no plan, is not asked again. Each prompt is the one before with a
reply and its explanation behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pddl2nl.llm import Message, ReplyPendingError
from pddl2nl.nl import Reading, Teller, explain
from pddl2nl.policies.observations import why_not_read
from pddl2nl.policies.prompting import fill, turn
from pddlval import GroundAction, validate

if TYPE_CHECKING:
    from pddl2nl.policies.episode import Episode
    from pddl2nl.policies.judging import Verdict

__all__ = ["CORRECTION_PROMPT", "correction", "explanation", "propose_plans"]

CORRECTION_PROMPT = "correction.txt"
"""What goes back to the model with the validator's explanation."""


def propose_plans(episode: Episode, messages: Sequence[Message]) -> None:
    """Asks for a plan, or for several, and ends the episode with the one that counts.

    Args:
        episode: says how many samples and rounds there may be.
        messages: the conversation up to the target problem.
    """
    if episode.samples == 1 and episode.rounds == 0:
        episode.submit(episode.ask(messages))
        return
    said, verdict = _first_samples(episode, messages)
    messages = list(messages)
    for number in range(1, episode.rounds + 1):
        if verdict.valid or verdict.outcome == "gave-up":
            break
        messages += turn(said, episode.correction(verdict))
        said = episode.ask(messages)
        verdict = episode.propose(said, round=number)
    episode.conclude()


def _first_samples(episode: Episode, messages: Sequence[Message]) -> tuple[str, Verdict]:
    """The first valid sample, or else the first one, with its verdict."""
    judged: list[tuple[str, Verdict]] = []
    pending: ReplyPendingError | None = None
    for sample in range(episode.samples):
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


def correction(verdict: Verdict, teller: Teller) -> str:
    """The message that goes back to the model: why its plan is none, and that it shall write another."""
    return fill(CORRECTION_PROMPT, explanation=explanation(verdict, teller))


def explanation(verdict: Verdict, teller: Teller) -> str:
    """Why a plan is not valid, in sentences: the first broken link, and what undid the conditions that fail."""
    walk, lines = verdict.walk, verdict.lines
    cut = verdict.fault is not None and verdict.fault.status == "length"
    start = "This answer was cut off before its end. " if cut else ""
    if not lines and verdict.outcome != "goal-missed":
        return f"{start}No plan was found in this answer."
    if len(walk.plan) == walk.steps:
        return start + _told(walk.plan, teller)
    failing = lines[walk.steps - 1]
    if failing.status != "read" or failing.action is None:
        return start + _not_read(walk.steps, failing, teller)
    return start + _told([*walk.plan, failing.action], teller)


def _not_read(step: int, line: Reading, teller: Teller) -> str:
    said = " ".join(line.text.split())
    return f'Line {step} of the plan, "{said}", was not understood, because {why_not_read(line.status, line, teller)}'


def _told(plan: Sequence[GroundAction], teller: Teller) -> str:
    return " ".join(explain(validate(teller.task, plan), teller))
