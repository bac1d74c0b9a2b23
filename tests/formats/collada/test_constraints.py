"""``<rigid_constraint>``: constraints of scenes, with limits and springs."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from collada_bodies import arm
from collada_documents import Robot, again, problems, read, written
from hypothesis import given
from hypothesis import strategies as st

import pyrave
from pyrave.scene import (
    CONSTRAINT_FREEDOMS,
    ConstraintDescription,
    IgnoredPair,
    Limits,
    LinkReference,
    Pose,
    SceneDescription,
    Spring,
    body_from_boxes,
    same,
)

ARM, BALL = LinkReference("rover", "arm"), LinkReference("ball", "base")
FREE = "<min>-INF -INF -INF</min><max>INF INF INF</max>"


def document(*constraints, unit=None, **changes):
    text = str(Robot(physics="", **changes))
    if unit is not None:
        text = text.replace('meter="1"', f'meter="{unit}"')
    return text.replace("</physics_model>", "".join(constraints) + "</physics_model>")


def constraint(
    limits="",
    spring="",
    *,
    first='rigid_body="rigid_link1"',
    second='rigid_body="pscene/pmodel2_inst/rigid_link0"',
    frames=("<translate>2 0 0</translate>", ""),
    more="",
    name="c",
):
    """Return a constraint of the arm and the ball, which is 2 m from it along x."""
    limits = f"<limits>{limits}</limits>" if limits else ""
    spring = f"<spring>{spring}</spring>" if spring else ""
    return (
        f'<rigid_constraint sid="{name}"><ref_attachment {first}>{frames[0]}'
        f"</ref_attachment><attachment {second}>{frames[1]}</attachment>"
        f"<technique_common>{more}{limits}{spring}</technique_common>"
        "</rigid_constraint>"
    )


def linear(low, high):
    return f"<linear><min>{low}</min><max>{high}</max></linear>"


def angular(low, high):
    tag = "swing_cone_and_twist"
    return f"<{tag}><min>{low}</min><max>{high}</max></{tag}>"


def only(text, **options):
    # the model has two instances, one of which has the arm
    found = read(text, **options).constraints
    assert [one.name for one in found] == ["c", "c_2"][: len(found)]
    return found[0]


def test_nothing_said_moves_nothing():
    one = only(document(constraint()))
    assert (one.kind, one.parent, one.child) == ("fixed", ARM, BALL)
    assert one.pose == Pose.from_translation(2.0, 0.0, 0.0)
    assert one.limits == ()
    assert one.spring is None


@pytest.mark.parametrize("axis", range(3))
def test_hinges_and_sliders_have_their_axis_along_z(axis):
    low, high = ["0"] * 3, ["0"] * 3
    low[axis], high[axis] = "-90", "45"
    hinge = only(document(constraint(angular(" ".join(low), " ".join(high)))))
    assert hinge.kind == "revolute"
    assert hinge.limits == (
        Limits(pytest.approx(-math.pi / 2), pytest.approx(math.pi / 4)),
    )
    slider = only(document(constraint(linear(" ".join(low), " ".join(high)))))
    assert (slider.kind, slider.limits) == ("prismatic", (Limits(-90.0, 45.0),))
    for one in (hinge, slider):
        matrix = one.pose.matrix
        assert matrix[:3, 2].tolist() == np.eye(3)[axis].tolist()
        assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1.0)


@pytest.mark.parametrize("free", list(itertools.product((False, True), repeat=6)))
def test_all_sets_of_directions_have_a_kind(free):
    """The motions that the kind leaves are those that the file does."""
    rows = [("-INF" if one else "0", "INF" if one else "0") for one in free]
    low, high = (" ".join(one) for one in zip(*rows[:3], strict=True))
    below, above = (" ".join(one) for one in zip(*rows[3:], strict=True))
    one = only(document(constraint(linear(low, high) + angular(below, above))))
    rotation = one.pose.matrix[:3, :3]
    limits = (*one.limits, *(Limits(),) * 6)
    found = np.zeros(6)
    for key, limit in zip(one.freedoms, limits, strict=False):
        if limit != Limits(0.0, 0.0):
            part = slice(3, 6) if key[0] == "r" else slice(0, 3)
            found[part] += np.abs(rotation[:, "xyz".index(key[-1])])
    assert found.tolist() == [float(one) for one in free]


def test_what_no_kind_has_is_free_and_goes_nowhere():
    one = only(document(constraint(linear("-1 -1 0", "1 1 0"))))
    assert one.kind == "free"
    assert one.limits == (Limits(-1, 1), Limits(-1, 1), *(Limits(0.0, 0.0),) * 4)


def test_the_world_has_no_name():
    """As PhysX's exporter for Maya writes a pendulum; its springs are none."""
    text = constraint(
        angular("-90 0 -INF", "90 0 INF"),
        "<angular><stiffness>0</stiffness></angular><linear><stiffness>0</stiffness>"
        "</linear>",
        first='rigid_body=""',
        second='rigid_body="./rigid_link1"',
        frames=("<translate>0 0 1</translate>", ""),
    )
    one = only(document(text))
    assert (one.parent, one.child) == (LinkReference(), ARM)
    assert one.kind == "universal"
    assert one.spring is None
    assert sorted(limit.upper for limit in (*one.limits, Limits())[:2]) == [
        pytest.approx(math.pi / 2),
        math.inf,
    ]


