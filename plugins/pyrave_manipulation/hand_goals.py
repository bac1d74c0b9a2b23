"""Goals of the hand: their IK solutions, of which a plan reaches one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.ik import IkParameterization
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning import PlanFailureCode, TaskSpaceRegion
from pyrave.planning.moving_links import checks_of
from pyrave.spatial import (
    as_number,
    as_vector,
    invert_pose,
    matrix_from_axis_angle,
)
from pyrave.world.body_state import StateParts
from pyrave_manipulation.arguments import ik_goal, ik_goals, poses_of
from pyrave_manipulation.free_ends import FreeMotion, JointQuery

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.spatial import Array

_FREE = 1e4
"""Metres and radians of what a constraint does not bind."""
_NEAREST = 20
"""Solutions that collide, of which free values near them are looked for."""
_BASES = 400
"""Places of a base that are drawn."""
_ENOUGH = 8
"""Configurations of base and arm at which drawing ends."""
_SHARE = 0.2
"""Part of a constraint's threshold that the search may use."""
_PLANNED_TURNS = Affine.X | Affine.Y | Affine.Z | Affine.ROTATION_AXIS


@dataclass(frozen=True, slots=True)
class HandGoals:
    """Goals of a hand in the world.

    Parameters
    ----------
    all
        In the order in which they were given.
    """

    all: tuple[IkParameterization, ...]

    @classmethod
    def of(
        cls,
        *,
        matrices: Any = None,
        poses: Any = None,
        translation: Any = None,
        rotation: Any = None,
        ikparam: Any = None,
        ikparams: Any = None,
    ) -> HandGoals:
        """Return goals of the arguments of commands.

        Raises
        ------
        ArgumentError
            There are none, or one is no goal.
        """
        found: list[IkParameterization] = []
        for given, name in ((matrices, "matrices"), (poses, "poses")):
            if given is not None:
                made = poses_of(given, name)
                found += [IkParameterization.transform_6d(one) for one in made]
        if translation is not None:
            place = as_vector(translation, 3, "translation")
            found.append(IkParameterization.translation_3d(place))
        if rotation is not None:
            quat = as_vector(rotation, 4, "rotation")
            found.append(IkParameterization.rotation_3d(quat))
        if ikparam is not None:
            found.append(ik_goal(ikparam, "ikparam"))
        if ikparams is not None:
            found += ik_goals(ikparams, "ikparams")
        if not found:
            raise ArgumentError(
                "there is no goal: give matrices, poses, translation, rotation, "
                "ikparam or ikparams"
            )
        return cls(tuple(found))


def constraint_region(
    kept: Any,
    T_region_world: Array | None,  # noqa: N803 - a frame
    T_hand_task: Array | None,  # noqa: N803 - a frame
    threshold: float | None,
) -> TaskSpaceRegion | None:
    """Return the region in which a constraint of OpenRAVE's form keeps the hand.

    Parameters
    ----------
    kept
        (6,) 1 for what is kept: turns about x, y and z, then ways along them.
    T_region_world, T_hand_task
        From the world to the frame of the constraint, and the frame in the hand.
    threshold
        Metres and radians.
    """
    frames = (T_region_world, T_hand_task)
    if threshold is None and kept is None and frames == (None, None):
        return None
    if not threshold:
        raise ArgumentError(
            "a constraint is given without constrainterrorthresh, expected the metres "
            "and radians by which it may be off"
        )
    half = as_number(threshold, "constrainterrorthresh", 1e-9)
    bits = as_vector(
        np.zeros(6) if kept is None else kept,
        6,
        "constraintfreedoms",
    )
    if not np.isin(bits, (0.0, 1.0)).all():
        raise ArgumentError(
            f"constraintfreedoms are {bits.tolist()}, expected six of 0 and 1: turns "
            "about x, y and z, then ways along them"
        )
    keeps = np.concatenate((bits[3:], bits[:3])) > 0.0
    wide = np.where(keeps, (1.0 - _SHARE) * half, _FREE)
    to_region = np.eye(4) if T_region_world is None else T_region_world
    return TaskSpaceRegion(
        invert_pose(to_region),
        np.column_stack((-wide, wide)),
        T_hand_task,
        tolerance=_SHARE * half,
    )


