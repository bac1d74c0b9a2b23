"""Samplers: sequences, seeds, intervals, configuration spaces."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave import Affine, ArgumentError, CommandError, Interval, NotSupportedError
from pyrave.geometry import healpix_pixels, rotation_cells
from pyrave.interfaces.spacesampler import SampleDataType
from pyrave.spatial import matrix_from_quat

INTERVALS = list(Interval)
SCENE = scene_beside(__file__, "samplers.env.xml")


@pytest.fixture
def env():
    env = pyrave.Environment()
    env.load_string(SCENE)
    return env


def sampler_of(env, interface):
    return env.create("spacesampler", interface)


class Constant:
    """Stands in for a source of numbers that are as extreme as an interval allows."""

    def __init__(self, value):
        self.value, self.dof = value, 1

    def get_dof(self):
        return self.dof

    def set_space_dof(self, dof):
        self.dof = dof

    def sample_sequence(self, n, _interval):
        return np.full((n, self.dof), self.value)


# -- numbers -----------------------------------------------------------------------


def test_twister_is_pythons_twister(env):
    """Python's own generator, seeded in the same way, gives the same 32 bits."""
    sampler = sampler_of(env, "MT19937")
    sampler.set_seed(5)
    key = np.random.RandomState(5).get_state()[1]
    reference = random.Random()  # noqa: S311
    reference.setstate((3, (*map(int, key), 624), None))
    expected = [reference.getrandbits(32) for _ in range(700)]
    assert sampler.sample_sequence_uint32(700)[:, 0].tolist() == expected


def test_first_output_of_the_reference_implementation(env):
    """4123659995 is the 10000th output for the default seed (C++ standard, mt19937)."""
    sampler = sampler_of(env, "MT19937")
    assert sampler.sample_sequence_uint32(10000)[-1, 0] == 4123659995


@pytest.mark.parametrize("interval", INTERVALS)
def test_seed_starts_again(env, interval):
    sampler = sampler_of(env, "mt19937")
    sampler.set_space_dof(3)
    sampler.set_seed(7)
    first = sampler.sample_sequence(10, interval)
    assert first.shape == (10, 3)
    assert not np.array_equal(sampler.sample_sequence(10, interval), first)
    sampler.set_seed(7)
    np.testing.assert_array_equal(sampler.sample_complete(10, interval), first)
    sampler.set_seed(8)
    assert not np.array_equal(sampler.sample_sequence(10, interval), first)


def test_two_environments_agree(env):
    other = sampler_of(pyrave.Environment(), "MT19937")
    np.testing.assert_array_equal(
        sampler_of(env, "MT19937").sample_sequence(5), other.sample_sequence(5)
    )


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("bits", [0, 2**32 - 1])
def test_intervals_at_the_ends(env, monkeypatch, interval, bits):
    sampler = sampler_of(env, "MT19937")
    monkeypatch.setattr(
        sampler, "sample_sequence_uint32", lambda n: np.full((n, 1), bits, np.uint32)
    )
    value = sampler.sample_sequence(1, interval)[0, 0]
    assert 0 <= value <= 1
    if interval in {Interval.OPEN, Interval.OPEN_START}:
        assert value > 0
    if interval in {Interval.OPEN, Interval.OPEN_END}:
        assert value < 1
    if interval is Interval.OPEN_START and bits:
        assert value == 1
    if interval is Interval.OPEN_END and not bits:
        assert value == 0


def test_twister_is_uniform(env):
    sampler = sampler_of(env, "MT19937")
    sampler.set_seed(1)
    counts = np.histogram(sampler.sample_sequence(100_000), 10, (0, 1))[0]
    assert abs(counts - 10_000).max() < 500


def test_halton_by_definition(env):
    """Digits of the index in base 2, 3, 5, mirrored at the point, as fractions."""
    sampler = sampler_of(env, "Halton")
    sampler.set_space_dof(3)
    points = sampler.sample_sequence(200)
    for index, point in enumerate(points):
        for base, value in zip((2, 3, 5), point, strict=True):
            digits = []
            rest = index
            while rest:
                rest, digit = divmod(rest, base)
                digits.append(digit)
            exact = sum(d * base ** -(k + 1) for k, d in enumerate(digits))
            assert value == pytest.approx(exact, abs=1e-15)


