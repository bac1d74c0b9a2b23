"""Elements of Dynamic WorkCells: values, units, defaults, what is wrong with them."""

import io
import math

import numpy as np
import pytest

from pyrave.errors import SceneError, Severity
from pyrave.formats import ReadContext, open_source
from pyrave.scene import Friction, Limits, Restitution
from pyrave_workcell.dynamics.document import Constraint, Named
from pyrave_workcell.dynamics.root import read_dynamics
from pyrave_workcell.dynamics.values import DynamicsReading
from pyrave_workcell.syntax import DYNAMIC, parse

MATERIALS = """
<MaterialData><Default>Plastic</Default><Material id="Plastic"/>
  <Material id="Ice"><Description> slippery </Description></Material></MaterialData>
<ObjectTypeData><Default>hard</Default><ObjectType id="hard"/></ObjectTypeData>
"""
MASS = "<Mass>2</Mass><COG>0 0 0.1</COG><Inertia>1 2 3</Inertia>"
BOX = f'<RigidBody frame="Box">{MASS}<Integrator>Euler</Integrator></RigidBody>'
ROOT = '<DynamicWorkCell workcell="cell.wc.xml">{}</DynamicWorkCell>'


def read(text, root=ROOT):
    context = ReadContext()
    source = open_source(io.BytesIO(root.format(text).encode()), context)
    found = read_dynamics(parse(source, context, DYNAMIC), DynamicsReading(context))
    return found, context.diagnostics.problems


def good(text):
    found, problems = read(text)
    assert problems == ()
    return found


def item(text):
    return good(text).items[-1]


# -- values ----------------------------------------------------------------------------


def test_nothing_but_a_workcell():
    found = good("")
    assert (found.workcell, found.gravity, found.items) == (
        "cell.wc.xml",
        (0, 0, 0),
        (),
    )


def test_both_spellings_of_the_root():
    found, problems = read("", '<DynamicWorkcell workcell="a">{}</DynamicWorkcell>')
    assert (found.workcell, problems) == ("a", ())


def test_settings_are_typed_and_the_first_counts():
    found, problems = read(
        '<PhysicsEngine><Property name="M">Step</Property>'
        '<Property name="N" type="int">3</Property>'
        '<Property name="E" type="float">1e-3</Property></PhysicsEngine>'
        '<PhysicsEngine><Property name="Q" type="Q">1 2</Property>'
        '<Property name="E" type="float">7</Property></PhysicsEngine>'
    )
    values = {one.name: one.value for one in found.settings}
    assert values == {"M": "Step", "N": (3.0,), "E": (1e-3,), "Q": (1.0, 2.0)}
    assert problems == ()


def test_contacts():
    found = good(
        MATERIALS + '<FrictionMap><Pair first="Ice" second="Plastic">'
        '<FrictionData type="coulomb"><Mu>0.02</Mu><Mud>0.01</Mud></FrictionData>'
        '<FrictionData type="Stribeck"><muS>0.5</muS><vs>0.01 2</vs></FrictionData>'
        "</Pair></FrictionMap>"
        '<ContactMap><Pair first="hard" second="hard"><ContactData type="Newton">'
        "<cr>0.3</cr></ContactData></Pair></ContactMap>"
    )
    assert found.materials[1].description == "slippery"
    assert (found.default_material, found.default_object_type) == ("Plastic", "hard")
    assert found.friction == (
        Friction("Ice", "Plastic", 0.02, "Coulomb", (("Mud", (0.01,)),)),
        Friction(
            "Ice", "Plastic", 0.4, "Stribeck", (("muS", (0.5,)), ("vs", (0.01, 2)))
        ),
    )
    assert found.restitution == (Restitution("hard", "hard", 0.3),)


def test_materials_may_stand_below_their_friction():
    pair = (
        '<FrictionMap><Pair first="Ice" second="Ice"><FrictionData type="Coulomb">'
        "<Mu>1</Mu></FrictionData></Pair></FrictionMap>"
    )
    assert good(pair + MATERIALS).friction == (Friction("Ice", "Ice", 1.0),)


