"""A run as its page shows it: its settings, outcome, turns and steps, and the validator's verdict on its plan.

A turn has the calls of models, the spans of replies that were read, and the resulting steps. Why a step failed,
and which step deleted a missing condition, is computed anew by the validator from the PDDL texts in the record, so it
does not depend on what the run itself was told. The words are those of the run's wording.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from pddl2nl.experiments.layout import Place
from pddl2nl.experiments.records.stored import PlannerRecord, Record, RunRecord, read_record, task_of
from pddl2nl.nl import Names, Style, Teller, wording_from_json
from pddl2nl.pddl import InputError, write_condition
from pddl2nl.plugins import fails_alone, is_ours, provided
from pddl2nl.policies.events import (
    NOT_EXECUTED,
    Acted,
    Failed,
    Finished,
    GoalReached,
    Judged,
    LookedAround,
    Prompted,
    Read,
    Rejected,
    Replied,
    RunEvent,
    Started,
    TakenBack,
    ToolCalled,
)
from pddl2nl.policies.notes import Note
from pddl2nl.policies.policy import option_text
from pddl2nl.policies.prompts import stage_of
from pddl2nl.policies.reporting import RunMetric, read_task
from pddl2nl.policies.spec import RUN_OPTIONS
from pddl2nl.reports.metrics import all_metrics, roles
from pddl2nl.reports.recheck import Recheck, effects, recheck
from pddl2nl.reports.summaries import RunSummary
from pddlval import Cause, GroundAction, validate

NOT_REACHED = "not-reached"
"""The status of a plan's line after the first failure: it was read but not executed."""
TAKEN_BACK = "taken-back"
"""The status of an executed action that a tool took back."""

_SIGNS = {
    "executed": "✓",
    "looked-around": "◎",
    NOT_REACHED: "·",
    TAKEN_BACK: "↶",
    "inapplicable": "✗",
    "ambiguous": "?",
    "unknown-object": "∅",
    "unreadable": "~",
    "not-an-action": "¬",
    "world-error": "✗",
    "claimed-done": "⚑",
    "claimed-unsolvable": "⊥",
}
_SPELLED = frozenset(
    ("looked-around", NOT_REACHED, TAKEN_BACK, NOT_EXECUTED, "world-error", "claimed-done", "claimed-unsolvable")
)


def status_label(status: str) -> str:
    """A status as readers see it: ``not reached``."""
    return status.replace("-", " ") if status in _SPELLED else status


class ReplyPiece(Struct, frozen=True):
    """A piece of a reply; ``status`` is that of a span that was read or of a call of a tool, empty for other text.

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
    """One call of a model: its prompt, the answer (None without one), and the reply in pieces.

    ``stage`` is what a policy of several stages asked for: ``macro-plan``, ``block``, ….
    """

    prompt: Prompted
    answer: Replied | Failed | None = None
    reply: tuple[ReplyPiece, ...] = ()
    stage: str = ""

    @property
    def failure(self) -> str:
        """Why there is no reply; empty if there is one."""
        return self.answer.message if isinstance(self.answer, Failed) else ""

    @property
    def replied(self) -> Replied:
        """The reply; empty without one."""
        return self.answer if isinstance(self.answer, Replied) else Replied(0, "")

    @property
    def paid(self) -> str:
        """How the call was paid; empty for the standard tariff."""
        batch = "by the batch tariff" if self.replied.tariff == "batch" else ""
        return ", ".join(filter(None, ("from our cache" if self.replied.from_cache else "", batch)))


class Reason(Struct, frozen=True):
    """Why a condition does not hold: its PDDL ``literal``, and the same in ``words``, those of the run, if it has any.

    ``step`` is the step of the run that last made it false, by ``action``; None if no step did. ``never`` says that it
    never held before.
    """

    literal: str
    words: str = ""
    step: int | None = None
    action: str = ""
    never: bool = False


class Step(Struct, frozen=True):
    """One turn or one line of a plan, and its result.

    ``status`` is ``executed``, ``looked-around``, `NOT_REACHED`, or that of a `Rejected`; ``said`` is the text that
    was read and ``rule`` the rule that read it. ``goal`` says that the goal held afterwards. ``reasons`` explain what
    is ``unmet``.
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
        return status_label(self.status)

    @property
    def sign(self) -> str:
        """A sign of the status, so that no status is shown only by its colour; ``!`` for unknown ones."""
        return _SIGNS.get(self.status, "!")

    @property
    def mistake(self) -> bool:
        return self.status not in ("executed", "looked-around", NOT_REACHED, TAKEN_BACK)


