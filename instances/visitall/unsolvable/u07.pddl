; Visitall: 8 places, 6 of them to visit.
(define (problem visitall-u07)
  (:domain grid-visit-all)

  (:objects
    loc-x0-y0 loc-x1-y0 - place
    loc-x1-y1 - place
    loc-x0-y2 loc-x1-y2 - place
    loc-x0-y3 - place
    loc-x0-y4 loc-x1-y4 - place)

  (:init
    (at-robot loc-x1-y2) (visited loc-x1-y2)
    (connected loc-x0-y0 loc-x1-y0)
    (connected loc-x1-y0 loc-x1-y1) (connected loc-x1-y0 loc-x0-y0)
    (connected loc-x1-y1 loc-x1-y0)
    (connected loc-x0-y2 loc-x1-y2) (connected loc-x0-y2 loc-x0-y3)
    (connected loc-x1-y2 loc-x0-y2)
    (connected loc-x0-y3 loc-x0-y4) (connected loc-x0-y3 loc-x0-y2)
    (connected loc-x0-y4 loc-x1-y4) (connected loc-x0-y4 loc-x0-y3)
    (connected loc-x1-y4 loc-x0-y4))

  (:goal (and
    (visited loc-x1-y0)
    (visited loc-x1-y1)
    (visited loc-x0-y2)
    (visited loc-x0-y3)
    (visited loc-x0-y4)
    (visited loc-x1-y4))))
