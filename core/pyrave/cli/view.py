"""``pyrave view``: look at a scene, move it, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from pyrave.cli.options import LoadingOptions

_NO_OPTIONS = LoadingOptions()


def view(
    file: Path,
    *,
    host: str = "localhost",
    port: Annotated[
        int | None, Parameter(validator=validators.Number(gte=0, lt=65536))
    ] = None,
    browser: Annotated[bool, Parameter(show_default=False)] = True,
    viewer: str = "viser",
    simulate: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    loading: LoadingOptions = _NO_OPTIONS,
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
        Open a browser; there is --no-browser.
    viewer
        Id of the viewer.
    simulate
        Let simulated time pass, as fast as real time.
    strict
        Refuse a file that has warnings.
    """
    from pyrave.cli.output import console

    env, _ = loading.load(file, strict=strict)
    shown = env.show(viewer, host=host, port=port, browser=None if browser else False)
    if shown.address:
        console().print(f"{shown.address}  (Ctrl-C ends it)", highlight=False)
    if simulate:
        env.start()
    try:
        return shown.main()
    finally:
        env.stop()
