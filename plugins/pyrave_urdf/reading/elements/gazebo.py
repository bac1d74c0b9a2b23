"""Blocks ``<gazebo reference="...">`` of links and joints for physics engines."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pyrave.formats.numbers import plain_float
from pyrave.scene import LinkDynamics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Warn = Callable[[Any, str, str], None]
    """``(element, code, message)``."""

_MOST = 1e20
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_WHETHER = frozenset({"gravity", "turnGravityOff", "kinematic"})
_SPRINGS = frozenset({"springStiffness", "springReference"})
_PLAIN = LinkDynamics()


class Block(NamedTuple):
    """A ``<gazebo>`` block.

    Parameters
    ----------
    name
        Of the link or joint that it is about; empty: of the whole robot.
    element
        The block.
    parts
        Its children and their tags.
    """

    name: str
    element: Any
    parts: list[tuple[str, Any]]


def blocks_of(root: Any) -> list[Block]:
    """Return the blocks of a ``<robot>``."""
    return [
        Block(
            (one.get("reference") or "").strip(),
            one,
            [(child.tag, child) for child in one],
        )
        for one in root.iterchildren("gazebo")
    ]


@dataclass(slots=True)
class Said:
    """Settings by names of links and joints; empty where none are given.

    Parameters
    ----------
    weighs
        Whether gravity acts on links.
    kinematic
        Whether links go where their body is put.
    dampings
        Shares of their velocities that links lose in a step, 0 to 1.
    springs
        (stiffness, value at which it is slack) of joints: N m/rad and rad, N/m and m.
    """

    weighs: dict[str, bool] = field(default_factory=dict)
    kinematic: dict[str, bool] = field(default_factory=dict)
    dampings: dict[str, float] = field(default_factory=dict)
    springs: dict[str, tuple[float, float]] = field(default_factory=dict)

    def dynamics(self, link: str) -> LinkDynamics:
        """Return the dynamics of a link."""
        if link not in self.weighs and link not in self.dampings:
            return _PLAIN
        damping = self.dampings.get(link, 0.0)
        return LinkDynamics(
            linear_damping=damping,
            angular_damping=damping,
            gravity=self.weighs.get(link, True),
        )


def read_said(blocks: Iterable[Block], warn: Warn) -> Said:
    """Return the settings in the blocks of a ``<robot>``; the last one counts.

    What makes no sense is reported and ignored.
    """
    found = Said()
    for name, _, parts in blocks:
        if not name:
            continue
        for tag, child in parts:
            if tag in _WHETHER:
                flag = _flag(child, warn)
                if flag is not None and tag == "kinematic":
                    found.kinematic[name] = flag
                elif flag is not None:
                    found.weighs[name] = flag == (tag == "gravity")
            elif tag == "dampingFactor":
                share = _number(child, 0.0, 1.0, warn)
                if share is not None:
                    found.dampings[name] = share
            elif tag in _SPRINGS:
                lowest = 0.0 if tag == "springStiffness" else -_MOST
                value = _number(child, lowest, _MOST, warn)
                if value is not None:
                    stiffness, rest = found.springs.get(name, (0.0, 0.0))
                    is_rest = tag == "springReference"
                    found.springs[name] = (
                        (stiffness, value) if is_rest else (value, rest)
                    )
    return found


def _text(element: Any) -> str:
    return str(element.get("value") or element.text or "").strip()


def _flag(element: Any, warn: Warn) -> bool | None:
    text = _text(element).lower()
    if text not in _FLAGS:
        message = (
            f"<{element.tag}> is {text[:40]!r}, expected true or false; it is ignored"
        )
        warn(element, "bad-boolean", message)
    return _FLAGS.get(text)


def _number(element: Any, lowest: float, most: float, warn: Warn) -> float | None:
    try:
        value = plain_float(_text(element))
    except ValueError:
        value = math.nan
    if lowest <= value <= most:
        return value
    message = (
        f"<{element.tag}> is {_text(element)[:40]!r}, expected a number from "
        f"{lowest:g} to {most:g}; it is ignored"
    )
    warn(element, "bad-number", message)
    return None
