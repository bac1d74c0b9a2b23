"""The nodes and fields of the formats, as data.

A line of a table is ``Name | role | fields``. The role names what `traversal` does with
such a node; ``-`` is nothing. Fields are ``name:Type``; those in parentheses are
read over: they do not matter for triangles, but a binary file can only be read by
somebody who knows them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave_inventor.document import Dialect


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of a field: `width` values of a `kind`, once or many times."""

    name: str
    kind: str
    width: int = 1
    many: bool = False


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node type; `used` has the fields whose values are kept."""

    name: str
    role: str
    fields: Mapping[str, FieldType] = field(default_factory=dict)
    used: frozenset[str] = frozenset()


_KINDS = {
    "float": {
        "Float": 1, "Vec2f": 2, "Vec3f": 3, "Vec4f": 4, "Color": 3, "ColorRGBA": 4,
        "Rotation": 4, "Matrix": 16, "Plane": 4,
    },
    "int": {
        "Int32": 1, "Long": 1, "UInt32": 1, "ULong": 1, "Short": 1, "UShort": 1,
    },
    "double": {"Time": 1},
    "bool": {"Bool": 1},
    "string": {"String": 1, "Name": 1},
    "enum": {"Enum": 1},
    "flags": {"BitMask": 1},
    "node": {"Node": 1},
    "image": {"Image": 1},
    "trigger": {"Trigger": 0},
}  # fmt: skip

FIELD_TYPES = {
    f"{prefix}{name}": FieldType(f"{prefix}{name}", kind, width, prefix == "MF")
    for kind, names in _KINDS.items()
    for name, width in names.items()
    for prefix in ("SF", "MF")
}

_TRANSFORM = (
    "translation:SFVec3f rotation:SFRotation scaleFactor:SFVec3f"
    " scaleOrientation:SFRotation center:SFVec3f"
)
_SEPARATOR = (
    "(renderCaching:SFEnum boundingBoxCaching:SFEnum renderCulling:SFEnum"
    " pickCulling:SFEnum)"
)
_LIGHT = "(on:SFBool intensity:SFFloat color:SFColor)"
_CAMERA = (
    "(viewportMapping:SFEnum position:SFVec3f orientation:SFRotation"
    " aspectRatio:SFFloat nearDistance:SFFloat farDistance:SFFloat"
    " focalDistance:SFFloat)"
)
_TEXT = "(string:MFString spacing:SFFloat justification:SFEnum)"
_PROFILE = "(index:MFInt32 linkage:SFEnum)"
_INDICES = (
    "vertexProperty:SFNode coordIndex:MFInt32 materialIndex:MFInt32"
    " (normalIndex:MFInt32) textureCoordIndex:MFInt32"
)
_LINES = f"({_INDICES.replace('(', '').replace(')', '')})"
_NURBS = (
    "(numUControlPoints:SFInt32 numVControlPoints:SFInt32 numSControlPoints:SFInt32"
    " numTControlPoints:SFInt32 uKnotVector:MFFloat vKnotVector:MFFloat"
    " sKnotVector:MFFloat tKnotVector:MFFloat)"
)

_INVENTOR = f"""
Group                | group              |
Separator            | separator          | {_SEPARATOR}
Annotation           | separator          | {_SEPARATOR}
Selection            | separator          | {_SEPARATOR} (policy:SFEnum)
LocateHighlight      | separator          | {_SEPARATOR} (color:SFColor style:SFEnum
                                            mode:SFEnum)
WWWAnchor            | separator          | {_SEPARATOR} (color:SFColor style:SFEnum
                                            mode:SFEnum name:SFString
                                            description:SFString map:SFEnum)
TransformSeparator   | transform_separator |
Switch               | switch             | whichChild:SFInt32
Blinker              | switch             | whichChild:SFInt32 (speed:SFFloat on:SFBool)
PathSwitch           | -                  |
LOD                  | first_child        | (range:MFFloat center:SFVec3f)
LevelOfDetail        | first_child        | (screenArea:MFFloat)
Array                | array              | origin:SFEnum
                                            numElements1:SFShort numElements2:SFShort
                                            numElements3:SFShort separation1:SFVec3f
                                            separation2:SFVec3f separation3:SFVec3f
