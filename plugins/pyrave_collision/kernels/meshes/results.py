"""Results of queries about meshes: nearest points and contacts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave_collision.kernels.meshes.nodes import moved

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()

NEAREST = 9
"""Numbers of a nearest pair: a point of the first solid, one of the second, and the
unit normal from the first to the second, 0 if they overlap."""
CONTACT = 8
"""Numbers of a contact: position, unit normal out of the first solid, depth; and the
triangle of the first mesh, counted in the order of its leaves, or -1."""


def write_nearest(pose: F64, pair: F64, out: F64) -> None:
    """Write two points (6,) in the frame that a pose leads to, and their normal."""
    for c in range(0, 6, 3):
        x, y, z = moved(pose, pair[c], pair[c + 1], pair[c + 2])
        out[c], out[c + 1], out[c + 2] = x, y, z
    x, y, z = pair[3] - pair[0], pair[4] - pair[1], pair[5] - pair[2]
    length = math.sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > 0.0 else 0.0
    for r in range(3):
        along = pose[4 * r] * x + pose[4 * r + 1] * y + pose[4 * r + 2] * z
        out[6 + r] = scale * along


def keep_contact(contacts: F64, count: int, contact: F64) -> int:
    """Take a contact among the deepest; return how many there are.

    Parameters
    ----------
    contacts
        (m, `CONTACT`), of which the first `count` rows are in use, deepest first. If
        all are, the least deep one gives way.
    contact
        (`CONTACT`,).
    """
    place = count
    if count == contacts.shape[0]:
        place -= 1
        if not contact[6] > contacts[place, 6]:
            return count
    while place > 0 and contacts[place - 1, 6] < contact[6]:
        for a in range(CONTACT):
            contacts[place, a] = contacts[place - 1, a]
        place -= 1
    for a in range(CONTACT):
        contacts[place, a] = contact[a]
    return count + 1 if count < contacts.shape[0] else count


def move_contacts(pose: F64, contacts: F64, count: int) -> None:
    """Move contacts to the frame that a pose leads to."""
    for i in range(count):
        x, y, z = moved(pose, contacts[i, 0], contacts[i, 1], contacts[i, 2])
        contacts[i, 0], contacts[i, 1], contacts[i, 2] = x, y, z
        x, y, z = contacts[i, 3], contacts[i, 4], contacts[i, 5]
        for r in range(3):
            contacts[i, 3 + r] = (
                pose[4 * r] * x + pose[4 * r + 1] * y + pose[4 * r + 2] * z
            )
