"""``pddl2nl report``: what it prints and writes in each format, what it refuses, and its exit codes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.cli.app import main
from pddl2nl.reports.plots import NoDataError
from tests.cli.one_command import refused
from tests.records import rewrite

SPEC = """
domains = ["visitall"]
instances = ["p01", "p02"]
models = ["script:replies.txt"]
seeds = [1, 2]
[options]
example = "none"
steps = 3
[[columns]]
group = "NL"
policy = ["basic", "act"]
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records of eight runs of which none was solved."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        Path("replies.txt").write_text("\n---\n".join(["I wonder.", "Action: look around"] * 4), encoding="utf-8")
        Path("mine.toml").write_text(SPEC, encoding="utf-8")
        assert main(["experiment", "mine.toml", "--cache", "none"]) == 0
    return folder / "runs/mine"


@pytest.fixture
def records(finished: Path, tmp_path: Path) -> Path:
    """A copy of these records."""
    return shutil.copytree(finished, tmp_path / "mine")


def test_tables_metrics_links_and_comparisons_are_printed_in_this_order(
    finished: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(finished)]) == 0
    said = capfd.readouterr().out
    places = [said.index(text) for text in ("domain", "mistakes", "unreadable", "Holm")]
    assert places == sorted(places)
    assert "visitall (2)" in said
    assert "\x1b" not in said


