"""`Trajectory`: waypoints, samples, and files."""

import numpy as np
import pytest

from pyrave_openravepy.api.foundation.objects import wrap


@pytest.fixture(scope="module")
def env(openravepy):
    return openravepy.Environment()


@pytest.fixture
def spec(openravepy):
    spec = openravepy.ConfigurationSpecification()
    spec.AddGroup("joint_values arm 0 1", 2, "linear")
    spec.AddDeltaTimeGroup()
    return spec


@pytest.fixture
def empty(env):
    return wrap(env._native.create("trajectory", ""))


@pytest.fixture
def trajectory(empty, spec):
    empty.Init(spec)
    empty.Insert(0, [0, 0, 0, 1, 2, 0.5, 3, 2, 2.0])
    return empty


def test_waypoints_are_flat_numbers(trajectory):
    assert trajectory.GetNumWaypoints() == len(trajectory) == 3
    assert trajectory.GetWaypoint(1).tolist() == [1, 2, 0.5]
    assert trajectory.GetWaypoint(-1).tolist() == [3, 2, 2]
    assert trajectory.GetWaypoints(1, 3).tolist() == [1, 2, 0.5, 3, 2, 2]
    assert trajectory.GetWaypoints2D(1, 3).shape == (2, 3)
    assert trajectory.GetAllWaypoints2D().shape == (3, 3)
    assert trajectory[2].tolist() == [3, 2, 2]
    assert trajectory[0:2].shape == trajectory[[0, 2]].shape == (2, 3)
    assert [row[0] for row in trajectory] == [0, 1, 3]
    assert trajectory.GetDuration() == 2.5
    assert trajectory.GetFirstWaypointIndexAfterTime(1.0) == 2


def test_all_forms_of_insert(openravepy, trajectory):
    spec = openravepy.ConfigurationSpecification()
    spec.AddGroup("joint_values arm 1 0", 2, "linear")
    trajectory.Insert(3, [9, 8], spec)
    assert trajectory.GetWaypoint(3).tolist() == [8, 9, 0]
    # values that the given specification lacks stay
    trajectory.Insert(1, [7, 6], spec, True)
    assert trajectory.GetWaypoint(1).tolist() == [6, 7, 0.5]
    trajectory.Insert(0, [5, 5, 0], True)
    assert (len(trajectory), trajectory[0].tolist()) == (4, [5, 5, 0])
    group = spec.GetGroups()[0]
    trajectory.Insert(4, [1, 2], group)
    assert trajectory[4].tolist() == [2, 1, 0]
    trajectory.Insert(index=4, data=[3, 4], spec=spec, overwrite=True)
    assert trajectory[4].tolist() == [4, 3, 0]
    trajectory.Insert(0, [])
    assert len(trajectory) == 5
    trajectory.Remove(1, 4)
    assert [row.tolist() for row in trajectory] == [[5, 5, 0], [4, 3, 0]]
    trajectory.ClearWaypoints()
    assert len(trajectory) == 0
    assert trajectory


def test_samples(openravepy, trajectory, spec):
    assert trajectory.Sample(0.25).tolist() == [0.5, 1, 0.25]
    # beyond the end the last waypoint holds
    assert trajectory.Sample(99).tolist() == [3, 2, 2]
    only = openravepy.ConfigurationSpecification()
    only.AddGroup("joint_values arm 1", 1, "linear")
    assert trajectory.Sample(0.25, only).tolist() == [1]
    assert trajectory.Sample(0.25, only.GetGroups()[0]).tolist() == [1]
    np.testing.assert_allclose(
        trajectory.SamplePoints2D([0, 0.5, 1.5], only).ravel(), [0, 2, 2]
    )
    rows = trajectory.SamplePointsSameDeltaTime2D(1.0, True)
    np.testing.assert_allclose(rows[:, 0], [0, 1.5, 2.5, 3])
    assert len(trajectory.SamplePointsSameDeltaTime2D(1.0, False)) == 3
    part = trajectory.SampleRangeSameDeltaTime2D(0.5, 0.5, 1.75, True, only)
    assert part.ravel().tolist() == [2, 2, 2, 2]
    only.AddGroup("joint_values other 0", 1, "linear")
    found = trajectory.SampleFromPrevious([7, 8], 0.25, only)
    assert found.tolist() == [1, 8]


def test_arrays_are_fresh(trajectory):
    trajectory.GetWaypoint(0)[:] = 9
    trajectory.Sample(0)[:] = 9
    assert trajectory.GetWaypoint(0).tolist() == [0, 0, 0]
    trajectory.GetConfigurationSpecification().AddGroup("iswaypoint", 1, "next")
    assert trajectory.GetConfigurationSpecification().GetDOF() == 3


@pytest.mark.parametrize("options", [None, 0, 0x8000])
def test_files(trajectory, env, tmp_path, options):
    assert trajectory.GetDescription() == ""
    trajectory.SetDescription("<about> a </about>")
    data = trajectory.serialize(options)
    assert isinstance(data, str if options else bytes)
    one, other = (wrap(env._native.create("trajectory", "")) for _ in range(2))
    assert one.deserialize(data) is one
    trajectory.SaveToFile(str(tmp_path / "a.traj"), options)
    assert other.LoadFromFile(str(tmp_path / "a.traj"))
    for found in (one, other):
        assert found.GetAllWaypoints2D().tolist() == trajectory[:].tolist()
        assert found.GetDescription() == "<about> a </about>"
        mine = trajectory.GetConfigurationSpecification()
        assert found.GetConfigurationSpecification() == mine


def test_curves_without_derivatives_are_lines(openravepy, empty):
    spec = openravepy.ConfigurationSpecification()
    spec.AddGroup("joint_values arm 0", 1, "cubic")
    spec.AddDeltaTimeGroup()
    empty.Init(spec)
    empty.Insert(0, [0, 0, 1, 2])
    assert empty.Sample(1).tolist() == [0.5, 1]
    spec.AddVelocityGroups(False)
    empty.Init(spec)
    groups = empty.GetConfigurationSpecification().GetGroups()
    assert [group.interpolation for group in groups] == ["cubic", "", "quadratic"]


def test_what_is_wrong_is_an_openrave_exception(
    openravepy, trajectory, empty, tmp_path
):
    for wrong, text in (
        (lambda: trajectory.Insert(0, [1, 2]), "2 numbers, expected a multiple of"),
        (lambda: trajectory.Insert(9, [1, 2, 3]), "9"),
        (lambda: trajectory.Insert(0, [1, 2, 3], speck=3), "speck"),
        (lambda: trajectory.GetWaypoint(3), "waypoint 3 of 3"),
        (lambda: trajectory.Sample(-1), "-1"),
        (lambda: trajectory.Sample(0, 3), "expected a ConfigurationSpecification"),
        (lambda: trajectory.Init("x"), "expected a ConfigurationSpecification"),
        (lambda: trajectory.deserialize("<nothing/>"), "nothing"),
        (lambda: trajectory.LoadFromFile(str(tmp_path / "no")), "cannot be read"),
        (lambda: trajectory.SaveToFile(str(tmp_path / "no/no")), "cannot be written"),
        (lambda: trajectory.SampleRangeSameDeltaTime2D(0, 0, 1, True), "above 0"),
    ):
        with pytest.raises(openravepy.openrave_exception, match=text):
            wrong()
    assert trajectory.GetNumWaypoints() == 3
