"""The template wording of any domain, made without a model (Stein et al., section 5, "Tpl").

What the paper leaves open: a predicate without parameters is ``'p' holds``, an action
without parameters ``apply the action 'a'``; a parameter whose type is ``(either t u)`` is announced by all
its types, ``t or u``; a function is ``the value of 'f' for {?x} and {?y}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl.tree import Domain, Function, Predicate, StepSchema, TypedName


def template_wording(domain: Domain) -> Wording:
    """The template wording of a domain."""
    return Wording(
        domain=domain.name,
        predicates={item.name: template_predicate(item) for item in domain.predicates},
        actions={item.name: template_action(item) for item in domain.steps},
        types={},
        functions={item.name: template_function(item) for item in domain.functions},
        source={"method": "template"},
    )


def _plain(name: str) -> str:
    # Braces hold parameters in a snippet. No name in PDDL has a parenthesis, so that names stay different.
    return name.replace("{", "(").replace("}", ")")


def _quoted(name: str) -> str:
    return f"'{_plain(name)}'"


def template_predicate(predicate: Predicate) -> Snippet:
    """``{?x} is 'p'``, ``{?x} and {?y} are in relation 'p'``, or ``'p' holds``."""
    names = declared_variables(predicate.parameters)
    if not names:
        text = f"{_quoted(predicate.name)} holds"
    elif len(names) == 1:
        text = f"{{{names[0]}}} is {_quoted(predicate.name)}"
    else:
        text = f"{enumerate_words([f'{{{name}}}' for name in names])} are in relation {_quoted(predicate.name)}"
    return Snippet(predicate.name, names, text)


def template_action(action: StepSchema) -> Snippet:
    """``apply the action 'a' to <type> {?x}, <type> {?y}, and <type> {?z}``."""
    names = declared_variables(action.parameters)
    text = f"apply the action {_quoted(action.name)}"
    if names:
        said = [
            f"{_plain(' or '.join(item.types))} {{{name}}}" for name, item in zip(names, action.parameters, strict=True)
        ]
        text += f" to {enumerate_words(said)}"
    return Snippet(action.name, names, text)


def template_function(function: Function) -> Snippet:
    """``the value of 'f'``, or ``the value of 'f' for {?x} and {?y}``."""
    names = declared_variables(function.parameters)
    text = f"the value of {_quoted(function.name)}"
    if names:
        text += f" for {enumerate_words([f'{{{name}}}' for name in names])}"
    return Snippet(function.name, names, text)


def with_functions(wording: Wording, domain: Domain) -> Wording:
    """The wording with the template's snippets for missing functions."""
    missing = [function for function in domain.functions if function.name not in wording.functions]
    if not missing:
        return wording
    added = {function.name: template_function(function) for function in missing}
    return replace(wording, functions={**wording.functions, **added})


def declared_variables(parameters: Sequence[TypedName]) -> tuple[str, ...]:
    """The declared variables; numbered ones where a declaration names one twice."""
    names = tuple(item.name for item in parameters)
    if len(set(names)) == len(names):
        return names
    return tuple(f"?x{index}" for index in range(1, len(names) + 1))
