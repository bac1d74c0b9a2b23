"""``pyrave scan``: a measurement of a scene's sensor as a file."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter, validators

from pyrave.cli.options import StartOptions, ViewOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.environment import Environment
    from pyrave.interfaces import SensorBase
    from pyrave.sensing import SensorData

_NO_OPTIONS = StartOptions()
_NO_VIEW = ViewOptions()
_MAX_SCANS = 100_000
# in the heading, or of no use to readers
_SAID = ("type", "stamp", "pose")


def scan(
    file: Path,
    *,
    sensor: str = "",
    out: Path | None = None,
    time: Annotated[float, Parameter(validator=validators.Number(gte=0, lt=1e6))] = 0.0,
    dt: Annotated[
        float, Parameter(validator=validators.Number(gte=1e-6, lt=1e6))
    ] = 0.01,
    gather: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    set: Annotated[  # noqa: A002 - the name of the option
        tuple[str, ...], Parameter(negative="", show_default=False)
    ] = (),
    frame: Literal["world", "sensor"] = "world",
    text: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    seed: Annotated[int | None, Parameter(validator=validators.Number(gte=0))] = None,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    view: ViewOptions = _NO_VIEW,
    loading: StartOptions = _NO_OPTIONS,
) -> int:
    """Measure with a sensor of a scene and write what it sees.

    Without --sensor and --out it lists the sensors of the scene.

    Parameters
    ----------
    file
        Scene or robot file.
    sensor
        Its name: robot:sensor, or sensor alone where that says which. May be left out
        if there is one.
    out
        A point cloud (.ply, .pcd, .xyz, .csv, .npy), whole scans (.npz) or a picture of
        the scene with the points in it (.png, .jpg); of a camera an image (.png, .jpg,
        .npy, .npz), of what the name says: depth.npy, view.normals.png, body_ids.png.
        Of other sensors all fields (.npz), and their points as those of scans if they
        have some.
    time
        Seconds of simulated time before the measurement.
    dt
        Seconds a step of it.
    gather
        Write every scan of that time as one cloud, not only the last.
    set
        A joint's value, radians or metres: joint=0.5, or robot/joint=0.5 where several
        have a joint of that name; may be repeated.
    frame
        Of points: the world's, or the sensor's.
    text
        Write PLY and PCD as text.
    seed
        Of the sensor's noise.
    json
        Print JSON (schema pyrave-scan/2).
    strict
        Refuse a file that has warnings.
    """
    from pyrave.cli.joints import set_joints
    from pyrave.cli.output import print_json, progress_console
    from pyrave.pictures.layers import cloud_of
    from pyrave.sensing import LaserData, save_sensor_data

    env, report = loading.load(file, strict=strict)
    of_points = {"--frame": frame != "world", "--text": text}
    of_measuring = {
        "--gather": gather, "--time": time > 0, "--set": set, "--seed": seed is not None
    }  # fmt: skip
    if out is None:
        _refuse(of_points, "is of a file, name one with --out")
    if not sensor and out is None:
        _refuse(of_measuring, "is of a measurement, name its sensor with --sensor")
        _list(env, report.scene.uri or str(file), json=json)
        return 0
    chosen = _sensor(env, sensor)
    drawn = False
    if out is not None:
        kind = _kind_of_file(chosen, out, text=text)
        drawn = kind == "picture"
        if kind != "points":
            _refuse(of_points, f"is of points alone, not of the {kind} {out.name}")
    viewpoint = view.of_picture("--out NAME.png of a scanner", given=drawn)
    if gather:
        _require_scanner(chosen, time)
    set_joints(env, set)
    if seed is not None:
        _start_noise(chosen, seed)
    content, legend = None, ""
    with progress_console().status(f"measuring with {chosen.name}") as status:
        measured = _measure(env, chosen, (time, dt), gather, status.update)
        if out is not None and drawn:
            # its scans are drawn here, all that were gathered
            chosen.render_data = False
            env.picture(out, scans=measured, **vars(viewpoint))
            rays = cloud_of([s for s in measured if isinstance(s, LaserData)]).scan
            legend = "; red: the scan and its rays" if rays else "; blue: the points"
            content = "picture"
        elif out is not None:
            data: Any = measured if gather else measured[-1]
            content = save_sensor_data(data, out, frame=frame, text=text)
    summary = _summary(env, chosen, measured)
    summary |= {"out": None if out is None else str(out), "content": content}
    if json:
        print_json(summary)
    else:
        _print(summary, legend)
    return 0


def _list(env: Environment, uri: str, *, json: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    from pyrave.cli.output import console, print_json

    found = [
        {
            "name": one.name,
            "id": one.interface_id,
            "type": one.create_sensor_data().sensor_type.name.lower(),
            "link": None if one.mounting is None else one.mounting.link.name,
        }
        for one in env.sensors
    ]
    if json:
        print_json({"schema": "pyrave-scan/2", "uri": uri, "sensors": found})
        return
    if not found:
        console().print(f"{escape(uri)} has no sensors", soft_wrap=True)
        return
    console().print(f"[bold]{escape(uri)}[/bold]", soft_wrap=True)
    table = Table()
    for column in ("name", "id", "measures", "link"):
        table.add_column(column)
    for one in found:
        table.add_row(*(escape(str(value or "")) for value in one.values()))
    console().print(table)


def _sensor(env: Environment, name: str) -> SensorBase:
    from pyrave.errors import (
        ArgumentError,
        NotFoundError,
        NotSupportedError,
        nearest,
    )

    sensors = list(env.sensors)
    names = [one.name for one in sensors]
    if not sensors:
        raise NotSupportedError("there is no sensor in the scene")
    if not name:
        if len(sensors) > 1:
            raise ArgumentError(
                f"the scene has {len(sensors)} sensors; choose one with --sensor: "
                + ", ".join(names)
            )
        return sensors[0]
    if name in names:
        return sensors[names.index(name)]
    short = [one for one in sensors if one.name.rpartition(":")[2] == name]
    if len(short) == 1:
        return short[0]
    if short:
        raise ArgumentError(
            f"{len(short)} sensors are called {name!r}; choose one with --sensor: "
            + ", ".join(one.name for one in short)
        )
    by_short = {full.rpartition(":")[2]: full for full in names}
    near = nearest(name, by_short)
    # a name with its robot is compared as a whole
    hint = f"did you mean {by_short[near]!r}?" if near and ":" not in name else ""
    raise NotFoundError("sensor", name, names, hint)


def _start_noise(sensor: SensorBase, seed: int) -> None:
    from pyrave.errors import NotSupportedError

    if not hasattr(sensor, "seed"):
        raise NotSupportedError(f"{sensor!r} has no noise that --seed would start")
    sensor.seed = seed


def _measure(
    env: Environment,
    sensor: SensorBase,
    times: tuple[float, float],
    gather: bool,
    update: Any,
) -> list[SensorData]:
    """Return the measurements that are asked for, the last of them made now."""
    from pyrave.errors import ArgumentError

    until, dt = times
    measured: list[SensorData] = []
    n_steps = round(until / dt)
    if gather and n_steps > _MAX_SCANS:
        raise ArgumentError(
            f"--gather would keep up to {n_steps} scans, at most {_MAX_SCANS} are kept"
        )
    sensor.power = True
    if gather:
        sensor.register_data_callback(measured.append)
    for i in range(n_steps):
        env.step(dt)
        if i % 100 == 99:
            update(f"measuring with {sensor.name}: {(i + 1) * dt:.2f} of {until:.2f} s")
    if not measured:
        data = sensor.measure()
        measured = [data]
    return measured


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Raise ArgumentError for the first option that is given: it would do nothing."""
    from pyrave.errors import ArgumentError

    for name, given in options.items():
        if given:
            raise ArgumentError(f"{name} {why}")


