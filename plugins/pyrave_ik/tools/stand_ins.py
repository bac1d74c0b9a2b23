"""Arms that are no loop of six joints: their richest goals, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.errors import NotSupportedError
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.solver.default_goal_type import KINDS, reached
from pyrave_ik.solver.numeric_fallback import ClosedCompound, Search, stand_in
from pyrave_ik.tools.explain import Explanation, explain, relations_of_neighbours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterizationType
    from pyrave_ik.solver.analytic_ik import AnalyticIk


def richest_stand_in(
    solver: AnalyticIk, arm: Manipulator, kind: IkParameterizationType | None = None
) -> tuple[
    IkParameterizationType,
    ClosedCompound | Search,
    dict[IkParameterizationType, str],
]:
    """Return a kind of goals, what solves them, and why other kinds do not fit.

    What has a closed form goes before what is searched for.

    Parameters
    ----------
    kind
        The kind that is wanted; None: the one that constrains most.

    Raises
    ------
    NotSupportedError
        No kind fits; the message has the reasons.
    """
    chain = ArmChain.of(arm)
    n = chain.n_joints
    if kind is not None:
        one = solver.search(kind)
        assert one is not None  # noqa: S101 - such arms have no loop
        return kind, one, {}
    refused: dict[IkParameterizationType, str] = {}
    searched: tuple[IkParameterizationType, Search] | None = None
    for wanted in KINDS:
        if wanted.dof > n or (n >= 6 and wanted.dof < 6):
            continue
        if not reached(chain, wanted, arm.direction):
            refused[wanted] = "the arm's own poses do not meet such goals"
            continue
        reason = "there is no closed form of it"
        one = stand_in(solver, arm, wanted, reason, (), ())
        if isinstance(one, ClosedCompound):
            return wanted, one, refused
        searched = searched or (wanted, one)
    if searched is None:
        reasons = "; ".join(f"{kind.name}: {why}" for kind, why in refused.items())
        raise NotSupportedError(f"no kind of goal fits the arm: {reasons}")
    found, one = searched
    return found, one, {k: why for k, why in refused.items() if k.dof > found.dof}


def explain_stand_in(
    kind: IkParameterizationType,
    one: ClosedCompound | Search,
    arm: Manipulator,
    refused: Mapping[IkParameterizationType, str],
) -> Explanation:
    """Return how goals of a kind are solved, and why so."""
    chain = ArmChain.of(arm)
    axes = tuple(
        (name, ("slides" if row[6] else "turns") + _after(chain, axis))
        for axis, (name, row) in enumerate(zip(chain.names, chain.screws, strict=True))
    )
    between = relations_of_neighbours(chain)
    if isinstance(one, ClosedCompound):
        told = explain(one.closed)
        simple = ", ".join(one.compound.chain.names)
        why = f"joints move several axes, as a simpler arm has them: {simple}"
        return Explanation(
            kind.name,
            axes,
            between,
            told.decomposition,
            told.loop,
            f"{why}; there {told.reason}",
            (),
            tuple((one.name, reason) for one, reason in refused.items()),
        )
    return Explanation(
        kind.name,
        axes,
        between,
        "search",
        (),
        one.note,
        (),
        tuple((one.name, reason) for one, reason in refused.items()),
    )


def _after(chain: ArmChain, axis: int) -> str:
    """Return what an axis follows, in words."""
    dof = chain.arm[axis]
    if dof < 0:
        return " by a formula"
    first = chain.arm.index(dof)
    return f" with {chain.names[first]}" if first != axis else ""
