"""Detection of file formats from their first bytes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from pyrave.interfaces.types import INTERFACE_TYPES, TYPE_ALIASES

if TYPE_CHECKING:
    from collections.abc import Callable

_SKIP = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<![^>]*>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<([A-Za-z_][\w:.-]*)")
_URDF = re.compile(
    r"<(link|joint|transmission|material)\s+[^>]*?name\s*=|xmlns:xacro\s*=|<xacro:"
)
_OPENRAVE_ROBOT = re.compile(
    r"<(kinbody|manipulator|attachedsensor|robot\s[^>]*\bfile\s*=|body)\b",
    re.IGNORECASE,
)
_XML_FAMILIES = {
    "collada": "COLLADA",
    "workcell": "RobWork WorkCell",
    "dynamicworkcell": "RobWork Dynamic WorkCell",
    "sdf": "SDFormat",
    "mujoco": "MJCF",
}
_ARCHIVE = "COLLADA archive (.zae)"
_ZIP_HEADS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_MESH_SUFFIXES = {
    ".iv": "Inventor",
    ".wrl": "VRML",
    ".vrml": "VRML",
    ".stl": "STL",
    ".obj": "OBJ",
    ".ply": "PLY",
    ".off": "OFF",
    ".3ds": "3DS",
    ".ac": "AC3D",
    ".blend": "Blender",
    ".ase": "ASE",
    ".dxf": "DXF",
    ".glb": "glTF",
    ".gltf": "glTF",
}


_PARTS_OF_ROBWORK = {
    **dict.fromkeys(("proximitysetup", "collisionsetup"), "a setup of RobWork"),
    **dict.fromkeys(
        ("frame", "drawable", "collisionmodel", "property"), "a part of a WorkCell"
    ),
    **dict.fromkeys(
        ("includedata", "materialdata", "objecttypedata", "frictionmap", "contactmap"),
        "a part of a Dynamic WorkCell",
    ),
}
_OF_SRDF = frozenset({
    *("group", "group_state", "disable_collisions", "disable_default_collisions"),
    *("enable_collisions", "end_effector", "virtual_joint", "passive_joint"),
    *("link_sphere_approximation", "joint_property"),
})  # fmt: skip
_MARKS = re.compile(
    rb"<(group|disable_|enable_coll|end_effector|virtual_joint|passive_|link_sphere_|"
    rb"joint_prop|\w*setup|frame|drawable|collisionmodel|property|includedata|"
    rb"materialdata|objecttypedata|frictionmap|contactmap)",
    re.IGNORECASE,
)
_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_POINTER = (
    "the file is a pointer of Git LFS to what it should hold",
    "fetch it: git lfs pull",
)
"""Message and hint for a file that was not fetched."""


def is_lfs_pointer(head: bytes) -> bool:
    """Return True if Git LFS left a pointer in place of the file's content."""
    return head.startswith(_POINTER)


def what_is_no_scene(head: bytes, name: str) -> tuple[str, str] | None:
    """Return the kind of a file that is no scene, and advice.

    None for scenes, and for what is not recognised.
    """
    if name.lower().endswith(".3dxml"):
        return "3DXML, of CATIA, has no reader", "export the model as COLLADA or glTF"
    if is_lfs_pointer(head):
        return LFS_POINTER
    is_srdf = name.lower().endswith(".srdf")
    if not is_srdf and _MARKS.search(head) is None:
        return None
    tag = root_tag(head)
    if tag in _PARTS_OF_ROBWORK:
        return (
            f"the file is {_PARTS_OF_ROBWORK[tag]}, <{tag}>, and no scene",
            "load the WorkCell that names it",
        )
    if is_srdf:
        is_srdf = "link" not in _children_of_root(head)
    elif tag == "robot":
        found = _children_of_root(head, _OF_SRDF)
        is_srdf = bool(found) and found <= _OF_SRDF
    if is_srdf:
        return (
            "the file is an SRDF, which says more about the robot of a URDF",
            "load that URDF: an SRDF of its name beside it is read as well",
        )
    return None


ROOTS_OF_OPENRAVE = frozenset({"environment", *INTERFACE_TYPES, *TYPE_ALIASES})


