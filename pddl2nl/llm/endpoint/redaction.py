"""Removes keys, header values and credentials of URLs from everything that is shown, logged or stored.

The HTTP libraries log response headers at DEBUG and addresses at INFO, and a server may echo what it was sent.
`Redactor.strike` is for errors and logs. `Redactor.strike_reply` is for replies and removes only what is long enough to
be a secret: local servers are often given a key like EMPTY, and a model may say "HANDEMPTY".
"""

from __future__ import annotations

import base64
import html
import logging
import re
import threading
import traceback
from collections.abc import Callable, Iterable
from urllib.parse import unquote, urlsplit

_STRUCK = "[key]"
_SHORTEST = 4
_SHORTEST_IN_REPLIES = 8
_SHORTEST_ENCODED = 8
_LIBRARIES = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")
_ESCAPES = re.compile(
    # The look-ahead is for speed: most texts have no escape.
    r"(?=[\\%&])(?:(?:\\u[0-9a-fA-F]{4})+|(?:\\x[0-9a-fA-F]{2})+|\\[/\\\"']"
    r"|(?:%[0-9a-fA-F]{2})+|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{2,8});)"
)
"""What stands for other characters in JSON and Python, in addresses and in HTML."""
_LAYERS = 5
"""How often a secret may be escaped, one escape around the other: in JSON within JSON within HTML, say."""
_CHILDREN = {
    "openai": ("_base_client", "_response", "_legacy_response"),
    "httpcore": ("connection", "http11", "http2", "proxy", "socks"),
}


class Redactor:
    """Replaces secrets in texts, as they are, escaped in any way, or in Base64; its ``repr`` shows none.

    Args:
        secrets: the key and other values that must appear nowhere.
        private: values that must not appear in errors and logs, but may in replies: those of ordinary headers, the
            organisation.
    """

    __slots__ = ("_anywhere", "_in_replies")

    def __init__(self, secrets: Iterable[str] = (), private: Iterable[str] = ()):
        secrets, private = list(secrets), list(private)
        # The longest first, so that a secret that contains another one is replaced whole.
        self._anywhere = _forms((*secrets, *private), _SHORTEST)
        self._in_replies = _forms(secrets, _SHORTEST_IN_REPLIES)

    def strike(self, text: str) -> str:
        """The text of an error or a log, without anything private."""
        return _strike(text, self._anywhere)

    def strike_reply(self, text: str) -> str:
        """A model's reply, without secrets."""
        return _strike(text, self._in_replies)

    def learn(self, other: Redactor) -> None:
        """Strikes from errors and logs what another redactor does as well."""
        self._anywhere = sorted({*self._anywhere, *other._anywhere}, key=len, reverse=True)

    def __repr__(self) -> str:
        return "Redactor(…)"


def _strike(text: str, forms: list[str]) -> str:
    """A text without these forms of secrets; one that hides them behind escapes is given with its escapes decoded."""
    text = plain = _replace(text, forms)
    for _ in range(_LAYERS):
        decoded = _ESCAPES.sub(_decode, plain)
        if decoded == plain:
            break
        plain = _replace(decoded, forms)
        if plain != decoded:
            text = plain
    return text


def _replace(text: str, forms: list[str]) -> str:
    for form in forms:
        text = text.replace(form, _STRUCK)
    return text


def _decode(found: re.Match[str]) -> str:
    escapes = found[0]
    if escapes[0] == "&":
        return html.unescape(escapes)
    if escapes[0] == "%":
        return unquote(escapes)
    if escapes[1] == "u":
        return bytes.fromhex(escapes.replace("\\u", "")).decode("utf-16-be", "replace")
    if escapes[1] == "x":
        return bytes.fromhex(escapes.replace("\\x", "")).decode("utf-8", "replace")
    return escapes[1]


def _forms(secrets: Iterable[str], shortest: int) -> list[str]:
    """The secrets that are long enough, plain, in Base64 and in hexadecimal; the longest first."""
    forms: set[str] = set()
    for secret in secrets:
        if len(secret) < shortest:
            continue
        # A secret may hold what looks like an escape, and is decoded with the text.
        decoded = secret
        for _ in range(_LAYERS):
            forms |= {decoded} if len(decoded) >= shortest else set()
            decoded = _ESCAPES.sub(_decode, decoded)
        data = secret.encode("utf-8", "surrogatepass")
        # The escape of a blank in a query, "+", is a character of many secrets, so it is not decoded.
        forms |= {secret.replace(" ", "+"), data.hex(), data.hex().upper()}
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            forms |= {encoded for lead in range(3) if len(encoded := _inner(encode, data, lead)) >= _SHORTEST_ENCODED}
    return sorted(forms, key=len, reverse=True)


def _inner(encode: Callable[[bytes], bytes], data: bytes, lead: int) -> str:
    """The characters of a Base64 text that data determines alone, if so many bytes come before it (modulo 3).

    Text before and after ("Bearer ", a user's name) changes the characters at either end only.
    """
    text = encode(b"\0" * lead + data).decode("ascii").rstrip("=")
    return text[-(-lead * 8 // 6) : len(text) - (1 if (lead + len(data)) % 3 else 0)]


def secrets_of_url(url: str) -> list[str]:
    """The password and the values of the query of an address, encoded and decoded."""
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
    """Removes the secrets of all models of this process from a library's records before any handler sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.known = Redactor()

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if (struck := self.known.strike(message)) != message:
            record.msg, record.args = struck, ()
        if record.exc_info:
            trace = "".join(traceback.format_exception(*record.exc_info))
            if (struck := self.known.strike(trace)) != trace:
                record.exc_info, record.exc_text = None, struck
        return True


_GUARD = _LogGuard()
_ADDING = threading.Lock()


def guard_logs(redactor: Redactor) -> None:
    """Keeps what a redactor knows out of the logs of the HTTP libraries; no level is changed.

    A filter works for one logger and not for those below it, so each is visited. Call it once the openai package is
    imported.
    """
    with _ADDING:
        _GUARD.known.learn(redactor)
    names = {f"{parent}{tail}.{name}" for parent, of in _CHILDREN.items() for name in of for tail in ("", "2")}
    existing = {name for name in list(logging.root.manager.loggerDict) if name.partition(".")[0] in _LIBRARIES}
    for name in names | existing | set(_LIBRARIES):
        # Adding a filter twice does nothing.
        logging.getLogger(name).addFilter(_GUARD)
