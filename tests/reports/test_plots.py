"""The plots: what they show of the runs, what they say where there is nothing, and that files come out the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.plots import NoDataError, all_plots, draw, plots_of, write_plots

Make = Callable[..., Gathered]

ACT, REACT = LayoutColumn("Act", "NL"), LayoutColumn("ReA", "NL")
WALK, FF = LayoutColumn("rnd", "Symb.", "walk"), LayoutColumn("FF", "Symb.", "planner")
TABLE_2 = [
    *(LayoutColumn(name, "NL") for name in ("Bas", "CoT", "Act", "ReA")),
    *(LayoutColumn(name, group) for group in ("Tpl", "PDDL") for name in ("Bas", "Act")),
    WALK,
    *(LayoutColumn(name, "Symb.", "planner") for name in ("BrFS", "lmc", "FF")),
]
DOMAINS = [
    *("beluga", "blocksworld", "depots", "ferry", "floortile", "goldminer", "grid"),
    *("grippers", "logistics", "movie", "rovers", "satellite", "visitall"),
]


@pytest.fixture(scope="module", autouse=True)
def _matplotlib() -> None:
    """Skips where the extra ``plots`` is missing."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")


def _result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> Any:
    """Act solves tasks 0 and 1, ReA also 2, FF all; the last one of each is inapplicable; prices are known."""
    if column.kind != "model":
        return {"coverage": float(column.kind == "planner")}
    solved = task < (2 if column.name == "Act" else 3)
    if not solved and task == 3:
        return "inapplicable"
    return {
        "coverage": float(solved),
        "steps": 4.0 + task,
        "planner-prompt-tokens": 1000.0 * (1 + task),
        "planner-completion-tokens": 20.0,
        "tokens": 1020.0,
        "usd": 0.01 if column.name == "Act" else 0.02,
    }


@pytest.fixture
def small(experiment_of: Make) -> Gathered:
    """Two domains, four columns, two seeds."""
    return experiment_of([ACT, REACT, WALK, FF], [LayoutRow("blocksworld"), LayoutRow("ferry")], _result, 4, (1, 2))


def _axes(gathered: Gathered, key: str) -> list[Any]:
    return [axis for axis in all_plots()[key].figure(gathered).axes if axis.get_visible()]


def test_coverage_by_domain_draws_a_bar_a_column_and_the_sum(small: Gathered) -> None:
    axes = _axes(small, "coverage-by-domain")
    assert [axis.get_title(loc="left") for axis in axes] == ["blocksworld (4)", "ferry (4)", "all (8)"]
    assert [[bar.get_width() for bar in axis.patches] for axis in axes] == [[0.5, 0.75, 0.0, 1.0]] * 3
    assert [text.get_text() for text in axes[2].texts] == ["4", "6", "0", "8"]
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["NL Act", "NL ReA", "Symb. rnd", "Symb. FF"]


def test_a_column_with_fewer_tasks_says_of_how_many(experiment_of: Make) -> None:
    gathered = experiment_of([ACT, FF], [LayoutRow("ferry")], lambda *run: run[1] is FF or run[2] < 2 or "missing")
    (axis,) = _axes(gathered, "coverage-by-domain")
    assert [text.get_text() for text in axis.texts] == ["2 of 2", "4"]


def test_coverage_by_size_takes_the_scaled_sets_alone(experiment_of: Make) -> None:
    rows = [LayoutRow("blocksworld", "primary"), LayoutRow("blocksworld", "scaled"), LayoutRow("ferry", "scaled")]
    axes = _axes(experiment_of([ACT, FF], rows, _result), "coverage-by-size")
    assert [axis.get_title(loc="left") for axis in axes] == ["blocksworld", "ferry"]
    act, ff = axes[0].get_lines()
    # Tasks have 3, 4, 5 and 6 objects.
    assert list(act.get_ydata()) == [1.0, 1.0, 0.0, 0.0]
    assert list(ff.get_ydata()) == [1.0] * 4
    assert [round(x) for x in act.get_xdata()] == [3, 4, 5, 6]


def test_tokens_stand_against_steps(small: Gathered) -> None:
    (axis,) = _axes(small, "tokens-by-steps")
    medians = [line for line in axis.get_lines() if line.get_linestyle() != "None"]
    assert list(medians[0].get_xdata()) == [4.0, 5.0, 6.0]
    assert list(medians[0].get_ydata()) == [1020.0, 2020.0, 3020.0]
    # Neither the walk nor the planner has tokens.
    assert len(medians) == 2


def test_failures_are_stacked_by_their_first_broken_link(small: Gathered) -> None:
    figure = all_plots()["failures"].figure(small)
    (axis,) = figure.axes
    kinds = [text.get_text() for text in figure.legends[0].get_texts()]
    assert kinds == ["solved", "inapplicable", "budget"]
    widths = [[bar.get_width() for bar in container] for container in axis.containers]
    assert widths == [[0.5, 0.75, 0.0, 1.0], [0.25, 0.25, 0.0, 0.0], [0.25, 0.0, 1.0, 0.0]]
    assert [text.get_text() for text in axis.texts] == ["8 of 16", "4 of 16", "16 of 16", "0 of 8", "failed"]


