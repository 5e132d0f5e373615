"""``--seconds`` and ``--memory`` of validate, check and convert, and the estimate of nested quantifiers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from tests.cli.one_command import refused

DOMAIN = """(define (domain pairs) (:requirements :adl :derived-predicates :preferences)
(:predicates (p ?a ?b) (q) (r)) {rule}
(:action a :parameters () :precondition {precondition} :effect {effect}))"""
Task = Callable[..., tuple[str, str, str]]


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """Writes a task with that many objects and a plan of one action."""

    def write(goal: str = "(q)", objects: int = 12, precondition: str = "(and)", effect: str = "(q)", rule: str = ""):
        numbers = range(objects)
        # Five groups: a clique of six is looked for in vain.
        pairs = " ".join(f"(p o{one} o{other})" for one in numbers for other in numbers if (one - other) % 5)
        names = [f"o{number}" for number in numbers]
        problem = f"(define (problem x) (:domain pairs) (:objects {' '.join(names)}) (:init {pairs}) (:goal {goal}))"
        domain = DOMAIN.format(rule=rule, precondition=precondition, effect=effect)
        for name, text in (("domain.pddl", domain), ("problem.pddl", problem), ("plan", "(a)\n")):
            (tmp_path / name).write_text(text, encoding="utf-8")
        domain_file, problem_file, plan = (str(tmp_path / name) for name in ("domain.pddl", "problem.pddl", "plan"))
        return domain_file, problem_file, plan

    return write


def nested(depth: int, *kinds: str) -> str:
    """Quantifiers of these kinds in turn, each over two variables."""
    text = f"(and {' '.join(f'(p ?x{level} ?y{level})' for level in range(depth))})"
    for level in reversed(range(depth)):
        kind = kinds[level % len(kinds)]
        text = f"({kind.removeprefix('not ')} (?x{level} ?y{level}) {text})"
        text = f"(not {text})" if kind.startswith("not ") else text
    return text


def clique(size: int) -> str:
    """A goal that no join answers soon."""
    names = [f"?x{number}" for number in range(size)]
    pairs = " ".join(f"(p {one} {other})" for one in names for other in names[: names.index(one)])
    return f"(and (q) (exists ({' '.join(names)}) (and {pairs})))"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "pddl2nl", *command]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "options", [(), *(pytest.param((each,), marks=pytest.mark.heavy) for each in ("-v", "--json"))]
)
def test_a_command_that_takes_too_long_ends_without_a_verdict(task: Task, options: tuple[str, ...]) -> None:
    ran = run("validate", *task(clique(30), objects=90), *options, "--seconds", "1.5")
    assert (ran.returncode, ran.stderr) == (3, "error: no result within 1.5 s (--seconds)\n")
    assert "valid" not in ran.stdout.lower()


@pytest.mark.parametrize("options", [pytest.param((), marks=pytest.mark.heavy), ("--json",)])
def test_a_command_that_needs_too_much_memory_ends_without_a_verdict(task: Task, options: tuple[str, ...]) -> None:
    files = task(objects=700, effect="(and (q) (forall (?x ?y) (p ?x ?y)))")
    ran = run("validate", *files, *options, "--memory", "120m")
    assert (ran.returncode, ran.stderr) == (3, "error: there is not enough memory for this\n")
    assert "valid" not in ran.stdout.lower()


@pytest.mark.heavy
def test_limits_that_suffice_change_nothing(task: Task) -> None:
    files = task()
    for command in (("validate", *files), ("check", *files[:2]), ("convert", *files[:2])):
        free, limited = run(*command), run(*command, "--seconds", "50", "--memory", "1g")
        assert (limited.returncode, limited.stdout, limited.stderr) == (0, free.stdout, free.stderr)
    assert run("check", files[1], "--seconds", "50").returncode == 2


@pytest.mark.heavy
def test_a_batch_keeps_what_was_answered_before(task: Task, tmp_path: Path) -> None:
    slow, files = tmp_path / "slow.pddl", task(clique(30), objects=90)
    Path(files[1]).rename(slow)
    task()
    lines = [{"domain": files[0], "problem": problem, "plan": files[2]} for problem in (files[1], str(slow))]
    batch = tmp_path / "batch.jsonl"
    batch.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ran = run("validate", "--batch", str(batch), "--json", "--seconds", "3")
    assert ran.returncode == 3
    assert [json.loads(line)["verdict"] for line in ran.stdout.splitlines()] == ["valid"]


@pytest.mark.heavy
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_the_limited_process_ends_with_the_one_that_watches_it(task: Task, sent: signal.Signals) -> None:
    command = [sys.executable, "-m", "pddl2nl", "validate", *task(clique(30), objects=90), "--seconds", "50"]
    process = subprocess.Popen(
        command, stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("this system does not list the children of a process")
    # The watchdog comes after the child.
    while len(found := children.read_text().split()) < 2:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(sent)
    expected = {signal.SIGTERM: 143, signal.SIGINT: 130}.get(sent, -sent)
    assert process.wait(20) == expected
    deadline = time.monotonic() + 10
    while any(_runs(int(pid)) for pid in found):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


# ── what is refused before it is tried ───────────────────────────────────────────────────────────

ALTERNATING = nested(12, "exists", "forall")


@pytest.mark.parametrize(
    "parts",
    [
        {"goal": ALTERNATING},
        {"goal": nested(12, "not exists")},
        {"goal": f"(and (q) (preference one {ALTERNATING}))"},
        {"precondition": ALTERNATING},
        {"effect": f"(when {ALTERNATING} (q))"},
        {"rule": f"(:derived (r) {ALTERNATING})"},
    ],
)
def test_nested_quantifiers_are_counted_before_they_are_tried(task: Task, parts: dict[str, str]) -> None:
    files = task(**parts)
    assert "nested quantifiers have 8,916,100,448,256 choices of objects, which is more than" in refused(
        "validate", *files
    )


def test_preferences_are_counted_before_they_are_followed(task: Task) -> None:
    variables = " ".join(f"?x{number}" for number in range(6))
    assert "a preference or constraint with 2,985,984 choices of objects" in refused(
        "validate", *task(f"(and (q) (forall ({variables}) (preference one (p ?x0 ?x1))))")
    )


@pytest.mark.parametrize("kind", ["exists", "forall"])
def test_quantifiers_of_one_kind_are_a_join_and_are_answered(task: Task, kind: str) -> None:
    code = main(["validate", *task(f"(and (q) {nested(6, kind)})")])
    assert code == (0 if kind == "exists" else 1)
