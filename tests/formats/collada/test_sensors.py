"""Sensors and motors in COLLADA: libraries, all types and dialects, attachments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collada_documents import Robot, problems, read, technique, written

import pyrave
from pyrave.scene import RobotDescription

ATTACHED = """<instance_sensor url="#{url}"/><frame_origin link="{link}">
<translate>0 1 0</translate><rotate>0 1 0 90</rotate></frame_origin>"""


def library(*sensors):
    return technique("library_sensors", "".join(sensors))


def attached(url, name="eye", link="kmodel1_inst/link1"):
    return technique("attach_sensor", ATTACHED.format(url=url, link=link), name)


def sensor(kind, tags="", key="s", more=""):
    return f'<sensor type="{kind}" id="{key}"{more}>{tags}</sensor>'


def robot_of(text, **options):
    (robot,) = read(text, **options).bodies
    assert isinstance(robot, RobotDescription)
    return robot


def loaded(tmp_path, text, **options):
    options.setdefault("strict", True)
    return pyrave.load(written(tmp_path, "robot.dae", text), **options)


def _sensor(env, name="eye"):
    return env.robots["rover"].attached_sensors[name].sensor


def geometry_of(tmp_path, kind, tags, tool="OpenRAVE Collada Writer v0.3.5"):
    text = Robot(motion=attached("s"), libraries=library(sensor(kind, tags)), tool=tool)
    return _sensor(loaded(tmp_path, text)).get_sensor_geometry()


def test_a_sensor_on_a_link():
    text = Robot(motion=attached("s", "left_head_camera"), libraries=library(
        sensor("base_laser2d", "<angle_increment>1</angle_increment>",
               more=' name="the laser"')))  # fmt: skip
    (found,) = robot_of(text).attached_sensors
    assert (found.name, found.link) == ("left_head_camera", "arm")
    assert (found.interface, found.sensor_name) == ("base_laser2d", "the_laser")
    assert found.pose.translation == (0.0, 1.0, 0.0)
    np.testing.assert_allclose(found.pose.matrix[:3, 2], (1, 0, 0), atol=1e-15)


# the seed's first example, its table, OpenRAVE's own tags, and OpenHRP3's radians
LASERS = {
    "seed's example": (
        "base_laser2d",
        """<angle_min>-90</angle_min><angle_max>90</angle_max>
        <range_min>0.01</range_min><range_max>4.0</range_max>
        <angle_increment>1</angle_increment><time_increment>0.0005</time_increment>
        <measurement_time>0.025</measurement_time>""",
    ),
    "seed's table": (
        "base_laser2d",
        """<angle_range>-90 90</angle_range><distance_range>0.01 4</distance_range>
        <angle_increment>1</angle_increment><time_increment>0.0005</time_increment>
        <measurement_time>0.025</measurement_time>""",
    ),
    "OpenRAVE": (
        "BaseLaser2D",
        """<minangle>-90</minangle><maxangle>90</maxangle><minrange>0.01</minrange>
        <maxrange>4</maxrange><resolution>1</resolution>
        <time_increment>0.0005</time_increment><scantime>0.025</scantime>""",
    ),
    "OpenHRP3": (
        "base_laser1d",
        """<angle_range>3.141592653589793</angle_range>
        <angle_increment>0.017453292519943295</angle_increment>
        <distance_range>0.01 4</distance_range>
        <time_increment>0.0005</time_increment>
        <measurement_time>0.025</measurement_time>""",
    ),
}


@pytest.mark.parametrize("dialect", LASERS)
def test_lasers_in_all_dialects(tmp_path, dialect):
    kind, tags = LASERS[dialect]
    tool = "OpenHRP3 Collada Writer" if dialect == "OpenHRP3" else "somebody"
    laser = geometry_of(tmp_path, kind, tags, tool)
    assert laser.min_angle == pytest.approx(-math.pi / 2)
    assert laser.max_angle == pytest.approx(math.pi / 2)
    assert laser.resolution == pytest.approx(math.radians(1))
    assert (laser.min_range, laser.max_range) == (0.01, 4.0)
    assert (laser.time_increment, laser.time_scan) == (0.0005, 0.025)


def test_one_dimensional_lasers_of_others_are_in_degrees(tmp_path):
    laser = geometry_of(tmp_path, "base_laser1d", "<angle_range>180</angle_range>")
    assert laser.max_angle == pytest.approx(math.pi / 2)


def test_a_type_with_an_interface_of_its_own(tmp_path):
    tags = (
        LASERS["seed's example"][1]
        + """<interface_type><technique profile="OpenRAVE">
    <interface>BaseLaser2D</interface></technique></interface_type>"""
    )
    text = Robot(motion=attached("s"), libraries=library(sensor("base_laser2d", tags)))
    env = loaded(tmp_path, text)
    laser = _sensor(env)
    assert laser.interface_id == "BaseLaser2D"
    assert laser.get_sensor_geometry().max_range == 4.0


CAMERA = """<image_dimensions>640 480 3</image_dimensions><format>uint8</format>
<measurement_time>0.04</measurement_time><intrinsic>500 1 320 0 510 240</intrinsic>
<focal_length>0.01</focal_length>"""
DISTORTIONS = {
    "seed": '<distortion_model type="plumb_bob">-0.2 0.05 0.001 0.002 0'
    "</distortion_model>",
    "OpenRAVE": "<distortion_model>plumb_bob</distortion_model>"
    "<distortion_coeffs>-0.2 0.05 0.001 0.002 0</distortion_coeffs>",
}


@pytest.mark.parametrize("dialect", DISTORTIONS)
def test_cameras(tmp_path, dialect):
    camera = geometry_of(tmp_path, "base_pinhole_camera", CAMERA + DISTORTIONS[dialect])
    assert camera.kk == (500, 510, 320, 240)
    assert (camera.width, camera.height) == (640, 480)
    assert camera.distortion_model == "plumb_bob"
    assert tuple(camera.distortion_coeffs) == (-0.2, 0.05, 0.001, 0.002, 0.0)


STEREO = """<instance_sensor url="#left_cam"><rectification>1 0 0 0 1 0 0 0 1
</rectification></instance_sensor><instance_sensor url="#right_cam"><rectification>
1 0 2 0 1 0 0 0 1</rectification></instance_sensor>"""


def robot_with_two_eyes():
    return Robot(
        motion=attached("left_cam", "left_eye")
        + attached("right_cam", "right_eye")
        + attached("pair", "stereo"),
        libraries=library(
            sensor("base_pinhole_camera", CAMERA, "left_cam"),
            sensor("base_pinhole_camera", CAMERA, "right_cam"),
            sensor("base_stereo_camera", STEREO, "pair"),
        ),
    )


def test_stereo_cameras_find_their_cameras_by_url(tmp_path):
    env = loaded(tmp_path, robot_with_two_eyes())
    stereo = _sensor(env, "stereo")
    geometry = stereo.get_sensor_geometry()
    assert [one.name for one in geometry.named] == ["left_eye", "right_eye"]
    assert geometry.rectifications[1] == ((1, 0, 2), (0, 1, 0), (0, 0, 1))
    np.testing.assert_allclose(
        stereo.pair.first.pose, _sensor(env, "left_eye").get_transform()
    )


def test_cameras_that_are_nowhere_are_told():
    text = Robot(
        motion=attached("pair"),
        libraries=library(
            sensor("base_pinhole_camera", CAMERA, "left_cam"),
            sensor("base_stereo_camera", STEREO, "pair"),
        ),
    )
    assert [code for code, _ in problems(text)] == [
        "unattached-sensor",
        "unresolved-reference",
    ]
    env = pyrave.Environment()
    env.load_string(str(text))
    told = [one.code for one in env.problems]
    assert told == ["unattached-sensor", "unresolved-reference"], "each only once"


OTHERS = {
    "base_laser3d": "",
    "base_flash_laser": "",
    "base_encoder": "",
    "base_odometry": "<measurement_time>0.01</measurement_time><target>rover</target>",
    "base_imu": "<measurement_time>0.01</measurement_time>"
    + "".join(
        f"<{name}_covariance>1 0 0 0 1 0 0 0 1</{name}_covariance>"
        for name in ("rotation", "angular_velocity", "linear_acceleration")
    ),
    "base_force6d": "".join(
        f"<load_{what}_{kind}>1 2 3</load_{what}_{kind}>"
        for what in ("range", "resolution", "capacity_range")
        for kind in ("force", "torque")
    ),
    "BaseFlashLidar3D": "<minangle>-10</minangle><maxangle>10</maxangle>",
    "BaseSpinningLaser2D": "<spinspeed>1</spinspeed>",
    "BaseForce6D": "<polarity>-1</polarity>",
}


@pytest.mark.parametrize("kind", OTHERS)
def test_the_other_types(tmp_path, kind):
    text = Robot(motion=attached("s"), libraries=library(sensor(kind, OTHERS[kind])))
    env = loaded(tmp_path, text)
    geometry = _sensor(env).get_sensor_geometry()
    if kind == "base_imu":
        assert np.trace(geometry.rotation_covariance) == 3
    if kind == "base_force6d":
        assert tuple(geometry.load_range_force) == (1, 2, 3)
    if kind == "base_odometry":
        assert geometry.target_id == "rover"


def test_unknown_tags_are_told_where_they_are_and_kept():
    tags = "<angle_increment>1</angle_increment>\n<colour>1</colour>"
    text = Robot(motion=attached("s"), libraries=library(sensor("base_laser2d", tags)))
    (problem,) = read(text, strict=False).problems
    assert "<colour>" in problem.message
    assert problem.hint == "did you mean <color>?"
    line = str(text).splitlines()[problem.line - 1]
    assert line[problem.column - 1 :].startswith("<colour>")
    (found,) = robot_of(text, strict=False).attached_sensors
    element = found.readables[0][1].to_xml()
    assert [one.tag for one in element.children] == ["resolution", "colour"]


def test_places_without_sensors_and_references_to_others():
    place = """<frame_origin link="link2"/>
    <reference_attach_sensor name="eye"/><sensor_maker>ours</sensor_maker>"""
    text = Robot(motion=technique("attach_sensor", place, "spot"))
    (found,) = robot_of(text).attached_sensors
    assert (found.name, found.link, found.interface) == ("spot", "hand", "")
    assert dict(found.readables)["reference_attach_sensor"].to_xml().get("name") == (
        "eye"
    )


def test_what_a_sensor_names_wrongly_costs_only_itself():
    wrong = attached("s", "a", "link7") + attached("nothing", "b", "link2")
    text = Robot(motion=wrong, libraries=library(sensor("base_laser2d")))
    (found,) = robot_of(text, strict=False).attached_sensors
    assert (found.name, found.interface) == ("b", "")
    assert [code for code, _ in problems(text)] == ["unresolved-reference"] * 2


# -- motors ----------------------------------------------------------------------------

MOTOR = """<assigned_power_rating>1.0</assigned_power_rating>
<max_speed>3000</max_speed><no_load_speed>3990</no_load_speed>
<nominal_torque>0.012</nominal_torque><nominal_voltage>24.0</nominal_voltage>
<rotor_inertia>0.0000023</rotor_inertia><speed_constant>173.0</speed_constant>
<speed_torque_gradient>130000.0</speed_torque_gradient>
<starting_current>0.578</starting_current>
<terminal_resistance>41.5</terminal_resistance>
<torque_constant>0.0552</torque_constant>"""
LATER = """<model_type>EC</model_type><stall_torque>2</stall_torque>
<nominal_speed_torque_point>3000 0.01</nominal_speed_torque_point>
<max_speed_torque_point>4000 0.02</max_speed_torque_point>
<max_speed_torque_point>2000 0.04</max_speed_torque_point>
<gear_ratio>100</gear_ratio><coloumb_friction>0.1</coloumb_friction>
<encoder_pulse>1000</encoder_pulse>"""


def motors(content=MOTOR, kind="electric_motor"):
    actuator = f'<actuator type="{kind}" id="ExampleMotor1">{content}</actuator>'
    return technique("library_actuators", actuator)


def drive(joint, url="ExampleMotor1"):
    instance = f'<instance_actuator url="#{url}"/>' if url else ""
    bind = f'<bind_actuator joint="{joint}"/>'
    return technique("attach_actuator", instance + bind, "motor0")


@pytest.mark.parametrize("kind", ["electric_motor", "motor"])
def test_a_motor_keeps_the_units_of_the_file(kind):
    text = Robot(motion=drive("kmodel1_inst/joint0"), libraries=motors(kind=kind))
    joint = robot_of(text, strict=False).joints[0]  # most of it acts nowhere
    element = joint.actuator.to_xml()
    values = {one.tag: one.text for one in element.children}
    assert element.get("type") == "electric_motor"
    assert values["max_speed"] == "3000"  # revolutions by unit of time
    assert values["torque_constant"] == "0.0552"
    assert len(values) == 11


def test_a_motor_drives_its_sensor(tmp_path):
    text = Robot(
        motion=drive("joint0") + attached("s"),
        libraries=motors(MOTOR + LATER) + library(sensor("base_actuator")),
    )
    env = loaded(tmp_path, text, strict=False)
    assert {problem.code for problem in env.problems} == {"acts-nowhere"}
    data = _sensor(env).sample(0, np.eye(4))
    assert data.applied_current == pytest.approx(0.0, abs=1e-9)
    robot = env.robots["rover"]
    tags = [one.tag for one in robot.joints[0].description.actuator.to_xml().children]
    assert tags.count("max_speed_torque_point") == 2
    assert "encoder_pulse" in tags
    env.save(tmp_path / "saved.env.xml")  # nor does this file surprise its reader
    saved = pyrave.load(tmp_path / "saved.env.xml")
    assert {problem.code for problem in saved.problems} == {"acts-nowhere"}


def test_motors_order_the_degrees_of_freedom():
    both = drive("joint1", "") + drive("joint0", "")
    assert [one.name for one in robot_of(Robot(motion=both)).joints] == [
        "joint1",
        "joint0",
    ]
    only = drive("joint1", "")
    assert [one.name for one in robot_of(Robot(kinematics=only)).joints] == [
        "joint1",
        "joint0",
    ]
    robot = robot_of(Robot(motion=both, values=(0.0, 0.5)))
    assert robot.dof_values == (0.5, 0.0)


def test_wrong_motors_cost_only_what_is_wrong():
    wrong = motors("<max_speed>fast</max_speed><gear_ratio>100</gear_ratio>")
    text = Robot(
        motion=drive("joint0") + drive("joint9") + drive("joint1", "nothing"),
        libraries=wrong,
    )
    joint = robot_of(text, strict=False).joints[0]
    tags = [one.tag for one in joint.actuator.to_xml().children]
    assert tags == ["gear_ratio"]
    assert [code for code, _ in problems(text)] == [
        "bad-number",
        "unresolved-reference",
        "unresolved-reference",
        "acts-nowhere",
    ]


def test_stereo_cameras_are_written_with_their_cameras(tmp_path):
    env = loaded(tmp_path, robot_with_two_eyes())
    env.save(tmp_path / "again.dae")
    again = pyrave.load(tmp_path / "again.dae", strict=True)
    geometry = _sensor(again, "stereo").get_sensor_geometry()
    assert [one.name for one in geometry.named] == ["left_eye", "right_eye"]
