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
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace

from pddl2nl.baselines import Status, TaskTexts, solve
from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.columns import ROLES
from pddl2nl.experiments.domains import Costlier, SolvedBy, SpecDomain
from pddl2nl.experiments.estimate import estimate
from pddl2nl.experiments.planner_cache import PlannerCache, ResultKey, result_key
from pddl2nl.experiments.product import cells
from pddl2nl.experiments.specification import ExperimentSpec
from pddl2nl.files import decode, read_bytes
from pddl2nl.llm import Price
from pddl2nl.llm.settings import load_catalogue

__all__ = ["Deciding", "limit_costs", "narrow", "still_costly"]


_TICK = 0.5

_Question = tuple[ResultKey, SolvedBy]


@dataclass(frozen=True)
class Deciding:
    """The progress of filters: ``decided`` of ``questions``, of which ``known`` were cached."""

    questions: int
    decided: int
    known: int


@dataclass(frozen=True)
class _Answer:
    """A planner's result on a task; ``status`` is None if it has not been asked yet."""

    status: Status | None
    message: str = ""
    plan_length: int | None = None

    def passes(self, condition: SolvedBy) -> bool:
        """Whether the task passes; one that is not decided yet does."""
        return self.status is None or (self.status == "solved") is condition.wanted


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
    questions = dict(texts for domain in spec.domains for texts in _questions(domain))
    if not questions:
        return spec
    answers: dict[_Question, _Answer] = {}
    for key, condition in questions:
        found = None if cache is None else cache.find(key, condition.seconds, condition.memory_mb)
        if found is not None:
            answers[key, condition] = _Answer(found.status, plan_length=found.plan_length)
    missing = {question: texts for question, texts in questions.items() if question not in answers}
    if ask and missing:
        asking = _Asking(cache, warn)
        # Any end of this loop, also Ctrl-C, must end the planners as well.
        with closing(asking.all(missing, workers or os.cpu_count() or 1)) as found_now:
            for question, answer in found_now:
                if question is not None and answer is not None:
                    answers[question] = answer
                on_progress(Deciding(len(questions), len(answers), len(questions) - len(missing)))
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


class _Asking:
    """Runs planners, several at a time, and caches their results."""

    def __init__(self, cache: PlannerCache | None, warn: Callable[[str], None]):
        self._cache = cache
        self._warn = warn
        self._stopped = False

    def all(
        self, questions: dict[_Question, TaskTexts], workers: int
    ) -> Generator[tuple[_Question | None, _Answer | None], None, None]:
        """Each question with its answer as it comes; a pair of None twice a second."""
        pool = ThreadPoolExecutor(workers, thread_name_prefix="filter")
        try:
            asked = {pool.submit(self._answer, question, texts): question for question, texts in questions.items()}
            waiting: set[Future[_Answer]] = {*asked}
            while waiting:
                done, waiting = wait(waiting, timeout=_TICK, return_when=FIRST_COMPLETED)
                for future in done:
                    yield asked[future], future.result()
                if not done:
                    yield None, None
        except BaseException:
            # Also Ctrl-C: results so far are kept, and running searches end.
            self._stopped = True
            pool.shutdown(wait=False, cancel_futures=True)
            stop_searches()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _answer(self, question: _Question, texts: TaskTexts) -> _Answer:
        key, condition = question
        if self._stopped:
            return _Answer(None)
        try:
            result = solve(texts, condition.planner, time_limit=condition.seconds, memory_limit_mb=condition.memory_mb)
        except InfrastructureError as error:
            return _Answer("error", str(error))
        if self._cache is not None:
            try:
                self._cache.put(key, result, condition.seconds, condition.memory_mb)
            except InfrastructureError as error:
                self._cache = None
                self._warn(f"results of planners are not kept: {error}")
        length = None if result.plan is None else len(result.plan)
        return _Answer(result.status, result.message, length)


# ── what is left ─────────────────────────────────────────────────────────────────────────────────


def _narrowed(spec: ExperimentSpec, answers: dict[_Question, _Answer]) -> ExperimentSpec:
    left_out, notes = [*spec.left_out], [*spec.notes]
    undecided: dict[SolvedBy, list[tuple[int, int, str]]] = {}
    narrowed = [_of_domain(domain, answers, left_out, undecided) for domain in spec.domains]
    notes += (_open_note(condition, some) for condition, some in undecided.items())
    domains = tuple(domain for domain in narrowed if domain.tasks)
    if not domains:
        spec.file.wrong(f"no task passes the filters: {'; '.join(left_out)}", "domains")
        spec.file.check()
    return replace(spec, domains=domains, left_out=tuple(left_out), notes=tuple(notes))


