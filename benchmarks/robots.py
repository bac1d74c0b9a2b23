"""Robots of the benchmarks: one description each, as a model of every library.

A robot is a list of `Part`s, depth first, so that all libraries number joints alike
where they number by appearance. Dimensions are those of known robots, rounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pyrave.scene import (
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
)
from pyrave.spatial import quat_multiply

HALF = math.pi / 2
LIMIT = 3.1


@dataclass(frozen=True)
class Part:
    """A link and the joint that carries it.

    Parameters
    ----------
    name, parent
        Names of the link and of the one that carries it; "" for the base.
    xyz, rpy
        Pose in the parent: metres, and fixed-axis roll, pitch and yaw in radians.
    joint
        ``turn``, ``slide`` or ``fixed``, about or along `axis`.
    """

    name: str
    parent: str = ""
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)
    joint: str = "fixed"
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """Orientation in the parent, w x y z."""
        roll, pitch, yaw = (0.5 * angle for angle in self.rpy)
        q = quat_multiply(
            (math.cos(yaw), 0.0, 0.0, math.sin(yaw)),
            quat_multiply(
                (math.cos(pitch), 0.0, math.sin(pitch), 0.0),
                (math.cos(roll), math.sin(roll), 0.0, 0.0),
            ),
        )
        w, x, y, z = q.tolist()
        return w, x, y, z


@dataclass(frozen=True)
class Robot:
    """A robot and the link whose Jacobian is asked for."""

    name: str
    parts: tuple[Part, ...]
    tool: str

    @property
    def moving(self) -> list[Part]:
        """The parts that have a joint, in order."""
        return [part for part in self.parts if part.joint != "fixed"]

    def description(self) -> RobotDescription:
        """Return it as pyrave takes it."""
        return RobotDescription(
            self.name,
            tuple(LinkDescription(p.name, inertial=_INERTIAL) for p in self.parts),
            tuple(_joint(p) for p in self.parts if p.parent),
            manipulators=(
                ManipulatorDescription("arm", self.parts[0].name, self.tool),
            ),
        )

    def urdf(self) -> str:
        """Return it as URDF."""
        lines = [f'<robot name="{self.name}">']
        for part in self.parts:
            lines.append(
                f'<link name="{part.name}"><inertial><mass value="1"/><inertia ixx="1" '
                'ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
            )
            if not part.parent:
                continue
            kind = {"turn": "revolute", "slide": "prismatic"}.get(part.joint, "fixed")
            lines.append(
                f'<joint name="to_{part.name}" type="{kind}">'
                f'<parent link="{part.parent}"/><child link="{part.name}"/>'
                f'<origin xyz="{_text(part.xyz)}" rpy="{_text(part.rpy)}"/>'
                f'<axis xyz="{_text(part.axis)}"/><limit lower="{-LIMIT}" '
                f'upper="{LIMIT}" effort="1" velocity="1"/></joint>'
            )
        return "\n".join([*lines, "</robot>"])

    def mjcf(self) -> str:
        """Return it as MuJoCo's XML."""
        children: dict[str, list[Part]] = {}
        for part in self.parts:
            children.setdefault(part.parent, []).append(part)

        def element(part: Part) -> str:
            kind = {"turn": "hinge", "slide": "slide"}.get(part.joint)
            joint = (
                f'<joint name="to_{part.name}" type="{kind}" '
                f'axis="{_text(part.axis)}"/>'
                if kind
                else ""
            )
            return (
                f'<body name="{part.name}" pos="{_text(part.xyz)}" '
                f'quat="{_text(part.quaternion)}"><inertial pos="0 0 0" mass="1" '
                f'diaginertia="1 1 1"/>{joint}'
                + "".join(element(child) for child in children.get(part.name, []))
                + "</body>"
            )

        return (
            '<mujoco><compiler angle="radian"/><worldbody>'
            + element(self.parts[0])
            + "</worldbody></mujoco>"
        )


_INERTIAL = Inertial(1.0, inertia=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))


def _text(numbers: tuple[float, ...]) -> str:
    return " ".join(map(repr, numbers))


def _joint(part: Part) -> JointDescription:
    kind = {"turn": "hinge", "slide": "slider"}.get(part.joint, "fixed")
    axes = (
        ()
        if kind == "fixed"
        else (
            JointAxis(part.axis, prismatic=kind == "slider", lower=-LIMIT, upper=LIMIT),
        )
    )
    return JointDescription(
        f"to_{part.name}",
        kind,
        part.parent,
        part.name,
        T_parent_joint=Pose.from_quaternion(part.quaternion, part.xyz),
        axes=axes,
    )


