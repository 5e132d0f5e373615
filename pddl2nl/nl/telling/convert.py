"""All texts of a task in one call, and the choice of a wording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pddl2nl.errors import InputError
from pddl2nl.nl.names import Names, make_names
from pddl2nl.nl.telling.domain import compose_domain
from pddl2nl.nl.telling.pddl_style import domain_text as pddl_domain_text
from pddl2nl.nl.telling.phrases import Phrases
from pddl2nl.nl.telling.teller import Style, Teller
from pddl2nl.nl.wording.files import load_wording
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.nl.wording.template import template_wording
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import Domain

WORDING_FILE = "wording.json"
"""The name under which a domain ships its own wording, beside its domain file."""


@dataclass(frozen=True)
class Conversion:
    """The texts that a prompt is made of. For a domain without a problem only its text and its wording are set."""

    domain_text: str
    goal_text: str | None
    objects_text: str | None
    init_text: str | None
    names: Names | None
    wording: Wording

    def __repr__(self) -> str:
        told = "a domain" if self.names is None else "a domain and a problem"
        return f"<Conversion of {told}, {self.wording.domain}>"

    @property
    def problem_text(self) -> str:
        """Objects, initial state and goal, a paragraph each; empty without a problem."""
        texts = (self.objects_text, self.init_text, self.goal_text)
        return "\n\n".join(text for text in texts if text is not None)

    def as_json(self) -> dict[str, object]:
        """The fields as ``pddl2nl convert --json`` prints them."""
        return {
            "domain_text": self.domain_text,
            "goal_text": self.goal_text,
            "objects_text": self.objects_text,
            "init_text": self.init_text,
            "names": dict(self.names.to_nl) if self.names is not None else {},
            "wording": self.wording.to_json(),
        }


def convert(
    task: Task | Domain, wording: Wording | None = None, names: str | Names = "typed", style: Style = "nl"
) -> Conversion:
    """Tells a task, or a domain alone.

    Args:
        task: the task, or a domain.
        wording: the wording; by default the ``wording.json`` beside the domain's file, else the template.
        names: a scheme of `pddl2nl.nl.names`, or names made before; style ``pddl`` always keeps the
            objects' PDDL names.
        style: ``nl``, or ``pddl`` for texts in PDDL.

    Raises:
        UnsupportedError: the task has a construct that cannot be told in English; the error names its place.
    """
    domain = task if isinstance(task, Domain) else task.domain
    if wording is None:
        wording = choose_wording(None, domain, None)
    if isinstance(task, Domain):
        text = pddl_domain_text(domain) if style == "pddl" else compose_domain(Phrases(wording, domain))
        return Conversion(text, None, None, None, None, wording)
    chosen = names if isinstance(names, Names) else make_names(task, names, wording)
    if style == "pddl":
        chosen = make_names(task, "original")
    teller = Teller(task, wording, chosen, style)
    return Conversion(
        domain_text=teller.domain_text(),
        goal_text=teller.goal_text(),
        objects_text=teller.objects_text(),
        init_text=teller.init_text(),
        names=chosen,
        wording=wording,
    )


def choose_wording(spec: str | None, domain: Domain, domain_path: str | Path | None = None) -> Wording:
    """The wording that a ``--wording`` option asks for.

    Args:
        spec: ``template``; the path of a wording file, of an AutoPlanBench ``domain_description_seedN.json`` or of
            a PlanBench ``configs/*.yaml``; or None or ``default``: the ``wording.json`` beside the domain's file where
            there is one, else the template.
        domain: the wording's domain.
        domain_path: its file; by default the one it was read from.

    Raises:
        InputError: the file cannot be read or does not fit, or ``llm`` is asked for: a model words a
            domain once, and all runs use the saved file.
    """
    if spec == "template":
        return template_wording(domain)
    if spec == "llm":
        raise InputError(
            "--wording llm: a model words a domain once, by "
            "'pddl2nl convert DOMAIN --wording llm --model M --save-wording FILE'; then use --wording FILE"
        )
    if spec not in (None, "default"):
        if spec.casefold() in ("", "default", "template", "llm") and not Path(spec).is_file():
            near = f"; did you mean '{spec.casefold()}'?" if spec else ""
            raise InputError(f"--wording '{spec}': default, template or a file was expected{near}")
        return load_wording(spec, domain)
    if domain_path is None and domain.source is not None:
        domain_path = domain.source.name
    if domain_path is not None:
        own = Path(domain_path).parent / WORDING_FILE
        if Path(domain_path).is_file() and own.is_file():
            return load_wording(own, domain)
    return template_wording(domain)
