"""Point clouds as files: PLY, PCD, XYZ, CSV and numpy's own format.

PLY after G. Turk's description of the format (1994), PCD after version 0.7 of the Point
Cloud Library's description. Both hold numbers of 4 bytes here, which every reader takes
(a coordinate of 100 m is kept to 4 micrometres), and times of 8, as 4 would lose the
microseconds between rays after some seconds; the others hold all digits.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError, nearest
from pyrave.files import write_file

Columns = dict[str, NDArray[Any]]

_AXES = ("x", "y", "z")
# columns whose numbers PLY and PCD hold in 8 bytes
_WIDE = frozenset({"time"})
# significant digits that bring back numbers of 4 and of 8 bytes
_DIGITS = {"f4": 9, "f8": 17}


def write_points(
    path: str | PathLike[str], columns: Mapping[str, ArrayLike], *, text: bool = False
) -> None:
    """Write a point cloud in the format that the suffix names, see `encode_points`."""
    target = Path(path)
    write_file(target, encode_points(columns, target.suffix, text=text))


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
        Numbers as text in PLY and PCD, which are binary otherwise; ``.xyz`` and
        ``.csv`` always are text, ``.npy`` never.

    Raises
    ------
    ArgumentError
        Another suffix; no coordinates, or columns of different lengths.
    """
    check_point_cloud_suffix(suffix, text=text)
    return _ENCODERS[suffix.lower()](_checked(columns), text)


def check_point_cloud_suffix(
    suffix: str, *, text: bool = False, others: Sequence[str] = ()
) -> None:
    """Raise ArgumentError unless `encode_points` can write a point cloud so.

    Parameters
    ----------
    others
        More endings that the caller takes, for the message.
    """
    if suffix.lower() in _ENCODERS:
        if text and suffix.lower() == ".npy":
            raise ArgumentError(
                "a point cloud cannot be written as text in '.npy', expected one of "
                f"{', '.join(one for one in _ENCODERS if one != '.npy')}"
            )
        return
    known = (*_ENCODERS, *others)
    near = nearest(suffix, known)
    hint = f", did you mean {near}?" if near else ""
    kind = repr(suffix) if suffix else "a file without suffix"
    raise ArgumentError(
        f"a point cloud cannot be written as {kind}{hint}; expected {', '.join(known)}"
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


def _all_digits(columns: Columns) -> dict[str, str]:
    """Return the numpy kind of each column where nothing is rounded."""
    return {n: "f8" if a.dtype.kind == "f" else "i8" for n, a in columns.items()}


def _compact(columns: Columns) -> dict[str, str]:
    """Return the numpy kind of each column of a PLY or PCD file."""
    return {
        name: "i4" if array.dtype.kind != "f" else "f8" if name in _WIDE else "f4"
        for name, array in columns.items()
    }


def _records(columns: Columns, kinds: Mapping[str, str]) -> NDArray[Any]:
    table = np.empty(
        len(columns["x"]), [(name, f"<{kind}") for name, kind in kinds.items()]
    )
    for name, array in columns.items():
        table[name] = array
    return table


def _lines(columns: Columns, separator: str, kinds: Mapping[str, str]) -> bytes:
    formats = [f"%.{_DIGITS[k]}g" if k in _DIGITS else "%d" for k in kinds.values()]
    out = io.StringIO()
    table = _records(columns, _all_digits(columns))
    np.savetxt(out, table, fmt=formats, delimiter=separator)
    return out.getvalue().encode()


def _body(columns: Columns, kinds: Mapping[str, str], text: bool) -> bytes:
    if text:
        return _lines(columns, " ", kinds)
    return _records(columns, kinds).tobytes()


def _ply(columns: Columns, text: bool) -> bytes:
    words = {"i4": "int", "f4": "float", "f8": "double"}
    kinds = _compact(columns)
    lines = [
        "ply",
        f"format {'ascii' if text else 'binary_little_endian'} 1.0",
        f"element vertex {len(columns['x'])}",
        *(f"property {words[kind]} {name}" for name, kind in kinds.items()),
        "end_header",
    ]
    return "\n".join(lines).encode() + b"\n" + _body(columns, kinds, text)


def _pcd(columns: Columns, text: bool) -> bytes:
    count = len(columns["x"])
    kinds = _compact(columns)
    lines = [
        "# .PCD v0.7 - Point Cloud Data file format",
        "VERSION 0.7",
        f"FIELDS {' '.join(columns)}",
        f"SIZE {' '.join(kind[1] for kind in kinds.values())}",
        f"TYPE {' '.join(kind[0].upper() for kind in kinds.values())}",
        "COUNT" + " 1" * len(kinds),
        f"WIDTH {count}",
        "HEIGHT 1",
        "VIEWPOINT 0 0 0 1 0 0 0",
        f"POINTS {count}",
        f"DATA {'ascii' if text else 'binary'}",
    ]
    return "\n".join(lines).encode() + b"\n" + _body(columns, kinds, text)


def _xyz(columns: Columns, _: bool) -> bytes:
    points = {axis: columns[axis] for axis in _AXES}
    return _lines(points, " ", _all_digits(points))


def _csv(columns: Columns, _: bool) -> bytes:
    return (
        ",".join(columns).encode() + b"\n" + _lines(columns, ",", _all_digits(columns))
    )


def _npy(columns: Columns, _: bool) -> bytes:
    out = io.BytesIO()
    np.save(out, _records(columns, _all_digits(columns)))
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
