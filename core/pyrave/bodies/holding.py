"""Holding other bodies: the part of a body's face that is about grabbing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.grabbing import Grabber, attached_to, named_body
from pyrave.bodies.structure import Structure
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.spatial import Array
from pyrave.world.body_state import BodyChange, GrabbedBody

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link

__all__ = ["Holding"]


class Holding(Structure):
    """The hands of `pyrave.KinBody`: what it holds, and who holds it."""

    _grabber: Grabber | None = None
    _holder: KinBody | None = None

    def grab(
        self,
        body: KinBody | str,
        link: Link | str | None = None,
        ignored_links: Iterable[Link | str | int] = (),
    ) -> None:
        """Hold a body with a link: it moves with that link from now on.

        What it holds already is taken anew as it lies now, by that link.

        Links of this body that touch it now, as the collision checker says, may go on
        touching it, and so may other bodies in the same hands: see `grabbed_info`.

        Parameters
        ----------
        body
            The body or its name in the environment.
        link
            None: the end effector of a robot's active manipulator, else the base.
        ignored_links
            Links of this body that may touch it later too. Those that never move
            against `link` always may.

        Raises
        ------
        ArgumentError
            It is no body, is this one, is held by another one, holds this one, or is
            in another environment.
        NotFoundError
            The environment has no body of that name.
        """
        body = named_body(self._myself(), body)
        index = self.default_grab_link() if link is None else self._link_index(link)
        if self._grabber is None:
            self._grabber = Grabber(self._myself())
        ignored = [self._link_index(one) for one in ignored_links]
        self._grabber.grab(body, index, ignored)
        self._myself().notify(BodyChange.GRAB)

    def default_grab_link(self) -> int:
        """Return the index of the link that grabs when none is named."""
        return 0

    def release(self, body: KinBody | str) -> None:
        """Let go of a body that is held; NotFoundError if it is not."""
        body = named_body(self._myself(), body)
        if self._grabber is None or not self._grabber.release(body):
            raise NotFoundError(
                "grabbed body", body.name, [b.name for b in self.grabbed]
            )
        self._myself().notify(BodyChange.GRAB)

    def release_all(self, link: Link | str | int | None = None) -> None:
        """Let go of everything, or of what one link holds."""
        only = None if link is None else self.links[self._link_index(link)]
        for body in self.grabbed:
            if only is None or self.grabbing_link(body) is only:
                self.release(body)

    def regrab_all(self) -> None:
        """Take what it holds anew as it lies now, after it was moved in the hand."""
        if self._grabber is not None:
            self._grabber.regrab()
            self._myself().notify(BodyChange.GRAB)

    @property
    def grabbed(self) -> tuple[KinBody, ...]:
        """The bodies that it holds."""
        return () if self._grabber is None else self._grabber.bodies

    @property
    def grabbed_info(self) -> tuple[GrabbedBody, ...]:
        """How it holds what: link, relative pose, what may touch; in grabbing order."""
        return () if self._grabber is None else self._grabber.state

    @grabbed_info.setter
    def grabbed_info(self, info: Iterable[GrabbedBody]) -> None:
        wanted = tuple(info) if isinstance(info, Iterable) else ()
        if not isinstance(info, Iterable) or not all(
            isinstance(one, GrabbedBody) for one in wanted
        ):
            raise ArgumentError(
                f"grabbed_info is {info!r}, expected a sequence of GrabbedBody"
            )
        if self._grabber is None:
            self._grabber = Grabber(self._myself())
        self._grabber.restore(wanted)
        self._grabber.follow()
        self._myself().notify(BodyChange.GRAB)

    @property
    def grabbed_link_pairs(self) -> tuple[tuple[Link, Link], ...]:
        """What a self collision query checks of what it holds, beside its own links.

        The first link is its own or one of another held body, the second one of a held
        body; pairs that may touch are left out.
        """
        return () if self._grabber is None else tuple(self._grabber.checked_pairs())

    def is_grabbing(self, body: KinBody) -> bool:
        """Return True if it holds that body."""
        return any(held is body for held in self.grabbed)

    def grabbing_link(self, body: KinBody) -> Link | None:
        """Return the link that holds a body, None if it does not hold it."""
        found = None if self._grabber is None else self._grabber.link_of(body)
        return None if found is None else self.links[found]

    @property
    def holder(self) -> KinBody | None:
        """The body that holds this one."""
        return self._holder

    def set_holder(self, holder: KinBody | None) -> None:
        """Tell the body who holds it; only `Grabber` does."""
        self._holder = holder

    def velocity_of_held(self, body: KinBody) -> Array:
        """Return the velocity (6,) that a link gives a body which it holds."""
        link = self.grabbing_link(body)
        if link is None:
            raise ArgumentError(f"{self!r} does not hold {body!r}")
        velocity = link.velocity.copy()
        arm = body.transform[:3, 3] - link.pose_view[:3, 3]
        velocity[:3] += np.cross(velocity[3:], arm)
        return velocity

    @property
    def attached(self) -> tuple[KinBody, ...]:
        """Itself and all that move with it: held ones, holders, and so on."""
        return attached_to(self._myself())

    def is_attached(self, body: KinBody) -> bool:
        """Return True if a body moves with this one."""
        return any(one is body for one in self.attached)
