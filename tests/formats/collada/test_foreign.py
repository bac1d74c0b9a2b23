"""Files in the forms of other writers than OpenRAVE's."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from collada_documents import Robot, box, document, problems, read, technique

import pyrave

ROS_JOINT = """<joint sid="{0}" name="{0}"><revolute sid="axis0"><axis>{1}</axis>{2}
</revolute></joint>"""
ROS_BODY = """<rigid_body sid="rigid{0}" name="{1}"><technique_common>
<mass_frame><translate>{3}</translate></mass_frame><dynamic>true</dynamic>
<mass>{2}</mass><inertia>1 1 1</inertia></technique_common></rigid_body>"""
ROS_NAMES = ("base_link", "arm_link", "tip_link")


def ros_converted():
    """Return a robot as ROS's converter of URDF writes it.

    Nodes go by their sids alone, below the visual scene; each has the origin of its
    link's shape, which the nodes below take back; a rigid body goes by its node.
    """
    value = "robot0_kinematics_kmodel0_inst_{0}.axis0{1}"
    axes = [("turn", "node1/node_turn_axis0"), ("weld", "node1/node2/node_weld_axis0")]
    inner = "".join(
        f'<newparam sid="{value.format(name, "")}"><SIDREF>robot0_kinematics/'
        f'kmodel0_inst/{name}/axis0</SIDREF></newparam><newparam sid="'
        f'{value.format(name, "_value")}"><float>0</float></newparam>'
        for name, _ in axes
    )
    outer = "".join(
        f'<newparam sid="robot0_motion_{value.format(name, tail)}"><SIDREF>'
        f"robot0_kinematics/{value.format(name, tail)}</SIDREF></newparam>"
        for name, _ in axes
        for tail in ("", "_value")
    )
    scene = "".join(
        f'<bind symbol="kscene_{value.format(name, tail)}"><param ref="robot0_motion/'
        f'robot0_motion_{value.format(name, tail)}"/></bind>'
        for name, _ in axes
        for tail in ("", "_value")
    )
    binds = "".join(
        f'<bind_joint_axis target="{target}"><axis><param>kscene_'
        f"{value.format(name, '')}</param></axis><value><param>kscene_"
        f"{value.format(name, '_value')}</param></value></bind_joint_axis>"
        for name, target in axes
    )
    bodies = "".join(
        ROS_BODY.format(i, name, mass, place)
        for i, (name, mass, place) in enumerate(
            zip(ROS_NAMES, (4, 1000, 21), ("0 0 0", "0 0 1", "1 0 1"), strict=True)
        )
    )
    targets = "".join(
        f'<instance_rigid_body body="rigid{i}" target="#vkmodel0_node{i}"/>'
        for i in range(3)
    )
    infos = "".join(
        f'<axis_info axis="kmodel0/{name}/axis0" sid="axis_info_inst{i}"><active>'
        f"<bool>{active}</bool></active></axis_info>"
        for i, (name, active) in enumerate((("turn", "true"), ("weld", "false")))
    )
    limits = "<limits><min>{0}</min><max>{1}</max></limits>"
    return document(
        f"""<library_visual_scenes><visual_scene id="vscene">
<node id="visual0" sid="visual0" name="ros">
 <node id="vkmodel0_node0" sid="node0" name="base_link"><translate>0 0 0.1</translate>
  <rotate>1 0 0 0</rotate><instance_geometry url="#gkmodel0_base_link_geom0"/>
  <node id="vkmodel0_node1" sid="node1" name="arm_link"><translate>0 0 -0.1</translate>
   <translate>0 0 1</translate><rotate sid="node_turn_axis0">0 0 1 0</rotate>
   <translate>0.2 0 0</translate><instance_geometry url="#gkmodel0_arm_link_geom0"/>
   <node id="vkmodel0_node2" sid="node2" name="tip_link"><translate>-0.2 0 0</translate>
    <translate>1 0 0</translate><rotate sid="node_weld_axis0">0 0 0 0</rotate>
   </node></node></node></node></visual_scene></library_visual_scenes>
