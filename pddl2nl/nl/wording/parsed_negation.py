"""The negation of a snippet by its dependency parse: the auxiliary, or else the head of the sentence, takes the "not".

For texts that the rule of `pddl2nl.nl.wording.negation` does not cover (Stein et al., section 4). A snippet is parsed
with names in place of its parameters. There is no answer where the parse shows two clauses or a negation.

`with_negations` writes the negations into the wording, so that a recorded run does not depend on the parser.
`stanza_parser` needs the extra ``stanza`` and a language model.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import cycle
from typing import TYPE_CHECKING, cast

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.nl.wording.negation import BE, HAVE, is_unsure, negate
from pddl2nl.nl.wording.snippets import Snippet, Wording, shape_of
from pddl2nl.pddl.tree import Domain

if TYPE_CHECKING:
    from stanza.models.common.doc import Document, Word

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
    # "A cable hangs" is denied by "no cable hangs".
    if len(document.sentences) > 1 or second or denied or is_unsure(text) or text.startswith(("a ", "an ")):
        return None
    below = [word for word in words if word.head == root.id]
    auxiliaries = [word for word in below if (word.deprel or "").startswith(("aux", "cop"))]
    if auxiliaries:
        verb = auxiliaries[0]
        said = f"{verb.text} not" if verb.text in _TAKE_NOT else None
    else:
        verb = root
        said = _denied(root) if any((word.deprel or "").startswith("nsubj") for word in below) else None
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
