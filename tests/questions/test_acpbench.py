"""ACPBench's files: its recorded answers are recomputed, and each difference has its reason."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.questions.acpbench import CheckedQuestion, check_questions, read_questions
from tests.cli.one_command import run_command
from tests.questions.asked import FERRY, PROBLEM


def checked(shared: Path, kind: str) -> list[CheckedQuestion]:
    """The questions of a kind that have PDDL, with their answers recomputed."""
    questions = [item for item in read_questions(shared / "acpbench") if (item.kind, item.form) == (kind, "open")]
    return [*check_questions(questions, jobs=2)]


@pytest.mark.parametrize("kind", ["applicability", "progression", "validation"])
def test_recorded_answers_are_recomputed(shared: Path, kind: str) -> None:
    answers = checked(shared, kind)
    assert len(answers) == 40
    assert [item.question.id for item in answers if not item.agrees] == []


def test_one_justification_is_incomplete(shared: Path) -> None:
    differing = [item.differences for item in checked(shared, "justification") if not item.agrees]
    # The plan goes (room2 room1), back, and (room2 room1) again: the way there and back can be left out at two places.
    assert differing == [
        (
            "(move robot1 room2 room1) (move robot1 room1 room2) -1 can be left out and is not recorded"
            " (without actions 2 and 3 it is a plan)",
        )
    ]


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_the_page_of_differences_is_what_the_command_writes(shared: Path, root: Path, tmp_path: Path) -> None:
    """All recorded answers are decided. Of what differs the page has each proof.

    The record says that every proposition of four tasks can hold, but a painted tile is never clear again. Its search
    for landmarks is incomplete.
    """
    code, printed, errors = run_command("questions", "check", shared / "acpbench", "--audit", tmp_path / "audit.md")
    assert code == 1, errors
    kinds = re.findall(r"(?m)^\S+: \d+ questions, 40 recomputed, (\d+) agree, (\d+) differ, 0 undecided$", printed)
    assert sorted((int(agree), int(differ)) for agree, differ in kinds) == [(27, 13), (36, 4), (39, 1), *[(40, 0)] * 5]
    page = root / "docs" / "reference" / "acpbench-audit.md"
    assert (tmp_path / "audit.md").read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


def entry(**changes: object) -> dict[str, object]:
    """A question in ACPBench's form."""
    return {
        "id": 7,
        "group": "applicable_actions_gen",
        "context": "A ferry.",
        "question": "Generate all.",
        "answer": ["(sail l k)", "(sail l l)"],
        "PDDL_domain": FERRY,
        "PDDL_problem": PROBLEM,
        **changes,
    }


def folder_of(tmp_path: Path, *entries: dict[str, object]) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "dev.gen.json").write_text(json.dumps(entries))
    return tmp_path


def test_the_command_prints_agreement_and_differences(tmp_path: Path) -> None:
    wrong = entry(id=8, answer=["(sail l k)"])
    asked = entry(id=9, group="applicable_actions_bool", answer="yes", PDDL_domain="", PDDL_problem="")
    folder = folder_of(tmp_path, entry(), wrong, asked)
    code, out, _ = run_command("questions", "check", folder, "--json")
    data = json.loads(out)
    assert code == 1
    counts = {"questions": 3, "recomputed": 2, "agree": 1, "differ": 1, "undecided": 0}
    assert data["kinds"] == [{"kind": "applicability", **counts}]
    assert [item["id"] for item in data["differences"]] == ["8"]
    assert "recorded ['(sail l k)'], computed ['(sail l k)', '(sail l l)']" in data["differences"][0]["differences"][0]
    code, out, _ = run_command("questions", "check", folder, "--kind", "landmarks")
    assert code == 0


def progression(text: str, pos: list[str], neg: list[str]) -> dict[str, object]:
    """A question about an action in words of ACPBench's own."""
    asked = f'Break down the outcomes of performing the action "{text}"'
    return entry(group="progression_gen", question=asked, answer={"pos": pos, "neg": neg})


SAIL = (["(ferry k)"], ["(ferry l)"])


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        (progression("travel by sea from l to k", *SAIL), "agrees"),
        (progression("sail from l to k", [], []), "differs"),
        # A paraphrase with other effects may mean another action.
        (progression("travel by sea from l to k", [], []), "undecided"),
        # No car can be boarded there: the applicable action is not the one that is named.
        (progression("board from l to k", *SAIL), "undecided"),
        (progression("board the car c at l", *SAIL), "undecided"),
    ],
)
def test_an_action_that_is_not_named_for_certain_is_undecided(
    tmp_path: Path, asked: dict[str, object], verdict: str
) -> None:
    (item,) = check_questions(read_questions(folder_of(tmp_path, asked)))
    found = "agrees" if item.agrees else "differs" if item.differences else "undecided"
    assert found == verdict


def test_kinds_are_printed_one_by_one_and_differences_make_a_page(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, progression("sail from l to k", [], []), entry())
    one, _, page = (run_command("questions", "check", folder, "--jobs", jobs)[1] for jobs in (1, 1, 2))
    assert one == page
    assert one.index("applicability: 1 questions, 1 recomputed, 1 agree") < one.index("progression: 1 questions")
    run_command("questions", "check", folder, "--audit", tmp_path / "audit.md")
    written = (tmp_path / "audit.md").read_text()
    assert "## progression: question 7 (ferry, two)" in written
    assert "what (sail l k) changes, pos: recorded [], computed ['(ferry k)']" in written


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([{"id": 1}], "not a file of ACPBench's questions"),
        ([entry(group="riddles_gen")], "question 0: group 'riddles_gen'; expected applicable_actions, progression"),
        ([entry(PDDL_domain="(define")], "question 7 (applicability): its PDDL cannot be read"),
        ([entry(answer=3)], "question or answer has another form than its kind's"),
        ([entry(group="validation_gen", question="no plan")], "question or answer has another form than its kind's"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, entries: list[dict[str, object]], message: str) -> None:
    folder = folder_of(tmp_path, *entries)
    with pytest.raises(InputError) as error:
        [*check_questions(read_questions(folder))]
    assert message in str(error.value)


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no files of questions"):
        read_questions(tmp_path)