def _of_domain(
    domain: SpecDomain,
    answers: dict[_Question, _Answer],
    left_out: list[str],
    undecided: dict[SolvedBy, list[tuple[int, int, str]]],
) -> SpecDomain:
    """The domain with the tasks that pass; ``left_out`` gets a sentence for each filter.

    ``undecided`` gets the number of undecided tasks, of all tasks, and the domain's label.
    """
    questions = iter([question for question, _ in _questions(domain)])
    tasks = []
    among, reasons, open_ = Counter[SolvedBy](), dict[SolvedBy, Counter[str]](), Counter[SolvedBy]()
    for task in domain.tasks:
        passes, length = True, task.plan_length
        for condition in task.filters:
            answer = answers.get(next(questions), _Answer(None))
            if condition.planner == "ff" and length is None:
                # Estimates use it as the number of turns.
                length = answer.plan_length
            if not passes:
                continue
            among[condition] += 1
            open_[condition] += answer.status is None
            if answer.status == "error":
                left_out.append(f"{task.name} of {domain.label}: {condition.planner} failed on it: {answer.message}")
            # A planner that failed decides nothing.
            if answer.status == "error" or not answer.passes(condition):
                passes = False
                reasons.setdefault(condition, Counter())[str(answer.status)] += 1
        if passes:
            tasks.append(replace(task, filters=(), plan_length=length))
    for condition, number in among.items():
        said = reasons.get(condition, Counter[str]())
        if said:
            told = ", ".join(f"{count} {status}" for status, count in said.most_common())
            left_out.append(f"{said.total()} of {number} tasks of {domain.label}: {condition}: {told}")
        if open_[condition]:
            undecided.setdefault(condition, []).append((open_[condition], number, domain.label))
    return replace(domain, tasks=tuple(tasks))


def _open_note(condition: SolvedBy, some: Sequence[tuple[int, int, str]]) -> str:
    """A note on undecided tasks, one sentence for all domains."""
    labels = [label for _, _, label in some]
    of = labels[0] if len(labels) == 1 else f"{len(labels)} domains ({', '.join(labels)})"
    left, among = sum(open_ for open_, _, _ in some), sum(number for _, number, _ in some)
    return (
        f"{left} of {among} tasks of {of} may be left out: {condition} is not decided yet, and they are counted as if "
        "they passed"
    )


def limit_costs(spec: ExperimentSpec) -> ExperimentSpec:
    """The experiment with a filter on the tasks of each suite that would cost too much, in a section of its own.

    All columns and seeds are estimated at the price of the model that the entry names, so that the same tasks are
    chosen for every model.

    Args:
        spec: the experiment, its other filters decided (`pddl2nl.experiments.task_filters.narrow`). The new ones are
            still to be.

    Raises:
        InputError: the price of a model is not known; the message points into the file.
    """
    notes = [*spec.notes]
    limited: dict[str, SpecDomain] = {}
    for name, rule, some in _suites(spec, limited=False):
        usd = _usd(spec, some, rule)
        if usd is None or usd <= rule.than:
            continue
        notes.append(f"{_told(name, rule, some, usd)}: only those {rule.condition} are kept")
        for one in some:
            tasks = tuple(replace(task, filters=(rule.condition,)) for task in one.tasks)
            limited[one.label] = replace(one, tasks=tasks, section=rule.section, section_before=one.part)
    spec.file.check()
    if not limited:
        return spec
    domains = tuple(limited.get(one.label, one) for one in spec.domains)
    return replace(spec, domains=domains, notes=tuple(notes))


def still_costly(spec: ExperimentSpec) -> ExperimentSpec:
    """The experiment with a note for each suite that still costs too much; nothing else is left out.

    Args:
        spec: the experiment with all filters decided, also those of `limit_costs`.
    """
    notes = [*spec.notes]
    for name, rule, some in _suites(spec, limited=True):
        usd = _usd(spec, some, rule)
        if usd is not None and usd > rule.than:
            notes.append(f"{_told(name, rule, some, usd)} even so; --domains and 'only' leave suites out")
    return replace(spec, notes=tuple(notes))


def _suites(spec: ExperimentSpec, *, limited: bool) -> Iterator[tuple[str, Costlier, list[SpecDomain]]]:
    """The suites whose limit was applied already, or not: the name, the limit, the domains."""
    suites: dict[tuple[str, str], list[SpecDomain]] = {}
    for one in spec.domains:
        suites.setdefault((one.row or one.label, one.section), []).append(one)
    for (name, _), some in suites.items():
        rule = next((one.costlier for one in some if one.costlier), None)
        if rule is not None and limited == any(one.section_before is not None for one in some):
            yield name, rule, some


def _told(name: str, rule: Costlier, some: Sequence[SpecDomain], usd: float) -> str:
    tasks = sum(len(one.tasks) for one in some)
    return (
        f"{name}: as {rule.model} its {tasks} {'task is' if tasks == 1 else 'tasks are'} estimated to cost {usd:.2f} "
        f"USD, more than {rule.than:g}"
    )


def _usd(spec: ExperimentSpec, some: Sequence[SpecDomain], rule: Costlier) -> float | None:
    """The estimated costs of all columns on a suite; None, with an error noted, if the price is not known."""
    price = load_catalogue(spec.models_file).of(rule.model).price
    if price is None:
        spec.file.wrong(
            f"'costlier' needs the price of '{rule.model}', which is not known; give it in a file for access.models",
            "domains",
            value=rule.model,
        )
        return None
    return estimate(cells(replace(spec, domains=tuple(some))), _at(price, spec)).usd or 0.0


def _at(price: Price, spec: ExperimentSpec) -> Mapping[str, Price | None]:
    """The price as that of every model in every role."""
    options = (spec.options, *(each.options for column in spec.columns for each in column.repetitions))
    roles = [said[role] for said in options for role in ROLES if role in said]
    return dict.fromkeys((*(model for column in spec.columns for model in column.models), *roles), price)
