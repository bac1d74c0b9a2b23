"""Dynamic WorkCells as scenes: links, joints, constraints and what engines use."""

import time

import numpy as np
import pytest
from dwc_texts import (
    ARM,
    BALL,
    BOX,
    CART,
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

import pyrave
from pyrave.scene import LinkReference, TactileArray

CUP = (
    '<SuctionCup name="cup"><Radius>0.02</Radius><Height>0.05</Height>'
    "<SpringParamsOpen>1 2 3 4 5</SpringParamsOpen>"
    "<SpringParamsClosed>6 7 8 9 10</SpringParamsClosed>{}"
    f'<End frame="Ball">{MASS}<Integrator>Euler</Integrator></End></SuctionCup>'
)


@pytest.fixture
def load(tmp_path):
    def loaded(text, materials=MATERIALS, **options):
        return pyrave.load(write_scene(tmp_path, text, materials), **options)

    return loaded


def errors(load, text, materials=MATERIALS):
    with pytest.raises(pyrave.SceneError) as caught:
        load(text, materials)
    return [one for one in caught.value.problems if one.severity.name == "ERROR"]


# -- bodies ----------------------------------------------------------------------------


def test_kinds_of_bodies(load):
    env = load(
        '<Gravity>0 0 -9.82</Gravity><FixedBody frame="Floor"/>'
        '<KinematicBody frame="Empty"><MaterialID>Ice</MaterialID></KinematicBody>'
        + BOX
    )
    floor, empty, box = (env.bodies[one].links[0] for one in ("Floor", "Empty", "Box"))
    assert (floor.static, floor.kinematic, floor.material) == (True, False, "Plastic")
    assert (empty.static, empty.kinematic, empty.material) == (False, True, "Ice")
    assert (box.static, box.kinematic, box.mass) == (False, False, 2.0)
    assert (floor.mass, empty.mass) == (0.0, 0.0)
    np.testing.assert_allclose(box.local_com, (0.0, 0.0, 0.1))
    np.testing.assert_allclose(box.local_inertia, np.diag((1.0, 2.0, 3.0)))
    np.testing.assert_allclose(env.gravity, (0.0, 0.0, -9.82))
    assert not env.problems


def test_without_gravity_there_is_none(load):
    np.testing.assert_array_equal(load("").gravity, np.zeros(3))


def test_estimated_bodies_are_solids_of_one_density(load):
    """About the centre; RobWork takes the origin of the frame for it."""
    box = load(RIGID.format("Box", ESTIMATED)).bodies["Box"].links["Box"]
    np.testing.assert_allclose(box.local_com, (0.1, 0.0, 0.0), atol=1e-15)
    x, y, z = 0.2, 0.1, 0.3
    moments = 2.0 / 12.0 * np.array((y * y + z * z, x * x + z * z, x * x + y * y))
    np.testing.assert_allclose(box.local_inertia, np.diag(moments), atol=1e-15)


def test_a_ball_is_a_ball(load):
    ball = load(RIGID.format("Ball", ESTIMATED)).bodies["Ball"].links[0]
    np.testing.assert_allclose(ball.local_inertia, np.eye(3) * 0.4 * 2.0 * 0.1**2)


def test_associated_geometry_counts_where_the_centre_is_given(load):
    text = '<Mass>2</Mass><COG>0 0 0</COG><EstimateInertia/><Associate object="Lid"/>'
    box = load(RIGID.format("Box", text)).bodies["Box"].links["Box"]
    expected = np.zeros((3, 3))
    volumes = np.array((0.2 * 0.1 * 0.3, 0.1**3))
    for volume, size, center in (
        (volumes[0], (0.2, 0.1, 0.3), (0.1, 0.0, 0.0)),
        (volumes[1], (0.1, 0.1, 0.1), (0.0, 0.2, 0.0)),
    ):
        mass = 2.0 * volume / volumes.sum()
        a, c = np.square(size), np.array(center)
        expected += mass / 12.0 * np.diag((a[1] + a[2], a[0] + a[2], a[0] + a[1]))
        expected += mass * (c @ c * np.eye(3) - np.outer(c, c))
    np.testing.assert_allclose(box.local_inertia, expected, atol=1e-15)


def test_what_is_part_of_a_body_weighs_nothing(load):
    body = load(BOX).bodies["Box"]
    assert [link.name for link in body.links] == ["Box", "Lid"]
    assert body.mass == 2.0


def test_a_body_without_geometry_is_a_point(load):
    env = load(RIGID.format("Empty", ESTIMATED))
    assert env.bodies["Empty"].links[0].mass == 2.0
    (problem,) = env.problems
    assert "it is taken for a point" in problem.message


def test_damping_and_conveyors(load):
    env = load(
        '<FixedBody frame="Floor"><Property name="Conveyor" type="Q">0.5 0 0</Property>'
        '<Property name="Colour">red</Property></FixedBody>'
        + BOX.replace(
            "<Integrator>",
            '<Property name="LinearDamping" type="float">0.1</Property>'
            '<Property name="AngularDamping" type="float">0.9</Property><Integrator>',
        )
    )
    box, floor = env.bodies["Box"].links[0].dynamics, env.bodies["Floor"].links[0]
    # the WorkCell's property stands there first
    assert (box.linear_damping, box.angular_damping) == (0.1, 0.2)
    assert box.integrator == "Euler"
    assert floor.dynamics.surface_velocity == (0.5, 0.0, 0.0)
    (kept,) = floor.description.readables
    assert (kept[0], kept[1].element.get("name")) == ("Property", "Colour")


# -- devices ---------------------------------------------------------------------------


def test_rigid_devices(load):
    env = load(ARM)
    arm = env.robots["Arm"]
    assert arm.links["Base"].static
    assert [arm.links[one].mass for one in ("J0", "J1")] == [2.0, 2.0]
    np.testing.assert_allclose(arm.links["J0"].local_com, (0.15, 0, 0), atol=1e-15)
    limits = {one.name: one.axes[0].torque_limit for one in arm.describe().joints}
    assert (limits["J0"], limits["J1"]) == (10.0, 5.0)


def test_kinematic_devices(load):
    env = load(
        '<KinematicDevice device="Arm"><FixedBase frame="Base"/>'
        f'<KinematicJoint object="J0">{MASS}</KinematicJoint></KinematicDevice>'
    )
    links = env.robots["Arm"].links
    assert (links["Base"].kinematic, links["J0"].kinematic) == (False, True)


def test_mobile_devices_are_none_of_bodies(tmp_path):
    (tmp_path / "cell.wc.xml").write_text(
        CELL.replace("</WorkCell>", f"{CART}</WorkCell>")
    )
    path = tmp_path / "scene.dwc.xml"
    path.write_text(
        '<DynamicWorkCell workcell="cell.wc.xml"><KinematicDevice device="Cart">'
        '<RefBase body="Box"/></KinematicDevice></DynamicWorkCell>'
    )
    with pytest.raises(pyrave.SceneError, match="is mobile"):
        pyrave.load(path)


def test_a_device_on_another_is_held_by_it(load):
    env = load(
        ARM + '<RigidDevice device="Grip"><ForceLimit joint="J0">1</ForceLimit>'
        f'<RefBase body="Arm.J1"/><Link object="J0">{MASS}</Link></RigidDevice>'
    )
    assert [body.name for body in env.robots["Arm"].grabbed] == ["Grip"]
    assert env.constraints == ()


def test_a_base_elsewhere_is_tied_to_its_device(load):
    env = load(
        ARM + BOX + '<RigidDevice device="Grip"><ForceLimit joint="J0">1</ForceLimit>'
        f'<RefBase body="Box"/><Link object="J0">{MASS}</Link></RigidDevice>'
    )
    (tie,) = env.constraints
    assert (tie.name, tie.kind) == ("Grip.base", "fixed")
    assert (tie.parent, tie.child.body) == (LinkReference("Box", "Box"), "Grip")
    start = env.bodies["Box"].transform @ tie.pose.matrix
    np.testing.assert_allclose(start, env.bodies["Grip"].transform, atol=1e-12)


# -- constraints, controllers, sensors, cups -------------------------------------------


def test_constraints(load):
    tie = TIE.replace("/>", "><Transform3D><Pos>1 2 3</Pos></Transform3D></Constraint>")
    (one,) = load(BOX + BALL + tie).constraints
    assert (one.parent.body, one.child.body) == ("Box", "Ball")
    assert one.pose.translation == (1.0, 2.0, 3.0)
    assert one.location.line


def test_controllers_move_the_joints_of_a_configuration(load):
    env = load(ARM + PD.format("10 0.1"))
    (one,) = env.simulation.controllers
    assert (one.body, one.joints, one.gains) == ("Arm", ("J0",), ((10.0, 0.1),))


def test_sensors(load):
    env = load(
        ARM + BOX + '<FTSensor name="ft" body="Arm.J0" body1="Arm.J1">'
        "<RefFrame>Arm.TCP</RefFrame></FTSensor>"
        '<BodyContactSensor name="touch" body="Box"/>'
        '<TactileArraySensor frame="Box"><Name>skin</Name><Pos>0 0 1</Pos>'
        "<RPY>0 0 0</RPY><TexelArray>1 1</TexelArray>"
        "<TexelHeightMap>0 0 0 0</TexelHeightMap>"
        "<TexelSize>1 1</TexelSize><MaxForce>2</MaxForce><MinForce>1</MinForce>"
        "</TactileArraySensor>"
    )
    wrench, touch, skin = env.simulation.sensors
    assert (wrench.parent.link, wrench.child.link) == ("J0", "J1")
    assert wrench.frame == LinkReference("Arm", "J1")
    assert wrench.pose.translation == (0.3, 0.0, 0.0)
    assert touch.link == LinkReference("Box", "Box")
    assert isinstance(skin, TactileArray)
    assert (skin.lowest, skin.highest) == (1e3, 2e3)


def test_suction_cups(load):
    """RobWork can load none: it registers both ends twice."""
    env = load(
        CUP.format(
            '<KinematicBase frame="Empty"><MaterialID>Ice</MaterialID></KinematicBase>'
        )
    )
    (cup,) = env.simulation.suction_cups
    assert (cup.base.body, cup.lip.body) == ("Empty", "Ball")
    assert env.bodies["Ball"].links[0].mass == 2.0


# -- what is wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RIGID.format("Nope", MASS), "no frame 'Nope'"),
        (RIGID.format("Bpx", MASS), "did you mean 'Box'"),
        (RIGID.format("Floor", MASS), "the frame 'Floor' is Fixed"),
        ('<FixedBody frame="Spot"/>', "the frame 'Spot' has none"),
        (
            BOX.replace("<Mass>", '<Associate object="Spot"/><Mass>'),
            "no frame with geometry 'Spot'",
        ),
        (ARM.replace('device="Arm"', 'device="Amr"'), "did you mean 'Arm'"),
        (ARM.replace('<ForceLimit joint="J1">5</ForceLimit>', ""), "no force limit"),
        (ARM.replace(">5<", ">-5<"), "expected 0 or more"),
        (ARM.replace('object="J0"', 'object="TCP"'), "no geometry that its inertia"),
        (
            ARM.replace('<FixedBase frame="Base"/>', '<RefBase body="Zzz"/>'),
            "no body 'Zzz'",
        ),
        (TIE + BOX + BALL, "stands below"),
        (BOX + TIE, "no body 'Ball'"),
        (PD.format("1 2"), "'Arm' is not made dynamic above"),
        (PD.format("1 2").replace("Arm", "Leg"), "no device 'Leg'"),
        (ARM + PD.format("1 2 3 4"), "'Arm' has 1 degrees of freedom"),
        ('<FTSensor name="f" body="Box" body1="Ball"/>', "no body 'Box'"),
        (
            BOX
            + BALL
            + '<FTSensor name="f" body="Box" body1="Ball"><RefFrame>Z</RefFrame>'
            "</FTSensor>",
            "no frame 'Z'",
        ),
        ('<BodyContactSensor name="f" body="Z"/>', "no frame 'Z'"),
        (BOX + '<FTSensor name="f" body="Box"/>', "has no attribute 'body1'"),
        (
            (
                '<KinematicDevice device="Arm"><FixedBase frame="Base"/>'
                "</KinematicDevice>"
                '<SpringJointController name="s" device="Arm"><SpringParams>1 2 3'
                "</SpringParams><TimeStep>0</TimeStep></SpringJointController>"
            ),
            "springs need a RigidDevice",
        ),
        (
            BOX.replace(
                "<Mass>",
                '<Property name="LinearDamping" type="float">2</Property><Mass>',
            ),
            "expected 0 to 1",
        ),
    ],
)
def test_errors(load, text, words):
    found = errors(load, text)
    assert any(words in str(one) for one in found), [*map(str, found)]
    assert all(one.line and one.file.endswith("scene.dwc.xml") for one in found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOX + BOX, "a body 'Box' already"),
        (ARM + ARM, "the device 'Arm' is made dynamic above"),
        (
            BOX.replace("<Mass>", "<MaterialID>Icy</MaterialID><Mass>"),
            "no material 'Icy'",
        ),
        (
            ARM.replace(LIMITS, LIMITS + '<ForceLimit joint="J2">1</ForceLimit>'),
            "'Arm' has no joint 'J2'",
        ),
        ('<BodyContactSensor name="f" body="Spot"/>', "is no body"),
        (BOX + BALL + TIE + TIE, "the name 'c' is taken"),
        (BOX + BALL + TIE.replace('"c"', '""'), "<Constraint> has no name"),
        (
            RIGID.format("Box", ESTIMATED + "<Inertia>1 2 3</Inertia>"),
            "its <Inertia> is left out",
        ),
        (
            MATERIALS.replace(
                '"Ice"/>', '"Ice"><Description>cold</Description></Material>'
            ),
            "<Material> 'Ice' is given again",
        ),
        (
            "<Gravity>0 0 1</Gravity><Gravity>0 0 2</Gravity>",
            "duplicate <Gravity> in <DynamicWorkCell>",
        ),
        (
            BOX + BALL + TIE.replace("/>", f">{2 * '<Spring/>'}</Constraint>"),
            "duplicate <Spring> in <Constraint>",
        ),
        (
            BOX
            + BALL
            + TIE.replace(
                "/>",
                f"><Transform3D>{2 * '<Pos>0 0 0</Pos>'}</Transform3D></Constraint>",
            ),
            "duplicate <Pos> in <Transform3D>",
        ),
        ("lost words<Gravity>0 0 1</Gravity>", "'lost words' between its elements"),
        (
            BOX.replace(
                "<Mass>", '<Property name="LinearDamping">0.1</Property><Mass>'
            ),
            "does not take for a number",
        ),
        (BOX.replace("1 2 3", "-1 2 3"), "the inertia matrix is not positive"),
        (BOX.replace("1 2 3", "1 0 0 5 2 0 0 0 3"), "matrix is not symmetric"),
        (
            BOX.replace("1 2 3", "1 0 2 0 2 0 2 0 3"),
            "the inertia matrix is not positive",
        ),
        (BOX.replace("1 2 3", "1 2 4"), "exceeds the sum of the others"),
        (BOX.replace("0 0 0.1", "0 1e30 0"), "more than 1e+06 m away"),
        (
            ARM.replace(LIMITS, LIMITS + '<ForceLimit joint="J0">1</ForceLimit>'),
            "<ForceLimit> of 'J0' is given again; the last one counts",
        ),
        (
            BOX + '<FTSensor name="f" body="Box" body1="Box"/>',
            "are one rigid part: no force acts",
        ),
        (CUP.format(2 * '<FixedBase frame="Floor"/>'), "has several bases"),
    ],
)
def test_warnings(load, text, words):
    env = load(text)
    assert [one for one in env.problems if words in str(one)], env.problems


