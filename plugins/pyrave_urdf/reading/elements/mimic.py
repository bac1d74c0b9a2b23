"""``<mimic>``: joints that follow others."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.coercion import HUGE
from pyrave.scene import MimicFormula

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.scene import JointAxis, JointDescription
    from pyrave_urdf.reading.load import UrdfReading

Leading = tuple[str, float, float]
"""Name of the joint that leads, factor, offset (radians or metres)."""

_ATTRIBUTES = frozenset({"joint", "multiplier", "offset"})
_INF = math.inf


def follow(
    joints: dict[str, JointDescription], mimics: Mapping[str, Any], reading: UrdfReading
) -> None:
    """Make joints with a ``<mimic>`` follow; their values at zero become initial.

    Parameters
    ----------
    mimics
        ``<mimic>`` elements by the name of the joint that follows.
    """
    leaders: dict[str, Leading] = {}
    for name, mimic in mimics.items():
        if name not in joints:
            continue
        joint = joints[name]
        reading.attributes(mimic, _ATTRIBUTES)
        leader = str(mimic.get("joint") or "").strip()
        factor = reading.number(mimic, "multiplier", 1.0)
        offset = reading.number(mimic, "offset", 0.0)
        if leader not in joints:
            reading.unknown(mimic, "joint", leader, joints, "bad-mimic")
        elif len(joint.axes) != 1 or len(joints[leader].axes) != 1:
            odd = name if len(joint.axes) != 1 else leader
            reading.warn(
                mimic,
                "bad-mimic",
                f"the joint {name!r} cannot follow {leader!r}: {odd!r} has "
                f"{len(joints[odd].axes)} degrees of freedom, expected 1",
                "remove the <mimic>, or let it follow a joint that moves",
            )
        else:
            leaders[name] = leader, factor, offset
    ordered, circle = leading_first(leaders)
    if circle:
        reading.error(
            mimics[circle[0]],
            "mimic-cycle",
            f"joints follow each other in a circle: {' > '.join(circle)}",
            "one of them must move by itself",
        )
        return
    alone = {name: one.axes[0] for name, one in joints.items() if len(one.axes) == 1}
    reach = reaches(leaders, alone)
    rests: dict[str, float] = {}
    followers = {}
    for name in ordered:
        leader, factor, offset = leaders[name]
        joint = joints[name]
        rests[name] = factor * rests.get(leader, 0.0) + offset
        if not abs(rests[name]) <= HUGE:
            reading.error(
                mimics[name],
                "bad-number",
                f"the joint {name!r} starts at {rests[name]:g}, expected at most "
                f"{HUGE:g}",
                "multiply by less along the chain of joints that it follows",
            )
            return
        formula = MimicFormula(
            f"{factor!r}*{leader}{'-' if offset < 0 else '+'}{abs(offset)!r}",
            location=reading.location(mimics[name]),
        )
        lower, upper = reach[name]
        axis = replace(
            joint.axes[0],
            mimic=formula,
            initial=rests[name],
            lower=min(lower, joint.axes[0].lower),
            upper=max(upper, joint.axes[0].upper),
        )
        followers[name] = replace(joint, axes=(axis,), active=False)
    joints.update(followers)


def reaches(
    leaders: Mapping[str, Leading], axes: Mapping[str, JointAxis]
) -> dict[str, tuple[float, float]]:
    """Return the range of each follower, mapped from that of its leader.

    It goes before the limits that a file gives its followers.

    Parameters
    ----------
    leaders
        By the names of those that follow, who may lead others.
    axes
        Axes of all of them, by their names.
    """
    found: dict[str, tuple[float, float]] = {}
    ordered, _ = leading_first(leaders)
    for name in ordered:
        leader, factor, offset = leaders[name]
        low, high = found.get(leader) or _ends(axes[leader])
        ends = [factor * end + offset if factor else offset for end in (low, high)]
        found[name] = min(ends), max(ends)
    return found


def _ends(axis: JointAxis) -> tuple[float, float]:
    return (-_INF, _INF) if axis.circular else (axis.lower, axis.upper)


def leading_first(
    leaders: Mapping[str, Leading],
) -> tuple[list[str], list[str]]:
    """Return joints behind those that they follow; or a circle of them, closed."""
    ordered: dict[str, None] = {}
    for first in leaders:
        name, chain = first, dict[str, None]()
        while name in leaders and name not in ordered:
            if name in chain:
                passed = list(chain)
                return [], [*passed[passed.index(name) :], name]
            chain[name] = None
            name = leaders[name][0]
        ordered.update(dict.fromkeys(reversed(chain)))
    return list(ordered), []
