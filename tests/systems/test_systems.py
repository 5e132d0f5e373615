"""What every system brings, and that names are unique among all of them."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.experiments.preparing import EMBEDDING
from pddl2nl.experiments.records.reader import event_from_json, event_kinds
from pddl2nl.plugins import System, systems
from pddl2nl.policies import Policy, entry_of, make_policy, policies
from pddl2nl.policies.events import EVENTS, RunEvent
from pddl2nl.policies.notes import Note
from pddl2nl.policies.policy import CORE, options_of
from pddl2nl.policies.spec import RUN_OPTIONS
from pddl2nl.tasks.generators import generators

FOLDER = Path(__file__).parent
SYSTEM = pytest.mark.parametrize("system", systems().values(), ids=list(systems()))
ENTRIES = [entry for entry in policies() if ":" not in entry.name]
ENTRY = pytest.mark.parametrize("entry", ENTRIES, ids=[entry.name for entry in ENTRIES])


@SYSTEM
def test_every_part_that_a_system_names_is_there(system: System) -> None:
    assert system.title
    parts = [getattr(system, part) for part in ("events", "records", "asks", "metrics", "plots")]
    for named in (system.policies, system.files, system.tables, system.generators, system.commands):
        parts += named.values()
    for where in filter(None, parts):
        try:
            assert system.load(where) is not None
        except MissingExtraError as error:
            pytest.skip(str(error))
    for name in filter(None, (system.presets, system.profiles, system.paper)):
        assert system.toml(name)
    if system.experiments:
        assert any(each.name.endswith((".toml", ".py")) for each in system.file(system.experiments).iterdir())
    assert {*system.generators} <= {*generators()}


@SYSTEM
def test_the_declaration_imports_nothing_else(system: System) -> None:
    tree = ast.parse(system.file("__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["from pddl2nl.plugins import System"]


@SYSTEM
def test_the_events_of_a_system_are_events_of_a_record_and_have_notes(system: System) -> None:
    if not system.events or system.records:
        pytest.skip("its records are no runs")
    for kind in system.load(system.events):
        assert kind in event_kinds().values()
        assert kind not in EVENTS
        assert isinstance(_blank(kind).note(), Note)


@pytest.mark.parametrize("name", [name for name in systems() if (FOLDER / name / "record.py").is_file()])
def test_notes_read_as_the_golden_file(name: str) -> None:
    """Written anew with PDDL2NL_GOLDEN=write; read the difference before it is kept."""
    lines = []
    for event in import_module(f"tests.systems.{name}.record").recorded():
        if event.event in event_kinds() and type(event) not in EVENTS:
            note = event.note()
            lines.append(f"{note.kind}: {note.title} | {note.verdict} | {note.tone} | {note.feedback} | {note.remark}")
            lines += [
                f"  {item.tone:4} {' '.join([item.label, *item.codes, item.text])}".rstrip()
                for item in (*note.lines, *note.items)
            ]
    file, text = FOLDER / name / "golden/notes.txt", "\n".join(lines) + "\n"
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def _blank(kind: type[RunEvent]) -> RunEvent:
    """An event with the smallest value of each field."""
    blank: dict[str, Any] = {"tuple": [], "bool": False, "str": ""}
    hints = {name: str(hint) for name, hint in get_type_hints(kind).items() if name in kind.__struct_fields__}
    fields = {name: next((blank[key] for key in blank if key in hint), 1) for name, hint in hints.items()}
    return event_from_json({"event": kind.__struct_config__.tag, **fields})


@ENTRY
def test_a_policy_and_its_presets_can_be_made_from_their_record(entry: Any) -> None:
    made = make_policy(entry.name)
    assert entry.title
    assert entry.summary or entry.kind.summary
    assert make_policy(entry.name, msgspec.to_builtins(made)) == made
    assert {*made.styles} <= {"nl", "pddl"}
    assert bool(made.prompt_names) == made.needs_model
    assert {*made.prompt_names} <= {*made.prompts.names()}
    assert made.uses <= {*RUN_OPTIONS}
    if entry.system is not None:
        assert {*made.roles} <= {*entry.system.roles, EMBEDDING}
        assert {*made.files} <= {name for each in systems().values() for name in each.files}
        effort = made.effort(20)
        if made.needs_model and effort is not None:
            assert effort.opening + effort.later >= 1
            assert effort.replies > 0


@ENTRY
def test_every_option_has_a_description_and_a_name_of_its_own(entry: Any) -> None:
    for name, option in options_of(entry.kind).items():
        assert option.help or name.startswith("proposer"), f"{entry.name} {name}"
        assert name not in RUN_OPTIONS, f"{entry.name}: {name} is an option of every run"


@ENTRY
def test_an_unknown_option_is_refused_with_the_nearest_name(entry: Any) -> None:
    options = [*options_of(entry.kind)]
    if options and not hasattr(entry.kind, "proposer"):
        with pytest.raises(InputError, match=f"did you mean '{options[0]}'"):
            make_policy(entry.name, {f"{options[0]}s": "1"})


def test_presets_name_values_of_options() -> None:
    for entry in ENTRIES:
        assert {*entry.options} <= {*options_of(entry.kind)}
        if entry.preset:
            assert make_policy(entry.name) != make_policy(entry.preset)


def test_names_are_unique_among_systems() -> None:
    for names in (_names(), _parts("files"), _parts("generators"), _parts("commands"), _parts("policies")):
        assert [name for name, count in Counter(names).items() if count > 1] == []
    metrics = [metric.name for system in systems().values() if system.metrics for metric in system.load(system.metrics)]
    assert [name for name, count in Counter(metrics).items() if count > 1] == []


def _names() -> Iterator[str]:
    yield from CORE
    for system in systems().values():
        yield from dict.fromkeys((*system.policies, *system.toml(system.presets)))


def _parts(part: str) -> Iterator[str]:
    for system in systems().values():
        yield from getattr(system, part)


def test_a_class_that_is_no_policy_is_refused_when_it_is_asked_for(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "wrong.py").write_text(
        "from pddl2nl.policies import Policy\n"
        "class Typed(Policy):\n    styles: tuple[str, ...] = ('nl',)\n    def run(self, episode): ...\n"
        "class Other:\n    def run(self, episode): ...\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="'styles' is declared with a type"):
        make_policy("wrong:Typed")
    with pytest.raises(InputError, match=r"derived from pddl2nl\.policies\.Policy"):
        make_policy("wrong:Other")
    assert issubclass(entry_of("react").kind, Policy)
