"""The AutoPlanBench paper's experiments: each ends in its rows and columns, with the oracle and with a script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import Experiment, RunSpec
from pddl2nl.experiments.layout import TableLayout, read_layout
from pddl2nl.experiments.planners import PlannerRun
from pddl2nl.experiments.specification.experiment import Overrides
from pddl2nl.experiments.specification.shipped import find_specification
from pddl2nl.experiments.sweep import run_all
from pddl2nl.pddl import Domain
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.tables import tables_of
from pddl2nl.reports.tables.grid import paper_table
from pddl2nl.tasks import shipped_domain

PLANNERS = ["Symb. rnd", "Symb. BrFS", "Symb. lmc", "Symb. FF"]
TABLE_2 = ["NL Bas", "NL CoT", "NL Act", "NL ReA", "Tpl Bas", "Tpl Act", "PDDL Bas", "PDDL Act", *PLANNERS]
PRIMARY = [
    *("blocksworld", "logistics", "depots", "beluga", "ferry", "floortile", "goldminer", "grid", "grippers", "movie"),
    *("rovers", "satellite", "visitall"),
]
SCALED = ["blocksworld", "ferry", "grippers", "visitall"]

LAMPS = (
    "(define (domain lamps) (:predicates (lit ?x) (dark ?x)) "
    "(:action on :parameters (?x) :precondition (dark ?x) :effect (and (lit ?x) (not (dark ?x)))))"
)
LAMP = "(define (problem one) (:domain lamps) (:objects a b) (:init (dark a) (dark b)) (:goal (lit {goal})))"


def planbench_texts(domain: Domain) -> str:
    """A configuration as PlanBench has them, with a text for everything in a domain."""

    def texts(named: Iterable[tuple[str, int]]) -> str:
        return ", ".join(f'{name}: "{name} with {" and ".join(["{}"] * count)}"' for name, count in named)

    actions = texts((each.name, len(each.parameters)) for each in domain.actions)
    predicates = texts((each.name, len(each.parameters)) for each in domain.predicates)
    return (
        f"domain_name: {domain.name}\ndomain_intro: |\n   I have to plan.\n\n"
        f"actions:\n  {{{actions}}}\n\npredicates:\n  {{{predicates}}}\n"
    )


@pytest.fixture
def planbench(tmp_path: Path) -> str:
    """A folder such as PlanBench's."""
    configs = tmp_path / "planbench" / "configs"
    configs.mkdir(parents=True)
    for name in ("blocksworld", "logistics", "depots"):
        (configs / f"{name}.yaml").write_text(planbench_texts(shipped_domain(name).domain), encoding="utf-8")
    return str(tmp_path / "planbench")


