"""Mutated tasks, records, wordings, specifications, replies and answers: no exception, and all forms say the same.

The same mutants in every run; `PDDL2NL_FUZZ=1000:2000 pytest -m heavy tests/fuzz` tries others. What a mutant has shown
stands as a small test beside the tests of the part that was mended.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.cli.app import main
from pddl2nl.errors import InfrastructureError, Pddl2nlError
from pddl2nl.llm import Message, Request, ScriptedModel
from pddl2nl.llm.endpoint.client import OpenAIModel
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.pddl import parse_domain, parse_problem
from pddl2nl.pddl.task import Task
from pddlval import Simulator
from tests.fuzz.tasks import TASKS
from tests.llm.chat_server import ChatServer, Trouble

FIRST, LAST = map(int, os.environ.get("PDDL2NL_FUZZ", "0:60").split(":"))
_SLOW = 30
"""Seconds after which a command on these small inputs hangs."""

pytestmark = pytest.mark.heavy

Random = random.Random


def run(*command: str, code: tuple[int, ...] = (0, 1, 2)) -> tuple[int, str]:
    """The exit code and the output of a command; fails where it raises, hangs or exits with another code."""
    out, errors = io.StringIO(), io.StringIO()

    def hangs(number: int, frame: object) -> None:
        raise AssertionError(f"{command} hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(_SLOW)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            ended = main(list(command))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert "Traceback" not in errors.getvalue(), (command, errors.getvalue())
    assert ended in code, (command, ended, errors.getvalue())
    return ended, out.getvalue()


# ── mutations ────────────────────────────────────────────────────────────────────────────────────

_WORDS = [
    "and",
    "or",
    "not",
    "imply",
    "forall",
    "exists",
    "when",
    "=",
    "<",
    ">",
    "<=",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "increase",
    "decrease",
    "assign",
    "scale-up",
    "at",
    "start",
    "end",
    "over",
    "all",
    "?duration",
    "#t",
    "always",
    "sometime",
    "at-most-once",
    "sometime-after",
    "within",
    "preference",
    "is-violated",
    "total-time",
    "either",
    "object",
    "number",
    "?x",
    "?y",
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "1e9",
    "minimize",
    "maximize",
]


def mutate_pddl(text: str, rng: Random) -> str:
    """Changes parts of a PDDL text: drops, doubles, moves and exchanges them, and words in them."""
    tokens = re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        open_at: list[int] = []
        parts: list[tuple[int, int]] = []
        for place, token in enumerate(tokens):
            if token == "(":
                open_at.append(place)
            elif token == ")" and open_at:
                parts.append((open_at.pop(), place + 1))
        words = [place for place, token in enumerate(tokens) if token not in "()"]
        if not parts or not words:
            return text
        (first, last), (other, end), word = rng.choice(parts), rng.choice(parts), rng.choice(words)
        part = tokens[first:last]
        kind = rng.randrange(7)
        if kind == 0:
            tokens[first:last] = []
        elif kind == 1:
            tokens[first:first] = part
        elif kind == 2:
            tokens[other:end] = part
        elif kind == 3:
            tokens[first:last] = ["(", rng.choice(_WORDS[:7]), *part, ")"]
        elif kind == 4:
            tokens[word] = tokens[rng.choice(words)]
        elif kind == 5:
            tokens[word] = rng.choice(_WORDS)
        else:
            tokens[last:last] = ["(", rng.choice(_WORDS), *tokens[other + 1 : end]]
    return " ".join(tokens)


_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    10**30,
    "",
    "\x1b[2J",
    "é\ud7ff",
    [],
    {},
    [[]],
    "{?x}",
    "nan",
    1.5,
)


def mutate_json(value: Any, rng: Random) -> Any:
    """Changes one place of a JSON value."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        kind = rng.randrange(6)
        if kind == 0:
            return {name: each for name, each in value.items() if name != key}
        if kind == 1:
            return {(name + "x" if name == key else name): each for name, each in value.items()}
        if kind == 2:
            return {**value, key: value[rng.choice(list(value))]}
        return {**value, key: mutate_json(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        place = rng.randrange(len(value))
        kind = rng.randrange(5)
        if kind == 0:
            return value[:place] + value[place + 1 :]
        if kind == 1:
            return [*value[:place], value[place], *value[place:]]
        return [*value[:place], mutate_json(value[place], rng), *value[place + 1 :]]
    if isinstance(value, str) and value and rng.random() < 0.6:
        return mutate_text(value, rng)
    return rng.choice(_VALUES)


def mutate_text(text: str, rng: Random) -> str:
    """Changes characters: drops, doubles and moves slices, and puts strange ones in."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        first = rng.randrange(len(text) + 1)
        last = min(len(text), first + rng.choice((1, 1, 3, 20)))
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:first] + text[last:]
        elif kind == 1:
            text = text[:first] + text[first:last] * 2 + text[last:]
        elif kind == 2:
            other = rng.randrange(len(text) + 1)
            text = text[:other] + text[first:last] + text[other:]
        else:
            text = (
                text[:first]
                + rng.choice([*list("()[]{}\"'\\,.:;=-?*\n\t\r\x00\x1b\u2028\u202e\ufeffé0"), "9" * 30])
                + text[last:]
            )
    return text


# ── tasks ────────────────────────────────────────────────────────────────────────────────────────


def walked(domain: Path, problem: Path, rng: Random) -> str | None:
    """A random plan of a task that is executed action by action; None of others."""
    try:
        tree = parse_domain(domain.read_text(encoding="utf-8"))
        simulator = Simulator(Task(tree, parse_problem(problem.read_text(encoding="utf-8"), tree)))
    except Pddl2nlError:
        return None
    state, lines = simulator.initial, []
    for _ in range(rng.randrange(4)):
        if simulator.is_goal(state):
            break
        actions = list(simulator.applicable(state))
        if not actions:
            break
        action = rng.choice(sorted(actions, key=str))
        successor = simulator.step(state, action).successor
        assert successor is not None, f"{action} is applicable and has no successor"
        state = successor
        lines.append(str(action))
    return "".join(f"{line}\n" for line in lines)


def check_forms(folder: Path, rng: Random) -> bool:
    """All commands on one task; whether `check` accepted it."""
    domain, problem, plan = (str(folder / name) for name in ("domain.pddl", "problem.pddl", "plan"))
    if run("check", domain, problem)[0] != 0:
        return False
    texts = [Path(plan).read_text(encoding="utf-8"), walked(Path(domain), Path(problem), rng)]
    for text in (text for text in texts if text is not None):
        Path(plan).write_text(text, encoding="utf-8")
        code, out = run("validate", domain, problem, plan, "--json")
        for form in ((), ("-v",)):
            other, said = run("validate", domain, problem, plan, *form)
            assert other == code, (form, code, other)
            if code < 2:
                assert ("Plan valid" in said) is (code == 0), said
        tolerant, _ = run("validate", domain, problem, plan, "--val-tolerance")
        if code == 2 or (code == 0 and "." not in text):
            assert (tolerant == 2) is (code == 2)
        if code == 2:
            return True
        verdict = json.loads(out)
        assert (verdict["verdict"] == "valid") is (code == 0)
        told_code, told = run("tell", domain, problem, plan, "--wording", "template", "--json")
        if told_code == 0 and verdict["verdict"] != "bad-plan" and "[" not in text and ":" not in text:
            lines = json.loads(told)["lines"]
            said_file = folder / "said"
            said_file.write_text("".join(f"{line['text']}\n" for line in lines), encoding="utf-8")
            read = json.loads(run("read", domain, problem, str(said_file), "--wording", "template", "--json")[1])
            if all(each["status"] == "read" for each in read["readings"]):
                assert read["plan"] == [line["action"] for line in lines]
    run("convert", domain, problem, "--wording", "template")
    return True


@pytest.mark.parametrize("name", TASKS)
def test_tasks(name: str, tmp_path: Path) -> None:
    accepted = 0
    for seed in range(FIRST, LAST):
        rng = Random(f"{name} {seed}")
        texts = dict(TASKS[name])
        part = rng.choice(("domain.pddl", "domain.pddl", "problem.pddl"))
        texts[part] = mutate_pddl(texts[part], rng)
        if rng.random() < 0.2:
            texts["plan"] = mutate_text(texts["plan"], rng)
        for file, text in texts.items():
            (tmp_path / file).write_text(text, encoding="utf-8")
        with shown(name, seed):
            accepted += check_forms(tmp_path, rng)
    # Else nothing was tried.
    assert accepted * 20 >= LAST - FIRST or LAST - FIRST < 20


@contextlib.contextmanager
def shown(name: str, seed: int) -> Iterator[None]:
    """Says which mutant failed."""
    try:
        yield
    except BaseException:
        sys.stderr.write(f"the mutant {name} {seed}: PDDL2NL_FUZZ={seed}:{seed + 1}\n")
        raise


# ── everything else from outside ─────────────────────────────────────────────────────────────────


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a task, a wording, a specification, a reply, and the record of a run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PDDL2NL_CACHE", "none")
    for file, text in TASKS["strips"].items():
        Path(file).write_text(text, encoding="utf-8")
    Path("replies.json").write_text(json.dumps(["[PLAN]\n1. move a from l1 to l2\n[PLAN END]"]), encoding="utf-8")
    command = ("run", "domain.pddl", "problem.pddl", "--policy", "basic", "--model", "script:replies.json")
    run(*command, "--example", "none", "--out", "runs")
    assert list(Path("runs").glob("*.jsonl"))
    run("convert", "domain.pddl", "--wording", "template", "--save-wording", "words.json")
    return tmp_path


def mutants(name: str) -> Iterator[tuple[int, Random]]:
    return ((seed, Random(f"{name} {seed}")) for seed in range(FIRST, LAST))


def test_records(played: Path) -> None:
    (record,) = Path("runs").glob("*.jsonl")
    lines = record.read_text(encoding="utf-8").splitlines()
    for seed, rng in mutants("records"):
        changed = list(lines)
        place = rng.randrange(len(lines))
        if rng.random() < 0.7:
            changed[place] = json.dumps(mutate_json(json.loads(lines[place]), rng))
        else:
            changed[place] = mutate_text(lines[place], rng)
        record.write_text("\n".join(changed) + "\n", encoding="utf-8")
        with shown("records", seed):
            run("report", "runs")
            run("replay", str(record))
            if json_of(changed) != json_of(lines):
                assert "identical (" not in run("replay", str(record))[1], changed[place]


def json_of(lines: list[str]) -> Any:
    try:
        return [json.loads(line) for line in lines]
    except ValueError:
        return None


def test_wordings(played: Path) -> None:
    words = json.loads(Path("words.json").read_text(encoding="utf-8"))
    for seed, rng in mutants("wordings"):
        text = json.dumps(mutate_json(mutate_json(words, rng), rng))
        Path("words.json").write_text(mutate_text(text, rng) if rng.random() < 0.2 else text, encoding="utf-8")
        with shown("wordings", seed):
            if run("convert", "domain.pddl", "problem.pddl", "--wording", "words.json")[0] == 0:
                run("tell", "domain.pddl", "problem.pddl", "plan", "--wording", "words.json", code=(0,))
                run("read", "domain.pddl", "problem.pddl", "replies.json", "--wording", "words.json")
                run("word", "review", "words.json", "domain.pddl")


SPECIFICATION = """name = "small"
domains = [{domain = "domain.pddl", problems = ["problem.pddl"]}]
policies = ["basic", "act"]
models = ["script:replies.json"]
seeds = [1, 2]
wordings = ["template"]
[options]
steps = 3
example = "none"
[access]
workers = 2
"""


def test_specifications(played: Path) -> None:
    for seed, rng in mutants("specifications"):
        text = mutate_text(SPECIFICATION, rng)
        if rng.random() < 0.5:
            lines = SPECIFICATION.splitlines()
            place = rng.randrange(len(lines))
            value = rng.choice(("[]", "{}", '""', "-1", "1e400", "[[1]]", "true", "1979-05-27", '["*"]', '"../x"'))
            lines[place] = f"{lines[place].partition(' = ')[0]} = {value}"
            text = "\n".join(lines)
        Path("small.toml").write_text(text, encoding="utf-8")
        with shown("specifications", seed):
            run("experiment", "small.toml", "--dry-run")


def test_replies(played: Path) -> None:
    plan = "Thought: I should move.\nAction: move a from l1 to l2\n"
    plan += "[PLAN]\n1. move a from l1 to l2\n(move a l2 l1)\n[PLAN END]\n"
    for seed, rng in mutants("replies"):
        Path("said").write_text(mutate_text(mutate_text(plan, rng), rng), encoding="utf-8")
        with shown("replies", seed):
            for options in ((), ("--turn",), ("--reading", "all"), ("--reading", "planbench")):
                run("read", "domain.pddl", "problem.pddl", "said", *options, "--json")
            text = Path("said").read_text(encoding="utf-8")
            Path("replies.json").write_text(json.dumps([text] * 3), encoding="utf-8")
            command = ("run", "domain.pddl", "problem.pddl", "--model", "script:replies.json", "--example", "none")
            run(*command, "--policy", rng.choice(("basic", "cot")), "--out", "played", code=(0, 1, 3))
            shutil.rmtree("played")


ANSWER = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "move a", "refusal": None, "reasoning_content": "hm"},
            "logprobs": {"content": [{"token": "move", "logprob": -0.1, "top_logprobs": [{"token": "go"}]}]},
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}},
}
FAULT = {
    "error": {"message": "no such model", "type": "invalid_request_error", "code": "model_not_found", "param": "x"}
}


def test_answers_of_endpoints() -> None:
    body, status = "", 200
    headers: tuple[tuple[str, str], ...] = ()
    with ChatServer(ScriptedModel([]), lambda number: Trouble(status, body, headers)) as server:
        for seed, rng in mutants("answers"):
            status = rng.choice((200, 200, 200, 400, 404))
            stream = status == 200 and rng.random() < 0.4
            answer: Any = ANSWER if status == 200 else FAULT
            if stream:
                answer = {**ANSWER, "choices": [{"index": 0, "delta": ANSWER["choices"][0]["message"]}]}  # type: ignore[index]
            body = json.dumps(mutate_json(answer, rng))
            body = mutate_text(body, rng) if rng.random() < 0.3 else body
            body = f"data: {body}\n\ndata: [DONE]\n\n" if stream else body
            headers = (("content-type", "text/event-stream"),) if stream else ()
            model = OpenAIModel("m", server.base_url, settings=ModelSettings(), max_retries=0)
            with contextlib.suppress(InfrastructureError):
                completion = model.complete(Request((Message("user", "Go."),), until="" if stream else None))
                assert isinstance(completion.text, str), (seed, body)