@pytest.mark.parametrize(
    "end",
    ['rigid_body="#rigid1"', 'rigid_body="pscene/pmodel1_inst/rigid_link1"'],
)
def test_ends_have_ids_and_paths(end):
    text = document(constraint(first=end)).replace(
        '<rigid_body sid="rigid_link1">', '<rigid_body sid="rigid_link1" id="rigid1">'
    )
    assert only(text, strict=False).parent == ARM


@pytest.mark.parametrize("end", ["#spot", "vscene/spot", "#node1"])
def test_ends_may_be_nodes(end):
    spot = '<node id="spot" sid="spot"><translate>0 0 5</translate></node>'
    text = document(
        constraint(linear("-9 -9 -9", "9 9 9"), first=f'rigid_body="{end}"')
    )
    text = text.replace("</visual_scene>", spot + "</visual_scene>")
    one = only(text)
    if end == "#node1":
        assert one.parent == ARM
        return
    assert one.parent == LinkReference()
    assert one.pose.translation == (2.0, 0.0, 5.0)


def test_lengths_have_the_unit_of_the_file():
    spring = "<linear><stiffness>3</stiffness><damping>4</damping></linear>"
    text = constraint(
        linear("0 0 -500", "0 0 500"),
        spring,
        frames=("<translate>2 0 0</translate>", ""),
    )
    one = only(document(text, unit="0.001"), strict=False)
    assert one.pose.translation == (0.002, 0.0, 0.0)
    assert one.limits == (Limits(-0.5, 0.5),)
    assert one.spring == Spring(((pytest.approx(1 / 3000),),), ((pytest.approx(4e3),),))


def test_springs_are_those_of_free_directions():
    text = constraint(
        linear("0 0 -INF", "0 0 INF") + angular("0 0 -INF", "0 0 INF"),
        "<angular><stiffness>2</stiffness><damping>1</damping></angular>"
        "<linear><stiffness>50</stiffness></linear>",
    )
    one = only(document(text))
    assert one.kind == "piston"
    per_radian = 180.0 / math.pi
    compliance = np.diag((1 / 50, 1 / (2 * per_radian)))
    np.testing.assert_allclose(one.spring.compliance, compliance)
    np.testing.assert_allclose(one.spring.damping, np.diag((0.0, per_radian)))


def test_a_damper_is_no_spring():
    spring = "<linear><stiffness>0</stiffness><damping>4</damping></linear>"
    one = only(document(constraint(linear("0 0 -1", "0 0 1"), spring)))
    assert one.spring == Spring(damping=((4.0,),))


def test_a_spring_along_one_of_two_directions_leaves_the_other_slack():
    spring = "<linear><stiffness>4</stiffness></linear>"
    text = constraint(linear("0 0 -1", "0 0 1") + angular("0 0 -9", "0 0 9"), spring)
    one = only(document(text))
    assert one.spring == Spring(((0.25, 0.0), (0.0, 1e12)))


def test_limits_count_from_where_links_start():
    """The slider of the arm is bound at 0.5 m, the ball 0.25 m from its frame."""
    spring = "<linear><target_value>0.25</target_value></linear>"
    text = constraint(
        linear("-1 0 0", "1 0 0"),
        spring,
        first='rigid_body="rigid_link2"',
        frames=("<translate>0.25 0 0</translate>", ""),
    )
    one = only(document(text, values=(0.0, 0.5)))
    assert one.limits == (Limits(pytest.approx(-1.25), pytest.approx(0.75)),)
    assert one.spring == Spring(((1.0,),))


def test_joints_that_start_turned_are_seen():
    """The arm turns by 90 degrees: what was along its x is along the world's y."""
    text = constraint(
        first='rigid_body=""',
        second='rigid_body="rigid_link2"',
        frames=(
            "<translate>0 1 1</translate><rotate>0 0 1 90</rotate>",
            "",
        ),
    )
    assert only(document(text, values=(90.0, 0.0))).kind == "fixed"
    (problem,) = problems(document(text))
    assert "starts where it may not be, in x y rz" in problem[1]


