"""What every command prints with ``--json``: ``reference/json.md`` is made from these types.

An object is a dictionary of keys and types; ``?`` marks a key that can be absent, ``*`` each key where keys are names.
A list of one type is a list of such values, a tuple is one of several types, and `Told` says what a key means where its
name does not. ``tests/test_json_answers.py`` runs the commands and compares what they print.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Told:
    """A type with its meaning."""

    kind: Any
    meaning: str


TABLE = {
    "key": str,
    "title": str,
    "columns": [{"name": str, "group": str, "paper": Told(bool, "whether its numbers are a paper's"), "label": str}],
    "sections": [
        {
            "title": str,
            "lines": [
                {
                    "label": str,
                    "indent": bool,
                    "total": bool,
                    "cells": [
                        {
                            "text": str,
                            "value?": float | None,
                            "detail?": str,
                            "best?": bool,
                            "estimated?": bool,
                            "interval?": Told([float], "95 %"),
                        }
                    ],
                }
            ],
        }
    ],
    "notes": [str],
}
DIAGNOSTIC = {
    "severity": Literal["error", "warning"],
    "file": str,
    "line": int,
    "column": int,
    "path": Told(str, "where in the text: in action 'stack', precondition"),
    "message": str,
    "expected": str,
    "found": str,
    "suggestion": str,
}
SNIPPET = {"parameters": [str], "text": str | None, "negated?": str}
ACCOUNT = {
    "calls": int,
    "cache_hits": int,
    "prompt_tokens": int,
    "completion_tokens": int,
    "cached_tokens": int,
    "reasoning_tokens": int,
    "usd": float | None,
    "seconds": float,
}
MODEL_SETTINGS = {
    "name": str,
    "known?": Told(bool, "of models NAME"),
    "key_variable": str,
    "max_tokens_name": str,
    "takes_temperature": bool,
    "takes_seed": bool,
    "takes_stop": bool,
    "takes_system": bool,
    "takes_reasoning": bool,
    "tools": str,
    "price?": Told(
        {"prompt": Told(float, "USD for a million tokens"), "cached?": float, "completion": float}, "where it is known"
    ),
    "constrain": str,
    "likelihood": str,
}
TROUBLE = {"run": str, "message": str}
RENAMED = {"file": str, "out": str | None, "text?": str}
SCENE_GRAPH = {"nodes": Told({"*": [{"*": Any}]}, "by level, with what the domain's scene.json names"), "links": [str]}
TASK_GRAPH = {
    "name": str,
    "nodes": [str],
    "edges": Told({"*": [str]}, "the subtasks that may follow each"),
    "source?": Any,
}
EDGE_PROOF = {
    "first": str,
    "second": str,
    "kind": str,
    "reasons": [str],
    "witness": (
        {"problem": str, "plan": [str], "of_first": Told(int, "how many actions are of the first subtask")},
        None,
    ),
}

ANSWERS: dict[str, Any] = {
    "quickstart": {
        "runs": int,
        "judged_as_recorded": int,
        "coverage": TABLE,
        "report": str,
        "records": str,
        "seconds": float,
    },
    "check": {
        "file": str,
        "kind": Literal["domain", "problem"],
        "name": str,
        "ok": bool,
        "requirements": [str],
        "counts": {
            "types": int,
            "predicates": int,
            "functions": int,
            "actions": int,
            "derived": int,
            "objects": int,
            "init": int,
            "goal_atoms": int,
        },
        "diagnostics": [DIAGNOSTIC],
    },
    "convert": {
        "domain_text": str,
        "goal_text": Told(str | None, "null without a problem, as the two after it"),
        "objects_text": str | None,
        "init_text": str | None,
        "names": Told({"*": str}, "the told name of each object"),
        "wording": {
            "format": int,
            "domain": str,
            "predicates": {"*": SNIPPET},
            "actions": {"*": SNIPPET},
            "types": {"*": str},
            "functions": {"*": SNIPPET},
            "source": {
                "method": str,
                "model?": str | None,
                "date?": str | None,
                "prompt_sha256?": str | None,
                "revisions?": int,
            },
        },
    },
    "tell": {"lines": [{"action": str, "text": str}]},
    "read": {
        "readings": [
            {
                "line": int,
                "start": Told(int, "character offset into the input, as end"),
                "end": int,
                "text": str,
                "status": Literal[
                    "read", "ambiguous", "unreadable", "unknown-object", "not-an-action", "look-around", "claimed-done"
                ],
                "action": Told(str | None, "in PDDL"),
                "candidates": [str],
                "rule": str,
            }
        ],
        "plan": [str],
        "ended": bool,
        "policy": Told(str, "the reading policy in force"),
    },
    "read --turn": {
        "turn": {
            "line": int,
            "start": Told(int, "character offset into the input, as end"),
            "end": int,
            "text": str,
            "status": Literal[
                "read", "ambiguous", "unreadable", "unknown-object", "not-an-action", "look-around", "claimed-done"
            ],
            "action": Told(str | None, "in PDDL"),
            "candidates": [str],
            "rule": str,
            "reason": str,
        },
        "plan": Told([str], "the action, if one was read"),
    },
    "plan": {
        "planner": str,
        "status": Literal["solved", "unsolvable", "timeout", "out-of-memory", "unsupported", "error"],
        "plan": ([str], None),
        "cost": int | float | None,
        "seconds": Told(float, "CPU time"),
        "expanded": int | None,
        "search": str,
    },
    "validate": {
        "plan": Told(str, "the file; one object for each plan"),
        "verdict": Literal["valid", "goal-not-satisfied", "inapplicable", "bad-plan"],
        "steps": int,
        "cost": int | float | None,
        "failed_step": Told(int | None, "from 1"),
        "action": str | None,
        "unmet": Told([str], "of the failing condition"),
        "unmet_goals": [str],
        "explanation": [
            {"literal": str, "deleted_by_step": int | None, "never_held": bool, "lost_after_step": int | None}
        ],
        "told": Told([str], "sentences"),
        "diagnostics": [DIAGNOSTIC],
    },
    "watch": {
        "line": Told(int, "of the input; one object for each line, 0 before the first"),
        "next": Told(int, "the number of the next step"),
        "broken": Told(
            (
                {
                    "number": int,
                    "action": Told(str | None, "null for the goal"),
                    "unmet": [str],
                    "conflict": str | None,
                    "phase?": Told(str, "of a plan with time: start, end, over all or action"),
                    "time?": int | float,
                },
                None,
            ),
            "the first step that cannot be executed any more",
        ),
        "error": str | None,
    },
    "run": {
        "outcome": Told(str, "solved, inapplicable, goal-missed, unreadable, budget, … (see Outcomes)"),
        "fault": Told(({"step": int, "status": str, "text": str}, None), "the first broken link"),
        "plan": [str],
        "steps": int,
        "mistakes": int,
        "calls": int,
        "prompt_tokens": int,
        "completion_tokens": int,
        "cached_tokens": int,
        "usd": float | None,
        "seconds": Told(float, "wall time"),
        "record": Told(str | None, "the file"),
        "cache_hits": int,
        "accounts": Told({"*": ACCOUNT}, "by role"),
    },
    "policies": [
        {
            "name": str,
            "summary": str,
            "styles": [str],
            "one_shot": bool,
            "needs_model": bool,
            "system": str | None,
            "preset_of": str | None,
            "options": Told({"*": Any}, "their defaults"),
        }
    ],
    "policies NAME": {
        "name": str,
        "summary": str,
        "styles": [str],
        "one_shot": bool,
        "needs_model": bool,
        "system": str | None,
        "preset_of": str | None,
        "options": Told({"*": Any}, "their defaults"),
        "help": [{"name": str, "values": str, "default": Any, "help": str}],
        "presets": Told({"*": {"*": Any}}, "the values of each"),
    },
    "models": {"models": [MODEL_SETTINGS]},
    "models NAME": MODEL_SETTINGS,
    "experiment": {
        "name": str,
        "runs": int,
        "earlier": Told(int, "runs that were finished before"),
        "solved": int,
        "outcomes": {"*": int},
        "infrastructure_errors": [TROUBLE],
        "bad_input": [TROUBLE],
        "unfinished": int,
        "elsewhere": Told(int, "runs that another process works on"),
        "stopped": str | None,
        "spent": ACCOUNT,
        "spent_before": ACCOUNT,
        "seconds": float,
        "records": str,
    },
    "experiment --dry-run": {
        "name": str,
        "runs": int,
        "kinds": Told({"*": int}, "runs of each policy and planner"),
        "finished": int,
        "left_out": [str],
        "notes": [str],
        "estimate": {"calls": int, "prompt_tokens": int, "completion_tokens": int, "usd": float | None, "how": str},
        "columns": [
            {
                "column": str,
                "runs": int,
                "calls": int,
                "prompt_tokens": int,
                "completion_tokens": int,
                "usd": float | None,
            }
        ],
        "records": str,
    },
    "experiment --list": [{"name": str, "about": str}],
    "report": {
        "name": str,
        "runs": int,
        "missing": int,
        "infrastructure_errors": [TROUBLE],
        "notes": [str],
        "doubts": Told([Any], "runs that are not as recorded"),
        "how": {"*": str},
        "tables": [TABLE],
        "plots": [str],
    },
    "report --format html": {"report": str, "plots": [str]},
    "report --format runs": {"runs": Told(str, "the file of the rows of runs"), "steps": str, "plots": [str]},
    "tasks pairs": {
        "root": str,
        "suites": [{"suite": str, "tasks": int, "domains": int, "guesses": int}],
        "tasks": [
            {
                "suite": str,
                "name": str,
                "domain": str,
                "problem": str,
                "guess": bool,
                "rule": str,
                "why": str,
                "error?": str | None,
            }
        ],
        "left_over": [Any],
    },
    "tasks generate": {"generators": [{"domain": str, "summary": str, "parameters": [str]}]},
    "tasks generate NAME": {
        "domain": str,
        "name": str,
        "seed": int,
        "parameters": {"*": Any},
        "call": str,
        "objects": int,
        "solvable": bool | None,
        "text?": str,
        "file?": str,
    },
    "tasks generate NAME --parameters": {
        "domain": str,
        "summary": str,
        "parameters": [{"name": str, "meaning": str, "default": Any, "range": str}],
    },
    "tasks obfuscate": {
        "reversed": bool,
        "scheme": str,
        "seed": int | None,
        "domain": RENAMED,
        "problems": [RENAMED],
        "plans": [RENAMED],
        "wording": Told(Any, "as the wording of convert; null without one"),
        "mapping": Told({"*": Any}, "old names to new ones, by kind"),
    },
    "tasks strip-costs": {
        "domain": RENAMED,
        "problems": [RENAMED],
        "status": str,
        "reason": str,
        "functions": [str],
        "cost": Any,
        "warnings": [str],
        "plans": str,
        "wording": Any,
    },
    "tasks equivalent": {"equivalent": bool, "missing": [str], "invented": [str]},
    "tasks manifest check": {"lines": int, "proved": int, "not_run": [Any], "findings": [Any], "seconds": float},
    "tasks manifest show": [
        {
            "domain": str,
            "instances": [
                {
                    "instance": str,
                    "role": str,
                    "objects": int,
                    "optimal_length": int | None,
                    "proof": str,
                    "ff_length": int | None,
                    "call": str,
                    "file": str,
                }
            ],
        }
    ],
    "questions score": {
        "groups": [
            {
                "kind": str,
                "form": str,
                "domain": str,
                "counts": Told({"*": int}, "by verdict"),
                "right": int,
                "scored": int,
                "interval": Told(([float], None), "Wilson's, 95 %"),
            }
        ],
        "answers": [{"id": str, "kind": str, "form": str, "verdict": str, "fault": str, "text": str}],
    },
    "questions check": {
        "kinds": [{"kind": str, "questions": int, "recomputed": int, "agree": int, "differ": int, "undecided": int}],
        "differences": Told([Any], "each with its proof"),
    },
    "training rewards": {
        "format": Told(float, "each from 0 to 1; one object for each line of the file"),
        "prefix": float,
        "goals": float,
        "validity": float,
        "length": float,
    },
    "replay": {
        "record": str,
        "identical": bool,
        "complete": bool,
        "events": int,
        "changed": Told(str, "the line of the record that was changed"),
        "difference": Any,
    },
    "word review": {
        "review": [{"kind": str, "name": str, "text": str, "reasons": [str]}],
        "warnings": [str],
        "back_translation?": Told(
            {"model": str, "date": str, "asked": int, "agreed": int, "prompt_sha256": str}, "with --model"
        ),
    },
    "audit planbench": {
        "unread": [{"file": str, "reason": str}],
        "rows": [
            {
                "file": str,
                "policy": str,
                "replies": int,
                "recorded_agrees": int,
                "agrees": int,
                "recorded_only": int,
                "ours_only": int,
                "agreement": float,
            }
        ],
        "disagreements": [{"file": str, "instance": Any, "policy": str, "recorded": Any, "ours": Any}],
    },
    "macro compose": {
        "name": str,
        "parameters": [{"name": str, "types": [str]}],
        "steps": [str],
        "precondition": str,
        "effect": str,
        "distinct": bool,
        "description": str,
        "pddl": str,
    },
    "macro prove": {
        "sound": bool,
        "states": str,
        "runs": Literal["proved", "refuted", "undecided"],
        "holds": Literal["proved", "refuted", "undecided"],
        "complete_effect": Literal["proved", "refuted", "undecided"],
        "precondition": Told(str, "compared with the weakest one"),
        "vacuous": bool,
        "static": Told([str], "static facts that the proof used"),
        "counterexamples": [{"kind": str, "state": [str], "values": {"*": Any}, "step": int, "unmet": [str]}],
        "block?": Told([str], "the actions, of macro prove"),
        "told?": Told(str, "the same in words"),
    },
    "macro generate": {
        "good": bool,
        "macros": [Any],
        "rounds": [{"reply": str, "verified": Told(int, "how many macro-actions were verified"), "feedback": str}],
    },
    "scene show": SCENE_GRAPH,
    "scene collapse": SCENE_GRAPH,
    "scene expand": SCENE_GRAPH,
    "scene path": {"way": Told(([str], None), "null: there is none")},
    "taskgraph show": TASK_GRAPH,
    "taskgraph build": TASK_GRAPH,
    "taskgraph check": {"ok": bool, "steps": int, "faults": [{"step": int, "line": int, "kind": str, "text": str}]},
    "taskgraph prove FIRST SECOND": EDGE_PROOF,
    "taskgraph prove": {"edges": [EDGE_PROOF], "broken_invariants": [str]},
    "taskgraph sets": {"*": int},
    "export inspect": {"logs": [str]},
    "export hf": {"runs": str, "steps": str},
}
"""The answer of each command, with the options that change it. Where several objects are printed, each is on a line."""
