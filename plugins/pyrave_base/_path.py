"""Following a trajectory: what a robot should do at a time along it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.trajectory import TrajectoryBase
from pyrave.kinematics import angle_difference
from pyrave.spatial import pose_from_wxyz_xyz

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.spatial import Array, Indices
    from pyrave.trajectories.specification import ConfigurationSpecification

_TIME_TOLERANCE = 1e-9
_INSTANT = 1e-3
"""Over which the motion at a moment is measured, seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Where joints are, or should be: (n,) values, rates and accelerations."""

    values: Array
    rates: Array
    accelerations: Array


def has_waypoints(trajectory: TrajectoryBase) -> bool:
    """Return whether there is anything to follow; ArgumentError for other objects."""
    if not isinstance(trajectory, TrajectoryBase):
        raise ArgumentError(
            f"the path is {trajectory!r}, expected a trajectory or None; "
            "env.create('trajectory', '') makes one"
        )
    return trajectory.get_num_waypoints() > 0


def difference(robot: KinBody, dofs: Indices, a: Array, b: Array) -> Array:
    """Return (n,) values a less b, the short way round for circular joints."""
    periods = robot.model.circular_periods[: robot.dof][dofs]
    return angle_difference(a - b, periods)


@dataclass(frozen=True, slots=True)
class GrabRule:
    """One value of a trajectory that says what a link holds.

    Parameters
    ----------
    column
        Index of the value in a configuration.
    link
        Name or index of the robot's link, None: where the robot grabs by default.
    body
        Name of the body of a ``grabbody`` group: grabbed while the value is positive,
        released otherwise. None for ``grab`` groups: value k grabs the k-th body of
        the environment (from 1), -k releases it, 0 does nothing.
    T_link_body
        (4, 4) where the body is put in the link before it is grabbed, or None.
    """

    column: int
    link: str | int | None
    body: str | None
    T_link_body: Array | None

    def wanted(self, env: EnvironmentProtocol, value: float) -> tuple[str, bool] | None:
        """Return (body, whether to hold it) for a sampled value, None for nothing."""
        number = math.floor(value + 0.5)
        if self.body is not None:
            return self.body, number > 0
        if number == 0:
            return None
        return env.bodies[abs(number) - 1].name, number > 0

    def link_of(self, robot: Robot) -> Link:
        """Return the link that grabs."""
        return robot.links[
            robot.default_grab_link() if self.link is None else self.link
        ]


@dataclass(frozen=True, slots=True, eq=False)
class SavedPath:
    """A trajectory by id and state, with the time along it; it pickles."""

    interface_id: str
    state: Any
    time: float

    def trajectory(self, env: EnvironmentProtocol) -> TrajectoryBase:
        """Return a trajectory of an environment with the state."""
        twin: Any = env.create("trajectory", self.interface_id)
        twin.set_state(self.state)
        return twin  # type: ignore[no-any-return]


class PathFollower:
    """A trajectory with a clock, seen from one robot and some of its joints.

    Parameters
    ----------
    trajectory
        Not shared: later changes would change the path.
    robot
        The robot that follows; it is not kept.
    dof_indices
        The joints that follow.
    control_transform
        Whether the base follows too.

    Raises
    ------
    ArgumentError
        The trajectory has waypoints but no times, or a grab group makes no sense.
    """

    def __init__(
        self,
        trajectory: TrajectoryBase,
        robot: Robot,
        dof_indices: Indices,
        control_transform: bool,
    ) -> None:
        self.trajectory = trajectory
        self.state = trajectory.get_state()
        self.time = 0.0
        spec = trajectory.spec
        if not any(group.kind == "deltatime" for group in spec.groups):
            raise ArgumentError(
                "the trajectory has no 'deltatime' group, so that its waypoints have "
                "no times; add one with add_delta_time_group() or retime it"
            )
        self.duration = trajectory.duration
        self._spec = spec
        self._indices = dof_indices
        used, _ = spec.extract_used_indices(robot)
        self._moves_joints = bool(np.isin(used, dof_indices).any())
        base = spec.find_compatible_group(f"affine_transform {robot.name} 39")
        self._moves_base = control_transform and base is not None
        self.grabs = _grab_rules(spec, robot)

    @property
    def concerns_robot(self) -> bool:
        """True if the trajectory says anything about what is controlled."""
        return self._moves_joints or self._moves_base or bool(self.grabs)

    @property
    def finished(self) -> bool:
        """True when the clock has reached the end."""
        return self.time >= self.duration

    def advance(self, dt: float) -> None:
        """Move the clock on by `dt` seconds, at most to the end."""
        self.time += dt
        # the sum of many steps must not miss the end by its rounding errors
        if self.time > self.duration - _TIME_TOLERANCE * max(1.0, self.duration):
            self.time = self.duration

    def sample(self) -> Array:
        """Return the trajectory's configuration (spec.dof,) at the clock's time."""
        return self.trajectory.sample(self.time)

    def joint_values(self, sample: Array, robot: KinBody) -> Array | None:
        """Return the controlled joints' values, or None if it has none of them.

        Joints that the trajectory leaves out keep their present values.
        """
        if not self._moves_joints:
            return None
        present = robot.dof_values[self._indices]
        return self._spec.extract_joint_values(
            sample, robot, self._indices, default=present
        )

    def motion(
        self, robot: KinBody, dt: float, *, paused: bool = False
    ) -> Motion | None:
        """Return where the controlled joints should be `dt` later, None for anywhere.

        Rates and accelerations are differences over one step, so that they exist for
        any interpolation. At both ends, and while it is paused, joints stand.
        """
        now = min(self.time if paused else self.time + dt, self.duration)
        h = dt or _INSTANT
        before, here, after = (
            self.joint_values(self.trajectory.sample(one), robot)
            for one in (max(now - h, 0.0), now, min(now + h, self.duration))
        )
        if before is None or here is None or after is None:
            return None
        forth = difference(robot, self._indices, after, here) / h
        back = difference(robot, self._indices, here, before) / h
        if paused:
            forth = back = np.zeros(len(here))
        return Motion(here, 0.5 * (forth + back), (forth - back) / h)

    def saved(self) -> SavedPath:
        """Return what `resumed` makes a twin of."""
        return SavedPath(self.trajectory.interface_id, self.state, self.time)

    def base_pose(self, sample: Array, robot: KinBody) -> Array | None:
        """Return the base pose (4, 4), or None if it is not controlled."""
        if not self._moves_base:
            return None
        return self._spec.extract_transform(sample, robot, robot.transform)


def _grab_rules(spec: ConfigurationSpecification, robot: Robot) -> tuple[GrabRule, ...]:
    rules: list[GrabRule] = []
    for group in spec.groups:
        words = group.arguments
        if group.kind == "grab" and words[:1] in {(), (robot.name,)}:
            for i in range(group.dof):
                link = _link_key(words[1 + i]) if len(words) > 1 + i else None
                rules.append(GrabRule(group.offset + i, link, None, None))
        elif group.kind == "grabbody":
            if not words:
                raise ArgumentError(
                    f"group {group.name!r} names no body; expected 'grabbody BODY "
                    "[ROBOT [LINK [qw qx qy qz x y z]]]'"
                )
            if len(words) > 1 and words[1] != robot.name:
                continue
            link = _link_key(words[2]) if len(words) > 2 else None
            rules.append(
                GrabRule(group.offset, link, words[0], _pose(group.name, words))
            )
    for rule in rules:
        if rule.link is not None:
            _ = robot.links[rule.link]
    return tuple(rules)


def _link_key(word: str) -> str | int:
    return int(word) if word.isdecimal() else word


def _pose(name: str, words: tuple[str, ...]) -> Array | None:
    if len(words) <= 3:
        return None
    try:
        return pose_from_wxyz_xyz([float(word) for word in words[3:]])
    except ValueError as error:
        raise ArgumentError(
            f"group {name!r}: the pose of the body in the link is not seven numbers "
            f"qw qx qy qz x y z ({error})"
        ) from error
