"""The settings of a run that only policies of families have: its task in words, and its world.

The task's text is that of ``--task-text``, or that of the task's reference (`pddl2nl.tasks.references`), or empty, and
then the goal is told. The world is the simulator unless faults are given. Faults, ontology and the library's content
are recorded, so that the run can be repeated from the record alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from pddl2nl.conversion import convert
from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.models import ModelContext, make_model
from pddl2nl.experiments.spec import RUN_OPTIONS, RunSpec
from pddl2nl.macros.subtasks.building import graph_named
from pddl2nl.macros.subtasks.nodes import Subtasks, load_subtasks, parse_subtasks
from pddl2nl.nl import Wording
from pddl2nl.pddl import parse_domain
from pddl2nl.policies.brainbody.primitives import Robot, load_robot, parse_robot
from pddl2nl.policies.events import Started
from pddl2nl.policies.families import asking_policy, family_of
from pddl2nl.policies.family import Family
from pddl2nl.policies.sayplan.prompts import shipped_roles
from pddl2nl.policies.taskgraph.prompts import shipped_subtasks
from pddl2nl.tasks import match_shipped
from pddl2nl.tasks.reference_files import Form, TaskReference
from pddl2nl.tasks.references import reference_of
from pddl2nl.worlds.scene_graph import SceneRoles, load_roles, parse_roles
from pddlval import Simulator

if TYPE_CHECKING:
    from pddl2nl.worlds.ontology import Ontology

_RECORDED = (
    "form",
    "replans",
    "prompts",
    "feedback_loops",
    "signal",
    "body",
    "preview",
    "dead_ends",
    "goal_feedback",
    "graph",
    "check",
    "from_prefix",
    "calls",
    "expansions",
    "candidates",
    "beam",
    "ranking",
)
"""The options of families whose values are settings of a run."""
_SWITCHES = ("preview", "goal_feedback", "from_prefix")
"""Those of them that are off or on."""


def family_settings(
    spec: RunSpec, simulator: Simulator, wording: Wording, access: Access
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a policy of a family adds to a run; for other policies only the task's reference.

    Returns:
        fields of `pddl2nl.policies.Setting`, and fields of the first event, of which ``settings`` and ``prompts`` are
        additions.

    Raises:
        InputError: faults or an ontology that cannot be read, a form in which the task has no text, a library that is
            no folder, or a model without embeddings.
        MissingExtraError: an ontology is given, and rdflib is not installed.
    """
    asking = asking_policy(spec.policy_name)
    if asking != spec.policy_name:
        proposing, event = family_settings(replace(spec, policy=asking), simulator, wording, access)
        recorded = {**event.get("settings", {}), "from_prefix": spec.from_prefix}
        return {**proposing, "from_prefix": spec.from_prefix == "on"}, {**event, "settings": recorded}
    reference = reference_of(spec.task)
    family = family_of(spec.policy_name)
    if family is None:
        # A plan of any policy can be measured against it; its text was not shown.
        return {}, {"reference": {} if reference is None else reference.to_json()}
    text = _task_text(spec, reference)
    settings = {name: getattr(spec, name) for name in _RECORDED if family.takes(spec.policy_name, name)}
    if family.takes(spec.policy_name, "task_text"):
        settings = {"task_text": text, **settings}
    setting: dict[str, Any] = {**settings}
    for name in ("form", "graph"):
        setting.pop(name, None)
    setting |= {name: setting[name] == "on" for name in _SWITCHES if name in setting}
    more, world = _world(spec, family, simulator, wording, access)
    setting |= more
    measured = {} if reference is None else reference.to_json(spec.form)
    if reference is not None and spec.task_text is not None:
        measured = {**measured, "text": text}
    return setting, {
        "settings": settings,
        "reference": measured,
        "world": world,
        "prompts": family.prompt_hashes(spec.policy_name),
    }


