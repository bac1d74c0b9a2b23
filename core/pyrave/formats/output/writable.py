"""Checks before writing: values that no scene file can hold are refused."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from pyrave.errors import Problem, SceneError, Severity
from pyrave.scene import RobotDescription, SceneDescription
from pyrave.scene.checks import coerced

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_COMPLAINTS = 20
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def with_xml_characters(text: str) -> str:
    """Return a text with a replacement for each character that XML cannot carry."""
    return _NO_XML.sub("\ufffd", text)


def fits_xml(text: str) -> bool:
    """Return True if XML can carry all characters of a text."""
    return _NO_XML.search(text) is None


def writable(scene: SceneDescription) -> SceneDescription:
    """Return a scene as it is said, or raise an error for what no file can say."""
    scene, faults = coerced(scene)
    if faults:
        found = islice(faults, _MAX_COMPLAINTS)
        raise SceneError([_refusal(str(fault)) for fault in found])
    reasons: list[str] = []
    for body in scene.bodies:
        robot = body if isinstance(body, RobotDescription) else None
        for kind, items in (
            ("body", [body]),
            ("link", body.links),
            ("joint", body.joints),
            ("manipulator", robot.manipulators if robot else ()),
            ("attached sensor", robot.attached_sensors if robot else ()),
        ):
            reasons += _bad_names(kind, [item.name for item in items], body.name)
    if reasons:
        raise SceneError([_refusal(reason) for reason in reasons])
    return scene


def _bad_names(kind: str, names: list[str], body: str) -> Iterator[str]:
    for name, count in Counter(names).items():
        if not fits_xml(name):
            yield (
                f"the name {name!r} of a {kind} in body {body!r} holds a character "
                "that XML cannot carry"
            )
        if name and count > 1:
            yield f"{count} {kind}s of body {body!r} are named {name!r}"


def _refusal(reason: str) -> Problem:
    message = f"cannot be written: {reason}"
    return Problem(Severity.ERROR, message, code="not-written")
