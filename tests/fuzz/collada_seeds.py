"""Valid COLLADA to start fuzzing from, and its words."""

from __future__ import annotations

import io
import zipfile

from collada_documents import Robot, box, technique
from mesh_seeds import words

__all__ = ["COLLADA_WORDS", "archives", "documents"]

_JOINT0 = '<math:csymbol encoding="COLLADA">kmodel1/joint0</math:csymbol>'
_TWICE = f"<math:apply><math:times/><math:cn>2</math:cn>{_JOINT0}</math:apply>"
_CALL = f"""<math:apply><math:csymbol definitionURL="#f">f</math:csymbol>{_JOINT0}
</math:apply>"""
_FORMULA = """<formula sid="f1"><target><param>kmodel1/joint1</param></target>
<technique profile="OpenRAVE"><equation type="position"><math:math>{}</math:math>
</equation><equation type="first_partial" target="kmodel1/joint0"><math:math>
<math:cn>2</math:cn></math:math></equation></technique></formula>"""
_FUNCTION = """<library_formulas><formula id="f"><newparam sid="a"><float>0</float>
</newparam><technique_common><math:apply><math:plus/><math:ci>a</math:ci>
<math:cn>1</math:cn></math:apply></technique_common></formula></library_formulas>"""
_ARM = technique("manipulator", """<frame_origin link="kmodel1_inst/link0"/>
<frame_tip link="link2"><translate>0 0 1</translate><direction>0 0 1</direction>
</frame_tip><gripper_joint joint="kmodel1_inst/joint1"><closing_direction axis="axis0">
<float>1</float></closing_direction></gripper_joint><iksolver type="Transform6D">
<free_joint joint="joint0" stepsize="0.1"/><interface_type><technique
profile="OpenRAVE"><interface>Analytic</interface><plugin>p</plugin></technique>
</interface_type></iksolver>""", "arm")  # fmt: skip
_COLLISION = technique(
    "collision",
    """<ignore_link_pair link0="link0" link1="link2"/>
<bind_instance_geometry type="environment" link="link1" url="#hull"/>
<link_collision_state link="link1"><bool>false</bool></link_collision_state>""",
)
_EYES = "".join(
    technique(
        "attach_sensor",
        f'<instance_sensor url="#{name}"/><frame_origin link="link1"/>',
        name,
    )
    for name in ("laser", "left", "pair")
)
_SENSORS = technique(
    "library_sensors",
    """<sensor type="base_laser1d" id="laser">
<angle_range>1</angle_range><angle_increment>0.1</angle_increment></sensor>
<sensor type="base_pinhole_camera" id="left"><intrinsic>5 0 3 0 5 2</intrinsic>
<image_dimensions>6 4 3</image_dimensions></sensor>
<sensor type="base_stereo_camera" id="pair"><instance_sensor url="#left"/>
<instance_sensor url="#left"/></sensor>""",
) + technique(
    "library_actuators",
    """
<actuator type="electric_motor" id="m"><gear_ratio>9</gear_ratio></actuator>""",
)
_DRIVE = technique("attach_actuator", """<instance_actuator url="#m"/>
<bind_actuator joint="joint0"/>""")  # fmt: skip
_GRAB = technique(
    "dynamic_rigid_constraints",
    """<rigid_constraint>
<ref_attachment rigid_body="pmodel1_inst/rigid_link2"/>
<attachment rigid_body="pmodel2_inst/rigid_link0"/><technique profile="OpenRAVE">
<ignore_link link="rigid_link1"/></technique></rigid_constraint>""",
)
_RUBBER = """<library_physics_materials><physics_material id="rubber">
<technique_common><static_friction>0.5</static_friction><restitution>0.25</restitution>
</technique_common></physics_material></library_physics_materials>"""
_TIE = """<rigid_constraint sid="tie"><ref_attachment rigid_body="rigid_link1">
<translate>1 0 0</translate></ref_attachment><attachment rigid_body="./rigid_link2"/>
<technique_common><interpenetrate>true</interpenetrate><limits><linear>
<min>-1 0 -INF</min><max>1 0 INF</max></linear></limits><spring><linear>
<stiffness>9</stiffness><damping>1</damping></linear></spring></technique_common>
</rigid_constraint>"""
_ANIMATION = """<library_animations><animation><source id="t"><float_array>0 1
</float_array></source><source id="v"><float_array>0 90</float_array></source>
<source id="i"><Name_array>BEZIER BEZIER</Name_array></source><source id="g">
<float_array>-1 0 1 9</float_array></source><sampler id="s"><input semantic="INPUT"
source="#t"/><input semantic="OUTPUT" source="#v"/><input semantic="INTERPOLATION"
source="#i"/><input semantic="IN_TANGENT" source="#g"/><input semantic="OUT_TANGENT"
source="#g"/></sampler><channel source="#s" target="node1/turn.ANGLE"/></animation>
</library_animations>"""
_SHAPE = box("hull", technique("geometry_info", """<capsule><radius>1</radius>
<height>2</height></capsule><visible><bool>true</bool></visible>"""))  # fmt: skip
_INFO = """<newparam sid="w"><float>2</float></newparam><newparam sid="circular"><bool>
false</bool></newparam><active><bool>true</bool></active><limits><min><float>-9</float>
</min><max><param>w</param></max></limits>"""


