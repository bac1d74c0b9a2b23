"""What people see of objects: one line, a card in notebooks, names after a dot."""

from __future__ import annotations

import base64
import html
import inspect
import pickle
import re
from html.parser import HTMLParser
from types import ModuleType
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import pyrave
from pyrave import sensing
from pyrave.cards import card, counted, curves, listed, table
from pyrave.formats.context import ACCELERATION_TIME

EVIL = "<script>alert('x')</script>&\""


@pytest.fixture(scope="module")
def demo():
    env = pyrave.Environment()
    report = env.load("scenes/demo.env.xml")
    robot = env.robots[0]
    arm = robot.manipulators[0]
    scan = robot.attached_sensors[0].sensor.measure()
    target = arm.transform
    unreachable = np.eye(4)
    unreachable[:3, 3] = 9
    path = arm.straight_line(target)
    spec = pyrave.ConfigurationSpecification().add_group(
        f"joint_values {robot.name} 0 1", 2, "linear"
    )
    trajectory = env.create("trajectory", "")
    trajectory.init(spec.add_group("deltatime", 1))
    trajectory.insert(0, [(0, 0, 0), (1, 1, 0.5)])
    scene = env.describe()
    return {
        "environment": env,
        "report": report,
        "robot": robot,
        "link": robot.links[0],
        "scene": scene,
        "body description": scene.bodies[2],
        "scan": scan,
        "image": sensing.CameraData(image=np.zeros((4, 6, 3), np.uint8)),
        "no image": sensing.CameraData(),
        "wrench": sensing.Force6DData(),
        "solutions": arm.find_ik(target),
        "no solution": arm.find_ik(unreachable, nearest=True),
        "path": path,
        "trajectory": trajectory,
        "plan": arm.plan({"joint1": 0.3}, seed=0),
        "no plan": arm.plan(unreachable, seed=0),
        "collision": env.check_collision(robot, report=True),
        "no collision": pyrave.CollisionReport(),
        "published": env.published,
        "problems": env.problems,
        "registry": env.registry,
        "world": env.world,
        "rays": env.ray_world,
        "specification": spec,
        "picture": env.picture(size=(64, 48)),
    }


def test_each_repr_is_one_line(demo):
    shown = {name: repr(item) for name, item in demo.items()}
    assert not [name for name, line in shown.items() if "\n" in line]
    assert not [name for name, line in shown.items() if len(line) > 400]
    assert shown["environment"] == (
        "<Environment: 12 bodies (1 robot), 1 sensor, t = 0.000000 s>"
    )
    assert re.fullmatch(
        r"<LaserData t=0 s, 281 rays, \d+ returned, \d\.\d\d\.\.\d\.\d\d m>",
        shown["scan"],
    )
    assert shown["report"].endswith("demo.env.xml': 12 bodies, no problems>")
    assert shown["body description"] == (
        "<RobotDescription 'heron7': 11 links, 10 joints>"
    )
    assert "solutions, there may be more" in shown["solutions"]
    assert "no solution: no joint values reach" in shown["no solution"]
    assert "away at best" in shown["no solution"]
    assert shown["trajectory"] == (
        "<trajectory GenericTrajectory: 2 waypoints, 0.500 s, joint_values heron7 0 1>"
    )
    assert shown["image"] == "<CameraData t=0 s, 6x4 pixels: image>"
    assert shown["no image"] == "<CameraData t=0 s, no image>"
    assert shown["no collision"] == "<CollisionReport: no collision>"
    assert " x " in shown["collision"]
    assert shown["problems"] == "<no problems>"
    assert re.fullmatch(
        r"<Registry: \d+ interfaces of \d+ packages?.*>", shown["registry"]
    )
    assert re.fullmatch(
        r"<PackedWorld: 12 bodies, \d+ solids, version \d+>", shown["world"]
    )
    seen = sum(one is not None for one in demo["rays"].geometries)
    assert shown["rays"] == f"<RayWorld: {seen} solids>"
    assert shown["specification"] == (
        "<ConfigurationSpecification: 2 values: joint_values heron7 0 1 (linear)>"
    )
    assert shown["picture"] == "<Picture: 64 x 48 pixels>"


