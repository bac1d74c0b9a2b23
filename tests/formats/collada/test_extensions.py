"""OpenRAVE's extensions of COLLADA: bodies, arms, collision, limits, parameters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collada_documents import Robot, box, problems, read, technique, written

import pyrave
from pyrave.scene import (
    Box,
    Capsule,
    Cylinder,
    LinkDescription,
    ManipulatorDescription,
    RobotDescription,
    Sphere,
    TriMesh,
    XmlElement,
    XmlReadable,
    same,
)
from pyrave_collada.information import IkHint, ik_hints, parameters


def robot_of(text, **options):
    scene = read(text, **options)
    return next(one for one in scene.bodies if isinstance(one, RobotDescription))


# -- parameters ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "text"), [("float_array", "1 two"), ("int_array", "1.5")]
)
def test_arrays_of_other_formats_that_hold_no_numbers_are_told_of(tag, text):
    array = XmlElement(tag, (("name", "gains"),), text=text)
    info = XmlReadable(XmlElement("link_info", children=(array,)))
    link = LinkDescription("hand", readables=(("link_info", info),))
    with pytest.raises(pyrave.ArgumentError, match=f"'gains' holds '{text}'"):
        parameters(link)


def test_a_step_of_another_format_that_is_no_number_is_told_of():
    hint = XmlElement("iksolver", children=(
        XmlElement("free_joint", (("joint", "j"), ("stepsize", "tiny"))),
    ))  # fmt: skip
    arm = ManipulatorDescription(
        "arm", "a", "b", readables=(("iksolver", XmlReadable(hint)),)
    )
    with pytest.raises(pyrave.ArgumentError, match="'tiny', expected numbers"):
        ik_hints(arm)


# -- interface_type --------------------------------------------------------------------


def test_an_interface_and_its_plugin():
    extra = technique(
        "interface_type",
        '<interface type="robot">MyGenericRobot</interface><plugin>myplugin</plugin>',
    )
    scene = read(Robot(motion=extra))
    assert scene.bodies[0].interface == "MyGenericRobot"
    assert [one.name for one in scene.plugins] == ["myplugin"]


def test_an_interface_without_a_type_counts_too():
    extra = technique("interface_type", "<interface>GenericRobot</interface>")
    assert robot_of(Robot(kinematics=extra)).interface == "GenericRobot"


def test_a_system_may_be_a_plain_body():
    extra = technique("interface_type", '<interface type="kinbody">K</interface>')
    (body,) = read(Robot(motion=extra)).bodies
    assert not isinstance(body, RobotDescription)
    assert body.interface == "K"


# -- manipulator -----------------------------------------------------------------------

ARM = """
<frame_origin link="kmodel1_inst/link0"/>
<frame_tip link="kmodel1_inst/link2"><translate>0.0 0.0 0.22</translate>
  <rotate>0.0 1.0 0.0 90.0</rotate><direction>0.0 0.0 2.0</direction></frame_tip>
<gripper_joint joint="kmodel1_inst/joint1">
  <{direction} axis="{axis}"><float>-1</float></{direction}></gripper_joint>
<iksolver type="Transform6D"><free_joint joint="kmodel1_inst/joint0"/>
  <interface_type><technique profile="OpenRAVE"><interface>WAM7ikfast</interface>
  <plugin>WAM7ikfast</plugin></technique></interface_type></iksolver>
