"""Point clouds as files: PLY, PCD, XYZ, CSV and numpy's own format.

PLY after G. Turk's description of the format (1994), PCD after version 0.7 of the Point
Cloud Library's description. Both hold numbers of 4 bytes here, which every reader takes
(a coordinate of 100 m is kept to 4 micrometres); the others hold all digits.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError, nearest

__all__ = [
    "POINT_CLOUD_SUFFIXES",
    "check_point_cloud_suffix",
    "encode_points",
    "write_points",
]

Columns = dict[str, NDArray[Any]]

_AXES = ("x", "y", "z")


def write_points(
    path: str | PathLike[str], columns: Mapping[str, ArrayLike], *, text: bool = False
) -> None:
    """Write a point cloud in the format that the suffix names, see `encode_points`."""
    target = Path(path)
    target.write_bytes(encode_points(columns, target.suffix, text=text))


def encode_points(
    columns: Mapping[str, ArrayLike], suffix: str, *, text: bool = False
) -> bytes:
    """Return the bytes of a point cloud's file.

    Parameters
    ----------
    columns
        Name -> (n,) numbers; ``x``, ``y`` and ``z`` (metres) come first, whole numbers
        stay whole. XYZ keeps these three alone.
    suffix
        ``.ply``, ``.pcd``, ``.xyz``, ``.csv`` or ``.npy`` (one record a point, with the
        names of the columns).
    text
        Numbers as text in PLY and PCD, which are binary otherwise.

    Raises
    ------
    ArgumentError
        Another suffix; no coordinates, or columns of different lengths.
    """
    check_point_cloud_suffix(suffix)
    return _ENCODERS[suffix.lower()](_checked(columns), text)


def check_point_cloud_suffix(suffix: str) -> None:
    """Raise ArgumentError unless a point cloud can be written with that suffix."""
    if suffix.lower() in _ENCODERS:
        return
    near = nearest(suffix, _ENCODERS)
    hint = f", did you mean {near}?" if near else ""
    raise ArgumentError(
        f"a point cloud cannot be written as {suffix or 'a file without suffix'!r}"
        f"{hint}; expected {', '.join(_ENCODERS)}"
    )


def _checked(columns: Mapping[str, ArrayLike]) -> Columns:
    missing = [axis for axis in _AXES if axis not in columns]
    if missing:
        raise ArgumentError(f"the point cloud has no column {missing[0]!r}")
    names = (*_AXES, *(name for name in columns if name not in _AXES))
    found: Columns = {}
    for name in names:
        array = np.asarray(columns[name])
        if array.dtype.kind not in "biuf" or array.ndim != 1:
            raise ArgumentError(
                f"column {name!r} has shape {array.shape} and type {array.dtype}, "
                "expected (n,) numbers"
            )
        whole = array.dtype.kind != "f"
        found[name] = array.astype(np.int64 if whole else np.float64)
        if len(array) != len(found["x"]):
            raise ArgumentError(
                f"column {name!r} has {len(array)} values, x has {len(found['x'])}"
            )
    return found


def _records(columns: Columns, floating: str, whole: str) -> NDArray[Any]:
    kinds = [
        (n, floating if a.dtype.kind == "f" else whole) for n, a in columns.items()
    ]
    table = np.empty(len(columns["x"]), kinds)
    for name, array in columns.items():
        table[name] = array
    return table


def _lines(columns: Columns, separator: str, digits: int) -> bytes:
    kinds = [f"%.{digits}g" if a.dtype.kind == "f" else "%d" for a in columns.values()]
    out = io.StringIO()
    table = _records(columns, "<f8", "<i8")
    np.savetxt(out, table, fmt=kinds, delimiter=separator)
    return out.getvalue().encode()


def _body(columns: Columns, text: bool) -> bytes:
    if text:
        return _lines(columns, " ", 9)
    return _records(columns, "<f4", "<i4").tobytes()


def _ply(columns: Columns, text: bool) -> bytes:
    lines = [
        "ply",
        f"format {'ascii' if text else 'binary_little_endian'} 1.0",
        f"element vertex {len(columns['x'])}",
        *(
            f"property {'float' if array.dtype.kind == 'f' else 'int'} {name}"
            for name, array in columns.items()
        ),
        "end_header",
    ]
    return "\n".join(lines).encode() + b"\n" + _body(columns, text)


def _pcd(columns: Columns, text: bool) -> bytes:
    count = len(columns["x"])
    kinds = ["F" if array.dtype.kind == "f" else "I" for array in columns.values()]
    lines = [
        "# .PCD v0.7 - Point Cloud Data file format",
        "VERSION 0.7",
        f"FIELDS {' '.join(columns)}",
        "SIZE" + " 4" * len(kinds),
        f"TYPE {' '.join(kinds)}",
        "COUNT" + " 1" * len(kinds),
        f"WIDTH {count}",
        "HEIGHT 1",
        "VIEWPOINT 0 0 0 1 0 0 0",
        f"POINTS {count}",
        f"DATA {'ascii' if text else 'binary'}",
    ]
    return "\n".join(lines).encode() + b"\n" + _body(columns, text)


def _xyz(columns: Columns, _: bool) -> bytes:
    return _lines({axis: columns[axis] for axis in _AXES}, " ", 17)


def _csv(columns: Columns, _: bool) -> bytes:
    return ",".join(columns).encode() + b"\n" + _lines(columns, ",", 17)


def _npy(columns: Columns, _: bool) -> bytes:
    out = io.BytesIO()
    np.save(out, _records(columns, "<f8", "<i8"))
    return out.getvalue()


_ENCODERS: dict[str, Callable[[Columns, bool], bytes]] = {
    ".ply": _ply,
    ".pcd": _pcd,
    ".xyz": _xyz,
    ".csv": _csv,
    ".npy": _npy,
}
POINT_CLOUD_SUFFIXES = tuple(_ENCODERS)
"""Suffixes of files that `write_points` writes."""
