"""Environments: life, contents, files, clock, lock, drawings, copies, data."""

import threading

import numpy as np
import pytest

import pyrave

BOX = """<KinBody name="box"><Body name="base"><Geom type="box">
<extents>0.1 0.2 0.3</extents></Geom></Body></KinBody>"""
SCENE = f"<Environment>{BOX}</Environment>"
ROBOT = """<Robot name="arm"><KinBody><Body name="base"/>
<Body name="tip"><Geom type="sphere"><radius>0.1</radius></Geom></Body>
<Joint name="turn" type="hinge"><Body>base</Body><Body>tip</Body>
<axis>0 0 1</axis></Joint></KinBody></Robot>"""


def test_an_environment_lives_until_it_is_destroyed(openravepy):
    number = openravepy.Environment().GetId()
    env = openravepy.RaveGetEnvironment(number)
    assert openravepy.RaveGetEnvironmentId(env) == number
    assert env in openravepy.RaveGetEnvironments()
    assert (str(env), repr(env)) == (f"<env {number}>", f"RaveGetEnvironment({number})")
    assert env.IsSimulationRunning()
    env.Destroy()
    assert openravepy.RaveGetEnvironment(number) is None
    assert not env.IsSimulationRunning()
    assert openravepy.RaveGetEnvironmentId(env) == 0
    env.Destroy()  # once more does nothing


def test_rave_destroy_destroys_all(openravepy):
    envs = [openravepy.Environment() for _ in range(2)]
    openravepy.RaveDestroy()
    assert openravepy.RaveGetEnvironments() == []
    assert not any(env.IsSimulationRunning() for env in envs)


def test_look_ups_answer_none(env):
    assert env.LoadData(SCENE) is True
    assert env.GetKinBody("box") is env.GetBodies()[0]
    assert env.GetKinBody("no") is env.GetRobot("box") is env.GetSensor("no") is None
    assert env.GetNumBodies() == 1
    assert env.LoadData("<Environment>") is False
    assert env.Load("no.env.xml") is env.LoadURI("file:/no/such") is False


def test_bodies_are_read_without_being_added(env, tmp_path):
    path = tmp_path / "arm.robot.xml"
    path.write_text(ROBOT)
    robot = env.ReadRobotXMLFile(str(path))
    assert robot.GetName() == "arm"
    assert env.GetBodies() == []
    assert robot is not env.ReadRobotURI(f"file:{path}")
    assert env.ReadRobotXMLData(ROBOT).GetDOF() == 1
    body = env.ReadKinBodyXMLData(BOX)
    env.Add(body)
    assert env.GetBodies() == [body]
    assert env.ReadKinBodyURI("no/such.xml") is None
    assert env.ReadInterfaceURI(str(path)).GetName() == "arm"


def test_names_are_strict_or_numbered(openravepy, env):
    for mode in (None, True, openravepy.InterfaceAddMode.AllowRenaming):
        env.Add(env.ReadKinBodyXMLData(BOX), mode)
    assert [body.GetName() for body in env.GetBodies()] == ["box", "box1", "box2"]
    for strict in (None, False, openravepy.InterfaceAddMode.StrictNameChecking):
        with pytest.raises(openravepy.openrave_exception, match="already"):
            env.Add(env.ReadKinBodyXMLData(BOX), strict)
    env.AddKinBody(env.ReadKinBodyXMLData(BOX), anonymous=True)
    body = env.GetKinBody("box3")
    assert env.Remove(body) is True
    assert env.Remove(body) is False
    assert env.RemoveKinBodyByName("box") is True
    assert env.RemoveKinBodyByName("box") is False


def test_callbacks_tell_of_bodies_until_the_handle_is_dropped(env):
    told = []
    handle = env.RegisterBodyCallback(lambda body, action: told.append((body, action)))
    body = env.ReadKinBodyXMLData(BOX)
    told.clear()  # reading adds it for a moment
    env.Add(body)
    env.Remove(body)
    assert told == [(body, 1), (body, 0)]
    del handle
    env.Add(body)
    assert len(told) == 2


