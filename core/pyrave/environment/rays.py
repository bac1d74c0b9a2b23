"""The rays that an environment casts for scripts, sensors and checkers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, SupportsIndex

from pyrave.argument_names import methods_suggest
from pyrave.errors import NotFoundError
from pyrave.interfaces.named_bodies import named_subjects

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.geometry import Geometry
    from pyrave.environment.internals import Internals
    from pyrave.environment.ray_world import RayWorld, WorldHits
    from pyrave.interfaces.named_bodies import Bodies
    from pyrave.world import PackedWorld

DEFAULT_MAX_RANGE = 1e4
"""Range of `Environment.raycast` when none is given, metres."""

_FIELDS = ("instance", "triangle", "position", "normal")


@methods_suggest
class RayCasts:
    """The part of an environment that casts rays."""

    _hot = "body_of_id raycast"
    _unlisted = "solid_geometries"

    internals: Internals

    def raycast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        max_range: ArrayLike = DEFAULT_MAX_RANGE,
        min_range: ArrayLike = 0.0,
        bodies: Bodies | None = None,
        exclude: Bodies = (),
        surfaces: str = "collision",
        any_hit: bool = False,
        fields: Iterable[str] = _FIELDS,
        threads: int | None = None,
    ) -> WorldHits:
        """Return the first hits of rays.

        A ray that starts inside of a solid meets its far side. Rays from one point that
        go much the same way, as those of a laser or a camera, are quicker than others.

        Parameters
        ----------
        origins, directions
            (..., 3) world coordinates, metres; directions of any length but 0, for the
            pixels of an image (height, width, 3). One origin (3,) serves all
            directions; one direction (3,) is one ray.
        max_range, min_range
            Metres from the origin, one number or one per ray; both ends count.
        bodies
            Bodies and links, or their names, one or several, that alone can be hit;
            None is everything.
        exclude
            Bodies and links, or their names, one or several, that rays pass through.
        surfaces
            ``collision``: the collision shapes of enabled links, visible or not, as
            rays hit them in OpenRAVE. ``visual``: what a viewer shows, visible
            geometry with its render meshes, of enabled links or not. ``all``: the
            collision shapes of all links.
        any_hit
            Whether any hit will do; quicker, and exact in whether there is one.
        fields
            What to compute besides distances and ids, some of
            `pyrave.geometry.RAY_FIELDS`; ``()`` is the quickest.
        threads
            How many to use; None for one if there are few rays, else for all cores.
            The answer does not depend on it.

        Returns
        -------
        WorldHits
            Arrays of the shape of the directions; ``id`` is that of the body, -1 for a
            miss. ``hits.body_of(ray)``, ``link_of`` and
            ``geometry_of`` say what it was.

        Raises
        ------
        ArgumentError
            A wrong shape, a value that is not finite, a zero direction, a negative
            range, something else than bodies and links, an unknown name.
        """
        return self._surfaces(surfaces).cast(
            origins, directions, max_range, min_range,
            _named(self, bodies), _named(self, exclude),
            fields=fields, threads=threads, any_hit=any_hit,
        )  # fmt: skip

    def raycast_all(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        max_range: ArrayLike = DEFAULT_MAX_RANGE,
        min_range: ArrayLike = 0.0,
        bodies: Bodies | None = None,
        exclude: Bodies = (),
        surfaces: str = "collision",
        fields: Iterable[str] = _FIELDS,
        threads: int | None = None,
    ) -> WorldHits:
        """Return every surface that rays cross, in order.

        Solids are crossed where a ray enters and where it leaves.

        Parameters
        ----------
        origins, directions, max_range, min_range, bodies, exclude, surfaces, fields,
        threads
            As in `raycast`.

        Returns
        -------
        WorldHits
            One entry per crossing, sorted by ``hits.ray`` and then by distance.

        Raises
        ------
        ArgumentError
            As `raycast`.
        """
        return self._surfaces(surfaces).cast_all(
            origins, directions, max_range, min_range,
            _named(self, bodies), _named(self, exclude),
            fields=fields, threads=threads,
        )  # fmt: skip

    @property
    def world(self) -> PackedWorld:
        """All bodies as arrays, with what collides, as they are now."""
        return self.internals.packing.solids()

    @property
    def solid_geometries(self) -> tuple[Geometry | None, ...]:
        """The geometry of each row of solids of `world`, None where there is none."""
        return self.internals.packing.geometries

    def body_of_id(self, number: SupportsIndex) -> KinBody:
        """Return the body of an id, which hits and measurements carry.

        Parameters
        ----------
        number
            The id.

        Raises
        ------
        NotFoundError
            The body is not in the environment, or not any more.
        """
        found = self.internals.packing.bodies.get(int(number))
        if found is None:
            raise NotFoundError("body id", str(number), [])
        return found

    @property
    def ray_world(self) -> RayWorld:
        """The present ray scene with the geometry behind each of its instances."""
        return self.internals.rays.get("collision")

    @property
    def visual_scene(self) -> RayWorld:
        """Visible geometry like `ray_world`, enabled or not, with render meshes."""
        return self.internals.rays.get("visual")

    def _surfaces(self, name: Any) -> RayWorld:
        return self.internals.rays.get(name)


def _named(env: Any, given: Any) -> Any:
    """Return bodies and links, those given by name as such."""
    # most casts name none
    if given is None or (type(given) is tuple and not given):
        return given
    return named_subjects(env, given)
