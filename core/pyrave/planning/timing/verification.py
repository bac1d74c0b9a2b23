"""Verification of trajectories: limits and collisions."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.interfaces import CollisionOptions, TrajectoryBase
from pyrave.interfaces.collision.touching_links import (
    TOUCHING,
    as_touching,
    touches_of_ends,
)
from pyrave.interfaces.trajectory import Motion, as_trajectory
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning.search.joint_space import JointSpace
from pyrave.planning.timing.between_samples import Course, first_touch
from pyrave.planning.timing.held_pieces import held_pieces
from pyrave.spatial import as_number, as_numbers
from pyrave.trajectories import ConfigurationSpecification, grab_rules
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces import CollisionCheckerBase
    from pyrave.spatial import Array

_MAX_SAMPLES = 10_000_000

_BETWEEN = 32
"""Places between samples at which it is looked who collides."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A limit that a trajectory breaks, or its first collision, where it is worst.

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


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """Checks of a trajectory and the violations found; true if there are none.

    Parameters
    ----------
    violations
        One for each joint and kind of limit, and one for the first collision.
    samples
        Times at which limits were asked, and places compared.
    step
        Seconds between them.
    gap
        Metres: no point moves further than that, between samples neither, from a place
        that is known to be free. Infinite if collisions were not asked for or found.
    """

    violations: tuple[Violation, ...]
    samples: int
    step: float
    gap: float

    def __bool__(self) -> bool:
        return not self.violations

    @property
    def cause(self) -> str:
        """The violations in words; empty if there is none."""
        return "; ".join(map(str, self.violations))

    def __str__(self) -> str:
        found = self.cause or "nothing is violated"
        looked = f"{self.samples} samples, {1e3 * self.step:.3g} ms apart"
        if self.gap < np.inf:
            looked += f", and places between: points move by {1e3 * self.gap:g} mm"
        return f"{found} ({looked})"


def verify(
    body: KinBody,
    trajectory: TrajectoryBase | Motion,
    *,
    step: float = 1e-3,
    tolerance: float = 1e-6,
    jerk_limits: ArrayLike | None = None,
    collisions: bool = True,
    touching: float | None = TOUCHING,
) -> tuple[Violation, ...]:
    """Return the limits that a body's trajectory violates, and its collisions.

    The trajectory is sampled, and velocities and accelerations are taken from what it
    does: differences of positions from sample to sample, not what its waypoints say.
    The body stays where it is. Limits are those of the joints in the trajectory;
    collisions are compared where it moves the base to, too. Between samples nothing
    touches either, but for what a point may move from a place that was compared:
    0.2 mm, or 1 mm with a checker that knows no distances; `verification` says which.
    A trajectory that grabs or releases is verified piece by piece, with what is held.

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
    touching
        Metres: pairs of links that are no deeper in each other at the start may part,
        or slide, and what the body holds may come to lie so deep at the end. Nowhere
        is a pair deeper than there. None: whatever touches collides.

    Returns
    -------
    One for each joint and kind of limit, and one for the first collision of what moves;
    empty if there is nothing.

    Raises
    ------
    StateError
        The body is in no environment, or the trajectory has no times.
    ArgumentError
        The trajectory moves neither the body's joints nor its base, or has too many
        samples.
    """
    return verification(
        body,
        trajectory,
        step=step,
        tolerance=tolerance,
        jerk_limits=jerk_limits,
        collisions=collisions,
        touching=touching,
    ).violations


