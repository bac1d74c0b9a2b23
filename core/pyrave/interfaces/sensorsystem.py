"""Base of sensor systems: external trackers that update bodies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pyrave.interfaces.base import InterfaceBase

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody


class SensorSystemBase(InterfaceBase):
    """Updates body poses from outside, for example from a motion-capture system."""

    interface_type: ClassVar[str] = "sensorsystem"
    contract: ClassVar[int] = 1

    @abstractmethod
    def reset(self) -> None:
        """Forget all bodies."""

    @abstractmethod
    def add_registered_bodies(self, bodies: Sequence[KinBody]) -> None:
        """Track those of the bodies that carry a readable of this system."""

    @abstractmethod
    def add_kinbody(self, body: KinBody, data: Any = None) -> Any:
        """Track a body; `data` is its readable. Returns the tracking record."""

    @abstractmethod
    def remove_kinbody(self, body: KinBody) -> bool:
        """Stop tracking a body; False if it was not tracked."""

    @abstractmethod
    def is_body_present(self, body: KinBody) -> bool:
        """Return True if the body is tracked and was seen."""

    @abstractmethod
    def enable_body(self, body: KinBody, enable: bool) -> bool:
        """Switch updates of a body; False if it is not tracked.

        Parameters
        ----------
        enable
            Whether it is updated.
        """

    @abstractmethod
    def switch_body(self, first: KinBody, second: KinBody) -> bool:
        """Give the tracking data of one body to another; False if not tracked."""
