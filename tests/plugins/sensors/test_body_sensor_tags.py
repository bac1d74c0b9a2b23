"""Tags of the sensors that feel bodies: both dialects, mistakes, saving."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from body_sensors import PENDULUM

import pyrave
from pyrave import SceneError
from pyrave_sensors.actuator import ActuatorGeometry
from pyrave_sensors.force6d import Force6DGeometry
from pyrave_sensors.imu import IMUGeometry
from pyrave_sensors.joint_encoder import JointEncoderGeometry
from pyrave_sensors.odometry import OdometryGeometry
from pyrave_sensors.settings.fields import schema_of
from pyrave_sensors.tactile import TactileGeometry

SETTINGS = {
    "BaseEncoder": JointEncoderGeometry,
    "BaseForce6D": Force6DGeometry,
    "BaseIMU": IMUGeometry,
    "BaseOdometry": OdometryGeometry,
    "BaseTactile": TactileGeometry,
    "BaseActuator": ActuatorGeometry,
}
SCHEMAS = {name: schema_of(kind) for name, kind in SETTINGS.items()}
ELSEWHERE = {"color", "power", "hardware_id", "seed"}


def load(interface, content, strict=True):
    env = pyrave.Environment()
    env.load_string(
        f"<environment><sensor type='{interface}' name='s'>{content}</sensor>"
        "</environment>",
        strict=strict,
    )
    return env, env.sensors["s"]


def same(a, b):
    return all(
        np.array_equal(getattr(a, item.name), getattr(b, item.name))
        for item in dataclasses.fields(a)
    )


def example(setting):
    """An example that differs from the default, as a text."""
    if setting.name.endswith("covariance") or setting.name == "correction_matrix":
        size = 3 if setting.count == 9 else 6
        return " ".join(map(str, (np.eye(size) * 0.25).ravel()))
    return {"polarity": "-1", "ambient_temperature": "31.5"}.get(
        setting.name, setting.example
    )


CASES = [
    (interface, tag)
    for interface, schema in SCHEMAS.items()
    for setting in schema.settings.values()
    if setting.name not in ELSEWHERE
    for tag in dict.fromkeys(setting.tags)
]


@pytest.mark.parametrize(("interface", "tag"), CASES)
def test_every_tag_is_read_and_written(interface, tag, tmp_path):
    """Each spelling sets the field of its name, and is what the sensor's id writes."""
    setting = SCHEMAS[interface].by_tag[tag]
    text = example(setting)
    content = f"<{tag}>{text}</{tag}>"
    if setting.name == "normals":
        content += "<positions>0 0 1</positions>"
    # texts name what is not there, and nothing else is wrong
    env, sensor = load(interface, content, strict=setting.kind is not str)
    assert {one.code for one in env.problems} <= {"unknown-reference"}
    plain, found = type(sensor.settings)(), sensor.get_sensor_geometry()
    value = getattr(found, setting.name)
    assert not np.array_equal(value, getattr(plain, setting.name))
    if setting.kind is str:
        assert value == text
    else:
        np.testing.assert_array_equal(
            np.ravel(value).astype(float), [float(word) for word in text.split()]
        )
    env.save(tmp_path / "s.env.xml")
    assert f"<{setting.tag(interface)}>" in (tmp_path / "s.env.xml").read_text()
    twin = pyrave.load(tmp_path / "s.env.xml", strict=setting.kind is not str)
    assert same(twin.sensors["s"].get_sensor_geometry(), found)
    assert same(env.clone().sensors["s"].get_sensor_geometry(), found)
    sent = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own
    assert same(sent.sensors["s"].get_sensor_geometry(), found)


def test_openhrp3_s_unknown_limits():
    """-1 is not known."""
    _env, sensor = load(
        "base_force6d",
        "<load_range_force>-1 -1 -1</load_range_force>"
        "<load_range_torque>-1 -1 -1</load_range_torque>",
    )
    assert not sensor.measure().saturated.any()
    _env, sensor = load(
        "base_imu",
        "<max_acceleration>-1 -1 -1</max_acceleration>"
        "<max_angular_velocity>-1 -1 -1</max_angular_velocity>",
    )
    assert sensor.measure().linear_acceleration[2] == pytest.approx(9.79793)


@pytest.mark.parametrize("interface", sorted(SETTINGS))
def test_common_settings(interface):
    _env, sensor = load(
        interface,
        "<hardware_id>unit-7</hardware_id><color>1 0 0</color><seed>11</seed>"
        "<power>0</power>",
    )
    assert sensor.get_sensor_geometry().hardware_id == "unit-7"
    assert sensor.color == (1, 0, 0)
    assert sensor.seed == 11


