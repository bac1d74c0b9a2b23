"""Controllers, sensors, physics engines, viewers, samplers, modules and plugins."""

import numpy as np
import pytest

from pyrave_openravepy.api.foundation.objects import wrap

ROBOT = """<Robot name="arm"><KinBody><Body name="base"/>
<Body name="tip"><Geom type="sphere"><radius>0.1</radius></Geom></Body>
<Body name="top"/>
<Joint name="turn" type="hinge"><Body>base</Body><Body>tip</Body>
<axis>0 0 1</axis></Joint>
<Joint name="lift" type="slider"><Body>tip</Body><Body>top</Body>
<axis>0 0 1</axis><limits>0 1</limits></Joint></KinBody></Robot>"""
WALL = """<KinBody name="wall"><Body><Geom type="box"><extents>0.1 5 5</extents>
</Geom></Body><translation>2 0 0</translation></KinBody>"""
FALLING = """<KinBody name="ball"><Body type="dynamic"><Geom type="sphere">
<radius>0.1</radius></Geom><mass type="sphere"><density>1000</density></mass></Body>
<translation>0 0 5</translation></KinBody>"""


@pytest.fixture
def robot(env):
    env.Add(env.ReadRobotXMLData(ROBOT))
    return env.GetRobots()[0]


def controller_of(openravepy, env, robot, name):
    controller = openravepy.RaveCreateController(env, name)
    assert controller.Init(robot, [0, 1], 0) is True
    return controller


def test_controllers_are_made_for_joints(openravepy, env, robot):
    controller = controller_of(openravepy, env, robot, "IdealController")
    assert controller.GetRobot() is robot
    assert controller.GetControlDOFIndices().tolist() == [0, 1]
    assert controller.IsControlTransformation() == 0
    assert controller.SetDesired([0.5, 0.25]) is True
    controller.SimulationStep(0.01)
    assert controller.IsDone() is True
    np.testing.assert_allclose(robot.GetDOFValues(), (0.5, 0.25))
    assert controller.SetPath(None) is True
    controller.Reset(0)
    with pytest.raises(openravepy.openrave_exception):
        controller.SetDesired([1, 2, 3])


def test_loops_that_ask_for_the_end_end_without_a_thread(openravepy, env, robot):
    assert not env.IsSimulationRunning()
    controller = robot._native.set_controller("IdealController", [0, 1])
    motion = env._native.retime(robot._native, [[0.0, 0.0], [0.5, 0.5]])
    wrapped = wrap(controller)
    assert wrapped.SetPath(motion) is True
    asked = 0
    while not wrapped.IsDone():
        asked += 1
        assert asked < 10_000
    assert env.GetSimulationTime() >= motion.duration * 1e6 - 1e4
    np.testing.assert_allclose(robot.GetDOFValues(), (0.5, 0.5), atol=1e-6)


def test_who_steps_by_hand_is_left_alone(openravepy, env, robot):
    controller = robot._native.set_controller("IdealController", [0, 1])
    motion = env._native.retime(robot._native, [[0.0, 0.0], [0.5, 0.5]])
    wrapped = wrap(controller)
    wrapped.SetPath(motion)
    steps = 0
    while not wrapped.IsDone():
        env.StepSimulation(0.01)
        steps += 1
    assert env.GetSimulationTime() == steps * 10_000


def test_joints_are_shared_among_controllers(openravepy, env, robot):
    multi = openravepy.RaveCreateMultiController(env, "")
    multi.Init(robot, [0, 1], 1)
    first = openravepy.RaveCreateController(env, "IdealController")
    assert multi.AttachController(first, [1], 0) is True
    assert multi.GetController(1) is first
    assert multi.GetController(0) is None
    with pytest.raises(openravepy.openrave_exception, match="already"):
        multi.AttachController(
            openravepy.RaveCreateController(env, "IdealController"), [1], 0
        )
    multi.RemoveController(first)
    assert multi.GetController(1) is None


def test_lasers_measure_while_the_environment_steps(openravepy, env):
    types, commands = openravepy.Sensor.Type, openravepy.Sensor.ConfigureCommand
    env.Add(env.ReadKinBodyXMLData(WALL))
    sensor = openravepy.RaveCreateSensor(env, "BaseLaser2D")
    sensor.SetName("laser")
    geometry = sensor.GetSensorGeometry()
    assert geometry.GetType() == types.Laser
    geometry.min_angle = np.array((-0.1, 0))
    geometry.max_angle[0] = 0.1
    geometry.resolution[0] = 0.05
    geometry.max_range = 10.0
    sensor.SetSensorGeometry(geometry)
    assert sensor.GetSensorGeometry(types.Laser).max_range == 10.0
    assert sensor.GetSensorGeometry(types.Camera) is None
    assert sensor.GetSensorData() is None
    env.Add(sensor)
    assert env.GetSensor("laser") is sensor
    assert env.GetSensors() == [sensor]
    sensor.Configure(commands.PowerOn)
    assert sensor.Configure(commands.PowerCheck) == 1
    env.StepSimulation(0.1)
    data = sensor.GetSensorData()
    assert (data.type, data.stamp) == (types.Laser, 100_000)
    assert data.ranges.shape == (5, 3)
    assert data.positions.shape in {(1, 3), (5, 3)}
    np.testing.assert_allclose(data.ranges[:, 0], 1.9)
    assert data.intensity.all()
    assert sensor.GetSensorData(types.Camera) is None
    assert sensor.Supports(types.Laser) is True
    assert sensor.Supports(types.Camera) is False
    assert type(sensor.CreateSensorData()) is openravepy.Sensor.LaserSensorData
    sensor.Configure(commands.PowerOff)
    assert sensor.Configure(commands.PowerCheck) == 0
    with pytest.raises(openravepy.openrave_exception):
        sensor.Configure(77)
    geometry.max_range = -1.0
    with pytest.raises(openravepy.openrave_exception):
        sensor.SetSensorGeometry(geometry)


