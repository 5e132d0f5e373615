"""The few-shot example of a run: found or made, solved, and told with thoughts and observations.

The problem comes from the first of these that applies:

1. the file that the user named, with a plan of the user's, validated, or a planner's; or the best of the named folder;
2. for a shipped domain, its example instance;
3. the best of the problems beside the task's own file;
4. the task itself: a short seeded random walk from the initial state, whose new facts become a goal. Neither the end of
   the walk nor any state of the example's plan satisfies the task's goal.

The best of several problems has a plan by FF or LM-cut of five steps, or the nearest to five, as in the AutoPlanBench
paper (appendix B, "Few-shot example selection"). The choice depends on the files only, not on their order on the disk,
their age, or other runs.

The plan shown is optimal if LM-cut finds one within seconds, else FF's. Except for a file that the user named, no
example is shown whose plan would also solve the task.

Thoughts come from a template, or from a model (`pddl2nl.experiments.example`). Each names the goal, or the condition
of a later action, that its action serves. The record says where they came from.

Thoughts for a few-shot example, by a model, in one call (section 4 and appendix E of the AutoPlanBench paper).

====================  ==========================================================================================
message               content
====================  ==========================================================================================
system                the instruction (``prompts/thoughts.txt``)
user, assistant       a trajectory in Logistics with placeholders for its thoughts, and the thoughts, written by hand
                      (``thoughts_example.txt``, ``thoughts_answer.txt``): the same for every domain
user                  domain, problem, and the example's trajectory: for each step a placeholder, the action and the
                      observation (``thoughts_target.txt``)
assistant, user       where the first answer cannot be used: it, and what is wrong with it (``thoughts_again.txt``)
====================  ==========================================================================================

CoT and ReAct ask the same and show the same thoughts, so a cache serves the second of the two.

A reply is untrusted text. Bold letters, bullets, fences, placeholders written as ``1.`` or ``Thought 1:``, repeated
lines of the trajectory and thinking in tags are tolerated. The number of thoughts must be as asked, and none may be
empty or hold a tag of `nl.markers`, since they go into a prompt. After one more try the template's thoughts stand in,
and the record says why.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.experiments.planners import Plan, ff_plan, optimal_plan, quick_plan
from pddl2nl.files import read_text
from pddl2nl.llm import ContextWindowError, Finish, Message, Model, Request
from pddl2nl.llm.replies import split_reasoning
from pddl2nl.nl import Teller
from pddl2nl.nl.markers import ACTION, PLAN_END, PLAN_START, THOUGHT
from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.pddl import And, Atom, Condition, Domain, Problem, Task, load_problem, text_of
from pddl2nl.policies.prompting import problem_text
from pddl2nl.policies.prompts import CORE_PROMPTS
from pddl2nl.policies.setting import Example, ExampleSource, ExampleStep, SolvedProblem
from pddl2nl.tasks import match_shipped
from pddlval import GroundAction, Simulator, State, acting_simulator, load_plan, validate
from pddlval.happenings import actions_in_time

BEST_LENGTH = 5
"""How many steps the plan of a good example has (appendix B of the paper)."""
_TRIED = 24
"""How many problems are solved in search of one, at most, the smallest files first: a set like the paper's has 21."""
_FAR_OFF = 10
"""The search ends with so many that have no plan, or a far longer one: what follows is larger still."""
_READ = 200
"""How many files are looked into, at most."""
_LARGEST = 1_000_000
"""Bytes of the largest file that is looked into: nothing larger has a plan of five steps that is worth showing."""
_WORTH_IMPROVING = 15
"""The longest plan of FF's that LM-cut is asked to shorten: beyond, it would take its whole time and stay far off."""
_WALKS = 8
_MOST_GOALS = 4
_LOOKED_AHEAD = 20
_ADVICE = "a solved problem by --example PROBLEM with --example-plan FILE (or take none by --example none)"


def find_example(
    task: Task, *, given: str | Path | SolvedProblem | None = None, plan_path: str | Path | None = None, seed: int = 1
) -> SolvedProblem | None:
    """The solved problem that a run on this task shows; None where none is given or found, and none can be made.

    Args:
        task: the task to be solved.
        given: the user's example: a problem file, a folder of such, or a problem that is solved already.
        plan_path: a plan for that file; without it a planner solves it.
        seed: of the walks by which an example is made.

    Raises:
        InputError: the file's plan is not valid, the file is the task itself, or no planner takes the task.
        InfrastructureError: the planner failed.
    """
    if plan_path is not None and not (isinstance(given, str | Path) and not Path(given).is_dir()):
        raise InputError("--example-plan FILE needs the one problem that it solves: --example PROBLEM")
    if isinstance(given, SolvedProblem):
        return given
    if given is not None:
        return _named(task, Path(given), plan_path)
    return _shipped(task) or _beside(task) or _made(task, seed)


