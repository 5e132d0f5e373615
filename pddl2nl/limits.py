"""The limits on everything that comes from outside: how long it is waited for, how large it may be, what it may use.

Each limit stands here once; `docs/reference/limits.md` lists them all with the options that change them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class OutsideLimits:
    """Seconds, bytes and MiB; the names end with the unit."""

    file_bytes: int = 256 << 20
    """Of an input file: a wrong path such as ``/dev/zero`` must not fill the memory."""
    line_bytes: int = 16 << 20
    """Of a line, where a file is read line by line, and of a plan."""
    key_dots: int = 100
    """Of a dotted key in TOML: Python's reader takes quadratic time and memory for them."""
    instances: int = 1_000_000
    """Of a quantified effect, preference or constraint in PDDL: each instance is executed by itself."""
    choices: int = 10**12
    """Of objects, for quantifiers in PDDL with quantifiers of the other kind in them: to try so many takes weeks."""
    connect_seconds: float = 30.0
    reply_seconds: float = 600.0
    """Of one attempt, from connecting to the last byte of the answer, headers included. Of a streamed reply: between
    two pieces of text, so that pings and comments do not count."""
    stream_seconds: float = 3600.0
    """Of a streamed reply as a whole."""
    call_seconds: float = 7200.0
    """Of a call with all its retries and the waits between them."""
    retry_after_seconds: float = 600.0
    """That a server may ask to wait; if it asks for more, the call fails."""
    answer_bytes: int = 16_000_000
    """Of an endpoint's answer, uncompressed: the longest replies of today's models have under 1 MB."""
    vectors_bytes: int = 128_000_000
    """Of an answer with embeddings: 256 vectors in a call."""
    batch_bytes: int = 2_000_000_000
    """Of the output file of a batch."""
    tool_seconds: int = 60
    """Of a call of ``pddl2nl mcp``."""
    tool_mib: int = 4096
    """Of the process that answers the calls of ``pddl2nl mcp``; its planners have their own."""
    tool_characters: int = 1_000_000
    """Of each text or file that a call of ``pddl2nl mcp`` gives."""
    answer_characters: int = 200_000
    """Of an answer of ``pddl2nl mcp``."""
    planner_mib: int = 2048
    """Of a planner that ``pddl2nl mcp`` starts."""


LIMITS = OutsideLimits()


def processors() -> int:
    """How many processors this process may use, which on a cluster are often fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    # macOS and Windows.
    return os.cpu_count() or 1
