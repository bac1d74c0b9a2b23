"""Compilation: structure, adjacency, and what is refused."""

import dataclasses
import math
import pickle

import numpy as np
import pytest

from pyrave.errors import ArgumentError, NotFoundError, SceneError
from pyrave.kinematics import (
    check_followers,
    compile_body,
    joint_values,
    link_transforms,
)
from pyrave.scene import (
    BodyDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    Location,
    MimicFormula,
    Pose,
)

Z = (0.0, 0.0, 1.0)


def hinge(name, parent, child, **more):
    axis = more.pop("axis", JointAxis(Z))
    return JointDescription(name, "hinge", parent, child, axes=(axis,), **more)


def body(names, joints, **more):
    return BodyDescription(
        "b", tuple(LinkDescription(n) for n in names), joints, **more
    )


def test_lone_links_share_a_model_only_if_they_are_equal():
    def model(name="base", **changes):
        link = LinkDescription(name, **changes)
        return compile_body(BodyDescription("thing", (link,)))

    heavy = Inertial(2.0)
    assert model(inertial=heavy) is model(inertial=Inertial(2.0))
    assert model() is not model(inertial=heavy)
    assert model() is not model("other")
    assert model(static=True).link_static[0]
    assert not model().link_static[0]


def test_single_link_shares_constants_and_keeps_its_mass():
    inertial = Inertial(2.0, (0.1, 0.2, 0.3))
    model = compile_body(
        BodyDescription("b", (LinkDescription("l", inertial=inertial),))
    )
    other = compile_body(BodyDescription("c", (LinkDescription("m"),)))
    assert model.link_names == ("l",)
    assert model.places is other.places
    assert model.masses.tolist() == [2.0]
    assert model.coms.tolist() == [[0.1, 0.2, 0.3]]
    assert model.n_dof == 0
    assert model.adjacent_links.shape == (0, 2)
    base = Pose.from_translation(1, 2, 3).matrix
    np.testing.assert_array_equal(link_transforms(model, base, []), base[None])


def test_degrees_of_freedom_are_numbered_in_order_of_appearance():
    joints = (
        hinge("P", "a", "b", active=False),
        JointDescription("U", "universal", "b", "c", axes=(JointAxis(Z),) * 2),
        hinge("M", "c", "d", axis=JointAxis(Z, mimic=MimicFormula("H"))),
        hinge("H", "d", "e"),
        JointDescription("F", "fixed", "e", "f"),
    )
    model = compile_body(body("abcdef", joints))
    assert model.n_dof == 3
    assert [model.joint_names[j] for j in model.value_joint] == [
        "U",
        "U",
        "H",
        "P",
        "M",
    ]
    assert model.active_joints.tolist() == [1, 3]
    assert model.passive_joints.tolist() == [0, 2, 4]
    assert model.joint_dof_index.tolist() == [-1, 0, -1, 2, -1]
    assert model.joint_static.tolist() == [False, False, False, False, True]


def test_the_tree_starts_at_link_0_whatever_the_joints_say():
    model = compile_body(body("abc", (hinge("J0", "c", "b"), hinge("J1", "b", "a"))))
    assert model.parent_link.tolist() == [-1, 0, 1]
    assert model.joint_hierarchy.tolist() == [[1, 2], [0, 1]]
    assert model.joint_order.tolist() == [1, 0]
    assert model.joint_links.tolist() == [[2, 1], [1, 0]]


def test_joints_are_ordered_by_depth_then_index():
    joints = (
        hinge("a1", "a", "b"),
        hinge("a2", "b", "c"),
        hinge("b1", "a", "d"),
        hinge("b2", "d", "e"),
    )
    model = compile_body(body("abcde", joints))
    assert [model.joint_names[j] for j in model.joint_order] == ["a1", "b1", "a2", "b2"]


