"""Named configurations of a robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pyrave.bodies.named_values import indexed_values
from pyrave.errors import ArgumentError, NotFoundError, shown
from pyrave.scene import ConfigurationDescription
from pyrave.showing import counted

if TYPE_CHECKING:
    from pyrave.kinematics import Model


class Configurations(Mapping[str, dict[str, "float | tuple[float, ...]"]]):
    """Values by joint for each name: ``robot.set_joints(configurations["home"])``.

    It is a snapshot, in the order of the description.
    """

    __slots__ = ("_described",)

    def __init__(self, described: tuple[ConfigurationDescription, ...]) -> None:
        self._described = {one.name: one for one in described}

    def __getitem__(self, name: str) -> dict[str, float | tuple[float, ...]]:
        found = self._described.get(name) if isinstance(name, str) else None
        if found is None:
            raise NotFoundError("configuration", name, self._described)
        return {joint: its if len(its) > 1 else its[0] for joint, its in found.values}

    def __iter__(self) -> Iterator[str]:
        return iter(self._described)

    def __len__(self) -> int:
        return len(self._described)

    def _ipython_key_completions_(self) -> list[str]:
        """Return what may stand in brackets, for shells that complete it."""
        return list(self)

    def __repr__(self) -> str:
        names = f": {', '.join(self)}" if self else ""
        return f"<{counted(len(self), 'configuration')}{names}>"


def described_configuration(
    model: Model, name: Any, joints: Any
) -> ConfigurationDescription:
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
