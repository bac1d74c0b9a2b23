"""Plugin, id and settings of an object under construction, for its constructor."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any


class made_by:  # noqa: N801 - reads as what it is
    """Let an object that is made in a ``with`` block have a plugin, id and settings.

    Parameters
    ----------
    distribution
        Of all objects that are made in the block.
    interface_type, interface_id
        Of the object that takes the settings: the first of this type.
    settings
        Values by name, or the whole settings of another object.
    """

    __slots__ = (
        "_token", "distribution", "interface_id", "interface_type", "is_taken",
        "settings",
    )  # fmt: skip

    def __init__(
        self,
        distribution: str,
        interface_type: str = "",
        interface_id: str = "",
        settings: Any = None,
    ) -> None:
        self.distribution = distribution
        self.interface_type = interface_type
        self.interface_id = interface_id
        self.settings = settings
        self.is_taken = False

    def __enter__(self) -> None:
        self._token = MAKER.set(self)

    def __exit__(self, *_: object) -> None:
        MAKER.reset(self._token)


_NOBODY = made_by("")
MAKER: ContextVar[made_by] = ContextVar("pyrave_plugin", default=_NOBODY)
