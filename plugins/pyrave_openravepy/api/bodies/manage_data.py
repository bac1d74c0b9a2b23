"""`KinBody.ManageData`: how a sensor system moves a body."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import wrap

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
        self._body = body
        self._system = system
        self._locked = False

    def GetSystem(self) -> Any:
        return wrap(self._system)

    def GetData(self) -> Any:
        return None

    def GetOffsetLink(self) -> Any:
        return self._body.GetLinks([0])[0]

    def IsPresent(self) -> bool:
        return bool(self._system.is_body_present(self._body._native))

    def IsEnabled(self) -> bool:
        return self.IsPresent()

    def IsLocked(self) -> bool:
        return self._locked

    def Lock(self, dolock: bool) -> bool:
        """Stop or let go on the updates of its pose; return True if it is tracked."""
        self._locked = bool(dolock)
        native = self._body._native
        return bool(self._system.enable_body(native, not self._locked))

    def __repr__(self) -> str:
        return f"<managedata:{self._body.GetName()}>"
