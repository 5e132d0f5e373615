"""English to PDDL: what a model said, read back as actions, claims and states."""
