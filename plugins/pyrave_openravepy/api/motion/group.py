"""Groups of a `ConfigurationSpecification`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_openravepy.api.foundation.guard import Guarded

if TYPE_CHECKING:
    from pyrave.trajectories.groups import Group as NativeGroup

__all__ = ["Group"]


class Group(Guarded):
    """Values of a configuration that belong together.

    Attributes
    ----------
    name
        The kind and its arguments, ``"joint_values BarrettWAM 0 1 2"`` for example.
    interpolation
        ``"linear"``, ``"quadratic"``, ...
    offset, dof
        The first value, and the number of values.
    """

    def __init__(self) -> None:
        self.name = ""
        self.interpolation = ""
        self.offset = 0
        self.dof = 0

    @classmethod
    def _of(cls, native: NativeGroup) -> Group:
        made = cls()
        made.name, made.interpolation = native.name, native.interpolation
        made.offset, made.dof = native.offset, native.dof
        return made

    def _as_native(self) -> NativeGroup:
        from pyrave.trajectories.groups import Group as NativeGroup

        name, interpolation = str(self.name), str(self.interpolation)
        return NativeGroup(name, int(self.offset), int(self.dof), interpolation)

    def _fields(self) -> tuple[str, str, int, int]:
        return self.name, self.interpolation, self.offset, self.dof

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Group):
            return NotImplemented
        return self._fields() == other._fields()

    # groups are changed in place
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Group: name={self.name!r}, interpolation={self.interpolation!r}, "
            f"offset={self.offset}, dof={self.dof}>"
        )
