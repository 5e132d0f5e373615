"""``pddl2nl picture``: a state, or the states of a plan, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pddl2nl.cli.options import DomainFile, ProblemFile, argument, option
from pddl2nl.cli.output import print_text, warn
from pddl2nl.errors import InputError
from pddl2nl.files import read_text, write_text_file


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command("picture", epilog="Example: pddl2nl picture blocksworld p01 plan.txt --out plan.html")(_picture)


def _picture(
    domain: DomainFile,
    problem: ProblemFile,
    plan: Annotated[str | None, argument("[PLAN]", "The plan file; - for standard input.")] = None,
    out: Annotated[
        Path | None,
        option("FILE", "A picture, .svg, or a page with a slider, .html.", "SVG on standard output", dir_okay=False),
    ] = None,
    step: Annotated[int | None, option("N", "Only the state after step N, from 0.", "all states", min=0)] = None,
    picture_json: Annotated[
        Path | None, option("FILE", "Icons, colours and places.", "picture.json beside the domain", flag="--settings")
    ] = None,
) -> None:
    """Draw the initial state, or with a plan every state: what changed is marked, goal facts are ticked.

    A plan that cannot be executed is drawn up to the step that fails, with the facts that were missing. Facts that are
    not drawn are told below the picture. picture.json is optional; docs/guides/pictures.md says what it can hold.
    """
    from pddl2nl.pddl import load_task
    from pddl2nl.pictures import Pictures, load_picture_settings

    if out is not None and out.suffix.lower() not in (".svg", ".html", ".htm"):
        raise InputError(f"--out {out}: expected a file that ends in .svg or .html")
    task = load_task(domain, problem)
    settings = None if picture_json is None else load_picture_settings(picture_json, task.domain)
    if plan is None:
        pictures = Pictures(task, settings=settings)
    else:
        pictures = Pictures.of_plan(task, read_text(plan, "plan", errors="replace"), settings)
    if step is not None and step >= len(pictures.frames):
        raise InputError(f"--step {step}: expected a number up to {len(pictures.frames) - 1}, that of the last state")
    if pictures.frames[-1].failed:
        warn(pictures.caption(len(pictures.frames) - 1))
    if out is not None and out.suffix.lower() != ".svg":
        text = pictures.page(step)
    else:
        text = pictures.strip() if step is None else pictures.svg(step)
    if out is None:
        print_text(text.rstrip("\n"))
    else:
        write_text_file(out, text)
        print_text(str(out))