@dataclass(frozen=True, slots=True, eq=False)
class HandQuery:
    """A motion of a hand to one of several goals.

    Parameters
    ----------
    options
        Of `Robot.plan`.
    region
        In which the hand stays on the whole way; None: there is none.
    tries
        Searches, each with the next seed.
    most, most_each
        IK solutions of all goals, and of each, that count; None: all.
    goal_tries, goal_jitter
        Tries of a goal without a free solution, each moved by chance; metres and
        radians.
    jitter
        Radians or metres by which values that collide may be moved.
    free
        Values of the free joints of the IK solver; None: any.
    post_processing
        Planners that change the path.
    """

    arm: Manipulator
    goals: HandGoals
    options: Mapping[str, Any]
    region: TaskSpaceRegion | None = None
    tries: int = 1
    most: int | None = None
    most_each: int | None = None
    goal_tries: int = 10
    jitter: float = 0.0
    goal_jitter: float = 0.0
    free: Any = None
    post_processing: tuple[tuple[str, str], ...] = field(default=())

    def from_any(self, starts: Array | None) -> FreeMotion:
        """Return a motion from the first of several arm values that has one.

        Parameters
        ----------
        starts
            (k, n_arm); None: the present ones.
        """
        if starts is None:
            return self._motion()
        robot, found = self.arm.robot, FreeMotion(None)
        for start in starts:
            with robot.env.lock(), robot.preserve_state(StateParts.TRANSFORMS):
                self.arm.arm_dof_values = start
                found = self._motion()
            if found:
                break
        return found

    def _motion(self) -> FreeMotion:
        """Return a motion from where the robot is."""
        query = self._query()
        robot = self.arm.robot
        parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
        with robot.env.lock(), robot.preserve_state(parts):
            first = FreeMotion(None)
            limited = self.most or self.most_each or self.free is not None
            if not limited:
                first = query.to_goal(list(self.goals.all))
                codes = PlanFailureCode
                if first or first.code not in {
                    codes.START_COLLISION,
                    codes.GOAL_COLLISION,
                    codes.GOAL_OUT_OF_REACH,
                }:
                    return self._with_goal(first)
            rows, which = self._solutions(self.goals.all)
            if self.goal_jitter and not self._free(rows).any():
                rows, which = self._moved_solutions(rows, which)
            if not len(rows):
                return first if first.cause else FreeMotion(None, self._no_solution())
            motion = query.to_values(rows[:_NEAREST] if self.most is None else rows)
            if motion.timed is None:
                return motion
            return replace(motion, goal=int(which[motion.goal]))

    def _query(self) -> JointQuery:
        options = dict(self.options)
        if self.region is not None:
            options["constraints"] = (self.region,)
        arm = self.arm
        return JointQuery(
            arm.robot,
            arm.arm_indices,
            self.jitter,
            self.tries,
            options,
            self.post_processing,
        )

    def _solutions(self, goals: Any) -> tuple[Array, Array]:
        """Return (k, n) IK solutions, the nearest first, and the goal of each."""
        arm = self.arm
        rows: list[Array] = []
        which: list[int] = []
        for k, goal in enumerate(goals):
            nearest = arm.solve_ik(goal, free=self.free)
            found = [] if nearest is None else [nearest]
            found += list(arm.find_ik(goal, free=self.free).solutions)
            found = found[: self.most_each]
            rows += found
            which += [k] * len(found)
        n = len(arm.arm_indices)
        values = np.array(rows).reshape(-1, n)
        away = np.abs(values - arm.arm_dof_values).sum(axis=1)
        order = np.argsort(away, kind="stable")[: self.most]
        return values[order], np.array(which, int)[order]

    def _free(self, rows: Array) -> Array:
        """Return True for each of the values (k, n) that does not collide."""
        if not len(rows):
            return np.zeros(0, bool)
        with checks_of(self.arm.robot, self.arm.arm_indices) as collide:
            return np.asarray(~collide(rows))

    def _moved_solutions(self, rows: Array, which: Array) -> tuple[Array, Array]:
        """Return free solutions of goals that were moved a little, if there are any."""
        rng = np.random.default_rng(self.options.get("seed", 0))
        for k in range(self.goal_tries):
            reach = self.goal_jitter * (k + 1) / self.goal_tries
            moved = [
                goal.transformed(_moved_about(goal, reach, rng))
                for goal in self.goals.all
            ]
            tried, owners = self._solutions(moved)
            free = self._free(tried)
            if free.any():
                return tried[free], owners[free]
        return rows, which

    def _no_solution(self) -> str:
        goal = self.goals.all[0]
        result = self.arm.find_ik(goal, free=self.free, nearest=True)
        others = len(self.goals.all) - 1
        also = f", and {others} more goals have none, either" if others else ""
        return f"the goal {goal.type.name} has no IK solution: {result.cause}{also}"

    def _with_goal(self, motion: FreeMotion) -> FreeMotion:
        """Return a motion with the goal that is nearest to where it ends."""
        if motion.timed is None:
            return motion
        arm, robot = self.arm, self.arm.robot
        ends = motion.timed.spec.extract_joint_values(
            motion.timed.get_waypoint(-1), robot, np.sort(arm.arm_indices)
        )
        assert ends is not None  # noqa: S101 - plans have joint values
        robot.set_dof_values(ends, np.sort(arm.arm_indices), limits=LimitCheck.NONE)
        away = [
            goal.distance2(arm.ik_parameterization(goal.type))
            for goal in self.goals.all
        ]
        return replace(motion, goal=int(np.argmin(away)))

    # -- bases ---------------------------------------------------------------------

    def with_base(self, affine: int) -> FreeMotion:
        """Return a motion of base and arm.

        Places of the base are drawn about the goals; those where the arm has a free
        solution are what the plan is for.

        Parameters
        ----------
        affine
            Bits of `Affine`: along x, y, z, and about the base's axis.
        """
        if affine & ~int(_PLANNED_TURNS):
            raise ArgumentError(
                f"affinedofs is {affine}, expected bits of Affine.X, Y, Z and "
                f"ROTATION_AXIS, {int(_PLANNED_TURNS)} at most"
            )
        if self.region is not None:
            raise ArgumentError(
                "constraints of the hand are not kept by bases that move"
            )
        if self.post_processing or self.goal_jitter or self.most_each:
            raise ArgumentError(
                "motions of the base are planned without postprocessing, jittergoal "
                "and goalsamples"
            )
        arm, robot = self.arm, self.arm.robot
        kind = Affine(affine)
        options = dict(self.options)
        parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
        with robot.env.lock(), robot.preserve_state(parts):
            robot.set_active_dofs(arm.arm_indices, kind)
            rows, which = self._base_solutions(kind)
            if not len(rows):
                return FreeMotion(
                    None,
                    f"at none of {_BASES} places of the base does the arm reach a goal "
                    "without a collision",
                )
            seed = options.pop("seed", 0)
            for k in range(self.tries):
                result = robot.plan(values=rows, seed=seed + k, **options)
                if result:
                    break
            if not result:
                return FreeMotion(None, result.cause)
            away = np.abs(rows - result.path[-1]).max(axis=1)
            return FreeMotion(result.trajectory, goal=int(which[np.argmin(away)]))

    def _base_solutions(self, kind: Affine) -> tuple[Array, Array]:
        """Return (k, n) free values of arm and base at which a goal is reached."""
        arm, robot = self.arm, self.arm.robot
        active, n = robot.active, len(arm.arm_indices)
        lower, upper = (bound[n:] for bound in active.limits)
        here = active.values
        axes = [k for k, bit in enumerate((Affine.X, Affine.Y, Affine.Z)) if kind & bit]
        reach = arm_reach(arm)
        rng = np.random.default_rng(self.options.get("seed", 0))
        rows: list[Array] = []
        which: list[int] = []
        most = self.most or _ENOUGH
        for k in range(_BASES):
            number = k % len(self.goals.all)
            goal = self.goals.all[number]
            base = here[n:].copy()
            if k >= len(self.goals.all):  # first where it is
                if kind & Affine.ROTATION_AXIS:
                    base[-1] = rng.uniform(
                        max(lower[-1], -np.pi), min(upper[-1], np.pi)
                    )
                    active.values = np.concatenate((here[:n], base))
                arm_at, base_at = arm.base.transform, robot.transform
                offset = (arm_at - base_at)[:3, 3]
                about = _place_of(goal, arm.transform[:3, 3]) - offset
                away = rng.uniform(-reach, reach, 3)
                base[: len(axes)] = (about + away)[axes]
                base = np.clip(base, lower, upper)
            active.values = np.concatenate((here[:n], base))
            for found in np.asarray(arm.find_ik(goal, free=self.free).solutions)[:3]:
                row = np.concatenate((found, base))
                active.values = row
                if not robot.env.check_collision(robot) and not (
                    robot.check_self_collision()
                ):
                    rows.append(row)
                    which.append(number)
                    break
            if len(rows) >= most:
                break
        active.values = here
        return np.array(rows).reshape(-1, len(here)), np.array(which, int)


