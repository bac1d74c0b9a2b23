"""Constraints of a scene in the engine ``mujoco``."""

import math
import pickle

import numpy as np
import pytest
from physics_scenes import G, box, box_inertia, floor, run, world

import pyrave
from pyrave.scene import (
    CONSTRAINT_FREEDOMS,
    ConstraintDescription,
    Limits,
    LinkReference,
    Pose,
    Spring,
)
from pyrave.spatial import matrix_from_axis_angle, rotation_vector

pytest.importorskip("mujoco")
DOWN = tuple(matrix_from_axis_angle((1, 0, 0), math.pi / 2).ravel().tolist())
"""z of the constraint is -y of the world."""


def tied(kind, *, at=(0.0, 0.0, 0.0), rotation=None, **more):
    """Return a box whose centre is 0.5 m next to a point of the world."""
    env = world(box("a", (0.5, 0, 0), mass=2.0))
    pose = Pose(translation=at) if rotation is None else Pose(rotation, at)
    child = LinkReference("a", "base")
    constraint = ConstraintDescription("c", kind, LinkReference(), child, pose, **more)
    env.add_constraint(constraint)
    return env


def test_fixed():
    env = tied("fixed")
    run(env, 1.0)
    assert np.allclose(env.bodies["a"].transform, [
        [1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]
    ], atol=2e-3)  # fmt: skip
    env.remove_constraint("c")
    run(env, 0.5)
    assert env.bodies["a"].base_velocity[2] == pytest.approx(-0.5 * G, rel=1e-2)


def swung(seconds, moment):
    """Return the angle of a pendulum that starts at rest and level."""
    angle, speed = 0.0, 0.0
    for _ in range(round(seconds * 1e5)):
        speed += 1e-5 * 2.0 * G * 0.5 * math.cos(angle) / moment
        angle += 1e-5 * speed
    return angle


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
def test_pendulums(kind):
    env = tied(kind, rotation=DOWN)
    run(env, 0.5)
    moment = box_inertia(2.0, (0.1, 0.1, 0.1)).inertia[4] + 2.0 * 0.25
    angle = swung(0.5, moment)
    place = env.bodies["a"].transform[:3, 3]
    expected = (0.5 * math.cos(angle), 0, -0.5 * math.sin(angle))
    assert np.allclose(place, expected, atol=5e-3)
    assert not env.problems


def test_a_revolute_constraint_holds_its_axis():
    """About a vertical axis nothing falls."""
    env = tied("revolute")
    env.bodies["a"].links[0].set_torque((0, 0, 5.0))
    run(env, 1.0)
    place = env.bodies["a"].transform[:3, 3]
    assert abs(place[2]) < 5e-3
    assert np.linalg.norm(place[:2]) == pytest.approx(0.5, abs=2e-3)
    assert env.bodies["a"].base_velocity[5] > 0.01


def test_two_bodies_are_tied_to_each_other():
    env = world(box("a"), box("b", (0.5, 0, 0)), gravity=(0, 0, 0))
    ends = LinkReference("a"), LinkReference("b")
    env.add_constraint(ConstraintDescription("c", "fixed", *ends))
    env.bodies["a"].links[0].set_force((3.0, 0, 0), (0, 0, 0))
    run(env, 1.0)
    for name in "ab":
        speed = env.bodies[name].base_velocity[0]
        assert speed == pytest.approx(0.015, rel=1e-3)


def spring(compliance, damping):
    """Return a spring of diagonals or matrices."""
    rows = []
    for part in (compliance, damping):
        matrix = np.diag(part) if np.ndim(part) == 1 else np.asarray(part)
        rows.append(tuple(map(tuple, matrix.tolist())))
    return Spring(*rows)


def pair(kind, **more):
    """Return two boxes in space, turned against each other, with a constraint."""
    turned = tuple(matrix_from_axis_angle((0.3, -0.2, 0.5)).ravel().tolist())
    env = world(
        box("a", mass=2.0, half=(0.1, 0.2, 0.3)),
        box("b", (0.6, 0.1, 0.2), mass=1.0, half=(0.2, 0.1, 0.15), rotation=turned),
        gravity=(0, 0, 0),
    )
    env.ignore_collisions(*env.bodies)
    frame = tuple(matrix_from_axis_angle((0.7, 0.4, -0.6)).ravel().tolist())
    env.add_constraint(ConstraintDescription(
        "c", kind, LinkReference("a"), LinkReference("b"), Pose(frame, (0.3, 0, 0.1)),
        **more,
    ))  # fmt: skip
    return env


