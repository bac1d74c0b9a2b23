"""Viewpoints of pictures: as asked, of the scene's camera, or well chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, Error, shown
from pyrave.geometry import Camera
from pyrave.geometry.camera import check_image_size
from pyrave.interfaces.named_bodies import named_subject
from pyrave.records import Record
from pyrave.spatial import as_number, as_vector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment import Environment
    from pyrave.spatial import Array

DEFAULT_SIZE = (960, 720)
"""Width and height of pictures that do not say, pixels."""

_FIELD_OF_VIEW = math.radians(45.0)
_ZOOM = 1e-2, 1e3
# what is so many times larger than the largest robot is the place, not a thing in it
_PLACE = 3.0
# and of what is flat, as floors are, so many times
_FLOOR, _FLAT = 1.5, 0.05
# robots look along +x: three quarters from the front
_DIRECTION = np.array((1.0, -1.2, 0.8)) / math.sqrt(3.08)
_STEEP = math.radians(55.0)
# what is farther from the middle than so many sizes or usual distances is left out
_FAR = 5.0
_TURNS = 8
_GRID = (32, 24)
# another direction must show so much more than the usual one
_BETTER = 1.1
# and robots count so many times
_ROBOT = 5.0


@dataclass(frozen=True)
class Viewpoint(Record):
    """Viewpoint of a picture, as a caller gives it.

    Parameters
    ----------
    eye
        (3,) world, metres; None: chosen so that things are well seen.
    target
        (3,) what is in the middle, or a body, link or other object with a box of its
        own; None: the middle of all things.
    size
        Width and height, pixels; None: 960 x 720.
    zoom
        Above 1 shows less, larger.
    """

    eye: ArrayLike | None = None
    target: Any = None
    size: tuple[int, int] | None = None
    zoom: float = 1.0

    def camera(self, env: Environment, own: Array | None = None) -> Camera:
        """Return the camera for an environment.

        Without `eye` and `target` it is the scene's own if it has one. The camera that
        is chosen looks from where most can be seen of the robots and of the things
        about them; a room or a floor, much larger than these, is only their place.

        Parameters
        ----------
        own
            (4, 4) pose of the scene's own camera, or None.

        Raises
        ------
        ArgumentError
            A place that is none, an eye at the target, a size that is no size.
        """
        width, height = _size(self.size)
        zoom = as_number(self.zoom, "zoom", *_ZOOM)
        view = 2.0 * math.atan(math.tan(0.5 * _FIELD_OF_VIEW) / zoom)
        eye = None if self.eye is None else as_vector(self.eye, 3, "eye")
        if eye is None and self.target is None and own is not None:
            return Camera.at(own, width, height, view)
        things = _things(env)
        middle, radius = _middle(things)
        target = named_subject(env, self.target)
        if target is not None:
            middle, radius = _target(target, radius)
            body = getattr(target, "body", target)
            things = [one for one in things if one.body is body] or things
        if eye is None:
            narrow = min(1.0, width / height)
            away = radius / math.sin(math.atan(narrow * math.tan(0.5 * _FIELD_OF_VIEW)))
            eye = middle + away * _best_direction(env, things, middle, away)
        return Camera.look_at(
            eye, middle, width=width, height=height, field_of_view=view
        )


def size_of(text: str) -> tuple[int, int]:
    """Return width and height of a text such as 960x720; ArgumentError for others."""
    width, mark, height = text.lower().partition("x")
    if not (mark and width.strip().isdecimal() and height.strip().isdecimal()):
        raise ArgumentError(
            f"size is {shown(text)}, expected width and height in pixels, as 960x720"
        )
    return _size((int(width), int(height)))


@dataclass(frozen=True, eq=False)
class _Thing:
    """A body and the box about it, world, metres."""

    body: KinBody
    lower: Array
    upper: Array

    @property
    def is_robot(self) -> bool:
        return self.body.is_robot

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.upper - self.lower))

    @property
    def share(self) -> float:
        """Part of the usual limit up to which it is a thing and no place."""
        x, y, z = self.upper - self.lower
        is_flat = not self.is_robot and z < _FLAT * max(x, y)
        return _FLOOR / _PLACE if is_flat else 1.0


def _size(size: Any) -> tuple[int, int]:
    if size is None:
        return DEFAULT_SIZE
    try:
        width, height = size
    except (TypeError, ValueError):
        raise ArgumentError(
            f"size is {shown(size)}, expected width and height in pixels"
        ) from None
    check_image_size(width, height)
    return int(width), int(height)


def _target(target: Any, radius: float) -> tuple[Array, float]:
    """Return the centre of a picture's target, and the radius to show around it."""
    box = getattr(target, "aabb", None)
    if box is not None:
        centre, half = box
        return np.asarray(centre), max(1.5 * float(np.linalg.norm(half)), 0.05)
    pose = getattr(target, "transform", None)
    if pose is not None:
        return np.asarray(pose)[:3, 3], radius
    return as_vector(target, 3, "target"), radius


