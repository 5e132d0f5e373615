"""Pages in a real browser, Debian's chromium, headless, driven by playwright: reports from disk, and the live view."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from pddl2nl.experiments.records.writer import RecordWriter
from pddl2nl.llm import ScriptedModel
from pddl2nl.llm.types import Completion, Request
from pddl2nl.policies.events import Fault
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import pages
from pddl2nl.reports.html.live import LiveServer
from tests.llm.chat_server import ChatServer
from tests.records import changed

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium():
    """The browser, started once."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser': pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs a Chromium: apt install chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, act_events, basic_events, planned, hostile):
    """Records of two tasks: an interactive run with mistakes, a plan that breaks, a planner's, and a broken run."""
    place = tmp_path_factory.mktemp("records")
    text = act_events[0].problem_pddl + "\n"
    other = changed(act_events[0], problem_pddl=text, task=hostile, seed=2)
    fault = Fault(0, "infrastructure-error", "503 from the endpoint")
    failed = structs.replace(basic_events[-1], outcome="infrastructure-error", fault=fault)
    records = {
        "act": act_events,
        "basic": basic_events,
        "ff": [planned],
        "other": [other, *act_events[1:]],
        "broken": [changed(other, policy="basic"), *basic_events[1:-1], failed],
    }
    for name, events in records.items():
        with RecordWriter(place / f"{name}.jsonl") as writer:
            for event in events:
                writer.write(event)
    return place


@pytest.fixture(scope="module")
def single(folder, tmp_path_factory):
    """The report as one file."""
    return pages.write_html(gather(folder), tmp_path_factory.mktemp("single") / "report.html", plots=False)


@pytest.fixture(scope="module")
def several(folder, tmp_path_factory):
    """The same as a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "RUNS_IN_ONE_FILE", 2)
        return pages.write_html(gather(folder), tmp_path_factory.mktemp("several") / "report", plots=False)


@pytest.fixture(scope="module")
def tab(chromium):
    """One tab for all tests: a new one costs as much as a test."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def watched():
    """Watches a page; it must not have failed at anything, or asked for anything, by the end of the test."""
    wrong, watching = [], []

    def _watch(page):
        handlers = {
            "pageerror": lambda error: wrong.append(str(error)),
            "console": lambda message: wrong.append(message.text) if message.type == "error" else None,
            "dialog": lambda dialog: (wrong.append(f"a dialog: {dialog.message}"), dialog.dismiss()),
            "request": lambda request: request.url[:5] in ("file:", "data:") or wrong.append(request.url),
        }
        for name, handler in handlers.items():
            page.on(name, handler)
            watching.append((page, name, handler))
        return page

    yield _watch
    for page, name, handler in watching:
        page.remove_listener(name, handler)
    assert wrong == []


@pytest.fixture
def opened(tab, watched):
    """Opens an address anew."""
    watched(tab)

    def _open(path: Path, anchor: str = ""):
        tab.goto("about:blank")
        tab.set_default_timeout(10_000)
        tab.goto(path.as_uri() + anchor)
        return tab

    return _open


@pytest.fixture
def opened_as(chromium, watched):
    """Opens an address on another kind of device."""
    contexts = []

    def _open(path: Path, anchor: str, **options):
        contexts.append(chromium.new_context(**options))
        page = watched(contexts[-1].new_page())
        page.goto(path.as_uri() + anchor)
        return page

    yield _open
    for context in contexts:
        context.close()


def entries(page):
    return [entry.get_attribute("data-run") for entry in page.query_selector_all(".entry")]


def visible_runs(page):
    return [run.get_attribute("id") for run in page.query_selector_all("article.run") if run.is_visible()]


def assert_shows(page, run):
    """A browser follows a link into its own page when it finds the time."""
    page.wait_for_selector(f"article#{run}", state="visible")
    assert visible_runs(page) == [run]


def assert_at(page, anchor):
    page.wait_for_url(f"**{anchor}")


def test_the_first_page_says_what_broke_before_any_number(opened, single):
    page = opened(single)
    assert not visible_runs(page)
    assert "1 run was broken by infrastructure" in page.inner_text("main > section:first-child")
    assert page.is_visible("#table-coverage")
    assert page.inner_text("#count") == "5 of 5 runs"
    page.click("#broken a")
    assert_shows(page, "run-broken")


