"""The tags of prompts and replies, the same for every policy, reader and model."""

from __future__ import annotations

__all__ = ["ACTION", "DONE", "LOOK_AROUND", "NO_PLAN", "PLAN_END", "PLAN_START", "THOUGHT"]

PLAN_START = "[PLAN]"
PLAN_END = "[PLAN END]"
THOUGHT = "Thought:"
ACTION = "Action:"
LOOK_AROUND = "look around"
DONE = "finished"
NO_PLAN = "[NO PLAN]"