def _things(env: Environment) -> list[_Thing]:
    """Return the bodies that a picture is about."""
    found = []
    for body in env.bodies:
        boxes = [box for link in body.links if (box := _box(link)) is not None]
        if boxes:
            lower = np.array([centre - half for centre, half in boxes]).min(axis=0)
            upper = np.array([centre + half for centre, half in boxes]).max(axis=0)
            found.append(_Thing(body, lower, upper))
    robots = [thing.size for thing in found if thing.is_robot]
    sizes = robots or [thing.size for thing in found]
    if not sizes:
        return []
    limit = _PLACE * (max(robots) if robots else float(np.median(sizes)))
    small = [thing for thing in found if thing.size <= limit * thing.share] or found
    return _together(small, limit)


def _together(things: list[_Thing], limit: float) -> list[_Thing]:
    """Return things without those far off, which would make all others tiny."""
    centres = np.array([0.5 * (thing.lower + thing.upper) for thing in things])
    away = np.linalg.norm(centres - np.median(centres, axis=0), axis=1)
    reach = _FAR * max(limit, float(np.median(away)))
    return [
        thing for thing, gap in zip(things, away.tolist(), strict=True) if gap <= reach
    ]


def _box(link: Any) -> tuple[Array, Array] | None:
    try:
        box = link.aabb
    except Error:
        # of a mesh that cannot be read
        box = None
    return box if box is not None else (link.transform[:3, 3], np.zeros(3))


def _middle(things: Iterable[_Thing]) -> tuple[Array, float]:
    """Return the middle of boxes, and the radius of the sphere about all of them."""
    boxes = [(thing.lower, thing.upper) for thing in things]
    if not boxes:
        return np.zeros(3), 1.0
    lower = np.array([box[0] for box in boxes]).min(axis=0)
    upper = np.array([box[1] for box in boxes]).max(axis=0)
    return 0.5 * (lower + upper), max(0.5 * float(np.linalg.norm(upper - lower)), 0.1)


def _best_direction(
    env: Environment, things: list[_Thing], middle: Array, away: float
) -> Array:
    """Return the direction from the target to an eye that sees most of the things."""
    usual = _shown(env, things, middle, middle + away * _DIRECTION)
    best, most = _DIRECTION, _BETTER * usual
    for direction in _directions():
        seen = _shown(env, things, middle, middle + away * direction)
        if seen > most:
            best, most = direction, seen
    return best


def _directions() -> Iterable[Array]:
    """Yield the usual direction turned about the vertical, then steeper ones."""
    across = math.hypot(*_DIRECTION[:2])
    first = math.atan2(_DIRECTION[1], _DIRECTION[0])
    for flat, up in (
        (across, _DIRECTION[2]), (math.cos(_STEEP), math.sin(_STEEP))
    ):  # fmt: skip
        for k in range(_TURNS):
            turn = first + k * 2.0 * math.pi / _TURNS
            yield np.array((flat * math.cos(turn), flat * math.sin(turn), up))


def _shown(env: Environment, things: list[_Thing], middle: Array, eye: Array) -> float:
    """Return the visible size of things from a place: root of pixels, robots more.

    The root lets many small things count as much as one large one.
    """
    camera = Camera.look_at(eye, middle, width=_GRID[0], height=_GRID[1])
    origin, directions = camera.rays()
    far = 4.0 * float(np.linalg.norm(eye - middle)) + 1.0
    hits = env.visual_scene.scene.cast(origin, directions, far, fields=())
    return sum(
        (_ROBOT if thing.is_robot else 1.0)
        * math.sqrt(np.count_nonzero(hits.id == thing.body.id))
        for thing in things
    )
