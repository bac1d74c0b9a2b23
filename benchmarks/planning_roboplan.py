"""roboplan's planner on the scenes of the benchmark of planners.

Robots reach it as the URDF that pyrave writes, surroundings as its own boxes, spheres
and cylinders, and the pairs of links that are checked are the same.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from planning_peers import moving_links
from roboplan import core, rrt, toppra

from pyrave.scene import Box, Cylinder, Sphere

GROUP = "active"
NODES = 1_000_000


def roboplan_scene(env: Any, robot: Any) -> Any:
    """Return roboplan's scene, in which active joints are a group."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        env.save(path, body=robot.name)
        description = core.loadUrdfSceneDescription(path)
    scene = core.Scene("scene", description)
    names = [robot.structure.joint_of_dof(k).name for k in robot.active_dof_indices]
    scene.addGroup(GROUP, names)
    colour = np.ones(4)
    things = []
    for other in env.bodies:
        if other is robot:
            continue
        for link in other.links:
            for shape in link.geometries:
                name = f"{other.name}/{link.name}/{len(things)}"
                pose = np.asfortranarray(link.transform @ shape.transform)
                place = name, "universe"
                match shape.description.shape:
                    case Box(half_extents=half):
                        solid = core.Box(*(2.0 * size for size in half))
                        scene.addBoxGeometry(*place, solid, pose, colour)
                    case Sphere(radius=r):
                        scene.addSphereGeometry(*place, core.Sphere(r), pose, colour)
                    case Cylinder(radius=r, height=h):
                        solid = core.Cylinder(r, h)
                        scene.addCylinderGeometry(*place, solid, pose, colour)
                    case unknown:
                        raise ValueError(f"roboplan has no {unknown}")
                things.append(name)
    links = [link.name for link in robot.links if link.geometries]
    number = {link.name: link.index for link in robot.links}
    near = {tuple(sorted(pair)) for pair in robot.non_adjacent_links}
    moved = moving_links(robot, robot.active_dof_indices.tolist())
    apart = [
        pair
        for pair in combinations(links, 2)
        if tuple(sorted(number[name] for name in pair)) not in near
    ]
    still = [(a, b) for a in links if number[a] not in moved for b in things]
    # it would check surroundings among themselves, too
    scene.setCollisions([*apart, *still, *combinations(things, 2)], False)
    return scene


class Roboplan:
    """RRT-Connect of roboplan, with its shortcuts and its timing if asked for.

    Parameters
    ----------
    step
        Distance of two configurations that are checked along a motion.
    whole
        Whether the path is shortened and timed.
    """

    def __init__(self, env: Any, robot: Any, step: float, *, whole: bool) -> None:
        self.scene = scene = roboplan_scene(env, robot)
        self._names = scene.getJointGroupInfo(GROUP).joint_names
        known = [robot.structure.joint_of_dof(k).name for k in robot.active_dof_indices]
        self._order = [known.index(name) for name in self._names]
        self._step, self._whole = step, whole
        self._timing = toppra.PathParameterizerTOPPRA(scene, GROUP)

    def collides(self) -> Callable[[Any], bool]:
        """Return a check of active values (d,)."""
        scene, order = self.scene, self._order

        def check(q: Any) -> bool:
            full = scene.toFullJointPositions(GROUP, np.ascontiguousarray(q[order]))
            return bool(scene.hasCollisions(full))

        return check

    def solve(self, seconds: float, start: Any, goal: Any, seed: int) -> Any:
        """Return waypoints (n, d), or None."""
        options = rrt.RRTOptions(
            group_name=GROUP, max_nodes=NODES, rrt_connect=True,
            collision_check_step_size=self._step, max_planning_time=seconds,
        )  # fmt: skip
        planner = rrt.RRT(self.scene, options)
        planner.setRngSeed(seed)
        ends = [
            core.JointConfiguration(self._names, np.ascontiguousarray(q[self._order]))
            for q in (start, goal)
        ]
        try:
            path = planner.plan(*ends)
        except RuntimeError:  # it says so where it finds none
            return None
        if self._whole:
            how = core.PathShortcuttingOptions(
                group_name=GROUP, max_step_size=self._step, seed=seed
            )
            path = core.PathShortcutter(self.scene, how).shortcut(path)
            self._timing.generate(path)
        rows = np.empty((len(path.positions), len(self._order)))
        rows[:, self._order] = path.positions
        return rows
