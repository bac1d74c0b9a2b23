"""Arguments of controllers: ``name=number`` or ``name=number,number``."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from pyrave.errors import ArgumentError, did_you_mean
from pyrave.spatial import Array

_MOST = 1e12
"""Beyond this efforts of joints are no numbers any more."""


class Gains:
    """What the arguments of a controller say, one number for all joints or for each.

    Parameters
    ----------
    controller
        Id of the controller, for messages.
    args
        Words ``name=number`` or ``name=number,number,...``.
    defaults
        Known names with their values.
    signed
        Whether values may be negative.

    Raises
    ------
    ArgumentError
        An unknown name or one twice, no number, a negative one, or one beyond 1e12.
    """

    def __init__(
        self,
        controller: str,
        args: tuple[str, ...],
        defaults: Mapping[str, float],
        *,
        signed: bool = False,
    ) -> None:
        self._controller = controller
        self._least = -_MOST if signed else 0.0
        self._values: dict[str, tuple[float, ...]] = {
            name: (value,) for name, value in defaults.items()
        }
        given: set[str] = set()
        for word in args:
            name, _, text = word.partition("=")
            if name not in defaults:
                raise ArgumentError(
                    f"{controller} has the argument {word!r}, expected NAME=NUMBER "
                    f"with one of {', '.join(defaults)}{did_you_mean(name, defaults)}"
                )
            if name in given:
                raise ArgumentError(f"{controller} has two arguments {name!r}")
            given.add(name)
            self._values[name] = self._numbers(word, text)

    def _numbers(self, word: str, text: str) -> tuple[float, ...]:
        try:
            numbers = tuple(float(part) for part in text.split(","))
        except ValueError:
            numbers = (math.nan,)
        if not all(self._least <= one <= _MOST for one in numbers):
            raise ArgumentError(
                f"the argument {word!r} of {self._controller} is not a number from "
                f"{self._least:g} to {_MOST:g}, or such numbers with commas between "
                "them, one for each joint"
            )
        return numbers

    def of(self, name: str, count: int) -> Array:
        """Return (count,) values of a name.

        Raises
        ------
        ArgumentError
            There are several, and not as many as joints.
        """
        values = self._values[name]
        if len(values) not in {1, count}:
            raise ArgumentError(
                f"{self._controller} has {len(values)} values of {name!r}, expected "
                f"one, or one for each of its {count} degrees of freedom"
            )
        return np.resize(np.array(values), count)
