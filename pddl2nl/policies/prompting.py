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

``--constrain``: what the replies of policies may be, for endpoints that decode under a constraint.

=============  =====================================================================================================
``format``     the form of the policy's replies, with any thoughts and actions
``actions``    an action is a told ground action of the task: each argument is an object of the parameter's type
``applicable`` an action is applicable in the present state: for policies that ask about states that they know
=============  =====================================================================================================

Act and ReAct may look around in any case, as their prompts say. Systems constrain the replies that hold actions, each
in its own form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, structs

from pddl2nl.llm import Message, ReplyPendingError
from pddl2nl.llm.constraint import Constraint, Line
from pddl2nl.nl import Teller, explain, markers
from pddl2nl.policies.episode import Episode, Turn
from pddl2nl.policies.policy import Policy
from pddl2nl.policies.prompts import CORE_PROMPTS
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.policies.setting import Example
from pddl2nl.policies.trace import Verdict, why_not_read
from pddlval import GroundAction, State, validate
from pddlval.simulator import CLOCK

CORRECTION_PROMPT = "correction.txt"
"""What goes back to the model with the validator's explanation."""

_USED = frozenset(("example", "example_plan", "translator", "constrain"))
"""The optional options of a run that all mechanisms use."""

Positive = Annotated[int, Meta(ge=1)]

_FIRST_ACTION = r"(?mi)^[ \t>*_#\"'`-]*action[ *_]*:\W*\w.*\n"
"""A whole line ``Action: …``. Of several, a turn is read from the first."""


def prompt_file(mechanism: str, style: str) -> str:
    """The name of the system prompt's file: ``act.txt``, or ``act_pddl.txt`` for the PDDL twin."""
    return f"{mechanism}.txt" if style == "nl" else f"{mechanism}_{style}.txt"


def problem_text(told: Episode | Example, init: str | None = None) -> str:
    """A problem as a model is told it: goal, objects and initial state (or ``init``), a paragraph each."""
    init = told.init_text if init is None else init
    return CORE_PROMPTS.fill("problem.txt", goal=told.goal_text, objects=told.objects_text, init=init)


def _turn(reply: str, observation: str) -> list[Message]:
    """A reply and its answer, for the history; an empty reply becomes dots, since endpoints refuse empty messages."""
    return [Message("assistant", reply if reply.strip() else "…"), Message("user", observation)]


class PromptedPolicy(Policy):
    """Base of the four mechanisms; they differ in ``one_shot`` and ``thoughts``, and in their system prompt."""

    prompt: ClassVar[str] = ""

    unsolvable: Annotated[
        Literal["silent", "tell"],
        Meta(
            description="tell: the prompt asks for [NO PLAN] if there is no plan (not in the paper). A model that says "
            "so unasked is understood as well; its run ends as gave-up, claimed-unsolvable."
        ),
    ] = "silent"

    @property
    def styles(self) -> tuple[str, ...]:
        return ("nl", "pddl")

    @property
    def uses(self) -> frozenset[str]:
        turns = {"reading"} if self.one_shot else {"history"}
        return _USED | turns | ({"thoughts"} if self.thoughts else set())

    @property
    def mistakes(self) -> tuple[str, ...]:
        from pddl2nl.baselines.mistakes import MISTAKES

        return MISTAKES

    @property
    def prompt_stem(self) -> str:
        """The name of the system prompt's file without style and ending."""
        return self.prompt

    @property
    def no_plan_prompt(self) -> str:
        """The prompt that is added where ``unsolvable`` is ``tell``."""
        return "no_plan.txt" if self.one_shot else "no_plan_turn.txt"

    @property
    def prompt_names(self) -> tuple[str, ...]:
        """The system prompts of both styles, and what is filled in."""
        corrects = (CORRECTION_PROMPT,) if getattr(self, "rounds", 0) else ()
        tells = (self.no_plan_prompt,) if self.unsolvable == "tell" else ()
        return (*(prompt_file(self.prompt_stem, style) for style in self.styles), "problem.txt", *corrects, *tells)

    def opening(self, episode: Episode) -> list[Message]:
        """The conversation up to the target problem."""
        setting = episode.setting
        prompts = self.prompts.replacing(setting.prompts)
        system = prompts.fill(prompt_file(self.prompt_stem, setting.style), domain=episode.domain_text)
        if self.unsolvable == "tell":
            system = f"{system}\n{prompts.fill(self.no_plan_prompt)}"
        messages = [Message("system", system)]
        if setting.example is not None:
            messages += [Message("user", problem_text(setting.example)), *self._solution(setting.example, episode)]
        return [*messages, Message("user", problem_text(episode))]

    def constraint(self, episode: Episode) -> Constraint | None:
        tells = self.unsolvable == "tell"
        return reply_constraint(episode, one_shot=self.one_shot, thoughts=self.thoughts, no_plan=tells)

    def _solution(self, example: Example, episode: Episode) -> list[Message]:
        texts = [step.action for step in example.steps]
        if self.thoughts or not self.one_shot:
            texts = [f"{markers.ACTION} {text}" for text in texts]
        if self.thoughts:
            thoughts = (step.thought for step in example.steps)
            texts = [f"{markers.THOUGHT} {thought}\n{text}" for thought, text in zip(thoughts, texts, strict=True)]
        if self.one_shot:
            return [Message("assistant", "\n".join([markers.PLAN_START, *texts, markers.PLAN_END]))]
        turns = [_turn(text, step.observation) for text, step in zip(texts, example.steps, strict=True)]
        # The last action reaches the goal, which ends an episode, so no observation follows it.
        return [message for turn in turns for message in turn][:-1]


