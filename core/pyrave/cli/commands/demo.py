"""``pyrave demo``: the whole way from a scene file to a picture of a laser scan."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, validators

from pyrave.cli.options import ViewOptions
from pyrave.errors import ResourceError
from pyrave.files import write_file

if TYPE_CHECKING:
    from pyrave.cli.demo_motion import DemoResult

_SCENE = "scenes/demo.env.xml"
_PLACE = Path("pyrave-demo")
_NO_VIEW = ViewOptions()
# of numbers in the summary, a nanometre
_DIGITS = 9


def demo(
    *,
    out: Path = _PLACE,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    steps: Annotated[int | None, Parameter(validator=validators.Number(gte=1))] = None,
    seed: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 0,
    view: ViewOptions = _NO_VIEW,
) -> int:
    """Load a scene, move an arm, read its laser, and draw what it saw.

    The same seed gives the same files.

    Parameters
    ----------
    out
        Folder for the picture (demo.png) and the numbers (summary.json).
    json
        Print the numbers as JSON (schema pyrave-demo/2).
    steps
        Steps of simulated time, 0.02 s each; until the motion is done if left out.
    seed
        Seed of the small variation of the motion.
    """
    from pyrave.cli.demo_motion import run_demo
    from pyrave.cli.output import print_json, progress_console
    from pyrave.summary import plain, to_json

    begin = time.perf_counter()
    viewpoint = vars(view.of_picture("--out", given=True))
    with progress_console().status("loading the scene") as status:
        result = run_demo(demo_scene(), steps, seed, status.update)
        status.update("drawing the picture")
        picture = _draw(result, out, viewpoint)
    data = _rounded(plain(_summary(result, picture)))
    path = out / "summary.json"
    write_file(path, to_json(data) + "\n")
    if json:
        print_json(data)
    else:
        _print(data, path, time.perf_counter() - begin)
    return 0


def demo_scene() -> Path:
    """Return the demo scene of an installed data package.

    Raises
    ------
    ResourceError
        The package with the scenes is not installed.
    """
    from pyrave.plugins import default_registry

    folders = default_registry().data_folders()
    for folder in folders:
        if (folder / _SCENE).is_file():
            return folder / _SCENE
    raise ResourceError(
        _SCENE, map(str, folders), "the package pyrave_environments is not installed"
    )


def _draw(result: DemoResult, out: Path, viewpoint: dict[str, Any]) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    path = out / "demo.png"
    seen = (result.scan, result.points)
    result.env.picture(
        path, scans=[one for one in seen if one is not None], **viewpoint
    )
    return path


def _summary(result: DemoResult, picture: Path) -> dict[str, Any]:
    from pyrave.summary import names_by_id, problem_summary, sensor_data_summary

    env, robot = result.env, result.robot
    return {
        "schema": "pyrave-demo/2",
        "uri": result.scene.uri,
        "picture": str(picture),
        "steps": result.steps,
        "dt": result.dt,
        "simulation_time": env.simulation_time,
        "robot": robot.name,
        "waypoints": [
            {
                "time": moment.time,
                "dof_values": moment.dof_values,
                "tool": moment.tool,
                "hits": moment.hits,
            }
            for moment in result.moments
        ],
        "bodies": [
            {
                "name": body.name,
                "is_robot": body.is_robot,
                "transform": body.transform,
                "dof_values": body.dof_values,
            }
            for body in env.bodies
        ],
        "laser": {
            "name": result.laser.name,
            "scans": result.scans,
            "points": len(result.points),
            "hits_by_body": result.hits_by_body,
            "angles": result.angles,
            "last_scan": sensor_data_summary(result.scan, names_by_id(env)),
        },
        "problems": [problem_summary(problem) for problem in env.problems],
    }


def _rounded(data: Any) -> Any:
    """Return data without what depends on when kernels were compiled."""
    if isinstance(data, dict):
        return {name: _rounded(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_rounded(value) for value in data]
    # adding nothing makes minus zero zero
    return round(data, _DIGITS) + 0.0 if isinstance(data, float) else data


def _print(data: dict[str, Any], summary: Path, wall: float) -> None:
    from rich.table import Table

    from pyrave.cards import counted
    from pyrave.cli.demo_motion import GRAIN
    from pyrave.cli.output import console
    from pyrave.cli.tables import bodies_table, numbers
    from pyrave.errors import count_severities

    out = console()
    out.print(f"[bold]{data['uri']}[/bold]")
    out.print(bodies_table(data["bodies"]))
    motion = Table(title=f"the motion of {data['robot']}", title_justify="left")
    for column in ("time (s)", "tool at (m)", "joint values", "laser hits"):
        motion.add_column(column)
    for moment in data["waypoints"]:
        motion.add_row(
            f"{moment['time']:.2f}",
            numbers([row[3] for row in moment["tool"][:3]]),
            numbers(moment["dof_values"], 2),
            str(moment["hits"]),
        )
    out.print(motion)
    laser = data["laser"]
    if laser["last_scan"] is not None:
        out.print(_ranges(laser))
    hits = laser["hits_by_body"]
    seen = ", ".join(f"{name} {count}" for name, count in hits.items())
    scans, total = counted(laser["scans"], "scan"), counted(sum(hits.values()), "hit")
    out.print(f"{scans}, {total}: {seen or 'none'}")
    out.print(
        f"cloud of {counted(laser['points'], 'point')}: without hits of "
        f"{data['robot']}, one for each {GRAIN * 1000:g} mm"
    )
    out.print(
        f"{counted(data['steps'], 'step')} of {data['dt']:g} s, simulated time "
        f"{data['simulation_time']:.2f} s, wall time {wall:.2f} s; "
        + count_severities(one["severity"] for one in data["problems"])
    )
    legend = "red: the last scan, blue: the cloud"
    out.print(f"picture: [bold]{data['picture']}[/bold] ({legend})", soft_wrap=True)
    out.print(f"numbers: [bold]{summary}[/bold]", soft_wrap=True)


def _ranges(laser: dict[str, Any]) -> Any:
    import numpy as np
    from rich.table import Table

    scan = laser["last_scan"]
    distances, hit = np.asarray(scan["distances"]), np.asarray(scan["intensity"]) > 0
    longest = float(distances[hit].max()) if hit.any() else 1.0
    table = Table(title=f"the last scan of {laser['name']}", title_justify="left")
    for column in ("angle (deg)", "range (m)", "hits", ""):
        table.add_column(column, justify="left" if column in {"hits", ""} else "right")
    for i in range(0, len(distances), max(len(distances) // 20, 1)):
        bar = "█" * round(30 * float(distances[i]) / longest) if hit[i] else ""
        table.add_row(
            f"{np.degrees(laser['angles'][i]):.1f}",
            f"{distances[i]:.3f}" if hit[i] else "-",
            laser["last_scan"]["body_names"][i] or "",
            bar,
        )
    return table
