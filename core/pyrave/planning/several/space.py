"""Configurations of several robots, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import CollisionReport
from pyrave.planning.query.space import PlanningSpace
from pyrave.trajectories import ConfigurationSpecification
from pyrave.trajectories.groups import is_joint_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.planning.several.joined_robot import JoinedRobot
    from pyrave.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One of several robots.

    Parameters
    ----------
    space
        Its active degrees of freedom, in the user's environment.
    arm
        Whose tool is meant, None if there is no manipulator.
    columns
        Where its values are in a configuration of all.
    """

    space: PlanningSpace
    arm: Manipulator | None
    columns: slice

    @property
    def robot(self) -> Robot:
        """The user's robot."""
        return self.space.robot


class JoinedSpace(PlanningSpace):
    """The active degrees of freedom of several robots.

    Collisions are those of the joined robot, in a copy of the environment; who is
    asked about a configuration finds the user's robots there, too.

    Parameters
    ----------
    robot
        The robots as one, its active degrees of freedom those of the parts in a row.
    parts
        The user's robots, in the order in which they were joined.
    """

    def __init__(
        self, robot: JoinedRobot, parts: Sequence[Part], limit_tolerance: float
    ) -> None:
        super().__init__(robot, limit_tolerance)
        self.parts = tuple(parts)

    def placed(self, values: Array) -> bool:
        """Take the joined robot and those of the user to a configuration (n,)."""
        return super().placed(values) and all(
            part.space.placed(values[part.columns]) for part in self.parts
        )

    @contextmanager
    def letting_part(
        self, rows: Iterable[Array], most: float, *, held: bool = False
    ) -> Iterator[None]:
        """Let what touches there do so, in the copy and for the user's robots."""
        every = list(rows)
        with ExitStack() as stack:
            stack.enter_context(super().letting_part(every, most, held=held))
            for row in every:
                for part in self.parts:
                    self.placed(row)
                    own = (row[part.columns],)
                    stack.enter_context(part.space.letting_part(own, most, held=held))
            yield

    @contextmanager
    def letting_place(self, most: float) -> Iterator[None]:
        """Let what the robots hold touch anything, in the copy and as they are."""
        with ExitStack() as stack:
            stack.enter_context(super().letting_place(most))
            for part in self.parts:
                stack.enter_context(part.space.letting_place(most))
            yield

    @property
    def own_bodies(self) -> frozenset[int]:
        """Ids of the user's robots and what they hold."""
        return frozenset().union(*(part.space.own_bodies for part in self.parts))

    def report(self, row: Array) -> CollisionReport:
        """Return all pairs of links that collide, by the user's robots."""
        self.place(row)
        found: CollisionReport | None = None
        known: set[frozenset[tuple[int, int]]] = set()
        for part in self.parts:
            # each robot sees the other ones where they are
            report = part.space.report(row[part.columns])
            new = []
            for pair in report.pairs:
                sides = (pair.first, pair.second)
                ends = frozenset((side.link_id, side.geometry_id) for side in sides)
                if ends not in known:
                    new.append(pair)
                known.add(ends)
            if found is None:
                found = report
                found.pairs[:] = new
            else:
                found.pairs += new
        assert found is not None  # noqa: S101 - there are parts
        return found

    def for_user(self, trajectory: TrajectoryBase) -> TrajectoryBase:
        """Return a trajectory of the joined robot as one of the user's robots."""
        spec, columns = ConfigurationSpecification(), list[int]()
        own = trajectory.get_configuration_specification()
        for group in own.groups:
            if not is_joint_kind(group.kind):
                spec = spec.add_group(group)
                columns += range(group.offset, group.end)
                continue
            for part in self.parts:
                names = " ".join(map(str, part.space.indices.tolist()))
                spec = spec.add_group(
                    f"{group.kind} {part.robot.name} {names}",
                    part.space.dof,
                    group.interpolation,
                )
                columns += range(group.offset, group.end)[part.columns]
        env = self.parts[0].robot.env
        made = env.create("trajectory", "")
        made.init(spec)
        made.insert(0, trajectory.get_waypoints()[:, columns])
        return made


def in_a_row(movers: Sequence[tuple[PlanningSpace, Manipulator | None]]) -> list[Part]:
    """Return parts whose values follow each other."""
    ends = np.cumsum([0, *(space.dof for space, _ in movers)]).tolist()
    return [
        Part(space, arm, slice(ends[k], ends[k + 1]))
        for k, (space, arm) in enumerate(movers)
    ]
