"""The commands, in the order and under the headings of the first help."""

from __future__ import annotations

PANELS: dict[str, dict[str, tuple[str, str]]] = {
    "Start": {"quickstart": ("quickstart", "All three jobs on ten shipped tasks, with no key.")},
    "Tasks and language": {
        "check": ("check", "Check PDDL files and list all errors."),
        "convert": ("convert", "Describe a domain or problem in English."),
        "tell": ("tell", "Describe a plan in English."),
        "read": ("tell", "Read actions out of English text."),
    },
    "Plans": {
        "plan": ("plan", "Find a plan with Fast Downward, or walk at random."),
        "validate": ("validate", "Validate plans, with VAL's verdicts and text."),
        "picture": ("picture", "Draw a state, or every state of a plan."),
        "watch": ("watch", "Follow a plan while it is executed."),
    },
    "Models": {
        "run": ("run", "Let a policy act on one problem."),
        "policies": ("run", "List policies, or the options of one."),
        "models": ("models", "List models with their settings and prices."),
        "experiment": ("experiment", "Run policies, models and seeds on many tasks."),
        "view": ("view", "Watch runs in a browser while they run."),
        "report": ("report", "Make tables, plots and pages of records."),
    },
    "Data": {
        "tasks": ("tasks", "Find, generate, transform and compare tasks."),
        "questions": ("", "Make questions with exact answers, and score replies."),
        "training": ("training", "Export rows for training, and compute rewards."),
    },
    "Systems": {},
    "Other tools": {
        "export": ("export", "Write plans and records in other tools' formats."),
        "mcp": ("mcp", "Serve planning tools to agents."),
    },
}
"""The commands by their heading in the first help: the module of each, and what it does in a few words. Only the module
of the command that runs is imported. `SYSTEMS` holds what systems bring, as does a command without a module."""

UNLISTED = {"audit": "audit", "macro": "macro", "replay": "replay", "word": "convert"}
"""The modules of the commands that the first help names below its panels, so that it stays short."""

SYSTEMS = "Systems"
COMMANDS = {name: module for panel in PANELS.values() for name, (module, _) in panel.items() if module} | UNLISTED
"""The module of each command."""
