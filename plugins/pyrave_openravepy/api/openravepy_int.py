"""The bindings' own module in OpenRAVE; here its names are those of ``openravepy``."""

from __future__ import annotations

import sys
from typing import Any

# the package of this module imports it, or has been imported before it
_home = sys.modules[__package__ or ""]


def __getattr__(name: str) -> Any:
    return getattr(_home, name)


def __dir__() -> list[str]:
    return list(_home.__all__)
