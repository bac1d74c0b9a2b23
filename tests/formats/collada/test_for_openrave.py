"""Written files as OpenRAVE, viewers and the schema find them."""

from __future__ import annotations

import dataclasses
import io
import math

import numpy as np
import pytest
from collada_bodies import arm
from loops import each
from lxml import etree

import pyrave
from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    Box,
    GeometryDescription,
    Inertial,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Material,
    MeshData,
    NoShape,
    Pose,
    RenderMesh,
    RobotDescription,
    SceneDescription,
    TriMesh,
    XmlElement,
    XmlReadable,
    same,
)
from pyrave_collada.hooks import ColladaFormat
from pyrave_collada.writing.document import collada_bytes

COLLADA = "{http://www.collada.org/2008/03/COLLADASchema}"
TURNED = Pose.from_translation(0.1, -0.2, 0.3) @ Pose.from_axis_angle(
    (1.0, 2.0, -0.5), 0.7
)


def saved(*bodies, **scene):
    """Return the root of what is written, and (kind, message) of each loss."""
    data, losses = collada_bytes(SceneDescription(bodies, **scene), WriteContext())
    return etree.fromstring(data), [(one.code, one.message) for one in losses]


def read(root):
    context = ReadContext(resolver=Resolver(data_roots=(), use_environment=False))
    source = io.BytesIO(etree.tostring(root))
    scene = read_scene(source, [ColladaFormat()], context)
    assert scene.problems == ()
    return scene.bodies


def find(root, path):
    return root.findall("/".join(f"{COLLADA}{tag}" for tag in path.split("/")))


def numbers(root, path):
    return np.array(
        [float(word) for one in find(root, path) for word in one.text.split()]
    )


def random_mesh(seed, *, shared):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3))
    faces = rng.permutation(12).reshape(4, 3)
    if shared:
        return MeshData(points, np.concatenate((faces, faces[::-1])))
    corners = points[np.concatenate((faces, faces[::-1])).reshape(-1)]
    return MeshData(corners, np.arange(len(corners)))


SEEN = GeometryDescription(
    NoShape(),
    pose=TURNED,
    render=RenderMesh(random_mesh(1, shared=True)),
    material=Material((0.8, 0.1, 0.1)),
)
HIDDEN = GeometryDescription(Box((1.0, 1.0, 1.0)), visible=False)
SHAPE = "library_physics_models/physics_model/rigid_body/technique_common/shape"
GROUPED = "library_kinematics_models/kinematics_model/extra/technique/"


def thing(*geometries):
    link = LinkDescription("base", geometries=geometries)
    return BodyDescription("thing", (link,))


POSITIONS = "library_geometries/geometry/mesh/source/float_array"


@pytest.mark.parametrize("shared", [True, False])
@each("seed", range(5))
def test_vertices_are_in_the_frame_of_the_link_and_read_back(seed, shared):
    mesh = random_mesh(seed, shared=shared)
    body = thing(GeometryDescription(TriMesh(mesh), pose=TURNED))
    root, losses = saved(body)
    assert losses == []
    points = numbers(root, POSITIONS).reshape(-1, 3)
    assert len(points) == 12  # each once, whatever the corners share
    indices = numbers(root, "library_geometries/geometry/mesh/triangles/p")
    corners = mesh.vertices[mesh.faces.reshape(-1)]
    turned = corners @ TURNED.matrix[:3, :3].T + TURNED.matrix[:3, 3]
    assert points[indices.astype(int)] == pytest.approx(turned, abs=1e-15)
    info = "library_geometries/geometry/extra/technique/"
    assert numbers(root, f"{info}translate") == pytest.approx([0.1, -0.2, 0.3])
    assert numbers(root, f"{info}rotate")[3] == pytest.approx(math.degrees(0.7))
    node = "library_nodes/node"
    assert len(find(root, f"{node}/instance_geometry")) == 1
    assert not find(root, f"{node}/matrix")
    assert not find(root, f"{node}/node")
    assert b"MeshData" not in etree.tostring(root)
    assert same(read(root), (body,))


