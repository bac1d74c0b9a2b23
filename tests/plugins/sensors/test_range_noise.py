"""Noise of ranges: what it does on average, from which seed, and to whom."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, SceneError
from pyrave_sensors.ranges.noise import RangeNoise, Ranges, kernels

N = 200_000
LIMITS = (0.1, 30.0)


def apply(noise, distances=10.0, *, seed=1, cosines=1.0, reflectivity=1.0, hit=True):
    full = np.full(N, 1.0)
    truth = Ranges(full * distances, full * hit > 0, np.zeros(N, np.bool_))
    random = np.random.default_rng(seed)
    return noise.apply(truth, full * cosines, full * reflectivity, LIMITS, random)


def check_rate(kept, wanted):
    """A share of N draws is within five standard deviations of its probability."""
    assert abs(kept - wanted) <= 5 * np.sqrt(max(wanted * (1 - wanted), 1e-9) / N)


def test_nothing_happens_unless_it_is_asked_for():
    noise = RangeNoise()
    assert noise.off
    found = apply(noise)
    assert (found.distances == 10).all()
    assert found.returned.all()
    assert not found.stray.any()


def test_random_numbers_are_drawn_for_what_is_random_only():
    """So that other noise of the same generator does not depend on it."""
    full = np.ones(3)
    truth = Ranges(full, full > 0, np.zeros(3, np.bool_))
    random = np.random.default_rng(1)
    RangeNoise(bias=0.1, quantisation=0.01).apply(truth, full, full, LIMITS, random)
    assert random.random() == np.random.default_rng(1).random()


@pytest.mark.parametrize("missed", [np.inf, np.nan])
def test_the_interpreter_says_the_same(monkeypatch, missed):
    noise = RangeNoise(
        bias=0.1, sigma=0.1, sigma_relative=0.05, quantisation=0.01, outlier_rate=0.1,
        dropout_rate=0.1, dropout_angle=0.5, dropout_reflectivity=0.6,
    )  # fmt: skip
    random = np.random.default_rng(4)
    n = 500
    there = random.random(n) < 0.7
    distances = np.where(there, random.random(n) * 31, missed)
    cosines, surface = random.random((2, n))
    truth = Ranges(distances, there, np.zeros(n, np.bool_))

    def found():
        start = np.random.default_rng(1)
        return noise.apply(truth, cosines, surface, LIMITS, start)

    compiled = found()
    monkeypatch.setattr(
        "pyrave_sensors.ranges.noise.kernels", SimpleNamespace(jit=kernels.python)
    )
    written = found()
    for name in ("returned", "stray"):
        np.testing.assert_array_equal(getattr(written, name), getattr(compiled, name))
    kept = compiled.returned
    assert 0 < compiled.stray.sum() < kept.sum() < n
    np.testing.assert_allclose(
        written.distances[kept], compiled.distances[kept], rtol=1e-14
    )


@pytest.mark.parametrize(
    ("noise", "distance", "mean", "sigma"),
    [
        (RangeNoise(bias=0.02), 10.0, 10.02, 0.0),
        (RangeNoise(sigma=0.03), 10.0, 10.0, 0.03),
        (RangeNoise(sigma_relative=0.005), 20.0, 20.0, 0.1),
        (RangeNoise(bias=-0.1, sigma=0.01, sigma_relative=0.002), 5.0, 4.9, 0.02),
    ],
)
def test_bias_and_deviation(noise, distance, mean, sigma):
    found = apply(noise, distance).distances
    error = 5 * sigma / np.sqrt(N)
    assert found.mean() == pytest.approx(mean, abs=error + 1e-12)
    assert found.std() == pytest.approx(sigma, abs=error + 1e-12)
    if sigma:
        normal = (found - mean) / sigma
        check_rate((np.abs(normal) < 1).mean(), 0.6826894921)
        check_rate((normal < -2).mean(), 0.0227501319)


def test_quantisation_rounds_to_whole_steps():
    found = apply(RangeNoise(sigma=0.05, quantisation=0.002)).distances
    steps = found / 0.002
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    # rounding adds its variance, a step squared over 12
    assert found.std() == pytest.approx(0.05, abs=5 * 0.05 / np.sqrt(N))
    assert apply(RangeNoise(quantisation=4.0)).distances[0] == 8


def test_what_is_measured_out_of_range_is_lost():
    found = apply(RangeNoise(sigma=0.1), LIMITS[1])
    check_rate(found.returned.mean(), 0.5)
    assert not apply(RangeNoise(bias=-1.0), 1.05).returned.any()


@pytest.mark.parametrize("hit", [True, False])
def test_outliers(hit):
    found = apply(RangeNoise(outlier_rate=0.05), hit=hit)
    check_rate(found.stray.mean(), 0.05)
    assert found.returned.mean() == pytest.approx(1 if hit else found.stray.mean())
    strays = found.distances[found.stray]
    low, high = LIMITS
    wide = (high - low) / np.sqrt(12)
    assert strays.mean() == pytest.approx((low + high) / 2, abs=5 * wide / 90)
    assert strays.std() == pytest.approx(wide, rel=0.03)
    assert strays.min() >= low
    assert strays.max() <= high


def test_dropouts():
    check_rate(apply(RangeNoise(dropout_rate=0.2)).returned.mean(), 0.8)
    assert not apply(RangeNoise(dropout_rate=1.0)).returned.any()


@pytest.mark.parametrize(("angle", "kept"), [(0, 1), (60, 1), (67.5, 0.75), (89.99, 0)])
def test_dropouts_by_incidence(angle, kept):
    noise = RangeNoise(dropout_angle=np.radians(60))
    found = apply(noise, cosines=np.cos(np.radians(angle)))
    check_rate(found.returned.mean(), max(kept, 0.01 / 30))


@pytest.mark.parametrize(("value", "kept"), [(1, 1), (0.2, 1), (0.1, 0.5), (0, 0)])
def test_dropouts_by_reflectivity(value, kept):
    noise = RangeNoise(dropout_reflectivity=0.2)
    check_rate(apply(noise, reflectivity=value).returned.mean(), kept)


def test_dropouts_are_independent():
    noise = RangeNoise(
        dropout_rate=0.1, dropout_angle=np.radians(60), dropout_reflectivity=0.2
    )
    found = apply(noise, cosines=np.cos(np.radians(75)), reflectivity=0.1)
    check_rate(found.returned.mean(), 0.9 * 0.5 * 0.5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sigma", -1.0),
        ("bias", np.inf),
        ("bias", np.nan),
        ("outlier_rate", 1.5),
        ("dropout_rate", -0.1),
        ("dropout_angle", 2.0),
        ("quantisation", np.inf),
    ],
)
def test_noise_that_makes_no_sense(name, value):
    with pytest.raises(ArgumentError, match=name):
        RangeNoise(**{name: value})


# -- scanners -------------------------------------------------------------------------

WORLD = """<kinbody name="white"><body name="w"><geom type="box">
    <extents>.5 9 9</extents><translation>4.5 0 0</translation>
    <diffusecolor>1 1 1</diffusecolor></geom></body>
  </kinbody>
  <kinbody name="red"><body name="w"><geom type="box"><extents>.5 9 9</extents>
    <translation>-2.5 0 0</translation><diffusecolor>1 0 0</diffusecolor></geom></body>
    {}</kinbody>"""
TAGS = """<noise_bias>0.01</noise_bias><noise_sigma>0.02</noise_sigma>
  <noise_sigma_relative>0.003</noise_sigma_relative>
  <noise_quantisation>0.001</noise_quantisation><outlier_rate>0.04</outlier_rate>
  <dropout_rate>0.05</dropout_rate><dropout_angle>60</dropout_angle>
  <dropout_reflectivity>0.07</dropout_reflectivity>"""
KINDS = ["BaseLaser2D", "BaseSpinningLaser2D", "BaseFlashLidar3D", "MultiBeamLidar"]


def load(kind, tags, body=""):
    env = pyrave.Environment()
    sensor = f'<sensor type="{kind}" name="s">{tags}</sensor>'
    env.load_string(f"<environment>{WORLD.format(body)}{sensor}</environment>")
    assert not env.problems
    return env


@pytest.mark.parametrize("kind", KINDS)
def test_every_scanner_has_all_tags(kind):
    env = load(kind, TAGS + "<seed>5</seed>")
    assert env.sensors["s"].seed == 5
    assert env.sensors["s"].noise == RangeNoise(
        bias=0.01,
        sigma=0.02,
        sigma_relative=0.003,
        quantisation=0.001,
        outlier_rate=0.04,
        dropout_rate=0.05,
        dropout_angle=np.radians(60),
        dropout_reflectivity=0.07,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_scans(kind):
    scans = []
    for seed in (3, 3, 4):
        env = load(kind, TAGS + f"<seed>{seed}</seed>")
        scans.append([env.sensors["s"].measure().ranges for _ in range(2)])
    assert (scans[0][0] == scans[1][0]).all()
    assert (scans[0][1] == scans[1][1]).all()
    assert (scans[0][0] != scans[0][1]).any()
    assert (scans[0][0] != scans[2][0]).any()
    laser = env.sensors["s"]
    laser.seed = 3
    assert (laser.measure().ranges == scans[0][0]).all()


def test_clones_and_pickles_go_on_with_the_same_numbers():
    env = load("BaseLaser2D", TAGS)
    laser = env.sensors["s"]
    laser.measure()
    twins = env.clone(), pickle.loads(pickle.dumps(env))  # noqa: S301
    wanted = laser.measure().ranges
    for twin in twins:
        assert twin.sensors["s"].noise == laser.noise
        assert (twin.sensors["s"].measure().ranges == wanted).all()


def test_a_noisy_scan():
    tags = "<minangle>-0.5</minangle><maxangle>0.5</maxangle><resolution>0.0001"
    tags += (
        "</resolution><noise_sigma>0.02</noise_sigma><outlier_rate>0.1</outlier_rate>"
    )
    env = load("BaseLaser2D", tags + "<dropout_rate>0.2</dropout_rate>")
    data = env.sensors["s"].measure()
    n = len(data.ranges)
    hit, stray = data.body_ids == 0, data.returned & (data.body_ids < 0)
    assert abs(stray.mean() - 0.1) < 5 * np.sqrt(0.09 / n)
    assert abs(hit.mean() - 0.9 * 0.8) < 5 * np.sqrt(0.2 / n)
    assert (data.intensity == (hit | stray)).all()
    np.testing.assert_allclose(data.distances[~data.returned], 100)
    assert data.distances[hit].std() == pytest.approx(0.02, rel=0.05)
    assert data.distances[hit].mean() == pytest.approx(4, abs=0.001)
    # noise is along the ray
    fan = np.radians(-0.5 + 0.0001 * np.arange(n))
    direction = np.stack((np.cos(fan), np.sin(fan), 0 * fan), axis=1)
    np.testing.assert_allclose(
        data.ranges / data.distances[:, None], direction, atol=1e-12
    )


def test_noise_is_assigned_and_saved(tmp_path):
    env = load("BaseLaser2D", "")
    laser = env.sensors["s"]
    assert laser.noise.off
    clean = laser.measure().ranges
    laser.noise = RangeNoise(sigma=0.1, dropout_angle=1.0)
    assert (laser.measure().ranges != clean).any()
    env.save(tmp_path / "a.env.xml")
    again = pyrave.load(tmp_path / "a.env.xml").sensors["s"].noise
    assert (again.sigma, again.dropout_angle) == (0.1, pytest.approx(1.0))
    laser.noise = RangeNoise()
    assert (laser.measure().ranges == clean).all()
    assert laser.readables["BaseLaser2D"].entries == ()
    with pytest.raises(ArgumentError, match="RangeNoise"):
        laser.noise = 0.1


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("<outlier_rate>1.1</outlier_rate>", "1 or less"),
        ("<noise_sigma>-1</noise_sigma>", "0 or more"),
        ("<dropout_angle>91</dropout_angle>", "90 or less"),
        ("<seed>-1</seed>", "0 or more"),
        ("<seed>1.5</seed>", "one whole number"),
        ("<intensity_model>physics</intensity_model>", "did you mean physical"),
        ("<intensity_range>0</intensity_range>", "more than 0"),
        ("<noise_sigm>1</noise_sigm>", "did you mean <noise_sigma>"),
    ],
)
def test_mistakes(tag, message):
    text = f'<environment><sensor type="laser3d">{tag}</sensor></environment>'
    with pytest.raises(SceneError, match=message):
        pyrave.Environment().load_string(text, strict=True)


# -- reflectivity and intensity -------------------------------------------------------

AROUND = "<minangle>-180</minangle><maxangle>135</maxangle><resolution>45</resolution>"


def test_the_physical_intensity():
    """White at 4 m, red at 2 m; at 45 degrees the range is longer by sqrt(2)."""
    tags = "<intensity_model>physical</intensity_model>"
    env = load("BaseLaser2D", AROUND + tags)
    laser = env.sensors["s"]
    data = laser.measure()
    red = 0.2126
    half = np.cos(np.pi / 4) / 2
    wanted = [
        red / 4,
        red / 4 * half,
        0,
        half / 16,
        1 / 16,
        half / 16,
        0,
        red / 4 * half,
    ]
    np.testing.assert_allclose(data.intensity, wanted, atol=1e-12)
    assert data.returned.sum() == 6
    laser.intensity_range = 3.0
    np.testing.assert_allclose(laser.measure().intensity[4], 9 / 16)
    laser.intensity_range = 100.0
    assert laser.measure().intensity.max() == 1
    laser.intensity_model = "hit"
    np.testing.assert_array_equal(laser.measure().intensity, np.array(wanted) > 0)


def test_a_body_may_say_its_reflectivity(tmp_path):
    tags = AROUND + "<intensity_model>physical</intensity_model>"
    env = load("BaseLaser2D", tags, "<reflectivity>0.75</reflectivity>")
    assert env.sensors["s"].measure().intensity[0] == pytest.approx(0.75 / 4)
    env.save(tmp_path / "a.env.xml")
    again = pyrave.load(tmp_path / "a.env.xml")
    assert again.sensors["s"].measure().intensity[0] == pytest.approx(0.75 / 4)
    env.bodies["white"].links[0].geometries[0].transparency = 0.5
    assert env.sensors["s"].measure().intensity[4] == pytest.approx(0.5 / 16)


@pytest.mark.parametrize("text", ["", "2", "-0.1", "nan", "white"])
def test_a_reflectivity_is_a_number_from_0_to_1(text):
    env = pyrave.Environment()
    env.load_string(
        f"<environment>{WORLD.format(f'<reflectivity>{text}</reflectivity>')}"
        "</environment>"
    )
    (problem,) = env.problems
    assert "expected a number from 0 to 1" in problem.message
    assert problem.line == 7


def test_dark_things_are_lost():
    tags = (
        "<minangle>179</minangle><maxangle>181</maxangle><resolution>0.001</resolution>"
    )
    tags += "<dropout_reflectivity>0.4252</dropout_reflectivity>"
    env = load("BaseLaser2D", tags)
    kept = env.sensors["s"].measure().returned
    assert abs(kept.mean() - 0.5) < 5 * 0.5 / np.sqrt(len(kept))


def test_intensity_settings_are_checked():
    env = load("BaseLaser2D", "")
    laser = env.sensors["s"]
    with pytest.raises(ArgumentError, match="one of hit, physical"):
        laser.intensity_model = "lambert"
    with pytest.raises(ArgumentError, match="intensity_range"):
        laser.intensity_range = 0.0