@pytest.mark.parametrize(("listed", "found"), [("cd", "cd"), ("d", "d"), ("x", "")])
def test_instances_list_constraints(listed, found):
    uses = "".join(f'<instance_rigid_constraint constraint="{o}"/>' for o in listed)
    text = document(constraint(), constraint(name="d")).replace(
        "</instance_physics_model>", uses + "</instance_physics_model>", 1
    )
    scene = read(text, strict=listed != "x")
    names = [one.name for one in scene.constraints]
    assert names == list(found)
    assert [one.code for one in scene.problems] == ["unresolved-reference"] * (
        listed == "x"
    )


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            constraint(linear("0 0 1", "0 0 -1")),
            "bad-constraint",
            "goes from 1 to -1 in <linear>; it is left out",
        ),
        (
            constraint(second='rigid_body="rigid_link1"'),
            "bad-constraint",
            "ties a link to itself; it is left out",
        ),
        (
            constraint(more="<enabled>false</enabled>"),
            "bad-constraint",
            "is not enabled; it is left out",
        ),
        (
            constraint(second='rigid_body="rigid_link9"'),
            "unresolved-reference",
            "the rigid body 'rigid_link9' is not found; <attachment> is left out",
        ),
        (
            constraint(second='rigid_body="pscene/nothing/rigid_link0"'),
            "unresolved-reference",
            "the rigid body 'pscene/nothing/rigid_link0' is not found",
        ),
    ],
)
def test_a_constraint_without_a_meaning_costs_only_itself(text, code, message):
    scene = read(document(text + constraint(name="d")), strict=False)
    assert {one.code for one in scene.problems} == {code}
    assert message in scene.problems[0].message
    assert scene.problems[0].line is not None
    assert [one.name for one in scene.constraints] == ["d"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            constraint(linear("NaN 0 0", "1 0 0")),
            "bad-number",
            "<min> holds 'NaN 0 0', expected 3 numbers, INF or -INF; it is ignored",
        ),
        (
            constraint(linear("0 0", "1 0 0")),
            "bad-number",
            "<min> holds '0 0', expected 3 numbers, INF or -INF; it is ignored",
        ),
        (
            constraint(
                linear("0 0 0", "1 0 0"), "<linear><stiffness>-1</stiffness></linear>"
            ),
            "bad-number",
            "<stiffness> is -1, expected 0 or more; it is taken as 0",
        ),
        (
            constraint(more="<interpenetrate>maybe</interpenetrate>"),
            "bad-truth",
            "<interpenetrate> holds 'maybe', expected true or false; it is ignored",
        ),
        (
            constraint(
                linear("-1 0 0", "1 0 0"),
                "<linear><target_value>0.5</target_value></linear>",
            ),
            "bad-constraint",
            "starts with its spring bent, in x; here it rests where the links start",
        ),
        (
            constraint(frames=("", "")),
            "bad-constraint",
            "starts where it may not be, in x; the links are held where they are",
        ),
    ],
)
def test_wrong_values_are_reported(text, code, message):
    scene = read(document(text), strict=False)
    assert {one.code for one in scene.problems} == {code}
    assert message in scene.problems[0].message
    assert len(scene.constraints) == 1


def test_links_may_overlap():
    more = "<interpenetrate>true</interpenetrate>"
    scene = read(document(constraint(more=more)))
    assert scene.ignored_pairs == (IgnoredPair("ball", "rover", "base", "arm"),)
    inside = constraint(
        angular(*("-INF " * 3, "INF " * 3)) + linear("-9 -9 -9", "9 9 9"),
        more=more,
        second='rigid_body="pscene/pmodel1_inst/rigid_link0"',
    )
    scene = read(document(inside))
    assert scene.ignored_pairs == ()
    assert ("arm", "base") in scene.bodies[0].adjacent


@pytest.mark.parametrize(
    ("said", "collide"), [("", False), ("true", False), ("false", True)]
)
def test_links_push_each_other_if_a_file_asks_for_it(said, collide):
    more = f"<interpenetrate>{said}</interpenetrate>" if said else ""
    scene = read(document(constraint(more=more)))
    assert [one.collide for one in scene.constraints] == [collide]


def test_a_fragment_has_the_constraints_of_its_body(tmp_path):
    world = constraint(
        linear("-INF 0 0", "INF 0 0"),
        first='rigid_body=""',
        second='rigid_body="pscene/pmodel1_inst/rigid_link1"',
        frames=("<translate>0 0 1</translate>", ""),
        name="rail",
    )
    path = written(tmp_path, "scene.dae", document(constraint(), world))
    env = pyrave.load(f"{path}#body1_motion")
    assert [one.name for one in env.constraints] == ["rail", "rail_2"]
    assert not [one for one in env.problems if "rigid body" in one.message]


