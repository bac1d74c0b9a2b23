"""Scenes written as Dynamic WorkCells: what reads back equal, and what is lost."""

from __future__ import annotations

import io

import numpy as np
import pytest
from dwc_texts import (
    ARM,
    BALL,
    BOX,
    CELL,
    ESTIMATED,
    LIMITS,
    MASS,
    MATERIALS,
    PD,
    RIGID,
    TIE,
    write_scene,
)
from lxml import etree

import pyrave
from pyrave.formats import WriteContext
from pyrave.scene import (
    BodyDescription,
    ConstraintDescription,
    ContactMaterial,
    ContactProperties,
    ControllerDescription,
    Friction,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    LinkReference,
    Material,
    Pose,
    Restitution,
    RobotDescription,
    SceneDescription,
    SimulationDescription,
    Sphere,
    same,
)
from pyrave_workcell.dynamics.format import DynamicWorkCellFormat

BALL_SHAPE = (
    GeometryDescription(Sphere(0.1), "a", material=Material(diffuse=(0.6, 0.6, 0.6))),
)
HINGE = (JointAxis((0.0, 0.0, 1.0)),)
CASES = {
    "bodies": '<FixedBody frame="Floor"/>' + BOX + BALL,
    "kinematic body": '<KinematicBody frame="Empty"><MaterialID>Ice</MaterialID>'
    "</KinematicBody>",
    "estimated": RIGID.format("Box", ESTIMATED + '<Associate object="Lid"/>'),
    "whole inertia": RIGID.format(
        "Ball",
        "<Mass>2</Mass><COG>0.1 0 0</COG><Inertia>3 .1 .2 .1 4 .3 .2 .3 5</Inertia>",
    ),
    "properties": RIGID.format(
        "Ball",
        MASS
        + '<Property name="LinearDamping" type="float">0.1</Property>'
        + '<Property name="Conveyor" type="Q">0.1 0 0.2</Property>'
        + '<Property name="other" type="int">3</Property>',
    ),
    "materials": MATERIALS
    + '<FrictionMap><Pair first="Ice" second="Plastic"><FrictionData type="Coulomb">'
    "<Mu>0.1</Mu><Mud>0.05</Mud></FrictionData><FrictionData type="
    '"Stribeck"><muS>0.1</muS></FrictionData></Pair></FrictionMap>'
    '<ContactMap><Pair first="hard" second="hard"><ContactData type="Newton"><cr>0.3'
    "</cr></ContactData></Pair></ContactMap>"
    + RIGID.format("Ball", MASS + "<MaterialID>Ice</MaterialID>"),
    "engine": '<PhysicsEngine><Property name="StepMethod">WorldStep</Property>'
    '<Property name="WorldCFM" type="float">1e-5</Property>'
    '<Property name="both" type="Q">1 2</Property></PhysicsEngine>'
    "<Gravity>0 0 -9.82</Gravity>",
    "rigid device": ARM,
    "kinematic device": '<KinematicDevice device="Arm"><FixedBase frame="Base"/>'
    f'<Link object="J0">{ESTIMATED}</Link></KinematicDevice>',
    "kinematic device without links": '<KinematicDevice device="Arm">'
    '<FixedBase frame="Base"/></KinematicDevice>',
    "device on another": ARM
    + '<RigidDevice device="Grip"><RefBase body="Arm.J0"/><ForceLimit joint="J0">3'
    f'</ForceLimit><Link object="J0">{MASS}</Link></RigidDevice>',
    "device on a body": BOX + f'<RigidDevice device="Arm">{LIMITS}<RefBase body="Box"/>'
    f'<Link object="J0">{MASS}</Link><RigidJoint joint="J1">{MASS}</RigidJoint>'
    "</RigidDevice>",
    "constraint": BOX
    + BALL
    + '<Constraint name="c" type="PrismaticUniversal" parent="Box" child="Ball">'
    "<Transform3D><Pos>0.1 0.2 0.3</Pos><RPY>0.1 0.2 0.3</RPY></Transform3D>"
    '<Limits><Limit low="-1"/><Limit low="-2" high="3"/></Limits>'
    "<Spring><Compliance>1 2 3 4 5 6 7 8 9</Compliance></Spring></Constraint>",
    "sensors": ARM + '<FTSensor name="ft" body="Arm.Base" body1="Arm.J0"/>'
    '<FTSensor name="at" body="Arm.Base" body1="Arm.J0"><RefFrame>Arm.TCP</RefFrame>'
    '</FTSensor><BodyContactSensor name="touch" body="Arm.J0"/>'
    '<TactileArraySensor frame="Arm.J0"><Name>skin</Name><Pos>0 0 0.1</Pos>'
    "<RPY>10 20 30</RPY><TexelArray>1 2</TexelArray><TexelHeightMap>0 1 2 3 4 5"
    "</TexelHeightMap><TexelSize>0.01 0.02</TexelSize><MaxForce>200</MaxForce>"
    "<MinForce>1</MinForce></TactileArraySensor>",
    "controllers": ARM
    + PD.format("10 0.1")
    + '<PoseDeviceController name="pose" device="Arm"><TimeStep>0.1</TimeStep>'
    '</PoseDeviceController><SerialDeviceController name="queue" device="Arm"/>'
    '<SpringJointController name="spring" device="Arm"><SpringParams>-1 -2 0.1'
    "</SpringParams><TimeStep>0</TimeStep></SpringJointController>",
    "suction cup": '<SuctionCup name="cup"><RigidBase frame="Box">'
    f"{MASS}<Integrator>Euler</Integrator></RigidBase>"
    f'<End frame="Ball">{MASS}<Integrator>Heun</Integrator></End>'
    "<Radius>0.02</Radius><Height>0.03</Height>"
    "<SpringParamsOpen>1 2 3 4 5</SpringParamsOpen>"
    "<SpringParamsClosed>6 7 8 9 10</SpringParamsClosed>"
    "<Offset><Pos>0 0 0.1</Pos></Offset></SuctionCup>",
}


