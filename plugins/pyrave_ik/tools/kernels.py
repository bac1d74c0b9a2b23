"""All kernels of inverse kinematics by name, for ``pyrave warm``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from pyrave_ik.methods import bounded_arm, least_squares
from pyrave_ik.methods.analytic import cut_kernel
from pyrave_ik.methods.arm_kernels import kernels_by
from pyrave_ik.methods.kernel_choice import METHODS, NEARLY_SPECIAL
from pyrave_ik.solver import continuation

if TYPE_CHECKING:
    from pyrave.jit import Kernel
    from pyrave_ik.methods.arm_kernels import ArmKernels


def kernels() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield names and what compiles them, those that take longest first."""
    may_tilt = [METHODS[kind] for kind in METHODS if kind[0] in NEARLY_SPECIAL]
    sets: list[tuple[str, ArmKernels]] = []
    for method in dict.fromkeys(METHODS.values()):
        for calibrated in (False, True) if method in may_tilt else (False,):
            module = method.module.rpartition(".")[2]
            name = f"ik.{module}{'.calibrated' if calibrated else ''}"
            sets += [
                (f"{name}.{one.stage.name.lower()}", one)
                for one in kernels_by(method, calibrated)
            ]
    for name, one in sorted(sets, key=lambda pair: -pair[1].stage):
        yield name, partial(_compile, one.all)
    others = {
        "numerical": least_squares.kernel,
        "paths": continuation.kernel,
        "branches": bounded_arm.kernel,
        "elimination": cut_kernel,
    }
    for name, kernel in others.items():
        yield f"ik.{name}", partial(_compile, [kernel])


def _compile(some: list[Kernel]) -> None:
    for kernel in some:
        kernel.now()
