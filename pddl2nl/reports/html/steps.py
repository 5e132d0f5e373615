"""A stored run as a page shows it: turns, their calls, the spans that were read, and the resulting steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from pddl2nl.llm.types import Message
from pddl2nl.pddl import InputError
from pddl2nl.policies.events import (
    Acted,
    Event,
    Failed,
    Finished,
    GoalReached,
    Judged,
    LookedAround,
    Prompted,
    Read,
    Rejected,
    Replied,
)
from pddl2nl.policies.families import note_of, stage_of
from pddl2nl.policies.family import Note
from pddl2nl.reports.recheck import changes
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord

__all__ = [
    "NOT_REACHED",
    "Call",
    "Piece",
    "Reason",
    "Step",
    "Turn",
    "planner_turns",
    "run_turns",
    "status_label",
    "turns_of",
]

NOT_REACHED = "not-reached"
"""The status of a plan's line after the first failure: it was read but not executed."""

_SIGNS = MappingProxyType(
    {
        "executed": "✓",
        "looked-around": "◎",
        NOT_REACHED: "·",
        "inapplicable": "✗",
        "ambiguous": "?",
        "unknown-object": "∅",
        "unreadable": "~",
        "not-an-action": "¬",
        "claimed-done": "⚑",
        "claimed-unsolvable": "⊥",
    }
)
_SPELLED = frozenset(("looked-around", NOT_REACHED, "claimed-done", "claimed-unsolvable"))

_PREPARING = ("wording", "thoughts")


def status_label(status: str) -> str:
    """A status as readers see it: ``not reached``."""
    return status.replace("-", " ") if status in _SPELLED else status


class Piece(Struct, frozen=True):
    """A piece of a reply; ``status`` is the status of a span that was read, empty for other text.

    ``step`` is the step of the run that the span became; 0 for a line of a block that was corrected later.
    """

    text: str
    status: str = ""
    step: int = 0

    @property
    def label(self) -> str:
        """The status as readers see it."""
        return status_label(self.status)


class Call(Struct, frozen=True):
    """One call of a model: the messages added since its last call, after ``kept`` older ones, and the reply.

    ``purpose`` is the role of the model. ``sample`` numbers several replies to one prompt from 0. ``tariff`` and
    ``from_cache`` say how the call was paid, ``failure`` why there is no reply. ``stage`` is what a hierarchical policy
    asked for: ``macro-plan``, ``block``, …
    """

    number: int
    purpose: str
    kept: int
    messages: tuple[Message, ...]
    reply: tuple[Piece, ...] = ()
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    sample: int = 0
    tariff: str = "standard"
    from_cache: bool = False
    failure: str = ""
    stage: str = ""

    @property
    def paid(self) -> str:
        """How the call was paid; empty for the standard tariff."""
        batch = "by the batch tariff" if self.tariff == "batch" else ""
        return ", ".join(filter(None, ("from our cache" if self.from_cache else "", batch)))


class Reason(Struct, frozen=True):
    """Why a condition does not hold: its PDDL ``literal``, and the same ``told`` in the run's words if it has any.

    ``step`` is the step of the run that last made it false, by ``action``; None if no step did. ``never`` says that it
    never held before.
    """

    literal: str
    told: str = ""
    step: int | None = None
    action: str = ""
    never: bool = False


class Step(Struct, frozen=True):
    """One turn or one line of a plan, and its result.

    ``status`` is ``executed``, ``looked-around``, `NOT_REACHED`, or that of a `Rejected`; ``said`` is the text that
    was read and ``rule`` the rule that read it. ``goal`` says that the goal held afterwards. ``reasons`` explain what
    is ``unmet`` (`pddl2nl.reports.html.reasons`).
    """

    number: int
    status: str
    said: str = ""
    action: str | None = None
    rule: str = ""
    candidates: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    observation: str = ""
    goal: bool = False
    reasons: tuple[Reason, ...] = ()

    @property
    def label(self) -> str:
        """The status as readers see it."""
        return status_label(self.status)

    @property
    def sign(self) -> str:
        """A sign of the status, so that no status is told by its colour only; ``!`` for unknown ones."""
        return _SIGNS.get(self.status, "!")

    @property
    def mistake(self) -> bool:
        """Whether the step failed."""
        return self.status not in ("executed", "looked-around", NOT_REACHED)


class Turn(Struct, frozen=True):
    """The calls up to a reply, and the steps read from it.

    ``judged`` is the verdict if the steps are one plan of several; ``counts`` says whether they are the run's steps.
    ``notes`` show the planning events of the policy's family, ``remarks`` those of execution.
    """

    calls: tuple[Call, ...]
    steps: tuple[Step, ...]
    judged: Judged | None = None
    counts: bool = True
    notes: tuple[Note, ...] = ()
    remarks: tuple[Note, ...] = ()

    @property
    def anchor(self) -> str:
        """A suffix that distinguishes these steps from those of other plans."""
        return "" if self.counts else f"-call-{self.calls[0].number}" if self.calls else "-other"


def turns_of(record: Record) -> tuple[Turn, ...]:
    """The turns of any record; a planner's plan is one turn."""
    return run_turns(record.events) if isinstance(record, RunRecord) else planner_turns(record)


def planner_turns(record: PlannerRecord) -> tuple[Turn, ...]:
    """A planner's plan as steps, with the effects computed by our simulator."""
    try:
        found = changes(record)
    except InputError:
        steps = [Step(number, NOT_REACHED, action=action) for number, action in enumerate(record.plan, 1)]
        return (Turn((), tuple(steps)),) if steps else ()
    steps = [
        Step(
            number,
            "executed" if change.applicable else "inapplicable",
            action=change.action,
            unmet=change.unmet,
            added=change.added,
            deleted=change.deleted,
            changed=change.changed,
        )
        for number, change in enumerate(found, 1)
    ]
    if steps and record.solved and not steps[-1].mistake:
        steps[-1] = replace(steps[-1], goal=True)
    return (Turn((), tuple(steps)),) if steps else ()


