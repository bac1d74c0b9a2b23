"""Nothing must be closed: environments live while they are used, and then go away."""

import gc
import threading
import weakref

import psutil
import pytest

import pyrave


def busy(env):
    env.step(0.01)
    env.raycast((0, 0, 5), [(0, 0, -1)])
    robot = env.robots["arm"]
    robot.dof_values = (0.1, 0.2)
    robot.grab(env.bodies["block"])
    robot.jacobian("lower")
    robot.inverse_dynamics()
    robot.manipulators["hand"].jacobian()
    _ = robot.aabb, robot.links["lower"].geometries[0].mesh, robot.joints[0].axes
    for item in (env.modules[0], robot.controller):
        _ = dict(item.commands)
    parameters = pyrave.PlannerParameters()
    parameters.set_robot_active_joints(robot)
    env.on_body(lambda event: None)
    env.describe()


def test_an_environment_dies_with_its_last_reference(spies, xml):
    eye = (
        '<attachedsensor name="eye"><link>lower</link><sensor type="SpySensor"/>'
        "</attachedsensor>"
    )
    env = pyrave.Environment()
    spies.register(env)
    env.load_string(
        xml.environment(
            xml.robot(extra=f'{eye}<controller type="SpyController"/>'),
            xml.body(),
            '<module type="SpyModule"/><sensor type="SpySensor" name="stand"/>',
            '<physicsengine type="SpyEngine"/><collisionchecker type="SpyChecker"/>',
        ),
        strict=True,
    )
    busy(env)
    twin = env.clone()
    watched = [weakref.ref(env), weakref.ref(twin)]
    for one in (env, twin):
        robot = one.robots["arm"]
        watched += map(weakref.ref, one.bodies)
        watched += map(weakref.ref, robot.links)
        watched += map(weakref.ref, robot.manipulators)
        watched += map(weakref.ref, one.sensors)
        watched += map(weakref.ref, one.modules)
        watched += map(weakref.ref, (robot.controller, one.physics_engine))
        watched.append(weakref.ref(robot.links["lower"].geometries[0].mesh))
    del env, twin, one, robot
    gc.collect()
    assert [ref() for ref in watched] == [None] * len(watched)


@pytest.mark.usefixtures("compiled")
def test_cycles_of_use_leave_nothing_behind(spies, xml, tmp_path):
    path = tmp_path / "scene.env.xml"
    path.write_text(
        xml.environment(
            xml.robot(extra='<controller type="SpyController"/>'),
            xml.body(),
            '<module type="SpyModule"/>',
        )
    )
    process = psutil.Process()

    def cycle():
        env = pyrave.Environment()
        spies.register(env)
        env.load(path)
        busy(env)
        twin = env.clone()
        twin.step(0.01)
        env.start(0.001)
        env.stop()
        del env, twin
        gc.collect()

    for _ in range(100):
        cycle()
    memory = process.memory_info().rss
    threads = threading.active_count()
    objects = len(gc.get_objects())
    for _ in range(200):
        cycle()
    assert threading.active_count() == threads
    assert len(gc.get_objects()) - objects < 200
    assert process.memory_info().rss - memory < 3_000_000
