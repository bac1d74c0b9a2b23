"""WorkCells as scenes: bodies, joints, models, pairs, sensors, and what is wrong."""

from __future__ import annotations

import math
import random
import time
from fnmatch import fnmatchcase
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.errors import SceneError
from pyrave.formats import ReadContext, SceneSource
from pyrave.scene import IgnoredPair, RobotDescription
from pyrave_workcell.workcell import WorkCell, read_workcell
from pyrave_workcell.workcell.pairs import Pairs

if TYPE_CHECKING:
    from pathlib import Path

_ARM = scene_beside(__file__, "workcell.wc.xml")


def _cell(inside: str, name: str = "cell") -> str:
    return f'<WorkCell name="{name}">{inside}</WorkCell>'


def _read(text: str, folder: Path | None = None) -> tuple[WorkCell, list[str]]:
    context = ReadContext()
    source = SceneSource(text, "<text>", None if folder is None else str(folder))
    cell = read_workcell(source, context)
    context.diagnostics.raise_if_refused()
    return cell, [problem.code for problem in context.diagnostics.problems]


def _codes(text: str) -> list[tuple[str, int | None]]:
    context = ReadContext()
    try:
        read_workcell(SceneSource(text, "<text>"), context)
    except SceneError as error:
        return [(one.code, one.line) for one in error.problems]
    assert context.diagnostics.has_errors
    return [(one.code, one.line) for one in context.diagnostics.problems]


def _loaded(text: str) -> pyrave.Environment:
    env = pyrave.Environment()
    env.load_string(text)
    return env


def test_a_device_is_a_robot() -> None:
    cell, codes = _read(_cell(_ARM))
    assert not codes
    (robot,) = cell.scene.bodies
    assert isinstance(robot, RobotDescription)
    assert [link.name for link in robot.links] == ["Base", "A", "B", "C"]
    assert [joint.type for joint in robot.joints] == ["hinge", "slider", "hinge"]
    axis = robot.joints[0].axes[0]
    assert axis.lower == pytest.approx(-math.pi / 2)
    assert axis.velocity_limit == pytest.approx(2 * math.pi)
    assert robot.joints[1].axes[0].acceleration_limit == 1.0
    assert robot.joints[2].axes[0].upper == pytest.approx(math.pi + 0.5)
    assert robot.dof_values == (0.25, 0.5)
    assert robot.manipulators[0].end_effector == "C"
    assert robot.links[0].static


def test_joints_move_as_robwork_says() -> None:
    env = _loaded(_cell(_ARM))
    robot = env.robots["Arm"]
    assert robot.dof_values.tolist() == [0.25, 0.5]
    robot.dof_values = [0.3, 0.7]
    turn = 0.3 + math.pi / 2
    expected = [math.cos(turn), math.sin(turn), 1.7]
    np.testing.assert_allclose(robot.links["B"].transform[:3, 3], expected, atol=1e-12)
    angle = turn + (-2 * 0.3 + 0.5)
    np.testing.assert_allclose(
        robot.links["C"].transform[:2, 0],
        [math.cos(angle), math.sin(angle)],
        atol=1e-12,
    )
    tool = robot.manipulators["TCP"].transform
    np.testing.assert_allclose(tool[2, 3], 1.9, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "n", "x"),
    [
        ("Universal", 2, [0.3, 0.4]),
        ("Spherical", 3, [0.3, 0.4, 0.5]),
        ("PrismaticUniversal", 3, [0.3, 0.4, 0.5]),
        ("PrismaticSpherical", 4, [0.3, 0.4, 0.5, 0.6]),
    ],
)
def test_joints_of_several_axes(kind: str, n: int, x: list[float]) -> None:
    env = _loaded(
        '<SerialDevice name="D"><Frame name="Base"/>'
        f'<Joint name="J" type="{kind}"><PosLimit min="-30" max="60"/></Joint>'
        "</SerialDevice>"
    )
    robot = env.robots["D"]
    assert robot.dof == n
    assert robot.dof_limits[0][0] == pytest.approx(-math.pi / 6)
    robot.set_dof_values(x, limits=pyrave.LimitCheck.NONE)
    expected = _turn(0, x[0]) @ _turn(1, x[1])
    slide = 0.0
    if "Spherical" in kind:
        expected = expected @ _turn(2, x[2])
    if kind.startswith("Prismatic"):
        slide = x[-1]
    found = robot.links["J"].transform
    np.testing.assert_allclose(found[:3, :3], expected, atol=1e-12)
    np.testing.assert_allclose(found[:3, 3], slide * expected[:, 2], atol=1e-12)


