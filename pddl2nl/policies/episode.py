"""The episode: a policy's only view of the world, and the one mutable object on the way.

It tells the task, asks the model, reads what was said, lets the simulator decide, keeps the budget, and writes
the events (`pddl2nl.policies.events`). The verdict chain of a turn is: reply → span that was read → PDDL action
→ applicable, or the unmet conditions → goal, or what of it is missing.

Rules, which no policy can bend:

* Every turn costs a step: executed, inapplicable, ambiguous, unreadable, look-around and claim alike.
* The simulator alone decides that the goal is reached; an interactive episode ends at that very moment.
* An inapplicable action changes nothing and stops nothing: the policy is told why it was not executed.
* A claim to be done while the goal does not hold is answered with what is missing; a second one in direct
  succession ends the episode as ``gave-up``.
* Of a one-shot plan the first broken link decides; the goal must hold at its end, not on the way.
* A reply that was cut off by length loses its last line, which may be half an action.
* What a T-LLM translates is on the same account and budget as everything else, and stops with it.
* A failing endpoint, planner or recording ends the episode as ``infrastructure-error``, never as a verdict.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Completion, Message, Model, Purpose, Request
from pddl2nl.nl import Reading
from pddl2nl.pddl import write_condition
from pddl2nl.policies import events, observations
from pddl2nl.policies.budget import Accounts, Asked, Limits, PriceOf, free
from pddl2nl.policies.event_making import changed_values, prompted_event, read_event, replied_event
from pddl2nl.policies.example import Example
from pddl2nl.policies.policy import EpisodeOver, Policy, RequestSettings, Setting, Turn
from pddl2nl.policies.understanding import Understanding
from validators import BadActionError, GroundAction

__all__ = ["Episode"]

TRANSLATOR_TOKENS = 750
"""How long an answer of the T-LLM may be (appendix A of the paper)."""

_MISTAKES = ("unreadable", "ambiguous", "unknown-object", "inapplicable")


class Episode:
    """One run of one policy on one task.

    Args:
        setting: the task and its telling.
        model: what `ask` asks; None for policies that need none.
        limits: the budget.
        seed: of the random choices of a policy.
        request: what every request carries.
        price_of: what a call of ``model`` costs.
        others: the models that are asked for other purposes than the planner's, where they are others.
        emit: is given every event as it happens.
    """

    def __init__(
        self,
        setting: Setting,
        model: Model | None = None,
        *,
        limits: Limits | None = None,
        seed: int = 1,
        request: RequestSettings | None = None,
        price_of: PriceOf = free,
        others: Mapping[Purpose, Asked] = MappingProxyType({}),
        emit: Callable[[events.Event], None] = lambda event: None,
    ):
        self.rng = random.Random(seed)
        self.finished: events.Finished | None = None
        self._setting = setting
        self._simulator = setting.simulator
        self._asked = None if model is None else Asked(model, price_of)
        self._others = others
        self._limits = limits or Limits()
        self._request = request or RequestSettings()
        self._accounts = Accounts()
        self._emit = emit
        self._state = setting.simulator.initial
        self._steps = 0
        self._turns: Counter[str] = Counter()
        self._plan: list[GroundAction] = []
        self._proposed: list[GroundAction] = []
        self._fault: events.Fault | None = None
        self._last_status = ""
        self._last_messages: dict[Purpose, tuple[Message, ...]] = {}
        self._last_completion: Completion | None = None
        self._understanding = Understanding(setting, self._translate)

    # ── what a policy may know ────────────────────────────────────────────────────────────────────

    @property
    def style(self) -> str:
        """``nl`` or ``pddl``."""
        return self._setting.style

    @property
    def example(self) -> Example | None:
        """The few-shot example; None means zero-shot."""
        return self._setting.example

    @property
    def domain_text(self) -> str:
        """What there is to do in this world, told."""
        return self._setting.teller.domain_text()

    @property
    def goal_text(self) -> str:
        """The goal, told."""
        return self._setting.teller.goal_text()

    @property
    def objects_text(self) -> str:
        """The objects and their types, told."""
        return self._setting.teller.objects_text()

    @property
    def init_text(self) -> str:
        """The initial state, told."""
        return self._setting.teller.init_text()

    @property
    def done(self) -> bool:
        """Whether nothing is left to do: the episode has ended, or the goal held from the beginning."""
        return self.finished is not None or (self._steps == 0 and self._simulator.is_goal(self._state))

    def observe(self) -> str:
        """The present state, told; costs nothing (a model that looks around does so by `act`)."""
        return self._setting.teller.state(self._state)

    def sample(self) -> GroundAction | None:
        """An applicable action, each with the same chance; None in a dead end."""
        return self._simulator.sample(self._state, self.rng)

    # ── asking ────────────────────────────────────────────────────────────────────────────────────

    def ask(self, messages: Sequence[Message], purpose: Purpose = "planner") -> str:
        """The model's reply to a conversation.

        Raises:
            EpisodeOver: the budget is spent, or the reply was withheld by a content filter.
            InfrastructureError: no reply could be had.
        """
        settings = self._request
        request = Request(tuple(messages), purpose, settings.temperature, settings.seed, settings.max_tokens)
        self._last_completion = self._complete(request)
        return self._last_completion.text

    def _translate(self, messages: Sequence[Message]) -> Completion:
        return self._complete(Request(tuple(messages), "translator", 0.0, self._request.seed, TRANSLATOR_TOKENS))

    def _complete(self, request: Request) -> Completion:
        self._check_open()
        asked = self._others.get(request.purpose, self._asked)
        if asked is None:
            raise InfrastructureError("this episode has no model to ask")
        exhausted = self._accounts.exhausted(self._limits)
        if exhausted:
            self._stop("budget", exhausted, "budget")
        call = self._accounts.calls + 1
        self._emit(prompted_event(call, request, self._last_messages.get(request.purpose, ())))
        completion = asked.model.complete(request)
        usd = self._accounts.book(completion, asked.price_of(completion))
        self._emit(replied_event(call, completion, usd))
        self._last_messages[request.purpose] = request.messages
        if completion.finish == "filtered":
            self._stop("infrastructure-error", "the endpoint's content filter withheld the reply", "filtered")
        return completion

    # ── acting, one turn at a time ────────────────────────────────────────────────────────────────

    def act(self, text: str) -> Turn:
        """Reads one turn out of a reply and does what it says; costs a step, whatever comes of it."""
        self._check_open()
        reading = self._understanding.turn(self._usable(text), self._state)
        self._steps += 1
        self._emit(read_event(self._steps, reading))
        said = reading.text.strip() or text.strip()
        if reading.status == "read" and reading.action is not None:
            return self._turn(*self._execute(reading.action, said))
        if reading.status == "look-around":
            observation = self._setting.teller.look_around(self._state)
            self._emit(events.LookedAround(self._steps, said, observation))
            return self._turn("look-around", observation)
        if reading.status == "claimed-done":
            return self._claimed(said)
        # The turn was asked for an action: what is none can only have been meant as one.
        status = "unreadable" if reading.status == "not-an-action" else reading.status
        observation = observations.not_read(status, reading, self._setting.teller)
        self._reject(status, said, observation)
        return self._turn(status, observation)

    def move(self, action: GroundAction) -> Turn:
        """Executes an action chosen without language; costs a step."""
        self._check_open()
        self._steps += 1
        return self._turn(*self._execute(action, ""))

    def give_up(self, status: str, reason: str) -> None:
        """Ends the episode on the policy's own wish."""
        self._check_open()
        self._finish("gave-up", reason, events.Fault(self._steps, status, reason))

    def _execute(self, action: GroundAction, said: str) -> tuple[str, str]:
        teller = self._setting.teller
        try:
            result = self._simulator.step(self._state, action)
        except BadActionError as error:
            observation = observations.bad_action(error)
            self._reject("unreadable", said, observation, action)
            return "unreadable", observation
        if result.successor is None:
            observation = teller.refused(result, self._state)
            unmet = tuple(write_condition(condition) for condition in result.unmet)
            self._reject("inapplicable", said, observation, action, unmet)
            return "inapplicable", observation
        added, deleted = (tuple(map(str, atoms)) for atoms in (result.added, result.deleted))
        changed = changed_values(self._simulator, action, self._state, result.successor)
        self._state = result.successor
        self._plan.append(action)
        observation = teller.executed(action)
        self._emit(events.Acted(self._steps, str(action), teller.action(action), observation, added, deleted, changed))
        return "executed", observation

    def _claimed(self, said: str) -> Turn:
        unmet = self._simulator.unmet_goals(self._state)
        observation = self._setting.teller.unmet_goal(unmet, self._state)
        self._reject("claimed-done", said, observation, None, tuple(map(write_condition, unmet)))
        if self._last_status == "claimed-done":
            self._turns["claimed-done"] += 1
            self._finish("gave-up", "claimed twice in succession to be done while the goal did not hold")
            return Turn("claimed-done", observation, True)
        return self._turn("claimed-done", observation)

    def _reject(
        self,
        status: str,
        said: str,
        observation: str,
        action: GroundAction | None = None,
        unmet: tuple[str, ...] = (),
    ) -> None:
        name = None if action is None else str(action)
        self._emit(events.Rejected(self._steps, status, said, name, unmet, observation))
        if self._fault is None:
            self._fault = events.Fault(self._steps, status, said)

    def _turn(self, status: str, observation: str) -> Turn:
        self._turns[status] += 1
        self._last_status = status
        if status == "executed" and self._simulator.is_goal(self._state):
            self._emit(events.GoalReached(self._steps))
            self._finish("solved", "the goal was reached")
        elif self._limits.steps is not None and self._steps >= self._limits.steps:
            self._finish("budget", f"the limit of {self._limits.steps} steps is reached")
        return Turn(status, observation, self.finished is not None)

    # ── a whole plan at once ──────────────────────────────────────────────────────────────────────

    def submit(self, text: str) -> None:
        """Judges the plan in a reply and ends the episode; the first broken link decides.

        Links, in the order of the plan: a line that cannot be read (``unreadable``, whatever the kind), an
        action that is not applicable (``inapplicable``), and at the end the goal (``goal-missed``). A reply
        without any plan is ``unreadable``, a refusal ``gave-up``; one that was cut off by length and does not
        reach the goal is ``budget``, because its end was never seen.
        """
        self._check_open()
        plan = self._understanding.plan(self._usable(text))
        lines: list[Reading] = []
        for reading in self._understanding.lines(plan, self._state):
            lines.append(reading)
            self._emit(read_event(len(lines), reading))
            if reading.action is not None:
                self._proposed.append(reading.action)
        finish = self._last_completion.finish if self._said_last(text) and self._last_completion else "text"
        if not lines and not plan.ended:
            self._submitted_nothing(text, finish)
            return
        outcome, message = self._judge(lines)
        self._count_unjudged(lines)
        if finish == "length" and outcome != "solved":
            self._fault = events.Fault(self._steps, "length", "the reply was cut off by length")
            outcome, message = "budget", f"the reply was cut off by length; what there is of the plan: {message}"
        self._finish(outcome, message)

    def _judge(self, lines: Sequence[Reading]) -> tuple[events.Outcome, str]:
        for reading in lines:
            self._steps += 1
            said = reading.text.strip()
            if reading.status != "read" or reading.action is None:
                self._turns[reading.status] += 1
                self._reject(reading.status, said, "")
                return "unreadable", f"line {self._steps} of the plan is {reading.status}: {said}"
            status, observation = self._execute(reading.action, said)
            self._turns[status] += 1
            if status != "executed":
                return ("inapplicable" if status == "inapplicable" else "unreadable"), observation
        unmet = self._simulator.unmet_goals(self._state)
        if not unmet:
            self._emit(events.GoalReached(self._steps))
            return "solved", "the goal holds at the end of the plan"
        told = self._setting.teller.unmet_goal(unmet, self._state)
        self._fault = self._fault or events.Fault(self._steps, "goal-missed", told)
        return "goal-missed", f"the goal does not hold at the end of the plan: {told}"

    def _count_unjudged(self, lines: Sequence[Reading]) -> None:
        # Lines behind the first broken link were not executed; those that cannot be read are mistakes all the same.
        self._turns.update(reading.status for reading in lines[self._steps :] if reading.status != "read")

    def _submitted_nothing(self, text: str, finish: str) -> None:
        if finish == "refused":
            self._finish("gave-up", "the model refused", events.Fault(0, "refused", text.strip()))
        elif finish == "length":
            reason = "the reply was cut off by length before any plan"
            self._finish("budget", reason, events.Fault(0, "length", reason))
        else:
            status = "unreadable" if text.strip() else "empty"
            self._turns["unreadable"] += 1
            self._finish("unreadable", "the reply holds no plan", events.Fault(0, status, text.strip()))

    # ── the beginning and the end ─────────────────────────────────────────────────────────────────

    def play(self, policy: Policy) -> events.Finished:
        """Lets a policy run to the episode's end, whatever that is, and gives its last event.

        Exceptions that are no verdict of ours (a bug, Ctrl-C, bad input) pass through, and the episode then
        has no end.
        """
        try:
            policy.run(self)
        except EpisodeOver:
            pass
        except InfrastructureError as error:
            if self.finished is None:
                fault = events.Fault(self._steps, "infrastructure-error", str(error))
                self._finish("infrastructure-error", str(error), fault)
        if self.finished is None:
            if self._simulator.is_goal(self._state):
                self._emit(events.GoalReached(self._steps))
                self._finish("solved", "the goal held from the beginning")
            else:
                self._finish("gave-up", "the policy stopped by itself")
        assert self.finished is not None
        return self.finished

    def _stop(self, outcome: events.Outcome, message: str, status: str) -> None:
        fault = events.Fault(self._steps, status, message)
        self._finish(outcome, message, fault if outcome == "infrastructure-error" else self._fault or fault)
        raise EpisodeOver(message)

    def _finish(self, outcome: events.Outcome, message: str, fault: events.Fault | None = None) -> None:
        accounts = self._accounts
        cost = self._simulator.cost(self._state)
        shown = fault or self._fault or events.Fault(self._steps, outcome, message)
        self.finished = events.Finished(
            outcome,
            None if outcome == "solved" else shown,
            tuple(map(str, self._plan)),
            tuple(map(str, self._proposed)),
            self._steps,
            sum(self._turns[status] for status in _MISTAKES),
            dict(sorted(self._turns.items())),
            None if cost is None else str(cost),
            accounts.calls,
            accounts.prompt_tokens,
            accounts.completion_tokens,
            accounts.cached_tokens,
            accounts.reasoning_tokens,
            accounts.usd,
            accounts.seconds,
            message,
        )
        self._emit(self.finished)

    def _check_open(self) -> None:
        if self.finished is not None:
            raise EpisodeOver(self.finished.message)

    def _said_last(self, text: str) -> bool:
        return self._last_completion is not None and text == self._last_completion.text

    def _usable(self, text: str) -> str:
        cut = self._said_last(text) and self._last_completion is not None and self._last_completion.finish == "length"
        return text.rpartition("\n")[0] if cut else text
