"""COLLADA over several documents: where they may be, what is referred to, overrides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collada_documents import Robot, box, document, read, technique, written
from scene_files import scene_beside

import pyrave
from pyrave import SceneError

MINIMAL = """<scene>
<instance_visual_scene url="{0}#vscene"/>
<instance_physics_scene url="{0}#pscene"/>
<instance_kinematics_scene url="{0}#kscene">{1}</instance_kinematics_scene></scene>"""
OVERRIDE = """<bind_kinematics_model node="visual1"><param>kscene_kmodel1_inst</param>
</bind_kinematics_model><bind_joint_axis target="visual1/node1/turn"><axis>
<param>kscene_kmodel1_inst_joint0_axis0</param></axis><value><float>90</float></value>
</bind_joint_axis>"""
SHOWN = ('<instance_geometry url="#geom0"/>',) * 3


def minimal(folder, url="robot.dae", binds=OVERRIDE, **options):
    path = written(folder, "scene.dae", document(MINIMAL.format(url, binds)))
    return pyrave.Environment().read(path, **options)


# -- a file that refers to a robot -----------------------------------------------------


@pytest.mark.parametrize("url", ["robot.dae", "./robot.dae", "my%20robot.dae"])
def test_a_minimal_file_refers_to_a_robot_and_sets_a_joint(tmp_path, url):
    written(tmp_path, "robot.dae", Robot(shown=SHOWN, physics=""))
    written(tmp_path, "my robot.dae", Robot(shown=SHOWN, physics=""))
    scene = minimal(tmp_path, url, strict=True)
    robot = next(one for one in scene.bodies if one.name == "rover")
    assert robot.dof_values == (math.pi / 2, 0.0)
    assert [link.inertial.mass for link in robot.links] == [1.0, 2.0, 3.0]
    assert all(link.geometries for link in robot.links)


def test_bindings_of_the_robot_s_own_file_hold_unless_they_are_overridden(tmp_path):
    written(tmp_path, "robot.dae", Robot(shown=SHOWN, physics="", values=(30.0, 0.5)))
    (robot, _) = minimal(tmp_path, binds="", strict=True).bodies
    assert robot.dof_values == pytest.approx((math.radians(30), 0.5))
    assert all(link.geometries for link in robot.links)
    (robot, _) = minimal(tmp_path, strict=True).bodies
    assert robot.dof_values == pytest.approx((math.pi / 2, 0.5))


def test_several_robots_of_one_file_in_one_scene(tmp_path):
    written(tmp_path, "robot.dae", Robot())
    systems = "".join(
        f'<instance_articulated_system url="robot.dae#body1_motion" sid="r{i}" '
        f'name="robot{i}"/>'
        for i in (0, 1)
    )
    text = document(
        f'<library_kinematics_scenes><kinematics_scene id="k">{systems}'
        "</kinematics_scene></library_kinematics_scenes><scene>"
        '<instance_kinematics_scene url="#k"/></scene>'
    )
    env = pyrave.load(written(tmp_path, "scene.dae", text), strict=True)
    assert [one.name for one in env.robots] == ["robot0", "robot1"]
    assert all(one.dof == 2 for one in env.robots)


# -- where documents may be -----------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "openrave:/robots/robot.dae",
        "openrave:robots/robot.dae",
        "openrave:///robots/robot.dae",
        "openrave://somebody:secret@example.org:80/robots/robot.dae",
        "openrave:/robots/../robots/robot%2Edae",
    ],
)
@pytest.mark.parametrize("confine", [False, True])
def test_openrave_names_lie_below_resource_roots(tmp_path, url, confine):
    written(tmp_path / "data" / "robots", "robot.dae", Robot(physics=""))
    written(tmp_path / "scenes" / "robots", "robot.dae", "<not/><xml>")
    options = {"resource_roots": [tmp_path / "data"], "confine": confine}
    scene = minimal(tmp_path / "scenes", url, strict=True, **options)
    assert {one.name for one in scene.bodies} == {"rover", "ball"}


ESCAPES = [
    "openrave:/../secret.dae",
    "openrave:/robots/../../secret.dae",
    "openrave:/%2e%2e/secret.dae",
    "openrave:/..%2fsecret.dae",
    "openrave:/..\\secret.dae",
    "openrave://user@host/../secret.dae",
    "openrave:",
    "openrave:/",
    "openrave:{secret}",
    "openrave:/%00/secret.dae",
]


@pytest.mark.parametrize("url", ESCAPES)
def test_openrave_names_never_leave_their_folders(tmp_path, url):
    secret = written(tmp_path, "secret.dae", Robot(physics=""))
    (tmp_path / "data" / "robots").mkdir(parents=True)
    scene = minimal(
        tmp_path / "data" / "robots",
        url.format(secret=secret),
        resource_roots=[tmp_path / "data"],
    )
    assert not scene.bodies
    assert scene.problems[0].code == "missing-file"


@pytest.mark.parametrize(
    "url",
    [
        "../secret.dae",
        "a/../../secret.dae",
        "%2e%2e/secret.dae",
        "{secret}",
        "file://{secret}",
        "link.dae",
    ],
)
def test_a_confined_load_reads_nothing_outside_of_the_roots(tmp_path, url):
    secret = written(tmp_path, "secret.dae", Robot(physics=""))
    inside = tmp_path / "data"
    inside.mkdir()
    (inside / "link.dae").symlink_to(secret)
    name = url.format(secret=secret)
    scene = minimal(inside, name, resource_roots=[inside], confine=True)
    assert not scene.bodies
    assert {one.code for one in scene.problems} >= {"missing-file"}
    # the same names are files like any others for who trusts the scene
    assert minimal(inside, name, resource_roots=[inside]).bodies


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/robot.dae",
        "https://example.org/robot.dae",
        "ftp://example.org/robot.dae",
        "file://example.org/robot.dae",
        "data:text/xml,robot.dae",
    ],
)
def test_nothing_is_read_from_a_network(tmp_path, url, monkeypatch):
    def refused(*_args):
        raise AssertionError("a network is asked")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)
    scene = minimal(tmp_path, url)
    assert not scene.bodies
    assert scene.problems[0].code == "missing-file"


def test_documents_that_refer_to_each_other_end(tmp_path):
    for one, other in (("a", "b"), ("b", "a")):
        written(tmp_path, f"{one}.dae", document(MINIMAL.format(f"{other}.dae", "")))
    assert not pyrave.Environment().read(tmp_path / "a.dae").bodies


# -- several models and several uses of nodes ------------------------------------------


def test_several_models_make_one_robot(tmp_path):
    # a gripper whose first link is the hand of the robot
    gripper = """<kinematics_model id="gripper"><technique_common>
    <joint sid="finger_joint"><prismatic sid="axis0"><axis>0 1 0</axis><limits><min>0
    </min><max>0.1</max></limits></prismatic></joint>
    <link sid="mount" name="hand"><attachment_full joint="gripper/finger_joint">
    <translate>0 0 2</translate><link sid="finger"/></attachment_full></link>
    </technique_common></kinematics_model></library_kinematics_models>"""
    second = '<instance_kinematics_model url="#gripper" sid="gripper_inst"/>'
    arm = technique("manipulator", """<frame_origin link="kmodel1_inst/link0"/>
    <frame_tip link="gripper_inst/finger"/>
    <gripper_joint joint="gripper_inst/finger_joint"/>""", "arm")  # fmt: skip
    text = str(Robot(motion=arm))
    text = text.replace("</library_kinematics_models>", gripper, 1)
    text = text.replace("<technique_common><axis_info", f"{second}<technique_common>"
                        "<axis_info", 1)  # fmt: skip
    (robot,) = pyrave.load(written(tmp_path, "r.dae", text), strict=True).robots
    assert [one.name for one in robot.links] == ["base", "arm", "hand", "finger"]
    assert robot.dof == 3
    np.testing.assert_allclose(robot.links["finger"].transform[:3, 3], (1, 0, 3))
    assert robot.manipulators["arm"].gripper_indices.tolist() == [2]


SUFFIXES = scene_beside(__file__, "references_suffixes.xml")


def test_suffixes_tell_uses_of_the_same_nodes_from_each_other():
    first, second = read(document(SUFFIXES.format(box=box("g")))).bodies
    assert (first.name, second.name) == ("first", "second")
    assert first.pose.translation == (1.0, 0.0, 0.0)
    assert second.pose.translation == (0.0, 5.0, 0.0)
    assert first.dof_values == (math.pi / 2,)
    assert second.dof_values is None
    for body, mass in ((first, 3.0), (second, 4.0)):
        assert [len(link.geometries) for link in body.links] == [1, 1]
        assert body.links[1].inertial.mass == mass
        assert body.links[1].geometries[0].pose.translation == (0.0, 0.0, 0.0)


# -- calibration ----------------------------------------------------------------------

CALIBRATION = technique("calibration", '<instance_calibration url="lab.calib.dae"/>')
EYE = """<frame_origin link="kmodel1_inst/link1"><translate>0 0 1</translate>
</frame_origin>"""


def calibrated(folder, extras, **fields):
    inner = f'<articulated_system id="c">{extras}</articulated_system>'
    inner = f"<library_articulated_systems>{inner}</library_articulated_systems>"
    written(folder, "lab.calib.dae", document(inner))
    motion = CALIBRATION + technique("attach_sensor", EYE, "eye")
    path = written(folder, "robot.dae", Robot(motion=motion, **fields))
    return pyrave.load(path)


def test_a_calibration_need_not_be_there(tmp_path):
    path = written(tmp_path, "robot.dae", Robot(motion=CALIBRATION))
    assert pyrave.Environment().read(path, strict=True).bodies[0].name == "rover"


def test_offsets_move_what_encoders_call_zero(tmp_path):
    offsets = technique("joint_calibration", "<offset>90</offset>", "joint0")
    offsets += technique("joint_calibration", "<offset>0.5</offset>", "kmodel1/joint1")
    shown = ("", "", '<instance_geometry url="#geom0"/>')
    env = calibrated(tmp_path, offsets, shown=shown)
    assert not env.problems
    (robot,) = env.robots
    hand = robot.links["hand"]
    np.testing.assert_allclose(hand.transform[:3, 3], (0, 1.5, 1), atol=1e-12)
    # what hangs on a link comes along
    assert hand.geometries[0].description.pose.translation == (0.0, 0.0, 0.0)
    robot.dof_values = [-math.pi / 2, -0.5]
    np.testing.assert_allclose(hand.transform[:3, 3], (1, 0, 1), atol=1e-12)
    np.testing.assert_allclose(hand.transform[:3, :3], np.eye(3), atol=1e-12)


def test_frames_of_joints_and_places_of_sensors_are_calibrated(tmp_path):
    extras = technique(
        "joint_calibration", "<translate>0 0 0.1</translate>", "joint0"
    ) + technique("attach_sensor", EYE.replace("0 0 1", "0 0 2"), "eye")
    (robot,) = calibrated(tmp_path, extras).robots
    np.testing.assert_allclose(robot.links["arm"].transform[:3, 3], (0, 0, 1.1))
    (eye,) = robot.attached_sensors
    np.testing.assert_allclose(eye.transform[:3, 3], (0, 0, 3.1))


def test_damaged_calibrations_are_told(tmp_path):
    written(tmp_path, "lab.calib.dae", "<COLLADA><")
    path = written(tmp_path, "robot.dae", Robot(motion=CALIBRATION))
    scene = pyrave.Environment().read(path)
    assert [one.code for one in scene.problems] == ["missing-file"]
    with pytest.raises(SceneError):
        pyrave.Environment().read(path, strict=True)


def test_calibrations_of_joints_that_are_not_there_are_told(tmp_path):
    env = calibrated(tmp_path, technique("joint_calibration", "", "joint7"))
    assert [one.code for one in env.problems] == ["unresolved-reference"]
