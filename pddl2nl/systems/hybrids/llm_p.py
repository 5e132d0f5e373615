"""``llm+p``: the model writes the problem in PDDL, and Fast Downward solves it.

After Liu et al., "LLM+P: Empowering Large Language Models with Optimal Planning Proficiency" (2023): the domain is
given in PDDL, the task in natural language, with a solved translation as example. With ``rounds`` what our reader says
against the problem goes back to the model. The plan for the written problem is judged on the true task. What was
written is also compared with the true problem (`pddl2nl.search.equivalence`).

The problem is read under the told names of the objects, which then get their names in PDDL. What our reader accepts is
written anew for the planner: under the domain's name, with each object once and without requirements of its own,
because planners refuse what a domain file does not say. Features that the simulator does not execute are feedback.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

from pddl2nl.baselines import PlannerResult, solve
from pddl2nl.baselines.mistakes import MISTAKES
from pddl2nl.errors import InfrastructureError, InputError, UnsupportedError
from pddl2nl.llm.constraint import Constraint
from pddl2nl.nl import Names
from pddl2nl.nl.reading.told import NLReadError, read_problem
from pddl2nl.pddl import Domain, Problem, Task, parse_problem, write_domain, write_problem
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import Effort, Policy
from pddl2nl.policies.prompts import Sections
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.search.equivalence import ProblemComparison, compare_problems
from pddl2nl.systems.hybrids.answers import problem_written, with_objects
from pddl2nl.systems.hybrids.events import ProblemSolved, ProblemWritten
from pddl2nl.systems.hybrids.guided import ACTION_TOKENS
from pddl2nl.systems.hybrids.prompting import LAYOUT, PROMPTS, asked
from pddlval.unsupported import refuse_unsupported

_SOURCE = "<the problem>"
_MOST_FEEDBACK = 2_000
_SECONDS = 300
"""CPU seconds for LAMA's plan."""


@dataclass(frozen=True)
class _WrittenProblem:
    """What a reply holds: a problem, or why there is none."""

    text: str
    problem: Problem | None
    reason: str


class LLMPlusP(Policy):
    """Asks for the problem, corrects it, plans on it."""

    summary = "the model writes the problem in PDDL, Fast Downward solves it"
    one_shot = True
    uses = frozenset({"example", "example_plan", "constrain"})
    # The problem names no actions.
    levels = ("format",)
    mistakes = MISTAKES
    prompts = PROMPTS
    prompt_names = ("problem.txt",)

    rounds: Annotated[
        int, Meta(description="How often what is wrong with the problem is sent back to the model, at most.", ge=0)
    ] = 0

    def effort(self, actions: int) -> Effort:
        """One call; a problem has about three facts for each action of its plan."""
        return Effort(1, 0, 0, 3 * actions * ACTION_TOKENS)

    def run(self, episode: Episode) -> None:
        """Asks until the problem can be read, plans, and ends the episode with the plan."""
        task = episode.setting.simulator.task
        written = self._written(episode).proposal
        if written.problem is None:
            episode.give_up("unreadable", f"the model wrote no problem that can be read: {written.reason}")
            return
        result = solve(Task(task.domain, written.problem), "lama", time_limit=_SECONDS)
        plan = tuple(map(str, result.plan or ()))
        episode.note(ProblemSolved(result.planner, result.status, plan, result.seconds, result.expanded or 0))
        if result.plan is None:
            _end_without_plan(episode, result)
            return
        episode.propose_plan(result.plan, round=0)
        episode.conclude()

    def _written(self, episode: Episode) -> Attempt[_WrittenProblem]:
        setting = episode.setting
        domain, names = setting.simulator.task.domain, setting.teller.names
        examples = _example(episode)
        begin = f"(define (problem task)\n(:domain {domain.name})\n"
        form = None if setting.spec.constrain == "off" else Constraint(begin=begin, end=")")

        def propose(failed: Attempt[_WrittenProblem] | None) -> _WrittenProblem:
            sections: Sections = {"State": episode.init_text}
            if failed is not None:
                sections = {**sections, "Problem": failed.proposal.text, "Feedback": failed.feedback}
            prompt = asked("problem.txt", episode, sections, write_domain(domain), examples)
            reply = episode.ask(prompt, constraint=form, answer=problem_written(setting, corrected=failed is not None))
            written = _read(reply, domain, names)
            number = 0 if failed is None else failed.number + 1
            compared = None if written.problem is None else _compared(setting.simulator.task, written.problem)
            missing, invented = ((), ()) if compared is None else (compared.missing, compared.invented)
            equivalent = None if compared is None else compared.equivalent
            episode.note(ProblemWritten(number, written.text, written.reason, equivalent, missing, invented))
            return written

        same = None if episode.sampling else lambda written: written.text
        return refine(propose, [Check("reader", lambda each: each.reason)], lambda each: self.rounds, same=same)