def test_a_joint_that_closes_a_loop_is_kept_and_moves_nothing():
    joints = (hinge("J0", "a", "b"), hinge("J1", "b", "c"), hinge("J2", "c", "a"))
    model = compile_body(body("abc", joints))
    assert model.closing_joints.tolist() == [1]
    assert model.n_dof == 3
    assert model.dof_affects.tolist() == [
        [False, True, False],
        [False, False, False],
        [False, False, True],
    ]
    assert model.parent_links("b").tolist() == [0, 2]


def test_chain_affects_and_paths(bodies):
    model = compile_body(bodies.mimic_chain())
    chain = model.chain("L0", "L5")
    assert chain.links.tolist() == [0, 1, 2, 3, 4, 5]
    assert [model.joint_names[j] for j in chain.joints] == [
        "J0b",
        "J0",
        "J0a",
        "J2",
        "J1",
    ]
    assert chain.dof_indices.tolist() == [0, 1]
    assert model.chain("L5", "L3").links.tolist() == [5, 4, 3]
    # J0b is nearest the base and follows J0, which is degree of freedom 0
    assert model.dof_affects[0].tolist() == [False, True, True, True, True, True]
    assert model.dof_affects[1].tolist() == [False] * 4 + [True] * 2
    assert model.affects(1, "L5")
    with pytest.raises(ArgumentError, match=r"dof index 2 is not in 0\.\.1"):
        model.affects(2, 0)


def test_chain_between_branches_goes_through_their_fork():
    joints = (hinge("J0", "a", "b"), hinge("J1", "b", "c"), hinge("J2", "b", "d"))
    model = compile_body(body("abcde", joints))
    assert model.chain("c", "d").links.tolist() == [2, 1, 3]
    with pytest.raises(ArgumentError, match="no joints connect link 'a' to 'e'"):
        model.chain("a", "e")
    with pytest.raises(NotFoundError, match="no link 'aa'"):
        model.chain("aa", "b")


def test_adjacency(bodies):
    fixed = JointDescription("F", "fixed", "b", "c")
    dummy = hinge("D", "e", "f", axis=JointAxis(Z, lower=0.0, upper=0.0), active=False)
    joints = (
        hinge("J0", "a", "b"),
        fixed,
        hinge("J1", "c", "d"),
        hinge("J2", "d", "e"),
    )
    links = tuple(LinkDescription(n, geometries=bodies.box) for n in "abcdef")
    described = BodyDescription("b", links, (*joints, dummy))
    model = compile_body(described)
    # groups: a | b c | d | e f in a row
    assert model.rigid_group.tolist() == [0, 1, 1, 3, 4, 4]
    assert model.rigidly_attached("c").tolist() == [2, 1]
    far = {(0, 3), (0, 4), (0, 5), (1, 4), (1, 5), (2, 4), (2, 5)}
    assert set(map(tuple, model.non_adjacent_links.tolist())) == far
    every = {(i, j) for i in range(6) for j in range(i + 1, 6)}
    assert set(map(tuple, model.adjacent_links.tolist())) == every - far

    declared = dataclasses.replace(
        described, adjacent=frozenset({("e", "a")}), joined_links_adjacent=False
    )
    assert compile_body(declared).adjacent_links.tolist() == [[0, 4]]
    bare = dataclasses.replace(described, joined_links_adjacent=False)
    bare = dataclasses.replace(
        bare, links=(*links[:5], dataclasses.replace(links[5], geometries=()))
    )
    assert compile_body(bare).adjacent_links.tolist() == [[i, 5] for i in range(5)]


def test_links_without_joints_keep_their_place():
    links = (
        LinkDescription("a"),
        LinkDescription("b", Pose.from_translation(1, 0, 0)),
        LinkDescription("c", Pose.from_axis_angle(Z, 0.5, (0.0, 2.0, 0.0))),
    )
    model = compile_body(BodyDescription("b", links, (hinge("J", "b", "c"),)))
    base = Pose.from_axis_angle((1, 0, 0), 0.3, (5.0, 0.0, 0.0)).matrix
    poses = link_transforms(model, base, [0.25])
    np.testing.assert_allclose(poses[1], base @ links[1].pose.matrix, atol=1e-15)
    turned = poses[1] @ Pose.from_axis_angle(Z, 0.25).matrix
    np.testing.assert_allclose(poses[2], turned, atol=1e-15)
    assert model.rigidly_attached("a").tolist() == [0]
    fixed = tuple(dataclasses.replace(link, static=True) for link in links[:2])
    still = BodyDescription("b", (*fixed, links[2]), (hinge("J", "b", "c"),))
    assert compile_body(still).rigidly_attached("a").tolist() == [0, 1]


