"""Macro-actions of earlier tasks in prompts or in place of them, and storing those of a solved task (HVR paper, 2.5).

A prompt for a macro plan tells the descriptions of known macro-actions; a prompt for a block tells the steps of similar
ones. A known macro-action is expanded without a prompt where it does what is asked (`known_expansion`). After a solved
task each block is composed exactly, lifted to parameters, and stored with the model's claim and
its proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from string import ascii_uppercase

from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.files import read_text, write_text_file
from pddl2nl.macros.library import Library, Provenance, StoredMacro, free_name
from pddl2nl.macros.macro import CannotComposeError, Macro
from pddl2nl.nl import Teller
from pddl2nl.pddl import (
    ActionSchema,
    And,
    Atom,
    Condition,
    Domain,
    Not,
    Task,
    changed_predicates,
    substitute,
    write_condition,
)
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.systems.hvr.blocks import Part
from pddl2nl.systems.hvr.events import MacroProved
from pddl2nl.systems.hvr.knowledge_graph import KnowledgeGraph
from pddl2nl.systems.hvr.ontology import Ontology, empty_graph, graph_text, read_graph
from pddl2nl.systems.hvr.options import ONTOLOGY_FILE
from pddl2nl.worlds.similarity import Embed
from pddlval import GroundAction, Simulator, State

_MOST_KNOWN = 12
"""The most macro-actions told in a prompt for a macro plan."""

_MOST_BLOCKS = 2
_LEAST, _SAME = 0.6, 0.8
"""The smallest likeness of macro-actions whose steps are told, and of those that are expanded without asking."""

_MOST_BINDINGS = 1_000
"""How many choices of objects for a macro-action's parameters are tried."""


def known_macros(library: Library | None, teller: Teller, task_text: str, embed: Embed | None = None) -> list[str]:
    """The descriptions of the library's macro-actions that are most similar to a task."""
    if library is None:
        return []
    matches = library.retrieve(teller.task.domain, task_text, limit=_MOST_KNOWN, least=0.0, embed=embed)
    return list(dict.fromkeys(match.stored.provenance.description for match in matches))


def known_blocks(library: Library | None, teller: Teller, macro: str, embed: Embed | None = None) -> list[str]:
    """The steps of the library's macro-actions that are similar to this one, with letters for objects."""
    if library is None:
        return []
    matches = library.retrieve(teller.task.domain, macro, limit=_MOST_KNOWN, least=_LEAST, embed=embed)
    fitting = (match.stored for match in matches if _fits(match.stored, teller.task))
    return [_told(stored, teller) for stored in islice(fitting, _MOST_BLOCKS)]


def known_expansion(
    library: Library,
    simulator: Simulator,
    words: str,
    start: State,
    reached: Callable[[State], bool],
    embed: Embed | None = None,
) -> tuple[str, tuple[GroundAction, ...]] | None:
    """The name and the actions of a proved macro-action of a similar description that does what is asked.

    Its precondition, which is that of its steps in this domain, holds for some objects in the state, and `reached`
    after them. Of several choices of objects that which changes least is taken.
    """
    task = simulator.task
    problem = problem_in_state(task.problem, sorted(start.atoms), start.values)
    for match in library.retrieve(task.domain, words, limit=_MOST_KNOWN, least=_SAME, embed=embed):
        macro, known = match.stored.macro, match.stored.provenance
        if not known.proof.get("sound"):
            continue
        alone = Simulator(Task(replace(task.domain, actions=(macro.schema,)), problem))
        found: list[tuple[int, tuple[GroundAction, ...]]] = []
        for bound in islice(alone.applicable(alone.initial), _MOST_BINDINGS):
            if known.distinct and len({*bound.args}) < len(bound.args):
                continue
            block = macro.expand(bound.args)
            followed = simulator.follow(start, block)
            if followed.complete and reached(followed.state):
                change = followed.state.changes_since(start)
                found.append((len(change.added) + len(change.deleted), block))
        if found:
            return macro.name, min(found)[1]
    return None


def _fits(stored: StoredMacro, task: Task) -> bool:
    """Whether some objects of a task have the static facts that the proof of a macro-action used."""
    facts = [parse_condition(str(text)) for text in stored.provenance.proof.get("static", ())]
    if not facts:
        return True
    schema = ActionSchema("fits", stored.macro.parameters, And(tuple(facts)), And())
    simulator = Simulator(Task(replace(task.domain, actions=(schema,)), task.problem))
    return next(iter(simulator.applicable(simulator.initial)), None) is not None


