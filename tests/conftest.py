"""What all tests share: where the reference material lies, and whether a planner can run."""

from __future__ import annotations

import gc
import importlib.util
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
_NUMBERS = itertools.count()
_NOT_OURS = re.compile(
    r"(AZURE_)?OPENAI_.*|PDDL2NL_(?!SHARED$).*|SSL_CERT_FILE|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy"
    r"|LINES|FORCE_COLOR|TTY_.*"
)

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


@pytest.fixture(scope="session", autouse=True)
def _bare_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No keys, endpoints, settings, proxies or terminal of whoever runs the tests, and no certificates.

    Nothing needs these. To read the system's certificates takes some 40 ms for every client that is made, and every
    loopback server gets one of its own.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if _NOT_OURS.fullmatch(name):
                patch.delenv(name)
        patch.setenv("COLUMNS", "80")
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        yield


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, cache_folder: Path) -> None:
    """A cache of its own for every test: ports of loopback servers come again, and the user's cache is not ours."""
    monkeypatch.setenv("PDDL2NL_CACHE", str(cache_folder / f"{next(_NUMBERS)}.sqlite"))


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the caches of tests lie."""
    return tmp_path_factory.mktemp("caches")