def test_every_format_is_printed_or_written(finished: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for form, beginning in (("markdown", "## "), ("latex", "\\begin{table}")):
        assert main(["report", str(finished), "--format", form]) == 0
        printed = capfd.readouterr().out
        assert beginning in printed
        out = tmp_path / "deep" / form
        assert main(["report", str(finished), "--format", form, "--out", str(out)]) == 0
        assert capfd.readouterr().out == f"report: {out}\n"
        assert out.read_text(encoding="utf-8").rstrip("\n") == printed.rstrip("\n")


def test_csv_is_one_file_per_table_that_pandas_reads(
    finished: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pandas = pytest.importorskip("pandas")
    assert main(["report", str(finished), "--format", "csv", "--out", str(tmp_path)]) == 0
    files = [Path(line.removeprefix("report: ")) for line in capfd.readouterr().out.splitlines()]
    assert files[:2] == [tmp_path / "how.csv", tmp_path / "coverage.csv"]
    assert len(files) == 6
    assert all(len(pandas.read_csv(path)) for path in files)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_rows_of_runs_and_steps(ending: str, finished: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pandas = pytest.importorskip("pandas")
    out = tmp_path / f"mine.{ending}"
    assert main(["report", str(finished), "--format", "runs", "--wide", "--out", str(out)]) == 0
    assert capfd.readouterr().out == f"runs: {out}\nsteps: {tmp_path}/mine-steps.{ending}\n"
    read = {
        "csv": pandas.read_csv,
        "jsonl": lambda path: pandas.read_json(path, lines=True),
        "parquet": pandas.read_parquet,
    }[ending]
    runs, steps = read(out), read(tmp_path / f"mine-steps.{ending}")
    assert len(runs) == 8
    assert runs["outcome"].eq("solved").sum() == runs["coverage"].sum()
    assert set(steps["run"]) <= set(runs["run"])
    executed = steps[steps["status"] == "executed"].groupby("run").size()
    lengths = runs[runs["solved"]].set_index("run")["plan-length"]
    assert {run: executed.get(run, 0) for run in lengths.index} == lengths.to_dict()


def test_rows_have_the_columns_that_are_not_empty_and_at_most_sixty(finished: Path, tmp_path: Path) -> None:
    def columns(*options: str) -> list[str]:
        assert main(["report", str(finished), "--format", "runs", "--out", str(tmp_path / "rows.csv"), *options]) == 0
        return (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()[0].split(",")

    narrow, wide = columns(), columns("--wide")
    assert len(narrow) <= 60 < len(wide)
    assert narrow == [name for name in wide if name in narrow], "the same order"
    assert {"run", "outcome", "coverage", "steps"} <= set(narrow)
    assert "plan-length" in wide
    assert "plan-length" not in narrow, "no run found a plan"


def test_a_column_for_each_seed_on_request(finished: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(finished), "--by-seed", "--json"]) == 0
    table, *others = json.loads(capfd.readouterr().out)["tables"]
    labels = [column["label"] for column in table["columns"]]
    assert labels[:3] == ["NL Basic mean", "NL Basic seed 1", "NL Basic seed 2"]
    for line in table["sections"][0]["lines"]:
        mean, *seeds = [cell["value"] for cell in line["cells"]]
        assert mean == sum(seeds) / len(seeds)
    assert not any("seed" in column["label"] for other in others for column in other["columns"])


def test_a_table_has_three_lines_of_notes_and_with_v_all(finished: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def notes(*options: str) -> list[int]:
        assert main(["report", str(finished), *options]) == 0
        tables = re.split(r"^-+$", capfd.readouterr().out, flags=re.MULTILINE)
        return [len(part.partition("\n\n")[2].partition("\n\n")[0].splitlines()) for part in tables]

    few = notes()
    assert max(few) == 3
    assert max(notes("-v")) > 6


def test_rows_in_an_unknown_format_are_refused(finished: Path) -> None:
    assert ".parquet" in refused("report", str(finished), "--format", "runs", "--out", "runs.xlsx")


def test_json_has_the_tables_and_what_broke(finished: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(finished), "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["name"], said["runs"], said["missing"], said["infrastructure_errors"]) == ("mine", 8, 0, [])
    assert [table["key"] for table in said["tables"]] == ["coverage", "metrics", "cost", "links", "comparisons"]
    assert said["how"]["seeds"] == "1 to 2"
    assert said["doubts"] == []


def test_pages_stand_beside_the_records_and_may_stand_elsewhere(
    records: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["report", str(records), "--format", "html"]) == 0
    assert capfd.readouterr().out == f"report: {records / 'report' / 'index.html'}\n"
    page = (records / "report" / "index.html").read_text(encoding="utf-8")
    assert "pip install" in page, "plots are missing, and the page says what draws them"
    there = tmp_path / "there.html"
    assert main(["report", str(records), "--format", "html", "--out", str(there), "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"report": str(there), "plots": []}
    assert there.is_file()
    # The pages are no records: the folder is reported as before.
    assert main(["report", str(records), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["runs"] == 8


def test_two_columns_are_compared_by_any_metric(finished: Path, capfd: pytest.CaptureFixture[str]) -> None:
    columns = ["--compare", "NL Basic", "--compare", "NL Act"]
    assert main(["report", str(finished), *columns, "--metric", "mistakes", "--json"]) == 0
    table = json.loads(capfd.readouterr().out)["tables"][-1]
    assert table["key"] == "comparisons-mistakes"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "docx"], "'docx' is not one of 'text', 'csv', 'markdown', 'latex', 'html', 'runs'"),
        (["--compare", "NL Act"], "give --compare at least twice"),
        (["--compare", "NL Act", "--compare", "NL Basik"], "no column 'NL Basik' in this experiment"),
        (["--metric", "coverages"], "no metric 'coverages'"),
        (["--metric", "cache-hits"], "cache-hits"),
        (["--format", "html", "--metric", "steps"], "--compare and --metric are for tables"),
    ],
)
def test_what_there_is_not_is_exit_code_2(
    options: list[str], message: str, finished: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(finished), *options]) == 2
    out, err = capfd.readouterr()
    assert message in err
    assert not out


def test_what_broke_is_said_first_and_is_no_failure_of_the_report(
    records: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = sorted(records.glob("*act*.jsonl"))[0]
    fault = {"step": 1, "status": "infrastructure-error", "text": ""}
    broken = {"outcome": "infrastructure-error", "fault": fault, "message": "503"}
    rewrite(path, lambda events: events[-1].update(broken))
    sorted(records.glob("*basic*.jsonl"))[0].unlink()
    assert main(["report", str(records)]) == 0
    said = capfd.readouterr().out
    assert said.startswith("Infrastructure errors: 1 run is in no cell of the tables\n")
    assert said.index(f"{path.stem}: 503") < said.index("Not run yet: 1 of 8 runs") < said.index("visitall (2)")


def test_a_folder_without_records_and_one_that_is_no_record_are_exit_code_2(records: Path, tmp_path: Path) -> None:
    assert "no such folder" in refused("report", str(tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    assert "holds no finished record" in refused("report", str(tmp_path / "empty"))
    path = sorted(records.glob("*.jsonl"))[0]
    path.write_text(path.read_text(encoding="utf-8").replace('"event"', '"evening"', 1), encoding="utf-8")
    assert f"{path.name}:1: " in refused("report", str(records))
    shutil.rmtree(records)
    records.mkdir()
    (records / "experiment.json").write_text("[]", encoding="utf-8")
    assert "experiment.json" in refused("report", str(records))


def test_plots_need_an_extra_and_those_that_there_is_nothing_for_are_said(
    finished: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "matplotlib", None)
        assert main(["report", str(finished), "--plots", str(tmp_path / "figures")]) == 2
        assert "pip install 'pddl2nl[plots]'" in capfd.readouterr().err
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")

    def draw(gathered: object, key: str, form: str) -> bytes:
        if key == "cost-by-coverage":
            raise NoDataError("no prices")
        return f"{key} as {form}".encode()

    monkeypatch.setattr("pddl2nl.reports.plots.draw", draw)
    assert main(["report", str(finished), "--plots", str(tmp_path / "figures"), "--json"]) == 0
    said = capfd.readouterr()
    written = json.loads(said.out)["plots"]
    assert written == [str(path) for path in map(Path, written) if path.is_file()]
    assert {Path(path).suffix for path in written} == {".svg", ".pdf"}
    assert said.err == "warning: not drawn: cost-by-coverage: no prices\n"


def test_a_full_disk_leaves_the_page_that_was_there(finished: Path, tmp_path: Path) -> None:
    # The limit on a file's size is a disk that is full for this process alone. Python would cut off compiled modules.
    code = """
        import resource, signal, sys
        sys.dont_write_bytecode = True
        from pddl2nl.cli.app import main
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        sys.exit(main(["report", sys.argv[1], "--format", "html", "--out", sys.argv[2]]))
    """
    page = tmp_path / "page.html"
    page.write_text("the page of yesterday", encoding="utf-8")
    command = [sys.executable, "-c", textwrap.dedent(code), str(finished), str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert f"cannot write {page}: File too large" in done.stderr
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["the page of yesterday"]


def test_it_says_what_it_cannot_vouch_for(records: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(records)]) == 0

    def renamed(events: list[dict[str, Any]]) -> None:
        script = re.compile(r"script:[^\"]*replies.txt")
        events[:] = [json.loads(script.sub("gpt-9", json.dumps(event))) for event in events]

    # A script is no model that somebody else may have asked.
    assert "is what the records say" not in capfd.readouterr().out
    # In an experiment's folder, the file's name would show it.
    (records / "experiment.json").unlink()
    for path in records.glob("*.jsonl"):
        rewrite(path, renamed)
    assert main(["report", str(records)]) == 0
    assert "That the replies came from gpt-9 is what the records say." in capfd.readouterr().out
