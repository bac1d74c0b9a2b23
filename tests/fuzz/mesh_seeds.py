"""Meshes in every format, written here or made by code, and words of the formats."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct

import numpy as np

from pyrave.geometry import encode_png

__all__ = ["IMAGE", "MATERIALS", "MESHES", "WORDS", "words"]

# what files beside a mesh hold
MATERIALS = b"newmtl red\nKd 1 0 0\nmap_Kd a.png\n"
IMAGE = encode_png(np.arange(48, dtype=np.uint8).reshape(4, 4, 3))

_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
_FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype="<u2")


def words(*groups) -> tuple[bytes, ...]:
    """Return texts as bytes, each once."""
    return tuple(dict.fromkeys(w.encode() for group in groups for w in group))


def _stl() -> bytes:
    facets = [
        struct.pack("<3f", 0, 0, 1) + _CORNERS[face].tobytes() + b"\0\0"
        for face in _FACES
    ]
    return b"binary".ljust(80) + struct.pack("<I", len(facets)) + b"".join(facets)


_STL_TEXT = b"""solid a
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1 0 0
  vertex 0 1e-1 0
 endloop
endfacet
endsolid a
"""
_OBJ = b"""mtllib a.mtl
o first
v 0 0 0
v 1 0 0
v 1 1 0 1.0
v 0 1 0
vt 0 0
vn 0 0 1
usemtl red
f 1/1/1 2//1 3 -1
f 1 2 3
"""
_OFF = b"""COFF
4 2 0
0 0 0 1 0 0 1
1 0 0 1 0 0 1
0 1 0 1 0 0 1
0 0 1 1 0 0 1
3 0 1 2
4 0 1 2 3 255 0 0
"""
_PLY = b"""ply
format ascii 1.0
comment by hand
element vertex 4
property float x
property float y
property float z
property uchar red
element face 2
property list uchar int vertex_indices
end_header
0 0 0 255
1 0 0 0
1 1 0 0
0 1 0 0
3 0 1 2
4 0 1 2 3
"""


def _ply_binary(order: str) -> bytes:
    header = (
        f"ply\nformat binary_{'little' if order == '<' else 'big'}_endian 1.0\n"
        "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 4\nproperty list uchar int vertex_indices\n"
        "property uchar red\nend_header\n"
    )
    faces = b"".join(struct.pack(f"{order}B3iB", 3, *face, 9) for face in _FACES)
    return header.encode() + _CORNERS.astype(f"{order}f4").tobytes() + faces


_AC3D = b"""AC3Db
MATERIAL "red" rgb 1 0 0  amb 0.2 0.2 0.2  emis 0 0 0  spec 0 0 0  shi 10  trans 0.5
OBJECT world
kids 1
OBJECT poly
name "box"
texture "a.png"
texrep 2 1
data 3
abc
loc 1 0 0
rot 1 0 0 0 1 0 0 0 1
numvert 4
0 0 0
1 0 0
1 1 0
0 1 0
numsurf 2
SURF 0x10
mat 0
refs 4
0 0 0
1 1 0
2 1 1
3 0 1
SURF 0x4
mat 0
refs 3
0 0 0
1 0 0
2 0 0
kids 0
"""


def _chunk(kind: int, *parts: bytes) -> bytes:
    inside = b"".join(parts)
    return struct.pack("<HI", kind, len(inside) + 6) + inside


def _tds() -> bytes:
    corners = struct.pack("<H", 4) + _CORNERS.tobytes()
    flags = np.zeros((4, 1), dtype="<u2")
    faces = struct.pack("<H", 4) + np.hstack([_FACES, flags]).tobytes()
    used = b"red\0" + struct.pack("<3H", 2, 0, 1)
    colour = _chunk(0x0011, b"\xff\0\0")
    image = _chunk(0xA200, _chunk(0x0030, b"\x64\0"), _chunk(0xA300, b"a.png\0"))
    material = _chunk(0xAFFF, _chunk(0xA000, b"red\0"), _chunk(0xA020, colour), image)
    places = struct.pack("<H8f", 4, *range(8))
    mesh = _chunk(0x4100, _chunk(0x4110, corners), _chunk(0x4140, places),
                  _chunk(0x4120, faces,
                  _chunk(0x4130, used)))  # fmt: skip
    named = _chunk(0x4000, b"box\0", mesh)
    scale = _chunk(0x0100, struct.pack("<f", 2.0))
    version = _chunk(0x0002, struct.pack("<I", 3))
    return _chunk(0x4D4D, version, _chunk(0x3D3D, scale, material, named))


_INVENTOR = b"""#Inventor V2.1 ascii
DEF whole Separator {
  Units { units MILLIMETERS }
  Material { diffuseColor [ 1 0 0, 0 1 0 ] transparency 0.5 }
  MaterialBinding { value PER_FACE_INDEXED }
  ShapeHints { vertexOrdering COUNTERCLOCKWISE faceType UNKNOWN_FACE_TYPE }
  Texture2 { filename "a.png" wrapS CLAMP }
  TextureCoordinate2 { point [ 0 0, 1 0, 1 1 ] }
  Transform { translation 1 2 3 rotation 0 0 1 1.5 scaleFactor 1 1 2 }
  Coordinate3 { point [ 0 0 0, 1 0 0, 1 1 0, 0.4 0.5 0, 0 1 0 ] }
  IndexedFaceSet { coordIndex [ 0, 1, 2, 3, 4, -1, 0, 1, 2, -1 ]
    materialIndex [ 0, 1 ] textureCoordIndex [ 0, 1, 2, 0, 1, -1, 0, 1, 2, -1 ] }
  Separator { IndexedTriangleStripSet { coordIndex [ 0, 1, 2, 3, -1 ] } USE whole2 }
  DEF whole2 Switch { whichChild 0 Cube { width 2 } Sphere { radius 1 } }
  Group { Cone { parts SIDES bottomRadius 1 } Cylinder { parts (SIDES | TOP) } }
  TransformSeparator { MatrixTransform { matrix 1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1 } }
  QuadMesh { verticesPerColumn 2 verticesPerRow 2 }
  FaceSet { numVertices [ 3 ] vertexProperty VertexProperty {
    vertex [ 0 0 0, 1 0 0, 0 1 0 ] } }
  Own { fields [ SFFloat size, MFInt32 list ] size 2 list [ 1, 2 ] }
}
""".replace(b" USE whole2 }", b" }")  # a node is used after it is named
_INVENTOR_10 = b"""#Inventor V1.0 ascii
Separator { Translation { translation 0 0 1 } RotationXYZ { axis X angle 1 }
  Scale { scaleFactor 2 2 2 } Rotation { rotation 1 0 0 3 } Cube { } }
