"""URDF: what its elements become."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.scene import (
    Box,
    Capsule,
    Cylinder,
    MeshData,
    MeshReference,
    NoShape,
    Sphere,
)
from pyrave_urdf.extras import (
    Calibration,
    SafetyController,
    calibration,
    safety_controller,
)

TURN = """<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
<axis xyz="0 0 2"/><limit lower="-1" upper="2" effort="30" velocity="4"/>{}</joint>"""


def read(inside, **options):
    text = f"<robot name='r'>{inside}</robot>"
    env = pyrave.Environment()
    report = env.load_string(text, **options)
    return report.scene.robots[0]


def link(inside, more=""):
    return read(f"<link name='a'>{inside}</link>{more}", strict=True).links[0]


def two(inside="", more="", *, strict=True):
    text = '<link name="a"/><link name="b"/>' + TURN.format(inside) + more
    return read(text, strict=strict)


# -- geometries ------------------------------------------------------------------------

BOX = "<geometry><box size='2 4 6'/></geometry>"


def test_shapes():
    shapes = [
        ("<box size='2 4 6'/>", Box((1.0, 2.0, 3.0))),
        ("<cylinder radius='1' length='3'/>", Cylinder(1.0, 3.0)),
        ("<sphere radius='2'/>", Sphere(2.0)),
        ("<capsule radius='1' length='2'/>", Capsule(1.0, 2.0)),
    ]
    for text, shape in shapes:
        (made,) = link(f"<collision><geometry>{text}</geometry></collision>").geometries
        assert made.shape == shape
        assert not made.visible


def test_a_visual_that_does_not_collide_is_shown_only():
    (made,) = link(f"<visual name='v'>{BOX}</visual>").geometries
    assert made.shape == NoShape()
    assert made.visible
    assert made.name == "v"
    mesh = made.render.mesh
    assert isinstance(mesh, MeshData)
    assert np.abs(mesh.vertices).max(axis=0).tolist() == [1.0, 2.0, 3.0]
    ((key, kept),) = made.readables
    assert key == "geometry"
    assert kept.to_xml().children[0].get("size") == "2 4 6"


def test_the_same_visual_and_collision_are_one_geometry():
    part = f"<origin xyz='0 0 1'/>{BOX}"
    (made,) = link(f"<visual>{part}</visual><collision>{part}</collision>").geometries
    assert made.visible
    assert made.shape == Box((1.0, 2.0, 3.0))
    moved = part.replace("0 0 1", "0 0 2")
    shown, solid = link(
        f"<visual>{part}</visual><collision>{moved}</collision>"
    ).geometries
    assert (shown.shape, shown.visible) == (NoShape(), True)
    assert (solid.shape, solid.visible) == (Box((1.0, 2.0, 3.0)), False)


def test_several_of_each_in_order():
    parts = "".join(
        f"<{tag} name='{tag}{i}'><geometry><sphere radius='{i}'/></geometry></{tag}>"
        for tag in ("collision", "visual")
        for i in (1, 2)
    )
    names = [made.name for made in link(parts).geometries]
    assert names == ["visual1", "visual2", "collision1", "collision2"]


def test_rays_hit_collisions_and_pass_visuals():
    env = pyrave.load_string(
        "<robot name='r'><link name='a'>"
        "<visual><geometry><box size='2 2 2'/></geometry></visual>"
        "<collision><geometry><box size='1 1 1'/></geometry></collision>"
        "</link></robot>"
    )
    ray = (5.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
    hits = env.raycast(*ray)
    assert hits.distance == pytest.approx(4.5)


def test_meshes_by_every_kind_of_name(tmp_path, monkeypatch):
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    for place in ("ws/arm/meshes", "other/hand/parts", "models/cup", "ws/arm/urdf"):
        (tmp_path / place).mkdir(parents=True)
        if not place.endswith("urdf"):
            (tmp_path / place / "m.obj").write_bytes(mesh)
    path = tmp_path / "ws/arm/urdf/arm.urdf"

    def found(name, **options):
        path.write_text(
            "<robot name='r'><link name='a'><collision><geometry><mesh "
            f"filename='{name}' scale='1 -2 3'/></geometry></collision></link></robot>"
        )
        scene = pyrave.read(path, **options)
        (geometry,) = scene.robots[0].links[0].geometries
        reference = geometry.shape.mesh
        assert isinstance(reference, MeshReference)
        assert reference.scale == (1.0, -2.0, 3.0)
        assert reference.written == name
        return reference.uri if reference.found else None

    arm = str(tmp_path / "ws/arm/meshes/m.obj")
    hand = str(tmp_path / "other/hand/parts/m.obj")
    assert found("../meshes/m.obj") == arm
    assert found(f"file://{arm}") == arm
    assert found("package://arm/meshes/m.obj") == arm
    assert found("package://meshes/m.obj") == arm
    assert found("package://arm//meshes/m.obj") == arm
    assert found("package://hand/parts/m.obj") is None
    assert found("package://hand/parts/m.obj", package_dirs=tmp_path / "other") == hand
    assert (
        found("package://hand/parts/m.obj", package_dirs=[tmp_path / "other/hand"])
        == hand
    )
    assert (
        found("package://hand/parts/m.obj", resource_roots=tmp_path / "other") == hand
    )
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'other'}")
    assert found("package://hand/parts/m.obj") == hand
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    (tmp_path / "prefix").mkdir()
    (tmp_path / "other").rename(tmp_path / "prefix/share")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "prefix"))
    hand = str(tmp_path / "prefix/share/hand/parts/m.obj")
    assert found("package://hand/parts/m.obj") == hand
    assert found("model://cup/m.obj") is None
    monkeypatch.setenv("GAZEBO_MODEL_PATH", str(tmp_path / "models"))
    assert found("model://cup/m.obj") == str(tmp_path / "models/cup/m.obj")
    assert found("http://example.org/m.obj") is None


def test_confined_files_find_no_meshes_elsewhere(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "m.obj").write_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    path = tmp_path / "in" / "r.urdf"
    for name in ("../m.obj", "package://x/../m.obj", "package://m.obj"):
        path.write_text(
            "<robot name='r'><link name='a'><visual><geometry><mesh "
            f"filename='{name}'/></geometry></visual></link></robot>"
        )
        with pytest.raises(pyrave.SceneError) as caught:
            pyrave.read(path, confine=True, resource_roots=tmp_path / "in")
        assert caught.value.first.code == "outside-roots"


def test_materials_are_found_anywhere_in_the_file():
    robot = read(
        "<link name='a'>"
        f"<visual>{BOX}<material name='late'/></visual>"
        f"<visual>{BOX}<material name='own'><color rgba='0 1 0 1'/></material></visual>"
        f"<visual>{BOX}<material name='own'/></visual>"
        f"<visual>{BOX}<material name='wood'><texture filename='none.png'/>"
        "</material></visual></link>"
        "<material name='late'><color rgba='1 0.5 0.25 0.75'/></material>"
    )
    looks = [made.material for made in robot.links[0].geometries]
    assert looks[0].diffuse == (1.0, 0.5, 0.25)
    assert looks[0].transparency == 0.25
    assert looks[1].diffuse == looks[2].diffuse == (0.0, 1.0, 0.0)
    assert looks[3].diffuse is None
    kept = dict(robot.links[0].geometries[3].readables)["material"].to_xml()
    assert kept.get("name") == "wood"
    assert kept.children[0].get("filename") == "none.png"


# -- mass and contacts -----------------------------------------------------------------


def test_a_link_without_inertial_has_no_mass():
    inertial = link("").inertial
    assert inertial.mass == 0.0
    assert inertial.inertia == (0.0,) * 9


def test_inertia_is_turned_into_the_link_frame():
    inertial = link(
        f"<inertial><origin xyz='1 2 3' rpy='0 0 {math.pi / 2}'/><mass value='2'/>"
        "<inertia ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='2.5'/></inertial>"
    ).inertial
    assert inertial.com == (1.0, 2.0, 3.0)
    assert np.array(inertial.inertia).reshape(3, 3) == pytest.approx(
        np.diag((2.0, 1.0, 2.5))
    )


def test_contact_areas_and_bullets_element_of_the_same_name():
    made = link(
        "<contact><origin xyz='0 0 -1'/><geometry><box size='1 2 3'/></geometry>"
        "<limit normal_force='500'/></contact>"
        "<contact><lateral_friction value='0.8'/></contact>"
        "<contact name='toe'><geometry><sphere radius='1'/></geometry></contact>"
    )
    sole, toe = made.contacts
    assert sole.shape == Box((0.5, 1.0, 1.5))
    assert sole.pose.translation == (0.0, 0.0, -1.0)
    assert sole.max_normal_force == 500.0
    assert (toe.name, toe.max_normal_force) == ("toe", math.inf)
    ((key, kept),) = made.readables
    assert key == "contact"
    assert kept.to_xml().children[0].get("value") == "0.8"


# -- joints ----------------------------------------------------------------------------


def test_a_joint():
    (joint,) = two().joints
    (axis,) = joint.axes
    assert (joint.type, joint.parent, joint.child) == ("hinge", "a", "b")
    assert axis.direction == (0.0, 0.0, 1.0)
    assert (axis.lower, axis.upper) == (-1.0, 2.0)
    assert (axis.velocity_limit, axis.torque_limit) == (4.0, 30.0)


def test_dynamics_soft_limits_and_calibration():
    (joint,) = two(
        "<dynamics damping='0.5' friction='0.25'/><safety_controller "
        "soft_lower_limit='-0.5' soft_upper_limit='1' k_position='15' k_velocity='10'/>"
        "<calibration rising='0.125'/>",
        strict=False,
    ).joints
    (axis,) = joint.axes
    assert (axis.damping, axis.friction) == (0.5, 0.25)
    assert safety_controller(joint) == SafetyController(-0.5, 1.0, 15.0, 10.0)
    assert calibration(joint).rising == 0.125
    assert math.isnan(calibration(joint).falling)
    (plain,) = two().joints
    assert (plain.axes[0].damping, plain.axes[0].friction) == (0.0, 0.0)
    assert safety_controller(plain) is None
    assert calibration(plain) is None
    assert Calibration is type(calibration(joint))


def test_a_long_chain_of_followers_costs_little(tmp_path):
    """Each is looked at once: a walk from each to the first one took minutes."""
    count = 3000
    links = "".join(f'<link name="l{n}"/>' for n in range(count + 1))
    joints = "".join(
        f'<joint name="j{n}" type="revolute"><parent link="l0"/>'
        f'<child link="l{n + 1}"/><axis xyz="0 0 1"/>'
        + (
            f'<mimic joint="j{n + 1}" offset="1"/><limit lower="0" upper="0"/>'
            if n + 1 < count
            else '<limit lower="-1" upper="2"/>'
        )
        + "</joint>"
        for n in range(count)
    )
    text = f'<robot name="chain">{links}{joints}</robot>'
    (tmp_path / "chain.urdf").write_text(text)
    (axis,) = pyrave.read(tmp_path / "chain.urdf").bodies[0].joints[0].axes
    assert (axis.lower, axis.upper) == (0.0, 2.0 + count - 1)
    assert axis.initial == count - 1


def test_followers_follow_before_they_keep_their_limits():
    robot = read(
        '<link name="a"/><link name="b"/><link name="c"/>'
        + TURN.format("")
        + '<joint name="k" type="revolute"><parent link="b"/><child link="c"/>'
        '<axis xyz="0 0 1"/><limit lower="0" upper="0.5" effort="1" velocity="1"/>'
        '<mimic joint="j" multiplier="-1" offset="0.25"/></joint>',
        strict=True,
    )
    axis = robot.joints[1].axes[0]
    assert (axis.lower, axis.upper) == (-1.75, 1.25)
    assert axis.initial == 0.25
    env = pyrave.Environment()
    env.add_scene(pyrave.SceneDescription(bodies=(robot,)))
    body = env.robots["r"]
    body.dof_values = [1.5]
    turn = body.links["c"].transform
    assert math.atan2(turn[1, 0], turn[0, 0]) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "text",
    [
        (
            "<transmission name='t'><type>x</type><joint name='j'/><actuator name='m'>"
            "<mechanicalReduction>-50</mechanicalReduction></actuator></transmission>"
        ),
        (
            "<transmission name='t' type='x'><actuator name='m'/><joint name='j'/>"
            "<mechanicalReduction>50</mechanicalReduction></transmission>"
        ),
        (
            "<transmission name='t'><joint name='j'><mechanicalReduction>50"
            "</mechanicalReduction></joint><actuator name='m'/></transmission>"
        ),
    ],
)
def test_reductions_become_actuators(text):
    robot = two(more=text)
    actuator = robot.joints[0].actuator.to_xml()
    assert actuator.tag == "actuator"
    assert [(one.tag, float(one.text)) for one in actuator.children] == [
        ("gear_ratio", 50.0)
    ]
    assert [key for key, _ in robot.readables] == ["transmission"]


# -- sensors ---------------------------------------------------------------------------


def test_sensors_of_urdf_and_gazebo():
    env = pyrave.load_string(scene_beside(__file__, "gazebo_sensors.urdf"))
    (problem,) = env.problems
    assert "<sensor type='contact'>" in problem.message
    robot = env.robots["r"]
    kinds = {one.name: one.sensor.interface_id for one in robot.attached_sensors}
    assert kinds == {
        "eye": "BaseCamera",
        "front": "BaseCamera",
        "scan": "BaseLaser2D",
        "lidar": "MultiBeamLidar",
        "imu": "BaseIMU",
    }
    eye = robot.attached_sensors["eye"]
    assert eye.transform[:3, 3].tolist() == [0.0, 0.0, 1.0]
    assert eye.sensor.get_sensor_geometry().width == 320
    # Gazebo's cameras look along x, OpenRAVE's along z with y down
    front = robot.attached_sensors["front"].transform[:3, :3]
    assert front[:, 2].tolist() == [1.0, 0.0, 0.0]
    assert front[:, 1].tolist() == [0.0, 0.0, -1.0]
    scan = robot.attached_sensors["scan"].sensor.get_sensor_geometry()
    assert scan.max_range == 8.0
    assert scan.max_angle == pytest.approx(math.pi / 2)
    # the block is kept as it stands besides
    ((_, kept),) = robot.links["head"].description.readables
    assert len(kept.to_xml().children) == 5


def test_a_camera_that_sees_no_angle_has_no_focal_length():
    robot = read(
        '<link name="a"/><sensor name="eye"><parent link="a"/><camera>'
        '<image width="8" height="8" hfov="5e-324"/></camera></sensor>'
    )
    ((_, eye),) = robot.attached_sensors[0].readables
    tags = {child.tag.lower() for child in eye.to_xml().children}
    assert "width" in tags
    assert "kk" not in tags


def test_settings_that_are_wrong_are_told_at_each_sensor():
    lines = [
        f'<sensor type="{kind}" name="{name}">'
        f"<update_rate>{rate}</update_rate></sensor>"
        for name, kind, rate in (
            ("good", "imu", 10),
            ("one", "imu", 1e-320),
            ("same", "imu", 10),
            ("two", "imu", 1e-320),
        )
    ]
    block = "\n".join(["<gazebo reference='a'>", *lines, "</gazebo>"])
    report = pyrave.Environment().load_string(
        f"<robot name='r'><link name='a'/>{block}</robot>"
    )
    assert [problem.line for problem in report.problems] == [3, 5]
    assert all("measurement_time" in problem.message for problem in report.problems)
    good, one, same, two = (
        sensor.readables for sensor in report.scene.robots[0].attached_sensors
    )
    assert good == same
    assert one == two != good


def test_sensors_of_one_name_are_numbered():
    sensor = '<sensor name="s" type="imu"><parent link="a"/></sensor>'
    other = sensor.replace('"s"', '"s_2"')
    robot = read(f'<link name="a"/>{other}{sensor * 3}')
    names = [one.name for one in robot.attached_sensors]
    assert names == ["s_2", "s", "s_3", "s_4"]


# -- what nobody knows -----------------------------------------------------------------


def test_unknown_blocks_are_kept():
    robot = two(
        "<vendor gain='3'/>",
        "<gazebo><static>true</static></gazebo><gazebo reference='j'><a/></gazebo>"
        "<ros2_control name='x' type='system'><hardware/></ros2_control>"
        "<my_company><part id='1'>text</part></my_company>",
        strict=False,
    )
    keys = [key for key, _ in robot.readables]
    assert sorted(keys) == ["gazebo", "my_company", "ros2_control"]
    kept = dict(robot.readables)["my_company"].to_xml()
    assert kept.children[0].text == "text"
    assert [key for key, _ in robot.joints[0].readables] == ["vendor", "gazebo"]


def test_exporters_xml_declarations():
    robot = "<robot name='r'><link name='a'/></robot>"
    for head in (
        '<?xml version="0.0" ?>',
        "<!-- made by hand -->\n<?xml version='1.0'?>",
    ):
        assert pyrave.load_string(head + robot).robots["r"].name == "r"
        data = (head + robot).encode()
        assert pyrave.load_string(data).robots["r"].name == "r"


def test_descriptions_pickle_and_compare():
    robot = two()
    assert pickle.loads(pickle.dumps(robot)) == robot  # noqa: S301 - our own
    assert two() == robot


def test_geometry_may_be_skipped():
    from pyrave.formats import ReadContext, read_scene_text
    from pyrave_urdf.hooks import UrdfFormat

    text = f"<robot name='r'><link name='a'><visual>{BOX}</visual></link></robot>"
    scene = read_scene_text(text, [UrdfFormat()], ReadContext(skip_geometry=True))
    assert scene.robots[0].links[0].geometries == ()


def test_openrave_xml_is_not_taken():
    text = "<robot name='r'><kinbody><body name='a'/></kinbody></robot>"
    assert pyrave.load_string(text).robots["r"].links[0].name == "a"


def test_limits_beyond_all_reach_are_none():
    robot = read(
        "<link name='a'/><link name='b'/>" + TURN.format("").replace('"-1"', '"-1e10"'),
        strict=True,
    )
    (axis,) = robot.joints[0].axes
    assert (axis.lower, axis.upper) == (-math.inf, 2)


# -- at another size -------------------------------------------------------------------

SIZED = """<robot name="r"><link name="a">
<inertial><origin xyz="1 0 0"/><mass value="2"/></inertial>
<visual><geometry><cylinder radius="1" length="2"/></geometry></visual>
<collision><origin xyz="0 0 1" rpy="0 0 1"/><geometry><box size="2 4 6"/></geometry>
</collision>
<collision><geometry><mesh filename="m.stl" scale="1 2 3"/></geometry></collision>
<contact><origin xyz="0 1 0"/><geometry><sphere radius="1"/></geometry></contact>
</link><link name="b"/><joint name="j" type="prismatic"><origin xyz="0 0 3"/>
<parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>"""


def included(folder, scale):
    (folder / "r.urdf").write_text(SIZED)
    text = f'<robot file="r.urdf" scalegeometry="{scale}"/>'
    (folder / "r.robot.xml").write_text(text)
    return pyrave.read(folder / "r.robot.xml")


def test_a_scene_may_include_it_at_another_size(tmp_path):
    robot = included(tmp_path, 2).robots[0]
    plain = pyrave.read(tmp_path / "r.urdf").robots[0]
    link, before = robot.links[0], plain.links[0]
    assert (link.inertial.mass, link.inertial.com) == (2.0, (2.0, 0.0, 0.0))
    shown, box, mesh = link.geometries
    assert shown.render.mesh.vertices.max(axis=0).tolist() == [2.0, 2.0, 2.0]
    assert box.shape == Box((2.0, 4.0, 6.0))
    assert box.pose.translation == (0.0, 0.0, 2.0)
    assert box.pose.rotation == before.geometries[1].pose.rotation
    assert mesh.shape.mesh.scale == (2.0, 4.0, 6.0)
    assert link.contacts[0].shape == Sphere(2.0)
    assert link.contacts[0].pose.translation == (0.0, 2.0, 0.0)
    assert robot.links[1].pose.translation == (0.0, 0.0, 6.0)
    assert robot.joints[0].T_parent_joint.translation == (0.0, 0.0, 6.0)
    assert robot.joints[0].axes == plain.joints[0].axes


def test_sliders_that_start_elsewhere_start_there_at_another_size(tmp_path):
    joints = "".join(
        f'<joint name="{name}" type="prismatic"><parent link="a"/>'
        f'<child link="{name}"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>'
        f"{inside}</joint>"
        for name, inside in (
            ("b", '<limit upper="1" effort="1" velocity="1"/>'),
            ("c", '<mimic joint="b" offset="0.5"/>'),
        )
    )
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    path = tmp_path / "r.robot.xml"
    path.write_text('<robot file="r.urdf" scalegeometry="2"/>')
    env = pyrave.load(path)
    described = pyrave.read(path).robots[0].links[2].pose.translation
    assert described == (2.0, 0.0, 0.5)
    assert env.robots[0].links["c"].transform[:3, 3].tolist() == [*described]


def test_a_size_that_would_skew_is_an_error(tmp_path):
    with pytest.raises(pyrave.SceneError) as caught:
        included(tmp_path, "1 2 1")
    assert caught.value.first.code == "skewing-scale"
    assert "scale all axes alike" in caught.value.first.hint


@pytest.mark.filterwarnings("error", "ignore:loading 'r', which has no geometry")
def test_free_and_circular_joints_of_one_robot_take_values():
    text = (
        "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
        "<joint name='f' type='floating'><parent link='a'/><child link='b'/></joint>"
        "<joint name='t' type='continuous'><parent link='b'/><child link='c'/>"
        "<axis xyz='0 0 1'/></joint></robot>"
    )
    robot = pyrave.load_string(text).robots[0]
    values = np.array([1e3, -2e3, 3.0, 0.1, 0.2, 0.3, 4.0])
    robot.dof_values = values
    values[6] -= 2 * math.pi  # where a circular joint stands
    np.testing.assert_allclose(robot.dof_values, values, atol=1e-12)