def test_a_body_keeps_the_default_that_it_was_read_with():
    found = good(
        MATERIALS + BOX + "<MaterialData><Default>Ice</Default></MaterialData>" + BOX
    )
    assert [one.material for one in found.items] == ["Plastic", None]


@pytest.mark.parametrize(
    ("inertia", "matrix"),
    [
        ("1 2 3", np.diag((1.0, 2.0, 3.0)).ravel()),
        ("4 .1 .2 .1 5 .3 .2 .3 6", (4, 0.1, 0.2, 0.1, 5, 0.3, 0.2, 0.3, 6)),
    ],
)
def test_bodies(inertia, matrix):
    body = item(
        f'<RigidBody frame="Box"><Mass>2</Mass><COG>0 0 1</COG><Inertia>{inertia}'
        "</Inertia><Integrator>Heun</Integrator><ObjectID>hard</ObjectID>"
        '<Associate object="Extra"/>'
        '<Property name="LinearDamping" type="float">0.1</Property></RigidBody>'
    )
    assert (body.kind, body.frame, body.integrator) == ("rigid", "Box", "Heun")
    assert (body.material, body.object_type) == (None, "hard")
    assert body.mass.inertia == tuple(matrix)
    assert (body.mass.mass, body.mass.com) == (2.0, (0.0, 0.0, 1.0))
    assert [one.name for one in body.associated] == ["Extra"]
    assert [(one.name, one.value) for one in body.properties] == [
        ("LinearDamping", (0.1,))
    ]


def test_estimated_bodies_know_their_mass_alone():
    body = item(
        '<RigidBody frame="Box"><Mass>2</Mass><EstimateInertia/>'
        "<Integrator>Euler</Integrator></RigidBody>"
    )
    assert (body.mass.mass, body.mass.com, body.mass.inertia) == (2.0, None, None)


def test_devices():
    device = item(
        '<RigidDevice device="R"><ForceLimit joint="J0">10</ForceLimit>'
        '<FixedBase frame="Base"/>'
        f'<Link object="J0">{MASS}</Link><RigidJoint joint="J1">{MASS}</RigidJoint>'
        "</RigidDevice>"
    )
    assert (device.device, device.rigid, device.base.frame) == ("R", True, "Base")
    assert [link.frame for link in device.links] == ["J0", "J1"]
    assert [(one.joint, one.limit) for one in device.force_limits] == [("J0", 10.0)]
    other = item(
        '<KinematicDevice device="K"><RefBase body="R.J1"/>'
        f'<KinematicJoint object="J0">{MASS}</KinematicJoint></KinematicDevice>'
    )
    assert (other.rigid, other.base) == (False, Named("R.J1", at=None))


def test_constraints_turn_by_radians_and_compare_types_without_case():
    one = item(
        '<Constraint name="c" type="prismaticUNIVERSAL" parent="A" child="B">'
        "<Transform3D><RPY>1.5707963267948966 0 0</RPY><Pos>1 2 3</Pos></Transform3D>"
        "<Spring><Compliance>1 2 3 4 5 6 7 8 9</Compliance></Spring>"
        '<Limits><Limit low="-1"/><Limit high="2"/></Limits></Constraint>'
    )
    assert one.kind == "prismatic_universal"
    np.testing.assert_allclose(
        one.pose.matrix[:3],
        [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]],
        atol=1e-15,
    )
    assert one.limits == (Limits(-1.0), Limits(upper=2.0))
    # RobWork reads columns; the matrices are symmetric in practice
    assert one.spring.compliance == ((1, 2, 3), (4, 5, 6), (7, 8, 9))
    assert one.spring.damping == ()


def test_rotation_matrices():
    one = item(
        '<Constraint name="c" type="Fixed" parent="A" child="B"><Transform3D>'
        "<Rotation3D>0 -1 0 1 0 0 0 0 1</Rotation3D></Transform3D></Constraint>"
    )
    assert one.pose.rotation == (0, -1, 0, 1, 0, 0, 0, 0, 1)


