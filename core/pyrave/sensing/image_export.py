"""Images of cameras as files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.files import replaced_file
from pyrave.geometry import IMAGE_ENDINGS, check_image_file, write_image
from pyrave.sensing.data import CameraData, StereoCameraData
from pyrave.sensing.pixels import as_pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

IMAGE_SUFFIXES = (*IMAGE_ENDINGS, ".npy", ".npz")
"""Endings of the files that `export_image` writes."""

# what a file's name may say, and the field; `image` last, as depth_image is of depth
_NAMES = {
    **{
        item.name: item.name
        for item in fields(StereoCameraData)
        if item.name not in {"stamp", "pose", "image"}
    },
    "segmentation": "body_ids",
    "color": "image",
    "image": "image",
}


def export_image(
    data: CameraData, path: str | PathLike[str], part: str | None = None
) -> str:
    """Write a part of a camera's measurement to a file, and return its name.

    Parameters
    ----------
    data
        A measurement.
    path
        ``.png``: colours as they are (whole numbers of 8 or 16 bits; other formats
        become 8 bits), depth, distance and disparity as 16-bit grey (millimetres, a
        16th of a pixel for the disparity; 0 where there is nothing), normals and
        numbers of bodies, links and geometries as colours. ``.jpg`` and ``.jpeg``, with
        Pillow of the extra ``meshes``: those of 8 bits. ``.npy``: the array as it is.
        ``.npz``: all parts.
    part
        Name of a field of the data; None: the one that the file's name contains
        (``wall.depth.npy``, ``left_depth.png``; ``segmentation`` is body_ids), else
        the first of image, depth, distance, normals, body_ids ... that was measured.

    Raises
    ------
    ArgumentError
        Another ending, a part that is not there (also if the file's name asks for
        it) or that JPEG would change, a file that cannot be written.
    NotSupportedError
        A JPEG file without Pillow.
    """
    target = Path(path)
    check_image_suffix(target)
    suffix = target.suffix.lower()
    parts = data.parts()
    if not parts:
        raise ArgumentError(
            "the measurement has no image: was the camera asked for one?"
        )
    name = part or named_part(target) or next(iter(parts))
    if suffix != ".npz" and name not in parts:
        raise ArgumentError(
            f"{target.name} cannot be written: the measurement has no {name!r}, it has "
            f"{', '.join(parts)}; a camera's options.outputs say what it makes"
        )
    try:
        if suffix == ".npz":
            more: dict[str, Any] = {"stamp": data.stamp, "pose": data.pose, **parts}
            with replaced_file(target) as partial:
                np.savez_compressed(partial, **more)
        elif suffix == ".npy":
            with replaced_file(target) as partial:
                np.save(partial, parts[name])
        else:
            write_image(target, _pixels(target, name, parts[name]))
    except OSError as error:
        reason = error.strerror or error
        raise ArgumentError(f"{target} cannot be written: {reason}") from error
    return "all" if suffix == ".npz" else name


def export_images(data: Sequence[CameraData], path: str | PathLike[str]) -> str:
    """Write measurements of a camera, and return the name of the part.

    ``.png``, ``.jpg``: files of their own, numbered before the ending
    (``view-000.png``).
    ``.npy`` and ``.npz``: the arrays of `export_image`, stacked; images must have one
    size.

    Raises
    ------
    ArgumentError
        As `export_image`; images that differ in size or in their parts.
    """
    target = Path(path)
    check_image_suffix(target)
    if target.suffix.lower() in IMAGE_ENDINGS:
        part = named_part(target)
        digits = max(3, len(str(len(data) - 1)))
        for number, one in enumerate(data):
            name = f"{target.stem}-{number:0{digits}d}{target.suffix}"
            part = export_image(one, target.with_name(name), part)
        return part or "image"
    whole = [one.parts() for one in data]
    shapes = [{name: array.shape for name, array in one.items()} for one in whole]
    for number, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ArgumentError(
                f"{target.name} cannot be written: image {number} has "
                f"{_described(shape)}, the first one {_described(shapes[0])}"
            )
    stacked: dict[str, Any] = {
        name: np.stack([one[name] for one in whole]) for name in shapes[0]
    }
    stacked["stamp"] = np.array([one.stamp for one in data])
    stacked["pose"] = np.array([one.pose for one in data])
    return export_image(replace(data[0], **stacked), target)


def _pixels(target: Path, part: str, array: NDArray[Any]) -> NDArray[Any]:
    pixels = as_pixels(part, array)
    if target.suffix.lower() != ".png" and pixels.dtype != np.uint8:
        raise ArgumentError(
            f"{target.name} cannot be written: {part} has 16 bits, which JPEG does not "
            "hold; take a name in .png, .npy or .npz"
        )
    return pixels


def _described(shapes: dict[str, tuple[int, ...]]) -> str:
    said = (f"{name} {'x'.join(map(str, shape))}" for name, shape in shapes.items())
    return ", ".join(said) or "nothing"


def check_image_suffix(path: str | PathLike[str]) -> None:
    """Check that an image can be written to such a file.

    Raises
    ------
    ArgumentError
        Its name has another ending than `IMAGE_SUFFIXES`.
    NotSupportedError
        It is a JPEG file, and Pillow is not installed.
    """
    target = Path(path)
    if target.suffix.lower() not in IMAGE_SUFFIXES:
        ending = f"ends in {target.suffix!r}" if target.suffix else "has no suffix"
        raise ArgumentError(
            f"{target.name} {ending}, expected one of {', '.join(IMAGE_SUFFIXES)}"
        )
    if target.suffix.lower() in IMAGE_ENDINGS:
        check_image_file(target)


def named_part(path: str | PathLike[str]) -> str | None:
    """Return the field of `CameraData` that a file's name asks for, or None."""
    words = re.sub(r"[^a-z0-9]+", "_", f" {Path(path).stem.lower()} ")
    return next((part for name, part in _NAMES.items() if f"_{name}_" in words), None)
