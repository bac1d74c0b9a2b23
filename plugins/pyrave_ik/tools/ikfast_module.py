"""The module ``ikfast``: OpenRAVE's commands for solvers, answered by ours."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import (
    ArgumentError,
    NotSupportedError,
    ResourceError,
    StateError,
    shown,
)
from pyrave.ik import (
    IkFilterOptions,
    IkParameterization,
    IkParameterizationType,
    residuals_of,
)
from pyrave.interfaces import CommandResult, ModuleBase, command
from pyrave.spatial import as_numbers, as_vector, pose_from_wxyz_xyz
from pyrave_ik.arm.poses import goal_values, meeting, random_configurations, tool_poses
from pyrave_ik.solver.default_goal_type import KINDS
from pyrave_ik.tools.statistics import WRONG

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies import Manipulator
    from pyrave.spatial import Array

_Words = list[str] | str | None
_Numbers = list[float] | Any
_Goal = list[str] | str | IkParameterization | None
_Case = tuple[IkParameterization, tuple[float, ...]]
"""A goal, and the free parameters of the configuration that it is from."""
_SAME = 1e-4
"""Configurations that are nearer than this are the same, radians and metres."""
_MOST = 1_000_000
_TIMING = ("num", "maxtime", "robot")


@dataclass(frozen=True)
class IkTests(CommandResult):
    """Result of DebugIK: goals that an arm reaches, and what its solver finds.

    Parameters
    ----------
    tested
        Number of goals.
    wrong, unsolved, missing
        Goals whose solution misses them, that have none, and whose solutions leave out
        the configuration that the goal is from; each with the free parameters there.
    """

    tested: int
    wrong: tuple[_Case, ...] = field(repr=False)
    unsolved: tuple[_Case, ...] = field(repr=False)
    missing: tuple[_Case, ...] = field(repr=False)

    @property
    def successful(self) -> int:
        """Number of goals of which nothing is to be said."""
        return self.tested - sum(map(len, (self.wrong, self.unsolved, self.missing)))

    def command_text(self) -> str:
        """Return counts, then each list: its length, goals and free parameters."""
        words = [str(self.tested), str(self.successful)]
        for found in (self.wrong, self.unsolved, self.missing):
            words.append(str(len(found)))
            for goal, free in found:
                words += goal.serialize().split()
                words += map(repr, free)
        return " ".join(words)


class IkFastModule(ModuleBase):
    """Commands about the inverse kinematics of a robot's active manipulator.

    No library is generated, compiled or loaded: the solver `Analytic` answers at once.
    """

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._kinds: dict[tuple[str, str], IkParameterizationType] = {}

    @command(name="LoadIKFastSolver")
    def load_solver(
        self, robotname: str, iktype: str | int, freeinc: _Numbers = ()
    ) -> bool:
        """Let the analytic solver answer for the active manipulator of a robot.

        Parameters
        ----------
        robotname
            Name of the robot.
        iktype
            Kind of goals, by name or code.
        freeinc
            Steps in which free joints are searched: none, one for all, one for each.
        """
        arm = self._arm(robotname)
        code = isinstance(iktype, str) and iktype.strip().isdecimal()
        kind = IkParameterizationType.of(int(iktype) if code else iktype)
        steps = tuple(np.atleast_1d(as_numbers(freeinc, "freeinc")).tolist())
        before = arm.own_ik_solver
        solver = arm.set_ik_solver("Analytic", **({"steps": steps} if steps else {}))
        if not solver.supports(kind):
            arm.ik_solver = before
            raise NotSupportedError(
                f"{arm!r} has no solutions for goals of the kind {kind.name}; "
                f"`pyrave ik` explains an arm, and lists the kinds that fit"
            )
        self._kinds[arm.robot.name, arm.name] = kind
        return True

    @command(name="AddIkLibrary")
    def add_library(self, iksolvername: str, iklibrarypath: str = "") -> bool:
        """Refuse a library: compiled solvers of OpenRAVE are not loaded.

        Parameters
        ----------
        iksolvername, iklibrarypath
            Its name and its file.
        """
        raise NotSupportedError(
            f"the library {iklibrarypath or iksolvername!r} is C++ for OpenRAVE and is "
            "not loaded; arm.ik_solver = 'Analytic' solves the same arms without one, "
            "as does LoadIKFastSolver ROBOT TYPE"
        )

    @command(name="PerfTiming")
    def time_solver(self, options: _Words = None) -> list[float]:
        """Return the times of calls for all solutions, nanoseconds.

        Parameters
        ----------
        options
            ``num 1000`` calls, at most ``maxtime 20`` seconds, of ``robot NAME``; a
            library's file behind them says nothing here.
        """
        said = _timing_options(options)
        arm = self._arm(said.get("robot", ""))
        count = _whole(said.get("num", "1000"), "num", 1)
        seconds = _number(said.get("maxtime", "1200"), "maxtime")
        goals, _ = self._goals(arm, count, np.random.default_rng(0))
        found: list[float] = []
        with arm.robot.env.lock(), arm.robot.preserve_state():
            begin = time.perf_counter()
            for goal in goals:
                if found and time.perf_counter() - begin > seconds:
                    break
                called = time.perf_counter_ns()
                arm.solve_ik(goal, all=True)
                found.append(float(time.perf_counter_ns() - called))
        return found

    @command(name="IKTest")
    def test_goal(
        self,
        robot: str = "",
        ikparam: _Goal = None,
        matrix: _Numbers = None,
        pose: _Numbers = None,
        joints: _Numbers = None,
        filteroptions: int = 0,
    ) -> list[float] | None:
        """Return a solution for one goal, None if there is none.

        Parameters
        ----------
        robot
            Its name; the only one if left out.
        ikparam
            The goal: the code of its kind, then its numbers.
        matrix
            In place of it a pose in the world: 12 numbers, by columns.
        pose
            In place of it the 7 numbers of a quaternion and a position.
        joints
            Values of the arm from which the nearest solution is taken.
        filteroptions
            Bits of IkFilterOptions.
        """
        arm = self._arm(robot)
        goal = _one_goal(ikparam, matrix, pose)
        try:
            options = IkFilterOptions(filteroptions)
        except ValueError:
            raise ArgumentError(f"filteroptions is {filteroptions}") from None
        with arm.robot.env.lock(), arm.robot.preserve_state():
            if joints is not None:
                arm.arm_dof_values = as_vector(joints, len(arm.arm_indices), "joints")
            found = arm.solve_ik(goal, options=options)
        return None if found is None else [float(one) for one in found]

    @command(name="DebugIK", reads=("readfile",))
    def test_solver(
        self,
        robot: str = "",
        numtests: int = 1000,
        readfile: str = "",
        sampledegeneratecases: float = 0.2,
        selfcollision: bool = False,
    ) -> IkTests:
        """Solve for goals that the active manipulator reaches.

        Parameters
        ----------
        robot
            Its name; the only one if left out.
        numtests
            Number of goals, from configurations at random.
        readfile
            File with the configurations: their number, then the values of each.
        sampledegeneratecases
            Part of the values that are a quarter turn or none.
        selfcollision
            Leave out configurations in which the robot collides with itself.
        """
        arm = self._arm(robot)
        if not 0.0 <= sampledegeneratecases <= 1.0:
            raise ArgumentError(
                f"sampledegeneratecases is {sampledegeneratecases}, expected 0 to 1"
            )
        rng = np.random.default_rng(0)
        rows = None
        if readfile:
            rows = _rows_of(Path(readfile), len(arm.arm_indices))
        else:
            count = _whole(numtests, "numtests", 1)
            rows = random_configurations(arm, count, rng)
            _turn_quarters(arm, rows, sampledegeneratecases, rng)
        with arm.robot.env.lock(), arm.robot.preserve_state():
            return self._tested(arm, rows, rng, only_free=selfcollision)

    def _tested(
        self,
        arm: Manipulator,
        rows: Array,
        rng: np.random.Generator,
        *,
        only_free: bool,
    ) -> IkTests:
        kind = self._kind(arm)
        rows = meeting(arm, kind, rows, rng)
        if only_free:
            free = []
            for row in rows:
                arm.arm_dof_values = row
                free.append(not arm.robot.check_self_collision())
            rows = rows[np.array(free, bool)]
        poses = tool_poses(arm, rows)
        numbers = goal_values(kind, poses, arm.direction)
        base, solver = arm.base.transform, arm.ik_solver
        is_loop = kind.dof == len(arm.arm_indices)
        wrong, unsolved, missing = [], [], []
        for row, values in zip(rows, numbers, strict=True):
            goal = IkParameterization(kind, tuple(values.tolist())).transformed(base)
            arm.arm_dof_values = row
            case = (goal, tuple(solver.get_free_parameters().tolist()))
            found = arm.solve_ik(goal, all=True)
            if not len(found):
                unsolved.append(case)
                continue
            met = tool_poses(arm, found)
            wanted = np.tile(values, (len(found), 1))
            if (
                np.maximum(*residuals_of(kind, wanted, met, arm.direction)).max()
                > WRONG
            ):
                wrong.append(case)
            elif is_loop and not _has(arm, found, row):
                missing.append(case)
        return IkTests(len(rows), tuple(wrong), tuple(unsolved), tuple(missing))

    # -- arms and goals ------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return the kinds of goals that were asked for."""
        return dict(self._kinds)

    def set_own_state(self, state: Any) -> None:
        """Go on as another module does."""
        self._kinds = dict(state)

    def _arm(self, name: str) -> Manipulator:
        """Return the active manipulator of a robot."""
        robots = self.env.robots
        if not name and len(robots) != 1:
            raise StateError(
                f"the environment has {len(robots)} robots, expected the name of one"
            )
        robot = robots[name or 0]
        if not robot.manipulators:
            raise StateError(
                f"{robot!r} has no manipulator; robot.add_manipulator adds one"
            )
        found: Manipulator = robot.active_manipulator
        return found

    def _kind(self, arm: Manipulator) -> IkParameterizationType:
        """Return the kind that was asked for, else the most constrained that fits."""
        known = self._kinds.get((arm.robot.name, arm.name))
        if known is not None:
            return known
        solver, n = arm.ik_solver, len(arm.arm_indices)
        fitting = (one for one in KINDS if one.dof <= n and solver.supports(one))
        found = next(fitting, None)
        if found is None:
            raise NotSupportedError(f"{solver!r} of {arm!r} solves no kind of goals")
        return found

    def _goals(
        self, arm: Manipulator, count: int, rng: np.random.Generator
    ) -> tuple[list[IkParameterization], Array]:
        """Return goals in the world, and the configurations that they are from."""
        kind = self._kind(arm)
        rows = meeting(arm, kind, random_configurations(arm, count, rng), rng)
        numbers = goal_values(kind, tool_poses(arm, rows), arm.direction)
        base = arm.base.transform
        goals = [
            IkParameterization(kind, tuple(one)).transformed(base)
            for one in numbers.tolist()
        ]
        return goals, rows


