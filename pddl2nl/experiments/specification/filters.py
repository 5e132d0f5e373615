"""The filters of tasks that need a planner or an estimate: ``solved-by``, ``unsolved-by`` and ``costlier``.

They are applied after the rest of the file was checked. Results of planners are cached
(`pddl2nl.experiments.planner_cache`), so that an interrupted start continues where it stopped. Filters look at tasks
before transformations.

If a suite is estimated to cost too much, ``costlier`` keeps only the tasks that a cheap planner solves. The paper did
so for IPC suites that would have cost more than 150 USD: the model got only what breadth-first search solves (Stein,
Fišer, Hoffmann and Koller, ICAPS 2025, section 5).
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace

from pddl2nl.baselines import Status, TaskTexts, solve
from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.estimate import estimate
from pddl2nl.experiments.planner_cache import PlannerCache, result_key
from pddl2nl.experiments.specification.columns import ROLES
from pddl2nl.experiments.specification.domains import SolvedBy, SpecDomain
from pddl2nl.experiments.specification.experiment import ExperimentSpec
from pddl2nl.experiments.specification.product import cells
from pddl2nl.files import decode, read_bytes
from pddl2nl.llm.settings import load_catalogue

_TICK = 0.5
_Question = tuple[str, SolvedBy]


@dataclass(frozen=True)
class Deciding:
    """The progress of filters: ``decided`` of ``questions``, of which ``known`` were cached."""

    questions: int
    decided: int
    known: int


@dataclass(frozen=True)
class _PlannerAnswer:
    """A planner's result on a task; ``status`` is None if it has not been asked yet."""

    status: Status | None = None
    message: str = ""
    plan_length: int | None = None

    def passes(self, condition: SolvedBy) -> bool:
        """Whether the task passes: one that is not decided yet does; a planner that failed decides nothing."""
        return self.status is None or (self.status != "error" and (self.status == "solved") is condition.wanted)


def narrow(
    spec: ExperimentSpec,
    cache: PlannerCache | None = None,
    *,
    ask: bool = True,
    workers: int | None = None,
    on_progress: Callable[[Deciding], None] = lambda progress: None,
    warn: Callable[[str], None] = lambda message: None,
) -> ExperimentSpec:
    """The experiment with only the tasks that pass the filters that need a planner.

    Args:
        spec: the experiment.
        cache: of planners' results; None for no cache.
        ask: whether planners are run; if not, undecided tasks stay, with a note.
        workers: planners at a time; by default the number of processors.
        on_progress: called in the calling thread when a task was decided, and twice a second in between.
        warn: called once if results cannot be cached.

    Raises:
        InputError: no task is left; the message has the place in the file.
        MissingExtraError: the planner is not installed.
        InfrastructureError: the cache is damaged.
    """
    questions = {question: texts for domain in spec.domains for question, texts in _questions(domain)}
    if not questions:
        return spec
    answers: dict[_Question, _PlannerAnswer] = {}
    for key, condition in questions:
        known = None if cache is None else cache.find(key)
        if known is not None:
            answers[key, condition] = _PlannerAnswer(known.status, plan_length=known.plan_length)
    missing = {question: texts for question, texts in questions.items() if question not in answers}
    cached = len(answers)
    if ask and missing:
        # Any end of this loop, also Ctrl-C, must end the planners as well.
        with closing(_asked(missing, workers or os.cpu_count() or 1, cache, warn)) as batches:
            for some in batches:
                answers |= some
                on_progress(Deciding(len(questions), len(answers), cached))
    return _narrowed(spec, answers)


def _questions(domain: SpecDomain) -> Iterator[tuple[_Question, TaskTexts]]:
    """The questions for planners about the tasks of a domain, in the order of tasks and filters."""
    if not any(task.filters for task in domain.tasks):
        return
    text = decode(read_bytes(domain.path)).text
    for task in domain.tasks:
        texts = TaskTexts(text, decode(read_bytes(task.path)).text)
        for condition in task.filters:
            key = result_key(texts, condition.planner, condition.seconds, condition.memory_mb)
            yield (key, replace(condition, wanted=True)), texts


def _asked(
    questions: Mapping[_Question, TaskTexts],
    workers: int,
    cache: PlannerCache | None,
    warn: Callable[[str], None],
) -> Generator[dict[_Question, _PlannerAnswer], None, None]:
    """The answers of planners as they come, several planners at a time; nothing new twice a second."""
    stopped = False

    def answer(question: _Question, texts: TaskTexts) -> _PlannerAnswer:
        nonlocal cache
        key, condition = question
        if stopped:
            return _PlannerAnswer()
        try:
            result = solve(texts, condition.planner, time_limit=condition.seconds, memory_limit_mb=condition.memory_mb)
        except InfrastructureError as error:
            return _PlannerAnswer("error", str(error))
        if cache is not None:
            try:
                cache.put(key, result)
            except InfrastructureError as error:
                cache = None
                warn(f"results of planners are not kept: {error}")
        return _PlannerAnswer(result.status, result.message, None if result.plan is None else len(result.plan))

    pool = ThreadPoolExecutor(workers, thread_name_prefix="filter")
    try:
        asked = {pool.submit(answer, question, texts): question for question, texts in questions.items()}
        waiting: set[Future[_PlannerAnswer]] = {*asked}
        while waiting:
            done, waiting = wait(waiting, timeout=_TICK, return_when=FIRST_COMPLETED)
            yield {asked[future]: future.result() for future in done}
    except BaseException:
        # Also Ctrl-C: results so far are kept, and running searches end.
        stopped = True
        pool.shutdown(wait=False, cancel_futures=True)
        stop_searches()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