MultipleCopy         | multiple_copy      | matrix:MFMatrix
File                 | include            | name:SFString
WWWInline            | include            | name:SFString (bboxSize:SFVec3f
                                            bboxCenter:SFVec3f) alternateRep:SFNode
Transform            | transform          | {_TRANSFORM}
TransformManip       | transform          | {_TRANSFORM}
CenterballManip      | transform          | {_TRANSFORM}
HandleBoxManip       | transform          | {_TRANSFORM}
JackManip            | transform          | {_TRANSFORM}
TabBoxManip          | transform          | {_TRANSFORM}
TrackballManip       | transform          | {_TRANSFORM}
TransformBoxManip    | transform          | {_TRANSFORM}
TransformerManip     | transform          | {_TRANSFORM}
Translation          | transform          | translation:SFVec3f
Shuttle              | transform          | translation:SFVec3f (translation0:SFVec3f
                                            translation1:SFVec3f speed:SFFloat
                                            on:SFBool)
Rotation             | transform          | rotation:SFRotation
Rotor                | transform          | rotation:SFRotation (speed:SFFloat
                                            on:SFBool)
Pendulum             | transform          | rotation:SFRotation (rotation0:SFRotation
                                            rotation1:SFRotation speed:SFFloat
                                            on:SFBool)
Scale                | transform          | scaleFactor:SFVec3f
RotationXYZ          | rotation_xyz       | axis:SFEnum angle:SFFloat
MatrixTransform      | matrix_transform   | matrix:SFMatrix
ResetTransform       | reset_transform    | whatToReset:SFBitMask
AntiSquish           | -                  | (sizing:SFEnum recalcAlways:SFBool)
SurroundScale        | -                  | (numNodesUpToContainer:SFInt32
                                            numNodesUpToReset:SFInt32)
Units                | units              | units:SFEnum
Coordinate3          | coordinates        | point:MFVec3f
Coordinate4          | coordinates        | point:MFVec4f
Normal               | -                  | (vector:MFVec3f)
NormalBinding        | -                  | (value:SFEnum)
Material             | material           | ambientColor:MFColor diffuseColor:MFColor
                                            (specularColor:MFColor
                                            emissiveColor:MFColor shininess:MFFloat)
                                            transparency:MFFloat
BaseColor            | base_color         | rgb:MFColor
PackedColor          | packed_color       | orderedRGBA:MFUInt32 rgba:MFUInt32
MaterialBinding      | material_binding   | value:SFEnum
ShapeHints           | shape_hints        | vertexOrdering:SFEnum shapeType:SFEnum
                                            faceType:SFEnum (creaseAngle:SFFloat)
                                            hints:SFBitMask
VertexProperty       | vertex_property    | vertex:MFVec3f (normal:MFVec3f
                                            normalBinding:SFEnum texCoord:MFVec2f
                                            texCoord3:MFVec3f textureUnit:MFInt32)
                                            orderedRGBA:MFUInt32 materialBinding:SFEnum
FaceSet              | face_set           | vertexProperty:SFNode startIndex:SFInt32
                                            numVertices:MFInt32
TriangleStripSet     | triangle_strip_set | vertexProperty:SFNode startIndex:SFInt32
                                            numVertices:MFInt32
QuadMesh             | quad_mesh          | vertexProperty:SFNode startIndex:SFInt32
                                            verticesPerColumn:SFInt32
                                            verticesPerRow:SFInt32
IndexedFaceSet       | indexed_face_set   | {_INDICES}
IndexedTriangleStripSet | indexed_strip_set | {_INDICES}
Cube                 | cube               | width:SFFloat height:SFFloat depth:SFFloat
Sphere               | sphere             | radius:SFFloat
Cone                 | cone               | parts:SFBitMask bottomRadius:SFFloat
                                            height:SFFloat
Cylinder             | cylinder           | parts:SFBitMask radius:SFFloat
                                            height:SFFloat
LineSet              | -                  | (vertexProperty:SFNode startIndex:SFInt32
                                            numVertices:MFInt32)
IndexedLineSet       | -                  | {_LINES}
PointSet             | -                  | (vertexProperty:SFNode startIndex:SFInt32
                                            numPoints:SFInt32)
IndexedPointSet      | -                  | {_LINES}
MarkerSet            | -                  | (vertexProperty:SFNode startIndex:SFInt32
                                            numPoints:SFInt32 markerIndex:MFInt32)