def test_filters_narrow_the_list_and_stand_in_the_address(opened, single):
    page = opened(single)
    page.select_option("[name=outcome]", "!solved")
    assert entries(page) == ["run-basic"], "what infrastructure broke is no failure"
    page.select_option("[name=link]", "inapplicable")
    assert entries(page) == ["run-basic"]
    assert page.url.endswith("#runs?outcome=!solved&link=inapplicable")
    opened(single, "#runs?outcome=!solved&link=inapplicable")
    assert entries(page) == ["run-basic"]
    page.click("text=Show all")
    page.wait_for_selector(".entry >> nth=4")
    page.fill("[name=text]", "nothing says this")
    assert page.is_visible("#nothing")
    page.fill("[name=text]", "look around")
    assert entries(page) == ["run-other", "run-act"], "the search finds what was replied"


@pytest.mark.heavy
def test_every_number_of_the_tables_opens_the_runs_behind_it(opened, single):
    page = opened(single)
    numbers = page.query_selector_all("#table-links td a")
    assert len(numbers) >= 8
    counts = [(number.get_attribute("href"), int(number.inner_text())) for number in numbers]
    solved = page.query_selector_all("#table-coverage td:has(a)")
    assert len(solved) >= 4
    for cell in solved:
        said = re.search(r"of ([0-9]+) runs", cell.get_attribute("title"))
        counts.append((cell.query_selector("a").get_attribute("href") + "&outcome=!broken", int(said[1])))
    for address, count in counts:
        opened(single, address)
        assert len(entries(page)) == count, address


def test_a_link_leads_to_a_step_and_the_step_to_its_reply(opened, single):
    page = opened(single, "#run-act-step-2")
    assert_shows(page, "run-act")
    step = page.query_selector("#run-act-step-2")
    assert "current" in step.get_attribute("class")
    assert page.evaluate("document.activeElement.id") == "run-act-step-2"
    box = step.bounding_box()
    assert 0 <= box["y"] < page.viewport_size["height"]
    said = step.inner_text()
    assert "(holding a)" in said
    assert "never held so far" in said
    assert page.inner_text("#run-act mark.inapplicable") == "stack a on b"
    page.click("#run-act mark.executed >> nth=0")
    assert_at(page, "#run-act-step-4")


def test_each_status_of_a_step_has_its_own_sign_and_border_not_only_a_colour(opened, single):
    page = opened(single, "#run-act")
    look = """marks => marks.map(mark => {
        const style = getComputedStyle(mark);
        const sign = [...mark.innerText.trim()][0];
        return [mark.className.split(" ")[1], sign, style.borderStyle, style.borderRadius, style.borderWidth];
    })"""
    seen = {}
    for marks in ("#run-act .tick", "#run-act .step .chip:not(.goal)"):
        found = {status: (sign, tuple(border)) for status, sign, *border in page.eval_on_selector_all(marks, look)}
        assert {"executed", "inapplicable", "looked-around", "unreadable"} <= set(found), marks
        signs = [sign for sign, _ in found.values()]
        assert len(set(signs)) == len(signs), "no two statuses have the same sign"
        borders = [found[status][1] for status in ("executed", "inapplicable", "looked-around", "unreadable")]
        assert len(set(borders)) == 4, "nor the same border"
        seen[marks] = {status: sign for status, (sign, _) in found.items()}
    ticks, chips = seen.values()
    assert ticks == chips, "the strip and the steps use the same signs"


@pytest.mark.heavy
def test_the_first_mistake_and_the_files_are_a_click_away(opened, single):
    page = opened(single, "#run-act")
    page.click("#run-act .jump")
    assert_at(page, "#run-act-step-2")
    page.select_option("#run-act .only", "executed")
    assert [step.is_visible() for step in page.query_selector_all("#run-act .step")] == [False] * 3 + [True] * 2
    page.click("#run-act summary:has-text('Problem, in PDDL')")
    page.wait_for_selector("#run-act details[data-file] pre:has-text('define (problem tiny)')")


def test_everything_can_be_reached_from_the_keyboard(opened, single):
    page = opened(single, "#runs")
    press = page.keyboard.press
    press("/")
    page.keyboard.type("look around")
    press("Enter")
    press("k")
    press("j")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "where the keyboard is can be seen"
    press("Enter")
    assert_shows(page, "run-act")
    press("j")
    assert_at(page, "#run-act-step-1")
    press("m")
    assert_at(page, "#run-act-step-2")
    press("m")
    assert_at(page, "#run-act-step-3")
    press("k")
    assert_at(page, "#run-act-step-2")
    press("p")
    assert_shows(page, "run-other")
    press("n")
    assert_shows(page, "run-act")
    press("?")
    assert page.is_visible("#keys")
    press("Escape")
    assert not page.is_visible("#keys")
    press("Escape")
    assert not visible_runs(page)
    assert page.evaluate("document.activeElement.dataset.run") == "run-act"