def test_a_default_material_is_needed(load):
    found = errors(load, BOX, "")
    assert [
        words
        for words in ("names no material", "names no type of objects")
        if any(words in one.message for one in found)
    ] == ["names no material", "names no type of objects"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nope.wc.xml", r"nope\.wc\.xml"),
        (" ", "the name of the WorkCell is empty"),
        ("http://x/cell.wc.xml", "not a local file"),
    ],
)
def test_a_workcell_that_is_not_there(tmp_path, name, words):
    path = tmp_path / "scene.dwc.xml"
    path.write_text(f'<DynamicWorkCell workcell="{name}"/>')
    with pytest.raises(pyrave.SceneError, match=words) as raised:
        pyrave.load(path)
    assert (raised.value.file, raised.value.line) == (str(path), 1)


def test_what_is_wrong_in_an_included_file_says_who_names_it(tmp_path):
    (tmp_path / "cell.wc.xml").write_text(CELL)
    (tmp_path / "part.xml").write_text(
        "<IncludeData><Gravity>0</Gravity></IncludeData>"
    )
    path = tmp_path / "scene.dwc.xml"
    path.write_text(
        '<DynamicWorkCell workcell="cell.wc.xml"><Include file="part.xml"/>'
        "</DynamicWorkCell>"
    )
    with pytest.raises(pyrave.SceneError, match=r"part\.xml") as raised:
        pyrave.load(path)
    assert raised.value.first.named_at == (f"{path}:1",)


