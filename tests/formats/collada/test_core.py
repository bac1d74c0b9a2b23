"""Core COLLADA that few writers use: setparam, loops, formulas of libraries, skews."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collada_documents import Robot, document, problems, read, technique

from pyrave_collada.information import IkHint, ik_hints

SPEED = """<newparam sid="fast"><float>90</float></newparam>
<speed><param>fast</param></speed>"""
LIMITS = """<newparam sid="low"><float>-10</float></newparam>
<newparam sid="high"><float>10</float></newparam><limits><min><param>low</param></min>
<max><param>high</param></max></limits>"""


def axis_of(text):
    (robot,) = read(text).bodies
    return robot.joints[0].axes[0]


def test_instances_set_parameters_of_what_they_instantiate():
    axis = axis_of(Robot(info=(LIMITS, ""), rates=(SPEED, "")))
    assert axis.upper == pytest.approx(math.radians(10))
    assert axis.velocity_limit == pytest.approx(math.radians(90))
    instance = """<setparam ref="kinfo0/high"><float>20</float></setparam>
    <setparam ref="body1_motion/minfo0/fast"><float>45</float></setparam>"""
    axis = axis_of(Robot(info=(LIMITS, ""), rates=(SPEED, ""), instance=instance))
    assert axis.upper == pytest.approx(math.radians(20))
    assert axis.lower == pytest.approx(math.radians(-10))
    assert axis.velocity_limit == pytest.approx(math.radians(45))


def test_a_parameter_may_be_set_to_another_one():
    instance = """<newparam sid="mine"><float>30</float></newparam>
    <setparam ref="kinfo0/high"><SIDREF>mine</SIDREF></setparam>"""
    axis = axis_of(Robot(info=(LIMITS, ""), instance=instance))
    assert axis.upper == pytest.approx(math.radians(30))


def test_a_parameter_that_is_not_there_is_told():
    instance = '<setparam ref="kinfo0/hihg"><float>20</float></setparam>'
    text = Robot(info=(LIMITS, ""), instance=instance)
    assert [code for code, _ in problems(text)] == ["unresolved-reference"]


def test_a_parameter_set_to_one_that_is_not_there_keeps_its_value():
    instance = '<setparam ref="kinfo0/high"><SIDREF>nobody</SIDREF></setparam>'
    text = Robot(info=(LIMITS, ""), instance=instance)
    ((code, message),) = problems(text)
    assert code == "unresolved-reference"
    assert "'nobody'" in message
    (robot,) = read(text, strict=False).bodies
    assert robot.joints[0].axes[0].upper == pytest.approx(math.radians(10))


LOOP = """<library_kinematics_models><kinematics_model id="m" name="four">
<technique_common>{joints}
<link sid="a"><attachment_full joint="m/j1"><translate>0 0 0</translate>
<link sid="b"><attachment_full joint="m/j2"><translate>0 1 0</translate>
<link sid="c"><attachment_start joint="m/j4"><translate>2 0 0</translate>
</attachment_start></link></attachment_full></link></attachment_full>
<attachment_full joint="m/j3"><translate>2 0 0</translate><link sid="d">
<attachment_end joint="m/j4"><translate>0 1 0</translate></attachment_end></link>
</attachment_full></link></technique_common></kinematics_model>
</library_kinematics_models>"""
JOINT = '<joint sid="j{}"><revolute sid="axis0"><axis>0 0 1</axis></revolute></joint>'


def test_attachments_close_loops():
    joints = "".join(map(JOINT.format, (1, 2, 3, 4)))
    (body,) = read(document(LOOP.format(joints=joints))).bodies
    ends = {one.name: (one.parent, one.child) for one in body.joints}
    assert ends["j4"] == ("c", "d")
    links = {one.name: one.pose for one in body.links}
    (last,) = [one for one in body.joints if one.name == "j4"]
    start = links["c"] @ last.T_parent_joint
    end = links["d"] @ last.T_child_joint
    np.testing.assert_allclose(start.matrix, end.matrix, atol=1e-15)
    open_loop = LOOP.replace("attachment_end", "attachment_ned")
    found = problems(document(open_loop.format(joints=joints)))
    assert [code for code, _ in found] == ["open-loop"]


def test_formulas_may_be_in_a_library():
    formula = """<formula id="twice"><target><param>kmodel1/joint1</param></target>