def _told(stored: StoredMacro, teller: Teller) -> str:
    """``Fetch a cup: lift A from B; put A on C (A is a cup, B is a place, C is a place)``."""
    macro, wording = stored.macro, teller.wording
    letters = [ascii_uppercase[place % 26] + str(place // 26 or "") for place in range(len(macro.parameters))]
    names = {name: teller.names.to_nl.get(name, name) for name in teller.task.objects}
    names |= dict(zip((item.name for item in macro.parameters), letters, strict=True))
    steps = [wording.actions[step.action].fill([names[term] for term in step.args]) for step in macro.steps]
    kinds = ", ".join(
        f"{names[item.name]} is of the kind {' or '.join(map(wording.type_word, item.types))}"
        for item in macro.parameters
        if item.types != ("object",)
    )
    return f"{stored.provenance.description}: {'; '.join(steps)}{f' ({kinds})' if kinds else ''}"


def keep_macros(
    library: Library,
    teller: Teller,
    plan: Sequence[GroundAction],
    parts: Iterable[Part],
    proofs: Mapping[tuple[int, int], tuple[MacroProved, tuple[Condition, ...]]],
    origin: str,
    graph: KnowledgeGraph,
) -> None:
    """Stores the macro-actions of a solved task whose blocks can be composed, and the ontology with them.

    Nothing is stored if the executed plan does not solve the task in the model, because the world differed.

    Raises:
        InfrastructureError: a file cannot be written, or the library's ontology is no Turtle.
    """
    from pddl2nl.macros.compose import lift

    macros, learned = [], []
    for part in parts:
        if not part.words or not part.actions:
            continue
        try:
            macro = lift(teller.task, part.actions, name=part.words, distinct=True)
        except (CannotComposeError, InputError):
            continue
        said: dict[str, object] = {}
        if (part.attempt, part.macro) in proofs:
            proof, used = proofs[part.attempt, part.macro]
            said = {"claim": proof.pddl, "sound": proof.sound, "precondition": proof.precondition}
            said |= _scope(teller.task.domain, macro, part.actions, used)
        macros.append(StoredMacro(macro, Provenance((part.words,), origin=origin, distinct=True, proof=said)))
        learned.append((part.words, part.actions))
    try:
        library.keep(teller.task, plan, macros)
    except InputError:
        return
    _keep_ontology(library, teller.task.domain, graph.learned(learned))


def _scope(domain: Domain, macro: Macro, block: Sequence[GroundAction], used: Sequence[Condition]) -> dict[str, object]:
    """The static facts that a proof used, over the macro's parameters, and whether there are others.

    ``scope`` is ``all states`` if it used none; ``static facts`` if it holds where those in ``static`` do; ``this
    problem`` if it also used values, facts about other objects, or facts that no action can change in this problem.
    """
    if not used:
        return {"scope": "all states"}
    steps = zip(macro.steps, block, strict=True)
    terms = {name: term for step, action in steps for term, name in zip(step.args, action.args, strict=True)}
    changing = changed_predicates(domain)
    static = []
    for fact in used:
        atom = fact.body if isinstance(fact, Not) else fact
        if isinstance(atom, Atom) and atom.predicate not in changing and terms.keys() >= {*atom.args}:
            static.append(write_condition(substitute(fact, terms)))
    scope = "static facts" if len(static) == len(used) else "this problem"
    return {"scope": scope, "static": sorted(dict.fromkeys(static))}


def _keep_ontology(library: Library, domain: Domain, learned: Ontology) -> None:
    """Adds the macro-actions in the knowledge graph to the library's ontology.

    If two runs write at once, the ontology can lose one of them; the library's own files keep every macro-action.
    """
    path = library.folder / free_name(domain.name) / ONTOLOGY_FILE
    graph = empty_graph()
    graph += read_graph(learned.text, learned.name)
    try:
        if path.is_file():
            graph += read_graph(read_text(path, "Turtle file"), str(path))
    except InputError as error:
        raise InfrastructureError(f"what is learned cannot be added to {path}: {error}") from error
    write_text_file(path, graph_text(graph))