def momentum(env):
    """Return linear and angular momentum about the origin."""
    found = np.zeros(6)
    for body in env.bodies:
        (link,) = body.links
        turn = body.transform[:3, :3]
        v, w = body.base_velocity[:3], body.base_velocity[3:]
        spin = turn @ link.local_inertia @ turn.T @ w
        found[:3] += link.mass * v
        found[3:] += spin + link.mass * np.cross(body.transform[:3, 3], v)
    return found


@pytest.mark.parametrize("kind", CONSTRAINT_FREEDOMS)
def test_constraints_leave_their_directions_and_no_others(kind):
    env = pair(kind)
    frame = env.constraints[0].pose.matrix
    relative = np.linalg.inv(env.bodies["a"].transform) @ env.bodies["b"].transform
    env.bodies["a"].base_velocity = (0.1, 0.2, -0.1, 0.3, 0.1, 0.2)
    env.bodies["b"].base_velocity = (-0.1, 0.1, 0.2, 0.1, 0.3, -0.2)
    env.step(0.01)
    before = momentum(env)
    run(env, 1.0)
    assert np.allclose(momentum(env), before, atol=2e-5), "nothing pushes from outside"
    first, second = (env.bodies[name].transform for name in "ab")
    now = np.linalg.inv(first @ frame) @ second @ np.linalg.inv(relative) @ frame
    directions = CONSTRAINT_FREEDOMS[kind]
    for k, name in enumerate("xyz"):
        if name not in directions:
            assert abs(now[k, 3]) < 1e-5
        else:
            assert abs(now[k, 3]) > 0.01
    vector, turns = rotation_vector(now[:3, :3]), directions[-3:]
    if kind in {"universal", "prismatic_universal"}:
        assert abs(now[0, 1]) < 1e-5, "Rx(a) Ry(b) has no such element"
        assert min(abs(vector[:2])) > 0.01
        return
    free = np.array([f"r{name}" in turns for name in "xyz"])
    assert np.abs(vector[~free]).max(initial=0.0) < 1e-5
    assert np.abs(vector[free]).min(initial=1.0) > 0.01


def test_a_slide_on_an_incline():
    turn = matrix_from_axis_angle((0, 1, 0), math.pi / 6)
    env = tied("prismatic", rotation=tuple(turn.ravel().tolist()))
    run(env, 0.5)
    moved = env.bodies["a"].transform[:3, 3] - (0.5, 0, 0)
    way = -0.5 * G * math.cos(math.pi / 6) * 0.25
    assert np.allclose(moved, way * turn[:, 2], atol=5e-3 * abs(way))


def test_a_helical_slide_falls_and_turns():
    """A piston about a vertical axis, at whose end the box is."""
    env = tied("piston")
    env.bodies["a"].base_velocity = (0, 1.0, 0, 0, 0, 2.0)
    run(env, 0.5)
    place = env.bodies["a"].transform[:3, 3]
    assert place[2] == pytest.approx(-0.5 * G * 0.25, rel=5e-3)
    assert np.allclose(place[:2], (0.5 * math.cos(1), 0.5 * math.sin(1)), atol=1e-3)


@pytest.mark.parametrize(
    ("kind", "limits"),
    [
        ("prismatic", (Limits(-0.2, 0.1),)),
        ("piston", (Limits(-0.2, 0.1), Limits(-0.3, 0.5))),
        ("prismatic_rotoid", (Limits(-0.2, 0.1), Limits(-0.3, 0.5))),
        ("prismatic_universal", (Limits(-0.2, 0.1), Limits(-0.3, 0.5))),
        ("free", (Limits(-0.5, 0.3), Limits(), Limits(-0.2, 0.1))),
    ],
)
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_slides_stop_at_their_limits(kind, limits, sign):
    env = tied(kind, limits=limits, at=(0.5, 0, 0))
    env.gravity = (0, 0, sign * G)
    run(env, 1.0)
    height = env.bodies["a"].transform[2, 3]
    assert height == pytest.approx(0.1 if sign > 0 else -0.2, abs=1e-4)
    assert not env.problems


