"""Forces and torques that scripts apply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyrave
from pyrave_openravepy.api.foundation.logs import RaveLogDebug

__all__ = ["push"]


def push(apply: Callable[..., None], *given: Any, **named: Any) -> None:
    """Apply forces; an engine that knows none lets them be, as OpenRAVE's generic one.

    Parameters
    ----------
    apply
        A method of pyrave's, which raises if the engine knows no forces.
    """
    try:
        apply(*given, **named)
    except pyrave.NotSupportedError as error:
        RaveLogDebug(f"nothing is pushed: {error}")