NurbsCurve           | -                  | (numControlPoints:SFInt32
                                            knotVector:MFFloat)
IndexedNurbsCurve    | -                  | (numControlPoints:SFInt32
                                            coordIndex:MFInt32 knotVector:MFFloat)
NurbsSurface         | not_drawn          | {_NURBS}
IndexedNurbsSurface  | not_drawn          | {_NURBS} (coordIndex:MFInt32
                                            textureCoordIndex:MFInt32)
Text2                | -                  | {_TEXT}
Text3                | not_drawn          | {_TEXT} (parts:SFBitMask)
AsciiText            | not_drawn          | {_TEXT} (width:MFFloat)
ProfileCoordinate2   | -                  | (point:MFVec2f)
ProfileCoordinate3   | -                  | (point:MFVec3f)
LinearProfile        | -                  | {_PROFILE}
NurbsProfile         | -                  | {_PROFILE} (knotVector:MFFloat)
ColorIndex           | -                  | (index:MFInt32)
TextureCoordinate2   | image_places       | point:MFVec2f
TextureCoordinate3   | -                  | (point:MFVec3f)
TextureCoordinateBinding | -              | (value:SFEnum)
TextureCoordinateDefault | -              |
TextureCoordinateEnvironment | -          |
TextureCoordinatePlane | -                | (directionS:SFVec3f directionT:SFVec3f)
Texture2             | image              | filename:SFString (image:SFImage
                                            wrapS:SFEnum wrapT:SFEnum model:SFEnum
                                            blendColor:SFColor
                                            enableCompressedTexture:SFBool)
Texture2Transform    | -                  | (translation:SFVec2f rotation:SFFloat
                                            scaleFactor:SFVec2f center:SFVec2f)
DrawStyle            | -                  | (style:SFEnum pointSize:SFFloat
                                            lineWidth:SFFloat linePattern:SFUShort)
LightModel           | -                  | (model:SFEnum)
Complexity           | -                  | (type:SFEnum value:SFFloat
                                            textureQuality:SFFloat)
Environment          | -                  | (ambientIntensity:SFFloat
                                            ambientColor:SFColor attenuation:SFVec3f
                                            fogType:SFEnum fogColor:SFColor
                                            fogVisibility:SFFloat)
Font                 | -                  | (name:SFName size:SFFloat)
FontStyle            | -                  | (name:SFName size:SFFloat family:SFEnum
                                            style:SFBitMask)
PickStyle            | -                  | (style:SFEnum)
ClipPlane            | -                  | (plane:SFPlane on:SFBool)
PolygonOffset        | -                  | (factor:SFFloat units:SFFloat
                                            styles:SFBitMask on:SFBool)
TransparencyType     | -                  | (value:SFEnum)
DirectionalLight     | -                  | {_LIGHT} (direction:SFVec3f)
PointLight           | -                  | {_LIGHT} (location:SFVec3f)
SpotLight            | -                  | {_LIGHT} (location:SFVec3f direction:SFVec3f
                                            dropOffRate:SFFloat cutOffAngle:SFFloat)
PerspectiveCamera    | -                  | {_CAMERA} (heightAngle:SFFloat)
OrthographicCamera   | -                  | {_CAMERA} (height:SFFloat)
Label                | -                  | (label:SFName)
Info                 | -                  | (string:SFString)
Callback             | -                  |
EventCallback        | -                  |
"""

# In VRML 97 what is not drawn is passed over whole, so its fields are not listed.
_BOX = "(bboxCenter:SFVec3f bboxSize:SFVec3f)"
_CHILDREN = f"children:MFNode (addChildren:MFNode removeChildren:MFNode) {_BOX}"
_VRML97 = f"""
Group           | group         | {_CHILDREN}
Transform       | vrml_transform | {_CHILDREN} translation:SFVec3f
                                  rotation:SFRotation scale:SFVec3f
                                  scaleOrientation:SFRotation center:SFVec3f
Anchor          | group         | {_CHILDREN} (description:SFString url:MFString
                                  parameter:MFString)
Billboard       | group         | {_CHILDREN} (axisOfRotation:SFVec3f)
Collision       | group         | {_CHILDREN} (collide:SFBool proxy:SFNode)
Switch          | vrml_switch   | choice:MFNode whichChoice:SFInt32
LOD             | vrml_lod      | level:MFNode (center:SFVec3f range:MFFloat)
Inline          | include       | url:MFString {_BOX}
Shape           | vrml_shape    | appearance:SFNode geometry:SFNode
Appearance      | -             | material:SFNode texture:SFNode
                                  (textureTransform:SFNode)
