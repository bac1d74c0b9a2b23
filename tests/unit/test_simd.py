"""Operations on vectors: numpy's and numba's give the same."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave import simd

REVERSED = 0o01234567  # places of three bits each, the first one lowest
NUMBERS = np.array([3.0, 0.5, 1e-30, 7.5, 11.0, 3.0, 1e30, 0.25], np.float32)


def _shuffled(array, table, whole, out):
    vector = simd.load8(array, 0)
    least = simd.smallest(vector)
    simd.store(out, 0, simd.where(vector == least, np.float32(9.0), vector))
    simd.store(out, 8, simd.single(simd.load8(table, 4) * 0.1))
    # a number, to an array of another kind; and numbers that are only moved
    simd.store(out, 16, simd.at(table, 7))
    simd.store(whole, 8, simd.permuted(simd.load8(whole, 0), REVERSED))
    simd.store(out, 17, simd.permuted(vector, 0o3311))
    mask = simd.movemask(vector > 3.0)
    return simd.at(table, 5), least, simd.largest(vector), mask, simd.count_bits(mask)


def test_numba_agrees(monkeypatch: pytest.MonkeyPatch):
    numba = pytest.importorskip("numba")
    from pyrave.simd import compiled

    table = np.arange(12.0).reshape(3, 4)
    plain, fast = np.empty(25, np.float32), np.empty(25, np.float32)
    # as floats, some of these are no numbers, others too small for some machines
    whole = np.array([7, -1, 2**31 - 1, -(2**31), 3, 4, 5, 6, *[0] * 8], np.int32)
    moved = whole.copy()
    expected = _shuffled(NUMBERS, table, whole, plain)
    assert expected == (5.0, np.float32(1e-30), np.float32(1e30), 0b1011000, 3)
    assert whole[8:].tolist() == whole[7::-1].tolist()
    assert plain[16] == 7.0
    assert plain[17:].tolist() == NUMBERS[[1, 1, 3, 3, 0, 0, 0, 0]].tolist()

    monkeypatch.setitem(globals(), "simd", compiled)
    assert numba.njit(_shuffled)(NUMBERS, table, moved, fast) == expected
    np.testing.assert_array_equal(moved, whole)
    np.testing.assert_array_equal(fast, plain)
