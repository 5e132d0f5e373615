"""What the tests of reading share: a reader for Blocksworld with three blocks under their own names."""

from __future__ import annotations

import pytest

from pddl2nl.nl.reading.reader import Reader
from tests.nl.blocks import blocks_reader


@pytest.fixture(scope="session")
def reader() -> Reader:
    return blocks_reader("a b c")
