"""Places of a base from which a tool reaches poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.databases.database import Database
from pyrave.databases.reach.base_distribution import (
    BaseDistribution,
    joint_distribution,
    mixed_distribution,
    weighted,
)
from pyrave.databases.reach.tool_chain import ToolChain, reach_identity
from pyrave.databases.reach.tool_poses import as_tool_poses
from pyrave.errors import ArgumentError, StateError
from pyrave.ik import IkFilterOptions
from pyrave.interfaces.settings.declarations import setting
from pyrave.planning.query.arguments import as_seed
from pyrave.spatial import Array, as_number, as_pose, invert_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.pictures import Drawing
    from pyrave.spatial import Indices

_EACH = 50_000
"""Configurations of a task."""
_MOST_SAMPLES = 100_000_000
_MOST_SHOWN = 4000


@dataclass(frozen=True, slots=True)
class InverseReachabilityParameters:
    """Configurations that are looked at, and poses that count as equal."""

    samples: int = setting(
        300_000, "number of random configurations", least=1, most=_MOST_SAMPLES
    )
    height_threshold: float = setting(
        0.05,
        "between heights of tools that count as equal",
        unit="m",
        above=0.0,
    )
    tilt_threshold: float = setting(
        0.15,
        "between unit quaternions of tilts that count as equal",
        unit="rad",
        above=0.0,
        most=1.6,
    )
    free_space: bool = setting(
        False,
        "configurations in which the robot touches itself do not count",
    )


@dataclass(frozen=True, eq=False)
class BasePlacement:
    """A place of the base from which inverse kinematics has been solved.

    Parameters
    ----------
    transform
        (4, 4) T_world_base of the robot.
    target
        Number of the tool pose; -1 where all of them are reached.
    values
        (n_arm,) of the arm; (m, n_arm) for all m poses.
    """

    transform: Array
    target: int
    values: Array


class InverseReachability(Database):
    """Places of a robot for a pose of its tool: x, y and turns of its base.

    Two poses of a tool are equal for this if a motion of the base in its plane makes
    one of the other: they have the same height, and the same tilt. Random
    configurations are kept with their tools. Those whose height and tilt are nearly
    that of a pose say each where the base may stand, with the manipulability as weight:
    then a place is the more likely, the more solutions inverse kinematics has from
    there (by the area formula: their number for six joints, the length of their
    self-motions for seven).

    Arrays: ``tools`` (n, 12) float32, T_base_tool as a rotation row by row and an
    origin, in the arm's base link; ``weights`` (n,) float32.

    Parameters
    ----------
    arm
        The manipulator. What is between the base of the robot and the arm's stays as it
        is when questions are asked.
    **parameters
        As `InverseReachabilityParameters` declares them.

    Raises
    ------
    ArgumentError
        A parameter is wrong, or a joint of the arm has no limits.
    NotSupportedError
        A joint of the arm follows others, or is spherical.
    """

    kind = "inversereachability"
    settings_type = InverseReachabilityParameters
    takes: ClassVar[Mapping[str, type]] = {"manipulator": Manipulator}

    def __init__(self, arm: Manipulator, **parameters: Any) -> None:
        super().__init__(arm, **parameters)
        self.arm: Manipulator = self.subjects[0]

    # -- the computation -----------------------------------------------------------

    def _identity(self) -> Mapping[str, object]:
        return reach_identity(self.arm, free_space=self.settings.free_space)

    @cached_property
    def _chain(self) -> ToolChain:
        return ToolChain.from_arm(self.arm)

    def _task_count(self) -> int:
        self._chain  # noqa: B018 - raises before anything is begun
        return -(-int(self.settings.samples) // _EACH)

    def _memory(self) -> int:
        return 4 * 13 * 3 * int(self.settings.samples)

    def _compute(self, index: int) -> dict[str, NDArray[Any]]:
        count = min(_EACH, self.settings.samples - index * _EACH)
        unit = self._generator(index).random((count, self._chain.n))
        values = self._chain.stretched(unit)
        if self.settings.free_space:
            whole = self.arm.compute_configurations(values)
            checker, robot = self.env.collision_checker, self.arm.robot
            hits = checker.check_configurations(robot, whole, environment=False)
            values = np.ascontiguousarray(values[~hits])
        return {
            "tools": self._chain.tools(values).astype(np.float32),
            "weights": self._chain.manipulability(values).astype(np.float32),
        }

    # -- what was found ------------------------------------------------------------

    def equivalence_class(self, pose: ArrayLike) -> Indices:
        """Return the numbers of the kept configurations that count as equal to a pose.

        Parameters
        ----------
        pose
            (4, 4) or (7,) T_world_tool.

        Raises
        ------
        ArgumentError
            It is no pose.
        StateError
            There are no results yet.
        """
        there = invert_pose(self.arm.robot.transform)
        return self._equal(there @ as_pose(pose, "pose"))

    def _mount(self) -> Array:
        """Return T_robot_base (4, 4) of the arm's base link."""
        robot = self.arm.robot
        return np.asarray(invert_pose(robot.transform) @ self.arm.base.transform)

    def _equal(self, tool: Array) -> Indices:
        """Return the numbers of what is equal to a tool (4, 4) in the robot's frame."""
        kept, mount = self.arrays["tools"], self._mount()
        up = mount[2, :3].astype(np.float32)
        heights = kept[:, 9:] @ up + np.float32(mount[2, 3])
        # where up is for the tool
        tilts = np.einsum("nij,i->nj", kept[:, :9].reshape(-1, 3, 3), up)
        near = np.abs(heights - tool[2, 3]) <= self.settings.height_threshold
        # an angle is twice that between quaternions
        least = np.cos(min(2.0 * self.settings.tilt_threshold, np.pi))
        return np.flatnonzero(near & (tilts @ tool[2, :3].astype(np.float32) >= least))

    def base_distribution(
        self, poses: ArrayLike, *, every: bool = False
    ) -> BaseDistribution:
        """Return the places of the base for a pose of the tool, or for several.

        Parameters
        ----------
        poses
            (4, 4) or (7,) T_world_tool, or (m, 4, 4) or (m, 7).
        every
            Whether all of several poses are to be reached from the same place. False:
            any of them.

        Returns
        -------
        BaseDistribution
            False where no place is known.

        Raises
        ------
        ArgumentError
            They are no poses, or there are none.
        StateError
            There are no results yet.
        """
        tools = invert_pose(self.arm.robot.transform) @ self._given(poses)
        parts = [self._distribution(tool, k) for k, tool in enumerate(tools)]
        if len(parts) == 1:
            return parts[0]
        return joint_distribution(parts) if every else mixed_distribution(parts)

    @staticmethod
    def _given(poses: ArrayLike) -> Array:
        """Return poses (m, 4, 4) of one or several."""
        rows, _ = as_tool_poses(poses)
        if not len(rows):
            raise ArgumentError("poses has none, expected one of the tool or several")
        return rows

    def _distribution(self, tool: Array, number: int) -> BaseDistribution:
        """Return the places of the base for a tool (4, 4) in the robot's frame."""
        equal = self._equal(tool)
        kept = self.arrays["tools"][equal].astype(np.float64)
        mount = self._mount()
        turns = mount[:3, :3] @ kept[:, :9].reshape(-1, 3, 3)
        places = kept[:, 9:] @ mount[:3, :3].T + mount[:3, 3]
        # the turn about z that brings one rotation nearest to the other
        between = np.einsum("ij,nkj->nik", tool[:3, :3], turns)
        yaw = np.arctan2(
            between[:, 1, 0] - between[:, 0, 1], between[:, 0, 0] + between[:, 1, 1]
        )
        c, s = np.cos(yaw), np.sin(yaw)
        x = tool[0, 3] - (c * places[:, 0] - s * places[:, 1])
        y = tool[1, 3] - (s * places[:, 0] + c * places[:, 1])
        given = self.settings
        return weighted(
            np.stack((x, y, yaw), axis=1),
            self.arrays["weights"][equal].astype(np.float64),
            np.full(len(equal), number),
            self.arm.robot.transform,
            (float(given.height_threshold), float(given.tilt_threshold)),
        )

    def placements(
        self,
        poses: ArrayLike,
        *,
        every: bool = False,
        tries: int = 1000,
        seed: int = 0,
        options: IkFilterOptions = IkFilterOptions.CHECK_ENV_COLLISIONS,
    ) -> Iterator[BasePlacement]:
        """Yield places of the base from which inverse kinematics has a solution.

        Places are drawn from `base_distribution`, and the robot is put there to ask; it
        is back where it stands whenever one is yielded.

        Parameters
        ----------
        poses, every
            See `base_distribution`.
        tries
            Places that are drawn at most.
        options
            Of `Manipulator.solve_ik`; the base and all else of the robot must be free
            too where collisions are checked.

        Raises
        ------
        ArgumentError
            They are no poses, or a number has no meaning.
        StateError
            There are no results yet, or no place is known.
        """
        wanted = self._given(poses)
        count, first = int(as_number(tries, "tries", 1, 1e7)), as_seed(seed)
        found = self.base_distribution(poses, every=every)
        drawn = found.sample(count, seed=first)
        return self._checked(found, drawn, wanted, every, options)

    def _checked(
        self,
        found: BaseDistribution,
        drawn: Array,
        wanted: Array,
        every: bool,
        options: IkFilterOptions,
    ) -> Iterator[BasePlacement]:
        """Yield those of drawn places from which all, or one, of poses is reached."""
        for place in found.transforms(drawn):
            robot = self.arm.robot
            with robot.preserve_state():
                robot.transform = place
                solutions = []
                for number, pose in enumerate(wanted):
                    values = self.arm.solve_ik(pose, options=options)
                    if values is not None:
                        solutions.append((number, values))
                    elif every:
                        break
                    if values is not None and not every:
                        break
            if every and len(solutions) == len(wanted):
                rows = np.stack([values for _, values in solutions])
                yield BasePlacement(place, -1, rows)
            elif solutions and not every:
                yield BasePlacement(place, *solutions[0])

    def summary(self) -> dict[str, Any]:
        """Return the number of configurations, and the heights of tools in the base."""
        heights = self.arrays["tools"][:, 11]
        if not len(heights):
            raise StateError("all configurations were refused; see free_space")
        return {
            "configurations": len(heights),
            "height_least": float(heights.min()),
            "height_most": float(heights.max()),
        }

    def show(self, poses: ArrayLike | None = None) -> list[Drawing]:
        """Draw where the base may stand for poses of the tool, as points on the floor.

        Parameters
        ----------
        poses
            See `base_distribution`; the tool's present pose by default.
        """
        given = self.arm.transform if poses is None else poses
        found = self.base_distribution(given)
        if not found:
            return []
        order = np.argsort(-found.weights, kind="stable")[:_MOST_SHOWN]
        points = found.transforms(found.placements[order])[:, :3, 3]
        share = found.density(found.placements[order])
        share = share / max(float(share.max()), 1e-30)
        colors = np.stack((1.0 - share, share, np.full(len(share), 0.2)), axis=1)
        return [self.env.draw.points(points, color=colors, size=0.02)]
