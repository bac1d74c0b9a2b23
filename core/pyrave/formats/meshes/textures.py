"""Images that mesh files name for their surfaces."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pyrave.errors import Error, NotSupportedError, SceneError
from pyrave.geometry import check_texture
from pyrave.scene import Texture

if TYPE_CHECKING:
    from pyrave.formats.meshes.mesh_format import MeshSource


def read_texture(
    source: MeshSource,
    name: str,
    data: bytes | None = None,
    *,
    line: int | None = None,
    column: int | None = None,
    offset: int | None = None,
) -> Texture | None:
    """Return an image that a mesh file names; without it the surface is plain.

    The source has a warning then: the file is missing or lies elsewhere, it is no
    image or too large. Without Pillow, which decodes it, that is seen when it is shown.

    Parameters
    ----------
    name
        The file next to the mesh or below, as written; or what messages call `data`.
    data
        The image, where the mesh file itself holds it.
    line, column, offset
        Where the mesh file names it, as for `MeshSource.warn`.

    Raises
    ------
    SceneError
        The mesh names more images than any that is in use.
    """
    source.count_image()
    try:
        if data is None:
            found = source.sibling(name)
            name, data = found.file, found.data
        texture = Texture(name, bytes(data))
        with suppress(NotSupportedError):
            width, height = check_texture(texture)
            source.spend_pixels(width * height)
    except Error as error:
        reason = error.first.message if isinstance(error, SceneError) else error
        message = f"a texture is not shown: {reason}"
        source.warn(message, line=line, column=column, offset=offset)
        return None
    return texture
