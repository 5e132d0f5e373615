"""What planners found, kept in a folder for many threads and processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pddl2nl.baselines import PlannerResult, Status, TaskTexts
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.planner_cache import KnownResult, PlannerCache, default_planner_cache, result_key

KEY = "0123abcd"


def result(status: Status = "solved") -> PlannerResult:
    return PlannerResult("ff", status, () if status == "solved" else None, None, 3.2, 7, "ff()")


def test_what_was_kept_is_found_by_another_start(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "plans"
    assert PlannerCache(folder).find(KEY) is None
    assert not folder.exists()
    PlannerCache(folder).put(KEY, result())
    PlannerCache(folder).put("other", result("timeout"))
    cache = PlannerCache(folder)
    assert (cache.find(KEY), cache.find("other")) == (KnownResult("solved", 0), KnownResult("timeout"))
    assert cache.find("0123") is None


@pytest.mark.usefixtures("needs_planner")
def test_everything_that_determines_a_result_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {
        result_key(TaskTexts(*texts), planner, seconds, memory)
        for texts in (("d", "p"), ("dp", ""))
        for planner in ("ff", "lama")
        for seconds in (60, 1800)
        for memory in (None, 4096)
    }
    monkeypatch.setattr("pddl2nl.experiments.planner_cache.version", lambda: "Fast Downward 0")
    keys.add(result_key(TaskTexts("d", "p"), "ff", 60, None))
    assert len(keys) == 17


def test_a_failure_of_the_planner_is_not_kept(tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    cache.put(KEY, result("error"))
    assert cache.find(KEY) is None


def test_threads_share_the_folder(tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    threads = [threading.Thread(target=lambda: [cache.put(f"{n}", result()) for n in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path.name for path in cache.folder.iterdir()) == sorted(f"{n}.json" for n in range(20))


def test_processes_make_and_fill_the_folder_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "plans"
    program = (
        "import sys\n"
        "from pddl2nl.baselines import PlannerResult\n"
        "from pddl2nl.experiments.planner_cache import PlannerCache\n"
        "for n in range(3):\n"
        "    found = PlannerResult('ff', 'solved', (), None, 1.0, 7, 's')\n"
        "    PlannerCache(sys.argv[1]).put(f'{sys.argv[2]}-{n}', found)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(folder), str(number)]) for number in range(2)]
    assert [process.wait(timeout=60) for process in running] == [0, 0]
    assert len([*folder.glob("*.json")]) == 6


def test_a_damaged_result_is_named_and_a_folder_that_cannot_be_made_is_infrastructure(tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    cache.put(KEY, result())
    (path,) = (tmp_path / "plans").iterdir()
    path.write_text("{")
    with pytest.raises(InputError, match=rf"{path.name} is no result of a planner: .*; remove it"):
        cache.find(KEY)
    with pytest.raises(InfrastructureError, match="cannot keep a planner's result"):
        PlannerCache(path / "below").put(KEY, result())


def test_the_usual_folder_lies_beside_the_cache_of_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PDDL2NL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_planner_cache() == tmp_path / "pddl2nl" / "plans"
    monkeypatch.setenv("PDDL2NL_CACHE", str(tmp_path / "mine.sqlite"))
    assert default_planner_cache() == tmp_path / "mine-plans"
    assert default_planner_cache(tmp_path / "replies.sqlite") == tmp_path / "plans"