class ShownTurn(Struct, frozen=True):
    """The calls up to a reply, and the steps read from it.

    ``judged`` is the verdict if the steps are one plan of several; ``counts`` says whether they are the run's steps.
    ``notes`` show the planning events of the policy's system, ``remarks`` those of execution.
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
        return "" if self.counts else f"-call-{self.calls[0].prompt.call}" if self.calls else "-other"


def _note(event: RunEvent) -> Note | None:
    """How an event is shown; not at all, with a warning, where another package's function fails."""
    if is_ours(type(event).__module__):
        return event.note()
    with fails_alone(f"the note of the event '{type(event).__name__}'"):
        note = event.note()
        if note is None or isinstance(note, Note):
            return note
        raise InputError(f"expected a pddl2nl.policies.notes.Note, found a {type(note).__name__}")
    return None


def turns_of(record: Record) -> tuple[ShownTurn, ...]:
    """The turns of any record; a planner's plan is one turn, with the effects computed by our simulator."""
    if not isinstance(record, PlannerRecord):
        return run_turns(record.events)
    try:
        steps = [_step(event.step, None, event) for event in effects(record)]
    except InputError:
        steps = [Step(number, NOT_REACHED, action=action) for number, action in enumerate(record.plan, 1)]
    if steps and record.solved and steps[-1].status == "executed":
        steps[-1] = replace(steps[-1], goal=True)
    return (ShownTurn((), tuple(steps)),) if steps else ()


def run_turns(events: Iterable[RunEvent]) -> tuple[ShownTurn, ...]:
    """The turns of an episode: a new one begins with the first call after a step, or after a plan was judged.

    Calls for the wording and the example's thoughts come first and are a turn of their own. While a policy of a system
    plans, a turn begins with the first call after it noted the result of the calls before.
    """
    drafts: list[_StepDraft] = [_StepDraft()]
    acted: list[tuple[_StepDraft, int]] = []
    counted = 0
    stage = ""
    for event in events:
        draft = drafts[-1]
        if isinstance(event, Prompted):
            if draft.ends_before(event):
                draft = _StepDraft()
                drafts.append(draft)
            # A prompt that continues the last one has the same stage.
            stage = stage if event.kept else stage_of(event.messages)
            draft.calls.append(Call(event, stage=stage))
        elif isinstance(event, Replied | Failed):
            if not draft.calls:  # a foreign record
                draft.calls.append(Call(Prompted(event.call, "planner", 0, (), "")))
            draft.calls[-1] = replace(draft.calls[-1], answer=event)
        elif isinstance(event, Read):
            # A translation is not read; the reply before it is.
            spoken = [at for at, call in enumerate(draft.calls) if call.prompt.purpose != "translator"]
            draft.reads.append((max(spoken, default=-1), event))
        elif isinstance(event, Acted | Rejected | LookedAround):
            draft.results[event.step] = event
            if isinstance(event, Acted):
                acted.append((draft, event.step))
        elif isinstance(event, ToolCalled):
            draft.called.append((len(draft.calls) - 1, event))
        elif isinstance(event, TakenBack):
            for _ in range(min(event.actions, len(acted))):
                where, step = acted.pop()
                where.taken_back.add(step)
        elif isinstance(event, GoalReached):
            draft.goal = event.step
        elif isinstance(event, Judged):
            draft.judged = event
        elif isinstance(event, Finished):
            counted = event.counted
        elif (note := _note(event)) is not None:
            (draft.remarks if note.remark else draft.notes).append(note)
    turns = (draft.turn(counted) for draft in drafts)
    return tuple(turn for turn in turns if turn.calls or turn.steps or turn.notes or turn.remarks)


_PREPARING = ("wording", "thoughts")


