"""The process: its own folder, its limits, its exit codes. No plan is judged here."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from pddl2nl.baselines import fast_downward
from pddl2nl.baselines.inputs import files_of
from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError

FF = ("--search", "let(h,ff(),lazy_greedy([h],preferred=[h]))")
LMCUT = ("--search", "astar(lmcut())")
BLIND = ("--search", "astar(blind())")


def one_search(domain: Path, problem: Path, options: Sequence[str], **limits: int) -> fast_downward.SearchOutcome:
    """The outcome of a single search."""
    return fast_downward.search_each(domain, problem, [options], **limits)[0]


@pytest.fixture
def fake_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts a script of the test's own in the driver's place."""

    def install(code: str) -> None:
        driver = tmp_path / "driver.py"
        driver.write_text(
            "import sys, os, signal, time\nplan = sys.argv[sys.argv.index('--plan-file') + 1]\n" + code,
            encoding="utf-8",
        )
        monkeypatch.setattr(fast_downward, "find_driver", lambda: driver)

    return install


def run_fake(tmp_path: Path, time_limit: int | None = None) -> fast_downward.SearchOutcome:
    return one_search(tmp_path / "d.pddl", tmp_path / "p.pddl", FF, time_limit=time_limit)


@pytest.mark.usefixtures("needs_planner")
def test_the_package_is_found_without_being_imported(root: Path) -> None:
    # In a process of its own: other tests import unified-planning, and may come first.
    code = (
        "import sys; from pddl2nl.baselines import fast_downward; print(fast_downward.find_driver().name);"
        "print({'up_fast_downward', 'unified_planning'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["fast-downward.py", "set()"]


def test_a_missing_package_is_named_with_its_pip_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pddl2nl\[planners\]'"):
        fast_downward.find_driver()


def test_a_package_without_a_driver_is_no_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hollow = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: hollow)
    with pytest.raises(InfrastructureError, match="contains no Fast Downward"):
        fast_downward.find_driver()


@pytest.mark.usefixtures("needs_planner")
def test_time_limit_on_a_hard_task(shared: Path) -> None:
    hard = shared / "ipc" / "parking-opt14-strips" / "p_14_8-03"
    outcome = one_search(hard / "domain.pddl", hard / "problem.pddl", LMCUT, time_limit=1)
    assert outcome.status == "timeout"
    assert outcome.plan_text is None
    # It was ended by its own limit, and not from outside once our patience had run out.
    assert outcome.exit_code is not None


@pytest.mark.usefixtures("needs_planner")
def test_memory_limit_on_a_hard_task(shared: Path) -> None:
    hard = shared / "ipc" / "parking-opt14-strips" / "p_14_8-03"
    outcome = one_search(hard / "domain.pddl", hard / "problem.pddl", BLIND, time_limit=30, memory_limit_mb=64)
    assert outcome.status == "out-of-memory"
    assert outcome.plan_text is None


@pytest.mark.usefixtures("needs_planner")
def test_lmcut_does_not_take_axioms_and_says_so(small: SimpleNamespace) -> None:
    with files_of(small.two_lamps) as files:
        outcome = one_search(files.domain, files.problem, LMCUT)
        assert one_search(files.domain, files.problem, FF).status == "solved"
    assert outcome.status == "unsupported"
    assert outcome.exit_code == 34
    assert outcome.message.startswith("this search does not support a feature of the task (exit code 34): ")
    assert "axioms" in outcome.message
    assert "Terminating" not in outcome.message


