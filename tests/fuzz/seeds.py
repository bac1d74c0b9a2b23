"""Valid inputs that fuzzing starts from, and the words of each format.

All are written here or shipped in `pyrave_environments`; meshes are made by code.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
from mesh_seeds import words
from scene_files import scene_beside

import pyrave_environments
from pyrave import scene as model
from pyrave.formats.openrave_xml.schema import (
    ELEMENTS,
    GEOMETRY_TYPES,
    JOINT_DOFS,
)
from pyrave.interfaces.types import INTERFACE_TYPES, TYPE_ALIASES

__all__ = [
    "FORMULAS",
    "FORMULA_WORDS",
    "JOINTS",
    "MIMICS",
    "TRAJECTORY_WORDS",
    "XML_WORDS",
    "exact_scenes",
    "scenes",
    "trajectories",
]

_SHIPPED = Path(pyrave_environments.__file__).parent


_FIELDS = [
    field.name
    for value in vars(model).values()
    if isinstance(value, type) and dataclasses.is_dataclass(value)
    for field in dataclasses.fields(value)
]
XML_WORDS = words(
    ELEMENTS,
    *([*element.tags, *element.attributes] for element in ELEMENTS.values()),
    [*INTERFACE_TYPES, *TYPE_ALIASES, *GEOMETRY_TYPES, *JOINT_DOFS],
    ["a", "b", "arm", "base", "tool", "J0", "J1", "J2", "J1_1", "true", "false", "0"],
    ["custom", "mimicgeom", "sphere", "static", "dynamic", "unknown", "Pyrave", "set"],
    ["BaseLaser2D", "IdealController", "GenericRobot", "robots/rover.robot.xml"],
    ["objects/mug.kinbody.xml", "missing.xml", "/dev/zero", "http://a/b", "file:///a"],
    ["2*J0", "sin(J0)^2+J1", "|J0 2", "|J0 cos(J0) |J1 1", "polyroots2(1,J0,1)"],
    ["minangle", "maxangle", "resolution", "maxrange", "scantime", "powered"],
    [*_FIELDS, "GetVersion", "x:y"],
)

_ARM = scene_beside(__file__, "seeds_arm.robot.xml")

_WORLD = f"""
<Environment name="w"><bkgndcolor>1 1 1</bkgndcolor><camtrans>1 2 3</camtrans>
  <camrotationaxis>0 0 1 90</camrotationaxis><unit name="meter" meter="1"/>
  <plugin>libnothing.so</plugin>
  <KinBody name="box" prefix="p_"><Body name="l"><Geom type="container">
    <outer_extents>1 1 1</outer_extents><inner_extents>0.8 0.8 0.9</inner_extents>
    </Geom><Geom type="prism"><crosssection>0 0 1 0 0 1</crosssection>
    <height>1</height></Geom><Geom type="cage"><extents>1 1 1</extents>
    <sidewall><vextents>1 1 1</vextents><transf>1 0 0 0 0 0 0</transf></sidewall>
    </Geom></Body><rotationmat>1 0 0 0 1 0 0 0 1</rotationmat></KinBody>
  <robot name="rover" file="robots/rover.robot.xml"><translation>1 2 3</translation>
  </robot><kinbody name="mug" file="objects/mug.kinbody.xml" scalegeometry="2"/>
  {_ARM}
  <physicsengine type="GenericPhysicsEngine"/><collisionchecker type="ode"/>
  <module type="nothing"><sendcommand>do it</sendcommand><own a="1"/></module>
  <sensor type="BaseLaser2D" name="s"/>
