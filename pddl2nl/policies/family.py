"""What a system of the literature brings besides its policies: prompts, events, an oracle, metrics, tables.

A `Family` is a package under `pddl2nl.policies` and one line in `pddl2nl.policies.families`. Its package holds

===============  ====================================================================================================
module           contents
===============  ====================================================================================================
``events``       ``EVENTS``: the classes of its planning events
``mistakes``     ``MISTAKES``: the names of the mistakes that its oracle can make on purpose, unique among all families
``oracle``       ``oracle(domain, wording, mistake)``: answers its prompts with a planner in place of a model
``metrics``      ``METRICS``: its metrics, pure functions of a run's events
``notes``        ``NOTES``: how a report shows each of its events
``paper.toml``   the paper's numbers, and the tables in which they stand beside ours (`pddl2nl.policies.paper`)
===============  ====================================================================================================

These modules are imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from pddl2nl.policies.paper import Paper, load_paper
from pddl2nl.policies.staged import PromptLayout

if TYPE_CHECKING:
    from pddl2nl.baselines.oracle import StagedOracle
    from pddl2nl.nl import Wording
    from pddl2nl.pddl import Domain
    from pddl2nl.policies.episode import Policy
    from pddl2nl.policies.events import Finished, RunEvent, Started
    from pddl2nl.policies.ground_truth import Reference


class ScoredRun(Protocol):
    """A finished run, as metrics see it."""

    @property
    def started(self) -> Started: ...
    @property
    def finished(self) -> Finished: ...
    @property
    def events(self) -> tuple[RunEvent, ...]: ...
    @property
    def counted(self) -> tuple[RunEvent, ...]:
        """The events without those of plans that do not count."""

    @property
    def solved(self) -> bool: ...
    @property
    def reference(self) -> Reference | None:
        """The ground-truth plans of the task, if they are known."""


# ── metrics ──────────────────────────────────────────────────────────────────────────────────────

Comparable = Literal["always", "both-solved", "never"]
"""When a metric's values of two runs of one task and seed may be compared: if both are scored, only if both reached
the goal, or never, because the value depends on circumstances more than on the configuration."""


class _Compared(Protocol):
    """What `RunMetric.compares` needs of a run."""

    @property
    def infrastructure(self) -> bool: ...
    @property
    def solved(self) -> bool: ...
    @property
    def values(self) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class RunMetric:
    """One quantity of a run.

    Attributes:
        name: the name in `pddl2nl.reports.METRICS`.
        summary: one line for people.
        better: whether higher or lower values are better.
        together: how the means of several tasks become one number.
        of: the value of a run, or None if it has none. The metrics of families take a `ScoredRun`, those of reports
            also the record of a planner. Runs with an infrastructure error are never measured.
        unit: of the value; empty for a ratio, ``%`` for percentages.
        comparable: when the values of two configurations may be compared.
        guessed: whether the value contains an estimate.
        short: a short name, if the value compares a plan with a ground truth.
    """

    name: str
    summary: str
    better: Literal["higher", "lower"]
    together: Literal["sum", "mean"]
    of: Callable[[Any], float | None]
    unit: str = ""
    comparable: Comparable = "both-solved"
    guessed: Callable[[Any], bool] = lambda run: False
    short: str = ""

    def compares(self, one: _Compared, other: _Compared) -> bool:
        """Whether the values of two runs of one task and seed may be compared; both must have one."""
        allowed = {"always": True, "both-solved": one.solved and other.solved, "never": False}[self.comparable]
        both = self.name in one.values and self.name in other.values
        return allowed and both and not (one.infrastructure or other.infrastructure)


# ── notes on a page ──────────────────────────────────────────────────────────────────────────────

Tone = Literal["", "good", "bad", "soft"]


@dataclass(frozen=True)
class Item:
    """A line of a note: a label, text, texts in PDDL, and how it is marked."""

    text: str = ""
    label: str = ""
    codes: tuple[str, ...] = ()
    tone: Tone = ""


@dataclass(frozen=True)
class Note:
    """One planning event as a report's page shows it; all texts are escaped, because they may be a model's words.

    Attributes:
        kind: the event's name.
        title: for example ``Block 2, correction 1``.
        verdict: the result in a few words, marked by ``tone``.
        lines: numbered lines.
        items: other lines.
        feedback: the feedback for the model, in the words of the run.
        remark: whether it belongs to the execution of a plan rather than to planning.
    """

    kind: str
    title: str
    verdict: str = ""
    tone: Tone = ""
    lines: tuple[Item, ...] = ()
    items: tuple[Item, ...] = ()
    feedback: str = ""
    remark: bool = False


# ── the family ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Effort:
    """The expected calls of a run before it is made, for cost estimates.

    Attributes:
        opening: calls with the first prompt of the run, or one as long.
        later: calls with later prompts, which are longer by ``growth`` tokens.
        replies: tokens of all replies.
    """

    opening: int
    later: int
    growth: int
    replies: float


@dataclass(frozen=True, eq=False)
class Family:
    """One system.

    Attributes:
        name: a short name.
        package: the package that holds it.
        title: for tables.
        policy_class: the class of its policies in the package, ``hvr.HVR``, which is called with a policy's name.
        titles: what the paper calls its policies and ablations, by their names.
        options: the options of a run (`pddl2nl.experiments.spec`) marked for families that its policies take.
        pictured: whether its module ``picture`` draws what a prompt shows: ``picture(question)`` is an SVG, or empty.
        layout: the layout of its prompts.
        prompt_hashes: the SHA-256 of the prompt files that a policy uses, by file name.
        effort: the expected effort of a policy for a plan of so many actions.
        effort_text: the assumptions behind it, for people.
        why_only: why its policies accept none, or few, of the options of other policies that ask a model.
        without: the options of families that a policy does not take.
        also: the options of policies without a family that a policy takes: those of its example, its replies and its
            samples.
        levels: what ``--constrain`` can ask for, if it is not the form and the actions of the task, by policy.
        mistaken: the policies without a family in which its oracle makes its mistakes, too.
    """

    name: str
    package: str
    title: str
    policy_class: str
    titles: Mapping[str, str]
    options: frozenset[str]
    layout: PromptLayout
    prompt_hashes: Callable[[str], Mapping[str, str]]
    effort: Callable[[str, int], Effort]
    effort_text: str
    why_only: str
    without: Mapping[str, frozenset[str]] = field(default_factory=dict)
    also: Mapping[str, frozenset[str]] = field(default_factory=dict)
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    mistaken: tuple[str, ...] = ()
    pictured: bool = False

    def takes(self, policy: str, option: str) -> bool:
        """Whether a policy takes an option of families, or one that policies with a family do not take otherwise."""
        mine = option in self.options and option not in self.without.get(policy, ())
        return mine or option in self.also.get(policy, ())

    def policy(self, name: str) -> Policy:
        """A new policy object by its name."""
        module, _, class_name = self.policy_class.rpartition(".")
        return cast("Policy", getattr(self._module(module), class_name)(name))

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of its policies."""
        return tuple(self.titles)

    @cached_property
    def events(self) -> tuple[type[RunEvent], ...]:
        """The classes of its planning events."""
        return cast("tuple[type[RunEvent], ...]", self._module("events").EVENTS)

    @cached_property
    def mistakes(self) -> tuple[str, ...]:
        """The mistakes that its oracle can make."""
        return cast("tuple[str, ...]", self._module("mistakes").MISTAKES)

    @cached_property
    def metrics(self) -> tuple[RunMetric, ...]:
        """Its metrics."""
        return cast("tuple[RunMetric, ...]", self._module("metrics").METRICS)

    @cached_property
    def paper(self) -> Paper:
        """The paper's numbers and tables."""
        return load_paper(self.package)

    def oracle(self, domain: Domain, wording: Wording, mistake: str | None) -> StagedOracle:
        """A planner that answers its prompts; with a mistake, it makes this one until a prompt tells it."""
        return cast("StagedOracle", self._module("oracle").oracle(domain, wording, mistake))

    def note(self, event: RunEvent) -> Note | None:
        """How a page shows one of its events; None for events of others."""
        make = self._module("notes").NOTES.get(type(event))
        return None if make is None else cast(Note, make(event))

    def picture(self, question: str) -> str:
        """What the last message of one of its prompts shows, as SVG with escaped texts; empty without a picture."""
        return cast(str, self._module("picture").picture(question)) if self.pictured else ""

    def _module(self, name: str) -> Any:
        return import_module(f"{self.package}.{name}")
