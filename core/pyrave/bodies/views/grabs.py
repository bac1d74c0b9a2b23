"""The grabs of a body as scripts read and assign them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pyrave.argument_names import methods_suggest
from pyrave.bodies.views.part import BodyPart
from pyrave.errors import ArgumentError
from pyrave.interfaces.named_bodies import named_body
from pyrave.world.body_state import BodyChange, GrabbedBody

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link


@methods_suggest
class BodyGrabs(BodyPart):
    """The grabs of a body: `KinBody.grabs`.

    `KinBody.grab` and `KinBody.release` take and let go, `KinBody.grabbed` are the
    bodies.
    """

    _hot = "link_of"

    __slots__ = ()

    @property
    def info(self) -> tuple[GrabbedBody, ...]:
        """Its grabs: link, relative pose, links that may touch; in grabbing order.

        Assignable: bodies that are not named are let go.
        """
        hand = self._body.grabber
        return () if hand is None else hand.state

    @info.setter
    def info(self, info: Iterable[GrabbedBody]) -> None:
        wanted = tuple(info) if isinstance(info, Iterable) else ()
        if not isinstance(info, Iterable) or not all(
            isinstance(one, GrabbedBody) for one in wanted
        ):
            raise ArgumentError(
                f"grabs.info is {info!r}, expected a sequence of GrabbedBody"
            )
        hand = self._body.hand()
        hand.restore(wanted)
        hand.follow()
        self._body.notify(BodyChange.GRAB)

    @property
    def link_pairs(self) -> tuple[tuple[Link, Link], ...]:
        """Pairs of links that a self collision query checks for what it holds.

        The first link is its own or one of another held body, the second one of a held
        body; pairs that may touch are left out.
        """
        hand = self._body.grabber
        return () if hand is None else tuple(hand.checked_pairs())

    def link_of(self, body: KinBody | str) -> Link | None:
        """Return the link that holds a body or one of that name, None if none does."""
        hand = self._body.grabber
        body = named_body(self._body.env, body)
        found = None if hand is None else hand.link_of(body)
        return None if found is None else self._body.links[found]

    def renew(self) -> None:
        """Grab what it holds again as it lies now, after it was moved in the hand."""
        hand = self._body.grabber
        if hand is not None:
            hand.regrab()
            self._body.notify(BodyChange.GRAB)