def test_cameras_have_lenses_and_images(openravepy, env):
    env.Add(env.ReadKinBodyXMLData(WALL))
    sensor = openravepy.RaveCreateSensor(env, "BaseCamera")
    geometry = sensor.GetSensorGeometry(openravepy.Sensor.Type.Camera)
    geometry.width, geometry.height = 32, 24
    geometry.KK = np.array(((40.0, 0, 16), (0, 40, 12), (0, 0, 1)))
    sensor.SetSensorGeometry(geometry)
    again = sensor.GetSensorGeometry()
    np.testing.assert_allclose(again.intrinsics.K, geometry.KK)
    assert again.SerializeJSON()["width"] == 32
    again.DeserializeJSON({"width": 16})
    assert again.width == 16
    pose = np.array(((0, 0, 1.0, 0), (-1, 0, 0, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
    sensor.SetTransform(pose)
    env.Add(sensor)
    env.StepSimulation(0.5)
    data = sensor.GetSensorData()
    assert data.imagedata.shape == (24, 32, 3)
    np.testing.assert_allclose(data.transform, pose, atol=1e-12)
    np.testing.assert_allclose(data.KK, geometry.KK)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BaseEncoder", "JointEncoder"), ("BaseForce6D", "Force6D"),
        ("BaseIMU", "IMU"), ("BaseOdometry", "Odometry"),
        ("BaseTactile", "Tactile"), ("BaseActuator", "Actuator"),
    ],
)  # fmt: skip
def test_each_kind_has_its_classes(openravepy, env, name, kind):
    sensor = openravepy.RaveCreateSensor(env, name)
    number = getattr(openravepy.Sensor.Type, kind)
    geometry = sensor.GetSensorGeometry()
    assert type(geometry).__name__ == f"{kind}GeomData"
    assert geometry.GetType() == number
    assert type(sensor.CreateSensorData()).__name__ == f"{kind}SensorData"
    sensor.SetSensorGeometry(geometry)
    assert sensor.GetSensorGeometry().SerializeJSON() == geometry.SerializeJSON()


def test_bodies_fall_by_the_gravity_of_the_engine(openravepy, env):
    engine = openravepy.RaveCreatePhysicsEngine(env, "ode")
    assert env.SetPhysicsEngine(engine) is True
    assert env.GetPhysicsEngine() is engine
    engine.SetGravity([0, 0, -2.0])
    np.testing.assert_allclose(engine.GetGravity(), (0, 0, -2))
    env.Add(env.ReadKinBodyXMLData(FALLING))
    body = env.GetBodies()[0]
    for _ in range(100):
        env.StepSimulation(0.01)
    assert body.GetTransform()[2, 3] == pytest.approx(4.0, abs=0.02)
    velocities = engine.GetLinkVelocities(body)
    assert velocities.shape == (1, 6)
    linear, angular = engine.GetLinkVelocity(body.GetLinks()[0])
    np.testing.assert_allclose(linear, (0, 0, -2), atol=0.05)
    np.testing.assert_allclose(angular, 0, atol=1e-9)
    assert engine.SetLinkVelocity(body.GetLinks()[0], [1, 0, 0], [0, 0, 1]) is True
    linear, angular = engine.GetLinkVelocity(body.GetLinks()[0])
    np.testing.assert_allclose((linear, angular), ((1, 0, 0), (0, 0, 1)), atol=1e-12)
    env.SetPhysicsEngine(None)
    assert env.GetPhysicsEngine().GetXMLId() == "GenericPhysicsEngine"


def test_a_viewer_is_there_that_nobody_sees(openravepy, env):
    env.Add(env.ReadKinBodyXMLData(WALL))
    assert env.GetViewer() is None
    for name in ("qtcoin", "qtosg"):
        assert env.SetViewer(name) is True
    viewer = env.GetViewer()
    pose = np.array(((0, 0, 1.0, 0), (-1, 0, 0, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
    viewer.SetCamera(pose, 2.0)
    np.testing.assert_allclose(viewer.GetCameraTransform(), pose)
    assert viewer.GetCameraDistanceToFocus() == 2.0
    assert viewer.SendCommand("SetFiguresInCamera 1") == ""
    image = viewer.GetCameraImage(32, 24, pose, [40, 40, 16, 12])
    assert image.shape == (24, 32, 3)
    viewer.SetSize(320, 240)
    assert viewer.GetCameraIntrinsics().K[0, 2] == 160
    viewer.SetName("window")
    viewer.SetBkgndColor([1, 1, 1])
    viewer.EnvironmentSync()
    assert viewer.GetName() == "window"
    assert viewer.main(True) == 0
    viewer.quitmainloop()
    viewer.RegisterItemSelectionCallback(print).Close()
    env.SetViewer("")
    assert env.GetViewer() is None


def test_samples_are_flat_or_rows(openravepy, env):
    kinds, interval = openravepy.SampleDataType, openravepy.Interval
    for name in ("MT19937", "Halton"):
        sampler = openravepy.RaveCreateSpaceSampler(env, name)
        sampler.SetSpaceDOF(3)
        assert sampler.GetDOF() == sampler.GetNumberOfValues() == 3
        assert sampler.Supports(kinds.Real) is True
        assert sampler.SampleSequence(kinds.Real, 4).shape == (12,)
        rows = sampler.SampleSequence2D(kinds.Real, 100, interval.Open)
        assert rows.shape == (100, 3)
        assert ((rows > 0) & (rows < 1)).all()
        np.testing.assert_allclose(sampler.GetLimits(kinds.Real), [[0] * 3, [1] * 3])
        with pytest.raises(openravepy.openrave_exception):
            sampler.SampleSequence(77, 1)
    sampler = openravepy.RaveCreateSpaceSampler(env, "MT19937 1")
    sampler.SetSpaceDOF(1)
    sampler.SetSeed(1)
    first = sampler.SampleSequenceOneReal()
    sampler.SetSeed(1)
    assert sampler.SampleSequenceOneReal() == first
    # the first number of the generator of the seed 1
    sampler.SetSeed(1)
    assert sampler.SampleSequenceOneUInt32() == 1791095845


def test_modules_are_added_and_removed(openravepy, env):
    for create in (
        openravepy.RaveCreateModule,
        openravepy.RaveCreateProblem,
        openravepy.RaveCreateProblemInstance,
    ):
        module = create(env, "urdf")
        assert env.AddModule(module, "") == 0
        assert env.GetModules() == env.GetLoadedProblems() == [module]
        assert env.Remove(module) is True
        assert env.GetModules() == []


def test_unknown_ids_give_none_and_a_line(openravepy, env, caplog):
    kinds = openravepy.InterfaceType
    for kind in kinds:
        create = openravepy.RaveCreateInterface
        assert create(env, kind, "NoSuchId") is None
    assert "NoSuchId" in caplog.text
    assert openravepy.RaveHasInterface(kinds.planner, "birrt") is True
    assert openravepy.RaveHasInterface(kinds.planner, "NoSuchId") is False
    assert "BiRRT" in openravepy.RaveGetLoadedInterfaces()[kinds.planner]
    found = dict(openravepy.RaveGetPluginInfo())
    assert (kinds.planner, "BiRRT") in [
        (kind, name)
        for info in found.values()
        for kind, names in info.interfacenames
        for name in names
    ]
    with pytest.raises(openravepy.openrave_exception):
        openravepy.RaveCreatePlanner(None, "BiRRT")


def test_compiled_plugins_are_not_loaded(openravepy, tmp_path, caplog):
    assert openravepy.RaveLoadPlugin("libmine.so") is False
    assert "C++" in caplog.text
    assert openravepy.RaveLoadPlugin("no_such_plugin") is False
    path = tmp_path / "offer.py"
    path.write_text(
        "import pyrave\n\nclass MyModule(pyrave.ModuleBase):\n    contract = 1\n"
    )
    assert openravepy.RaveLoadPlugin(str(path)) is True
    env = openravepy.Environment()
    assert openravepy.RaveCreateModule(env, "MyModule").GetXMLId() == "MyModule"
    env.Destroy()


def test_messages_have_the_names_of_earlier_versions(openravepy, caplog):
    openravepy.raveLogError("too late")
    openravepy.raveLog("as well", openravepy.DebugLevel.Warn)
    assert [one.levelname for one in caplog.records] == ["ERROR", "WARNING"]
    before = openravepy.raveGetDebugLevel()
    openravepy.raveSetDebugLevel(openravepy.DebugLevel.Debug)
    assert openravepy.RaveGetDebugLevel() == openravepy.DebugLevel.Debug
    openravepy.raveSetDebugLevel(before)


def test_a_sampler_of_a_robot_follows_what_is_active(openravepy, env):
    env.Load("scenes/minimal.env.xml")
    (robot,) = env.GetRobots()
    sampler = openravepy.RaveCreateSpaceSampler(
        env, f"RobotConfiguration {robot.GetName()}"
    )
    for indices in ([0], [0, 1]):
        robot.SetActiveDOFs(indices)
        assert sampler.GetDOF() == len(indices)
