"""Sizes of what joints move: weights and resolutions that fit a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from pyrave.bodies.robot import Robot
from pyrave.bodies.views.affine_limits import AffineLimits
from pyrave.databases.database import Database
from pyrave.databases.joint_spheres import JointSpheres, joint_spheres
from pyrave.databases.keys import geometry_digest, kinematics_digest
from pyrave.errors import ArgumentError, did_you_mean, shown
from pyrave.geometry import sphere_mesh
from pyrave.kinematics.affine import Affine
from pyrave.spatial import as_number, invert_pose, transform_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.pictures import Drawing
    from pyrave.spatial import Array

WeightRule = Literal["reach", "equal", "time"]
"""Meaning of weights: as far as joints move something, all alike, or as slow."""

_METRES = 0.005
_LEAST_WEIGHT = 0.02
"""Weight of joints that move nothing that has a size."""
_SMALL = 1e-7
_GREEN = (0.1, 0.7, 0.2, 0.15)


class LinkStatistics(Database):
    """Spheres around what each joint of a robot moves.

    They give weights and resolutions of its joints and of motions of its base, with
    what it holds when they are asked for.

    Parameters
    ----------
    robot
        The robot.

    Raises
    ------
    ArgumentError
        It is no robot.
    StateError
        It is in no environment.
    """

    kind = "linkstatistics"
    takes: ClassVar[Mapping[str, type]] = {"robot": Robot}

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        self.robot: Robot = self.subjects[0]

    @property
    def spheres(self) -> JointSpheres:
        """The spheres of all joints, with what the robot holds now.

        Raises
        ------
        StateError
            There are no results yet: `build` or `load` comes before.
        """
        known = JointSpheres(*(self.arrays[name] for name in _SPHERES))
        held = _held_boxes(self.robot)
        if not held:
            return known
        return joint_spheres(self.robot.model, self.arrays["boxes"], held)

    # -- for planning --------------------------------------------------------------

    def robot_weights(self, by: WeightRule = "reach", multiplier: float = 1.0) -> Array:
        """Return weights (dof,) for `KinBody.dof_weights`.

        Parameters
        ----------
        by
            ``reach``: of joints that turn, the radius of their sphere by the mean of
            all; 1 of joints that slide. ``equal``: all are 1. ``time``: the reciprocal
            of the velocity limit by the mean of all. In OpenRAVE these are types 0, 1
            and, by its name, 2.
        multiplier
            Of all of them.

        Raises
        ------
        ArgumentError
            No such rule, or a multiplier that is not positive.
        StateError
            There are no results yet.
        """
        model, radii = self.robot.model, self._radii()
        turning = ~model.prismatic[: model.n_dof]
        weights = np.ones(model.n_dof)
        match self._rule(by):
            case "reach" if turning.any():
                mean = float(radii[turning].mean())
                if mean > _SMALL:
                    weights[turning] = radii[turning] / mean
                    weights[turning & (weights <= _SMALL)] = _LEAST_WEIGHT
            case "time":
                times = 1.0 / np.maximum(self.robot.dof_velocity_limits, _SMALL)
                weights = times / times.mean() if len(times) else times
        return weights * as_number(multiplier, "multiplier", _SMALL)

    def robot_resolutions(
        self, metres: float = _METRES, *, is_bound: bool = False
    ) -> Array:
        """Return resolutions (dof,) for `KinBody.dof_resolutions`, radians or metres.

        Parameters
        ----------
        metres
            Length of a step: that of a joint that turns is `metres` by the radius of
            its sphere.
        is_bound
            True: no point goes farther than `metres` in a step of one joint, as it is
            divided by `JointSpheres.reaches`. False: as in OpenRAVE, whose spheres need
            not be about the axis, and are of joints at 0.

        Raises
        ------
        ArgumentError
            `metres` is not a positive number.
        StateError
            There are no results yet.
        """
        step = as_number(metres, "metres", 1e-9)
        model = self.robot.model
        spheres = self.spheres
        sizes = self._of_dofs(spheres.reaches if is_bound else spheres.radii)
        turning = ~model.prismatic[: model.n_dof] & (sizes > _SMALL)
        found = np.full(model.n_dof, step)
        found[turning] = step / sizes[turning]
        return found

    def affine_weights(
        self, by: WeightRule = "reach", multiplier: float = 1.0
    ) -> AffineLimits:
        """Return the limits of the base's motions with weights of the same measure.

        Turning weighs as much as the base reaches: about its z axis for `ROTATION_AXIS`
        where that is the axis, else about its origin.

        Parameters
        ----------
        by
            As in `robot_weights`.
        multiplier
            Of all of them.
        """
        factor = as_number(multiplier, "multiplier", _SMALL)
        limits = self.robot.base_limits
        if self._rule(by) != "reach":
            rows = {
                kind: np.ones(kind.size) if by == "equal" else _times(limits, kind)
                for kind in _KINDS
            }
        else:
            turning = ~self.robot.model.prismatic[: self.robot.model.n_dof]
            radii = self._radii()[turning]
            mean = float(radii.mean()) if len(radii) else 0.0
            about, all_round = self._base_reaches()
            unit = mean if mean > _SMALL else 1.0
            sizes = 1.0, about / unit, all_round / unit, 2.0 * all_round / unit
            rows = {
                kind: np.full(kind.size, max(size, _LEAST_WEIGHT))
                for kind, size in zip(_KINDS, sizes, strict=True)
            }
        for kind, row in rows.items():
            limits = limits.changed(kind, weight=row * factor)
        return limits

    def affine_resolutions(self, metres: float = _METRES) -> AffineLimits:
        """Return the limits of the base's motions, with steps of a length.

        Parameters
        ----------
        metres
            No point goes farther in a step, as with ``is_bound`` of
            `robot_resolutions`.
        """
        step = as_number(metres, "metres", 1e-9)
        about, all_round = self._base_reaches()
        # a turn by an angle changes a unit quaternion by half as much
        sizes = 1.0, about, all_round, 2.0 * all_round
        limits = self.robot.base_limits
        for kind, size in zip(_KINDS, sizes, strict=True):
            limits = limits.changed(
                kind, resolution=step / size if size > _SMALL else step
            )
        return limits

    def set_robot_weights(
        self, by: WeightRule = "reach", multiplier: float = 1.0
    ) -> None:
        """Give the robot the weights of its joints and of its base.

        Parameters
        ----------
        by, multiplier
            As in `robot_weights`.
        """
        weights, base = (
            self.robot_weights(by, multiplier),
            self.affine_weights(by, multiplier),
        )
        self.robot.dof_weights = weights
        self.robot.active.affine_limits = base

    def set_robot_resolutions(
        self, metres: float = _METRES, *, is_bound: bool = False
    ) -> None:
        """Give the robot the resolutions of its joints and of its base.

        Parameters
        ----------
        metres, is_bound
            As in `robot_resolutions`.
        """
        steps = self.robot_resolutions(metres, is_bound=is_bound)
        base = self.affine_resolutions(metres)
        self.robot.dof_resolutions = steps
        self.robot.active.affine_limits = base

    def _rule(self, by: Any) -> str:
        rules = get_args(WeightRule)
        if by not in rules:
            raise ArgumentError(
                f"by is {shown(by)}, expected one of {', '.join(rules)}"
                f"{did_you_mean(str(by), rules)}"
            )
        return str(by)

    def _of_dofs(self, sizes: Array) -> Array:
        """Return sizes (dof,) of sizes of joints."""
        return np.asarray(sizes[self.robot.model.value_joint[: self.robot.dof]])

    def _radii(self) -> Array:
        return self._of_dofs(self.spheres.radii)

    def _base_reaches(self) -> tuple[float, float]:
        """Return reaches about the axis of base motions, and about the origin."""
        about, all_round = self.spheres.base_reaches.tolist()
        axis = self.robot.active.affine_rotation_axis
        is_upright = abs(axis[2]) >= (1.0 - 1e-12) * float(np.linalg.norm(axis))
        return (about if is_upright else all_round), all_round

    # -- the computation -----------------------------------------------------------

    def _identity(self) -> Mapping[str, object]:
        robot = self.robot
        return {"joints": kinematics_digest(robot), "links": geometry_digest(robot)}

    def _task_count(self) -> int:
        return 1

    def _compute(self, index: int) -> dict[str, NDArray[Any]]:
        boxes = np.array([_box(link) for link in self.robot.links])
        found = joint_spheres(self.robot.model, boxes)
        return {"boxes": boxes} | {name: getattr(found, name) for name in _SPHERES}

    def summary(self) -> dict[str, Any]:
        """Return the radius and the reach of each degree of freedom by its name."""
        said = {}
        for name in ("radii", "reaches"):
            sizes = self._of_dofs(self.arrays[name]).tolist()
            for joint, size in zip(self.robot.dof_names, sizes, strict=True):
                said[f"{name}.{joint}"] = size
        return said

    def show(self) -> list[Drawing]:
        """Draw the spheres of the joints where the robot's base is, all joints at 0."""
        spheres, draw = self.spheres, self.env.draw
        places = transform_points(self.robot.transform, spheres.centres)
        drawn = []
        for place, radius in zip(places, spheres.radii.tolist(), strict=True):
            if radius > 0.0:
                ball = sphere_mesh(radius)
                drawn.append(draw.mesh(ball.vertices + place, ball.faces, color=_GREEN))
        return drawn


