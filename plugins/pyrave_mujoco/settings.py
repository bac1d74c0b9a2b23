"""Settings of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pyrave.interfaces import setting

Integrator = Literal["Euler", "RK4", "implicit", "implicitfast"]
INTEGRATORS: tuple[str, ...] = get_args(Integrator)
"""Names of integrators in MuJoCo's own order."""
Concave = Literal["faces", "pieces", "hull"]
CONCAVE: tuple[str, ...] = get_args(Concave)
"""Ways to let concave meshes collide."""


@dataclass(frozen=True, slots=True)
class MujocoSettings:
    """Settings of the MuJoCo engine.

    A step of the environment is divided into as few equal steps as `time_step` allows.
    The integrator ``implicitfast`` stays stable with strong damping, ``RK4`` keeps
    energy best where nothing touches. Friction and restitution are Coulomb's and
    Newton's coefficients; 0.4 is the default of OpenRAVE's and RobWork's engines. Where
    nothing bounces contacts have the time step over `error_reduction` as time constant,
    critically damped, as with ODE's and Bullet's ERP.

    Of `concave_meshes`, ``"faces"`` lets them collide as they are, with a convex part
    for each face; moving ones with many faces are their hulls. ``"hull"`` lets the
    hulls of all touch; ``"pieces"`` cuts all into convex pieces, which takes seconds to
    minutes for each mesh that is new to the machine.
    """

    time_step: float = setting(
        0.002, "longest step of the engine", unit="s", least=1e-6, most=0.1
    )
    restitution_time_step: float = setting(
        0.0005,
        "the same for scenes in which something bounces",
        unit="s",
        least=1e-6,
        most=0.1,
    )
    integrator: Integrator = setting("implicitfast", "one of MuJoCo's")
    friction: float = setting(
        0.4, "coefficient of pairs for which the scene gives none", least=0.0
    )
    restitution: float = setting(
        0.0, "coefficient of pairs for which the scene gives none", least=0.0, most=1.0
    )
    self_collision: bool = setting(
        True, "links of one body touch each other, adjacent ones apart"
    )
    impedance_ratio: float = setting(
        10.0,
        "how much stiffer friction is than normal contact: the larger, the less do "
        "things creep down an incline",
        least=1e-3,
        most=1e6,
    )
    error_reduction: float = setting(
        0.2,
        "share of a penetration that a step undoes, at most 0.5 where nothing bounces",
        least=1e-4,
        most=1.0,
    )
    iterations: int = setting(
        100, "most of the constraint solver in a step", least=1, most=1e6
    )
    most_parts: int = setting(
        16,
        "parts of a step where something fast would pass through what is in its way; "
        "1 for never",
        least=1,
        most=1000,
    )
    concave_meshes: Concave = setting("faces", "how concave meshes collide")
