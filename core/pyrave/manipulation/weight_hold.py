"""Weights that a hand holds with friction, proven by the forces of its contacts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.grasping import Closure, Grasper
from pyrave.grasping.hands import hand_links
from pyrave.kinematics.limits import LimitCheck
from pyrave.scene.surfaces import class_of, frictions
from pyrave.spatial import invert_pose
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.grasping import ContactSet
    from pyrave.spatial import Array

_SHAKES = np.vstack((np.zeros(3), np.eye(3), -np.eye(3)))


class WeightHold:
    """The load of a hand that holds a body: its weight, and the force that moves it.

    All contacts of the closed hand count, with the corners of flat patches. The forces
    that hold the load are found by `pyrave.grasping.Closure`, their sum no larger than
    what the torque limits of the gripper push with.

    Parameters
    ----------
    arm
        With a gripper that closes.
    body
        With mass, held by nothing.
    friction
        Coulomb's coefficient.
    acceleration
        m/s² in any direction, as well.
    """

    def __init__(
        self, arm: Manipulator, body: KinBody, friction: float, acceleration: float
    ) -> None:
        self.arm, self.body = arm, body
        self.friction, self.acceleration = friction, acceleration
        self._grasper = Grasper(arm, body, friction=friction)
        self._mass = sum(link.mass for link in body.links)

    def lack(self, values: Array) -> str:
        """Return the lack of a hand that is closed at values, empty if it holds it.

        The robot is there, but for the fingers.
        """
        arm, body = self.arm, self.body
        pose = invert_pose(body.transform) @ arm.transform
        grasp = self._grasper.grasp(pose, preshape=values)
        if grasp is None:
            return "no finger touches it"
        most = self._force(grasp.contacts, values)
        closure = Closure(
            grasp.contacts, center=self._grasper.center, length=self._grasper.length
        )
        shakes = _SHAKES if self.acceleration > 0.0 else _SHAKES[:1]
        pulls = body.env.gravity + self.acceleration * shakes
        for pull in self._mass * pulls @ body.transform[:3, :3]:
            hold = closure.hold((*pull, 0.0, 0.0, 0.0), max_force=most)
            # where numbers are too close to say, the least friction more would do
            if hold.state == "slips" or hold.least > most:
                return self._words(float(np.linalg.norm(pull)), hold.least, most)
        return ""

    def _force(self, contacts: ContactSet, values: Array) -> float:
        """Return the sum of normal forces that fingers push with at least, newtons.

        Torques and forces do the same work: no sum of normal forces times the speeds
        of contacts along the normals is larger than that of torques times the rates.
        """
        arm, robot = self.arm, self.arm.robot
        fingers, rates = arm.gripper_indices, arm.chucking_direction
        limits = robot.dof_torque_limits[fingers]
        if not limits[rates != 0.0].all():
            return math.inf
        there = contacts.moved(self.body.transform)
        with robot.preserve_state(StateParts.TRANSFORMS):
            robot.set_dof_values(values, fingers, limits=LimitCheck.NONE)
            speeds = [
                way @ (robot.jacobian(name, point)[:3, fingers] @ rates)
                for name, point, way in zip(
                    there.links, there.points, there.normals, strict=True
                )
            ]
        fastest = max(speeds, default=0.0)
        power = float(limits @ np.abs(rates))
        return power / fastest if fastest > 0.0 else math.inf

    def _words(self, load: float, least: float, most: float) -> str:
        said = f"with friction {self.friction:g} the fingers do not hold {load:.3g} N"
        if self.acceleration > 0.0:
            said += f", its weight and {self.acceleration:g} m/s² in any direction"
        if math.isfinite(least):
            said += f": that takes normal forces of {least:.3g} N, and they have "
            said += f"{most:.3g} N"
        return said


def friction_between(arm: Manipulator, body: KinBody) -> float | None:
    """Return Coulomb's coefficient of a hand and a body, None where it is not known.

    The least of the laws that the contact properties of the environment have for their
    links.
    """
    properties = body.env.contact_properties
    laws = frictions(properties)
    if not laws:
        return None
    fingers = {class_of(link.description, properties)[0] for link in hand_links(arm)}
    aims = {class_of(link.description, properties)[0] for link in body.links}
    found = [laws.get(frozenset((a, b))) for a in fingers for b in aims]
    known = [law.coefficient for law in found if law is not None]
    return min(known) if len(known) == len(found) else None
