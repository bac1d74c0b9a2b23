"""3DS, the chunks of 3D Studio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pyrave.formats import read_texture
from pyrave.geometry import Mesh
from pyrave.records import Record
from pyrave.scene import Material, Texture
from pyrave_meshes.colours import used_materials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.formats import MeshSource
    from pyrave.spatial import Array

_MAIN, _EDITOR, _OBJECT, _MESH = 0x4D4D, 0x3D3D, 0x4000, 0x4100
_SCALE = 0x0100
_VERTICES, _FACES, _FACE_MATERIAL = 0x4110, 0x4120, 0x4130
_PLACES = 0x4140
_MATERIAL, _NAME, _AMBIENT, _DIFFUSE, _TRANSPARENCY = (
    0xAFFF,
    0xA000,
    0xA010,
    0xA020,
    0xA050,
)
_IMAGE, _IMAGE_FILE = 0xA200, 0xA300
# farther repetitions of an image are beyond single precision
_MOST = 1e6
# linear colours come after the gamma-corrected ones that they stand beside
_FLOAT_COLOURS, _BYTE_COLOURS = (0x0010, 0x0013), (0x0011, 0x0012)
_BYTE_PERCENT, _FLOAT_PERCENT = 0x0030, 0x0031
_HEADER = 6


class TdsFormat:
    """3DS: the triangles of all objects where they stand in the editor."""

    name = "3DS"
    suffixes = (".3ds",)

    def sniff(self, head: bytes) -> bool:
        """Return True if `head` starts with the main chunk and one inside of it."""
        return (
            len(head) >= 2 * _HEADER
            and head[:2] == b"MM"
            and head[6:8] in {b"\x02\x00", b"=="}
        )

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh of all objects.

        The file has vertices in the coordinates of its scene, so neither the local
        axes of its objects nor its animation are applied. Its master scale is.
        """
        file = _File(source)
        scale = 1.0
        materials: dict[bytes, Material] = {}
        parts: list[_Part] = []
        for kind, begin, end in file.chunks(0, len(source.data)):
            if kind != _MAIN:
                raise source.error("the file does not start with chunk 4D4D", offset=0)
            for inner, start, stop in file.chunks(begin, end):
                if inner != _EDITOR:
                    continue
                for part, first, last in file.chunks(start, stop):
                    if part == _MATERIAL:
                        name, material = file.material(first, last)
                        materials[name] = material
                    elif part == _OBJECT:
                        parts += file.object(first, last)
                    elif part == _SCALE:
                        scale = float(file.array("<f4", 1, first, last)[0])
            break
        if not (np.isfinite(scale) and scale > 0.0):
            raise source.error(f"the master scale is {scale}")
        mesh = Mesh.merge([part.mesh(source, materials) for part in parts])
        return mesh.scaled(scale)


@dataclass(slots=True)
class _Part(Record):
    """One object of the file."""

    vertices: Array
    faces: NDArray[np.int32]
    groups: list[tuple[bytes, NDArray[np.int64]]] = field(default_factory=list)
    places: Array = field(default_factory=lambda: np.zeros((0, 2)))

    def mesh(self, source: MeshSource, materials: dict[bytes, Material]) -> Mesh:
        if not self.groups or not len(self.faces):
            return Mesh(self.vertices, self.faces)
        of_faces = np.zeros(len(self.faces), np.int32)
        known = [Material()]
        for name, faces in self.groups:
            if name not in materials:
                shown = name[:60].decode("latin-1")
                source.warn(f"a material {shown!r} is used, but not given")
            if len(faces) and faces.max() >= len(of_faces):
                raise source.error(
                    f"a material is for face {faces.max()} of {len(of_faces)}"
                )
            known.append(materials.get(name, Material()))
            of_faces[faces] = len(known) - 1
        looks = used_materials(known, of_faces)
        laid = None
        if any(one.texture is not None for one in looks[0]):
            laid = self.laid(source)
        return Mesh(self.vertices, self.faces, *looks, laid)

    def laid(self, source: MeshSource) -> NDArray[np.float32] | None:
        """Return image coordinates of corners, (m, 3, 2)."""
        if len(self.places) != len(self.vertices):
            if len(self.places):
                source.warn(
                    f"images are not shown: {len(self.vertices)} vertices have "
                    f"{len(self.places)} places"
                )
            return None
        known = np.nan_to_num(self.places).clip(-_MOST, _MOST)
        return known.astype(np.float32)[self.faces]