"""
_VRML_1 = b"""#VRML V1.0 ascii
DEF a Separator { Coordinate3 { point [ 0 0 0, 1 0 0, 0 1 0 ] }
  IndexedFaceSet { coordIndex [ 0, 1, 2, -1 ] } LOD { range [ 1 ] Sphere { } Cube { } }
  WWWAnchor { name "x.wrl" AsciiText { string "hello" } } USE b }
""".replace(b" USE b", b"")
_VRML_97 = b"""#VRML V2.0 utf8
PROTO Brick [ field SFVec3f size 1 2 3  exposedField SFColor tint 1 0 0 ] {
  Shape { appearance Appearance { material Material { diffuseColor IS tint } }
    geometry Box { size IS size } }
}
DEF whole Transform { translation 1 0 0 rotation 0 0 1 0.5 scale 1 2 1 center 1 1 1
  children [
    Shape { geometry IndexedFaceSet { coord DEF c Coordinate { point [
      0 0 0, 1 0 0, 1 1 0, 0 1 0 ] } coordIndex [ 0 1 2 3 -1 ] ccw FALSE
      color Color { color [ 1 0 0 ] } colorPerVertex FALSE } }
    Shape { appearance Appearance { texture ImageTexture { url [ "a.png" ] } }
      geometry IndexedFaceSet { coord USE c coordIndex [ 0 1 2 ]
      texCoord TextureCoordinate { point [ 0 0, 1 0, 1 1 ] } texCoordIndex [ 2 1 0 ] } }
    Brick { size 2 2 2 }
    Switch { whichChoice 0 choice [ Shape { geometry Sphere { radius 2 } } ] }
    LOD { level [ Shape { geometry Cone { height 1 side TRUE } } ] range [ 3 ] }
    Shape { geometry Extrusion { crossSection [ 0 0, 1 0, 1 1 ] spine [ 0 0 0, 0 1 0 ]
      scale [ 1 1, 0.5 0.5 ] orientation [ 0 1 0 0.5 ] } }
    Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [ 0 1 2 3 ] } }
    Shape { geometry Cylinder { top FALSE } } ] }
