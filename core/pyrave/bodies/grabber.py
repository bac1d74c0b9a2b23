"""Grabs at work: a held body moves with the link that holds it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.kinds import is_body
from pyrave.errors import ArgumentError
from pyrave.interfaces.named_bodies import named_body
from pyrave.spatial import Array, invert_pose
from pyrave.world.body_state import GrabbedBody

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link


@dataclasses.dataclass(slots=True)
class _Held:
    """One held body; `link` is the index of the holder's link."""

    body: KinBody
    link: int
    info: GrabbedBody


class Grabber:
    """Grabs of one body."""

    def __init__(self, holder: KinBody) -> None:
        self.holder = holder
        self._held: list[_Held] = []

    @property
    def bodies(self) -> tuple[KinBody, ...]:
        """The bodies that are held."""
        return tuple(held.body for held in self._held)

    @property
    def state(self) -> tuple[GrabbedBody, ...]:
        """The held bodies, by name."""
        return tuple(held.info for held in self._held)

    def holds(self, state: tuple[GrabbedBody, ...]) -> bool:
        """Return True if a state is the present one: nothing was grabbed again."""
        return len(state) == len(self._held) and all(
            held.info is info for held, info in zip(self._held, state, strict=True)
        )

    def grab(self, body: KinBody, link: int, ignored: Iterable[int]) -> None:
        """Hold a body from now on."""
        holder = self.holder
        if body is holder:
            raise ArgumentError(f"{holder!r} can't grab itself")
        if body.env is not holder.env:
            raise ArgumentError(f"{body!r} is in another environment than {holder!r}")
        if body.holder is not None and body.holder is not holder:
            raise ArgumentError(
                f"{body.holder!r} holds {body!r} already; release it first"
            )
        if _holds(body, holder):
            raise ArgumentError(
                f"{body!r} holds {holder!r}; they can't hold each other"
            )
        names = holder.model.link_names
        rigid = holder.model.rigidly_attached(link).tolist()
        always = tuple(names[i] for i in sorted({*rigid, *ignored}))
        info = GrabbedBody(body.name, names[link], np.eye(4), always)
        before = self._held
        # the checker must not take it for held yet
        self._held = [held for held in before if held.body is not body]
        try:
            info = self._touching(body, info)
        except BaseException:
            self._held = before
            raise
        self._take(body, info)
        self._place(self._held[-1])

    def regrab(self) -> None:
        """Grab what is held again as it lies now, with what touches it now."""
        before = self._held
        self._held = []
        try:
            for held in before:
                held.info = self._touching(held.body, held.info)
                self._held.append(held)
                self._place(held)
        except BaseException:
            self._held = before
            raise

    def release(self, body: KinBody) -> bool:
        """Let go; False if it was not held. The body keeps its present velocity."""
        kept = [held for held in self._held if held.body is not body]
        if len(kept) == len(self._held):
            return False
        velocity = body.base_velocity
        self._held = kept
        body.set_holder(None)
        body.base_velocity = velocity
        return True

    def link_of(self, body: KinBody) -> int | None:
        """Return the index of the link that holds a body, None if none does."""
        return next((held.link for held in self._held if held.body is body), None)

    def velocity_of(self, body: KinBody) -> Array:
        """Return the velocity (6,) that the link which holds a body gives it."""
        link = self.link_of(body)
        if link is None:
            raise ArgumentError(f"{self.holder!r} does not hold {body!r}")
        return velocity_at(self.holder.links[link], body.transform[:3, 3])

    def follow(self) -> None:
        """Move what is held to where the holder's links are."""
        transforms = self.holder.transforms_view if self._held else np.empty(0)
        for held in self._held:
            held.body.transform = transforms[held.link] @ held.info.T_link_body

    def restore(self, state: tuple[GrabbedBody, ...]) -> None:
        """Hold what a state says, by name; what was removed since is not held."""
        holder = self.holder
        for info in state:
            holder.model.link_number(info.link)
            if info.name == holder.name:
                raise ArgumentError(f"{holder!r} can't grab itself")
        if self.holds(state):
            return
        known = {body.name: body for body in self.bodies}
        for body in known.values():
            body.set_holder(None)
        self._held = []
        if not state:
            return
        bodies = holder.env.bodies
        for info in state:
            # bodies need not be in the environment to be held
            found = bodies.get(info.name) or known.get(info.name)
            if found is None:
                continue
            if found.holder is not None:
                found.holder.release(found)
            # it may have taken hold of this one since
            while _holds(found, holder) and holder.holder is not None:
                holder.holder.release(holder)
            self._take(found, info)

    def checked_pairs(self) -> Iterator[tuple[Link, Link]]:
        """Yield pairs of links of holder and held bodies that must not touch.

        The first link is one of the holder, or of another body that it holds.
        """
        holder = self.holder
        for k, held in enumerate(self._held):
            spared = {*held.info.ignored_links, *held.info.touching_links}
            theirs = [link for link in holder.links if link.name not in spared]
            for other in self._held[:k]:
                if not _touched(held, other):
                    theirs += other.body.links
            for link in theirs:
                for own in held.body.links:
                    yield link, own

    def _take(self, body: KinBody, info: GrabbedBody) -> None:
        link = self.holder.model.link_number(info.link)
        self._held.append(_Held(body, link, info))
        body.set_holder(self.holder)

    def _place(self, held: _Held) -> None:
        """Record the pose of a body in the link that holds it."""
        pose = self.holder.transforms_view[held.link]
        relative = invert_pose(pose) @ held.body.transform
        held.info = dataclasses.replace(held.info, T_link_body=relative)

    def _touching(self, body: KinBody, info: GrabbedBody) -> GrabbedBody:
        """Return the record with what touches a body now, as the checker says.

        Checkers know bodies of the environment only: without it nothing touches.
        """
        holder = self.holder
        known = holder.env.bodies
        checker = holder.env.collision_checker
        if holder not in known or body not in known or not checker.finds_collisions:
            return dataclasses.replace(info, touching_links=(), touching_bodies=())
        check = checker.check_collision
        others = [other for other in self.bodies if other is not body]
        # a link that is disabled now may be enabled while it is in the way
        with ExitStack() as enabled:
            for one in (holder, body, *others):
                enabled.enter_context(_all_enabled(one))
            links = tuple(
                link.name
                for link in holder.links
                if link.name not in info.ignored_links and check(link, body)
            )
            # link by link: bodies that one holds are not checked against each other
            bodies = tuple(
                other.name
                for other in others
                if any(check(link, body) for link in other.links)
            )
        return dataclasses.replace(info, touching_links=links, touching_bodies=bodies)