def arm_reach(arm: Manipulator) -> float:
    """Return metres that no place of the tool is farther from the arm's base than."""
    points = [arm.base.transform[:3, 3]]
    slides = 0.0
    for joint in arm.arm_joints:
        points.append(np.asarray(joint.anchor))
        if joint.type in {"slider", "prismatic"}:
            lower, upper = joint.limits
            slides += float(np.abs(np.concatenate((lower, upper))).max())
    points.append(arm.transform[:3, 3])
    ways = np.diff(np.array(points), axis=0)
    return float(np.linalg.norm(ways, axis=1).sum()) + slides


def _place_of(goal: IkParameterization, default: Array) -> Array:
    """Return the place of a goal, the default if it has none."""
    numbers = goal.array
    name = goal.type.name
    if name.startswith("Transform6D"):
        return np.asarray(numbers[4:7])
    if name.startswith(("Translation3D", "Lookat3D")):
        return np.asarray(numbers[:3])
    if name.startswith(("TranslationDirection5D", "Ray4D")):
        return np.asarray(numbers[3:6])
    return default


def _moved_about(
    goal: IkParameterization, reach: float, rng: np.random.Generator
) -> Array:
    """Return a small motion by chance, about the place of a goal."""
    place = _place_of(goal, np.zeros(3))
    turn = matrix_from_axis_angle(rng.normal(size=3), rng.uniform(-reach, reach))
    moved = np.eye(4)
    moved[:3, :3] = turn
    moved[:3, 3] = place - turn @ place + rng.uniform(-reach, reach, 3)
    return moved
