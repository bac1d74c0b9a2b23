"""Named coordinate frames on links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.attributes import ClosedView

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.scene import FrameDescription
    from pyrave.spatial import Array


class Frame(ClosedView):
    """A named frame that is fixed to a link of a body."""

    __slots__ = ("__weakref__", "body", "description")

    def __init__(self, body: KinBody, description: FrameDescription) -> None:
        self.body = body
        """The body it belongs to."""
        self.description = description
        """The description it was made from; frozen."""

    @property
    def name(self) -> str:
        """Its name, unique in the body."""
        return self.description.name

    @property
    def link(self) -> Link:
        """The link that it is fixed to."""
        name = self.description.link
        return self.body.links[name] if name else self.body.links[0]

    @property
    def local_transform(self) -> Array:
        """T_link_frame, (4, 4)."""
        return self.description.pose.matrix

    @property
    def transform(self) -> Array:
        """T_world_frame, (4, 4), a copy."""
        transform: Array = self.link.transform @ self.local_transform
        return transform

    def __repr__(self) -> str:
        return f"<Frame {self.name!r} of {self.body.name!r} on {self.link.name!r}>"
