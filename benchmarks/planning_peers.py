"""A robot and its surroundings as a MuJoCo model, and OMPL's planners on that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import invert_pose, quat_from_matrix

SURROUNDINGS, OWN = 1, 4
# surroundings meet what moves, links of the robot meet each other


def mujoco_check(env: Any, robot: Any) -> Callable[[np.ndarray], bool]:
    """Return whether active values (d,) collide, by MuJoCo; links that stay do not."""
    spec = mujoco.MjSpec()
    active = robot.active_dof_indices.tolist()
    moved = moving_links(robot, active)
    poses = robot.link_transforms
    bodies: dict[int, Any] = {}
    joints: dict[int, str] = {}
    parents = {
        joint.child_link.index: joint
        for joint in (*robot.joints, *robot.passive_joints)
        if joint.child_link is not None
    }
    for link in robot.links:
        joint = parents.get(link.index)
        parent = None if joint is None else joint.parent_link.index
        holder = spec.worldbody if parent is None else bodies[parent]
        frame = np.eye(4) if parent is None else poses[parent]
        body = holder.add_body()
        body.name = f"link{link.index}"
        local = invert_pose(frame) @ poses[link.index]
        body.pos, body.quat = local[:3, 3], quat_from_matrix(local[:3, :3])
        body.mass, body.inertia = 1.0, np.ones(3)
        body.explicitinertial = True
        bodies[link.index] = body
        if joint is not None and joint.dof and joint.dof_index in active:
            made = body.add_joint()
            made.name = joints[joint.dof_index] = f"joint{joint.dof_index}"
            own = invert_pose(poses[link.index])
            made.axis = own[:3, :3] @ np.asarray(joint.axes[0])
            made.pos = own[:3, :3] @ np.asarray(joint.anchor) + own[:3, 3]
            made.ref = float(robot.dof_values[joint.dof_index])
            made.limited = False
        for shape in link.geometries:
            add_solid(body, shape, OWN, OWN | SURROUNDINGS * (link.index in moved))
    for other in env.bodies:
        if other is robot:
            continue
        for link in other.links:
            for shape in link.geometries:
                add_solid(spec.worldbody, shape, SURROUNDINGS, 0, link.transform)
    near = {tuple(sorted(pair)) for pair in robot.non_adjacent_links}
    for a in bodies:
        for b in bodies:
            if a < b and (a, b) not in near:
                exclude = spec.add_exclude()
                exclude.bodyname1, exclude.bodyname2 = f"link{a}", f"link{b}"
    spec.compiler.degree = False
    model = spec.compile()
    data = mujoco.MjData(model)
    order = [model.joint(joints[dof]).qposadr[0] for dof in active]

    def check(q: np.ndarray) -> bool:
        data.qpos[order] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        return bool(data.ncon > 0)

    return check


def moving_links(robot: Any, active: list[int]) -> set[int]:
    """Return the links that active degrees of freedom move."""
    return set(np.flatnonzero(robot.model.dof_affects[active].any(axis=0)).tolist())


def add_solid(body: Any, shape: Any, kind: int, meets: int, pose: Any = None) -> None:
    """Add a primitive to a body of MuJoCo's."""
    local = shape.transform if pose is None else pose @ shape.transform
    geom = body.add_geom()
    geom.pos, geom.quat = local[:3, 3], quat_from_matrix(local[:3, :3])
    geom.contype, geom.conaffinity = kind, meets
    match shape.description.shape:
        case Box(half_extents=half):
            geom.type, geom.size = mujoco.mjtGeom.mjGEOM_BOX, half
        case Sphere(radius=r):
            geom.type, geom.size = mujoco.mjtGeom.mjGEOM_SPHERE, (r, 0, 0)
        case Cylinder(radius=r, height=h):
            geom.type, geom.size = mujoco.mjtGeom.mjGEOM_CYLINDER, (r, h / 2, 0)
        case Capsule(radius=r, height=h):
            geom.type, geom.size = mujoco.mjtGeom.mjGEOM_CAPSULE, (r, h / 2, 0)
        case other:
            raise ValueError(f"no MuJoCo geometry for {other}")


class Ompl:
    """RRTConnect of OMPL with a check in Python.

    Parameters
    ----------
    resolution
        Part of the space's extent between two checked configurations.
    """

    def __init__(
        self, lower: Any, upper: Any, collides: Callable[[np.ndarray], bool],
        resolution: float,
    ) -> None:  # fmt: skip
        from ompl import base, geometric, util

        util.setLogLevel(util.LogLevel.LOG_NONE)
        self._base, self._geometric = base, geometric
        self._dof = len(lower)
        space = base.RealVectorStateSpace(self._dof)
        bounds = base.RealVectorBounds(self._dof)
        for k in range(self._dof):
            bounds.setLow(k, float(lower[k]))
            bounds.setHigh(k, float(upper[k]))
        space.setBounds(bounds)
        self._space = space
        self._q = np.empty(self._dof)
        self.checks = 0

        def is_valid(state: Any) -> bool:
            self.checks += 1
            self._q[:] = state[0 : self._dof]
            return not collides(self._q)

        self._setup = geometric.SimpleSetup(space)
        self._setup.setStateValidityChecker(is_valid)
        self._info = self._setup.getSpaceInformation()
        self._info.setStateValidityCheckingResolution(resolution)
        self._setup.setPlanner(geometric.RRTConnect(self._info))

    def solve(self, start: np.ndarray, goal: np.ndarray, seconds: float) -> Any:
        """Return waypoints (n, d), or None."""
        setup = self._setup
        setup.clear()
        ends = []
        for values in (start, goal):
            state = self._space.allocState()
            for k in range(self._dof):
                state[k] = float(values[k])
            ends.append(state)
        setup.setStartAndGoalStates(*ends)
        status = setup.solve(seconds)
        if not status or not setup.haveExactSolutionPath():
            return None
        path = setup.getSolutionPath()
        return np.array([
            [state[j] for j in range(self._dof)] for state in path.getStates()
        ])  # fmt: skip