@pytest.mark.parametrize("kind", ["revolute", "universal", "piston", "spherical"])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_turns_stop_at_their_limits(kind, sign):
    """A box on an arm that falls from the level, or up."""
    axes = (0, 0, 1, -1, 0, 0, 0, -1, 0) if kind == "universal" else DOWN
    low, high = (-0.6, 0.6) if kind == "spherical" else (-0.6, 0.3)
    turn = Limits(low, high)
    limits = {"piston": (Limits(), turn), "spherical": (turn,) * 3}
    env = tied(kind, rotation=axes, limits=limits.get(kind, (turn,)))
    env.gravity = (0, 0, sign * G)
    run(env, 1.5)
    angle = math.atan2(*env.bodies["a"].transform[[2, 0], 3])
    assert angle == pytest.approx(high if sign > 0 else low, abs=2e-3)
    assert not env.problems


def test_a_spring_that_slides():
    """A damped oscillator, which is at rest where the frames are the same."""
    env = tied("prismatic", at=(0, 0, -0.05), spring=spring([0.01], [3.0]))
    omega, decay, sag = math.sqrt(50 - 0.75**2), 0.75, 2.0 * G * 0.01
    for _ in range(10):
        run(env, 0.1)
        t = env.simulation_time
        swing = math.cos(omega * t) + decay / omega * math.sin(omega * t)
        height = (0.05 + sag) * math.exp(-decay * t) * swing - 0.05 - sag
        assert env.bodies["a"].transform[2, 3] == pytest.approx(height, abs=2.5e-3)


def test_a_spring_that_turns():
    """About the box's own axis; the constraint's frame is turned by 0.4 against it."""
    inertia, stiffness, damping = 2.0 * 0.02 / 3.0, 1 / 2.0, 0.02
    turned = tuple(matrix_from_axis_angle((0, 0, 0.4)).ravel().tolist())
    env = tied("revolute", at=(0.5, 0, 0), rotation=turned,
               spring=spring([1 / stiffness], [damping]))  # fmt: skip
    decay = 0.5 * damping / inertia
    omega = math.sqrt(stiffness / inertia - decay**2)
    for _ in range(10):
        run(env, 0.1)
        t = env.simulation_time
        swing = math.cos(omega * t) + decay / omega * math.sin(omega * t)
        angle = 0.4 - 0.4 * math.exp(-decay * t) * swing
        found = rotation_vector(env.bodies["a"].transform[:3, :3])
        assert np.allclose(found, (0, 0, angle), atol=4e-3)


def swinging(mass, stiffness, damping, x, seconds):
    """Return what ``mass @ x'' + damping @ x' + stiffness @ x = 0`` does from rest."""
    n = len(x)
    system = np.zeros((2 * n, 2 * n))
    system[:n, n:] = np.eye(n)
    system[n:, :n] = -np.linalg.solve(mass, stiffness)
    system[n:, n:] = -np.linalg.solve(mass, damping)
    values, vectors = np.linalg.eig(system)
    start = np.linalg.solve(vectors, np.concatenate((x, np.zeros(n))))
    return np.real(vectors @ (np.exp(values * seconds) * start))[:n]


@pytest.mark.parametrize("kind", CONSTRAINT_FREEDOMS)
def test_springs_with_full_matrices(kind):
    """Small displacements of the centre of mass, against the linear system."""
    directions = CONSTRAINT_FREEDOMS[kind]
    n = len(directions)
    if not n:
        return
    rng = np.random.default_rng(n)
    scale = np.diag([1.0 if name in "xyz" else 0.1 for name in directions])
    stiffness = np.diag(rng.uniform(20, 40, n)) + rng.uniform(-2, 2, (n, n))
    stiffness = scale @ (stiffness + stiffness.T) @ scale
    damping = np.diag(rng.uniform(0.5, 1.0, n)) + rng.uniform(-0.1, 0.1, (n, n))
    damping = scale @ (damping + damping.T) @ scale
    law = spring(np.linalg.inv(stiffness), damping)
    env = world(box("a", mass=2.0, half=(0.1, 0.2, 0.3)), gravity=(0, 0, 0))
    body = env.bodies["a"]
    frame = matrix_from_axis_angle((0.7, 0.4, -0.6))
    rows = [("x", "y", "z", "rx", "ry", "rz").index(name) for name in directions]
    start = np.zeros(6)
    start[rows] = np.array((0.02, 0.01, -0.03, 0.01, -0.02, 0.015))[rows]
    pose = np.eye(4)
    pose[:3, :3] = frame @ matrix_from_axis_angle(start[3:])
    pose[:3, 3] = frame @ start[:3]
    body.transform = pose
    env.add_constraint(ConstraintDescription(
        "c", kind, LinkReference(), LinkReference("a"),
        Pose(tuple(frame.ravel().tolist())), spring=law,
    ))  # fmt: skip
    mass = np.diag([2.0] * 3 + np.diag(body.links[0].local_inertia).tolist())
    run(env, 0.4)
    turn = rotation_vector(frame.T @ body.transform[:3, :3])
    found = np.concatenate((frame.T @ body.transform[:3, 3], turn))[rows]
    mass = mass[np.ix_(rows, rows)]
    wanted = swinging(mass, stiffness, damping, start[rows], 0.4)
    assert np.allclose(found, wanted, atol=0.01 * np.abs(start).max())
    assert not env.problems


