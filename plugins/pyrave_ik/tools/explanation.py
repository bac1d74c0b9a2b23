"""Explanations of how an arm is solved and why, as text and as data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyrave_ik.methods.decomposition import relations
from pyrave_ik.solver.compound_method import CompoundMethod

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.ik import IkParameterizationType
    from pyrave_ik.arm.chain import ArmChain
    from pyrave_ik.methods.analytic import AnalyticSolver
    from pyrave_ik.solver.goal_method import GoalMethod


@dataclass(frozen=True)
class Explanation:
    """Explanation of the way in which an arm's goals are solved.

    Parameters
    ----------
    kind
        Name of the kind of goals.
    axes
        For each axis its name and ``"turns"`` or ``"slides"``.
    relations
        Which neighbouring axes are parallel and which meet.
    decomposition
        Name of the decomposition.
    loop
        The six joints of the loop in the order in which it is solved; what the goal
        leaves free is a joint, too.
    reason
        Why the loop is solved so.
    free
        Axes that are held at values which a search chooses, or `free` gives.
    refused
        Kinds of goals that constrain more, and why they do not fit.
    shares
        For an arm with joints to spare the name of each axis and its median part, 0..1,
        in motions that keep a goal: an axis with none has its value from the goal.
    """

    kind: str
    axes: tuple[tuple[str, str], ...]
    relations: tuple[str, ...]
    decomposition: str
    loop: tuple[str, ...]
    reason: str
    free: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    shares: tuple[tuple[str, float], ...] = ()

    @property
    def data(self) -> dict[str, Any]:
        """The same as JSON data."""
        return {
            "type": self.kind,
            "axes": [{"name": name, "moves": how} for name, how in self.axes],
            "relations": list(self.relations),
            "decomposition": self.decomposition,
            "loop": list(self.loop),
            "reason": self.reason,
            "free": list(self.free),
            "refused": dict(self.refused),
            "shares": {name: round(part, 3) for name, part in self.shares},
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """The same as lines of text."""
        moves = ", ".join(f"{name} {how}" for name, how in self.axes)
        said = [f"axes: {moves}"]
        said += [f"  {relation}" for relation in self.relations]
        if not self.relations:
            said.append("  no two neighbours are parallel or meet")
        said += [f"not {name}: {why}" for name, why in self.refused]
        said.append(f"goals: {self.kind}")
        if self.shares:
            parts = ", ".join(f"{name} {part:.2f}" for name, part in self.shares)
            said.append(f"part of each joint in motions that keep a goal: {parts}")
        if self.free:
            why = ", for which a search takes least time" if self.shares else ""
            said.append(f"held at values: {', '.join(self.free)}{why}")
        if self.loop:
            said.append(f"loop: {', '.join(self.loop)}")
        said.append(f"decomposition: {self.decomposition}, because {self.reason}")
        return tuple(said)


def explain(
    solver: AnalyticSolver,
    refused: Mapping[IkParameterizationType, str] | None = None,
) -> Explanation:
    """Return the method of an analytic solver, and its reason.

    Parameters
    ----------
    refused
        See `default_solver`.
    """
    chain, how = solver.chain, solver.decomposition
    order = how.order or range(chain.n)
    kept = [chain.names[i] for i in order if i not in solver.free]
    loop = [*kept, *(f"({name})" for name in solver.virtual_names)]
    loop = loop[how.first :] + loop[: how.first]
    if how.backward:
        loop.reverse()
    return Explanation(
        kind=solver.kind.name,
        axes=_axes(chain),
        relations=relations_of_neighbours(chain),
        decomposition=how.kind.name.lower(),
        loop=tuple(loop),
        reason=how.reason,
        free=tuple(chain.names[i] for i in solver.free),
        refused=_named(refused or {}),
        shares=()
        if solver.null_space is None
        else tuple(zip(chain.names, solver.null_space.shares().tolist(), strict=True)),
    )


def explain_fallback(
    kind: IkParameterizationType,
    method: GoalMethod,
    chain: ArmChain,
    refused: Mapping[IkParameterizationType, str],
) -> Explanation:
    """Return the method and its reason for goals that are no loop of six joints.

    Parameters
    ----------
    refused
        See `default_fallback`.
    """
    decomposition, reason = "search", method.note
    loop: tuple[str, ...] = ()
    if isinstance(method, CompoundMethod):
        reduced = explain(method.closed)
        decomposition, loop = reduced.decomposition, reduced.loop
        names = ", ".join(method.compound.chain.names)
        reason = (
            f"joints move several axes, as a simpler arm has them: {names}; "
            f"there {reduced.reason}"
        )
    return Explanation(
        kind=kind.name,
        axes=_axes(chain),
        relations=relations_of_neighbours(chain),
        decomposition=decomposition,
        loop=loop,
        reason=reason,
        free=(),
        refused=_named(refused),
    )


def _axes(chain: ArmChain) -> tuple[tuple[str, str], ...]:
    """Return the name and the motion of each axis."""
    return tuple(
        (name, ("slides" if row[6] else "turns") + _coupling(chain, axis))
        for axis, (name, row) in enumerate(zip(chain.names, chain.screws, strict=True))
    )


def _coupling(chain: ArmChain, axis: int) -> str:
    """Return the joint that an axis follows, empty for one of its own."""
    dof = chain.arm[axis]
    if dof < 0:
        return " by a formula"
    first = chain.arm.index(dof)
    return f" with {chain.names[first]}" if first != axis else ""


def _named(
    refused: Mapping[IkParameterizationType, str],
) -> tuple[tuple[str, str], ...]:
    return tuple((kind.name, why) for kind, why in refused.items())


def relations_of_neighbours(chain: ArmChain) -> tuple[str, ...]:
    """Return the relations that no joint changes: those of neighbouring axes."""
    pairs = [f"{a} and {b} " for a, b in pairwise(chain.names)]
    said = relations(chain.screws, chain.names)
    return tuple(one for one in said if one.startswith(tuple(pairs)))
