"""Loops that passive joints keep closed: a four-bar linkage, in closed form."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest
from loops import each
from scene_files import scene_beside

import pyrave
from pyrave import kinematics
from pyrave.bodies import KinBody
from pyrave.errors import ArgumentError, SceneError
from pyrave.scene import (
    BodyDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
    Pose,
)

Z = (0.0, 0.0, 1.0)
CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.9, 0.6, 1.0
BAR = Inertial(2.0, (0.2, 0.05, 0.0), (0.1, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.3))


def hinge(name, parent, child, x, in_child=0.0, *, formula=None, **more):
    mimic = None if formula is None else MimicFormula(formula)
    return JointDescription(
        name,
        "hinge",
        parent,
        child,
        Pose.from_translation(x, 0.0, 0.0),
        Pose.from_translation(in_child, 0.0, 0.0),
        axes=(JointAxis(Z, lower=-10.0, upper=10.0, mimic=mimic),),
        **more,
    )


def four_bar(**closing) -> BodyDescription:
    """Return a crank, a coupler and a rocker with a hand that follows."""
    names = ("ground", "crank", "coupler", "rocker", "hand")
    links = tuple(LinkDescription(name, inertial=BAR) for name in names)
    joints = (
        hinge("drive", "ground", "crank", 0.0),
        hinge("a", "crank", "coupler", CRANK, active=False),
        hinge("b", "ground", "rocker", GROUND, active=False),
        hinge("wave", "rocker", "hand", ROCKER, formula="-2*b+0.1"),
        hinge(
            "c",
            "coupler",
            "rocker",
            COUPLER,
            ROCKER,
            active=False,
            closes_loop=True,
            **closing,
        ),
    )
    return BodyDescription("bars", links, joints)


def made(description: BodyDescription) -> KinBody:
    env = pyrave.Environment()
    body = KinBody(env)
    body.init(description)
    env.add(body)
    return body


@pytest.fixture
def bars() -> KinBody:
    return made(four_bar())


def rocker_angles(q: float) -> tuple[float, float]:
    """Return both angles of the rocker: where two circles meet."""
    x, y = CRANK * math.cos(q) - GROUND, CRANK * math.sin(q)
    length = math.hypot(x, y)
    cosine = (length**2 + ROCKER**2 - COUPLER**2) / (2.0 * length * ROCKER)
    middle, half = math.atan2(y, x), math.acos(cosine)
    return middle - half, middle + half


def distance(a: float, b: float) -> float:
    return abs(math.remainder(a - b, 2.0 * math.pi))


def test_a_four_bar_linkage_turns_all_the_way_round(bars):
    assert bars.dof == 1
    assert [joint.name for joint in bars.passive_joints] == ["a", "b", "wave", "c"]
    sides = set()
    for q in np.linspace(0.1, 2.0 * math.pi - 0.1, 24):
        bars.dof_values = [q]
        rocker = bars.passive_joints["b"].values[0]
        gaps = [distance(rocker, one) for one in rocker_angles(q)]
        assert min(gaps) < 1e-9
        sides.add(int(np.argmin(gaps)))
        coupler, other = bars.links["coupler"], bars.links["rocker"]
        ends = [
            link.transform[:3] @ (x, 0.0, 0.0, 1.0)
            for link, x in ((coupler, COUPLER), (other, ROCKER))
        ]
        np.testing.assert_allclose(*ends, atol=1e-9)
        # the joint that closes the loop has the value that the poses mean
        turn = bars.passive_joints["c"].values[0]
        sums = bars.joint_values[:3].sum() - bars.joint_values[2]
        assert distance(sums + turn, rocker) < 1e-9
        assert bars.passive_joints["wave"].values[0] == pytest.approx(0.1 - 2 * rocker)
    # one way to assemble it all the time, though steps are as long as a quarter radian
    assert len(sides) == 1


def test_a_long_step_ends_as_short_ones_do(bars):
    bars.dof_values = [0.5]
    start = bars.get_state()
    for q in np.linspace(0.5, 5.5, 200):
        bars.dof_values = [q]
    slowly = bars.joint_values
    bars.set_state(start)
    bars.dof_values = [5.5]
    np.testing.assert_allclose(bars.joint_values, slowly, atol=1e-9)


def test_the_other_way_to_assemble_it(bars):
    bars.dof_values = [1.0]
    rocker, coupler = bars.passive_joints["b"], bars.passive_joints["a"]
    one, other = sorted(
        rocker_angles(1.0), key=lambda angle: distance(angle, rocker.values[0])
    )
    x = GROUND + ROCKER * math.cos(other) - CRANK * math.cos(1.0)
    y = ROCKER * math.sin(other) - CRANK * math.sin(1.0)
    first = bars.model.joint_values[[coupler.index, rocker.index], 0]
    bars.set_passive_values([math.atan2(y, x) - 1.0 + 0.1, other - 0.1], first)
    assert distance(rocker.values[0], other) < 1e-9
    bars.dof_values = [1.1]
    assert distance(rocker.values[0], one) > 0.5


def differences(compute, body, q, h=1e-6):
    ends = []
    for value in (q + h, q - h):
        body.dof_values = [value]
        ends.append(compute())
    body.dof_values = [q]
    return (ends[0] - ends[1]) / (2.0 * h)


@pytest.mark.parametrize("q", [0.4, 2.2, 4.0])
@pytest.mark.parametrize("link", ["coupler", "rocker", "hand"])
def test_derivatives(bars, q, link):
    bars.dof_values = [q]
    first, second = bars.jacobian(link), bars.hessian(link)
    one = bars.links[link]
    slope = differences(lambda: one.transform[:3, 3], bars, q)
    np.testing.assert_allclose(first[:3, 0], slope, atol=1e-8)
    curve = differences(lambda: bars.jacobian(link)[:, 0], bars, q)
    np.testing.assert_allclose(second[0, :, 0], curve, atol=1e-7)
    assert bars.structure.dof_affects(0, link)
    bars.dof_velocities = [1.5]
    np.testing.assert_allclose(one.velocity, 1.5 * first[:, 0], atol=1e-12)


def test_energy_is_conserved(bars):
    """Without gravity a linkage keeps its kinetic energy, 4th-order Runge-Kutta."""
    bars.env.gravity = (0.0, 0.0, 0.0)

    def acceleration(q, v):
        bars.dof_values, bars.dof_velocities = [q], [v]
        return bars.forward_dynamics([0.0])[0]

    def energy(q, v):
        bars.dof_values = [q]
        return 0.5 * v * v * bars.mass_matrix()[0, 0]

    q, v, h = 0.4, 1.0, 0.02
    before = energy(q, v)
    for _ in range(60):
        a = acceleration(q, v)
        b = acceleration(q + 0.5 * h * v, v + 0.5 * h * a)
        c = acceleration(q + 0.5 * h * v + 0.25 * h * h * a, v + 0.5 * h * b)
        d = acceleration(q + h * v + 0.5 * h * h * b, v + h * c)
        q += h * v + h * h / 6.0 * (a + b + c)
        v += h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    assert abs(q - 0.4) > 0.5
    assert energy(q, v) == pytest.approx(before, rel=1e-7)


def test_batches(bars):
    bars.dof_values = [0.3]
    rows, rates = np.array([[0.4], [0.9], [2.0]]), [1.2]
    poses = bars.compute_link_transforms(rows)
    jacobians = bars.compute_jacobians(rows, "hand")
    twists = bars.dynamics.compute_link_accelerations(
        rows, rates, [[0.1], [0.2], [0.3]]
    )
    efforts = bars.dynamics.compute_inverse_dynamics(
        rows, rates, [0.5], external=np.ones((3, 5, 6))
    )
    assert bars.dof_values == [0.3]
    assert bars.dynamics.compute_mass_matrices(rows[:0]).shape == (0, 1, 1)
    for i, row in enumerate(rows):
        bars.dof_values, bars.dof_velocities = row, rates
        np.testing.assert_allclose(poses[i], bars.link_transforms, atol=1e-9)
        np.testing.assert_allclose(jacobians[i], bars.jacobian("hand"), atol=1e-9)
        found = bars.dynamics.link_accelerations([0.1 * (i + 1)])
        np.testing.assert_allclose(twists[i], found, atol=1e-8)
        found = bars.inverse_dynamics([0.5], external=np.ones((5, 6)))
        np.testing.assert_allclose(efforts[i], found, atol=1e-7)


def test_what_does_not_close_leaves_everything_as_it_was():
    description = four_bar()
    # a coupler that is too short for a full turn
    short = Pose.from_translation(0.4, 0.0, 0.0)
    joints = list(description.joints)
    joints[4] = pyrave.scene.JointDescription(
        **{
            **{name: getattr(joints[4], name) for name in joints[4].__slots__},
            "T_parent_joint": short,
        }
    )
    body = made(
        BodyDescription("bars", description.links, tuple(joints), dof_values=(0.1,))
    )
    state = body.get_state()
    stamp = body.pose_stamp
    with pytest.raises(
        ArgumentError, match=r"loops of 'bars' \(closed by 'c'\) do not"
    ):
        body.dof_values = [3.0]
    with pytest.raises(ArgumentError, match="nothing moved"):
        body.compute_link_transforms([[0.1], [3.0]])
    np.testing.assert_array_equal(body.joint_values[:4], state_values(body, state))
    assert body.pose_stamp == stamp


def state_values(body, state):
    return kinematics.joint_values(body.model, state.dof_values, state.passive_values)[
        :4
    ]


def test_copies_are_exact(bars):
    bars.dof_values = [2.5]
    env, values = bars.env, bars.joint_values
    for other in (env.clone(), pickle.loads(pickle.dumps(env))):  # noqa: S301
        copy = other.bodies["bars"]
        np.testing.assert_array_equal(copy.joint_values, values)
        copy.dof_values = [2.6]
        bars.dof_values = [2.6]
        np.testing.assert_array_equal(copy.joint_values, bars.joint_values)
        bars.dof_values = [2.5]
    np.testing.assert_array_equal(bars.clone().joint_values, bars.joint_values)


@pytest.mark.parametrize("suffix", ["env.xml", "dae"])
def test_files_keep_loops_closed(bars, suffix, tmp_path):
    bars.dof_values = [2.5]
    file = tmp_path / f"bars.{suffix}"
    bars.env.save(file)
    copy = pyrave.load(file).bodies["bars"]
    assert copy.model.joint_closes_loop.tolist() == [False] * 4 + [True]
    np.testing.assert_allclose(copy.joint_values, bars.joint_values, atol=1e-12)


X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("fixed", []),
        ("hinge", [Z]),
        ("slider", [X]),
        ("universal", [X, Y]),
        ("rp", [Z, X]),
        ("pr", [Y, Z]),
        ("spherical", [X, Y, Z]),
        ("compound", [X, Y, Z]),
    ],
)
@each("seed", range(3))
def test_every_type_of_joint_closes_loops(kind, axes, seed):
    """A hand on six passive joints goes where the joint on another arm lets it."""
    rng = np.random.default_rng(seed)
    slides = {"slider": "p", "rp": "rp", "pr": "pr"}.get(kind, "")
    described = tuple(
        JointAxis(axis, prismatic=slides[i : i + 1] == "p")
        for i, axis in enumerate(axes)
    )
    links = [LinkDescription(name) for name in ("base", *"abcdef", "arm")]
    directions = (X, Y, Z, X, Y, Z)
    joints = [
        JointDescription(
            f"p{i}",
            "slider" if i < 3 else "hinge",
            links[i].name,
            links[i + 1].name,
            axes=(JointAxis(axis, prismatic=i < 3, lower=-9.0, upper=9.0),),
            active=False,
        )
        for i, axis in enumerate(directions)
    ]
    near = Pose.from_axis_angle(tuple(rng.normal(size=3)), 0.5, (0.1, 0.2, 0.3))
    far = Pose.from_axis_angle(tuple(rng.normal(size=3)), 0.6, (0.3, 0.2, 0.1))
    joints += [
        JointDescription("turn", "hinge", "base", "arm", axes=(JointAxis(Z),)),
        JointDescription(
            "close", kind, "arm", "f", near, far, described, False, closes_loop=True
        ),
    ]
    body = made(BodyDescription("b", tuple(links), tuple(joints)))
    for q in rng.uniform(-1.0, 1.0, 4):
        body.dof_values = [q]
        poses = body.transforms_view
        joint = body.passive_joints["close"]
        start = poses[-1] @ near.matrix
        end = poses[6] @ far.matrix
        between = np.linalg.inv(start) @ end
        # an ordinary tree of the same joint says what it can do
        pair = (LinkDescription("arm"), LinkDescription("f"))
        alone = JointDescription("close", kind, "arm", "f", near, far, described)
        tree = kinematics.compile_body(BodyDescription("t", pair, (alone,)))
        values = joint.values
        if kind == "compound":  # whose values poses do not give back
            np.testing.assert_allclose(between[:3, 3], 0.0, atol=1e-9)
            continue
        wanted = kinematics.link_transforms(tree, np.eye(4), values)
        np.testing.assert_allclose(
            np.linalg.inv(poses[-1]) @ poses[6], wanted[1], atol=1e-9
        )


OPEN = scene_beside(__file__, "kept_loops_open.kinbody.xml")


def test_loops_of_other_files_are_closed_when_asked():
    """A parallelogram whose joints are all active: two of them give way."""
    body = pyrave.load_string(OPEN).bodies[0]
    body.dof_values = [0.3, 0.1, 0.0, 0.0]
    body.close_loops([1, 2])
    np.testing.assert_allclose(body.dof_values, [0.3, 0.3, -0.3, -0.3], atol=1e-9)
    before = body.dof_values
    body.set_dof_values([0.5], [0])
    with pytest.raises(ArgumentError, match="do not close by themselves"):
        body.close_loops()
    np.testing.assert_allclose(body.dof_values[1:3], before[1:3])
    body.dof_limits = np.full(4, -0.4), np.full(4, 0.4)
    body.set_dof_values([0.5], [0], limits=pyrave.LimitCheck.NONE)
    with pytest.raises(ArgumentError, match="limit"):
        body.close_loops([1, 2])


def test_what_cannot_close_a_loop_is_refused():
    links = tuple(LinkDescription(name) for name in ("a", "b", "c"))
    joint = hinge("j", "a", "b", 0.0)
    for bad, words in (
        (hinge("k", "b", "c", 0.0, active=False, closes_loop=True), "no other joints"),
        (hinge("k", "a", "b", 0.0, closes_loop=True), "expected a passive joint"),
    ):
        with pytest.raises(SceneError, match=words):
            kinematics.compile_body(BodyDescription("b", links, (joint, bad)))


def test_kernels_compiled_and_as_written_agree(bars):
    bars.dof_values = [0.7]
    model, system = bars.model, bars.model.kept_loops
    start = bars.joint_values
    wanted = start.copy()
    wanted[0] = 1.6
    body = model.motion_tree
    arrays = system.tree, system.places, body.tape, body.constants, body.partials
    module = kinematics.loop_closure._closing
    found = []
    for kernels in (module.python, module.jit):
        values = wanted.copy()
        gap = kernels.follow(
            arrays, system.ends, system.sites, system.moving, start, values, 5, 1e-6
        )
        assert gap < 1e-12
        found.append(values)
    np.testing.assert_allclose(*found, atol=1e-12)


def widened(description, most=1e7):
    """Return a body whose joints have no limits to speak of."""
    return dataclasses.replace(
        description,
        joints=tuple(
            dataclasses.replace(
                joint,
                axes=tuple(
                    dataclasses.replace(axis, lower=-most, upper=most)
                    for axis in joint.axes
                ),
            )
            for joint in description.joints
        ),
    )


def test_long_ways_are_followed_in_words_or_not_at_all():
    """In a step of a turn and more a mechanism may come out assembled otherwise."""
    body = made(widened(four_bar()))
    before = body.joint_values
    with pytest.raises(ArgumentError, match="4000 rad or m; go there in several steps"):
        body.dof_values = [2e5]
    np.testing.assert_array_equal(body.joint_values, before)
    for far in (500.0, 3500.0):
        body.dof_values = [far]
        expected = rocker_angles(far)[0]
        assert abs(distance(body.passive_joints["b"].values[0], expected)) < 1e-9


def slotted(second_loop):
    """Return a slide p and a follower on it that together reach 2 m: p + sqrt(p)."""

    def slide(name, parent, child, **more):
        formula = more.pop("formula", None)
        axis = JointAxis(
            (1.0, 0.0, 0.0),
            prismatic=True,
            lower=-10.0,
            upper=10.0,
            mimic=None if formula is None else MimicFormula(formula),
        )
        return JointDescription(name, "slider", parent, child, axes=(axis,), **more)

    joints = [
        slide("p", "base", "one", active=False),
        slide("f", "one", "two", formula="sqrt(p)"),
        JointDescription(
            "meet",
            "fixed",
            "base",
            "two",
            Pose.from_translation(2.0, 0.0, 0.0),
            closes_loop=True,
        ),
    ]
    names = ["base", "one", "two"]
    if second_loop:
        names.append("still")
        joints += [
            slide("r", "base", "still", active=False),
            JointDescription("rest", "fixed", "base", "still", closes_loop=True),
        ]
    links = tuple(LinkDescription(name) for name in names)
    return kinematics.compile_body(BodyDescription("slot", links, tuple(joints)))


@pytest.mark.parametrize("second_loop", [False, True])
def test_formulas_without_a_value_close_no_loop(second_loop):
    model = slotted(second_loop)
    values = np.zeros(model.n_values)
    values[model.value_names.index("p")] = -2.0  # no way leads from here
    _, gap = kinematics.close_loops(model, model.kept_loops, values)
    assert not gap <= kinematics.LOOP_TOLERANCE


def test_other_first_guesses_are_tried_where_a_formula_has_no_value():
    model = slotted(second_loop=False)
    values = np.zeros(model.n_values)
    place = model.value_names.index("p")
    values[place] = -0.01
    found, gap = kinematics.close_loops(model, model.kept_loops, values)
    assert gap <= kinematics.LOOP_TOLERANCE
    assert found[place] == pytest.approx(1.0)
