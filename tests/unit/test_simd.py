"""Operations on vectors: numpy's and numba's give the same."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave import simd

NUMBERS = np.array([3.0, 0.0, 1e-30, 7.5, 11.0, 3.0, 1e30, 0.25], np.float32)


def test_numbered_vectors_tell_places_and_keep_their_order():
    numbered = simd.numbered(NUMBERS)
    assert [simd.place(number) for number in numbered] == list(range(8))
    assert len(set(numbered.tolist())) == 8
    # what is 0 becomes at most the seventh least number there is
    assert (np.abs(numbered - NUMBERS) <= NUMBERS * 2.0**-20 + 1e-44).all()
    assert simd.place(simd.smallest(numbered)) == 1


def _shuffled(array, table, out):
    vector = simd.load8(array, 0)
    numbered = simd.numbered(vector)
    least = simd.smallest(numbered)
    left = simd.choose(numbered == least, np.float32(9.0), numbered)
    simd.store(out, 0, left)
    simd.store(out, 8, simd.spread8(least))
    four = simd.load4(table, 4) * simd.triple(2.0, 3.0, 4.0)
    out[16] = simd.first(four)
    out[17] = simd.second(four)
    out[18] = simd.third(four)
    return simd.at(table, 5), simd.place(least), simd.place(simd.smallest(left))


def test_numba_agrees(monkeypatch: pytest.MonkeyPatch):
    numba = pytest.importorskip("numba")
    from pyrave.simd import compiled

    table = np.arange(12.0).reshape(3, 4)
    plain, fast = np.empty(19, np.float32), np.empty(19, np.float32)
    expected = _shuffled(NUMBERS, table, plain)
    assert expected[1:] == (1, 2)

    monkeypatch.setitem(globals(), "simd", compiled)
    assert numba.njit(_shuffled)(NUMBERS, table, fast) == expected
    np.testing.assert_array_equal(fast, plain)
