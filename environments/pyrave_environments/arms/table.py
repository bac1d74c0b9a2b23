"""The arms that ship, as ``table.toml`` has them."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

from pyrave_environments.arms.data import Arm, At, Row

__all__ = ["ARMS"]


def _arm(said: dict[str, Any]) -> Arm:
    """Return an arm, given its keys: those of `Arm`."""
    joints = tuple(map(_joint, said.pop("joints")))
    return Arm(joints=joints, **{key: _value(one) for key, one in said.items()})


def _joint(said: dict[str, Any]) -> At | Row:
    """Return a joint, given its keys: those of `At` or `Row`, or ``limits_rad``."""
    given = {key: _value(one) for key, one in said.items()}
    given.setdefault("limits", None)
    if "limits_rad" in given:
        given["limits"] = tuple(map(math.degrees, given.pop("limits_rad")))
    return At(**given) if "axis" in given else Row(**given)


def _value(found: Any) -> Any:
    """Return a value of the file with numbers as floats and lists as tuples."""
    if isinstance(found, list):
        return tuple(map(float, found))
    return float(found) if type(found) is int else found


_TABLE = Path(__file__).with_suffix(".toml").read_text("utf-8")
ARMS = tuple(map(_arm, tomllib.loads(_TABLE)["arm"]))
"""Every arm that ships, six joints first."""
