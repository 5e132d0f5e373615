"""The filters of tasks that need a planner or an estimate: ``solved-by``, ``unsolved-by`` and ``costlier``.

They are applied after the rest of the file was checked. Results of planners are cached
(`pddl2nl.experiments.planner_cache`), so that an interrupted start continues where it stopped. Filters look at tasks
before transformations.

``costlier`` keeps of a suite that is estimated to cost too much the tasks that a cheap planner solves. The paper did so
for its IPC suites: where a suite would have cost more than 150 USD, the model got only what breadth-first search solves
(Stein, Fišer, Hoffmann and Koller, ICAPS 2025, section 5).
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
from pddl2nl.llm import Price
from pddl2nl.llm.settings import load_catalogue

__all__ = ["Deciding", "limit_costs", "narrow", "still_costly"]

_TICK = 0.5
_Question = tuple[str, SolvedBy]


@dataclass(frozen=True)
class Deciding:
    """The progress of filters: ``decided`` of ``questions``, of which ``known`` were cached."""

    questions: int
    decided: int
    known: int


@dataclass(frozen=True)
class _Answer:
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
    answers: dict[_Question, _Answer] = {}
    for key, condition in questions:
        found = None if cache is None else cache.find(key, condition.seconds, condition.memory_mb)
        if found is not None:
            answers[key, condition] = _Answer(found.status, plan_length=found.plan_length)
    missing = {question: texts for question, texts in questions.items() if question not in answers}
    known = len(answers)
    if ask and missing:
        # Any end of this loop, also Ctrl-C, must end the planners as well.
        with closing(_asked(missing, workers or os.cpu_count() or 1, cache, warn)) as found_now:
            for some in found_now:
                answers |= some
                on_progress(Deciding(len(questions), len(answers), known))
    return _narrowed(spec, answers)


def _questions(domain: SpecDomain) -> Iterator[tuple[_Question, TaskTexts]]:
    """The questions for planners about the tasks of a domain, in the order of tasks and filters."""
    if not any(task.filters for task in domain.tasks):
        return
    text = decode(read_bytes(domain.path)).text
    for task in domain.tasks:
        texts = TaskTexts(text, decode(read_bytes(task.path)).text)
        for condition in task.filters:
            yield (result_key(texts, condition.planner), replace(condition, wanted=True)), texts


def _asked(
    questions: Mapping[_Question, TaskTexts],
    workers: int,
    cache: PlannerCache | None,
    warn: Callable[[str], None],
) -> Generator[dict[_Question, _Answer], None, None]:
    """The answers of planners as they come, several planners at a time; nothing new twice a second."""
    stopped = False

    def answer(question: _Question, texts: TaskTexts) -> _Answer:
        nonlocal cache
        key, condition = question
        if stopped:
            return _Answer()
        try:
            result = solve(texts, condition.planner, time_limit=condition.seconds, memory_limit_mb=condition.memory_mb)
        except InfrastructureError as error:
            return _Answer("error", str(error))
        if cache is not None:
            try:
                cache.put(key, result, condition.seconds, condition.memory_mb)
            except InfrastructureError as error:
                cache = None
                warn(f"results of planners are not kept: {error}")
        return _Answer(result.status, result.message, None if result.plan is None else len(result.plan))

    pool = ThreadPoolExecutor(workers, thread_name_prefix="filter")
    try:
        asked = {pool.submit(answer, question, texts): question for question, texts in questions.items()}
        waiting: set[Future[_Answer]] = {*asked}
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


def _narrowed(spec: ExperimentSpec, answers: Mapping[_Question, _Answer]) -> ExperimentSpec:
    left_out = [*spec.left_out]
    undecided: dict[SolvedBy, list[tuple[int, int, str]]] = defaultdict(list)
    narrowed = [_of_domain(domain, answers, left_out, undecided) for domain in spec.domains]
    notes = [*spec.notes, *(_undecided_note(condition, some) for condition, some in undecided.items())]
    domains = tuple(domain for domain in narrowed if domain.tasks)
    if not domains:
        raise spec.file.error(f"no task passes the filters: {'; '.join(left_out)}", "domains")
    return replace(spec, domains=domains, left_out=tuple(left_out), notes=tuple(notes))


def _of_domain(
    domain: SpecDomain,
    answers: Mapping[_Question, _Answer],
    left_out: list[str],
    undecided: dict[SolvedBy, list[tuple[int, int, str]]],
) -> SpecDomain:
    """The domain with the tasks that pass; ``left_out`` gets a sentence for each filter.

    ``undecided`` gets the number of undecided tasks, of all tasks, and the domain's label.
    """
    questions = iter([question for question, _ in _questions(domain)])
    tasks = []
    among = Counter[SolvedBy]()
    open_ = Counter[SolvedBy]()
    reasons: dict[SolvedBy, Counter[str]] = defaultdict(Counter)
    for task in domain.tasks:
        passes, length = True, task.plan_length
        for condition in task.filters:
            answer = answers.get(next(questions), _Answer())
            if condition.planner == "ff" and length is None:
                # Estimates use it as the number of turns.
                length = answer.plan_length
            if not passes:
                continue
            among[condition] += 1
            open_[condition] += answer.status is None
            passes = answer.passes(condition)
            if answer.status == "error":
                left_out.append(f"{task.name} of {domain.label}: {condition.planner} failed on it: {answer.message}")
            if not passes:
                reasons[condition][str(answer.status)] += 1
        if passes:
            tasks.append(replace(task, filters=(), plan_length=length))
    for condition, number in among.items():
        if said := reasons[condition]:
            told = ", ".join(f"{count} {status}" for status, count in said.most_common())
            left_out.append(f"{said.total()} of {number} tasks of {domain.label}: {condition}: {told}")
        if open_[condition]:
            undecided[condition].append((open_[condition], number, domain.label))
    return replace(domain, tasks=tuple(tasks))


def _undecided_note(condition: SolvedBy, some: Sequence[tuple[int, int, str]]) -> str:
    """A note on undecided tasks, one sentence for all domains."""
    labels = [label for *_, label in some]
    of = labels[0] if len(labels) == 1 else f"{len(labels)} domains ({', '.join(labels)})"
    left, among = sum(left for left, *_ in some), sum(among for _, among, _ in some)
    return (
        f"{left} of {among} tasks of {of} may be left out: {condition} is not decided yet, and they are counted as if "
        "they passed"
    )


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
    notes = [*spec.notes]
    limited: dict[str, SpecDomain] = {}
    for some, costs in _too_costly(spec, limited=False):
        notes.append(f"{costs}: only those {some[0].cheap} are kept")
        for one in some:
            assert one.cheap is not None
            tasks = tuple(replace(task, filters=(one.cheap,)) for task in one.tasks)
            section = f"solved by {one.cheap.planner}"
            limited[one.label] = replace(one, tasks=tasks, section=section, section_before=one.part)
    domains = tuple(limited.get(one.label, one) for one in spec.domains)
    return replace(spec, domains=domains, notes=tuple(notes))


def still_costly(spec: ExperimentSpec) -> ExperimentSpec:
    """The experiment with a note for each suite that still costs too much; nothing else is left out.

    Args:
        spec: the experiment with all filters decided, also those of `limit_costs`.
    """
    notes = (f"{costs} even so; --domains and 'only' leave suites out" for _, costs in _too_costly(spec, limited=True))
    return replace(spec, notes=(*spec.notes, *notes))


def _too_costly(spec: ExperimentSpec, *, limited: bool) -> Iterator[tuple[list[SpecDomain], str]]:
    """The suites estimated to cost more than their limit, which was applied already or not; and the costs in words."""
    suites: dict[tuple[str, str], list[SpecDomain]] = defaultdict(list)
    for one in spec.domains:
        if one.costlier is not None:
            suites[one.row, one.section].append(one)
    for (name, _), some in suites.items():
        rule = some[0].costlier
        assert rule is not None
        if limited != (some[0].section_before is not None):
            continue
        price = load_catalogue(spec.models_file).of(rule.model).price
        if price is None:
            raise spec.file.error(
                f"costlier needs the price of '{rule.model}', which is not known; give it in a file for access.models",
                "domains",
                value=rule.model,
            )
        usd = estimate(cells(replace(spec, domains=tuple(some))), _at(price, spec)).usd or 0.0
        tasks = sum(len(one.tasks) for one in some)
        if usd > rule.than:
            yield (
                some,
                (
                    f"{name}: as {rule.model} its {tasks} {'task is' if tasks == 1 else 'tasks are'} estimated to cost "
                    f"{usd:.2f} USD, more than {rule.than:g}"
                ),
            )


def _at(price: Price, spec: ExperimentSpec) -> Mapping[str, Price | None]:
    """The price as that of every model in every role."""
    options = (spec.options, *(each.options for column in spec.columns for each in column.repetitions))
    roles = [said[role] for said in options for role in ROLES if role in said]
    return dict.fromkeys((*(model for column in spec.columns for model in column.models), *roles), price)