<library_geometries>{box("gkmodel0_base_link_geom0")}{box("gkmodel0_arm_link_geom0")}
</library_geometries>
<library_kinematics_models><kinematics_model id="kmodel0" name="ros"><technique_common>
{ROS_JOINT.format("turn", "0 0 1", limits.format(-90, 90))}
{ROS_JOINT.format("weld", "0 0 0", limits.format(0, 0))}
<link name="base_link" sid="base_link"><attachment_full joint="kmodel0/turn">
<translate>0 0 1</translate><link name="arm_link" sid="arm_link">
<attachment_full joint="kmodel0/weld"><translate>1 0 0</translate>
<link name="tip_link" sid="tip_link"/></attachment_full></link></attachment_full></link>
</technique_common></kinematics_model></library_kinematics_models>
<library_articulated_systems>
<articulated_system id="robot0_motion"><motion>
<instance_articulated_system url="#robot0_kinematics">
<newparam sid="robot0_motion_kmodel0_inst">
<SIDREF>robot0_kinematics/robot0_kinematics_kmodel0_inst</SIDREF></newparam>{outer}</instance_articulated_system>
<technique_common/></motion></articulated_system>
<articulated_system id="robot0_kinematics"><kinematics>
<instance_kinematics_model url="#kmodel0" sid="kmodel0_inst">
<newparam sid="robot0_kinematics_kmodel0_inst"><SIDREF>robot0_kinematics/kmodel0_inst
</SIDREF></newparam>{inner}</instance_kinematics_model>
<technique_common>{infos}</technique_common></kinematics></articulated_system>
</library_articulated_systems>
<library_kinematics_scenes><kinematics_scene id="kscene">
<instance_articulated_system sid="robot0_motion_inst" url="#robot0_motion" name="ros">
<bind symbol="kscene_kmodel0_inst"><param ref="robot0_motion/robot0_motion_kmodel0_inst"
/></bind>{scene}</instance_articulated_system></kinematics_scene>
</library_kinematics_scenes>
<library_physics_scenes><physics_scene id="pscene">
<instance_physics_model url="#pmodel0" sid="pmodel0_inst" parent="#visual0">{targets}
</instance_physics_model><technique_common><gravity>0 0 0</gravity></technique_common>
</physics_scene></library_physics_scenes>
<library_physics_models><physics_model id="pmodel0">{bodies}</physics_model>
</library_physics_models>
<scene><instance_physics_scene url="#pscene"/><instance_visual_scene url="#vscene"/>
<instance_kinematics_scene url="#kscene"><bind_kinematics_model node="visual0/node0">
<param>kscene_kmodel0_inst</param></bind_kinematics_model>{binds}
</instance_kinematics_scene></scene>""",
        tool="URDF Collada Writer",
    )


def test_targets_are_paths_of_sids_below_the_visual_scene():
    (robot,) = read(ros_converted()).bodies
    base, arm, tip = robot.links
    assert [one.name for one in robot.links] == list(ROS_NAMES)
    assert [one.inertial.mass for one in robot.links] == [4.0, 1000.0, 21.0]
    assert [len(one.geometries) for one in robot.links] == [1, 1, 0]
    # the base is where the model says, shapes where the nodes are
    assert robot.pose.translation == (0.0, 0.0, 0.0)
    assert base.geometries[0].pose.translation == pytest.approx((0.0, 0.0, 0.1))
    assert arm.geometries[0].pose.translation == pytest.approx((0.2, 0.0, 0.0))
    assert arm.pose.translation == pytest.approx((0.0, 0.0, 1.0))
    for link in robot.links:
        assert link.inertial.com == pytest.approx((0.0, 0.0, 0.0))
    assert [(one.name, one.type) for one in robot.joints] == [
        ("turn", "hinge"),
        ("weld", "fixed"),
    ]
    assert tip.pose.translation == pytest.approx((1.0, 0.0, 1.0))


def test_a_transform_that_is_nowhere_is_said_to_be_so():
    text = ros_converted().replace('target="node1/node_turn', 'target="node1/no_turn')
    found = dict(problems(text))
    assert found["unresolved-reference"] == (
        "the transform 'node1/no_turn_axis0' is not found below the visual scene; no "
        "node moves with the joint"
    )


def test_masses_of_nodes_that_are_no_links_leave_the_base_alone():
    """50 kg became 4: the last rigid body below the base's node."""
    text = ros_converted().replace('target="node1/node_turn', 'target="node1/no_turn')
    (robot,) = read(text, strict=False).bodies
    assert [one.inertial.mass for one in robot.links] == [4.0, 1e-10, 21.0]
    said = dict(problems(text))["unbound-rigid-body"]
    assert "the rigid body 'rigid1':" in said
    assert "'vkmodel0_node1' is no link's own node" in said


