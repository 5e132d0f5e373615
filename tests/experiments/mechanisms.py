"""The policies that generic tests run."""

from __future__ import annotations

from pddl2nl.policies import make_policy
from pddl2nl.policies.policy import CORE

ASKING = [name for name in CORE if make_policy(name).needs_model and name != "score"]
"""The core's policies that ask a model for a reply: Score asks for likelihoods (tests/policies/test_score.py)."""

WRITING = [name for name in ASKING if name != "tools"]
"""Those whose replies are texts (tests/policies/test_tools.py tests calls)."""
