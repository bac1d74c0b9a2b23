"""AC3D, the text format of the modeller of that name (versions b and c)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.formats import read_texture
from pyrave.geometry import Mesh, triangulate_faces
from pyrave.records import Record
from pyrave.scene import Material, Texture
from pyrave_meshes.colours import used_materials

if TYPE_CHECKING:
    from pyrave.errors import SceneError
    from pyrave.formats import MeshSource
    from pyrave.spatial import Array

_MARK = b"AC3D"
_MATERIAL = re.compile(rb'MATERIAL\s+(?:"[^"]*"|\S+)(.*)', re.IGNORECASE)
_MAX_DEPTH = 100
_POLYGON, _STRIP = 0, 4
# farther repetitions of an image are beyond single precision
_MOST = 1e6


class Ac3dFormat:
    """AC3D: polygons of all objects, placed, with their images; no lines."""

    name = "AC3D"
    suffixes = (".ac", ".ac3d", ".acc")

    def sniff(self, head: bytes) -> bool:
        """Return True if `head` starts an AC3D file."""
        return head.startswith(_MARK)

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh of all objects; their materials are kept."""
        if not source.data.startswith(_MARK):
            raise source.error("the file does not start with AC3D", line=1)
        return _Reader(source).read()


@dataclass(slots=True)
class _Object(Record):
    """An object while it is read: T_file_object, its surfaces, children to come."""

    matrix: Array
    kids: int = 0
    vertices: Array = field(default_factory=lambda: np.zeros((0, 3)))
    corners: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    materials: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    texture: Texture | None = None
    places: list[list[float]] = field(default_factory=list)
    repeats: Array = field(default_factory=lambda: np.ones(2))
    shift: Array = field(default_factory=lambda: np.zeros(2))


