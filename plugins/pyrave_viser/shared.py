"""Data that the parts of an open viewer share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser

    from pyrave.bodies import KinBody
    from pyrave_viser.actions import Actions
    from pyrave_viser.shown.bodies import ShownBodies
    from pyrave_viser.shown.stage import Stage


@dataclass(frozen=True, eq=False)
class Shared:
    """The parts that panels use.

    Parameters
    ----------
    env
        The environment that is shown.
    server
        Where it is shown.
    stage, bodies
        What is shown.
    actions
        The queue of what people do.
    """

    env: Any
    server: viser.ViserServer
    stage: Stage
    bodies: ShownBodies
    actions: Actions

    def body(self, number: int) -> KinBody | None:
        """Return a body that is shown by its id."""
        return self.bodies.known.get(number)

    def labels(self) -> dict[str, int]:
        """Return names of bodies and their ids, in the order of the ids."""
        return {body.name: number for number, body in sorted(self.bodies.known.items())}