def test_vertices_are_written_once():
    """Not as JSON, too."""
    rng = np.random.default_rng(0)
    mesh = MeshData(rng.normal(size=(3000, 3)), np.arange(3000).reshape(1000, 3))
    body = thing(GeometryDescription(TriMesh(mesh), pose=TURNED))
    root, _ = saved(body)
    assert b"MeshData" not in etree.tostring(root)
    assert len(find(root, POSITIONS)) == 1
    assert same(read(root), (body,))


@pytest.mark.parametrize("geometries", [(SEEN, HIDDEN), (HIDDEN, SEEN)])
def test_what_is_only_shown_does_not_collide(geometries):
    """OpenRAVE lets collide whatever a node has, but no other group of geometries."""
    body = thing(*geometries)
    root, losses = saved(body)
    told = (
        "shapes of body 'thing' that are only shown are for pyrave alone: OpenRAVE "
        "shows what collides in their place"
    )
    assert losses == [("pyrave-only", told)]
    key = f"#g0_link1_geom{geometries.index(HIDDEN)}"
    for path in ("library_nodes/node", SHAPE):
        (only,) = find(root, f"{path}/instance_geometry")
        assert only.get("url") == key
    # no robot of URDF is invisible
    states = find(root, "library_geometries/geometry/extra/technique/visible/bool")
    assert [one.text for one in states] == ["true", "true"]
    (bound,) = find(root, f"{GROUPED}bind_instance_geometry")
    assert bound.get("type") == "visual"
    assert bound.get("link") == "kmodel0/link1"
    (material,) = find(bound, "bind_material/technique_common/instance_material")
    assert material.get("target") == "#material0"
    diffuse = "profile_COMMON/technique/phong/diffuse/color"
    colour = numbers(root, f"library_effects/effect/{diffuse}")
    assert colour.tolist() == [0.8, 0.1, 0.1, 1.0]
    assert same(read(root), (body,))


def test_what_is_only_shown_is_seen_on_links_without_others():
    """Else OpenRAVE had links without a shape there, which may touch any other."""
    body = thing(SEEN)
    root, losses = saved(body)
    told = (
        "shapes of body 'thing' that are only shown, on links without others, collide "
        "in OpenRAVE"
    )
    assert losses == [("written-otherwise", told)]
    assert len(find(root, "library_nodes/node/instance_geometry")) == 1
    assert not find(root, f"{GROUPED}bind_instance_geometry")
    assert not find(root, SHAPE)
    assert same(read(root), (body,))


def test_groups_of_strangers_are_groups():
    """A group `visual` that was not written here is one to choose."""
    root, _ = saved(thing(SEEN, HIDDEN))
    for extra in list(root.iter(f"{COLLADA}extra")):
        if extra.get("type") == "pyrave":
            extra.getparent().remove(extra)
    (body,) = read(root)
    groups = {one.group: one for one in body.links[0].geometries}
    assert isinstance(groups["visual"].shape, TriMesh)
    assert groups["visual"].material == SEEN.material
    assert groups["self"].shape == HIDDEN.shape


