"""Problems of Movie: snacks to be bought before the movie is rewound and the counter is at zero."""

from __future__ import annotations

from pddl2nl.tasks.generators.generator import Draw, Fact, Generator, Parameter, ParameterValues, Sketch, plural

_LETTERS = {"chips": "c", "dip": "d", "pop": "p", "cheese": "z", "crackers": "k"}
"""The kinds of snacks, with the letters of their objects in the problems of the first competition."""


def _make(values: ParameterValues, draw: Draw) -> Sketch | None:
    there = {
        kind: tuple(f"{letter}{number + 1}" for number in range(values[kind])) for kind, letter in _LETTERS.items()
    }
    stocked = [kind for kind in _LETTERS if there[kind]]
    wanted = draw.sample(stocked, values["kinds"])
    at_first: list[Fact] = [("counter-at-zero",) if values["counter"] == "zero" else ("counter-at-other-than-zero",)]
    if values["rewound"] == "yes":
        at_first.append(("movie-rewound",))
    return Sketch(
        objects=tuple(("", names) for names in there.values()),
        init=(tuple(at_first), *(tuple((kind, name) for name in names) for kind, names in there.items())),
        goal=(("movie-rewound",), ("counter-at-zero",), *((f"have-{kind}",) for kind in _LETTERS if kind in wanted)),
        summary=f"{plural(sum(map(len, there.values())), 'snack')}, {plural(len(wanted), 'kind')} of which "
        f"{'is' if len(wanted) == 1 else 'are'} wanted",
    )


GENERATOR = Generator(
    domain="movie",
    pddl_name="movie-strips-complex",
    summary="snacks of five kinds, some of which are wanted; movie and counter can be brought into any state from any "
    "other, so every problem has a plan",
    parameters=(
        *(Parameter(kind, f"how many snacks are {kind}", 1, 0, 200) for kind in _LETTERS),
        Parameter("kinds", "how many kinds of snacks are wanted; which, is drawn from those that are there", 3, 1, 5),
        Parameter(
            "counter",
            "what the counter shows at first; nothing can be bought before it shows zero",
            "zero",
            choices=("zero", "other"),
        ),
        Parameter(
            "rewound",
            "whether the movie is rewound at first; nothing can be bought before that is undone",
            "no",
            choices=("no", "yes"),
        ),
    ),
    rules={
        f"kinds ≤ the number of {', '.join(_LETTERS)} above 0": lambda v: (
            v["kinds"] <= sum(v[kind] > 0 for kind in _LETTERS)
        )
    },
    make=_make,
    small=lambda draw: {
        **{kind: draw.between(1, 3) for kind in _LETTERS},
        "kinds": draw.between(1, 5),
        "counter": "other" if draw.chance(35) else "zero",
    },
)
