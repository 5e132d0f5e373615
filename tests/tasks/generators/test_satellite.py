"""Satellite: every image that is asked for can be taken."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks.generators import generate


@pytest.mark.parametrize("given", [{}, {"satellites": 3, "instruments": 4, "modes": 5, "directions": 2, "images": 10}])
def test_every_satellite_has_an_instrument_and_every_mode_a_calibrated_one(given, facts):
    for seed in range(30):
        init, goal = generate("satellite", seed, **given).text.split("(:goal")
        carried = dict(facts(init, "on_board"))
        assert set(carried.values()) == {name for (name,) in facts(init, "power_avail")}
        assert [name for name, _ in facts(init, "calibration_target")] == list(carried)
        supported = facts(init, "supports")
        assert {name for name, _ in supported} == set(carried)
        assert {mode for _, mode in facts(goal, "have_image")} <= {mode for _, mode in supported}
        assert len(facts(goal, "have_image")) == given.get("images", 2)


def test_satellites_have_to_point_somewhere_if_asked_for(facts):
    for seed in range(10):
        text = generate("satellite", seed, satellites=3, instruments=3, pointing=2).text
        pointing = facts(text.split("(:goal")[1], "pointing")
        assert len({satellite for satellite, _ in pointing}) == 2


def test_what_contradicts_itself_is_refused():
    with pytest.raises(InputError, match=r"instruments ≥ satellites .*; found satellites=3 instruments=2"):
        generate("satellite", 1, satellites=3)
    with pytest.raises(InputError, match=r"images ≤ directions × modes .*; found modes=2 directions=4 images=9"):
        generate("satellite", 1, images=9)
    with pytest.raises(InputError, match="pointing ≤ satellites; found satellites=1 pointing=2"):
        generate("satellite", 1, pointing=2)
    for nothing in ({"images": 0}, {"images": 0, "pointing": 1, "directions": 1}):
        with pytest.raises(InputError, match="something to do"):
            generate("satellite", 1, **nothing)
