"""Registrations of the native checker: its kernels, for ``pyrave warm``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyrave.plugins import hookimpl


@hookimpl
def pyrave_kernels() -> Iterable[tuple[str, Callable[[], object]]]:
    """Return the kernels, with and without meshes."""
    from pyrave_collision.native import KERNELS

    return [
        (f"collision-{name.replace('_', '-')}", kernel.now)
        for name, kernel in KERNELS.items()
    ]