def test_a_spring_outside_of_its_constraint():
    """RobWork ends at once on such a file; its documentation says what it means."""
    found = good(
        '<Constraint name="c" type="Revolute" parent="A" child="B"/>'
        '<Spring constraint="c"><Compliance>0.1</Compliance><Damping>2</Damping>'
        "</Spring>"
    )
    (one,) = found.items
    assert isinstance(one, Constraint)
    assert (one.spring.compliance, one.spring.damping) == (((0.1,),), ((2.0,),))


def test_sensors():
    skin = item(
        '<TactileArraySensor frame="Pad"><Name>skin</Name><Pos>1 2 3</Pos>'
        "<RPY>90 0 0</RPY><TexelArray>1 2</TexelArray>"
        "<TexelHeightMap>0 1 2 3 4 5</TexelHeightMap><TexelSize>0.01 0.02</TexelSize>"
        "<MaxForce>100</MaxForce><MinForce>1</MinForce></TactileArraySensor>"
    )
    assert skin.heights == ((0, 1, 2), (3, 4, 5))
    assert (skin.lowest, skin.highest) == (1e3, 100e3)  # from kPa
    np.testing.assert_allclose(skin.pose.rotation[:2], (0, -1), atol=1e-15)  # degrees
    for tag in ("FTSensor", "TactileMultiAxisSensor"):
        sensor = item(
            f'<{tag} name="f" body="A" body1="B"><RefFrame>T</RefFrame></{tag}>'
        )
        assert (sensor.parent, sensor.child, sensor.frame.name) == ("A", "B", "T")
    assert item('<BodyContactSensor name="t" body="A"/>').frame == "A"


def test_controllers():
    pd = item(
        '<PDDeviceController name="c" device="R" type="CntPosition"><Sync>OFF</Sync>'
        "<PDParams>1 2 3 4</PDParams><TimeStep>0.01</TimeStep></PDDeviceController>"
    )
    assert (pd.mode, pd.gains) == ("continuous_position", ((1, 2), (3, 4)))
    spring = item(
        '<SpringJointController name="c" device="R"><SpringParams>-1 -2 0.5'
        "</SpringParams><TimeStep>0.1</TimeStep></SpringJointController>"
    )
    assert (spring.kind, spring.gains, spring.time_step) == (
        "spring",
        ((-1, -2, 0.5),),
        0.1,
    )
    pose = item(
        '<PoseDeviceController name="c" device="R"><TimeStep>0.1</TimeStep>'
        "</PoseDeviceController>"
    )
    queue = item('<SerialDeviceController name="c" device="R"/>')
    assert (pose.kind, queue.kind) == ("pose", "motion_queue")


def test_suction_cups():
    cup = item(
        '<SuctionCup name="c"><Radius>0.02</Radius><Height>0.05</Height>'
        "<SpringParamsOpen>1 2 3 4 5</SpringParamsOpen>"
        "<SpringParamsClosed>6 7 8 9 10</SpringParamsClosed>"
        '<FixedBase frame="A"/>'
        f'<End frame="B">{MASS}<Integrator>Euler</Integrator></End>'
        "<Offset><Pos>0 0 1</Pos></Offset></SuctionCup>"
    )
    assert (cup.base.frame, cup.end.frame, cup.radius, cup.height) == (
        "A",
        "B",
        0.02,
        0.05,
    )
    assert (cup.open.bending_damping, cup.closed.height) == (4.0, 10.0)
    assert cup.pose.translation == (0.0, 0.0, 1.0)


# -- what is wrong ---------------------------------------------------------------------

