"""Wavefront OBJ with its material files."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Error
from pyrave.formats import MeshSource, read_texture, write_bytes
from pyrave.geometry import Mesh, encode_png, texture_pixels, triangulate_faces
from pyrave.scene import Material, Texture
from pyrave_meshes.colours import colour_materials, used_materials
from pyrave_meshes.mesh_output import loss, lost_images, number_rows
from pyrave_meshes.text import Lines, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pyrave.errors import Problem
    from pyrave.formats import Target, WriteContext
    from pyrave.spatial import Array

_BLANK, _SLASH = 32, ord("/")
_SLAB = 1 << 23
# farther repetitions of an image are beyond single precision
_MOST = 1e6
_IMAGES = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg"}
_IMAGE_OPTIONS = {
    b"-blendu": 1, b"-blendv": 1, b"-cc": 1, b"-clamp": 1, b"-texres": 1, b"-bm": 1,
    b"-boost": 1, b"-imfchan": 1, b"-type": 1, b"-mm": 2,
    # up to three numbers
    b"-o": 3, b"-s": 3, b"-t": 3,
}  # fmt: skip


class ObjFormat:
    """OBJ: polygons of all groups; colours, transparency and images of materials."""

    name = "OBJ"
    suffixes = (".obj",)

    def sniff(self, head: bytes) -> bool:
        """Return False: OBJ files have no mark, their suffix decides."""
        return False

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh of all groups."""
        lines = Lines(source, _joined(source.data))
        vertex_lines = lines.starting_with(b"v")
        face_lines = lines.starting_with(b"f")
        vertex_table = lines.table(vertex_lines, 1)
        vertices = vertex_table.columns(3, "a vertex")
        faces = lines.table(face_lines, 1)
        slashed = faces.with_text(_without_slashes(faces))
        corners = _corners(slashed, vertex_lines, len(vertices))
        materials, of_lines = _materials(lines, faces.rows)
        if any(one.texture is not None for one in materials):
            # corners by number: each has a place in the image, too
            numbers, owner = triangulate_faces(
                vertices[corners], np.arange(len(corners)), slashed.counts
            )
            triangles = corners[numbers].astype(np.int32)
            laid = _image_places(lines, faces, len(corners))
            of_corners = None if laid is None else laid[numbers]
        else:
            triangles, owner = triangulate_faces(vertices, corners, slashed.counts)
            of_corners = None
        if of_lines is None:
            coloured = _vertex_colours(vertex_table, triangles)
        else:
            coloured = used_materials(materials, of_lines[owner])
        return Mesh(vertices, triangles, *coloured, of_corners)

    def write(
        self,
        mesh: Mesh,
        target: Target,
        context: WriteContext,
    ) -> list[Problem]:
        """Write vertices and faces; materials and images in files beside."""
        losses = []
        parts = [b"# written by pyrave\n"]
        named = any(material != Material() for material in mesh.materials)
        rows, laid = mesh.faces + 1, False
        if named and isinstance(target, (str, os.PathLike)):
            path = Path(target).with_suffix(".mtl")
            laid = mesh.is_textured
            images = _write_images(path, mesh.materials) if laid else {}
            write_bytes(path, _material_file(mesh.materials, images))
            parts.append(f"mtllib {path.name}\n".encode())
        elif named:
            named = False
            losses.append(
                loss("a file object has no place for a material file", target)
            )
            losses += lost_images(mesh, "a file object", target)
        parts.append(number_rows(b"v", mesh.vertices))
        if laid:
            places, index = np.unique(
                mesh.coordinates_of_corners.reshape(-1, 2), axis=0, return_inverse=True
            )
            parts.append(number_rows(b"vt", places.astype(np.float64)))
            pairs = np.dstack((rows, index.reshape(-1, 3) + 1)).astype(np.int64)
        if named:
            order = np.argsort(mesh.material_of_faces, kind="stable")
            of_faces = mesh.material_of_faces[order]
            cuts = np.flatnonzero(np.diff(of_faces, prepend=-1, append=-1))
            for begin, end in pairwise(cuts):
                parts += [
                    f"usemtl material{of_faces[begin]}\n".encode(),
                    _slashed_rows(pairs[order[begin:end]])
                    if laid
                    else number_rows(b"f", rows[order[begin:end]]),
                ]
        else:
            parts.append(number_rows(b"f", rows))
        write_bytes(target, b"".join(parts))
        return losses


def _joined(data: bytes) -> bytes:
    """Return the text with continued lines joined, each byte where it was."""
    return data.replace(b"\\\r\n", b" \v ").replace(b"\\\n", b"\v ")


