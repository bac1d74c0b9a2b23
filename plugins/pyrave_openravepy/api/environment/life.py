"""The life of environments: each stays until it is destroyed, and has a number."""

from __future__ import annotations

import threading
from typing import Any

import pyrave
from pyrave_openravepy.api.enums import EnvironmentCreateOptions
from pyrave_openravepy.api.environment.options import options
from pyrave_openravepy.api.foundation.guard import unlocked
from pyrave_openravepy.api.foundation.objects import ApiObject

__all__ = ["EnvironmentLife", "all_environments"]

# OpenRAVE's environments live until Destroy, whoever has forgotten them
_living: dict[int, EnvironmentLife] = {}
_last = 0
STEP = 0.01
STARTS_THREAD = int(EnvironmentCreateOptions.ECO_StartSimulationThread)


def all_environments() -> dict[int, Any]:
    """Return the environments that were not destroyed, by number."""
    return dict(_living)


class _Held(threading.local):
    """pyrave's environments that this thread has locked, the last one last."""

    def __init__(self) -> None:
        self.natives: list[pyrave.Environment] = []


class EnvironmentLife(ApiObject):
    """The part of `Environment` that makes, numbers and destroys it."""

    _id: int

    def __init__(self, *args: Any) -> None:
        given = next((one for one in args if isinstance(one, pyrave.Environment)), None)
        name = next((one for one in args if isinstance(one, str)), "")
        wanted = next((one for one in args if isinstance(one, int)), STARTS_THREAD)
        self._begin(pyrave.Environment() if given is None else given, name)
        if options.prepare is not None:
            options.prepare(self)
        # who has made one of pyrave's own environments steps it
        if given is None and wanted & STARTS_THREAD and options.simulation_thread:
            self._native.start(STEP)

    def _begin(self, native: pyrave.Environment, name: str) -> None:
        global _last  # noqa: PLW0603
        _last += 1
        self._id = _last
        self._name = name or f"env{_last}"
        self._description = ""
        self._keywords: list[str] = []
        self._revision = 0
        self._parameters: dict[str, int] = {}
        self._user_data: Any = None
        self._held = _Held()
        self._take_native(native)
        _living[_last] = self

    def _take_native(self, native: pyrave.Environment) -> None:
        self._native = self._environment = native
        native.user_data["openravepy"] = self

    @unlocked
    def Destroy(self) -> None:
        if _living.pop(self._id, None) is None:
            return
        self._native.stop()
        for viewer in self._native.viewers:
            viewer.close()
        for module in self._native.modules:
            self._native.remove(module)
        self._native.reset()
        if self._native.draw:
            self._native.draw.clear()

    def Reset(self) -> None:
        self._native.reset()

    def GetId(self) -> int:
        return self._id

    def __repr__(self) -> str:
        return f"RaveGetEnvironment({self._id})"

    def __str__(self) -> str:
        return f"<env {self._id}>"

    def __unicode__(self) -> str:
        return str(self)
