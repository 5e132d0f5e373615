"""``python -m pddl2nl`` is the command ``pddl2nl``."""

import sys

from pddl2nl.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
