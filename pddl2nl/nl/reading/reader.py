"""Reading: from language back to PDDL actions, without a model.

The grammar is derived from the wording's snippets and the task's objects, so that what was told is read back exactly.
A reply is cut into pieces (`segments`), a piece into clauses (`clauses`), and every clause that speaks of an action or
names an object ends as one of: read, ambiguous, unreadable, unknown-object, or no action with a stance that says why.
A reading policy (`policies`) then chooses the plan. Nothing is guessed, and nothing is dropped in silence: what might
be a step and is not read is reported where it stands in the plan.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property, partial
from itertools import islice, pairwise, takewhile
from typing import NamedTuple

from pddl2nl.errors import InputError, UnsupportedError
from pddl2nl.nl.names import Names, make_names
from pddl2nl.nl.reading.claims import claim_of, gives_none
from pddl2nl.nl.reading.clauses import ActionGrammar, Antecedents, Steps
from pddl2nl.nl.reading.formal import A_LIST, UNKNOWN_VERB, ClauseReading, is_record, read_record
from pddl2nl.nl.reading.lexicon import Lexicon
from pddl2nl.nl.reading.policies import READING_POLICIES, chosen_option, part_of, turns_away
from pddl2nl.nl.reading.readings import (
    DOUBTED,
    SETTLED,
    UNSAID,
    PlacedReading,
    Reading,
    Readings,
    Status,
    reported,
)
from pddl2nl.nl.reading.segments import (
    NO_PLAN_HEADINGS,
    OBSERVATION,
    Layout,
    Peeled,
    Piece,
    clean,
    heading_of,
    lay_out,
    marker_end,
    noise_in,
    peel,
)
from pddl2nl.nl.reading.shapes import Shapes
from pddl2nl.nl.reading.stance import EXCUSED, amended, is_open, is_unsaid
from pddl2nl.nl.reading.words import PREPOSITIONS, WORDS, fold, front, phrases, says, word_table, words_of
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl.task import Task
from pddlval import GroundAction, Simulator, State

_ACTION_BEHIND = front("action_behind")
_COMMENT = front("comment")
_EMPHASIS = re.compile(r"(\*{1,3})[^*\n]+[.:!]\1\s")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_ENDS = re.compile(r"[.!?][*_\"']*\s")
_HEADING = re.compile(r"#|(\*{1,3})[^*\s][^*\n]*\1:?\Z")
_MARKS = re.compile(r"[;,.:]")
_APART = re.compile(r"[:.!?(–—]")
_NAME = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+\Z")
_HABITS = 4000
"""Letters of a reply that show which names it uses."""

_STATED = re.compile(r"\b(?:is|are|was|were|has|not|no)\b")
_SENTENCE = 300
"""Characters before a reading in which its sentence may begin."""
_LINES = 40
"""Lines around a step that are searched."""

_BREAK = re.compile(r"[.:;,(]\s")
# A string in JSON, with the key before it.
_KEY = re.compile(r"(\"\w+\"\s*:\s*\[?\s*)?\"[^\"\n]*\Z")
_QUOTED = re.compile(r"[\"“`„]([^\"“”`„\n]+)[\"”`“]")
_NUMBERS = word_table("numbers")
_SAID = "|".join(sorted(_NUMBERS, key=len, reverse=True))
# "(×4)", "repeated 4×", "twice", "twenty-two times in a row"
_TIMES = re.compile(
    r"[*_`, ]*[(\[]?[*_` ]*(?:repeated )?(?:(?:[×✕]|(?<!\w)x) ?(?P<digits>\d{1,3})|(?<!\w)(?:(?:(?P<count>\d{1,3})"
    rf"|(?P<tens>{_SAID})(?:[- ](?P<ones>{_SAID}))?) ?(?:times|[×✕]|x(?!\w))|(?P<word>once|twice|thrice)))"
    r"(?: in a row)?[*_` ]*[)\]]?(?=[*_` ]*(?:[)\].,:;(→–-]|to [a-z]|\Z))",
    re.IGNORECASE,
)
# "car: car_0" below "- load:", and "* Car: `car_0`" below "1. **Load**"
_ROLE = re.compile(r"(?:[-*•+] +)?[*_\"]*(\w[\w -]*?)[*_\"]*\s*:[*_]*\s*[`\"']?([\w-]+)[`\"']?,?")
_MARKUP = " *_`:\"'"
_HEAD = re.compile(r"(?i)^(?:[-*•+]|\d+[.)])?\s*(?:\W*(?:action|name|function|tool|step|type|operator)\W*:)?")
_ITEM = re.compile(r"(?:(\d{1,4})[.)]|([-*•])) +")


class Reader:
    """Reads actions out of text, for one task under one wording.

    ``Reader(task)`` reads the domain's own wording and typed names, as `pddl2nl.convert` tells them.
    """

    def __init__(self, task: Task, wording: Wording | None = None, names: Names | None = None):
        if wording is None:
            from pddl2nl.nl.telling.convert import choose_wording

            wording = choose_wording(None, task.domain)
        names = names or make_names(task, "typed", wording)
        self._task = task
        objects = {names.to_nl.get(name, name): item for name, item in task.objects.items()}
        self.lexicon = Lexicon(task.domain, wording, objects, names.aliases)
        self.grammar = ActionGrammar(task, wording, self.lexicon)
        # Where telling itself uses marks that cleaning would take for noise, they are words.
        snippets = [re.sub(r"\{[^{}]*\}", "x", snippet.text or "") for snippet in wording.actions.values()]
        self._kept_noise = noise_in("\n".join((*objects, *snippets)))
        told = set(self.lexicon.folded)
        self._own = {fold(name) for name in task.objects}
        spelled = told | {name.replace("_", "") for name in told} | {fold(name) for name in names.aliases}
        self._own_only = {name for name in self._own - spelled if not self.lexicon.compound(name)}
        self._stems = {_NUMBER.sub("", name) for name in told - self._own}
        self._wording = wording
        self._shapes = Shapes(self.grammar)

    def cleaned(self, text: str) -> str:
        """A reply without the noise that none of the wording's own texts has, as long as it was."""
        return clean(text, self._kept_noise)

    def read(self, text: str, policy: str = "default") -> Readings:
        """All readings of a reply, and the plan that a reading policy takes out of them.

        Raises `InputError` for a policy that `READING_POLICIES` has not.
        """
        if policy not in READING_POLICIES:
            raise InputError(f"--reading {policy}: no such policy; there are {', '.join(READING_POLICIES)}")
        if (own := self._by_own_names(text)) is not None:
            return own.read(text, policy)
        placed, layout = self.placed(text)
        chosen = READING_POLICIES[policy].choose(placed, layout.ranks)
        chosen = self._with_parts(layout.text, placed, chosen) if policy == "default" else chosen
        readings = Readings(tuple([item.reading for item in placed]), (), layout.ended, policy)
        return readings.choosing(self._completed(layout, chosen))

    def _by_own_names(self, text: str) -> Reader | None:
        """The reader of PDDL's own names where a reply uses them and none that was told: "(pickup node0-2 key3)".

        Told names can look like them: "tray1" is tray_1 as long as no name shows that PDDL's are meant.
        """
        if self._own_only.isdisjoint(name for name in _NAME.findall(fold(text[:_HABITS])) if not name.isalpha()):
            return None
        others = (_NUMBER.sub("", name) for name in _NAME.findall(fold(text)) if "_" in name and name not in self._own)
        return self._own_reader if self._stems.isdisjoint(others) else None

    @cached_property
    def _own_reader(self) -> Reader:
        return Reader(self._task, self._wording, make_names(self._task, "original", self._wording))

    @cached_property
    def _simulator(self) -> Simulator | None:
        try:
            return Simulator(self._task)
        except UnsupportedError:
            return None

    def _completed(self, layout: Layout, placed: Sequence[PlacedReading]) -> list[Reading]:
        """The readings of a plan; what a step leaves out is taken from what stands before it."""
        if self._simulator is None or all(item.reading.action is not None for item in placed):
            return [item.reading for item in placed]
        steps = [item for item in placed if item.reading.action is not None]
        # "Sail to b, so that you can load a there": what is only supposed is a step where all steps hold with it alone.
        listed = any(item.item for item in steps)
        supposed = [_as_step(item) if item.item or not listed else item for item in placed]
        filled, text = partial(self._filled, self._simulator, layout.text), layout.text
        plain = filled(self._plain(text, placed))
        if self._reaches(plain, goal=True):
            return plain
        everything = filled(placed)
        if supposed == placed or self._reaches([item for item in everything if item.action]):
            return everything
        more = filled(self._plain(text, supposed))
        return more if len(more) > 1 and self._reaches(more, goal=True) else everything

    def _plain(self, text: str, placed: Sequence[PlacedReading]) -> list[PlacedReading]:
        """A plan without what gives no order of its own, which only explains it."""
        lines = {item.reading.line for item in placed if item.reading.action is not None}
        return [item for item in placed if item.reading.action is not None or not self._explains(text, item, lines)]

    def _reaches(self, steps: Sequence[Reading], *, goal: bool = False) -> bool:
        """Whether steps can be done one after the other; ``goal``: and reach the goal."""
        actions = [step.action for step in steps if step.action is not None]
        if self._simulator is None or not steps or len(actions) < len(steps):
            return False
        *_, last = states = self._simulator.follow(self._simulator.initial, actions).states
        return len(states) > len(actions) and (not goal or self._simulator.is_goal(last))

    def _with_parts(
        self, text: str, placed: Sequence[PlacedReading], chosen: Sequence[PlacedReading]
    ) -> Sequence[PlacedReading]:
        """The chosen steps with all those before or behind them that were read: "Now fix the rest:" is a second part.

        They are joined where the chosen ones are possible with them alone, or reach the goal with them alone, and the
        reply says nothing that parts them: no rejection or correction, option, or heading of another plan or of none.
        """
        if not chosen:
            return chosen
        found = [item for item in placed if item.reading.action is not None and item.block == chosen[0].block]
        steps = [item.reading for item in chosen]
        changed = any(item.reading.changes_steps for item in placed)
        if changed or len(found) <= len(chosen) or not all(step.action for step in steps):
            return chosen
        possible = self._reaches(steps)
        if possible and self._reaches(steps, goal=True):
            return chosen
        before = [item for item in found if item.reading.start < steps[0].start]
        behind = [item for item in found if item.reading.start > steps[-1].start]
        for more in ([*before, *chosen], [*before, *chosen, *behind]) if before else ([*chosen, *behind],):
            begin, end = more[0].reading.start, more[-1].reading.start
            lead = text[:begin].strip().rpartition("\n")[2]
            between = text[begin:end].split("\n")
            parted = any(_parts(line) or (possible and turns_away(line)) for line in between)
            no_plan = heading_of(lead) in (*NO_PLAN_HEADINGS, "recap") or says("denies", lead) is not None
            if len(more) == len(chosen) or parted or no_plan:
                continue
            if self._reaches([item.reading for item in more], goal=possible):
                return more
        return chosen

    def _explains(self, text: str, item: PlacedReading, lines: Set[int]) -> bool:
        """Whether what cannot be read gives no order and corrects no step; ``lines``: where steps stand."""
        said, line = _sentence(text, item.reading, max(item.reading.start - _SENTENCE, 0)), _line(text, item.reading)
        if item.reading.reason == UNSAID or says("corrects", said):
            return False
        # "**Move a to b:**" above the steps of it, "2. **Move a to b:**" with its steps below
        titles = _HEADING.match(line) is not None or (line[:1].isdigit() and line.rstrip(" *_`").endswith(":"))
        return titles or item.reading.line in lines or not self.grammar.orders(said)

    def _filled(self, simulator: Simulator, text: str, placed: Sequence[PlacedReading]) -> list[Reading]:
        """Readings with what a step leaves out, as what stands before it says.

        "**At depot_1**" above "hoist_1 lifts crate_0 off pallet_1", "rover_1 does all of this". The state in which the
        step's turn comes has to allow it: a step that would fail is reported, and so are all behind an unknown one.
        """
        chosen, at = [item.reading for item in placed], 0
        state: State | None = simulator.initial
        named: deque[Antecedents] = deque(maxlen=_LINES)
        titles = set[int]()
        for index, item in enumerate(chosen):
            if state is None:
                break
            for line in filter(str.strip, text[at : item.start].split("\n")):
                named.appendleft(Antecedents(self.grammar.objects_in(line)))
            ways: Sequence[GroundAction] = ()
            if item.status == "unreadable" and item.reason not in SETTLED:
                # "It moves to b, picks up a there and …"
                goes_on = index > 0 and chosen[index - 1].action is not None and chosen[index - 1].line == item.line
                listed = goes_on or not placed[index].doubt
                ways = self.grammar.completed(_sentence(text, item, at), named, listed)
            fitting = [way for way in ways if simulator.is_applicable(state, way)]
            if len(fitting) == 1 and _is_above(placed[index : index + 4], fitting[0]):
                # "2. Deliver to b" above "- Sail from a to b" is the title of a part.
                titles.add(index)
                continue
            if len(fitting) == 1:
                chosen[index] = item = item.named(fitting[0])
            named.appendleft(self.grammar.named_by(item.action) if item.action is not None else Antecedents(()))
            state = None if item.action is None else simulator.step(state, item.action).successor
            at = item.end
        return [item for index, item in enumerate(chosen) if index not in titles]

    def placed(self, text: str) -> tuple[list[PlacedReading], Layout]:
        """All readings of a reply with the layout around them, from which a reading policy chooses."""
        if (own := self._by_own_names(text)) is not None:
            return own.placed(text)
        layout = lay_out(self.cleaned(text))
        return self.read_layout(text, layout), layout

    def names_object(self, text: str) -> bool:
        """Whether a text names an object of the task."""
        return bool(self.grammar.objects_in(text))

    def read_turn(self, text: str) -> Reading:
        """The one thing that an interactive reply does: an action, a wish to look around, or a claim to be done.

        The text behind the first line that begins with ``Action:`` counts; without such a line, the text behind the
        last ``Action:`` anywhere; without that, the whole reply. Of several actions the first is read, since the others
        presuppose its result, and the rule begins with ``first-of-several``; one that the reply takes back
        does not count. What a model writes from a line "Observation:" on is its own invention of the world's answer.
        Inside a thought nothing counts. An unreadable line does not hide a readable one that follows it, but an
        ambiguous one, or one with an unknown object, does. A turn that does nothing is "not-an-action".
        """
        if (own := self._by_own_names(text)) is not None:
            return own.read_turn(text)
        said = self.cleaned(text)
        invented = OBSERVATION.search(said)
        reading = self._turn(said, invented.start() if invented else len(said))
        if invented and reading.status == "not-an-action":
            reading = self._turn(said, len(said))
        return reading if said == text else _as_written(text, reading)

    def read_layout(self, text: str, layout: Layout) -> list[PlacedReading]:
        """The readings of all pieces, with their layout, in order; ``text`` is the reply as it was laid out."""
        placed: list[PlacedReading] = []
        in_thought = False
        steps: Steps = ()
        count = tag = 0
        name, said = "", layout.text
        strings = '"' in said
        for index, piece in enumerate(layout.pieces):
            tagged = layout.ranks[piece.block] == 3
            # Numbering that goes back begins another list of steps.
            number = _ITEM.match(said, piece.start, piece.end) if said[piece.start].isdigit() else None
            begun = piece.block != tag or (number is not None and 0 < int(number[1] or 0) <= count)
            before = () if begun else steps
            readings, peeled = self._piece(said, piece, _Around(tagged, in_thought and not piece.gap, before=before))
            below = layout.pieces[index : index + 12]
            gathered = self._gathered(said, below, peeled, readings, name if peeled.item else "")
            readings = gathered or readings
            if not gathered:
                named = readings[-1].action is None
                name = self._action_named(said[piece.start : piece.end], peeled.start) if named else ""
            in_thought = _thinks(readings[-1])
            found = tuple(reading.action for reading in readings if reading.action is not None)
            failed = readings[-1].action is None and any(item.is_attempt or item.rule == "doubt" for item in readings)
            if found and not failed:
                steps = (*before, *found)[-3:]
            elif begun or failed:
                # After a step that cannot be read the state is unknown.
                steps = ()
            count, tag = peeled.number or count, piece.block
            item = peeled.item or ("tag" if tagged else "fence" if piece.fenced else "")
            apart, at = False, readings[0].end
            for reading in readings:
                begin = piece.start if reading is readings[0] else min(at, reading.start)
                apart = apart or (at < reading.start and _APART.search(said, at, reading.start) is not None)
                at = max(at, reading.end)
                key = _KEY.search(said, max(piece.start, reading.start - 80), reading.start) if strings else None
                placed.append(
                    PlacedReading(
                        reading,
                        peeled.number,
                        peeled.item,
                        piece.indent,
                        piece.block,
                        piece.gap and reading is readings[0],
                        coded=said[max(reading.start - 1, 0) : reading.start] == "`",
                        outer=peeled.outer,
                        apart=apart,
                        tries=self._tries(reading, said[begin : reading.end]),
                        mark=f'"{key[1]}' if key else item and f"{item} {piece.indent // 2}",
                    )
                )
        placed = self._with_doubts_reported(said, placed)
        if said != text:
            placed = [item._replace(reading=_as_written(text, item.reading)) for item in placed]
        return placed

    def _tries(self, reading: Reading, text: str) -> frozenset[str]:
        """What the words of an attempt that failed name: PDDL's names of objects, and words that look like such."""
        if reading.action is not None or not reading.is_attempt:
            return frozenset()
        objects = self.grammar.objects_in(text)
        others = {word.text for word in words_of(text) if "_" in word.text and word.text[-1].isdigit()}
        others -= {fold(item.nl) for item in objects}
        return frozenset((*reading.unknown, *others, *(item.pddl for item in objects)))

    def _action_named(self, line: str, start: int) -> str:
        """What an action begins with that goes on below: "move:" or "**Step 2: move**" above "- a, b"; else empty.

        "Move the robot:" above "1. from a to b"
        """
        bare = [part.strip(" *_`:\"'#") for part in (line[start:], line)]
        schema = next((schema for part in bare if part and (schema := self.grammar.pddl.schema(part))), None)
        if schema is not None:
            return f"'{schema.name}'"
        lead = bare[0] or bare[1]
        begins = line.rstrip(" *_").endswith(":") and self.grammar.orders(lead, bare=True)
        return lead if begins and not says("unsaid", line) else ""

    def _gathered(
        self, text: str, pieces: Sequence[Piece], peeled: Peeled, readings: Sequence[Reading], name: str
    ) -> list[Reading]:
        """The one step of an item whose words stand apart, where it uses all the objects that stand there.

        They stand in the items below it ("1. Load a from b" above "* Size: c", "- sail:" above "from: a" and "to: b"),
        in a sentence behind it ("Load a. The space drops from 2 to 1."), or behind a mark within it ("Move a to b and
        eat; spawn at c"); ``name``: the action may stand above it ("move:" above "- a, b").
        """
        first, piece = readings[0], pieces[0]
        whole = first.action is not None and (len(readings) == 1 or not peeled.item)
        if whole or first.reason in SETTLED or any(item.action is not None for item in readings[1:]):
            return []
        said, start = text[piece.start : piece.end], peeled.start
        line, behind = said[start:].rstrip(" *_:."), text[first.end : piece.end]
        # "from a to b" below "Move the robot:", but not "Now a is at b"
        listed = first.stance == A_LIST or line.partition(" ")[0].lower() in PREPOSITIONS
        ways: list[tuple[str, str]] = [(f"{name} {line}", line)] if name and first.action is None and listed else []
        pairs = _pairs_below(text, pieces) if first.action is None else []
        if pairs:
            # "Resource: a" may come twice: then the objects stand in their order.
            roles = ", ".join(f"{role.replace(' ', '_')}={value}" for role, value in pairs)
            ways.append((f"{_HEAD.sub('', said).strip(_MARKUP)}({roles})", ", ".join(value for _, value in pairs)))
        if first.action is not None:
            ways.append((_MARKS.sub(" ", line), line))
        elif pairs or (peeled.item and first.is_attempt):
            inner = takewhile(lambda other: other.indent > piece.indent, pieces[1:8])
            below = [
                text[other.start : other.end].strip("-*•+ .").replace(":", " ").replace("*", "") for other in inner
            ]
            ways += [(", ".join((line, *below)), ", ".join(below))] if not any(map(_STATED.search, below)) else []
            names = ", ".join(item.nl for item in self.grammar.objects_in(behind))
            # "**Stack 1:** a at the bottom, b on top" is no step.
            ways += [(f"{first.text.rstrip(' *_')} ({names})", behind)] if ":" not in first.text else []
        for way, told in ways:
            objects = self._objects(told)
            spoken = self.grammar.said(way, listed=True) if objects else []
            actions = [*spoken[0].candidates] if [item.status for item in spoken] == ["read"] else []
            if actions and actions != [first.action] and objects <= {*actions[0].args}:
                return [_reading(text, piece, start, spoken[0]._replace(start=0, end=len(line)))]
        return []

    # ── one turn ───────────────────────────────────────────────────────────────────────────────────────

    def _turn(self, whole: str, stop: int) -> Reading:
        start = max(marker := marker_end(whole, stop), 0)
        text = whole[start:stop]
        readings = list(self._signals(text, marker >= 0))
        read = [reading for reading in readings if reading.status == "read"]
        if marker < 0 and len(read) > 1 and says("options", text[: read[0].start]):
            option = chosen_option(text[read[-1].end :], len(read))
            if option is not None:
                return read[option]
        kept = _uncorrected(text, readings)
        chosen = next((item for item in kept if item.status not in ("not-an-action", "unreadable")), None)
        chosen = chosen or next((item for item in kept if item.status == "unreadable"), None)
        open_stances = [item for item in readings if item.stance and not item.stance.startswith(EXCUSED)]
        if chosen is None and open_stances:
            chosen = reported(max(open_stances, key=lambda item: len(item.text)))
        elif chosen is None:
            stance = next((reading.stance for reading in readings if reading.stance), "")
            chosen = _whole(text, "not-an-action", "prose")._replace(stance=stance)
        signals = ("read", "look-around", "claimed-done")
        others = {(reading.status, reading.action) for reading in readings if reading.status in signals}
        if len(others | {(chosen.status, chosen.action)}) > 1 and chosen.status in (*signals, "ambiguous"):
            rules = [rule for rule in chosen.rule.split("+") if rule not in ("several", "exact", "")]
            chosen = chosen._replace(rule="+".join(("first-of-several", *rules)))
        line = chosen.line + whole.count("\n", 0, start)
        return chosen._replace(line=line, start=chosen.start + start, end=chosen.end + start)

    def _signals(self, text: str, expected: bool) -> Iterator[Reading]:
        """Everything in a text that could be a turn's one thing."""
        layout = lay_out(text)
        in_thought = False
        headings: list[Reading] = []
        for piece in layout.pieces:
            setting = _Around(False, in_thought and not piece.gap, expected and not piece.hidden)
            readings, _ = self._piece(text, piece, setting)
            in_thought = _thinks(readings[-1])
            claim = None if in_thought else claim_of(text, piece)
            read = any(reading.status == "read" for reading in readings)
            found = [
                reported(reading) if reading.rule == "doubt" and not reading.stance.startswith(EXCUSED) else reading
                for reading in readings
                if reading.is_attempt or reading.stance or reading.rule == "doubt"
            ]
            if claim is not None and not read:
                yield claim
            elif not read and _HEADING.match(text, piece.start, piece.end):
                # "**Take the tower apart**" above the action
                headings += found
            else:
                yield from found
            expected = False
        yield from headings
        if not layout.pieces and layout.ended and text.strip():
            yield _whole(text, "claimed-done", "plan-end")

    # ── one piece ────────────────────────────────────────────────────────────────────────────────

    def _piece(self, text: str, piece: Piece, setting: _Around) -> tuple[list[Reading], Peeled]:
        """The readings of one piece."""
        said = text[piece.start : piece.end]
        if piece.offered or piece.hidden or said.startswith((";", "<!--")):
            rule = "offered" if piece.offered else "thought" if piece.hidden else "prose"
            return [_no_action(text, piece, rule)], _UNPEELED
        kind = (setting.tagged, piece.fenced, setting.in_thought, setting.expected)
        return self._shapes.read(text, piece, kind, lambda: self._line(text, piece, setting))

    def _line(self, text: str, piece: Piece, setting: _Around) -> tuple[list[Reading], Peeled]:
        """The readings of a piece that no line before it was like."""
        said = text[piece.start : piece.end]
        if verdict := self.grammar.exact(said):
            # An action as it was told, whatever it looks like: a wording can begin one with "1." itself.
            return [_reading(text, piece, 0, verdict)], _UNPEELED
        mark = _ITEM.match(said)
        at = mark.end() if mark else 0
        peeled = peel(said)
        titled = mark and mark[1] and said.startswith("**", at) and OBSERVATION.match(said[at:])
        if titled and [item.status for item in self.grammar.said(said[peeled.start :])] == ["read"]:
            # "5. **Observation:** take the image of a" is a step with a title.
            peeled = peeled._replace(label="")
        if peeled.label == "thought" and not is_record(said):
            behind = _ACTION_BEHIND.search(said, peeled.start)
            if behind is not None:
                further = peel(said[behind.end() :])
                peeled = peeled._replace(start=behind.end() + further.start, bare=further.bare, label="action")
            elif not amended(said):
                return [_no_action(text, piece, "thought")], peeled
        if is_unsaid(said[at:]) and (peeled.bare or not said.endswith(":")):
            return self._unsaid(text, piece, peeled), peeled
        if peeled.bare:
            return [_no_action(text, piece, "label")], peeled
        return self._spoken(text, piece, peeled, setting), peeled

    def _unsaid(self, text: str, piece: Piece, peeled: Peeled) -> list[Reading]:
        """What stands for steps without saying them, or the step that it puts in the place of another one.

        "Correction to step 2: stack a on c.", "Correction to step 2: c is gone, so it should read "stack a on d"."
        Sentences beside it are read: "Pick up a. Do the same with b."
        """
        said = text[piece.start : piece.end]
        numbers, quoted = amended(said), list(_QUOTED.finditer(said))
        spans = [(peeled.start, said[peeled.start :])]
        spans += [(quoted[0].start(1), quoted[0][1])] if len(quoted) == 1 else []
        for start, part in spans if len(numbers) == 1 else ():
            found = [item for item in self.grammar.said(part, listed=start > peeled.start) if item.status == "read"]
            if len(found) == 1:
                return [_reading(text, piece, start, found[0])._replace(stance=f"change of step {numbers[0]}")]
        unsaid = _no_action(text, piece, "")._replace(status="unreadable", reason=UNSAID)
        told: list[Reading] = []
        ends = [match.end() for match in _SENTENCE_ENDS.finditer(said, peeled.start)]
        for begin, end in pairwise((peeled.start, *ends, len(said))):
            sentence, start = said[begin:end].rstrip(), piece.start + begin
            if is_unsaid(sentence):
                told.append(unsaid._replace(start=start, end=start + len(sentence), text=sentence))
            else:
                readings = (_reading(text, piece, begin, item) for item in self.grammar.said(sentence))
                told += [item for item in readings if item.is_attempt]
        return told if any(item.action for item in told) else [unsaid]

    def _spoken(self, text: str, piece: Piece, peeled: Peeled, setting: _Around) -> list[Reading]:
        """The readings of what stands behind the marks and labels of a piece."""
        said = text[piece.start : piece.end]
        heads = said.rstrip(" *_`#").endswith(":")
        expected, marked = setting.expected, setting.tagged or piece.fenced
        listed = expected or peeled.item != "" or peeled.label == "action"
        # "### Stage 2: to place_2" goes on from no step.
        before = setting.before if (listed or not piece.gap) and not _HEADING.match(said) else ()
        verdicts = self._verdicts(said, peeled, listed, before)
        thinks = setting.in_thought and not listed
        if thinks and any(
            item.rules and (item.status != "read" or not {"prefix", "loose-tail"}.isdisjoint(item.rules))
            for item in verdicts
        ):
            return [_no_action(text, piece, "thought")]
        readings = [self._judged(text, piece, peeled, item, heads, marked) for item in verdicts]
        pairs = list(zip(readings, verdicts, strict=True))
        title = piece.start + (bold.end() if (bold := _EMPHASIS.match(said)) else 0)
        if bold and any(reading.action for reading, _ in pairs):
            # "*Freeing a.* Move b from a to c.", "**Stage A – Fetch the mug.** Go to a and pick up b."
            part = part_of(bold[0])[0] in WORDS.part_nouns and any(
                item.action and item.end > title for item in readings
            )
            pairs = [
                (reading, item)
                for reading, item in pairs
                if reading.end > title
                or not (part or (item.is_failure and not self.grammar.orders(reading.text, bare=True)))
            ]
        attempts = any(reading.is_attempt for reading, _ in pairs)
        # A verb without objects may be a step where a line of the plan says no other.
        strict = attempts or not (listed or marked)
        readings = [reading for reading, item in pairs if not strict or reading.is_attempt or item.names_object]
        if attempts:
            return [again for reading in readings for again in [reading] * _times(text, reading, piece.end)]
        if thinks:
            return [_no_action(text, piece, "thought")]
        if marked and not expected and claim_of(text, piece) is not None:
            return [_no_action(text, piece, "claim")]
        start = piece.start + peeled.start
        content = text[start : piece.end]
        if (expected or marked) and _LETTER.search(content) and not says("prose", said) and not _COMMENT.match(said):
            return [Reading(piece.line, start, piece.end, content, "unreadable", reason=UNKNOWN_VERB)]
        doubts = [item for item in readings if item.rule == "doubt"]
        stance = next((item.stance for item in sorted(readings, key=lambda item: item.rule == "doubt")), "")
        if heads:
            # A heading speaks of what stands below it.
            return [_no_action(text, piece, "prose")._replace(stance=stance and "explained (heading)")]
        if doubts and 5 * len(doubts[0].text) > 4 * len(content):
            return [doubts[0]._replace(start=start, end=piece.end, text=content), *doubts[1:]]
        stance = stance or ("unclear (a part is reported)" if doubts else "")
        return [_no_action(text, piece, "prose")._replace(stance=stance), *doubts]

    def _judged(
        self, text: str, piece: Piece, peeled: Peeled, item: ClauseReading, heads: bool, marked: bool
    ) -> Reading:
        """What a clause says, as prose or doubtful where it was not meant as an action."""
        reading = _reading(text, piece, peeled.start, item)
        # "Possible moves: a, b or c. I do c." offers no more than its first sentence says.
        if peeled.label == "offered" and not _SENTENCE_ENDS.search(text, piece.start + peeled.start, reading.start):
            return reading._replace(status="not-an-action", action=None, rule="prose", stance="offered")
        if item.status == "not-an-action":
            return reading._replace(rule="doubt" if is_open(item.stance) else "prose")
        # "No, it has to go through place_3:"
        heading = heads and item.is_failure and not marked and (not item.names_object or item.start > 0)
        if item.reason == UNKNOWN_VERB or heading:
            return reading._replace(status="not-an-action", rule="doubt")
        return reading

    def _verdicts(self, said: str, peeled: Peeled, listed: bool, before: Steps) -> list[ClauseReading]:
        """What a peeled line says, with its rules; offsets count from the peeled start."""
        if is_record(said):
            record = read_record(self.grammar.pddl, said, self._value, self._names)
            if record:
                return [item.moved(-peeled.start) for item in record]
        taken = [rule for rule, holds in (("markup", peeled.markup), ("prefix", peeled.prefix)) if holds]
        content = said[peeled.start :]
        plain, count = _TIMES.subn(lambda match: " " * len(match[0]), content)
        verdicts = self.grammar.said(plain, listed=listed, before=before)
        if count and count != sum(item.status == "read" and bool(_TIMES.match(content, item.end)) for item in verdicts):
            # "Twice, take a to b": only what stands behind a step counts it.
            verdicts = self.grammar.said(content, listed=listed, before=before)
        mark = _ITEM.match(said)
        start = mark.end() if mark else 0
        if peeled.prefix and listed and start < peeled.start and not any(item.status == "read" for item in verdicts):
            # "1. Move the robot: a → b" begins with no label.
            whole = self.grammar.said(said[start:], listed=True, before=before)
            if any(item.status == "read" for item in whole):
                verdicts = [item.moved(start - peeled.start) for item in whole]
        return [item.moved(0, *taken) for item in verdicts]

    def _value(self, value: str) -> list[ClauseReading]:
        """What a string of a record says."""
        peeled = peel(value)
        if peeled.label in ("thought", "offered"):
            return []
        return [item.moved(peeled.start) for item in self.grammar.said(value[peeled.start :], listed=True)]

    def _names(self, value: str) -> bool:
        return bool(self.lexicon.named(value)) or value.lower() in self.lexicon.by_pddl

    def _with_doubts_reported(self, text: str, placed: list[PlacedReading]) -> list[PlacedReading]:
        """Reports what may be a step and is not read, but for what another line of the reply says as well.

        Beside no step, what is only supposed or wanted is none.
        """
        flat = len({item.indent for item in placed}) < 2 and "**" not in text and "#" not in text
        if flat and all(item.reading.action is not None for item in placed):
            return placed
        for index in range(len(placed)):
            placed[index] = self._explained(text, placed, index)
        if all(item.reading.action is not None for item in placed):
            return placed
        tried = [item for item in placed if item.reading.is_attempt]
        tried_in_vain = all(item.reading.status in ("unreadable", "unknown-object") for item in tried)
        if tried_in_vain:
            # "I would like to move a to b, but may I?"
            asks = phrases("asks").search(text) is not None
            meant = [item.reading for item in tried if asks or (item.mark and self.grammar.orders(item.reading.text))]
            tried_in_vain = not any(self.names_object(reading.text) or reading.unknown for reading in meant)
        if tried_in_vain and gives_none(text):
            # "I would have to move a to b, but …, so there is no plan."
            return [
                item._replace(reading=item.reading.as_prose(item.reading.stance or "explained (no plan)"))
                if item.reading.is_attempt or item.reading.rule == "doubt"
                else item
                for item in placed
            ]
        found = [item for item in placed if item.reading.action is not None]
        done = {item.reading.action for item in found if item.reading.action is not None}
        steps = {item.mark for item in found} - {""}
        read = {item.reading.line for item in found}
        listed = {spot for item in found if item.item for spot in _beside(item, 0)}
        judged: list[PlacedReading] = []
        for item in placed:
            reading, alone = item.reading, item.reading.line not in read
            told = "state" if item.item == "number" else A_LIST
            plain = reading.rule == "prose" and not reading.stance and not reading.text.rstrip(" *_`").endswith(":")
            among = item.item and alone and "|" not in reading.text and _beside(item, -1, 1) <= listed
            if among and (reading.stance.startswith(told) or (plain and _ITEM.match(reading.text))):
                # "1. robot_0 takes a down.", "- tray_0: kitchen → table_1" and "2. Wash a" between steps are some.
                number = item.number if item.item == "number" else None
                item = item._replace(reading=reported(reading), number=number)
            # The strings of a JSON array share their line.
            judged.append(self._settled(item, done, (alone or item.mark.startswith('"')) and item.mark in steps))
        return judged

    def _settled(self, item: PlacedReading, done: Set[GroundAction], marked: bool) -> PlacedReading:
        """A doubtful reading as an attempt that failed, or as prose beside steps that say the same.

        ``marked``: it stands on a line of its own where the reply's steps stand, and is meant as one.
        """
        reading = item.reading
        if reading.rule != "doubt":
            return item
        again = not done.isdisjoint(reading.candidates)
        if marked and not reading.text.rstrip(" *_`").endswith(":"):
            return item._replace(reading=reported(reading))
        if again or self.grammar.restates(reading.text, reading.stance, done):
            return item._replace(reading=reading.as_prose("restated"))
        if not done and reading.stance.startswith(("hypothetical", "goal")):
            return item._replace(reading=reading._replace(rule="prose"))
        return item._replace(reading=reported(reading), doubt=True)

    def _explained(self, text: str, placed: Sequence[PlacedReading], index: int) -> PlacedReading:
        """A reading as prose where its line only explains the steps beside it: as their title, or as a remark."""
        item, reading = placed[index], placed[index].reading
        line, open_ = _line(text, reading), reading.reason not in SETTLED
        # "**Phase 2: Load a**", "Phase 3 – fly"
        part = open_ and (reading.action is None or _HEADING.match(line)) and part_of(line)[0] in WORDS.part_nouns
        failed = reading.rule == "doubt" or reading.status in ("unreadable", "unknown-object")
        near = reversed(placed[max(index - _LINES, 0) : index])
        steps = [*islice((step for step in near if step.reading.action is not None), 1)]
        if reading.action is not None and steps and item.item and item.indent > steps[-1].indent:
            # "- The tail goes to a." below the step that brings it there
            other = reading.action != steps[-1].reading.action
            anew = any(word.text in WORDS.anew for word in words_of(line))
            failed = other and not anew and self._names_no_more(line, steps)
        if not (part or (open_ and failed)) or (steps and steps[-1].reading.line == reading.line):
            return item
        later = any(word.text in WORDS.later for word in words_of(line[:_SENTENCE])[1:])
        if later and not (_HEADING.match(line) or line.endswith(":")):
            # "The ferry then takes it to location_0." says more, but not "**Then to a**".
            return item
        behind = [other for other in placed[index + 1 : index + _LINES] if other.reading.line != reading.line]
        if self._titles(text, item, line, steps, behind, bool(part)):
            number, mark = (None, "") if part else (item.number, item.item)
            return item._replace(reading=_whole_line(text, reading).as_prose("restated"), number=number, item=mark)
        # "Both partners reach place_1." below step 2, "→ camera_0 points at the target."
        after = next((other for other in behind if other.reading.action is not None), None)
        said = reading.text if reading.action is None else line[peel(line).start :]
        remarks = bool(steps) and _is_beside(item, steps[-1], after)
        # "Next, a regular sandwich for child_5." between steps 8 and 9 leads to the steps behind it.
        leads = not item.item and reading.reason == UNKNOWN_VERB and after is not None and after.number is not None
        remarks = remarks and (leads or self._names_no_more(line, [*steps, after]))
        remarks = remarks and not (reading.unknown or self.grammar.orders(said))
        return item._replace(reading=reading.as_prose("explained (aside)")) if remarks else item

    def _titles(
        self,
        text: str,
        item: PlacedReading,
        line: str,
        before: Sequence[PlacedReading],
        behind: Sequence[PlacedReading],
        part: bool,
    ) -> bool:
        """Whether a line is the title of steps below it: it has no verb but one of theirs, and names no other objects.

        "**Step 2: Load it**" above "Load a onto b", "1. Get the key" above a list of its own, "Set up a at b:". A
        heading without a verb, or behind "#", is one whatever it names.
        """
        heads = line.startswith(("#", "**")) and _HEADING.match(line) is not None
        inner = list(takewhile(lambda other: other.indent > item.indent, behind))
        # A heading stands above what follows up to the next one.
        ends = ("#",) if line[0] == "#" else ("#", "**") if heads else ()
        rest = ((other, _line(text, other.reading)) for other in behind)
        under = takewhile(lambda row: not (row[1].startswith(ends) and _HEADING.match(row[1])), rest)
        near = inner or islice((other for other, _ in under), 6 if line[0] in "#*" or line.endswith(":") else 1)
        below = [other for other in near if other.reading.is_attempt]
        if not below or (line[0] != "#" and below[0].reading.line - item.reading.line > 3):
            return False
        verbs = self.grammar.frames.verbs
        names = {frame.action for word in words_of(line) for frame, _, _ in verbs.get(word.text, ())}
        if line[0] == "#" or part or item.reading.unknown or (heads and not names):
            return line[0] == "#" or not item.reading.unknown
        above = heads or bool(inner) or line.endswith(":")
        listed = below[0].item != "" and item.mark != below[0].mark
        same = any(other.reading.action and other.reading.action.name in names for other in below)
        same = same or (not names and (above or line[0] == "*"))
        return (above or listed) and same and self._names_no_more(line, [*before, *below])

    def _names_no_more(self, text: str, steps: Iterable[PlacedReading | None]) -> bool:
        """Whether a text names no objects but those of steps."""
        actions = (step.reading.action for step in steps if step is not None)
        return self._objects(text) <= {arg for action in actions if action is not None for arg in action.args}

    def _objects(self, text: str) -> set[str]:
        """PDDL's names of the objects that a text names."""
        return {known.pddl for known in self.grammar.objects_in(text)}


