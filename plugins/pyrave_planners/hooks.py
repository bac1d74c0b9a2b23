"""What the planners register: their kernels, for ``pyrave warm``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyrave.plugins import hookimpl


@hookimpl
def pyrave_kernels() -> Iterable[tuple[str, Callable[[], object]]]:
    """Return the kernels of searches."""
    from pyrave.planning.search.joint_space import KERNELS

    return [(f"planning-{name}", kernel.now) for name, kernel in KERNELS.items()]
