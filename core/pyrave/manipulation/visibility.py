"""Visibility of a part of a body to a camera, and views of it that an arm can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.spatial import Array


@dataclass(frozen=True, slots=True, repr=False)
class Visibility:
    """Visibility of a target to its camera; true if it is enough.

    Parameters
    ----------
    fraction
        Part of the target's picture in which nothing is before it, 0 to 1.
    cause
        Why it is not seen, in words; empty if it is.
    occluders
        Names of the links that are before it, ``body/link``, the worst first.
    """

    fraction: float
    cause: str = ""
    occluders: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.cause

    def __repr__(self) -> str:
        return f"<Visibility: {self}>"

    def __str__(self) -> str:
        return self.cause or f"{100.0 * self.fraction:.3g} % visible"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CameraView:
    """A configuration of an arm in which a camera sees its target, or the cause.

    Parameters
    ----------
    pose
        (4, 4) T_target_camera that was asked for.
    values
        (n_arm,) for `Manipulator.arm_indices`; empty if the arm cannot take it there.
    visibility
        What is seen there.
    index
        Row of the poses that were given; 0 for one.
    """

    pose: Array
    values: Array
    visibility: Visibility
    index: int = 0

    @property
    def cause(self) -> str:
        """Reason for being no view, in words; empty if it is one."""
        return self.visibility.cause

    def __bool__(self) -> bool:
        return bool(self.visibility)

    def __repr__(self) -> str:
        return f"<CameraView {self.index}: {self.visibility}>"
