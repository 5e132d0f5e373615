"""README and documentation are true: their commands print what is shown, their Python runs, their links lead somewhere.

In a page, a block with a title is a file (``toml title="first.toml"``), a ``console`` block is a list of commands
with their output, and a ``python`` block is a session (``>>>``) or a script. All of them are run, in order, in one
folder for each page. A line ``…`` stands for any lines, within a line for any text; ``# exit code 1`` behind a command
is its exit code. Of the ``sh`` blocks, whose output is not shown, every line is run that needs nothing from elsewhere
(`ELSEWHERE`); ``text`` and ``py`` are not run.

``PDDL2NL_WRITE_GOLDEN=1`` writes what the commands print now into pages that show something else.
"""

from __future__ import annotations

import os
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

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
}
README = PAGES["README.md"]
BLOCK = re.compile(r"(?m)^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL)
EXTRAS = {
    "macros": (
        ("rdflib", "z3"),
        r"(?m)^\$.*(macro prove|taskgraph prove|--policy hvr|hvr-table-2|hvr-faults)|^>>>.*(pddl2nl\.prove|EdgeProver)",
    ),
    "tokens": (("rs_bpe",), r"(?m)^\$.*(sayplan-tables|scene (show|expand|collapse))"),
    "unified-planning": (("unified_planning",), r"(?m)^>>> .*(to_up|from_up|unified_planning)"),
    "mcp": (("mcp",), r"(?m)^from mcp |^>>> .*mcp_server_stdio"),
    "tarski": (("tarski",), r"(?m)^>>> from pddl2nl.interop.tarski"),
    "gymnasium": (("gymnasium",), r"(?m)^>>> import gymnasium"),
    "inspect": (("inspect_ai",), r"(?m)^>>> from inspect_ai|^\$ .*export inspect"),
    "tensorboard and hf": (("tensorboardX", "datasets"), r"(?m)^\$ .*(--log tensorboard|export hf)"),
    "frames": (("pandas",), r"(?m)^>>>.*\.to_frame\("),
}
"""The extras that a page may need: their modules, and what on the page needs them."""
WRITE = os.environ.get("PDDL2NL_WRITE_GOLDEN") == "1"


@dataclass(frozen=True)
class Block:
    """A block of a page: a file, commands, or Python."""

    language: str
    title: str
    text: str


@dataclass(frozen=True)
class Shown:
    """A command of a page with the output that is shown below it."""

    command: str
    output: str
    exit_code: int
    line: str = ""


def blocks(text: str) -> list[Block]:
    """The blocks of a page that are run or written."""
    found = [Block(*match) for match in BLOCK.findall(text)]
    return [block for block in found if block.title or block.language in ("console", "python")]


def commands(text: str) -> Iterator[Shown]:
    """The commands of a console block."""
    for part in re.split(r"(?m)^\$ ", text)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command += f"\n{more}"
        line = command
        command, _, remark = command.partition("  # ")
        code = re.search(r"exit code (\d+)", remark)
        yield Shown(command.strip(), output, int(code[1]) if code else 0, line)


def pattern_of(output: str) -> re.Pattern[str]:
    """The shown output as a pattern."""
    pattern = ""
    for line in output.rstrip("\n").split("\n"):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(piece.rstrip()) for piece in line.split("…")) + r"[ ]*\n"
    return re.compile(pattern + r"\s*\Z")


def run_page(text: str, home: Path) -> list[str]:
    """Runs the blocks of a page, and returns what is not as shown."""
    wrong = []
    for block in blocks(text):
        if block.title:
            path = home / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            wrong += [fault for shown in commands(block.text) if (fault := run_command(shown, home))]
        else:
            wrong += run_python(block.text, home)
    return wrong


