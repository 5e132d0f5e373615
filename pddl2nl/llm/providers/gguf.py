"""A language model in a GGUF file, served by llama.cpp in a process of its own for as long as the model is in use."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib import request as http

from pddl2nl.errors import InfrastructureError, MissingExtraError
from pddl2nl.llm.endpoint.client import OpenAIModel
from pddl2nl.llm.endpoint.connection import Address
from pddl2nl.llm.types import ModelConfigurationError, Request

if TYPE_CHECKING:
    from openai import OpenAI

    from pddl2nl.llm.settings import ModelSettings

_DEFAULT_CONTEXT = 8192
_MAGIC = b"GGUF"
_SCRIPT = Path(__file__).with_name("gguf_server.py")
_NOT_STARTED = "http://127.0.0.1"
_LOG = logging.getLogger("pddl2nl.llm")


class GGUFModel(OpenAIModel):
    """A model in a GGUF file, for any number of threads at once.

    A server that dies is started again at the next call.

    Args:
        path: the file; of a model in several files the first.
        settings: the model's settings; ``context`` is the length of each slot's context, in tokens.
        slots: how many requests are answered at once.

    Attributes:
        base_url: ``llama.cpp``; the port differs from start to start.

    Raises:
        ModelConfigurationError: there is no such file, or it is no GGUF file.
        MissingExtraError: the extra ``local`` is not installed.
    """

    def __init__(self, path: str | Path, settings: ModelSettings, *, slots: int = 1):
        self._path = Path(path)
        if not self._path.is_file():
            raise ModelConfigurationError(f"--model gguf:{path}: no such file; gguf:PATH names a model's GGUF file")
        if find_spec("xllamacpp") is None:
            raise MissingExtraError("xllamacpp", "local", "--model gguf:PATH")
        self._slots = slots
        self._context = settings.context or _DEFAULT_CONTEXT
        with self._path.open("rb") as file:
            begin = file.read(4)
            if begin != _MAGIC:
                found = f"begins with {begin!r}" if begin else "is empty"
                raise ModelConfigurationError(f"--model gguf:{path}: it {found}, and a GGUF file with {_MAGIC!r}")
            file.seek(0)
            self._hash = hashlib.file_digest(file, "sha256").hexdigest()
        self._server_key = secrets.token_urlsafe(32)
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        settings = replace(settings, constrain="grammar", stream_body={"timings_per_token": True})
        super().__init__(f"gguf:{self._path.name}", _NOT_STARTED, settings=settings)

    @property
    def base_url(self) -> str:
        """Not the address, which changes."""
        return "llama.cpp"

    def facts(self) -> dict[str, Any]:
        """The file and the length of the context, for records; the latter is the model's own where that is shorter."""
        size = self._path.stat().st_size
        return {"file": self._path.name, "bytes": size, "sha256": self._hash, "context": self._context}

    def client(self) -> OpenAI:
        """The client of the running server."""
        self.start()
        return super().client()

    def start(self) -> None:
        """Starts the server unless it runs, and waits until the file is loaded.

        Raises:
            ModelConfigurationError: llama.cpp refuses the file; the message has its reason.
            InfrastructureError: llama.cpp was killed while it loaded the file.
        """
        with self._starting:
            if self._process is not None and self._process.poll() is None:
                return
            began = time.monotonic()
            _LOG.warning("loading %s (%.0f MB)", self._path.name, self._path.stat().st_size / 1e6)
            arguments = [str(self._path.absolute()), str(self._context), str(self._slots)]
            with tempfile.TemporaryFile() as errors:
                process = subprocess.Popen(
                    # -P: the folder of the script is no place to import from.
                    [sys.executable, "-P", str(_SCRIPT), *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    # Ctrl-C lets running runs end, which still ask.
                    start_new_session=True,
                )
                assert process.stdin is not None
                assert process.stdout is not None
                with suppress(BrokenPipeError):
                    process.stdin.write(f"{self._server_key}\n".encode())
                    process.stdin.flush()
                address = process.stdout.readline().decode().strip()
                if not address:
                    process.communicate()
                    kind = ModelConfigurationError if process.returncode >= 0 else InfrastructureError
                    raise kind(f"llama.cpp cannot load {self._path.name}: {_reason(errors)}")
            # Also at the end of this process.
            weakref.finalize(self, _stop, process, os.getpid())
            self._address, self._client = Address(f"{address}/v1"), None
            props = http.Request(f"{address}/props", headers={"Authorization": f"Bearer {self._server_key}"})
            with http.urlopen(props, timeout=30) as answer:
                told = json.load(answer)
            self._context = int(told["default_generation_settings"]["n_ctx"])
            if not told.get("chat_template_caps", {}).get("supports_tools", True):
                # llama.cpp would leave them out without a word.
                self.settings = replace(self.settings, tools="written")
            self._process = process
            _LOG.warning("loaded in %.1f s", time.monotonic() - began)

    def body(self, request: Request) -> dict[str, Any]:
        """The request as it is sent, which the file's template decides where there are tools."""
        if request.tools:
            self.start()
        return super().body(request)

    def _public_endpoint(self) -> str:
        return f"llama.cpp, sha256:{self._hash}"

    def _key(self) -> str:
        # That of this server, not that of another endpoint.
        return self._server_key


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    """Ends the server, unless this is a fork of the process that started it."""
    if os.getpid() == owner and process.stdin is not None:
        # Closes its input, at whose end it ends, and waits.
        process.communicate()


def _reason(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read(100_000).decode("utf-8", "replace").splitlines()
    return next(
        (line.partition(" E ")[2] for line in lines if " E " in line), lines[-1] if lines else "no reason given"
    )