def test_halton_goes_on(env):
    sampler = sampler_of(env, "Halton")
    sampler.set_space_dof(2)
    whole = sampler.sample_sequence(20)
    sampler.set_space_dof(2)
    first = sampler.sample_sequence(7)
    sampler.set_seed(3)
    rest = sampler.sample_complete(13, Interval.OPEN_END)
    np.testing.assert_array_equal(np.vstack((first, rest)), whole)


@pytest.mark.parametrize("interval", [Interval.OPEN, Interval.OPEN_START])
def test_halton_leaves_out_zero(env, interval):
    sampler = sampler_of(env, "Halton")
    points = sampler.sample_sequence(1000, interval)
    assert points.min() > 0
    assert points.max() < 1
    assert points[0, 0] == 0.5


def test_halton_in_many_dimensions(env):
    sampler = sampler_of(env, "Halton")
    sampler.set_space_dof(100)
    assert sampler.sample_sequence(2)[1, -1] == pytest.approx(1 / 541)


@pytest.mark.parametrize("interface", ["MT19937", "Halton"])
def test_limits_and_kinds(env, interface):
    sampler = sampler_of(env, interface)
    sampler.set_space_dof(2)
    assert sampler.get_dof() == sampler.get_number_of_values() == 2
    assert sampler.supports(SampleDataType.REAL)
    assert sampler.supports(SampleDataType.UINT32) == (interface == "MT19937")
    np.testing.assert_array_equal(sampler.get_limits(), [[0, 0], [1, 1]])
    assert sampler.sample_sequence(0).shape == (0, 2)


@pytest.mark.parametrize("interface", ["MT19937", "Halton"])
def test_state(env, interface):
    sampler = sampler_of(env, interface)
    sampler.set_space_dof(2)
    sampler.sample_sequence(3)
    twin = sampler_of(env, interface)
    twin.set_state(sampler.get_state())
    np.testing.assert_array_equal(twin.sample_sequence(4), sampler.sample_sequence(4))


def test_wrong_arguments(env):
    twister, halton = sampler_of(env, "MT19937"), sampler_of(env, "Halton")
    with pytest.raises(ArgumentError, match="n is -1"):
        twister.sample_sequence(-1)
    with pytest.raises(ArgumentError, match="n is"):
        halton.sample_sequence(10**12)
    with pytest.raises(ArgumentError, match="dof is 0"):
        twister.set_space_dof(0)
    with pytest.raises(ArgumentError, match="seed is -1"):
        twister.set_seed(-1)
    with pytest.raises(NotSupportedError, match="MT19937"):
        halton.sample_sequence_uint32(1)


# -- configurations ----------------------------------------------------------------


@pytest.mark.parametrize("source", ["", " Halton"])
def test_robot_configurations_fill_the_limits(env, source):
    sampler = sampler_of(env, f"RobotConfiguration arm{source}")
    assert sampler.get_dof() == sampler.get_number_of_values() == 3
    lower, upper = sampler.get_limits()
    np.testing.assert_allclose(lower, [-1, 1000, -np.pi])
    np.testing.assert_allclose(upper, [1, 1002, np.pi])
    samples = sampler.sample_sequence(2000)
    assert samples.shape == (2000, 3)
    assert (samples >= lower).all()
    assert (samples <= upper).all()
    np.testing.assert_allclose(samples.mean(axis=0), (lower + upper) / 2, atol=0.15)
    np.testing.assert_allclose(samples.min(axis=0), lower, atol=0.02)
    np.testing.assert_allclose(samples.max(axis=0), upper, atol=0.02)


def test_what_is_active_is_taken_at_creation_or_tracked(env):
    robot = env.robots["arm"]
    robot.set_active_dofs([2, 1])
    sampler = sampler_of(env, "RobotConfiguration arm")
    robot.set_active_dofs([0])
    assert sampler.get_dof() == 2
    assert sampler.sample_sequence(1)[0, 1] >= 1000
    assert sampler.send_command("TrackActiveSpace 1") == ""
    assert sampler.sample_sequence(1).shape == (1, 1)
    robot.set_active_dofs([])
    assert sampler.sample_sequence(4).shape == (4, 0)
    robot.set_active_dofs([0, 1])
    assert sampler.get_dof() == 2
    sampler.command("TrackActiveSpace", track=False)
    robot.set_active_dofs([0])
    assert sampler.get_dof() == 2


