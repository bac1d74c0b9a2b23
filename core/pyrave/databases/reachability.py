"""Poses around an arm's base that its tool reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.databases.database import Database
from pyrave.databases.reach.fill import ReachFill
from pyrave.databases.reach.map import ReachMap
from pyrave.databases.reach.position_grid import PositionGrid
from pyrave.databases.reach.tool_chain import ToolChain, reach_identity
from pyrave.databases.reach.tool_poses import as_tool_poses
from pyrave.errors import ArgumentError
from pyrave.geometry import rotation_grid, rotation_level
from pyrave.interfaces.settings.declarations import setting
from pyrave.planning.query.arguments import as_seed
from pyrave.spatial import (
    Array,
    as_array,
    as_number,
    as_pose,
    as_rows,
    invert_pose,
    matrix_from_quat,
    transform_points,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.pictures import Drawing

_MOST_CELLS = 2.0**31
CONTOURS = (0.01, 0.1, 0.2, 0.5, 0.8, 0.9, 0.99)
"""Densities whose borders `Reachability.show` draws, those of OpenRAVE."""


@dataclass(frozen=True, slots=True)
class ReachabilityParameters:
    """Positions and rotations that are asked for."""

    radius: float | None = setting(
        None,
        "of the ball around the first joint; none: the arm's length",
        unit="m",
        above=0.0,
    )
    spacing: float = setting(0.04, "between positions", unit="m", above=0.0)
    rotation_spacing: float = setting(
        0.5,
        "between unit quaternions: 0.5 makes 72 rotations, half of it 576",
        unit="rad",
        least=0.006,
        most=1.0,
    )
    translation_only: bool = setting(False, "any rotation will do")
    free_space: bool = setting(
        False,
        "configurations in which the robot touches itself do not count",
    )


class Reachability(Database):
    """Poses around an arm's base that its tool reaches, on a grid.

    Positions are those of a cubic lattice in a ball around the first joint, rotations
    those of `pyrave.geometry.rotation_grid`. A pose counts as reached where a
    configuration within limits was found that brings the tool there, to 1e-7 m and
    rad: none that is reached is out of reach. Searches start from random configurations
    and go from each pose to its neighbours; one in some thousand that an arm reaches is
    not found, in a region that nothing else leads to.

    Arrays: ``positions`` (n, 3) in the base link, metres; ``rotations`` (k, 4)
    quaternions w x y z; ``reached`` (k, ceil(n / 8)) bits, in the order of
    `numpy.packbits`; ``origin`` (3,) and ``radius`` (1,) of the ball.

    Parameters
    ----------
    arm
        The manipulator.
    **parameters
        As `ReachabilityParameters` declares them.

    Raises
    ------
    ArgumentError
        A parameter is wrong, a joint of the arm has no limits, or the grid is too fine.
    NotSupportedError
        A joint of the arm follows others, or is spherical.
    """

    kind = "kinematicreachability"
    settings_type = ReachabilityParameters
    takes: ClassVar[Mapping[str, type]] = {"manipulator": Manipulator}

    def __init__(self, arm: Manipulator, **parameters: Any) -> None:
        super().__init__(arm, **parameters)
        self.arm: Manipulator = self.subjects[0]
        self._map: ReachMap | None = None

    # -- the computation -----------------------------------------------------------

    def _identity(self) -> Mapping[str, object]:
        return reach_identity(self.arm, free_space=self.settings.free_space)

    @cached_property
    def _chain(self) -> ToolChain:
        return ToolChain.from_arm(self.arm)

    @cached_property
    def _new_grid(self) -> PositionGrid:
        given = self.settings
        radius = self._chain.length if given.radius is None else given.radius
        cells = PositionGrid.cells_of(radius, given.spacing)
        if cells > _MOST_CELLS:
            raise ArgumentError(
                f"spacing is {given.spacing:g} m in a ball of {radius:g} m, a grid of "
                f"{cells:.3g} cells; expected at most {_MOST_CELLS:.3g}, take a larger "
                "spacing or a smaller radius"
            )
        return PositionGrid(self._chain.origin, given.spacing, radius)

    @cached_property
    def _new_rotations(self) -> Array:
        """Rotations that are asked for, (k, 4); one if it does not matter which."""
        if self.settings.translation_only:
            return np.array([[1.0, 0.0, 0.0, 0.0]])
        return rotation_grid(rotation_level(self.settings.rotation_spacing))

    def _task_count(self) -> int:
        return len(self._new_rotations)

    def _memory(self) -> int:
        cells = float(self._new_grid.side) ** 3
        results = len(self._new_rotations) * cells / 8.0
        return ReachFill.memory(cells, self._chain.n) + int(results)

    def _compute(self, index: int) -> dict[str, NDArray[Any]]:
        given, grid = self.settings, self._new_grid
        turn = None
        if not given.translation_only:
            turn = matrix_from_quat(self._new_rotations[index])
        accept = self._is_free if given.free_space else None
        fill = ReachFill(self._chain, grid, turn, accept)
        found = fill.fill(self._generator(index))
        return {"reached": np.packbits(found[grid.cells])[None]}

    def _is_free(self, values: Array) -> NDArray[np.bool_]:
        """Return at which of values (m, n) the robot does not touch itself."""
        robot = self.arm.robot
        whole = self.arm.compute_configurations(values)
        checker = self.env.collision_checker
        return ~checker.check_configurations(robot, whole, environment=False)

    def _merge(
        self, parts: Sequence[dict[str, NDArray[Any]]]
    ) -> dict[str, NDArray[Any]]:
        grid = self._new_grid
        return {
            **super()._merge(parts),
            "positions": grid.points(grid.cells),
            "rotations": self._new_rotations,
            "origin": grid.origin,
            "radius": np.array([grid.radius]),
        }

    # -- what was found ------------------------------------------------------------

    @property
    def map(self) -> ReachMap:
        """The results in the base link, with what is made of them."""
        arrays = self.arrays
        if self._map is None or self._map.arrays is not arrays:
            self._map = ReachMap(arrays, float(self.settings.spacing))
        return self._map

    def contains(self, poses: ArrayLike) -> Any:
        """Return True if the tool reaches the pose of the grid nearest to a pose.

        Between the poses of the grid it is a guess: `Manipulator.find_ik` knows.

        Parameters
        ----------
        poses
            (4, 4) or (7,) T_world_tool, or (n, 4, 4) or (n, 7): then (n,) is returned.

        Raises
        ------
        ArgumentError
            They are no poses.
        StateError
            There are no results yet.
        """
        rows, single = as_tool_poses(poses)
        found = self.map.contains(invert_pose(self.arm.base.transform) @ rows)
        return bool(found[0]) if single else found

    def density(self, points: ArrayLike) -> Array:
        """Return with what share of rotations the tool comes to points, (n,) 0..1.

        Between positions of the grid it is linear along each axis.

        Parameters
        ----------
        points
            (n, 3) in the world, metres.

        Raises
        ------
        ArgumentError
            They are no points.
        StateError
            There are no results yet.
        """
        given = as_rows(points, (3,), "points")
        to_base = invert_pose(self.arm.base.transform)
        return self.map.density(transform_points(to_base, given))

    def neighbours(
        self, pose: ArrayLike, distance: float = 0.05, angle: float = 0.6
    ) -> Array:
        """Return the poses of the grid near a pose that the tool reaches, (k, 4, 4).

        They are T_world_tool, in order of their distances.

        Parameters
        ----------
        pose
            (4, 4) or (7,) T_world_tool.
        distance
            Metres that they are away at most.
        angle
            Radians by which they are turned at most.

        Raises
        ------
        ArgumentError
            It is no pose, or a number is below 0.
        StateError
            There are no results yet.
        """
        base = self.arm.base.transform
        local = invert_pose(base) @ as_pose(pose, "pose")
        most = as_number(distance, "distance", 0.0)
        turned = as_number(angle, "angle", 0.0)
        return np.asarray(base @ self.map.neighbours(local, most, turned))

    def sample_poses(self, n: int, *, seed: int = 0) -> Array:
        """Return poses of the grid that the tool reaches, (n, 4, 4) T_world_tool.

        Each is as likely as any other, and may come again.

        Raises
        ------
        ArgumentError
            `n` or `seed` are no such numbers, or the tool reaches no pose of the grid.
        StateError
            There are no results yet.
        """
        count = int(as_number(n, "n", 0, 1e8))
        among = self.map.numbers_reached
        if not len(among):
            raise ArgumentError(
                f"{self.arm!r} reaches no pose of the grid; take more rotations, or "
                "translation_only for arms of few joints"
            )
        picked = np.random.default_rng(as_seed(seed)).choice(among, count)
        return np.asarray(self.arm.base.transform @ self.map.poses(picked))

    def contour(self, density: float) -> Array:
        """Return positions (m, 3) at the border of where a density is met.

        They are in the world, metres.

        Parameters
        ----------
        density
            Share of rotations, 0 to 1; with 0 all count that are reached at all.

        Raises
        ------
        ArgumentError
            It is no such number.
        StateError
            There are no results yet.
        """
        points = self.map.contour(as_number(density, "density", 0.0, 1.0))
        return transform_points(self.arm.base.transform, points)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of poses, and the volume within reach in cubic metres."""
        found = self.map
        return {
            "positions": found.reached.shape[1],
            "rotations": found.reached.shape[0],
            "radius": found.grid.radius,
            "reached": int(found.reached.sum()),
            "share": float(found.reached.mean()),
            "volume": float((found.densities > 0.0).sum() * found.grid.spacing**3),
        }

    def show(self, contours: Sequence[float] = CONTOURS) -> list[Drawing]:
        """Draw the borders of densities around the arm as points, from red to blue.

        Parameters
        ----------
        contours
            Densities, 0 to 1.
        """
        drawn = []
        for share in as_array(contours, (None,), "contours").tolist():
            points = self.contour(share)
            if len(points):
                color = (1.0 - share, 0.3, share, 0.2 + 0.6 * share)
                size = 0.25 * float(self.settings.spacing)
                drawn.append(self.env.draw.points(points, color=color, size=size))
        return drawn
