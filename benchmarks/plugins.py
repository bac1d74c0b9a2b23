"""What 200 installed plugins cost who uses none of them, and what hooks cost a step.

Targets: ``pyrave plugins`` and a first ``env.create`` at most 50 ms slower than with
none installed, also where the plugins declare readers, formats and commands; none of
those is imported. A step at most 5 us longer for each hook of 20 plugins.

Times of processes are the least processor time, which other programs disturb least.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measuring import interleaved, process, report

PLUGINS = 200
STEPPING = 20
BOUND_S = 0.05
BOUND_US = 5.0
FIRST = """
import pyrave
env = pyrave.Environment()
env.create("controller", "IdealController")
"""
SCENE = """
import sys, pyrave
env = pyrave.Environment()
env.load_string('<kinbody name="a"><body name="b"/></kinbody>')
env.step(0.01)
print(sum(name.startswith("many_") for name in sys.modules))
"""
HOOK = """
import pyrave

@pyrave.hookimpl
def pyrave_step_begin(env, dt):
    pass

@pyrave.hookimpl
def pyrave_step_end(env, dt):
    pass
"""


def package(folder: Path, name: str, entry_points: str, source: str) -> None:
    """Install a package, as metadata on a path."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    text += "Requires-Dist: numpy\nRequires-Dist: pyrave>=0.1\n"
    (info / "METADATA").write_text(text)
    (info / "entry_points.txt").write_text(entry_points)
    (folder / f"{name}.py").write_text(source)


def interfaces(folder: Path) -> None:
    """Install plugins that offer classes."""
    for i in range(PLUGINS):
        points = f"[pyrave.sensor]\nManySensor{i} = many_{i}:Sensor\n"
        points += f"[pyrave.planner]\nManyPlanner{i} = many_{i}:Planner\n"
        package(folder, f"many_{i}", points, "raise RuntimeError('imported')\n")


def declared(folder: Path) -> None:
    """Install plugins that declare a reader, formats and a command."""
    for i in range(PLUGINS):
        points = (
            f"[pyrave.xml_readers.sensor]\nmany{i} = many_{i}:read\n"
            f"[pyrave.scene_formats.many{i}]\nmany-scene-{i} = many_{i}:Scenes\n"
            f"[pyrave.mesh_formats.mesh{i}]\nmany-mesh-{i} = many_{i}:Meshes\n"
            f"[pyrave.commands]\nmany{i} = many_{i}:run\n"
        )
        package(folder, f"many_{i}", points, "raise RuntimeError('imported')\n")


def with_path(folder: Path) -> dict[str, str]:
    """Return what shows the packages of a folder to a process."""
    path = filter(None, (str(folder), os.environ.get("PYTHONPATH")))
    return {"PYTHONPATH": os.pathsep.join(path)}


def of_processes(rounds: int, root: Path) -> dict[str, object]:
    """Return times of commands without plugins and with 200 of both kinds."""
    folders: dict[str, Path] = {}
    kinds: dict[str, Callable[[Path], None]] = {
        "none": lambda _: None,
        "interfaces": interfaces,
        "declared": declared,
    }
    for name, make in kinds.items():
        folders[name] = root / name
        folders[name].mkdir()
        make(folders[name])
    commands = {
        "plugins": (sys.executable, "-m", "pyrave", "plugins", "--json"),
        "create": (sys.executable, "-c", FIRST),
    }
    cases = {
        f"{what}_{name}": process(*command, environment=with_path(folder))
        for what, command in commands.items()
        for name, folder in folders.items()
    }
    times = interleaved(cases, rounds)
    more = {
        name: times[name]["cpu_s"] - times[f"{name.partition('_')[0]}_none"]["cpu_s"]
        for name in times
        if not name.endswith("_none")
    }
    done = subprocess.run(
        [sys.executable, "-c", SCENE],
        env={**os.environ, **with_path(folders["declared"])},
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        "times": times,
        "more_s": more,
        "more_target_s": BOUND_S,
        "more_within": max(more.values()) <= BOUND_S,
        "imported_for_a_scene": int(done.stdout.split()[-1]),
    }


def of_steps(steps: int, root: Path) -> dict[str, object]:
    """Return what each of two hooks of 20 plugins adds to an empty step."""
    import pyrave

    env = pyrave.Environment()

    def step_us() -> float:
        best = float("inf")
        for _ in range(10):
            begin = time.process_time()
            for _ in range(steps):
                env.step(0.001)
            best = min(best, (time.process_time() - begin) / steps)
        return 1e6 * best

    without = step_us()
    for i in range(STEPPING):
        path = root / f"stepping_{i}.py"
        path.write_text(HOOK)
        env.registry.load_path(path, allow=True)
    with_hooks = step_us()
    each = (with_hooks - without) / (2 * STEPPING)
    return {
        "step_us": without,
        "step_with_hooks_us": with_hooks,
        "each_hook_us": each,
        "each_hook_target_us": BOUND_US,
        "each_hook_within": each <= BOUND_US,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="processes of each kind")
    parser.add_argument("--steps", type=int, default=1000, help="steps timed together")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        report(
            "plugins",
            processes=of_processes(given.rounds, root),
            steps=of_steps(given.steps, root),
        )


if __name__ == "__main__":
    main()