class PlanPolicy(PromptedPolicy):
    """Base of the mechanisms that give a whole plan."""

    samples: Annotated[
        int, Meta(description="Number of plans to ask for; the first valid one counts (not in the paper).", ge=1)
    ] = 1
    rounds: Annotated[
        int,
        Meta(
            description="How often the validator's explanation is sent back to the model, at most (not in the paper).",
            ge=0,
        ),
    ] = 0

    one_shot = True

    def run(self, episode: Episode) -> None:
        _propose_plans(self, episode)


class TurnPolicy(PromptedPolicy):
    """Base of the mechanisms that take one action a turn."""

    feedback: Annotated[
        Literal["reason", "applicable", "minimal"],
        Meta(
            description="Feedback on an action that is not applicable: the reason (as in the paper); the reason and "
            "the applicable actions; or only that it is not applicable (minimal)."
        ),
    ] = "reason"
    stop_after: Annotated[
        Positive | None,
        Meta(
            description="Stop after N successive turns without an executed action, with the outcome budget. Looking "
            "around counts; false claims to be finished do not."
        ),
    ] = None
    false_claims: Annotated[
        int,
        Meta(
            description="Stop after N successive false claims to be finished, with the outcome gave-up; 0: never.",
            ge=0,
        ),
    ] = 2

    def run(self, episode: Episode) -> None:
        episode.limit_failures(self.stop_after, self.false_claims)
        conversation = Conversation(episode, self.opening(episode))
        while not episode.done:
            self.take_turn(episode, conversation)

    def take_turn(self, episode: Episode, conversation: Conversation) -> None:
        """Asks for the next reply and acts on it; a policy that does more in a turn overrides this."""
        reply = episode.ask(conversation.messages, constraint=self.constraint(episode), until=_FIRST_ACTION)
        conversation.add(reply, episode.act(reply))


# ── interactive policies ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _KeptTurn:
    """The messages of a turn, and the state before it, told."""

    before: str
    messages: Sequence[Message]


class Conversation:
    """The next prompt of an interactive policy, after the option ``history``.

    ``all``, as in the AutoPlanBench paper (section 4, "LLM Policies"): every reply and its observation stay, so that
    each prompt is the previous one and a turn more.

    The other two keep a prompt short: it grows with the objects of the task and not with the length of the run. Nothing
    that a plan needs is lost, since an action's conditions and effects depend on the state alone. Lost are thoughts,
    and that a state was seen before.

    ``last:N``: the target problem is told with the state before the last N turns as its initial state, the N turns
    follow, and the last message ends with the current state.

    ``none``: when an action is executed, the problem is told with the current state, and all turns are dropped. Turns
    since then are kept, because the state does not tell them: what was refused, not understood or claimed in vain
    changed nothing, and a model that forgot it would repeat it forever at temperature 0.
    """

    def __init__(self, episode: Episode, opening: Sequence[Message]):
        self._episode = episode
        self._most = episode.setting.spec.turns_kept
        self._head = tuple(opening[:-1])
        self._kept: list[_KeptTurn] = []
        self._state = episode.init_text
        self.messages: list[Message] = list(opening)

    def add(self, reply: str, done: Turn) -> None:
        """Adds a reply and its result."""
        self.extend(_turn(reply, done.observation), done.status)

    def extend(self, messages: Sequence[Message], status: str) -> None:
        """Adds the messages of a turn that ended with this status; the last is the user's or a tool's."""
        if self._most is None:
            self.messages += messages
            return
        self._kept.append(_KeptTurn(self._state, messages))
        if self._most:
            self._kept = self._kept[-self._most :]
        elif status == "executed":
            self._kept = []
        self._state = self._episode.observe()
        first = self._kept[0].before if self._kept else self._state
        self.messages = [*self._head, Message("user", problem_text(self._episode, first))]
        self.messages += [message for turn in self._kept for message in turn.messages]
        if self._most and status != "look-around":
            told = self.messages.pop()
            self.messages.append(structs.replace(told, content=f"{told.content}\n{self._state}"))


# ── one-shot policies ────────────────────────────────────────────────────────────────────────────


