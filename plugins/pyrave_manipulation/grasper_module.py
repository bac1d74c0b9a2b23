"""The module Grasper: single grasps and many, contacts, hulls, distances."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.grasping import Grasper, GraspSet, sphere_points
from pyrave.interfaces import CommandResult, command
from pyrave.spatial import (
    as_number,
    as_numbers,
    as_vector,
    invert_pose,
    wxyz_xyz_from_pose,
)
from pyrave_manipulation.answers import number_text
from pyrave_manipulation.arguments import Numbers, Target, body_of, rows_of
from pyrave_manipulation.finger_commands import check_steps
from pyrave_manipulation.hand_grasps import (
    attempts,
    closure_of,
    refuse_ways,
    refused_contact,
)
from pyrave_manipulation.robot_module import as_whole
from pyrave_manipulation.shapes import (
    DistanceMap,
    HullAnswer,
    hull_of,
    points_of,
    reach_of,
)
from pyrave_manipulation.single_grasps import SingleGrasps

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies import KinBody, Manipulator
    from pyrave.grasping import Grasp
    from pyrave.spatial import Array

_ROOM = 16
"""Candidates of each thread at once."""
_MOST_THREADS = 64
_MOST_DIRECTIONS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class ManyGrasps(CommandResult):
    """Grasps of many candidates, in their order; false without any.

    Parameters
    ----------
    nextid
        Index of the candidate to go on with.
    grasps
        With the scores ``epsilon`` and ``volume``.
    indices
        Of the candidates that they are of.
    rows
        (n, m) of each position, direction, roll, standoff, direction of the hand,
        epsilon, volume, preshape, pose and values of the gripper at the end.
    """

    nextid: int
    grasps: GraspSet
    indices: tuple[int, ...]
    rows: Array

    def __bool__(self) -> bool:
        return len(self.grasps) > 0

    def command_text(self) -> str:
        """Return the next index, how many grasps, and of each row and contacts."""
        words = [str(self.nextid), str(len(self.grasps))]
        for row, grasp in zip(self.rows, self.grasps, strict=True):
            contacts = np.hstack((grasp.contacts.points, grasp.contacts.normals))
            words += [number_text([row]), str(len(contacts)), number_text([contacts])]
        return " ".join(filter(None, words))


class GrasperModule(SingleGrasps):
    """Commands that try grasps and say what they hold.

    Positions and directions are in the frame of the target; contacts of single grasps
    in the world. Torques are about the target's centre of mass and divided by half the
    diagonal of its box, so that epsilon and volume have other units than OpenRAVE's.
    """

    contract = 1

    # -- many ----------------------------------------------------------------------

    @command(name="GraspThreaded")
    def grasp_threaded(
        self,
        approachrays: Numbers = None,
        standoffs: Numbers = None,
        preshapes: Numbers = None,
        rolls: Numbers = None,
        manipulatordirections: Numbers = None,
        target: Target = None,
        transformrobot: bool = True,
        onlycontacttarget: bool = True,
        tightgrasp: bool = False,
        graspingnoise: float = 0.0,
        forceclosurethreshold: float | None = None,
        collisionchecker: str = "",
        translationstepmult: float | None = None,
        numthreads: int = 1,
        startindex: int = 0,
        maxgrasps: int | None = None,
        finestep: float | None = None,
        friction: float | None = None,
    ) -> ManyGrasps:
        """Try all combinations of rays, rolls, preshapes, standoffs and directions.

        Parameters
        ----------
        approachrays
            (n, 6) points and directions in the frame of the target; in a text how many,
            then the numbers.
        standoffs, rolls
            Metres, and radians; 0 if left out. In a text how many, then each; a list
            whose first number is how many others it has is read so, too.
        preshapes
            (m, n_gripper) values; as the fingers are if left out.
        manipulatordirections
            (k, 3) in the hand; the manipulator's if left out.
        target
            The body, or its name.
        transformrobot
            Must be 1: hands come along the rays.
        onlycontacttarget, tightgrasp, graspingnoise, translationstepmult, finestep, \
