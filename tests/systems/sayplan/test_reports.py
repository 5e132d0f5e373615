"""The metrics of SayPlan, on events with values computed by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pddl2nl.cli.app import main
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm.tokens import estimate_tokens
from pddl2nl.pddl import write_domain, write_problem
from pddl2nl.policies.events import FORMAT, Acted, RunEvent, Started
from pddl2nl.policies.reporting import Reference
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.plots import NoDataError, all_plots
from pddl2nl.reports.tables import metrics_tables
from pddl2nl.systems.sayplan import tokens
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched, SearchEnded
from pddl2nl.systems.sayplan.metrics import METRICS
from pddl2nl.systems.sayplan.tokens import count_tokens, tokenizer_name
from tests.systems.sayplan.conftest import BUILDING, ROLES

ROOMS, COUNTS = ("kitchen",), (("agent", 1), ("room", 2), ("pose", 9), ("asset", 3), ("object", 4), ("links", 5))
END = SearchEnded("model", ("fridge", "apple"), ROOMS, ("lobby", "kitchen"), 90, 50, 200, COUNTS, COUNTS[:3])
STEPS = [
    SceneSearched(1, "expand(lobby)", "lobby", True, "", 120, ("lobby",), ("lobby",)),
    SceneSearched(2, "contract(lobby)", "lobby", True, "", 50, (), ("lobby",)),
    SceneSearched(3, "expand(lobby)", "lobby", False, "…", 50, (), ("lobby",)),
    SceneSearched(4, "expand(kitchen)", "kitchen", True, "", 90, ROOMS, ("lobby", "kitchen")),
]
FIRST = PlanChecked(0, ("goto(moon)",), (), 0, False, False, "hallucinated-node")
LAST = PlanChecked(1, ("goto(pose1)", "goto(kitchen)"), (0,), 2, True, True)


@dataclass
class Scored:
    """A run as metrics see it."""

    events: tuple[RunEvent, ...]
    reference: Reference | None = None
    solved: bool = False
    started: Started = field(default_factory=lambda: Started({}, "d", "p", FORMAT))


def values(*events: RunEvent, **reference: Any) -> dict[str, float | None]:
    run = Scored(events, Reference((), **reference))
    return {metric.name: metric.of(run) for metric in METRICS}


def test_what_is_asked_for_is_shown_if_the_model_ended_the_search_and_it_is_in_the_view() -> None:
    assert values(END, answers=(("phone",), ("fridge", "apple")))["search-shown"] == 100
    assert values(END, answers=(("fridge", "phone"),))["search-shown"] == 0
    assert values(replace(END, by="limit"), answers=(("fridge",),))["search-shown"] == 0
    assert values(END)["search-shown"] is None
    assert values(END, searched=("kitchen", "lobby"))["search-shown"] == 100
    assert values(END, searched=("kitchen", "attic"))["search-shown"] == 0


@pytest.mark.parametrize(
    ("answer", "asked", "success"),
    [
        (("fridge",), (("phone",), ("fridge",)), 100),
        (("phone", "fridge"), (("phone",), ("fridge",)), 100),
        (("fridge",), (("phone", "fridge"),), 0),
        (("fridge", "apple"), (("fridge",),), 0),
        (("5",), (("5",),), 100),
        ((), (("fridge",),), 0),
        (None, (("fridge",),), 0),
        (("fridge",), (), None),
    ],
)
def test_a_search_succeeds_with_a_right_answer_and_nothing_else(
    answer: tuple[str, ...] | None, asked: tuple[tuple[str, ...], ...], success: float | None
) -> None:
    assert values(replace(END, answer=answer), asked=asked)["search-success"] == success
    if success is not None:
        assert values(replace(END, answer=answer, by="limit"), asked=asked)["search-success"] == 0
        assert values(replace(END, answer=answer, by="whole"), asked=asked)["search-success"] is None


def test_steps_of_the_search_are_counted() -> None:
    counted = values(*STEPS, END)
    assert (counted["expansions"], counted["revisits"], counted["view-tokens"]) == (2, 1, 120)


def test_expansions_beyond_the_fewest_are_of_successful_searches() -> None:
    # The kitchen alone shows the mug and the machine; the wardrobe is in another room.
    task = BUILDING.task("example")
    texts = {"domain": write_domain(task.domain), "problem": write_problem(task.problem)}
    started = Started({**texts, "files": {"scene.json": ROLES.text}}, "building", "example", FORMAT)

    def beyond(*answers: tuple[str, ...]) -> float | None:
        run = Scored((*STEPS, END), Reference((), answers=answers), started=started)
        return {metric.name: metric.of(run) for metric in METRICS}["expansions-beyond"]

    assert [beyond(("fridge",)), beyond(("coffee_mug",), ("fridge",)), beyond(("wardrobe1",))] == [1, 1, None]
    assert beyond(("fridge", "apple")) is None, "the apple is not in the graph"


def test_an_answer_may_say_where_it_is() -> None:
    task = BUILDING.task("example")
    texts = {"domain": write_domain(task.domain), "problem": write_problem(task.problem)}
    started = Started({**texts, "files": {"scene.json": ROLES.text}}, "building", "example", FORMAT)

    def success(*answer: str) -> float | None:
        run = Scored((replace(END, answer=answer),), Reference((), asked=(("wardrobe1",),)), started=started)
        return {metric.name: metric.of(run) for metric in METRICS}["search-success"]

    assert [success("wardrobe1", "bobs_room"), success("wardrobe1", "coffee_mug")] == [100, 100]
    assert [success("wardrobe1", "kitchen"), success("bobs_room")] == [0, 0]


def test_entities_are_counted_without_poses() -> None:
    counted = values(END)
    assert (counted["scene-rooms"], counted["scene-links"], counted["scene-entities"]) == (2, 5, 15)
    assert (counted["scene-collapsed"], counted["compression"]) == (3, 75)


def test_tokens_are_measured_by_kind_and_marked_as_estimates_without_a_tokenizer() -> None:
    end = replace(END, kind_tokens=(("room", 15), ("links", 40)))
    counted = values(end)
    assert (counted["scene-rooms-tokens"], counted["scene-rooms-mean"]) == (15, 7.5)
    assert (counted["scene-links-tokens"], counted["scene-links-mean"], counted["scene-assets-mean"]) == (40, 8, None)
    [metric] = [each for each in METRICS if each.name == "scene-rooms-tokens"]
    assert [metric.guessed(Scored((each,))) for each in (end, replace(end, tokenizer="cl100k_base"))] == [True, False]


def test_the_last_plan_is_measured() -> None:
    mended, failed = values(END, FIRST, LAST), values(END, FIRST)
    names = ("plan-goal", "plan-executable", "plan-rounds", "plan-hallucinated-node")
    assert [mended[name] for name in names] == [100, 100, 1, 0]
    assert [failed[name] for name in names] == [0, 0, 0, 100]


def test_runs_of_others_have_no_values() -> None:
    assert set(values().values()) == {None}


# ── tokens by GPT-4's tokenizer where rs-bpe is installed, and estimates without it ───────────────


TEXT = '{"id":"kitchen"}'


def test_texts_are_counted_by_gpt_4s_tokenizer() -> None:
    pytest.importorskip("rs_bpe", reason="rs-bpe is not installed: pip install 'pddl2nl[tokens]'")
    # The example of OpenAI's cookbook, "How to count tokens with tiktoken": t, ik, token, is, great, !
    assert (tokenizer_name(), count_tokens("tiktoken is great!")) == ("cl100k_base", 6)
    assert count_tokens("") == 0


def test_without_the_tokenizer_tokens_are_estimated_and_it_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_tokenizer", lambda: None)
    assert (tokenizer_name(), count_tokens(TEXT)) == ("", estimate_tokens(len(TEXT)))


# ── experiments ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_planner")
def test_a_search_is_one_command_with_its_table_and_the_plot_of_its_views(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")
    out = tmp_path / "searched"
    assert main(["experiment", "sayplan-table-1", "--model", "oracle", "--instances", "os04", "--out", str(out)]) == 0
    ours = [line.split() for line in capfd.readouterr().out.splitlines() if line.startswith("SayPlan  ")]
    assert ours[0][1:3] == ["1", "100.00*"]
    (axis,) = all_plots()["view-tokens"].figure(gather(out)).axes
    plain, growing, circling = ([*line.get_ydata()] for line in axis.get_lines())
    assert max(growing) > max(plain)
    assert growing == sorted(growing)
    assert len(circling) > len(plain)


@pytest.mark.usefixtures("needs_planner")
def test_a_prompt_that_is_longer_than_the_context_ends_the_run_and_the_plot_shows_it(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")
    arguments = ["--model", "oracle", "--instances", "rooms37,rooms75", "--out", str(tmp_path)]
    assert main(["experiment", "sayplan-scaling", *arguments]) == 0
    runs = [read_record(path) for path in sorted(tmp_path.glob("**/*.jsonl"))]
    ended = [run.finished for run in runs if run.finished is not None and run.finished.outcome == "context"]
    assert [end.fault.status for end in ended if end.fault is not None] == ["context-window"]
    assert "tokens, more than 8,192" in ended[0].message
    (axis,) = all_plots()["rooms"].figure(gather(tmp_path)).axes
    assert [[*line.get_ydata()] for line in axis.get_lines()] == [[1.0, 1.0], [1.0, 0.0]]
    assert all(replay_record(run.path).identical for run in runs if run.finished in ended)


@pytest.mark.parametrize(
    ("plot", "reason"), [("view-tokens", "no run searched a scene graph step by step"), ("rooms", "no column has runs")]
)
def test_a_plot_needs_searches(tmp_path: Path, plot: str, reason: str) -> None:
    run_spec(RunSpec(BUILDING.task("example"), "random", steps=1, record=tmp_path / "walk.jsonl"))
    with pytest.raises(NoDataError, match=reason):
        all_plots()[plot].figure(gather(tmp_path))


@pytest.mark.usefixtures("needs_planner")
def test_traces_name_things_as_prompts_do_and_reports_have_no_metrics_of_other_systems(tmp_path: Path) -> None:
    result = run_spec(RunSpec(BUILDING.task("p02"), "sayplan", model="oracle", record=tmp_path / "p02.jsonl"))
    first = next(event for event in result.events if isinstance(event, Acted))
    assert (first.action, first.text) == ("(goto pose8 pose13)", "go from pose8 to pose13")
    assert replay_record(tmp_path / "p02.jsonl").identical
    assert [table.key for table in metrics_tables(gather(tmp_path))] == ["metrics", "cost", "metrics-sayplan"]