def test_instances_may_not_multiply_constraints():
    many = "".join(constraint(name=f"c{number}") for number in range(101))
    instance = '<instance_physics_model url="#pmodel1" parent="#visual1">{}'
    uses = '<instance_rigid_body body="rigid_link1" target="#node1"/>'
    again = instance.format(uses) + "</instance_physics_model>"
    text = document(many).replace("</physics_scene>", again * 100 + "</physics_scene>")
    scene = read(text, strict=False)
    codes = {one.code for one in scene.problems}
    assert "too-many-constraints" in codes
    assert len(scene.constraints) <= 10_000


# -- written ---------------------------------------------------------------------------

ENDS = (LinkReference("arm", "part1"), LinkReference("ball", "base"), LinkReference())
_angles = st.floats(-3.0, 3.0)
_limits = st.builds(Limits, st.floats(-2.0, -0.1), st.floats(0.1, 2.0)) | st.just(
    Limits()
)


@st.composite
def ties(draw):
    kind = draw(st.sampled_from(sorted(CONSTRAINT_FREEDOMS)))
    parent, child = draw(st.permutations(ENDS))[:2]
    freedoms = CONSTRAINT_FREEDOMS[kind]
    limits = draw(st.lists(_limits, max_size=len(freedoms)))
    while limits and limits[-1] == Limits():
        limits.pop()
    amounts = {turns: draw(st.floats(1e-3, 1e3)) for turns in (False, True)}
    rows = np.diag([amounts[one[0] == "r"] for one in freedoms]).tolist()
    matrix = tuple(tuple(row) for row in rows)
    springs = [None, Spring(matrix), Spring((), matrix), Spring(matrix, matrix)]
    axis = draw(st.tuples(_angles, _angles, st.floats(0.1, 1.0)))
    place = draw(st.tuples(_angles, _angles, _angles))
    return ConstraintDescription(
        "tie",
        kind,
        parent,
        child,
        Pose.from_translation(*place) @ Pose.from_axis_angle(axis, draw(_angles)),
        tuple(limits),
        draw(st.sampled_from(springs)) if freedoms else None,
        draw(st.booleans()),
    )


def scene_of(*constraints, **changes):
    ball = body_from_boxes("ball", [(0, 0, 0, 0.1, 0.1, 0.1)])
    ball = dataclasses.replace(ball, pose=Pose.from_translation(1, 2, 3))
    robot = arm(3, dof_values=(0.3, 0.4))
    return SceneDescription((robot, ball), constraints=constraints, **changes)


@given(ties())
def test_others_read_what_is_described(tie):
    scene = scene_of(tie)
    made, losses = again(scene, exact=False)
    assert losses == set()
    assert made.problems == ()
    assert same(made.constraints, scene.constraints, 1e-9)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"spring": Spring(((0.1, 0.01), (0.01, 0.1)))}, "springs of constraints"),
        ({"spring": Spring(((0.1, 0.0), (0.0, 0.2)))}, "springs of constraints"),
        ({"spring": Spring(((0.0, 0.0), (0.0, 0.0)))}, "springs of constraints"),
        ({"limits": (Limits(0.0, 0.0),)}, "constraints"),
        ({"child": LinkReference("empty")}, "constraints"),
    ],
)
def test_what_collada_cannot_say_is_for_pyrave_alone(change, what):
    tie = ConstraintDescription("tie", "universal", ENDS[0], ENDS[1])
    scene = scene_of(dataclasses.replace(tie, **change))
    empty = pyrave.scene.BodyDescription("empty")
    scene = dataclasses.replace(scene, bodies=(*scene.bodies, empty))
    made, losses = again(scene)
    assert same(made, scene)
    assert losses == {f"{what} are for pyrave alone: 'tie'"}


@pytest.mark.parametrize("pair", [("part1", "base"), ("", "")])
def test_ignored_pairs_overlap(pair):
    ignored = IgnoredPair("arm", "ball", *pair)
    tie = ConstraintDescription("tie", "fixed", ENDS[0], ENDS[1])
    scene = scene_of(tie, ignored_pairs=(ignored,))
    assert same(again(scene)[0], scene)
    plain, _ = again(scene, exact=False)
    assert plain.ignored_pairs == (IgnoredPair("arm", "ball", "part1", "base"),)


def test_bodies_of_other_files_bring_their_constraints(tmp_path):
    inside = constraint(
        linear("-9 -9 -9", "9 9 9"), second='rigid_body="rigid_link2"', frames=("", "")
    )
    written(tmp_path, "robot.dae", document(inside))
    env = pyrave.load(tmp_path / "robot.dae#body1_motion", strict=True)
    assert env.save(tmp_path / "scene.dae", expand=False) == ()
    text = (tmp_path / "scene.dae").read_text()
    assert "rigid_constraint" not in text
    assert "constraints" not in text
    again = pyrave.load(tmp_path / "scene.dae", strict=True)
    assert again.constraints == env.constraints
