"""Named columns of an experiment's file: what they come to, where their runs stand, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutTable, Place, TableLayout
from pddl2nl.experiments.planners import PlannerRun
from pddl2nl.experiments.specification.experiment import Experiment, Overrides, load_experiment
from pddl2nl.experiments.specification.schema import Column
from pddl2nl.nl import save_wording, template_wording
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_domain

Load = Callable[..., Experiment]

HEAD = 'domains = ["visitall", "ferry"]\ninstances = ["p01", "p02"]\nmodels = ["oracle"]\nseeds = [1, 2]\n'


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load_(text: str, head: str = HEAD, **overrides: object) -> Experiment:
        path = tmp_path / "spec.toml"
        path.write_text(head + text, encoding="utf-8")
        return load_experiment(path, Overrides(**overrides))

    return load_


def labels(said: Experiment) -> list[str]:
    return [column.label for column in said.columns]


def runs_of(said: Experiment, name: str = "") -> list[RunSpec]:
    """The descriptions of all runs of policies, or of those of one column."""
    return [job.about for _, _, column, job in said.runs if name in ("", column.heading)]


def counts(layout: TableLayout) -> dict[tuple[str, str, str], int]:
    """How many runs stand in each cell, by row and column."""
    found = Counter(place for places in layout.runs.values() for place in places)
    return {
        (f"{row.label} {row.section}".strip(), row.variant, column.label): number
        for (row, column, number) in (
            (layout.rows[place.row], layout.columns[place.column], number)
            for place, number in sorted(found.items(), key=_order)
        )
    }


def _order(item: tuple[Place, int]) -> tuple[int, int]:
    return item[0].row, item[0].column


# ── what they come to ────────────────────────────────────────────────────────────────────────────


def test_nothing_is_run_that_no_column_names(load: Load) -> None:
    said = load(
        """baselines = ["brfs", "ff"]
[[columns]]
name = "A"
group = "NL"
policy = "act"
options = { history = "none" }
[[columns]]
policy = "basic"
style = "pddl"
seeds = [7]
domains = ["fer*"]
[[columns]]
policy = "random"
seeds = [3, 4, 5]
"""
    )
    layout = said.layout()
    assert [(column.label, column.kind, column.policy) for column in layout.columns] == [
        ("NL A", "model", "act"),
        ("Basic", "model", "basic"),
        ("Symb. rnd", "walk", "random"),
        ("Symb. BrFS", "planner", "brfs"),
        ("Symb. FF", "planner", "ff"),
    ]
    assert layout.columns[0].options == {"history": "none"}
    assert [(row.label, row.section, row.variant, row.tasks) for row in layout.rows] == [
        ("visitall", "", "", 2),
        ("ferry", "", "", 2),
    ]
    every = {"NL A": 4, "Symb. rnd": 6, "Symb. BrFS": 2, "Symb. FF": 2}
    expected = {(row, "", column): number for row in ("visitall", "ferry") for column, number in every.items()}
    assert counts(layout) == expected | {("ferry", "", "Basic"): 2}
    assert set(layout.runs) == {*said.jobs}
    assert (layout.models, layout.tables) == (("oracle",), (LayoutTable("coverage"),))


def test_the_shorthand_multiplies_and_its_columns_are_told_apart(load: Load) -> None:
    text = 'policies = ["basic", "cot", "random"]\nstyles = ["nl", "pddl"]\nwordings = ["default", "template"]\n'
    said = load(text)
    assert labels(said) == [
        "Basic nl default",
        "Basic nl template",
        "Basic pddl",
        "CoT default",
        "CoT template",
        "Symb. rnd",
    ]
    assert {*counts(said.layout()).values()} == {4}
    one = load(
        'policies = ["act"]\nstyles = ["nl", "pddl"]\nmodels = ["oracle", "script:x"]\n',
        HEAD.replace('models = ["oracle"]\n', ""),
    )
    assert labels(one) == ["Act oracle nl", "Act oracle pddl", "Act x nl", "Act x pddl"]


def test_what_is_short_is_whole_where_it_would_be_alike(load: Load) -> None:
    said = load('[[columns]]\npolicy = "act"\nmodel = ["a/m", "b/m"]\nstyle = "pddl"\n')
    assert labels(said) == ["Act a/m", "Act b/m"]
    assert len(said.layout().columns) == 2


def test_lists_multiply_and_complete_the_name(load: Load) -> None:
    said = load('[[columns]]\nname = "A"\npolicy = ["act", "basic"]\nstyle = ["nl", "pddl"]\nwording = "template"\n')
    assert labels(said) == ["A Act nl", "A Act pddl", "A Basic nl", "A Basic pddl"]


def test_a_variant_is_an_extra_row_in_the_same_column(load: Load, tmp_path: Path) -> None:
    save_wording(template_wording(shipped_domain("ferry").domain), tmp_path / "hand.json")
    said = load(
        """[[columns]]