_SPHERES = tuple(one.name for one in fields(JointSpheres))
_KINDS = (
    Affine.X | Affine.Y | Affine.Z,
    Affine.ROTATION_AXIS,
    Affine.ROTATION_3D,
    Affine.ROTATION_QUAT,
)


def _times(limits: AffineLimits, kind: Affine) -> Array:
    """Return reciprocals of the velocities of base motions, by their mean."""
    times = 1.0 / np.maximum(limits.of(kind, "velocity"), _SMALL)
    return np.asarray(times / times.mean())


def _box(link: Link) -> Array:
    """Return centre and half extents (2, 3) of a link in its frame; nan: none."""
    found = link.local_aabb
    return np.full((2, 3), np.nan) if found is None else np.array(found)


def _held_boxes(robot: Robot) -> dict[int, list[Array]]:
    """Return boxes (2, 3) of what a robot holds, in the frames of its links."""
    found: dict[int, list[Array]] = {}
    for body in robot.grabbed:
        link = robot.grabs.link_of(body)
        if link is None:
            continue
        boxes = found.setdefault(link.index, [])
        boxes += _boxes_in(body, link)
    return found


def _boxes_in(body: KinBody, holder: Link) -> list[Array]:
    """Return boxes of the links of a body, in the frame of a link that holds it."""
    inverse = invert_pose(holder.pose_view)
    found = []
    for link in body.links:
        box = link.local_aabb
        if box is None:
            continue
        there = inverse @ link.pose_view
        # only the length of the half extents counts, so they need not be turned
        found.append(np.array((there[:3, :3] @ box[0] + there[:3, 3], box[1])))
    return found
