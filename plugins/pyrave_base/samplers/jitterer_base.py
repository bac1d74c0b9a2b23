"""Base of samplers near the present configuration of a robot, with their commands."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import ExitStack
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.commands import command
from pyrave.interfaces.spacesampler import Interval, SampleDataType
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning import PlanningSpace
from pyrave.spatial import quat_from_matrix
from pyrave.world.body_state import StateParts
from pyrave_base.samplers.configurations import BodySampler, SampledSpace
from pyrave_base.samplers.cubes import checked_count
from pyrave_base.samplers.jitter_search import (
    JittererSettings,
    JitterFailures,
    JitterSearch,
    NeighbourFunction,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array

_AT_ONCE = 50
_FAILURES = (
    *("neighStateFailure", "sameSamples", "cacheHitSamples"),
    *("linkDistThreshRejections", "constraintToolDirFailure"),
    *("constraintToolPositionFailure", "envCollisionFailure", "selfCollisionFailure"),
)
"""OpenRAVE's names of the fields of `JitterFailures`."""


class JittererBase(BodySampler):
    """Base of both samplers: what they look at differs.

    The active degrees of freedom are those at creation.
    """

    settings_type = JittererSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._choice = self._robot.active_choice
        self._start = self._source.get_state()
        self._begun = False
        self._neighbour: NeighbourFunction | None = None
        self._failures = JitterFailures()
        self._cause = ""
        self.settings_changed(self.settings)

    def _find(self, name: str) -> KinBody:
        return self.env.robots[name]

    @property
    def _robot(self) -> Robot:
        return self.env.robots[self.body.name]

    def _arm(self) -> Manipulator:
        robot, name = self._robot, self.settings.manipulator
        return robot.manipulators[name] if name else robot.active_manipulator

    def settings_changed(self, before: JittererSettings) -> None:
        """Refuse a manipulator that there is not."""
        if self.settings.manipulator or before.manipulator:
            self._arm()

    def _space(self) -> SampledSpace:
        indices = self._choice.dof_indices
        if indices is None:
            indices = tuple(range(self.body.dof))
        return SampledSpace(indices, self._choice.affine)

    @property
    def failures(self) -> JitterFailures:
        """Counts of what could not be the latest sample, by reason."""
        return self._failures

    @property
    def cause(self) -> str:
        """The reason why there is no latest sample, in words; empty if there is."""
        return self._cause

    def set_seed(self, seed: int) -> None:
        """Start the sequence that belongs to `seed`, where the robot is."""
        super().set_seed(seed)
        self._start, self._begun = self._source.get_state(), False

    def set_neighbour_state_function(self, function: NeighbourFunction | None) -> None:
        """Set the function that moves a configuration by a delta, to keep a constraint.

        Parameters
        ----------
        function
            Gets the present configuration (dof,), the robot there, and a difference
            (dof,); returns a configuration, or None where there is none.
        """
        if function is not None and not callable(function):
            raise ArgumentError(
                f"the neighbour state function is {function!r}, expected a function"
            )
        self._neighbour = function

    def get_limits(
        self, kind: SampleDataType = SampleDataType.REAL
    ) -> tuple[Array, Array]:
        """Return the least and greatest values, infinite for joints that turn round."""
        if kind != SampleDataType.REAL:
            return super().get_limits(kind)
        robot = self._robot
        with robot.preserve_state(StateParts.ACTIVE_DOFS):
            self._activate(robot)
            table = robot.active_table
        endless = np.isfinite(table.periods)
        endless[: len(table.indices)] |= robot.model.circular[table.indices]
        lower = np.where(endless, -np.inf, table.lower)
        return lower, np.where(endless, np.inf, table.upper)

    def _activate(self, robot: Robot) -> None:
        choice, space = self._choice, self._space()
        robot.set_active_dofs(
            space.indices, affine=choice.affine, rotation_axis=choice.rotation_axis
        )

    def sample_sequence(
        self, n: int = 1, interval: Interval = Interval.CLOSED
    ) -> Array:
        """Return the next `n` configurations, (n, dof), fewer where none is free.

        The present one where it may stay. `cause` says why there are fewer.
        """
        kind, width = Interval(interval), self.get_number_of_values()
        rows: list[Array] = []
        for _ in range(checked_count(n, width)):
            row = self._sample(kind)
            if row is None:
                break
            rows.append(row)
        return np.reshape(rows, (len(rows), width))

    def sample_complete(self, n: int, interval: Interval = Interval.CLOSED) -> Array:
        """Return the first `n` configurations of the sequence of its seed."""
        self._source.set_state(self._start)
        self._begun = False
        return self.sample_sequence(n, interval)

    def _sample(self, interval: Interval) -> Array | None:
        robot = self._robot
        with ExitStack() as stack:
            stack.enter_context(self.env.lock())
            stack.enter_context(
                robot.preserve_state(StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS)
            )
            self._activate(robot)
            space = PlanningSpace(robot)
            stack.enter_context(self.env.collision_checker.moving_links())
            search = JitterSearch(
                space,
                self.settings,
                self._arm() if self._means_tool else None,
                _within(self.get_limits(), interval),
                self._neighbour,
            )
            try:
                found = self._first(search)
            finally:
                self._failures = search.failures
            self._cause = "" if found is not None else self._why(search)
        if found is not None and self.settings.result_on_robot:
            with robot.preserve_state(StateParts.ACTIVE_DOFS):
                self._activate(robot)
                robot.active.set_values(found, LimitCheck.NONE)
        return found

    @property
    def _means_tool(self) -> bool:
        return bool(self.settings.tool_direction or self.settings.tool_position)

    def _why(self, search: JitterSearch) -> str:
        return (
            f"nothing near {self._robot.name!r} at {search.centre.round(4)} is free: "
            f"of {self.settings.max_iterations} configurations and this one, "
            f"{search.failures}. A larger max_jitter, link_distance or max_iterations "
            "may find one."
        )

    def _first(self, search: JitterSearch) -> Array | None:
        first = self.settings.reset_iterations or not self._begun
        if first and search.stays():
            self._begun = True
            return search.centre.copy()
        self._begun = True
        for rows, directions in self._candidates(search, first=first):
            found = search.first_free(rows, directions)
            if found is not None:
                return found
        return None

    @abstractmethod
    def _candidates(
        self, search: JitterSearch, *, first: bool
    ) -> Iterator[tuple[Array, Array | None]]:
        """Give configurations (k, n), and along which vectors (k, 3) links go."""

    def _draws(self, width: int) -> Iterator[tuple[Array, Array]]:
        """Give numbers in 0..1 (k, width), and how far to go (k,), further each time.

        In the first half of the iterations that grows.
        """
        most, count = self.settings.max_jitter, self.settings.max_iterations
        if self._source.get_dof() != width:
            self._source.set_space_dof(width)
        if most == 0.0:
            return
        for done in range(0, count, _AT_ONCE):
            which = np.arange(done + 1, min(done + _AT_ONCE, count) + 1)
            reach = most * np.minimum(1.0, 2.0 * which / count)
            yield self._source.sample_sequence(len(which)), reach

    def _tool_jacobian(self, search: JitterSearch) -> Array:
        """Return the (3, n) derivative of the tool's place by what is active."""
        arm, robot = self._arm(), search.space.robot
        search.space.place(search.centre)
        place = arm.transform[:3, 3]
        jacobian = robot.active.jacobian(arm.end_effector, place)[:3]
        if not jacobian.any():
            raise ArgumentError(
                f"no active degree of freedom of {robot!r} moves the tool of {arm!r}"
            )
        return jacobian

    def get_own_state(self) -> Any:
        """Return what is sampled, and the place in the sequence."""
        return self._choice, self._begun, self._start, self._source.get_state()

    def set_own_state(self, state: Any) -> None:
        """Go on where another sampler was."""
        self._choice, self._begun, self._start, source = state
        self._source.set_state(source)

    # -- commands --------------------------------------------------------------------

    @command(name="SetMaxJitter")
    def set_max_jitter(self, jitter: float) -> bool:
        """Set the largest change of a value, or of a tool in the workspace, metres."""
        self.change_settings(max_jitter=jitter)
        return True

    @command(name="SetMaxIterations")
    def set_max_iterations(self, count: int) -> bool:
        """Set the number of configurations that are looked at for one sample."""
        self.change_settings(max_iterations=count)
        return True

    @command(name="SetMaxLinkDistThresh")
    def set_link_distance(self, distance: float) -> bool:
        """Set the largest way of a point of a link, metres; 0 is any."""
        self.change_settings(link_distance=distance)
        return True

    @command(name="SetPerturbation")
    def set_perturbation(self, perturbation: float) -> bool:
        """Set the change of all values at which a sample has to be free, too."""
        self.change_settings(perturbation=perturbation)
        return True

    @command(name="SetResultOnRobot")
    def set_result_on_robot(self, move: bool) -> bool:
        """Let the robot go to each sample (1), or stay (0)."""
        self.change_settings(result_on_robot=move)
        return True

    @command(name="SetNeighDistThresh")
    def set_neighbour_distance(self, distance: float) -> bool:
        """Set the resolutions between what a sampler with a cache looks at."""
        self.change_settings(neighbour_distance=distance)
        return True

    @command(name="SetResetIterationsOnSample")
    def set_reset_iterations(self, reset: bool) -> bool:
        """Ask for each sample whether the robot may stay (1), or for the first (0)."""
        self.change_settings(reset_iterations=reset)
        return True

    @command(name="SetConstraintToolDirection")
    def constrain_tool_direction(
        self, manipulator: str = "", cone: list[float] | None = None
    ) -> bool:
        """Keep an axis of the tool in a cone; nothing given ends that.

        The cone is an axis in the tool, x y z, an axis in the world, x y z, and the
        least cosine of the angle between them.
        """
        self._constrain(manipulator, tool_direction=tuple(cone or ()))
        return True

    @command(name="SetConstraintToolPosition")
    def constrain_tool_position(
        self, manipulator: str = "", box: list[float] | None = None
    ) -> bool:
        """Keep the place of the tool in a box; nothing given ends that.

        The box is three unit vectors in the world, its centre and half its extents
        along the three, 15 numbers.
        """
        self._constrain(manipulator, tool_position=tuple(box or ()))
        return True

    def _constrain(self, manipulator: str, **constraint: tuple[float, ...]) -> None:
        (given,) = constraint.values()
        if manipulator and not given:
            raise ArgumentError(
                f"a constraint of {manipulator!r} has no numbers, expected 7 for a "
                "direction, 15 for a position"
            )
        named = {"manipulator": manipulator} if manipulator else {}
        self.change_settings(**named, **constraint)

    @command(name="GetFailuresCount")
    def count_failures(self) -> dict[str, int]:
        """Return the counts of what could not be the latest sample, by reason."""
        return dict(zip(_FAILURES, astuple(self._failures), strict=True))

    @command(name="GetCurrentParameters")
    def describe_parameters(self) -> dict[str, Any]:
        """Return the settings by OpenRAVE's names, and the values of all joints."""
        return self._parameters()

    def _parameters(self) -> dict[str, Any]:
        known = self.settings
        found: dict[str, Any] = {
            "currentJointValues": self._robot.dof_values.tolist(),
            "maxJitter": known.max_jitter,
            "maxJitterIterations": known.max_iterations,
            "maxJitterLinkDist": known.link_distance,
            "jitterPerturbation": known.perturbation,
            "jitterNeighDistThresh": known.neighbour_distance,
            "resetIterationsOnSample": known.reset_iterations,
        }
        if known.manipulator or self._means_tool:
            arm = self._arm()
            tool = arm.local_tool_transform
            quat = quat_from_matrix(tool[:3, :3])
            found["manipName"] = arm.name
            found["localToolPose"] = [*quat.tolist(), *tool[:3, 3].tolist()]
        if known.tool_direction:
            values = list(known.tool_direction)
            found["constraintToolDirection"] = {
                "manipDir": values[:3],
                "globalDir": values[3:6],
                "cosAngleThresh": values[6],
            }
        if known.tool_position:
            names = ("right", "up", "dir", "pos", "extents")
            rows = np.reshape(known.tool_position, (5, 3)).tolist()
            found["constraintToolPosition"] = dict(zip(names, rows, strict=True))
        return found


def _within(limits: tuple[Array, Array], interval: Interval) -> tuple[Array, Array]:
    """Return limits without the ends that an interval leaves out."""
    lower, upper = limits
    wide = upper > lower
    if interval in {Interval.OPEN, Interval.OPEN_START}:
        lower = np.where(wide, np.nextafter(lower, np.inf), lower)
    if interval in {Interval.OPEN, Interval.OPEN_END}:
        upper = np.where(wide, np.nextafter(upper, -np.inf), upper)
    return lower, upper
