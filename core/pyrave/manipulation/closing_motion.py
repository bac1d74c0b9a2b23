"""Fingers that move until they touch: conservative advancement, joint by joint."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import (
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    Contact,
)
from pyrave.interfaces.collision.batches import MotionBounds, carrier_of
from pyrave.kinematics.limits import LimitCheck
from pyrave.records import Record
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array

_TRIED = 1e-5
"""Metres by which fingers go on to see whether a pair parts or comes nearer."""
_NEARER = 0.01
"""Part of a finger's motion by which a pair that slides may come nearer."""
_SLIDING_STEP = 5e-4
"""Metres of a step while pairs part or slide: they are looked at after each."""
_MAX_ROUNDS = 20_000


@dataclass(slots=True)
class ClosingMotion(Record):
    """Fingers on their way: joints change alike until a link that they move touches.

    Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996, section
    2.3: where the nearest solid is at a distance d and no point moves further than v
    for each unit of the way, d / v of the way is free. A joint stops when a link that
    it moves touches; joints further out go on.

    Parameters
    ----------
    robot
        It stays at the end of the motion; callers put it back.
    joints
        (k,) degrees of freedom that move.
    rates
        (k,) change of each per unit of the way.
    spans
        (k,) units of the way up to each limit.
    tolerance
        Metres at which links touch.
    depth
        Metres that pairs may be deep in each other at the start, to part or to slide.
    """

    robot: Robot
    joints: list[int]
    rates: Array
    spans: Array
    tolerance: float
    depth: float
    met: dict[int, CollisionPair] = field(default_factory=dict)
    """Pair that stopped a joint; joints at limits have none."""
    corners: list[Array] = field(default_factory=list)
    """(dof,) values at the start, and wherever a joint stopped."""
    blocked: CollisionPair | None = None
    """Pair that is deeper at the start than it may be."""

    def met_by(self, joint: int) -> CollisionPair | None:
        """Return the pair that stopped a joint, first the link that it moves."""
        pair = self.met.get(joint)
        if pair is None or pair.first.link is None:
            return pair
        carrier = carriers_of(self.robot).get(pair.first.link)
        if carrier is not None and self.robot.model.dof_affects[joint, carrier]:
            return pair
        turned = tuple(
            Contact(one.position, -one.normal, one.depth) for one in pair.contacts
        )
        return CollisionPair(pair.second, pair.first, turned)

    def run(self) -> None:
        """Move until nothing can move any more."""
        robot, checker = self.robot, self.robot.env.collision_checker
        options = checker.get_collision_options() | CollisionOptions.DISTANCE
        moving = dict(zip(self.joints, self.rates.tolist(), strict=True))
        left = dict(zip(self.joints, self.spans.tolist(), strict=True))
        self.corners.append(robot.dof_values)
        with ExitStack() as stack:
            stack.enter_context(robot.preserve_state(StateParts.ACTIVE_DOFS))
            stack.enter_context(checker.options(options))
            stack.enter_context(checker.moving_links())
            sliding: dict[frozenset[Link], float] = {}
            while moving := {k: rate for k, rate in moving.items() if left[k] > 0.0}:
                robot.set_active_dofs(sorted(moving))
                leg = _Leg(self, moving, min(left[k] for k in moving), sliding)
                pair, way = leg.run()
                for k in moving:
                    left[k] -= way
                if leg.is_too_deep:
                    self.blocked = pair
                    return
                if pair is None:
                    stopped = [k for k in moving if left[k] <= 1e-12 * self.spans.max()]
                else:
                    stopped = leg.joints_of(pair)
                    self.met |= dict.fromkeys(stopped, pair)
                for k in stopped:
                    left[k] = 0.0
                self.corners.append(robot.dof_values)