def test_what_a_reply_says_is_text_and_nothing_of_it_happens(opened, single, hostile):
    page = opened(single, "#run-act-step-3")
    assert page.inner_text("#run-act mark.unreadable") == hostile
    assert not page.query_selector("article img, article script")
    page.keyboard.press("Escape")
    for part in ("#run-list", "#matrix"):
        assert hostile in page.inner_text(part)
        assert not page.query_selector(f"{part} img, {part} script")
    page = opened(single, "#run-act/run-other")
    assert hostile in page.inner_text("#pair")
    assert not page.query_selector("#pair img, #pair script")
    assert page.evaluate("document.querySelectorAll('script').length") == 2


def test_two_runs_stand_side_by_side_aligned_by_step(opened, single):
    page = opened(single, "#run-act")
    page.select_option("#run-act .other", "run-ff")
    page.wait_for_selector("#pair:not([hidden])")
    assert_at(page, "#run-act/run-ff")
    assert not visible_runs(page)
    row = page.query_selector("#pair [data-key='2']")
    left, right = (row.query_selector(side) for side in (".left", ".right"))
    assert "inapplicable" in left.inner_text()
    assert "(stack a b)" in right.inner_text()
    assert abs(left.bounding_box()["y"] - right.bounding_box()["y"]) < 2
    assert left.bounding_box()["x"] + left.bounding_box()["width"] <= right.bounding_box()["x"]
    page.click("#pair .parting")
    assert_at(page, "#run-act/run-ff/step-1")
    page.wait_for_selector("#pair .current[data-key='1']")
    page.keyboard.press("j")
    assert_at(page, "#run-act/run-ff/step-2")
    page.keyboard.press("Escape")
    assert_shows(page, "run-act")
    opened(single, "#run-act/run-ff/actions/step-4")
    both = page.inner_text("#pair [data-key='4'] h3").lower()
    assert both == "step 4 ↔ step 1 · the same", "what was done stands beside the same, whenever it was done"
    opened(single, "#run-act/run-ff/step-2")
    assert "current" in page.get_attribute("#pair [data-key='2']", "class")


@pytest.mark.heavy
def test_two_columns_are_compared_task_by_task(opened, single):
    page = opened(single)
    labels = [option.inner_text() for option in page.query_selector_all("#two [name=a] option")]
    assert len(labels) >= 3
    basic = next(index for index, label in enumerate(labels) if "basic" in label.lower())
    act = next(index for index, label in enumerate(labels) if "act" in label.lower())
    page.select_option("#two [name=a]", index=act)
    page.select_option("#two [name=b]", index=basic)
    assert "A does better on 1, B on 0" in page.inner_text("#two-count")
    page.click("#two-list a")
    assert_at(page, "#run-act/run-basic")
    page.wait_for_selector("#pair", state="visible")


