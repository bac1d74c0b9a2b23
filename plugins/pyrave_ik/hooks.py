"""Registrations of the package: OpenRAVE's names of solvers, kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave_ik.solver.analytic_ik import OldNameIk


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the old names and patterns of names; all make the analytic solver."""
    from pyrave_ik.solver.names import OLD_NAMES, OLD_PATTERNS

    make = _OldNames()
    return [("iksolver", name, make) for name in (*OLD_NAMES, *OLD_PATTERNS)]


@hookimpl
def pyrave_kernels() -> Iterable[tuple[str, Callable[[], object]]]:
    """Return the kernels of all methods."""
    from pyrave_ik.tools.kernels import kernels

    return kernels()


class _OldNames:
    """The analytic solver under a name of OpenRAVE."""

    @property
    def settings_type(self) -> type:
        """Settings of the solver; its module is imported by who makes one."""
        from pyrave_ik.solver.names import OldNameSettings

        return OldNameSettings

    def __call__(self, env: Environment, *args: str) -> OldNameIk:
        from pyrave_ik.solver.analytic_ik import OldNameIk

        return OldNameIk(env, *args)
