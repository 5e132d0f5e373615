"""The preconditions and effects that a model writes for macro-actions: asked for, read and verified.

Sections 2.4 and 3.3 of the HVR paper. `ask_conditions` is one call of the model.

Accepted is PDDL with anything around it: code fences, numbers, prose, ``(:action … :precondition … :effect …)``,
several literals (their conjunction), calls such as ``inside(egg_1, fridge_1)``, and objects by their names in the
prompt or in PDDL. Conditions are checked like a domain file (declarations, arity, types, bound variables), and effects
may only change what actions can change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pddl2nl.llm import Message
from pddl2nl.macros.macro import Conditions
from pddl2nl.macros.proof import claims_of, unmet_outcome
from pddl2nl.macros.telling import told_condition, told_pddl
from pddl2nl.nl import Names, Teller
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Condition,
    Effect,
    Function,
    GroundAtom,
    Predicate,
    Task,
    changed_predicates,
    write_condition,
)
from pddl2nl.pddl.diagnostics import Diagnostic
from pddl2nl.pddl.reader import check_formulas
from pddl2nl.pddl.symbols import Symbols
from pddl2nl.pddl.task import effect_literals
from pddl2nl.pddl.tree import Modal, Preference, Special, Timed, walk, write_types
from pddl2nl.policies.prompts import shortened
from pddl2nl.systems.hvr.prompting import Prompter
from pddlval import GroundAction, Simulator, State
from pddlval.formulas import updates_in
from pddlval.unsupported import updated_functions

_LABEL = re.compile(
    r"(?<![\w-])(?:(?P<pre>pre[-_ ]?cond(?:ition)?s?)|(?P<post>post[-_ ]?cond(?:ition)?s?|effects?))(?![\w-])",
    re.IGNORECASE,
)
# What follows a label: marks of emphasis and quotes, a remark in parentheses; then a colon, or the condition itself.
_BEHIND_LABEL = re.compile(
    r"[*_`\"'\]]*(?:[ \t]+(?:is|are|(?:of|for) [^\n:()]{1,80}))?\s*"
    r"(?:\([^()\n]*\)[*_`\"' ]*(?=:))?(?::|=|(?=[*_`\"']*\s*\())"
)
_NUMBER = re.compile(r"(?im)^[ \t>#*_-]*(?:macro(?:[- ]?action)?[ \t]*#?)?\(?(\d{1,3})[ \t]*[.):-]")
_CALL = re.compile(r"(?<![\w?-])([A-Za-z][\w-]*)\(")
_TOKEN = re.compile(r"[()]|[^\s(),]+")
_COMMENT = re.compile(r";[^\n]*")
_QUOTES = "\"'`“”‘’"
_BETWEEN = re.compile(r"[\s,.;:*`\"'&∧-]*(?:\b(?:and|or|not)\b[\s,.;:*`\"'&∧-]*)*", re.IGNORECASE)
_KEYWORDS = frozenset(
    (
        *("and", "or", "not", "when", "imply", "forall", "exists", "<", "<=", "=", ">=", ">"),
        *("assign", "increase", "decrease", "scale-up", "scale-down"),
    )
)
_NOTHING = re.compile(r"[\s*`\"'(:-]*(?:none|nothing|empty|true|n/a|no (?:precondition|effect)s?)\b", re.IGNORECASE)
_LONGEST = 200_000
"""The most characters of a reply that are read."""
_DEEPEST = 60
"""The deepest nesting of lists that is read."""


# ── finding the conditions in a reply ────────────────────────────────────────────────────────────


class _ConditionTexts(NamedTuple):
    """The texts of one macro-action's precondition and effect; None for a missing one."""

    precondition: tuple[str, ...] | None = None
    effect: tuple[str, ...] | None = None


