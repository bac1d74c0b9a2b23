"""Template of a collision checker: boxes around links."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The collision checker @id@."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyrave import ArgumentError, NotSupportedError
from pyrave.bodies import KinBody
from pyrave.interfaces import CollisionCheckerBase, CollisionOptions, CollisionPair
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray
    from pyrave.bodies import Link
    from pyrave.interfaces import CollisionReport, EnvironmentProtocol

    _Box = tuple[NDArray[np.float64], NDArray[np.float64]]

_KNOWN = CollisionOptions.ALL_LINK_COLLISIONS | CollisionOptions.IGNORE_CALLBACKS


class @id@(CollisionCheckerBase):
    """Compares axis-aligned boxes around links.

    It never misses a collision, and reports some that are none: boxes of turned links
    are too large.
    """

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._options = CollisionOptions.NONE
        self._tolerance = 0.0

    def set_collision_options(self, options: CollisionOptions) -> None:
        """Set options; contacts and distances are not computed."""
        if options & ~_KNOWN:
            raise NotSupportedError(f"{self!r} cannot do {options & ~_KNOWN!r}")
        self._options = CollisionOptions(options)

    def get_collision_options(self) -> CollisionOptions:
        """Return the options."""
        return self._options

    def set_tolerance(self, tolerance: float) -> None:
        """Make all boxes larger by half of `tolerance`, metres."""
        if not 0.0 <= tolerance < np.inf:
            raise ArgumentError(f"the tolerance is {tolerance}, expected 0 or more")
        self._tolerance = tolerance

    def init_environment(self) -> None:
        """Need nothing: boxes are taken from the links at each query."""

    def destroy_environment(self) -> None:
        """Need nothing."""

    def init_kinbody(self, body: KinBody) -> None:
        """Need nothing."""

    def remove_kinbody(self, body: KinBody) -> None:
        """Need nothing."""

    def check_collision(
        self,
        first: KinBody | Link,
        second: KinBody | Link | None = None,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a body or link against another, or against everything (None)."""
        self._begin(report)
        left = _links(first)
        # whatever moves with the subject does not collide with it
        moving = {id(body) for body in _group(_body(first))}
        skipped = {id(body) for body in excluded_bodies}
        if second is None:
            others = [b for b in self.env.bodies if id(b) not in moving | skipped]
            right = [link for body in others for link in _links(body, grabbed=False)]
        else:
            right = _links(second)
        unwanted = {(link.body.name, link.name) for link in excluded_links}
        right = [b for b in right if (b.body.name, b.name) not in unwanted]
        left = [a for a in left if (a.body.name, a.name) not in unwanted]
        return self._pairs(((a, b) for a in left for b in right), report)

    def check_ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        target: KinBody | Link | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a ray, (3,) and (3,) whose length is the range, metres."""
        self._begin(report)
        start = as_vector(origin, 3, "origin")
        ray = as_vector(direction, 3, "direction")
        bodies = self.env.bodies if target is None else (target,)
        for link in [link for body in bodies for link in _links(body)]:
            box = self._box(link)
            if box is not None and _ray_meets_box(start, ray, *box):
                if report is not None:
                    report.pairs.append(
                        CollisionPair(link.body.name, link.name, "", "", "", "")
                    )
                return True
        return False

    def check_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check the non-adjacent links of a body, or one link against them."""
        self._begin(report)
        body = _body(subject)
        links = body.links
        wanted = (
            (links[a], links[b])
            for a, b in body.non_adjacent_links
            if body is subject or subject.name in {links[a].name, links[b].name}
        )
        enabled = ((a, b) for a, b in wanted if a.enabled and b.enabled)
        return self._pairs(enabled, report)

    def _begin(self, report: CollisionReport | None) -> None:
        if report is not None:
            report.reset()
            report.options = self._options

    def _pairs(
        self, pairs: Iterable[tuple[Link, Link]], report: CollisionReport | None
    ) -> bool:
        everything = bool(self._options & CollisionOptions.ALL_LINK_COLLISIONS)
        found = False
        for a, b in pairs:
            box_a, box_b = self._box(a), self._box(b)
            if box_a is None or box_b is None:
                continue
            if np.all(np.abs(box_a[0] - box_b[0]) <= box_a[1] + box_b[1]):
                found = True
                if report is not None:
                    report.pairs.append(
                        CollisionPair(a.body.name, a.name, "", b.body.name, b.name, "")
                    )
                if not everything:
                    break
        return found

    def _box(self, link: Link) -> _Box | None:
        box = link.aabb
        return None if box is None else (box[0], box[1] + self._tolerance / 2)


def _body(subject: KinBody | Link) -> KinBody:
    return subject if isinstance(subject, KinBody) else subject.body


def _group(body: KinBody) -> list[KinBody]:
    """Return a body and all that it holds."""
    return [body, *(one for held in body.grabbed for one in _group(held))]


def _links(subject: KinBody | Link, grabbed: bool = True) -> list[Link]:
    """Return the enabled links of a subject; grabbed bodies belong to their holder."""
    if not isinstance(subject, KinBody):
        return [subject] if subject.enabled else []
    bodies = _group(subject) if grabbed else [subject]
    return [link for body in bodies for link in body.links if link.enabled]


def _ray_meets_box(
    start: NDArray[np.float64],
    ray: NDArray[np.float64],
    centre: NDArray[np.float64],
    half: NDArray[np.float64],
) -> bool:
    """Return whether a part of the ray, 0 to 1 along it, is inside of a box."""
    near, far = 0.0, 1.0
    for axis in range(3):
        low, high = centre[axis] - half[axis], centre[axis] + half[axis]
        if abs(ray[axis]) < 1e-12:
            if not low <= start[axis] <= high:
                return False
            continue
        a, b = sorted(
            ((low - start[axis]) / ray[axis], (high - start[axis]) / ray[axis])
        )
        near, far = max(near, a), min(far, b)
    return bool(near <= far)
'''

_TEST = '''"""What collides for @id@."""

import numpy as np
import pyrave


def test_bodies_collide_when_their_boxes_meet(scene):
    checker = scene.create("collisionchecker", "@id@")
    ball, arm = scene.bodies["ball"], scene.robots["arm"]
    pose = np.eye(4)
    pose[:3, 3] = 0, 0, 50
    ball.transform = pose
    assert not checker.check_collision(ball)
    ball.transform = arm.transform
    report = pyrave.CollisionReport()
    assert checker.check_collision(ball, arm, report=report)
    assert report.pairs[0].first_body == "ball"
    assert not checker.check_collision(ball, arm, excluded_links=arm.links)
    ball.enabled = False
    assert not checker.check_collision(ball, arm)


def test_rays_meet_boxes(scene):
    checker = scene.create("collisionchecker", "@id@")
    ball = scene.bodies["ball"]
    centre, _ = ball.aabb
    assert checker.check_ray(centre + (0, 0, 1), (0, 0, -2), ball)
    assert not checker.check_ray(centre + (0, 0, 1), (0, 0, -0.5), ball)
    assert not checker.check_ray(centre + (0, 0, 1), (0, 0, 2), ball)


def test_self_collisions_ignore_adjacent_links(scene):
    checker = scene.create("collisionchecker", "@id@")
    assert not checker.check_self_collision(scene.robots["arm"])
'''

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <collisionchecker type="@id@"/>\n')
