"""Where fingers touch a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.cards import counted
from pyrave.errors import ArgumentError
from pyrave.records import Record
from pyrave.spatial import Array, as_array, as_numbers, as_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_SHORTEST = 1e-9
"""Below this length a normal has no direction."""


@dataclass(frozen=True, slots=True, repr=False)
class ContactSet(Record):
    """Contacts on a body, all in one frame; read-only.

    Parameters
    ----------
    points
        (n, 3) metres.
    normals
        (n, 3) into the body, along which fingers push; made unit vectors.
    friction
        (n,) or one number, Coulomb's coefficient, 0 or more.
    links
        Names of the links that touch, one for each contact, or empty.

    Raises
    ------
    ArgumentError
        Wrong shapes, numbers that are not finite, a normal without direction, negative
        friction.
    """

    points: Array
    normals: Array
    friction: Array
    links: tuple[str, ...] = ()

    def __init__(
        self,
        points: ArrayLike = (),
        normals: ArrayLike = (),
        friction: ArrayLike = 0.5,
        links: tuple[str, ...] = (),
    ) -> None:
        places = as_array(_rows(points, "points"), (None, 3), "points").copy()
        n = len(places)
        pushes = as_array(_rows(normals, "normals"), (n, 3), "normals")
        lengths = np.linalg.norm(pushes, axis=1)
        if (lengths < _SHORTEST).any():
            row = int(np.argmin(lengths))
            raise ArgumentError(
                f"normals[{row}] is {pushes[row].tolist()}, expected a direction into "
                "the body"
            )
        rub = as_numbers(friction, "friction")
        rub = as_array(np.full(n, rub) if rub.ndim == 0 else rub, (n,), "friction")
        if (rub < 0.0).any():
            raise ArgumentError(f"friction is {rub.min():g}, expected 0 or more")
        names = tuple(links)
        if names and len(names) != n:
            raise ArgumentError(
                f"links has {len(names)} names, expected one for each of {n} contacts"
            )
        arrays = places, pushes / lengths[:, None], rub.copy()
        for name, array in zip(("points", "normals", "friction"), arrays, strict=True):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "links", names)

    def __len__(self) -> int:
        return len(self.points)

    def moved(self, transform: ArrayLike) -> ContactSet:
        """Return the same contacts in another frame, to which (4, 4) T maps this one.

        Raises
        ------
        ArgumentError
            It is no pose.
        """
        pose = as_pose(transform, "transform")
        turn = pose[:3, :3].T
        return ContactSet(
            self.points @ turn + pose[:3, 3],
            self.normals @ turn,
            self.friction,
            self.links,
        )

    def __repr__(self) -> str:
        by = f" by {', '.join(dict.fromkeys(self.links))}" if self.links else ""
        return f"<ContactSet: {counted(len(self), 'contact')}{by}>"


def _rows(value: ArrayLike, name: str) -> ArrayLike:
    """Return what is given, and no rows of three for nothing."""
    numbers = as_numbers(value, name)
    return numbers if numbers.size else np.zeros((0, 3))
