"""``pddl2nl experiment``: shipped specifications, and what the command line says in the place of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from pddl2nl.experiments.layout import read_layout
from pddl2nl.experiments.specification.experiment import load_experiment
from pddl2nl.reports.tables import table_kinds

COLUMNS = """
domains = ["visitall", "ferry"]
instances = ["p01", "p02"]
models = ["gpt-4o"]
[[columns]]
group = "NL"
policy = ["basic", "act"]
[[columns]]
policy = "random"
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    monkeypatch.setenv("PDDL2NL_CACHE", str(tmp_path / "cache.sqlite"))
    monkeypatch.chdir(tmp_path)
    Path("some.toml").write_text(COLUMNS, encoding="utf-8")


def test_shipped_specifications_are_listed_and_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "--list"]) == 0
    assert "table-2" in capfd.readouterr().out
    assert main(["experiment", "--list", "--json"]) == 0
    listed = json.loads(capfd.readouterr().out)
    names = [each["name"] for each in listed]
    assert names == sorted(names)
    assert {"acpbench", "planbench-tasks", "quickstart", "small-model"} <= {*names}
    assert main(["experiment", "some.toml", "--show"]) == 0
    Path("copy.toml").write_text(capfd.readouterr().out, encoding="utf-8")
    assert main(["experiment", "copy.toml", "--dry-run", "--domains", "ferry", "--instances", "p01"]) == 0
    assert "copy: 20 runs (5 basic, 5 act, 10 random)" in capfd.readouterr().out
    assert main(["experiment", "quickstart", "--show"]) == 0
    assert "def quickstart(seed: int = 1) -> Experiment:" in capfd.readouterr().out


OWN = """from pddl2nl.experiments import Column, Experiment

def compared(domain: str, seeds: int = 2) -> Experiment:
    \"\"\"Act and a walk.

    Args:
        domain: a shipped one.
    \"\"\"
    columns = [Column("act", options={"history": "none"}), Column("random")]
    return Experiment(
        name="compared", domains=[domain], instances=["p01"], models=["oracle"], seeds=[*range(seeds)], columns=columns
    )

def nothing() -> int:
    return 3
"""


def test_a_function_of_python_specifies_an_experiment(capfd: pytest.CaptureFixture[str]) -> None:
    Path("own_experiments.py").write_text(OWN, encoding="utf-8")
    name = "own_experiments:compared"
    assert main(["experiment", name, "-A", "domain=ferry", "-A", "seeds=3", "--dry-run"]) == 0
    assert "compared: 6 runs (3 act, 3 random), of which 0 are finished in runs/compared" in capfd.readouterr().out
    assert main(["experiment", name, "-A", "domain=ferry", "--domains", "ferry", "--seeds", "7", "--dry-run"]) == 0
    assert "compared: 2 runs (1 act, 1 random)" in capfd.readouterr().out
    for arguments, message in (
        ([name], "own_experiments:compared needs -A domain=VALUE: a shipped one"),
        ([name, "-A", "domian=x"], "-A domian: own_experiments:compared takes no such argument; did you mean 'domain'"),
        ([name, "-A", "domain=ferry", "-A", "seeds=x"], "-A seeds=x: own_experiments:compared: seeds is 'x'"),
        ([name, "-A", "domain=fery"], "compared: domains: no domain 'fery'"),
        (["own_experiments:nothing"], "own_experiments:nothing returned 3; an Experiment was expected"),
        (["own_experiments:absent"], "has no attribute 'absent'"),
        (["some.toml", "-A", "x=1"], "-A x: some.toml is a file and takes no arguments"),
    ):
        assert main(["experiment", *arguments]) == 2
        assert message in capfd.readouterr().err


def test_a_dry_run_counts_by_column(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "some.toml", "--dry-run"]) == 0
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    heading = next(number for number, parts in enumerate(lines) if parts[:1] == ["column"])
    shown = {" ".join(parts[:2]): parts[2:] for parts in lines[heading + 2 : heading + 5]}
    assert [*shown] == ["NL Basic", "NL Act", "Symb. rnd"]
    assert [int(parts[0]) for parts in shown.values()] == [20, 20, 40]
    assert (shown["Symb. rnd"][1], shown["NL Basic"][1]) == ("0", "20")
    assert main(["experiment", "some.toml", "--dry-run", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    for key in ("calls", "prompt_tokens", "completion_tokens"):
        assert said["estimate"][key] == sum(column[key] for column in said["columns"])
    assert sum(column["usd"] for column in said["columns"]) == pytest.approx(said["estimate"]["usd"], abs=1e-3)


@pytest.mark.usefixtures("needs_planner")
def test_the_command_line_stands_in_the_place_of_the_file(capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--model", "oracle", "--seeds", "2", "--instances", "p01", "--domains", "visitall"]
    assert main(["experiment", "some.toml", *options]) in (0, 1)
    folder = Path("runs/some-oracle")
    assert "some: 3 runs: " in capfd.readouterr().out
    layout = read_layout(folder)
    assert {f"{name}.jsonl" for name in layout.runs} == {path.name for path in folder.glob("*.jsonl")}
    assert (layout.models, [row.label for row in layout.rows]) == (("oracle",), ["visitall"])
    text = (folder / "specification.toml").read_text(encoding="utf-8")
    assert text.startswith(COLUMNS)
    assert [line for line in text.splitlines() if line.startswith("# run with")] == [
        "# run with --model oracle",
        "# run with --seeds 2",
        "# run with --instances p01",
        "# run with --domains visitall",
    ]
    # The folder's own copy runs as well.
    assert main(["experiment", str(folder / "specification.toml"), "--dry-run"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quikstart"], "no specification of that name is shipped; did you mean 'quickstart'"),
        ([], "a specification is missing; --list shows"),
        (["some.toml", "--seeds", "1,x"], "--seeds: 'x' is no seed; whole numbers were expected"),
        (["some.toml", "-A", "x"], "-A x: expected NAME=VALUE"),
        (["some.toml", "--model", "script:absent.txt"], "--model script:"),
        (["some.toml", "--instances", "p9*"], "--instances: nothing here is called 'p9*'"),
        (["some.toml", "--cluster", "tcp://x:1", "--provider-batch"], "--cluster and --provider-batch exclude"),
        (["some.toml", "--cluster", "nonsense"], "nonsense"),
    ],
)
def test_what_is_wrong_is_exit_code_2(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", *arguments]) == 2
    assert message in " ".join(capfd.readouterr().err.replace("│", " ").split())


def test_a_dry_run_needs_no_key_and_its_runs_are_called_as_with_one(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_key = load_experiment(Path("some.toml"))
    names = [*with_key.jobs]
    monkeypatch.delenv("OPENAI_API_KEY")
    assert [*load_experiment(Path("some.toml")).jobs] == names
    assert main(["experiment", "some.toml", "--dry-run", "--json", "--budget-usd", "1"]) == 0
    said = capfd.readouterr()
    assert json.loads(said.out)["estimate"]["usd"] > 0
    assert said.err.count("needs a key in the environment variable OPENAI_API_KEY") == 1
    assert main(["experiment", "some.toml"]) == 2
    assert "some.toml:4:11: model 'gpt-4o': " in capfd.readouterr().err
    assert not Path("runs").exists()


def test_every_kind_of_table_can_be_asked_for() -> None:
    asked = "".join(f'[[tables]]\nkind = "{kind}"\n' for kind in table_kinds())
    Path("all.toml").write_text(COLUMNS + asked, encoding="utf-8")
    assert [table.kind for table in load_experiment(Path("all.toml")).tables] == [*table_kinds()]
