"""Settings, controllers, sensors and suction cups of physics engines are kept."""

import copy
import dataclasses

import pytest

import pyrave
from pyrave import ArgumentError, NameConflictError, NotFoundError
from pyrave.scene import (
    ContactProperties,
    ContactSensor,
    ControllerDescription,
    ForceTorqueSensor,
    Friction,
    LinkDynamics,
    LinkReference,
    Pose,
    SimulationDescription,
    SuctionCup,
    SuctionSpring,
    TactileArray,
    same,
)
from pyrave.scene.checks import validated

SCENE = """<environment>
  <robot name="arm"><kinbody>
    <body name="base"/>
    <body name="hand"><translation>0 0 1</translation></body>
    <joint name="j"><body>base</body><body>hand</body><axis>0 0 1</axis></joint>
  </kinbody></robot>
  <kinbody name="cup"><body name="c"/></kinbody>
</environment>"""
BASE, HAND, CUP = (
    LinkReference("arm", "base"),
    LinkReference("arm", "hand"),
    LinkReference("cup"),
)
PD = ControllerDescription(
    "servo", "pd", "arm", ("j",), "velocity", ((10.0, 0.5),), 0.01
)
GRID = ((0.0, 0.0, 0.1), (0.0, 0.1, 0.2))
WHOLE = SimulationDescription(
    (("WorldERP", (0.3,)), ("StepMethod", "WorldQuickStep")),
    (PD, ControllerDescription("queue", "motion_queue", "arm")),
    (
        ForceTorqueSensor("ft", BASE, HAND, HAND, Pose.from_translation(0, 0, 0.1)),
        ContactSensor("touch", CUP),
        TactileArray("skin", HAND, heights=GRID, cell_size=(0.01, 0.02), lowest=1e3),
    ),
    (
        SuctionCup(
            *("sucker", HAND, CUP, 0.02, 0.05),
            SuctionSpring(100.0, 1.0, 0.5, 0.01, 0.05),
            SuctionSpring(200.0, 2.0, 1.0, 0.02, 0.03),
        ),
    ),
)
DAMPED = LinkDynamics("Euler", 0.01, 0.02, (0.5, 0.0, 0.0))


def scene():
    env = pyrave.load_string(SCENE)
    env.simulation = WHOLE
    return env


@pytest.mark.parametrize("suffix", [".env.xml", ".dae"])
def test_all_of_it_is_saved_and_read_back(tmp_path, suffix):
    env = scene()
    env.bodies["cup"].links[0].dynamics = DAMPED
    losses = env.save(tmp_path / f"scene{suffix}")
    again = pyrave.load(tmp_path / f"scene{suffix}")
    assert same(again.describe(), env.describe())
    assert again.simulation == WHOLE
    assert again.bodies["cup"].links[0].dynamics == DAMPED
    for text in (
        "controllers of joints are for pyrave alone: 'servo', 'queue'",
        "sensors of physics engines are for pyrave alone: 'ft', 'touch', 'skin'",
        "suction cups are for pyrave alone: 'sucker'",
        "settings of physics engines are for pyrave alone: 'WorldERP', 'StepMethod'",
        "damping and integrators of links are for pyrave alone: 'c'",
    ):
        assert any(text in str(one) for one in losses), text


def test_one_body_is_written_with_what_is_about_it_alone(tmp_path):
    scene().save(tmp_path / "arm.env.xml", body="arm")
    found = pyrave.load(tmp_path / "arm.env.xml").simulation
    assert [one.name for one in found.controllers] == ["servo", "queue"]
    assert [one.name for one in found.sensors] == ["ft", "skin"]
    assert found.suction_cups == ()


def test_copies_have_their_own():
    env = scene()
    for other in (env.clone(), copy.deepcopy(env)):
        assert other.simulation == WHOLE
        other.simulation = SimulationDescription()
    assert env.simulation == WHOLE


