"""Operations on vectors: numpy's and numba's give the same."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave import simd

NUMBERS = np.array([3.0, 0.5, 1e-30, 7.5, 11.0, 3.0, 1e30, 0.25], np.float32)


def _shuffled(array, table, out):
    vector = simd.load8(array, 0)
    least = simd.smallest(vector)
    simd.store(out, 0, simd.choose(vector == least, np.float32(9.0), vector))
    four = simd.load4(table, 4) * simd.triple(2.0, 3.0, 4.0)
    out[8] = simd.first(four)
    out[9] = simd.second(four)
    out[10] = simd.third(four)
    simd.store(out, 11, simd.single(simd.load4(table, 0) * 0.1))
    return simd.at(table, 5), least, simd.largest(vector), simd.bits(vector > 3.0)


def test_numba_agrees(monkeypatch: pytest.MonkeyPatch):
    numba = pytest.importorskip("numba")
    from pyrave.simd import compiled

    table = np.arange(12.0).reshape(3, 4)
    plain, fast = np.empty(15, np.float32), np.empty(15, np.float32)
    expected = _shuffled(NUMBERS, table, plain)
    assert expected == (5.0, np.float32(1e-30), np.float32(1e30), 0b1011000)
    assert plain.tolist()[8:11] == [8.0, 15.0, 24.0]

    monkeypatch.setitem(globals(), "simd", compiled)
    assert numba.njit(_shuffled)(NUMBERS, table, fast) == expected
    np.testing.assert_array_equal(fast, plain)
