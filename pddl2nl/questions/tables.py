"""The tables of an experiment that asks questions: by kind, form and domain, first broken links, agreement of kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from pddl2nl.experiments.layout import LayoutColumn, LayoutTable
from pddl2nl.questions.question import FORMS, KINDS
from pddl2nl.questions.scoring import AnswerScores
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import LINKS, RunSummary
from pddl2nl.reports.tables.grid import show_runs
from pddl2nl.reports.tables.model import Heading, Show, Table, TableCell, TableLine, TableSection

_SHARE_NOTE = (
    "The share of right answers among those that are right or wrong, with its 95 % interval (Wilson) and their number. "
    "An answer that was not read, cut off or refused is not wrong; such answers are counted behind the number."
)

_ORACLE_NOTE = (
    "oracle: no language model was asked. It answers as recorded, in the words of the question; "
    "oracle:MISTAKE does so with this mistake."
)


def _score(runs: Iterable[RunSummary]) -> AnswerScores:
    return AnswerScores(Counter(run.outcome for run in runs if not run.infrastructure))


def _share(scores: AnswerScores) -> str:
    """``80% [49, 94]``."""
    return f"{scores.share:.0%} [{100 * scores.interval.low:.0f}, {100 * scores.interval.high:.0f}]"


def _cell(scores: AnswerScores, show: Show) -> TableCell:
    neither = sum(scores.counts.values()) - scores.scored
    others = f", {neither} without answer" if neither else ""
    detail = f"{scores.right} right, {scores.wrong} wrong, {neither} neither"
    if not scores.scored:
        return TableCell(f"–{others}", None, detail, show=show) if neither else TableCell()
    return TableCell(f"{_share(scores)} of {scores.scored}{others}", scores.share, detail, show=show)


@dataclass(frozen=True)
class _Answers:
    """The answers of an experiment by who gave them (a group of columns), kind, form and domain."""

    gathered: Gathered

    @property
    def _columns(self) -> list[tuple[int, LayoutColumn]]:
        return [*enumerate(self.gathered.layout.columns)]

    @property
    def groups(self) -> list[str]:
        return [*dict.fromkeys(column.group for _, column in self._columns)]

    @property
    def kinds(self) -> list[str]:
        kinds = {column.policy for _, column in self._columns}
        return [kind for kind in KINDS if kind in kinds]

    @property
    def forms(self) -> list[str]:
        forms = {_form(column) for _, column in self._columns}
        return [form for form in ("", *FORMS) if form in forms]

    @property
    def rows(self) -> list[tuple[int, str]]:
        return [(number, row.label) for number, row in enumerate(self.gathered.layout.rows)]

    def places(self, group: str, kind: str | None, form: str | None, row: int | None) -> tuple[list[int], list[int]]:
        """The rows and the columns of some answers; None is any."""
        columns = [
            number
            for number, column in self._columns
            if column.group == group and kind in (None, column.policy) and form in (None, _form(column))
        ]
        return [number for number, _ in self.rows if row in (None, number)], columns

    def runs(
        self, group: str, kind: str | None = None, form: str | None = None, row: int | None = None
    ) -> list[RunSummary]:
        rows, columns = self.places(group, kind, form, row)
        return [run for column in columns for run in self.gathered.runs_in(rows, column)]

    def cell(self, group: str, kind: str | None, form: str | None, row: int | None) -> TableCell:
        rows, columns = self.places(group, kind, form, row)
        # A page lists the runs of one column.
        show = show_runs(rows, columns[0]) if len(columns) == 1 else ()
        return _cell(_score(self.runs(group, kind, form, row)), show)


def _form(column: LayoutColumn) -> str:
    return str(column.options.get("form", ""))


# ── right answers ────────────────────────────────────────────────────────────────────────────────


def questions_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """Kinds down, forms across, over all domains."""
    answers = _Answers(gathered)
    title = wanted.title or "Right answers by kind and form"
    sections = (_section(answers, "", None),)
    return Table("questions", title, "kind", _headings(answers), sections, _notes(answers))


def domains_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """The same for each domain."""
    answers = _Answers(gathered)
    title = wanted.title or "Right answers by domain, kind and form"
    sections = tuple(_section(answers, label, row) for row, label in answers.rows)
    return Table("question-domains", title, "kind", _headings(answers), sections, _notes(answers))


def _notes(answers: _Answers) -> tuple[str, ...]:
    oracle = any(model.partition(":")[0] == "oracle" for model in answers.gathered.layout.models)
    return (_SHARE_NOTE, _ORACLE_NOTE) if oracle else (_SHARE_NOTE,)


def _headings(answers: _Answers) -> tuple[Heading, ...]:
    return tuple(
        Heading(form or "questions", group)
        for group in answers.groups
        for form in (*answers.forms, *(["all forms"] if len(answers.forms) > 1 else []))
    )


def _section(answers: _Answers, title: str, row: int | None) -> TableSection:
    lines = [TableLine(kind, _shares(answers, kind, row)) for kind in answers.kinds]
    if len(lines) > 1:
        lines.append(TableLine("all kinds", _shares(answers, None, row), total=True))
    return TableSection(tuple(lines), title)


def _shares(answers: _Answers, kind: str | None, row: int | None) -> tuple[TableCell, ...]:
    forms = [*answers.forms, *([None] if len(answers.forms) > 1 else [])]
    return tuple(answers.cell(group, kind, form, row) for group in answers.groups for form in forms)


# ── first broken links ───────────────────────────────────────────────────────────────────────────


def links_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """The first broken link of each answer that is not right, by kind."""
    answers = _Answers(gathered)
    places = [(group, kind) for group in answers.groups for kind in answers.kinds]
    runs = [answers.runs(*place) for place in places]
    failures = {run.failure for each in runs for run in each if not run.solved}
    known = [name for name in dict.fromkeys(LINKS.values()) if name in failures]

    def counts(label: str, which: Callable[[RunSummary], bool], *, total: bool = False) -> TableLine:
        numbers = [sum(map(which, each)) for each in runs]
        cells = tuple(TableCell(str(number) if number else "–", number) for number in numbers)
        return TableLine(label, cells, total=total)

    lines = [counts(name, lambda run, name=name: run.failure == name) for name in known]  # type: ignore[misc]
    ends = (counts("right", lambda run: run.solved), counts("questions", lambda run: True, total=True))
    sections = [TableSection(tuple(lines))] if lines else []
    notes = (
        "Each answer counts once, under its first broken link: what was not read, or the first thing that is wrong. "
        "incomplete: all that is named is right, and something is missing; inapplicable, goal missed, too costly: what "
        "is wrong with a plan. Infrastructure errors are no verdict.",
    )
    title = wanted.title or "First broken links by kind"
    headings = tuple(Heading(kind, group) for group, kind in places)
    return Table("question-links", title, "first broken link", headings, (*sections, TableSection(ends)), notes)


# ── agreement ────────────────────────────────────────────────────────────────────────────────────


def agreement_table(gathered: Gathered, wanted: LayoutTable, *, paper: bool = True) -> Table:
    """How often two kinds are both understood or both not, over domains and forms."""
    answers = _Answers(gathered)
    sections = tuple(_agreements(answers, group) for group in answers.groups)
    notes = [
        "A kind is understood in a domain and a form if most of its answers are right; a cell is the share in which "
        "both are, or neither is.",
        *(note for group in answers.groups for note in _gaps(answers, group)),
    ]
    title = wanted.title or "Agreement between kinds"
    headings = tuple(map(Heading, answers.kinds))
    return Table("kind-agreement", title, "kind", headings, sections, tuple(notes))


def _agreements(answers: _Answers, group: str) -> TableSection:
    understood = {kind: _understood(answers, group, kind) for kind in answers.kinds}

    def cell(one: str, other: str) -> TableCell:
        common = understood[one].keys() & understood[other].keys()
        if one == other or not common:
            return TableCell()
        pairs = [(understood[one][place], understood[other][place]) for place in common]
        share = sum(a is b for a, b in pairs) / len(pairs)
        only = [sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)]
        detail = f"of {len(pairs)}: only {one} {only[0]}, only {other} {only[1]}"
        return TableCell(f"{share:.0%} of {len(pairs)}", share, detail)

    lines = [TableLine(one, tuple(cell(one, other) for other in answers.kinds)) for one in answers.kinds]
    return TableSection(tuple(lines), group)


def _understood(answers: _Answers, group: str, kind: str) -> dict[tuple[int, str], bool]:
    """Whether most answers are right, by domain and form; only where some are right or wrong."""
    scores = {
        (row, form): _score(answers.runs(group, kind, form, row)) for row, _ in answers.rows for form in answers.forms
    }
    return {place: score.share > 0.5 for place, score in scores.items() if score.scored}


def _gaps(answers: _Answers, group: str) -> Sequence[str]:
    """Pairs of kinds whose intervals do not meet, a sentence each, the widest gap first."""
    scores = {kind: _score(answers.runs(group, kind)) for kind in answers.kinds}
    pairs = [
        sorted(pair, key=lambda kind: -scores[kind].share)
        for pair in combinations([kind for kind in scores if scores[kind].scored], 2)
    ]
    apart = [(one, other) for one, other in pairs if scores[one].interval.low > scores[other].interval.high]
    apart.sort(key=lambda pair: scores[pair[1]].share - scores[pair[0]].share)
    who = f"{group}: " if group else ""
    return [
        f"{who}{one} is right in {_share(scores[one])}, and {other} in only {_share(scores[other])}."
        for one, other in apart
    ]