# each format of a plugin asks the same of the same bytes
@lru_cache(maxsize=2)
def root_tag(head: bytes) -> str:
    """Return the lower-case tag of the first element in `head`, or ``""``."""
    text = _decoded(head)
    position = 1 if text.startswith("\ufeff") else 0
    while match := _SKIP.match(text, position):
        position = match.end()
    found = _TAG.match(text, position)
    return found.group(1).rpartition(":")[2].lower() if found else ""


def is_xml(head: bytes) -> bool:
    """Return True if a file that starts with `head` looks like XML."""
    return _decoded(head).lstrip("\ufeff \t\r\n").startswith("<")


@lru_cache(maxsize=2)
def is_urdf(head: bytes) -> bool:
    """Return True if a file is URDF or xacro, not OpenRAVE XML: its root is a robot.

    Links that stand right in the robot make it URDF, whatever else is in it: in
    OpenRAVE XML a robot has bodies in a ``<kinbody>``.
    """
    if root_tag(head) != "robot":
        return False
    if _has_links(head):
        return True
    text = _decoded(head)
    return bool(_URDF.search(text)) and not _OPENRAVE_ROBOT.search(text)


class _Found(Exception):  # noqa: N818 - it ends the parser
    """The start of the file says enough."""


def _children_of_root(
    head: bytes, known: frozenset[str] | None = None
) -> frozenset[str]:
    """Return the tags of the children of the root, without those of namespaces.

    Nothing is read behind a link, nor behind a tag that is not known.
    """
    found: set[str] = set()

    def is_enough(tag: str, _attributes: dict[str, str]) -> bool:
        if ":" not in tag:
            found.add(tag)
        return tag == "link" or (
            known is not None and ":" not in tag and tag not in known
        )

    text = _COMMENT.sub("", _decoded(head)).lstrip("\ufeff")
    _visit_children(text.encode("utf-8", "replace"), "utf-8", is_enough)
    return frozenset(found)


def _has_links(head: bytes) -> bool:
    """Return True if the root has children ``<link name="...">``."""
    return _visit_children(
        head, None, lambda tag, attributes: tag == "link" and "name" in attributes
    )


def _visit_children(
    head: bytes, encoding: str | None, is_enough: Callable[[str, dict[str, str]], bool]
) -> bool:
    """Call a function with (tag, attributes) of the root's children; True if it was so.

    The start of a file ends where it ends, at an error, or at a document type, which
    nothing that is read has.
    """
    parser = expat.ParserCreate(encoding)
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 2 and is_enough(tag, attributes):
            raise _Found

    def end(_tag: str) -> None:
        nonlocal depth
        depth -= 1

    def stop(*_given: object) -> None:
        raise ValueError

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = stop
    try:
        parser.Parse(head, False)
    except _Found:
        return True
    except (expat.ExpatError, ValueError, LookupError):
        pass
    return False


def foreign_format(head: bytes, name: str) -> str | None:
    """Return the name of the known family that a file belongs to, or None.

    None too for OpenRAVE XML, and for what is not recognised.
    """
    if head.startswith(_ZIP_HEADS):
        return _ARCHIVE
    if head.startswith(b"#Inventor"):
        return "Inventor mesh"
    if head.startswith(b"#VRML"):
        return "VRML mesh"
    if head.lstrip()[:1] == b"{":
        return "JSON scene"
    tag = root_tag(head)
    if tag in _XML_FAMILIES:
        return _XML_FAMILIES[tag]
    if is_urdf(head):
        return "URDF"
    if not tag:
        lowered = name.lower()
        if lowered.endswith(".zae"):
            return _ARCHIVE
        for suffix, family in _MESH_SUFFIXES.items():
            if lowered.endswith(suffix):
                return f"{family} mesh"
    return None


def _decoded(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    return head.decode("utf-8", "replace")


def is_postponed(candidate: Any, file: str) -> bool:
    """Return True if a format is asked only when no other knows a file.

    One that its package declares, that is not imported yet, and that has another
    suffix.
    """
    if getattr(candidate, "is_loaded", True):
        return False
    return not file.lower().endswith(tuple(candidate.suffixes))
