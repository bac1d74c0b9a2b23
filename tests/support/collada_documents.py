"""COLLADA documents for tests: one small robot, and places to put things into it.

The robot has the links base, arm and hand, a turning joint0 about z at (0, 0, 1) and a
sliding joint1 along x at (1, 0, 0). It goes by the ids of OpenRAVE's writer.
"""

from __future__ import annotations

import io
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

import pyrave
from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene
from pyrave_collada.hooks import ColladaFormat
from pyrave_collada.writing.document import collada_bytes

__all__ = [
    "NAMESPACE",
    "Robot",
    "again",
    "box",
    "document",
    "problems",
    "read",
    "technique",
    "written",
]

NAMESPACE = "http://www.collada.org/2008/03/COLLADASchema"


def document(
    body: str,
    *,
    tool: str = "OpenRAVE Collada Writer v0.3.5",
    unit: str = '<unit name="meter" meter="1"/>',
) -> str:
    """Return a whole document."""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="{NAMESPACE}" xmlns:math="http://www.w3.org/1998/Math/MathML"
    version="1.5.0">
<asset><contributor><authoring_tool>{tool}</authoring_tool></contributor>
  <created>2026-01-01T00:00:00Z</created><modified>2026-01-01T00:00:00Z</modified>
  {unit}<up_axis>Z_UP</up_axis></asset>
{body}
</COLLADA>"""


def technique(
    kind: str, content: str, name: str = "", profile: str = "OpenRAVE"
) -> str:
    """Return an ``<extra>`` with one technique."""
    named = f' name="{name}"' if name else ""
    return (
        f'<extra type="{kind}"{named}><technique profile="{profile}">{content}'
        "</technique></extra>"
    )


def box(key: str, extra: str = "") -> str:
    """Return a ``<geometry>`` with one triangle, which extras may make a shape."""
    return f"""<geometry id="{key}" name="{key}"><mesh>
<source id="{key}_positions"><float_array id="{key}_array" count="9">
0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#{key}_array" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source>
<vertices id="{key}_vertices"><input semantic="POSITION" source="#{key}_positions"/>
</vertices>
<triangles count="1"><input semantic="VERTEX" source="#{key}_vertices" offset="0"/>
<p>0 1 2</p></triangles></mesh>{extra}</geometry>"""


_VALUE = "kscene_kmodel1_inst_joint{0}.axis0_value"
_AXIS = "kscene_kmodel1_inst_joint{0}_axis0"


@dataclass
class Robot:
    """One document with the robot, changed by what the fields say.

    Parameters
    ----------
    model, kinematics, motion, instance
        Extras of the kinematics model, of both articulated systems, and of the
        ``<instance_articulated_system>`` in the scene.
    libraries
        Further libraries or extras of the root.
    limits
        Hard limits of the two joints.
    info, rates
        Content of the ``<axis_info>`` of each joint: kinematics and motion.
    values
        Bound values of the two joints.
    formula
        Formulas of the kinematics model.
    geometries
        Further geometries.
    shown
        ``<instance_geometry>`` of the three nodes.
    physics
        Extras of the ``<instance_physics_scene>``, or None: no physics.
    """

    model: str = ""
    kinematics: str = ""
    motion: str = ""
    instance: str = ""
    libraries: str = ""
    limits: tuple[str, str] = ("-180 180", "-1 1")
    info: tuple[str, str] = ("", "")
    rates: tuple[str, str] = ("", "")
    values: tuple[float, float] = (0.0, 0.0)
    formula: str = ""
    geometries: str = ""
    shown: tuple[str, str, str] = ("", "", "")
    physics: str | None = None
    tool: str = "OpenRAVE Collada Writer v0.3.5"
    unit: str = '<unit name="meter" meter="1"/>'

    def __str__(self) -> str:
        body = [self._libraries(), self._scenes()]
        return document("\n".join(body), tool=self.tool, unit=self.unit)

    def _limits(self, number: int) -> str:
        if not self.limits[number]:
            return ""
        low, high = self.limits[number].split()
        return f"<limits><min>{low}</min><max>{high}</max></limits>"

    def _libraries(self) -> str:
        infos = "".join(
            f'<axis_info axis="kmodel1_inst/joint{i}/axis0" sid="kinfo{i}">'
            f"{self.info[i]}</axis_info>"
            for i in (0, 1)
        )
        rates = "".join(
            f'<axis_info axis="body1_kinematics/kinfo{i}" sid="minfo{i}">'
            f"{self.rates[i]}</axis_info>"
            for i in (0, 1)
        )
        return f"""
