; A robot with one arm does household chores in one room, as in ALFRED: it goes to places, handles what is there, and
; heats, cools, cleans and slices it.
;
; All that an action needs is an argument, so that planners ground it fast: the robot is at one place, a thing is at one
; place, in one dish or in the hand, and what a dish holds goes along with it. Slices lie nowhere until the whole is cut.
(define (domain alfred)
  (:requirements :typing :equality :negative-preconditions :existential-preconditions :conditional-effects)
  (:types
    place device thing - object
    fixture heater - place
    lamp faucet - device
    item movable - thing
    knife whole sliced ware - item
    ; the classes of ALFRED
    armchair bathtubbasin bed cabinet cart coffeemachine coffeetable countertop desk diningtable drawer dresser fridge
    garbagecan ottoman safe shelf sidetable sinkbasin sofa stoveburner toilet toiletpaperhanger - fixture
    microwave - heater
    desklamp floorlamp tablelamp - lamp
    bowl box cup mug pan plate pot - movable
    butterknife carvingknife - knife
    apple bread lettuce potato tomato - whole
    applesliced breadsliced lettucesliced potatosliced tomatosliced - sliced
    alarmclock baseballbat basketball book candle cd cellphone cloth creditcard dishsponge egg fork glassbottle
    handtowel kettle keychain ladle laptop newspaper pen pencil peppershaker pillow plunger remotecontrol saltshaker
    soapbar soapbottle spatula spoon spraybottle statue tennisracket tissuebox toiletpaper vase watch wateringcan
    winebottle - ware)
  (:predicates
    ; where the robot and things are
    (at ?p - place)
    (in ?x - thing ?p - place)
    (inside ?x - item ?m - movable)
    (holding ?x - thing)
    (hand-empty)
    ; their states
    (shut ?p - place)
    (running ?d - object)
    (hot ?x - thing)
    (cold ?x - thing)
    (clean ?x - thing)
    (lit ?x - thing)
    (located ?x - thing)
    ; what never changes
    (openable ?p - place)
    (cools ?p - place)
    (heatable ?x - thing)
    (coolable ?x - thing)
    (cleanable ?x - thing)
    (slice-of ?s - sliced ?w - whole)
    (stands ?l - lamp ?p - place)
    (runs-into ?f - faucet ?p - place)
    (beside ?p - place ?q - place)
    ; of the skills that ALFRED does not use
    (broken ?x - thing)
    (filled ?x - thing)
    (pushed ?x - thing)
    (pulled ?x - thing)
    (thrown ?x - thing)
    (dropped ?x - thing)
    (dirty ?x - thing)
    (cooked ?x - thing)
    (used-up ?x - thing)
    (breakable ?x - thing)
    (fillable ?x - thing)
    (slides ?x - thing)
    (soils ?x - thing)
    (cookable ?x - thing)
    (runs-out ?x - thing)
    (loose ?x - thing))

  (:action navigate
    :parameters (?to - place ?from - place)
    :precondition (at ?from)
    :effect (and (not (at ?from)) (at ?to)))

  (:action open
    :parameters (?p - place)
    :precondition (and (at ?p) (openable ?p) (shut ?p) (not (running ?p)))
    :effect (not (shut ?p)))

  ; A fridge cools what is in it when it is closed.
  (:action close
    :parameters (?p - place)
    :precondition (and (at ?p) (openable ?p) (not (shut ?p)))
    :effect (and
      (shut ?p)
      (forall (?x - thing)
        (when (and (cools ?p) (coolable ?x) (in ?x ?p)) (and (cold ?x) (not (hot ?x)))))
      (forall (?x - item ?m - movable)
        (when (and (cools ?p) (coolable ?x) (in ?m ?p) (inside ?x ?m)) (and (cold ?x) (not (hot ?x)))))))

  (:action pick-up
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (in ?x ?p) (hand-empty) (not (shut ?p)))
    :effect (and (holding ?x) (not (hand-empty)) (not (in ?x ?p))))

  (:action take-out
    :parameters (?x - item ?m - movable ?p - place)
    :precondition (and (at ?p) (in ?m ?p) (inside ?x ?m) (hand-empty) (not (shut ?p)))
    :effect (and (holding ?x) (not (hand-empty)) (not (inside ?x ?m))))

  (:action put
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (holding ?x) (not (shut ?p)))
    :effect (and (in ?x ?p) (not (holding ?x)) (hand-empty)))

  (:action put-into
    :parameters (?x - item ?m - movable ?p - place)
    :precondition (and (at ?p) (in ?m ?p) (holding ?x) (not (shut ?p)))
    :effect (and (inside ?x ?m) (not (holding ?x)) (hand-empty)))

  ; The knife is in the hand; where the whole was lie its slices.
  (:action slice
    :parameters (?w - whole ?k - knife ?p - place)
    :precondition (and (at ?p) (in ?w ?p) (holding ?k) (not (shut ?p)))
    :effect (and
      (not (in ?w ?p))
      (forall (?s - sliced) (when (slice-of ?s ?w) (in ?s ?p)))))

  ; A lamp sheds its light on what is held.
  (:action turn-on-lamp
    :parameters (?l - lamp ?p - place)
    :precondition (and (at ?p) (stands ?l ?p) (not (running ?l)))
    :effect (and
      (running ?l)
      (forall (?x - thing) (when (holding ?x) (lit ?x)))))

  (:action turn-off-lamp
    :parameters (?l - lamp ?p - place)
    :precondition (and (at ?p) (stands ?l ?p) (running ?l))
    :effect (not (running ?l)))

  (:action turn-on-faucet
    :parameters (?f - faucet ?p - place)
    :precondition (and (at ?p) (runs-into ?f ?p) (not (running ?f)))
    :effect (and
      (running ?f)
      (forall (?x - thing)
        (when (and (cleanable ?x) (in ?x ?p)) (and (clean ?x) (not (dirty ?x)))))
      (forall (?x - item ?m - movable)
        (when (and (cleanable ?x) (in ?m ?p) (inside ?x ?m)) (and (clean ?x) (not (dirty ?x)))))))

  (:action turn-off-faucet
    :parameters (?f - faucet ?p - place)
    :precondition (and (at ?p) (runs-into ?f ?p) (running ?f))
    :effect (not (running ?f)))

  (:action turn-on-heater
    :parameters (?h - heater)
    :precondition (and (at ?h) (shut ?h) (not (running ?h)))
    :effect (and
      (running ?h)
      (forall (?x - thing)
        (when (and (heatable ?x) (in ?x ?h)) (and (hot ?x) (not (cold ?x)))))
      (forall (?x - item ?m - movable)
        (when (and (heatable ?x) (in ?m ?h) (inside ?x ?m)) (and (hot ?x) (not (cold ?x)))))))

  (:action turn-off-heater
    :parameters (?h - heater)
    :precondition (and (at ?h) (running ?h))
    :effect (not (running ?h)))

  ; No more than a mark: which of two equal things is meant from now on.
  (:action locate
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (in ?x ?p) (not (shut ?p)))
    :effect (located ?x))

  ; ── skills that ALFRED does not use: without their properties in a problem, they are impossible ──

  (:action break
    :parameters (?x - thing)
    :precondition (and (holding ?x) (breakable ?x))
    :effect (broken ?x))

  (:action fill
    :parameters (?x - thing ?f - faucet ?p - place)
    :precondition (and (at ?p) (runs-into ?f ?p) (holding ?x) (fillable ?x))
    :effect (filled ?x))

  (:action push
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (in ?x ?p) (slides ?x) (not (shut ?p)))
    :effect (pushed ?x))

  (:action pull
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (in ?x ?p) (slides ?x) (not (shut ?p)))
    :effect (pulled ?x))

  (:action throw
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (holding ?x) (loose ?x) (not (shut ?p)))
    :effect (and (in ?x ?p) (thrown ?x) (not (holding ?x)) (hand-empty)))

  (:action drop
    :parameters (?x - thing ?p - place)
    :precondition (and (at ?p) (holding ?x) (loose ?x) (not (shut ?p)))
    :effect (and (in ?x ?p) (dropped ?x) (not (holding ?x)) (hand-empty)))

  (:action soil
    :parameters (?x - thing)
    :precondition (and (holding ?x) (soils ?x))
    :effect (and (dirty ?x) (not (clean ?x))))

  (:action cook
    :parameters (?x - thing ?b - stoveburner)
    :precondition (and (at ?b) (in ?x ?b) (cookable ?x))
    :effect (cooked ?x))

  (:action use-up
    :parameters (?x - thing)
    :precondition (and (holding ?x) (runs-out ?x))
    :effect (used-up ?x)))
