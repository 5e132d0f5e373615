"""The specification of one run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pddl2nl.experiments.example import SolvedProblem
from pddl2nl.llm import Model
from pddl2nl.nl import Wording
from pddl2nl.pddl import Task

if TYPE_CHECKING:
    from pddl2nl.worlds.faults import Faults
    from pddl2nl.worlds.ontology import Ontology

__all__ = ["FORMS", "REPLANS", "RunSpec"]

FORMS = ("goal", "constructive")
"""The forms of a task's text: what is wanted, or how it is done."""
REPLANS = 3
"""How many new plans a hierarchical policy may make; the paper names no number."""


@dataclass(frozen=True)
class RunSpec:
    """Everything that determines a run.

    Attributes:
        task: the task to be solved.
        policy: a name of `POLICIES`.
        model: a ``--model`` text (`MODELS`), or a model itself; policies that ask none ignore it.
        wording: None for the domain's own (else the template), ``template``, a wording file, a `Wording`, or ``llm``:
            the model words the domain before the run, on the run's account.
        wording_model: what words it, as ``model``; None for the run's own.
        style: ``nl``, or ``pddl`` for the PDDL twins of Basic and Act.
        names: how objects are called: typed, original or inferred; style ``pddl`` keeps their own names.
        names_seed: deals the numbers in those names; None keeps the order of declaration.
        translator: what reads the model's words: ``reader``, ``llm`` (the paper's T-LLM), or ``reader+llm`` (the
            T-LLM for what the reader cannot read); style ``pddl`` needs none.
        translator_model: what translates, as ``model``; None for the run's own.
        reading: the reading policy of whole plans: default, planbench or all.
        on_ambiguous: ``refuse`` an action that can mean several, or let the ``state`` choose the only applicable one.
        example: None for one found or made, a problem file, a folder of such (the best of them is taken), ``none`` for
            zero-shot, or a `SolvedProblem` itself.
        example_plan: a plan file for that problem; without it LM-cut or FF solves it.
        thoughts: where the example's thoughts come from: ``llm`` (one call), ``template``, or ``auto``: a model behind
            an endpoint is asked, and for all others the template stands in.
        thoughts_model: what is asked for them, as ``model``; None for the run's own.
        history: ``full``, or ``compact``: old turns give way to the present state (beyond the paper).
        feedback: what is told about an action that is not applicable: ``reason``, as in the paper; ``applicable``, the
            actions that are, as well; ``minimal``, nothing but that it is not (both beyond the paper).
        samples: how many plans are asked for, of which the first valid one counts (one-shot; beyond the paper).
        rounds: how often the validator's explanation goes back to the model (one-shot; beyond the paper).
        unsolvable: ``silent``, as in the paper, or ``tell``: the prompt says what to answer where there is no plan.
        task_text: what a hierarchical policy is told to do, in words; None for the task's own text (that of its
            reference, `pddl2nl.tasks.references`), else the told goal, for which "" stands as well.
        form: of that text: ``goal``, what is wanted, or ``constructive``, how it is done.
        faults: how the world differs from the model, of hierarchical policies: a text that
            `pddl2nl.worlds.faults.read_faults` reads, the path of a file with such a text, or what it gives; None for
            no difference.
        ontology: a Turtle file, or an `Ontology` itself, of the domain's classes and affordances; None for the shipped
            domain's own, else for one made from the domain.
        library: a folder in which macro-actions are kept for later tasks; None for none.
        embedding_model: what compares names by meaning, as ``model``; None for comparing their letters.
        replans: how many new macro plans, or new plans, a hierarchical policy may make.
        steps: the step limit of interactive policies; None for twice the length of FF's plan, or
            `pddl2nl.experiments.solvability.UNSOLVABLE_STEPS` where there is none.
        max_calls, max_tokens, max_usd: looked at before each call of a model; replies from the cache are free.
        seed: of the endpoint's sampling, of random choices, and of an example that is made.
        temperature: of sampling.
        base_url: of an OpenAI-compatible endpoint.
        record: the file to be written; an older one is replaced.
        profile: the name of the setting that the values above were taken from, for the record.
        suite, task_name: what an experiment calls the task, for the record.
        out: a folder in which a record is written under a name of its own, unless ``record`` says which.
    """

    task: Task
    policy: str = "react"
    model: str | Model = "oracle"
    wording: str | Wording | None = None
    wording_model: str | Model | None = None
    style: str = "nl"
    names: str = "typed"
    names_seed: int | None = None
    translator: str = "reader"
    translator_model: str | Model | None = None
    reading: str = "default"
    on_ambiguous: str = "refuse"
    example: str | Path | SolvedProblem | None = None
    example_plan: str | Path | None = None
    thoughts: str = "auto"
    thoughts_model: str | Model | None = None
    history: str = "full"
    feedback: str = "reason"
    samples: int = 1
    rounds: int = 0
    unsolvable: str = "silent"
    task_text: str | None = None
    form: str = "goal"
    faults: str | Faults | None = None
    ontology: str | Path | Ontology | None = None
    library: str | Path | None = None
    embedding_model: str | Model | None = None
    replans: int = REPLANS
    steps: int | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_usd: float | None = None
    seed: int = 1
    temperature: float | None = 0.0
    base_url: str | None = None
    profile: str | None = None
    record: Path | None = None
    out: Path | None = None
    suite: str = ""
    task_name: str = ""
