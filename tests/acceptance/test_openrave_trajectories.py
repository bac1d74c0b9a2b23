"""Trajectories and ik parameterizations against what OpenRAVE itself computed."""

from __future__ import annotations

import json

import corpus
import numpy as np
import pytest

from pyrave.authoring.generic_trajectory import GenericTrajectory
from pyrave.ik.parameterization import IkParameterization, IkParameterizationType
from pyrave.kinematics.affine import slerp
from pyrave.trajectories.groups import affine_dof
from pyrave.trajectories.specification import ConfigurationSpecification

JOINTS = "joint_values BarrettWAM 0 1 2 3 4 5 6"


def topic(name):
    """Return a dumped topic, or None when the shared files are not there."""
    folder = corpus.shared_folder()
    if folder is None:
        return None
    path = folder / "expected" / "openrave_topics" / f"{name}.json"
    return json.loads(path.read_text())


TRAJECTORIES = topic("trajectories")
MATH = topic("mathfns")
pytestmark = pytest.mark.skipif(
    TRAJECTORIES is None or MATH is None, reason="the shared files are not there"
)
TIMED = {
    name: item
    for name, item in (TRAJECTORIES or {}).items()
    if isinstance(item.get("q"), list) and "waypoints" in item
}
SPECS = {n: i for n, i in (TRAJECTORIES or {}).items() if "spec" in i}
WRITTEN = {name: item for name, item in TIMED.items() if "xml" in item}


class Env:
    bodies: dict[str, object] = {}  # noqa: RUF012


def build(env, item):
    trajectory = GenericTrajectory(env)
    trajectory.init(ConfigurationSpecification.from_xml(item["spec"]))
    trajectory.insert(0, item["waypoints"])
    return trajectory


@pytest.mark.parametrize("name", TIMED)
def test_samples(name):
    env, item = Env(), TIMED[name]
    trajectory = build(env, item)
    values = ConfigurationSpecification().add_group(JOINTS, 7)
    rates = values.convert_to_velocity_specification()
    assert len(trajectory) == item["n"]
    assert trajectory.duration == item["duration"]
    # The coefficients come from another, equivalent formula: rounding only.
    q = trajectory.sample_points(item["times"], values)
    np.testing.assert_allclose(q, item["q"], rtol=0, atol=1e-13)
    qd = trajectory.sample_points(item["times"], rates)
    np.testing.assert_allclose(qd, item["qd"], rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", SPECS)
def test_specification_text(name):
    text = SPECS[name]["spec"]
    assert ConfigurationSpecification.from_xml(text).to_xml() == text


@pytest.mark.parametrize("name", WRITTEN)
def test_xml_is_written_alike(name):
    env, item = Env(), WRITTEN[name]
    trajectory = build(env, item)
    # Ids are given by the registry; this object was made without it.
    assert trajectory.interface_id == "GenericTrajectory"
    assert trajectory.to_xml() == item["xml"]
    again = GenericTrajectory.from_xml(env, item["xml"])
    np.testing.assert_allclose(again.waypoints, item["waypoints"], rtol=1e-15)
    exact = GenericTrajectory.from_bytes(env, trajectory.serialize())
    np.testing.assert_array_equal(exact.waypoints, item["waypoints"])


def test_affine_specifications():
    for mask, text in (TRAJECTORIES or {})["info:"]["affine_specs"].items():
        spec = ConfigurationSpecification().add_group(
            f"affine_transform BarrettWAM {mask}", affine_dof(int(mask))
        )
        assert spec.to_xml() == text


@pytest.mark.parametrize("index", range(len((MATH or {}).get("ikparam", ()))))
def test_ik_parameterization(index):
    item = (MATH or {})["ikparam"][index]
    kind = IkParameterizationType.of(item["type"])
    assert int(kind) == item["type_id"]
    assert (kind.dof, kind.n_values) == (item["dof"], item["nvalues"])
    a = IkParameterization(kind, item["va"])
    b = IkParameterization(kind, item["vb"])
    assert a.serialize() == item["str_a"]
    assert ConfigurationSpecification.of_ik(a).to_xml() == item["spec"]
    assert a.distance2(b) == pytest.approx(item["dist2_ab"], abs=1e-12)
    assert b.distance2(a) == pytest.approx(item["dist2_ba"], abs=1e-12)
    moved = np.array(item["T"]) @ a
    np.testing.assert_allclose(moved.values, item["transformed"], atol=1e-13)
    parsed = IkParameterization.deserialize(item["str_a"])
    np.testing.assert_allclose(parsed.values, item["va"], rtol=1e-15)


def test_slerp():
    for row in (MATH or {})["rows"]:
        got = slerp(np.array([row["q"]]), np.array([row["q2"]]), np.array([row["t"]]))[
            0
        ]
        np.testing.assert_allclose(got, row["quatSlerp"], atol=1e-12)