def _line(text: str, reading: Reading) -> str:
    """The line that a reading stands on, without blanks around it."""
    begin, stop = text.rfind("\n", 0, reading.start) + 1, text.find("\n", reading.end)
    return text[begin : stop if stop >= 0 else None].strip()


def _whole_line(text: str, reading: Reading) -> Reading:
    """A reading with its line from the beginning."""
    start = text.rfind("\n", 0, reading.start) + 1
    return reading._replace(start=start, text=text[start : reading.end])


def _sentence(text: str, reading: Reading, after: int) -> str:
    """The words of a sentence, or of a part of it, behind an offset and up to the end of a reading."""
    begin = max(text.rfind("\n", after, reading.start) + 1, after)
    begin += peel(text[begin : reading.end]).start if begin > after else 0
    begin = max((begin, *(match.end() for match in _BREAK.finditer(text, begin, reading.start))))
    return text[begin : reading.end]


def _parts(line: str) -> bool:
    """Whether a line parts one plan from another: a rejection, an option, or the heading of a plan or of none."""
    heads = heading_of(line) in (*NO_PLAN_HEADINGS, "plan", "recap")
    return heads or any(says(name, line) for name in ("turns", "rejects", "option", "numbered_plan"))


def _as_step(item: PlacedReading) -> PlacedReading:
    """A doubtful reading as the only action that it may mean."""
    reading = item.reading
    sure = reading.reason == DOUBTED and len(reading.candidates) == 1
    return item._replace(reading=reading.named(reading.candidates[0])) if sure else item


