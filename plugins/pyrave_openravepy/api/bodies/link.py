"""`KinBody.Link`: a rigid part of a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.foundation.objects import ApiObject, wrap

__all__ = ["Link"]


class Link(ApiObject):
    """A rigid part of a body."""

    def GetName(self) -> str:
        return str(self._native.name)

    def GetIndex(self) -> int:
        return int(self._native.index)

    def GetParent(self) -> Any:
        return wrap(self._native.body)

    def GetTransform(self) -> NDArray[np.float64]:
        return np.array(self._native.transform)
