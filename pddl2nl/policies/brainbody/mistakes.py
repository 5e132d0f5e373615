"""The mistakes that the oracle can make on purpose."""

from __future__ import annotations

__all__ = ["MISTAKES"]

MISTAKES: tuple[str, ...] = ()
"""The names of all mistakes."""
