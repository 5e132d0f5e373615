"""Suites, sets, filters and transformations in an experiment's file, and filters that need a planner."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from pddl2nl.baselines import PlannerResult, TaskTexts
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.jobs import PlannerSpec, make_job
from pddl2nl.experiments.planner_cache import PlannerCache
from pddl2nl.experiments.run_one import play
from pddl2nl.experiments.specification.domains import SolvedBy
from pddl2nl.experiments.specification.experiment import ExperimentSpec, load_experiment
from pddl2nl.experiments.specification.filters import Deciding, narrow
from pddl2nl.experiments.specification.product import cells, jobs_of, left_out
from pddl2nl.pddl import parse_task
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.records import RunRecord, read_record
from pddl2nl.tasks import shipped_domain
from pddlval import Simulator

Load = Callable[[str], ExperimentSpec]

REST = 'policies = ["random"]\nbaselines = ["ff"]\nseeds = [1]\n[options]\nsteps = 3\n'


def domain(name: str = "lamps", action: str = "on") -> str:
    return (
        f"(define (domain {name}) (:predicates (lit ?x) (dark ?x)) "
        f"(:action {action} :parameters (?x) :precondition (dark ?x) :effect (and (lit ?x) (not (dark ?x)))))\n"
    )


def problem(objects: int = 1, of: str = "lamps") -> str:
    names = " ".join(f"l{n}" for n in range(objects))
    dark = " ".join(f"(dark l{n})" for n in range(objects))
    return f"(define (problem of-{objects}) (:domain {of}) (:objects {names}) (:init {dark}) (:goal (lit l0)))\n"


DURATIVE = (
    "(define (domain slow) (:requirements :durative-actions) (:predicates (lit ?x) (dark ?x))"
    "(:durative-action on :parameters (?x) :duration (= ?duration 2)"
    " :condition (at start (dark ?x)) :effect (at end (lit ?x))))\n"
)


@pytest.fixture
def load(tmp_path: Path) -> Load:
    files = {
        "bench/lamps/domain.pddl": domain(),
        **{f"bench/lamps/p{n:02}.pddl": problem(n) for n in (1, 2, 10)},
        "bench/halls/p01-domain.pddl": domain("halls", "on-1"),
        "bench/halls/p02-domain.pddl": domain("halls", "on-2"),
        "bench/halls/p03-domain.pddl": domain("halls", "on-2") + "; the same as that of p02",
        **{f"bench/halls/p{n:02}-a.pddl": problem(n, "halls") for n in (1, 2, 3)},
        "bench/slow/domain.pddl": DURATIVE,
        "bench/slow/p01.pddl": problem(1, "slow"),
        "bench/odd/domain.pddl": domain("odd"),
        "bench/odd/p01.pddl": problem(1, "even"),
        "bench/odd/p02.pddl": "(define (problem x) (:domain odd) (:objects a) (:init (gone a)) (:goal (lit a)))",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def load_(entries: str, rest: str = REST) -> ExperimentSpec:
        path = tmp_path / "spec.toml"
        path.write_text(f"domains = [{entries}]\n{rest}", encoding="utf-8")
        return load_experiment(path)

    return load_


def told(said: ExperimentSpec) -> dict[str, list[str]]:
    return {one.label: [task.name for task in one.tasks] for one in said.domains}


# ── suites ───────────────────────────────────────────────────────────────────────────────────────


def test_a_folder_stands_for_its_suites(load: Load) -> None:
    said = load('{suite = "bench"}')
    assert told(said) == {
        # Two of the three domains say the same.
        "halls/p01-a": ["p01-a"],
        "halls-2": ["p02-a", "p03-a"],
        "lamps": ["p01", "p02", "p10"],
        "odd": ["p01"],
    }
    unread, slow = said.left_out
    assert unread.startswith("suite odd: p02 cannot be read: ")
    assert "gone" in unread
    assert slow.startswith("suite slow: p01 cannot be executed: ")
    [guess] = said.notes
    assert guess.startswith("suite odd: the domain of p01 is a guess, domain.pddl: ")
    assert [*left_out(said)][:2] == [*said.left_out]


def test_records_are_called_by_suite_and_task(load: Load) -> None:
    said = load('{suite = "bench", only = ["HALLS", "lamp*"]}')
    names = [job.name.rpartition("-")[0] for job in jobs_of(said)]
    assert len({job.name for job in jobs_of(said)}) == len(names)
    assert names == [
        *(f"halls-p0{n}_a-random-1" for n in (1, 2, 3)),
        *(f"lamps-p{n}-random-1" for n in ("01", "02", "10")),
        *(f"halls-p0{n}_a-ff" for n in (1, 2, 3)),
        *(f"lamps-p{n}-ff" for n in ("01", "02", "10")),
    ]
    for cell in cells(said):
        assert cell.task.task.domain == cell.domain.domain


def test_suites_of_one_name_need_rows_of_their_own(load: Load, tmp_path: Path) -> None:
    for name in ("halls", "lamps"):
        copytree(tmp_path / "bench" / name, tmp_path / "other" / name)
    with pytest.raises(InputError, match="halls and halls would both be the row 'halls' of a table"):
        load('{suite = "bench", only = "halls"}, {suite = "other"}')
    said = load('{suite = "bench", only = "halls"}, {suite = "other", row = "{domain}, copied"}')
    assert [(one.label, one.row) for one in said.domains] == [
        ("halls/p01-a", "halls"),
        ("halls-2", "halls"),
        ("halls/p01-a", "halls, copied"),
        ("halls-2", "halls, copied"),
        ("lamps", "lamps, copied"),
    ]


# ── filters ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ('instances = ["p0*"]', ["p01", "p02"]),
        ('instances = "P10"', ["p10"]),
        ('except = ["p01", "x*"]', ["p02", "p10"]),
        ("max-objects = 2", ["p01", "p02"]),
    ],
)
def test_filters_of_names_and_sizes(filters: str, names: list[str], load: Load) -> None:
    said = load(f'{{suite = "bench", only = "lamps", {filters}}}')
    assert told(said) == {"lamps": names}
    if "objects" in filters:
        assert said.left_out[0].startswith(f"{3 - len(names)} of 3 tasks of lamps: ")


def test_filters_of_files_and_of_shipped_domains(load: Load) -> None:
    said = load(
        '{domain = "bench/lamps/domain.pddl", problems = ["bench/lamps/p*.pddl"], max-objects = 1}, '
        '{shipped = "visitall", max-optimal-length = 7}'
    )
    assert told(said)["lamps"] == ["p01"]
    lengths = [(task.name, len(said.domains[1].tasks)) for task in said.domains[1].tasks]
    assert lengths
    assert "of" in said.left_out[-1]
    assert said.left_out[-1].endswith("tasks of visitall: max-optimal-length = 7")
    example = load('{shipped = "visitall", instances = ["example", "p01"]}')
    assert told(example) == {"visitall": ["example", "p01"]}


@pytest.mark.parametrize(
    ("within", "memory", "expected"),
    [
        ('"30m"', None, (1800, None)),
        ('"1h30m"', '"8g"', (5400, 8192)),
        ('"90s"', '"500 MB"', (90, 500)),
        ("45", "4096", (45, 4096)),
        (None, '"2GiB"', (1800, 2048)),
    ],
)
def test_limits_of_planners(
    within: str | None, memory: str | None, expected: tuple[int, int | None], load: Load
) -> None:
    limits = "".join(f", {key} = {value}" for key, value in (("within", within), ("memory", memory)) if value)
    said = load(f'{{suite = "bench", only = "lamps", solved-by = "ff", unsolved-by = ["lama"]{limits}}}')
    assert said.domains[0].tasks[0].filters == (SolvedBy("ff", *expected), SolvedBy("lama", *expected, wanted=False))


WRONG = {
    "no folder": ('{suite = "benhc"}', r":1:21: domains: .*benhc: no such folder"),
    "no suite": (
        '{suite = "bench", only = ["lamp"]}',
        r":1:21: domains: no suite in .*'lamp'; did you mean 'lamps'\?",
    ),
    "unknown key": (
        '{suite = "bench", solvedby = "ff"}',
        r"unknown key .*solvedby; did you mean 'solved-by'\?",
    ),
    "unknown planner": (
        '{suite = "bench", solved-by = "fff"}',
        r"solved-by is 'fff'; expected one of brfs.*did you mean 'ff'\?",
    ),
    "no time": ('{suite = "bench", solved-by = "ff", within = "soon"}', "within is 'soon'; .* no time such as"),
    "no time at all": ('{suite = "bench", solved-by = "ff", within = 0}', "within is 0; .* no time such as"),
    "too much time": ('{suite = "bench", solved-by = "ff", within = "1001h"}', "within is '1001h'; .* no time such as"),
    "too much memory": (
        '{suite = "bench", solved-by = "ff", memory = "1000000g"}',
        "memory is '1000000g'; an amount",
    ),
    "too little memory": ('{suite = "bench", solved-by = "ff", memory = 10}', "memory is 10; an amount of memory from"),
    "limit for nobody": ('{suite = "bench", within = "30m"}', "'within' limits a planner, and none is named"),
    "no instance": ('{suite = "bench", instances = ["p99"]}', "no task of bench is called 'p99'"),
    "nothing wanted": ('{suite = "bench", except = "*"}', "none of its 9 tasks is left: 'instances' and 'except' let"),
    "nothing left": ('{suite = "bench", max-objects = 0}', "none of its 9 tasks is left: .*max-objects = 0"),
    "lengths unknown": (
        '{suite = "bench", max-optimal-length = 3}',
        "lengths are known only for shipped instances",
    ),
    "no set": (
        '{shipped = "visitall", set = "scale"}',
        r"set is 'scale'; .*did you mean 'scaled'\?",
    ),
    "no shipped": ('{shipped = "visital"}', r":1:23: domains: no domain 'visital'"),
    "no transformation": ('{shipped = "visitall", transform = "obfuscat:generic"}', "did you mean 'obfuscate:generic'"),
    "keys of another entry": ('{suite = "bench", problems = ["x"]}', r"unknown key domains\[0\].problems"),
}


@pytest.mark.parametrize(("entry", "message"), WRONG.values(), ids=WRONG)
def test_errors_point_into_the_file(entry: str, message: str, load: Load) -> None:
    with pytest.raises(InputError, match=f"(?s){message}"):
        load(entry)


# ── filters that need a planner ──────────────────────────────────────────────────────────────────


class Planner:
    """In place of a planner: solves problems of up to so many objects, and knows what it was asked."""

    def __init__(self, most: int = 2):
        self.most = most
        self.asked: list[tuple[str, int, int | None]] = []
        self._lock = threading.Lock()

    def __call__(
        self, texts: TaskTexts, planner: str, *, time_limit: int, memory_limit_mb: int | None
    ) -> PlannerResult:
        task = parse_task(texts.domain, texts.problem)
        with self._lock:
            self.asked.append((planner, len(task.problem.objects), time_limit))
        if planner == "lama":
            raise InfrastructureError("it broke")
        if len(task.problem.objects) <= self.most:
            return PlannerResult(planner, "solved", (), 0, 1.5, 3, "s")
        return PlannerResult(planner, "timeout", None, None, float(time_limit), None, "s")


@pytest.fixture
def planner(monkeypatch: pytest.MonkeyPatch) -> Planner:
    made = Planner()
    monkeypatch.setattr("pddl2nl.experiments.specification.filters.solve", made)
    monkeypatch.setattr("pddl2nl.experiments.planner_cache.version", lambda: "Fast Downward 0")
    return made


SOLVED = '{suite = "bench", only = "lamps", solved-by = "ff", within = "30m"}'


def test_what_a_planner_does_not_solve_is_left_out(load: Load, planner: Planner, tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    seen: list[Deciding] = []
    said = narrow(load(SOLVED), cache, on_progress=seen.append)
    assert told(said) == {"lamps": ["p01", "p02"]}
    assert said.left_out == ("1 of 3 tasks of lamps: solved-by ff within 30m: timeout",)
    assert sorted(planner.asked) == [("ff", 1, 1800), ("ff", 2, 1800), ("ff", 10, 1800)]
    assert seen[-1] == Deciding(3, 3, 0)
    jobs_of(said)
    # All of it is known by now, and asked again for another limit.
    assert told(narrow(load(SOLVED), cache)) == {"lamps": ["p01", "p02"]}
    assert len(planner.asked) == 3
    narrow(load(SOLVED.replace("30m", "2h")), cache)
    assert len(planner.asked) == 6


def test_the_unsolved_may_be_what_is_wanted(load: Load, planner: Planner, tmp_path: Path) -> None:
    said = narrow(load(SOLVED.replace("solved-by", "unsolved-by")), PlannerCache(tmp_path / "plans"))
    assert told(said) == {"lamps": ["p10"]}
    assert said.left_out == ("2 of 3 tasks of lamps: unsolved-by ff within 30m: solved",)


def test_a_dry_run_asks_nobody_and_uses_what_is_known(load: Load, planner: Planner, tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    said = narrow(load(SOLVED), cache, ask=False)
    assert told(said) == {"lamps": ["p01", "p02", "p10"]}
    assert said.left_out == ()
    assert said.notes[0].startswith("3 tasks of lamps may be left out: planners have not been asked about them")
    both = load(f'{{suite = "bench", only = "halls", solved-by = "ff", within = "30m"}}, {SOLVED}')
    [note] = narrow(both, cache, ask=False).notes
    assert re.match(r"\d tasks of halls.*, lamps may be left out: ", note)
    narrow(load(SOLVED), cache)
    assert told(narrow(load(SOLVED), cache, ask=False)) == {"lamps": ["p01", "p02"]}
    assert len(planner.asked) == 3


def test_a_planner_that_breaks_decides_nothing_and_is_asked_again(load: Load, planner: Planner, tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    both = '{suite = "bench", only = "halls"}, ' + SOLVED.replace('"ff"', '["ff", "lama"]')
    for _ in range(2):
        said = narrow(load(both), cache)
        assert "lamps" not in told(said)
        assert "p01 of lamps: lama failed on it: it broke" in said.left_out
    assert [name for name, *_ in planner.asked].count("ff") == 3
    assert [name for name, *_ in planner.asked].count("lama") == 6


def test_that_no_task_passes_is_an_error_in_the_file(load: Load, planner: Planner) -> None:
    planner.most = 0
    with pytest.raises(
        InputError, match=r"spec.toml:1:1: no task passes the filters: 3 of 3 tasks of lamps: .*timeout"
    ):
        narrow(load(SOLVED))


def test_nothing_runs_before_filters_are_decided(load: Load) -> None:
    with pytest.raises(InputError, match="not decided yet"):
        jobs_of(load(SOLVED))


def test_after_ctrl_c_what_was_found_is_kept(load: Load, planner: Planner, tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")

    def stop(progress: Deciding) -> None:
        if progress.decided:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        narrow(load(SOLVED), cache, workers=1, on_progress=stop)
    before = len(planner.asked)
    assert before >= 1
    assert told(narrow(load(SOLVED), cache)) == {"lamps": ["p01", "p02"]}
    assert len(planner.asked) == 3


def test_results_that_cannot_be_kept_are_used_all_the_same(load: Load, planner: Planner, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    warnings: list[str] = []
    said = narrow(load(SOLVED), PlannerCache(tmp_path / "file" / "plans"), warn=warnings.append, workers=1)
    assert told(said) == {"lamps": ["p01", "p02"]}
    assert len(warnings) == 1


@pytest.mark.usefixtures("needs_planner")
def test_a_real_planner_decides(load: Load, tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    entry = '{suite = "bench", only = "lamps", instances = "p01", solved-by = "ff", within = "20s"}'
    assert told(narrow(load(entry), cache)) == {"lamps": ["p01"]}
    assert told(narrow(load(entry.replace("solved-by", "unsolved-by") + ', "visitall"'), cache, ask=False)).keys() == {
        "visitall"
    }


# ── transformations ──────────────────────────────────────────────────────────────────────────────


def test_a_suite_under_other_words(load: Load) -> None:
    said = load(
        '{suite = "bench", only = "lamps", transform = ["obfuscate:generic"]}, {suite = "bench", only = "lamps"}'
    )
    hidden, plain = said.domains
    assert (hidden.label, plain.label) == ("lamps+obfuscate-generic", "lamps")
    assert [task.name for task in hidden.tasks] == [task.name for task in plain.tasks]
    assert [action.name for action in hidden.domain.actions] == ["action1"]
    for task in hidden.tasks:
        assert task.task.domain == hidden.domain
        assert task.texts is not None
        assert parse_task(task.texts.domain, task.texts.problem) == task.task
        for word in ("lamps", "lit", "dark"):
            assert word not in task.texts.domain + task.texts.problem
        assert len([*Simulator(task.task).applicable(Simulator(task.task).initial)]) > 0
    wording = hidden.wordings["default"]
    assert "lit" not in str(wording)
    jobs = [job for job in jobs_of(said) if isinstance(job.spec, PlannerSpec)]
    assert [job.spec.texts is None for job in jobs] == [False] * 3 + [True] * 3
    assert len({job.name for job in jobs_of(said)}) == 12


@pytest.mark.usefixtures("needs_planner")
def test_a_shipped_domain_brings_its_wording_and_example_along(load: Load) -> None:
    rest = 'policies = ["act"]\nmodels = ["oracle"]\nseeds = [1]\nwordings = ["default", "template"]\n'
    said = load('{shipped = "visitall", instances = "p01", transform = "obfuscate:mystery"}', rest)
    [one] = said.domains
    [task] = one.tasks
    assert task.example is not None
    assert task.example.source == "shipped"
    assert task.example.task.domain == one.domain
    assert "its default wording tells the meaning of the original names" in said.notes[0]
    own, template = (cell.runs[0] for cell in cells(said))
    assert own.example == template.example == task.example
    assert own.wording != template.wording
    with pytest.raises(InputError, match=r"spec.toml:7:1: the example is a problem of a domain"):
        load(
            '{shipped = "visitall", transform = "obfuscate:mystery"}',
            rest + '[options]\nexample = "bench/lamps/p01.pddl"\n',
        )


# ── sets ─────────────────────────────────────────────────────────────────────────────────────────


def test_sets_of_shipped_domains(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = shipped_domain("visitall")
    scaled = replace(shipped.benchmarks[0], name="s01", role="scaled")
    made = replace(shipped, instances=(shipped.example, *shipped.benchmarks[:2], scaled))
    monkeypatch.setattr("pddl2nl.experiments.specification.domains.shipped_domain", lambda name: made)
    assert told(load('"visitall"')) == {"visitall": ["p01", "p02"]}
    assert told(load('{shipped = "visitall", set = "scaled"}')) == {"visitall": ["s01"]}
    assert told(load('{shipped = "visitall", set = "primary", instances = "p02"}')) == {"visitall": ["p02"]}
    with pytest.raises(InputError, match="visitall has no set 'unsolvable'"):
        load('{shipped = "visitall", set = "unsolvable"}')


def test_records_hold_suite_and_task(load: Load, tmp_path: Path) -> None:
    said = load('{suite = "bench", only = "halls", instances = "p01*"}', REST.replace('baselines = ["ff"]\n', ""))
    [job] = jobs_of(said)
    play(job, tmp_path / "one.jsonl", Access())
    record = read_record(tmp_path / "one.jsonl")
    assert isinstance(record, RunRecord)
    assert (record.started.suite, record.started.task, record.started.domain) == ("halls", "p01-a", "halls")
    # What a task is called decides nothing: the same run has the same name.
    assert isinstance(job.spec, RunSpec)
    assert make_job(replace(job.spec, suite="other"), "x").name == make_job(job.spec, "x").name