def test_files_are_written_of_chosen_bodies(openravepy, env, tmp_path):
    options = openravepy.Environment.SelectionOptions
    env.LoadData(SCENE)
    env.Add(env.ReadRobotXMLData(ROBOT))
    wanted = {
        options.Everything: ["box", "arm"],
        options.Robots: ["arm"],
        options.NoRobots: ["box"],
        options.Body: ["box"],
        options.AllExceptBody: ["arm"],
    }
    for option, names in wanted.items():
        path = tmp_path / f"{int(option)}.dae"
        env.Save(str(path), option, {"target": "box"})
        assert list(pyrave.load(path).bodies.names) == names
    path = str(tmp_path / "named.dae")
    env.Save(path, options.Body, "arm")
    assert list(pyrave.load(path).bodies.names) == ["arm"]
    assert b"COLLADA" in env.WriteToMemory("collada", options.Robots)
    for wrong in (lambda: env.Save("x.dae", 77), lambda: env.Save("x.what")):
        with pytest.raises(openravepy.openrave_exception):
            wrong()


def test_the_clock_counts_microseconds(env):
    env.StepSimulation(0.01)
    assert env.GetSimulationTime() == 10_000
    env.StartSimulation(0.001, realtime=False)
    assert env.IsSimulationRunning()
    env.StopSimulation()
    assert not env.IsSimulationRunning()
    assert env.GetSimulationTime() % 1000 == 0


def test_locks_have_timeouts(openravepy, env):
    answers = []

    def ask():
        answers.extend((env.TryLock(), env.Lock(0.01), env.LockPhysics(True, 0.01)))

    with env:
        assert env.TryLock() is True  # the same thread, again
        env.Unlock()
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert answers == [False, False, False]
    with pytest.raises(openravepy.openrave_exception, match=r"Lock\(\)"):
        env.Unlock()


def test_drawings_are_there_as_long_as_their_handles(openravepy, env):
    env.LoadData(SCENE)
    drawn = env._native.draw
    points = np.arange(12.0)
    # as there: without a viewer nothing is drawn, and there is no handle
    assert env.plot3(points, 5) is None
    assert env.drawlabel("here", [0, 0, 1]) is None
    assert not drawn
    assert env.SetViewer("qtcoin")
    handles = [
        env.plot3(points, 5),
        env.plot3(points.reshape(4, 3), 0.01, (1, 0, 0), drawstyle=1),
        env.plot3(points, pointsize=5.0, colors=np.ones((4, 4))),
        env.drawlinestrip(points, 2.0, colors=np.ones((4, 3))),
        env.drawlinelist(points, linewidth=1.0),
        env.drawarrow([0, 0, 0], [0, 0, 1], 0.01, [1, 0, 0]),
        env.drawbox([0, 0, 0], [1, 1, 1]),
        env.drawboxarray([[0, 0, 0], [1, 0, 0]], [0.1, 0.1, 0.1], (1, 0, 0)),
        env.drawplane(np.eye(4), [1, 2], np.zeros((4, 4, 3))),
        env.drawlabel("here", [0, 0, 1]),
        env.drawtrimesh(np.eye(3), np.array([[0, 1, 2]]), (1, 0, 0)),
    ]
    assert len(drawn) == len(handles)
    handles.pop()
    assert len(drawn) == len(handles)
    handles[0].SetShow(False)
    pose = np.eye(4)
    pose[:3, 3] = 1, 2, 3
    handles[0].SetTransform(pose)
    moved = [e for e in drawn.entries().values() if not e.visible]
    np.testing.assert_allclose(moved[0].item.points, points.reshape(4, 3) + pose[:3, 3])
    handles[0].Close()
    assert len(drawn) == len(handles) - 1
    for wrong in (
        lambda: env.plot3([1, 2], 1),
        lambda: env.plot3(points, 1, colors=[1, 2, 3, 4, 5]),
        lambda: env.drawtrimesh(np.eye(3), [[0, 1, 9]]),
        lambda: env.drawplane(np.eye(4), [1, 1], np.zeros(3)),
    ):
        with pytest.raises(openravepy.openrave_exception):
            wrong()


