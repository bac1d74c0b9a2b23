"""The spacesampler KeptSpacesampler keeps its contract, and works."""

from __future__ import annotations

import numpy as np

from pyrave.testing import SpaceSamplerContract


class TestKeptSpacesampler(SpaceSamplerContract):
    interface = "acme-kept:KeptSpacesampler"


def test_points_spread_evenly(scene):
    sampler = scene.create("spacesampler", "KeptSpacesampler")
    sampler.set_space_dof(2)
    points = sampler.sample_sequence(1000)
    counts, _, _ = np.histogram2d(*points.T, bins=5, range=[[0, 1], [0, 1]])
    assert counts.min() > 30
    assert counts.max() < 50
