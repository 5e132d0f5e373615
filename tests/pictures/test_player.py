"""Pages with a plan's states in a real browser: slider, buttons, play, phone, and pages of runs that ask for a step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pddl2nl import run
from pddl2nl.pictures import Pictures
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from pddl2nl.tasks.shipped import shipped_domain
from tests.reports.test_browser import chromium

__all__ = ["chromium"]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    task = shipped_domain("blocksworld").task("p01")
    path = tmp_path_factory.mktemp("page") / "plan.html"
    pictures = Pictures.of_plan(task, ["(unstack c b)", "(put-down c)", "(unstack b a)", "(stack b c)"])
    path.write_text(pictures.page(), encoding="utf-8")
    return path


def test_slider_and_buttons_show_each_state(chromium: Any, plan: Path) -> None:
    page = chromium.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(plan.as_uri())
    caption = page.locator("figcaption")
    # The script of a page may begin after the page is there.
    page.locator("figcaption", has_text="initial state").wait_for()
    assert page.get_by_label("previous state").is_disabled()
    page.get_by_label("next state").click()
    assert (caption.text_content() or "").startswith("(unstack c b); + (clear b) + (holding c)")
    assert page.locator("svg.pic .m").count() == 1
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("End")
    assert page.locator("output").text_content() == "4 of 4"
    assert page.locator("svg.pic .met").count() == 1
    assert page.locator(".pic-goals li.met").count() == 1
    page.keyboard.press("Home")
    assert page.locator("svg.pic .goal").count() == 1
    assert page.locator("svg.pic").get_attribute("aria-label") == "initial state"
    assert not errors
    page.close()


def test_play_shows_one_state_after_the_other(chromium: Any, plan: Path) -> None:
    page = chromium.new_page()
    page.clock.install()
    page.goto(plan.as_uri())
    page.locator("figcaption", has_text="initial state").wait_for()
    page.get_by_label("play", exact=True).click()
    page.clock.run_for(1_900)
    assert page.locator("output").text_content() == "2 of 4"
    page.get_by_label("pause").click()
    page.clock.run_for(5_000)
    assert page.locator("output").text_content() == "2 of 4"
    page.get_by_label("play", exact=True).click()
    page.clock.run_for(5_000)
    assert page.locator("output").text_content() == "4 of 4"
    assert page.get_by_label("play", exact=True).count() == 1
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_the_picture_and_not_the_page(chromium: Any, tmp_path: Path, scheme: str) -> None:
    (tmp_path / "wide.html").write_text(Pictures(shipped_domain("household").task("v01")).page(), encoding="utf-8")
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.goto((tmp_path / "wide.html").as_uri())
    page.locator("figcaption", has_text="initial state").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('.pic-room').scrollWidth") > 390
    dark = "rgb(22, 25, 28)"
    assert (page.evaluate("getComputedStyle(document.querySelector('.bg')).fill") == dark) is (scheme == "dark")
    context.close()


def test_the_picture_of_a_run_follows_its_steps(chromium: Any, tmp_path: Path) -> None:
    script = tmp_path / "replies.txt"
    script.write_text("(unstack c b)\n(stack a c)\n", encoding="utf-8")
    task = shipped_domain("blocksworld").task("p01")
    run(task, policy="basic", model=f"script:{script}", record=tmp_path / "records" / "run.jsonl")
    report = write_html(gather(tmp_path / "records"), tmp_path / "report.html", plots=False)
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{report.as_uri()}#run-run-step-1")
    anchor = page.evaluate("document.querySelector('article.run').id")
    page.goto(f"{report.as_uri()}#{anchor}-step-1")
    page.reload()
    page.locator("figcaption", has_text="(unstack c b);").wait_for()
    page.keyboard.press("j")
    assert page.locator("svg.pic .missing").count() == 2
    assert "missing: (holding a) (clear c)" in (page.locator("figcaption").text_content() or "")
    # Beside the steps, not above them.
    steps, figure = (page.locator(part).first.bounding_box() for part in (".turn", "figure.picture"))
    assert figure["x"] >= steps["x"] + steps["width"]
    page.close()
