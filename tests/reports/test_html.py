"""The page: complete, self-contained, and deaf to whatever texts try."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.policies.events import Failed, Fault, Finished, Prompted
from pddl2nl.reports.gathering import Gathered, gathered
from pddl2nl.reports.html import pages, write_html
from pddl2nl.reports.html.pages import _environment, overview_of, plan_pages
from pddl2nl.reports.summaries import RunSummary
from pddl2nl.reports.tables.grid import show_runs
from pddl2nl.reports.tables.model import Heading, Table, TableCell, TableLine, TableSection
from tests.records import changed

VOID = {"meta", "input", "br", "img", "link"}


class Page(HTMLParser):
    """All that a browser would see: elements, ids, links, text; complains about unbalanced tags."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.attributes, self.text = [], [], [], [], [], ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        given = dict(attrs)
        self.attributes += given
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[key] for key in ("href", "src", "action", "srcset") if key in given]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data


def rendered(found, **options):
    """The page of a gathered experiment, without plots, which take their time."""
    with TemporaryDirectory() as folder:
        return write_html(found, Path(folder) / "page.html", plots=False, **options).read_text(encoding="utf-8")


def page_of(*records, **options):
    """The page of these records."""
    return rendered(gathered(records), **options)


@pytest.fixture
def html(write, act_events, basic_events, planned):
    renamed = changed(act_events[0], problem="<b>bold</b>", models={"planner": "<i>m</i>"})
    broken = [*basic_events[:3], Finished("infrastructure-error", Fault(1, "infrastructure-error", "503 <u>"))]
    items = {
        "act": act_events,
        "basic": basic_events,
        "fd": planned,
        "x<y>": [renamed, *act_events[1:]],
        "broken": broken,
    }
    return page_of(*(read_record(write(name, item)) for name, item in items.items()), title="T & <t>")


def test_every_run_can_be_linked_to_and_every_link_inside_the_page_leads_somewhere(html):
    page = Page(html)
    assert {"run-act", "run-basic", "run-fd", "run-x-y", "run-broken"} <= set(page.ids)
    assert {"run-act-step-2", "run-basic-step-1"} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert [link for link in page.links if link[:1] != "#" or link[1:].split("?")[0] not in page.ids] == []


def test_nothing_is_fetched_from_anywhere(html):
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|<iframe|<img", html, re.IGNORECASE)


def test_texts_stay_texts(html, hostile):
    page = Page(html)
    assert page.tags.count("script") == 2
    assert not {"img", "b", "i", "u"} & set(page.tags) - {"b"}
    assert not [name for name in page.attributes if name.startswith("on")]
    assert hostile in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "<b>bold</b>" in page.text
    assert "T & <t>" in page.text


def test_the_policy_of_the_page_allows_its_own_script_alone(html):
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL)[1]
    assert "</" not in re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html
    assert "default-src 'none'" in html


def test_a_record_that_lies_is_named_first(write, planned):
    lie = structs.replace(planned, plan=("(stack a b)",))
    text = Page(page_of(read_record(write("lie", lie)))).text
    assert "1 run is not as recorded and counts nowhere" in text
    assert "NOT what the record says" in text


def test_few_runs_are_one_file_under_the_name_that_was_given(write, tmp_path, planned):
    found = gathered([read_record(write("a", planned))])
    assert write_html(found, tmp_path / "deep" / "page.html", plots=False) == tmp_path / "deep" / "page.html"
    assert write_html(found, tmp_path / "folder", plots=False) == tmp_path / "folder" / "index.html"
    assert list((tmp_path / "folder").iterdir()) == [tmp_path / "folder" / "index.html"]


@pytest.mark.parametrize("most", [1, 2])
def test_pages_of_many_runs_draw_no_states(most, write, act_events, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "RUNS_IN_ONE_FILE", 1)
    monkeypatch.setattr(pages, "MOST_DRAWN", most)
    found = gathered([read_record(write(name, act_events)) for name in ("a", "b")])
    index = write_html(found, tmp_path / "out", plots=False, workers=1)
    (page,) = (tmp_path / "out" / "runs").iterdir()
    assert ("<figure class='picture'" in page.read_text(encoding="utf-8")) is (most == 2)
    assert ("draw no states; pddl2nl view DIR draws" in index.read_text(encoding="utf-8")) is (most == 1)


def test_a_task_with_many_runs_has_several_pages(write, act_events, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "RUNS_IN_ONE_FILE", 1)
    monkeypatch.setattr(pages, "RUNS_ON_A_PAGE", 2)
    found = gathered([read_record(write(name, act_events)) for name in ("a", "b", "c")])
    index = write_html(found, tmp_path / "out", plots=False, workers=1).read_text(encoding="utf-8")
    first, second = sorted((tmp_path / "out" / "runs").iterdir(), key=lambda path: len(path.name))
    assert f"runs/{first.name}" in index
    assert f"runs/{second.name}" in index
    assert "runs 1 to 2" in first.read_text(encoding="utf-8")
    assert "runs 3 to 3" in second.read_text(encoding="utf-8")


