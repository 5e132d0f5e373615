"""Experiments that ask questions: made once, asked as runs are run, scored, and reported by kind, form and domain."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.models import MODELS, MadeModel, ModelContext, wrap_model
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.experiments.records.writer import partial_path
from pddl2nl.experiments.specification.estimate import estimate_cost
from pddl2nl.experiments.specification.experiment import Experiment, Overrides, load_experiment
from pddl2nl.experiments.sweep import SweepSummary, run_all
from pddl2nl.llm import Completion
from pddl2nl.policies.budget import Limits
from pddl2nl.questions.experiments import acpbench
from pddl2nl.questions.records import AnswerRecord
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.report import report_tables
from pddl2nl.reports.tables import Table
from tests.answering import Answering
from tests.questions.asked import FERRY, PROBLEM, breadth_first
from tests.records import rewrite

SPEC = """name = "asked"
models = ["oracle"]
domains = [{ domain = "domain.pddl", problems = ["two.pddl"], row = "ferry" }]
[questions]
kinds = ["progression", "validation"]
forms = ["bool", "open"]
count = 4
"""


@pytest.fixture(autouse=True)
def _no_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("places", "deciding"):
        monkeypatch.setattr(f"pddl2nl.questions.{module}.solve", breadth_first)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A specification of 16 questions."""
    (tmp_path / "domain.pddl").write_text(FERRY, encoding="utf-8")
    (tmp_path / "two.pddl").write_text(PROBLEM, encoding="utf-8")
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    return tmp_path / "spec.toml"


def prepared(spec: Path, model: str = "") -> Experiment:
    loaded = load_experiment(spec, Overrides(model=model))
    loaded.prepare(folder_of(loaded))
    return loaded


def folder_of(ready: Experiment) -> Path:
    return ready.file.path.parent / "runs"


def run(ready: Experiment, budget: Limits | None = None) -> SweepSummary:
    ready.write_down(folder_of(ready))
    return run_all(ready.jobs.values(), folder_of(ready), workers=1, budget=budget)


def replying(monkeypatch: pytest.MonkeyPatch, reply: Callable[[], Completion]) -> None:
    """Makes ``--model fixed`` reply so."""

    def make(argument: str, context: ModelContext) -> MadeModel:
        return wrap_model(Answering(lambda request: reply(), "fixed"))

    monkeypatch.setitem(MODELS, "fixed", make)


def tables(ready: Experiment) -> dict[str, Table]:
    return {table.key: table for table in report_tables(gather(folder_of(ready)), (), "coverage", paper=True)}


def texts(table: Table) -> dict[str, list[str]]:
    return {line.label: [cell.text for cell in line.cells] for line in table.lines}


