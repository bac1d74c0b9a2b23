"""Collision tests of a plan's configurations with the environment's checker."""

from __future__ import annotations

import itertools
import math
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces import PlannerParameters, Touches
from pyrave.interfaces.collision.touching_links import TOUCHING, touches_of_ends
from pyrave.planning.search.joint_space import JointSpace
from pyrave.planning.timing.between_samples import Course, first_touch
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from pyrave import Environment
    from pyrave.bodies import KinBody, Robot
    from pyrave.spatial import Array

_PARTS = (
    StateParts.TRANSFORMS
    | StateParts.VELOCITIES
    | StateParts.ACTIVE_DOFS
    | StateParts.ENABLED
)


_BETWEEN = 32
"""Places between configurations at which it is looked what is in the way."""


class FreeSpace:
    """Configurations of some bodies; a context that puts the bodies back.

    Links that the configurations do not move may touch what they stand on, and what
    touches at the ends of the path may part (`pyrave.interfaces.Touches`). Where the
    checker is the native one, motions of joints are free between configurations, too;
    with others `is_wholly_free` looks there.

    Parameters
    ----------
    path
        (k, dof) configurations from the start to the goal.
    """

    def __init__(self, env: Environment, given: PlannerParameters, path: Array) -> None:
        self._env, self._given = env, given
        groups = given.specification.groups
        names = given.specification.used_body_names()
        missing = [name for name in names if name not in env.bodies]
        if missing:
            raise ArgumentError(f"no body is named {missing[0]!r}")
        self._bodies: list[KinBody] = [env.bodies[name] for name in names]
        self._stack = ExitStack()
        is_one = len(groups) == 1 and groups[0].kind == "joint_values"
        self._columns = groups[0].joint_indices if is_one else None
        self._motions: JointSpace | None = None
        self._ends = path[[0, -1]]

    def __enter__(self) -> Self:
        for body in self._bodies:
            self._stack.enter_context(body.preserve_state(_PARTS))
        if self._columns is not None and self._bodies[0].is_robot:
            robot = cast("Robot", self._bodies[0])
            robot.set_active_dofs(self._columns)
            self._stack.enter_context(self._env.collision_checker.moving_links())
            with suppress(NotSupportedError):
                self._motions = JointSpace(robot)
        if not all(self._is_free(row[None]) for row in self._ends):
            self._let_part()
        return self

    def _let_part(self) -> None:
        """Let what touches at the ends of the path do so."""
        touches = Touches()
        for body in self._bodies:
            itself = self._columns is not None
            touches = touches.joined(
                touches_of_ends(
                    body, TOUCHING, self._place, self._ends[0], self._ends[1:],
                    itself=itself,
                )
            )  # fmt: skip
        if not touches:
            return
        self._stack.enter_context(self._env.collision_checker.allowing(touches))
        if self._motions is not None:
            self._motions = JointSpace(cast("Robot", self._bodies[0]))

    def _place(self, row: Array) -> None:
        self._given.specification.apply(self._env, row)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def is_free(self, rows: Array) -> bool:
        """Return True if all of configurations (n, dof) of a motion are free."""
        return self._keeps_constraints(rows) and self._is_free(rows)

    def _is_free(self, rows: Array) -> bool:
        if self._motions is not None:
            return self._motions.first_hit(rows) < 0
        if self._columns is not None:
            checker = self._env.collision_checker
            values = self._whole(rows)
            return not checker.check_configurations(self._bodies[0], values).any()
        return not any(self._collides(row) for row in rows)

    def is_wholly_free(self, times: Array, at: Callable[[Array], Array]) -> bool:
        """Return True if a motion is free at times (n,) and between them.

        Parameters
        ----------
        at
            Returns configurations (k, dof) at times (k,).
        """
        rows = at(times)
        if self._columns is None or self._motions is not None:
            return self.is_free(rows)
        if not self._keeps_constraints(rows):
            return False
        course = Course(
            self._bodies[0], times, lambda some: (self._whole(at(some)), None)
        )
        return not math.isfinite(first_touch(self._env.collision_checker, course)[0])

    def what_blocks(self, rows: Array) -> str:
        """Return the contacts of the first configuration that is not free."""
        if not self._keeps_constraints(rows):
            return "the path constraints forbid it"
        if self._motions is not None:
            first = self._motions.first_hit(rows)
            both = rows[[first, min(first + 1, len(rows) - 1)]]
            parts = np.linspace(0.0, 1.0, _BETWEEN + 1)[:, None]
            rows = both[0] + parts * (both[1] - both[0])
        for row in rows:
            pairs = []
            if self._columns is not None:
                (report,) = self._env.collision_checker.check_configurations(
                    self._bodies[0], self._whole(row[None]), report=True
                )
                pairs = [f"{one.first} x {one.second}" for one in report.pairs]
            elif self._collides(row):
                pairs = [body.name for body in self._bodies]
            if pairs:
                return f"{', '.join(pairs)} collide at {row}"
        return "something is met between samples"

    def _whole(self, rows: Array) -> Array:
        """Return values (n, dof) of all joints of the body."""
        values = np.tile(self._bodies[0].dof_values, (len(rows), 1))
        values[:, self._columns] = rows
        return values

    def _collides(self, row: Array) -> bool:
        self._place(row)
        return any(
            self._env.check_collision(body) or body.check_self_collision()
            for body in self._bodies
        )

    def _keeps_constraints(self, rows: Array) -> bool:
        keeps = self._given.check_path_constraints
        if keeps is None:
            return True
        return all(keeps(a, b) for a, b in itertools.pairwise(rows))
