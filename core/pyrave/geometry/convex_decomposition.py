"""Concave meshes as convex pieces, computed once and kept on disk."""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
import time
import weakref
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError, shown
from pyrave.files import replaced_file
from pyrave.jit import cache_directory, distrust_status
from pyrave.spatial import Array, as_number

if TYPE_CHECKING:
    from pyrave.geometry.mesh import Mesh

_log = logging.getLogger("pyrave.geometry")
CONCAVITY = 0.05
"""Concavity of pieces unless another is asked for."""
_known: weakref.WeakKeyDictionary[Mesh, dict[float, tuple[Array, ...]]] = (
    weakref.WeakKeyDictionary()
)


@functools.cache
def coacd() -> ModuleType:
    """Return the library; NotSupportedError if it is not installed."""
    try:
        library = importlib.import_module("coacd")
    except ImportError as error:
        raise NotSupportedError(
            "convex pieces of meshes need the library coacd, which cannot be imported "
            f"({error}); pip install 'pyrave[convex]', or take hulls of whole meshes"
        ) from error
    library.set_log_level("error")
    return library


def convex_pieces(mesh: Mesh, concavity: float = CONCAVITY) -> tuple[Array, ...]:
    """Return the corners (n, 3) of convex pieces that make up a mesh.

    They are those of Wei et al., "Approximate convex decomposition for 3D meshes with
    collision-aware concavity and tree search" (SIGGRAPH 2022). Seconds to minutes for a
    mesh that no process has met before; afterwards they are read from the cache folder.
    A mesh without faces has none.

    Parameters
    ----------
    concavity
        Of a piece at most, as a part of the mesh's size: fewer pieces where it is more.

    Raises
    ------
    NotSupportedError
        The library coacd is not installed.
    ArgumentError
        It is no mesh, or the concavity is not from 0.01 to 1.
    """
    from pyrave.geometry.mesh import Mesh

    if not isinstance(mesh, Mesh):
        raise ArgumentError(f"mesh is {shown(mesh)}, expected a pyrave.geometry.Mesh")
    most = as_number(concavity, "concavity", 0.01, 1.0)
    if not len(mesh.faces):
        # the library ends the process
        return ()
    found = _known.setdefault(mesh, {})
    if most not in found:
        found[most] = _kept(mesh, most)
    return found[most]


def _kept(mesh: Mesh, concavity: float) -> tuple[Array, ...]:
    library = coacd()
    digest = hashlib.sha256(f"{library.__name__} {concavity}".encode())
    for array in (mesh.vertices, mesh.faces):
        digest.update(np.array(array.shape, "<i8").tobytes())
        digest.update(np.ascontiguousarray(array).tobytes())
    folder = cache_directory()
    path = folder and folder / "convex_pieces" / f"{digest.hexdigest()}.npz"
    found = None if path is None else _read(path)
    if found is None:
        start = time.perf_counter()
        _log.info("cutting a mesh of %d faces into convex pieces", len(mesh.faces))
        source = library.Mesh(mesh.vertices, mesh.faces)
        made = library.run_coacd(source, threshold=concavity, seed=0)
        found = tuple(np.asarray(vertices, np.float64) for vertices, _ in made)
        spent = time.perf_counter() - start
        _log.info("%d convex pieces in %.1f s", len(found), spent)
        if path is not None:
            _write(path, found)
    return found


def _read(path: Path) -> tuple[Array, ...] | None:
    try:
        if reason := distrust_status(path.stat()):
            raise PermissionError(f"it {reason}")
        with np.load(path, allow_pickle=False) as kept:
            sizes, points = kept["sizes"], kept["points"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        _log.warning("%s cannot be read (%s) and is made again", path, error)
        return None
    return tuple(np.split(points, np.cumsum(sizes)[:-1]))


def _write(path: Path, pieces: tuple[Array, ...]) -> None:
    sizes = np.array([len(one) for one in pieces])
    arrays: dict[str, Any] = {"sizes": sizes, "points": np.concatenate(pieces)}
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replaced_file(path) as partial:
            np.savez(partial, **arrays)
    except OSError as error:
        _log.warning("convex pieces are not kept in %s: %s", path, error)
