"""What a policy is, what it acts in, and what comes of its turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pddl2nl.nl import Reading, Readings, Teller
from pddl2nl.policies.example import Example
from pddl2nl.policies.translating import Translator
from pddlval import Simulator

if TYPE_CHECKING:
    from pddl2nl.macros.library import Library
    from pddl2nl.policies.episode import Episode
    from pddl2nl.worlds.executor import Executor
    from pddl2nl.worlds.ontology import Ontology
    from pddl2nl.worlds.similarity import Embed

__all__ = ["ActionReader", "EpisodeOver", "Policy", "RequestSettings", "Setting", "Turn"]


class EpisodeOver(Exception):
    """Unwinds a policy whose episode has ended; `Episode.play` catches it, and nobody else should."""


class Policy(Protocol):
    """A way of choosing actions; one file each, registered in `pddl2nl.policies.POLICIES`.

    Attributes:
        summary: one line for people.
        styles: those it can speak, ``nl`` and ``pddl``.
        one_shot: whether it gives a whole plan at once, so that no step limit applies.
        thoughts: whether its example shows thoughts.
        needs_model: whether it asks a model.
        prompt: the name of its system prompt in ``prompts/``; None where it needs none.
    """

    summary: str
    styles: tuple[str, ...]
    one_shot: bool
    thoughts: bool
    needs_model: bool
    prompt: str | None

    def run(self, episode: Episode) -> None:
        """Acts until ``episode.done``, or submits a plan once."""
        ...


class ActionReader(Protocol):
    """What reads a model's words: `pddl2nl.nl.Reader`, or the reader of the PDDL twins."""

    def read(self, text: str, policy: str = "default") -> Readings:
        """The plan in a reply."""
        ...

    def read_turn(self, text: str) -> Reading:
        """The one action, look-around or claim of a turn."""
        ...


@dataclass(frozen=True)
class Setting:
    """What an episode is about: the simulated task, how it is told and read, and the example shown.

    ``reading`` is the reading policy of whole plans; ``translator`` the T-LLM, None where the reader reads alone;
    ``on_ambiguous`` one of `pddl2nl.policies.understanding.ON_AMBIGUOUS`.

    Beyond the paper: ``history`` is one of `pddl2nl.policies.history.HISTORIES` and ``feedback`` one of
    `pddl2nl.policies.observations.FEEDBACKS`, both of interactive policies; ``samples`` and ``rounds`` say how many
    plans a one-shot mechanism may propose (`pddl2nl.policies.proposing`); ``unsolvable`` is one of
    `pddl2nl.policies.prompting.UNSOLVABLE`.

    ``executor`` is what carries actions out, for every policy; None for the simulator itself. It belongs to one
    episode, since it may count what happens.

    Of hierarchical policies (`HVR_POLICIES`): ``task_text`` is the task in words, empty for the told goal;
    ``ontology`` is the domain's, None for one made from the domain; ``embed`` gives vectors of texts, None where none
    are to be had; ``library`` keeps macro-actions for later tasks; ``replans`` says how often a new plan may be made.
    """

    simulator: Simulator
    teller: Teller
    reader: ActionReader
    style: str = "nl"
    reading: str = "default"
    example: Example | None = None
    translator: Translator | None = None
    on_ambiguous: str = "refuse"
    history: str = "full"
    feedback: str = "reason"
    samples: int = 1
    rounds: int = 0
    unsolvable: str = "silent"
    task_text: str = ""
    executor: Executor | None = None
    ontology: Ontology | None = None
    embed: Embed | None = None
    library: Library | None = None
    replans: int = 3


@dataclass(frozen=True)
class Turn:
    """What came of a turn: ``status`` (``executed``, or as in `events.Rejected` and `events.LookedAround`),
    what the policy is told, and whether the episode has ended."""

    status: str
    observation: str
    done: bool


@dataclass(frozen=True)
class RequestSettings:
    """What every request of an episode carries."""

    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
