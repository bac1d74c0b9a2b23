"""The images of glTF files: next to them, in them as text, or in their buffers."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pyrave.errors import Error
from pyrave.formats import read_texture

if TYPE_CHECKING:
    from pyrave.formats import MeshSource
    from pyrave.scene import Texture

_DATA = "data:"


class _Missing(Exception):  # noqa: N818 - no error: the surface is plain then
    """A resource that the file names is missing."""


@dataclass(slots=True)
class Images:
    """Looks up the images of materials in a tree that nobody has checked.

    Parameters
    ----------
    tree
        The parsed file; materials get names of their own, by which they are found.
    chunks
        What follows the JSON in a GLB file.
    """

    source: MeshSource
    tree: dict[str, Any]
    chunks: bytes
    _known: dict[int, Texture | None] = field(default_factory=dict)

    def of_materials(self) -> dict[str, Texture]:
        """Return the image of each material that has one, by the name it gets here."""
        found = {}
        materials = self.tree.get("materials")
        for k, material in enumerate(materials if isinstance(materials, list) else ()):
            if not isinstance(material, dict):
                continue
            name = material["name"] = f"material {k}"
            try:
                texture = self._base(material)
            except _Missing as missing:
                self.source.warn(f"materials[{k}] is shown without image: {missing}")
                continue
            if texture is not None:
                found[name] = texture
        return found

    def _base(self, material: dict[str, Any]) -> Texture | None:
        shading = material.get("pbrMetallicRoughness")
        named = shading.get("baseColorTexture") if isinstance(shading, dict) else None
        if not isinstance(named, dict):
            return None
        if named.get("texCoord", 0) != 0:
            raise _Missing("its coordinates are not the first ones")
        extensions = named.get("extensions")
        if isinstance(extensions, dict) and "KHR_texture_transform" in extensions:
            raise _Missing("KHR_texture_transform is not read")
        texture = self._entry("textures", named.get("index"))
        number: Any = texture.get("source")
        image = self._entry("images", number)
        if number not in self._known:
            self._known[number] = self._read(number, image)
        return self._known[number]

    def _read(self, number: int, image: dict[str, Any]) -> Texture | None:
        name, uri = f"images[{number}]", image.get("uri")
        if isinstance(uri, str) and not uri.startswith(_DATA):
            return read_texture(self.source, unquote(uri))
        data = _decoded(uri) if isinstance(uri, str) else self._view(image)
        return read_texture(self.source, f"{name} of {self.source.file}", data)

    def _view(self, image: dict[str, Any]) -> bytes:
        view = self._entry("bufferViews", image.get("bufferView"))
        begin, size = view.get("byteOffset", 0), view.get("byteLength")
        data = self._buffer(view.get("buffer"))
        if type(begin) is not int or type(size) is not int:
            raise _Missing("a part of a buffer has no whole numbers")
        if begin < 0 or size < 0 or begin + size > len(data):
            raise _Missing(f"bytes {begin} to {begin + size} of {len(data)} are named")
        return data[begin : begin + size]

    def _buffer(self, number: Any) -> bytes:
        uri = self._entry("buffers", number).get("uri")
        if uri is None and number == 0 and len(self.chunks) >= 8:
            size = int.from_bytes(self.chunks[:4], "little")
            return self.chunks[8 : 8 + size]
        if not isinstance(uri, str):
            raise _Missing("its buffer has no address")
        if uri.startswith(_DATA):
            return _decoded(uri)
        try:
            return self.source.sibling(unquote(uri)).data
        except Error as error:
            raise _Missing(str(error)) from error

    def _entry(self, kind: str, number: Any) -> dict[str, Any]:
        entries = self.tree.get(kind)
        if (
            not isinstance(entries, list)
            or type(number) is not int
            or not 0 <= number < len(entries)
            or not isinstance(entries[number], dict)
        ):
            raise _Missing(f"there is no {kind}[{str(number)[:20]}]")
        return dict(entries[number])


def _decoded(uri: str) -> bytes:
    """Return the data in an address itself, ``data:image/png;base64,...``."""
    head, _, text = uri.partition(",")
    if not head.endswith(";base64"):
        raise _Missing("an address of data is not in base64")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _Missing(f"an address holds no base64: {error}") from error