def test_the_second_mass_of_a_node_is_told():
    text = ros_converted()
    targets = re.findall(r'<instance_rigid_body [^>]*target="([^"]+)"', text)
    text = text.replace(f'target="{targets[1]}"', f'target="{targets[0]}"')
    (robot,) = read(text, strict=False).bodies
    assert [one.inertial.mass for one in robot.links] == [4.0, 1e-10, 21.0]
    assert dict(problems(text))["unbound-rigid-body"] == (
        "no link has the mass of the rigid body 'rigid1': its target "
        f"{targets[0][1:]!r} is that of another rigid body"
    )


def test_a_link_that_no_joint_carries_has_the_node_of_its_name():
    """OpenRAVE's writer puts it below the base's node, without a binding."""
    more = '<link sid="link3" name="flange"><translate>0 2 0</translate></link>'
    node = """<node id="node3" sid="node3" name="flange"><translate>0 2 0</translate>
<instance_geometry url="#geom0"/></node>"""
    robot = Robot(formula=more, shown=(node, "", ""), physics="")
    body = """<rigid_body sid="rigid_link3"><technique_common><mass>7</mass>
</technique_common></rigid_body></physics_model>"""
    instance = '<instance_rigid_body body="rigid_link3" target="#node3"/>'
    text = str(robot).replace("</physics_model>", body)
    text = text.replace('target="#node2"/>', f'target="#node2"/>{instance}')
    (found, _) = read(text).bodies
    links = {one.name: one for one in found.links}
    assert {name: one.inertial.mass for name, one in links.items()} == {
        "base": 1.0,
        "arm": 2.0,
        "hand": 3.0,
        "flange": 7.0,
    }
    assert [len(links[name].geometries) for name in ("base", "flange")] == [0, 1]
    assert links["flange"].geometries[0].pose.translation == (0.0, 0.0, 0.0)


# -- links as siblings -----------------------------------------------------------------

SHOWN = '<instance_geometry url="#geom0"/>'
TURN = '<translate>0 0 1</translate><rotate sid="turn{0}">0 0 1 0</rotate>'
SLIDE = '<translate>1 0 0</translate><translate sid="slide{0}">0 0 0</translate>'


def siblings(above="{0}", extra=""):
    """Return a robot whose links are nodes of their own, side by side.

    Each repeats the transforms of all joints in front, as CATIA's exporter writes them.
    """
    text = str(Robot(physics=None))
    start = text.index('<node id="visual1"')
    end = text.index("</visual_scene>")
    nodes = f"""<node id="N1" sid="N1">{SHOWN}</node>
<node id="N2" sid="N2">{TURN.format(1)}{SHOWN}</node>
<node id="N3" sid="N3">{TURN.format(2)}{SLIDE.format(2)}{SHOWN}
 <node id="N4"><translate>0 0 0.5</translate>{SHOWN}</node></node>{extra}"""
    text = text[:start] + above.format(nodes) + text[end:]
    axis = "kscene_kmodel1_inst_joint{0}_axis0"
    targets = {0: ("N2/turn1", "N3/turn2"), 1: ("N3/slide2",)}
    binds = "".join(
        f'<bind_joint_axis target="{target}"><axis><param>{axis.format(number)}</param>'
        "</axis></bind_joint_axis>"
        for number, several in targets.items()
        for target in several
    )
    start = text.index("<bind_kinematics_model")
    end = text.index("</instance_kinematics_scene>")
    model = """<bind_kinematics_model node="N1"><param>kscene_kmodel1_inst</param>
</bind_kinematics_model>"""
    return text[:start] + model + binds + text[end:]


