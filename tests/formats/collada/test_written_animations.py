"""Trajectories as animations of COLLADA files, and back."""

from __future__ import annotations

import dataclasses
import math
import zipfile

import numpy as np
import pytest
from collada_bodies import arm
from collada_documents import Robot, written
from lxml import etree

import pyrave
from pyrave import ConfigurationSpecification
from pyrave.scene import JointAxis, Pose, SceneDescription
from pyrave_collada.animations import (
    JointTrajectory,
    read_trajectories,
    write_trajectories,
)

TIMES = np.array([0.0, 0.5, 2.0])
VALUES = np.array([[0.1, -0.25], [0.75, 1.25], [-0.5, 0.3]])


def scene_file(path, *bodies):
    env = pyrave.Environment()
    env.add_scene(SceneDescription(bodies or (arm(3),)))
    env.save(path)
    return pyrave.load(path)


def trajectory(env, values, times, interpolation="linear", group="joint_values arm"):
    """Return a trajectory of an environment."""
    dof = np.shape(values)[1]
    indices = " ".join(map(str, range(dof)))
    spec = ConfigurationSpecification()
    spec = spec.add_group(f"{group} {indices}", dof, interpolation)
    made = env.create("trajectory", "")
    made.init(spec.add_delta_time_group())
    made.insert(0, np.column_stack((values, np.diff(times, prepend=0.0))))
    return made


@pytest.mark.parametrize("suffix", ["dae", "zae"])
@pytest.mark.parametrize("kind", ["linear", "previous"])
def test_waypoints_come_back(tmp_path, suffix, kind):
    path = tmp_path / f"arm.{suffix}"
    env = scene_file(path)
    before = env.describe()
    assert write_trajectories(path, [trajectory(env, VALUES, TIMES, kind)]) == ()
    assert pyrave.load(path, strict=True).describe() == before
    (found,) = read_trajectories(path, strict=True)
    assert (found.body, found.interpolation) == ("arm", kind)
    assert found.dof_indices.tolist() == [0, 1]
    assert found.times.tolist() == TIMES.tolist()
    np.testing.assert_allclose(found.values, VALUES, rtol=1e-15)
    made = found.trajectory(env)
    given = trajectory(env, VALUES, TIMES, kind)
    for time in (0.0, 0.2, 0.5, 1.3, 2.0):
        np.testing.assert_allclose(made.sample(time)[:2], given.sample(time)[:2])


def test_next_waypoints_hold_from_the_start(tmp_path):
    env = scene_file(tmp_path / "arm.dae")
    given = trajectory(env, VALUES, TIMES, "next")
    write_trajectories(tmp_path / "arm.dae", [given])
    (found,) = read_trajectories(tmp_path / "arm.dae")
    made = found.trajectory(env)
    for time in (0.2, 0.7, 1.9):
        np.testing.assert_allclose(made.sample(time)[:2], given.sample(time)[:2])


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_polynomials_are_bezier_curves(tmp_path, kind):
    env = scene_file(tmp_path / "arm.dae")
    spec = ConfigurationSpecification().add_group("joint_values arm 0 1", 2, kind)
    spec = spec.add_derivative_groups(1)
    rates = np.array([[0.0, 0.2], [1.0, -0.5], [0.0, 0.0]])
    columns = [VALUES, rates]
    if kind == "quintic":
        spec = spec.add_derivative_groups(2)
        columns.append(-rates)
    given = env.create("trajectory", "")
    given.init(spec.add_delta_time_group())
    steps = np.diff(TIMES, prepend=0.0)[:, None]
    given.insert(0, np.hstack([*columns, steps]))
    assert write_trajectories(tmp_path / "arm.dae", [given]) == ()
    root = etree.parse(tmp_path / "arm.dae")
    names = root.findtext(".//{*}Name_array").split()
    assert set(names) == {"BEZIER"}
    (found,) = read_trajectories(tmp_path / "arm.dae", strict=True)
    # what is read are points of the curves
    wanted = np.array([given.sample(time)[:2] for time in found.times])
    error = np.abs(found.values - wanted).max()
    assert error < (1e-12 if kind == "cubic" else 1e-4)
    assert len(found.times) > 16


