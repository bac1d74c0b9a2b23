"""``<mimic>``: joints that follow others."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import MimicFormula

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.scene import JointDescription
    from pyrave_urdf.reading import Reading

__all__ = ["follow"]

_ATTRIBUTES = frozenset({"joint", "multiplier", "offset"})
_INF = math.inf


def follow(
    joints: dict[str, JointDescription], mimics: Mapping[str, Any], reading: Reading
) -> None:
    """Make joints with a ``<mimic>`` follow; their values at zero become initial.

    Parameters
    ----------
    mimics
        ``<mimic>`` elements by the name of the joint that follows.
    """
    leaders: dict[str, tuple[str, float, float]] = {}
    for name, mimic in mimics.items():
        if name not in joints:
            continue
        joint = joints[name]
        leader = str(reading.attributes(mimic, _ATTRIBUTES).get("joint") or "").strip()
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
    for name in list(leaders):
        circle = _circle(name, leaders)
        if circle:
            reading.error(
                mimics[name],
                "mimic-cycle",
                f"joints follow each other in a circle: {' > '.join(circle)}",
                "one of them must move by itself",
            )
            return
    followers = {}
    for name, (leader, factor, offset) in leaders.items():
        joint = joints[name]
        formula = MimicFormula(
            f"{factor!r}*{leader}{'-' if offset < 0 else '+'}{abs(offset)!r}",
            f"|{leader} {factor!r}",
            f"|{leader} 0",
            reading.location(mimics[name]),
        )
        lower, upper = _reach(name, leaders, joints)
        axis = replace(
            joint.axes[0],
            mimic=formula,
            initial=_rest(name, leaders),
            lower=min(lower, joint.axes[0].lower),
            upper=max(upper, joint.axes[0].upper),
        )
        followers[name] = replace(joint, axes=(axis,), active=False)
    joints.update(followers)


def _circle(name: str, leaders: Mapping[str, tuple[str, float, float]]) -> list[str]:
    """Return the joints of a circle through a joint, empty if there is none."""
    seen = [name]
    while (leader := leaders.get(seen[-1])) is not None:
        if leader[0] == name:
            return [*seen, name]
        if leader[0] in seen:
            return []  # the circle is told where it begins
        seen.append(leader[0])
    return []


def _reach(
    name: str,
    leaders: Mapping[str, tuple[str, float, float]],
    joints: Mapping[str, JointDescription],
) -> tuple[float, float]:
    """Return how far the joint that leads all takes one: that goes before its limits.

    Files give followers limits that their leaders do not let them keep.
    """
    chain = []
    while name in leaders:
        name, factor, offset = leaders[name]
        chain.append((factor, offset))
    axis = joints[name].axes[0]
    low, high = (-_INF, _INF) if axis.circular else (axis.lower, axis.upper)
    for factor, offset in reversed(chain):
        ends = [factor * end + offset if factor else offset for end in (low, high)]
        low, high = min(ends), max(ends)
    return low, high


def _rest(name: str, leaders: Mapping[str, tuple[str, float, float]]) -> float:
    """Return the value of a joint where all that move by themselves are at zero."""
    chain = []
    while name in leaders:
        name, factor, offset = leaders[name]
        chain.append((factor, offset))
    value = 0.0
    for factor, offset in reversed(chain):
        value = factor * value + offset
    return value
