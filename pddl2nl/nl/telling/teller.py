"""Telling: actions, facts, states, goals and whole tasks in language, or as PDDL for the PDDL style.

The exact formats, which `pddl2nl.nl.reading.reader` and `pddl2nl.nl.reading.told` invert (style ``nl``)::

    names       NAMES := n | n1 " and " n2 | n1 ", " n2 ", and " n3 …        (told names hold no blank)
    types       TYPES := KIND { " or " KIND }                                WORD = wording.type_word(type)
                KIND  := ARTICLE WORD | WORD (data, not counted) | "one of the " WORD (numbers, a plural)

    objects     "The following objects are available:\n" LINE { "\n" LINE }  one line for each run of objects of the
                same types, in declaration order, constants included:
                  LINE := n " is " TYPES "."  |  "Each of " NAMES " is " TYPES "."
                no objects: "No objects are available."

    facts       FACT := snippet.fill(told names)                             a positive atom
                FACT := function text " is " NUMBER                          5 | -2.5 | 1/3
                NOT  := snippet.negated filled | "it is not the case that " FACT     a negative literal
                EQ   := n " and " n " are the same object" | n " and " n " are different objects"

    init, state "Currently, " FACT { "\nand " FACT } "."                     (NOT only where the file says (not …))
                nothing to tell: "Currently nothing is the case."            (no comma)

    goal        "My goal is that in the end " CONDITION { "\nand " CONDITION } "."
                of several, an Or stands in brackets: "((" C ") or (" C "))"
                empty goal: "My goal is reached in every state."   empty or: "My goal can never be reached."
                with a metric, one more line: "I want to minimize EXPRESSION." / "… maximize …"
    CONDITION   := FACT | NOT | EQ
                 | "(" C ") or (" C ") or …"       Or          | "(" C ") and (" C ") and …"   And below other nodes
                 | "if (" C ") then (" C ")"       Imply       | "it is not the case that (" C ")"  Not of no atom
                 | "for every WORD A and every WORD B, (" C ")"               Forall
                 | "there is KIND A and KIND B such that (" C ")"                      Exists
                 | EXPRESSION " is at least | at most | more than | less than | equal to " EXPRESSION
                 | "this is never the case" (or)                             | "nothing is asked for" (and)
    EXPRESSION  := function text | NUMBER | "(" E " plus|minus|times|divided by " E ")" | "minus (" E ")"

So a text is cut at line breaks, every line but the first begins with "and ", the last full stop ends it, and no
snippet holds a line break, so facts stay separate even if a snippet has "and", commas or full stops. With
the line breaks made blanks the texts are the paper's own ("conjoined using 'and'"). A text ends where a line
does not begin with "and ". A negative literal uses ``negated`` only if no other snippet has that shape.

    action      action snippet filled: "stack block_0 on block_1"
    executed    "I " action "."
    refused     "I cannot " action [","] " because " REASONS "."            (REASONS: `telling.reasons`; the comma
                closes a clause that one within the action opens: ", which is at hub,")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from pddl2nl.errors import InputError
from pddl2nl.nl.names import Names
from pddl2nl.nl.telling import pddl_style
from pddl2nl.nl.telling.domain import action_lines, compose_domain, constraint_lines, is_word, object_lines, wishes
from pddl2nl.nl.telling.phrases import Phrases, Scope, UntoldError, refuse
from pddl2nl.nl.telling.reasons import Reasons
from pddl2nl.nl.wording.english import closed_clause, one_of_kind, within_sentence
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl import write_condition
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import Condition, Expression, GroundAtom, Or, Problem, conjuncts, number_text, required

if TYPE_CHECKING:
    from pddlval import GroundAction, PlanStep, State, StepResult

Style = Literal["nl", "pddl"]

OBJECTS_START = "The following objects are available:\n"
NO_OBJECTS = "No objects are available."
STATE_START = "Currently, "
EMPTY_STATE = "Currently nothing is the case."
GOAL_START = "My goal is that in the end "
EMPTY_GOAL = "My goal is reached in every state."
IMPOSSIBLE_GOAL = "My goal can never be reached."
JOINER = "\nand "


@dataclass(frozen=True)
class Teller:
    """Tells everything about one task, in one wording and with one set of names.

    In style ``pddl`` every text is PDDL with the objects' own names, for any ``names``, and the
    observations are those of Stein et al., section 5. Texts raise `UnsupportedError` for constructs that have
    no words here, and `UntoldError` for a goal over facts that the wording never tells: nothing is dropped.

    Without ``exceptions`` the domain's description does not say when a deleted fact still holds ("unless B and C are
    the same object").
    """

    task: Task
    wording: Wording
    names: Names
    style: Style = "nl"
    exceptions: bool = True
    _phrases: Phrases = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.style not in get_args(Style):
            raise InputError(f"--style {self.style}: no such style; there are {', '.join(get_args(Style))}")
        object.__setattr__(self, "_phrases", Phrases(self.wording, self.task.domain, self.exceptions))

    # ── the task ─────────────────────────────────────────────────────────────────────────────────

    def domain_text(self, *, effects: bool = True) -> str:
        """The domain: actions, conditions, effects, derived facts, types; constants are told with the objects.

        Without ``effects`` it does not say in natural language what actions change.
        """
        if self.style == "pddl":
            return pddl_style.domain_text(self.task.domain)
        return compose_domain(self._phrases, constants=False, effects=effects)

    def action_lines(self) -> tuple[str, ...]:
        """The actions said of things in general, one a line: ``stack a block A on a block B``; headers in PDDL."""
        if self.style == "pddl":
            schemas = self.task.domain.steps
            return tuple(f"({' '.join((item.name, *(one.name for one in item.parameters)))})" for item in schemas)
        return action_lines(self._phrases)

    def objects_text(self) -> str:
        """All objects with their types, constants included, in declaration order."""
        if self.style == "pddl":
            return pddl_style.objects_text(self.task.problem)
        objects = tuple(self.task.objects.values())
        if not objects:
            return NO_OBJECTS
        return OBJECTS_START + "\n".join(object_lines(objects, self.names.to_nl, self._phrases))

    def init_text(self) -> str:
        """The initial state: the file's atoms in its order, each once, then negative ones, then values."""
        problem = self.task.problem
        if self.style == "pddl":
            return pddl_style.init_text(problem)
        facts = self._facts(dict.fromkeys(problem.init))
        for atom in dict.fromkeys(problem.init_negative):
            if self._phrases.told(atom[0]):
                facts.append(self._phrases.negative(atom[0], [self._said(name) for name in atom[1:]]))
        facts += self._values(_init_values(problem))
        text = STATE_START + JOINER.join(facts) + "." if facts else EMPTY_STATE
        return "\n".join([text, *self._timed_lines(problem)])

    def _timed_lines(self, problem: Problem) -> Iterator[str]:
        for timed in problem.init_timed:
            if timed.value is not None:
                for value in self._values([(timed.atom, timed.value)]):
                    yield f"As of time {number_text(timed.time)}, {value}."
            elif self._phrases.told(timed.atom[0]):
                fact = self._phrases.fact(timed.atom[0], [self._said(name) for name in timed.atom[1:]])
                turn = "it becomes true that" if timed.positive else "it is no longer the case that"
                yield f"At time {number_text(timed.time)}, {turn} {fact}."

    def goal_text(self) -> str:
        """The goal, a conjunct a line, and the metric on a line of its own."""
        problem = self.task.problem
        if self.style == "pddl":
            return pddl_style.goal_text(problem)
        scope = self._scope("the goal", strict=True)
        conditions = tuple(conjuncts(required(problem.goal)))
        parts = [self._phrases.condition(part, scope) for part in conditions]
        if len(parts) > 1:
            # Among parts joined by "and", an "or" would seem to part them.
            parts = [f"({said})" if _parts(item) else said for item, said in zip(conditions, parts, strict=True)]
        text = GOAL_START + JOINER.join(parts) + "." if parts else EMPTY_GOAL
        if conditions == (Or(),):
            text = IMPOSSIBLE_GOAL
        on_the_way = self._scope("the constraints", strict=True)
        lines = [
            *wishes(problem.goal, self._phrases, scope, "I would prefer that in the end "),
            *constraint_lines(problem.constraints, self._phrases, on_the_way),
        ]
        text = "\n".join([text, *lines])
        if problem.metric is not None:
            said = self._phrases.expression(problem.metric.expression, self._scope("the metric"))
            text += f"\nI want to {problem.metric.direction} {said}."
        return text

    # ── actions and states ───────────────────────────────────────────────────────────────────────

    def action(self, action: GroundAction) -> str:
        """A ground action, ``stack block_0 on block_1``; ``(stack a b)`` in style pddl.

        Raises `InputError` for an action that the domain lacks, with other arguments than the task's objects, or
        with another number of them.
        """
        if self.style == "pddl":
            return str(action)
        snippet = self.wording.actions.get(action.name)
        if snippet is None:
            raise InputError(f"{action} is no action of the domain '{self.task.domain.name}'")
        if len(snippet.parameters) != len(action.args):
            wanted = f"{len(snippet.parameters)} object{'' if len(snippet.parameters) == 1 else 's'}"
            raise InputError(f"{action}: '{action.name}' takes {wanted}, and has {len(action.args)} here")
        said = self.names.to_nl
        for name in action.args:
            if name not in said:
                raise InputError(f"{action}: the task has no object '{name}'")
        return snippet.fill([said[name] for name in action.args])

    def timed(self, step: PlanStep) -> str:
        """A step of a plan; with its time, ``at 3.5, drive truck_0 to hub_1, for 5``."""
        start = "" if step.time is None else f"at {number_text(step.time)}, "
        end = "" if step.duration is None else f", for {number_text(step.duration)}"
        return f"{start}{self.action(step.action)}{end}"

    def literal(self, condition: Condition) -> str:
        """A ground condition, ``block_0 is on block_1``."""
        if self.style == "pddl":
            return write_condition(condition)
        return self._phrases.condition(condition, self._scope("a condition"))

    def reasons(self, conditions: Iterable[Condition], state: State | None = None) -> str:
        """That each of some conditions does not hold, ``block_1 is not clear``; empty without one.

        Args:
            conditions: ground ones, best the smallest that fail.
            state: where they do not hold; the numbers in a comparison are told as they are there.
        """
        if self.style == "pddl":
            return " and ".join(pddl_style.reason(condition, state) for condition in conditions)
        return self._reasons(state).all_of(conditions)

    def _reasons(self, state: State | None) -> Reasons:
        return Reasons(self._phrases, self._scope("a reason"), state)

    def contradiction(self, fluent: GroundAtom) -> str:
        """That an action's numeric effects on a fluent contradict each other, as a reason is given."""
        if self.style == "pddl":
            return f"{fluent} would be changed in more than one way at once"
        return self._reasons(None).contradiction(fluent)

    def expression(self, expression: Expression) -> str:
        """A ground numeric expression: ``(the load of truck_0 plus 1)``."""
        if self.style == "pddl":
            return str(expression)
        return self._phrases.expression(expression, self._scope("an expression"))

    def fact(self, atom: GroundAtom) -> str:
        """A ground atom, or a numeric fluent: ``block_0 is on block_1``, ``the fuel of truck_0``."""
        if self.style == "pddl":
            return str(atom)
        if any(function.name == atom[0] for function in self.task.domain.functions):
            return self._reasons(None).fluent(atom)
        return self._phrases.fact(atom[0], [self._said(name) for name in atom[1:]])

    def state(self, state: State) -> str:
        """A state, in the format of the initial state."""
        values = sorted(state.values.items())
        if self.style == "pddl":
            return pddl_style.state_text(state, values)
        facts = self._facts(state) + self._values(values)
        return STATE_START + JOINER.join(facts) + "." if facts else EMPTY_STATE

    def look_around(self, state: State) -> str:
        """The observation after a wish to look around: the state, and behind an empty line the goal once more."""
        return f"{self.state(state)}\n\n{self.goal_text()}"

    def executed(self, action: GroundAction) -> str:
        """The observation after an executed action: ``I stack block_0 on block_1.``"""
        if self.style == "pddl":
            return f"The action {action} was successfully executed."
        return f"I {within_sentence(self.action(action))}."

    def refused(self, step: StepResult, state: State | None = None) -> str:
        """The observation after an inapplicable action: ``I cannot … because block_1 is not clear and ….``

        Args:
            step: the result of the action.
            state: where it was tried, whose numbers are told.
        """
        reasons = self.reasons(step.unmet, state)
        if not reasons and step.conflict is not None:
            reasons = self.contradiction(step.conflict)
        because = f" because {reasons}" if reasons else ""
        if self.style == "pddl":
            return f"The action {step.action} is not applicable{because}."
        action = within_sentence(self.action(step.action))
        return f"I cannot {closed_clause(action) if because else action}{because}."

    def mistyped(self, action: GroundAction) -> str:
        """Why the types forbid an action: ``crate_1 is not a truck``; empty where they do not, or it does not exist."""
        schema = self.task.domain.step(action.name)
        if schema is None or len(schema.parameters) != len(action.args):
            return ""
        wrong: dict[str, None] = {}
        for parameter, name in zip(schema.parameters, action.args, strict=True):
            if name not in self.task.objects:
                return ""
            if not self.task.is_a(name, parameter.types):
                if self.style == "pddl":
                    wrong[f"{name} is not {' or '.join(map(one_of_kind, parameter.types))}"] = None
                else:
                    wrong[f"{self._said(name)} is not {is_word(parameter.types, self._phrases)}"] = None
        return " and ".join(wrong)

    def forbidden(self, action: GroundAction) -> str:
        """The observation after an action that the types forbid: ``I cannot … because crate_1 is not a truck.``"""
        if self.style == "pddl":
            return f"The action {action} is not applicable because {self.mistyped(action)}."
        return f"I cannot {closed_clause(within_sentence(self.action(action)))} because {self.mistyped(action)}."

    def unmet_goal(self, conditions: Iterable[Condition], state: State | None = None) -> str:
        """What of the goal is missing in a state: ``My goal is not reached yet because ….``"""
        reasons = self.reasons(conditions, state)
        if self.style == "pddl":
            return f"The goal is not reached because {reasons}." if reasons else "The goal is reached."
        return f"My goal is not reached yet because {reasons}." if reasons else "My goal is reached."

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def _said(self, name: str) -> str:
        return self.names.to_nl.get(name, name)

    @cached_property
    def _avoid(self) -> frozenset[str]:
        return frozenset(self.names.to_nl.values())

    def _scope(self, place: str, *, strict: bool = False) -> Scope:
        return Scope(place, self.names.to_nl, self._avoid, strict)

    def _facts(self, atoms: Iterable[GroundAtom]) -> list[str]:
        """Positive atoms; those that the wording never tells are left out."""
        said = self.names.to_nl
        snippets = {name: item for name, item in self.wording.predicates.items() if item.text is not None}
        facts: list[str] = []
        for atom in atoms:
            snippet = snippets.get(atom[0])
            if snippet is not None:
                facts.append(snippet.fill([said.get(name, name) for name in atom[1:]]))
            elif atom[0] not in self.wording.predicates:
                raise UntoldError(f"the wording has no entry for the predicate '{atom[0]}'")
        return facts

    def _values(self, values: Iterable[tuple[GroundAtom, Fraction]]) -> list[str]:
        told = self.wording.functions
        return [
            f"{self._phrases.function(fluent[0]).fill([self._said(name) for name in fluent[1:]])} "
            f"is {number_text(value)}"
            for fluent, value in values
            if fluent[0] not in told or told[fluent[0]].text is not None
        ]


def _parts(condition: Condition) -> bool:
    """Whether a condition is told as alternatives with "or" between them."""
    while isinstance(condition, Or) and len(condition.parts) == 1:
        condition = condition.parts[0]
    return isinstance(condition, Or) and bool(condition.parts)


def _init_values(problem: Problem) -> list[tuple[GroundAtom, Fraction]]:
    found: dict[GroundAtom, Fraction] = {}
    for item in problem.init_values:
        if isinstance(item.value, str):
            raise refuse(f"an object fluent ('{item.fluent}')", "the initial state")
        found[item.fluent] = item.value
    return list(found.items())
