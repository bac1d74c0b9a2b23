"""What a body holds: bodies that move with its links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pyrave.bodies import grabbing
from pyrave.bodies.grabbing import Grabber
from pyrave.bodies.posed import PosedModel
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.interfaces.named_bodies import named_body
from pyrave.spatial import Array
from pyrave.world.body_state import BodyChange, GrabbedBody

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link
    from pyrave.interfaces.collection import NamedCollection
    from pyrave.world import PendingChanges


class Holding(PosedModel):
    """The part of `pyrave.KinBody` that holds other bodies and is held."""

    # few bodies have these: with up to 30 attributes Python makes no dictionary
    _grabber: Grabber | None = None
    _holder: KinBody | None = None
    pending: PendingChanges | None

    if TYPE_CHECKING:

        @property
        def links(self) -> NamedCollection[Link]:
            """Its links."""

        def notify(self, change: BodyChange) -> None:
            """Report a change."""

    @property
    def _whole(self) -> KinBody:
        return self  # type: ignore[return-value] # only bodies hold others

    def _hand(self) -> Grabber:
        if self._grabber is None:
            self._grabber = Grabber(self._whole)
        return self._grabber

    def grab(
        self,
        body: KinBody | str,
        link: Link | str | None = None,
        ignored_links: Iterable[Link | str | int] = (),
    ) -> None:
        """Hold a body with a link: it moves with that link from now on.

        A body that it holds already is grabbed again as it lies now, by that link.

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
            It is not a body, is this one, is held by another one, holds this one, or is
            in another environment.
        NotFoundError
            The environment has no body of that name.
        """
        body = grabbing.body_to_hold(self._whole, body)
        index = self.default_grab_link() if link is None else self.link_index(link)
        ignored = [self.link_index(one) for one in ignored_links]
        self._hand().grab(body, index, ignored)
        self.notify(BodyChange.GRAB)

    def default_grab_link(self) -> int:
        """Return the index of the link that grabs when none is named."""
        return 0

    def release(self, body: KinBody | str) -> None:
        """Let go of a body that is held; NotFoundError if it is not."""
        body = grabbing.body_to_hold(self._whole, body)
        if self._grabber is None or not self._grabber.release(body):
            raise NotFoundError(
                "grabbed body", body.name, [b.name for b in self.grabbed]
            )
        self.notify(BodyChange.GRAB)

    def release_all(self, link: Link | str | int | None = None) -> None:
        """Let go of everything, or of what one link holds."""
        only = None if link is None else self.links[self.link_index(link)]
        for body in self.grabbed:
            if only is None or self.grabbing_link(body) is only:
                self.release(body)

    def regrab_all(self) -> None:
        """Grab what it holds again as it lies now, after it was moved in the hand."""
        if self._grabber is not None:
            self._grabber.regrab()
            self.notify(BodyChange.GRAB)

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
        hand = self._hand()
        hand.restore(wanted)
        hand.follow()
        self.notify(BodyChange.GRAB)

    @property
    def grabbed_link_pairs(self) -> tuple[tuple[Link, Link], ...]:
        """Pairs of links that a self collision query checks for what it holds.

        The first link is its own or one of another held body, the second one of a held
        body; pairs that may touch are left out.
        """
        return () if self._grabber is None else tuple(self._grabber.checked_pairs())

    def is_grabbing(self, body: KinBody | str) -> bool:
        """Return True if it holds that body, given itself or its name."""
        body = named_body(self._whole.env, body)
        return any(held is body for held in self.grabbed)

    def grabbing_link(self, body: KinBody | str) -> Link | None:
        """Return the link that holds a body or one of that name, None if none does."""
        body = named_body(self._whole.env, body)
        found = None if self._grabber is None else self._grabber.link_of(body)
        return None if found is None else self.links[found]

    @property
    def holder(self) -> KinBody | None:
        """The body that holds this one."""
        return self._holder

    def set_holder(self, holder: KinBody | None) -> None:
        """Note which body holds it; only `Grabber` does."""
        self._holder = holder
        if self.pending is not None:
            self.pending.relations += 1

    def velocity_of_held(self, body: KinBody) -> Array:
        """Return the velocity (6,) that a link gives a body which it holds."""
        link = self.grabbing_link(body)
        if link is None:
            raise ArgumentError(f"{self!r} does not hold {body!r}")
        return grabbing.velocity_at(link, body.transform[:3, 3])

    @property
    def attached(self) -> tuple[KinBody, ...]:
        """Itself and all that move with it: held ones, holders, and so on."""
        return grabbing.attached_to(self._whole)

    def is_attached(self, body: KinBody | str) -> bool:
        """Return True if a body, or one of that name, moves with this one."""
        body = named_body(self._whole.env, body)
        return any(one is body for one in self.attached)
