"""Measurements as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError, shown
from pyrave.files import replaced_file
from pyrave.geometry import IMAGE_ENDINGS, check_image_file
from pyrave.geometry.pointcloud import check_point_cloud_suffix, write_points
from pyrave.sensing.data import (
    CameraData,
    LaserData,
    SensorData,
    refusing_misfits,
)
from pyrave.sensing.image_export import export_image, export_images
from pyrave.sensing.scan_export import draw_points, write_scans
from pyrave.spatial import Array, as_rows, invert_pose, transform_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FRAMES = ("world", "sensor")


def save_sensor_data(
    data: SensorData | Sequence[SensorData],
    path: str | PathLike[str],
    *,
    frame: str = "world",
    text: bool = False,
) -> str:
    """Write measurements to a file; the suffix names the format.

    Parameters
    ----------
    data
        A scan, or several of them as one point cloud: ``.ply``, ``.pcd``, ``.xyz``,
        ``.csv``, ``.npy``, of what came back, see `point_columns`; ``.npz`` with every
        ray, see `write_scans`; ``.png``, ``.jpg``, a picture of the points alone, of
        which `Environment.picture` makes one in the scene. Or an image: ``.png``,
        ``.jpg``, ``.npy``, ``.npz``, see `export_image`; several images are numbered
        files in ``.png`` and ``.jpg`` (``view-000.png``), and stacked arrays in the
        others. Or data of other sensors: their points as those of scans, all their
        fields in ``.npz``, see `write_fields`.
    frame
        Of points alone: ``"world"``, or ``"sensor"`` at each scan's stamp.
    text
        PLY and PCD as text, not binary.

    Returns
    -------
    str
        What is in the file: ``"points"``, ``"scans"``, ``"picture"``, ``"data"``, or
        the part of an image.

    Raises
    ------
    ArgumentError
        A format that does not suit the data, a frame or `text` that does not suit the
        format, or a file that cannot be written.
    NotSupportedError
        The data have no points, and the file is for points; a JPEG file without
        Pillow.
    """
    target = Path(path)
    found = list(data) if isinstance(data, Iterable) else [data]
    if not found:
        raise ArgumentError(f"there is no scan or image to write to {target.name}")
    for one in found:
        if not isinstance(one, SensorData):
            raise ArgumentError(
                f"data is {shown(one)}, expected what a sensor measured, or several"
            )
    images = [one for one in found if isinstance(one, CameraData)]
    if images and len(images) < len(found):
        raise ArgumentError(
            f"there are images and other data to write to {target.name}, expected one "
            "kind"
        )
    try:
        with refusing_misfits(found, f"{path} cannot be written"):
            if not images:
                return _write_points(found, target, frame, text)
            _refuse_options(frame, text, f"the image {target.name}")
            if isinstance(data, CameraData):
                return export_image(data, path)
            return export_images(images, path)
    except OSError as error:
        reason = error.strerror or error
        raise ArgumentError(f"{path} cannot be written: {reason}") from error


def _write_points(found: list[SensorData], target: Path, frame: str, text: bool) -> str:
    ending = target.suffix.lower()
    scans = [one for one in found if isinstance(one, LaserData)]
    if ending == ".npz":
        whole = len(scans) == len(found)
        what = "scans" if whole else "data"
        _refuse_options(frame, text, f"whole {what} in {target.name}")
        if whole:
            write_scans(target, scans)
        else:
            write_fields(target, found)
        return what
    for one in found:
        if not has_points(type(one)):
            raise NotSupportedError(
                f"{type(one).__name__} has no points to write to {target.name} "
                "(drawn_points); a name in .npz takes all its fields"
            )
    clouds = [point_columns(one, frame) for one in found]
    names = [name for name in clouds[0] if all(name in cloud for cloud in clouds)]
    columns = {
        name: np.concatenate([cloud[name] for cloud in clouds]) for name in names
    }
    if ending in IMAGE_ENDINGS:
        _refuse_options("world", text, f"the picture {target.name}")
        check_image_file(target)
        draw_points(target, np.stack([columns[axis] for axis in "xyz"], axis=1))
        return "picture"
    check_point_cloud_suffix(ending, text=text, others=(".npz", *IMAGE_ENDINGS))
    write_points(target, columns, text=text)
    return "points"


def has_points(kind: type[SensorData]) -> bool:
    """Return True if a class of measurements has `SensorData.drawn_points`."""
    return kind.drawn_points is not SensorData.drawn_points


def points_of(data: SensorData) -> Array:
    """Return `SensorData.drawn_points` of a measurement; ArgumentError for others."""
    name = f"what drawn_points() of {type(data).__name__} returned"
    with refusing_misfits([data], "the points cannot be drawn"):
        return as_rows(data.drawn_points(), (3,), name)


def _refuse_options(frame: str, text: bool, what: str) -> None:
    if frame != "world" or text:
        asked = f"frame is {frame!r}" if frame != "world" else "text is True"
        raise ArgumentError(f"{asked} for {what}, expected for points alone")


def point_columns(
    data: SensorData, frame: str = "world"
) -> dict[str, Array | NDArray[np.int64]]:
    """Return the points that were met, as columns by name.

    ``x y z`` (metres) and ``time`` (simulated, seconds); of scans what came back, also
    with ``intensity``, ``body`` (its id, `KinBody.id`; -1: none) and, if the scanner
    has several lasers, ``ring``.

    Parameters
    ----------
    frame
        ``"world"``, or ``"sensor"``: where the sensor was at the stamp.
    """
    if frame not in _FRAMES:
        raise ArgumentError(f"frame is {frame!r}, expected one of {', '.join(_FRAMES)}")
    points = points_of(data)
    if frame == "sensor":
        points = transform_points(invert_pose(data.pose), points)
    columns: dict[str, Array | NDArray[np.int64]] = {
        axis: points[:, k] for k, axis in enumerate("xyz")
    }
    if not isinstance(data, LaserData):
        return columns | {"time": np.full(len(points), data.stamp)}
    kept = data.returned
    times = np.full(len(kept), data.stamp)
    if len(data.time_offsets):
        times += data.time_offsets
    columns |= {
        "intensity": data.intensity[kept],
        "body": data.body_ids[kept],
        "time": times[kept],
    }
    if len(data.rings):
        columns["ring"] = data.rings[kept]
    return columns


def write_fields(target: Path, found: Sequence[SensorData]) -> None:
    """Write all fields of measurements of one class to an ``.npz`` file.

    Fields of equal shape are stacked, (k, ...) of k measurements; others, also ragged
    ones, are ``name_0``, ``name_1`` and so on. Ragged within one measurement they are
    refused.
    """
    kinds = {type(one).__name__ for one in found}
    if len(kinds) > 1:
        raise ArgumentError(
            f"there are {' and '.join(sorted(kinds))} to write to {target.name}, "
            "expected one class"
        )
    arrays: dict[str, Any] = {}
    for item in fields(found[0]):
        rows = [_array(one, item.name) for one in found]
        if len({row.shape for row in rows}) == 1:
            arrays[item.name] = np.stack(rows)
        else:
            arrays |= {f"{item.name}_{k}": row for k, row in enumerate(rows)}
    with replaced_file(target) as partial:
        np.savez_compressed(partial, **arrays)


def _array(data: SensorData, name: str) -> NDArray[Any]:
    try:
        made = np.asarray(getattr(data, name))
    except ValueError:
        made = np.empty(0, object)
    if made.dtype.kind == "O":
        raise NotSupportedError(
            f"{name} of {type(data).__name__} is {shown(getattr(data, name))}, and "
            "files take numbers, texts and arrays of them"
        )
    return made
