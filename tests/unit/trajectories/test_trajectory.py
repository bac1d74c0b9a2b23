from __future__ import annotations

import pickle
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from pyrave.authoring.generic_trajectory import GenericTrajectory
from pyrave.environment import Environment
from pyrave.errors import (
    ArgumentError,
    NotSupportedError,
    SceneError,
    StateError,
)
from pyrave.ik.parameterization import IkParameterization
from pyrave.interfaces.trajectory import SERIALIZE_XML, TrajectoryBase
from pyrave.scene.readable import Readable, XmlElement, XmlReadable
from pyrave.spatial import matrix_from_quat, quat_from_axis_angle, rotation_vector
from pyrave.trajectories.specification import ConfigurationSpecification

Spec = ConfigurationSpecification
DERIVATIVES = ("velocities", "accelerations", "jerks")


class Env:
    """Stands for an environment without bodies."""

    bodies: dict[str, object] = {}  # noqa: RUF012


@pytest.fixture
def env():
    return Env()


def trajectory(env, spec, data=()):
    result = GenericTrajectory(env)
    result.init(spec)
    result.insert(0, data)
    return result


def timed(env, *values, interpolation="linear", kind="joint_values a 0"):
    """Return a trajectory of one value a waypoint, one second apart."""
    spec = Spec().add_group(kind, 1, interpolation).add_delta_time_group()
    rows = [(value, 0.0 if i == 0 else 1.0) for i, value in enumerate(values)]
    return trajectory(env, spec, rows)


# -- waypoints ---------------------------------------------------------------


def test_insert_and_remove(env):
    t = timed(env, 1, 2)
    t.insert(1, [[5.0, 1.0]])
    t.append([9.0, 1.0, 10.0, 1.0])
    assert t.waypoints[:, 0].tolist() == [1, 5, 2, 9, 10]
    t.remove(1, 3)
    assert t.waypoints[:, 0].tolist() == [1, 9, 10]
    assert len(t) == 3
    assert t.duration == 2.0
    assert t.get_waypoint(-1).tolist() == [10, 1]
    t.clear_waypoints()
    assert len(t) == 0
    assert bool(t)
    assert t.spec.dof == 2


def test_insertions_anywhere_match_a_list(env):
    rng = np.random.default_rng(3)
    t = timed(env)
    reference: list[list[float]] = []
    for _ in range(60):
        index = int(rng.integers(len(reference) + 1))
        rows = rng.random((int(rng.integers(4)), 2)).tolist()
        overwrite = bool(rng.integers(2))
        t.insert(index, rows, overwrite=overwrite)
        reference[index : index + (len(rows) if overwrite else 0)] = rows
        if rng.random() < 0.3 and reference:
            start = int(rng.integers(len(reference)))
            t.remove(start, min(start + 2, len(reference)))
            del reference[start : start + 2]
        np.testing.assert_array_equal(t.waypoints, np.reshape(reference, (-1, 2)))


def test_waypoints_are_copies(env):
    t = timed(env, 1, 2)
    t.waypoints[:] = 9
    t.get_waypoints(0, 1)[:] = 9
    assert t.waypoints[:, 0].tolist() == [1, 2]


def test_insert_converts(env):
    t = timed(env, 1, 2)
    source = Spec().add_delta_time_group().add_group("joint_values a 1 0", 2)
    t.insert(2, [[0.5, -1.0, 3.0]], source)
    assert t.waypoints[2].tolist() == [3, 0.5]
    got = t.get_waypoints(1, spec=source)
    np.testing.assert_array_equal(got, [[1, 0, 2], [0.5, 0, 3]])


def test_overwrite_keeps_what_the_source_does_not_have(env):
    t = timed(env, 1, 2, 3)
    source = Spec().add_group("joint_values a 0", 1)
    t.insert(1, [[7.0], [8.0], [9.0]], source, overwrite=True)
    np.testing.assert_array_equal(t.waypoints, [[1, 0], [7, 1], [8, 1], [9, 0]])


