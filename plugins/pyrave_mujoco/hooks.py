"""What the physics engine registers: its kernels, for ``pyrave warm``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyrave.plugins import hookimpl


@hookimpl
def pyrave_kernels() -> Iterable[tuple[str, Callable[[], object]]]:
    """Return the kernel that moves bodies."""
    from pyrave_mujoco.transfer import PULL

    return [("physics-pull", PULL.now)]
