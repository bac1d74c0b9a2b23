"""Textures as pixels, decoded by Pillow within limits: their files are anybody's."""

from __future__ import annotations

import io
import logging
import weakref
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import NotSupportedError, SceneError, error_text
from pyrave.geometry.texture_lookup import levels_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pyrave.scene import Material, Texture

_log = logging.getLogger("pyrave.meshes")

MAX_TEXTURE_BYTES = 64 * 1024 * 1024
"""Largest size of an image file, bytes."""
MAX_TEXTURE_PIXELS = 8192 * 8192
LARGEST_SIDE = 4096
"""Largest side of shown images, pixels; larger ones are reduced."""
# those that mesh files name; no PostScript and no containers of many codecs
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TGA", "WEBP", "PPM", "SGI")

_levels: weakref.WeakKeyDictionary[Texture, tuple[NDArray[np.uint8], ...]] = (
    weakref.WeakKeyDictionary()
)
_WHITE = (1.0, 1.0, 1.0)

_known: weakref.WeakKeyDictionary[Texture, NDArray[np.uint8] | None] = (
    weakref.WeakKeyDictionary()
)


def colors_of(
    materials: Iterable[Material], plain: tuple[float, ...]
) -> tuple[tuple[float, float, float], ...]:
    """Return the colours of the materials of a mesh.

    Parameters
    ----------
    plain
        Red, green, blue of those that say nothing; with a texture they are white.
    """
    red, green, blue = plain
    return tuple(
        one.diffuse or ((red, green, blue) if one.texture is None else _WHITE)
        for one in materials
    )


def check_texture(texture: Texture) -> tuple[int, int]:
    """Return width and height that the head of an image says, without decoding it.

    Raises
    ------
    NotSupportedError
        Pillow is not installed.
    SceneError
        It is no image of a known format, or too large.
    """
    with _opened(texture) as image:
        width, height = image.size
    return width, height


def texture_pixels(texture: Texture) -> NDArray[np.uint8] | None:
    """Return the pixels of a texture, decoded once; None if that is impossible.

    The log then says why, and the surface is shown in its plain colour.

    Returns
    -------
    ndarray
        (h, w, 3) or, with opacity, (h, w, 4) uint8, rows from the top, read-only;
        reduced to `LARGEST_SIDE`.
    """
    if texture in _known:
        return _known[texture]
    pixels: NDArray[np.uint8] | None = None
    try:
        pixels = _decoded(texture)
    except NotSupportedError as error:
        _tell_once(str(error))
    except SceneError as error:
        _log.warning("%s", error.first.message)
    _known[texture] = pixels
    return pixels


@cache
def _tell_once(message: str) -> None:
    _log.warning(message)


def texture_levels(texture: Texture) -> tuple[NDArray[np.uint8], ...] | None:
    """Return the pixels of a texture, see `levels_of`; None if that is impossible."""
    levels = _levels.get(texture)
    if levels is None:
        pixels = texture_pixels(texture)
        if pixels is None:
            return None
        levels = _levels[texture] = levels_of(pixels)
    return levels


def _decoded(texture: Texture) -> NDArray[np.uint8]:
    with _opened(texture) as image:
        try:
            seen_through = image.has_transparency_data
            whole = image.convert("RGBA" if seen_through else "RGB")
            step = -(-max(whole.size) // LARGEST_SIDE)
            pixels = np.array(whole.reduce(step) if step > 1 else whole)
        except Exception as error:
            raise _refused(texture, f"is damaged: {error_text(error)}") from error
    pixels.setflags(write=False)
    return pixels


def _opened(texture: Texture) -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise NotSupportedError(
            "images on meshes are not shown, which needs Pillow: pip install "
            f"'pyrave[meshes]' ({error})"
        ) from error
    if len(texture.data) > MAX_TEXTURE_BYTES:
        raise _refused(texture, f"has more than {MAX_TEXTURE_BYTES} bytes")
    try:
        image = Image.open(io.BytesIO(texture.data), formats=_FORMATS)
    except Exception as error:
        known = ", ".join(_FORMATS)
        raise _refused(texture, f"is none of {known}") from error
    width, height = image.size
    if not 0 < width * height <= MAX_TEXTURE_PIXELS:
        raise _refused(
            texture,
            f"has {width} x {height} pixels; at most {MAX_TEXTURE_PIXELS} are read",
        )
    return image


def _refused(texture: Texture, what: str) -> SceneError:
    return SceneError(f"the texture {texture.name} {what}")