class _File:
    """Finds chunks and arrays, and never leaves the chunk that they are in."""

    def __init__(self, source: MeshSource) -> None:
        self.source = source
        self.data = source.data
        self.images: dict[str, Texture | None] = {}

    def chunks(self, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield the kind, the start and the end of the content of each chunk."""
        while begin + _HEADER <= end:
            kind = int.from_bytes(self.data[begin : begin + 2], "little")
            length = int.from_bytes(self.data[begin + 2 : begin + _HEADER], "little")
            if length < _HEADER or begin + length > end:
                raise self.source.error(
                    f"chunk {kind:04X} has {length} bytes, but the chunk around it "
                    f"has {end - begin} more",
                    offset=begin,
                )
            yield kind, begin + _HEADER, begin + length
            begin += length

    def array(
        self, dtype: str, count: int, begin: int, end: int
    ) -> NDArray[np.generic]:
        """Return numbers that must lie before `end`."""
        size = np.dtype(dtype).itemsize * count
        if begin + size > end:
            raise self.source.error(
                f"{count} numbers need {size} bytes, but their chunk has "
                f"{max(end - begin, 0)} more",
                offset=begin,
            )
        return np.frombuffer(self.data, dtype, count, begin)

    def name(self, begin: int, end: int) -> tuple[bytes, int]:
        """Return a text that ends with a zero, and where it ends."""
        stop = self.data.find(b"\0", begin, end)
        if stop < 0:
            raise self.source.error("a name has no end", offset=begin)
        return self.data[begin:stop], stop + 1

    def object(self, begin: int, end: int) -> list[_Part]:
        """Return the meshes of an object; lights and cameras have none."""
        _, begin = self.name(begin, end)
        return [
            self.mesh(start, stop)
            for kind, start, stop in self.chunks(begin, end)
            if kind == _MESH
        ]

    def mesh(self, begin: int, end: int) -> _Part:
        part = _Part(np.zeros((0, 3)), np.zeros((0, 3), np.int32))
        faces_at = None
        for kind, start, stop in self.chunks(begin, end):
            if kind == _VERTICES:
                count = int(self.array("<u2", 1, start, stop)[0])
                found = self.array("<f4", 3 * count, start + 2, stop)
                part.vertices = found.reshape(-1, 3).astype(np.float64)
            elif kind == _PLACES:
                count = int(self.array("<u2", 1, start, stop)[0])
                found = self.array("<f4", 2 * count, start + 2, stop)
                part.places = found.reshape(-1, 2).astype(np.float64)
            elif kind == _FACES:
                faces_at = start
                count = int(self.array("<u2", 1, start, stop)[0])
                # three corners and flags
                rows = self.array("<u2", 4 * count, start + 2, stop).reshape(-1, 4)
                part.faces = rows[:, :3].astype(np.int32)
                for inner, first, last in self.chunks(start + 2 + 8 * count, stop):
                    if inner == _FACE_MATERIAL:
                        part.groups.append(self.group(first, last))
        if part.faces.size and part.faces.max() >= len(part.vertices):
            raise self.source.error(
                f"a face uses vertex {part.faces.max()} of {len(part.vertices)}",
                offset=faces_at,
            )
        return part

    def group(self, begin: int, end: int) -> tuple[bytes, NDArray[np.int64]]:
        name, begin = self.name(begin, end)
        count = int(self.array("<u2", 1, begin, end)[0])
        return name, self.array("<u2", count, begin + 2, end).astype(np.int64)

    def image(self, begin: int, end: int) -> Texture | None:
        """Return the image of a material."""
        for kind, start, stop in self.chunks(begin, end):
            if kind == _IMAGE_FILE:
                name = self.name(start, stop)[0].decode("latin-1")
                if name not in self.images:
                    self.images[name] = read_texture(self.source, name, offset=start)
                return self.images[name]
        return None

    def material(self, begin: int, end: int) -> tuple[bytes, Material]:
        name = b""
        colours: dict[int, tuple[float, float, float]] = {}
        transparency = 0.0
        texture = None
        for kind, start, stop in self.chunks(begin, end):
            if kind == _NAME:
                name, _ = self.name(start, stop)
            elif kind in {_AMBIENT, _DIFFUSE}:
                colour = self.colour(start, stop)
                if colour is not None:
                    colours[kind] = colour
            elif kind == _TRANSPARENCY:
                transparency = self.percent(start, stop)
            elif kind == _IMAGE:
                texture = self.image(start, stop)
        return name, Material(
            colours.get(_DIFFUSE), colours.get(_AMBIENT), transparency, texture
        )

    def colour(self, begin: int, end: int) -> tuple[float, float, float] | None:
        found = None
        for kind, start, stop in self.chunks(begin, end):
            if kind in _FLOAT_COLOURS:
                values = self.array("<f4", 3, start, stop).astype(np.float64)
            elif kind in _BYTE_COLOURS:
                values = self.array("u1", 3, start, stop).astype(np.float64) / 255.0
            else:
                continue
            red, green, blue = np.clip(np.nan_to_num(values), 0.0, 1.0).tolist()
            found = (red, green, blue)
        return found

    def percent(self, begin: int, end: int) -> float:
        for kind, start, stop in self.chunks(begin, end):
            if kind == _BYTE_PERCENT:
                value = float(self.array("<i2", 1, start, stop)[0]) / 100.0
            elif kind == _FLOAT_PERCENT:
                value = float(self.array("<f4", 1, start, stop)[0])
            else:
                continue
            return float(np.clip(np.nan_to_num(value), 0.0, 1.0))
        return 0.0
