"""Habits of COLLADA's writers, each in a document of its own.

OpenRAVE, OpenHRP3, urdf_to_collada, CATIA, KDL and people write the same robot in ways
that the specification does not tell of; none of them may cost more than itself.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from collada_documents import Robot, box, document, problems, read, written

import pyrave

PHONG = """<library_effects><effect id="e"><profile_COMMON><technique sid="c"><phong>
{}</phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material>
</library_materials>"""
SHARE = "<transparency><float>{}</float></transparency>"
SHOWN = """<instance_geometry url="#geom0"><bind_material><technique_common>
<instance_material symbol="s" target="#m"/></technique_common></bind_material>
</instance_geometry>"""
MODEL = """<library_kinematics_models><kinematics_model id="k" name="gear">
<technique_common>{}</technique_common></kinematics_model></library_kinematics_models>
<library_kinematics_scenes><kinematics_scene id="ks">
<instance_kinematics_model url="#k" sid="k_inst">{}</instance_kinematics_model>
</kinematics_scene></library_kinematics_scenes>
<scene>{}<instance_kinematics_scene url="#ks">{}</instance_kinematics_scene></scene>"""


def joint(sid, axis="0 0 1", kind="revolute", limits=""):
    return (
        f'<joint sid="{sid}"><{kind} sid="axis0"><axis>{axis}</axis>{limits}'
        f"</{kind}></joint>"
    )


def hung(sid, below="", place=""):
    """Return a link behind a joint."""
    return (
        f'<attachment_full joint="k/{sid}">{place}<link sid="l_{sid}" name="l_{sid}">'
        f"{below}</link></attachment_full>"
    )


def model(joints, below, *, scene="", visual="", binds="", unit=None):
    """Return a document with a kinematics model and no articulated system."""
    common = f'{joints}<link sid="base" name="base">{below}</link>'
    body = scene + MODEL.format(common, "", visual, binds)
    return document(body, unit=unit or "<unit/>", tool="somebody")


def replaced(text, *pairs):
    text = str(text)
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def mesh(primitive, vertices="0 0 0 1 0 0 1 1 0 0 1 0"):
    """Return a document with one node that shows some polygons."""
    geometry = box("geom0")
    start, end = geometry.index("<triangles"), geometry.index("</mesh>")
    geometry = geometry[:start] + primitive + geometry[end:]
    geometry = geometry.replace("0 0 0 1 0 0 0 1 0", vertices)
    shown = ("", "", '<instance_geometry url="#shown"/>')
    return replaced(
        Robot(shown=shown), (box("geom0"), geometry.replace("geom0", "shown"))
    )


def shape(scene):
    (geometry,) = scene.bodies[0].links[2].geometries
    return geometry.shape.mesh


# -- XML ------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["mathml", "m"])
def test_prefixes_may_be_undeclared(prefix):
    formula = (
        "<formula><target><param>kmodel1/joint1</param></target><technique_common>"
        "<math:math><math:apply><math:times/><math:cn>2</math:cn><math:csymbol "
        'encoding="COLLADA">kmodel1/joint0</math:csymbol></math:apply></math:math>'
        "</technique_common></formula>"
    ).replace("math:", f"{prefix}:")
    declared = ' xmlns:math="http://www.w3.org/1998/Math/MathML"'
    (body,) = read(replaced(Robot(formula=formula), (declared, ""))).bodies
    (axis,) = body.joints[1].axes
    assert axis.mimic is not None
    assert "joint0" in axis.mimic.position


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig", "iso-8859-1"])
def test_documents_in_other_encodings(tmp_path, encoding):
    text = str(Robot()).replace('name="rover"', 'name="röver"')
    text = text[text.index("<COLLADA") :]
    declared = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>\n'
    path = tmp_path / "robot.dae"
    path.write_bytes((declared + text).encode(encoding))
    assert pyrave.read(path).bodies[0].name == "röver"


def test_an_empty_document_is_told_as_one(tmp_path):
    path = tmp_path / "empty.dae"
    path.write_text("<COLLADA/>")
    assert [one.code for one in pyrave.read(path).problems] == ["empty-scene"]


def test_comments_and_instructions_stand_anywhere():
    plain = read(Robot())
    noisy = replaced(
        Robot(),
        ("<axis>0 0 1</axis>", "<!-- turns --><axis><!-- z -->0 0 1</axis><?x y?>"),
        ("<technique_common>", "<technique_common><!-- <link/> --><?writer on?>"),
        ('<link sid="link2"', '<!-- the last --><link sid="link2"'),
    )
    assert read(noisy) == plain


def test_attributes_may_be_garbage():
    shown = ("", "", '<instance_geometry url="#geom0"/>')
    plain = Robot(shown=shown)
    wrong = replaced(plain, ('count="9"', 'count="9" digits="2490384" magnitude="-9"'))
    assert read(wrong) == read(plain)


def test_ids_may_repeat_and_be_empty():
    other = box("other").replace("other_vertices", "geom0_vertices")
    text = Robot(
        geometries=other.replace("1 0 0 0 1 0", "2 0 0 0 2 0"),
        shown=("", "", '<instance_geometry url="#other"/>'),
        libraries='<library_nodes id=""><node id=""/><node id=""/></library_nodes>',
    )
    # a mesh has its own vertices, whoever else goes by that id
    assert shape(read(text)).vertices.max() == 2.0


def test_vertices_may_be_named_by_a_malformed_url():
    text = Robot(shown=("", "", '<instance_geometry url="#geom0"/>'))
    wrong = replaced(text, ('source="#geom0_vertices"', 'source="#geom0/vertices"'))
    assert read(wrong) == read(text)


# -- units -----------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["<unit/>", "", '<unit meter="1" name="x"/>'])
def test_a_unit_that_says_nothing_is_a_metre(unit):
    assert read(Robot(unit=unit)) == read(Robot())


@pytest.mark.parametrize("meter", ["zero", "-1", "0", "inf"])
def test_a_unit_that_makes_no_sense_is_told(meter):
    text = Robot(unit=f'<unit meter="{meter}"/>')
    assert [code for code, _ in problems(text)] == ["bad-number"]
    assert read(text, strict=False).bodies == read(Robot()).bodies


def test_what_is_up_turns_nothing():
    turned = read(replaced(Robot(), ("Z_UP", "\n Y_UP\n ")))
    assert turned.bodies == read(Robot()).bodies


# -- joints ----------------------------------------------------------------------------


def test_an_axis_of_zeros_does_not_move():
    text = replaced(Robot(), ("<axis>0 0 1</axis>", "<axis>0 0 0</axis>"))
    joints = {one.name: one for one in read(text).bodies[0].joints}
    assert (joints["joint0"].type, joints["joint0"].axes) == ("fixed", ())
    assert joints["joint1"].type == "slider"


def test_a_joint_may_be_used_twice():
    scene = (
        f"<library_joints>{joint('turn').replace('sid=', 'id=', 1)}</library_joints>"
    )
    uses = "".join(
        f'<instance_joint url="#turn" sid="j{i}" name="j{i}"/>' for i in (1, 2)
    )
    text = model(uses, hung("j1", hung("j2")), scene=scene)
    (body,) = read(text).bodies
    assert [(one.name, one.parent, one.child) for one in body.joints] == [
        ("j1", "base", "l_j1"),
        ("j2", "l_j1", "l_j2"),
    ]


def test_a_link_below_two_joints_closes_a_loop():
    link = '<link sid="end" name="end"/>'
    both = "".join(
        hung(sid, f'<attachment_full joint="k/c_{sid}">{link}</attachment_full>')
        for sid in ("a", "b")
    )
    joints = "".join(joint(sid) for sid in ("a", "b", "c_a", "c_b"))
    (body,) = read(model(joints, both)).bodies
    assert [link.name for link in body.links] == ["base", "l_a", "end", "l_b"]
    assert [one.name for one in body.joints if one.child == "end"] == ["c_a", "c_b"]


def test_links_may_have_no_name_and_chains_may_end_in_a_frame():
    below = (
        '<attachment_full joint="k/a"><link><attachment_full joint="k/b">'
        "<translate>0 0 1</translate></attachment_full></link></attachment_full>"
    )
    (body,) = read(model(joint("a") + joint("b"), below)).bodies
    assert len({link.name for link in body.links}) == 2
    assert [one.name for one in body.joints] == ["a"]


def test_a_joint_that_is_not_there_costs_its_link_alone():
    text = model(joint("a"), hung("a") + hung("nothing"))
    assert [code for code, _ in problems(text)] == ["unresolved-reference"]
    (body,) = read(text, strict=False).bodies
    assert [one.name for one in body.joints] == ["a"]


# -- scenes ----------------------------------------------------------------------------


def test_a_model_needs_no_visual_scene():
    """As KDL's exporter has it."""
    limits = "<limits><min>-90</min><max>90</max></limits>"
    place = "<translate>0 0 2</translate>"
    text = model(joint("a", limits=limits), hung("a", place=place))
    (body,) = read(text).bodies
    assert body.links[1].pose.translation == (0.0, 0.0, 2.0)
    assert body.joints[0].axes[0].upper == pytest.approx(math.pi / 2)


