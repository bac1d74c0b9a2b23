"""Articulated systems of a body: order of joints, manipulators, sensors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.formats import to_xml_element
from pyrave.scene import RobotDescription, XmlElement, XmlReadable
from pyrave_collada.document.extras import extras_of
from pyrave_collada.document.parsed import child, children
from pyrave_collada.reading.extensions.calibration import calibrated, calibrations
from pyrave_collada.reading.extensions.collision import adjacent_links, with_collision
from pyrave_collada.reading.extensions.grippers import read_grippers
from pyrave_collada.reading.extensions.manipulators import read_manipulators
from pyrave_collada.reading.extensions.places import Places
from pyrave_collada.reading.extensions.sensors import read_sensors
from pyrave_collada.reading.readables import information, interface_of, unknown_extras

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave.scene import BodyDescription, JointDescription
    from pyrave_collada.reading.kinematics.bodies import Body
    from pyrave_collada.reading.load import ColladaReading
    from pyrave_collada.reading.shapes.geometries import Geometries

_PLAIN_BODY = "kinbody"
# how many numbers the values of an electric motor are
_MOTOR = {
    **dict.fromkeys(
        (
            *("assigned_power_rating", "max_speed", "no_load_speed", "nominal_torque"),
            *("nominal_voltage", "rotor_inertia", "speed_constant", "gear_ratio"),
            *("speed_torque_gradient", "starting_current", "terminal_resistance"),
            *("torque_constant", "stall_torque", "max_instantaneous_torque"),
            *("coloumb_friction", "viscous_friction"),
        ),
        1,
    ),
    "nominal_speed_torque_point": 2,
    "max_speed_torque_point": 2,
}
_Information = dict[str, list[tuple[str, XmlReadable]]]


def complete_body(
    body: Body, geometries: Geometries | None, reading: ColladaReading
) -> tuple[BodyDescription, tuple[str, ...]]:
    """Return a body with all that its systems and models say, and plugins it names.

    Parameters
    ----------
    geometries
        None: geometries are not read.
    """
    return _Completion(body, geometries, reading).done()


class _Completion:
    def __init__(
        self, body: Body, geometries: Geometries | None, reading: ColladaReading
    ) -> None:
        self.body = body
        self.geometries = geometries
        self.reading = reading
        self.places = Places(body, reading)
        self.systems = self.places.systems
        self.outer = [*self.systems, *calibrations(self.systems, reading)]

    def done(self) -> tuple[BodyDescription, tuple[str, ...]]:
        reading, places = self.reading, self.places
        description = self.body.description
        kind, interface, plugins = self._interface()
        links = with_collision(description.links, places, self.geometries, reading)
        about = self._information("link_info", places.link)
        description = replace(
            description,
            interface=interface,
            adjacent=frozenset(adjacent_links(places)),
            links=tuple(
                replace(one, readables=tuple(about[one.name]))
                if one.name in about
                else one
                for one in links
            ),
            joints=tuple(self._ordered_joints()),
            readables=tuple(unknown_extras(self.systems, reading)),
        )
        moved = extras_of(self.outer, "joint_calibration")
        description = calibrated(description, moved, places, reading)
        description = replace(description, dof_values=self._values(description))
        if kind == _PLAIN_BODY:
            return description, plugins
        fields = {
            name: getattr(description, name)
            for name in type(description).__dataclass_fields__
        }
        dofs = {one.name: len(one.axes) for one in description.joints}
        arms = extras_of(self.outer, "manipulator")
        sensors = extras_of(self.outer, "attach_sensor")
        robot = RobotDescription(
            **fields,
            manipulators=read_manipulators(arms, places, dofs, reading),
            attached_sensors=read_sensors(sensors, places, reading),
            grippers=read_grippers(
                extras_of(self.outer, "gripper_info"), dofs, reading
            ),
        )
        return robot, plugins

    def _interface(self) -> tuple[str, str, tuple[str, ...]]:
        """Return robot or kinbody, the interface that is asked for, and plugins."""
        kind = "robot" if self.body.system.elements else _PLAIN_BODY
        interface, plugins = "", []
        for holder in self.places.holders:
            found = interface_of(holder)
            if found is None:
                continue
            if found.plugin:
                plugins.append(found.plugin)
            if found.type in {"robot", _PLAIN_BODY} and holder in self.systems:
                kind = found.type
            if found.type in {"", kind}:
                interface = found.id
        return kind, interface, tuple(plugins)

    def _values(self, description: BodyDescription) -> tuple[float, ...] | None:
        """Return the values of the degrees of freedom, None if all are zero."""
        values: list[float] = []
        for one in description.joints:
            if one.active:
                joint = self.body.used[one.name]
                values += [
                    self.body.system.settings_of(joint, axis).value or 0.0
                    for axis in joint.axes
                    if axis.moves
                ]
        return tuple(values) if any(values) else None

    # -- joints ------------------------------------------------------------------------

    def _ordered_joints(self) -> Iterator[JointDescription]:
        """Yield joints: first those that actuators are bound to, in their order."""
        joints = {one.name: one for one in self.body.description.joints}
        order = list(joints)
        bound: dict[str, XmlReadable | None] = {}
        for holder, extra, part in extras_of(self.systems, "attach_actuator"):
            name = self._bound_joint(extra, part, holder)
            if name is not None and name not in bound:
                bound[name] = self._actuator(part)
        first = [name for name in bound if joints[name].active]
        rest = [name for name in order if joints[name].active and name not in bound]
        passive = [name for name in order if not joints[name].active]
        about = self._information("joint_info", self.places.joint)
        for name in (*first, *rest, *passive):
            changes: dict[str, Any] = {}
            if bound.get(name) is not None:
                changes["actuator"] = bound[name]
            if name in about:
                changes["readables"] = tuple(about[name])
            yield replace(joints[name], **changes) if changes else joints[name]

    def _bound_joint(self, extra: Any, part: Any, holder: Any) -> str | None:
        bind = child(part, "bind_actuator")
        if bind is None:
            self.reading.dangling(extra, "the joint", "")
            return None
        return self.places.joint_at(bind, holder)

    def _actuator(self, part: Any) -> XmlReadable | None:
        """Return the motor of an attach_actuator as ``<actuator>`` has it, or None."""
        instance = child(part, "instance_actuator")
        if instance is None:
            return None
        motor = self.reading.library.target(instance)
        if motor is None:
            self.reading.dangling(instance, "the actuator", instance.get("url") or "")
            return None
        tags = []
        for one in children(motor):
            if len(one):
                tags.append(to_xml_element(one))
                continue
            if self._is_meant(one):
                tags.append(XmlElement(one.tag, text=(one.text or "").strip()))
        kind = (motor.get("type") or "electric_motor").strip()
        kind = "electric_motor" if kind == "motor" else kind
        attributes = (("type", kind),)
        return XmlReadable(XmlElement("actuator", attributes, children=tuple(tags)))

    def _is_meant(self, element: Any) -> bool:
        """Return True if a value of a motor has a meaning, after a report if not."""
        if element.tag not in _MOTOR:
            return True  # kept as it stands
        return self.reading.values.numbers(element, _MOTOR[element.tag]) is not None

    # -- parameters --------------------------------------------------------------------

    def _information(
        self, kind: str, find: Callable[[str, Any], str | None]
    ) -> _Information:
        """Return the data in models' extras about links or joints, by name."""
        found: _Information = {}
        what = kind.partition("_")[0]
        for holder, extra, part in extras_of(self.places.models, kind):
            path = (extra.get("name") or "").strip()
            name = find(path, holder)
            if name is None:
                self.reading.dangling(extra, f"the {what}", path)
            else:
                readable = information(kind, part, self.reading)
                found.setdefault(name, []).append((kind, readable))
        return found