def _is_above(placed: Sequence[PlacedReading], action: GroundAction) -> bool:
    """Whether a step is said again with other marks below the first of these readings."""
    below = takewhile(lambda other: other.mark != placed[0].mark, placed[1:])
    return any(other.reading.action == action for other in below)


def _beside(item: PlacedReading, *ways: int) -> set[tuple[object, ...]]:
    """The places of a list so many items away from one, by numbers or by lines."""
    at = item.number if item.item == "number" and item.number is not None else item.reading.line
    return {(item.block, item.mark, item.outer, at + way) for way in ways}


def _times(text: str, reading: Reading, end: int) -> int:
    """How often the mark behind a step says that it is done: "(×4)"."""
    said = _TIMES.match(text, reading.end, end) if reading.action is not None else None
    if said is None:
        return 1
    told = (said["word"] or said["tens"] or "", said["ones"] or "")
    return int(said["digits"] or said["count"] or sum(int(_NUMBERS[word.lower()][0]) for word in told if word)) or 1


def _is_beside(item: PlacedReading, before: PlacedReading, after: PlacedReading | None) -> bool:
    """Whether a line with other marks than the steps before and behind it stands where no step is missing.

    None is missing between two numbers, and what has marks or is further in speaks of the step above it.
    """
    if item.mark in (before.mark, after.mark if after else None):
        return False
    number = before.number
    goes_on = after is not None and number is not None and (number + 1, before.outer) == (after.number, after.outer)
    return goes_on or item.indent > before.indent or (item.item != "" and number is not None)


