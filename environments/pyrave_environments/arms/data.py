"""Data of an arm: joints as axes in space, or as rows of a table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pyrave.scene import Pose

__all__ = ["Arm", "At", "Row", "Vec3"]

Vec3 = tuple[float, float, float]
Matrix3 = tuple[float, float, float, float, float, float, float, float, float]

_AXES: dict[str, Vec3] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
# exact, where sines and cosines of right angles would not be
_TOOLS: dict[str, Matrix3] = {
    "z": (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    "-z": (1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0),
    "x": (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0),
    "y": (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0),
}


@dataclass(frozen=True, slots=True)
class At:
    """A joint by its axis where every joint is at zero.

    Parameters
    ----------
    axis
        ``"x"``, ``"-y"`` and so on, or a unit vector.
    point
        A point on the axis, metres.
    limits
        Degrees, or metres of a sliding joint; None: turns without end.
    """

    axis: str | Vec3
    point: Vec3
    limits: tuple[float, float] | None
    slides: bool = False

    @property
    def direction(self) -> Vec3:
        """Unit direction of the axis."""
        return _AXES[self.axis] if isinstance(self.axis, str) else self.axis


@dataclass(frozen=True, slots=True)
class Row:
    """A joint by its row of Denavit and Hartenberg (J. Appl. Mech., 1955; distal form).

    From the joint's frame a turn and a shift along z, then along x, lead to the next.

    Parameters
    ----------
    a, d
        Metres.
    alpha, theta
        Degrees; `theta` where the joint is at zero.
    limits
        Degrees, or metres of a sliding joint; None: turns without end.
    """

    a: float
    alpha: float
    d: float
    limits: tuple[float, float] | None
    theta: float = 0.0
    slides: bool = False

    @property
    def pose(self) -> Pose:
        """Pose of the next frame in this one with the joint at zero."""
        turn = Pose(_turn("z", self.theta), (0.0, 0.0, self.d))
        return turn @ Pose(_turn("x", self.alpha), (self.a, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm as data.

    Parameters
    ----------
    name
        Name of the robot and of its file.
    title
        Maker and model.
    source
        Where the dimensions were published.
    joints
        As axes in space, or as rows of a table.
    tool
        With axes: origin of the tool frame where every joint is at zero.
    tool_axis
        With axes: where the tool's z axis points there.
    direction
        The tool's direction in the tool frame.
    tilt
        Degrees that the mounting turns the arm about x.
    mount
        Origin of the arm in the base, metres.
    """

    name: str
    title: str
    source: str
    joints: tuple[At | Row, ...]
    tool: Vec3 = (0.0, 0.0, 0.0)
    tool_axis: str = "z"
    direction: Vec3 = (0.0, 0.0, 1.0)
    tilt: float = 0.0
    mount: Vec3 = (0.0, 0.0, 0.0)

    @property
    def axes(self) -> tuple[At, ...]:
        """The joints by their axes in the base."""
        return self._placed()[0]

    @property
    def tool_pose(self) -> Pose:
        """T_base_tool where every joint is at zero."""
        return self._placed()[1]

    def _placed(self) -> tuple[tuple[At, ...], Pose]:
        frame = Pose(_turn("x", self.tilt), self.mount)
        found = []
        for joint in self.joints:
            if isinstance(joint, At):
                direction, point = joint.direction, joint.point
            else:
                direction, point = _AXES["z"], (0.0, 0.0, 0.0)
            found.append(
                At(
                    frame.rotate(direction),
                    frame.apply(point),
                    joint.limits,
                    joint.slides,
                )
            )
            if isinstance(joint, Row):
                frame @= joint.pose
        return tuple(found), frame @ Pose(_TOOLS[self.tool_axis], self.tool)


def _turn(axis: str, degrees: float) -> Matrix3:
    """Return a rotation about x or z, exact at right angles."""
    quarters = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0)}
    quarters |= {-90.0: (0.0, -1.0), -180.0: (-1.0, 0.0)}
    angle = math.radians(degrees)
    c, s = quarters.get(degrees, (math.cos(angle), math.sin(angle)))
    if axis == "x":
        return (1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
