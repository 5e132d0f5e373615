"""Folders laid out as benchmark collections are, and how their files belong together."""

from __future__ import annotations

from pathlib import Path


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
