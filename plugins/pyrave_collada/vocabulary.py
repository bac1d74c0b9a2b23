"""Elements of COLLADA and of OpenRAVE's extensions: where in pyrave they act.

Here too is what both readers and writers know of data that are for pyrave alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.formats.vocabulary import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats.vocabulary import Vocabulary

KNOWN_EXTRAS = frozenset({
    *("interface_type", "manipulator", "collision", "visible", "link_info"),
    *("joint_info", "attach_sensor", "attach_actuator", "library_sensors"),
    *("library_actuators", "geometry_info", "idsuffix", "calibration"),
    *("joint_calibration", "gripper_info"),
    "pyrave",
})  # fmt: skip
"""Types of ``<extra>`` that mean something to readers, in lower case."""
GRIPPER_KEYS = ("name", "grippertype", "gripperJointNames")
"""Keys of ``gripper_info``: name, kind and joints of a gripper."""
SELF_COLLISION = "self_collision"
"""Group of the geometries of type ``self``: the group ``self`` is what is shown."""
VISUAL_GROUP = "visual"
"""Type of what is only shown of links that have something that collides."""
DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""Directions of constraints: slides along the axes, then turns about them."""
SLACK = 1e12
"""Compliance, m/N or rad/(N m), of a free direction without a spring among others."""
GLUE = "glue"
"""Mark of a joint that is written for others: pyrave's links hang from none there."""

_DATA = "readable of the link or joint, for programs"
_KEPT = "kept with the motor"
_SHADE = "left out: surfaces have one colour and a transparency"
_LEFT = "left out"

