"""``pyrave warm``: compilation of all kernels, for containers and new machines."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Annotated, Any

from cyclopts import Parameter

from pyrave.errors import ArgumentError, StateError


def warm(
    *,
    only: tuple[str, ...] = (),
    jobs: int = 0,
    list_: Annotated[bool, Parameter(name="--list", negative="")] = False,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Compile all kernels into the cache, so that no later process has to.

    Exits with 1 if one of them cannot be compiled, or the cache cannot be written.

    Parameters
    ----------
    only
        Names of kernels, with ``*`` for anything; may be given several times.
    jobs
        Processes that compile; 0: one for each processor.
    list_
        Print the names of the kernels and compile nothing.
    json
        Print JSON (schema pyrave-warm/1).
    """
    from pyrave.cli.output import console, print_json, progress_console
    from pyrave.jit.cache import advice, chosen_directory, refusal

    names = _chosen(only)
    if list_:
        if json:
            print_json({"schema": "pyrave-warm/1", "kernels": names})
        else:
            console().print("\n".join(names))
        return 0
    folder = chosen_directory()
    if reason := refusal(folder) or (
        "" if os.access(folder, os.W_OK) else "is read-only"
    ):
        raise StateError(
            f"nothing can be kept: {folder} {reason}; {advice(folder, reason)}"
        )
    done: list[dict[str, Any]] = []
    log = progress_console()
    start = time.perf_counter()

    def report(name: str, seconds: float, error: str) -> None:
        done.append({"name": name, "seconds": round(seconds, 2), "error": error})
        state = f"[bold red]failed[/bold red]: {error}" if error else f"{seconds:.1f} s"
        log.print(f"{len(done)}/{len(names)} {name}: {state}")

    compile_kernels(names, jobs, report)
    if json:
        total = round(time.perf_counter() - start, 2)
        data = {"schema": "pyrave-warm/1", "cache": str(folder), "seconds": total}
        print_json({**data, "kernels": done})
    else:
        console().print(f"{len(done)} kernels are in {folder}")
    return 1 if any(one["error"] for one in done) else 0


def kernel_names() -> list[str]:
    """Return the names of all kernels.

    Those of rays come first, as they take longest; those of plugins are in the order
    in which `pyrave_kernels` lists them.
    """
    return list(_functions())


def compile_kernels(
    names: list[str], jobs: int, report: Callable[[str, float, str], None]
) -> None:
    """Compile kernels in parallel processes.

    Parameters
    ----------
    jobs
        Number of processes, 0: one for each processor.
    report
        Called for each kernel that is done with its name, the seconds it took, and why
        it failed, empty if it did not.

    Raises
    ------
    ArgumentError
        The number of processes is negative.
    """
    if jobs < 0:
        raise ArgumentError(
            f"the number of processes is {jobs}, expected 1 or more, or 0 for one for "
            "each processor"
        )
    if not names:
        return
    lost = _in_processes(names, min(jobs or os.cpu_count() or 1, len(names)), report)
    for name in lost:
        # which of them ended a process is not known: each has one of its own
        if _in_processes([name], 1, report):
            report(name, 0.0, "its process ended; there may be too little memory")


def _in_processes(
    names: list[str], count: int, report: Callable[[str, float, str], None]
) -> list[str]:
    """Compile kernels; return the names of those without result as a process ended."""
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    lost: list[str] = []
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        futures = {}
        for name in names:
            try:
                futures[pool.submit(_compile, name)] = name
            except BrokenExecutor:
                lost.append(name)
        for future in as_completed(futures):
            try:
                seconds, error = future.result()
            except BrokenExecutor:
                lost.append(futures[future])
            else:
                report(futures[future], seconds, error)
    return lost


def _chosen(only: tuple[str, ...]) -> list[str]:
    names = kernel_names()
    for pattern in only:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ArgumentError(
                f"no kernel is named {pattern!r}; the names are {', '.join(names)}"
            )
    if not only:
        return names
    return [n for n in names if any(fnmatchcase(n, pattern) for pattern in only)]


def _functions() -> dict[str, Callable[[], object]]:
    """Return the function that compiles each kernel, by name; the first one wins."""
    from pyrave.plugins import default_registry

    found: dict[str, Callable[[], object]] = {
        **_ray_kernels(),
        "kinematics": _kinematics,
        "planning": _planning,
        "grasping": _grasping,
    }
    for name, function in default_registry().kernels():
        found.setdefault(name, function)
    return found


def _ray_kernels() -> dict[str, Callable[[], object]]:
    """Return the functions that compile kernels of rays, trees and pictures."""
    from pyrave.geometry.mesh_bvh import KERNELS as TREES
    from pyrave.geometry.ray_caster import KERNELS as CASTS
    from pyrave.geometry.renderer import KERNELS as PICTURES
    from pyrave.world.packed import KERNELS as POSES

    kernels = {**CASTS, **TREES, **PICTURES, **POSES}
    return {f"rays.{name}": kernel.now for name, kernel in kernels.items()}


def _compile(name: str) -> tuple[float, str]:
    """Compile a kernel; return the seconds that took, and why it failed."""
    from pyrave.jit import eager

    os.environ["PYRAVE_COMPILE"] = "foreground"
    start = time.perf_counter()
    error = ""
    try:
        with eager():
            _functions()[name]()
    except Exception as problem:  # noqa: BLE001 - it is reported by name
        error = f"{type(problem).__name__}: {problem}"
    sys.stdout.flush()
    return time.perf_counter() - start, error


def _planning() -> None:
    """Retime lines and a spline, also within limits of torques, and take shortcuts."""
    from pyrave.planning.timing.bounded_paths import KERNELS as BOUNDED
    from pyrave.planning.timing.parametrization import KERNELS
    from pyrave.planning.timing.ramps import CONNECT

    for kernel in (*KERNELS, *BOUNDED, CONNECT):
        kernel.now()


def _grasping() -> None:
    """Measure grasps, close hands, and map what arms reach."""
    from pyrave.databases.reach.tool_chain import KERNELS as REACH
    from pyrave.grasping.closure import KERNELS
    from pyrave.grasping.grasper import KERNELS as HANDS

    for kernel in (*KERNELS.values(), *HANDS.values(), *REACH.values()):
        kernel.now()


def _kinematics() -> None:
    """Move an arm: poses, Jacobians, dynamics."""
    import numpy as np

    from pyrave.api import load

    robot = load("robots/arms/panda.robot.xml").robots[0]
    arm = robot.manipulators[0]
    robot.dof_values = robot.dof_values
    q = np.zeros((2, robot.dof))
    arm.jacobian()
    robot.compute_link_transforms(q)
    robot.inverse_dynamics(np.zeros(robot.dof))
    robot.forward_dynamics(np.zeros(robot.dof))
    robot.mass_matrix()