_MANIFEST = "<dae_root>./robot.dae#body1_motion</dae_root>"

_LENGTHS = " ".join(
    f"{0.37 * i % 7 - 3:.{1 + i % 17}{'eg'[i % 2]}}" for i in range(900)
)
_SOUP = f"""<geometry id="soup"><mesh><source id="soup_positions">
<float_array id="soup_array" count="900">{_LENGTHS}</float_array><technique_common>
<accessor source="#soup_array" count="300" stride="3"/></technique_common></source>
<vertices id="soup_vertices"><input semantic="POSITION" source="#soup_positions"/>
</vertices><triangles count="300"><input semantic="VERTEX" source="#soup_vertices"
offset="0"/><p>{" ".join(str(7 * i % 300) for i in range(900))}</p></triangles></mesh>
</geometry>"""
_SKIN = """<library_controllers><controller id="bent"><skin source="#soup">
<bind_shape_matrix>1 0 0 1 0 2 0 0 0 0 -1 0 0 0 0 1</bind_shape_matrix></skin>
</controller></library_controllers>"""

_HULL = '<geometry id="cover"><convex_mesh convex_hull_of="#geom0"/></geometry>'
_CASES = f"""<math:piecewise><math:piece><math:cn>1</math:cn><math:apply><math:gt/>
{_JOINT0}<math:cn>0</math:cn></math:apply></math:piece><math:otherwise>{_JOINT0}
</math:otherwise></math:piecewise>"""
_OWN = technique(
    "pyrave",
    """<exact><set name="commands">["go"]</set><link name="base">
<set name="static">true</set><readable key="note" plain="true"><note>1</note></readable>
<geometry takes="1"><set
name="group">"environment"</set></geometry><geometry takes="0"/><order
name="geometries">1 0</order></link><joint name="joint0"><axis>
<set name="weight">0.5</set></axis></joint>
<new in="links" type="LinkDescription" name="tail"/><new in="joints"
type="JointDescription" name="end"><set name="parent">"hand"</set><set name="child">
"tail"</set></new><order name="links">0 1 3 2</order></exact>""",
    profile="pyrave",
)
_OWN_OF_SCENE = technique(
    "pyrave",
    """<exact><body name="rover"><set name="commands">["stop"]</set></body><new
in="interfaces" type="InterfaceDescription"><set name="type">"controller"</set><set
name="interface">"IdealController"</set><set name="robot">"rover"</set></new>
</exact>""",
    profile="pyrave",
)


