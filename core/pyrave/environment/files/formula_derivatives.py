"""Derivatives that the formulas of joints do not have, or that files give wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave import kinematics
from pyrave.environment.failures import problem_at
from pyrave.errors import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.bodies.kinbody import KinBody
    from pyrave.errors import Problem
    from pyrave.scene import BodyDescription


def partial_problems(body: KinBody, description: BodyDescription) -> Iterator[Problem]:
    """Yield a warning for each undefined derivative and each that is given wrong."""
    formulas = {
        joint.name: axis.mimic
        for joint in description.joints
        for axis in joint.axes
        if axis.mimic is not None
    }
    if not formulas:
        return
    for undefined in kinematics.undefined_partials(body.model, body.dof_values):
        formula = formulas[undefined.joint]
        yield problem_at(
            formula.location or description.location,
            shortened(
                f"joint {undefined.joint!r} of {description.name!r}: the formula "
                f"{formula.position!r} has the derivative {undefined.value} by "
                f"{undefined.follows!r} where the body starts; velocities are not "
                "defined there"
            ),
            code="derivative-not-finite",
            hint="let the body start elsewhere",
        )
    if not any(formula.velocity for formula in formulas.values()):
        return
    for one in kinematics.inconsistent_partials(body.model):
        formula = formulas[one.joint]
        yield problem_at(
            formula.location or description.location,
            shortened(
                f"joint {one.joint!r} of {description.name!r} moves "
                f"{one.given:.4g} times as fast as {one.follows!r} by its list of "
                f"derivatives; its formula {formula.position!r} says "
                f"{one.actual:.4g}"
            ),
            code="inconsistent-partial",
            hint="correct mimic_vel, or leave it out: it is derived from the formula",
        )
