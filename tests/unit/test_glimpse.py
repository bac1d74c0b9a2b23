"""Another thread looks at a body without its owner noticing."""

import threading

import numpy as np

import pyrave


def test_it_is_how_the_body_stands_and_keeps_nothing():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots[0]
    rng = np.random.default_rng(3)
    for _ in range(10):
        lower, upper = robot.dof_limits
        robot.dof_values = rng.uniform(lower, upper)
        seen = robot.glimpse()
        assert robot._transforms is None
        assert np.array_equal(seen.dof_values, robot.dof_values)
        assert np.allclose(seen.link_transforms, robot.link_transforms, atol=1e-12)
        assert robot.glimpse().stamp == seen.stamp
        robot.transform = robot.transform @ pyrave.spatial.pose_from_rpy((0, 0, 0.1))
        assert robot.glimpse().stamp != seen.stamp


def test_who_moves_is_not_disturbed_by_who_looks():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots[0]
    done = threading.Event()
    looked = []

    def look():
        while not done.is_set():
            looked.append(robot.glimpse().stamp)
            assert env.bodies[robot.name] is robot

    thread = threading.Thread(target=look)
    thread.start()
    rng = np.random.default_rng(4)
    lower, upper = robot.dof_limits
    try:
        for _ in range(500):
            values = rng.uniform(lower, upper)
            robot.dof_values = values
            wanted = robot.compute_link_transforms(values[None])[0]
            assert np.allclose(robot.link_transforms, wanted, atol=1e-9)
    finally:
        done.set()
        thread.join()
    assert looked == sorted(looked)
    assert np.allclose(robot.glimpse().link_transforms, robot.link_transforms)