def _without_slashes(faces: Table) -> NDArray[np.uint8]:
    """Return the bytes of face lines with all but the vertex of ``v/vt/vn`` blanked."""
    text = faces.text.copy()
    if not (text == _SLASH).any():
        return text
    begin = 0
    while begin < len(text):
        # in parts, each whole lines, so that the places need little memory
        part = text[begin : begin + _SLAB]
        if begin + len(part) < len(text):
            ends = np.flatnonzero(part == ord("\n"))
            part = part[: int(ends[-1]) + 1] if len(ends) else text[begin:]
        place = np.arange(len(part))
        slash = np.maximum.accumulate(np.where(part == _SLASH, place, -1))
        blank = np.maximum.accumulate(np.where(part <= _BLANK, place, -1))
        part[slash > blank] = _BLANK
        begin += len(part)
    return text


def _only_images(faces: Table) -> NDArray[np.uint8]:
    """Return the bytes of face lines with all but the image's place of ``v/vt/vn``.

    It is 0 for corners that have none.
    """
    text = np.append(faces.text, np.uint8(_BLANK))
    blank, slash = text <= _BLANK, text == _SLASH
    count = np.cumsum(slash)
    # slashes of the word so far
    count -= np.maximum.accumulate(np.where(blank, count, 0))
    second = slash & (count == 2) & np.roll(slash, 1)
    last = ~blank & np.roll(blank, -1) & (count <= 1) & (slash | (count == 0))
    kept = ~blank & ~slash & (count == 1)
    found = np.where(kept, text, np.uint8(_BLANK))
    found[second | last] = ord("0")
    found[text == ord("\n")] = ord("\n")
    return found[:-1]


def _image_places(
    lines: Lines, faces: Table, n_corners: int
) -> NDArray[np.float32] | None:
    """Return image coordinates of each corner of all faces, (k, 2)."""
    rows = lines.starting_with(b"vt")
    if not rows.any():
        return None
    table = lines.table(rows, 2)
    table_of_corners = faces.with_text(_only_images(faces))
    ragged = (table.counts < 2).any() or (table_of_corners.counts != faces.counts).any()
    if ragged or int(faces.counts.sum()) != n_corners:
        lines.source.warn("textures are not shown: places in images lack numbers")
        return None
    # a third number is the depth in a solid texture
    places = np.nan_to_num(table.columns(2, "a place in an image")).clip(-_MOST, _MOST)
    written = table_of_corners.values(np.int64)
    known = np.cumsum(rows)[np.repeat(faces.rows, faces.counts)]
    index = np.where(written > 0, written - 1, written + known)
    fits = (written != 0) & (index >= 0) & (index < len(places))
    if not fits[written != 0].all():
        lines.source.warn(
            f"corners of faces name places in images beyond the {len(places)} that "
            "there are; they get the first corner of the image"
        )
    found = np.zeros((n_corners, 2), np.float32)
    found[fits] = places[index[fits]]
    return found


def _corners(
    faces: Table, vertex_lines: NDArray[np.bool_], n_vertices: int
) -> NDArray[np.int64]:
    """Return the vertices of all faces; a negative index counts back from its line."""
    written = faces.values(np.int64)
    known = np.cumsum(vertex_lines)[faces.rows]
    corners = np.where(written > 0, written - 1, written)
    negative = written < 0
    if negative.any():
        corners[negative] += np.repeat(known, faces.counts)[negative]
    wrong = (written == 0) | (corners < 0) | (corners >= n_vertices)
    if wrong.any():
        word = int(np.argmax(wrong))
        raise faces.error(
            faces.row_of_word(word),
            f"a face uses vertex {written[word]} of {n_vertices} "
            "(indices count from 1)",
        )
    return corners


def _vertex_colours(
    table: Table, triangles: NDArray[np.int32]
) -> tuple[tuple[Material, ...], NDArray[np.int32] | None]:
    """Return materials if vertices have colours after their coordinates."""
    counts = table.counts
    if len(counts) == 0 or not (counts == 6).all():
        return (), None
    return colour_materials(table.values().reshape(-1, 6)[triangles[:, 0], 3:])


def _materials(
    lines: Lines, face_rows: NDArray[np.intp]
) -> tuple[tuple[Material, ...], NDArray[np.int32] | None]:
    """Return the materials and that of each face line."""
    uses = np.flatnonzero(lines.starting_with(b"usemtl"))
    if len(uses) == 0:
        return (), None
    library: dict[str, Material] = {}
    for row in np.flatnonzero(lines.starting_with(b"mtllib")):
        name = _rest(lines.line(int(row)))
        try:
            library.update(_read_library(lines.source.sibling(name)))
        except Error as error:
            lines.source.warn(
                f"its materials are not known: {error}", line=lines.number(int(row))
            )
    # faces before the first use have the material that says nothing
    names = [""]
    found: dict[str, int] = {"": 0}
    index = np.zeros(len(uses) + 1, np.int32)
    for k, row in enumerate(uses, 1):
        name = _rest(lines.line(int(row)))
        if name not in found:
            found[name] = len(names)
            names.append(name)
            if library and name not in library:
                lines.source.warn(
                    f"no material file has {name!r}", line=lines.number(int(row))
                )
        index[k] = found[name]
    materials = tuple(library.get(name, Material()) for name in names)
    return materials, index[np.searchsorted(uses, face_rows)]