def test_a_spring_of_a_free_pair_keeps_momentum_and_energy():
    """Stiff for shear and soft along, so that the force is not along the distance."""
    stiffness = np.diag([20.0, 100.0, 50.0, 3.0, 3.0, 3.0])
    law = Spring(tuple(map(tuple, np.linalg.inv(stiffness).tolist())))
    env = pair("free", spring=law)
    engine = env.physics_engine
    engine.change_settings(time_step=0.0005)
    frame = env.constraints[0].pose.matrix
    bodies = [env.bodies[name] for name in "ab"]

    def energy():
        now = np.linalg.inv(bodies[0].transform @ frame) @ bodies[1].transform
        x = np.concatenate((now[:3, 3], rotation_vector(now[:3, :3])))
        return 0.5 * x @ stiffness @ x + sum(
            body.dynamics.kinetic_energy for body in bodies
        )

    before, fastest = energy(), 0.0
    for _ in range(10):
        run(env, 0.1)
        fastest = max(fastest, *(body.dynamics.kinetic_energy for body in bodies))
        assert np.allclose(momentum(env), 0.0, atol=2e-3)
        assert energy() == pytest.approx(before, rel=0.01)
    assert fastest > 0.3 * before


def test_directions_without_compliance_are_rigid():
    env = tied("piston", spring=spring([0.0, 0.5], [0.0, 0.1]))
    run(env, 0.3)
    assert abs(env.bodies["a"].transform[2, 3]) < 1e-4
    env = tied("piston", spring=spring([0.0, 0.0], [0.0, 0.0]))
    run(env, 0.3)
    assert abs(env.bodies["a"].transform[2, 3]) < 1e-4
    env = tied("piston", spring=spring([[1.0, 1.0], [1.0, 1.0]], [0.0, 0.0]))
    run(env, 0.3)
    assert env.bodies["a"].transform[2, 3] == pytest.approx(-0.5 * G * 0.09, rel=1e-2)
    (problem,) = env.problems
    assert "whose compliance has no inverse, of the constraint 'c'" in str(problem)


def test_stiff_springs_shorten_the_steps():
    """A frequency of 1000 rad/s, and of 1e5 rad/s, which is named."""
    env = tied("prismatic", spring=spring([5e-7], [50.0]))
    run(env, 0.5)
    sag = 2.0 * G * 5e-7
    assert env.bodies["a"].transform[2, 3] == pytest.approx(-sag, rel=1e-2)
    assert not env.problems
    env = tied("prismatic", spring=spring([5e-11], [0.0]))
    env.step(0.01)
    assert "the spring of 'c' needs steps of 5e-06 s" in str(env.problems[0])


@pytest.mark.parametrize("compliance", [1e-320, 1e-310])
def test_compliances_near_nothing(compliance):
    env = tied("prismatic", spring=spring([compliance], [0.0]))
    env.step(0.01)
    assert "has no inverse" in str(env.problems[0])


def test_limits_that_a_ball_cannot_have_are_named():
    env = tied("spherical", limits=(Limits(-1, 1), Limits(-1, 1)))
    run(env, 0.02)
    assert "limits of the turns of the constraint 'c'" in str(env.problems[0])


