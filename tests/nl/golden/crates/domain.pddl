; Typed STRIPS with a hierarchy, either, negative preconditions, equality and a constant.
(define (domain crates)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types depot shop - place
          truck airplane crate - thing
          place thing)
  (:constants hub - depot)
  (:predicates (at ?t - thing ?p - place) (in ?c - crate ?v - (either truck airplane))
               (broken ?t - thing) (insured ?c - crate) (sealed))
  (:action load
    :parameters (?c - crate ?v - (either truck airplane) ?p - place)
    :precondition (and (at ?c ?p) (at ?v ?p) (not (broken ?c)) (not (broken ?v)))
    :effect (and (in ?c ?v) (not (at ?c ?p))))
  (:action unload
    :parameters (?c - crate ?v - (either truck airplane) ?p - place)
    :precondition (and (in ?c ?v) (at ?v ?p))
    :effect (and (at ?c ?p) (not (in ?c ?v))))
  (:action drive
    :parameters (?v - truck ?from - place ?to - place)
    :precondition (and (at ?v ?from) (not (= ?from ?to)))
    :effect (and (at ?v ?to) (not (at ?v ?from))))
  (:action overhaul
    :parameters (?t - truck)
    :precondition (at ?t hub)
    :effect (not (broken ?t)))
  (:action seal
    :effect (sealed)))