@pytest.fixture
def suites(tmp_path: Path) -> str:
    """A folder of two suites, of which the second's tasks have domains of their own."""
    folder = tmp_path / "suites"
    files = {
        "lamps/domain.pddl": LAMPS,
        "lamps/p01.pddl": LAMP.format(goal="a"),
        "halls/p01-domain.pddl": LAMPS,
        "halls/p02-domain.pddl": LAMPS.replace(":action on", ":action light"),
        "halls/p01.pddl": LAMP.format(goal="b"),
        "halls/p02.pddl": LAMP.format(goal="b"),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def load(name: str, arguments: dict[str, str] | None = None, **overrides: object) -> Experiment:
    return find_specification(name).load(arguments or {}, Overrides(**overrides))  # type: ignore[arg-type]


def runs_of(said: Experiment) -> list[RunSpec]:
    return [job.about for _, _, _, job in said.runs]


def left_out(said: Experiment) -> list[str]:
    return [line for line in said.warnings(said.folder) if line.startswith("left out")]


def rows(layout: TableLayout) -> list[tuple[str, str, str]]:
    return [(row.label, row.section, row.variant) for row in layout.rows]


# ── as in the paper ──────────────────────────────────────────────────────────────────────────────


def test_table_2_has_the_papers_rows_columns_and_seeds(planbench: str) -> None:
    said = load("table-2", {"planbench": planbench}, instances=("p01", "s01"))
    layout = said.layout()
    assert [column.label for column in layout.columns] == TABLE_2
    by_hand = ("blocksworld", "logistics", "depots")
    expected = [
        (name, "primary", variant) for name in PRIMARY for variant in ("", *(["PlanBench"] if name in by_hand else []))
    ]
    assert rows(layout) == expected + [(name, "scaled", "") for name in SCALED]
    runs = runs_of(said)
    models = [run for run in runs if run.policy != "random"]
    assert {run.model for run in models} == {"gpt-4o-2024-08-06"}
    assert {run.temperature for run in models} == {0.0}
    assert sorted({run.seed for run in models}) == [1, 2, 3, 4, 5]
    assert sorted({run.seed for run in runs if run.policy == "random"}) == [*range(1, 11)]
    tasks = len(PRIMARY) + len(SCALED)
    assert len(layout.runs) == tasks * (8 * 5 + 10 + 3) + 3 * 4 * 5
    # Wording k is that of run k: a model words a domain with the seed of the run.
    assert {(run.wording, run.translator) for run in models if run.policy == "react" and run.wording == "llm"} == {
        ("llm", "lines")
    }
    assert [(table.kind, table.paper) for table in layout.tables] == [("coverage", "table-2")]
    assert not left_out(said)


@pytest.mark.heavy
def test_tables_6_and_7_compare_the_descriptions_of_act(planbench: str) -> None:
    without = load("tables-6-7", instances=("p01", "s01"))
    assert [column.label for column in without.layout().columns] == ["NL Act", "Tpl Act", "PDDL Act"]
    assert [table.paper for table in without.tables] == ["table-6", ""]
    layout = load("tables-6-7", {"planbench": planbench}, instances=("p01", "s01")).layout()
    assert [column.label for column in layout.columns] == ["NL Act", "Tpl Act", "PDDL Act", "PlanBench Act"]
    assert len(layout.rows) == len(PRIMARY) + len(SCALED)
    assert [(table.paper, table.columns) for table in layout.tables if table.kind == "tokens"] == [
        ("table-6", ("NL Act", "Tpl Act", "PDDL Act")),
        ("table-7", ("NL Act", "PlanBench Act")),
    ]
    by_hand = {layout.rows[place.row].label for places in layout.runs.values() for place in places if place.column == 3}
    assert by_hand == {"blocksworld", "logistics", "depots"}
    assert {column.policy for column in layout.columns} == {"act"}


# ── to their ends ────────────────────────────────────────────────────────────────────────────────


def played(said: Experiment, folder: Path, columns: Sequence[str]) -> TableLayout:
    """The experiment run to its end; its layout, in which every run has its record."""
    said.prepare(folder)
    said.write_down(folder)
    summary = run_all(said.jobs.values(), folder, workers=4)
    assert (summary.unfinished, [*summary.bad], [*summary.broken]) == (0, [], [])
    layout = read_layout(folder)
    assert layout is not None
    assert {f"{name}.jsonl" for name in layout.runs} == {path.name for path in folder.glob("*.jsonl")}
    assert [column.label for column in layout.columns] == columns
    ends_in_its_tables(folder, layout)
    return layout


def ends_in_its_tables(folder: Path, layout: TableLayout) -> None:
    """The report's tables are those that are asked for; beside the paper's numbers stand its columns and rows."""
    tables = tables_of(gather(folder))
    assert [table.title for table in tables] == [wanted.title for wanted in layout.tables]
    for table, wanted in zip(tables, layout.tables, strict=True):
        ours = [(heading.group, heading.name) for heading in table.headings if not heading.paper]
        assert table.sections, wanted
        if wanted.paper in ("table-3", "table-4"):
            # None of the suites that these tests make is one of the paper's, whose columns are left out.
            assert {label for _, label in ours} == {"CoT", "ReA", "rnd", "BrFS", "lmc", "FF"}
        elif wanted.paper:
            paper = [(column.group, column.name) for column in paper_table(wanted.paper).columns]
            assert ours == paper
            assert [(heading.group, heading.name) for heading in table.headings if heading.paper] == paper


def part(name: str, model: str, planbench: str, suites: str) -> tuple[Experiment, list[str]]:
    """An experiment on a task or two, and the columns that it ends in."""
    words = {"planbench": planbench}
    if name == "table-2":
        return load(name, words, model=model, seeds=(1,), domains=("logistics",), instances=("p01",)), TABLE_2
    if name == "tables-3-4":
        arguments = {"suite": suites, "searches": f"{suites}-searches"}
        return load(name, arguments, model=model, seeds=(1,), domains=("lamps",)), ["NL CoT", "NL ReA", *PLANNERS]
    if name == "tables-6-7":
        said = load(name, words, model=model, seeds=(1,), domains=("blocksworld",), instances=("p01",))
        return said, ["NL Act", "Tpl Act", "PDDL Act", "PlanBench Act"]
    return load(name, model=model, seeds=(1,), instances=("p01",)), ["NL Bas", "NL Act"]


@pytest.mark.parametrize(
    "name",
    [
        "renamed-blocksworld",
        *(pytest.param(name, marks=pytest.mark.heavy) for name in ("table-2", "tables-3-4", "tables-6-7")),
    ],
)
@pytest.mark.usefixtures("needs_planner")
def test_with_the_oracle_it_ends_in_its_table(name: str, planbench: str, suites: str, tmp_path: Path) -> None:
    said, columns = part(name, "oracle", planbench, suites)
    layout = played(said, tmp_path / "records", columns)
    assert said.notes
    assert all(note.startswith("--model oracle can only plan: ") or "default wording" in note for note in said.notes)
    if name == "table-2":
        assert rows(layout) == [("logistics", "primary", ""), ("logistics", "primary", "PlanBench")]


@pytest.mark.usefixtures("needs_planner")
def test_a_suite_that_costs_too_much_is_left_to_what_breadth_first_search_solves(suites: str) -> None:
    arguments = {"suite": suites, "searches": f"{suites}-searches"}
    said = load("tables-3-4", arguments)
    assert [(row.label, row.section, row.tasks) for row in said.layout().rows] == [
        ("halls", "solved by ff", 2),
        ("lamps", "solved by ff", 1),
    ]
    # As the paper says of all its results.
    assert {column.policy: column.seeds for column in said.columns if column.kind != "planner"} == {
        "cot": (1, 2, 3, 4, 5),
        "react": (1, 2, 3, 4, 5),
        "random": (*range(1, 11),),
    }
    dear = load("tables-3-4", {**arguments, "usd": "0.0001"})
    assert {row.section for row in dear.layout().rows} == {"solved by brfs"}


# ── baselines ────────────────────────────────────────────────────────────────────────────────────


def test_every_benchmark_is_run_by_all_baselines_within_the_papers_limits() -> None:
    runs = load("baselines", {"domains": "visitall"}).jobs.values()
    assert len(runs) == len(shipped_domain("visitall").benchmarks) * (3 + 10)
    searches = [job for job in runs if isinstance(job.about, PlannerRun)]
    assert {job.about.planner for job in searches} == {"brfs", "lmcut", "ff"}
    assert {(job.about.seconds, job.about.memory_mb) for job in searches} == {(1800, 8192)}
    less = load("baselines", {"domains": "visitall", "memory_mb": "4096"})
    assert len({job.name for job in searches} & {*less.jobs}) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domains": "nowhere"}, "no domain 'nowhere' is shipped"),
        ({"chosen_set": "small"}, "-A chosen_set=small: .* expected one of primary, scaled"),
        ({"domains": "logistics", "chosen_set": "scaled"}, "logistics: no scaled set is shipped"),
    ],
)
def test_sets_that_are_not_shipped_are_refused(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load("baselines", arguments)
