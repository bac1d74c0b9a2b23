"""Find grasps of a mug, and one that the arm can take where the mug stands."""

import pyrave
from pyrave.grasping import Grasper, box_rays, roll_angles

env = pyrave.load("scenes/demo.env.xml")
arm, mug = env.robots["heron7"].manipulators[0], env.bodies["mug"]
grasper = Grasper(arm, mug, friction=0.6)
grasps = grasper.grasps(box_rays(mug, 0.02), rolls=roll_angles(4), preshapes=[[0.04]])
print(f"{len(grasps)} grasps have force closure")
for grasp in grasps.valid(arm):
    plan = arm.plan(grasp.hand_pose(mug.transform))
    if plan:
        print("the arm reaches one of them")
        break
