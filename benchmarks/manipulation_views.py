"""Views of the mug of the demo scene by a camera in the hand.

* Rates: poses a second of processor time, on one core, of which nothing is known that
  is all in the picture; of these that hand and target are asked about; and of these
  that the arm is asked about, with collisions and all that hides the mug.
* Truth: at each view the robot is put there. The camera's own picture says how much of
  the mug is visible, its labels with everything there by those with the mug alone: no
  view may show less than was promised by more than two points in a hundred. Nothing
  collides there.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

import numpy as np
from measuring import pin_to_one_core, report

import pyrave
from pyrave.grasping import sphere_points
from pyrave.manipulation import Observer, camera_poses, prune_poses

PROMISE = 0.02


def measured(call: Any) -> tuple[Any, float]:
    """Return what a call returns, and the seconds of processor time."""
    start = time.process_time()
    found = call()
    return found, time.process_time() - start


def labels(camera: Any, body: Any) -> int:
    """Return in how many pixels of its picture a camera sees a body."""
    return int((camera.sensor.measure().body_ids == body.id).sum())


def main(arguments: list[str] | None = None) -> None:
    """Print the figures as JSON; end with status 1 if something is not true."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directions", type=int, default=162)
    parser.add_argument("--checked", type=int, default=60, help="views put to the test")
    options = parser.parse_args(arguments)
    pin_to_one_core()
    env = pyrave.load("scenes/demo.env.xml")
    robot, mug = env.robots["heron7"], env.bodies["mug"]
    arm = robot.active_manipulator
    camera = robot.add_sensor(
        "eye",
        "BaseCamera",
        link="palm",
        pose=pyrave.spatial.pose_from_axis_angle((0, 1, 0), -0.15, (0.09, 0.0, 0.08)),
        power=False,
    )
    sensor: Any = camera.sensor
    sensor.options = replace(sensor.options, outputs=("segmentation",))
    observer = Observer(arm, camera, mug)
    ways = sphere_points(options.directions)
    poses = camera_poses(ways, [0.2, 0.3, 0.4], centre=observer.centre)
    observer.are_possible(poses[:50])  # compiles
    list(observer.valid(poses[:50]))
    pictured, in_picture = measured(lambda: observer.are_in_picture(poses))
    possible, hands = measured(lambda: observer.are_possible(poses))
    chosen = poses[possible]
    some = chosen[prune_poses(chosen, 0.08, 0.5)]
    views, arms = measured(lambda: list(observer.valid(some)))

    rng = np.random.default_rng(0)
    picked = rng.permutation(len(views))[: options.checked]
    others = [body for body in env.bodies if body is not mug]
    worst, collisions = 1.0, 0
    for k in picked.tolist():
        arm.arm_dof_values = views[k].values
        with env.collision_checker.moving_links():
            robot.set_active_dofs(arm.arm_indices)
            collisions += env.check_collision(robot)
        shown = labels(camera, mug)
        seen = [(link, link.visible) for one in others for link in one.links]
        for link, _ in seen:
            link.visible = False
        alone = labels(camera, mug)
        for link, was in seen:
            link.visible = was
        worst = min(worst, shown / alone - views[k].visibility.fraction)
    report(
        "views of a mug",
        poses=len(poses),
        in_picture=int(pictured.sum()),
        possible=int(possible.sum()),
        asked=len(some),
        views=len(views),
        poses_a_second={
            "in_picture": round(len(poses) / max(in_picture, 1e-9)),
            "possible": round(int(pictured.sum()) / hands),
            "views": round(len(some) / arms),
        },
        checked=len(picked),
        worst_difference_from_the_picture=round(worst, 4),
        collisions=int(collisions),
    )
    if worst < -PROMISE or collisions:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