def verification(
    body: KinBody,
    trajectory: TrajectoryBase | Motion,
    *,
    step: float = 1e-3,
    tolerance: float = 1e-6,
    jerk_limits: ArrayLike | None = None,
    collisions: bool = True,
    touching: float | None = TOUCHING,
) -> Verification:
    """Return the findings of `verify`, and the data that it used."""
    env, trajectory = env_of(body), as_trajectory(trajectory)
    apart = as_number(step, "step", 1e-9)
    slack = as_number(tolerance, "tolerance", 0.0)
    most = as_touching(touching)
    jerks = None if jerk_limits is None else as_numbers(jerk_limits, "jerk_limits")
    if jerks is not None and jerks.shape not in {(), (body.dof,)}:
        raise ArgumentError(
            f"jerk_limits have the shape {jerks.shape}, expected ({body.dof},)"
        )

    def checked(one: TrajectoryBase) -> Verification:
        return _verification(body, one, apart, slack, jerks, most, collisions)

    if not collisions or not grab_rules(trajectory.spec, body):
        return checked(trajectory)
    found, samples, gap = list[Violation](), 0, 0.0
    with env.preserve_state(StateParts.PLANNED):
        for piece in held_pieces(body, trajectory):
            part = checked(piece.trajectory)
            found += [
                replace(one, time=one.time + piece.begin) for one in part.violations
            ]
            samples, gap = samples + part.samples, max(gap, part.gap)
            if any(one.kind == "collision" for one in found):
                break
    return Verification(tuple(found), samples, apart, gap)


def _verification(
    body: KinBody,
    trajectory: TrajectoryBase,
    step: float,
    slack: float,
    jerk_limits: Array | None,
    touching: float | None,
    collisions: bool,
) -> Verification:
    """Return the findings about a trajectory in which what is held stays so."""
    times, values, moving = sampled(body, trajectory, step)
    jerks = jerk_limits
    if jerks is not None:
        jerks = np.broadcast_to(jerks, body.dof)[moving]
    # by joints, then samples: the loops inside of numpy are long
    rows = np.ascontiguousarray(values[:, moving].T)
    found = limit_violations(body, times, rows, moving, slack, jerks)
    gap = np.inf
    if collisions:
        moved = [moving[k] for k in np.flatnonzero((rows != rows[:, :1]).any(axis=1))]
        course = course_of(body, trajectory, times, values[0], moving)
        hit, gap = _first_collision(
            body.env.collision_checker, course, values, moved, touching
        )
        found += hit
    apart = float(times[1]) if len(times) > 1 else 0.0
    return Verification(tuple(found), len(times), apart, gap)


def course_of(
    body: KinBody,
    trajectory: TrajectoryBase,
    times: Array,
    values: Array,
    moving: list[int],
) -> Course:
    """Return a trajectory's motion of joints and of the base of a body.

    Parameters
    ----------
    times
        (m,) of its samples.
    values
        (dof,) of all joints; those that it does not move stay there.
    moving
        Joints that it does move.
    """
    wanted = _values_of(body, moving) if moving else None
    spec, stays = trajectory.spec, body.transform
    base = spec.find_compatible_group(f"affine_transform {body.name} 39") is not None

    def at(asked: Array) -> tuple[Array, Array | None]:
        rows = np.tile(values, (len(asked), 1))
        if wanted is not None:
            rows[:, moving] = trajectory.sample_points(asked, wanted)
        if not base:
            return rows, None
        all_values = trajectory.sample_points(asked)
        return rows, spec.extract_transform(all_values, body, stays)

    return Course(body, times, at, bool(moving))


def _values_of(body: KinBody, moving: list[int]) -> ConfigurationSpecification:
    names = " ".join(map(str, moving))
    return ConfigurationSpecification().add_group(
        f"joint_values {body.name} {names}", len(moving)
    )