def test_the_oracle_answers_as_recorded_and_a_second_start_makes_and_asks_nothing(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(prepared(spec))
    assert (first.outcomes, first.exit_code) == ({"right": 16}, 0)
    monkeypatch.delattr("pddl2nl.questions.asking.make_questions")
    again = run(prepared(spec))
    assert (again.earlier, again.exit_code) == (16, 0)


def test_a_record_holds_question_reply_and_verdict(spec: Path) -> None:
    ready = prepared(spec, "oracle:trust-plans")
    run(ready)
    records = [read_record(folder_of(ready) / f"{name}.jsonl") for name in ready.jobs]
    wrong = [each for each in records if isinstance(each, AnswerRecord) and each.outcome == "wrong"]
    assert {each.asked.question.kind for each in wrong} == {"validation"}
    first = next(each for each in wrong if each.asked.question.form == "bool")
    assert (first.fault is not None and first.fault.text) == "yes, and no is right"
    assert [event.event for event in first.events] == ["asked", "prompted", "replied", "answered"]


def test_the_report_shows_what_is_progressed_and_not_validated(spec: Path) -> None:
    ready = prepared(spec, "oracle:trust-plans")
    summary = run(ready)
    assert summary.outcomes == {"right": 10, "wrong": 6}
    shown = tables(ready)
    # Wilson's intervals of 4 of 4, 0 of 4, 8 of 8 and 2 of 8.
    assert texts(shown["questions"])["progression"] == [
        "100% [51, 100] of 4",
        "100% [51, 100] of 4",
        "100% [68, 100] of 8",
    ]
    assert texts(shown["questions"])["validation"] == ["50% [15, 85] of 4", "0% [0, 49] of 4", "25% [7, 59] of 8"]
    assert [section.title for section in shown["question-domains"].sections] == ["ferry"]
    assert texts(shown["question-links"]) == {"wrong": ["–", "6"], "right": ["8", "2"], "questions": ["8", "8"]}
    assert texts(shown["kind-agreement"])["progression"] == ["–", "0% of 2"]
    gap = "progression is right in 100% [68, 100], and validation in only 25% [7, 59]."
    assert gap in shown["kind-agreement"].notes
    assert any(note.startswith("oracle: no language model was asked.") for note in shown["questions"].notes)


def test_what_is_not_read_is_not_wrong(spec: Path) -> None:
    ready = prepared(spec, "oracle:mumble")
    assert run(ready).outcomes == {"unreadable": 16}
    assert texts(tables(ready)["questions"])["progression"][0] == "–, 4 without answer"
    assert texts(tables(ready)["question-links"])["unreadable"] == ["8", "8"]


@pytest.mark.parametrize(
    ("reply", "outcome", "fault"),
    [
        (Completion("Well,", "length"), "budget", "length"),
        (Completion("No.", "refused"), "right", ""),
        (Completion("I must not say.", "refused"), "gave-up", "refused"),
        (Completion("", "empty"), "unreadable", "empty"),
        (Completion("", "filtered"), "infrastructure-error", "filtered"),
    ],
)
def test_replies_that_fall_short(
    spec: Path, monkeypatch: pytest.MonkeyPatch, reply: Completion, outcome: str, fault: str
) -> None:
    replying(monkeypatch, lambda: reply)
    ready = prepared(spec, "fixed")
    job = next(job for job in ready.jobs.values() if job.about.question.answer == "no")
    run_all([job], folder_of(ready), workers=1)
    record = read_record(folder_of(ready) / f"{job.name}.jsonl")
    assert (record.outcome, record.fault.status if record.fault else "") == (outcome, fault)


def test_a_killed_question_is_not_asked_again(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replying(monkeypatch, lambda: Completion("Answer: yes"))
    ready = prepared(spec, "fixed")
    run(ready)
    for name in ready.jobs:
        path = folder_of(ready) / f"{name}.jsonl"
        # What a process leaves that is killed behind the reply.
        partial_path(path).write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
        path.unlink()

    def asked() -> Completion:
        raise InfrastructureError("asked again")

    replying(monkeypatch, asked)
    summary = run(prepared(spec, "fixed"))
    assert summary.broken == ()
    assert summary.already.calls == 16


def test_a_budget_stops_before_the_next_question(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replying(monkeypatch, lambda: Completion("Answer: yes"))
    summary = run(prepared(spec, "fixed"), Limits(calls=5))
    assert (sum(summary.outcomes.values()), summary.unfinished) == (5, 11)


def test_a_dry_run_knows_every_prompt(spec: Path) -> None:
    dry = estimate_cost(prepared(spec), spec.parent)
    assert (dry["estimate"]["calls"], dry["finished"]) == (16, 0)
    assert dry["kinds"] == {"progression": 8, "validation": 8}
    columns = ["progression bool", "progression open", "validation bool", "validation open"]
    assert [column["column"] for column in dry["columns"]] == columns


def test_both_styles_and_models_are_columns(spec: Path) -> None:
    spec.write_text(SPEC.replace('["oracle"]', '["oracle", "oracle:mumble"]\nstyles = ["nl", "pddl"]'))
    ready = prepared(spec)
    summary = run(ready)
    assert summary.outcomes == {"right": 32, "unreadable": 32}
    headings = tables(ready)["questions"].headings
    groups = ["oracle nl", "oracle pddl", "oracle:mumble nl", "oracle:mumble pddl"]
    assert sorted({heading.group for heading in headings}) == groups


def test_acpbench_s_own_files_are_asked(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replying(monkeypatch, lambda: Completion("Answer: yes"))
    ready = acpbench(str(shared / "acpbench")).overridden(Overrides(model="fixed"))
    ready.prepare(tmp_path)
    every = [job for job in ready.jobs.values() if job.about.question.form != "choice"]
    own = [job.about.question for job in every]
    assert Counter(question.form for question in own) == {"open": 320, "bool": 280}
    # The files of yes and no do not name their domains.
    assert len({question.domain for question in own}) == 8
    jobs = [job for job in every if job.about.question.kind == "applicability"]
    outcomes = Counter(run_all(jobs, tmp_path, workers=1).outcomes)
    right = sum(
        question.answer == "yes" for question in own if (question.kind, question.form) == ("applicability", "bool")
    )
    assert outcomes == {"right": right, "wrong": 40 - right, "unreadable": 40}
    oracle = acpbench(str(shared / "acpbench"))
    oracle.prepare(tmp_path)
    assert run_all([*oracle.jobs.values()][:3], tmp_path, workers=1).outcomes == {"right": 3}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('models = ["oracle"]', "", "models is missing"),
        ('"validation"]', '"riddles"]', "riddles"),
        ('kinds = ["progression", "validation"]', 'kinds = ["replanning"]', "asked in the form open"),
        ('name = "asked"', 'name = "asked"\npolicies = ["act"]', "takes the place of runs: leave out policies"),
        ("count = 4", 'data = "nowhere"', "there is no such folder"),
    ],
)
def test_a_wrong_specification_is_refused(spec: Path, old: str, new: str, message: str) -> None:
    text = SPEC.replace(old, new).replace('forms = ["bool", "open"]', 'forms = ["bool"]')
    spec.write_text(text)
    with pytest.raises(InputError, match=message):
        load_experiment(spec)


def test_questions_that_are_damaged_are_named(spec: Path) -> None:
    run(prepared(spec))
    (spec.parent / "runs" / "questions.json").write_text("[]")
    with pytest.raises(InputError, match=r"questions\.json: not the questions of an experiment"):
        prepared(spec)


def test_questions_follow_the_specification(spec: Path) -> None:
    before = prepared(spec)
    run(before)
    spec.write_text(SPEC.replace("count = 4", "count = 2"))
    fewer = prepared(spec)
    assert len(fewer.jobs) == 8
    kept = json.loads((spec.parent / "runs" / "questions.json").read_text())
    # Those of the earlier specification stay for it.
    assert len(kept["made"]) == 8


def test_an_answer_is_read_again_from_the_reply_before_it_counts(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replying(monkeypatch, lambda: Completion("yes"))
    ready = prepared(spec, "fixed")
    run(ready)
    wrong = [path for path in folder_of(ready).glob("*.jsonl") if read_record(path).outcome == "wrong"]
    closed = next(path for path in wrong if read_record(path).first.question.form == "bool")
    rewrite(closed, lambda events: events[-1].update(outcome="right", fault=None))
    (doubted,) = gather(folder_of(ready)).doubted
    assert (doubted.path, doubted.doubt) == (closed, "the outcome is 'right', and the reply is wrong")