def test_faces_are_drawn_in_the_colors_of_their_corners(env):
    assert env.SetViewer("qtcoin")
    corners = np.vstack((np.eye(3), np.eye(3) + 1))
    colors = [(1, 0, 0)] * 3 + [(0, 0, 1)] * 3
    handle = env.drawtrimesh(corners, colors=colors)
    items = [entry.item for entry in env._native.draw.entries().values()]
    assert sorted(tuple(one.color[:3]) for one in items) == [(0, 0, 1), (1, 0, 0)]
    del handle


def test_clones_have_what_the_options_say(openravepy, env):
    options = openravepy.CloningOptions
    env.LoadData(SCENE)
    env.AddModule(openravepy.RaveCreateModule(env, "textserver"), "")
    copy = env.CloneSelf(options.Bodies)
    try:
        assert [body.GetName() for body in copy.GetBodies()] == ["box"]
        assert copy.GetBodies()[0].GetEnv() is copy
        assert copy.GetModules() == []
        body = copy.GetBodies()[0]
        body.mark = "mine"
        pose = np.eye(4)
        pose[0, 3] = 5
        env.GetKinBody("box").SetTransform(pose)
        copy.Clone(env, options.Bodies)
        assert copy.GetBodies() == [body]
        assert body.mark == "mine"
        assert body.GetTransform()[0, 3] == 5
    finally:
        copy.Destroy()
    env.Remove(env.GetModules()[0])


def test_published_bodies_are_those_of_the_last_step(env):
    env.LoadData(SCENE)
    env.UpdatePublishedBodies()
    (state,) = env.GetPublishedBodies()
    assert state["name"] == env.GetPublishedBody("box")["name"] == "box"
    np.testing.assert_allclose(state["linktransforms"], [[1, 0, 0, 0, 0, 0, 0]])
    assert env.GetPublishedBody("no") is None
    assert env.GetPublishedBodyJointValues("no") is None
    assert env.GetPublishedBodyJointValues("box").shape == (0,)
    ((name, pose),) = env.GetPublishedBodyTransformsMatchingPrefix("bo")
    assert name == "box"
    np.testing.assert_allclose(pose, np.eye(4))


def test_units_are_those_of_si(openravepy, env):
    assert env.GetUnit() == ("meter", 1.0)
    env.SetUnit("meter", 1.0)
    assert env.GetUnitInfo() == openravepy.UnitInfo()
    env.SetUnitInfo(openravepy.UnitInfo())
    inches = openravepy.UnitInfo()
    inches.lengthUnit = openravepy.GetLengthUnitFromString("inch")
    assert openravepy.GetLengthUnitString(inches.lengthUnit) == "inch"
    for wrong in (lambda: env.SetUnit("mm", 1.0), lambda: env.SetUnitInfo(inches)):
        with pytest.raises(openravepy.openrave_exception, match=r"metre|kilogram"):
            wrong()
    scale = openravepy.GetLengthUnitConversionScale
    assert scale(inches.lengthUnit, openravepy.LengthUnit.Millimeter) == pytest.approx(
        25.4
    )
    degree = openravepy.GetAngleUnitStandardValue(openravepy.AngleUnit.Degree)
    assert degree == pytest.approx(np.pi / 180)
    assert openravepy.GetMassUnitStandardValue(openravepy.MassUnit.Gram) == 1e-3
    with pytest.raises(openravepy.openrave_exception, match="did you mean 'inch'"):
        openravepy.GetLengthUnitFromString("inchh")


def test_data_of_scripts_stay(openravepy, env):
    env.SetUserData({"a": 1})
    assert env.GetUserData() == {"a": 1}
    env.SetUInt64Parameter("n", 7)
    assert env.GetUInt64Parameter("n", 1) == 7
    assert env.RemoveUInt64Parameter("n") is True
    assert env.GetUInt64Parameter("n", 1) == 1
    env.SetDescription("a box")
    env.SetKeywords(["box"])
    assert (env.GetDescription(), env.GetKeywords()) == ("a box", ["box"])
    with pytest.raises(openravepy.openrave_exception, match="2"):
        env.SetUInt64Parameter("n", -1)