@dataclass
class _StepDraft:
    """A turn under construction; ``reads`` and ``called`` have the index of the call whose reply was read."""

    calls: list[Call] = field(default_factory=list)
    reads: list[tuple[int, Read]] = field(default_factory=list)
    results: dict[int, Acted | Rejected | LookedAround] = field(default_factory=dict)
    called: list[tuple[int, ToolCalled]] = field(default_factory=list)
    taken_back: set[int] = field(default_factory=set)
    goal: int | None = None
    judged: Judged | None = None
    notes: list[Note] = field(default_factory=list)
    remarks: list[Note] = field(default_factory=list)

    def ends_before(self, event: Prompted) -> bool:
        prepared = bool(self.calls) and self.calls[-1].prompt.purpose in _PREPARING
        if prepared and event.purpose not in _PREPARING:
            return True
        return bool(self.results or self.notes or self.remarks) or self.judged is not None

    def turn(self, counted: int) -> ShownTurn:
        read_at = {read.step: read for _, read in self.reads}
        # Lines read while planning belong to a block and are not steps of the run.
        numbers = sorted(self.results if self.notes else read_at.keys() | self.results.keys())
        steps = [_step(number, read_at.get(number), self.results.get(number)) for number in numbers]
        steps = [replace(step, goal=True) if step.number == self.goal else step for step in steps]
        steps = [replace(step, status=TAKEN_BACK) if step.number in self.taken_back else step for step in steps]
        status = {step.number: step.status for step in steps}
        calls = []
        for index, call in enumerate(self.calls):
            reads = [read for at, read in self.reads if at == index]
            spans = [(read, status.get(read.step, read.status), 0 if self.notes else read.step) for read in reads]
            called = [event for at, event in self.called if at == index]
            pieces = (*_pieces(call.replied.text, spans), *_call_pieces(call.replied, called, status))
            calls.append(replace(call, reply=pieces))
        number = 0 if self.judged is None else self.judged.number
        notes, remarks = tuple(self.notes), tuple(self.remarks)
        return ShownTurn(tuple(calls), tuple(steps), self.judged, number == counted, notes, remarks)


def _step(number: int, read: Read | None, result: Acted | Rejected | LookedAround | None) -> Step:
    step = Step(number, NOT_REACHED)
    if read is not None:
        status = NOT_REACHED if read.status == "read" else read.status
        step = Step(number, status, read.text, read.action, read.rule, read.candidates)
    if result is None:
        return step
    step = replace(step, said=step.said or result.text, observation=result.observation)
    if isinstance(result, LookedAround):
        return replace(step, status="looked-around")
    if isinstance(result, Rejected):
        return replace(step, status=result.status, action=result.action or step.action, unmet=result.unmet)
    changes = {"added": result.added, "deleted": result.deleted, "changed": result.changed}
    return replace(step, status="executed", action=result.action, **changes)


def _pieces(text: str, spans: list[tuple[Read, str, int]]) -> tuple[ReplyPiece, ...]:
    pieces = []
    done = 0
    for read, status, step in sorted(spans, key=lambda item: item[0].start):
        # A foreign record may hold spans that overlap or lie outside the text; keep every character anyway.
        if read.start < done or read.end > len(text) or read.end <= read.start:
            continue
        if read.start > done:
            pieces.append(ReplyPiece(text[done : read.start]))
        pieces.append(ReplyPiece(text[read.start : read.end], status, step))
        done = read.end
    if done < len(text):
        pieces.append(ReplyPiece(text[done:]))
    return tuple(pieces)


def _call_pieces(replied: Replied, called: Sequence[ToolCalled], status: Mapping[int, str]) -> Iterator[ReplyPiece]:
    """The calls of tools in a reply; those behind the end of a run have no event of their own."""
    for number, call in enumerate(replied.tool_calls):
        event = called[number] if number < len(called) else None
        text = f"{call.name}({call.arguments})"
        if number or replied.text:
            yield ReplyPiece("\n")
        if event is None or event.status == NOT_EXECUTED:
            yield ReplyPiece(text, NOT_EXECUTED)
        else:
            yield ReplyPiece(text, status.get(event.step, event.status), event.step)


# ── reasons ──────────────────────────────────────────────────────────────────────────────────────