<technique_common><math xmlns="http://www.w3.org/1998/Math/MathML"><apply><times/>
<cn>2</cn><csymbol encoding="COLLADA">kmodel1/joint0</csymbol></apply></math>
</technique_common></formula>"""
    text = Robot(
        formula='<instance_formula url="#twice"/>',
        libraries=f"<library_formulas>{formula}</library_formulas>",
    )
    (robot,) = read(text).bodies
    joints = {one.name: one for one in robot.joints}
    assert "joint0" in joints["joint1"].axes[0].mimic.position
    assert not joints["joint1"].active
    gone = Robot(formula='<instance_formula url="#thrice"/>')
    assert [code for code, _ in problems(gone)] == ["unresolved-reference"]


NODE = """<library_visual_scenes><visual_scene id="v"><node id="n" name="thing">
{}<instance_geometry url="#geom0"/></node></visual_scene></library_visual_scenes>"""


def corners(transform):
    text = str(Robot())
    start = text.index("<library_geometries>")
    end = text.index("</library_geometries>") + len("</library_geometries>")
    (body,) = read(document(text[start:end] + NODE.format(transform))).bodies
    (geometry,) = body.links[0].geometries
    placed = body.pose @ geometry.pose
    mesh = geometry.shape.mesh
    corner = mesh.vertices @ placed.matrix[:3, :3].T + placed.matrix[:3, 3]
    return {tuple(row) for row in corner.round(9) + 0.0}


def test_nodes_may_look_at_a_place_and_be_skewed():
    assert corners("") == {(0, 0, 0), (1, 0, 0), (0, 1, 0)}
    # from (0, 0, 5) down to the origin, y up: the camera's frame, its back along z
    assert corners("<lookat>0 0 5 0 0 0 0 1 0</lookat>") == {
        *((0, 0, 5), (1, 0, 5), (0, 1, 5)),
    }
    # y tilts by 45 degrees along x
    skewed = corners("<skew>45 0 1 0 1 0 0</skew>")
    assert skewed == {(0, 0, 0), (1, 0, 0), (1, 1, 0)}


SEED_ARM = """<frame_origin link="kmodel1/link0"/>
<frame_tip link="kmodel1/link2"><translate>0.0 0.0 0.22</translate>
<rotate>0.0 1.0 0.0 90.0</rotate><direction>0.0 0.0 1.0</direction></frame_tip>
<gripper_joint joint="joint0"><closing_direction axis="axis0"><float>1</float>
</closing_direction></gripper_joint>
<gripper_joint joint="joint1"><closing_direction axis="axis0"><float>-1</float>
</closing_direction></gripper_joint>
<iksolver type="Transform6D"><free_joint joint="joint0"/><interface_type>
<technique profile="OpenRAVE"><interface>WAM7ikfast</interface>
<plugin>WAM7ikfast</plugin></technique></interface_type></iksolver>
<iksolver type="Translation3D"><free_joint joint="joint1"/></iksolver>"""


def test_the_seed_s_arm_has_a_gripper_of_two_joints():
    (robot,) = read(Robot(motion=technique("manipulator", SEED_ARM, "leftarm"))).bodies
    (arm,) = robot.manipulators
    assert arm.name == "leftarm"
    assert arm.gripper_joints == ("joint0", "joint1")
    assert arm.chucking_direction == (1.0, -1.0)
    assert [one.type for one in ik_hints(arm)] == ["Transform6D", "Translation3D"]
    assert ik_hints(arm)[1] == IkHint("Translation3D", free_joints=(("joint1", 0.0),))