def _require_scanner(sensor: SensorBase, time: float) -> None:
    from pyrave.errors import ArgumentError, NotSupportedError
    from pyrave.sensing.export import has_points

    if not has_points(type(sensor.create_sensor_data())):
        raise NotSupportedError(
            f"--gather joins points, and {sensor.name!r} ({sensor.interface_id}) "
            "measures none"
        )
    if not time:
        raise ArgumentError("--gather joins the scans of a time, say it with --time")


def _kind_of_file(
    sensor: SensorBase, out: Path, *, text: bool
) -> Literal["points", "scans", "data", "image", "picture"]:
    """Return the content of a file; refuse early what cannot be measured or written."""
    from pyrave.cli.output import require_folder
    from pyrave.errors import NotSupportedError
    from pyrave.geometry import (
        IMAGE_ENDINGS,
        check_image_file,
        check_point_cloud_suffix,
    )
    from pyrave.sensing import SensorType
    from pyrave.sensing.export import has_points
    from pyrave.sensing.image_export import check_image_suffix, named_part

    require_folder(out)
    if sensor.supports(SensorType.CAMERA):
        check_image_suffix(out)
        part = named_part(out)
        if part is not None:
            sensor.ask_for(part)
        return "image"
    if out.suffix.lower() == ".npz":
        return "scans" if sensor.supports(SensorType.LASER) else "data"
    if not has_points(type(sensor.create_sensor_data())):
        raise NotSupportedError(
            f"{sensor.name!r} ({sensor.interface_id}) measures no points and no image "
            f"for {out.name}; a name in .npz takes all it measures, --json prints it"
        )
    if out.suffix.lower() in IMAGE_ENDINGS:
        check_image_file(out, "--out")
        return "picture"
    check_point_cloud_suffix(out.suffix, text=text, others=(".npz", *IMAGE_ENDINGS))
    return "points"


