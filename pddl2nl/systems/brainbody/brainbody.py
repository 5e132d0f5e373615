"""BrainBody-LLM: a planning model and an acting model in a feedback loop, and its baselines.

After Bhat et al., "Grounding LLMs For Robot Task Planning Using Closed-loop State Feedback", algorithm 1. The paper's
loop does not end if a new plan is shorter than the steps already taken, and leaves open whether a new plan is the whole
plan or its rest. Here a new plan replaces the steps from the failed one on, and the loop ends behind the last step:
each turn raises the step or the number of feedback rounds, so that with K rounds at most 1 + K plans are asked for and
(1 + K) · `MAX_STEPS` steps are tried.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta

from pddl2nl.baselines import solve
from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.llm import Answer
from pddl2nl.pddl import Task, write_condition
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import Effort, WorldPolicy
from pddl2nl.policies.prompts import shortened
from pddl2nl.policies.refining import Style, signal
from pddl2nl.policies.trace import bad_action, refused
from pddl2nl.systems.brainbody.answers import MISTAKES, BrainAnswers
from pddl2nl.systems.brainbody.bodies import make_body
from pddl2nl.systems.brainbody.events import BodyActed, BrainPlanned, DeadEndProved, ErrorSignal
from pddl2nl.systems.brainbody.examples import shots_for, solved_tasks
from pddl2nl.systems.brainbody.primitives import Robot, ground, robot_of_actions
from pddl2nl.systems.brainbody.prompts import PROMPTS, StepPrompter, steps_text
from pddl2nl.systems.brainbody.replies import (
    LONGEST_STEP,
    MAX_STEPS,
    Assertion,
    ProgramLine,
    ProgramReader,
    is_done,
    read_plan_reply,
)
from pddlval import BadActionError, GroundAction, Simulator, State, StepResult
from pddlval.formulas import predicates_in

_PROOF_SECONDS = 30
"""How long Fast Downward may look for a plan; if it takes longer, no dead end is proved."""

_STEP_TOKENS, _SHORTER = 20, 2000

_NO_STEP = "No step was read in the reply. Write each step on a line of its own, and number the first one {}."
_TOO_LONG = f"Of the reply only {MAX_STEPS} steps were read and carried out. The rest begins with: {{}}"
_AGAIN = "The same action has failed in the same way before, and nothing has changed since."
_DEAD_END = "What was done cannot be undone: no plan reaches the goal any more."
_WOULD_BE_DEAD_END = "After this step no plan would reach the goal any more, so it was not carried out."


class BrainBody(WorldPolicy):
    """BrainBody-LLM, or one of its baselines."""

    summary = "a plan in words, turned into primitives step by step and revised after errors"
    prompts = PROMPTS
    one_shot = True
    files = ("robot.json",)
    mistakes = MISTAKES

    feedback_loops: Annotated[int, Meta(description="How often the plan may be revised after an error.", ge=0)] = 3
    signal: Annotated[
        Style,
        Meta(
            description="What the planning model is told about an error: that the step failed (raw), also what kind of "
            "failure it was (terse), or why (reason)."
        ),
    ] = "reason"
    body: Annotated[
        Literal["llm", "reader", "embedding", "none"],
        Meta(
            description="What turns a step of the plan into a command: a model; the reader, by the wording; the "
            "nearest command by its words (embedding); or nothing, and plans are programs (none)."
        ),
    ] = "llm"
    preview: Annotated[
        bool,
        Meta(
            description="A step is tried in the simulator, and in the world only if it succeeds there (not in the "
            "paper)."
        ),
    ] = False
    dead_ends: Annotated[
        Literal["ignore", "tell", "end"],
        Meta(
            description="If Fast Downward proves after an error that no plan reaches the goal any more: go on "
            "(ignore), tell the planning model, or end the run as gave-up. With preview, no step into a dead end is "
            "carried out (not in the paper)."
        ),
    ] = "ignore"
    revise: Annotated[bool, Meta(description="Errors are told, and the plan is revised.")] = True
    one_by_one: Annotated[
        bool,
        Meta(
            description="The plan is asked for one step at a time, each after the commands that the steps before it "
            "were turned into; without the lists of objects, actions and facts, and without feedback (Huang et al.)."
        ),
    ] = False
    assertions: Annotated[bool, Meta(description="Programs may assert facts, which the simulator answers.")] = False

    @property
    def uses(self) -> frozenset[str]:
        return frozenset(("example", "example_plan", *(("constrain",) if self.body in ("llm", "none") else ())))

    @property
    def roles(self) -> tuple[str, ...]:
        return {"llm": ("body",), "embedding": ("embedding",)}.get(self.body, ())

    @property
    def stage(self) -> str:
        if self.one_by_one:
            return "brainbody/next"
        return "brainbody/progprompt" if self.assertions else "brainbody/plan"

    @property
    def prompt_names(self) -> tuple[str, ...]:
        if self.one_by_one:
            return ("next.txt", *(("act.txt",) if self.body == "llm" else ()))
        used = {self.stage.removeprefix("brainbody/"): True, "act": self.body == "llm", "feedback": self.revise}
        return (*(f"{name}.txt" for name, is_used in used.items() if is_used), "form.txt", "hidden.txt")

    def shows_example(self, task: Task) -> bool:
        """Only in domains without solved tasks."""
        return not solved_tasks(task)

    def run(self, episode: Episode) -> None:
        """Plans, acts, and revises the plan after errors; the goal must hold at the end."""
        if not episode.done:
            loop = _Loop(episode, self)
            loop.run_one_by_one() if self.one_by_one else loop.run()

    def effort(self, actions: int) -> Effort:
        """A step and its line of program have 20 tokens each; one error is corrected."""
        replies = float(actions * _STEP_TOKENS)
        how = (
            f"of BrainBody-LLM a step of a plan and its line of program to be {_STEP_TOKENS} tokens each, one error to "
            f"be corrected, and prompts of the acting model {_SHORTER:,} tokens shorter, as in the household"
        )
        if self.one_by_one:
            return Effort(actions + 1, actions if self.body == "llm" else 0, -_SHORTER, replies, how)
        if self.body == "none":
            return Effort(1, 0, 0, replies, how)
        rounds = 1 if self.revise and self.feedback_loops else 0
        return Effort(1 + rounds, actions if self.body == "llm" else 0, -_SHORTER, replies * (2 + rounds), how)


def is_dead_end(simulator: Simulator, state: State) -> bool:
    """Whether no plan leads from a state to the goal, proved by Fast Downward.

    The planner knows the model whole, with the predicates that are hidden from the models, and not how the world
    differs from it. Without a proof within `_PROOF_SECONDS` the state is no dead end.

    Raises:
        MissingExtraError: Fast Downward is not installed.
        InfrastructureError: the planner cannot be started.
    """
    task = simulator.task
    from_here = Task(task.domain, problem_in_state(task.problem, state.atoms, state.values))
    return solve(from_here, "ff", time_limit=_PROOF_SECONDS).status == "unsolvable"


@dataclass(frozen=True)
class _StepFailure:
    """Why a step failed: the kind of failure, what it is about, the reason, and the conditions that did not hold."""

    status: str
    about: str
    reason: str
    action: str = ""
    unmet: tuple[str, ...] = ()
    preview: bool = False


class _Loop:
    """One run of algorithm 1."""

    def __init__(self, episode: Episode, policy: BrainBody):
        setting = episode.setting
        robot: Robot = setting.files.get("robot.json") or robot_of_actions(setting.simulator.task.domain)
        program = policy.body == "none"
        self._episode = episode
        self._setting = setting
        self._policy = policy
        self._simulator = setting.simulator
        self._rounds = policy.feedback_loops if policy.revise else 0
        shots = shots_for(setting, robot, program, policy.signal, episode.task_text)
        prompts = policy.prompts.replacing(setting.prompts)
        self._prompter = StepPrompter(setting.teller, robot, program, shots, prompts)
        reader = ProgramReader(robot, setting.teller)
        self._answers = BrainAnswers(self._prompter, setting.simulator.task)
        self._body = make_body(policy.body, episode, self._prompter, reader, self._answer_to)
        self._failed: Counter[tuple[State, str, str]] = Counter()
        self._dead_ends: dict[State, bool] = {}
        self._lost = self._said = ""

    def _answer_to(self, step: str) -> Answer:
        return partial(self._answers.command, step=step)

    def run(self) -> None:
        episode = self._episode
        plan = self._planned((), 0, 0, "")
        step = rounds = 0
        while episode.finished is None:
            if step < len(plan):
                message = self._try(step, plan[step])
            elif self._lost and rounds < self._rounds:
                # What was not read is told, so that no run ends by it while there are rounds left.
                message, self._lost = signal(self._policy.signal, None, "unreadable", "the plan", self._lost), ""
            else:
                break
            if message is not None and rounds < self._rounds:
                rounds += 1
                plan = self._planned(plan, step, rounds, message)
            else:
                step += 1
        if not plan and not episode.executed:
            episode.end_plan("unreadable", "no step could be read in what the model said")
        episode.end_plan()

    def run_one_by_one(self) -> None:
        """Asks for each step after the results of the steps before; ends with "Done" or `MAX_STEPS`.

        The plan goes on with the command that was taken for a step, and not with the step itself, as in Huang et al.,
        "Language Models as Zero-Shot Planners" (2022). The model is not told whether it could be carried out.
        """
        episode, said, taken = self._episode, list[str](), list[str]()
        for step in range(MAX_STEPS):
            answer: Answer = partial(self._answers.next_step, state=episode.state)
            messages = self._prompter.messages(
                self._policy.stage, {"Task": episode.task_text, "Plan": steps_text(taken)}
            )
            reply = episode.uncut(episode.ask(messages, again=True, answer=answer))
            line = next(iter((*read_plan_reply(reply).steps, shortened(reply, LONGEST_STEP))))
            if not line or is_done(line):
                break
            said.append(line)
            program = self._body(line)
            self._carry_out(step, line, program)
            taken.append(line if program.command is None else self._answers.words(program.command))
        episode.note(BrainPlanned(0, 0, tuple(said)))
        if not said:
            episode.end_plan("unreadable", "no step could be read in what the model said")
        episode.end_plan()

    def _planned(self, plan: tuple[str, ...], step: int, number: int, message: str) -> tuple[str, ...]:
        """The plan with the steps from ``step`` on as the model now gives them."""
        episode = self._episode
        sections = {"Environment information": self._prompter.environment(episode.state), "Task": episode.task_text}
        stage = self._policy.stage
        answer: Answer = partial(self._answers.plan, state=episode.state)
        if message:
            stage = "brainbody/feedback"
            answer = partial(self._answers.revision, state=episode.state, plan=plan, step=step, message=message)
            sections |= {"Plan": steps_text(plan), "Error step": str(step), "Message": message}
        level = self._setting.spec.constrain if self._prompter.program else "off"
        constraint = self._prompter.constraint(level, stage=stage)
        messages = self._prompter.messages(stage, sections)
        reply = episode.uncut(episode.ask(messages, again=True, constraint=constraint, answer=answer))
        read = read_plan_reply(reply, plan[:step])
        # Nothing is said twice: a model that does not answer would be asked until all rounds are used.
        lost = _TOO_LONG.format(read.beyond[0]) if read.beyond else "" if read.steps else _NO_STEP.format(step)
        self._lost, self._said = "" if lost == self._said else lost, lost
        plan = (*plan[:step], *read.steps)
        episode.note(BrainPlanned(number, step, plan, read.explanation, (*read.repeated, *read.beyond)))
        return plan

    def _try(self, step: int, line: str) -> str | None:
        return None if is_done(line) else self._carry_out(step, line, self._body(line))

    def _carry_out(self, step: int, line: str, program: ProgramLine) -> str | None:
        result = "pass" if program.unless is not None and self._holds(program.unless) else program.result
        action = None
        if result == "action" and program.command is not None:
            action = ground(program.command, self._episode.state, self._simulator)
        self._episode.note(BodyActed(step, line, program.text, result, "" if action is None else str(action)))
        failure = None
        if result == "unreadable":
            failure = _StepFailure("unreadable", program.text, f"Nothing was done, because {program.reason}")
        elif action is not None:
            failure = self._move(step, action, line, program.text)
        return None if failure is None else self._signalled(step, failure)

    def _holds(self, assertion: Assertion) -> bool:
        return self._episode.state.true(assertion.atom) == assertion.true

    def _move(self, step: int, action: GroundAction, line: str, about: str) -> _StepFailure | None:
        """Tries an action in the simulator, if there is a preview, and in the world."""
        setting, state = self._setting, self._episode.state
        unmet: tuple[str, ...] = ()
        status = reason = ""
        try:
            result = self._simulator.step(state, action)
        except BadActionError as error:
            status, reason = "unreadable", bad_action(error, setting, state)
        else:
            if result.successor is None:
                status, reason = "inapplicable", refused(self._tried(result), setting, state)
                unmet = tuple(map(write_condition, result.unmet))
            elif self._policy.preview and self._dead_end(result.successor):
                self._episode.note(DeadEndProved(step, str(action), preview=True))
                status, reason = "dead-end", _WOULD_BE_DEAD_END
        if self._policy.preview and status:
            return _StepFailure(status, about, reason, str(action), unmet, preview=True)
        turn = self._episode.move(action, said=line, ends=False)
        if turn.status == "executed":
            return None
        told = reason if turn.status == status == "inapplicable" else turn.observation
        return _StepFailure(turn.status, about, told, str(action), unmet)

    def _tried(self, result: StepResult) -> StepResult:
        """A result without hidden conditions, unless nothing else is wrong: from afar the robot cannot know them."""
        known = tuple(each for each in result.unmet if self._prompter.robot.hidden.isdisjoint(predicates_in(each)))
        return StepResult(result.action, None, known) if known else result

    def _signalled(self, step: int, failure: _StepFailure) -> str:
        episode = self._episode
        text = signal(self._policy.signal, step, failure.status, failure.about, failure.reason)
        key = episode.state, failure.action or failure.about, text
        repeated, self._failed[key] = self._failed[key], self._failed[key] + 1
        facts = failure.action, self._policy.signal, failure.status, text, failure.unmet, repeated, failure.preview
        episode.note(ErrorSignal(step, *facts))
        lines = [text, _AGAIN] if repeated else [text]
        if self._dead_end(episode.state):
            last = str(episode.executed[-1]) if episode.executed else ""
            episode.note(DeadEndProved(step, last))
            lines.append(_DEAD_END)
            if self._policy.dead_ends == "end":
                episode.give_up("dead-end", "no plan reaches the goal any more")
        return " ".join(lines)

    def _dead_end(self, state: State) -> bool:
        if self._policy.dead_ends == "ignore":
            return False
        if state not in self._dead_ends:
            self._dead_ends[state] = is_dead_end(self._simulator, state)
        return self._dead_ends[state]
