"""Data that OpenRAVE has no class for, written into ``<pyrave>``.

An element of a type that no plugin offers makes OpenRAVE's ``Load`` fail. So the
element of a sensor, controller, ... goes into a ``<pyrave>`` element at its place, and
the type of a body into the attribute of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.xml import local_name
from pyrave.interfaces.types import INTERFACE_TYPES

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.write.state import Writing
    from pyrave.scene import BodyDescription

_BODIES = frozenset({"kinbody", "robot"})
# Elements of interfaces in an element, and those that hold such.
_PARTS = {
    "attachedsensor": frozenset({"sensor"}),
    "environment": frozenset(INTERFACE_TYPES),
    "kinbody": frozenset({"kinbody"}),
    "robot": frozenset({"attachedsensor", "controller", "kinbody", "robot"}),
}
# Ids of the plugins that come with OpenRAVE, in lower case.
_OPENRAVE: dict[str, frozenset[str]] = {
    "collisionchecker": frozenset({
        *("bullet", "cachechecker", "fcl_", "genericcollisionchecker", "ode", "pqp"),
    }),
    "controller": frozenset({
        *("genericmulticontroller", "idealcontroller", "idealvelocitycontroller"),
        *("odevelocity", "redirectcontroller"),
    }),
    "iksolver": frozenset({"ikfast"}),
    "module": frozenset({
        *("basemanipulation", "grasper", "ikfast", "ivmodelloader", "taskmanipulation"),
        *("textserver", "viewerrecorder", "visualfeedback"),
    }),
    "physicsengine": frozenset({"bullet", "genericphysicsengine", "ode"}),
    "planner": frozenset({
        *("basicrrt", "birrt", "constraintparabolicsmoother", "cubicsmoother"),
        *("cubictrajectoryretimer", "cubictrajectoryretimer2", "explorationrrt"),
        *("grasper", "linearsmoother", "lineartrajectoryretimer", "parabolicsmoother"),
        *("parabolicsmoother2", "parabolictrajectoryretimer", "quinticsmoother"),
        *("parabolictrajectoryretimer2", "quintictrajectoryretimer", "ra*", "rastar"),
        *("rbirrt", "shortcut_linear", "workspacetrajectorytracker"),
    }),
    "robot": frozenset({"collisionmaprobot", "conveyor", "genericrobot"}),
    "sensor": frozenset({
        *("base_force6d", "base_laser2d", "base_laser3d", "base_pinhole_camera"),
        *("basecamera", "baseflashlidar3d", "baseforce6d", "baselaser2d"),
        "basespinninglaser2d",
    }),
    "spacesampler": frozenset({
        *("bodyconfiguration", "configurationjitterer", "halton", "mt19937"),
        *("robotconfiguration", "workspaceconfigurationjitterer"),
    }),
    "trajectory": frozenset({"generictrajectory"}),
    "viewer": frozenset({"qtcameraviewer", "qtcoin", "qtosg"}),
}  # fmt: skip
# Names of what a body without a type is.
_PLAIN = {
    "kinbody": frozenset({"generickinbody", "kinbody"}),
    "robot": frozenset({"kinbody", "robot", "robotbase"}),
}


def hide_foreign(
    root: Any, writing: Writing, offered: Callable[[str], Iterable[str]] | None
) -> None:
    """Hide from OpenRAVE what it has no class for, below a root and in it.

    Parameters
    ----------
    offered
        ``interface type -> ids that can be created here``, None if that is not known.
        Other ids may be those of plugins that users of OpenRAVE have; only bodies do
        without a class of their own.
    """
    _Hiding(writing, offered).visit(root)


def tell_included(
    bodies: Iterable[BodyDescription],
    writing: Writing,
    offered: Callable[[str], Iterable[str]] | None,
) -> None:
    """Report data that OpenRAVE has no class for, in bodies of named files."""
    hiding = _Hiding(writing, offered)
    for body in bodies:
        for sensor in getattr(body, "attached_sensors", ()):
            if hiding.is_foreign("sensor", sensor.interface):
                name = f"sensor {sensor.interface.split(maxsplit=1)[0]}"
                what = (
                    "interfaces that OpenRAVE does not have, in files that are named,"
                )
                writing.keep(what, name)


class _Hiding:
    """One pass over a written document."""

    def __init__(
        self, writing: Writing, offered: Callable[[str], Iterable[str]] | None
    ) -> None:
        self._writing = writing
        self._offered = offered
        self._ids: dict[str, frozenset[str]] = {}

    def visit(self, element: Any) -> None:
        """Hide an element that is foreign, and what is foreign in it."""
        tag = local_name(element)
        if tag in _BODIES:
            self._hide_type(element, tag)
        elif tag in INTERFACE_TYPES:
            self._hide_element(element, tag)
        for child in list(element) if tag in _PARTS else ():
            if local_name(child) in _PARTS[tag]:
                self.visit(child)

    def _hide_type(self, element: Any, kind: str) -> None:
        key = _type_key(element)
        interface = element.get(key, "").strip()
        plain = _plain_id(interface)
        if not interface or interface.split()[0].lower() in _OPENRAVE.get(kind, ()):
            return
        if plain not in _PLAIN[kind]:
            if self._offered is None:
                return
            self._tell(kind, interface)
        del element.attrib[key]
        holder = etree.Element("pyrave")
        holder.set("type", interface)
        element.insert(0, holder)

    def _hide_element(self, element: Any, kind: str) -> None:
        interface = element.get(_type_key(element), "").strip()
        if not self.is_foreign(kind, interface):
            return
        self._tell(kind, interface)
        parent = element.getparent()
        if parent is not None:  # else the file holds nothing else
            holder = etree.Element("pyrave")
            parent.replace(element, holder)
            holder.append(element)

    def is_foreign(self, kind: str, interface: str) -> bool:
        """Return True if an interface is offered here, and not by OpenRAVE."""
        name = interface.split(maxsplit=1)[0].lower() if interface else ""
        if not name or name in _OPENRAVE.get(kind, ()):
            return False
        return _plain_id(interface) in self._offered_ids(kind)

    def _tell(self, kind: str, interface: str) -> None:
        name = f"{kind} {interface.split(maxsplit=1)[0]}"
        self._writing.keep("interfaces that OpenRAVE does not have", name)

    def _offered_ids(self, kind: str) -> frozenset[str]:
        if kind not in self._ids:
            ids = self._offered(kind) if self._offered is not None else ()
            self._ids[kind] = frozenset(map(str.lower, ids))
        return self._ids[kind]


def _type_key(element: Any) -> str:
    return next((key for key in element.keys() if key.lower() == "type"), "type")  # noqa: SIM118


def _plain_id(interface: str) -> str:
    """Return an id without the package that offers it, in lower case."""
    return (
        interface.split(maxsplit=1)[0].rpartition(":")[2].lower() if interface else ""
    )