def _arm(prefix: str, base: str, at: Part | None = None) -> list[Part]:
    """Seven joints: three in the shoulder, one in the elbow, three in the wrist."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    first = at or Part("", xyz=(0.0, 0.0, 0.0))
    places = [
        ("shoulder_pan", first.xyz, first.rpy, z),
        ("shoulder_lift", (0.1, 0.0, 0.0), (0.0, 0.0, 0.0), y),
        ("upper_arm_roll", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), x),
        ("elbow_flex", (0.4, 0.0, 0.0), (0.0, 0.0, 0.0), y),
        ("forearm_roll", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), x),
        ("wrist_flex", (0.321, 0.0, 0.0), (0.0, 0.0, 0.0), y),
        ("wrist_roll", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), x),
    ]
    parts = []
    parent = base
    for name, xyz, rpy, axis in places:
        parts.append(Part(f"{prefix}_{name}", parent, xyz, rpy, "turn", axis))
        parent = parts[-1].name
    return parts


def arm6() -> Robot:
    """Return a six-joint arm with three parallel axes, of a UR5's size."""
    y, z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    still = (0.0, 0.0, 0.0)
    up = (0.0, HALF, 0.0)
    return Robot(
        "arm6",
        (
            Part("base"),
            Part("shoulder", "base", (0.0, 0.0, 0.089159), still, "turn", z),
            Part("upper_arm", "shoulder", (0.0, 0.13585, 0.0), up, "turn", y),
            Part("forearm", "upper_arm", (0.0, -0.1197, 0.425), still, "turn", y),
            Part("wrist_1", "forearm", (0.0, 0.0, 0.39225), up, "turn", y),
            Part("wrist_2", "wrist_1", (0.0, 0.093, 0.0), still, "turn", z),
            Part("wrist_3", "wrist_2", (0.0, 0.0, 0.09465), still, "turn", y),
            Part("flange", "wrist_3", (0.0, 0.0823, 0.0), (0.0, 0.0, HALF)),
            Part("tool", "flange", (0.1, 0.0, 0.0), up),
        ),
        "tool",
    )


def arm7() -> Robot:
    """Return a seven-joint arm of a Panda's size, all axes along z."""
    places = [
        ((0.0, 0.0, 0.333), 0.0),
        ((0.0, 0.0, 0.0), -HALF),
        ((0.0, -0.316, 0.0), HALF),
        ((0.0825, 0.0, 0.0), HALF),
        ((-0.0825, 0.384, 0.0), -HALF),
        ((0.0, 0.0, 0.0), HALF),
        ((0.088, 0.0, 0.0), HALF),
    ]
    parts = [Part("link0")]
    for i, (xyz, roll) in enumerate(places, 1):
        parts.append(
            Part(f"link{i}", parts[-1].name, xyz, (roll, 0.0, 0.0), joint="turn")
        )
    parts += [
        Part("flange", "link7", (0.0, 0.0, 0.107)),
        Part("hand", "flange", (0.0, 0.0, 0.0), (0.0, 0.0, -HALF / 2)),
        Part("tool", "hand", (0.0, 0.0, 0.1034)),
    ]
    return Robot("arm7", tuple(parts), "tool")


