"""Faults: their language, its errors, what they are checked against, and worlds that have them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.pddl import GroundAtom, Task, write_number
from pddl2nl.worlds.executor import FaultyExecutor
from pddl2nl.worlds.faults import (
    Failure,
    FaultFact,
    Faults,
    Pattern,
    WorldChange,
    check_faults,
    parse_faults,
    read_faults,
)
from pddlval import BadActionError, GroundAction, Simulator, State
from tests.worlds.conftest import action


def fact(*atom: str, positive: bool = True, value: Fraction | None = None) -> FaultFact:
    return FaultFact(GroundAtom(atom), positive, value)


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("fail (take egg-1 fridge-1)", Failure(Pattern(("take", "egg-1", "fridge-1")))),
        ("FAIL (Take EGG-1 *) twice", Failure(Pattern(("take", "egg-1", "*")), (), 2)),
        ("fail (take *) 3 times", Failure(Pattern(("take", "*")), (), 3)),
        ("fail (take *) always", Failure(Pattern(("take", "*")), (), None)),
        ("fail (take *) at 7", Failure(Pattern(("take", "*")), (7,), None)),
        ("fail at step 3, 7, 3", Failure(None, (3, 7), None)),
        ("fail (*) at 3 once", Failure(Pattern(("*",)), (3,), 1)),
        ("fail 10%", Failure(None, (), None, Fraction(1, 10))),
        ("fail 1/3% twice", Failure(None, (), 2, Fraction(1, 300))),
        ("fail 2.5% (take *) once", Failure(Pattern(("take", "*")), (), 1, Fraction(1, 40))),
        (
            'refuse (take EGG-1 *) "The egg; it is  stuck # fast"',
            Failure(Pattern(("take", "egg-1", "*")), (), None, kind="refuse", report="The egg; it is stuck # fast"),
        ),
        ('refuse 10% "slippery" twice', Failure(None, (), 2, Fraction(1, 10), kind="refuse", report="slippery")),
        ('refuse (take *) "no" at 3', Failure(Pattern(("take", "*")), (3,), None, kind="refuse", report="no")),
        ("break (take egg-1 *)", Failure(Pattern(("take", "egg-1", "*")), (), 1, kind="break")),
        ("break (take *) always", Failure(Pattern(("take", "*")), (), None, kind="break")),
    ],
)
def test_failures(text: str, failure: Failure) -> None:
    found = parse_faults(text)
    assert found == Faults((failure,))
    assert parse_faults(found.text) == found


@pytest.mark.parametrize(
    ("text", "change"),
    [
        (
            "move (in-it egg-1 fridge-1) -> (on-top-of egg-1 pan-1) before 5",
            WorldChange(5, False, (fact("on-top-of", "egg-1", "pan-1"),), (fact("in-it", "egg-1", "fridge-1"),)),
        ),
        (
            "move egg-1: (in-it egg-1 fridge-1) to (held egg-1)(not (hand-empty)) after step 2",
            WorldChange(
                2,
                True,
                (fact("held", "egg-1"), fact("hand-empty", positive=False)),
                (fact("in-it", "egg-1", "fridge-1"),),
            ),
        ),
        ("initially (dirty pan-1)", WorldChange(1, False, (fact("dirty", "pan-1"),))),
        ("set (dirty pan-1) before 1", WorldChange(1, False, (fact("dirty", "pan-1"),))),
        ("set (= (heat pan-1) -1/3) after 2", WorldChange(2, True, (fact("heat", "pan-1", value=Fraction(-1, 3)),))),
    ],
)
def test_changes(text: str, change: WorldChange) -> None:
    found = parse_faults(text)
    assert found == Faults((), (change,))
    assert parse_faults(found.text) == found


@pytest.mark.parametrize(
    ("pattern", "action", "meant"),
    [
        ("(take egg-1 fridge-1)", "(take egg-1 fridge-1)", True),
        ("(take *)", "(take egg-1 fridge-1)", True),
        ("(take *)", "(take)", True),
        ("(take *)", "(take-it egg-1)", False),
        ("(take * fridge-1)", "(take egg-1 fridge-1)", True),
        ("(take egg-* *)", "(take egg-2 fridge-1)", True),
        ("(take egg-*)", "(take egg-2 fridge-1)", False),
        ("(*)", "(open-it fridge-1)", True),
        ("(* fridge-1)", "(open-it fridge-1)", True),
        ("(*-it *)", "(open-it fridge-1)", True),
        ("(t.ke *)", "(take egg-1 fridge-1)", False),
    ],
)
def test_patterns(pattern: str, action: str, meant: bool) -> None:
    found = parse_faults(f"fail {pattern}").failures[0].pattern
    assert found is not None
    assert found.matches(GroundAction.parse(action)) is meant


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("fail", 5, "which action?"),
        ("refuse (take)", 14, 'what the world reports, "the egg is stuck"'),
        ('refuse (take) " "', 15, "an empty report"),
        ('refuse (take) "open', 15, "what the world reports"),
        ('fail (take) "it is stuck"', 13, "';' or the end of the line"),
        ("fail (take egg-1", 17, "expected: ')'"),
        ("fail (take) 3", 14, "a number of what?"),
        ("fail (take) never", 13, "once, twice, 3 times"),
        ("fail 200%", 6, "from 0% to 100%"),
        ("fail 1/0%", 6, "no probability"),
        ("fail () at 3", 7, "a name"),
        ("fail at 0", 9, "the number of an action, from 1"),
        ("fail at 99999999", 9, "no such number"),
        ("set (dirty pan-1)", 18, "before 5, or after 5"),
        ("set before 3", 5, "found 'before'"),
        ("set (dirty *) before 3", 12, "a name without '*'"),
        ("set (= (heat pan-1) x) before 3", 21, "'x' is no number"),
        ("set (= (heat pan-1) 1/0) before 3", 21, "is no number"),
        ("move (a b) before 3", 12, "whereto?"),
        ("move (not (a b)) -> (c) before 3", 6, "what moves is an atom"),
        ("move cup: (a b) -> (c) before 3", 6, "stands in none of these facts"),
        ("seed x", 6, "a number"),
        ("fail 10%, 20%", 9, "found ','"),
        ("fail 10% fail 20%", 10, "once, twice"),
        ("seed 1; stop", 9, "begins no statement"),
        ("seed 1; sett (a) after 1", 9, "did you mean: set?"),
    ],
)
def test_errors_show_the_place(text: str, column: int, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_faults(text)
    message = str(caught.value)
    assert message.startswith(f"faults:1:{column}: error: ")
    assert f"\n    {text}\n    {' ' * (column - 1)}^" in message
    assert said in message


@given(st.text(alphabet='fail refuse break move set initially seed()->%;:,#=*1"\n', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_faults(text)
    except InputError:
        return
    assert parse_faults(found.text) == found


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "faults.txt"
    file.write_text("fail (take *)\n", encoding="utf-8")
    assert read_faults(str(file)) == read_faults("fail (take *)") == parse_faults("fail (take *)")
    file.write_text("fail\nmove\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"faults\.txt:1:5: error: which action\?"):
        read_faults(str(file))
    with pytest.raises(InputError, match=r"none\.txt: no such file; expected faults or a file with some"):
        read_faults(str(tmp_path / "none.txt"))
    with pytest.raises(InputError, match="a directory, where a file with faults was expected"):
        read_faults(str(tmp_path))
    with pytest.raises(InputError, match="did you mean: fail"):
        read_faults("fial (take egg-1 fridge-1)")
    file.write_bytes(b"\xff\xfe fail")
    with pytest.raises(InputError, match="not UTF-8"):
        read_faults(str(file))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fail (tak egg-1 fridge-1)", "did you mean: take?"),
        ('refuse (tak egg-1 fridge-1) "no"', "did you mean: take?"),
        ("fail (take egg-7 fridge-1)", "'egg-7' is no object of the task"),
        ("fail (take egg-1)", "'take' takes 2 arguments, found 1"),
        ("fail (open-it fridge-1 shelf-1 *)", "'open-it' takes 1 argument, found 3"),
        ("set (drity pan-1) before 2", "did you mean: dirty?"),
        ("set (dirty pan-1 egg-1) before 2", "'dirty' takes 1 argument, found 2"),
        ("set (dirty egg-1) before 2", "argument 1, 'egg-1', is of type egg, expected pan"),
        ("initially (sliceable egg-1)", "no action changes 'sliceable'"),
        ("set (= (het pan-1) 1) before 2", "did you mean: heat?"),
    ],
)
def test_faults_are_checked_against_the_task(task: Task, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        check_faults(parse_faults(text), task)
    assert said in str(caught.value)
    assert "^" in str(caught.value)


# ── executors ─────────────────────────────────────────────────────────────────────────────────────


PLAN = ("(open-it fridge-1)", "(take egg-1 fridge-1)", "(put-on egg-1 pan-1)")


def texts(state: State) -> set[str]:
    """What is so in a state, but for the costs, which an action that fails does not add."""
    values = (f"(= {fluent} {write_number(value)})" for fluent, value in state.values.items() if len(fluent) > 1)
    return {*map(str, state.atoms), *values}


def run(simulator: Simulator, faults: str, *plan: str, seed: int = 1) -> tuple[list[tuple[str, ...]], FaultyExecutor]:
    """What was missing and surplus after each action, all carried out one after the other in the faulty world."""
    executor = FaultyExecutor(simulator, parse_faults(faults), seed)
    state, differences = simulator.initial, []
    for text in plan:
        expected = simulator.step(state, action(text)).successor or state
        state = executor.execute(state, action(text))
        ours, theirs = texts(expected), texts(state)
        differences.append(
            (*(f"-{text}" for text in sorted(ours - theirs)), *(f"+{text}" for text in sorted(theirs - ours)))
        )
    return differences, executor


def test_without_faults_all_is_as_in_the_model(simulator: Simulator) -> None:
    differences, executor = run(simulator, "", *PLAN)
    assert differences == [(), (), ()]
    assert (executor.steps, executor.occurred) == (3, [])
    with pytest.raises(BadActionError):
        executor.execute(simulator.initial, action("(take egg-1)"))


def test_an_action_silently_fails_once_and_works_when_tried_again(simulator: Simulator) -> None:
    differences, executor = run(simulator, "fail (take egg-1 *)", PLAN[0], PLAN[1], PLAN[1])
    assert differences == [(), ("-(held egg-1)", "+(hand-empty)", "+(in-it egg-1 fridge-1)"), ()]
    assert [(item.step, item.fault) for item in executor.occurred] == [(2, "fail (take egg-1 *)")]


def test_an_object_moves_before_an_action(simulator: Simulator) -> None:
    faults = "move (in-it egg-1 fridge-1) -> (on-top-of egg-1 pan-1) before 2"
    differences, executor = run(simulator, faults, *PLAN)
    assert differences[0] == ()
    # The action cannot be carried out, since the egg is gone; nothing but that has changed.
    assert differences[1] == ("-(held egg-1)", "+(hand-empty)", "+(on-top-of egg-1 pan-1)")
    assert [item.step for item in executor.occurred] == [2]


def test_failures_by_number_and_how_often(simulator: Simulator) -> None:
    warm = ["(warm pan-1)"] * 5
    for faults, steps in (
        ("fail at 2, 4", [2, 4]),
        ("fail (warm *) twice", [1, 2]),
        ("fail (warm *) always", [1, 2, 3, 4, 5]),
        ("fail (warm *) at 3; fail (warm *)", [1, 3]),
    ):
        assert [item.step for item in run(simulator, faults, *warm)[1].occurred] == steps


def test_probabilities_are_seeded(simulator: Simulator) -> None:
    # Each step is drawn by itself, so these are the same on every machine and in every process.
    plan = ["(open-it fridge-1)"] + ["(warm pan-1)"] * 30

    def failed(faults: str, seed: int = 1) -> list[int]:
        return [item.step for item in run(simulator, faults, *plan, seed=seed)[1].occurred]

    assert failed("fail 30%") == failed("fail 30%")
    assert failed("fail 30%", 2) != failed("fail 30%")
    assert failed("fail 30%; seed 2", 1) == failed("fail 30%", 2)
    assert failed("fail 0%") == []
    assert failed("fail 100% (open-it *)") == [1]


def test_a_refused_action_does_nothing_and_the_world_reports_it(simulator: Simulator) -> None:
    executor = FaultyExecutor(simulator, parse_faults('refuse (take egg-1 *) "the egg is stuck" twice'))
    state = executor.execute(simulator.initial, action(PLAN[0]))
    assert executor.reported == ""
    for _ in range(2):
        assert executor.execute(state, action(PLAN[1])) == state
        assert executor.reported == "the egg is stuck"
    taken = executor.execute(state, action(PLAN[1]))
    assert (taken.true(GroundAtom(("held", "egg-1"))), executor.reported) == (True, "")
    assert [item.step for item in executor.occurred] == [2, 3]


def test_a_change_before_a_refused_action_can_make_it_inapplicable(simulator: Simulator) -> None:
    faults = 'refuse (take *) "the egg is stuck"; set (not (opened fridge-1)) before 2'
    executor = FaultyExecutor(simulator, parse_faults(faults))
    opened = executor.execute(simulator.initial, action(PLAN[0]))
    executor.execute(opened, action(PLAN[1]))
    # What the shut fridge prevents the world need not refuse.
    assert executor.reported == ""
    assert [item.fault for item in executor.occurred] == ["set (not (opened fridge-1)) before 2"]


def test_what_breaks_is_gone_for_good(simulator: Simulator) -> None:
    executor = FaultyExecutor(simulator, parse_faults('break (take egg-1 *); refuse (take egg-1 *) "no"'))
    opened = executor.execute(simulator.initial, action(PLAN[0]))
    broken = executor.execute(opened, action(PLAN[1]))
    # The first statement decides; the hand stays empty, and no action can bring the egg back.
    assert executor.reported == ""
    assert broken.atoms ^ opened.atoms == {("in-it", "egg-1", "fridge-1"), ("exists-now", "egg-1")}
    assert not any("egg-1" in each.args for each in simulator.applicable(broken) if each.name in ("take", "put-on"))


def test_faults_of_another_task(simulator: Simulator) -> None:
    with pytest.raises(InputError, match="the domain has no action 'fly'"):
        FaultyExecutor(simulator, parse_faults("fail (fly *)"))
