"""Pick and place: tasks of several stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.cards import counted
from pyrave.errors import ArgumentError, StateError, shown
from pyrave.grasping import Grasp
from pyrave.grasping.hands import as_target
from pyrave.manipulation.generated_grasps import box_grasps
from pyrave.manipulation.motion_stages import (
    Approach,
    Fingers,
    Grip,
    LetGo,
    Straight,
    as_arm,
)
from pyrave.manipulation.stages import Series, Stage, Step
from pyrave.manipulation.task import Task, TaskResult, solve
from pyrave.planning import TaskSpaceRegion
from pyrave.spatial import as_number, as_pose, as_vector, invert_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.spatial import Array

_UP = (0.0, 0.0, 1.0)
_NEAR = (0.02, 0.1)
"""Metres of the straight motions next to a body, at least and at most."""
_SAME = 1e-9
_DRAWN = 50
"""Places of a region that are drawn at most."""


class Pick(Stage):
    """Take hold of a body and lift it: open, move, approach, close, attach, lift.

    Parameters
    ----------
    arm
        With gripper joints and a closing direction.
    body
        That stands or lies anywhere, or its name.
    grasps
        The best first; a `Grasp` without `preshape` opens the hand as far as it can.
        None: made from the box of the body.
    approach
        Metres of the straight way to the grasp, at least and at most.
    lift
        Metres of the straight way upwards.
    constraints
        What the free motion to the body keeps, see `Approach`.
    friction, acceleration
        With which the fingers have to hold the body, see `Grip`.
    """

    def __init__(
        self,
        arm: Manipulator,
        body: KinBody | str,
        grasps: Iterable[Grasp] | None = None,
        *,
        approach: tuple[float, float] = _NEAR,
        lift: tuple[float, float] = _NEAR,
        constraints: Any = (),
        friction: float | None = None,
        acceleration: float = 0.0,
    ) -> None:
        super().__init__("pick")
        self.constraints = constraints
        self.arm = as_arm(arm)
        self.body = as_target(arm, body, "body")
        self.grasps = None if grasps is None else as_grasps(arm, grasps)
        self.approach = _range(approach, "approach")
        self.lift = _range(lift, "lift")
        self.grip = Grip(
            self.arm, self.body, friction=friction, acceleration=acceleration
        )

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the steps that each grasp leads to."""
        arm, body = self.arm, self.body
        if body.holder is not None:
            task.reject(f"{body.holder!r} holds {body.name!r} already")
            return
        held = [one.name for one in arm.robot.grabbed if arm.is_grabbing(one)]
        if not held:
            yield from self._taking(task)
            return
        # trays carry more than one; causes begin with what is likely to be in the way
        with task.choosing(f"{', '.join(map(repr, held))} still in the hand"):
            yield from self._taking(task)

    def _taking(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the steps that each grasp leads to, with whatever the hand holds."""
        arm, body = self.arm, self.body
        target = body.transform
        grasps = box_grasps(arm, body) if self.grasps is None else self.grasps
        grip, coming = self.grip, task.following

        def fits(task: Task) -> bool:
            closed = grip.closed(task)
            if closed is None or coming is None or not isinstance(coming.stage, Place):
                return closed is not None
            with task.ahead(coming, grip.steps(closed), "lower"):
                return coming.stage.may_do(task)

        opened: dict[bytes, list[Sequence[Step]]] = {}
        stuck: set[bytes] = set()
        number = 0
        for number, grasp in enumerate(grasps, 1):
            if task.left <= 0.0:
                return
            pose, shape = grasp.hand_pose(target), grasp.preshape
            way = pose[:3, :3] @ grasp.approach
            if shape.tobytes() in stuck:
                continue
            approach = Approach(
                arm,
                [pose],
                way,
                *self.approach,
                fits=fits,
                constraints=self.constraints,
            )
            rest = Series(
                approach,
                grip,
                Straight(arm, _UP, *self.lift, name="lift"),
            )
            with task.choosing(f"grasp {number} ({_side(way)})"):
                if shape.tobytes() not in opened:
                    fingers = Fingers(arm, shape if len(shape) else None)
                    opened[shape.tobytes()] = list(task.tries(fingers))
                for steps in opened[shape.tobytes()]:
                    with task.after(steps):
                        for more in rest.solutions(task):
                            yield [*steps, *more]
                    if approach.is_stuck:
                        stuck.add(shape.tobytes())
        if not number:
            off = not any(link.enabled for link in body.links)
            why = ", whose links are all disabled" if off else ""
            task.reject(f"there are no grasps of {body.name!r}{why}")


class Place(Stage):
    """Put a body down that the arm holds: transfer, lower, release, open, retreat.

    Parameters
    ----------
    arm
        With gripper joints and a closing direction.
    body
        Or its name.
    where
        T_world_body, (4, 4) or qw qx qy qz x y z, several of them, the best first, or a
        `TaskSpaceRegion` of the body's frame, in which places are drawn at random.
    lower
        Metres of the straight way downwards, at least and at most.
    retreat
        Metres of the straight way back from the body.
    constraints
        What the free motion to the place keeps, see `Approach`: `ToolDirection(angle=)`
        keeps the body from tilting further than by an angle.
    """

    def __init__(
        self,
        arm: Manipulator,
        body: KinBody | str,
        where: ArrayLike | TaskSpaceRegion,
        *,
        lower: tuple[float, float] = _NEAR,
        retreat: tuple[float, float] = _NEAR,
        constraints: Any = (),
    ) -> None:
        super().__init__("place")
        self.constraints = constraints
        self.arm = as_arm(arm)
        self.body = as_target(arm, body, "body")
        self.where = as_places(where)
        self.lower = _range(lower, "lower")
        self.retreat = _range(retreat, "retreat")

    def solutions(self, task: Task) -> Iterator[Sequence[Step]]:
        """Yield the steps that each place leads to."""
        arm, body = self.arm, self.body
        if not arm.is_grabbing(body):
            task.reject(f"{arm!r} does not hold {body.name!r}")
            return
        for number, place in enumerate(self._places(task), 1):
            if task.left <= 0.0:
                return
            transfer = self._transfer(place)
            with task.choosing(f"place {number} (at {_at(place)})"):
                yield from Series(
                    transfer,
                    LetGo(arm, body),
                    Straight(
                        arm, -arm.direction, *self.retreat, in_tool=True, name="retreat"
                    ),
                ).solutions(task)
            if transfer.is_stuck:
                return

    def may_do(self, task: Task) -> bool:
        """Return False, and reject, if the arm can be at no place with what it holds.

        Of a region those places are asked that `solutions` draws.
        """
        if not self.arm.is_grabbing(self.body):
            return True
        for number, place in enumerate(self._places(task), 1):
            if task.left <= 0.0:
                return False
            with task.choosing(f"place {number} (at {_at(place)})"):
                if self._transfer(place).can_reach(task):
                    return True
        return False

    def _transfer(self, place: Array) -> Approach:
        """Return the stage that brings the body to a place."""
        held = invert_pose(self.body.transform) @ self.arm.transform
        names = ("transfer", "lower")
        poses, down = [place @ held], np.negative(_UP)
        return Approach(
            self.arm,
            poses,
            down,
            *self.lower,
            names=names,
            constraints=self.constraints,
        )

    def _places(self, task: Task) -> tuple[Array, ...]:
        """Return the places, those of a region drawn once in a task."""
        where = self.where
        if not isinstance(where, TaskSpaceRegion):
            return where
        known = task.drawn.get(self)
        if known is None:
            least, greatest = where.bounds[:, 0], where.bounds[:, 1]
            rows = task.rng.uniform(least, greatest, (_DRAWN, len(least)))
            known = task.drawn[self] = tuple(where.pose(row) for row in rows)
        return known


def pick(
    arm: Manipulator,
    body: KinBody | str,
    grasps: Iterable[Grasp] | None = None,
    *,
    approach: tuple[float, float] = _NEAR,
    lift: tuple[float, float] = _NEAR,
    constraints: Any = (),
    friction: float | None = None,
    acceleration: float = 0.0,
    timeout: float = 10.0,
    seed: int = 0,
) -> TaskResult:
    """Return the motion that takes hold of a body and lifts it, or why there is none.

    Grasps, IK solutions and ways are tried with backtracking. Nothing changes;
    ``robot.execute(result)`` does it. ``solve(robot, Pick(...), Place(...))`` also
    looks for a grasp with which the body can be put down where it shall be.

    Parameters
    ----------
    arm, body, grasps, approach, lift, constraints, friction, acceleration
        As for `Pick`.
    timeout, seed
        As for `solve`.

    Returns
    -------
    TaskResult
        False, with a cause that names stage, grasp and reason, if none was found.

    Raises
    ------
    ArgumentError
        The arm has no gripper that closes, the body has no geometry, grasps are none.
    StateError
        Something is in no environment, or the body is held already.
    """
    stage = Pick(
        arm,
        body,
        grasps,
        approach=approach,
        lift=lift,
        constraints=constraints,
        friction=friction,
        acceleration=acceleration,
    )
    holder = stage.body.holder
    if holder is not None:
        raise StateError(
            f"{holder!r} holds {stage.body!r} already; release it before it is picked"
        )
    return solve(arm.robot, stage, timeout=timeout, seed=seed)


def place(
    arm: Manipulator,
    body: KinBody | str,
    where: ArrayLike | TaskSpaceRegion,
    *,
    lower: tuple[float, float] = _NEAR,
    retreat: tuple[float, float] = _NEAR,
    constraints: Any = (),
    timeout: float = 10.0,
    seed: int = 0,
) -> TaskResult:
    """Return the motion that puts down what an arm holds, or why there is none.

    Nothing changes; ``robot.execute(result)`` does it.

    Parameters
    ----------
    arm, body, where, lower, retreat, constraints
        As for `Place`.
    timeout, seed
        As for `solve`.

    Returns
    -------
    TaskResult
        False, with a cause that names stage, place and reason, if none was found.

    Raises
    ------
    ArgumentError
        The arm has no gripper that closes, or places are no poses.
    StateError
        Something is in no environment, or the arm does not hold the body.
    """
    stage = Place(
        arm, body, where, lower=lower, retreat=retreat, constraints=constraints
    )
    if not arm.is_grabbing(stage.body):
        raise StateError(
            f"{arm!r} does not hold {stage.body!r}; pick it, or robot.grab(body) first"
        )
    return solve(arm.robot, stage, timeout=timeout, seed=seed)


def as_grasps(arm: Manipulator, grasps: Any) -> tuple[Grasp, ...]:
    """Return grasps for a hand, checked."""
    every = tuple(grasps) if isinstance(grasps, Iterable) else (grasps,)
    lower, upper = (some[arm.gripper_indices] for some in arm.robot.dof_limits)
    for number, one in enumerate(every, 1):
        if not isinstance(one, Grasp):
            raise ArgumentError(
                f"a grasp is {shown(one)}, expected a pyrave.grasping.Grasp"
            )
        shape = one.preshape
        if len(shape) not in {0, len(lower)}:
            raise ArgumentError(
                f"grasp {number} has a preshape of {counted(len(shape), 'value')}, and "
                f"{arm!r} has {counted(len(lower), 'gripper joint')}: it is of another "
                "hand"
            )
        if len(shape) and ((shape < lower - _SAME) | (shape > upper + _SAME)).any():
            raise ArgumentError(
                f"grasp {number} has the preshape {shape.tolist()}, expected values "
                f"from {lower.tolist()} to {upper.tolist()}"
            )
    return every


def as_places(where: Any) -> tuple[Array, ...] | TaskSpaceRegion:
    """Return poses (4, 4) of one or several, checked, or a region that has a size."""
    if isinstance(where, TaskSpaceRegion):
        least, greatest = where.bounds[:, 0], where.bounds[:, 1]
        return where if (least < greatest).any() else (where.pose(least),)
    try:
        given = np.asarray(where, dtype=object if isinstance(where, str) else None)
    except ValueError:
        given = np.empty(0)  # some poses are matrices, others are not
    is_row = given.ndim == 1 and given.size > 0 and given.dtype.kind in "if"
    if is_row or given.shape == (4, 4):
        return (as_pose(where, "where"),)
    if not isinstance(where, Iterable) or isinstance(where, str):
        raise ArgumentError(
            f"where is {shown(where)}, expected a pose of the body, several, or a "
            "pyrave.planning.TaskSpaceRegion"
        )
    places = tuple(as_pose(one, f"where[{k}]") for k, one in enumerate(where))
    if not places:
        raise ArgumentError("where has no places")
    return places


def _range(given: Any, name: str) -> tuple[float, float]:
    if np.asarray(given, object).shape != (2,):
        raise ArgumentError(f"{name} is {shown(given)}, expected metres: (least, most)")
    least, most = as_vector(given, 2, name).tolist()
    most = as_number(most, f"{name}[1]", 0.0)
    return as_number(least, f"{name}[0]", 0.0, most), most


def _side(way: Array) -> str:
    """Return from where a hand comes, in words."""
    if abs(way[2]) > 0.7:
        return "from above" if way[2] < 0.0 else "from below"
    return f"from the side, along {_at_direction(way)}"


def _at_direction(way: Array) -> str:
    return " ".join(f"{x:.2f}" for x in way)


def _at(place: Array) -> str:
    return " ".join(f"{x:.3g}" for x in place[:3, 3])
