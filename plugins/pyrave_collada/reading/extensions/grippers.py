"""Grippers of robots: OpenRAVE's ``gripper_info``, whose content is JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyrave.errors import did_you_mean
from pyrave.scene import GripperDescription
from pyrave_collada.document.parsed import child
from pyrave_collada.vocabulary import GRIPPER_KEYS

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyrave_collada.document.extras import Extras
    from pyrave_collada.reading.load import ColladaReading


def read_grippers(
    described: Extras, joints: Collection[str], reading: ColladaReading
) -> tuple[GripperDescription, ...]:
    """Return what extras say about grippers; the last one of a name counts.

    Parameters
    ----------
    joints
        Names of the robot's joints.
    """
    found: dict[str, GripperDescription] = {}
    for _, extra, part in described:
        said = _json(extra, part, reading)
        if said is None:
            continue
        name, kind, names = (said.pop(key, None) for key in GRIPPER_KEYS)
        name = name if isinstance(name, str) and name else extra.get("name") or ""
        if not name:
            reading.warn(extra, "bad-name", "a gripper has no name")
            continue
        known = []
        for joint in names if isinstance(names, list) else ():
            if joint in joints:
                known.append(joint)
                continue
            reading.warn(
                extra,
                "unknown-joint",
                f"gripper {name!r} names the joint {joint!r}, which does not exist"
                f"{did_you_mean(str(joint), joints)}",
            )
        data = json.dumps(said) if said else ""
        kind = kind if isinstance(kind, str) else ""
        found.pop(name, None)
        found[name] = GripperDescription(
            name, kind, tuple(known), data, reading.location(extra)
        )
    return tuple(found.values())


def _json(extra: Any, part: Any, reading: ColladaReading) -> dict[str, Any] | None:
    """Return the object that an extra holds, None after a report."""
    element = child(part, "json_data")
    text = "" if element is None else "".join(element.itertext()).strip()
    try:
        said = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        reading.warn(extra, "bad-value", f"the JSON of <gripper_info> is none: {error}")
        return None
    if not isinstance(said, dict):
        reading.warn(
            extra, "bad-value", "the JSON of <gripper_info> is no object of keys"
        )
        return None
    return said