def test_what_is_loaded_may_be_confined(openravepy, env, tmp_path, monkeypatch):
    (tmp_path / "box.kinbody.xml").write_text(BOX)
    path = str(tmp_path / "box.kinbody.xml")
    scene = f'<Environment><KinBody file="{path}"/></Environment>'
    openravepy.RaveSetDataAccess(1)
    try:
        assert env.LoadData(scene) is False
        # what a call names must lie in the data folders, too, not only what a file does
        assert env.Load(path) is False
        assert env.ReadKinBodyURI(path) is None
        assert openravepy.RaveFindLocalFile(path) == ""
        assert openravepy.RaveFindLocalFile("box.kinbody.xml", str(tmp_path)) == ""
        monkeypatch.setenv("OPENRAVE_DATA", str(tmp_path))
        assert openravepy.RaveFindLocalFile("box.kinbody.xml") == path
        assert env.ReadKinBodyURI("box.kinbody.xml").GetName() == "box"
        monkeypatch.delenv("OPENRAVE_DATA")
    finally:
        openravepy.RaveSetDataAccess(0)
    assert env.LoadData(scene) is True
    assert openravepy.RaveFindLocalFile("box.kinbody.xml", str(tmp_path)) == path
    assert openravepy.RaveFindLocalFile("none.xml") == ""


def test_files_are_loaded_without_geometry(env, tmp_path):
    path = tmp_path / "box.kinbody.xml"
    path.write_text(BOX)
    for skips, count in (("1", 0), ("0", 12)):
        env.Reset()
        assert env.Load(str(path), {"skipgeometry": skips}) is True
        assert len(env.Triangulate(env.GetKinBody("box")).indices) == count
        body = env.ReadKinBodyURI(str(path), [("skipgeometry", skips)])
        assert len(body.GetLinks()[0].GetGeometries()) == count // 12


def test_attributes_may_repeat_as_pairs(openravepy, env, tmp_path):
    for name in ("box", "cube", "die"):
        env.Add(env.ReadKinBodyXMLData(BOX.replace("box", name, 1)))
    options = openravepy.Environment.SelectionOptions
    path = tmp_path / "two.dae"
    env.Save(str(path), options.Body, [("target", "box"), ("target", "die")])
    assert list(pyrave.load(path).bodies.names) == ["box", "die"]
    with pytest.raises(openravepy.openrave_exception, match="disc"):
        env.Save(str(path), options.Body, {"target": "disc"})


