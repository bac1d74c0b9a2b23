"""The richest kind of goal that an arm can reach without one joint too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.ik import IkParameterization
from pyrave.ik import IkParameterizationType as Kind
from pyrave_ik.arm.residuals import residuals
from pyrave_ik.methods.analytic import AnalyticSolver

if TYPE_CHECKING:
    from pyrave.ik import IkParameterizationType
    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain

KINDS = (
    Kind.Transform6D,
    Kind.TranslationDirection5D,
    Kind.TranslationXAxisAngleZNorm4D,
    Kind.TranslationYAxisAngleXNorm4D,
    Kind.TranslationZAxisAngleYNorm4D,
    Kind.Ray4D,
    Kind.TranslationZAxisAngle4D,
    Kind.TranslationXYOrientation3D,
    Kind.Translation3D,
    Kind.Rotation3D,
    Kind.Lookat3D,
    Kind.TranslationXY2D,
    Kind.Direction3D,
)
"""Kinds of goals, those that constrain most first."""
_MET = 1e-9
"""Metres and radians."""


def richest_solver(
    chain: ArmChain,
    direction: Array,
) -> tuple[AnalyticSolver, dict[IkParameterizationType, str]]:
    """Return a solver, and for each kind that was tried before why it does not fit.

    Arms of six and more joints get full poses. Others get the kind that constrains most
    and whose goals their own poses meet: a SCARA's tool stays in a plane, for one.

    Raises
    ------
    NotSupportedError
        No kind fits; the message has the reasons.
    """
    refused: dict[IkParameterizationType, str] = {}
    for kind in KINDS:
        if kind.dof > chain.n or (chain.n >= 6 and kind is not Kind.Transform6D):
            continue
        if not reached(chain, kind, direction):
            refused[kind] = "the arm's own poses do not meet such goals"
            continue
        try:
            return AnalyticSolver(chain, kind, direction), refused
        except NotSupportedError as error:
            refused[kind] = str(error)
    reasons = "; ".join(f"{kind.name}: {why}" for kind, why in refused.items())
    raise NotSupportedError(f"no kind of goal fits the arm: {reasons}")


def reached(chain: ArmChain, kind: IkParameterizationType, direction: Array) -> bool:
    """Return whether an arm's own poses meet goals of a kind."""
    rng = np.random.default_rng(11)
    for q in rng.uniform(-2.5, 2.5, (5, chain.width)):
        pose = chain.tool(q)
        goal = IkParameterization.from_pose(kind, pose, direction)
        distance, angle = residuals(goal, pose[None], direction)
        if max(distance[0], angle[0]) > _MET:
            return False
        if kind.name.endswith("Norm4D"):
            # such goals are for tools that stay in the plane; others have richer ones
            normal = "XYZ".index(kind.name[-len("XNorm4D")])
            if abs(float(pose[normal, :3] @ direction)) > _MET:
                return False
    return True
