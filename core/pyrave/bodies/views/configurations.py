"""Named configurations of a robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pyrave.argument_names import methods_suggest
from pyrave.attributes import Closed
from pyrave.bodies.state.named_values import indexed_values
from pyrave.cards import counted
from pyrave.errors import ArgumentError, NotFoundError, shown
from pyrave.scene import ConfigurationDescription

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.state.named_values import JointValues
    from pyrave.kinematics import Model


@methods_suggest
class Configurations(Closed, Mapping[str, dict[str, "float | tuple[float, ...]"]]):
    """Values by joint for each name: ``robot.set_joints(configurations["home"])``.

    ``add`` and ``remove`` change them; they are saved with the robot.
    """

    __slots__ = ("_robot",)

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def add(self, name: str, joints: JointValues | None = None) -> None:
        """Give joint values a name; an old configuration of it is replaced.

        Parameters
        ----------
        joints
            Values by joint, as `Robot.set_joints` takes them; None: the present ones of
            all.

        Raises
        ------
        NotFoundError, ArgumentError
            As for `Robot.set_joints`.
        """
        robot = self._robot
        given = robot.joint_dict() if joints is None else joints
        made = _described(robot.model, name, given)
        kept = [one for one in self._known() if one.name != name]
        robot.describe_as(configurations=(*kept, made))

    def remove(self, name: str) -> None:
        """Remove a configuration by name; `NotFoundError` if there is none."""
        self[name]
        kept = [one for one in self._known() if one.name != name]
        self._robot.describe_as(configurations=tuple(kept))

    def _known(self) -> tuple[ConfigurationDescription, ...]:
        return self._robot.description.configurations

    def __getitem__(self, name: str) -> dict[str, float | tuple[float, ...]]:
        found = next((one for one in self._known() if one.name == name), None)
        if found is None:
            raise NotFoundError("configuration", name, list(self))
        return {joint: its if len(its) > 1 else its[0] for joint, its in found.values}

    def __iter__(self) -> Iterator[str]:
        return iter([one.name for one in self._known()])

    def __len__(self) -> int:
        return len(self._known())

    def _ipython_key_completions_(self) -> list[str]:
        """Return the keys for brackets, for shells that complete them."""
        return list(self)

    def __repr__(self) -> str:
        names = f": {', '.join(self)}" if self else ""
        return f"<{counted(len(self), 'configuration')}{names}>"


def _described(model: Model, name: Any, joints: Any) -> ConfigurationDescription:
    """Return the description of a configuration; raises as `indexed_values`."""
    if not isinstance(name, str) or not name.strip():
        raise ArgumentError(
            f"the name of a configuration is {shown(name)}, expected a text"
        )
    indices, values = indexed_values(model, joints)
    found: dict[str, tuple[float, ...]] = {}
    for index, value in zip(indices.tolist(), values.tolist(), strict=True):
        joint = model.joint_names[model.value_joint[index]]
        found[joint] = (*found.get(joint, ()), value)
    return ConfigurationDescription(name, tuple(found.items()))
