"""The negation of a snippet by its dependency parse: the finite verb that the head of the sentence has takes the "not".

For what the rules of `pddl2nl.nl.wording.negation` do not know. A snippet is parsed with names in the places of its
parameters; of the parse only the head, its auxiliaries and its subject count (Stein et al., section 4). Where it
shows two clauses, a quantifier, or a form that says nothing sure, there is still no answer.

Parsing is asked for, never done in passing: `with_parsed_negations` writes what it finds into the wording, so that
a run is the same with and without a parser. `StanzaParser` needs the extra ``stanza`` and a language model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pddl2nl.errors import InputError, MissingExtraError
from pddl2nl.nl.wording.negation import BE, HAVE, is_unsure, negate, no_such
from pddl2nl.nl.wording.snippets import Snippet, Wording, split_text
from pddl2nl.pddl.tree import Domain

if TYPE_CHECKING:
    from stanza.models.common.doc import Document

__all__ = ["Parser", "StanzaParser", "negate_by_parse", "parsed_text", "with_negations", "with_parsed_negations"]

Parser = Callable[[str], "Document"]
"""Makes a stanza Document, tokens with head, relation, part of speech, lemma and features, of a sentence."""

_NAMES = ("Anna", "Berta", "Clara", "Dora", "Emma", "Frieda", "Greta", "Hanna", "Ida", "Johanna", "Klara", "Lena")
_CLAUSES = frozenset(("advcl", "ccomp", "csubj", "parataxis"))
_STATES = frozenset(("have", "hold", "carry", "own", "possess", "need", "know", "contain", "want", "like", "wear"))
_TAKE_NOT = BE | HAVE | {"had"} | {"does", "do", "did", "will", "would", "could", "may"}


class StanzaParser:
    """Stanza's English pipeline as a `Parser`; it is loaded at the first sentence and never downloads anything.

    Raises `MissingExtraError` where stanza is not installed, and `InputError` naming the download command where its
    language model is not there. ``folder`` is where the models lie; by default stanza's own place.
    """

    def __init__(self, folder: str | None = None):
        self._folder = folder
        self._pipeline: Any = None

    def __call__(self, sentence: str) -> Document:
        if self._pipeline is None:
            self._pipeline = self._load()
        return self._pipeline(sentence)

    def _load(self) -> Any:
        try:
            import stanza
        except ImportError as error:
            raise MissingExtraError("stanza", "stanza", "negation by a dependency parse") from error
        place = {} if self._folder is None else {"model_dir": self._folder}
        try:
            return stanza.Pipeline(
                "en",
                processors="tokenize,mwt,pos,lemma,depparse",
                download_method=None,
                use_gpu=False,
                verbose=False,
                **place,
            )
        except (FileNotFoundError, KeyError, ValueError) as error:
            where = "" if self._folder is None else f", model_dir='{self._folder}'"
            raise InputError(
                "negation by a dependency parse needs stanza's English model: "
                f"python -c \"import stanza; stanza.download('en'{where})\""
            ) from error


def with_parsed_negations(wording: Wording, domain: Domain, parser: Parser) -> Wording:
    """The same wording with a ``negated`` text for each predicate that neither it nor the rules can negate.

    A negation that a parse gives is kept only where no predicate says it already, plainly or negated; which
    predicates got one stands in ``source["parsed_negations"]``. Without any, the wording is returned as it is.
    """
    shapes = {item.shape for item in wording.predicates.values() if item.text is not None}
    shapes |= {_shape(item, item.negated) for item in wording.predicates.values() if item.negated is not None}
    found: dict[str, Snippet] = {}
    for predicate in domain.predicates:
        snippet = wording.predicates.get(predicate.name)
        if snippet is None or snippet.text is None or snippet.negated is not None or negate(snippet.text) is not None:
            continue
        negated = negate_by_parse(snippet.text, snippet.parameters, parser(parsed_text(snippet)))
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
        return with_parsed_negations(wording, domain, _parser())
    except InputError:
        if way == "auto":
            return wording
        raise


@cache
def _parser() -> StanzaParser:
    """One parser for the whole process: its pipeline takes seconds to load."""
    return StanzaParser()


def parsed_text(snippet: Snippet) -> str:
    """The sentence that is parsed for a snippet: names in the places of its parameters, and a full stop."""
    pieces = _pieces(snippet.text or "", snippet.parameters)
    return "".join(piece.said for piece in pieces) + "."


def _shape(snippet: Snippet, text: str) -> str:
    return Snippet(snippet.name, snippet.parameters, text).shape


def negate_by_parse(text: str, parameters: Sequence[str], document: Document) -> str | None:
    """The negation of a snippet's text by the parse of `parsed_text`; None where that shows no sure one.

    ``the robot {?x} reaches {?y}`` → ``the robot {?x} does not reach {?y}``.
    """
    pieces = _pieces(text, parameters)
    sentence = _Parse.of(document, "".join(piece.said for piece in pieces))
    if sentence is None or is_unsure(text):
        return None
    if sentence.is_existential():
        return no_such(text)
    edit = sentence.edit()
    return None if edit is None else _edited(pieces, edit)


# ── a snippet and the sentence that is parsed ────────────────────────────────────────────────────


class _Piece(NamedTuple):
    """A piece of a snippet: its own words, and what is said for it in the parsed sentence from ``start`` on."""

    own: str
    said: str
    start: int


class _Edit(NamedTuple):
    """What stands between two places of the parsed sentence is to be said so."""

    start: int
    end: int
    said: str


def _pieces(text: str, parameters: Sequence[str]) -> list[_Piece]:
    names = [name for name in _NAMES if name.casefold() not in text.casefold()]
    pieces: list[_Piece] = []
    at = 0
    for part in split_text(text, tuple(parameters)):
        own = part if isinstance(part, str) else f"{{{parameters[part]}}}"
        said = part if isinstance(part, str) else names[part % len(names)]
        pieces.append(_Piece(own, said, at))
        at += len(said)
    return pieces


def _edited(pieces: Sequence[_Piece], edit: _Edit) -> str | None:
    """The snippet with one edit, which must lie within its own words."""
    out: list[str] = []
    done = False
    for piece in pieces:
        own = piece.own
        if piece.own == piece.said and piece.start <= edit.start and edit.end <= piece.start + len(piece.said):
            own = own[: edit.start - piece.start] + edit.said + own[edit.end - piece.start :]
            done = True
        out.append(own)
    return "".join(out) if done else None


# ── the parse ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Word:
    """A word of the parse, with its place in the sentence."""

    index: int
    text: str
    lemma: str
    part: str
    feats: Mapping[str, str]
    head: int
    relation: str
    start: int

    def edit(self, said: str) -> _Edit:
        return _Edit(self.start, self.start + len(self.text), said)


@dataclass(frozen=True)
class _Parse:
    """The parse of one sentence."""

    words: tuple[_Word, ...]
    root: _Word

    @classmethod
    def of(cls, document: Document, sentence: str) -> _Parse | None:
        """The words of a document found in a sentence again; None unless it is one sentence with one head."""
        if len(document.sentences) != 1:
            return None
        words: list[_Word] = []
        at = 0
        for item in document.sentences[0].words:
            start = sentence.find(item.text, at)
            if start < 0:
                if item.upos == "PUNCT":
                    continue
                return None
            at = start + len(item.text)
            pairs = (pair.partition("=") for pair in (item.feats or "").split("|"))
            feats = {name: value for name, _, value in pairs}
            words.append(
                _Word(item.id, item.text, item.lemma or "", item.upos, feats, item.head, item.deprel or "", start)
            )
        roots = [word for word in words if word.head == 0]
        return cls(tuple(words), roots[0]) if len(roots) == 1 else None

    def children(self, word: _Word, *relations: str) -> list[_Word]:
        """The words below one, by the part of their relation before the colon, in their order."""
        return [item for item in self.words if item.head == word.index and item.relation.split(":")[0] in relations]

    def is_existential(self) -> bool:
        """Whether it is a "there is …"."""
        return any(word.text.casefold() == "there" for word in self.children(self.root, "expl"))

    def edit(self) -> _Edit | None:
        """The one change that negates the sentence; None where none is sure."""
        if self._several_clauses() or any(word.feats.get("Polarity") == "Neg" for word in self.words):
            return None
        nobody = self._indefinite_subject()
        if nobody is not None:
            return nobody.edit("no")
        auxiliaries = self.children(self.root, "aux", "cop")
        if auxiliaries:
            return _behind_auxiliary(auxiliaries[0]) if auxiliaries[0].start < self.root.start else None
        return _verb(self.root, has_subject=bool(self.children(self.root, "nsubj")))

    def _several_clauses(self) -> bool:
        for word in self.words:
            relation = word.relation.split(":")[0]
            if relation in _CLAUSES or word.relation == "acl:relcl":
                return True
            if relation == "conj" and word.head == self.root.index:
                return True
        return False

    def _indefinite_subject(self) -> _Word | None:
        """The article of a subject such as "a road", which no name makes a definite one."""
        for subject in self.children(self.root, "nsubj"):
            articles = [word for word in self.children(subject, "det") if word.text.casefold() in {"a", "an"}]
            named = any(word.part == "PROPN" for word in self.children(subject, "appos", "flat", "compound", "nmod"))
            if articles and not (named and subject.part != "PROPN") and subject.part != "PROPN":
                return articles[0]
        return None


def _behind_auxiliary(word: _Word) -> _Edit | None:
    plain = word.text.casefold()
    if plain == "can":
        return word.edit("cannot")
    return word.edit(f"{word.text} not") if plain in _TAKE_NOT else None


def _verb(word: _Word, *, has_subject: bool) -> _Edit | None:
    """The negation of a head without auxiliary, by its form."""
    form, tense = word.feats.get("VerbForm"), word.feats.get("Tense")
    lemma = word.lemma.casefold()
    if word.part not in {"VERB", "AUX"} or not lemma.isalpha() or lemma[:1] != word.text[:1].casefold():
        return None
    if lemma == "be":
        return word.edit(f"{word.text} not") if word.text in BE else None
    if form in {"Ger", "Part"}:
        return word.edit(f"not {word.text}")
    if not has_subject:
        # Without a subject only what is said of "I" is no command: "have cheese".
        return word.edit(f"do not {word.text}") if lemma in _STATES and word.text == lemma else None
    if form != "Fin":
        return None
    if tense == "Past":
        return word.edit(f"did not {lemma}")
    if tense == "Pres" and word.feats.get("Person") == "3" and word.feats.get("Number") == "Sing":
        return word.edit(f"does not {lemma}")
    return word.edit(f"do not {word.text}") if tense == "Pres" and word.text == lemma else None
