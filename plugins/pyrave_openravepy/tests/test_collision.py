"""Collision queries, reports, options, callbacks, and what is remembered."""

import numpy as np
import pytest

BODY = """<KinBody name="{name}"><Body name="base"><Geom type="box">
<extents>0.1 0.1 0.1</extents></Geom></Body>
<translation>{x} 0 0</translation></KinBody>"""


@pytest.fixture
def boxes(env):
    """Three boxes, 0.2 m wide: the second overlaps the first by 0.05 m."""
    for name, x in (("a", 0.0), ("b", 0.15), ("c", 2.0)):
        env.Add(env.ReadKinBodyXMLData(BODY.format(name=name, x=x)))
    return env.GetBodies()


class Ray:
    def __init__(self, pos, direction):
        self.at, self.along = pos, direction

    def pos(self):
        return np.array(self.at, float)

    def dir(self):
        return np.array(self.along, float)


def test_all_forms_of_queries(openravepy, env, boxes):
    a, b, c = boxes
    link = {one: one.GetLinks()[0] for one in boxes}
    report = openravepy.CollisionReport()
    for hit in (
        (a,), (a, report), (a, b), (a, b, report), (link[a],), (link[a], report),
        (link[a], link[b]), (link[a], link[b], report), (link[a], b),
        (link[a], b, report), (a, [c], []), (a, [c], [], report),
        (link[a], [], [link[c]]), (a, None), (a, b, None),
    ):  # fmt: skip
        assert env.CheckCollision(*hit) is True
    for free in (
        (c,), (c, report), (a, c), (link[a], c), (a, [b], []), (a, [], [link[b]]),
        (link[a], [b], [], report),
    ):  # fmt: skip
        assert env.CheckCollision(*free) is False
    assert env.CheckCollision(body1=a, body2=b, report=report) is True
    assert env.CheckCollision(link1=link[a], link2=link[c]) is False
    assert env.CheckCollision(body=a, bodyexcluded=[b], linkexcluded=[]) is False


def test_reports_have_the_old_and_the_new_form(openravepy, env, boxes):
    a, b, c = boxes
    checker = env.GetCollisionChecker()
    options = openravepy.CollisionOptions
    assert checker.SetCollisionOptions(options.Contacts) is True
    report = openravepy.CollisionReport()
    assert env.CheckCollision(a, b, report=report)
    assert (report.plink1, report.plink2) == (a.GetLinks()[0], b.GetLinks()[0])
    assert report.vLinkColliding == [(report.plink1, report.plink2)]
    assert report.numCols == len(report.collisionInfos) == 1
    assert report.contacts[0].depth == pytest.approx(0.05)
    np.testing.assert_allclose(np.abs(report.contacts[0].norm), (1, 0, 0), atol=1e-9)
    (pair,) = report.collisionInfos
    assert pair.ExtractFirstBodyLinkGeomNames()[:2] == ("a", "base")
    assert pair.bodyLinkGeom2Name == "b base "
    assert len(pair.contacts) == len(report.contacts)
    assert report.minDistance == 1e20
    assert str(report) == "[<(a base )x(b base ) c=4>, ]"
    # all corners of the faces that they share, as there
    depths = [contact.depth for contact in pair.contacts]
    np.testing.assert_allclose(depths, 0.05, atol=1e-9)
    assert checker.GetCollisionOptions() == options.Contacts
    several = options.Contacts | options.AllGeometryContacts
    checker.SetCollisionOptions(several)
    assert checker.GetCollisionOptions() == several
    checker.SetCollisionOptions(options.Distance)
    assert not env.CheckCollision(a, c, report)
    assert report.minDistance == pytest.approx(1.8)
    report.Reset()
    assert (report.numCols, report.minDistance, report.plink1) == (0, 1e20, None)
    report.nKeepPrevious = 1
    checker.SetCollisionOptions(0)
    env.CheckCollision(a, b, report)
    env.CheckCollision(b, report)
    assert report.numCols == 2


def test_options_come_back(openravepy, env, boxes):
    checker = env.GetCollisionChecker()
    options = openravepy.CollisionOptions
    with openravepy.CollisionOptionsStateSaver(checker, options.Distance):
        assert checker.GetCollisionOptions() == options.Distance
    assert checker.GetCollisionOptions() == 0
    # the one that finds nothing cannot do contacts
    env.SetCollisionChecker(None)
    assert env.GetCollisionChecker().SetCollisionOptions(options.Contacts) in {
        True,
        False,
    }
    assert env.CheckCollision(boxes[0]) is False


def test_solids_that_just_touch_do_not_collide(openravepy, env, boxes):
    a, b, _ = boxes
    pose = np.eye(4)
    pose[0, 3] = 0.2
    b.SetTransform(pose)
    report = openravepy.CollisionReport()
    assert env.CheckCollision(a) is False
    assert env.CheckCollision(a, b, report) is False
    assert report.numCols == 0
    pose[0, 3] -= 1e-6
    b.SetTransform(pose)
    assert env.CheckCollision(a, b, report) is True
    assert report.numCols == 1