name = "Act"
policy = "act"
[[columns]]
name = "Act"
policy = "act"
wording = "hand.json"
variant = "by hand"
domains = ["ferry"]
"""
    )
    layout = said.layout()
    assert [column.label for column in layout.columns] == ["Act"]
    assert [(row.label, row.variant) for row in layout.rows] == [("visitall", ""), ("ferry", ""), ("ferry", "by hand")]
    assert [*counts(layout).values()] == [4, 4, 4]
    assert (layout.columns[0].wording, layout.columns[0].style) == ("default", "nl")


def test_one_run_may_stand_in_two_columns_and_is_run_once(load: Load) -> None:
    said = load(
        '[[columns]]\nname = "one"\npolicy = "act"\n[[columns]]\nname = "two"\npolicy = "act"\nseeds = [2, 3]\n'
    )
    layout = said.layout()
    assert len(said.jobs) == 4 * 3
    assert Counter(map(len, layout.runs.values())) == {1: 8, 2: 4}


def test_columns_for_other_domains_may_share_a_name(load: Load) -> None:
    said = load(
        """[[columns]]
name = "A"
policy = "act"
domains = ["ferry"]
[[columns]]
name = "A"
policy = "basic"
domains = ["visitall"]
"""
    )
    layout = said.layout()
    assert len(layout.columns) == 1
    assert [*counts(layout).values()] == [4, 4]


def test_options_that_a_column_has_no_use_for_are_said(load: Load) -> None:
    said = load('[[columns]]\npolicy = ["act", "basic"]\noptions = { history = "none" }\n')
    assert "left out: column Basic: it has no use for history" in [*said.warnings(said.folder)]
    assert {(run.policy, run.history) for run in runs_of(said)} == {("act", "none"), ("basic", "all")}


# ── sections ─────────────────────────────────────────────────────────────────────────────────────

TWO = 'domains = [{entries}]\nmodels = ["oracle"]\nseeds = [1]\n[[columns]]\npolicy = "random"\n'


def test_sections_are_rows_of_their_own_and_records_tell_them_apart(load: Load) -> None:
    small = '{ shipped = ["ferry", "visitall"], section = "small" }'
    entries = small + ', { shipped = "ferry", set = "scaled", section = "large" }'
    layout = (said := load(TWO.replace("{entries}", entries), "")).layout()
    assert [(row.label, row.section) for row in layout.rows] == [
        ("ferry", "small"),
        ("visitall", "small"),
        ("ferry", "large"),
    ]
    assert [(one.label, one.name) for one in said.domains] == [
        ("ferry", "ferry"),
        ("visitall", "visitall"),
        ("ferry", "ferry-large"),
    ]
    large = load(TWO.replace("{entries}", entries) + 'sections = ["large"]\n', "")
    assert [*counts(large.layout())] == [("ferry large", "", "Symb. rnd")]


def test_sets_have_sections_by_themselves_and_keep_the_names_of_their_records(load: Load) -> None:
    said = load(TWO.replace("{entries}", '"ferry", { shipped = "ferry", set = "scaled" }'), "")
    assert [(row.label, row.section, row.tasks) for row in said.layout().rows] == [
        ("ferry", "", 20),
        ("ferry", "scaled", 20),
    ]
    assert {one.name for one in said.domains} == {"ferry"}
    both = TWO.replace("{entries}", '"ferry", { shipped = "ferry", set = "scaled" }')
    assert [one.tasks[0].name for one in load(both, "", sections=("primary",)).domains] == ["p01"]
    assert [*counts(load(both + 'sections = "primary"\n', "").layout())] == [("ferry", "", "Symb. rnd")]
    with pytest.raises(InputError, match="--sections: nothing here is called 'x'; there are primary, scaled"):
        load(both, "", sections=("x",))
    alone = load(TWO.replace("{entries}", '{ shipped = "ferry", set = "scaled" }'), "")
    assert [row.section for row in alone.layout().rows] == [""]
    assert {*alone.jobs} <= {*said.jobs}


def test_costs_that_are_stripped_are_not_told_in_rows(load: Load) -> None:
    strip = '{ shipped = "ferry", transform = "strip-costs" }'
    assert [row.label for row in load(TWO.replace("{entries}", strip), "").layout().rows] == ["ferry"]
    both = load(TWO.replace("{entries}", f'"ferry", {strip}'), "")
    assert [row.label for row in both.layout().rows] == ["ferry", "ferry+strip-costs"]


def test_an_entry_says_what_its_rows_are_called_and_no_two_are_called_alike(load: Load) -> None:
    renamed = '{ shipped = ["ferry", "visitall"], transform = "obfuscate:generic", row = "{domain}, renamed" }'
    said = load(TWO.replace("{entries}", f'"ferry", {renamed}'), "")
    assert [row.label for row in said.layout().rows] == ["ferry", "ferry, renamed", "visitall, renamed"]
    assert [one.name for one in said.domains] == ["ferry", "ferry+obfuscate-generic", "visitall+obfuscate-generic"]
    with pytest.raises(InputError, match=r"ferry and visitall.* would both be the row 'x' of a table: give one"):
        load(TWO.replace("{entries}", '{ shipped = ["ferry", "visitall"], row = "x" }'), "")
    with pytest.raises(InputError, match="would both be the row 'ferry' of a table"):
        load(TWO.replace("{entries}", '"ferry", { shipped = "visitall", row = "ferry" }'), "")


def test_tables_and_limits_of_planners(load: Load) -> None:
    said = load(
        """baselines = ["ff"]
