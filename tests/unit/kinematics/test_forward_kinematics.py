"""Kernels of forward kinematics: accuracy, both forms, batches, what they refuse."""

import dataclasses
import math
import threading

import numpy as np
import pytest
from fresh_kernels import fresh

from pyrave.errors import ArgumentError, NotFoundError
from pyrave.jit import Kernel, KernelModule, eager
from pyrave.kinematics import (
    compile_body,
    compile_tool,
    jacobian,
    joint_values,
    link_transforms,
    link_transforms_batch,
    tool_jacobian,
    tool_jacobian_batch,
)
from pyrave.kinematics import limits as limits_module
from pyrave.kinematics import poses as poses_module
from pyrave.kinematics import tool_jacobians as tool_module
from pyrave.kinematics._pose_rows import pose_rows

KINDS = ("hinge", "slider", "universal", "hinge2", "spherical", "fixed")
SIMPLE = ("hinge", "slider", "hinge", "fixed", "hinge", "slider", "hinge")
KERNELS = (
    (poses_module, "_place"),
    (poses_module, "_place_batch"),
    (tool_module, "_jacobian"),
    (tool_module, "_jacobian_batch"),
    (poses_module, "_place_following"),
    (poses_module, "_multiply"),
    (limits_module, "TAKE_WITHIN"),
    (limits_module, "BRING_WITHIN"),
)


@pytest.fixture(params=["plain", "compiled"])
def form(request, monkeypatch):
    """Run a test with plain and with compiled kernels; return their module."""
    for owner, name in KERNELS:
        monkeypatch.setattr(owner, name, fresh(getattr(owner, name)))
    module = KernelModule("pyrave.kinematics.kernels.forward_kinematics")
    if request.param == "plain":
        monkeypatch.setattr(Kernel, "early", Kernel._written)
        yield module.python
    else:
        with eager():
            yield module.jit


def ulps(got, wanted):
    return np.abs(got - wanted) / np.spacing(np.abs(wanted).astype(np.float64))


def trigonometry(module, angles):
    work = np.full((3, len(angles) + 16), 0.5)
    work[0, : len(angles)] = angles
    with np.errstate(all="ignore"):
        status = module.sines_cosines(work, len(angles))
    return status, work[1, : len(angles)], work[2, : len(angles)]


def test_sines_and_cosines_are_within_an_ulp(form, rng):
    few = not hasattr(form.sines_cosines, "py_func")
    count = 2_000 if few else 200_000
    quarter = math.pi / 2 * np.arange(-60, 61)
    angles = np.concatenate(
        (
            rng.uniform(-math.pi, math.pi, count),
            rng.uniform(-1e6, 1e6, count),
            quarter,
            np.nextafter(quarter, np.inf),
            np.nextafter(quarter, -np.inf),
            10.0 ** rng.uniform(-300, 0, 500),
            math.pi / 2 * rng.integers(-600_000, 600_000, 500),
            [0.0, -0.0, 5e-324, 1e6, -1e6],
        )
    )
    status, sines, cosines = trigonometry(form, angles)
    assert status == 0
    exact = angles.astype(np.longdouble)
    # where long numbers are no longer, the system's own sine is off by half an ulp
    bound = 0.85 if np.finfo(np.longdouble).nmant > 60 else 1.5
    assert ulps(sines, np.sin(exact)).max() <= bound
    assert ulps(cosines, np.cos(exact)).max() <= bound
    assert np.abs(sines**2 + cosines**2 - 1.0).max() < 5e-16
    zeros = trigonometry(form, np.array([0.0, -0.0]))[1]
    assert zeros.tolist() == [0.0, 0.0]


def test_huge_angles_are_those_of_the_system(form):
    angles = np.array([0.5, 1.0000001e6, -3e8, 1e22, 1.7e308, -0.25])
    status, sines, cosines = trigonometry(form, angles)
    assert status == 0
    for angle, s, c in zip(angles, sines, cosines, strict=True):
        assert s == pytest.approx(math.sin(angle), rel=2.3e-16)
        assert c == pytest.approx(math.cos(angle), rel=2.3e-16)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_told_and_spoils_nothing_else(form, bad):
    status, sines, cosines = trigonometry(form, np.array([0.5, bad, 2e7]))
    assert status != 0
    assert np.isnan([sines[1], cosines[1]]).all()
    assert sines[0] == pytest.approx(math.sin(0.5))
    assert cosines[2] == pytest.approx(math.cos(2e7))


