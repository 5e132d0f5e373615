"""What happens in an episode, as typed events. A run's record is the list of them, one JSON object per line.

The order of a record (``?`` at most once, ``*`` any number)::

    started                                   everything needed to repeat the run; always first
    ( prompted ( replied | failed )           a call of the model: the prompt and the reply, or why there is none
    | read                                    one action line read from a reply, or found unreadable
    | acted | rejected | looked-around        what the simulator made of it; each costs a step
    | tool-called                             a call of a tool, behind what it did
    | taken-back                              executed actions that a tool took back
    | judged                                  the verdict on one plan of several
    | retrieved | macro-planned | …  )*       events of a system (`pddl2nl.plugins.System`)
    goal-reached?                             the simulator found that the goal holds; no action follows
    finished                                  outcome and accounts; always last in a finished record

Calls with the purpose ``translator`` precede the ``read`` of the translated line. Calls for the wording and for the
example's thoughts are made before the run begins; they follow directly after ``started``, which holds their results.

A one-shot policy (Basic, CoT) writes one ``read`` for every line of its plan, and then ``acted`` events up to the end
of the plan or to the first broken link, which is the only ``rejected``. An interactive policy (Act, ReAct) writes one
``read`` per turn, followed by exactly one of ``acted``, ``rejected`` and ``looked-around``. The random policy and
Score write ``acted`` only. Steps count from 1.

Where a one-shot policy may propose several plans (``samples``, ``rounds``), each ends with a ``judged``: the ``read``,
``acted``, ``rejected`` and ``goal-reached`` since the previous ``judged`` belong to it, and its steps count from 1
again. ``finished`` names the plan that counts; `counted` drops the events of the others.

Actions and literals are PDDL, ``(stack a b)``; texts are in the wording of the run. Events are msgspec structs, which
convert to JSON and back by their types. The name of an event in JSON is its class name in kebab case: ``LookedAround``
is ``looked-around``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, cast, get_args

import msgspec

from pddl2nl.errors import InputError
from pddl2nl.llm.types import Finish, Message, Tariff, Tool, ToolCall, ToolChoice
from pddl2nl.policies.notes import Note

Outcome = Literal[
    "solved", "inapplicable", "goal-missed", "unreadable", "budget", "context", "gave-up", "infrastructure-error"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""How a run can end. ``infrastructure-error`` is no verdict on the policy: such a run is never scored."""

SOLVED = ("solved", "right")
"""The outcomes of runs that reached the goal, and of questions that were answered right."""

MISTAKES = ("unreadable", "ambiguous", "unknown-object", "inapplicable")
"""The kinds of turns or lines that were meant as actions and not executed."""

FORMAT = 2
"""The format of records that this version writes and reads."""

Count = Annotated[int, msgspec.Meta(ge=0)]
"""A whole number that is never negative: steps, calls, tokens."""
Amount = Annotated[float, msgspec.Meta(ge=0)]
"""A number that is never negative: seconds, US dollars."""


class RecordError(InputError):
    """A record, or a line of it, is malformed."""


