"""``pddl2nl training`` and ``pddl2nl training rewards``: rows for training, and what replies are worth."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from pddl2nl.cli import completion
from pddl2nl.cli.options import JsonOption, TimeLimit, argument, option
from pddl2nl.cli.output import print_table, print_text
from pddl2nl.cli.run_options import from_run, named_values
from pddl2nl.conversion import convert
from pddl2nl.errors import InputError
from pddl2nl.files import parse_json, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pddl2nl.pddl import Task
    from pddl2nl.policies.events import RunEvent

_EXPORT = (
    "Example: pddl2nl training export runs --test ferry --out rows  ·  "
    "pddl2nl training export --domain blocksworld --domain ferry --test ferry --out rows"
)
_REWARDS = (
    "Example: pddl2nl training rewards replies.jsonl, where a line is a row of prompts-test.jsonl with a completion."
)


def register(app: typer.Typer) -> None:
    """Adds the commands to the application."""
    group = typer.Typer(no_args_is_help=True, help="Rows for training language models.")
    group.command("export", epilog=_EXPORT)(_export)
    group.command("rewards", epilog=_REWARDS)(_rewards)
    app.add_typer(group, name="training")


def _export(
    records: Annotated[Path | None, argument("RECORDS", "A folder with the records of runs.", "none")] = None,
    out: Annotated[Path, option("DIR", "The folder for the files of rows.")] = Path("rows"),
    domain: Annotated[
        list[str] | None,
        option(
            "NAME",
            "A shipped or installed domain, for prompts; repeat.",
            "none",
            autocompletion=completion.domains,
        ),
    ] = None,
    suite: Annotated[
        list[Path] | None,
        option("DIR", "A folder of tasks, with what stands beside them, for prompts; repeat.", "none"),
    ] = None,
    chosen_set: Annotated[Literal["primary", "scaled"], option("", "Its set of tasks.", flag="--set")] = "primary",
    policy: Annotated[
        str,
        option(
            "P",
            "The policy whose prompts --domain and --suite give: basic, cot, or a system's that begins with a plan.",
            autocompletion=completion.policies,
        ),
    ] = "basic",
    given: Annotated[
        list[str] | None,
        option("NAME=VALUE", "An option of the policy; pddl2nl policies NAME lists them.", "none", flag="-P"),
    ] = None,
    style: Annotated[str, from_run("style")] = "nl",
    test: Annotated[list[str] | None, option("DOMAIN", "A domain for tests only; repeat.", "none")] = None,
    time: TimeLimit = 60,
) -> None:
    """Write rows for training language models, JSON Lines, split into train and test by domain.

    prompts-*.jsonl, for GRPO: prompts of Basic, CoT and of systems' policies that begin with a plan, with the columns
    from which rewards are computed.
    pairs-*.jsonl, for fine-tuning: every prompt of recorded runs by Basic, CoT, Act, ReAct and tools, with the thought
    and action, or call, of a planner from the state that the run was in (DAgger); this needs a planner. Prompts of
    systems' policies with the right plan of the task.
    """
    from pddl2nl.pddl import load_task
    from pddl2nl.tasks.suites import find_suites
    from pddl2nl.training import pair_rows, prompt_rows
    from pddl2nl.training.rows import RowFiles, shown_pairs

    if records is None and not domain and not suite:
        raise typer.BadParameter("expected RECORDS, a folder of records, --domain NAME or --suite DIR")
    with RowFiles(out, test or ()) as files:
        for events in _recorded(records) if records else ():
            files.add("prompts", prompt_rows(events))
            files.add("pairs", pair_rows(events, time_limit=time))
        tasks = (each for name in domain or () for each in _shipped(name, chosen_set))
        found = (each for folder in suite or () for each in find_suites(folder).tasks)
        for task, optimum in chain(tasks, ((load_task(each.domain, each.problem), None) for each in found)):
            made = [*prompt_rows(_asked(task, policy, named_values("-P", given), style), optimum)]
            files.add("prompts", made)
            files.add("pairs", shown_pairs(made))
    if not files.counts:
        raise InputError(
            f"{records or 'the tasks'}: no rows can be made: they are made of Basic, CoT, Act, ReAct, tools and its "
            "presets, and of systems' policies that begin with a plan"
        )
    print_table(f"Rows in {out}", ("file", "rows"), list(files.counts.items()))


def _recorded(folder: Path) -> Iterator[Sequence[RunEvent]]:
    from pddl2nl.experiments.records.stored import RunRecord, read_record, record_paths

    for path in record_paths(folder)[0]:
        record = read_record(path)
        if isinstance(record, RunRecord):
            yield record.events


def _shipped(name: str, chosen: str) -> Iterator[tuple[Task, float | None]]:
    """The tasks of a set of a shipped domain, with the lengths of their shortest plans."""
    from pddl2nl.tasks import shipped_domain

    shipped = shipped_domain(name)
    for instance in shipped.benchmarks if chosen == "primary" else shipped.scaled:
        task = shipped.task(instance.name)
        known = instance.optimal_length if task.problem.metric is None and instance.proof != "upper bound" else None
        yield task, known


def _asked(task: Task, policy: str, options: Mapping[str, str], style: str) -> Sequence[RunEvent]:
    """What a run by a policy asks first."""
    from pddl2nl.experiments.runs import run
    from pddl2nl.llm import ScriptedModel

    return run(task, policy, ScriptedModel([""]), options=dict(options), style=style).events


class _RewardedReply(msgspec.Struct, frozen=True):
    """What every line of a file of replies holds; its other keys are the columns."""

    completion: str | list[dict[str, Any]]


def _rewards(
    file: Annotated[Path, argument("FILE", "JSON Lines: rows with a completion each; - for standard input.")],
    variant: Annotated[
        Literal["sound", "paper"],
        option("", "Rewards that a system's paper defines: repaired, or as they are printed."),
    ] = "sound",
    as_json: JsonOption = False,
) -> None:
    """Compute the rewards of replies, each from 0 to 1: format, prefix, goals, validity and length of a plan.

    A line holds a completion, a text or messages whose last one is the reply, and the columns of its prompt: domain
    and problem (PDDL), wording and names (JSON, for replies in words) and optimum; or the column of a system whose
    replies are other plans.
    With --json one object is printed for each line.
    """
    from pddl2nl.training.trl import completion_text, rewards_of_row

    total: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    number = 0
    for number, line in enumerate(read_lines(file, "file of replies"), 1):
        place = f"{file}:{number}"
        try:
            row = parse_json(line, place)
            reply = completion_text(convert(row, _RewardedReply).completion)
            rewards = rewards_of_row(reply, row, variant)
        except InputError as error:
            message = str(error)
            raise InputError(message if message.startswith(place) else f"{place}: {message}") from error
        total.update(rewards)
        counts.update(rewards.keys())
        if as_json:
            print_text(msgspec.json.encode(rewards).decode())
    if not as_json:
        print_table(
            f"{number} replies", ("reward", "mean"), [(name, f"{total[name] / counts[name]:.3f}") for name in counts]
        )