@pytest.mark.parametrize(
    "kind", ["fixed", "spherical", "revolute", "prismatic", "free"]
)
@pytest.mark.parametrize("static", [True, False])
def test_forces_of_constraints(kind, static):
    """A box of 1 kg hangs 0.5 m to the side of another, which stands on the floor."""
    laws = {
        "prismatic": spring([0.01], [20.0]),
        "free": spring([0.01] * 6, [20.0] * 3 + [2.0] * 3),
    }
    half = (0.3, 0.3, 0.3)
    env = world(
        floor(),
        box("a", (0, 0, 0.3), half, mass=50.0, static=static),
        box("b", (0.5, 0, 0.5)),
    )
    pose = Pose(translation=(0.5, 0, 0.2) if kind in laws else (0.5, 0, 0.4))
    env.add_constraint(ConstraintDescription(
        "c", kind, LinkReference("a"), LinkReference("b"), pose, spring=laws.get(kind)
    ))  # fmt: skip
    env.ignore_collisions(env.bodies["a"], env.bodies["b"])
    run(env, 3.0)
    engine, links = env.physics_engine, [env.bodies[name].links[0] for name in "ab"]
    weight = np.array((0, 0, G))
    found = engine.get_link_force_torque(links[1])
    assert np.allclose(found, (*weight, 0, 0, 0), atol=0.03)
    found = engine.get_link_force_torque(links[0])
    if static:
        arm = links[1].transform[:3, 3] - links[0].transform[:3, 3]
        assert np.allclose(found, (*-weight, *np.cross(arm, -weight)), atol=0.03)
    else:
        assert np.allclose(found, (*(50.0 * weight), 0, 0, 0), atol=0.3)


# -- state -----------------------------------------------------------------------------


def swinging_pair():
    env = pair("universal", limits=(Limits(-0.1, 0.2), Limits(-0.2, 0.1)),
               spring=spring([0.5, 0.5], [0.01, 0.01]))  # fmt: skip
    env.gravity = (0, 0, -G)
    env.create_body(box("table", (0, 0, -1.5), (2, 2, 0.5), static=True))
    env.bodies["a"].base_velocity = (0.1, 0.2, -0.1, 3.0, 1.0, 2.0)
    return env


def poses(env):
    return np.array([body.transform for body in env.bodies])


def pickled(env):
    return pickle.loads(pickle.dumps(env))  # noqa: S301 - our own


@pytest.mark.parametrize("copied", [pyrave.Environment.clone, pickled])
@pytest.mark.parametrize("kind", ["universal", "free", "fixed", "spherical"])
def test_copies_go_on_alike(copied, kind):
    env = swinging_pair()
    env.add_constraint(ConstraintDescription(
        "d", kind, LinkReference("table"), LinkReference("a"),
        spring=spring(*[np.ones(6) * 0.2] * 2) if kind == "free" else None,
    ))  # fmt: skip
    run(env, 0.4)
    twin = copied(env)
    for one in (env, twin):
        run(one, 0.3)
    assert np.array_equal(poses(env), poses(twin))


@pytest.mark.parametrize("copied", [pyrave.Environment.clone, pickled])
@pytest.mark.parametrize("moved", ["before", "after"])
def test_copies_go_on_alike_from_other_poses(copied, moved):
    env = swinging_pair()
    env.add_constraint(
        ConstraintDescription(
            "d", "universal", LinkReference("table"), LinkReference("a")
        )
    )
    run(env, 0.4)
    pose = env.bodies["a"].transform
    pose[:3, 3] += 1e-3
    if moved == "before":
        env.bodies["a"].transform = pose
    twin = copied(env)
    for one in (env, twin):
        one.bodies["a"].transform = pose
        run(one, 0.3)
    assert np.array_equal(poses(env), poses(twin))


def test_another_model_goes_on_alike():
    """Where the limits begin stays when bodies come and go."""
    env, other = swinging_pair(), swinging_pair()
    for one in (env, other):
        run(one, 0.2)
    for k in range(3):
        env.create_body(box(f"late{k}", (50, 0, 5 + k)))
        for one in (env, other):
            run(one, 0.1)
    assert np.allclose(poses(env)[:3], poses(other), atol=1e-6)


def test_a_constraint_that_is_added_again_begins_again():
    env = tied("prismatic", limits=(Limits(-0.1, 0.1),))
    run(env, 0.5)
    body = env.bodies["a"]
    assert body.transform[2, 3] == pytest.approx(-0.1, abs=1e-4)
    description = env.constraints[0]
    env.remove_constraint("c")
    env.add_constraint(description)
    run(env, 0.5)
    assert body.transform[2, 3] == pytest.approx(-0.2, abs=1e-4)
    body.transform = np.eye(4)
    body.base_velocity = np.zeros(6)
    env.remove_constraint("c")
    env.add_constraint(description)
    run(env, 0.5)
    assert np.allclose(body.transform[:3, 3], (0, 0, -0.1), atol=1e-4)