ROUTE whole.translation_changed TO whole.set_translation
"""


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">i", len(data)) + data + b"\0" * (-len(data) % 4)


def _inventor_binary() -> bytes:
    """Return a separator with coordinates and faces in the binary encoding of 2.1."""

    def node(name: str, fields: tuple[tuple[str, bytes], ...], inside: bytes) -> bytes:
        flags = 2 if name == "Separator" else 0
        values = b"".join(_text(n) + v + struct.pack(">i", 0) for n, v in fields)
        return _text(name) + struct.pack(">2i", flags, len(fields)) + values + inside

    points = struct.pack(">i", 4) + _CORNERS.astype(">f4").tobytes()
    index = np.hstack([_FACES.astype(int), np.full((4, 1), -1)]).astype(">i4")
    faces = struct.pack(">i", index.size) + index.tobytes()
    children = (
        _text("DEF") + _text("it") + node("Coordinate3", (("point", points),), b""),
        node("IndexedFaceSet", (("coordIndex", faces),), b""),
        node("Cube", (("width", struct.pack(">f", 2.0)),), b""),
    )
    inside = struct.pack(">i", len(children)) + b"".join(children)
    return b"#Inventor V2.1 binary  \n" + node("Separator", (), inside)


def _gltf() -> tuple[bytes, bytes]:
    """Return a triangle mesh as glTF with its buffer inside, and as GLB."""
    buffer = _CORNERS.tobytes() + _FACES.tobytes() + IMAGE
    views = [
        {"buffer": 0, "byteOffset": 0, "byteLength": 48},
        {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        {"buffer": 0, "byteOffset": 72, "byteLength": len(IMAGE)},
    ]
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
         "min": [0, 0, 0], "max": [1, 1, 1]},
        {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC2"},
    ]  # fmt: skip
    primitive = {
        "attributes": {"POSITION": 0, "TEXCOORD_0": 2},
        "indices": 1,
        "material": 0,
    }
    scene = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": [1, 2, 3], "children": [1]}, {"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "materials": [
            {
                "pbrMetallicRoughness": {
                    "baseColorFactor": [1, 0, 0, 0.5],
                    "baseColorTexture": {"index": 0},
                }
            }
        ],
        "textures": [{"source": 0}],
        "images": [{"bufferView": 2, "mimeType": "image/png"}],
        "accessors": accessors,
        "bufferViews": views,
    }
    text = base64.b64encode(buffer).decode()
    uri = f"data:application/octet-stream;base64,{text}"
    alone = {**scene, "buffers": [{"byteLength": len(buffer), "uri": uri}]}
    head = json.dumps({**scene, "buffers": [{"byteLength": len(buffer)}]}).encode()
    head += b" " * (-len(head) % 4)
    chunks = struct.pack("<I4s", len(head), b"JSON") + head
    chunks += struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    whole = struct.pack("<4sII", b"glTF", 2, len(chunks) + 12) + chunks
    return json.dumps(alone).encode(), whole


_COLLADA = b"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
 version="1.4.1"><asset><unit name="cm" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="i"><init_from>a.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON><newparam sid="f"><surface type="2D">
<init_from>i</init_from></surface></newparam><newparam sid="a"><sampler2D><source>f
</source></sampler2D></newparam><technique sid="t"><phong><diffuse>
<texture texture="a" texcoord="U"/></diffuse></phong></technique></profile_COMMON>
</effect>
</library_effects><library_materials><material id="m"><instance_effect url="#e"/>
</material></library_materials><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X"
type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles count="2" material="m"><input semantic="VERTEX" source="#v"
offset="0"/><input semantic="TEXCOORD" source="#p" offset="1"/>
<p>0 0 1 1 2 2 0 0 2 2 3 3</p></triangles><polylist count="1"><input semantic="VERTEX"
source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node id="n">
<translate>1 2 3</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g">
<bind_material><technique_common><instance_material symbol="m" target="#m"/>
</technique_common></bind_material></instance_geometry></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""

MESHES: dict[str, tuple[bytes, ...]] = {
    "STL": (_stl(), _STL_TEXT),
    "OBJ": (_OBJ,),
    "OFF": (_OFF,),
    "PLY": (_PLY, _ply_binary("<"), _ply_binary(">")),
    "AC3D": (_AC3D,),
    "3DS": (_tds(),),
    "Inventor": (
        *(_INVENTOR, _INVENTOR_10, _inventor_binary()),
        gzip.compress(_INVENTOR, mtime=0),
    ),
    "VRML": (_VRML_1, _VRML_97),
    "glTF": _gltf(),
    "COLLADA mesh": (_COLLADA,),
}
"""Examples by the name of the mesh format."""

_NAMES = re.compile(rb"[A-Za-z_][\w.]*")
WORDS = {
    name: tuple(dict.fromkeys(found for text in examples
                              for found in _NAMES.findall(text)[:300]))
    for name, examples in MESHES.items()
}  # fmt: skip
"""Words of the formats: those that the examples use, and a few more."""

WORDS["OBJ"] += words(["l", "p", "g", "s", "off", "/", "//", "\\\n", "#"])
WORDS["STL"] += words(["color", "nan", "end"])
WORDS["OFF"] += words(["NOFF", "4OFF", "nOFF", "STOFF", "OFF", "#"])
WORDS["PLY"] += words(["double", "int8", "uint32", "list", "obj_info", "element x 0"])
WORDS["AC3D"] += words(["texture", "texrep", "light", "group", "crease", "AC3Dc"])
_GRAPH = (
    *("[", "]", "{", "}", "USE", "DEF", "NULL", "TRUE", "PROTO", "EXTERNPROTO", "IS"),
    *("SFNode", "MFNode", "SFFloat", "MFString", "Separator {", '"', "~", "=", "0xff"),
    *("VertexProperty", "NurbsSurface", "Text3", "File", "Inline", "children [", "-1"),
    *("TriangleStripSet", "IndexedLineSet", "Array", "MultipleCopy", "LevelOfDetail"),
)
WORDS["Inventor"] += words(_GRAPH)
WORDS["VRML"] += words(_GRAPH)
