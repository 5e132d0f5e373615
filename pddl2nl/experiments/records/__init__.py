"""The records of runs: written, read, resumed and replayed."""
