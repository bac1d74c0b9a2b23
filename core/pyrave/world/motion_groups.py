"""Bodies whose state an engine writes for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array


class MotionGroup:
    """States of bodies as rows of a few arrays that an engine writes in place.

    The bodies read their rows: an engine that moved thousands of them calls `moved`
    once, and nobody calls a body. A body that somebody else moves, or gives another
    velocity, has its own arrays until the engine takes it in again (`adopt`), and is
    in `changed` until then.

    Parameters
    ----------
    bodies
        In the order of their rows.
    changed
        Where bodies are noted; groups of one engine may share it.

    Attributes
    ----------
    poses
        (n, 4, 4) T_world_link of all links.
    values, rates
        (m,) degrees of freedom, and their velocities.
    velocities
        (k, 6) of the base links, linear first, world axes.
    rows, links, dofs
        Row of each body, and those of its links and degrees of freedom.
    steps
        How often an engine moved them.
    is_dissolved
        Whether no engine moves them any longer.
    """

    def __init__(self, bodies: Sequence[Any], changed: set[Any]) -> None:
        self.bodies = tuple(bodies)
        self.changed = changed
        self.steps = 0
        self.is_dissolved = False
        self.links: dict[Any, slice] = {}
        self.dofs: dict[Any, slice] = {}
        link = dof = 0
        for body in self.bodies:
            self.links[body] = slice(link, link + body.model.n_links)
            self.dofs[body] = slice(dof, dof + body.dof)
            link, dof = self.links[body].stop, self.dofs[body].stop
        self.poses: Array = np.zeros((link, 4, 4))
        self.values: Array = np.zeros(dof)
        self.rates: Array = np.zeros(dof)
        self.velocities: Array = np.zeros((len(self.bodies), 6))
        self.rows = {body: row for row, body in enumerate(self.bodies)}
        self._members = frozenset(self.bodies)

    def adopt(self, body: Any) -> None:
        """Copy the state of a body into its rows, and let it read these from now on."""
        links, dofs, row = self.links[body], self.dofs[body], self.rows[body]
        self.poses[links] = body.transforms_view
        self.values[dofs] = body.dof_values_view
        self.rates[dofs] = body.dof_velocities
        self.velocities[row] = body.base_velocity
        body.join_motion(
            self,
            self.poses[links],
            self.values[dofs],
            self.rates[dofs],
            self.velocities[row],
        )

    def watch(self) -> None:
        """Have bodies that nobody moves here noted in `changed`; they keep arrays."""
        for body in self.bodies:
            body.join_motion(self)

    def moved(self) -> None:
        """Note that an engine moved all bodies."""
        self.steps += 1
        for body in self.bodies[:1]:
            if body.pending is not None:
                body.pending.moved |= self._members
                if self.steps == 1:  # then it is known that they move together
                    body.pending.unpublished |= self._members

    def dissolve(self) -> None:
        """Let go of all bodies: they keep their states, and nobody writes to these."""
        self.is_dissolved = True
        for body in self.bodies:
            body.leave_motion(self)
