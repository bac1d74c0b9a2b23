"""The problem of a planner, checked once and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pyrave.attributes import put
from pyrave.bodies import Robot
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces import PlannerParameters, PlannerStatus, PlannerStatusCode
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.limits import LimitCheck
from pyrave.records import Record
from pyrave.trajectories import ConfigurationSpecification as Specification
from pyrave.trajectories.groups import is_joint_kind
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.planning.search.joint_space import JointSpace
    from pyrave.spatial import Array

_SLACK = 1e-6
"""Distance beyond a limit at which a configuration is taken at the limit."""
_FUNCTIONS = (
    "check_path_constraints",
    "difference",
    "distance_metric",
    "get_state",
    "neighbour_state",
    "sample",
    "sample_goal",
    "sample_initial",
    "set_state",
)
_FAR = 1e9
_MAX_STEPS = 1_000_000
_LONGEST_TURN = 100.0
"""Limits of joints that go round for ever are further apart."""


OPTIONAL = ("cost", "goal", "sample_neighbour")
"""Functions that few planners ask."""
MOVING = ("sample_goal", "sample_initial", *OPTIONAL)
"""Functions that may move things, and leave a space one of joints."""


class PreparedParameters(PlannerParameters):
    """Parameters for a robot's active degrees of freedom, and how they are compared.

    Planners get them like others: what they make of them, as with
    `dataclasses.replace`, and copies that they keep, have no prepared space.
    """

    __slots__ = ("prepared_space",)
    prepared_space: JointSpace | None
    """Compiled, of the scene as it is: searches take it while it serves."""

    @classmethod
    def of(cls, robot: Robot, prepared_space: JointSpace | None) -> PreparedParameters:
        """Return parameters for a robot; without a space searches make their own."""
        made = cls.__new__(cls)
        own: dict[str, Any] = {"extra": {}, "prepared_space": prepared_space}
        for name, value in (_DEFAULTS | own).items():
            put(made, name, value)
        made.set_robot_active_joints(robot)
        return made

    def __getstate__(self) -> object:
        nothing, values = cast("tuple[None, dict[str, Any]]", super().__getstate__())
        values.pop("prepared_space", None)
        return nothing, values


_PLAIN = PlannerParameters()
_DEFAULTS = {one.name: getattr(_PLAIN, one.name) for one in fields(_PLAIN)}


class Refused(Exception):  # noqa: N818 - it ends in a status, it is no error
    """A problem that cannot be solved as it is."""

    def __init__(self, code: PlannerStatusCode, text: str) -> None:
        super().__init__(text)
        self.status = PlannerStatus(code, text)


@dataclass(frozen=True, slots=True)
class Problem(Record):
    """A planning problem with checked parameters.

    Parameters
    ----------
    robot
        None if functions of the parameters say all.
    starts, goals
        (n, d) configurations within the limits.
    """

    robot: Robot | None
    parameters: PlannerParameters
    starts: Array
    goals: Array

    @property
    def prepared_space(self) -> JointSpace | None:
        """The compiled space of the caller, which ends with the call."""
        space: JointSpace | None = getattr(self.parameters, "prepared_space", None)
        return space

    @classmethod
    def from_parameters(
        cls,
        robot: Robot | None,
        parameters: PlannerParameters,
        *,
        needs_start: bool = True,
        needs_goal: bool = True,
    ) -> Problem:
        """Return the checked problem of parameters.

        Raises
        ------
        Refused
            Something is missing or contradicts itself; the text says what.
        ArgumentError
            Something is of another kind than it should be.
        """
        _check_types(robot, parameters)
        failed, n = PlannerStatusCode.FAILED, parameters.dof
        if n == 0:
            raise Refused(
                failed,
                "the parameters have no configuration space; "
                "parameters.set_robot_active_joints(robot) fills it",
            )
        _check_robot(robot, parameters)
        _check_numbers(parameters, n)
        starts = _configurations(parameters, "initial", PlannerStatusCode.INITIAL)
        goals = _configurations(parameters, "goal", PlannerStatusCode.GOAL)
        if needs_start and not len(starts) and parameters.sample_initial is None:
            raise Refused(
                PlannerStatusCode.INITIAL,
                "there is no initial configuration and no function that samples one",
            )
        samples = parameters.sample_goal or parameters.goal
        if needs_goal and not len(goals) and samples is None:
            raise Refused(
                PlannerStatusCode.GOAL,
                "there is no goal configuration and no function that samples one",
            )
        return cls(robot, parameters, starts, goals)

    def place(self, values: Array) -> None:
        """Take the active degrees of freedom of the robot to a configuration (n,)."""
        if self.robot is not None:
            self.robot.active.set_values(values, LimitCheck.NONE)

    def check_functions(self, planner: str, asked: frozenset[str]) -> None:
        """Raise `Refused` for what a planner has no use for.

        Parameters
        ----------
        planner
            Its name.
        asked
            Functions of the parameters that it asks.
        """
        parameters = self.parameters
        for name in OPTIONAL:
            if getattr(parameters, name) is not None and name not in asked:
                raise Refused(
                    PlannerStatusCode.FAILED,
                    f"{planner} does not ask parameters.{name}, expected None",
                )
        text = given_velocities(parameters)
        if text:
            raise Refused(PlannerStatusCode.FAILED, text)

    def check_robot(self) -> None:
        """Raise `Refused` if the robot is not as it was when the problem was taken."""
        _check_robot(self.robot, self.parameters)


def given_velocities(parameters: PlannerParameters) -> str:
    """Return the reason to refuse velocities at the ends; empty if they are zero."""
    for name in ("initial_velocities", "goal_velocities"):
        if np.any(getattr(parameters, name)):
            return (
                f"parameters.{name} is {getattr(parameters, name)}, expected zeros: "
                "paths begin and end at rest; pyrave.planning.point_to_point takes "
                "velocities at both ends"
            )
    return ""


def _check_types(robot: Robot | None, parameters: PlannerParameters) -> None:
    """Raise `ArgumentError` for what is of another kind than it should be."""
    asked: list[tuple[str, object, type]] = [
        ("parameters.specification", parameters.specification, Specification),
        ("parameters.extra", parameters.extra, Mapping),
    ]
    if robot is not None:
        asked.append(("robot", robot, Robot))
    for name, given, kind in asked:
        if not isinstance(given, kind):
            raise ArgumentError(f"{name} is {shown(given)}, expected a {kind.__name__}")
    for name in _FUNCTIONS:
        function = getattr(parameters, name)
        if function is not None and not callable(function):
            raise ArgumentError(
                f"parameters.{name} is {shown(function)}, expected a function or None"
            )


def _check_robot(robot: Robot | None, parameters: PlannerParameters) -> None:
    failed = PlannerStatusCode.FAILED
    if robot is None:
        if parameters.set_state is None:
            raise Refused(
                failed, "there is neither a robot nor a function that sets a state"
            )
        return
    if robot.id < 0:
        raise Refused(failed, f"{robot!r} is in no environment; env.add(robot) adds it")
    own, is_plain = robot.active_table.dof, parameters.is_plain
    if parameters.set_state is None or is_plain:
        if own != parameters.dof:
            raise Refused(
                failed,
                f"configurations have {parameters.dof} values and {robot!r} has {own} "
                "active degrees of freedom; set them before set_robot_active_joints",
            )
        if is_plain and not _is_of_active_dofs(parameters, robot):
            group = parameters.specification.groups[0]
            raise Refused(
                failed,
                f"the parameters are for {group.name!r}, not for the active degrees of "
                f"freedom of {robot!r}; call set_robot_active_joints",
            )


def _is_of_active_dofs(parameters: PlannerParameters, robot: Robot) -> bool:
    """Return True if a space of joints and the base is that which is active now."""
    joints, affine, active = [], Affine.NONE, robot.active_table
    for group in parameters.specification.groups:
        if group.body_name != robot.name:
            return False
        if is_joint_kind(group.kind):
            joints = group.joint_indices.tolist()
        else:
            affine = group.affine_mask
    return bool(joints == active.indices.tolist() and affine == active.affine)


def _check_numbers(parameters: PlannerParameters, n: int) -> None:
    failed = PlannerStatusCode.FAILED
    for name, needed in (
        ("lower_limits", True),
        ("upper_limits", True),
        ("resolutions", False),
        ("weights", False),
    ):
        values = np.asarray(getattr(parameters, name), float)
        if not needed and not values.size and not parameters.is_plain:
            continue
        if values.shape != (n,) or not (np.abs(values) < _FAR).all():
            raise Refused(
                failed, f"parameters.{name} is {values}, expected {n} finite numbers"
            )
        if not needed and not (values > 0.0).all():
            raise Refused(
                failed, f"parameters.{name} is {values}, expected positive numbers"
            )
    lower, upper = parameters.lower_limits, parameters.upper_limits
    if len(parameters.resolutions):
        spans = np.minimum(upper - lower, _LONGEST_TURN)
        most = float((spans / parameters.resolutions).max())
        if most > _MAX_STEPS:
            raise Refused(
                failed,
                f"parameters.resolutions is {parameters.resolutions}: {most:.3g} steps "
                f"from limit to limit, expected {_MAX_STEPS} at most",
            )
    if (lower > upper).any():
        raise Refused(failed, f"lower limits {lower} are above upper limits {upper}")
    for name in ("step_length", "max_planning_time", "max_iterations"):
        value = getattr(parameters, name)
        if not (isinstance(value, (int, float, np.number)) and 0.0 <= value < np.inf):
            raise Refused(
                failed, f"parameters.{name} is {value!r}, expected a number >= 0"
            )
    if isinstance(parameters.random_seed, bool) or not (
        isinstance(parameters.random_seed, (int, np.integer))
        and parameters.random_seed >= 0
    ):
        raise Refused(
            failed,
            f"parameters.random_seed is {parameters.random_seed!r}, expected an "
            "integer >= 0",
        )


def _configurations(
    parameters: PlannerParameters, what: str, code: PlannerStatusCode
) -> Array:
    """Return configurations (m, n) that are within the limits."""
    n = parameters.dof
    given = getattr(parameters, f"{what}_configuration")
    try:
        values = np.asarray(given, float).ravel()
    except (TypeError, ValueError):
        values = np.full(n, np.nan)
    if values.size % n:
        raise Refused(
            code,
            f"the {what} configuration has {values.size} values, expected {n}, or a "
            "multiple for several",
        )
    if not np.isfinite(values).all():
        raise Refused(
            code, f"the {what} configuration is {given}, expected finite numbers"
        )
    rows = values.reshape(-1, n)
    lower, upper = parameters.lower_limits, parameters.upper_limits
    inside = (rows >= lower - _SLACK) & (rows <= upper + _SLACK)
    if not inside.all():
        row, k = np.argwhere((rows < lower - _SLACK) | (rows > upper + _SLACK))[0]
        number = f" {row}" if len(rows) > 1 else ""
        raise Refused(
            code | PlannerStatusCode.KINEMATICS,
            f"{what} configuration{number} has {rows[row, k]:g} for value {k}, outside "
            f"of its limits {lower[k]:g} to {upper[k]:g}",
        )
    return np.asarray(np.clip(rows, lower, upper))


def collision_text(robot: Robot | None, states: Array) -> tuple[PlannerStatusCode, str]:
    """Return the collisions of configurations (n, d): bits, and words."""
    if robot is None:
        return PlannerStatusCode.CUSTOM_FILTER, "refused by set_state or a constraint"
    checker, texts = robot.env.collision_checker, []
    code, is_joints = PlannerStatusCode.FAILED, not robot.active.affine
    with robot.preserve_state(StateParts.PLANNED):
        for rows in [states] if is_joints else states[:, None]:
            robot.active.set_values(rows[0], LimitCheck.NONE)
            values = np.tile(robot.dof_values, (len(rows), 1))
            if is_joints:
                values[:, robot.active_dof_indices] = rows
            for own, bit in (
                (False, PlannerStatusCode.ENV_COLLISION),
                (True, PlannerStatusCode.SELF_COLLISION),
            ):
                reports = checker.check_configurations(
                    robot, values, environment=not own, self_collision=own, report=True
                )
                for pair in (pair for report in reports for pair in report.pairs):
                    code |= bit
                    texts.append(f"{pair.first} and {pair.second}")
    if not texts:
        return PlannerStatusCode.CUSTOM_FILTER, "refused by set_state or a constraint"
    return code, "in collision: " + ", ".join(dict.fromkeys(texts))
