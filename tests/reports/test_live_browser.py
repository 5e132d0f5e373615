"""The live pages in a real browser, while an experiment runs, is killed and resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from pddl2nl.llm import ScriptedModel
from pddl2nl.llm.types import Completion, Request
from pddl2nl.reports.html.live import LiveServer
from tests.llm.chat_server import ChatServer
from tests.reports.test_browser import PHONE, chromium, watched

__all__ = ["chromium", "watched"]

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
def folder(tmp_path, endpoint):
    """The experiment's folder, which it has not begun to write."""
    (tmp_path / "slow.toml").write_text(SPEC.format(url=endpoint.base_url), encoding="utf-8")
    (tmp_path / "records").mkdir()
    return tmp_path / "records"


@pytest.fixture
def start(folder):
    """Starts the experiment, in a process of its own."""
    running = []

    def _start():
        command = [sys.executable, "-m", "pddl2nl", "experiment", "slow.toml", "--out", "records", "--cache", "none"]
        environment = {**os.environ, "OPENAI_API_KEY": "sk-no-key"}
        process = subprocess.Popen(
            command, cwd=folder.parent, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        running.append(process)
        return process

    yield _start
    for process in running:
        process.kill()
        process.wait()


@pytest.fixture
def server(folder):
    with LiveServer(folder) as made:
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
def test_a_run_is_watched_while_it_grows_is_killed_and_goes_on(page, start, server, folder):
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
    for lock in folder.glob("*.lock"):
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


def test_a_run_opens_at_once_on_a_phone_and_in_the_dark(chromium, server, folder, act_events):
    from tests.reports.test_live import begin, put

    put(folder, "one", act_events)
    begin(folder, "two", act_events[:8])
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


def test_what_a_record_says_is_text_in_the_list(page, folder, act_events, hostile):
    from tests.records import changed
    from tests.reports.test_live import put

    put(folder, "one", [changed(act_events[0], task=hostile), *act_events[1:]])
    page.wait_for_selector(".entry")
    assert hostile in page.inner_text("#run-list")
    assert not page.query_selector("#run-list img, #run-list script")