def _turn(axis: int, angle: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    made = np.eye(3)
    made[i, i] = made[j, j] = math.cos(angle)
    made[j, i], made[i, j] = math.sin(angle), -math.sin(angle)
    return made


def test_denavit_hartenberg_conventions() -> None:
    text = (
        '<SerialDevice name="D"><Frame name="Base"/>'
        '<DHJoint name="A" alpha="30" a="1" d="2" offset="40"/>'
        '<DHJoint name="B" alpha="30" a="1" d="2" offset="40" type="schilling"/>'
        '<DHJoint name="C" alpha="30" a="1" theta="40" offset="2"/>'
        '<DHJoint name="E" alpha="30" a="1" beta="40" offset="2"/></SerialDevice>'
    )
    cell, codes = _read(text)
    # the convention of a joint without a type is that of the one before
    assert codes == ["not-robwork", "not-robwork"]
    frames = cell.document.by_name
    r, d = math.radians, 2.0
    step = np.eye(4)
    step[:3, :3] = _turn(0, r(30)) @ _turn(2, r(40))
    step[:3, 3] = [1.0, *(_turn(0, r(30)) @ [0.0, 0.0, d])[1:]]
    np.testing.assert_allclose(frames["D.A"].pose.matrix, step, atol=1e-12)
    step[:3, :3] = _turn(2, r(40)) @ _turn(0, r(30))
    step[:3, 3] = [math.cos(r(40)), math.sin(r(40)), d]
    for name in ("D.B", "D.C"):
        np.testing.assert_allclose(frames[name].pose.matrix, step, atol=1e-12)
    step[:3, :3] = _turn(1, r(40)) @ _turn(0, r(30))
    step[:3, 3] = [math.cos(r(40)), d, -math.sin(r(40))]
    np.testing.assert_allclose(frames["D.E"].pose.matrix, step, atol=1e-12)
    types = [frames[f"D.{name}"].type for name in "ABCE"]
    assert types == ["Revolute", "Revolute", "Prismatic", "Prismatic"]


def test_trees_have_the_degrees_of_freedom_of_their_ends() -> None:
    text = """<TreeDevice name="T"><Frame name="Base"/>
      <Joint name="Loose" type="Revolute"/>
      <Joint name="A" refframe="Base" type="Revolute"/>
      <Frame name="E" refframe="A" type="EndEffector"/>
      <SerialChain name="s"><Joint name="B" type="Prismatic"/></SerialChain>
      <Frame name="F" type="EndEffector"/>
      <Q name="Home">0.5 0.25</Q></TreeDevice>"""
    cell, codes = _read(text)
    assert codes == ["loose-joint"]
    (robot,) = cell.scene.bodies
    assert [(joint.name, joint.active) for joint in robot.joints] == [
        ("A", True),
        ("s.B", True),
        ("Loose", False),
    ]
    assert isinstance(robot, RobotDescription)
    assert [one.name for one in robot.manipulators] == ["E", "F"]


def test_what_stands_in_moving_frames_is_held() -> None:
    env = _loaded(
        _cell(
            f"""<Frame name="First"/>{_ARM}
            <Frame name="Flange" refframe="Arm.TCP"/>
            <TreeDevice name="Hand"><Frame name="Base"/>
              <Joint name="F" type="Prismatic"><PosLimit min="0" max="1"/></Joint>
            </TreeDevice>
            <Frame name="Part" refframe="Hand.F" type="Movable"/>"""
        )
    )
    arm, hand, part = (env.bodies[name] for name in ("Arm", "Hand", "Part"))
    before = part.transform
    hand.dof_values = [0.5]
    arm.dof_values = [0.25, 1.5]
    after = part.transform
    assert after[2, 3] - before[2, 3] == pytest.approx(1.5)


def test_places_of_frames() -> None:
    cell, _ = _read(
        _cell(
            f"""<Frame name="Mount"><RPY>0 0 0</RPY><Pos>1 0 0</Pos></Frame>{_ARM}
            <Frame name="Table"><Drawable name="t"><Plane/></Drawable></Frame>
            <Frame name="On" refframe="Table"/>
            <Frame name="Tool" refframe="Arm.B"><RPY>0 0 0</RPY><Pos>0 1 0</Pos></Frame>
            <Frame name="Free" refframe="Mount" type="Movable"/>
            <Frame name="Fixed" refframe="Free">
              <Drawable name="d"><Box x="1" y="1" z="1"/></Drawable></Frame>"""
        )
    )
    places = {name: (one.body, one.link) for name, one in cell.places.items()}
    assert places["Mount"] == ("", "")
    assert places["Arm.TCP"] == ("Arm", "C")
    assert places["Table"] == ("Table", "Table")
    assert places["On"] == ("", "")
    assert places["Tool"] == ("Arm", "B")
    assert places["Free"] == ("Free", "Free")
    assert places["Fixed"] == ("Free", "Fixed")
    assert cell.places["Tool"].pose.translation == (0.0, 1.0, 0.0)
    assert {frame.name for frame in cell.scene.frames} == {"Mount", "On"}
    static = {body.name: body.links[0].static for body in cell.scene.bodies}
    assert static == {"Arm": True, "Table": True, "Free": False}


def test_models() -> None:
    cell, _ = _read(
        _cell(
            """<Frame name="F">
            <Drawable name="box"><RPY>0 0 0</RPY><Pos>1 0 0</Pos><RGB>1 0 0 0.5</RGB>
              <Box x="1" y="2" z="3"/><Sphere radius="2"/></Drawable>
            <Drawable name="shown" colmodel="Disabled"><Cylinder radius="1" z="2"/>
              </Drawable>
            <CollisionModel name="solid"><Tube radius="1" thickness="0.5" z="2"/>
              </CollisionModel>
            <Drawable name="cone"><Cone radius="1" z="2" level="40"/></Drawable>
            </Frame>"""
        )
    )
    box, ball, shown, tube, cone = cell.scene.bodies[0].links[0].geometries
    assert (box.name, ball.name) == ("box", "box")
    assert box.shape.half_extents == (0.5, 1.0, 1.5)  # type: ignore[union-attr]
    assert box.material.diffuse == (1.0, 0.0, 0.0)
    assert box.material.transparency == 0.5
    assert (shown.shape.type, shown.visible) == ("none", True)
    assert shown.render is not None
    assert (tube.visible, tube.shape.type) == (False, "trimesh")
    for geometry, volume in ((tube, 2.5 * math.pi), (cone, 2 * math.pi / 3)):
        mesh = geometry.shape.mesh  # type: ignore[union-attr]
        found = np.linalg.det(mesh.vertices[mesh.faces]).sum() / 6.0
        assert found == pytest.approx(volume, rel=0.02)
    apex = cone.shape.mesh.vertices[:, 2].argmin()  # type: ignore[union-attr]
    assert cone.shape.mesh.vertices[apex].tolist() == [0.0, 0.0, -1.0]  # type: ignore[union-attr]


def test_meshes_without_a_suffix(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text("solid a\nendsolid a\n")
    (tmp_path / "part.ac").write_text("AC3Db\n")
    text = _cell(
        '<Frame name="F"><Drawable name="d"><Polytope file="part"/></Drawable></Frame>'
        '<Frame name="G"><Drawable name="d"><Polytope file="none"/></Drawable></Frame>'
    )
    cell, codes = _read(text, tmp_path)
    assert codes == ["missing-mesh"]
    geometry = cell.scene.bodies[0].links[0].geometries[0]
    assert geometry.shape.mesh.uri.endswith("part.stl")  # type: ignore[union-attr]
    assert geometry.render is not None
    assert geometry.render.mesh.uri.endswith("part.ac")  # type: ignore[union-attr]


_BOX = '<Drawable name="d"><Box x="1" y="1" z="1"/></Drawable>'


def _boxes(*names: str) -> str:
    return "".join(
        f'<Frame name="{name}" refframe="WORLD" type="Movable">{_BOX}</Frame>'
        for name in names
    )


def test_rules_of_setups_act_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "some.xml").write_text(
        "<ProximitySetup>"
        '<Exclude PatternA="*" PatternB="*"/>'
        '<Include PatternA="A?" PatternB="REGEXB.*"/>'
        '<Exclude PatternA="A1" PatternB="B1"/></ProximitySetup>'
    )
    text = _cell(_boxes("A1", "A2", "B1", "B2") + '<ProximitySetup file="some.xml"/>')
    cell, codes = _read(text, tmp_path)
    assert {tuple(sorted(pair)) for pair in cell.pairs} == {
        ("A1", "B2"),
        ("A2", "B1"),
        ("A2", "B2"),
    }
    assert not codes
    assert cell.scene.ignored_pairs == (
        IgnoredPair("A1", "A2"),
        IgnoredPair("A1", "B1"),
        IgnoredPair("B1", "B2"),
    )


def test_pairs_of_a_robot_and_other_bodies() -> None:
    """By RobWork's own rules a robot is not compared with what it stands on."""
    box = '<Drawable name="d"><Box x="1" y="1" z="1"/></Drawable>'
    stand = f'<Frame name="Stand">{box}</Frame>'
    wall = f'<Frame name="Wall">{box}</Frame>'
    cell, codes = _read(_cell(wall + stand + _ARM))
    assert not codes
    assert cell.scene.ignored_pairs == (
        IgnoredPair("Arm", "Stand", "Base", "Stand"),
        IgnoredPair("Arm", "Wall", "Base", "Wall"),
    )


def test_devices_put_their_name_before_those_of_their_setup(tmp_path: Path) -> None:
    (tmp_path / "some.xml").write_text(
        '<CollisionSetup><Exclude><FramePair first="Base" second="B"/></Exclude>'
        "<Volatile>A</Volatile><ExcludeStaticPairs/></CollisionSetup>"
    )
    setup = '<CollisionSetup file="some.xml"/><Q'
    cell, codes = _read(_cell(_ARM.replace("<Q", setup)), tmp_path)
    assert not codes
    pairs = {tuple(sorted(pair)) for pair in cell.pairs}
    assert pairs == {("Arm.A", "Arm.Base"), ("Arm.A", "Arm.B")}
    assert cell.scene.bodies[0].adjacent == {("Base", "B")}


def test_patterns_match_as_globs(tmp_path: Path) -> None:
    """Compare with `fnmatch`, which takes patterns without brackets the same."""
    rng = random.Random(5)  # noqa: S311 - no secrets
    names = ["".join(rng.choices("ab.", k=rng.randint(1, 6))) for _ in range(60)]
    names = sorted({name for name in names if name.strip(".")})
    patterns = ["".join(rng.choices("ab.*?", k=rng.randint(1, 5))) for _ in range(80)]
    for pattern in patterns:
        (tmp_path / "some.xml").write_text(
            f'<ProximitySetup><Exclude PatternA="{pattern}" PatternB="*"/>'
            "</ProximitySetup>"
        )
        text = _cell(_boxes(*names) + '<ProximitySetup file="some.xml"/>')
        cell, _ = _read(text, tmp_path)
        matching = {name for name in names if fnmatchcase(name, pattern)}
        assert cell.pairs == {
            frozenset(pair) for pair in combinations(names, 2) if not matching & {*pair}
        }, pattern


def test_sets_of_pairs_are_sets() -> None:
    pairs = Pairs.between_groups("abcd", {"a": "x", "b": "x", "c": "y", "d": "z"})
    wanted = {frozenset(pair) for pair in ("ac", "ad", "bc", "bd", "cd")}
    assert pairs == wanted
    assert len(pairs) == len(wanted)
    assert pairs & {frozenset("ac")} == {frozenset("ac")}
    assert frozenset("ab") not in pairs
    assert frozenset("a") not in pairs
    assert frozenset("ae") not in pairs
    pairs.include(pairs.chosen("ab"), pairs.chosen("abz"))
    assert pairs == {*wanted, frozenset("ab")}
    pairs.exclude(pairs.chosen("c"), pairs.chosen("abd"))
    assert pairs == {frozenset(pair) for pair in ("ab", "ad", "bd")}


def test_thousands_of_objects_are_read_soon() -> None:
    start = time.process_time()
    cell, codes = _read(_cell(_boxes(*(f"b{i}" for i in range(3000)))))
    assert time.process_time() - start < 20.0
    assert not codes
    assert len(cell.pairs) == 3000 * 2999 // 2


@pytest.mark.parametrize(
    "pattern",
    [
        *("REGEX(a+)+b", "REGEXa*a*a*a*a*b", "REGEX["),
        *(f"REGEX{'a?' * 60}{'a' * 60}", f"REGEX{'(a|a)' * 30}b"),
    ],
)
def test_regular_expressions_that_take_too_long_are_refused(
    tmp_path: Path, pattern: str
) -> None:
    (tmp_path / "some.xml").write_text(
        f'<ProximitySetup><Exclude PatternA="{pattern}" PatternB="*"/></ProximitySetup>'
    )
    text = _cell(_boxes("a" * 200, "b") + '<ProximitySetup file="some.xml"/>')
    with pytest.raises(SceneError):
        _read(text, tmp_path)


def test_regular_expressions_behind_a_name_are_checked_too(tmp_path: Path) -> None:
    (tmp_path / "some.xml").write_text(
        "<CollisionSetup><Exclude>\n"
        '<FramePair first="aREGEX(" second="b"/></Exclude></CollisionSetup>'
    )
    text = _cell(_boxes("a", "b") + '<CollisionSetup file="some.xml"/>')
    with pytest.raises(SceneError) as raised:
        _read(text, tmp_path)
    assert (raised.value.first.code, raised.value.line) == ("bad-value", 2)


@pytest.mark.parametrize("angle", ["5e-324", "1e-309", "nan", "180", "9_0"])
def test_cameras_of_no_angle_are_none(angle: str) -> None:
    prop = f'<Property name="Camera">{angle} 640 480</Property>'
    _, codes = _read(_cell(_in_frame(prop)))
    assert codes == ["bad-sensor"]


def test_names_that_differ_by_blanks_are_numbered() -> None:
    ends = "".join(f'<Frame name="{one}"/>' for one in ("a b", "a_b"))
    env = _loaded(_cell(ends + _ARM.replace("<Q", f"{ends}<Q")))
    assert [frame.name for frame in env.frames] == ["a_b", "a_b_2"]
    names = [frame.name for frame in env.robots["Arm"].describe().frames]
    assert names == ["TCP", "a_b", "a_b_2"]


_AGAIN = '<Depend on="A" gain="1" offset="0"/>'
_WHEELS = (
    '<LeftWheel name="l"/><RightWheel name="r"/><AxelWidth>1</AxelWidth>'
    "<AxelWidth>2</AxelWidth>"
)


@pytest.mark.parametrize(
    "text",
    [
        _ARM.replace("<Depend", f"{_AGAIN}<Depend"),
        _cell(f'<MobileDevice name="m" basename="b">{_WHEELS}</MobileDevice>'),
        _ARM.replace("<Sphere", "<RGB>1 0 0</RGB><RGB>0 0 1</RGB><Sphere"),
    ],
)
def test_what_counts_no_more_is_reported(text: str) -> None:
    assert "repeated-item" in _read(text)[1]


def test_cells_in_wide_characters_are_known() -> None:
    env = pyrave.load_string(_cell(_boxes("a")).encode("utf-16"))
    assert [body.name for body in env.bodies] == ["a"]


def test_properties_make_sensors() -> None:
    env = _loaded(
        _cell(
            f"""<Frame name="First"/>{_ARM}<Frame name="Eye" refframe="Arm.TCP">
              <Property name="Camera" type="string">90 640 480</Property></Frame>
            <Frame name="Post"><RPY>0 0 0</RPY><Pos>0 0 5</Pos>
              <Property name="Scanner2D" type="string">90 91</Property>
              <Property name="Other" type="double">2.5</Property></Frame>"""
        )
    )
    camera = env.robots["Arm"].attached_sensors["Eye"]
    # it looks along -z of its frame, the image's rows run down its y
    tool = env.robots["Arm"].manipulators["TCP"].transform
    np.testing.assert_allclose(camera.transform[:3, 2], -tool[:3, 2], atol=1e-12)
    np.testing.assert_allclose(camera.transform[:3, 1], -tool[:3, 1], atol=1e-12)
    assert camera.sensor.get_sensor_geometry().kk[1] == pytest.approx(240.0)
    assert env.sensors["Post"].transform[2, 3] == 5.0
    assert _read(_cell('<Frame name="F"><Property name="Camera">x</Property></Frame>'))[
        1
    ] == ["bad-sensor"]


_FRAME = '<Frame name="A"/>'
_CIRCLE = '\n<Frame name="B" refframe="C"/><Frame name="C" refframe="B"/>'
_MIRRORED = "<Transform>1 0 0 0 0 1 0 0 0 0 -1 0</Transform>"
_ON_B = '<Drawable name="d" refframe="B"><Plane/></Drawable>'
_NEGATIVE = '<Drawable name="d"><Sphere radius="-1"/></Drawable>'
_LIMIT_OF_Z = '<PosLimit refjoint="Z" min="0" max="1"/>'


def _in_frame(inside: str) -> str:
    return f'<Frame name="A">{inside}</Frame>'


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("<Frame/>", "wrong-root", 1),
        ("<WorkCell/>", "missing-attribute", 1),
        (_cell(f"{_FRAME}\n{_FRAME}"), "duplicate-name", 2),
        (_cell(f'{_FRAME}\n<Frame name="B" refframe="C"/>'), "unknown-frame", 2),
        (_cell(_FRAME + _CIRCLE), "frame-cycle", 2),
        (_cell('\n<Frame name="A"><Pos>0 0 0</Pos></Frame>'), "missing-tag", 2),
        (_cell(_in_frame("<RPY>0 0</RPY><Pos>0 0 0</Pos>")), "bad-number", 1),
        (_cell(_in_frame("<RPY>0 0 0</RPY><Pos>1_0 0 0</Pos>")), "bad-number", 1),
        (_cell(_in_frame(_MIRRORED)), "bad-rotation", 1),
        (_cell('<Frame name="A" type="Odd"/>'), "bad-value", 1),
        (_cell(f"{_FRAME}\n{_ON_B}"), "unknown-frame", 2),
        (_cell(_in_frame(_NEGATIVE)), "bad-size", 1),
        (_ARM.replace("0.25 0.5", "0.25"), "bad-number", 11),
        (_ARM.replace('on="A"', 'on="Z"'), "bad-mimic", 9),
        (_ARM.replace('min="-1"', 'min="3"'), "bad-limit", 7),
        (_ARM.replace("<Q", f"{_LIMIT_OF_Z}<Q"), "unknown-joint", 11),
        (_cell(f"{_ARM}{_ARM}"), "duplicate-name", 13),
        (_cell('<CollisionSetup file="none.xml"/>'), "missing-file", 1),
        (_cell('\n<CollisionSetup file="http://x/y.xml"/>'), "bad-uri", 2),
    ],
)  # fmt: skip
def test_wrong_files_are_refused_with_their_line(
    text: str, code: str, line: int
) -> None:
    assert (code, line) in _codes(text)


