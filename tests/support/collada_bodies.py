"""Bodies that tests of written COLLADA share."""

from __future__ import annotations

from pyrave.scene import (
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    MeshData,
    Pose,
    RobotDescription,
)

__all__ = ["TETRAHEDRON", "arm"]

TETRAHEDRON = MeshData(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
)


def arm(count=12, **changes):
    """Return a chain of links along x, the joints of which turn about z."""
    links = [
        LinkDescription(
            f"part{index}",
            Pose.from_translation(float(index), 0.0, 0.0),
            inertial=Inertial(2.0, (0.25, 0.0, 0.0)),
        )
        for index in range(count)
    ]
    joints = [
        JointDescription(
            f"turn{index}",
            "hinge",
            f"part{index - 1}",
            f"part{index}",
            Pose.from_translation(1.0, 0.0, 0.0),
            axes=(JointAxis((0.0, 0.0, 1.0), lower=-0.5, upper=1.5),),
        )
        for index in range(1, count)
    ]
    return RobotDescription("arm", tuple(links), tuple(joints), **changes)
