"""The shipped specifications: each ends in its paper's rows and columns, with the oracle and with a script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from pddl2nl.experiments.specification.product import cells, jobs_of, layout_of, left_out, placed_jobs
from pddl2nl.policies.families import FAMILIES, family_of

from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.checks import check_models
from pddl2nl.experiments.choices import constrain_levels
from pddl2nl.experiments.layout import TableLayout, read_layout, write_layout
from pddl2nl.experiments.specification.experiment import ExperimentSpec, Overrides, load_experiment
from pddl2nl.experiments.specification.shipped import find_specification, shipped_specs
from pddl2nl.experiments.sweep import run_all
from pddl2nl.nl import template_wording
from pddl2nl.pddl import Domain
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.paper import paper_table
from pddl2nl.reports.tables import tables_of
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


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    monkeypatch.delenv("PDDL2NL_MODELS", raising=False)


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


def load(name: str, **overrides: object) -> ExperimentSpec:
    return load_experiment(find_specification(name), Overrides(**overrides))  # type: ignore[arg-type]


def laid_out(said: ExperimentSpec) -> TableLayout:
    return layout_of(said, placed_jobs(said))


def rows(layout: TableLayout) -> list[tuple[str, str, str]]:
    return [(row.label, row.section, row.variant) for row in layout.rows]


def test_each_has_a_name_and_a_sentence() -> None:
    shipped = shipped_specs()
    brainbody = [f"brainbody-{name}" for name in ("figure-6", "signals", "table-1", "table-2", "table-3", "table-4")]
    sayplan = [f"sayplan-{name}" for name in ("queries", "scaling", "table-1", "table-3", "tables-2-4-5")]
    others = ["planbench-tasks", "renamed-blocksworld", *sayplan, "small-model", "table-2", "tables-3-4", "tables-6-7"]
    graphplan = [f"graphplan-table-{number}" for number in (1, 13, 2, 3, 4, 5, 7, 8, 9)] + ["graphplan-tables-10-12"]
    names = ["acpbench", *brainbody, *graphplan, "hvr-faults", "hvr-table-2", "hybrids", *others]
    assert [each.name for each in shipped] == names
    assert all(len(each.about) > 40 for each in shipped)
    assert find_specification("table-2") == next(each.path for each in shipped if each.name == "table-2")
    with pytest.raises(InputError, match="no specification of that name is shipped; did you mean 'table-2'"):
        find_specification("tabel-2")
    with pytest.raises(InputError, match=r"absent.toml: no such file"):
        find_specification("absent.toml")


def test_a_file_stands_before_a_shipped_one_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table-2").mkdir()
    assert find_specification("table-2") != Path("table-2"), "a folder of its records is not meant"
    Path("table-2").rmdir()
    Path("table-2").write_text("")
    assert find_specification("table-2") == Path("table-2")


# ── as in the paper ──────────────────────────────────────────────────────────────────────────────


def test_table_2_has_the_papers_rows_columns_and_seeds(planbench: str) -> None:
    said = load("table-2", defines={"planbench": planbench}, instances=("p01", "s01"))
    layout = laid_out(said)
    assert [column.label for column in layout.columns] == TABLE_2
    by_hand = ("blocksworld", "logistics", "depots")
    expected = [
        (name, "primary", variant) for name in PRIMARY for variant in ("", *(["PlanBench"] if name in by_hand else []))
    ]
    assert rows(layout) == expected + [(name, "scaled", "") for name in SCALED]
    runs = [run for cell in cells(said) for run in cell.runs]
    models = [run for run in runs if run.policy != "random"]
    assert {run.model for run in models} == {"gpt-4o-2024-08-06"}
    assert {run.temperature for run in models} == {0.0}
    assert sorted({run.seed for run in models}) == [1, 2, 3, 4, 5]
    assert sorted({run.seed for run in runs if run.policy == "random"}) == [*range(1, 11)]
    tasks = len(PRIMARY) + len(SCALED)
    assert len(layout.runs) == tasks * (8 * 5 + 10 + 3) + 3 * 4 * 5
    # Wording k is that of run k: a model words a domain with the seed of the run.
    assert {(run.wording, run.translator) for run in models if run.policy == "react" and run.wording == "llm"} == {
        ("llm", "llm")
    }
    assert [(table.kind, table.paper) for table in layout.tables] == [("coverage", "table-2")]
    assert not [*left_out(said)]


def test_table_2_whole_is_the_papers_number_of_tasks() -> None:
    said = load("table-2", domains=("visitall", "beluga"))
    assert [(row.label, row.section, row.tasks) for row in laid_out(said).rows] == [
        ("beluga", "primary", 20),
        ("visitall", "primary", 20),
        ("visitall", "scaled", 20),
    ]


def test_tables_6_and_7_compare_the_descriptions_of_act(planbench: str) -> None:
    without = load("tables-6-7", instances=("p01", "s01"))
    assert [column.label for column in laid_out(without).columns] == ["NL Act", "Tpl Act", "PDDL Act"]
    assert [line for line in left_out(without) if line.startswith("column PlanBench Act: ")]
    layout = laid_out(load("tables-6-7", defines={"planbench": planbench}, instances=("p01", "s01")))
    assert [column.label for column in layout.columns] == ["NL Act", "Tpl Act", "PDDL Act", "PlanBench Act"]
    assert len(layout.rows) == len(PRIMARY) + len(SCALED)
    assert [(table.paper, table.columns) for table in layout.tables if table.kind == "tokens"] == [
        ("table-6", ("NL Act", "Tpl Act", "PDDL Act")),
        ("table-7", ("NL Act", "PlanBench Act")),
    ]
    by_hand = {layout.rows[place.row].label for places in layout.runs.values() for place in places if place.column == 3}
    assert by_hand == {"blocksworld", "logistics", "depots"}
    assert {column.policy for column in layout.columns} == {"act"}


def test_tables_3_and_4_need_a_folder_of_suites() -> None:
    with pytest.raises(InputError, match=r":\d+:9: '\$\{suite\}': the variable 'suite' .* is not set: --define suite="):
        load("tables-3-4")


def test_the_renamed_blocksworld_says_nothing_of_blocks() -> None:
    said = load("renamed-blocksworld")
    assert [column.label for column in laid_out(said).columns] == ["NL Bas", "NL Act"]
    [domain] = said.domains
    assert len(domain.tasks) == 20
    assert {action.name for action in domain.domain.actions} == {f"action{number}" for number in range(1, 5)}
    layout = laid_out(said)
    assert ([row.label for row in layout.rows], layout.tables[0].paper) == (["blocksworld"], "renamed-blocksworld")
    [alone] = load("renamed-blocksworld", model="oracle").domains
    assert alone.wordings == {"template": template_wording(alone.domain)}


def test_the_small_model_plays_every_system_at_every_level_of_constraint() -> None:
    said = load("small-model")
    levels: dict[str, set[str]] = {}
    for cell in cells(said):
        for one in cell.runs:
            levels.setdefault(one.policy, set()).add(one.constrain)
    assert {family_of(policy) for policy in levels} == {None, *FAMILIES.values()}
    assert levels == {policy: {"off", *constrain_levels(policy)} for policy in levels}
    assert [(row.label, row.tasks) for row in laid_out(said).rows][-2:] == [("building", 5), ("alfred", 5)]
    assert not [*left_out(said)]


# ── to their ends ────────────────────────────────────────────────────────────────────────────────


def played(said: ExperimentSpec, folder: Path, columns: Sequence[str]) -> TableLayout:
    """The experiment run to its end; its layout, in which every run has its record."""
    check_models(said, Access())
    write_layout(folder, laid_out(said))
    summary = run_all(jobs_of(said), folder, workers=4)
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


def part(name: str, model: str, planbench: str, suites: str) -> tuple[ExperimentSpec, list[str]]:
    """A shipped specification on a task or two, and the columns that it ends in."""
    from pddl2nl.experiments.specification.filters import limit_costs, narrow

    if name == "table-2":
        said = load(
            name, model=model, seeds=(1,), domains=("logistics",), instances=("p01",), defines={"planbench": planbench}
        )
        return said, TABLE_2
    if name == "tables-3-4":
        said = load(name, model=model, seeds=(1,), domains=("lamps",), defines={"suite": suites})
        return narrow(limit_costs(narrow(said))), ["NL CoT", "NL ReA", *PLANNERS]
    if name == "tables-6-7":
        said = load(
            name,
            model=model,
            seeds=(1,),
            domains=("blocksworld",),
            instances=("p01",),
            defines={"planbench": planbench},
        )
        return said, ["NL Act", "Tpl Act", "PDDL Act", "PlanBench Act"]
    return load(name, model=model, seeds=(1,), instances=("p01",)), ["NL Bas", "NL Act"]


@pytest.mark.parametrize(
    "name",
    [
        "renamed-blocksworld",
        "table-2",
        pytest.param("tables-3-4", marks=pytest.mark.heavy),
        pytest.param("tables-6-7", marks=pytest.mark.heavy),
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


@pytest.mark.parametrize("name", ["renamed-blocksworld", "table-2", "tables-3-4", "tables-6-7"])
@pytest.mark.usefixtures("needs_planner")
@pytest.mark.heavy
def test_with_a_script_it_ends_in_its_table(name: str, planbench: str, suites: str, tmp_path: Path) -> None:
    (tmp_path / "script.txt").write_text("\n---\n".join(["Action: look around"] * 200), encoding="utf-8")
    model = f"script:{tmp_path / 'script.txt'}"
    said, columns = part(name, model, planbench, suites)
    layout = played(said, tmp_path / "records", columns)
    assert {column.model for column in layout.columns if column.kind == "model"} == {model}


@pytest.mark.usefixtures("needs_planner")
def test_a_suite_of_several_domains_is_one_row(suites: str) -> None:
    from pddl2nl.experiments.specification.filters import narrow

    said = narrow(load("tables-3-4", model="oracle", defines={"suite": suites}))
    assert [(row.label, row.section, row.tasks) for row in laid_out(said).rows] == [
        ("halls", "solved by ff", 2),
        ("lamps", "solved by ff", 1),
    ]
    # As the paper says of all its results.
    seeds = {column.policy: [each.seed for each in column.repetitions] for column in said.columns}
    assert seeds == {"cot": [1, 2, 3, 4, 5], "react": [1, 2, 3, 4, 5], "random": [*range(1, 11)]}
