"""Finding tasks: the domains and instances that are shipped with this toolkit."""

from __future__ import annotations

from pddl2nl.tasks.shipped import (
    Instance,
    Role,
    ShippedDomain,
    match_shipped,
    shipped_domain,
    shipped_domains,
    shipped_task,
)

__all__ = [
    "Instance",
    "Role",
    "ShippedDomain",
    "match_shipped",
    "shipped_domain",
    "shipped_domains",
    "shipped_task",
]
