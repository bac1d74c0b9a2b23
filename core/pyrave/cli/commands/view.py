"""``pyrave view``: a scene in the browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from pyrave.cli.options import StartOptions

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces import TrajectoryBase

_NO_OPTIONS = StartOptions()


def view(
    file: Path,
    *,
    host: str = "localhost",
    port: Annotated[
        int | None, Parameter(validator=validators.Number(gte=0, lt=65536))
    ] = None,
    browser: Annotated[bool, Parameter(show_default=False)] = True,
    viewer: str | None = None,
    play: Path | None = None,
    simulate: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    loading: StartOptions = _NO_OPTIONS,
) -> int:
    """Show a scene until interrupted (Ctrl-C).

    It needs the extra viewer: pip install 'pyrave[viewer]'.

    Parameters
    ----------
    file
        Scene or robot file, or the name of a robot.
    host
        Where the viewer listens. Others than this computer reach it only if told so,
        as with 0.0.0.0, and then without a password.
    port
        Where it listens; by default 8080, or the next one that is free.
    browser
        Open a browser.
    viewer
        Id of the viewer, if it is not the one of the extra viewer.
    play
        File of a trajectory, as of pyrave plan --out: shown again and again, until
        somebody stops it in the page.
    simulate
        Let simulated time pass, as fast as real time.
    strict
        Refuse a file that has warnings.
    """
    from pyrave.cli.output import console

    env, _ = loading.load(file, strict=strict)
    motion = None if play is None else _trajectory(env, play)
    shown = env.show(viewer, host=host, port=port, browser=None if browser else False)
    if shown.address:
        console().print(f"{shown.address}  (Ctrl-C ends it)", highlight=False)
    if motion is not None:
        shown.play(motion, loop=True)
    if simulate:
        env.start()
    try:
        return shown.main()
    finally:
        env.stop()


def _trajectory(env: Environment, path: Path) -> TrajectoryBase:
    from pyrave.errors import ResourceError, SceneError

    try:
        content = path.read_bytes()
    except OSError as error:
        raise ResourceError(str(path)) from error
    trajectory = env.create("trajectory", "")
    try:
        trajectory.deserialize(content)
    except SceneError as error:
        known = [replace(one, file=str(path)) for one in error.problems]
        raise SceneError(known) from error
    return trajectory