def gives_away(task: Task, plan: Plan) -> bool:
    """Whether a plan, carried out in the task as far as it goes, reaches the task's goal."""
    simulator = acting_simulator(task)
    return any(map(simulator.is_goal, simulator.follow(simulator.initial, plan).states[1:]))


def same_problem(one: Problem, other: Problem) -> bool:
    """Whether two problems are the same but for their names and the order of their parts."""

    def content(problem: Problem) -> tuple[object, ...]:
        values = {item.fluent: item.value for item in problem.init_values}
        return problem.goal, frozenset(problem.init), values, {item.name for item in problem.objects}

    return content(one) == content(other)


# ── named by the user, shipped, or beside the task ───────────────────────────────────────────────


def _named(task: Task, path: Path, plan_path: str | Path | None) -> SolvedProblem:
    if path.is_dir():
        best = _best(task, path, "file")
        if best is None:
            raise InputError(
                f"--example {path}: none of the *.pddl files there can be shown: a problem of the domain "
                f"'{task.domain.name}' is needed, other than the task itself, that FF solves within seconds and whose "
                "plan does not solve the task as well"
            )
        return best
    example = Task(task.domain, load_problem(path, task.domain))
    if same_problem(example.problem, task.problem):
        raise InputError(f"--example {path}: this is the very problem to be solved; its plan must not be shown")
    plan = _shortest(example) if plan_path is None else _valid_plan(example, path, plan_path)
    if not plan:
        raise InputError(f"--example {path}: its plan has no step, and so it shows nothing; name another problem")
    return SolvedProblem(example, plan, "file")


def _valid_plan(example: Task, path: Path, plan_path: str | Path) -> Plan:
    plan = load_plan(plan_path)
    report = validate(example, plan)
    if not report.valid:
        raise InputError(f"--example-plan {plan_path} is no valid plan for {path}: {report.verdict}")
    # Time stamps, if the file has some, give the order.
    return actions_in_time(plan)


def _shortest(example: Task) -> Plan:
    return optimal_plan(example) or ff_plan(example, _ADVICE)


def _shipped(task: Task) -> SolvedProblem | None:
    shipped = match_shipped(task.domain)
    if shipped is None:
        return None
    example = Task(task.domain, _example_problem(shipped.example.path, task.domain))
    if same_problem(example.problem, task.problem):
        return None
    plan = _shortest(example)
    return None if gives_away(task, plan) else SolvedProblem(example, plan, "shipped")


@lru_cache(maxsize=64)
def _example_problem(path: Path, domain: Domain) -> Problem:
    """A shipped example; an experiment has thousands of runs that show the same one."""
    return load_problem(path, domain)


def _beside(task: Task) -> SolvedProblem | None:
    source = task.problem.source
    # A text that was parsed has a made-up name, which is no file's.
    if source is None or not Path(source.name).is_file():
        return None
    return _best(task, Path(source.name).parent, "beside")


def _best(task: Task, folder: Path, source: ExampleSource) -> SolvedProblem | None:
    """The best of the problems in a folder, of equals the smallest; None if none can be shown."""
    best: SolvedProblem | None = None
    best_distances: tuple[int, ...] = ()
    far_off = 0
    for other in islice(_problems(task, folder), _TRIED):
        quick = quick_plan(other)
        far_off += quick is None or len(quick) > _WORTH_IMPROVING
        if quick and not gives_away(task, quick):
            shown = optimal_plan(other) if len(quick) <= _WORTH_IMPROVING else None
            if not shown or gives_away(task, shown):
                shown = quick
            distances = min(_distance(quick), _distance(shown)), _distance(shown)
            if best is None or distances < best_distances:
                best, best_distances = SolvedProblem(other, shown, source), distances
            if distances[0] == 0:
                break
        if far_off == _FAR_OFF:
            break
    return best


def _distance(plan: Plan) -> int:
    return abs(len(plan) - BEST_LENGTH)