ImageTexture    | -             | url:MFString (repeatS:SFBool repeatT:SFBool)
Material        | -             | ambientIntensity:SFFloat diffuseColor:SFColor
                                  transparency:SFFloat (emissiveColor:SFColor
                                  shininess:SFFloat specularColor:SFColor)
Coordinate      | -             | point:MFVec3f
Color           | -             | color:MFColor
IndexedFaceSet  | vrml_face_set | coord:SFNode color:SFNode colorIndex:MFInt32
                                  colorPerVertex:SFBool coordIndex:MFInt32
                                  ccw:SFBool convex:SFBool (creaseAngle:SFFloat
                                  normal:SFNode normalIndex:MFInt32
                                  normalPerVertex:SFBool solid:SFBool)
                                  texCoord:SFNode texCoordIndex:MFInt32
ElevationGrid   | vrml_grid     | height:MFFloat xDimension:SFInt32 xSpacing:SFFloat
                                  zDimension:SFInt32 zSpacing:SFFloat ccw:SFBool
                                  color:SFNode colorPerVertex:SFBool (normal:SFNode
                                  texCoord:SFNode normalPerVertex:SFBool
                                  creaseAngle:SFFloat solid:SFBool)
Extrusion       | vrml_extrusion | beginCap:SFBool endCap:SFBool ccw:SFBool
                                  convex:SFBool crossSection:MFVec2f
                                  orientation:MFRotation scale:MFVec2f spine:MFVec3f
                                  (creaseAngle:SFFloat solid:SFBool)
Box             | vrml_box      | size:SFVec3f
Sphere          | sphere        | radius:SFFloat
Cone            | vrml_cone     | bottom:SFBool bottomRadius:SFFloat height:SFFloat
                                  side:SFBool
Cylinder        | vrml_cylinder | bottom:SFBool height:SFFloat radius:SFFloat
                                  side:SFBool top:SFBool
Text            | not_drawn     |
IndexedLineSet  | -             |
PointSet        | -             |
Normal          | -             | (vector:MFVec3f)
TextureCoordinate | -           | point:MFVec2f
"""
_NOT_LISTED = """
AudioClip Background ColorInterpolator CoordinateInterpolator CylinderSensor
DirectionalLight Fog FontStyle MovieTexture NavigationInfo
NormalInterpolator OrientationInterpolator PixelTexture PlaneSensor PointLight
PositionInterpolator ProximitySensor ScalarInterpolator Script Sound SphereSensor
SpotLight TextureTransform TimeSensor TouchSensor Viewpoint VisibilitySensor WorldInfo
"""


def _parsed(table: str) -> dict[str, NodeType]:
    rows: list[str] = []
    for line in filter(str.strip, table.splitlines()):
        if line[0].isspace():
            rows[-1] += line
        else:
            rows.append(line)
    found = {}
    for row in rows:
        name, role, text = (part.strip() for part in row.split("|"))
        fields, used = {}, set()
        unused = False
        for word in text.replace("(", " ( ").replace(")", " ) ").split():
            if word in "()":
                unused = word == "("
                continue
            key, _, type_name = word.partition(":")
            fields[key] = FIELD_TYPES[type_name]
            if not unused:
                used.add(key)
        found[name] = NodeType(name, role, fields, frozenset(used))
    return found


@cache
def _tables() -> dict[str, tuple[dict[str, NodeType], ...]]:
    inventor, vrml97 = _parsed(_INVENTOR), _parsed(_VRML97)
    vrml97 |= {name: NodeType(name, "-") for name in _NOT_LISTED.split()}
    # Inventor 2.1 files hold the nodes of VRML 97 under names of their own
    prefixed = {f"VRML{name}": known for name, known in vrml97.items()}
    return {
        "inventor": (inventor, prefixed),
        "vrml1": (inventor, prefixed),
        "vrml97": (vrml97, inventor),
    }


def node_type(name: str, dialect: Dialect) -> NodeType | None:
    """Return the node type of that name in a dialect, or None."""
    for table in _tables()[dialect]:
        if name in table:
            return table[name]
    return None
