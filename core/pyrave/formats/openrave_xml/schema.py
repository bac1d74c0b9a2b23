"""The vocabulary of OpenRAVE XML as data.

Used to tell unknown names, for suggestions, and for the format reference in the
docs. Tags and attributes match without case. Lengths in metres, masses in kg.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyrave.formats.vocabulary import Area
from pyrave.interfaces.types import INTERFACE_TYPES, TYPE_ALIASES

MAX_NAME = 1000

JOINT_DOFS = {"hinge": 1, "slider": 1, "universal": 2, "hinge2": 2, "spherical": 3}
STRUCTURE: tuple[Area, ...] = ("structure",)
KINEMATICS: tuple[Area, ...] = ("kinematics",)
PLACE: tuple[Area, ...] = ("kinematics", "collision", "looks")
SHAPE: tuple[Area, ...] = ("collision", "physics", "looks")
LOOKS: tuple[Area, ...] = ("looks",)
COLLISION: tuple[Area, ...] = ("collision",)
DYNAMICS: tuple[Area, ...] = ("dynamics",)
MOTOR: tuple[Area, ...] = ("dynamics", "sensors")
SENSORS: tuple[Area, ...] = ("sensors",)
RATES: tuple[Area, ...] = ("planning", "control")
EFFORTS: tuple[Area, ...] = ("physics", "planning", "control")
PLANNING: tuple[Area, ...] = ("planning",)
_ROUND = frozenset({"radius", "height"})
_BOX = frozenset({"extents", "halfextents", "fullextents"})
GEOMETRY_TAGS = {
    "none": frozenset[str](),
    "box": _BOX,
    "sphere": frozenset({"radius"}),
    "cylinder": _ROUND,
    "trimesh": frozenset({"data", "collision", "vertices"}),
    "container": frozenset(
        {"outer_extents", "inner_extents", "bottom_cross", "bottom"}
    ),
    "cage": _BOX | {"sidewall"},
    "prism": frozenset({"crosssection", "height"}),
    "capsule": _ROUND,
}
"""The tags that say the shape, for each type of geometry."""
GEOMETRY_TYPES = tuple(GEOMETRY_TAGS)
_ELSEWHERE = "only scenes in COLLADA or JSON have this type; use a trimesh"
FOREIGN_GEOMETRY_TYPES = {
    "plane": "OpenRAVE reads no planes; use a thin box",
    "calibrationboard": _ELSEWHERE,
    "axial": _ELSEWHERE,
    "conicalfrustum": _ELSEWHERE,
}
"""Types that documents or other formats name: what to do about them."""
MASS_TAGS = {
    "sphere": frozenset({"density", "total", "mass", "radius"}),
    "box": frozenset({"density", "total", "mass", "extents"}),
    "mimicgeom": frozenset({"density", "total", "mass"}),
    "custom": frozenset({"total", "mass", "com", "inertia"}),
}
"""The tags that have a say, for each type of mass."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A child element: its content, default and meaning, and where it acts."""

    content: str = ""
    default: str = ""
    doc: str = ""
    acts: tuple[Area, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: its content, default and meaning."""

    content: str = "text"
    default: str = ""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class ElementSchema:
    """Children and attributes that an element may have."""

    attributes: dict[str, Attribute]
    tags: dict[str, Tag]


_PYRAVE = {"pyrave": Tag("element", doc="what OpenRAVE has no tag for", acts=STRUCTURE)}
_TRANSFORM = {
    "translation": Tag(
        "3 numbers", "0 0 0", "added to the translation so far", acts=PLACE
    ),
    "rotationaxis": Tag("4 numbers", "", "axis and angle in degrees", acts=PLACE),
    "quat": Tag("4 numbers", "1 0 0 0", "w x y z", acts=PLACE),
    "rotationmat": Tag("9 numbers", "identity", "row-major matrix", acts=PLACE),
}
_GEOMETRY_OPTIONS = {
    "skipgeometry": Attribute("boolean", "false", "read no geometries"),
    "scalegeometry": Attribute("1 or 3 numbers", "1 1 1", "factor of all lengths"),
}
_BODY_ATTRIBUTES = {
    "name": Attribute(doc="name of the body"),
    "file": Attribute(doc="file to read this element from"),
    "type": Attribute(doc="interface id and arguments"),
    "prefix": Attribute(doc="put before names of links and joints"),
    **_GEOMETRY_OPTIONS,
}
_COLORS = {
    "diffusecolor": Tag("3 numbers", "", "0..1", acts=LOOKS),
    "ambientcolor": Tag("3 numbers", "", "0..1", acts=LOOKS),
    "transparency": Tag("number", "0", "0 opaque, 1 invisible", acts=LOOKS),
}
_MASS = {
    "density": Tag("number", "1", "kg/m3", acts=DYNAMICS),
    "total": Tag("number", "1", "kg", acts=DYNAMICS),
    "mass": Tag("number", "", "same as total", acts=DYNAMICS),
    "radius": Tag("number", "1", "of a sphere", acts=DYNAMICS),
    "extents": Tag("3 numbers", "1 1 1", "half extents of a box", acts=DYNAMICS),
    "com": Tag(
        "3 numbers", "0 0 0", "custom: centre of mass in the link", acts=DYNAMICS
    ),
    "inertia": Tag(
        "9 numbers", "", "custom: about the centre of mass, kg m2", acts=DYNAMICS
    ),
}
_INTERFACE_ATTRIBUTES = {
    "type": Attribute(doc="interface id and arguments"),
    "name": Attribute(),
    "file": Attribute(),
    "args": Attribute(doc="arguments"),
}
_INTERFACE_TAGS = {
    "sendcommand": Tag("text", doc="command sent after creation", acts=STRUCTURE),
    **_PYRAVE,
}
_KINBODY_TAGS = {
    "body": Tag("element", acts=STRUCTURE),
    "joint": Tag("element", acts=STRUCTURE),
    "kinbody": Tag("element", acts=STRUCTURE),
    "mass": Tag("element", doc="default for bodies that follow", acts=STRUCTURE),
    "adjacent": Tag(
        "2 names", doc="links that are never checked for collision", acts=COLLISION
    ),
    "modelsdir": Tag("text", doc="folder of mesh files", acts=STRUCTURE),
    "jointvalues": Tag("numbers", doc="initial configuration", acts=KINEMATICS),
    **_TRANSFORM,
    **_COLORS,
    **_INTERFACE_TAGS,
}
_GEOM_TAGS = {
    "render": Tag("file and scale", "", "what is shown", acts=SHAPE),
    "collision": Tag("file and scale", "", "same as data", acts=SHAPE),
    "data": Tag(
        "file and scale", "", "the triangles; scale of 1 or 3 numbers", acts=SHAPE
    ),
    "vertices": Tag("9 numbers a triangle", "", "the triangles", acts=SHAPE),
    "name": Tag("text", "", "wins over the attribute", acts=STRUCTURE),
    "extents": Tag("3 numbers", "0 0 0", "half extents of a box", acts=SHAPE),
    "halfextents": Tag("3 numbers", "", "same as extents", acts=SHAPE),
    "fullextents": Tag("3 numbers", "", "whole extents of a box", acts=SHAPE),
    "radius": Tag("number", "0", acts=SHAPE),
    "height": Tag("number", "0", "whole height", acts=SHAPE),
    "outer_extents": Tag("3 numbers", "0 0 0", "container: whole extents", acts=SHAPE),
    "inner_extents": Tag("3 numbers", "0 0 0", "container: of the hollow", acts=SHAPE),
    "bottom_cross": Tag(
        "3 numbers", "0 0 0", "container: cross below the floor", acts=SHAPE
    ),
    "bottom": Tag("3 numbers", "0 0 0", "container: pad below the floor", acts=SHAPE),
    "sidewall": Tag(
        "element", "", "cage: transf (quat, xyz), vextents, type", acts=SHAPE
    ),
    "crosssection": Tag(
        "x y pairs", "", "prism: corners, extruded along z", acts=SHAPE
    ),
    **_TRANSFORM,
    **_COLORS,
    **_PYRAVE,
}
_MOTOR_NUMBERS: dict[str, tuple[Area, ...]] = {
    "gear_ratio": MOTOR,
    "assigned_power_rating": (),
    "max_speed": (),
    "no_load_speed": (),
    "stall_torque": (),
    "max_instantaneous_torque": (),
    "nominal_torque": (),
    "rotor_inertia": MOTOR,
    "torque_constant": SENSORS,
    "nominal_voltage": SENSORS,
    "speed_constant": (),
    "speed_torque_gradient": (),
    "starting_current": SENSORS,
    "terminal_resistance": SENSORS,
    "coloumb_friction": MOTOR,
    "viscous_friction": MOTOR,
    "encoder_pulse": (),
}
_JOINT_TAGS = {
    "body": Tag("link name", doc="twice: parent, then child", acts=STRUCTURE),
    "offsetfrom": Tag("link name", doc="frame of anchor and axes", acts=KINEMATICS),
    "anchor": Tag("3 numbers", "0 0 0", acts=KINEMATICS),
    "axis": Tag("3 numbers", "", "of hinge and slider; normalised", acts=KINEMATICS),
    "axis1": Tag("3 numbers", "", "of universal and hinge2", acts=KINEMATICS),
    "axis2": Tag("3 numbers", "", "of universal and hinge2", acts=KINEMATICS),
    "axis3": Tag("", doc="not used"),
    "limits": Tag(
        "2 numbers a DOF", "half turns; 10 m; 100", "radians, metres", acts=KINEMATICS
    ),
    "limitsrad": Tag("2 numbers a DOF", "", "same as limits", acts=KINEMATICS),
    "limitsdeg": Tag("2 numbers a DOF", doc="degrees, metres", acts=KINEMATICS),
    "lostop": Tag("1 number a DOF", doc="old: degrees", acts=KINEMATICS),
    "histop": Tag("1 number a DOF", doc="old: degrees", acts=KINEMATICS),
    "weight": Tag("1 number a DOF", "1", acts=PLANNING),
    "initial": Tag(
        "1 number a DOF", "0", "value in the modelled pose", acts=KINEMATICS
    ),
    "resolution": Tag("number", "0.02 rad", "degrees (!), metres", acts=PLANNING),
    "resolutionrad": Tag(
        "number", "", "radians, metres; not known to OpenRAVE", acts=PLANNING
    ),
    "maxvel": Tag("1 number a DOF", "10", "rad/s, m/s", acts=RATES),
    "maxveldeg": Tag("1 number a DOF", "", "degrees/s", acts=RATES),
    "hardmaxvel": Tag("1 number a DOF", "0", "of the hardware; 0 is unknown"),
    "maxaccel": Tag("1 number a DOF", "50", "rad/s2, m/s2", acts=RATES),
    "maxacceldeg": Tag("1 number a DOF", "", "degrees/s2", acts=RATES),
    "maxtorque": Tag("1 number a DOF", "0", "N m, N; 0 is unknown", acts=EFFORTS),
    "maxinertia": Tag("1 number a DOF", "0", "0 is unknown"),
    "maxforce": Tag("", doc="not used"),
    "mode": Tag("", doc="not used"),
    "actuator": Tag("element", acts=STRUCTURE),
    **_PYRAVE,
}

ELEMENTS: dict[str, ElementSchema] = {
    "environment": ElementSchema(
        {"file": Attribute(), "name": Attribute()},
        {
            "bkgndcolor": Tag("3 numbers", "1 1 1", acts=LOOKS),
            "bkgndcol": Tag("3 numbers", "", "same", acts=LOOKS),
            "camtrans": Tag("3 numbers", "0 1.5 0.8", acts=LOOKS),
            "camrotationaxis": Tag("4 numbers", "", "axis and degrees", acts=LOOKS),
            "camrotmat": Tag("9 numbers", acts=LOOKS),
            "camrotaxis": Tag(
                "4 numbers", "", "old: half a turn about x apart", acts=LOOKS
            ),
            "camfocal": Tag("number", "0"),
            "plugin": Tag("text", acts=STRUCTURE),
            "unit": Tag("element", acts=STRUCTURE),
            "environment": Tag("element", acts=STRUCTURE),
            **{name: Tag("element", acts=STRUCTURE) for name in INTERFACE_TYPES},
            **{
                name: Tag("element", "", "old name", STRUCTURE) for name in TYPE_ALIASES
            },
            **_PYRAVE,
        },
    ),
    "kinbody": ElementSchema(
        {**_BODY_ATTRIBUTES, "makejoinedlinksadjacent": Attribute("boolean", "1")},
        _KINBODY_TAGS,
    ),
    "robot": ElementSchema(
        _BODY_ATTRIBUTES,
        {
            "robot": Tag("element", acts=STRUCTURE),
            "manipulator": Tag("element", acts=STRUCTURE),
            "attachedsensor": Tag("element", acts=STRUCTURE),
            "controller": Tag("element", acts=STRUCTURE),
            "kinbody": Tag("element", doc="links and joints", acts=STRUCTURE),
            "jointvalues": Tag("numbers", doc="initial configuration", acts=KINEMATICS),
            **_TRANSFORM,
            **_INTERFACE_TAGS,
        },
    ),
    "body": ElementSchema(
        {
            "name": Attribute(),
            "type": Attribute("dynamic or static", "dynamic"),
            "file": Attribute(),
            "enable": Attribute("boolean", "true"),
            **_GEOMETRY_OPTIONS,
        },
        {
            "offsetfrom": Tag("link name", acts=KINEMATICS),
            "mass": Tag("element", acts=STRUCTURE),
            "geom": Tag("element", acts=STRUCTURE),
            "geometry": Tag("element", acts=STRUCTURE),
            "body": Tag("element", acts=STRUCTURE),
            **_TRANSFORM,
            **_PYRAVE,
        },
    ),
    "mass": ElementSchema(
        {"type": Attribute("sphere, box, mimicgeom or custom", "sphere")}, _MASS
    ),
    "geom": ElementSchema(
        {
            "type": Attribute(", ".join(GEOMETRY_TYPES), "box"),
            "name": Attribute(),
            "render": Attribute("boolean", "true"),
            "modifiable": Attribute("boolean", "true"),
            "group": Attribute("text", "self"),
        },
        _GEOM_TAGS,
    ),
    "actuator": ElementSchema(
        {"type": Attribute("electric_motor", "electric_motor")},
        {
            "model_type": Tag("text"),
            **{name: Tag("number", acts=acts) for name, acts in _MOTOR_NUMBERS.items()},
            "nominal_speed_torque_point": Tag("2 numbers", "", "repeated"),
            "max_speed_torque_point": Tag("2 numbers", "", "repeated"),
        },
    ),
    "unit": ElementSchema(
        {
            "name": Attribute(default="meter"),
            "scale": Attribute("number", "1"),
            "meter": Attribute("number", "", "same as scale"),
        },
        {},
    ),
    "joint": ElementSchema(
        {
            "name": Attribute(),
            "type": Attribute(", ".join(JOINT_DOFS), "hinge"),
            "enable": Attribute("boolean", "true"),
            "circular": Attribute("boolean", "false"),
            "mimic": Attribute("joint c0 c1", "", "old form"),
            "mimic_pos": Attribute("formula"),
            "mimic_vel": Attribute("|name formula ..."),
            "mimic_accel": Attribute("|name formula ..."),
            "scalegeometry": Attribute("1 or 3 numbers", "1 1 1"),
        },
        _JOINT_TAGS,
    ),
    "manipulator": ElementSchema(
        {"name": Attribute()},
        {
            "base": Tag("link name", acts=KINEMATICS),
            "effector": Tag("link name", acts=KINEMATICS),
            "joints": Tag("joint names", doc="of the gripper", acts=PLANNING),
            "gripperjoints": Tag("joint names", acts=PLANNING),
            "armjoints": Tag("", doc="not used: the chain decides"),
            "closingdirection": Tag("1 number a gripper DOF", acts=PLANNING),
            "closingdir": Tag("1 number a gripper DOF", acts=PLANNING),
            "chuckingdirection": Tag("1 number a gripper DOF", acts=PLANNING),
            "direction": Tag("3 numbers", "0 0 1", acts=PLANNING),
            "palmdirection": Tag("3 numbers", "", "old name", acts=PLANNING),
            "iksolver": Tag("text", acts=KINEMATICS),
            "ikchainend": Tag("", doc="not used"),
            "closed": Tag("", doc="not used"),
            "opened": Tag("", doc="not used"),
            **_TRANSFORM,
            **_PYRAVE,
        },
    ),
    "attachedsensor": ElementSchema(
        {"name": Attribute()},
        {
            "link": Tag("link name", acts=STRUCTURE),
            "sensor": Tag("element", acts=STRUCTURE),
            **_TRANSFORM,
            **_PYRAVE,
        },
    ),
    "sensor": ElementSchema(_INTERFACE_ATTRIBUTES, {**_TRANSFORM, **_INTERFACE_TAGS}),
    "controller": ElementSchema(
        {
            **_INTERFACE_ATTRIBUTES,
            "robot": Attribute(doc="name of the robot to drive"),
            "joints": Attribute("names", "all joints"),
            "transform": Attribute("boolean", "false", "drives the base"),
        },
        _INTERFACE_TAGS,
    ),
}
ELEMENTS["trajectory"] = ElementSchema(
    _INTERFACE_ATTRIBUTES,
    {
        "configuration": Tag(
            "element", doc="groups: name, offset, dof, interpolation", acts=STRUCTURE
        ),
        "data": Tag("numbers", doc="count waypoints; repeated ones append", acts=SHAPE),
        "description": Tag("text", acts=STRUCTURE),
        "readable": Tag("any elements", doc="kept with the trajectory", acts=STRUCTURE),
        **_INTERFACE_TAGS,
    },
)
for _name in INTERFACE_TYPES:
    ELEMENTS.setdefault(_name, ElementSchema(_INTERFACE_ATTRIBUTES, _INTERFACE_TAGS))