def test_a_failing_insertion_changes_nothing(env):
    t = timed(env, 1, 2)
    before = t.waypoints
    bad = Spec().add_group("deltatime 2", 2)
    with pytest.raises(ArgumentError):
        t.insert(0, [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]], bad, overwrite=True)
    np.testing.assert_array_equal(t.waypoints, before)


def test_bad_insertions(env):
    t = timed(env, 1, 2)
    with pytest.raises(ArgumentError, match=r"index is 3, expected 0 to 2"):
        t.insert(3, [[1.0, 2.0]])
    with pytest.raises(ArgumentError, match=r"shape \(3,\), expected \(n, 2\)"):
        t.insert(0, [1.0, 2.0, 3.0])
    with pytest.raises(ArgumentError, match="not an array of numbers"):
        t.insert(0, ["x", "y"])
    with pytest.raises(ArgumentError, match="waypoints 1 to 3 do not exist"):
        t.remove(1, 3)
    with pytest.raises(ArgumentError, match="waypoint 2 of 2"):
        t.get_waypoint(2)


def test_without_specification(env):
    t = GenericTrajectory(env)
    for call in (
        lambda: t.insert(0, [1.0]),
        lambda: t.sample(0.0),
        lambda: t.get_first_waypoint_index_after_time(0.0),
    ):
        with pytest.raises(StateError, match=r"call init\(spec\)"):
            call()
    assert t.duration == 0.0


def test_init_refuses_bad_specifications(env):
    t = timed(env, 1, 2)
    with pytest.raises(
        ArgumentError, match="needs joint_velocities of the same joints"
    ):
        t.init(Spec().add_group("joint_values a 0", 1, "cubic"))
    assert len(t) == 2


# -- timing ------------------------------------------------------------------


def test_sampling_rules(env):
    t = timed(env, 1, 3, 7)
    t.insert(0, [[1.0, 0.5]], overwrite=True)
    assert t.duration == 2.5
    assert t.sample(0.0).tolist() == [1, 0.5]
    assert t.sample(0.25).tolist() == [1, 0.5]
    assert t.sample(0.75).tolist() == [1.5, 0.25]
    assert t.sample(1.5).tolist() == [3, 1]
    assert t.sample(99.0).tolist() == [7, 1]
    assert t.sample(-1e-16).tolist() == [1, 0.5]


@pytest.mark.parametrize("time", [-0.1, np.nan])
def test_times_must_be_numbers_from_zero(env, time):
    with pytest.raises(ArgumentError, match="expected 0 or more seconds"):
        timed(env, 1, 2).sample(time)


def test_sampling_needs_timing_and_waypoints(env):
    with pytest.raises(StateError, match="no waypoint to sample"):
        timed(env).sample(0.0)
    t = trajectory(env, Spec().add_group("joint_values a 0", 1), [[1.0]])
    with pytest.raises(StateError, match="no deltatime group"):
        t.sample(0.0)
    with pytest.raises(StateError, match="no deltatime group"):
        t.get_first_waypoint_index_after_time(0.0)
    assert t.duration == 0.0


@pytest.mark.parametrize("delta", [-1.0, np.nan])
def test_delta_times_must_not_be_negative(env, delta):
    t = timed(env, 1, 2)
    t.append([3.0, delta])
    with pytest.raises(StateError, match="deltatime of waypoint 2"):
        t.sample(0.0)


def test_first_waypoint_after_time(env):
    t = timed(env, 1, 2, 3)
    got = [t.get_first_waypoint_index_after_time(x) for x in (0.0, 0.5, 1.0, 1.1, 2.0)]
    assert got == [0, 1, 1, 2, 3]
    assert timed(env).get_first_waypoint_index_after_time(1.0) == 0


def test_segments_without_duration_are_skipped(env):
    t = timed(env, 1, 2)
    t.append([[5.0, 0.0], [6.0, 1.0]])
    np.testing.assert_allclose(
        t.sample_points([0.5, 1.0, 1.5, 2.0])[:, 0], [1.5, 2, 5.5, 6]
    )


