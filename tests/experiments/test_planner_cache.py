"""What planners found, kept: for which limits it answers, and many threads and processes at one folder."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pddl2nl.baselines import PlannerResult, Status, TaskTexts
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.planner_cache import Known, PlannerCache, default_planner_cache, result_key

KEY = "0123abcd"


def result(status: Status = "solved", seconds: float = 3.2) -> PlannerResult:
    return PlannerResult("ff", status, () if status == "solved" else None, None, seconds, 7, "ff()")


@pytest.mark.parametrize(
    ("known", "yes", "no"),
    [
        (("solved", 3.2, 1800, None), [(4, None), (1800, None), (None, None)], [(3, None), (4, 8000)]),
        # Wall time was more than CPU time: the limit that it was solved under is known to do.
        (("solved", 3.2, 3, 4000), [(3, 4000), (3, None), (9, 8000)], [(2, None), (9, 3000)]),
        (("solved", 3.2, None, None), [(4, None)], [(3, None)]),
        (("timeout", 1800.0, 1800, None), [(1800, None), (1, 10)], [(1801, None), (None, None)]),
        (("timeout", 9.0, 9, 4000), [(9, None), (9, 8000), (9, 100)], [(10, 8000)]),
        (("out-of-memory", 9.0, 30, 4000), [(30, 4000), (9000, 4000), (5, 100)], [(30, 4001), (30, None)]),
        (("unsolvable", 50.0, 60, 4000), [(1, 100), (None, None)], []),
        (("unsupported", 0.1, 60, None), [(1, 100), (None, None)], []),
        (("error", 0.1, 60, None), [], [(60, None), (1, 1)]),
    ],
)
def test_a_result_answers_for_limits_within_which_it_would_be_the_same(
    known: tuple[Status, float, int | None, int | None],
    yes: list[tuple[int | None, int | None]],
    no: list[tuple[int | None, int | None]],
) -> None:
    found = Known(*known)
    assert [limits for limits in yes if not found.answers(*limits)] == []
    assert [limits for limits in no if found.answers(*limits)] == []


def test_what_was_kept_is_found_by_another_start(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "plans"
    assert PlannerCache(path).find(KEY, 60) is None
    assert not path.exists()
    PlannerCache(path).put(KEY, result("timeout", 5.5), 5, None)
    PlannerCache(path).put(KEY, result("solved", 30.5), 60, None)
    cache = PlannerCache(path)
    short, long = cache.find(KEY, 5), cache.find(KEY, 31)
    assert short is not None
    assert long is not None
    assert (short.status, long.status, long.plan_length, long.expanded) == ("timeout", "solved", 0, 7)
    # Between the two, nobody knows.
    assert cache.find(KEY, 20) is None
    assert cache.find("0123", 31) is None


@pytest.mark.usefixtures("needs_planner")
def test_everything_but_limits_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {result_key(TaskTexts(*texts), planner) for texts in (("d", "p"), ("dp", "")) for planner in ("ff", "lama")}
    monkeypatch.setattr("pddl2nl.experiments.planner_cache.version", lambda: "Fast Downward 0")
    keys.add(result_key(TaskTexts("d", "p"), "ff"))
    assert len(keys) == 5


def test_a_failure_of_the_planner_is_not_kept(tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    cache.put(KEY, result("error"), 60, None)
    assert cache.find(KEY, 60) is None


def test_threads_share_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "plans"

    def work(number: int) -> None:
        for problem in range(4):
            PlannerCache(path).put(f"{number}-{problem}", result(), 60, None)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache = PlannerCache(path)
    assert all(cache.find(f"{n}-{p}", 60) for n in range(4) for p in range(4))


def test_processes_make_and_fill_the_folder_at_once(tmp_path: Path) -> None:
    path = tmp_path / "plans"
    program = (
        "import sys\n"
        "from pddl2nl.baselines import PlannerResult\n"
        "from pddl2nl.experiments.planner_cache import PlannerCache\n"
        "for n in range(3):\n"
        "    found = PlannerResult('ff', 'solved', (), None, 1.0, 7, 's')\n"
        "    PlannerCache(sys.argv[1]).put(f'{sys.argv[2]}-{n}', found, 60, None)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(path), str(number)]) for number in range(2)]
    assert [process.wait(timeout=60) for process in running] == [0, 0]
    assert len([*path.glob("*.json")]) == 6


def test_a_damaged_result_is_named_and_a_folder_that_cannot_be_made_is_infrastructure(tmp_path: Path) -> None:
    cache = PlannerCache(tmp_path / "plans")
    cache.put(KEY, result(), 60, None)
    (path,) = (tmp_path / "plans").iterdir()
    path.write_text("{")
    with pytest.raises(InputError, match=rf"{path.name} is no result of a planner: .*; remove it"):
        cache.find(KEY, 60)
    with pytest.raises(InfrastructureError, match="cannot keep a planner's result"):
        PlannerCache(path / "below").put(KEY, result(), 60, None)


def test_the_usual_folder_lies_beside_the_cache_of_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PDDL2NL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_planner_cache() == tmp_path / "pddl2nl" / "plans"
    monkeypatch.setenv("PDDL2NL_CACHE", str(tmp_path / "mine.sqlite"))
    assert default_planner_cache() == tmp_path / "mine-plans"
    assert default_planner_cache(tmp_path / "replies.sqlite") == tmp_path / "plans"