def limit_violations(
    body: KinBody,
    times: Array,
    values: Array,
    which: Sequence[int],
    slack: float,
    jerks: Array | None,
) -> list[Violation]:
    """Return the limits that joint values (k, m) violate.

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
    store = body.limit_store
    lower, upper = (limits[which, None] for limits in store.bounds)
    step = times[1] if len(times) > 1 else 1.0
    rates = np.diff(values) / step
    changes = np.diff(rates) / step
    fastest = store.view("velocity_limits")[which, None]
    hardest = store.view("acceleration_limits")[which, None]
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


def _joint_space(body: KinBody, values: Array) -> JointSpace | None:
    """Return collisions of a robot's active joints in compiled loops, if there are.

    The robot is taken to the values (dof,).
    """
    if not body.is_robot:
        return None
    robot = cast("Robot", body)
    if not len(robot.active_dof_indices) or robot.active.affine:
        return None
    if not np.array_equal(values, robot.dof_values):
        robot.set_dof_values(values, limits=LimitCheck.NONE)
    with suppress(NotSupportedError):
        return JointSpace(robot)
    return None  # the general way is as good, and slower


def _first_collision(
    checker: CollisionCheckerBase,
    course: Course,
    values: Array,
    moved: list[int],
    touching: float | None,
) -> tuple[list[Violation], float]:
    """Return the first collision of what joints and the base move, and the gap."""
    body, times = course.body, course.times
    parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
    with ExitStack() as stack:
        stack.enter_context(body.preserve_state(parts))
        if body.is_robot and course.at(times[:1])[1] is None:
            robot = cast("Robot", body)
            robot.set_active_dofs(sorted(moved))
            stack.enter_context(checker.moving_links())
        asked, gap = _where_it_touches(checker, course, values)
        if len(asked) and touching is not None:
            touches = touches_of_ends(
                body, touching, course.place, times[0], times[-1:], itself=course.bends
            )
            if touches:
                stack.enter_context(checker.allowing(touches))
                asked, gap = _where_it_touches(checker, course, values)
        if not len(asked):
            return [], gap
        options = checker.get_collision_options() | CollisionOptions.CONTACTS
        with suppress(NotSupportedError):  # then depths are not known
            stack.enter_context(checker.options(options))
        for time in asked.tolist():
            place = course.place(time)
            checker.synchronise()
            (report,) = checker.check_configurations(body, place[None], report=True)
            if report.pairs:
                break
    links = ", ".join(f"{one.first} x {one.second}" for one in report.pairs)
    depths = [contact.depth for one in report.pairs for contact in one.contacts]
    worst = max(depths, default=0.0)
    return [Violation("collision", float(asked[0]), links, worst)], np.inf


def _where_it_touches(
    checker: CollisionCheckerBase, course: Course, values: Array
) -> tuple[Array, float]:
    """Return times around the first collision of a course, none if it is free.

    And metres that no point moves further from a place that was compared.
    """
    body, times = course.body, course.times
    space = None
    if course.at(times[:1])[1] is None:
        space = _joint_space(body, values[0])
    if space is None:
        first, gap = first_touch(checker, course)
        return np.array([first] if first < np.inf else []), gap
    active = cast("Robot", body).active_dof_indices
    row = space.first_hit(values[:, active])
    if row < 0:
        return np.empty(0), space.gap
    last = float(times[min(row + 1, len(times) - 1)])
    return np.linspace(float(times[row]), last, _BETWEEN + 1), space.gap


def sampled(
    body: KinBody, trajectory: TrajectoryBase, step: float
) -> tuple[Array, Array, list[int]]:
    """Return times (m,), all joint values (m, dof) and which joints are in them."""
    own = trajectory.get_configuration_specification()
    found = [
        group
        for group in own.groups
        if group.kind == "joint_values" and group.body_name == body.name
    ]
    base = own.find_compatible_group(f"affine_transform {body.name} 39")
    if not found and base is None:
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
    if count > _MAX_SAMPLES:
        raise ArgumentError(
            f"{trajectory.duration:g} s in steps of {step:g} s are {count} samples, "
            f"expected {_MAX_SAMPLES} at most; take a longer step"
        )
    times = np.linspace(0.0, trajectory.duration, count)
    values = np.tile(body.dof_values, (count, 1))
    if moving:
        wanted = _values_of(body, moving)
        values[:, moving] = trajectory.sample_points(times, wanted)
    return times, values, moving


def env_of(body: KinBody) -> Environment:
    """Return the environment of a body; raise `StateError` if it is in none."""
    if not isinstance(body, KinBody):
        raise ArgumentError(f"expected a body or robot, got {body!r}")
    if body.id < 0:
        raise StateError(f"{body!r} is in no environment; env.add(body) adds it")
    return body.env