def test_same_delta_time(env):
    t = timed(env, 0, 1)
    column = t.sample_range_same_delta_time(0.3)[:, 0]
    np.testing.assert_allclose(column, [0, 0.3, 0.6, 0.9, 1])
    column = t.sample_range_same_delta_time(0.3, ensure_last=False)[:, 0]
    np.testing.assert_allclose(column, [0, 0.3, 0.6, 0.9])
    assert len(t.sample_range_same_delta_time(0.1)) == 11
    with pytest.raises(ArgumentError, match="expected more than 0 s"):
        t.sample_range_same_delta_time(0.0)
    with pytest.raises(ArgumentError, match="at most"):
        t.sample_range_same_delta_time(1e-12)


def test_many_samples_equal_single_ones(env):
    rng = np.random.default_rng(5)
    spec = (
        Spec()
        .add_group("joint_values a 0 1", 2, "quintic")
        .add_derivative_groups(1)
        .add_derivative_groups(2)
        .add_delta_time_group()
        .add_group("iswaypoint", 1, "next")
    )
    t = trajectory(env, spec, rng.random((9, spec.dof)))
    times = rng.random(50) * t.duration * 1.1
    single = np.array([t.sample(x) for x in times])
    np.testing.assert_array_equal(t.sample_points(times), single)
    target = Spec().add_group("joint_velocities a 1", 1)
    np.testing.assert_array_equal(
        t.sample_points(times, target), TrajectoryBase.sample_points(t, times, target)
    )
    assert t.sample_points([]).shape == (0, spec.dof)


# -- interpolation -----------------------------------------------------------


@pytest.mark.parametrize(
    ("interpolation", "expected"),
    [
        ("previous", [5, 5, 3]),
        ("next", [5, 3, 3]),
        ("", [5, 3, 3]),
        ("max", [5, 5, 5]),
        ("linear", [5, 4, 3]),
    ],
)
def test_simple_interpolations(env, interpolation, expected):
    t = timed(env, 5, 3, 4, interpolation=interpolation)
    assert t.sample_points([0.0, 0.5, 1.0])[:, 0].tolist() == expected


DEGREES = {"quadratic": 2, "cubic": 3, "quartic": 4, "quintic": 5, "sextic": 6}


