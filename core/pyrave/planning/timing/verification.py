"""Whether trajectories keep what limits them, and touch nothing."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.interfaces import CollisionOptions, TrajectoryBase
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning.search.joint_space import JointSpace
from pyrave.spatial import as_number, as_numbers
from pyrave.trajectories import ConfigurationSpecification
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import CollisionCheckerBase, EnvironmentProtocol
    from pyrave.spatial import Array

_MOST_SAMPLES = 10_000_000

_BETWEEN = 32
"""Places between samples at which it is looked who collides."""


@dataclass(frozen=True, slots=True)
class Violation:
    """What a trajectory does that it should not, where it is worst.

    Parameters
    ----------
    kind
        ``"position"``, ``"velocity"``, ``"acceleration"``, ``"jerk"``, ``"torque"`` or
        ``"collision"``.
    time
        Seconds; of a collision, the first time.
    what
        The joint, or the links that collide.
    amount
        By how much a limit is passed, in its unit; depth of a collision, metres.
    """

    kind: Literal["position", "velocity", "acceleration", "jerk", "torque", "collision"]
    time: float
    what: str
    amount: float

    def __str__(self) -> str:
        if self.kind == "collision":
            return f"{self.what} collide at {self.time:.3f} s"
        return (
            f"{self.what} passes its {self.kind} limit by {self.amount:.3g} at "
            f"{self.time:.3f} s"
        )


def verify(
    body: KinBody,
    trajectory: TrajectoryBase,
    *,
    step: float = 1e-3,
    tolerance: float = 1e-6,
    jerk_limits: ArrayLike | None = None,
    collisions: bool = True,
) -> tuple[Violation, ...]:
    """Return which limits a trajectory of a body passes, and whether the body collides.

    The trajectory is sampled, and velocities and accelerations are taken from what it
    does: differences of positions from sample to sample, not what its waypoints say.
    The body stays where it is. Limits are those of the joints in the trajectory;
    collisions are compared where it moves the base to, too, one by one.

    Parameters
    ----------
    step
        Seconds between samples.
    tolerance
        Parts of a limit by which it may be passed.
    jerk_limits
        (dof,) of all joints, or one number; None does not ask for jerks.
    collisions
        Ask the environment's checker about each sample, too.

    Returns
    -------
    One for each joint and kind of limit, and one for the first collision of what moves;
    empty if there is nothing.

    Raises
    ------
    StateError
        The body is in no environment, or the trajectory has no times.
    ArgumentError
        The trajectory has no values of the body's joints, or too many samples.
    """
    env = env_of(body)
    times, values, moving = sampled(body, trajectory, as_number(step, "step", 1e-9))
    slack = as_number(tolerance, "tolerance", 0.0)
    jerks = None if jerk_limits is None else as_numbers(jerk_limits, "jerk_limits")
    if jerks is not None and jerks.shape not in {(), (body.dof,)}:
        raise ArgumentError(
            f"jerk_limits have the shape {jerks.shape}, expected ({body.dof},)"
        )
    if jerks is not None:
        jerks = np.broadcast_to(jerks, body.dof)[moving]
    # by joints, then samples: the loops inside of numpy are long
    rows = np.ascontiguousarray(values[:, moving].T)
    found = limit_violations(body, times, rows, moving, slack, jerks)
    if collisions:
        moved = [moving[k] for k in np.flatnonzero((rows != rows[:, :1]).any(axis=1))]
        bases = _bases(body, trajectory, times)
        found += _first_collision(
            env.collision_checker, body, times, values, moved, bases
        )
    return tuple(found)


def limit_violations(
    body: KinBody,
    times: Array,
    values: Array,
    which: Sequence[int],
    slack: float,
    jerks: Array | None,
) -> list[Violation]:
    """Return which limits the values (k, m) of joints pass.

    Parameters
    ----------
    times
        (m,) seconds, evenly apart.
    which
        k joints.
    slack
        Parts of a limit by which it may be passed.
    jerks
        (k,) limits, None not to ask for jerks.
    """
    lower, upper = (limits[which, None] for limits in body.dof_limits)
    step = times[1] if len(times) > 1 else 1.0
    rates = np.diff(values) / step
    changes = np.diff(rates) / step
    fastest = body.dof_velocity_limits[which, None]
    hardest = body.dof_acceleration_limits[which, None]
    passed: dict[
        Literal["position", "velocity", "acceleration", "jerk"], tuple[Array, Array]
    ]
    passed = {
        "position": (np.maximum(values - upper, lower - values), upper - lower),
        "velocity": (np.abs(rates) - fastest, fastest),
        "acceleration": (np.abs(changes) - hardest, hardest),
    }
    if jerks is not None:
        # what rounding of positions makes of third differences
        rounding = 4.0 * np.finfo(float).eps * np.abs(values).max(initial=1.0)
        thirds = np.abs(np.diff(changes) / step) - rounding / step**3
        passed["jerk"] = thirds - jerks[:, None], jerks[:, None]
    found = []
    for kind, (beyond, limits) in passed.items():
        for k in np.flatnonzero((beyond > slack * limits).any(axis=1)).tolist():
            worst = int(beyond[k].argmax())
            name = f"joint {body.dof_names[which[k]]!r}"
            amount = float(beyond[k, worst])
            found.append(Violation(kind, float(times[worst]), name, amount))
    return found


def _first_hit(checker: CollisionCheckerBase, body: KinBody, values: Array) -> int:
    """Return at or behind which row of joint values (n, dof) it collides, or -1."""
    robot = cast("Robot", body) if body.is_robot else None
    if robot is not None and len(robot.active_dof_indices):
        if not np.array_equal(values[0], robot.dof_values):
            robot.set_dof_values(values[0], limits=LimitCheck.NONE)
        try:
            space = JointSpace(robot)
        except NotSupportedError:
            pass  # the general way is as good, and slower
        else:
            return space.first_hit(values[:, robot.active_dof_indices])
    hits = checker.check_configurations(body, values)
    return int(np.argmax(hits)) if hits.any() else -1


def _bases(body: KinBody, trajectory: TrajectoryBase, times: Array) -> Array | None:
    """Return poses (m, 4, 4) of the base, None if the trajectory does not move it."""
    spec = trajectory.spec
    if spec.find_compatible_group(f"affine_transform {body.name} 39") is None:
        return None
    rows = trajectory.sample_points(times)
    return spec.extract_transform(rows, body, body.transform)


def _first_hit_of_base(
    checker: CollisionCheckerBase, body: KinBody, values: Array, bases: Array
) -> int:
    """Return the first sample of a moved base that collides, or -1; it stays there."""
    for k, (pose, row) in enumerate(zip(bases, values, strict=True)):
        body.transform = pose
        body.set_dof_values(row, limits=LimitCheck.NONE)
        checker.synchronise()
        if checker.check_collision(body) or checker.check_self_collision(body):
            return k
    return -1


def _first_collision(
    checker: CollisionCheckerBase,
    body: KinBody,
    times: Array,
    values: Array,
    moved: list[int],
    bases: Array | None,
) -> list[Violation]:
    """Return the first collision of what joints and the base move, if there is one."""
    options = checker.get_collision_options() | CollisionOptions.CONTACTS
    parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
    with ExitStack() as stack:
        stack.enter_context(body.preserve_state(parts))
        with suppress(NotSupportedError):  # then depths are not known
            stack.enter_context(checker.options(options))
        if body.is_robot and bases is None:
            robot = cast("Robot", body)
            robot.set_active_dofs(sorted(moved))
            stack.enter_context(checker.moving_links())
        if bases is None:
            row = _first_hit(checker, body, values)
        else:
            row = _first_hit_of_base(checker, body, values, bases)
        if row < 0:
            return []
        way = values[min(row + 1, len(values) - 1)] - values[row]
        for part in np.linspace(0.0, 1.0, _BETWEEN + 1):
            (report,) = checker.check_configurations(
                body, (values[row] + part * way)[None], report=True
            )
            if report.pairs:
                break
    links = ", ".join(f"{one.first} x {one.second}" for one in report.pairs)
    depths = [contact.depth for one in report.pairs for contact in one.contacts]
    worst = max(depths, default=0.0)
    return [Violation("collision", float(times[row]), links, worst)]


def sampled(
    body: KinBody, trajectory: TrajectoryBase, step: float
) -> tuple[Array, Array, list[int]]:
    """Return times (m,), all joint values (m, dof) and which joints are in them."""
    if not isinstance(trajectory, TrajectoryBase):
        raise ArgumentError(f"expected a trajectory, got {trajectory!r}")
    own = trajectory.get_configuration_specification()
    found = [
        group
        for group in own.groups
        if group.kind == "joint_values" and group.body_name == body.name
    ]
    if not found:
        raise ArgumentError(
            f"the trajectory has no joint values of body {body.name!r}; its groups are "
            + ", ".join(group.name for group in own.groups)
        )
    indices = (group.joint_indices.tolist() for group in found)
    every = list(dict.fromkeys(chain.from_iterable(indices)))
    moving = body.model.dof_numbers(every, body.name).tolist()
    if not len(trajectory):
        raise StateError("the trajectory has no waypoints, expected one at least")
    count = int(np.ceil(trajectory.duration / step - 1e-9)) + 1
    if count > _MOST_SAMPLES:
        raise ArgumentError(
            f"{trajectory.duration:g} s in steps of {step:g} s are {count} samples, "
            f"expected {_MOST_SAMPLES} at most; take a longer step"
        )
    times = np.linspace(0.0, trajectory.duration, count)
    values = np.tile(body.dof_values, (count, 1))
    names = " ".join(map(str, moving))
    wanted = ConfigurationSpecification().add_group(
        f"joint_values {body.name} {names}", len(moving)
    )
    values[:, moving] = trajectory.sample_points(times, wanted)
    return times, values, moving


def env_of(body: KinBody) -> EnvironmentProtocol:
    """Return the environment of a body; raise `StateError` if it is in none."""
    if not isinstance(body, KinBody):
        raise ArgumentError(f"expected a body or robot, got {body!r}")
    if body.id < 0:
        raise StateError(f"{body!r} is in no environment; env.add(body) adds it")
    return body.env
