"""Values of bodies in the numbers of a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.foundation.errors import NotSupportedError
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.foundation.refusals import find_owner

if TYPE_CHECKING:
    from pyrave.trajectories import ConfigurationSpecification as NativeSpecification

__all__ = ["ConfigurationData"]


class ConfigurationData(Guarded):
    """The part of a specification that reads and writes configurations."""

    _spec: NativeSpecification

    def ExtractTransform(
        self, transform: Any, data: Any, body: Any, timederivative: int = 0
    ) -> Any:
        """Return a body's pose, None without one; `transform` has what is left out."""
        if timederivative:
            raise NotSupportedError(
                "rates of a pose are no matrix: use ExtractAffineValues(data, body, "
                f"affinedofs, {timederivative})"
            )
        base = None if transform is None else matrix_of(transform)
        found = self._spec.extract_transform(self._row(data), as_native(body), base)
        return None if found is None else np.array(found)

    def ExtractAffineValues(
        self, data: Any, body: Any, affinedofs: int, timederivative: int = 0
    ) -> Any:
        from pyrave.kinematics import Affine
        from pyrave.trajectories import ConfigurationSpecification, convert_data
        from pyrave.trajectories.groups import derivative_kind

        kind = derivative_kind("affine_transform", int(timederivative))
        mask = Affine(int(affinedofs))
        name = f"{kind} {as_native(body).name} {int(mask)}"
        wanted = ConfigurationSpecification().add_group(name, mask.size)
        if kind is None or self._spec.find_compatible_group(name) is None:
            return None
        return np.array(convert_data(wanted, self._row(data), self._spec))

    def ExtractIkParameterization(
        self,
        data: Any,
        timederivative: int = 0,
        robotname: str = "",
        manipulatorname: str = "",
    ) -> Any:
        """Return the first goal of a robot and manipulator, None without one."""
        found = self._spec.extract_ik_parameterization(
            self._row(data),
            None,
            str(robotname),
            str(manipulatorname),
            int(timederivative),
        )
        if found is None:
            return None
        # goals have specifications of their own, their module needs this one
        return find_owner("IkParameterization")(found)

    def ExtractJointValues(
        self, data: Any, body: Any, indices: Any, timederivative: int = 0
    ) -> Any:
        """Return values of joints, 0 for those that are not there, None without any."""
        row, native = self._row(data), as_native(body)
        wanted = [int(index) for index in indices]
        order = int(timederivative)
        extract = self._spec.extract_joint_values
        found = extract(row, native, wanted, order)
        if found is not None:
            return np.array(found)
        given = np.array([extract(row, native, [one], order) is None for one in wanted])
        if given.all():
            return None
        return np.array(extract(row, native, wanted, order, np.zeros(len(wanted))))

    def ExtractDeltaTime(self, data: Any) -> Any:
        found = self._spec.extract_delta_time(self._row(data))
        return None if found is None else float(found)

    def InsertDeltaTime(self, data: Any, deltatime: float) -> bool:
        """Write the time into an array or a list, in place."""
        row = self._row(data)
        done = self._spec.insert_delta_time(row, float(deltatime))
        return done and _write(row, data)

    def InsertJointValues(
        self, data: Any, values: Any, body: Any, indices: Any, timederivative: int = 0
    ) -> bool:
        """Write values of joints into an array or a list, in place."""
        row, native = self._row(data), as_native(body)
        wanted = [int(index) for index in indices]
        insert = self._spec.insert_joint_values
        done = insert(row, np.asarray(values), native, wanted, int(timederivative))
        return done and _write(row, data)

    def _row(self, data: Any) -> NDArray[np.float64]:
        # as there, only as many numbers as the specification has are looked at
        row = np.array(data, dtype=np.float64).ravel()
        return row[: self._spec.dof]


def _write(row: NDArray[np.float64], data: Any) -> bool:
    for index, value in enumerate(row.tolist()):
        data[index] = value
    return True
