"""Serves a GGUF file by llama.cpp on a free loopback port until standard input ends, as it does when the parent dies.

``python gguf_server.py FILE CONTEXT SLOTS``. The first line of standard input is the key of requests: any page in a
browser and any user of this machine can reach a loopback port. Standard output gets one line, the server's address,
once the file is loaded; standard error gets the errors of llama.cpp. ``LLAMA_ARG_THREADS`` is the number of its
threads, as for llama.cpp's own programs.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import NoReturn


def _end_with_parent() -> None:
    # The kernel closes the pipe however the parent dies, also by `kill -9`.
    sys.stdin.buffer.read()
    os._exit(0)


def _refuse(reason: str) -> NoReturn:
    sys.stderr.write(f"{reason}\n")
    sys.stderr.flush()
    # Not by sys.exit: Python aborts where a thread still reads standard input.
    os._exit(1)


def _main(path: str, context: int, slots: int) -> None:
    key = sys.stdin.buffer.readline().decode("ascii").strip()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_parallel = slots
    # llama.cpp divides the context among the slots.
    params.n_ctx = context * slots
    params.port = 0
    params.api_keys = [key]
    # Without an address here llama.cpp tells browsers that every page may read its answers.
    params.cors_origins = "https://none.invalid"
    params.cors_credentials = False
    params.endpoint_slots = False
    params.ui = False
    if threads := os.environ.get("LLAMA_ARG_THREADS"):
        # By default there is one for each core. They wait for each other in a loop: beside a process that keeps one
        # core busy, two threads took ten times as long as one.
        if not threads.isdecimal() or not int(threads):
            _refuse(f"LLAMA_ARG_THREADS is {threads!r}, and a number of threads from 1 was expected")
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(threads)
    params.verbosity = 1  # errors only
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        _refuse(str(error))
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