def _has(arm: Manipulator, found: Array, row: Array) -> bool:
    """Return True if a configuration is among solutions, whole turns apart."""
    off = np.abs(found - row)
    turning = ~arm.robot.model.prismatic[arm.arm_indices]
    turns = np.where(turning, 2.0 * np.pi * np.rint(off / (2.0 * np.pi)), 0.0)
    return bool((np.abs(off - turns) < _SAME).all(axis=1).any())


def _turn_quarters(
    arm: Manipulator, rows: Array, part: float, rng: np.random.Generator
) -> None:
    """Put a part of values to a quarter turn or none, where limits let them."""
    quarters = rng.choice((-np.pi / 2, 0.0, np.pi / 2), rows.shape)
    lower, upper = (limit[arm.arm_indices] for limit in arm.robot.dof_limits)
    chosen = (rng.random(rows.shape) < part) & (quarters >= lower) & (quarters <= upper)
    rows[chosen] = quarters[chosen]


def _one_goal(ikparam: Any, matrix: Any, pose: Any) -> IkParameterization:
    given = [one for one in (ikparam, matrix, pose) if one is not None]
    if len(given) != 1:
        raise ArgumentError(
            f"{len(given)} goals are given, expected one of ikparam, matrix and pose"
        )
    if ikparam is not None:
        if isinstance(ikparam, IkParameterization):
            return ikparam
        text = ikparam if isinstance(ikparam, str) else " ".join(map(str, ikparam))
        return IkParameterization.deserialize(text)
    if pose is not None:
        return IkParameterization.transform_6d(
            pose_from_wxyz_xyz(as_vector(pose, 7, "pose"))
        )
    numbers = as_numbers(matrix, "matrix")
    found = np.eye(4)
    if numbers.shape in {(3, 4), (4, 4)}:
        found[:3] = numbers[:3]
    elif numbers.shape == (12,):
        found[:3] = numbers.reshape(4, 3).T
    else:
        raise ArgumentError(
            f"matrix has the shape {numbers.shape}, expected 12 numbers, by columns"
        )
    return IkParameterization.transform_6d(found)


