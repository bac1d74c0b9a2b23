"""Putting trajectories into a file that is there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from pyrave.errors import ArgumentError, did_you_mean
from pyrave.formats import write_bytes
from pyrave_collada.animations.channels import Channel, add_animation
from pyrave_collada.animations.curves import (
    JointCurves,
    curves_of,
    parts_without_curves,
)
from pyrave_collada.animations.driven import DrivenJoints
from pyrave_collada.animations.trajectory import JointTrajectory
from pyrave_collada.document.archive import read_archive, with_document
from pyrave_collada.document.file_kind import is_archive
from pyrave_collada.document.parsed import lacks_prefix, with_prefixes

if TYPE_CHECKING:
    from pyrave.interfaces import TrajectoryBase
    from pyrave_collada.animations.driven import Place
    from pyrave_collada.reading.scene import Scene

_LIBRARY = "library_animations"
_ALONG = "XYZ"


def animate(
    scene: Scene, trajectories: Iterable[TrajectoryBase | JointTrajectory]
) -> tuple[str, ...]:
    """Write trajectories into the file of a scene; return what is not said.

    Raises
    ------
    ArgumentError
        A trajectory fits no joints of the file, or has no times.
    SceneError
        The file cannot be written.
    """
    if not isinstance(trajectories, Iterable):
        raise ArgumentError(
            f"trajectories are a {type(trajectories).__name__}, expected several: put "
            "one into a list"
        )
    joints = DrivenJoints(scene)
    library = etree.Element("holder")
    lost: dict[str, None] = {}
    taken = set(scene.document.by_id)
    for one in trajectories:
        for curves in _all_curves(one, lost):
            _add(library, curves, joints, scene, taken)
    file, data = scene.source.file, scene.source.content
    is_zipped = is_archive(data)
    plain = read_archive(data, file).data if is_zipped else data
    root = _with_library(plain, library)
    made = etree.tostring(root.getroottree(), encoding="utf-8", xml_declaration=True)
    write_bytes(file, with_document(data, file, made) if is_zipped else made)
    return tuple(lost)


def _all_curves(
    trajectory: TrajectoryBase | JointTrajectory, lost: dict[str, None]
) -> Iterable[JointCurves]:
    from pyrave.interfaces import TrajectoryBase

    if isinstance(trajectory, JointTrajectory):
        one = trajectory
        kind = "STEP" if one.interpolation == "previous" else "LINEAR"
        return (JointCurves(one.body, one.dof_indices, one.times, one.values, kind),)
    if isinstance(trajectory, TrajectoryBase):
        for name in parts_without_curves(trajectory):
            lost[f"{name!r} of a trajectory: animations move joints alone"] = None
        return curves_of(trajectory)
    raise ArgumentError(
        f"a trajectory is a {type(trajectory).__name__}, expected a trajectory of an "
        "environment or a JointTrajectory"
    )


def _add(
    library: Any,
    curves: JointCurves,
    joints: DrivenJoints,
    scene: Scene,
    taken: set[str],
) -> None:
    bodies = joints.bodies()
    if curves.body not in bodies:
        hint = did_you_mean(curves.body, bodies)
        raise ArgumentError(
            f"{scene.source.file} has no body {curves.body!r} with joints{hint}; it "
            f"has {', '.join(bodies) or 'none'}"
        )
    if not np.isfinite(curves.values).all() or not np.isfinite(curves.times).all():
        raise ArgumentError(
            f"the trajectory of {curves.body!r} holds values that are not finite"
        )
    body, description = bodies[curves.body]
    places = joints.places(body, description)
    for column, dof in enumerate(curves.dof_indices.tolist()):
        if not 0 <= dof < len(places):
            raise ArgumentError(
                f"the trajectory moves degree of freedom {dof} of {curves.body!r}, "
                f"which has {len(places)}"
            )
        number = len(library)
        while f"animation{number}" in taken:
            number += 1
        key = f"animation{number}"
        taken.add(key)
        channel = _channel(places[dof], joints, scene, curves.body)
        add_animation(library, key, channel, curves, column)


def _channel(place: Place, joints: DrivenJoints, scene: Scene, body: str) -> Channel:
    joint, axis = place[1]
    path, element = next(joints.targets(place), ("", None))
    if element is None:
        raise ArgumentError(
            f"nothing in {scene.source.file} leads to the joint {joint.name!r} of "
            f"{body!r}: give its axis and its joint a sid"
        )
    name = f"{body}.{joint.name}"
    line = np.array(axis.direction) / math.hypot(*axis.direction)
    if axis.prismatic:
        per_unit = 1.0 / scene.reading.unit(scene.document.root)
        if element.tag != "translate":
            return Channel(path, name, np.array([per_unit]), ("VALUE",))
        along = int(np.argmax(np.abs(line)))
        if abs(line[along]) == 1.0:
            letter, factor = _ALONG[along], per_unit * line[along]
            return Channel(f"{path}.{letter}", name, np.array([factor]), (letter,))
        return Channel(path, name, line * per_unit, tuple(_ALONG))
    factor = math.degrees(1.0)
    if element.tag == "rotate":
        numbers = scene.reading.values.numbers(element, 4)
        if numbers is not None and np.dot(numbers[:3], line) < 0.0:
            factor = -factor
        return Channel(f"{path}.ANGLE", name, np.array([factor]), ("ANGLE",))
    if scene.document.has_radians:
        factor = 1.0
    return Channel(path, name, np.array([factor]), ("VALUE",))


def _with_library(document: bytes, animations: Any) -> Any:
    """Return the root of the document, comments and all, with other animations."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(document, parser)
    except etree.XMLSyntaxError as error:
        if not lacks_prefix(error):
            raise  # it was read before
        root = etree.fromstring(with_prefixes(document), parser)
    space = etree.QName(root).namespace
    tag = _LIBRARY if space is None else f"{{{space}}}{_LIBRARY}"
    for one in root.findall(tag):
        root.remove(one)
    if len(animations):
        library = etree.Element(tag)
        for one in animations.iter("*"):
            if one is not animations and space is None:
                one.tag = etree.QName(one).localname
        library.extend(list(animations))
        etree.indent(library)
        place = root.find("{*}scene")
        index = len(root) if place is None else root.index(place)
        root.insert(index, library)
    return root