def explained(record: Record, turns: Sequence[ShownTurn]) -> tuple[ShownTurn, ...]:
    """The turns, each step that has something ``unmet`` with its reasons; never raises for the content of a record."""
    if not any(step.unmet for turn in turns for step in turn.steps):
        return tuple(turns)
    found = []
    before: list[Step] = []
    for turn in turns:
        # Several plans of one run are executed each from the initial state.
        if turn.judged is not None:
            before = []
        steps = []
        for step in turn.steps:
            steps.append(replace(step, reasons=_reasons(record, before, step)) if step.unmet else step)
            if step.status == "executed":
                before.append(step)
        found.append(replace(turn, steps=tuple(steps)))
    return tuple(found)


def missing_goals(record: Record, turns: Iterable[ShownTurn], again: Recheck) -> tuple[Reason, ...]:
    """The goals that do not hold after the executed actions; empty if all hold or the run could not be judged."""
    if again.verdict != "goal-not-satisfied":
        return ()
    executed = [step for turn in turns if turn.counts for step in turn.steps if step.status == "executed"]
    return _as_reasons(record, again.causes, executed)


def _reasons(record: Record, before: Sequence[Step], step: Step) -> tuple[Reason, ...]:
    """The validator's causes; if it finds other conditions than the record has, the recorded ones without causes."""
    actions = [done.action or "" for done in before]
    if step.status != "claimed-done":
        actions.append(step.action or "")
    try:
        report = validate(task_of(record), [GroundAction.parse(action) for action in actions])
    except InputError:
        report = None
    if report is None or {write_condition(cause.literal) for cause in report.explanation} != set(step.unmet):
        return tuple(Reason(literal) for literal in step.unmet)
    return _as_reasons(record, report.explanation, before)


def _as_reasons(record: Record, causes: Iterable[Cause], executed: Sequence[Step]) -> tuple[Reason, ...]:
    """The causes, with action numbers of the plan translated to step numbers of the run."""
    found = []
    teller = _teller_of(record)
    for cause in causes:
        number = cause.deleted_by_step
        deleter = executed[number - 1] if number is not None and number <= len(executed) else None
        try:
            words = "" if teller is None else teller.reasons([cause.literal])
        except (InputError, KeyError):  # no words for it
            words = ""
        step, action = (None, "") if deleter is None else (deleter.number, deleter.action or "")
        found.append(Reason(write_condition(cause.literal), words, step, action, cause.never_held))
    return tuple(found)


def _teller_of(record: Record) -> Teller | None:
    """Tells conditions in the words of the run; None if the run used PDDL or its words cannot be read."""
    if not isinstance(record, RunRecord) or record.started.wording is None or record.started.style != "nl":
        return None
    started = record.started
    wording, names = json.dumps(started.wording), tuple(started.names.items())
    try:
        return _teller(started.domain_pddl, started.problem_pddl, wording, names, started.style)
    except (InputError, KeyError):
        return None


@lru_cache(maxsize=64)
def _teller(domain: str, problem: str, wording: str, names: tuple[tuple[str, str], ...], style: str) -> Teller:
    # The key is the texts, because hashing a task would walk its whole tree.
    task = read_task(domain, problem)
    read = wording_from_json(json.loads(wording), task.domain, "the recorded wording")
    return Teller(task, read, Names(dict(names), "recorded"), cast(Style, style))


# ── the run ──────────────────────────────────────────────────────────────────────────────────────

OUTCOME_MEANINGS = {
    "solved": "the goal was reached",
    "inapplicable": "an action of the plan could not be executed",
    "goal-missed": "all was executed, the goal does not hold",
    "unreadable": "no action, or no answer, could be read",
    "right": "the answer is right",
    "wrong": "the answer is wrong",
    "undecided": "whether the answer is right was not decided in time",
    "budget": "a limit of steps, calls, tokens, money or time ran out",
    "context": "a prompt was longer than the model or --context allows",
    "gave-up": "the policy stopped by itself",
    "unsolvable": "the planner proved that there is no plan",
    "timeout": "the planner's limit ran out",
    "out-of-memory": "the planner's memory ran out",
    "unsupported": "the planner does not support the task",
    "infrastructure-error": "a tool or an endpoint failed; never scored",
}
"""The meanings of the outcomes of episodes, planners and questions."""


