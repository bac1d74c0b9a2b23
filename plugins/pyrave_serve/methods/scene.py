"""Contents of the environment, and pictures of it."""

from __future__ import annotations

import base64
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.geometry import encode_png
from pyrave.interfaces import ModuleBase
from pyrave.summary import problem_summary, scene_summary
from pyrave_serve.call_objects import Desk
from pyrave_serve.methods.kinds import Point
from pyrave_serve.module import ServerModule


def info(desk: Desk) -> Any:
    """Return everything that is in the environment.

    Returns
    -------
    object
        What ``pyrave info --json`` prints.
    """
    return scene_summary(desk.env)


def bodies(desk: Desk) -> Any:
    """List the bodies, robots among them.

    Returns
    -------
    list
        Objects with ``name``, ``id``, ``is_robot``, ``dof``, ``links``, ``joints``,
        ``manipulators`` (names) and ``uri``.
    """
    return [
        {
            "name": body.name,
            "id": body.id,
            "is_robot": body.is_robot,
            "dof": body.dof,
            "links": list(body.links.names),
            "joints": list(body.joints.names),
            "manipulators": list(body.manipulators.names) if body.is_robot else [],
            "uri": body.uri,
        }
        for body in desk.env.bodies
    ]


def load(desk: Desk, file: str, rename: bool = False, strict: bool = False) -> Any:
    """Load a scene, robot or body file, or a robot by its name.

    Parameters
    ----------
    file
        Below a folder that the server was started with, or of an installed package.
    rename
        Number names that are taken instead of refusing.
    strict
        Refuse a file that has warnings.

    Returns
    -------
    object
        ``bodies``, names of what was added, and ``problems``.
    """
    before = set(desk.env.bodies.names)
    report = desk.env.load(
        desk.file(file), rename=rename, strict=strict, **desk.loading
    )
    return _loaded(desk, before, report)


def load_text(desk: Desk, text: str, rename: bool = False, strict: bool = False) -> Any:
    """Load a scene, robot or body that is given as text.

    Parameters
    ----------
    text
        A whole file of a text format; other files that it names are those that `load`
        may read.
    rename, strict
        As for `load`.

    Returns
    -------
    object
        As of `load`.
    """
    before = set(desk.env.bodies.names)
    report = desk.env.load_string(text, rename=rename, strict=strict, **desk.loading)
    return _loaded(desk, before, report)


def save_text(desk: Desk, suffix: str = ".env.xml", body: str | None = None) -> Any:
    """Return the scene as the text of one file, with meshes in it.

    Parameters
    ----------
    suffix
        Its format: ``.env.xml``, ``.dae``, ``.urdf``, ``.wc.xml`` or ``.dwc.xml``.
    body
        This body alone, for formats that hold one.

    Returns
    -------
    object
        ``text``, and ``losses``: what the format cannot express.
    """
    if suffix not in _TEXTS:
        raise ArgumentError(
            f"suffix is {suffix!r}, expected one of {', '.join(_TEXTS)}"
        )
    if body is not None:
        desk.body(body)
    chosen = {} if body is None else {"body": body}
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"scene{suffix}"
        losses = desk.env.save(file, expand=True, embed_meshes=True, **chosen)
        return {"text": file.read_text(encoding="utf-8"), "losses": list(losses)}


def remove(desk: Desk, name: str) -> None:
    """Remove a body, sensor or module.

    Parameters
    ----------
    name
        Its name.
    """
    item = _named(desk.env, name)
    if isinstance(item, ModuleBase) and is_server(item):
        raise NotSupportedError(f"{name!r} is a server, which clients cannot remove")
    desk.env.remove(item)


def reset(desk: Desk) -> None:
    """Remove all bodies and sensors, reset modules, and set the clock to 0."""
    desk.env.reset()
    desk.kept.states.items.clear()
    desk.kept.trajectories.items.clear()


def problems(desk: Desk) -> Any:
    """Return the problems of the last file, and failures of plugins since.

    Returns
    -------
    list
        Objects with ``severity``, ``message``, ``file``, ``line``, ``hint`` and others.
    """
    return [problem_summary(one) for one in desk.env.problems]


def picture(
    desk: Desk,
    eye: Point | None = None,
    target: Point | None = None,
    width: int = 640,
    height: int = 480,
    zoom: float = 1.0,
) -> Any:
    """Return a picture of what is visible.

    Parameters
    ----------
    eye
        Where it is taken from, world, metres; by default the scene's camera, or from
        where most is seen.
    target
        What is in its middle, world, metres.
    width, height
        Pixels.
    zoom
        Above 1 shows less, larger.

    Returns
    -------
    object
        ``png``, the file in base64.
    """
    if width * height > desk.limits.pixels:
        raise ArgumentError(
            f"{width} x {height} pixels are too many, at most {desk.limits.pixels}"
        )
    image = desk.env.picture(eye=eye, target=target, size=(width, height), zoom=zoom)
    return {"png": base64.b64encode(encode_png(np.asarray(image))).decode("ascii")}


def is_server(module: ModuleBase) -> bool:
    """Return True if a module is a server of this package."""
    return isinstance(module, ServerModule)


def _loaded(desk: Desk, before: set[str], report: Any) -> dict[str, Any]:
    return {
        "bodies": [name for name in desk.env.bodies.names if name not in before],
        "problems": [problem_summary(one) for one in report.problems],
    }


def _named(env: Any, name: str) -> Any:
    for items in (env.bodies, env.sensors, env.modules):
        if name in items.names:
            return items[name]
    return env.bodies[name]


_TEXTS = (".env.xml", ".dae", ".urdf", ".wc.xml", ".dwc.xml")
METHODS = (
    info, bodies, load, load_text, save_text, remove, reset, problems, picture,
)  # fmt: skip