[options]
planner_seconds = 60
planner_memory = "2g"
[[columns]]
policy = "act"
[[tables]]
kind = "tokens"
title = "T"
paper = "table-6"
columns = ["Act", "Symb. FF"]
"""
    )
    assert said.tables == (LayoutTable("tokens", "T", "table-6", ("Act", "Symb. FF")),)
    planners = [job for job in said.jobs.values() if isinstance(job.about, PlannerRun)]
    assert {(job.about.seconds, job.about.memory_mb) for job in planners} == {(60, 2048)}


# ── what is wrong ────────────────────────────────────────────────────────────────────────────────

ACT = '[[columns]]\npolicy = "act"\n'
WRONG = [
    ('policies = ["act"]\n[[columns]]\npolicy = "act"', r":5:1: 'policies' multiplies, and 'columns' names"),
    (ACT + 'wordin = "x"', r":7:1: unknown key columns\[0\].wordin; did you mean 'wording'"),
    (ACT + '[[columns]]\npolicy = "akt"', r":8:10: columns\[1\].policy: .*'act'\?"),
    ('[[columns]]\nname = "x"', r":5:1: policy is missing: policy = one of basic"),
    (
        ACT + "[columns.options]\nsteps = 0",
        r":8:9: columns\[0\].options.steps is 0; expected a whole number >= 1",
    ),
    (
        '[[columns]]\nname = "A"\npolicy = "act"\n[[columns]]\nname = "A"\npolicy = "cot"',
        r":8:1: two columns are called 'A'",
    ),
    (
        ACT + 'domains = ["fery"]',
        r":7:12: no domain here is called 'fery'; did you mean 'ferry'",
    ),
    (
        ACT + '[[tables]]\nkind = "coverag"',
        r":8:8: tables\[0\].kind is 'coverag'; .*'coverage'\?",
    ),
    (ACT + '[[tables]]\ntitle = "x"', r":7:1: tables\[0\].kind is missing"),
    (
        ACT + '[[tables]]\nkind = "tokens"\ncolumns = ["Akt"]',
        r":9:12: no column is called 'Akt'; did you mean 'Act'",
    ),
    (
        ACT + '[[tables]]\nkind = "coverage"\npaper = "tabel-2"',
        r":9:9: the numbers of 'tabel-2' do not fit .* 'coverage'; did you mean 'table-2'",
    ),
    (
        ACT + '[cluster]\nworkers = "x"',
        r":8:11: cluster.workers is 'x'; expected a whole number",
    ),
    ('[[columns]]\npolicy = "cot"\nstyle = "pddl"', r"nothing is left to be run: policy cot in style pddl"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_an_error_points_into_the_file(text: str, message: str, load: Load) -> None:
    with pytest.raises(InputError, match=message):
        _ = load(text).jobs


def test_lists_of_tables_of_domains_are_pointed_at_as_well(load: Load) -> None:
    text = 'policies = ["random"]\n[[domains]]\nshipped = "ferry"\n[[domains]]\nshipped = "fery"\n'
    with pytest.raises(InputError, match=r":5:11: domains: no domain 'fery'"):
        load(text, "")
    assert [one.label for one in load(text.replace('"fery"', '"movie"'), "").domains] == ["ferry", "movie"]


# ── what the command line says ─────────────────────────────────────────────────────


MODEL = """[options]
thoughts = "llm"
[[columns]]
group = "NL"
policy = ["act", "react"]
model = ["gpt-4o", "gpt-4o-mini"]
wording = "llm"
options = { translator = "llm" }
[[columns]]
policy = "random"
[[columns]]
group = "PDDL"
policy = "act"
style = "pddl"
"""


def test_a_model_of_the_command_line_is_every_columns_and_takes_no_role_that_it_cannot(load: Load) -> None:
    said = load(MODEL, HEAD.replace("oracle", "m"), model="oracle")
    assert labels(said) == ["NL Act", "NL ReAct", "Symb. rnd", "PDDL Act"]
    runs = runs_of(said)
    assert {run.model for run in runs} == {"oracle"}
    assert {run.translator for run in runs} == {"reader"}
    assert not [run for run in runs if run.wording == "llm"]
    assert {run.thoughts for run in runs if run.policy == "react"} == {"template"}
    [note] = said.notes
    assert note.startswith("--model oracle can only plan: the domain's own wording replaces one by a model")
    other = load(MODEL, HEAD.replace("oracle", "m"), model="another")
    assert {run.model for run in runs_of(other)} == {"another", "oracle"}
    assert {run.wording for name in ("NL Act", "NL ReAct") for run in runs_of(other, name)} == {"llm"}
    assert other.notes == []


def test_of_renamed_domains_the_template_stands_for_a_models_wording(load: Load) -> None:
    head = 'domains = [{ shipped = "visitall", transform = "obfuscate:generic" }]\ninstances = ["p01"]\n'
    text = 'profile = "autoplanbench"\nseeds = [1]\n[[columns]]\nname = "A"\npolicy = "act"\nwording = "llm"\n'
    said = load(text, head, model="oracle")
    assert [[*one.wordings] for one in said.domains] == [["template"]]
    assert [*counts(said.layout())] == [("visitall+obfuscate-generic", "", "A")]
    [note] = said.notes
    assert note.startswith("--model oracle can only plan: the template replaces one by a model")
    other = load(text, head, model="another")
    assert {run.wording for run in runs_of(other)} == {"llm"}


def test_fewer_seeds_tasks_domains_and_sections(load: Load) -> None:
    text = """[[columns]]
