"""`Grasper`: hands that close, and what their contacts hold."""

# ruff: noqa: B006, N999

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.foundation.errors import PlanningError
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.interfaces.commands import RobotCommands

__all__ = ["Grasper"]


class Grasper(RobotCommands):
    """Hands that close, and what their contacts hold.

    Parameters
    ----------
    robot
        A robot, whose active manipulator's hand closes.
    friction
        Coulomb's coefficient.
    avoidlinks
        Names of links, or links, that must not touch the target.
    plannername
        ``"Grasper"``, or None.
    """

    _id = "Grasper"

    def __init__(
        self,
        robot: Any,
        friction: Any = 0.3,
        avoidlinks: Any = [],
        plannername: Any = None,
    ) -> None:
        self.friction = friction
        self.avoidlinks = [
            link if isinstance(link, str) else link.GetName() for link in avoidlinks
        ]
        super().__init__(
            robot,
            friction=float(friction),
            avoidlinks=tuple(self.avoidlinks) or None,
            plannername=plannername or None,
        )

    def Grasp(
        self,
        direction: Any = None,
        roll: Any = None,
        position: Any = None,
        standoff: Any = None,
        target: Any = None,
        stablecontacts: Any = False,
        forceclosure: Any = False,
        transformrobot: Any = True,
        onlycontacttarget: Any = True,
        tightgrasp: Any = False,
        graspingnoise: Any = None,
        execute: Any = None,
        translationstepmult: Any = None,
        outputfinal: Any = False,
        manipulatordirection: Any = None,
        coarsestep: Any = None,
        finestep: Any = None,
        vintersectplane: Any = None,
        chuckingdirection: Any = None,
        ordereddofindices: Any = None,
        avoidcontact: Any = False,
    ) -> Any:
        """Return contacts, the final values and pose, epsilon and volume."""
        given = dict(locals())
        found = self._answer("Grasp", given)
        if not found:
            raise PlanningError(f"Grasp: {found.cause}")
        final = None
        if outputfinal and found.finalconfig is not None:
            values, pose = found.finalconfig
            final = np.array(values), matrix_of(pose)
        held = (found.mindist, found.volume) if forceclosure else (None, None)
        return np.array(found.contacts).reshape(-1, 6), final, *held

    def GraspThreaded(
        self,
        approachrays: Any,
        standoffs: Any,
        preshapes: Any,
        rolls: Any,
        manipulatordirections: Any = None,
        target: Any = None,
        transformrobot: Any = True,
        onlycontacttarget: Any = True,
        tightgrasp: Any = False,
        graspingnoise: Any = None,
        forceclosurethreshold: Any = None,
        collisionchecker: Any = None,
        translationstepmult: Any = None,
        numthreads: Any = None,
        startindex: Any = None,
        maxgrasps: Any = None,
        finestep: Any = None,
    ) -> Any:
        """Return the index to go on with, and of each grasp its parts."""
        given = dict(locals())
        found = self._answer("GraspThreaded", given)
        fingers = np.atleast_2d(preshapes).shape[1]
        grasps = [
            _parts(np.array(row), fingers, grasp.contacts)
            for row, grasp in zip(found.rows, found.grasps, strict=True)
        ]
        return int(found.nextid), grasps

    def ConvexHull(
        self,
        points: Any,
        returnplanes: Any = True,
        returnfaces: Any = True,
        returntriangles: Any = True,
    ) -> Any:
        given = dict(locals())
        found = self._answer("ConvexHull", given)
        faces = found.faces
        return (
            None if found.planes is None else np.array(found.planes),
            None if faces is None else [np.array(face, int) for face in faces],
            None if found.triangles is None else np.array(found.triangles),
        )


def _parts(row: Any, fingers: int, contacts: Any) -> list[Any]:
    """Return position, direction, roll, standoff, ... of a row of GraspThreaded."""
    ends = np.cumsum([3, 3, 1, 1, 3, 1, 1, fingers, 7])
    position, direction, roll, standoff, way, least, volume, preshape, pose, final = (
        np.split(row, ends)
    )
    touched = np.hstack((contacts.points, contacts.normals))
    numbers = [float(one[0]) for one in (roll, standoff, least, volume)]
    hand = matrix_of(pose)
    return [
        position,
        direction,
        *numbers[:2],
        way,
        *numbers[2:],
        preshape,
        hand,
        final,
        touched,
    ]
