"""The options of ``pddl2nl run``; what they mean is in `pddl2nl.experiments.spec.RunSpec`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pddl2nl.cli.wording import OWN_WORDING, WORDING_HELP

__all__ = [
    "EmbeddingModel",
    "ExampleName",
    "FaultsSpec",
    "Feedback",
    "History",
    "LibraryFolder",
    "ModelName",
    "OnAmbiguous",
    "OntologyFile",
    "OutFolder",
    "PlanFile",
    "PolicyName",
    "ProfileName",
    "ReadingPolicy",
    "Replans",
    "Rounds",
    "RunWording",
    "Samples",
    "Seed",
    "Steps",
    "StyleName",
    "TaskText",
    "Temperature",
    "TextForm",
    "Thoughts",
    "ThoughtsModel",
    "Translator",
    "TranslatorModel",
    "Unsolvable",
    "WordingModel",
]

_MODEL_HELP = (
    "A model's name for the openai client (key in OPENAI_API_KEY); oracle (reads the prompt, plans with Fast "
    "Downward, needs no key; asked by hvr and its like it makes a mistake on purpose as oracle:wrong-precondition, "
    "oracle:missing-navigation, oracle:wrong-order, oracle:missing-step or oracle:impossible-macro); script:FILE "
    "(replies from a file); replay:DIR (replies from records). Not used by policies that ask no model."
)
_EXAMPLE_HELP = (
    "A problem of the same domain, shown solved, or a folder of some, of which the one whose plan is nearest to five "
    "steps is shown; none for no example."
)


PolicyName = Annotated[
    str, typer.Option("--policy", metavar="P", help="How actions are chosen; pddl2nl policies lists them.")
]
ModelName = Annotated[str | None, typer.Option("--model", metavar="M", help=_MODEL_HELP)]
StyleName = Annotated[str, typer.Option(metavar="nl|pddl", help="Language, or the PDDL twins of basic and act.")]
ExampleName = Annotated[
    str | None,
    typer.Option(
        metavar="PROBLEM|FOLDER|none",
        help=_EXAMPLE_HELP,
        show_default="a shipped example, else the best problem beside the task's, else one made from the task",
    ),
]
PlanFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A plan for that problem.", show_default="LM-cut's, else FF's")
]
Translator = Annotated[
    str,
    typer.Option(
        metavar="reader|llm|reader+llm",
        help="What reads the model's words back into PDDL: the reader (no calls), a model (the paper's T-LLM, a call a "
        "line), or a model for what the reader cannot read.",
    ),
]
TranslatorModel = Annotated[
    str | None,
    typer.Option(
        metavar="M",
        help="The model that translates, named as for --model; its calls count in every limit.",
        show_default="the run's own model",
    ),
]
OnAmbiguous = Annotated[
    str,
    typer.Option(
        metavar="refuse|state",
        help="An action that can mean several: refuse it, or take the only one that is applicable; the record says so.",
    ),
]
ReadingPolicy = Annotated[
    str,
    typer.Option(
        "--reading",
        metavar="default|planbench|all",
        help="Which of a reply's action lines are its plan (policies that give a plan at once).",
    ),
]
Steps = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Turns of an interactive policy, at most.",
        show_default="twice the length of FF's plan; 40 for a task that is proved to have no plan, twice the longest "
        "optimal plan of the primary set",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the model's sampling and of all random choices.")]
OutFolder = Annotated[Path, typer.Option(metavar="DIR", help="Folder of the record, a JSON Lines file.")]

RunWording = Annotated[
    str | None,
    typer.Option(
        "--wording",
        metavar="template|llm|FILE",
        help=f"{WORDING_HELP} llm: the model words the domain first, on this run's account.",
        show_default=OWN_WORDING,
    ),
]
WordingModel = Annotated[
    str | None,
    typer.Option(metavar="M", help="The model for --wording llm.", show_default="the run's own model"),
]
Thoughts = Annotated[
    str,
    typer.Option(
        metavar="auto|llm|template",
        help="Where the thoughts of the example come from (cot, react): one call of a model, or a template that says "
        "which goal or condition each action serves. auto: llm for models behind an endpoint, else template.",
    ),
]
ThoughtsModel = Annotated[
    str | None,
    typer.Option(metavar="M", help="The model for those thoughts.", show_default="the run's own model"),
]
Temperature = Annotated[float, typer.Option(min=0, metavar="X", help="Of the model's sampling.")]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="All settings of a paper at once: autoplanbench (gpt-4o-2024-08-06 plans, words, translates and thinks; "
        "temperature 0; twice FF's plan as step limit). Options given beside it stand.",
        show_default="none",
    ),
]
History = Annotated[
    str,
    typer.Option(
        metavar="full|compact",
        help="act, react: all turns in the prompt, or the present state in place of old ones (not in the paper).",
    ),
]
Feedback = Annotated[
    str,
    typer.Option(
        metavar="reason|applicable|minimal",
        help="act, react: what is told about an action that is not applicable: why (the paper's); also which ones are; "
        "or nothing but that it is not.",
    ),
]
Samples = Annotated[
    int,
    typer.Option(
        min=1, metavar="K", help="basic, cot: ask for K plans; the first valid one counts (not in the paper)."
    ),
]
Rounds = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="R",
        help="basic, cot: up to R times the validator's explanation goes back to the model (not in the paper).",
    ),
]
Unsolvable = Annotated[
    str,
    typer.Option(
        metavar="silent|tell",
        help="tell: the prompt says what to answer where there is no plan, [NO PLAN] (not in the paper). A model that "
        "says so unasked is understood as well; its run ends as gave-up, claimed-unsolvable.",
    ),
]

# ── hierarchical policies ────────────────────────────────────────────────────────────────────────

_FOR = "hvr, hv, hr, vr, r, llm: "
"""Whose options these are."""

TaskText = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help=f"{_FOR}what is to be done, in words.",
        show_default="the task's own text where it has one, else the told goal",
    ),
]
TextForm = Annotated[
    str,
    typer.Option(
        "--form",
        metavar="goal|constructive",
        help=f"{_FOR}of the task's own text: what is wanted, or how it is done.",
    ),
]
FaultsSpec = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help=f"{_FOR}how the world differs from the model, or a file that says so: 'fail (pick-up egg-1)', 'fail 10%', "
        "'initially (dirty pan-1)'; several are parted by ';'.",
        show_default="not at all",
    ),
]
OntologyFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help=f"{_FOR}classes and affordances of the domain's objects, in Turtle.",
        show_default="the shipped domain's own, else made from the domain",
    ),
]
LibraryFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help=f"{_FOR}where macro-actions are kept once a task has succeeded, and found for later ones.",
        show_default="none",
    ),
]
EmbeddingModel = Annotated[
    str | None,
    typer.Option(
        metavar="M",
        help=f"{_FOR}the model whose vectors compare what was said with the names of objects and actions. Embeddings "
        "stand on no account: no limit of the run counts them.",
        show_default="names are compared by their letters",
    ),
]
Replans = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help=f"{_FOR}how often a new plan is made where one could not be mended or the world turned out different.",
    ),
]
