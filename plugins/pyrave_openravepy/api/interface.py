"""`Interface`: what bodies, sensors, planners and all other interfaces have."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.enums import InterfaceType
from pyrave_openravepy.api.foundation.objects import ApiObject, wrap

__all__ = ["Interface"]


class Interface(ApiObject):
    """An interface of a plugin."""

    def GetInterfaceType(self) -> Any:
        return getattr(InterfaceType, self._native.interface_type)

    def GetXMLId(self) -> str:
        return str(self._native.interface_id)

    def GetPluginName(self) -> str:
        return str(self._native.plugin)

    def GetEnv(self) -> Any:
        return wrap(self._native.env)
