"""What all tests share: where the reference material lies, and whether a planner can run."""

from __future__ import annotations

import gc
import importlib.util
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# As the command line does: the tasks that fixtures keep are many objects and no garbage, and looking through them for
# some again and again takes a good part of the suite's time.
gc.set_threshold(100_000)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material (real tasks, VAL's verdicts, recorded replies)."""
    folder = Path(os.environ.get("PDDL2NL_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"the reference material is absent: no folder {folder}; set PDDL2NL_SHARED")
    return folder


@pytest.fixture(scope="session")
def needs_planner() -> None:
    """Skips where Fast Downward is not installed."""
    if importlib.util.find_spec("up_fast_downward") is None:
        pytest.skip("Fast Downward is absent: pip install 'pddl2nl[planners]'")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the checkout."""
    return ROOT