def test_a_call_shows_its_role_and_how_it_was_paid_and_a_run_what_each_role_took(write, act_events):
    account = {"calls": 5, "prompt_tokens": 150, "completion_tokens": 20, "cached_tokens": 40, "usd": 0.25}
    spent = {**account, "calls": 1, "usd": 0.05, "cache_hits": 4, "seconds": 1.0}
    words = {"calls": 1, "prompt_tokens": 9, "completion_tokens": 2, "usd": None}
    events = [
        changed(
            act_events[0],
            models={"planner": "m", "thoughts": "think-7b"},
            profile="autoplanbench",
            base_url="http://x/v1",
        ),
        Prompted(1, "thoughts", 0, (), "sha", sample=1),
        Failed(1, "the prompt is <too> long", context_window=True),
        act_events[1],
        structs.replace(act_events[2], from_cache=True),
        *act_events[3:-1],
        structs.replace(act_events[-1], used={"wording": words, "planner": account}, spent={"planner": spent}),
    ]
    text = Page(page_of(read_record(write("one", events)))).text
    for wanted in (
        "call 1, thoughts, sample 2",
        "the prompt is <too> long",
        "from our cache",
        "call 2, planner",
        "1 call, 9 + 2 tokens, price unknown",
        "5 calls, 150 + 20 tokens (40 cached), 0.25 USD",
        "1 call, 150 + 20 tokens (40 cached), 0.05 USD, 4 more from our cache",
        "think-7b",
        "autoplanbench",
    ):
        assert wanted in text


def test_a_table_marks_the_paper_s_columns_and_says_what_is_behind_a_number():
    ours = TableCell("13.4", 13.4, "67 of 100 <runs>", best=True, show=show_runs([2], 3))
    total = TableCell("~20", 20.0, estimated=True, show=(("row", "1,2"), ("predicate", "not clear")))
    line = TableLine("<i>", (ours, TableCell("14"), TableCell()))
    table = Table(
        "k",
        "T",
        "domain",
        (Heading("Act", "NL"), Heading("Act", "NL", paper=True), Heading("x")),
        (TableSection((line, TableLine("sum", (total,) * 3, total=True)), "primary"),),
        ("A <note>.",),
    )
    html = str(_environment().get_template("tables.html.j2").module.table_section(table))
    page = Page(html)
    spans = re.findall(r'<th scope="colgroup" colspan="(\d)"[^>]*>(?:<span>([^<]*)</span>)?', html)
    assert spans == [("1", "NL"), ("1", "paper: NL"), ("1", "")]
    assert "#runs?row=2&column=3" in page.links
    assert "#runs?row=1%2C2&predicate=not+clear" in page.links
    for wanted in ("67 of 100 <runs>", "<i>", "A <note>.", "primary"):
        assert wanted in page.text
    assert "~~" not in html
    assert "i" not in page.tags


# ── pages ─────────────────────────────────────────────────────────────────────────────────────────


def _run(name, task="p01", seed=1, policy="act", task_id=None):
    return RunSummary(name, Path(name), "s", task, task_id or task, "d", "p", 2, policy, "m", seed=seed)


@settings(max_examples=20)
@given(st.lists(st.text(max_size=12), max_size=12, unique=True))
def test_no_name_chooses_a_path_or_an_anchor(names):
    plan = plan_pages(gathered([_run(name, task=name, task_id=str(index)) for index, name in enumerate(names)]))
    anchors = [run.anchor for run in plan.runs]
    pages = [page.name for page in plan.pages]
    assert len(set(anchors)) == len(anchors) == len(names)
    assert len(set(pages)) == len(pages)
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert all(set(name) <= allowed and len(name) < 100 for name in (*anchors, *pages))


def test_a_comparison_opens_its_columns_and_its_instances(experiment_of: Callable[..., Gathered]) -> None:
    columns = [LayoutColumn("Bas", "NL", policy="basic"), LayoutColumn("Act", "NL", policy="act")]
    rows = [LayoutRow("ferry", "primary"), LayoutRow("ferry", "primary", "PlanBench"), LayoutRow("ferry", "scaled")]

    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> bool | str:
        if row.variant and column.name == "Bas":
            return "absent"
        return task < (3 if column.name == "Act" else 1)

    plan = plan_pages(experiment_of(columns, rows, result))
    overview = overview_of(plan, plots=False)
    primary, scaled, variant = (part.lines for part in overview["comparisons"][0].sections)
    compared, _, a, b, *_, better, equal, worse, _, _, _, _ = primary[0].cells
    assert compared.against
    assert compared.show == (("a", "1"), ("b", "0"), ("row", "0"), ("which", ""))
    assert (a.show, b.show) == ((("row", "0"), ("column", "1")), (("row", "0"), ("column", "0")))
    assert (better.text, better.show[-1]) == ("2", ("which", "better"))
    assert (equal.text, equal.show[-1]) == ("2", ("which", "equal"))
    assert (worse.text, worse.show) == ("0", ())
    assert ("row", "2") in scaled[0].cells[0].show
    # One column with itself on other rows: nothing stands side by side.
    assert variant[0].cells[0].show == ()
    assert [cell.show[0] for cell in variant[0].cells[2:4]] == [("row", "0"), ("row", "1")]