@pytest.mark.parametrize("interpolation", DEGREES)
@pytest.mark.parametrize("shuffled", [False, True])
def test_polynomials_are_reproduced(env, interpolation, shuffled):
    """A polynomial of the degree is what is sampled, in all its derivatives."""
    degree = DEGREES[interpolation]
    rng = np.random.default_rng(degree)
    curves = [np.polynomial.Polynomial(rng.normal(size=degree + 1)) for _ in range(2)]
    orders = range(degree // 2 + 1)
    spec = Spec().add_group("joint_values a 0 1", 2, interpolation)
    names = [spec.groups[0].name]
    for order in orders[1:]:
        name = f"joint_{DERIVATIVES[order - 1]} a" + (" 1 0" if shuffled else " 0 1")
        names.append(name)
        lower = spec.convert_to_derivative_specification(order).groups[0].interpolation
        spec = spec.add_group(name, 2, lower)
    spec = spec.add_delta_time_group()
    ends = np.cumsum([0, 0.7, 1.3, 0.2])

    def row(time):
        values = []
        for name, order in zip(names, orders, strict=True):
            both = [c.deriv(order)(time) if order else c(time) for c in curves]
            values += both[::-1] if name.endswith("1 0") else both
        return values

    data = [[*row(x), d] for x, d in zip(ends, np.diff(ends, prepend=0), strict=True)]
    t = trajectory(env, spec, data)
    times = np.linspace(0, t.duration, 23)
    expected = [row(x) for x in times]
    np.testing.assert_allclose(t.sample_points(times)[:, :-1], expected, atol=1e-11)


def test_velocities_follow_from_positions(env):
    """A quadratic velocity group without accelerations uses the positions."""
    spec = (
        Spec()
        .add_group("joint_values a 0", 1, "cubic")
        .add_group("joint_velocities a 0", 1, "quadratic")
        .add_delta_time_group()
    )
    t = trajectory(env, spec, [[1, 2, 0], [0, -1, 0.8], [3, 0, 0.5]])
    times = np.linspace(0.01, t.duration - 0.01, 40)
    h = 1e-6
    rate = (t.sample_points(times + h)[:, 0] - t.sample_points(times - h)[:, 0]) / (
        2 * h
    )
    np.testing.assert_allclose(t.sample_points(times)[:, 1], rate, atol=1e-5)


def test_accelerations_follow_from_velocities_and_positions(env):
    spec = (
        Spec()
        .add_group("joint_values a 0", 1, "quintic")
        .add_group("joint_velocities a 0", 1, "quartic")
        .add_group("joint_accelerations a 0", 1, "cubic")
        .add_delta_time_group()
    )
    t = trajectory(env, spec, [[1, 2, 3, 0], [0, -1, 2, 0.8], [3, 0, -4, 1.5]])
    times = np.linspace(0.01, t.duration - 0.01, 40)
    h = 1e-5
    ahead, behind = t.sample_points(times + h), t.sample_points(times - h)
    rates = (ahead - behind)[:, :2] / (2 * h)
    np.testing.assert_allclose(t.sample_points(times)[:, 1:3], rates, atol=1e-4)


def test_a_quadratic_starts_at_its_waypoint_with_its_velocity(env):
    """Inconsistent data: values and velocities at the start, velocity at the end."""
    spec = (
        Spec()
        .add_group("joint_values a 0", 1, "quadratic")
        .add_group("joint_velocities a 0", 1, "linear")
        .add_delta_time_group()
    )
    t = trajectory(env, spec, [[1, 2, 0], [100, 4, 2]])
    assert t.sample(1.0).tolist() == [3.5, 3, 1]


def test_quaternions_follow_the_arc(env):
    spec = Spec().add_group("affine_transform b 39", 7, "linear").add_delta_time_group()
    first = quat_from_axis_angle((0, 0, 1), 0.2)
    second = -quat_from_axis_angle((0, 0, 1), 1.4)
    t = trajectory(env, spec, [[0, 0, 0, *first, 0], [4, 0, 0, *second, 1]])
    got = t.sample(0.25)
    np.testing.assert_allclose(got[:3], (1, 0, 0))
    turn = rotation_vector(matrix_from_quat(got[3:7]))
    np.testing.assert_allclose(turn, (0, 0, 0.5), atol=1e-14)
    np.testing.assert_allclose(t.sample(1.0)[3:7], second)


def test_equal_quaternions(env):
    spec = Spec().add_group("affine_transform b 32", 4, "linear").add_delta_time_group()
    t = trajectory(env, spec, [[1, 0, 0, 0, 0], [1, 0, 0, 0, 1]])
    assert t.sample(0.5).tolist() == [1, 0, 0, 0, 0.5]


def test_directions_and_headings_turn(env):
    ray = IkParameterization.ray_4d((0, 0, 0), (1, 0, 0))
    spec = Spec.of_ik(ray).add_delta_time_group()
    rows = [[1, 0, 0, 0, 0, 0, 0], [0, 1, 0, 2, 0, 0, 1]]
    got = trajectory(env, spec, rows).sample(0.5)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(got[:4], (half, half, 0, 1))
    opposite = [[1, 0, 0, 0, 0, 0, 0], [-1, 0, 0, 2, 0, 0, 1]]
    got = trajectory(env, spec, opposite).sample(0.5)
    assert abs(got[0]) < 1e-15
    assert np.linalg.norm(got[:3]) == pytest.approx(1)
    flat = IkParameterization.translation_xy_orientation_3d((0, 0), 0)
    spec = Spec.of_ik(flat).add_delta_time_group()
    t = trajectory(env, spec, [[0, 0, 3.0, 0], [0, 0, -3.0, 1]])
    assert t.sample(0.5)[2] == pytest.approx(np.pi)


# -- contents travel ---------------------------------------------------------


def note(text="hello", tag="note"):
    inner = XmlElement("inner", (("a", 'x "<&>"'),), "]]> & <", (), "")
    return XmlReadable(XmlElement(tag, (("k", "v"),), text, (inner,)))


@pytest.fixture
def full(env):
    t = timed(env, 0.1, 1 / 3, np.nan)
    t.description = "picks & <places> ]]> \u00fc"
    t.set_readable("note", note())
    t.set_readable("plain", XmlReadable(XmlElement("plain", (), "just text")))
    return t


def equal(a, b):
    np.testing.assert_array_equal(a.waypoints, b.waypoints)
    assert a.spec == b.spec
    assert a.description == b.description
    assert a.readables.items() == b.readables.items()


def test_binary_round_trip(env, full):
    data = full.serialize()
    assert data[:4] == struct.pack("<HH", 0x62FF, 3)
    equal(GenericTrajectory.from_bytes(env, data), full)


def test_binary_layout(env):
    t = timed(env, 2.0)
    t.description = "d"
    name = b"joint_values a 0"
    expected = (
        struct.pack("<HHH", 0x62FF, 3, 2)
        + struct.pack("<H", len(name))
        + name
        + struct.pack("<iiH", 0, 1, 6)
        + b"linear"
        + struct.pack("<H", 9)
        + b"deltatime"
        + struct.pack("<iiH", 1, 1, 0)
        + struct.pack("<Idd", 2, 2.0, 0.0)
        + struct.pack("<H", 1)
        + b"d"
        + struct.pack("<H", 0)
    )
    assert t.to_bytes() == expected


@pytest.mark.parametrize("version", [1, 2])
def test_older_binary_versions_are_read(env, version):
    t = timed(env, 1, 2)
    data = bytearray(t.to_bytes())
    data[2] = version
    if version == 1:
        # Neither readables nor a description.
        del data[-4:]
    equal(GenericTrajectory.from_bytes(env, bytes(data)), t)


def test_xml_round_trip(env, full):
    text = full.to_xml(digits=17)
    assert "<description><![CDATA[" in text
    equal(GenericTrajectory.from_xml(env, text), full)
    again = GenericTrajectory.from_bytes(env, full.serialize(SERIALIZE_XML))
    np.testing.assert_allclose(again.waypoints, full.waypoints, rtol=1e-15)
    assert GenericTrajectory.from_xml(env, text).to_xml(17) == text


def test_the_base_reads_into_a_trajectory_of_the_default_class(full):
    env = Environment()
    for made in (
        TrajectoryBase.from_bytes(env, full.to_bytes()),
        TrajectoryBase.from_xml(env, full.to_xml(digits=17)),
    ):
        assert type(made) is GenericTrajectory
        assert made.env is env
        equal(made, full)


def test_readables_that_do_not_write_themselves_stay_behind(env, full):
    full.set_readable("silent", Readable())
    for data in (full.to_bytes(), full.to_xml().encode()):
        read = GenericTrajectory.from_bytes(env, data)
        assert list(read.readables) == [
            "note",
            "plain",
        ]


def test_several_data_elements_append(env):
    text = (
        "<Trajectory>"
        "<configuration><group name='x' offset='0' dof='1'/></configuration>"
        "<data count='1'>1</data><data>2 nan</data></Trajectory>"
    )
    t = GenericTrajectory.from_xml(env, text)
    np.testing.assert_array_equal(t.waypoints, [[1], [2], [np.nan]])


HEAD = "<trajectory><configuration><group name='x' offset='0' dof='2'/></configuration>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "expected <trajectory>"),
        ("<trajectory/>", "needs a <configuration>"),
        ("<trajectory><data>1</data></trajectory>", "before <configuration>"),
        (HEAD + "<data count='2'>1 2 3</data></trajectory>", "3 numbers, expected 2"),
        (HEAD + "<data count='99999999999999'>1</data></trajectory>", "has 1 numbers"),
        (HEAD + "<data count='x'>1</data></trajectory>", "count is 'x'"),
        (HEAD + "<data>1 2 3</data></trajectory>", "multiple of 2"),
        (HEAD + "<data>1 z</data></trajectory>", "is no number"),
        (HEAD.replace("dof='2'", "dof='2' interpolation='cubic'") + "</trajectory>",
         "needs derivative groups"),
        (HEAD + "<what/></trajectory>", "<what> found"),
        (HEAD.replace("offset='0'", "offset='4'") + "</trajectory>", "starts at 4"),
        ("<trajectory type='Other'/>", "of type 'Other', expected 'GenericTrajectory'"),
        ("<trajectory>", "not well-formed"),
        (HEAD + "<readable>" + "<a>" * 150 + "</a>" * 150 + "</readable></trajectory>",
         "nested more than"),
        ("<!doctype t [<!ENTITY a 'aa'>]><trajectory/>", "document types are refused"),
    ],
)  # fmt: skip
def test_bad_xml_leaves_the_trajectory_alone(env, text, message):
    t = timed(env, 1, 2)
    with pytest.raises(SceneError, match=message):
        t.deserialize(text)
    assert t.waypoints[:, 0].tolist() == [1, 2]