def _thinks(reading: Reading) -> bool:
    """Whether a line is a thought that may go on below it: "Thought: …", but not "Goal: …"."""
    return reading.rule == "thought" and not WORDS.thinking.isdisjoint(re.findall(r"\w+", reading.text.lower())[:4])


class _Around(NamedTuple):
    """Where a line stands: between plan tags, below the beginning of a thought, behind the steps ``before``.

    ``expected``: an action must stand here, behind "Action:", say.
    """

    tagged: bool
    in_thought: bool
    expected: bool = False
    before: Steps = ()


_UNPEELED = Peeled(0, False, False, None, "", "", False)


def _reading(text: str, piece: Piece, offset: int, verdict: ClauseReading) -> Reading:
    start = piece.start + offset + verdict.start
    end = piece.start + offset + verdict.end
    read = verdict.status == "read"
    rules: Sequence[str] = verdict.rules and sorted(dict.fromkeys(verdict.rules), key="markup".__ne__)
    understood = bool(verdict.candidates) and verdict.status != "unreadable"
    if not rules and understood:
        # It was read letter by letter.
        rules = ("exact",) if offset == 0 and text[piece.start : piece.end] == text[start:end] else ("markup",)
    return Reading(
        piece.line + text.count("\n", piece.start, start),
        start,
        end,
        text[start:end],
        verdict.status,
        verdict.candidates[0] if read else None,
        () if read else verdict.candidates,
        "+".join(rules) if understood else "",
        verdict.reason,
        verdict.unknown,
        verdict.suggestions,
        verdict.stance,
    )


