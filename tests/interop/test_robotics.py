"""Plans for robots: PlanSys2's plan text, and behavior trees, which a small interpreter runs against the simulator."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from pddl2nl.cli.app import main
from pddl2nl.errors import InputError
from pddl2nl.interop.robotics import InvalidPlanError, behavior_tree, plansys2_plan
from pddl2nl.pddl import Task, parse_task
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.tasks import shipped_task
from pddlval import GroundAction, Simulator, State, validate

PLAN = "(unstack c b) (put-down c) (unstack b a) (stack b c)"
DRIVE = """(define (domain d) (:requirements :durative-actions) (:predicates (at ?x) (road ?x ?y) (lit))
  (:durative-action drive :parameters (?from ?to) :duration (= ?duration 2.5)
   :condition (and (at start (at ?from)) (over all (road ?from ?to)) (at end (lit)))
   :effect (and (at start (not (at ?from))) (at end (at ?to)))))"""
TRIP = "(define (problem p) (:domain d) (:objects a b) (:init (at a) (road a b) (lit)) (:goal (at b)))"


def plansys2_item(line: str) -> tuple[float, str, float]:
    """The item that PlanSys2 makes of a line: its terminal looks for four characters (Terminal.cpp, parse_plan)."""
    colon, opening, closing, bracket = (line.index(character) for character in ":()[")
    return float(line[:colon]), line[opening : closing + 1], float(line[bracket + 1 : -1])


def verified(xml: str) -> ElementTree.Element:
    """The tree, if BehaviorTree.CPP would accept its form (xml_parsing.cpp, VerifyXML)."""
    root = ElementTree.fromstring(xml.encode())
    [tree] = root.findall("BehaviorTree")
    declared = {node.get("ID"): {port.get("name") for port in node} for node in root.iterfind("TreeNodesModel/*")}
    assert tree.get("ID") == root.get("main_tree_to_execute")
    assert tree.get("ID") not in declared
    assert len(tree) == 1
    for node in tree[0].iter():
        if node.tag in ("Sequence", "ReactiveSequence", "Parallel"):
            assert len(node) > 0, node.attrib
        elif node.tag in ("RetryUntilSuccessful", "Delay"):
            assert len(node) == 1
        else:
            assert len(node) == 0
            assert node.tag in ("Sleep", "AlwaysSuccess") or set(node.keys()) - {"ID"} == declared[node.get("ID")]
    return tree[0]


class Robot:
    """Runs a tree as BehaviorTree.CPP does, in the simulator; ``failed`` is the first node that failed."""

    def __init__(self, task: Task, state: State | None = None):
        self.simulator = Simulator(task)
        self.state = state or self.simulator.initial
        self.failed = ""

    def run(self, xml: str) -> bool:
        return self.tick(verified(xml))

    def tick(self, node: ElementTree.Element) -> bool:
        if node.tag in ("Sequence", "ReactiveSequence"):
            return all(map(self.tick, node))
        if node.tag == "Condition":
            held = self.state.layout.holds(parse_condition(node.get("condition", "")), self.state)
        else:
            assert node.tag == "Action"
            name, *args = node.attrib.values()
            after = self.simulator.step(self.state, GroundAction(name, tuple(args))).successor
            held, self.state = after is not None, after or self.state
        self.failed = self.failed or ("" if held else str(node.get("condition", node.get("ID"))))
        return held


def test_plansys2_reads_its_lines() -> None:
    text = plansys2_plan(shipped_task("blocksworld", "p01"), PLAN)
    assert [plansys2_item(line) for line in text.splitlines()] == [
        (0, "(unstack c b)", 0),
        (1, "(put-down c)", 0),
        (2, "(unstack b a)", 0),
        (3, "(stack b c)", 0),
    ]


def test_plansys2_keeps_times_and_durations_and_the_text_is_a_valid_plan() -> None:
    task = parse_task(DRIVE, TRIP)
    text = plansys2_plan(task, "0.25: (drive a b) [2.5]")
    assert text == "0.250: (drive a b)  [2.500]\n"
    assert validate(task, text).valid


def test_a_tree_that_is_run_reaches_the_goal() -> None:
    task = shipped_task("blocksworld", "p01")
    robot = Robot(task)
    assert robot.run(behavior_tree(task, PLAN))
    assert robot.simulator.is_goal(robot.state)


def test_a_tree_fails_at_the_condition_that_does_not_hold() -> None:
    task = shipped_task("blocksworld", "p01")
    simulator = Simulator(task)
    without = simulator.state(atom for atom in simulator.initial.atoms if atom != ("clear", "c"))
    robot = Robot(task, without)
    assert not robot.run(behavior_tree(task, PLAN))
    assert robot.failed == "(clear c)"


def test_the_tree_of_a_plan_with_time() -> None:
    parallel = verified(behavior_tree(parse_task(DRIVE, TRIP), "1.5: (drive a b) [2.5]")).find("Parallel")
    assert [(node.tag, dict(node.items())) for node in parallel[0].iter() if node is not parallel[0]] == [
        ("Sleep", {"msec": "1500"}),
        ("RetryUntilSuccessful", {"num_attempts": "-1"}),
        ("Delay", {"delay_msec": "20"}),
        ("Sequence", {}),
        ("Condition", {"ID": "Holds", "condition": "(at a)"}),
        ("ReactiveSequence", {}),
        ("Condition", {"ID": "Holds", "condition": "(road a b)"}),
        ("Action", {"ID": "drive", "from": "a", "to": "b", "duration": "2.500"}),
        ("Condition", {"ID": "Holds", "condition": "(lit)"}),
    ]


def test_a_duration_that_a_planner_has_rounded_is_exported_with_a_tolerance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("domain.pddl", DRIVE), ("problem.pddl", TRIP), ("plan.txt", "0: (drive a b) [2.504]")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    arguments = ["export", "plansys2", *(str(tmp_path / name) for name in ("domain.pddl", "problem.pddl", "plan.txt"))]
    assert main(arguments) == 1
    assert "it does with a tolerance of times (-t) of more than 0.004" in capsys.readouterr().err
    assert main([*arguments, "-t", "0.01"]) == 0
    assert capsys.readouterr().out == "0.000: (drive a b)  [2.504]\n"


def test_nothing_to_check_leaves_no_empty_node() -> None:
    domain = """(define (domain d) (:requirements :durative-actions) (:predicates (p))
      (:durative-action wait :parameters () :duration (= ?duration 1) :condition () :effect (at end (p))))"""
    task = parse_task(domain, "(define (problem p) (:domain d) (:init) (:goal (and)))")
    assert [node.tag for node in verified(behavior_tree(task, "")).iter()] == ["Sequence", "AlwaysSuccess"]
    waiting = ["Sequence", "Parallel", "Sequence", "Sleep", "ReactiveSequence", "Action"]
    assert [node.tag for node in verified(behavior_tree(task, "0: (wait) [1]")).iter()] == waiting


@pytest.mark.parametrize("name", ["root", "move.fast", "up/down"])
def test_actions_whose_names_no_node_can_have_are_refused(name: str) -> None:
    domain = f"(define (domain d) (:predicates (p)) (:action {name} :effect (p)) (:action go :effect (p)))"
    task = parse_task(domain, "(define (problem p) (:domain d) (:init) (:goal (p)))")
    with pytest.raises(InputError, match="allows no node with the name of the action"):
        behavior_tree(task, f"({name})")
    verified(behavior_tree(task, "(go)"))


def test_an_invalid_plan_is_not_exported() -> None:
    with pytest.raises(InvalidPlanError, match=r"in step 1, \(put-down c\), \(holding c\) does not hold"):
        plansys2_plan(shipped_task("blocksworld", "p01"), "(put-down c)")


@pytest.mark.parametrize("name", ["{key}", "a[0]"])
def test_names_that_the_formats_would_read_as_something_else_are_refused(name: str) -> None:
    domain = "(define (domain d) (:predicates (on ?x)) (:action go :parameters (?x) :effect (on ?x)))"
    task = parse_task(domain, f"(define (problem p) (:domain d) (:objects {name}) (:init) (:goal (on {name})))")
    for export in (plansys2_plan, behavior_tree):
        with pytest.raises(InputError, match="cannot hold the character"):
            export(task, f"(go {name})")


def test_the_command_writes_a_file_or_says_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text(PLAN, encoding="utf-8")
    arguments = ["blocksworld", "p01", str(plan)]
    assert main(["export", "behavior-tree", *arguments, "--out", str(tmp_path / "tree.xml")]) == 0
    assert Robot(shipped_task("blocksworld", "p01")).run((tmp_path / "tree.xml").read_text(encoding="utf-8"))
    plan.write_text("(unstack c b)", encoding="utf-8")
    assert main(["export", "plansys2", *arguments]) == 1
    output = capsys.readouterr()
    assert (output.out, output.err) == (
        "",
        "error: the plan is not exported, since it does not solve the task: in the end (on b c) does not hold\n",
    )
