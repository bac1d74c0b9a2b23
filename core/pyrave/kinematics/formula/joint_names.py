"""Other names for joints, in the formulas of those that follow them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pyrave.kinematics.formula.parser import FormulaNames, with_variables
from pyrave.scene import JointDescription, MimicFormula


class Renaming:
    """New names of joints, which are whole words of formulas. Immutable.

    Parameters
    ----------
    joints
        Present names, and how many axes each has: ``J_1`` is axis 1 of joint J, unless
        a joint is named so.
    new
        Returns the new name of a joint.
    """

    def __init__(
        self, joints: Iterable[tuple[str, int]], new: Callable[[str], str]
    ) -> None:
        names = {name: (new(name), axes) for name, axes in joints if name}
        self._new = {
            f"{name}_{k}": f"{its}_{k}"
            for name, (its, axes) in names.items()
            for k in range(axes)
        }
        self._new |= {name: its for name, (its, _) in names.items()}
        self._names = FormulaNames(self._new)

    @classmethod
    def of_joints(
        cls, joints: Iterable[JointDescription], new: Callable[[str], str]
    ) -> Renaming:
        """Return that of the joints of a body."""
        return cls(((joint.name, len(joint.axes)) for joint in joints), new)

    def formula(self, mimic: MimicFormula) -> MimicFormula:
        """Return a formula and its derivatives with the new names."""

        def new(name: str) -> str:
            joint, _, axis = name.rpartition("_")
            if name not in self._new and axis.isdecimal() and joint in self._new:
                return f"{self._new[joint]}_{axis}"  # told of where it is used
            return self._new.get(name, name)

        return replace(
            mimic,
            position=with_variables(mimic.position, self._names, new),
            velocity=with_variables(mimic.velocity, self._names, new, new),
            acceleration=with_variables(mimic.acceleration, self._names, new, new),
        )

    def joint(self, joint: JointDescription) -> JointDescription:
        """Return a joint whose formulas have the new names; it keeps its own."""
        axes = (
            replace(axis, mimic=self.formula(axis.mimic)) if axis.mimic else axis
            for axis in joint.axes
        )
        return replace(joint, axes=tuple(axes))