def _as_written(text: str, reading: Reading) -> Reading:
    """A reading of the clean text with the words of the reply as it was; among noise they are no longer exact."""
    said = text[reading.start : reading.end]
    exact = _line(text, reading) == said == reading.text
    return reading._replace(text=said, rule="markup" if reading.rule == "exact" and not exact else reading.rule)


def _whole(text: str, status: Status, rule: str) -> Reading:
    bare = text.strip()
    begin = text.find(bare) if bare else 0
    return Reading(text.count("\n", 0, begin) + 1, begin, begin + len(bare), bare, status, rule=rule)


def _pairs_below(text: str, pieces: Sequence[Piece]) -> list[tuple[str, str]]:
    """The roles and objects on the lines that are indented below the first piece, or beside it: "Action: move"."""
    named = _ROLE.fullmatch(text, pieces[0].start, pieces[0].end)
    inner = pieces[0].indent if named and named[1].lower() in WORDS.action_nouns else pieces[0].indent + 1
    below = takewhile(lambda other: other.indent >= inner and not other.gap, pieces[1:])
    roles = (_ROLE.fullmatch(text, other.start, other.end) for other in below)
    # The next "Action: …" begins another step.
    found = list(takewhile(lambda role: role is None or role[1].lower() not in WORDS.action_nouns, roles))
    pairs = [(match[1], match[2]) for match in found if match]
    return pairs if len(pairs) == len(found) else []


def _no_action(text: str, piece: Piece, rule: str) -> Reading:
    return Reading(piece.line, piece.start, piece.end, text[piece.start : piece.end], "not-an-action", rule=rule)


def _uncorrected(text: str, readings: Sequence[Reading]) -> list[Reading]:
    """The readings without those that the reply takes back before it goes on."""
    kept: list[Reading] = []
    for reading in readings:
        between = text[kept[-1].end : reading.start].strip() if kept else ""
        if reading.stance == "corrects" or says("corrects", between) or says("rejects", between):
            kept = [] if reading.status in ("read", "ambiguous") else kept
        kept.append(reading)
    return kept
