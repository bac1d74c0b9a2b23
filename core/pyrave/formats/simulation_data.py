"""Simulation data of a scene that only pyrave's own elements can hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyrave.scene import LinkDynamics, RobotDescription

if TYPE_CHECKING:
    from pyrave.scene import BodyDescription, SceneDescription


def named_simulation_data(scene: SceneDescription) -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of data in a scene, in the plural, and the owners' names.

    Writers report it as a loss, or as kept for pyrave alone.
    """
    properties, simulation = scene.contact_properties, scene.simulation
    kinds = {
        "frames of the world": [frame.name for frame in scene.frames],
        "constraints": [one.name for one in scene.constraints],
        "contact materials": [one.name for one in properties.materials],
        "object types": [one.name for one in properties.object_types],
        "friction coefficients": [
            f"{one.first} on {one.second}" for one in properties.friction
        ],
        "coefficients of restitution": [
            f"{one.first} on {one.second}" for one in properties.restitution
        ],
        "settings of interfaces": [
            item.name or item.interface for item in scene.interfaces if item.settings
        ],
        "settings of physics engines": [name for name, _ in simulation.settings],
        "controllers of joints": [one.name for one in simulation.controllers],
        "sensors of physics engines": [one.name for one in simulation.sensors],
        "suction cups": [one.name for one in simulation.suction_cups],
        "ignored pairs of bodies": [
            f"{one.first} and {one.second}" for one in scene.ignored_pairs
        ],
    }
    for body in scene.bodies:
        for what, names in _of_body(body):
            kinds.setdefault(what, []).extend(names)
    yield from ((what, names) for what, names in kinds.items() if names)


def _of_body(body: BodyDescription) -> Iterator[tuple[str, list[str]]]:
    yield "frames of bodies", [frame.name for frame in body.frames]
    if isinstance(body, RobotDescription):
        yield "named configurations", [one.name for one in body.configurations]
    yield "kinematic links", [link.name for link in body.links if link.kinematic]
    named = [link.name for link in body.links if link.material or link.object_type]
    yield "materials and object types of links", named
    moved = [link.name for link in body.links if link.dynamics != LinkDynamics()]
    yield "damping and integrators of links", moved
    closing = [joint.name for joint in body.joints if joint.closes_loop]
    yield "joints that keep loops closed", closing
