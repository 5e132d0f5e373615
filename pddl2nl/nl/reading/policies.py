"""The plan of a reply: which of its action lines are the plan, by one rule in one place.

1. Candidates are blocks of steps: what stands between plan tags, a list, code marks, lines, or prose.
2. A block is no candidate where its own heading says so in a whole phrase: the state, the goal, rules, an example, an
   explanation or check, actions that could be taken, or a plan that is wrong.
3. Numbering that goes on continues a plan, and so does a block under a title that speaks of no plan ("Phase 2")
   or in a list item of its own ("* truck_2 goes to b:" above "1. …"), even if it does what an earlier part did.
4. A block that is tagged or follows a rejection ("no, …:") takes the place of those before, and so does one that is
   announced ("my plan is:") and says at least half of them again; else it is a part ("Now the remaining steps:").
5. Any other block that says nothing but steps of the plan before it only explains it.
6. Tagged blocks come before others, unless the reply rejects them.
7. Numbering that goes back by some steps behind a rejection ("3. … wait. 3. …") mends the plan from there on. A
   correction by a step's number ("Correction to step 2: …") takes the place of that step, or is reported there.
8. Of options the one that the reply says it takes counts; without such words all are reported.
9. A plan that the reply rejects, and does not replace, is reported, and so are steps where there is no candidate.
10. What may be a step and cannot be read is reported where it stands in the plan.

A policy is a named, documented, versioned object, so that a record can say under which rule a plan was taken out of a
reply. Lines that a policy leaves out stay in the readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from pddl2nl.nl.reading.formal import UNKNOWN_VERB
from pddl2nl.nl.reading.readings import ARROWS, OFFERED, TAILED, UNDECIDED, PlacedReading, reported
from pddl2nl.nl.reading.segments import NO_PLAN_HEADINGS, heading_of
from pddl2nl.nl.reading.stance import amended
from pddl2nl.nl.reading.words import WORDS, says, word_table
from pddlval import GroundAction

Placed = Sequence[PlacedReading]


@dataclass(frozen=True)
class ReadingPolicy:
    """A rule that chooses a reply's plan; ``version`` grows whenever its choice can change.

    ``choose`` takes all readings with their layout, and the ranks of the stretches between plan tags (`Layout`), and
    gives the chosen readings in order.
    """

    name: str
    version: int
    description: str
    choose: Callable[[Placed, Sequence[int]], Placed]


# ── blocks of steps ──────────────────────────────────────────────────────────────────────────────


@dataclass
class _Steps:
    """A block of attempts: a candidate for the plan, or a part of one.

    ``rank``: which plan tags are around it; ``words``: what the reply says between the block before it and this one;
    ``restarts``: its numbering begins anew; ``rejected``: the reply says behind it that it is wrong; ``parts``: which
    part of a plan it is, by the nouns or marks of parts.
    """

    rank: int
    words: list[str]
    restarts: bool
    items: list[PlacedReading] = field(default_factory=list)
    rejected: bool = False
    parts: Mapping[str, int] = field(default_factory=dict)

    @property
    def actions(self) -> list[GroundAction]:
        return [item.reading.action for item in self.items if item.reading.action is not None]

    @property
    def holds_action(self) -> bool:
        return any(item.reading.status in ("read", "ambiguous") for item in self.items)

    @property
    def listed(self) -> bool:
        # A step in quotes is none of a list.
        return any(item.mark not in ("", '"None') for item in self.items)

    @property
    def heading(self) -> str:
        return next((kind for text in self.words[:-3:-1] if (kind := heading_of(text))), "")

    @property
    def announced(self) -> bool:
        """Whether the words before it announce a plan, or turn away from the one before."""
        return self.heading == "plan" or any(turns_away(text) for text in self.words)

    @property
    def is_option(self) -> bool:
        """Whether it is one of several plans: "Option 2:", "Or:", perhaps with "### Step 1" below."""
        # "My final plan follows option 2:" is no option, but the plan.
        follows = any(says("follows_option", text) for text in self.words[-1:])
        named = not follows and any(says("option", text) for text in self.words[-2:])
        return named or self.items[0].item == "option"


def turns_away(text: str) -> bool:
    """Whether words turn away from the plan before them: "That is wrong.", "A shorter one:"."""
    return says("revises", text) is not None and heading_of(text) not in NO_PLAN_HEADINGS


def _follows(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether a list number is the next one: 4 behind 3, 1.2 behind 1.1, 2.1 behind 1.2."""
    if not number or len(number) != len(last):
        return False
    if number[:-1] == last[:-1]:
        return number[-1] == last[-1] + 1
    return _follows(number[:-1], last[:-1])