@pytest.mark.parametrize("case", CASES)
def test_what_robwork_says_reads_back_equal(case, tmp_path):
    materials = "" if case == "materials" else MATERIALS
    path = write_scene(tmp_path, CASES[case], materials)
    again = tmp_path / "again.dwc.xml"
    scene = pyrave.read(path)
    losses = pyrave.convert(path, again)
    assert losses == ()
    assert same(scene, pyrave.read(again))


def test_a_second_time_the_text_is_the_same(tmp_path):
    path = write_scene(tmp_path, f"{BOX}{BALL}{ARM}{TIE}")
    again = tmp_path / "again.dwc.xml"
    pyrave.convert(path, again)
    texts = [(tmp_path / f"again{one}").read_text() for one in (".wc.xml", ".dwc.xml")]
    pyrave.convert(again, again)
    assert texts == [
        (tmp_path / f"again{one}").read_text() for one in (".wc.xml", ".dwc.xml")
    ]


# -- what came from elsewhere ----------------------------------------------------------


def _robot(**others):
    axis = JointAxis((0.0, 1.0, 0.0), torque_limit=7.0)
    pose = Pose.from_translation(0.0, 0.0, 0.3)
    joints = (
        JointDescription("turn", "hinge", "base", "arm", pose, axes=(axis,)),
        JointDescription("hold", "fixed", "arm", "hand", pose, active=False),
    )
    links = (
        LinkDescription("base", static=True),
        LinkDescription("arm", pose, BALL_SHAPE, Inertial(2.0, (0.1, 0.0, 0.0))),
        LinkDescription("hand", pose @ pose, (), Inertial(3.0)),
    )
    return RobotDescription("robot", links, joints, **others)


def _saved(scene, folder):
    env = pyrave.Environment()
    env.add_scene(scene)
    losses = "".join(map(str, env.save(folder / "again.dwc.xml")))
    return env, pyrave.load(folder / "again.dwc.xml"), losses


def test_robots_of_other_formats_keep_masses_and_torques(tmp_path):
    env, again, losses = _saved(SceneDescription((_robot(),)), tmp_path)
    one, other = env.robots[0], again.robots[0]
    assert sum(link.mass for link in other.links) == 5.0 == one.mass - one.links[0].mass
    assert other.dof_torque_limits.tolist() == [7.0]
    assert "masses of what no force moves" in losses  # that of the base
    assert "added to bases without geometry" in losses
    for value in (0.3, -0.8):
        for robot in (one, other):
            robot.dof_values = [value]
        np.testing.assert_allclose(
            other.mass_matrix(), one.mass_matrix(), rtol=1e-12, atol=1e-12
        )


def test_links_without_geometry_add_their_mass(tmp_path):
    _, again, losses = _saved(SceneDescription((_robot(),)), tmp_path)
    arm = again.robots[0].links["arm"]
    assert arm.mass == 5.0
    np.testing.assert_allclose(arm.local_com, (0.04, 0.0, 0.18), atol=1e-15)
    assert "masses of links that are part of others" in losses


def test_defaults_are_added(tmp_path):
    body = BodyDescription("ball", (LinkDescription("ball", geometries=BALL_SHAPE),))
    _, again, losses = _saved(SceneDescription((body,)), tmp_path)
    assert again.contact_properties.default_material == "default"
    assert "a default material is added" in losses


