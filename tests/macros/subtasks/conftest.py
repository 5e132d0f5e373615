"""The subtasks of the domain `alfred`."""

from __future__ import annotations

import pytest

from pddl2nl.macros.subtasks.nodes import Subtasks, load_subtasks
from pddl2nl.tasks import shipped_domain


@pytest.fixture(scope="session")
def alfred() -> Subtasks:
    """The subtasks that are shipped with the domain."""
    shipped = shipped_domain("alfred")
    return load_subtasks(shipped.folder / "subtasks.json", shipped.domain)