def _rest(line: bytes) -> str:
    """Return the part of a line after its first word."""
    _, _, rest = line.partition(line.split()[0])
    return rest.strip().decode("utf-8", "replace")


def _read_library(source: MeshSource) -> dict[str, Material]:
    """Return the materials of an MTL file by name."""
    found: dict[str, Material] = {}
    name = None
    values: dict[str, Array] = {}
    images: dict[str, Texture | None] = {}
    image: Texture | None = None
    for number, line in enumerate([*source.data.splitlines(), b"newmtl"], 1):
        words = line.split()
        if not words:
            continue
        keyword = words[0].lower().decode("ascii", "replace")
        if keyword == "newmtl":
            if name is not None:
                found[name] = _material(values, image)
            name, values, image = _rest(line), {}, None
        elif keyword == "map_kd":
            named = _image_name(line)
            if named not in images:
                images[named] = read_texture(source, named, line=number)
            image = images[named]
        elif keyword in {"kd", "ka", "d", "tr"}:
            count = 3 if keyword.startswith("k") else 1
            try:
                numbers = np.array([float(word) for word in words[1 : count + 1]])
            except ValueError:
                # a spectral or XYZ colour, or a halo: nothing that a Material says
                continue
            if len(numbers) == count and np.isfinite(numbers).all():
                values[keyword] = np.clip(numbers, 0.0, 1.0)
            else:
                source.warn(f"{keyword} does not have {count} numbers", line=number)
    return found


def _image_name(line: bytes) -> str:
    """Return the file of a ``map_Kd`` line, which may have blanks, without options."""
    rest = line.split(None, 1)[1] if len(line.split()) > 1 else b""
    while rest.startswith(b"-"):
        option, *words = rest.split()
        count = _IMAGE_OPTIONS.get(option.lower(), 1)
        if count == 3:
            numbers = [_is_number(word) for word in words[:3]]
            count = next((k for k, one in enumerate(numbers) if not one), len(numbers))
        parts = rest.split(None, 1 + count)
        rest = parts[1 + count] if len(parts) > 1 + count else b""
    return rest.strip().decode("utf-8", "replace")


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _material(values: dict[str, Array], image: Texture | None) -> Material:
    def colour(keyword: str) -> tuple[float, float, float] | None:
        if keyword not in values:
            return None
        red, green, blue = (float(value) for value in values[keyword])
        return red, green, blue

    transparency = 0.0
    if "d" in values:
        transparency = 1.0 - float(values["d"][0])
    elif "tr" in values:
        transparency = float(values["tr"][0])
    return Material(colour("kd"), colour("ka"), transparency, image)


def _slashed_rows(pairs: NDArray[np.integer]) -> bytes:
    """Return face lines of (m, 3, 2) numbers of vertices and places in images."""
    return b"".join(
        b"f %d/%d %d/%d %d/%d\n" % tuple(row) for row in pairs.reshape(-1, 6).tolist()
    )


def _write_images(path: Path, materials: tuple[Material, ...]) -> dict[Texture, str]:
    """Write the images of materials beside a file, and return their names."""
    found: dict[Texture, str] = {}
    for material in materials:
        texture = material.texture
        if texture is not None and texture not in found:
            data, suffix = _image_file(texture)
            found[texture] = f"{path.stem}.image{len(found)}{suffix}"
            write_bytes(path.with_name(found[texture]), data)
    return found


def _image_file(texture: Texture) -> tuple[bytes, str]:
    """Return the bytes of an image file that all programs read, and its suffix."""
    for mark, suffix in _IMAGES.items():
        if texture.data.startswith(mark):
            return texture.data, suffix
    pixels = texture_pixels(texture)
    # a damaged one is as damaged in the copy
    return (texture.data, ".img") if pixels is None else (encode_png(pixels), ".png")


def _material_file(
    materials: tuple[Material, ...], images: Mapping[Texture, str]
) -> bytes:
    lines = ["# written by pyrave"]
    for k, material in enumerate(materials):
        lines.append(f"newmtl material{k}")
        for keyword, colour in (("Kd", material.diffuse), ("Ka", material.ambient)):
            if colour is not None:
                lines.append(" ".join((keyword, *(repr(float(v)) for v in colour))))
        if material.transparency:
            lines.append(f"d {1.0 - material.transparency!r}")
        if material.texture is not None and material.texture in images:
            lines.append(f"map_Kd {images[material.texture]}")
    return "\n".join([*lines, ""]).encode()
