"""COLLADA scenes: bodies in hands, custom readables, fragments."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from collada_documents import Robot, problems, read, technique, written

import pyrave
from pyrave.scene import GrabDescription, Readable, XmlElement, XmlReadable

LOST = "unresolved-reference"
GRAB = """<rigid_constraint sid="grab0">
<ref_attachment rigid_body="pmodel1_inst/rigid_link2"/>
<attachment rigid_body="pmodel2_inst/rigid_link0"/>
<technique profile="OpenRAVE"><ignore_link link="{0}rigid_link1"/>
<ignore_link link="{0}rigid_link0"/></technique></rigid_constraint>"""


def constraints(content):
    return technique("dynamic_rigid_constraints", content)


@pytest.mark.parametrize("prefix", ["", "pmodel1_inst/"])
def test_a_hand_holds_a_ball(tmp_path, prefix):
    text = Robot(physics=constraints(GRAB.format(prefix)))
    assert read(text).grabs == (
        GrabDescription("rover", "hand", "ball", ("arm", "base")),
    )
    env = pyrave.load(written(tmp_path, "scene.dae", text), strict=True)
    robot, ball = env.bodies["rover"], env.bodies["ball"]
    before = ball.transform[:3, 3].tolist()
    robot.dof_values = [0.0, 0.5]
    assert ball.transform[:3, 3] == pytest.approx([before[0] + 0.5, *before[1:]])


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("pmodel1_inst/rigid_link2", "pmodel1_inst/rigid_link9", LOST),
        ("pmodel2_inst/rigid", "nothing/rigid", LOST),
        ('<attachment rigid_body="pmodel2_inst/rigid_link0"/>', "", LOST),
        ("pmodel2_inst/rigid_link0", "pmodel1_inst/rigid_link0", "bad-constraint"),
    ],
)
def test_a_wrong_constraint_costs_only_itself(old, new, code):
    wrong = GRAB.format("").replace(old, new)
    text = Robot(physics=constraints(wrong + GRAB.format("")))
    assert [one[0] for one in problems(text)] == [code]
    assert len(read(text, strict=False).grabs) == 1


def test_a_wrong_ignored_link_costs_only_itself():
    text = Robot(physics=constraints(GRAB.format("").replace("link1", "link8")))
    assert [one[0] for one in problems(text)] == ["unresolved-reference"]
    assert read(text, strict=False).grabs[0].ignored_links == ("base",)


# -- fragments -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["body1_motion", "body1_kinematics"])
def test_a_fragment_picks_one_body(tmp_path, name):
    path = written(tmp_path, "scene.dae", Robot(physics="", values=(0.0, 0.5)))
    assert len(pyrave.load(path).bodies) == 2
    env = pyrave.load(f"{path}#{name}", strict=True)
    (body,) = env.bodies
    assert body.name == "rover"
    assert body.dof_values.tolist() == [0.0, 0.5]


def test_a_fragment_may_be_a_model_that_no_scene_has(tmp_path):
    spare = """<library_kinematics_models><kinematics_model id="spare" name="spare">
    <technique_common><link sid="l" name="l"/></technique_common></kinematics_model>
    </library_kinematics_models>"""
    path = written(tmp_path, "scene.dae", Robot(libraries=spare))
    (body,) = pyrave.load(f"{path}#spare").bodies
    assert body.name == "spare"


def test_a_fragment_that_is_not_there_is_an_error(tmp_path):
    path = written(tmp_path, "scene.dae", Robot())
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(f"{path}#body1_motoin")
    assert caught.value.first.code == "unknown-fragment"
    assert caught.value.first.hint == "did you mean 'body1_motion'?"


def test_a_mark_may_be_part_of_a_file_s_name(tmp_path):
    path = written(tmp_path, "scene#1.dae", Robot())
    assert pyrave.load(path).bodies[0].name == "rover"
    assert pyrave.load(f"{path}#body1_motion").bodies[0].name == "rover"


def test_formats_without_parts_refuse_fragments(tmp_path):
    path = written(tmp_path, "a.xml", "<environment/>")
    with pytest.raises(pyrave.ArgumentError, match="which has no parts"):
        pyrave.load(f"{path}#x")
    with pytest.raises(pyrave.ResourceError, match=r"nothing\.dae"):
        pyrave.load(tmp_path / "nothing.dae#x")


# -- gravity ---------------------------------------------------------------------------


G = 9.797930195020351  # of environments about which nothing is said


@pytest.mark.parametrize(
    ("up", "gravity"),
    [("Z_UP", None), ("\n Y_UP \n", (0.0, -G, 0.0)), ("X_UP", (-G, 0.0, 0.0))],
)
def test_gravity_pulls_against_the_axis_that_points_up(tmp_path, up, gravity):
    text = str(Robot()).replace("Z_UP", up)
    assert read(text).gravity == gravity
    env = pyrave.load(written(tmp_path, "r.dae", text))
    assert env.gravity.tolist() == list(gravity or (0.0, 0.0, -G))
    assert read(str(Robot(physics="")).replace("Z_UP", up)).gravity == (0, 0, -9.81)


# -- custom readables ------------------------------------------------------------------


@dataclass(frozen=True)
class Gains(Readable):
    values: tuple[float, ...]

    def to_xml(self):
        return XmlElement("gains", text=" ".join(map(repr, self.values)))


def read_gains(element, context):
    words = [word for child in element for word in (child.text or "").split()]
    try:
        return Gains(tuple(map(float, words)))
    except ValueError:
        context.error("gains are numbers", element[0])
        return None


@pytest.mark.parametrize("part", ["link", "joint", "geometry"])
def test_readers_of_parts_of_bodies_read_what_they_wrote(tmp_path, part):
    def read_own(element, context):
        return Gains(tuple(map(float, (element.text or "").split())))

    tags = {"link": "", "joint": "", "geometry": ""} | {part: "<gains>1 2.5</gains>"}
    text = f"""<kinbody name="k"><body name="a"><geom type="sphere"><radius>1</radius>
{tags["geometry"]}</geom>{tags["link"]}</body><body name="b"/><joint name="j">
<body>a</body><body>b</body><axis>0 0 1</axis>{tags["joint"]}</joint></kinbody>"""
    env = pyrave.Environment()
    with env.registry.register_xml_reader(part, "gains", read_own):
        env.load_string(text)
        env.save(tmp_path / "k.dae")
        again = pyrave.Environment()
        with again.registry.register_xml_reader(part, "gains", read_own):
            again.load(tmp_path / "k.dae", strict=True)
    body = again.bodies["k"].describe()
    items = {
        "link": body.links[0],
        "joint": body.joints[0],
        "geometry": body.links[0].geometries[0],
    }
    assert items[part].readables == (("gains", Gains((1.0, 2.5))),)


@dataclass(frozen=True)
class Level(Readable):
    value: int

    def to_xml(self):
        return XmlElement("level", (("value", str(self.value)),))


def read_level(element, context):
    # as authors do: the tag and attributes are what the documentation promises
    assert element.tag == "level"
    return Level(int(element.attrib["value"]))


@pytest.mark.parametrize("kind", ["kinbody", "robot"])
def test_attributes_of_tags_come_back_and_nothing_is_refused(tmp_path, kind):
    text = f"""<{kind} name="k"><level value="3"/>
