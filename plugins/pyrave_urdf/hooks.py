"""Registrations of URDF: its scenes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pyrave.formats import is_urdf
from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pathlib import Path

    from pyrave.errors import Problem
    from pyrave.formats import ReadContext, SceneFormat, SceneSource, WriteContext
    from pyrave.scene import Readable, SceneDescription


class UrdfFormat:
    """URDF with SRDF next to it, the contact extension, and xacro if code may run."""

    name = "urdf"
    writes_srdf = True
    suffixes = (".urdf.xacro", ".xacro", ".urdf")

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is URDF or xacro."""
        return is_urdf(head)

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return the scene of a file; problems go to ``context.diagnostics``."""
        from pyrave_urdf.reading.robot import read_urdf

        return read_urdf(source, context)

    def write(
        self, scene: SceneDescription, target: Any, context: WriteContext
    ) -> list[Problem]:
        """Write a scene to a path or file object; return what could not be said."""
        from pyrave_urdf.writing.document import write_urdf

        return write_urdf(scene, target, context)


# what URDF says beyond descriptions, by where it stands
_KEPT = {
    "robot": ("gazebo", "transmission", "ros2_control", "srdf"),
    "link": ("gazebo", "contact"),
    "joint": ("gazebo", "dynamics", "calibration", "safety_controller"),
    "geometry": ("material", "geometry"),
}


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Readable]]]:
    """Know in other formats what URDF left as data."""
    from pyrave.formats import keep_element

    for kind, tags in _KEPT.items():
        for tag in tags:
            yield kind, tag, keep_element


@hookimpl
def pyrave_robots() -> Iterable[tuple[str, Callable[[], Mapping[str, Path | str]]]]:
    """Know the robots of packages that ship URDF files."""
    from pyrave_urdf.robot_packages import (
        described_robots,
        example_robots,
        icub_robots,
        toolbox_robots,
    )

    return (
        ("robot_descriptions", described_robots),
        ("example-robot-data", example_robots),
        ("icub-models", icub_robots),
        ("rtb-data", toolbox_robots),
    )


@hookimpl
def pyrave_scene_formats() -> Iterable[SceneFormat]:
    """Offer the format."""
    return (UrdfFormat(),)
