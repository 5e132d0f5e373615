"""What tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a cache of its own and a key that opens nothing."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    monkeypatch.setenv("PDDL2NL_CACHE", str(tmp_path / "cache.sqlite"))
    monkeypatch.chdir(tmp_path)
    return tmp_path
