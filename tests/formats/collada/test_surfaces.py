"""Friction and restitution in COLLADA: physics materials of links, and pairs."""

from __future__ import annotations

import dataclasses

import pytest
from collada_bodies import arm
from collada_documents import Robot, again, problems, read
from dwc_texts import BALL, BOX, CELL, MATERIALS

import pyrave
from pyrave.scene import (
    ContactMaterial,
    ContactProperties,
    Friction,
    Restitution,
    SceneDescription,
    same,
)

STEEL = (
    "<static_friction>0.4</static_friction><dynamic_friction>0.1</dynamic_friction>"
    "<restitution>0.25</restitution>"
)
OWN = (
    '<physics_material name="own"><technique_common><static_friction>1'
    "</static_friction></technique_common></physics_material>"
)
RUBBER = "<static_friction>0.9</static_friction>"


def robot(*, steel=STEEL, rubber=RUBBER, links=None, unit=None):
    """Return a document with two physics materials and links that have them."""
    libraries = "".join(
        f'<physics_material id="m{number}" name="{name}"><technique_common>{content}'
        "</technique_common></physics_material>"
        for number, (name, content) in enumerate([("steel", steel), ("rubber", rubber)])
    )
    text = str(
        Robot(
            physics="",
            libraries=f"<library_physics_materials>{libraries}"
            "</library_physics_materials>",
        )
    )
    for mass, content in (links or {1: use("m0"), 2: use("m1")}).items():
        text = text.replace(f"<mass>{mass}</mass>", f"<mass>{mass}</mass>{content}")
    return text


def use(key):
    return f'<instance_physics_material url="#{key}"/>'


def shape(content):
    return f"<shape>{content}<box><half_extents>1 1 1</half_extents></box></shape>"


def classes(scene, body="rover"):
    (found,) = (one for one in scene.bodies if one.name == body)
    return [(link.material, link.object_type) for link in found.links]


def test_links_have_physics_materials():
    scene = read(robot())
    assert classes(scene) == [("steel", "steel"), ("rubber", ""), ("", "")]
    # what no joint carries has the material of its rigid body, too
    assert classes(scene, "ball") == [("steel", "steel")]
    found = scene.contact_properties
    assert [one.name for one in found.materials] == ["steel", "rubber"]
    assert [one.name for one in found.object_types] == ["steel"]
    assert found.restitution == (Restitution("steel", "steel", 0.25),)
    sliding = (("Mud", (0.1,)),)
    assert found.friction[0] == Friction("steel", "steel", 0.4, parameters=sliding)
    pair = found.friction[1]
    assert (pair.first, pair.second) == ("steel", "rubber")
    assert pair.coefficient == pytest.approx(0.6)
    assert pair.parameters == (("Mud", (pytest.approx(0.3),)),)


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (shape(use("m1")), "rubber"),
        (use("m0") + shape(use("m1")), "steel"),
        (shape(use("m1")) + shape(use("m1")), "rubber"),
        (shape(""), ""),
        (
            OWN,
            "own",
        ),
    ],
)
def test_materials_stand_in_bodies_and_shapes(content, wanted):
    assert classes(read(robot(links={2: content})))[1][0] == wanted


def test_instances_of_rigid_bodies_have_the_last_word():
    one = '<instance_rigid_body body="rigid_link1" target="#node1"/>'
    own = one.replace(
        "/>",
        f"><technique_common>{use('m0')}</technique_common></instance_rigid_body>",
    )
    assert classes(read(robot().replace(one, own)))[1] == ("steel", "steel")


def test_materials_that_no_link_has_make_no_pairs():
    found = read(robot(links={2: use("m1")})).contact_properties
    assert [one.name for one in found.materials] == ["rubber"]
    assert len(found.friction) == 1
    assert not found.object_types


def test_materials_of_one_name_stay_two():
    text = robot().replace('name="rubber"', 'name="steel"')
    assert classes(read(text))[:2] == [("steel", "steel"), ("steel_2", "")]