def velocity_at(link: Link, point: Array) -> Array:
    """Return the velocity (6,) of a point (3,) in the world that is fixed to a link."""
    velocity = link.velocity.copy()
    velocity[:3] += np.cross(velocity[3:], point - link.pose_view[:3, 3])
    return velocity


@contextmanager
def _all_enabled(body: KinBody) -> Iterator[None]:
    """Enable all links of a body for a ``with`` block."""
    before = body.links_enabled
    if before.all():
        yield
        return
    body.enabled = True
    try:
        yield
    finally:
        for index, enabled in enumerate(before.tolist()):
            body.enable_link(index, enabled)


def _touched(one: _Held, other: _Held) -> bool:
    return (
        other.info.name in one.info.touching_bodies
        or one.info.name in other.info.touching_bodies
    )


def body_to_hold(holder: KinBody, body: KinBody | str) -> KinBody:
    """Return a body given itself or its name in the holder's environment.

    Raises
    ------
    ArgumentError
        It is neither.
    NotFoundError
        The environment has no body of that name.
    """
    found = named_body(holder.env, body)
    if not is_body(found):
        raise ArgumentError(
            f"{holder!r} can hold bodies only, not {found!r}; give a body or its name"
        )
    return found


def holders_first(bodies: Iterable[KinBody]) -> list[KinBody]:
    """Return bodies with each holder before what it holds.

    States that are put back in this order come back to the last bit: a holder moves
    what it holds, whose own state is then applied.
    """
    known = {id(body): body for body in bodies}
    if not [body for body in known.values() if body.grabber is not None]:
        return list(known.values())
    ordered: list[KinBody] = []
    # bodies can't hold each other, so that each is below one that nothing here holds
    queue = [body for body in known.values() if id(body.holder) not in known]
    queue.reverse()
    while queue:
        body = queue.pop()
        ordered.append(body)
        queue += [other for other in body.grabbed if id(other) in known]
    return ordered


def attached_to(body: KinBody) -> tuple[KinBody, ...]:
    """Return a body and all that move together with it: held, holding, and so on."""
    found = {id(body): body}
    queue = [body]
    for one in queue:
        around = one.grabbed if one.holder is None else (*one.grabbed, one.holder)
        queue += [other for other in around if id(other) not in found]
        found |= {id(other): other for other in around}
    return tuple(found.values())


def _holds(body: KinBody, wanted: KinBody) -> bool:
    above = wanted.holder
    while above is not None and above is not body:
        above = above.holder
    return above is not None