def flat():
    """A tree of two joints whose nodes stand side by side, in millimetres (CATIA)."""
    turn, lift = '<rotate sid="{}">0 0 1 0</rotate>', "<translate>0 0 1000</translate>"
    nodes = (
        '<node id="n0" sid="n0"/>'
        f'<node id="n1" sid="n1">{lift}{turn.format("r1")}'
        '<instance_geometry url="#geom0"/></node>'
        f'<node id="n2" sid="n2">{lift}{turn.format("r2")}{lift}{turn.format("r3")}'
        '<instance_geometry url="#geom0"/></node>'
    )
    visual = (
        f"<library_geometries>{box('geom0')}</library_geometries>"
        '<library_visual_scenes><visual_scene id="v"><node id="top" sid="top">'
        f"{nodes}</node></visual_scene></library_visual_scenes>"
    )
    binds = (
        '<bind_kinematics_model node="top"><SIDREF>ks/k_inst</SIDREF>'
        "</bind_kinematics_model>"
    )
    for target, name in (("n1/r1", "a"), ("n2/r2", "a"), ("n2/r3", "b")):
        binds += (
            f'<bind_joint_axis target="top/{target}"><axis><SIDREF>k/{name}/axis0'
            "</SIDREF></axis><value><float>0</float></value></bind_joint_axis>"
        )
    return model(
        joint("a") + joint("b"),
        hung("a", hung("b", place=lift), place=lift),
        scene=visual,
        visual='<instance_visual_scene url="#v"/>',
        binds=binds,
        unit='<unit name="mm" meter="0.001"/>',
    )


