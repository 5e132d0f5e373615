"""``pddl2nl questions``: questions with exact answers about a task, and recorded answers recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pddl2nl.cli.options import JsonOption, TimeLimit, argument, one_of, option
from pddl2nl.cli.output import DONE, FAILED, print_json, print_table, print_text
from pddl2nl.cli.progress import bar_shown
from pddl2nl.questions.question import KINDS

__all__ = ["register"]

_CHECK = (
    "Example: pddl2nl questions check acpbench --kind landmarks  ·  "
    "Exit codes: 0 all recomputed answers agree; 1 some differ or were not decided; 2 bad input."
)
Kinds = Annotated[
    list[str] | None, option("|".join(KINDS), "Only this kind; can be repeated.", "all", parser=one_of(KINDS))
]


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    group = typer.Typer(no_args_is_help=True, help="Ask questions with exact answers about a task.")
    group.command("check", epilog=_CHECK)(_check)
    group.callback()(lambda: None)
    app.add_typer(group, name="questions")


def _check(
    folder: Annotated[Path, argument("DIR", "A folder with ACPBench's folders: app/dev.gen.json, prog/….")],
    kind: Kinds = None,
    time: TimeLimit = 30,
    as_json: JsonOption = False,
) -> None:
    """Recompute the recorded answers of ACPBench's files, and print the agreement by kind and each difference.

    Only questions of the open form (NAME.gen.json) come with PDDL; the others are counted. Every difference is printed
    with its proof: a plan, static facts, mutually exclusive literals (h2), or a planner's proof that there is no plan.
    """
    from pddl2nl.questions.acpbench import check_questions, read_questions, summary_rows

    questions = [question for question in read_questions(folder) if question.kind in (kind or KINDS)]
    computable = [question for question in questions if question.form == "open"]
    with bar_shown("answers recomputed", lines=True) as update:
        checked = []
        for item in check_questions(questions, seconds=time):
            checked.append(item)
            update("answers recomputed", sum(not each.skipped for each in checked), len(computable))
    rows = summary_rows(checked)
    differing = [item for item in checked if item.differences or item.undecided]
    if as_json:
        columns = ("kind", "questions", "recomputed", "agree", "differ", "undecided")
        kinds_json = [dict(zip(columns, row, strict=True)) for row in rows]
        print_json({"kinds": kinds_json, "differences": [item.as_json() for item in differing]})
    else:
        print_table("", ("kind", "questions", "recomputed", "agree", "differ", "undecided"), rows)
        for item in differing:
            print_text(f"\n{item.question.kind}, {item.question.domain}, question {item.question.id}:")
            print_text("\n".join(f"  {line}" for line in item.differences))
            print_text("\n".join(f"  not decided: {line}" for line in item.undecided))
    raise typer.Exit(FAILED if differing else DONE)
