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
* A statement that there is no plan ends it as well, whether it is right or not (`pddl2nl.nl.reading.read_no_plan`).
* Of a one-shot plan the first broken link decides; the goal must hold at its end, not on the way. Of several plans
  one counts (`pddl2nl.policies.judging.counting`).
* A reply that was cut off by length loses its last line, which may be half an action.
* What a T-LLM translates is on the same account and budget as everything else, and stops with it.
* A failing endpoint, planner or recording ends the episode as ``infrastructure-error``, never as a verdict.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NoReturn

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Completion, ContextWindowError, Message, Model, Purpose, Request
from pddl2nl.pddl import write_condition
from pddl2nl.policies import events, observations
from pddl2nl.policies.asking import Asking, LimitReachedError
from pddl2nl.policies.budget import Asked, Limits, PriceOf, free
from pddl2nl.policies.event_making import finished_event, read_event
from pddl2nl.policies.judging import Judge, Verdict, counting
from pddl2nl.policies.outlook import Outlook
from pddl2nl.policies.policy import EpisodeOver, Policy, RequestSettings, Setting, Turn
from pddl2nl.policies.proposing import correction
from pddl2nl.policies.understanding import Understanding
from pddl2nl.policies.walk import Walk
from pddlval import GroundAction

__all__ = ["Episode"]

_SAMPLE_SEEDS = 1000
"""How far the seeds of two samples of one run lie apart: further than those of an experiment's runs."""

TRANSLATOR_TOKENS = 750
"""How long an answer of the T-LLM may be (appendix A of the paper)."""