def _propose_plans(policy: PlanPolicy, episode: Episode) -> None:
    """Asks for a plan, or for several (``samples``, ``rounds``), and ends the episode with the one that counts.

    *Samples* are replies to the same prompt with different sample numbers. They are judged one by one; the first valid
    one counts, and no more are asked for (in a batch all are asked for at once). Where none is valid, the first counts.

    *Rounds* of correction, after LLM-Modulo (Kambhampati et al. 2024): where no sample was valid, the conversation with
    the first one goes on. Its reply is followed by the validator's explanation in words, and the next reply is judged
    instead; it counts, valid or not, and is explained in turn, until one is valid or no round is left. A model that
    refuses, or says that there is no plan, is not asked again.
    """
    setting = episode.setting
    opening, constraint = policy.opening(episode), policy.constraint(episode)
    if policy.samples == 1 and policy.rounds == 0:
        episode.submit(episode.ask(opening, constraint=constraint))
        return
    messages = list(opening)
    prompts = policy.prompts.replacing(setting.prompts)

    def propose(failed: Attempt[tuple[str, Verdict]] | None) -> tuple[str, Verdict]:
        if failed is None:
            return _first_samples(policy, episode, messages, constraint)
        messages.extend(_turn(failed.proposal[0], prompts.fill(CORRECTION_PROMPT, explanation=failed.feedback)))
        said = episode.ask(messages, constraint=constraint)
        return said, episode.propose(said, round=failed.number + 1)

    def explained(proposal: tuple[str, Verdict]) -> str:
        final = proposal[1].valid or proposal[1].outcome == "gave-up"
        return "" if final else _explanation(proposal[1], setting.teller)

    refine(propose, [Check("validator", explained)], lambda proposal: policy.rounds)
    episode.conclude()


def _first_samples(
    policy: PlanPolicy, episode: Episode, messages: Sequence[Message], constraint: Constraint | None
) -> tuple[str, Verdict]:
    """The first valid sample, or else the first one, with its verdict."""
    judged: list[tuple[str, Verdict]] = []
    pending: ReplyPendingError | None = None
    for sample in range(policy.samples):
        try:
            said = episode.ask(messages, sample=sample, constraint=constraint)
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
    plan: list[GroundAction] = list(trace.plan)
    if len(plan) < trace.steps:
        failing = lines[trace.steps - 1]
        if failing.status != "read" or failing.action is None:
            said, why = " ".join(failing.text.split()), why_not_read(failing.status, failing, teller)
            return f'{start}Line {trace.steps} of the plan, "{said}", was not understood, because {why}'
        plan.append(failing.action)
    if trace.state.level(CLOCK) is not None:
        # Its actions without their times are another plan.
        return f"{start}{verdict.message[:1].upper()}{verdict.message[1:]}"
    return start + " ".join(explain(validate(teller.task, plan), teller))


# ── ``--constrain`` ───────────────────────────────────────────────────────────────────────────────────


def reply_constraint(episode: Episode, *, one_shot: bool, thoughts: bool, no_plan: bool) -> Constraint | None:
    """What the next reply of a mechanism may be; None where it may be anything."""
    setting = episode.setting
    if setting.spec.constrain == "off":
        return None
    lines: tuple[Line, ...] | None = None
    if setting.spec.constrain != "format":
        lines = action_lines(episode, episode.state)
        lines = lines if one_shot else (*lines, (markers.LOOK_AROUND,))
    return Constraint(
        lines,
        action=f"{markers.ACTION} " if thoughts or not one_shot else "",
        thought=f"{markers.THOUGHT} " if thoughts else "",
        begin=f"{markers.PLAN_START}\n" if one_shot else "",
        end=markers.PLAN_END if one_shot else "",
        instead=(markers.NO_PLAN,) if no_plan else (),
    )


def action_lines(episode: Episode, state: State) -> tuple[Line, ...]:
    """The told actions that are applicable in a state, if applicable ones are asked for, else all of the task."""
    setting = episode.setting
    if setting.spec.constrain == "applicable":
        return tuple((setting.teller.action(action),) for action in setting.simulator.applicable(state))
    return tuple(_told_actions(episode))


def _told_actions(episode: Episode) -> Iterator[Line]:
    """The told ground actions of the task, by slots."""
    teller = episode.setting.teller
    for schema in teller.task.domain.actions:
        objects = [teller.task.objects_of(parameter.types) for parameter in schema.parameters]
        if not all(objects):
            continue
        if teller.style == "pddl":
            parts: tuple[str | int, ...] = (f"({schema.name}", *_spaced(len(objects)), ")")
        else:
            parts = teller.wording.actions[schema.name].parts
            objects = [tuple(teller.names.to_nl[name] for name in names) for names in objects]
        yield tuple(part if isinstance(part, str) else objects[part] for part in parts)


def _spaced(arguments: int) -> Iterator[str | int]:
    for number in range(arguments):
        yield " "
        yield number