@pytest.mark.parametrize(
    ("interface", "content", "words"),
    [
        (
            "base_imu",
            "<rotation_covariance>1 2 3</rotation_covariance>",
            "<rotation_covariance> holds '1 2 3', expected 9 numbers",
        ),
        (
            "BaseIMU",
            "<rotation_covariance>1 0 0 0 -1 0 0 0 1</rotation_covariance>",
            "rotation_covariance is not symmetric without negative moments",
        ),
        (
            "BaseForce6D",
            "<load_range_forc>1 1 1</load_range_forc>",
            "did you mean <load_range_force>",
        ),
        (
            "BaseEncoder",
            "<resolution>-0.1</resolution>",
            "<resolution> is -0.1, expected 0 or more",
        ),
        ("BaseEncoder", "<resolution>fine</resolution>", "expected numbers"),
        (
            "BaseTactile",
            "<positions>0 0</positions>",
            "<positions> is 0 0, expected 3 numbers for each",
        ),
        (
            "BaseTactile",
            "<positions>0 0 0</positions><normals>0 0 0</normals>",
            "a normal is zero",
        ),
        (
            "BaseOdometry",
            "<drift>1 2</drift>",
            "<drift> holds '1 2', expected 4 numbers",
        ),
        ("BaseActuator", "<gear_ratio>nan</gear_ratio>", "<gear_ratio> holds 'nan'"),
        ("BaseForce6D", "<polarity>0.5</polarity>", "expected one whole number"),
        ("BaseForce6D", "<polarity>2</polarity>", "polarity> is 2, expected 1 or -1"),
        (
            "BaseActuator",
            "<ambient_temperature>-300</ambient_temperature>",
            "expected -273.15 or more degrees Celsius",
        ),
    ],
)
def test_mistakes_have_a_place_and_are_left_out(interface, content, words):
    with pytest.raises(SceneError) as error:
        load(interface, content)
    assert words in str(error.value)
    assert "<string>:1:" in str(error.value)
    env, sensor = load(interface, content, strict=False)
    assert same(sensor.get_sensor_geometry(), type(sensor.settings)()) or (
        interface == "BaseTactile"
    )
    env.step(0.01)
    assert not sensor.disabled
    assert sensor.read() is not None


@pytest.mark.parametrize(
    ("interface", "content", "field", "value"),
    [
        ("BaseActuator", "<gear_ratio>2,5</gear_ratio>", "gear_ratio", 2.0),
        ("BaseActuator", "<gear_ratio>0.1.3065</gear_ratio>", "gear_ratio", 0.1),
        ("BaseForce6D", "<polarity>-1f</polarity>", "polarity", -1),
    ],
)
def test_slips_behind_numbers_are_passed_over(interface, content, field, value):
    """As OpenRAVE reads them; strict refuses."""
    with pytest.raises(SceneError, match="no number as it should be"):
        load(interface, content)
    _, sensor = load(interface, content, strict=False)
    assert getattr(sensor.settings, field) == value


def test_unknown_children_are_kept(tmp_path):
    env = pyrave.Environment()
    env.load_string(
        "<environment><sensor type='base_imu' name='s'><brand x='1'>Q</brand>"
        "</sensor></environment>"
    )
    env.save(tmp_path / "s.env.xml")
    assert '<brand x="1">Q</brand>' in (tmp_path / "s.env.xml").read_text()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("number", ["1e300", "1e-320"])
@pytest.mark.parametrize("interface", SETTINGS)
def test_extreme_numbers_do_not_raise_what_is_no_error_of_pyrave(interface, number):
    """Each number tag in turn, on a moving arm; the sensor measures or says why not."""
    seed = "<seed>1</seed>"
    if interface == "BaseTactile":
        seed += "<thickness>1</thickness>"
    for setting in SCHEMAS[interface].settings.values():
        if setting.kind not in {float, tuple}:
            continue
        text = " ".join([number] * (setting.count or 3))
        tag = setting.tags[0]
        env, robot, sensor = moving_arm(interface, f"<{tag}>{text}</{tag}>{seed}")
        for k in range(3):
            robot.dof_values = [0.1 * k]
            env.step(0.01)
        found = [p for p in env.problems if p.code == "plugin-failure"]
        assert all("Error" in p.message for p in found)
        for problem in found:
            assert "pyrave.errors." in problem.traceback, problem.traceback
        assert sensor.disabled == bool(found)


def moving_arm(interface, tags):
    env = pyrave.Environment()
    text = PENDULUM.format(sensor=interface, tags=tags, link="arm", pose="", joint="")
    env.load_string(f"<environment>{text}</environment>")
    robot = env.robots["pendulum"]
    return env, robot, robot.attached_sensors["one"].sensor
