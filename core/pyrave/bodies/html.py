"""Cards of bodies and robots for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.cards import card, counted, listed, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.manipulator import Manipulator


def body_card(body: KinBody) -> str:
    """Return a body's parts and the values of its joints, with limits, as HTML."""
    x, y, z = body.transform[:3, 3]
    parts = [counted(len(body.links), "link"), counted(len(body.joints), "joint")]
    passive = len(body.passive_joints)
    if passive:
        parts.append(counted(passive, "passive joint"))
    facts = {
        "parts": ", ".join(parts),
        "at": f"{x:.3f} {y:.3f} {z:.3f} m",
        "manipulators": listed(arm.name for arm in getattr(body, "manipulators", ())),
        "sensors": listed(one.name for one in getattr(body, "attached_sensors", ())),
        "holds": listed(held.name for held in body.grabbed),
        "file": body.uri,
    }
    title = f"{body.interface_type} {body.name}"
    return card(title, facts, _values(body, range(body.dof)))


def arm_card(arm: Manipulator) -> str:
    """Return an arm's links, where its tool is and its joint values, as HTML."""
    x, y, z = arm.transform[:3, 3]
    robot = arm.robot
    gripper = [robot.dof_names[i] for i in arm.gripper_indices.tolist()]
    facts = {
        "robot": robot.name,
        "base": arm.base.name,
        "end effector": arm.end_effector.name,
        "tool at": f"{x:.3f} {y:.3f} {z:.3f} m",
        "gripper": listed(gripper),
    }
    return card(f"manipulator {arm.name}", facts, _values(robot, arm.arm_indices))


def _values(body: KinBody, dofs: Iterable[int]) -> str:
    names, values, (lower, upper) = body.dof_names, body.dof_values, body.dof_limits
    rows = [
        [names[i], f"{values[i]:.4f}", f"{lower[i]:.4f}", f"{upper[i]:.4f}"]
        for i in dofs
    ]
    head = ["joint value", "now", "lower", "upper"]
    return table(head, rows) if rows else ""
