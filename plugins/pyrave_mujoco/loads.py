"""Forces and efforts that users ask for, for one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.bodies.joint import Joint
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link
    from pyrave.spatial import Array
    from pyrave_mujoco.scene import Scene


class Loads:
    """What pushes links and joints during the next step."""

    def __init__(self) -> None:
        self._forces: dict[Link, Array] = {}
        self._torques: dict[Link, Array] = {}
        self._efforts: dict[KinBody, Array] = {}

    def __bool__(self) -> bool:
        return bool(self._forces or self._torques or self._efforts)

    def clear(self) -> None:
        """Forget all."""
        self._forces.clear()
        self._torques.clear()
        self._efforts.clear()

    def forget(self, body: KinBody) -> None:
        """Forget what is about a body."""
        self._efforts.pop(body, None)
        for known in (self._forces, self._torques):
            for link in [one for one in known if one.body is body]:
                del known[link]

    def push(self, link: Link, force: Array, position: Array, add: bool) -> None:
        """Apply a force (3,) at a point (3,) of the world."""
        wrench = np.concatenate((force, np.cross(position - link.global_com, force)))
        if add and link in self._forces:
            wrench += self._forces[link]
        self._forces[link] = wrench

    def turn(self, link: Link, torque: Array, add: bool) -> None:
        """Apply a torque (3,)."""
        known = self._torques.get(link)
        self._torques[link] = torque + known if add and known is not None else torque

    def drive(self, joint: Joint, efforts: Array) -> None:
        """Add efforts (joint.dof,) to a joint."""
        body = joint.body
        known = self._efforts.setdefault(body, np.zeros(body.model.n_values))
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
        parts = {part.body: part for part in scene.parts}
        for link, wrench in self._forces.items():
            data.xfrc_applied[parts[link.body].ids[link.index]] += wrench
        for link, torque in self._torques.items():
            data.xfrc_applied[parts[link.body].ids[link.index], 3:] += torque
        for body, efforts in self._efforts.items():
            part = parts[body]
            efforts = _within_limits(body, efforts)  # noqa: PLW2901
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
