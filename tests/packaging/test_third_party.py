"""Third-party packages, built and installed with pip, work beside each other."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow

SCENE = """
import sys, pyrave
from pathlib import Path
import importlib.util
def scene(package, name):
    folder = Path(importlib.util.find_spec(package).origin).parent
    return folder / "scenes" / name
def codes(env):
    # the broken neighbour is installed too
    problems = [p for p in env.problems if "acme_broken" not in p.message]
    return sorted({p.code for p in problems})
"""


@pytest.fixture(scope="module")
def listing(venv):
    """What ``pyrave plugins --json`` says, by distribution."""
    data = json.loads(venv.command("plugins", "--json").stdout)
    return data, {one["name"]: one for one in data["distributions"]}


def test_pyrave_comes_from_the_wheel(venv):
    result = venv.run(
        "import pyrave, pyrave_base; result = [pyrave.__file__, pyrave_base.__file__]"
    )
    assert all(str(venv.site) in path for path in result)


def test_listing_shows_all(listing):
    _, found = listing
    assert {
        "pyrave",
        "acme_rangefinder",
        "acme_pid_controller",
        "acme_toolkit",
        "acme_broken",
        "acme_future",
    } == set(found)
    assert found["acme_rangefinder"]["version"] == "1.2.0"
    assert set(found["acme_rangefinder"]["interfaces"]["sensor"]) == {
        "AcmeRangefinder",
        "AcmeSonar",
    }
    assert found["acme_pid_controller"]["interfaces"] == {"controller": ["AcmePID"]}
    assert found["acme_toolkit"]["interfaces"] == {
        "planner": ["AcmeRRT"],
        "module": ["AcmePatrol"],
    }


def test_scene_with_plugin_reads_the_sensors(venv):
    result = venv.run(
        SCENE
        + """
env = pyrave.load(scene("acme_rangefinder", "rangefinder.env.xml"), strict=True)
eye = env.robots["cart"].attached_sensors["eye"].sensor
sonar = env.sensors["sonar"]
eye.power = True
seen = []
eye.register_data_callback(lambda data: seen.append(data.stamp))
for _ in range(10):
    env.step(0.01)
scan = env.robots["cart"].attached_sensors["eye"].read()
target = sys.argv[1]
env.save(target)
again = pyrave.load(target, strict=True)
result = {
    "plugin": eye.plugin, "rate": eye.send_command("GetRate"), "stamps": seen,
    "distance": float(scan.distances[0]), "body": int(scan.body_ids[0]),
    "beams": len(sonar.read().distances), "problems": codes(env),
    "saved": [again.sensors["sonar"].cone.angle_deg,
              again.robots["cart"].attached_sensors["eye"].sensor.tuning.rate],
}
""",
        venv.folder / "saved.env.xml",
    )
    assert result["plugin"] == "acme_rangefinder"
    assert float(result["rate"]) == 100.0
    # the wall's near face is at 2.5 m, the sensor at 0.2 m
    assert result["distance"] == pytest.approx(2.3)
    assert result["body"] == 0
    assert len(result["stamps"]) == 10
    assert result["beams"] == 5
    assert result["saved"] == [30.0, 100.0]
    assert result["problems"] == []


def test_custom_reader_story(venv):
    """The controller finds its ``<piddata>`` and steers the robot by it."""
    result = venv.run(
        SCENE
        + """
path = scene("acme_pid_controller", "pid.env.xml")
def settle(text):
    env = pyrave.load_string(text, strict=True)
    robot = env.robots["arm"]
    robot.controller.set_desired([1.0, -0.5])
    speeds, errors = [], []
    for _ in range(400):
        env.step(0.01)
        speeds.append(float(abs(robot.dof_velocities).max()))
        errors.append(float(abs(robot.dof_values - [1.0, -0.5]).max()))
    data = robot.controller.readables["piddata"]
    return {"gains": data.pgains, "name": data.name, "errors": errors,
            "top": max(speeds), "done": robot.controller.is_done(),
            "id": robot.controller.interface_id, "plugin": robot.controller.plugin,
            "xml": [child.text for child in data.to_xml().children],
            "problems": codes(env)}
text = path.read_text()
env = pyrave.load(path, strict=True)
env.save(sys.argv[1])
back = pyrave.load(sys.argv[1], strict=True).robots["arm"].controller
result = {"as_written": settle(text),
          "weaker": settle(text.replace("150 120", "5 5")),
          "back": [back.interface_id, list(back.data.pgains)]}
""",
        venv.folder / "pid_saved.env.xml",
    )
    good, weak = result["as_written"], result["weaker"]
    assert good["id"] == "AcmePID"
    assert good["plugin"] == "acme_pid_controller"
    assert good["gains"] == [150.0, 120.0]
    assert good["name"] == "fast"
    assert good["problems"] == []
    assert good["done"] is True
    assert good["errors"][-1] < 2e-3
    # it accelerates, and keeps to the velocity limit of 2 rad/s
    assert good["errors"][1] > 0.9
    assert good["top"] <= 2.0 + 1e-9
    # the gains of the scene are what steers: weaker ones are slower
    assert weak["errors"][100] > 10 * good["errors"][100]
    assert result["back"] == ["AcmePID", [150.0, 120.0]]


def test_mistakes_in_custom_tags_have_a_place(venv):
    result = venv.run(
        SCENE
        + """
text = scene("acme_pid_controller", "pid.env.xml").read_text()
try:
    pyrave.load_string(text.replace("150 120", "150 many"))
except pyrave.SceneError as error:
    place = text.count("\\n", 0, text.index("<pgains>")) + 1
    result = [error.line, place, str(error)]
"""
    )
    line, place, message = result
    assert line == place
    assert "150 many" in message
    assert "pgains" in message


def test_planner_and_module(venv):
    result = venv.run(
        SCENE
        + """
env = pyrave.load(scene("acme_pid_controller", "pid.env.xml"))
robot = env.robots["arm"]
planner = env.create("planner", "acmerrt")
parameters = pyrave.PlannerParameters()
parameters.set_robot_active_joints(robot)
import numpy
parameters.goal_configuration = numpy.array([1.5, 1.0])
first = planner.init_plan(robot, parameters)
trajectory = env.create("trajectory", "")
status = planner.plan_path(trajectory)
module = env.create("module", "AcmePatrol")
env.add(module, args="arm")
module.send_command("AddPoint 0.5 0.2")
module.command("AddPoint", [0.0, 0.0])
refused = ""
try:
    module.send_command("AddPoint 1")
except pyrave.CommandError as error:
    refused = str(error)
reached = []
for _ in range(400):
    env.step(0.01)
    reached.append(module.send_command("GetNext"))
result = {"first": bool(first), "found": bool(status),
          "end": trajectory.get_waypoints()[-1].tolist(),
          "help": module.send_command("help SetOrder"), "refused": refused,
          "visited": sorted(set(reached)), "problems": codes(env)}
"""
    )
    assert result["first"]
    assert result["found"]
    assert result["end"] == [1.5, 1.0]
    assert "once" in result["help"]
    assert "2" in result["refused"]
    assert result["visited"] == ["0", "1"]
    assert result["problems"] == []


def test_check_command_passes_the_good_packages(venv):
    for name in ("acme_rangefinder", "acme_pid_controller", "acme_toolkit"):
        done = venv.command("check", "--plugin", name, check=None)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "0 failed" in done.stdout
