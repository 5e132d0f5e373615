"""Pairing domains and problems: every layout that benchmark collections have, and what belongs to no task."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.files import natural
from pddl2nl.tasks.suites import Collection, find_suites


def domain(name: str = "lamps") -> str:
    return f"(define (domain {name}) (:predicates (lit ?x)) (:action on :parameters (?x) :effect (lit ?x)))\n"


def problem(of: str = "lamps") -> str:
    return f"(define (problem some) (:domain {of}) (:objects a) (:init) (:goal (lit a)))\n"


def lay_out(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def files(*names: str, of: str = "lamps") -> dict[str, str]:
    """Domains where ``domain`` is in a file's name, and problems elsewhere."""
    return {name: domain(of) if "dom" in name.rpartition("/")[2].lower() else problem(of) for name in names}


LAYOUTS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "shared": (files("domain.pddl", "p10.pddl", "p2.pddl"), {"root: p2": "domain.pddl", "root: p10": "domain.pddl"}),
    **{
        f"a domain a task, {first}": (
            files(first.format("01"), first.format("02"), second.format("01"), second.format("02")),
            {f"root: {Path(second.format(n)).stem}": first.format(n) for n in ("01", "02")},
        )
        for first, second in (
            ("domain_p{}.pddl", "p{}.pddl"),
            ("p{}-domain.pddl", "p{}.pddl"),
            ("domain-p{}.pddl", "p{}.pddl"),
            ("p{}_domain.pddl", "p{}.pddl"),
            ("p{}domain.pddl", "p{}.pddl"),
            ("domain{}.pddl", "problem{}.pddl"),
            ("domain{}.pddl", "p{}.pddl"),
            ("domain-{}.pddl", "instance-{}.pddl"),
            ("{}-domain.pddl", "{}-problem.pddl"),
            ("domain_pfile{}.pddl", "pfile{}.pddl"),
            ("p{}-domain.pddl", "p{}-problem.pddl"),
            ("p{}-domain.PDDL", "p{}-problem.PDDL"),
            ("domain{}", "pfile{}"),
            ("p{}-domain.pddl", "p{}-airport1-p1.pddl"),
            ("p{}-domain.pddl", "p{}-s2-n1-l2-f50.pddl"),
            ("domain_instance-{}.pddl", "instance-{}.pddl"),
            ("task{}-domain.pddl", "task{}.pddl"),
        )
    },
    "numbers with and without zeros": (
        files("domain-1.pddl", "domain-2.pddl", "p01.pddl", "p02.pddl"),
        {"root: p01": "domain-1.pddl", "root: p02": "domain-2.pddl"},
    ),
    "one task has its own": (
        files("domain.pddl", "domain_p05.pddl", "p04.pddl", "p05.pddl"),
        {"root: p04": "domain.pddl", "root: p05": "domain_p05.pddl"},
    ),
    "many begin alike": (
        files("p1-domain.pddl", "p11-domain.pddl", "p1-a.pddl", "p11-a.pddl"),
        {"root: p1-a": "p1-domain.pddl", "root: p11-a": "p11-domain.pddl"},
    ),
    "instances below": (
        files("domain.pddl", "instances/instance-1.pddl", "instances/instance-2.pddl"),
        {"root: instance-1": "domain.pddl", "root: instance-2": "domain.pddl"},
    ),
    "domains and instances": (
        files(
            "domains/domain-1.pddl", "domains/domain-2.pddl", "instances/instance-1.pddl", "instances/instance-2.pddl"
        ),
        {"root: instance-1": "domains/domain-1.pddl", "root: instance-2": "domains/domain-2.pddl"},
    ),
    "one domain in a folder of its own": (
        files("domain/domain.pddl", "problems/prob01.pddl"),
        {"root: prob01": "domain/domain.pddl"},
    ),
    "PlanBench": (
        files(
            "blocks/generated_domain.pddl",
            "blocks/generated_basic/instance-1.pddl",
            "blocks/mystery/generated_domain.pddl",
            "blocks/mystery/generated_basic/instance-1.pddl",
        ),
        {
            "blocks: instance-1": "blocks/generated_domain.pddl",
            "blocks/mystery: instance-1": "blocks/mystery/generated_domain.pddl",
        },
    ),
    "learning track": (
        files("ferry/domain.pddl", "ferry/training/easy/p01.pddl", "ferry/testing/hard/p01.pddl"),
        {"ferry: testing/hard/p01": "ferry/domain.pddl", "ferry: training/easy/p01": "ferry/domain.pddl"},
    ),
    "suites side by side, in several depths": (
        files("ipc/98/grid/domain.pddl", "ipc/98/grid/prob01.pddl", "ipc/00/domain.pddl", "ipc/00/p-4-0.pddl"),
        {"00: p-4-0": "ipc/00/domain.pddl", "98/grid: prob01": "ipc/98/grid/domain.pddl"},
    ),
    "a folder a task": (
        files("grid/p01/domain.pddl", "grid/p01/problem.pddl", "grid/p02/domain.pddl", "grid/p02/problem.pddl"),
        {"grid: p01": "grid/p01/domain.pddl", "grid: p02": "grid/p02/domain.pddl"},
    ),
    "one task in a folder, and another suite": (
        files("grid/t-3-4/domain.pddl", "grid/t-3-4/problem.pddl", "ferry/domain.pddl", "ferry/p1.pddl"),
        {"ferry: p1": "ferry/domain.pddl", "grid: t-3-4": "grid/t-3-4/domain.pddl"},
    ),
    "a folder a domain, with one task": (
        {
            **files("grid/domain.pddl", "grid/problem.pddl", of="grid"),
            **files("ferry/domain.pddl", "ferry/problem.pddl", of="ferry"),
        },
        {"ferry: problem": "ferry/domain.pddl", "grid: problem": "grid/domain.pddl"},
    ),
    "domains in one folder, problems in folders of their names": (
        {
            "blocks.pddl": domain("b"),
            "blocks_ops.pddl": domain("b"),
            "ferry.pddl": domain("f"),
            "blocks/problem0.pddl": problem("b"),
            "blocks_test/problem0.pddl": problem("b"),
            "blocks_ops/problem0.pddl": problem("b"),
            "blocks_ops_test/problem0.pddl": problem("b"),
            "ferry/problem0.pddl": problem("f"),
        },
        {
            "blocks: blocks/problem0": "blocks.pddl",
            "blocks: blocks_test/problem0": "blocks.pddl",
            "blocks_ops: blocks_ops/problem0": "blocks_ops.pddl",
            "blocks_ops: blocks_ops_test/problem0": "blocks_ops.pddl",
            "ferry: problem0": "ferry.pddl",
        },
    ),
    "two trees of the same folders": (
        {
            **files("domains/grid/domain.pddl", "instances/grid/p01.pddl", of="grid"),
            **files("domains/ferry/domain.pddl", "instances/ferry/p01.pddl", of="ferry"),
        },
        {"ferry: p01": "domains/ferry/domain.pddl", "grid: p01": "domains/grid/domain.pddl"},
    ),
    "two trees, the domains called alike": (
        files("domains/a/domain.pddl", "problems/a/p01.pddl", "domains/b/domain.pddl", "problems/b/p01.pddl"),
        {"a: p01": "domains/a/domain.pddl", "b: p01": "domains/b/domain.pddl"},
    ),
    "all in one folder, by domain's name": (
        {
            "one.pddl": domain("grid"),
            "two.pddl": domain("ferry"),
            "x.pddl": problem("ferry"),
            "y.pddl": problem("grid"),
        },
        {"one: y": "one.pddl", "two: x": "two.pddl"},
    ),
    "all in one folder, by file's name": (
        files("gripper-domain.pddl", "ferry-domain.pddl", "gripper-p01.pddl", "p1-ferry.pddl", "ferry2.pddl"),
        {
            "root: ferry2": "ferry-domain.pddl",
            "root: gripper-p01": "gripper-domain.pddl",
            "root: p1-ferry": "ferry-domain.pddl",
        },
    ),
    "the domain has another name": (
        {"domain.pddl": domain("grid"), "p01.pddl": problem("ferry")},
        {"root: p01": "domain.pddl?"},
    ),
    "two domains that fit": (files("domain.pddl", "domain-macros.pddl", "p01.pddl"), {"root: p01": "domain.pddl?"}),
    "two domains, neither with the usual name": (
        {"a.pddl": domain(), "b.pddl": domain(), "p01.pddl": problem()},
        {"root: p01": "a.pddl?"},
    ),
    "two domains of which one is named": (
        {"domain.pddl": domain("other"), "domain-strips.pddl": domain(), "p01.pddl": problem()},
        {"root: p01": "domain-strips.pddl"},
    ),
    "a number that may mean a version": (
        files("domain.pddl", "domain2.pddl", "p01.pddl", "p02.pddl"),
        {"root: p01": "domain.pddl", "root: p02": "domain2.pddl?"},
    ),
    "numbers of domains and numbers of problems": (
        {
            "domain1.pddl": domain("a"),
            "domain2.pddl": domain("b"),
            **{f"p{n}.pddl": problem("a" if n < 4 else "b") for n in range(1, 7)},
        },
        {f"root: p{n}": f"domain{1 if n < 4 else 2}.pddl" for n in range(1, 7)},
    ),
    "the only domain is another problem's by its name": (
        files("p01-domain.pddl", "p01.pddl", "p02.pddl"),
        {"root: p01": "p01-domain.pddl", "root: p02": "p01-domain.pddl?"},
    ),
    "version numbers": (
        {"domain-v1.pddl": domain("a"), "domain-v2.pddl": domain("b"), "p01.pddl": problem("b")},
        {"root: p01": "domain-v2.pddl"},
    ),
}


# ── what is found ─────────────────────────────────────────────────────────────────────────────────


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