def _problems(task: Task, folder: Path) -> Iterator[Task]:
    """The other problems of the task's domain in a folder, the smallest files first; other files are skipped."""
    try:
        files = [path for path in folder.iterdir() if path.suffix.lower() == ".pddl" and path.is_file()]
        sized = sorted((path.stat().st_size, path.name, path) for path in files)
    except OSError as error:
        raise InputError(f"{folder}: the problems in it cannot be listed: {error.strerror}") from None
    wanted = {task.domain.name, task.problem.domain_name}
    names_domain = re.compile(rf"\(\s*:domain\s+(?:{'|'.join(map(re.escape, sorted(wanted)))})\s*\)", re.IGNORECASE)
    for path in [path for size, _, path in sized if size <= _LARGEST][:_READ]:
        try:
            # Only problems of the domain are parsed.
            if not names_domain.search(read_text(path, errors="replace")):
                continue
            problem = load_problem(path, task.domain)
        except InputError:
            continue
        if problem.domain_name in wanted and not same_problem(problem, task.problem):
            yield Task(task.domain, problem)


# ── made from the task itself ────────────────────────────────────────────────────────────────────


def _made(task: Task, seed: int) -> SolvedProblem | None:
    best: SolvedProblem | None = None
    for example in _walked(task, seed):
        plan = ff_plan(example, _ADVICE)
        if plan and not gives_away(task, plan) and (best is None or _distance(plan) < _distance(best.plan)):
            best = SolvedProblem(example, plan, "made")
            if _distance(plan) <= 1:
                break
    if best is None:
        return None
    shown = optimal_plan(best.task)
    return best if not shown or gives_away(task, shown) else replace(best, plan=shown)


def _walked(task: Task, seed: int) -> Iterator[Task]:
    """Tasks with the same initial state whose goals are facts that a random walk made true."""
    simulator = acting_simulator(task)
    rng = random.Random(f"example {seed}")
    for number in range(_WALKS):
        state = simulator.initial
        for _, successor in islice(simulator.walk(state, rng), BEST_LENGTH + 2 * number):
            if simulator.is_goal(successor):
                break
            state = successor
        new = sorted(atom for atom in state.atoms if atom not in simulator.initial)
        if new:
            goals = sorted(rng.sample(new, min(_MOST_GOALS, len(new))))
            goal = And(tuple(Atom(atom.predicate, atom.args) for atom in goals))
            name = f"{task.problem.name}-example"
            # Without its source, so that its text is written anew and not taken from the file.
            yield Task(task.domain, replace(task.problem, name=name, goal=goal, metric=None, source=None))


# ── told ─────────────────────────────────────────────────────────────────────────────────────────


def tell_example(solved: SolvedProblem, teller: Teller, *, thoughts: bool) -> Example:
    """The example as a policy shows it, told by a teller of its problem, with template thoughts or without."""
    shown = template_thoughts(solved.task, solved.plan, teller) if thoughts else ("",) * len(solved.plan)
    steps = tuple(
        ExampleStep(teller.action(action), teller.executed(action), thought)
        for action, thought in zip(solved.plan, shown, strict=True)
    )
    return Example(
        teller.goal_text(),
        teller.objects_text(),
        teller.init_text(),
        steps,
        solved.source,
        text_of(solved.task.problem),
        tuple(map(str, solved.plan)),
        "template" if thoughts else "none",
    )


def template_thoughts(task: Task, plan: Sequence[GroundAction], teller: Teller) -> tuple[str, ...]:
    """A thought for every action of a valid plan: the goal it reaches for good, or the later action it prepares."""
    simulator = acting_simulator(task)
    states = simulator.follow(simulator.initial, plan).states
    unmet = [simulator.unmet_goals(state) for state in states]
    thoughts = []
    for number in range(len(plan)):
        lost = {goal for later in unmet[number + 1 :] for goal in later}
        reached = [goal for goal in unmet[number] if goal not in lost]
        if reached:
            asks = "The goal needs" if teller.style == "pddl" else "My goal asks that"
            thoughts.append(f"{asks} {' and '.join(map(teller.literal, reached))}. I can bring this about now.")
        elif (served := _served(simulator, plan, states, number)) is None:
            thoughts.append("This makes room for the actions that follow.")
        else:
            later, condition = served
            form = "The later action {} needs {}." if teller.style == "pddl" else "In order to {} I need that {}."
            thoughts.append(form.format(teller.action(later), teller.literal(condition)))
    return tuple(thoughts)


