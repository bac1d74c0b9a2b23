"""The surface that a cross-section sweeps along a spine (VRML 97, section 6.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_inventor.state import rotation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

_SMALL = 1e-12


def extrude(
    section: Array, spine: Array, scales: Array, turns: Array
) -> tuple[Array, NDArray[np.int64]]:
    """Return the swept surface without its ends.

    Parameters
    ----------
    section
        (k, 2) points x z of the cross-section.
    spine
        (s, 3).
    scales, turns
        (s or fewer, 2) and (s or fewer, 4): of the cross-section at each point of the
        spine; the last one goes for the rest.

    Returns
    -------
    points, quads
        (s * k, 3), one cross-section after the other, and (n, 4) indices,
        counter-clockwise seen from outside for a section that turns counter-clockwise
        seen from where the spine leads to, as the format's default one does.
    """
    n_spine, n_section = len(spine), len(section)
    of_spine = np.arange(n_spine)
    scaled = section * scales[np.minimum(of_spine, len(scales) - 1)][:, None]
    flat = np.zeros((n_spine, n_section, 3))
    flat[..., 0], flat[..., 2] = scaled[..., 0], scaled[..., 1]
    turned = [rotation(turn) for turn in turns[:n_spine]]
    frames = _frames(spine) @ np.array(turned)[np.minimum(of_spine, len(turned) - 1)]
    points = np.einsum("sij,skj->ski", frames, flat) + spine[:, None]
    number = np.arange(n_spine * n_section).reshape(n_spine, n_section)
    a, b = number[:-1, :-1], number[:-1, 1:]
    c, d = number[1:, 1:], number[1:, :-1]
    quads = np.stack((a, b, c, d), axis=-1)
    return points.reshape(-1, 3), quads.reshape(-1, 4)


def _frames(spine: Array) -> Array:
    """Return (s, 3, 3) frames: columns x, y along the spine, z across its bends."""
    closed = bool((spine[0] == spine[-1]).all()) and len(spine) > 2
    before = np.roll(spine, 1, axis=0)
    after = np.roll(spine, -1, axis=0)
    if closed:
        before[0], after[-1] = spine[-2], spine[1]
    else:
        before[0], after[-1] = spine[0], spine[-1]
    y = _units(after - before)
    known = y.any(axis=1)
    y = _filled(y, y[np.argmax(known)] if known.any() else np.array((0.0, 1.0, 0.0)))
    z = np.cross(after - spine, before - spine)
    if not closed:
        z[0] = z[-1] = 0.0
    z = _units(z)
    bends = z.any(axis=1)
    if not bends.any():
        z[:] = _across(y[0])
    else:
        z = _filled(z, z[np.argmax(bends)])
        for k in range(1, len(z)):
            # a bend to the other side does not turn the section over
            if z[k] @ z[k - 1] < 0.0:
                z[k] = -z[k]
    x = _units(np.cross(y, z))
    return np.stack((x, y, np.cross(x, y)), axis=-1)


def _across(y: Array) -> Array:
    """Return z for a straight spine: the least turn from the y axis, applied to z."""
    axis = np.cross((0.0, 1.0, 0.0), y)
    angle = np.arctan2(np.sqrt(axis @ axis), y[1])
    if not axis.any():
        axis = np.array((1.0, 0.0, 0.0))
    return np.asarray(rotation((*axis, angle))[:, 2])


def _units(vectors: Array) -> Array:
    """Return unit vectors; zeros for those without a length."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return np.where(lengths > _SMALL, vectors / np.maximum(lengths, _SMALL), 0.0)


def _filled(vectors: Array, first: Array) -> Array:
    """Return the vectors with zeros replaced by the one before, or by `first`."""
    known = vectors.any(axis=1)
    latest = np.maximum.accumulate(np.where(known, np.arange(len(vectors)), -1))
    return np.where((latest >= 0)[:, None], vectors[latest], first)