def shell(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    """A command line, in which ``pddl2nl`` and ``python`` are those of this environment."""
    python = shlex.quote(sys.executable)
    command = re.sub(r"(^|[|&;(] ?)pddl2nl ", rf"\1{python} -m pddl2nl ", command)
    command = re.sub(r"(^|[|&;(] ?)python ", rf"\1{python} ", command)
    search = os.pathsep.join((str(ROOT), str(ROOT / "validators")))
    return subprocess.run(
        ["bash", "-c", command],
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": search, "LANG": "C.UTF-8"},
    )


def run_command(shown: Shown, home: Path) -> str:
    """What a command prints otherwise than shown; empty if it is as shown."""
    done = shell(shown.command, home)
    printed = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).split("\n"))
    if done.returncode == shown.exit_code and pattern_of(shown.output).match(printed + "\n"):
        return ""
    if WRITE:
        for page, text in [*PAGES.items()]:
            if shown.output and (old := f"$ {shown.line}\n{shown.output}") in text:
                PAGES[page] = text.replace(old, f"$ {shown.line}\n{printed.rstrip()}\n")
                (ROOT / page).write_text(PAGES[page], encoding="utf-8")
    return f"$ {shown.command}\nexit code {done.returncode}, and it printed:\n{printed}"


def run_python(text: str, home: Path) -> list[str]:
    """What a session or a script does otherwise than shown."""
    if ">>>" not in text:
        script = home / "block.py"
        script.write_text(text, encoding="utf-8")
        done = shell("python block.py", home)
        return [f"{text}\n{done.stderr}"] if done.returncode else []
    (home / "block.txt").write_text(text, encoding="utf-8")
    done = shell(f"python -m doctest -o ELLIPSIS -o NORMALIZE_WHITESPACE {shlex.quote('block.txt')}", home)
    return [done.stdout + done.stderr] if done.returncode else []


SLOW = {
    "docs/explanation/brainbody.md",
    "docs/guides/gymnasium.md",
    "docs/guides/obfuscate.md",
    "docs/guides/robots.md",
    "docs/guides/scene-graphs.md",
    "docs/guides/training.md",
    "docs/guides/agents.md",
    "docs/explanation/hvr.md",
    "docs/guides/replay.md",
    "docs/guides/why-wrong.md",
    "docs/reference/experiment-files.md",
    "docs/tutorials/compare-models.md",
    "docs/tutorials/own-domain.md",
    "docs/guides/faults.md",
    "docs/guides/inspect.md",
    "docs/guides/questions.md",
    "docs/explanation/sayplan.md",
    "docs/guides/reports.md",
    "docs/guides/trackers.md",
    "docs/guides/unified-planning.md",
    "docs/guides/plugins.md",
    "docs/explanation/taskgraph.md",
    "docs/tutorials/local-model.md",
    "docs/tutorials/paper-table.md",
}
"""Pages whose commands take more than five seconds."""
RUN = [
    pytest.param(page, marks=[pytest.mark.heavy] if page in SLOW else [])
    for page, text in PAGES.items()
    if blocks(text)
]


@pytest.fixture(scope="module")
def pages(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, needs_planner: None
) -> Iterator[dict[str, Future[list[str]]]]:
    """The selected pages that show commands, two at a time, since this process only waits for them."""
    tests = [item for item in request.session.items if item.path == Path(__file__) and hasattr(item, "callspec")]
    with ThreadPoolExecutor(2) as pool:
        yield {
            page: pool.submit(run_page, PAGES[page], tmp_path_factory.mktemp("page"))
            for page in (test.callspec.params["page"] for test in tests)
        }


@pytest.mark.parametrize("page", RUN)
def test_what_a_page_shows_is_what_happens(page: str, pages: dict[str, Future[list[str]]]) -> None:
    for extra, (modules, wanted) in EXTRAS.items():
        for module in modules if re.search(wanted, PAGES[page]) else ():
            pytest.importorskip(module, reason=f"{module} is absent: pip install 'pddl2nl[{extra}]'")
    wrong = pages[page].result()
    assert not wrong, "\n\n".join(wrong)