def counted(number: int, noun: str, many: str = "") -> str:
    """``1 run``, ``2 runs``."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


@dataclass(frozen=True, slots=True)
class PageRun:
    """A run in its place: its unique ``anchor``, the names of its column and task, and its cells in the layout."""

    summary: RunSummary
    anchor: str
    column: str
    task: str
    places: tuple[Place, ...] = ()

    @property
    def tone(self) -> str:
        """``solved``, ``failed``, ``broken`` by infrastructure, or ``running``: the colour."""
        if self.summary.outcome == "running":
            return "running"
        if self.summary.infrastructure:
            return "broken"
        return "solved" if self.summary.solved else "failed"

    @property
    def gist(self) -> str:
        """The size of a run in a few words: actions of its plan, mistakes and calls."""
        nouns = (("plan-length", "action"), ("mistakes", "mistake"), ("calls", "call"))
        values = ((self.summary.values.get(name), noun) for name, noun in nouns)
        return " · ".join(counted(int(value), noun) for value, noun in values if value)


@dataclass(frozen=True)
class RunView:
    """A run with everything that its page shows; ``missing`` holds the goals that do not hold at its end."""

    place: PageRun
    record: Record
    turns: tuple[ShownTurn, ...]
    missing: tuple[Reason, ...]
    recheck: Recheck
    facts: Mapping[str, str]

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the plan that counts, or of the episode."""
        return tuple(step for turn in self.turns if turn.counts for step in turn.steps)

    @property
    def statuses(self) -> Mapping[str, int]:
        """The number of steps by status, in order of first occurrence."""
        return Counter(step.status for step in self.steps)

    @property
    def message(self) -> str:
        """Why the run ended; empty if the outcome or the fault says the same."""
        message = "" if isinstance(self.record, PlannerRecord) else self.record.last.message
        fault = "" if self.record.fault is None else self.record.fault.text
        return "" if message in (fault, OUTCOME_MEANINGS.get(self.record.outcome)) else message.rstrip(".")

    @property
    def recheck_text(self) -> str:
        """The validator's verdict on the executed actions, computed for the page."""
        if self.recheck.verdict == "no-plan":
            return "There is no plan to judge again."
        if self.recheck.verdict == "running":
            return "Not ended: it goes on, or was cut off and waits to be resumed. It is judged when it ends."
        verdict = {
            "valid": "a valid plan",
            "goal-not-satisfied": "applicable, the goal does not hold at the end",
            "inapplicable": "not applicable",
            "bad-plan": "no plan of this domain",
        }.get(self.recheck.verdict, f"not to be judged: {self.recheck.note}")
        agrees = "as the record says" if self.recheck.agrees else "which is NOT what the record says"
        faulty = isinstance(self.record, RunRecord) and self.record.faults
        where = "the PDDL and the faults of its world" if faulty else "the PDDL alone"
        actions = counted(self.recheck.steps, "action")
        return f"Judged again for this page, from {where}: {actions}, {verdict}; {agrees}."


def view_of(place: PageRun) -> RunView:
    """Reads the record of a run; raises as `read_record` does."""
    return view_of_record(place, read_record(place.summary.path))


def view_of_record(place: PageRun, record: Record) -> RunView:
    """A run by its record."""
    turns = explained(record, turns_of(record))
    again = Recheck("running", True, len(record.plan)) if place.tone == "running" else recheck(record)
    return RunView(place, record, turns, missing_goals(record, turns, again), again, facts_of(record))


# ── how it was made ──────────────────────────────────────────────────────────────────────────────


def facts_of(record: Record) -> dict[str, str]:
    """The settings and costs of a run by name, without empty values."""
    facts = dict(record.facts)
    if isinstance(record, RunRecord):
        facts |= {**_settings(record), **_truth_and_world(record), **_costs(record)}
    facts |= {"seconds": f"{record.last.seconds:.2f}", "record": f"{record.id}.jsonl"}
    return {name: str(value) for name, value in facts.items() if value not in (None, "")}