def test_every_cut_of_binary_data_is_an_error(env, full):
    data = full.serialize()
    t = GenericTrajectory(env)
    for size in range(2, len(data)):
        with pytest.raises(SceneError):
            t.deserialize(data[:size])


@pytest.mark.parametrize("version", [2, 3])
def test_bytes_behind_a_binary_trajectory_are_refused(env, version):
    t = timed(env, 1, 2)
    data = bytearray(t.to_bytes())
    data[2] = version
    with pytest.raises(SceneError, match="1 bytes follow the end"):
        t.deserialize(bytes(data) + b"\0")
    with pytest.raises(SceneError, match="follow the end"):
        t.deserialize(bytes(data) * 2)


def test_damaged_binary_data_never_crashes(env, full):
    data = full.serialize()
    rng = np.random.default_rng(11)
    for _ in range(400):
        broken = bytearray(data)
        for place in rng.integers(2, len(data), 3):
            broken[place] = rng.integers(256)
        t = GenericTrajectory(env)
        try:
            t.deserialize(bytes(broken))
        except SceneError:
            assert len(t) == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (struct.pack("<HH", 0x62FF, 9), "version 9, expected 1 to 3"),
        (struct.pack("<HHH", 0x62FF, 3, 65535), "ends early"),
        (struct.pack("<HHHI", 0x62FF, 3, 0, 0xFFFFFFFF), "4294967295 values"),
        (
            struct.pack("<HHHH", 0x62FF, 3, 1, 1)
            + b"x"
            + struct.pack("<iiH", 0, -5, 0),
            "-5 values",
        ),
        (struct.pack("<HHHH", 0x62FF, 3, 1, 2) + b"\xff\xfe", "not UTF-8"),
    ],
)
def test_binary_errors(env, data, message):
    with pytest.raises(SceneError, match=message):
        GenericTrajectory.from_bytes(env, data)


