"""Help: every option with its default, and one text for the same option everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from pddl2nl.cli.app import make_app

DIFFERENT = {
    # Shipped domains to train on, and the domain of a scene graph that is read.
    "--domain",
    # Files, folders and seeds of different things; models of different roles.
    *("--out", "--seed", "--seeds", "--model", "--domains", "--instances", "--name", "--set", "--format", "--plan"),
    *("--json", "--verbose", "--workers", "--steps", "--rounds", "--dry-run", "--all"),
    # The cache itself, and the cache that a command uses.
    "--cache",
    # With and without llm; of a verdict, of new names, of a domain without costs.
    "--wording",
    # With and without the random walk, or none; one rule or several; for some policies only.
    *("--planner", "--reading", "--ontology", "--task-text"),
    # Of a command, and of a call of a server.
    "--seconds",
    # Of runs, and of prompts for training.
    "--policy",
    # Of a policy, which knows the automaton, and of a command; a file of subtasks, and macro-actions as well.
    *("--graph", "--subtasks"),
    # Of revisions, and of tasks that are read.
    "--check",
    # Of a search, and of the process that answers an agent's calls.
    "--memory",
    # Of problems and of questions.
    *("--count", "--form"),
}


def commands(group: Any, *names: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)
        else:
            yield " ".join((*names, name)), command


ALL = dict(commands(typer.main.get_command(make_app())))


@pytest.mark.parametrize("name", ALL)
def test_every_option_has_help_and_says_its_default(name: str) -> None:
    for option in ALL[name].params:
        if option.param_type_name != "option" or option.name == "help":
            continue
        assert option.help, option.name
        if not (option.is_flag or option.required):
            assert option.default is not None or isinstance(option.show_default, str), option.name


def test_the_same_option_has_the_same_text_everywhere() -> None:
    texts: dict[str, dict[str, list[str]]] = {}
    for name, command in ALL.items():
        for option in command.params:
            if option.param_type_name == "option":
                texts.setdefault(option.opts[-1], {}).setdefault(option.help, []).append(name)
    assert {flag: uses for flag, uses in texts.items() if len(uses) > 1 and flag not in DIFFERENT} == {}