<library_kinematics_models><kinematics_model id="kmodel1" name="rover">
<technique_common>
<joint sid="joint0" name="joint0"><revolute sid="axis0"><axis>0 0 1</axis>
{self._limits(0)}</revolute></joint>
<joint sid="joint1" name="joint1"><prismatic sid="axis0"><axis>1 0 0</axis>
{self._limits(1)}</prismatic></joint>
<link sid="link0" name="base"><attachment_full joint="kmodel1/joint0">
  <translate>0 0 1</translate>
  <link sid="link1" name="arm"><attachment_full joint="kmodel1/joint1">
    <translate>1 0 0</translate><link sid="link2" name="hand"/>
  </attachment_full></link></attachment_full></link>
{self.formula}
</technique_common>{self.model}</kinematics_model></library_kinematics_models>
<library_articulated_systems>
<articulated_system id="body1_kinematics" name="rover"><kinematics>
<instance_kinematics_model url="#kmodel1" sid="kmodel1_inst"/>
<technique_common>{infos}</technique_common></kinematics>{self.kinematics}
</articulated_system>
<articulated_system id="body1_motion" name="rover"><motion>
<instance_articulated_system url="#body1_kinematics" sid="body1_kinematics_inst"/>
<technique_common>{rates}</technique_common></motion>{self.motion}
</articulated_system></library_articulated_systems>
<library_geometries>{box("geom0")}{self.geometries}</library_geometries>
{self.libraries}"""

    def _scenes(self) -> str:
        params = "".join(
            f'<newparam sid="{_AXIS.format(i)}"><SIDREF>body1_kinematics/kmodel1_inst/'
            f'joint{i}/axis0</SIDREF></newparam><newparam sid="{_VALUE.format(i)}">'
            f"<float>{self.values[i]}</float></newparam>"
            for i in (0, 1)
        )
        binds = "".join(
            f'<bind_joint_axis target="visual1/{node}/{sid}"><axis><param>'
            f"{_AXIS.format(i)}</param></axis><value><param>{_VALUE.format(i)}</param>"
            "</value></bind_joint_axis>"
            for i, (node, sid) in enumerate((("node1", "turn"), ("node2", "slide")))
        )
        physics = instance = ""
        if self.physics is not None:
            bodies = "".join(
                f'<rigid_body sid="rigid_link{i}"><technique_common>'
                f"<dynamic>true</dynamic><mass>{i + 1}</mass></technique_common>"
                "</rigid_body>"
                for i in (0, 1, 2)
            )
            ids = ("visual1", "node1", "node2")
            instances = "".join(
                f'<instance_rigid_body body="rigid_link{i}" target="#{key}"/>'
                for i, key in enumerate(ids)
            )
            physics = f"""<library_physics_models><physics_model id="pmodel1">{bodies}
</physics_model></library_physics_models><library_physics_scenes>
<physics_scene id="pscene"><instance_physics_model url="#pmodel1" sid="pmodel1_inst"
parent="#visual1">{instances}</instance_physics_model>{_BALL_PHYSICS}
<technique_common><gravity>0 0 -9.81</gravity></technique_common></physics_scene>
</library_physics_scenes>"""
            instance = (
                f'<instance_physics_scene url="#pscene">{self.physics}'
                "</instance_physics_scene>"
            )
        ball = "" if self.physics is None else _BALL_NODE
        return f"""{physics}
<library_visual_scenes><visual_scene id="vscene">
<node id="visual1" name="rover" sid="visual1">{self.shown[0]}
  <node id="node1" sid="node1"><translate>0 0 1</translate>
    <rotate sid="turn">0 0 1 0</rotate>{self.shown[1]}
    <node id="node2" sid="node2"><translate>1 0 0</translate>
      <translate sid="slide">0 0 0</translate>{self.shown[2]}</node></node></node>
{ball}</visual_scene></library_visual_scenes>
<library_kinematics_scenes><kinematics_scene id="kscene">
<instance_articulated_system url="#body1_motion" sid="body1_motion_inst" name="rover">
<newparam sid="kscene_kmodel1_inst"><SIDREF>body1_kinematics/kmodel1_inst</SIDREF>
</newparam>{params}{self.instance}</instance_articulated_system></kinematics_scene>
</library_kinematics_scenes>
<scene>{instance}<instance_visual_scene url="#vscene"/>
<instance_kinematics_scene url="#kscene"><bind_kinematics_model node="visual1">
<param>kscene_kmodel1_inst</param></bind_kinematics_model>{binds}
</instance_kinematics_scene></scene>"""


_BALL_NODE = """<node id="ball_node" name="ball"><translate>2 0 1</translate>
<instance_geometry url="#geom0"/></node>"""
_BALL_PHYSICS = """<instance_physics_model url="#pmodel1" sid="pmodel2_inst"
parent="#ball_node"><instance_rigid_body body="rigid_link0" target="#ball_node"/>
</instance_physics_model>"""


def read(text: object, **options: object) -> pyrave.SceneDescription:
    """Return the description of a document; warnings refuse it unless asked."""
    options.setdefault("strict", True)
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), "scene.dae", text)
        return pyrave.Environment().read(path, **options)


def problems(text: object) -> list[tuple[str, str]]:
    """Return (code, message) of each problem of a document."""
    return [(one.code, one.message) for one in read(text, strict=False).problems]


def written(folder: Path, name: str, text: object) -> Path:
    """Write a document and return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(str(text), encoding="utf-8")
    return path


def again(
    scene: pyrave.SceneDescription, *, exact: bool = True
) -> tuple[pyrave.SceneDescription, set[str]]:
    """Return a scene as it is written and read, and the messages of its losses.

    Parameters
    ----------
    exact
        False: without what only pyrave reads.
    """
    data, losses = collada_bytes(scene, WriteContext())
    if not exact:
        root = etree.fromstring(data)
        for extra in list(root.iter(f"{{{NAMESPACE}}}extra")):
            if extra.get("type") == "pyrave":
                extra.getparent().remove(extra)
        data = etree.tostring(root)
    context = ReadContext(resolver=Resolver(data_roots=(), use_environment=False))
    made = read_scene(io.BytesIO(data), [ColladaFormat()], context)
    return made, {one.message for one in losses}
