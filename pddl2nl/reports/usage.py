"""Calls, tokens and money of a run by role, counted from its events.

If an endpoint reports no token counts, they are estimated from the number of characters
(`pddl2nl.llm.tokens.CHARACTERS_A_TOKEN`). A prompt counts with all its messages, those of earlier turns included, as in
Tables 6 and 7 of the AutoPlanBench paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from pddl2nl.llm.tokens import estimate_tokens
from pddl2nl.policies.events import Prompted, Replied, RunEvent, Started


class RoleUsage(Struct, frozen=True):
    """The cost of the answered calls in one role, or in all roles, when they were first made.

    ``cached_tokens`` are tokens sent that the provider had cached, ``cache_hits`` replies from our own cache. ``usd``
    is None if a price or a token count is unknown. ``prompt_estimated`` and ``completion_estimated`` say whether the
    tokens contain an estimate.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cache_hits: int = 0
    usd: float | None = 0.0
    prompt_estimated: bool = False
    completion_estimated: bool = False

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def estimated(self) -> bool:
        """Whether tokens of either kind contain an estimate."""
        return self.prompt_estimated or self.completion_estimated

    def __add__(self, other: RoleUsage) -> RoleUsage:
        return RoleUsage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cache_hits + other.cache_hits,
            # An unknown price is not zero.
            None if self.usd is None or other.usd is None else self.usd + other.usd,
            self.prompt_estimated or other.prompt_estimated,
            self.completion_estimated or other.completion_estimated,
        )


def usage_by_role(events: Iterable[RunEvent]) -> Mapping[str, RoleUsage]:
    """The usage of each role with a reply, in the order of their first replies."""
    found: dict[str, RoleUsage] = {}
    prompts: dict[str, list[int]] = {}  # the lengths of the messages of each role's last answered prompt
    role, asked = "", list[int]()
    endpoint = False
    for event in events:
        if isinstance(event, Prompted):
            # A record holds only the messages since the last answered prompt of this role.
            role = event.purpose
            asked = [*prompts.get(role, ())[: event.kept], *(len(message.content) for message in event.messages)]
        elif isinstance(event, Replied):
            prompts[role] = asked
            usage = _of_reply(event, asked, endpoint)
            found[role] = found[role] + usage if role in found else usage
        elif isinstance(event, Started):
            endpoint = event.base_url is not None
    return found


def _of_reply(reply: Replied, asked: Sequence[int], endpoint: bool) -> RoleUsage:
    no_prompt = not reply.prompt_tokens and any(asked)
    no_completion = not reply.completion_tokens and bool(reply.text)
    # An endpoint that counted no tokens priced them at zero: the real cost is unknown.
    unpriced = endpoint and (no_prompt or no_completion) and not reply.usd
    return RoleUsage(
        1,
        estimate_tokens(sum(asked)) if no_prompt else reply.prompt_tokens,
        estimate_tokens(len(reply.text)) if no_completion else reply.completion_tokens,
        reply.cached_tokens,
        reply.reasoning_tokens,
        int(reply.from_cache),
        None if unpriced else reply.usd,
        no_prompt,
        no_completion,
    )
