"""Pictures of states and plans, of any domain, without code for it.

- `roles`: what each kind of object is in a picture, from invariants of the domain; `hints`: what names add;
- `settings`: the optional ``picture.json`` beside a domain;
- `scene`: a state as boxes in boxes, every fact in its place or told below; `layout`: where they stand;
- `drawing`: SVG, and pages that play a trace.
"""

from __future__ import annotations

from pddl2nl.pictures.drawing import PictureFrame, Pictures, figure_style, script
from pddl2nl.pictures.settings import PictureSettings, load_picture_settings, settings_of

__all__ = [
    "PictureFrame",
    "PictureSettings",
    "Pictures",
    "figure_style",
    "load_picture_settings",
    "script",
    "settings_of",
]
