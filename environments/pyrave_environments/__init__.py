"""Robots, objects and scenes that ship with pyrave.

``robots/``, ``objects/`` and ``scenes/`` hold OpenRAVE XML files. They are found by
name from any scene and any call of `pyrave.load`, because the package is named in
the entry-point group ``pyrave.data``: ``robots/heron7.robot.xml`` is enough.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["root", "scene"]


def root() -> Path:
    """Return the folder that holds ``robots``, ``objects`` and ``scenes``."""
    return Path(__file__).resolve().parent


def scene(name: str) -> Path:
    """Return the path of a scene by its short name.

    Parameters
    ----------
    name
        For example ``"demo"`` for ``scenes/demo.env.xml``.

    Raises
    ------
    FileNotFoundError
        There is no such scene; lists those that exist.
    """
    path = root() / "scenes" / f"{name}.env.xml"
    if not path.is_file():
        known = sorted(p.name.removesuffix(".env.xml") for p in path.parent.iterdir())
        raise FileNotFoundError(f"no scene {name!r}; scenes: {', '.join(known)}")
    return path
