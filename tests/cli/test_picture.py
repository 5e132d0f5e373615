"""``pddl2nl picture``: files, standard output, failed plans, bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.cli.app import main


def picture(*arguments: object) -> int:
    return main(["picture", "blocksworld", "p01", *map(str, arguments)])


def test_a_state_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert picture() == 0
    out = capsys.readouterr().out
    assert out.startswith("<svg ")
    assert "<desc>a: (ontable a). b: (on b a)." in out


def test_a_plan_has_a_panel_for_each_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("(unstack c b)\n(put-down c)\n")
    assert picture(plan, "--out", tmp_path / "new" / "plan.svg") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'new' / 'plan.svg'}\n"
    assert (tmp_path / "new" / "plan.svg").read_text().count("<svg ") == 4
    assert picture(plan, "--step", 1) == 0
    assert "1. (unstack c b), goal 0 of 1" in capsys.readouterr().out


def test_a_failed_action_shows_what_it_lacked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("(unstack c b)\n(stack c d)\n")
    assert picture(plan, "--out", tmp_path / "plan.html") == 0
    assert "(stack c d): no action of this task" in capsys.readouterr().err
    plan.write_text("(stack a c)\n")
    assert picture(plan, "--out", tmp_path / "plan.html") == 0
    assert capsys.readouterr().err == "warning: (stack a c): not applicable; missing: (holding a)\n"
    page = (tmp_path / "plan.html").read_text()
    assert "data-shown='1'" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "plan.png"], "--out plan.png: expected a file that ends in .svg or .html"),
        (["--step", "1"], "--step 1: expected a number up to 0"),
        (["no-plan.txt"], "no-plan.txt: no such file"),
        (["--settings", "no.json"], "no.json: no such file"),
    ],
)
def test_bad_input_is_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert picture(*arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "Expected `object`, got `array`"),
        ('{"format": 2, "domain": "blocksworld-4ops"}', "Invalid enum value 2 - at `$.format`"),
        ('{"format": 1, "domain": "ferry"}', "made for the domain 'ferry', but the domain is 'blocksworld-4ops'"),
        ('{"format": 1, "domain": "blocksworld-4ops", "colours": {}}', "unknown field `colours`"),
        (kinds := '{"format": 1, "domain": "blocksworld-4ops", "kinds": {"object": %s}}', "malformed"),
        (kinds.replace("object", "bloc") % "{}", "kinds: found 'bloc', expected one of object"),
        (kinds % '{"icon": "blok"}', "did you mean 'block'?"),
        (kinds % '{"colour": "red"}', "kinds: object: colour: found 'red', expected one of blue"),
        (kinds % '{"nest": ["onn ?self ?in"]}', "did you mean 'on'?"),
        (kinds % '{"nest": ["on ?self"]}', "found 'on ?self', expected 2 arguments of 'on'"),
    ],
)
def test_a_wrong_picture_json_is_named(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "picture.json"
    settings.write_text(text)
    assert picture("--settings", settings) == 2
    assert f"{settings}: " in (said := capsys.readouterr().err)
    assert message in said


def test_names_of_a_task_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text(
        "(define (domain d) (:predicates (p<b>&x ?x)) (:action a :parameters (?x) :effect (p<b>&x ?x)))"
    )
    (tmp_path / "p.pddl").write_text(
        "(define (problem p) (:domain d) (:objects o</script>) (:init) (:goal (p<b>&x o</script>)))"
    )
    out = tmp_path / "o.html"
    assert main(["picture", str(tmp_path / "d.pddl"), str(tmp_path / "p.pddl"), "--out", str(out)]) == 0
    page = out.read_text()
    assert page.count("</script>") == 1
    assert "<b>" not in page.replace("<b>Goal</b>", "")
