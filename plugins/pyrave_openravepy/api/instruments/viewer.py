"""`Viewer`: who shows an environment."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.foundation.guard import unlocked
from pyrave_openravepy.api.foundation.handles import VoidHandle
from pyrave_openravepy.api.foundation.logs import RaveLogWarn
from pyrave_openravepy.api.foundation.objects import register_kind, wrap_part
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.instruments.sensor_data import CameraIntrinsics
from pyrave_openravepy.api.interface import Interface

__all__ = ["Viewer"]

_SIZE = (1024, 768)
_FOCAL_LENGTH = 640.0


class Viewer(Interface):
    """Shows an environment; what a browser has no equal of is kept and told."""

    _size = _SIZE
    _title = ""
    _focal = 1.0
    _camera: Any = None

    @unlocked
    def main(self, show: Any = True, sig_thread_id: int = 0) -> int:
        return int(self._native.main(bool(show)))

    def quitmainloop(self) -> None:
        self._native.quit_main_loop()

    def SetSize(self, width: int, height: int) -> None:
        self._size = int(width), int(height)
        with suppress(pyrave.NotSupportedError):
            self._native.set_size(*self._size)

    def Move(self, x: int, y: int) -> None:
        """Do nothing: there is no window that could be moved."""

    def Show(self, showtype: int) -> None:
        """Do nothing: there is no window that could be hidden."""

    def SetTitle(self, title: str) -> None:
        self._title = str(title)

    def SetName(self, title: str) -> None:
        self._title = str(title)

    def GetName(self) -> str:
        return self._title or self.GetXMLId()

    def SetUserText(self, userText: str) -> None:
        self._text = str(userText)

    def SetTextSize(self, size: float) -> None:
        self._text_size = float(size)

    def EnvironmentSync(self) -> None:
        self._native.env.publish()

    # -- camera ----------------------------------------------------------------------

    def SetCamera(self, transform: Any, focalDistance: float = 0.0) -> None:
        self._camera = matrix_of(transform)
        self._focal = float(focalDistance) or self._focal
        with suppress(pyrave.NotSupportedError):
            self._native.set_camera(self._camera, float(focalDistance))

    def SetBkgndColor(self, color: Any) -> None:
        with suppress(pyrave.NotSupportedError):
            self._native.set_background_color(np.array(color, dtype=np.float64)[:3])

    def GetCameraTransform(self) -> NDArray[np.float64]:
        if self._camera is None:
            self._camera = np.array(self._native.env.viewpoint().pose)
        return np.array(self._camera)

    def GetCameraDistanceToFocus(self) -> float:
        return self._focal

    def GetCameraIntrinsics(self) -> CameraIntrinsics:
        width, height = self._size
        found = CameraIntrinsics()
        found.K = np.array(
            (
                (_FOCAL_LENGTH, 0.0, width / 2),
                (0.0, _FOCAL_LENGTH, height / 2),
                (0.0, 0.0, 1.0),
            )
        )
        return found

    def GetCameraImage(self, width: int, height: int, transform: Any, K: Any) -> Any:
        lens = np.array(K, dtype=np.float64)
        if lens.shape == (3, 3):
            lens = lens[(0, 1, 0, 1), (0, 1, 2, 2)]
        pose = matrix_of(transform)
        return np.array(
            self._native.get_camera_image(int(width), int(height), pose, lens)
        )

    def SendCommand(
        self, cmd: str, releasegil: bool = False, lockenv: bool = False
    ) -> str | None:
        """Answer a command; images show what scripts draw, whatever they ask."""
        name, *words = str(cmd).split()
        if name.lower() != "setfiguresincamera":
            return super().SendCommand(cmd)
        if words not in (["1"], ["0"]):
            raise pyrave.CommandError(
                f"{cmd!r} is wrong, expected SetFiguresInCamera 1 or 0"
            )
        if words == ["0"]:
            RaveLogWarn("images of a viewer show what scripts draw in any case")
        return ""

    # -- events ----------------------------------------------------------------------

    def RegisterItemSelectionCallback(self, callback: Any) -> VoidHandle:
        def tell(click: Any) -> None:
            point = np.zeros(3) if click.point is None else np.array(click.point)
            link = wrap_part(Link, click.link, click.link.body)
            callback(link, point, self.GetCameraTransform()[:3, 3])

        try:
            return VoidHandle(self._native.on_click(tell))
        except pyrave.NotSupportedError:
            # nobody can click where nobody sees anything
            return VoidHandle()

    def RegisterCallback(self, properties: Any, callback: Any) -> VoidHandle:
        # 1, or its name, is the selection of things
        if str(properties) in {"1", "ItemSelection"}:
            return self.RegisterItemSelectionCallback(callback)
        raise pyrave.NotSupportedError(
            f"no viewer has callbacks for {properties!r}; use "
            "RegisterItemSelectionCallback, or pyrave's viewer.add_button"
        )


register_kind("viewer", Viewer)
