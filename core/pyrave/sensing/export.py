"""Measurements as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.geometry.pointcloud import write_points
from pyrave.sensing.data import CameraData, LaserData, SensorData
from pyrave.sensing.image_export import export_image, export_images
from pyrave.sensing.scan_export import draw_points, write_scans
from pyrave.spatial import Array, invert_pose, transform_points

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
        ray, see `write_scans`; ``.png``, a picture of the points alone, of which
        `Environment.picture` makes one in the scene. Or an image: ``.png``, ``.npy``,
        ``.npz``, see `export_image`; several images are numbered files in ``.png``
        (``view-000.png``), and stacked arrays in the others.
    frame
        Of points alone: ``"world"``, or ``"sensor"`` at each scan's stamp.
    text
        PLY and PCD as text, not binary.

    Returns
    -------
    str
        What is in the file: ``"points"``, ``"scans"``, ``"picture"``, or the part of an
        image.

    Raises
    ------
    ArgumentError
        A format that does not suit the data, a frame or `text` that does not suit the
        format, or a file that cannot be written.
    NotSupportedError
        The data are neither scans nor images.
    """
    target = Path(path)
    found = list(data) if isinstance(data, Iterable) else [data]
    if not found:
        raise ArgumentError(f"there is no scan or image to write to {target.name}")
    for one in found:
        if not isinstance(one, (LaserData, CameraData)):
            raise NotSupportedError(
                f"{type(one).__name__} cannot be written to {target.name}: "
                "neither a scan nor an image"
            )
    images = [one for one in found if isinstance(one, CameraData)]
    scans = [one for one in found if isinstance(one, LaserData)]
    if images and scans:
        raise ArgumentError(
            f"there are scans and images to write to {target.name}, expected one kind"
        )
    if images:
        _refuse_options(frame, text, f"the image {target.name}")
        if isinstance(data, CameraData):
            return export_image(data, path)
        return export_images(images, path)
    try:
        return _write_scans(scans, target, frame, text)
    except OSError as error:
        reason = error.strerror or error
        raise ArgumentError(f"{path} cannot be written: {reason}") from error


def _write_scans(scans: list[LaserData], target: Path, frame: str, text: bool) -> str:
    ending = target.suffix.lower()
    if ending == ".npz":
        _refuse_options(frame, text, f"whole scans in {target.name}")
        write_scans(target, scans)
        return "scans"
    clouds = [point_columns(scan, frame) for scan in scans]
    names = [name for name in clouds[0] if all(name in cloud for cloud in clouds)]
    columns = {
        name: np.concatenate([cloud[name] for cloud in clouds]) for name in names
    }
    if ending == ".png":
        _refuse_options("world", text, f"the picture {target.name}")
        draw_points(target, np.stack([columns[axis] for axis in "xyz"], axis=1))
        return "picture"
    write_points(target, columns, text=text)
    return "points"


def _refuse_options(frame: str, text: bool, what: str) -> None:
    if frame != "world" or text:
        asked = f"frame is {frame!r}" if frame != "world" else "text is True"
        raise ArgumentError(f"{asked} for {what}, expected for points alone")


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
