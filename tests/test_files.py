"""Input files: a size limit, and texts that Python's own parsers cannot take."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from pddl2nl import files
from pddl2nl.cli.app import main
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, parse_toml, read_bytes, read_text
from pddl2nl.limits import LIMITS, OutsideLimits
from pddl2nl.quantities import megabytes, seconds, seeds
from pddlval import load_plan, read_plan

DIGITS = "9" * 5000
BRACKETS = "[" * 100_000 + "]" * 100_000
DOMAIN = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))"
PROBLEM = "(define (problem x) (:domain d) (:init) (:goal (p)))"


@pytest.fixture
def task(tmp_path: Path) -> tuple[str, str]:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(DOMAIN)
    problem.write_text(PROBLEM)
    return str(domain), str(problem)


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.txt"
    path.write_bytes(b"x" * 2_000_000)
    assert len(read_bytes(path)) == 2_000_000
    monkeypatch.setattr(files, "LIMITS", OutsideLimits(file_bytes=1 << 20))
    with pytest.raises(InputError, match=r"large\.txt: larger than 1 MiB, the limit for input files"):
        read_bytes(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero here")
def test_a_device_that_never_ends_is_refused(
    task: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files, "LIMITS", OutsideLimits(file_bytes=1 << 20))
    for arguments in (("/dev/zero", task[1], "/dev/zero"), (task[0], "/dev/zero", "/dev/zero"), (*task, "/dev/zero")):
        assert main(["validate", *arguments]) == 2
        assert "/dev/zero: larger than 1 MiB" in capfd.readouterr().err


def test_a_plan_of_one_endless_line_is_refused_before_it_is_read(task: tuple[str, str], tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("(a)\n(a " + "x " * (LIMITS.line_bytes // 2) + ")\n")
    tracemalloc.start()
    with pytest.raises(InputError, match=r"plan\.txt:2: the line is longer than 16 MiB"):
        load_plan(plan)
    assert tracemalloc.get_traced_memory()[1] < 5 * LIMITS.line_bytes
    tracemalloc.stop()


def test_a_long_action_takes_little_memory_and_a_short_message() -> None:
    """One line within the limits: it took 2 GB, and the message repeated it."""
    text = "(a " + "x " * 2_000_000 + ")\n(a)"
    tracemalloc.start()
    with pytest.raises(InputError, match="an action of more than 100,000 characters is not read") as refused:
        read_plan(text)
    assert tracemalloc.get_traced_memory()[1] < 8 * len(text)
    tracemalloc.stop()
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("form", ["{}=1", "[{}]", "x = {{ {} = 1 }}"])
@pytest.mark.parametrize("part", ["a", '"a"', "'a'"])
def test_a_key_of_thousands_of_parts_is_refused(form: str, part: str) -> None:
    with pytest.raises(InputError, match=r"file:2: not read as TOML: a key of more than 100 parts"):
        parse_toml("y = 1\n" + form.format(" . ".join([part] * 100_000)), "file")


def test_other_texts_are_no_long_keys() -> None:
    many = "".join(f"k{number} = 'one.two. three'\n" for number in range(1000))
    text = f"{many}a.b.c = 1\nt = '{'Go there. ' * 300}'\nx = \"{'w' * 1_000_000}\""
    assert len(parse_toml(text, "f")) == 1003


def test_text_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(path) == "a\nb\nc\n"
    path.write_bytes(b"a\xe4")
    with pytest.raises(InputError, match=r"not UTF-8 \(byte 1\)"):
        read_text(path)
    assert read_text(path, errors="replace") == "a\ufffd"
    with pytest.raises(InputError, match="no such file"):
        read_text(tmp_path / "missing.txt")
    with pytest.raises(InputError, match="a directory, where a plan was expected"):
        read_text(tmp_path, "plan")


@pytest.mark.parametrize(
    ("text", "reason"),
    [(DIGITS, "a number has too many digits"), (BRACKETS, "nested too deep"), ("{", "x:1:2: not JSON")],
)
def test_json_that_cannot_be_read(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        parse_json(text, "x")


COMMANDS: dict[str, Callable[[str, str, str], list[str]]] = {
    "domain": lambda domain, problem, bad: ["check", bad],
    "problem": lambda domain, problem, bad: ["check", domain, bad],
    "plan": lambda domain, problem, bad: ["validate", domain, problem, bad],
    "batch": lambda domain, problem, bad: ["validate", "--batch", bad, "--json"],
    "wording": lambda domain, problem, bad: ["convert", domain, problem, "--wording", bad],
    "mapping": lambda domain, problem, bad: [
        "tasks",
        "obfuscate",
        domain,
        problem,
        "--mapping",
        bad,
        "--out",
        f"{bad}-out",
    ],
    "specification": lambda domain, problem, bad: ["experiment", bad],
    "script": lambda domain, problem, bad: ["run", domain, problem, "--policy", "basic", "--model", f"script:{bad}"],
    "record": lambda domain, problem, bad: ["replay", bad],
}
ENDINGS = {"specification": ".toml", "record": ".jsonl", "batch": ".jsonl", "plan": ".txt"}
TEXTS = {
    "digits": {".toml": f"seeds = {DIGITS}\n", ".pddl": f"(define (problem x) (:init (= (f) {DIGITS})))"},
    "brackets": {".toml": f"seeds = {BRACKETS}\n", ".pddl": "(" * 100_000 + ")" * 100_000},
}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_reader_ends_with_an_error(
    name: str, kind: str, task: tuple[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ending = ".pddl" if name in ("domain", "problem") else ENDINGS.get(name, ".json")
    plain = DIGITS if kind == "digits" else BRACKETS
    bad = tmp_path / f"bad{ending}"
    bad.write_text(TEXTS[kind].get(ending, f'{{"replies": {plain}}}\n'))
    code = main(COMMANDS[name](*task, str(bad)))
    shown = capfd.readouterr()
    assert "Traceback" not in shown.err
    # A plan that is no plan is a verdict.
    assert code == (1 if name == "plan" else 2), shown.err[-2000:]


# ── the limits: the page lists each with its value ────────────────────────────────────────────────


_ROW = re.compile(r"^\| `(\w+)` \| ([\d,]+)(?: (\w+))? \|", re.MULTILINE)
_UNITS = {"MiB": 1 << 20, "MB": 1_000_000, "s": 1, "": 1}


def test_the_page_lists_every_limit_with_its_value(root: Path) -> None:
    listed = {
        name: int(value.replace(",", "")) * (1 if name.endswith("_mib") else _UNITS[unit])
        for name, value, unit in _ROW.findall((root / "docs/reference/limits.md").read_text())
    }
    assert listed == {field.name: getattr(LIMITS, field.name) for field in fields(LIMITS)}


# ── times, memory and seeds are written one way everywhere ────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "value"), [("90", 90), ("90s", 90), ("1.5", 1.5), ("30m", 1800), ("1h30m", 5400), ("2H", 7200), (7, 7)]
)
def test_times(text: str | float, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "0", "-1", "ten", "1d", "1001h", True, "9" * 5000])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="is no time such as 90s, 30m or 1h30m"):
        seconds(text)


@pytest.mark.parametrize(("text", "value"), [("4096", 4096), ("500m", 500), ("8g", 8192), ("8 GiB", 8192), (64, 64)])
def test_memory(text: str | int, value: int) -> None:
    assert megabytes(text) == value


@pytest.mark.parametrize(("text", "value"), [("1,2,5", (1, 2, 5)), ("1-4", (1, 2, 3, 4)), ("3, 1-3", (3, 1, 2))])
def test_seeds(text: str, value: tuple[int, ...]) -> None:
    assert seeds(text) == value


@pytest.mark.parametrize("text", ["", "x", "5-1", "1-99999999", "1;2", "-3"])
def test_what_are_no_seeds(text: str) -> None:
    with pytest.raises(ValueError, match="is no "):
        seeds(text)