class _NameTable:
    """Translates names in a reply to PDDL: names of the prompt, PDDL names, and variants in case and hyphens."""

    def __init__(self, task: Task, names: Names | None):
        told, aliases = ({}, {}) if names is None else (names.to_pddl, names.aliases)
        self._objects = _table(told, aliases, {name: name for name in task.objects})
        symbols = (*(item.name for item in task.domain.predicates), *(item.name for item in task.domain.functions))
        self._heads = _table({name: name for name in symbols})
        self._types = {_squeezed(name): name for name in ("object", *(item.name for item in task.domain.types))}

    def is_head(self, name: str) -> bool:
        """Whether a name can begin a list: a keyword, a predicate or a function."""
        return name.lower() in _KEYWORDS or name in self._heads or _folded(name) in self._heads

    def pddl(self, text: str) -> str:
        """The text with names as in PDDL; unknown names stay."""
        words: list[str] = []
        before, depth_of_types = "", 0
        for token in _TOKEN.findall(_COMMENT.sub(" ", text)):
            word = token.strip(_QUOTES) or token
            if token == "(":
                depth_of_types += bool(depth_of_types) or before == "-"
            elif token == ")":
                depth_of_types -= bool(depth_of_types)
            else:
                word = self._word(word, before, bool(depth_of_types))
            words.append(word)
            before = token
        return " ".join(words).replace("( ", "(").replace(" )", ")")

    def _word(self, word: str, before: str, in_types: bool) -> str:
        if word.startswith("?") or word == "-":
            return word.lower()
        if before == "-" or in_types:
            return self._types.get(_squeezed(word), word.lower())
        table = self._heads if before == "(" else self._objects
        return table.get(word) or table.get(_folded(word)) or word.lower()


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_")


def _squeezed(name: str) -> str:
    return re.sub(r"[-_]", "", name.casefold())


def _table(*groups: Mapping[str, str]) -> dict[str, str]:
    """Names to PDDL names: exact ones before folded ones, those of earlier groups first."""
    table: dict[str, str] = {}
    for fold in (str, _folded):
        for group in groups:
            for said, name in group.items():
                table.setdefault(fold(said), name)
    return table


def _find_conditions(text: str, names: _NameTable, count: int | None) -> dict[int, _ConditionTexts]:
    """The conditions in a reply by the number of their macro-action, from 1, with names as in PDDL."""
    text = text[:_LONGEST]
    labels = list(_labels(text, names))
    if not labels:
        # Two lists without labels: the first is the precondition.
        lists = [names.pddl(part) for _, part in _balanced(_as_lists(text, names)) if _has_head(part, names)]
        return {1: _ConditionTexts((lists[0],), (lists[1],))} if len(lists) == 2 else {}
    ends = [*(start for _, start, _, _ in labels[1:]), len(text)]
    entries: list[tuple[int | None, _ConditionTexts]] = []
    trusted = True
    for (kind, _, begin, number), end in zip(labels, ends, strict=True):
        lists_after = _lists(text[begin:end], names)
        if kind == "pre":
            entries.append((number, _ConditionTexts(precondition=lists_after)))
        elif entries and entries[-1][1].effect is None:
            # If effects have numbers of their own, the numbers count lines rather than macro-actions.
            trusted = trusted and number in (None, entries[-1][0])
            entries[-1] = (entries[-1][0], entries[-1][1]._replace(effect=lists_after))
        else:
            entries.append((number, _ConditionTexts(effect=lists_after)))
    numbers = {number for number, _ in entries if number}
    if trusted and len(numbers) == len(entries) and max(numbers) <= (count or len(entries)):
        return {number: texts for number, texts in entries if number}
    return {place: texts for place, (_, texts) in enumerate(entries, start=1)}


def _labels(text: str, names: _NameTable) -> Iterator[tuple[str, int, int, int | None]]:
    """The labels: ``pre`` or ``post``, where each begins and ends, and the number before it."""
    end = 0
    for match in _LABEL.finditer(text):
        behind = _BEHIND_LABEL.match(text, match.end())
        if match.start() < end or behind is None:
            continue
        if behind[0][-1:] not in (":", "=") and not _has_head(text[behind.end() :], names):
            # "the effect (which matters) …" is a remark.
            continue
        numbers = _NUMBER.findall(text, end, match.start() + 1)
        end = behind.end()
        yield "pre" if match["pre"] else "post", match.start(), end, int(numbers[-1]) if numbers else None


def _lists(text: str, names: _NameTable) -> tuple[str, ...] | None:
    """The lists after a label: all that follow on the first, or begin a line of their own."""
    text = _as_lists(text, names)
    candidates = list(_balanced(text))
    first = next((place for place, (_, part) in enumerate(candidates) if _has_head(part, names)), None)
    if first is None:
        if _NOTHING.match(text):
            return ()
        # Other text is passed on, so that its errors can be explained.
        return (names.pddl(candidates[0][1]),) if candidates else None
    lists: list[str] = []
    alternatives = False
    end = candidates[first][0]
    for start, part in candidates[first:]:
        between = text[end:start]
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if lists and not _BETWEEN.fullmatch(between) and not _BETWEEN.fullmatch(re.sub(r"\d+", "", line)):
            break
        alternatives = alternatives or bool(lists and re.search(r"\bor\b", between, re.IGNORECASE))
        negated = re.search(r"\bnot[\s`*\"']*\Z", line, re.IGNORECASE)
        lists.append(f"(not {names.pddl(part)})" if negated else names.pddl(part))
        end = start + len(part)
    return (f"(or {' '.join(lists)})",) if alternatives else tuple(lists)


