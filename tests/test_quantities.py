"""Times, memory and seeds are written one way everywhere."""

from __future__ import annotations

import pytest

from pddl2nl.quantities import megabytes, seconds, seeds


@pytest.mark.parametrize(
    ("text", "value"), [("90", 90), ("90s", 90), ("1.5", 1.5), ("30m", 1800), ("1h30m", 5400), ("2H", 7200), (7, 7)]
)
def test_times(text: str | float, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "0", "-1", "ten", "1d", "1001h", True, "9" * 5000])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="is no time such as 90s, 30m or 1h30m"):
        seconds(text)


@pytest.mark.parametrize(("text", "value"), [("4096", 4096), ("500m", 500), ("8g", 8192), ("8 GiB", 8192), (64, 64)])
def test_memory(text: str | int, value: int) -> None:
    assert megabytes(text) == value


@pytest.mark.parametrize(("text", "value"), [("1,2,5", (1, 2, 5)), ("1-4", (1, 2, 3, 4)), ("3, 1-3", (3, 1, 2))])
def test_seeds(text: str, value: tuple[int, ...]) -> None:
    assert seeds(text) == value


@pytest.mark.parametrize("text", ["", "x", "5-1", "1-99999999", "1;2", "-3"])
def test_what_are_no_seeds(text: str) -> None:
    with pytest.raises(ValueError, match="is no "):
        seeds(text)