def test_flat_trees_repeat_the_joints_in_front():
    (body,) = read(flat()).bodies
    assert [len(link.geometries) for link in body.links] == [0, 1, 1]
    assert body.links[2].pose.translation == pytest.approx((0, 0, 2))
    for link in body.links[1:]:
        (geometry,) = link.geometries
        matrix = geometry.pose.matrix
        np.testing.assert_allclose(matrix, np.eye(4), atol=1e-12)
        assert geometry.shape.mesh.vertices.max() == pytest.approx(1e-3)


def test_nodes_that_disagree_with_the_links_do_not_move_them():
    place = '<node id="node1" sid="node1"><translate>0 0 1'
    moved = replaced(Robot(), (place, place + ".14"))
    found, plain = read(moved).bodies[0], read(Robot()).bodies[0]
    assert [link.pose for link in found.links] == [link.pose for link in plain.links]


def test_a_value_that_leads_to_an_axis_is_no_value(tmp_path):
    text = replaced(
        Robot(values=(30.0, 0.0)),
        (
            "<value><param>kscene_kmodel1_inst_joint0.axis0_value",
            "<value><param>kscene_kmodel1_inst_joint0_axis0",
        ),
    )
    env = pyrave.load(written(tmp_path, "robot.dae", text))
    assert env.robots[0].dof_values[0] == 0.0


@pytest.mark.parametrize(("mass", "moments"), [("0", "0 0 0"), ("1e-10", "1 1 1")])
def test_placeholder_masses_are_kept(mass, moments):
    given = f"<mass>{mass}</mass><inertia>{moments}</inertia>"
    text = replaced(Robot(physics=""), ("<mass>2</mass>", given))
    inertial = read(text, strict=False).bodies[0].links[1].inertial
    assert inertial.mass == float(mass)


