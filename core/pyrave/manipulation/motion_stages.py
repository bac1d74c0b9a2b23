"""Stages of one purpose: fingers, lines, ways to a place, holding and letting go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.cards import counted
from pyrave.errors import ArgumentError
from pyrave.grasping.hands import as_manipulator, closing_rates, hand_links
from pyrave.interfaces.collision.touching_links import (
    NO_TOUCHES,
    TOUCHING,
    touches_of_held,
)
from pyrave.manipulation.closing_motion import near_pairs
from pyrave.manipulation.fingers import close
from pyrave.manipulation.fingers import open as open_fingers
from pyrave.manipulation.lines import collision_text, straight
from pyrave.manipulation.stages import Stage, Step
from pyrave.manipulation.weight_hold import WeightHold, friction_between
from pyrave.planning import PlanFailureCode, retime, verification
from pyrave.planning.moving_links import checks_of
from pyrave.spatial import as_direction, as_number, as_pose, as_vector
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import CollisionPair
    from pyrave.manipulation.fingers import FingerMotion
    from pyrave.manipulation.task import Task
    from pyrave.spatial import Array

_BRANCHES = 8
"""Largest number of IK solutions of a pose from which ways are looked for."""
_APART = 0.3
"""Radians or metres that one of them has to be from the others."""
_BALANCED = 0.5
"""Length of the mean of contact normals up to which they hold from several sides."""
_BESIDE = 2e-3
"""Metres up to which a finger counts as at a body: coupled ones stop together."""
_SAME = 1e-6
_STUCK = (
    PlanFailureCode.START_COLLISION,
    PlanFailureCode.START_CONSTRAINT,
    PlanFailureCode.START_LIMITS,
    PlanFailureCode.START_LOOPS,
)


class Move(Stage):
    """A free motion to a goal, as `Manipulator.plan` and `Robot.plan` find it.

    Parameters
    ----------
    mover
        A manipulator or a robot.
    goal
        As its `plan` takes it.
    name
        As causes name it.
    **options
        Of `plan`, without `seed` and `timeout`: ``values=``, ``constraints=``, ...
    """

    def __init__(
        self,
        mover: Manipulator | Robot,
        goal: Any = None,
        *,
        name: str = "move",
        **options: Any,
    ) -> None:
        super().__init__(name)
        self.mover, self.goal, self.options = mover, goal, options

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the one motion that is found."""
        result = self.mover.plan(
            self.goal, seed=task.seed, timeout=task.search_time, **self.options
        )
        if result:
            yield [Step(self.name, result.trajectory, is_verified=True)]
        else:
            task.reject(result.cause)


