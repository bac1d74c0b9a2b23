"""What a solver found out about an arm, in words and as data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyrave_ik.classify import relations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.interfaces import IkParameterizationType
    from pyrave_ik.analytic import AnalyticSolver
    from pyrave_ik.chain import ArmChain

__all__ = ["Explanation", "explain", "relations_of_neighbours"]


@dataclass(frozen=True)
class Explanation:
    """Why an arm's goals are solved as they are.

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
        Axes that are held at given values.
    refused
        Kinds of goals that constrain more, and why they do not fit.
    """

    kind: str
    axes: tuple[tuple[str, str], ...]
    relations: tuple[str, ...]
    decomposition: str
    loop: tuple[str, ...]
    reason: str
    free: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]

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
        if self.free:
            said.append(f"held at given values: {', '.join(self.free)}")
        if self.loop:
            said.append(f"loop: {', '.join(self.loop)}")
        said.append(f"decomposition: {self.decomposition}, because {self.reason}")
        return tuple(said)


def explain(
    solver: AnalyticSolver,
    refused: Mapping[IkParameterizationType, str] | None = None,
) -> Explanation:
    """Return why a solver does what it does.

    Parameters
    ----------
    refused
        See `richest_solver`.
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
        axes=tuple(
            (name, "slides" if row[6] else "turns")
            for name, row in zip(chain.names, chain.screws, strict=True)
        ),
        relations=relations_of_neighbours(chain),
        decomposition=how.kind.name.lower(),
        loop=tuple(loop),
        reason=how.reason,
        free=tuple(chain.names[i] for i in solver.free),
        refused=tuple((kind.name, why) for kind, why in (refused or {}).items()),
    )


def relations_of_neighbours(chain: ArmChain) -> tuple[str, ...]:
    """Return what holds at every configuration: others change where joints move."""
    pairs = [f"{a} and {b} " for a, b in pairwise(chain.names)]
    said = relations(chain.screws, chain.names)
    return tuple(one for one in said if one.startswith(tuple(pairs)))
