"""PNG images without an imaging library: 8 bits, red green blue."""

from __future__ import annotations

import struct
import zlib
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["encode_png", "write_png"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def encode_png(rgb: ArrayLike) -> bytes:
    """Return the bytes of a PNG file; the same image gives the same bytes.

    Parameters
    ----------
    rgb
        (h, w, 3) uint8, rows from the top.

    Raises
    ------
    ArgumentError
        Another shape or type, or no pixels.
    """
    image = np.asarray(rgb)
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ArgumentError(
            f"image has shape {image.shape} and type {image.dtype}, "
            "expected (h, w, 3) uint8"
        )
    height, width = image.shape[:2]
    if height == 0 or width == 0:
        raise ArgumentError(
            f"image has shape {image.shape}, expected at least one pixel"
        )
    rows = image.reshape(height, width * 3)
    # filter 2 (the difference to the row above) compresses renderings well
    filtered = np.empty((height, 1 + width * 3), np.uint8)
    filtered[:, 0] = 2
    filtered[0, 1:] = rows[0]
    filtered[1:, 1:] = rows[1:] - rows[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def write_png(target: str | PathLike[str] | BinaryIO, rgb: ArrayLike) -> None:
    """Write an (h, w, 3) uint8 image to a path or to an open binary file."""
    data = encode_png(rgb)
    if isinstance(target, (str, PathLike)):
        Path(target).write_bytes(data)
    else:
        target.write(data)


def _chunk(kind: bytes, payload: bytes) -> bytes:
    checksum = zlib.crc32(payload, zlib.crc32(kind))
    return (
        struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", checksum)
    )