def _blocks(placed: Placed, ranks: Sequence[int]) -> tuple[list[_Steps], list[str]]:
    """The attempts in blocks, and the words behind the last one.

    Blocks are cut at plan tags, where numbering restarts, and where words announce or reject a plan.
    """
    blocks: list[_Steps] = []
    words: list[str] = []
    above: PlacedReading | None = None
    over: PlacedReading | None = None
    parted = False
    # The mark of a list of prose since the last words, and where the last attempt of each line begins.
    other = ""
    ends = {item.reading.line: item.reading.start for item in placed if item.reading.is_attempt}
    for item in placed:
        reading = item.reading
        if not reading.is_attempt:
            over = item if item.item else over
            other = item.mark or other
            if item.number is not None and reading.rule in ("label", "prose") and item.item != "option":
                # "Step 3:" stands above its action.
                above = item
            # Of "…, and since nothing needs to go elsewhere, sail to b" behind a step only the step counts.
            inside = blocks and blocks[-1].items[-1].reading.line == reading.line and reading.start < ends[reading.line]
            if _speaks(item) and not (reading.stance and inside):
                words, parted, other = [*words, reading.text], parted or item.gap, ""
            continue
        if blocks and reading.changes_steps:
            blocks[-1].items = _changed(blocks[-1].items, item)
            continue
        if above is not None and (item.number is None or item.item == "option"):
            item = item._replace(number=above.number, outer=above.outer)
        over = over if over and item.place and over.indent < item.indent else None
        restarts = bool(blocks) and _restarts(blocks[-1].items, item, inner=over is not None)
        # The number of a part by its noun, and the line of the list item above a part
        parts = dict([part_of(words[-1] if words else "")])
        parts |= {f"{over.item} {over.indent}": over.reading.line} if over else {}
        if words and other not in ("", item.mark) and words[-1].endswith(":"):
            # "Initial positions:" stands above a list of its own.
            words = [*words[:-1], words[-1].rstrip(":") + "."]
        # "* Better:" above "1. …"
        words = words or ([over.reading.text if _announces(over.reading.text) else ""] if over else [])
        if not blocks or restarts or not _goes_on(blocks[-1], item, words, parted):
            blocks.append(_Steps(ranks[item.block], words, restarts, parts=parts))
        blocks[-1].items.append(item)
        first, *rest = blocks[-1].items[:4]
        again = len(rest) == 2 and first.place == rest[0].place and _follows(item.place, first.place)
        if again and rest[0].gap and first.reading.line < rest[0].reading.line:
            # "1. …" alone, and "1. … 2. …" below it: a list that numbers each item by 1 does not go on with 2.
            blocks[-1:] = [replace(blocks[-1], items=[first]), replace(blocks[-1], words=[], restarts=True, items=rest)]
        above = None if item.place else above
        over, words, parted, other = None, [], False, ""
    return blocks, words


_PART = re.compile(r"\W*(?:([A-Za-z]+) #?(\d+|[A-E])\b|((?i:first|second|third|fourth|fifth)) ([a-z]+))")


def part_of(title: str) -> tuple[str, int]:
    """The noun and the number of a part of a plan ("Phase 2", "Second trip"); nothing and 0 for no such title."""
    said = _PART.match(title)
    noun, number = ((said[1] or said[4]).lower(), (said[2] or said[3]).lower()) if said else ("", "")
    if not noun or noun in WORDS.plan_nouns:
        return "", 0
    return noun, int(number) if number.isdigit() else _PLACES[number] + 1


