"""Small tasks of all kinds, each with a valid plan, from which `test_fuzz` makes mutants."""

from __future__ import annotations

ROBOTS = """(define (problem p) (:domain d) (:objects a b - robot l1 l2 - place) (:init (at a l1) (at b l2) {more})
(:goal {goal}) {last})"""


def _task(domain: str, plan: str, goal: str, more: str = "", last: str = "") -> dict[str, str]:
    head = "(define (domain d) (:types robot place) "
    problem = ROBOTS.format(goal=goal, more=more, last=last)
    return {"domain.pddl": head + domain + ")", "problem.pddl": problem, "plan": plan}


TASKS: dict[str, dict[str, str]] = {
    "strips": _task(
        """(:requirements :strips :typing) (:predicates (at ?r - robot ?p - place))
        (:action move :parameters (?r - robot ?from ?to - place) :precondition (at ?r ?from)
         :effect (and (not (at ?r ?from)) (at ?r ?to)))""",
        "(move a l1 l2)\n",
        "(and (at a l2))",
    ),
    "conditional": _task(
        """(:requirements :adl) (:predicates (at ?r - robot ?p - place) (lit ?p - place) (seen ?r - robot))
        (:action move :parameters (?r - robot ?from ?to - place)
         :precondition (and (at ?r ?from) (not (= ?from ?to)) (or (lit ?to) (exists (?o - robot) (at ?o ?to))))
         :effect (and (not (at ?r ?from)) (at ?r ?to) (when (lit ?from) (seen ?r))
          (forall (?o - robot) (when (and (at ?o ?to) (not (= ?o ?r))) (and (seen ?o) (not (lit ?to)))))))
        (:action look :parameters (?p - place) :precondition (imply (lit ?p) (forall (?r - robot) (not (at ?r ?p))))
         :effect (lit ?p))""",
        "(move a l1 l2)\n",
        "(and (at a l2) (seen b) (forall (?p - place) (not (lit ?p))))",
    ),
    "derived": _task(
        """(:requirements :adl :derived-predicates) (:constants hub - place)
        (:predicates (at ?r - robot ?p - place) (road ?p ?q - place) (reach ?p ?q - place) (stuck ?r - robot))
        (:derived (reach ?p ?q - place) (or (road ?p ?q) (exists (?m - place) (and (road ?p ?m) (reach ?m ?q)))))
        (:derived (stuck ?r - robot) (not (exists (?p ?q - place) (and (at ?r ?p) (reach ?p ?q)))))
        (:action move :parameters (?r - robot ?from ?to - place) :precondition (and (at ?r ?from) (reach ?from ?to))
         :effect (and (not (at ?r ?from)) (at ?r ?to)))""",
        "(move a l1 l2)\n",
        "(and (stuck a) (stuck b))",
        "(road l1 hub) (road hub l2)",
    ),
    "numeric": _task(
        """(:requirements :adl :numeric-fluents :action-costs) (:predicates (at ?r - robot ?p - place))
        (:functions (fuel ?r - robot) (far ?p ?q - place) (total-cost))
        (:action move :parameters (?r - robot ?from ?to - place)
         :precondition (and (at ?r ?from) (>= (fuel ?r) (* 2 (far ?from ?to))))
         :effect (and (not (at ?r ?from)) (at ?r ?to)
          (decrease (fuel ?r) (/ (far ?from ?to) 2)) (increase (total-cost) 3)))
        (:action fill :parameters (?r - robot) :precondition (< (fuel ?r) 9)
         :effect (and (scale-up (fuel ?r) 2)
          (when (= (fuel ?r) 0) (assign (fuel ?r) 1.5)) (increase (total-cost) 1)))""",
        "(fill a)\n(move a l1 l2)\n",
        "(and (at a l2) (< (- (fuel a) (fuel b)) 5))",
        "(= (fuel a) 3) (= (fuel b) 0) (= (far l1 l2) 2.5) (= (far l2 l1) 2) (= (total-cost) 0)",
        "(:metric minimize (+ (total-cost) (* 2 (fuel a))))",
    ),
    "preferences": _task(
        """(:requirements :adl :preferences :constraints) (:predicates (at ?r - robot ?p - place) (lit ?p - place))
        (:constraints (forall (?p - place) (always (imply (lit ?p) (exists (?r - robot) (at ?r ?p))))))
        (:action move :parameters (?r - robot ?from ?to - place)
         :precondition (and (at ?r ?from) (preference careful (not (lit ?to))))
         :effect (and (not (at ?r ?from)) (at ?r ?to)))
        (:action light :parameters (?p - place) :precondition (and) :effect (lit ?p))""",
        "(move a l1 l2)\n(light l2)\n",
        "(and (at a l2) (forall (?r - robot) (preference home (at ?r l1))) (preference on (lit l2)))",
        "",
        """(:constraints (and (sometime (lit l2)) (at-most-once (at a l2)) (preference soon (within 9 (at a l2)))
        (sometime-after (at a l2) (lit l2)) (preference late (sometime-before (lit l2) (at a l2)))))
        (:metric minimize (+ (* 3 (is-violated home)) (is-violated careful) (is-violated soon)))""",
    ),
    "durative": _task(
        """(:requirements :adl :durative-actions :duration-inequalities :numeric-fluents :timed-initial-literals
         :continuous-effects) (:predicates (at ?r - robot ?p - place) (open ?p - place))
        (:functions (power ?r - robot) (far ?p ?q - place))
        (:durative-action move :parameters (?r - robot ?from ?to - place)
         :duration (and (>= ?duration (far ?from ?to)) (<= ?duration 9))
         :condition (and (at start (at ?r ?from)) (over all (open ?to)) (at end (> (power ?r) 0))
          (over all (>= (power ?r) 0)))
         :effect (and (at start (not (at ?r ?from))) (at end (at ?r ?to)) (decrease (power ?r) (* #t 1))))
        (:durative-action rest :parameters (?r - robot ?home - place) :duration (= ?duration 2)
         :condition (and (at start (<= (power ?r) 20)) (over all (forall (?p - place) (imply (at ?r ?p) (open ?p)))))
         :effect (and (at end (increase (power ?r) ?duration))
          (when (at start (open ?home)) (at end (open ?home)))))""",
        "0.001: (rest a l1) [2]\n3: (move a l1 l2) [4.5]\n3.01: (rest b l2) [2]\n",
        "(and (at a l2) (open l2))",
        "(open l1) (at 2.5 (open l2)) (at 9 (not (open l1))) (= (power a) 8) (= (power b) 1)"
        " (= (far l1 l2) 4) (= (far l2 l1) 4)",
        "(:metric minimize (+ (total-time) (power a)))",
    ),
}
