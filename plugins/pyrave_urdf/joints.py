"""``<joint>``: types, axes, limits, and joints that follow others."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.errors import did_you_mean
from pyrave.scene import JointAxis, JointDescription, MimicFormula

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.scene import Readable
    from pyrave.scene.pose import Vec3
    from pyrave_urdf.reading import Reading

__all__ = ["Joints", "follow", "free_axes", "planar_axes"]

_TAGS = frozenset({
    *("origin", "parent", "child", "axis", "calibration", "dynamics", "limit"),
    *("mimic", "safety_controller"),
})  # fmt: skip
_TYPES = (
    *("revolute", "continuous", "prismatic", "fixed", "floating", "planar"),
    "spherical",
)
_BOUNDED = frozenset({"revolute", "prismatic"})
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_INF = math.inf
# numbers of the elements that are kept as data
_KEPT = {
    "dynamics": ("damping", "friction"),
    "calibration": ("rising", "falling", "reference_position"),
    "safety_controller": (
        *("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    ),
}


class Joints:
    """Reads the joints of one document."""

    def __init__(self, reading: Reading, links: Mapping[str, Any]) -> None:
        self._reading = reading
        self._links = links

    def read(self, element: Any, name: str) -> JointDescription | None:
        """Return a joint, None if it joins nothing; that is reported."""
        reading = self._reading
        reading.attributes(element, ("name", "type"))
        kind = self._type(element, name)
        parent = self._link(element, "parent", name)
        child = self._link(element, "child", name)
        pose = reading.origin(element)
        axes = self._axes(element, kind, name)
        readables = self._readables(element)
        if parent is None or child is None:
            return None
        if parent == child:
            reading.error(
                element,
                "joint-links",
                f"the joint {name!r} joins the link {parent!r} to itself",
                "parent and child are two links",
            )
            return None
        return JointDescription(
            name,
            _OURS[kind],  # type: ignore[arg-type]
            parent,
            child,
            T_parent_joint=pose,
            axes=axes,
            active=bool(axes),
            readables=tuple(readables),
            location=reading.location(element),
        )

    def _type(self, element: Any, name: str) -> str:
        kind = str(element.get("type") or "").strip()
        if kind in _OURS:
            return kind
        said = f"has the type {kind!r}" if kind else "has no type"
        self._reading.error(
            element,
            "unknown-joint-type" if kind else "missing-type",
            f"the joint {name!r} {said}{did_you_mean(kind.lower(), _TYPES)}",
            f"known: {', '.join(_TYPES)}",
        )
        return "fixed"

    def _link(self, element: Any, tag: str, joint: str) -> str | None:
        reading = self._reading
        found = reading.child(element, tag)
        name = "" if found is None else str(found.get("link") or "").strip()
        if not name:
            reading.error(
                element if found is None else found,
                "missing-tag",
                f"the joint {joint!r} has no {tag} link",
                f'write <{tag} link="..."/>',
            )
            return None
        if name not in self._links:
            hint = did_you_mean(name, self._links).removeprefix(", ")
            reading.error(
                found,
                "unknown-link",
                f"the {tag} of the joint {joint!r} is the link {name!r}, which is "
                "missing",
                hint or f'declare it: <link name="{name}"/>',
            )
            return None
        return name

    def _readables(self, element: Any) -> list[tuple[str, Readable]]:
        reading = self._reading
        kept = [reading.kept(other, ()) for other in reading.others(element, _TAGS)]
        for tag, names in _KEPT.items():
            found = reading.child(element, tag)
            if found is not None:
                reading.attributes(found, names)
                for one in names:
                    reading.number(found, one, infinite=True)
                kept.append(reading.kept(found, ()))
        return kept

    # -- axes ------------------------------------------------------------------------

    def _axes(self, element: Any, kind: str, name: str) -> tuple[JointAxis, ...]:
        if kind == "fixed":
            return ()
        limit = self._reading.child(element, "limit")
        rates = self._rates(limit, name, required=kind in _BOUNDED)
        if kind == "floating":
            return free_axes(rates)
        if kind == "spherical":
            return tuple(_turn(one, rates) for one in (_X, _Y, _Z))
        direction = self._direction(element, name)
        if kind == "planar":
            return planar_axes(direction, rates)
        if kind == "continuous":
            return (_turn(direction, rates),)
        lower, upper = self._limits(limit, element, name)
        if kind == "revolute" and math.isinf(lower) and math.isinf(upper):
            return (_turn(direction, rates),)
        return (JointAxis(direction, kind == "prismatic", lower, upper, **rates),)

    def _direction(self, element: Any, name: str) -> Vec3:
        reading = self._reading
        axis = reading.child(element, "axis")
        if axis is None:
            reading.warn(
                element,
                "missing-axis",
                f"the joint {name!r} has no <axis>; it moves about or along x",
                'write <axis xyz="1 0 0"/>',
            )
            return _X
        reading.attributes(axis, ("xyz",))
        x, y, z = reading.vector(axis, "xyz", _X)
        length = math.hypot(x, y, z)
        if not length > 0.0:
            reading.error(
                axis,
                "zero-axis",
                f"the axis of the joint {name!r} is zero, which is no direction",
                "give the axis that it turns about or slides along, in its own frame",
            )
            return _X
        return (x / length, y / length, z / length)

    def _rates(self, limit: Any, name: str, *, required: bool) -> dict[str, Any]:
        """Return limits of speed and effort as fields of axes."""
        reading = self._reading
        found: dict[str, Any] = {}
        if limit is None:
            return found
        reading.attributes(
            limit, ("lower", "upper", "effort", "velocity", "acceleration", "jerk")
        )
        for attribute, field in _RATES.items():
            if limit.get(attribute) is None:
                if required and attribute in {"effort", "velocity"}:
                    reading.warn(
                        limit,
                        "missing-limit",
                        f"the <limit> of the joint {name!r} has no {attribute}",
                        f'write {attribute}="..."',
                    )
                continue
            value = reading.number(limit, attribute, infinite=True)
            if value < 0.0:
                reading.error(
                    limit,
                    "bad-size",
                    f"{attribute} of the joint {name!r} is {value}, expected 0 or more",
                )
                continue
            found[field] = value
        return found

    def _limits(self, limit: Any, element: Any, name: str) -> tuple[float, float]:
        reading = self._reading
        if limit is None:
            reading.warn(
                element,
                "missing-limit",
                f"the joint {name!r} has no <limit>; it moves without bounds",
                'write <limit lower="..." upper="..." effort="..." velocity="..."/>, '
                "or make it continuous",
            )
            return -_INF, _INF
        lower = reading.number(limit, "lower", infinite=True)
        upper = reading.number(limit, "upper", infinite=True)
        if lower > upper:
            reading.warn(
                limit,
                "bad-limit",
                f"the lower limit {lower} of the joint {name!r} is above the upper "
                f"limit {upper}; it moves without bounds",
                "exchange them, or make the joint continuous",
            )
            return -_INF, _INF
        return lower, upper


_OURS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slider",
    "fixed": "fixed",
    "floating": "compound",
    "planar": "compound",
    "spherical": "spherical",
}
_RATES = {
    "velocity": "velocity_limit",
    "effort": "torque_limit",
    "acceleration": "acceleration_limit",
    "jerk": "jerk_limit",
}


def free_axes(rates: dict[str, Any]) -> tuple[JointAxis, ...]:
    """Return the axes of a floating joint: slides along x y z, turns about z y x."""
    return (
        *(JointAxis(one, True, -_INF, _INF, **rates) for one in (_X, _Y, _Z)),
        *(_turn(one, rates) for one in (_Z, _Y, _X)),
    )


def planar_axes(normal: Vec3, rates: dict[str, Any]) -> tuple[JointAxis, ...]:
    """Return the axes of a planar joint: two slides in the plane, a turn about the normal."""
    along, across = _plane(normal)
    return (
        JointAxis(along, True, -_INF, _INF, **rates),
        JointAxis(across, True, -_INF, _INF, **rates),
        _turn(normal, rates),
    )


def _turn(direction: Vec3, rates: dict[str, Any]) -> JointAxis:
    return JointAxis(direction, circular=True, **rates)


def _plane(normal: Vec3) -> tuple[Vec3, Vec3]:
    """Return the directions that the shortest turn from z to a normal makes of x, y."""
    x, y, z = normal
    if z < -0.999999:
        return _X, (0.0, -1.0, 0.0)
    k = 1.0 / (1.0 + z)
    return (1.0 - k * x * x, -k * x * y, -x), (-k * x * y, 1.0 - k * y * y, -y)


# -- joints that follow others ---------------------------------------------------------


def follow(
    joints: dict[str, JointDescription], elements: Mapping[str, Any], reading: Reading
) -> None:
    """Make joints with a ``<mimic>`` follow; their values at zero become initial."""
    leaders: dict[str, tuple[str, float, float]] = {}
    for name, joint in joints.items():
        mimic = reading.child(elements[name], "mimic")
        if mimic is None:
            continue
        reading.attributes(mimic, ("joint", "multiplier", "offset"))
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
    for name in list(leaders):
        circle = _circle(name, leaders)
        if circle:
            reading.error(
                elements[name].find("mimic"),
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
            reading.location(elements[name].find("mimic")),
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
