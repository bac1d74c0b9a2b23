"""Adjacent and other pairs of links, also of very long chains."""

from __future__ import annotations

import time

import numpy as np
import pytest

import pyrave
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
)

LONG = 2000


def chain(n: int, *, shaped: bool) -> BodyDescription:
    shapes = (GeometryDescription(Box((0.1, 0.1, 0.1))),) if shaped else ()
    links = tuple(LinkDescription(f"l{i}", geometries=shapes) for i in range(n))
    axes = (JointAxis((0.0, 0.0, 1.0)),)
    joints = tuple(
        JointDescription(f"j{i}", "hinge", f"l{i}", f"l{i + 1}", axes=axes)
        for i in range(n - 1)
    )
    return BodyDescription("chain", links, joints)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_pairs_are_arrays_and_complete(n):
    body = pyrave.Environment().create_body(chain(n, shaped=True))
    assert len(body.non_adjacent_links) == 0, "all touch, as they are at one place"
    adjacent, others = body.adjacent_links, body.model.non_adjacent_links
    assert adjacent.tolist() == [[i, i + 1] for i in range(n - 1)]
    assert sorted([*adjacent.tolist(), *others.tolist()]) == [
        [i, j] for i in range(n) for j in range(i + 1, n)
    ]
    for pairs in (adjacent, others):
        assert pairs.shape[1:] == (2,)
        assert pairs.dtype == np.int64
        assert not pairs.flags.writeable


def test_a_long_chain_has_its_pairs_at_once():
    body = pyrave.Environment().create_body(chain(LONG, shaped=True))
    start = time.process_time()
    assert len(body.adjacent_links) == LONG - 1
    assert time.process_time() - start < 20.0


def test_millions_of_pairs_cost_little_more_than_the_numbers():
    body = pyrave.Environment().create_body(chain(LONG, shaped=False))
    found = body.adjacent_links
    assert len(found) == LONG * (LONG - 1) // 2
    step = LONG // 2
    np.testing.assert_array_equal(found[::step], body.model.adjacent_links[::step])
