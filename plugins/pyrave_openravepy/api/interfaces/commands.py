"""Base of the classes that call the commands of a module."""

from __future__ import annotations

import contextlib
import math
import sys
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pyrave.errors import Error
from pyrave_openravepy.api.foundation.errors import PlanningError
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native, wrap

__all__ = ["RobotCommands"]

# numbers that OpenRAVE cuts off, if scripts have computed them
_COUNTS = frozenset(
    (
        "goalmaxsamples",
        "goalmaxtries",
        "goalsamples",
        "maxdivision",
        "maxiter",
        "maxsteps",
        "maxtries",
        "minimumgoalpaths",
        "minsteps",
        "seedik",
    )
)


class RobotCommands(Guarded):
    """The commands of a module for one robot.

    Parameters
    ----------
    robot
        A robot of an environment.
    settings
        Settings of pyrave's module, None for those that are not given.
    """

    _id = ""

    def __init__(self, robot: Any, **settings: Any) -> None:
        self._settings = {
            name: value for name, value in settings.items() if value is not None
        }
        self._make(robot)

    def _make(self, robot: Any) -> None:
        native = as_native(robot)
        self.robot, self.env = robot, robot.GetEnv()
        self._module = native.env.create(
            "module", self._id, robot=native.name, **self._settings
        )
        native.env.add(self._module)
        self.prob = wrap(self._module)
        self.args = native.name

    def __del__(self) -> None:
        # nobody can reach the module any more; its environment may have gone before
        module = self.__dict__.get("_module")
        if module is not None and not sys.is_finalizing():
            with contextlib.suppress(Error):
                module.env.remove(module)

    def clone(self, envother: Any) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(
            {
                name: value
                for name, value in vars(self).items()
                if name not in {"robot", "env", "prob", "args", "_module"}
            }
        )
        made._make(envother.GetRobot(self.robot.GetName()))
        return made

    def _answer(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return the answer of a command; None is as not given."""
        given = {
            key: _whole(value) if key in _COUNTS else _unwrapped(value)
            for key, value in arguments.items()
            if key != "self" and value is not None
        }
        return self._module.command(name, **given)

    def _motion(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return the answer of a command that moves, or raise its failure."""
        found = self._answer(name, arguments)
        if not found:
            raise PlanningError(f"{name}: {found.cause}")
        return found

    @staticmethod
    def _trajectory(found: Any, outputtraj: Any, outputtrajobj: Any) -> Any:
        """Return the form of a motion that is asked for: an object or a text."""
        if outputtrajobj:
            return wrap(found.timed)
        return found.timed.to_xml(17) if outputtraj else ""

    def _moved(self, name: str, arguments: dict[str, Any]) -> Any:
        found = self._motion(name, arguments)
        wanted = (arguments.get("outputtraj"), arguments.get("outputtrajobj"))
        return self._trajectory(found, *wanted)

    def _moved_to_end(
        self, name: str, arguments: dict[str, Any]
    ) -> tuple[NDArray[np.float64] | None, Any]:
        """Return the final values and the trajectory, None for what is not asked."""
        found = self._motion(name, arguments)
        final = np.array(found.values) if arguments.get("outputfinal") else None
        wanted = (arguments.get("outputtraj"), arguments.get("outputtrajobj"))
        return final, self._trajectory(found, *wanted) if any(wanted) else None


def _whole(value: Any) -> Any:
    """Return a computed number cut off; commands say what is wrong with all else."""
    is_computed = isinstance(value, float) and math.isfinite(value)
    return int(value) if is_computed else _unwrapped(value)


def _unwrapped(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)([_unwrapped(one) for one in value])
    return as_native(value)
