"""Images as files: PNG without an imaging library, JPEG with Pillow."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.files import write_file
from pyrave.spatial import as_ndarray

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg")
"""Suffixes of the files that `write_image` writes."""

# of JPEG: edges and colours of drawings stay sharp
_QUALITY = 92

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# channels -> PNG's colour type
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}


class Picture(np.ndarray[Any, np.dtype[np.uint8]]):
    """An image (h, w, 3) uint8 that notebooks show; an array in all else.

    Parts of it are pictures, too, as long as they have such a shape.
    """

    def __repr__(self) -> str:
        if not self._is_image():
            return repr(np.asarray(self))
        return f"<Picture: {self.shape[1]} x {self.shape[0]} pixels>"

    def _is_image(self) -> bool:
        return (
            self.ndim == 3
            and self.shape[2] in _COLOUR_TYPES
            and self.size > 0
            and self.dtype == np.uint8
        )

    def _repr_png_(self) -> bytes | None:
        return encode_png(self) if self._is_image() else None


def encode_png(image: ArrayLike) -> bytes:
    """Return the bytes of a PNG file; the same image gives the same bytes.

    Parameters
    ----------
    image
        (h, w), (h, w, 1): grey; (h, w, 3): red green blue; (h, w, 4): with opacity.
        uint8 or uint16, rows from the top.

    Raises
    ------
    ArgumentError
        Another shape or type, or no pixels.
    """
    pixels = as_ndarray(image, "image")
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    if (
        pixels.ndim != 3
        or pixels.shape[2] not in _COLOUR_TYPES
        or pixels.dtype not in (np.uint8, np.uint16)
    ):
        raise ArgumentError(
            f"image has shape {np.shape(image)} and type {pixels.dtype}, "
            "expected (h, w), (h, w, 3) or (h, w, 4) uint8 or uint16"
        )
    height, width, channels = pixels.shape
    if height == 0 or width == 0:
        raise ArgumentError(
            f"image has shape {np.shape(image)}, expected at least one pixel"
        )
    # PNG stores the most significant byte first
    big = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder(">"))
    rows = big.view(np.uint8).reshape(height, -1)
    # filter 2 (the difference to the row above) compresses renderings well
    filtered = np.empty((height, 1 + rows.shape[1]), np.uint8)
    filtered[:, 0] = 2
    filtered[0, 1:] = rows[0]
    filtered[1:, 1:] = rows[1:] - rows[:-1]
    depth, kind = 8 * pixels.dtype.itemsize, _COLOUR_TYPES[channels]
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def encode_jpeg(image: ArrayLike) -> bytes:
    """Return the bytes of a JPEG file, which is not exactly the image.

    Parameters
    ----------
    image
        (h, w), (h, w, 1): grey; (h, w, 3): red green blue. uint8, rows from the top.

    Raises
    ------
    ArgumentError
        Another shape or type, or no pixels.
    NotSupportedError
        Pillow is not installed.
    """
    pixels = as_ndarray(image, "image")
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    is_image = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)
    if not is_image or pixels.dtype != np.uint8 or not pixels.size:
        raise ArgumentError(
            f"image has shape {np.shape(image)} and type {pixels.dtype}, which JPEG "
            "does not hold; expected (h, w) or (h, w, 3) uint8. PNG takes 16 bits and "
            "opacity, too"
        )
    stream = io.BytesIO()
    made = _pillow().fromarray(np.ascontiguousarray(pixels))
    made.save(stream, "JPEG", quality=_QUALITY, subsampling=0)
    return stream.getvalue()


def write_image(path: str | PathLike[str], image: ArrayLike) -> None:
    """Write an image to a file; the ending says how.

    Parameters
    ----------
    path
        ``.png``, see `encode_png`; ``.jpg`` or ``.jpeg``, see `encode_jpeg`.

    Raises
    ------
    ArgumentError
        Another ending, or an image that the format does not hold.
    NotSupportedError
        The format needs Pillow, which is not installed.
    """
    check_image_file(path)
    is_png = Path(path).suffix.lower() == ".png"
    write_file(path, encode_png(image) if is_png else encode_jpeg(image))


def check_image_file(path: str | PathLike[str], name: str = "path") -> None:
    """Check that an image can be written to such a file.

    Parameters
    ----------
    name
        Of the argument, for messages.

    Raises
    ------
    ArgumentError
        The name has another ending than `IMAGE_ENDINGS`.
    NotSupportedError
        The format needs Pillow, which is not installed.
    """
    target = Path(path)
    if target.suffix.lower() not in IMAGE_ENDINGS:
        raise ArgumentError(
            f"{name} is {target.name!r}, expected a name in {', '.join(IMAGE_ENDINGS)}"
        )
    if target.suffix.lower() != ".png":
        _pillow()


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise NotSupportedError(
            "a JPEG file needs Pillow: pip install 'pyrave[meshes]', or take a name in "
            f".png ({error})"
        ) from error
    return Image


def label_colors(labels: NDArray[Any]) -> NDArray[np.uint8]:
    """Return an image (h, w, 3) that shows whole numbers as colours; -1 is black.

    Neighbouring numbers look different: hues go round by the golden ratio.
    """
    numbers = np.asarray(labels, np.int64)
    hue = (numbers * 0.6180339887498949) % 1.0
    value = 1.0 - 0.15 * ((numbers // 8) % 4)
    ramp = (hue[..., None] * 6.0 + np.array((0.0, 4.0, 2.0))) % 6.0
    colour = np.clip(np.abs(ramp - 3.0) - 1.0, 0.0, 1.0)
    shown = (0.25 + 0.75 * colour) * value[..., None]
    shown[numbers < 0] = 0.0
    return np.asarray(shown * 255.0 + 0.5, np.uint8)


def _chunk(kind: bytes, payload: bytes) -> bytes:
    checksum = zlib.crc32(payload, zlib.crc32(kind))
    return (
        struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", checksum)
    )