ELSEWHERE = (
    r"^(pip|vllm|export|python grpo\.py) |^inspect view|gguf|transformers:|gpt-4o-|llama3|localhost:|tcp://"
    r"|--cluster slurm|LLMs-Planning|acpbench|dry-tea|experiment react\.toml$|report runs/react"
    r"|--budget-usd 200|report runs/table-2|^pddl2nl view "
)
"""What is in lines that are not run: a package index, a server, a model, a cluster, files of others, or replies, and
``view``, which ends with Ctrl-C."""


def shell_lines() -> Iterator[tuple[str, str]]:
    """Each line of a block of the shell that needs nothing from elsewhere, with its page."""
    for page, text in PAGES.items():
        for language, title, block in BLOCK.findall(text):
            for line in block.replace("\\\n", "").splitlines() if language == "sh" and not title else ():
                if not re.search(ELSEWHERE, line):
                    yield page, line.partition("  # ")[0].strip()


MOCKED = """
import sys
from inspect_ai._cli.main import main
from inspect_ai.model import ModelUsage
from inspect_ai.model._providers.mockllm import MockLLM
# It would count tokens with a table from the network.
async def counted(self, output, *_):
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
MockLLM._ensure_default_usage = counted
sys.argv = ["inspect", *sys.argv[1:]]
main()
"""


@pytest.mark.heavy
@pytest.mark.parametrize(("page", "line"), list(shell_lines()))
def test_a_line_of_the_shell_that_needs_nothing_from_elsewhere_runs(page: str, line: str, tmp_path: Path) -> None:
    blocksworld = ROOT / "instances" / "blocksworld"
    shutil.copy(ROOT / "domains" / "blocksworld" / "domain.pddl", tmp_path)
    for name in ("p01", "p02"):
        shutil.copy(blocksworld / f"{name}.pddl", tmp_path)
    for language, title, block in BLOCK.findall(PAGES[page]):
        if title and language == "toml":
            (tmp_path / title).write_text(block, encoding="utf-8")
    small = 'domains = ["ferry"]\ninstances = ["p01"]\npolicies = ["random"]\n'
    (tmp_path / "SPEC.toml").write_text(small, encoding="utf-8")
    (tmp_path / "mocked.py").write_text(MOCKED, encoding="utf-8")
    if " report " in line:
        assert shell("pddl2nl run ferry p01 --policy random", tmp_path).returncode <= 1
    if "inspect eval" in line:
        pytest.importorskip("inspect_ai", reason="inspect_ai is absent: pip install 'pddl2nl[inspect]'")
        line = line.replace("inspect eval", "python mocked.py eval").replace("openai/gpt-4o", "mockllm/model")
    if "--cluster" in line:
        pytest.importorskip("distributed", reason="distributed is absent: pip install 'pddl2nl[cluster]'")
    done = shell(line, tmp_path)
    assert done.returncode == 0, f"{page}: {line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert "Traceback" not in done.stdout + done.stderr


def test_every_block_has_a_language() -> None:
    for page, text in PAGES.items():
        fences = re.findall(r"(?m)^```(.*)$", text)
        assert not [opening for opening in fences[::2] if not opening], page
        assert len(fences) % 2 == 0, page


def test_the_readme_fits_two_screens_and_names_the_first_commands() -> None:
    assert README.count("\n") <= 150
    assert re.search(r"(?m)^pip install -e '\.\[planners\]' && pddl2nl quickstart$", README)
    assert re.search(r"(?m)^pip install .*pytest", README)
    assert "GPL" in README


def test_links_and_pictures_of_the_readme_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", README) + re.findall(r'(?:src|srcset)="([^"]+)"', README)
    local = [target for target in targets if "://" not in target]
    assert local
    for target in local:
        assert (ROOT / target).exists(), target


def test_the_checks_of_pages_can_fail(tmp_path: Path) -> None:
    page = "```console\n$ echo one  # exit code 0\ntwo\n```\n```console\n$ false\n```\n```python\n>>> 1 + 1\n3\n```\n"
    assert len(run_page(page, tmp_path)) == 3
