"""The README is the front door: its commands run, its output is real, its Python session works."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from pddl2nl.experiments.product import jobs_of, left_out
from pddl2nl.experiments.specification import load_experiment
from pddl2nl.llm.settings import load_catalogue

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Shown:
    """A command in the README and the output that stands below it; a line ``…`` stands for any lines."""

    command: str
    output: str
    exit_code: int

    @property
    def wants_macros(self) -> bool:
        """Whether it asks the prover or the knowledge graph, which are the extra ``macros``."""
        return re.search(r"macro prove|--policy hvr|hvr-table-2", self.command) is not None


def shown_commands() -> list[Shown]:
    """Every ``$ pddl2nl …`` of the README's console blocks; ``# exit code N`` behind it names its exit code."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, output = part.partition("\n")
            command, _, remark = command.partition("  # ")
            code = re.search(r"exit code (\d+)", remark)
            found.append(Shown(command.strip(), output, int(code[1]) if code else 0))
    return found


def pattern_of(output: str) -> re.Pattern[str]:
    """The shown output as a pattern: ``…`` alone on a line stands for any lines, within a line for any text."""
    pattern = ""
    for line in output.rstrip("\n").split("\n"):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(piece.rstrip()) for piece in line.split("…")) + r"[ ]*\n"
    return re.compile(pattern + r"\s*\Z")


def needs_macros() -> None:
    """Skips where the prover or the knowledge graph is not installed."""
    for module in ("rdflib", "z3"):
        pytest.importorskip(module, reason=f"{module} is absent: pip install 'pddl2nl[macros]'")


def run(shown: Shown, home: Path) -> subprocess.CompletedProcess[str]:
    """Runs a shown command in a folder of its own that holds the shipped tasks."""
    for folder in ("domains", "instances"):
        shutil.copytree(ROOT / folder, home / folder)
    return subprocess.run(
        ["bash", "-c", shown.command.replace("pddl2nl ", f"{shlex.quote(sys.executable)} -m pddl2nl ")],
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
    )


@pytest.fixture(scope="module")
def processes(
    tmp_path_factory: pytest.TempPathFactory, needs_planner: None
) -> Iterator[dict[Shown, Future[subprocess.CompletedProcess[str]]]]:
    """The shown commands, two at a time, since this process only waits for them."""
    with ThreadPoolExecutor(2) as pool:
        yield {shown: pool.submit(run, shown, tmp_path_factory.mktemp("shown")) for shown in shown_commands()}


@pytest.mark.parametrize("shown", shown_commands(), ids=lambda shown: shown.command[:60])
def test_a_shown_command_prints_what_is_shown(
    shown: Shown, processes: dict[Shown, Future[subprocess.CompletedProcess[str]]]
) -> None:
    if shown.wants_macros:
        needs_macros()
    done = processes[shown].result()
    assert done.returncode == shown.exit_code, done.stdout + done.stderr
    printed = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).split("\n"))
    assert pattern_of(shown.output).match(printed), printed


def test_the_settings_and_the_specification_that_are_shown_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings, specification, columns, sets = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "models.toml").write_text(settings, encoding="utf-8")
    assert load_catalogue(tmp_path / "models.toml").of("my-model-7").takes_temperature is False
    for folder in ("domains", "instances"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    commented = re.sub(r"(?m)^# (?=profile|base_url)", "", specification)
    for text in (specification, commented):
        (tmp_path / "first.toml").write_text(text, encoding="utf-8")
        said = load_experiment(tmp_path / "first.toml")
        assert [len(domain.tasks) for domain in said.domains] == [2, 9]
        assert said.budget.usd == 20
        assert not [*left_out(said)]
    (tmp_path / "words").mkdir()
    for number in "12":
        shutil.copy(ROOT / "domains/blocksworld/wording.json", tmp_path / "words" / f"blocksworld{number}.json")
    (tmp_path / "columns.toml").write_text(columns, encoding="utf-8")
    said = load_experiment(tmp_path / "columns.toml")
    assert [column.name for column in said.columns] == ["Act", "Act, compact"]
    assert len(jobs_of(said)) == 40 * 2 + 40 * 5 + 40
    assert not [*left_out(said)]
    (tmp_path / "mine").mkdir()
    for file in ("domains/ferry/domain.pddl", "instances/ferry/p01.pddl"):
        shutil.copy(ROOT / file, tmp_path / "mine")
    (tmp_path / "sets.toml").write_text(sets, encoding="utf-8")
    said = load_experiment(tmp_path / "sets.toml")
    assert [(domain.label, len(domain.tasks)) for domain in said.domains] == [
        ("blocksworld", 20),
        ("visitall", 20),
        ("mine+strip-costs", 1),
        ("ferry+obfuscate-generic", 9),
    ]


@pytest.mark.usefixtures("needs_planner")
def test_the_python_session_gives_what_it_shows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for folder in ("domains", "instances"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    session = README[: README.index(">>> from pddl2nl.worlds")].replace("```", "")
    run_session(session, least=10)


@pytest.mark.usefixtures("needs_planner")
def test_the_session_with_the_knowledge_graph_gives_what_it_shows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    needs_macros()
    shutil.copytree(ROOT / "domains", tmp_path / "domains")
    monkeypatch.chdir(tmp_path)
    session = README[README.index(">>> from pddl2nl.worlds") :].replace("```", "")
    run_session(">>> import pddl2nl\n" + session, least=6)


def run_session(session: str, least: int) -> None:
    """Runs a session as doctest does; ``least`` examples have to stand in it."""
    examples = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    assert len(examples.examples) >= least
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=failures.append)
    assert not failures, "".join(failures)


def test_the_two_commands_and_the_licence_of_the_planner_are_named() -> None:
    assert re.search(r"(?m)^pip install -e '\.\[planners\]' && pddl2nl quickstart$", README)
    assert re.search(r"(?m)^pip install .*pytest", README)
    assert "GPL" in README
    assert "separate process" in README


def test_the_pictures_exist() -> None:
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README) + re.findall(r'<img src="([^"]+)"', README)
    assert len(pictures) == 6
    for picture in pictures:
        assert (ROOT / picture).is_file(), picture