def _announces(text: str) -> bool:
    """Whether words announce another plan, or none: "Attempt 2:", "Better:", "Check:", but not "Out again:"."""
    plan = not WORDS.plan_nouns.isdisjoint(text.lower().split())
    return plan or turns_away(text) or heading_of(text) in NO_PLAN_HEADINGS


def _speaks(item: PlacedReading) -> bool:
    """Whether prose may say something of the steps below or above it."""
    text = item.reading.text
    # "**Phase 2: Delivery**" is a title with any number.
    titled = item.item == "number" and heading_of(text) != ""
    # The language of code marks ("```plan") announces nothing.
    # Comments in code part no steps, but for "# alternative plan".
    comment = item.mark.startswith("fence") and WORDS.plan_nouns.isdisjoint(re.findall(r"\w+", text.lower()))
    plain = re.match(r"(?!```).*\w", text) and not comment
    said = plain and (item.reading.rule != "thought" or text.rstrip(" *_`").endswith(":"))
    return bool(said) and (item.item in ("", "option") or titled)


def _changed(items: list[PlacedReading], item: PlacedReading) -> list[PlacedReading]:
    """The steps with those replaced that one changes by their numbers ("Wait, in step 2 it must be c.")."""
    numbers = amended(item.reading.stance or item.reading.text)
    place = next((place for place, other in enumerate(items) if other.number in numbers), len(items))
    item = item._replace(number=items[place].number if items[place:] else None)
    return [*items[:place], item, *(other for other in items[place:] if other.number not in numbers)]


def _numbers(items: Iterable[PlacedReading]) -> tuple[int, ...]:
    """The first number among steps; empty without any."""
    return next((item.place for item in items if item.place), ())


def _restarts(items: Sequence[PlacedReading], item: PlacedReading, *, inner: bool) -> bool:
    """Whether numbering begins anew with a step behind others, or an option does; ``inner``: below a list item."""
    if item.reading.line == items[-1].reading.line or not item.place:
        return item.item == "option" and item.reading.line != items[-1].reading.line
    first, last = _numbers(items), _numbers(reversed(items))
    # A list begins behind sentences that say actions, and may number each item by 1.
    return item.place < last or (item.place == last and (inner or last != first)) if last else item.place[-1] <= 1


def _goes_on(block: _Steps, item: PlacedReading, words: Sequence[str], parted: bool) -> bool:
    """Whether a step belongs to the block before it, behind such words, ``parted`` from it by a blank line or not."""
    last = block.items[-1]
    if item.block != last.block or (item.place and _follows(item.place, _numbers(reversed(block.items)))):
        return item.block == last.block
    if block.rank == 3:
        return not any(heading_of(text) == "plan" or says("rejects", text) for text in words)
    apart = item.gap and not item.place and item.reading.line != last.reading.line
    return not (parted or apart or any(heading_of(text) or turns_away(text) for text in words))


# ── the plan ─────────────────────────────────────────────────────────────────────────────────────


def _default(placed: Placed, ranks: Sequence[int]) -> Placed:
    """The plan by the rule of this module, with what is reported in the prose of it."""
    told = [
        item._replace(reading=item.reading.as_prose(item.reading.stance)) if item.doubt else item for item in placed
    ]
    return _with_doubts(_chosen(told, ranks), placed)


def _chosen(placed: Placed, ranks: Sequence[int]) -> Placed:
    blocks, behind = _blocks(_without_restatements(placed), ranks)
    if not blocks:
        return _reported([item for item in placed if item.reading.rule == "offered"], OFFERED)
    for block, after in zip(blocks, [*(other.words for other in blocks[1:]), behind], strict=True):
        block.rejected = any(says("rejects", text) for text in after)
    options = _options(blocks, behind)
    if options is not None:
        return options
    # "Let's break it down:" explains no other plan where there is none.
    explained = all(block.heading in NO_PLAN_HEADINGS for block in blocks if block.holds_action)
    ruled_out = {*NO_PLAN_HEADINGS} - {"explains"} if explained else NO_PLAN_HEADINGS
    plan: _Steps | None = None
    for block in blocks:
        if block.heading not in ruled_out:
            plan = block if plan is None else _follow(plan, block)
    if plan is not None and not plan.rejected:
        return plan.items
    dropped = [item for block in blocks if block.holds_action or block is plan for item in block.items]
    return _reported(plan.items if plan else dropped, OFFERED)