def _example(episode: Episode) -> tuple[tuple[str, str], ...]:
    example, setting = episode.setting.example, episode.setting
    if example is None:
        return ()
    told = {"Goal": example.goal_text, "Objects": example.objects_text, "State": example.init_text}
    try:
        problem = read_problem("\n\n".join(told.values()), setting.simulator.task.domain, setting.teller.wording)
    except NLReadError:
        # A wording that cannot be read back; the prompt then has no example.
        return ()
    return ((LAYOUT.question(told), write_problem(problem)),)


def problem_in(reply: str) -> str:
    """The problem in a reply: from ``(define`` to the closing parenthesis; empty without one."""
    start = re.search(r"\(\s*define\b", reply, re.IGNORECASE)
    if start is None:
        return ""
    depth = 0
    for part in re.finditer(r";[^\n]*|[()]", reply[start.start() :]):
        depth += {"(": 1, ")": -1}.get(part[0], 0)
        if depth == 0:
            return reply[start.start() : start.start() + part.end()]
    return reply[start.start() :].removesuffix("```").rstrip()


def _read(reply: str, domain: Domain, names: Names) -> _WrittenProblem:
    text = problem_in(reply)
    if not text:
        return _WrittenProblem("", None, "the reply has no (define (problem ...) ...)")
    try:
        problem = under_names(_plain(parse_problem(text, domain, _SOURCE), domain), names)
        refuse_unsupported(Task(domain, problem))
    except InputError as error:
        return _WrittenProblem(text, None, str(error)[:_MOST_FEEDBACK])
    return _WrittenProblem(text, problem, "")


def _plain(problem: Problem, domain: Domain) -> Problem:
    """A problem as planners take it; InputError if an object is declared twice with different types."""
    constants = {item.name: item for item in domain.constants}
    objects = dict(constants)
    for item in problem.objects:
        if item.types != objects.setdefault(item.name, item).types:
            raise InputError(f"object '{item.name}' is declared twice, with different types: declare it once")
    own = tuple(item for name, item in objects.items() if name not in constants)
    return replace(problem, domain_name=domain.name, requirements=(), objects=own)


def _end_without_plan(episode: Episode, result: PlannerResult) -> None:
    if result.status in ("unsupported", "error"):
        raise InfrastructureError(
            f"{result.planner} did not plan for the problem that the model wrote: {result.message}"
        )
    if result.status == "unsolvable":
        episode.give_up("dead-end", "the problem that the model wrote has no plan")
    else:
        episode.give_up("budget", f"no plan was found for the problem that the model wrote: {result.status}")


def under_names(problem: Problem, names: Names) -> Problem:
    """A problem with told names of objects replaced by those in PDDL; as it is if two objects would get one name."""
    new = {item.name: names.to_pddl.get(item.name, item.name) for item in problem.objects}
    return problem if len({*new.values()}) < len(new) else with_objects(problem, new)


def _compared(task: Task, problem: Problem) -> ProblemComparison | None:
    """The written problem beside the true one; None where they cannot be compared."""
    try:
        return compare_problems(task, Task(task.domain, problem))
    except UnsupportedError:
        return None
