"""PDDL → English: tasks, states, actions, reasons for failure and verdicts as text."""
