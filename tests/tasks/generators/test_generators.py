"""What every generator keeps to, whatever its domain."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from pddl2nl.baselines import TaskTexts, solve
from pddl2nl.errors import InputError
from pddl2nl.pddl import Domain, Problem, Task, check_problem, conjuncts, parse_domain
from pddl2nl.tasks import authored_domains
from pddl2nl.tasks.generators import (
    Draw,
    Generated,
    Generator,
    Parameter,
    Sketch,
    generate,
    generators,
    read_parameters,
)
from pddlval import Simulator

ROOT = Path(__file__).resolve().parents[3]
DRAWS = 30

by_domain = pytest.mark.parametrize("name", generators())

PARAMETERS = [(name, parameter) for name, generator in generators().items() for parameter in generator.parameters]
by_parameter = pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=[f"{n}-{p.name}" for n, p in PARAMETERS])

WAYS = {
    name: tuple(choice for choice in parameter.choices if choice != "no")
    for name, parameter in PARAMETERS
    if parameter.name == "unsolvable"
}
by_way = pytest.mark.parametrize(("name", "way"), [(name, way) for name, ways in WAYS.items() for way in ways])

GOLDEN = {
    "alfred": "f20c9d6d525758e2",
    "beluga": "10cb7d9e293b095c",
    "blocksworld": "89951dbea97d22b4",
    "building": "e613a19135e77b46",
    "depots": "e14c2b1d8b4b5da2",
    "ferry": "6c337ffb244809f3",
    "floortile": "95c8f3499c3ccd21",
    "goldminer": "20f1fd0c8d60f89a",
    "grid": "d36bf3cf1f32e39a",
    "grippers": "0f0eda1338320bda",
    "household": "53a8ae776ac30ac2",
    "logistics": "8b03c7d687c1f18b",
    "movie": "51f6d637766fa208",
    "rovers": "e1ca3ebd801ac94a",
    "satellite": "83d6ce1ace13e46d",
    "tabletop": "8294f1bc8e134f67",
    "visitall": "17bec35dc09f0ac2",
}
"""Digests of what generators made when they were written, so that what they make never changes unseen: the shipped
sets are proved to come out of their calls."""


@cache
def domain_text(name: str) -> str:
    return (ROOT / "domains" / name / "domain.pddl").read_text(encoding="utf-8")


@cache
def domain_of(name: str) -> Domain:
    return parse_domain(domain_text(name))


def small_problems(name: str, count: int) -> list[Generated]:
    """Problems as the primary set is chosen from."""
    draw = Draw(f"small {name}")
    generator = generators()[name]
    return [generator.generate(seed, generator.small(draw)) for seed in range(count)]


def digest(name: str) -> str:
    made = [*(generate(name, seed) for seed in (1, 2, 3)), *small_problems(name, 12)]
    made += [generate(name, 1, unsolvable=way) for way in WAYS.get(name, ())]
    text = "\n".join(line for each in made for line in (each.call, each.text))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read(made: Generated) -> Problem:
    checked = check_problem(made.text, domain_of(made.domain), made.name)
    assert checked.diagnostics == ()
    assert checked.value is not None
    return checked.value


def assert_well_formed(made: Generated, name: str, seed: int) -> None:
    problem = read(made)
    assert problem.name == made.name == f"{name}-{seed}"
    assert problem.domain_name == domain_of(name).name
    assert len(problem.objects) == made.objects
    assert len(set(problem.init)) == len(problem.init)
    goal = list(conjuncts(problem.goal))
    assert len(set(goal)) == len(goal)
    simulator = Simulator(Task(domain_of(name), problem))
    assert not simulator.is_goal(simulator.initial)
    assert made.text.startswith(f"; {name.capitalize()}: ")
    assert max(len(line) for line in made.text.splitlines()) <= 120


# ── the registry ─────────────────────────────────────────────────────────────────────────────────


def test_every_domain_has_a_generator():
    folders = {folder.name for folder in (ROOT / "domains").iterdir() if folder.is_dir()}
    # Of the domains with tasks of their own some have one.
    assert [name for name in generators() if name not in authored_domains()] == sorted(folders - {*authored_domains()})
    assert list(generators()) == sorted(generators())


@by_domain
def test_a_generator_knows_its_domain(name):
    assert generators()[name].domain == name
    assert generators()[name].pddl_name == domain_of(name).name


# ── what is made ─────────────────────────────────────────────────────────────────────────────────


@by_domain
def test_small_problems_are_well_formed_and_have_something_to_do(name):
    made = small_problems(name, DRAWS)
    for seed, each in enumerate(made):
        assert each.solvable
        assert_well_formed(each, name, seed)
    bodies = {each.text.replace(f"{name}-{seed}", "") for seed, each in enumerate(made)}
    assert len(bodies) > DRAWS * 2 / 3


@by_domain
def test_a_call_makes_the_same_problem_again_and_leaves_no_parameter_to_a_default(name):
    for made in small_problems(name, 5):
        command, group, generated, domain, seed_option, seed, name_option, title, *words = shlex.split(made.call)
        assert (command, group, generated, domain) == ("pddl2nl", "tasks", "generate", name)
        assert (seed_option, name_option) == ("--seed", "--name")
        given = read_parameters(words)
        assert list(given) == [parameter.name for parameter in generators()[name].parameters]
        assert generate(domain, int(seed), name=title, **given) == made


@by_domain
def test_what_a_generator_makes_does_not_change(name):
    assert digest(name) == GOLDEN.get(name), (
        f"'{name}' makes other problems than it did: instances and manifests are old"
    )


def test_another_process_with_other_hashes_makes_the_same():
    script = (
        "import json, runpy, sys\n"
        "found = runpy.run_path(sys.argv[1])\n"
        "print(json.dumps({name: found['digest'](name) for name in found['generators']()}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, __file__],
        env={**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {name: digest(name) for name in generators()}


def assert_made_or_refused(name: str, parameter: Parameter, value: int | str) -> None:
    try:
        made = generate(name, 3, **{parameter.name: value})
    except InputError as error:
        refusal = str(error)
    else:
        assert_well_formed(made, name, 3)
        return
    assert parameter.name in refusal


@by_parameter
def test_the_least_of_a_parameter_is_made_or_refused_by_its_name(name, parameter):
    for value in parameter.choices or (parameter.minimum,):
        assert_made_or_refused(name, parameter, value)


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


def test_a_seed_or_name_that_is_none_is_refused():
    with pytest.raises(InputError, match="a seed is a whole number, 0 or more; found -1"):
        generate("blocksworld", -1)
    for title in ("", "Two words", "1st", "a(b"):
        with pytest.raises(InputError, match="is no name of a problem"):
            generate("blocksworld", 1, name=title)


def test_a_sketch_whose_goal_holds_is_drawn_again_and_given_up_in_the_end():
    done = Sketch((("", ("a",)),), ((("clear", "a"),),), (("clear", "a"),), "nothing to do")
    open_goal = Sketch((("", ("a",)),), ((("clear", "a"),),), (("holding", "a"),), "something to do")
    sketches = [done, None, done, open_goal]
    parameters = (Parameter("blocks", "how many blocks there are", 1),)
    patient = Generator("blocksworld", "b", "", parameters, lambda values, draw: sketches.pop(0), lambda draw: {})
    assert "(holding a)" in patient.generate(1, {}).text
    assert sketches == []
    hopeless = Generator("blocksworld", "b", "", parameters, lambda values, draw: done, lambda draw: {})
    with pytest.raises(InputError, match=r"1000 draws with blocks=1.* gave no valid problem of blocksworld"):
        hopeless.generate(1, {})


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


@by_way
def test_a_problem_without_a_plan_says_so_and_is_well_formed(name, way):
    for seed in range(5):
        made = generate(name, seed, unsolvable=way)
        assert not made.solvable
        assert_well_formed(made, name, seed)


@pytest.mark.parametrize("name", [name for name in generators() if name in authored_domains()])
@pytest.mark.usefixtures("needs_planner")
def test_a_problem_has_a_plan(name):
    # The others have shipped sets, which `pddl2nl tasks manifest check` proves.
    made = generate(name, 2)
    result = solve(TaskTexts(domain_text(name), made.text), "ff", time_limit=30)
    assert result.status == "solved"
    assert result.plan


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("beluga", {"deliveries": 4}, "deliveries ≤ arrivals . stored .*; found arrivals=2 stored=1 deliveries=4"),
        ("beluga", {"returns": 4}, "returns ≤ empties . deliveries .*; found empties=1 deliveries=2 returns=4"),
        ("beluga", {"arrivals": 0, "deliveries": 0, "returns": 0}, "something to do"),
        ("beluga", {"kinds": 3, "length": 2}, "kinds ≤ length .*; found length=2 kinds=3"),
        ("beluga", {"stored": 6, "empties": 3}, "found stored=6 empties=3 racks=2 length=4"),
        ("beluga", {"arrivals": 40}, "a place each.*; found arrivals=40"),
        ("depots", {"depots": 2}, "pallets ≥ depots . distributors .*; found depots=2 distributors=1 pallets=2"),
        ("depots", {"hoists": 1}, "hoists ≥ depots . distributors .*; found depots=1 distributors=1 hoists=1"),
        ("depots", {"depots": 0, "distributors": 0}, "depots . distributors > 0"),
        ("depots", {"distributors": 0, "pallets": 1, "hoists": 1, "crates": 1}, "crates . pallets > 2"),
        ("floortile", {"robots": 4}, "needs robots ≤ columns .*; found columns=3 robots=4"),
        ("floortile", {"tiles": 7}, "found rows=3 columns=3 tiles=7"),
        ("floortile", {"tiles": 2, "unsolvable": "column"}, "needs tiles.*tiles=2"),
        ("goldminer", {"rows": 1, "columns": 1}, "rows × columns ≥ 2 .*; found rows=1 columns=1$"),
        ("grid", {"x": 1, "y": 1, "locks": 0}, "found x=1 y=1"),
        ("grid", {"locks": 9}, "needs locks < x × y .*; found x=3 y=3 locks=9"),
        ("grid", {"oneways": 13}, "found x=3 y=3 oneways=13"),
        ("grid", {"keys": 1, "goals": 2}, "needs goals ≤ keys; found keys=1 goals=2"),
        ("grid", {"locks": 0, "unsolvable": "locked"}, "locks ≥ 1 for unsolvable=locked"),
        ("grid", {"shapes": 1, "unsolvable": "locked"}, "shapes ≥ 2 or goals=1 for unsolvable=locked"),
        ("grid", {"goals": 1, "unsolvable": "fork"}, "for unsolvable=fork"),
        ("grid", {"x": 2, "y": 2, "unsolvable": "fork"}, "for unsolvable=fork"),
        ("logistics", {"airplanes": 0}, "airplanes ≥ 1 for cities ≥ 2 .*; found cities=2 airplanes=0"),
        ("logistics", {"cities": 1, "locations": 1}, "found cities=1 locations=1"),
        ("rovers", {"soil": 0, "rock": 0, "images": 0}, "something to do"),
        ("rovers", {"rock": 5}, "rock ≤ waypoints .*; found waypoints=4 rock=5"),
        ("rovers", {"images": 7}, "images ≤ 3 × objectives .*; found objectives=2 images=7"),
        ("rovers", {"cameras": 0}, "cameras ≥ 1 for images ≥ 1; found cameras=0"),
        ("visitall", {"x": 1, "y": 1}, "found x=1 y=1 missing=0"),
        ("visitall", {"missing": 8}, r"needs x × y − missing ≥ 2 places.*; found x=3 y=3 missing=8"),
        ("visitall", {"x": 2, "y": 1, "unsolvable": "pockets"}, "3 for unsolvable=pockets"),
        ("blocksworld", {"blocks": 2, "unsolvable": "shared"}, "blocks ≥ 3 .*; found blocks=2 unsolvable=shared"),
        ("blocksworld", {"blocks": 2, "unsolvable": "split"}, "blocks ≥ 3 .*; found blocks=2 unsolvable=split"),
        ("satellite", {"satellites": 3}, "instruments ≥ satellites .*; found satellites=3 instruments=2"),
        ("satellite", {"images": 9}, "images ≤ directions × modes .*; found modes=2 directions=4 images=9"),
        ("satellite", {"pointing": 2}, "pointing ≤ satellites; found satellites=1 pointing=2"),
        ("satellite", {"images": 0, "pointing": 1, "directions": 1}, "something to do"),
    ],
)
def test_what_contradicts_itself_is_refused(name, given, message):
    with pytest.raises(InputError, match=message):
        generate(name, 1, **given)


# ── chance ────────────────────────────────────────────────────────────────────────────────────────


def test_the_same_seed_draws_the_same_for_ever():
    draw = Draw(7)
    assert [draw.below(1000) for _ in range(5)] == [323, 150, 650, 72, 535]
    assert Draw("a text").between(10, 99) == 52
    assert Draw(7).shuffled("abcdefg") == list("gebfdac")


def test_every_order_is_as_likely_as_any_other():
    draw = Draw(1)
    found = Counter("".join(draw.shuffled("abc")) for _ in range(3000))
    assert set(found) == {"".join(order) for order in permutations("abc")}
    assert all(400 < number < 600 for number in found.values())


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(ValueError, match="nothing can be drawn from 0"):
        Draw(1).below(0)
    with pytest.raises(ValueError, match="3 cannot be drawn from 2"):
        Draw(1).sample("ab", 3)
