"""Many runs at once: what is done stands, what is missing is done, what stops them leaves no verdict."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.batch_passes import BatchPasses
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.records.reader import is_broken, last_line, read_end
from pddl2nl.experiments.records.writer import claimed, partial_path
from pddl2nl.experiments.runs import run_job
from pddl2nl.experiments.sweep import run_all
from pddl2nl.llm import Completion, EndpointError, Usage
from pddl2nl.nl import template_wording
from pddl2nl.pddl import load_task
from pddl2nl.policies.budget import Limits
from pddl2nl.policies.spec import RunSpec
from tests.experiments.conftest import planner_job
from tests.llm.chat_server import ChatServer, Trouble


class Endpoint:
    """Solves the lamps in three calls, by the number of turns; counts what it is asked."""

    base_url = "http://localhost/v1"

    def __init__(self, name="endpoint", fails=lambda request: None):
        self.name, self.asked, self._fails, self._lock = name, [], fails, threading.Lock()

    def complete(self, request):
        with self._lock:
            self.asked.append(request)
        self._fails(request)
        turn = sum(message.role == "assistant" for message in request.messages)
        return Completion(f"Action: apply the action 'switch-on' to lamp lamp_{turn % 3}", usage=Usage(10, 2))


@pytest.fixture
def task(lamps):
    return load_task(*lamps)


@pytest.fixture
def jobs(task):
    def made(model, seeds=range(4), policies=("act",), **options):
        return [
            run_job(RunSpec.of(task, policy, model=model, example="none", steps=5, seed=seed, **options))
            for policy in policies
            for seed in seeds
        ]

    return made


def test_every_run_has_a_record_and_a_second_start_does_nothing(jobs, tmp_path):
    model = Endpoint()
    states = []
    summary = run_all(jobs(model), tmp_path / "runs", on_progress=states.append)
    assert (summary.runs, summary.solved, summary.earlier, summary.exit_code) == (4, 4, 0, 0)
    assert (summary.spent.calls, summary.spent.prompt_tokens) == (12, 120)
    assert (states[0].ended, states[-1].ended, states[-1].solved) == (0, 4, 4)
    held = {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()}
    assert sorted(held) == sorted(f"{job.name}.jsonl" for job in jobs(model))
    again = run_all(jobs(model), tmp_path / "runs")
    assert (again.earlier, again.solved, again.spent.calls, again.already.calls) == (4, 4, 0, 12)
    assert len(model.asked) == 12
    assert held == {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()}


def test_a_name_holds_all_that_determines_the_run_and_nothing_else(task, tmp_path):
    plain = RunSpec.of(task, "act", model="gpt-4o", example="none")
    example = tmp_path / "example.pddl"
    example.write_text("(define", encoding="utf-8")
    wording = template_wording(task.domain)
    odd = replace(wording, domain_text="Lamps.")
    others = [
        replace(plain, **changed)
        for changed in (
            {"policy": "react"},
            {"model": "gpt-4o-mini"},
            {"seed": 2},
            {"style": "pddl"},
            {"steps": 3},
            {"temperature": 1.0},
            {"example": None},
            {"example": str(example)},
            {"wording": wording},
            {"wording": odd},
            {"translator": "llm"},
            {"options": {"stop_after": 2}},
            {"history": "none"},
            {"models": {"translator": "gpt-4o"}},
        )
    ]
    names = {run_job(spec).name for spec in (plain, *others)}
    assert len({name.rpartition("-")[2] for name in names}) == len(others) + 1
    assert run_job(plain).name.startswith("lamps-three-act-gpt_4o-nl-1-")
    same = replace(plain, record=tmp_path / "r.jsonl", out=tmp_path, base_url="http://localhost/v1")
    assert run_job(same).name == run_job(plain).name
    with_example = run_job(replace(plain, example=str(example))).name
    example.write_text("(define ", encoding="utf-8")
    assert run_job(replace(plain, example=str(example))).name != with_example


def test_settings_that_are_sent_count_and_those_that_are_not_do_not(task, tmp_path):
    plain = RunSpec.of(task, "act", model="m", example="none")
    names = []
    for number, text in enumerate(("timeout = 3", "max_retries = 1", 'extra_body = {"top_k" = 1}')):
        models = tmp_path / f"{number}.toml"
        models.write_text(f"[models.m]\n{text}\n", encoding="utf-8")
        names.append(run_job(plain, models_file=models).name)
    assert names[0] == names[1] == run_job(plain).name != names[2]


def test_long_parts_of_a_name_are_cut_and_its_hash_stays(task):
    name = run_job(RunSpec.of(task, "act", model="x" * 300, example="none", base_url="http://localhost/v1")).name
    assert len(name) < 120
    assert name.count("x") < 60


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────


def test_a_spent_budget_stops_the_runs_and_a_greater_one_goes_on_with_them(jobs, tmp_path, settled):
    model = Endpoint()
    todo = jobs(model, range(6))
    summary = run_all(todo, tmp_path / "runs", workers=2, budget=Limits(calls=7))
    # One call may be on its way in the other thread.
    assert 7 <= summary.spent.calls <= 8
    assert summary.stopped == "the limit of 7 calls is reached"
    assert (summary.exit_code, summary.refused, summary.interrupted) == (1, False, False)
    assert summary.unfinished == 6 - summary.solved > 0
    assert summary.broken == ()
    # What was spent counts the next time as well: nothing is left of it.
    none = run_all(todo, tmp_path / "runs", workers=2, budget=Limits(calls=7))
    assert (none.spent.calls, none.already.calls) == (0, summary.spent.calls)
    rest = run_all(todo, tmp_path / "runs", workers=2, budget=Limits(calls=100))
    assert (rest.solved, rest.exit_code, rest.stopped) == (6, 0, None)
    assert len(model.asked) == 18 == rest.spent.calls + rest.already.calls
    whole = run_all(todo, tmp_path / "whole")
    assert whole.solved == 6
    for job in todo:
        assert settled(tmp_path / "runs" / f"{job.name}.jsonl") == settled(tmp_path / "whole" / f"{job.name}.jsonl")


def test_runs_that_cost_nothing_go_on_when_the_budget_is_spent(jobs, task, tmp_path):
    model = Endpoint()
    free = [run_job(RunSpec.of(task, "random", steps=5, seed=seed)) for seed in range(3)]
    summary = run_all([*jobs(model), *free], tmp_path, workers=1, budget=Limits(tokens=0))
    assert (model.asked, summary.unfinished, sum(summary.outcomes.values())) == ([], 4, 3)


def test_a_budget_in_money_needs_to_know_what_was_spent(jobs, tmp_path):
    run_all(jobs(Endpoint()), tmp_path)
    with pytest.raises(InputError, match=r"budgets.usd is 3, and what the records in .* have cost is not known"):
        run_all(jobs(Endpoint()), tmp_path, budget=Limits(usd=3.0))


# ── what goes wrong ──────────────────────────────────────────────────────────────────────────────


def test_a_run_that_cannot_be_is_named_and_stops_no_other(jobs, task, tmp_path):
    bad = run_job(RunSpec.of(task, "cot", model=Endpoint(), style="pddl", example="none"))
    summary = run_all([bad, *jobs(Endpoint())], tmp_path)
    assert (summary.solved, summary.exit_code) == (4, 2)
    assert [trouble.run for trouble in summary.bad] == [bad.name]
    assert "has no twin in style pddl" in summary.bad[0].message


def test_a_failing_endpoint_costs_one_run_which_is_run_again_with_what_it_had(jobs, tmp_path):
    broken = True

    def fails(request):
        if broken and request.seed == 2 and len(request.messages) > 4:
            raise EndpointError("tried ten times")

    model = Endpoint(fails=fails)
    summary = run_all(jobs(model), tmp_path)
    assert (summary.solved, summary.exit_code) == (3, 3)
    assert [trouble.message for trouble in summary.broken] == ["tried ten times"]
    broken, before = False, len(model.asked)
    again = run_all(jobs(model), tmp_path)
    assert (again.solved, again.earlier, again.broken) == (4, 3, ())
    assert len(model.asked) - before == 1


def test_a_fault_of_ours_in_one_run_says_so(jobs, tmp_path, monkeypatch):
    monkeypatch.setattr("pddl2nl.experiments.runs.recollect", int)
    summary = run_all(jobs(Endpoint(), range(1)), tmp_path)
    assert summary.broken[0].message.startswith("a fault of pddl2nl itself: runs.py:")


def test_a_fault_of_theirs_in_one_run_costs_that_run_and_says_its_place(jobs, tmp_path):
    def fails(request):
        if request.seed == 1:
            raise ZeroDivisionError("oh")

    summary = run_all(jobs(Endpoint(fails=fails)), tmp_path)
    assert (summary.solved, summary.exit_code) == (3, 3)
    # The model is the user's, here this file's.
    assert re.fullmatch(r"test_sweep\.py:\d+: ZeroDivisionError: oh", summary.broken[0].message)
    assert len([*tmp_path.glob("*.jsonl")]) == 3


def test_a_damaged_partial_record_is_said_and_a_damaged_last_line_is_done_again(jobs, tmp_path):
    todo = jobs(Endpoint(), range(2))
    first, second = (tmp_path / f"{job.name}.jsonl" for job in todo)
    partial_path(first).write_text("{]\n{}\n", encoding="utf-8")
    second.write_text('{"event": "started"}\n', encoding="utf-8")
    summary = run_all(todo, tmp_path)
    assert (summary.solved, [trouble.run for trouble in summary.bad]) == (1, [todo[0].name])
    assert read_end(second).outcome == "solved"


def test_ctrl_c_lets_no_run_begin_and_leaves_the_rest_to_be_gone_on_with(jobs, tmp_path):
    model = Endpoint()
    todo = jobs(model, range(30))

    def interrupt(progress):
        if progress.ended == 3:
            raise KeyboardInterrupt

    summary = run_all(todo, tmp_path, workers=2, on_progress=interrupt)
    assert (summary.interrupted, summary.exit_code, summary.stopped) == (True, 130, "interrupted")
    assert summary.unfinished == 30 - summary.solved > 0
    before = len(model.asked)
    assert run_all(todo, tmp_path).exit_code == 0
    assert len(model.asked) == 90 > before


def test_an_error_in_who_is_told_ends_the_experiment(jobs, tmp_path):
    def broken(progress):
        if progress.ended == 1:
            raise RuntimeError("no terminal")

    with pytest.raises(RuntimeError, match="no terminal"):
        run_all(jobs(Endpoint(), range(30)), tmp_path, workers=1, on_progress=broken)
    assert len([*tmp_path.glob("*.jsonl")]) < 30


# ── others at work ───────────────────────────────────────────────────────────────────────────────


def test_a_run_that_another_process_is_at_is_left_to_it(jobs, tmp_path):
    todo = jobs(Endpoint())
    with claimed(tmp_path / f"{todo[1].name}.jsonl"):
        summary = run_all(todo, tmp_path)
    assert (summary.solved, summary.elsewhere, summary.exit_code) == (3, 1, 1)
    assert run_all(todo, tmp_path).exit_code == 0


def test_two_at_one_folder_do_every_run_once(jobs, tmp_path):
    model = Endpoint()
    todo = jobs(model, range(40))
    summaries = []
    threads = [threading.Thread(target=lambda: summaries.append(run_all(todo, tmp_path / "runs"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(model.asked) == 120
    assert len({(request.seed, request.messages) for request in model.asked}) == 120
    assert all(summary.solved + summary.elsewhere == 40 for summary in summaries)
    assert len([*(tmp_path / "runs").iterdir()]) == 40


# ── other kinds of runs ──────────────────────────────────────────────────────────────────────────


def test_a_script_begins_anew_as_it_costs_nothing(task, tmp_path):
    lines = [f"Action: apply the action 'switch-on' to lamp lamp_{number}" for number in range(3)]
    script = tmp_path / "script.txt"
    script.write_text("\n---\n".join(lines), encoding="utf-8")
    job = run_job(RunSpec.of(task, "act", model=f"script:{script}", example="none", steps=5))
    assert run_all([job], tmp_path / "runs").solved == 1
    record = tmp_path / "runs" / f"{job.name}.jsonl"
    # As if it had been killed after its second reply.
    kept = record.read_text(encoding="utf-8").splitlines(keepends=True)[:7]
    record.unlink()
    partial_path(record).write_text("".join(kept), encoding="utf-8")
    assert run_all([job], tmp_path / "runs").solved == 1


@pytest.mark.usefixtures("needs_planner")
def test_planners_run_beside_policies_and_one_that_broke_is_run_again(lamps, jobs, tmp_path):
    planned = planner_job(*lamps)
    assert planned.name.startswith("lamps-three-ff-")
    texts = {"domain": "lamps", "problem": "three", "domain_pddl": "", "problem_pddl": ""}
    broken = {"planner": "ff", "status": "error", "message": "crashed", **texts}
    record = tmp_path / f"{planned.name}.jsonl"
    record.write_text(json.dumps({"event": "planned", **broken}) + "\n", encoding="utf-8")
    assert is_broken(read_end(record))
    summary = run_all([planned, *jobs(Endpoint())], tmp_path)
    assert (summary.solved, summary.exit_code) == (5, 0)
    assert json.loads(last_line(record))["plan"] is not None
    assert run_all([replace(planned, play=None)], tmp_path).earlier == 1


def test_one_shot_runs_go_through_the_providers_batches(task, tmp_path, whimsical):
    with ChatServer(whimsical()) as server:
        todo = [
            run_job(RunSpec.of(task, policy, model="gpt-4o", example="none", seed=seed, base_url=server.base_url))
            for policy in ("basic", "cot")
            for seed in range(10)
        ]
        access = Access(cache=tmp_path / "cache.sqlite")
        summary = run_all(todo, tmp_path / "batch", access=access, batch=BatchPasses(access, poll_seconds=0.0))
        assert not [call for call in server.calls if call.path.endswith("/chat/completions")]
        live = run_all(todo, tmp_path / "live", access=Access())
    assert summary.outcomes == live.outcomes
    assert sum(summary.outcomes.values()) == 20
    assert summary.spent.calls == 20
    assert summary.spent.usd == pytest.approx(live.spent.usd / 2)
    assert not [*(tmp_path / "batch").glob("*.partial")]


def test_what_passes_of_batches_bring_is_booked_once_and_bounds_the_next_batch(task, tmp_path, whimsical):
    with ChatServer(whimsical(short=0)) as server:

        def run(budget, seeds=range(8), folder="runs"):
            todo = [
                run_job(
                    RunSpec.of(task, "basic", model="m", example="none", rounds=2, seed=seed, base_url=server.base_url)
                )
                for seed in seeds
            ]
            access = Access(cache=tmp_path / "cache.sqlite")
            batch = BatchPasses(access, poll_seconds=0.0)
            return run_all(todo, tmp_path / folder, access=access, budget=budget, batch=batch)

        first = run(Limits(calls=5))
        lines = len(server.desk.submitted)
        assert lines == 5 == first.spent.calls
        assert first.stopped == "the limit of 5 calls is reached"
        second = run(None)
        assert (second.unfinished, sum(second.outcomes.values())) == (0, 8)
        # Some plans needed another round, so there was more than one batch.
        assert len(server.desk.submitted) > 8
        assert second.spent.calls == len(server.desk.submitted) - lines
        assert second.spent.cache_hits <= lines
        # The records say the same as the summary, however many passes a run took.
        others = run(None, range(20, 28), "others")
        assert run(None, range(20, 28), "others").already.calls == others.spent.calls > 8


def test_a_batch_that_fails_ends_the_experiment_with_its_message(task, tmp_path, whimsical):
    with ChatServer(whimsical(), fault=lambda call: Trouble(403) if call.path.endswith("/files") else None) as server:
        todo = [run_job(RunSpec.of(task, "basic", model="m", example="none", base_url=server.base_url))]
        access = Access(cache=tmp_path / "cache.sqlite")
        summary = run_all(todo, tmp_path / "runs", access=access, batch=BatchPasses(access, poll_seconds=0.0))
    assert (summary.unfinished, summary.exit_code) == (1, 3)
    assert "HTTP 403" in summary.stopped


def test_ctrl_c_ends_the_wait_for_a_batch(task, tmp_path, whimsical, monkeypatch):
    with ChatServer(whimsical()) as server:
        todo = [run_job(RunSpec.of(task, "basic", model="m", example="none", base_url=server.base_url))]
        access = Access(cache=tmp_path / "cache.sqlite")
        batch = BatchPasses(access, poll_seconds=0.0)
        monkeypatch.setattr(batch, "bring", lambda: os.kill(os.getpid(), signal.SIGINT))
        # Another test may have imported dask_jobqueue, which ends the process at Ctrl-C.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            summary = run_all(todo, tmp_path / "runs", access=access, batch=batch)
        finally:
            signal.signal(signal.SIGINT, before)
    assert (summary.interrupted, summary.unfinished, summary.exit_code) == (True, 1, 130)


def test_the_last_line_of_a_long_record_is_found(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"x" * 300_000 + b"\n" + b"y" * 200_000 + b"\n")
    assert last_line(path) == b"y" * 200_000
    path.write_bytes(b"only")
    assert last_line(path) == b"only"
    assert read_end(path) is None
    assert read_end(tmp_path / "absent") is None


# ── memory ───────────────────────────────────────────────────────────────────────────────────────


PROGRAM = """
import gc, sys, tempfile, time
from pathlib import Path
from pddl2nl.experiments.runs import run_job
from pddl2nl.policies.spec import RunSpec
from pddl2nl.experiments.sweep import run_all
from pddl2nl.tasks import shipped_task

