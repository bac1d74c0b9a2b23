"""What notebooks show of bodies and robots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.showing import card, counted, listed, table

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody


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
    rows = [
        [name, f"{value:.4f}", f"{lower:.4f}", f"{upper:.4f}"]
        for name, value, lower, upper in zip(
            body.dof_names, body.dof_values, *body.dof_limits, strict=True
        )
    ]
    head = ["joint value", "now", "lower", "upper"]
    title = f"{body.interface_type} {body.name}"
    return card(title, facts, table(head, rows) if rows else "")
