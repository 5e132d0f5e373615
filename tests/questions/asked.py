"""A small task, questions about it, and a search that stands in for planners."""

from __future__ import annotations

from functools import cache
from typing import Any

from pddl2nl.baselines import PlannerResult
from pddl2nl.nl import Names, Teller, Wording, make_names, template_wording
from pddl2nl.nl.telling.teller import Style
from pddl2nl.pddl import Task, parse_task
from pddl2nl.questions.making import make_questions
from pddl2nl.questions.question import Form, Question
from pddl2nl.tasks import shipped_domain
from pddlval import GroundAction, Simulator, State, validate

FERRY = """(define (domain ferry) (:requirements :strips :typing) (:types car place)
  (:predicates (at ?c - car ?l - place) (ferry ?l - place) (on ?c - car) (empty))
  (:action sail :parameters (?f ?t - place) :precondition (ferry ?f) :effect (and (ferry ?t) (not (ferry ?f))))
  (:action board :parameters (?c - car ?l - place) :precondition (and (at ?c ?l) (ferry ?l) (empty))
    :effect (and (on ?c) (not (at ?c ?l)) (not (empty))))
  (:action debark :parameters (?c - car ?l - place) :precondition (and (on ?c) (ferry ?l))
    :effect (and (at ?c ?l) (empty) (not (on ?c)))))"""
PROBLEM = """(define (problem two) (:domain ferry) (:objects c d - car k l - place)
  (:init (at c k) (at d k) (ferry l) (empty)) (:goal (at c l)))"""
ISLANDS = FERRY.replace("(empty))", "(empty) (link ?f ?t - place))", 1).replace(
    ":precondition (ferry ?f)", ":precondition (and (ferry ?f) (link ?f ?t))"
)
"""The ferry sails only where there is a link; none leads to m."""
TWO_AND_ONE = PROBLEM.replace("k l - place", "k l m - place").replace(
    "(empty))", "(empty) (link k l) (link l k) (link m k))"
)
_LINKS = " ".join(f"(link {one} {two})" for one, two in zip("klmnopq", "lmnopkk", strict=True))
RING = PROBLEM.replace("c d - car k l - place", "c d e - car k l m n o p q - place").replace(
    "(empty))", f"(at e k) (empty) {_LINKS})"
)
"""Six places, from each of which one sails to the next, and one to which nothing leads."""
LAMPS = """(define (domain lamps) (:requirements :strips :typing) (:types lamp)
  (:predicates (lit ?l - lamp) (dark ?l - lamp))
  (:action light :parameters (?l - lamp) :precondition (dark ?l) :effect (and (lit ?l) (not (dark ?l))))
  (:action quench :parameters (?l - lamp) :precondition (lit ?l) :effect (and (dark ?l) (not (lit ?l)))))"""
FIVE_LAMPS = """(define (problem five) (:domain lamps) (:objects a b c d e - lamp)
  (:init (dark a) (dark b) (dark c) (dark d) (dark e)) (:goal (and (lit a) (lit b) (lit c) (lit d) (lit e))))"""
"""What is done with one lamp can be left out alone."""
SEARCHED = ("landmarks", "next-action", "optimal-plan")
"""The kinds for which a planner is asked again and again."""


def breadth_first(task: Task, planner: str, *, time_limit: int | None = None) -> PlannerResult:
    """A shortest plan: for these few states it takes less time than to start a planner."""
    simulator = Simulator(task)
    plans: dict[State, tuple[GroundAction, ...]] = {simulator.initial: ()}
    for state in (todo := [simulator.initial]):
        if simulator.is_goal(state):
            plan = plans[state]
            return PlannerResult(planner, "solved", plan, validate(task, plan).cost, 0.0, None, "breadth first")
        for action, successor in simulator.successors(state):
            if successor not in plans:
                plans[successor] = (*plans[state], action)
                todo.append(successor)
    return PlannerResult(planner, "unsolvable", None, None, 0.0, None, "breadth first")


def words(task: Task, names: str = "typed") -> tuple[Wording, Names]:
    """The template and names."""
    wording = template_wording(task.domain)
    return wording, make_names(task, names, wording)


@cache
def questions(kind: str, form: Form, count: int = 8, seed: int = 1, style: Style = "pddl") -> tuple[Question, ...]:
    """Questions about a ferry, blocks or lamps; in the style pddl, whose texts are easily compared."""
    match kind:
        case "justification":
            task = parse_task(LAMPS, FIVE_LAMPS)
        case "reachability":
            # What a ferry never brings about is told by single words.
            task = shipped_domain("blocksworld").task("p03")
        case _:
            task = parse_task(ISLANDS, problem_of(kind))
    teller = Teller(task, *words(task, "original" if style == "pddl" else "typed"), style)
    return tuple(make_questions(task, teller, kind, form, count, seed=seed))


_ALL = "(and (at c l) (at d l) (at e l) (at f l)))"


def problem_of(kind: str) -> str:
    """The problem; some kinds need a goal of two parts, and to be alike plans need several cars."""
    if kind in ("goal-shuffling", "validation", "verification"):
        return TWO_AND_ONE.replace("(at c l))", "(and (at c l) (at d l)))")
    if kind == "action-reachability":
        return RING
    if kind in ("generalisation", "landmarks"):
        several = TWO_AND_ONE if kind != "landmarks" else TWO_AND_ONE.replace("(at c l))", _ALL)
        return several.replace("c d -", "c d e f -").replace("(at d k)", "(at d k) (at e k) (at f k)")
    return TWO_AND_ONE


def task_of(question: Question) -> Task:
    """The task in whose initial state a question is asked."""
    return parse_task(question.PDDL_domain, question.PDDL_problem)


def subject_of(question: Question) -> str:
    """What a question asks about, or what the right choice says."""
    if question.form == "choice":
        return question.choices["ABCD".index(question.answer)]
    return question.question.partition(": ")[2].removesuffix("?").rpartition(": ")[2]


def plan_in(text: str) -> list[GroundAction]:
    """The actions of a numbered list in a text."""
    return [GroundAction.parse(line.partition(". ")[2]) for line in text.splitlines() if line[:1].isdigit()]


def plan_of(answer: Any) -> list[GroundAction]:
    """The actions of a list of texts."""
    return [GroundAction.parse(text) for text in answer]
