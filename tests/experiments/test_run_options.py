"""Every option of a run is declared once: the command line, files, Python and its help follow the declaration."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import pddl2nl
from pddl2nl.errors import InputError
from pddl2nl.experiments.example import THOUGHTS_TOKENS
from pddl2nl.experiments.preparing import WORDING_TOKENS
from pddl2nl.experiments.runs import run_spec
from pddl2nl.experiments.specification.schema import OPTIONS
from pddl2nl.policies.episode import TRANSLATOR_TOKENS
from pddl2nl.policies.spec import GROUPS, RUN_OPTIONS, RunSpec
from pddl2nl.tasks import shipped_task
from tests.answering import Answering

NO_OPTIONS = {"task", "profile", "record", "suite", "task_name"}


def test_every_field_is_an_option_with_help() -> None:
    assert {item.name for item in fields(RunSpec)} == {*RUN_OPTIONS} | NO_OPTIONS
    for option in RUN_OPTIONS.values():
        assert option.group in GROUPS
        assert option.help.endswith(".")
        assert option.default is not None or option.default_text, option.name


@pytest.mark.parametrize("name", [name for name, option in RUN_OPTIONS.items() if option.choices])
def test_a_wrong_choice_is_answered_with_the_right_ones(name: str) -> None:
    option = RUN_OPTIONS[name]
    nearly = option.choices[-1] + "x"
    with pytest.raises(InputError, match=f"{option.flag} .*did you mean '") as raised:
        pddl2nl.run(shipped_task("blocksworld", "p01"), "act", "oracle", **{name: nearly})
    assert all(choice in str(raised.value) for choice in option.choices)


@pytest.mark.parametrize("name", [name for name, option in RUN_OPTIONS.items() if option.at_least])
def test_a_number_that_is_too_small_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{RUN_OPTIONS[name].flag} -1: at least"):
        pddl2nl.run(shipped_task("blocksworld", "p01"), "act", "oracle", **{name: -1})


def test_an_unknown_option_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match="has no option 'budget_used'"):
        pddl2nl.run(shipped_task("blocksworld", "p01"), "act", "oracle", budget_used=1)


def test_help_describes_every_option() -> None:
    told = inspect.getdoc(pddl2nl.run) or ""
    assert [name for name in RUN_OPTIONS if f"\n    {name}: " not in told] == []


def test_files_take_the_options_that_are_no_keys_of_their_own() -> None:
    in_file = {name for name, option in RUN_OPTIONS.items() if option.in_file}
    assert {*OPTIONS.__struct_fields__} == in_file | {"planner_seconds", "planner_memory"}
    assert "max_tokens" in OPTIONS.__struct_fields__
    assert "budget_usd" not in OPTIONS.__struct_fields__


def test_the_longest_reply_is_no_budget(tmp_path: Path) -> None:
    """`--max-tokens 300` once ended Act after one step."""
    model = Answering("Action: look around")
    options: dict[str, Any] = {"example": "none", "steps": 3, "record": tmp_path / "run.jsonl"}
    result = run_spec(RunSpec.of(shipped_task("blocksworld", "p01"), "act", model=model, max_tokens=300, **options))
    assert result.steps == 3
    assert {request.max_tokens for request in model.requests} == {300}
    assert '"max_tokens": 300' in (tmp_path / "run.jsonl").read_text(encoding="utf-8").partition("\n")[0]


def test_help_tells_the_limits_that_max_tokens_does_not_change() -> None:
    limits = f"thoughts {THOUGHTS_TOKENS:,}, a wording {WORDING_TOKENS}, a translated line {TRANSLATOR_TOKENS}."
    assert RUN_OPTIONS["max_tokens"].help.endswith(limits)