@pytest.mark.parametrize("others", [("",), ("", "default"), ()])
def test_defaults_give_links_no_friction(tmp_path, others):
    materials = ("rubber", *others)
    body = BodyDescription(
        "feet",
        tuple(
            LinkDescription(
                f"foot{number}",
                pose=Pose.from_translation(float(number), 0.0, 0.0),
                geometries=BALL_SHAPE,
                material=material,
                object_type=material,
            )
            for number, material in enumerate(materials)
        ),
        joints=tuple(
            JointDescription(f"j{n}", "hinge", "foot0", f"foot{n}", axes=HINGE)
            for n in range(1, len(materials))
        ),
    )
    known = tuple(ContactMaterial(one) for one in materials if one)
    contacts = ContactProperties(
        known,
        known,
        (Friction("rubber", "rubber", 0.9),),
        (Restitution("rubber", "rubber", 0.5),),
    )
    scene = SceneDescription((body,), contact_properties=contacts)
    _, again, _ = _saved(scene, tmp_path)
    found = again.contact_properties
    assert found.friction == contacts.friction
    assert found.restitution == contacts.restitution
    default = found.default_material, found.default_object_type
    taken = "default" in others
    name = "default_2" if taken else "default" if others else "rubber"
    assert default == (name, name)


def test_parameters_of_friction_are_elements(tmp_path):
    body = BodyDescription("ball", (LinkDescription("ball", material="ice"),))
    laws = [
        Friction("ice", "ice", 0.1, parameters=parameters)
        for parameters in (
            (("Mud", (0.05,)), ("no name", (1.0,))),
            (("Mud", (0.05,)),),
        )
    ]
    contacts = ContactProperties((ContactMaterial("ice"),), friction=(laws[0],))
    scene = SceneDescription((body,), contact_properties=contacts)
    _, again, losses = _saved(scene, tmp_path)
    assert again.contact_properties.friction == (laws[1],)
    assert "parameters of friction with such names" in losses


def test_materials_without_a_name_are_none(tmp_path):
    body = BodyDescription("ball", (LinkDescription("ball", geometries=BALL_SHAPE),))
    contacts = ContactProperties(
        (ContactMaterial(""),), friction=(Friction("", "", 0.1),)
    )
    _, again, losses = _saved(
        SceneDescription((body,), contact_properties=contacts), tmp_path
    )
    assert again.contact_properties.default_material == "default"
    assert not again.contact_properties.friction
    assert "materials that there are not" in losses


@pytest.mark.parametrize("name", ["\x01", "\ud800"])
def test_names_that_xml_cannot_carry_are_refused(tmp_path, name):
    contacts = ContactProperties((ContactMaterial(name),))
    env = pyrave.Environment()
    env.add_scene(SceneDescription(contact_properties=contacts))
    with pytest.raises(pyrave.SceneError, match="cannot be written for RobWork"):
        env.save(tmp_path / "out.dwc.xml")
    assert not list(tmp_path.iterdir())


def test_what_names_parts_of_the_world_is_listed(tmp_path):
    tie = ConstraintDescription(
        "tie", "fixed", LinkReference(), LinkReference("robot", "arm")
    )
    controller = ControllerDescription("c", "pose", "robot", ("hold",))
    scene = SceneDescription(
        (_robot(),),
        constraints=(tie,),
        simulation=SimulationDescription(controllers=(controller,)),
    )
    _, again, losses = _saved(scene, tmp_path)
    assert not again.describe().constraints
    assert "constraints of what is no body for RobWork" in losses
    assert "controllers of some joints" in losses


def test_a_path_is_needed():
    scene = SceneDescription((_robot(),))
    with pytest.raises(pyrave.SceneError, match="save to a path"):
        DynamicWorkCellFormat().write(scene, io.BytesIO(), WriteContext())


def test_the_workcell_stands_next_to_it(tmp_path):
    _saved(SceneDescription((_robot(),)), tmp_path)
    root = etree.parse(tmp_path / "again.dwc.xml").getroot()
    assert root.get("workcell") == "again.wc.xml"
    assert [one.tag for one in root] == [
        *("Gravity", "MaterialData", "ObjectTypeData", "RigidDevice"),
    ]


def test_a_workcell_of_somebody_else_is_not_replaced(tmp_path):
    own, path = tmp_path / "a--b.wc.xml", tmp_path / "a--b.dwc.xml"
    own.write_text(CELL)
    env = pyrave.load(own)
    for _ in range(2):
        env.save(path)
        assert own.read_text() == CELL
        assert etree.parse(path).getroot().get("workcell") == "a--b_1.wc.xml"
        assert not (tmp_path / "a--b_2.wc.xml").exists()
    again = pyrave.Environment()
    again.load(path, strict=True)
    assert len(again.bodies) == len(env.bodies)


def test_devices_without_mass_are_told(tmp_path):
    """RobWork's have none that weighs nothing: read again, each link has 1 kg."""
    nothing = Inertial(0.0, (0.0, 0.0, 0.0), (0.0,) * 9)
    links = tuple(
        LinkDescription(one, inertial=nothing, geometries=BALL_SHAPE, static=one == "a")
        for one in "ab"
    )
    joint = JointDescription("b", "hinge", "a", "b", axes=HINGE)
    env = pyrave.Environment()
    env.create_body(RobotDescription("arm", links, (joint,)))
    losses = env.save(tmp_path / "s.dwc.xml")
    assert any("have no mass is not written: 'arm'" in one for one in losses)
    assert pyrave.load(tmp_path / "s.dwc.xml").bodies[0].mass == 1.0