# -- what is shown ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shading", "diffuse", "transparency"),
    [
        ("<diffuse><color>1 0 0 0</color></diffuse>", (1, 0, 0), 0.0),
        (
            f"<diffuse><color>1 0 0 0</color></diffuse>{SHARE.format(0)}",
            (1, 0, 0),
            0.0,
        ),
        ("<diffuse><color>0 1 0 1 1</color></diffuse>", (0, 1, 0), 0.0),
        ("<diffuse><color>0 1.5 0 0.25</color></diffuse>", (0, 1.5, 0), 0.75),
        (
            """<ambient><color>0 0 0 0.5</color></ambient>
<diffuse><color>1 0 0</color></diffuse>""",
            (1, 0, 0),
            0.5,
        ),
        ('<diffuse><texture texture="t" texcoord="u"/></diffuse>', None, 0.0),
        (
            f"<diffuse><color>0 0 1 1</color></diffuse>{SHARE.format(0.75)}",
            (0, 0, 1),
            0.25,
        ),
    ],
    ids=[
        *("alpha 0", "all clear", "five numbers", "alpha", "ambient alpha"),
        *("texture", "glass"),
    ],
)
def test_colours(shading, diffuse, transparency):
    text = replaced(
        Robot(libraries=PHONG.format(shading), shown=("", "", SHOWN)),
        ('<triangles count="1">', '<triangles count="1" material="s">'),
    )
    (geometry,) = read(text, strict=False).bodies[0].links[2].geometries
    assert geometry.material.diffuse == diffuse
    assert geometry.material.transparency == pytest.approx(transparency)


INPUT = '<input semantic="VERTEX" source="#shown_vertices" offset="{}"/>'


@pytest.mark.parametrize(
    "primitive",
    [
        "<triangles count='2'>{}<p>0 1 2 0 2 3</p></triangles>",
        "<polylist count='1'>{}<vcount>4</vcount><p>0 1 2 3</p></polylist>",
        "<polygons count='1'>{}<p>0 1 2 3</p></polygons>",
        "<trifans count='1'>{}<p>0 1 2 3</p></trifans>",
        "<tristrips count='1'>{}<p>0 1 3 2</p></tristrips>",
    ],
    ids=["triangles", "polylist", "polygons", "fans", "strips"],
)
def test_polygons_of_every_kind(primitive):
    found = shape(read(mesh(primitive.format(INPUT.format(0)))))
    assert len(found.faces) == 2
    corners = found.vertices[found.faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    np.testing.assert_allclose(areas.sum(axis=0), (0, 0, 2))


def test_inputs_may_share_an_offset_and_stand_in_any_order():
    inputs = '<input semantic="NORMAL" source="#n" offset="0"/>' + INPUT.format(1)
    inputs += '<input semantic="TEXCOORD" source="#t" offset="0"/>'
    text = mesh(f"<triangles count='1'>{inputs}<p>9 0 9 1 9 2</p></triangles>")
    assert shape(read(text)).vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]


def test_holes_are_filled_and_told():
    holed = "<polygons count='1'>{}<ph><p>0 1 2 3</p><h>0 1 2</h></ph></polygons>"
    text = mesh(holed.format(INPUT.format(0)))
    assert any("hole" in message for _, message in problems(text))
    assert len(shape(read(text, strict=False)).faces) == 2


def test_many_fans_are_one_geometry():
    fan = f"<trifans count='1'>{INPUT.format(0)}<p>0 1 2 3</p></trifans>"
    assert len(shape(read(mesh(50 * fan))).faces) == 100


def test_corners_of_their_own_are_welded():
    """OpenRAVE's writer gives each triangle its own vertices."""
    corners = "0 0 0 1 0 0 1 1 0 0 0 0 1 1 0 0 1 0"
    text = mesh(
        f"<triangles count='2'>{INPUT.format(0)}<p>0 1 2 3 4 5</p></triangles>",
        corners,
    )
    assert len(shape(read(text)).vertices) == 4


def test_welding_keeps_the_order_of_the_file_where_parts_are_mirrored():
    """Corners that differ in two signs alone are many in symmetric parts."""
    corners = "1 2 3 -1 -2 3 -1 2 -3 -1 -2 3 1 2 3 1 -2 -3"
    text = mesh(
        f"<triangles count='2'>{INPUT.format(0)}<p>0 1 2 3 4 5</p></triangles>",
        corners,
    )
    found = shape(read(text))
    wanted = [[1, 2, 3], [-1, -2, 3], [-1, 2, -3], [1, -2, -3]]
    assert found.vertices.tolist() == wanted
    assert found.faces.tolist() == [[0, 1, 2], [1, 0, 3]]


def test_lines_are_passed_over():
    lines = f"<lines count='1'>{INPUT.format(0)}<p>0 1</p></lines>"
    triangle = f"<triangles count='1'>{INPUT.format(0)}<p>0 1 2</p></triangles>"
    assert len(shape(read(mesh(lines + triangle), strict=False)).faces) == 1
