"""A hand that turns a lever, along a trajectory of the tool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import api, expect, scene, tell
from pyrave_openravepy.api.examples.grasps._hands import from_above

__all__ = ["run"]

_SCENE = """<environment>
<robot name="heron7" file="robots/heron7.robot.xml">
  <jointvalues>0 0.1 0 1.2 0 0.9 0 0.02</jointvalues>
</robot>
<robot name="lever"><kinbody>
  <translation>0.6 -0.1 0.25</translation>
  <body name="post" type="static"><geom type="box">
    <extents>0.02 0.02 0.1</extents><translation>0 0 -0.11</translation>
  </geom></body>
  <body name="handle" type="dynamic"><geom type="box">
    <extents>0.01 0.1 0.01</extents><translation>0 0.1 0.02</translation>
  </geom></body>
  <joint name="turn" type="hinge">
    <body>post</body><body>handle</body><axis>0 0 1</axis><limits>-1 1</limits>
  </joint>
</kinbody></robot>
</environment>"""
_ANGLE = 0.6


def run(args: Sequence[str] | None = None) -> None:
    """Plan with the tracker of tool trajectories, and turn the lever with the hand."""
    with scene(args, __doc__ or "", data=_SCENE) as (env, _):
        robot, lever = env.GetRobot("heron7"), env.GetRobot("lever")
        manip = robot.GetActiveManipulator()
        handle = lever.GetLink("handle")
        inhandle = from_above((0, 0.17, 0.02))
        poses = []
        for angle in np.linspace(0, _ANGLE, 13):
            lever.SetDOFValues([angle])
            poses.append(handle.GetTransform() @ inhandle)
        lever.SetDOFValues([0])
        lever.Enable(False)
        found = manip.FindIKSolutions(poses[0], 0)
        expect(len(found), "the hand does not reach the lever")
        limits = np.array(robot.GetDOFLimits(manip.GetArmIndices()))
        room = [np.abs(limits - values).min() for values in found]
        robot.SetDOFValues(found[np.argmax(room)], manip.GetArmIndices())
        kind = api().IkParameterizationType.Transform6D
        spec = api().IkParameterization.GetConfigurationSpecificationFromType(
            kind, "linear"
        )
        tool = api().RaveCreateTrajectory(env, "")
        tool.Init(spec)
        for k, pose in enumerate(poses):
            tool.Insert(k, api().IkParameterization(pose, kind).GetValues())
        api().planningutils.RetimeAffineTrajectory(
            tool, maxvelocities=np.ones(7), maxaccelerations=np.full(7, 5.0)
        )
        robot.SetActiveDOFs(manip.GetArmIndices())
        planner = api().RaveCreatePlanner(env, "workspacetrajectorytracker")
        params = api().Planner.PlannerParameters()
        params.SetRobotActiveJoints(robot)
        params.SetExtraParameters(
            f"<workspacetrajectory>{tool.serialize(0x8000)}</workspacetrajectory>"
        )
        expect(planner.InitPlan(robot, params), "the tracker refuses its parameters")
        timed = api().RaveCreateTrajectory(env, "")
        status = planner.PlanPath(timed)
        expect(status, f"the tracker failed: {status}")
        off = 0.0
        for time in np.linspace(0, timed.GetDuration(), 50):
            point = timed.GetConfigurationSpecification().ExtractJointValues(
                timed.Sample(time), robot, manip.GetArmIndices(), 0
            )
            robot.SetDOFValues(point, manip.GetArmIndices())
            place = np.linalg.inv(lever.GetTransform()) @ manip.GetTransform()
            angle = np.arctan2(-place[0, 3], place[1, 3])
            lever.SetDOFValues([angle])
            goal = handle.GetTransform() @ inhandle
            beside = np.linalg.norm(goal[:3, 3] - manip.GetTransform()[:3, 3])
            off = max(off, float(beside))
        turned = lever.GetDOFValues()[0]
        tell(f"the lever turned by {turned:.3f} rad, the hand at most {off:.4f} m off")
        expect(abs(turned - _ANGLE) < 0.01, f"expected {_ANGLE} rad")
        expect(off < 0.005, "the hand left the lever")
