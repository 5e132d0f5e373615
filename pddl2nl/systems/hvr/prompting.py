"""What HVR asks and tells the model (sections 2.2 to 3.3 and appendix B.3 of the paper).

The prompts are laid out as in `pddl2nl.policies.staged`; the instruction of each stage is a text file in ``prompts``.

====================  ==================================================================================================
stage                 content, after the paper
====================  ==================================================================================================
retrieval             zero-shot; the task, the current macro-action if there is one, and all available objects
macro-plan            two examples; the task, and the classes of the objects with their properties (ours: after a failed
                      plan also the objects, because the new plan starts from their current state)
conditions            one example; macro-actions, objects, predicates (`pddl2nl.systems.hvr.conditions`)
conditions-…          no example; the conditions and feedback: corrected before, refined after a block was expanded
block                 two examples; the objects; what was executed, grouped by macro-action; the reply gives the steps
                      in words first, then as actions
block-correction      one example; the block and the validator's feedback besides
plan                  two examples; the whole plan at once, for policies without hierarchy
plan-correction       one example; the same with the validator's feedback
====================  ==================================================================================================

*Compact* prompts fit, with their replies, the 4,096 tokens of the paper's smaller model in all its tasks: no effects
of actions, no list of actions, no location triples and no predicates that are properties of objects; one example for
macro plans, blocks and plans, none elsewhere; what was executed by macro-actions only; shorter lines of objects
(`GraphTeller`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pddl2nl.llm import Message
from pddl2nl.nl import Teller
from pddl2nl.nl.telling.phrases import number_text
from pddl2nl.pddl import GroundAtom, changed_predicates
from pddl2nl.policies.prompts import Prompts
from pddl2nl.policies.staged import PromptLayout, Sections, conversation
from pddl2nl.systems.hvr.knowledge_graph import ClassFacts, KnowledgeGraph, ObjectFacts, Selection, said_objects
from pddl2nl.systems.hvr.ontology import Ontology
from pddl2nl.systems.hvr.options import prompt_file
from pddl2nl.worlds.similarity import Embed

ROBOT = "robot"
"""The name under which facts without objects are told."""

ACTIONS_MARK = "Actions:"
"""The line between the steps in words and the actions of a reply."""

LAYOUT = PromptLayout(
    stages=(
        "retrieval",
        "macro-plan",
        "conditions",
        "conditions-correction",
        "conditions-refinement",
        "block",
        "block-correction",
        "plan",
        "plan-correction",
    ),
    sections=(
        "Task",
        "Available objects",
        "Known macro-actions",
        "Objects",
        "Location triples",
        "Predicates",
        "Actions",
        "Macro plan",
        "Conditions",
        "Executed so far",
        "Macro-action",
        "Its conditions",
        "Block",
        "Plan",
        "Feedback",
    ),
    numbered=frozenset(("Macro plan", "Block", "Plan")),
)

Shots = Mapping[str, tuple[tuple[str, str], ...]]
"""The examples of each stage: questions and the replies to them."""


def actions_reply(steps: Sequence[str], actions: Sequence[str]) -> str:
    """A reply to the stages block and plan: the steps in words, then the actions."""
    return "\n".join([*steps, ACTIONS_MARK, *actions])


@dataclass(frozen=True)
class Prompter:
    """Makes the prompts about one task.

    Attributes:
        prompts: the files of the instructions.
        task_text: the task in words.
        domain_text: the actions with their preconditions and effects.
        action_lines: the actions alone, one a line.
        shots: the examples.
        compact: whether prompts are compact.
    """

    prompts: Prompts
    task_text: str
    domain_text: str = ""
    action_lines: tuple[str, ...] = ()
    shots: Shots = field(default_factory=dict)
    compact: bool = False

    def messages(self, stage: str, sections: Sections) -> list[Message]:
        """The whole prompt."""
        instruction = self.prompts.fill(prompt_file(stage), domain=self.domain_text)
        return conversation(
            LAYOUT.system(stage, instruction), self.shots.get(stage, ()), self.question(stage, sections)
        )

    def question(self, stage: str, sections: Sections) -> str:
        """The last message of a prompt: the task, the actions where the stage shows them, and the given sections."""
        shows_actions = stage.startswith(("block", "plan")) and not self.compact
        actions = self.action_lines if shows_actions else ()
        return LAYOUT.question({"Task": self.task_text, "Actions": actions, **sections})

    def executed(self, groups: Sequence[tuple[str, Sequence[str]]]) -> str:
        """What was executed, or planned so far: each macro-action on a line, and its actions below it."""
        lines: list[str] = []
        for macro, actions in groups:
            if macro:
                lines.append(f"{macro}:")
            shown = ["done"] if self.compact and macro and actions else actions or ["nothing"]
            lines += [f"- {action}" for action in shown]
        return "\n".join(lines)


class GraphTeller:
    """Tells the knowledge graph of one task in the words of the run.

    Each object has a line ``egg_1 (Egg; crackable, pickupable): egg_1 is in fridge_1; egg_1 is raw``: its class, its
    affordances and properties by the ontology, and every true fact whose first argument it is, in a form that our
    reader can read back. Facts without objects are told under ``robot``. An object that does not exist yet has a line
    only if a fact relates it to an object that has one: the slices of a potato have names before they exist.

    A *compact* line names, besides the class, only the properties that are predicates of the domain, and does not
    repeat them as facts.

    Args:
        teller: tells the task.
        ontology: classes and properties; None for those of the domain's types.
        embed: an embedding model that maps names to objects; None to compare spelling.
        compact: whether lines are compact.
    """

    def __init__(
        self,
        teller: Teller,
        ontology: Ontology | None = None,
        embed: Embed | None = None,
        *,
        compact: bool = False,
    ):
        self.graph = KnowledgeGraph(teller.task, ontology, teller.names)
        self.teller = teller
        self._embed = embed
        self._compact = compact
        domain = teller.task.domain
        unary = (item.name for item in domain.predicates if len(item.parameters) == 1)
        self._lasting = frozenset(unary) - changed_predicates(domain)

    def select(self, reply: str) -> tuple[tuple[str, ...], Selection]:
        """The names in a reply, and the selected objects with those around them."""
        said = said_objects(reply)
        return said, self.graph.select(said, self._embed)

    def available_lines(self) -> tuple[str, ...]:
        """All existing objects with their classes."""
        return tuple(f"{self._said(name)} ({self.graph.kind(name)})" for name in self.graph.objects())

    def kind_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """The classes of some objects (None: all existing ones) with their properties."""
        lines = ((facts.name, ", ".join(self._properties(facts))) for facts in self.graph.classes(objects))
        return tuple(f"{name} ({properties})" if properties else name for name, properties in lines)

    def object_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """Everything known about some objects (None: all)."""
        shown = tuple(self.teller.task.objects) if objects is None else self._with_those_to_come(objects)
        world = [*self._facts(self.graph.facts_of_world()), *self._values(self.graph.values_of_world())]
        lines = [self._object_line(facts) for facts in self.graph.about(shown)]
        return tuple([f"{ROBOT}: {'; '.join(world)}", *lines] if world else lines)

    def location_lines(self, objects: Sequence[str] | None = None) -> str:
        """The locations of some objects (None: all existing ones) as triples, one a line."""
        return "\n".join(map(str, self.graph.location_triples(objects)))

    def _with_those_to_come(self, objects: Sequence[str]) -> tuple[str, ...]:
        """The objects, and related objects that do not exist yet."""
        available = frozenset(self.graph.objects())
        atoms = (atom for facts in self.graph.about(objects) for atom in (*facts.facts, *facts.mentions))
        related = (name for atom in atoms for name in atom.args if name not in available)
        return tuple(dict.fromkeys((*objects, *related)))

    def _object_line(self, facts: ObjectFacts) -> str:
        properties = "".join(f"; {', '.join(words)}" for words in [self._properties(facts)] if words)
        head = f"{self._said(facts.name)} ({facts.kind}{properties})"
        atoms = [atom for atom in facts.facts if not (self._compact and len(atom) == 2 and atom[0] in self._lasting)]
        told = [*self._facts(atoms), *self._values(facts.values)]
        return f"{head}: {'; '.join(told)}" if told else head

    def _properties(self, facts: ClassFacts | ObjectFacts) -> list[str]:
        words = [*facts.affordances, *facts.properties]
        return [word for word in words if word in self._lasting] if self._compact else words

    def _facts(self, atoms: Iterable[GroundAtom]) -> list[str]:
        """The atoms in words, without those that have no wording."""
        wording = self.teller.wording.predicates
        told = (atom for atom in atoms if wording[atom[0]].text is not None)
        return list(map(self.teller.fact, told))

    def _values(self, values: Iterable[tuple[GroundAtom, Fraction]]) -> list[str]:
        wording = self.teller.wording.functions
        return [
            f"{self.teller.fact(fluent)} is {number_text(value)}"
            for fluent, value in values
            if fluent[0] not in wording or wording[fluent[0]].text is not None
        ]

    def _said(self, name: str) -> str:
        return self.teller.names.to_nl.get(name, name)