def documents() -> list[bytes]:
    """Return documents, which hold every extension between them."""
    geometry = '<instance_geometry url="#geom0"/>'
    hull = '<instance_geometry url="#hull"/>'
    link_info = technique(
        "link_info", '<float_array name="a">1 2</float_array>', "link0"
    )
    robots = (
        Robot(),
        Robot(
            model=_COLLISION + link_info,
            kinematics=_DRIVE,
            motion=_ARM + _EYES,
            instance='<setparam ref="kinfo0/w"><float>3</float></setparam>',
            libraries=_SENSORS + _ANIMATION,
            geometries=_SHAPE,
            shown=(geometry, hull, ""),
            info=(_INFO, ""),
            rates=("<speed><float>9</float></speed>", ""),
            tool="OpenHRP3 Collada Writer",
            physics=_GRAB,
        ),
        Robot(
            formula=_FORMULA.format(_TWICE),
            instance=_COLLISION,
            geometries=_SHAPE,
            unit='<unit meter="0.001"/>',
        ),
        Robot(
            formula=_FORMULA.format(_CALL),
            libraries=_FUNCTION,
            motion=technique("note", "<a/>", profile="Ours"),
            limits=("", ""),
        ),
        Robot(
            geometries=_SOUP,
            libraries=_SKIN,
            shown=(
                '<instance_geometry url="#soup"/>',
                '<instance_controller url="#bent"/>',
                geometry,
            ),
        ),
        Robot(
            formula=_FORMULA.format(_CASES),
            motion=_OWN,
            geometries=_HULL,
            shown=(geometry, '<instance_geometry url="#cover"/>', ""),
        ),
    )
    texts = [str(robot) for robot in robots]
    tied = str(Robot(physics="", libraries=_RUBBER))
    texts.append(
        tied.replace("</physics_model>", f"{_TIE}</physics_model>").replace(
            "<mass>1</mass>", '<mass>1</mass><instance_physics_material url="#rubber"/>'
        )
    )
    texts.append(texts[0].replace("</scene>", f"{_OWN_OF_SCENE}</scene>"))
    return [text.encode() for text in texts]


def archives() -> list[bytes]:
    """Return zipped documents."""
    found = []
    for data in documents()[:2]:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            # without the time of day: seeds are the same in every run
            archive.writestr(zipfile.ZipInfo("manifest.xml"), _MANIFEST)
            archive.writestr(zipfile.ZipInfo("robot.dae"), data)
        found.append(stream.getvalue())
    return found


COLLADA_WORDS = words(
    ["COLLADA", "scene", "node", "extra", "technique", "OpenRAVE", "technique_common"],
    ["kinematics_model", "articulated_system", "motion", "kinematics", "axis_info"],
    ["instance_articulated_system", "instance_kinematics_model", "instance_node"],
    ["attachment_full", "attachment_start", "attachment_end", "link", "joint", "url"],
    ["revolute", "prismatic", "axis", "limits", "min", "max", "newparam", "SIDREF"],
    ["sid", "id", "#kmodel1", "#body1_motion", "#body1_kinematics", "kmodel1_inst"],
    ["kmodel1/joint0", "joint0", "joint1", "axis0", "link0", "link1", "link2", "./"],
    [
        "visual1",
        "node1",
        "node1/turn",
        "#geom0",
        "#hull",
        "instance_geometry",
        "rotate",
    ],
    ["translate", "matrix", "scale", "skew", "lookat", "float", "bool", "param", "ref"],
    ["idsuffix", "name", ".b1", "visible", "calibration", "joint_calibration"],
    ["instance_calibration", "joint_info", "formula", "equation", "second_partial"],
    ["apply", "power", "piecewise", "piece", "otherwise", "ci", "cn", "root", "degree"],
    [
        "polylist",
        "polygons",
        "trifans",
        "tristrips",
        "vcount",
        "p",
        "ph",
        "h",
        "offset",
    ],
    [
        "pyrave",
        "exact",
        "indexed",
        "unshared",
        "shown",
        "set",
        "new",
        "order",
        "readable",
        "in",
        "type",
        "takes",
        "plain",
        "key",
    ],
    ["links", "joints", "bodies", "axes", "geometries", "manipulators", "dof_values"],
    ["LinkDescription", "JointDescription", "BodyDescription", "InterfaceDescription"],
    [
        "convex_hull_of",
        "convex_mesh",
        "box",
        "sphere",
        "cylinder",
        "half_extents",
        "mass_frame",
        "mass",
    ],
    ["openrave:/robots/arm.dae#x", "http://a/b", "file:///dev/zero", "1e999", "-1"],
)
