"""Closed forms of rays and centred primitives, in float64.

Each takes one ray, or 16 from one point as vectors: nothing branches but for choosing
values. An interval ``(near, far)`` with ``near > far`` is a miss.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.simd import absolute, maximum, minimum, sqrt, where

if TYPE_CHECKING:
    Interval = tuple[Any, Any]

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()

# kinds of instances; `pyrave.geometry.rayscene` uses the same numbers
NOTHING = 0
PLANE = 1
BOX = 2
SPHERE = 3
CYLINDER = 4
CAPSULE = 5
CONE = 6
MESH = 7

INF = math.inf
# a smaller component of a direction, or its square, would overflow; over any finite
# range such a ray is parallel
FLAT = 1e-280


def slab(o: Any, d: Any, lo: float, hi: float) -> Interval:
    """Return a ray's interval within lo..hi of one axis; parallel rays included.

    T. Kay, J. Kajiya, "Ray tracing complex scenes", SIGGRAPH 1986.
    """
    flat = absolute(d) < FLAT
    scale = 1.0 / where(flat, 1.0, d)
    a, b = (lo - o) * scale, (hi - o) * scale
    outside = INF if o < lo or o > hi else -INF
    return (
        where(flat, outside, minimum(a, b)),
        where(flat, -outside, maximum(a, b)),
    )


def ray_box(
    ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any,
    hx: float, hy: float, hz: float,
) -> Interval:  # fmt: skip
    """Return the interval of a ray in a centred box of half extents h."""
    x0, x1 = slab(ox, dx, -hx, hx)
    y0, y1 = slab(oy, dy, -hy, hy)
    z0, z1 = slab(oz, dz, -hz, hz)
    return maximum(maximum(x0, y0), z0), minimum(minimum(x1, y1), z1)


def ray_sphere(
    ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any, r: float
) -> Interval:
    """Return the interval of a unit ray in a centred sphere.

    The discriminant is taken from the point nearest to the centre, and the nearer
    root from the product of both: no cancellation far from the sphere (Haines et
    al., Ray Tracing Gems, chapter 7).
    """
    b = -(ox * dx + oy * dy + oz * dz)
    px, py, pz = ox + b * dx, oy + b * dy, oz + b * dz
    s = r * r - (px * px + py * py + pz * pz)
    length = sqrt(ox * ox + oy * oy + oz * oz)
    c = (length - r) * (length + r)
    return roots(b, sqrt(maximum(s, 0.0)), c, 1.0, s)


def roots(b: Any, h: Any, c: Any, a: Any, s: Any) -> Interval:
    """Return the roots of a t^2 - 2 b t + c, ascending; a miss where s < 0.

    h is the root of b^2 - a c, and s has its sign.
    """
    q = where(b >= 0.0, b + h, b - h)
    none = q == 0.0
    safe = where(none, 1.0, q)
    t0, t1 = where(none, 0.0, c / safe), q / a
    return (
        where(s < 0.0, INF, minimum(t0, t1)),
        where(s < 0.0, -INF, maximum(t0, t1)),
    )


def ray_tube(ox: Any, oy: Any, dx: Any, dy: Any, r: float) -> Interval:
    """Return the interval of a ray in an endless cylinder along z."""
    # |o + t d|^2 = r^2 in x and y: a t^2 - 2 b t + c = 0
    a = dx * dx + dy * dy
    flat = a < FLAT
    a = where(flat, 1.0, a)
    b = -(ox * dx + oy * dy)
    part = b / a
    px, py = ox + part * dx, oy + part * dy
    s = r * r - (px * px + py * py)
    length = sqrt(ox * ox + oy * oy)
    c = (length - r) * (length + r)
    near, far = roots(b, sqrt(a * maximum(s, 0.0)), c, a, s)
    outside = INF if c > 0.0 else -INF
    return where(flat, outside, near), where(flat, -outside, far)


def ray_cylinder(
    ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any, r: float, half: float
) -> Interval:
    """Return the interval of a ray in a centred cylinder along z with flat ends."""
    s0, s1 = ray_tube(ox, oy, dx, dy, r)
    z0, z1 = slab(oz, dz, -half, half)
    return maximum(s0, z0), minimum(s1, z1)


def ray_capsule(
    ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any, r: float, half: float
) -> Interval:
    """Return the interval of a unit ray in a centred capsule along z.

    A capsule is convex and the union of a cylinder and two spheres, so its interval
    runs from the first entry to the last exit of the three.
    """
    a0, a1 = ray_cylinder(ox, oy, oz, dx, dy, dz, r, half)
    b0, b1 = ray_sphere(ox, oy, oz - half, dx, dy, dz, r)
    c0, c1 = ray_sphere(ox, oy, oz + half, dx, dy, dz, r)
    a0, a1 = where(a0 > a1, INF, a0), where(a0 > a1, -INF, a1)
    return minimum(minimum(a0, b0), c0), maximum(maximum(a1, b1), c1)


def ray_cone(
    ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any,
    bottom: float, top: float, half: float,
) -> Interval:  # fmt: skip
    """Return the interval of a unit ray in a centred cone along z, cut or whole.

    The radius goes from `bottom` at -half to `top` at half. Within that slab the double
    cone x^2 + y^2 = (m + k z)^2 is convex, so the interval is that of the slab and one
    branch of the double cone. Taken from the middle of the ray's way through the slab,
    coefficients are of the cone's own size however far the ray comes from.
    """
    z0, z1 = slab(oz, dz, -half, half)
    # a ray that is parallel to the ends starts from the point nearest to the axis
    across = dx * dx + dy * dy
    nearest = -(ox * dx + oy * dy) / where(across < FLAT, 1.0, across)
    level = absolute(dz) < 0.5
    tall = absolute(z0) + absolute(z1) < INF
    shift = where(level, nearest, where(tall, 0.5 * (z0 + z1), nearest))
    px, py, pz = ox + shift * dx, oy + shift * dy, oz + shift * dz
    # (p + t d) on the cone: a t^2 + 2 b t + c = 0
    k = 0.5 * (top - bottom) / half
    m = 0.5 * (top + bottom)
    f = m + k * pz
    a = across - k * k * dz * dz
    b = px * dx + py * dy - k * f * dz
    c = px * px + py * py - f * f
    s = b * b - a * c
    h = sqrt(maximum(s, 0.0))
    q = -(b + where(b >= 0.0, h, -h))
    flat = absolute(a) < 1e-14
    t0 = q / where(flat, 1.0, a)
    t1 = c / where(q == 0.0, 1.0, q)
    t0 = where(flat, where(b > 0.0, -INF, INF), t0)
    low, high = minimum(t0, t1), maximum(t0, t1)
    miss = s < 0.0
    # a > 0: between the roots. a < 0: beyond one of them, on the side where the radius
    # m + k z is positive
    grows = k * dz > 0.0
    steep = a < -1e-14
    near = where(steep, where(grows, high, -INF), low)
    far = where(steep, where(grows, INF, low), high)
    none = miss & (a >= -1e-14)
    all_ = miss & steep
    near = where(all_, -INF, where(none, INF, near))
    far = where(all_, INF, where(none, -INF, far))
    return maximum(near + shift, z0), minimum(far + shift, z1)


def interval(
    kind: int, a: float, b: float, c: float,
    ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any,
) -> Interval:  # fmt: skip
    """Return the interval of a ray in a primitive of kind and sizes, in its frame."""
    if kind == BOX:
        return ray_box(ox, oy, oz, dx, dy, dz, a, b, c)
    if kind == SPHERE:
        return ray_sphere(ox, oy, oz, dx, dy, dz, a)
    if kind == CYLINDER:
        return ray_cylinder(ox, oy, oz, dx, dy, dz, a, b)
    if kind == CAPSULE:
        return ray_capsule(ox, oy, oz, dx, dy, dz, a, b)
    if kind == CONE:
        return ray_cone(ox, oy, oz, dx, dy, dz, a, b, c)
    return slab(oz, dz, 0.0, 0.0)