class Straight(Stage):
    """A straight motion of the tool, as far as it can go; see `move_straight`.

    Parameters
    ----------
    arm
        Whose tool.
    direction
        (3,) in the world, or in the tool.
    at_least, at_most
        Metres that the tool has to go, and may go.
    in_tool
        Take the direction in the tool where the stage begins.
    name
        As causes name it.
    """

    def __init__(
        self,
        arm: Manipulator,
        direction: ArrayLike,
        at_least: float,
        at_most: float,
        *,
        in_tool: bool = False,
        name: str = "line",
    ) -> None:
        super().__init__(name)
        self.arm, self.in_tool = arm, in_tool
        self.direction = as_direction(direction, "direction")
        self.at_most = as_number(at_most, "at_most", 0.0)
        self.at_least = as_number(at_least, "at_least", 0.0, self.at_most)

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the longest line."""
        arm, way = self.arm, self.direction
        if self.at_most == 0.0:
            yield []
            return
        if self.in_tool:
            way = arm.transform[:3, :3] @ way
        start, least, most = arm.arm_dof_values, self.at_least, self.at_most
        line = straight(arm, start, way, least, most, TOUCHING)
        if line:
            yield [Step(self.name, line.trajectory, is_verified=True)]
        elif least == 0.0:
            yield []
        else:
            task.reject(line.cause)


class Approach(Stage):
    """A free motion to the begin of a line, and along it to a pose of the tool.

    Poses, their IK solutions and lines are tried before searches, as they take less.

    Parameters
    ----------
    arm
        Whose tool.
    poses
        (4, 4) T_world_tool, looked at as they are needed.
    direction
        (3,) of the line, in the world.
    at_least, at_most
        Metres of it.
    names
        Of the two steps; the second is that of the stage.
    fits
        Asked once for each pose, with the arm there, before ways are looked for:
        returns False, and rejects, where what follows is in vain, as a `Grip` may be.
    constraints
        What the free motion keeps, as `Manipulator.plan` takes it: `ToolDirection()`
        keeps upright what is held, however it is held. Lines do not turn the tool.
    """

    def __init__(
        self,
        arm: Manipulator,
        poses: Iterable[ArrayLike],
        direction: ArrayLike,
        at_least: float = 0.02,
        at_most: float = 0.1,
        *,
        names: tuple[str, str] = ("move", "approach"),
        fits: Callable[[Task], bool] | None = None,
        constraints: Any = (),
    ) -> None:
        super().__init__(names[1])
        self.fits, self.constraints = fits, constraints
        self.is_stuck = False
        """True if no motion can begin where the robot is: no other pose will do."""
        self.arm, self.poses, self.names = arm, poses, names
        self.direction = as_direction(direction, "direction")
        self.at_most = as_number(at_most, "at_most", 0.0)
        self.at_least = as_number(at_least, "at_least", 0.0, self.at_most)

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield ways to each pose, by each of its IK solutions."""
        for pose in self.poses:
            branches = self._branches(task, as_pose(pose, "pose"))
            if branches and not self._fits(task, branches[0]):
                continue
            for values in branches:
                yield from self._ways(task, values)
                if task.left <= 0.0 or self.is_stuck:
                    return

    def can_reach(self, task: Task) -> bool:
        """Return True if the arm can be at one of the poses; reject each if not."""
        return any(len(self._branches(task, as_pose(p, "pose"))) for p in self.poses)

    def _fits(self, task: Task, values: Array) -> bool:
        """Return True if what follows may do at a pose, whichever way leads to it."""
        if self.fits is None:
            return True
        robot = self.arm.robot
        with robot.preserve_state(StateParts.TRANSFORMS):
            robot.set_dof_values(values, self.arm.arm_indices)
            return self.fits(task)

    def _branches(self, task: Task, pose: Array) -> list[Array]:
        """Return free IK solutions of a pose that differ, the nearest first."""
        arm = self.arm
        rows = arm.solve_ik(pose, all=True)
        if not len(rows):
            task.reject(
                "the pose has no IK solution",
                details=lambda: next(iter(arm.find_ik(pose).reasons), "no reason"),
            )
            return []
        checker, kind = arm.robot.env.collision_checker, "IK solution"
        held = NO_TOUCHES
        if arm.robot.grabbed:
            held = touches_of_held(arm.robot, TOUCHING)
        with checker.allowing(held), checks_of(arm.robot, arm.arm_indices) as collide:
            hits = collide(rows)
        if hits.all():
            with checker.allowing(held):
                task.reject(
                    f"the arm collides at the pose, with {counted(len(rows), kind)}",
                    progress=0.2,
                    details=lambda: collision_text(arm, rows[0]),
                )
            return []
        free = rows[~hits]
        weights = arm.robot.dof_weights[arm.arm_indices]
        away = np.linalg.norm(weights * (free - arm.arm_dof_values), axis=1)
        chosen: list[Array] = []
        for row in free[np.argsort(away, kind="stable")]:
            if all(np.abs(row - other).max() >= _APART for other in chosen):
                chosen.append(row)
            if len(chosen) == _BRANCHES:
                break
        return chosen

    def _ways(self, task: Task, values: Array) -> Iterator[Sequence[Step]]:
        arm, begin = self.arm, values
        last = []
        if self.at_most > 0.0:
            line = straight(
                arm,
                values,
                -self.direction,
                self.at_least,
                self.at_most,
                TOUCHING,
                reverse=True,
            )
            if line:
                begin = line.values[-1]
                last = [Step(self.names[1], line.trajectory, is_verified=True)]
            elif self.at_least > 0.0:
                task.reject(
                    f"the line to the pose, backwards: {line.cause}", progress=0.4
                )
                return
        found = arm.plan(
            values=begin,
            seed=task.seed,
            timeout=task.search_time,
            constraints=self.constraints,
        )
        if not found:
            task.reject(f"{self.names[0]}: {found.cause}", progress=0.6)
            failure = found.failure
            self.is_stuck = failure is not None and failure.code in _STUCK
            return
        yield [Step(self.names[0], found.trajectory, is_verified=True), *last]