_MISPLACED = (
    '<Frame name="A"><Property name="p" type="string">x</Property>'
    "<RPY>0 0 0</RPY><Pos>0 0 0</Pos></Frame>"
)
_REFUSED_BY_ROBWORK = (
    '<Frame type="Fixed" name="A"/>',
    '<Frame name="A" odd="1"/>',
    '<Frame name="A"><Odd/></Frame>',
    "<Odd/>",
    _MISPLACED,
)


@pytest.mark.parametrize("inside", _REFUSED_BY_ROBWORK)
def test_what_only_robwork_refuses_is_a_warning(inside: str) -> None:
    _, codes = _read(_cell(inside))
    assert set(codes) <= {"not-robwork", "unknown-attribute", "unknown-tag"}
    assert codes
    with pytest.raises(SceneError):
        pyrave.Environment().load_string(_cell(inside), strict=True)


_HOSTILE = {
    "frames": _cell("".join(f'<Frame name="f{i}"/>' for i in range(90_000))),
    "a chain": _cell(
        "".join(f'<Frame name="f{i}" refframe="f{i - 1}"/>' for i in range(90_000))
    ),
    "setups": _cell('<ProximitySetup file="none.xml"/>' * 90_000),
    "meshes": _cell(
        '<Frame name="F">'
        + "".join(
            f'<Drawable name="d"><Polytope file="m{i}"/></Drawable>'
            for i in range(30_000)
        )
        + "</Frame>"
    ),
    "colours": _cell(
        _in_frame(f'<Drawable name="d">{"<RGB>x</RGB>" * 40_000}<Plane/></Drawable>')
    ),
    "unknown frames": _cell(
        "".join(f'<Frame name="f{i}" refframe="g{i}"/>' for i in range(4900))
    ),
    "limits of no joint": _cell(
        '<SerialDevice name="A"><Joint name="j" type="Revolute"/>'
        + '<PosLimit refjoint="k" min="-1" max="1"/>' * 40_000
        + "</SerialDevice>"
    ),
    "a long name": _cell(
        f'<SerialDevice name="{"n" * 5_000_000}">'
        + "".join(f'<Frame name="f{i}"/>' for i in range(4900))
        + "</SerialDevice>"
    ),
    "numbers": _cell(_in_frame(f"<RPY>{'1 ' * 4_000_000}</RPY><Pos>0 0 0</Pos>")),
    "attributes": _cell(
        "<Frame " + " ".join(f'a{i}="1"' for i in range(500_000)) + "/>"
    ),
    "cameras": _cell(
        '<Frame name="F">'
        + '<Property name="Camera" type="string">40 64 48</Property>' * 20_000
        + "</Frame>"
    ),
    "tokens": _cell("<!---->" * 1_000_000),
    "adjacent pairs": _cell(
        '<SerialDevice name="A">'
        + "".join(f'<Frame name="f{i}">{_BOX}</Frame>' for i in range(1500))
        + "</SerialDevice>"
    ),
}


