"""``python -m pddl2nl`` is the command ``pddl2nl``."""

from pddl2nl.cli.app import entry_point

if __name__ == "__main__":
    entry_point()