def test_cost_is_in_usd_where_prices_are_known_else_in_tokens(small: Gathered, experiment_of: Make) -> None:
    (axis,) = _axes(small, "cost-by-coverage")
    assert axis.get_xlabel() == "USD a run, mean"
    points = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axis.get_lines() if line.get_marker() != "None"]
    assert points == [(pytest.approx(0.01), 0.5), (pytest.approx(0.02), 0.75)]

    def free(*run: Any) -> Any:
        return {"coverage": 1.0, "usd": 0.0, "tokens": 500.0}

    (axis,) = _axes(experiment_of([ACT], [LayoutRow("ferry")], free), "cost-by-coverage")
    assert axis.get_xlabel().startswith("tokens a run")

    def half(row: LayoutRow, column: LayoutColumn, task: int, seed: int) -> Any:
        return {"coverage": 1.0, "tokens": 500.0, **({"usd": 0.1} if column.name == "Act" else {})}

    # A column without a price is not left out: all are shown in tokens.
    (axis,) = _axes(experiment_of([ACT, REACT], [LayoutRow("ferry")], half), "cost-by-coverage")
    assert axis.get_xlabel().startswith("tokens a run")
    assert len([line for line in axis.get_lines() if line.get_marker() != "None"]) == 2


def test_runs_that_broke_are_in_no_plot(experiment_of: Make, tmp_path: Path) -> None:
    gathered = experiment_of([ACT, REACT], [LayoutRow("ferry")], lambda *run: "broken" if run[2] else True)
    (axis,) = _axes(gathered, "coverage-by-domain")
    assert axis.get_title(loc="left") == "ferry (1)"
    everything_broke = experiment_of([ACT], [LayoutRow("ferry")], lambda *run: "broken")
    assert set(write_plots(everything_broke, tmp_path)[1]) == set(plots_of(everything_broke)) < set(all_plots())


def test_a_plot_without_data_says_why_and_is_not_written(experiment_of: Make, tmp_path: Path) -> None:
    gathered = experiment_of([FF], [LayoutRow("ferry")], lambda *run: True, 1)
    written, missing = write_plots(gathered, tmp_path / "figures")
    assert missing == {
        "coverage-by-size": "no domain has scored tasks of different sizes (numbers of objects)",
        "tokens-by-steps": "no run has both steps and tokens; runs of planners and walks have none",
        "failures": "no scored run failed, so there is no broken link to draw",
        "cost-by-coverage": "no run has a cost: neither USD, where prices are known, nor tokens",
    }
    with pytest.raises(NoDataError, match="no scored run failed"):
        draw(gathered, "failures", "svg")
    assert [path.name for path in written] == ["coverage-by-domain.svg", "coverage-by-domain.pdf"]
    assert written[0].read_bytes().startswith(b"<?xml")
    assert written[1].read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("key", ["failures"])
def test_a_plot_has_the_same_bytes_whatever_a_users_style_is(small: Gathered, key: str) -> None:
    import matplotlib

    first = [draw(small, key, form) for form in ("svg", "pdf")]
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": None, "axes.grid": False, "text.color": "red"}):
        assert [draw(small, key, form) for form in ("svg", "pdf")] == first
        assert matplotlib.rcParams["font.size"] == 20
    assert b"dc:date" not in first[0]
    assert b"CreationDate" not in first[1]


def test_a_plot_in_a_page_has_nothing_that_acts(experiment_of: Make, hostile: str) -> None:
    columns = [LayoutColumn(hostile), LayoutColumn("_hidden $x_{$"), LayoutColumn("漢字\x00\n")]
    gathered = experiment_of(columns, [LayoutRow(hostile)], _result, 4)
    for key in ("failures", "cost-by-coverage"):
        svg = draw(gathered, key, "svg", text=True).decode()
        root = ElementTree.fromstring(svg)
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not names & {"script", "foreignObject", "a", "image"}
        assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
        own = [value for element in root.iter() if (value := element.get("id"))]
        assert len(own) == len(set(own))
        for element in root.iter():
            for name, value in element.attrib.items():
                if name.endswith("href"):
                    assert value.removeprefix("#") in own
        text = " ".join("".join(root.itertext()).split())
        assert "<script>" in text
        assert "_hidden $x_{$" in text


def test_a_folder_that_cannot_be_written_is_an_error(small: Gathered, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match="cannot write"):
        write_plots(small, tmp_path / "file")


@pytest.mark.heavy
def test_no_words_overlap_with_thirteen_domains_and_twelve_columns(experiment_of: Make) -> None:
    rows = [LayoutRow(name, "primary") for name in DOMAINS]
    rows += [LayoutRow(name, "scaled") for name in ("blocksworld", "ferry", "grippers", "visitall")]
    gathered = experiment_of(TABLE_2, rows, _result, 6, (1, 2))
    for plot in (all_plots()[key] for key in plots_of(gathered)):
        figures = []

        def kept(given: Gathered, plot: Any = plot, figures: list[Any] = figures) -> Any:
            figures.append(plot.figure(given))
            return figures[-1]

        from pddl2nl.reports.plots import saved

        saved(lambda kept=kept: kept(gathered), "png")
        figure = figures[0]
        # As it was saved; afterwards matplotlib turns to the resolution of screens.
        figure.set_dpi(150)
        texts = [text for text in figure.findobj(_is_text) if text.get_visible() and text.get_text()]
        boxes = [
            (text.get_text(), text.get_window_extent())
            for text in texts
            if text.axes is None or text.axes.get_visible()
        ]
        assert len(boxes) > 10
        shown_boxes = [(text, box) for text, box in boxes if box.width and figure.bbox.padded(1).count_overlaps([box])]
        for (one, first), (other, second) in combinations(shown_boxes, 2):
            assert not first.shrunk(0.9, 0.9).overlaps(second.shrunk(0.9, 0.9)), (plot.key, one, other)


def _is_text(artist: Any) -> bool:
    from matplotlib.text import Text

    return isinstance(artist, Text)
