"""Batches of configurations at which loops are closed one by one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from pyrave.kinematics.inputs import as_rows

if TYPE_CHECKING:
    from pyrave.bodies.posed import PosedModel

_Method = TypeVar("_Method", bound=Callable[..., Any])
_RATES = ("rates", "accelerations", "torques")


def row_by_row(method: _Method) -> _Method:
    """Let a method of a batch see a model with closed loops at each configuration.

    Bodies without loops that are kept closed call it once. Loops close on the way from
    the body's present configuration, and each further one from that before it.
    """
    signature = inspect.signature(method)

    @functools.wraps(method)
    def each(body: PosedModel, *args: Any, **keywords: Any) -> Any:
        model = body.model
        if model.kept_loops is None:
            return method(body, *args, **keywords)
        given = signature.bind(body, *args, **keywords).arguments
        rows = as_rows(model, given["configurations"], "configurations")
        of_rows = {"configurations": rows}
        for name in _RATES:
            if name in given:
                of_rows[name] = as_rows(model, given[name], name, len(rows))
        external = given.get("external")
        if external is not None and np.ndim(external) == 3:
            of_rows["external"] = np.asarray(external, dtype=np.float64)
        del given["self"]
        found = []
        for i in body.along(rows):
            one = {name: array[i : i + 1] for name, array in of_rows.items()}
            found.append(method(body, **{**given, **one}))
        if not found:
            none = {name: array[:0] for name, array in of_rows.items()}
            return method(body, **{**given, **none})
        return np.concatenate(found)

    return cast("_Method", each)