def _as_lists(text: str, names: _NameTable) -> str:
    """The text with calls ``inside(egg_1, fridge_1)`` as lists."""
    return _CALL.sub(lambda match: f"({match[1]} " if names.is_head(match[1]) else match[0], text)


def _has_head(part: str, names: _NameTable) -> bool:
    """Whether a list begins with a known name, or is empty."""
    words = [token for token in _TOKEN.findall(part[:200]) if token not in "()"]
    return not words or names.is_head(words[0].strip(_QUOTES))


def _balanced(text: str) -> Iterator[tuple[int, str]]:
    """The outermost lists of a text with their offsets; an unclosed list ends with the text."""
    depth = start = at = 0
    while 0 <= at < len(text):
        character = text[at]
        if character == ";" and depth:
            # A PDDL comment can contain parentheses.
            at = text.find("\n", at)
            continue
        if character == "(":
            start = start if depth else at
            depth += 1
        elif character == ")" and depth:
            depth -= 1
            if depth == 0:
                yield start, text[start : at + 1]
        at += 1
    if depth:
        rest = re.sub(r"[\s`\"'*,;]+\Z", "", text[start:])
        yield start, rest + ")" * depth


# ── reading them ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ReadConditions:
    """The conditions read for one macro-action, or the problems, sentences by which a model can correct them.

    The precondition and the effect are texts with names as in PDDL, empty where there was none.
    """

    conditions: Conditions | None
    problems: tuple[str, ...] = ()
    precondition: str = ""
    effect: str = ""

    def to_json(self) -> Mapping[str, str]:
        """As events store it: ``precondition`` and ``effect`` (empty if unreadable), ``problem``."""
        read = self.conditions
        return {
            "precondition": "" if read is None else write_condition(read.precondition),
            "effect": "" if read is None else write_condition(read.effect),
            "problem": " ".join(self.problems),
        }


def read_conditions(
    text: str, task: Task, names: Names | None = None, *, count: int | None = None
) -> tuple[ReadConditions, ...]:
    """The conditions in a reply, one entry for each of `count` macro-actions; never raises because of the reply.

    Labels such as ``precondition:`` and the macro-actions' numbers tell which is which; missing ones have a problem.
    """
    checker = _Checker(task, names)
    texts = _find_conditions(text, _NameTable(task, names), count)
    size = max(texts, default=0) if count is None else count
    return tuple(checker.read(texts.get(number), number) for number in range(1, size + 1))


class _Checker:
    """Checks the conditions in replies about one task."""

    def __init__(self, task: Task, names: Names | None):
        self._told = {} if names is None else dict(names.to_nl)
        self._symbols = Symbols.of(task.domain, task.problem)
        derived = frozenset(rule.name for rule in task.domain.derived)
        self._changing = (changed_predicates(task.domain) - derived) | updated_functions(task)

    def read(self, texts: _ConditionTexts | None, number: int) -> ReadConditions:
        if texts is None:
            problem = (
                f"No conditions were found for macro-action {number}: expected a line '{number}. precondition: "
                "(and …)' and below it a line 'effect: (and …)'."
            )
            return ReadConditions(None, (problem,))
        problems: list[str] = []
        before = self._formula("precondition", texts.precondition, problems)
        after = self._formula("effect", texts.effect, problems)
        if not problems:
            problems += self._unchangeable(after)
        written = (" ".join(" ".join(part or ()).split()) for part in texts)
        read = None if problems else Conditions(before, after)
        return ReadConditions(read, tuple(dict.fromkeys(problems)), *written)

    def _formula(
        self, what: Literal["precondition", "effect"], texts: tuple[str, ...] | None, problems: list[str]
    ) -> Condition:
        if texts is None:
            problems.append(f"There is no {what}: expected '{what}: (and …)', '{what}: (and)' where there is none.")
            return And()
        parts: list[Condition] = []
        for text in texts:
            checked = check_formulas(text, "effect" if what == "effect" else "condition", self._symbols, depth=_DEEPEST)
            if checked.value is not None:
                problems += [self._sentence(what, error) for error in checked.errors]
                parts += checked.value
            elif "nested" in checked.errors[0].message:
                problems.append(f"The {what} is nested more than {_DEEPEST} lists deep.")
            else:
                problems.append(f"The parentheses of the {what} do not match: {shortened(text, 120)}.")
        whole = parts[0] if len(parts) == 1 else And(tuple(parts))
        strange = "" if problems else next(filter(None, map(_strange, walk(whole))), "")
        if strange:
            problems.append(f"The {what} has {strange}, which no action here can have.")
        return whole

    def _sentence(self, what: str, error: Diagnostic) -> str:
        said = f"In the {what}: {error.message}"
        if error.found:
            words = re.split(r"([\s()'\"]+)", error.found)
            told = "".join(self._told.get(word, word) for word in words)
            said += f", in {told}" if told.startswith("(") else f" (found: {told})"
        if error.expected:
            said += f"; expected: {error.expected}"
        if error.suggestion:
            said += f"; did you mean {self._told.get(error.suggestion, error.suggestion)}?"
        return said if said.endswith("?") else f"{said}."

    def _unchangeable(self, effect: Condition) -> list[str]:
        """Errors about predicates and functions in an effect that no action changes."""
        names = [atom.predicate for atom, _ in effect_literals(effect)]
        names += [update.fluent.name for update in updates_in(effect)]
        return [
            f"In the effect: no action changes '{name}', so neither can a macro-action; leave it out of the effect."
            for name in dict.fromkeys(names)
            if name not in self._changing
        ]