def _reported(items: Placed, reason: str) -> list[PlacedReading]:
    """Steps that were read and are not the plan, as attempts that failed."""
    failed = (item.reading._replace(action=None, candidates=(), reason=reason) for item in items)
    return [item._replace(reading=reported(reading)) for item, reading in zip(items, failed, strict=True)]


def _follow(plan: _Steps, block: _Steps) -> _Steps:
    """What counts of a plan and a block behind it: the block, the plan that it only explains, or both as one."""
    both = replace(
        plan, items=[*plan.items, *block.items], rejected=block.rejected, parts={**plan.parts, **block.parts}
    )
    at_once = block.items[0].reading.line <= plan.items[-1].reading.line + 1
    if not block.holds_action:
        # "**At depot_1**" with steps that cannot be read is a part of the plan: they are reported.
        known = block.heading == "plan" or any(item.reading.reason != UNKNOWN_VERB for item in block.items)
        near = at_once or (block.listed and plan.listed)
        # "In short: 1. Unstack Y from O" says the plan again in initials.
        initials = len(block.items) <= len(plan.actions) and all(
            item.reading.unknown and all(len(name) == 1 for name in item.tries) for item in block.items
        )
        # "The key steps are:" may stand behind a tagged plan.
        counts = known and near and not initials and (not block.announced or block.rank >= plan.rank)
        return both if counts else plan
    if block.rank < plan.rank and not plan.rejected:
        return plan
    if not plan.holds_action or block.rank > plan.rank:
        return block
    here, before = {*block.actions}, {*plan.actions}
    if block.heading == "recap" and here <= before:
        return block if block.actions == plan.actions else plan
    turns = any(map(turns_away, block.words))
    first = dict.fromkeys(WORDS.part_nouns, 1)
    further = any(number > plan.parts.get(part, first.get(part, number)) for part, number in block.parts.items())
    if further and not (turns or plan.rejected or any(map(_announces, block.words[:-1]))):
        # "Phase 3: Back again" does what phase 1 did.
        return both
    # "Phase 1" begins the plan: what stands before it led there.
    begins = any(first.get(part) == number and part not in plan.parts for part, number in block.parts.items())
    if not begins and (mended := _mended(plan, block)):
        return mended
    tagged = block.rank == 3 and block.items[0].block != plan.items[0].block
    # "Now the remaining steps:" announces further ones, if less than half of them were said before.
    again = 2 * len(here & before) >= min(len(here), len(before)) or block.listed != plan.listed
    again = again or any(says("numbered_plan", text) or says("whole_plan", text) for text in block.words[-1:])
    if begins or plan.rejected or turns or tagged or (block.announced and again):
        return block
    if _is_part(block.actions, plan.actions):
        return plan
    # "1. … 2. …" and at once "1. …" again; what stands between may be a title that was taken for an attempt.
    anew = at_once and plan.items[-1].reading.action is not None
    anew = block.restarts and not block.words and (anew or not here.isdisjoint(before))
    # "**The movie**" above sentences, and "**The snacks**" above a list
    titled = all(part.words and part.words[-1].lstrip().startswith(("#", "**")) for part in (plan, block))
    # "**Get the snacks.** Any of them will do:" above a list goes on with the sentences before it.
    goes_on = (titled and here.isdisjoint(before)) or (block.words and _SENTENCE.match(block.words[-1]))
    listed = block.listed and not plan.listed and not goes_on
    return block if anew or listed or _is_part(plan.actions, block.actions) else both


