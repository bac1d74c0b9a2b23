"""Checks of trajectories."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyrave.errors import ArgumentError, Error, SceneError, StateError
from pyrave.interfaces import TrajectoryBase
from pyrave.interfaces.trajectory import SERIALIZE_XML
from pyrave.testing.checks import Violation, check, require
from pyrave.testing.subject import Subject
from pyrave.trajectories import ConfigurationSpecification

_SPEC = (
    ConfigurationSpecification()
    .add_group("joint_values kit_arm 0 1", 2, "linear")
    .add_delta_time_group()
)
_ROWS = np.array(((0.0, 0.0, 0.0), (1.0, -1.0, 0.5), (3.0, 2.0, 2.0)))


def _filled(subject: Subject) -> TrajectoryBase:
    trajectory: TrajectoryBase = subject.make()
    trajectory.init(_SPEC)
    trajectory.insert(0, _ROWS)
    return trajectory


def _raises(kinds: Any, call: Callable[[], Any], what: str) -> None:
    try:
        call()
    except kinds:
        return
    names = getattr(kinds, "__name__", str(kinds))
    raise Violation(f"{what} raised no {names}", f"raise pyrave.{names}")


def _equal(seen: Any, wanted: Any, what: str, fix: str = "") -> None:
    require(
        np.shape(seen) == np.shape(wanted) and np.allclose(seen, wanted, atol=1e-9),
        f"{what} is {np.asarray(seen).tolist()}, expected "
        f"{np.asarray(wanted).tolist()}",
        fix,
    )


@check("empty", "A new trajectory has no waypoints, no duration and is true.")
def empty(subject: Subject) -> None:
    trajectory: TrajectoryBase = subject.make()
    require(
        trajectory.get_num_waypoints() == 0 and trajectory.get_duration() == 0.0,
        "a new trajectory is not empty",
    )
    require(
        bool(trajectory), "an empty trajectory is false", "do not override __bool__"
    )
    trajectory.init(_SPEC)
    require(
        trajectory.get_configuration_specification() == _SPEC,
        "get_configuration_specification() is not what init got",
    )
    _raises(StateError, lambda: trajectory.sample(0.0), "sampling without waypoints")


@check("insert", "insert puts rows before an index; get_waypoints returns copies.")
def insert(subject: Subject) -> None:
    trajectory = _filled(subject)
    _equal(trajectory.get_waypoints(), _ROWS, "get_waypoints()")
    trajectory.insert(1, [9.0, 9.0, 0.1])
    _equal(trajectory.get_waypoints(1, 2), [[9.0, 9.0, 0.1]], "the inserted row")
    trajectory.remove(1, 2)
    _equal(trajectory.get_waypoints(), _ROWS, "the rows after remove(1, 2)")
    rows = trajectory.get_waypoints()
    rows[:] = 7.0
    _equal(
        trajectory.get_waypoints(),
        _ROWS,
        "get_waypoints() after its result was changed",
        "return a copy",
    )
    trajectory.clear_waypoints()
    require(trajectory.get_num_waypoints() == 0, "clear_waypoints() left waypoints")


@check("overwrite", "With overwrite=True rows are replaced and appended.", "insert")
def overwrite(subject: Subject) -> None:
    trajectory = _filled(subject)
    new = np.array(((5.0, 5.0, 0.25), (6.0, 6.0, 0.25)))
    trajectory.insert(2, new, None, overwrite=True)
    _equal(
        trajectory.get_waypoints(), np.vstack((_ROWS[:2], new)), "the overwritten rows"
    )


@check("refuses", "Wrong sizes, places and times raise ArgumentError, nothing changes.")
def refuses(subject: Subject) -> None:
    trajectory = _filled(subject)
    _raises(ArgumentError, lambda: trajectory.insert(0, [1.0, 2.0]), "insert of 2 of 3")
    _raises(ArgumentError, lambda: trajectory.insert(9, _ROWS), "insert at 9 of 3")
    _raises(ArgumentError, lambda: trajectory.remove(0, 9), "remove(0, 9) of 3")
    _raises(ArgumentError, lambda: trajectory.sample(-1.0), "sample(-1)")
    _raises(ArgumentError, lambda: trajectory.sample(float("nan")), "sample(nan)")
    _equal(trajectory.get_waypoints(), _ROWS, "the rows after refusals")


@check("time", "The duration is the sum of the delta times; look-ups go by time.")
def time(subject: Subject) -> None:
    trajectory = _filled(subject)
    _equal(trajectory.get_duration(), 2.5, "get_duration()")
    for moment, wanted in ((0.0, 0), (0.2, 1), (0.5, 1), (0.6, 2), (2.5, 3), (9.0, 3)):
        seen = trajectory.get_first_waypoint_index_after_time(moment)
        require(
            seen == wanted,
            f"get_first_waypoint_index_after_time({moment}) is {seen}, not {wanted}",
            "the first waypoint that is not before the time; the number of waypoints "
            "at or beyond the end",
        )


@check(
    "sample",
    "sample interpolates, holds the last waypoint, and gives the time since the one "
    "before.",
    "sample",
)
def sample(subject: Subject) -> None:
    trajectory = _filled(subject)
    wanted = {
        0.0: (0.0, 0.0, 0.0),
        0.25: (0.5, -0.5, 0.25),
        1.5: (2.0, 0.5, 1.0),
        2.5: (3.0, 2.0, 2.0),
    }
    for moment, row in wanted.items():
        _equal(trajectory.sample(moment), row, f"sample({moment})")
    _equal(trajectory.sample(99.0)[:2], (3.0, 2.0), "sample(99)")
    _equal(
        trajectory.sample_points(list(wanted)), list(wanted.values()), "sample_points"
    )


@check("first-holds", "Before its own time the first waypoint holds.", "sample")
def first_holds(subject: Subject) -> None:
    trajectory: TrajectoryBase = subject.make()
    trajectory.init(_SPEC)
    rows = _ROWS.copy()
    rows[0, 2] = 1.0
    trajectory.insert(0, rows)
    _equal(trajectory.sample(0.5)[:2], _ROWS[0, :2], "sample(0.5) before the first")


@check("untimed", "Sampling without a deltatime group raises StateError.", "sample")
def untimed(subject: Subject) -> None:
    trajectory: TrajectoryBase = subject.make()
    spec = ConfigurationSpecification().add_group("joint_values kit_arm 0", 1, "linear")
    trajectory.init(spec)
    trajectory.insert(0, [[1.0], [2.0]])
    _raises(StateError, lambda: trajectory.sample(0.0), "sampling without times")
    require(trajectory.get_duration() == 0.0, "it has a duration without times")


@check("converts", "Rows of another specification are converted in and out.", "insert")
def converts(subject: Subject) -> None:
    trajectory: TrajectoryBase = subject.make()
    trajectory.init(_SPEC)
    other = ConfigurationSpecification().add_group(
        "joint_values kit_arm 1", 1, "linear"
    )
    trajectory.insert(0, [[4.0], [5.0]], other)
    _equal(
        trajectory.get_waypoints(), ((0, 4.0, 0), (0, 5.0, 0)), "rows of joint 1 alone"
    )
    _equal(trajectory.get_waypoints(0, 2, other), ((4.0,), (5.0,)), "read as joint 1")


@check("serialises", "Both file forms read back equal; nonsense raises SceneError.")
def serialises(subject: Subject) -> None:
    trajectory = _filled(subject)
    trajectory.description = "a kit trajectory"
    for name, data in (
        ("binary", trajectory.serialize()),
        ("XML", trajectory.serialize(SERIALIZE_XML)),
    ):
        twin: TrajectoryBase = subject.make()
        twin.deserialize(data)
        _equal(twin.get_waypoints(), _ROWS, f"the {name} form read back")
        require(
            twin.spec == trajectory.spec and twin.description == trajectory.description,
            f"the {name} form lost the specification or the description",
        )
    twin = _filled(subject)
    _raises(SceneError, lambda: twin.deserialize(b"nonsense"), "reading nonsense")
    _equal(twin.get_waypoints(), _ROWS, "the rows after a refused file")


@check("swap", "swap exchanges everything with another trajectory.", "swap")
def swap(subject: Subject) -> None:
    trajectory, other = _filled(subject), subject.make()
    try:
        trajectory.swap(other)
    except Error as error:
        raise Violation(
            f"swap raised {error}", "leave swap to the base class"
        ) from error
    require(
        trajectory.get_num_waypoints() == 0 and other.get_num_waypoints() == len(_ROWS),
        "the contents were not exchanged",
    )