ENGINE = "<PhysicsEngine>{}</PhysicsEngine>"
SKIN = """<TactileArraySensor frame="P"><Name>s</Name><Pos>0 0 0</Pos><RPY>0 0 0</RPY>
<TexelArray>1 1</TexelArray><TexelHeightMap>0 0 0</TexelHeightMap>
<TexelSize>1 1</TexelSize><MaxForce>1</MaxForce><MinForce>0</MinForce>
</TactileArraySensor>"""
KINEMATIC = '<KinematicBody frame="A">{}</KinematicBody>'
DEVICE = '<RigidDevice device="R"><FixedBase frame="B"/>{}</RigidDevice>'
TIE = '<Constraint name="c" type="{}" parent="A" child="B">{}</Constraint>'
PD = (
    '<PDDeviceController name="c" device="R" type="{}"><Sync>{}</Sync>'
    "<PDParams>{}</PDParams><TimeStep>0.1</TimeStep></PDDeviceController>"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<Gravity>0 0</Gravity>", "<Gravity> has 2 numbers, expected 3"),
        ("<Gravity>0 0 x</Gravity>", "holds 'x', expected a number"),
        ("<Gravity>0 0 nan</Gravity>", "holds 'nan', expected a number"),
        ("<Gravity>0 0 1_0</Gravity>", "holds '1_0', expected a number"),
        ("<Gravity>0,0,-9.82</Gravity>", "numbers are separated by blanks"),
        ("<Gravty>0 0 1</Gravty>", "did you mean <Gravity>"),
        (
            "<PhysicsEngine><AutoDisable>True</AutoDisable></PhysicsEngine>",
            "true or false",
        ),
        (
            (
                '<PhysicsEngine><Property name="a" type="double">1</Property>'
                "</PhysicsEngine>"
            ),
            "numbers are of type float",
        ),
        (
            "<PhysicsEngine><Property>1</Property></PhysicsEngine>",
            "no attribute 'name'",
        ),
        ('<MaterialData a="1"/>', "has an attribute 'a'"),
        ("<MaterialData><Matreial/></MaterialData>", "did you mean <Material>"),
        (
            (
                '<ContactMap><Pair first="h" second="h"><ContactData type="Newton">'
                "<cr>0</cr></ContactData></Pair></ContactMap>"
            ),
            "no type of objects 'h'",
        ),
        (
            MATERIALS + '<ContactMap><Pair first="hard" second="hard"><ContactData>'
            "<cr>0</cr></ContactData></Pair></ContactMap>",
            "no attribute 'type'",
        ),
        (
            MATERIALS + '<ContactMap><Pair first="hard" second="hard">'
            '<ContactData type="Newton"><cr>2</cr></ContactData></Pair></ContactMap>',
            "expected 0 to 1",
        ),
        (
            (
                '<FrictionMap><Pair first="a" second="b"><FrictionData type="Coulomb"/>'
                "</Pair></FrictionMap>"
            ),
            "has no <Mu>",
        ),
        (
            (
                '<FrictionMap><Pair first="a" second="b"><FrictionData type="Coulomb">'
                "<Mu>-1</Mu></FrictionData></Pair></FrictionMap>"
            ),
            "expected 0 or more",
        ),
        (KINEMATIC.format(""), "<KinematicBody> has no <MaterialID>"),
        ("<FixedBody/>", "no attribute 'frame'"),
        (BOX.replace("<Mass>2</Mass>", ""), "has no <Mass>"),
        (BOX.replace("<Mass>2</Mass>", "<Mass>-2</Mass>"), "expected 0 or more"),
        (BOX.replace("<COG>0 0 0.1</COG>", ""), "has no <COG>"),
        (BOX.replace("<Integrator>Euler</Integrator>", ""), "has no <Integrator>"),
        (BOX.replace("1 2 3", "1 2 3 4 5 6"), "expected 3 (its diagonal) or 9"),
        ('<RigidDevice device="R"/>', "device 'R' has no base"),
        (DEVICE.format("<Foo/>"), "unknown element <Foo> in <RigidDevice>"),
        (DEVICE.format('<Property name="a"/>'), "unknown element <Property>"),
        (DEVICE.format(f'<Link joint="J">{MASS}</Link>'), "no attribute 'object'"),
        (
            DEVICE.format(f'<RigidJoint object="J">{MASS}</RigidJoint>'),
            "no attribute 'joint'",
        ),
        (
            (
                '<KinematicDevice device="R"><FixedBase frame="B"/>'
                '<ForceLimit joint="a">1</ForceLimit></KinematicDevice>'
            ),
            "unknown element <ForceLimit>",
        ),
        (TIE.format("Hinge", ""), "expected one of Fixed, Prismatic"),
        (TIE.format("Fixed", "<Foo/>"), "unknown element <Foo> in <Constraint>"),
        (
            TIE.format("Revolute", "<Spring><Compliance>1 2 3 4</Compliance></Spring>"),
            "has 4 numbers, expected 1",
        ),
        (TIE.format("Revolute", '<Limits><Limit min="0"/></Limits>'), "low or high"),
        (TIE.format("Revolute", "<Limits><Limit/><Limit/></Limits>"), "2 limits for 1"),
        (
            TIE.format("Revolute", '<Limits><Limit low="2" high="1"/></Limits>'),
            "low is 2.0, above high, 1.0",
        ),
        (
            TIE.format(
                "Fixed",
                "<Transform3D><Rotation3D>1 0 0 0 2 0 0 0 1</Rotation3D></Transform3D>",
            ),
            "no rotation",
        ),
        ('<Spring constraint="zzz"/>', "no constraint above 'zzz'"),
        (PD.format("Foo", "false", "1 2"), "type 'Foo', expected Position"),
        (PD.format("Position", "true", "1 2"), "not supported"),
        (PD.format("Position", "perhaps", "1 2"), "expected true or false"),
        (PD.format("Position", "false", ""), "no pair of gains"),
        (PD.format("Force", "0", "1 2").replace("<Sync>0</Sync>", ""), "has no <Sync>"),
        (SKIN, "has 3 numbers, expected 2x2"),
        (
            BOX.replace("<Mass>", "<Mass>1\N{NO-BREAK SPACE}"),
            "<Mass> holds '1\\xa0",
        ),
    ],
)
def test_errors(text, words):
    _, problems = read(text)
    errors = [one for one in problems if one.severity is Severity.ERROR]
    assert len(errors) == 1, errors
    assert words in str(errors[0])
    assert errors[0].line
    assert errors[0].column


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOX.replace("<Mass>", "<Foo/><Mass>"), "unknown element <Foo> in <RigidBody>"),
        (BOX.replace("<Mass>2</Mass>", "<Mass>2</Foo>"), "</Foo> ends <Mass>"),
        (
            '<FixedBody frame="A"><MaterialID> Ice </MaterialID></FixedBody>',
            "blanks around 'Ice'",
        ),
        (
            (
                '<FrictionMap><Pair first="a" second="b"><FrictionData type="Coulomb">'
                "<Mu>1</Mu></FrictionData></Pair></FrictionMap>"
            ),
            "no material 'a'",
        ),
        ('<FixedBody frame="A" fame="B"/>', "unknown attribute 'fame'"),
        (
            (
                '<SpringJointController name="c" device="R"><SpringParams>1 2 3 4'
                "</SpringParams><TimeStep>0</TimeStep></SpringJointController>"
            ),
            "the last 1 are left out",
        ),
    ],
)
def test_warnings(text, words):
    _, problems = read(text)
    assert [one.severity for one in problems] == [Severity.WARNING]
    assert words in str(problems[0])


