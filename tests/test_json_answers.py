"""What commands print with ``--json`` has the keys and types of ``docs/json_answers.py``, from which a page is made."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))
from json_answers import ANSWERS, Told  # noqa: E402


def faults(value: Any, kind: Any, place: str = "") -> list[str]:
    """Where a value is not of a type: keys that are missing or too many, and values of other types."""
    match kind:
        case Told():
            return faults(value, kind.kind, place)
        case tuple():
            return [] if any(not faults(value, one) for one in kind) else [f"{place}: {value!r:.200} is no {kind}"]
        case [inner] if isinstance(value, list):
            return [fault for each in value for fault in faults(each, inner, f"{place}[]")]
        case {"*": inner} if isinstance(value, dict):
            return [fault for each in value.values() for fault in faults(each, inner, f"{place}.*")]
        case dict() if isinstance(value, dict):
            kinds = {key.removesuffix("?"): one for key, one in kind.items()}
            found = [f"{place}: no {key}" for key in kind.keys() - value.keys() if not key.endswith("?")]
            found += [f"{place}: {key} is not described" for key in value.keys() - kinds.keys()]
            inside = (faults(value[key], kinds[key], f"{place}.{key}") for key in value.keys() & kinds.keys())
            return [*found, *(fault for each in inside for fault in each)]
        case list() | dict():
            right = False
        case _ if kind is Any:
            right = True
        case _ if get_origin(kind) is Literal:
            right = value in get_args(kind)
        case _:
            types = {NoneType if one is None else one for one in get_args(kind) or (kind,)}
            right = type(value) in types or (float in types and type(value) is int)
    return [] if right else [f"{place}: {value!r:.200} is no {kind}"]


COMMANDS = {
    "check": ("check blocksworld p01", "check wrong.pddl"),
    "convert": ("convert blocksworld p01", "convert blocksworld"),
    "tell": ("tell blocksworld p01 plan.txt",),
    "read": ("read blocksworld p01 reply.txt",),
    "read --turn": ("read blocksworld p01 turn.txt --turn",),
    "plan": ("plan blocksworld p01 --planner ff", "plan blocksworld p01 --planner random --steps 1"),
    "validate": ("validate blocksworld p01 plan.txt wrong.txt bad.txt",),
    "watch": ("watch blocksworld p01 plan.txt < facts.txt",),
    "run": ("run blocksworld p01 --policy act --model oracle", "run blocksworld p01 --policy random --steps 1"),
    "policies": ("policies",),
    "policies NAME": ("policies act",),
    "models": ("models",),
    "models NAME": ("models gpt-4o",),
    "experiment": ("experiment small.toml --out small",),
    "experiment --dry-run": ("experiment small.toml --dry-run",),
    "experiment --list": ("experiment --list",),
    "report": ("report small",),
    "report --format html": ("report small --format html",),
    "report --format runs": ("report small --format runs",),
    "replay": ("replay small",),
    "tasks pairs": ("tasks pairs suites",),
    "tasks generate": ("tasks generate",),
    "tasks generate NAME": ("tasks generate ferry",),
    "tasks generate NAME --parameters": ("tasks generate ferry --parameters",),
    "tasks obfuscate": ("tasks obfuscate suites/a/domain.pddl suites/a/p01.pddl --out obfuscated",),
    "tasks strip-costs": ("tasks strip-costs suites/a/domain.pddl suites/a/p01.pddl --out stripped",),
    "tasks equivalent": ("tasks equivalent blocksworld p01 p02",),
    "tasks manifest check": ("tasks manifest check movie --small --set primary",),
    "tasks manifest show": ("tasks manifest show movie",),
    "questions score": ("questions score questions.jsonl replies.jsonl",),
    "word review": ("word review odd.json blocksworld",),
    "macro compose": ("macro compose blocksworld '(pick-up ?x)' '(stack ?x ?y)'",),
    "macro prove": ("macro prove blocksworld p01 claim.pddl --block block.plan --args 'b c'",),
    "macro generate": ("macro generate blocksworld p01 'lift b' --model script:lift.txt --rounds 0",),
    "scene show": ("scene show building example",),
    "scene collapse": ("scene collapse building example",),
    "scene expand": ("scene expand building example kitchen",),
    "scene path": ("scene path building example kitchen livingroom",),
    "taskgraph show": ("taskgraph show alfred",),
    "taskgraph check": ("taskgraph check alfred subtasks.txt --graph printed",),
    "taskgraph prove FIRST SECOND": (
        "taskgraph prove alfred PutPickObject PickupObject",
        "taskgraph prove alfred PickupObject PutObject",
    ),
    "taskgraph sets": ("taskgraph sets",),
    "quickstart": ("quickstart --out quick",),
    "export inspect": ("export inspect small --out logs",),
    "export hf": ("export hf small --out rows",),
}
ELSEWHERE = {
    "questions check": "ACPBench's files",
    "audit planbench": "PlanBench's files",
    "training rewards": "rows that training export writes; docs/guides/training.md shows its answer",
    "taskgraph build": "prints the graph as taskgraph show does",
    "taskgraph prove": "takes a minute; each edge is that of one pair",
}
"""Commands whose answers are not tried here, and why."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("answers")
    wording = (ROOT / "domains" / "blocksworld" / "wording.json").read_text(encoding="utf-8")
    texts = {
        "plan.txt": "(unstack c b)\n(put-down c)\n(unstack b a)\n(stack b c)\n",
        "wrong.txt": "(unstack c b)\n(stack b c)\n",
        "bad.txt": "(pik a)\n",
        "wrong.pddl": "(define (domain d) (:predicates (p ?x)) (:action a :parameters () :effect (q)))",
        "reply.txt": "[PLAN]\nunstack block_2 from block_1\nstack block_9 on block_1\nI hope so.\n",
        "turn.txt": "Action: unstack block_2 from block_1\n",
        "facts.txt": "done\n(not (clear b))\nnonsense\n",
        "odd.json": wording.replace("pick up", "sing to"),
        "small.toml": 'name = "small"\ndomains = ["ferry"]\ninstances = ["p01"]\npolicies = ["act", "random"]\n'
        'models = ["oracle"]\nseeds = [1]\nbaselines = ["ff"]\n',
        "claim.pddl": "(:action lift :parameters (?x ?y) :precondition (and (clear ?x)) :effect (on ?x ?y))",
        "block.plan": "(pick-up b)(stack b c)",
        "lift.txt": "no conditions\n",
        "subtasks.txt": "PickupObject(Fork)\nSliceObject(Tomato)\nPutObject(Fork, Shelf)\n",
        "replies.jsonl": "",
    }
    for name, text in texts.items():
        (home / name).write_text(text, encoding="utf-8")
    (home / "suites" / "a").mkdir(parents=True)
    shutil.copy(ROOT / "domains" / "blocksworld" / "domain.pddl", home / "suites" / "a")
    shutil.copy(ROOT / "instances" / "blocksworld" / "p01.pddl", home / "suites" / "a")
    _pddl2nl("questions make blocksworld p01 --kind applicability --count 1 > questions.jsonl", home)
    _pddl2nl("experiment small.toml --out small", home)
    first = json.loads((home / "questions.jsonl").read_text(encoding="utf-8").splitlines()[0])
    (home / "replies.jsonl").write_text(json.dumps({"id": first["id"], "reply": "Answer: A"}), encoding="utf-8")
    return home


