"""The tutorial notebook runs, and shows what it computes. ``PDDL2NL_WRITE_GOLDEN=1`` writes its outputs into it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).resolve().parent.parent / "docs/tutorials/notebook.ipynb"


def shown(notebook: Any) -> list[list[str]]:
    """The texts that each cell of code prints or returns."""
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    return [[each.get("text") or each["data"]["text/plain"] for each in some] for some in outputs]


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_the_notebook_shows_what_it_computes(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is absent: pip install 'pddl2nl[test-all]'")
    client = pytest.importorskip("nbclient", reason="nbclient is absent: pip install 'pddl2nl[test-all]'")
    pytest.importorskip("pandas", reason="pandas is absent: pip install 'pddl2nl[frames]'")
    stored = nbformat.read(NOTEBOOK, as_version=4)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    if os.environ.get("PDDL2NL_WRITE_GOLDEN") == "1":
        for cell in notebook.cells:
            cell.metadata.clear()
        nbformat.write(notebook, NOTEBOOK)
        return
    assert shown(notebook) == shown(stored)
