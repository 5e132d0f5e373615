"""Takes the pictures of README and documentation, light and dark: runs a small experiment, photographs its report.

    python .github/screenshots.py [--out docs/pictures]

Needs the extras ``planners``, ``plots``, ``macros`` and ``browser``, and a Chromium (``--chromium``). No language model
is asked: two demonstration models stand in for one, the oracle that is made to stumble on purpose, so that there are
mistakes to be seen. The same pictures come out each time, as far as the same fonts are installed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pddl2nl.baselines import PlanOracle, TaskFiles, solve
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.planners import PlannerRun
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm.types import Completion, Message, Model, Request, Usage
from pddl2nl.nl import load_wording
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from pddl2nl.reports.html.live import LiveServer
from pddl2nl.tasks import shipped_domain

TASKS = (
    ("blocksworld", ("p01", "p04", "p08")),
    ("ferry", ("p02", "p05", "p09")),
    ("logistics", ("p02", "p04", "p06")),
)
POLICIES = ("basic", "cot", "act", "react")
PLANNERS = ("brfs", "ff")
NOTE = (
    "A demonstration: no language model was asked. careful-demo and hasty-demo are the oracle, which plans on what it "
    "reads in the prompt, made to stumble at random in every twelfth and every fifth reply."
)
TRACE = "run-ferry-p09-act-hasty-demo-step-9"
PAIR = "run-blocksworld-p08-act-careful-demo/run-blocksworld-p08-act-hasty-demo"
PHONE = "run-blocksworld-p08-react-hasty-demo-step-10"
PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
OBJECT = re.compile(r"\b[a-z]+_[0-9]+\b")
TITLE = "Two demonstration models on nine tasks"
BROKEN_PLAN = "(unstack c b)\n(stack a c)\n"
HIERARCHICAL = "run-kitchen-t03-hvr-oracle-missing-step"


@dataclass(frozen=True)
class Stumbling:
    """A model that says something wrong instead of what another one says, with a probability, the same each time."""

    name: str
    model: Model
    rate: float

    def complete(self, request: Request) -> Completion:
        """The other model's reply, or what was made of it."""
        reply = self.model.complete(request)
        said = "\n".join(message.content for message in request.messages)
        chance = random.Random(int(hashlib.sha256(f"{self.name} {said}".encode()).hexdigest(), 16))
        lines = reply.text.split("\n")
        # A whole plan has many lines that can be wrong, a turn one.
        careless = 1 - (1 - self.rate) ** max(1, len(lines) // 4)
        text = wrong(request.messages, lines, chance) if chance.random() < careless else reply.text
        usage = Usage(sum(len(message.content) for message in request.messages) // 4, len(text) // 4)
        return replace(reply, text=text, usage=usage, model=self.name, seconds=0.0)


def wrong(messages: tuple[Message, ...], lines: list[str], chance: random.Random) -> str:
    """A reply with a mistake of the kinds that models make: other objects, a step left out, no action at all."""
    spots = [place for place, line in enumerate(lines) if OBJECT.search(line)]
    if not spots:
        return "\n".join(lines)
    place = chance.choice(spots)
    kind = chance.random()
    if len(spots) > 1 and kind < 0.4:
        return "\n".join(lines[:place] + lines[place + 1 :])
    if kind < 0.8:
        words = sorted(set(OBJECT.findall("\n".join(message.content for message in messages))))
        named = OBJECT.findall(lines[place])
        others = [word for word in words if word not in named and word.split("_")[0] == named[0].split("_")[0]]
        if others:
            lines[place] = lines[place].replace(named[0], chance.choice(others))
            return "\n".join(lines)
    if kind < 0.92:
        return "Action: look around" if len(lines) < 4 else "\n".join(lines[:place])
    lines[place] = "Let me think about that first: everything has to be moved out of the way."
    return "\n".join(lines)


def play(folder: Path) -> None:
    """Runs all policies with both models, and two planners, on the tasks."""
    for name, instances in TASKS:
        domain = shipped_domain(name)
        wording = load_wording(domain.wording_path, domain.domain)
        models = [
            Stumbling(called, PlanOracle(domain.domain, wording), rate)
            for called, rate in (("careful-demo", 1 / 12), ("hasty-demo", 1 / 5))
        ]
        for instance in instances:
            for model in models:
                for policy in POLICIES:
                    run_spec(
                        RunSpec(
                            task=domain.task(instance),
                            policy=policy,
                            model=model,
                            wording=str(domain.wording_path),
                            suite=name,
                            task_name=instance,
                            record=folder / f"{name}-{instance}-{policy}-{model.name}.jsonl",
                        )
                    )
            for planner in PLANNERS:
                record = folder / f"{name}-{instance}-{planner}.jsonl"
                problem = domain.instance(instance).path
                run = PlannerRun(domain.domain_path, problem, planner, suite=name, task=instance)
                run.play(record, Access(), lambda event: None)


def play_hierarchically(folder: Path) -> None:
    """Runs HVR once, with the oracle that forgets a step until it is told."""
    domain = shipped_domain("kitchen")
    record = folder / "kitchen-t03-hvr-oracle-missing-step.jsonl"
    task, model = domain.task("t03"), "oracle:missing-step"
    run_spec(RunSpec(task=task, policy="hvr", model=model, suite="kitchen", task_name="t03", record=record))


def cut_short(records: Path, out: Path) -> None:
    """The same records as they are while the experiment runs: some are done, three run, the others have not begun."""
    shutil.copytree(records, out)
    paths = sorted(out.glob("*.jsonl"))
    for place, path in enumerate(paths[-20:]):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.unlink()
        if place in (3, 9, 12) and len(lines) > 12:
            path.with_name(f"{path.name}.partial").write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
            path.with_name(f"{path.name}.lock").touch()


@contextmanager
def live(folder: Path) -> Iterator[str]:
    """The address of the live page of a folder."""
    with LiveServer(folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()


@contextmanager
def browser(executable: str) -> Iterator[Any]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        try:
            yield chromium
        finally:
            chromium.close()


def photograph(chromium: Any, scheme: str, work: Path, address: str, out: Path) -> None:
    """Takes every picture in one colour scheme: ``NAME.png`` is light, ``NAME-dark.png`` dark."""
    report, hierarchical, picture = (work / f"{name}.html" for name in ("report", "hierarchical", "picture"))
    quickstart = work / "quickstart" / "report.html"
    end = "-dark.png" if scheme == "dark" else ".png"
    context = chromium.new_context(viewport={"width": 1280, "height": 960}, color_scheme=scheme)
    page = context.new_page()
    page.goto(quickstart.as_uri())
    clip = {"x": 0, "y": 0, "width": 1280, "height": 1250}
    page.screenshot(path=out / f"quickstart{end}", clip=clip, full_page=True)
    page.goto(report.as_uri())
    page.screenshot(path=out / f"report{end}", clip={**clip, "height": 1400}, full_page=True)
    page.goto(f"{report.as_uri()}#{TRACE}")
    page.screenshot(path=out / f"trace{end}")
    page.goto(f"{report.as_uri()}#{PAIR}/actions/step-4")
    page.screenshot(path=out / f"side-by-side{end}")
    page.goto(f"{hierarchical.as_uri()}#{HIERARCHICAL}")
    page.get_by_text("block-correction").first.scroll_into_view_if_needed()
    page.evaluate("window.scrollBy(0, 180)")
    page.screenshot(path=out / f"hvr{end}")
    page.goto(address)
    page.wait_for_selector(".entry")
    page.screenshot(path=out / f"view{end}", clip={**clip, "height": 900})
    page.set_viewport_size({"width": 900, "height": 420})
    page.goto(picture.as_uri())
    page.screenshot(path=out / f"picture{end}")
    page.goto((work / "state.svg").as_uri())
    _, _, width, height = page.evaluate("document.documentElement.getAttribute('viewBox').split(' ')")
    page.screenshot(path=out / f"state{end}", clip={"x": 0, "y": 0, "width": int(width), "height": int(height)})
    if scheme == "light":
        phone = chromium.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2, color_scheme=scheme)
        small = phone.new_page()
        small.goto(f"{report.as_uri()}#{PHONE}")
        small.screenshot(path=out / f"phone{end}")


def main() -> None:
    """Runs, reports, photographs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=PICTURES, help="folder of the pictures")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium", help="the browser's program")
    parser.add_argument("--keep", type=Path, help="folder for records and report; by default they are removed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        work = (arguments.keep or Path(made)).resolve()
        (work / "records").mkdir(parents=True, exist_ok=True)
        play(work / "records")
        write_html(gather(work / "records"), work / "report.html", title=TITLE, notes=(NOTE,))
        (work / "hierarchical").mkdir(exist_ok=True)
        play_hierarchically(work / "hierarchical")
        write_html(gather(work / "hierarchical"), work / "hierarchical.html", notes=(NOTE,))
        (work / "broken.plan").write_text(BROKEN_PLAN, encoding="utf-8")
        drawn = ["blocksworld", "p01", str(work / "broken.plan"), "--out", str(work / "picture.html")]
        subprocess.run([sys.executable, "-m", "pddl2nl", "picture", *drawn], check=False, stdout=subprocess.DEVNULL)
        logistics = shipped_domain("logistics")
        plan = solve(TaskFiles(logistics.domain_path, logistics.instance("p08").path), "ff").plan or ()
        (work / "state.plan").write_text("".join(f"{action}\n" for action in plan), encoding="utf-8")
        drawn = ["logistics", "p08", str(work / "state.plan"), "--step", "5", "--out", str(work / "state.svg")]
        subprocess.run([sys.executable, "-m", "pddl2nl", "picture", *drawn], check=True, stdout=subprocess.DEVNULL)
        cut_short(work / "records", work / "demonstration")
        command = [sys.executable, "-m", "pddl2nl", "quickstart", "--out", str(work / "quickstart")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        out = arguments.out.resolve()
        out.mkdir(parents=True, exist_ok=True)
        # The live page says which folder it shows.
        os.chdir(work)
        with browser(arguments.chromium) as chromium, live(Path("demonstration")) as address:
            for scheme in ("light", "dark"):
                photograph(chromium, scheme, work, address, out)


if __name__ == "__main__":
    main()
