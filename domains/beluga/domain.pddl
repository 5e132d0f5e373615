; Beluga: aircraft parts arrive by plane, each on a jig, wait on racks and are delivered to the
; factory; the empty jigs go back by plane. A rack stands between the Beluga side, where the
; planes are, and the factory side: jigs are put on it and taken off it at either end, and
; none can pass another. What is unloaded, delivered and sent back in which order, the steps
; of several schedules say.
(define (domain beluga)
  (:requirements :strips :typing)

  (:types
    jig rack - item
    beluga-trailer factory-trailer - trailer
    item trailer kind length hangar step - object)

  (:predicates
    ; the schedules: one of the planes, one of every production line
    (due ?s - step)                  ; the step of a schedule that has to be done now
    (then ?s - step ?n - step)       ; ?n comes after ?s in the same schedule
    (done ?s - step)
    (arrives ?j - jig ?s - step)     ; in step ?s, jig ?j is unloaded from a plane
    (returns ?k - kind ?s - step)    ; in step ?s, an empty jig of kind ?k is loaded into a plane
    (needed ?j - jig ?s - step)      ; in step ?s, a production line gets the part on jig ?j

    ; the jigs
    (is-of-kind ?j - jig ?k - kind)
    (in-plane ?j - jig)
    (full ?j - jig)                  ; its part is on it
    (empty ?j - jig)

    ; the trailers, each of which stays on its side, and the hangars
    (on ?j - jig ?t - trailer)
    (free ?t - trailer)
    (in-hangar ?j - jig ?h - hangar)
    (vacant ?h - hangar)

    ; the racks: a row of jigs, told as a ring that begins and ends with the rack itself
    (before ?x - item ?y - item)     ; ?y is next after ?x on the way from the Beluga side to the factory side
    (space ?r - rack ?l - length)    ; how much of the rack is free
    (leaves ?j - jig ?l - length ?m - length)) ; of free length ?l, jig ?j leaves ?m

  (:action unload-beluga
    :parameters (?j - jig ?t - beluga-trailer ?s - step ?n - step)
    :precondition (and
      (due ?s)
      (then ?s ?n)
      (arrives ?j ?s)
      (in-plane ?j)
      (free ?t))
    :effect (and
      (done ?s)
      (due ?n)
      (on ?j ?t)
      (not (due ?s))
      (not (in-plane ?j))
      (not (free ?t))))

  (:action load-beluga
    :parameters (?j - jig ?k - kind ?t - beluga-trailer ?s - step ?n - step)
    :precondition (and
      (due ?s)
      (then ?s ?n)
      (returns ?k ?s)
      (is-of-kind ?j ?k)
      (empty ?j)
      (on ?j ?t))
    :effect (and
      (done ?s)
      (due ?n)
      (in-plane ?j)
      (free ?t)
      (not (due ?s))
      (not (on ?j ?t))))

  (:action put-on-rack-beluga-side
    :parameters (?j - jig ?t - beluga-trailer ?r - rack ?y - item ?l - length ?m - length)
    :precondition (and
      (on ?j ?t)
      (before ?r ?y)
      (space ?r ?l)
      (leaves ?j ?l ?m))
    :effect (and
      (before ?r ?j)
      (before ?j ?y)
      (space ?r ?m)
      (free ?t)
      (not (before ?r ?y))
      (not (space ?r ?l))
      (not (on ?j ?t))))

  (:action take-from-rack-beluga-side
    :parameters (?j - jig ?t - beluga-trailer ?r - rack ?y - item ?m - length ?l - length)
    :precondition (and
      (free ?t)
      (before ?r ?j)
      (before ?j ?y)
      (space ?r ?m)
      (leaves ?j ?l ?m))
    :effect (and
      (on ?j ?t)
      (before ?r ?y)
      (space ?r ?l)
      (not (free ?t))
      (not (before ?r ?j))
      (not (before ?j ?y))
      (not (space ?r ?m))))

  (:action put-on-rack-factory-side
    :parameters (?j - jig ?t - factory-trailer ?r - rack ?x - item ?l - length ?m - length)
    :precondition (and
      (on ?j ?t)
      (before ?x ?r)
      (space ?r ?l)
      (leaves ?j ?l ?m))
    :effect (and
      (before ?x ?j)
      (before ?j ?r)
      (space ?r ?m)
      (free ?t)
      (not (before ?x ?r))
      (not (space ?r ?l))
      (not (on ?j ?t))))

  (:action take-from-rack-factory-side
    :parameters (?j - jig ?t - factory-trailer ?r - rack ?x - item ?m - length ?l - length)
    :precondition (and
      (free ?t)
      (before ?x ?j)
      (before ?j ?r)
      (space ?r ?m)
      (leaves ?j ?l ?m))
    :effect (and
      (on ?j ?t)
      (before ?x ?r)
      (space ?r ?l)
      (not (free ?t))
      (not (before ?x ?j))
      (not (before ?j ?r))
      (not (space ?r ?m))))

  (:action deliver-to-hangar
    :parameters (?j - jig ?t - factory-trailer ?h - hangar ?s - step ?n - step)
    :precondition (and
      (due ?s)
      (then ?s ?n)
      (needed ?j ?s)
      (full ?j)
      (on ?j ?t)
      (vacant ?h))
    :effect (and
      (done ?s)
      (due ?n)
      (empty ?j)
      (in-hangar ?j ?h)
      (free ?t)
      (not (due ?s))
      (not (full ?j))
      (not (on ?j ?t))
      (not (vacant ?h))))

  (:action get-from-hangar
    :parameters (?j - jig ?t - factory-trailer ?h - hangar)
    :precondition (and
      (in-hangar ?j ?h)
      (free ?t))
    :effect (and
      (on ?j ?t)
      (vacant ?h)
      (not (in-hangar ?j ?h))
      (not (free ?t)))))
