"""``--constrain``: what the replies of policies may be, for endpoints that decode under a constraint.

=============  =====================================================================================================
``format``     the form of the policy's replies, with any thoughts and actions
``actions``    an action is a told ground action of the task: each argument is an object of the parameter's type
``applicable`` an action is applicable in the present state: for policies that ask about states that they know
=============  =====================================================================================================

Act and ReAct may look around in any case, as their prompts say. Systems constrain the replies that hold actions, each
in its own form.
"""

from __future__ import annotations

from collections.abc import Iterator

from pddl2nl.llm.constraint import Constraint, Line
from pddl2nl.nl import markers
from pddl2nl.policies.episode import Episode
from pddlval import State


def reply_constraint(episode: Episode, *, one_shot: bool, thoughts: bool, no_plan: bool) -> Constraint | None:
    """What the next reply of a mechanism may be; None where it may be anything."""
    setting = episode.setting
    if setting.spec.constrain == "off":
        return None
    lines: tuple[Line, ...] | None = None
    if setting.spec.constrain != "format":
        lines = action_lines(episode, episode.state)
        lines = lines if one_shot else (*lines, (markers.LOOK_AROUND,))
    return Constraint(
        lines,
        action=f"{markers.ACTION} " if thoughts or not one_shot else "",
        thought=f"{markers.THOUGHT} " if thoughts else "",
        begin=f"{markers.PLAN_START}\n" if one_shot else "",
        end=markers.PLAN_END if one_shot else "",
        instead=(markers.NO_PLAN,) if no_plan else (),
    )


def action_lines(episode: Episode, state: State) -> tuple[Line, ...]:
    """The told actions that are applicable in a state, if applicable ones are asked for, else all of the task."""
    setting = episode.setting
    if setting.spec.constrain == "applicable":
        return tuple((setting.teller.action(action),) for action in setting.simulator.applicable(state))
    return tuple(_told_actions(episode))


def _told_actions(episode: Episode) -> Iterator[Line]:
    """The told ground actions of the task, by slots."""
    teller = episode.setting.teller
    for schema in teller.task.domain.actions:
        objects = [teller.task.objects_of(parameter.types) for parameter in schema.parameters]
        if not all(objects):
            continue
        if teller.style == "pddl":
            parts: tuple[str | int, ...] = (f"({schema.name}", *_spaced(len(objects)), ")")
        else:
            parts = teller.wording.actions[schema.name].parts
            objects = [tuple(teller.names.to_nl[name] for name in names) for names in objects]
        yield tuple(part if isinstance(part, str) else objects[part] for part in parts)


def _spaced(arguments: int) -> Iterator[str | int]:
    for number in range(arguments):
        yield " "
        yield number