_SENTENCE = re.compile(r"\*\*[^*]+[.:!]\*\* \w")


def _is_part(some: Sequence[GroundAction], of: Sequence[GroundAction]) -> bool:
    """Whether actions come in the same order in another sequence."""
    rest = iter(of)
    return all(action in rest for action in some)


def _mended(plan: _Steps, block: _Steps) -> _Steps | None:
    """The plan with its end replaced: "3. … Wait, that fails. 3. …"."""
    number = next((item.number for item in block.items if item.number is not None), 0)
    # "2. stack a on b (invalid)" is rejected by its own line.
    rejected = plan.rejected or block.announced or plan.items[-1].reading.stance == "rejected"
    if not block.restarts or number < 2 or not rejected:
        return None
    kept = [item for item in plan.items if item.number is None or item.number < number]
    return replace(plan, items=[*kept, *block.items], rejected=block.rejected)


# ── options ──────────────────────────────────────────────────────────────────────────────────────

_PLACES = {name: int(place) for place, names in word_table("ordinals").items() for name in names}


def _options(blocks: Sequence[_Steps], behind: Sequence[str]) -> Placed | None:
    """The option that the reply takes, or all of them, reported, where it takes none; None where it offers none."""
    plans = [block for block in blocks if block.holds_action]
    options = [block for block in plans if block.is_option]
    said = (*behind, *(text for block in blocks for text in block.words))
    if not options and any(says("left_open", text) for text in said):
        options = [block for block in plans if any(says("numbered_plan", text) for text in block.words[-1:])]
    if len(options) < 2 or options[-1] is not plans[-1]:
        return None
    # "I choose option B:" above both, or behind them.
    for words in (behind, *(block.words for block in reversed(options))):
        if (index := chosen_option(". ".join(words), len(options))) is not None:
            return options[index].items
    for block in options:
        # "Option B (recommended):"
        if any(says("recommended", text) for text in block.words[-2:]):
            return block.items
    if any(block.rejected for block in blocks):
        return None
    items = [item for block in options for item in block.items]
    return _reported(items, UNDECIDED)


def chosen_option(text: str, count: int) -> int | None:
    """Of so many options the index of the one that a text says is taken; None without such words."""
    chosen = None
    for sentence in re.findall(r"[^.!?\n]+", text):
        takes = says("takes", sentence)
        for match in re.finditer(r"\w+", sentence) if takes else ():
            place = _PLACES.get(match[0].lower(), count)
            # "A" may be an article.
            if takes and place < count and (match.start() > takes.start() or len(match[0]) > 1 or match[0].isupper()):
                chosen = place % count
    return chosen


# ── the other policies ───────────────────────────────────────────────────────────────────────────


def _all(placed: Placed, ranks: Sequence[int]) -> Placed:
    """The readings of the last stretch between plan tags that holds an action, or of the whole reply.

    A stretch with both tags comes before one that only ends in a tag (its start tag may be the prompt's last word),
    and that before one that only begins with a tag.
    """
    plain = [item for item in placed if not item.doubt]
    holding = {item.block for item in plain if item.reading.status in ("read", "ambiguous")}
    rank, index = max(((ranks[index], index) for index in holding), default=(0, 0))
    inside = [item for item in plain if not rank or item.block == index]
    return _with_doubts([item for item in _without_restatements(inside) if item.reading.is_attempt], placed)


def _planbench(placed: Placed, ranks: Sequence[int]) -> Placed:
    kept: list[PlacedReading] = []
    for item in placed:
        # PlanBench splits lines at blanks and knows an action's first word only where no mark but a star clings to
        # it: of a step in bold and, under it, the same in code marks it counts one.
        above = kept[-1] if kept else item
        again = item.coded and item.indent > above.indent and item.reading.action == above.reading.action is not None
        worded = "reworded" not in item.reading.rule.split("+")
        if item.reading.status in ("read", "ambiguous", "unknown-object") and worded and not again:
            kept.append(item)
    return kept


# ── what stands beside the steps ─────────────────────────────────────────────────────────────────


