"""The episode: a policy's only view of the world, and the one mutable object of a run.

An episode tells the task, asks the model, reads the replies, lets the simulator decide, keeps the budget, and writes
the events (`pddl2nl.policies.events`). The verdict chain of a turn: reply → the span that was read → PDDL action →
applicable, or the unmet conditions → goal, or the unmet goals.

Rules that hold for every policy:

* Every turn costs a step: executed, inapplicable, ambiguous, unreadable, look-around and claim alike.
* Only the simulator decides that the goal is reached; an interactive episode ends at that moment.
* An inapplicable action changes nothing: the policy is told why it was not executed.
* A claim to be done while the goal does not hold is answered with what is missing; a second claim in direct succession
  ends the episode as ``gave-up``. So does a statement that there is no plan, right or wrong.
* Of a one-shot plan the first broken link decides: a line that cannot be read (``unreadable``), an action that is not
  applicable (``inapplicable``), and at the end the goal (``goal-missed``), which must hold there and not on the way.
* A reply that was cut off by length loses its last line, which may be half an action. Where everything before the cut
  can be executed and the goal is not reached, the outcome is ``budget``.
* A T-LLM's calls are on the same accounts and limits as all others.
* A failing endpoint, planner or record ends the episode as ``infrastructure-error``, never as a verdict.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, NoReturn

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import (
    Answer,
    Completion,
    ContextWindowError,
    Finish,
    Message,
    Model,
    Purpose,
    Request,
    Tool,
    ToolCall,
)
from pddl2nl.llm.constraint import Constraint
from pddl2nl.llm.tokens import estimate_tokens
from pddl2nl.llm.types import AgentLeftError, ToolChoice
from pddl2nl.nl import Reading, Readings
from pddl2nl.nl.markers import ACTION, NO_PLAN
from pddl2nl.nl.reading.claims import is_marked_no_plan, no_plan_said, no_plan_said_in_turn
from pddl2nl.nl.reading.readings import settle
from pddl2nl.pddl import write_condition
from pddl2nl.plugins import ends_all, said
from pddl2nl.policies.budget import LimitReachedError, Limits, ModelCalls, PricedModel, total
from pddl2nl.policies.events import (
    NOT_EXECUTED,
    Acted,
    Fault,
    Finished,
    GoalReached,
    Judged,
    LookedAround,
    Outcome,
    Read,
    Rejected,
    RunEvent,
    ToolCalled,
)
from pddl2nl.policies.setting import RequestSettings, Setting
from pddl2nl.policies.spec import Acting
from pddl2nl.policies.trace import Trace, Verdict, not_reached, not_read, timed_plan
from pddl2nl.policies.translating import Ask
from pddlval import BadActionError, GroundAction, State
from pddlval.simulator import CLOCK

TRANSLATOR_TOKENS = 750
"""The longest answer of the T-LLM to a line (appendix A of the paper)."""

REPLY_TOKENS = 4_000
"""The longest answer of the T-LLM to a whole reply; for a short one `_translation_tokens`."""

_SAMPLE_SEEDS = 1000
"""The distance between the seeds of two samples of one run: larger than between two runs of an experiment."""

ENDED = "the task has ended"
_NO_PLAN_MESSAGE = "the model says that there is no plan"


def _translation_tokens(reply: str) -> int:
    """The longest answer to a whole reply: a small model under a grammar repeats steps up to any limit."""
    return min(REPLY_TOKENS, 100 + 3 * estimate_tokens(len(reply)))


class EpisodeOver(Exception):
    """Unwinds a policy whose episode has ended; only `Episode.play` catches it."""


@dataclass(frozen=True)
class Turn:
    """The result of a turn: ``executed`` or a status as in `Rejected`, and what the policy is told."""

    status: str
    observation: str
    done: bool


def _counting(verdicts: Sequence[Verdict]) -> int:
    """The index of the plan that counts: the first valid one, else the first sample of the last round."""
    valid = (index for index, verdict in enumerate(verdicts) if verdict.valid)
    last = (index for index, verdict in enumerate(verdicts) if verdict.round == verdicts[-1].round)
    return next(chain(valid, last))


# ── reading replies ──────────────────────────────────────────────────────────────────────────────


class ReplyParser:
    """Reads the replies of one episode: by the reader, then by the state, then by the T-LLM, as the setting says.

    Where the reader finds no action, a statement that there is no plan is looked for
    (`pddl2nl.nl.reading.claims`). Of an *ambiguous* reading ``on_ambiguous = "state"`` takes the only candidate
    that is applicable: in a turn now, in a plan in the state where its turn comes, as long as everything before it can
    be executed. The reading's rule says so (`pddl2nl.nl.reading.readings.settle`). ``ask`` asks the T-LLM.
    """

    def __init__(self, setting: Setting, ask: Ask):
        self._reader = setting.reader
        self._policy = setting.spec.reading
        self._translator = setting.translator
        self._settles = setting.spec.on_ambiguous == "state"
        self._simulator = setting.simulator
        self._ask = ask

    def turn(self, text: str, state: State) -> Reading:
        """The one action, look-around or claim of a turn."""
        reading = self._settled(self._reader.read_turn(text), state)
        if self._translator is not None and self.reads_whole:
            reading = self._translator.turn(text, reading, self._ask)
        if reading.status in ("unreadable", "not-an-action") and (said := no_plan_said_in_turn(text)):
            begin = text.find(said)
            if begin >= 0:
                line = text.count("\n", 0, begin) + 1
                reading = reading._replace(line=line, start=begin, end=begin + len(said))
            return reading._replace(text=said, status="claimed-unsolvable", rule="no-plan", reason="")
        return (
            reading if self._translator is None or self.reads_whole else self._translator.turn(text, reading, self._ask)
        )

    def plan(self, text: str) -> Readings:
        return self._reader.read(text, self._policy)

    def no_plan(self, text: str, plan: Readings) -> str | None:
        """The sentence that says that there is no plan; None without such a sentence, or if a plan was read."""
        if is_marked_no_plan(text):
            return NO_PLAN
        if self.reads_whole or any(reading.status != "unreadable" for reading in plan.chosen):
            return None
        return no_plan_said(text)

    @property
    def reads_whole(self) -> bool:
        """Whether a T-LLM reads replies, whatever the reader saw in them."""
        return self._translator is not None and self._translator.whole

    def lines(self, text: str, plan: Readings, state: State) -> Iterator[Reading]:
        """The lines of a plan, settled and translated one by one; a translation may end the episode by its budget."""
        chosen, translator = plan.chosen, self._translator
        if translator is not None:
            chosen = translator.lines(text, plan, self._ask, settled=self._settles)
        if chosen and chosen[-1].status != "read" and self._reader.read_turn(chosen[-1].text).status == "claimed-done":
            chosen = chosen[:-1]
        here: State | None = state
        for line in chosen:
            settled = self._settled(line, here)
            reading = settled if translator is None else translator.line(settled, self._ask)
            if reading is not None:
                here = self._after(here, reading.action)
                yield reading

    def _settled(self, reading: Reading, state: State | None) -> Reading:
        if not self._settles or reading.status != "ambiguous" or state is None:
            return reading
        return settle(reading, lambda action: self._after(state, action) is not None)

    def _after(self, state: State | None, action: GroundAction | None) -> State | None:
        if not self._settles or state is None or action is None:
            return None
        try:
            return self._simulator.step(state, action).successor
        except BadActionError:
            return None


# ── the episode ──────────────────────────────────────────────────────────────────────────────────


class Episode:
    """One run of one policy on one task.

    An interactive policy calls `ask` and `act` until `done`. A one-shot policy calls `submit` once, or `propose`
    several times and `conclude`. A policy that executes a plan of its own calls `begin_plan`, `move` for each action
    and `end_plan`. All of them may `note` events of their own.

    Args:
        setting: the task with everything that tells, reads and simulates it.
        model: what `ask` asks: a model that costs nothing, or the models of all roles with their accounts; None for
            policies that need none.
        limits: of the run.
        seed: of ``rng``, for the policy's random choices.
        request: the settings of every request.
        emit: is given every event as it happens.
        failure: what happened before the episode began; the episode ends with it.

    Attributes:
        finished: the last event, once the episode has ended.
        behind: the calls of the same reply behind the one that is carried out, which the end leaves not executed.
    """

    def __init__(
        self,
        setting: Setting,
        model: Model | ModelCalls | None = None,
        *,
        limits: Limits | None = None,
        seed: int = 1,
        request: RequestSettings | None = None,
        emit: Callable[[RunEvent], None] = lambda event: None,
        failure: Exception | None = None,
    ):
        self.setting = setting
        self._failure = failure
        self.rng = random.Random(seed)
        self.finished: Finished | None = None
        self.behind: Sequence[ToolCall] = ()
        self._simulator = setting.simulator
        self._limits = limits or Limits()
        self._request = request or RequestSettings()
        self._emit = emit
        if not isinstance(model, ModelCalls):
            model = ModelCalls({} if model is None else {"planner": PricedModel(model)}, self._limits)
        self._calls = model
        self._calls.attach(emit)
        self._last_completion: Completion | None = None
        self._cut: list[str] = []
        self._asked: Counter[tuple[Message, ...]] = Counter()
        self._trace = Trace(setting, emit)
        self._last_status = ""
        self._failures = self._false_claims = 0
        self._verdicts: list[Verdict] = []
        self._outer: Episode | None = None

    # ── what a policy may know ────────────────────────────────────────────────────────────────────

    @property
    def domain_text(self) -> str:
        """The domain, told; below the goal, the objects with their types, and the initial state."""
        return self.setting.teller.domain_text()

    @property
    def goal_text(self) -> str:
        return self.setting.teller.goal_text()

    @property
    def objects_text(self) -> str:
        return self.setting.teller.objects_text()

    @property
    def init_text(self) -> str:
        return self.setting.teller.init_text()

    @property
    def task_text(self) -> str:
        """The task in words: those of the user, else the told goal."""
        return self.setting.task_text or self.goal_text

    @property
    def state(self) -> State:
        """The present state, as it is observed."""
        return self._trace.state

    @property
    def expected(self) -> State:
        """The state to which the last action leads by the model."""
        return self._trace.expected

    @property
    def at_goal(self) -> bool:
        return self._trace.at_goal

    @property
    def steps(self) -> int:
        """The turns so far."""
        return self._trace.steps

    @property
    def executed(self) -> tuple[GroundAction, ...]:
        return tuple(self._trace.plan)

    @property
    def done(self) -> bool:
        """Whether nothing is left to do: the episode has ended, or the goal held from the beginning."""
        return self.finished is not None or (self._trace.steps == 0 and self._trace.at_goal)

    def observe(self) -> str:
        """The present state, told; costs nothing (a model that looks around does so by `act`)."""
        return self.setting.teller.state(self._trace.state)

    def sample(self) -> GroundAction | None:
        """A uniformly random applicable action; None in a dead end."""
        return self._simulator.sample(self._trace.state, self.rng)

    # ── asking ────────────────────────────────────────────────────────────────────────────────────

    @property
    def sampling(self) -> bool:
        """Whether replies are sampled at a temperature, so that the same question may get another answer."""
        return bool(self._request.temperature)

    def ask(
        self,
        messages: Sequence[Message],
        purpose: Purpose = "planner",
        *,
        sample: int = 0,
        again: bool = False,
        constraint: Constraint | None = None,
        until: str = "",
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
        answer: Answer | None = None,
    ) -> str:
        """The text of the model's reply to a conversation; `last_reply` has all of it, such as calls of tools.

        Args:
            messages: the conversation.
            purpose: the role of the model.
            sample: distinguishes several replies to the same conversation, each with its own seed.
            again: whether another sample is wanted where the conversation was asked before. The same holds where
                not all turns are kept, since a state that is reached again may make the same prompt: with a cache the
                policy would go round in circles. Applies where replies are sampled.
            constraint: what the reply may be; None for anything.
            until: where a streamed reply ends (`Request`).
            tools: the functions that the model may call; it has to where ``tool_choice`` is ``required``.
            answer: how the oracle answers from the task itself (`pddl2nl.baselines.PlanOracle`); None if it reads the
                prompt.

        Raises:
            EpisodeOver: the budget is spent, or a content filter withheld the reply.
            InfrastructureError: there is no reply.
        """
        settings = self._request
        if self.sampling and (again or self.setting.spec.history != "all"):
            sample += self._asked[tuple(messages)]
            self._asked[tuple(messages)] += 1
        # An endpoint that obeys a seed would repeat itself.
        seed = None if settings.seed is None else settings.seed + _SAMPLE_SEEDS * sample
        more: dict[str, Any] = {"sample": sample, "constraint": constraint, "answer": answer}
        if tools:
            more |= {"tools": tuple(tools), "tool_choice": tool_choice}
        request = Request(tuple(messages), purpose, settings.temperature, seed, settings.max_tokens, **more)
        self._last_completion = self._complete(replace(request, until=until) if settings.stream else request)
        return self._last_completion.text

    @property
    def last_reply(self) -> Completion:
        """The reply that `ask` got last."""
        return self._last_completion or Completion("")

    def likelihood(self, messages: Sequence[Message], action: str) -> float:
        """The natural logarithm of the likelihood that the model answers a conversation with a told action.

        Raises:
            EpisodeOver: the budget is spent.
            InfrastructureError: there is no answer, or the model gives no likelihoods.
        """
        only = Constraint(((action,),), action=f"{ACTION} ")
        completion = self._complete(Request(tuple(messages), seed=self._request.seed, constraint=only, likelihood=True))
        if completion.logprob is None:
            raise InfrastructureError(f"'{completion.model}' gives no likelihoods, which --policy score needs")
        return completion.logprob

    def uncut(self, reply: str) -> str:
        """A reply without its last line, if it is the last reply and was cut off by length."""
        return reply.rpartition("\n")[0] if self._completion_of(reply).finish == "length" else reply

    def _completion_of(self, reply: str) -> Completion:
        """The last completion, if this is its text."""
        last = self._last_completion
        return last if last is not None and last.text == reply else Completion(reply)

    @property
    def _parser(self) -> ReplyParser:
        # Not an attribute: the cycle would keep models in memory, and a local one's server running.
        return ReplyParser(self.setting, self._translate)

    def _translate(self, messages: Sequence[Message], constraint: Constraint | None = None) -> Completion:
        tokens = TRANSLATOR_TOKENS if constraint is None else _translation_tokens(messages[-1].content)
        request = Request(tuple(messages), "translator", 0.0, self._request.seed, tokens, constraint=constraint)
        return self._complete(request)

    def _complete(self, request: Request) -> Completion:
        self._check_open()
        if (most := self.setting.spec.context) is not None:
            # Without what an endpoint has counted: a replay must end at the same prompt.
            tokens = estimate_tokens(request.characters)
            if tokens > most:
                self._stop("context", f"the prompt has about {tokens:,} tokens, more than {most:,}", "context-window")
        try:
            completion = self._calls.complete(request)
        except LimitReachedError as reached:
            self._stop("budget", str(reached), "budget")
        except AgentLeftError as left:
            self._stop("gave-up", str(left), "gave-up")
        except ContextWindowError as error:
            # A limit of the model, as a step limit is one of the run: what came before it stands.
            self._stop("context", str(error), "context-window")
        if completion.finish == "length":
            self._cut.append(completion.remark or "the reply was cut off by length")
        if completion.finish == "filtered":
            self._stop("infrastructure-error", "the endpoint's content filter withheld the reply", "filtered")
        return completion

    # ── one turn at a time ────────────────────────────────────────────────────────────────────────

    def act(self, text: str) -> Turn:
        """Reads one turn from a reply and executes it; always costs a step."""
        self._check_open()
        reading = self._parser.turn(self.uncut(text), self._trace.state)
        return self._take(reading, reading.text.strip() or text.strip() or self._completion_of(text).remark)

    def call(self, call: ToolCall | None, reading: Reading, told: str | None = None) -> Turn:
        """Takes the turn of a call of a tool, as it was read; always costs a step.

        Args:
            call: the call, for the record; None for a reply without one.
            reading: what it means; a ``look-around`` for a tool that only tells something.
            told: what such a tool tells; None for the state.
        """
        self._check_open()
        return self._take(reading, reading.text.strip() or self.last_reply.remark, call, told)

    def _take(self, reading: Reading, said: str, call: ToolCall | None = None, told: str | None = None) -> Turn:
        """A turn of which it is known what was read."""
        trace = self._trace
        trace.steps += 1
        self.note_reading(trace.steps, reading)
        if reading.status == "read" and reading.action is not None:
            return self._turn(*trace.execute(reading.action, said), call=call)
        if reading.status == "look-around":
            observation = self.setting.teller.look_around(trace.state) if told is None else told
            self._emit(LookedAround(trace.steps, said, observation))
            return self._turn("look-around", observation, call=call)
        if reading.status == "claimed-done":
            return self._claimed_done(said, call)
        if reading.status == "claimed-unsolvable":
            trace.reject(reading.status, said, "")
            fault = Fault(trace.steps, reading.status, said)
            return self._last_turn(reading.status, "", _NO_PLAN_MESSAGE, fault, call)
        # The turn was asked for an action, so other text is read as an attempt at one.
        status = "unreadable" if reading.status == "not-an-action" else reading.status
        observation = not_read(status, reading, self.setting, trace.state)
        return self._turn(*trace.reject(status, said, observation), call=call)

    def skip(self, call: ToolCall, why: str) -> str:
        """The answer to a call that is not executed; costs nothing. At the end it was recorded before (`behind`)."""
        told = f"Not executed, because {why}."
        if self.finished is None:
            self._note_call(call, NOT_EXECUTED, told)
        return told

    def take_back(self, actions: int) -> None:
        """Takes back the last executed actions, which are then no part of the plan; the call that asked costs a step.

        The world must be the simulator: another one cannot be set back.
        """
        self._check_open()
        self._trace.take_back(actions)

    def move(self, action: GroundAction, *, said: str = "", ends: bool = True) -> Turn:
        """Executes an action that is already known, read from the words ``said``; costs a step.

        With ``ends`` the episode ends where the goal is reached; within a plan its end decides.
        """
        self._check_open()
        self._trace.steps += 1
        return self._turn(*self._trace.execute(action, said), ends=ends)

    def limit_failures(self, most: int | None, false_claims: int) -> None:
        """Ends the episode after so many successive turns without an action, or false claims (0: never)."""
        self._limits = replace(self._limits, failures=most, false_claims=false_claims or None)

    def give_up(self, status: str, reason: str) -> None:
        """Ends the episode at the policy's wish."""
        self._check_open()
        self._finish("gave-up", reason, Fault(self._trace.steps, status, reason))

    def _claimed_done(self, said: str, call: ToolCall | None = None) -> Turn:
        trace = self._trace
        unmet = self._simulator.unmet_goals(trace.state)
        observation = not_reached(unmet, self.setting, trace.state)
        trace.reject("claimed-done", said, observation, None, tuple(map(write_condition, unmet)))
        self._false_claims = self._false_claims + 1 if self._last_status == "claimed-done" else 1
        if self._false_claims == self._limits.false_claims:
            times = {1: "once", 2: "twice"}.get(self._false_claims, f"{self._false_claims} times")
            message = f"claimed {times} in succession to be done while the goal did not hold"
            return self._last_turn("claimed-done", observation, message, call=call)
        return self._turn("claimed-done", observation, call=call)

    def _last_turn(
        self, status: str, observation: str, message: str, fault: Fault | None = None, call: ToolCall | None = None
    ) -> Turn:
        self._note_call(call, status, observation or message)
        self._trace.turns[status] += 1
        self._finish("gave-up", message, fault)
        return Turn(status, observation, True)

    def _note_call(self, call: ToolCall | None, status: str, result: str) -> None:
        if call is not None:
            self._emit(ToolCalled(self._trace.steps, call.id, call.name, call.arguments, status, result))

    def _turn(self, status: str, observation: str, *, ends: bool = True, call: ToolCall | None = None) -> Turn:
        self._note_call(call, status, observation)
        trace, limits = self._trace, self._limits
        trace.turns[status] += 1
        self._last_status = status
        if status == "executed":
            self._failures = 0
        elif status != "claimed-done":
            self._failures += 1
        if ends and status == "executed" and trace.at_goal:
            self._emit(GoalReached(trace.steps))
            self._finish("solved", "the goal was reached")
        elif limits.steps is not None and trace.steps >= limits.steps:
            self._finish("budget", f"the limit of {limits.steps} steps is reached")
        elif limits.failures is not None and self._failures >= limits.failures:
            self._finish("budget", f"the limit of {limits.failures} successive turns without an action is reached")
        return Turn(status, observation, self.finished is not None)

    # ── whole plans at once ───────────────────────────────────────────────────────────────────────

    def submit(self, text: str) -> None:
        """Judges the only plan of this episode and ends it."""
        verdict = self._judge(text)
        self._finish(verdict.outcome, verdict.message, verdict.fault)

    def propose(self, text: str, *, sample: int = 0, round: int = 0, said: bool = True) -> Verdict:
        """Judges one plan of several; the episode goes on until `conclude`.

        ``sample`` says which reply to the same prompt it is, from 0, ``round`` how many corrections were before it;
        ``said`` whether the text is that of the reply.
        """
        return self._judged(self._judge(text, round, said), sample)

    def propose_plan(self, actions: Sequence[GroundAction], *, round: int) -> Verdict:
        """As `propose`, for actions that are already known: a plan that was found with the help of earlier ones."""
        self._check_open()
        trace = Trace(self.setting, self._emit)
        trace.proposed = [*actions]
        lines = [Reading(0, 0, 0, str(action), "read", action) for action in actions]
        outcome, message = _execute(lines, trace)
        return self._judged(Verdict(outcome, message, trace.fault, trace, tuple(lines), round=round))

    def proposal_of(self, policy: Acting) -> Verdict:
        """The verdict on the plan of another policy, as one plan of several; the episode goes on until `conclude`.

        The policy runs in an episode of its own, whose events and calls are those of this one. Its proposal is the plan
        that it submitted or declared, else the actions that it tried, executed or not.
        """
        self._check_open()
        tried: list[str] = []

        def emit(event: RunEvent) -> None:
            if isinstance(event, Acted | Rejected) and event.action is not None:
                tried.append(event.action)
            if not isinstance(event, Finished):
                self._emit(event)

        setting = replace(self.setting, policy=policy)
        inner = Episode(setting, self._calls, limits=self._limits, request=self._request, emit=emit)
        inner.rng, inner._outer = self.rng, self
        try:
            policy.run(inner)
        except EpisodeOver:
            # A limit ended this episode, too.
            self._check_open()
        finally:
            self._calls.attach(self._emit)
            self._cut += inner._cut
        if inner._verdicts:
            self._verdicts += inner._verdicts
            self._trace = inner._trace
            return self._verdicts[_counting(self._verdicts)]
        ended, trace = inner.finished, inner._trace
        trace.proposed = trace.proposed or [*map(GroundAction.parse, tried)]
        if ended is None:
            return self._judged(Verdict("gave-up", "the policy stopped by itself", trace.fault, trace))
        return self._judged(Verdict(ended.outcome, ended.message, ended.fault, trace))

    def _judged(self, verdict: Verdict, sample: int = 0) -> Verdict:
        """Adds a verdict to those from which `conclude` chooses."""
        self._verdicts.append(verdict)
        fault = None if verdict.valid else verdict.fault
        number, summary = len(self._verdicts), verdict.trace.summary()
        self._emit(Judged(number, sample, verdict.round, verdict.outcome, fault, message=verdict.message, **summary))
        self._trace = self._verdicts[_counting(self._verdicts)].trace
        return verdict

    def conclude(self) -> None:
        """Ends the episode with the verdict on the plan that counts, of those that were proposed."""
        self._check_open()
        verdict = self._verdicts[_counting(self._verdicts)]
        self._finish(verdict.outcome, verdict.message, verdict.fault)

    def _judge(self, text: str, round: int = 0, said: bool = True) -> Verdict:
        self._check_open()
        trace = Trace(self.setting, self._emit)
        if not said:
            # The calls before it were turns.
            trace.steps, trace.turns = self._trace.steps, self._trace.turns.copy()
        if not self._verdicts:
            # If a budget ends the episode in the middle of the first plan, the part so far counts.
            self._trace = trace
        reply = self._completion_of(text)
        lines: list[Reading] = []
        outcome, message, fault = self._outcome(self.uncut(text), reply, trace, lines, said)
        return Verdict(outcome, message, fault, trace, tuple(lines), reply.finish == "length", round)

    def _outcome(
        self, text: str, reply: Completion, trace: Trace, lines: list[Reading], whole: bool
    ) -> tuple[Outcome, str, Fault | None]:
        """Reads a plan into ``lines`` and executes it; returns outcome, message and fault."""
        finish, remark, before = reply.finish, reply.remark, trace.steps
        plan = self._parser.plan(text)
        if finish == "text" and (said := self._parser.no_plan(text, plan)) is not None:
            trace.turns["claimed-unsolvable"] += 1
            return "gave-up", _NO_PLAN_MESSAGE, Fault(0, "claimed-unsolvable", said)
        for reading in self._parser.lines(text, plan, trace.state):
            lines.append(reading)
            # In the arguments of a call a line has no place of its own.
            self.note_reading(before + len(lines), reading if whole else reading._replace(line=0, start=0, end=0))
            if reading.action is not None:
                trace.proposed.append(reading.action)
        if not lines and finish == "text" and self._parser.reads_whole and (said := no_plan_said(text)) is not None:
            trace.turns["claimed-unsolvable"] += 1
            return "gave-up", _NO_PLAN_MESSAGE, Fault(0, "claimed-unsolvable", said)
        if not lines and not plan.ended:
            return _no_lines(text, finish, trace, remark)
        timed = trace.state.level(CLOCK) is not None and all(line.action is not None for line in lines)
        if timed:
            outcome, message = trace.in_time(timed_plan(text, lines, self.setting.teller.task))
        else:
            outcome, message = _execute(lines, trace)
        # Lines after the first broken link were not executed; those that cannot be read are mistakes all the same.
        trace.turns.update(reading.status for reading in lines[trace.steps - before :] if reading.status != "read")
        if finish == "length" and outcome == "goal-missed":
            reason = remark or "the reply was cut off by length"
            trace.fault = Fault(trace.steps, "length", reason)
            outcome, message = "budget", f"{reason}; what there is of the plan: {message}"
        return outcome, message, trace.fault

    # ── plans that the policy executes itself, action by action ───────────────────────────────────

    def note(self, event: RunEvent) -> None:
        """Records an event of the policy's own; costs nothing."""
        self._check_open()
        self._emit(event)

    def note_reading(self, step: int, reading: Reading) -> None:
        """Records what was read from a reply, as turn or line ``step`` (from 1); costs nothing."""
        action = None if reading.action is None else str(reading.action)
        candidates = tuple(map(str, reading.candidates))
        rule = "+".join(name for name in (reading.rule, reading.stance) if name)
        place = reading.line, reading.start, reading.end
        self.note(Read(step, reading.status, reading.text, action, candidates, rule, *place))

    def begin_plan(self, actions: Sequence[GroundAction]) -> None:
        """Declares the actions that `move` will execute next, after those already executed."""
        self._check_open()
        self._trace.proposed = [*self._trace.plan, *actions]

    def end_plan(self, status: str = "executed", observation: str = "") -> None:
        """Ends the episode at the end of a plan, or at the `Turn` where it broke; the goal must hold now."""
        self._check_open()
        self._finish(*self._trace.end(status, observation))

    # ── the whole run ─────────────────────────────────────────────────────────────────────────────

    def play(self, policy: Acting | None = None) -> Finished:
        """Runs a policy, by default the setting's, to the end of the episode and returns the last event.

        Exceptions that are no verdict of ours (a bug, Ctrl-C, bad input) pass through.
        """
        if policy is not None:
            self.setting = replace(self.setting, policy=policy)
            self._trace = Trace(self.setting, self._emit)
        try:
            if self._failure is not None:
                raise self._failure
            assert self.setting.policy is not None, "an episode needs a policy to play"
            self.setting.policy.run(self)
        except EpisodeOver:
            pass
        except LimitReachedError as reached:
            # The calls for wording and thoughts, before the episode, spent the budget.
            self._finish("budget", str(reached), Fault(0, "budget", str(reached)))
        except InfrastructureError as error:
            if self.finished is None:
                fault = Fault(self._trace.steps, "infrastructure-error", str(error))
                self._finish("infrastructure-error", str(error), fault)
        except BaseException as error:
            if isinstance(error, Exception) or ends_all(error):
                raise
            # `sys.exit(0)` in a policy or a model would be the exit code of a solved run.
            raise RuntimeError(said(error)).with_traceback(error.__traceback__) from None
        if self.finished is None and self._verdicts:
            self.conclude()
        if self.finished is None:
            if self._trace.at_goal:
                self._emit(GoalReached(self._trace.steps))
                self._finish("solved", "the goal held from the beginning")
            else:
                self._finish("gave-up", "the policy stopped by itself")
        assert self.finished is not None
        return self.finished

    def _stop(self, outcome: Outcome, message: str, status: str) -> NoReturn:
        if self._outer is not None:
            self._outer._stop(outcome, message, status)
        fault = Fault(self._trace.steps, status, message)
        self._finish(outcome, message, fault if outcome == "infrastructure-error" else self._trace.fault or fault)
        raise EpisodeOver(message)

    def _finish(self, outcome: Outcome, message: str, fault: Fault | None = None) -> None:
        for call in self.behind:
            self.skip(call, ENDED)
        trace, calls = self._trace, self._calls
        if outcome != "solved" and self._cut and not any(why in message for why in self._cut):
            many = "a reply was" if len(self._cut) == 1 else f"{len(self._cut)} replies were"
            message = f"{message}; {many} cut off: {self._cut[-1]}"
        shown = fault or trace.fault or Fault(trace.steps, outcome, message)
        cost = self._simulator.cost(trace.state) if trace.cost is None else trace.cost
        accounts = asdict(total(calls.used.values()))
        del accounts["cache_hits"]
        self.finished = Finished(
            outcome,
            None if outcome == "solved" else shown,
            cost=None if cost is None else str(cost),
            message=message,
            used=calls.used_json(),
            spent=calls.spent_json(),
            counted=_counting(self._verdicts) + 1 if self._verdicts else 0,
            **(accounts | {"seconds": calls.seconds} | trace.summary()),
        )
        self._emit(self.finished)

    def _check_open(self) -> None:
        if self.finished is not None:
            raise EpisodeOver(self.finished.message)


def _execute(lines: Sequence[Reading], trace: Trace) -> tuple[Outcome, str]:
    for number, reading in enumerate(lines, start=1):
        trace.steps += 1
        said = reading.text.strip()
        if reading.status != "read" or reading.action is None:
            trace.turns[reading.status] += 1
            trace.reject(reading.status, said, "")
            return "unreadable", f"line {number} of the plan is {reading.status}: {said}"
        status, observation = trace.execute(reading.action, said)
        trace.turns[status] += 1
        if status != "executed":
            return trace.end(status, observation)
    return trace.end("executed", "")


def _no_lines(text: str, finish: Finish, trace: Trace, remark: str) -> tuple[Outcome, str, Fault]:
    """The outcome, message and fault of a reply without a plan."""
    if finish == "refused":
        return "gave-up", "the model refused", Fault(0, "refused", text.strip())
    if finish == "length":
        reason = f"{remark or 'the reply was cut off by length'}, before any plan"
        return "budget", reason, Fault(0, "length", reason)
    trace.turns["unreadable"] += 1
    status = "unreadable" if text.strip() else "empty"
    return "unreadable", "the reply holds no plan", Fault(0, status, text.strip() or remark)
