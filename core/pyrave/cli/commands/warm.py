"""``pyrave warm``: compilation of all kernels, for containers and new machines."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from pyrave.errors import ArgumentError, StateError


@dataclass(frozen=True, slots=True)
class Compiled:
    """A kernel that was compiled.

    Parameters
    ----------
    seconds
        Processor time that it took.
    error
        Why it failed, ``""`` if it did not.
    contents
        Folders of the cache that its process has used so far.
    """

    seconds: float
    error: str
    contents: frozenset[str] = frozenset()


def warm(
    *,
    only: tuple[str, ...] = (),
    jobs: int = 0,
    list_: Annotated[bool, Parameter(name="--list", negative="")] = False,
    explain: Annotated[bool, Parameter(negative="")] = False,
    wheel: Path | None = None,
    level: str | None = None,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Compile all kernels into the cache, so that no later process has to.

    Exits with 1 if one of them cannot be compiled, or the cache cannot be written.
    What was compiled before is not compiled again, so that a second call goes on where
    one was stopped.

    Parameters
    ----------
    only
        Names of kernels, with ``*`` for anything; may be given several times.
    jobs
        Processes that compile; 0: one for each processor.
    list_
        Print the names of the kernels and compile nothing.
    explain
        Measure which kernels the demo, a first plan and a first picture wait for, each
        in a process with an empty cache, and keep nothing. Takes half a minute.
    wheel
        Pure wheel of this pyrave. One for this platform is written beside it, with the
        machine code of the kernels.
    level
        Processor level that a wheel's machine code is for, x86-64-v3 unless given;
        host: this processor.
    json
        Print JSON (schema pyrave-warm/1).
    """
    from pyrave.cli.output import console, print_json, progress_console
    from pyrave.jit.cache import advice, chosen_directory, refusal

    if explain:
        from pyrave.cli.first_calls import print_first_calls

        print_first_calls(as_json=json)
        return 0
    if wheel is not None:
        from pyrave.cli.platform_wheel import check_wheel, compile_for

        compile_for(level or "x86-64-v3")
        check_wheel(wheel)
    elif level is not None:
        raise ArgumentError(
            f"--level {level} is of the machine code in a wheel; give --wheel, too, or "
            "neither: kernels in the cache are for this processor"
        )

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
    contents: set[str] = set()
    log = progress_console()
    start = time.perf_counter()

    def report(name: str, made: Compiled) -> None:
        seconds, error = made.seconds, made.error
        done.append({"name": name, "cpu_s": round(seconds, 2), "error": error})
        contents.update(made.contents)
        state = (
            f"[bold red]failed[/bold red]: {error}"
            if error
            else f"{seconds:.1f} s of CPU"
        )
        log.print(f"{len(done)}/{len(names)} {name}: {state}")

    compile_kernels(names, jobs, report)
    failed = sum(bool(one["error"]) for one in done)
    place = folder
    if wheel is not None and not failed:
        from pyrave.cli.platform_wheel import make_platform_wheel

        place = make_platform_wheel(wheel, folder, contents)
    if json:
        total = round(time.perf_counter() - start, 2)
        data = {"schema": "pyrave-warm/1", "cache": str(folder), "seconds": total}
        made = {"wheel": str(place)} if place is not folder else {}
        print_json({**data, **made, "kernels": done})
    else:
        without = "; no wheel was made" if wheel is not None and failed else ""
        good = len(done) - failed
        console().print(f"compiled: {good} of {len(done)}, in {place}{without}")
    return 1 if failed else 0


def kernel_names() -> list[str]:
    """Return the names of all kernels.

    Those of rays come first, as they take longest; those of plugins are in the order
    in which `pyrave_kernels` lists them.
    """
    return list(_functions())


def compile_kernels(
    names: list[str], jobs: int, report: Callable[[str, Compiled], None]
) -> None:
    """Compile kernels in parallel processes.

    Parameters
    ----------
    jobs
        Number of processes, 0: one for each processor.
    report
        Called for each kernel that is done with its name and what became of it.

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
            gone = "its process ended; there may be too little memory"
            report(name, Compiled(0.0, gone))


def _in_processes(
    names: list[str], count: int, report: Callable[[str, Compiled], None]
) -> list[str]:
    """Compile kernels; return the names of those without result as a process ended."""
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    lost: list[str] = []
    context = get_context("spawn")
    with ProcessPoolExecutor(count, context, _end_with_parent) as pool:
        futures = {}
        for name in names:
            try:
                futures[pool.submit(_compile, name)] = name
            except BrokenExecutor:
                lost.append(name)
        for future in as_completed(futures):
            try:
                made = future.result()
            except BrokenExecutor:
                lost.append(futures[future])
            else:
                report(futures[future], made)
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


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however that ended."""
    from multiprocessing import parent_process
    from threading import Thread

    def wait() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


def _compile(name: str) -> Compiled:
    """Compile a kernel."""
    from pyrave.jit import eager
    from pyrave.jit.compiler import cached_contents

    os.environ["PYRAVE_COMPILE"] = "foreground"
    start = time.process_time()
    error = ""
    try:
        with eager():
            _functions()[name]()
    except Exception as problem:  # noqa: BLE001 - it is reported by name
        error = f"{type(problem).__name__}: {problem}"
    sys.stdout.flush()
    return Compiled(time.process_time() - start, error, cached_contents())


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
    """Move an arm: poses, limits, Jacobians, dynamics."""
    import numpy as np

    from pyrave.api import load
    from pyrave.kinematics.limits import KERNELS as LIMITS
    from pyrave.kinematics.poses import KERNELS as POSES
    from pyrave.kinematics.tool_jacobians import KERNELS as JACOBIANS

    for kernel in (*POSES, *LIMITS, *JACOBIANS):
        kernel.now()
    robot = load("robots/heron7.robot.xml").robots[0]
    arm = robot.manipulators[0]
    robot.dof_values = robot.dof_values
    q = np.zeros((2, robot.dof))
    arm.jacobian()
    robot.compute_link_transforms(q)
    robot.inverse_dynamics(np.zeros(robot.dof))
    robot.forward_dynamics(np.zeros(robot.dof))
    robot.mass_matrix()
    robot.dynamics.center_of_mass_jacobian()
