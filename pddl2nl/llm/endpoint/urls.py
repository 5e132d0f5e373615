"""Addresses of endpoints: what may be shown of them, and whether they are near."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit, urlunsplit


def public_url(url: str) -> str:
    """The URL without user, password, query, fragment and final slash: fit for a record, and one for each endpoint."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "(unreadable URL)"
    host = parts.hostname or ""
    place = f"[{host}]{port}" if ":" in host else host + port
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))


def holds_more(url: str) -> bool:
    """Whether an address has a user, password or query, which `public_url` leaves out as they may be secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return True
    return bool(parts.username or parts.password or parts.query)


def host_of(url: str) -> str | None:
    """The host of an http or https address, None for anything else."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises if it is not a port
    except ValueError:
        return None
    return parts.hostname or None if parts.scheme in ("http", "https") else None


def is_near(host: str) -> bool:
    """Whether a host is this machine or in its own network, where servers ask for no key."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".internal", ".lan"))
    return address.is_loopback or address.is_private or address.is_unspecified