def test_a_mesh_of_several_materials_is_one_geometry(tmp_path):
    lines = ["mtllib two.mtl", "v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1"]
    lines += ["usemtl red", "f 1 3 2", "f 1 2 4", "usemtl blue", "f 1 4 3", "f 2 3 4"]
    (tmp_path / "two.obj").write_text("\n".join(lines))
    (tmp_path / "two.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    env = pyrave.Environment()
    (tmp_path / "two.kinbody.xml").write_text(
        "<kinbody name='k'><body name='b'><geom type='trimesh'><data>two.obj</data>"
        "</geom></body></kinbody>"
    )
    env.load(tmp_path / "two.kinbody.xml")
    (loss,) = env.save(tmp_path / "two.dae")
    assert "has 2 materials; other programs see the first one" in loss
    root = etree.parse(tmp_path / "two.dae").getroot()
    triangles = "library_geometries/geometry/mesh/triangles"
    assert [one.get("count") for one in find(root, triangles)] == ["4"]
    effect = "library_effects/effect/profile_COMMON/technique/phong"
    assert numbers(root, f"{effect}/diffuse/color").tolist() == [1.0, 0.0, 0.0, 1.0]
    # where the file says nothing, as OpenRAVE has it
    assert numbers(root, f"{effect}/ambient/color").tolist() == [0.1, 0.0, 0.0, 1.0]
    assert pyrave.load(tmp_path / "two.dae").describe() == env.describe()


def test_names_of_collada_mean_nothing_in_what_only_pyrave_reads():
    """DOMs know elements by name: a <link> of ours was one of theirs, with faults."""
    first, second = arm(3).joints
    axis = dataclasses.replace(first.axes[0], torque_limit=0.125)
    joints = (dataclasses.replace(first, axes=(axis,)), second)
    root, _ = saved(dataclasses.replace(arm(3, commands=("go",)), joints=joints))
    parts = root.findall(f".//{COLLADA}technique[@profile='pyrave']")
    assert parts
    for part in parts:
        (exact,) = part
        for one in exact.iter("*"):
            assert etree.QName(one).namespace == "urn:pyrave:exact"
            assert one.prefix == "pyrave"


def test_generic_bodies_have_no_class_and_generic_robots_have_one():
    root, _ = saved(arm(2), thing(GeometryDescription(Box((1.0, 1.0, 1.0)))))
    said = [(one.get("type"), one.text) for one in root.iterfind(".//{*}interface")]
    assert said == [("robot", "GenericRobot"), ("kinbody", None)] * 2


def test_elements_stand_in_the_order_of_the_schema():
    root, _ = saved(arm(3), dataclasses.replace(arm(3), name="other"))
    (binding,) = find(root, "scene/instance_kinematics_scene")
    tags = [etree.QName(one).localname for one in binding]
    assert tags == sorted(tags, key=lambda tag: tag == "bind_joint_axis")
    assert tags.count("bind_kinematics_model") == 2
    for common in find(
        root,
        "library_articulated_systems/articulated_system/kinematics/technique_common",
    ):
        tail = [etree.QName(one).localname for one in common][-2:]
        assert tail == ["frame_origin", "frame_tip"]
    for body in root.iterfind(f".//{COLLADA}instance_rigid_body"):
        assert [etree.QName(one).localname for one in body] == ["technique_common"]


def test_equal_limits_and_starts_outside_of_limits_are_told():
    first, second = arm(3).joints
    axis = dataclasses.replace(first.axes[0], lower=0.25, upper=0.25)
    joints = (dataclasses.replace(first, axes=(axis,)), second)
    robot = dataclasses.replace(arm(3, dof_values=(0.25, 9.0)), joints=joints)
    root, losses = saved(robot)
    (first_kind, first_loss), (second_kind, second_loss) = losses
    assert (first_kind, second_kind) == ("pyrave-only", "written-otherwise")
    assert "'turn1' of body 'arm' has equal limits: other programs hold" in first_loss
    assert "'turn2' of body 'arm' starts outside its limits" in second_loss
    assert same(read(root), (robot,))  # without a warning of our own


def test_what_only_pyrave_reads_is_told():
    data = XmlReadable(XmlElement("vendor"))
    geometry = GeometryDescription(Box((1.0, 1.0, 1.0)), readables=(("vendor", data),))
    link = LinkDescription(
        "base", geometries=(geometry,), readables=(("vendor", data),)
    )
    axis = JointAxis((0.0, 0.0, 1.0), lower=-1.0, upper=1.0, torque_limit=3.0)
    joint = JointDescription("j", "hinge", "base", "tip", axes=(axis,))
    body = BodyDescription("k", (link, LinkDescription("tip")), (joint,))
    root, losses = saved(
        dataclasses.replace(body, commands=("go",)),
        interfaces=(InterfaceDescription("module", "basemanipulation"),),
        background_color=(0.0, 0.0, 1.0),
        readables=(("vendor", data),),
    )
    alone, data_of = "are for pyrave alone", "data without a place in COLLADA"
    owners = [f"'vendor of a {kind}'" for kind in ("geometry", "link", "scene")]
    assert {kind for kind, _ in losses} == {"pyrave-only"}
    assert {message for _, message in losses} == {
        f"{data_of} {alone}: {', '.join(owners)}",
        f"torque limits of joints {alone}: 'j'",
        f"commands {alone}: 'k'",
        f"interfaces {alone}: 'module basemanipulation'",
        f"background colours {alone}",
    }
    (found,) = read(root)
    assert found.joints[0].axes[0].torque_limit == 3.0


def test_sensors_that_openrave_does_not_have_are_told():
    sensors = tuple(
        AttachedSensorDescription(name, "part0", interface=name)
        for name in ("BaseIMU", "BaseLaser2D")
    )
    _, losses = saved(arm(2, attached_sensors=sensors))
    ((kind, message),) = losses
    assert kind == "pyrave-only"
    assert message.startswith("OpenRAVE has no sensor of class 'BaseIMU'")


def test_references_start_where_openrave_looks_for_them(tmp_path):
    """Paths begin at the system referred to; a node's sid is that of its target."""
    env = pyrave.Environment()
    env.add_scene(SceneDescription((arm(3),)))
    env.save(tmp_path / "arm.dae")
    cell = pyrave.load(tmp_path / "arm.dae")
    cell.load(tmp_path / "arm.dae", rename=True)
    cell.robots[1].dof_values = [0.5, 0.25]
    cell.save(tmp_path / "cell.dae", expand=False)
    root = etree.parse(tmp_path / "cell.dae").getroot()
    paths = [one.text for one in root.iterfind(f".//{COLLADA}SIDREF")]
    assert paths
    assert all(path.startswith("body0_motion/body0_motion_") for path in paths)
    nodes = find(root, "library_visual_scenes/visual_scene/node/instance_node")
    assert [one.get("sid") for one in nodes] == ["node1", "node1"]
    binds = find(root, "scene/instance_kinematics_scene/bind_kinematics_model")
    assert [one.get("node") for one in binds] == ["visual0/node1", "visual1/node1"]
    assert pyrave.load(tmp_path / "cell.dae", strict=True).describe() == cell.describe()


def test_an_id_of_the_own_file_is_no_start_of_a_path_in_an_instance(tmp_path):
    """A copied robot and one that is referred to have systems of the same id."""
    env = pyrave.Environment()
    env.add_scene(SceneDescription((arm(3),)))
    env.save(tmp_path / "arm.dae")
    cell = pyrave.load(tmp_path / "arm.dae")
    cell.load(tmp_path / "arm.dae", rename=True)
    cell.robots[0].dof_velocity_limits = [0.5, 0.5]
    cell.robots[1].dof_values = [0.5, 0.25]
    cell.save(tmp_path / "cell.dae", expand=False)
    text = (tmp_path / "cell.dae").read_text()
    assert text.count('id="body0_motion"') == 1
    assert text.count('url="arm.dae#body0_motion"') == 1
    assert pyrave.load(tmp_path / "cell.dae", strict=True).describe() == cell.describe()


def test_a_file_without_bodies_has_its_scenes():
    """OpenRAVE loads no file that instantiates no kinematics scene: a sensor's, say."""
    sensor = InterfaceDescription("sensor", "BaseCamera", "eye")
    scene = SceneDescription(interfaces=(sensor,), root="sensor")
    data, losses = collada_bytes(scene, WriteContext())
    told = "interfaces are for pyrave alone: 'sensor BaseCamera'"
    assert [one.message for one in losses] == [told]
    root = etree.fromstring(data)
    by_id = {one.get("id"): one for one in root.iter() if one.get("id")}
    for kind in ("visual", "kinematics"):
        (instance,) = find(root, f"scene/instance_{kind}_scene")
        target = by_id[instance.get("url").removeprefix("#")]
        assert target.tag == f"{COLLADA}{kind}_scene"
    # the schema wants a node; one without geometries is no body
    (node,) = find(root, "library_visual_scenes/visual_scene/node")
    assert not len(node)
    context = ReadContext(resolver=Resolver(data_roots=(), use_environment=False))
    assert same(read_scene(io.BytesIO(data), [ColladaFormat()], context), scene)


def test_links_that_no_joint_carries_are_glued_to_the_base():
    """OpenRAVE gave their shapes to the base, no mass, and a place in the world."""
    box = GeometryDescription(Box((1.0, 2.0, 3.0)))
    heavy = Inertial(3.0, (0.1, 0.0, 0.0))
    links = (
        LinkDescription("a"),
        LinkDescription("b", pose=TURNED, geometries=(box,), inertial=heavy),
        LinkDescription("c", pose=TURNED @ TURNED),
    )
    axes = (JointAxis((0.0, 0.0, 1.0)),)
    joint = JointDescription("j", "hinge", "b", "c", TURNED, axes=axes)
    body = BodyDescription("w", links, (joint,), pose=TURNED)
    root, losses = saved(body)
    told = (
        "the link 'b' of body 'w', which no joint carries, hangs from 'a' by a fixed "
        "joint in other programs"
    )
    assert losses == [("written-otherwise", told)]
    model = "library_kinematics_models/kinematics_model/technique_common"
    assert len(find(root, f"{model}/link")) == 1
    (attached,) = find(root, f"{model}/link/attachment_full")
    assert attached.get("joint") == "kmodel0/joint2"
    assert numbers(attached, "translate") == pytest.approx(TURNED.translation)
    (below,) = find(attached, "link")
    assert below.get("name") == "b"
    (_, glue) = find(root, f"{model}/joint")
    # as OpenRAVE's files have joints that rest
    assert numbers(glue, "revolute/axis").tolist() == [0.0, 0.0, 0.0]
    assert numbers(glue, "revolute/limits/min").tolist() == [0.0]
    assert numbers(glue, "revolute/limits/max").tolist() == [0.0]
    # a transform of the node is bound to it, so that its shapes are the link's
    targets = [
        one.get("target")
        for one in find(root, "scene/instance_kinematics_scene/bind_joint_axis")
    ]
    assert targets == ["visual0/node_joint1_axis0", "visual0/node_joint2_axis0"]
    assert same(read(root), (body,))


def test_what_is_wholly_transparent_has_a_trace_of_a_surface():
    """OpenRAVE makes opaque what has nothing to see."""
    glass = Material((0.5, 0.5, 0.5), transparency=1.0)
    body = thing(GeometryDescription(Box((1.0, 1.0, 1.0)), material=glass))
    root, losses = saved(body)
    assert losses == []
    path = "library_effects/effect/profile_COMMON/technique/phong/transparency/float"
    assert 0.0 < numbers(root, path)[0] <= 1e-6
    assert same(read(root), (body,))


def test_joints_of_more_than_three_axes_rest_for_others():
    """OpenRAVE's joints have room for three; the values of others stay theirs."""
    free = tuple(
        JointAxis(tuple(map(float, row)), prismatic=slides)
        for slides in (True, False)
        for row in np.eye(3)
    )
    turn = (JointAxis((0.0, 0.0, 1.0)),)
    links = tuple(map(LinkDescription, "abc"))
    joints = (
        JointDescription("float", "compound", "a", "b", TURNED, axes=free),
        JointDescription("turn", "hinge", "b", "c", axes=turn),
    )
    values = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    body = RobotDescription("r", links, joints, dof_values=values)
    root, losses = saved(body)
    told = (
        "the 6-axis joint 'float' of body 'r' is one for pyrave alone: COLLADA has "
        "none, other programs see a joint that rests"
    )
    assert losses == [("pyrave-only", told)]
    model = "library_kinematics_models/kinematics_model/technique_common/joint"
    assert [len(find(one, "revolute")) for one in find(root, model)] == [1, 1]
    scene = "library_kinematics_scenes/kinematics_scene"
    written = numbers(root, f"{scene}/instance_articulated_system/newparam/float")
    assert written.tolist() == pytest.approx([0.0, math.degrees(0.7)])
    assert same(read(root), (body,))


@pytest.mark.parametrize("kind", ["universal", "hinge2"])
def test_types_of_joints_with_two_axes_are_told(kind):
    axes = JointAxis((1.0, 0.0, 0.0)), JointAxis((0.0, 1.0, 0.0))
    joint = JointDescription("j", kind, "a", "b", axes=axes)
    body = BodyDescription("w", (LinkDescription("a"), LinkDescription("b")), (joint,))
    root, losses = saved(body)
    told = (
        f"the {kind} joint 'j' of body 'w' is one of two axes without a name for its "
        "type, which moves in the same way"
    )
    assert losses == [("written-otherwise", told)]
    assert same(read(root), (body,))
