"""The default type of goals: of those that an arm reaches, the most constrained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.ik import IkParameterization, residuals
from pyrave.ik import IkParameterizationType as Kind
from pyrave_ik.methods.analytic import AnalyticSolver
from pyrave_ik.solver.compound_method import CompoundMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave.ik import IkParameterizationType
    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain
    from pyrave_ik.solver.goal_method import GoalMethod

    Refused = dict[IkParameterizationType, str]

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


def default_solver(chain: ArmChain, direction: Array) -> tuple[AnalyticSolver, Refused]:
    """Return a solver, and for each kind that was tried before why it does not fit.

    Arms of six and more joints get full poses. Others get the kind that constrains most
    and whose goals their own poses meet: a SCARA's tool stays in a plane, for one.

    Raises
    ------
    NotSupportedError
        No kind fits; the message has the reasons.
    """
    refused: Refused = {}
    for kind in _reached_kinds(chain, chain.n, direction, refused):
        try:
            return AnalyticSolver(chain, kind, direction), refused
        except NotSupportedError as error:
            refused[kind] = str(error)
    raise _no_kind_fits(refused, chain.n)


def default_fallback(
    chain: ArmChain,
    direction: Array,
    method_of: Callable[[IkParameterizationType], GoalMethod],
) -> tuple[IkParameterizationType, GoalMethod, Refused]:
    """Return a kind, its method, and why kinds that constrain more do not fit.

    For arms that `AnalyticSolver` refuses. Kinds with a closed form go before those
    that are searched numerically.

    Raises
    ------
    NotSupportedError
        No kind fits; the message has the reasons.
    """
    refused: Refused = {}
    searched: tuple[IkParameterizationType, GoalMethod] | None = None
    for kind in _reached_kinds(chain, chain.n_joints, direction, refused):
        one = method_of(kind)
        if isinstance(one, CompoundMethod):
            return kind, one, refused
        searched = searched or (kind, one)
    if searched is None:
        raise _no_kind_fits(refused, chain.n_joints)
    found, one = searched
    return found, one, {k: why for k, why in refused.items() if k.dof > found.dof}


def _reached_kinds(
    chain: ArmChain, n: int, direction: Array, refused: Refused
) -> Iterator[IkParameterizationType]:
    """Yield the kinds that an arm of n joints reaches; add others to `refused`."""
    for kind in KINDS:
        if kind.dof > n or (n >= 6 and kind is not Kind.Transform6D):
            continue
        if reached(chain, kind, direction):
            yield kind
        else:
            refused[kind] = "the arm's own poses do not meet such goals"


def _no_kind_fits(refused: Refused, n: int) -> NotSupportedError:
    if not refused:
        joints = "one joint" if n == 1 else f"{n} joints"
        least = min(kind.dof for kind in KINDS)
        return NotSupportedError(
            f"no kind of goal fits the arm: it has {joints}, and goals constrain "
            f"{least} degrees of freedom or more"
        )
    reasons = "; ".join(f"{kind.name}: {why}" for kind, why in refused.items())
    return NotSupportedError(f"no kind of goal fits the arm: {reasons}")


def reached(chain: ArmChain, kind: IkParameterizationType, direction: Array) -> bool:
    """Return True if an arm's own poses meet goals of a kind."""
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