@pytest.mark.usefixtures("needs_planner")
def test_files_the_translator_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text("(define (domain d) (:nonsense))", encoding="utf-8")
    (tmp_path / "p.pddl").write_text("(define (problem p) (:domain d))", encoding="utf-8")
    outcome = one_search(tmp_path / "d.pddl", tmp_path / "p.pddl", FF)
    assert outcome.status == "unsupported"
    assert outcome.message.startswith("Fast Downward does not support a feature of the task (exit code 31): ")
    assert "nonsense" in outcome.message


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (10, "unsolvable"),
        (11, "unsolvable"),
        (12, "error"),
        (13, "error"),
        (20, "out-of-memory"),
        (21, "timeout"),
        (22, "out-of-memory"),
        (23, "timeout"),
        (24, "timeout"),
        (30, "error"),
        (31, "unsupported"),
        (32, "error"),
        (33, "error"),
        (34, "unsupported"),
        (35, "error"),
        (36, "error"),
        (37, "error"),
        (99, "error"),
    ],
)
def test_exit_codes_without_a_plan(fake_driver, tmp_path: Path, code: int, status: str) -> None:
    fake_driver(f"open(plan, 'w').write('(half a plan'); print('it went wrong', file=sys.stderr); sys.exit({code})")
    outcome = run_fake(tmp_path)
    assert outcome.status == status
    assert outcome.exit_code == code
    assert outcome.plan_text is None
    assert outcome.message
    if code >= 30:
        assert "it went wrong" in outcome.message


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_exit_codes_with_a_plan(fake_driver, tmp_path: Path, code: int) -> None:
    fake_driver(f"open(plan, 'w').write('(a b)\\n'); print('[t=0.1s, 9 KB] Expanded 7 state(s).'); sys.exit({code})")
    outcome = run_fake(tmp_path)
    assert (outcome.status, outcome.plan_text, outcome.expanded) == ("solved", "(a b)\n", 7)
    assert outcome.message == ""


def test_success_without_a_plan_is_an_infrastructure_error(fake_driver, tmp_path: Path) -> None:
    fake_driver("sys.exit(0)")
    with pytest.raises(InfrastructureError, match="wrote no plan"):
        run_fake(tmp_path)


def test_a_crash_is_an_error_and_no_verdict(fake_driver, tmp_path: Path) -> None:
    fake_driver("os.kill(os.getpid(), signal.SIGSEGV)")
    outcome = run_fake(tmp_path)
    assert outcome.status == "error"
    assert outcome.exit_code == -signal.SIGSEGV


def test_the_translator_killed_by_the_time_limit_is_a_timeout(fake_driver, tmp_path: Path) -> None:
    fake_driver(f"sys.exit({256 - signal.SIGXCPU})")
    assert run_fake(tmp_path, time_limit=1).status == "timeout"
    # A search without a limit of its own has the default one.
    assert run_fake(tmp_path).status == "timeout"


def test_a_plan_found_too_late_is_not_reported(fake_driver, tmp_path: Path) -> None:
    fake_driver("open(plan, 'w').write('(a)\\n'); print('INFO     Planner time: 5.40s'); sys.exit(0)")
    late = run_fake(tmp_path, time_limit=5)
    assert (late.status, late.plan_text) == ("timeout", None)
    assert run_fake(tmp_path, time_limit=6).status == "solved"


def test_a_driver_that_hangs_is_stopped_with_its_children(
    fake_driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "child"
    fake_driver(
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)"
    )
    run = fast_downward._run
    monkeypatch.setattr(fast_downward, "_run", lambda command, folder, patience: run(command, folder, 1.0))
    outcome = run_fake(tmp_path, time_limit=1)
    assert outcome.status == "timeout"
    assert "wall time" in outcome.message
    assert_gone(int(note.read_text()))


