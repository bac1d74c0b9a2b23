"""Elements of the model that belong to one body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave_mujoco.bodies.couplings import Coupling
    from pyrave_mujoco.bodies.plan import BodyPlan


class Built:
    """Elements of the model that belong to one body.

    Attributes
    ----------
    plan
        How it moves.
    links
        Its links in the specification.
    moving
        Which of them move.
    belts
        What has the geoms of conveyors in their stead.
    couplings
        Joints that follow others, with the names of their constraints.
    drives
        Names of what can drive its joints, by values.
    """

    def __init__(self, body: KinBody, plan: BodyPlan) -> None:
        self.body = body
        self.plan = plan
        self.links: list[Any] = [None] * len(plan.links)
        self.moving = [plan.moves(k) for k in range(len(plan.links))]
        self.belts: dict[int, Any] = {}
        self.couplings: list[tuple[Coupling, str]] = []
        self.drives: dict[int, str] = {}

    @property
    def surfaces(self) -> list[Any]:
        """The MuJoCo bodies that have the geoms of the links, one for each link."""
        return [self.belts.get(link, one) for link, one in enumerate(self.links)]
