"""What the skeletons of ``pyrave new-plugin`` do, looked at without their own tests."""

from __future__ import annotations

import importlib
import importlib.util
import sys

import numpy as np
import pytest

import pyrave
from pyrave.errors import SceneError
from pyrave.plugins.generator import new_plugin
from pyrave.plugins.templates import interface_class
from pyrave.scene import body_from_boxes

KINDS = ("module", "physicsengine", "robot", "sensorsystem")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Return the folder of a package with some skeletons, importable."""
    folder = tmp_path_factory.mktemp("skeletons") / "looked_at"
    new_plugin("looked_at", {kind: [f"My{kind.title()}"] for kind in KINDS}, folder)
    sys.path.insert(0, str(folder / "src"))
    yield folder
    sys.path.remove(str(folder / "src"))
    for name in [one for one in sys.modules if one.partition(".")[0] == "looked_at"]:
        del sys.modules[name]


@pytest.fixture
def skeleton(package):
    """Return what registers and creates a skeleton of a type."""

    def created(env, kind):
        name = f"My{kind.title()}"
        home = importlib.import_module(f"looked_at.my_{kind}")
        env.register(kind, name, getattr(home, name))
        return env.create(kind, name)

    return created


def test_a_module_says_that_it_stepped(skeleton):
    env = pyrave.Environment()
    module = skeleton(env, "module")
    assert module.simulation_step(0.1) is True
    assert module.command("steps") == 1


def test_a_ball_that_moves_up_or_rests_is_not_lifted(skeleton):
    env = pyrave.Environment()
    engine = skeleton(env, "physicsengine")
    env.physics_engine = engine
    env.gravity = (0.0, 0.0, 0.0)
    env.load_string(
        "<environment><kinbody name='box'><body name='b' type='dynamic'>"
        "<geom type='box'><extents>0.1 0.1 0.1</extents></geom></body></kinbody>"
        "</environment>"
    )
    box = env.bodies["box"]
    assert box.transform[2, 3] == 0.0  # half of it is below the floor
    env.step(0.1)
    assert box.transform[2, 3] == 0.0
    box.base_velocity = (0, 0, -1.0, 0, 0, 0)
    env.step(0.1)
    np.testing.assert_allclose(box.transform[2, 3], 0.1)
    np.testing.assert_array_equal(box.base_velocity, np.zeros(6))


def test_a_robot_adds_up_its_way(skeleton):
    env = pyrave.load("robots/planar3r.robot.xml")
    robot = skeleton(env, "robot")
    robot.init(env.robots[0].describe())
    env.add(robot, rename=True)
    env.step(0.1)
    before = robot.dof_values
    for change in (0.3, -0.2):
        robot.dof_values = robot.dof_values + change
        env.step(0.1)
    np.testing.assert_allclose(robot.dof_values, before + 0.1)
    np.testing.assert_allclose(robot.command("travel"), np.full(robot.dof, 0.5))


def test_a_body_is_present_once_it_was_seen(skeleton):
    env = pyrave.Environment()
    box = env.create_body(body_from_boxes("box", [(0, 0, 0, 0.1, 0.1, 0.1)]))
    system = skeleton(env, "sensorsystem")
    system.add_kinbody(box)
    assert system.is_body_present(box) is False
    pose = np.eye(4)
    pose[0, 3] = 0.7
    assert system.update("box", pose)
    assert system.is_body_present(box) is True
    np.testing.assert_array_equal(box.transform, pose)


def test_tests_of_a_package_fail_for_warnings_of_its_scene(package):
    spec = importlib.util.spec_from_file_location(
        "looked_at_conftest", package / "tests" / "conftest.py"
    )
    conftest = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conftest)
    text = conftest.SCENE.read_text(encoding="utf-8")
    load = conftest.scene.__wrapped__
    conftest.SCENE.write_text(text.replace("</environment>", "<odd/></environment>"))
    try:
        with pytest.raises(SceneError, match="unknown tag <odd>"):
            load()
    finally:
        conftest.SCENE.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "name", "offered"),
    [
        ("pyrave", "Robot", True),
        ("pyrave", "annotations", False),  # it is there, and no name for users
        ("pyrave", "no_such_name", False),
        (interface_class._PACKAGES[-1], "no_such_name", False),
    ],
)
def test_skeletons_import_names_from_where_they_are_offered(module, name, offered):
    assert interface_class._offers(module, name) is offered