def test_ctrl_c_leaves_no_process_and_no_folder(fake_driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "driver"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    fake_driver(f"open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(60)")

    def interrupt() -> None:
        while not (note.exists() and note.read_text()):
            time.sleep(0.02)
        # As the kernel does it: to the main thread, which waits for the process.
        signal.pthread_kill(main, signal.SIGINT)

    main = threading.main_thread().ident
    assert main is not None
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run_fake(tmp_path)
    assert_gone(int(note.read_text()))
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_driver_and_its_children_die_with_us(root: Path, tmp_path: Path, stop: signal.Signals) -> None:
    driver, note = tmp_path / "driver.py", tmp_path / "pids"
    driver.write_text(
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(tmp_path / 'new')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(tmp_path / 'new')!r}, {str(note)!r})\n"
        "time.sleep(60)",
        encoding="utf-8",
    )
    # As experiments do: in a thread that is not the main one.
    code = (
        "import signal, sys, threading; from pathlib import Path; from pddl2nl.baselines import fast_downward\n"
        # Under nohup, children ignore it.
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        f"fast_downward.find_driver = lambda: Path({str(driver)!r})\n"
        "run = lambda: fast_downward.search_each(Path('d'), Path('p'), [('--search', 's')])\n"
        "threading.Thread(target=run).start()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=root, env={**os.environ, "TMPDIR": str(tmp_path)})
    wait_for(note)
    time.sleep(0.2)
    process.send_signal(stop)
    process.wait()
    for pid in map(int, note.read_text().split()):
        assert_gone(pid)


def wait_for(file: Path) -> None:
    """Waits until a file exists."""
    for _ in range(600):
        if file.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{file} did not appear")


def assert_gone(pid: int) -> None:
    """A killed process disappears as soon as its parent, or init, has taken note of it."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{pid}/stat").exists() and ") Z " in Path(f"/proc/{pid}/stat").read_text():
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} still runs")


@pytest.mark.parametrize(
    "limits",
    [
        {"time_limit": 0},
        {"time_limit": -1},
        {"time_limit": 10**12},
        {"memory_limit_mb": 10},
        {"memory_limit_mb": 10**12},
    ],
)
def test_limits_that_cannot_be(tmp_path: Path, limits: dict[str, int]) -> None:
    with pytest.raises(InputError, match=r"limit is .*from \d+ to \d+"):
        one_search(tmp_path / "d", tmp_path / "p", FF, **limits)


@pytest.mark.usefixtures("needs_planner")
def test_it_says_which_version_it_is() -> None:
    assert re.fullmatch(r"Fast Downward [0-9.]+\+?", fast_downward.version())


def test_the_time_of_the_one_translation_counts_for_every_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = tmp_path / "driver.py"
    # The first run has two files and translates, those after it are given the translated task.
    driver.write_text(
        """import pathlib, sys
inputs = [word for word in sys.argv[1:] if word.endswith(".pddl") or "task.sas" in word]
translates = len(inputs) == 3
print("Done! [1.50s CPU, 1.6s wall-clock]\\ntranslate exit code: 0" if translates else "searching")
pathlib.Path(sys.argv[sys.argv.index("--plan-file") + 1]).write_text("")
print("Planner time: 1.00s")
""",
        encoding="utf-8",
    )
    monkeypatch.setattr(fast_downward, "find_driver", lambda: driver)
    files = tmp_path / "d.pddl", tmp_path / "p.pddl"
    first, second, third = fast_downward.search_each(*files, [FF, FF, FF], time_limit=2)
    assert [each.status for each in (first, second, third)] == ["solved", "timeout", "timeout"]
    assert [each.seconds for each in (first, second, third)] == [1.0, 2.5, 2.5]
    assert second.wall_seconds > 1.5


def test_seconds_are_those_of_the_processor_as_limits_are(fake_driver, tmp_path: Path) -> None:
    fake_driver("time.sleep(0.3); open(plan, 'w').write('(a)\\n'); print('Planner time: 0.10s'); sys.exit(0)")
    outcome = run_fake(tmp_path)
    assert (outcome.status, outcome.seconds) == ("solved", 0.1)
    assert outcome.wall_seconds >= 0.3


def test_after_searches_were_stopped_no_further_one_of_the_same_call_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = fast_downward._run

    def stopped(command: list[str], folder: Path, patience: float | None) -> object:
        fast_downward.stop_searches()
        return run(command, folder, patience)

    driver = tmp_path / "driver.py"
    driver.write_text("import sys\nsys.exit(22)\n", encoding="utf-8")
    monkeypatch.setattr(fast_downward, "find_driver", lambda: driver)
    monkeypatch.setattr(fast_downward, "_run", stopped)
    with pytest.raises(InfrastructureError, match="the searches were stopped"):
        fast_downward.search_each(tmp_path / "d.pddl", tmp_path / "p.pddl", [FF, FF])
