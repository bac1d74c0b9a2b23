"""Copies of states are those of `copy.deepcopy`."""

import copy
import dataclasses
import enum

import numpy as np
import pytest

from pyrave.interfaces.state_copies import Immutable, copied


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Note:
    items: list


@dataclasses.dataclass(frozen=True)
class Fixed(Immutable):
    items: tuple


def arrays_of(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from arrays_of(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from arrays_of(one)


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.0, None], "b": (True, "x", b"y", 1j, range(3)), "c": Colour.RED},
        [np.arange(6.0).reshape(2, 3), {"nested": {"deep": [np.int64(3)]}}],
        (np.zeros(2, bool), ()),
        {"order": np.asfortranarray(np.arange(6.0).reshape(2, 3))},
        set("abc"),
        [Note([1])],
        np.array([[1], None], object),
    ],
)
def test_a_copy_is_equal_and_shares_nothing(value):
    found, expected = copied(value), copy.deepcopy(value)
    assert repr(found) == repr(expected)
    for one, other, before in zip(
        *map(arrays_of, (found, expected, value)), strict=True
    ):
        assert one.dtype == other.dtype
        assert one.strides == other.strides
        assert not np.shares_memory(one, before)


def test_changes_of_the_copy_leave_the_value():
    value = {"a": [1, {"b": [2]}], "note": Note([3])}
    found = copied(value)
    found["a"][1]["b"].append(4)
    found["a"].append(5)
    found["note"].items.append(6)
    assert value == {"a": [1, {"b": [2]}], "note": Note([3])}


def test_what_comes_twice_comes_twice_in_the_copy():
    part, array = [1], np.zeros(2)
    value = {"first": part, "second": part, "array": (array, array)}
    found = copied(value)
    assert found["first"] is found["second"]
    assert found["array"][0] is found["array"][1]
    assert found["first"] is not part
    loop = []
    loop.append(loop)
    again = copied(loop)
    assert again[0] is again


def test_what_nobody_changes_is_its_own_copy():
    one, place = Fixed((1, 2)), (1, ("a", Colour.RED))
    assert copied(one) is one
    assert copied([one])[0] is one
    assert copied(place) is place