def test_on_a_phone_nothing_is_wider_than_the_screen_and_two_runs_stand_below_each_other(opened_as, single):
    page = opened_as(single, "", viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    shown = {"#run-act-step-2": "#run-act", "#run-act/run-basic": "#pair section", "#runs": "#runs"}
    for anchor, part in shown.items():
        page.evaluate("anchor => { location.hash = anchor }", anchor)
        page.wait_for_selector(part, state="visible")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        if "/" in anchor:
            left, right = (page.query_selector(f"#pair section {side}").bounding_box() for side in (".left", ".right"))
            assert right["y"] > left["y"] + left["height"] - 1


def test_a_folder_has_a_page_a_task_and_its_index_finds_every_run(opened, several):
    assert several.name == "index.html"
    assert len(list((several.parent / "runs").glob("*.html"))) == 2
    page = opened(several)
    assert page.inner_text("#count") == "5 of 5 runs"
    assert not page.query_selector("article")
    page.click(".entry[data-run=run-basic]")
    page.wait_for_selector("#run-basic")
    assert_shows(page, "run-basic")
    assert "/runs/task-" in page.url
    page.select_option("#run-basic .other", "run-act")
    page.wait_for_selector("#pair:not([hidden])")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.inner_text("#count") == "3 of 3 runs"
    page.keyboard.press("Escape")
    page.wait_for_url("**/index.html#runs")


@pytest.mark.heavy
def test_without_scripts_every_step_can_be_read(opened_as, single):
    page = opened_as(single, "", java_script_enabled=False)
    assert len(visible_runs(page)) == 5
    assert "never held so far" in page.inner_text("#run-act-step-2")


# ── live pages, while an experiment runs, is killed and resumed ───────────────────────────────────


SPEC = """
domains = ["blocksworld"]
instances = ["p01"]
policies = ["act", "react"]
models = ["slow"]
seeds = [1, 2]
base_url = "{url}"
[options]
example = "none"
steps = 12
[access]
workers = 2
"""


class Slow(ScriptedModel):
    """Looks around, and takes its time."""

    seconds = 0.6

    def complete(self, request: Request) -> Completion:
        time.sleep(self.seconds)
        return replace(super().complete(request), text="Action: look around")


@pytest.fixture
def endpoint():
    with ChatServer(Slow(["Action: look around"] * 1000)) as server:
        yield server


@pytest.fixture
def growing(tmp_path, endpoint):
    """The experiment's growing, which it has not begun to write."""
    (tmp_path / "slow.toml").write_text(SPEC.format(url=endpoint.base_url), encoding="utf-8")
    (tmp_path / "records").mkdir()
    return tmp_path / "records"


@pytest.fixture
def start(growing):
    """Starts the experiment, in a process of its own."""
    running = []

    def _start():
        command = [sys.executable, "-m", "pddl2nl", "experiment", "slow.toml", "--out", "records", "--cache", "none"]
        environment = {**os.environ, "OPENAI_API_KEY": "sk-no-key"}
        process = subprocess.Popen(
            command, cwd=growing.parent, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        running.append(process)
        return process

    yield _start
    for process in running:
        process.kill()
        process.wait()


@pytest.fixture
def server(growing):
    with LiveServer(growing) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield made
        made.shutdown()


def outcomes(page):
    return [each.inner_text() for each in page.query_selector_all(".entry .outcome")]


def until(page, expression):
    """Waits for an expression to hold: the page's policy forbids the evaluation in the page that playwright offers."""
    deadline = time.monotonic() + 60
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(100)


@pytest.fixture
def page(chromium, server):
    """A tab on the list, whose console must stay empty."""
    context = chromium.new_context()
    made = context.new_page()
    wrong = []
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("request", lambda request: request.url.startswith(server.address) or wrong.append(request.url))
    made.goto(server.address)
    yield made
    context.close()
    assert wrong == []


@pytest.mark.heavy
def test_a_run_is_watched_while_it_grows_is_killed_and_goes_on(page, start, server, growing):
    process = start()
    until(page, "document.querySelectorAll('.entry .outcome.running').length === 2")
    assert sorted(outcomes(page)) == ["queued", "queued", "running", "running"]
    until(page, "/step [1-9] · looked-around: look around/.test(document.querySelector('.entry .broke')?.textContent)")
    page.select_option("[name=policy]", "react")
    assert len(outcomes(page)) == 2
    page.click("button[type=reset]")
    page.wait_for_selector(".entry >> nth=3")
    # From the keyboard into the first run, which grows below what is there.
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/run/**")
    until(page, "document.querySelectorAll('article.run.running .step').length > 1")
    steps = len(page.query_selector_all("article .step"))
    page.evaluate("document.querySelector('article .prompt').open = true")
    until(page, f"document.querySelectorAll('article .step').length > {steps}")
    assert page.evaluate("document.querySelector('article .prompt').open"), "what was opened stays open"
    assert len(page.query_selector_all("article .tick")) == len(page.query_selector_all("article .step"))
    process.send_signal(signal.SIGKILL)
    process.wait()
    for lock in growing.glob("*.lock"):
        lock.unlink()
    page.goto(server.address)
    until(page, "[...document.querySelectorAll('.entry .outcome')].some(each => each.textContent === 'cut off')")
    start()
    until(page, "[...document.querySelectorAll('.entry .outcome')].every(each => each.textContent === 'budget')")
    assert len(outcomes(page)) == 4
    assert "4 failed" in page.inner_text("#totals")
    assert "First failures: budget 4" in page.inner_text("#failures")


def test_the_line_to_type_is_printed(start):
    process = start()
    assert process.stderr.readline() == "watch it in a browser: pddl2nl view records\n"


def test_a_run_opens_at_once_on_a_phone_and_in_the_dark(chromium, server, growing, act_events):
    from tests.reports.test_live import begin, put

    put(growing, "one", act_events)
    begin(growing, "two", act_events[:8])
    context = chromium.new_context(viewport=PHONE, color_scheme="dark")
    page = context.new_page()
    page.goto(server.address)
    page.wait_for_selector(".entry >> nth=1")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    red, green, blue = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
    assert max(red, green, blue) < 64
    for run in ("one", "two"):
        page.goto(f"{server.address}run/{run}")
        page.wait_for_selector("article.run", state="visible")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert "It is judged when it ends." in page.inner_text("article")
    context.close()


def test_what_a_record_says_is_text_in_the_list(page, growing, act_events, hostile):
    from tests.records import changed
    from tests.reports.test_live import put

    put(growing, "one", [changed(act_events[0], task=hostile), *act_events[1:]])
    page.wait_for_selector(".entry")
    assert hostile in page.inner_text("#run-list")
    assert not page.query_selector("#run-list img, #run-list script")
