"""Databases under OpenRAVE's names."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def env(openravepy):
    env = openravepy.Environment()
    assert env.Load("scenes/demo.env.xml")
    env.StopSimulation()
    yield env
    env.Destroy()


@pytest.fixture
def robot(env):
    return env.GetRobots()[0]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))


def test_statistics_of_links_make_weights(openravepy, robot):
    model = openravepy.databases.linkstatistics.LinkStatisticsModel(robot)
    assert model.load() is False
    assert model.getfilename(read=True) == ""
    model.autogenerate()
    assert model.has()
    assert openravepy.databases.linkstatistics.LinkStatisticsModel(robot).load()
    model.setRobotWeights(weightmult=2.0)
    native = robot._native
    turning = ~native.model.prismatic[: native.dof]
    assert native.dof_weights[turning].mean() == pytest.approx(2, rel=0.1)
    model.setRobotResolutions(0.01)
    coarse = native.dof_resolutions
    model.setRobotResolutions(0.005)
    np.testing.assert_allclose(native.dof_resolutions, coarse / 2)
    with pytest.raises(openravepy.openrave_exception, match="expected 0, 1 or 2"):
        model.setRobotWeights(7)


def test_hulls_hold_what_they_are_around(openravepy, env):
    body = env.GetKinBody("brick")
    model = openravepy.databases.convexdecomposition.ConvexDecompositionModel(body)
    model.generate(padding=0.01)
    ((index, hulls),) = model.linkgeometry[0]
    ((vertices, faces, planes),) = hulls
    assert index == 0
    inside = np.array([body.GetTransform()[:3, 3], [9, 9, 9]])
    assert list(model.testPointsInside(inside)) == [True, False]
    pose = openravepy.matrixFromPose([0.5, 0.5, 0.5, 0.5, 1, 2, 3])
    moved, _, turned = model.transformHull(pose, (vertices, faces, planes))
    np.testing.assert_allclose(
        turned @ np.c_[moved, np.ones(len(moved))].T,
        planes @ np.c_[vertices, np.ones(len(vertices))].T,
        atol=1e-12,
    )
    padded, _ = model.PadMesh(vertices, faces, 0.1, setNormalsAwayFromCenter=True)
    assert np.ptp(padded, axis=0).min() > np.ptp(vertices, axis=0).min() + 0.1
    np.testing.assert_allclose(
        model.ComputeHullPlanes((vertices, faces)).shape[1], planes.shape[1]
    )


def test_inverse_kinematics_loads_at_once(openravepy, robot):
    database = openravepy.databases.inversekinematics
    kind = openravepy.IkParameterizationType.Transform6D
    model = database.InverseKinematicsModel(robot, iktype=kind)
    assert model.has() is False
    assert model.load() is True
    assert model.has() is True
    assert model.manip.GetIkSolver() is model.iksolver
    arm = list(model.manip.GetArmIndices())
    assert sorted([*model.freeindices, *model.solveindices]) == arm
    assert len(model.freeindices) == len(arm) - 6
    assert model.testik(20) == (1.0, 0.0)
    assert (model.perftiming(3) > 0).all()
    # poses are no goals of this one
    kind = openravepy.IkParameterizationType.Translation3D
    points = database.InverseKinematicsModel(robot, iktype=kind)
    assert points.load() is True
    assert points.testik(5) == (1.0, 0.0)
    model.autogenerate()
    goal = model.manip.GetTransform()
    found = model.manip.FindIKSolution(goal, openravepy.IkFilterOptions(0))
    assert found is not None
    with pytest.raises(openravepy.openrave_exception, match="no joints of the arm"):
        database.InverseKinematicsModel(robot, freeindices=[77])
    with pytest.raises(openravepy.openrave_exception, match="freejoints has"):
        database.InverseKinematicsModel(robot, freejoints=["nothing"])


def test_grasps_are_rows_with_columns(openravepy, env, robot):
    body = env.GetKinBody("mug")
    model = openravepy.databases.grasping.GraspingModel(robot, body)
    assert model.load() is False
    model.generate(boxdelta=0.04)
    assert model.has()
    columns = model.graspindices
    assert model.grasps.shape[1] == columns["performance"].stop
    scores = model.grasps[:, columns["forceclosure"].start]
    # scripts write their own scores there
    assert not model.grasps[:, columns["performance"]].any()
    assert (np.diff(scores) <= 0).all()
    assert (scores > 0).all()
    best = model.grasps[0]
    pose = model.getGlobalGraspTransform(best)
    local = model.GetLocalGraspTransform(best, collisionfree=True)
    np.testing.assert_allclose(pose, body.GetTransform() @ local)
    np.testing.assert_allclose(
        pose[:3, :3] @ best[columns["imanipulatordirection"]],
        model.getGlobalApproachDir(best),
        atol=1e-9,
    )
    contacts, final, epsilon, _ = model.testGrasp(grasp=best, forceclosure=True)
    assert contacts.shape[1] == 6
    assert epsilon == pytest.approx(scores[0], rel=0.05)
    hand = model.manip
    with robot:
        robot.SetTransform(final[1])
        robot.SetDOFValues(final[0])
        np.testing.assert_allclose(hand.GetTransform(), pose, atol=2e-3)


def test_a_hand_is_seen_alone(openravepy, env, robot):
    model = openravepy.databases.grasping.GraspingModel(robot, env.GetKinBody("mug"))
    hand = model.manip.GetChildLinks()
    with model.GripperVisibility(model.manip):
        seen = [link for link in robot.GetLinks() if link.IsVisible()]
        assert seen
        assert all(link in hand for link in seen)
    assert len([link for link in robot.GetLinks() if link.IsVisible()]) > len(seen)


def test_grasps_that_can_be_taken(openravepy, env, robot):
    model = openravepy.databases.grasping.GraspingModel(robot, env.GetKinBody("mug"))
    model.generate(boxdelta=0.04)
    grasps, indices = model.computeValidGrasps(returnnum=1)
    (index,) = indices
    np.testing.assert_array_equal(grasps[0], model.grasps[index])
    pose = model.getGlobalGraspTransform(grasps[0], collisionfree=True)
    checks = openravepy.IkFilterOptions.CheckEnvCollisions
    model.setPreshape(grasps[0])
    assert model.manip.FindIKSolution(pose, checks) is not None
    rays = model.computeBoxApproachRays(delta=0.04)
    model.generate(approachrays=rays, checkgraspfn=lambda *_: False)
    assert len(model.grasps) == 0


def test_reach_of_an_arm(openravepy, robot):
    database = openravepy.databases.kinematicreachability
    model = database.ReachabilityModel(robot)
    model.generate(xyzdelta=0.3)
    assert model.reachabilitystats.shape[1] == 8
    hand = robot.GetActiveManipulator()
    base = np.linalg.inv(hand.GetBase().GetTransform())
    place = (base @ hand.GetTransform())[:3, 3]
    _, squares = model.ComputeNN(translationonly=True).kSearch(place, 1, 0)
    assert squares[0] < 0.3**2
    points, inside, shape, scale = model.UniformlySampleSpace(1.0, 0.5)
    assert (shape, list(scale)) == ((5, 5, 5), [2.0, 2.0])
    assert (np.linalg.norm(points[inside], axis=1) < 1).all()


def test_places_of_the_base(openravepy, robot, caplog):
    database = openravepy.databases.inversereachability
    model = database.InverseReachabilityModel(robot)
    model.autogenerate()
    assert model.load()
    goal = robot.GetActiveManipulator().GetTransform()
    density, draw, bounds = model.computeBaseDistribution(goal)
    poses, targets = draw(20)
    assert poses.shape == (20, 7)
    assert (targets == 0).all()
    far = poses[0].copy()
    far[4] += 50
    assert (density(poses) > density([far])).all()
    assert (bounds[0] <= bounds[1]).all()
    pose, index, (values, indices) = next(model.sampleBaseDistributionIterator([goal]))
    assert (len(pose), index, len(values)) == (7, 0, len(indices))
    assert model.testSampling(N=20) < 0.5
    assert "no effect" not in caplog.text
    next(model.sampleBaseDistributionIterator([goal], logllthresh=3, weight=0.5))
    assert "weight of inverse reachability: no effect" in caplog.text
    assert "logllthresh of inverse reachability: no effect" in caplog.text


def test_databases_are_programs(openravepy, capsys):
    run = openravepy.databases.linkstatistics.run
    words = ["linkstatistics", "--robot", "robots/planar3r.robot.xml", "--testmode"]
    model = run(args=words)
    assert model.has()
    with pytest.raises(SystemExit):
        run(args=[*words, "--gethas"])
    assert capsys.readouterr().out == "1\n"
    with pytest.raises(openravepy.openrave_exception, match="--robot is missing"):
        run(args=["linkstatistics"])
    model.env.Destroy()


def test_views_are_those_of_a_sphere_and_of_cones(openravepy):
    from openravepy.examples._scenes import EYE

    env = openravepy.Environment()
    env.StopSimulation()
    assert env.LoadData(EYE)
    robot, mug = env.GetRobots()[0], env.GetKinBody("mug")
    robot.SetActiveManipulator("arm")
    model = openravepy.databases.visibilitymodel.VisibilityModel(
        robot, mug.GetLinks()[0], sensorname="eye"
    )
    middle = mug.ComputeAABBFromTransform(np.eye(4)).pos()
    found = {}
    for cone in ([0, 0, 0.9], [0, 0, 0.2]):
        model.generate(sphere=[0, 0.3], conedirangles=[cone])
        ways = model.visibilitytransforms[:, 4:] - middle
        np.testing.assert_allclose(np.linalg.norm(ways, axis=1), 0.3, atol=1e-6)
        angles = np.arccos(ways[:, 2] / 0.3)
        found[cone[2]] = len(ways)
        assert (angles <= cone[2] + 1e-6).all()
    assert found[0.9] > 0
    env.Destroy()