def test_what_does_not_fit_the_binary_form_is_refused(full):
    full.description = "x" * 70000
    with pytest.raises(NotSupportedError, match="write XML"):
        full.to_bytes()


def test_swap(env, full):
    empty = GenericTrajectory(env)
    other = timed(env, 8)
    other.swap(full)
    assert len(other) == 3
    assert other.description.startswith("picks")
    assert full.waypoints.tolist() == [[8, 0]]
    assert not len(full.readables)
    other.swap(empty)
    assert len(empty) == 3
    assert other.spec == Spec()


def test_state_pickles(env, full):
    state = pickle.loads(pickle.dumps(full.get_state()))  # noqa: S301
    twin = GenericTrajectory(env)
    twin.set_state(state)
    equal(twin, full)
    twin.set_state(None)
    equal(twin, full)


def test_clone_does_not_share_waypoints(env):
    t = timed(env, 1, 2)
    twin = GenericTrajectory(env)
    twin.set_state(t.get_state())
    t.insert(0, [[5.0, 0.0]], overwrite=True)
    assert twin.waypoints[0, 0] == 1


def test_conversion_uses_the_environment():
    body = SimpleNamespace(dof_values=np.array((0.0, 6.0)))
    env = Env()
    env.bodies = {"a": body}
    t = timed(env, 1, 2)
    target = Spec().add_group("joint_values a 0 1", 2)
    assert t.sample(0.5, target).tolist() == [1.5, 6]


