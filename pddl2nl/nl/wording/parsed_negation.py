"""The negation of a snippet by its dependency parse: the finite verb of the sentence's head takes the "not".

For texts that the rule of `pddl2nl.nl.wording.negation` does not cover. A snippet is parsed with names in place of its
parameters; only the head, its auxiliaries and its subject count (Stein et al., section 4). There is no answer where
the parse shows two clauses, a quantifier, or an unclear form.

`with_parsed_negations` writes the negations into the wording, so that a recorded run does not depend on the parser.
`stanza_parser` needs the extra ``stanza`` and a language model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, cast

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.nl.wording.negation import BE, HAVE, is_unsure, negate, no_such
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl.tree import Domain

if TYPE_CHECKING:
    from stanza.models.common.doc import Document, Word

Parser = Callable[[str], "Document"]
"""Makes a stanza Document, tokens with head, relation, part of speech, lemma and features, of a sentence."""

_NAMES = ("Anna", "Berta", "Clara", "Dora", "Emma", "Frieda", "Greta", "Hanna", "Ida", "Johanna", "Klara", "Lena")
_CLAUSES = frozenset(("advcl", "ccomp", "csubj", "parataxis"))
_STATES = frozenset(("have", "hold", "carry", "own", "possess", "need", "know", "contain", "want", "like", "wear"))
_TAKE_NOT = BE | HAVE | {"had"} | {"does", "do", "did", "will", "would", "could", "may"}


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
    shapes = {item.shape for item in wording.predicates.values() if item.text is not None}
    shapes |= {_shape(item, item.negated) for item in wording.predicates.values() if item.negated is not None}
    found: dict[str, Snippet] = {}
    for predicate in domain.predicates:
        snippet = wording.predicates.get(predicate.name)
        if snippet is None or snippet.text is None or snippet.negated is not None or negate(snippet.text) is not None:
            continue
        negated = negate_by_parse(snippet.text, snippet.parameters, parser()(parsed_text(snippet)))
        if negated is not None and _shape(snippet, negated) not in shapes:
            shapes.add(_shape(snippet, negated))
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


def _shape(snippet: Snippet, text: str) -> str:
    return Snippet(snippet.name, snippet.parameters, text).shape


def parsed_text(snippet: Snippet) -> str:
    """The sentence that is parsed for a snippet: names in the places of its parameters, and a full stop."""
    return _said(snippet.text or "", _names(snippet.text or "", snippet.parameters)) + "."


def negate_by_parse(text: str, parameters: Sequence[str], document: Document) -> str | None:
    """The negation of a snippet's text by the parse of `parsed_text`; None where that shows no sure one.

    ``the robot {?x} reaches {?y}`` → ``the robot {?x} does not reach {?y}``.
    """
    names = _names(text, parameters)
    sentence = _said(text, names)
    starts = _starts(document, sentence)
    if starts is None or is_unsure(text):
        return None
    words = [word for word in document.sentences[0].words if word.id in starts]
    root = next(word for word in words if word.head == 0)
    if any(word.text.casefold() == "there" for word in _children(words, root, "expl")):
        return no_such(text)
    edit = _edit(words, root)
    if edit is None or edit[0].text in names.values():
        return None
    word, said = edit
    start = starts[word.id]
    negated = sentence[:start] + said + sentence[start + len(word.text) :]
    for parameter, name in names.items():
        negated = negated.replace(name, f"{{{parameter}}}")
    return negated


def _names(text: str, parameters: Sequence[str]) -> dict[str, str]:
    """A name for each parameter that the text does not hold itself."""
    free = [name for name in _NAMES if name.casefold() not in text.casefold()]
    return {parameter: free[place % len(free)] for place, parameter in enumerate(parameters)}


def _said(text: str, names: Mapping[str, str]) -> str:
    for parameter, name in names.items():
        text = text.replace(f"{{{parameter}}}", name)
    return text


def _starts(document: Document, sentence: str) -> dict[int, int] | None:
    """Where each word of the parse stands in the sentence; None unless the parse is of it, with one head."""
    if len(document.sentences) != 1:
        return None
    found: dict[int, int] = {}
    at = 0
    for word in document.sentences[0].words:
        start = sentence.find(word.text, at)
        if start >= 0:
            found[word.id] = start
            at = start + len(word.text)
        elif word.upos != "PUNCT":
            return None
    return found if [word.head for word in document.sentences[0].words].count(0) == 1 else None


def _children(words: Sequence[Word], head: Word, *relations: str) -> list[Word]:
    """The words below one, by the part of their relation before the colon."""
    return [word for word in words if word.head == head.id and (word.deprel or "").split(":")[0] in relations]


def _feats(word: Word) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in (word.feats or "").split("|"))
    return {name: value for name, _, value in pairs}


def _edit(words: Sequence[Word], root: Word) -> tuple[Word, str] | None:
    """The word whose replacement negates the sentence, and what replaces it; None where none is sure."""
    for word in words:
        relation = (word.deprel or "").split(":")[0]
        second = relation == "conj" and word.head == root.id
        if relation in _CLAUSES or word.deprel == "acl:relcl" or second or _feats(word).get("Polarity") == "Neg":
            return None
    subjects = _children(words, root, "nsubj")
    for subject in subjects:
        # "A cable hangs" is denied by "no cable hangs", unless a name makes it a definite one.
        named = any(word.upos == "PROPN" for word in _children(words, subject, "appos", "flat", "compound", "nmod"))
        for article in _children(words, subject, "det"):
            if article.text.casefold() in {"a", "an"} and not named and subject.upos != "PROPN":
                return article, "no"
    auxiliaries = _children(words, root, "aux", "cop")
    if not auxiliaries:
        said = _verb(root, has_subject=bool(subjects))
        return None if said is None else (root, said)
    first = auxiliaries[0]
    if first.id > root.id or (plain := first.text.casefold()) not in {*_TAKE_NOT, "can"}:
        return None
    return first, "cannot" if plain == "can" else f"{first.text} not"


def _verb(word: Word, *, has_subject: bool) -> str | None:
    """The negation of a head without auxiliary, by its form."""
    feats = _feats(word)
    form, tense = feats.get("VerbForm"), feats.get("Tense")
    lemma = (word.lemma or "").casefold()
    if word.upos not in {"VERB", "AUX"} or not lemma.isalpha() or lemma[:1] != word.text[:1].casefold():
        return None
    if lemma == "be":
        return f"{word.text} not" if word.text in BE else None
    if form in {"Ger", "Part"}:
        return f"not {word.text}"
    if not has_subject:
        # Without a subject only a state is said of "I" and no command: "have cheese".
        return f"do not {word.text}" if lemma in _STATES and word.text == lemma else None
    if form == "Fin" and tense == "Past":
        return f"did not {lemma}"
    if form == "Fin" and tense == "Pres":
        if feats.get("Person") == "3" and feats.get("Number") == "Sing":
            return f"does not {lemma}"
        return f"do not {word.text}" if word.text == lemma else None
    return None