class Fingers(Stage):
    """The gripper goes to values, or opens as far as it can.

    Parameters
    ----------
    arm
        With gripper joints.
    values
        (n_gripper,); None: it opens.
    name
        As causes name it.
    """

    def __init__(
        self, arm: Manipulator, values: ArrayLike | None = None, *, name: str = "open"
    ) -> None:
        super().__init__(name)
        closing_rates(arm)
        self.arm = arm
        count = len(arm.gripper_indices)
        self.values = None if values is None else as_vector(values, count, "values")

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the motion, which is left out if the fingers are there."""
        arm, present = self.arm, self.arm.gripper_dof_values
        if self.values is None:
            opened = open_fingers(arm)
            if not opened:
                task.reject(opened.cause)
                return
            motion, values = opened.trajectory, opened.values
        else:
            values = self.values
            rows = np.vstack((present, values))
            motion = retime(arm.robot, rows, arm.gripper_indices)
            found = verification(arm.robot, motion)
            if not found:
                task.reject(found.cause)
                return
        if np.abs(values - present).max() <= _SAME:
            yield []
        else:
            yield [Step(self.name, motion, is_verified=True)]


class Grip(Stage):
    """The fingers close on a body, which the hand then holds.

    Where friction is known, and the body has a mass, contacts have to hold its weight,
    see `pyrave.grasping.Closure.hold`, with normal forces that the torque limits of the
    gripper give. Else they have to touch it from several sides.

    Parameters
    ----------
    arm
        With gripper joints.
    body
        What it holds afterwards.
    friction
        Coulomb's coefficient; None: that of `Environment.contact_properties`, if they
        have one for the fingers and the body.
    acceleration
        m/s² in any direction that they have to hold as well, where friction is known.
    name
        As causes name it.
    """

    def __init__(
        self,
        arm: Manipulator,
        body: KinBody,
        *,
        friction: float | None = None,
        acceleration: float = 0.0,
        name: str = "close",
    ) -> None:
        super().__init__(name)
        closing_rates(arm)
        self.arm, self.body = arm, body
        self.friction = None if friction is None else as_number(friction, "friction", 0)
        self.acceleration = as_number(acceleration, "acceleration", 0.0)
        self._load: WeightHold | None = None

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield closing and holding."""
        closed = self.closed(task)
        if closed is not None:
            yield self.steps(closed)

    def steps(self, closed: FingerMotion) -> list[Step]:
        """Return closing and holding."""
        close_it = Step(self.name, closed.trajectory, is_verified=True)
        links, hand = tuple(link.name for link in hand_links(self.arm)), self.arm
        held = Step("attach", grab=self.body, link=hand.end_effector, spared=links)
        return [close_it, held]

    def closed(self, task: Task) -> FingerMotion | None:
        """Return the motion of the fingers; reject it if they do not hold the body."""
        arm, name = self.arm, self.body.name
        closed = close(arm)
        if not closed:
            task.reject(closed.cause, stage=self.name)
            return None
        with arm.robot.preserve_state(StateParts.TRANSFORMS):
            arm.gripper_dof_values = closed.values
            pairs = near_pairs(hand_links(arm), _BESIDE, self.body)
        load = self._known_load() if pairs else None
        if load is not None:
            lack = load.lack(closed.values)
            if not lack:
                return closed
            task.reject(f"{name!r}: {lack}", progress=0.5, stage=self.name)
            return None
        if _holds(pairs):
            return closed
        stops = ", ".join(map(str, closed.stops))
        sides = ", ".join(pair.first.link_name for pair in pairs)
        task.reject(
            f"the fingers do not hold {name!r} from several sides: "
            f"{sides or 'nothing'} touches it ({stops})",
            progress=0.5,
            stage=self.name,
        )
        return None

    def _known_load(self) -> WeightHold | None:
        """Return the load to hold with friction, None where it is not known."""
        if self._load is None and any(link.mass > 0.0 for link in self.body.links):
            friction = self.friction
            if friction is None:
                friction = friction_between(self.arm, self.body)
            if friction is not None:
                load = WeightHold(self.arm, self.body, friction, self.acceleration)
                self._load = load
        return self._load


class LetGo(Stage):
    """The hand lets go of a body, and its fingers open.

    Parameters
    ----------
    arm
        With gripper joints.
    body
        What it holds.
    name
        As causes name it.
    """

    def __init__(self, arm: Manipulator, body: KinBody, *, name: str = "open") -> None:
        super().__init__(name)
        closing_rates(arm)
        self.arm, self.body = arm, body

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield letting go and opening."""
        if not self.arm.is_grabbing(self.body):
            task.reject(f"{self.arm!r} does not hold {self.body.name!r}")
            return
        release = [Step("release", release=self.body)]
        with task.after(release):
            opened = open_fingers(self.arm)
        if opened:
            yield [*release, Step(self.name, opened.trajectory, is_verified=True)]
        else:
            task.reject(opened.cause)


def _holds(pairs: Sequence[CollisionPair]) -> bool:
    """Return True if contacts push from several sides, not all the same way."""
    normals = np.array([one.normal for pair in pairs for one in pair.contacts])
    if len(normals) < 2:
        return False
    return float(np.linalg.norm(normals.mean(axis=0))) <= _BALANCED


def as_arm(arm: Any) -> Manipulator:
    """Return a manipulator with a gripper that closes, checked."""
    found = as_manipulator(arm)
    closing_rates(found)
    if not len(found.arm_indices):
        raise ArgumentError(
            f"{arm!r} has no arm joints, expected an arm with a gripper"
        )
    return found