def run_turns(events: Iterable[Event]) -> tuple[Turn, ...]:
    """The turns of an episode: a new one begins with the first call after a step, or after a plan was judged.

    Calls for the wording and the example's thoughts come first and are a turn of their own. While a hierarchical policy
    plans, a turn begins with the first call after it noted the result of the calls before.
    """
    drafts: list[_Draft] = [_Draft()]
    counted = 0
    stage = ""
    for event in events:
        draft = drafts[-1]
        if isinstance(event, Prompted):
            if draft.is_over(event):
                draft = _Draft()
                drafts.append(draft)
            # A prompt that continues the last one has the same stage.
            stage = stage if event.kept else stage_of(event.messages) or ""
            call = Call(event.call, event.purpose, event.kept, event.messages, sample=event.sample, stage=stage)
            draft.calls.append(call)
        elif isinstance(event, Replied):
            draft.asked(event)
            draft.reply(event)
        elif isinstance(event, Failed):
            draft.asked(event)
            draft.calls[-1] = replace(draft.calls[-1], failure=event.message)
        elif isinstance(event, Read):
            draft.reads.append((draft.spoken, event))
        elif isinstance(event, Acted | Rejected | LookedAround):
            draft.results[event.step] = event
        elif isinstance(event, GoalReached):
            draft.goal = event.step
        elif isinstance(event, Judged):
            draft.judged = event
        elif (note := note_of(event)) is not None:
            (draft.remarks if note.remark else draft.notes).append(note)
        elif isinstance(event, Finished):
            counted = event.counted
    turns = (draft.turn(counted) for draft in drafts)
    return tuple(turn for turn in turns if turn.calls or turn.steps or turn.notes or turn.remarks)


@dataclass
class _Draft:
    """A turn under construction."""

    calls: list[Call] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    reads: list[tuple[int, Read]] = field(default_factory=list)
    results: dict[int, Acted | Rejected | LookedAround] = field(default_factory=dict)
    goal: int | None = None
    judged: Judged | None = None
    notes: list[Note] = field(default_factory=list)
    remarks: list[Note] = field(default_factory=list)

    @property
    def spoken(self) -> int:
        """The index of the last call that is not a translation; its reply was read."""
        return max((index for index, call in enumerate(self.calls) if call.purpose != "translator"), default=-1)

    def is_over(self, event: Prompted) -> bool:
        """Whether the call starts a new turn."""
        prepared = bool(self.calls) and self.calls[-1].purpose in _PREPARING and event.purpose not in _PREPARING
        return prepared or bool(self.results or self.notes or self.remarks) or self.judged is not None

    def asked(self, event: Replied | Failed) -> None:
        """Adds an empty call if a foreign record has a reply without a prompt."""
        if not self.calls:
            self.calls.append(Call(event.call, "planner", 0, ()))

    def reply(self, event: Replied) -> None:
        index = len(self.calls) - 1
        self.texts[index] = event.text
        self.calls[index] = replace(
            self.calls[index],
            finish=event.finish,
            prompt_tokens=event.prompt_tokens,
            completion_tokens=event.completion_tokens,
            tariff=event.tariff,
            from_cache=event.from_cache,
        )

    def turn(self, counted: int) -> Turn:
        read_at = {read.step: read for _, read in self.reads}
        # Lines read while planning belong to a block and are not steps of the run.
        numbers = sorted(self.results if self.notes else read_at.keys() | self.results.keys())
        steps = tuple(
            replace(_step(number, read_at.get(number), self.results.get(number)), goal=number == self.goal)
            for number in numbers
        )
        status = {step.number: step.status for step in steps}
        calls = []
        for index, call in enumerate(self.calls):
            spans = [
                (replace(read, step=0), read.status) if self.notes else (read, status[read.step])
                for at, read in self.reads
                if at == index
            ]
            calls.append(replace(call, reply=_pieces(self.texts.get(index, ""), spans)))
        number = 0 if self.judged is None else self.judged.number
        noted = tuple(self.notes), tuple(self.remarks)
        return Turn(tuple(calls), steps, self.judged, number == counted, *noted)


def _step(number: int, read: Read | None, result: Acted | Rejected | LookedAround | None) -> Step:
    step = Step(number, NOT_REACHED)
    if read is not None:
        status = NOT_REACHED if read.status == "read" else read.status
        step = Step(number, status, read.text, read.action, read.rule, read.candidates)
    if result is None:
        return step
    step = replace(step, said=step.said or result.text, observation=result.observation)
    if isinstance(result, Acted):
        return replace(
            step,
            status="executed",
            action=result.action,
            added=result.added,
            deleted=result.deleted,
            changed=result.changed,
        )
    if isinstance(result, Rejected):
        return replace(step, status=result.status, action=result.action or step.action, unmet=result.unmet)
    return replace(step, status="looked-around")


def _pieces(text: str, spans: list[tuple[Read, str]]) -> tuple[Piece, ...]:
    pieces = []
    done = 0
    for read, status in sorted(spans, key=lambda item: item[0].start):
        # A foreign record may hold spans that overlap or lie outside the text; keep every character anyway.
        if read.start < done or read.end > len(text) or read.end <= read.start:
            continue
        if read.start > done:
            pieces.append(Piece(text[done : read.start]))
        pieces.append(Piece(text[read.start : read.end], status, read.step))
        done = read.end
    if done < len(text):
        pieces.append(Piece(text[done:]))
    return tuple(pieces)
