"""``pddl2nl questions``: questions with exact answers about a task, and recorded answers recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec
import typer
from typer.core import TyperGroup

from pddl2nl.cli.options import DomainFile, JsonOption, ProblemFile, TimeLimit, argument, one_of, option
from pddl2nl.cli.output import DONE, FAILED, print_json, print_table, print_text, warn
from pddl2nl.cli.progress import bar_shown
from pddl2nl.cli.run_options import NamesOption, SeedOption, WordingOption, from_run, words_of
from pddl2nl.files import write_text_file
from pddl2nl.limits import processors
from pddl2nl.questions.question import FORMS, KINDS, Form, read_question_lines

if TYPE_CHECKING:
    from pddl2nl.nl import Names, Wording
    from pddl2nl.pddl import Task
    from pddl2nl.questions.acpbench import CheckedQuestion
    from pddl2nl.questions.scoring import AnswerScores

_MAKE = (
    "Example: pddl2nl questions blocksworld p01 --kind applicability --form choice --count 5  ·  "
    "Questions about plans, costs and landmarks need a planner."
)
_SCORE = (
    "Example: pddl2nl questions score questions.jsonl replies.jsonl, where each line of replies.jsonl is "
    '{"id": "…", "reply": "…"}  ·  Exit codes: 0 scored; 2 bad input.'
)
_CHECK = (
    "Example: pddl2nl questions check acpbench --kind landmarks  ·  "
    "Exit codes: 0 all recomputed answers agree; 1 some differ or were not decided; 2 bad input."
)
Kinds = Annotated[
    list[str] | None, option("|".join(KINDS), "Only this kind; can be repeated.", "all", parser=one_of(KINDS))
]


class _WithDefault(TyperGroup):
    """A group that takes the arguments of its command ``make`` without the command's name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = ["make", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        cls=_WithDefault,
        help="Make questions with exact answers about a task (questions DOMAIN PROBLEM …), or check recorded ones.",
    )
    group.command("make", epilog=_MAKE)(_make)
    group.command("score", epilog=_SCORE)(_score)
    group.command("check", epilog=_CHECK)(_check)
    app.add_typer(group, name="questions")


def _make(
    domain: DomainFile,
    problem: ProblemFile,
    kind: Kinds = None,
    form: Annotated[
        list[str] | None, option("bool|choice|open", "Only this form; can be repeated.", "all", parser=one_of(FORMS))
    ] = None,
    count: Annotated[int, option("N", "Questions of each kind and form.", min=1)] = 10,
    seed: SeedOption = 1,
    style: Annotated[str, from_run("style")] = "nl",
    wording: WordingOption = None,
    names: NamesOption = "typed",
    time: TimeLimit = 5,
) -> None:
    """Make questions about the states of a task, JSON Lines: context, question, choices, answer and certificate.

    The states are on random walks and on plans. Answers and letters are balanced, and a subject is asked about only
    where its text could have either answer; no question comes twice. What is not decided within the limits is not
    asked, and where a task has fewer questions than --count, a warning says how many.
    """
    from pddl2nl.nl import Style, Teller
    from pddl2nl.pddl import load_task
    from pddl2nl.questions.making import TOPICS, make_questions

    task = load_task(domain, problem)
    teller = Teller(task, *words_of(task, domain, wording, names, None), cast(Style, style))
    for each in kind or KINDS:
        # Of all kinds, those that are asked in the form.
        shapes = [shape for shape in form or FORMS if shape in TOPICS[each].forms or (kind and form)]
        for shape in shapes:
            made = 0
            for question in make_questions(task, teller, each, cast(Form, shape), count, seed=seed, seconds=time):
                made += 1
                print_text(msgspec.json.encode(question).decode())
            if made < count:
                why = "no more were decided in time whose texts say nothing of the answer"
                warn(f"{each}, {shape}: {made} of {count} questions: {why}")