ELEMENTS: Vocabulary = {
    "COLLADA": {
        "asset": Meaning("`unit` and `up_axis`", ("structure",)),
        "scene": Meaning("what is instantiated", ("structure",)),
        "library_kinematics_scenes": Meaning("robots and bodies", ("structure",)),
        "library_articulated_systems": Meaning("robots", ("structure",)),
        "library_kinematics_models": Meaning("links and joints", ("structure",)),
        "library_joints": Meaning("joints", ("structure",)),
        "library_formulas": Meaning("functions of formulas", ("kinematics",)),
        "library_visual_scenes": Meaning("where shapes are", ("structure",)),
        "library_nodes": Meaning("the same", ("structure",)),
        "library_geometries": Meaning("meshes and shapes",
            ("collision", "physics", "looks")),
        "library_controllers": Meaning("meshes of skins, at rest", ("looks",)),
        "library_materials": Meaning("colours", ("looks",)),
        "library_effects": Meaning("colours and images", ("looks",)),
        "library_images": Meaning("images of effects", ("looks",)),
        "library_physics_scenes": Meaning("gravity, instances", ("physics",)),
        "library_physics_models": Meaning("rigid bodies, constraints", ("physics",)),
        "library_physics_materials": Meaning("friction, restitution", ("physics",)),
        "library_animations": Meaning("trajectories", ("control",)),
        "library_animation_clips": Meaning(_LEFT),
        "library_force_fields": Meaning(_LEFT),
        "library_cameras": Meaning("left out; sensors are cameras", told=False),
        "library_lights": Meaning("left out; viewers have lights", told=False),
    },
    "node": {
        "node": Meaning("what it carries", ("structure",)),
        "translate": Meaning("place", ("kinematics", "collision", "looks")),
        "rotate": Meaning("the same", ("kinematics", "collision", "looks")),
        "matrix": Meaning("the same", ("kinematics", "collision", "looks")),
        "lookat": Meaning("the same", ("kinematics", "collision", "looks")),
        "scale": Meaning("is in the vertices", ("collision", "looks")),
        "skew": Meaning("is in the vertices", ("collision", "looks")),
        "instance_geometry": Meaning("a geometry of the link", ("collision", "looks")),
        "instance_controller": Meaning("the mesh of a skin, at rest",
            ("collision", "looks")),
        "instance_node": Meaning("the nodes of another one", ("structure",)),
        "instance_camera": Meaning("left out; sensors are cameras"),
        "instance_light": Meaning("left out; viewers have lights"),
    },
    "geometry": {
        "mesh": Meaning("triangles", ("collision", "physics", "looks")),
        "convex_mesh": Meaning("the same", ("collision", "physics", "looks")),
        "spline": Meaning("left out, with a warning of its own", told=False),
        "brep": Meaning("left out, with a warning of its own", told=False),
    },
    "effect": {
        "diffuse": Meaning("diffuse colour, or an image", ("looks",)),
        "ambient": Meaning("ambient colour", ("looks",)),
        "transparent": Meaning("transparency", ("looks",)),
        "transparency": Meaning("transparency", ("looks",)),
        "emission": Meaning(_SHADE, told=False),
        "specular": Meaning(_SHADE, told=False),
        "shininess": Meaning(_SHADE, told=False),
        "reflective": Meaning(_SHADE, told=False),
        "reflectivity": Meaning(_SHADE, told=False),
        "index_of_refraction": Meaning(_SHADE, told=False),
    },
    "kinematics": {
        "link": Meaning("a link", ("structure",)),
        "attachment_full": Meaning("a joint to a link", ("kinematics",)),
        "attachment_start": Meaning("a joint that closes a loop", ("kinematics",)),
        "attachment_end": Meaning("the same", ("kinematics",)),
        "instance_joint": Meaning("a joint", ("kinematics",)),
        "formula": Meaning("value of a joint that follows", ("kinematics",)),
        "instance_formula": Meaning("the same", ("kinematics",)),
        "revolute": Meaning("a turning axis", ("kinematics",)),
        "prismatic": Meaning("a sliding axis", ("kinematics",)),
        "limits": Meaning("limits", ("kinematics", "planning")),
    },
    "axis_info": {
        "limits": Meaning("limits of the controller", ("kinematics", "planning")),
        "active": Meaning("false: passive", ("kinematics",)),
        "locked": Meaning("both limits are 0", ("kinematics",)),
        "speed": Meaning("velocity limit", ("planning", "control")),
        "acceleration": Meaning("acceleration limit", ("planning", "control")),
        "jerk": Meaning("jerk limit", ("planning", "control")),
        "index": Meaning("left out: the order is that of the document", told=False),
        "newparam": Meaning("`circular`, `planning_weight`, "
            "`discretization_resolution`, `hardMaxVel` and the like",
            ("kinematics", "planning")),
    },
    "motion": {
        "axis_info": Meaning("limits of rates", ("planning", "control")),
        "effector_info": Meaning(_LEFT),
    },
    "kinematics of a system": {
        "axis_info": Meaning("limits, weights", ("kinematics", "planning")),
        "frame_object": Meaning(_LEFT),
        "frame_tcp": Meaning("left out: `manipulator` has the tool"),
        "frame_tip": Meaning("left out: `manipulator` has the tip", told=False),
        "frame_origin": Meaning("left out: `manipulator` has the base", told=False),
    },
    "rigid_body": {
        "dynamic": Meaning("false: static", ("physics",)),
        "mass": Meaning("kg", ("dynamics",)),
        "inertia": Meaning("principal moments, kg m2", ("dynamics",)),
        "mass_frame": Meaning("centre and axes of these", ("dynamics",)),
        "physics_material": Meaning("friction and restitution", ("physics",)),
        "instance_physics_material": Meaning("the same", ("physics",)),
        "shape": Meaning("its material; shapes are those of the node", ("physics",)),
        "velocity": Meaning("left out: bodies start at rest"),
        "angular_velocity": Meaning("left out: bodies start at rest"),
    },
    "shape": {
        "physics_material": Meaning("friction and restitution", ("physics",)),
        "instance_physics_material": Meaning("the same", ("physics",)),
        "density": Meaning("left out: the rigid body has a mass"),
        "hollow": Meaning(_LEFT),
    },
    "physics_scene": {
        "gravity": Meaning("gravity", ("physics", "dynamics")),
        "instance_physics_model": Meaning("rigid bodies of links", ("physics",)),
        "time_step": Meaning("left out: engines have settings of their own"),
        "instance_force_field": Meaning(_LEFT),
    },
    "rigid_constraint": {
        "ref_attachment": Meaning("parent, and the frame", ("physics",)),
        "attachment": Meaning("child", ("physics",)),
        "enabled": Meaning("false: left out", ("physics",)),
        "interpenetrate": Meaning("true: pairs that are not compared", ("collision",)),
        "limits": Meaning("how far each direction goes", ("physics",)),
        "spring": Meaning("stiffness and damping of free directions", ("physics",)),
    },
    "extra": {
        "interface_type": Meaning("the implementation", ("structure",)),
        "manipulator": Meaning("a manipulator", ("kinematics", "planning")),
        "collision": Meaning("pairs and links that do not collide", ("collision",)),
        "visible": Meaning("what is not shown", ("looks",)),
        "geometry_info": Meaning("the shape of a mesh",
            ("collision", "physics", "looks")),
        "attach_sensor": Meaning("a sensor of a robot", ("sensors",)),
        "gripper_info": Meaning("one of `Robot.grippers`, for programs", told=False),
        "attach_actuator": Meaning("the motor of a joint", ("dynamics", "sensors")),
        "library_sensors": Meaning("sensors", ("sensors",)),
        "library_actuators": Meaning("motors", ("dynamics", "sensors")),
        "dynamic_rigid_constraints": Meaning("what holds what", ("physics",)),
        "calibration": Meaning("another document with offsets", ("kinematics",)),
        "joint_calibration": Meaning("offsets of joints", ("kinematics",)),
        "link_info": Meaning(_DATA, told=False),
        "joint_info": Meaning(_DATA, told=False),
    },
    "actuator": {
        "gear_ratio": Meaning("of the motor", ("dynamics", "sensors")),
        "rotor_inertia": Meaning("of the motor", ("dynamics", "sensors")),
        "coloumb_friction": Meaning("dry friction", ("dynamics", "sensors")),
        "viscous_friction": Meaning("friction by velocity", ("dynamics", "sensors")),
        "torque_constant": Meaning("of the motor", ("sensors",)),
        "nominal_voltage": Meaning("of the motor", ("sensors",)),
        "starting_current": Meaning("of the motor", ("sensors",)),
        "terminal_resistance": Meaning("of the motor", ("sensors",)),
        "assigned_power_rating": Meaning(_KEPT),
        "max_speed": Meaning(_KEPT),
        "no_load_speed": Meaning(_KEPT),
        "nominal_torque": Meaning(_KEPT),
        "speed_constant": Meaning(_KEPT),
        "speed_torque_gradient": Meaning(_KEPT),
        "stall_torque": Meaning(_KEPT),
        "max_instantaneous_torque": Meaning(_KEPT),
        "nominal_speed_torque_point": Meaning(_KEPT),
        "max_speed_torque_point": Meaning(_KEPT),
        "model_type": Meaning(_KEPT),
    },
    "attach_sensor": {
        "frame_origin": Meaning("link, and where it is there", ("sensors",)),
        "instance_sensor": Meaning("the sensor", ("sensors",)),
        "reference_attach_sensor": Meaning("readable", told=False),
        "sensor_maker": Meaning("readable", told=False),
        "sensor_model": Meaning("readable", told=False),
    },
}  # fmt: skip
"""Elements by their parents."""

# what holds elements of these owners by other names
_HOLDERS = {
    "technique_common": ("rigid_body", "instance_rigid_body", "physics_scene",
                         "kinematics", "motion"),
    "technique": ("rigid_body", "instance_rigid_body", "physics_scene", "kinematics"),
}  # fmt: skip
_OWNERS = {"instance_rigid_body": "rigid_body", "kinematics": "kinematics of a system"}
_IDLE = {
    tag
    for known in ELEMENTS.values()
    for tag, meaning in known.items()
    if not meaning.acts and meaning.told
}


def idle_elements(root: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield (owner, tag, element) of what a document holds that acts nowhere."""
    for element in root.iter(*sorted(_IDLE)):
        parent = element.getparent()
        if parent is None:
            continue
        above = parent.tag
        holder = parent.getparent()
        if above in _HOLDERS and holder is not None and holder.tag in _HOLDERS[above]:
            above = holder.tag
        meaning = ELEMENTS.get(_OWNERS.get(above, above), {}).get(element.tag)
        if meaning is not None and not meaning.acts and meaning.told:
            yield above, element.tag, element
