"""Finding and making tasks: shipped sets, generators, suites in a folder, transformations.

The shipped domains and instances are exported here. Modules:

* ``shipped``: the shipped domains; ``manifest`` reads and writes their manifests.
* ``references``: tasks with texts and correct plans (the kitchen's); ``reference_files`` reads their file.
* ``generators``: one module for each domain; `pddl2nl.tasks.generators.generate` makes a problem.
* Making sets: ``sets`` draws problems, compares them by ``isomorphism`` and measures them by planners that are passed
  in. ``proving`` checks manifests.
* ``suites`` finds tasks in a folder of any layout.
* ``transformations``: ``obfuscation`` and ``renaming``, ``costs``; ``formulas`` walks all
  formulas of a domain.
"""

from __future__ import annotations

from pddl2nl.tasks.manifest import Instance, Role
from pddl2nl.tasks.shipped import (
    ShippedDomain,
    authored_domains,
    match_shipped,
    shipped_domain,
    shipped_domains,
    shipped_task,
)

__all__ = [
    "Instance",
    "Role",
    "ShippedDomain",
    "authored_domains",
    "match_shipped",
    "shipped_domain",
    "shipped_domains",
    "shipped_task",
]