def test_bodies_that_are_set_go_on_from_there():
    env = tied("revolute", rotation=DOWN, limits=(Limits(-0.8, 2.0),))
    body = env.bodies["a"]
    run(env, 0.1)
    raised = np.eye(4)
    raised[:3, :3] = matrix_from_axis_angle((0, -1, 0), 1.2)
    raised[:3, 3] = raised[:3, :3] @ (0.5, 0, 0)
    body.transform, body.base_velocity = raised, np.zeros(6)
    env.step(0.01)
    assert np.allclose(body.transform, raised, atol=2e-3)
    run(env, 2.0)
    angle = math.atan2(*body.transform[[2, 0], 3])
    assert angle == pytest.approx(-0.8, abs=2e-3), "limits begin where they began"


def test_what_a_kinematic_body_pulls_follows():
    env = world(box("a", kinematic=True), box("b", (0.5, 0, 0)), gravity=(0, 0, 0))
    env.add_constraint(
        ConstraintDescription("c", "prismatic", LinkReference("a"), LinkReference("b"))
    )
    for k in range(200):
        pose = np.eye(4)
        pose[:3, 3] = (0.002 * k, 0, 0.001 * k)
        env.bodies["a"].transform = pose
        env.step(0.01)
    place = env.bodies["b"].transform[:3, 3]
    assert place[0] == pytest.approx(0.5 + 0.002 * 199, abs=2e-3)
    assert abs(place[2]) < 1e-3, "it slides along z"


def test_a_held_body_moves_as_its_constraint_says():
    env = world(box("a", static=True), box("b", (0.5, 0, 0)))
    env.bodies["a"].grab("b")
    ends = LinkReference("a"), LinkReference("b")
    env.add_constraint(ConstraintDescription("c", "prismatic", *ends))
    run(env, 0.3)
    assert env.bodies["b"].transform[2, 3] == pytest.approx(-0.045 * G, rel=1e-2)


def test_what_is_tied_touches_if_it_is_asked_for():
    env = world(floor(), box("a", (0, 0, 0.5)))
    ends = LinkReference("floor"), LinkReference("a")
    env.add_constraint(ConstraintDescription("c", "prismatic", *ends, collide=True))
    run(env, 1.0)
    assert env.bodies["a"].transform[2, 3] == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_a_pin_does_not_push_the_hole_that_it_is_in(kind):
    """A plate that hangs on a pin in it stays; and others touch both."""
    env = world(
        box("pin", static=True, half=(0.02, 0.02, 0.2)),
        box("plate", half=(0.2, 0.2, 0.05)),
        box("other", (0.15, 0, 0.16)),
    )
    ends = LinkReference("pin"), LinkReference("plate")
    env.add_constraint(ConstraintDescription("c", kind, *ends))
    run(env, 0.2)
    place = env.bodies["plate"].transform[:3, 3]
    np.testing.assert_allclose(place, 0.0, atol=1e-3)
    names = {
        frozenset((one.first.body.name, one.second.body.name))
        for one in env.physics_engine.contacts()
    }
    assert frozenset(("pin", "plate")) not in names
    assert frozenset(("plate", "other")) in names


def test_a_robot_that_hangs_on_a_constraint_runs_into_its_limits():
    """What ties the wrist to the world must not make the solver lose its digits."""
    env = pyrave.load("scenes/demo.env.xml")
    env.physics_engine = "mujoco"
    robot = env.robots["heron7"]
    robot.dof_values = (0.2, 0.1, 0, 1.2, 0, 0.9, 0, 0.03)
    link = robot.links[6]
    for kind in ("spherical", "universal"):
        place = link.transform[:3, 3]
        env.add_constraint(ConstraintDescription(
            kind, kind, LinkReference("heron7", link.name), LinkReference()
        ))  # fmt: skip
        for _ in range(150):
            env.step(0.01)
            assert np.allclose(link.transform[:3, 3], place, atol=2e-3)
        env.remove_constraint(kind)
        robot.dof_velocities = np.zeros(robot.dof)
    assert not env.problems
