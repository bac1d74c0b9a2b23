"""What ``<gazebo reference="...">`` says of links and joints for physics engines."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.scene import (
        JointDescription,
        LinkDescription,
        LinkDynamics,
        RobotDescription,
    )

    Warn = Callable[[Any, str, str], None]
    """``(element, code, message)``."""

_MOST = 1e20
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(slots=True)
class Said:
    """What is said, by names of links and joints; nothing where nothing is said.

    Parameters
    ----------
    weighs
        Whether gravity acts on links.
    kinematic
        Whether links go where their body is put.
    dampings
        Shares of their velocities that links lose in a step, 0 to 1.
    springs
        (stiffness, value at which it is slack) of joints: N m/rad and rad, N/m and m.
    """

    weighs: dict[str, bool] = field(default_factory=dict)
    kinematic: dict[str, bool] = field(default_factory=dict)
    dampings: dict[str, float] = field(default_factory=dict)
    springs: dict[str, tuple[float, float]] = field(default_factory=dict)

    def given_to(self, robot: RobotDescription) -> RobotDescription:
        """Return a robot of which this is said."""
        if not (self.weighs or self.kinematic or self.dampings or self.springs):
            return robot
        return replace(
            robot,
            links=tuple(self._link(link) for link in robot.links),
            joints=tuple(self._joint(joint) for joint in robot.joints),
        )

    def dynamics(self, link: LinkDescription) -> LinkDynamics:
        """Return the dynamics of a link of which this is said."""
        known = link.dynamics
        weighs = self.weighs.get(link.name, known.gravity)
        if weighs != known.gravity:
            known = replace(known, gravity=weighs)
        if link.name in self.dampings:
            damping = self.dampings[link.name]
            known = replace(known, linear_damping=damping, angular_damping=damping)
        return known

    def _link(self, link: LinkDescription) -> LinkDescription:
        dynamics = self.dynamics(link)
        kinematic = self.kinematic.get(link.name, link.kinematic)
        if dynamics is link.dynamics and kinematic == link.kinematic:
            return link
        return replace(link, dynamics=dynamics, kinematic=kinematic)

    def _joint(self, joint: JointDescription) -> JointDescription:
        spring = self.springs.get(joint.name)
        # what turns about several axes has no angle that a spring could have
        if spring is None or len(joint.axes) != 1:
            return joint
        axis = replace(joint.axes[0], stiffness=spring[0], rest=spring[1])
        return replace(joint, axes=(axis,))


def read_said(root: Any, warn: Warn) -> Said:
    """Return what the ``<gazebo>`` blocks of a ``<robot>`` say; the last one counts.

    What makes no sense is reported and ignored.
    """
    found = Said()
    for block in root.iterchildren("gazebo"):
        name = (block.get("reference") or "").strip()
        if not name:
            continue
        for child in block:
            tag = child.tag
            if tag in {"gravity", "turnGravityOff", "kinematic"}:
                flag = _flag(child, warn)
                if flag is not None and tag == "kinematic":
                    found.kinematic[name] = flag
                elif flag is not None:
                    found.weighs[name] = flag == (tag == "gravity")
            elif tag == "dampingFactor":
                share = _number(child, 0.0, 1.0, warn)
                if share is not None:
                    found.dampings[name] = share
            elif tag in {"springStiffness", "springReference"}:
                lowest = 0.0 if tag == "springStiffness" else -_MOST
                value = _number(child, lowest, _MOST, warn)
                if value is not None:
                    stiffness, rest = found.springs.get(name, (0.0, 0.0))
                    is_rest = tag == "springReference"
                    found.springs[name] = (
                        (stiffness, value) if is_rest else (value, rest)
                    )
    return found


def _text(element: Any) -> str:
    return str(element.get("value") or element.text or "").strip()


def _flag(element: Any, warn: Warn) -> bool | None:
    text = _text(element).lower()
    if text not in _FLAGS:
        message = (
            f"<{element.tag}> is {text[:40]!r}, expected true or false; it is ignored"
        )
        warn(element, "bad-boolean", message)
    return _FLAGS.get(text)


def _number(element: Any, lowest: float, most: float, warn: Warn) -> float | None:
    try:
        value = float(_text(element))
    except ValueError:
        value = math.nan
    if lowest <= value <= most:
        return value
    message = (
        f"<{element.tag}> is {_text(element)[:40]!r}, expected a number from "
        f"{lowest:g} to {most:g}; it is ignored"
    )
    warn(element, "bad-number", message)
    return None
