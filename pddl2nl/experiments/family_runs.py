"""The settings of a run that only policies of families have: its task in words, and its world.

The task's text is that of ``--task-text``, or that of the task's reference (`pddl2nl.tasks.references`), or empty, and
then the goal is told. The world is the simulator unless faults are given. Faults, ontology and the library's content
are recorded, so that the run can be repeated from the record alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.models import ModelContext, make_model
from pddl2nl.experiments.spec import RUN_OPTIONS, RunSpec
from pddl2nl.nl import Wording
from pddl2nl.pddl import Domain, Task, parse_domain
from pddl2nl.policies.events import Started
from pddl2nl.policies.families import family_of
from pddl2nl.tasks import match_shipped
from pddl2nl.tasks.references import Form, Reference, reference_of
from pddlval import Simulator

if TYPE_CHECKING:
    from pddl2nl.macros.library import Library
    from pddl2nl.worlds.ontology import Ontology

__all__ = ["FamilySettings", "family_settings", "recorded_world"]


@dataclass(frozen=True)
class FamilySettings:
    """Additions to a run's setting and to its first event; empty for policies without a family.

    Attributes:
        setting: fields of `pddl2nl.policies.Setting`.
        settings: added to ``settings`` of the first event.
        reference, world: fields of the first event.
        prompts: the hashes of the prompt files, by name.
    """

    setting: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    reference: Mapping[str, Any] = field(default_factory=dict)
    world: Mapping[str, Any] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)


def family_settings(spec: RunSpec, simulator: Simulator, wording: Wording, access: Access) -> FamilySettings:
    """The additions for a policy of a family; for other policies only the task's reference.

    Raises:
        InputError: faults or an ontology that cannot be read, a form in which the task has no text, a library that
        is no
            folder, or a model without embeddings.
        MissingExtraError: an ontology is given, and rdflib is not installed.
    """
    reference = reference_of(spec.task)
    family = family_of(spec.policy)
    if family is None:
        # A plan of any mechanism can be measured against it; its text was not shown.
        return FamilySettings(reference={} if reference is None else reference.to_json())
    text = _task_text(spec, reference)
    setting: dict[str, Any] = {"task_text": text, "replans": spec.replans}
    world: dict[str, Any] = {}
    if spec.faults is not None:
        from pddl2nl.worlds.executor import FaultyExecutor
        from pddl2nl.worlds.faults import read_faults

        faults = read_faults(spec.faults) if isinstance(spec.faults, str) else spec.faults
        setting["executor"] = FaultyExecutor(simulator, faults, seed=spec.seed)
        world["faults"] = faults.text
    ontology = _ontology(spec)
    if ontology is not None:
        setting["ontology"] = ontology
        world["ontology"] = ontology.turtle
    if spec.embedding_model is not None:
        name, setting["embed"] = _embedder(spec, wording, access)
        world["embedding_model"] = name
    if spec.library is not None:
        setting["library"], world["library"] = _library(spec.library, spec.task.domain)
    said = {} if reference is None else reference.to_json(spec.form)
    if reference is not None and spec.task_text is not None:
        said = {**said, "text": text}
    settings = {"task_text": text, "form": spec.form, "replans": spec.replans}
    return FamilySettings(setting, settings, said, world, family.prompt_hashes(spec.policy))


def _task_text(spec: RunSpec, reference: Reference | None) -> str:
    if spec.task_text is not None:
        return " ".join(spec.task_text.split("\n")).strip()
    if reference is None:
        if spec.form != RUN_OPTIONS["form"].default:
            raise InputError(
                f"--form {spec.form}: this task has no text of its own, so it is told by its goal; give a text of that "
                "form by --task-text TEXT"
            )
        return ""
    if spec.form not in reference.texts:
        raise InputError(
            f"--form {spec.form}: task {reference.task} has a text in the form {' and '.join(reference.texts)} alone; "
            "give one by --task-text TEXT"
        )
    return reference.texts[cast(Form, spec.form)]


def _ontology(spec: RunSpec) -> Ontology | None:
    if spec.ontology is not None and not isinstance(spec.ontology, str | Path):
        return spec.ontology
    from pddl2nl.worlds.ontology import load_ontology

    if spec.ontology is not None:
        return load_ontology(Path(spec.ontology))
    shipped = _shipped_ontology(spec.task)
    return None if shipped is None else load_ontology(shipped)


def _shipped_ontology(task: Task) -> Path | None:
    shipped = match_shipped(task.domain)
    path = None if shipped is None else shipped.folder / "ontology.ttl"
    return path if path is not None and path.is_file() else None


def _embedder(
    spec: RunSpec, wording: Wording, access: Access
) -> tuple[str, Callable[[Sequence[str]], list[list[float]]]]:
    chosen = spec.embedding_model
    if isinstance(chosen, str):
        context = ModelContext(spec.task.domain, wording, spec.style, spec.base_url, access)
        chosen = make_model(chosen, context).model
    assert chosen is not None
    embed = getattr(chosen, "embed", None)
    if embed is None:
        raise InputError(
            f"--embedding-model {chosen.name}: it gives no vectors; name a model behind an endpoint that does, or "
            "leave the option out, and names are compared by their letters"
        )
    return chosen.name, embed


def _library(folder: str | Path, domain: Domain) -> tuple[Library, list[str]]:
    """The library, and the files of its macros for this domain, because the library may change later."""
    from pddl2nl.macros.library import Library, write_macro_file

    library = Library(folder)
    return library, [write_macro_file(stored) for stored in library.shelf(domain).macros]


@contextmanager
def recorded_world(started: Started) -> Iterator[dict[str, Any]]:
    """The fields of `RunSpec` that repeat a recorded run in its world; the library is a temporary folder.

    Raises:
        InputError: the record has another form, or an embedding model is needed.
    """
    if family_of(started.policy) is None:
        yield {}
        return
    said, world = started.settings, started.world
    if "embedding_model" in world:
        raise InputError(
            f"names were compared by the vectors of '{world['embedding_model']}', which no record holds: it cannot be "
            "replayed"
        )
    fields: dict[str, Any] = {
        "thoughts": "auto",
        "task_text": _recorded(said, "task_text", str),
        "form": _recorded(said, "form", str),
        "replans": _recorded(said, "replans", int),
    }
    if "faults" in world:
        from pddl2nl.worlds.faults import parse_faults

        # As a text, for a record must not say which file is read.
        fields["faults"] = parse_faults(_recorded(world, "faults", str))
    if "ontology" in world:
        from pddl2nl.worlds.ontology import parse_ontology

        fields["ontology"] = parse_ontology(_recorded(world, "ontology", str), "<the recorded ontology>")
    if "library" not in world:
        yield fields
        return
    domain = parse_domain(started.domain_pddl, started.domain_file or "<domain>")
    with tempfile.TemporaryDirectory(prefix="pddl2nl-library-", ignore_cleanup_errors=True) as folder:
        _fill(Path(folder), _recorded(world, "library", list), domain)
        yield {**fields, "library": folder}


def _fill(folder: Path, files: Sequence[Any], domain: Domain) -> None:
    """Stores macros in a library."""
    from pddl2nl.macros.library import Library, read_macro_file

    for number, text in enumerate(files, 1):
        stored = read_macro_file(str(text), domain, f"<macro {number} of the recorded library>")
        Library(folder).put(domain, stored)


def _recorded(said: Mapping[str, Any], name: str, kind: type) -> Any:
    if not isinstance(value := said.get(name), kind):
        raise InputError(f"'{name}' of its first event cannot be {value!r}")
    return value
