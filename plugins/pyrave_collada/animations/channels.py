"""``<library_animations>`` of curves of joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_collada.writing.tags import add, numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array
    from pyrave_collada.animations.curves import JointCurves


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """Animation channel of the values of one joint.

    Parameters
    ----------
    target
        The path.
    name
        What the animation is called.
    factors
        (w,) float64: what a value (radians or metres) is multiplied with.
    params
        Names of the numbers of one key, (w,).
    """

    target: str
    name: str
    factors: Array
    params: tuple[str, ...]


def add_animation(
    library: Any, key: str, channel: Channel, curves: JointCurves, column: int
) -> None:
    """Append the ``<animation>`` of one degree of freedom.

    Parameters
    ----------
    key
        Its id; those of its parts begin with it.
    column
        Which column of the curves it is.
    """
    animation = add(library, "animation", id=key, name=channel.name)
    values = curves.values[:, column, None] * channel.factors
    _add_source(animation, f"{key}_times", curves.times[:, None], ("TIME",))
    _add_source(animation, f"{key}_values", values, channel.params)
    inputs = {"INPUT": "times", "OUTPUT": "values"}
    if curves.bends is not None:
        bends = curves.bends[:, :, column, None] * channel.factors
        for semantic, name, points in _tangents(curves.times, values, bends):
            _add_source(animation, f"{key}_{name}", points, ("X", "Y"))
            inputs[semantic] = name
    source = add(animation, "source", id=f"{key}_kinds")
    text = " ".join([curves.kind] * len(curves.times))
    array = {"id": f"{key}_kinds-array", "count": str(len(curves.times))}
    add(source, "Name_array", text, **array)
    _add_accessor(source, array["id"], len(curves.times), ("INTERPOLATION",), "name")
    inputs["INTERPOLATION"] = "kinds"
    sampler = add(animation, "sampler", id=f"{key}_sampler")
    for semantic, name in inputs.items():
        add(sampler, "input", semantic=semantic, source=f"#{key}_{name}")
    add(animation, "channel", source=f"#{key}_sampler", target=channel.target)


def _tangents(
    times: Array, values: Array, bends: Array
) -> list[tuple[str, str, Array]]:
    """Return both tangents of keys: (n * w, 2) time and value of the inner points.

    Parameters
    ----------
    times, values
        (n,) and (n, w) float64: the keys.
    bends
        (n - 1, 2, w) float64: values of the inner points of each piece.
    """
    steps, (count, width) = np.diff(times), values.shape
    found = []
    for semantic, name, part, place, rest in (
        ("IN_TANGENT", "in", 1, slice(1, None), 0),
        ("OUT_TANGENT", "out", 0, slice(None, -1), -1),
    ):
        points = np.empty((count, width, 2))
        moments = times[:-1] + steps * (1 + part) / 3.0
        points[place, :, 0] = moments[:, None]
        points[place, :, 1] = bends[:, part]
        points[rest, :, 0], points[rest, :, 1] = times[rest], values[rest]
        found.append((semantic, name, points.reshape(-1, 2)))
    return found


def _add_source(animation: Any, key: str, values: Array, params: Sequence[str]) -> None:
    source = add(animation, "source", id=key)
    text = numbers(values.reshape(-1).tolist())
    name = f"{key}-array"
    add(source, "float_array", text, id=name, count=str(values.size))
    _add_accessor(source, name, len(values), params, "float")


def _add_accessor(
    source: Any, array: str, count: int, params: Sequence[str], kind: str
) -> None:
    accessor = add(
        add(source, "technique_common"),
        "accessor",
        source=f"#{array}",
        count=str(count),
        stride=str(len(params)),
    )
    for name in params:
        add(accessor, "param", name=name, type=kind)