policy = "act"
seeds = [1, 2, 3]
[[columns]]
policy = "random"
"""
    said = load(text, seeds=(3, 1), instances=("p02",), domains=("FERRY",))
    assert {column.seeds for column in said.columns} == {(3, 1)}
    assert counts(said.layout()) == {("ferry", "", "Act"): 2, ("ferry", "", "Symb. rnd"): 2}
    with pytest.raises(InputError, match="--domains: nothing here is called 'fery'; did you mean 'ferry'"):
        load(text, domains=("fery",))


def test_a_run_is_the_same_run_however_its_column_is_named(load: Load) -> None:
    named = load('[[columns]]\nname = "Mine"\ngroup = "G"\npolicy = "act"\nvariant = "v"\nwording = "default"\n')
    plain = load('policies = ["act"]\n')
    assert {*named.jobs} == {*plain.jobs}


def test_an_endpoint_is_no_part_of_a_runs_name(load: Load) -> None:
    text = 'policies = ["act"]\n'
    head = HEAD.replace("oracle", "m")
    here, there = (load(f'base_url = "http://localhost:{port}/v1"\n{text}', head) for port in (1, 2))
    assert {*here.jobs} == {*there.jobs}
    assert {job.base_url for job in here.jobs.values()} == {"http://localhost:1/v1"}


def test_columns_of_python_are_those_of_a_file(load: Load) -> None:
    text = """[[columns]]
name = "A"
policy = "act"
style = "pddl"
options = { history = "none", stop_after = 3 }
[[columns]]
policy = "random"
"""
    options = {"history": "none", "stop_after": 3}
    columns = [Column("act", name="A", style="pddl", options=options), Column("random")]
    tables = {"domains": ["visitall", "ferry"], "instances": ["p01", "p02"], "models": ["oracle"], "seeds": [1, 2]}
    ours = Experiment(name="spec", **tables, columns=columns)
    assert ours.layout() == load(text).layout()
    with pytest.raises(InputError, match=r"^mine: domains: no domain 'fery'"):
        Experiment(name="mine", domains=["fery"], policies=["random"])
    with pytest.raises(InputError, match=r"^mine: unknown key sedes; did you mean 'seeds'"):
        Experiment(name="mine", sedes=[1])


def test_other_models_and_files_are_for_the_columns_that_use_them(load: Load, tmp_path: Path) -> None:
    said = load(
        """[options]
translator = "llm"
models-for = { translator = "gpt-4o", thoughts = "gpt-4o-mini" }
[[columns]]
policy = "act"
[[columns]]
policy = "cot"
models-for = { thoughts = "script:s.txt" }
[[columns]]
policy = "random"
"""
    )
    models = {run.policy: dict(run.models) for run in runs_of(said)}
    thoughts = {"translator": "gpt-4o", "thoughts": f"script:{tmp_path / 's.txt'}"}
    assert models == {"act": {"translator": "gpt-4o"}, "cot": thoughts, "random": {}}