class _Leg:
    """The way of the joints that still move, until one of them stops."""

    def __init__(
        self,
        motion: ClosingMotion,
        moving: dict[int, float],
        length: float,
        sliding: dict[frozenset[Link], float],
    ) -> None:
        robot = motion.robot
        self.motion, self.robot, self.moving = motion, robot, moving
        self.checker = robot.env.collision_checker
        self.length, self.sliding = length, sliding
        self.start, self.way = robot.dof_values, np.zeros(robot.dof)
        self.way[list(moving)] = list(moving.values())
        paths = MotionBounds(robot).speeds(self.start, self.way * length)
        self.speeds = paths / length
        self.fastest = float(self.speeds.max(initial=0.0))
        affected = np.any(robot.model.dof_affects[sorted(moving)], axis=0).tolist()
        self.carriers = carriers_of(robot)
        self.links = [
            link
            for link, carrier in self.carriers.items()
            if affected[carrier] and self.speeds[carrier] > 0.0
        ]
        self.is_too_deep = False

    def joints_of(self, pair: CollisionPair) -> list[int]:
        """Return the joints that move a link of a pair."""
        affects = self.robot.model.dof_affects
        sides = [
            self.carriers[side.link]
            for side in (pair.first, pair.second)
            if side.link in self.carriers
        ]
        movers = [k for k in self.moving if any(affects[k, side] for side in sides)]
        return movers or list(self.moving)

    def run(self) -> tuple[CollisionPair | None, float]:
        """Move; return the pair that touches, None at a limit, and the way."""
        done, before = 0.0, 0.0
        for _ in range(_MAX_ROUNDS):
            self.place(done)
            hit = self.deeper_slide()
            if hit is not None:
                return hit, self.back_to(before, done, hit)
            free = self.length - done
            for link, distance, pair in self.nearest():
                speed = self.speeds[self.carriers[link]]
                if distance <= self.motion.tolerance:
                    if not self.parts(pair, distance, done):
                        self.is_too_deep = distance < -self.motion.depth
                        return pair, done
                    self.sliding[_key(pair)] = min(distance, 0.0)
                    free = min(free, _SLIDING_STEP / speed)
                    continue
                if _in_robot(pair, self.robot):
                    speed += self.fastest
                free = min(free, (distance - 0.5 * self.motion.tolerance) / speed)
            if self.sliding and self.fastest > 0.0:
                free = min(free, _SLIDING_STEP / self.fastest)
            if done >= self.length:
                return None, self.length
            before, done = done, min(self.length, done + free)
        return None, done

    def place(self, done: float) -> None:
        """Take the fingers to a place of the way."""
        values = self.start + done * self.way
        self.robot.set_dof_values(values, limits=LimitCheck.NONE)
        self.checker.synchronise()

    def nearest(self) -> Iterator[tuple[Link, float, CollisionPair]]:
        """Yield the nearest pair of each link that moves, those that slide left out."""
        for link in self.links:
            spared = [other for other in self.partners(link) if other.enabled]
            outside = [one for one in spared if one not in self.carriers]
            report = CollisionReport()
            self.checker.check_collision(link, excluded_links=outside, report=report)
            if report.nearest is not None:
                yield link, report.distance, as_pair(report, link)
            if link.body is not self.robot:
                yield from self.own_pairs(link)
                continue
            report = CollisionReport()
            self.checker.check_self_collision(link, report)
            if report.nearest is None:
                continue
            pair = as_pair(report, link)
            if _key(pair) not in self.sliding:
                yield link, report.distance, pair
            else:
                yield from self.own_pairs(link)

    def own_pairs(self, link: Link) -> Iterator[tuple[Link, float, CollisionPair]]:
        """Yield what does not slide of a link's pairs with the robot and its load."""
        robot = self.robot
        own = robot.non_adjacent_links.tolist()
        pairs = [(robot.links[a], robot.links[b]) for a, b in own]
        for first, second in (*pairs, *robot.grabs.link_pairs):
            ends = frozenset((first, second))
            if link not in ends or ends in self.sliding:
                continue
            report = self.between(first, second)
            if report.nearest is not None:
                yield link, report.distance, as_pair(report, link)

    def partners(self, link: Link) -> list[Link]:
        """Return the links along which a link slides, or from which it parts."""
        pairs = [pair for pair in self.sliding if link in pair]
        return [other for pair in pairs for other in pair if other is not link]

    def between(self, first: Link, second: Link) -> CollisionReport:
        """Return the distance of two links."""
        report = CollisionReport()
        self.checker.check_collision(first, second, report=report)
        return report

    def parts(self, pair: CollisionPair, distance: float, done: float) -> bool:
        """Return True if a pair that touches parts or slides on the way ahead."""
        first, second = pair.first.link, pair.second.link
        if first is None or second is None or distance < -self.motion.depth:
            return False
        if self.fastest <= 0.0:
            return True
        ahead = min(_TRIED / self.fastest, 0.5 * (self.length - done))
        if ahead <= 0.0:
            return False
        self.place(done + ahead)
        change = self.between(first, second).distance - distance
        self.place(done)
        return change >= -_NEARER * ahead * self.fastest

    def deeper_slide(self) -> CollisionPair | None:
        """Return a pair that slides and has come nearer; forget those that parted."""
        for key, depth in list(self.sliding.items()):
            first, second = key
            report = self.between(first, second)
            if report.distance > 10.0 * self.motion.tolerance:
                del self.sliding[key]
            elif report.distance < depth - self.motion.tolerance:
                return as_pair(report, first)
        return None

    def back_to(self, before: float, after: float, pair: CollisionPair) -> float:
        """Return the last place of a step at which a sliding pair is no deeper."""
        first, second = pair.first.link, pair.second.link
        if first is None or second is None:
            return before
        depth = self.sliding.pop(frozenset((first, second)))
        while (after - before) * self.fastest > 0.1 * self.motion.tolerance:
            middle = 0.5 * (before + after)
            self.place(middle)
            if self.between(first, second).distance < depth - self.motion.tolerance:
                after = middle
            else:
                before = middle
        self.place(before)
        return before


