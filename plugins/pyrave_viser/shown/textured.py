"""Triangles with an image on them, as the small glTF files that browsers take."""

from __future__ import annotations

import json
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry import check_texture, encode_png, texture_pixels
from pyrave_viser.shown.colors import linear
from pyrave_viser.shown.quaternions import quaternions_of

if TYPE_CHECKING:
    import viser
    from numpy.typing import NDArray

    from pyrave.scene import Texture
    from pyrave.spatial import Array
    from pyrave_viser.shown.solids import ShownSolid
    from pyrave_viser.shown.surfaces import LookPart

_FLOAT, _UINT, _VERTICES, _FACES = 5126, 5125, 34962, 34963
_JPEG, _PNG = b"\xff\xd8\xff", b"\x89PNG\r\n"
_JSON, _BINARY = 0x4E4F534A, 0x004E4942

_images: weakref.WeakKeyDictionary[Texture, tuple[bytes, bool]] = (
    weakref.WeakKeyDictionary()
)


def add_solid(server: viser.ViserServer, name: str, solid: ShownSolid) -> Any:
    """Show a solid in the node of its link, and return its own node."""
    place = solid.T_link_solid
    placed: dict[str, Any] = {
        "position": place[:3, 3],
        "wxyz": quaternions_of(place[None, :3, :3])[0],
        "receive_shadow": solid.part.is_closed,
    }
    if has_image(solid.part):
        return server.scene.add_glb(name, gltf_of(solid), **placed)
    return server.scene.add_mesh_simple(
        name,
        solid.part.vertices * solid.scale,
        solid.part.faces,
        color=tuple(solid.color.tolist()),
        opacity=None if solid.opacity >= 1.0 else solid.opacity,
        side="front" if solid.part.is_closed else "double",
        **placed,
    )


def has_image(part: LookPart) -> bool:
    """Return True if there are pixels to be shown on triangles."""
    return part.texture is not None and texture_pixels(part.texture) is not None


def gltf_of(solid: ShownSolid) -> bytes:
    """Return a GLB file of the triangles of a solid, stretched, with their image."""
    part = solid.part
    assert part.texture is not None  # noqa: S101 - the caller looked
    assert part.places is not None  # noqa: S101 - the caller looked
    image, seen_through = _image(part.texture)
    vertices, normals, places, faces = _unrolled(part, solid.scale)
    arrays: list[NDArray[Any]] = [vertices, normals, places, faces]
    views, chunks, begin = [], [], 0
    for data, target in (
        *((one.tobytes(), _VERTICES) for one in arrays[:3]),
        (faces.tobytes(), _FACES),
        (image, None),
    ):
        view = {"buffer": 0, "byteOffset": begin, "byteLength": len(data)}
        views.append(view if target is None else {**view, "target": target})
        chunks.append(data + bytes(-len(data) % 4))
        begin += len(chunks[-1])
    accessors = [
        {
            "bufferView": k,
            "componentType": _UINT if one is faces else _FLOAT,
            "count": one.size if one is faces else len(one),
            "type": kind,
        }
        for k, (one, kind) in enumerate(
            zip(arrays, ("VEC3", "VEC3", "VEC2", "SCALAR"), strict=True)
        )
    ]
    accessors[0]["min"] = vertices.min(axis=0).tolist()
    accessors[0]["max"] = vertices.max(axis=0).tolist()
    blended = seen_through or solid.opacity < 1.0
    kind = "image/jpeg" if image.startswith(_JPEG) else "image/png"
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [
            {
                "primitives": [
                    {
                        "attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2},
                        "indices": 3,
                        "material": 0,
                    }
                ]
            }
        ],
        "materials": [
            {
                "pbrMetallicRoughness": {
                    "baseColorTexture": {"index": 0},
                    "baseColorFactor": [*linear(solid.color).tolist(), solid.opacity],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.8,
                },
                "alphaMode": "BLEND" if blended else "OPAQUE",
                "doubleSided": not part.is_closed,
            }
        ],
        "textures": [{"source": 0, "sampler": 0}],
        "samplers": [{}],
        "images": [{"bufferView": 4, "mimeType": kind}],
        "bufferViews": views,
        "accessors": accessors,
        "buffers": [{"byteLength": begin}],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    rest = b"".join(chunks)
    total = 12 + 8 + len(text) + 8 + len(rest)
    return b"".join(
        (
            b"glTF", _words(2, total),
            _words(len(text), _JSON), text, _words(len(rest), _BINARY), rest,
        )
    )  # fmt: skip


def _words(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "little") for value in values)


def _image(texture: Texture) -> tuple[bytes, bool]:
    """Return a PNG or JPEG file, and whether it is seen through."""
    found = _images.get(texture)
    if found is None:
        pixels = texture_pixels(texture)
        assert pixels is not None  # noqa: S101 - the caller looked
        height, width = pixels.shape[:2]
        is_whole = check_texture(texture) == (width, height)
        seen_through = pixels.shape[2] == 4 and bool((pixels[..., 3] < 255).any())
        if is_whole and texture.data.startswith((_JPEG, _PNG)):
            found = texture.data, seen_through
        else:
            kept = pixels if seen_through else pixels[..., :3]
            found = encode_png(kept), seen_through
        _images[texture] = found
    return found


def _unrolled(
    part: LookPart, scale: Array
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return vertices, normals, places in the image and faces, one index for all."""
    vertices = part.vertices * scale
    normals = _normals(vertices, part.faces)
    # rows of images count from the top
    assert part.places is not None  # noqa: S101 - the caller looked
    places = part.places.reshape(-1, 2) * (1.0, -1.0) + (0.0, 1.0)
    corners = part.faces.reshape(-1)
    keys = np.column_stack((corners, places.astype(np.float32)))
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return (
        vertices[corners[first]].astype(np.float32),
        normals[corners[first]].astype(np.float32),
        places[first].astype(np.float32),
        index.astype(np.uint32),
    )


def _normals(vertices: Array, faces: NDArray[np.int32]) -> Array:
    corners = vertices[faces]
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, faces[:, k], crosses)
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    up = np.array((0.0, 0.0, 1.0))
    return np.where(size > 0.0, normals / np.where(size > 0.0, size, 1.0), up)