# ── what is left ─────────────────────────────────────────────────────────────────────────────────


def _narrowed(spec: ExperimentSpec, answers: Mapping[_Question, _PlannerAnswer]) -> ExperimentSpec:
    """The experiment with the tasks that pass, a sentence for those that do not, and a note on undecided ones."""
    left_out = [*spec.left_out]
    undecided = Counter[str]()
    domains = []
    for domain in spec.domains:
        questions = iter([question for question, _ in _questions(domain)])
        failed = Counter[tuple[SolvedBy, Status | None]]()
        kept = []
        for task in domain.tasks:
            passes, is_open, length = True, False, task.plan_length
            for condition in task.filters:
                answer = answers.get(next(questions), _PlannerAnswer())
                is_open |= answer.status is None
                if condition.planner == "ff" and length is None:
                    # Estimates use it as the number of turns.
                    length = answer.plan_length
                if answer.status == "error":
                    message = f"{condition.planner} failed on it: {answer.message}"
                    left_out.append(f"{task.name} of {domain.label}: {message}")
                if passes and not answer.passes(condition):
                    passes = False
                    failed[condition, answer.status] += 1
            if passes:
                kept.append(replace(task, filters=(), plan_length=length))
                undecided[domain.label] += is_open
        for (condition, status), number in failed.items():
            left_out.append(f"{number} of {len(domain.tasks)} tasks of {domain.label}: {condition}: {status}")
        if kept:
            domains.append(replace(domain, tasks=tuple(kept)))
    if not domains:
        raise spec.file.error(f"no task passes the filters: {'; '.join(left_out)}", "domains")
    notes = [*spec.notes]
    if undecided := +undecided:
        notes.append(
            f"{undecided.total()} tasks of {', '.join(undecided)} may be left out: planners have not been asked "
            "about them, and they are counted as if they passed"
        )
    return replace(spec, domains=tuple(domains), left_out=tuple(left_out), notes=tuple(notes))


# ── costs ────────────────────────────────────────────────────────────────────────────────────────


def limit_costs(spec: ExperimentSpec) -> ExperimentSpec:
    """The experiment with a filter on the tasks of each suite that would cost too much, in a section of its own.

    All columns and seeds are estimated at the price of the model that the entry names, so that the same tasks are
    chosen for every model.

    Args:
        spec: the experiment, its other filters decided by `narrow`. The new ones are still to be.

    Raises:
        InputError: the price of a model is not known; the message has its place in the file.
    """
    suites: dict[tuple[str, str], list[SpecDomain]] = defaultdict(list)
    for one in spec.domains:
        suites[one.row, one.section].append(one)
    notes = [*spec.notes]
    kept: list[SpecDomain] = []
    limited: list[SpecDomain] = []
    for (name, _), some in suites.items():
        rule, cheap = some[0].costlier, some[0].cheap
        usd = 0.0 if rule is None else _cost(spec, some, rule.model)
        if rule is None or cheap is None or usd <= rule.than:
            kept += some
            continue
        tasks = sum(len(one.tasks) for one in some)
        notes.append(
            f"{name}: as {rule.model} its {tasks} tasks are estimated to cost {usd:.2f} USD, more than {rule.than:g}: "
            f"only those {cheap} are kept"
        )
        for one in some:
            filtered = tuple(replace(task, filters=(cheap,)) for task in one.tasks)
            section = f"solved by {cheap.planner}"
            limited.append(replace(one, tasks=filtered, section=section))
    return replace(spec, domains=(*kept, *limited), notes=tuple(notes))


def _cost(spec: ExperimentSpec, domains: Sequence[SpecDomain], model: str) -> float:
    """The estimated costs of all columns on a suite, if every model in every role had the price of one."""
    price = load_catalogue(spec.models_file).of(model).price
    if price is None:
        message = f"costlier needs the price of '{model}', which is not known; give it in a file for access.models"
        raise spec.file.error(message, "domains", value=model)
    options = (spec.options, *(each.options for column in spec.columns for each in column.repetitions))
    roles = [some[role] for some in options for role in ROLES if role in some]
    models = (*(model for column in spec.columns for model in column.models), *roles)
    return estimate(cells(replace(spec, domains=tuple(domains))), dict.fromkeys(models, price)).usd or 0.0