@pytest.mark.parametrize("above", ["{0}", '<node id="product">{0}</node>'])
def test_links_may_be_nodes_side_by_side(above):
    (robot,) = read(siblings(above)).bodies
    assert [len(one.geometries) for one in robot.links] == [1, 1, 2]
    for link in robot.links:
        assert link.geometries[-1].pose.matrix == pytest.approx(np.eye(4))
    assert robot.links[2].geometries[0].pose.translation == (0.0, 0.0, 0.5)


def test_what_a_node_shows_beside_the_links_is_a_body_of_its_own():
    frame = f'<node id="N5"><translate>0 3 0</translate>{SHOWN}</node>'
    text = siblings('<node id="product" name="cell">{0}</node>', frame)
    robot, cell = read(text, strict=False).bodies
    assert [len(one.geometries) for one in robot.links] == [1, 1, 2]
    assert cell.name == "cell"
    assert cell.links[0].geometries[0].pose.translation == (0.0, 3.0, 0.0)
    ((code, message),) = problems(text)
    assert code == "unbound-node"
    assert "no link has the node 'N5' below 'product'" in message
    # a whole tree of nodes without a robot is a thing in the scene, as before
    assert [one.name for one in read(siblings("{0}", frame)).bodies] == ["rover", "N5"]


# -- values ----------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["joint", "system"])
def test_equal_limits_hold_a_joint_at_zero(where):
    if where == "joint":
        robot = Robot(limits=("-223 -223", "-1 1"))
    else:
        limits = "<limits><min><float>30</float></min><max><float>30</float></max>"
        robot = Robot(info=(f"{limits}</limits>", ""))
    (found,) = read(robot, strict=False).bodies
    axis = found.joints[0].axes[0]
    assert (axis.lower, axis.upper, axis.circular) == (0.0, 0.0, False)
    ((code, message),) = problems(robot)
    assert code == "equal-limits"
    assert "the joint 'joint0' has equal limits" in message
    zero = Robot(limits=("0 0", "-1 1"))
    assert read(zero).bodies[0].joints[0].axes[0].upper == 0.0


def test_a_formula_without_a_derivative_at_the_start_is_a_warning(tmp_path):
    formula = """<formula sid="f"><target><param>kmodel1/joint0</param></target>
<technique_common><math:math><math:apply><math:arccos/><math:apply><math:minus/>
<math:cn>1</math:cn><math:apply><math:divide/><math:apply><math:power/>
<math:csymbol encoding="COLLADA">kmodel1/joint1</math:csymbol><math:cn>2</math:cn>
</math:apply><math:cn>2</math:cn></math:apply></math:apply></math:apply></math:math>
</technique_common></formula>"""
    path = tmp_path / "rod.dae"
    path.write_text(str(Robot(formula=formula)))
    env = pyrave.load(path)
    assert [one.code for one in env.problems] == ["derivative-not-finite"]
    (robot,) = env.robots
    robot.dof_values = [0.5]
    (turned,) = robot.passive_joints["joint0"].values
    assert turned == pytest.approx(math.acos(1.0 - 0.125))


CLASS = technique("interface_type", '<interface type="robot">GenericRobot</interface>')


@pytest.mark.parametrize(
    ("motion", "model", "named", "expected"),
    [
        ("", "rover", "", "rover"),
        ("", "", "", "kmodel1"),
        (CLASS, "rover", "", "body1_motion_inst"),
        ("", "rover", "mine", "mine"),
        (CLASS, "rover", "mine", "mine"),
    ],
)
def test_the_model_names_a_robot_without_a_class(motion, model, named, expected):
    text = str(Robot(motion=motion)).replace(' name="rover"', "")
    if model:
        text = text.replace('<kinematics_model id="kmodel1"', '\\g name="rover"', 1)
        text = text.replace("\\g", '<kinematics_model id="kmodel1"')
    if named:
        text = text.replace('sid="body1_motion_inst"', f'\\g name="{named}"', 1)
        text = text.replace("\\g", 'sid="body1_motion_inst"')
    (robot,) = read(text).bodies
    assert robot.name == expected


