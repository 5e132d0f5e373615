"""The options of HVR, and what follows from them without the knowledge graph: stages, prompt files, calls, records."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from msgspec import Meta
from msgspec.structs import replace

from pddl2nl.pddl import Task
from pddl2nl.policies.policy import Effort, WorldPolicy
from pddl2nl.policies.prompts import Prompts

PROMPTS = Prompts(__package__)

ONTOLOGY_FILE = "ontology.ttl"
"""The file of an ontology, beside a domain, and in a library beside a domain's macro-actions."""

_BLOCK, _CONDITIONS, _ACTION, _LATER_PROMPT = 4, 60, 15, 3700
"""For estimates: the actions of a macro-action, the tokens of its conditions and of an action, and by how many tokens
prompts behind the first are longer, as in the kitchen."""


class HVROptions(WorldPolicy):
    """HVR's components and their settings."""

    hierarchy: Annotated[
        bool, Meta(description="Plans by macro-actions (H); else the whole plan is requested at once.")
    ] = True
    verification: Annotated[
        bool,
        Meta(
            description="Repairs, gives feedback, corrects and plans again (V); else plans are verified for the record "
            "only."
        ),
    ] = True
    retrieval: Annotated[
        bool, Meta(description="The model selects the objects that are told (R); else all objects are told.")
    ] = True
    replans: Annotated[
        int, Meta(ge=0, description="The most new plans, before and during execution together, with verification.")
    ] = 3
    prompt_size: Annotated[
        Literal["full", "compact"],
        Meta(
            description="compact: for models with a small context window: no effects of actions, fewer examples, "
            "shorter lines of objects."
        ),
    ] = "full"
    library: Annotated[
        str | None,
        Meta(
            description="A folder of macro-actions: known ones are told, and those of a solved task are added with the "
            "proofs of their conditions."
        ),
    ] = None

    reuse: Annotated[
        bool,
        Meta(
            description="A proved macro-action of the library that has the claimed effect is expanded without asking, "
            "with verification."
        ),
    ] = True

    one_shot = True
    uses = frozenset({"constrain"})
    roles = ("embedding",)
    files = (ONTOLOGY_FILE,)
    mistakes = ("wrong-precondition", "missing-navigation", "wrong-order", "missing-step", "impossible-macro")
    prompts = PROMPTS

    @property
    def stages(self) -> tuple[str, ...]:
        retrieval = ["retrieval"] if self.retrieval else []
        if not self.hierarchy:
            return (*retrieval, "plan", *(["plan-correction"] if self.verification else []))
        corrections = ["block-correction", "conditions-correction", "conditions-refinement"]
        return (*retrieval, "macro-plan", "block", "conditions", *(corrections if self.verification else []))

    @property
    def prompt_names(self) -> tuple[str, ...]:
        example = ("conditions_example.txt", "conditions_example_reply.txt") if self.hierarchy else ()
        return (*map(prompt_file, self.stages), *example)

    def effort(self, actions: int) -> Effort:
        """Macro-actions of four actions; with verification every second reply is corrected once."""
        macros = math.ceil(actions / _BLOCK) if self.hierarchy else 0
        # The macro plan, its conditions and the blocks, or the plan at once; objects for the macro plan and each block.
        planning = 2 + macros if macros else 1
        retrievals = 1 + macros if self.retrieval else 0
        corrections = math.ceil(planning / 2) if self.verification else 0
        whole = 0 if retrievals or macros else 1
        replies = (actions * 2 * _ACTION + macros * _CONDITIONS) * (1 + corrections / planning) + retrievals * _ACTION
        how = (
            f"of HVR and its ablations a macro-action to be {_BLOCK} actions and its conditions {_CONDITIONS} tokens, "
            f"prompts behind the first {_LATER_PROMPT:,} tokens longer, as in the kitchen, and, where they are "
            "verified, every second reply to be corrected once"
        )
        return Effort(retrievals + whole, planning - whole + corrections, _LATER_PROMPT, replies, how)

    def snapshot(self, task: Task) -> Mapping[str, Any]:
        """The files of the library's macro-actions, because the library may change later."""
        if self.library is None:
            return {}
        from pddl2nl.macros.library import Library, write_macro_file

        return {"library": [write_macro_file(stored) for stored in Library(self.library).macros(task.domain)]}

    def restored(self, snapshot: Mapping[str, Any], task: Task, folder: Path) -> Self:
        texts = snapshot.get("library")
        if texts is None:
            return replace(self, library=None)
        from pddl2nl.macros.library import Library, read_macro_file

        library = Library(folder)
        for number, text in enumerate(texts, start=1):
            library.put(task.domain, read_macro_file(text, task.domain, f"<macro {number} of the recorded library>"))
        return replace(self, library=str(folder))


def prompt_file(stage: str) -> str:
    return f"{stage.replace('-', '_')}.txt"
