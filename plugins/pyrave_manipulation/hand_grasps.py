"""Grasps by a hand that comes along a ray, as OpenRAVE's commands describe them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.grasping import (
    Candidate,
    Closure,
    ContactSet,
    Grasper,
    hand_poses,
    noisy,
)
from pyrave.grasping.hands import hand_links
from pyrave.interfaces import CommandResult
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import (
    as_direction,
    as_number,
    as_vector,
    invert_pose,
    wxyz_xyz_from_pose,
)
from pyrave_manipulation.answers import log_failure, number_text
from pyrave_manipulation.arguments import words_of
from pyrave_manipulation.shapes import box_middle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyrave.bodies import KinBody, Manipulator
    from pyrave.grasping import Grasp
    from pyrave.spatial import Array

_SHORTEST = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class GraspContacts(CommandResult):
    """The contacts of a grasp, and what they hold; false without a grasp.

    Parameters
    ----------
    contacts
        (n, 6) points and normals in the world; normals lead into what is touched.
    cause
        Why there is none, in words.
    finalconfig
        Values of all joints (dof,), and the pose (4, 4) of the robot; None without.
    mindist
        Ferrari and Canny's epsilon, -1 if it was not asked for.
    volume
        Of the wrenches, -1 if it was not asked for or is too close to degenerate.
    grasp
        The grasp, in the frame of the target; None where there is no target.
    outputs_final
        True if texts get the final configuration.
    """

    contacts: Array
    cause: str = ""
    finalconfig: tuple[Array, Array] | None = None
    mindist: float = -1.0
    volume: float = -1.0
    grasp: Grasp | None = None
    outputs_final: bool = False

    def __bool__(self) -> bool:
        return not self.cause

    def command_text(self) -> str | None:
        """Return contacts, pose and joint values, epsilon and volume."""
        if self.cause:
            log_failure(self.cause)
            return None
        words = [number_text(self.contacts)] if len(self.contacts) else []
        if self.outputs_final and self.finalconfig is not None:
            values, pose = self.finalconfig
            words.append(number_text([wxyz_xyz_from_pose(pose), values]))
        if self.mindist >= 0.0:
            words.append(number_text([self.mindist, self.volume]))
        return " ".join(words)


def touching_others(arm: Manipulator, grasp: Grasp, target: KinBody) -> str:
    """Return the first thing beside the target that a hand touches, in words.

    The robot is moved so that its hand is at the grasp; only the links of the hand
    count.
    """
    robot, env = arm.robot, arm.robot.env
    with env.lock(), robot.preserve_state():
        place_hand(arm, grasp, target)
        for link in hand_links(arm):
            for body in env.bodies:
                if body in (robot, target):
                    continue
                if env.check_collision(link, body):
                    return f"{link.name!r} touches {body.name!r}"
    return ""


def place_hand(arm: Manipulator, grasp: Grasp, target: KinBody) -> None:
    """Move the base of a robot so that its hand is at a grasp, closed."""
    move_hand(arm, grasp.hand_pose(target.transform))
    arm.robot.set_dof_values(grasp.final, arm.gripper_indices, limits=LimitCheck.NONE)


def move_hand(arm: Manipulator, hand: Array) -> None:
    """Move the base of a robot so that its hand is at a pose (4, 4) of the world."""
    robot = arm.robot
    robot.transform = hand @ invert_pose(arm.transform) @ robot.transform


def in_world(contacts: ContactSet, target: KinBody) -> Array:
    """Return contacts (n, 6) in the world."""
    moved = contacts.moved(target.transform)
    return np.hstack((moved.points, moved.normals))


def touched_by(friction: float, pairs: Any) -> ContactSet:
    """Return the contacts of pairs of which the first link is of the hand."""
    points, normals, names = [], [], []
    for pair in pairs:
        for contact in pair.contacts:
            points.append(contact.position)
            normals.append(contact.normal)
            names.append(pair.first.link.name)
    return ContactSet(points, normals, friction, tuple(names))


def stable_contacts(arm: Manipulator, contacts: ContactSet, rates: Array) -> ContactSet:
    """Return the contacts at which fingers push into what they touch as they close.

    The velocity of the point, with the joints of the gripper at `rates`, is in the cone
    of friction about the normal.

    Parameters
    ----------
    contacts
        In the world, with the names of links; the hand is where they are.
    """
    robot = arm.robot
    kept = []
    for k, name in enumerate(contacts.links):
        rows = robot.jacobian(robot.links[name], contacts.points[k])
        velocity = rows[:3][:, arm.gripper_indices] @ rates
        normal = contacts.normals[k]
        along = float(velocity @ normal)
        aside = float(np.linalg.norm(velocity - along * normal))
        if along > _SHORTEST and aside <= contacts.friction[k] * along:
            kept.append(k)
    return ContactSet(
        contacts.points[kept],
        contacts.normals[kept],
        contacts.friction[kept],
        tuple(contacts.links[k] for k in kept),
    )


def closure_of(contacts: ContactSet, grasper: Grasper) -> tuple[float, float]:
    """Return epsilon and volume of contacts in the frame of the target.

    Both are 0 without force closure; the volume is -1 where its numbers are too close
    to degenerate to be sure of it.
    """
    if not len(contacts):
        return 0.0, 0.0
    closure = Closure(contacts, center=grasper.center, length=grasper.length)
    if closure.epsilon <= 0.0:
        return 0.0, 0.0
    try:
        return float(closure.epsilon), float(closure.volume)
    except StateError:
        return float(closure.epsilon), -1.0


def approach_pose(
    position: Array, direction: Array, roll: float, way: Array, plane: Any
) -> Array:
    """Return T_target_hand to which a hand comes along a ray.

    Parameters
    ----------
    position, direction
        Of the ray, in the frame of the target.
    way
        (3,) direction in the hand that goes along it.
    plane
        (4,) a x + b y + c z + d = 0 at which the hand stops, in place of the position;
        None: there is none.
    """
    length = float(np.linalg.norm(direction))
    if length < _SHORTEST:
        raise ArgumentError(f"direction is {direction.tolist()}, expected a direction")
    unit = direction / length
    if plane is not None:
        numbers = as_vector(plane, 4, "vintersectplane")
        if numbers.any():
            slope = float(numbers[:3] @ unit)
            if abs(slope) < _SHORTEST:
                raise ArgumentError(
                    f"vintersectplane is {numbers.tolist()}, which the direction does "
                    "not meet"
                )
            position = position - (
                float(numbers[:3] @ position) + numbers[3]
            ) / slope * (unit)
    rays = np.concatenate((position, unit))[None]
    return np.asarray(hand_poses(rays, way, np.array([roll]))[0])


def present_candidate(arm: Manipulator, target: KinBody, way: Array) -> Candidate:
    """Return the candidate of a hand that closes where it is."""
    pose = invert_pose(target.transform) @ arm.transform
    return Candidate(pose, as_direction(way, "approach"), -1.0, _present_values(arm))


def coming_candidate(
    arm: Manipulator,
    target: KinBody,
    way: Array,
    *,
    direction: Any,
    position: Any,
    roll: Any,
    standoff: Any,
    plane: Any,
    noise: Any,
    seed: int,
    avoids: bool,
) -> Candidate:
    """Return the candidate of a hand that comes along a ray with its present fingers.

    Parameters
    ----------
    way, plane
        As of `approach_pose`.
    direction, position
        (3,) of the ray, in the frame of the target; the middle of its box if the
        position is None.
    roll, standoff
        Radians about the ray, and metres that the hand goes back.
    noise
        Metres, and radians, by which the hand is off by chance.
    avoids
        The hand goes to the standoff and closes there, touching nothing on its way.

    Raises
    ------
    ArgumentError
        There is no direction, or something is of another kind.
    """
    if direction is None:
        raise ArgumentError("there is no direction in which the hand comes: 3 numbers")
    unit, back = as_direction(way, "approach"), as_number(standoff, "standoff", 0.0)
    aim = box_middle(target) if position is None else position
    pose = approach_pose(
        as_vector(aim, 3, "position"),
        as_vector(direction, 3, "direction"),
        as_number(roll, "roll"),
        unit,
        plane,
    )
    off = as_number(noise, "graspingnoise", 0.0)
    if off:
        (pose,) = noisy(pose[None], off, off, seed=seed)
    if avoids:
        pose[:3, 3] -= back * pose[:3, :3] @ unit
        back = -1.0
    return Candidate(pose, unit, back, _present_values(arm))


def judged_attempt(
    arm: Manipulator, grasper: Grasper, one: Candidate, avoided: Any, *, only: bool
) -> tuple[Grasp | None, str]:
    """Return the grasp that a candidate ends in, and the reason it does not count.

    Parameters
    ----------
    avoided, only
        As of `refused_contact`.
    """
    found, target = grasper.attempt(one), grasper.target
    if found is None:
        return None, (
            f"the hand collides where it starts, or no finger touches {target.name!r}"
        )
    return found, refused_contact(arm, found, target, avoided, only=only)


def refused_contact(
    arm: Manipulator, grasp: Grasp, body: KinBody, avoided: Any, *, only: bool
) -> str:
    """Return the contact for which a grasp does not count, in words, or nothing.

    Parameters
    ----------
    avoided
        Names of links that must not touch the body.
    only
        Nothing but the body may be touched.
    """
    for name in words_of(avoided, "avoidlinks"):
        if name not in {link.name for link in arm.robot.links}:
            arm.robot.links[name]  # says which there are
        if name in grasp.contacts.links:
            return f"{name!r} touches {body.name!r}, and is to avoid it"
    return touching_others(arm, grasp, body) if only else ""


def refuse_ways(
    arm: Manipulator, order: list[int] | None = None, *, tightgrasp: bool
) -> None:
    """Refuse the ways of closing that there are not."""
    if tightgrasp:
        raise NotSupportedError(
            "tightgrasp is 1: fingers close in one way, until they touch; a "
            "smaller standoff brings the hand nearer"
        )
    wanted = arm.gripper_indices.tolist()
    if order is not None and np.ravel(order).tolist() != wanted:
        raise NotSupportedError(
            f"ordereddofindices are {order!r}: all joints of the gripper close "
            f"together, {wanted}; chuckingdirection says how fast each is"
        )


def _present_values(arm: Manipulator) -> Array:
    lower, upper = (bound[arm.gripper_indices] for bound in arm.robot.dof_limits)
    return np.asarray(np.clip(arm.gripper_dof_values, lower, upper))


def attempts(
    graspers: list[Grasper], candidates: Iterable[Candidate], room: int
) -> Iterator[Grasp | None]:
    """Yield the grasp of each candidate in order, tried by several graspers at once.

    Which grasper tries one does not change its result.

    Parameters
    ----------
    room
        Candidates that are tried at once by each.
    """
    waiting = iter(candidates)
    if len(graspers) == 1:
        yield from map(graspers[0].attempt, waiting)
        return
    n = len(graspers)
    with ThreadPoolExecutor(n) as pool:
        while block := list(islice(waiting, room * n)):
            shares = [block[k::n] for k in range(n)]
            jobs = [
                pool.submit(lambda g, some: [g.attempt(one) for one in some], g, share)
                for g, share in zip(graspers, shares, strict=True)
            ]
            found = [job.result() for job in jobs]
            for k in range(len(block)):
                yield found[k % n][k // n]
