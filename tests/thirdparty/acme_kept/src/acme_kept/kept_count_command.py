"""The command ``pyrave kept-count``."""

from __future__ import annotations

import sys
from pathlib import Path

import pyrave


def kept_count(file: Path, *, above: float = 0.0) -> int:
    """List the bodies of a scene and how high they reach.

    Parameters
    ----------
    file
        A scene.
    above
        Leave out bodies that end below this height, metres.
    """
    for body in pyrave.load(file).bodies:
        if body.aabb is None:
            continue
        centre, half = body.aabb
        top = float(centre[2] + half[2])
        if top >= above:
            sys.stdout.write(f"{body.name}: {top:.3f} m\n")
    return 0