class Episode(Outlook):
    """One run of one policy on one task.

    Args:
        setting: the task and its telling.
        model: what `ask` asks; None for policies that need none.
        limits: the budget.
        seed: of the random choices of a policy.
        request: what every request carries.
        price_of: what a call of ``model`` costs.
        others: the models that are asked for other purposes than the planner's, where they are others.
        asking: the models with their accounts, where calls were made before the episode; stands for ``model``,
            ``price_of`` and ``others``.
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
        asking: Asking | None = None,
        emit: Callable[[events.Event], None] = lambda event: None,
    ):
        self.rng = random.Random(seed)
        self.finished: events.Finished | None = None
        super().__init__(setting, Walk(setting, emit))
        self._simulator = setting.simulator
        self._limits = limits or Limits()
        self._request = request or RequestSettings()
        own: dict[Purpose, Asked] = {} if model is None else {"planner": Asked(model, price_of)}
        self._asking = asking or Asking({**own, **others}, self._limits)
        self._asking.attach(emit)
        self._emit = emit
        self._last_status = ""
        self._last_completion: Completion | None = None
        self._asked: Counter[tuple[Message, ...]] = Counter()
        self._understanding = Understanding(setting, self._translate)
        self._judge = Judge(setting, self._understanding, emit)
        self._verdicts: list[Verdict] = []

    # ── what a policy may know besides (`Outlook`) ────────────────────────────────────────────────

    @property
    def done(self) -> bool:
        """Whether nothing is left to do: the episode has ended, or the goal held from the beginning."""
        return self.finished is not None or (self._walk.steps == 0 and self._walk.at_goal)

    def sample(self) -> GroundAction | None:
        """An applicable action, each with the same chance; None in a dead end."""
        return self._simulator.sample(self._walk.state, self.rng)

    # ── asking ────────────────────────────────────────────────────────────────────────────────────

    @property
    def sampling(self) -> bool:
        """Whether the same question may get another answer: whether replies are sampled at a temperature."""
        return bool(self._request.temperature)

    def ask(
        self, messages: Sequence[Message], purpose: Purpose = "planner", *, sample: int = 0, again: bool = False
    ) -> str:
        """The model's reply to a conversation; ``sample`` tells several replies to the same one apart.

        Each sample has a seed of its own, since an endpoint that obeys one would say the same again. Where old turns
        are left out, a state that is reached again makes a prompt that was asked before: it is another sample of it,
        else a cache would have the policy go round in circles. So it is where a policy says that it may ask the same
        ``again``.

        Raises:
            EpisodeOver: the budget is spent, or the reply was withheld by a content filter.
            InfrastructureError: no reply could be had.
        """
        settings = self._request
        if self.sampling and (again or self.history == "compact"):
            sample += self._asked[tuple(messages)]
            self._asked[tuple(messages)] += 1
        seed = None if settings.seed is None else settings.seed + _SAMPLE_SEEDS * sample
        request = Request(tuple(messages), purpose, settings.temperature, seed, settings.max_tokens, sample=sample)
        self._last_completion = self._complete(request)
        return self._last_completion.text

    def _translate(self, messages: Sequence[Message]) -> Completion:
        return self._complete(Request(tuple(messages), "translator", 0.0, self._request.seed, TRANSLATOR_TOKENS))

    def _complete(self, request: Request) -> Completion:
        self._check_open()
        try:
            completion = self._asking.complete(request)
        except LimitReachedError as reached:
            self._stop("budget", str(reached), "budget")
        except ContextWindowError as error:
            # The model's own limit, as a step limit is the run's: what came before it stands.
            self._stop("budget", str(error), "context-window")
        if completion.finish == "filtered":
            self._stop("infrastructure-error", "the endpoint's content filter withheld the reply", "filtered")
        return completion

    # ── acting, one turn at a time ────────────────────────────────────────────────────────────────

    def act(self, text: str) -> Turn:
        """Reads one turn out of a reply and does what it says; costs a step, whatever comes of it."""
        self._check_open()
        walk = self._walk
        reading = self._understanding.turn(self._usable(text), walk.state)
        walk.steps += 1
        self._emit(read_event(walk.steps, reading))
        said = reading.text.strip() or text.strip()
        if reading.status == "read" and reading.action is not None:
            return self._turn(*walk.execute(reading.action, said))
        if reading.status == "look-around":
            observation = self._setting.teller.look_around(walk.state)
            self._emit(events.LookedAround(walk.steps, said, observation))
            return self._turn("look-around", observation)
        if reading.status == "claimed-done":
            return self._claimed(said)
        if reading.status == "claimed-unsolvable":
            return self._claimed_unsolvable(said)
        # The turn was asked for an action: what is none can only have been meant as one.
        status = "unreadable" if reading.status == "not-an-action" else reading.status
        observation = observations.not_read(status, reading, self._setting, walk.state)
        walk.reject(status, said, observation)
        return self._turn(status, observation)

    def move(self, action: GroundAction, *, said: str = "", ends: bool = True) -> Turn:
        """Executes an action that is known already; costs a step.

        Args:
            action: the action.
            said: the words that it was read from, if any.
            ends: whether the episode ends with it where the goal is reached; not so within a plan, whose end decides.
        """
        self._check_open()
        self._walk.steps += 1
        return self._turn(*self._walk.execute(action, said), ends=ends)

    def give_up(self, status: str, reason: str) -> None:
        """Ends the episode on the policy's own wish."""
        self._check_open()
        self._finish("gave-up", reason, events.Fault(self._walk.steps, status, reason))

    def _claimed(self, said: str) -> Turn:
        walk = self._walk
        unmet = self._simulator.unmet_goals(walk.state)
        observation = observations.not_reached(unmet, self._setting, walk.state)
        walk.reject("claimed-done", said, observation, None, tuple(map(write_condition, unmet)))
        if self._last_status == "claimed-done":
            walk.turns["claimed-done"] += 1
            self._finish("gave-up", "claimed twice in succession to be done while the goal did not hold")
            return Turn("claimed-done", observation, True)
        return self._turn("claimed-done", observation)

    def _claimed_unsolvable(self, said: str) -> Turn:
        walk, status = self._walk, "claimed-unsolvable"
        walk.reject(status, said, "")
        walk.turns[status] += 1
        self._finish("gave-up", "the model says that there is no plan", events.Fault(walk.steps, status, said))
        return Turn(status, "", True)

    def _turn(self, status: str, observation: str, *, ends: bool = True) -> Turn:
        walk = self._walk
        walk.turns[status] += 1
        self._last_status = status
        if ends and status == "executed" and walk.at_goal:
            self._emit(events.GoalReached(walk.steps))
            self._finish("solved", "the goal was reached")
        elif self._limits.steps is not None and walk.steps >= self._limits.steps:
            self._finish("budget", f"the limit of {self._limits.steps} steps is reached")
        return Turn(status, observation, self.finished is not None)

    # ── whole plans at once ───────────────────────────────────────────────────────────────────────

    def submit(self, text: str) -> None:
        """Judges the only plan of this episode (`pddl2nl.policies.judging`) and ends it."""
        verdict = self._judged(text)
        self._finish(verdict.outcome, verdict.message, verdict.fault)

    def propose(self, text: str, *, sample: int = 0, round: int = 0) -> Verdict:
        """Judges one plan of several; the episode goes on until `conclude`.

        Args:
            text: the reply that holds it.
            sample: which reply to the same prompt it is, from 0.
            round: how many corrections went before it.
        """
        verdict = self._judged(text, sample, round)
        self._verdicts.append(verdict)
        self._emit(verdict.event(len(self._verdicts)))
        self._walk = self._verdicts[counting(self._verdicts)].walk
        return verdict

    def correction(self, verdict: Verdict) -> str:
        """What is told about a plan that is not valid, for a model that shall mend it."""
        return correction(verdict, self._setting.teller)

    def conclude(self) -> None:
        """Ends the episode with the verdict on the plan that counts, of those that were proposed."""
        self._check_open()
        verdict = self._verdicts[counting(self._verdicts)]
        self._finish(verdict.outcome, verdict.message, verdict.fault)

    def _judged(self, text: str, sample: int = 0, round: int = 0) -> Verdict:
        self._check_open()
        walk = Walk(self._setting, self._emit)
        if not self._verdicts:
            # What is read before a budget ends is all that there is of the first plan.
            self._walk = walk
        last = self._last_completion
        finish = last.finish if last is not None and self._said_last(text) else "text"
        return self._judge.judge(self._usable(text), walk, finish, sample=sample, round=round)

    def whole(self, reply: str) -> str:
        """The last reply without a last line that was cut off by length."""
        return self._usable(reply)

    # ── plans that the policy carries out itself, action by action ────────────────────────────────

    def note(self, event: events.Event) -> None:
        """Writes down what the policy does while it plans; costs nothing."""
        self._check_open()
        self._emit(event)

    def begin_plan(self, actions: Sequence[GroundAction]) -> None:
        """Says which actions are going to be executed by `move`, behind those that were already."""
        self._check_open()
        self._walk.proposed = [*self._walk.plan, *actions]

    def end_plan(self, status: str = "executed", observation: str = "") -> None:
        """Ends the episode behind a plan; the goal must hold now.

        Args:
            status: ``executed``, or the status of the `Turn` at which the plan broke.
            observation: what was told then.
        """
        self._check_open()
        self._finish(*self._walk.verdict(status, observation))

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
        except LimitReachedError as reached:
            # Before the episode, by what was asked for its wording and thoughts.
            self._finish("budget", str(reached), events.Fault(0, "budget", str(reached)))
        except InfrastructureError as error:
            if self.finished is None:
                fault = events.Fault(self._walk.steps, "infrastructure-error", str(error))
                self._finish("infrastructure-error", str(error), fault)
        if self.finished is None and self._verdicts:
            self.conclude()
        if self.finished is None:
            if self._walk.at_goal:
                self._emit(events.GoalReached(self._walk.steps))
                self._finish("solved", "the goal held from the beginning")
            else:
                self._finish("gave-up", "the policy stopped by itself")
        assert self.finished is not None
        return self.finished

    def _stop(self, outcome: events.Outcome, message: str, status: str) -> NoReturn:
        fault = events.Fault(self._walk.steps, status, message)
        self._finish(outcome, message, fault if outcome == "infrastructure-error" else self._walk.fault or fault)
        raise EpisodeOver(message)

    def _finish(self, outcome: events.Outcome, message: str, fault: events.Fault | None = None) -> None:
        walk = self._walk
        shown = fault or walk.fault or events.Fault(walk.steps, outcome, message)
        self.finished = finished_event(
            outcome,
            message,
            None if outcome == "solved" else shown,
            walk,
            self._asking.accounts,
            self._simulator.cost(walk.state),
            counting(self._verdicts) + 1 if self._verdicts else 0,
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