def test_long_devices_are_read_soon() -> None:
    joint = (
        '<Joint name="j{}" type="Revolute"><RPY>0 0 0</RPY><Pos>0 0 1</Pos>{}</Joint>'
    )
    first = joint.format(0, "")
    followers = "".join(
        joint.format(i, f'<Depend on="j{i - 1}" gain="1" offset="0"/>')
        for i in range(1, 4900)
    )
    start = time.process_time()
    cell, _ = _read(_cell(f'<SerialDevice name="s">{first}{followers}</SerialDevice>'))
    assert time.process_time() - start < 5.0  # by the square it takes three times that
    assert len(cell.scene.bodies[0].joints) == 4900


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE)
def test_hostile_cells_end_soon(text: str) -> None:
    start = time.process_time()
    assert _codes(text)
    assert time.process_time() - start < 20.0


def test_meshes_without_a_name_are_left_out() -> None:
    text = _in_frame('<Drawable name="d"><Polytope file=" "/></Drawable>')
    cell, codes = _read(_cell(text))
    assert codes == ["bad-uri"]
    assert not cell.scene.bodies[0].links[0].geometries


_SHAPES_OF_TRIANGLES = {
    "cones": ('<Cone radius="1" z="2" level="9999"/>', 20),
    "tubes": ('<Tube radius="1" thickness="1" z="2" level="9999"/>', 5),
    "spheres that are shown": ('<Sphere radius="1"/>', 400),
}


@pytest.mark.parametrize(
    ("shape", "most"), _SHAPES_OF_TRIANGLES.values(), ids=_SHAPES_OF_TRIANGLES
)
def test_triangles_are_bounded_in_all(shape: str, most: int) -> None:
    model = f'<Drawable name="d" colmodel="Disabled">{shape}</Drawable>'
    cell, _ = _read(_cell(f'<Frame name="F">{model * most}</Frame>'))
    assert len(cell.scene.bodies[0].links[0].geometries) == most
    with pytest.raises(SceneError, match="more than 400000 triangles"):
        _read(_cell(f'<Frame name="F">{model * (most + 1)}</Frame>'))
