"""The commands, in the order and under the headings of the first help."""

from __future__ import annotations

PANELS: dict[str, dict[str, tuple[str, str]]] = {
    "Start": {"quickstart": ("quickstart", "All three jobs on ten shipped tasks, with no key.")},
    "Tasks and language": {
        "check": ("check", "Check PDDL files and list all errors."),
        "convert": ("convert", "Describe a domain or problem in English."),
        "tell": ("tell", "Describe a plan in English."),
        "read": ("tell", "Read actions out of English text."),
        "word": ("convert", "Review a wording."),
    },
    "Plans": {
        "plan": ("plan", "Find a plan with Fast Downward, or walk at random."),
        "validate": ("validate", "Validate plans, with VAL's verdicts and text."),
        "watch": ("watch", "Follow a plan while it is executed."),
    },
    "Models": {
        "run": ("run", "Let a policy act on one problem."),
        "policies": ("run", "List policies, or the options of one."),
        "models": ("models", "List models with their settings and prices."),
        "experiment": ("experiment", "Run policies, models and seeds on many tasks."),
        "report": ("report", "Make tables, plots and pages of records."),
        "replay": ("replay", "Repeat runs from their records and compare."),
    },
    "Data": {
        "tasks": ("tasks", "Find, generate, transform and compare tasks."),
        "questions": ("", "Make questions with exact answers, and score replies."),
        "training": ("training", "Export rows for training, and compute rewards."),
        "macro": ("macro", "Compose and prove macro-actions."),
    },
    "Systems": {},
    "Other tools": {
        "export": ("export", "Write plans and records in other tools' formats."),
        "mcp": ("mcp", "Serve planning tools to agents."),
        "audit": ("audit", "Judge recorded results of other tools again."),
    },
}
"""The commands by their heading in the first help: the module of each, and what it does in a few words. Only the module
of the command that runs is imported. `SYSTEMS` holds what systems bring, as does a command without a module."""

SYSTEMS = "Systems"
COMMANDS = {name: module for panel in PANELS.values() for name, (module, _) in panel.items() if module}
"""The module of each command."""