class Checked(HTMLParser):
    """Refuses scripts, handlers and tags that are left open."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        assert tag in {"div", "strong", "table", "tr", "td", "th", "img", "p"}
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(text):
    parser = Checked()
    parser.feed(text)
    parser.close()
    assert not parser.open
    return text


def test_cards_are_static_and_short(demo):
    with_cards = [one for one in demo.values() if hasattr(one, "_repr_html_")]
    assert len(with_cards) >= 10
    for item in with_cards:
        text = checked(item._repr_html_())
        assert len(text) < 300_000
    assert "data:image/png;base64," in demo["environment"]._repr_html_()
    assert "data:image/png;base64," in demo["scan"]._repr_html_()
    assert "joint1" in demo["robot"]._repr_html_()
    assert "no motion" in demo["no plan"]._repr_html_()


def test_names_of_files_are_escaped():
    text = checked(
        card(EVIL, {EVIL: EVIL, "": EVIL}, table([EVIL], [[EVIL]]))
        + curves([[0.0], [1.0]], [EVIL], 1.0)
    )
    assert "<script" not in text
    assert "<script" not in vector_graphic(text)


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", '"><img/src=x/onerror=a>']
)
def test_a_file_brings_no_script_into_a_notebook(name):
    env = pyrave.Environment()
    quoted = html.escape(name)
    with pytest.warns(pyrave.SceneWarning):
        report = env.load_string(
            f"""<environment><robot name="{quoted}"><kinbody>
            <body name="{quoted}"><geom type="sphere"><radius>1</radius></geom></body>
            <body name="b"/><joint name="{quoted}" type="hinge">
            <body>{quoted}</body><body>b</body></joint><unknown/></kinbody>
            <manipulator name="{quoted}"><base>{quoted}</base>
            <effector>b</effector></manipulator></robot></environment>"""
        )
    robot = env.robots[0]
    spec = pyrave.ConfigurationSpecification().add_group(
        "joint_values x 0", 1, "linear"
    )
    trajectory = env.create("trajectory", "")
    trajectory.init(spec.add_group("deltatime", 1))
    trajectory.insert(0, [(0, 0), (1, 1)])
    items = (env, robot, report, env.problems, report.problems, trajectory)
    assert robot.name == name
    for item in items:
        text = checked(item._repr_html_())
        assert name not in text
    assert all(quoted in one._repr_html_() for one in (env, robot, report))


def vector_graphic(text):
    return base64.b64decode(re.search(r"svg\+xml;base64,([^\"]+)", text)[1]).decode()


def test_curves_are_drawn_within_their_frame():
    lines = np.column_stack([np.linspace(0, 1, 5), np.full(5, 0.25)])
    graphic = vector_graphic(curves(lines, ["a", "b<c>"], 2.0))
    root = ET.fromstring(graphic)  # noqa: S314 - our own text
    space = "{http://www.w3.org/2000/svg}"
    found = [one.get("points").split() for one in root.iter(space + "polyline")]
    points = np.array([[pair.split(",") for pair in one] for one in found], float)
    frame = root.find(space + "rect")
    assert points[..., 0].min() == 0
    assert points[..., 0].max() == float(frame.get("width"))
    height = float(frame.get("height"))
    assert points[..., 1].min() > 0
    assert points[..., 1].max() < height
    # upwards, and in proportion
    first, flat = points[..., 1]
    assert (np.diff(first) < 0).all()
    np.testing.assert_allclose(flat, first[0] + 0.25 * (first[-1] - first[0]), atol=0.2)
    texts = [one.text for one in root.iter(space + "text")]
    assert {"a", "b<c>", "0", "1", "2.000 s"} <= set(texts)


def test_a_motion_is_drawn(demo):
    for item in (demo["trajectory"], demo["plan"]):
        assert ">joint1</text>" in vector_graphic(item._repr_html_())
    assert "svg" not in demo["no plan"]._repr_html_()
    # nothing to draw without times, without waypoints, and of another body
    env = demo["environment"]
    empty = env.create("trajectory", "")
    assert "svg" not in checked(empty._repr_html_())
    spec = pyrave.ConfigurationSpecification().add_group("joint_values heron7 0", 1)
    empty.init(spec)
    empty.insert(0, [(0,), (1,)])
    assert "svg" not in checked(empty._repr_html_())


def test_pictures_show_themselves(demo):
    image = demo["picture"]
    assert image._repr_png_().startswith(b"\x89PNG")
    part = image[10:20, 5:25]
    assert repr(part) == "<Picture: 20 x 10 pixels>"
    # arrays in all else
    assert image[0, 0]._repr_png_() is None
    assert repr(image[0, 0]) == repr(np.array(image[0, 0]))
    assert type(np.asarray(image)) is np.ndarray
    assert np.array_equal(pickle.loads(pickle.dumps(image)), image)  # noqa: S301
    assert (image.astype(float) / 255)._repr_png_() is None


def test_problems_are_a_line_at_the_prompt_and_a_list_in_print():
    env = pyrave.Environment()
    with pytest.warns(pyrave.SceneWarning):
        env.load_string("<environment><foo/></environment>")
    assert repr(env.problems) == f"<1 problem: {env.problems[0]}>"
    with pytest.warns(pyrave.SceneWarning):
        env.load_string("<environment><foo/>\n<bar/></environment>")
    first, second = env.problems
    assert repr(env.problems) == f"<2 problems, the first: {first}>"
    assert str(env.problems) == f"{first}\n{second}"
    assert first.place == "<string>:1:14"
    assert "unknown tag &lt;bar&gt;" in checked(env.problems._repr_html_())
    env.load_string("<environment/>")
    assert str(env.problems) == "no problems"
    assert env.problems == ()


def test_many_rows_are_cut():
    shown = table(["n"], [[str(i)] for i in range(25)])
    assert shown.count("<td ") == 10
    assert "15 more" in shown
    assert listed(map(str, range(12))).endswith("9, ... (2 more)")
    assert listed([]) == ""


def test_counts():
    assert [counted(n, "body") for n in (0, 1, 2)] == ["0 bodies", "1 body", "2 bodies"]
    assert counted(2, "touch") == "2 touches"


def test_data_are_one_line():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots[0]
    arm, link, joint = robot.manipulators[0], robot.links[0], robot.joints[0]
    shown = [
        repr(item)
        for item in (
            *(link.description, joint.description, link.geometries[0].description),
            *(robot.get_state(), robot.glimpse(), env.viewpoint(), env.describe()),
            arm.ik_parameterization("Transform6D"),
            *(sensor.get_sensor_geometry() for sensor in env.sensors),
        )
    ]
    assert shown[:3] == [
        "<LinkDescription 'base': 3 geometries>",
        "<JointDescription 'joint1': hinge, base > link1>",
        "<GeometryDescription '': Cylinder>",
    ]
    assert "link_transforms=(11x4x4)" in shown[4]
    assert "nan" not in "".join(shown)
    assert all(len(line) < 400 and "\n" not in line for line in shown)


def test_data_of_all_sensors_are_one_line():
    env = pyrave.Environment()
    kinds = env.registry.ids("sensor")
    assert len(kinds) > 8
    for kind in kinds:
        geometry = env.create("sensor", kind).get_sensor_geometry()
        line = repr(geometry)
        assert line.startswith(f"<{type(geometry).__name__}")
        assert len(line) < 500
        assert "\n" not in line


def test_names_after_a_dot():
    assert not {"TYPE_CHECKING", "annotations", "logging", "exports"} & set(dir(pyrave))
    assert {"load", "Environment", "spatial"} <= set(dir(pyrave))
    for name in dir(pyrave):
        if isinstance(room := getattr(pyrave, name), ModuleType):
            assert set(dir(room)) == set(room.__all__)
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots[0]
    for item in (env, robot, robot.links[0], env.sensors[0]):
        unlisted = {
            name
            for kind in type(item).__mro__
            for name in kind.__dict__.get("_unlisted", "").split()
        }
        assert unlisted
        assert not unlisted & set(dir(item))
        # what is left out is there all the same: the list has no name of the past
        assert not [name for name in unlisted if not hasattr(item, name)]
    assert {"dof_values", "plan", "env", "name"} <= set(dir(robot))


def test_names_in_brackets():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots[0]
    assert robot.links._ipython_key_completions_() == list(robot.links.names)
    env.publish()
    assert "mug" in env.published._ipython_key_completions_()


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (pyrave.load, {"strict", "resource_roots", "rename", "arguments"}),
        (pyrave.read, {"strict", "attributes"}),
        (pyrave.convert, {"strict", "expand", "srdf"}),
        (pyrave.Environment.load, {"strict", "plugin_paths"}),
        (pyrave.Environment.save, {"expand", "embed_meshes", "body", "srdf"}),
    ],
)
def test_options_are_in_the_signature(function, wanted):
    parameters = inspect.signature(function).parameters
    assert wanted <= set(parameters)
    assert "options" not in parameters
    for name, one in parameters.items():
        if one.kind is one.KEYWORD_ONLY:
            # what it says is left out is what leaving it out means
            usual = ACCELERATION_TIME if name == "acceleration_time" else False
            assert one.default in (usual, False, None, (), ""), name


def test_defaults_that_signatures_show_do_what_leaving_out_does(tmp_path):
    found = {
        name: one.default
        for name, one in inspect.signature(pyrave.load).parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }
    one = pyrave.load("scenes/minimal.env.xml")
    other = pyrave.load("scenes/minimal.env.xml", **found)
    assert one.describe() == other.describe()


def test_what_is_empty_has_no_colon_and_one_is_one(demo):
    env, robot = demo["environment"], demo["robot"]
    assert repr(env.modules) == "<0 modules>"
    assert repr(robot.configurations) == "<0 configurations>"
    hits = env.raycast([0, 0, 2], [[0, 0, -1]])
    assert repr(hits).startswith("<WorldHits: 1 ray, 1 hit; known: instance, ")


def test_why_a_path_ends_is_said_once(demo):
    arm = demo["robot"].manipulators[0]
    goal = arm.transform
    goal[0, 3] += 5
    path = arm.straight_line(goal, steps=5)
    assert not path
    assert repr(path) == f"<IkPath: ends after {len(path)} of 6 goals: {path.cause}>"


def test_images_and_scans_are_pictures_without_html(demo):
    for name in ("scan", "image"):
        assert demo[name]._repr_png_().startswith(b"\x89PNG")
    assert demo["no image"]._repr_png_() is None
    assert not hasattr(demo["wrench"], "_repr_png_")


def test_private_names_are_not_offered(demo):
    for name in ("environment", "robot", "link"):
        offered = [one for one in dir(demo[name]) if re.match("_[a-z]", one)]
        assert offered in ([], ["_repr_html_"])
