"""The motion of the demo: an arm sweeps its laser over a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import StateError
from pyrave.interfaces.trajectory import TrajectoryBase
from pyrave.sensing.data import LaserData

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces.sensor import SensorBase
    from pyrave.scene import SceneDescription
    from pyrave.spatial import Array

_DT = 0.02
# shoulder, arm roll and bends that point the tool down over the table, then sweep
_TURNS = (-0.9, 0.9, 0.9, -0.75, 0.0)
_LEANS = (0.42, 0.42, 0.62, 0.62, 0.3)
_BENDS = (1.75, 1.75, 1.5, 1.5, 1.55)
_VARIATION = 0.03
# share of the velocity limit that the fastest joint reaches
_SPEED = 0.6
# points of the cloud nearer to each other than this are one, metres
GRAIN = 0.009


@dataclass(frozen=True, eq=False)
class Moment:
    """State of the robot at a waypoint; time in seconds."""

    time: float
    dof_values: Array
    tool: Array
    hits: int


@dataclass(frozen=True, eq=False)
class DemoResult:
    """Results of the demo.

    Parameters
    ----------
    moments
        The waypoints that were reached.
    scan
        The last measurement, None if there was none.
    points
        (n, 3) what was hit but the robot itself, thinned out; world, metres.
    hits_by_body
        Body name -> rays that hit it, over all scans.
    angles
        (rays,) angle of each ray, radians.
    """

    env: Environment
    scene: SceneDescription
    robot: Robot
    laser: SensorBase
    steps: int
    dt: float
    moments: tuple[Moment, ...]
    scans: int
    scan: LaserData | None
    points: Array
    hits_by_body: dict[str, int]
    angles: Array


def run_demo(
    path: Path, steps: int | None, seed: int, say: Callable[[str], object]
) -> DemoResult:
    """Load the demo scene, move its arm and collect what its laser sees.

    Parameters
    ----------
    steps
        Simulation steps; None: until the motion is done.
    say
        Called with what is going on, for a progress display.
    """
    from pyrave.environment import Environment

    env = Environment()
    report = env.load(path)
    robot = env.robots[0]
    mounted = robot.attached_sensors[0]
    if not mounted.has_sensor:
        raise StateError(
            f"the laser of {robot.name!r} could not be created; "
            "`pyrave doctor` shows which plugin failed"
        )
    laser = mounted.sensor
    laser.power = True
    waypoints, times = sweep(robot, np.random.default_rng(seed))
    robot.controller.set_path(_trajectory(env, robot, waypoints, times))
    planned = math.ceil(times[-1] / _DT) if steps is None else steps
    say("moving the arm (the first time, kernels are compiled)")
    return _follow(env, report.scene, robot, laser, planned, times)


def sweep(robot: Robot, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return waypoints (n, dof) and the times, seconds, at which they are reached.

    The arm starts where it is, turns to one side with its tool pointing down, sweeps
    to the other, comes back further out, and ends over the middle.
    """
    arm = robot.manipulators[0].arm_indices
    start = robot.dof_values
    rows = [start]
    for turn, lean, bend in zip(_TURNS, _LEANS, _BENDS, strict=True):
        row = start.copy()
        down = math.pi - lean - bend
        row[arm] = (turn, lean, 0.0, bend, 0.0, down, 0.0)
        row[arm] += rng.uniform(-_VARIATION, _VARIATION, len(arm))
        rows.append(row)
    waypoints = np.array(rows)
    lower, upper = robot.dof_limits
    waypoints = np.clip(waypoints, lower, upper)
    distances = np.abs(np.diff(waypoints, axis=0))
    # a cubic between rests is half as fast again in its middle as on average
    needed = 1.5 * distances / (_SPEED * robot.dof_velocity_limits)
    times = np.concatenate(([0.0], np.cumsum(needed.max(axis=1))))
    return waypoints, times


def _trajectory(
    env: Environment, robot: Robot, waypoints: Array, times: Array
) -> TrajectoryBase:
    from pyrave.trajectories.specification import ConfigurationSpecification

    joints = " ".join(str(i) for i in range(robot.dof))
    spec = (
        ConfigurationSpecification()
        .add_group(f"joint_values {robot.name} {joints}", robot.dof, "cubic")
        .add_derivative_groups(1, add_delta_time=True)
    )
    rows = np.zeros((len(waypoints), spec.dof))
    spec.insert_joint_values(rows, waypoints, robot, range(robot.dof))
    spec.insert_delta_time(rows, np.diff(times, prepend=0.0))
    trajectory = env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, rows)
    return trajectory


def _follow(
    env: Environment,
    scene: SceneDescription,
    robot: Robot,
    laser: SensorBase,
    steps: int,
    times: Array,
) -> DemoResult:
    names = {body.id: body.name for body in env.bodies}
    own = robot.id
    moments: list[Moment] = []
    points: list[Array] = []
    hits: Counter[str] = Counter()
    scan: LaserData | None = None
    scans = 0
    for _ in range(steps):
        env.step(_DT)
        data = laser.last_data()
        if isinstance(data, LaserData) and (scan is None or data.stamp != scan.stamp):
            scan, scans = data, scans + 1
            seen = data.intensity > 0
            points.append(data.points[seen & (data.body_ids != own)])
            hits.update(names[i] for i in data.body_ids[seen].tolist() if i >= 0)
        reached = int(np.searchsorted(times, env.simulation_time, "right"))
        if reached > len(moments):
            moments.append(_moment(env, robot, scan))
    return DemoResult(
        env=env,
        scene=scene,
        robot=robot,
        laser=laser,
        steps=steps,
        dt=_DT,
        moments=tuple(moments),
        scans=scans,
        scan=scan,
        points=_thinned(points),
        hits_by_body=dict(hits.most_common()),
        angles=_angles(laser, scan),
    )


def _moment(env: Environment, robot: Robot, scan: LaserData | None) -> Moment:
    return Moment(
        env.simulation_time,
        robot.dof_values,
        robot.manipulators[0].transform,
        0 if scan is None else int((scan.intensity > 0).sum()),
    )


def _thinned(points: list[Array]) -> Array:
    """Return one point of each cell of a grid, so that the cloud is even."""
    if not points:
        return np.empty((0, 3))
    every = np.concatenate(points)
    # surfaces on a border of cells do not change sides by rounding
    cells = np.floor(np.round(every / GRAIN, 6)).astype(np.int64)
    _, first = np.unique(cells, axis=0, return_index=True)
    return every[np.sort(first)]


def _angles(laser: SensorBase, scan: LaserData | None) -> Array:
    geometry: Any = laser.get_sensor_geometry()
    count = 0 if scan is None else len(scan.ranges)
    if not hasattr(geometry, "resolution"):
        return np.zeros(count)
    steps = np.arange(count, dtype=np.float64)
    return np.asarray(geometry.min_angle + geometry.resolution * steps)
