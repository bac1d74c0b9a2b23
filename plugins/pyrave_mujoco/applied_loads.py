"""Forces and efforts that users ask for, for one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array
    from pyrave_mujoco.scene import Scene


Place = tuple[str, int]
"""Name of a body, and index of a link."""
Kept = tuple[dict[Place, "Array"], dict[Place, "Array"], dict[str, "Array"]]
"""Forces and torques by links, efforts by names of bodies."""


class Loads:
    """Forces and torques on links and joints during the next step."""

    def __init__(self) -> None:
        self._forces: dict[Place, Array] = {}
        self._torques: dict[Place, Array] = {}
        self._efforts: dict[str, Array] = {}

    def __bool__(self) -> bool:
        return bool(self._forces or self._torques or self._efforts)

    def clear(self) -> None:
        """Forget all."""
        self._forces.clear()
        self._torques.clear()
        self._efforts.clear()

    def forget(self, body: KinBody) -> None:
        """Forget what is about a body."""
        self._efforts.pop(body.name, None)
        for known in (self._forces, self._torques):
            for place in [one for one in known if one[0] == body.name]:
                del known[place]

    def keep(self) -> Kept:
        """Return all, for a copy."""
        forces = {place: one.copy() for place, one in self._forces.items()}
        torques = {place: one.copy() for place, one in self._torques.items()}
        return (
            forces,
            torques,
            {name: one.copy() for name, one in self._efforts.items()},
        )

    def restore(self, kept: Kept) -> None:
        """Take over what a copy knew, in place of all."""
        forces, torques, efforts = kept
        self._forces, self._torques = dict(forces), dict(torques)
        self._efforts = {name: one.copy() for name, one in efforts.items()}

    def push(self, link: Link, force: Array, position: Array, add: bool) -> None:
        """Apply a force (3,) at a point (3,) of the world."""
        wrench = np.concatenate((force, np.cross(position - link.global_com, force)))
        place = link.body.name, link.index
        if add and place in self._forces:
            wrench += self._forces[place]
        self._forces[place] = wrench

    def turn(self, link: Link, torque: Array, add: bool) -> None:
        """Apply a torque (3,)."""
        place = link.body.name, link.index
        known = self._torques.get(place)
        self._torques[place] = torque + known if add and known is not None else torque

    def drive(self, joint: Joint, efforts: Array) -> None:
        """Add efforts (joint.dof,) to a joint."""
        body = joint.body
        known = self._efforts.setdefault(body.name, np.zeros(body.model.n_values))
        first, count = body.model.joint_values[joint.index].tolist()
        known[first : first + count] += efforts

    def apply(self, scene: Scene) -> dict[KinBody, Array]:
        """Write all into the data of a scene, in place of what was there.

        Returns
        -------
        dict
            (dof,) efforts within the limits, of bodies that have any.
        """
        data = scene.data
        if scene.is_pushed:
            data.xfrc_applied[:] = 0.0
            data.qfrc_applied[:] = 0.0
        scene.is_pushed = bool(self)
        given: dict[KinBody, Array] = {}
        if not self:
            return given
        # a copy may lack bodies
        parts = {part.body.name: part for part in scene.parts}
        for (name, link), wrench in self._forces.items():
            if name in parts:
                data.xfrc_applied[parts[name].ids[link]] += wrench
        for (name, link), torque in self._torques.items():
            if name in parts:
                data.xfrc_applied[parts[name].ids[link], 3:] += torque
        for part in scene.parts if self._efforts else ():
            body = part.body
            if body.name not in self._efforts:
                continue
            efforts = _within_limits(body, self._efforts[body.name])
            given[body] = efforts[: body.dof]
            data.qfrc_applied[part.rates] += efforts[part.values]
            for ball in part.balls:
                own = efforts[ball.value : ball.value + 3]
                turn = ball.turning(ball.vector(data.qpos))
                data.qfrc_applied[ball.rate : ball.rate + 3] += np.linalg.solve(
                    turn.T, own
                )
        return given


def _within_limits(body: KinBody, efforts: Array) -> Array:
    """Return efforts, those of degrees of freedom within their torque limits."""
    limits = body.dof_torque_limits
    limits[limits <= 0.0] = np.inf
    given = efforts.copy()
    given[: body.dof] = np.clip(efforts[: body.dof], -limits, limits)
    return given
