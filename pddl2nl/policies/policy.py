"""What a policy is: a class whose typed fields are its options.

The command line (``-P NAME=VALUE``), specification files, records, replays and help follow from the fields::

    class Careful(Policy):
        summary = "acts, but looks around first"

        looks: Annotated[int, Meta(description="How often it looks around.", ge=0)] = 1

        def run(self, episode: Episode) -> None: ...
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Meta

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.policies.prompts import Prompts

if TYPE_CHECKING:
    from pddl2nl.pddl import Task
    from pddl2nl.policies.episode import Episode

LEVELS = ("format", "actions", "applicable")
"""What ``--constrain`` can ask of replies, from the loosest to the strictest."""

P = TypeVar("P", bound="Policy")


@dataclass(frozen=True)
class Effort:
    """The expected calls of a run before it is made, for cost estimates.

    Attributes:
        opening: calls with the first prompt of the run, or one as long.
        later: calls with later prompts, which are longer by ``growth`` tokens.
        replies: tokens of all replies.
        how: what is assumed, in a few words.
    """

    opening: int
    later: int
    growth: int
    replies: float
    how: str = ""


class Policy(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A way of choosing actions. Subclasses declare their options as typed fields, and need only `run`.

    The members below describe a policy; a subclass sets them without a type, as a type would make them options.

    Attributes:
        summary: one line for people.
        prompts: its prompt files.
    """

    summary: ClassVar[str] = ""
    prompts: ClassVar[Prompts] = Prompts("pddl2nl.policies")

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles of prompts it has, ``nl`` and ``pddl``."""
        return ("nl",)

    @property
    def one_shot(self) -> bool:
        """Whether it gives a whole plan at once, so that no step limit applies."""
        return False

    @property
    def thoughts(self) -> bool:
        """Whether its example shows thoughts."""
        return False

    @property
    def needs_model(self) -> bool:
        """Whether it asks a model."""
        return True

    @property
    def uses(self) -> frozenset[str]:
        """The optional options of a run that it uses (`pddl2nl.policies.spec.OPTIONAL`)."""
        return frozenset()

    @property
    def levels(self) -> tuple[str, ...]:
        """What ``--constrain`` can ask of its replies, of `LEVELS`; nothing if it does not use the option."""
        return () if "constrain" not in self.uses else LEVELS[:-1] if self.one_shot else LEVELS

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in which it asks other models, if they are named by ``--model-for``."""
        return ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it reads beside a domain (`pddl2nl.plugins.System.files`)."""
        return ()

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The mistakes that the oracle can make with it on purpose."""
        return ()

    @property
    def prompt_names(self) -> tuple[str, ...]:
        """The prompt files that it uses; a record holds their hashes."""
        return self.prompts.names()

    @property
    def proposing(self) -> Policy:
        """The policy that is told the task: this one, or that on whose plan it works."""
        return self

    def shows_example(self, task: Task) -> bool:
        """Whether an example is looked for where the user names none; not if it shows other examples of the domain."""
        return "example" in self.uses

    def run(self, episode: Episode) -> None:
        """Acts until ``episode.done``, or submits a plan once."""
        raise NotImplementedError

    @classmethod
    def wrapped(cls, other: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options of a policy that works on another's plan, asked for as ``NAME:OTHER``; ``other`` may be empty.

        Raises:
            InputError: this policy works on its own.
        """
        if other:
            raise InputError(f"{cls.__name__} takes no other policy: leave out ':{other}'")
        return values

    def effort(self, actions: int) -> Effort | None:
        """The expected effort for a plan of so many actions; None for that of the four mechanisms."""
        return None

    def snapshot(self, task: Task) -> Mapping[str, Any]:
        """What a record must hold beside the options to repeat the run, such as a library's content, as JSON."""
        return {}

    def restored(self: P, snapshot: Mapping[str, Any], task: Task, folder: Path) -> P:
        """The policy that repeats a run with this snapshot; ``folder`` is empty and is removed afterwards."""
        return self


class TaskTextPolicy(Policy):
    """The options of policies that are told the task in words."""

    task_text: Annotated[
        str | None,
        Meta(description="The task in natural language; by default the task's own text if it has one, else its goal."),
    ] = None
    form: Annotated[
        Literal["goal", "constructive"],
        Meta(description="The form of the task's own text: what is wanted (goal) or how to do it (constructive)."),
    ] = "goal"


class WorldPolicy(TaskTextPolicy):
    """The options of policies whose world may differ from its model."""

    faults: Annotated[
        str | None,
        Meta(
            description="Differences of the world from the model, separated by ';', or a file of them: "
            "'fail (pick-up egg-1)', 'fail 10%', 'initially (dirty pan-1)'."
        ),
    ] = None


# ── options by name ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class PolicyOption:
    """One option of a policy: its name, default, help, type in words, and the values it accepts in words."""

    name: str
    default: Any
    help: str
    kind: str


def options_of(kind: type[Policy]) -> dict[str, PolicyOption]:
    """The options of a class by name, in the order of its fields."""
    found = {}
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType)
    for item in info.fields:
        extra = item.type
        description = ""
        if isinstance(extra, msgspec.inspect.Metadata):
            description = (extra.extra_json_schema or {}).get("description", "")
            extra = extra.type
        default = item.default
        found[item.name] = PolicyOption(item.name, default, description, _in_words(extra))
    return found


def _in_words(kind: msgspec.inspect.Type) -> str:
    if isinstance(kind, msgspec.inspect.UnionType):
        return " or ".join(_in_words(each) for each in kind.types if not isinstance(each, msgspec.inspect.NoneType))
    if isinstance(kind, msgspec.inspect.LiteralType):
        return "|".join(map(str, kind.values))
    if isinstance(kind, msgspec.inspect.IntType | msgspec.inspect.FloatType):
        letter = "N" if isinstance(kind, msgspec.inspect.IntType) else "X"
        return letter if kind.ge is None else f"{letter} ≥ {kind.ge}"
    if isinstance(kind, msgspec.inspect.BoolType):
        return "true|false"
    if isinstance(kind, msgspec.inspect.VarTupleType | msgspec.inspect.ListType):
        return f"[{_in_words(kind.item_type)}, …]"
    return "TEXT"


def make(kind: type[P], name: str, values: Mapping[str, Any]) -> P:
    """A policy of a class with options, whose values may be texts.

    Raises:
        InputError: an unknown option, or a value that its type or bounds refuse.
    """
    known = kind.__struct_fields__
    for option in values:
        if option not in known:
            hint = did_you_mean(option, known, f"; it has {', '.join(known) or 'none'}")
            raise InputError(f"policy {name} has no option '{option}'{hint}")
    given = {key: _list(kind, key, value) for key, value in values.items()}
    try:
        return convert(given, kind, strict=False)
    except WrongValueError as error:
        raise InputError(f"policy {name}: option {error}") from None


def _list(kind: type[Policy], option: str, value: Any) -> Any:
    """A value; of an option that takes several, a text such as ``state,undo`` as a list."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, str) and options_of(kind)[option].kind.startswith("["):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value
