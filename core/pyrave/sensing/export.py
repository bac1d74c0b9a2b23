"""Measurements as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.sensing.data import CameraData, LaserData, SensorData
from pyrave.sensing.image_export import export_image
from pyrave.spatial import Array, invert_pose, transform_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FRAMES = ("world", "sensor")


def save_sensor_data(
    data: SensorData | Sequence[LaserData],
    path: str | PathLike[str],
    *,
    frame: str = "world",
    text: bool = False,
) -> str:
    """Write a measurement to a file; the suffix names the format.

    Parameters
    ----------
    data
        A scan, or several of them as one point cloud: ``.ply``, ``.pcd``, ``.xyz``,
        ``.csv``, ``.npy``, of what came back, see `point_columns`. Or an image:
        ``.png``, ``.npy``, ``.npz``, see `export_image`.
    frame
        Of points alone: ``"world"``, or ``"sensor"`` at each scan's stamp.
    text
        PLY and PCD as text, not binary.

    Returns
    -------
    str
        What is in the file: ``"points"``, or the part of an image.

    Raises
    ------
    ArgumentError
        A format that does not suit the data, a frame or `text` that does not suit the
        format, or a file that cannot be written.
    NotSupportedError
        The data are neither scans nor images.
    """
    from pyrave.geometry.pointcloud import write_points

    if isinstance(data, CameraData):
        if frame != "world" or text:
            asked = f"frame is {frame!r}" if frame != "world" else "text is True"
            raise ArgumentError(
                f"{asked} for the image {Path(path).name}, expected for points alone"
            )
        return export_image(data, path)
    scans = list(data) if isinstance(data, Iterable) else [data]
    clouds = []
    for scan in scans:
        if not isinstance(scan, LaserData):
            raise NotSupportedError(
                f"{type(scan).__name__} cannot be written to {Path(path).name}: "
                "neither a scan nor an image"
            )
        clouds.append(point_columns(scan, frame))
    if not clouds:
        raise ArgumentError(f"there is no scan to write to {Path(path).name}")
    names = [name for name in clouds[0] if all(name in cloud for cloud in clouds)]
    columns = {
        name: np.concatenate([cloud[name] for cloud in clouds]) for name in names
    }
    try:
        write_points(path, columns, text=text)
    except OSError as error:
        reason = error.strerror or error
        raise ArgumentError(f"{path} cannot be written: {reason}") from error
    return "points"


def point_columns(
    scan: LaserData, frame: str = "world"
) -> dict[str, Array | NDArray[np.int64]]:
    """Return the points that came back, as columns by name.

    ``x y z`` (metres), ``intensity``, ``body`` (its id, `KinBody.id`; -1: none),
    ``time`` (simulated, seconds) and, if the scanner has several lasers, ``ring``.

    Parameters
    ----------
    frame
        ``"world"``, or ``"sensor"``: where the sensor was at the scan's stamp.
    """
    if frame not in _FRAMES:
        raise ArgumentError(f"frame is {frame!r}, expected one of {', '.join(_FRAMES)}")
    kept = scan.returned
    points = scan.points[kept]
    if frame == "sensor":
        points = transform_points(invert_pose(scan.pose), points)
    times = np.full(len(kept), scan.stamp / 1e6)
    if len(scan.time_offsets):
        times += scan.time_offsets
    columns: dict[str, Array | NDArray[np.int64]] = {
        "x": points[:, 0],
        "y": points[:, 1],
        "z": points[:, 2],
        "intensity": scan.intensity[kept],
        "body": scan.body_ids[kept],
        "time": times[kept],
    }
    if len(scan.rings):
        columns["ring"] = scan.rings[kept]
    return columns
