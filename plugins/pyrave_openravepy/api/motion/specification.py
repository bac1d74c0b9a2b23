"""`ConfigurationSpecification`: what each number of a configuration means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.motion.configuration_data import ConfigurationData
from pyrave_openravepy.api.motion.group import Group

if TYPE_CHECKING:
    from pyrave.trajectories import ConfigurationSpecification as NativeSpecification

__all__ = ["ConfigurationSpecification", "native_specification"]

_FIELDS = ("name", "interpolation", "offset", "dof")


class ConfigurationSpecification(ConfigurationData):
    """Groups of values that make up a configuration; changed in place.

    Parameters
    ----------
    *given
        Nothing, a specification, a group, or XML text.
    """

    Group = Group

    def __init__(self, *given: Any) -> None:
        from pyrave.trajectories import ConfigurationSpecification as Native

        if not given:
            self._spec = Native()
            return
        (one,) = given
        self._spec = Native.from_xml(one) if isinstance(one, str) else _spec_of(one)

    @classmethod
    def _of(cls, native: NativeSpecification) -> ConfigurationSpecification:
        made = cls.__new__(cls)
        made._spec = native
        return made

    # -- groups --------------------------------------------------------------

    def GetGroups(self) -> list[Any]:
        return [Group._of(group) for group in self._spec.groups]

    def GetGroupFromName(self, name: str) -> Any:
        # the shortest of those that begin with the name
        fitting = [one for one in self._spec.groups if one.name.startswith(name)]
        if not fitting:
            return Group._of(self._spec.group_from_name(name))
        return Group._of(min(fitting, key=lambda group: len(group.name)))

    def FindCompatibleGroup(self, name: Any, exactmatch: bool = False) -> Any:
        return _found(self._spec.find_compatible_group(_wanted(name), bool(exactmatch)))

    def FindTimeDerivativeGroup(self, name: Any, exactmatch: bool = False) -> Any:
        find = self._spec.find_time_derivative_group
        return _found(find(_wanted(name), bool(exactmatch)))

    def FindTimeIntegralGroup(self, name: Any, exactmatch: bool = False) -> Any:
        find = self._spec.find_time_integral_group
        return _found(find(_wanted(name), bool(exactmatch)))

    def GetDOF(self) -> int:
        return self._spec.dof

    def IsValid(self) -> bool:
        return self._spec.is_valid()

    def ResetGroupOffsets(self) -> None:
        self._spec = self._spec.reset_group_offsets()

    def AddGroup(self, name: Any, dof: Any = None, interpolation: str = "") -> int:
        """Add a group, or the values of a name, and return its offset."""
        group = name._as_native() if isinstance(name, Group) else str(name)
        count = None if dof is None else int(dof)
        self._spec = self._spec.add_group(group, count, interpolation)
        words = (group if isinstance(group, str) else group.name).split()
        return next(
            one.offset for one in self._spec.groups if one.name.split() == words
        )

    def AddDeltaTimeGroup(self) -> int:
        self._spec = self._spec.add_delta_time_group()
        return self._spec.group_from_name("deltatime").offset

    def AddVelocityGroups(self, adddeltatime: bool = False) -> None:
        self.AddDerivativeGroups(1, adddeltatime)

    def AddDerivativeGroups(self, deriv: int, adddeltatime: bool = False) -> None:
        self._spec = self._spec.add_derivative_groups(int(deriv), bool(adddeltatime))

    def RemoveGroups(self, groupname: str, exactmatch: bool = True) -> int:
        before = len(self._spec)
        self._spec = self._spec.remove_groups(groupname, bool(exactmatch))
        return before - len(self._spec)

    # -- specifications made of it -------------------------------------------

    def ConvertToVelocitySpecification(self) -> ConfigurationSpecification:
        return self._of(self._spec.convert_to_velocity_specification())

    def ConvertToDerivativeSpecification(
        self, timederivative: int
    ) -> ConfigurationSpecification:
        made = self._spec.convert_to_derivative_specification(int(timederivative))
        return self._of(made)

    def GetTimeDerivativeSpecification(
        self, timederivative: int
    ) -> ConfigurationSpecification:
        from pyrave.trajectories.groups import time_derivative_order

        spec = self._spec
        for group in spec.groups:
            if time_derivative_order(group.kind) != int(timederivative):
                spec = spec.remove_groups(group.name)
        return self._of(spec)

    def ExtractUsedBodies(self, env: Any) -> list[Any]:
        from pyrave_openravepy.api.foundation.objects import wrap

        return [wrap(body) for body in self._spec.extract_used_bodies(as_native(env))]

    def ExtractUsedIndices(self, env: Any) -> tuple[list[int], list[int]]:
        # its argument is a body, whatever it is called
        used, places = self._spec.extract_used_indices(as_native(env))
        return used.tolist(), places.tolist()

    def ConvertData(
        self,
        targetspec: Any,
        sourcedata: Any,
        numpoints: int,
        env: Any,
        filluninitialized: bool = True,
    ) -> Any:
        out = np.zeros((int(numpoints), _spec_of(targetspec).dof))
        return self._converted(
            targetspec, sourcedata, out, env, bool(filluninitialized)
        )

    def ConvertDataFromPrevious(
        self,
        targetdata: Any,
        targetspec: Any,
        sourcedata: Any,
        numpoints: int,
        env: Any,
    ) -> Any:
        shape = (int(numpoints), _spec_of(targetspec).dof)
        out = np.array(targetdata, dtype=np.float64).reshape(shape)
        return self._converted(targetspec, sourcedata, out, env, fill=False)

    def _converted(
        self, target: Any, source: Any, out: Any, env: Any, fill: bool
    ) -> Any:
        from pyrave.trajectories import convert_data

        rows = np.asarray(source, dtype=np.float64).reshape(len(out), self._spec.dof)
        wanted, own = _spec_of(target), self._spec
        convert_data(wanted, rows, own, fill=fill, out=out, env=as_native(env))
        return out.ravel()

    # -- text ----------------------------------------------------------------

    def SerializeJSON(self) -> dict[str, Any]:
        rows = [[getattr(one, name) for name in _FIELDS] for one in self._spec.groups]
        return {"groups": [dict(zip(_FIELDS, row, strict=True)) for row in rows]}

    def DeserializeJSON(self, obj: Any) -> None:
        from pyrave.trajectories import ConfigurationSpecification as Native

        groups = []
        for row in obj["groups"]:
            group = Group()
            for name in _FIELDS:
                setattr(group, name, row[name])
            groups.append(group._as_native())
        self._spec = Native(tuple(groups))

    def __str__(self) -> str:
        return f'<configuration dof="{self._spec.dof}">'

    def __unicode__(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f'ConfigurationSpecification("""{self._spec.to_xml()}""")'

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, ConfigurationSpecification):
            return NotImplemented
        return self._spec == other._spec

    # specifications are changed in place
    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> ConfigurationSpecification:
        return self._of(self._spec + _spec_of(other))

    def __iadd__(self, other: Any) -> Self:
        self._spec = self._spec + _spec_of(other)
        return self

    def __copy__(self) -> ConfigurationSpecification:
        return self._of(self._spec)

    def __deepcopy__(self, memo: Any) -> ConfigurationSpecification:
        return self._of(self._spec)

    def __reduce__(self) -> Any:
        return ConfigurationSpecification, (self._spec.to_xml(),)


def native_specification(given: Any) -> NativeSpecification:
    """Return pyrave's specification of one of the API, or of a group.

    Parameters
    ----------
    given
        A `ConfigurationSpecification` or a `ConfigurationSpecification.Group`.
    """
    return _spec_of(given)


def _spec_of(given: Any) -> NativeSpecification:
    if isinstance(given, ConfigurationSpecification):
        return given._spec
    if isinstance(given, Group):
        from pyrave.trajectories import ConfigurationSpecification as Native

        return Native((given._as_native(),)).reset_group_offsets()
    raise TypeError(
        "expected a ConfigurationSpecification or a group of one, found "
        f"{type(given).__name__}"
    )


def _wanted(given: Any) -> Any:
    return given._as_native() if isinstance(given, Group) else str(given)


def _found(group: Any) -> Group | None:
    return None if group is None else Group._of(group)