def _served(
    simulator: Simulator, plan: Sequence[GroundAction], states: Sequence[State], number: int
) -> tuple[GroundAction, Condition] | None:
    """The first later action with a condition that fails before a step and holds from it until the action."""
    for index, later in enumerate(plan[number + 1 : number + 1 + _LOOKED_AHEAD], number + 1):
        for condition in simulator.step(states[number], later).unmet:
            between = states[number + 1 : index + 1]
            if all(condition not in simulator.step(state, later).unmet for state in between):
                return later, condition
    return None


# ── thoughts ────────────────────────────────────────────────────────────────────────────────────

THOUGHTS_PROMPTS = (
    "thoughts.txt",
    "thoughts_example.txt",
    "thoughts_answer.txt",
    "thoughts_target.txt",
    "thoughts_again.txt",
    "problem.txt",
)
"""The files that the prompt is made of."""

THOUGHTS_TOKENS = 2000
"""How long the reply may be (appendix A of the paper)."""

_TRIES = 2
_OBSERVATION = "Observation:"
_TAGS = (ACTION, THOUGHT, _OBSERVATION, PLAN_START, PLAN_END, "[THOUGHT")
"""Marks that a thought must not hold: a model that copies them would produce replies that are misread."""

_MARKS = " \t*_`#>•|-"
_TAG = r"[\[(<{]\s*thought\s*#?(\d{1,4})\s*[\])>}]"
_HEADS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"^[{_MARKS}]*(?:\d{{1,4}}[.)][{_MARKS}]*)?(?:thought\s*:[{_MARKS}]*)?{_TAG}",
        _TAG,
        rf"^[{_MARKS}]*(?:thought|step|placeholder)?\s*[#(\[]?(\d{{1,4}})(?=[\s*_`]*(?:[\]:.)–—-]|$))",
    )
)
"""Where a thought may begin, the strictest first."""
_LABEL = re.compile(r"thought\s*[*_`]*:", re.IGNORECASE)
_NO_THOUGHT = re.compile(r"(?:step|thought)?\d{0,4}", re.IGNORECASE)
"""The letters of a line that holds no thought: "Step 2", "3.", "Thought:", "---", a fence."""
_SHORT: Mapping[Finish, str] = {
    "length": "It was cut off after {tokens} tokens; be briefer, a sentence for each thought.",
    "refused": "The model refused to answer.",
    "filtered": "The answer was withheld by a filter.",
    "empty": "It is empty.",
}


@dataclass(frozen=True)
class ReadThoughts:
    """The thoughts of a reply, or, as sentences, what is wrong with it."""

    texts: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def placeholder(number: int) -> str:
    """What stands for a thought; numbers begin with 1."""
    return f"[THOUGHT {number}]"


def trajectory(example: Example) -> str:
    """The steps of an example as ReAct shows them, with placeholders for the thoughts."""
    return "\n\n".join(
        f"{THOUGHT} {placeholder(number)}\n{ACTION} {step.action}\n{_OBSERVATION} {step.observation}"
        for number, step in enumerate(example.steps, 1)
    )


def think(
    example: Example, domain_text: str, model: Model, *, seed: int | None = 1, temperature: float | None = 0.0
) -> Example:
    """The example with a model's thoughts in place of its own.

    Where no answer can be used, also because it was refused, filtered or cut off, or the prompt is too long for the
    model, the example keeps its thoughts, and its ``thoughts_note`` says why.

    The model is asked once, and once more where the first answer cannot be used.

    Raises:
        InfrastructureError: there is no reply.
        ReplyPendingError: a batch will bring it.
    """
    if not example.steps:
        return example
    every = placeholder(1) if len(example.steps) == 1 else f"{placeholder(1)} to {placeholder(len(example.steps))}"
    steps, problem = trajectory(example), problem_text(example)
    messages = [
        Message("system", CORE_PROMPTS.text("thoughts.txt")),
        Message("user", CORE_PROMPTS.text("thoughts_example.txt")),
        Message("assistant", CORE_PROMPTS.text("thoughts_answer.txt")),
        Message("user", CORE_PROMPTS.fill("thoughts_target.txt", domain=domain_text, problem=problem, steps=steps)),
    ]
    notes: list[str] = []
    for _ in range(_TRIES):
        try:
            reply = model.complete(Request(tuple(messages), "thoughts", temperature, seed, THOUGHTS_TOKENS))
        except ContextWindowError as error:
            notes.append(str(error))
            break
        text = reply.text.encode("utf-8", "replace").decode("utf-8")
        short = _SHORT.get(reply.finish, "").format(tokens=reply.usage.completion_tokens or THOUGHTS_TOKENS)
        read = ReadThoughts(faults=(short,)) if short else read_thoughts(text, example)
        if not read.faults:
            thinking = [replace(step, thought=text) for step, text in zip(example.steps, read.texts, strict=True)]
            return replace(example, steps=tuple(thinking), thoughts="llm", thoughts_note="")
        notes.append(" ".join(read.faults))
        faults = "\n".join(f"- {fault}" for fault in read.faults)
        messages += [
            # Dots for an empty one, which endpoints refuse.
            Message("assistant", text.strip() or "…"),
            Message("user", CORE_PROMPTS.fill("thoughts_again.txt", faults=faults, placeholders=every)),
        ]
    return replace(example, thoughts_note=f"no thoughts of the model's could be used. {' Then: '.join(notes)}")