def test_workcells_are_found_next_to_the_file(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "cell.wc.xml").write_text(CELL)
    path = tmp_path / "scene.dwc.xml"
    path.write_text('<DynamicWorkCell workcell="sub/cell.wc.xml"/>')
    assert "Arm" in [one.name for one in pyrave.load(path).robots]


@pytest.mark.parametrize(
    "piece",
    [
        "<MaterialData><Default>Ice</Default></MaterialData>"
        "<MaterialData><Default>Plastic</Default></MaterialData>" + BOX,
        TIE + '<Spring constraint="c"/>',
        BOX,
        ARM,
        ARM + '<SerialDeviceController name="s{}" device="Arm"/>',
        '<BodyContactSensor name="s{}" body="Box"/>',
        RIGID.format("Bxo{}", MASS),
        "<Foo/>",
        '<Constraint name="c{}" type="Free" parent="Box{}" child="Ball"/>',
        '<PhysicsEngine><Property name="a{}">b</Property></PhysicsEngine>',
        (
            '<FrictionMap><Pair first="a{}" second="b"><FrictionData type="Coulomb">'
            "<Mu>1</Mu></FrictionData></Pair></FrictionMap>"
        ),
        (
            '<TactileArraySensor frame="Box"><TexelArray>1000 1000</TexelArray>'
            "</TactileArraySensor>"
        ),
    ],
)
def test_hostile_files_end_soon(load, piece):
    text = "".join(
        piece.replace("{}", str(i)) for i in range(100_000 // piece.count("<"))
    )
    started = time.process_time()
    with pytest.raises(pyrave.SceneError):
        load(BOX + BALL + text[:10_000_000] + "<Foo/>")
    assert time.process_time() - started < 30.0


def test_many_sensors_load_soon(load):
    text = "".join(
        f'<BodyContactSensor name="s{i}" body="Box"/>' for i in range(20_000)
    )
    started = time.process_time()
    env = load(BOX + text)
    assert time.process_time() - started < 30.0  # by the square it would be minutes
    assert len(env.simulation.sensors) == 20_000


def test_problems_of_many_includes_are_worded_soon(load, tmp_path):
    (tmp_path / "some.xml").write_text(f"<IncludeData>{3 * '<Foo/>'}</IncludeData>")
    started = time.process_time()
    with pytest.raises(pyrave.SceneError, match="unknown element <Foo>"):
        load('<Include file="some.xml"/>' * 9000)
    assert time.process_time() - started < 30.0