def _strange(part: object) -> str:
    if isinstance(part, Timed):
        return "a timed condition"
    if isinstance(part, Modal | Preference):
        return "a preference or a constraint on trajectories"
    return f"'{part.name}'" if isinstance(part, Special) else ""


# ── macro plans ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class MacroPlanCheck:
    """How many macro-actions of a plan are applicable one after the other, by their claimed conditions.

    `unmet` are the smallest conditions that fail: of the next precondition or, after all macro-actions, of the goal.
    There are none if the next conditions could not be read or its effects conflict: `conflict` is a fluent that would
    be changed in more than one way.
    """

    verified: int
    total: int
    unmet: tuple[Condition, ...] = ()
    at_goal: bool = False
    conflict: GroundAtom | None = None


def verify_macros(task: Task, start: State, macros: Sequence[Conditions | None]) -> MacroPlanCheck:
    """Simulates a macro plan, each macro-action as one action with its claimed conditions (HVR paper, section 2.4).

    Conditions that could not be read are None and end the simulation. The start is a state of any simulator of the
    task.
    """
    schemas = [
        ActionSchema(f"macro-action-{number}", (), macro.precondition, macro.effect)
        for number, macro in enumerate(macros, start=1)
        if macro is not None
    ]
    claims = claims_of(task, schemas)
    # The simulation ends before the first macro-action that could not be read.
    read = macros.index(None) if None in macros else len(macros)
    plan = [GroundAction(f"macro-action-{number}") for number in range(1, read + 1)]
    followed = claims.follow(claims.state(start.atoms, start.values), plan)
    if followed.failed is not None:
        done, failed = len(followed.actions), followed.failed
        return MacroPlanCheck(done, len(macros), failed.unmet, conflict=failed.conflict)
    if read < len(macros):
        return MacroPlanCheck(read, len(macros))
    simulator = Simulator(task)
    goals = simulator.unmet_goals(simulator.state(followed.state.atoms, followed.state.values))
    return MacroPlanCheck(len(macros), len(macros), goals, not goals)


def unmet_effects(task: Task, before: State, after: State, effect: Effect) -> tuple[Condition, ...]:
    """The literals of a claimed effect that do not hold after a block; empty if all hold.

    Conditions of conditional effects and numeric amounts are evaluated in the state before the block. If an atom is
    both added and deleted, it counts as added.

    Raises:
        InputError: the effect claims to change what no action changes.
    """
    claims = claims_of(task, [ActionSchema("claimed", (), And(), effect)])
    return unmet_outcome(claims, GroundAction("claimed"), claims.state(before.atoms, before.values), after)


