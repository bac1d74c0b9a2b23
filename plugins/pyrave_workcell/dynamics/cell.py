"""View of the WorkCell that a Dynamic WorkCell is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.scene import LinkReference

if TYPE_CHECKING:
    from pyrave.scene import Pose
    from pyrave_workcell.workcell import Arrangement
    from pyrave_workcell.workcell.document import Document


@dataclass(frozen=True, slots=True)
class Site:
    """Link or world that carries a frame, and T_link_frame."""

    link: LinkReference
    pose: Pose


class Cell:
    """A WorkCell whose frames are brought to bodies."""

    def __init__(self, arranged: Arrangement) -> None:
        self._places = arranged.places
        self._state = arranged.state
        self._held = {(one.body, one.holder, one.link) for one in arranged.grabs}
        self.document: Document = arranged.document
        """Contents of its file."""

    def site(self, frame: str) -> Site:
        """Return the site of an existing frame."""
        place = self._places[frame]
        return Site(LinkReference(place.body, place.link), place.pose)

    def world(self, frame: str) -> Pose:
        """Return T_world_frame in the state that the file shows."""
        return self._state.world[frame]

    def joint(self, frame: str) -> tuple[str, str]:
        """Return body and joint of a frame that moves; joints are named as links."""
        place = self._places[frame]
        return place.body, place.link

    def device_joints(self, device: str) -> tuple[str, ...]:
        """Return the frames of a device's joints with values, in their order."""
        return self._state.device_joints[device]

    def n_values(self, device: str) -> int:
        """Return the number of values of a device's configuration."""
        return sum(map(self._state.dof, self.device_joints(device)))

    def is_held(self, body: str, holder: LinkReference) -> bool:
        """Return True if a body moves with a link of another."""
        return (body, holder.body, holder.link) in self._held
