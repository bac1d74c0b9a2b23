"""Stand where both mugs are within reach: bases by inverse reachability."""

import numpy as np

import pyrave
from pyrave.databases import InverseReachability
from pyrave.spatial import pose_from_rpy

env = pyrave.load("robots/heron7.robot.xml")
for y in (-0.25, 0.25):
    mug = env.load("objects/mug.kinbody.xml", rename=True).bodies[0]
    mug.transform = pose_from_rpy((0, 0, 0), (1.5, 1.0 + y, 0.0))
robot = env.robots["heron7"]
arm = robot.manipulators["arm"]

# the hand above each of them, fingers down
poses = [
    pose_from_rpy((np.pi, 0, 0), mug.transform[:3, 3] + (0, 0, 0.3))
    for mug in env.bodies
    if mug is not robot
]
places = InverseReachability(arm, samples=100_000).build()
placement = next(places.placements(poses, every=True, seed=1))
robot.transform = placement.transform
for values in placement.values:
    arm.arm_dof_values = values
    print(arm.transform[:3, 3].round(2), env.check_collision(robot))