def _timing_options(options: Any) -> dict[str, str]:
    words = (
        (options or "").split()
        if options is None or isinstance(options, str)
        else [str(one) for one in options]
    )
    found: dict[str, str] = {}
    while words:
        word = words.pop(0)
        if word.lower() not in _TIMING:
            if words:
                raise ArgumentError(
                    f"{word!r} is no option, expected {', '.join(_TIMING)} with their "
                    "values, and at the end the file of a library or nothing"
                )
            break
        if not words:
            raise ArgumentError(f"the option {word!r} has no value")
        found[word.lower()] = words.pop(0)
    return found


def _rows_of(path: Path, n: int) -> Array:
    """Return the configurations (k, n) of a file: their number, then their values."""
    try:
        words = path.read_text("utf-8").split()
    except FileNotFoundError:
        raise ResourceError(str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{path} cannot be read: {error}") from error
    try:
        numbers = np.array([float(word) for word in words])
    except ValueError:
        numbers = np.zeros(0)
    if not len(numbers) or len(numbers) - 1 != numbers[0] * n:
        raise ArgumentError(
            f"{path} has {len(words)} words, expected the number of configurations and "
            f"{n} numbers of each"
        )
    rows = numbers[1:].reshape(-1, n)
    if not np.isfinite(rows).all():
        raise ArgumentError(f"{path} has numbers that are not finite")
    return rows


def _whole(given: Any, name: str, least: int) -> int:
    number = _number(given, name)
    if number != int(number) or not least <= number <= _MOST:
        raise ArgumentError(
            f"{name} is {shown(given)}, expected a whole number from {least} to {_MOST}"
        )
    return int(number)


def _number(given: Any, name: str) -> float:
    try:
        found = float(given)
    except (TypeError, ValueError):
        found = np.nan
    if not np.isfinite(found):
        raise ArgumentError(f"{name} is {shown(given)}, expected a number")
    return found