def _without_restatements(placed: Placed) -> list[PlacedReading]:
    """The readings without those that only explain a step: the same action again under its title, or behind it.

    The title is the first action of a list item. What follows in the item, in sentences or lines of its own, counts if
    it says another action; a failed attempt on an indented line is part of the explanation. A title that comes again
    behind other steps of its item announces them, and is no step.
    """
    kept: list[PlacedReading] = []
    title: PlacedReading | None = None
    several = False
    for item in placed:
        reading = item.reading
        same_line = title is not None and reading.line == title.reading.line
        below = title is not None and item.indent > title.indent
        if item.item != "" and not same_line and not below:
            title, several = item if reading.status == "read" else None, False
        elif title is not None and several and below and reading.action == title.reading.action:
            # "2. Stack a on b:" above "- Pick up a" and "- Stack a on b" is the title of both.
            kept.remove(title)
            title = None
        elif title is not None and not several and reading.is_attempt:
            step = title.reading.action
            done = {*step.args} if step else set[str]()
            # "- You put down a temporarily to get at b." below "1. Put down a"
            failed = (same_line or below) and (item.tries <= done or (reading.reason == TAILED and item.tries >= done))
            again = reading.action == step if reading.status == "read" else failed
            if again and (item.apart or not same_line):
                continue
            several = below and reading.status == "read"
            title = title if same_line or several else None
        if kept and reading.action is not None and reading.action == kept[-1].reading.action:
            last = kept[-1]
            if item.mark != last.mark and item.item != last.item and item.block == last.block:
                # "### Step 3: Pick up a" above "- Action: pick up a from the table"
                kept[-1] = item
                continue
        kept.append(item)
    return kept


_CALL = re.compile(r"\b[\w-]+\([^()`]*(?:\)|\Z)")


def _with_doubts(chosen: Placed, placed: Placed) -> Placed:
    """The chosen readings and the doubtful ones among them, or on a line beside them; all doubtful ones without any."""
    if not any(item.doubt for item in placed):
        return chosen
    if not chosen:
        return [item for item in placed if item.doubt]
    # What stands below a step, further in, explains it, but for an order behind an arrow.
    deep = min(item.indent for item in chosen) + 2
    first, last = chosen[0].reading.line - 1, chosen[-1].reading.line + 1
    plan = [*chosen]
    for doubt in (item for item in placed if item.doubt and item.block == chosen[0].block):
        # A call in code marks that is not read is reported wherever it stands.
        near = first <= doubt.reading.line <= last or _CALL.search(doubt.reading.text)
        if not near or (doubt.indent >= deep and doubt.item not in ARROWS):
            continue
        # A step that takes the place of another one stands behind it in the reply.
        behind = (at for at, item in enumerate(plan) if item.reading.start > doubt.reading.start)
        plan.insert(next(behind, len(plan)), doubt)
    return plan


READING_POLICIES: Mapping[str, ReadingPolicy] = MappingProxyType(
    {
        policy.name: policy
        for policy in (
            ReadingPolicy(
                "default",
                21,
                "The last block of steps that is tagged ([PLAN] … [PLAN END]), announced or follows a rejection; "
                "tagged blocks come first. An announced block that says less than half of the plan before it again is "
                "a further part of it. A block whose heading says that it is no plan does not count, and what only "
                "says the plan's steps again adds nothing. Options without a choice, and a rejected plan without "
                "another one, are reported.",
                _default,
            ),
            ReadingPolicy(
                "all",
                8,
                "Every action line of the marked plan (as in default); without one, of the whole reply. A step "
                "said again on an indented line below it counts once.",
                _all,
            ),
            ReadingPolicy(
                "planbench",
                7,
                "Every line that says an action, anywhere in the reply, PDDL lines too; tags are ignored, and lines in "
                "which no action can be made out are skipped, as PlanBench's own extraction does. A step said again in "
                "code marks on an indented line below it counts once.",
                _planbench,
            ),
        )
    }
)
"""The reading policies by name."""