def _score(
    questions: Annotated[Path, argument("QUESTIONS", "Questions as JSON Lines, or a folder of ACPBench's files.")],
    replies: Annotated[Path, argument("REPLIES", "JSON Lines, an id and a reply each.")],
    wording: WordingOption = None,
    names: NamesOption = "typed",
    time: TimeLimit = 30,
    as_json: JsonOption = False,
) -> None:
    """Read the answers in a model's replies and score them as ACPBench-Hard does, by kind, form and domain.

    Lists of actions and facts are read in the words of the wording, or in PDDL. What cannot be read is no wrong
    answer: it is counted by its status. Intervals are Wilson's, 95 %.
    """
    from pddl2nl.questions.acpbench import read_questions
    from pddl2nl.questions.scoring import read_replies, score_replies, scores_by
    from pddl2nl.tasks import match_shipped

    asked = read_questions(questions) if questions.is_dir() else read_question_lines(questions)

    def words(task: Task) -> tuple[Wording, Names]:
        shipped = match_shipped(task.domain)
        # ACPBench calls objects as its PDDL does.
        called = "original" if questions.is_dir() else names
        return words_of(task, Path() if shipped is None else shipped.domain_path, wording, called, None)

    scored = [*score_replies(asked, read_replies(replies), words, seconds=time)]
    rows = [*scores_by(scored)]
    if as_json:
        groups = [
            {
                **dict(zip(("kind", "form", "domain"), group, strict=True)),
                **scores.as_json(),
                "interval": [scores.interval.low, scores.interval.high] if scores.scored else None,
            }
            for group, scores in rows
        ]
        print_json({"groups": groups, "answers": [item.as_json() for item in scored]})
        return
    columns = ("kind", "form", "domain", "right", "wrong", "not read", "no score", "share of right")
    counts = [
        (*group, scores.right, scores.wrong, scores.unread, scores.others, _share(scores)) for group, scores in rows
    ]
    print_table("", columns, counts)


def _share(scores: AnswerScores) -> str:
    if not scores.scored:
        return ""
    return f"{scores.share:.0%} ({scores.interval.low:.0%} to {scores.interval.high:.0%})"


def _check(
    folder: Annotated[Path, argument("DIR", "A folder with ACPBench's folders: app/dev.gen.json, prog/….")],
    kind: Kinds = None,
    time: TimeLimit = 30,
    jobs: Annotated[int, option("N", "How many are checked at a time.", "the number of CPUs", min=1)] = processors()
    or 1,
    audit: Annotated[
        Path | None,
        option("FILE.md", "Write a page of all differences with proofs.", "none", dir_okay=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute the recorded answers of ACPBench's files, and print the agreement by kind and each difference.

    Only questions of the open form (NAME.gen.json) come with PDDL; the others are counted. Each kind is printed when it
    is done, and every difference with its proof: a plan, static facts, mutually exclusive literals (h2), or a planner's
    proof that there is no plan. What is not proved is undecided.
    """
    from pddl2nl.questions.acpbench import audit_page, check_questions, read_questions, summary_rows

    questions = [question for question in read_questions(folder) if question.kind in (kind or KINDS)]
    questions.sort(key=lambda question: KINDS.index(question.kind))
    last = {question.kind: number for number, question in enumerate(questions)}
    columns = ("kind", "questions", "recomputed", "agree", "differ", "undecided")
    with bar_shown("answers recomputed", lines=True) as update:
        checked = []
        for number, item in enumerate(check_questions(questions, seconds=time, jobs=jobs)):
            checked.append(item)
            update(f"answers recomputed: {item.question.kind}", number + 1, len(questions))
            if number == last[item.question.kind] and not as_json:
                of_kind = [each for each in checked if each.question.kind == item.question.kind]
                ((name, *counts),) = summary_rows(of_kind)
                told = ", ".join(f"{count} {column}" for count, column in zip(counts, columns[1:], strict=True))
                print_text(f"{name}: {told}")
                for each in filter(_to_be_told, of_kind):
                    print_text(f"\n{each.question.kind}, {each.question.domain}, question {each.question.id}:")
                    print_text("\n".join(f"  {line}" for line in each.differences))
                    print_text("\n".join(f"  not decided: {line}" for line in each.undecided))
    if audit is not None:
        write_text_file(audit, audit_page(checked))
    differing = [*filter(_to_be_told, checked)]
    rows = summary_rows(checked)
    if as_json:
        kinds_json = [dict(zip(columns, row, strict=True)) for row in rows]
        print_json({"kinds": kinds_json, "differences": [item.as_json() for item in differing]})
    else:
        print_table("", columns, rows)
    raise typer.Exit(FAILED if differing else DONE)


def _to_be_told(item: CheckedQuestion) -> bool:
    return bool(item.differences or item.undecided)