def _summary(
    env: Environment, sensor: SensorBase, measured: list[SensorData]
) -> dict[str, Any]:
    from pyrave.sensing import LaserData
    from pyrave.summary import problem_summary, sensor_data_summary

    last = measured[-1]
    result: dict[str, Any] = {
        "schema": "pyrave-scan/2",
        "sensor": sensor.name,
        "id": sensor.interface_id,
        "type": last.sensor_type.name.lower(),
        "measurements": len(measured),
        "stamp": last.stamp,
        "pose": last.pose,
        "problems": [problem_summary(problem) for problem in env.problems],
    }
    scans = [one for one in measured if isinstance(one, LaserData)]
    if not scans:
        result["data"] = sensor_data_summary(last)
        return result
    hits: dict[str, int] = {}
    for one in scans:
        for i in one.body_ids[one.body_ids >= 0].tolist():
            name = env.body_of_id(i).name
            hits[name] = hits.get(name, 0) + 1
    ranges = [r for one in scans for r in one.distances[one.returned].tolist()]
    result["rays"] = sum(len(one.ranges) for one in scans)
    result["points"] = len(ranges)
    result["nearest"] = min(ranges, default=None)
    result["farthest"] = max(ranges, default=None)
    result["hits_by_body"] = hits
    return result


def _print(data: dict[str, Any], legend: str) -> None:
    from rich.markup import escape

    from pyrave.cards import counted
    from pyrave.cli.output import console

    out = console()
    out.print(
        f"[bold]{escape(data['sensor'])}[/bold] ({escape(data['id'])}) at "
        f"{data['stamp']:.6f} s: {counted(data['measurements'], 'measurement')}"
    )
    if "rays" in data:
        span = (
            f", {data['nearest']:.3f} .. {data['farthest']:.3f} m"
            if data["points"]
            else ", nothing in range"
        )
        points = counted(data["points"], "point")
        out.print(f"{counted(data['rays'], 'ray')}, {points}{span}")
        hits = ", ".join(f"{n} {k}" for n, k in data["hits_by_body"].items())
        if hits:
            out.print(f"hits: {hits}", markup=False)
    for name, value in data.get("data", {}).items():
        empty = name.endswith("_shape") and 0 in value
        if not (name in _SAID or empty or name.endswith("covariance")):
            out.print(f"{name}: {_short(value)}", soft_wrap=True, markup=False)
    if data["out"]:
        said = f"{data['out']}: written ({data['content']}{legend})"
        out.print(said, soft_wrap=True, markup=False)


def _short(value: Any) -> str:
    """Return a measured value on one line."""
    import numpy as np

    if isinstance(value, list):
        return " x ".join(map(str, value))
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=6, suppress_small=True, threshold=24)
        return " ".join(text.split())
    if isinstance(value, enum.Enum):
        return value.name
    return f"{value:.6g}" if isinstance(value, float) else str(value)
