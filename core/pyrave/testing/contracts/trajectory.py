"""The contract of trajectories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.testing import assert_allclose

from pyrave.errors import ArgumentError, SceneError, StateError
from pyrave.interfaces.trajectory import SERIALIZE_XML
from pyrave.testing.contracts.interface import InterfaceContract, refuses
from pyrave.trajectories import ConfigurationSpecification

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces import TrajectoryBase

_SPEC = (
    ConfigurationSpecification()
    .add_group("joint_values kit_arm 0 1", 2, "linear")
    .add_delta_time_group()
)
_ROWS = np.array(((0.0, 0.0, 0.0), (1.0, -1.0, 0.5), (3.0, 2.0, 2.0)))


def _spec(joint: int) -> ConfigurationSpecification:
    """Return a specification of one joint without times."""
    name = f"joint_values kit_arm {joint}"
    return ConfigurationSpecification().add_group(name, 1, "linear")


class TrajectoryContract(InterfaceContract):
    """Contract of trajectories."""

    interface_type = "trajectory"

    def _empty(
        self, env: Environment, spec: ConfigurationSpecification = _SPEC
    ) -> TrajectoryBase:
        trajectory: TrajectoryBase = self.make(env)
        trajectory.init(spec)
        return trajectory

    def _filled(self, env: Environment) -> TrajectoryBase:
        trajectory = self._empty(env)
        trajectory.insert(0, _ROWS)
        return trajectory

    def test_empty(self, env: Environment) -> None:
        """A new trajectory has no waypoints or duration; ``__bool__`` is true."""
        trajectory = self.make(env)
        assert trajectory.get_num_waypoints() == 0
        assert trajectory.get_duration() == 0.0
        assert bool(trajectory), "do not override __bool__"
        trajectory.init(_SPEC)
        assert trajectory.get_configuration_specification() == _SPEC
        assert refuses(StateError, trajectory.sample, 0.0)

    def test_insert(self, env: Environment) -> None:
        """``insert`` puts rows before an index; get_waypoints returns copies."""
        trajectory = self._filled(env)
        assert_allclose(trajectory.get_waypoints(), _ROWS)
        trajectory.insert(1, [9.0, 9.0, 0.1])
        assert_allclose(trajectory.get_waypoints(1, 2), [[9.0, 9.0, 0.1]])
        trajectory.remove(1, 2)
        rows = trajectory.get_waypoints()
        assert_allclose(rows, _ROWS)
        rows[:] = 7.0
        assert_allclose(trajectory.get_waypoints(), _ROWS, err_msg="return a copy")
        trajectory.clear_waypoints()
        assert trajectory.get_num_waypoints() == 0

    def test_rows_are_copied(self, env: Environment) -> None:
        """The array given to ``insert`` may be changed afterwards, and is not."""
        for how in ({}, {"overwrite": True}):
            trajectory, given = self._empty(env), _ROWS.copy()
            trajectory.insert(0, given, None, **how)
            assert_allclose(given, _ROWS, err_msg="do not change the caller's array")
            given[:] = 7.0
            fix = "keep a copy: np.array(data, np.float64)"
            assert_allclose(trajectory.get_waypoints(), _ROWS, err_msg=fix)
        sampled = trajectory.sample(0.0)
        sampled[:] = 7.0
        assert_allclose(trajectory.get_waypoints(), _ROWS, err_msg="return a copy")

    def test_overwrite(self, env: Environment) -> None:
        """With overwrite=True ``insert`` replaces rows and appends."""
        trajectory = self._filled(env)
        new = np.array(((5.0, 5.0, 0.25), (6.0, 6.0, 0.25)))
        trajectory.insert(2, new, None, overwrite=True)
        assert_allclose(trajectory.get_waypoints(), np.vstack((_ROWS[:2], new)))

    def test_refuses(self, env: Environment) -> None:
        """Wrong sizes, places and times raise ArgumentError and change nothing."""
        trajectory = self._filled(env)
        assert refuses(ArgumentError, trajectory.insert, 0, [1.0, 2.0])
        assert refuses(ArgumentError, trajectory.insert, 9, _ROWS)
        assert refuses(ArgumentError, trajectory.remove, 0, 9)
        assert refuses(ArgumentError, trajectory.sample, -1.0)
        assert refuses(ArgumentError, trajectory.sample, float("nan"))
        assert_allclose(trajectory.get_waypoints(), _ROWS)

    def test_time(self, env: Environment) -> None:
        """``get_duration`` is the sum of the delta times; look-ups go by time."""
        trajectory = self._filled(env)
        assert_allclose(trajectory.get_duration(), 2.5)
        for time, wanted in ((0, 0), (0.2, 1), (0.5, 1), (0.6, 2), (2.5, 3), (9, 3)):
            seen = trajectory.get_first_waypoint_index_after_time(time)
            assert seen == wanted, f"of the first waypoint not before {time} s"

    def test_sample(self, env: Environment) -> None:
        """``sample`` interpolates, holds the last waypoint, and gives the time step."""
        trajectory = self._filled(env)
        wanted = {
            0.0: (0.0, 0.0, 0.0),
            0.25: (0.5, -0.5, 0.25),
            1.5: (2.0, 0.5, 1.0),
            2.5: (3.0, 2.0, 2.0),
        }
        for time, row in wanted.items():
            assert_allclose(
                trajectory.sample(time), row, atol=1e-9, err_msg=f"{time} s"
            )
        assert_allclose(trajectory.sample(99.0)[:2], (3.0, 2.0))
        rows = trajectory.sample_points(list(wanted))
        assert_allclose(rows, list(wanted.values()), atol=1e-9)

    def test_first_holds(self, env: Environment) -> None:
        """Before its own time the first waypoint holds in ``sample``."""
        trajectory, rows = self._empty(env), _ROWS.copy()
        rows[0, 2] = 1.0
        trajectory.insert(0, rows)
        assert_allclose(trajectory.sample(0.5)[:2], _ROWS[0, :2], atol=1e-9)

    def test_untimed(self, env: Environment) -> None:
        """``sample`` without a deltatime group raises StateError."""
        trajectory = self._empty(env, _spec(0))
        trajectory.insert(0, [[1.0], [2.0]])
        assert refuses(StateError, trajectory.sample, 0.0)
        assert trajectory.get_duration() == 0.0

    def test_converts(self, env: Environment) -> None:
        """``insert`` and get_waypoints convert rows of another specification."""
        trajectory = self._empty(env)
        trajectory.insert(0, [[4.0], [5.0]], _spec(1))
        assert_allclose(trajectory.get_waypoints(), ((0, 4.0, 0), (0, 5.0, 0)))
        assert_allclose(trajectory.get_waypoints(0, 2, _spec(1)), ((4.0,), (5.0,)))

    def test_serialises(self, env: Environment) -> None:
        """``deserialize`` reads both file forms; anything else raises SceneError."""
        trajectory = self._filled(env)
        trajectory.description = "a kit trajectory"
        for data in (trajectory.serialize(), trajectory.serialize(SERIALIZE_XML)):
            twin = self.make(env)
            twin.deserialize(data)
            assert_allclose(twin.get_waypoints(), _ROWS)
            assert twin.spec == trajectory.spec
            assert twin.description == trajectory.description
        twin = self._filled(env)
        assert refuses(SceneError, twin.deserialize, b"nonsense")
        assert_allclose(twin.get_waypoints(), _ROWS)

    def test_swap(self, env: Environment) -> None:
        """``swap`` exchanges everything with another trajectory."""
        trajectory, other = self._filled(env), self.make(env)
        trajectory.swap(other)
        assert trajectory.get_num_waypoints() == 0, "leave swap to the base class"
        assert other.get_num_waypoints() == len(_ROWS)