def test_a_touch_hides_no_collision(openravepy, env, boxes):
    a, b, c = boxes
    pose = np.eye(4)
    pose[0, 3] = 0.2
    b.SetTransform(pose)
    pose[:3, 3] = 0, 0.15, 0
    c.SetTransform(pose)
    report = openravepy.CollisionReport()
    assert env.CheckCollision(a, report) is True
    assert report.plink2.GetParent() is c


def test_rays_are_as_long_as_their_directions(openravepy, env, boxes):
    a, _, c = boxes
    report = openravepy.CollisionReport()
    assert env.CheckCollision(Ray((-1, 0, 0), (5, 0, 0)), report) is True
    np.testing.assert_allclose(report.contacts[0].pos, (-0.1, 0, 0), atol=1e-12)
    assert report.plink1 is a.GetLinks()[0]
    assert env.CheckCollision(Ray((-1, 0, 0), (0.5, 0, 0))) is False
    assert env.CheckCollision(Ray((-1, 0, 0), (5, 0, 0)), c, report) is True
    assert env.CheckCollision(Ray((-1, 0, 0), (-5, 0, 0)), c) is False
    rays = np.array([(-1, 0, 0, 5, 0, 0), (-1, 0, 0, 0.5, 0, 0), (0, 9, 0, 0, 1, 0.0)])
    hits, places = env.CheckCollisionRays(rays, None)
    assert hits.tolist() == [True, False, False]
    np.testing.assert_allclose(places[0], (-0.1, 0, 0, -1, 0, 0), atol=1e-12)
    assert not places[1:].any()
    hits, _ = env.CheckCollisionRays(rays, c)
    assert hits.tolist() == [True, False, False]


def test_callbacks_may_ignore_collisions(openravepy, env, boxes):
    a, b, _ = boxes
    told = []

    def callback(report, from_physics):
        told.append((report.plink1.GetParent(), from_physics))
        return openravepy.CollisionAction.Ignore

    handle = env.RegisterCollisionCallback(callback)
    assert env.HasRegisteredCollisionCallbacks()
    assert env.CheckCollision(a, b) is False
    assert told[0][0] in {a, b}
    assert told[0][1] is False
    handle.Close()
    assert not env.HasRegisteredCollisionCallbacks()
    assert env.CheckCollision(a, b) is True


def test_checkers_of_openrave_are_this_one(openravepy, env, boxes):
    for name in ("ode", "pqp", "fcl_", "bullet"):
        checker = openravepy.RaveCreateCollisionChecker(env, name)
        assert env.SetCollisionChecker(checker) is True
        assert env.GetCollisionChecker() is checker
        assert checker.CheckCollision(boxes[0], boxes[1]) is True


def test_wrong_arguments_end_in_openrave_exceptions(openravepy, env, boxes):
    a, b, c = boxes
    for wrong in (
        (), (3,), (a, b, c), (a, [b]), (a, b, [], []), ([a],), (a, "no"),
    ):  # fmt: skip
        with pytest.raises(openravepy.openrave_exception):
            env.CheckCollision(*wrong)
    with pytest.raises(openravepy.openrave_exception, match="report"):
        env.CheckCollision(a, report=3)
    for register in (env.RegisterCollisionCallback, env.RegisterBodyCallback):
        with pytest.raises(openravepy.openrave_exception, match="function"):
            register(3)
    with pytest.raises(openravepy.openrave_exception, match="nonsense"):
        env.CheckCollision(a, nonsense=3)
    with pytest.raises(openravepy.openrave_exception, match=r"\(n, 6\)"):
        env.CheckCollisionRays(np.zeros(6), None)


@pytest.fixture
def scene(openravepy, env, monkeypatch, tmp_path):
    """The demo's arm, which collides with the table and with itself."""
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path))
    assert env.Load("scenes/demo.env.xml")
    robot = env.GetRobots()[0]
    robot.SetActiveDOFs(range(7))
    return env, robot


@pytest.fixture
def cache(scene):
    from openravepy.openravepy_configurationcache import ConfigurationCache

    return ConfigurationCache(scene[1])


