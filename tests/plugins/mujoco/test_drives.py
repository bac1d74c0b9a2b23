"""Springs and dampers that the engine takes along with contacts; robots on legs."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from arm_scenes import arm, robot_of
from physics_scenes import box, chain, floor, run, world

import pyrave
from pyrave import ArgumentError, JointDrive
from pyrave.scene import GeometryDescription, Pose, Sphere

pytest.importorskip("mujoco")

STEP = 0.002


def driven(dofs, goal, kp, kd, rates=0.0, efforts=0.0):
    """Return a drive of joints that all have the same numbers."""
    rows = [np.full(len(dofs), one) for one in (goal, rates, kp, kd, efforts)]
    return JointDrive(np.array(dofs), *rows)


# -- the law -----------------------------------------------------------------------


@pytest.mark.parametrize(("kp", "kd"), [(40.0, 3.0), (1e6, 1e4), (1e-9, 0.0)])
def test_it_is_the_law_at_the_end_of_each_step_of_the_engine(kp, kd):
    """(I + h kd + h^2 kp) a = kp (goal - q - h v) - kd v + effort."""
    inertia, goal, effort = 0.2, 0.4, 0.7
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, inertia))
    q = v = 0.0
    for _ in range(20):
        env.physics_engine.drive_joints(robot, driven([0], goal, kp, kd, 0.0, effort))
        env.step(0.01)
        sums = 0.0
        for _ in range(5):
            law = kp * (goal - q - STEP * v) - kd * v + effort
            a = law / (inertia + STEP * kd + STEP**2 * kp)
            v += STEP * a
            q += STEP * v
            sums += inertia * a
        assert robot.dof_values[0] == pytest.approx(q, rel=1e-6)
        found = env.physics_engine.get_joint_efforts(robot)
        assert found[0] == pytest.approx(sums / 5, rel=1e-5, abs=1e-6)


def test_a_goal_moves_during_the_step():
    """With a rate, the same as goals and rates of ten shorter steps."""
    reached = []
    for dt in (0.02, 0.002):
        env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, 0.2))
        for k in range(1, round(0.4 / dt) + 1):
            drive = driven([0], 2.0 * k * dt, 300.0, 10.0, rates=2.0)
            env.physics_engine.drive_joints(robot, drive)
            env.step(dt)
        reached.append(robot.dof_values[0])
    assert reached[0] == pytest.approx(reached[1], rel=1e-6)


def test_limits_hold_for_the_sum_of_all_that_pushes():
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, 0.5))
    robot.dof_torque_limits = [3.0]
    for _ in range(10):
        robot.dynamics.set_dof_torques([2.0])
        env.physics_engine.drive_joints(robot, driven([0], 10.0, 1e3, 1.0))
        env.step(0.01)
    np.testing.assert_allclose(env.physics_engine.get_joint_efforts(robot), [3.0])
    assert robot.dof_velocities[0] == pytest.approx(3.0 * 0.1 / 0.5, rel=1e-6)
    env.step(0.01)
    assert env.physics_engine.get_joint_efforts(robot)[0] == 0.0, "it acts once"


def test_the_last_of_several_counts():
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, 0.2))
    for goal in (1.0, -1.0):
        env.physics_engine.drive_joints(robot, driven([0], goal, 10.0, 1.0))
    env.step(0.01)
    assert robot.dof_values[0] < 0.0


def test_drives_without_gains_change_nothing_and_with_dampers_energy_falls():
    def swing(**gains):
        env = world(chain(kinds=("hinge",) * 3, axes=((0, 1, 0),) * 3))
        body, energies = env.bodies["chain"], []
        body.dof_values = [1.0, 0.5, -0.3]
        for _ in range(100):
            if gains:
                drive = driven(range(3), 0.3, **gains)
                env.physics_engine.drive_joints(body, drive)
            env.step(0.01)
            energies.append(
                body.dynamics.kinetic_energy + body.dynamics.potential_energy
            )
        return body.dof_values, energies

    free, none = swing()[0], swing(kp=0.0, kd=0.0)[0]
    np.testing.assert_allclose(none, free, rtol=0, atol=1e-9)
    assert (np.diff(swing(kp=0.0, kd=0.5)[1]) < 0.0).all()


def test_efforts_are_those_of_inverse_dynamics():
    env = pyrave.load("scenes/demo.env.xml")
    engine = env.set_physics_engine("mujoco")
    robot, dt = env.robots["heron7"], 5e-4
    engine.change_settings(time_step=dt)
    for _ in range(50):
        engine.drive_joints(robot, driven(range(robot.dof), 0.5, 50.0, 10.0))
        values, rates = robot.dof_values, robot.dof_velocities
        env.step(dt)
    accelerations = (robot.dof_velocities - rates) / dt
    found = engine.get_joint_efforts(robot)
    robot.dof_values, robot.dof_velocities = values, rates
    # the last one is stopped by its limit
    wanted = robot.inverse_dynamics(accelerations)[:-1]
    np.testing.assert_allclose(found[:-1], wanted, rtol=2e-3, atol=2e-3)


def finger(control, seconds=1.0):
    """Return the way of a finger of 1 g into a block, and the force on that, newtons.

    It touches the block at 0.
    """
    links = chain(
        kinds=("slider",), axes=((0, 0, -1),), mass=0.001, inertia=(1e-7,) * 3
    )
    env = world(floor(), box("block", (0, 0, 0.1), mass=2.0), robot_of(links))
    robot = env.robots["chain"]
    tip = GeometryDescription(Sphere(0.02), pose=Pose(translation=(0, 0, -1.0)))
    robot.links[1].set_geometries((tip,))
    robot.transform = [1, 0, 0, 0, 0, 0, 1.22]
    before = control(env, robot)
    for _ in range(round(seconds / 0.01)):
        before()
        env.step(0.01)
    forces = [
        abs(one.force[2])
        for one in env.physics_engine.contacts()
        if {one.first.body.name, one.second.body.name} == {"chain", "block"}
    ]
    return robot.dof_values[0], sum(forces)


def spring(env, robot):
    def push():
        env.physics_engine.drive_joints(robot, driven([0], 0.3, 100.0, 5.0))

    return push


def test_a_light_finger_presses_as_hard_as_its_spring_says():
    """100 N/m over 0.3 m; an effort of what touches nothing would be thousandths."""
    way, force = finger(spring)
    assert force == pytest.approx(100.0 * (0.3 - way), rel=1e-3)
    assert way < 0.01


def test_a_servo_presses_as_hard_as_its_gains_say():
    def servo(env, robot):
        robot.set_controller("JointPIDController", kp=100, kd=5).set_desired([0.3])
        return lambda: None

    way, force = finger(servo)
    assert force == pytest.approx(100.0 * (0.3 - way), rel=1e-3)


@pytest.mark.parametrize("control", ["odevelocity", "PDDeviceController kp=20"])
def test_motors_of_velocities_press_up_to_their_limit(control):
    def motor(env, robot):
        robot.dof_torque_limits = [12.0]
        robot.set_controller(control).set_desired([0.2])
        return lambda: None

    _, force = finger(motor)
    weight = 0.001 * 9.81
    assert force == pytest.approx(12.0 + weight, rel=1e-3)


def test_callbacks_are_asked_while_joints_are_driven():
    """A finger goes into a block that a callback lets it into."""

    def ghost(env, robot):
        handles.append(env.on_collision(lambda _: pyrave.CollisionAction.IGNORE))
        return spring(env, robot)

    handles = []
    way, force = finger(ghost)
    assert way == pytest.approx(0.3, abs=1e-3)
    assert force == 0.0


# -- copies, contents, wrong input -------------------------------------------------


def test_copies_press_alike():
    env, robot = arm(((0, 1, 0), (0, 1, 0)))
    for one in range(3):
        env.physics_engine.drive_joints(robot, driven([0, 1], 0.1 * one, 50.0, 5.0))
        env.step(0.01)
    copies = [env.clone(), pickle.loads(pickle.dumps(env))]  # noqa: S301 - made here
    for copy in copies:
        other = copy.robots["chain"]
        np.testing.assert_array_equal(
            copy.physics_engine.get_joint_efforts(other),
            env.physics_engine.get_joint_efforts(robot),
        )
        np.testing.assert_allclose(
            copy.physics_engine.get_joint_force_torque(other.joints[0]),
            env.physics_engine.get_joint_force_torque(robot.joints[0]),
            rtol=1e-9,
        )


def test_a_body_that_goes_is_driven_no_more():
    env, robot = arm(((0, 1, 0),))
    env.physics_engine.drive_joints(robot, driven([0], 0.3, 50.0, 5.0))
    env.remove(robot)
    env.step(0.01)
    assert env.problems == ()
    with pytest.raises(ArgumentError, match="is not in the environment"):
        env.physics_engine.get_joint_efforts(robot)


def test_spherical_joints_are_not_driven():
    env = world(chain(kinds=("spherical",)))
    body, engine = env.bodies["chain"], env.physics_engine
    assert not engine.can_drive(body, range(3))
    with pytest.raises(ArgumentError, match="set_dof_torques pushes these"):
        engine.drive_joints(body, driven([0], 0.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"dofs": [1]}, "those of .* are 0 to 0"),
        ({"dofs": [-1]}, "those of .* are 0 to 0"),
        ({"dofs": [0, 0]}, r"dofs of a drive are \[0 0\], expected each once"),
        ({"kp": -1.0}, "stiffness of a drive is .*expected no negative"),
        ({"kd": np.nan}, "damping"),
        ({"goal": np.inf}, "positions"),
    ],
)
def test_wrong_drives(wrong, says):
    env, robot = arm(((0, 1, 0),))
    numbers = {"dofs": [0], "goal": 0.0, "kp": 1.0, "kd": 1.0} | wrong
    with pytest.raises(ArgumentError, match=says):
        env.physics_engine.drive_joints(robot, driven(**numbers))


def test_engines_without_drives_say_so():
    env, robot = arm(((0, 1, 0),))
    env.physics_engine = ""
    assert not env.physics_engine.can_drive(robot, [0])
    with pytest.raises(pyrave.NotSupportedError, match="drives no joints"):
        env.physics_engine.drive_joints(robot, driven([0], 0.0, 1.0, 1.0))
    with pytest.raises(pyrave.NotSupportedError, match="does not know efforts"):
        env.physics_engine.get_joint_efforts(robot)


# -- robots on legs ----------------------------------------------------------------

BENT = {"hip_pitch": -0.5, "knee": 1.0, "ankle_pitch": -0.5}


def biped(tmp_path, bend):
    """Return an environment with a URDF biped on a floor, and the robot."""
    source = "robots/biped.robot.xml"
    pyrave.convert(source, tmp_path / "biped.urdf")
    env = pyrave.load(tmp_path / "biped.urdf")
    env.create_body(floor())
    env.physics_engine = "mujoco"
    robot = env.robots["biped"]
    for name, value in BENT.items() if bend else ():
        for side in ("left", "right"):
            robot.joints[f"{side}_{name}"].values = [value]
    middle, half = robot.aabb
    pose = robot.transform
    pose[2, 3] -= middle[2] - half[2] - 1e-3
    robot.transform = pose
    return env, robot


@pytest.mark.parametrize("bend", [False, True])
def test_a_biped_stands_on_its_contact_areas(tmp_path, bend):
    env, robot = biped(tmp_path, bend)
    robot.set_controller("JointPIDController", kp=1000, kd=50)
    run(env, 1.0)
    place = robot.transform
    run(env, 9.0)
    np.testing.assert_allclose(robot.transform, place, atol=2e-3)
    assert np.abs(robot.dof_velocities).max() < 1e-3
    np.testing.assert_allclose(place[2, :3], (0, 0, 1), atol=0.05)
    total, touching = np.zeros(3), set()
    for one in env.physics_engine.contacts():
        sign = 1.0 if one.second.body is robot else -1.0
        link = one.second if one.second.body is robot else one.first
        (sole,) = link.contacts
        local = np.linalg.inv(link.transform @ sole.transform) @ (*one.position, 1)
        assert (np.abs(local[:3]) < sole.half_extents + 1e-3).all()
        assert np.linalg.norm(one.force) < sole.max_normal_force
        total += sign * one.force
        touching.add(link.name)
    assert touching == {"left_foot", "right_foot"}
    np.testing.assert_allclose(total, -robot.mass * env.gravity, rtol=1e-3, atol=0.1)


def test_a_biped_falls_with_ankles_that_are_too_soft(tmp_path):
    """Twice 100 N m/rad is less than the weight times the height of its centre."""
    env, robot = biped(tmp_path, bend=False)
    height = robot.center_of_mass[2]
    assert robot.mass * 9.81 * height > 2 * 100
    robot.set_controller("JointPIDController", kp=100, kd=20)
    run(env, 10.0)
    assert robot.center_of_mass[2] < 0.5 * height
