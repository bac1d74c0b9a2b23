"""What users choose about the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pyrave.errors import ArgumentError
from pyrave.spatial import as_number

Integrator = Literal["Euler", "RK4", "implicit", "implicitfast"]
INTEGRATORS: tuple[str, ...] = get_args(Integrator)
"""In MuJoCo's own order."""
Concave = Literal["faces", "pieces", "hull"]
CONCAVE: tuple[str, ...] = get_args(Concave)
"""How concave meshes collide."""


@dataclass(frozen=True, slots=True)
class MujocoSettings:
    """How MuJoCo simulates.

    Parameters
    ----------
    time_step
        Longest step of the engine, seconds. A step of the environment is divided into
        as few equal steps as this allows.
    restitution_time_step
        The same for scenes in which something has a coefficient of restitution.
    integrator
        One of MuJoCo's. ``implicitfast`` stays stable with strong damping, ``RK4``
        keeps energy best where nothing touches.
    friction
        Coulomb's coefficient of pairs for which the scene gives none; 0.4 is the
        default of OpenRAVE's and RobWork's engines.
    restitution
        Newton's coefficient of pairs for which the scene gives none.
    self_collision
        Whether links of one body touch each other, adjacent ones apart.
    impedance_ratio
        How much stiffer friction is than normal contact: the larger, the less do
        things creep down an incline.
    error_reduction
        Share of a penetration that a step of the engine undoes where nothing bounces,
        at most 0.5, as ODE's and Bullet's ERP: contacts have the time step over it as
        time constant, critically damped.
    iterations
        Most iterations of the constraint solver in a step.
    most_parts
        Parts that a step is divided into at most where something is so fast that it
        would pass through what is in its way; 1 for never.
    concave_meshes
        ``"faces"`` lets them collide as they are, with a convex part for each face;
        moving ones with many faces are their hulls. ``"hull"`` lets the hulls of all
        touch; ``"pieces"`` cuts all into convex pieces, which takes seconds to minutes
        for each mesh that is new to the machine.
    """

    time_step: float = 0.002
    restitution_time_step: float = 0.0005
    integrator: Integrator = "implicitfast"
    friction: float = 0.4
    restitution: float = 0.0
    self_collision: bool = True
    impedance_ratio: float = 10.0
    error_reduction: float = 0.2
    iterations: int = 100
    most_parts: int = 16
    concave_meshes: Concave = "faces"

    def __post_init__(self) -> None:
        for name in ("time_step", "restitution_time_step"):
            as_number(getattr(self, name), name, 1e-6, 0.1)
        as_number(self.friction, "friction", 0.0)
        as_number(self.restitution, "restitution", 0.0, 1.0)
        as_number(self.impedance_ratio, "impedance_ratio", 1e-3, 1e6)
        as_number(self.error_reduction, "error_reduction", 1e-4, 1.0)
        as_number(self.iterations, "iterations", 1, 1e6)
        as_number(self.most_parts, "most_parts", 1, 1000)
        if not isinstance(self.self_collision, bool):
            raise ArgumentError(
                f"self_collision is {self.self_collision!r}, expected True or False"
            )
        if self.concave_meshes not in CONCAVE:
            raise ArgumentError(
                f"concave_meshes is {self.concave_meshes!r}, expected one of "
                f"{', '.join(CONCAVE)}"
            )
        if self.integrator not in INTEGRATORS:
            raise ArgumentError(
                f"integrator is {self.integrator!r}, expected one of "
                f"{', '.join(INTEGRATORS)}"
            )
