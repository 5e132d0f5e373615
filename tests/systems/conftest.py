"""The records that tests of reports share, and a key."""

from __future__ import annotations

import pytest

from tests.records import act_events, basic_events, experiment_of, hostile, planned, tower, write

__all__ = ["act_events", "basic_events", "experiment_of", "hostile", "planned", "tower", "write"]


@pytest.fixture(autouse=True)
def _some_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that opens nothing."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