def _world(
    spec: RunSpec, family: Family, simulator: Simulator, wording: Wording, access: Access
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a run's world adds to its setting, and what a record says of it."""
    setting: dict[str, Any] = {}
    world: dict[str, Any] = {}
    if spec.faults is not None:
        from pddl2nl.worlds.executor import FaultyExecutor
        from pddl2nl.worlds.faults import read_faults

        faults = read_faults(spec.faults) if isinstance(spec.faults, str) else spec.faults
        setting["executor"] = FaultyExecutor(simulator, faults, seed=spec.seed)
        world["faults"] = faults.text
    if family.takes(spec.policy_name, "robot") and (robot := _robot(spec)) is not None:
        setting |= {"robot": robot, "hidden": robot.hidden}
        world["robot"] = robot.to_json()
    if family.takes(spec.policy_name, "scene") and (scene := _scene(spec)) is not None:
        setting["scene"] = scene
        world["scene"] = scene.to_json()
    if family.takes(spec.policy_name, "subtasks") and (subtasks := _subtasks(spec)) is not None:
        setting |= {"subtasks": subtasks, "graph": graph_named(spec.graph, subtasks)}
        world["subtasks"] = subtasks.text
    ontology = _ontology(spec) if family.takes(spec.policy_name, "ontology") else None
    if ontology is not None:
        setting["ontology"] = ontology
        world["ontology"] = ontology.turtle
    if spec.embedding_model is not None:
        world["embedding_model"], setting["embed"] = _embedder(spec, wording, access)
    if spec.library is not None:
        from pddl2nl.macros.library import Library, write_macro_file

        setting["library"] = library = Library(spec.library)
        # The files of the macros, because the library may change later.
        world["library"] = [write_macro_file(stored) for stored in library.shelf(spec.task.domain).macros]
    return setting, world


def _task_text(spec: RunSpec, reference: TaskReference | None) -> str:
    if spec.task_text is not None:
        return " ".join(spec.task_text.split("\n")).strip()
    if reference is None and spec.form == RUN_OPTIONS["form"].default:
        return ""
    texts: Mapping[Form, str] = {} if reference is None else reference.texts
    if spec.form not in texts:
        has = f"a text in the form {' and '.join(texts)} alone" if texts else "no text and is told by its goal"
        raise InputError(f"--form {spec.form}: this task has {has}; give a text of that form by --task-text TEXT")
    return texts[cast(Form, spec.form)]


def _ontology(spec: RunSpec) -> Ontology | None:
    """The ontology that was given, else the one that is shipped with the domain, if there is one."""
    if spec.ontology is not None and not isinstance(spec.ontology, str | Path):
        return spec.ontology
    from pddl2nl.worlds.ontology import load_ontology

    if spec.ontology is not None:
        return load_ontology(Path(spec.ontology))
    shipped = match_shipped(spec.task.domain)
    path = None if shipped is None else shipped.folder / "ontology.ttl"
    return load_ontology(path) if path is not None and path.is_file() else None


def _robot(spec: RunSpec) -> Robot | None:
    """The robot that was given, else the one that is shipped with the domain, if there is one."""
    if isinstance(spec.robot, Robot):
        return spec.robot
    shipped = match_shipped(spec.task.domain)
    path = None if shipped is None else shipped.folder / "robot.json"
    if spec.robot is not None:
        path = Path(spec.robot)
    elif path is None or not path.is_file():
        return None
    return load_robot(path, spec.task.domain)


def _scene(spec: RunSpec) -> SceneRoles | None:
    """The roles that were given, else those that are shipped with the domain, if there are some."""
    if isinstance(spec.scene, SceneRoles):
        return spec.scene
    if spec.scene is not None:
        return load_roles(spec.scene)
    return shipped_roles(spec.task.domain)


def _subtasks(spec: RunSpec) -> Subtasks | None:
    """The subtasks that were given, else those that are shipped with the domain, if there are some."""
    if isinstance(spec.subtasks, Subtasks):
        if not spec.subtasks.text:
            raise InputError("subtasks: give a file, or what load_subtasks returns, which a record can hold")
        return spec.subtasks
    if spec.subtasks is not None:
        return load_subtasks(spec.subtasks, spec.task.domain)
    return shipped_subtasks(spec.task.domain)


def _embedder(
    spec: RunSpec, wording: Wording, access: Access
) -> tuple[str, Callable[[Sequence[str]], list[list[float]]]]:
    chosen = spec.embedding_model
    if isinstance(chosen, str):
        chosen = make_model(chosen, ModelContext(spec.task.domain, wording, spec.base_url, access)).model
    assert chosen is not None
    embed = getattr(chosen, "embed", None)
    if embed is None:
        raise InputError(
            f"--embedding-model {chosen.name}: it gives no vectors; name a model behind an endpoint that does, or "
            "leave the option out, and names are compared by their letters"
        )
    return chosen.name, embed


# ── from the record ──────────────────────────────────────────────────────────────────────────────


class _FamilyOptions(msgspec.Struct):
    task_text: str | None = None
    form: str = "goal"
    replans: int = 3
    prompts: str = "full"
    feedback_loops: int = 3
    signal: str = "reason"
    body: str = "llm"
    preview: str = "off"
    dead_ends: str = "ignore"
    goal_feedback: str = "off"
    graph: str = "automaton"
    check: str = "off"
    from_prefix: str = "off"
    calls: int = 10
    expansions: int = 5_000
    candidates: int = 3
    beam: int = 3
    ranking: str = "both"


class _RecordedWorld(msgspec.Struct):
    faults: str | None = None
    ontology: str | None = None
    robot: str | None = None
    scene: str | None = None
    subtasks: str | None = None
    library: tuple[str, ...] | None = None
    embedding_model: str | None = None


@contextmanager
def recorded_world(started: Started) -> Iterator[dict[str, Any]]:
    """The fields of `RunSpec` that repeat a recorded run in its world; the library is a temporary folder.

    Raises:
        InputError: an embedding model is needed, or the record has another form.
    """
    if family_of(started.policy) is None:
        yield {}
        return
    world = convert(started.world, _RecordedWorld)
    if world.embedding_model is not None:
        raise InputError(
            f"names were compared by the vectors of '{world.embedding_model}', which no record holds: it cannot be "
            "replayed"
        )
    fields = {"thoughts": "auto", **msgspec.structs.asdict(convert(started.settings, _FamilyOptions))}
    if world.faults is not None:
        from pddl2nl.worlds.faults import parse_faults

        # Parsed here, because a record must not say which file is read.
        fields["faults"] = parse_faults(world.faults)
    if world.ontology is not None:
        from pddl2nl.worlds.ontology import parse_ontology

        fields["ontology"] = parse_ontology(world.ontology, "<the recorded ontology>")
    if world.robot is not None:
        domain = parse_domain(started.domain_pddl, started.domain_file or "<domain>")
        fields["robot"] = parse_robot(world.robot, domain, "<the recorded robot>")
    if world.scene is not None:
        fields["scene"] = parse_roles(world.scene, "<the recorded scene>")
    if world.subtasks is not None:
        domain = parse_domain(started.domain_pddl, started.domain_file or "<domain>")
        fields["subtasks"] = parse_subtasks(world.subtasks, domain, "<the recorded subtasks>")
    if world.library is None:
        yield fields
        return
    from pddl2nl.macros.library import Library, read_macro_file

    domain = parse_domain(started.domain_pddl, started.domain_file or "<domain>")
    with tempfile.TemporaryDirectory(prefix="pddl2nl-library-", ignore_cleanup_errors=True) as folder:
        library = Library(folder)
        for number, text in enumerate(world.library, 1):
            library.put(domain, read_macro_file(text, domain, f"<macro {number} of the recorded library>"))
        yield {**fields, "library": folder}
