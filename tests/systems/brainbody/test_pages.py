"""What a page shows of a run of BrainBody."""

from __future__ import annotations

from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from tests.systems.brainbody.record import recorded


def test_a_page_shows_plans_steps_and_errors_of_brainbody_as_text(write, hostile, tmp_path) -> None:
    write("one", recorded())
    page = write_html(gather(tmp_path), tmp_path / "page.html", plots=False).read_text(encoding="utf-8")
    for said in (
        "First plan",
        "Plan after feedback 1",
        "3 steps, new from step 0 on",
        "Step 0 failed in the world",
        "number 2 of this error in this state",
        "Step 0 left no way to the goal",
        "BrainBody-LLM and its baselines, in %",
    ):
        assert said in page, said
    assert hostile not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