@pytest.mark.parametrize(
    ("affine", "dof", "n_values"),
    [
        (Affine.X | Affine.Z, 2, 2),
        (Affine.X | Affine.Y | Affine.ROTATION_AXIS, 3, 3),
        (Affine.X | Affine.ROTATION_3D, 4, 4),
        (Affine.TRANSFORM, 6, 7),
    ],
)
def test_affine_motions(env, affine, dof, n_values):
    robot = env.robots["arm"]
    robot.set_active_dofs([0], affine)
    sampler = sampler_of(env, "RobotConfiguration arm")
    sampler.translation_limits = ([-1, -2, -3], [1, 2, 3])
    assert sampler.get_dof() == dof + 1
    assert sampler.get_number_of_values() == n_values + 1 == robot.active.dof
    samples = sampler.sample_sequence(3000)
    lower, upper = sampler.get_limits()
    assert samples.shape == (3000, n_values + 1)
    assert (samples >= lower - 1e-12).all()
    assert (samples <= upper + 1e-12).all()
    first_turn = 1 + (int(affine) & 7).bit_count()
    np.testing.assert_allclose(
        samples[:, :first_turn].max(0), upper[:first_turn], atol=0.02
    )
    if affine & Affine.ROTATION_QUAT:
        quats = samples[:, first_turn:]
        np.testing.assert_allclose((quats**2).sum(axis=1), 1)
        # uniform rotations: E[q q'] = 1/4
        np.testing.assert_allclose(quats.T @ quats / 3000, np.eye(4) / 4, atol=0.03)
    if affine & Affine.ROTATION_3D:
        angles = np.linalg.norm(samples[:, first_turn:], axis=1)
        # uniform rotations: density (1 - cos a) / pi, mean pi/2 + 2/pi
        assert angles.mean() == pytest.approx(np.pi / 2 + 2 / np.pi, abs=0.03)
    robot.active.values = samples[0]
    np.testing.assert_allclose(robot.active.values, samples[0], atol=1e-9)


def test_seeds_of_configurations(env):
    one, two = (sampler_of(env, "RobotConfiguration arm") for _ in range(2))
    one.set_seed(3)
    two.set_seed(3)
    first = one.sample_sequence(5)
    np.testing.assert_array_equal(two.sample_complete(5), first)
    two.set_state(one.get_state())
    np.testing.assert_array_equal(two.sample_sequence(5), one.sample_sequence(5))


NO_ZERO = {Interval.OPEN, Interval.OPEN_START}
NO_ONE = {Interval.OPEN, Interval.OPEN_END}


@pytest.mark.parametrize(
    ("interval", "extreme"),
    [
        (interval, extreme)
        for interval in INTERVALS
        for extreme in (2.0**-33, 1 - 2.0**-53, 0.0, 1.0)
        if not (extreme == 0 and interval in NO_ZERO)
        and not (extreme == 1 and interval in NO_ONE)
    ],
)
def test_intervals_of_configurations(env, interval, extreme):
    """Ends are excluded also where 1000 + tiny rounds to 1000."""
    sampler = sampler_of(env, "BodyConfiguration arm")
    sampler._source = Constant(extreme * 2.0**-30 if 0 < extreme < 0.1 else extreme)
    sample = sampler.sample_sequence(1, interval)[0]
    lower, upper = sampler.get_limits()
    if interval in {Interval.OPEN, Interval.OPEN_START}:
        assert (sample > lower).all()
    if interval in {Interval.OPEN, Interval.OPEN_END}:
        assert (sample < upper).all()
    assert ((sample >= lower) & (sample <= upper)).all()


def test_range_of_one_point(env):
    robot = env.robots["arm"]
    robot.dof_limits = [0.5, 1000, -1], [0.5, 1001, 1]
    sampler = sampler_of(env, "BodyConfiguration arm")
    for interval in INTERVALS:
        assert sampler.sample_sequence(3, interval)[:, 0].tolist() == [0.5] * 3