def test_triangles_are_in_the_world(openravepy, env):
    env.LoadData(SCENE)
    pose = np.eye(4)
    pose[0, 3] = 5.0
    env.GetKinBody("box").SetTransform(pose)
    mesh = env.Triangulate(env.GetKinBody("box"))
    np.testing.assert_allclose(mesh.vertices.min(axis=0), (4.9, -0.2, -0.3))
    options = openravepy.Environment.SelectionOptions
    for option, name, count in (
        (options.Everything, "", 12),
        (options.Robots, "", 0),
        (options.Body, "box", 12),
        (options.AllExceptBody, "box", 0),
    ):
        assert len(env.TriangulateScene(option, name).indices) == count
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    mesh = env.ReadTrimeshData(text, "obj")
    np.testing.assert_allclose(mesh.vertices, [(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    assert mesh.indices.tolist() == [[0, 1, 2]]
    assert env.ReadTrimeshURI("no/such.stl") is None


def test_files_of_collada_are_scaled(openravepy, env, tmp_path):
    body = openravepy.RaveCreateKinBody(env, "")
    body.InitFromBoxes(np.array([[0.5, 0, 0, 0.1, 0.2, 0.3]]), True)
    body.SetName("box")
    env.Add(body, True)
    path = str(tmp_path / "box.dae")
    env.Save(path)
    for words, factors in (("2 3 4", (2, 3, 4)), ("2.0", (2, 2, 2))):
        scaled = env.ReadKinBodyURI(path, {"scalegeometry": words})
        env.Add(scaled, True)
        bounds = scaled.ComputeAABB()
        expected = np.multiply((0.1, 0.2, 0.3), factors)
        np.testing.assert_allclose(bounds.extents(), expected, atol=1e-9)
        np.testing.assert_allclose(bounds.pos(), (1.0, 0.0, 0.0), atol=1e-9)
    env.Reset()
    assert env.Load(path, {"scalegeometry": "3"})
    assert [one.GetName() for one in env.GetBodies()] == ["box"]
    assert env.GetBodies()[0].ComputeAABB().extents()[2] == pytest.approx(0.9)
    for wrong in ("1 2", "0", "-1 1 1", "wide"):
        with pytest.raises(openravepy.openrave_exception, match="scalegeometry is"):
            env.Load(path, {"scalegeometry": wrong})


def test_a_locked_environment_stays_locked_while_it_becomes_a_copy(openravepy, env):
    env.LoadData(SCENE)
    copy = openravepy.Environment()
    with copy:
        with env:
            copy.Clone(env, openravepy.CloningOptions.Bodies)
        assert copy.GetKinBody("box") is not None
        taken = []
        other = threading.Thread(target=lambda: taken.append(copy.TryLock()))
        other.start()
        other.join()
        assert taken == [False]
    assert copy.TryLock()
    copy.Unlock()
    copy.Destroy()


def test_transforms_are_quaternions_where_scripts_ask_for_it(openravepy, env):
    env.LoadData(f"<Environment>{ROBOT}</Environment>")
    robot = env.GetRobot("arm")
    poses, values = robot.GetLinkTransformations(True)
    options = openravepy.options
    options.friction = 0.1  # scripts hand it to others
    options.returnTransformQuaternion = True
    try:
        found = [robot.GetTransform(), robot.GetLinks()[1].GetTransform()]
        assert [one.tolist() for one in found] == [[1, 0, 0, 0, 0, 0, 0]] * 2
        rows, same = robot.GetLinkTransformations(True)
        assert np.shape(rows) == (2, 7)
        np.testing.assert_array_equal(same, values)
    finally:
        options.returnTransformQuaternion = False
        del options.friction
    np.testing.assert_array_equal(robot.GetLinkTransformations(), poses)


def test_names_and_data_may_be_bytes(openravepy, env):
    assert env.LoadData(SCENE.encode())
    body = env.GetKinBody(b"box")
    body.SetName("R\N{LATIN SMALL LETTER U WITH DIAERESIS}ckwand".encode())
    assert body.GetName() == "R\N{LATIN SMALL LETTER U WITH DIAERESIS}ckwand"
    assert env.ReadRobotData(ROBOT.encode()).GetName() == "arm"
    env.Load(b"no.env.xml")
    # what is no text stays as it is
    made = openravepy.RaveCreateTrajectory(env, "")
    made.Init(body.GetConfigurationSpecification())
    made.Insert(0, np.zeros(7))
    again = openravepy.RaveCreateTrajectory(env, "").deserialize(made.serialize(0))
    assert again.GetNumWaypoints() == 1


def test_drawings_take_the_points_of_clouds(env):
    env.SetViewer("qtcoin")
    rows = np.arange(24.0).reshape(4, 6)  # positions, with colors behind them
    handles = [
        env.plot3(rows, 3),
        env.drawlinestrip(rows, 1.0, np.eye(3)),
        env.drawlinelist(rows.reshape(1, -1), 1.0, np.zeros((9, 4))),
    ]
    assert all(handles)
    drawn = [one.item for one in env._native.draw.entries().values()]
    np.testing.assert_array_equal(drawn[0].points, rows[:, :3])


def test_environments_create_interfaces_as_before_2011(env, caplog):
    checker = env.CreateCollisionChecker("ode")
    assert env.SetCollisionChecker(checker)
    assert env.CreateKinBody("").GetEnv() is env
    assert env.CreatePlanner("birrt").GetXMLId() == "BiRRT"
    assert env.CreateProblem("CBiRRT") is None
    assert "instead: MoveToHandPosition of interfaces.BaseManip" in caplog.text
    problem = env.CreateProblem("ViewerRecorder")
    assert env.LoadProblem(problem, "") == 0