def test_parts_leave_with_their_bodies():
    env = scene()
    env.remove("cup")
    assert [one.name for one in env.simulation.sensors] == ["ft", "skin"]
    assert env.simulation.suction_cups == ()
    env.reset()
    assert env.simulation == SimulationDescription()


def test_loading_twice_numbers_parts():
    env = scene()
    env.add_scene(scene().describe(), rename=True)
    found = env.simulation
    assert found.settings == WHOLE.settings
    assert len({one.name for one in found.sensors}) == 6
    assert found.controllers[2].body == env.robots[1].name != "arm"


def test_a_load_that_fails_leaves_nothing():
    env = scene()
    described = env.describe()
    other = dataclasses.replace(
        described, simulation=SimulationDescription((("WorldERP", (0.9,)),))
    )
    with pytest.raises(pyrave.Error):
        env.add_scene(other)  # the names of the bodies are taken
    assert env.simulation == WHOLE


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"controllers": (PD, PD)}, NameConflictError, "found 'servo'"),
        ({"settings": (("a", "1"), ("a", "2"))}, ArgumentError, "has a name twice"),
        (
            {"controllers": (dataclasses.replace(PD, joints=("j", "j"), gains=()),)},
            ArgumentError,
            "names a joint twice",
        ),
        (
            {"controllers": (dataclasses.replace(PD, body="arn"),)},
            NotFoundError,
            "did you mean 'arm'",
        ),
        (
            {"controllers": (dataclasses.replace(PD, joints=("k",)),)},
            NotFoundError,
            "no joint 'k'",
        ),
        (
            {"controllers": (dataclasses.replace(PD, gains=((1.0,),)),)},
            ArgumentError,
            "pd has 2 gains",
        ),
        (
            {"controllers": (dataclasses.replace(PD, joints=("j", "j")),)},
            ArgumentError,
            "1 rows for 2 joints",
        ),
        (
            {"sensors": (ContactSensor("a", LinkReference("arm", "hant")),)},
            NotFoundError,
            "'hand'",
        ),
        (
            {"sensors": (TactileArray("a", HAND, heights=((0.0,), (0.0,))),)},
            ArgumentError,
            "no grid",
        ),
        (
            {"sensors": (TactileArray("a", HAND, lowest=2.0, highest=1.0),)},
            ArgumentError,
            "above the highest",
        ),
        (
            {"suction_cups": (dataclasses.replace(WHOLE.suction_cups[0], radius=-1),)},
            ArgumentError,
            "expected 0 or more",
        ),
    ],
)
def test_wrong_parts_are_refused_and_change_nothing(changes, error, words):
    env = scene()
    with pytest.raises(error, match=words):
        env.simulation = dataclasses.replace(WHOLE, **changes)
    assert env.simulation == WHOLE


def test_parts_of_a_scene_that_cannot_be_are_warnings():
    env = pyrave.load_string(SCENE)
    lost = SimulationDescription(sensors=(ContactSensor("a", LinkReference("no")),))
    env.add_scene(dataclasses.replace(pyrave.Environment().describe(), simulation=lost))
    assert [problem.code for problem in env.problems] == ["simulation-conflict"]
    assert "'a' of the sensors is not added" in env.problems[0].message


def test_dampings_are_fractions():
    with pytest.raises(ArgumentError, match="expected 0 to 1"):
        validated(LinkDynamics, LinkDynamics(linear_damping=2.0))
    env = scene()
    with pytest.raises(ArgumentError, match="LinkDynamics"):
        env.bodies["cup"].links[0].dynamics = 3


def test_a_pair_has_friction_of_each_model():
    env = scene()
    env.contact_properties = ContactProperties(friction=(Friction("a", "b", 0.4),))
    more = (Friction("b", "a", 0.5), Friction("b", "a", 0.6, "Stribeck"))
    other = pyrave.Environment()
    other.contact_properties = ContactProperties(friction=more)
    env.add_scene(other.describe())
    found = env.contact_properties.friction
    assert {(one.model, one.coefficient) for one in found} == {
        ("Coulomb", 0.5),
        ("Stribeck", 0.6),
    }
