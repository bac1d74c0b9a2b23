"""Contact areas of links: where a robot may touch its surroundings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from pyrave.scene.geometry import Box, Cylinder, Sphere, TriMesh
from pyrave.scene.location import Location
from pyrave.scene.pose import IDENTITY, Pose

ContactShape = Box | Cylinder | Sphere | TriMesh


@dataclass(frozen=True, slots=True)
class ContactDescription:
    """A part of a link's surface that may bear load, for example the sole of a foot.

    The link may be pushed against its outward normals: a touch counts where the normal
    of the ground and that of the area are opposite. This is the contact element that
    T. Moulard proposed for URDF in 2012.

    Parameters
    ----------
    shape
        The area is the surface of this solid, with outward normals.
    name
        May be empty.
    pose
        T_link_contact.
    max_normal_force
        Largest force along the normal that the area may bear, newtons; infinite: any.
    """

    shape: ContactShape
    name: str = ""
    pose: Pose = IDENTITY
    max_normal_force: float = math.inf
    location: Location | None = field(default=None, compare=False, repr=False)