def test_body_configurations(env):
    sampler = sampler_of(env, "BodyConfiguration arm")
    assert sampler.get_dof() == 3
    assert sampler.send_command("SetDOFs 1 0") == ""
    samples = sampler.sample_sequence(100)
    assert samples.shape == (100, 2)
    assert (samples[:, 0] >= 1000).all()
    assert (abs(samples[:, 1]) <= 1).all()
    sampler.command("SetDOFs", [])
    assert sampler.get_dof() == 3
    twin = sampler_of(env, "BodyConfiguration arm")
    twin.set_state(sampler.get_state())
    np.testing.assert_array_equal(twin.sample_sequence(2), sampler.sample_sequence(2))


def test_wrong_configuration_arguments(env):
    sampler = sampler_of(env, "BodyConfiguration arm")
    with pytest.raises(ArgumentError, match=r"\[0, 0\]"):
        sampler.command("SetDOFs", [0, 0])
    with pytest.raises(ArgumentError, match=r"0\.\.2"):
        sampler.command("SetDOFs", [3])
    with pytest.raises(CommandError):
        sampler.send_command("SetDOFs one")
    sampler.set_space_dof(3)
    with pytest.raises(ArgumentError, match="3 dimensions, not 4"):
        sampler.set_space_dof(4)
    with pytest.raises(NotSupportedError):
        sampler.get_limits(SampleDataType.UINT32)
    for interface in ("RobotConfiguration", "RobotConfiguration nobody"):
        with pytest.raises(pyrave.InterfaceCreationError) as caught:
            sampler_of(env, interface)
        assert caught.value.__cause__ is not None


def test_the_body_is_not_kept(env):
    sampler = sampler_of(env, "BodyConfiguration arm")
    env.remove("arm")
    with pytest.raises(pyrave.StateError, match="gone"):
        sampler.sample_sequence(1)


@pytest.mark.parametrize("name", ["MT19937", "Halton"])
def test_the_dimension_stays_when_other_settings_change(env, name):
    sampler = sampler_of(env, name)
    sampler.set_space_dof(3)
    if name == "MT19937":
        sampler.change_settings(seed=5)
    else:
        sampler.sample_sequence(4)
        sampler.change_settings(dof=3)
    assert (sampler.get_dof(), sampler.settings.dof) == (3, 3)
    sampler.change_settings(dof=1)
    assert sampler.sample_sequence(2).shape == (2, 1)


def test_the_body_is_chosen_at_creation(env):
    sampler = sampler_of(env, "RobotConfiguration arm")
    with pytest.raises(
        pyrave.SettingError, match=r"body of .* counts at creation only"
    ):
        sampler.change_settings(body="other")
    assert sampler.settings.body == "arm"


# -- grids -------------------------------------------------------------------------


def test_grids_are_sequences_in_cells_of_their_own(env):
    sphere, turns = (sampler_of(env, name) for name in ("SphereGrid", "RotationGrid"))
    directions = np.concatenate([sphere.sample_sequence(k) for k in (5, 43)])
    assert len(set(healpix_pixels(directions, 1).tolist())) == 48
    quats = turns.sample_complete(72)
    cells = rotation_cells([matrix_from_quat(quat) for quat in quats], 0)
    assert sorted(cells.tolist()) == list(range(72))
    assert (sphere.get_dof(), sphere.get_number_of_values()) == (2, 3)
    assert (turns.get_dof(), turns.get_number_of_values()) == (3, 4)
    lower, upper = turns.get_limits()
    assert (quats >= lower).all()
    assert (quats <= upper).all()
    with pytest.raises(NotSupportedError, match="has 3 dimensions, not 6"):
        turns.set_space_dof(6)


def test_a_lattice_fills_a_cube_of_any_dimension(env):
    lattice = sampler_of(env, "Lattice")
    lattice.set_space_dof(3)
    first = lattice.sample_sequence(10)
    assert first.shape == (10, 3)
    assert np.array_equal(lattice.sample_complete(10), first)
    assert not np.array_equal(lattice.sample_sequence(10), first)
    state = lattice.get_state()
    after = lattice.sample_sequence(4)
    other = sampler_of(env, "Lattice")
    other.set_state(state)
    assert np.array_equal(other.sample_sequence(4), after)
    with pytest.raises(NotSupportedError, match="use MT19937"):
        lattice.sample_sequence_uint32(3)
