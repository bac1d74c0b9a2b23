"""Elements of URDF, SRDF and Gazebo's blocks: what they become, where they act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.formats.vocabulary import Meaning

if TYPE_CHECKING:
    from pyrave.formats.vocabulary import Vocabulary

_KEPT = Meaning("a readable of what it stands in")
_VISUAL = {
    "origin": Meaning("pose of the geometry", ("looks",)),
    "geometry": Meaning(
        "`box`, `cylinder`, `sphere`, `capsule` (its `length` is that of the cylinder) "
        "or `mesh`, loaded when it is first used; factors of `scale` may be negative. "
        "Without one of these nothing is there, with a warning",
        ("looks",),
    ),
    "material": Meaning(
        "diffuse colour and transparency; named ones may stand anywhere. Without one: "
        "white, or what the mesh's file says, or else OpenRAVE's 1 0.5 0.5 for meshes",
        ("looks",),
    ),
}

ELEMENTS: Vocabulary = {
    "robot": {
        "link": Meaning("a link; exactly one has no parent and is the base. It is "
            "static if it is called `world`, or if it has no mass with all that is "
            "fixed to it", ("structure",)),
        "joint": Meaning("a joint", ("structure",)),
        "material": Meaning("a colour that visuals name", ("looks",)),
        "transmission": Meaning("the joint's `<actuator>` with the size of "
            "`mechanicalReduction` as `gear_ratio`; the element is a readable of the "
            "robot", ("dynamics",)),
        "gazebo": Meaning("see below; the block is a readable of the link or joint "
            "that it refers to, else of the robot", ("structure",)),
        "sensor": Meaning("an attached sensor, see below; the element is kept",
            ("sensors",)),
        "ros2_control": _KEPT,
        "model_state": _KEPT,
        "plugin": _KEPT,
        "mujoco": Meaning("a readable of the robot, for MuJoCo alone", told=False),
        "drake": _KEPT,
    },
    "link": {
        "inertial": Meaning("mass, centre, and inertia turned into the link's axes",
            ("dynamics",)),
        "visual": Meaning("a geometry that is shown, several each", ("looks",)),
        "collision": Meaning("a geometry that collides, several each",
            ("collision", "physics", "sensors")),
        "contact": Meaning("with a `geometry` (box, cylinder, sphere, mesh) a contact "
            "area, with `limit` `normal_force` (newton; none: unlimited); without one "
            "Bullet's, see below; with another shape a readable, with a warning",
            ("planning", "physics")),
    },
    "inertial": {
        "origin": Meaning("centre of mass, and axes of the inertia", ("dynamics",)),
        "mass": Meaning("kg", ("dynamics",)),
        "inertia": Meaning("kg m2 about the centre", ("dynamics",)),
    },
    "visual": _VISUAL,
    "collision": {
        "origin": Meaning("pose of the geometry", ("collision", "physics")),
        "geometry": Meaning("as in a visual", ("collision", "physics")),
        "material": Meaning("left out: what collides alone is not shown"),
    },
    "material": {
        "color": Meaning("diffuse colour and transparency", ("looks",)),
        "texture": Meaning("readable `material` of the geometry"),
        "specular": Meaning("as `texture`"),
        "ambient": Meaning("as `texture`"),
        "diffuse": Meaning("as `texture`"),
        "emissive": Meaning("as `texture`"),
    },
    "contact": {
        "lateral_friction": Meaning("Bullet's: material of the link. A pair has the "
            "product of both values, as in Bullet. The element stays: readable "
            "`contact`", ("physics",)),
        "restitution": Meaning("Bullet's: type of objects of the link, as with "
            "friction", ("physics",)),
    },
    "joint": {
        "origin": Meaning("`T_parent_joint`; the child's frame is the joint's",
            ("kinematics",)),
        "parent": Meaning("a link", ("kinematics",)),
        "child": Meaning("a link", ("kinematics",)),
        "axis": Meaning("direction of length 1; none: x, with a warning",
            ("kinematics",)),
        "limit": Meaning("`lower`, `upper`, `velocity`, `effort`, and `acceleration`, "
            "`jerk`: limits of these; none: no bounds, with a warning; 1e10 and "
            "beyond: no bound; no acceleration: half a second to full speed",
            ("kinematics", "planning", "physics")),
        "dynamics": Meaning("`damping` (N m s/rad or N s/m) and `friction` (Coulomb's, "
            "N m or N) of each axis", ("dynamics",)),
        "mimic": Meaning("formula of its value; the joint is passive", ("kinematics",)),
        "calibration": Meaning("readable; `pyrave_urdf.extras.calibration`"),
        "safety_controller": Meaning(
            "readable; `pyrave_urdf.extras.safety_controller`"),
    },
    "gazebo": {
        "static": Meaning("the root is static", ("physics",)),
    },
    "gazebo of a link": {
        "static": Meaning("the link is static", ("physics",)),
        "gravity": Meaning("whether the link has weight (`link.dynamics.gravity`)",
            ("dynamics",)),
        "turnGravityOff": Meaning("the opposite of `gravity`", ("dynamics",)),
        "dampingFactor": Meaning("the share of its velocity that the link loses in "
            "each step, `linear_damping` and `angular_damping`", ("physics",)),
        "kinematic": Meaning("`link.kinematic`: it goes where its body is put",
            ("physics",)),
        "mu1": Meaning("material of the link, with the smaller value of `mu1` and "
            "`mu2`. A pair has the smaller one of both, as in Gazebo's engines. What "
            "Bullet's element says counts before it", ("physics",)),
        "mu2": Meaning("as `mu1`", ("physics",)),
        "sensor": Meaning("an attached sensor, see below", ("sensors",)),
    },
    "gazebo of a joint": {
        "springStiffness": Meaning("`stiffness` of the axis, N m/rad or N/m",
            ("dynamics",)),
        "springReference": Meaning("`rest` of the axis, radians or metres",
            ("dynamics",)),
        "implicitSpringDamper": Meaning("damping is implicit anyway", ("dynamics",)),
        "provideFeedback": Meaning("forces through joints are known without it",
            ("sensors",)),
        "sensor": Meaning("an attached sensor of the child link", ("sensors",)),
    },
    "sensor": {
        "parent": Meaning("URDF's: the link", ("sensors",)),
        "origin": Meaning("URDF's: `T_link_sensor`", ("sensors",)),
        "pose": Meaning("Gazebo's: `T_link_sensor`, also with `degrees` and "
            '`rotation_format="quat_xyzw"`', ("sensors",)),
        "update_rate": Meaning("images, scans, measurements a second", ("sensors",)),
        "always_on": Meaning("sensors of files are on", ("sensors",)),
        "camera": Meaning("BaseCamera. `type`: `camera` delivers colours, `depth`, "
            "`rgbd` and `rgbd_camera` colours and depth, `depth_camera` depth, "
            "`segmentation` segments. Gazebo's cameras look along x, ours along z",
            ("sensors",)),
        "camera/pose": Meaning("where the camera is in the sensor", ("sensors",)),
        "camera/horizontal_fov": Meaning("focal length, of square pixels",
            ("sensors",)),
        "camera/image/hfov": Meaning("URDF's: the same", ("sensors",)),
        "camera/image/width": Meaning("columns", ("sensors",)),
        "camera/image/height": Meaning("rows", ("sensors",)),
        "camera/image/format": Meaning("one channel for `L8`, `L16`, else three",
            ("sensors",)),
        "camera/image/far": Meaning("URDF's: farthest distance", ("sensors",)),
        "camera/clip/far": Meaning("farthest distance", ("sensors",)),
        "camera/depth_camera/clip/far": Meaning("the same", ("sensors",)),
        "camera/depth_camera/output": Meaning("depth besides colours", ("sensors",)),
        "camera/lens/intrinsics": Meaning("`fx fy cx cy s`: the lens", ("sensors",)),
        "camera/distortion/k1": Meaning("lens distortion `plumb_bob`", ("sensors",)),
        "camera/distortion/k2": Meaning("the same", ("sensors",)),
        "camera/distortion/k3": Meaning("the same", ("sensors",)),
        "camera/distortion/p1": Meaning("the same", ("sensors",)),
        "camera/distortion/p2": Meaning("the same", ("sensors",)),
        "camera/noise/type": Meaning("all noise is Gaussian", ("sensors",)),
        "camera/noise/stddev": Meaning("noise of colours (white is 1); of "
            "`depth_camera`, of distances in metres", ("sensors",)),
        "ray": Meaning("BaseLaser2D, or with several `vertical` samples "
            "MultiBeamLidar; `lidar` is the same", ("sensors",)),
        "ray/scan/horizontal/samples": Meaning("rays of a scan", ("sensors",)),
        "ray/scan/horizontal/resolution": Meaning("ranges for each sample",
            ("sensors",)),
        "ray/scan/horizontal/min_angle": Meaning("first angle", ("sensors",)),
        "ray/scan/horizontal/max_angle": Meaning("last angle", ("sensors",)),
        "ray/scan/vertical/samples": Meaning("planes of rays", ("sensors",)),
        "ray/scan/vertical/min_angle": Meaning("elevation of the first", ("sensors",)),
        "ray/scan/vertical/max_angle": Meaning("elevation of the last", ("sensors",)),
        "ray/range/min": Meaning("minimum range", ("sensors",)),
        "ray/range/max": Meaning("maximum range", ("sensors",)),
        "ray/range/resolution": Meaning("step to which ranges are rounded",
            ("sensors",)),
        "ray/noise/type": Meaning("all noise is Gaussian", ("sensors",)),
        "ray/noise/mean": Meaning("is added to ranges", ("sensors",)),
        "ray/noise/bias_mean": Meaning("the same", ("sensors",)),
        "ray/noise/stddev": Meaning("noise of ranges", ("sensors",)),
        "imu": Meaning("BaseIMU", ("sensors",)),
        "imu/angular_velocity/AXIS/noise/type": Meaning("all noise is Gaussian",
            ("sensors",)),
        "imu/angular_velocity/AXIS/noise/stddev": Meaning("noise of each measurement, "
            "rad/s", ("sensors",)),
        "imu/linear_acceleration/AXIS/noise/type": Meaning("all noise is Gaussian",
            ("sensors",)),
        "imu/linear_acceleration/AXIS/noise/stddev": Meaning("noise of each "
            "measurement, m/s2", ("sensors",)),
        "imu/noise/type": Meaning("older files: all noise is Gaussian", ("sensors",)),
        "imu/noise/rate/stddev": Meaning("older files: noise, rad/s", ("sensors",)),
        "imu/noise/accel/stddev": Meaning("older files: noise, m/s2", ("sensors",)),
        "force_torque": Meaning("BaseForce6D", ("sensors",)),
        "force_torque/frame": Meaning("axes of the reading: `child` (unless another is "
            "given), `sensor`, or `parent` of a fixed joint", ("sensors",)),
        "force_torque/measure_direction": Meaning("sign: `child_to_parent`, the load, "
            "unless it is `parent_to_child`", ("sensors",)),
        "force_torque/force/AXIS/noise/type": Meaning("all noise is Gaussian",
            ("sensors",)),
        "force_torque/force/AXIS/noise/stddev": Meaning("noise, the largest for all "
            "axes, N", ("sensors",)),
        "force_torque/torque/AXIS/noise/type": Meaning("all noise is Gaussian",
            ("sensors",)),
        "force_torque/torque/AXIS/noise/stddev": Meaning("noise, the largest for all "
            "axes, N m", ("sensors",)),
    },
    "srdf": {
        "group": Meaning("a manipulator, if its joints are one chain in which one "
            "moves; but not the group of a hand that is the gripper of another",
            ("planning",)),
        "group_state": Meaning("a configuration of the robot, of joints with degrees "
            "of freedom. States of one name are one configuration; one that gives a "
            "joint another value is `name group`. `group_states` has all as written",
            ("planning",)),
        "end_effector": Meaning("gripper joints of the manipulators that carry it; "
            "where its `parent_link` is fixed to the end of its own group, that link "
            "is the tip of the arm; `end_effectors`", ("planning",)),
        "virtual_joint": Meaning("`fixed`: its `child_link` is static; "
            "`virtual_joints`", ("physics",)),
        "disable_collisions": Meaning("adjacent links; the reason is not kept",
            ("collision",)),
        "passive_joint": Meaning("kept in the readable `srdf`"),
        "enable_collisions": Meaning("kept in the readable `srdf`"),
        "disable_default_collisions": Meaning("kept in the readable `srdf`"),
        "link_sphere_approximation": Meaning("kept in the readable `srdf`"),
        "joint_property": Meaning("kept in the readable `srdf`"),
        "gripper": Meaning("kept in the readable `srdf`"),
        "rotor_params": Meaning("kept in the readable `srdf`"),
        "joint_configuration": Meaning("kept in the readable `srdf`"),
        "chain": Meaning("kept in the readable `srdf`"),
    },
}  # fmt: skip
"""By what they stand in; those of a sensor by their path, AXIS being x, y and z."""

SHOWN = {
    "gazebo": "<gazebo> of the robot",
    "gazebo of a link": "<gazebo> of links",
    "gazebo of a joint": "<gazebo> of joints",
    "srdf": "the SRDF",
}
"""Names in messages of the parents of elements; all else by its tag."""


def tags_of(owner: str) -> frozenset[str]:
    """Return the tags that may stand in an element."""
    return frozenset(ELEMENTS[owner])
