"""What CONTRIBUTING.md promises: a policy and a model are one file and one line, a metric a function and one line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OWN = '''

def own() -> Experiment:
    """An experiment of our own."""
    return Experiment(name="own", domains=["ferry"], policies=["act"])
'''
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the toolkit to which the guide's policy, model and a domain were added as it says."""
    folder = tmp_path_factory.mktemp("grown")
    for name in ("pddl2nl", "validators", "domains", "instances"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    steps = re.findall(
        r"`(pddl2nl/[a-z/]+\.py)`:\n\n```python\n(.*?)```.*?\(`([^`]+)`\):\n\n```python\n(.*?)```", GUIDE, re.S
    )
    assert [step[0] for step in steps] == ["pddl2nl/policies/careful.py", "pddl2nl/llm/echo.py"]
    for new_file, code, registry_file, line in steps:
        (folder / new_file).write_text(code, encoding="utf-8")
        assert line.count("\n") == 1
        registry = folder / registry_file
        text = registry.read_text(encoding="utf-8")
        changed = re.sub(r"(?m)^((?:CORE|MODELS)[^\n]* = \{\n)", rf"\g<1>{line}", text)
        assert changed != text
        registry.write_text(changed, encoding="utf-8")
    function, line = re.findall(r"(?s)```python\n(.*?)```", GUIDE[GUIDE.index("## A metric") :])
    metrics = folder / "pddl2nl/reports/metrics.py"
    text = metrics.read_text(encoding="utf-8")
    for before, added in (("# ── the table of them", f"{function}\n\n"), ("    for role in (None, *roles()):", line)):
        assert text.count(before) == 1
        text = text.replace(before, added + before)
    metrics.write_text(text, encoding="utf-8")
    with (folder / "pddl2nl/experiments/ready.py").open("a", encoding="utf-8") as ready:
        ready.write(OWN)
    shutil.copytree(folder / "domains/visitall", folder / "domains/strolls")
    shutil.copytree(folder / "instances/visitall", folder / "instances/strolls")
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_new_policy_is_listed(grown: Path) -> None:
    done = run(grown, "-m", "pddl2nl", "policies")
    assert done.returncode == 0, done.stderr
    assert "looks around before every action" in done.stdout


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    ("policy", "model", "code", "outcome"),
    [("careful", "oracle", 0, "solved"), ("basic", "echo:hello", 1, "unreadable")],
)
def test_the_new_policy_and_the_new_model_play(grown: Path, policy: str, model: str, code: int, outcome: str) -> None:
    files = ("domains/ferry/domain.pddl", "instances/ferry/p01.pddl")
    done = run(grown, "-m", "pddl2nl", "run", *files, "--policy", policy, "--model", model, "--steps", "40")
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout.startswith(outcome)


def test_the_new_metric_is_in_reports_and_the_new_specification_is_listed(grown: Path) -> None:
    code = """
from pathlib import Path
import pddl2nl
from pddl2nl.experiments.specification.shipped import shipped_specs
from pddl2nl.llm import ScriptedModel
from pddl2nl.reports.gathering import gather

task = pddl2nl.load_task("domains/ferry/domain.pddl", "instances/ferry/p01.pddl")
model = ScriptedModel(["Action: four words at once"])
pddl2nl.run(task, policy="act", model=model, steps=1, example="none", record="measured/one.jsonl")
[run] = gather(Path("measured")).runs.values()
print(run.values["words"], [each.about for each in shipped_specs() if each.name == "own"])
"""
    done = run(grown, "-c", code)
    assert done.stdout == "4.0 ['An experiment of our own']\n", done.stdout + done.stderr


def test_the_new_domain_is_found_by_its_folder(grown: Path) -> None:
    code = "import pddl2nl; print(*pddl2nl.shipped_domains())"
    assert "strolls" in run(grown, "-c", code).stdout.split()
