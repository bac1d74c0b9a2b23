"""Medians and quantiles of what samples of an arm show."""

import numpy as np
import pytest

from pyrave_ik.arm.null_space import _median, _quantile


@pytest.mark.parametrize("shape", [(1,), (4,), (5, 3), (32, 7)])
def test_they_are_those_of_numpy(shape):
    rows = np.random.default_rng(4).normal(size=shape)
    np.testing.assert_array_equal(_median(rows), np.median(rows, axis=0))


@pytest.mark.parametrize("shape", [(1, 7), (2, 3), (5, 3), (32, 7), (33, 7)])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_quantiles_are_those_of_numpy(shape, share):
    rows = np.random.default_rng(4).normal(size=shape)
    expected = np.quantile(rows, share, axis=0)
    np.testing.assert_array_equal(_quantile(rows, share), expected)
