"""One grasp of a body by a hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pyrave.cards import counted
from pyrave.errors import ArgumentError, shown
from pyrave.grasping.contacts import ContactSet
from pyrave.records import Record
from pyrave.spatial import (
    Array,
    as_direction,
    as_number,
    as_pose,
    as_vector,
    invert_pose,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, repr=False)
class Grasp(Record):
    """A grasp: where the hand is, how its fingers stand, what they touch; read-only.

    The hand is the tool frame of a manipulator, the target the frame of the body that
    is grasped. Values of fingers are in the order of `Manipulator.gripper_indices`.

    Parameters
    ----------
    T_hand_target
        (4, 4) pose of the body in the hand; a 7-vector or a description's pose will
        do.
    preshape
        (k,) values of the gripper's joints with which the hand comes.
    final
        (k,) values with which it holds; those of `preshape` unless given.
    approach
        (3,) direction in which the hand comes, in the hand, made a unit vector; as a
        rule `Manipulator.direction`.
    contacts
        What touches, in the frame of the target.
    scores
        Numbers by their names, of which more is better: ``"epsilon"``, ``"volume"``,
        or yours.

    Raises
    ------
    ArgumentError
        Something is no pose, no direction, not finite, or the lengths differ.
    """

    T_hand_target: Array
    preshape: Array = field(default_factory=lambda: np.zeros(0))
    final: Array = None  # type: ignore[assignment]
    approach: Array = field(default_factory=lambda: np.array((0.0, 0.0, 1.0)))
    contacts: ContactSet = field(default_factory=ContactSet)
    scores: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        before = as_vector(self.preshape, None, "preshape").copy()
        after = before if self.final is None else self.final
        after = as_vector(after, len(before), "final").copy()
        way = as_direction(self.approach, "approach")
        if not isinstance(self.contacts, ContactSet):
            raise ArgumentError(
                f"contacts are {shown(self.contacts)}, expected a "
                "pyrave.grasping.ContactSet"
            )
        pose = as_pose(self.T_hand_target, "T_hand_target")
        arrays = {
            "T_hand_target": pose,
            "preshape": before,
            "final": after,
            "approach": way,
        }
        for name, array in arrays.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if not isinstance(self.scores, Mapping):
            raise ArgumentError(
                f"scores are {shown(self.scores)}, expected numbers by their names"
            )
        numbers = {
            str(name): as_number(value, f"score {name!r}")
            for name, value in self.scores.items()
        }
        object.__setattr__(self, "scores", numbers)

    def hand_pose(self, T_world_target: ArrayLike) -> Array:  # noqa: N803 - a frame
        """Return T_world_hand, (4, 4), for a target at a pose.

        Raises
        ------
        ArgumentError
            It is no pose.
        """
        target = as_pose(T_world_target, "T_world_target")
        return np.asarray(target @ invert_pose(self.T_hand_target))

    def __repr__(self) -> str:
        said = "".join(f", {name} {value:.4g}" for name, value in self.scores.items())
        return f"<Grasp: {counted(len(self.contacts), 'contact')}{said}>"