def test_configurations_are_inserted_and_found(openravepy, scene, cache):
    env, robot = scene
    values = np.zeros(7)
    assert cache.InsertConfiguration(values, None)
    assert not cache.InsertConfiguration(values, None)
    values[1] = 0.5
    assert cache.InsertConfiguration(values, None)
    assert cache.GetNumNodes() == 2
    assert cache.GetNodeValues().tolist() == [*np.zeros(7), *values]
    assert cache.CheckCollision(values + 1e-5)[0] == 0
    unknown = cache.CheckCollision(values + 0.5)
    assert unknown == (-1, 0.0, (None, None))
    # the hand in the table
    robot.SetActiveDOFValues([0.0, 1.8, 0, 1.4, 0, 0, 0])
    report = openravepy.CollisionReport()
    assert env.CheckCollision(robot, report=report)
    assert cache.InsertConfiguration(robot.GetActiveDOFValues(), report)
    state, distance, links = cache.CheckCollision(cache.GetDOFValues())
    assert (state, distance) == (1, 0.0)
    assert links == (report.plink1, report.plink2)
    assert links[0].GetParent() == robot
    assert cache.Validate()
    assert cache.GetRobot() is robot
    steps = robot.GetActiveDOFResolutions()
    far = cache.ComputeDistance(np.zeros(7), np.eye(7)[0] * steps[0] * 3)
    assert far == pytest.approx(3.0)
    cache.SetWeights(np.ones(7))
    nearest, distance = cache.FindNearestNode(np.eye(7)[2] * 0.3, 4)
    np.testing.assert_array_equal(nearest, np.zeros(7))
    assert distance == pytest.approx(0.3)
    assert cache.FindNearestNode(np.full(7, 9.0), 4) is None
    assert cache.RemoveConfigurations(np.zeros(7), 0.1) == 1
    assert cache.RemoveCollisionConfigurations() == 1
    assert cache.RemoveFreeConfigurations() == 1
    with pytest.raises(openravepy.openrave_exception, match="values"):
        cache.InsertConfiguration([1, 2], None)


def test_what_is_known_is_dropped_as_bodies_change(openravepy, scene, cache):
    env, robot = scene
    table = env.GetKinBody("table")
    robot.SetActiveDOFValues([0.0, 1.8, 0, 1.4, 0, 0, 0])
    report = openravepy.CollisionReport()
    assert env.CheckCollision(robot, report=report)
    hit = robot.GetActiveDOFValues()
    cache.InsertConfiguration(hit, report)
    cache.InsertConfiguration(np.zeros(7), None)
    assert cache.UpdateCollisionConfigurations(robot) == 1
    cache.InsertConfiguration(hit, report)
    table.SetTransform(table.GetTransform())
    lower = table.GetTransform()
    lower[2, 3] -= 1.0
    table.SetTransform(lower)
    assert cache.GetNumNodes() == 0
    for name in ("CollisionThresh", "FreeSpaceThresh", "InsertionDistanceMult"):
        getattr(cache, f"Set{name}")(0.7)
        assert getattr(cache, f"Get{name}")() == 0.7


def test_the_checker_remembers_for_env_and_plans(openravepy, scene):
    env, robot = scene
    checker = openravepy.RaveCreateCollisionChecker(env, "CacheChecker")
    assert checker.SendCommand(f"TrackRobotState {robot.GetName()}") is not None
    assert env.SetCollisionChecker(checker)
    robot.SetSelfCollisionChecker(checker)
    plain = openravepy.RaveCreateCollisionChecker(env, "ode")
    rng = np.random.default_rng(0)
    for _ in range(60):
        robot.SetActiveDOFValues(rng.uniform(-1.5, 1.5, 7))
        for _ in range(2):
            assert env.CheckCollision(robot) == plain.CheckCollision(robot)
            assert checker.CheckSelfCollision(robot) == plain.CheckSelfCollision(robot)
    checks, hits, free, size = map(
        int, checker.SendCommand("GetSelfCacheStatistics").split()
    )
    assert checks == 120
    assert hits + free >= 60
    assert 0 < size <= 60
    assert checker.SendCommand("SaveCache") is not None
    checker.SendCommand("ResetSelfCache")
    checker.SendCommand("LoadCache")
    assert int(checker.SendCommand("ValidateSelfCache")) == 1
    assert int(checker.SendCommand("GetSelfCacheStatistics").split()[3]) == size
    checker.SendCommand("GetCacheStatistics")
    robot.SetActiveDOFValues(np.zeros(7))
    arm = openravepy.interfaces.BaseManipulation(robot)
    goal = [-0.9, 0.6, 0.3, 0.9, 0.2, 0.6, 0.1]
    assert arm.MoveActiveJoints(goal=goal, execute=False, outputtrajobj=True)
    kept = int(checker.SendCommand("GetCacheStatistics").split()[3])
    assert kept > 0
    env.Remove(env.GetKinBody("table"))
    assert int(checker.SendCommand("GetCacheStatistics").split()[3]) < kept
    checker.SendCommand("ResetCache")
    assert checker.SendCommand("GetCacheStatistics").split() == ["0"] * 4
    assert checker.SendCommand("GetTrackedRobot") == robot.GetName()


def test_wrong_arguments_of_a_cache_are_named(openravepy, cache):
    for call, value, said in (
        (cache.SetCollisionThresh, np.nan, "colthresh is nan, expected a finite"),
        (cache.SetFreeSpaceThresh, -1, "freespacethresh is -1, expected a finite"),
        (cache.SetInsertionDistanceMult, "a", "indist is 'a', expected a finite"),
        (cache.UpdateCollisionConfigurations, 3, "body is 3, expected a KinBody"),
    ):
        with pytest.raises(openravepy.openrave_exception, match=said):
            call(value)
    with pytest.raises(openravepy.openrave_exception, match="dist is 'x', expected"):
        cache.FindNearestNode(np.zeros(7), "x")
