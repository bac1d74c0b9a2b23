"""Any call with any arguments ends in a value or in `openrave_exception`."""

from typing import Any

import numpy as np
import pytest

import pyrave_openravepy.api as openravepy


def values_of(openravepy, body):
    """Return arguments of all kinds, most of them wrong for most calls."""
    numbers = (0, 1, -1, 5, 1e9, float("nan"), True, 3 + 2j)
    texts = ("", "x", "self", b"x")
    lists = ([], [1], [0, 1], [1, 2, 3], list(range(7)), {}, {0: [1] * 6})
    arrays = (np.eye(4), np.zeros((3, 3)), np.zeros(body.GetDOF()))
    infos = [
        getattr(openravepy.KinBody, f"{name}Info")()
        for name in ("Geometry", "Link", "Joint", "KinBody", "Grabbed")
    ]
    parts = (body, body.GetLinks()[0], body.GetJoints()[0])
    boxes = (openravepy.AABB(), openravepy.TriMesh(), openravepy.CollisionReport())
    return [None, object(), *numbers, *texts, *lists, *arrays, *infos, *parts, *boxes]


def subjects_of(openravepy, body, other):
    link = body.GetLinks()[0]
    return [
        *(body, other, link, body.GetLinks()[-1], *body.GetJoints()[:1]),
        *(*link.GetGeometries()[:1], openravepy.AABB(), openravepy.OrientedBox()),
        *(openravepy.KinBody.GeometryInfo(), openravepy.KinBody.KinBodyInfo()),
        openravepy.KinBody.KinBodyStateSaver(body),
    ]


def methods_of(thing):
    kind = type(thing)
    return [
        name
        for name in dir(kind)
        # what Destroy leaves is nothing to go on with
        if name[0] != "_" and name != "Destroy"
        if callable(getattr(kind, name)) and not isinstance(getattr(kind, name), type)
    ]


def test_calls_end_in_values_or_in_openrave_exceptions(openravepy):
    env = openravepy.Environment()
    env.StopSimulation()
    assert env.Load("robots/heron7.robot.xml") or env.Load("scenes/demo.env.xml")
    body, other = env.GetRobots()[0], env.GetBodies()[-1]
    values = values_of(openravepy, body)
    seed = int(np.random.default_rng().integers(10**6))
    generator = np.random.default_rng(seed)

    def choice(items):
        return items[generator.integers(len(items))]

    answers = 0
    for _ in range(1000):
        # links and joints may be others than before
        subject = choice(subjects_of(openravepy, body, other))
        name = choice(methods_of(subject))
        arguments = [choice(values) for _ in range(choice((0, 0, 1, 1, 2, 3)))]
        try:
            getattr(subject, name)(*arguments)
            answers += 1
        except (openravepy.openrave_exception, openravepy.PlanningError):
            pass
        except BaseException as error:
            text = f"seed {seed}: {subject!r}.{name}{tuple(arguments)}"
            raise AssertionError(text) from error
        assert repr(subject)
    assert answers > 100
    env.Destroy()


_ARM = """<kinbody name="arm">
  <body name="base"/> <body name="upper"/> <body name="lower"/>
  <joint name="shoulder" type="hinge">
    <body>base</body> <body>upper</body> <axis>0 0 1</axis>
    <limitsdeg>0 360</limitsdeg>
  </joint>
  <joint name="elbow" type="hinge" mimic_pos="2*shoulder" mimic_vel="|shoulder 2">
    <body>upper</body> <body>lower</body> <axis>0 0 1</axis>
  </joint>
</kinbody>"""


def _arm() -> Any:
    env = openravepy.Environment()
    env.StopSimulation()
    body = env.ReadKinBodyData(_ARM)
    env.Add(body)
    return body


def test_poses_mean_the_turn_that_was_set_last() -> None:
    body = _arm()
    body.SetDOFValues([1.5 * np.pi])
    poses = body.GetLinkTransformations()
    body.SetLinkTransformations(poses)
    np.testing.assert_allclose(body.GetDOFValues(), [1.5 * np.pi])
    # -pi/2 is nearer to zero, but no limits allow it
    body.SetDOFValues([0.0])
    body.SetLinkTransformations(poses, [0.0])
    np.testing.assert_allclose(body.GetDOFValues(), [1.5 * np.pi])
    body.GetJoints()[0].SetLimits([-10.0], [10.0])
    body.SetLinkTransformations(poses, [0.0])
    np.testing.assert_allclose(body.GetDOFValues(), [-0.5 * np.pi])
    body.SetLinkTransformations(poses, [7.0])
    np.testing.assert_allclose(body.GetDOFValues(), [1.5 * np.pi])
    joint = body.GetJoints()[0]
    assert joint.GetWrapOffset() == np.pi
    joint.SetWrapOffset(-2.0 * np.pi)
    assert joint.GetWrapOffset(0) == -2.0 * np.pi
    body.SetLinkTransformations(poses)
    np.testing.assert_allclose(body.GetDOFValues(), [-2.5 * np.pi])


def test_nothing_is_pushed_without_physics() -> None:
    body = _arm()
    poses = body.GetLinkTransformations()
    body.SetDOFTorques([1.0], False)
    body.GetJoints()[0].AddTorque([1.0])
    body.GetLinks()[1].SetForce([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    body.GetLinks()[1].SetTorque([0.0, 0.0, 1.0])
    body.GetEnv().StepSimulation(0.01)
    np.testing.assert_allclose(body.GetLinkTransformations(), poses)


def test_links_and_joints_outlive_a_new_formula() -> None:
    body = _arm()
    elbow, lower = body.GetJoint("elbow"), body.GetLink("lower")
    shoulder = body.GetJoint("shoulder")
    elbow.SetMimicEquations(0, "3*shoulder", "|shoulder 3", "")
    body.SetDOFValues([0.1])
    assert body.GetJoint("elbow") is elbow
    assert body.GetLink("lower") is lower
    assert body.GetJoint("shoulder") is shoulder
    np.testing.assert_allclose(shoulder.GetValue(0), 0.1)
    np.testing.assert_allclose(elbow.GetValue(0), 0.3)
    np.testing.assert_allclose(lower.GetTransform()[1, 0], np.sin(0.4))


def test_the_hash_is_of_shapes_too() -> None:
    env = openravepy.Environment()
    env.StopSimulation()
    found = []
    for size in (0.1, 0.1, 0.11):
        body = openravepy.RaveCreateKinBody(env, "")
        body.InitFromBoxes(np.array([[0.0, 0.0, 0.0, size, 0.1, 0.1]]), True)
        body.SetName(f"box{len(found)}")
        env.Add(body)
        found.append(body.GetKinematicsGeometryHash())
    assert found[0] == found[1] != found[2]
    assert len(found[0]) == 32
    assert found[0] in str(env.GetKinBody("box0"))


def test_active_degrees_of_freedom_are_whole_numbers() -> None:
    env = openravepy.Environment()
    env.StopSimulation()
    assert env.Load("robots/heron7.robot.xml")
    (robot,) = env.GetRobots()
    for wrong in (None, [0.5], [float("nan")]):
        with pytest.raises(openravepy.openrave_exception, match="whole numbers"):
            robot.SetActiveDOFs(wrong)
    robot.SetActiveDOFs([1.0, 2])
    assert robot.GetActiveDOFIndices().tolist() == [1, 2]
