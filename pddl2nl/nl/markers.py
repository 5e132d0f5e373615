"""The tags of prompts and replies, the same for every policy, reader and model."""

from __future__ import annotations

PLAN_START = "[PLAN]"
PLAN_END = "[PLAN END]"
THOUGHT = "Thought:"
ACTION = "Action:"
LOOK_AROUND = "look around"
DONE = "finished"
NO_PLAN = "[NO PLAN]"
