"""Viewers of an environment."""

from __future__ import annotations

from typing import Any

import pyrave
from pyrave_openravepy.api.environment.options import options
from pyrave_openravepy.api.foundation.logs import RaveLogWarn
from pyrave_openravepy.api.foundation.objects import ApiObject, wrap
from pyrave_openravepy.api.instruments.unseen_viewer import UnseenViewer

__all__ = ["EnvironmentViewers"]


class EnvironmentViewers(ApiObject):
    """The part of `Environment` that is looked at; nothing of it waits."""

    def SetViewer(self, viewername: str, showviewer: bool = True) -> bool:
        for viewer in self._native.viewers:
            viewer.close()
            if any(one is viewer for one in self._native.viewers):
                self._native.remove(viewer)
        if not viewername:
            return True
        name = options.viewer or viewername
        if not (options.web_viewer and showviewer and self._shows(name)):
            self._native.add(UnseenViewer(self._native))
        return True

    def _shows(self, name: str) -> bool:
        try:
            self._native.show(str(name))
        except pyrave.Error as error:
            RaveLogWarn(f"nobody sees the scene: {error}")
            return False
        return True

    def SetDefaultViewer(self, showviewer: bool = True) -> bool:
        name = self._native.registry.default_id("viewer") or "viser"
        return self.SetViewer(name, showviewer)

    def GetViewer(self) -> Any:
        viewers = self._native.viewers
        return wrap(viewers[0]) if viewers else None