def test_targets_are_the_transforms_that_joints_move(tmp_path):
    joints = list(arm(4).joints)
    slanted = (0.6, 0.0, 0.8)
    for number, direction in ((1, (0.0, -1.0, 0.0)), (2, slanted)):
        axis = JointAxis(direction, prismatic=True, lower=-1.0, upper=1.0)
        joints[number] = dataclasses.replace(
            joints[number], type="slider", axes=(axis,)
        )
    robot = dataclasses.replace(arm(4), joints=tuple(joints))
    env = scene_file(tmp_path / "arm.dae", robot)
    values = np.array([[0.0, 0.0, 0.0], [1.0, 0.25, -0.5]])
    write_trajectories(tmp_path / "arm.dae", [trajectory(env, values, [0.0, 1.0])])
    root = etree.parse(tmp_path / "arm.dae")
    targets = [one.get("target") for one in root.iterfind(".//{*}channel")]
    assert targets == [
        "v0.node2/node_joint1_axis0.ANGLE",
        "v0.node3/node_joint2_axis0.Y",
        "v0.node4/node_joint3_axis0",
    ]
    (found,) = read_trajectories(tmp_path / "arm.dae", strict=True)
    np.testing.assert_allclose(found.values, values, atol=1e-15)


def test_robots_that_share_a_file_move_apart(tmp_path):
    env = scene_file(tmp_path / "arm.dae")
    env.load(tmp_path / "arm.dae", rename=True)
    both = tmp_path / "both.dae"
    env.robots[1].transform = Pose.from_translation(0.0, 3.0, 0.0).matrix
    env.save(both, expand=False)
    names = [robot.name for robot in env.robots]
    given = [
        JointTrajectory(name, (0, 1), TIMES, VALUES * sign)
        for name, sign in zip(names, (1.0, -1.0), strict=True)
    ]
    write_trajectories(both, given)
    found = {one.body: one for one in read_trajectories(both, strict=True)}
    assert list(found) == names
    for one in given:
        np.testing.assert_allclose(found[one.body].values, one.values, rtol=1e-15)
    assert pyrave.load(both, strict=True).describe() == env.describe()


@pytest.mark.parametrize("tool", ["by hand", "OpenRAVE Collada Writer"])
def test_files_of_others_keep_what_is_in_them(tmp_path, tool):
    text = str(Robot(tool=tool, unit='<unit name="millimeter" meter="0.001"/>'))
    text = text.replace("<library_kin", "<!-- hands off --><library_kin", 1)
    path = written(tmp_path, "rover.dae", text)
    before = pyrave.read(path)
    given = JointTrajectory("rover", (0, 1), TIMES, VALUES)
    for _ in range(2):  # the second one takes the place of the first
        write_trajectories(path, [given])
        (found,) = read_trajectories(path, strict=True)
        np.testing.assert_allclose(found.values, VALUES, rtol=1e-14)
    assert path.read_text().count("<library_animations") == 1
    assert "<!-- hands off -->" in path.read_text()
    assert pyrave.read(path) == before
    write_trajectories(path, [])
    assert "library_animations" not in path.read_text()


def test_prefixes_may_be_undeclared(tmp_path):
    text = str(Robot()).replace("<library_kin", "<extra/><library_kin", 1)
    text = text.replace("<extra/>", "<extra><technique profile='x'><m:y/></technique>"
                        "</extra>", 1)  # fmt: skip
    path = written(tmp_path, "rover.dae", text)
    before = pyrave.read(path)
    write_trajectories(path, [JointTrajectory("rover", (0, 1), TIMES, VALUES)])
    assert len(read_trajectories(path, strict=True)) == 1
    assert pyrave.read(path) == before