def carriers_of(robot: Robot) -> dict[Link, int]:
    """Return the links of a robot and of what it holds: each with the index of its own.

    That is the link of the robot with which it moves.
    """
    found = {link: link.index for link in robot.links}
    for body in robot.attached:
        carrier = None if body is robot else carrier_of(robot, body)
        if carrier is not None:
            found |= dict.fromkeys(body.links, carrier.index)
    return found


def as_pair(report: CollisionReport, link: Link) -> CollisionPair:
    """Return the nearest pair as a contact of a link, whose normal leads out of it."""
    nearest, points = report.nearest, report.nearest_points
    if nearest is None or points is None:
        raise AssertionError("only reports with distances are asked")
    if nearest[0].link is not link:
        nearest, points = (nearest[1], nearest[0]), points[::-1]
    way = points[1] - points[0]
    length = float(np.linalg.norm(way))
    normal = way / length if length > 0.0 else np.zeros(3)
    if report.distance < 0.0:
        normal = -normal
    contact = Contact(points.mean(axis=0), normal, -report.distance)
    return CollisionPair(*nearest, contacts=(contact,))


def near_pairs(
    links: list[Link], margin: float, other: KinBody | None = None
) -> tuple[CollisionPair, ...]:
    """Return the nearest pair of each of some links of a robot, as near as a margin.

    Parameters
    ----------
    other
        Which body is meant; None: any, the robot itself left out.
    """
    if not links:
        return ()
    checker = links[0].body.env.collision_checker
    options = checker.get_collision_options() | CollisionOptions.DISTANCE
    found = []
    with checker.options(options):
        for link in links:
            report = CollisionReport()
            checker.check_collision(link, other, report=report)
            if report.nearest is not None and report.distance <= margin:
                found.append(as_pair(report, link))
    return tuple(found)


def _key(pair: CollisionPair) -> frozenset[Link]:
    links = (pair.first.link, pair.second.link)
    return frozenset(link for link in links if link is not None)


def _in_robot(pair: CollisionPair, robot: Robot) -> bool:
    """Return True if both sides may move: links of the robot, or what it holds."""
    sides = (pair.first.body, pair.second.body)
    return all(body is not None and body in robot.attached for body in sides)
