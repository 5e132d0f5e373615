"""``pddl2nl experiment``: shipped specifications, and what the command line says in the place of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pddl2nl.experiments.specification.product import jobs_of

from pddl2nl.cli.app import main
from pddl2nl.experiments.layout import read_layout
from pddl2nl.experiments.specification.experiment import load_experiment
from pddl2nl.reports.tables import TABLES

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
    assert {"brainbody-table-1", "hvr-faults", "renamed-blocksworld", "table-2", "tables-6-7"} <= {*names}
    assert main(["experiment", "tables-6-7", "--show"]) == 0
    Path("copy.toml").write_text(capfd.readouterr().out, encoding="utf-8")
    assert main(["experiment", "copy.toml", "--dry-run", "--domains", "movie", "--instances", "p01"]) == 0
    assert "tables-6-7: 15 runs (15 act)" in capfd.readouterr().out


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
    assert layout is not None
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
        (["tabel-2"], "no specification of that name is shipped; did you mean 'table-2'"),
        ([], "a specification is missing; --list shows"),
        (["some.toml", "--seeds", "1,x"], "--seeds: 'x' is no seed; whole numbers were expected"),
        (["some.toml", "--define", "x"], "--define: found 'x'; NAME=VALUE was expected"),
        (["some.toml", "--define", "x=1"], "--define x: this file has no such variable"),
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
    names = [job.name for job in jobs_of(with_key)]
    monkeypatch.delenv("OPENAI_API_KEY")
    assert [job.name for job in jobs_of(load_experiment(Path("some.toml")))] == names
    assert main(["experiment", "some.toml", "--dry-run", "--json", "--budget-usd", "1"]) == 0
    said = capfd.readouterr()
    assert json.loads(said.out)["estimate"]["usd"] > 0
    assert said.err.count("needs a key in the environment variable OPENAI_API_KEY") == 1
    assert main(["experiment", "some.toml"]) == 2
    assert "some.toml:4:11: model 'gpt-4o': " in capfd.readouterr().err
    assert not Path("runs").exists()


def test_a_password_in_an_address_made_of_variables_is_in_no_copy() -> None:
    Path("remote.toml").write_text(
        'domains = ["visitall"]\ninstances = ["p01"]\npolicies = ["act"]\nmodels = ["m"]\nseeds = [1]\n'
        'base_url = "http://${user}@localhost:9/v1?key=${query}"\n'
        '[variables]\nuser = { default = "me:t0psecret" }\nquery = {}\n[options]\nsteps = 3\nexample = "none"\n',
        encoding="utf-8",
    )
    assert main(["experiment", "remote.toml", "--define", "query=s3cret", "--budget-calls", "0"]) == 1
    kept = [path for path in Path("runs/remote").iterdir() if path.is_file()]
    assert {"specification.toml", "experiment.json"} <= {path.name for path in kept}
    for path in kept:
        assert not [word for word in (b"t0psecret", b"s3cret") if word in path.read_bytes()], path


def test_every_kind_of_table_can_be_asked_for() -> None:
    asked = "".join(f'[[tables]]\nkind = "{kind}"\n' for kind in TABLES)
    Path("all.toml").write_text(COLUMNS + asked, encoding="utf-8")
    assert [table.kind for table in load_experiment(Path("all.toml")).tables] == [*TABLES]