class _Reader:
    """Reads line by line; a line says how many of which lines follow."""

    def __init__(self, source: MeshSource) -> None:
        self.source = source
        self.lines = source.data.splitlines()
        self.at = 1  # the next line, counted from 0; line 0 is the mark
        self.materials: list[Material] = []
        self.parts: list[Mesh] = []
        self.images: dict[str, Texture | None] = {}

    def error(self, message: str, line: int | None = None) -> SceneError:
        """Return an error about the line that was read last, or line `line`."""
        return self.source.error(message, line=self.at if line is None else line)

    def next(self, what: str) -> list[bytes]:
        """Return the words of the next line."""
        if self.at >= len(self.lines):
            raise self.error(f"the file ends before {what}")
        words = self.lines[self.at].split()
        self.at += 1
        return words

    def read(self) -> Mesh:
        """Return everything; objects stand in the order of the file."""
        # the objects whose children come next
        open_objects: list[_Object] = []
        while self.at < len(self.lines):
            words = self.next("an object")
            if not words:
                continue
            keyword = words[0].upper()
            if keyword == b"MATERIAL":
                self.materials.append(self.material())
            elif keyword == b"OBJECT":
                while open_objects and not open_objects[-1].kids:
                    open_objects.pop()
                matrix = open_objects[-1].matrix if open_objects else np.eye(4)
                if open_objects:
                    open_objects[-1].kids -= 1
                if len(open_objects) >= _MAX_DEPTH:
                    raise self.error(f"objects are nested over {_MAX_DEPTH} levels")
                open_objects.append(self.object(matrix))
            else:
                shown = words[0][:40].decode("ascii", "backslashreplace")
                raise self.error(f"{shown!r} where OBJECT or MATERIAL was expected")
        return Mesh.merge(self.parts)

    def material(self) -> Material:
        """Return the material of the line that was read last."""
        line = self.lines[self.at - 1].strip()
        found = _MATERIAL.match(line)
        words = found[1].split() if found else []
        values: dict[bytes, tuple[float, ...]] = {}
        for key, count in ((b"rgb", 3), (b"amb", 3), (b"trans", 1)):
            if key in words:
                place = words.index(key) + 1
                numbers = self.numbers(words[place : place + count], count, "a colour")
                values[key] = tuple(np.clip(numbers, 0.0, 1.0).tolist())
        red, green, blue = values.get(b"rgb", (1.0, 1.0, 1.0))
        ambient = values.get(b"amb")
        return Material(
            (red, green, blue),
            None if ambient is None else (ambient[0], ambient[1], ambient[2]),
            values.get(b"trans", (0.0,))[0],
        )

    def object(self, parent: Array) -> _Object:
        """Read an object up to its number of children."""
        one = _Object(parent)
        rotation, location = np.eye(3), np.zeros(3)
        while True:
            words = self.next("the end of an object")
            if not words:
                continue
            keyword = words[0].lower()
            if keyword == b"kids":
                one.kids = self.count(words, "children")
                break
            if keyword == b"loc":
                location = self.numbers(words[1:], 3, "a location")
            elif keyword == b"rot":
                # rows of a matrix that points are multiplied with from the left
                rotation = self.numbers(words[1:], 9, "a rotation").reshape(3, 3).T
            elif keyword == b"data":
                self.skip_text(self.count(words, "letters"))
            elif keyword == b"numvert":
                one.vertices = self.vertices(self.count(words, "vertices"))
            elif keyword == b"numsurf":
                for _ in range(self.count(words, "surfaces")):
                    self.surface(one)
            elif keyword == b"texture":
                one.texture = self.texture()
            elif keyword == b"texrep":
                one.repeats = self.numbers(words[1:], 2, "repetitions of a texture")
            elif keyword == b"texoff":
                one.shift = self.numbers(words[1:], 2, "the place of a texture")
            # names, creases, links say nothing about shape and colour
        placed = np.eye(4)
        placed[:3, :3], placed[:3, 3] = rotation, location
        one.matrix = parent @ placed
        if one.counts:
            self.parts.append(self.mesh(one))
        return one

    def texture(self) -> Texture | None:
        """Return the image of the line that was read last."""
        line = self.lines[self.at - 1].strip().decode("utf-8", "replace")
        name = line.partition(" ")[2].strip().strip('"')
        if name not in self.images:
            self.images[name] = read_texture(self.source, name, line=self.at)
        return self.images[name]

    def vertices(self, count: int) -> Array:
        """Read vertices, one a line; a normal may follow."""
        rows = self.lines[self.at : self.at + count]
        if len(rows) < count:
            raise self.error(
                f"{count} vertices are announced, {len(rows)} lines follow"
            )
        found = np.empty((count, 3))
        for k in range(count):
            words = self.next("a vertex")
            try:
                found[k] = words[:3]
            except ValueError as error:
                raise self.error(f"a vertex needs 3 numbers: {error}") from error
        return found

    def surface(self, one: _Object) -> None:
        """Read a polygon or a strip of triangles into an object."""
        words = self.next("a surface")
        while not words:
            words = self.next("a surface")
        line = self.at
        try:
            kind = int(words[1], 16) & 0xF if words[0].upper() == b"SURF" else None
        except (ValueError, IndexError):
            kind = None
        if kind is None:
            raise self.error("a surface starts with SURF and its flags")
        material = 0
        while True:
            words = self.next("the corners of a surface")
            if words and words[0].lower() == b"mat":
                material = self.count(words, "a material")
            elif words and words[0].lower() == b"refs":
                break
        corners: list[int] = []
        places: list[list[float]] = []
        for _ in range(self.count(words, "corners")):
            words = self.next("a corner")
            try:
                corners.append(int(words[0]))
            except (ValueError, IndexError) as error:
                found = words[0].decode("utf-8", "replace") if words else "nothing"
                raise self.error(
                    f"a corner starts with {found!r}, not a whole number"
                ) from error
            places.append(_place(words))
        wrong = [k for k in corners if not 0 <= k < len(one.vertices)]
        if wrong:
            raise self.error(
                f"a surface uses vertex {wrong[0]} of {len(one.vertices)} "
                "(indices count from 0)",
                line,
            )
        if kind == _POLYGON and len(corners) > 2:
            faces = [range(len(corners))]
        elif kind == _STRIP:
            faces = [
                range(k, k + 3) if k % 2 == 0 else range(k + 2, k - 1, -1)
                for k in range(len(corners) - 2)
            ]
        else:
            return
        for face in faces:
            one.corners += [corners[k] for k in face]
            one.places += [places[k] for k in face]
            one.counts.append(len(face))
            one.materials.append(material)
            one.lines.append(line)

    def mesh(self, one: _Object) -> Mesh:
        """Return the surfaces of an object, placed."""
        corners = np.array(one.corners)
        # by number: each corner has a place in the image, too
        numbers, owner = triangulate_faces(
            one.vertices[corners], np.arange(len(corners)), np.array(one.counts)
        )
        triangles = corners[numbers]
        laid = None
        if one.texture is not None:
            with np.errstate(over="ignore"):
                places = np.array(one.places) * one.repeats + one.shift
            laid = places.clip(-_MOST, _MOST).astype(np.float32)[numbers]
        used = np.array(one.materials)
        if self.materials and used.max() >= len(self.materials):
            bad = int(np.argmax(used >= len(self.materials)))
            raise self.error(
                f"a surface uses material {used[bad]} of {len(self.materials)} "
                "(they count from 0)",
                one.lines[bad],
            )
        vertices = one.vertices @ one.matrix[:3, :3].T + one.matrix[:3, 3]
        known = self.materials
        if one.texture is not None:
            # a file without materials is white
            known = [
                replace(each, texture=one.texture)
                for each in known or [Material((1.0, 1.0, 1.0))] * (used.max() + 1)
            ]
        if not known:
            return Mesh(vertices, triangles)
        return Mesh(vertices, triangles, *used_materials(known, used[owner]), laid)

    def numbers(self, words: list[bytes], count: int, what: str) -> Array:
        """Return finite numbers of the line that was read last."""
        try:
            found = np.array([float(word) for word in words[:count]])
        except ValueError:
            found = np.zeros(0)
        if len(found) != count or not np.isfinite(found).all():
            raise self.error(f"{what} needs {count} finite numbers")
        return found

    def count(self, words: list[bytes], what: str) -> int:
        """Return the count that a line gives, no more than lines are left."""
        word = words[1].decode("utf-8", "replace") if len(words) > 1 else "nothing"
        found = int(word) if word.isascii() and word.isdigit() else -1
        if found < 0:
            raise self.error(f"the number of {what} is {word!r}, expected 0 or more")
        size = len(self.source.data)
        if found > size:
            raise self.error(
                f"the number of {what} is {word}, but the file has only {size} bytes"
            )
        return found

    def skip_text(self, letters: int) -> None:
        """Pass over a text of so many letters, which may have several lines."""
        while letters > 0 and self.at < len(self.lines):
            letters -= len(self.lines[self.at]) + 1
            self.at += 1


def _place(words: list[bytes]) -> list[float]:
    """Return a corner's place in an image: the numbers after its vertex."""
    try:
        place = [float(word) for word in words[1:3]]
    except ValueError:
        place = []
    if len(place) < 2 or not all(abs(number) <= _MOST for number in place):
        return [0.0, 0.0]
    return place
