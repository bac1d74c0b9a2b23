"""The module ``openravepy`` itself, for parts that call what lies above them."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["home"]


def home() -> Any:
    """Return the module that scripts import, once it is whole."""
    return sys.modules[__name__.rpartition(".foundation.")[0]]
