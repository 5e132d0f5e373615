"""Edges of task graphs, proved for all problems of a domain: with a witness, or with the conditions in conflict."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import parse_domain
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.pddl.tree import Domain
from pddl2nl.systems.taskgraph.graph import build_graph, graph_of_labels
from pddl2nl.systems.taskgraph.proving import EdgeProver
from pddl2nl.systems.taskgraph.subtasks import Subtasks, subtasks_of_actions
from pddl2nl.tasks import shipped_domain
from pddlval import Simulator

pytest.importorskip("z3")

BLOCKS = subtasks_of_actions(shipped_domain("blocksworld").domain)


def with_invariants(domain: Domain, *texts: str) -> Subtasks:
    plain = subtasks_of_actions(domain)
    return Subtasks(domain, plain.nodes, tuple(map(parse_condition, texts)))


def test_a_possible_edge_has_a_witness_that_the_simulator_replays() -> None:
    proof = EdgeProver(BLOCKS).prove("unstack", "put-down")
    # With the same block it is even certain.
    assert proof.kind == "certain"
    assert proof.witness is not None
    simulator = Simulator(proof.witness.task)
    assert simulator.follow(simulator.initial, proof.witness.plan).complete
    assert [action.name for action in proof.witness.plan] == ["unstack", "put-down"]


def test_a_refuted_edge_names_the_conditions_in_conflict() -> None:
    proof = EdgeProver(BLOCKS).prove("pick-up", "unstack")
    assert (proof.kind, proof.witness) == ("refuted", None)
    reason = "unstack needs that (handempty) for (unstack ?ob' ?underob'), which cannot be after pick-up"
    assert proof.reasons() == (reason,)


def test_the_proved_graph_of_blocksworld_is_that_of_its_one_arm() -> None:
    # Without an invariant a state may hold a block with an empty arm: pick-up, put-down and stack follow each other
    # as the arm empties and fills.
    graph = build_graph("proved", BLOCKS)
    assert graph.after("pick-up") == ("put-down", "stack")
    assert graph.after("put-down") == ("pick-up", "put-down", "stack", "unstack")
    one_hand = with_invariants(
        BLOCKS.domain,
        "(forall (?x) (not (and (handempty) (holding ?x))))",
        "(forall (?x ?y) (imply (and (holding ?x) (holding ?y)) (= ?x ?y)))",
    )
    strict = EdgeProver(one_hand)
    assert strict.broken_invariants() == ()
    assert build_graph("proved", one_hand).after("put-down") == ("pick-up", "unstack")


def test_an_invariant_that_an_action_breaks_is_reported_with_the_action() -> None:
    wrong = with_invariants(BLOCKS.domain, "(handempty)")
    assert [name for name, _ in EdgeProver(wrong).broken_invariants()] == ["pick-up", "unstack"]


def test_conditional_and_quantified_effects_count() -> None:
    domain = parse_domain(
        """(define (domain lights) (:requirements :adl) (:types lamp switch)
        (:predicates (on ?l - lamp) (wired ?s - switch ?l - lamp) (broken ?s - switch))
        (:action press :parameters (?s - switch) :precondition (not (broken ?s))
         :effect (forall (?l - lamp) (when (wired ?s ?l) (on ?l))))
        (:action cut :parameters (?s - switch) :effect (broken ?s))
        (:action read :parameters (?l - lamp) :precondition (on ?l) :effect (not (on ?l)))
        (:action wait :precondition (forall (?l - lamp) (not (on ?l))) :effect (and)))"""
    )
    prover = EdgeProver(subtasks_of_actions(domain))
    assert prover.prove("press", "read").kind == "possible"
    # Nothing says that a lamp is there: after pressing, waiting is still possible.
    assert prover.prove("press", "wait").kind == "possible"
    assert prover.prove("read", "read").kind == "possible"
    kept = with_invariants(domain, "(forall (?s - switch) (exists (?l - lamp) (wired ?s ?l)))")
    assert EdgeProver(kept).prove("press", "wait").kind == "refuted"


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("A", "C", "possible"),
        ("G", "D", "possible"),
        ("G", "A", "refuted"),
        pytest.param("A", "A", "refuted", marks=pytest.mark.heavy),
        pytest.param("D", "H", "refuted", marks=pytest.mark.heavy),
        pytest.param("D", "A", "certain", marks=pytest.mark.heavy),
        pytest.param("C", "A", "refuted", marks=pytest.mark.heavy),
    ],
)
def test_edges_between_subtasks_of_alfred(alfred: Subtasks, first: str, second: str, kind: str) -> None:
    assert EdgeProver(alfred).prove(first, second).kind == kind


def test_all_printed_edges_are_possible_and_some_possible_ones_are_not_printed(alfred: Subtasks) -> None:
    printed = graph_of_labels("printed", alfred, alfred.graphs["printed"]).edges
    proved = graph_of_labels("proved", alfred, alfred.graphs["proved"]).edges
    assert printed <= proved
    assert ("PickupObject", "SliceObject") in proved - printed


@pytest.mark.heavy
def test_every_action_of_alfred_keeps_the_invariants(alfred: Subtasks) -> None:
    assert EdgeProver(alfred).broken_invariants() == ()


@pytest.mark.heavy
def test_the_shipped_graphs_are_what_is_proved(alfred: Subtasks) -> None:
    # A sample of all pairs, drawn evenly; the whole matrix takes minutes.
    prover = EdgeProver(alfred)
    names = [node.name for node in alfred.nodes]
    pairs = [(one, other) for one in names for other in names][::29]
    proved = graph_of_labels("proved", alfred, alfred.graphs["proved"]).edges
    compatible = graph_of_labels("compatible", alfred, alfred.graphs["compatible"]).edges
    for pair in pairs:
        assert (prover.prove(*pair).kind in ("possible", "certain")) == (pair in proved)
        assert (prover.compatible(*pair).kind == "possible") == (pair in compatible)
