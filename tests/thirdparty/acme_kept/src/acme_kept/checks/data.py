"""The robot of the package is found by its path, and loads."""

import pyrave


def test_the_robot_loads():
    env = pyrave.load("robots/acme_kept.robot.xml", strict=True)
    assert env.robots["acme_kept"].dof == 1
