"""Grasps of a body by a hand, made one after the other in compiled loops."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.grasping.approach import as_count, hand_poses, noisy
from pyrave.grasping.closure import Closure
from pyrave.grasping.contacts import ContactSet
from pyrave.grasping.grasp import Grasp
from pyrave.grasping.grasp_set import GraspSet
from pyrave.grasping.hands import TOUCH, as_target, closing_rates, hand_links
from pyrave.grasping.kernels.grip import COLLIDES
from pyrave.jit import Kernel
from pyrave.jit.addresses import address_of
from pyrave.planning.query.arguments import as_seed
from pyrave.planning.search.joint_space import JointSpace
from pyrave.spatial import (
    Array,
    as_array,
    as_direction,
    as_number,
    as_pose,
    as_rows,
    as_vector,
    invert_pose,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link

_grip = Kernel(
    "pyrave.grasping.kernels.grip", "grip", "hands that close", 8, whole=True
)
KERNELS = {"hands-that-close": _grip}
"""Kernels that `pyrave warm` compiles."""
_LOOSE, _MARGIN = 1e-5, 5e-5
_RETREAT = 2e-5
"""Metres by which a hand goes back at least from what it touched."""
_MAX_CONTACTS = 256
_SHORTEST = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A way to try a grasp.

    Parameters
    ----------
    T_target_hand
        (4, 4) where the hand is, or to where it comes.
    approach
        (3,) unit direction in the hand in which it comes.
    standoff
        Metres that it goes back from where it touched.
    preshape
        (k,) values of the gripper's joints at first.
    """

    T_target_hand: Array
    approach: Array
    standoff: float
    preshape: Array


