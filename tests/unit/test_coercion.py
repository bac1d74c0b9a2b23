"""Values are brought to annotated types; what does not fit has a place and a text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest

from pyrave.coercion import Coercion, UnfitError, bound


@dataclass(frozen=True)
class Wheel:
    radius: float = 1.0
    spokes: int = 0


@dataclass(frozen=True)
class Cart:
    wheels: tuple[Wheel, ...] = ()
    size: tuple[float, float] = (1.0, 1.0)
    kind: Literal["hand", "horse"] = "hand"
    load: Wheel | None = None
    label: str | float = ""


PLAIN = Coercion()


@pytest.mark.parametrize(
    ("hint", "value", "made"),
    [
        (float, 2, 2.0),
        (float, np.float32(0.5), 0.5),
        (float, np.array(3), 3.0),
        (int, 4.0, 4),
        (int, np.int64(5), 5),
        (bool, np.bool_(True), True),
        (list[float], (1, 2), [1.0, 2.0]),
        (tuple[int, ...], [1.0, 2], (1, 2)),
        (tuple[str, float], ["a", 1], ("a", 1.0)),
        (tuple[float, float], np.array([[1], [2]]), (1.0, 2.0)),
        (frozenset[str], ["a", "a"], frozenset({"a"})),
        (frozenset[str], {"a"}, frozenset({"a"})),
        (float | None, None, None),
        (Literal[1, 2], 2, 2),
        (dict, {"any": "thing"}, {"any": "thing"}),
    ],
)
def test_what_fits(hint, value, made):
    found, faults = PLAIN.value(hint, value)
    assert not faults
    assert found == made
    assert type(found) is type(made)


@pytest.mark.parametrize(
    ("hint", "value", "text"),
    [
        (float, "1", "is '1', expected a number"),
        (float, True, "is True, expected a number"),
        (float, math.nan, "is nan, expected a finite number"),
        (float, math.inf, "is inf, which is not finite"),
        (float, 1e31, "is 1e+31, which is absurdly large"),
        (float, 10**400, "is a number that is absurdly large"),
        (int, 1.5, "is 1.5, expected a whole number"),
        (int, True, "is True, expected a whole number"),
        (int, 2**65, "expected a whole number of at most 64 bits"),
        (bool, 1, "is 1, expected True or False"),
        (str, 3, "is 3, expected a text"),
        (tuple[float, float], (1, 2, 3), "is (1, 2, 3), expected 2 numbers"),
        (tuple[str, float], "ab", "is 'ab', expected 2 items"),
        (tuple[int, ...], 3, "is 3, expected a tuple"),
        (tuple[int, ...], {3}, "is {3}, expected a tuple"),  # in which order?
        (tuple[float, float], {1, 2}, "is {1, 2}, expected 2 numbers"),
        (list[int], "ab", "is 'ab', expected a list"),
        (Literal["hand", "horse"], "hose", "one of hand, horse, did you mean 'horse'?"),
        (Wheel, 3, "is 3, expected Wheel"),
        (Wheel | Cart, 3, "is 3, expected one of Wheel, Cart"),
    ],
)
def test_what_does_not_fit(hint, value, text):
    found, (fault,) = PLAIN.value(hint, value)
    assert found is value or np.isnan(found)
    assert text in str(fault)


def test_faults_have_their_places():
    cart = Cart((Wheel(), Wheel("x", 2.5)), (1, "y"), "hand", Wheel(math.nan), 3)
    _, faults = PLAIN.object(cart)
    assert [str(fault).split(" is ")[0] for fault in faults] == [
        "wheels[1].radius", "wheels[1].spokes", "size[1]", "load.radius"
    ]  # fmt: skip


def test_what_fits_already_stays_the_same_object():
    cart = Cart((Wheel(2.0),), label="a")
    assert PLAIN.object(cart)[0] is cart
    made, faults = PLAIN.object(Cart((Wheel(2),), label=3))
    assert not faults
    assert type(made.wheels[0].radius) is float
    assert type(made.label) is float


def test_rules_go_beyond_annotations():
    def positive(value):
        if not value > 0.0:
            raise UnfitError(f"is {value}, expected more than 0")
        return value

    strict = Coercion(rules={(Wheel, "radius"): positive})
    assert [str(one) for one in strict.object(Wheel(-1.0))[1]] == [
        "radius is -1.0, expected more than 0"
    ]
    loose = Coercion(infinite={(Wheel, "radius")})
    assert not loose.object(Wheel(math.inf))[1]
    assert not Coercion(simple={float: bound}).value(float, math.inf)[1]