def test_limits_of_circular_axes_and_wrap_offsets():
    joints = (
        hinge("C", "a", "b", axis=JointAxis(Z, lower=-1.0, upper=2.0, circular=True)),
        hinge("W", "b", "c", axis=JointAxis(Z, lower=-1.0, upper=4.0)),
    )
    model = compile_body(body("abc", joints))
    assert model.dof_lower.tolist() == [-10000.0, -1.0]
    assert model.dof_upper.tolist() == [10000.0, 4.0]
    assert model.value_upper.tolist() == [2.0, 4.0]
    assert model.wrap_offsets.tolist() == [0.0, 1.5]


def test_models_are_read_only_and_pickle(bodies):
    model = compile_body(bodies.mimic_chain())
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    for one in (model, copy):
        with pytest.raises(ValueError, match="read-only"):
            one.places[0, 0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            one.dof_affects[0, 0] = True
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.n_dof = 3
    q = [0.2, 0.3]
    np.testing.assert_array_equal(
        link_transforms(model, np.eye(4), q), link_transforms(copy, np.eye(4), q)
    )


def problems_of(described):
    with pytest.raises(SceneError) as caught:
        compile_body(described)
    return caught.value.problems


def test_all_problems_are_reported_with_their_places():
    joints = (
        hinge("J0", "a", "bb", location=Location("f.xml", 7)),
        hinge("J0", "a", "b", axis=JointAxis((0.0, 0.0, 0.0))),
        JointDescription("S", "spherical", "a", "a", axes=(JointAxis(Z),) * 3),
    )
    problems = problems_of(body("aab", joints, adjacent=frozenset({("a", "x")})))
    text = "\n".join(map(str, problems))
    assert "2 links named 'a'" in text
    assert "2 joints named 'J0'" in text
    assert "f.xml:7: error: joint 'J0' is attached to the unknown link 'bb'" in text
    assert "did you mean 'b'?" in text
    assert "axis 0 of joint 'J0' is (0.0, 0.0, 0.0), it has no direction" in text
    assert "connects link 'a' with itself" in text
    assert "three perpendicular right-handed axes" in text
    assert "unknown link 'x' adjacent" in text
    assert len(problems) == 7


def test_no_link_is_refused_but_unnamed_links_are_not():
    assert problems_of(BodyDescription("b"))[0].code == "no-link"
    assert compile_body(body(("a", "", ""), ())).n_links == 3


def test_mimic_problems_name_the_joint():
    def follow(name, formula, parent, child):
        axis = JointAxis(Z, mimic=MimicFormula(formula, location=Location("m.xml", 3)))
        return hinge(name, parent, child, axis=axis)

    bad = (follow("A", "2*Bx", "a", "b"), follow("B", "1 +", "b", "c"))
    first, second = problems_of(body("abc", bad))
    assert str(first).startswith("m.xml:3: error: joint 'A': formula '2*Bx'")
    assert "unknown name 'Bx' (column 3)" in first.message
    assert "joint 'B'" in second.message
    circle = (follow("A", "B", "a", "b"), follow("B", "A + 1", "b", "c"))
    (problem,) = problems_of(body("abc", circle))
    assert problem.code == "mimic-cycle"
    assert "A, B follow each other" in problem.message
    own = (follow("A", "A/2", "a", "b"),)
    assert problems_of(body("ab", own))[0].code == "mimic-cycle"


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("9^9^9^9*A", "is nan"),
        ("9^9^9^9", "is inf"),
        ("log(A - 1)", "is nan"),
        ("1/A", "is inf"),
    ],
)
def test_formulas_are_finite_where_the_body_starts(formula, words):
    mimic = MimicFormula(formula, location=Location("m.xml", 3))
    axis = JointAxis(Z, lower=-math.inf, upper=math.inf, mimic=mimic)
    joints = (hinge("A", "a", "b"), hinge("B", "b", "c", axis=axis))
    (problem,) = problems_of(body("abc", joints))
    assert problem.code == "formula-not-finite"
    assert (problem.file, problem.line) == ("m.xml", 3)
    assert f"joint 'B': the formula {formula!r} {words}" in problem.message