def test_base_class_lists_what_to_implement():
    assert TrajectoryBase.__abstractmethods__ == {
        "init",
        "clear_waypoints",
        "insert",
        "remove",
        "sample",
        "get_configuration_specification",
        "get_num_waypoints",
        "get_waypoints",
        "get_first_waypoint_index_after_time",
        "get_duration",
    }


def test_bytes_like_objects_are_read(env, full):
    equal(GenericTrajectory.from_bytes(env, bytearray(full.to_bytes())), full)


@pytest.mark.parametrize("data", [b"", b"\xff", "", "no xml"])
def test_data_that_is_nothing(env, data):
    with pytest.raises(SceneError):
        GenericTrajectory(env).deserialize(data)


def test_an_element_of_a_scene_is_read(env, full):
    from lxml import etree

    root = etree.fromstring(f"<environment>{full.to_xml(17)}</environment>")
    t = GenericTrajectory(env)
    t.read_element(root[0])
    equal(t, full)


def test_namespaces_of_readables_survive(env):
    text = (
        "<trajectory><configuration/><readable>"
        "<n:a xmlns:n='uri' n:k='v'><n:b/><c xmlns='other'/></n:a>"
        "</readable></trajectory>"
    )
    first = GenericTrajectory.from_xml(env, text)
    assert "n:a" in first.readables
    again = GenericTrajectory.from_xml(env, first.to_xml())
    assert again.readables.items() == first.readables.items()


def test_text_that_xml_cannot_hold_is_refused(env, full):
    full.description = "a\rb"
    assert GenericTrajectory.from_xml(env, full.to_xml()).description == "a\rb"
    full.description = "a\0b"
    with pytest.raises(NotSupportedError, match="use the binary form"):
        full.to_xml()
    assert GenericTrajectory.from_bytes(env, full.to_bytes()).description == "a\0b"
    full.description = ""
    full.set_readable("two words", note())
    with pytest.raises(NotSupportedError, match="'two words' cannot be written"):
        full.to_xml()


def test_quaternion_polynomials_stay_on_the_sphere(env):
    spec = (
        Spec()
        .add_group("affine_transform b 32", 4, "cubic")
        .add_group("affine_velocities b 32", 4, "quadratic")
        .add_delta_time_group()
    )
    half = 0.5 * 0.8

    def row(angle, delta):
        quat = (np.cos(angle / 2), 0, 0, np.sin(angle / 2))
        rate = (-half * np.sin(angle / 2), 0, 0, half * np.cos(angle / 2))
        return [*quat, *rate, delta]

    t = trajectory(env, spec, [row(0.0, 0.0), row(0.8, 1.0)])
    quat = t.sample(0.5)[:4]
    assert np.linalg.norm(quat) == pytest.approx(1, abs=1e-15)
    np.testing.assert_allclose(quat, (np.cos(0.2), 0, 0, np.sin(0.2)), atol=1e-4)


def test_targets_of_several_types_in_one_trajectory(env):
    one = IkParameterization.translation_3d((1, 2, 3))
    two = IkParameterization.rotation_3d((1, 0, 0, 0))
    spec = Spec.of_ik(one, robot="r", manipulator="m")
    spec = (spec + Spec.of_ik(two)).add_delta_time_group()
    t = trajectory(env, spec, [[0, 0, 0, 1, 0, 0, 0, 0], [2, 4, 6, 0, 1, 0, 0, 1]])
    half = np.sqrt(0.5)
    got = t.sample(0.5, Spec.of_ik(two))
    np.testing.assert_allclose(got, (half, half, 0, 0))
    got = t.sample(0.5, Spec.of_ik(one))
    np.testing.assert_allclose(got, (1, 2, 3))
