"""A camera in the hand finds a place from which it sees the mug, and goes there."""

from __future__ import annotations

import pyrave
from pyrave.grasping import sphere_points
from pyrave.manipulation import Observer, camera_poses, prune_poses


def main() -> None:
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    arm = robot.active_manipulator
    place = (1, 0, 0, 0, 0.09, 0.0, 0.08)
    eye = robot.add_sensor("eye", "BaseCamera", link="palm", pose=place, power=False)

    # from all sides, 0.25 and 0.35 m from the middle of the mug, in eight rolls
    observer = Observer(arm, eye, "mug")
    poses = camera_poses(sphere_points(80), [0.25, 0.35], centre=observer.centre)
    poses = poses[observer.are_possible(poses)]
    poses = poses[prune_poses(poses, distance=0.1, angle=0.8)]

    for view in observer.valid(poses):
        found = arm.plan(values=view.values)
        if found and robot.execute(found):
            print("place", view.index, "of", len(poses), "serves")
            break
    print("now:", observer.visibility())


if __name__ == "__main__":
    main()