def _kebab(class_name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", class_name).lower()


class RunEvent(msgspec.Struct, frozen=True, tag_field="event", tag=_kebab, forbid_unknown_fields=True):
    """The base class of all events."""

    last: ClassVar[str] = ""
    """The name of the event that ends a record, if this one begins it."""

    @property
    def event(self) -> str:
        return str(self.__struct_config__.tag)

    def note(self) -> Note | None:
        """How a report's page shows a planning event of a system; None for the events of all runs."""
        return None


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first broken link of a run.

    ``step`` counts turns or plan lines from 1; 0 where no step was reached. ``status`` is ``unreadable``,
    ``ambiguous``, ``unknown-object``, ``not-an-action``, ``inapplicable``, ``world-error``, ``claimed-done``,
    ``claimed-unsolvable``, ``goal-missed``, ``refused``, ``filtered``, ``length``, ``empty``, ``dead-end``, ``budget``,
    ``context-window`` or ``infrastructure-error``; of an answer to a question also ``wrong``, ``incomplete``,
    ``too-costly`` or ``undecided``. ``text`` is what the model said at that step (for a claim that there
    is no plan, the sentence), or the reason where it said nothing.
    """

    step: Count
    status: str
    text: str


class Started(RunEvent, frozen=True):
    """A run began. Its description is recorded in full, so that no other file is needed to repeat it.

    Attributes:
        spec: the description of the run, as `pddl2nl.policies.setting.started_of` writes it: PDDL texts, policy and
            options, models, wording, files and all else.
        domain, problem: the names in the PDDL texts; ``names`` the told name of each PDDL object.
        wording: the words of the run, also where a model made them; null in style ``pddl``.
        example: null for zero-shot, else `pddl2nl.policies.Example.to_json`.
        world: what the policy needs to repeat the run beside its options (`Policy.snapshot`).
        prompts: the SHA-256 of every prompt file used.
        models: the names of the models by role; ``model_settings`` those of the main one (`pddl2nl.llm.settings`).
        base_url: without credentials; null for models without an endpoint.
        solvable: whether the task has a plan, if that was known before the run: by a planner's plan or proof, or by
            the manifest of a shipped problem.
        reference: the ground truth, if the task has one (`pddl2nl.tasks.references`).
        versions: of the packages that took part.
        time: UTC in ISO 8601.
        reading_version: of the reading policy.
        format: of the record; `FORMAT` is what this version writes.
    """

    spec: Mapping[str, Any]
    domain: str
    problem: str
    format: int
    names: Mapping[str, str] = {}
    wording: Mapping[str, Any] | None = None
    example: Mapping[str, Any] | None = None
    world: Mapping[str, Any] = {}
    prompts: Mapping[str, str] = {}
    models: Mapping[str, str] = {}
    model_settings: Mapping[str, Any] = {}
    base_url: str | None = None
    solvable: bool | None = None
    reference: Mapping[str, Any] = {}
    versions: Mapping[str, str] = {}
    time: str = ""
    reading_version: int | None = None

    last = "finished"

    @property
    def policy(self) -> str:
        """The policy's name, or its preset's."""
        return str(self.spec.get("policy", ""))

    @property
    def options(self) -> Mapping[str, Any]:
        """The values of all options of the policy."""
        return cast("Mapping[str, Any]", self.spec.get("options", {}))

    @property
    def model(self) -> str:
        """The main model's name; ``none`` where none is asked."""
        return self.models.get("planner", "none")

    @property
    def seed(self) -> int:
        return int(self.spec.get("seed", 1))

    @property
    def style(self) -> str:
        return str(self.spec.get("style", "nl"))

    @property
    def domain_pddl(self) -> str:
        return str(self.spec.get("domain", ""))

    @property
    def problem_pddl(self) -> str:
        return str(self.spec.get("problem", ""))

    @property
    def suite(self) -> str:
        """What an experiment calls the domain, else empty."""
        return str(self.spec.get("suite", ""))

    @property
    def task(self) -> str:
        """What an experiment calls the task, else empty."""
        return str(self.spec.get("task_name", ""))


class Prompted(RunEvent, frozen=True):
    """A model is asked.

    ``messages`` are those after the first ``kept`` messages of the previous prompt of this purpose: interactive prompts
    grow at their end only, so a record of whole prompts would be quadratic in the steps. ``request_sha256`` is the key
    of the whole request (`pddl2nl.llm.request_key`), by which a record is replayed. ``constraint`` is the key of what
    the reply may be (`pddl2nl.llm.constraint`), and ``until`` the expression at which a streamed reply ends.
    With ``likelihood`` the reply is given, and only its likelihood was asked for. ``tools`` are the functions that the
    model may call, None for those of the previous prompt of this purpose.
    """

    call: Count
    purpose: str
    kept: Count
    messages: tuple[Message, ...]
    request_sha256: str
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    sample: Count = 0
    constraint: str | None = None
    until: str | None = None
    likelihood: bool = False
    tools: tuple[Tool, ...] | None = None
    tool_choice: ToolChoice = "auto"


class Replied(RunEvent, frozen=True):
    """The model's reply to the call of that number.

    ``text`` is its answer as it was written; ``reasoning`` is what a reasoning model thought before it; ``remark`` says
    what is odd about the reply, such as that the context was full.

    ``tool_calls`` are the functions that it called; ``returned`` is what the endpoint wants back with them.
    ``logprob`` is the natural logarithm of its likelihood, where that was asked for.

    Tokens and ``usd`` (null where the price is unknown) are what the reply cost when it was paid, also where our cache
    had it (``from_cache``). ``tariff`` is the price list that applied. ``retries`` is how often the request was sent
    again until the reply came: null where no endpoint was asked, and in records that older versions wrote.
    """

    call: Count
    text: str
    finish: Finish = "text"
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    cached_tokens: Count = 0
    reasoning_tokens: Count = 0
    usd: Amount | None = None
    model: str = ""
    fingerprint: str = ""
    seconds: Amount = 0.0
    tariff: Tariff = "standard"
    from_cache: bool = False
    reasoning: str = ""
    remark: str = ""
    logprob: float | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    returned: str = ""
    retries: Count | None = None


class Failed(RunEvent, frozen=True):
    """The call of that number got no reply, after all retries; ``message`` says why.

    ``context_window`` says that the prompt was longer than the model's context window. Failed calls are in no account,
    so the next call has the same number.
    """

    call: Count
    message: str
    context_window: bool = False


class Read(RunEvent, frozen=True):
    """A span of a reply was read.

    ``start`` and ``end`` are offsets into the last reply that is not a translation. ``status`` and ``rule`` are those
    of `pddl2nl.nl.Reading`, or, for a T-LLM, of `pddl2nl.policies.translating`.
    """

    step: Count
    status: str
    text: str
    action: str | None = None
    candidates: tuple[str, ...] = ()
    rule: str = ""
    line: Count = 0
    start: Count = 0
    end: Count = 0


class Acted(RunEvent, frozen=True):
    """An action was applicable and executed; ``observation`` is what the policy was told.

    ``added`` and ``deleted`` are atoms, ``changed`` the numeric fluents with their new values, ``(= (fuel t) 3)``.
    """

    step: Count
    action: str
    text: str = ""
    observation: str = ""
    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class Rejected(RunEvent, frozen=True):
    """A turn, or a line of a plan, was not executed.

    ``status`` is ``inapplicable`` (``unmet`` holds the failing ground literals), ``unreadable``, ``ambiguous``,
    ``unknown-object``, ``not-an-action``, ``claimed-done`` (the goal did not hold; ``unmet`` holds the unmet goals),
    ``claimed-unsolvable``, or ``world-error`` (the action was applicable, but a faulty world refused it). All but the
    last three are *mistakes*.
    """

    step: Count
    status: str
    text: str
    action: str | None = None
    unmet: tuple[str, ...] = ()
    observation: str = ""


class LookedAround(RunEvent, frozen=True):
    """The model asked for the state and was told it."""

    step: Count
    text: str
    observation: str


NOT_EXECUTED = "not-executed"
"""The status of a call behind one that failed or ended the run."""


class ToolCalled(RunEvent, frozen=True):
    """The model called a tool, in the turn ``step``; ``result`` is what it was answered.

    ``status`` is that of the turn: ``executed``, a status of `Rejected`, ``look-around`` for what a tool tells, or
    ``not-executed`` for a call behind one that failed or ended the run, which costs no step. ``id`` is the one under
    which it was answered; ``arguments`` are as the model wrote them.
    """

    step: Count
    id: str
    name: str
    arguments: str
    status: str
    result: str


class TakenBack(RunEvent, frozen=True):
    """The last ``actions`` executed actions were taken back, by a tool: they are no part of the plan."""

    step: Count
    actions: Count


class GoalReached(RunEvent, frozen=True):
    """The simulator found that the goal holds after this step (0: in the initial state)."""

    step: Count


class Judged(RunEvent, frozen=True):
    """The verdict on one plan of several: that of this ``sample`` (from 0) in this ``round`` of correction.

    ``number`` counts the run's plans from 1. The other fields are those of `Finished` of a run with this plan alone.
    """

    number: Count
    sample: Count
    round: Count
    outcome: Outcome
    fault: Fault | None = None
    plan: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    steps: Count = 0
    mistakes: Count = 0
    turns: Mapping[str, Count] = {}
    message: str = ""


class Finished(RunEvent, frozen=True):
    """The end of a run, with its accounts.

    Attributes:
        plan: the executed actions, in order; of a one-shot plan those before the first broken link.
        proposed: the actions that were read, of a plan that was given at once.
        steps: turns, or the judged lines of a one-shot plan.
        turns: the number of each kind, by the statuses of `Read` and `Rejected`, and ``executed``.
        mistakes: turns or lines that were meant as actions and not executed.
        calls, tokens, usd: of all replies that were used, in all plans; ``usd`` is null where a price is unknown.
        used: the same by role; ``spent``: what was paid in this run (`pddl2nl.policies.budget.Account`).
        message: explains the outcome in a sentence.
        counted: the number of the `Judged` whose plan, steps, turns and mistakes these are; 0 without one.
        digest: seals the record; set where it is written (`pddl2nl.experiments.records.writer.Seal`).
    """

    outcome: Outcome
    fault: Fault | None = None
    plan: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    steps: Count = 0
    mistakes: Count = 0
    turns: Mapping[str, Count] = {}
    cost: str | None = None
    calls: Count = 0
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    cached_tokens: Count = 0
    reasoning_tokens: Count = 0
    usd: Amount | None = None
    seconds: Amount = 0.0
    message: str = ""
    used: Mapping[str, Mapping[str, Count | Amount | None]] = {}
    spent: Mapping[str, Mapping[str, Count | Amount | None]] = {}
    counted: Count = 0
    digest: str = ""


EVENTS: tuple[type[RunEvent], ...] = (
    Started,
    Prompted,
    Replied,
    Failed,
    Read,
    Acted,
    Rejected,
    LookedAround,
    ToolCalled,
    TakenBack,
    GoalReached,
    Judged,
    Finished,
)
"""The events of every policy."""


def event_to_json(event: RunEvent) -> dict[str, Any]:
    """The event as a JSON object: its name under ``event``, then its fields in order."""
    return cast("dict[str, Any]", msgspec.to_builtins(event))


def counted(events: Sequence[RunEvent]) -> tuple[RunEvent, ...]:
    """A run's events without those of plans that do not count; all events where there was only one plan."""
    number_counted = next((event.counted for event in reversed(events) if isinstance(event, Finished)), 0)
    if number_counted == 0:
        return tuple(events)
    kept: list[RunEvent] = []
    number = 1
    for event in events:
        if number == number_counted or not isinstance(event, Read | Acted | Rejected | GoalReached):
            kept.append(event)
        number += isinstance(event, Judged)
    return tuple(kept)


def without_taken_back(events: Sequence[RunEvent]) -> tuple[RunEvent, ...]:
    """The events without the executed actions that were taken back."""
    found: list[RunEvent] = []
    for event in events:
        if isinstance(event, TakenBack):
            acted = [place for place, each in enumerate(found) if isinstance(each, Acted)]
            for place in reversed(acted[len(acted) - event.actions :] if event.actions else []):
                del found[place]
        else:
            found.append(event)
    return tuple(found)
