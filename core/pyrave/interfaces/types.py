"""Names of the 13 interface types."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

INTERFACE_TYPES: tuple[str, ...] = (
    "planner",
    "robot",
    "sensorsystem",
    "controller",
    "module",
    "iksolver",
    "kinbody",
    "physicsengine",
    "sensor",
    "collisionchecker",
    "trajectory",
    "viewer",
    "spacesampler",
)

TYPE_ALIASES: Mapping[str, str] = {
    "problem": "module",
    "probleminstance": "module",
    "inversekinematicssolver": "iksolver",
    "physics": "physicsengine",
    "server": "module",
}