def test_poses_in_both_forms(form, bodies):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        kinds = rng.choice(KINDS if seed % 2 else SIMPLE, size=9)
        described = bodies.random(rng, kinds)
        model = compile_body(described)
        base = bodies.random_pose(rng).matrix
        q = rng.uniform(-3, 3, model.n_dof)
        values = joint_values(model, q)
        by_name = {
            name: values[first : first + count]
            for name, (first, count) in zip(
                model.joint_names, model.joint_values.tolist(), strict=True
            )
        }
        expected = bodies.reference(described, base, by_name)
        poses = link_transforms(model, base, q)
        np.testing.assert_allclose(poses, expected, atol=2e-13)
        np.testing.assert_array_equal(poses[:, 3], [[0.0, 0.0, 0.0, 1.0]] * len(poses))


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 75])
def test_batch_equals_single(form, bodies, rng, count):
    for described in (
        bodies.random(rng, SIMPLE),
        bodies.random(rng, KINDS),
        bodies.mimic_chain(),
    ):
        model = compile_body(described)
        base = bodies.random_pose(rng).matrix
        many = rng.uniform(-4, 4, (count, model.n_dof))
        many[count // 2 :] *= 1e7  # angles that the fast sines leave to the system
        batch = link_transforms_batch(model, base, many)
        assert batch.shape == (count, model.n_links, 4, 4)
        for q, poses in zip(many, batch, strict=True):
            scale = 1e-14 * max(1.0, float(np.abs(q).max()))
            np.testing.assert_allclose(poses, link_transforms(model, base, q), 0, scale)


def test_nodes_are_placed_parents_first_and_else_in_their_order(bodies, rng):
    model = compile_body(bodies.random(rng, SIMPLE * 3))
    rows = pose_rows(model)
    seen = {0}
    for parent, node in rows[1:, 1:3].astype(int).tolist():
        assert parent in seen
        seen.add(node)
    assert seen == set(range(model.n_poses))
    tidy = compile_body(bodies.random(rng, SIMPLE, reverse=False))
    assert pose_rows(tidy)[:, 2].tolist() == list(range(tidy.n_links))


def bad_outputs(shape):
    frozen = np.empty(shape)
    frozen.flags.writeable = False
    yield np.empty((shape[0] + 1, *shape[1:]))
    yield np.empty(shape, np.float32)
    yield np.empty(shape)[..., ::-1]
    yield np.empty(shape, order="F")
    yield frozen
    yield np.empty(shape).tolist()


def test_output_arrays_are_used_and_checked(form, bodies):
    model = compile_body(bodies.planar_2r())
    q, many = np.array((0.1, 0.2)), np.zeros((4, 2))
    tool = compile_tool(model, 2)
    calls = (
        ((3, 4, 4), lambda out: link_transforms(model, np.eye(4), q, out)),
        ((4, 3, 4, 4), lambda out: link_transforms_batch(model, np.eye(4), many, out)),
        ((6, 2), lambda out: tool_jacobian(tool, np.eye(4), q, out)),
    )
    for shape, call in calls:
        out = np.full(shape, np.nan)
        assert call(out) is out
        assert np.isfinite(out).all()
        for bad in bad_outputs(shape):
            with pytest.raises(ArgumentError, match="out must be a writable C-cont"):
                call(bad)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused(form, bodies, bad):
    model = compile_body(bodies.planar_2r())
    tool = compile_tool(model, 2)
    q = np.array((0.0, bad))
    many = np.zeros((40, 2))
    many[35, 0] = bad
    out = np.empty((3, 4, 4))
    for call in (
        lambda: link_transforms(model, np.eye(4), q),
        lambda: link_transforms(model, np.eye(4), q, out),
        lambda: link_transforms(model, np.eye(4), q.tolist(), out),
        lambda: link_transforms_batch(model, np.eye(4), many),
        lambda: link_transforms_batch(model, np.eye(4), many, np.empty((40, 3, 4, 4))),
        lambda: tool_jacobian(tool, np.eye(4), q),
        lambda: tool_jacobian_batch(tool, np.eye(4), many),
    ):
        with pytest.raises(ArgumentError, match="not finite"):
            call()


def test_any_kind_of_array_will_do(form, bodies, rng):
    model = compile_body(bodies.random(rng, SIMPLE))
    base = bodies.random_pose(rng).matrix
    q = rng.uniform(-1, 1, model.n_dof)
    expected = link_transforms(model, base, q)
    frozen = q.copy()
    frozen.flags.writeable = False
    wide = np.zeros((model.n_dof, 3))
    wide[:, 1] = q
    locked = base.copy()
    locked.flags.writeable = False
    for values in (q.tolist(), tuple(q), frozen, wide[:, 1], q.astype(np.longdouble)):
        for pose in (base, locked, np.asfortranarray(base), base.tolist()):
            got = link_transforms(model, pose, values)
            np.testing.assert_allclose(got, expected, atol=1e-15)
    ones = [1] * model.n_dof
    got = link_transforms(model, base, np.array(ones))
    np.testing.assert_array_equal(got, link_transforms(model, base, np.ones(len(ones))))
    for odd in ([], None, "x", {}, [[0.0]], object(), [1, "2"], np.array(["a"])):
        with pytest.raises(ArgumentError):
            link_transforms(model, base, odd)
        with pytest.raises(ArgumentError):
            link_transforms(model, odd, q)
    many = np.array([q, q])
    many.flags.writeable = False
    np.testing.assert_array_equal(link_transforms_batch(model, base, many)[1], expected)


@pytest.mark.parametrize("wrong", [(1,), (3,), (1, 2), ()])
def test_wrong_numbers_of_values_are_refused(form, bodies, wrong):
    model = compile_body(bodies.planar_2r())
    message = r"q has shape .*expected \(2,\)"
    with pytest.raises(ArgumentError, match=message):
        link_transforms(model, np.eye(4), np.zeros(wrong))
    with pytest.raises(ArgumentError, match=message):
        tool_jacobian(compile_tool(model, 1), np.eye(4), np.zeros(wrong))


def test_tool_jacobian_equals_that_of_the_link(form, bodies):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        kinds = rng.choice((*KINDS[:4], "fixed", "hinge"), size=8)
        model = compile_body(bodies.random(rng, kinds, spread=seed % 2))
        base = bodies.random_pose(rng).matrix
        q = rng.uniform(-3, 3, model.n_dof)
        poses = link_transforms(model, base, q)
        for link in range(model.n_links):
            local = bodies.random_pose(rng).matrix
            dofs = rng.permutation(model.n_dof)[1:].tolist()
            tool = compile_tool(model, link, local, dofs)
            assert tool.rows is not None
            point = (poses[link] @ local)[:3, 3]
            expected = jacobian(model, poses, q, link, point)[:, dofs]
            got = tool_jacobian(tool, base, q)
            np.testing.assert_allclose(got, expected, atol=1e-12)
            batch = tool_jacobian_batch(tool, base, np.array([q, -q]))
            np.testing.assert_allclose(batch[0], got, atol=1e-15)
            # one of both may be compiled, where sums of products are rounded once
            other = tool_jacobian(tool, base, -q)
            np.testing.assert_allclose(batch[1], other, atol=1e-13)


@pytest.mark.parametrize("kind", ["mimic", "spherical"])
def test_tools_behind_other_joints_take_the_long_way(form, bodies, rng, kind):
    model = compile_body(
        bodies.mimic_chain()
        if kind == "mimic"
        else bodies.random(rng, ["hinge", "spherical", "hinge"], spread=False)
    )
    base = bodies.random_pose(rng).matrix
    q = rng.uniform(-1, 1, model.n_dof)
    tool = compile_tool(model, model.n_links - 1)
    assert tool.rows is None
    poses = link_transforms(model, base, q)
    expected = jacobian(model, poses, q, model.n_links - 1)
    got = tool_jacobian(tool, base, q)
    np.testing.assert_allclose(got, expected, atol=1e-14)
    np.testing.assert_array_equal(tool_jacobian_batch(tool, base, [q])[0], got)


def test_tool_jacobian_against_differences(form, bodies, rng):
    model = compile_body(bodies.random(rng, SIMPLE, spread=False))
    base = bodies.random_pose(rng).matrix
    local = bodies.random_pose(rng).matrix
    tool = compile_tool(model, model.n_links - 1, local)
    q = rng.uniform(-1, 1, model.n_dof)
    step = 1e-6
    columns = tool_jacobian(tool, base, q)
    for dof, direction in enumerate(np.eye(model.n_dof)):
        low, high = (
            (link_transforms(model, base, q + s * direction)[-1] @ local)
            for s in (-step, step)
        )
        linear = (high[:3, 3] - low[:3, 3]) / (2 * step)
        np.testing.assert_allclose(columns[:3, dof], linear, atol=2e-8)
        turned = high[:3, :3] @ low[:3, :3].T / (2 * step)
        angular = (turned[2, 1], turned[0, 2], turned[1, 0])
        skew = (turned[1, 2], turned[2, 0], turned[0, 1])
        expected = (np.array(angular) - skew) / 2
        np.testing.assert_allclose(columns[3:, dof], expected, atol=2e-8)


def test_tools_are_checked(bodies):
    model = compile_body(bodies.planar_2r())
    with pytest.raises(NotFoundError, match="link"):
        compile_tool(model, "nose")
    with pytest.raises(ArgumentError, match=r"dof index 2 is not in 0\.\.1"):
        compile_tool(model, 1, dof_indices=[2])
    with pytest.raises(ArgumentError, match="given twice"):
        compile_tool(model, 1, dof_indices=[1, 1])
    with pytest.raises(ArgumentError, match="transform is not a rigid transform"):
        compile_tool(model, 1, np.zeros((4, 4)))
    assert tool_jacobian(compile_tool(model, 0), np.eye(4), [0.0, 0.0]).tolist() == (
        [[0.0, 0.0]] * 6
    )


def test_a_single_link_and_no_values(form):
    from pyrave.scene import BodyDescription, LinkDescription

    model = compile_body(BodyDescription("b", (LinkDescription("a"),)))
    base = np.eye(4)
    base[:3, 3] = 1.0, 2.0, 3.0
    np.testing.assert_array_equal(link_transforms(model, base, np.zeros(0)), [base])
    many = link_transforms_batch(model, base, np.zeros((3, 0)))
    np.testing.assert_array_equal(many, [[base]] * 3)


def test_values_inside_of_bounds_are_taken(form):
    bounds = np.array(((-1.0, -np.inf), (1.0, 2.0)))
    out = np.zeros(2)
    assert limits_module.TAKE_WITHIN.call(np.array((0.5, -1e300)), bounds, out) == 0
    assert out.tolist() == [0.5, -1e300]
    for bad in ((1.5, 0.0), (0.0, np.nan), (0.0, 2.1), (0.0,)):
        assert limits_module.TAKE_WITHIN.call(np.array(bad), bounds, out) != 0
    with pytest.raises(TypeError):
        limits_module.TAKE_WITHIN.call([0.0, 0.0], bounds, out)
    assert out.tolist() == [0.5, -1e300]


def test_threads_share_a_model(bodies, rng):
    model = compile_body(bodies.random(rng, SIMPLE * 2))
    many = rng.uniform(-1, 1, (400, model.n_dof))
    expected = link_transforms_batch(model, np.eye(4), many)
    out = np.empty_like(expected)

    def work(part):
        for _ in range(20):
            link_transforms_batch(model, np.eye(4), many[part], out[part])

    threads = [
        threading.Thread(target=work, args=(slice(k, k + 100),))
        for k in range(0, 400, 100)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("prismatic", [False, True])
def test_passive_joints_rest_in_every_form(form, bodies, rng, prismatic):
    described = bodies.random(rng, ["hinge", "hinge", "slider", "hinge"], spread=False)
    at = 2 if prismatic else 1
    joint = described.joints[at]
    axis = dataclasses.replace(joint.axes[0], initial=0.375)
    joints = list(described.joints)
    joints[at] = dataclasses.replace(joint, active=False, axes=(axis,))
    model = compile_body(dataclasses.replace(described, joints=tuple(joints)))
    assert (model.n_dof, model.n_values) == (3, 4)
    base = bodies.random_pose(rng).matrix
    q = rng.uniform(-2, 2, 3)
    values = dict(zip(("J0", "J1", "J2", "J3"), ([0.0],) * 4, strict=True))
    for name, value in zip([n for n in values if n != f"J{at}"], q, strict=True):
        values[name] = [value]
    values[f"J{at}"] = [0.375]
    expected = bodies.reference(described, base, values)
    poses = link_transforms(model, base, q, np.empty(expected.shape))
    np.testing.assert_allclose(poses, expected, atol=1e-13)
    batch = np.empty((2, *expected.shape))
    link_transforms_batch(model, base, np.array([q, -q]), batch)
    np.testing.assert_allclose(batch[0], expected, atol=1e-13)
    values[f"J{at}"] = [-0.5]
    moved = link_transforms(model, base, q, passive=[0.0, 0.0, 0.0, -0.5])
    wanted = bodies.reference(described, base, values)
    np.testing.assert_allclose(moved, wanted, atol=1e-13)
    tool = compile_tool(model, model.n_links - 1)
    assert tool.rows is not None
    columns = jacobian(model, poses, q, model.n_links - 1)
    np.testing.assert_allclose(tool_jacobian(tool, base, q), columns, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_links_that_move_to_each_other_are_named(bodies, seed):
    """Poses of links relative to each other stay where no joint is between them."""
    rng = np.random.default_rng(seed)
    kinds = KINDS + SIMPLE
    described = bodies.random(rng, kinds) if seed else bodies.mimic_chain()
    model = compile_body(described)
    pairs = np.array([(a, b) for a in range(model.n_links) for b in range(a)])
    for dofs in ([0], rng.choice(model.n_dof, 2, replace=False), range(model.n_dof)):
        rows = np.tile(rng.uniform(-1.0, 1.0, model.n_dof), (5, 1))
        rows[1:, list(dofs)] += rng.uniform(0.2, 0.4, (4, len(dofs)))
        poses = link_transforms_batch(model, np.eye(4), rows)
        one, other = poses[:, pairs[:, 0]], poses[:, pairs[:, 1]]
        relative = np.linalg.inv(one) @ other
        moved = np.abs(relative - relative[0]).max(axis=(0, 2, 3)) > 1e-9
        np.testing.assert_array_equal(model.moves_apart(pairs, list(dofs)), moved)
