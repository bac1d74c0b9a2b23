"""The first of several grasps to which an arm finds a way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.ik import IkParameterization
from pyrave.kinematics.limits import LimitCheck
from pyrave.manipulation import FingerMotion, Step, close
from pyrave.manipulation.joined_steps import joined
from pyrave.manipulation.lines import collision_text, straight
from pyrave.planning import verification
from pyrave.planning.moving_links import checks_of
from pyrave.spatial import invert_pose
from pyrave.world.body_state import StateParts
from pyrave_manipulation.finger_motions import timed_through
from pyrave_manipulation.free_ends import JointQuery

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.bodies import KinBody, Manipulator
    from pyrave.grasping import Grasp
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array

_BRANCHES = 8
"""IK solutions of a grasp from which ways are looked for."""


@dataclass(frozen=True, slots=True)
class GraspFound:
    """A way to a grasp, or the cause of there being none; true if there is one.

    Parameters
    ----------
    timed
        From where the robot is to the grasp, or in front of it.
    cause
        Why there is none, in words.
    index
        Of the grasp.
    goals
        Poses of the hand at places where the body can be put with it.
    """

    timed: TrajectoryBase | None
    cause: str = ""
    index: int = -1
    goals: tuple[IkParameterization, ...] = ()

    def __bool__(self) -> bool:
        return self.timed is not None


@dataclass(slots=True, eq=False)
class GraspSearch:
    """A search through grasps, in the order in which they are given.

    Parameters
    ----------
    offset
        Metres that the hand ends in front of the grasp.
    places
        (k, 4, 4) poses of the body, of which the arm has to reach one with it.
    most_places
        Places that are told at most.
    most_solutions
        IK solutions of a grasp that are looked at; None: eight.
    options
        Of `Robot.plan`.
    group
        Geometry group of the body that counts on the way; empty: its own.
    closes
        Close the fingers at a grasp: they have to touch the body, and nothing else.
    reasons
        How often each reason was met.
    """

    arm: Manipulator
    target: KinBody
    offset: float = 0.0
    places: Array | None = None
    most_places: int = 5
    most_solutions: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""
    closes: bool = True
    reasons: Counter[str] = field(default_factory=Counter)

    def first(self, grasps: Mapping[int, Grasp]) -> GraspFound:
        """Return the way to the first grasp that has one.

        Parameters
        ----------
        grasps
            Grasps by their indices, in the order in which they are tried.
        """
        robot = self.arm.robot
        with robot.env.lock():
            for index, grasp in grasps.items():
                with robot.env.preserve_state(StateParts.PLANNED):
                    found = self._way(index, grasp)
                if found:
                    return found
        tried = "; ".join(
            f"{count} times {why}" for why, count in self.reasons.most_common(3)
        )
        return GraspFound(
            None,
            f"none of {len(grasps)} grasps of {self.target.name!r} can be taken: "
            f"{tried or 'there are none'}",
        )

    def _way(self, index: int, grasp: Grasp) -> GraspFound:
        arm, robot = self.arm, self.arm.robot
        steps: list[Step] = []
        shape, before = grasp.preshape, arm.gripper_dof_values
        if len(shape):
            motion = timed_through(
                robot, np.stack((before, shape)), list(arm.gripper_indices.tolist())
            )
            if np.abs(before - shape).max() > 1e-9:
                if not verification(robot, motion):
                    return self._refused("the fingers cannot open as they should")
                steps.append(Step("fingers", motion))
            arm.gripper_dof_values = shape
        pose = grasp.hand_pose(self.target.transform)
        rows = np.asarray(arm.solve_ik(pose, all=True))
        if not len(rows):
            return self._refused("the pose has no IK solution")
        with checks_of(robot, arm.arm_indices) as collide:
            hits = collide(rows)
        if hits.all():
            why = collision_text(arm, rows[0])
            return self._refused(f"the arm collides at the pose ({why})")
        free = rows[~hits]
        away = np.abs(free - arm.arm_dof_values).max(axis=1)
        free = free[np.argsort(away, kind="stable")][: self.most_solutions or _BRANCHES]
        with robot.preserve_state(StateParts.PLANNED):
            robot.set_dof_values(free[0], arm.arm_indices, limits=LimitCheck.NONE)
            values = arm.gripper_dof_values
            if self.closes:
                closed = close(arm)
                why = self._open_reason(closed)
                if why:
                    return self._refused(why)
                values = closed.values
            goals = self._reached_places(pose, values)
            if self.places is not None and not goals:
                return self._refused("no place can be reached with it")
        way = pose[:3, :3] @ grasp.approach
        cause = ""
        with self._padded():
            for row in free:
                begin, cause = self._begin(row, way)
                if begin is None:
                    continue
                query = JointQuery(robot, arm.arm_indices, options=self.options)
                found = query.to_values(begin[None])
                if found.timed is not None:
                    steps.append(Step("plan", found.timed))
                    # what the fingers do is joined from where they were
                    if len(steps) > 1:
                        arm.gripper_dof_values = before
                    return GraspFound(joined(robot, steps), "", index, goals)
                cause = found.cause
        return self._refused(cause.split("\n")[0])

    def _open_reason(self, closed: FingerMotion) -> str:
        """Return the reason for which fingers do not hold it alone, or nothing."""
        if not closed:
            return "the fingers cannot close"
        if self.target not in closed.bodies:
            return "the fingers close without touching it"
        others = [one for one in closed.bodies if one is not self.target]
        return f"the fingers touch {others[0].name!r}" if others else ""

    def _begin(self, row: Array, way: Array) -> tuple[Array | None, str]:
        """Return arm values in front of a grasp, from which a line leads to it."""
        if self.offset <= 0.0:
            return row, ""
        line = straight(
            self.arm, row, -way, self.offset, self.offset, 1e-3, reverse=True
        )
        if not line:
            return None, f"the line to the pose: {line.cause}"
        return np.asarray(line.values[-1]), ""

    def _reached_places(
        self, pose: Array, fingers: Array
    ) -> tuple[IkParameterization, ...]:
        """Return poses of the hand at places to which the arm can bring the body."""
        if self.places is None:
            return ()
        arm, robot = self.arm, self.arm.robot
        in_hand = invert_pose(self.target.transform) @ pose
        arm.gripper_dof_values = fingers
        robot.grab(self.target, arm.end_effector)
        found = []
        for place in self.places:
            hand = place @ in_hand
            rows = np.asarray(arm.solve_ik(hand, all=True))
            if not len(rows):
                continue
            with checks_of(robot, arm.arm_indices) as collide:
                if collide(rows).all():
                    continue
            found.append(IkParameterization.transform_6d(hand))
            if len(found) >= self.most_places:
                break
        return tuple(found)

    @contextmanager
    def _padded(self) -> Iterator[None]:
        """Let another geometry group of the body count for a block."""
        if not self.group:
            yield
            return
        with self.target.preserve_state():
            self.target.use_geometry_group(self.group)
            yield

    def _refused(self, reason: str) -> GraspFound:
        self.reasons[reason] += 1
        return GraspFound(None, reason)
