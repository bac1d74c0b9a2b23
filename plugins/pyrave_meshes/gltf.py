"""glTF 2.0, as JSON and as GLB, read by trimesh."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave_meshes.gltf_images import Images
from pyrave_meshes.library import MAX_TRIANGLES, read_scene

if TYPE_CHECKING:
    from pyrave.errors import SceneError
    from pyrave.formats import MeshSource
    from pyrave.geometry import Mesh

_MAGIC = b"glTF"
_JSON_CHUNK = 0x4E4F534A
_UNUSED = ("images", "textures", "samplers", "animations", "skins", "cameras")
_KNOWN_EXTENSIONS = ("KHR_materials_", "KHR_texture_", "KHR_lights_")
_MAX_DEPTH = 200


class GltfFormat:
    """glTF: meshes of the scene in their places; base colours, images. Y is up."""

    name = "glTF"
    suffixes = (".glb", ".gltf")

    def sniff(self, head: bytes) -> bool:
        """Return True if `head` starts a GLB file, or JSON that looks like glTF."""
        text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        return head.startswith(_MAGIC) or (
            text.startswith(b"{") and b'"asset"' in text and b'"version"' in text
        )

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh of everything in the scene; axes stay as written.

        The library believes what the file says about its own size, so that is checked
        before: every array lies in a buffer, nodes are a tree, and instances do not
        multiply without bounds. Images are not handed to it.
        """
        binary = source.data.startswith(_MAGIC)
        tree, rest = _glb(source) if binary else (source.data, b"")
        parsed = _parsed(source, tree)
        textures = Images(source, parsed, rest).of_materials()
        checked = _Checked(source, parsed)
        data = json.dumps(checked.tree).encode()
        if not binary:
            return read_scene(source, data, "gltf", textures)
        data += b" " * (-len(data) % 4)
        head = _MAGIC + _words(2, 20 + len(data) + len(rest))
        data = head + _words(len(data), _JSON_CHUNK) + data + rest
        return read_scene(source, data, "glb", textures)


def _glb(source: MeshSource) -> tuple[bytes, bytes]:
    """Return the JSON chunk of a GLB file, and the chunks after it."""
    data = source.data
    if len(data) < 20:
        raise source.error("the file ends in its header", offset=len(data))
    version, length, size, kind = (
        int.from_bytes(data[k : k + 4], "little") for k in (4, 8, 12, 16)
    )
    if version != 2 or kind != _JSON_CHUNK:
        raise source.error(f"version {version} of glTF is not read, only 2", offset=4)
    if length > len(data) or 20 + size > length:
        raise source.error(
            f"the header says {length} bytes, the file has {len(data)}", offset=8
        )
    return data[20 : 20 + size], data[20 + size : length]


def _words(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "little") for value in values)


def _parsed(source: MeshSource, text: bytes) -> dict[str, Any]:
    try:
        tree = json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise source.error(
            f"not well-formed JSON: {error.msg}", line=error.lineno, column=error.colno
        ) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise source.error(f"not readable as JSON: {error}") from error
    if not isinstance(tree, dict):
        raise source.error("the JSON is no object", line=1)
    return tree


@dataclass(slots=True)
class _Checked:
    """A glTF tree that a library may be given."""

    source: MeshSource
    tree: dict[str, Any]

    def __post_init__(self) -> None:
        required = self.tree.get("extensionsRequired", [])
        for name in required if isinstance(required, list) else [required]:
            if not str(name).startswith(_KNOWN_EXTENSIONS):
                raise self.source.error(
                    f"the extension {name!r} is not read",
                    hint="export without compression",
                )
        for name in _UNUSED:
            self.tree.pop(name, None)
        for material in self.objects("materials"):
            _without_textures(material)
        for node in self.objects("nodes"):
            node.pop("skin", None)
        self.check_accessors()
        self.check_nodes()

    def error(self, kind: str, index: int, message: str) -> SceneError:
        return self.source.error(f"{kind}[{index}] {message}")

    def objects(self, name: str) -> list[dict[str, Any]]:
        found = self.tree.get(name, [])
        if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
            raise self.source.error(f"{name!r} is no list of objects")
        return found

    def whole(self, kind: str, index: int, value: Any, below: int) -> int:
        """Return a whole number from 0 that is smaller than a bound."""
        if type(value) is not int or not 0 <= value < below:
            raise self.error(kind, index, f"has {value!r}, not 0 to {below - 1}")
        return value

    def check_accessors(self) -> None:
        views = self.objects("bufferViews")
        limit = len(self.source.data) + 512 * 1024 * 1024
        for k, accessor in enumerate(self.objects("accessors")):
            if "sparse" in accessor or "bufferView" not in accessor:
                raise self.error("accessors", k, "is sparse, which is not read")
            view = self.whole("accessors", k, accessor["bufferView"], len(views))
            length = self.whole(
                "bufferViews", view, views[view].get("byteLength"), limit
            )
            self.whole("accessors", k, accessor.get("count"), length + 1)

    def check_nodes(self) -> None:
        """Raise unless each node has one parent at most, and triangles are bounded."""
        nodes = self.objects("nodes")
        parent: dict[int, int] = {}
        for k, node in enumerate(nodes):
            children = node.get("children", [])
            for child in children if isinstance(children, list) else [children]:
                one = self.whole("nodes", k, child, len(nodes))
                if one in parent or one == k:
                    raise self.error("nodes", one, "is the child of more than one node")
                parent[one] = k
        depth: dict[int, int] = {}
        for k in range(len(nodes)):
            path = []
            at: int | None = k
            while at is not None and at not in depth:
                path.append(at)
                if len(path) > _MAX_DEPTH:
                    raise self.error("nodes", k, "is nested too deep, or in a circle")
                at = parent.get(at)
            level = 0 if at is None else depth[at] + 1
            for one in reversed(path):
                depth[one] = level
                level += 1
            if level > _MAX_DEPTH:
                raise self.error("nodes", k, "is nested too deep, or in a circle")
        sizes = [self.size(k, mesh) for k, mesh in enumerate(self.objects("meshes"))]
        total = 0
        for k, node in enumerate(nodes):
            if "mesh" in node:
                total += sizes[self.whole("nodes", k, node["mesh"], len(sizes))]
            if total > 3 * MAX_TRIANGLES:
                raise self.source.error(
                    f"the scene has more than {MAX_TRIANGLES} triangles"
                )

    def size(self, index: int, mesh: dict[str, Any]) -> int:
        """Return the corners of the faces of a mesh."""
        accessors = self.objects("accessors")
        total = 0
        primitives = mesh.get("primitives", [])
        for one in primitives if isinstance(primitives, list) else [primitives]:
            given = one if isinstance(one, dict) else {}
            attributes = given.get("attributes")
            if not isinstance(attributes, dict):
                raise self.error("meshes", index, "has a primitive without attributes")
            for used in (*attributes.values(), given.get("indices")):
                if used is not None:
                    k = self.whole("meshes", index, used, len(accessors))
                    total += accessors[k]["count"]
        return total


def _without_textures(value: Any) -> None:
    """Remove what names a picture from a material."""
    if isinstance(value, dict):
        for key in [k for k in value if k.lower().endswith("texture")]:
            del value[key]
        for inner in value.values():
            _without_textures(inner)
