"""Collections by name and index; handles and callback lists."""

import gc
import weakref

import numpy as np
import pytest

from pyrave import ArgumentError, Error, Handle, NotFoundError
from pyrave.interfaces import NamedCollection
from pyrave.interfaces.handles import CallbackList


class Item:
    def __init__(self, name):
        self.name = name


@pytest.fixture
def items():
    return [Item("a"), Item("b"), Item("c"), Item("a")]


def test_by_name_by_index_by_iteration(items):
    made = NamedCollection(items, "thing")
    assert made["b"] is made[1] is made[-3] is made[np.int64(1)] is items[1]
    # the first of equal names
    assert made["a"] is items[0]
    assert made[1:3] == tuple(items[1:3])
    assert list(made) == items
    assert list(reversed(made)) == items[::-1]
    assert len(made) == 4
    assert made.names == ("a", "b", "c", "a")
    assert "b" in made
    assert items[3] in made
    assert Item("b") not in made
    assert "x" not in made
    assert made.get("x") is None
    assert made.get("c") is items[2]
    assert repr(made) == "<4 things: a, b, c, a>"


def test_a_collection_is_a_snapshot(items):
    made = NamedCollection(items, "thing")
    items.clear()
    assert len(made) == 4
    with pytest.raises(TypeError):
        made["a"] = Item("z")


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("bb", "no thing 'bb', did you mean 'b'\\?; known: a, b, c"),
        (4, r"no thing 4; known: 0\.\.3"),
        (-5, "no thing -5"),
    ],
)
def test_what_is_not_there(items, key, text):
    made = NamedCollection(items, "thing")
    with pytest.raises(NotFoundError, match=text):
        made[key]
    with pytest.raises(KeyError):
        made[key]


@pytest.mark.parametrize("key", [None, 1.5, ("a",)])
def test_what_is_no_name(items, key):
    with pytest.raises(ArgumentError, match="names no thing; expected a name, an ind"):
        NamedCollection(items, "thing")[key]


def test_keys_that_nobody_can_read_are_cut(items):
    made = NamedCollection(items, "thing")
    for key in (10**5000, "a" * 9999, [1] * 9999):
        with pytest.raises(Error) as info:
            made[key]
        assert len(str(info.value)) < 200


def test_what_is_elsewhere(items):
    def elsewhere(name):
        return "it lies in the other box" if name == "ab" else ""

    made = NamedCollection(items, "thing", elsewhere)
    with pytest.raises(NotFoundError, match=r"no thing 'ab': it lies in .*; known: a,"):
        made["ab"]
    with pytest.raises(NotFoundError, match="no thing 'bb', did you mean 'b'"):
        made["bb"]


def test_an_empty_collection_says_so():
    made = NamedCollection((), "thing")
    for key in ("a", 0):
        with pytest.raises(NotFoundError, match="known: none"):
            made[key]
    assert not made


def test_a_handle_undoes_once():
    calls = []
    handle = Handle(lambda: calls.append(1))
    assert not handle.closed
    handle.close()
    handle.close()
    assert handle.closed
    assert calls == [1]
    with Handle(lambda: calls.append(2)) as other:
        assert not other.closed
    assert calls == [1, 2]
    dropped = Handle(lambda: calls.append(3))
    del dropped
    gc.collect()
    assert calls == [1, 2]


def test_callbacks_are_called_in_order_until_closed():
    listeners = CallbackList("test")
    first = listeners.add(lambda x: ("first", x))
    listeners.add(lambda x: ("second", x))
    assert listeners(1, pytest.fail) == [("first", 1), ("second", 1)]
    first.close()
    assert listeners(2, pytest.fail) == [("second", 2)]
    assert len(listeners) == 1


def test_a_callback_may_remove_itself():
    listeners = CallbackList("test")
    handles = []
    handles.append(listeners.add(lambda x: handles[0].close()))
    listeners.add(lambda x: x)
    assert listeners(3, pytest.fail) == [None, 3]
    assert listeners(4, pytest.fail) == [4]


@pytest.mark.parametrize("kind", [ValueError, SystemExit, GeneratorExit])
def test_a_callback_that_raises_stops_nothing_and_is_reported_once(kind):
    def wrong(_):
        raise kind("no way")

    listeners = CallbackList("test")
    handle = listeners.add(wrong)
    listeners.add(lambda x: x)
    problems = []
    assert listeners(1, problems.append) == [1]
    assert listeners(2, problems.append) == [2]
    assert [p.code for p in problems] == ["callback-failed"]
    assert "test callback" in problems[0].message
    assert "wrong" in problems[0].message
    assert "no way" in problems[0].traceback
    handle.close()
    listeners.add(wrong)
    listeners(3, problems.append)
    assert len(problems) == 2


def test_a_callback_may_be_interrupted():
    def wrong(_):
        raise KeyboardInterrupt

    listeners = CallbackList("test")
    listeners.add(wrong)
    with pytest.raises(KeyboardInterrupt):
        listeners(1, pytest.fail)


def test_what_cannot_be_called_is_refused():
    with pytest.raises(ArgumentError, match="test callback 3 cannot be called"):
        CallbackList("test").add(3)


def test_a_handle_does_not_keep_the_list_alive():
    listeners = CallbackList("test")
    handle = listeners.add(print)
    watched = weakref.ref(listeners)
    del listeners
    assert watched() is None
    handle.close()
