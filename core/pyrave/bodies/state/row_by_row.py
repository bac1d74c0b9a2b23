"""Batches of configurations: in chunks, and one by one where loops close."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from pyrave.batches import FIRST, pieces
from pyrave.kinematics.inputs import as_rows
from pyrave.spatial import as_ndarray, as_numbers

if TYPE_CHECKING:
    from pyrave.bodies.state.model_state import ModelState
    from pyrave.bodies.views.dynamics import BodyDynamics
    from pyrave.spatial import Array

_Method = TypeVar("_Method", bound=Callable[..., Any])
_RATES = ("rates", "accelerations", "torques")
_MANY = 4096
"""Numbers: fewer are done before anybody could interrupt them."""
_MAX_NUMBERS = 1 << 20
"""Results of a piece, which are copied once more: 8 MB."""


def row_by_row(method: _Method) -> _Method:
    """Let a method of a batch see a model with closed loops at each configuration.

    Bodies without loops that are kept closed call it once, or in `pieces` where there
    are many. Loops close on the way from the body's present configuration, and each
    further one from that before it.
    """
    signature = inspect.signature(method)
    writes = "out" in signature.parameters

    @functools.wraps(method)
    def each(item: ModelState | BodyDynamics, *args: Any, **keywords: Any) -> Any:
        model = item.model
        asked = args[0] if args else keywords.get("configurations", ())
        if (
            model.kept_loops is None
            and as_ndarray(asked, "configurations").size <= _MANY
        ):
            return method(item, *args, **keywords)
        given = signature.bind(item, *args, **keywords).arguments
        rows = as_rows(model, given["configurations"], "configurations")
        of_rows = {"configurations": rows}
        for name in _RATES:
            if name in given:
                of_rows[name] = as_rows(model, given[name], name, len(rows))
        external = given.get("external")
        if external is not None and as_ndarray(external, "external").ndim == 3:
            of_rows["external"] = as_numbers(external, "external")
        del given["self"]
        if model.kept_loops is None:
            return _in_pieces(method, item, given, of_rows, writes=writes)
        found = []
        for i in item.along(rows):
            one: dict[str, Any] = {name: a[i : i + 1] for name, a in of_rows.items()}
            if writes:
                one["out"] = None
            found.append(method(item, **{**given, **one}))
        if not found:
            none = {name: array[:0] for name, array in of_rows.items()}
            return method(item, **{**given, **none})
        if given.get("out") is not None:
            return np.concatenate(found, out=given["out"])
        return np.concatenate(found)

    return cast("_Method", each)


def _in_pieces(
    method: Callable[..., Any],
    item: ModelState | BodyDynamics,
    given: dict[str, Any],
    of_rows: dict[str, Array],
    *,
    writes: bool,
) -> Array:
    """Call a method for some rows after others, and return all results.

    Parameters
    ----------
    writes
        Whether the method writes to an array ``out``.
    """
    count = len(of_rows["configurations"])
    out = given.get("out")
    if out is not None and np.shape(out)[:1] != (count,):
        refused: Array = method(item, **given)  # which says what is wrong
        return refused
    result = np.empty(0) if out is None else out
    most = FIRST
    for some in pieces(count, what=method.__name__):
        for part in range(some.start, some.stop, most):
            rows = slice(part, min(part + most, some.stop))
            one: dict[str, Any] = {name: a[rows] for name, a in of_rows.items()}
            if writes:
                one["out"] = result[rows] if len(result) else None
            found = method(item, **{**given, **one})
            if not part:
                if given.get("out") is None:
                    result = np.empty((count, *found.shape[1:]))
                most = max(_MAX_NUMBERS // max(found[:1].size, 1), 1)
            if not writes or not part:
                result[rows] = found
    return result
