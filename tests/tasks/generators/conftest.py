"""What tests of generators read out of a problem's text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest


@pytest.fixture(scope="session")
def facts() -> Callable[[str, str], list[tuple[str, ...]]]:
    """Gives the arguments of a predicate's facts in a part of a problem, in their order."""
    return lambda text, predicate: [tuple(found.split()) for found in re.findall(rf"\({predicate} ([^)]*)\)", text)]
