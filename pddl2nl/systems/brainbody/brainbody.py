"""BrainBody-LLM: a planning model and an acting model in a feedback loop, and its baselines.

After Bhat et al., "Grounding LLMs For Robot Task Planning Using Closed-loop State Feedback", algorithm 1. The modules:

* ``prompts``, ``examples``: what the models are asked and shown
* ``replies``, ``bodies``: how plans and lines of program are read, and how a step becomes a command
* ``primitives``: the commands of a robot, and the actions that carry them out
* ``oracle``, ``mistakes``: a planner in place of the models
* ``events``, ``metrics``, ``notes``, ``paper.toml``: what is recorded, measured, shown and compared

The paper's loop does not end if a new plan is shorter than the steps already taken, and leaves open whether a new plan
is the whole plan or its rest. Here a new plan replaces the steps from the failed one on, and the loop ends behind the
last step: each turn raises the step or the number of feedback rounds, so that with K rounds at most 1 + K plans are
asked for and (1 + K) · `MAX_STEPS` steps are tried.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pddl2nl.baselines import solve
from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.pddl import Task, write_condition
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.observations import bad_action, refused
from pddl2nl.policies.refining import signal
from pddl2nl.systems.brainbody.bodies import make_body
from pddl2nl.systems.brainbody.events import BodyActed, BrainPlanned, DeadEndProved, ErrorSignal
from pddl2nl.systems.brainbody.examples import shots_for
from pddl2nl.systems.brainbody.primitives import ground, robot_of_actions
from pddl2nl.systems.brainbody.prompts import MECHANISMS, BrainMechanism, StepPrompter, steps_text
from pddl2nl.systems.brainbody.replies import Assertion, ProgramReader, is_done, read_plan_reply
from pddlval import BadActionError, GroundAction, Simulator, State

_PROOF_SECONDS = 30
"""How long Fast Downward may look for a plan; if it takes longer, no dead end is proved."""

_AGAIN = "The same action has failed in the same way before, and nothing has changed since."
_DEAD_END = "What was done cannot be undone: no plan reaches the goal any more."
_WOULD_BE_DEAD_END = "After this step no plan would reach the goal any more, so it was not carried out."


class BrainBody:
    """BrainBody-LLM, or one of its baselines.

    Args:
        name: the policy, of `MECHANISMS`, which differ in their components.
    """

    styles: tuple[str, ...] = ("nl",)
    one_shot = True
    thoughts = False
    needs_model = True
    prompt: str | None = None

    def __init__(self, name: str = "brainbody"):
        self.mechanism = MECHANISMS[name]
        self.summary = self.mechanism.summary

    def run(self, episode: Episode) -> None:
        """Plans, acts, and revises the plan after errors; the goal must hold at the end."""
        if not episode.done:
            _Loop(episode, self.mechanism).run()


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

    def __init__(self, episode: Episode, mechanism: BrainMechanism):
        setting = episode.setting
        kind = setting.body if mechanism.body else "none"
        robot = setting.robot or robot_of_actions(setting.simulator.task.domain)
        program = kind == "none"
        self._episode = episode
        self._setting = setting
        self._simulator = setting.simulator
        self._stage = mechanism.stage
        self._rounds = setting.feedback_loops if mechanism.feedback else 0
        self._prompter = StepPrompter(setting.teller, robot, program, shots_for(setting, robot, program))
        reader = ProgramReader(robot, setting.simulator.task.domain, setting.teller.names)
        self._body = make_body(kind, episode, self._prompter, reader)
        self._failed: Counter[tuple[State, str, str]] = Counter()
        self._dead_ends: dict[State, bool] = {}

    def run(self) -> None:
        """Plans and acts to the end of the plan."""
        episode = self._episode
        plan = self._planned((), 0, 0, "")
        step = rounds = 0
        while step < len(plan) and episode.finished is None:
            message = self._try(step, plan[step])
            if message is None:
                step += 1
            elif rounds < self._rounds:
                rounds += 1
                plan = self._planned(plan, step, rounds, message)
            else:
                step += 1
        if not plan and not episode.executed:
            episode.end_plan("unreadable", "no step could be read in what the model said")
        episode.end_plan()

    def _planned(self, plan: tuple[str, ...], step: int, number: int, message: str) -> tuple[str, ...]:
        """The plan with the steps from ``step`` on as the model now gives them."""
        episode = self._episode
        sections = {
            "Environment information": self._prompter.environment(episode.state),
            "Task": episode.task_text,
        }
        stage = self._stage
        if message:
            stage = "brainbody/feedback"
            sections |= {"Plan": steps_text(plan), "Error step": str(step), "Message": message}
        level = self._setting.constrain if self._prompter.program else "off"
        constraint = self._prompter.constraint(level, stage=stage)
        reply = episode.uncut(episode.ask(self._prompter.messages(stage, sections), again=True, constraint=constraint))
        read = read_plan_reply(reply, step)
        plan = (*plan[:step], *read.steps)
        episode.note(BrainPlanned(number, step, plan, read.explanation, read.dropped))
        return plan

    def _try(self, step: int, line: str) -> str | None:
        """Carries out a step; the message about its failure, or None."""
        if is_done(line):
            return None
        program = self._body.act(line)
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
                status, reason = "inapplicable", refused(result, setting, state)
                unmet = tuple(map(write_condition, result.unmet))
            elif setting.preview and self._dead_end(result.successor):
                self._episode.note(DeadEndProved(step, str(action), preview=True))
                status, reason = "dead-end", _WOULD_BE_DEAD_END
        if setting.preview and status:
            return _StepFailure(status, about, reason, str(action), unmet, preview=True)
        turn = self._episode.move(action, said=line, ends=False)
        return (
            None
            if turn.status == "executed"
            else _StepFailure(turn.status, about, turn.observation, str(action), unmet)
        )

    def _signalled(self, step: int, failure: _StepFailure) -> str:
        """The message for the planning model about a failure."""
        episode, setting = self._episode, self._setting
        text = signal(setting.signal, step, failure.status, failure.about, failure.reason)
        key = episode.state, failure.action or failure.about, text
        repeated, self._failed[key] = self._failed[key], self._failed[key] + 1
        facts = failure.action, setting.signal, failure.status, text, failure.unmet, repeated, failure.preview
        episode.note(ErrorSignal(step, *facts))
        lines = [text, _AGAIN] if repeated else [text]
        if self._dead_end(episode.state):
            last = str(episode.executed[-1]) if episode.executed else ""
            episode.note(DeadEndProved(step, last))
            lines.append(_DEAD_END)
            if setting.dead_ends == "end":
                episode.give_up("dead-end", "no plan reaches the goal any more")
        return " ".join(lines)

    def _dead_end(self, state: State) -> bool:
        """Whether dead ends matter in this run, and a state is one."""
        if self._setting.dead_ends == "ignore":
            return False
        if state not in self._dead_ends:
            self._dead_ends[state] = is_dead_end(self._simulator, state)
        return self._dead_ends[state]
