"""Finding and making tasks: shipped sets, generators, suites in a folder, transformations.

What is used most, the shipped domains and instances, is exported here. The rest of the room by its modules:

* ``shipped``: the shipped domains; ``manifest`` reads and writes their manifests.
* ``references``: tasks with texts and plans known to be right (the kitchen's); ``reference_files`` reads their file.
* ``generators``: one module a domain; `pddl2nl.tasks.generators.generate` makes a problem.
* Making sets: ``selection`` (the primary set), ``scaling``, ``hopeless`` (the unsolvable sets); all draw from
  ``candidates`` and have planners measured through ``measuring``, since this room knows no planner itself.
* ``proving`` proves manifests again, with ``set_checks``; ``canonical`` tells problems apart that differ by more than
  names.
* ``suites`` finds tasks in a folder of any layout: ``pddl_files`` says what a file is, ``pairing`` what belongs
  together.
* ``transformations``: ``obfuscation`` and ``renaming`` (with ``rename_formulas``, ``rename_wording``,
  ``mystery_words``), ``costs``.
"""

from __future__ import annotations

from pddl2nl.tasks.shipped import (
    Instance,
    Role,
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
