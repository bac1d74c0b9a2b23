"""Holding bodies: what is grabbed follows the link that grabs."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import Array, invert_pose

if TYPE_CHECKING:
    from pyrave.interfaces.kinbody import KinBody

__all__ = ["GrabbedBody", "Grabber", "holders_first", "named_body"]


@dataclasses.dataclass(frozen=True, slots=True)
class GrabbedBody:
    """A held body by name: the holder's link index and (4, 4) T_link_body."""

    name: str
    link: int
    T_link_body: Array


class Grabber:
    """What one body holds. References to both sides are weak."""

    def __init__(self, holder: KinBody) -> None:
        self._holder = weakref.ref(holder)
        self._held: list[tuple[weakref.ref[KinBody], int, Array]] = []

    @property
    def holder(self) -> KinBody:
        """The body that holds."""
        holder = self._holder()
        assert holder is not None  # noqa: S101 - the holder owns this object
        return holder

    @property
    def bodies(self) -> tuple[KinBody, ...]:
        """The bodies that are held and still exist."""
        return tuple(body for ref, _, _ in self._held if (body := ref()) is not None)

    @property
    def state(self) -> tuple[GrabbedBody, ...]:
        """What is held, by name."""
        return tuple(
            GrabbedBody(body.name, link, pose.copy())
            for ref, link, pose in self._held
            if (body := ref()) is not None
        )

    def grab(self, body: KinBody, link: int) -> None:
        """Hold a body from now on."""
        holder = self.holder
        if body is holder:
            raise ArgumentError(f"{holder!r} can't grab itself")
        if body.env is not holder.env:
            raise ArgumentError(f"{body!r} is in another environment than {holder!r}")
        if holder.is_grabbing(body):
            raise ArgumentError(f"{holder!r} holds {body!r} already; release it first")
        if _holds(body, holder):
            raise ArgumentError(
                f"{body!r} holds {holder!r}; they can't hold each other"
            )
        T_link_body = invert_pose(holder.transforms_view[link]) @ body.transform  # noqa: N806
        self._held.append((weakref.ref(body), link, T_link_body))

    def regrab(self) -> None:
        """Take what is held as it lies now relative to its link."""
        transforms = self.holder.transforms_view
        self._held = [
            (ref, link, invert_pose(transforms[link]) @ body.transform)
            for ref, link, _ in self._held
            if (body := ref()) is not None
        ]

    def release(self, body: KinBody) -> bool:
        """Let go; False if it was not held."""
        kept = [item for item in self._held if item[0]() is not body]
        found = len(kept) < len(self._held)
        self._held = kept
        return found

    def follow(self) -> None:
        """Move what is held to where the holder's links are."""
        transforms = self.holder.transforms_view if self._held else np.empty(0)
        for ref, link, T_link_body in self._held:  # noqa: N806
            body = ref()
            if body is not None:
                body.transform = transforms[link] @ T_link_body

    def restore(self, state: tuple[GrabbedBody, ...]) -> None:
        """Hold what a state says, by name; what was removed since is not held."""
        if not state:
            self._held = []
            return
        bodies = self.holder.env.bodies
        self._held = [
            (weakref.ref(body), item.link, item.T_link_body.copy())
            for item in state
            if (body := bodies.get(item.name)) is not None
        ]


def named_body(holder: KinBody, body: KinBody | str) -> KinBody:
    """Return a body given itself or its name in the holder's environment.

    Raises
    ------
    ArgumentError
        It is neither.
    NotFoundError
        The environment has no body of that name.
    """
    if isinstance(body, str):
        return holder.env.bodies[body]
    # what every body has; the class is not known here
    if not hasattr(body, "link_transforms"):
        raise ArgumentError(
            f"{holder!r} can hold bodies only, not {body!r}; give a body or its name"
        )
    return body


def holders_first(bodies: Iterable[KinBody]) -> list[KinBody]:
    """Return bodies with each holder before what it holds.

    States that are put back in this order come back to the last bit: a holder moves
    what it holds, whose own state is then applied.
    """
    known = list(bodies)
    ordered: dict[int, KinBody] = {}
    # what is held moves behind each of its holders; bodies can't hold each other
    queue = list(reversed(known))
    while queue:
        body = queue.pop()
        held = [other for other in body.grabbed if any(other is k for k in known)]
        if id(body) not in ordered or held:
            ordered.pop(id(body), None)
            ordered[id(body)] = body
        for other in held:
            ordered.pop(id(other), None)
        queue += held
    return list(ordered.values())


def _holds(body: KinBody, wanted: KinBody) -> bool:
    return any(held is wanted or _holds(held, wanted) for held in body.grabbed)
