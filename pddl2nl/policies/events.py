"""What happens in an episode, as typed events; a run's record is their list, one JSON object a line.

The order of a record (``?`` at most once, ``*`` any number)::

    started                                   everything needed to run it again; always first
    ( prompted ( replied | failed )           a call of the model: what was asked and what came back, or why nothing
    | read                                    one action line that was read out of a reply, or found unreadable
    | acted | rejected | looked-around        what the simulator made of it; each costs a step
    | judged                                  the verdict on one plan of several
    | retrieved | macro-planned | …  )*       what a hierarchical policy does while it plans (`policies.hvr_events`)
    goal-reached?                             the simulator found the goal to hold; nothing is acted after it
    finished                                  the outcome and the accounts; always last in a finished record

Calls whose purpose is ``translator`` are those of a T-LLM: they stand before the ``read`` of the line that was
translated. Calls for the wording and for the example's thoughts were made before the run could begin, and stand right
after ``started``, which holds what they gave.

A one-shot mechanism (Basic, CoT) writes one ``read`` for every line of its plan first and then ``acted``
events up to the end of the plan or to the first broken link, which is the one ``rejected``. An interactive
one (Act, ReAct) writes one ``read`` a turn, followed by exactly one of ``acted``, ``rejected`` and
``looked-around``. The random policy speaks no language: it writes ``acted`` alone. Steps count from 1.

Where a one-shot mechanism may propose several plans (``samples``, ``rounds``), each is closed by a ``judged``: the
``read``, ``acted``, ``rejected`` and ``goal-reached`` since the one before are its own, and its steps count from 1
again. One of them counts; ``finished`` names it and holds its plan, steps, turns and mistakes. `counted` leaves the
others out.

Actions and literals are PDDL, ``(stack a b)``; texts are in the wording of the run.

Everything that is reported is computed from these events afterwards (`pddl2nl.reports`). The fields named in
`VOLATILE` hold times, or say which replies were paid for now and which our cache had; they differ between two runs of
the same specification, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from pddl2nl.errors import InputError
from pddl2nl.llm.types import Finish, Message, Tariff
from pddl2nl.policies.hvr.events import Hierarchical

__all__ = [
    "EVENTS",
    "OUTCOMES",
    "VOLATILE",
    "Acted",
    "Event",
    "Failed",
    "Fault",
    "Finished",
    "GoalReached",
    "Judged",
    "LookedAround",
    "Outcome",
    "Prompted",
    "Read",
    "RecordError",
    "Rejected",
    "Replied",
    "Started",
    "counted",
]

Outcome = Literal["solved", "inapplicable", "goal-missed", "unreadable", "budget", "gave-up", "infrastructure-error"]
OUTCOMES: tuple[Outcome, ...] = (
    "solved",
    "inapplicable",
    "goal-missed",
    "unreadable",
    "budget",
    "gave-up",
    "infrastructure-error",
)
"""How a run can end. The last one is no verdict on the policy: such a run is never scored."""

VOLATILE = frozenset({"started.time", "replied.seconds", "replied.from_cache", "finished.seconds", "finished.spent"})
"""``event.field`` of the fields that differ between two runs of one specification."""


class RecordError(InputError):
    """A line of a record that is no event of this format."""


@dataclass(frozen=True)
class Fault:
    """The first broken link of a run.

    ``step`` counts turns or plan lines from 1, 0 where no step was reached. ``status`` is ``unreadable``,
    ``ambiguous``, ``unknown-object``, ``not-an-action``, ``inapplicable``, ``claimed-done``, ``claimed-unsolvable``,
    ``goal-missed``, ``refused``, ``filtered``, ``length``, ``empty``, ``dead-end``, ``budget``, ``context-window`` or
    ``infrastructure-error``.
    ``text`` is what was said at that step (of a claim that there is no plan the sentence), or the reason where
    nothing was.
    """

    step: int
    status: str
    text: str


@dataclass(frozen=True)
class Started:
    """A run began. The PDDL texts, wording, names and example stand here in full, so no other file is needed.

    ``names`` maps PDDL object to NL object; ``limits`` holds steps, calls, tokens, usd, seconds (null: none);
    ``settings`` what every request carries (temperature, max_tokens, and the limits of the other roles);
    ``model_settings`` what is set for this model (`pddl2nl.llm.settings`); ``profile`` the named setting that was asked
    for; ``beyond_paper`` what differs from the mechanisms of the AutoPlanBench paper (history, feedback, samples,
    rounds, unsolvable), empty where nothing does; ``prompts`` the SHA-256 of every prompt file used; ``example`` is
    null for zero-shot, else ``source`` ("file", "shipped", "beside" or "made"), ``problem`` (PDDL text), ``plan``,
    ``thoughts`` ("llm", "template", "none"), their ``thought_texts`` and, where the template stands in for a model, why
    (``thoughts_note``); ``base_url`` is without credentials, null for models without an endpoint; ``time`` is UTC in
    ISO 8601. ``translator`` says what reads the model's words (reader, llm, reader+llm) and ``translator_model`` which
    model translates, null where none does; likewise ``wording_model`` and ``thoughts_model`` which were asked for the
    wording and for the example's thoughts; ``reading_version`` is that of the reading policy, null in records older
    than it; ``on_ambiguous`` is "refuse" or "state"; ``names_seed`` the seed of the objects' names, null for none.
    ``solvable`` says whether the task has a plan, as far as that was known before the run: by a planner's plan or
    proof, or by the manifest of a shipped problem; null where it was not. ``suite`` and ``task`` are what an experiment
    calls the task, empty elsewhere. ``reference`` is what a plan is measured against where the task has it, else empty
    (`pddl2nl.tasks.references`): the task in words and the plans known to be right. ``world`` is what it is played in
    where that is not the model alone: faults, ontology, what embeds; empty where nothing is.
    """

    event: ClassVar[str] = "started"
    policy: str
    model: str
    seed: int
    domain: str
    problem: str
    domain_pddl: str
    problem_pddl: str
    domain_sha256: str
    problem_sha256: str
    domain_file: str = ""
    problem_file: str = ""
    style: str = "nl"
    translator: str = "reader"
    translator_model: str | None = None
    reading: str = "default"
    reading_version: int | None = None
    on_ambiguous: str = "refuse"
    names_scheme: str = "typed"
    names_seed: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    wording: Mapping[str, Any] | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    example: Mapping[str, Any] | None = None
    base_url: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    time: str = ""
    format: int = 1
    model_settings: Mapping[str, Any] = field(default_factory=dict)
    profile: str | None = None
    beyond_paper: Mapping[str, Any] = field(default_factory=dict)
    wording_model: str | None = None
    thoughts_model: str | None = None
    solvable: bool | None = None
    suite: str = ""
    task: str = ""
    reference: Mapping[str, Any] = field(default_factory=dict)
    world: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Prompted:
    """A model is asked. ``messages`` are those after the first ``kept`` of the previous prompt of this purpose.

    Interactive prompts grow only at their end, so a record that kept every prompt whole would be quadratic in
    the steps. ``request_sha256`` is the key of the whole request (`pddl2nl.llm.request_key`), by which a
    record is replayed.
    """

    event: ClassVar[str] = "prompted"
    call: int
    purpose: str
    kept: int
    messages: tuple[Message, ...]
    request_sha256: str
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    sample: int = 0


@dataclass(frozen=True)
class Replied:
    """The model's reply to the call of that number, as it came; ``usd`` is null where no price is known.

    ``tariff`` says at which price it was paid, and ``from_cache`` that our cache had it: tokens and money are what it
    took when it was paid, then as now.
    """

    event: ClassVar[str] = "replied"
    call: int
    text: str
    finish: Finish = "text"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float | None = None
    model: str = ""
    fingerprint: str = ""
    seconds: float = 0.0
    tariff: Tariff = "standard"
    from_cache: bool = False


@dataclass(frozen=True)
class Failed:
    """The call of that number got no reply, after all retries; ``message`` says why.

    ``context_window`` says that the prompt was longer than the model takes, which is its own limit. Such calls are in
    no account, so that the next call has the same number.
    """

    event: ClassVar[str] = "failed"
    call: int
    message: str
    context_window: bool = False


@dataclass(frozen=True)
class Read:
    """A span of a reply was read. ``start`` and ``end`` are offsets into the last reply that was no translation.

    ``status`` is ``read``, ``ambiguous``, ``unreadable``, ``unknown-object``, ``not-an-action``,
    ``look-around``, ``claimed-done`` or ``claimed-unsolvable``; ``rule`` names the rule that read it
    (`pddl2nl.nl.Reading`, and of a T-LLM `pddl2nl.policies.translating`).
    """

    event: ClassVar[str] = "read"
    step: int
    status: str
    text: str
    action: str | None = None
    candidates: tuple[str, ...] = ()
    rule: str = ""
    line: int = 0
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Acted:
    """An action was applicable and executed; ``observation`` is what the model was told ("" for one-shot plans).

    ``added`` and ``deleted`` are atoms, ``changed`` the numeric fluents with their new values, ``(= (fuel t) 3)``.
    """

    event: ClassVar[str] = "acted"
    step: int
    action: str
    text: str = ""
    observation: str = ""
    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rejected:
    """A turn, or the line of a plan, was not executed.

    ``status`` is ``inapplicable`` (``unmet`` holds the failing ground literals), ``unreadable``, ``ambiguous``,
    ``unknown-object``, ``not-an-action``, ``claimed-done`` (the goal did not hold; ``unmet`` holds what of
    it is missing), or ``claimed-unsolvable``. All but the last two are *mistakes*.
    """

    event: ClassVar[str] = "rejected"
    step: int
    status: str
    text: str
    action: str | None = None
    unmet: tuple[str, ...] = ()
    observation: str = ""


@dataclass(frozen=True)
class LookedAround:
    """The model asked for the state and was told it."""

    event: ClassVar[str] = "looked-around"
    step: int
    text: str
    observation: str


@dataclass(frozen=True)
class GoalReached:
    """The simulator found the goal to hold after this step (0: in the initial state already)."""

    event: ClassVar[str] = "goal-reached"
    step: int


@dataclass(frozen=True)
class Judged:
    """The verdict on one plan of several: the one of this ``sample`` (from 0) in this ``round`` of correction.

    ``number`` counts the run's plans from 1. ``outcome`` is the one that the run would have had with this plan alone;
    the other fields are those of `Finished`, for this plan.
    """

    event: ClassVar[str] = "judged"
    number: int
    sample: int
    round: int
    outcome: Outcome
    fault: Fault | None = None
    plan: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    steps: int = 0
    mistakes: int = 0
    turns: Mapping[str, int] = field(default_factory=dict)
    message: str = ""


@dataclass(frozen=True)
class Finished:
    """The end of a run, with its accounts.

    ``plan`` holds the actions that were executed, in order (of a one-shot plan those before the first broken
    link; ``proposed`` those that were read). ``steps`` counts turns, or the judged lines of a one-shot plan;
    ``turns`` counts each kind apart: executed, inapplicable, unreadable, ambiguous, unknown-object,
    not-an-action, look-around, claimed-done, claimed-unsolvable. ``mistakes`` are those meant as actions and not
    executed.
    ``usd`` is null where a price is unknown. Calls, tokens and money are those of all replies that were used;
    ``used`` holds them by role, and ``spent`` what of it was paid in this run, with ``cache_hits`` for what our cache
    had (`pddl2nl.policies.budget.Account`). ``message`` explains the outcome in a sentence. ``counted`` is the number
    of the `Judged` whose plan, steps, turns and mistakes these are, 0 where there is none; calls, tokens and money are
    those of all plans.
    """

    event: ClassVar[str] = "finished"
    outcome: Outcome
    fault: Fault | None = None
    plan: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    steps: int = 0
    mistakes: int = 0
    turns: Mapping[str, int] = field(default_factory=dict)
    cost: str | None = None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float | None = None
    seconds: float = 0.0
    message: str = ""
    used: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    spent: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    counted: int = 0


Event = (
    Started
    | Prompted
    | Replied
    | Failed
    | Read
    | Acted
    | Rejected
    | LookedAround
    | GoalReached
    | Judged
    | Hierarchical
    | Finished
)

EVENTS: dict[str, type[Event]] = {kind.event: kind for kind in get_args(Event)}
"""Every event by its name in a record."""


def counted(events: Sequence[Event]) -> tuple[Event, ...]:
    """A run's events without what became of the plans that do not count; all of them where there was but one."""
    end = next((event.counted for event in reversed(events) if isinstance(event, Finished)), 0)
    if end == 0:
        return tuple(events)
    kept: list[Event] = []
    number = 1
    for event in events:
        if number == end or not isinstance(event, Read | Acted | Rejected | GoalReached):
            kept.append(event)
        number += isinstance(event, Judged)
    return tuple(kept)
