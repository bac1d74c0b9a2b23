"""`KinBody.ManageData`: how a sensor system moves a body."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import ApiObject, wrap

__all__ = ["ManageData"]


class ManageData(Guarded):
    """The hold of a sensor system on a body.

    Parameters
    ----------
    body
        The body of the API.
    system
        pyrave's sensor system that tracks it.
    """

    def __init__(self, body: Any, system: Any) -> None:
        if not isinstance(body, ApiObject):
            text = f"found {body!r:.80}, expected a body; GetManageData makes these"
            raise TypeError(text)
        self._body = body
        self._system = system

    def _record(self, name: str, default: Any) -> Any:
        """Return part of what the system keeps of the body, if it tells of it."""
        tracked = getattr(self._system, "tracked", {})
        return getattr(tracked.get(self._body._native.name), name, default)

    def GetSystem(self) -> Any:
        return wrap(self._system)

    def GetData(self) -> Any:
        return self._record("data", None)

    def GetOffsetLink(self) -> Any:
        links = self._body.GetLinks()
        link = self._record("offset_link", None)
        return links[0 if link is None else link.index]

    def IsPresent(self) -> bool:
        return bool(self._system.is_body_present(self._body._native))

    def IsEnabled(self) -> bool:
        return bool(self._record("enabled", self.IsPresent()))

    def IsLocked(self) -> bool:
        return bool(self._record("locked", False))

    def Lock(self, dolock: bool) -> bool:
        """Let the body stay when it is no longer seen; True if that can be said."""
        tracked = getattr(self._system, "tracked", {})
        record = tracked.get(self._body._native.name)
        if record is None:
            return False
        record.locked = bool(dolock)
        return True

    def __repr__(self) -> str:
        return f"<managedata:{self._body.GetName()}>"