def plan_feedback(teller: Teller, macros: Sequence[str], read: Sequence[ReadConditions], check: MacroPlanCheck) -> str:
    """The feedback about the conditions of a macro plan; empty if the plan works.

    If some could not be read, it is about these only.
    """
    problems = [
        f"The conditions of macro-action {number} ({macros[number - 1]}) cannot be used. {' '.join(item.problems)}"
        for number, item in enumerate(read, start=1)
        if item.conditions is None
    ]
    if problems:
        return "\n".join(problems)
    if check.at_goal:
        return ""
    number = check.verified + 1
    if check.verified == check.total:
        head = "All macro-actions can be carried out, but in the end the task is not done. What is missing:"
    else:
        head = f"Macro-action {number} ({macros[number - 1]}) cannot be carried out"
        if check.conflict is not None:
            fluent = " ".join(teller.names.to_nl.get(name, name) for name in check.conflict)
            return f"{head}: its effect changes the value of ({fluent}) in more than one way at once."
        after = f"after macro-action {check.verified}" if check.verified else "at the beginning"
        head = f"{head} {after}: its precondition is violated. What does not hold there:"
    return "\n".join([head, *(f"- {told_condition(condition, teller)}" for condition in check.unmet)])


# ── asking for them ───────────────────────────────────────────────────────────────────────────────


def ask_conditions(
    ask: Callable[[Sequence[Message]], str],
    teller: Teller,
    prompter: Prompter,
    macros: Sequence[str],
    known: tuple[Sequence[str], str],
    *,
    present: Sequence[ReadConditions] = (),
    feedback: str = "",
    macro: int = 0,
    block: Sequence[str] = (),
) -> tuple[str, tuple[ReadConditions, ...]]:
    """Asks a model for the conditions of all macro-actions of a plan: the reply, and what was read from it.

    `known` are the sections ``Objects`` and ``Location triples``. In a correction, `feedback` is about the conditions
    in `present`. In a refinement, the `block` of macro-action number `macro` contradicts them.
    """
    objects, locations = known
    stage = "conditions"
    predicates = predicate_lines(teller, properties=not prompter.compact)
    sections = {"Objects": objects, "Predicates": predicates, "Macro plan": macros}
    if feedback:
        stage = "conditions-refinement" if macro else "conditions-correction"
        # Conditions that a reply leaves out stay as they are.
        conditions = conditions_text(present, teller.names, first=macro if macro and prompter.compact else 1)
        sections |= {"Conditions": conditions, "Feedback": feedback}
        sections |= {} if prompter.compact else {"Location triples": locations}
    if macro:
        sections |= {"Macro-action": f"{macro}. {macros[macro - 1]}", "Block": block}
    reply = ask(prompter.messages(stage, sections))
    return reply, read_conditions(reply, teller.task, teller.names, count=len(macros))


def predicate_lines(teller: Teller, *, properties: bool = True) -> tuple[str, ...]:
    """The predicates and functions of the domain, each with its meaning in the words of the run.

    ``properties`` are predicates of one argument that no action changes.
    """
    domain = teller.task.domain
    derived = {rule.name for rule in domain.derived}
    changing = changed_predicates(domain)
    lines = []
    for predicate in domain.predicates:
        if not properties and len(predicate.parameters) == 1 and predicate.name not in changing:
            continue
        remark = "" if predicate.name in changing else " (never changes)"
        remark = " (follows from other facts)" if predicate.name in derived else remark
        lines.append(f"{_signature(predicate)}{_meaning(teller, predicate)}{remark}")
    lines += [f"(= {_signature(function)} NUMBER){_meaning(teller, function)}" for function in domain.functions]
    return tuple(lines)


def _signature(item: Predicate | Function) -> str:
    typed = (f"{parameter.name} - {write_types(parameter.types)}" for parameter in item.parameters)
    return f"({' '.join((item.name, *typed))})"


def _meaning(teller: Teller, item: Predicate | Function) -> str:
    is_predicate = isinstance(item, Predicate)
    snippet = (teller.wording.predicates if is_predicate else teller.wording.functions).get(item.name)
    if snippet is None or snippet.text is None:
        return ""
    said = snippet.fill([parameter.name for parameter in item.parameters])
    return f": {said}" if is_predicate else f": {said} is NUMBER"


def conditions_text(present: Sequence[ReadConditions], names: Names, first: int = 1) -> str:
    """The section ``Conditions`` from a macro-action on, with the objects' names in natural language.

    Unreadable conditions stay as written.
    """
    lines: list[str] = []
    for number, item in enumerate(present[first - 1 :], start=first):
        before, after = item.precondition or "(missing)", item.effect or "(missing)"
        if (read := item.conditions) is not None:
            before, after = told_pddl(read.precondition, names), told_pddl(read.effect, names)
        lines += [f"{number}. precondition: {before}", f"   effect: {after}"]
    return "\n".join(lines)
