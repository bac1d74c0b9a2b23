"""Descriptions of the grippers of a robot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pyrave.argument_names import methods_suggest
from pyrave.attributes import Closed
from pyrave.cards import counted
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.scene import GripperDescription
from pyrave.scene.checks import validated

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot


@methods_suggest
class Grippers(Closed, Mapping[str, GripperDescription]):
    """Descriptions of grippers by name; ``add`` and ``remove`` change them."""

    __slots__ = ("_robot",)

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def add(self, gripper: GripperDescription) -> None:
        """Add a description; an old one of that name is replaced.

        Parameters
        ----------
        gripper
            Its name, kind, joints and data.

        Raises
        ------
        ArgumentError
            The name is empty, or the data are no JSON.
        NotFoundError
            The robot has no such joint.
        """
        gripper = validated(GripperDescription, gripper)
        if not gripper.name:
            raise ArgumentError("a gripper has no name, expected a text")
        for joint in gripper.joints:
            if joint not in self._robot.model.joint_names:
                raise NotFoundError("joint", joint, self._robot.model.joint_names)
        if gripper.data:
            try:
                json.loads(gripper.data)
            except ValueError as error:
                raise ArgumentError(
                    f"the data of gripper {gripper.name!r} are no JSON: {error}"
                ) from None
        kept = [one for one in self._known() if one.name != gripper.name]
        self._robot.describe_as(grippers=(*kept, gripper))

    def remove(self, name: str) -> None:
        """Remove a description by name; `NotFoundError` if there is none."""
        gone = self[name]
        kept = tuple(one for one in self._known() if one is not gone)
        self._robot.describe_as(grippers=kept)

    def _known(self) -> tuple[GripperDescription, ...]:
        return self._robot.description.grippers

    def __getitem__(self, name: str) -> GripperDescription:
        found = next((one for one in self._known() if one.name == name), None)
        if found is None:
            raise NotFoundError("gripper", name, list(self))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter([one.name for one in self._known()])

    def __len__(self) -> int:
        return len(self._known())

    def __repr__(self) -> str:
        names = f": {', '.join(self)}" if self else ""
        return f"<{counted(len(self), 'gripper')}{names}>"