# ── the answer ───────────────────────────────────────────────────────────────────────────────────


def read_thoughts(text: str, example: Example) -> ReadThoughts:
    """The thoughts in a model's answer: one for each step of the example, checked."""
    reply = "\n".join(split_reasoning(text.encode("utf-8", "replace").decode("utf-8"))[1].splitlines())
    # A head may follow marks and blanks: thousands of blank lines would each be tried up to the end.
    reply = re.sub(r"\n\s*\n", "\n\n", reply)
    wanted = list(range(1, len(example.steps) + 1))
    attempts = [_parts(reply, heads) for heads in _HEADS]
    complete = (parts for parts in attempts if [number for number, _ in parts] == wanted)
    parts = next(complete, None) or next(filter(None, attempts), [])
    if faults := _wrong_numbers([number for number, _ in parts], wanted):
        return ReadThoughts(faults=faults)
    own = {_bare(line) for line in trajectory(example).split("\n")}
    texts = tuple(_thought(body, own, last=number == len(wanted)) for number, body in parts)
    faults = tuple(fault for number, thought in enumerate(texts, 1) for fault in _wrong(placeholder(number), thought))
    return ReadThoughts(faults=faults) if faults else ReadThoughts(texts)


def _parts(reply: str, heads: re.Pattern[str]) -> list[tuple[int, str]]:
    """What follows each head up to the next, with its number."""
    matches = list(heads.finditer(reply))
    ends = [*(match.start() for match in matches[1:]), len(reply)]
    return [(int(match[1]), reply[match.end() : end]) for match, end in zip(matches, ends, strict=False)]


def _wrong_numbers(numbers: Sequence[int], wanted: Sequence[int]) -> tuple[str, ...]:
    if numbers == wanted:
        return ()
    missing = [placeholder(number) for number in wanted if number not in numbers]
    others = [placeholder(number) for number in dict.fromkeys(numbers) if number not in wanted]
    faults = [f"The thought for {enumerate_words(missing)} is missing."] if missing else []
    faults += [f"There is no placeholder {enumerate_words(others)}."] if others else []
    return tuple(faults) or ("The thoughts are not in the order of their placeholders, one for each.",)


def _thought(body: str, own: set[str], *, last: bool) -> str:
    """A thought as one line, without what a model wraps around it and without the trajectory's own lines."""
    if last:
        # What comes after a blank line or a closing fence behind the last one is thought to us: "Let me know if …".
        body = re.split(r"\n[^\S\n]*(?:\n|```)", body.strip(), maxsplit=1)[0]
    lines = [
        line
        for line in body.split("\n")
        if _bare(line) not in own and not _NO_THOUGHT.fullmatch(re.sub(r"[\W_]+", "", line))
    ]
    thought = " ".join(" ".join(lines).split()).rstrip(_MARKS).lstrip(_MARKS + ":.)]=–—")
    return _LABEL.sub("", thought, count=1).strip(_MARKS) if _LABEL.match(thought) else thought


def _bare(line: str) -> str:
    return re.sub(r"[\s*_`#>•-]+", " ", line).strip(" .;").lower()


def _wrong(place: str, thought: str) -> list[str]:
    if not any(character.isalnum() for character in thought):
        return [f"The thought for {place} is empty."]
    held = [tag for tag in _TAGS if tag.lower() in thought.lower()]
    return [f'The thought for {place} holds "{held[0]}", which is no part of a thought.'] if held else []
