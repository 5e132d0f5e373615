"""Pairing domains and problems: every layout that benchmark collections have, and what belongs to no task."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.suites import Collection, find_suites, natural
from tests.tasks.layouts import LAYOUTS, domain, files, lay_out, problem


def told(found: Collection) -> dict[str, str]:
    """``suite: task`` to the domain's path from the root, with a question mark where it is a guess."""
    assert all(task.domain.is_file() and task.problem.is_file() for task in found.tasks)
    return {
        f"{task.suite}: {task.name}": f"{task.domain.relative_to(found.root).as_posix()}{'?' * task.guess}"
        for task in found.tasks
    }


@pytest.mark.parametrize(("laid", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout(laid: dict[str, str], expected: dict[str, str], tmp_path: Path) -> None:
    root = lay_out(tmp_path / "root", laid)
    found = find_suites(root)
    assert told(found) == expected
    used = {task.domain for task in found.tasks} | {task.problem for task in found.tasks}
    # Every file is in a task or among what is left over.
    assert {root / name for name in laid} == used | {root / each.file for each in found.left_over}


def test_tasks_and_suites_are_in_natural_order(tmp_path: Path) -> None:
    root = lay_out(
        tmp_path,
        files(*(f"s{n}/domain.pddl" for n in (10, 9)), *(f"s{n}/p{m}.pddl" for n in (10, 9) for m in (10, 1, 2))),
    )
    assert [(task.suite, task.name) for task in find_suites(root).tasks] == [
        (suite, name) for suite in ("s9", "s10") for name in ("p1", "p2", "p10")
    ]
    assert sorted(["p10", "P2", "p02", "p1"], key=natural) == ["p1", "p02", "P2", "p10"]


def test_what_is_no_task_is_listed_with_its_reason(tmp_path: Path) -> None:
    root = lay_out(
        tmp_path,
        {
            **files("domain.pddl", "p01.pddl", "other/domain.pddl"),
            "p02.pddl": problem()[:60],
            "p03.pddl": "",
            "p04.pddl": "(:action on)",
            "p05.pddl~": problem(),
            "p06.pddl": domain() + problem(),
            "p07.pddl": "(define (situation x) (:domain lamps))",
            "README.md": "Such as (define (problem x) (:domain lamps))",
            "p01.soln": "(on a)",
            "info.json": "{}",
            ".git/config": "",
        },
    )
    (root / "p08.pddl").write_bytes(problem().encode("utf-16"))
    found = find_suites(root)
    assert [task.name for task in found.tasks] == ["p01"]
    reasons = {each.file: each.reason for each in found.left_over}
    for file, reason in {
        "other/domain.pddl": "no problem goes with",
        "p02.pddl": "never closed",
        "p03.pddl": "empty",
        "p04.pddl": "neither a domain nor a problem",
        "p05.pddl~": "a copy",
        "p06.pddl": "a domain and a problem in one file",
        "p07.pddl": "defines a 'situation'",
        "p08.pddl": "UTF-16",
        "README.md": "neither",
        "p01.soln": "neither",
        "info.json": "neither",
        ".git": "hidden",
    }.items():
        assert reason in reasons.pop(file)
    assert not reasons


def test_content_decides_and_not_the_name(tmp_path: Path) -> None:
    root = tmp_path / "root"
    lay_out(root, {"problem.pddl": domain(), "domain.pddl": problem(), "p1": problem()})
    (root / "latin.pddl").write_bytes(b"; caf\xe9\n" + b"; much to say\n" * 2000 + problem().upper().encode())
    (root / "bom.txt").write_bytes(b"\xef\xbb\xbf; (define (domain no))\n" + problem().encode())
    found = find_suites(root)
    assert {task.name for task in found.tasks} == {"domain", "p1", "latin", "bom"}
    assert {task.domain.name for task in found.tasks} == {"problem.pddl"}


def test_a_domain_of_other_problems_is_no_guess(tmp_path: Path) -> None:
    root = lay_out(tmp_path, files("p01-domain.pddl", "p02-domain.pddl", "p01.pddl", "p02.pddl", "p03.pddl"))
    found = find_suites(root)
    assert [task.name for task in found.tasks] == ["p01", "p02"]
    [left] = found.left_over
    assert left.file == "p03.pddl"
    assert "belong to other problems" in left.reason


def test_a_problem_of_another_domain_nearby_is_left_over(tmp_path: Path) -> None:
    root = lay_out(
        tmp_path, {**files("a/domain.pddl", "a/p1.pddl"), "b/dom.pddl": domain("b"), "c/p1.pddl": problem("c")}
    )
    found = find_suites(root)
    assert told(found) == {"a: p1": "a/domain.pddl"}
    assert {each.file for each in found.left_over} == {"b/dom.pddl", "c/p1.pddl"}
    assert "(:domain c)" in found.left_over[1].reason


def test_the_domain_may_stand_above_the_folder(tmp_path: Path) -> None:
    root = lay_out(tmp_path, files("domain.pddl", "instances/p1.pddl")) / "instances"
    [task] = find_suites(root).tasks
    assert (task.suite, task.name, task.guess) == ("instances", "p1", False)
    assert task.domain.resolve() == (tmp_path / "domain.pddl").resolve()


def test_links_in_circles_and_to_nowhere(tmp_path: Path) -> None:
    root = lay_out(tmp_path / "root", files("a/domain.pddl", "a/p1.pddl"))
    (root / "a" / "again").symlink_to(root)
    (root / "b").symlink_to(root / "a")
    (root / "a" / "gone.pddl").symlink_to(root / "nowhere")
    lay_out(tmp_path / "far", files("domain.pddl", "p1.pddl"))
    (root / "c").symlink_to(tmp_path / "far")
    found = find_suites(root)
    assert told(found) == {"a: p1": "a/domain.pddl", "c: p1": "c/domain.pddl"}
    reasons = {each.file: each.reason for each in found.left_over}
    assert "looked at already" in reasons["a/again"]
    assert "looked at already" in reasons["b"]
    assert "leads nowhere" in reasons["a/gone.pddl"]


def test_what_cannot_be_read_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = lay_out(tmp_path, files("domain.pddl", "p1.pddl", "p2.pddl", "deep/p3.pddl"))
    opened, scanned = Path.open, os.scandir

    # Whoever is root may read everything, so that taking rights away would show nothing.
    def refuse(path: Path, *arguments: Any) -> Any:
        if path.name == "p2.pddl":
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments)

    def refuse_folder(path: Path) -> Any:
        if path.name == "deep":
            raise PermissionError(13, "Permission denied")
        return scanned(path)

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr("pddl2nl.tasks.suites.os.scandir", refuse_folder)
    reasons = {each.file: each.reason for each in find_suites(root).left_over}
    assert reasons.keys() == {"deep", "p2.pddl"}
    assert all("Permission denied" in reason for reason in reasons.values())


@pytest.mark.parametrize(
    ("laid", "message"),
    [
        ({}, "the folder is empty"),
        ({"README": "hello"}, "no task in it: 0 domains and 0 problems.*\n.*README: neither"),
        (files("domain.pddl"), "no task in it: 1 domains.*\n.*no problem goes with"),
        ({"p1.pddl": problem()}, "no task in it.*\n.*p1.pddl: a problem without a domain"),
        ({f"{n}.txt": "x" for n in range(9)}, "and 4 more"),
    ],
)
def test_a_folder_without_tasks_is_an_error(laid: dict[str, str], message: str, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    with pytest.raises(InputError, match=f"(?s){message}"):
        find_suites(lay_out(tmp_path / "root", laid))


# ── real folders ─────────────────────────────────────────────────────────────────────────────────


def test_real_folders(shared: Path) -> None:
    counts = {
        name: (len(found.suites), len(found.tasks), sum(task.guess for task in found.tasks))
        for name in ("autoplanbench", "planbench", "ipc", "numeric", "speed")
        for found in [find_suites(shared / name)]
    }
    assert counts == {
        "autoplanbench": (12, 72, 0),
        "planbench": (3, 1491, 0),
        "ipc": (44, 83, 0),
        # Two problems say that they belong to a domain that is called otherwise.
        "numeric": (14, 25, 2),
        "speed": (15, 15, 0),
    }


def test_the_tasks_of_the_ipc_are_called_as_in_its_collection(shared: Path) -> None:
    listed = (shared / "ipc" / "INDEX.md").read_text(encoding="utf-8").partition("Tasks here:\n")[2].split()
    found = {f"{task.suite}/{task.name}" for task in find_suites(shared / "ipc").tasks}
    assert found == {task for task in listed if "/" in task}