def _pddl2nl(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    search = os.pathsep.join((str(ROOT), str(ROOT / "validators")))
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": search, "LANG": "C.UTF-8"}
    line = ["bash", "-c", f"{sys.executable} -m pddl2nl {command}"]
    return subprocess.run(line, cwd=home, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.heavy
@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_prints_is_what_the_page_says(name: str, folder: Path) -> None:
    for command in COMMANDS[name]:
        before, _, rest = command.partition(" <")
        done = _pddl2nl(f"{before} --json{' <' if rest else ''}{rest}", folder)
        if "pip install" in done.stderr:
            pytest.skip(done.stderr)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert answers, done.stderr
        assert not [fault for answer in answers for fault in faults(answer, ANSWERS[name], name)]


def test_every_command_with_json_is_described() -> None:
    import typer

    from pddl2nl.cli.app import make_app

    def commands(group: Any, context: Any) -> Any:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            inner = type(context)(command, info_name=name, parent=context)
            if hasattr(command, "list_commands"):
                yield from commands(command, inner)
            elif any("--json" in getattr(each, "opts", ()) for each in command.params):
                yield inner.command_path.removeprefix("pddl2nl ")

    app = typer.main.get_command(make_app())
    found = {*commands(app, app.make_context("pddl2nl", ["--help"], resilient_parsing=True))}
    assert {re.sub(r" (--|[A-Z]).*", "", name) for name in ANSWERS} == found
    assert COMMANDS.keys() | ELSEWHERE.keys() == ANSWERS.keys()


def test_a_key_too_few_or_too_many_is_a_fault() -> None:
    line = {"action": "(a)", "text": "do a"}
    assert faults({"lines": [line]}, ANSWERS["tell"]) == []
    assert faults({"lines": [line | {"more": 1}]}, ANSWERS["tell"]) == [".lines[]: more is not described"]
    assert faults({"lines": [{"action": "(a)"}]}, ANSWERS["tell"]) == [".lines[]: no text"]
    assert len(faults({"lines": [line | {"text": 1}]}, ANSWERS["tell"])) == 1
