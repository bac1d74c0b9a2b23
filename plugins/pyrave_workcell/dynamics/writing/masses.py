"""Masses of links that are written as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.formats.output.numbers import numbers
from pyrave.scene import IDENTITY, Inertial, same
from pyrave_workcell.dynamics.links import NOTHING
from pyrave_workcell.workcell.writing.elements import add

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.scene import Pose


def united(parts: Sequence[tuple[Inertial, Pose]]) -> Inertial:
    """Return several inertials as one; `Pose` is that of each one's frame."""
    heavy = [(one, pose) for one, pose in parts if not same(one, NOTHING)]
    if not heavy:
        return NOTHING
    if len(heavy) == 1 and heavy[0][1] == IDENTITY:
        return heavy[0][0]
    mass = sum(one.mass for one, _ in heavy)
    centers = [np.array(pose.apply(one.com)) for one, pose in heavy]
    weights = [one.mass for one, _ in heavy] if mass else [1.0] * len(heavy)
    center = np.average(centers, axis=0, weights=weights)
    inertia = np.zeros((3, 3))
    for (one, pose), where in zip(heavy, centers, strict=True):
        turn = pose.matrix[:3, :3]
        away = where - center
        shift = away @ away * np.eye(3) - np.outer(away, away)
        inertia += turn @ np.reshape(one.inertia, (3, 3)) @ turn.T + one.mass * shift
    x, y, z = center.tolist()
    a, b, c, d, e, f, g, h, i = inertia.ravel().tolist()
    return Inertial(mass, (x, y, z), (a, b, c, d, e, f, g, h, i))


def add_mass(parent: Any, inertial: Inertial) -> None:
    """Append mass, centre and inertia: its diagonal, if it has no more."""
    add(parent, "Mass").text = numbers((inertial.mass,))
    add(parent, "COG").text = numbers(inertial.com)
    a, b, c, d, e, f, g, h, i = inertial.inertia
    is_plain = not any((b, c, d, f, g, h))
    values = (a, e, i) if is_plain else inertial.inertia
    add(parent, "Inertia").text = numbers(values)