def test_other_files_of_an_archive_stay(tmp_path):
    path = tmp_path / "arm.zae"
    scene_file(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("images/skin.png", b"not really")
    write_trajectories(path, [JointTrajectory("arm", (1,), TIMES, VALUES[:, :1])])
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["manifest.xml", "arm.dae", "images/skin.png"]
        assert archive.read("images/skin.png") == b"not really"
    (found,) = read_trajectories(path)
    assert found.dof_indices.tolist() == [1]


def test_what_animations_cannot_say_is_told(tmp_path):
    env = scene_file(tmp_path / "arm.dae")
    spec = ConfigurationSpecification().add_group("joint_values arm 1", 1, "linear")
    spec = spec.add_group("affine_transform arm 7", 3, "linear").add_delta_time_group()
    given = env.create("trajectory", "")
    given.init(spec)
    given.insert(0, [[0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0, 1.0]])
    (loss,) = write_trajectories(tmp_path / "arm.dae", [given])
    assert "affine_transform arm 7" in loss
    (found,) = read_trajectories(tmp_path / "arm.dae")
    assert found.dof_indices.tolist() == [1]
    assert found.values.tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (((0,), TIMES, VALUES), "shape"),
        (((0, 1), VALUES, VALUES), "shape"),
        (((0,), 1.0, VALUES), "shape"),
        (((0,), TIMES[:0], VALUES[:0, :1]), "one at least"),
        (((0,), TIMES[::-1], VALUES[:, :1]), "rise"),
        (((0,), TIMES, np.full((3, 1), math.nan)), "not finite"),
        (((0,), [0.0, math.nan, 1.0], VALUES[:, :1]), "not finite"),
        (((0,), ["a", "b", "c"], VALUES[:, :1]), "else than numbers"),
        (((0,), [0, 1, 10**400], VALUES[:, :1]), "else than numbers"),
        (((0.5,), TIMES, VALUES[:, :1]), "else than numbers"),
        (((1, 1), TIMES, VALUES), "twice"),
        (((0, 1), TIMES, VALUES, "cubic"), "'cubic', expected one of linear, previous"),
    ],
)
def test_trajectories_that_make_no_sense_are_refused(given, message):
    with pytest.raises(pyrave.ArgumentError, match=f"of 'arm' .*{message}"):
        JointTrajectory("arm", *given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (JointTrajectory("amr", (0,), TIMES, VALUES[:, :1]), "no body 'amr'.*'arm'"),
        (JointTrajectory("arm", (2,), TIMES, VALUES[:, :1]), "freedom 2 .* has 2"),
        (JointTrajectory("arm", (-1,), TIMES, VALUES[:, :1]), "freedom -1"),
        ("moves", "expected a trajectory"),
    ],
)
def test_trajectories_that_do_not_fit_change_nothing(tmp_path, given, message):
    path = tmp_path / "arm.dae"
    scene_file(path)
    before = path.read_bytes()
    with pytest.raises(pyrave.ArgumentError, match=message):
        write_trajectories(path, [given])
    with pytest.raises(pyrave.ArgumentError, match="a JointTrajectory, expected sev"):
        write_trajectories(path, JointTrajectory("arm", (0,), TIMES, VALUES[:, :1]))
    assert path.read_bytes() == before


def test_a_trajectory_needs_times_and_waypoints(tmp_path):
    env = scene_file(tmp_path / "arm.dae")
    made = env.create("trajectory", "")
    spec = ConfigurationSpecification().add_group("joint_values arm 0", 1, "linear")
    made.init(spec)
    made.insert(0, [[0.5]])
    with pytest.raises(pyrave.ArgumentError, match="no times"):
        write_trajectories(tmp_path / "arm.dae", [made])
    made.init(spec.add_delta_time_group())
    with pytest.raises(pyrave.ArgumentError, match="no waypoints"):
        write_trajectories(tmp_path / "arm.dae", [made])