<iksolver type="Translation3D"><free_joint joint="joint1" stepsize="0.05"/></iksolver>
"""


@pytest.mark.parametrize("axis", ["axis0", "./axis0"])
@pytest.mark.parametrize("direction", ["closing_direction", "chucking_direction"])
def test_a_manipulator_in_both_vocabularies(direction, axis):
    extra = technique("manipulator", ARM.format(direction=direction, axis=axis), "arm")
    (arm,) = robot_of(Robot(motion=extra)).manipulators
    assert (arm.name, arm.base, arm.end_effector) == ("arm", "base", "hand")
    assert arm.tool.translation == (0.0, 0.0, 0.22)
    np.testing.assert_allclose(arm.tool.matrix[:3, 0], (0, 0, -1), atol=1e-15)
    assert arm.direction == (0.0, 0.0, 1.0)
    assert arm.gripper_joints == ("joint1",)
    assert arm.chucking_direction == (-1.0,)
    assert arm.ik_solver == "WAM7ikfast"
    assert ik_hints(arm) == (
        IkHint("Transform6D", "WAM7ikfast", "WAM7ikfast", (("joint0", 0.0),)),
        IkHint("Translation3D", "", "", (("joint1", 0.05),)),
    )


def test_the_oldest_grippers_name_an_axis():
    old = """<frame_origin link="link0"/><frame_tip link="link2"/>
    <gripper_axis axis="kmodel1_inst/joint1/axis0"><closingdirection><float>1</float>
    </closingdirection></gripper_axis>"""
    (arm,) = robot_of(Robot(kinematics=technique("manipulator", old, "a"))).manipulators
    assert arm.gripper_joints == ("joint1",)
    assert arm.chucking_direction == (1.0,)


def test_a_direction_may_be_a_parameter():
    extra = technique("manipulator", """
    <frame_origin link="link0"/><frame_tip link="link2"/>
    <gripper_joint joint="joint1"><closing_direction axis="axis0">
    <param ref="closing"/></closing_direction></gripper_joint>""", "arm")  # fmt: skip
    param = '<newparam sid="closing"><float>-1</float></newparam>'
    (arm,) = robot_of(Robot(motion=param + extra)).manipulators
    assert arm.chucking_direction == (-1.0,)


def test_free_joints_and_steps_come_to_the_solver():
    extra = technique("manipulator", """
    <frame_origin link="link0"/><frame_tip link="link2"/><iksolver type="Transform6D">
    <free_joint joint="joint0" stepsize="0.1"/></iksolver>""", "arm")  # fmt: skip
    (arm,) = robot_of(Robot(motion=extra)).manipulators
    assert arm.ik_solver == "Analytic free joint0 0.1"


def test_of_manipulators_of_one_name_the_outer_one_counts():
    inner = technique("manipulator", """<frame_origin link="link0"/>
    <frame_tip link="link1"/>""", "arm")  # fmt: skip
    outer = technique("manipulator", """<frame_origin link="link0"/>
    <frame_tip link="link2"/>""", "arm")  # fmt: skip
    (arm,) = robot_of(Robot(kinematics=inner, instance=outer)).manipulators
    assert arm.end_effector == "hand"


def test_what_a_manipulator_names_wrongly_costs_only_itself():
    wrong = """<frame_origin link="nil_link"/><frame_tip link="link2"/>"""
    right = """<frame_origin link="link0"/><frame_tip link="link2"/>
    <gripper_joint joint="jiont1"/><iksolver type="Transform6D">
    <free_joint joint="nothing"/></iksolver>"""
    text = Robot(
        motion=technique("manipulator", wrong, "a")
        + technique("manipulator", right, "b")
    )
    robot = robot_of(text, strict=False)
    assert [one.name for one in robot.manipulators] == ["b"]
    found = read(text, strict=False).problems
    assert [one.code for one in found] == ["unresolved-reference"] * 3
    assert "'nil_link'" in found[0].message
    assert found[1].hint == "did you mean 'joint1'?"
    assert all(one.line and one.column for one in found)


# -- collision -------------------------------------------------------------------------

COLLISION = """
<bind_instance_geometry type="environment" link="kmodel1/link1" url="#arm_env0"/>
<bind_instance_geometry type="environment" link="kmodel1/link1" url="#arm_env1"/>
<bind_instance_geometry type="self" link="kmodel1/link1" url="#arm_self"/>
<bind_instance_geometry type="environment" link="link2" url="#hand_env0"/>
<ignore_link_pair link0="kmodel1/link2" link1="kmodel1/link0"/>
<link_collision_state link="kmodel1/link1"><bool>true</bool></link_collision_state>
"""
HULLS = "".join(map(box, ("arm_env0", "arm_env1", "arm_self", "hand_env0")))


def test_collision_geometries_pairs_and_states():
    text = Robot(
        model=technique("collision", COLLISION),
        geometries=HULLS,
        shown=("", '<instance_geometry url="#geom0"/>', ""),
    )
    robot = robot_of(text)
    base, arm, hand = robot.links
    groups = [(one.group, one.name) for one in arm.geometries]
    assert groups == [
        ("self", "geom0"),
        ("environment", "arm_env0"),
        ("environment", "arm_env1"),
        ("self_collision", "arm_self"),
    ]
    assert [one.group for one in hand.geometries] == ["environment"]
    assert robot.adjacent == {("base", "hand")}
    assert all(one.enabled for one in (base, arm, hand))


def test_convex_hulls_replace_what_collides(tmp_path):
    text = Robot(model=technique("collision", COLLISION), geometries=HULLS)
    env = pyrave.load(written(tmp_path, "robot.dae", text))
    link = env.robots["rover"].links["arm"]
    assert link.geometry_groups == ("environment", "self_collision")
    link.use_geometry_group("environment")
    assert len(link.geometries) == 2


STATE = '<link_collision_state link="{}"><bool>{}</bool></link_collision_state>'


@pytest.mark.parametrize("place", ["model", "kinematics", "motion", "instance"])
def test_one_false_at_any_level_disables_a_link(place):
    true = technique("collision", STATE.format("link1", "true"))
    levels = dict.fromkeys(("model", "kinematics", "motion", "instance"), true)
    levels[place] += technique("collision", STATE.format("link1", "false"))
    robot = robot_of(Robot(**levels))
    assert [one.enabled for one in robot.links] == [True, False, True]


def test_states_may_be_parameters_and_digits():
    extra = technique(
        "collision",
        """
    <link_collision_state link="link0"><bool>0</bool></link_collision_state>
    <link_collision_state link="link1"><param>off</param></link_collision_state>""",
    )
    param = '<newparam sid="off"><bool>false</bool></newparam>'
    robot = robot_of(Robot(motion=param + extra))
    assert [one.enabled for one in robot.links] == [False, False, True]


@pytest.mark.parametrize("kind", ["visible", "collision"])
def test_links_can_be_invisible(kind):
    state = '<link_visible_state link="link1"><bool>false</bool></link_visible_state>'
    shown = '<instance_geometry url="#geom0"/>'
    text = Robot(instance=technique(kind, state), shown=(shown, shown, ""))
    base, arm, _ = robot_of(text).links
    assert [one.visible for one in base.geometries] == [True]
    assert [one.visible for one in arm.geometries] == [False]
    assert arm.enabled


def test_collision_of_what_is_not_there_costs_only_the_item():
    wrong = """<ignore_link_pair link0="link0" link1="link7"/>
    <ignore_link_pair link0="link0" link1="link2"/>
    <bind_instance_geometry type="environment" link="link1" url="#nothing"/>
    <link_collision_state link="link1"><bool>maybe</bool></link_collision_state>"""
    text = Robot(model=technique("collision", wrong))
    assert robot_of(text, strict=False).adjacent == {("base", "hand")}
    codes = sorted(code for code, _ in problems(text))
    assert codes == ["bad-truth", "unresolved-reference", "unresolved-reference"]


# -- geometry_info ---------------------------------------------------------------------

PLACE = "<translate>0 0 0.5</translate><rotate>0 0 1 45</rotate>"
SHAPES = {
    "<box><half_extents>0.1 0.2 0.3</half_extents></box>": Box((0.1, 0.2, 0.3)),
    "<sphere><radius>0.4</radius></sphere>": Sphere(0.4),
    "<cylinder><height>2</height><radius>0.5 0.5</radius></cylinder>": Cylinder(0.5, 2),
    "<cylinderz><height>2</height><radius>0.5</radius></cylinderz>": Cylinder(0.5, 2),
    "<capsule><height>2</height><radius>0.5</radius></capsule>": Capsule(0.5, 2),
}


def shown_geometry(info, **options):
    extra = technique("geometry_info", info)
    shown = ('<instance_geometry url="#shape"/>', "", "")
    text = Robot(geometries=box("shape", extra), shown=shown, **options)
    (geometry,) = robot_of(text).links[0].geometries
    return geometry


@pytest.mark.parametrize("shape", SHAPES)
def test_analytic_shapes_stand_for_meshes(shape):
    geometry = shown_geometry(shape + PLACE + "<visible><bool>true</bool></visible>")
    assert geometry.shape == SHAPES[shape]
    assert geometry.visible
    assert geometry.pose.translation == (0.0, 0.0, 0.5)
    # COLLADA's cylinders and capsules stand along y
    along = (1, 2) if shape.startswith(("<cylinder>", "<capsule>")) else (2, 2)
    matrix = geometry.pose.matrix
    turned = np.array([[1, -1, 0], [1, 1, 0], [0, 0, math.sqrt(2)]]) / math.sqrt(2)
    np.testing.assert_allclose(matrix[:3, along[1]], turned[:, along[0]], atol=1e-15)


def test_lengths_of_shapes_are_in_the_unit_of_the_document():
    millimetres = '<unit name="millimeter" meter="0.001"/>'
    geometry = shown_geometry(
        "<box><half_extents>100 200 300</half_extents></box>", unit=millimetres
    )
    assert geometry.shape == Box((0.1, 0.2, 0.3))


def test_a_frame_without_a_shape_leaves_the_mesh():
    geometry = shown_geometry(PLACE + "<visible><bool>false</bool></visible>")
    assert isinstance(geometry.shape, TriMesh)
    assert not geometry.visible
    placed = geometry.pose.matrix @ np.vstack(
        (geometry.shape.mesh.vertices.T, np.ones(3))
    )
    np.testing.assert_allclose(placed[:3, 1], (1, 0, 0), atol=1e-15)


# -- link_info and joint_info ----------------------------------------------------------


def test_parameters_of_links_and_joints(tmp_path):
    model = (
        technique("link_info", '<float_array link="link0" name="myparam">1.0 2.0 3.0'
                  "</float_array>", "kmodel1/link0")
        + technique("link_info", '<int_array link="link1" name="newparam">-10'
                    "</int_array>", "link1")
        + technique("joint_info", '<float_array name="gains" digits="6" count="2">'
                    '1e3 2</float_array>', "joint0")
        + technique("joint_info", '<int_array joint="joint1" name="newparam">-10'
                    '</int_array><string_value name="maker">ours</string_value>',
                    "joint0")
    )  # fmt: skip
    env = pyrave.load(written(tmp_path, "robot.dae", Robot(model=model)))
    robot = env.robots["rover"]
    assert parameters(robot.links["base"]) == {"myparam": (1.0, 2.0, 3.0)}
    assert parameters(robot.links["arm"]) == {"newparam": (-10,)}
    assert parameters(robot.links["hand"]) == {}
    # of two extras for one joint both count
    assert parameters(robot.joints["joint0"]) == {
        "gains": (1000.0, 2.0),
        "newparam": (-10,),
        "maker": "ours",
    }


def test_wrong_parameters_cost_only_themselves():
    model = technique("link_info", '<float_array name="a">1 x</float_array>'
                      '<int_array name="b">1.5</int_array>'
                      '<int_array name="c">3</int_array>', "link0")  # fmt: skip
    model += technique("joint_info", "", "joint9")
    text = Robot(model=model)
    assert parameters(robot_of(text, strict=False).links[0]) == {"c": (3,)}
    found = problems(text)
    assert [code for code, _ in found] == [
        "bad-number",
        "bad-number",
        "unresolved-reference",
    ]
    assert "expected whole numbers" in found[1][1]


# -- limits and axis parameters --------------------------------------------------------


def axis(number=0, **fields):
    joints = {one.name: one for one in robot_of(Robot(**fields)).joints}
    return joints[f"joint{number}"].axes[0]


def test_soft_limits_stand_beside_hard_ones():
    soft = "<limits><min><float>-90</float></min><max><float>80</float></max></limits>"
    one = axis(info=(soft, ""))
    assert (one.lower, one.upper) == pytest.approx((-math.pi / 2, math.radians(80)))
    assert (one.hard_lower, one.hard_upper) == (-math.pi, math.pi)


def test_equal_limits_are_said_once():
    both = (
        "<limits><min><float>-180</float></min><max><float>180</float></max></limits>"
    )
    for info in ("", both):
        one = axis(info=(info, ""))
        assert (one.lower, one.upper) == (-math.pi, math.pi)
        assert (one.hard_lower, one.hard_upper) == (-math.inf, math.inf)


def test_a_joint_without_limits():
    one = axis(limits=("", ""))
    assert one.circular
    assert (one.lower, one.upper) == (-math.pi, math.pi)
    slider = axis(1, limits=("", ""))
    assert not slider.circular
    assert (slider.lower, slider.upper) == (-1e6, 1e6)


def test_limits_and_rates_through_parameters():
    info = """<newparam sid="positionmin"><float>-10</float></newparam>
    <newparam sid="positionmax"><float>20</float></newparam>
    <newparam sid="locked"><bool>false</bool></newparam>
    <newparam sid="active"><bool>true</bool></newparam>
    <newparam sid="circular"><bool>true</bool></newparam>
    <newparam sid="planning_weight"><float>2.5</float></newparam>
    <newparam sid="discretization_resolution"><float>0.02</float></newparam>
    <active><param>active</param></active><locked><param>locked</param></locked>
    <limits><min><param>positionmin</param></min><max><param>positionmax</param></max>
    </limits>"""
    rate = """<newparam sid="speed"><float>90</float></newparam>
    <newparam sid="hardMaxVel"><float>180</float></newparam>
    <newparam sid="hardMaxAccel"><float>360</float></newparam>
    <newparam sid="hardMaxJerk"><float>720</float></newparam>
    <speed><param>speed</param></speed>
    <acceleration><float>180</float></acceleration><jerk><float>900</float></jerk>"""
    one = axis(info=(info, ""), rates=(rate, ""))
    assert (one.lower, one.upper) == pytest.approx(
        (math.radians(-10), math.radians(20))
    )
    assert one.circular
    assert one.weight == 2.5
    assert one.resolution == 0.02  # radians, whatever the angles around it are in
    assert one.velocity_limit == pytest.approx(math.pi / 2)
    assert one.acceleration_limit == pytest.approx(math.pi)
    assert one.hard_velocity_limit == pytest.approx(math.pi)
    assert one.hard_acceleration_limit == pytest.approx(2 * math.pi)
    assert one.jerk_limit == one.hard_jerk_limit == pytest.approx(4 * math.pi)


def test_rates_of_sliders_are_in_the_unit_of_the_document():
    rate = "<speed><float>500</float></speed>"
    unit = '<unit name="millimeter" meter="0.001"/>'
    one = axis(1, rates=("", rate), limits=("", "-100 200"), unit=unit)
    assert (one.lower, one.upper, one.velocity_limit) == (-0.1, 0.2, 0.5)


@pytest.mark.parametrize(
    ("tool", "speed"),
    [
        ("OpenRAVE Collada Writer", 1.5),
        ("OpenHRP3 Collada Writer", 1.5),
        ("OpenRAVE Collada Writer v0.3.5", math.radians(1.5)),
    ],
)
def test_old_writers_gave_speeds_and_values_in_radians(tool, speed):
    fields = {"rates": ("<speed><float>1.5</float></speed>", ""), "tool": tool}
    assert axis(**fields).velocity_limit == pytest.approx(speed)
    robot = robot_of(Robot(values=(1.5, 0.25), **fields))
    assert robot.dof_values == pytest.approx((speed, 0.25))


def test_inactive_and_locked_joints():
    robot = robot_of(Robot(info=("<active><bool>false</bool></active>", "")))
    assert {one.name: one.active for one in robot.joints} == {
        "joint0": False,
        "joint1": True,
    }
    one = axis(info=("<locked><bool>true</bool></locked>", ""))
    assert (one.lower, one.upper, one.hard_lower) == (0.0, 0.0, -math.pi)


def test_wrong_weights_are_told():
    info = '<newparam sid="planning_weight"><float>-1</float></newparam>'
    text = Robot(info=(info, ""))
    assert robot_of(text, strict=False).joints[0].axes[0].weight == 1.0
    assert problems(text) == [
        ("bad-number", "planning_weight is -1, expected more than 0; it is ignored")
    ]


def test_hints_come_along_into_openrave_xml(tmp_path):
    extra = technique("manipulator", ARM.format(direction="chucking_direction",
                                                axis="axis0"), "arm")  # fmt: skip
    written(tmp_path, "arm.dae", Robot(motion=extra))
    outer = written(tmp_path, "a.robot.xml", '<robot file="arm.dae" name="r"/>')
    arm = pyrave.Environment().read(outer).robots[0].manipulators[0]
    assert [one.type for one in ik_hints(arm)] == ["Transform6D", "Translation3D"]


def test_free_joints_of_hints_have_the_prefix_of_their_robot(tmp_path):
    hints = """<frame_origin link="link0"/><frame_tip link="link2"/>
