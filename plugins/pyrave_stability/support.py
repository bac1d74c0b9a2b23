"""Support regions: positions of a body's centre of mass in which it does not fall."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pyrave.errors import ArgumentError
from pyrave.spatial import Array, as_direction, as_vector
from pyrave_stability.arguments import several
from pyrave_stability.ground import Ground, frame_along
from pyrave_stability.ground_contacts import Touch, carried, touching
from pyrave_stability.region import SupportRegion, hull_of

if TYPE_CHECKING:
    from pyrave.bodies import KinBody


def mass_of(bodies: KinBody | Iterable[KinBody]) -> float:
    """Return the mass of bodies and all that they hold, kg."""
    return sum(body.mass for body in carried(bodies))


def center_of_mass(bodies: KinBody | Iterable[KinBody]) -> Array:
    """Return the centre of mass (3,) of bodies and all that they hold, metres.

    Raises
    ------
    ArgumentError
        They weigh nothing.
    """
    known = carried(bodies)
    masses = np.array([body.mass for body in known])
    if not masses.sum() > 0.0:
        raise ArgumentError(f"{known[0]!r} weighs nothing: it has no centre of mass")
    centers = [body.center_of_mass for body in known]
    return np.asarray(masses @ np.array(centers) / masses.sum())


def gravity_of(
    bodies: KinBody | Iterable[KinBody], gravity: ArrayLike | None = None
) -> Array:
    """Return the acceleration (3,) of gravity: the given or the environment's, m/s2.

    Raises
    ------
    ArgumentError
        It is zero, so that nothing falls.
    """
    found = carried(bodies)[0].env.gravity if gravity is None else gravity
    found = as_vector(found, 3, "gravity")
    if not np.any(found):
        raise ArgumentError(
            "there is no gravity; set env.gravity, or give gravity=(0, 0, -9.81)"
        )
    return found


def region_of(points: Array, gravity: Array) -> SupportRegion:
    """Return the convex hull of world points (n, 3), seen along gravity."""
    axes = frame_along(-as_direction(gravity, "gravity"))
    flat = points @ axes.T
    if len(points):
        chosen = hull_of(flat)
        flat, points = flat[chosen], points[chosen]
    return SupportRegion(flat, axes, points)


def support_polygon(
    bodies: KinBody | Iterable[KinBody],
    grounds: Ground | Iterable[Ground],
    *,
    gravity: ArrayLike | None = None,
    touches: Iterable[Touch] | None = None,
) -> SupportRegion:
    """Return the convex hull of all points that touch, projected along gravity.

    On one plane, with friction that keeps feet from slipping, a body is in balance
    while its centre of mass is projected into this polygon (R. B. McGhee, A. A. Frank,
    "On the stability properties of quadruped creeping gaits", 1968). For several
    planes, slippery ones or limited forces see `equilibrium_region`.

    Parameters
    ----------
    bodies
        What stands; what they hold stands with them.
    gravity
        (3,) m/s2; that of the environment unless given.
    touches
        What touches, if that is known already; see `touching`.

    Returns
    -------
    SupportRegion
        Empty if nothing touches.
    """
    standing = carried(bodies)
    pull = gravity_of(standing, gravity)
    known = touching(standing, grounds) if touches is None else several(touches, Touch)
    points = np.concatenate([np.zeros((0, 3)), *(touch.points for touch in known)])
    return region_of(points, pull)


def stability_margin(
    bodies: KinBody | Iterable[KinBody],
    grounds: Ground | Iterable[Ground],
    *,
    gravity: ArrayLike | None = None,
) -> float:
    """Return the margin of the centre of mass in the support polygon, metres.

    The signed distance of the projected centre of mass, of the bodies and all that
    they hold, to the nearest edge of `support_polygon`: negative outside, ``-inf`` if
    nothing touches.
    """
    standing = carried(bodies)
    region = support_polygon(standing, grounds, gravity=gravity)
    return region.margin(center_of_mass(standing))
