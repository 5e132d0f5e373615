"""What a reviewer asks: how the runs were made, and what to doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from pddl2nl.experiments import run
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies.events import Failed, Replied
from pddl2nl.reports.gathering import gathered
from pddl2nl.reports.reviewing import doubts, how_table
from pddl2nl.reports.tables.model import latex_text, markdown_text, plain_text
from pddl2nl.tasks import shipped_task
from tests.llm.chat_server import ChatServer, Trouble
from tests.records import changed

ROW = LayoutRow("ferry", tasks=10)
ACT = LayoutColumn("Act", policy="act", model="m")
REACT = LayoutColumn("ReAct", policy="react", model="m")


def facts(table):
    return {line.label: line.cells[0].text for line in table.lines}


@pytest.fixture
def recorded(write, act_events, basic_events, planned):
    """Runs of two seeds and a planner, with replies that fell short, and the endpoint's versions."""
    answered = [
        structs.replace(event, model="m-2026-01", fingerprint="fp_7") if isinstance(event, Replied) else event
        for event in act_events
    ]
    start = changed(
        act_events[0],
        time="2026-05-02T10:00:00+00:00",
        temperature=0.7,
        max_tokens=512,
        steps=20,
        prompts={"act.txt": "ab" * 32},
        wording={"source": {"method": "llm", "model": "w-1", "date": "2026-04-01"}},
        versions={"python": "3.11.7", "machine": "Linux x86_64"},
        model_settings={"max_retries": 4},
    )
    later = changed(start, seed=2, time="2026-05-04T10:00:00+00:00", steps=30)
    cut = [structs.replace(event, finish="length") if isinstance(event, Replied) else event for event in basic_events]
    versioned = structs.replace(planned, versions={"up-fast-downward": "1.0.0"})
    runs = {
        "one": [start, *answered[1:]],
        "two": [later, *answered[1:]],
        "cut": [*cut[:-1], Failed(2, "503"), cut[-1]],
        "plan": versioned,
    }
    return gathered(read_record(write(name, events)) for name, events in runs.items())


def test_the_box_says_how_the_runs_were_made(recorded):
    found = facts(how_table(recorded))
    assert found["runs"] == "4 scored"
    assert found["dates"] == "2026-05-02 to 2026-05-04"
    assert found["models"] == "m: answered by m-2026-01 fp_7; m"
    assert found["reply limit"] == "512 tokens; the model's own"
    assert found["temperature"] == "0.7"
    assert found["prompts"] == "act.txt abababababab"
    assert found["wordings"] == "llm by w-1 of 2026-04-01; a file"
    assert found["seeds"] == "1 to 2"
    assert found["step limit"] == "20 to 30"
    assert found["retries"] == "at most 4 a call"
    assert found["replies"] == "11, 1 cut off, 1 calls without one, after all retries"
    assert found["planners"] == "lmcut"
    assert found["versions"] == "python 3.11.7; up-fast-downward 1.0.0"
    assert found["machine"] == "Linux x86_64"


def test_the_box_has_a_form_in_latex_markdown_and_text(recorded):
    table = how_table(recorded)
    assert r"\begin{tabular}{lp{0.75\linewidth}}" in latex_text(table)
    assert r"step limit & 20 to 30 \\" in latex_text(table)
    assert "| step limit | 20 to 30 |" in markdown_text(table)
    assert "step limit   20 to 30\n" in plain_text(table)


def test_the_box_counts_the_retries_of_a_run(tmp_path, write, act_events):
    scripted = ScriptedModel(["Action: look around", "Action: look around"])
    options = {"steps": 2, "example": "none", "cache": "none", "record": tmp_path / "run.jsonl"}
    with ChatServer(scripted, [Trouble(503), None, Trouble(500)]) as server:
        run(shipped_task("ferry", "p01"), "act", "m", base_url=server.base_url, **options)
        assert len(server.calls) == 4
    recorded = read_record(tmp_path / "run.jsonl")
    assert [event.retries for event in recorded.events if isinstance(event, Replied)] == [1, 1]
    assert facts(how_table(gathered([recorded])))["retries"] == "2 made"

    start = structs.replace(act_events[0], base_url=server.base_url)
    old = read_record(write("old", [start, *act_events[1:]]))
    assert facts(how_table(gathered([old])))["retries"] == "made: not recorded"
    table = how_table(gathered([recorded, old]))
    assert "| retries | 2 made, of 5 replies not recorded |" in markdown_text(table)
    assert r"retries & 2 made, of 5 replies not recorded \\" in latex_text(table)


def test_replies_cut_off_and_lines_that_the_reader_left_undecided_are_doubtful(recorded):
    said = " ".join(doubts(recorded))
    assert "Replies were cut off: 1 of 1 of basic" in said
    assert "more than 2%: 2 of 8 of act" in said


def test_columns_of_different_tasks_are_doubtful(experiment_of):
    def result(row, column, task, seed):
        return "broken" if column is REACT and task < 3 else bool(task % 2)

    (said,) = doubts(experiment_of([ACT, REACT], [ROW], result, tasks=8))
    assert said.startswith("The columns do not have the same tasks: 8 of Act; 5 of ReAct.")
    assert doubts(experiment_of([ACT, REACT], [ROW], lambda row, column, task, seed: bool(task % 2))) == ()


def test_saturated_columns_are_doubtful_but_not_those_of_the_oracle(experiment_of):
    oracle = replace(REACT, model="oracle")
    said = doubts(experiment_of([ACT, oracle], [ROW], lambda *_: True, tasks=6))
    assert said == (
        "Saturated columns, which solve every task, so that they show no difference to a better one: Act (6).",
    )
    assert doubts(experiment_of([ACT], [ROW], lambda *_: True, tasks=4)) == (), "too few to say so"
    assert "solve no task: Act (6)." in doubts(experiment_of([ACT], [ROW], lambda *_: False, tasks=6))[0]


@pytest.mark.parametrize(
    ("asked", "answered", "said"),
    [
        ("gpt-4o", ("gpt-4o-2024-08-06",), ""),
        ("meta-llama/Llama-3-8B", ("llama-3-8b",), ""),
        ("gpt-4o", ("gpt-4o-2024-08-06 fp_1", "gpt-4o-2024-08-06 fp_2"), "'gpt-4o' answered in 2 versions"),
        ("gpt-4o", ("gpt-4o-mini-2024 fp_1", "o3"), "Another model answered for 'gpt-4o': gpt-4o-mini-2024 and o3."),
    ],
)
def test_a_model_that_answers_for_another_is_doubtful(experiment_of, asked, answered, said):
    found = experiment_of([ACT], [ROW], lambda row, column, task, seed: bool(task % 2))
    conditions = (("model", f"{asked}: answered by {', '.join(answered)}"),)
    runs = {name: replace(run, conditions=conditions) for name, run in found.runs.items()}
    doubted = doubts(replace(found, runs=runs))
    assert doubted == () if not said else doubted[0].startswith(said)


def test_runs_that_were_changed_are_doubtful(experiment_of):
    found = experiment_of([ACT], [ROW], lambda row, column, task, seed: bool(task % 2))
    doubted = replace(found, doubted=tuple(found.runs.values())[:1])
    assert doubts(doubted)[0].startswith("1 run, judged again, is not as recorded")
    assert facts(how_table(doubted))["runs"] == "4 scored, 1 left out as not as recorded"
