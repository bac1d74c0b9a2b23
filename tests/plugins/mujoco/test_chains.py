"""Coordinates of chains of joints in the engine ``mujoco``."""

import numpy as np
import pytest
from loops import each

from pyrave.spatial import quat_multiply, rotation_vector
from pyrave_mujoco.ties.chains import PoseJointChain

KINDS = (
    "h", "s", "hh", "sh", "shh", "sshh", "hs", "hsh", "b", "sb", "ssb", "sssb",
)  # fmt: skip
NAMES = {"h": "hinge", "s": "slide", "b": "ball"}


def chain_of(kinds, rng):
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    if "b" not in kinds and kinds != "sshh":
        axes = rng.normal(size=(len(kinds), 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
    return PoseJointChain(
        tuple(NAMES[kind] for kind in kinds), np.resize(axes, (len(kinds), 3))
    )


def somewhere(chain, rng):
    """Return coordinates near zero."""
    q = rng.uniform(-0.6, 0.6, len(chain.zero))
    if chain.has_ball:
        q[-4:] = np.abs(q[-4]), *q[-3:]
        q[-4:] /= np.linalg.norm(q[-4:])
    return q


def moved(chain, q, rates, dt):
    """Return coordinates after a while."""
    if not chain.has_ball:
        return q + dt * rates
    turn = 0.5 * dt * rates[-3:]
    quat = quat_multiply(q[-4:], (np.sqrt(1.0 - turn @ turn), *turn))
    return np.concatenate((q[:-4] + dt * rates[:-3], quat))


@pytest.mark.parametrize("kinds", KINDS)
@each("seed", range(5))
def test_coordinates_of_poses(kinds, seed):
    rng = np.random.default_rng(seed)
    chain = chain_of(kinds, rng)
    q = somewhere(chain, rng)
    pose = chain.pose(q)
    found = chain.coordinates(pose, chain.zero)
    assert np.allclose(chain.pose(found), pose, atol=1e-9)
    if "s" not in kinds.lstrip("s"):
        assert np.allclose(found, q, atol=1e-9)


@pytest.mark.parametrize("kinds", KINDS)
@each("seed", range(5))
def test_rates_of_twists(kinds, seed):
    """The Jacobian is that of differences."""
    rng = np.random.default_rng(seed)
    chain = chain_of(kinds, rng)
    q, step = somewhere(chain, rng), 1e-6
    rates = rng.uniform(-1, 1, len(kinds) + 2 * chain.has_ball)
    before = chain.pose(moved(chain, q, rates, -step))
    after = chain.pose(moved(chain, q, rates, step))
    turn = rotation_vector(after[:3, :3] @ before[:3, :3].T)
    twist = np.concatenate((after[:3, 3] - before[:3, 3], turn)) / (2.0 * step)
    assert np.allclose(chain.jacobian(q) @ rates, twist, atol=1e-7)
    assert np.allclose(chain.rates(q, twist), rates, atol=1e-6)


def test_whole_turns_are_those_nearby():
    chain = PoseJointChain(("slide", "hinge"), np.array(((0, 0, 1.0), (0, 0, 1.0))))
    pose = chain.pose(np.array((0.3, 20.0)))
    found = chain.coordinates(pose, np.array((0.0, 19.0)))
    assert np.allclose(found, (0.3, 20.0))


def test_what_a_chain_does_not_reach_is_left():
    """The nearest coordinates of a slide along z and a turn about x."""
    chain = PoseJointChain(("slide", "hinge"), np.array(((0, 0, 1.0), (1.0, 0, 0))))
    pose = chain.pose(np.array((0.3, 0.4)))
    pose[:2, 3] = 0.2, -0.1
    assert np.allclose(chain.coordinates(pose, chain.zero), (0.3, 0.4))
