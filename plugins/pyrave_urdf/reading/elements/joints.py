"""``<joint>``: types, axes and limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.errors import did_you_mean
from pyrave.formats.likely_units import are_degrees
from pyrave.formats.output.numbers import FAR
from pyrave.scene import JointAxis, JointDescription, XmlElement, XmlReadable
from pyrave_urdf.reading.accelerations import usual_accelerations
from pyrave_urdf.vocabulary import tags_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyrave.scene import Readable
    from pyrave.scene.body import JointType
    from pyrave.scene.pose import Vec3
    from pyrave_urdf.reading.load import UrdfReading

_TAGS = tags_of("joint")
_TYPES = (
    *("revolute", "continuous", "prismatic", "fixed", "floating", "planar"),
    "spherical",
)
_BOUNDED = frozenset({"revolute", "prismatic"})
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_INF = math.inf
# numbers of the elements that are kept as data
_KEPT = {
    "calibration": frozenset({"rising", "falling", "reference_position"}),
    "safety_controller": frozenset({
        *("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    }),
}  # fmt: skip
_ATTRIBUTES = frozenset({"name", "type"})
_LINK = frozenset({"link"})
_AXIS = frozenset({"xyz"})
_DYNAMICS = ("damping", "friction")
_LOST = frozenset(_DYNAMICS)
_LIMIT = frozenset({"lower", "upper", "effort", "velocity", "acceleration", "jerk"})


class Joints:
    """Reads the joints of one document.

    Parameters
    ----------
    links
        Anything by the names of the links.
    actuators
        By names of joints.
    springs
        (stiffness, value at which it is slack) by names of joints with one axis.
    """

    def __init__(
        self,
        reading: UrdfReading,
        links: Mapping[str, Any],
        actuators: Mapping[str, XmlReadable],
        springs: Mapping[str, tuple[float, float]],
    ) -> None:
        self._reading = reading
        self._links = links
        self._actuators = actuators
        self._springs = springs
        self.mimics: dict[str, Any] = {}
        """The ``<mimic>`` elements of joints that were read, by name."""
        self.silent: set[str] = set()
        """Names of joints that were read and have no limit of acceleration."""

    def read(
        self, element: Any, name: str, kept: Iterable[tuple[str, Readable]] = ()
    ) -> JointDescription | None:
        """Return a joint, None if it joins nothing; that is reported.

        Parameters
        ----------
        kept
            Data that stands elsewhere in the file.
        """
        reading = self._reading
        reading.attributes(element, _ATTRIBUTES)
        kind = self._type(element, name)
        parts, others = reading.children(element, _TAGS)
        parent = self._link(element, parts, "parent", name)
        child = self._link(element, parts, "child", name)
        pose = reading.origin(parts.get("origin"))
        axes = self._axes(element, parts, kind, name)
        readables = [reading.kept(other, ("joint",)) for other in others]
        readables += self._readables(parts)
        readables += kept
        mimic = reading.last(parts.get("mimic"))
        if mimic is not None:
            self.mimics[name] = mimic
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
            _OURS[kind],
            parent,
            child,
            T_parent_joint=pose,
            axes=axes,
            active=bool(axes),
            actuator=self._actuators.get(name),
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
            f"the joint {name!r} {said}{_suggestion(kind.lower())}",
            f"known: {', '.join(_TYPES)}",
        )
        return "fixed"

    def _link(
        self, element: Any, parts: Mapping[str, list[Any]], tag: str, joint: str
    ) -> str | None:
        reading = self._reading
        found = reading.last(parts.get(tag))
        name = ""
        if found is not None:
            reading.attributes(found, _LINK)
            name = found.get("link", "").strip()
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

    def _readables(
        self, parts: Mapping[str, list[Any]]
    ) -> Iterator[tuple[str, Readable]]:
        reading = self._reading
        dynamics = reading.last(parts.get("dynamics"))
        if dynamics is not None:
            yield from _of_others(dynamics)
        for tag, names in _KEPT.items():
            found = reading.last(parts.get(tag))
            if found is not None:
                for one in reading.attributes(found, names):
                    if one in names:
                        reading.number(found, one, infinite=True)
                yield reading.kept(found, ())

    # -- axes ------------------------------------------------------------------------

    def _axes(
        self, element: Any, parts: Mapping[str, list[Any]], kind: str, name: str
    ) -> tuple[JointAxis, ...]:
        if kind == "fixed":
            return ()
        limit = self._reading.last(parts.get("limit"))
        rates = self._rates(limit, name, required=kind in _BOUNDED)
        rates |= self._losses(self._reading.last(parts.get("dynamics")), name)
        sliding = rates
        if "acceleration_limit" not in rates:
            sliding = rates.copy()
            rates["acceleration_limit"], sliding["acceleration_limit"] = (
                usual_accelerations(
                    rates.get("velocity_limit"),
                    self._reading.context.acceleration_time,
                )
            )
        if kind == "floating":
            return free_axes(rates, sliding)
        if kind == "spherical":
            return tuple(_turn(one, rates) for one in (_X, _Y, _Z))
        direction = self._direction(element, parts, name)
        if kind == "planar":
            return planar_axes(direction, rates, sliding)
        slides = kind == "prismatic"
        fields = sliding if slides else rates
        if name in self._springs:
            fields["stiffness"], fields["rest"] = self._springs[name]
        if kind == "continuous":
            return (_turn(direction, fields),)
        lower, upper = self._limits(limit, element, name, turns=not slides)
        if not slides and math.isinf(lower) and math.isinf(upper):
            return (_turn(direction, fields),)
        return (JointAxis(direction, slides, lower, upper, **fields),)

    def _direction(
        self, element: Any, parts: Mapping[str, list[Any]], name: str
    ) -> Vec3:
        reading = self._reading
        axis = reading.last(parts.get("axis"))
        if axis is None:
            reading.warn(
                element,
                "missing-axis",
                f"the joint {name!r} has no <axis>; it moves about or along x",
                'write <axis xyz="1 0 0"/>',
            )
            return _X
        reading.attributes(axis, _AXIS)
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
            self.silent.add(name)
            return found
        given = reading.attributes(limit, _LIMIT)
        for attribute, field in _RATES.items():
            if attribute not in given:
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
        if "acceleration_limit" not in found:
            self.silent.add(name)
        return found

    def _losses(self, dynamics: Any, name: str) -> dict[str, float]:
        """Return damping and friction as fields of axes."""
        reading = self._reading
        if dynamics is None:
            return {}
        given = reading.attributes(dynamics, _LOST)
        found = {}
        for attribute in _DYNAMICS:
            value = reading.number(dynamics, attribute) if attribute in given else 0.0
            if value < 0.0:
                reading.error(
                    dynamics,
                    "bad-size",
                    f"{attribute} of the joint {name!r} is {value}, expected 0 or more",
                )
                value = 0.0
            found[attribute] = value
        return found

    def _limits(
        self, limit: Any, element: Any, name: str, *, turns: bool
    ) -> tuple[float, float]:
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
        lower = _bound(reading.number(limit, "lower", infinite=True))
        upper = _bound(reading.number(limit, "upper", infinite=True))
        if lower > upper:
            reading.warn(
                limit,
                "bad-limit",
                f"the lower limit {lower} of the joint {name!r} is above the upper "
                f"limit {upper}; it moves without bounds",
                "exchange them, or make the joint continuous",
            )
            return -_INF, _INF
        if turns and are_degrees((lower, upper)):
            reading.warn(
                limit,
                "likely-unit",
                f"the limits {lower:g} and {upper:g} of the joint {name!r} are "
                "radians, which look like degrees",
                f'write lower="{math.radians(lower):.6g}" '
                f'upper="{math.radians(upper):.6g}" if they are; the type continuous '
                "is for endless joints",
            )
        return lower, upper


def _of_others(dynamics: Any) -> Iterator[tuple[str, Readable]]:
    """Yield the data of vendors in ``<dynamics>`` besides those of axes."""
    others = tuple(
        (name, text) for name, text in dynamics.items() if name not in _DYNAMICS
    )
    if others:
        yield "dynamics", XmlReadable(XmlElement("dynamics", others))


def _suggestion(kind: str) -> str:
    known = _OTHER_WORDS.get(kind)
    return f", did you mean {known!r}?" if known else did_you_mean(kind, _TYPES)


def _bound(value: float) -> float:
    """Return a limit, infinite if it is what those write whose readers refuse `inf`."""
    return math.copysign(_INF, value) if abs(value) >= FAR else value


_OURS: dict[str, JointType] = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slider",
    "fixed": "fixed",
    "floating": "compound",
    "planar": "compound",
    "spherical": "spherical",
}
_OTHER_WORDS = {
    "hinge": "revolute",
    "rotational": "revolute",
    "slider": "prismatic",
    "linear": "prismatic",
    "ball": "spherical",
}
"""Names of joint types in other formats."""
_RATES = {
    "velocity": "velocity_limit",
    "effort": "torque_limit",
    "acceleration": "acceleration_limit",
    "jerk": "jerk_limit",
}


def free_axes(
    rates: Mapping[str, Any], sliding: Mapping[str, Any]
) -> tuple[JointAxis, ...]:
    """Return the axes of a floating joint: slides along x y z, turns about z y x.

    Parameters
    ----------
    rates, sliding
        Further fields of the axes that turn, and of those that slide.
    """
    return (
        *(JointAxis(one, True, -_INF, _INF, **sliding) for one in (_X, _Y, _Z)),
        *(_turn(one, rates) for one in (_Z, _Y, _X)),
    )


def planar_axes(
    normal: Vec3, rates: Mapping[str, Any], sliding: Mapping[str, Any]
) -> tuple[JointAxis, ...]:
    """Return the axes of a planar joint: two slides, a turn about the normal.

    Parameters
    ----------
    rates, sliding
        As of `free_axes`.
    """
    along, across = _plane(normal)
    return (
        JointAxis(along, True, -_INF, _INF, **sliding),
        JointAxis(across, True, -_INF, _INF, **sliding),
        _turn(normal, rates),
    )


def _turn(direction: Vec3, rates: Mapping[str, Any]) -> JointAxis:
    return JointAxis(direction, circular=True, **rates)


def _plane(normal: Vec3) -> tuple[Vec3, Vec3]:
    """Return the directions that the shortest turn from z to a normal makes of x, y."""
    x, y, z = normal
    if z < -0.999999:
        return _X, (0.0, -1.0, 0.0)
    k = 1.0 / (1.0 + z)
    return (1.0 - k * x * x, -k * x * y, -x), (-k * x * y, 1.0 - k * y * y, -y)
