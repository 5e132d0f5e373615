"""Keeping keys, header values and credentials of URLs out of everything that is shown, logged or kept.

The libraries below us log response headers at DEBUG and addresses at INFO, and a server may echo whatever it was
sent. `Redactor.strike` is for errors and logs; `Redactor.strike_reply` is for replies, where more is at stake than
looks: a server of one's own is often given a word like EMPTY for a key, and a model that says "HANDEMPTY" must be
heard. It therefore strikes only what is long enough to be a secret.
"""

from __future__ import annotations

import base64
import logging
import threading
import traceback
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

__all__ = ["Redactor", "guard_logs", "secrets_of_url"]

_STRUCK = "[key]"
_SHORTEST = 4
_SHORTEST_IN_REPLIES = 8
_LIBRARIES = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")
_CHILDREN = {
    "openai": ("_base_client", "_response", "_legacy_response"),
    "httpcore": ("connection", "http11", "http2", "proxy", "socks"),
}


class Redactor:
    """Strikes secrets out of texts; shows none of them itself.

    Args:
        secrets: the key, and what else must be seen nowhere.
        private: what must not be in errors and logs, but is no secret that a reply could give away: the values of
            ordinary headers, the organisation.
    """

    __slots__ = ("_anywhere", "_in_replies")

    def __init__(self, secrets: Iterable[str] = (), private: Iterable[str] = ()):
        kept = {secret for secret in secrets if len(secret) >= _SHORTEST}
        everything = kept | {value for value in private if len(value) >= _SHORTEST}
        # The longest first, so that no secret that holds another one is struck in part only.
        self._anywhere = sorted(everything, key=len, reverse=True)
        self._in_replies = [text for text in self._anywhere if text in kept and len(text) >= _SHORTEST_IN_REPLIES]

    def strike(self, text: str) -> str:
        """The text of an error or a log without anything private."""
        for secret in self._anywhere:
            text = text.replace(secret, _STRUCK)
        return text

    def strike_reply(self, text: str) -> str:
        """What a model said, without secrets."""
        for secret in self._in_replies:
            text = text.replace(secret, _STRUCK)
        return text

    def knows_all_of(self, other: Redactor) -> bool:
        """Whether nothing that the other one strikes is new to this one."""
        return set(other._anywhere) <= set(self._anywhere)

    def __repr__(self) -> str:
        return "Redactor(…)"


def secrets_of_url(url: str) -> list[str]:
    """The password and the values of the query of an address, in every form in which they travel."""
    try:
        parts = urlsplit(url)
        user, password = parts.username or "", parts.password or ""
    except ValueError:
        return []
    values = [value for pair in parts.query.split("&") if (value := pair.partition("=")[2])]
    if password:
        credentials = f"{unquote(user)}:{unquote(password)}".encode()
        values += [password, base64.b64encode(credentials).decode("ascii")]
    return [form for value in values for form in {value, unquote(value)}]


class _LogGuard(logging.Filter):
    """Strikes the secrets of all models of this process out of a library's records before any handler sees them."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._redactors: tuple[Redactor, ...] = ()

    def add(self, redactor: Redactor) -> None:
        with self._lock:
            if not any(known.knows_all_of(redactor) for known in self._redactors):
                self._redactors = (*self._redactors, redactor)

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        struck = self._struck(said)
        if struck != said:
            record.msg, record.args = struck, ()
        if record.exc_info:
            trace = "".join(traceback.format_exception(*record.exc_info))
            if (struck := self._struck(trace)) != trace:
                record.exc_info, record.exc_text = None, struck
        return True

    def _struck(self, text: str) -> str:
        for redactor in self._redactors:
            text = redactor.strike(text)
        return text


_GUARD = _LogGuard()


def guard_logs(redactor: Redactor) -> None:
    """Keeps what a redactor knows out of the logs of the libraries that carry requests; no level is changed.

    A filter works for the one logger that it is added to, and not for those below it; hence each is visited. Call
    it once the openai package is imported.
    """
    _GUARD.add(redactor)
    names = {f"{parent}{tail}.{name}" for parent, of in _CHILDREN.items() for name in of for tail in ("", "2")}
    existing = {name for name in list(logging.root.manager.loggerDict) if name.partition(".")[0] in _LIBRARIES}
    for name in names | existing | set(_LIBRARIES):
        # Adding a filter twice does nothing.
        logging.getLogger(name).addFilter(_GUARD)
