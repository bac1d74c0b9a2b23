"""A body as text: equal bodies have equal texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.enums import SerializationOptions

__all__ = ["text_of_body"]

_DIGITS = 4


def text_of_body(native: Any, options: int) -> str:
    """Return those parts of a body that bits of `SerializationOptions` name."""
    lines: list[str] = []
    known = native.description
    if options & SerializationOptions.NamesAndFiles:
        lines += [native.name, native.uri]
    if options & SerializationOptions.Kinematics:
        lines.append(native.structure.kinematics_hash)
        lines += [f"{one.name} {one.type}" for one in known.joints]
    if options & SerializationOptions.JointLimits:
        lines += [_numbers(one) for one in native.dof_limits]
    if options & SerializationOptions.Geometry:
        for link in native.links:
            for one in link.geometries:
                lines.append(f"{one.type} {_numbers(one.transform)}")
                lines.append(_numbers(np.concatenate(one.aabb_in(np.eye(4)) or [[]])))
    if options & SerializationOptions.Dynamics:
        for link in native.links:
            values = (link.mass, *link.local_com, *link.local_inertia.ravel())
            lines.append(_numbers(values))
    if options & SerializationOptions.BodyState:
        lines += [_numbers(native.transform), _numbers(native.dof_values)]
    return "\n".join(lines)


def _numbers(values: Any) -> str:
    rounded = np.round(np.asarray(values, dtype=np.float64).ravel(), _DIGITS) + 0.0
    return " ".join(repr(value) for value in rounded.tolist())