def test_what_is_not_said_is_no_coefficient():
    assert classes(read(robot(steel="")))[0] == ("", "")
    sliding = "<dynamic_friction>0.3</dynamic_friction>"
    found = read(robot(steel=sliding, links={1: use("m0")})).contact_properties
    assert found.friction == (Friction("steel", "steel", 0.3),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "<static_friction>-0.5</static_friction>",
            "<static_friction> is -0.5, expected 0 or more; it is ignored",
        ),
        (
            "<dynamic_friction>NaN</dynamic_friction>",
            "<dynamic_friction> holds 'NaN', expected 1 number; it is ignored",
        ),
        (
            "<restitution>1.5</restitution>",
            "<restitution> is 1.5, expected 0 to 1; it is ignored",
        ),
        (
            "<restitution>0 1</restitution>",
            "<restitution> holds '0 1', expected 1 number; it is ignored",
        ),
    ],
)
def test_wrong_coefficients_are_ignored(content, message):
    assert problems(robot(steel=content)) == [("bad-number", message)]
    assert classes(read(robot(steel=content), strict=False))[0] == ("", "")


@pytest.mark.parametrize("key", ["m9", "kmodel1"])
def test_materials_that_are_not_there_are_reported(key):
    wrong = robot(links={2: use(key)})
    message = (
        f"the physics material '#{key}' is not found; <instance_physics_material> is "
        "left out"
    )
    assert problems(wrong) == [("unresolved-reference", message)]


def test_a_link_has_one_material():
    wrong = robot(links={2: shape(use("m1")) + shape(use("m0"))})
    (problem,) = problems(wrong)
    assert problem[0] == "several-materials"
    assert "'rubber'" in problem[1]
    assert classes(read(wrong, strict=False))[1] == ("rubber", "")


def test_tables_are_no_larger_than_they_may_be():
    parts = "".join(
        f'<rigid_body sid="r{number}"><technique_common><physics_material>'
        "<technique_common><static_friction>0.5</static_friction></technique_common>"
        "</physics_material></technique_common></rigid_body>"
        for number in range(300)
    )
    uses = "".join(
        f'<instance_rigid_body body="r{number}" target="#n{number}"/>'
        for number in range(300)
    )
    nodes = "".join(
        f'<node id="n{number}"><instance_geometry url="#geom0"/></node>'
        for number in range(300)
    )
    text = str(Robot(physics=""))
    for mark, more in (
        ("</physics_model>", parts),
        ("</instance_physics_model>", uses),
        ("</visual_scene>", nodes),
    ):
        text = text.replace(mark, more + mark, 1)
    scene = read(text, strict=False)
    assert [one.code for one in scene.problems] == ["too-many-materials"]
    assert len(scene.contact_properties.materials) == 256


# -- written ---------------------------------------------------------------------------


def test_what_is_read_is_written_for_others():
    scene = read(robot())
    made, losses = again(scene, exact=False)
    assert losses == set()
    assert same(made.contact_properties, scene.contact_properties)
    assert classes(made) == classes(scene)


def sliding_arm(properties, *materials, **links):
    body = arm(3)
    made = tuple(
        dataclasses.replace(link, material=material, **links)
        for link, material in zip(body.links, materials, strict=True)
    )
    body = dataclasses.replace(body, links=made)
    return SceneDescription((body,), contact_properties=properties)


def test_pairs_of_their_own_are_for_pyrave_alone():
    properties = ContactProperties(
        (ContactMaterial("ice", "cold"), ContactMaterial("wood")),
        friction=(
            Friction("ice", "ice", 0.04),
            Friction("wood", "wood", 0.25),
            Friction("wood", "ice", 0.8),
            Friction("ice", "ice", 0.1, "Stribeck"),
        ),
    )
    scene = sliding_arm(properties, "ice", "wood", "ice")
    made, losses = again(scene)
    assert same(made, scene)
    assert losses == {
        "friction coefficients are for pyrave alone: 'wood on ice', 'ice on ice'",
        "descriptions of materials are for pyrave alone: 'ice'",
    }
    plain, _ = again(scene, exact=False)
    found = {
        frozenset((one.first, one.second)): one.coefficient
        for one in plain.contact_properties.friction
    }
    assert found == {
        frozenset(("ice",)): 0.04,
        frozenset(("wood",)): 0.25,
        frozenset(("ice", "wood")): pytest.approx(0.1),
    }


