"""Medians of what samples of an arm show."""

import numpy as np
import pytest

from pyrave_ik.arm.null_space import _median


@pytest.mark.parametrize("shape", [(1,), (4,), (5, 3), (32, 7)])
def test_they_are_those_of_numpy(shape):
    rows = np.random.default_rng(4).normal(size=shape)
    np.testing.assert_array_equal(_median(rows), np.median(rows, axis=0))
