"""Reading and writing scene and mesh files.

Names are loaded when they are first used, so that importing this is light.
"""

from __future__ import annotations

from typing import Any

_HOMES = {
    "Diagnostics": "diagnostics",
    "MeshFormat": "mesh_source",
    "MeshSource": "mesh_source",
    "ReadContext": "context",
    "Resolver": "resolver",
    "SceneFormat": "registry",
    "SceneSource": "registry",
    "WritableMeshFormat": "mesh_source",
    "WriteContext": "context",
    "load_mesh": "meshes",
    "open_source": "registry",
    "read_scene": "registry",
    "read_scene_text": "registry",
    "write_scene": "registry",
}

__all__ = [  # noqa: PLE0604 - the keys are strings
    *sorted(_HOMES),
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
