"""Elements of scene files with settings of engines: OpenRAVE's, and MuJoCo's here."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError, did_you_mean
from pyrave.interfaces import settings_of
from pyrave.scene import Readable, XmlElement
from pyrave_mujoco.settings import MujocoSettings

if TYPE_CHECKING:
    from pyrave.formats.custom_readers import CustomReaderContext

OWN = "mujocoproperties"
"""The block that holds the settings of this engine, each by its own name."""
_GRAVITY = "gravity"
_BLOCKS: dict[str, dict[str, str]] = {
    "odeproperties": {
        "friction": "friction",
        "selfcollision": "self_collision",
        "numiterations": "iterations",
        "gravity": _GRAVITY,
        "erp": "error_reduction",
        **dict.fromkeys(("cfm", "dcontactapprox", "surfacelayer", "contact"), ""),
    },
    "bulletproperties": {
        "global_friction": "friction",
        "global_restitution": "restitution",
        "solver_iterations": "iterations",
        "erp2": "error_reduction",
        "gravity": _GRAVITY,
        **dict.fromkeys(
            ("margin_depth", "linear_damping", "rotation_damping", "erp"), ""
        ),
        "global_contact_force_mixing": "",
    },
    OWN: {one.name: one.name for one in dataclasses.fields(MujocoSettings)},
}
"""Elements of each block, in lower case, with the settings that they are here.

Elements without one mean nothing to MuJoCo.
"""


@dataclass(frozen=True, slots=True)
class EngineBlock(Readable):
    """Settings of an engine that a file gives.

    Parameters
    ----------
    element
        As it was read.
    values
        (name, value) of settings of this engine.
    gravity
        (3,) m/s2, None where the block has none.
    """

    element: XmlElement
    values: tuple[tuple[str, Any], ...] = ()
    gravity: tuple[float, ...] | None = None

    def applied_to(self, settings: MujocoSettings) -> MujocoSettings:
        """Return settings with those of the block."""
        return dataclasses.replace(settings, **dict(self.values))

    def to_xml(self) -> XmlElement:
        """Return the block as it was read."""
        return self.element


def block_of(settings: MujocoSettings) -> EngineBlock:
    """Return the block that reads back as these settings."""
    values = tuple(dataclasses.asdict(settings).items())
    children = tuple(XmlElement(name, text=_text(value)) for name, value in values)
    return EngineBlock(XmlElement(OWN, children=children), values)


def read_block(element: Any, context: CustomReaderContext) -> EngineBlock:
    """Read the block of an engine; what cannot be used is reported as warnings.

    Parameters
    ----------
    element
        An lxml element, names in lower case.
    """
    tag = element.tag
    known, declared = _BLOCKS[tag], settings_of(MujocoSettings)
    values: dict[str, Any] = {}
    gravity: tuple[float, ...] | None = None
    useless = []
    for child in element:
        if not isinstance(child.tag, str):
            continue
        name, text = child.tag, (child.text or "").strip()
        if name not in known:
            hint = f"its elements are {', '.join(known)}"
            message = f"<{tag}> has no <{name}>{did_you_mean(name, known)}"
            context.warn(message, child, hint)
        elif not known[name]:
            useless.append(name)
        elif known[name] == _GRAVITY:
            gravity = _numbers(text)
            if gravity is None or len(gravity) != len("xyz"):
                message = f"<gravity> is {text!r}, expected three numbers, m/s2"
                context.warn(message, child)
                gravity = None
        else:
            try:
                value = declared[known[name]].from_text(known[name], text)
            except ArgumentError as error:
                context.warn(f"<{name}> is ignored: {error}", child)
            else:
                values[known[name]] = value
    if useless:
        context.warn(
            f"{', '.join(useless)} of <{tag}> mean nothing to the engine mujoco",
            element,
            "the softness of its contacts is relative to masses, their error reduction "
            "that of its own steps; dampings are those of links",
        )
    return EngineBlock(context.as_written(element), tuple(values.items()), gravity)


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _numbers(text: str) -> tuple[float, ...] | None:
    try:
        found = tuple(float(word) for word in text.split())
    except ValueError:
        return None
    return found if all(map(math.isfinite, found)) else None