def test_materials_of_which_only_pairs_are_known_have_no_coefficient():
    properties = ContactProperties(
        (ContactMaterial("ice"), ContactMaterial("wood")),
        friction=(Friction("wood", "ice", 0.8),),
    )
    scene = sliding_arm(properties, "ice", "wood", "ice")
    made, losses = again(scene)
    assert same(made, scene)
    alone = "are for pyrave alone"
    assert losses == {
        f"contact materials {alone}: 'ice', 'wood'",
        f"friction coefficients {alone}: 'wood on ice'",
        f"materials and object types of links {alone}: 'part0', 'part1', 'part2'",
    }


def test_defaults_are_what_links_have():
    properties = ContactProperties(
        (ContactMaterial("ice"),),
        (ContactMaterial("hard"),),
        (Friction("ice", "ice", 0.04),),
        (Restitution("hard", "hard", 0.5),),
        "ice",
        "hard",
    )
    scene = sliding_arm(properties, "", "", "")
    made, losses = again(scene)
    assert same(made, scene)
    assert losses == set()
    plain, _ = again(scene, exact=False)
    assert classes(plain, "arm") == [("ice", "ice")] * 3
    assert plain.contact_properties.restitution[0].coefficient == 0.5


def test_dynamic_workcells_go_through_collada(tmp_path):
    pairs = "".join(
        f'<Pair first="{a}" second="{b}"><FrictionData type="Coulomb"><Mu>{mu}</Mu>'
        f"<Mud>{mu / 2}</Mud></FrictionData></Pair>"
        for a, b, mu in (
            ("Plastic", "Plastic", 0.4),
            ("Ice", "Ice", 0.1),
            ("Ice", "Plastic", 0.2),
        )
    )
    ball = BALL.replace("<Integrator>", "<MaterialID>Ice</MaterialID><Integrator>")
    bounce = (
        '<ContactMap><Pair first="hard" second="hard"><ContactData type="Newton">'
        "<cr>0.3</cr></ContactData></Pair></ContactMap>"
    )
    (tmp_path / "cell.wc.xml").write_text(CELL)
    (tmp_path / "in.dwc.xml").write_text(
        f'<DynamicWorkCell workcell="cell.wc.xml">{MATERIALS}<FrictionMap>{pairs}'
        f"</FrictionMap>{bounce}{BOX}{ball}</DynamicWorkCell>"
    )
    first = pyrave.load(tmp_path / "in.dwc.xml")
    losses = first.save(tmp_path / "out.dae")
    assert not [one for one in losses if "riction" in one]
    assert b"<dynamic_friction>0.05<" in (tmp_path / "out.dae").read_bytes()
    between = pyrave.load(tmp_path / "out.dae", strict=True)
    between.save(tmp_path / "out.dwc.xml")
    second = pyrave.load(tmp_path / "out.dwc.xml")
    assert second.contact_properties == first.contact_properties
    for env in (between, second):
        assert env.bodies["Ball"].links[0].material == "Ice"
        assert env.bodies["Box"].links[0].material == "Plastic"


def test_bodies_of_other_files_bring_their_materials(tmp_path):
    (tmp_path / "robot.dae").write_text(robot())
    env = pyrave.load(tmp_path / "robot.dae#body1_motion")
    assert env.bodies["rover"].links[0].material == "steel"
    env.save(tmp_path / "scene.dae", expand=False)
    assert b"physics_material" not in (tmp_path / "scene.dae").read_bytes()
    again = pyrave.load(tmp_path / "scene.dae", strict=True)
    assert same(again.contact_properties, env.contact_properties)
    links = again.bodies["rover"].links
    assert [one.material for one in links] == ["steel", "rubber", ""]