def test_all_problems_of_a_file_are_reported():
    _, problems = read("<Gravity>0</Gravity><Foo/><RigidBody/>")
    assert len(problems) > 5
    assert all(one.line for one in problems)


def test_the_root_of_included_files():
    _, problems = read("", "<IncludeData>{}</IncludeData>")
    assert "load the scene that includes it" in str(problems[0])


def test_included_files(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "materials.xml").write_text(
        f'<IncludeData>{MATERIALS}<Include file="sub/gravity.xml"/></IncludeData>'
    )
    (tmp_path / "sub" / "gravity.xml").write_text(
        "<IncludeData><Gravity>0 0 x</Gravity></IncludeData>"
    )
    path = tmp_path / "scene.dwc.xml"
    path.write_text(ROOT.format('<Include file="materials.xml"/>'))
    context = ReadContext()
    root = parse(open_source(path, context), context, DYNAMIC)
    found = read_dynamics(root, DynamicsReading(context))
    assert found.default_material == "Plastic"
    (problem,) = context.diagnostics.problems
    assert problem.file == str(tmp_path / "sub" / "gravity.xml")
    with pytest.raises(SceneError):
        context.diagnostics.raise_if_refused()


def test_infinite_limits_are_left_open():
    one = item(TIE.format("Revolute", "<Limits><Limit/></Limits>"))
    assert one.limits == (Limits(-math.inf, math.inf),)
