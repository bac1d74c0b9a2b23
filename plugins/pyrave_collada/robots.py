"""What articulated systems add to a body: order of joints, manipulators, sensors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import (
    AttachedSensorDescription,
    ManipulatorDescription,
    RobotDescription,
    XmlElement,
    XmlReadable,
)
from pyrave_collada.document import child, children
from pyrave_collada.extras import extras, openrave_part
from pyrave_collada.readables import information, interface_of, unknown_extras
from pyrave_collada.sensors import read_sensor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import BodyDescription, LinkDescription
    from pyrave.scene.pose import Vec3
    from pyrave_collada.bodies import Body
    from pyrave_collada.kinematics import Joint, Link
    from pyrave_collada.reading import Reading

__all__ = ["complete_body"]

_PLAIN_BODY = "kinbody"


def complete_body(body: Body, reading: Reading) -> BodyDescription:
    """Return a body with everything that its systems and models say beyond links."""
    return _Completion(body, reading).done()


class _Completion:
    def __init__(self, body: Body, reading: Reading) -> None:
        self.body = body
        self.reading = reading
        system = body.system
        self.model_elements = [model.element for _, model in system.models]
        # what the inner elements say may be replaced by the outer ones
        instances = [one for one in system.instances if one not in self.model_elements]
        self.holders = [*reversed(system.elements), *reversed(instances)]

    def done(self) -> BodyDescription:
        description = self.body.description
        kind, interface = self._interface()
        description = replace(
            description,
            interface=interface,
            adjacent=frozenset(self._adjacent()),
            links=tuple(self._links(description.links)),
            joints=tuple(self._ordered_joints()),
            readables=tuple(unknown_extras(self.holders, self.reading)),
        )
        description = replace(description, dof_values=self._values(description))
        if kind == _PLAIN_BODY:
            return description
        fields = {
            name: getattr(description, name)
            for name in type(description).__dataclass_fields__
        }
        robot = RobotDescription(
            **fields, attached_sensors=tuple(self._sensors()), manipulators=()
        )
        return replace(robot, manipulators=tuple(self._manipulators()))

    # -- the body --------------------------------------------------------------------

    def _interface(self) -> tuple[str, str]:
        """Return whether it is a robot or a body, and the interface it asks for."""
        kind = "robot" if self.body.system.elements else _PLAIN_BODY
        interface = ""
        for holder in [*self.model_elements, *self.holders]:
            found = interface_of(holder)
            if found is None:
                continue
            if found[0] in {"robot", _PLAIN_BODY} and holder in self.holders:
                kind = found[0]
            if found[0] in {"", kind}:
                interface = found[1]
        return kind, interface

    def _values(self, description: BodyDescription) -> tuple[float, ...] | None:
        """Return the values of the degrees of freedom, None if all are zero."""
        values: list[float] = []
        by_name = {name: joint for joint, name in self.body.joints.items()}
        for one in description.joints:
            if one.active:
                joint = by_name[one.name]
                values += [
                    self.body.system.of(joint, axis).value or 0.0
                    for axis in joint.axes
                    if axis.moves
                ]
        return tuple(values) if any(values) else None

    def _ordered_joints(self) -> Iterator[Any]:
        """Yield joints: first those that actuators are bound to, in their order."""
        joints = {one.name: one for one in self.body.description.joints}
        order = list(joints)
        bound: dict[str, Any] = {}
        for holder in self.holders:
            for extra, part in extras(holder, "attach_actuator"):
                name = self._bound_joint(extra, part, holder)
                if name is not None and name not in bound:
                    bound[name] = self._actuator(part)
        first = [name for name in bound if joints[name].active]
        rest = [name for name in order if joints[name].active and name not in bound]
        passive = [name for name in order if not joints[name].active]
        for name in (*first, *rest, *passive):
            joint = joints[name]
            if bound.get(name) is not None:
                joint = replace(joint, actuator=bound[name])
            info = self._joint_information(name)
            yield replace(joint, readables=info) if info else joint

    def _bound_joint(self, extra: Any, part: Any, context: Any) -> str | None:
        bind = child(part, "bind_actuator")
        path = "" if bind is None else (bind.get("joint") or "").strip()
        joint = self._joint(path, context)
        if joint is None:
            self.reading.dangling(extra if bind is None else bind, "the joint", path)
        return joint

    def _actuator(self, part: Any) -> XmlReadable | None:
        """Return the motor of an attach_actuator as ``<actuator>`` has it, or None."""
        instance = child(part, "instance_actuator")
        if instance is None:
            return None
        motor = self.reading.library.target(instance)
        if motor is None:
            self.reading.dangling(instance, "the actuator", instance.get("url") or "")
            return None
        tags = tuple(
            XmlElement(one.tag, text=(one.text or "").strip())
            for one in children(motor)
            if not len(one)
        )
        kind = motor.get("type") or "electric_motor"
        kind = "electric_motor" if kind == "motor" else kind
        return XmlReadable(XmlElement("actuator", (("type", kind),), children=tags))

    def _adjacent(self) -> Iterator[tuple[str, str]]:
        for holder in [*self.model_elements, *self.holders]:
            for _, part in extras(holder, "collision"):
                for pair in children(part, "ignore_link_pair"):
                    names = [
                        self._link((pair.get(key) or "").strip(), holder)
                        for key in ("link0", "link1")
                    ]
                    first, second = names
                    if first is None or second is None:
                        missing = "link1" if first is not None else "link0"
                        self.reading.dangling(pair, "the link", pair.get(missing) or "")
                    elif first != second:
                        yield (first, second) if first < second else (second, first)

    # -- links and joints ------------------------------------------------------------

    def _links(self, links: tuple[LinkDescription, ...]) -> Iterator[LinkDescription]:
        enabled: dict[str, bool] = {}
        visible: dict[str, bool] = {}
        for holder in [*self.model_elements, *self.holders]:
            for kind in ("collision", "visible"):
                for _, part in extras(holder, kind):
                    self._states(part, "link_collision_state", holder, enabled)
                    self._states(part, "link_visible_state", holder, visible)
        info: dict[str, list[tuple[str, Any]]] = {}
        for element in self.model_elements:
            for extra, part in extras(element, "link_info"):
                name = self._link((extra.get("name") or "").strip(), element)
                if name is None:
                    self.reading.dangling(extra, "the link", extra.get("name") or "")
                else:
                    info.setdefault(name, []).append(("link_info", information(part)))
        for link in links:
            changes: dict[str, Any] = {}
            if not enabled.get(link.name, True):
                changes["enabled"] = False
            if not visible.get(link.name, True):
                changes["geometries"] = tuple(
                    replace(one, visible=False) for one in link.geometries
                )
            if link.name in info:
                changes["readables"] = tuple(info[link.name])
            yield replace(link, **changes) if changes else link

    def _states(
        self, part: Any, tag: str, context: Any, found: dict[str, bool]
    ) -> None:
        """Note true or false of links; what several places say holds together."""
        for one in children(part, tag):
            name = self._link((one.get("link") or "").strip(), context)
            if name is None:
                self.reading.dangling(one, "the link", one.get("link") or "")
                continue
            state = self.reading.values.resolved_truth(one, context)
            if state is not None:
                found[name] = found.get(name, True) and state

    def _joint_information(self, name: str) -> tuple[tuple[str, Any], ...]:
        found = []
        for element in self.model_elements:
            for extra, part in extras(element, "joint_info"):
                if self._joint((extra.get("name") or "").strip(), element) == name:
                    found.append(("joint_info", information(part)))
        return tuple(found)

    # -- references ------------------------------------------------------------------

    def _link(self, path: str, context: Any) -> str | None:
        """Return the name of the link that a path leads to; a bare sid will do."""
        system = self.body.system
        found = self.reading.library.find(path, context) if path else None
        if found is not None:
            several = [m for i, m in system.models if i in found.trail]
            for model in several or [m for _, m in system.models]:
                link: Link | None = model.link_of(found)
                if link is not None:
                    return self.body.names[link]
        last = path.rpartition("/")[2]
        for one, name in self.body.names.items():
            if last and last in {one.sid, name}:
                return name
        return None

    def _joint(self, path: str, context: Any) -> str | None:
        """Return the name of the joint that a path leads to; a bare sid will do."""
        found = self.reading.library.find(path, context) if path else None
        joint: Joint | None = (
            None if found is None else self.body.system.joint_of(found)
        )
        if joint is not None and joint in self.body.joints:
            return self.body.joints[joint]
        last = path.rpartition("/")[2]
        for one, name in self.body.joints.items():
            sids = {one.place.get("sid"), one.element.get("sid"), name}
            if last and last in sids:
                return name
        return None

    # -- manipulators ----------------------------------------------------------------

    def _manipulators(self) -> Iterator[ManipulatorDescription]:
        found: dict[str, ManipulatorDescription] = {}
        for holder in self.holders:
            for extra, part in extras(holder, "manipulator"):
                made = self._manipulator(extra, part, holder, len(found))
                if made is not None:
                    found.pop(made.name, None)
                    found[made.name] = made
        yield from found.values()

    def _manipulator(
        self, extra: Any, part: Any, context: Any, number: int
    ) -> ManipulatorDescription | None:
        name = "_".join((extra.get("name") or "").split()) or f"manipulator{number}"
        ends = []
        for tag in ("frame_origin", "frame_tip"):
            element = child(part, tag)
            path = "" if element is None else (element.get("link") or "").strip()
            link = self._link(path, context)
            if link is None:
                self.reading.warn(
                    "unresolved-reference",
                    f"the manipulator {name!r} has no <{tag}> on a known link: "
                    f"{path!r}; it is left out",
                    extra if element is None else element,
                )
                return None
            ends.append(link)
        tip = child(part, "frame_tip")
        joints, signs = self._gripper(part, context)
        return ManipulatorDescription(
            name,
            ends[0],
            ends[1],
            self.reading.values.pose(tip),
            self._direction(tip),
            joints,
            signs,
            self._ik_solver(part, context),
            self.reading.location(extra),
        )

    def _direction(self, tip: Any) -> Vec3:
        element = child(tip, "direction")
        found = None if element is None else self.reading.values.numbers(element, 3)
        if found is None:
            return 0.0, 0.0, 1.0
        x, y, z = found
        length = (x * x + y * y + z * z) ** 0.5
        if length == 0.0:
            return 0.0, 0.0, 1.0
        return x / length, y / length, z / length

    def _gripper(
        self, part: Any, context: Any
    ) -> tuple[tuple[str, ...], tuple[float, ...]]:
        joints: list[str] = []
        signs: list[float] = []
        dofs = {one.name: len(one.axes) for one in self.body.description.joints}
        for element in children(part, "gripper_joint", "gripper_axis"):
            path = (element.get("joint") or element.get("axis") or "").strip()
            name = self._joint(path, context)
            if name is None and element.tag == "gripper_axis":
                name = self._joint(path.rpartition("/")[0], context)
            if name is None:
                self.reading.dangling(element, "the joint", path)
                continue
            closing = [0.0] * max(dofs[name], 1)
            given = children(
                element,
                "closing_direction",
                "chucking_direction",
                "closingdirection",
            )
            for index, one in enumerate(given):
                value = self.reading.values.resolved_number(one, element)
                if value is not None and index < len(closing):
                    closing[index] = value
            joints.append(name)
            signs += closing
        return tuple(joints), tuple(signs)

    def _ik_solver(self, part: Any, context: Any) -> str:
        """Return ``"Id args"`` of the first solver: interface, free joints, step."""
        for element in children(part, "iksolver"):
            interface = ""
            nested = child(element, "interface_type")
            if nested is not None:
                own = openrave_part(nested)
                inner = child(nested if own is None else own, "interface")
                interface = "" if inner is None else (inner.text or "").strip()
            free, steps = [], []
            for one in children(element, "free_joint"):
                path = (one.get("joint") or "").strip()
                name = self._joint(path, context)
                if name is None:
                    self.reading.dangling(one, "the joint", path)
                    continue
                free.append(name)
                steps.append((one.get("stepsize") or "").strip())
            if not interface and not free and element.get("type") is None:
                continue
            words = [interface or "Analytic"]
            if words[0] == "Analytic":
                words += [word for name in free for word in ("free", name)]
                words += [step for step in steps if step]
            return " ".join(words)
        return ""

    # -- sensors ---------------------------------------------------------------------

    def _sensors(self) -> Iterator[AttachedSensorDescription]:
        found: dict[str, AttachedSensorDescription] = {}
        for holder in self.holders:
            for extra, part in extras(holder, "attach_sensor"):
                name = "_".join((extra.get("name") or "").split())
                name = name or f"sensor{len(found)}"
                frame = child(part, "frame_origin")
                path = "" if frame is None else (frame.get("link") or "").strip()
                link = self._link(path, holder)
                if link is None:
                    self.reading.dangling(
                        extra if frame is None else frame, "the link", path
                    )
                    continue
                instance = child(part, "instance_sensor")
                sensor = None
                if instance is not None:
                    element = self.reading.library.target(instance)
                    if element is None:
                        self.reading.dangling(
                            instance, "the sensor", instance.get("url") or ""
                        )
                    else:
                        sensor = read_sensor(element, self.reading)
                found[name] = AttachedSensorDescription(
                    name,
                    link,
                    self.reading.values.pose(frame),
                    interface="" if sensor is None else sensor.interface,
                    sensor_name="" if sensor is None else sensor.name,
                    readables=() if sensor is None else sensor.readables,
                    location=self.reading.location(extra),
                )
        yield from found.values()
