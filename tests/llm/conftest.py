"""What tests of models share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _some_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that opens nothing; the rest of the environment is bare in all tests."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-known-key-1234567890")
