"""No text from outside controls the terminal: titles, cleared screens, links and faked lines are shown escaped."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

# A title, a cleared screen, a link, a line written over, a line in the wrong order, an 8-bit sequence, a bell.
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[H\x1b]8;;http://e.x\x1b\\here\x1b]8;;\x1b\\\rPlan valid\u202edilav\x9b31m\x08"
_OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[1A|\r(?=\x1b\[|\n)")
"""What rich and a terminal write themselves."""

DOMAIN = """(define (domain lamps) (:predicates (lit ?l)) (:action light :parameters (?l)
    :precondition (and) :effect (lit ?l)))"""
PROBLEM = "(define (problem one) (:domain lamps) (:objects a b) (:init) (:goal (lit a)))"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a task, in which everything else is hostile."""
    monkeypatch.chdir(tmp_path)
    files = {
        "domain.pddl": DOMAIN,
        "problem.pddl": PROBLEM,
        "plan": "(light a)\n",
        "bad.plan": f"(light {HOSTILE})\n{HOSTILE}",
        "bad.pddl": DOMAIN.replace("(lit ?l)", f"(lit {HOSTILE} ?l)", 1),
        f"{HOSTILE.replace('/', '-')}.plan": "(light b)\n",
        "said.txt": f"I light lamp {HOSTILE}\n",
        "reply.json": json.dumps([f"Light {HOSTILE} a"]),
        "bad.toml": f'domains = ["{json.dumps(HOSTILE)[1:-1]}"]\npolicies = ["basic"]',
        "other.json": json.dumps({"format": 1, "domain": HOSTILE}),
    }
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")


RUN = ("run", "domain.pddl", "problem.pddl", "--policy", "basic", "--model", "script:reply.json", "--example", "none")
TASK = ("domain.pddl", "problem.pddl")
COMMANDS = [
    ("validate", *TASK, "bad.plan"),
    ("validate", *TASK, f"{HOSTILE.replace('/', '-')}.plan"),
    ("validate", *TASK, HOSTILE),
    ("check", "bad.pddl"),
    ("read", *TASK, "said.txt", "--json"),
    ("convert", *TASK, "--wording", "other.json"),
    ("experiment", "bad.toml"),
    ("policies", HOSTILE),
    ("report", HOSTILE),
    RUN,
    (HOSTILE,),
]


def at_a_terminal(command: tuple[str, ...], environment: Mapping[str, str]) -> str:
    leader, follower = pty.openpty()
    process = subprocess.Popen(command, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    shown = b""
    while True:
        try:
            shown += os.read(leader, 65536)
        except OSError:
            break
    process.wait()
    os.close(leader)
    # The terminal itself ends lines so.
    return shown.decode("utf-8").replace("\r\n", "\n")


def is_clean(text: str) -> bool:
    return re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", _OURS.sub("", text)) is None


def process_of(command: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, str]]:
    return (sys.executable, "-m", "pddl2nl", *command), {**os.environ, "COLUMNS": "150", "TERM": "xterm-256color"}


@pytest.mark.parametrize(
    "command", [pytest.param(each, marks=pytest.mark.heavy) for each in COMMANDS[1:]] + COMMANDS[:1]
)
def test_no_command_shows_control_characters(command: tuple[str, ...]) -> None:
    line, environment = process_of(command)
    piped = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert is_clean(piped.stdout), piped.stdout
    assert is_clean(piped.stderr), piped.stderr
    assert re.search(r"\\u001b|\\x1b", piped.stdout + piped.stderr)
    assert "Traceback" not in piped.stderr
    shown = at_a_terminal(line, environment)
    assert is_clean(shown), shown
    assert re.search(r"\\u001b|\\x1b", shown)


def test_json_says_the_same_as_before(root: Path) -> None:
    line, environment = process_of(("read", *TASK, "said.txt", "--json"))
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert is_clean(done.stdout)
    assert "\x9b31m" in json.dumps(json.loads(done.stdout), ensure_ascii=False)


def test_tables_at_a_terminal_have_our_colours_and_no_others() -> None:
    code = (
        "import sys; sys.argv = ['x']; from pddlval.streams import set_streams; set_streams()\n"
        "from pddl2nl.cli.output import print_table, warn; from pddl2nl.cli.progress import bar_shown\n"
        f"bad = {HOSTILE!r}\n"
        "print_table(bad, (bad, 'b'), [(bad, bad)])\n"
        "with bar_shown(bad) as update:\n"
        "    update(bad, 1, 2); warn(bad)\n"
    )
    _, environment = process_of(())
    shown = at_a_terminal((sys.executable, "-c", code), environment)
    assert is_clean(shown), shown
    assert "\x1b[" in shown
    assert shown.count("\\u001b]0;owned") >= 5