def _settings(record: RunRecord) -> dict[str, object]:
    started = record.started
    source = (started.wording or {}).get("source")
    renamed = {name: shown for name, shown in started.names.items() if name != shown}
    solvable = {None: "", True: "yes", False: "no, as was proved"}[record.solvable]
    return {
        "policy": started.policy,
        "options of the policy": _pairs(started.options),
        "model": record.model or "none was asked",
        "other models": _pairs({role: name for role, name in started.models.items() if role != "planner"}),
        "seed": started.seed,
        "style": started.style,
        "wording": _pairs(source) if isinstance(source, Mapping) else "",
        "objects are called": ", ".join(f"{name} is {shown}" for name, shown in renamed.items()),
        "options of the run": _pairs(_run_options(started)),
        "version of reading": started.reading_version,
        "example": _example(started.example),
        "profile": started.spec.get("profile"),
        "endpoint": started.base_url,
        "set for the model": _pairs(started.model_settings),
        "has a plan": solvable,
        "versions": _pairs(started.versions),
        "prompt files, SHA-256": _pairs({name: digest[:12] for name, digest in started.prompts.items()}),
    }


_SHOWN_ELSEWHERE = ("policy", "options", "model", "models", "wording", "style", "files", "example", "prompts", "seed")


def _run_options(started: Started) -> dict[str, object]:
    options = {name: option for name, option in RUN_OPTIONS.items() if name not in _SHOWN_ELSEWHERE}
    return {
        name.replace("_", "-"): value
        for name, option in options.items()
        if (value := started.spec.get(name, option.default)) != option.default
    }


def _example(example: Mapping[str, object] | None) -> str:
    if example is None:
        return "none"
    origin = f"{example.get('source') or ''}, thoughts {example.get('thoughts') or ''}"
    return f"{origin}: {example['thoughts_note']}" if example.get("thoughts_note") else origin


def _truth_and_world(record: RunRecord) -> dict[str, object]:
    """The ground truth, and the metrics of the policy's system; empty if the run has none of them."""
    facts: dict[str, object] = {}
    if (reference := record.reference) is not None:
        facts["task"] = f"{reference.task}: {reference.title}"
        facts["task in words"] = reference.text
        facts["ground truth"] = "; ".join(
            f"{way.name or 'a plan'}, {way.length} actions in {len(way.blocks)} blocks" for way in reference.ways
        )
    if not record.infrastructure:
        if reference is not None:
            measured = [(each.short, each.of(record)) for each in all_metrics().values() if each.short]
            facts["measured against it"] = _percents(measured)
        if (system := record.system) is not None:
            brought = [each.name for of, metrics in provided("metrics", RunMetric) if of is system for each in metrics]
            own = [all_metrics()[name] for name in brought]
            shown = [(each.name.replace("-", " "), each.of(record)) for each in own if not each.short]
            facts[f"metrics of {system.title}"] = _percents(shown)
    return facts


def _percents(values: list[tuple[str, float | None]]) -> str:
    return ", ".join(f"{name} {value:.2f} %" for name, value in values if value is not None)


def _costs(record: RunRecord) -> dict[str, object]:
    """What each role used, and what of it this run paid; a foreign record may have no accounts by role."""
    found: dict[str, object] = {}
    for role in roles():
        if (used := record.finished.used.get(role)) is not None:
            found[f"used by the {role}"] = _account(used)
        if (spent := record.finished.spent.get(role)) is not None:
            hits = spent.get("cache_hits")
            found[f"paid for the {role}"] = _account(spent) + (f", {hits} more from our cache" if hits else "")
    return found


def _account(account: Mapping[str, object]) -> str:
    usd, calls = account.get("usd"), account.get("calls", 0)
    price = f"{usd:.6g} USD" if isinstance(usd, int | float) else "price unknown"
    kinds = ", ".join(f"{n} {kind}" for kind in ("cached", "reasoning") if (n := account.get(f"{kind}_tokens")))
    tokens = f"{account.get('prompt_tokens', 0)} + {account.get('completion_tokens', 0)} tokens"
    return f"{calls} {'call' if calls == 1 else 'calls'}, {tokens}{f' ({kinds})' if kinds else ''}, {price}"


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {option_text(value)}" for name, value in values.items() if value is not None)
