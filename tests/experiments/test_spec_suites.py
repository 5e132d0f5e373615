"""Suites, sets, filters and transformations in an experiment's file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.planners import PlannerRun
from pddl2nl.experiments.records.reader import read_events
from pddl2nl.experiments.runs import run_job
from pddl2nl.experiments.specification.experiment import Experiment, load_experiment
from pddl2nl.pddl import parse_task
from pddlval import Simulator

Load = Callable[[str], Experiment]

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

    def load_(entries: str, rest: str = REST) -> Experiment:
        path = tmp_path / "spec.toml"
        path.write_text(f"domains = [{entries}]\n{rest}", encoding="utf-8")
        return load_experiment(path)

    return load_


def told(said: Experiment) -> dict[str, list[str]]:
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
    unread, slow = said.left_out[:2]
    assert unread.startswith("suite odd: p02 cannot be read: ")
    assert "gone" in unread
    assert slow.startswith("suite slow: p01 cannot be executed: ")
    [guess] = said.notes
    assert guess.startswith("suite odd: the domain of p01 is a guess, domain.pddl: ")


def test_records_are_called_by_suite_and_task(load: Load) -> None:
    said = load('{suite = "bench", only = ["HALLS", "lamp*"]}')
    names = [name.rpartition("-")[0] for name in said.jobs]
    assert names == [
        *(f"halls-p0{n}_a-random-1" for n in (1, 2, 3)),
        *(f"lamps-p{n}-random-1" for n in ("01", "02", "10")),
        *(f"halls-p0{n}_a-ff" for n in (1, 2, 3)),
        *(f"lamps-p{n}-ff" for n in ("01", "02", "10")),
    ]
    for one, task, _, _ in said.runs:
        assert task.task.domain == one.domain


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


WRONG = [
    ('{suite = "benhc"}', r":1:21: domains: .*benhc: no such folder"),
    ('{suite = "bench", only = ["lamp"]}', r":1:21: domains: no suite in .*'lamp'; did you mean 'lamps'\?"),
    ('{suite = "bench", exept = "p01"}', r"unknown key .*exept; did you mean 'except'\?"),
    ('{suite = "bench", instances = ["p99"]}', "no task of bench is called 'p99'"),
    ('{suite = "bench", except = "*"}', "none of its 9 tasks is left: 'instances' and 'except' let"),
    ('{suite = "bench", max-objects = 0}', "none of its 9 tasks is left: .*max-objects = 0"),
    ('{suite = "bench", max-optimal-length = 3}', "lengths are known only for shipped instances"),
    ('{shipped = "visitall", set = "scale"}', r"set is 'scale'; .*did you mean 'scaled'\?"),
    ('{shipped = "visital"}', r":1:23: domains: no domain 'visital'"),
    ('{shipped = "visitall", transform = "obfuscat:generic"}', "did you mean 'obfuscate:generic'"),
    ('{suite = "bench", problems = ["x"]}', r"unknown key domains\[0\].problems"),
]


@pytest.mark.parametrize(("entry", "message"), WRONG)
def test_errors_point_into_the_file(entry: str, message: str, load: Load) -> None:
    with pytest.raises(InputError, match=f"(?s){message}"):
        load(entry)


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
        assert parse_task(task.texts.domain, task.texts.problem) == task.task
        for word in ("lamps", "lit", "dark"):
            assert word not in task.texts.domain + task.texts.problem
        assert len([*Simulator(task.task).applicable(Simulator(task.task).initial)]) > 0
    wording = hidden.wordings["default"]
    assert "lit" not in str(wording)
    jobs = [job for job in said.jobs.values() if isinstance(job.about, PlannerRun)]
    assert [job.about.texts is None for job in jobs] == [False] * 3 + [True] * 3
    assert len(said.jobs) == 12


@pytest.mark.usefixtures("needs_planner")
def test_a_shipped_domain_brings_its_wording_and_example_along(load: Load) -> None:
    rest = 'policies = ["act"]\nmodels = ["oracle"]\nseeds = [1]\nwordings = ["default", "template"]\n'
    said = load('{shipped = "visitall", instances = "p01", transform = "obfuscate:mystery"}', rest)
    [one] = said.domains
    [task] = one.tasks
    assert task.example.source == "shipped"
    assert task.example.task.domain == one.domain
    assert "its default wording tells the meaning of the original names" in said.notes[0]
    own, template = (job.about for _, _, _, job in said.runs)
    assert own.example == template.example == task.example
    assert own.wording != template.wording
    with pytest.raises(InputError, match=r"spec.toml:7:1: the example is a problem of a domain"):
        load(
            '{shipped = "visitall", transform = "obfuscate:mystery"}',
            rest + '[options]\nexample = "bench/lamps/p01.pddl"\n',
        )


# ── sets ─────────────────────────────────────────────────────────────────────────────────────────


def test_records_hold_suite_and_task(load: Load, tmp_path: Path) -> None:
    said = load('{suite = "bench", only = "halls", instances = "p01*"}', REST.replace('baselines = ["ff"]\n', ""))
    [job] = said.jobs.values()
    job.play(tmp_path / "one.jsonl", Access(), lambda event: None)
    started = read_events(tmp_path / "one.jsonl")[0]
    assert (started.suite, started.task, started.domain) == ("halls", "p01-a", "halls")
    # What a task is called decides nothing: the same run has the same name.
    assert run_job(replace(job.about, suite="other")).name == run_job(job.about).name
