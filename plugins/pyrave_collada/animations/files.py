"""Trajectories of files: read from their animations, and put into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.formats import ReadContext, Resolver, open_source
from pyrave_collada.animations.reader import trajectories_of
from pyrave_collada.animations.writer import animate
from pyrave_collada.reading.scene import open_scene

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from pyrave.interfaces import TrajectoryBase
    from pyrave_collada.animations.trajectory import JointTrajectory
    from pyrave_collada.reading.scene import Scene


def read_trajectories(
    path: str | os.PathLike[str],
    *,
    resource_roots: Iterable[str | os.PathLike[str]] = (),
    confine: bool = False,
    strict: bool = False,
) -> tuple[JointTrajectory, ...]:
    """Return the trajectories in the ``<library_animations>`` of a COLLADA file.

    Parameters
    ----------
    path
        A .dae or .zae file.
    resource_roots, confine, strict
        As `pyrave.load` has them.

    Returns
    -------
    tuple of JointTrajectory
        One for each body and kind of interpolation; bent curves become lines between
        points of the curve.

    Raises
    ------
    SceneError
        The file is damaged; if `strict`, also where an animation drives no joint.
    """
    scene = _opened(path, resource_roots, confine, strict)
    found = tuple(trajectories_of(scene))
    scene.reading.context.diagnostics.raise_if_refused(strict=strict)
    return found


def write_trajectories(
    path: str | os.PathLike[str],
    trajectories: Iterable[TrajectoryBase | JointTrajectory],
    *,
    resource_roots: Iterable[str | os.PathLike[str]] = (),
    confine: bool = False,
) -> tuple[str, ...]:
    """Put trajectories into a COLLADA file, in place of its ``<library_animations>``.

    Polynomials up to the third degree are said exactly, as Bezier curves.

    Parameters
    ----------
    path
        A .dae or .zae file with the bodies that move; the rest of it stays.
    trajectories
        Trajectories of an environment, with times, or those that were read.
    resource_roots, confine
        As `pyrave.load` has them.

    Returns
    -------
    tuple of str
        What of the trajectories animations of joints cannot say.

    Raises
    ------
    ArgumentError
        A trajectory has no times or no waypoints, or names a body or a degree of
        freedom that the file does not have.
    SceneError
        The file is damaged, or cannot be written.
    """
    return animate(_opened(path, resource_roots, confine), trajectories)


def _opened(
    path: str | os.PathLike[str],
    resource_roots: Iterable[str | os.PathLike[str]],
    confine: bool,
    strict: bool = False,
) -> Scene:
    """Return a file that is read, without its geometries."""
    roots = [str(one) for one in resource_roots]
    context = ReadContext(
        resolver=Resolver(roots, confine=confine), skip_geometry=True, strict=strict
    )
    scene = open_scene(open_source(path, context), context)
    scene.read()
    context.diagnostics.raise_if_refused()
    return scene