<body name="a"><geom type="sphere"><radius>1</radius></geom></body></{kind}>"""
    if kind == "robot":
        text = text.replace("<body", "<kinbody><body").replace(
            "y></r", "y></kinbody></r"
        )
    with pyrave.registry().register_xml_reader(kind, "level", read_level):
        env = pyrave.Environment()
        env.load_string(text, strict=True)
        env.save(tmp_path / "k.dae")
        again = pyrave.load(tmp_path / "k.dae", strict=True)
    assert again.bodies["k"].readables["level"] == Level(3)


GENERIC = technique(
    "bodyparameters",
    '<mass unit="kg">3</mass><Inner a="1"><deep/></Inner>',
    "limbs",
    profile="Generic",
)


def test_unknown_extras_are_kept_with_their_profile():
    (robot,) = read(Robot(motion=GENERIC, kinematics=technique("note", "<a/>"))).bodies
    found = dict(robot.readables)
    assert set(found) == {"bodyparameters", "note"}
    element = found["bodyparameters"].to_xml()
    assert element.tag == "extra"
    assert (element.get("type"), element.get("name")) == ("bodyparameters", "limbs")
    (part,) = element.children
    assert part.get("profile") == "Generic"
    assert [one.tag for one in part.children] == ["mass", "Inner"]


@pytest.mark.parametrize("profile", ["OpenRAVE", "Ours"])
def test_registered_readers_read_extras(tmp_path, profile, monkeypatch):
    registry = pyrave.registry()
    wanted = registry.xml_readers

    def find(kind, tag):
        ours = (kind, tag) == ("robot", "gains")
        return (("", read_gains),) if ours else wanted(kind, tag)

    monkeypatch.setattr(registry, "xml_readers", find)
    extra = technique("Gains", "<p>1 2.5</p><d>3</d>", profile=profile)
    text = Robot(motion=extra)
    (robot,) = read(text).bodies
    assert robot.readables == (("Gains", Gains((1.0, 2.5, 3.0))),)
    env = pyrave.load(written(tmp_path, "r.dae", text))
    assert env.robots["rover"].readables["gains"].values == (1.0, 2.5, 3.0)
    wrong = Robot(motion=technique("Gains", "\n<p>much</p>"))
    with pytest.raises(pyrave.SceneError) as caught:
        read(wrong)
    problem = caught.value.first
    assert "gains are numbers" in problem.message
    assert str(wrong).splitlines()[problem.line - 1].startswith("<p>")


def test_extras_without_type_or_technique_do_no_harm():
    odd = "<extra/><extra><technique profile='x'/></extra><extra type='a'/>"
    # no name of a tag
    odd += "<extra type='a\N{SUPERSCRIPT TWO}'><technique profile='x'/></extra>"
    (robot,) = read(Robot(motion=odd, kinematics=odd, model=odd)).bodies
    keys = ["extra", "extra", "a", "a\N{SUPERSCRIPT TWO}"]
    assert [key for key, _ in robot.readables] == keys * 2
    assert all(isinstance(one, XmlReadable) for _, one in robot.readables)


# -- found by fuzzing ------------------------------------------------------------------


def test_a_joint_that_is_used_twice_is_two_joints():
    twice = """<attachment_full joint="kmodel1/joint0"><link sid="link9" name="other"/>
    </attachment_full></link>\n</technique_common>"""
    text = str(Robot()).replace("</link>\n\n</technique_common>", twice)
    (robot,) = read(text).bodies
    assert [one.name for one in robot.joints] == ["joint0", "joint1", "joint0_2"]


def test_instances_that_hold_each_other_end():
    systems = "".join(
        f'<articulated_system id="a{i}"><motion>'
        + f'<instance_articulated_system url="#a{(i + 1) % 20}"/>' * 3
        + "</motion></articulated_system>"
        for i in range(20)
    )
    library = f"<library_articulated_systems>{systems}</library_articulated_systems>"
    text = str(Robot(libraries=library)).replace(
        "</kinematics_scene>",
        '<instance_articulated_system url="#a0"/></kinematics_scene>',
    )
    scene = read(
        text.replace("<axis><param>kscene", "<axis><param>nothing"), strict=False
    )
    assert [one.name for one in scene.bodies] == ["rover"]
    assert {one.code for one in scene.problems} >= {"unresolved-reference"}


ABSURD = [
    ("<translate>0 0 1</translate>", "<translate>0 0 1e31</translate>", "bad-number"),
    ("<translate>1 0 0</translate>", "<translate>1 0 1e300</translate>", "bad-number"),
    ('meter="1"', 'meter="1e40"', "bad-number"),
    ("0 0 0 1 0 0 0 1 0", "0 0 0 1e200 0 0 0 1 0", "bad-mesh"),
    ("0 0 0 1 0 0 0 1 0", "0 0 0 nan 0 0 0 1 0", "bad-mesh"),
    ('meter="1"', 'meter="9e29"', "absurd-number"),
    ("<mass>1</mass>", "<mass>1e40</mass>", "bad-number"),
]


@pytest.mark.parametrize(("old", "new", "code"), ABSURD)
def test_absurd_numbers_are_told(old, new, code):
    shown = ('<instance_geometry url="#geom0"/>',) * 3
    text = str(Robot(physics="", shown=shown))
    assert old in text
    with pytest.raises(pyrave.SceneError) as caught:
        read(text.replace(old, new))
    assert code in {one.code for one in caught.value.problems}


def test_scales_of_scales_end():
    inner = '<instance_geometry url="#geom0"/>'
    for _ in range(20):
        inner = f"<node><scale>1e30 1 1</scale>{inner}</node>"
    assert {code for code, _ in problems(Robot(shown=(inner, "", "")))} == {"bad-node"}


def test_deep_trees_are_no_problem():
    inner = '<instance_geometry url="#geom0"/>'
    turn = "<matrix>0 -1 0 0 1 0 0 0 0 0 1 0 0 0 0 1</matrix><scale>1 1 1</scale>"
    for _ in range(150):
        inner = f"<node>{turn}<rotate>0 0 1 -90</rotate>{inner}</node>"
    (robot,) = read(Robot(shown=(inner, "", ""))).bodies
    assert len(robot.links[0].geometries) == 1


def test_openrave_xml_may_name_one_system_of_a_file(tmp_path):
    written(tmp_path, "both.dae", Robot(physics=""))  # a rover and a ball
    outer = tmp_path / "a.env.xml"
    outer.write_text(
        '<environment><robot file="both.dae#body1_motion" name="one" prefix="p_"/>'
        '<robot name="two"><robot file="both.dae#body1_motion"/></robot></environment>'
    )
    env = pyrave.load(outer, strict=True)
    assert [len(robot.joints) for robot in env.robots] == [2, 2]
    assert env.robots["one"].joints[0].name == "p_joint0"
    (tmp_path / "sub").mkdir()
    for target in ("b.env.xml", "sub/b.env.xml"):
        assert env.save(tmp_path / target) == ()
        assert "both.dae#body1_motion" in (tmp_path / target).read_text()
        assert pyrave.load(tmp_path / target).describe() == env.describe()


def test_an_empty_part_of_a_file_is_all_of_it(tmp_path):
    written(tmp_path, "one.dae", Robot())
    text = '<environment><robot name="r"><robot file="one.dae#"/></robot></environment>'
    env = pyrave.load(written(tmp_path, "a.env.xml", text), strict=True)
    (tmp_path / "sub").mkdir()
    for target, named in (("b.env.xml", "one.dae"), ("sub/b.env.xml", "../one.dae")):
        assert env.save(tmp_path / target) == ()
        assert f'file="{named}"' in (tmp_path / target).read_text()
        assert pyrave.load(tmp_path / target).describe() == env.describe()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("both.dae#nothing", "unknown-fragment"),
        ("a.stl#part", "unknown-fragment"),
        ("none.dae#part", "missing-file"),
        ("a.robot.xml#part", "missing-file"),
    ],
)
def test_names_of_parts_that_are_not_there_are_told(tmp_path, name, code):
    written(tmp_path, "both.dae", Robot(physics=""))
    written(tmp_path, "a.robot.xml", "<robot/>")
    written(tmp_path, "a.stl", "solid s\nendsolid s\n")
    outer = written(
        tmp_path, "b.robot.xml", f'<robot name="r">\n<robot file="{name}"/></robot>'
    )
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(outer)
    problem = next(one for one in caught.value.problems if one.code == code)
    assert problem.line is not None
