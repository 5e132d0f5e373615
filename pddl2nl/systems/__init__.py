"""The systems of the literature, one package each; see `pddl2nl.plugins.System`. The core imports none of them."""