def test_limits_make_no_value_of_a_formula_that_has_none():
    axis = JointAxis(Z, lower=-1, upper=1, mimic=MimicFormula("1/A"))
    joints = (hinge("A", "a", "b"), hinge("B", "b", "c", axis=axis))
    (problem,) = problems_of(body("abc", joints))
    assert problem.code == "formula-not-finite"
    assert "joint 'B': the formula '1/A' is inf" in problem.message
    model = compile_body(body("abc", joints, dof_values=(0.5,)))
    # where there is a value it stops at the limits
    assert joint_values(model, [0.5]).tolist() == [0.5, 1]
    assert joint_values(model, [-2.0]).tolist() == [-2, -0.5]
    assert not np.isfinite(joint_values(model, [0.0])[1])
    with pytest.raises(ArgumentError, match="'B' follows others and its formula"):
        check_followers(model, np.array([0.0]))


def test_bodies_may_start_where_their_formulas_are_finite():
    axis = JointAxis(Z, mimic=MimicFormula("sqrt(A) - 0.5"))
    joints = (hinge("A", "a", "b"), hinge("B", "b", "c", axis=axis))
    model = compile_body(body("abc", joints, dof_values=(0.25,)))
    check_followers(model, np.array([0.25]))
    with pytest.raises(ArgumentError, match=r"joint .B. follows others .* nan"):
        check_followers(model, np.array([-1.0]))


def test_axes_are_normalised():
    model = compile_body(
        body("ab", (hinge("J", "a", "b", axis=JointAxis((0, 0, 5.0))),))
    )
    assert model.axis_directions.tolist() == [[0.0, 0.0, 1.0]]
    poses = link_transforms(model, np.eye(4), [math.pi / 2])
    np.testing.assert_allclose(poses[1, :3, 0], [0, 1, 0], atol=1e-15)


def test_the_hash_is_of_the_kinematics_alone(bodies, rng):
    described = bodies.random(rng, ("hinge", "slider", "spherical"))
    first = compile_body(described).kinematics_hash
    heavy = tuple(
        dataclasses.replace(link, name=f"x{i}", inertial=Inertial(7.0))
        for i, link in enumerate(described.links)
    )
    names = {a.name: b.name for a, b in zip(described.links, heavy, strict=True)}
    joints = tuple(
        dataclasses.replace(j, parent=names[j.parent], child=names[j.child])
        for j in described.joints
    )
    renamed = dataclasses.replace(described, links=heavy, joints=joints)
    assert compile_body(renamed).kinematics_hash == first
    moved = dataclasses.replace(
        joints[0], T_parent_joint=Pose.from_translation(1, 2, 3)
    )
    other = dataclasses.replace(renamed, joints=(moved, *joints[1:]))
    assert compile_body(other).kinematics_hash != first


def test_a_formula_of_all_joints_is_refused_before_it_costs_anything():
    names = [f"J{i}" for i in range(400)]
    links = tuple(LinkDescription(f"L{i}") for i in range(402))
    joints = [hinge(n, f"L{i}", f"L{i + 1}") for i, n in enumerate(names)]
    axis = JointAxis(Z, mimic=MimicFormula("*".join(names)))
    joints.append(hinge("M", "L400", "L401", axis=axis))
    (problem,) = problems_of(BodyDescription("b", links, tuple(joints)))
    assert "joint 'M': a formula of" in problem.message