<iksolver type="Transform6D"><free_joint joint="kmodel1_inst/joint1" stepsize="0.25"/>
</iksolver>"""
    written(tmp_path, "arm.dae", Robot(motion=technique("manipulator", hints, "arm")))
    outer = written(
        tmp_path,
        "two.robot.xml",
        '<robot name="two"><robot file="arm.dae" prefix="left_"/>'
        '<robot file="arm.dae" prefix="right_"/></robot>',
    )
    robot = pyrave.Environment().read(outer).robots[0]
    joints = {one.name for one in robot.joints}
    for arm in robot.manipulators:
        ((name, step),) = ik_hints(arm)[0].free_joints
        assert name in joints
        assert (name, step) == (arm.name.replace("_arm", "_joint1"), 0.25)
        assert arm.ik_solver == f"Analytic free {name} 0.25"
    # and so they have in what is saved as XML, and included in turn
    (loss,) = pyrave.convert(outer, tmp_path / "all.robot.xml", expand=True)
    assert "hints of manipulators are for pyrave alone: 'right_arm', 'left_arm'" in loss
    assert same(pyrave.read(tmp_path / "all.robot.xml"), pyrave.read(outer))
    outer.write_text(
        '<robot name="r"><robot file="all.robot.xml" prefix="my_"/></robot>'
    )
    for arm in pyrave.Environment().read(outer).robots[0].manipulators:
        ((name, _),) = ik_hints(arm)[0].free_joints
        assert name == arm.name.replace("_arm", "_joint1")
        assert arm.ik_solver == f"Analytic free {name} 0.25"


# -- gripper_info ----------------------------------------------------------------------


def gripper(content):
    data = f"<json_data>{content}</json_data>"
    return Robot(kinematics=technique("gripper_info", data, "g"))


def test_grippers_are_read_and_written(tmp_path):
    said = (
        '{"name": "hand", "grippertype": "a", "gripperJointNames": ["joint1"], "w": 2}'
    )
    (found,) = robot_of(gripper(said)).grippers
    assert (found.name, found.kind, found.joints) == ("hand", "a", ("joint1",))
    assert found.data == '{"w": 2}'
    env = pyrave.load_string(str(gripper(said)))
    env.save(tmp_path / "saved.dae")
    saved = (tmp_path / "saved.dae").read_text()
    assert saved.count('"gripper_info"') == 1
    again = pyrave.load(tmp_path / "saved.dae").robots[0]
    assert again.grippers["hand"] == found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "the JSON of <gripper_info> is none"),
        ("[1]", "is no object of keys"),
        (
            '{"gripperJointNames": ["joint"]}',
            "gripper 'g' names the joint 'joint', which",
        ),
    ],
)
def test_wrong_grippers_are_told(content, message):
    assert any(message in text for _, text in problems(gripper(content)))
