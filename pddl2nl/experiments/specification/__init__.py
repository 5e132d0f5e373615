"""Experiments: from a specification, a TOML file or Python, to the runs that it asks for."""
