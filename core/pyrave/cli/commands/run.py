"""``pyrave run``: load a scene and let simulated time pass."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, validators

from pyrave.cli.options import StartOptions, ViewOptions
from pyrave.files import write_file

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces import SensorBase

_NO_OPTIONS = StartOptions()
_NO_VIEW = ViewOptions()
_VIDEO_RATE = 25.0


def run(
    file: Path,
    *,
    steps: Annotated[int | None, Parameter(validator=validators.Number(gte=0))] = None,
    dt: Annotated[float, Parameter(validator=validators.Number(gt=0, lt=1e6))] = 0.01,
    time: Annotated[
        float | None, Parameter(validator=validators.Number(gte=0, lt=1e9))
    ] = None,
    physics: str | None = None,
    realtime: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    out: Path | None = None,
    record: Path | None = None,
    plot: Path | None = None,
    video: Path | None = None,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    view: ViewOptions = _NO_VIEW,
    loading: StartOptions = _NO_OPTIONS,
) -> int:
    """Load a scene, step it, and show where everything is and what sensors see.

    Parameters
    ----------
    file
        Scene, robot or body file.
    steps
        How many simulation steps; 100 unless --time says.
    dt
        Simulated seconds a step.
    time
        Simulated seconds, in place of --steps.
    physics
        Id of the physics engine, with settings in quotation marks: mujoco, or "mujoco
        time_step=0.001". By default that of the scene; mujoco,
        if it is installed, where the scene says something for physics engines.
    realtime
        Let a simulated second take a second.
    out
        Folder for a picture (scene.png) and what is printed (summary.json). Scans of
        sensors that draw their data (RenderDataOn) are in the picture.
    record
        File (.npz) for the states after each step: time, poses, joint values and
        velocities of bodies, energies, contact forces.
    plot
        Picture (.png, .jpg, .svg, .pdf) of these over time; needs the extra `plot`.
    video
        File (.mp4, .mkv, .webm, .gif) for a video of the scene, 25 pictures a simulated
        second; needs the program ffmpeg, which the extra `video` brings.
    json
        Print JSON (schema pyrave-run/2).
    strict
        Refuse a file that has warnings.
    """
    from pyrave.cli.motion import Motion, choose_engine, require_endings
    from pyrave.cli.output import print_json
    from pyrave.environment.display.videos import VideoRecorder, video_target
    from pyrave.summary import to_json

    count = _count(steps, time, dt)
    require_endings(record, plot)
    drawn = out is not None or video is not None
    viewpoint = view.of_picture("--out or --video", given=drawn)
    film = None if video is None else video_target(video, "--video")
    env, report = loading.load(file, strict=strict)
    choose_engine(env, report.scene, physics)
    motion = Motion(env, count, whole=record is not None or plot is not None)
    with ExitStack() as stack:
        followers = [motion.add]
        if film is not None:
            recorder = VideoRecorder(env, film, viewpoint, rate=_VIDEO_RATE)
            recorder = stack.enter_context(recorder)
            recorder.environment_sync()
            followers.append(recorder.environment_sync)
        wall = simulate(
            env, count, dt, realtime=realtime,
            after=lambda: [follow() for follow in followers],
        )  # fmt: skip
    if record is not None:
        motion.save(record)
    if plot is not None:
        motion.plot(plot)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        env.picture(out / "scene.png", **vars(viewpoint))
    # last, as it tells of problems
    data = run_summary(env, str(file), count, dt, wall) | motion.summary(wall)
    if out is not None:
        write_file(out / "summary.json", to_json(data) + "\n")
    if json:
        print_json(data)
    else:
        _print(data)
    return 0


def _count(steps: int | None, time: float | None, dt: float) -> int:
    from pyrave.errors import ArgumentError

    if time is None:
        return 100 if steps is None else steps
    if steps is not None:
        raise ArgumentError("--steps and --time both say how long; leave one out")
    return round(time / dt)


def simulate(
    env: Environment,
    steps: int,
    dt: float,
    *,
    realtime: bool,
    after: Callable[[], object] = lambda: None,
) -> float:
    """Step an environment and return the wall time that it took, seconds.

    Parameters
    ----------
    after
        Called after each step; that time does not count.
    """
    from pyrave.batches import each

    begin, beside = clock.perf_counter(), 0.0
    for i in each(range(steps), "simulating", "steps"):
        env.step(dt)
        done = clock.perf_counter()
        after()
        beside += clock.perf_counter() - done
        if realtime:
            ahead = begin + (i + 1) * dt - clock.perf_counter()
            if ahead > 0:
                clock.sleep(ahead)
    return clock.perf_counter() - begin - beside


def run_summary(
    env: Environment, uri: str, steps: int, dt: float, wall: float
) -> dict[str, Any]:
    """Return the state after a run as data."""
    from pyrave.environment.failures import attempted
    from pyrave.summary import problem_summary

    def state_of(sensor: SensorBase) -> dict[str, Any]:
        return attempted(
            env,
            sensor,
            partial(_sensor_state, env, sensor),
            partial(_unread, sensor),
            what="reading what it measured raised",
            outcome="is summed up without data",
        )

    return {
        "schema": "pyrave-run/2",
        "uri": uri,
        "steps": steps,
        "dt": dt,
        "simulation_time": env.simulation_time,
        "wall_time": wall,
        "steps_per_second": steps / wall if wall > 0 and steps else None,
        "bodies": [
            {
                "name": body.name,
                "is_robot": body.is_robot,
                "transform": body.transform,
                "dof_values": body.dof_values,
            }
            for body in env.bodies
        ],
        "sensors": [state_of(sensor) for sensor in env.sensors],
        "problems": [problem_summary(problem) for problem in env.problems],
    }


def _sensor_state(env: Environment, sensor: SensorBase) -> dict[str, Any]:
    from pyrave.summary import names_by_id, sensor_data_summary

    data = sensor_data_summary(sensor.last_data(), names_by_id(env))
    return _unread(sensor) | {"power": sensor.power, "data": data}


def _unread(sensor: SensorBase) -> dict[str, Any]:
    """Return the facts about a sensor that do not need its help."""
    return {
        "name": sensor.name,
        "id": sensor.interface_id,
        "power": False,
        "data": None,
    }


def _print(data: dict[str, Any]) -> None:
    from pyrave.cards import counted
    from pyrave.cli.output import console
    from pyrave.cli.tables import bodies_table, sensors_table
    from pyrave.errors import count_severities

    out = console()
    out.print(bodies_table(data["bodies"]))
    if data["sensors"]:
        out.print(sensors_table(data["sensors"]))
    rate = data["steps_per_second"]
    speed = f", {rate:.0f} steps per second" if rate else ""
    problems = count_severities(one["severity"] for one in data["problems"])
    factor = data["real_time_factor"]
    if data["energy_drift"] is not None and factor is not None:
        lines = [f"{data['physics_engine']}: {factor:.3g} times real time"]
        lines.append(f"energy {data['energy_drift']:+.3g} J")
        if data["largest_penetration"] is not None:
            depth = 1e3 * data["largest_penetration"]
            lines.append(f"deepest contact {depth:.3g} mm")
        out.print(", ".join(lines))
    out.print(
        f"{counted(data['steps'], 'step')} of {data['dt']:g} s: simulated time "
        f"{data['simulation_time']:.6f} s in {data['wall_time']:.3f} s{speed}; "
        + (f"[magenta]{problems}[/magenta]" if data["problems"] else problems)
    )
