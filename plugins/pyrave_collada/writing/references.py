"""Bodies that a written file takes from others: instances, places and values.

The shape is that of OpenRAVE's ``externalref``: instances of the articulated system,
of its nodes and of its physics model in the other file, with what is bound to them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import IDENTITY
from pyrave_collada.document.parsed import children
from pyrave_collada.writing.origins import path_of
from pyrave_collada.writing.plan import plan_body
from pyrave_collada.writing.systems import values_of
from pyrave_collada.writing.tags import add, add_extra, add_float, add_pose

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.scene import BodyDescription
    from pyrave_collada.reading.kinematics.models import Axis, Joint
    from pyrave_collada.reading.shapes.nodes import VisualNode
    from pyrave_collada.writing.origins import Origin

_NEAR = 1e-9


def reference_to(
    number: int, body: BodyDescription, origin: Origin, url_of: Callable[[str], str]
) -> Reference | None:
    """Return a reference to the system that gives a body; None if it has no id.

    Parameters
    ----------
    number
        Which body of the scene it is, from 0.
    url_of
        ``path of a file -> URL`` by which the written file refers to it.
    """
    found = Reference(number, body, origin, url_of)
    node = origin.made.binding.node
    elements = [origin.element] if node is None else [origin.element, node.element]
    return found if all(one.get("id") for one in elements) else None


class Reference:
    """One body of another file, written.

    Attributes
    ----------
    rigid
        Path of the rigid body of each link that has one, when it is written.
    constraints
        Names of the constraints that come with its physics models then.
    """

    def __init__(
        self,
        number: int,
        body: BodyDescription,
        origin: Origin,
        url_of: Callable[[str], str],
    ) -> None:
        self._number = number
        self._body = body
        self._url_of = url_of
        self._made = origin.made
        self._origin = origin
        self._library = origin.scene.reading.library
        self.rigid: dict[str, str] = {}
        self.constraints: set[str] = set()

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the files that it needs."""
        return self._origin.files

    def write(self, kinematics: Any, visual: Any, physics: Any, binding: Any) -> Any:
        """Append the instances of a body; return that of its system.

        Parameters
        ----------
        kinematics, visual, physics
            The scenes.
        binding
            The ``<instance_kinematics_scene>``.
        """
        self._add_node(visual)
        self._add_physics(physics)
        return self._add_system(kinematics, binding)

    def _url(self, element: Any) -> str:
        path = path_of(self._library.document(element))
        return f"{self._url_of(path)}#{element.get('id')}"

    @property
    def _visual(self) -> str:
        return f"visual{self._number}"

    @property
    def _base(self) -> str:
        """Sid of the node of the first link: OpenRAVE looks for that of the target."""
        node = self._made.binding.node
        return (None if node is None else node.element.get("sid")) or "base"

    @property
    def _suffix(self) -> str:
        return f".b{self._number}"

    # -- nodes -----------------------------------------------------------------------

    def _add_node(self, scene: Any) -> None:
        key, node = self._visual, self._made.binding.node
        own = add(scene, "node", id=key, sid=key, name=self._body.name)
        placed, inside = self._body.pose, self._made.base.pose
        add_pose(own, placed if inside == IDENTITY else placed @ inside.inverse())
        if node is None:
            add(own, "node", sid=self._base)
            return
        instance = add(
            own, "instance_node", url=self._url(node.element), sid=self._base
        )
        add_extra(instance, "idsuffix", self._suffix)

    def _key(self, node: VisualNode) -> str:
        """Return the id of a node in this use of it."""
        return f"{node.element.get('id') or ''}{self._suffix}"

    # -- masses ----------------------------------------------------------------------

    def _add_physics(self, scene: Any) -> None:
        models = {
            rigid.instance: (rigid, model)
            for rigid, model in self._origin.physics.bodies
        }
        instances: dict[Any, Any] = {}
        for link, nodes in self._made.nodes.items():
            for node in nodes:
                rigid = self._origin.physics.body_at(node)
                if rigid is None or not node.element.get("id"):
                    continue
                holder = models[rigid.instance][1]
                if holder not in instances:
                    instances[holder] = self._physics_model(scene, holder, rigid.parent)
                instance = instances[holder]
                target = f"#{self._key(node)}"
                sid = rigid.sid
                one = add(
                    instance, "instance_rigid_body", body=sid, sid=sid, target=target
                )
                add(one, "technique_common")
                self.rigid.setdefault(link, f"{instance.get('sid')}/{sid}")

    def _physics_model(self, scene: Any, holder: Any, parent: str) -> Any:
        top = self._made.binding.node
        inside = () if top is None else top.walk()
        known = {one.element.get("id"): self._key(one) for one in inside}
        count = len(
            [one for one in scene if (one.get("sid") or "").startswith(self._physics)]
        )
        model = self._library.target(holder)
        self.constraints |= {
            one.get("name") or one.get("sid")
            for one in children(model, "rigid_constraint")
        }
        return add(
            scene,
            "instance_physics_model",
            url=self._url(model),
            sid=self._physics + (f"_{count}" if count else ""),
            parent=f"#{known.get(parent, self._visual)}",
        )

    @property
    def _physics(self) -> str:
        return f"pmodel{self._number}_inst"

    # -- systems and axes --------------------------------------------------------------

    def _add_system(self, scene: Any, binding: Any) -> Any:
        system, element = self._made.system, self._origin.element
        kind = element.tag
        model = f"kscene_kmodel{self._number}_inst"
        sid = f"body{self._number}_motion_inst"
        instance = add(
            scene,
            f"instance_{kind}",
            sid=sid,
            url=self._url(element),
            name=self._body.name,
        )
        # paths in an instance start at an id in the file of what it stands for
        there, inner = element.get("id"), self._inner
        paths, models = self._parameters()
        if models:
            where = [there, models[0]]
        else:
            sids = [one.get("sid") for one, _ in system.models if system.elements]
            where = [inner, *filter(None, sids[:1])]
        _reference(instance, model, "/".join(where))
        node = f"{self._visual}/{self._base}"
        add(add(binding, "bind_kinematics_model", node=node), "param", model)
        moved = {where: one for one, where in self._made.binding.moves.items()}
        values = self._values()
        for joint, axis in values:
            path, start = paths.get((joint, axis)), there
            if path is None:
                path, start = self._path(joint, axis), inner
            name = f"{model}_{self._name(joint, axis)}"
            if not path:
                continue
            _reference(instance, name, f"{start}/{path}")
            add_float(
                add(instance, "newparam", sid=f"{name}_value"), values[joint, axis]
            )
            transform = moved.get((joint, axis))
            target = ""
            if transform is not None and transform.get("sid"):
                target = f"{self._visual}/{transform.get('sid')}"
            bind = add(binding, "bind_joint_axis", target=target)
            add(add(bind, "axis"), "param", name)
            add(add(bind, "value"), "param", f"{name}_value")
        return instance

    @property
    def _inner(self) -> str:
        """Id of the system that instantiates the models, else of the outer one."""
        elements = self._made.system.elements
        key = elements[-1].get("id") if elements else None
        return str(key or self._origin.element.get("id"))

    def _parameters(self) -> tuple[dict[tuple[Joint, Axis], str], list[str]]:
        """Return the parameters of a system that lead to its axes, and to its models.

        OpenRAVE follows references through one instance at a time.
        """
        system = self._made.system
        axes = {
            axis.element: (joint, axis)
            for _, model in system.models
            for joint in model.joints
            for axis in joint.axes
        }
        instances = {one for one, _ in system.models}
        paths: dict[tuple[Joint, Axis], str] = {}
        models: list[str] = []
        for one in self._origin.element.iter("newparam"):
            sid = one.get("sid")
            found = self._library.find(f"./{sid}", one.getparent()) if sid else None
            if found is None:
                continue
            if found.element in instances:
                models.append(sid)
            elif found.element in axes:
                where = system.axis_of(found)
                if where is not None:
                    paths.setdefault(where, sid)
        return paths, models

    def _name(self, joint: Joint, axis: Axis) -> str:
        """Return the name of an axis in parameters; several models tell themselves."""
        name = f"{joint.place.get('sid')}.{axis.element.get('sid')}"
        several = self._made.system.models
        if len(several) == 1:
            return name
        number = next(i for i, (_, m) in enumerate(several) if joint in m.joints)
        return f"{number}_{name}"

    def _path(self, joint: Joint, axis: Axis) -> str:
        """Return the path of an axis from its system, empty if it has none."""
        system = self._made.system
        for instance, model in system.models:
            if joint in model.joints:
                outer = [instance.get("sid")] if system.elements else []
                parts = [*outer, joint.place.get("sid"), axis.element.get("sid")]
                return "/".join(parts) if all(parts) else ""
        return ""

    def _values(self) -> dict[tuple[Joint, Axis], float]:
        """Return the value of each axis that moves, degrees or metres."""
        plan = plan_body(self._number, self._body)
        values: dict[tuple[Joint, Axis], float] = {}
        for axis, value in zip(plan.axes, values_of(plan), strict=True):
            joint = self._made.used.get(axis.joint.name)
            if joint is None or not axis.moves:
                continue
            moving = [one for one in joint.axes if one.moves]
            values[joint, moving[axis.number]] = value
        return values


def is_as_described(wanted: BodyDescription, read: BodyDescription | None) -> bool:
    """Return True if a reference was read as the body that is described.

    Place and values may be off by rounding: both are put right afterwards.
    """
    if read is None or len(wanted.dof_values or ()) < len(read.dof_values or ()):
        return False
    values = zip(wanted.dof_values or (), read.dof_values or (), strict=False)
    numbers = zip(wanted.pose.matrix.flat, read.pose.matrix.flat, strict=True)
    is_near = all(
        math.isclose(mine, other, rel_tol=_NEAR, abs_tol=_NEAR)
        for mine, other in (*values, *numbers)
    )
    placed = replace(read, pose=wanted.pose, dof_values=wanted.dof_values)
    return is_near and placed == wanted


def _reference(parent: Any, sid: str, path: str) -> None:
    add(add(parent, "newparam", sid=sid), "SIDREF", path)