_LINES = """
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries>{}</library_geometries>
<library_visual_scenes><visual_scene id="s"><node>
<instance_geometry url="#g0"/><instance_geometry url="#g1"/>
</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
_SOURCE = """<source id="p{0}">
<float_array id="a{0}" count="9">0 0 0 1 0 0 0 1 0</float_array>
<technique_common><accessor count="3" source="#a{0}" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v{0}"><input semantic="POSITION" source="#p{0}"/></vertices>"""
_VERTEX = '<input offset="0" semantic="VERTEX" source="#v{}"/>'


def _geometry(number, polygons):
    return (
        f'<geometry id="g{number}"><mesh>{_SOURCE.format(number)}'
        f"{polygons.replace('VERTEX', _VERTEX.format(number))}</mesh></geometry>"
    )


@pytest.mark.parametrize(
    "lines",
    [
        '<polylist count="1">VERTEX<vcount>2</vcount><p>0 1</p></polylist>',
        '<polylist count="2">VERTEX<vcount>2 1</vcount><p>0 1 2</p></polylist>',
        '<polygons count="1">VERTEX<p>0 1</p></polygons>',
        '<lines count="1">VERTEX<p>0 1</p></lines>',
        '<linestrips count="1">VERTEX<p>0 1 2</p></linestrips>',
        '<trifans count="1">VERTEX<p>0 1</p></trifans>',
        '<triangles count="0">VERTEX<p></p></triangles>',
    ],
)
def test_geometries_of_lines_leave_the_others(tmp_path, lines):
    triangle = '<polylist count="1">VERTEX<vcount>3</vcount><p>0 1 2</p></polylist>'
    path = tmp_path / "lines.dae"
    path.write_text(_LINES.strip().format(_geometry(0, lines) + _geometry(1, triangle)))
    env = pyrave.load(path)
    faces = [
        len(geometry.mesh.faces)
        for body in env.bodies
        for link in body.links
        for geometry in link.geometries
    ]
    assert faces == [1]
    # beside triangles, too
    both = _geometry(0, lines + triangle) + _geometry(1, triangle)
    path.write_text(_LINES.strip().format(both))
    env = pyrave.load(path)
    assert sum(len(g.mesh.faces) for g in env.bodies[0].links[0].geometries) == 2


_AUTHOR = "<asset><contributor><author>{}</author></contributor>"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda text: text.replace("<asset>", _AUTHOR.format("J\xfcrgen")), "no UTF-8"),
        (lambda text: text.replace("<asset>", "<!-- \xfc --><asset>"), "no UTF-8"),
        (lambda text: text.replace("<asset>", "<!-- a -- b --><asset>"), "two hyphens"),
        (lambda text: text.replace("<asset>", _AUTHOR.format("A & B")), "'&' stands"),
        (lambda text: text + "\0", "zeros are behind the end"),
        (lambda text: "\n<?xml version='1.0'?>" + text, "is not at the start"),
        (lambda text: "made by hand " + text, "text is before the root"),
    ],
)
def test_what_lenient_parsers_read_is_a_warning(tmp_path, made, said):
    """Of authors and comments; assimp reads such files, OpenRAVE's library does not."""
    triangle = '<polylist count="1">VERTEX<vcount>3</vcount><p>0 1 2</p></polylist>'
    both = _geometry(0, triangle) + _geometry(1, triangle)
    text = made(_LINES.strip().format(both))
    (tmp_path / "a.dae").write_bytes(text.encode("latin-1"))
    (problem,) = pyrave.load(tmp_path / "a.dae").problems
    assert problem.code == "not-xml"
    assert said in problem.message
    assert problem.line is not None
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="a.dae"/>'
        "</geometry></collision></link></robot>"
    )
    env = pyrave.load(tmp_path / "r.urdf")
    assert len(env.bodies[0].links[0].geometries[0].mesh.faces) == 2
    (problem,) = env.problems
    assert problem.code == "not-xml"
    assert problem.file == str(tmp_path / "a.dae")
    with pytest.raises(pyrave.SceneError):
        pyrave.load(tmp_path / "a.dae", strict=True)
