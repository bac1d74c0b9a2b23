"""Plots of trajectories and scans: what is drawn, and without matplotlib."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.planning import retime, verify
from pyrave.sensing import LaserData

pytest.importorskip("matplotlib")


@pytest.fixture
def env():
    return pyrave.load("scenes/demo.env.xml")


def swing(env, *, timed=True):
    """joint1 from 0 to 1 and back in two seconds, joint2 still."""
    spec = pyrave.ConfigurationSpecification().add_group(
        "joint_values heron7 0 1", 2, "linear"
    )
    rows = np.array([(0, 0.1), (1, 0.1), (0, 0.1)], float)
    if timed:
        spec = spec.add_group("deltatime", 1)
        rows = np.column_stack((rows, (0, 1, 1)))
    made = env.create("trajectory", "")
    made.init(spec)
    made.insert(0, rows)
    return made


def lines_of(axes):
    """Solid lines by their colours' order, then heights of the dashed ones."""
    solid = [one.get_ydata() for one in axes.lines if one.get_linestyle() == "-"]
    dashed = [one.get_ydata()[0] for one in axes.lines if one.get_linestyle() == "--"]
    return solid, dashed


def test_values_rates_and_limits(env, tmp_path):
    plot = swing(env).plot(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8").lstrip().startswith("<?xml")
    values, rates, _ = plot.axes
    (first, second), _ = lines_of(values)
    assert first.max() == pytest.approx(1.0, abs=1e-3)
    np.testing.assert_allclose(second, 0.1, atol=1e-12)
    (speed, _), limits = lines_of(rates)
    assert speed[10] == pytest.approx(1.0)
    assert speed[-10] == pytest.approx(-1.0)
    known = env.robots[0].dof_velocity_limits[:2]
    assert set(limits) <= {*known, *-known}
    assert limits
    assert plot.axes[-1].get_xlabel() == "time (s)"
    assert [text.get_text() for text in values.get_legend().get_texts()] == [
        "joint1", "joint2",
    ]  # fmt: skip
    assert plot._repr_png_().startswith(b"\x89PNG")


def test_accelerations_begin_and_end_as_they_are(env):
    robot = env.robots["heron7"]
    rows = np.tile(robot.dof_values, (2, 1))
    rows[1, 0] += 1.0
    _, rates, changes = retime(robot, rows).plot().axes
    (speed, *_), _ = lines_of(rates)
    (change, *_), _ = lines_of(changes)
    most = robot.dof_acceleration_limits[0]
    assert speed[[0, -1]] == pytest.approx(0.0, abs=1e-6)
    assert change[[0, -1]] == pytest.approx([most, -most], rel=1e-6)


def test_parts_of_limits(env):
    values, rates, _ = swing(env).plot(relative=True).axes
    lower, upper = (limits[0] for limits in env.robots[0].dof_limits)
    (first, _), limits = lines_of(values)
    assert first[0] == pytest.approx(-lower / (upper - lower))
    assert sorted(limits) == [0, 1]
    (speed, _), limits = lines_of(rates)
    assert speed[10] == pytest.approx(1.0 / env.robots[0].dof_velocity_limits[0])
    assert sorted(limits) == [-1, 1]


def test_without_times_and_without_the_body(env):
    plot = swing(env, timed=False).plot()
    assert plot.axes[-1].get_xlabel() == "waypoint"
    (first, _), _ = lines_of(plot.axes[0])
    np.testing.assert_array_equal(first, [0, 1, 0])
    alone = swing(pyrave.Environment()).plot()
    assert len(alone.axes) == 1
    assert alone.axes[0].get_ylabel() == "joint_values"


def test_a_scan_is_polar(tmp_path):
    pose = np.eye(4)
    pose[:3, 3] = (5, 6, 7)
    scan = LaserData(
        pose=pose, positions=pose[None, :3, 3],
        ranges=np.array([(1.0, 0, 0), (0, 2, 0), (9, 9, 0)]),
        intensity=np.array([1.0, 1, 0]), body_ids=np.array([0, 0, -1]),
    )  # fmt: skip
    plot = scan.plot(tmp_path / "scan.png")
    assert (tmp_path / "scan.png").stat().st_size > 1000
    scan.plot(tmp_path / "scan.jpg")
    assert (tmp_path / "scan.jpg").read_bytes().startswith(b"\xff\xd8\xff")
    (dots,) = plot.axes[0].collections
    np.testing.assert_allclose(dots.get_offsets(), [(0, 1), (np.pi / 2, 2)], atol=1e-9)
    assert "2 of 3 rays" in plot.axes[0].get_title()
    assert LaserData().plot().axes
    scan.ranges[0, 2] = 1
    assert len(scan.plot().axes) == 2, "a scale of heights"


def test_what_is_refused(env, tmp_path):
    made = swing(env)
    with pytest.raises(ArgumentError, match=r"'a.bmp', expected a name in \.png"):
        made.plot(tmp_path / "a.bmp")
    with pytest.raises(ArgumentError, match="cannot be written: No such file"):
        made.plot(tmp_path / "no" / "a.png")
    with pytest.raises(ArgumentError, match="expected a path"):
        made.plot(3)
    with pytest.raises(ArgumentError, match="body is 3, expected a body"):
        made.plot(body=3)
    made.clear_waypoints()
    with pytest.raises(StateError, match="no waypoints"):
        made.plot()


def test_a_trajectory_of_more_joints_is_of_another_robot(env):
    spec = pyrave.ConfigurationSpecification().add_group(
        "joint_values heron7 0 99", 2, "linear"
    )
    made = env.create("trajectory", "")
    made.init(spec.add_group("deltatime", 1))
    made.insert(0, [[0, 0, 0], [1, 1, 1]])
    for call in (made.plot, lambda: verify(env.robots["heron7"], made)):
        with pytest.raises(ArgumentError, match="dof index 99 of 'heron7' is not in"):
            call()


def test_without_matplotlib_it_says_what_to_install(env, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (swing(env).plot, LaserData().plot):
        with pytest.raises(NotSupportedError, match=r"pip install 'pyrave\[plot\]'"):
            call()