class Grasper:
    """A hand and a body in a world of their own, where grasps are tried.

    The environment stays as it is: both are copied when this is made. Of a robot only
    the hand counts. One thread at a time.

    Parameters
    ----------
    arm
        A manipulator with gripper joints.
    target
        The body or its name, in the same environment.
    friction
        Coulomb's coefficient of contacts.
    length
        Metres by which torques are divided in scores; None: half the diagonal of the
        target's box.
    center
        (3,) about which torques are, in the frame of the target; None: its centre of
        mass, or the middle of its box if it has no mass.
    closing
        (k,) rates with which the gripper's joints close; None:
        `Manipulator.chucking_direction`.
    edges, exact
        Of friction cones, see `Closure`.
    tolerance
        Metres at which fingers touch.

    Raises
    ------
    ArgumentError
        No manipulator or none with gripper joints, nothing that closes, a target
        without geometry, or a number without a meaning.
    StateError
        The robot or the target is in no environment, or another body holds the target.
    NotSupportedError
        The collision checker has no compiled distances.
    """

    def __init__(
        self,
        arm: Manipulator,
        target: KinBody | str,
        *,
        friction: float = 0.5,
        length: float | None = None,
        center: ArrayLike | None = None,
        closing: ArrayLike | None = None,
        edges: int = 8,
        exact: bool = False,
        tolerance: float = TOUCH,
    ) -> None:
        rates = closing_rates(arm, closing)
        target = as_target(arm, target)
        box = _box(target)
        self.friction = as_number(friction, "friction", 0.0)
        half = float(np.linalg.norm(box[1]))
        self.length = half if length is None else as_number(length, "length", 1e-9)
        middle = _center(target, box[0]) if center is None else center
        self.center = as_vector(middle, 3, "center").copy()
        self._options: dict[str, Any] = {"edges": edges, "exact": exact}
        Closure(ContactSet(), length=self.length, edges=edges, exact=exact)
        near = as_number(tolerance, "tolerance", 1e-9, 1e-3)
        self.arm, self.target = arm, target
        self._copy(arm, target)
        robot, gripper = self._robot, self._arm.gripper_indices
        lower, upper = (one[gripper] for one in robot.dof_limits)
        ends = np.where(rates > 0.0, upper, lower)
        for k in np.flatnonzero((rates != 0.0) & np.isinf(ends))[:1]:
            raise ArgumentError(
                f"joint {robot.dof_names[gripper[k]]!r} of {arm!r} has no limit in the "
                "direction in which it closes; robot.dof_limits = lower, upper sets one"
            )
        self._fingers = np.stack((robot.dof_values[gripper], rates, lower, upper))
        self._start = self._fingers[0].copy()
        affects = robot.model.dof_affects[gripper]
        self._affects = np.ascontiguousarray(affects, np.int32)
        moved: list[bool] = np.any(affects, axis=0).tolist()
        self._finger_names = {one.name for one in robot.links if moved[one.index]}
        self._settings = np.array((0.0, 0.0, near, _LOOSE, _MARGIN))
        self._size = half + _reach(self._arm, self._hand)
        self._found = np.empty((_MAX_CONTACTS, 12))

    def _copy(self, arm: Manipulator, target: KinBody) -> None:
        """Make a world of a hand and a target alone."""
        env = arm.robot.env.clone()
        self._env: Any = env
        self._robot = robot = env.robots[arm.robot.name]
        self._target = aim = env.bodies[target.name]
        robot.release_all()
        for body in list(env.bodies):
            if body is not robot and body is not aim:
                env.remove(body)
        aim.transform = np.eye(4)
        self._arm = robot.manipulators[arm.name]
        self._hand = hand_links(self._arm)
        for link in robot.links:
            link.enabled = link.enabled and link in self._hand
        robot.set_active_dofs(self._arm.gripper_indices)
        self._T_base_hand = invert_pose(robot.transform) @ self._arm.transform
        checker = env.collision_checker
        try:
            self._space = JointSpace(robot)
            compiled = checker.compiled(robot)
        except NotSupportedError as error:
            raise NotSupportedError(
                f"{arm!r} cannot be closed in compiled loops: {error}"
            ) from error
        if compiled.near_points is None:
            raise NotSupportedError(
                f"{checker!r} has no compiled distances, which contacts need; "
                "env.collision_checker = 'native' has them"
            )
        self._near_points = compiled.near_points()
        # rows of solids in the packed world: links of the hand, and the target
        table, world = env.world.tables.geometries, env.world
        own, aims = world.links_of(robot.id), world.links_of(aim.id)
        links = np.asarray(table.link)
        self._row_links = np.where(
            (links >= own.start) & (links < own.stop), links - own.start, -1
        ).astype(np.int32)
        self._is_target = (links >= aims.start) & (links < aims.stop)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the gripper's degrees of freedom, in the order of values."""
        names = self._robot.dof_names
        return tuple(names[k] for k in self._arm.gripper_indices)

    @property
    def approach_distance(self) -> float:
        """Metres before where a hand is to be at which it begins to come."""
        return float(self._size)

    def grasp(
        self,
        T_target_hand: ArrayLike,  # noqa: N803 - a frame
        *,
        approach: ArrayLike | None = None,
        standoff: float | None = None,
        preshape: ArrayLike | None = None,
    ) -> Grasp | None:
        """Return the grasp that comes about at a pose of the hand, None if none does.

        Parameters
        ----------
        T_target_hand
            (4, 4) or a 7-vector: where the hand closes, or the goal of its approach.
        approach
            (3,) direction in the hand in which it comes; `Manipulator.direction` unless
            given.
        standoff
            The hand comes from outside along `approach` until it touches, or is at the
            pose, and goes as far back, metres. None: it closes at the pose.
        preshape
            (k,) values of the gripper's joints at first; those that it had when this
            was made, unless given.

        Returns
        -------
        Grasp
            With the scores ``epsilon`` and ``contacts``. None if the hand collides
            where it starts, or no finger touches the target.

        Raises
        ------
        ArgumentError
            Something is no pose, no direction, not finite, or beyond limits.
        """
        way = self._arm.direction if approach is None else approach
        shape = self._start if preshape is None else self._checked(preshape)
        pose = as_pose(T_target_hand, "T_target_hand")
        far = -1.0 if standoff is None else as_number(standoff, "standoff", 0.0)
        return self.attempt(Candidate(pose, as_direction(way, "approach"), far, shape))

    def grasps(
        self,
        rays: ArrayLike,
        *,
        rolls: ArrayLike = 0.0,
        standoffs: ArrayLike = 0.0,
        preshapes: ArrayLike | None = None,
        directions: ArrayLike | None = None,
        noise: tuple[float, float] = (0.0, 0.0),
        seed: int = 0,
        least: float = 0.0,
        limit: int | None = None,
    ) -> GraspSet:
        """Return the grasps of all combinations with force closure, the best first.

        Parameters
        ----------
        rays
            (n, 6) points and directions in the frame of the target, see `box_rays`.
        rolls
            Angles about them, see `roll_angles`.
        standoffs
            Metres.
        preshapes
            (m, k); the gripper's values when this was made, unless given.
        directions
            (m, 3) in the hand, which go along rays; `Manipulator.direction` unless
            given.
        noise
            Metres and radians by which poses are off by chance, see `noisy`.
        seed
            Of the noise.
        least
            ``epsilon`` that a grasp has to have at least; with 0 any that is above.
            Below 0 all grasps that touch count.
        limit
            Number of grasps at which to stop.

        Raises
        ------
        ArgumentError
            As `grasp`.
        """
        found = []
        tries = self.candidates(
            rays,
            rolls=rolls,
            standoffs=standoffs,
            preshapes=preshapes,
            directions=directions,
            noise=noise,
            seed=seed,
        )
        bound = as_number(least, "least")
        most = math.inf if limit is None else as_count(limit, "limit")
        for one in tries:
            grasp = self.attempt(one)
            if grasp is None or grasp.scores["epsilon"] < bound:
                continue
            if bound == 0.0 and grasp.scores["epsilon"] <= 0.0:
                continue
            found.append(grasp)
            if len(found) >= most:
                break
        return GraspSet(found, self.describe()).sorted("epsilon")

    def candidates(
        self,
        rays: ArrayLike,
        *,
        rolls: ArrayLike = 0.0,
        standoffs: ArrayLike = 0.0,
        preshapes: ArrayLike | None = None,
        directions: ArrayLike | None = None,
        noise: tuple[float, float] = (0.0, 0.0),
        seed: int = 0,
    ) -> Iterator[Candidate]:
        """Yield all combinations that `grasps` tries, in its order."""
        lines = as_array(rays, (None, 6), "rays")
        turns = as_array(np.atleast_1d(rolls), (None,), "rolls")
        backs = as_array(np.atleast_1d(standoffs), (None,), "standoffs")
        if (backs < 0.0).any():
            raise ArgumentError(f"standoffs has {backs.min():g}, expected 0 or more")
        k = len(self._start)
        given = self._start[None] if preshapes is None else preshapes
        shapes = [self._checked(one) for one in as_rows(given, (k,), "preshapes")]
        ways = self._arm.direction if directions is None else directions
        ways = as_rows(ways, (3,), "directions")
        n, first = len(lines), as_seed(seed)
        off: list[float] = as_vector(noise, 2, "noise").tolist()
        for way in ways:
            unit = way / max(float(np.linalg.norm(way)), _SHORTEST)
            poses = [hand_poses(lines, way, np.full(n, turn)) for turn in turns]
            if any(off):
                poses = [
                    noisy(some, *off, seed=first + i) for i, some in enumerate(poses)
                ]
            for shape, back, some in itertools.product(shapes, backs.tolist(), poses):
                for pose in some:
                    yield Candidate(pose, unit, back, shape)

    def attempt(self, one: Candidate) -> Grasp | None:
        """Return the grasp that a candidate ends in, None if it ends in none."""
        pose, shape = as_pose(one.T_target_hand), self._checked(one.preshape)
        base = pose @ invert_pose(self._T_base_hand)
        way = pose[:3, :3] @ as_vector(one.approach, 3, "approach")
        comes = one.standoff >= 0.0
        self._settings[0] = self._size if comes else 0.0
        self._settings[1] = max(one.standoff, _RETREAT)
        self._fingers[0] = shape
        k = len(shape)
        final, stops = np.empty(k), np.zeros(k, np.int32)
        end = self._space.run(
            _grip,
            base,
            way,
            self._settings,
            self._fingers,
            self._affects,
            self._row_links,
            final,
            stops,
            address_of(self._near_points),
            self._found,
        )
        if end == COLLIDES:
            return None
        contacts = self._contacts()
        if not self._finger_names.intersection(contacts.links):
            return None
        closure = Closure(
            contacts, center=self.center, length=self.length, **self._options
        )
        return Grasp(
            invert_pose(base @ self._T_base_hand),
            shape,
            final,
            one.approach,
            contacts,
            {"epsilon": closure.epsilon},
        )

    def _contacts(self) -> ContactSet:
        """Return what the hand touches of the target, from the rows that were found."""
        rows = self._found
        ends = np.flatnonzero(rows[:, 0] < 0.0)
        rows = rows[: ends[0]] if len(ends) else rows
        pairs = rows[:, :2].astype(np.int64)
        is_hand, is_target = self._row_links[pairs] >= 0, self._is_target[pairs]
        # points are of the first solid and of the second, normals lead to the second
        hands, which = np.nonzero((is_hand & is_target[:, ::-1]).T)
        points = rows[which, 3:9].reshape(-1, 2, 3)[np.arange(len(which)), 1 - hands]
        ways = np.where(hands[:, None], -1.0, 1.0) * rows[which, 9:12]
        links = self._row_links[pairs[which, hands]]
        known = np.linalg.norm(ways, axis=1) > 0.5
        names = tuple(self._robot.links[k].name for k in links[known])
        return ContactSet(points[known], ways[known], self.friction, names)

    def _checked(self, preshape: ArrayLike) -> Array:
        """Return values of the gripper's joints within their limits."""
        values = as_vector(preshape, len(self._start), "preshape").copy()
        lower, upper = self._fingers[2], self._fingers[3]
        wrong = (values < lower - 1e-9) | (values > upper + 1e-9)
        if wrong.any():
            k = int(np.argmax(wrong))
            raise ArgumentError(
                f"preshape[{k}] is {values[k]:g}, expected a value of "
                f"{self.joint_names[k]!r} from {lower[k]:g} to {upper[k]:g}"
            )
        return np.clip(values, lower, upper)

    def describe(self) -> dict[str, Any]:
        """Return what the grasps are of, as `GraspSet.about` has it."""
        return {
            "robot": self.arm.robot.name,
            "manipulator": self.arm.name,
            "target": self.target.name,
            "joints": list(self.joint_names),
            "friction": self.friction,
            "length": self.length,
            "center": self.center.tolist(),
            **self._options,
        }

    def __repr__(self) -> str:
        return f"<Grasper: {self.arm!r} on {self.target!r}>"


def _box(target: KinBody) -> tuple[Array, Array]:
    """Return the box of a target in its frame, and refuse what is held."""
    holder = target.holder
    if holder is not None:
        raise StateError(
            f"{target!r} is held by {holder!r}; let it go before grasps are looked for"
        )
    box = target.local_aabb
    if box is None:
        raise ArgumentError(f"target is {target!r}, which has no geometry to touch")
    return box


def _center(target: KinBody, middle: Array) -> Array:
    """Return the centre of mass of a body in its frame."""
    if not any(link.mass > 0.0 for link in target.links):
        return middle
    pose = invert_pose(target.transform)
    return np.asarray(pose[:3, :3] @ target.center_of_mass + pose[:3, 3])


def _reach(arm: Manipulator, links: Iterable[Link]) -> float:
    """Return how far a hand reaches from its tool frame, fingers out, metres."""
    origin, most = arm.transform[:3, 3], 0.0
    for link in links:
        if link.aabb is not None:
            center, half = link.aabb
            away = float(np.linalg.norm(center - origin) + np.linalg.norm(half))
            most = max(most, away)
    return 2.0 * most