friction
            As of Grasp.
        forceclosurethreshold
            Epsilon that grasps must have at least; all that touch count without.
        collisionchecker
            Id of a checker that knows compiled distances; the environment's if empty.
        numthreads
            Threads that try at once; the result does not depend on them.
        startindex
            Of the candidate to begin with.
        maxgrasps
            At which to stop.
        """
        check_steps(translationstepmult, finestep)
        if not transformrobot:
            raise ArgumentError(
                "transformrobot is 0, expected 1: hands come along rays"
            )
        refuse_ways(self.arm, tightgrasp=tightgrasp)
        count = as_whole(numthreads, "numthreads", 1, _MOST_THREADS)
        first = as_whole(startindex, "startindex", 0)
        if forceclosurethreshold is not None:
            as_number(forceclosurethreshold, "forceclosurethreshold")
        most = None if maxgrasps is None else as_whole(maxgrasps, "maxgrasps", 1)
        rub = self.settings.friction if friction is None else friction
        body = body_of(self.env, target)
        arm, aim = self._elsewhere(body, collisionchecker)
        graspers = [Grasper(arm, aim, friction=rub) for _ in range(count)]
        n = len(arm.gripper_indices)
        if approachrays is None:
            raise ArgumentError("there are no approachrays, expected (n, 6) numbers")
        rays = rows_of(approachrays, 6, "approachrays")
        numbers = _listed(rolls, "rolls"), _listed(standoffs, "standoffs")
        shapes = None if preshapes is None else rows_of(preshapes, n, "preshapes")
        ways = (
            np.atleast_2d(arm.direction)
            if manipulatordirections is None
            else rows_of(manipulatordirections, 3, "manipulatordirections")
        )
        off = as_number(graspingnoise, "graspingnoise", 0.0)
        tries = graspers[0].candidates(
            rays, rolls=numbers[0], standoffs=numbers[1], preshapes=shapes,
            directions=ways, noise=(off, off), seed=self.settings.seed,
        )  # fmt: skip
        # in the order of `Grasper.candidates`
        said = itertools.product(
            ways, range(1) if shapes is None else shapes, numbers[1], numbers[0], rays
        )
        found: list[Grasp] = []
        rows, indices = [], []
        index = first
        pairs = zip(
            attempts(graspers, itertools.islice(tries, first, None), _ROOM),
            itertools.islice(said, first, None),
            strict=False,
        )
        for index, (grasp, (way, _, back, turn, ray)) in enumerate(pairs, first + 1):
            if grasp is None or refused_contact(
                self.arm, grasp, body, self.settings.avoidlinks, only=onlycontacttarget
            ):
                continue
            epsilon, volume = closure_of(grasp.contacts, graspers[0])
            if forceclosurethreshold is not None and (
                epsilon < forceclosurethreshold or epsilon <= 0.0
            ):
                continue
            pose = wxyz_xyz_from_pose(invert_pose(grasp.T_hand_target))
            parts = (ray, turn, back, way, epsilon, volume)
            ends = (grasp.preshape, pose, grasp.final)
            rows.append(np.concatenate([np.ravel(one) for one in (*parts, *ends)]))
            indices.append(index - 1)
            found.append(grasp)
            if most is not None and len(found) >= most:
                break
        about = graspers[0].describe() | {"target": body.name}
        table = np.array(rows) if rows else np.zeros((0, 0))
        return ManyGrasps(index, GraspSet(found, about), tuple(indices), table)

    def _elsewhere(self, body: KinBody, checker: str) -> tuple[Manipulator, KinBody]:
        """Return the arm and the body, in a copy with another checker if need be."""
        arm = self.arm
        if not checker:
            return arm, body
        env: Environment = self.env.clone()
        env.collision_checker = checker
        robot = env.robots[self.robot.name]
        return robot.manipulators[arm.name], env.bodies[body.name]

    # -- shapes --------------------------------------------------------------------

    @command(name="ConvexHull")
    def convex_hull(
        self,
        points: Numbers,
        returnplanes: bool = True,
        returnfaces: bool = True,
        returntriangles: bool = True,
    ) -> HullAnswer:
        """Return the convex hull of points in three dimensions.

        Parameters
        ----------
        points
            (n, 3); in a text their number and the dimension, then the numbers.
        returnplanes, returnfaces, returntriangles
            What to answer.
        """
        rows = points_of(points)
        _, first = np.unique(rows, axis=0, return_index=True)
        kept = np.sort(first)
        found = hull_of(
            rows[kept],
            planes=returnplanes,
            faces=returnfaces,
            triangles=returntriangles,
        )
        # indices are those of the points as they were given
        return HullAnswer(
            found.planes,
            None
            if found.faces is None
            else tuple(tuple(int(kept[k]) for k in face) for face in found.faces),
            None if found.triangles is None else kept[found.triangles],
        )

    @command(name="ComputeDistanceMap")
    def compute_distance_map(
        self, target: Target = None, conewidth: float = 0.25, count: int = 400
    ) -> DistanceMap:
        """Return the reach of a target from the middle of its box, by direction.

        Parameters
        ----------
        target
            The body, or its name.
        conewidth
            Radians about a direction within which the farthest point counts.
        count
            Directions, evenly spread.
        """
        body = body_of(self.env, target)
        width = as_number(conewidth, "conewidth", 0.0, np.pi)
        ways = sphere_points(as_whole(count, "count", 1, _MOST_DIRECTIONS))
        return DistanceMap(ways, reach_of(body, ways, width))


def _listed(given: Numbers, name: str) -> Array:
    """Return numbers (n,), 0 for none; a text has their number first."""
    if given is None:
        return np.zeros(1)
    numbers = as_vector(np.atleast_1d(as_numbers(given, name)), None, name)
    if isinstance(given, list) and len(given) > 1 and given[0] == len(given) - 1:
        return numbers[1:]
    return numbers
