"""Numbers of pairs without repetition."""

import numpy as np
import pytest

from pyrave.collision.ignored_links import _distinct


@pytest.mark.parametrize("numbers", [[], [3], [2, 2], [5, 1, 5, -1, 1, 9]])
def test_they_are_those_of_numpy(numbers):
    given = np.array(numbers, np.int64)
    np.testing.assert_array_equal(_distinct(given), np.unique(given))
