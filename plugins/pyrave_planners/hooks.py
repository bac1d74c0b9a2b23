"""Registrations of the planners: their kernels, for ``pyrave warm``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyrave.plugins import hookimpl


@hookimpl
def pyrave_kernels() -> Iterable[tuple[str, Callable[[], object]]]:
    """Return the kernels of searches."""
    from pyrave.planning.search.joint_space import KERNELS
    from pyrave.planning.search.random_astar import KERNELS as A_STAR

    kernels = {**KERNELS, **A_STAR}
    return [(f"planning-{name}", kernel.now) for name, kernel in kernels.items()]