def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

# As the command line does.
gc.set_threshold(100_000)
runs, folder, first = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
script = folder / "script.txt"
script.write_text("\\n---\\n".join(["Action: look around"] * 12))
tasks = [shipped_task(name, "p01") for name in ("blocksworld", "logistics")]
jobs = [
    run_job(RunSpec(tasks[k % 2], ("act", "react", "basic", "cot")[k // 2 % 4], model=f"script:{script}",
                   example="none", steps=8, seed=k))
    for k in range(runs)
]
seen = {}
def show(progress):
    if progress.ended in (first, runs):
        seen.setdefault(progress.ended, resident())
summary = run_all(jobs, folder / "runs", workers=8, on_progress=show)
assert sum(summary.outcomes.values()) == runs, summary
print(seen[first], seen[runs], round(summary.seconds, 1))
"""
_KB = 1024


def _measured(runs: int, first: int, folder: Path) -> tuple[int, int, float]:
    """Resident memory in kB after the first runs and after all, and the seconds that all took."""
    if not Path("/proc/self/status").exists():
        pytest.skip("how much memory a process has is read in /proc, which this platform has not")
    command = [sys.executable, "-c", PROGRAM, str(runs), str(folder), str(first)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(said[0]), int(said[1]), float(said[2])


@pytest.mark.heavy
def test_fifteen_hundred_further_runs_take_no_more_memory_than_five_hundred(tmp_path):
    early, late, _ = _measured(2000, 500, tmp_path)
    assert late - early < 6 * _KB, f"{early} kB after 500 runs, {late} kB after 2000"
