"""Tests that do not ask for the planner search by themselves, which takes milliseconds for their tasks."""

from __future__ import annotations

import pytest

from tests.questions.asked import breadth_first


@pytest.fixture(autouse=True)
def _searching(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "needs_planner" not in request.fixturenames:
        for module in ("places", "deciding"):
            monkeypatch.setattr(f"pddl2nl.questions.{module}.solve", breadth_first)
