"""Links that lose a part of their velocity in each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave_mujoco.scene import Scene


class Damping:
    """Forces that take a fraction of the velocities of links in a step.

    They act at the centre of mass, ``-d m v / dt`` and ``-d I w / dt``, for a whole
    step of the environment: a free link keeps ``1 - d`` of its velocity. So does ODE,
    from which RobWork has these fractions; their effect depends on the length of steps.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        rows = [
            (
                int(part.ids[k]),
                link.dynamics.linear_damping,
                link.dynamics.angular_damping,
            )
            for part in scene.parts
            if part.moves
            for k, link in enumerate(part.body.description.links)
            if link.dynamics.linear_damping or link.dynamics.angular_damping
        ]
        moves = scene.model.body_weldid
        self._rows = [row for row in rows if moves[row[0]] > 0]

    def apply(self, dt: float) -> None:
        """Add the forces for a step of `dt` seconds to those of users."""
        if not self._rows:
            return
        scene, model, data = self._scene, self._scene.model, self._scene.data
        library = scene.library
        library.mj_kinematics(model, data)
        library.mj_comPos(model, data)
        library.mj_comVel(model, data)
        scene.is_pushed = True
        velocity, kind = np.zeros(6), int(library.mjtObj.mjOBJ_BODY)
        for number, linear, angular in self._rows:
            library.mj_objectVelocity(model, data, kind, number, velocity, 0)
            turn = data.ximat[number].reshape(3, 3)
            spin = turn @ (model.body_inertia[number] * (turn.T @ velocity[:3]))
            data.xfrc_applied[number, :3] -= (
                linear / dt * model.body_mass[number] * velocity[3:]
            )
            data.xfrc_applied[number, 3:] -= angular / dt * spin