def mobile_tree() -> Robot:
    """Return two arms on a wheeled base with many sensor frames, of a PR2's size."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    still = (0.0, 0.0, 0.0)
    parts = [Part("base"), Part("base_laser", "base", (0.275, 0.0, 0.252))]
    for side in ("fl", "fr", "bl", "br"):
        at = (
            0.2246 if side[0] == "f" else -0.2246,
            0.2246 if side[1] == "l" else -0.2246,
            0.0282,
        )
        parts.append(Part(f"{side}_caster", "base", at, still, "turn", z))
        for half, offset in (("l", 0.049), ("r", -0.049)):
            wheel = f"{side}_{half}_wheel"
            parts.append(
                Part(wheel, f"{side}_caster", (0.0, offset, 0.0), still, "turn", y)
            )
    parts += [
        Part("torso", "base", (-0.05, 0.0, 0.739675), still, "slide", z),
        Part("torso_imu", "torso", (-0.02977, -0.1497, 0.164), (0.0, math.pi, 0.0)),
        Part("head_pan", "torso", (-0.01707, 0.0, 0.38145), still, "turn", z),
        Part("head_tilt", "head_pan", (0.068, 0.0, 0.0), still, "turn", y),
        Part("head_plate", "head_tilt", (0.0232, 0.0, 0.0645)),
    ]
    optical = (-HALF, 0.0, -HALF)
    for camera in ("wide", "narrow"):
        parts.append(Part(f"{camera}_stereo", "head_plate", (0.0454, 0.0, 0.0)))
        for eye, offset in (("left", 0.0), ("right", -0.09)):
            frame = f"{camera}_{eye}"
            parts.append(Part(frame, f"{camera}_stereo", (0.0, offset, 0.0)))
            parts.append(Part(f"{frame}_optical", frame, still, optical))
    parts += [
        Part("laser_tilt_mount", "torso", (0.09893, 0.0, 0.227), still, "turn", y),
        Part("laser_tilt", "laser_tilt_mount", (0.0, 0.0, 0.03)),
    ]
    for side, offset in (("l", 0.188), ("r", -0.188)):
        parts += _arm(side, "torso", Part("", xyz=(0.0, offset, 0.0)))
        palm = f"{side}_palm"
        parts += [
            Part(f"{side}_camera", f"{side}_forearm_roll", (0.135, 0.0, 0.044)),
            Part(f"{side}_camera_optical", f"{side}_camera", still, optical),
            Part(palm, f"{side}_wrist_roll"),
            Part(f"{side}_accelerometer", palm),
            Part(f"{side}_motor_slide", palm, (0.16828, 0.0, 0.0), still, "slide", x),
            Part(
                f"{side}_motor_screw",
                f"{side}_motor_slide",
                still,
                still,
                "turn",
                y,
            ),
        ]
        for finger, sign in (("left", 1.0), ("right", -1.0)):
            name = f"{side}_{finger}_finger"
            parts += [
                Part(name, palm, (0.07691, 0.01 * sign, 0.0), still, "turn", z),
                Part(f"{name}_tip", name, (0.09137, 0.0, 0.0), still, "turn", z),
                Part(f"{name}_sensor", f"{name}_tip", (0.02, 0.0, 0.0)),
            ]
        parts.append(Part(f"{side}_tool", palm, (0.18, 0.0, 0.0)))
    parts += [
        Part(f"frame{i}", "head_plate", (0.01 * i, 0.02, 0.03), (0.1, 0.2, 0.3))
        for i in range(11)
    ]
    return Robot("mobile82", tuple(_depth_first(parts)), "r_tool")


def humanoid() -> Robot:
    """Return a humanoid with 43 joints and 53 links."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    still = (0.0, 0.0, 0.0)
    parts = [Part("pelvis"), Part("pelvis_imu", "pelvis", (0.05, 0.0, -0.08))]
    for side, s in (("left", 1.0), ("right", -1.0)):
        parent = "pelvis"
        for name, xyz, rpy, axis in (
            ("hip_pitch", (0.0, 0.064 * s, -0.103), still, y),
            ("hip_roll", (0.0, 0.052 * s, -0.03), (0.0, -0.1749, 0.0), x),
            ("hip_yaw", (0.025, 0.0, -0.124), still, z),
            ("knee", (-0.078, 0.002 * s, -0.177), (0.0, 0.1749, 0.0), y),
            ("ankle_pitch", (0.0, 0.0, -0.3), still, y),
            ("ankle_roll", (0.0, 0.0, -0.0176), still, x),
        ):
            parts.append(Part(f"{side}_{name}", parent, xyz, rpy, "turn", axis))
            parent = parts[-1].name
        parts.append(Part(f"{side}_sole", parent, (0.04, 0.0, -0.03)))
    parent = "pelvis"
    for name, xyz, axis in (
        ("waist_yaw", still, z),
        ("waist_roll", (-0.004, 0.0, 0.044), x),
        ("torso", still, y),
    ):
        parts.append(Part(name, parent, xyz, still, "turn", axis))
        parent = name
    parts += [
        Part("head", "torso", (0.004, 0.0, 0.4)),
        Part("camera", "head", (0.05, 0.0, 0.03), (0.0, 0.83, 0.0)),
        Part("lidar", "head", (0.0, 0.0, 0.02), (0.0, 0.04, 0.0)),
        Part("torso_imu", "torso", (-0.04, 0.0, 0.15)),
    ]
    for side, s in (("left", 1.0), ("right", -1.0)):
        shoulder = Part("", xyz=(0.004, 0.1 * s, 0.24), rpy=(0.28 * s, 0.0, 0.0))
        parts += _arm(side, "torso", shoulder)
        palm = f"{side}_palm"
        parts.append(Part(palm, f"{side}_wrist_roll", (0.0415, 0.003 * s, 0.0)))
        for finger, count, offset in (("thumb", 3, 0.0), ("middle", 2, 0.03)):
            parent = palm
            for i in range(count):
                at = (0.05, offset, 0.01)
                name = f"{side}_{finger}_{i}"
                parts.append(Part(name, parent, at, still, "turn", y if i else z))
                parent = name
        parent = palm
        for i in range(2):
            name = f"{side}_index_{i}"
            parts.append(Part(name, parent, (0.05, -0.03, 0.01), still, "turn", z))
            parent = name
    return Robot("humanoid53", tuple(_depth_first(parts)), "right_palm")


def _depth_first(parts: list[Part]) -> list[Part]:
    children: dict[str, list[Part]] = {}
    for part in parts:
        children.setdefault(part.parent, []).append(part)
    result: list[Part] = []
    todo = [parts[0]]
    while todo:
        part = todo.pop()
        result.append(part)
        todo += reversed(children.get(part.name, []))
    return result
