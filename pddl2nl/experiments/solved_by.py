"""The filters that need a planner: which tasks of an experiment are solved by FF within half an hour, and the like.

They are decided last, when everything else in the file has been checked. What a planner made of a task is kept
(`pddl2nl.experiments.planner_cache`), so that it is run once, whatever the experiment; after Ctrl-C the next start goes
on with what is missing. Filters look at tasks as they were before transformations.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace

from pddl2nl.baselines import Status, TaskTexts, solve
from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.planner_cache import PlannerCache, ResultKey, result_key
from pddl2nl.experiments.spec_file import ExperimentSpec
from pddl2nl.experiments.spec_filters import SolvedBy
from pddl2nl.experiments.spec_parts import SpecDomain
from pddl2nl.files import decode, read_bytes

__all__ = ["Deciding", "narrow"]

_TICK = 0.5

_Question = tuple[ResultKey, SolvedBy]


@dataclass(frozen=True)
class Deciding:
    """How far the filters are: ``decided`` of ``questions``, of which ``known`` were answered before."""

    questions: int
    decided: int
    known: int


@dataclass(frozen=True)
class _Answer:
    """What a planner made of a task; ``status`` is None where nobody has asked it yet."""

    status: Status | None
    message: str = ""
    plan_length: int | None = None

    def passes(self, condition: SolvedBy) -> bool:
        """Whether the task is to be run; one that is not decided yet is."""
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
    """The experiment with those tasks alone that pass the filters that need a planner.

    Args:
        spec: the experiment.
        cache: where results are looked for and kept; None for nowhere.
        ask: whether planners are run; where not, tasks of which nothing is known yet stay, and a sentence says so.
        workers: planners at a time; by default as many as there are processors.
        on_progress: told in the calling thread, whenever a task has been decided and twice a second in between.
        warn: is told, once, that results cannot be kept.

    Raises:
        InputError: no task is left; the message points into the file.
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
        # Closed by hand: whatever ends this loop, Ctrl-C among it, must end the planners as well.
        with closing(asking.all(missing, workers or os.cpu_count() or 1)) as found_now:
            for question, answer in found_now:
                if question is not None and answer is not None:
                    answers[question] = answer
                on_progress(Deciding(len(questions), len(answers), len(questions) - len(missing)))
    return _narrowed(spec, answers)


def _questions(domain: SpecDomain) -> Iterator[tuple[_Question, TaskTexts]]:
    """What planners are asked about the tasks of a domain, in their order and in that of their filters."""
    if not any(task.filters for task in domain.tasks):
        return
    text = decode(read_bytes(domain.path)).text
    for task in domain.tasks:
        texts = TaskTexts(text, decode(read_bytes(task.path)).text)
        for condition in task.filters:
            yield (result_key(texts, condition.planner), replace(condition, wanted=True)), texts


class _Asking:
    """Runs planners, several at a time, and keeps what comes of it."""

    def __init__(self, cache: PlannerCache | None, warn: Callable[[str], None]):
        self._cache = cache
        self._warn = warn
        self._stopped = False

    def all(
        self, questions: dict[_Question, TaskTexts], workers: int
    ) -> Generator[tuple[_Question | None, _Answer | None], None, None]:
        """Each question with its answer, as these come; nothing, twice, whenever a moment has passed."""
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
            # Ctrl-C among others: what has ended is kept, and nobody waits for what has not.
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
    """The domain with its tasks that pass; one sentence a filter says how many others there are, and why.

    ``undecided`` gets how many tasks of how many, and of what, are to be asked about yet.
    """
    questions = iter([question for question, _ in _questions(domain)])
    tasks = []
    among, reasons, open_ = Counter[SolvedBy](), dict[SolvedBy, Counter[str]](), Counter[SolvedBy]()
    for task in domain.tasks:
        passes, length = True, task.plan_length
        for condition in task.filters:
            answer = answers.get(next(questions), _Answer(None))
            if condition.planner == "ff" and length is None:
                # For estimates, which reckon with as many turns.
                length = answer.plan_length
            if not passes:
                continue
            among[condition] += 1
            open_[condition] += answer.status is None
            if answer.status == "error":
                left_out.append(f"{task.name} of {domain.label}: {condition.planner} failed on it: {answer.message}")
            # A planner that broke has said nothing, neither way.
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
    """What a dry run does not know; a collection of suites in one sentence."""
    labels = [label for _, _, label in some]
    of = labels[0] if len(labels) == 1 else f"{len(labels)} domains ({', '.join(labels)})"
    left, among = sum(open_ for open_, _, _ in some), sum(number for _, number, _ in some)
    return (
        f"{left} of {among} tasks of {of} may be left out: {condition} is not decided yet, and they are counted as if "
        "they passed"
    )
