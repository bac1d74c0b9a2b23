"""Differences of OpenRAVE's format page and its reader: both sides are read.

What only the page has is read as it says where that has a meaning, else it is told
that nothing uses it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyrave

AB = "<body name='a'/><body name='b'/>"
ENDS = "<body>a</body><body>b</body>"
AXIS = "<axis>0 0 1</axis>"


def codes(scene):
    return [problem.code for problem in scene.problems]


@pytest.mark.parametrize("tag", ["bkgndcol", "bkgndcolor", "BkgndColor"])
def test_background_colour_has_two_names(read, tag):
    scene = read(f"<environment><{tag}>0.5 0 1</{tag}></environment>")
    assert scene.background_color == (0.5, 0, 1)
    assert codes(scene) == []


def test_old_camera_rotation_is_half_a_turn_apart(read):
    def rotation(tag):
        scene = read(f"<environment><{tag}>0 1 0 90</{tag}></environment>")
        return np.reshape(scene.camera.pose.rotation, (3, 3)), codes(scene)

    new, nothing = rotation("camrotationaxis")
    old, told = rotation("camrotaxis")
    np.testing.assert_allclose(old, new @ np.diag((1, -1, -1)), atol=1e-15)
    assert (nothing, told) == ([], ["deprecated-tag"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("probleminstance", "module"),
        ("problem", "module"),
        ("server", "module"),
        ("inversekinematicssolver", "iksolver"),
        ("module", "module"),
        ("spacesampler", "spacesampler"),
    ],
)
def test_old_and_new_names_of_interfaces(read, old, new):
    for text in (f"<{old} type='x'/>", f"<Environment><{old} type='x'/></Environment>"):
        assert [item.type for item in read(text).interfaces] == [new]


def test_unit_and_plugin_are_read(read):
    text = (
        "<environment><unit name='mm' scale='0.001'/><plugin>x</plugin></environment>"
    )
    scene = read(text)
    assert scene.unit == ("mm", 0.001)
    assert [plugin.name for plugin in scene.plugins] == ["x"]


def test_planes_are_told_and_have_no_shape(read):
    text = "<kinbody name='k'><body name='a'><geom type='plane'/></body></kinbody>"
    scene = read(text)
    (problem,) = scene.problems
    assert problem.code == "unknown-geometry-type"
    assert problem.hint == "OpenRAVE reads no planes; use a thin box"
    assert scene.bodies[0].links[0].geometries[0].shape.type == "none"


@pytest.mark.parametrize(
    "content",
    [
        "type='none'>",
        "type='box'><extents>1 1 1</extents>",
        "type='sphere'><radius>1</radius>",
        "type='cylinder'><radius>1</radius><height>1</height>",
        "type='capsule'><radius>1</radius><height>1</height>",
        "type='trimesh'><vertices>0 0 0 1 0 0 0 1 0</vertices>",
        (
            "type='container'><outer_extents>2 2 2</outer_extents>"
            "<inner_extents>1 1 1</inner_extents>"
        ),
        (
            "type='cage'><extents>1 1 1</extents><sidewall><transf>1 0 0 0 1 2 3"
            "</transf><vextents>1 1 1</vextents><type>nx</type></sidewall>"
        ),
        "type='prism'><crosssection>0 0 1 0 1 1</crosssection><height>1</height>",
    ],
)
def test_geometries_of_the_page_and_of_the_code(read, content):
    scene = read(
        f"<kinbody name='k'><body name='a'><geom {content}</geom></body></kinbody>"
    )
    assert codes(scene) == []
    kind = content.split("'")[1]
    assert scene.bodies[0].links[0].geometries[0].shape.type == kind


def test_mass_of_the_page_is_told_apart_from_custom(read):
    # The page gives a mimicgeom mass an inertia and a centre, which OpenRAVE drops.
    values = "<total>4</total><inertia>2 0 0 0 3 0 0 0 5</inertia><com>1 0 0</com>"
    box = "<geom type='box'><extents>1 1 1</extents></geom>"

    def inertial(kind):
        scene = read(
            f"<kinbody name='k'><body name='a'><mass type='{kind}'>{values}</mass>{box}"
            "</body></kinbody>"
        )
        found = scene.bodies[0].links[0].inertial
        return found.mass, found.com[0], found.inertia[8], codes(scene)

    assert inertial("custom") == (4, 1, 5, [])
    mass, com, moment, told = inertial("mimicgeom")
    assert (mass, com, told) == (4, 0, ["mass-values-unused"])
    assert moment == pytest.approx(8 / 3)


@pytest.mark.parametrize("tag", ["mass", "total"])
def test_a_total_mass_has_two_names(only_body, tag):
    mass = f"<mass type='sphere'><{tag}>5</{tag}></mass>"
    assert only_body(f"<body name='a'>{mass}</body>").links[0].inertial.mass == 5


def test_custom_masses_are_for_bodies(read):
    scene = read(f"<kinbody name='k'><mass type='custom'/>{AB}</kinbody>")
    assert codes(scene) == ["unknown-mass-type"]


@pytest.mark.parametrize(("numbers", "found"), [("2", (2, 10)), ("2 3", (2, 3))])
def test_velocities_are_for_each_degree_of_freedom(only_body, numbers, found):
    axes = "<axis1>0 0 1</axis1><axis2>1 0 0</axis2>"
    joint = (
        f"<joint name='j' type='universal'>{ENDS}{axes}<maxvel>{numbers}</maxvel>"
        "<resolution>2</resolution></joint>"
    )
    axes = only_body(AB + joint).joints[0].axes
    assert tuple(axis.velocity_limit for axis in axes) == found
    assert {axis.resolution for axis in axes} == {math.radians(2)}


@pytest.mark.parametrize("tag", ["maxforce", "mode", "axis3"])
def test_tags_of_angular_motors_are_told(read, tag):
    joint = f"<joint name='j'>{ENDS}{AXIS}<{tag}>1</{tag}></joint>"
    assert codes(read(f"<kinbody name='k'>{AB}{joint}</kinbody>")) == ["unused-tag"]


def test_only_the_bodies_of_a_joint_match_without_case(only_body, read):
    joint = f"<joint name='j'><body>A</body><body>B</body>{AXIS}</joint>"
    assert only_body(AB + joint).joints[0].parent == "a"
    scene = read(
        f"<kinbody name='k'>{AB}<body name='c'><offsetfrom>A</offsetfrom></body>"
        "</kinbody>"
    )
    told = [(one.code, one.hint) for one in scene.problems]
    assert ("unknown-link", "did you mean 'a'?") in told


def test_meshes_are_near_the_file_in_modelsdir_or_below_a_root(only_body, tmp_path):
    for folder in ("scene", "scene/models", "root"):
        (tmp_path / folder).mkdir()
    body = (
        "<modelsdir>models</modelsdir><body name='a'><geom type='trimesh'>"
        "<data>m.stl</data></geom></body>"
    )

    def found():
        scene, root = tmp_path / "scene", tmp_path / "root"
        link = only_body(body, folder=scene, roots=[root]).links[0]
        return link.geometries[0].shape.mesh.uri

    for folder in ("root", "scene", "scene/models"):
        (tmp_path / folder / "m.stl").write_bytes(b"")
        assert found() == str(tmp_path / folder / "m.stl")


def test_appending_moves_the_frame_of_a_body(only_body):
    body = only_body(
        "<body name='o'/><body name='a'><translation>1 0 0</translation></body>"
        "<body name='a'><translation>0 2 0</translation></body>"
    )
    assert body.links[1].pose.translation == (1, 2, 0)


def test_manipulator_tags_of_the_page(read):
    def manipulator(content):
        scene = read(
            f"<robot name='r'><kinbody>{AB}<body name='c'/>"
            f"<joint name='j'>{ENDS}{AXIS}</joint>"
            f"<joint name='f'><body>b</body><body>c</body>{AXIS}</joint></kinbody>"
            f"<manipulator name='m'><base>a</base><effector>b</effector>{content}"
            "</manipulator></robot>"
        )
        return scene.bodies[0].manipulators[0], codes(scene)

    for tag in ("joints", "gripperjoints"):
        assert manipulator(f"<{tag}>f</{tag}>")[0].gripper_joints == ("f",)
    for tag in ("closingdirection", "closingdir", "chuckingdirection"):
        found, told = manipulator(f"<joints>f</joints><{tag}>-0.2</{tag}>")
        assert (found.chucking_direction, told) == ((-1,), [])
    found, told = manipulator("<palmdirection>2 0 0</palmdirection>")
    assert (found.direction, told) == ((1, 0, 0), ["deprecated-tag"])
    found, told = manipulator("<direction>0 2 0</direction>")
    assert (found.direction, told) == ((0, 1, 0), [])
    for tag in ("armjoints", "closed", "opened", "ikchainend"):
        assert manipulator(f"<{tag}>f</{tag}>")[1] == ["unused-tag"]


def test_mimic_in_the_old_and_the_new_form(read):
    def formula(attributes):
        joints = f"<joint name='i'>{ENDS}{AXIS}</joint><body name='c'/>"
        joints += (
            f"<joint name='j' {attributes}><body>b</body><body>c</body>{AXIS}</joint>"
        )
        scene = read(f"<kinbody name='k'>{AB}{joints}</kinbody>")
        return scene.bodies[0].joints[1].axes[0].mimic, codes(scene)

    old, told = formula("mimic='i 2 0.5'")
    assert (old.position, told) == ("2.0*i+0.5", ["deprecated-attribute"])
    assert formula("mimic='i'")[0].position == "1.0*i+0.0"
    new, told = formula("mimic_pos='2*i' mimic_vel='|i 2' mimic_accel='|i 0'")
    assert ((new.position, new.velocity, new.acceleration), told) == (
        ("2*i", "|i 2", "|i 0"),
        [],
    )
    assert formula("MIMIC_POS_0='2*i'")[0].position == "2*i"


@pytest.mark.parametrize("scale", ["0.5", "0.5 0.5 0.5"])
@pytest.mark.parametrize(
    "form", ["<{0}>m.stl {1}</{0}>", "<{0} file='m.stl' scale='{1}'/>"]
)
def test_mesh_tags_take_one_number_or_three_as_text_or_attributes(
    only_body, form, scale
):
    for tag in ("data", "collision", "render"):
        mesh = form.format(tag, scale)
        body = only_body(f"<body name='a'><geom type='trimesh'>{mesh}</geom></body>")
        found = body.links[0].geometries[0].shape.mesh
        assert (found.written, found.scale) == ("m.stl", (0.5, 0.5, 0.5))


def test_attributes_of_a_mesh_tag_win_over_its_text(only_body):
    mesh = "<render file='b.stl' scale='2'>a.stl 3</render>"
    body = only_body(f"<body name='a'><geom type='trimesh'>{mesh}</geom></body>")
    found = body.links[0].geometries[0].shape.mesh
    assert (found.written, found.scale) == ("b.stl", (2, 2, 2))


def test_arguments_of_sensors_are_deprecated(read):
    scene = read("<environment><sensor type='L' args='x'/></environment>")
    assert codes(scene) == ["deprecated-attribute"]


@pytest.mark.parametrize("kind", ["kinbody", "robot"])
def test_duplicate_names_are_errors(refuse, kind):
    body = f"<{kind} name='x'/>"
    (problem,) = refuse(f"<environment>{body}{body}</environment>")
    assert problem.code == "duplicate-name"


def test_the_arm_of_the_page():
    """The page's planar arm, with its mixed case, loads and moves."""
    link = "<Geom type='box'><Extents>0.08 0.005 0.01</Extents></Geom>"
    bodies = "<Body name='Base' type='dynamic'/>"
    for i, parent in enumerate(("Base", "Arm0", "Arm1")):
        bodies += (
            f"<Body name='Arm{i}' type='dynamic'><offsetfrom>{parent}</offsetfrom>"
            f"<Translation>{0.14 if i else 0} 0.01 0</Translation>{link}</Body>"
            f"<Joint circular='true' name='Arm{i}' type='hinge'><Body>{parent}</Body>"
            f"<Body>Arm{i}</Body><offsetfrom>Arm{i}</offsetfrom><weight>4</weight>"
            "<limitsdeg>-180 180</limitsdeg><axis>0 1 0</axis><maxvel>3</maxvel>"
            "<resolution>1</resolution></Joint>"
        )
    env = pyrave.load_string(
        f"<Robot name='3DOFRobot'><KinBody>{bodies}<transparency>0.1</transparency>"
        "</KinBody><Manipulator name='arm'><effector>Arm2</effector><base>Base</base>"
        "<armjoints>Arm0 Arm1 Arm2</armjoints><palmdirection>1 0 0</palmdirection>"
        "<Translation>0.125 0 0</Translation></Manipulator></Robot>"
    )
    robot = env.robots["3DOFRobot"]
    assert robot.dof == 3
    assert robot.manipulators["arm"].arm_indices.tolist() == [0, 1, 2]
    robot.dof_values = [math.pi / 2, 0, 0]
    tip = robot.manipulators["arm"].transform[:3, 3]
    np.testing.assert_allclose(tip, (0, 0.03, -0.405), atol=1e-15)