</Environment>"""

_CHAIN = (
    '<robot name="chain"><kinbody><body name="L0"/>'
    + "".join(
        f'<body name="L{i + 1}"><translation>0 0 {i}</translation></body>'
        f'<joint name="J{i}" type="hinge"{mimic}><body>L{i}</body><body>L{i + 1}</body>'
        f"<axis>0 {i % 2} 1</axis></joint>"
        for i, mimic in enumerate(
            [
                *(
                    "",
                    "",
                    ' mimic_pos="J0*J1"',
                    ' mimic_pos="sin(J2)+J1" mimic_vel="|J2 1"',
                ),
                *(' mimic="J0 2 1"', ' mimic_pos="if(J0 &lt; 1, J3, J4^2)"'),
            ]
        )
    )
    + "</kinbody></robot>"
)


def scenes() -> list[bytes]:
    """Return OpenRAVE XML: written here, and all files that ship."""
    shipped = map(_by_root, sorted(_SHIPPED.rglob("*.xml")))
    own = (_ARM, _WORLD, _CHAIN, '<kinbody name="k"><body/></kinbody>')
    return [text.encode() for text in (*own, *shipped)]


def _by_root(path: Path) -> str:
    """Return a shipped file whose includes are named from the data folder."""

    def named(match: re.Match[str]) -> str:
        file = (path.parent / match.group(1)).resolve().relative_to(_SHIPPED)
        return f'file="{file.as_posix()}"'

    return re.sub(r'file="([^"]+)"', named, path.read_text())


_EXACT = scene_beside(__file__, "seeds_exact.env.xml")


def exact_scenes() -> list[bytes]:
    """Return scenes with ``<pyrave>`` elements."""
    return [_EXACT.encode()]


JOINTS = ("J0", "J1", "J1_1", "a-b", "x.y")
FORMULAS = tuple(
    text.encode()
    for text in (
        "J0",
        "2*J0 - 3.5e-2/J1",
        "a := sin(J0); b := a*a; b + J1_1",
        "-J0^2^0.5 % 3",
        "if(J0 < 1 & J1 >= 2 | !J0, hypot(J0, J1), atan2(J0, J1))",
        "max(min(J0, 1), -1) + abs(a-b) * x.y",
        "polyroots4(1, J0, 2, -1, 3)",
        "SSSA(0.3, J0, 0.5) + SASA(1, J0, 2) + SASS(1, J0, 2)",
        "cbrt(tan(J0)) + sec(J1) + log2(exp2(J0)) + asinh(acosh(atanh(J0)))",
        "|J0 2 |J1 sin(J0) + 1 |J1_1 J0^2",
        "((((((((J0))))))))",
    )
)
MIMICS = tuple(
    text.encode()
    for text in (
        "J0",
        "2*J0 - 3.5e-2/(J1 + 3)",
        "a := sin(J0); b := a*a; b + J1_1",
        "if(J0 < 1 & J1 >= 2 | !J0, hypot(J0 + 1, J1), atan2(J0, J1 + 2))",
        "max(min(J0, 1), -1) + abs(a-b) * x.y",
        "polyroots3(1, J0, 2, -1)",
        "|J0 2 |J1 sin(J0) + 1 |J1_1 J0^2",
    )
)
FORMULA_WORDS = words(
    ["+", "-", "*", "/", "^", "%", "(", ")", ",", "|", "&", "!", "<", ">", "=", "=="],
    ["!=", "<=", ">=", ":=", ";", "(" * 50, "-" * 200, "J0+" * 200, "^J0" * 60, "\\"],
    ["a", "a-b", "x.y", *JOINTS, "abs(", "acos(", "polyroots2(", "polyroots8(", "if("],
    ["int(", "sqrt(", "pow(", "max(", "hypot(", "cot(", "SSSA(", "é", "\u0661", "1e9"],
)


def trajectories() -> list[tuple[bytes, bytes]]:
    """Return trajectories as (XML, binary)."""
    import pyrave

    spec = pyrave.ConfigurationSpecification.from_xml(
        "<configuration>"
        '<group name="joint_values arm 0 1" offset="0" dof="2" interpolation="linear"/>'
        '<group name="affine_transform box 7" offset="2" dof="3"'
        ' interpolation="next"/>'
        '<group name="deltatime" offset="5" dof="1" interpolation=""/>'
        '<group name="iswaypoint" offset="6" dof="1" interpolation="next"/>'
        "</configuration>"
    )
    env = pyrave.Environment()
    found = []
    for description, rows in (("", 0), ("two points", 2), ("é <&>", 5)):
        trajectory = env.create("trajectory", "GenericTrajectory")
        trajectory.init(spec)
        if rows:
            points = np.linspace(0.0, 1.0, rows * spec.dof).reshape(rows, spec.dof)
            trajectory.insert(0, points)
        trajectory.description = description
        readable = pyrave.XmlReadable(pyrave.XmlElement("own", (("a", "1"),), "text"))
        trajectory.set_readable("own", readable)
        found.append((trajectory.to_xml().encode(), trajectory.to_bytes()))
    return found


TRAJECTORY_WORDS = words(
    ["trajectory", "configuration", "group", "data", "description", "readable"],
    ["name", "offset", "dof", "interpolation", "count", "type", "joint_values arm 0 1"],
    ["joint_velocities arm 0", "affine_transform a 7", "affine_transform a 32"],
    ["deltatime", "iswaypoint", "linear", "quadratic", "cubic", "next", "previous"],
    [
        "ikparam_values 1711276032",
        "outputSignals",
        "GenericTrajectory",
        "HugeTrajectory",
    ],
    ["HierarchicalXMLReadable", "StringReadable"],
)
