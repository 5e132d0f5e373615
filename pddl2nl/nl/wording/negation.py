"""The negation of a snippet's text: by one rule for "be", "have" and "can", else by a dependency parse.

Texts are negated before they are filled, so that no object's name is taken for a word. The rule answers only where
the text has one finite verb and that verb is a form of "be", "have" or "can", and where the "not" denies the whole
text. In all other cases the wording's own ``negated`` text is needed, or the fact is denied by "it is not the case
that …".

`with_negations` writes negations by a parse (Stein et al., section 4) into the wording, so that a recorded run does not
depend on the parser: the auxiliary, or else the head of the sentence, takes the "not". There are none where the parse
shows two clauses or a negation. `stanza_parser` needs the extra ``stanza`` and a language model.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from itertools import cycle
from typing import TYPE_CHECKING, cast

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.nl.wording.english import DETERMINERS, PREPOSITIONS, words_of
from pddl2nl.nl.wording.snippets import Snippet, Wording, shape_of
from pddl2nl.pddl.tree import Domain

if TYPE_CHECKING:
    from stanza.models.common.doc import Document, Word

NOT_SO = "it is not the case that "
"""The negation of any sentence begins with this."""

BE = frozenset(("is", "are", "was", "were", "am"))
HAVE = frozenset(("has", "have"))
# Verbs that the rule does not negate, and words beside which it is unclear how much a "not" denies.
_OTHER_VERBS = words_of("does do did will would could should may might must cannot had holds contains")
FINITE = BE | HAVE | _OTHER_VERBS | {"can"}
_UNSURE = words_of(
    "not no never none nothing nobody nowhere neither nor all every everything each everyone everybody some something "
    "somebody someone any anything both either only always often sometimes usually already still yet without but "
    "exactly just even also too most many much few several unless until except that which who whom whose where when "
    "while if because whether what how why so anymore longer enough"
)
_PARTICIPLE = re.compile(r"[a-z]+[^e]ed|been|gone|left|taken|made|done|given|seen|found|chosen|fallen|become|begun")


@lru_cache(maxsize=4096)
def negate(text: str) -> str | None:
    """The negation of a snippet's text, or None where the rule does not apply.

    ``{?x} is at {?y}`` → ``{?x} is not at {?y}``; ``{?x} has {?y}`` → ``{?x} does not have {?y}``; ``{?x} can reach
    {?y}`` → ``{?x} cannot reach {?y}``; ``there is a path`` → ``there is no path``; ``a part is due`` → ``no part is
    due``; ``'p' holds`` → ``'p' does not hold``; ``holding {?x}`` → ``I am not holding {?x}``; ``{?x} is not full`` →
    ``{?x} is full``.
    """
    if re.fullmatch(r"'[^']*' holds", text):
        return f"{text.removesuffix('holds')}does not hold"
    words = whole_sentence(text).split(" ")
    plain = _plain(words)
    at = _main_verb(plain)
    if at is None or not _denies_all(words, plain, at):
        return None
    verb, following = plain[at], plain[at + 1] if at + 1 < len(plain) else ""
    if verb in BE and following == "not":
        affirmed = " ".join((*words[: at + 1], *words[at + 2 :]))
        return affirmed if negate(affirmed) == text else None
    if is_unsure(text) or (verb in BE and following == "to"):
        # "Is not to be moved" would forbid it.
        return None
    if verb in BE and {"there", "here"} & set(plain[:at]):
        return no_such(text) if plain[at - 1] == "there" else None
    if plain[0] in {"a", "an"} and not any(word.startswith("{") for word in plain[:at]):
        # "A part is not due" leaves other parts.
        return " ".join(("no", *words[1:]))
    if verb == "can":
        said = "cannot"
    elif verb in BE:
        said = f"{words[at]} not"
    elif not _PARTICIPLE.fullmatch(following):
        said = "does not have" if verb == "has" else "do not have"
    elif following != "been" and plain[at + 2 : at + 3] and _is_bare_noun(plain[at + 2]):
        # "Has limited fuel", or "has communicated data"?
        return None
    else:
        said = f"{words[at]} not"
    return " ".join((*words[:at], said, *words[at + 1 :]))


def affirm(text: str) -> str | None:
    """What a denied text denies: ``{?x} does not exist`` → ``{?x} exists``; None for other texts."""
    match = re.fullmatch(r"(.+) (does not|do not|is not|are not|cannot) (\w+)(.*)", text)
    if match is None or "," in text or " and " in match[4] or is_unsure(f"{match[1]} {match[3]}{match[4]}"):
        return None
    subject, denied, verb, rest = match.groups()
    if denied == "does not":
        said = {"have": "has", "do": "does"}.get(verb, re.sub(r"(?<=[^aeiou])y$", "ie", verb) + "s")
        said = f"{verb}es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else said
    else:
        said = verb if denied == "do not" else f"{denied.removesuffix('not').strip()} {verb}"
    return f"{subject} {said}{rest}"


def _main_verb(plain: list[str]) -> int | None:
    """Where the only finite verb stands, if it is a form of "be", "have" or "can"."""
    # "The can {?x}" is a thing.
    finite = [
        at
        for at, word in enumerate(plain)
        if word in BE | HAVE | _OTHER_VERBS or (word == "can" and at > 0 and plain[at - 1] not in DETERMINERS - {"one"})
    ]
    if len(finite) == 2 and plain[finite[0]] == "can" and plain[finite[1]] == "have":
        finite.pop()
    if len(finite) != 1 or plain[finite[0]] in _OTHER_VERBS:
        return None
    # Behind a parameter another verb may stand: "{?x} thinks {?y} is open". "The {?x} block is clear" has none.
    for at in range(finite[0]):
        following = plain[at + 1]
        ends_subject = at + 1 == finite[0] or following in PREPOSITIONS | {"and", "there"} or following.startswith("{")
        named = plain[at].startswith("{") and plain[at].endswith("}")
        if named and not ends_subject and (at == 0 or plain[at - 1] not in DETERMINERS):
            return None
    return finite[0]


def whole_sentence(text: str) -> str:
    """A text with the "I" or "I am" that it leaves out: ``holding {?x}`` → ``I am holding {?x}``.

    ``have cheese`` → ``I have cheese``. Any other text is returned as it is.
    """
    words = text.split(" ")
    plain = _plain(words)
    if len(words) > 1 and plain[0] in {"am", "have"}:
        return f"I {text}"
    if len(words) > 1 and plain[0].endswith("ing") and not (BE | HAVE | _OTHER_VERBS) & set(plain):
        return f"I am {text}"
    return text


def is_unsure(text: str) -> bool:
    """Whether a text holds a word that makes it unclear how much a "not" denies: all, only, which …"""
    plain = _plain(re.sub(r"\ban? no ", "a ", text).split(" "))
    return any(word in _UNSURE or "n't" in word for word in plain) or (
        "or" in plain and "than or equal to" not in " ".join(plain)
    )


def no_such(text: str) -> str | None:
    """``there is a path`` → ``there is no path``; None for what is counted, named or pointed at."""
    words = text.split(" ")
    plain = _plain(words)
    if plain.count("there") != 1:
        return None
    at = plain.index("there") + 2
    following = plain[at] if at < len(words) else ""
    if following.startswith("{") and plain[at - 1] == "are":
        # "There are {?n} seats" counts them; "there is {?x}" names one.
        return " ".join((*words[:at], "not", *words[at:]))
    if following in {"a", "an"}:
        return " ".join((*words[:at], "no", *words[at + 1 :]))
    if following in DETERMINERS | PREPOSITIONS or not following.isalpha():
        return None
    return " ".join((*words[:at], "no", *words[at:]))


def _plain(words: list[str]) -> list[str]:
    """The words in small letters without commas; a word in quotation marks is a name and becomes a quotation mark."""
    found = []
    quoted = False
    for word in words:
        bare = word.strip(",;").casefold()
        opens = not quoted and bare[:1] in {"'", '"'}
        found.append("'" if quoted or opens else bare)
        quoted = (quoted or opens) and not (len(bare) > opens and bare[-1] in "'\"")
    return found


def _denies_all(words: list[str], plain: list[str], at: int) -> bool:
    """Whether a "not" at a place denies all that follows: no second predicate is joined to the first."""
    for place in range(at, len(plain)):
        if plain[place] == "and" and not (place + 1 < len(plain) and plain[place + 1].startswith("{")):
            return False
        if words[place].endswith((",", ";")):
            following = plain[place + 1] if place + 1 < len(plain) else ""
            if not (plain[place].startswith("{") and (following.startswith("{") or following == "and")):
                return False
    return True


def _is_bare_noun(word: str) -> bool:
    return word.isalpha() and word not in PREPOSITIONS | DETERMINERS


# ── by a dependency parse ────────────────────────────────────────────────────────────────────────

Parser = Callable[[str], "Document"]
"""Makes a stanza Document, tokens with head, relation, part of speech, lemma and features, of a sentence."""

_NAMES = ("Anna", "Berta", "Clara", "Dora", "Emma", "Frieda", "Greta", "Hanna", "Ida", "Johanna", "Klara", "Lena")
_CLAUSES = frozenset(("acl:relcl", "advcl", "ccomp", "csubj", "expl", "parataxis"))
_TAKE_NOT = BE | HAVE | {"had", "does", "do", "did", "will", "would", "could", "may"}


@cache
def stanza_parser(folder: str | None = None) -> Parser:
    """Stanza's English pipeline, loaded once for the whole process; it never downloads anything.

    Args:
        folder: with the language models; by default stanza's own.

    Raises:
        MissingExtraError: stanza is not installed.
        InputError: its language model is missing; the message has the command that downloads it.
    """
    try:
        import stanza
    except ImportError as error:
        raise MissingExtraError("stanza", "stanza", "negation by a dependency parse") from error
    place = {} if folder is None else {"model_dir": folder}
    try:
        return cast(
            "Parser",
            stanza.Pipeline(
                "en",
                processors="tokenize,mwt,pos,lemma,depparse",
                download_method=None,
                use_gpu=False,
                verbose=False,
                **place,
            ),
        )
    except (FileNotFoundError, KeyError, ValueError) as error:
        where = "" if folder is None else f", model_dir='{folder}'"
        raise InputError(
            "negation by a dependency parse needs stanza's English model: "
            f"python -c \"import stanza; stanza.download('en'{where})\""
        ) from error


def with_parsed_negations(wording: Wording, domain: Domain, parser: Callable[[], Parser] = stanza_parser) -> Wording:
    """The same wording with a ``negated`` text for each predicate that neither it nor the rules can negate.

    The parser is made at the first sentence. A negation that a parse gives is kept only where no predicate says it
    already, plainly or negated; which predicates got one stands in ``source["parsed_negations"]``. Without any, the
    wording is returned as it is.
    """
    snippets = wording.predicates.values()
    shapes = {shape_of(text) for item in snippets for text in (item.text, item.negated) if text is not None}
    found: dict[str, Snippet] = {}
    for predicate in domain.predicates:
        snippet = wording.predicates.get(predicate.name)
        if snippet is None or snippet.text is None or snippet.negated is not None or negate(snippet.text) is not None:
            continue
        negated = negate_by_parse(snippet.text, parser()(parsed_text(snippet)))
        if negated is not None and shape_of(negated) not in shapes:
            shapes.add(shape_of(negated))
            found[predicate.name] = replace(snippet, negated=negated)
    if not found:
        return wording
    source = {**wording.source, "parsed_negations": list(found)}
    return replace(wording, predicates={**wording.predicates, **found}, source=source)


def with_negations(wording: Wording, domain: Domain, way: str) -> Wording:
    """The wording with negations by stanza's parse, as far as asked for.

    Args:
        wording: the wording.
        domain: its domain.
        way: ``rules`` leaves the wording as it is; ``stanza`` needs stanza and its English model; ``auto`` uses them
            where they are installed.

    Raises:
        MissingExtraError: ``stanza``, and stanza is not installed.
        InputError: ``stanza``, and its English model is missing.
    """
    if way == "rules":
        return wording
    try:
        return with_parsed_negations(wording, domain)
    except InputError:
        if way == "auto":
            return wording
        raise


def parsed_text(snippet: Snippet) -> str:
    """The sentence that is parsed for a snippet: names in the places of its parameters, and a full stop."""
    text = snippet.text or ""
    # Names that the text does not hold itself.
    names = cycle(name for name in _NAMES if name.casefold() not in text.casefold())
    return snippet.fill([next(names) for _ in snippet.parameters]) + "."


def negate_by_parse(text: str, document: Document) -> str | None:
    """The negation of a snippet's text by the parse of `parsed_text`; None where that shows no sure one.

    ``the robot {?x} reaches {?y}`` → ``the robot {?x} does not reach {?y}``.
    """
    words = document.sentences[0].words
    root = next(word for word in words if word.head == 0)
    second = any(word.deprel in _CLAUSES or (word.deprel == "conj" and word.head == root.id) for word in words)
    denied = any("Polarity=Neg" in (word.feats or "") for word in words)
    below = [word for word in words if word.head == root.id]
    subjects = [word.id for word in below if (word.deprel or "").startswith("nsubj")]
    # "A cable hangs" is denied by "no cable hangs".
    some = any(word.text.casefold() in {"a", "an"} and word.head in subjects for word in words)
    if len(document.sentences) > 1 or second or denied or some or is_unsure(text):
        return None
    auxiliaries = [word for word in below if (word.deprel or "").startswith(("aux", "cop"))]
    if auxiliaries:
        verb = auxiliaries[0]
        said = f"{verb.text} not" if verb.text in _TAKE_NOT else None
    else:
        verb = root
        said = _denied(root) if subjects else None
    # The verb must stand in the text once, and be no name of a parameter.
    places = list(re.finditer(rf"(?<![\w{{?-]){re.escape(verb.text)}(?![\w}}-])", text))
    return f"{text[: places[0].start()]}{said}{text[places[0].end() :]}" if said and len(places) == 1 else None


def _denied(verb: Word) -> str | None:
    feats = dict(pair.split("=") for pair in (verb.feats or "").split("|") if pair)
    lemma = (verb.lemma or "").casefold()
    if verb.upos != "VERB" or feats.get("VerbForm") != "Fin" or lemma[:1] != verb.text[:1].casefold():
        return None
    if feats.get("Tense") == "Past":
        return f"did not {lemma}"
    return f"does not {lemma}" if feats.get("Person") == "3" and feats.get("Number") == "Sing" else f"do not {lemma}"
