"""Boxes that move, and the wide trees over them; layout as in `kernels.bvh`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.kernels.bvh import (
    FAR,
    INFINITY,
    LINKS,
    ORDERS,
    ROUNDING,
    THINNEST,
    TINIEST,
    UNUSED,
    WIDTH,
    ZERO,
    half_area,
    order_children,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.jit.arrays import F32_2, F32_3, F64_1, F64_2, I32_3, I64_1

JIT_NO_ARRAYS = ("store_boxes",)
JIT_ENTRIES = ("store_boxes", "refit")
# where it is true, moves are made in whole arrays: most trees are small, and move some
# hundred times
INTERPRETED = True


def store_boxes(which: I64_1, bounds: F64_2, frame: F64_1, boxes: F32_2) -> None:
    """Store boxes about the centre of a tree, rounded outwards.

    Parameters
    ----------
    which
        (m,) rows of `bounds` and `boxes`.
    bounds
        (n, 6) lower and upper corners; beyond `FAR` they count as there.
    frame
        (4,) of the tree; the last number becomes what no coordinate exceeds.
    boxes
        (n, 6) float32.
    """
    if INTERPRETED:
        around = bounds[which].reshape(-1, 2, 3) - frame[:3]
        corners = np.clip(around, -FAR, FAR).astype(np.float32)
        slack = np.abs(corners) * ROUNDING
        boxes[which, :3] = corners[:, 0] - slack[:, 0] - TINIEST
        boxes[which, 3:] = corners[:, 1] + slack[:, 1] + TINIEST
        least, most = corners[:, 0].min(initial=0.0), corners[:, 1].max(initial=0.0)
        frame[3] = max(frame[3], -least, most)
        return
    for i in range(len(which)):
        k = which[i]
        for j in range(3):
            low = np.float32(min(max(bounds[k, j] - frame[j], -FAR), FAR))
            high = np.float32(min(max(bounds[k, 3 + j] - frame[j], -FAR), FAR))
            boxes[k, j] = low - abs(low) * ROUNDING - TINIEST
            boxes[k, 3 + j] = high + abs(high) * ROUNDING + TINIEST
            frame[3] = max(frame[3], -float(low), float(high))


def refit(planes: F32_3, slots: I32_3, boxes: F32_2) -> np.float32:
    """Give the boxes (n, 6) of the items to a wide tree; return a measure of its cost.

    The leaves of the tree are items themselves. The measure is the sum of half the
    surface of all nodes but the root, relative to the root's.
    """
    if INTERPRETED:
        return refitted(planes, slots, boxes)
    total = ZERO
    area = ZERO
    order = np.empty(WIDTH, np.int64)
    along = np.empty(WIDTH, np.float32)
    for node in range(planes.shape[0] - 1, -1, -1):
        x0, y0, z0 = INFINITY, INFINITY, INFINITY
        x1, y1, z1 = -INFINITY, -INFINITY, -INFINITY
        for k in range(WIDTH):
            link = slots[node, LINKS, k]
            if link == UNUSED:
                break
            if link < 0:
                for a in range(6):
                    planes[node, a, k] = boxes[~link, a]
            else:
                for a in range(3):
                    lo, hi = INFINITY, -INFINITY
                    for j in range(WIDTH):
                        lo = min(lo, planes[link, a, j])
                        hi = max(hi, planes[link, 3 + a, j])
                    planes[node, a, k] = lo
                    planes[node, 3 + a, k] = hi
            x0, x1 = min(x0, planes[node, 0, k]), max(x1, planes[node, 3, k])
            y0, y1 = min(y0, planes[node, 1, k]), max(y1, planes[node, 4, k])
            z0, z1 = min(z0, planes[node, 2, k]), max(z1, planes[node, 5, k])
            total += half_area(
                planes[node, 0, k], planes[node, 1, k], planes[node, 2, k],
                planes[node, 3, k], planes[node, 4, k], planes[node, 5, k],
            )  # fmt: skip
        area = half_area(x0, y0, z0, x1, y1, z1)
        order_children(planes, slots, node, order, along)
    return total / max(area, THINNEST)


def refitted(planes: F32_3, slots: I32_3, boxes: F32_2) -> np.float32:
    """Do what `refit` does, in whole arrays as far as there is an order."""
    if len(planes) == 0:
        return ZERO
    links = slots[:, LINKS]
    used = links != UNUSED
    nodes, places = np.nonzero((links < 0) & used)
    planes[nodes, :6, places] = boxes[~links[nodes, places]]
    nodes, places = np.nonzero(links >= 0)
    for node, k in zip(nodes[::-1].tolist(), places[::-1].tolist(), strict=True):
        below = planes[links[node, k]]
        planes[node, :3, k] = below[:3].min(axis=1)
        planes[node, 3:6, k] = below[3:6].max(axis=1)
    order_all(planes, slots, used)
    corners = np.where(used[:, None], planes[:, :6], ZERO)
    areas: Any = half_area(*corners.swapaxes(0, 1))
    # one after the other, as sums of float32 depend on it
    total = np.cumsum(areas[::-1][used[::-1]])[-1]
    lows, highs = planes[0, :3].min(axis=1), planes[0, 3:6].max(axis=1)
    area = half_area(*lows, *highs)
    return np.float32(total / max(area, THINNEST))


def order_all(planes: F32_3, slots: I32_3, used: NDArray[np.bool_]) -> None:
    """Do what `order_children` does for all nodes, whose slots in use are marked."""
    numbers = np.arange(WIDTH)
    counts = used.sum(axis=1)[:, None, None]
    x, y, z = np.where(used[:, None], planes[:, :3] + planes[:, 3:6], ZERO).swapaxes(
        0, 1
    )
    signs = np.array(
        [[-1 if octant & bit else 1 for bit in (1, 2)] for octant in range(WIDTH // 2)],
        np.float32,
    )
    along = x[:, None] * signs[:, :1] + y[:, None] * signs[:, 1:] + z[:, None]
    along = np.where(used[:, None], along, -INFINITY)
    order = np.argsort(-along, axis=2, kind="stable")
    turned = np.where(numbers < counts, counts - 1 - numbers, numbers)
    back = np.take_along_axis(order, np.broadcast_to(turned, order.shape), axis=2)
    bits = 1 << 3 * numbers
    slots[:, ORDERS, : WIDTH // 2] = (order * bits).sum(axis=2)
    slots[:, ORDERS, : WIDTH // 2 - 1 : -1] = (back * bits).sum(axis=2)
